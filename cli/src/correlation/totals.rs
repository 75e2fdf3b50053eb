//! Sums over the frames of a film on rank 0, and the results that it writes at the end.

use std::io::{self, IsTerminal};

use hotloops::correlation::Accumulator;

use super::count;
use super::counted::{Context, Counted};
use super::fit;
use super::frames::Frame;
use super::jackknife::{self, Jackknife, Units};
use super::mask::outside_mask;
use super::orientations::say_oddities;
use super::outputs::Outputs;
use super::points::{Missing, in_frame};
use super::report::{Report, Spread, Uniform};
use crate::failure::{Failure, say};
use crate::output::Scratch;

/// The sums over the frames so far.
pub struct Totals<'a> {
    context: Context<'a>,
    /// Number of frames of the film.
    frames: usize,
    /// The pairs of each symmetry.
    pairs: Vec<Accumulator>,
    spread: Spread,
    jackknife: Jackknife,
    uniform: Vec<Uniform<'a>>,
    points: usize,
    /// Whether a frame has points of the chosen types.
    has_types: [bool; 2],
    left_out: Vec<Option<Frame>>,
    oddities: [usize; 3],
    missing: Missing,
    /// Lines of --out and of --psi.
    lines: Scratch,
    particles: Scratch,
    /// The picture of --psi-svg.
    map: Option<String>,
}

impl<'a> Totals<'a> {
    pub fn new(context: Context<'a>, frames: usize, outputs: &Outputs) -> Result<Self, Failure> {
        let Context { a, bins, .. } = context;
        Ok(Totals {
            context,
            frames,
            pairs: vec![Accumulator::new(bins.clone())?; a.fold.len()],
            spread: Spread::new(bins.len(), a.fold.len()),
            jackknife: Jackknife::default(),
            uniform: Vec::new(),
            points: 0,
            has_types: [a.types.is_none(); 2],
            left_out: Vec::new(),
            oddities: [0; 3],
            missing: Missing::default(),
            lines: Scratch::beside(outputs.table.as_ref()),
            particles: Scratch::beside(outputs.psi.as_ref()),
            map: None,
        })
    }

    /// Adds the results of a frame, and writes its lines. Frames come in ascending order.
    pub fn add(&mut self, index: usize, counted: Counted) -> Result<(), Failure> {
        let Context { a, mask, bins, units, .. } = self.context;
        let own = Uniform::new(counted.possible, counted.region(mask));
        if a.average && a.rdf && own.area() == 0.0 && own.pairs > 0.0 {
            let why = "the points lie on a line parallel to an axis, which has no area; give --box";
            let why = in_frame(counted.frame, why.to_owned());
            return Err(Failure::Input(format!("{}: {why}", a.points.display())));
        }
        let of_bytes = |all: &[Vec<u8>]| -> Result<Vec<Accumulator>, Failure> {
            let mut pairs = vec![Accumulator::new(bins.clone())?; a.fold.len()];
            pairs.iter_mut().zip(all).try_for_each(|(pairs, bytes)| count::add_bytes(pairs, bytes))?;
            Ok(pairs)
        };
        let pairs = of_bytes(&counted.pairs)?;
        match units {
            Units::None => {}
            Units::Groups(groups) => self.jackknife.add(index * groups / self.frames, &pairs)?,
            Units::Parts => {
                for part in &counted.parts {
                    self.jackknife.push(of_bytes(part)?);
                }
            }
        }
        self.left_out.extend(counted.left_out.then_some(counted.frame));
        self.missing.add(counted.missing);
        self.oddities = [0, 1, 2].map(|k| self.oddities[k] + counted.oddities[k]);
        let frame = counted.frame.filter(|_| a.frames);
        let (folds, rdf) = (&a.fold[..], a.rdf);
        let report = Report { pairs: &pairs, folds, points: counted.points, uniform: &[own], rdf, frame, spread: None };
        if frame.is_some() {
            self.lines.add(&report.lines(index == 0)?)?;
        }
        if a.average {
            self.spread.add(&report);
        }
        for (total, pairs) in self.pairs.iter_mut().zip(&pairs) {
            total.merge(pairs)?;
        }
        self.particles.add(&counted.particles)?;
        self.map = counted.map;
        self.uniform.push(own);
        self.points += counted.points;
        self.has_types = [0, 1].map(|side| self.has_types[side] || counted.has_types[side]);
        Ok(())
    }

