use hotloops::exp::fast_f32::Function;

use super::{alike, float};
use crate::harness::room::Room;
use crate::harness::sizes::{Sizes, Values};

fn all() -> Vec<Sizes<Function>> {
    let call = |kernel: Function, v: &Values| {
        let n = v.size("n");
        let (x, y) = (Room::of(n, float::<f32>)?, Room::of(n, |_| 0.0)?);
        // SAFETY: n floats on both sides.
        unsafe { kernel(x.ptr(), y.ptr(), n) };
        Some(y.contents())
    };
    vec![Sizes::new(&[("n", 7)], call)]
}
alike! { Function: fast_f32 accurate_f32 poly_f32 = all() }
