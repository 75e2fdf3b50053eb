//! Level 3: products of matrices, and triangular systems.
//!
//! The files of routines check arguments and make views of the operands, so that layouts, sides and
//! transpositions are strides; the others compute with views.
#![allow(clippy::too_many_arguments)] // the arguments of BLAS

mod batch;
mod copies;
mod gemm;
pub(super) mod leaf;
mod mirror;
mod multiply;
pub(super) mod packed;
mod rank;
pub(super) mod scaled;
mod solve;
mod source;
mod split;
mod structured;
mod symmetric;
mod tiny;
pub(super) mod triangle;
mod triangular;
mod triangular_view;

pub(super) use solve::substitute;
pub(super) use structured::Structured;
pub(super) use triangular_view::{Diagonal, Triangular};
