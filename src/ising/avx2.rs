//! AVX2: a row in 2 vectors.

use core::arch::x86_64::*;
use core::array::from_fn;
use core::hint::black_box;

use super::lanes::{gather, scatter};
use super::links::ByteLink;
use super::scalar::*;
use super::thresholds::{HIGH, LOW, TAU, THRESHOLDS};
use crate::frame::isa::avx2;

integer_kernel! { avx2 sweep_i8 integers }
integer_kernel! { avx2 sweep_heat_i8 heat_integers }

export_float_sweeps! { avx2 [__m256, 2,] }

/// One byte for each of 32 lanes; a site has two of these.
type Bytes = __m256i;

/// A table of 16 values as two vectors: the lower bytes and the upper bytes, each repeated in both
/// halves.
#[derive(Clone, Copy)]
struct Planes(Bytes, Bytes);

impl Planes {
    avx2! {
        /// # Safety
        /// 16 values can be read.
        #[inline]
        unsafe fn load(values: *const u16) -> Self {
            // SAFETY: the caller's values.
            let values = unsafe { _mm256_loadu_si256(values.cast()) };
            let pack = |words: Bytes| {
                let bytes = _mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256::<1>(words));
                _mm256_broadcastsi128_si256(bytes)
            };
            Planes(pack(_mm256_and_si256(values, _mm256_set1_epi16(0xff))), pack(_mm256_srli_epi16::<8>(values)))
        }

        /// The values at the lower 4 bits of each index (below 128), as words: first of the lanes
        /// that `unpacklo` takes, then of the lanes that `unpackhi` takes.
        #[inline]
        fn at(self, index: Bytes) -> [Bytes; 2] {
            let (low, high) = (_mm256_shuffle_epi8(self.0, index), _mm256_shuffle_epi8(self.1, index));
            [_mm256_unpacklo_epi8(low, high), _mm256_unpackhi_epi8(low, high)]
        }
    }
}

avx2! {
    /// 1 or 0 in each byte: the bits of `word` from lane `32 * HALF` on.
    #[inline]
    fn bits<const HALF: i8>(word: u64) -> Bytes {
        let spread: [i8; 32] = from_fn(|i| i as i8 / 8 + 4 * HALF);
        // SAFETY: 32 bytes.
        let spread = unsafe { _mm256_loadu_si256(spread.as_ptr().cast()) };
        let bytes = _mm256_shuffle_epi8(_mm256_set1_epi64x(word as i64), spread);
        _mm256_min_epu8(
            _mm256_and_si256(bytes, _mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64)),
            _mm256_set1_epi8(1),
        )
    }

    /// Sets the 64 bytes of a site to the masks of its spins.
    ///
    /// # Safety
    /// They can be written.
    #[inline]
    unsafe fn mirror(line: *mut u8, word: u64) {
        let zero = _mm256_setzero_si256();
        // SAFETY: the caller's bytes.
        unsafe {
            _mm256_storeu_si256(line.cast(), _mm256_sub_epi8(zero, bits::<0>(word)));
            _mm256_storeu_si256(line.add(32).cast(), _mm256_sub_epi8(zero, bits::<1>(word)));
        }
    }

    #[inline]
    fn mask(bytes: [Bytes; 2]) -> u64 {
        let [low, high] = bytes.map(|bytes| u64::from(_mm256_movemask_epi8(bytes) as u32));
        low | high << 32
    }
}

/// The tables of the three factors, see [`LOW`].
struct Factors {
    low: Planes,
    high: Planes,
    /// The factors; from value 8 on, the first `k` of each `c`.
    tau: Planes,
    parity: usize,
}

/// Two masks of 255 or 0 per lane: flips that are accepted, and flips that are in doubt.
type Verdict = (Bytes, Bytes);

