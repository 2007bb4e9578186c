//! Stands in for the derive macro `JsonSchema` of schemars where nobody asks for a schema.
//!
//! Every part of tumble describes its properties with `#[schemars(...)]`: units and ranges. Built without the registry, no one
//! reads them, and schemars need not be compiled. This macro accepts the same attributes and makes nothing of them, so that the
//! parts are written once and without conditions.

use proc_macro::TokenStream;

/// Accepts what `schemars::JsonSchema` does and implements nothing.
#[proc_macro_derive(JsonSchema, attributes(schemars))]
pub fn no_schema(_item: TokenStream) -> TokenStream {
    TokenStream::new()
}
