//! Constants of the kernel's contract, and the layout of a colour's rows.

/// Rows of a block, whose spins share random planes.
pub(super) const BLOCK_ROWS: usize = 8;
/// Bits of an acceptance probability.
pub(super) const BITS: usize = 48;
/// Leading bits of a random number for which each row has planes of its own.
pub(super) const OWN: usize = 4;
/// Calls of the generator for the own planes of a block.
pub(super) const OWN_CALLS: usize = BLOCK_ROWS * OWN / 2;
/// Calls of the generator for the other bits of a round.
pub(super) const ROUND_CALLS: usize = (BITS - OWN) / 2;
/// Calls of the generator for a block, at most.
pub(super) const CALLS: usize = OWN_CALLS + BLOCK_ROWS * ROUND_CALLS;

/// Spins of a word.
pub(super) const SPINS: usize = 64;
/// Words of a row are rounded up to a multiple of this number, so that vectors are whole.
const PADDING: usize = 8;

/// Bit of the argument `flags`: the odd colour is visited.
pub(super) const ODD: u32 = 1;
/// Bit of the argument `flags`: neighbours prefer opposite spins.
pub(super) const NEGATIVE: u32 = 2;
/// Bit of the argument `flags`: acceptance by the heat bath.
pub(super) const HEAT_BATH: u32 = 4;

/// Words of a row of one colour.
pub(super) const fn words(columns: usize) -> usize {
    columns.div_ceil(2 * SPINS)
}

/// Words from a row to the next: a ghost, the words of the row, rounded up, and another ghost.
pub(super) const fn stride(columns: usize) -> usize {
    words(columns).next_multiple_of(PADDING) + 2
}

/// The bits of a row's last word that are spins.
pub(super) const fn last_mask(columns: usize) -> u64 {
    u64::MAX >> (words(columns) * SPINS - columns / 2)
}

/// The arguments of the kernel.
#[derive(Clone, Copy)]
pub(super) struct Visit {
    pub spins: *mut u64,
    pub others: *const u64,
    pub rows: usize,
    pub columns: usize,
    pub first: usize,
    pub count: usize,
    pub flags: u32,
    pub codes: *const u8,
    pub seed: u64,
    pub sweep: u64,
}

impl Visit {
    /// The rows above and below a row.
    pub fn beside(&self, row: usize) -> [usize; 2] {
        [if row == 0 { self.rows - 1 } else { row - 1 }, if row + 1 == self.rows { 0 } else { row + 1 }]
    }

    /// Whether the second neighbour in a row is to the left, in bit `m - 1` for bit `m`.
    pub fn is_left(&self, row: usize) -> bool {
        (row ^ self.flags as usize) & 1 == 0
    }

    /// The index of the block that begins at a row and a word, as the generator counts them.
    pub fn block(&self, row: usize, word: usize) -> u32 {
        (row / BLOCK_ROWS).wrapping_mul(words(self.columns)).wrapping_add(word) as u32
    }

    /// The neighbours of the spins of a word.
    ///
    /// # Safety
    /// The row of the other colour and those beside it exist.
    pub unsafe fn neighbours(&self, row: usize, word: usize) -> [u64; 4] {
        let stride = stride(self.columns);
        // SAFETY: the caller's contract; a row begins with a ghost.
        let read = |row: usize, index: usize| unsafe { self.others.add(stride * row + index).read_unaligned() };
        let [above, below] = self.beside(row);
        let same = read(row, 1 + word);
        let beside = if self.is_left(row) {
            same << 1 | read(row, word) >> (SPINS - 1)
        } else {
            same >> 1 | read(row, 2 + word) << (SPINS - 1)
        };
        [read(above, 1 + word), read(below, 1 + word), same, beside]
    }

    /// Writes the ghosts of the visited rows.
    ///
    /// # Safety
    /// As for [`super::sweep_lattice()`].
    pub unsafe fn write_ghosts(&self) {
        let (stride, words) = (stride(self.columns), words(self.columns));
        let spins = (self.columns / 2 - 1) % SPINS + 1;
        for row in self.first..self.first + self.count {
            // SAFETY: the ghosts belong to the row.
            unsafe {
                let row = self.spins.add(stride * row);
                let (first, last) = (row.add(1), row.add(words));
                let end = last.read_unaligned() & last_mask(self.columns);
                row.write_unaligned(end << (SPINS - spins));
                let begin = first.read_unaligned() & 1;
                if spins == SPINS {
                    last.add(1).write_unaligned(begin);
                } else {
                    // The first word may be the last one.
                    last.write_unaligned(end | begin << spins);
                }
            }
        }
    }
}

/// Exports the kernel of an instruction set, given its function of [`Visit`].
macro_rules! export_visit {
    ($isa:ident $visit:expr) => {
        $crate::frame::isa::$isa! {
            pub(crate) unsafe extern "C" fn sweep_lattice(
                spins: *mut u64,
                others: *const u64,
                rows: usize,
                columns: usize,
                first: usize,
                count: usize,
                flags: u32,
                codes: *const u8,
                seed: u64,
                sweep: u64,
            ) -> u64 {
                let visit = $crate::ising::lattice::contract::Visit {
                    spins, others, rows, columns, first, count, flags, codes, seed, sweep,
                };
                // SAFETY: the caller's contract.
                unsafe { $visit(visit) }
            }
        }
    };
}
pub(super) use export_visit;