impl Factors {
    avx2! {
        /// The product of the first two factors, in words ordered as by [`Planes::at`].
        #[inline]
        fn product(&self, d: Bytes) -> [Bytes; 2] {
            let l = self.low.at(d);
            let h = self.high.at(_mm256_and_si256(_mm256_srli_epi16::<4>(d), _mm256_set1_epi8(15)));
            // Without `black_box` the compiler would do the second multiplication in 32 bits.
            from_fn(|part| black_box(_mm256_mulhi_epu16(l[part], h[part])))
        }

        /// The first `k` of each `c`.
        #[inline]
        fn first(&self, c: Bytes) -> Bytes {
            _mm256_shuffle_epi8(self.tau.0, _mm256_or_si256(c, _mm256_set1_epi8(8)))
        }

        /// Compares half the random number with a bound of half the threshold that is at most 4 too
        /// low.
        #[inline]
        fn metropolis(&self, k: Bytes, c: Bytes, random: [Bytes; 2]) -> Verdict {
            let zero = _mm256_setzero_si256();
            let beyond = _mm256_sub_epi8(k, self.first(c));
            let product = self.product(_mm256_max_epi8(beyond, zero));
            let w = self.tau.at(_mm256_blendv_epi8(c, _mm256_set1_epi8(4), beyond));
            let surplus: [Bytes; 2] = from_fn(|part| {
                let bound = _mm256_mulhi_epu16(product[part], w[part]);
                _mm256_sub_epi16(bound, _mm256_srli_epi16::<1>(random[part]))
            });
            let surplus = _mm256_packs_epi16(surplus[0], surplus[1]);
            let accepted = _mm256_cmpgt_epi8(surplus, zero);
            (accepted, _mm256_xor_si256(accepted, _mm256_cmpgt_epi8(surplus, _mm256_set1_epi8(-5))))
        }

        /// Compares half the random number `r` with half of `(2^16 - r) exp(v)`. Where `v` is
        /// positive, it uses the opposite field and the complement of `r`, and inverts the verdict.
        /// A surplus from -5 to 1 is in doubt, or from -5 to 2 where the verdict is inverted.
        #[inline]
        fn heat_bath(&self, k: Bytes, c: Bytes, random: [Bytes; 2]) -> Verdict {
            let inverted = _mm256_cmpgt_epi8(self.first(c), k);
            let minus = |x: Bytes| _mm256_sub_epi8(_mm256_xor_si256(x, inverted), inverted);
            // -k - parity and 2 - c
            let k = _mm256_sub_epi8(minus(k), _mm256_and_si256(inverted, _mm256_set1_epi8(self.parity as i8)));
            let c = _mm256_add_epi8(minus(c), _mm256_and_si256(inverted, _mm256_set1_epi8(2)));
            let product = self.product(_mm256_sub_epi8(k, self.first(c)));
            let w = self.tau.at(c);
            let wide = [_mm256_unpacklo_epi8(inverted, inverted), _mm256_unpackhi_epi8(inverted, inverted)];
            let surplus: [Bytes; 2] = from_fn(|part| {
                let weight = _mm256_mulhi_epu16(product[part], w[part]);
                let half = _mm256_srli_epi16::<1>(_mm256_xor_si256(random[part], wide[part]));
                let rest = _mm256_xor_si256(half, _mm256_set1_epi16(i16::MAX));
                _mm256_sub_epi16(_mm256_mulhi_epu16(rest, weight), half)
            });
            let surplus = _mm256_packs_epi16(surplus[0], surplus[1]);
            let (sure, possible) =
                (_mm256_cmpgt_epi8(surplus, _mm256_set1_epi8(2)), _mm256_cmpgt_epi8(surplus, _mm256_set1_epi8(-7)));
            let certain = _mm256_andnot_si256(possible, inverted);
            (_mm256_or_si256(_mm256_andnot_si256(inverted, sure), certain), _mm256_xor_si256(sure, possible))
        }
    }
}

