//! The map of directions as a picture: the sphere seen from where the axis points, squares of equal area, coloured by how much
//! of a turn about the axis is allowed there.

use super::Region;
use glam::{DVec2, DVec3};
use std::fmt::Write;
use tumble_dynamics::constraint::SwingSample;

const SIZE: DVec2 = DVec2::new(680.0, 600.0);
const MIDDLE: DVec2 = DVec2::new(300.0, 320.0);
/// Pixels for one unit of the map, whose radius is 2.
const SCALE: f64 = 125.0;
/// From little twist to much.
const COLORS: [[f64; 3]; 3] = [[244.0, 201.0, 126.0], [224.0, 122.0, 95.0], [88.0, 52.0, 110.0]];
/// How many colours are told apart.
const SHADES: usize = 16;
/// Keeps letters readable on every colour.
const HALO: &str = "paint-order=\"stroke\" stroke=\"white\" stroke-width=\"3\" stroke-opacity=\"0.8\"";
const FORBIDDEN: &str = "#efedea";

/// The picture as the text of an SVG file.
pub(super) fn to_svg(region: &Region) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" \
         font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\" fill=\"#333\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{x}\" y=\"26\" text-anchor=\"middle\" font-size=\"16\">{title}</text>\n\
         <text x=\"{x}\" y=\"46\" text-anchor=\"middle\" fill=\"#777\">where the axis of {second} may point, seen from {first}</text>\n\
         <circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\" fill=\"{FORBIDDEN}\"/>\n",
        w = SIZE.x,
        h = SIZE.y,
        x = MIDDLE.x,
        y = MIDDLE.y,
        r = 2.0 * SCALE,
        title = escaped(&region.title),
        first = escaped(&region.bodies[0]),
        second = escaped(&region.bodies[1]),
    );
    let most = region.swings.samples.iter().map(|sample| sample.share).fold(0.0, f64::max).max(1e-9);
    squares(&mut svg, region, most);
    rings(&mut svg);
    names(&mut svg, region);
    legend(&mut svg, region, most);
    svg += "</svg>\n";
    svg
}

/// The allowed squares; neighbours of one colour in a row are drawn as one.
fn squares(svg: &mut String, region: &Region, most: f64) {
    let edge = region.swings.spacing * SCALE;
    let shade = |sample: &SwingSample| {
        sample.twist.map(|_| ((sample.share / most * SHADES as f64).ceil() as usize).clamp(1, SHADES))
    };
    let samples = &region.swings.samples;
    let mut start = 0;
    put(svg, format_args!("<g shape-rendering=\"crispEdges\">\n"));
    while start < samples.len() {
        let first = &samples[start];
        let alike = |sample: &&SwingSample| sample.place.y == first.place.y && shade(sample) == shade(first);
        let count = samples[start..].iter().take_while(alike).count();
        if let Some(shade) = shade(first) {
            let corner = on_paper(first.place) - DVec2::splat(0.5 * edge);
            let fill = if region.swings.held > 0 { "#3d5a80".to_owned() } else { color(shade) };
            put(
                svg,
                format_args!(
                    "<rect x=\"{:.2}\" y=\"{:.2}\" width=\"{:.2}\" height=\"{edge:.2}\" fill=\"{fill}\"/>\n",
                    corner.x,
                    corner.y,
                    edge * count as f64
                ),
            );
        }
        start += count;
    }
    put(svg, format_args!("</g>\n"));
}

/// How far the axis has swung: a ring for every 30°, but 150°, which is too near to the rim.
fn rings(svg: &mut String) {
    for degrees in [30, 60, 90, 120, 180] {
        let radius = 2.0 * SCALE * libm::sin(0.5 * f64::from(degrees).to_radians());
        let y = MIDDLE.y - radius;
        put(
            svg,
            format_args!(
                "<circle cx=\"{}\" cy=\"{}\" r=\"{radius:.1}\" fill=\"none\" stroke=\"#333\" stroke-opacity=\"0.3\"/>\
                 <text x=\"{}\" y=\"{:.1}\" fill=\"#555\" font-size=\"11\" {HALO}>{degrees}°</text>\n",
                MIDDLE.x,
                MIDDLE.y,
                MIDDLE.x + 3.0,
                y - 2.0
            ),
        );
    }
    put(svg, format_args!("<circle cx=\"{}\" cy=\"{}\" r=\"3\"/>\n", MIDDLE.x, MIDDLE.y));
}

/// Where the axes of the first body are; the one opposite to the middle is all of the rim and has no place.
fn names(svg: &mut String, region: &Region) {
    let swings = &region.swings;
    for (name, axis) in ["x", "y", "z"]
        .into_iter()
        .zip(DVec3::AXES)
        .flat_map(|(name, axis)| [(format!("+{name}"), axis), (format!("−{name}"), -axis)])
    {
        let along = axis.dot(swings.axis).clamp(-1.0, 1.0);
        if along < -0.999 {
            continue;
        }
        let flat = DVec2::new(axis.dot(swings.across[0]), axis.dot(swings.across[1]));
        // r = 2 sin(θ/2) with cos θ = along.
        let place = on_paper(flat.normalize_or_zero() * (2.0 * (1.0 - along)).sqrt());
        put(
            svg,
            format_args!(
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"white\" stroke=\"#333\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" font-weight=\"bold\" {HALO}>{name}</text>\n",
                place.x,
                place.y,
                place.x + 6.0,
                place.y + 14.0
            ),
        );
    }
}

fn legend(svg: &mut String, region: &Region, most: f64) {
    let x = 600.0;
    if region.swings.held > 0 {
        put(svg, format_args!("<rect x=\"{x}\" y=\"120\" width=\"16\" height=\"16\" fill=\"#3d5a80\"/>"));
        put(svg, format_args!("<text x=\"{}\" y=\"133\">allowed</text>\n", x + 22.0));
        return;
    }
    put(svg, format_args!("<text x=\"{x}\" y=\"108\">twist</text>\n"));
    for shade in 1..=SHADES {
        let y = 120.0 + 12.0 * (SHADES - shade) as f64;
        put(svg, format_args!("<rect x=\"{x}\" y=\"{y}\" width=\"16\" height=\"12\" fill=\"{}\"/>", color(shade)));
    }
    let bottom = 120.0 + 12.0 * SHADES as f64;
    for (y, share) in [(130.0, most), (bottom, 0.0)] {
        put(svg, format_args!("<text x=\"{}\" y=\"{y}\">{:.0}°</text>\n", x + 22.0, 360.0 * share));
    }
    put(
        svg,
        format_args!(
            "<rect x=\"{x}\" y=\"{}\" width=\"16\" height=\"16\" fill=\"{FORBIDDEN}\"/><text x=\"{}\" y=\"{}\">none</text>\n",
            bottom + 14.0,
            x + 22.0,
            bottom + 27.0
        ),
    );
}

fn on_paper(place: DVec2) -> DVec2 {
    MIDDLE + SCALE * DVec2::new(place.x, -place.y)
}

/// The colour of a shade from 1 to `SHADES`.
fn color(shade: usize) -> String {
    let at = (shade as f64 - 0.5) / SHADES as f64 * 2.0;
    let (index, part) = if at < 1.0 { (0, at) } else { (1, at - 1.0) };
    let mix = |k: usize| (COLORS[index][k] + part * (COLORS[index + 1][k] - COLORS[index][k])).round() as u8;
    format!("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn put(svg: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _ = svg.write_fmt(text);
}
