//! Prepared queries: their planes, and the budgets of misses.

use alloc::vec::Vec;

use super::image::{Index, LINE};
use super::measure::{Condition, NONE};
use super::tile::Tile;
use crate::frame::cache::prefetch;
use crate::frame::error::Error;

/// A query whose planes are known.
#[derive(Clone, Copy, Debug)]
pub(super) struct QueryPlan {
    /// Number of ones of the query.
    pub ones: u32,
    /// Whether the planes are those of the query's zeros, so that a one is a miss; else they are
    /// those of its ones, and a zero is a miss.
    pub of_zeros: bool,
    /// Planes of zeros put in front.
    pub padding: u32,
    /// Where the offsets of its planes begin.
    first: usize,
    /// Planes, in eights.
    pub chunks: usize,
    /// Where its limits begin.
    limits: usize,
    /// Positions of rows that may satisfy the condition.
    pub start: usize,
    pub end: usize,
}

/// A query, and how many ones rows need in common with it.
pub(super) struct Query<'a> {
    pub plans: &'a Plans,
    pub plan: &'a QueryPlan,
    /// The minimum number of common ones for rows of `first` ones, of one more, and so on.
    pub least: &'a [u32],
    pub first: u32,
}

impl Query<'_> {
    /// The largest number of misses of a row of `ones` ones.
    pub fn budget(&self, ones: u32) -> Option<u32> {
        let least = self.least.get(ones.wrapping_sub(self.first) as usize).copied().filter(|&least| least != NONE)?;
        Some((if self.plan.of_zeros { ones } else { self.plan.ones + self.plan.padding }).saturating_sub(least))
    }

    /// Prefetches the lines of a tile that most of its groups need: those of the first pass, and of a
    /// chunk more.
    pub fn prefetch(&self, index: &Index, tile: &Tile) {
        let Query { plans, plan, .. } = self;
        let Some(budget) = tile.counts().into_iter().filter_map(|ones| self.budget(ones)).max() else { return };
        let chunks = plans.first_pass(plan, budget) + 1;
        let planes = index.bytes[index.block(tile.block).at..].as_ptr();
        for &offset in plans.offsets(plan).iter().take(8 * chunks).skip(plan.padding as usize) {
            for group in tile.groups.clone() {
                prefetch(planes.wrapping_add(offset as usize + LINE * group));
            }
        }
    }
}

/// Prepared queries of one index and condition.
#[derive(Debug, Default)]
pub(super) struct Plans {
    pub plans: Vec<QueryPlan>,
    /// Offsets of planes in a block with this many bytes from plane to plane.
    offsets: Vec<u32>,
    stride: usize,
    /// Expected number of misses of a random row, and its variance, after each chunk.
    expected: Vec<[f32; 2]>,
    /// For some counts of ones of a query, the minimum number of common ones for each count of ones of a
    /// row, from `counts[0]` to `counts[1]`.
    limits: Vec<u32>,
    /// Where the limits for a number of ones begin; [`NONE`] if they are not computed.
    limits_of: Vec<u32>,
    pub counts: [u32; 2],
    /// Bit r of the set is 1 if the bit of rank r is one of the query.
    set: Vec<u64>,
    /// Positions of ones.
    found: Vec<u32>,
}

impl Plans {
    /// Forgets all queries; those to come are for this index.
    pub fn begin(&mut self, index: &Index) -> Result<(), Error> {
        self.plans.clear();
        self.offsets.clear();
        self.expected.clear();
        self.limits.clear();
        self.stride = 1;
        self.counts = index.counts();
        resize(&mut self.limits_of, index.bits() + 1, NONE)?;
        resize(&mut self.found, index.bits() + BRANCHLESS, 0)?;
        resize(&mut self.set, index.bits().div_ceil(64), 0)
    }

    /// Adds a query. Without a condition, it has no limits and no positions.
    pub fn push(&mut self, index: &Index, query: &[u8], condition: Option<&Condition>) -> Result<(), Error> {
        let bits = index.bits();
        self.set.fill(0);
        let (words, rest) = query[..bits.div_ceil(8)].as_chunks();
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        let words = words.iter().chain((!rest.is_empty()).then_some(&last)).map(|&word| u64::from_le_bytes(word));
        let ones = positions(words, bits, &mut self.found);
        let (ranks, set) = (index.words(index.parts.rank, bits), &mut self.set[..]);
        for &bit in &self.found[..ones] {
            let rank = u32::from_ne_bytes(ranks[bit as usize]) as usize;
            // Ranks of a corrupt image may be too large.
            if let Some(set) = set.get_mut(rank / 64) {
                *set |= 1 << (rank % 64);
            }
        }
        let ones = ones as u32;
        let of_zeros = 2 * ones as usize > bits;
        let planes = if of_zeros { bits - ones as usize } else { ones as usize };
        let chunks = planes.div_ceil(8);
        let (first, padding) = (self.offsets.len(), 8 * chunks - planes);
        self.offsets.try_reserve(8 * chunks).map_err(|_| Error::NoMemory)?;
        self.expected.try_reserve(chunks).map_err(|_| Error::NoMemory)?;
        self.plans.try_reserve(1).map_err(|_| Error::NoMemory)?;
        self.offsets.resize(first + padding, (bits * self.stride) as u32);
        self.rank(index, of_zeros, padding);
        // A corrupt image may have given two bits one rank.
        self.offsets.resize(first + 8 * chunks, (bits * self.stride) as u32);
        self.expected.resize(first / 8 + chunks, [f32::INFINITY, 0.0]);
        let mut plan =
            QueryPlan { ones, of_zeros, padding: padding as u32, first, chunks, limits: 0, start: 0, end: 0 };
        if let Some(condition) = condition {
            plan.limits = self.limits_for(ones, condition)?;
            let limits = &self.limits[plan.limits..][..self.width()];
            let possible = |limit: &u32| *limit != NONE;
            if let Some(from) = limits.iter().position(possible) {
                let to = limits.iter().rposition(possible).unwrap_or(from);
                let least = self.counts[0];
                (plan.start, plan.end) = (index.start(least + from as u32), index.start(least + to as u32 + 1));
            }
        }
        self.plans.push(plan);
        Ok(())
    }

