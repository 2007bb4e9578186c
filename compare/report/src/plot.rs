//! Bars of milliseconds, on a logarithmic scale, as SVG.

use crate::results::Results;
use std::fmt::Write;

const COLOURS: [&str; 6] = ["#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b"];
const ROW: f64 = 12.0;
const LEFT: f64 = 130.0;
const WIDTH: f64 = 620.0;

/// A picture for each number of threads that was measured, with the name of its file.
pub(crate) fn plots(results: &Results) -> Vec<(String, String)> {
    [1, 2]
        .into_iter()
        .filter_map(|threads| Some((format!("benchmarks-{threads}.svg"), plot(results, threads)?)))
        .collect()
}

fn plot(results: &Results, threads: usize) -> Option<String> {
    let (scenes, engines) = (results.scenes(), results.engines());
    let time = |scene: &str, engine: &str| results.best(engine, scene, threads).map(|timing| timing.milliseconds());
    let all: Vec<f64> =
        scenes.iter().flat_map(|scene| engines.iter().filter_map(move |engine| time(scene, engine))).collect();
    let least = all.iter().copied().fold(f64::INFINITY, f64::min);
    let most = all.iter().copied().fold(0.0, f64::max);
    if all.is_empty() {
        return None;
    }
    let (low, high) = ((0.7 * least).log10(), (1.2 * most).log10());
    let x = |value: f64| LEFT + (WIDTH - LEFT - 60.0) * (value.log10() - low) / (high - low).max(1e-9);
    let block = ROW * engines.len() as f64 + 10.0;
    let height = 40.0 + block * scenes.len() as f64;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" font-size=\"10\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for (index, engine) in engines.iter().enumerate() {
        let at = 10.0 + 95.0 * index as f64;
        let _ = writeln!(
            svg,
            "<rect x=\"{at}\" y=\"8\" width=\"10\" height=\"10\" fill=\"{}\"/><text x=\"{}\" y=\"17\">{engine}</text>",
            COLOURS[index % 6],
            at + 14.0
        );
    }
    for (row, scene) in scenes.iter().enumerate() {
        let top = 30.0 + block * row as f64;
        let _ =
            writeln!(svg, "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{scene}</text>", LEFT - 6.0, top + 0.5 * block);
        for (index, engine) in engines.iter().enumerate() {
            let Some(value) = time(scene, engine) else { continue };
            let y = top + ROW * index as f64;
            let _ = writeln!(
                svg,
                "<rect x=\"{LEFT}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{}\" fill=\"{}\"/><text x=\"{:.1}\" y=\"{:.1}\">{value:.2} ms</text>",
                x(value) - LEFT,
                ROW - 2.0,
                COLOURS[index % 6],
                x(value) + 4.0,
                y + ROW - 3.5
            );
        }
    }
    svg += "</svg>\n";
    Some(svg)
}
