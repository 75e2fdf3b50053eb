
/// [`NAME()`](super::NAME()): whole vectors, then a part of one.
///
/// # Safety
/// That of the kernel; the CPU has the instruction set.
#[inline(always)]
pub(super) unsafe fn NAME<V: crate::math::vector::Single>(x: *const f32, y: *mut f32, n: usize) {
    // SAFETY: the vectors are within the n floats.
    unsafe {
        let rest = n % V::LANES;
        let whole = n - rest;
        for i in (0..whole).step_by(V::LANES) {
            V::load(x.add(i)).magnitude().store(y.add(i));
        }
        if rest != 0 {
            V::load_first(x.add(whole), rest).magnitude().store_first(y.add(whole), rest);
        }
    }
}
