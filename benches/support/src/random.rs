//! Numbers for problems of benchmarks.

/// A linear congruential generator: the same problems in every run.
pub struct Random(pub u64);

impl Random {
    /// From 0, below 1.
    pub fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.number() * bound as f64) as usize
    }

    pub fn sign(&mut self) -> f64 {
        if self.number() < 0.5 { -1.0 } else { 1.0 }
    }

    /// Of variance 1, nearly normal.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.number()).sum::<f64>() - 6.0
    }
}
