//! Vectors of all instruction sets behind one trait for floats and one for integers: the intrinsics
//! kernels of a family are written once for all of them.
//!
//! A module for each instruction set holds its types: vectors of floats are those of `core::arch`,
//! vectors of integers are called by their lanes (`U32`), and the result of a comparison is what
//! the instruction set has for it, a mask.
//!
//! The methods are compiled into the kernels that call them, which have the instruction set
//! enabled; nothing else may call them.

#[cfg(avx2)]
pub(crate) mod avx2;
#[cfg(avx512)]
pub(crate) mod avx512;
mod float;
mod int;
mod mask;
#[cfg(neon)]
pub(crate) mod neon;
#[cfg(sse2)]
pub(crate) mod sse2;

pub(crate) use float::*;
pub(crate) use int::*;
pub(crate) use mask::*;
