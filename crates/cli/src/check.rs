//! `tumble check` and `tumble schema`.

use crate::args::{Check, Schema};
use crate::failure::{Failure, print};
use crate::scene::load;
use serde_json::{Value, json};

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
                    let count = |count: usize, one: &str, many: &str| {
                        format!("{count} {}", if count == 1 { one } else { many })
                    };
                    let (bodies, joints) = (count(bodies, "body", "bodies"), count(joints, "joint", "joints"));
                    print(&format!("{name}: fine ({bodies}, {joints})\n"))?;
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
            Err(Failure::Request(message)) => {
                problems += 1;
                if options.json {
                    all.push(json!({ "scene": name, "errors": [{ "message": message }] }));
                } else {
                    eprintln!("error: {message}\n");
                }
            }
            Err(failure) => return Err(failure),
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

pub(crate) fn schema(options: &Schema) -> Result<(), Failure> {
    if options.markdown {
        return print(&tumble_scene::scene_reference(crate::plugins::registry()));
    }
    print(&format!("{:#}\n", tumble_scene::scene_schema(crate::plugins::registry())))
}
