//! Curves as SVG pictures: any columns against time or against another column.

use std::fmt::Write;
use std::path::Path;

/// A curve.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Its name, for the legend.
    pub name: String,
    /// Its points.
    pub points: Vec<[f64; 2]>,
}

/// A picture with curves, axes and a legend.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plot {
    /// Above the picture.
    pub title: String,
    /// Below the horizontal axis.
    pub x_label: String,
    /// Beside the vertical axis.
    pub y_label: String,
    /// The curves.
    pub curves: Vec<Curve>,
    /// Whether a metre (or whatever the unit is) is as long across as upwards: for paths in space.
    pub equal_scales: bool,
    /// Whether the vertical axis is logarithmic: what is not above zero is left out.
    pub logarithmic: bool,
}

/// What is said of a plot whose file ends otherwise.
pub const UNKNOWN_ENDING: &str = "unknown ending; plots are .svg";

/// Whether a plot can be written to a file of this name.
pub fn is_known_ending(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("svg"))
}

const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 480.0;
/// Left, right, top and bottom margins.
const MARGINS: [f64; 4] = [84.0, 24.0, 48.0, 56.0];
const COLORS: [&str; 8] = ["#3d5a80", "#e07a5f", "#81b29a", "#b5838d", "#e9a03b", "#6d597a", "#2a9d8f", "#9b2226"];
/// Curves with more points than this are thinned out: pixels are fewer.
const MOST_POINTS: usize = 4000;

impl Plot {
    /// The picture as the text of an SVG file.
    pub fn to_svg(&self) -> String {
        if self.logarithmic {
            let power = |curve: &Curve| {
                let points = curve.points.iter().filter(|[_, y]| *y > 0.0).map(|&[x, y]| [x, libm::log10(y)]);
                Curve { name: curve.name.clone(), points: points.collect() }
            };
            return Self { curves: self.curves.iter().map(power).collect(), ..self.clone() }.draw();
        }
        self.draw()
    }

