//! The units that rank 0 hands out, and their results until they are taken in order.

use std::collections::VecDeque;
use std::ops::Range;

use super::desk::Outcome;
use crate::failure::Failure;

/// Reorder window for in-order delivery: at most `WINDOW` units per thread or `WINDOW_BYTES` of buffered results.
const WINDOW: usize = 16;
const WINDOW_BYTES: u64 = 16 << 20;
/// Maximum number of ranges in a reply. A message of this size is on its way at once, whether or not the other rank
/// waits for it.
const RANGES: usize = 64;

/// The order in which rank 0 takes results.
#[derive(Clone, Copy, PartialEq)]
pub enum Order {
    Any,
    /// Ascending units.
    Ascending,
}

/// Takes the result of a unit.
pub type Take<'a> = &'a mut dyn FnMut(u64, Vec<u8>) -> Result<(), Failure>;

/// The units to hand out, and those handed out whose results are to be taken in order.
pub(super) struct Units<'a> {
    units: &'a mut dyn Iterator<Item = u64>,
    next: Option<u64>,
    order: Order,
    threads: usize,
    ranks: usize,
    /// Units handed out, with their results, from the first one on whose result has not been taken. Empty
    /// if they are taken in any order.
    open: VecDeque<(u64, Option<Outcome>)>,
    /// Number of units handed out whose results are not here yet.
    missing: u64,
    /// Number of results so far and their bytes.
    results: [u64; 2],
}

impl<'a> Units<'a> {
    pub(super) fn new(units: &'a mut dyn Iterator<Item = u64>, order: Order, threads: usize, ranks: usize) -> Self {
        let next = units.next();
        Units { units, next, order, threads, ranks, open: VecDeque::new(), missing: 0, results: [0; 2] }
    }

    /// Whether all are handed out.
    pub(super) fn is_over(&self) -> bool {
        self.next.is_none()
    }

    /// Whether the results of all that are handed out have been taken.
    pub(super) fn are_taken(&self) -> bool {
        self.missing == 0
    }

    /// The next units for a rank, at most as many as `wanted`. None if all are handed out or others must
    /// be taken first.
    pub(super) fn next(&mut self, wanted: u64) -> Vec<Range<u64>> {
        let ranks = self.ranks as u64;
        // Near the end, all ranks get some.
        let left = self.units.size_hint().1.map_or(u64::MAX, |left| left as u64);
        let mut most = wanted.min((left / (2 * ranks)).max(self.threads as u64));
        if self.order == Order::Ascending {
            let [count, bytes] = self.results;
            let small = WINDOW_BYTES.saturating_mul(count) / bytes.max(1);
            let window = small.max(WINDOW as u64 * self.threads as u64 * ranks);
            most = most.min(window / (2 * ranks)).min(window.saturating_sub(self.open.len() as u64));
        }
        let mut ranges: Vec<Range<u64>> = Vec::new();
        while most > 0
            && let Some(unit) = self.next
        {
            if ranges.last().is_none_or(|range| range.end != unit) {
                if ranges.len() == RANGES {
                    break;
                }
                ranges.push(unit..unit);
            }
            ranges.last_mut().expect("not empty").end += 1;
            if self.order == Order::Ascending {
                self.open.push_back((unit, None));
            }
            self.missing += 1;
            most -= 1;
            self.next = self.units.next();
        }
        ranges
    }

    /// Takes the result of a unit; in order, or keeps it until the units before it are taken. So the failure
    /// that ends the work in order does not depend on the number of ranks.
    pub(super) fn take(&mut self, unit: u64, result: Outcome, take: Take) -> Result<(), Failure> {
        self.missing -= 1;
        self.results[0] += 1;
        self.results[1] += result.as_ref().map_or(0, Vec::len) as u64;
        if self.order == Order::Any {
            return take(unit, result?);
        }
        let place = self.open.binary_search_by_key(&unit, |(unit, _)| *unit).expect("it is handed out");
        self.open[place].1 = Some(result);
        while let Some((_, Some(_))) = self.open.front() {
            let (unit, result) = self.open.pop_front().expect("not empty");
            take(unit, result.expect("it is here")?)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_near_the_end_are_left_for_others() {
        let mut numbers = 0..1000;
        let mut units = Units::new(&mut numbers, Order::Any, 1, 10);
        let first = units.next(500);
        assert_eq!((first.len(), first[0].clone()), (1, 0..49));
        for _ in 0..1000 {
            units.next(500);
        }
        assert!(units.is_over() && !units.are_taken());
        // In order, results in memory are limited.
        let mut numbers = (0..1000).filter(|unit| unit % 3 > 0);
        let mut units = Units::new(&mut numbers, Order::Ascending, 1, 2);
        assert_eq!(units.next(6), [1..3, 4..6, 7..9]);
        while !units.next(500).is_empty() {}
        assert_eq!(units.open.len(), 2 * WINDOW);
        units.take(2, Ok(Vec::new()), &mut |_, _| unreachable!("unit 1 comes first")).ok().unwrap();
        let mut taken = Vec::new();
        units
            .take(1, Ok(Vec::new()), &mut |unit, _| {
                taken.push(unit);
                Ok(())
            })
            .ok()
            .unwrap();
        assert_eq!(taken, [1, 2]);
    }
}