    /// Fails if no point was counted, and says what was odd about the points.
    pub fn check(&self) -> Result<(), Failure> {
        let a = self.context.a;
        if let Missing { lines: lines @ 1.., first } = self.missing {
            say(format_args!(
                "hotloops: {}: lines that lack a number (empty, NaN or NA) are left out: {lines}, the first is line \
                 {first}; --strict refuses them",
                a.points.display()
            ));
        }
        if self.context.mask.is_some() && self.points == 0 {
            return Err(outside_mask(&a.points));
        }
        if let (Some(types), Some(side)) = (&a.types, self.has_types.iter().position(|&has| !has)) {
            let why = format!(
                "{}: --types: no point has the type {}; choose types of the column",
                a.points.display(),
                types[side]
            );
            return Err(Failure::Input(why));
        }
        say_oddities(a, &self.left_out, self.frames, self.oddities)
    }

    /// Writes the results of all frames.
    pub fn write(mut self, outputs: Outputs, seconds: f64) -> Result<(), Failure> {
        let a = self.context.a;
        let result = Report {
            pairs: &self.pairs,
            folds: &a.fold,
            points: self.points,
            uniform: &self.uniform,
            rdf: a.rdf,
            frame: None,
            spread: a.average.then_some(&self.spread),
        };
        if !a.frames {
            self.lines.add(&result.lines(true)?)?;
        }
        let Outputs { table, svg, psi, psi_svg, covariance } = outputs;
        let (decays, covariances) = self.jackknife_results(covariance.is_some())?;
        if let Some(covariance) = covariance {
            covariance.write(&covariances)?;
        }
        if let Some(psi) = psi {
            self.particles.finish(&psi)?;
        }
        if let (Some(psi_svg), Some(map)) = (psi_svg, self.map) {
            psi_svg.write(map.as_bytes())?;
        }
        if let Some(svg) = svg {
            svg.write(result.picture(&a.points)?.as_bytes())?;
        }
        self.lines.finish(&table.expect("rank 0 has it"))?;
        for decay in decays {
            say(format_args!("hotloops: {decay}"));
        }
        if io::stderr().is_terminal() {
            let counted: u64 = self.pairs.iter().flat_map(Accumulator::bins).map(|bin| bin.count).sum();
            let rate = counted as f64 / seconds;
            say(format_args!("{} points, {counted} pairs in {seconds:.2} s, {rate:.2e} pairs/s", self.points));
        }
        Ok(())
    }

    /// The results that need the jackknife: the sentences of --fit and, if wanted, the lines of --covariance.
    fn jackknife_results(&self, wants_covariance: bool) -> Result<(Vec<String>, Vec<u8>), Failure> {
        let Context { a, units, .. } = self.context;
        let mut decays = Vec::new();
        let mut covariances = Vec::new();
        for (symmetry, (pairs, &fold)) in self.pairs.iter().zip(&a.fold).enumerate().filter(|_| units != Units::None) {
            let replicates = self.jackknife.replicates(pairs, symmetry);
            let decay = a.fit.map(|range| fit::decay(pairs, fold, range, &replicates));
            decays.extend(decay.transpose().map_err(Failure::Usage)?);
            if wants_covariance {
                let named = (a.fold.len() > 1).then_some(fold);
                covariances.extend(jackknife::lines(pairs, &replicates, named, symmetry == 0)?);
            }
        }
        Ok((decays, covariances))
    }
}