    /// The picture of what may be powers of ten.
    fn draw(&self) -> String {
        let [mut x, mut y] =
            [0, 1].map(|axis| Range::of(self.curves.iter().flat_map(|c| c.points.iter().map(move |p| p[axis]))));
        let (width, height) = (WIDTH - MARGINS[0] - MARGINS[1], HEIGHT - MARGINS[2] - MARGINS[3]);
        if self.equal_scales {
            let scale = ((x.high - x.low) / width).max((y.high - y.low) / height);
            x = x.widened_to(scale * width);
            y = y.widened_to(scale * height);
        }
        let across = |value: f64| MARGINS[0] + (value - x.low) / (x.high - x.low) * width;
        let up = |value: f64| MARGINS[2] + height - (value - y.low) / (y.high - y.low) * height;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
             font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\" fill=\"#333\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
             <clipPath id=\"frame\"><rect x=\"{}\" y=\"{}\" width=\"{width}\" height=\"{height}\"/></clipPath>\n",
            MARGINS[0], MARGINS[2]
        );
        let (bottom, middle) = (MARGINS[2] + height, MARGINS[0] + 0.5 * width);
        for tick in x.ticks() {
            let at = across(tick);
            put(
                &mut svg,
                format_args!(
                    "<path d=\"M{at:.1} {}V{bottom}\" stroke=\"#ddd\"/><text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                    MARGINS[2],
                    bottom + 20.0,
                    x.label(tick)
                ),
            );
        }
        for tick in if self.logarithmic { y.powers() } else { y.ticks() } {
            let at = up(tick);
            put(
                &mut svg,
                format_args!(
                    "<path d=\"M{} {at:.1}H{}\" stroke=\"#ddd\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\n",
                    MARGINS[0],
                    WIDTH - MARGINS[1],
                    MARGINS[0] - 8.0,
                    at + 4.5,
                    if self.logarithmic { power_label(tick) } else { y.label(tick) }
                ),
            );
        }
        put(
            &mut svg,
            format_args!(
                "<rect x=\"{}\" y=\"{}\" width=\"{width}\" height=\"{height}\" fill=\"none\" stroke=\"#888\"/>\n",
                MARGINS[0], MARGINS[2]
            ),
        );
        put(
            &mut svg,
            format_args!(
                "<text x=\"{middle}\" y=\"28\" text-anchor=\"middle\" font-size=\"16\">{}</text>\n",
                escaped(&self.title)
            ),
        );
        put(
            &mut svg,
            format_args!(
                "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                HEIGHT - 14.0,
                escaped(&self.x_label)
            ),
        );
        put(
            &mut svg,
            format_args!(
                "<text transform=\"translate(18 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                MARGINS[2] + 0.5 * height,
                escaped(&self.y_label)
            ),
        );
        let lines: Vec<Vec<[f64; 2]>> = self
            .curves
            .iter()
            .map(|curve| {
                let finite = |point: &[f64; 2]| point.iter().all(|number| number.is_finite());
                thinned(&curve.points).into_iter().filter(finite).map(|[x, y]| [across(x), up(y)]).collect()
            })
            .collect();
        for (line, color) in lines.iter().zip(COLORS.iter().cycle()).filter(|(line, _)| !line.is_empty()) {
            let path: Vec<String> = line.iter().map(|[x, y]| format!("{x:.2} {y:.2}")).collect();
            put(
                &mut svg,
                format_args!(
                    "<path d=\"M{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"1.8\" stroke-linejoin=\"round\" clip-path=\"url(#frame)\"/>\n",
                    path.join("L"),
                ),
            );
        }
        if self.curves.len() > 1 {
            self.legend(&mut svg, &lines);
        }
        svg + "</svg>\n"
    }

    /// The legend, where it covers the least of the lines: in one of the corners, or in the middle of an edge.
    fn legend(&self, svg: &mut String, lines: &[Vec<[f64; 2]>]) {
        const MOST: usize = 12;
        let shown = &self.curves[..self.curves.len().min(MOST)];
        let longest = shown.iter().map(|curve| curve.name.chars().count()).max().unwrap_or(0) as f64;
        let (width, height) = (44.0 + 7.2 * longest, 10.0 + 18.0 * shown.len() as f64);
        let (right, bottom) = (WIDTH - MARGINS[1] - 8.0 - width, HEIGHT - MARGINS[3] - 8.0 - height);
        let (left, top) = (MARGINS[0] + 8.0, MARGINS[2] + 8.0);
        let (middle, center) = (0.5 * (left + right), 0.5 * (top + bottom));
        let places = [
            [right, top],
            [left, top],
            [right, bottom],
            [left, bottom],
            [middle, top],
            [middle, bottom],
            [right, center],
            [left, center],
        ];
        let length = |&[x, y]: &[f64; 2]| -> f64 {
            lines.iter().flat_map(|line| line.windows(2)).map(|ends| inside(ends, [x, y, x + width, y + height])).sum()
        };
        let [left, top] = places.into_iter().min_by(|a, b| length(a).total_cmp(&length(b))).unwrap_or(places[0]);
        put(
            svg,
            format_args!(
                "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height}\" fill=\"white\" fill-opacity=\"0.85\" stroke=\"#ccc\"/>\n",
            ),
        );
        for (index, curve) in shown.iter().enumerate() {
            let y = top + 16.0 + 18.0 * index as f64;
            put(
                svg,
                format_args!(
                    "<path d=\"M{:.1} {:.1}h22\" stroke=\"{}\" stroke-width=\"2.5\"/><text x=\"{:.1}\" y=\"{y:.1}\">{}</text>\n",
                    left + 8.0,
                    y - 4.5,
                    COLORS[index % COLORS.len()],
                    left + 36.0,
                    escaped(&curve.name)
                ),
            );
        }
    }
}

