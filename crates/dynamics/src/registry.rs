//! The registry: every part by name, with a description of its properties.
