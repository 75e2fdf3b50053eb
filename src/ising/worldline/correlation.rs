//! Correlation in imaginary time, and the gap that it shows.

use super::model::Worldlines;
use super::state::Lines;
use super::worldline_overlaps;
use crate::exp::double::{exp, ln};
use crate::frame::error::{Error, exactly};
use crate::frame::memory;

impl Worldlines {
    /// Writes the correlation of spins in imaginary time, the mean of `s_i(t) s_i(t + lag)` over all sites and slices,
    /// for each of `lags`, in slices. Its mean over sweeps is `C(tau) = sum <sz_i(0) sz_i(tau)> / sites` at
    /// `tau = beta lag / slices`, with the same value at `beta - tau`. It is exact up to its last
    /// rounding.
    ///
    /// # Errors
    /// [`Error::Length`] unless there is a value for each lag; [`Error::Index`] for the first lag that is not less than
    /// the number of slices; [`Error::NoMemory`].
    pub fn correlation(&self, lags: &[usize], correlation: &mut [f64]) -> Result<(), Error> {
        exactly("correlation", lags.len(), correlation.len())?;
        if let Some(index) = lags.iter().position(|&lag| lag >= self.slices()) {
            return Err(Error::Index { argument: "lags", index, count: self.slices() });
        }
        let slices = self.lines.slices;
        // The line, and its copies after a rotation by each lag.
        let mut rotated = Lines::new(slices, lags.len() + 1)?;
        let others = memory::collected(1..lags.len() as u32 + 1)?;
        let mut overlaps = memory::filled(lags.len(), 0i32)?;
        let mut sums = memory::filled(lags.len(), 0i64)?;
        let mut kinks = memory::with_capacity(0)?;
        for (row, line) in self.lines.lines.iter().enumerate() {
            let own = self.lines.kinks(row);
            rotated.set(0, line.spin, own)?;
            kinks.try_reserve(own.len()).map_err(|_| Error::NoMemory)?;
            for (copy, &lag) in (1..).zip(lags) {
                let before = own.partition_point(|&kink| (kink as usize) < lag);
                kinks.clear();
                kinks.extend(own[before..].iter().map(|kink| kink - lag as i32));
                kinks.extend(own[..before].iter().map(|kink| kink + (slices as i32 - lag as i32)));
                rotated.set(copy, if before % 2 == 0 { line.spin } else { -line.spin }, &kinks)?;
            }
            let (lines, all, stride) = (rotated.lines.as_ptr(), rotated.as_ptr(), rotated.stride());
            // SAFETY: all lines exist, and there is an overlap for each lag.
            unsafe { worldline_overlaps(lines, all, stride, 0, others.as_ptr(), others.len(), overlaps.as_mut_ptr()) };
            sums.iter_mut().zip(&overlaps).for_each(|(sum, &overlap)| *sum += i64::from(overlap));
        }
        let spins = self.slices() as f64 * self.sites() as f64;
        correlation.iter_mut().zip(sums).for_each(|(value, sum)| *value = sum as f64 / spins);
        Ok(())
    }
}

/// The gap of a correlation in imaginary time at three times, in the inverse unit of `beta`: the `gap` for which
/// `A cosh(gap (beta / 2 - tau)) + B` has the three values, at any `A > 0` and `B`.
///
/// It is the lowest excitation of the model that the correlation sees if it has most of the weight at these times, and
/// lies above it by the others' weight: less, the later the times. The constant `B` takes up what does not decay, such
/// as the square of a mean. The ground state is that of `beta gap` far above 1.
///
/// `None` if the values do not fall, or fall as slowly as those of no gap; the noise of a mean can cause either.
///
/// # Errors
/// [`Error::Range`] unless `beta` is finite and above 0, times ascend from 0 to at most `beta / 2`, and values are
/// finite.
///
/// # Example
/// ```
/// let of = |tau: f64| 0.3 + 0.2 * (1.7 * (4.0 - tau)).cosh();
/// let taus = [1.0, 2.0, 4.0];
/// let gap = hotloops::ising::correlation_gap(8.0, taus, taus.map(of))?.unwrap();
/// assert!((gap - 1.7).abs() < 1e-9);
/// # Ok::<(), hotloops::Error>(())
/// ```
pub fn correlation_gap(beta: f64, taus: [f64; 3], values: [f64; 3]) -> Result<Option<f64>, Error> {
    if !(beta.is_finite() && beta > 0.0) {
        return Err(Error::Range { argument: "beta", value: beta });
    }
    let mut before = -1.0;
    for tau in taus {
        if !(tau > before && (0.0..=beta / 2.0).contains(&tau)) {
            return Err(Error::Range { argument: "taus", value: tau });
        }
        before = tau;
    }
    if let Some(&value) = values.iter().find(|value| !value.is_finite()) {
        return Err(Error::Range { argument: "values", value });
    }
    let [first, second] = [values[0] - values[1], values[1] - values[2]];
    if !(first > 0.0 && second > 0.0) {
        return Ok(None);
    }
    let [a, b, c] = taus;
    // cosh(g (beta / 2 - a)) - cosh(g (beta / 2 - b)) = 2 sinh(g (beta - a - b) / 2) sinh(g (b - a) / 2). Of the
    // first factors only the difference of the logarithms is taken, which no beta cancels.
    let of = |g: f64| {
        let [early, late] = [beta - a - b, beta - b - c].map(|length| rest_of_ln_sinh(g * length / 2.0));
        let [before, after] = [b - a, c - b].map(|length| g * length / 2.0);
        g * (c - a) / 2.0 + early - late + before + rest_of_ln_sinh(before) - after - rest_of_ln_sinh(after)
    };
    let wanted = ln(first / second);
    let (mut low, mut high) = (1e-6 / beta, 1.0 / beta);
    if of(low) >= wanted {
        return Ok(None);
    }
    while of(high) < wanted {
        high *= 2.0;
    }
    while high - low > 1e-13 * high {
        let middle = 0.5 * (low + high);
        *(if of(middle) < wanted { &mut low } else { &mut high }) = middle;
    }
    Ok(Some(high))
}

/// `ln sinh x - x` for `x > 0`.
fn rest_of_ln_sinh(x: f64) -> f64 {
    if x < 1e-3 {
        return ln(x) + x * x / 6.0 - x;
    }
    ln(0.5 * (1.0 - exp(-2.0 * x)))
}
