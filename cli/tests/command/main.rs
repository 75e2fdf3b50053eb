//! The command `hotloops`, as its caller sees it.

mod bench;
mod fingerprints;
mod g6;
mod general;
mod hardround;
mod ising;
mod lines;
#[cfg(target_os = "linux")]
mod memory;
mod mutated;
#[cfg(target_os = "linux")]
mod output;
mod support;
mod three_phase;
