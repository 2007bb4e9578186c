//! `tumble check` and `tumble schema`.

use crate::args::Check;
use crate::failure::{Failure, print};
use crate::scene::load;
use serde_json::{Value, json};
use tumble_dynamics::registry::Registry;

pub(crate) fn check(options: &Check) -> Result<(), Failure> {
    let (mut problems, mut all) = (0, Vec::new());
    for name in &options.scenes {
        match load(name, &options.settings) {
            Ok(scene) => {
                let model = scene.world.model();
                let (bodies, joints) = (model.bodies().len(), model.joints().len());
                if options.json {
                    all.push(json!({ "scene": name, "bodies": bodies, "joints": joints, "errors": [] }));
                } else {
                    print(&format!("{name}: fine ({bodies} bodies, {joints} joints)\n"))?;
                }
            }
            Err(Failure::Scene(report)) => {
                problems += report.len();
                if options.json {
                    all.push(json!({ "scene": name, "errors": report.to_json() }));
                } else {
                    eprintln!("{report}");
                }
            }
            Err(failure) if options.scenes.len() == 1 => return Err(failure),
            Err(failure) => {
                problems += 1;
                failure.tell();
            }
        }
    }
    if options.json {
        print(&format!("{:#}\n", Value::Array(all)))?;
    }
    match problems {
        0 => Ok(()),
        1 => Err(Failure::Request("1 error".into())),
        count => Err(Failure::Request(format!("{count} errors"))),
    }
}

pub(crate) fn schema() -> Result<(), Failure> {
    print(&format!("{:#}\n", tumble_scene::scene_schema(&Registry::default())))
}
