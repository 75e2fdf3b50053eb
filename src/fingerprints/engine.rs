//! Counting misses of a query over a tile of groups.
//!
//! The threshold is compared here as a budget of misses: counters start so high that the first miss beyond the budget
//! overflows them ([`preload`]).

use alloc::vec::Vec;
use core::ops::{ControlFlow, Range};
use core::ptr;

use super::image::{GROUP, GROUPS, Index, LINE};
use super::measure::NONE;
use super::plan::Query;
use super::tile::Tile;
use crate::bitslice::unslice;
use crate::frame::error::Error;
use crate::hamming::misses;

/// If a query uses more bytes of planes of a tile, they do not stay in the second cache.
const CACHED: usize = 1 << 19;
/// Chunks of a pass over such a tile: so few planes that a prefetcher follows each of them from group
/// to group.
const PASS: usize = 4;
/// Lines of a state besides its levels.
const LINES: usize = 4;
/// Maximum levels: budgets are at most 2^19 + 7.
const MAX_LEVELS: usize = 18;
/// Words of a line.
const WORDS: usize = LINE / 8;

/// A row that has at most as many misses as its budget.
#[derive(Clone, Copy, Debug)]
pub(super) struct Survivor {
    pub position: usize,
    /// Its number of ones.
    pub ones: u32,
    /// Ones in common with the query.
    pub common: u32,
}

/// States of the groups of a tile.
#[derive(Debug, Default)]
pub(super) struct Engine {
    states: Vec<u64>,
    /// Counters of the rows of a group.
    counters: Vec<u32>,
}

impl Engine {
    /// Allocates states for rows of `bits` bits.
    pub fn begin(&mut self, bits: usize) -> Result<(), Error> {
        // An unaligned state would span one line more, so there is room to align the first.
        let words = GROUPS * WORDS * (LINES + levels(bits as u32 + 7)) + WORDS;
        self.states.try_reserve(words.saturating_sub(self.states.len())).map_err(|_| Error::NoMemory)?;
        self.states.resize(words.max(self.states.len()), 0);
        self.counters.try_reserve(GROUP.saturating_sub(self.counters.len())).map_err(|_| Error::NoMemory)?;
        self.counters.resize(GROUP, 0);
        Ok(())
    }

