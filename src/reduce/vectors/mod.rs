//! Kernels of vectors that are written: scaled sums, exchanges, rotations. And the index of the
//! largest magnitude.

#[cfg(avx2)]
mod avx2;
#[cfg(avx512)]
mod avx512;
mod kernels;
#[cfg(any(sse2, neon))]
mod lanes;
#[cfg(neon)]
mod neon;
mod scalar;
#[cfg(sse2)]
mod sse2;

pub use kernels::*;
