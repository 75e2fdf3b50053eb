//! Arithmetic that families share: floats, fused operations, functions of libm, atomic words, vectors.

pub(crate) mod atomic;
pub(crate) mod float;
pub(crate) mod fused;
pub(crate) mod libm;
#[cfg(any(sse2, neon))]
pub(crate) mod vector;
