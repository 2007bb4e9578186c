//! The registry: every part by name, with a description of its properties.
//!
//! Forces, joints, integrators, solvers, broad phases and methods are chosen by type in code and by name with properties
//! in a scene file. Each property carries its name, type, unit, default, range and a line of text, read off the part's
//! Rust type; the scene format, the command line and the sandbox all show the same description. Users register parts of
//! their own beside the built-in ones:
//!
//! ```
//! use serde_json::json;
//! use tumble_dynamics::registry::Registry;
//!
//! let registry = Registry::default();
//! let force = registry.forces.create("gravity", &json!({ "acceleration": [0.0, -1.62, 0.0] }))?;
//! assert_eq!(registry.forces.part("gravity").unwrap().properties[0].unit.as_deref(), Some("m/s²"));
//! # Ok::<(), tumble_dynamics::ModelError>(())
//! ```

use crate::ModelError;
use crate::behavior::Behavior;
use crate::constraint::Attach;
use crate::curve::Curve;
use crate::force::Force;
use crate::integrator::Integrator;
use crate::method::Method;
use crate::model::Script;
use crate::solver::ConstraintSolver;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;
use tumble_geometry::broad_phase::BroadPhase;
use tumble_geometry::shape::SupportMap;

/// All parts by name.
#[derive(Clone, Debug)]
pub struct Registry {
    /// Forces.
    pub forces: Table<Arc<dyn Force>>,
    /// Joints, before they are attached.
    pub joints: Table<Arc<dyn Attach>>,
    /// Curves that motors and drives follow.
    pub curves: Table<Arc<dyn Curve>>,
    /// Scripts that bodies follow; only for saved worlds.
    pub scripts: Table<Arc<dyn Script>>,
    /// Convex shapes of users: those that are described can be used in scene files, the others are for saved worlds.
    pub shapes: Table<Arc<dyn SupportMap>>,
    /// What acts on worlds before every step; only for saved worlds.
    pub behaviors: Table<Box<dyn Behavior>>,
    /// Integrators.
    pub integrators: Table<Box<dyn Integrator>>,
    /// Constraint solvers.
    pub solvers: Table<Box<dyn ConstraintSolver>>,
    /// Broad phases.
    pub broad_phases: Table<Box<dyn BroadPhase>>,
    /// Methods, as descriptions: a method is made of other parts, see [`Registry::method`].
    pub methods: Table<Box<dyn DescribeMethod>>,
}

/// A method in words: the names and properties of the parts it is made of.
pub trait DescribeMethod {
    /// The method, made of the parts registered under these names.
    fn build(&self, registry: &Registry) -> Result<Box<dyn Method>, ModelError>;

    /// Makes a method of this kind what the description says, without losing what it remembers; refused if it is of
    /// another kind. Default: always refused.
    fn configure(&self, method: &mut dyn Method, _registry: &Registry) -> Result<(), ModelError> {
        let name = method.name();
        Err(ModelError::Invalid(format!("the settings of the method \"{name}\" cannot be changed in place")))
    }

    /// The properties from which the registry makes a method like this one: the way back, for saved worlds. None if it is of
    /// another kind, or nobody can tell (default).
    fn properties_of(&self, _method: &dyn Method, _registry: &Registry) -> Option<Value> {
        None
    }
}

impl Registry {
    /// No parts at all.
    pub fn empty() -> Self {
        Self {
            forces: Table::new("force"),
            joints: Table::new("joint"),
            curves: Table::new("curve"),
            scripts: Table::new("script"),
            shapes: Table::new("custom shape"),
            behaviors: Table::new("behaviour"),
            integrators: Table::new("integrator"),
            solvers: Table::new("solver"),
            broad_phases: Table::new("broad phase"),
            methods: Table::new("method"),
        }
    }

    /// Makes a method by name from properties, with parts from this registry.
    pub fn method(&self, name: &str, properties: &Value) -> Result<Box<dyn Method>, ModelError> {
        self.methods.create(name, properties)?.build(self)
    }

    /// The properties from which [`method`](Self::method) makes one like this; none if nobody can tell.
    pub fn properties_of(&self, method: &dyn Method) -> Option<Value> {
        self.methods.create(method.name(), &Value::Null).ok()?.properties_of(method, self)
    }

    /// Changes the settings of a method to these properties, without losing what it remembers.
    pub fn configure(&self, method: &mut dyn Method, properties: &Value) -> Result<(), ModelError> {
        self.methods.create(method.name(), properties)?.configure(method, self)
    }
}

