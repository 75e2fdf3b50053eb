//! Sums over the spins of each layer, in one pass over a group.

use core::array::from_fn;

use super::graph::quanta;
use super::links::ByteLink;
use super::shape::{LANES, WIDE_LANES};

/// Energy and magnetisation of the layers of one group, by lane; those of idle lanes have no
/// meaning.
pub(super) struct LayerSums {
    /// `Es` of each layer.
    pub energies: [f64; 64],
    pub magnetisations: [i64; 64],
}

impl LayerSums {
    pub const ZERO: Self = LayerSums { energies: [0.0; 64], magnetisations: [0; 64] };

    /// Sums of `G` groups of 64 lanes of bits. `links` is the stream of
    /// [`sweep_i8()`](super::sweep_i8()), whose couplings and fields are at most `largest` quanta.
    pub fn of_words<const G: usize>(spins: [&[u64]; G], links: &[ByteLink], largest: u32, quantum: f64) -> [Self; G] {
        match largest {
            0..=1 => Self::of_weighted_words::<G, 1, 2>(spins, links, quantum),
            2..=7 => Self::of_weighted_words::<G, 1, 8>(spins, links, quantum),
            _ => Self::of_weighted_words::<G, 3, 8>(spins, links, quantum),
        }
    }

    /// As [`of_words`](Self::of_words), for couplings and fields of `D` digits less than `C`.
    fn of_weighted_words<const G: usize, const D: usize, const C: usize>(
        spins: [&[u64]; G],
        mut links: &[ByteLink],
        quantum: f64,
    ) -> [Self; G] {
        let (mut unsatisfied, mut down) = (LaneCounters::<G, D, C>::new(), LaneCounters::<G, 1, 2>::new());
        let sites = spins.first().map_or(0, |spins| spins.len());
        for row in 0..sites {
            let own = spins.map(|spins| spins[row]);
            let Some((header, tail)) = links.split_first() else { break };
            let (couplings, next) = tail.split_at(header.degree());
            links = next;
            let mut field = 2 * header.value() + header.parity() as i32;
            for link in couplings {
                field -= link.value();
                // Count every edge once, at the site that is visited first.
                let other = link.row();
                if other > row {
                    unsatisfied.add(link.value(), from_fn(|group| own[group] ^ spins[group][other]));
                }
            }
            if field != 0 {
                unsatisfied.add(field, own);
            }
            down.add(1, own);
        }
        Self::of_counts(unsatisfied, down, sites, quantum)
    }

    /// Sums of `G` groups of 64 lanes, by the spins of each site. `bonds` yields for each bond whether it
    /// is unsatisfied, the lanes that have it, all or a part, and its strength in quarters of a quantum,
    /// even for a part.
    pub fn of_bonds<const G: usize>(
        spins: impl Iterator<Item = [u64; G]>,
        bonds: impl Iterator<Item = ([u64; G], [u64; G], i32)>,
        quarter: f64,
    ) -> [Self; G] {
        let (mut unsatisfied, mut down) = (LaneCounters::<G, 1, 8>::new(), LaneCounters::<G, 1, 2>::new());
        let mut sites = 0;
        for (odd, lanes, strength) in bonds {
            if lanes == [u64::MAX; G] {
                unsatisfied.add(strength, odd);
            } else {
                // Two halves, one of which is unsatisfied in the lanes without the bond.
                unsatisfied.add(strength / 2, from_fn(|group| odd[group] & lanes[group]));
                unsatisfied.add(strength / 2, from_fn(|group| odd[group] | !lanes[group]));
            }
        }
        for own in spins {
            down.add(1, own);
            sites += 1;
        }
        Self::of_counts(unsatisfied, down, sites, quarter)
    }

