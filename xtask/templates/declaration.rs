
kernel! {
    /// Magnitudes of `x[0..n]`.
    ///
    /// # Safety
    /// `x` points to `n` readable floats and `y` to `n` writable ones, at any alignment; they are
    /// the same or do not overlap.
    "hl_FAMILY_NAME" unsafe fn NAME(x: *const f32, y: *mut f32, n: usize);
    rows: all;
    header: kernels;
}
