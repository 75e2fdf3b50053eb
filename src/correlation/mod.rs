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
//! | none (`lookup.rs`) | many bins that are not uniform, from a table | a lookup, one addition to memory |
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
pub use neighbours::{Bonds, Neighbours};
pub use plan::{Method, PairPlan};
pub use points::Points;
pub use psi::Psi;

use crate::frame::kernel::kernel;

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

kernel! {
    /// Pairs of two rows of points by the difference of their x: for each i < n and j < m,
    /// `words[other_x[j] - x[i]]` gets 2^47 and the product of `psi[2 i..]` and `other_psi[2 j..]`,
    /// the sum of the products of first and of second numbers. Sums wrap.
    ///
    /// # Safety
    /// `x` points to `n` readable integers, `psi` to 2 `n`, `other_x` to `m`, `other_psi` to 2 `m`.
    /// Every word named above, before or after `words`, can be read and written and overlaps
    /// nothing else. Any alignment. The integers of `psi` and `other_psi` are in -16384..=16384.
    "hl_correlation_offsets" unsafe fn offsets(
        x: *const i32, psi: *const i16, n: usize, other_x: *const i32, other_psi: *const i16, m: usize, words: *mut i64,
    );
    assembly: avx2, neon;
    intrinsics: avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Pairs of points by their distance in uniform bins: for each i < n and j < m, bin b of table
    /// j mod 4, which is `words[(bins + 1) (j mod 4) + b]`, gets 2^47 and the product of `psi[2
    /// i..]` and `other_psi[2 j..]`, as in [`offsets()`]. Sums wrap.
    ///
    /// dx = (other_x\[j\] - x\[i\]) + shift\[0\], dy likewise, r2 = dx dx + dy dy, t = sqrt(r2)
    /// `inverse_width`. b = the integer part of t - `start`, or 0 if t is less than `start`, or
    /// `bins` if that is less; each operation rounded to `f32`, none fused.
    ///
    /// # Safety
    /// `x` and `y` point to `n` readable floats, `psi` to 2 `n` readable integers; `other_x` and
    /// `other_y` to `m` floats, `other_psi` to 2 `m` integers; `shift` to two floats; `words` to 4
    /// (`bins` + 1) words that can be read and written and overlap nothing else. Any alignment. The
    /// floats are finite, `inverse_width` is positive and finite, `bins` is at most 2^24. The
    /// integers of `psi` and `other_psi` are in -16384..=16384.
    "hl_correlation_scatter" unsafe fn scatter(
        x: *const f32, y: *const f32, psi: *const i16, n: usize, other_x: *const f32, other_y: *const f32,
        other_psi: *const i16, m: usize, shift: *const f32, inverse_width: f32, start: f32, bins: usize,
        words: *mut i64,
    );
    assembly: avx2, sse2, neon;
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Pairs of near points by their distance in uniform bins: of the pairs with r2 less than
    /// `limit`, in the order of i < n and then j < m, each adds to table k mod 4 what it adds to
    /// a table of [`scatter()`]; k is the number of such pairs before it.
    ///
    /// r2, bins, tables and words are those of [`scatter()`].
    ///
    /// # Safety
    /// As for [`scatter()`]. `limit` may be any float.
    "hl_correlation_scatter_below" unsafe fn scatter_below(
        x: *const f32, y: *const f32, psi: *const i16, n: usize, other_x: *const f32, other_y: *const f32,
        other_psi: *const i16, m: usize, shift: *const f32, limit: f32, inverse_width: f32, start: f32, bins: usize,
        words: *mut i64,
    );
    assembly: avx2, sse2, neon;
    intrinsics: avx512 unless narrow_512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Pairs of points from each of some distances on: for each i < n, j < m and e < k, if r2 of
    /// the pair, as in [`scatter()`], is not less than `edges[e]`, then `words[e]` gets 2^47 and
    /// the product, as there. Sums wrap.
    ///
    /// # Safety
    /// `x` and `y` point to `n` readable floats, `psi` to 2 `n` readable integers; `other_x` and
    /// `other_y` to `m` floats, `other_psi` to 2 `m` integers; `shift` to two floats, `edges` to
    /// `k` floats; `words` to `k` words that can be read and written and overlap nothing else. Any
    /// alignment. The floats are finite, but `edges` may be infinite. The integers of `psi` and
    /// `other_psi` are in -16384..=16384.
    "hl_correlation_edges" unsafe fn edges(
        x: *const f32, y: *const f32, psi: *const i16, n: usize, other_x: *const f32, other_y: *const f32,
        other_psi: *const i16, m: usize, shift: *const f32, edges: *const f32, k: usize, words: *mut i64,
    );
    rows: all;
    header: kernels;
}

