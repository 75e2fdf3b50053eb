//! `cargo xtask`, as its caller sees it.

mod abi;
mod compare;
mod general;
mod mca;
mod new_kernel;
mod rows;
mod step;
mod support;
