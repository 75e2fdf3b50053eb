//! The words that collect counts and sums of pairs before they are added to bins.

use alloc::vec::Vec;

use super::super::accumulator::unpack;
use super::Finder;
use crate::frame::error::Error;
use crate::frame::memory;

/// Words that collect pairs.
pub(super) struct Words {
    pub words: Vec<i64>,
    /// Upper bound of the number of pairs in any word.
    pub pending: usize,
    /// With [`Finder::Edges`], for each edge the pairs of tiles for which it is the last edge below every
    /// distance.
    pub lowest: Vec<(u64, i128)>,
}

impl Words {
    pub fn new(words: usize, edges: usize) -> Result<Self, Error> {
        Ok(Words { words: memory::filled(words, 0)?, pending: 0, lowest: memory::filled(edges, (0, 0))? })
    }

    /// Passes the counts and sums of all bins to `each`, and clears the words.
    ///
    /// If this happens between the parts of two sets, `lowest` already has all their pairs: the bin's
    /// count is too large now, and negative the next time. So counts are added modulo 2^64.
    pub fn read(&mut self, finder: Finder, counting: bool, mut each: impl FnMut(usize, u64, i128)) {
        match finder {
            Finder::Scatter { uniform, end, .. } => {
                for table in self.words.chunks_exact(end + 1) {
                    for (bin, &word) in table[uniform.first..end].iter().enumerate().filter(|(_, word)| **word != 0) {
                        let (count, sum) = unpack(word);
                        each(bin, count, sum.into());
                    }
                }
            }
            Finder::Lookup => {
                let bins = self.words.len() - 2;
                for (bin, &word) in self.words[1..=bins].iter().enumerate() {
                    let (count, sum) = unpack(word);
                    each(bin, count, sum.into());
                }
            }
            Finder::Edges => {
                for (bin, (beyond, lowest)) in self.words.windows(2).zip(&mut self.lowest).enumerate() {
                    let counts = |word: i64| if counting { (word as u64, 0) } else { unpack(word) };
                    let ([lower, upper], all) = ([beyond[0], beyond[1]].map(counts), core::mem::take(lowest));
                    each(bin, (lower.0 + all.0).wrapping_sub(upper.0), i128::from(lower.1 - upper.1) + all.1);
                }
            }
        }
        self.words.fill(0);
        self.pending = 0;
    }
}