kernel! {
    /// Counts the pairs of points beyond each of several distances: for each i < n, j < m and e < k,
    /// if r2 of the pair, as in [`scatter()`], is not less than `edges[e]`, adds 1 to `words[e]`.
    ///
    /// # Safety
    /// `x` and `y` point to `n` readable floats, `other_x` and `other_y` to `m`, `shift` to two,
    /// `edges` to `k`; `words` to `k` words that can be read and written and overlap nothing else.
    /// Any alignment. The floats are finite, but `edges` may be infinite. `n` times `m` is less
    /// than 2^32.
    "hl_correlation_counts" unsafe fn counts(
        x: *const f32, y: *const f32, n: usize, other_x: *const f32, other_y: *const f32, m: usize, shift: *const f32,
        edges: *const f32, k: usize, words: *mut i64,
    );
    rows: avx512 unless narrow_512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Two levels of 16 number-theoretic transforms.
    ///
    /// A row is 16 numbers, a node 4 `quarter` rows, and a root two numbers, w and floor(2^32 w / `p`).
    /// The numbers a, b, c and d of rows i, `quarter` + i, 2 `quarter` + i and 3 `quarter` + i of node v
    /// become e + g, e - g, f + h and f - h modulo `p`, where e = a + c w, f = a - c w, g = (b + d w) w1,
    /// h = (b - d w) w2; w, w1 and w2 are roots v, 2 v and 2 v + 1.
    ///
    /// In detail, a product x w is w x - `p` floor(x floor(2^32 w / `p`) / 2^32), below 2 `p`. Before their
    /// use, 2 `p` is subtracted from a, b, e and f if they are not below that. 2 `p` is added to each
    /// difference. Results are below 4 `p`.
    ///
    /// # Safety
    /// `x` points to 64 `quarter` `nodes` numbers that can be read and written, `roots` to 4 `nodes`
    /// readable ones. Any alignment. The numbers are below 4 `p`, `p` is positive and below 2^28, and each w
    /// is below `p`.
    "hl_correlation_ntt_forward" unsafe fn ntt_forward(
        x: *mut u32, nodes: usize, quarter: usize, roots: *const u32, p: u32,
    );
    assembly: sse2, neon;
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Two levels of 16 inverse number-theoretic transforms.
    ///
    /// The numbers a, b, c and d of rows i, `quarter` + i, 2 `quarter` + i and 3 `quarter` + i of node v
    /// become e + g, f + h, (e - g) w and (f - h) w modulo `p`, where e = a + b, f = (a - b) w1, g = c + d,
    /// h = (c - d) w2; w, w1 and w2 are roots v, 2 v and 2 v + 1. Rows, nodes, roots and products are those
    /// of [`ntt_forward()`].
    ///
    /// In detail, 2 `p` is subtracted from each sum that is not below that, and added to each difference.
    /// Results are below 2 `p`.
    ///
    /// # Safety
    /// As for [`ntt_forward()`], but the numbers are below 2 `p`.
    "hl_correlation_ntt_inverse" unsafe fn ntt_inverse(
        x: *mut u32, nodes: usize, quarter: usize, roots: *const u32, p: u32,
    );
    assembly: sse2, neon;
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Sums of rows times factors modulo a prime.
    ///
    /// For each i < n and r < outputs, row r n + i of `to` gets T / 2^32 modulo `p`, where T is the sum of
    /// row s n + i of `from` times `factors[(i outputs + r) inputs + s]` over s < inputs. A row is 16
    /// numbers.
    ///
    /// In detail, t is (T + `p` (T `inverse` mod 2^32)) / 2^32, and the result is t, or t - 2 `p` if that
    /// is not negative.
    ///
    /// # Safety
    /// `from` points to 16 `n` `inputs` readable numbers, `to` to 16 `n` `outputs` that can be written,
    /// `factors` to `n` `inputs` `outputs` readable ones; none of them overlap. Any alignment. `inputs` is
    /// at most 15. The elements of `from` are below 2 `p`, the factors below `p`, `p` is odd and below 2^28,
    /// and `p` times `inverse` is -1 modulo 2^32.
    "hl_correlation_ntt_combine" unsafe fn ntt_combine(
        from: *const u32, to: *mut u32, n: usize, inputs: usize, outputs: usize, factors: *const u32, p: u32,
        inverse: u32,
    );
    rows: all;
    header: kernels;
}

kernel! {
    /// Products of rows with rows in descending order modulo a prime.
    ///
    /// For each i < n, row i of `a` gets T / 2^32 modulo `p`, where T is the sum of row i of
    /// `a[f stride..]` times row -i of `b[f stride..]` over f < fields. Rows and results are as for
    /// [`ntt_combine()`].
    ///
    /// # Safety
    /// For each f, `a[f stride..]` holds `n` readable rows, as do the `n` rows that end with that at
    /// `b[f stride..]`. The rows of field 0 of `a` can be written and overlap none of the others. Any
    /// alignment. `fields` is 1 or 2; the numbers are below 4 `p`; `p` and `inverse` are as for
    /// [`ntt_combine()`].
    "hl_correlation_ntt_multiply" unsafe fn ntt_multiply(
        a: *mut u32, b: *const u32, n: usize, fields: usize, stride: usize, p: u32, inverse: u32,
    );
    assembly: sse2, neon;
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}
