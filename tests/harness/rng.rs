//! The random generator for tests: SplitMix64 (Steele, Lea and Flood 2014), the same in every run.
#![allow(dead_code)] // each test binary uses a part of it

pub struct Rng(pub u64);

impl Rng {
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.word() % bound
    }

    pub fn index(&mut self, len: usize) -> usize {
        self.below(len as u64) as usize
    }

    /// A multiple of 2^-53 `bound` in [0, `bound`).
    pub fn real(&mut self, bound: f64) -> f64 {
        (self.word() >> 11) as f64 * (-53f64).exp2() * bound
    }
}
