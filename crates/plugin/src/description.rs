//! What a plug-in says of itself: the text in its custom section.
//!
//! ```toml
//! version = 1
//! kind = 'force'
//! name = 'updraft'
//! description = 'Lifts what is above the ground.'
//!
//! [[properties]]
//! name = 'strength'
//! unit = 'N'
//! default = 5.0
//! minimum = 0.0
//! description = 'How much.'
//! ```
//!
//! It is read without running the module, so that a list of plug-ins runs none of them.

use serde::Deserialize;
use std::fmt;

/// The version of the interface between tumble and plug-ins.
pub const INTERFACE: u32 = 1;

/// The most properties, rows and characters of a description.
const MOST_PROPERTIES: usize = 64;
const MOST_ROWS: usize = 12;
const LONGEST_TEXT: usize = 2000;

/// Names that a property cannot have: what parts of tumble have anyway.
const RESERVED: [&str; 10] =
    ["on", "anchor", "axis", "softness", "program", "between", "collide", "breaks", "follow", "name"];

/// What kind of part it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A force on some or all bodies.
    Force,
    /// A joint between two bodies.
    Joint,
    /// A convex shape.
    Shape,
    /// A method.
    Method,
}

impl Kind {
    /// The function that a plug-in of this kind must have.
    pub fn exports(self) -> &'static str {
        match self {
            Self::Force => "force",
            Self::Joint => "rows",
            Self::Shape => "support",
            Self::Method => "stage",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Force => "force",
            Self::Joint => "joint",
            Self::Shape => "shape",
            Self::Method => "method",
        })
    }
}

/// What kind of value a property has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PropertyKind {
    /// A number (default).
    #[default]
    Number,
    /// A whole number.
    Integer,
    /// Yes or no.
    Boolean,
    /// Three numbers.
    Vector,
}

/// A property.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PropertyText {
    /// Its name, as written in a scene file.
    pub name: String,
    /// What kind of value it has. Default "number".
    #[serde(default, rename = "type")]
    pub kind: PropertyKind,
    /// Its unit; what is in "rad" is written in degrees in scene files. Default: none.
    pub unit: Option<String>,
    /// The value it has if it is not given.
    pub default: serde_json::Value,
    /// The smallest value.
    pub minimum: Option<f64>,
    /// The largest value.
    pub maximum: Option<f64>,
    /// What it is.
    #[serde(default)]
    pub description: String,
}

/// What a row of a joint demands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowKind {
    /// `c = 0`.
    Equality,
    /// `c ≥ 0`.
    AtLeastZero,
}

/// What a plug-in says of itself.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// The version of the interface it was made for.
    pub version: u32,
    /// What kind of part it is.
    pub kind: Kind,
    /// The name of the part: small letters, digits and `_`.
    pub name: String,
    /// What it is, in a sentence or two.
    #[serde(default)]
    pub description: String,
    /// Its properties.
    #[serde(default)]
    pub properties: Vec<PropertyText>,
    /// For a joint: what each of its rows demands.
    #[serde(default)]
    pub rows: Vec<RowKind>,
    /// For a joint: whether it also computes J̇ẋ; otherwise tumble takes differences of J. Default false.
    #[serde(default)]
    pub jdot: bool,
}

/// The version alone: what is wrong with the rest of another one is no news.
#[derive(Deserialize)]
struct Version {
    version: u32,
}

impl Description {
    /// Reads the text and checks it.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let told = |error: toml::de::Error| format!("its description cannot be read: {}", error.message());
        let Version { version } = toml::from_str(text).map_err(told)?;
        if version != INTERFACE {
            return Err(format!("it is made for version {version} of the interface, and this tumble has {INTERFACE}"));
        }
        let description: Self = toml::from_str(text).map_err(told)?;
        description.check()?;
        Ok(description)
    }

    fn check(&self) -> Result<(), String> {
        check_name("its name", &self.name)?;
        if self.description.len() > LONGEST_TEXT {
            return Err(format!("its description is longer than {LONGEST_TEXT} bytes"));
        }
        if self.properties.len() > MOST_PROPERTIES {
            return Err(format!("it has {} properties, and {MOST_PROPERTIES} are allowed", self.properties.len()));
        }
        for (index, property) in self.properties.iter().enumerate() {
            property.check()?;
            if self.properties[..index].iter().any(|other| other.name == property.name) {
                return Err(format!("it has two properties named \"{}\"", property.name));
            }
        }
        match (self.kind, self.rows.len()) {
            (Kind::Joint, 1..=MOST_ROWS) => Ok(()),
            (Kind::Joint, count) => Err(format!("it has {count} rows, but a joint has 1 to {MOST_ROWS}")),
            (_, 0) if !self.jdot => Ok(()),
            (kind, _) => Err(format!("it is a {kind} and has `rows` or `jdot`, which only joints have")),
        }
    }
}

impl PropertyText {
    fn check(&self) -> Result<(), String> {
        let name = &self.name;
        check_name("the name of a property", name)?;
        if RESERVED.contains(&name.as_str()) {
            return Err(format!("a property cannot be named \"{name}\": that has a meaning of its own"));
        }
        if name.ends_with("_deg") {
            return Err(format!(
                "a property cannot be named \"{name}\": give it the unit rad, and scene files have it in degrees"
            ));
        }
        if self.description.len() > LONGEST_TEXT {
            return Err(format!("the description of the property \"{name}\" is longer than {LONGEST_TEXT} bytes"));
        }
        let bounds = [self.minimum, self.maximum];
        if bounds.iter().flatten().any(|bound| !bound.is_finite()) {
            return Err(format!("the property \"{name}\" has a bound that is not finite"));
        }
        let mut values = Vec::new();
        self.write(&self.default, &mut values).map_err(|problem| format!("the default of \"{name}\" {problem}"))?;
        if let Some(value) = values.iter().find(|&value| !self.allows(*value)) {
            return Err(format!("the default of \"{name}\" is {value}, which is outside its own range"));
        }
        Ok(())
    }

    fn allows(&self, value: f64) -> bool {
        self.minimum.is_none_or(|min| value >= min) && self.maximum.is_none_or(|max| value <= max)
    }

    /// Writes a value as the numbers that the plug-in sees.
    pub(crate) fn write(&self, value: &serde_json::Value, into: &mut Vec<f64>) -> Result<(), String> {
        let number = |value: &serde_json::Value| value.as_f64().filter(|number| number.is_finite());
        let wanted = match self.kind {
            PropertyKind::Number => number(value).map(|number| into.push(number)).ok_or("a number"),
            PropertyKind::Integer => {
                let whole = number(value).filter(|number| number.fract() == 0.0);
                whole.map(|number| into.push(number)).ok_or("a whole number")
            }
            PropertyKind::Boolean => {
                value.as_bool().map(|yes| into.push(f64::from(u8::from(yes)))).ok_or("true or false")
            }
            PropertyKind::Vector => {
                let numbers: Vec<f64> = value.as_array().into_iter().flatten().filter_map(number).collect();
                let three = value.as_array().is_some_and(|array| array.len() == 3) && numbers.len() == 3;
                three.then(|| into.extend(numbers)).ok_or("three numbers")
            }
        };
        wanted.map_err(|wanted| format!("is {value}, but must be {wanted}"))
    }
}

/// Names are such as scene files have as keys.
fn check_name(what: &str, name: &str) -> Result<(), String> {
    let sound = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.len() <= 40
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if sound {
        Ok(())
    } else {
        Err(format!("{what} is {name:?}, but must be at most 40 small letters, digits and _, a letter first"))
    }
}
