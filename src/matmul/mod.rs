//! Matrix multiplication whose bits do not depend on the machine.
//!
//! `C = alpha A B + beta C`, in `f32` or `f64`, of any sizes, strides and transpositions. By default each element of C is one chain
//! of fused multiply-adds over ascending k:
//!
//! ```text
//! c[i, j] = beta c[i, j], rounded (0 where beta is 0, and then C is not read; c where beta is 1)
//! for p in 0..k:   c[i, j] = fma(alpha a[i, p], b[p, j], c[i, j]), where alpha a is rounded
//! ```
//!
//! so that its bits depend on no tile, no blocking, no shape of the rest of C, no threads and no instruction set: a row
//! multiplied alone is the row of the whole product. Only x86-64 without FMA (`sse2`) rounds each product before it is added:
//! a second class of bits.
//!
//! ```text
//!         j: panels of nc columns                        one block kernel call: mc rows, one sliver
//!         +-----------+                                   +----+
//!   k: kc |  packed   |  slivers of NR columns, kc rows   | NR |  kc      B sliver: L1
//!         +-----------+                                   +----+
//!   +--+  +-----------+                            +----+ +----+
//! i |mc|  |     C     |                         mc | A  | | C  |  MR x NR in registers, kc steps
//!   +--+  +-----------+                            +----+ +----+          A block: L2
//! ```

#[cfg(avx2)]
pub(crate) mod avx2;
#[cfg(avx512)]
pub(crate) mod avx512;
#[cfg(neon)]
pub(crate) mod neon;
pub(crate) mod scalar;
#[cfg(sse2)]
pub(crate) mod sse2;

mod tiles;

use crate::kernel::kernel;

kernel! {
    /// Block of a product: `m` rows and `n` columns of C become A B, or C + A B if `accumulate` is not 0; each element is one chain of
    /// fused multiply-adds over ascending k, which begins at +0 or at its element of C.
    ///
    /// Element (i, p) of A is at `a + i * a_row + p * a_column`, (p, j) of B at `b + p * b_row + j`, (i, j) of C at
    /// `c + i * c_row + j`. If `packed` is not null it receives B, row (p, 0..n) at `packed + p * n`: the kernel reads B once for
    /// its first rows, and `packed` for the others.
    ///
    /// # Safety
    /// All elements named are readable, those of C and of `packed` writable and apart from each other and from A and B; at any
    /// alignment. The strides, in elements, may be negative or 0 for A and B. If n or m is 0, or `packed` null and k 0, nothing
    /// of A and B is read.
    "hl_matmul_block_f32" unsafe fn block_f32(m: usize, n: usize, k: usize, a: *const f32, a_row: isize, a_column: isize, b: *const f32, b_row: isize, packed: *mut f32, c: *mut f32, c_row: isize, accumulate: u32);
    avx512 intrinsics,
    avx2 intrinsics,
    neon intrinsics,
    scalar reference,
}

kernel! {
    /// [`block_f32()`] without fused multiply-add: each product is rounded, then added. Each element of A stands four times, one after
    /// the other, from `a + i * a_row + p * a_column`: a vector of it.
    ///
    /// # Safety
    /// As for [`block_f32()`].
    "hl_matmul_block_unfused_f32" unsafe fn block_unfused_f32(m: usize, n: usize, k: usize, a: *const f32, a_row: isize, a_column: isize, b: *const f32, b_row: isize, packed: *mut f32, c: *mut f32, c_row: isize, accumulate: u32);
    scalar reference,
}

kernel! {
    /// [`block_f32()`] for few columns: made for `n` up to 8, rows of A in the lanes of a vector.
    ///
    /// Element (i, p) of A is at `a + i * a_row + p`, (p, j) of B at `b + p * b_row + j`, (i, j) of C at `c + i * c_row + j`.
    ///
    /// # Safety
    /// As for [`block_f32()`].
    "hl_matmul_columns_f32" unsafe fn columns_f32(m: usize, n: usize, k: usize, a: *const f32, a_row: isize, b: *const f32, b_row: isize, c: *mut f32, c_row: isize, accumulate: u32);
    avx512 intrinsics,
    avx2 intrinsics,
    neon intrinsics,
    scalar reference,
}