    /// Calls `visit` for each row of the tile, at `within` positions, that has enough ones in common
    /// with the query, in the order of positions. `visit` may be called for other rows too.
    pub fn scan(
        &mut self,
        index: &Index,
        tile: &Tile,
        query: &Query,
        within: &Range<usize>,
        mut visit: impl FnMut(Survivor) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Query { plans, plan, .. } = query;
        let start = tile.block * GROUPS;
        let groups = tile.groups.start.max((within.start / GROUP).saturating_sub(start))
            ..tile.groups.end.min(within.end.div_ceil(GROUP).saturating_sub(start));
        let mut budgets = [NONE; GROUPS];
        let largest = set_budgets(tile, query, groups.clone(), &mut budgets);
        if largest == NONE {
            return ControlFlow::Continue(());
        }
        let levels = levels(largest);
        let size = WORDS * (LINES + levels);
        let block = index.block(tile.block);
        let planes = index.bytes[block.at..][..block.stride * (index.bits() + 1)].as_ptr();
        let offsets = plans.offsets(plan);
        debug_assert!(offsets.iter().all(|&offset| offset as usize <= block.stride * index.bits()));
        let invert = if plan.of_zeros { 0 } else { !0 };
        let aligned = self.states.as_ptr().align_offset(LINE).min(WORDS);
        let states = &mut self.states[aligned..][..GROUPS * size];
        let expected = plans.first_pass(plan, largest);
        let passes = Passes { planes, offsets, invert, levels, expected, chunks: plan.chunks };
        let mut live = [0u16; GROUPS];
        // SAFETY: the block's planes have a line for each group, and `states` a state for each.
        let lives = unsafe { passes.run(&budgets, groups, &mut live, states) };
        for (&group, state) in live[..lives].iter().zip(states.chunks_exact(size)) {
            let group = group as usize;
            let [mut ones, _] = tile.counts[group];
            let preload = preload(budgets[group], levels) as u32;
            let alive = |word: usize| !u64::from_le(state[DEAD * WORDS + word]);
            let many = (0..WORDS).map(|word| alive(word).count_ones()).sum::<u32>() >= MANY;
            if many {
                counters(state, levels, invert, &mut self.counters);
            }
            for word in 0..WORDS {
                let mut alive = alive(word);
                while alive != 0 {
                    let bit = alive.trailing_zeros();
                    alive &= alive - 1;
                    let position = (start + group) * GROUP + 64 * word + bit as usize;
                    if !within.contains(&position) {
                        continue;
                    }
                    let sum = match many {
                        true => self.counters[64 * word + bit as usize],
                        false => counter(state, levels, invert, word, bit),
                    };
                    let missed = sum.saturating_sub(preload);
                    ones = index.ones_at(position, ones);
                    let common = (if plan.of_zeros { ones } else { plan.ones + plan.padding }).saturating_sub(missed);
                    visit(Survivor { position, ones, common: common.min(ones).min(plan.ones) })?;
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// Sets the budget of each group, the largest of its rows. Returns the largest of all: [`NONE`] if no row has one.
#[inline(always)]
fn set_budgets(tile: &Tile, query: &Query, groups: Range<usize>, budgets: &mut [u32; GROUPS]) -> u32 {
    let mut largest = NONE;
    for group in groups {
        let [low, high] = tile.counts[group];
        let budget = (low..=high).filter_map(|ones| query.budget(ones)).max();
        budgets[group] = budget.unwrap_or(NONE);
        if budgets[group] != NONE {
            largest = if largest == NONE { budgets[group] } else { largest.max(budgets[group]) };
        }
    }
    largest
}

/// The initial value of counters that overflow at `budget` + 1 misses.
fn preload(budget: u32, levels: usize) -> usize {
    (8 << levels) - (budget as usize + 1)
}

/// The passes over a tile that count the misses of a query.
struct Passes<'a> {
    /// Planes of the tile's block, and the offsets of the query's planes.
    planes: *const u8,
    offsets: &'a [u32],
    invert: u64,
    levels: usize,
    /// Chunks after which most rows are dead, and all chunks.
    expected: usize,
    chunks: usize,
}

impl Passes<'_> {
    /// Returns the number of groups that have a live row. `live` begins with these, and `states` with their states.
    ///
    /// # Safety
    /// The offsets are those of planes that have a line for each of the groups; `states` has a state for each.
    #[inline(always)]
    unsafe fn run(
        &self,
        budgets: &[u32; GROUPS],
        groups: Range<usize>,
        live: &mut [u16; GROUPS],
        states: &mut [u64],
    ) -> usize {
        let &Passes { planes, offsets, invert, levels, expected, chunks: all } = self;
        let size = WORDS * (LINES + levels);
        // The first pass: runs of groups with the same budget.
        let mut lives = 0;
        let used = 8 * all * LINE * groups.len();
        let most = if used > CACHED { PASS } else { all };
        let mut chunk = expected.min(most);
        let mut from = groups.start;
        while from < groups.end {
            let budget = budgets[from];
            let run = budgets[from..groups.end].iter().take_while(|&&other| other == budget).count();
            if budget != NONE {
                for (slot, group) in live[lives..].iter_mut().zip(from..from + run) {
                    *slot = group as u16;
                }
                let fresh = fresh(preload(budget, levels), invert, levels);
                let slots = states[lives * size..].as_mut_ptr();
                let list = live[lives..].as_mut_ptr();
                // SAFETY: offsets of the block's planes, of which each has a line for each group; as
                // many slots as groups; `fresh` has a word for each line.
                lives += unsafe {
                    misses(planes, offsets.as_ptr(), chunk, invert, list, run, fresh.as_ptr(), slots, levels)
                };
            }
            from += run;
        }
        // Later passes over the groups that still have a live row: a chunk each when rows die.
        while chunk < all && lives > 0 {
            let chunks = most.min(expected.saturating_sub(chunk)).max(1);
            let list = live.as_mut_ptr();
            // SAFETY: as above; the states of the live groups are in the first slots.
            lives = unsafe {
                misses(
                    planes,
                    offsets[8 * chunk..].as_ptr(),
                    chunks,
                    invert,
                    list,
                    lives,
                    ptr::null(),
                    states.as_mut_ptr(),
                    levels,
                )
            };
            chunk += chunks;
        }
        lives
    }
}

/// The line of a state whose ones are dead rows.
const DEAD: usize = 3;

/// Survivors of a group from which on the counters of all its rows are computed together.
const MANY: u32 = 32;

/// The counter of one row of a state.
fn counter(state: &[u64], levels: usize, invert: u64, word: usize, bit: u32) -> u32 {
    let digit = |line: usize| (u64::from_le(state[line * WORDS + word]) >> bit) as u32 & 1;
    let sum = digit(0) + 2 * digit(1) + 4 * digit(2);
    (0..levels).fold(sum ^ invert as u32 & 7, |sum, level| sum + (digit(LINES + level) << (3 + level)))
}

/// The counters of all rows of a state: its lines are the planes of integers.
fn counters(state: &[u64], levels: usize, invert: u64, counters: &mut [u32]) {
    let mut planes = [0; 32 * LINE];
    let lines = state.chunks_exact(WORDS);
    let lines = lines.clone().take(DEAD).zip([invert; DEAD]).chain(lines.skip(LINES).take(levels).zip([0; MAX_LEVELS]));
    for (plane, (line, invert)) in planes.chunks_exact_mut(LINE).zip(lines) {
        for (bytes, word) in plane.chunks_exact_mut(8).zip(line) {
            bytes.copy_from_slice(&(word ^ invert).to_ne_bytes());
        }
    }
    let joined = unslice(&planes, LINE, counters);
    debug_assert!(joined.is_ok());
}

/// The number of levels with which the counter overflows at `budget` + 1 misses: the smallest L with 8 *
/// 2^L > `budget`.
fn levels(budget: u32) -> usize {
    (u32::BITS - (budget / 8).leading_zeros()) as usize
}

/// A word of each line of a state that counts from `start`.
fn fresh(start: usize, invert: u64, levels: usize) -> [u64; LINES + MAX_LEVELS] {
    let mut words = [0; LINES + MAX_LEVELS];
    let word = |bit: usize| 0u64.wrapping_sub((start >> bit) as u64 & 1);
    (0..3).for_each(|bit| words[bit] = word(bit) ^ invert);
    (0..levels).for_each(|level| words[LINES + level] = word(3 + level));
    words
}
