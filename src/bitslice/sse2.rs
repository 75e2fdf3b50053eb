//! SSE2.

use core::arch::x86_64::*;

use super::CHUNK;

/// Exchanges bit `log2 SHIFT` of the positions of bits in their bytes with bit `log2 DISTANCE` of the registers' indices.
#[inline]
#[target_feature(enable = "sse2")]
fn exchange<const SHIFT: i32, const DISTANCE: usize>(x: &mut [__m128i; 8]) {
    let mask = _mm_set1_epi8((0xff / (1 + (1 << SHIFT))) as i8);
    for low in (0..8).filter(|i| i & DISTANCE == 0) {
        let high = low + DISTANCE;
        let differ = _mm_and_si128(_mm_xor_si128(_mm_srli_epi16::<SHIFT>(x[low]), x[high]), mask);
        x[high] = _mm_xor_si128(x[high], differ);
        x[low] = _mm_xor_si128(x[low], _mm_slli_epi16::<SHIFT>(differ));
    }
}

/// Exchanges the bits of register indices with those of the positions of bits in their bytes.
#[inline]
#[target_feature(enable = "sse2")]
fn transpose(x: &mut [__m128i; 8]) {
    exchange::<4, 4>(x);
    exchange::<2, 2>(x);
    exchange::<1, 1>(x);
}

/// Bit `log2 DISTANCE` of the registers' indices becomes the lowest of a byte's place in its register; the highest takes its
/// place.
#[inline]
#[target_feature(enable = "sse2")]
fn interleave<const DISTANCE: usize>(x: &mut [__m128i; 8]) {
    for low in (0..8).filter(|i| i & DISTANCE == 0) {
        let high = low + DISTANCE;
        (x[low], x[high]) = (_mm_unpacklo_epi8(x[low], x[high]), _mm_unpackhi_epi8(x[low], x[high]));
    }
}

/// # Safety
/// 8 bytes are readable.
#[inline]
#[target_feature(enable = "sse2")]
unsafe fn load_half(from: *const u8) -> __m128i {
    // SAFETY: the caller's contract.
    unsafe { _mm_loadl_epi64(from.cast()) }
}

/// Writes the lower half of `x` at `low`, the upper one at `high`.
///
/// # Safety
/// 8 bytes are writable at each.
#[inline]
#[target_feature(enable = "sse2")]
unsafe fn store_halves(x: __m128i, low: *mut u8, high: *mut u8) {
    // SAFETY: the caller's contract.
    unsafe {
        _mm_storel_epi64(low.cast(), x);
        _mm_storel_epi64(high.cast(), _mm_unpackhi_epi64(x, x));
    }
}

/// Slices bytes, 128 at a time; `put(block, k, bits)` stores the bits of plane k of a block.
///
/// # Safety
/// The elements are readable.
#[inline]
#[target_feature(enable = "sse2")]
unsafe fn slice_bytes(src: *const u8, chunks: usize, put: impl Fn(usize, usize, __m128i)) {
    for block in 0..chunks * CHUNK / 128 {
        // SAFETY: 128 elements of the source.
        let mut x = core::array::from_fn(|i| unsafe { _mm_loadu_si128(src.add(128 * block + 16 * i).cast()) });
        // The 4 upper bits of the place of an element (in a register, then of it) become its place in a register,
        // the 3 lower ones an index: bits 1, 0 and 2 of the result's.
        interleave::<4>(&mut x);
        interleave::<2>(&mut x);
        interleave::<1>(&mut x);
        interleave::<4>(&mut x);
        exchange::<4, 2>(&mut x);
        exchange::<2, 1>(&mut x);
        exchange::<1, 4>(&mut x);
        for (i, bits) in x.into_iter().enumerate() {
            put(block, 2 * (i & 3) | i >> 2, bits);
        }
    }
}

/// The inverse of [`slice_bytes`]; `bits(block, k)` loads.
///
/// # Safety
/// The elements are writable.
#[inline]
#[target_feature(enable = "sse2")]
unsafe fn unslice_bytes(bits: impl Fn(usize, usize) -> __m128i, chunks: usize, dst: *mut u8) {
    for block in 0..chunks * CHUNK / 128 {
        let mut x = core::array::from_fn(|k| bits(block, k));
        transpose(&mut x);
        interleave::<4>(&mut x);
        interleave::<2>(&mut x);
        interleave::<1>(&mut x);
        for (i, elements) in x.into_iter().enumerate() {
            // SAFETY: elements of this block.
            unsafe { _mm_storeu_si128(dst.add(128 * block + 16 * i).cast(), elements) }
        }
    }
}

/// Slices words, 64 at a time; `place(tile, j)` is where the 8 bytes of plane j of a tile go.
///
/// # Safety
/// The elements are readable, the places writable.
#[inline]
#[target_feature(enable = "sse2")]
unsafe fn slice_words(src: *const u8, chunks: usize, place: impl Fn(usize, usize) -> *mut u8) {
    for tile in 0..chunks * CHUNK / 64 {
        // Elements 8 i + 4 half .. + 4 are register i. At the end its index is the lower two bits of an element's place, then
        // the upper one of a byte's place in its element.
        let interleaved = |half: usize| {
            let from = |i: usize| src.wrapping_add(256 * tile + 32 * i + 16 * half);
            // SAFETY: 64 elements of the source.
            let mut x = core::array::from_fn(|i| unsafe { _mm_loadu_si128(from(i).cast()) });
            interleave::<4>(&mut x);
            interleave::<2>(&mut x);
            interleave::<1>(&mut x);
            x
        };
        let halves = [interleaved(0), interleaved(1)];
        for upper in 0..2 {
            let mut x = core::array::from_fn(|i| halves[i / 4][2 * (i % 4) + upper]);
            transpose(&mut x);
            for (k, bits) in x.into_iter().enumerate() {
                // SAFETY: the caller's contract.
                unsafe { store_halves(bits, place(tile, 16 * upper + k), place(tile, 16 * upper + 8 + k)) }
            }
        }
    }
}

