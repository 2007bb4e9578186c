//! Joining convex parts that belong together.

use super::ConvexPart;
use crate::shape::Hull;

/// Joins pairs whose common hull has no more excess than `enough`, and more, cheapest first, while there are more than
/// `max_parts`.
pub(super) fn join(parts: &mut Vec<ConvexPart>, enough: f64, max_parts: usize) {
    let mut pairs: Vec<Pair> = Vec::new();
    for second in 1..parts.len() {
        pairs.extend((0..second).filter_map(|first| Pair::new(parts, first, second)));
    }
    while let Some(cheapest) = cheapest(&pairs) {
        if pairs[cheapest].excess > enough && parts.len() <= max_parts {
            break;
        }
        let Pair { indices: [first, second], hull, .. } = pairs.swap_remove(cheapest);
        let volume = parts[first].volume + parts.swap_remove(second).volume;
        parts[first] = ConvexPart { hull, volume };
        pairs.retain(|pair| !pair.indices.iter().any(|index| [first, second].contains(index)));
        // The last part has taken the place of the second.
        let moved = parts.len();
        for pair in &mut pairs {
            pair.indices = pair.indices.map(|index| if index == moved { second } else { index });
            pair.indices.sort_unstable();
        }
        let others = (0..parts.len()).filter(|&other| other != first);
        pairs.extend(others.filter_map(|other| Pair::new(parts, first.min(other), first.max(other))));
    }
}

/// Two parts that may be joined.
struct Pair {
    /// Ascending.
    indices: [usize; 2],
    /// Their common hull, and its volume that is neither's.
    hull: Hull,
    excess: f64,
}

impl Pair {
    fn new(parts: &[ConvexPart], first: usize, second: usize) -> Option<Self> {
        let (one, two) = (&parts[first], &parts[second]);
        let hull = Hull::new(&[one.hull.vertices(), two.hull.vertices()].concat()).ok()?;
        let excess = hull.volume() - one.volume - two.volume;
        Some(Self { indices: [first, second], hull, excess })
    }
}

/// The pair with the least excess; of several, that with the lowest indices.
fn cheapest(pairs: &[Pair]) -> Option<usize> {
    let order = |one: &Pair, two: &Pair| one.excess.total_cmp(&two.excess).then(one.indices.cmp(&two.indices));
    (0..pairs.len()).min_by(|&one, &two| order(&pairs[one], &pairs[two]))
}
