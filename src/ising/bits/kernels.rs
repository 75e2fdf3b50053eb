//! The declarations of the kernels.

use crate::frame::kernel::kernel;

kernel! {
    /// Visits up to `blocks` blocks of sites of one group of 512 copies in order, with exact
    /// acceptance, and returns how many: it stops before a block that needs more random planes than
    /// are left.
    ///
    /// A row is 16 words of 32 bits in memory order, with a bit for each copy; a spin is 1 for -1.
    /// `links` is a stream of words: for each block a header, then the links of its sites, two
    /// words for each bond: the row of the neighbour in `spins` and the row of the coupling's sign in
    /// `signs`, 1 for a negative one. Sites of a block have consecutive rows.
    ///
    /// ```text
    /// header   number of sites (1 to 8) | degree << 8 (0 to 8)
    /// ```
    ///
    /// Let `u` be the number of bonds of a spin that are unsatisfied: spin, neighbour and sign have
    /// an odd sum. A spin with `2 u > degree` flips. If `2 u = degree`, it flips if the first bit of
    /// its random number is 0. Otherwise it flips if its random number of 48 bits is less than the
    /// threshold of class `u`. Bit `j` of `codes[48 * degree + k]` is bit
    /// `47 - k` of the threshold of class `j`; other bits are 0.
    ///
    /// Bits of random numbers come from planes of 512 bits, the most significant bit first. The
    /// first five bits of each site are its own planes, site by site. After that, the rest of the
    /// block is decided in rounds. In a round each copy with undecided spins continues with the
    /// first of these, from bit `k = 5` on; one plane serves all copies, until all of them are
    /// decided or 48 bits are equal, in which case the spin stays. Idle copies, those without a bit
    /// in `live`, are never undecided and never flip.
    ///
    /// `planes` is the number of planes in `random`; it is set to the number that the visited
    /// blocks used. `flips` is increased by the number of flips.
    ///
    /// # Safety
    /// `spins` points to rows of 64 bytes; site 0 of the first block is row `first`, and links refer
    /// to rows that exist. No two sites of a block are linked. `signs` points to the rows of signs
    /// that links refer to, `links` to `blocks` blocks, `codes` to 432 values, `random` to 64 bytes
    /// for each of `planes`, `live` to a row, `flips` to a counter.
    "hl_ising_sweep_bits" unsafe fn sweep_bits(
        spins: *mut u64, first: usize, blocks: usize, links: *const u32, signs: *const u64, codes: *const u8,
        random: *const u32, planes: *mut usize, live: *const u64, flips: *mut u64,
    ) -> usize;
    rows: all;
    header: kernels;
}

kernel! {
    /// [`sweep_bits()`] with acceptance by the heat bath.
    ///
    /// If `2 u` is not `degree`, the class of a spin is `min(u, degree - u)`. A spin with
    /// `2 u > degree` flips unless its random number is less than the threshold of its class; one
    /// with `2 u < degree` flips if it is.
    ///
    /// # Safety
    /// As for [`sweep_bits()`].
    "hl_ising_sweep_heat_bits" unsafe fn sweep_heat_bits(
        spins: *mut u64, first: usize, blocks: usize, links: *const u32, signs: *const u64, codes: *const u8,
        random: *const u32, planes: *mut usize, live: *const u64, flips: *mut u64,
    ) -> usize;
    rows: all;
    header: kernels;
}
