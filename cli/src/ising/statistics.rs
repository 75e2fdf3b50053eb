//! Means of correlated measurements, with reliable standard errors or the reason why there is none.
//!
//! For many independent copies, the error comes from the spread of their means, whatever the
//! correlation in time ([`of_copies`]). For a single series, it comes from the autocorrelation
//! function, summed up to the window of U. Wolff, "Monte Carlo errors with less errors" (Comput.
//! Phys. Commun. 156, 2004). The window is computed from absolute values, so that it does not miss
//! an alternating series ([`of_series`]).

mod autocorrelation;

use serde::Serialize;

use super::tally::Tally;
use autocorrelation::{Correlation, MIN_TIMES};

/// The mean of a stationary series.
#[derive(Clone, Copy, Debug)]
pub struct Estimate {
    pub mean: f64,
    /// Standard error, or the reason why there is none.
    pub error: Result<f64, Doubt>,
    /// Integrated autocorrelation time in measurements: 1/2 if they are independent, less if they
    /// are anticorrelated, NaN if it cannot be estimated.
    pub time: f64,
}

/// Why an error cannot be estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Doubt {
    /// The series is too short for its correlation.
    Short,
    /// Both halves differ by more than their errors explain: the run was still approaching
    /// equilibrium.
    Drift,
    /// A few rare measurements dominate the variance.
    Rare,
    /// All measurements are equal.
    Constant,
    /// No replica made a round trip along the ladder, so a rung may sample one valley only.
    Trapped,
    /// Copies differ by more than the error explains, or the magnetisation of a symmetric problem is not 0.
    Valleys,
}

/// Minimum number of copies to compute the error from their spread.
pub const MIN_COPIES: usize = 32;
/// Maximum excess of the variance of a few copies over the one that the error explains, in standard errors of a
/// variance.
const MAX_EXCESS: f64 = 5.0;
/// Maximum magnetisation of a problem without fields, in standard errors.
const MAX_ASYMMETRY: f64 = 4.0;
/// Minimum number of copies that share the variance ([`sharing`]).
const MIN_SHARING: f64 = 5.0;
/// Minimum number of independent events that the variance of a series consists of ([`events`]). Their number has the
/// relative error of a Poisson count, and so has the variance. With fewer, series that miss some of them have errors
/// that are too small: with 8, means are off by up to 6 errors.
const MIN_EVENTS: f64 = 16.0;
/// Events by which a variance may be too small, for about 4 standard errors of the mean.
const MISSED: f64 = 4.0;
/// Maximum difference of the two halves, in standard errors.
const MAX_DRIFT: f64 = 3.5;
/// Relative rounding errors of sums.
const ROUNDING: f64 = 1e-12;

/// The mean of independent copies of one system. `series` holds the mean over all copies for each
/// measurement.
pub fn of_copies(tallies: &[Tally], series: &[f64]) -> Estimate {
    let copies = tallies.len() as f64;
    let (mean, spread) = mean_and_deviations(tallies.iter().map(Tally::mean));
    let between = variance(&spread);
    let within = tallies.iter().map(Tally::variance).sum::<f64>() / copies;
    let single = within + between * (copies - 1.0) / copies;
    if single <= (ROUNDING * mean).powi(2) {
        return Estimate { mean, error: Err(Doubt::Constant), time: f64::NAN };
    }
    let count = series.len() as f64;
    let time = count * between / (2.0 * single);
    let error = (between / copies).sqrt();
    let (drift, drifts) = mean_and_deviations(tallies.iter().map(Tally::drift));
    let is_short = |found: Correlation| count < MIN_TIMES * found.absolute;
    let doubt = if time < 0.25 && Correlation::new(&mean_and_deviations(series.iter().copied()).1).is_none_or(is_short)
    {
        // Alternating copies can hide a deviation from equilibrium by cancellation.
        Some(Doubt::Short)
    } else if drift.abs() > MAX_DRIFT * (variance(&drifts) / copies).sqrt() {
        Some(Doubt::Drift)
    } else {
        (sharing(&spread) < MIN_SHARING).then_some(Doubt::Rare)
    };
    Estimate { mean, error: doubt.map_or(Ok(error), Err), time }
}