kernel! {
    /// Transposes: element (i, j) of A, `m` rows of `n` at `a + i * a_row + j`, goes to `b + j * b_row + i`.
    ///
    /// # Safety
    /// All elements named are readable, or writable; they do not overlap; at any alignment. Strides are in elements.
    "hl_matmul_transpose_f32" unsafe fn transpose_f32(m: usize, n: usize, a: *const f32, a_row: isize, b: *mut f32, b_row: isize);
    avx512 intrinsics,
    avx2 intrinsics,
    neon intrinsics,
    scalar reference,
}

kernel! {
    /// Block of a product: `m` rows and `n` columns of C become A B, or C + A B if `accumulate` is not 0; each element is one chain of
    /// fused multiply-adds over ascending k, which begins at +0 or at its element of C.
    ///
    /// Element (i, p) of A is at `a + i * a_row + p * a_column`, (p, j) of B at `b + p * b_row + j`, (i, j) of C at
    /// `c + i * c_row + j`. If `packed` is not null it receives B, row (p, 0..n) at `packed + p * n`: the kernel reads B once for
    /// its first rows, and `packed` for the others.
    ///
    /// # Safety
    /// All elements named are readable, those of C and of `packed` writable and apart from each other and from A and B; at any
    /// alignment. The strides, in elements, may be negative or 0 for A and B. If n or m is 0, or `packed` null and k 0, nothing
    /// of A and B is read.
    "hl_matmul_block_f64" unsafe fn block_f64(m: usize, n: usize, k: usize, a: *const f64, a_row: isize, a_column: isize, b: *const f64, b_row: isize, packed: *mut f64, c: *mut f64, c_row: isize, accumulate: u32);
    avx512 intrinsics,
    avx2 intrinsics,
    neon intrinsics,
    scalar reference,
}

kernel! {
    /// [`block_f64()`] without fused multiply-add: each product is rounded, then added. Each element of A stands two times, one after
    /// the other, from `a + i * a_row + p * a_column`: a vector of it.
    ///
    /// # Safety
    /// As for [`block_f64()`].
    "hl_matmul_block_unfused_f64" unsafe fn block_unfused_f64(m: usize, n: usize, k: usize, a: *const f64, a_row: isize, a_column: isize, b: *const f64, b_row: isize, packed: *mut f64, c: *mut f64, c_row: isize, accumulate: u32);
    scalar reference,
}

kernel! {
    /// [`block_f64()`] for few columns: made for `n` up to 8, rows of A in the lanes of a vector.
    ///
    /// Element (i, p) of A is at `a + i * a_row + p`, (p, j) of B at `b + p * b_row + j`, (i, j) of C at `c + i * c_row + j`.
    ///
    /// # Safety
    /// As for [`block_f64()`].
    "hl_matmul_columns_f64" unsafe fn columns_f64(m: usize, n: usize, k: usize, a: *const f64, a_row: isize, b: *const f64, b_row: isize, c: *mut f64, c_row: isize, accumulate: u32);
    avx512 intrinsics,
    avx2 intrinsics,
    neon intrinsics,
    scalar reference,
}

kernel! {
    /// Transposes: element (i, j) of A, `m` rows of `n` at `a + i * a_row + j`, goes to `b + j * b_row + i`.
    ///
    /// # Safety
    /// All elements named are readable, or writable; they do not overlap; at any alignment. Strides are in elements.
    "hl_matmul_transpose_f64" unsafe fn transpose_f64(m: usize, n: usize, a: *const f64, a_row: isize, b: *mut f64, b_row: isize);
    avx512 intrinsics,
    avx2 intrinsics,
    neon intrinsics,
    scalar reference,
}
