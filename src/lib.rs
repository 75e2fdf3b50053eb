//! Hand-written assembly and intrinsics kernels with run-time dispatch:
//! **the same bits on every CPU, at the speed of each one.**
//!
//! | module | computes |
//! |---|---|
//! | [`random`] | interlaced MT19937 streams |
//! | [`exp`] | fast, accurate and polynomial exp over arrays |
//! | [`bitslice`] | bit planes of integers, back, and single elements from them |
//! | [`hamming`] | Hamming distances and Tanimoto, Dice and cosine similarities of bit rows |
//! | [`reduce`] | sums and dot products: in fixed order, compensated, independent of order |
//! | [`matmul`] | matrix multiplication, one chain of fused multiply-adds per element |
//! | [`correlation`] | orientational and pair correlation functions of points |
//! | [`hardround`] | hard-to-round cases of elementary functions |
//! | [`ising`] | Metropolis sweep of layered (QMC) Ising models |
//!
//! A scalar Rust reference defines the result of every kernel; each variant (x86-64 SSE2, AVX2, AVX-512; AArch64 NEON;
//! as intrinsics and, for the hot loops, as assembly) gives the same bits. The best one that the CPU has is
//! chosen at the first call; [`isa`] says which, and caps it.
//!
//! The safe functions of each module check their arguments and return [`Error`]; below them stand the kernels as
//! `unsafe extern "C"` functions, which are the functions of the C API too.
#![no_std]
#![deny(unsafe_op_in_unsafe_fn, missing_docs)]
// What variants share has no use where only the references are built.
#![cfg_attr(not(any(sse2, neon)), allow(dead_code, unused_imports, unused_macros))]

extern crate alloc;
#[cfg(test)]
extern crate std;

/// The README's examples run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub mod bitslice;
mod cache;
pub mod correlation;
mod error;
pub mod exp;
mod ffi;
mod float;
mod fused;
pub mod hamming;
pub mod hardround;
pub mod isa;
pub mod ising;
pub mod kernel;
pub mod matmul;
pub mod random;
pub mod reduce;
mod root;
mod state;
#[cfg(any(sse2, neon))]
mod vector;

pub use cache::Caches;
pub use error::{Error, STATUSES};
pub use float::Float;

/// Calls `$callback! { family { kernel, .. } .. }` with every kernel of the library: the only list of them.
///
/// Tests, benches and [`kernels`] are expanded from it.
#[macro_export]
macro_rules! for_each_kernel {
    ($callback:path) => {
        $callback! {
            random { mt19937_u32, mt19937_f32 }
            exp { fast_f32, accurate_f32, poly_f32 }
            bitslice {
                slice_u8, slice_u32, unslice_u8, unslice_u32, tile_u8, tile_u32, untile_u8, untile_u32,
                transpose_u64x32x32, pick, count_positions, stream, prefetch
            }
            hamming { slices, intersections, counts, distances, tanimoto, dice, cosine }
            reduce {
                sum_f32, asum_f32, dot_f32, sum2_f32, dot2_f32, kahan_f32, binned_f32,
                sum_f64, asum_f64, dot_f64, sum2_f64, dot2_f64, kahan_f64, binned_f64
            }
            matmul {
                block_f32, block_unfused_f32, columns_f32, transpose_f32,
                block_f64, block_unfused_f64, columns_f64, transpose_f64
            }
            correlation { offsets, scatter, edges }
            hardround { regular, lefevre, exhaust, rows }
            ising { sweep_fast_f32, sweep_poly_f32, scatter_fast_f32, scatter_poly_f32, sweep_i8 }
        }
    };
}

macro_rules! kernel_list {
    ($($family:ident { $($kernel:ident),+ })+) => {
        static KERNELS: &[&dyn kernel::Describe] = &[$($(&$family::$kernel::KERNEL),+),+];
    };
}
for_each_kernel!(kernel_list);

/// Every kernel of the library.
pub fn kernels() -> impl Iterator<Item = &'static dyn kernel::Describe> {
    KERNELS.iter().copied()
}
