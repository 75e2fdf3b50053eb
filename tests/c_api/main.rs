//! The C library: its header, symbols, instructions and packages, and C programs, which get the
//! crate's results. Also the banners of assembly files and the documents.

mod abi;
#[path = "../assembly/mod.rs"]
mod assembly;
mod banners;
mod blas_batch;
mod blas_bits;
mod blas_exits;
mod blas_level2;
mod blas_numbers;
mod blas_rotations;
mod blas_vectors;
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
mod kernels;
mod packages;
mod pages;
mod programs;
mod results;
#[cfg(all(target_os = "linux", feature = "libc"))]
#[path = "../harness/rng.rs"]
mod rng;
mod symbols;
mod transcript;
#[path = "../house/tree.rs"]
mod tree;
mod whitelist;
