//! Advanced SIMD of AArch64.
#![allow(unsafe_op_in_unsafe_fn)] // intrinsics

use core::arch::aarch64::*;

use super::Task;
use super::lanes::{Lanes, MAX_LANES, basics, transposition_of_halves, transpositions_by_pairs};

/// # Safety
/// The contract of the task.
#[target_feature(enable = "neon")]
pub(super) unsafe fn f32<T: Task<f32>>(task: &T) {
    task.run::<float32x4_t>();
}

/// # Safety
/// The contract of the task.
#[target_feature(enable = "neon")]
pub(super) unsafe fn f64<T: Task<f64>>(task: &T) {
    task.run::<float64x2_t>();
}

/// Lanes `begin..end`.
type Range = (usize, usize);

/// The operations on some lanes, by memory.
macro_rules! masked {
    ($real:ident $lanes:literal) => {
        type Mask = Range;

        #[inline(always)]
        unsafe fn mask(begin: usize, end: usize) -> Range {
            (begin, end.min($lanes))
        }

        #[inline(always)]
        unsafe fn load_masked(at: *const $real, (begin, end): Range) -> Self {
            let mut lanes = [0.0; $lanes];
            for i in begin..end {
                lanes[i] = *at.wrapping_add(i);
            }
            Self::load(lanes.as_ptr())
        }

        #[inline(always)]
        unsafe fn store_masked(self, at: *mut $real, (begin, end): Range) {
            let mut lanes = [0.0; $lanes];
            self.store(lanes.as_mut_ptr());
            for i in begin..end {
                *at.wrapping_add(i) = lanes[i];
            }
        }

        #[inline(always)]
        unsafe fn select(self, other: Self, (begin, end): Range) -> Self {
            let (mut lanes, mut own) = ([0.0; $lanes], [0.0; $lanes]);
            other.store(lanes.as_mut_ptr());
            self.store(own.as_mut_ptr());
            for i in begin..end {
                lanes[i] = own[i];
            }
            Self::load(lanes.as_ptr())
        }

        #[inline(always)]
        unsafe fn broadcast(self, i: usize) -> Self {
            let mut lanes = [0.0; $lanes];
            self.store(lanes.as_mut_ptr());
            Self::splat(lanes[i])
        }
    };
}

// SAFETY: the methods need Advanced SIMD.
unsafe impl Lanes<f32> for float32x4_t {
    masked! { f32 4 }

    basics! {
        f32 4 32 vld1q_f32 vst1q_f32 vdupq_n_f32 |a, b, c| vfmaq_f32(c, a, b), vaddq_f32 vsubq_f32 vmulq_f32
        vdivq_f32
    }

    #[inline(always)]
    unsafe fn first(self) -> f32 {
        vgetq_lane_f32::<0>(self)
    }

    #[inline(always)]
    unsafe fn with_odd(self, odd: Self) -> Self {
        vtrn1q_f32(self, vrev64q_f32(odd))
    }

    #[inline(always)]
    unsafe fn swapped(self) -> Self {
        vrev64q_f32(self)
    }

    #[inline(always)]
    unsafe fn conjugated(self) -> Self {
        vreinterpretq_f32_u64(veorq_u64(vreinterpretq_u64_f32(self), vdupq_n_u64(1 << 63)))
    }

    transpositions_by_pairs! {
        float64x2_t 4 vzip1q_f32 vzip2q_f32 vreinterpretq_f64_f32 vreinterpretq_f32_f64
    }
}

// SAFETY: the methods need Advanced SIMD.
unsafe impl Lanes<f64> for float64x2_t {
    masked! { f64 2 }

    basics! {
        f64 2 32 vld1q_f64 vst1q_f64 vdupq_n_f64 |a, b, c| vfmaq_f64(c, a, b), vaddq_f64 vsubq_f64 vmulq_f64
        vdivq_f64
    }

    #[inline(always)]
    unsafe fn first(self) -> f64 {
        vgetq_lane_f64::<0>(self)
    }

    #[inline(always)]
    unsafe fn with_odd(self, odd: Self) -> Self {
        vcopyq_laneq_f64::<1, 1>(self, odd)
    }

    #[inline(always)]
    unsafe fn swapped(self) -> Self {
        vextq_f64::<1>(self, self)
    }

    #[inline(always)]
    unsafe fn conjugated(self) -> Self {
        let signs = vcombine_u64(vcreate_u64(0), vcreate_u64(1 << 63));
        vreinterpretq_f64_u64(veorq_u64(vreinterpretq_u64_f64(self), signs))
    }

    transposition_of_halves! { 2 vzip1q_f64 vzip2q_f64 }

    #[inline(always)]
    unsafe fn transpose_pairs(_: &mut [Self; MAX_LANES]) {}
}
