//! Means of correlated series.

/// The mean of a stationary series.
#[derive(Clone, Copy, Debug)]
pub struct Estimate {
    pub mean: f64,
    /// Standard error; NaN where the series is too short for one.
    pub error: f64,
    /// Integrated autocorrelation time in measurements, 1/2 for independent ones; NaN where it cannot be told.
    pub time: f64,
}

/// The window of the autocorrelation time is the first that is as many times as long as the time itself (Sokal's rule).
const WINDOW: f64 = 5.0;

pub fn estimate(series: &[f64]) -> Estimate {
    let count = series.len() as f64;
    let mean = series.iter().sum::<f64>() / count;
    let rest: Vec<f64> = series.iter().map(|value| value - mean).collect();
    let covariance = |lag: usize| rest.iter().zip(&rest[lag..]).map(|(a, b)| a * b).sum::<f64>() / (count - lag as f64);
    let variance = covariance(0);
    if series.len() < 4 {
        return Estimate { mean, error: f64::NAN, time: f64::NAN };
    }
    // Rounding leaves this much of a constant series.
    if variance <= (mean * 1e-12).powi(2) {
        return Estimate { mean, error: 0.0, time: f64::NAN };
    }
    let mut time = 0.5;
    for lag in 1..series.len() / 2 {
        time += covariance(lag) / variance;
        if lag as f64 >= WINDOW * time {
            break;
        }
    }
    // Anticorrelated measurements count as independent ones.
    let time = time.max(0.5);
    Estimate { mean, error: (variance * 2.0 * time / count).sqrt(), time }
}

#[cfg(test)]
mod tests {
    use hotloops::random::Mt19937;

    use super::*;

    #[test]
    fn an_autoregressive_series_has_its_known_time_and_error() {
        let mut random = vec![0f32; 1 << 20];
        Mt19937::seeded(16, 1).unwrap().fill_f32(&mut random);
        for memory in [0.0, 0.5, 0.9] {
            let mut value = 0.0;
            let series: Vec<f64> = random
                .iter()
                .map(|&x| {
                    value = memory * value + f64::from(x) - 0.5;
                    value
                })
                .collect();
            let time = 0.5 * (1.0 + memory) / (1.0 - memory);
            let found = estimate(&series);
            assert!((found.time / time - 1.0).abs() < 0.05, "{memory}: {found:?}");
            let variance = 1.0 / 12.0 / (1.0 - memory * memory);
            let error = (variance * 2.0 * time / series.len() as f64).sqrt();
            assert!((found.error / error - 1.0).abs() < 0.05, "{memory}: {found:?}");
            assert!(found.mean.abs() < 4.0 * error, "{memory}: {found:?}");
        }
    }

    #[test]
    fn short_and_constant_series() {
        let constant = estimate(&[0.1; 100]);
        assert!((constant.mean - 0.1).abs() < 1e-15 && constant.error == 0.0 && constant.time.is_nan());
        assert!(estimate(&[1.0, 2.0]).error.is_nan());
    }
}