    /// Sums from the unsatisfied quanta and the spins that are down.
    fn of_counts<const G: usize, const D: usize, const C: usize>(
        unsatisfied: LaneCounters<G, D, C>,
        down: LaneCounters<G, 1, 2>,
        sites: usize,
        quantum: f64,
    ) -> [Self; G] {
        let sum = unsatisfied.sum;
        let (unsatisfied, down) = (unsatisfied.planes(), down.planes());
        let (unsatisfied, down) = (unsatisfied.as_flattened(), down.as_flattened());
        from_fn(|group| Self::of_planes(&unsatisfied[group..], sum, quantum, &down[group..], sites as i64, G))
    }

    /// Sums of one group, by the planes of its counts as in [`totals()`].
    #[inline(never)] // long code that depends on no type
    fn of_planes(unsatisfied: &[u64], sum: i64, quantum: f64, down: &[u64], sites: i64, groups: usize) -> Self {
        LayerSums {
            energies: totals(unsatisfied, groups).map(|count| (sum - 2 * count) as f64 * quantum),
            magnetisations: totals(down, groups).map(|count| sites - 2 * count),
        }
    }

    /// Sums of 32 lanes of masks. `neighbours` yields the neighbours of each row; `weights` holds
    /// its field and the couplings to the later ones.
    pub fn of_masks<'a, L: Iterator<Item = usize>>(
        &mut self,
        row: impl Fn(usize) -> &'a [i16; WIDE_LANES],
        neighbours: impl Iterator<Item = L>,
        weights: &[f64],
        quantum: f64,
    ) {
        /// Number of sites whose sums fit in 32 bits.
        const BLOCK: usize = 1 << 16;
        let mut weights = weights.iter().map(|&value| quanta(value, quantum));
        let (mut total, mut unsatisfied, mut down) = (0, [0i64; WIDE_LANES], [0i64; WIDE_LANES]);
        let (mut recent, mut recent_down) = ([0u32; WIDE_LANES], [0u32; WIDE_LANES]);
        let mut sites = 0;
        for (index, neighbours) in neighbours.enumerate() {
            let spins = row(index);
            let field = weights.next().unwrap_or(0);
            total += i64::from(field);
            let mut sums = spins.map(|spin| field as i16 & spin);
            for other in neighbours.filter(|&other| other > index) {
                let coupling = weights.next().unwrap_or(0);
                total += i64::from(coupling);
                let others = row(other);
                for lane in 0..WIDE_LANES {
                    sums[lane] = sums[lane].wrapping_add(coupling as i16 & (spins[lane] ^ others[lane]));
                }
            }
            for lane in 0..WIDE_LANES {
                recent[lane] = recent[lane].wrapping_add_signed(i32::from(sums[lane]));
                recent_down[lane] = recent_down[lane].wrapping_add(u32::from(spins[lane] as u16 & 1));
            }
            sites += 1;
            if sites % BLOCK == 0 {
                drain(&mut unsatisfied, &mut recent);
                drain(&mut down, &mut recent_down);
            }
        }
        drain(&mut unsatisfied, &mut recent);
        drain(&mut down, &mut recent_down);
        for lane in 0..WIDE_LANES {
            self.energies[lane] = (total - 2 * unsatisfied[lane]) as f64 * quantum;
            self.magnetisations[lane] = sites as i64 - 2 * down[lane];
        }
    }

    /// Sums of 16 lanes of floats whose signs are the spins, added in the order of the weights.
    pub fn of_signs<'a, L: Iterator<Item = usize>>(
        &mut self,
        row: impl Fn(usize) -> &'a [f32; LANES],
        neighbours: impl Iterator<Item = L>,
        weights: &[f64],
    ) {
        const SIGN: u32 = 1 << 31;
        let mut weights = weights.iter().map(|value| value.to_bits());
        let (mut sums, mut down, mut sites) = ([0.0; LANES], [0u32; LANES], 0);
        let mut add = |value: u64, signs: &[u32; LANES]| {
            for lane in 0..LANES {
                sums[lane] += f64::from_bits(value ^ u64::from(signs[lane] & SIGN) << 32);
            }
        };
        for (index, neighbours) in neighbours.enumerate() {
            let spins = row(index).map(f32::to_bits);
            add(weights.next().unwrap_or(0), &spins);
            for other in neighbours.filter(|&other| other > index) {
                let others = row(other);
                let mut signs = spins;
                (0..LANES).for_each(|lane| signs[lane] ^= others[lane].to_bits());
                add(weights.next().unwrap_or(0), &signs);
            }
            (0..LANES).for_each(|lane| down[lane] = down[lane].wrapping_add(spins[lane] >> 31));
            sites += 1;
        }
        self.energies[..LANES].copy_from_slice(&sums);
        (0..LANES).for_each(|lane| self.magnetisations[lane] = sites - 2 * i64::from(down[lane]));
    }
}

