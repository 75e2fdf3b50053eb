//! Rows of copies, and runs of blocks of them.

use super::scalar::Row;

/// Copies in a row.
pub(in crate::ising) const COPIES: usize = 512;
/// Rows of signs that every group has: all positive, all negative.
pub(super) const POSITIVE: u32 = 0;
pub(super) const NEGATIVE: u32 = 1;

/// A cache line: a row, or a random plane.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RowLine(pub Row);

/// Consecutive blocks, and the ghosts to be written after them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    /// Row of the first site.
    pub first: usize,
    pub sites: usize,
    pub blocks: usize,
    /// Index of the first header in the link stream.
    pub link: usize,
    /// Indices of the ghosts.
    pub ghosts: (usize, usize),
    /// The lanes that are visited.
    pub mask: Row,
    /// Whether a bond is half a quantum.
    pub is_halved: bool,
}
