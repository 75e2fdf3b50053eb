//! One function per kernel, `<family>::<kernel>(reference, subject)`: a kernel without one does not compile.

pub mod bitslice;
pub mod clifford;
pub mod correlation;
pub mod exp;
pub mod hamming;
pub mod hardround;
pub mod ising;
pub mod matmul;
pub mod random;
pub mod reduce;
#[cfg(all(target_os = "linux", target_pointer_width = "64", not(miri)))]
pub mod sizes;
mod vectors;
