//! AVX2: tiles. Comments beside levels are as in the parent module.

use super::*;
use crate::bitslice::slicing::sse2;

avx2! {
    /// Loads 256 elements. Each vector takes 16 from either half of them.
    ///
    /// # Safety
    /// `src` points to 256 readable bytes.
    #[inline]
    unsafe fn load_bytes(src: *const u8) -> Eight {
        // SAFETY: the caller's contract.
        core::array::from_fn(|i| unsafe { load_halves(src.add(16 * i), src.add(128 + 16 * i)) })
    }

    pub unsafe extern "C" fn tile_u8(src: *const u8, chunks: usize, tiles: *mut u8, stride: usize) {
        // Moves bytes from positions e3 e2 e1 e0 to positions e2 e0 e1 e3.
        let order = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 8, 2, 10, 1, 9, 3, 11, 4, 12, 6, 14, 5, 13, 7, 15));
        for half in 0..2 * chunks {
            // SAFETY: 256 elements of the source, four tiles.
            let (src, tiles) = unsafe { (src.add(256 * half), tiles.add(4 * half * stride)) };
            // SAFETY: `load_bytes` reads the 256 bytes of these elements.
            let mut x = unsafe { load_bytes(src) };
            x = x.map(|x| _mm256_shuffle_epi8(x, order)); // e6 e5 e4: e7|e2 e0 e1 e3|k2 k1 k0
            words(&mut x, 2); // e6 e2 e4: e7|e0 e1 e5 e3|k2 k1 k0
            words(&mut x, 1); // e6 e2 e0: e7|e1 e5 e4 e3|k2 k1 k0
            bits1(&mut x, 1); // e6 e2 k0: e7|e1 e5 e4 e3|k2 k1 e0
            qwords(&mut x, 1); // e6 e2 e1: e7|k0 e5 e4 e3|k2 k1 e0
            bits2(&mut x, 1); // e6 e2 k1: e7|k0 e5 e4 e3|k2 e1 e0
            bits4(&mut x, 2); // e6 k2 k1: e7|k0 e5 e4 e3|e2 e1 e0
            halves(&mut x, 1); // e6 k2 e7: k1|k0 e5 e4 e3|e2 e1 e0
            for (i, &x) in x.iter().enumerate() {
                // SAFETY: `place` gives 32 of the 64 bytes of each of the four tiles, each once.
                unsafe { store(tiles.add(place(i, 1, 0, 2) * stride + place(i, 0, 32, 0)), x) }
            }
        }
    }

    /// Cuts tiles of 64 elements.
    ///
    /// # Safety
    /// `src` points to 64 `count` elements, `tiles` to the tiles, which are `stride` bytes apart.
    #[inline]
    unsafe fn cut_u16(src: *const u8, count: usize, tiles: *mut u8, stride: usize) {
        for t in 0..count {
            // SAFETY: 64 elements of the source, one tile.
            let (src, tile) = unsafe { (src.add(128 * t), tiles.add(t * stride)) };
            // SAFETY: each i reads 32 of the 128 bytes of these 64 elements.
            let mut x: [_; 4] = core::array::from_fn(|i| unsafe { load(src.add(32 * i)) });
            // e5 e4: e3|e2 e1 e0 b0|k2 k1 k0
            bytes(&mut x, 2); // e2 e4: e3|e1 e0 b0 e5|k2 k1 k0
            bytes(&mut x, 1); // e2 e1: e3|e0 b0 e5 e4|k2 k1 k0
            bits4(&mut x, 2);
            bits2(&mut x, 1); // k2 k1: e3|e0 b0 e5 e4|e2 e1 k0
            halves(&mut x, 1); // k2 e3: k1|e0 b0 e5 e4|e2 e1 k0
            bytes(&mut x, 1); // k2 e0: k1|b0 e5 e4 e3|e2 e1 k0
            bits1(&mut x, 1); // k2 k0: k1|b0 e5 e4 e3|e2 e1 e0
            qwords(&mut x, 1); // k2 b0: k1|k0 e5 e4 e3|e2 e1 e0
            for (i, &x) in x.iter().enumerate() {
                // SAFETY: `place` gives the 4 words of 32 bytes of this tile, each once.
                unsafe { store(tile.add(place(i, 0, 32, 64)), x) }
            }
        }
    }

    /// Cuts tiles of 64 elements.
    ///
    /// # Safety
    /// `src` points to 64 `count` elements, `tiles` to the tiles, which are `stride` bytes apart.
    #[inline]
    unsafe fn cut_u32(src: *const u8, count: usize, tiles: *mut u8, stride: usize) {
        for t in 0..count {
            // SAFETY: 64 elements of the source, one tile.
            let (src, tile) = unsafe { (src.add(256 * t), tiles.add(t * stride)) };
            // SAFETY: each i reads 32 of the 256 bytes of these 64 elements.
            let part = |i| unsafe { load(src.add(32 * i)) };
            let mut x: Eight = core::array::from_fn(part); // e5 e4 e3: e2|e1 e0 b1 b0|k2 k1 k0
            bytes(&mut x, 2); // e5 e1 e3: e2|e0 b1 b0 e4|k2 k1 k0
            bytes(&mut x, 1); // e5 e1 e0: e2|b1 b0 e4 e3|k2 k1 k0
            bits1(&mut x, 1); // e5 e1 k0: e2|b1 b0 e4 e3|k2 k1 e0
            bits2(&mut x, 2); // e5 k1 k0: e2|b1 b0 e4 e3|k2 e1 e0
            halves(&mut x, 2); // e5 e2 k0: k1|b1 b0 e4 e3|k2 e1 e0
            dwords(&mut x, 4); // b1 e2 k0: k1|b0 e5 e4 e3|k2 e1 e0
            bits4(&mut x, 2); // b1 k2 k0: k1|b0 e5 e4 e3|e2 e1 e0
            qwords(&mut x, 1); // b1 k2 b0: k1|k0 e5 e4 e3|e2 e1 e0
            for (i, &x) in x.iter().enumerate() {
                // SAFETY: `place` gives the 8 words of 32 bytes of this tile, each once.
                unsafe { store(tile.add(place(i, 128, 32, 64)), x) }
            }
        }
    }

    /// Cuts tiles of 64 elements of eight bytes, or puts them together: both transpose a matrix of
    /// 64 x 64 bits.
    ///
    /// # Safety
    /// `from` and `to` point to `count` times 512 bytes, the strides apart.
    #[inline]
    unsafe fn transpose(from: *const u8, from_stride: usize, count: usize, to: *mut u8, to_stride: usize) {
        for t in 0..count {
            // SAFETY: 64 elements or their tile.
            let (src, tile) = unsafe { (from.add(t * from_stride), to.add(t * to_stride)) };
            // SAFETY: 128 bytes in each half of these 512.
            let groups: [Eight; 2] = core::array::from_fn(|group| unsafe { cut::<8>(src.add(128 * group), 256) });
            let mut x: [_; 16] = core::array::from_fn(|i| groups[i / 8][i % 8]); // e4 k2 k1 k0: e5|b2 b1 b0 e3
            words(&mut x, 8); // b2 k2 k1 k0: e5|b1 b0 e4 e3
            halves(&mut x, 2); // b2 k2 e5 k0: k1|b1 b0 e4 e3
            dwords(&mut x, 2); // b2 k2 b1 k0: k1|b0 e5 e4 e3
            qwords(&mut x, 1); // b2 k2 b1 b0: k1|k0 e5 e4 e3
            for (i, &x) in x.iter().enumerate() {
                // SAFETY: the 16 words of 32 bytes of this tile, each once.
                unsafe { store(tile.add(i / 8 * 256 + place(i % 8, 32, 128, 64)), x) }
            }
        }
    }

    /// The inverse of [`load_bytes`], for vectors numbered e4 e5 e6.
    ///
    /// # Safety
    /// `dst` points to 256 writable bytes.
    #[inline]
    unsafe fn store_bytes(dst: *mut u8, mut x: Eight) {
        halves(&mut x, 4); // e7 e5 e6: e4|e3 e2 e1 e0|k2 k1 k0
        for (i, &x) in x.iter().enumerate() {
            // SAFETY: the caller's contract.
            unsafe { store(dst.add(place(i, 128, 32, 64)), x) }
        }
    }

    pub unsafe extern "C" fn untile_u8(tiles: *const u8, stride: usize, chunks: usize, dst: *mut u8) {
        for half in 0..2 * chunks {
            // SAFETY: four tiles, 256 elements of the destination.
            let (tiles, dst) = unsafe { (tiles.add(4 * half * stride), dst.add(256 * half)) };
            let mut x: Eight = core::array::from_fn(|i| {
                let from = place(i, 0, 0, 1) * stride + place(i, 16, 32, 0);
                // SAFETY: 16 bytes of one tile and 16 of the tile two later, of the four of this
                // half.
                unsafe { load_halves(tiles.add(from), tiles.add(from + 2 * stride)) }
            }); // k1 k2 e6: e7|k0 e5 e4 e3|e2 e1 e0
            bits2(&mut x, 4); // e1 k2 e6: e7|k0 e5 e4 e3|e2 k1 e0
            bytes(&mut x, 4); // k0 k2 e6: e7|e5 e4 e3 e1|e2 k1 e0
            bits4(&mut x, 2); // k0 e2 e6: e7|e5 e4 e3 e1|k2 k1 e0
            words(&mut x, 2); // k0 e5 e6: e7|e4 e3 e2 e1|k2 k1 e0
            bits1(&mut x, 4); // e0 e5 e6: e7|e4 e3 e2 e1|k2 k1 k0
            bytes(&mut x, 4); // e4 e5 e6: e7|e3 e2 e1 e0|k2 k1 k0
            // SAFETY: `store_bytes` writes the 256 bytes of these elements.
            unsafe { store_bytes(dst, x) }
        }
    }

    /// The inverse of [`cut_u16`].
    ///
    /// # Safety
    /// `tiles` points to the tiles, `dst` to 64 `count` elements.
    #[inline]
    unsafe fn join_u16(tiles: *const u8, stride: usize, count: usize, dst: *mut u8) {
        for t in 0..count {
            // SAFETY: one tile, 64 elements of the destination.
            let (tile, dst) = unsafe { (tiles.add(t * stride), dst.add(128 * t)) };
            // SAFETY: `place` gives the 4 words of 32 bytes of this tile.
            let mut x: [_; 4] = core::array::from_fn(|i| unsafe { load(tile.add(place(i, 0, 64, 32))) });
            // b0 k2: k1|k0 e5 e4 e3|e2 e1 e0
            bits4(&mut x, 1); // b0 e2: k1|k0 e5 e4 e3|k2 e1 e0
            bytes(&mut x, 1); // b0 k0: k1|e5 e4 e3 e2|k2 e1 e0
            bits1(&mut x, 1); // b0 e0: k1|e5 e4 e3 e2|k2 e1 k0
            bytes(&mut x, 1); // b0 e5: k1|e4 e3 e2 e0|k2 e1 k0
            halves(&mut x, 1); // b0 k1: e5|e4 e3 e2 e0|k2 e1 k0
            bits2(&mut x, 1); // b0 e1: e5|e4 e3 e2 e0|k2 k1 k0
            words(&mut x, 1); // b0 e4: e5|e3 e2 e1 e0
            bytes(&mut x, 2); // e3 e4: e5|e2 e1 e0 b0
            halves(&mut x, 2); // e5 e4: e3|e2 e1 e0 b0
            for (i, &x) in x.iter().enumerate() {
                // SAFETY: 32 of the 128 bytes of these elements, each once.
                unsafe { store(dst.add(place(i, 0, 64, 32)), x) }
            }
        }
    }

    /// The inverse of [`cut_u32`].
    ///
    /// # Safety
    /// `tiles` points to the tiles, `dst` to 64 `count` elements.
    #[inline]
    unsafe fn join_u32(tiles: *const u8, stride: usize, count: usize, dst: *mut u8) {
        for t in 0..count {
            // SAFETY: one tile, 64 elements of the destination.
            let (tile, dst) = unsafe { (tiles.add(t * stride), dst.add(256 * t)) };
            // SAFETY: `place` gives the 8 words of 32 bytes of this tile.
            let mut x: Eight = core::array::from_fn(|i| unsafe { load(tile.add(place(i, 32, 128, 64))) });
            bytes(&mut x, 2); // k2 k0 b0: k1|e5 e4 e3 b1|e2 e1 e0
            bytes(&mut x, 1); // k2 k0 e5: k1|e4 e3 b1 b0|e2 e1 e0
            bits4(&mut x, 4); // e2 k0 e5: k1|e4 e3 b1 b0|k2 e1 e0
            halves(&mut x, 4); // k1 k0 e5: e2|e4 e3 b1 b0|k2 e1 e0
            bits2(&mut x, 4); // e1 k0 e5: e2|e4 e3 b1 b0|k2 k1 e0
            bits1(&mut x, 2); // e1 e0 e5: e2|e4 e3 b1 b0|k2 k1 k0
            dwords(&mut x, 4); // e4 e0 e5: e2|e3 e1 b1 b0|k2 k1 k0
            dwords(&mut x, 2); // e4 e3 e5: e2|e1 e0 b1 b0|k2 k1 k0
            for (i, &x) in x.iter().enumerate() {
                // SAFETY: `place` gives 8 times 32 of the 256 bytes of these 64 elements, each
                // once.
                unsafe { store(dst.add(place(i, 64, 32, 128)), x) }
            }
        }
    }
}

