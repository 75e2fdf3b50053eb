//! One function per kernel, `<family>::<kernel>()`: how to call it with any integer arguments.

pub mod bitslice;
pub mod clifford;
pub mod correlation;
pub mod exp;
pub mod hamming;
pub mod hardround;
pub mod ising;
pub mod matmul;
pub mod random;
pub mod reduce;

use hotloops::Float;

/// Kernels with the same function type and the same cases.
macro_rules! alike {
    ($type:ty: $($kernel:ident)+ = $cases:expr) => {$(
        pub fn $kernel() -> Vec<crate::harness::sizes::Sizes<$type>> {
            $cases
        }
    )+};
}
use alike;

/// Depends on all bits of an index, so that an access elsewhere gives something else.
fn noise(i: isize) -> u32 {
    ((i as u64 ^ 0x5bd1_e995).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
}

fn word(i: isize) -> u64 {
    u64::from(noise(i)) << 32 | u64::from(noise(i + 5))
}

/// From -16 to about 27.
fn float<T: Float>(i: isize) -> T {
    T::from_f64(f64::from(noise(i)) * 1e-8 - 16.0)
}
