//! Level 2: a matrix and vectors.
//!
//! A matrix is a number of [`lines`], whatever its storage. A product is a chain of fused multiply-adds
//! for each element, over ascending indices ([`sums`]): the bits of the product with a matrix of one
//! column.
#![allow(clippy::too_many_arguments)] // the arguments of BLAS

mod collect;
mod general;
mod lines;
mod mirror;
mod rank;
mod spread;
mod substitute;
mod sums;
mod symmetric;
mod triangular;
mod update;
mod vectors;
