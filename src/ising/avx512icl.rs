//! AVX-512 with VBMI: the bits of a row are a mask, and a table of 128 bytes is 2 vectors.

use core::arch::x86_64::*;
use core::array::from_fn;

use super::links::ByteLink;
use super::scalar::{Integers, integer_kernel};
use super::thresholds::{THRESHOLD, THRESHOLDS};
use crate::frame::isa::avx512icl;

integer_kernel! { avx512icl sweep_i8 integers }
integer_kernel! { avx512icl sweep_heat_i8 integers }

/// The thresholds of one parity.
struct Tables {
    parity: usize,
    /// `-parity`: where the spin's own bit is 1, `k` is this minus `v`.
    mirror: __m512i,
    /// Upper and lower bytes of the thresholds, for each `c`: those for `k` from 0 on, then from
    /// -64 on.
    bytes: [[[__m512i; 2]; 3]; 2],
}

impl Tables {
    avx512icl! {
        /// # Safety
        /// `thresholds` holds both parities.
        #[inline]
        unsafe fn new(thresholds: *const u16, parity: usize) -> Self {
            const POSITIONS: [[u8; 64]; 2] = {
                let mut positions = [[0; 64]; 2];
                let mut i = 0;
                while i < 128 {
                    positions[1 - i % 2][i / 2] = i as u8;
                    i += 1;
                }
                positions
            };
            // SAFETY: the thresholds of this parity.
            let load = |nth: usize| unsafe {
                _mm512_loadu_si512(thresholds.add(parity * THRESHOLDS / 2 + THRESHOLD + 32 * nth).cast())
            };
            let bytes = POSITIONS.map(|positions| {
                // SAFETY: 64 bytes.
                let positions = unsafe { _mm512_loadu_si512(positions.as_ptr().cast()) };
                from_fn(|c| {
                    from_fn(|half| {
                        let nth = 4 * c + 2 * half;
                        _mm512_permutex2var_epi8(load(nth), positions, load(nth + 1))
                    })
                })
            });
            Tables { parity, mirror: _mm512_set1_epi8(-(parity as i8)), bytes }
        }
    }
}

avx512icl! {
    /// # Safety
    /// As for [`super::sweep_i8()`].
    unsafe fn integers(arguments: Integers) -> usize {
        let Integers { spins, first, count, below, above, mut links, thresholds, random, live, flips, .. } = arguments;
        if count == 0 {
            return 0;
        }
        let mut flipped = 0;
        let mut visited = 0;
        // SAFETY: the sites from `first` on of the caller's arrays, their links and the thresholds.
        unsafe {
            let mut tables = Tables::new(thresholds, ByteLink(links.read_unaligned()).parity());
            while visited < count {
                let header = ByteLink(links.read_unaligned());
                if header.parity() != tables.parity {
                    tables = Tables::new(thresholds, header.parity());
                }

                let mut field = _mm512_set1_epi8(header.value() as i8);
                for j in 0..header.degree() {
                    let link = ByteLink(links.add(1 + j).read_unaligned());
                    let down = spins.add(link.row()).read_unaligned();
                    field = _mm512_mask_sub_epi8(field, down, field, _mm512_set1_epi8(link.value() as i8));
                }
                links = links.add(1 + header.degree());

                let own = spins.add(first + visited);
                let spin = own.read_unaligned();
                let [below, above] = [below, above].map(|words| words.add(visited).read_unaligned());
                let k = _mm512_mask_sub_epi8(field, spin, tables.mirror, field);
                let one = below ^ above;
                let two = (spin ^ below) & !one;
                // In each lane the threshold replaces the index `k`.
                let [upper, lower] = tables.bytes.map(|[none, once, twice]| {
                    let t = _mm512_mask2_permutex2var_epi8(once[0], k, one, once[1]);
                    let t = _mm512_mask2_permutex2var_epi8(twice[0], t, two, twice[1]);
                    _mm512_mask2_permutex2var_epi8(none[0], t, !(one ^ two), none[1])
                });

                let random = random.add(32 * visited);
                let random_upper = _mm512_loadu_si512(random.cast());
                let random_lower = _mm512_loadu_si512(random.add(16).cast());
                let equal = _mm512_cmpeq_epu8_mask(random_upper, upper);
                if _mm512_mask_cmpeq_epu8_mask(equal, random_lower, lower) & live != 0 {
                    break;
                }
                let accepted = _mm512_cmplt_epu8_mask(random_upper, upper)
                    | _mm512_mask_cmplt_epu8_mask(equal, random_lower, lower);
                own.write_unaligned(spin ^ accepted);
                flipped += u64::from((accepted & live).count_ones());
                visited += 1;
            }
            flips.write_unaligned(flips.read_unaligned().wrapping_add(flipped));
        }
        visited
    }
}
