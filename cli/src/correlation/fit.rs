//! Decay of the envelope of an orientational correlation: a power law or an exponential.

use hotloops::correlation::Accumulator;

use super::jackknife::Replicates;

/// Fits ln |g| over a range of distances by straight lines, in ln r and in r, and returns the sentence
/// that tells the results; `fold` names them. Errors are those of `replicates` of the bins.
///
/// The bins are the local maxima of |g|, or all bins with a g if there are fewer than 3 maxima.
///
/// # Errors
/// A sentence that says why there is nothing to fit.
pub fn decay(pairs: &Accumulator, fold: u32, [lo, hi]: [f64; 2], replicates: &Replicates) -> Result<String, String> {
    let bins = pairs.bins().enumerate();
    let all: Vec<(usize, f64, f64)> = bins.filter_map(|(i, bin)| Some((i, bin.middle(), bin.g()?.abs()))).collect();
    let within = |&(_, r, g): &(usize, f64, f64)| lo <= r && r <= hi && r > 0.0 && g > 0.0;
    let peaks = all.windows(3).filter(|near| near[1].2 > near[0].2 && near[1].2 >= near[2].2).map(|near| near[1]);
    let peaks: Vec<(usize, f64, f64)> = peaks.filter(within).collect();
    let (points, of) = match peaks.len() {
        3.. => (peaks, "maxima"),
        _ => (all.into_iter().filter(within).collect(), "bins"),
    };
    if points.len() < 3 {
        return Err(format!(
            "--fit {lo}:{hi}: {} bins of this range have a g{fold}, but a fit needs 3; widen it, or narrow --bins",
            points.len()
        ));
    }
    let line = |abscissa: fn(f64) -> f64| FittedLine::through(points.iter().map(|&(_, r, g)| (abscissa(r), g.ln())));
    let (power, exponential) = (line(f64::ln), line(|r| r));
    // The same bins, without each of the units.
    let error = |abscissa: fn(f64) -> f64| {
        replicates.error(|values| {
            let at = |&(i, r, _): &(usize, f64, f64)| Some((abscissa(r), values[i].map(f64::abs)?));
            let points: Vec<(f64, f64)> = points.iter().filter_map(at).filter(|(_, g)| *g > 0.0).collect();
            (points.len() >= 3).then(|| FittedLine::through(points.iter().map(|&(x, g)| (x, g.ln()))).slope)
        })
    };
    let quoted =
        |error: Option<f64>| error.map_or("(error unknown)".to_owned(), |error| format!("+- {}", digits(error, 2)));
    let length = match exponential.slope {
        slope if slope < 0.0 => {
            let error = error(|r| r).map(|error| error / (slope * slope));
            format!("xi{fold} = {} {}", digits(-1.0 / slope, 4), quoted(error))
        }
        _ => "no decay".to_owned(),
    };
    let (first, last) = (points[0].1, points[points.len() - 1].1);
    Ok(format!(
        "|g{fold}| at {} {of} from r = {} to {}: r^-eta{fold} with eta{fold} = {} {} \
         (residual of ln |g{fold}| {}); exp(-r/xi{fold}) with {length} (residual {})",
        points.len(),
        digits(first, 6),
        digits(last, 6),
        digits(-power.slope, 4),
        quoted(error(f64::ln)),
        digits(power.residual, 2),
        digits(exponential.residual, 2)
    ))
}

/// A number rounded to `digits` significant digits.
fn digits(x: f64, digits: usize) -> f64 {
    format!("{x:.*e}", digits - 1).parse().unwrap_or(x)
}

/// A straight line by least squares.
struct FittedLine {
    slope: f64,
    /// Root of the mean squared deviation, with two degrees of freedom less.
    residual: f64,
}

impl FittedLine {
    fn through(points: impl Iterator<Item = (f64, f64)> + Clone) -> Self {
        let count = points.clone().count() as f64;
        let mean = |pick: fn((f64, f64)) -> f64| points.clone().map(pick).sum::<f64>() / count;
        let (x_mean, y_mean) = (mean(|p| p.0), mean(|p| p.1));
        let apart = points.map(|(x, y)| (x - x_mean, y - y_mean));
        let xx: f64 = apart.clone().map(|(x, _)| x * x).sum();
        let slope = apart.clone().map(|(x, y)| x * y).sum::<f64>() / xx;
        let squares: f64 = apart.map(|(x, y)| (y - slope * x).powi(2)).sum();
        let residual = (squares / (count - 2.0)).sqrt();
        FittedLine { slope, residual }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_with_a_known_residual() {
        // y = 2 x + 1 with deviations 1, -1, -1, 1: slope 2, residual sqrt(4 / 2).
        let line = FittedLine::through([(0.0, 2.0), (1.0, 2.0), (2.0, 4.0), (3.0, 8.0)].into_iter());
        assert!((line.slope - 2.0).abs() < 1e-12);
        assert!((line.residual - 2f64.sqrt()).abs() < 1e-12);
    }
}
