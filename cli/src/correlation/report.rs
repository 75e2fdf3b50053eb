//! Counts and sums, as lines and as a picture.

use std::f64::consts::PI;
use std::path::Path;

use hotloops::correlation::{Accumulator, Bin};

use super::frames::Frame;
use super::mask::Mask;
use super::points::Table;
use crate::failure::Failure;
use crate::plot::correlation::{Panel, svg};
use crate::plot::particles;

/// Points spread uniformly, as many as in a frame, for comparison.
#[derive(Clone, Copy)]
pub struct Uniform<'a> {
    pub pairs: f64,
    region: Region<'a>,
}

/// Where the points are.
#[derive(Clone, Copy)]
pub enum Region<'a> {
    /// A periodic plane of these lengths.
    Periodic([f64; 2]),
    /// A rectangle, about the bounding one.
    Rectangle([f64; 2]),
    Polygon(&'a Mask),
}

/// The sides of the rectangle in which `n` points were spread, from those of their bounding rectangle: the mean
/// distance between the minimum and the maximum of n uniform numbers is (n - 1) / (n + 1).
pub fn region_of(extent: [f64; 2], n: usize) -> [f64; 2] {
    let n = n.max(2) as f64;
    extent.map(|side| side * (n + 1.0) / (n - 1.0))
}

/// The number of pairs of a set of points.
pub fn pairs_of(points: usize) -> f64 {
    0.5 * points as f64 * (points as f64 - 1.0)
}

impl<'a> Uniform<'a> {
    pub fn new(pairs: f64, region: Region<'a>) -> Self {
        Uniform { pairs, region }
    }

    pub fn area(&self) -> f64 {
        match self.region {
            Region::Periodic(lengths) | Region::Rectangle(lengths) => lengths[0] * lengths[1],
            Region::Polygon(mask) => mask.area,
        }
    }

    /// The expected number of pairs in a range of distances.
    ///
    /// In an open region, the fraction of partners at a distance r that lie inside is the area in
    /// which the region overlaps itself moved by r, averaged over all directions, divided by its
    /// own area (the translation correction of spatial statistics).
    fn expected(&self, bin: &Bin) -> f64 {
        let ring = match self.region {
            Region::Periodic(_) => PI * (bin.hi * bin.hi - bin.lo * bin.lo),
            Region::Rectangle(lengths) => {
                // Between these distances, the integrand is smooth; up to the first, it is cubic, for
                // which Simpson's rule is exact.
                let [a, b] = lengths;
                let mut ends = [bin.lo, a, b, a.hypot(b), bin.hi].map(|r| r.clamp(bin.lo, bin.hi));
                ends.sort_unstable_by(f64::total_cmp);
                let integrand = |r: f64| 2.0 * PI * r * overlap(lengths, r) / self.area();
                ends.windows(2).map(|ends| simpson(integrand, ends[0], ends[1])).sum()
            }
            Region::Polygon(mask) => simpson(|r| 2.0 * PI * r * mask.overlap(r) / mask.area, bin.lo, bin.hi),
        };
        self.pairs * ring / self.area()
    }
}

/// The area in which a rectangle overlaps itself moved by `r`, averaged over all directions.
fn overlap([a, b]: [f64; 2], r: f64) -> f64 {
    if r <= a.min(b) {
        // All directions.
        return a * b + (r - 2.0 * (a + b)) * r / PI;
    }
    // The directions, up to a right angle, in which it overlaps itself at all.
    let (first, last) = ((a / r).min(1.0).acos(), (b / r).min(1.0).asin());
    // The integral of (a - r cos t) (b - r sin t).
    let integral = |t: f64| a * b * t + a * r * t.cos() - b * r * t.sin() + 0.5 * (r * t.sin()).powi(2);
    if first < last { 2.0 / PI * (integral(last) - integral(first)) } else { 0.0 }
}

fn simpson(f: impl Fn(f64) -> f64, lo: f64, hi: f64) -> f64 {
    const STEPS: i32 = 16;
    let at = |step: i32| f(lo + (hi - lo) * f64::from(step) / f64::from(2 * STEPS));
    let pieces = (0..STEPS).map(|step| at(2 * step) + 4.0 * at(2 * step + 1) + at(2 * step + 2));
    if lo < hi { (hi - lo) / f64::from(6 * STEPS) * pieces.sum::<f64>() } else { 0.0 }
}

