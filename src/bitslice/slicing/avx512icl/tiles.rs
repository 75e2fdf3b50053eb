//! AVX-512 with VBMI and GFNI: tiles.

use super::*;

avx512icl! {
    /// Cuts tiles or puts them together, 4 vectors at a time. Both bits of the vector number are
    /// exchanged with bits of the byte position: bit 0 before the octets are transposed, bit 1
    /// after. The bit that replaced bit 0 becomes bit 1.
    ///
    /// # Safety
    /// `src` points to `tiles` times 256 readable bytes, `src_stride` bytes apart, `dst` to as many
    /// writable ones, `dst_stride` bytes apart.
    #[inline]
    unsafe fn tiles_u32(
        (src, src_stride): (*const u8, usize),
        (dst, dst_stride): (*mut u8, usize),
        tiles: usize,
        before: &[[u8; 64]; 2],
        after: &[[u8; 64]; 2],
    ) {
        for tile in 0..tiles {
            // SAFETY: the vectors of a tile.
            let z: [__m512i; 4] = unsafe { src.add(tile * src_stride).cast::<[__m512i; 4]>().read_unaligned() };
            let [a, b] = choose(z[0], z[1], before);
            let [c, d] = choose(z[2], z[3], before);
            let [p, q] = choose(diagonal(a, 0), diagonal(c, 0), after);
            let [r, s] = choose(diagonal(b, 0), diagonal(d, 0), after);
            // SAFETY: the four vectors of a tile.
            unsafe { dst.add(tile * dst_stride).cast::<[__m512i; 4]>().write_unaligned([p, q, r, s]) }
        }
    }

    /// # Safety
    /// As for [`tiles_u32`], with `tiles` times 64 bytes: the elements and their tile.
    #[inline]
    unsafe fn cut_u8((src, src_stride): (*const u8, usize), (dst, dst_stride): (*mut u8, usize), tiles: usize) {
        let turn = vector(&const { index(7, [32, 16, 8, 4, 2, 1]) });
        let order = vector(&const { index(0, [4, 2, 1, 32, 16, 8]) });
        for tile in 0..tiles {
            // SAFETY: 64 elements, and a tile.
            unsafe {
                let x = _mm512_loadu_si512(src.add(tile * src_stride).cast());
                let x = diagonal(_mm512_permutexvar_epi8(turn, x), 0);
                _mm512_storeu_si512(dst.add(tile * dst_stride).cast(), _mm512_permutexvar_epi8(order, x));
            }
        }
    }

    /// The inverse of [`cut_u8`].
    ///
    /// # Safety
    /// Same as there.
    #[inline]
    unsafe fn join_u8((src, src_stride): (*const u8, usize), (dst, dst_stride): (*mut u8, usize), tiles: usize) {
        let order = vector(&const { index(56, [4, 2, 1, 32, 16, 8]) });
        for tile in 0..tiles {
            // SAFETY: a tile, and 64 elements.
            unsafe {
                let x = _mm512_loadu_si512(src.add(tile * src_stride).cast());
                let x = diagonal(_mm512_permutexvar_epi8(order, x), 0);
                _mm512_storeu_si512(dst.add(tile * dst_stride).cast(), x);
            }
        }
    }

    /// # Safety
    /// As for [`tiles_u32`], with `tiles` times 128 bytes: 64 elements of two bytes and their tile.
    #[inline]
    unsafe fn cut_u16(
        (src, src_stride): (*const u8, usize),
        (dst, dst_stride): (*mut u8, usize),
        tiles: usize,
    ) {
        let order = vector(&const { index(0, [4, 2, 1, 32, 16, 8]) });
        for tile in 0..tiles {
            // SAFETY: 64 elements, and a tile.
            unsafe {
                let [a, b] = src.add(tile * src_stride).cast::<[__m512i; 2]>().read_unaligned();
                let bytes = choose(a, b, &SPLIT_PAIR).map(|x| _mm512_permutexvar_epi8(order, diagonal(x, 0)));
                dst.add(tile * dst_stride).cast::<[__m512i; 2]>().write_unaligned(bytes);
            }
        }
    }

    /// The inverse of [`cut_u16`].
    ///
    /// # Safety
    /// Same as there.
    #[inline]
    unsafe fn join_u16(
        (src, src_stride): (*const u8, usize),
        (dst, dst_stride): (*mut u8, usize),
        tiles: usize,
    ) {
        let order = vector(&const { index(56, [4, 2, 1, 32, 16, 8]) });
        for tile in 0..tiles {
            // SAFETY: a tile, and 64 elements.
            unsafe {
                let bytes = src.add(tile * src_stride).cast::<[__m512i; 2]>().read_unaligned();
                let [low, high] = bytes.map(|x| diagonal(_mm512_permutexvar_epi8(order, x), 0));
                dst.add(tile * dst_stride).cast::<[__m512i; 2]>().write_unaligned(choose(low, high, &JOIN_PAIR));
            }
        }
    }

    /// # Safety
    /// As for [`tiles_u32`].
    #[inline]
    unsafe fn cut_u32(src: (*const u8, usize), dst: (*mut u8, usize), tiles: usize) {
        const AFTER: [[u8; 64]; 2] = [index(0, [4, 2, 1, 64, 32, 16]), index(8, [4, 2, 1, 64, 32, 16])];
        // SAFETY: the caller's contract.
        unsafe { tiles_u32(src, dst, tiles, &SPLIT, &AFTER) }
    }

    /// # Safety
    /// As for [`tiles_u32`].
    #[inline]
    unsafe fn join_u32(src: (*const u8, usize), dst: (*mut u8, usize), tiles: usize) {
        const BEFORE: [[u8; 64]; 2] = [index(56, [64, 2, 1, 32, 16, 8]), index(60, [64, 2, 1, 32, 16, 8])];
        // SAFETY: the caller's contract.
        unsafe { tiles_u32(src, dst, tiles, &BEFORE, &JOIN) }
    }

    /// Cuts tiles of elements of eight bytes, or puts them together.
    ///
    /// # Safety
    /// As for [`tiles_u32`], with `tiles` times 512 bytes.
    #[inline]
    unsafe fn tiles_u64(
        (src, src_stride): (*const u8, usize),
        (dst, dst_stride): (*mut u8, usize),
        tiles: usize,
    ) {
        for tile in 0..tiles {
            // SAFETY: 64 elements or their tile, on both sides.
            unsafe {
                let rows = src.add(tile * src_stride).cast::<[__m512i; 8]>().read_unaligned();
                dst.add(tile * dst_stride).cast::<[__m512i; 8]>().write_unaligned(transpose(rows, 0));
            }
        }
    }

    /// See [`super::cut_tile()`].
    ///
    /// # Safety
    /// Same as there.
    pub unsafe extern "C" fn cut_tile(src: *const u8, bytes: usize, tile: *mut u8) {
        // SAFETY: the caller's contract.
        unsafe {
            match bytes {
                1 => cut_u8((src, 0), (tile, 0), 1),
                2 => cut_u16((src, 0), (tile, 0), 1),
                4 => cut_u32((src, 0), (tile, 0), 1),
                _ => tiles_u64((src, 0), (tile, 0), 1),
            }
        }
    }

    /// See [`super::join_tile()`].
    ///
    /// # Safety
    /// Same as there.
    pub unsafe extern "C" fn join_tile(tile: *const u8, bytes: usize, dst: *mut u8) {
        // SAFETY: the caller's contract.
        unsafe {
            match bytes {
                1 => join_u8((tile, 0), (dst, 0), 1),
                2 => join_u16((tile, 0), (dst, 0), 1),
                4 => join_u32((tile, 0), (dst, 0), 1),
                _ => tiles_u64((tile, 0), (dst, 0), 1),
            }
        }
    }
}

/// Exports the kernels for tiles of an element type.
macro_rules! export_tiles {
    ($($element:ty, $cut:ident, $join:ident, $tile:ident, $untile:ident;)+) => {
        avx512icl! {
            $(
                pub unsafe extern "C" fn $tile(src: *const $element, chunks: usize, tiles: *mut u8, stride: usize) {
                    // SAFETY: the caller's contract.
                    unsafe { $cut((src.cast(), 64 * size_of::<$element>()), (tiles, stride), 8 * chunks) }
                }

                pub unsafe extern "C" fn $untile(tiles: *const u8, stride: usize, chunks: usize, dst: *mut $element) {
                    // SAFETY: the caller's contract.
                    unsafe { $join((tiles, stride), (dst.cast(), 64 * size_of::<$element>()), 8 * chunks) }
                }
            )+
        }
    };
}

export_tiles! {
    u8, cut_u8, join_u8, tile_u8, untile_u8;
    u16, cut_u16, join_u16, tile_u16, untile_u16;
    u32, cut_u32, join_u32, tile_u32, untile_u32;
    u64, tiles_u64, tiles_u64, tile_u64, untile_u64;
}
