//! SSE2: a row in 4 vectors.

use core::arch::x86_64::*;
use core::array::from_fn;

use super::lanes::{gather, scatter};
use super::links::ByteLink;
use super::scalar::*;
use super::thresholds::{THRESHOLD, THRESHOLDS};
use crate::frame::isa::sse2;

integer_kernel! { sse2 sweep_i8 integers }
integer_kernel! { sse2 sweep_heat_i8 integers }

export_float_sweeps! { sse2 [__m128, 4,] }

/// A byte for each of 64 lanes.
type Bytes = [__m128i; 4];

sse2! {
    /// Threshold offsets pass through memory, because moves from a vector to integer registers have
    /// a throughput of one word per cycle. The loads are volatile; otherwise the compiler would use
    /// such moves.
    ///
    /// # Safety
    /// As for [`super::sweep_i8()`].
    unsafe fn integers(arguments: Integers) -> usize {
        let Integers { spins, bytes, sites, first, count, below, above, mut links, thresholds, random, live, flips } =
            arguments;
        if count == 0 {
            return 0;
        }
        let zero = _mm_setzero_si128();
        let live_lanes = units(live);
        let mut flipped = zero;
        let mut visited = count;
        // SAFETY: the sites from `first` on of the caller's arrays, their links, and one of the 384
        // thresholds of their parity with the value after it.
        unsafe {
            if first == 0 {
                for i in 0..sites {
                    let units = units(spins.add(i).read_unaligned());
                    store_bytes(bytes.add(64 * i), units.map(|unit| _mm_sub_epi8(zero, unit)));
                }
            }
            for i in 0..count {
                let header = ByteLink(links.read_unaligned());
                let mut v = [_mm_set1_epi8(header.value() as i8); 4];
                for j in 0..header.degree() {
                    let link = ByteLink(links.add(1 + j).read_unaligned());
                    let coupling = _mm_set1_epi8(link.value() as i8);
                    let neighbour = load_bytes(bytes.add(64 * link.row()));
                    v = from_fn(|n| _mm_sub_epi8(v[n], _mm_and_si128(coupling, neighbour[n])));
                }
                links = links.add(1 + header.degree());

                // An offset has two bytes: 2 k modulo 2^8, then c.
                let (spin, row) = (spins.add(first + i), bytes.add(64 * (first + i)));
                let (word, own) = (spin.read_unaligned(), load_bytes(row));
                let even = _mm_set1_epi8(header.parity() as i8 - 1);
                let [below, above] = [below, above].map(|words| units(words.add(i).read_unaligned() ^ word));
                let mut offsets = [0u64; 16];
                for n in 0..4 {
                    let k = _mm_sub_epi8(_mm_xor_si128(v[n], own[n]), _mm_and_si128(own[n], even));
                    let (double, c) = (_mm_add_epi8(k, k), _mm_add_epi8(below[n], above[n]));
                    let lanes = offsets.as_mut_ptr().add(4 * n).cast::<__m128i>();
                    _mm_storeu_si128(lanes, _mm_unpacklo_epi8(double, c));
                    _mm_storeu_si128(lanes.add(1), _mm_unpackhi_epi8(double, c));
                }

                let table = thresholds.add(header.parity() * THRESHOLDS / 2 + THRESHOLD).cast();
                let random = random.cast::<u8>().add(128 * i);
                let decide = |n: usize| {
                    let upper = _mm_loadu_si128(random.add(16 * n).cast());
                    let lower = _mm_loadu_si128(random.add(64 + 16 * n).cast());
                    let r = [_mm_unpacklo_epi8(lower, upper), _mm_unpackhi_epi8(lower, upper)];
                    let t: [_; 2] = from_fn(|m| look_up(table, offsets.as_ptr().add(4 * n + 2 * m)));
                    let excess = _mm_packs_epi16(_mm_subs_epu16(t[0], r[0]), _mm_subs_epu16(t[1], r[1]));
                    let tied = _mm_packs_epi16(_mm_cmpeq_epi16(t[0], r[0]), _mm_cmpeq_epi16(t[1], r[1]));
                    (_mm_cmpeq_epi8(excess, zero), tied)
                };
                let decided = [decide(0), decide(1), decide(2), decide(3)];
                let (stays, tied) = (decided.map(|it| it.0), decided.map(|it| it.1));
                let any = _mm_or_si128(_mm_or_si128(tied[0], tied[1]), _mm_or_si128(tied[2], tied[3]));
                if _mm_movemask_epi8(any) != 0 && bits(tied) & live != 0 {
                    visited = i;
                    break;
                }
                let own: Bytes = from_fn(|n| _mm_cmpeq_epi8(own[n], stays[n]));
                store_bytes(row, own);
                spin.write_unaligned(bits(own));
                let [a, b, c, d]: Bytes = from_fn(|n| _mm_andnot_si128(stays[n], live_lanes[n]));
                let sum = _mm_add_epi8(_mm_add_epi8(a, b), _mm_add_epi8(c, d));
                flipped = _mm_add_epi64(flipped, _mm_sad_epu8(sum, zero));
            }
            let flipped = _mm_add_epi64(flipped, _mm_unpackhi_epi64(flipped, flipped));
            flips.write_unaligned(flips.read_unaligned().wrapping_add(_mm_cvtsi128_si64(flipped) as u64));
        }
        visited
    }

    /// The bits of a word as bytes, 0 or 1.
    #[inline]
    fn units(word: u64) -> Bytes {
        let word = _mm_cvtsi64_si128(word as i64);
        let word = _mm_unpacklo_epi8(word, word);
        let [low, high] = [_mm_unpacklo_epi16(word, word), _mm_unpackhi_epi16(word, word)];
        let bits = _mm_set1_epi64x(0x8040_2010_0804_0201u64 as i64);
        [
            _mm_shuffle_epi32::<0x50>(low),
            _mm_shuffle_epi32::<0xfa>(low),
            _mm_shuffle_epi32::<0x50>(high),
            _mm_shuffle_epi32::<0xfa>(high),
        ]
        .map(|byte| _mm_min_epu8(_mm_and_si128(byte, bits), _mm_set1_epi8(1)))
    }

    /// One bit per lane from byte masks.
    #[inline]
    fn bits(masks: Bytes) -> u64 {
        let [a, b, c, d] = masks.map(|mask| _mm_movemask_epi8(mask) as u64);
        a | b << 16 | c << 32 | d << 48
    }

    /// The thresholds at 8 byte offsets of 16 bits each.
    ///
    /// # Safety
    /// At each offset the table holds a threshold, with another value after it.
    #[inline]
    unsafe fn look_up(table: *const u8, offsets: *const u64) -> __m128i {
        // SAFETY: the caller's table and offsets; with a threshold the next one is read.
        unsafe {
            let pick = |offset: u64| _mm_cvtsi32_si128(table.add(offset as usize).cast::<i32>().read_unaligned());
            let [low, high] = from_fn(|n| {
                let offsets = offsets.add(n).read_volatile();
                let first = _mm_unpacklo_epi16(pick(offsets & 0xffff), pick(offsets >> 16 & 0xffff));
                let second = _mm_unpacklo_epi16(pick(offsets >> 32 & 0xffff), pick(offsets >> 48));
                _mm_unpacklo_epi32(first, second)
            });
            _mm_unpacklo_epi64(low, high)
        }
    }

    /// # Safety
    /// 64 bytes can be read.
    #[inline]
    unsafe fn load_bytes(bytes: *const u8) -> Bytes {
        // SAFETY: the caller's bytes.
        from_fn(|n| unsafe { _mm_loadu_si128(bytes.add(16 * n).cast()) })
    }

    /// # Safety
    /// 64 bytes can be written.
    #[inline]
    unsafe fn store_bytes(bytes: *mut u8, values: Bytes) {
        for (n, value) in values.into_iter().enumerate() {
            // SAFETY: the caller's bytes.
            unsafe { _mm_storeu_si128(bytes.add(16 * n).cast(), value) }
        }
    }
}
