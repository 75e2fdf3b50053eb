
crate::isa::ISA! {
    pub(super) unsafe extern "C" fn NAME(x: *const f32, y: *mut f32, n: usize) {
        // SAFETY: the caller's contract.
        unsafe { super::lanes::NAME::<core::arch::ARCH::VECTOR>(x, y, n) }
    }
}