/// The inverse of [`slice_words`].
///
/// # Safety
/// The places are readable, the elements writable.
#[inline]
#[target_feature(enable = "sse2")]
unsafe fn unslice_words(place: impl Fn(usize, usize) -> *const u8, chunks: usize, dst: *mut u8) {
    for tile in 0..chunks * CHUNK / 64 {
        // Two bytes of pairs of elements: 16 bits at [e5 e4 e3 e0] of register [e2 e1], the bit e5 its lowest.
        let pairs = |upper: usize| {
            // SAFETY: the caller's contract.
            let bits = |j: usize| unsafe { load_half(place(tile, 16 * upper + j)) };
            let mut x = core::array::from_fn(|k| _mm_unpacklo_epi8(bits(k), bits(8 + k)));
            transpose(&mut x);
            for i in [0, 2, 4, 6] {
                (x[i], x[i + 1]) = (_mm_unpacklo_epi16(x[i], x[i + 1]), _mm_unpackhi_epi16(x[i], x[i + 1]));
            }
            x
        };
        let (lower, upper) = (pairs(0), pairs(1));
        for (i, (lower, upper)) in lower.into_iter().zip(upper).enumerate() {
            let at = dst.wrapping_add(256 * tile + 128 * (i % 2) + 8 * (i / 2));
            // SAFETY: 8 bytes each of this tile.
            unsafe {
                store_halves(_mm_unpacklo_epi16(lower, upper), at, at.add(32));
                store_halves(_mm_unpackhi_epi16(lower, upper), at.add(64), at.add(96));
            }
        }
    }
}

#[target_feature(enable = "sse2")]
pub unsafe extern "C" fn slice_u8(src: *const u8, chunks: usize, planes: *mut u8, stride: usize) {
    // SAFETY: 16 bytes of a plane; the caller's contract.
    let put = |block, k, bits| unsafe { _mm_storeu_si128(planes.add(k * stride + 16 * block).cast(), bits) };
    unsafe { slice_bytes(src, chunks, put) }
}

#[target_feature(enable = "sse2")]
pub unsafe extern "C" fn unslice_u8(planes: *const u8, stride: usize, chunks: usize, dst: *mut u8) {
    // SAFETY: as in `slice_u8`.
    let bits = |block, k| unsafe { _mm_loadu_si128(planes.add(k * stride + 16 * block).cast()) };
    unsafe { unslice_bytes(bits, chunks, dst) }
}

#[target_feature(enable = "sse2")]
pub unsafe extern "C" fn tile_u8(src: *const u8, chunks: usize, tiles: *mut u8, stride: usize) {
    let place = |tile, k| tiles.wrapping_add(tile * stride + 8 * k);
    // SAFETY: 8 bytes of a plane in each of two tiles; the caller's contract.
    let put = |block, k, bits| unsafe { store_halves(bits, place(2 * block, k), place(2 * block + 1, k)) };
    unsafe { slice_bytes(src, chunks, put) }
}

#[target_feature(enable = "sse2")]
pub unsafe extern "C" fn untile_u8(tiles: *const u8, stride: usize, chunks: usize, dst: *mut u8) {
    // SAFETY: as in `tile_u8`.
    let half = |tile, k| unsafe { load_half(tiles.add(tile * stride + 8 * k)) };
    let bits = |block, k| _mm_unpacklo_epi64(half(2 * block, k), half(2 * block + 1, k));
    unsafe { unslice_bytes(bits, chunks, dst) }
}

#[target_feature(enable = "sse2")]
pub unsafe extern "C" fn slice_u32(src: *const u32, chunks: usize, planes: *mut u8, stride: usize) {
    // SAFETY: the caller's contract.
    unsafe { slice_words(src.cast(), chunks, |tile, j| planes.add(j * stride + 8 * tile)) }
}

#[target_feature(enable = "sse2")]
pub unsafe extern "C" fn unslice_u32(planes: *const u8, stride: usize, chunks: usize, dst: *mut u32) {
    // SAFETY: the caller's contract.
    unsafe { unslice_words(|tile, j| planes.add(j * stride + 8 * tile), chunks, dst.cast()) }
}

#[target_feature(enable = "sse2")]
pub unsafe extern "C" fn tile_u32(src: *const u32, chunks: usize, tiles: *mut u8, stride: usize) {
    // SAFETY: the caller's contract.
    unsafe { slice_words(src.cast(), chunks, |tile, j| tiles.add(tile * stride + 8 * j)) }
}

#[target_feature(enable = "sse2")]
pub unsafe extern "C" fn untile_u32(tiles: *const u8, stride: usize, chunks: usize, dst: *mut u32) {
    // SAFETY: the caller's contract.
    unsafe { unslice_words(|tile, j| tiles.add(tile * stride + 8 * j), chunks, dst.cast()) }
}