/// The mean of a few copies from their mean series, unless they differ as if each had stayed in a valley of its own.
pub fn of_few(tallies: &[Tally], series: &[f64]) -> Estimate {
    let estimate = of_series(series);
    let copies = tallies.len() as f64;
    let error = match estimate.error {
        Ok(error) => error,
        Err(Doubt::Constant) => ROUNDING * estimate.mean.abs(),
        Err(_) => return estimate,
    };
    let (_, spread) = mean_and_deviations(tallies.iter().map(Tally::mean));
    let limit = 1.0 + MAX_EXCESS * (2.0 / (copies - 1.0)).sqrt();
    match variance(&spread) > limit * copies * error * error && copies > 1.0 {
        true => Estimate { error: Err(Doubt::Valleys), ..estimate },
        false => estimate,
    }
}

/// The estimate of the magnetisation of a problem that a reversal of all spins does not change.
pub fn of_symmetric(estimate: Estimate) -> Estimate {
    match estimate.error {
        Ok(error) if estimate.mean.abs() > MAX_ASYMMETRY * error => Estimate { error: Err(Doubt::Valleys), ..estimate },
        _ => estimate,
    }
}

/// The estimate of a sum, given that of a part of it. `event` is the change of the sum's mean by a rare event of the
/// part, of which the series of the sum may have seen too few, too.
///
/// The number of rare events has the error of a Poisson count. If the part saw fewer than `MIN_EVENTS`, this error
/// is at most about `sqrt(MIN_EVENTS + 1)` events, also if it saw none. It is unknown, so it must be small against the
/// error of the sum: less than half of it adds at most an eighth.
pub fn of_sum(sum: Estimate, part: Estimate, event: f64) -> Estimate {
    let hidden = event * (2.0 * part.time).max(1.0) * (MIN_EVENTS + 1.0).sqrt();
    match (sum.error, part.error) {
        (Ok(error), Err(Doubt::Rare | Doubt::Constant)) if hidden < error / 2.0 => sum,
        (Ok(_), Err(Doubt::Rare | Doubt::Constant)) => Estimate { error: Err(Doubt::Rare), ..sum },
        (Ok(_), Err(doubt)) => Estimate { error: Err(doubt), ..sum },
        _ => sum,
    }
}

/// The mean of one series.
pub fn of_series(series: &[f64]) -> Estimate {
    let (mean, rest) = mean_and_deviations(series.iter().copied());
    if series.len() > 1 && rest.iter().all(|value| value.abs() <= ROUNDING * mean.abs()) {
        return Estimate { mean, error: Err(Doubt::Constant), time: f64::NAN };
    }
    let Some(found) = Correlation::new(&rest) else {
        return Estimate { mean, error: Err(Doubt::Short), time: f64::NAN };
    };
    let events = events(&rest) / (2.0 * found.time).max(1.0);
    let doubt = if (series.len() as f64) < MIN_TIMES * found.absolute {
        Some(Doubt::Short)
    } else if drifts(series) {
        Some(Doubt::Drift)
    } else {
        (events < MIN_EVENTS).then_some(Doubt::Rare)
    };
    // A series that has missed some of its events has a small variance, too.
    let error = found.error * (1.0 + MISSED / events).sqrt();
    Estimate { mean, error: doubt.map_or(Ok(error), Err), time: found.time }
}

/// Whether the means of both halves differ by more than the errors within the halves explain.
fn drifts(series: &[f64]) -> bool {
    let (first, second) = series.split_at(series.len() / 2);
    let [(first, before), (second, after)] = [first, second].map(|half| mean_and_deviations(half.iter().copied()));
    let found = Correlation::new(&[before, after].concat());
    found.is_none_or(|found| (second - first).abs() > MAX_DRIFT * 2.0 * found.error)
}

fn mean_and_deviations(values: impl Iterator<Item = f64>) -> (f64, Vec<f64>) {
    let mut values: Vec<f64> = values.collect();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter_mut().for_each(|value| *value -= mean);
    (mean, values)
}

/// The unbiased variance, from deviations; infinite for fewer than two.
fn variance(deviations: &[f64]) -> f64 {
    match deviations.len() {
        0 | 1 => f64::INFINITY,
        count => deviations.iter().map(|value| value * value).sum::<f64>() / (count - 1) as f64,
    }
}

/// Effective number of values that share the variance: a third of them for a normal distribution,
/// `k` for `k` equal outliers among many.
fn sharing(deviations: &[f64]) -> f64 {
    let largest = deviations.iter().fold(0.0f64, |largest, value| largest.max(value.abs()));
    let power = |exponent| deviations.iter().map(|value| (value / largest).powi(exponent)).sum::<f64>();
    power(2).powi(2) / power(4)
}

