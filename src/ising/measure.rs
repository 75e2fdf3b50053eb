//! Sums over the spins of each layer, in one pass over a group.

use core::array::from_fn;

use super::graph::quanta;
use super::links::ByteLink;
use super::shape::LANES;
use super::wide::WIDE_LANES;

/// Groups whose bits are counted together.
pub(super) const PAIR: usize = 2;

/// Energy and magnetisation of the layers of one group, by lane; those of idle lanes have no
/// meaning.
pub(super) struct LayerSums {
    /// `Es` of each layer.
    pub energies: [f64; 64],
    pub magnetisations: [i64; 64],
}

impl LayerSums {
    pub const ZERO: Self = LayerSums { energies: [0.0; 64], magnetisations: [0; 64] };

    /// Sums of two groups of 64 lanes of bits. `links` is the stream of
    /// [`sweep_i8()`](super::sweep_i8()).
    pub fn of_words(spins: [&[u64]; PAIR], mut links: &[ByteLink], quantum: f64) -> [Self; PAIR] {
        let (mut unsatisfied, mut down) = (LaneCounters::new(), LaneCounters::new());
        let (mut most, sites) = (0, spins[0].len());
        for row in 0..sites {
            let own = spins.map(|spins| spins[row]);
            let Some((header, tail)) = links.split_first() else { break };
            let (couplings, next) = tail.split_at(header.degree());
            links = next;
            let mut add = |value: i32, words: Words| {
                most += i64::from(value.abs());
                let sign = i64::from(value >> 31) as u64;
                unsatisfied.add(value.unsigned_abs(), words.map(|word| word ^ sign));
            };
            let mut field = 2 * header.value() + header.parity() as i32;
            for link in couplings {
                field -= link.value();
                // Count every edge once, at the site that is visited first.
                let other = link.row();
                if other > row {
                    add(link.value(), from_fn(|group| own[group] ^ spins[group][other]));
                }
            }
            add(field, own);
            down.add(1, own);
        }
        let (unsatisfied, down) = (unsatisfied.totals(), down.totals());
        from_fn(|group| LayerSums {
            energies: unsatisfied[group].map(|count| (most - 2 * count) as f64 * quantum),
            magnetisations: down[group].map(|count| sites as i64 - 2 * count),
        })
    }

