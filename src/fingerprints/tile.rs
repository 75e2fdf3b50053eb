//! Tiles: groups of rows that a query is compared with at once.

use core::ops::Range;

use super::image::{GROUP, GROUPS, Index};

/// Groups of one block.
#[derive(Clone, Debug)]
pub(super) struct Tile {
    pub block: usize,
    /// Groups of the block.
    pub groups: Range<usize>,
    /// The minimum number of ones of a row of each group, and the maximum.
    pub counts: [[u32; 2]; GROUPS],
}

impl Tile {
    /// The tile of at most `most` groups (at most a block) that begins with group `first` of the
    /// index, whose rows have at least `ones` ones.
    pub fn new(index: &Index, first: usize, most: usize, ones: u32) -> Self {
        let (block, first) = (first / GROUPS, first % GROUPS);
        let groups = first..index.block(block).groups.min(first + most);
        let mut counts = [[0; 2]; GROUPS];
        let mut ones = ones;
        for group in groups.clone() {
            let start = (block * GROUPS + group) * GROUP;
            ones = index.ones_at(start, ones);
            let least = ones;
            ones = index.ones_at((start + GROUP).min(index.len()) - 1, ones);
            counts[group] = [least, ones];
        }
        Tile { block, groups, counts }
    }

    /// The positions of its rows.
    pub fn positions(&self, index: &Index) -> Range<usize> {
        let at = |group: usize| ((self.block * GROUPS + group) * GROUP).min(index.len());
        at(self.groups.start)..at(self.groups.end)
    }

    /// Bytes from plane to plane of its block.
    pub fn stride(&self, index: &Index) -> usize {
        index.block(self.block).stride
    }

    /// The minimum and the maximum number of ones of its rows.
    pub fn counts(&self) -> [u32; 2] {
        let last = self.groups.end.max(1) - 1;
        [self.counts[self.groups.start.min(last)][0], self.counts[last][1]]
    }
}