impl Default for Registry {
    /// All built-in parts.
    fn default() -> Self {
        let mut registry = Self::empty();
        crate::force::register(&mut registry.forces);
        crate::constraint::register(&mut registry.joints);
        crate::curve::register(&mut registry.curves);
        crate::integrator::register(&mut registry.integrators);
        crate::solver::register(&mut registry.solvers);
        crate::method::register_broad_phases(&mut registry.broad_phases);
        crate::method::register(&mut registry.methods);
        registry
    }
}

/// A property of a part.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Property {
    /// The name, as written in a scene file.
    pub name: String,
    /// The type in the words of JSON Schema: "number", "integer", "boolean", "string", "array", "object".
    pub kind: String,
    /// The unit, e.g. "m/s²".
    pub unit: Option<String>,
    /// The value it has if it is not given.
    pub default: Value,
    /// The smallest allowed value.
    pub minimum: Option<f64>,
    /// The largest allowed value.
    pub maximum: Option<f64>,
    /// What it is.
    pub description: String,
}

/// What is known of a part without making one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Part {
    /// The name it is registered under.
    pub name: String,
    /// What it is, in a sentence or two.
    pub description: String,
    /// Its properties.
    pub properties: Vec<Property>,
    /// The full JSON Schema of its properties.
    pub schema: Value,
}

type Build<T> = dyn Fn(&Value) -> Result<T, ModelError> + Send + Sync;
type Describe = dyn Fn(&dyn Any) -> Option<Value> + Send + Sync;

/// A pointer to a part, which shows the part itself: so a table knows parts that it could have made.
pub trait Inside {
    /// The part.
    fn inside(&self) -> &dyn Any;
}

macro_rules! inside {
    ($($pointer:ident $part:ident),* $(,)?) => {
        $(impl Inside for $pointer<dyn $part> {
            fn inside(&self) -> &dyn Any {
                let part: &dyn Any = &**self;
                // Pointers to pointers are parts, too.
                part.downcast_ref::<Self>().map_or(part, Inside::inside)
            }
        })*
    };
}

inside!(
    Arc Force, Arc Attach, Arc Curve, Arc Script, Arc SupportMap,
    Box Integrator, Box ConstraintSolver, Box Behavior, Box BroadPhase,
);

/// A part of a table.
struct Made<T> {
    /// What is known of it; none if nobody is to know.
    part: Option<Part>,
    build: Arc<Build<T>>,
    describe: Arc<Describe>,
}

impl<T> Clone for Made<T> {
    fn clone(&self) -> Self {
        Self { part: self.part.clone(), build: self.build.clone(), describe: self.describe.clone() }
    }
}

/// The parts of one kind, by name.
pub struct Table<T> {
    kind: &'static str,
    entries: BTreeMap<String, Made<T>>,
}

impl<T> Clone for Table<T> {
    fn clone(&self) -> Self {
        Self { kind: self.kind, entries: self.entries.clone() }
    }
}

impl<T> std::fmt::Debug for Table<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.entries.keys()).finish()
    }
}

impl<T> Table<T> {
    /// An empty table of parts of some kind ("force", "joint").
    pub fn new(kind: &'static str) -> Self {
        Self { kind, entries: BTreeMap::new() }
    }

