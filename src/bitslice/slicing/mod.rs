//! The kernels that slice elements into rows and tiles and put them together again.

#[cfg(avx2)]
mod avx2;
#[cfg(avx2gfni)]
mod avx2gfni;
#[cfg(avx512)]
mod avx512;
#[cfg(avx512icl)]
mod avx512icl;
mod kernels;
#[cfg(neon)]
mod neon;
mod scalar;
#[cfg(sse2)]
mod sse2;

pub use kernels::*;
