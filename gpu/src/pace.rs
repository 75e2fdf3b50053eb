//! The size of launches.

use std::time::{Duration, Instant};

/// Drivers end kernels that take seconds, so a launch takes about a tenth of one.
const WANTED: Duration = Duration::from_millis(100);

/// Chooses how many units of work a launch has: few at first, then as many as take [`WANTED`].
pub(crate) struct Pace {
    units: usize,
    max: usize,
}

impl Pace {
    /// Starts with `first` units, and never exceeds `max`. Both are at least 1.
    pub(crate) fn new(first: usize, max: usize) -> Pace {
        Pace { units: first.clamp(1, max.max(1)), max: max.max(1) }
    }

    /// Sets the maximum number of units of the launches from now on.
    pub(crate) fn limit(&mut self, max: usize) {
        self.max = max.max(1);
        self.units = self.units.min(self.max);
    }

    /// Runs launches until `total` units are done: `launch` gets the first of its units and their number, and returns
    /// when the device has finished them.
    pub(crate) fn run<E>(
        &mut self,
        total: usize,
        mut launch: impl FnMut(usize, usize) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut done = 0;
        while done < total {
            let (count, start) = (self.units.min(total - done), Instant::now());
            launch(done, count)?;
            self.took(count, start.elapsed());
            done += count;
        }
        Ok(())
    }

    /// Grows by at most a factor of 4 at a time: the first launches have costs of their own.
    fn took(&mut self, count: usize, time: Duration) {
        let units = count as f64 * WANTED.as_secs_f64() / time.as_secs_f64().max(1e-6);
        self.units = (units as usize).clamp(1, 4 * self.units).min(self.max);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launch_takes_as_long_as_wanted() {
        let mut pace = Pace::new(1, 1 << 20);
        for _ in 0..10 {
            pace.took(pace.units, Duration::from_micros(10) * pace.units as u32);
        }
        assert_eq!(pace.units, 10_000);
        pace.took(10_000, Duration::from_secs(1));
        assert_eq!(pace.units, 1000);
    }

    #[test]
    fn launches_cover_all_units_once() {
        let (mut pace, mut next) = (Pace::new(3, 5), 0);
        let launched: Result<(), ()> = pace.run(23, |first, count| {
            assert!(first == next && (1..=5).contains(&count));
            next += count;
            Ok(())
        });
        assert_eq!((launched, next), (Ok(()), 23));
    }
}
