//! Constants and types of the kernels' contracts.

use crate::ising::links::ROW;

/// Maximum sum of the magnitudes of a site's field and couplings, in quanta: the smallest field
/// whose flip is not certain may exceed it by 1, and is a 16-bit integer.
pub(in super::super) const MAX_QUANTA: u32 = 32_766;

/// In doubt are random numbers from the product of the factors up to this much above it. Each of
/// the five factors is rounded down, and so is each of the four products.
pub(super) const SLACK: u16 = 8;
/// The same for the heat bath, with one more product, of the random number's complement.
pub(super) const HEAT_SLACK: u16 = 10;

/// One element of the 16-bit link stream, `hl_ising_wide_link` in C.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WideLink {
    /// In a header: the degree of the site. In a link: the byte offset of the neighbour's row in
    /// its group, 64 bytes for each row.
    pub word: u32,
    /// In a header: the sum of the field and the couplings, in quanta. In a link: twice the
    /// coupling. Both halves hold the value modulo 2^16.
    pub pair: u32,
}

impl WideLink {
    pub(super) fn new(word: u32, value: i32) -> Self {
        let half = value as u32 & 0xffff;
        WideLink { word, pair: half << 16 | half }
    }

    pub(super) fn value(self) -> i16 {
        self.pair as i16
    }

    /// The row that a link refers to.
    pub(super) fn row(self) -> usize {
        (self.word / ROW) as usize
    }
}
