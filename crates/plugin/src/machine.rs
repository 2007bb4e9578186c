//! The machine that runs a plug-in: an interpreter with limits, set back to its beginning before every call.
//!
//! - **Instructions** are counted ("fuel"); a call that uses up its allowance is ended.
//! - **Memory**: a module may have 16 MB of its own. What it is given (bodies, properties) lies behind that, in an *arena* that is as
//!   large as the call needs; it is a function of the call alone.
//! - **Nothing is remembered**: instances are kept, because making one costs more than a call, but memory and globals are set back before each call
//!   (`pure`). An instance that has let its memory grow, or failed, is thrown away.
//!
//! Several threads may call at once; each takes an instance of its own.

use crate::pure::Module as Pure;
use std::sync::{Arc, Mutex, PoisonError};
use wasmi::{
    CompilationMode, Config, Engine, Extern, Global, Instance, Linker, Memory, Module, Store, StoreLimits,
    StoreLimitsBuilder, TrapCode, Val,
};

/// The size of a page of memory in WebAssembly, in bytes.
const PAGE: usize = 1 << 16;
/// How much memory a module may have of its own, in bytes.
pub const MAX_MEMORY: usize = 16 << 20;
/// The largest arena, in bytes.
const MAX_ARENA: usize = 256 << 20;
/// How deep its functions may call each other.
const MAX_DEPTH: usize = 1000;
/// The most entries of its tables.
const MAX_TABLE: usize = 10_000;

/// A program and what is needed to run it.
pub struct Machine {
    /// What messages call it.
    label: String,
    module: Module,
    linker: Linker<StoreLimits>,
    engine: Engine,
    globals: Vec<String>,
    /// What memory and globals are at the beginning.
    beginning: Arc<Beginning>,
    /// Instances that wait for the next call.
    idle: Mutex<Vec<Running>>,
    checksum: u32,
}

impl std::fmt::Debug for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Machine({}, {:08x})", self.label, self.checksum)
    }
}

#[derive(Debug, Default)]
struct Beginning {
    memory: Vec<u8>,
    globals: Vec<Val>,
}

/// An instance.
struct Running {
    store: Store<StoreLimits>,
    instance: Instance,
    memory: Memory,
    globals: Vec<Global>,
    /// The size of its arena in bytes.
    arena: usize,
}

impl Machine {
    /// A machine for a module that must have the function `needed`. Nothing has been called but the module's own start.
    pub(crate) fn new(label: String, module: &Pure, needed: &str) -> Result<Self, String> {
        let mut config = Config::default();
        config.consume_fuel(true).compilation_mode(CompilationMode::Eager).set_max_recursion_depth(MAX_DEPTH);
        config.wasm_multi_memory(false).wasm_custom_page_sizes(false).ignore_custom_sections(true);
        let engine = Engine::new(&config);
        let checksum = crc32fast::hash(&module.bytes);
        let globals = module.globals.clone();
        let module = Module::new(&engine, &module.bytes)
            .map_err(|error| format!("it is not a sound WebAssembly module: {error}"))?;
        let linker = mathematics(&engine).map_err(|error| error.to_string())?;
        let beginning = Arc::default();
        let mut machine = Self { label, module, linker, engine, globals, beginning, idle: Mutex::default(), checksum };
        let first = machine.start(0)?;
        if first.instance.get_func(&first.store, needed).is_none() {
            return Err(format!("it exports no function `{needed}`"));
        }
        machine.beginning = Arc::new(Beginning {
            memory: first.memory.data(&first.store).to_vec(),
            globals: first.globals.iter().map(|global| global.get(&first.store)).collect(),
        });
        Ok(machine)
    }

    /// What messages call it.
    pub(crate) fn label(&self) -> &str {
        &self.label
    }

    /// A number that tells this program from others.
    pub(crate) fn checksum(&self) -> u32 {
        self.checksum
    }

    /// Whether it has a function of this name.
    pub(crate) fn has(&self, function: &str) -> bool {
        self.module.exports().any(|export| export.name() == function && export.ty().func().is_some())
    }

