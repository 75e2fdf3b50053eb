//! Hand-written assembly and intrinsics kernels with run-time dispatch: **the same bits on every
//! CPU, at the speed of each one.**
//!
//! ```
//! use hotloops::{isa, random::Mt19937, reduce};
//!
//! let mut numbers = [0.0f32; 1000];
//! Mt19937::seeded(16, 1)?.fill_f32(&mut numbers);
//! assert_eq!(reduce::sum(&numbers).to_bits(), 0x43f3_42de); // on every CPU
//! println!("by {}", isa::active().word()); // avx2
//! # Ok::<(), hotloops::Error>(())
//! ```
//!
//! A scalar Rust reference defines the result of every kernel. Each variant gives the same bits:
//! x86-64 SSE2, AVX2 and AVX-512, AArch64 NEON, written as intrinsics and, for the hot loops, as
//! assembly. The first call picks the best variant that the CPU supports.
//!
//! # The families
//! | module | computes | after |
//! |---|---|---|
//! | [`random`] | interlaced MT19937 streams | Matsumoto, Nishimura (1998) |
//! | [`exp`] | fast, accurate and polynomial exp over arrays | Dickson, Karimi, Hamze (2011) |
//! | [`bitslice`] | bit planes of integers, the inverse, single elements | Kuznetsov, Tolstoy (2009) |
//! | [`hamming`] | distances and Tanimoto, Dice and cosine similarities of bit rows | Kuznetsov, Tolstoy (2009) |
//! | [`fingerprints`] | exact similarity search in bit rows, by an index | Swamidass, Baldi (2007) |
//! | [`reduce`] | reproducible and compensated sums, dot products | Ogita and others (2005); Demmel, Nguyen (2015) |
//! | [`matmul`] | matrix products, one fused chain per element | Huang (2025); Goto, van de Geijn (2008) |
//! | [`clifford`] | linear layers and products of multivectors | Huang and others (2025) |
//! | [`correlation`] | pair and orientational correlations of points | Pancratov, Kurzer, Shaw, Trawick (2008) |
//! | [`hardround`] | hard-to-round cases of elementary functions | Avenel, Fortin, Gouicem, Zaidi (2016) |
//! | [`ising`] | sweeps of layered (QMC) Ising models, replica exchange | Dickson, Karimi, Hamze (2011) |
//!
//! Each family's page describes its results, source, method, layout, exactness and errors, with an
//! example. The functions and types listed there are safe. Below them are the kernels: `unsafe
//! extern "C"` functions, which the C API exports as well (`include/hotloops.h`, or
//! `include/hotloops_kernels.h` for private layouts). Each kernel has a module of the same name, which
//! holds its table of variants.
//!
//! Arguments come in one order: input with its counts and strides, options, output. Clifford layers begin with
//! the size of the batch.
//!
//! The guide covers [choosing and forcing an instruction set](guide::isa),
//! [exactness](guide::exactness), [adding a kernel](guide::adding_a_kernel) and a
//! [glossary](guide::glossary).
//!
//! # Threads
//! The library starts no threads and takes no locks. Every function may be called from any thread
//! at any time; every type is `Send`, and may be shared by threads that only read it. The caller
//! splits the work. Each of these splits gives the same bits as a single thread:
//!
//! | family | split by | shared |
//! |---|---|---|
//! | [`random`] | one generator per thread, with different seeds | |
//! | [`exp`] | slices | |
//! | [`bitslice`] | slices of whole blocks or tiles ([`slice_blocks`]) | planes that elements are gathered from |
//! | [`hamming`] | ranges of rows ([`within`]); rows with separate outputs ([`cross`]) | [`PackedRows`] |
//! | [`fingerprints`] | queries, or ranges of the first row of a pair, one [`Searcher`] each | [`Index`] |
//! | [`reduce`] | slices, then [`Repro::merge`](reduce::Repro::merge); other sums cannot be split | |
//! | [`matmul`] | rows or columns of C ([`split_rows`]) in strict order, one workspace each | [`PackedB`], [`Plan`] |
//! | [`clifford`] | ranges of the batch, one workspace per part | [`Linear`], [`LinearWeights`] |
//! | [`correlation`] | ranges [of dy][rows] or [of cells][cells], then [`merge`] | [`Image`], [`Points`] |
//! | [`hardround`] | runs of blocks, one [`Scan`](hardround::Scan) each | [`Series`](hardround::Series) |
//! | [`ising`] | systems: one model and one generator each; [rows][split] of a square lattice | |
//!
//! [split]: ising::SquareLattice::split
//! [`slice_blocks`]: bitslice::slice_blocks
//! [`within`]: hamming::within
//! [`cross`]: hamming::cross
//! [`PackedRows`]: hamming::PackedRows
//! [`Searcher`]: fingerprints::Searcher
//! [`Index`]: fingerprints::Index
//! [`split_rows`]: matmul::MatMut::split_rows
//! [`PackedB`]: matmul::PackedB
//! [`Plan`]: matmul::Plan
//! [`Linear`]: clifford::Linear
//! [`LinearWeights`]: clifford::LinearWeights
//! [rows]: correlation::Accumulator::add_image_rows
//! [cells]: correlation::Accumulator::add_points_of_cells
//! [`merge`]: correlation::Accumulator::merge
//! [`Image`]: correlation::Image
//! [`Points`]: correlation::Points
//!
//! A product computed by four threads that share one packed B:
//!
//! ```
//! use hotloops::matmul::{MatMut, MatRef, Options, PackedB, gemm, gemm_packed};
//!
//! let n = 60;
//! let numbers: Vec<f64> = (0..n * n).map(|i| 1.0 / (i + 1) as f64).collect();
//! let a = MatRef::row_major(&numbers, n, n, n)?;
//! let mut memory = vec![0.0; PackedB::<f64>::len(n, n)?];
//! let b = PackedB::new(a, &mut memory, &Options::default())?;
//!
//! let mut c = vec![0.0; n * n];
//! let rows = n / 4;
//! std::thread::scope(|scope| {
//!     let b = &b;
//!     let parts = c.chunks_mut(rows * n).enumerate().map(|(part, c)| {
//!         scope.spawn(move || {
//!             let a = a.block(part * rows..(part + 1) * rows, 0..n)?;
//!             gemm_packed(1.0, a, b, 0.0, MatMut::row_major(c, rows, n, n)?, &Options::default(), None)
//!         })
//!     });
//!     let parts: Vec<_> = parts.collect();
//!     parts.into_iter().try_for_each(|part| part.join().expect("no panic"))
//! })?;
//!
//! let mut alone = vec![0.0; n * n];
//! gemm(1.0, a, a, 0.0, MatMut::row_major(&mut alone, n, n, n)?)?;
//! assert_eq!(c, alone);
//! # Ok::<(), hotloops::Error>(())
//! ```
//!
//! # Errors
//! Safe functions check their arguments and return an [`Error`] that names the offending one. A
//! function that returns an error has written nothing. A function that cannot fail returns its
//! value directly. Models, generators and plans allocate when they are created, not when they are
//! used; every function that allocates lists [`Error::NoMemory`] among its errors. Kernels check
//! nothing: a wrong pointer or length is undefined behaviour.
//!
//! # Features
//! | feature | default | |
//! |---|---|---|
//! | `assembly` | yes | builds the assembly variants with the C compiler that the `cc` crate finds |
//! | `all-variants` | yes | keeps every variant, so that it can be called by name |
//! | `c-api` | yes | exports the functions of the C headers |
//! | `libc` | yes | reads `HOTLOOPS_ISA`; without it the library builds where there is no operating system |
//!
//! Without `assembly`, or if the compiler cannot assemble `.S` files (MSVC), the intrinsics
//! variants run instead, with the same bits. Without `all-variants` only the first variant per
//! instruction set is built, and the next where a fact of the CPU may skip it; ordinary calls run no
//! other. The C library is built without it.
//!
//! The crate is `no_std` with `alloc`. It uses `getenv`, `write`, `abort` and, on Linux,
//! `getauxval` of libc, all for `HOTLOOPS_ISA`. On architectures other than x86-64 and
//! little-endian AArch64 the references run.
#![no_std]
#![deny(unsafe_op_in_unsafe_fn, missing_docs)]
// Code shared by variants is unused where only the references are built.
#![cfg_attr(not(any(sse2, neon)), allow(dead_code, unused_imports, unused_macros))]
// Some code serves only the C functions.
#![cfg_attr(not(feature = "c-api"), allow(dead_code, unused_imports))]