/// Adds sums of 32 bits to the totals and clears them.
fn drain(totals: &mut [i64; WIDE_LANES], recent: &mut [u32; WIDE_LANES]) {
    totals.iter_mut().zip(recent.iter()).for_each(|(total, &sum)| *total += i64::from(sum as i32));
    recent.fill(0);
}

/// Weighted counts of the bits in the lanes of `G` groups, bit-sliced: plane `p` has bit `p` of every
/// count. Weights have up to `D` octal digits, each less than `C`, and 7 bits. Words of equal digits are
/// collected first, then added 15 at a time by carry-save adders.
struct LaneCounters<const G: usize, const D: usize, const C: usize> {
    /// For each digit and its value the words to be added; the one at `filled` is overwritten.
    waiting: [[[[u64; G]; 16]; C]; D],
    filled: [[usize; C]; D],
    planes: [[u64; G]; PLANES],
    /// The sum of the magnitudes of all weights.
    sum: i64,
}

/// Planes of a count: the weights of a site add up to at most 127, and there are at most 2^24 sites.
const PLANES: usize = 32;

impl<const G: usize, const D: usize, const C: usize> LaneCounters<G, D, C> {
    fn new() -> Self {
        LaneCounters { waiting: [[[[0; _]; _]; _]; _], filled: [[0; _]; _], planes: [[0; _]; _], sum: 0 }
    }

    /// Adds the magnitude of `weight` in every lane whose bit is set; if it is negative, in every lane
    /// whose bit is not set. Digits of 0 are stored too, in place of a branch.
    #[inline(always)]
    fn add(&mut self, weight: i32, words: [u64; G]) {
        let (magnitude, sign) = (weight.unsigned_abs() as usize, i64::from(weight >> 31) as u64);
        self.sum += magnitude as i64;
        for digit in 0..D {
            let value = (magnitude >> (3 * digit)) % C;
            let filled = self.filled[digit][value] % 16;
            self.waiting[digit][value][filled] = words.map(|word| word ^ sign);
            self.filled[digit][value] = filled + usize::from(value != 0);
            if filled == 14 {
                self.flush(digit, value);
            }
        }
    }

    /// Adds the waiting words of one value of a digit.
    #[inline(never)]
    fn flush(&mut self, digit: usize, value: usize) {
        let w = &mut self.waiting[digit][value];
        w[self.filled[digit][value]..].fill([0; G]);
        self.filled[digit][value] = 0;
        // 15 words of weight 1 become 7 of weight 2, 3 of weight 4, and 1 of weight 8.
        let (mut one, mut two, mut fours) = (w[14], [0; G], [[0; G]; 3]);
        for (words, four) in w.chunks_exact(4).zip(&mut fours) {
            let (a, b);
            (one, a) = full_adder(one, words[0], words[1]);
            (one, b) = full_adder(one, words[2], words[3]);
            (two, *four) = full_adder(two, a, b);
        }
        let (one, last) = full_adder(one, w[12], w[13]);
        let (two, carry) = full_adder(two, last, [0; G]);
        let (four, eight) = full_adder(fours[0], fours[1], fours[2]);
        let (four, more) = full_adder(four, carry, [0; G]);
        // At most one of `eight` and `more` is set, because the count is at most 15.
        let eight = full_adder(eight, more, [0; G]).0;
        for bit in (0..3).filter(|bit| value >> bit & 1 == 1) {
            let first = 3 * digit + bit;
            let mut carry = [0; G];
            for (plane, digit) in self.planes[first..].iter_mut().zip([one, two, four, eight]) {
                (*plane, carry) = full_adder(*plane, digit, carry);
            }
            for plane in &mut self.planes[first + 4..] {
                if carry.iter().fold(0, |any, word| any | word) == 0 {
                    break;
                }
                (*plane, carry) = full_adder(*plane, carry, [0; G]);
            }
        }
    }

