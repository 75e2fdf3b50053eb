//! Couplings whose signs differ from copy to copy.

use alloc::vec::Vec;

/// Couplings whose signs differ from copy to copy.
#[derive(Debug, Default)]
pub(in crate::ising) struct CopySigns {
    /// The two sites of each coupling, the lower one first, in ascending order.
    pub edges: Vec<(u32, u32)>,
    /// For each coupling, a bit for each copy: 1 where it is negative.
    pub words: Vec<u64>,
}

impl CopySigns {
    pub fn find(&self, i: u32, j: u32) -> Option<usize> {
        self.edges.binary_search(&(i.min(j), i.max(j))).ok()
    }
}