pub struct Report<'a> {
    /// The pairs of each symmetry; all have the same counts.
    pub pairs: &'a [Accumulator],
    pub folds: &'a [u32],
    pub points: usize,
    /// One for each frame whose pairs were counted.
    pub uniform: &'a [Uniform<'a>],
    pub rdf: bool,
    /// Fills the column `frame`.
    pub frame: Option<Frame>,
    /// Fills the column `g_standard_error`.
    pub spread: Option<&'a Spread>,
}

/// Running mean and sum of squared deviations of each bin's `g` over the frames that have one, for each
/// symmetry.
pub struct Spread(Vec<(f64, f64, f64)>);

impl Spread {
    pub fn new(bins: usize, symmetries: usize) -> Self {
        Spread(vec![(0.0, 0.0, 0.0); bins * symmetries])
    }

    pub fn add(&mut self, frame: &Report) {
        let bins = frame.pairs.iter().flat_map(Accumulator::bins);
        for ((frames, mean, squares), bin) in self.0.iter_mut().zip(bins) {
            if let Some(g) = frame.g(&bin) {
                *frames += 1.0;
                let deviation = g - *mean;
                *mean += deviation / *frames;
                *squares += deviation * (g - *mean);
            }
        }
    }

    /// Standard error of the mean over frames of bin `bin` of all symmetries; `None` for fewer than two
    /// frames.
    fn error(&self, bin: usize) -> Option<f64> {
        let (frames, _, squares) = self.0[bin];
        (frames >= 2.0).then(|| (squares / (frames - 1.0) / frames).sqrt())
    }
}

impl Report<'_> {
    /// Ratio of the pairs of a bin to the number expected for uniformly distributed points. `None`
    /// if that number is 0 or not finite.
    fn density(&self, bin: &Bin) -> Option<f64> {
        // A frame of one point has no area and expects no pair.
        let frames = self.uniform.iter().filter(|uniform| uniform.pairs > 0.0);
        let even: f64 = frames.map(|uniform| uniform.expected(bin)).sum();
        (even.is_normal() && even > 0.0).then_some(bin.count as f64 / even)
    }

    /// The value of the column `g`.
    fn g(&self, bin: &Bin) -> Option<f64> {
        if self.rdf { self.density(bin) } else { bin.g() }
    }

    /// The lines of all bins, below the names of the columns if `header`.
    pub fn lines(&self, header: bool) -> Result<Vec<u8>, Failure> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let value = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
        // With several symmetries, each names its columns.
        let named = |column: &str, fold: u32| match (self.folds.len(), column.split_once('_')) {
            (1, _) => column.to_owned(),
            (_, None) => format!("{column}_{fold}"),
            (_, Some((first, rest))) => format!("{first}_{fold}_{rest}"),
        };
        let columns: &[&str] = match (self.rdf, self.spread.is_some()) {
            (true, false) => &["g"],
            (true, true) => &["g", "g_standard_error"],
            (false, false) => &["sum", "g"],
            (false, true) => &["sum", "g", "g_standard_error"],
        };
        let write = |writer: &mut csv::Writer<Vec<u8>>| {
            if header {
                let mut names: Vec<String> = self.frame.iter().map(|_| "frame".to_owned()).collect();
                names.extend(["r_lo", "r_hi", "count"].map(str::to_owned));
                names.extend(self.folds.iter().flat_map(|&fold| columns.iter().map(move |column| named(column, fold))));
                writer.write_record(names)?;
            }
            let bins: Vec<Vec<Bin>> = self.pairs.iter().map(|pairs| pairs.bins().collect()).collect();
            for index in 0..bins[0].len() {
                let bin = &bins[0][index];
                let mut fields: Vec<String> = self.frame.iter().map(Frame::to_string).collect();
                fields.extend([bin.lo.to_string(), bin.hi.to_string(), bin.count.to_string()]);
                for (symmetry, bins) in bins.iter().enumerate() {
                    if !self.rdf {
                        fields.push(bins[index].sum.to_string());
                    }
                    fields.push(value(self.g(&bins[index])));
                    fields.extend(self.spread.map(|spread| value(spread.error(symmetry * bins.len() + index))));
                }
                writer.write_record(fields)?;
            }
            writer.flush()?;
            Ok(())
        };
        write(&mut writer).map_err(|error: csv::Error| Failure::Job(error.to_string()))?;
        writer.into_inner().map_err(|error| Failure::Job(error.to_string()))
    }

    pub fn picture(&self, file: &Path) -> Result<String, Failure> {
        let density = Panel {
            name: "g(r)".to_owned(),
            points: self.pairs[0].bins().filter_map(|bin| Some((bin.middle(), self.density(&bin)?))).collect(),
            logarithmic: false,
        };
        let order = self.pairs.iter().zip(self.folds).map(|(pairs, fold)| Panel {
            name: format!("|g{fold}(r)|"),
            points: pairs.bins().filter_map(|bin| Some((bin.middle(), bin.g()?.abs()))).collect(),
            logarithmic: true,
        });
        let heading = if self.rdf { "Pair correlation" } else { "Orientational and pair correlation" };
        let title = format!("{} points of {}", self.points, file.display());
        let panels = if self.rdf { vec![density] } else { order.chain([density]).collect() };
        svg(&panels, heading, &title)
    }
}

