//! The pairs of two rows of images, counted by their difference of x.

use alloc::vec::Vec;
use core::ops::Range;

use super::super::accumulator::unpack;
use super::super::{MAX_PAIRS, Psi, offsets};
use super::Image;
use crate::frame::error::Error;
use crate::frame::memory;

/// Consecutive points of one row.
#[derive(Clone, Copy)]
pub(super) struct PointRun<'a> {
    pub x: &'a [i32],
    /// Empty if pairs are only counted.
    pub psi: &'a [Psi],
    pub multiplicity: usize,
}

impl PointRun<'_> {
    pub fn part(self, range: Range<usize>) -> Self {
        PointRun { x: &self.x[range.clone()], psi: self.psi.get(range).unwrap_or(&[]), ..self }
    }

    /// The points within `reach` of the positions from `first` to `last`.
    fn near(self, first: i32, last: i32, reach: u32) -> Self {
        let begin = self.x.partition_point(|&x| x < first && x.abs_diff(first) > reach);
        let end = self.x.partition_point(|&x| x < last || x.abs_diff(last) <= reach);
        self.part(begin..end.max(begin))
    }

    /// Parts of at most `max` points.
    fn chunks(self, max: usize) -> impl Iterator<Item = Self> {
        (0..self.x.len()).step_by(max).map(move |at| self.part(at..self.x.len().min(at + max)))
    }

    /// The maximum number of pairs that one point of another run adds to a word.
    fn max_pairs_per_word(self) -> usize {
        self.multiplicity.min(self.x.len())
    }
}

/// Maximum number of points in a strip: the part of a row that is compared at once with the points
/// of another row within reach.
const STRIP: usize = 64;

/// The words for one difference of y, one word for each difference of x. They are emptied before
/// any of them can overflow.
pub(super) struct Table<F> {
    words: Vec<i64>,
    /// Index of the word for difference 0.
    middle: usize,
    /// The largest difference of x that counts.
    reach: u32,
    /// Whether no difference of x is larger than `reach`.
    whole: bool,
    /// Upper bound of the number of pairs in any word.
    pending: usize,
    /// Called with the difference of x, the number of pairs and their sum.
    each: F,
}

impl<F: FnMut(i32, u64, i64)> Table<F> {
    /// For two images and a difference of x of at most `reach`.
    pub fn new(a: &Image, b: &Image, reach: u32, each: F) -> Result<Self, Error> {
        let max_dx = a.difference(b, 0).map(i64::unsigned_abs).into_iter().max().unwrap_or(0);
        // A strip is at most `reach` wide, so no difference exceeds twice that.
        let middle = max_dx.min(2 * u64::from(reach)) as usize;
        let words = memory::filled(2 * middle + 1, 0)?;
        Ok(Table { words, middle, reach, whole: max_dx <= u64::from(reach), pending: 0, each })
    }

    pub fn add_rows(&mut self, a: PointRun, b: PointRun) {
        if self.whole {
            return self.add(a, b);
        }
        let mut rest = a;
        while let Some(&first) = rest.x.first() {
            let strip = rest.x.iter().take(STRIP).take_while(|x| x.abs_diff(first) <= self.reach).count();
            self.add(rest.part(0..strip), b.near(first, rest.x[strip - 1], self.reach));
            rest = rest.part(strip..rest.x.len());
        }
    }

    /// Adds all pairs of two runs. Every difference has a word.
    fn add(&mut self, a: PointRun, b: PointRun) {
        if a.psi.len() != a.x.len() || b.psi.len() != b.x.len() {
            return self.count(a, b);
        }
        // One point of `a` adds at most `b.max_pairs_per_word()` pairs to a word, and vice versa.
        // So no two chunks can overflow an empty word.
        for b in b.chunks(MAX_PAIRS) {
            for a in a.chunks(MAX_PAIRS / b.max_pairs_per_word().max(1)) {
                let added = (a.x.len() * b.max_pairs_per_word()).min(b.x.len() * a.max_pairs_per_word());
                if self.pending + added > MAX_PAIRS {
                    self.read();
                }
                self.pending += added;
                let (psi, other_psi) = (a.psi.as_ptr().cast(), b.psi.as_ptr().cast());
                // SAFETY: each position has an orientation, a pair of integers in range; all
                // differences have words.
                unsafe {
                    let words = self.words.as_mut_ptr().add(self.middle);
                    offsets(a.x.as_ptr(), psi, a.x.len(), b.x.as_ptr(), other_psi, b.x.len(), words);
                }
            }
        }
    }

    /// Counts all pairs of two runs without orientations. A word is then a plain number of pairs
    /// and cannot overflow.
    fn count(&mut self, a: PointRun, b: PointRun) {
        let words = self.words.as_mut_ptr().wrapping_add(self.middle);
        let (blocks, rest) = a.x.as_chunks::<8>();
        for block in blocks {
            // SAFETY: all differences have words.
            unsafe { count_block(block.map(|x| words.wrapping_offset(-(x as isize))), b.x) }
        }
        for &x in rest {
            // SAFETY: all differences have words.
            unsafe { count_block([words.wrapping_offset(-(x as isize))], b.x) }
        }
    }

    /// Passes all words to `each`, and clears them.
    pub fn read(&mut self) {
        let counted = self.pending == 0;
        let reach = self.middle.min(self.reach as usize);
        let first = self.middle - reach;
        for (offset, word) in self.words[first..=self.middle + reach].iter().enumerate().filter(|(_, word)| **word != 0)
        {
            let (count, sum) = if counted { (*word as u64, 0) } else { unpack(*word) };
            (self.each)(offset as i32 - reach as i32, count, sum);
        }
        self.words.fill(0);
        self.pending = 0;
    }
}

/// Adds 1 to word `origin + x` for each origin and each x.
///
/// # Safety
/// All these words can be read and written.
unsafe fn count_block<const N: usize>(origins: [*mut i64; N], x: &[i32]) {
    for &x in x {
        for origin in origins {
            // SAFETY: the caller's contract.
            unsafe { *origin.wrapping_offset(x as isize) += 1 }
        }
    }
}
