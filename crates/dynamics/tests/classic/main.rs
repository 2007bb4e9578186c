//! The classic methods do what their documents say, and keep the promises of every method.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

mod advancing;
mod figure;
mod forces;
mod impact;
mod penalty;
mod promises;
mod shock;
mod verlet;
