//! The self-check of a search: some blocks are searched again, by another algorithm.
//!
//! Units form groups of [`GROUP`]. In one unit of each group, at a place that a hash chooses, a block of
//! 2^24 arguments is searched again: of full units, one block in 2^16. Where no blocks are
//! searched, a few arguments are judged one by one.

use std::ops::Range;

use crate::error::{Error, ask};
use crate::found::Found;
use crate::plan::{Algorithm, SearchPlan};
use crate::segment::Segment;
use crate::slow;

/// Units per group.
const GROUP: u64 = 64;

/// Arguments of a block that is searched again, and of one that is judged.
const SEARCHED: u64 = 1 << 24;
const JUDGED: u64 = 1 << 8;

fn hash(x: u64) -> u64 {
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

impl SearchPlan<'_> {
    /// A number that depends on the search.
    fn seed(&self) -> u64 {
        let p = &self.problem;
        let numbers = [p.from.to_bits(), p.to.to_bits(), p.within.to_bits()];
        let words = p.function.name().bytes().map(u64::from).chain(numbers);
        words.fold(p.format.precision.into(), |sum, word| hash(sum.wrapping_add(word).wrapping_add(1)))
    }

    /// The unit of a group that is checked.
    fn checked_in(&self, group: u64) -> u64 {
        let first = group * GROUP;
        let count = GROUP.min(self.units() - first);
        first + hash(self.seed() ^ hash(group)) % count
    }

    /// The number of units that are checked.
    pub fn checked(&self, units: &Range<u64>) -> u64 {
        let groups = units.start / GROUP..units.end.div_ceil(GROUP);
        groups.filter(|&group| units.contains(&self.checked_in(group))).count() as u64
    }

    /// Whether a search of some units checks a unit of them. It checks at least one.
    pub fn is_checked(&self, units: &Range<u64>, unit: u64) -> bool {
        self.checked_in(unit / GROUP) == unit || unit == units.start && self.checked(units) == 0
    }

    /// The arguments that are searched again, by their numbers in the segment.
    fn block(&self, unit: u64, length: u64) -> (&Segment<'_>, Range<u64>) {
        let (segment, range) = self.unit(unit);
        let room = (range.end - range.start).saturating_sub(length);
        let start = range.start + hash(self.seed() ^ hash(!unit)) % (room + 1);
        (segment, start..range.end.min(start + length))
    }

    /// Searches a block of a unit again and compares the result with what `algorithm` found in the unit.
    pub fn check(&self, unit: u64, algorithm: Algorithm, found: &Found) -> Result<(), Error> {
        self.check_while(unit, algorithm, found, &|| true)
    }

    fn check_while(
        &self,
        unit: u64,
        algorithm: Algorithm,
        found: &Found,
        go_on: &dyn Fn() -> bool,
    ) -> Result<(), Error> {
        let (segment, range) = self.unit(unit);
        let judged = segment.is_pointwise() || slow::search(segment, &range, self.problem.within)?.is_some();
        let (segment, block) = self.block(unit, if judged { JUDGED } else { SEARCHED });
        let mut again = Vec::new();
        if judged {
            again.extend(block.clone());
        } else {
            let other = match algorithm {
                Algorithm::ThreePhaseLefevre => Algorithm::Farey,
                _ => Algorithm::ThreePhaseLefevre,
            };
            // The check is the CPU's, wherever the search ran.
            self.clone().on(None).search_range((segment, block.clone()), other, &mut again, go_on)?;
        }
        // Not all exact cases are listed.
        let mut wanted = Vec::new();
        for k in again {
            ask(go_on)?;
            let judged = segment.judge(k)?;
            if judged.distance_ulp.abs() < self.problem.within && !judged.exact {
                wanted.push(segment.first + k);
            }
        }
        let block = segment.first + block.start..segment.first + block.end;
        let inside = |&index: &u64| block.contains(&index);
        let mut had: Vec<u64> = found.cases.iter().copied().filter(inside).collect();
        let streams = found.streams.iter().map(|s| s.start.max(block.start)..s.end.min(block.end));
        had.extend(streams.flatten());
        had.sort_unstable();
        let differs =
            |one: &[u64], other: &[u64]| one.iter().copied().find(|index| other.binary_search(index).is_err());
        match differs(&wanted, &had).or_else(|| differs(&had, &wanted)) {
            Some(index) => Err(Error::SelfCheck { unit, x: self.judge(index).x }),
            None => Ok(()),
        }
    }

    /// Searches a unit of some units, with the self-check if it is due.
    pub fn search_checked(&self, units: &Range<u64>, unit: u64, algorithm: Algorithm) -> Result<Found, Error> {
        self.search_checked_while(units, unit, algorithm, &|| true)
    }

    /// Like [`SearchPlan::search_checked`]. Ends with [`Error::Ended`] soon after `go_on`, called often, returns false.
    pub fn search_checked_while(
        &self,
        units: &Range<u64>,
        unit: u64,
        algorithm: Algorithm,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Found, Error> {
        let found = self.search_while(unit, algorithm, go_on)?;
        if self.is_checked(units, unit) {
            self.check_while(unit, algorithm, &found, go_on)?;
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Format, Modes, Problem, functions};

    fn plan(
        function: &'static dyn crate::Function,
        format: Format,
        from: f64,
        to: f64,
        bits: i32,
    ) -> SearchPlan<'static> {
        let within = f64::from(-1 - bits).exp2();
        SearchPlan::new(&Problem { function, format, from, to, grid: None, modes: Modes::All, within }).unwrap()
    }

    /// A case that is removed or added in the checked block stops the search, whatever the algorithm.
    #[test]
    fn seeded_faults_are_found() {
        let few = f64::exp2(-12.0);
        for (plan, judged) in [
            (plan(&functions::Exp, Format::BINARY64, 1.0, 1.0 + f64::exp2(-17.0), 18), false),
            (plan(&functions::Sin, Format::BINARY64, few * few, few * few * 1.0001, 8), true),
            (plan(&functions::Sin, Format::BINARY32, f64::exp2(50.0), f64::exp2(50.01), 4), true),
        ] {
            assert_eq!(plan.checked(&(0..plan.units())), plan.units().div_ceil(GROUP));
            let unit = (0..plan.units()).find(|&unit| plan.is_checked(&(0..plan.units()), unit)).unwrap();
            let (segment, block) = plan.block(unit, if judged { JUDGED } else { SEARCHED });
            let block = segment.first + block.start..segment.first + block.end;
            for algorithm in [Algorithm::Dual, Algorithm::Farey, Algorithm::ThreePhase, Algorithm::ThreePhaseLefevre] {
                let found = plan.search_checked(&(0..plan.units()), unit, algorithm).unwrap();
                let at = found.cases.iter().position(|index| block.contains(index));
                if let Some(at) = at {
                    let mut less = found.clone();
                    let index = less.cases.remove(at);
                    let error = plan.check(unit, algorithm, &less).unwrap_err();
                    assert_eq!(error, Error::SelfCheck { unit, x: plan.judge(index).x });
                }
                let mut more = found.clone();
                let index = block.clone().find(|&index| !plan.is_found(index).unwrap());
                if let Some(index) = index {
                    more.cases.push(index);
                    more.cases.sort_unstable();
                    assert!(matches!(plan.check(unit, algorithm, &more), Err(Error::SelfCheck { .. })));
                }
                assert!(at.is_some() || index.is_some());
            }
        }
    }

    #[test]
    fn each_run_checks_a_unit() {
        let plan = plan(&functions::Exp, Format::BINARY64, 1.0, 1.0 + f64::exp2(-8.0), 40);
        assert_eq!(plan.units(), 1024);
        for units in [0..1024, 3..4, 64..128, 100..140, 500..501] {
            let count = units.clone().filter(|&unit| plan.is_checked(&units, unit)).count() as u64;
            assert_eq!(count, plan.checked(&units).max(1), "{units:?}");
        }
        assert_eq!(plan.checked(&(0..1024)), 16);
    }
}
