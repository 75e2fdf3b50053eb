//! Tiles: blocks that are transformed side by side.

use crate::vector::Vector;

/// Blocks whose sums are computed side by side: in rows of many blocks or in many rows, and in fewer.
pub(super) const BLOCKS: usize = 8;
pub(super) const FEW_BLOCKS: usize = 4;

/// The row and the first channel of the first of some blocks, and the rows and channels from each to the next.
#[derive(Clone, Copy)]
pub(super) struct Tile {
    pub(super) row: usize,
    pub(super) channel: usize,
    pub(super) rows: usize,
    pub(super) channels: usize,
}

impl Tile {
    /// The numbers from block to block, where rows are `row` apart and channels `channel`.
    #[inline(always)]
    pub(super) fn step(self, row: usize, channel: usize) -> usize {
        self.rows * row + self.channels * channel
    }

    /// The number of the first block, where rows are `row` apart and channels `channel`.
    #[inline(always)]
    pub(super) fn begin(self, row: usize, channel: usize) -> usize {
        self.row * row + self.channel * channel
    }
}

/// Tiles that cover all rows. The last of a row or of a column of tiles begins early enough to be whole, so some
/// blocks are computed twice.
pub(super) struct Tiles {
    next: Tile,
    /// Rows and channels of all, and of a tile.
    all: [usize; 2],
    tile: [usize; 2],
    /// Blocks of a tile.
    pub(super) blocks: usize,
}

impl Tiles {
    #[inline(always)]
    pub(super) fn new<V: Vector>(rows: usize, n: usize) -> Self {
        let in_row = n / V::LANES;
        let has = |blocks: usize| rows >= blocks || in_row >= blocks;
        let blocks = if has(BLOCKS) {
            BLOCKS
        } else if has(FEW_BLOCKS) {
            FEW_BLOCKS
        } else {
            1
        };
        let is_wide = in_row >= blocks;
        let tile = if is_wide { [1, blocks * V::LANES] } else { [blocks, V::LANES] };
        let [rows_of_step, channels_of_step] = if is_wide { [0, V::LANES] } else { [1, 0] };
        let next = Tile { row: 0, channel: 0, rows: rows_of_step, channels: channels_of_step };
        Tiles { next, all: [rows, n], tile, blocks }
    }

    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<Tile> {
        let ([rows, n], [tall, wide], Tile { row, channel, .. }) = (self.all, self.tile, self.next);
        if row >= rows {
            return None;
        }
        let tile = Tile { row: row.min(rows - tall), channel: channel.min(n - wide), ..self.next };
        self.next.channel += wide;
        if self.next.channel >= n {
            (self.next.row, self.next.channel) = (row + tall, 0);
        }
        Some(tile)
    }
}
