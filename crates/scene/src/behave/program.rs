//! The script of a scene: a program in Rhai whose functions `start` (once) and `step` (before every step) act on the world.
//!
//! A script is not trusted. It has no clock, no files, no network and no randomness but its own, and is held within bounds: how
//! many operations a step takes, how deep calls go, how large texts, lists and maps grow. It computes the same on every
//! machine: sin, exp and so on are those of libm, powers are a function of ours (the operator `**` is switched off), and maps
//! are ordered by their keys.
//!
//! What stands outside of functions is evaluated once, when the script is read; constants and variables there can be read
//! everywhere (and not changed: what is to be remembered goes into `this`).

use super::keep::Kept;
use super::lent::{Given, lend, refuse};
use super::{Flaw, Memory, speech};
use rhai::packages::{BasicArrayPackage, BasicMapPackage, CorePackage, LogicPackage, MoreStringPackage, Package};
use rhai::{AST, CallFnOptions, Dynamic, Engine, EvalAltResult, Map, OptimizationLevel, Position, Scope};
use serde::{Deserialize, Serialize};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};
use tumble_dynamics::World;

/// The most operations of a script in a step: a tenth of a second or so. Past that the next variable that is read is refused, which
/// tells its place; a loop that reads none is ended by the language a little later, which does not.
const MOST_OPERATIONS: u64 = 1_000_000;
const MOST_AT_ALL: u64 = MOST_OPERATIONS + MOST_OPERATIONS / 10;
/// How deep functions may call each other, and expressions be nested outside of and in functions.
const DEEPEST_CALLS: usize = 32;
const DEEPEST: (usize, usize) = (64, 64);
/// How many variables there may be, and how long lists, maps and texts may be, with all that is in them.
const MOST_VARIABLES: usize = 500;
const LONGEST_LIST: usize = 5_000;
const LONGEST_MAP: usize = 5_000;
const LONGEST_TEXT: usize = 50_000;
/// The longest script that is read, in bytes.
pub(crate) const LONGEST_SCRIPT: usize = 1 << 20;

/// The text of a script, and where it stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Text {
    /// The file it stands in, for messages.
    pub name: String,
    /// The line of that file in which it begins, from 1, and how many characters of that line come before it.
    pub line: usize,
    /// How many characters of its first line come before it.
    pub indent: usize,
    /// The text itself.
    pub text: String,
    /// Where its random numbers begin.
    pub seed: u64,
}

/// A script that can be run.
#[derive(Clone)]
pub(super) struct Program {
    ast: Arc<AST>,
    /// What was defined outside of functions.
    globals: Arc<BTreeMap<String, Dynamic>>,
    has_start: bool,
    has_step: bool,
}

thread_local! {
    /// What the script at work defined outside of functions.
    static GLOBALS: RefCell<Arc<BTreeMap<String, Dynamic>>> = RefCell::default();
    /// How many operations it has taken in this step.
    static OPERATIONS: Cell<u64> = const { Cell::new(0) };
}

/// The language: the same for all scripts.
static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    let mut engine = Engine::new_raw();
    CorePackage::new().register_into_engine(&mut engine);
    LogicPackage::new().register_into_engine(&mut engine);
    BasicArrayPackage::new().register_into_engine(&mut engine);
    BasicMapPackage::new().register_into_engine(&mut engine);
    MoreStringPackage::new().register_into_engine(&mut engine);
    // The powers of the operator differ between platforms, and what is evaluated has no place in the file.
    for symbol in ["**", "**=", "eval", "debug"] {
        engine.disable_symbol(symbol);
    }
    // Text that is built piece by piece is checked only when it is whole: what is folded is not worth that.
    engine.set_optimization_level(OptimizationLevel::None);
    engine.set_max_operations(MOST_AT_ALL);
    engine.set_max_call_levels(DEEPEST_CALLS);
    engine.set_max_expr_depths(DEEPEST.0, DEEPEST.1);
    engine.set_max_variables(MOST_VARIABLES);
    engine.set_max_functions(1000);
    engine.set_max_array_size(LONGEST_LIST);
    engine.set_max_map_size(LONGEST_MAP);
    engine.set_max_string_size(LONGEST_TEXT);
    engine.on_progress(|operations| {
        OPERATIONS.set(operations);
        super::lent::is_cancelled().then(|| "interrupted".into())
    });
    #[expect(deprecated, reason = "marked as volatile by its authors, who say that it is not deprecated")]
    engine.on_var(|name, _, context| {
        if OPERATIONS.get() > MOST_OPERATIONS {
            return refuse(too_long());
        }
        if context.scope().contains(name) {
            return Ok(None);
        }
        Ok(GLOBALS.with_borrow(|globals| globals.get(name).cloned()))
    });
    speech::teach(&mut engine);
    engine
});

impl Text {
    /// A message with the place in the file.
    pub(super) fn place(&self, flaw: &Flaw) -> String {
        match flaw.place.or_else(|| self.guess()) {
            Some(place) => {
                let (line, column) = self.in_file(place);
                format!("{}:{line}:{column}: {}", self.name, flaw.message)
            }
            None => format!("the script in {}: {}", self.name, flaw.message),
        }
    }

