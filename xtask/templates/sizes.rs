
/// How to call it with any length.
pub fn NAME() -> Vec<crate::harness::sizes::Sizes<hotloops::FAMILY::NAME::Function>> {
    use crate::harness::{room::Room, sizes};
    let call = |kernel: hotloops::FAMILY::NAME::Function, v: &sizes::Values| {
        let n = v.size("n");
        let (x, y) = (Room::of(n, super::float::<f32>)?, Room::of(n, |_| 0.0f32)?);
        // SAFETY: `n` floats on both sides.
        unsafe { kernel(x.ptr(), y.ptr(), n) };
        Some(y.contents())
    };
    vec![sizes::Sizes::new(&[("n", 7)], call)]
}
