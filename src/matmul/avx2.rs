//! AVX2.
