//! The pair correlation function g(r) and the orientational correlation function g6(r) of points in
//! the plane, as exact sums over all pairs.
//!
//! | type | holds |
//! |---|---|
//! | [`Psi`] | an orientation: from an angle, a complex number, or the nearest neighbours |
//! | [`Neighbours`] | the neighbours of points, for orientations computed in parts |
//! | [`Image`] | points with integer coordinates |
//! | [`PairPlan`], [`Method`] | the methods for an image, and the choice between them |
//! | [`Points`] | points with real coordinates, in an open or a periodic plane |
//! | [`Bins`], [`Accumulator`] | distance bins, and the pairs counted in each |
//!
//! # Source
//! Pancratov, Kurzer, Shaw, Trawick, "Why computer architecture matters: thinking through
//! trade-offs in your code" (2008).
//!
//! # Method
//! Each point i has an orientation psi_i: a complex number of magnitude at most 1, such as
//! exp(6 i theta_i) or a particle's bond-orientational order. For each distance bin b, the pairs
//! are counted and their products summed:
//!
//! ```text
//! n_b = number of pairs i < j with r_ij in b      S_b = sum of Re(psi_i* psi_j)      g_b = S_b / n_b
//! ```
//!
//! | kernel | bin of a pair | cost per pair |
//! |---|---|---|
//! | [`offsets()`] | by the integer difference of x, for two rows of an image | one addition to memory |
//! | [`scatter()`] | uniform bins, from the distance | a vector square root, one addition to memory |
//! | [`scatter_below()`] | the same, for pairs below a distance | a comparison; for those, a square root, an addition |
//! | [`edges()`] | pairs beyond each of a few edges | one vector comparison per edge |
//! | [`counts()`] | the same, without orientations | one vector comparison per edge |
//! | none (`lookup.rs`) | many uneven bins, or distant integers, from a table | a lookup, one addition to memory |
//! | none ([`Method::Pairs`]) | few points of an image, pair by pair | a search among the edges |
//! | none (`tally/by_cell.rs`) | points far outside, distances near half a period; f64 | a search among the edges |
//!
//! All differences of an image can also be counted at once: as the autocorrelations of the points and of
//! their orientations on the pixels, by number-theoretic transforms ([`ntt_forward()`],
//! [`ntt_inverse()`], [`ntt_combine()`], [`ntt_multiply()`]), which round nothing.
//!
//! # Layout
//! Distances are in the unit of the coordinates, angles in radians, sums in units of 2^-28. A table
//! has one 64-bit word per bin: the number of pairs in the upper 17 bits, the sum of products
//! below, so that a pair costs one addition. A word overflows after [`MAX_PAIRS`] pairs and must
//! be emptied before.
//!
//! # Example
//! ```
//! use hotloops::correlation::{Accumulator, Bins, Image, Psi};
//!
//! // A square lattice of spacing 10, whose particles all point the same way.
//! let (x, y): (Vec<i32>, Vec<i32>) = (0..400).map(|i| (i % 20 * 10, i / 20 * 10)).unzip();
//! let image = Image::new(&x, &y, &[Psi::from_angle(0.3, 4)?; 400])?;
//! let mut pairs = Accumulator::new(Bins::uniform(0.0, 20.0, 1.0)?)?;
//! pairs.add_image(&image)?;
//! let bins: Vec<_> = pairs.bins().collect();
//! assert_eq!(bins[10].count, 2 * 20 * 19); // neighbours in rows and in columns
//! assert_eq!(bins[14].count, 2 * 19 * 19); // along diagonals
//! assert!((bins[10].g().unwrap() - 1.0).abs() < 1e-4);
//! assert_eq!(bins[11].g(), None);
//! # Ok::<(), hotloops::Error>(())
//! ```
//!
//! # Exactness
//! Orientations are rounded to multiples of 2^-14. Distances between integer coordinates are exact.
//! Between real coordinates, the distance is accurate to 2^-18 of the largest distance
//! ([`Points`]); it is computed in `f32`, without fused multiply-add. Counts and sums are integers.
//! So the result is independent of the instruction set, the order of the points, and the split over
//! threads.
//!
//! # Errors
//! [`Error::Length`](crate::Error::Length) if coordinates and orientations differ in length;
//! [`Error::Bins`](crate::Error::Bins), [`Error::Coordinate`](crate::Error::Coordinate),
//! [`Error::Periodic`](crate::Error::Periodic) and
//! [`Error::Orientation`](crate::Error::Orientation) for invalid values;
//! [`Error::Frame`](crate::Error::Frame) for sets of points that were sorted into different cells.

#[cfg(avx2)]
pub(crate) mod avx2;
#[cfg(avx512)]
pub(crate) mod avx512;
#[cfg(neon)]
pub(crate) mod neon;
pub(crate) mod scalar;
#[cfg(sse2)]
pub(crate) mod sse2;

mod accumulator;
mod add_points;
mod bins;
mod boundary;
mod cells;
#[cfg(feature = "c-api")]
mod ffi;
mod frame;
mod image;
mod kernels;
#[cfg(any(sse2, neon))]
mod lanes;
mod lookup;
mod modular;
mod neighbours;
#[cfg(any(sse2, neon))]
mod ntt;
mod plan;
mod points;
mod psi;
#[cfg(any(sse2, neon))]
mod ring;
#[cfg(sse2)]
mod rows;
#[cfg(any(sse2, neon))]
mod survivors;
mod tally;
#[cfg(any(sse2, neon))]
mod tiles;
mod transform;

pub use accumulator::{Accumulator, Bin};
pub use bins::{Bins, MAX_BINS};
pub use boundary::Boundary;
pub use image::{Image, MAX_EXTENT};
pub use kernels::*;
pub use neighbours::{Bonds, Neighbours};
pub use plan::{Method, PairPlan};
pub use points::Points;
pub use psi::Psi;

/// Width in bits of the sum of products, the lower part of a word. The number of pairs is above it.
pub(crate) const SUM_BITS: u32 = 47;

/// One pair in a word's count.
pub(crate) const ONE_PAIR: i64 = 1 << SUM_BITS;

/// The maximum number of pairs in a word. A product is at most 2^29 in magnitude, so the sum fits
/// in 47 bits.
pub const MAX_PAIRS: usize = (1 << (64 - SUM_BITS)) - 1;

/// Number of tables of [`scatter()`]. With several, successive additions seldom hit the same word.
pub(crate) const TABLES: usize = 4;

/// The number of transforms that the kernels of the number-theoretic transform compute side by side. The
/// numbers at one index of all of them are a row.
pub(crate) const ROW: usize = 16;