/// Effective number of events in independent values: all of them for a normal distribution and for flatter ones, `k`
/// for `k` equal outliers among many.
fn events(deviations: &[f64]) -> f64 {
    let count = deviations.len() as f64;
    count / (count / sharing(deviations) - 2.0).max(1.0)
}

#[cfg(test)]
mod tests {
    use hotloops::random::Mt19937;

    use super::*;

    struct Noise(Mt19937);

    impl Noise {
        fn new() -> Self {
            Noise(Mt19937::seeded(16, 1).unwrap())
        }

        /// An autoregressive series in its stationary state.
        fn series(&mut self, memory: f64, count: usize) -> Vec<f64> {
            let mut random = vec![0f32; 12 * (count + 1)];
            self.0.fill_f32(&mut random);
            let normal = |x: &[f32]| x.iter().map(|&x| f64::from(x)).sum::<f64>() - 6.0;
            let (start, rest) = random.split_at(12);
            let mut value = normal(start) / (1.0 - memory * memory).sqrt();
            rest.chunks(12)
                .map(|x| {
                    value = memory * value + normal(x);
                    value
                })
                .collect()
        }
    }

    #[test]
    fn an_autoregressive_series_has_its_known_time_and_error() {
        for memory in [-0.9, -0.5, 0.0, 0.5, 0.9] {
            let series = Noise::new().series(memory, 1 << 18);
            let time = 0.5 * (1.0 + memory) / (1.0 - memory);
            let found = of_series(&series);
            assert!((found.time / time - 1.0).abs() < 0.1, "{memory}: {found:?}");
            let error = (2.0 * time / (1.0 - memory * memory) / series.len() as f64).sqrt();
            assert!((found.error.unwrap() / error - 1.0).abs() < 0.1, "{memory}: {found:?}");
            assert!(found.mean.abs() < 4.0 * error, "{memory}: {found:?}");
        }
    }

    /// The spread of means in units of their errors, over 200 series of 3200 values: noise, and a slow mode of a share
    /// of the variance.
    fn spread(noise: &mut Noise, time: f64, share: f64, slow: f64) -> f64 {
        let memory = |time: f64| (2.0 * time - 1.0) / (2.0 * time + 1.0);
        let mut unit = |time: f64| {
            let memory = memory(time);
            let scale = (1.0 - memory * memory).sqrt();
            noise.series(memory, 3200).into_iter().map(move |value| value * scale)
        };
        let z: Vec<f64> = (0..200)
            .filter_map(|_| {
                let fast: Vec<f64> = unit(time).collect();
                let both = fast.iter().zip(unit(slow)).map(|(a, b)| a * (1.0 - share).sqrt() + b * share.sqrt());
                let found = of_series(&both.collect::<Vec<_>>());
                Some(found.mean / found.error.ok()?)
            })
            .collect();
        assert!(z.len() >= 150, "{time}, {share}, {slow}: {} errors", z.len());
        let (mean, rest) = mean_and_deviations(z.iter().copied());
        (mean * mean + rest.iter().map(|z| z * z).sum::<f64>() / z.len() as f64).sqrt()
    }

    /// The spread of 200 values has an error of 5 percent.
    #[test]
    fn errors_are_neither_too_small_nor_too_large() {
        let mut noise = Noise::new();
        let mut all = Vec::new();
        for time in [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0] {
            all.push((time, 0.0, 0.5, spread(&mut noise, time, 0.0, 0.5)));
        }
        for slow in [20.0, 50.0, 80.0] {
            for share in [0.01, 0.03, 0.1, 0.3] {
                all.push((0.5, share, slow, spread(&mut noise, 0.5, share, slow)));
            }
        }
        all.iter().for_each(|(time, share, slow, spread)| println!("{time} {share} {slow}: {spread:.3}"));
        assert!(all.iter().all(|(.., spread)| (0.8..1.3).contains(spread)), "{all:?}");
        let mean = all.iter().map(|(.., spread)| spread).sum::<f64>() / all.len() as f64;
        assert!((0.9..1.1).contains(&mean), "{mean}: {all:?}");
    }