avx2! {
    pub unsafe extern "C" fn tile_u16(src: *const u16, chunks: usize, tiles: *mut u8, stride: usize) {
        // SAFETY: the caller's contract, here and below.
        unsafe { cut_u16(src.cast(), 8 * chunks, tiles, stride) }
    }

    pub unsafe extern "C" fn untile_u16(tiles: *const u8, stride: usize, chunks: usize, dst: *mut u16) {
        // SAFETY: as above.
        unsafe { join_u16(tiles, stride, 8 * chunks, dst.cast()) }
    }

    pub unsafe extern "C" fn tile_u32(src: *const u32, chunks: usize, tiles: *mut u8, stride: usize) {
        // SAFETY: as above.
        unsafe { cut_u32(src.cast(), 8 * chunks, tiles, stride) }
    }

    pub unsafe extern "C" fn untile_u32(tiles: *const u8, stride: usize, chunks: usize, dst: *mut u32) {
        // SAFETY: as above.
        unsafe { join_u32(tiles, stride, 8 * chunks, dst.cast()) }
    }

    pub unsafe extern "C" fn tile_u64(src: *const u64, chunks: usize, tiles: *mut u8, stride: usize) {
        // SAFETY: as above.
        unsafe { transpose(src.cast(), 512, 8 * chunks, tiles, stride) }
    }

    pub unsafe extern "C" fn untile_u64(tiles: *const u8, stride: usize, chunks: usize, dst: *mut u64) {
        // SAFETY: as above.
        unsafe { transpose(tiles, stride, 8 * chunks, dst.cast(), 512) }
    }

    pub unsafe extern "C" fn cut_tile(src: *const u8, bytes: usize, tile: *mut u8) {
        // SAFETY: as above.
        unsafe {
            match bytes {
                1 => sse2::cut_tile(src, bytes, tile),
                2 => cut_u16(src, 1, tile, 0),
                4 => cut_u32(src, 1, tile, 0),
                _ => transpose(src, 0, 1, tile, 0),
            }
        }
    }

    pub unsafe extern "C" fn join_tile(tile: *const u8, bytes: usize, dst: *mut u8) {
        // SAFETY: as above.
        unsafe {
            match bytes {
                1 => sse2::join_tile(tile, bytes, dst),
                2 => join_u16(tile, 0, 1, dst),
                4 => join_u32(tile, 0, 1, dst),
                _ => transpose(tile, 0, 1, dst, 0),
            }
        }
    }
}