/// The length of a straight piece that is inside a rectangle (left, top, right, bottom), by clipping it at each edge.
fn inside(ends: &[[f64; 2]], [left, top, right, bottom]: [f64; 4]) -> f64 {
    let [[x, y], [to_x, to_y]] = [ends[0], ends[ends.len() - 1]];
    let way = [to_x - x, to_y - y];
    // The part of the way from `enter` to `leave` is inside.
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    for (along, start, low, high) in [(way[0], x, left, right), (way[1], y, top, bottom)] {
        if along == 0.0 {
            if !(low..=high).contains(&start) {
                return 0.0;
            }
            continue;
        }
        let (one, other) = ((low - start) / along, (high - start) / along);
        (enter, leave) = (enter.max(one.min(other)), leave.min(one.max(other)));
    }
    (leave - enter).max(0.0) * libm::hypot(way[0], way[1])
}

/// Writing to a string cannot fail.
fn put(svg: &mut String, text: std::fmt::Arguments<'_>) {
    let _infallible = svg.write_fmt(text);
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// At most [`MOST_POINTS`] points that keep the extremes: of each stretch the first, the lowest and the highest.
fn thinned(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    if points.len() <= MOST_POINTS {
        return points.to_vec();
    }
    let stretch = points.len().div_ceil(MOST_POINTS / 3);
    let mut kept = Vec::with_capacity(MOST_POINTS);
    for piece in points.chunks(stretch) {
        let mut indices = [
            0,
            (0..piece.len()).min_by(|&a, &b| piece[a][1].total_cmp(&piece[b][1])).unwrap_or(0),
            (0..piece.len()).max_by(|&a, &b| piece[a][1].total_cmp(&piece[b][1])).unwrap_or(0),
        ];
        indices.sort_unstable();
        kept.extend(indices.map(|index| piece[index]));
    }
    kept.extend(points.last());
    kept
}

/// A power of ten.
fn power_label(power: f64) -> String {
    if power.fract() == 0.0 { format!("1e{power}") } else { format!("{:.1e}", libm::pow(10.0, power)) }
}

/// A range of values on an axis, with round numbers for its ticks.
#[derive(Clone, Copy, Debug)]
struct Range {
    low: f64,
    high: f64,
}

impl Range {
    fn of(values: impl Iterator<Item = f64>) -> Self {
        let finite = values.filter(|value| value.is_finite());
        let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        if low > high {
            return Self { low: 0.0, high: 1.0 };
        }
        // A constant gets some room, so that rounding errors do not fill the picture.
        let width = (high - low).max(1e-9 * low.abs().max(high.abs())).max(1e-12);
        let middle = 0.5 * (low + high);
        Self { low: middle - 0.5 * width, high: middle + 0.5 * width }.padded()
    }

    fn padded(self) -> Self {
        let margin = 0.04 * (self.high - self.low);
        Self { low: self.low - margin, high: self.high + margin }
    }

    fn widened_to(self, width: f64) -> Self {
        let middle = 0.5 * (self.low + self.high);
        Self { low: middle - 0.5 * width, high: middle + 0.5 * width }
    }

    /// The distance of ticks: 1, 2 or 5 times a power of ten, for about six of them.
    fn step(&self) -> f64 {
        let rough = (self.high - self.low) / 6.0;
        let power = libm::pow(10.0, libm::log10(rough).floor());
        let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|factor| factor * power >= rough).unwrap_or(10.0);
        factor * power
    }

    fn ticks(&self) -> Vec<f64> {
        self.ticks_of(self.step())
    }

    fn ticks_of(&self, step: f64) -> Vec<f64> {
        let first = (self.low / step).ceil() as i64;
        (first..first.saturating_add(12)).map(|k| k as f64 * step).take_while(|&tick| tick <= self.high).collect()
    }

    /// Ticks at whole powers if there are at least two, each a step apart.
    fn powers(&self) -> Vec<f64> {
        let whole = self.ticks_of(self.step().max(1.0));
        if whole.len() < 2 { self.ticks() } else { whole }
    }

    fn label(&self, tick: f64) -> String {
        let step = self.step();
        let largest = self.low.abs().max(self.high.abs());
        if !(1e-3..1e6).contains(&largest) {
            let digits = (libm::log10(largest / step).ceil().max(0.0) as usize).min(12);
            return if tick == 0.0 { "0".into() } else { format!("{tick:.digits$e}") };
        }
        let digits = (-libm::log10(step).floor()).clamp(0.0, 12.0) as usize;
        format!("{tick:.digits$}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_numbers_inside_the_range() {
        let range = Range::of([0.0, 10.0].into_iter());
        assert_eq!(range.ticks(), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(range.label(2.0), "2");
        let narrow = Range::of([1.0, 1.0].into_iter());
        assert!(narrow.ticks().len() < 12 && narrow.high > narrow.low);
    }

    /// A curve that ends in one corner, and others that leave only one corner free.
    #[test]
    fn the_legend_covers_as_little_as_it_can() {
        assert_eq!(inside(&[[0.0, 0.0], [10.0, 0.0]], [2.0, -1.0, 5.0, 1.0]), 3.0);
        assert_eq!(inside(&[[0.0, 0.0], [3.0, 4.0]], [-9.0, -9.0, 9.0, 9.0]), 5.0);
        assert_eq!(inside(&[[0.0, 2.0], [10.0, 2.0]], [2.0, -1.0, 5.0, 1.0]), 0.0);
        let place = |points: &[[f64; 2]]| {
            let curve = Curve { name: "a curve".into(), points: points.to_vec() };
            let svg = Plot { curves: vec![curve; 2], ..Plot::default() }.to_svg();
            let legend = svg.lines().find(|line| line.contains("fill-opacity")).unwrap_or_default();
            let number = |key: &str| -> f64 {
                let rest = legend.split(&format!(" {key}=\"")).nth(1).unwrap_or_default();
                rest.split('"').next().unwrap_or_default().parse().unwrap_or(f64::NAN)
            };
            [number("x") > 0.5 * WIDTH, number("y") > 0.5 * HEIGHT]
        };
        assert_eq!(place(&[[0.0, 1.0], [1.0, 0.0]]), [true, false]);
        assert_eq!(place(&[[0.0, 0.0], [1.0, 1.0]]), [false, false]);
        assert_eq!(place(&[[0.0, 1.0], [1.0, 1.0], [0.9, 1.0], [0.0, 0.0]]), [true, true]);
    }

    /// Each power of ten is as far from the next; what has no logarithm is not drawn.
    #[test]
    fn powers_of_ten_are_equally_far_apart() {
        let points = vec![[0.0, 0.0], [1.0, 1e-9], [2.0, 1e-6], [3.0, 1e-3], [4.0, -1.0]];
        let curves = vec![Curve { name: "apart".into(), points }];
        let svg = Plot { curves, logarithmic: true, ..Plot::default() }.to_svg();
        let path = svg.lines().find(|line| line.contains("stroke-width=\"1.8\"")).unwrap();
        let path = path.split("d=\"M").nth(1).unwrap().split('"').next().unwrap();
        let heights: Vec<f64> =
            path.split('L').map(|point| point.split(' ').nth(1).unwrap().parse().unwrap()).collect();
        assert_eq!(heights.len(), 3);
        assert!((heights[0] - 2.0 * heights[1] + heights[2]).abs() < 0.1, "{heights:?}");
        assert!(svg.contains(">1e-8<") && svg.contains(">1e-4<"), "{svg}");
    }

    #[test]
    fn odd_numbers_make_a_picture_too() {
        for points in [vec![], vec![[f64::NAN, 1.0]], vec![[0.0, f64::INFINITY], [1.0, 1e300]], vec![[1.0, 0.0]; 9000]]
        {
            let plot = Plot { curves: vec![Curve { name: "<a>".into(), points }; 2], ..Plot::default() };
            let svg = plot.to_svg();
            assert!(svg.starts_with("<svg") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
    }
}
