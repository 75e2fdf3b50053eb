//! The declarations of the kernels.

use super::Layout;
use crate::frame::kernel::kernel;

kernel! {
    /// Block of a product: `m` rows and `n` columns of C become A B, or C + A B if `accumulate` is
    /// not 0; each element is one chain of fused multiply-adds over ascending k, which begins at +0
    /// or at its element of C.
    ///
    /// Element (i, p) of A is at `a + i * a_row + p * a_column`, (p, j) of B at
    /// `b + p * b_row + j`, (i, j) of C at `c + i * c_row + j`. If `packed` is not null, the kernel
    /// copies B there, row p to `packed + p * n`. It reads B once, for the first rows of C, and
    /// `packed` for the others.
    ///
    /// # Safety
    /// All these elements are readable, at any alignment. The elements of C and `packed` are
    /// writable, and overlap neither each other nor the elements of A and B. Strides are in
    /// elements; the strides of A and B may be negative or 0. If n is 0, or if `packed` is null and
    /// m or k is 0, A and B are not read.
    "hl_matmul_block_f32" unsafe fn block_f32(
        m: usize, n: usize, k: usize, a: *const f32, a_row: isize, a_column: isize, b: *const f32, b_row: isize,
        packed: *mut f32, c: *mut f32, c_row: isize, accumulate: u32,
    );
    assembly: avx2, neon;
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// [`block_f32()`] for few columns: made for `n` up to 8, rows of A in the lanes of a vector.
    ///
    /// Element (i, p) of A is at `a + i * a_row + p`, (p, j) of B at `b + p * b_row + j`, (i, j) of
    /// C at `c + i * c_row + j`.
    ///
    /// # Safety
    /// As for [`block_f32()`].
    "hl_matmul_columns_f32" unsafe fn columns_f32(
        m: usize, n: usize, k: usize, a: *const f32, a_row: isize, b: *const f32, b_row: isize, c: *mut f32,
        c_row: isize, accumulate: u32,
    );
    intrinsics: avx512 unless narrow_512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Up to 32 rows of a matrix times a vector: each element of C becomes a chain of fused
    /// multiply-adds over ascending k, which begins at the element.
    ///
    /// Element (i, p) of A is at `a + i * a_row + p`. Row i times `x` is added to element i of `c`.
    ///
    /// # Safety
    /// m is 8, 16, 24 or 32, and k at least 16. `m` rows of `k` elements of A, `k` elements of `x`
    /// and `m` of `c` are readable at any alignment; those of `c` are writable, and overlap no
    /// other. The stride is in elements; it may be negative or 0.
    "hl_matmul_vector_f32" unsafe fn vector_f32(
        m: usize, k: usize, a: *const f32, a_row: isize, x: *const f32, c: *mut f32,
    );
    assembly: avx512, avx2;
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// At least 4 rows of a matrix times a vector, in another order than [`vector_f32()`]: `y` becomes
    /// the dot products of the rows and `x`.
    ///
    /// Element (i, p) of A is at `a + i * a_row + p`. Each row has one sum for each of the 16 lanes
    /// of 64 bytes, a chain of fused multiply-adds that begins at +0. Lane l takes p = l, l + 16, and
    /// so on; behind the last columns, A and `x` count as +0 up to a multiple of 16. Then the upper
    /// half of the sums is added to the lower half until one is left.
    ///
    /// # Safety
    /// m is at least 4. `m` rows of `k` elements of A and `k` elements of `x` are readable at any
    /// alignment. The `m` elements of `y` are writable, and overlap no other. The stride is in
    /// elements; it may be negative or 0.
    "hl_matmul_dots_f32" unsafe fn dots_f32(
        m: usize, k: usize, a: *const f32, a_row: isize, x: *const f32, y: *mut f32,
    );
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Outer product of a column and a row: `m` rows and `n` columns of C become A B, or C + A B if
    /// `accumulate` is not 0, each element by one fused multiply-add, a row at a time.
    ///
    /// Element i of A is at `a + i * a_row`, j of B at `b + j`, (i, j) of C at `c + i * c_row + j`.
    ///
    /// # Safety
    /// n is at least 16. All these elements are readable, at any alignment; those of C are writable,
    /// and overlap neither each other nor the elements of A and B. Strides are in elements; that of
    /// A may be negative or 0.
    "hl_matmul_outer_f32" unsafe fn outer_f32(
        m: usize, n: usize, a: *const f32, a_row: isize, b: *const f32, c: *mut f32, c_row: isize, accumulate: u32,
    );
    intrinsics: avx512 unless narrow_512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Tiny product: C becomes A B, or C + A B if `accumulate` is not 0; each element is one chain of
    /// fused multiply-adds over ascending k, which begins at +0 or at its element of C.
    ///
    /// Element (i, p) of A is `i * a_row + p * a_column` bytes behind `a`. Row p of B begins
    /// `p * b_row` bytes behind `b`, row i of C `i * c_row` bytes behind `c`; elements of these rows
    /// are contiguous.
    ///
    /// # Safety
    /// m, n and k of `layout` are 1 to 8, and its strides are multiples of the size of an element.
    /// All these elements are readable, at any alignment; those of C are writable, and overlap
    /// neither each other nor the elements of A and B. The strides of A and B may be negative or 0.
    "hl_matmul_tiny_f32" unsafe fn tiny_f32(
        layout: *const Layout, a: *const f32, b: *const f32, c: *mut f32, accumulate: u32,
    );
    assembly: avx2, neon;
    intrinsics: avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Transposes: element (i, j) of A, `m` rows of `n` at `a + i * a_row + j`, goes to
    /// `b + j * b_row + i`.
    ///
    /// # Safety
    /// The elements of A are readable, the elements of B are writable, and they do not overlap. Any
    /// alignment is valid. Strides are in elements.
    "hl_matmul_transpose_f32" unsafe fn transpose_f32(
        m: usize, n: usize, a: *const f32, a_row: isize, b: *mut f32, b_row: isize,
    );
    intrinsics: avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Block of a product of doubles, like [`block_f32()`].
    ///
    /// # Safety
    /// As for [`block_f32()`].
    "hl_matmul_block_f64" unsafe fn block_f64(
        m: usize, n: usize, k: usize, a: *const f64, a_row: isize, a_column: isize, b: *const f64, b_row: isize,
        packed: *mut f64, c: *mut f64, c_row: isize, accumulate: u32,
    );
    assembly: avx2, neon;
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Block of a product of doubles for few columns, like [`columns_f32()`].
    ///
    /// # Safety
    /// As for [`columns_f32()`].
    "hl_matmul_columns_f64" unsafe fn columns_f64(
        m: usize, n: usize, k: usize, a: *const f64, a_row: isize, b: *const f64, b_row: isize, c: *mut f64,
        c_row: isize, accumulate: u32,
    );
    intrinsics: avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Up to 16 rows of a matrix of doubles times a vector, like [`vector_f32()`].
    ///
    /// # Safety
    /// As for [`vector_f32()`]; m is 4, 8, 12 or 16, and k at least 8.
    "hl_matmul_vector_f64" unsafe fn vector_f64(
        m: usize, k: usize, a: *const f64, a_row: isize, x: *const f64, c: *mut f64,
    );
    assembly: avx512, avx2;
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// At least 4 rows of a matrix of doubles times a vector, like [`dots_f32()`], with 8 lanes.
    ///
    /// # Safety
    /// As for [`dots_f32()`].
    "hl_matmul_dots_f64" unsafe fn dots_f64(
        m: usize, k: usize, a: *const f64, a_row: isize, x: *const f64, y: *mut f64,
    );
    intrinsics: avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Outer product of doubles, like [`outer_f32()`].
    ///
    /// # Safety
    /// As for [`outer_f32()`]; n is at least 8.
    "hl_matmul_outer_f64" unsafe fn outer_f64(
        m: usize, n: usize, a: *const f64, a_row: isize, b: *const f64, c: *mut f64, c_row: isize, accumulate: u32,
    );
    intrinsics: avx512 unless narrow_512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Tiny product of doubles, like [`tiny_f32()`].
    ///
    /// # Safety
    /// As for [`tiny_f32()`].
    "hl_matmul_tiny_f64" unsafe fn tiny_f64(
        layout: *const Layout, a: *const f64, b: *const f64, c: *mut f64, accumulate: u32,
    );
    assembly: avx512, avx2, neon;
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Transposes a matrix of doubles, like [`transpose_f32()`].
    ///
    /// # Safety
    /// As for [`transpose_f32()`].
    "hl_matmul_transpose_f64" unsafe fn transpose_f64(
        m: usize, n: usize, a: *const f64, a_row: isize, b: *mut f64, b_row: isize,
    );
    intrinsics: avx2 unless narrow_256, sse2, neon;
    header: kernels;
}
