//! The header matches the crate's exports, and C programs that use the whole library get the
//! crate's results.

mod abi;
#[path = "../assembly/mod.rs"]
mod assembly;
mod banners;
mod blas_exits;
#[path = "../c/mod.rs"]
mod c;
mod cblas;
mod clifford;
#[path = "../assembly/code.rs"]
mod code;
mod compilers;
mod digest;
mod documents;
mod header;
mod ising;
mod packages;
mod pages;
mod programs;
mod results;
mod symbols;
mod transcript;
#[path = "../house/tree.rs"]
mod tree;
mod whitelist;
