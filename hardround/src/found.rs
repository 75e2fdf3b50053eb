//! The cases that a search finds.

use std::ops::Range;

use crate::error::{Error, reserve};

/// Runs of more cases than this are streams.
pub const MAX_RUN: u64 = 1 << 16;

/// Maximum number of exact cases that are listed; others are counted.
pub const MAX_EXACT: usize = 1 << 10;

/// The cases of some units, by the indices of their arguments. All lists are ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Cases that are not exact.
    pub cases: Vec<u64>,
    /// Consecutive arguments that are all cases, none of them exact.
    pub streams: Vec<Range<u64>>,
    /// The first [`MAX_EXACT`] arguments whose results are breakpoints.
    pub exact: Vec<u64>,
    /// The number of arguments whose results are breakpoints.
    pub exact_count: u64,
}

impl Found {
    /// The number of values that are stored.
    pub fn len(&self) -> usize {
        self.cases.len() + self.streams.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0 && self.exact_count == 0
    }

    /// The number of cases, those of streams included.
    pub fn count(&self) -> u64 {
        self.cases.len() as u64 + self.streams.iter().map(|stream| stream.end - stream.start).sum::<u64>()
    }

    pub(crate) fn add_exact(&mut self, index: u64) -> Result<(), Error> {
        self.exact_count += 1;
        if self.exact.len() < MAX_EXACT {
            reserve(&mut self.exact, 1)?;
            self.exact.push(index);
        }
        Ok(())
    }

    /// Adds what was found in other units. Call [`Found::sort`] after the last one.
    pub fn extend(&mut self, other: &Found) -> Result<(), Error> {
        reserve(&mut self.cases, other.cases.len())?;
        self.cases.extend_from_slice(&other.cases);
        reserve(&mut self.streams, other.streams.len())?;
        self.streams.extend_from_slice(&other.streams);
        reserve(&mut self.exact, other.exact.len())?;
        self.exact.extend_from_slice(&other.exact);
        self.exact_count += other.exact_count;
        if self.exact.len() > 16 * MAX_EXACT {
            self.cut_exact();
        }
        Ok(())
    }

    fn cut_exact(&mut self) {
        self.exact.sort_unstable();
        self.exact.truncate(MAX_EXACT);
    }

    /// Sorts the lists and joins streams that touch, except at the numbers `ends`.
    pub fn sort(&mut self, is_end: impl Fn(u64) -> bool) {
        self.cases.sort_unstable();
        self.cut_exact();
        self.streams.sort_unstable_by_key(|stream| stream.start);
        self.streams.dedup_by(|next, last| {
            let joins = last.end == next.start && !is_end(next.start);
            if joins {
                last.end = next.end;
            }
            joins
        });
    }

    /// All numbers: how many streams and exact cases, then the lists.
    pub fn words(&self) -> impl Iterator<Item = u64> + '_ {
        let counts = [self.streams.len() as u64, self.exact.len() as u64, self.exact_count];
        let streams = self.streams.iter().flat_map(|stream| [stream.start, stream.end]);
        counts.into_iter().chain(streams).chain(self.exact.iter().copied()).chain(self.cases.iter().copied())
    }

    /// The number of [`Found::words`].
    pub fn words_len(&self) -> usize {
        3 + 2 * self.streams.len() + self.exact.len() + self.cases.len()
    }

    /// The inverse of [`Found::words`]. `None` if the numbers are none.
    pub fn from_words(words: &[u64]) -> Option<Self> {
        let (&[streams, exact, exact_count], rest) = words.split_first_chunk::<3>()?;
        let (ends, rest) = rest.split_at_checked(usize::try_from(streams.checked_mul(2)?).ok()?)?;
        let (exact, cases) = rest.split_at_checked(usize::try_from(exact).ok()?)?;
        let streams: Vec<Range<u64>> = ends.as_chunks::<2>().0.iter().map(|&[start, end]| start..end).collect();
        let ascending = |list: &[u64]| list.is_sorted_by(|one, next| one < next);
        let right = ascending(ends)
            && ascending(exact)
            && ascending(cases)
            && exact.len() <= MAX_EXACT
            && exact_count >= exact.len() as u64
            && (exact_count == exact.len() as u64 || exact.len() == MAX_EXACT);
        right.then(|| Found { cases: cases.to_vec(), streams, exact: exact.to_vec(), exact_count })
    }
}
