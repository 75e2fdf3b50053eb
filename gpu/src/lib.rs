//! The kernels of hotloops on OpenCL devices, with the bits of the CPU.
//!
//! | module | |
//! |---|---|
//! | [`bitslice`] | bit planes of `u32`, their ones and distances |
//! | [`fingerprints`] | searches in bit rows |
//! | [`hardround`] | tests of domains for hard-to-round cases |
//! | [`ising`] | sweeps of many Ising models |
//! | [`selftest`] | opens a device whose driver gives the bits of the CPU |
//!
//! Programs are OpenCL C 1.2. The OpenCL library is loaded at run time: without one, [`Device::all`] fails and nothing
//! else does. A [`Queue`] belongs to one device; several devices work in several threads, a queue in each.

mod append;
pub mod bitslice;
mod choice;
mod device;
mod error;
pub mod fingerprints;
pub mod hardround;
pub mod ising;
mod pace;
mod queue;
pub mod selftest;
mod shared;

pub use choice::{Choice, Opened};
pub use device::{Device, Form};
pub use error::Error;
pub use queue::Queue;
pub use shared::Shared;
