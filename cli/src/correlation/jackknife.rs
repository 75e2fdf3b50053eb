//! Errors by a jackknife: the scatter of a result when one of several units is left out.
//!
//! The units are groups of successive frames, or else parts of the plane with all pairs that have a point in
//! them. Standard errors from n units follow Student's distribution; they are multiplied by the root of
//! (n - 1) / (n - 3), so that deviations in units of them have the variance 1.

use hotloops::correlation::Accumulator;

use super::points::Table;
use crate::failure::Failure;

/// The minimum number of frames to take them as units, and the maximum number of their groups.
const FRAMES: usize = 10;
const GROUPS: usize = 50;

/// Parts of the plane along an axis.
const PARTS: usize = 5;

/// The minimum number of units that give an error.
const UNITS: usize = 4;

/// What is left out.
#[derive(Clone, Copy, PartialEq)]
pub enum Units {
    /// Nothing: no errors are wanted.
    None,
    /// Groups of successive frames, and the number of groups.
    Groups(usize),
    /// The points in a part of the plane of a frame.
    Parts,
}

impl Units {
    /// The units of a film with this number of frames.
    pub fn of(frames: usize) -> Self {
        if frames >= FRAMES { Units::Groups(frames.min(GROUPS)) } else { Units::Parts }
    }
}

/// For each part of the plane that has points, whether it holds each of them.
pub fn parts(table: &Table, periods: Option<[f64; 2]>) -> Vec<Vec<bool>> {
    let extent = table.extent();
    let part = |axis: usize| {
        let values = [&table.x, &table.y][axis];
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let share = move |x: f64| match periods {
            Some(periods) => x.rem_euclid(periods[axis]) / periods[axis],
            None => (x - least) / extent[axis],
        };
        // A line parallel to an axis has no extent, and one part.
        values.iter().map(move |&x| ((PARTS as f64 * share(x)) as usize).min(PARTS - 1)).collect::<Vec<_>>()
    };
    let (columns, rows) = (part(0), part(1));
    let of = |at: usize| columns.iter().zip(&rows).map(|(column, row)| row * PARTS + column == at).collect::<Vec<_>>();
    (0..PARTS * PARTS).map(of).filter(|inside| inside.contains(&true)).collect()
}

/// The pairs of each unit, for each symmetry.
#[derive(Default)]
pub struct Jackknife(Vec<Vec<Accumulator>>);

impl Jackknife {
    pub fn push(&mut self, pairs: Vec<Accumulator>) {
        self.0.push(pairs);
    }

    /// Adds pairs to a unit, the last one or the next.
    pub fn add(&mut self, unit: usize, pairs: &[Accumulator]) -> Result<(), Failure> {
        match self.0.get_mut(unit) {
            None => self.0.push(pairs.to_vec()),
            Some(all) => {
                for (all, pairs) in all.iter_mut().zip(pairs) {
                    all.merge(pairs)?;
                }
            }
        }
        Ok(())
    }

    /// The g of all bins of a symmetry without each of the units.
    pub fn replicates(&self, total: &Accumulator, symmetry: usize) -> Replicates {
        let of = |unit: &Vec<Accumulator>| -> Vec<Option<f64>> {
            let left = total.bins().zip(unit[symmetry].bins()).map(|(all, own)| {
                let (count, sum) = (all.count.checked_sub(own.count)?, all.sum - own.sum);
                (count > 0).then(|| sum as f64 / count as f64 / f64::from(1 << 28))
            });
            left.collect()
        };
        Replicates(self.0.iter().map(of).collect())
    }
}

/// The values of all bins without each of the units; `None` where no pair is left.
pub struct Replicates(Vec<Vec<Option<f64>>>);

impl Replicates {
    /// The standard error of a result; `None` if too few units have one.
    pub fn error(&self, of: impl Fn(&[Option<f64>]) -> Option<f64>) -> Option<f64> {
        let values: Vec<f64> = self.0.iter().filter_map(|values| of(values)).collect();
        covariance(values.iter().map(|&value| [value; 2])).map(f64::sqrt)
    }