extern crate alloc;
#[cfg(test)]
extern crate std;

/// Runs the README's examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub mod bitslice;
pub mod clifford;
pub mod correlation;
pub mod exp;
pub mod fingerprints;
mod frame;
#[cfg(any(doc, doctest))]
pub mod guide;
pub mod hamming;
pub mod hardround;
pub mod ising;
mod math;
pub mod matmul;
pub mod random;
pub mod reduce;

pub use frame::cache::Caches;
pub use frame::error::{Error, STATUSES};
pub use frame::{isa, kernel};
pub use math::float::Float;

use frame::kernel::{Code, Kernel};

/// Calls `$callback! { family { kernel, .. } .. }` with every kernel of the library.
///
/// This is the only list of kernels. Tests, benches and [`kernels`] expand it.
#[macro_export]
macro_rules! for_each_kernel {
    ($callback:path) => {
        $callback! {
            random { mt19937_u32, mt19937_f32 }
            exp { fast_f32, accurate_f32, poly_f32 }
            bitslice {
                slice_u8, slice_u16, slice_u32, slice_u64, unslice_u8, unslice_u16, unslice_u32, unslice_u64,
                tile_u8, tile_u16, tile_u32, tile_u64, untile_u8, untile_u16, untile_u32, untile_u64, cut_tile,
                join_tile,
                transpose_u64x32x32, pick, count_positions, stream, prefetch
            }
            hamming { slices, intersections, counts, shared, differing, distances, tanimoto, dice, cosine, misses }
            reduce {
                sum_f32, asum_f32, dot_f32, sum2_f32, dot2_f32, kahan_f32, binned_f32, products_f32,
                column_sums_f32, exact_f32,
                sum_f64, asum_f64, dot_f64, sum2_f64, dot2_f64, kahan_f64, binned_f64, products_f64,
                column_sums_f64,
                swap_u32,
                axpy_f32, scal_f32, rot_f32, amax_f32, axpy_complex_f32, scal_complex_f32, amax_complex_f32,
                dot_pairs_f32, dot_crossed_f32,
                axpy_f64, scal_f64, rot_f64, amax_f64, axpy_complex_f64, scal_complex_f64, amax_complex_f64,
                dot_pairs_f64, dot_crossed_f64
            }
            matmul {
                block_f32, columns_f32, vector_f32, dots_f32, outer_f32, tiny_f32,
                transpose_f32,
                block_f64, columns_f64, vector_f64, dots_f64, outer_f64, tiny_f64,
                transpose_f64
            }
            clifford {
                multiply_f32, multiply_f64, common_product_f32, common_product_f64, common_sandwich_f32,
                common_sandwich_f64,
                common_weighted_f32, common_weighted_f64, gate_f32,
                forms_f32, forms_f64, blades_f32, blades_f64
            }
            correlation {
                offsets, scatter, scatter_below, edges, counts, ntt_forward, ntt_inverse, ntt_combine, ntt_multiply
            }
            hardround { regular, lefevre, exhaust, rows, arcs, dual, refine }
            ising {
                sweep_fast_f32, sweep_poly_f32, sweep_heat_fast_f32, sweep_heat_poly_f32,
                scatter_fast_f32, scatter_poly_f32, scatter_heat_fast_f32, scatter_heat_poly_f32,
                sweep_i8, sweep_heat_i8, sweep_i16, sweep_heat_i16, sweep_bits, sweep_heat_bits,
                sweep_lattice,
                worldline_breaks, worldline_sweep_i32, worldline_sweep_f64, worldline_overlaps,
                sweep_blocks_i8, sweep_heat_blocks_i8, sweep_blocks_f32, sweep_heat_blocks_f32, sweep_blocks_i64,
                sweep_heat_blocks_i64,
                dense_bounds, dense_heat_bounds, dense_flips, dense_update,
                dense_levels, dense_heat_levels, dense_flips_i32, dense_update_i32
            }
        }
    };
}

macro_rules! kernel_list {
    ($($family:ident { $($kernel:ident),+ })+) => {
        static KERNELS: &[&Kernel<Code>] = &[$($($family::$kernel::KERNEL.untyped()),+),+];
    };
}
for_each_kernel!(kernel_list);

/// Every kernel of the library.
pub fn kernels() -> impl Iterator<Item = &'static Kernel<Code>> {
    KERNELS.iter().copied()
}