    /// Sums of two groups of 64 lanes, by the spins of each site. `bonds` yields for each bond whether it
    /// is unsatisfied, the lanes that have it, all or a part, and its strength in quarters of a quantum,
    /// even for a part.
    pub fn of_bonds(
        spins: impl Iterator<Item = Words>,
        bonds: impl Iterator<Item = (Words, Words, u32)>,
        quarter: f64,
    ) -> [Self; PAIR] {
        let (mut unsatisfied, mut down) = (LaneCounters::new(), LaneCounters::new());
        let (mut most, mut sites) = (0, 0);
        for (odd, lanes, strength) in bonds {
            most += i64::from(strength);
            if lanes == [u64::MAX; PAIR] {
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
        let (unsatisfied, down) = (unsatisfied.totals(), down.totals());
        from_fn(|group| LayerSums {
            energies: unsatisfied[group].map(|count| (most - 2 * count) as f64 * quarter),
            magnetisations: down[group].map(|count| sites - 2 * count),
        })
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

/// A word of each group.
type Words = [u64; PAIR];

/// Weighted counts of the bits in the lanes, bit-sliced: plane `p` has bit `p` of every count. Words
/// of one weight are collected first, then added 15 at a time by carry-save adders.
struct LaneCounters {
    waiting: [[Words; 15]; LaneCounters::WEIGHTS],
    filled: [usize; LaneCounters::WEIGHTS],
    planes: [Words; LaneCounters::PLANES],
}

impl LaneCounters {
    /// Weights are less than 2^7.
    const WEIGHTS: usize = 7;
    /// The weights of a site add up to at most 127, and there are at most 2^24 sites.
    const PLANES: usize = 32;

    fn new() -> Self {
        LaneCounters { waiting: [[[0; _]; _]; _], filled: [0; _], planes: [[0; _]; _] }
    }

    fn add(&mut self, mut weight: u32, words: Words) {
        while weight != 0 {
            let plane = weight.trailing_zeros() as usize % 8 % Self::WEIGHTS;
            weight &= weight - 1;
            let filled = self.filled[plane] % 15;
            self.waiting[plane][filled] = words;
            self.filled[plane] = filled + 1;
            if filled == 14 {
                self.flush(plane);
            }
        }
    }

    /// Adds the waiting words of one weight.
    #[inline(never)]
    fn flush(&mut self, plane: usize) {
        let w = &mut self.waiting[plane];
        w[self.filled[plane]..].fill([0; PAIR]);
        self.filled[plane] = 0;
        // 15 words of weight 1 become 7 of weight 2, 3 of weight 4, and 1 of weight 8.
        let (mut one, mut two, mut fours) = (w[14], [0; PAIR], [[0; PAIR]; 3]);
        for (words, four) in w.chunks_exact(4).zip(&mut fours) {
            let (a, b);
            (one, a) = full_adder(one, words[0], words[1]);
            (one, b) = full_adder(one, words[2], words[3]);
            (two, *four) = full_adder(two, a, b);
        }
        let (one, last) = full_adder(one, w[12], w[13]);
        let (two, carry) = full_adder(two, last, [0; PAIR]);
        let (four, eight) = full_adder(fours[0], fours[1], fours[2]);
        let (four, more) = full_adder(four, carry, [0; PAIR]);
        // At most one of `eight` and `more` is set, because the count is at most 15.
        let eight = full_adder(eight, more, [0; PAIR]).0;
        let mut carry = [0; PAIR];
        for (plane, digit) in self.planes[plane..].iter_mut().zip([one, two, four, eight]) {
            (*plane, carry) = full_adder(*plane, digit, carry);
        }
        for plane in &mut self.planes[plane + 4..] {
            if carry == [0; PAIR] {
                break;
            }
            (*plane, carry) = full_adder(*plane, carry, [0; PAIR]);
        }
    }

    fn totals(mut self) -> [[i64; 64]; PAIR] {
        for plane in 0..Self::WEIGHTS {
            if self.filled[plane] > 0 {
                self.flush(plane);
            }
        }
        let mut totals = [[0; 64]; PAIR];
        for (quarter, planes) in self.planes.chunks_exact(8).enumerate() {
            if planes.as_flattened().iter().all(|&plane| plane == 0) {
                continue;
            }
            for (group, totals) in totals.iter_mut().enumerate() {
                for (byte, totals) in totals.chunks_exact_mut(8).enumerate() {
                    let part = |plane: &Words| spread((plane[group] >> (8 * byte)) as u8);
                    let sums = (0..).zip(planes).fold(0, |sums, (p, plane)| sums | part(plane) << p);
                    let sums = sums.to_le_bytes();
                    totals.iter_mut().zip(sums).for_each(|(total, sum)| *total |= i64::from(sum) << (8 * quarter));
                }
            }
        }
        totals
    }
}

/// Sum and carry of three words, for each group.
fn full_adder(a: Words, b: Words, c: Words) -> (Words, Words) {
    let half: Words = from_fn(|group| a[group] ^ b[group]);
    (from_fn(|group| half[group] ^ c[group]), from_fn(|group| a[group] & b[group] | half[group] & c[group]))
}

/// The bits of a byte as the lowest bits of 8 bytes.
fn spread(byte: u8) -> u64 {
    let bits = u64::from(byte).wrapping_mul(0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
    (bits + 0x7f7f_7f7f_7f7f_7f7f) >> 7 & 0x0101_0101_0101_0101
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    #[test]
    fn lane_counters_count() {
        let mut random = SplitMix64(1);
        for len in (0..64).chain([1000, 20_000]) {
            let (mut counters, mut expected) = (LaneCounters::new(), [[0i64; 64]; PAIR]);
            for _ in 0..len {
                let weight = (random.next() >> 57) as u32;
                let words = [random.next(), if len % 2 == 0 { random.next() } else { u64::MAX }];
                counters.add(weight, words);
                for (expected, word) in expected.iter_mut().zip(words) {
                    (0..64).for_each(|lane| expected[lane] += i64::from(weight) * (word >> lane & 1) as i64);
                }
            }
            assert_eq!(counters.totals(), expected, "{len}");
        }
    }
}
