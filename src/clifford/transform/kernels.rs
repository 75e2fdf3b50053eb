//! The declarations of the kernels.

use crate::frame::kernel::kernel;

kernel! {
    /// Signed sums of the blades of `m` x `n` multivectors.
    ///
    /// The terms of sum f begin where those of sum f - 1 end, and end before term `ends[f]`. Term 2 p adds
    /// number p, 2 p + 1 subtracts it. The first `kept` numbers are the first `kept` sums, the others the blades.
    /// Terms are added in their order, each addition rounded; a sum without terms is +0. The blades of
    /// multivector (i, l) begin at `x + i * x_outer + l * x_inner`, its sum `kept` + f goes to
    /// `y + i * y_outer + f * y_plane + l`.
    ///
    /// If `algebra` is not 0, the sums are the forms of a matrix algebra, so that a kernel need not read them: 1 for
    /// the squares (1, 1), 2 for (1, -1), 3 for (1, 1, 1), 4 for (1, 1, -1), 5 for (0, 1, 1, 1), 6 for
    /// (1, -1, -1, -1), 7 for (-1).
    ///
    /// # Safety
    /// `blades` is a power of 2, at most 16, `algebra` is as above. The blades of all multivectors are readable, and
    /// `kept` + `sums` ends, which ascend, with their terms. `kept` is at most 16; a sum has terms of sums before it
    /// only. The places of the sums are writable, and overlap neither each other nor anything that is read. Any
    /// alignment is valid.
    "hl_clifford_forms_f32" unsafe fn forms_f32(
        algebra: usize, m: usize, n: usize, blades: usize, x: *const f32, x_outer: usize, x_inner: usize, y: *mut f32,
        y_outer: usize, y_plane: usize, terms: *const u32, ends: *const u32, kept: usize, sums: usize,
    );
    assembly: avx2;
    intrinsics: avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Signed sums of the blades of multivectors of doubles, like [`forms_f32()`].
    ///
    /// # Safety
    /// As for [`forms_f32()`].
    "hl_clifford_forms_f64" unsafe fn forms_f64(
        algebra: usize, m: usize, n: usize, blades: usize, x: *const f64, x_outer: usize, x_inner: usize, y: *mut f64,
        y_outer: usize, y_plane: usize, terms: *const u32, ends: *const u32, kept: usize, sums: usize,
    );
    assembly: avx2;
    intrinsics: avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Blades of `m` x `n` multivectors from signed sums of numbers.
    ///
    /// Blade j is sum `kept` + j of [`forms_f32()`], with planes for blades; the number of plane p for multivector
    /// (i, l) is at `x + i * x_outer + p * x_plane + l`. If `start` is not null, the sum begins at
    /// `start[j * n + l]` if `inner` is not 0, else at `start[j * m + i]`. It goes to
    /// `y + i * y_outer + l * y_inner + j`. `algebra` says as for [`forms_f32()`] that the sums are the blades of
    /// the output of a layer.
    ///
    /// # Safety
    /// As for [`forms_f32()`], with `blades` sums behind those kept. The planes of all terms and the start are
    /// readable. The blades of all multivectors are writable, and overlap neither each other nor anything that is
    /// read. Any alignment is valid.
    "hl_clifford_blades_f32" unsafe fn blades_f32(
        algebra: usize, m: usize, n: usize, blades: usize, x: *const f32, x_outer: usize, x_plane: usize,
        start: *const f32, inner: u32, y: *mut f32, y_outer: usize, y_inner: usize, terms: *const u32, ends: *const u32,
        kept: usize,
    );
    intrinsics: avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Blades of multivectors of doubles from signed sums, like [`blades_f32()`].
    ///
    /// # Safety
    /// As for [`blades_f32()`].
    "hl_clifford_blades_f64" unsafe fn blades_f64(
        algebra: usize, m: usize, n: usize, blades: usize, x: *const f64, x_outer: usize, x_plane: usize,
        start: *const f64, inner: u32, y: *mut f64, y_outer: usize, y_inner: usize, terms: *const u32, ends: *const u32,
        kept: usize,
    );
    assembly: avx512, avx2;
    intrinsics: avx2, sse2, neon;
    header: kernels;
}
