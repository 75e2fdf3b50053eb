//! The autocorrelation of a series, summed up to a window and over a slow tail beyond it.

/// Minimum length of a series, in absolute autocorrelation times.
pub const MIN_TIMES: f64 = 40.0;
/// Minimum number of measurements of a single series.
const MIN_MEASUREMENTS: usize = 50;
/// Ratio of the decay time of the autocorrelation to the integrated time (Wolff's parameter S).
const DECAY: f64 = 1.5;
/// Minimum sum of the correlations beyond the window, in standard errors.
const MIN_TAIL: f64 = 2.0;
/// Minimum sum of these correlations, as a share of the time up to the window. Smaller ones change the error by less
/// than a tenth.
const MIN_SHARE: f64 = 0.2;
/// The sum of an exponential tail over its sum up to the lag at which that is clearest.
const REST: f64 = 1.4;
/// The last lag of a tail as a share of a series, inverted. Modes so slow that more lags are needed make a series too
/// short, and the noise of more lags would be taken for a tail now and then.
const LONGEST: usize = 16;
/// Number of times that the window is doubled to look for a tail.
const DOUBLINGS: u32 = 7;

/// The autocorrelation function of a series, summed.
pub struct Correlation {
    /// The integrated time.
    pub time: f64,
    /// Integrated time of the absolute values of the autocorrelation.
    pub absolute: f64,
    /// Standard error of the mean.
    pub error: f64,
}

impl Correlation {
    /// Sums the autocorrelation of deviations from the mean. `None` for too few values, for equal
    /// values, and if anticorrelations leave no positive time.
    pub fn new(deviations: &[f64]) -> Option<Self> {
        let length = deviations.len() as f64;
        let covariance = |lag: usize| {
            let products = deviations.iter().zip(&deviations[lag..]).map(|(a, b)| a * b);
            products.sum::<f64>() / (length - lag as f64)
        };
        let single = covariance(0);
        if deviations.len() < MIN_MEASUREMENTS || single <= 0.0 {
            return None;
        }
        let (mut time, mut absolute) = (0.5, 0.5);
        for lag in 1..deviations.len() / 2 {
            let correlation = covariance(lag) / single;
            time += correlation;
            absolute += correlation.abs();
            let decay = DECAY / ((2.0 * absolute + 1.0) / (2.0 * absolute - 1.0)).ln();
            let window = lag as f64;
            if (-window / decay).exp() < decay / (window * length).sqrt() {
                // The mean is estimated from the same series, which lowers every covariance.
                let correction = 1.0 + (2.0 * window + 1.0) / length;
                // The last term counts half, for alternating sums.
                let time = (time - correlation / 2.0) * correction;
                let (slow, last) = tail(deviations, single, lag, time);
                let (time, absolute) = (time + slow, absolute * correction + slow);
                // The statistical error of the time makes small errors of the mean likelier than large ones.
                let widening = 1.0 + (4.0 * last as f64 + 2.0) / length;
                // Near the limit `MIN_TIMES`, series pass if their time is underestimated. This
                // power keeps the spread of such means within 1.3 errors for autoregressive and
                // two-state series.
                let near_limit = 1.0 + (MIN_TIMES * time / length).powi(4);
                let error = (single * 2.0 * time * widening / length).sqrt() * near_limit;
                return (time > 0.0).then_some(Correlation { time, absolute, error });
            }
        }
        None
    }
}

/// The sum of the correlations beyond the window `first`, or 0 if it is not above its noise, and the last lag of the
/// sum. A slow mode beneath much noise has small correlations at many lags, before which the window ends.
fn tail(deviations: &[f64], single: f64, first: usize, time: f64) -> (f64, usize) {
    let count = deviations.len();
    let length = count as f64;
    let mut sums = Vec::with_capacity(count + 1);
    sums.push(0.0);
    sums.extend(deviations.iter().scan(0.0, |sum, value| {
        *sum += value;
        Some(*sum)
    }));
    let up_to = |index: usize| sums[index.min(count)];
    let (mut clearest, mut found) = (MIN_TAIL, (0.0, first));
    let mut before = first;
    for doubling in 1..=DOUBLINGS {
        let last = (first << doubling).min(count / LONGEST);
        if last <= before {
            break;
        }
        before = last;
        let product = |(index, value): (usize, &f64)| value * (up_to(index + last + 1) - up_to(index + first + 1));
        let products: f64 = deviations.iter().enumerate().map(product).sum();
        // A lag has `count - lag` products.
        let mean = products / (length - (first + last + 1) as f64 / 2.0);
        let sum = mean / single * (1.0 + (2 * last + 1) as f64 / length);
        let clarity = sum / (2.0 * time.max(0.5) * ((last - first) as f64 / length).sqrt());
        if clarity > clearest && sum > MIN_SHARE * time {
            (clearest, found) = (clarity, (REST * sum, last));
        }
    }
    found
}
