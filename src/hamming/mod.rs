//! Hamming distances and fingerprint similarities of bit rows.
//!
//! | functions | compare |
//! |---|---|
//! | [`slices_distance`], [`planes_distance`] | the 32 bit planes of a block of 2048 integers, all pairs |
//! | [`within`] | N rows, all pairs |
//! | [`cross`], [`similarities`] | N rows with M packed rows, all pairs |
//! | [`search`], [`search_near`] | the same, but return only pairs within a threshold, in bounded memory |
//! | [`distances_to`], [`similarities_to`] | one row with N rows |
//! | [`nearest()`] | M queries with N rows: the k nearest rows of each query |
//! | [`count_ones`] | nothing: popcount of each row |
//!
//! Rows that are searched often are indexed by [`fingerprints`](crate::fingerprints).
//!
//! # Source
//! The distances of planes are the second half of the task of Kuznetsov, Tolstoy, ["SSE2 vs CUDA in
//! parallel bit stream transposition / similarity"](http://bitmagic.io/bmcudasse2.html) (2009).
//! The kernel counts exclusive ors with carry-save adders. Exclusive or is linear, so the sum bits
//! of an adder can be prepared once per plane; only the carries remain to be computed per pair.
//!
//! # Method
//! Let two rows have popcounts a and b, and c common ones. They differ in a + b - 2 c bits, their
//! Tanimoto similarity is c / (a + b - c), and so on. So one kernel, [`intersections()`], serves
//! all measures: it counts the ones of `row & packed row` for groups of 8 packed rows. A vector
//! holds one word of each row of the group, so no horizontal sums are needed:
//!
//! ```text
//! packed group   | word 0 of rows 0..8 | word 1 of rows 0..8 | ...        a register, or two, or four
//! row            | word 0 repeated     | word 1 repeated     | ...        and, count, add: lane l is row l's sum
//! ```
//!
//! One row and rows that are not packed are combined word by word by [`shared()`] and
//! [`differing()`], and so are a few packed rows that are left after the whole groups.
//!
//! [`nearest()`] cuts 512 rows at a time into bit planes if there are 8 queries or more. [`misses()`]
//! counts with carry-save adders down the planes of a query's ones, or of its zeros if those are fewer.
//! With each row's own count of ones in its counter at first, a counter overflows where a distance
//! reaches the query's k-th smallest so far. The rows that are left are compared word by word.
//!
//! # Layout
//! Rows begin a fixed number of bytes apart, the stride ([`BitRows`]). Bit k of a row is bit k % 8
//! of its byte k / 8; bits after the last one are ignored. Rows that are compared with many others
//! are packed once, into the caller's memory ([`pack`], [`PackedRows`]).
//!
//! # Example
//! ```
//! use hotloops::hamming::{BitRows, PackedRows, Similarity, cross, pack, packed_len, similarities};
//!
//! // Two queries against three targets of 16 bits each.
//! let targets = BitRows::new(&[0xff, 0x00, 0x0f, 0x0f, 0x00, 0x00], 3, 16, 2)?;
//! let queries = BitRows::new(&[0x0f, 0x00, 0xff, 0xff], 2, 16, 2)?;
//! let mut memory = vec![0; packed_len(3, 16)?];
//! pack(targets, &mut memory)?;
//! let packed = PackedRows::new(&memory)?;
//!
//! let mut distances = [0; 2 * 3];
//! cross(&packed, queries, &mut distances, 3)?;
//! assert_eq!(distances, [4, 4, 4, 8, 8, 16]);
//!
//! let mut alike = [0.0; 2 * 3];
//! similarities(&packed, queries, Similarity::Tanimoto, 1.0, &mut alike, 3)?;
//! assert_eq!(alike, [0.5, 0.5, 0.0, 0.5, 0.5, 0.0]);
//! # Ok::<(), hotloops::Error>(())
//! ```
//!
//! # Exactness
//! Counts are integers. A similarity is one quotient of integers, rounded to the nearest `f32`; a
//! cosine is computed in `f64` and then rounded to `f32`. Packed rows are in the machine's byte
//! order; do not store them in files for other machines.
//!
//! # Errors
//! [`Error::NoBits`](crate::Error::NoBits), [`Error::Stride`](crate::Error::Stride) and
//! [`Error::Length`](crate::Error::Length) if rows or results do not fit,
//! [`Error::TooLarge`](crate::Error::TooLarge) if a row has 2^32 bits or more (2^30 for
//! similarities, 2^31 for [`nearest()`]).

#[cfg(avx2)]
pub(crate) mod avx2;
#[cfg(avx512)]
pub(crate) mod avx512;
#[cfg(avx512icl)]
pub(crate) mod avx512icl;
#[cfg(neon)]
pub(crate) mod neon;
pub(crate) mod scalar;
#[cfg(sse2)]
pub(crate) mod sse2;

#[cfg(sse2)]
mod adders;
mod columns;
mod cross;
#[cfg(feature = "c-api")]
pub(crate) mod ffi;
mod kernels;
#[cfg(any(sse2, neon))]
mod lanes;
mod nearest;
#[cfg(any(sse2, neon))]
mod row_lanes;
pub(crate) mod rows;
mod single;
mod within;

pub use cross::{Hit, Near, Similarity, cross, search, search_near, similarities};
pub use kernels::*;
pub use nearest::{Neighbour, nearest};
pub use rows::{BitRows, PackedRows, pack, packed_len};
pub use single::{distances_to, similarities_to};
pub use within::{Part, count_ones, planes_distance, slices_distance, within};

/// Rows that a packed group interleaves.
pub const GROUP: usize = 8;
