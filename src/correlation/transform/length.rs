//! The lengths of transforms.
//!
//! A length is m 4^a. Input s 4^a + i and output r + m k belong together by
//!
//! ```text
//! F(r + m k) = sum over i of w^(m i k) (w^(r i) sum over s of w^(r s 4^a) f(s 4^a + i))
//! ```
//!
//! with a root w of unity. [`ntt_combine()`](super::super::ntt_combine()) computes the inner sums.
//! [`ntt_forward()`](super::super::ntt_forward()) computes the outer ones, two binary levels at a time, which leaves k
//! in the order of its reversed bits: F(r + m k) is at r 4^a + (k reversed). In this order -k lies opposite to k
//! ([`Length::opposite`]).

/// The number m 4^a of a transform.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Length {
    pub m: usize,
    pub power: usize,
}

impl Length {
    /// The shortest length of at least `n`.
    pub fn of(n: usize) -> Length {
        let lengths = |power: usize| [4, 5, 6, 7, 8, 9, 10, 12, 14, 15].map(|m| Length { m, power });
        let powers = (2..).map(|a| 1 << (2 * a));
        let mut all = powers.flat_map(lengths);
        // The lengths ascend: 15 4^a is less than 4 4^(a + 1).
        all.find(|length| length.points() >= n).unwrap_or(Length { m: 4, power: 16 })
    }

    pub fn points(self) -> usize {
        self.m * self.power
    }

    /// The place of F(-k), if F(k) is at `place`.
    pub fn opposite(self, place: usize) -> usize {
        let (r, at) = (place / self.power, place % self.power);
        match (r, at) {
            (0, 0) => 0,
            // The negative of a number has the same lowest set bit, and the opposite bits above.
            (0, _) => 3 * (1 << at.ilog2()) - 1 - at,
            _ => (self.m - r + 1) * self.power - 1 - at,
        }
    }

    /// The parts of 4^a numbers that hold the differences from -`lag` to `lag`.
    pub fn parts(self, lag: usize) -> impl Iterator<Item = usize> {
        (0..self.m).filter(move |part| part * self.power <= lag || (part + 1) * self.power > self.points() - lag)
    }

    /// The operations of a transform, about: levels of the transform, and terms of the inner sums.
    pub fn work(self, inputs: usize, outputs: usize) -> f64 {
        let levels = f64::from(self.power.ilog2() / 2);
        (levels * self.points() as f64) + 0.3 * (inputs * outputs * self.power) as f64
    }
}
