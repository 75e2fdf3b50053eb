//! The declarations of the kernels.

use crate::frame::kernel::kernel;

kernel! {
    /// Exchanges rows and columns of a 32 x 32 matrix of 8-byte words: the planes of a block of
    /// 2048 32-bit elements become its tiles, and the tiles its planes.
    ///
    /// # Safety
    /// `src` points to 1024 readable words and `dst` to 1024 writable ones, at any alignment, that
    /// do not overlap.
    "hl_bitslice_transpose_u64x32x32" unsafe fn transpose_u64x32x32(src: *const u64, dst: *mut u64);
    intrinsics: avx2 unless narrow_256, sse2, neon;
    header: kernels;
}

kernel! {
    /// Puts single elements together from the planes 0 .. `count`, `count` at most 64, of any
    /// layout: element e is in block `e >> block_bits`, at `planes + (e >> block_bits) *
    /// block_stride`, in which it is number `e & ((1 << block_bits) - 1)`; bit i of byte o of plane
    /// j of a block, at `j * stride + o`, is bit j of its element 8 o + i.
    ///
    /// Elements of up to 8, 16, 32 or 64 planes become integers of 8, 16, 32 or 64 bits, stored
    /// contiguously.
    ///
    /// # Safety
    /// `indices` points to `n` indices below 2^(`usize::BITS` - 1). For each index, the bytes named
    /// above are readable; if `stride` is 8 and `block_bits` is 6, all 8 `count` bytes of its block
    /// are. `block_bits` is at least 3 and less than `usize::BITS`. `dst` holds `n` elements and
    /// overlaps nothing. Any alignment.
    "hl_bitslice_pick" unsafe fn pick(
        planes: *const u8, stride: usize, count: usize, block_bits: usize, block_stride: usize, indices: *const usize,
        n: usize, dst: *mut u8,
    );
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Adds to `counts[j]` the number of words whose bit j is 1 (sums modulo 2^64).
    ///
    /// # Safety
    /// `src` points to `n` readable words, `counts` to 64 writable ones that do not overlap them.
    /// Any alignment.
    "hl_bitslice_count_positions" unsafe fn count_positions(src: *const u64, n: usize, counts: *mut u64);
    intrinsics: avx512, avx2, sse2, neon;
}

kernel! {
    /// Copies `n` bytes past the caches, where the instruction set can. To order these stores with
    /// later ones, the caller must issue a fence (`core::sync::atomic::fence(SeqCst)`).
    ///
    /// # Safety
    /// `src` points to `n` readable bytes and `dst` to `n` writable ones, at any alignment, that do
    /// not overlap.
    "hl_bitslice_stream" unsafe fn stream(src: *const u8, dst: *mut u8, n: usize);
    intrinsics: avx2, sse2;
    header: kernels;
}

kernel! {
    /// Asks for `n` bytes to be brought into the first cache, where the instruction set can; reads nothing.
    ///
    /// # Safety
    /// None: any pointer is valid.
    "hl_bitslice_prefetch" unsafe fn prefetch(src: *const u8, n: usize);
    intrinsics: sse2;
    header: kernels;
}
