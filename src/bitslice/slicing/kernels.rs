//! The declarations of the kernels.

use crate::frame::kernel::kernel;

kernel! {
    /// Cuts 512 `chunks` elements into 8 planes: bit i of byte o of plane j is bit j of element 8 o + i.
    ///
    /// # Safety
    /// `src` points to 512 `chunks` readable elements; plane j is the 64 `chunks` writable bytes at
    /// `planes + j * stride`. `stride` is at least 64 `chunks`. Any alignment; the planes do not
    /// overlap the source.
    "hl_bitslice_slice_u8" unsafe fn slice_u8(src: *const u8, chunks: usize, planes: *mut u8, stride: usize);
    assembly: avx2gfni, avx2 unless narrow_256, sse2, neon;
    intrinsics: avx512icl, avx512, avx2gfni, avx2 unless narrow_256, sse2, neon;
}

kernel! {
    /// Puts 512 `chunks` elements together from 8 planes: the inverse of [`slice_u8()`].
    ///
    /// # Safety
    /// Same as for [`slice_u8()`], with the planes readable and the elements writable.
    "hl_bitslice_unslice_u8" unsafe fn unslice_u8(planes: *const u8, stride: usize, chunks: usize, dst: *mut u8);
    assembly: avx512, avx2 unless narrow_256, neon;
    intrinsics: avx512icl, avx512, avx2gfni, avx2 unless narrow_256, sse2, neon;
}

kernel! {
    /// Cuts 512 `chunks` elements into tiles of 64: the 64 bytes at `tiles + t * stride` are bytes
    /// 8 t .. 8 t + 8 of each of the 8 planes in turn.
    ///
    /// # Safety
    /// `src` points to 512 `chunks` readable elements; tiles 0 .. 8 `chunks` are writable, and
    /// `stride` is at least 64. Any alignment; the tiles do not overlap the source.
    "hl_bitslice_tile_u8" unsafe fn tile_u8(src: *const u8, chunks: usize, tiles: *mut u8, stride: usize);
    assembly: avx512icl, avx2gfni, avx2 unless narrow_256, sse2, neon;
    intrinsics: avx512icl, avx512, avx2gfni, avx2 unless narrow_256, sse2, neon;
}

kernel! {
    /// Puts 512 `chunks` elements together from tiles: the inverse of [`tile_u8()`].
    ///
    /// # Safety
    /// Same as for [`tile_u8()`], with the tiles readable and the elements writable.
    "hl_bitslice_untile_u8" unsafe fn untile_u8(tiles: *const u8, stride: usize, chunks: usize, dst: *mut u8);
    rows: avx512icl, avx512, avx2gfni, avx2 unless narrow_256, sse2, neon;
}

kernel! {
    /// Cuts 512 `chunks` elements into 16 planes: bit i of byte o of plane j is bit j of element 8 o + i.
    ///
    /// # Safety
    /// `src` points to 512 `chunks` readable elements; plane j is the 64 `chunks` writable bytes at
    /// `planes + j * stride`. `stride` is at least 64 `chunks`. Any alignment; the planes do not
    /// overlap the source.
    "hl_bitslice_slice_u16" unsafe fn slice_u16(src: *const u16, chunks: usize, planes: *mut u8, stride: usize);
    assembly: avx512, avx2gfni, avx2, sse2, neon;
    intrinsics: avx512icl, avx512, avx2gfni, avx2, sse2, neon;
}

kernel! {
    /// Puts 512 `chunks` elements together from 16 planes: the inverse of [`slice_u16()`].
    ///
    /// # Safety
    /// Same as for [`slice_u16()`], with the planes readable and the elements writable.
    "hl_bitslice_unslice_u16" unsafe fn unslice_u16(planes: *const u8, stride: usize, chunks: usize, dst: *mut u16);
    assembly: avx512, avx2gfni, avx2, neon;
    intrinsics: avx512icl, avx512, avx2gfni, avx2, sse2, neon;
}

kernel! {
    /// Cuts 512 `chunks` elements into tiles of 64: the 128 bytes at `tiles + t * stride` are bytes
    /// 8 t .. 8 t + 8 of each of the 16 planes in turn.
    ///
    /// # Safety
    /// `src` points to 512 `chunks` readable elements; tiles 0 .. 8 `chunks` are writable, and
    /// `stride` is at least 128. Any alignment; the tiles do not overlap the source.
    "hl_bitslice_tile_u16" unsafe fn tile_u16(src: *const u16, chunks: usize, tiles: *mut u8, stride: usize);
    assembly: avx512, avx2gfni, avx2, neon;
    intrinsics: avx512icl, avx512, avx2gfni, avx2, sse2, neon;
}

kernel! {
    /// Puts 512 `chunks` elements together from tiles: the inverse of [`tile_u16()`].
    ///
    /// # Safety
    /// Same as for [`tile_u16()`], with the tiles readable and the elements writable.
    "hl_bitslice_untile_u16" unsafe fn untile_u16(tiles: *const u8, stride: usize, chunks: usize, dst: *mut u16);
    assembly: avx512, avx2gfni, avx2, neon;
    intrinsics: avx512icl, avx512, avx2gfni, avx2, sse2, neon;
}

kernel! {
    /// Cuts 512 `chunks` elements into 32 planes: bit i of byte o of plane j is bit j of element 8 o + i.
    ///
    /// # Safety
    /// `src` points to 512 `chunks` readable elements; plane j is the 64 `chunks` writable bytes at
    /// `planes + j * stride`. `stride` is at least 64 `chunks`. Any alignment; the planes do not
    /// overlap the source.
    "hl_bitslice_slice_u32" unsafe fn slice_u32(src: *const u32, chunks: usize, planes: *mut u8, stride: usize);
    assembly: avx512icl, avx512, avx2gfni, avx2, neon;
    intrinsics: avx512icl, avx512, avx2gfni, avx2, sse2, neon;
}

