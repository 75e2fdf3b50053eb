//! The declarations of the kernels.

use crate::frame::kernel::kernel;

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