avx2! {
    /// # Safety
    /// As for [`super::sweep_i8()`].
    unsafe fn integers(arguments: Integers) -> usize {
        // SAFETY: the caller's contract.
        unsafe { sweep(arguments, |factors, k, c, random| factors.metropolis(k, c, random)) }
    }

    /// # Safety
    /// As for [`super::sweep_heat_i8()`].
    unsafe fn heat_integers(arguments: Integers) -> usize {
        // SAFETY: the caller's contract.
        unsafe { sweep(arguments, |factors, k, c, random| factors.heat_bath(k, c, random)) }
    }

    /// # Safety
    /// As for [`super::sweep_i8()`].
    #[inline]
    unsafe fn sweep(arguments: Integers, verdict: impl Fn(&Factors, Bytes, Bytes, [Bytes; 2]) -> Verdict) -> usize {
        let Integers { spins, bytes, sites, first, count, below, above, links, thresholds, random, live, flips } =
            arguments;
        let zero = _mm256_setzero_si256();
        // SAFETY: rows of the group, and tables among the thresholds.
        let (low, high, tau) = unsafe {
            if first == 0 {
                (0..sites).for_each(|row| mirror(bytes.add(64 * row), spins.add(row).read_unaligned()));
            }
            if count == 0 {
                return 0;
            }
            let tau = [0, THRESHOLDS / 2].map(|table| Planes::load(thresholds.add(table + TAU)));
            (Planes::load(thresholds.add(LOW)), Planes::load(thresholds.add(HIGH)), tau)
        };
        let (mut links, mut flipped) = (links, 0);
        for i in 0..count {
            // SAFETY: site `first + i` of the caller's arrays, and its links.
            unsafe {
                let header = ByteLink(links.read_unaligned());
                let parity = header.parity();
                let mut sums = [_mm256_set1_epi8(header.value() as i8); 2];
                for j in 1..=header.degree() {
                    let link = ByteLink(links.add(j).read_unaligned());
                    let coupling = _mm256_set1_epi8(link.value() as i8);
                    let row = bytes.add(64 * link.row());
                    for (half, sum) in sums.iter_mut().enumerate() {
                        let spins = _mm256_loadu_si256(row.add(32 * half).cast());
                        *sum = _mm256_sub_epi8(*sum, _mm256_and_si256(coupling, spins));
                    }
                }
                let (spin, line) = (spins.add(first + i), bytes.add(64 * (first + i)));
                let word = spin.read_unaligned();
                let own: [Bytes; 2] = from_fn(|half| _mm256_loadu_si256(line.add(32 * half).cast()));
                let even = _mm256_set1_epi8(parity as i8 - 1);
                let k: [Bytes; 2] = from_fn(|half| {
                    _mm256_sub_epi8(_mm256_xor_si256(sums[half], own[half]), _mm256_and_si256(own[half], even))
                });
                let beside = [below, above].map(|words| words.add(i).read_unaligned());
                let [below, above] = beside.map(|beside| beside ^ word);
                let c = [
                    _mm256_add_epi8(bits::<0>(below), bits::<0>(above)),
                    _mm256_add_epi8(bits::<1>(below), bits::<1>(above)),
                ];
                let rows = random.add(32 * i).cast::<u8>();
                let factors = Factors { low, high, tau: tau[parity], parity };
                let verdicts: [Verdict; 2] = from_fn(|half| {
                    let [upper, lower] = [0, 64].map(|plane| _mm256_loadu_si256(rows.add(plane + 32 * half).cast()));
                    let random = [_mm256_unpacklo_epi8(lower, upper), _mm256_unpackhi_epi8(lower, upper)];
                    verdict(&factors, k[half], c[half], random)
                });
                let mut accepted = verdicts.map(|verdict| verdict.0);
                let mut changed = mask(accepted);
                let doubt = mask(verdicts.map(|verdict| verdict.1));
                if doubt != 0 {
                    let site = Site { spin: word, below: beside[0], above: beside[1], header };
                    let table = thresholds.add(parity * THRESHOLDS / 2);
                    let random = &random.add(32 * i).cast::<[u32; 32]>().read_unaligned();
                    let Some(more) = decide(site, links.add(1), spins, table, random, live, doubt) else {
                        flips.write_unaligned(flips.read_unaligned().wrapping_add(flipped));
                        return i;
                    };
                    changed |= more;
                    accepted = [_mm256_sub_epi8(zero, bits::<0>(changed)), _mm256_sub_epi8(zero, bits::<1>(changed))];
                }
                for half in 0..2 {
                    _mm256_storeu_si256(line.add(32 * half).cast(), _mm256_xor_si256(own[half], accepted[half]));
                }
                spin.write_unaligned(word ^ changed);
                flipped += u64::from((changed & live).count_ones());
                links = links.add(1 + header.degree());
            }
        }
        // SAFETY: the caller's counter.
        unsafe { flips.write_unaligned(flips.read_unaligned().wrapping_add(flipped)) };
        count
    }
}