    /// Asserts that errors are at most 1.3 times too small and 1.5 times too large: the spread of
    /// the means of 1000 estimates around 0, if 50 errors or more are given. At most `max_beyond`
    /// of the means are off by more than 2 errors.
    fn check_coverage(name: &str, estimates: &[Estimate], max_beyond: f64) {
        let given: Vec<(f64, f64)> = estimates.iter().filter_map(|e| Some((e.mean, e.error.ok()?))).collect();
        let count = given.len() as f64;
        let spread = (given.iter().map(|(mean, _)| mean * mean).sum::<f64>() / count).sqrt();
        let ratio = spread * count / given.iter().map(|(_, error)| error).sum::<f64>();
        let beyond = given.iter().filter(|(mean, error)| mean.abs() > 2.0 * error).count() as f64 / count;
        if count >= 50.0 {
            assert!(
                (1.0 / 1.5..1.3).contains(&ratio) && beyond < max_beyond,
                "{name}: {count} of ratio {ratio}, {beyond}"
            );
        }
    }

    #[test]
    fn errors_of_a_series_cover() {
        let mut noise = Noise::new();
        for memory in [-0.9, -0.5, 0.0, 0.5, 0.8, 0.95, 0.99] {
            for count in [50, 80, 200, 1000] {
                let found: Vec<_> = (0..1000).map(|_| of_series(&noise.series(memory, count))).collect();
                check_coverage(&format!("{memory}, {count}"), &found, 0.1);
                let given = found.iter().filter(|estimate| estimate.error.is_ok()).count();
                let times = count as f64 / (0.5 * (1.0 + memory.abs()) / (1.0 - memory.abs()));
                assert!(times > 10.0 || given < 10, "{memory}, {count}: {given} errors of series too short for one");
                assert!(times < 150.0 || given > 950, "{memory}, {count}: {given} errors of long series");
            }
        }
    }

    /// The magnetisation of a system that switches between two states at a fixed rate, like a
    /// quantum model at low temperature.
    #[test]
    fn errors_of_a_series_of_two_states_cover() {
        let mut noise = Noise::new();
        for times in [40.0, 60.0, 100.0, 200.0] {
            let count = 600;
            let mut series = || {
                let mut random = vec![0f32; count + 1];
                noise.0.fill_f32(&mut random);
                let mut state = if random[count] < 0.5 { 1.0 } else { -1.0 };
                let step = |(value, &x): (f64, &f32)| {
                    if x < times as f32 / (4 * count) as f32 {
                        state = -state;
                    }
                    state + 0.3 * value
                };
                noise.series(0.0, count).into_iter().zip(&random).map(step).collect::<Vec<_>>()
            };
            let found: Vec<_> = (0..1000).map(|_| of_series(&series())).collect();
            check_coverage(&format!("{times} times"), &found, 0.2);
        }
    }

    /// The estimate from `copies` series of `count` measurements each.
    fn copies_of(copies: usize, count: usize, mut make: impl FnMut() -> Vec<f64>) -> Estimate {
        let mut tallies = vec![Tally::default(); copies];
        let mut series = vec![0.0; count];
        for tally in &mut tallies {
            for (index, value) in make().into_iter().enumerate() {
                tally.add(value);
                series[index] += value / copies as f64;
            }
        }
        of_copies(&tallies, &series)
    }

    #[test]
    fn errors_of_copies_cover_whatever_the_correlation() {
        let mut noise = Noise::new();
        for (memory, count) in [(0.0, 1), (0.0, 10), (0.9, 10), (0.99, 20), (-0.9, 1000)] {
            let found: Vec<_> = (0..1000).map(|_| copies_of(32, count, || noise.series(memory, count))).collect();
            check_coverage(&format!("{memory}, {count}"), &found, 0.1);
            assert!(found.iter().filter(|estimate| estimate.error.is_ok()).count() > 900);
        }
        let found = copies_of(1000, 400, || noise.series(0.8, 400));
        assert!((found.time / 4.5 - 1.0).abs() < 0.15, "{found:?}");
        let found = copies_of(1000, 400, || noise.series(-0.8, 400));
        assert!((found.time * 18.0 - 1.0).abs() < 0.15, "{found:?}");
    }

    #[test]
    fn copies_in_valleys_of_their_own_have_no_error() {
        let mut noise = Noise::new();
        for copies in [1, 2, 3, 8, 31] {
            for (shift, is_right) in [(0.0, true), (3.0, false)] {
                let mut given = 0;
                for _ in 0..100 {
                    let mut tallies = vec![Tally::default(); copies];
                    let mut mean = vec![0.0; 400];
                    for (copy, tally) in tallies.iter_mut().enumerate() {
                        let valley = if copy % 2 == 0 { shift } else { -shift };
                        for (index, value) in noise.series(0.5, 400).into_iter().enumerate() {
                            tally.add(value + valley);
                            mean[index] += (value + valley) / copies as f64;
                        }
                    }
                    given += usize::from(of_few(&tallies, &mean).error.is_ok());
                }
                let expected = if is_right || copies == 1 { 95..=100 } else { 0..=0 };
                assert!(expected.contains(&given), "{copies}, {shift}: {given}");
            }
        }
        let estimate = |mean| Estimate { mean, error: Ok(0.1), time: 1.0 };
        assert!(of_symmetric(estimate(-0.39)).error.is_ok());
        assert_eq!(of_symmetric(estimate(-0.41)).error, Err(Doubt::Valleys));
    }

