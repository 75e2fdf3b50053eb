//! The bins of distances: those of --bins, or round ones that fit the points.

use hotloops::correlation::Bins;

use super::arguments::Arguments;
use super::film::Film;
use super::mask::{Mask, outside_mask, within};
use crate::cluster::Cluster;
use crate::failure::{Failure, say};

/// Refuses bins beyond half of the periodic plane of --box.
pub fn check_box(a: &Arguments) -> Result<(), Failure> {
    let last = a.bins.as_ref().map_or(0.0, Bins::r_max);
    if let Some(period) =
        a.given_periods().iter().flatten().copied().reduce(f64::min).filter(|&period| 2.0 * last > period)
    {
        let half = period / 2.0;
        return Err(Failure::Usage(format!(
            "--bins: the last bin ends at {last}, beyond half of --box, {half}; end --bins there, or enlarge --box"
        )));
    }
    Ok(())
}

/// Bins for the frame with the most points, in round numbers. Rank 0 chooses them.
pub fn default_bins(a: &Arguments, cluster: &Cluster, film: &mut Film, mask: Option<&Mask>) -> Result<Bins, Failure> {
    let choose = |film: &mut Film| {
        let (points, lengths) = match mask {
            None => {
                let table = film.peek(film.largest())?;
                (table.x.len(), a.periods(table).unwrap_or_else(|| table.extent()))
            }
            Some(mask) => {
                let mut most = (0, [0.0; 2]);
                for index in 0..film.len() {
                    let table = within(film.peek(index)?, mask);
                    if table.x.len() >= most.0 {
                        most = (table.x.len(), a.periods(&table).unwrap_or_else(|| table.extent()));
                    }
                }
                if most.0 == 0 {
                    return Err(outside_mask(&a.points));
                }
                most
            }
        };
        let fitting = || {
            let spacing = (lengths[0] * lengths[1] / points as f64).sqrt();
            let width = round_below(spacing / 20.0)?;
            let steps = (0.25 * lengths[0].min(lengths[1]) / width).floor();
            // 7 steps of 0.1 are 0.7 and a little; as text, they are 0.7.
            let hi: f64 = format!("{:.6e}", steps * width).parse().ok()?;
            Bins::uniform(0.0, hi, width).ok()?;
            say(format_args!("hotloops: --bins 0:{hi}:{width}, chosen for {points} points"));
            Some((hi, width))
        };
        fitting().ok_or_else(|| Failure::Usage("--bins: none fit these points; give LO:HI:WIDTH".to_owned()))
    };
    let chosen = if cluster.leads() { choose(film)? } else { (0.0, 0.0) };
    let (hi, width) = cluster.broadcast_value(chosen);
    Ok(Bins::uniform(0.0, hi, width)?)
}

/// The largest of 1, 2, 5, 10, 20 .. and their decimal fractions up to `x`.
fn round_below(x: f64) -> Option<f64> {
    let (digit, exponent) =
        (x.is_normal() && x > 0.0).then(|| format!("{x:e}"))?.split_once('e').and_then(|(digits, exponent)| {
            let digit = match digits.parse::<f64>().ok()? {
                digits if digits >= 5.0 => 5,
                digits if digits >= 2.0 => 2,
                _ => 1,
            };
            Some((digit, exponent.parse::<i32>().ok()?))
        })?;
    format!("{digit}e{exponent}").parse().ok()
}
