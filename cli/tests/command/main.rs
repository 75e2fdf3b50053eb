//! The command `hotloops`, as its caller sees it.

mod bench;
mod fingerprints;
mod g6;
mod general;
mod hardround;
mod ising;
#[cfg(target_os = "linux")]
mod memory;
mod mutated;
mod support;
mod three_phase;
