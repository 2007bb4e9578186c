//! `tumble inverse`.

use crate::args::Inverse as Options;
use crate::failure::{Failure, print};
use crate::files::{refuse_ending, refuse_inputs};
use crate::scene::load_choice;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::Write as _;
use tumble_scene::draft::Draft;
use tumble_scene::inverse::{Effort, Inverse};

/// What a motor has to do over the whole motion.
#[derive(Clone, Copy, Debug, Default)]
struct Total {
    most: f64,
    most_at: f64,
    most_power: f64,
    work: f64,
}

pub(crate) fn inverse(options: &Options) -> Result<(), Failure> {
    if let Some(path) = &options.out {
        let is_csv = path.extension().is_some_and(|ending| ending == "csv");
        refuse_ending(("out", path.as_path()), is_csv, "expected a name that ends with .csv")?;
    }
    let scene = load_choice(&options.choice, &options.choice.all_settings())?;
    if let Some(path) = &options.out {
        refuse_inputs(&[("out", path.as_path())], &scene.files)?;
    }
    let (dt, duration) = (scene.dt, scene.duration);
    let mut inverse = Inverse::new(scene.world).map_err(Failure::Request)?;
    let mut totals = vec![Total::default(); inverse.followed.len()];
    let mut table = header(&inverse);
    let steps = (duration / dt).round().max(1.0) as u64;
    for step in 0..=steps {
        let time = dt * step as f64;
        let efforts = inverse.at(time).map_err(Failure::Step)?;
        for (total, effort) in totals.iter_mut().zip(&efforts) {
            let power = effort.force * effort.speed;
            if effort.force.abs() > total.most.abs() {
                (total.most, total.most_at) = (effort.force, time);
            }
            total.most_power = total.most_power.max(power.abs());
            // The trapezium rule.
            total.work += power * dt * if step == 0 || step == steps { 0.5 } else { 1.0 };
        }
        row(&mut table, time, &efforts);
    }
    if let Some(path) = &options.out {
        let failed = |error: std::io::Error| Failure::Write(format!("{}: {error}", path.display()));
        let mut draft = Draft::beside(path).map_err(failed)?;
        draft.write_all(table.as_bytes()).and_then(|()| draft.finish()).map_err(failed)?;
    }
    if options.json {
        return print(&format!("{:#}\n", to_json(&inverse, &totals)));
    }
    print(&to_text(&inverse, &totals))?;
    options.out.iter().try_for_each(|path| print(&format!("wrote     {}\n", path.display())))
}

fn header(inverse: &Inverse) -> String {
    let mut text = String::from("time");
    for followed in &inverse.followed {
        let name = format!("{}.{}", followed.joint, followed.coordinate);
        // Writing to a string does not fail.
        let _written = write!(text, ",{name},{name}_speed,{name}_acceleration,{name}_force");
    }
    text + "\n"
}

fn row(table: &mut String, time: f64, efforts: &[Effort]) {
    let _written = write!(table, "{time}");
    for Effort { position, speed, acceleration, force } in efforts {
        let _written = write!(table, ",{position},{speed},{acceleration},{force}");
    }
    table.push('\n');
}

fn to_text(inverse: &Inverse, totals: &[Total]) -> String {
    let mut text =
        format!("{:<28} {:>14} {:>8} {:>14} {:>14}\n", "joint", "most, N (m)", "at, s", "most, W", "work, J");
    for (followed, total) in inverse.followed.iter().zip(totals) {
        let name = format!("{} {}", followed.joint, followed.coordinate);
        let Total { most, most_at, most_power, work } = total;
        let _written = writeln!(text, "{name:<28} {most:>14.5} {most_at:>8.3} {most_power:>14.5} {work:>14.5}");
    }
    text
}

fn to_json(inverse: &Inverse, totals: &[Total]) -> Value {
    let joints = inverse.followed.iter().zip(totals).map(|(followed, total)| {
        json!({
            "joint": followed.joint,
            "coordinate": followed.coordinate,
            "most": total.most,
            "most_at": total.most_at,
            "most_power": total.most_power,
            "work": total.work,
        })
    });
    json!({ "joints": joints.collect::<Vec<_>>() })
}
