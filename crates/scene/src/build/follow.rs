//! Curves that motors and drives follow.

use super::{Context, Reported};
use crate::degrees::RADIANS;
use crate::format::{CurveFile, FollowFile};
use crate::tree::Node;
use std::collections::BTreeMap;
use std::sync::Arc;
use tumble_dynamics::ModelError;
use tumble_dynamics::curve::{Aim, Curve, Expression, KeyFrames, Program};

/// A curve in degrees, as radians.
#[derive(Debug)]
struct Degrees(Arc<dyn Curve>);

impl Curve for Degrees {
    fn value(&self, time: f64) -> f64 {
        RADIANS * self.0.value(time)
    }
}

/// What the table `follow` of a joint asks for.
pub(super) fn programs(
    context: &mut Context<'_>,
    follow: &BTreeMap<String, FollowFile>,
    node: &Node,
) -> Result<Vec<Program>, Reported> {
    let mut programs = Vec::new();
    for (coordinate, file) in follow {
        let curves = [("speed", &file.speed), ("target", &file.target), ("target_deg", &file.target_deg)];
        for (key, curve) in curves.into_iter().filter_map(|(key, curve)| Some((key, curve.as_ref()?))) {
            let place = node.get("follow").and_then(|node| node.get(coordinate)).and_then(|node| node.get(key));
            let span = place.map_or(node.span, |node| node.span);
            let curve = match read(curve) {
                Ok(curve) => curve,
                Err(problem) => {
                    context.report.push(span, problem.to_string(), "");
                    return Err(Reported);
                }
            };
            let (aim, curve) = match key {
                "speed" => (Aim::Speed, curve),
                "target" => (Aim::Target, curve),
                _ => (Aim::Target, Arc::new(Degrees(curve)) as Arc<dyn Curve>),
            };
            programs.push(Program { coordinate: coordinate.clone(), aim, curve });
        }
    }
    Ok(programs)
}

fn read(file: &CurveFile) -> Result<Arc<dyn Curve>, ModelError> {
    Ok(match file {
        CurveFile::Formula(text) => Arc::new(Expression::new(text)?),
        CurveFile::Frames(file) => {
            let frames = KeyFrames::new(file.frames.iter().map(|&[time, value]| (time, value)))?;
            let frames = frames.with_end_slopes(file.end_slopes)?;
            Arc::new(if file.again { frames.again() } else { frames })
        }
    })
}