kernel! {
    /// Puts 512 `chunks` elements together from 32 planes: the inverse of [`slice_u32()`].
    ///
    /// # Safety
    /// Same as for [`slice_u32()`], with the planes readable and the elements writable.
    "hl_bitslice_unslice_u32" unsafe fn unslice_u32(planes: *const u8, stride: usize, chunks: usize, dst: *mut u32);
    assembly: avx512icl, avx512, avx2gfni, avx2 unless narrow_256, neon;
    intrinsics: avx512icl, avx512, avx2gfni, avx2 unless narrow_256, sse2, neon;
}

kernel! {
    /// Cuts 512 `chunks` elements into tiles of 64: the 256 bytes at `tiles + t * stride` are bytes
    /// 8 t .. 8 t + 8 of each of the 32 planes in turn.
    ///
    /// # Safety
    /// `src` points to 512 `chunks` readable elements; tiles 0 .. 8 `chunks` are writable, and
    /// `stride` is at least 256. Any alignment; the tiles do not overlap the source.
    "hl_bitslice_tile_u32" unsafe fn tile_u32(src: *const u32, chunks: usize, tiles: *mut u8, stride: usize);
    assembly: avx512, avx2gfni, avx2, neon;
    intrinsics: avx512icl, avx512, avx2gfni, avx2, sse2, neon;
}

kernel! {
    /// Puts 512 `chunks` elements together from tiles: the inverse of [`tile_u32()`].
    ///
    /// # Safety
    /// Same as for [`tile_u32()`], with the tiles readable and the elements writable.
    "hl_bitslice_untile_u32" unsafe fn untile_u32(tiles: *const u8, stride: usize, chunks: usize, dst: *mut u32);
    assembly: avx512, avx2gfni, avx2 unless narrow_256, neon;
    intrinsics: avx512icl, avx512, avx2gfni, avx2 unless narrow_256, sse2, neon;
}

kernel! {
    /// Cuts 512 `chunks` elements into 64 planes: bit i of byte o of plane j is bit j of element 8 o + i.
    ///
    /// # Safety
    /// `src` points to 512 `chunks` readable elements; plane j is the 64 `chunks` writable bytes at
    /// `planes + j * stride`. `stride` is at least 64 `chunks`. Any alignment; the planes do not
    /// overlap the source.
    "hl_bitslice_slice_u64" unsafe fn slice_u64(src: *const u64, chunks: usize, planes: *mut u8, stride: usize);
    rows: avx512icl unless narrow_512, avx512 unless gfni, avx2gfni, avx2, sse2, neon;
}

kernel! {
    /// Puts 512 `chunks` elements together from 64 planes: the inverse of [`slice_u64()`].
    ///
    /// # Safety
    /// Same as for [`slice_u64()`], with the planes readable and the elements writable.
    "hl_bitslice_unslice_u64" unsafe fn unslice_u64(planes: *const u8, stride: usize, chunks: usize, dst: *mut u64);
    rows: avx512 unless gfni, avx2gfni, avx2, sse2, neon;
}

kernel! {
    /// Cuts 512 `chunks` elements into tiles of 64: the 512 bytes at `tiles + t * stride` are bytes
    /// 8 t .. 8 t + 8 of each of the 64 planes in turn.
    ///
    /// # Safety
    /// `src` points to 512 `chunks` readable elements; tiles 0 .. 8 `chunks` are writable, and
    /// `stride` is at least 512. Any alignment; the tiles do not overlap the source.
    "hl_bitslice_tile_u64" unsafe fn tile_u64(src: *const u64, chunks: usize, tiles: *mut u8, stride: usize);
    assembly: avx512, avx2gfni, sse2, neon;
    intrinsics: avx512icl, avx512, avx2gfni, avx2, sse2, neon;
}

kernel! {
    /// Puts 512 `chunks` elements together from tiles: the inverse of [`tile_u64()`].
    ///
    /// # Safety
    /// Same as for [`tile_u64()`], with the tiles readable and the elements writable.
    "hl_bitslice_untile_u64" unsafe fn untile_u64(tiles: *const u8, stride: usize, chunks: usize, dst: *mut u64);
    assembly: avx512icl, avx512, avx2gfni, sse2, neon;
    intrinsics: avx512icl, avx512, avx2gfni, avx2, sse2, neon;
}

kernel! {
    /// Cuts 64 elements of `bytes` bytes (1, 2, 4 or 8) into a tile: bytes 8 j .. 8 j + 8 of the tile are
    /// plane j.
    ///
    /// # Safety
    /// `src` points to 64 readable elements and `tile` to 64 `bytes` writable bytes, at any alignment,
    /// that do not overlap.
    "hl_bitslice_cut_tile" unsafe fn cut_tile(src: *const u8, bytes: usize, tile: *mut u8);
    intrinsics: avx512icl, avx2, sse2, neon;
    header: kernels;
}

kernel! {
    /// Puts 64 elements of `bytes` bytes (1, 2, 4 or 8) together from a tile: the inverse of [`cut_tile()`].
    ///
    /// # Safety
    /// Same as for [`cut_tile()`], with the tile readable and the elements writable.
    "hl_bitslice_join_tile" unsafe fn join_tile(tile: *const u8, bytes: usize, dst: *mut u8);
    intrinsics: avx512icl, avx2, sse2, neon;
    header: kernels;
}
