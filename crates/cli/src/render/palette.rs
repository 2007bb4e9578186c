//! 255 colours that stand for all colours of some pictures.
//!
//! Median cut: the colours are in one box at first; again and again the box with the most pixels times spread is cut in
//! two where half of its pixels are on either side, along its longest edge. Each box then gives its mean colour. Colours
//! are looked up by their upper five bits, and a pattern of small offsets hides the steps between neighbouring colours.

/// How many colours: one of the 256 is kept for "unchanged".
pub(super) const COLORS: usize = 255;
const CELLS: usize = 1 << 15;
/// An ordered pattern with values spread evenly over −½ to ½.
const PATTERN: [[i32; 4]; 4] = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]];

pub(super) struct Palette {
    /// Red, green, blue of each colour.
    pub(super) colors: Vec<u8>,
    nearest: Vec<u8>,
}

fn cell(red: u8, green: u8, blue: u8) -> usize {
    usize::from(red >> 3) << 10 | usize::from(green >> 3) << 5 | usize::from(blue >> 3)
}

fn parts(cell: usize) -> [usize; 3] {
    [cell >> 10, cell >> 5 & 31, cell & 31]
}

impl Palette {
    pub(super) fn of<'a>(pictures: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut counts = vec![0_u64; CELLS];
        for picture in pictures {
            picture.chunks_exact(3).for_each(|rgb| counts[cell(rgb[0], rgb[1], rgb[2])] += 1);
        }
        let mut boxes = vec![(0..CELLS).filter(|&cell| counts[cell] > 0).collect::<Vec<usize>>()];
        while boxes.len() < COLORS {
            let value = |cells: &Vec<usize>| {
                let pixels: u64 = cells.iter().map(|&cell| counts[cell]).sum();
                // Large areas matter, but a small object must not lose its colour to them.
                (pixels as f64).sqrt() * longest_edge(cells).1 as f64
            };
            let largest = (0..boxes.len()).max_by(|&a, &b| value(&boxes[a]).total_cmp(&value(&boxes[b])));
            let Some(index) = largest.filter(|&index| boxes[index].len() > 1) else { break };
            let mut cells = boxes.swap_remove(index);
            let (axis, _) = longest_edge(&cells);
            cells.sort_by_key(|&cell| (parts(cell)[axis], cell));
            let half: u64 = cells.iter().map(|&cell| counts[cell]).sum::<u64>() / 2;
            let mut seen = 0;
            let at = cells.iter().position(|&cell| {
                seen += counts[cell];
                seen > half
            });
            let upper = cells.split_off(at.unwrap_or(0).clamp(1, cells.len() - 1));
            boxes.extend([cells, upper]);
        }
        let means: Vec<[f64; 3]> = boxes.iter().map(|cells| mean(cells, &counts)).collect();
        let nearest = (0..CELLS).map(|cell| nearest(&means, parts(cell).map(|part| part as f64 * 8.0 + 4.0)) as u8);
        let colors = means.iter().flat_map(|mean| mean.map(|part| part as u8)).collect();
        Self { colors, nearest: nearest.collect() }
    }

    /// The picture as numbers of colours.
    pub(super) fn map(&self, picture: &[u8], width: usize) -> Vec<u8> {
        let pixels = picture.chunks_exact(3).enumerate();
        pixels
            .map(|(index, rgb)| {
                let offset = (PATTERN[index / width % 4][index % width % 4] - 7) / 2;
                let shift = |part: u8| (i32::from(part) + offset).clamp(0, 255) as u8;
                self.nearest[cell(shift(rgb[0]), shift(rgb[1]), shift(rgb[2]))]
            })
            .collect()
    }
}

/// The axis along which cells are spread most, and how far.
fn longest_edge(cells: &[usize]) -> (usize, usize) {
    let extent = |axis: usize| {
        let values = || cells.iter().map(|&cell| parts(cell)[axis]);
        values().max().unwrap_or(0) - values().min().unwrap_or(0)
    };
    (0..3).map(|axis| (axis, extent(axis))).max_by_key(|&(_, extent)| extent).unwrap_or((0, 0))
}

fn mean(cells: &[usize], counts: &[u64]) -> [f64; 3] {
    let total: u64 = cells.iter().map(|&cell| counts[cell]).sum::<u64>().max(1);
    let sum = |axis: usize| {
        cells.iter().map(|&cell| (parts(cell)[axis] as f64 * 8.0 + 4.0) * counts[cell] as f64).sum::<f64>()
    };
    [0, 1, 2].map(|axis| sum(axis) / total as f64)
}

fn nearest(means: &[[f64; 3]], color: [f64; 3]) -> usize {
    // Eyes are most sensitive to green.
    let distance = |mean: &[f64; 3]| {
        let d = [0, 1, 2].map(|axis| mean[axis] - color[axis]);
        2.0 * d[0] * d[0] + 4.0 * d[1] * d[1] + d[2] * d[2]
    };
    let order = |&a: &usize, &b: &usize| distance(&means[a]).total_cmp(&distance(&means[b]));
    (0..means.len()).min_by(order).unwrap_or(0)
}
