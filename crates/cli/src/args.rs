//! The command line.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Simulates colliding, jointed rigid bodies.
///
/// A scene is one TOML file, or the name of one from the gallery (see `tumble list`). Without a command, tumble shows what it
/// can do: it opens a scene in the browser, or, where there is no screen, runs it and draws it into the folder `out`.
#[derive(Debug, Parser)]
#[command(name = "tumble", version, propagate_version = true, after_help = AFTER)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    /// A folder with plug-ins (.wasm, .wat), whose parts scenes can use. Default: what the environment variable TUMBLE_PLUGINS says
    #[arg(long, value_name = "FOLDER", global = true)]
    pub(crate) plugins: Option<PathBuf>,
}

const AFTER: &str = "\
Examples:
  tumble list                                     the scenes that come with tumble
  tumble run dominoes                             run one and sum up what happened
  tumble render dominoes --out dominoes.gif       draw it
  tumble run pile-1000 --out pile.glb             write an animation for Blender
  tumble run pendulum-2 --out p.csv --plot energy.svg
  tumble new my.toml && tumble check my.toml      start a scene of your own

Exit codes:
  0 done, 1 a scene or request is wrong, 2 the command line is wrong, 3 a step could not be taken,
  4 something could not be written, 5 a validation failed, 130 stopped by Ctrl-C";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Runs a scene and sums up what happened
    Run(Run),
    /// Shows a scene in the browser, to watch, drag, question and edit
    View(View),
    /// Lists the scenes of the gallery
    List(List),
    /// Prints the text of a scene of the gallery, or what a force, joint, shape or method is
    Show(Show),
    /// Writes a commented scene to start from
    New(New),
    /// Checks scene files and reports all errors at once
    Check(Check),
    /// Prints the JSON Schema of scene files, for editors that complete and check
    Schema(Schema),
    /// Runs a scene with several methods and says how far they are apart
    Compare(Compare),
    /// Runs a scene many times with other numbers, and writes a table of how each run ended
    Sweep(Sweep),
    /// Searches for the numbers of a scene with which a goal is reached
    Aim(Aim),
    /// Fits bodies and masses to a skinned figure from a modeller
    Fit(Fit),
    /// Says which forces of motors follow the motion that the joints' curves describe (inverse dynamics)
    Inverse(Inverse),
    /// Compares simulations with formulas and known results
    Validate(Validate),
    /// Measures how fast scenes run
    Bench(Bench),
    /// Draws a scene or a recording: a GIF, an MP4, PNG pictures
    Render(Render),
    /// Shows which rotations a joint allows: where an axis may point, how far it may twist there
    Limits(Limits),
    /// Measures the numbers and draws the plots of a page of the book
    Report(Report),
}

/// Options of `report`.
#[derive(Args, Debug)]
pub(crate) struct Report {
    #[command(subcommand)]
    pub(crate) which: ReportKind,
}

/// Which page.
#[derive(Debug, Subcommand)]
pub(crate) enum ReportKind {
    /// The experiments of Kleppmann's chapter 4 with the accurate method; takes some minutes
    Kleppmann(ReportFolder),
    /// A table of all methods on one scene, with their error against `accurate` and their cost
    Methods(MethodsReport),
}

/// Where a page is written.
#[derive(Args, Debug)]
pub(crate) struct ReportFolder {
    /// The folder of the page; its plots are written to images/ below
    #[arg(long, value_name = "FOLDER", default_value = "docs")]
    pub(crate) out: PathBuf,
}

/// A number above zero.
fn positive(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "expected a number".to_owned())?;
    if number > 0.0 && number.is_finite() { Ok(number) } else { Err("expected a number above 0".into()) }
}

/// A number from zero up.
fn not_negative(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "expected a number".to_owned())?;
    if number >= 0.0 && number.is_finite() { Ok(number) } else { Err("expected a number of at least 0".into()) }
}

/// What happens when energy comes out of nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Energy {
    /// Nobody looks, which is a little faster
    Off,
    /// A warning says when, how much and where
    Warn,
    /// The run ends, with exit code 3
    Refuse,
}

