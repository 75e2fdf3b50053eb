//! SplitMix64: single random numbers for rare decisions.

use super::generator::Mt19937;

/// The generator of G. L. Steele, D. Lea and C. H. Flood, "Fast splittable pseudorandom number
/// generators" (OOPSLA 2014), and its state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SplitMix64(pub u64);

impl SplitMix64 {
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

    /// Seeded by the first two of 16 numbers that it draws.
    pub fn drawn(rng: &mut Mt19937) -> Self {
        let mut seed = [0; 16];
        rng.fill_u32(&mut seed);
        SplitMix64(u64::from(seed[0]) | u64::from(seed[1]) << 32)
    }

    /// The output after `n` more.
    pub fn nth(self, n: u64) -> u64 {
        SplitMix64(self.0.wrapping_add(n.wrapping_mul(Self::STEP))).next()
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(Self::STEP);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_outputs_are_the_published_ones() {
        let mut random = super::SplitMix64(1_234_567);
        let published: [u64; 3] = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!([random.next(), random.next(), random.next()], published);
    }
}
