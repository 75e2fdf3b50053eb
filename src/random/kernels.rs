//! The declarations of the kernels.

use crate::frame::kernel::kernel;

kernel! {
    /// Draws `n` numbers from the interlaced MT19937 streams.
    ///
    /// # Safety
    /// `state` points to `624 * lanes` words, word `i` of lane `k` at `i * lanes + k`; `lanes` is
    /// 4, 8 or 16; `position` points to the flat index of the next word to update, below
    /// `624 * lanes`; `dst` points to `n` writable numbers. The kernel writes the updated words and
    /// the new position back. `state`, `position` and `dst` do not overlap.
    "hl_random_mt19937_u32" unsafe fn mt19937_u32(
        state: *mut u32, lanes: usize, position: *mut usize, dst: *mut u32, n: usize,
    );
    rows: all;
}

kernel! {
    /// Draws `n` floats in [0, 1) from the interlaced MT19937 streams: the upper 24 bits of each
    /// number times 2^-24.
    ///
    /// # Safety
    /// Same as for [`mt19937_u32()`].
    "hl_random_mt19937_f32" unsafe fn mt19937_f32(
        state: *mut u32, lanes: usize, position: *mut usize, dst: *mut f32, n: usize,
    );
    rows: all;
}