    /// The covariances of a bin with all bins.
    pub fn covariances(&self, bin: usize) -> impl Iterator<Item = Option<f64>> {
        let bins = self.0.first().map_or(0, Vec::len);
        (0..bins).map(move |other| {
            let both: Option<Vec<[f64; 2]>> =
                self.0.iter().map(|values| Some([values[bin]?, values[other]?])).collect();
            covariance(both?.into_iter())
        })
    }
}

/// The covariance of two results, from both without each of the units.
fn covariance(pairs: impl Iterator<Item = [f64; 2]> + Clone) -> Option<f64> {
    let n = pairs.clone().count();
    if n < UNITS {
        return None;
    }
    let n = n as f64;
    let mean = [0, 1].map(|k| pairs.clone().map(|pair| pair[k]).sum::<f64>() / n);
    let products: f64 = pairs.map(|[a, b]| (a - mean[0]) * (b - mean[1])).sum();
    Some(products * (n - 1.0) / n * (n - 1.0) / (n - 3.0))
}

/// The covariances of all bins, as lines below the names of the columns if `header`. `fold` fills a column of
/// its own.
pub fn lines(
    pairs: &Accumulator,
    replicates: &Replicates,
    fold: Option<u32>,
    header: bool,
) -> Result<Vec<u8>, Failure> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let write = |writer: &mut csv::Writer<Vec<u8>>| {
        if header {
            let names = fold.map(|_| "fold".to_owned()).into_iter().chain(["r_lo", "r_hi"].map(str::to_owned));
            writer.write_record(names.chain((1..=pairs.bins().len()).map(|bin| format!("c_{bin}"))))?;
        }
        for (index, bin) in pairs.bins().enumerate() {
            let first = fold.map(|fold| fold.to_string()).into_iter().chain([bin.lo, bin.hi].map(|r| r.to_string()));
            let value = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
            writer.write_record(first.chain(replicates.covariances(index).map(value)))?;
        }
        writer.flush()?;
        Ok(())
    };
    write(&mut writer).map_err(|error: csv::Error| Failure::Job(error.to_string()))?;
    writer.into_inner().map_err(|error| Failure::Job(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_a_mean() {
        // The jackknife of a mean of independent numbers is the sample variance over n.
        let numbers = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0];
        let sum: f64 = numbers.iter().sum();
        let without = numbers.map(|number| vec![Some((sum - number) / 7.0), Some(number), None]);
        let replicates = Replicates(without.to_vec());
        let mean = sum / 8.0;
        let variance = numbers.iter().map(|number| (number - mean).powi(2)).sum::<f64>() / 7.0 / 8.0 * 7.0 / 5.0;
        let error = replicates.error(|values| values[0]).unwrap();
        assert!((error * error - variance).abs() < 1e-12);
        let covariances: Vec<Option<f64>> = replicates.covariances(0).collect();
        assert!((covariances[0].unwrap() - variance).abs() < 1e-12 && covariances[1].unwrap() < 0.0);
        assert!(covariances[2].is_none() && Replicates(without[..3].to_vec()).error(|values| values[0]).is_none());
    }

    #[test]
    fn parts_hold_each_point_once() {
        let (x, y): (Vec<f64>, Vec<f64>) = (0..200).map(|i| (f64::from(i * 7 % 100) - 30.0, f64::from(i))).unzip();
        for (x, periods, count) in [(x.clone(), None, 25), (x, Some([100.0, 200.0]), 25), (vec![1.0; 200], None, 5)] {
            let parts = parts(&Table { x, y: y.clone(), ..Table::default() }, periods);
            assert_eq!(parts.len(), count);
            assert!((0..200).all(|i| parts.iter().filter(|inside| inside[i]).count() == 1));
        }
    }
}
