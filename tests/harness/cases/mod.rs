//! One function per kernel, `<family>::<kernel>(reference, subject)`: a kernel without one does not compile.

pub mod exp;
pub mod ising;
pub mod random;