    #[test]
    fn a_sum_takes_the_doubts_of_its_part() {
        let estimate = |error, time| Estimate { mean: 1.0, error, time };
        for (sum, part, event, expected) in [
            (Ok(0.1), Ok(0.1), 1.0, Ok(0.1)),
            (Ok(0.1), Err(Doubt::Short), 0.0, Err(Doubt::Short)),
            (Ok(0.1), Err(Doubt::Drift), 0.0, Err(Doubt::Drift)),
            (Ok(0.1), Err(Doubt::Rare), 0.012, Ok(0.1)),
            (Ok(0.1), Err(Doubt::Rare), 0.0122, Err(Doubt::Rare)),
            (Err(Doubt::Drift), Err(Doubt::Rare), 0.0122, Err(Doubt::Drift)),
        ] {
            assert_eq!(of_sum(estimate(sum, 2.0), estimate(part, 0.5), event).error, expected);
        }
        let none_seen = estimate(Err(Doubt::Constant), f64::NAN);
        assert_eq!(of_sum(estimate(Ok(0.1), 2.0), none_seen, 0.012).error, Ok(0.1));
        assert_eq!(of_sum(estimate(Ok(0.1), 2.0), none_seen, 0.0122).error, Err(Doubt::Rare));
        assert_eq!(of_sum(estimate(Ok(0.1), 2.0), estimate(Err(Doubt::Rare), 1.0), 0.012).error, Err(Doubt::Rare));
    }

    #[test]
    fn an_error_that_cannot_be_estimated_has_its_reason() {
        let mut noise = Noise::new();
        let flipping = |index: usize| if index.is_multiple_of(2) { 1.0 } else { -1.0 };
        let with = |mut series: Vec<f64>, term: &dyn Fn(usize) -> f64| {
            series.iter_mut().enumerate().for_each(|(index, value)| *value += term(index));
            series
        };
        let white = |noise: &mut Noise| noise.series(0.0, 400);
        assert_eq!(of_series(&[0.1; 100]).error, Err(Doubt::Constant));
        assert_eq!(of_series(&[1.0, 2.0]).error, Err(Doubt::Short));
        assert_eq!(of_series(&(0..400).map(flipping).collect::<Vec<_>>()).error, Err(Doubt::Short));
        assert_eq!(of_series(&with(white(&mut noise), &|i| 5.0 * flipping(i))).error, Err(Doubt::Short));
        let step = |i: usize| if i < 200 { 0.5 } else { -0.5 };
        let found = of_series(&with(white(&mut noise), &step));
        assert!(matches!(found.error, Err(Doubt::Drift | Doubt::Short)), "{found:?}");
        let spikes = |i: usize| if i % 150 == 20 { 1.0 } else { 0.0 };
        assert_eq!(of_series(&with(vec![0.0; 400], &spikes)).error, Err(Doubt::Rare));

        assert_eq!(copies_of(64, 10, || vec![0.3; 10]).error, Err(Doubt::Constant));
        // Small fluctuations of a large number still count as fluctuations.
        assert!(copies_of(64, 10, || with(noise.series(0.0, 10), &|_| 1e9)).error.is_ok());
        let found = copies_of(64, 400, || with(white(&mut noise), &|i| 0.2 * step(i)));
        assert_eq!(found.error, Err(Doubt::Drift));
        let mut sign = 1.0;
        let found = copies_of(64, 400, || {
            sign = -sign;
            (0..400).map(|i| sign * flipping(i)).collect()
        });
        assert_eq!(found.error, Err(Doubt::Short));
        let mut copy = 0;
        let found = copies_of(64, 100, || {
            copy += 1;
            with(vec![0.0; 100], &|i| if copy % 20 == 1 && i < 30 { 1.0 } else { 0.0 })
        });
        assert_eq!(found.error, Err(Doubt::Rare));
    }
}
