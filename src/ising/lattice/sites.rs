//! The spins of a lattice, as the kernel has them.

use alloc::vec::Vec;
use core::cell::Cell;

use super::contract::{BLOCK_ROWS, ODD, SPINS, Visit, last_mask, stride, words};
use super::rule::LatticeRule;
use super::sweep_lattice;
use crate::frame::error::Error;
use crate::frame::memory;

#[derive(Debug)]
pub(super) struct Sites {
    pub rows: usize,
    pub columns: usize,
    pub seed: u64,
    /// The even colour and the odd one. Cells, because threads write rows of them through shared references.
    colours: [Vec<Cell<u64>>; 2],
}

// SAFETY: shared references only read, except for the unsafe functions `visit` and `write_ghosts`.
unsafe impl Sync for Sites {}

impl Sites {
    /// See [`SquareLattice::new`](super::SquareLattice::new).
    pub fn new(rows: usize, columns: usize, seed: u64) -> Result<Self, Error> {
        for (argument, value) in [("rows", rows), ("columns", columns)] {
            if value == 0 || value % 2 != 0 {
                return Err(Error::Even { argument, value });
            }
        }
        let too_large = Error::TooLarge { argument: "rows" };
        let blocks = rows.div_ceil(BLOCK_ROWS).checked_mul(words(columns)).ok_or(too_large)?;
        if blocks as u64 > 1 << 32 {
            return Err(too_large);
        }
        let len = rows.checked_mul(stride(columns)).ok_or(too_large)?;
        let colours = [memory::filled(len, Cell::new(0))?, memory::filled(len, Cell::new(0))?];
        Ok(Sites { rows, columns, seed, colours })
    }

    /// The arguments of the kernel, without codes.
    pub fn arguments(&self, colour: usize) -> Visit {
        let [spins, others] = [colour % 2, 1 - colour % 2].map(|colour| self.colours[colour].as_ptr());
        Visit {
            spins: spins.cast::<u64>().cast_mut(),
            others: others.cast(),
            rows: self.rows,
            columns: self.columns,
            first: 0,
            count: self.rows,
            flags: if colour.is_multiple_of(2) { 0 } else { ODD },
            codes: core::ptr::null(),
            seed: self.seed,
            sweep: 0,
        }
    }

    /// Visits the spins of one colour in `count` rows from `first` on, and returns the number of flips.
    ///
    /// # Safety
    /// `first` is a multiple of 8, and so is `first + count`, or it is the number of rows. Nothing else uses
    /// these spins during the call, or writes those of the other colour in these rows and beside them.
    pub unsafe fn visit(&self, rule: LatticeRule, colour: usize, first: usize, count: usize, sweep: u64) -> u64 {
        let Visit { spins, others, rows, columns, flags, seed, .. } = self.arguments(colour);
        let (codes, flags) = (rule.codes(), flags | rule.flags());
        // SAFETY: all rows exist; the caller's contract.
        unsafe { sweep_lattice(spins, others, rows, columns, first, count, flags, codes.as_ptr(), seed, sweep) }
    }

    /// The live words of all rows of both colours, the even colour's first.
    pub fn live_words(&self) -> impl Iterator<Item = &Cell<u64>> {
        let (stride, words) = (stride(self.columns), words(self.columns));
        self.colours.iter().flat_map(move |rows| rows.chunks(stride)).flat_map(move |row| &row[1..][..words])
    }

    /// The live words of a row of one colour.
    pub fn row(&self, colour: usize, row: usize) -> &[Cell<u64>] {
        &self.colours[colour][stride(self.columns) * row + 1..][..words(self.columns)]
    }

    /// The mask of the spins in a word of a row.
    pub fn mask(&self, word: usize) -> u64 {
        if word + 1 == words(self.columns) { last_mask(self.columns) } else { u64::MAX }
    }

    /// Writes the ghosts of all rows.
    pub fn write_ghosts(&mut self) {
        for colour in 0..2 {
            // SAFETY: all rows exist, and `self` is borrowed exclusively.
            unsafe { self.arguments(colour).write_ghosts() };
        }
    }

    /// The word and the bit of site `index` in row-major order.
    pub fn place(&self, index: usize) -> (&Cell<u64>, usize) {
        let (row, column) = (index / self.columns, index % self.columns);
        let (word, bit) = (column / 2 / SPINS, column / 2 % SPINS);
        (&self.colours[(row ^ column) & 1][stride(self.columns) * row + 1 + word], bit)
    }
}
