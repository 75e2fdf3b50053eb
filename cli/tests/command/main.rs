//! Tests of the command `hotloops`.

mod bench;
mod correlation;
#[cfg(unix)]
mod damage;
mod devices;
mod documents;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod durability;
mod fingerprints;
mod general;
mod hardround;
mod ising;
mod lattice;
#[cfg(target_os = "linux")]
mod limits;
mod lines;
#[cfg(target_os = "linux")]
mod memory;
mod mutated;
#[cfg(target_os = "linux")]
mod output;
#[cfg(all(feature = "mpi", target_os = "linux"))]
mod ranks;
mod remedies;
#[cfg(unix)]
mod scripts;
mod standard_output;
mod support;
mod three_phase;