    /// Lets `job` call functions, with room for so many numbers; errors name the plug-in.
    pub(crate) fn run<R>(
        &self,
        numbers: usize,
        job: impl FnOnce(&mut Session<'_>) -> Result<R, String>,
    ) -> Result<R, String> {
        let named = |problem: String| format!("{} {problem}", self.label);
        let arena = (numbers * size_of::<f64>()).next_multiple_of(PAGE);
        if arena > MAX_ARENA {
            return Err(named(format!("would need {arena} bytes for what it is given, and {MAX_ARENA} are allowed")));
        }
        let mut running = self.take(arena).map_err(|problem| named(format!("failed: {problem}")))?;
        let mut session = Session { running: &mut running, top: self.beginning.memory.len() };
        let result = job(&mut session).map_err(named);
        let size = running.memory.data_size(&running.store);
        if result.is_ok() && size == self.beginning.memory.len() + arena {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            idle.push(running);
        }
        result
    }

    /// An instance at its beginning, with an arena of this size.
    fn take(&self, arena: usize) -> Result<Running, String> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let known = idle.iter().rposition(|running| running.arena == arena).map(|at| idle.swap_remove(at));
        if known.is_none() {
            // They are for calls that come no more, or rarely.
            idle.clear();
        }
        drop(idle);
        let Some(mut running) = known else { return self.start(arena) };
        let Beginning { memory, globals } = &*self.beginning;
        let data = running.memory.data_mut(&mut running.store);
        let (own, arena) = data.split_at_mut(memory.len());
        own.copy_from_slice(memory);
        arena.fill(0);
        for (global, value) in running.globals.iter().zip(globals) {
            global.set(&mut running.store, value.clone()).map_err(|error| error.to_string())?;
        }
        Ok(running)
    }

    /// A new instance.
    fn start(&self, arena: usize) -> Result<Running, String> {
        let limits = StoreLimitsBuilder::new().memory_size(MAX_MEMORY + arena).table_elements(MAX_TABLE);
        let mut store = Store::new(&self.engine, limits.instances(1).memories(1).tables(8).build());
        store.limiter(|limits| limits);
        store.set_fuel(START).map_err(|error| error.to_string())?;
        let instance =
            self.linker.instantiate_and_start(&mut store, &self.module).map_err(|error| explain(&error, START))?;
        let memory = instance.get_memory(&store, "memory").ok_or("it exports no memory named `memory`")?;
        let own = memory.data_size(&store);
        if own > MAX_MEMORY {
            return Err(format!("it has {own} bytes of memory, and {MAX_MEMORY} are allowed"));
        }
        if arena > 0 {
            let grown = memory.grow(&mut store, (arena / PAGE) as u64);
            grown.map_err(|_| "its memory must be allowed to grow, for what it is given".to_owned())?;
        }
        let global = |name: &String| match instance.get_export(&store, name) {
            Some(Extern::Global(global)) => Ok(global),
            _ => Err("one of its globals cannot be found".to_owned()),
        };
        let globals = self.globals.iter().map(global).collect::<Result<_, _>>()?;
        Ok(Running { store, instance, memory, globals, arena })
    }
}

/// Instructions for the start of an instance.
const START: u64 = 10_000_000;

/// An instance during a call.
pub(crate) struct Session<'a> {
    running: &'a mut Running,
    /// Where the free part of the arena begins.
    top: usize,
}

