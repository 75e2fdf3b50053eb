//! Traits over the vectors of all instruction sets, one for floats and one for integers. With them
//! the intrinsics kernels of a family are written once.
//!
//! Each instruction set has a module with its types. Vectors of floats are types of `core::arch`.
//! Vectors of integers are named by their lanes (`U32`). Comparisons return the mask type of the
//! instruction set.
//!
//! The methods are inlined into the kernels that call them, which have the instruction set enabled.
//! No other code may call them.

#[cfg(avx2)]
pub(crate) mod avx2;
#[cfg(avx512)]
pub(crate) mod avx512;
#[cfg(sse2)]
pub(crate) mod emulated;
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
