//! The nearest of some names to one that was mistyped.

/// "did you mean `shape`?", or a list of what is known if nothing is near. Empty if nothing is known.
pub fn suggestion<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.collect();
    if known.is_empty() {
        return String::new();
    }
    match nearest(name, &known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known are {}", listed(&known)),
    }
}

/// Names for a sentence; of very many only the first.
pub(crate) fn listed(names: &[&str]) -> String {
    const MOST: usize = 24;
    let mut text = names.iter().take(MOST).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    if names.len() > MOST {
        text += &format!(" and {} more", names.len() - MOST);
    }
    text
}

/// The known name with the fewest edits, if they are few for its length; or the same name with its unit.
pub(crate) fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    if let Some(angle) = known.iter().find(|known| known.strip_suffix("_deg") == Some(name)) {
        return Some(angle);
    }
    let plain: Vec<char> = name.chars().take(64).flat_map(char::to_lowercase).collect();
    let candidates = known.iter().take(4096).map(|&candidate| (edits(&plain, candidate), candidate));
    let (distance, best) = candidates.min_by_key(|&(distance, _)| distance)?;
    let length = best.chars().count();
    // Names of one letter are all alike.
    (distance == 0 || (length > 1 && distance <= 1 + length / 4)).then_some(best)
}

/// The edits (insertions, deletions, replacements, swaps of neighbours) between two names: optimal string alignment.
fn edits(a: &[char], b: &str) -> usize {
    let b: Vec<char> = b.chars().take(64).flat_map(char::to_lowercase).collect();
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut fewest = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                fewest = fewest.min(rows[i - 2][j - 2] + 1);
            }
            row.push(fewest);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_is_recognised() {
        let known = ["position", "rotation", "velocity", "shape", "mass"];
        assert_eq!(nearest("postion", &known), Some("position"));
        assert_eq!(nearest("Shape", &known), Some("shape"));
        assert_eq!(nearest("msas", &known), Some("mass"));
        assert_eq!(nearest("colour", &known), None);
        assert_eq!(nearest("b", &["a", "c"]), None);
        assert_eq!(nearest("A", &["a", "c"]), Some("a"));
        assert_eq!(nearest("angle", &["angel", "angle_deg"]), Some("angle_deg"));
    }
}
