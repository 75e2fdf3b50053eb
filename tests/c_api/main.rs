//! The header matches the crate's exports, and C programs that use the whole library get the
//! crate's results.

mod abi;
#[path = "../c/mod.rs"]
mod c;
mod clifford;
mod compilers;
mod digest;
mod header;
mod ising;
mod packages;
mod programs;
mod results;
mod transcript;
