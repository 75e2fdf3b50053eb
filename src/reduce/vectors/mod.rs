//! Kernels of vectors that are written: scaled sums, exchanges, rotations. And the index of the
//! largest magnitude.

#[cfg(avx2)]
mod avx2;
#[cfg(avx512)]
mod avx512;
mod kernels;
#[cfg(any(sse2, neon))]
mod lanes;
#[cfg(any(sse2, neon))]
mod maxima;
#[cfg(neon)]
mod neon;
#[cfg(any(sse2, neon))]
mod pairs;
mod scalar;
#[cfg(sse2)]
mod sse2;
#[cfg(any(sse2, neon))]
mod updates;

pub use kernels::*;
