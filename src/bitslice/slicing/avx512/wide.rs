//! AVX-512 BW: elements of two and eight bytes. Brackets are as in the parent module.

use super::*;

avx512! {
    /// Cuts a chunk of 16-bit elements into `[e6][k2 k1 k0]`, with lanes [b0 e5 e4 e3].
    ///
    /// # Safety
    /// `src` points to 512 elements of 2 bytes.
    #[inline]
    unsafe fn cut_u16(src: *const u8) -> [[__m512i; 8]; 2] {
        [0, 1].map(|e6| {
            // SAFETY: 768 + 128 + 96 + 32 = 1024.
            let x = unsafe { load::<2>([0, 32, 64, 96].map(|i| src.add(128 * e6 + i))) };
            transpose_bits(interleave(interleave(interleave(x))))
        })
    }

    /// Cuts a chunk of 64-bit elements into rows of bits, `[k2 k1 k0]` for each byte, with lanes
    /// [e6 e5 e4 e3]; `put(b, rows)` takes those of byte b.
    ///
    /// # Safety
    /// `src` points to 512 elements of 8 bytes.
    #[inline]
    unsafe fn cut_u64(src: *const u8, put: impl Fn(usize, [__m512i; 8])) {
        // [b0 e5 e4 e3] of groups [e6 e2 e1], in the order [e0 b2 b1].
        let mut groups = [[_mm512_setzero_si512(); 8]; 8];
        for g in 0..4 {
            let mut pair = [[_mm512_setzero_si512(); 8]; 2];
            for i in 0..2 {
                let place = |j: usize| src.wrapping_add(256 * (g & 2) + 32 * (g & 1) + 64 * (4 * i + j));
                // SAFETY: 3072 + 512 + 32 + 448 + 32 = 4096.
                let x = unsafe { load::<8>([place(0), place(1), place(2), place(3)]) };
                for j in 0..8 {
                    pair[j % 2][4 * i + j / 2] = x[j];
                }
            }
            for e1 in 0..2 {
                groups[2 * g + e1] = interleave(interleave(interleave(pair[e1])));
            }
        }
        for b in 0..8 {
            let row = |e: usize| {
                let i = 4 * (e & 1) + b / 2;
                let (x, y) = (groups[e / 2][i], groups[4 + e / 2][i]);
                if b % 2 == 0 { _mm512_unpacklo_epi64(x, y) } else { _mm512_unpackhi_epi64(x, y) }
            };
            put(b, transpose_bits(core::array::from_fn(row)));
        }
    }

    /// Puts a chunk of 16-bit elements together; `rows(b)` are its rows `8 b ..`.
    ///
    /// # Safety
    /// `dst` points to 512 elements of 2 bytes.
    #[inline]
    unsafe fn join_u16(rows: impl Fn(usize) -> [__m512i; 8], dst: *mut u8) {
        // [e6 e5 e4] with lanes [e3 e2 e1 e0].
        let [x, y] = [0, 1].map(|b| interleave(interleave(interleave(transpose_bits(rows(b))))));
        for e in 0..4 {
            let pieces = [
                _mm512_unpacklo_epi8(x[2 * e], y[2 * e]),
                _mm512_unpackhi_epi8(x[2 * e], y[2 * e]),
                _mm512_unpacklo_epi8(x[2 * e + 1], y[2 * e + 1]),
                _mm512_unpackhi_epi8(x[2 * e + 1], y[2 * e + 1]),
            ];
            // SAFETY: 768 + 192 + 64 = 1024.
            unsafe { put_lanes(pieces, dst.add(64 * e), 256) }
        }
    }

    /// Puts a chunk of 64-bit elements together; `rows(b)` are its rows `8 b ..`.
    ///
    /// # Safety
    /// `dst` points to 512 elements of 8 bytes.
    #[inline]
    unsafe fn join_u64(rows: impl Fn(usize) -> [__m512i; 8], dst: *mut u8) {
        // [e2 e1 e6] with lanes [e5 e4 e3 e0], from the order [e0 e2 e1].
        let bytes = [0, 1, 2, 3, 4, 5, 6, 7].map(|b| {
            let x = transpose_bits(rows(b));
            interleave([x[0], x[2], x[4], x[6], x[1], x[3], x[5], x[7]])
        });
        for e6 in 0..2 {
            // [e5 e4 e3] with lanes [e0 b2 b1 b0], for all [e2 e1].
            // The remainder spares a check of the index.
            let part = |i: usize| interleave(interleave(interleave(bytes.map(|x| x[(i + e6) % 8]))));
            let parts = [part(0), part(2), part(4), part(6)];
            for e in 0..8 {
                // SAFETY: 3072 + 512 + 448 + 64 = 4096.
                unsafe { put_lanes(parts.map(|x| x[e]), dst.add(512 * e6 + 64 * e), 1024) }
            }
        }
    }

    pub unsafe extern "C" fn slice_u16(src: *const u16, chunks: usize, planes: *mut u8, stride: usize) {
        for chunk in 0..chunks {
            // SAFETY: a chunk, and 64 bytes of each plane.
            unsafe {
                let planes = planes.add(64 * chunk);
                let [x, y] = cut_u16(src.add(512 * chunk).cast());
                put_rows(core::array::from_fn(|k| _mm512_unpacklo_epi64(x[k], y[k])), 0, planes, stride);
                put_rows(core::array::from_fn(|k| _mm512_unpackhi_epi64(x[k], y[k])), 1, planes, stride);
            }
        }
    }

    pub unsafe extern "C" fn unslice_u16(planes: *const u8, stride: usize, chunks: usize, dst: *mut u16) {
        for chunk in 0..chunks {
            // SAFETY: a chunk, and 64 bytes of each plane.
            unsafe { join_u16(|b| rows(b, planes.add(64 * chunk), stride), dst.add(512 * chunk).cast()) }
        }
    }

    pub unsafe extern "C" fn tile_u16(src: *const u16, chunks: usize, tiles: *mut u8, stride: usize) {
        for chunk in 0..chunks {
            // SAFETY: a chunk, and its 8 tiles.
            unsafe {
                for (e, x) in cut_u16(src.add(512 * chunk).cast()).into_iter().enumerate() {
                    for (b, pieces) in tiled(x).into_iter().enumerate() {
                        put_tiles(pieces, b, tiles.add((8 * chunk + e) * stride), stride);
                    }
                }
            }
        }
    }

    pub unsafe extern "C" fn untile_u16(tiles: *const u8, stride: usize, chunks: usize, dst: *mut u16) {
        for chunk in 0..chunks {
            // SAFETY: a chunk, and its 8 tiles.
            unsafe { join_u16(|b| untiled(b, tiles.add(8 * chunk * stride), stride), dst.add(512 * chunk).cast()) }
        }
    }

    pub unsafe extern "C" fn slice_u64(src: *const u64, chunks: usize, planes: *mut u8, stride: usize) {
        for chunk in 0..chunks {
            // SAFETY: a chunk, and 64 bytes of each plane.
            unsafe { cut_u64(src.add(512 * chunk).cast(), |b, x| put_rows(x, b, planes.add(64 * chunk), stride)) }
        }
    }

    pub unsafe extern "C" fn unslice_u64(planes: *const u8, stride: usize, chunks: usize, dst: *mut u64) {
        for chunk in 0..chunks {
            // SAFETY: a chunk, and 64 bytes of each plane.
            unsafe { join_u64(|b| rows(b, planes.add(64 * chunk), stride), dst.add(512 * chunk).cast()) }
        }
    }

    pub unsafe extern "C" fn tile_u64(src: *const u64, chunks: usize, tiles: *mut u8, stride: usize) {
        for chunk in 0..chunks {
            // SAFETY: a chunk, and its 8 tiles.
            unsafe {
                cut_u64(src.add(512 * chunk).cast(), |b, x| {
                    for (e, pieces) in tiled(x).into_iter().enumerate() {
                        put_tiles(pieces, b, tiles.add((8 * chunk + e) * stride), stride);
                    }
                });
            }
        }
    }

    pub unsafe extern "C" fn untile_u64(tiles: *const u8, stride: usize, chunks: usize, dst: *mut u64) {
        for chunk in 0..chunks {
            // SAFETY: a chunk, and its 8 tiles.
            unsafe { join_u64(|b| untiled(b, tiles.add(8 * chunk * stride), stride), dst.add(512 * chunk).cast()) }
        }
    }
}
