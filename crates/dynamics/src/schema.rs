//! How parts describe their properties: with schemars where there is a registry to show them, not at all otherwise.

#[cfg(feature = "registry")]
pub(crate) use schemars::JsonSchema;
#[cfg(not(feature = "registry"))]
pub(crate) use tumble_no_schema::JsonSchema;