    /// Adds a part, or replaces the one with the same name. `P` holds its properties; its documentation, field types and
    /// [`Default`] become the description. Numbers outside their range are refused; `make` turns the others into the part
    /// and may refuse them too.
    pub fn register<P>(&mut self, name: &str, make: impl Fn(P) -> Result<T, ModelError> + Send + Sync + 'static)
    where
        P: DeserializeOwned + Serialize + JsonSchema + Default + 'static,
    {
        self.register_typed(name, make, |part| serde_json::to_value(part.downcast_ref::<P>()?).ok());
    }

    /// The same for parts that are made from their properties and are something else themselves: `read` tells the properties
    /// from which such a part would be made again; none for a part of another kind.
    pub fn register_read<P>(
        &mut self,
        name: &str,
        make: impl Fn(P) -> Result<T, ModelError> + Send + Sync + 'static,
        read: impl Fn(&dyn Any) -> Option<P> + Send + Sync + 'static,
    ) where
        P: DeserializeOwned + Serialize + JsonSchema + Default + 'static,
    {
        self.register_typed(name, make, move |part| serde_json::to_value(read(part)?).ok());
    }

    fn register_typed<P>(
        &mut self,
        name: &str,
        make: impl Fn(P) -> Result<T, ModelError> + Send + Sync + 'static,
        read: impl Fn(&dyn Any) -> Option<Value> + Send + Sync + 'static,
    ) where
        P: DeserializeOwned + Serialize + JsonSchema + Default + 'static,
    {
        let part = describe::<P>(name);
        let label = format!("{} \"{name}\"", self.kind);
        let schema = part.schema.clone();
        let build = move |properties: &Value| {
            let given = if properties.is_null() { Value::Object(Default::default()) } else { properties.clone() };
            let refuse = |problem: String| ModelError::BadProperties { part: label.clone(), problem };
            check_ranges(&schema, &schema, &given).map_err(refuse)?;
            make(serde_json::from_value(given).map_err(|error| refuse(error.to_string()))?)
        };
        let made = Made { part: Some(part), build: Arc::new(build), describe: Arc::new(read) };
        self.entries.insert(name.to_owned(), made);
    }

    /// Adds a part whose description is known only at run time, or replaces the one with the same name. `make` gets the properties as
    /// they were given, once unknown names and numbers outside their range have been refused; `describe` is the way back for saved
    /// worlds: the properties from which `make` would make this part, none if it is of another kind.
    pub fn register_described(
        &mut self,
        part: Part,
        make: impl Fn(&serde_json::Map<String, Value>) -> Result<T, String> + Send + Sync + 'static,
        describe: impl Fn(&dyn Any) -> Option<Value> + Send + Sync + 'static,
    ) {
        let label = format!("{} \"{}\"", self.kind, part.name);
        let (name, schema) = (part.name.clone(), part.schema.clone());
        let build = move |properties: &Value| {
            let refuse = |problem: String| ModelError::BadProperties { part: label.clone(), problem };
            let empty = serde_json::Map::new();
            let given = match properties {
                Value::Null => &empty,
                Value::Object(given) => given,
                other => return Err(refuse(format!("its properties are {other}, but must be a table"))),
            };
            let known = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
            if let Some(name) = given.keys().find(|name| !known.contains_key(*name)) {
                let known = known.keys().cloned().collect::<Vec<_>>().join(", ");
                return Err(refuse(format!("it has no property `{name}`; it has {known}")));
            }
            check_ranges(&schema, &schema, properties).map_err(refuse)?;
            make(given).map_err(refuse)
        };
        let made = Made { part: Some(part), build: Arc::new(build), describe: Arc::new(describe) };
        self.entries.insert(name, made);
    }

    /// Adds a part that is only to be found in saved worlds: it is not described, and its ranges are for `make` to check.
    pub fn register_saved<P>(&mut self, name: &str, make: impl Fn(P) -> Result<T, ModelError> + Send + Sync + 'static)
    where
        P: DeserializeOwned + Serialize + 'static,
    {
        let label = format!("{} \"{name}\"", self.kind);
        let build = move |properties: &Value| {
            let refuse = |error: serde_json::Error| ModelError::BadProperties {
                part: label.clone(),
                problem: error.to_string(),
            };
            make(P::deserialize(properties).map_err(refuse)?)
        };
        let describe = |part: &dyn Any| serde_json::to_value(part.downcast_ref::<P>()?).ok();
        let made = Made { part: None, build: Arc::new(build), describe: Arc::new(describe) };
        self.entries.insert(name.to_owned(), made);
    }

    /// The name and the properties from which [`create`](Self::create) makes a part like this one: the way back, for parts whose
    /// properties are the part itself. None for others.
    pub fn describe(&self, part: &T) -> Option<(&str, Value)>
    where
        T: Inside,
    {
        let told = |(name, made): (&'_ String, &Made<T>)| Some((name.clone(), (made.describe)(part.inside())?));
        let (name, value) = self.entries.iter().find_map(told)?;
        self.entries.get_key_value(&name).map(|(name, _)| (name.as_str(), value))
    }

    /// Makes a part by name from properties: a JSON object, or null for all defaults.
    pub fn create(&self, name: &str, properties: &Value) -> Result<T, ModelError> {
        let Some(Made { build, .. }) = self.entries.get(name) else {
            let known = self.entries.keys().cloned().collect::<Vec<_>>().join(", ");
            return Err(ModelError::UnknownName { kind: self.kind, name: name.to_owned(), known });
        };
        build(properties)
    }

    /// The description of a part.
    pub fn part(&self, name: &str) -> Option<&Part> {
        self.entries.get(name)?.part.as_ref()
    }

    /// The descriptions of all parts, by name.
    pub fn parts(&self) -> impl Iterator<Item = &Part> {
        self.entries.values().filter_map(|made| made.part.as_ref())
    }
}

/// Reads the description of a part off the type of its properties.
fn describe<P: Serialize + JsonSchema + Default>(name: &str) -> Part {
    let schema = schemars::schema_for!(P).to_value();
    let defaults = serde_json::to_value(P::default()).unwrap_or(Value::Null);
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let kind = |value: &Value| match value.get("type") {
        Some(Value::String(kind)) => kind.clone(),
        Some(Value::Array(kinds)) => {
            kinds.iter().filter_map(Value::as_str).find(|&k| k != "null").unwrap_or("object").to_owned()
        }
        _ => "object".to_owned(),
    };
    let fields = schema.get("properties").and_then(Value::as_object);
    let properties = fields.into_iter().flatten().map(|(name, field)| Property {
        name: name.clone(),
        kind: kind(field),
        unit: text(field, "unit"),
        default: defaults.get(name).cloned().unwrap_or(Value::Null),
        minimum: field.get("minimum").or_else(|| field.get("exclusiveMinimum")).and_then(Value::as_f64),
        maximum: field.get("maximum").or_else(|| field.get("exclusiveMaximum")).and_then(Value::as_f64),
        description: text(field, "description").unwrap_or_default(),
    });
    Part {
        name: name.to_owned(),
        description: text(&schema, "description").unwrap_or_default(),
        properties: properties.collect(),
        schema: schema.clone(),
    }
}

/// Refuses numbers outside the range that the schema gives them, by name, wherever they stand in the properties. `root`
/// holds the definitions that parts of the schema refer to.
fn check_ranges(root: &Value, schema: &Value, given: &Value) -> Result<(), String> {
    let referred = schema.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix('#'));
    let schema = referred.and_then(|path| root.pointer(path)).unwrap_or(schema);
    if let Some(alternatives) = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array) {
        // Of the alternatives that may be meant, one that is satisfied will do.
        let meant = alternatives.iter().filter(|alternative| may_be(alternative, given));
        let problems: Vec<_> = meant.map(|alternative| check_ranges(root, alternative, given)).collect();
        if let Some(Err(problem)) = problems.first().filter(|_| problems.iter().all(Result::is_err)) {
            return Err(problem.clone());
        }
    }
    let fields = schema.get("properties").and_then(Value::as_object);
    for (name, field) in fields.into_iter().flatten() {
        let Some(value) = given.get(name) else { continue };
        check_ranges(root, field, value).map_err(|problem| match value {
            Value::Number(_) => format!("`{name}` {problem}"),
            _ => format!("in `{name}`: {problem}"),
        })?;
    }
    for (index, element) in given.as_array().into_iter().flatten().enumerate() {
        let Some(items) = schema.get("items") else { break };
        check_ranges(root, items, element).map_err(|problem| match element {
            Value::Number(_) => format!("element {index} {problem}"),
            _ => format!("in element {index}: {problem}"),
        })?;
    }
    given.as_f64().map_or(Ok(()), |number| check_range(schema, number))
}

/// Whether a value may be meant by an alternative: not if it lacks a key that is required there.
fn may_be(alternative: &Value, given: &Value) -> bool {
    let required = alternative.get("required").and_then(Value::as_array).into_iter().flatten();
    required.filter_map(Value::as_str).all(|key| given.get(key).is_some())
        && alternative.get("type").and_then(Value::as_str) != Some("null")
}

fn check_range(schema: &Value, number: f64) -> Result<(), String> {
    type Holds = fn(f64, f64) -> bool;
    const BOUNDS: [(&str, &str, Holds); 4] = [
        ("minimum", "at least", |value, bound| value >= bound),
        ("exclusiveMinimum", "more than", |value, bound| value > bound),
        ("maximum", "at most", |value, bound| value <= bound),
        ("exclusiveMaximum", "less than", |value, bound| value < bound),
    ];
    for (key, words, holds) in BOUNDS {
        match schema.get(key).and_then(Value::as_f64) {
            Some(bound) if !holds(number, bound) => {
                return Err(format!("is {number}, but must be {words} {bound}"));
            }
            _ => {}
        }
    }
    Ok(())
}
