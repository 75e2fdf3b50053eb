//! The pairs of one frame.

use hotloops::correlation::Bins;
use serde::{Deserialize, Serialize};

use super::arguments::Arguments;
use super::count::{self, Team, count, count_touching};
use super::frames::Frame;
use super::jackknife::{self, Units};
use super::mask::{Mask, within};
use super::orientations::{Oddities, orient};
use super::points::{Missing, Table};
use super::report::{self, Region};
use crate::failure::Failure;
use crate::memory;

/// Properties that all frames share.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    pub a: &'a Arguments,
    pub is_film: bool,
    pub mask: Option<&'a Mask>,
    pub bins: &'a Bins,
    pub units: Units,
}

/// The results of a frame, which ranks send to rank 0.
#[derive(Serialize, Deserialize)]
pub struct Counted {
    pub frame: Option<Frame>,
    /// Whether it has too few points for --neighbours.
    pub left_out: bool,
    /// Points without an orientation of their own.
    pub oddities: [usize; 3],
    /// Lines without a point.
    pub missing: Missing,
    /// Number of points within the mask.
    pub points: usize,
    /// Whether there are points of the chosen types.
    pub has_types: [bool; 2],
    /// Lengths of the periodic plane, or else of the bounding rectangle.
    pub lengths: [f64; 2],
    pub is_periodic: bool,
    /// Number of pairs at all distances.
    pub possible: f64,
    /// Counts and sums of each symmetry.
    pub pairs: Vec<Vec<u8>>,
    /// The same of the pairs that have a point in each part of the plane.
    pub parts: Vec<Vec<Vec<u8>>>,
    /// Lines of --psi.
    pub particles: Vec<u8>,
    /// The picture of --psi-svg.
    pub map: Option<String>,
}

impl Counted {
    pub fn region<'a>(&self, mask: Option<&'a Mask>) -> Region<'a> {
        match mask {
            Some(mask) => Region::Polygon(mask),
            None if self.is_periodic => Region::Periodic(self.lengths),
            None => Region::Rectangle(self.lengths),
        }
    }
}

/// Counts the pairs of a frame. Ranks other than the first of the team return their part of the counts only.
pub fn count_frame(context: Context, team: Team, mut table: Table, is_first: bool) -> Result<Counted, Failure> {
    let Context { a, is_film, mask, bins, units } = context;
    let left_out = is_film && a.neighbours.is_some_and(|k| table.x.len() <= usize::from(k));
    if left_out {
        table = table.only(|_| false);
    }
    let oddities = if left_out { Oddities::default() } else { orient(a, team, &mut table)? };
    let has_types = [0, 1].map(|side| table.types.iter().any(|types| types[side]));
    let leads = team.cluster.leads();
    let particles = (a.psi.is_some() && leads).then(|| report::lines_of_particles(&table, &a.fold, is_first));
    let map = (a.psi_svg.is_some() && leads).then(|| report::map(&table, a.fold[0], &a.points));
    let (particles, map) = (particles.transpose()?.unwrap_or_default(), map.transpose()?);
    if let Some(mask) = mask {
        table = within(&table, mask);
    }
    let periods = a.periods(&table);
    let (mut pairs, mut possible) = (Vec::new(), 0.0);
    for symmetry in 0..a.fold.len() {
        let (counted, all) = memory::needed_for(&"the pairs", || count(team, &table, symmetry, a, bins))?;
        pairs.push(count::bytes(&counted));
        possible = all;
    }
    let mut parts = Vec::new();
    for inside in (units == Units::Parts).then(|| jackknife::parts(&table, periods)).into_iter().flatten() {
        let team = Team { quiet: true, ..team };
        let touching = |symmetry: usize| count_touching(team, &table, &inside, symmetry, a, bins);
        let all = (0..a.fold.len()).map(|symmetry| Ok(count::bytes(&touching(symmetry)?)));
        parts.push(all.collect::<Result<_, Failure>>()?);
    }
    Ok(Counted {
        frame: table.frame,
        left_out,
        oddities: [oddities.twins, oddities.alone, oddities.unbounded],
        missing: table.missing,
        points: table.x.len(),
        has_types,
        lengths: periods.unwrap_or_else(|| report::region_of(table.extent(), table.x.len())),
        is_periodic: periods.is_some(),
        possible,
        pairs,
        parts,
        particles,
        map,
    })
}
