//! The declaration of the kernel.

use crate::frame::kernel::kernel;

kernel! {
    /// Visits the sites of one colour in `count` rows from row `first` on, and returns the number
    /// of flips. The page of [`SquareLattice`](super::SquareLattice) defines the result.
    ///
    /// The lattice has `rows` rows of `columns` sites, both even and periodic. Row `i` of a colour has
    /// the sites `j` with `i + j` even, or odd for the odd colour; they are bits `m = j / 2` of its
    /// words, 64 in each, 1 for -1. With `w = ceil(columns / 128)`, a row is `s = w + 2` words, `w` rounded
    /// up to a multiple of 8: a ghost, the spins, and the rest. The last bit of the ghost is the last
    /// spin, and the bit after the last spin is the first spin. The kernel reads these of `others` and
    /// writes those of `spins`; other bits are arbitrary in `others`, and bits after the ghost of
    /// the last spin in its word become 0.
    ///
    /// `flags` is a sum of 1 for the odd colour, 2 if neighbours prefer opposite spins, and 4 for the
    /// heat bath. Bit `u` of `codes[k]` is bit `47 - k` of the acceptance probability, in units
    /// of 2^-48, of spins with `u` unsatisfied bonds, 0 or 1.
    ///
    /// # Safety
    /// `spins` points to row 0 of the visited colour, of which rows `first` to `first + count` are
    /// read and written. `others` points to row 0 of the other colour, of which these and the two beside
    /// them are read. The two do not overlap. `first` is a multiple of 8, and `first + count` is
    /// one or equals `rows`. `codes` points to 48 values.
    "hl_ising_sweep_lattice" unsafe fn sweep_lattice(
        spins: *mut u64, others: *const u64, rows: usize, columns: usize, first: usize, count: usize, flags: u32,
        codes: *const u8, seed: u64, sweep: u64,
    ) -> u64;
    intrinsics: avx512, avx2, sse2, neon;
    header: kernels;
}