    /// Appends the planes of the set's ones, rarest first, or of its zeros, most frequent first, and
    /// the expected misses after each chunk. `padding` planes of this query are there already.
    fn rank(&mut self, index: &Index, of_zeros: bool, padding: usize) {
        let bits = index.bits();
        let flip = if of_zeros { !0 } else { 0 };
        let n = positions(self.set.iter().map(|set| set ^ flip), bits, &mut self.found);
        let found = &mut self.found[..n];
        if of_zeros {
            found.reverse();
        }
        let (order, frequency) = (index.words(index.parts.order, bits), index.words(index.parts.frequency, bits));
        let (per_row, stride) = (1.0 / index.len().max(1) as f32, self.stride as u32);
        let (mut misses, mut variance) = (if of_zeros { 0.0 } else { padding as f32 }, 0.0);
        let (first, rest) = found.split_at(n.min((8 - padding) % 8));
        for chunk in [first].into_iter().filter(|first| !first.is_empty()).chain(rest.chunks(8)) {
            self.offsets.extend(chunk.iter().map(|&rank| {
                let share = u32::from_ne_bytes(frequency[rank as usize]) as f32 * per_row;
                misses += if of_zeros { share } else { 1.0 - share };
                variance += share * (1.0 - share);
                u32::from_ne_bytes(order[rank as usize]).min(bits as u32) * stride
            }));
            self.expected.push([misses, variance]);
        }
    }

    /// The number of different counts of ones of rows.
    fn width(&self) -> usize {
        (self.counts[1] - self.counts[0]) as usize + 1
    }

    /// Where the limits for queries of `ones` ones begin.
    fn limits_for(&mut self, ones: u32, condition: &Condition) -> Result<usize, Error> {
        let (known, at) = (self.limits_of[ones as usize], self.limits.len());
        if known != NONE {
            return Ok(known as usize);
        }
        self.limits.try_reserve(self.width()).map_err(|_| Error::NoMemory)?;
        self.limits.resize(at + self.width(), NONE);
        condition.least_common(ones, condition.threshold, self.counts[0], &mut self.limits[at..]);
        self.limits_of[ones as usize] = at as u32;
        Ok(at)
    }

    /// The query of a plan that was made with a condition.
    pub fn query<'a>(&'a self, plan: &'a QueryPlan) -> Query<'a> {
        Query { plans: self, plan, least: &self.limits[plan.limits..][..self.width()], first: self.counts[0] }
    }

    /// Makes the offsets those of a block with `stride` bytes from plane to plane.
    pub fn set_stride(&mut self, stride: usize) {
        if stride != self.stride {
            let before = self.stride as u32;
            self.offsets.iter_mut().for_each(|offset| *offset = *offset / before * stride as u32);
            self.stride = stride;
        }
    }

    /// The offsets of the planes of a plan.
    pub fn offsets(&self, plan: &QueryPlan) -> &[u32] {
        &self.offsets[plan.first..][..8 * plan.chunks]
    }

    /// The number of chunks after which most rows have more than `budget` misses: the expected
    /// misses exceed it by two standard deviations.
    pub fn first_pass(&self, plan: &QueryPlan, budget: u32) -> usize {
        let expected = &self.expected[plan.first / 8..][..plan.chunks];
        let enough = |&[misses, variance]: &[f32; 2]| {
            let more = misses - budget as f32;
            more > 0.0 && more * more > 4.0 * variance
        };
        expected.iter().position(enough).map_or(plan.chunks, |chunk| chunk + 1)
    }
}

/// Ones of a word that are found without branches.
const BRANCHLESS: usize = 4;

/// Writes the positions of the ones among the first `bits` bits, in ascending order, and returns their
/// number. `found` has [`BRANCHLESS`] places more than there are bits.
#[inline]
fn positions(words: impl Iterator<Item = u64>, bits: usize, found: &mut [u32]) -> usize {
    let mut end = 0;
    for (i, mut word) in words.enumerate() {
        if bits < 64 * (i + 1) {
            word &= (1 << (bits % 64)) - 1;
        }
        let (base, ones) = (64 * i as u32, word.count_ones() as usize);
        let Some(places) = found.get_mut(end..end + ones.max(BRANCHLESS)) else { break };
        for place in &mut places[..BRANCHLESS] {
            *place = base + word.trailing_zeros();
            word &= word.wrapping_sub(1);
        }
        for place in &mut places[BRANCHLESS..] {
            *place = base + word.trailing_zeros();
            word &= word.wrapping_sub(1);
        }
        end += ones;
    }
    end
}

fn resize<T: Copy>(values: &mut Vec<T>, len: usize, value: T) -> Result<(), Error> {
    values.clear();
    values.try_reserve(len).map_err(|_| Error::NoMemory)?;
    values.resize(len, value);
    Ok(())
}