    /// Where it goes wrong if the language does not say, as when a loop that reads nothing has no end or something grows too large:
    /// in the only loop there is, or in the function that is called before every step.
    fn guess(&self) -> Option<(usize, usize)> {
        let code = |line: &str| line.split("//").next().unwrap_or_default().to_owned();
        let find = |words: &[&str]| {
            let mut places = Vec::new();
            for (number, line) in self.text.lines().map(code).enumerate() {
                let is_letter = |c: char| c.is_alphanumeric() || c == '_';
                for (at, word) in words.iter().flat_map(|word| line.match_indices(word)) {
                    let before = line[..at].chars().next_back().is_some_and(is_letter);
                    let after = line[at + word.len()..].chars().next().is_some_and(is_letter);
                    if !(before || after) {
                        places.push((number + 1, line[..at].chars().count() + 1));
                    }
                }
            }
            places
        };
        let loops = find(&["loop", "while", "for", "do"]);
        if let [only] = loops[..] { Some(only) } else { find(&["fn step", "fn start"]).first().copied() }
    }

    /// The line and column of the file, from 1, of a line and column of the script.
    pub(crate) fn in_file(&self, (line, column): (usize, usize)) -> (usize, usize) {
        (self.line + line - 1, if line == 1 { column + self.indent } else { column })
    }
}

impl Program {
    /// Reads a script. What stands outside of functions is evaluated.
    pub(super) fn new(text: &Text) -> Result<Self, Flaw> {
        if text.text.len() > LONGEST_SCRIPT {
            let message = format!("the script is longer than {} MB", LONGEST_SCRIPT >> 20);
            return Err(Flaw { message, place: None });
        }
        let ast = ENGINE
            .compile(&text.text)
            .map_err(|error| Flaw { message: error.err_type().to_string(), place: place_of(error.position()) })?;
        let mut scope = Scope::new();
        GLOBALS.set(Arc::default());
        OPERATIONS.set(0);
        ENGINE.run_ast_with_scope(&mut scope, &ast).map_err(|error| flaw_of(&error))?;
        let globals: BTreeMap<String, Dynamic> =
            scope.iter().map(|(name, _, value)| (name.to_owned(), value.clone())).collect();
        let takes_none =
            |name: &str| ast.iter_functions().any(|function| function.name == name && function.params.is_empty());
        let (has_start, has_step) = (takes_none("start"), takes_none("step"));
        if !(has_start || has_step) {
            let message = "the script has no function `step()` (before every step) or `start()` (once)".into();
            return Err(Flaw { message, place: None });
        }
        // A value that cannot be kept would be shared between runs.
        for (name, value) in &globals {
            Kept::of(value)
                .map_err(|problem| Flaw { message: problem.replace("`this`", &format!("`{name}`")), place: None })?;
        }
        Ok(Self { ast: Arc::new(ast), globals: Arc::new(globals), has_start, has_step })
    }

    /// Lets it act before a step; gives what it said.
    pub(super) fn run(
        &self,
        memory: &mut Memory,
        world: &mut World,
        dt: f64,
        controls: BTreeMap<String, f64>,
    ) -> Result<Vec<String>, Flaw> {
        // What happened in the step before is told once; the step to come brings its own.
        let happened = std::mem::take(&mut memory.happened);
        let given = Given { dt, controls, happened, random: memory.random, said: Vec::new() };
        GLOBALS.set(self.globals.clone());
        let mut state = match &memory.state {
            Kept::Nothing => Dynamic::from_map(Map::new()),
            kept => kept.to_value(),
        };
        let (result, given) = lend(world, given, || {
            if self.has_start && !memory.started {
                self.call("start", &mut state)?;
            }
            if self.has_step { self.call("step", &mut state) } else { Ok(()) }
        });
        result?;
        memory.state = Kept::of(&state).map_err(|message| Flaw { message, place: None })?;
        (memory.started, memory.random) = (true, given.random);
        Ok(given.said)
    }

    fn call(&self, name: &str, state: &mut Dynamic) -> Result<(), Flaw> {
        OPERATIONS.set(0);
        let options = CallFnOptions::new().eval_ast(false).bind_this_ptr(state);
        let result = ENGINE.call_fn_with_options::<Dynamic>(options, &mut Scope::new(), &self.ast, name, ());
        result.map(drop).map_err(|error| flaw_of(&error))
    }
}

fn too_long() -> String {
    format!("the script takes more than {MOST_OPERATIONS} operations in a step: a loop without end?")
}

/// What went wrong, where it went wrong and not where that was called from.
fn flaw_of(error: &EvalAltResult) -> Flaw {
    let inner = error.unwrap_inner();
    let message = match inner {
        EvalAltResult::ErrorTooManyOperations(_) => too_long(),
        EvalAltResult::ErrorRuntime(value, _) => value.to_string(),
        other => {
            // The text ends with the place, which is not that of the file.
            let text = other.to_string();
            let place = format!(" ({})", other.position());
            text.strip_suffix(&place).unwrap_or(&text).to_owned()
        }
    };
    Flaw { message, place: place_of(inner.position()).or(place_of(error.position())) }
}

fn place_of(position: Position) -> Option<(usize, usize)> {
    Some((position.line()?, position.position().unwrap_or(1)))
}

/// Functions of the language that are not for scripts of scenes.
pub(super) fn forbid<T>(what: &str) -> super::lent::Told<T> {
    refuse(format!("a script cannot {what}"))
}
