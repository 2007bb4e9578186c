//! How fast the geometry is, as ratios against `parry3d-f64` on the same work in the same run.
//!
//! Each case prepares its input, checks that both engines give the same answer, then times both in turns many times over and
//! keeps the fastest round of each: what disturbs a measurement only ever makes it slower.
//!
//! `cargo bench --bench versus_parry` prints the table, `-- --markdown` prints it for the documentation, and any other
//! argument keeps only the cases whose name contains it.

mod dynamic_tree;
mod manifolds;
mod mesh_rays;
mod table;

use table::Table;

fn main() {
    let mut table = Table::from_arguments();
    manifolds::run(&mut table);
    dynamic_tree::run(&mut table);
    mesh_rays::run(&mut table);
    table.print();
}
