//! Anneals that fill a given time: the sweeps of each step.

use std::time::{Duration, Instant};

/// Maximum number of sweeps of a step.
const MAX_SWEEPS: u64 = 1 << 40;
/// The weight of a step relative to the next one.
const MEMORY: f64 = 0.8;
/// Share of the time for the first anneal, which gives a first result.
const FIRST: f64 = 0.04;
/// Share of the time that is used, so that the last anneal ends before it is over.
const USED: f64 = 0.99;

/// Chooses the sweeps of each step such that the anneals fill the time.
pub struct Pace {
    begin: Instant,
    time: f64,
    anneals: u32,
    anneal: u32,
    /// Seconds and sweeps of the steps, the recent ones with more weight.
    recent: [f64; 2],
}

impl Pace {
    pub fn new(begin: Instant, time: Duration, anneals: u32) -> Self {
        Pace { begin, time: USED * time.as_secs_f64(), anneals, anneal: 0, recent: [0.0; 2] }
    }

    /// Seconds from the start of the run to the end of the current anneal. An anneal takes as long as all before it,
    /// except the last of two.
    fn end(&self) -> f64 {
        match (self.anneals.saturating_sub(self.anneal + 1), self.anneals) {
            (0, _) => self.time,
            (_, 2) => FIRST * self.time,
            (later, _) => self.time / (later as f64).exp2(),
        }
    }

    /// The sweeps of the next step, if `steps` are left with it.
    pub fn sweeps(&self, steps: u64) -> u64 {
        self.sweeps_at(self.begin.elapsed().as_secs_f64(), steps)
    }

    fn sweeps_at(&self, now: f64, steps: u64) -> u64 {
        let [seconds, sweeps] = self.recent;
        let step = (self.end() - now).max(0.0) / steps as f64;
        if seconds > 0.0 { ((step * sweeps / seconds) as u64).clamp(1, MAX_SWEEPS) } else { 1 }
    }

    /// Notes that a step of `sweeps` took `time`.
    pub fn note(&mut self, sweeps: u64, time: Duration) {
        let step = [time.as_secs_f64(), sweeps as f64];
        self.recent = [0, 1].map(|k| MEMORY * self.recent[k] + step[k]);
    }

    /// Whether no anneal follows.
    pub fn is_last(&self) -> bool {
        self.anneal + 1 >= self.anneals
    }

    /// Begins the next anneal.
    pub fn restart(&mut self) {
        self.anneal += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(anneals: u32) -> Pace {
        Pace::new(Instant::now(), Duration::from_secs(100), anneals)
    }

    #[test]
    fn anneals_end_when_the_time_is_over() {
        let ends = |anneals| {
            let mut pace = pace(anneals);
            let ends = (0..anneals).map(|_| {
                let end = (pace.end(), pace.is_last());
                pace.restart();
                end
            });
            ends.collect::<Vec<_>>()
        };
        assert_eq!(ends(1), [(99.0, true)]);
        assert_eq!(ends(2), [(3.96, false), (99.0, true)]);
        assert_eq!(ends(4), [(12.375, false), (24.75, false), (49.5, false), (99.0, true)]);
    }

    #[test]
    fn steps_have_the_sweeps_that_fit() {
        let mut pace = pace(1);
        assert_eq!(pace.sweeps_at(0.0, 10), 1);
        pace.note(1, Duration::from_millis(10));
        assert_eq!(pace.sweeps_at(9.0, 9), 1000);
        // Twice as slow: more and more of the steps are.
        for _ in 0..40 {
            pace.note(1000, Duration::from_secs(20));
        }
        assert_eq!(pace.sweeps_at(9.0, 9), 500);
        // No time is left, but the anneal goes on to its end.
        assert_eq!(pace.sweeps_at(99.5, 9), 1);
    }
}