    /// The planes of all words.
    fn planes(mut self) -> [[u64; G]; PLANES] {
        for (digit, value) in (0..D).flat_map(|digit| (1..C).map(move |value| (digit, value))) {
            if self.filled[digit][value] > 0 {
                self.flush(digit, value);
            }
        }
        self.planes
    }
}

/// The counts of the lanes of one group, by its planes: each `groups` words after the one before.
fn totals(planes: &[u64], groups: usize) -> [i64; 64] {
    let mut totals = [0; 64];
    for (quarter, planes) in planes.chunks(8 * groups).enumerate() {
        let mut words = [0; 8];
        words.iter_mut().zip(planes.iter().step_by(groups)).for_each(|(word, &plane)| *word = plane);
        if words == [0; 8] {
            continue;
        }
        for (byte, totals) in totals.chunks_exact_mut(8).enumerate() {
            let part = |word: u64| spread((word >> (8 * byte)) as u8);
            let sums = (0..).zip(words).fold(0, |sums, (p, word)| sums | part(word) << p);
            totals
                .iter_mut()
                .zip(sums.to_le_bytes())
                .for_each(|(total, sum)| *total |= i64::from(sum) << (8 * quarter));
        }
    }
    totals
}

/// Sum and carry of three words, for each group.
fn full_adder<const G: usize>(a: [u64; G], b: [u64; G], c: [u64; G]) -> ([u64; G], [u64; G]) {
    let half: [u64; G] = from_fn(|group| a[group] ^ b[group]);
    (from_fn(|group| half[group] ^ c[group]), from_fn(|group| a[group] & b[group] | half[group] & c[group]))
}

/// The bits of a byte as the lowest bits of 8 bytes.
pub(super) fn spread(byte: u8) -> u64 {
    let bits = u64::from(byte).wrapping_mul(0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
    (bits + 0x7f7f_7f7f_7f7f_7f7f) >> 7 & 0x0101_0101_0101_0101
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    fn count<const D: usize, const C: usize>(bits: u32) {
        let mut random = SplitMix64(1);
        for len in (0..64).chain([1000, 20_000]) {
            let (mut counters, mut expected) = (LaneCounters::<2, D, C>::new(), [[0i64; 64]; 2]);
            for _ in 0..len {
                let weight = (random.next() >> (64 - bits)) as i32 * if random.next() >> 63 == 0 { 1 } else { -1 };
                let words = [random.next(), if len % 2 == 0 { random.next() } else { u64::MAX }];
                counters.add(weight, words);
                for (expected, word) in expected.iter_mut().zip(words) {
                    let is_counted = |lane: usize| (word >> lane & 1 == 1) == (weight > 0);
                    (0..64).for_each(|lane| expected[lane] += i64::from(is_counted(lane)) * i64::from(weight.abs()));
                }
            }
            let planes = counters.planes();
            assert_eq!([0, 1].map(|group| totals(&planes.as_flattened()[group..], 2)), expected, "{len}");
        }
    }

    #[test]
    fn lane_counters_count() {
        count::<1, 2>(1);
        count::<1, 8>(3);
        count::<3, 8>(7);
    }
}
