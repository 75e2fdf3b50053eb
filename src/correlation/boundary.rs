//! Where the plane ends, and what that makes of coordinates.

use crate::{Error, Float};

/// Where the plane ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Boundary {
    /// Nowhere.
    Open,
    /// It repeats itself after these lengths in x and y: a pair has the distance of its nearest images.
    Periodic([f64; 2]),
}

/// The farthest coordinates: in periods, so that what is left of them has the digits of an `f32`, and in an open plane.
const FARTHEST_PERIODS: f64 = 16_777_216.0;
const FARTHEST: f64 = 1e18;

/// The least and the largest coordinate that is finite; infinity and its negative if none is.
pub(super) fn range<T: Float>(values: &[T]) -> [f64; 2] {
    let finite = || values.iter().map(|x| x.to_f64()).filter(|x| x.is_finite());
    [finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max)]
}

/// [`Error::Coordinate`] for one that is not finite, or too far from the origin.
pub(super) fn check<T: Float>(
    argument: &'static str,
    values: &[T],
    origin: f64,
    period: Option<f64>,
) -> Result<(), Error> {
    let farthest = period.map_or(FARTHEST, |period| FARTHEST_PERIODS * period);
    // Comparisons with NaN are false.
    let near = |x: &T| (-farthest..=farthest).contains(&(x.to_f64() - origin));
    match values.iter().position(|x| !near(x)) {
        Some(index) => Err(Error::Coordinate { argument, index }),
        None => Ok(()),
    }
}

/// A coordinate less its whole periods.
pub(super) fn folded(x: f64, period: f64) -> f64 {
    let turns = x / period;
    // The integer part, without `core`'s missing floor.
    let whole = (turns as i64) as f64;
    x - (if whole > turns { whole - 1.0 } else { whole }) * period
}
