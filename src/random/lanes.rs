//! The intrinsics of the family, written once for the vectors of all instruction sets.

use super::run::{Run, Runs};
use crate::math::vector::{Int, Single};

/// Draws all numbers. `BLOCK` vectors advance in step, to hide the latency of each.
///
/// # Safety
/// `runs` has the arguments of a kernel call, and the CPU has the instruction set.
#[inline(always)]
pub(super) unsafe fn draw<V: Single, const BLOCK: usize, const UNIFORM: bool>(runs: Runs) {
    for run in runs {
        let mut i = 0;
        // SAFETY: the vectors and the tail are within the run.
        unsafe {
            while run.length - i >= BLOCK * V::Bits::LANES {
                vectors::<V, BLOCK, UNIFORM>(&run, i);
                i += BLOCK * V::Bits::LANES;
            }
            while run.length - i >= V::LANES {
                vectors::<V, 1, UNIFORM>(&run, i);
                i += V::LANES;
            }
            if i < run.length {
                rest::<V, UNIFORM>(&run, i);
            }
        }
    }
}

/// Draws `N` vectors of numbers from `i` on.
///
/// # Safety
/// They are within the run.
#[inline(always)]
unsafe fn vectors<V: Single, const N: usize, const UNIFORM: bool>(run: &Run, i: usize) {
    // SAFETY: the vectors are within the run.
    unsafe {
        let (mut y, mut t, mut x) = ([V::Bits::splat(0); N], [V::Bits::splat(0); N], [V::Bits::splat(0); N]);
        for v in 0..N {
            (y[v], t[v]) =
                (V::Bits::load(run.word.add(i + V::LANES * v)), V::Bits::load(run.next.add(i + V::LANES * v)));
            x[v] = V::Bits::load(run.partner.add(i + V::LANES * v));
        }
        twist::<V, N>(&mut y, t, x);
        for (v, y) in y.iter().enumerate() {
            y.store(run.word.add(i + V::LANES * v));
        }
        temper::<V, N, UNIFORM>(&mut y);
        for (v, y) in y.iter().enumerate() {
            y.store(run.dst.add(i + V::LANES * v));
        }
    }
}

/// Draws the numbers from `i` to the end of the run.
///
/// # Safety
/// There is at least one, and fewer than a vector holds.
#[inline(always)]
unsafe fn rest<V: Single, const UNIFORM: bool>(run: &Run, i: usize) {
    let n = run.length - i;
    // SAFETY: this many numbers are left in the run.
    unsafe {
        let mut y = [V::Bits::load_first(run.word.add(i), n)];
        let (next, partner) = (V::Bits::load_first(run.next.add(i), n), V::Bits::load_first(run.partner.add(i), n));
        twist::<V, 1>(&mut y, [next], [partner]);
        y[0].store_first(run.word.add(i), n);
        temper::<V, 1, UNIFORM>(&mut y);
        y[0].store_first(run.dst.add(i), n);
    }
}

/// Updates words; see [`twist`](super::scalar::twist). Like [`temper`], it does each step for all
/// vectors before the next step.
///
/// # Safety
/// The CPU has the instruction set.
#[inline(always)]
unsafe fn twist<V: Single, const N: usize>(y: &mut [V::Bits; N], mut next: [V::Bits; N], partner: [V::Bits; N]) {
    // SAFETY: the caller's contract.
    unsafe {
        let (upper, matrix) = (V::Bits::splat(0x8000_0000), V::Bits::splat(0x9908_b0df));
        for v in 0..N {
            y[v] = V::merge(upper, y[v], next[v]);
        }
        for v in 0..N {
            next[v] = V::where_odd(next[v], matrix);
            y[v] = y[v].shr::<1>();
        }
        for v in 0..N {
            y[v] = y[v].xor(next[v].xor(partner[v]));
        }
    }
}

/// Converts words to numbers; see [`temper`](super::scalar::temper) and
/// [`uniform`](super::scalar::uniform).
///
/// # Safety
/// The CPU has the instruction set.
#[inline(always)]
unsafe fn temper<V: Single, const N: usize, const UNIFORM: bool>(y: &mut [V::Bits; N]) {
    // SAFETY: the caller's contract.
    unsafe {
        let (mask_b, mask_c) = (V::Bits::splat(0x9d2c_5680), V::Bits::splat(0xefc6_0000));
        for y in &mut *y {
            *y = y.xor(y.shr::<11>());
        }
        for y in &mut *y {
            *y = y.xor(y.shl::<7>().and(mask_b));
        }
        for y in &mut *y {
            *y = y.xor(y.shl::<15>().and(mask_c));
        }
        for y in &mut *y {
            *y = y.xor(y.shr::<18>());
        }
        if UNIFORM {
            for y in y {
                *y = V::from_integers(y.shr::<8>()).mul(V::splat(1.0 / 16_777_216.0)).bits();
            }
        }
    }
}

/// Defines the kernels of an instruction set for its vectors of floats, with the number of vectors
/// that advance in step.
macro_rules! export_generators {
    ($isa:ident $vector:ident $block:literal) => {
        $crate::frame::isa::$isa! {
            pub(super) unsafe extern "C" fn mt19937_u32(
                state: *mut u32,
                lanes: usize,
                position: *mut usize,
                dst: *mut u32,
                n: usize,
            ) {
                // SAFETY: the caller's contract.
                unsafe { draw::<$vector, $block, false>(Runs { state, lanes, position, dst, n }) }
            }

            pub(super) unsafe extern "C" fn mt19937_f32(
                state: *mut u32,
                lanes: usize,
                position: *mut usize,
                dst: *mut f32,
                n: usize,
            ) {
                // SAFETY: the caller's contract.
                unsafe { draw::<$vector, $block, true>(Runs { state, lanes, position, dst: dst.cast(), n }) }
            }
        }
    };
}
pub(super) use export_generators;