impl Energy {
    /// The setting of a scene that means the same.
    pub(crate) fn setting(self) -> String {
        let word = match self {
            Self::Off => "off",
            Self::Warn => "warn",
            Self::Refuse => "refuse",
        };
        format!("energy_watch={word}")
    }
}

/// Which scene, and with which changes.
#[derive(Args, Debug)]
pub(crate) struct SceneChoice {
    /// A scene file, or the name of a scene from the gallery
    pub(crate) scene: String,
    /// Simulates to this time in seconds, instead of the scene's duration
    #[arg(long, value_name = "SECONDS", value_parser = not_negative, allow_negative_numbers = true)]
    pub(crate) until: Option<f64>,
    /// The time step in seconds, instead of the scene's
    #[arg(long, value_name = "SECONDS", value_parser = positive, allow_negative_numbers = true)]
    pub(crate) dt: Option<f64>,
    /// Changes a key of the scene, e.g. --set bodies.ball.mass=3 --set 'gravity=[0, -1.62, 0]'
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) settings: Vec<String>,
    /// What to do when energy comes out of nothing, as with steps that are too long. Default: what the scene says, or warn
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) energy: Option<Energy>,
    /// How many times the usual limits a scene may cost in bodies, triangles, contacts and memory (2 GB) before it is refused
    #[arg(long, default_value_t = 1.0, value_name = "FACTOR", value_parser = positive, allow_negative_numbers = true)]
    pub(crate) budget: f64,
    /// Plays what was set in an earlier run: a file of inputs that the sandbox saved, or one written by hand, with lines such as
    /// throttle = [[0, 0], [1.5, 1]] (each value from its time on)
    #[arg(long, value_name = "FILE")]
    pub(crate) keys: Option<PathBuf>,
}

/// Options of `run`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  tumble run cradle-1 --until 5
  tumble run pile-1000 --out pile.tumble --out pile.csv
  tumble run pendulum-2 --plot energy.svg --plot 'path.svg=lower.y:lower.x'
  tumble run my.toml --method retroactive --set method.retroactive.integrator=runge_kutta_4
  tumble run dominoes --json | jq .end_energy
  tumble run car --keys car-inputs.toml --out car.tumble

Ctrl-C ends the run; what was computed until then is written and summed up. Press it again to end at once.")]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) choice: SceneChoice,
    /// The method, instead of the scene's; `each` for all of them, one after the other. The scene's own keeps the settings that the
    /// scene gives it, others have their defaults
    #[arg(long)]
    pub(crate) method: Option<String>,
    /// Writes a file, by the end of its name: .csv or .npz (tables), .jsonl (events), .glb (glTF animation), .tumble (exact
    /// recording). Give it as often as you like
    #[arg(long = "out", value_name = "FILE")]
    pub(crate) outputs: Vec<PathBuf>,
    /// Draws curves as SVG: FILE alone draws the column it is named after (energy.svg), FILE=Y,Y2 draws columns against time,
    /// FILE=Y:X one column against another. Columns are those of a CSV table
    #[arg(long = "plot", value_name = "FILE[=Y[:X]]")]
    pub(crate) plots: Vec<String>,
    /// Prints where the time of the steps went, stage by stage
    #[arg(long)]
    pub(crate) profile: bool,
    /// Prints the summary as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Shows no progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// Options of `inverse`.