impl Session<'_> {
    /// Puts numbers into the arena; where they are.
    pub(crate) fn put(&mut self, numbers: &[f64]) -> Result<Val, String> {
        let place = self.top;
        self.set(&Val::I32(place as i32), numbers)?;
        self.top += size_of_val(numbers);
        Ok(Val::I32(place as i32))
    }

    /// Room for so many numbers, all zero.
    pub(crate) fn room(&mut self, count: usize) -> Val {
        let place = self.top;
        self.top += count * size_of::<f64>();
        Val::I32(place as i32)
    }

    /// Overwrites numbers.
    pub(crate) fn set(&mut self, place: &Val, numbers: &[f64]) -> Result<(), String> {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        let memory = self.running.memory;
        memory.write(&mut self.running.store, offset(place), &bytes).map_err(|_| "has no room for its input".to_owned())
    }

    /// Reads numbers, all of which must be finite; `what` is for the message.
    pub(crate) fn get(&self, place: &Val, count: usize, what: &str) -> Result<Vec<f64>, String> {
        let data = self.running.memory.data(&self.running.store);
        let start = offset(place);
        let bytes = data.get(start..start + count * size_of::<f64>()).ok_or("lost its memory")?;
        let number = |bytes: &[u8]| f64::from_le_bytes(bytes.try_into().unwrap_or_default());
        let numbers: Vec<f64> = bytes.chunks_exact(size_of::<f64>()).map(number).collect();
        match numbers.iter().find(|number| !number.is_finite()) {
            Some(number) => Err(format!("gave {number} for {what}, which must be finite")),
            None => Ok(numbers),
        }
    }

    /// Calls a function that gives nothing.
    pub(crate) fn call(&mut self, function: &str, arguments: &[Val], fuel: u64) -> Result<(), String> {
        self.invoke(function, arguments, &mut [], fuel)
    }

    /// Calls a function that gives a number.
    pub(crate) fn ask(&mut self, function: &str, arguments: &[Val], fuel: u64) -> Result<f64, String> {
        let mut results = [Val::F64(0.0.into())];
        self.invoke(function, arguments, &mut results, fuel)?;
        let number = results[0].f64().map_or(f64::NAN, f64::from);
        if number.is_finite() {
            Ok(number)
        } else {
            Err(format!("gave {number} in `{function}`, which must be finite"))
        }
    }

    fn invoke(&mut self, function: &str, arguments: &[Val], results: &mut [Val], fuel: u64) -> Result<(), String> {
        let Running { store, instance, .. } = &mut *self.running;
        let called = instance.get_func(&*store, function).ok_or_else(|| format!("exports no function `{function}`"))?;
        let signature = called.ty(&*store);
        let fits = |wanted: &[wasmi::ValType], given: &[Val]| wanted.iter().copied().eq(given.iter().map(Val::ty));
        if !(fits(signature.params(), arguments) && fits(signature.results(), results)) {
            return Err(format!(
                "has a function `{function}` that takes {} and gives {}, but it must take {} and give {}",
                listed(signature.params().iter().copied()),
                listed(signature.results().iter().copied()),
                listed(arguments.iter().map(Val::ty)),
                listed(results.iter().map(Val::ty)),
            ));
        }
        store.set_fuel(fuel).map_err(|error| error.to_string())?;
        called
            .call(&mut *store, arguments, results)
            .map_err(|error| format!("failed in `{function}`: {}", explain(&error, fuel)))
    }
}

fn listed(types: impl Iterator<Item = wasmi::ValType>) -> String {
    let names: Vec<String> = types.map(|kind| format!("{kind:?}").to_lowercase()).collect();
    if names.is_empty() { "nothing".into() } else { format!("({})", names.join(", ")) }
}

fn offset(place: &Val) -> usize {
    place.i32().map_or(usize::MAX, |place| place as u32 as usize)
}

/// What went wrong, for people.
fn explain(error: &wasmi::Error, fuel: u64) -> String {
    match error.as_trap_code() {
        Some(TrapCode::OutOfFuel) => format!("it did not end within {fuel} instructions"),
        Some(TrapCode::MemoryOutOfBounds) => "it reached outside its memory".into(),
        Some(TrapCode::StackOverflow) => "its functions call each other too deeply".into(),
        Some(TrapCode::UnreachableCodeReached) => "it gave up (unreachable code was reached)".into(),
        _ => error.to_string(),
    }
}

/// What modules may import: functions that WebAssembly lacks, with the same bits on every machine.
fn mathematics(engine: &Engine) -> Result<Linker<StoreLimits>, wasmi::Error> {
    type Function = fn(f64) -> f64;
    type FunctionOfTwo = fn(f64, f64) -> f64;
    const ONE: [(&str, Function); 8] = [
        ("sin", libm::sin),
        ("cos", libm::cos),
        ("tan", libm::tan),
        ("asin", libm::asin),
        ("acos", libm::acos),
        ("atan", libm::atan),
        ("exp", libm::exp),
        ("log", libm::log),
    ];
    const TWO: [(&str, FunctionOfTwo); 2] = [("atan2", libm::atan2), ("pow", libm::pow)];
    let mut linker = Linker::new(engine);
    for (name, function) in ONE {
        linker.func_wrap("tumble", name, move |x: f64| function(x))?;
    }
    for (name, function) in TWO {
        linker.func_wrap("tumble", name, move |x: f64, y: f64| function(x, y))?;
    }
    Ok(linker)
}
