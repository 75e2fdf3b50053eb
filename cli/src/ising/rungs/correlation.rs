//! The correlation of a rung in imaginary time, and its gap.

use hotloops::ising::correlation_gap;
use serde::Serialize;

use crate::ising::mean::Mean;
use crate::ising::observables::{Observer, Place, lags};
use crate::ising::statistics::Doubt;

/// Relative error of a gap at times that are late enough for noise to matter.
const NOISY: f64 = 0.05;

/// The correlation at the lags from 0 to half of the inverse temperature, and the gap of its decay.
#[derive(Serialize)]
pub struct Curve {
    pub values: Vec<Lag>,
    pub gap: Mean,
    /// The times of the gap: its estimate is from this one, twice and four times as much.
    pub gap_tau: f64,
}

#[derive(Serialize)]
pub struct Lag {
    pub tau: f64,
    #[serde(flatten)]
    pub mean: Mean,
}

impl Curve {
    /// `mean` makes a mean of an estimate and its error.
    pub fn new(observer: &Observer, place: &Place, mean: impl Fn(f64, Result<f64, Doubt>) -> Mean) -> Self {
        let taus: Vec<f64> =
            lags(place.slices as usize).into_iter().map(|lag| lag as f64 / place.slices * place.beta).collect();
        let value = |(lag, &tau): (usize, &f64)| {
            let (value, error) = observer.correlation(|values| values[lag]);
            Lag { tau, mean: mean(value, error) }
        };
        let values = taus.iter().enumerate().map(value).collect();
        let (first, gap, error) = gap(observer, place.beta, &taus);
        Curve { values, gap: mean(gap, error), gap_tau: taus.get(first).copied().unwrap_or(f64::NAN) }
    }
}

/// The gap at the latest times at which its error is small, or else at those at which it is smallest, with the index of
/// the first of these times.
fn gap(observer: &Observer, beta: f64, taus: &[f64]) -> (usize, f64, Result<f64, Doubt>) {
    let mut best = (1, f64::NAN, Err(Doubt::Short));
    let mut least = f64::INFINITY;
    for first in (1..=(taus.len() - 1) / 4).rev() {
        let places = [first, 2 * first, 4 * first];
        let of = |values: &[f64]| {
            let gap = correlation_gap(beta, places.map(|place| taus[place]), places.map(|place| values[place]));
            gap.ok().flatten().unwrap_or(f64::NAN)
        };
        let (gap, error) = observer.correlation(of);
        let relative = error.map_or(f64::INFINITY, |error| error / gap);
        if relative < least || (best.1.is_nan() && gap.is_finite()) {
            (best, least) = ((first, gap, error), relative);
        }
        if relative < NOISY {
            break;
        }
    }
    best
}
