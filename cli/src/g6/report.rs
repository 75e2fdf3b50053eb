//! Counts and sums, as lines and as a picture.

use std::f64::consts::PI;
use std::path::Path;

use hotloops::correlation::{Accumulator, Bin};

use crate::failure::Failure;
use crate::plot::correlation::{Panel, svg};

pub struct Report<'a> {
    pub pairs: &'a Accumulator,
    pub points: usize,
    pub area: f64,
    pub rdf: bool,
}

impl Report<'_> {
    /// Ratio of the pairs of a bin to the number expected for uniformly distributed points. `None`
    /// if that number is 0 or not finite.
    fn density(&self, bin: &Bin) -> Option<f64> {
        let ring = PI * (bin.hi * bin.hi - bin.lo * bin.lo);
        let even = 0.5 * self.points as f64 * (self.points as f64 - 1.0) * ring / self.area;
        (even.is_normal() && even > 0.0).then_some(bin.count as f64 / even)
    }

    pub fn lines(&self) -> Result<Vec<u8>, Failure> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let value = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
        let write = |writer: &mut csv::Writer<Vec<u8>>| {
            let middle: &[&str] = if self.rdf { &["count", "g"] } else { &["count", "sum", "g"] };
            writer.write_record([&["r_lo", "r_hi"], middle].concat())?;
            for bin in self.pairs.bins() {
                let mut fields = vec![bin.lo.to_string(), bin.hi.to_string(), bin.count.to_string()];
                match self.rdf {
                    true => fields.push(value(self.density(&bin))),
                    false => fields.extend([bin.sum.to_string(), value(bin.g())]),
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
            points: self.pairs.bins().filter_map(|bin| Some((bin.middle(), self.density(&bin)?))).collect(),
            logarithmic: false,
        };
        let order = Panel {
            name: "|g6(r)|".to_owned(),
            points: self.pairs.bins().filter_map(|bin| Some((bin.middle(), bin.g()?.abs()))).collect(),
            logarithmic: true,
        };
        let heading = if self.rdf { "Pair correlation" } else { "Orientational and pair correlation" };
        let title = format!("{} points of {}", self.points, file.display());
        let panels = if self.rdf { vec![density] } else { vec![order, density] };
        svg(&panels, heading, &title)
    }
}