/// The particles of a frame as a picture of the first symmetry.
pub fn map(table: &Table, fold: u32, file: &Path) -> Result<String, Failure> {
    let particles: Vec<[f64; 3]> = table
        .x
        .iter()
        .zip(&table.y)
        .zip(&table.psi)
        .map(|((&x, &y), psi)| {
            let [re, im] = psi.parts().map(|part| f64::from(part) / 16384.0);
            [x, y, re.hypot(im)]
        })
        .collect();
    let title = format!("{} points of {}", particles.len(), file.display());
    particles::svg(&particles, &format!("|psi{fold}| of particles"), &title)
}

/// The orientations of the points of a frame, as lines, below the names of the columns if `header`.
pub fn lines_of_particles(table: &Table, folds: &[u32], header: bool) -> Result<Vec<u8>, Failure> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let write = |writer: &mut csv::Writer<Vec<u8>>| {
        if header {
            let mut names: Vec<String> = table.frame.iter().map(|_| "frame".to_owned()).collect();
            names.extend(["x", "y"].map(str::to_owned));
            for fold in folds {
                let psi = if folds.len() == 1 { "psi".to_owned() } else { format!("psi{fold}") };
                names.extend(["re", "im", "abs"].map(|part| format!("{psi}_{part}")));
            }
            writer.write_record(names)?;
        }
        for (i, (x, y)) in table.x.iter().zip(&table.y).enumerate() {
            let mut fields: Vec<String> = table.frame.iter().map(Frame::to_string).collect();
            fields.extend([*x, *y].map(|number| number.to_string()));
            for symmetry in 0..folds.len() {
                let [re, im] = table.orientations(symmetry)[i].parts().map(|part| f64::from(part) / 16384.0);
                fields.extend([re, im, re.hypot(im)].map(|number| number.to_string()));
            }
            writer.write_record(fields)?;
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
    fn expected_pairs_of_a_rectangle() {
        // All distances together are all pairs.
        for lengths in [[1.0, 1.0], [3.0, 0.2], [0.5, 40.0]] {
            let open = Uniform::new(pairs_of(3), Region::Rectangle(lengths));
            let edges: Vec<f64> = (0..=1000).map(|i| f64::from(i) * 0.05).collect();
            let bin = |i: usize| Bin { lo: edges[i], hi: edges[i + 1], count: 0, sum: 0 };
            let all: f64 = (0..1000).map(|i| open.expected(&bin(i))).sum();
            assert!((all - 3.0).abs() < 2e-4, "{lengths:?}: {all}");
        }
        // Mean distance of points of a unit square: (2 + sqrt 2 + 5 asinh 1) / 15.
        let mean = simpson(|r| 2.0 * PI * r * r * overlap([1.0; 2], r), 1e-9, 1.0)
            + simpson(|r| 2.0 * PI * r * r * overlap([1.0; 2], r), 1.0, 2f64.sqrt());
        let exact = (2.0 + 2f64.sqrt() + 5.0 * 1f64.asinh()) / 15.0;
        assert!((mean - exact).abs() < 1e-4, "{mean} {exact}");
    }
}