#[derive(Args, Debug)]
#[command(after_help = "\
Every joint of the scene follows a target (follow.turn.target_deg = \"30 * sin(2 * t)\") or is rigid, and the bodies are a tree that \
hangs on the world or on scripted bodies. Contacts, limits, friction and springs in joints are left out.

Example:
  tumble inverse arm.toml --until 3 --out torques.csv")]
pub(crate) struct Inverse {
    #[command(flatten)]
    pub(crate) choice: SceneChoice,
    /// Writes a table: time and, for each coordinate, where it is, speed, acceleration and force or torque
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) out: Option<PathBuf>,
    /// Prints the sums as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Options of `aim`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
A goal is made of conditions about bodies: `A touches B`, `A in B` (the centre of A inside B), `A.x < 3`, `A.speed > 2` (x, y, z, speed \
or spin). Conditions that are to hold at the same moment have `and` between them, what is to happen one after the other, `then`.

The search (by particle swarm) begins with the numbers that the scene has. It finds the same whenever it has the same seed.

Examples:
  tumble aim throw.toml --vary bodies.ball.velocity.x=1:10 --vary bodies.ball.velocity.y=0:8 --until 'ball in basket' --out found.toml
  tumble aim classic/cars --vary instances.first.velocity.x=10:25 --vary instances.first.position.z=-1:1 \
    --until 'first/body touches second/body then first/body touches third/body'")]
pub(crate) struct Aim {
    /// A scene file, or the name of a scene from the gallery
    pub(crate) scene: String,
    /// A number of the scene and the range it may have. The scene must give it. Give it as often as you like
    #[arg(long = "vary", value_name = "KEY=FROM:TO", required = true)]
    pub(crate) vary: Vec<String>,
    /// What is to happen
    #[arg(long, value_name = "GOAL")]
    pub(crate) until: String,
    /// The longest simulated time of a try in seconds, instead of the scene's duration
    #[arg(long, value_name = "SECONDS", value_parser = positive, allow_negative_numbers = true)]
    pub(crate) time: Option<f64>,
    /// The time step in seconds, instead of the scene's
    #[arg(long, value_name = "SECONDS", value_parser = positive, allow_negative_numbers = true)]
    pub(crate) dt: Option<f64>,
    /// Changes a key of the scene
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) settings: Vec<String>,
    /// How many times the usual limits a scene may cost before it is refused
    #[arg(long, default_value_t = 1.0, value_name = "FACTOR", value_parser = positive, allow_negative_numbers = true)]
    pub(crate) budget: f64,
    /// Writes the scene with the numbers that were found, .toml
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// What chance begins with
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    pub(crate) seed: u64,
    /// The most tries
    #[arg(long, default_value_t = 2000, value_name = "COUNT")]
    pub(crate) runs: usize,
    /// How many tries run at once. Default: one for each core
    #[arg(long, value_name = "COUNT")]
    pub(crate) jobs: Option<usize>,
    /// Prints the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Shows no progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// Options of `fit`.
#[derive(Args, Debug)]
#[command(after_help = "\
Each bone of the glTF file becomes a body: what of the mesh goes with it collides as its convex hull, or filled with balls, and the mass is \
shared out by volume. Joints are ball joints; write into the file what limits them.

Example:
  tumble fit hero.glb --spheres 200 --mass 80 --out hero.toml")]
pub(crate) struct Fit {
    /// The figure: .glb or .gltf with a skin
    pub(crate) file: PathBuf,
    /// The skeleton to write, .toml
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// The mass of the whole in kilograms
    #[arg(long, default_value_t = 70.0, value_name = "KILOGRAMS", value_parser = positive, allow_negative_numbers = true)]
    pub(crate) mass: f64,
    /// Balls in place of convex parts, so many in all
    #[arg(long, value_name = "COUNT")]
    pub(crate) spheres: Option<usize>,
    /// The name of the skeleton. Default: that of the file
    #[arg(long)]
    pub(crate) name: Option<String>,
}

/// Options of `view`.
#[derive(Args, Debug)]
pub(crate) struct View {
    /// A scene file, or the name of a scene from the gallery; without one, alfred-stairs
    pub(crate) scene: Option<String>,
    /// The method, instead of the scene's. The scene's own keeps the settings that the scene gives it, others have their defaults
    #[arg(long)]
    pub(crate) method: Option<String>,
    /// The time step in seconds, instead of the scene's
    #[arg(long, value_name = "SECONDS")]
    pub(crate) dt: Option<f64>,
    /// Changes a key of the scene, e.g. --set bodies.ball.mass=3 --set 'gravity=[0, -1.62, 0]'
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) settings: Vec<String>,
    /// What to do when energy comes out of nothing, as with steps that are too long. Default: what the scene says, or warn
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) energy: Option<Energy>,
    /// How many times the usual limits a scene may cost in bodies, triangles, contacts and memory (2 GB) before it is refused
    #[arg(long, default_value_t = 1.0, value_name = "FACTOR", value_parser = positive, allow_negative_numbers = true)]
    pub(crate) budget: f64,
    /// The port; 0 for any that is free
    #[arg(long, default_value_t = 0)]
    pub(crate) port: u16,
    /// The address to listen on. Beyond this machine, pages need the token in the address that is printed
    #[arg(long, default_value = "127.0.0.1")]
    pub(crate) host: std::net::IpAddr,
    /// Prints the address without opening a browser
    #[arg(long)]
    pub(crate) no_open: bool,
}

