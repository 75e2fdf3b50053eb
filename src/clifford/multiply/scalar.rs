//! The scalar reference.

use super::{MAX_WIDTH, SCALE};
use crate::math::float::Float;

/// # Safety
/// As for the kernels.
unsafe fn multiply<T: Float>(terms: *const u16, blades: usize, x: *const T, y: *const T, count: usize, z: *mut T) {
    for at in (0..count).map(|i| i * blades) {
        // SAFETY: a multivector of each array, and terms as the contract says.
        unsafe {
            let mut next = terms;
            let mut take = || {
                let value = next.read_unaligned();
                next = next.add(1);
                usize::from(value)
            };
            let width = take();
            let mut left = blades;
            while left > 0 {
                // -0 + a = a for every a.
                let mut sums = [-T::ZERO; MAX_WIDTH];
                for _ in 0..take() {
                    let x = x.add(at + take() / SCALE).read_unaligned();
                    for sum in sums.iter_mut().take(width) {
                        let row = take() / SCALE;
                        let is_negative = row >= blades;
                        let y = y.add(at + if is_negative { row - blades } else { row }).read_unaligned();
                        *sum = *sum + x * if is_negative { -y } else { y };
                    }
                }
                for &sum in sums.iter().take(width) {
                    z.add(at + take() / SCALE).write_unaligned(sum);
                }
                left = left.saturating_sub(width);
            }
        }
    }
}

macro_rules! references {
    ($($name:ident $type:ident)+) => {$(
        pub(super) unsafe extern "C" fn $name(
            terms: *const u16,
            blades: usize,
            x: *const $type,
            y: *const $type,
            count: usize,
            z: *mut $type,
        ) {
            // SAFETY: the caller's contract.
            unsafe { multiply(terms, blades, x, y, count, z) }
        }
    )+};
}
references! { multiply_f32 f32 multiply_f64 f64 }
