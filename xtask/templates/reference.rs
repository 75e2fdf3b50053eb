
/// The definition of [`NAME()`](super::NAME()).
pub(super) unsafe extern "C" fn NAME(x: *const f32, y: *mut f32, n: usize) {
    for i in 0..n {
        // SAFETY: the caller gives `n` floats on both sides.
        unsafe { y.add(i).write_unaligned(x.add(i).read_unaligned().abs()) }
    }
}