/// Options of `list`.
#[derive(Args, Debug)]
pub(crate) struct List {
    /// Lists plug-ins instead, with their properties: those of this folder, or of the one that TUMBLE_PLUGINS names
    #[arg(long, value_name = "FOLDER", num_args = 0..=1)]
    pub(crate) plugins: Option<Option<PathBuf>>,
    /// Prints the list as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Options of `show`.
#[derive(Args, Debug)]
pub(crate) struct Show {
    /// The name of a scene from the gallery, or a file; or the name of a force, joint, shape or method, for its properties
    pub(crate) scene: String,
}

/// Options of `sweep`.
#[derive(Args, Debug)]
#[command(after_help = "\
Every combination of the values is one run and one row: the values, then how the run ended (steps, time of the last contact \
event, energies, and the columns of a CSV table at the end). Runs are spread over the cores of this machine; the rows are in \
order whatever ends first. A run that could not go on has the reason in the column `error`.

Examples:
  tumble sweep cradle-1 --vary bodies.ball.mass=1:10:20 --out table.csv
  tumble sweep pendulum-2 --vary dt=0.0001:0.01:5:log --vary method.retroactive.integrator=verlet,runge_kutta_4 --out t.csv")]
pub(crate) struct Sweep {
    #[command(flatten)]
    pub(crate) choice: SceneChoice,
    /// The key and its values: from, to and how many of them (1:10:20), the same spread by factors (1:1000:4:log), or a list
    /// (1,2,5). Give it as often as you like
    #[arg(long = "vary", value_name = "KEY=VALUES", required = true)]
    pub(crate) vary: Vec<String>,
    /// The table, .csv
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// How many runs at once. Default: one for each core
    #[arg(long, value_name = "COUNT")]
    pub(crate) jobs: Option<usize>,
    /// Shows no progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// Options of `new`.
#[derive(Args, Debug)]
pub(crate) struct New {
    /// The file to write; it must not exist. One that ends with .wat becomes a plug-in
    pub(crate) file: PathBuf,
    /// Starts from a scene of the gallery instead; for a plug-in: force (default), joint, shape or method
    #[arg(long, value_name = "SCENE")]
    pub(crate) from: Option<String>,
    /// Prints what was written as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Options of `check`.
#[derive(Args, Debug)]
pub(crate) struct Check {
    /// Scene files, or names of scenes from the gallery
    #[arg(required = true)]
    pub(crate) scenes: Vec<String>,
    /// Changes a key of the scenes
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) settings: Vec<String>,
    /// Prints the errors as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Options of `schema`.
#[derive(Args, Debug)]
pub(crate) struct Schema {
    /// Prints it for people instead: every key with what it is, its unit, default and range
    #[arg(long)]
    pub(crate) markdown: bool,
}

/// Options of `compare`.
#[derive(Args, Debug)]
#[command(after_help = "\
A method is a name, with settings after colons: those of the method, or dt. The scene's own has the settings that the scene gives
it, too. The first is the yardstick; one alone is compared with accurate. Told are the distance of every body over time, the first contact that differs, and how much a nudge of 1 µm/s
grows: so chaos is told from error.

Examples:
  tumble compare stairs --methods realtime --plot apart.svg
  tumble compare pendulum-2 --methods retroactive:dt=0.0001,retroactive
  tumble compare pendulum-2 --methods retroactive:integrator=cash_karp,retroactive:integrator=explicit_euler --plot apart.svg")]
pub(crate) struct Compare {
    #[command(flatten)]
    pub(crate) choice: SceneChoice,
    /// The methods, separated by commas; the others are compared with the first, one alone with accurate
    #[arg(long, value_delimiter = ',', required = true)]
    pub(crate) methods: Vec<String>,
    /// Draws the largest distance of a body over time, as SVG
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,
    /// Leaves out the run that tells chaos from error: the first method once more, after a nudge of 1 µm/s
    #[arg(long)]
    pub(crate) no_nudge: bool,
    /// Prints the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Options of `report methods`.
#[derive(Args, Debug)]
#[command(after_help = "\
The scene runs with every method. The error is how far bodies are from where the method `accurate` has them at the same time: the root
of the mean square over all bodies and steps, and the largest. The cost is the time on the clock for a second of simulated time. What a
method cannot do it says.

Examples:
  tumble report methods
  tumble report methods pendulum-2 --until 2 --markdown
  tumble report methods classic/cars --methods impact,realtime")]
pub(crate) struct MethodsReport {
    /// A scene file, or the name of a scene from the gallery
    #[arg(default_value = "bouncing-balls")]
    pub(crate) scene: String,
    /// The methods, separated by commas, each with settings after colons as for `compare`; without any, all that there are
    #[arg(long, value_delimiter = ',', value_name = "METHODS")]
    pub(crate) methods: Vec<String>,
    /// Simulates to this time in seconds, instead of the scene's duration
    #[arg(long, value_name = "SECONDS", value_parser = positive, allow_negative_numbers = true)]
    pub(crate) until: Option<f64>,
    /// The time step in seconds, instead of the scene's
    #[arg(long, value_name = "SECONDS", value_parser = positive, allow_negative_numbers = true)]
    pub(crate) dt: Option<f64>,
    /// Changes a key of the scene
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) settings: Vec<String>,
    /// Seconds on the clock that a method may take
    #[arg(long, default_value_t = 60.0, value_name = "SECONDS", value_parser = positive, allow_negative_numbers = true)]
    pub(crate) patience: f64,
    /// Prints the table as Markdown
    #[arg(long)]
    pub(crate) markdown: bool,
    /// Prints the table as JSON
    #[arg(long, conflicts_with = "markdown")]
    pub(crate) json: bool,
}

/// Options of `validate`.
#[derive(Args, Debug)]
#[command(after_help = "\
Every quantity is measured in a simulation, compared with what is known, and has passed if the error is within the tolerance
(relative to what is expected unless that is zero or the quantity is one of many). `not reached` is what the method is known
not to reach, with the reason; anything else beyond its tolerance is FAILED.

The exit code is 0 if nothing failed, and 5 otherwise. What is not reached does not count as failed.

Examples:
  tumble validate pendulum chain
  tumble validate --dt 0.001 double_pendulum_rods
  tumble validate --json | jq '.[].findings[] | select(.verdict != \"passed\")'")]
pub(crate) struct Validate {
    /// Parts of the names of the problems to look at; without any, all that are quick
    pub(crate) names: Vec<String>,
    /// The method to validate
    #[arg(long, default_value = "retroactive")]
    pub(crate) method: String,
    /// The time step in seconds, instead of those of the problems, for which the tolerances are meant
    #[arg(long, value_name = "SECONDS")]
    pub(crate) dt: Option<f64>,
    /// Looks at the slow ones, too
    #[arg(long)]
    pub(crate) all: bool,
    /// Lists the problems instead of measuring them
    #[arg(long)]
    pub(crate) list: bool,
    /// Prints the table as JSON, with the reasons
    #[arg(long, conflicts_with = "markdown")]
    pub(crate) json: bool,
    /// Prints the table as Markdown
    #[arg(long)]
    pub(crate) markdown: bool,
}

/// Options of `bench`.
#[derive(Args, Debug)]
pub(crate) struct Bench {
    /// Scenes to measure; without any, a choice from the gallery
    pub(crate) scenes: Vec<String>,
    /// The methods to measure, separated by commas; without any, all that there are
    #[arg(long, value_delimiter = ',', value_name = "METHODS")]
    pub(crate) methods: Vec<String>,
    /// Simulated seconds per scene, unless the measurement takes too long
    #[arg(long, default_value_t = 2.0, value_name = "SECONDS", value_parser = positive, allow_negative_numbers = true)]
    pub(crate) until: f64,
    /// Seconds on the clock for the whole table, about
    #[arg(long, default_value_t = 50.0, value_name = "SECONDS", value_parser = positive, allow_negative_numbers = true)]
    pub(crate) patience: f64,
    /// What to do when energy comes out of nothing: looking costs time
    #[arg(long, value_enum, value_name = "HOW", default_value = "off")]
    pub(crate) energy: Energy,
    /// Prints the table as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Options of `render`.
#[derive(Args, Debug)]
#[command(after_help = "\
A scene is run first, then drawn. Ctrl-C while it runs draws what was computed; while it draws, it keeps what was drawn.

Examples:
  tumble render dominoes --out dominoes.gif
  tumble render pile-1000 --out pile.png --at 3 --size 1280x720
  tumble render run.tumble --out run.mp4        (needs ffmpeg)
  tumble render cradle-1 --out frames           (a folder of numbered PNG files)")]
pub(crate) struct Render {
    #[command(flatten)]
    pub(crate) choice: SceneChoice,
    /// What to write: .gif, .mp4 (needs ffmpeg), .png (one picture), .glb (an animation), or a folder of PNG files
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// The size of the pictures
    #[arg(long, default_value = "640x360", value_name = "WIDTHxHEIGHT")]
    pub(crate) size: String,
    /// Pictures per second of the film
    #[arg(long, default_value_t = 25.0, value_parser = positive, allow_negative_numbers = true)]
    pub(crate) fps: f64,
    /// How many times slower than reality the film shows it
    #[arg(long, default_value_t = 1.0, value_name = "FACTOR", value_parser = positive, allow_negative_numbers = true)]
    pub(crate) slow: f64,
    /// For one picture: the simulated time in seconds. Default: the end
    #[arg(long, value_name = "SECONDS", value_parser = not_negative, allow_negative_numbers = true)]
    pub(crate) at: Option<f64>,
    /// Prints what was written as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Shows no progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// Options of `limits`.
#[derive(Args, Debug)]
#[command(after_help = "\
What limits on a rotation mean is hard to imagine. This turns the second body of a joint in
every way and asks the joint. The map shows all directions in which an axis of that body could
point, as seen from the first body: in the middle where it points now, around it rings for 30°,
60°, 90° and 120° it has swung, the rim the opposite direction; equal areas are equal parts of the
sphere. The colour tells how far the body may twist about the axis there.

Examples:
  tumble limits cone_limit --set angle_deg=30
  tumble limits swing_twist --set 'swing_deg=[60, 30]' --out shoulder.svg
  tumble limits constraints/reach_cone reach --out reach.svg --out reach.csv
  tumble limits constraints/joystick_limits ball --together
  tumble limits constraints/hinge_limit hinge
  tumble limits wedge_limit --json | jq .directions")]
pub(crate) struct Limits {
    /// A scene and the name of a joint in it; or a kind of joint alone: hinge, cone_limit, swing_twist, …
    #[arg(value_name = "SCENE JOINT | KIND", num_args = 1..=2, required = true)]
    pub(crate) names: Vec<String>,
    /// Changes a key of the scene, or a property of the kind
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) settings: Vec<String>,
    /// The axis of the second body to look at, in the coordinates of the scene. Default: the one the joint limits, or from the
    /// joint to the body
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = three_numbers)]
    pub(crate) axis: Option<[f64; 3]>,
    /// Takes all joints between the same two bodies together
    #[arg(long)]
    pub(crate) together: bool,
    /// How many squares wide the map is, from 2 to 400
    #[arg(long, default_value_t = 80)]
    pub(crate) resolution: usize,
    /// Writes a file, by the end of its name: .svg (the map), .csv (its samples). Give it as often as you like
    #[arg(long = "out", value_name = "FILE")]
    pub(crate) outputs: Vec<PathBuf>,
    /// Prints everything as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// "1,0,-2" as numbers.
fn three_numbers(text: &str) -> Result<[f64; 3], String> {
    let numbers: Vec<f64> = text.split(',').filter_map(|part| part.trim().parse().ok()).collect();
    <[f64; 3]>::try_from(numbers).map_err(|_| "expected three numbers with commas between, as in 0,1,0".into())
}
