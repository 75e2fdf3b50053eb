//! The declarations of the kernels.

use super::{Arcs, Bundle, Cell, Curve, Places, Suspects};
#[cfg(doc)]
use super::{MAX_ARCS, MAX_DOMAINS, MAX_ROWS};
use crate::frame::kernel::kernel;

kernel! {
    /// The regular test on domains: bit i mod 8 of `bits[i / 8]` is 0 if no x < `n` has b - a x mod
    /// 1 < w, for `a[i]`, `b[i]` and `w` in units of 2^-64. The last byte's other bits are 0.
    ///
    /// The test cuts a and b to 52 bits and covers the cut by a wider strip, \[0, w / 2^12 rounded
    /// up + n - 1). For this line and strip it is exact, on the first u + v arguments: `n` or a few
    /// more. An `n` below 3 counts as 3.
    ///
    /// # Safety
    /// `a` and `b` point to `count` readable integers, `bits` to `count` / 8 writable bytes,
    /// rounded up, that overlap neither. Any alignment. `n` is at most 2^32.
    "hl_hardround_regular" unsafe fn regular(a: *const u64, b: *const u64, count: usize, n: u64, w: u64, bits: *mut u8);
    assembly: avx2, neon;
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Lefevre's test on domains, with the arguments, results and limits of [`regular()`]; after
    /// 1024 turns it says 1.
    ///
    /// # Safety
    /// As for [`regular()`].
    "hl_hardround_lefevre" unsafe fn lefevre(a: *const u64, b: *const u64, count: usize, n: u64, w: u64, bits: *mut u8);
    assembly: avx512 unless narrow_512, neon;
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// The smallest x < `n` with d0 + d1 x + d2 x (x - 1) / 2 + d3 x (x - 1) (x - 2) / 6 mod 2^64 <
    /// `w`, or `n` if there is none.
    ///
    /// # Safety
    /// `d` points to four readable integers, at any alignment.
    "hl_hardround_exhaust" unsafe fn exhaust(d: *const u64, n: u64, w: u64) -> u64;
    assembly: avx2, neon;
    intrinsics: avx512 unless narrow_512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Which domains of cells may hold a case: bit i mod 64 of `hits[2 c + i / 64]` for domain i of
    /// cell c; the other bits are 0.
    ///
    /// With Z = 1 + z and H = 1 + h from the upper 23 bits of the fractions, y at least `min_y`, t =
    /// `per` / y, r = t - `ratio`, s0 = (Z - 1) r + H, s1 = s0 + r and limit = `row_slope` y +
    /// `row_offset`: the bit is 1 if (Z - 1 <= limit and frac(s0) <= `width` t + `slack`) or (Z <=
    /// limit and frac(s1) <= `width` t + `slack`). Each operation is rounded to `f32`, none fused.
    ///
    /// # Safety
    /// `cells` points to `count` readable cells, `hits` to 2 `count` writable words that do not
    /// overlap them. Any alignment. Cells have at most [`MAX_DOMAINS`] domains. `min_y` is
    /// positive; the other floats are finite and, except for `ratio`, neither negative nor -0. No
    /// result above is NaN, and s0 and s1 are below 2^31.
    "hl_hardround_rows" unsafe fn rows(cells: *const Cell, count: usize, hits: *mut u64);
    rows: all;
    header: kernels;
}

kernel! {
    /// The arcs of a curve: their vertices, first rows and tolerances.
    ///
    /// Arc i is that of a fraction r / u, with u = `denominators[i + 1]` and neighbours in the Farey
    /// sequence of denominators `denominators[i]` and `denominators[i + 2]`, v. `differences[i]` is
    /// r - u times the slope. [`Curve`] and [`Arcs`] name the numbers; the source of the reference
    /// is their definition. Each operation is rounded to `f64`, none fused.
    ///
    /// # Safety
    /// `curve` points to a readable curve, `denominators` to `count` + 2 and `differences` to
    /// `count` readable numbers, `arcs` to writable arcs that overlap none of them. Any alignment.
    /// `count` is a multiple of 8, at most [`MAX_ARCS`]; the entries of the first `count` arcs are
    /// written. Denominators are integers from 1 to 2^21, the quadratic coefficients at the vertices
    /// are positive, and no result is NaN.
    "hl_hardround_arcs" unsafe fn arcs(
        curve: *const Curve,
        denominators: *const f64,
        differences: *const f64,
        count: usize,
        arcs: *mut Arcs,
    );
    assembly: avx512, neon;
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// The rows of pieces of arcs that may hold a case: bit i of `hits[32 b + j]` for row j of piece
    /// i of bundle b.
    ///
    /// With s = `scale` sqrt(`height` + j), each operation rounded to `f32`, S = 2^18 s, s rounded
    /// to an integer, ties to even, and b = `base` - j `step`: the bit is 1 if b + S or b - S modulo
    /// 2^32 is at most `limit`, as signed integers. For row 0, b is `base` + `extra`, and the limit
    /// is `first`.
    ///
    /// # Safety
    /// `bundles` points to `count` readable bundles, `hits` to 32 `count` writable words that do not
    /// overlap them. Any alignment. The first `rows` of the 32 words of a bundle are written; `rows`
    /// is at most [`MAX_ROWS`]. `scale` and `height` are neither negative nor NaN, and s is below
    /// 2^31.
    "hl_hardround_dual" unsafe fn dual(bundles: *const Bundle, count: usize, hits: *mut u32);
    assembly: avx512, neon;
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// The arguments that may be on rows of arcs: those near enough in `f64`.
    ///
    /// [`Suspects`] names the rows, [`Places`] the arguments; the source of the reference is their
    /// definition. Each operation is rounded to `f64`, none fused.
    ///
    /// # Safety
    /// `curve` points to a readable curve, `suspects` to readable ones, `places` to writable ones
    /// that overlap neither. Any alignment. `count` is a multiple of 8, at most [`MAX_ARCS`]; the
    /// entries of the first `count` suspects are read, and as many places written. Denominators and
    /// the quadratic coefficients at the vertices are positive, and no result is NaN.
    "hl_hardround_refine" unsafe fn refine(
        curve: *const Curve,
        suspects: *const Suspects,
        count: usize,
        places: *mut Places,
    );
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}
