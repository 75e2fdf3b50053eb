//! What every family stands on: kernels and their choice, errors, memory, the C interface.

pub(crate) mod cache;
mod choice;
#[cfg(feature = "libc")]
mod environment;
pub(crate) mod error;
pub(crate) mod facts;
#[cfg(feature = "c-api")]
pub(crate) mod ffi;
pub mod isa;
pub mod kernel;
pub(crate) mod level;
pub(crate) mod memory;
pub(crate) mod pieces;
pub(crate) mod state;
