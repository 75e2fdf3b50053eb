//! The graph as the kernels read it.

use super::shape::LANES;

/// Bytes of a row; offsets in the link stream count them.
pub(super) const ROW: u32 = 4 * LANES as u32;

/// One element of the graph as the kernels read it, `hl_ising_link` in C.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// In a header the degree of the site; else the byte offset of the neighbour's row in its
    /// group, 64 for each row.
    pub word: u32,
    /// In a header the field `h_i`; else the coupling `J_ij`.
    pub value: f32,
}

impl Link {
    /// The row that a link leads to.
    pub(super) fn row(&self) -> usize {
        (self.word / ROW) as usize
    }
}

/// One word of the graph as the kernel reads it, see [`sweep_i8()`].
#[derive(Clone, Copy, Debug)]
pub(super) struct ByteLink(pub u32);

impl ByteLink {
    /// `values` is the field of a site plus its couplings.
    pub fn header(values: i32, degree: usize) -> Self {
        ByteLink(((values >> 1) & 0xff) as u32 | (degree as u32) << 8 | (values as u32 & 1) << 16)
    }

    pub fn link(row: usize, coupling: i32) -> Self {
        ByteLink((coupling & 0xff) as u32 | (row as u32) << 8)
    }

    /// Half of the sum in a header, rounded down; the coupling in a link.
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
