//! The link stream: the graph as the kernels read it.

use super::shape::LANES;

/// Bytes of a row. Offsets in the link stream are multiples of it.
pub(super) const ROW: u32 = 4 * LANES as u32;

/// One element of the link stream, `hl_ising_link` in C.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// In a header: the degree of the site. In a link: the byte offset of the neighbour's row in
    /// its group, 64 bytes for each row.
    pub word: u32,
    /// In a header: the field `h_i`. In a link: the coupling `J_ij`.
    pub value: f32,
}

impl Link {
    /// The row that a link refers to.
    pub(super) fn row(&self) -> usize {
        (self.word / ROW) as usize
    }
}

/// One word of the integer link stream, see [`sweep_i8()`](super::sweep_i8()).
#[derive(Clone, Copy, Debug)]
pub(super) struct ByteLink(pub u32);

impl ByteLink {
    /// `values` is the field of a site plus its couplings, in quanta.
    pub fn header(values: i32, degree: usize) -> Self {
        ByteLink(((values >> 1) & 0xff) as u32 | (degree as u32) << 8 | (values as u32 & 1) << 16)
    }

    pub fn link(row: usize, coupling: i32) -> Self {
        ByteLink((coupling & 0xff) as u32 | (row as u32) << 8)
    }

    /// In a header: half of the sum, rounded down. In a link: the coupling.
    pub fn value(self) -> i32 {
        i32::from(self.0 as i8)
    }

    pub fn degree(self) -> usize {
        (self.0 >> 8 & 0xff) as usize
    }

    pub fn parity(self) -> usize {
        (self.0 >> 16 & 1) as usize
    }

    pub fn row(self) -> usize {
        (self.0 >> 8) as usize
    }
}
