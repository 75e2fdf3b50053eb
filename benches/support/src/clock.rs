//! The core's clock rate, and timing that resists other load.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Cycles per nanosecond now: a chain of dependent one-cycle operations, the fastest of a few runs of 0.2 ms.
pub fn gigahertz() -> f64 {
    const STEPS: u32 = 1 << 18;
    let chain = || {
        let (mask, step) = black_box((0x55_u64, 0x1234_5677_u64));
        let begin = Instant::now();
        let mut x = black_box(1_u64);
        for _ in 0..STEPS {
            x = (x ^ mask).wrapping_add(step);
        }
        black_box(x);
        f64::from(2 * STEPS) / begin.elapsed().as_nanos() as f64
    };
    (0..12).map(|_| chain()).fold(0.0, f64::max)
}

/// The measurements of one job, in its own unit.
#[derive(Clone, Debug, Default)]
pub struct Samples(Vec<f64>);

impl Samples {
    pub fn push(&mut self, value: f64) {
        let at = self.0.partition_point(|&other| other < value);
        self.0.insert(at, value);
    }

    fn quantile(&self, q: f64) -> f64 {
        self.0.get((q * self.0.len() as f64) as usize).copied().unwrap_or(f64::NAN)
    }

    /// The minimum: the measurement that was disturbed least.
    pub fn least(&self) -> f64 {
        self.quantile(0.0)
    }

    pub fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    /// The interquartile range divided by the median.
    pub fn spread(&self) -> f64 {
        (self.quantile(0.75) - self.quantile(0.25)) / self.median()
    }
}

/// Times the jobs 0..`jobs` in turn, A B C A B C, until `budget` is spent, at least three rounds;
/// `time(job)` returns one measurement.
pub fn interleaved(jobs: usize, budget: Duration, mut time: impl FnMut(usize) -> f64) -> Vec<Samples> {
    let begin = Instant::now();
    let mut samples = vec![Samples::default(); jobs];
    let mut round = 0;
    while round < 3 || begin.elapsed() < budget {
        for (job, samples) in samples.iter_mut().enumerate() {
            samples.push(time(job));
        }
        round += 1;
    }
    samples
}
