//! The vectors of the kernels, the stream of breaks, and the decisions of segments.

use core::f64::consts::{LN_2, SQRT_2};

use super::contract::{ATANH, END, write_breaks};
use super::scalar::breaks_one_by_one;
use crate::math::vector::{Fractional, Int, IntProduct, Integral, Mask, Single, Vector};

/// Maximum number of lanes.
pub(super) const MAX: usize = 16;

/// A vector of positions of slices, which are not negative.
///
/// # Safety
/// As for [`Vector`].
pub(super) trait Lanes: IntProduct + Int<Mask: Mask> {
    type Floats: Fractional<Bits = Self, Mask = Self::Mask>;
    type Doubles: Logarithm;

    unsafe fn min(self, b: Self) -> Self;
    unsafe fn max(self, b: Self) -> Self;
    /// Sorts a vector that is bitonic: first ascending, then descending.
    unsafe fn merge(self) -> Self;
    unsafe fn reverse(self) -> Self;
    /// The lanes of `self` but the first, then the first lane of `following`.
    unsafe fn next(self, following: Self) -> Self;
    /// The lanes of the lower bits.
    unsafe fn lanes_of(bits: u32) -> Self::Mask;
    unsafe fn sum(self) -> u32;
    /// Signed integers as doubles.
    unsafe fn widen(self) -> [Self::Doubles; 2];
    unsafe fn narrow(doubles: [Self::Doubles; 2]) -> Self::Floats;
    /// Writes the lanes of the lower bits one after the other, and at most `LANES` words.
    unsafe fn compress(self, bits: u32, to: *mut u32);
}

/// A vector of doubles with the operations of a logarithm.
///
/// # Safety
/// As for [`Vector`].
pub(super) trait Logarithm: Integral {
    /// The exponent of each positive normal number, as a double.
    unsafe fn exponent(self) -> Self;
    /// Its mantissa, at least 1 and less than 2.
    unsafe fn mantissa(self) -> Self;
    /// Writes `LANES` integers, rounded down; values are 0 to 2^31 - 1.
    unsafe fn store_integers(self, to: *mut u32);
}

/// One bit for each lane of a mask.
#[inline(always)]
pub(super) unsafe fn bits<V: Lanes>(mask: V::Mask) -> u32 {
    // SAFETY: the CPU has the instruction set.
    unsafe { Mask::bits(mask) }
}

/// [`super::contract::ln_of_random`] of `LANES` words.
#[inline(always)]
unsafe fn ln_of_random<D: Logarithm>(words: *const u64) -> D {
    // SAFETY: the caller's words; the CPU has the instruction set.
    unsafe {
        let (one, half) = (D::splat(1.0), D::splat(0.5));
        let u = D::upper_52(words).add(half).mul(D::splat(f64::from_bits((1023 - 52) << 52)));
        let (exponent, mantissa) = (u.exponent(), u.mantissa());
        let is_large = D::splat(SQRT_2).less(mantissa);
        let exponent = exponent.add(one.keep(is_large));
        let f = D::select(is_large, mantissa.mul(half), mantissa).sub(one);
        let s = f.div(f.add(D::splat(2.0)));
        let q = s.mul(s);
        let mut series = D::splat(ATANH[6]);
        for &term in ATANH[..6].iter().rev() {
            series = series.mul(q).add(D::splat(term));
        }
        let half = series.mul(q).mul(s).add(s);
        exponent.mul(D::splat(LN_2)).add(half.add(half))
    }
}

/// # Safety
/// As for [`super::worldline_breaks()`].
#[inline(always)]
pub(super) unsafe fn breaks<D: Logarithm>(random: *const u32, n: usize, scale: f64, start: u32, breaks: *mut u32) {
    // A running sum over fewer gaps would be unrolled, and assembled to vectors again.
    const BLOCK: usize = 64;
    const UNIT: usize = 16;
    // SAFETY: the caller's arrays.
    unsafe {
        let (mut end, mut done) = (u64::from(start), 0);
        let (scale_of_all, max) = (D::splat(scale), D::splat(f64::from(END - 1)));
        while n - done >= UNIT {
            let mut gaps = [0u32; BLOCK];
            let count = ((n - done) / UNIT * UNIT).min(BLOCK);
            for k in (0..count).step_by(D::LANES) {
                let skips = ln_of_random::<D>(random.add(2 * (done + k)).cast()).mul(scale_of_all);
                skips.min(max).store_integers(gaps.as_mut_ptr().add(k));
            }
            gaps.iter_mut().for_each(|gap| *gap += 1);
            end = write_breaks(&gaps[..count], end, breaks.add(done));
            done += count;
        }
        breaks_one_by_one(random.add(2 * done), n - done, scale, end, breaks.add(done));
    }
}

/// Distance of `u (1 + exp(x))` from 1 within which a decision is in doubt. See the errors below.
const DOUBT: f32 = 3e-5;

/// `1 / k!` for k = 6 .. 0.
const TAYLOR: [f32; 7] = [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0];

/// For each lane, whether it becomes +1 with the exponent `x` and a random number, and whether this is in doubt.
///
/// The random number `r` stands for `u = r / 2^32`, with an error of at most one unit; below 2^16 it is always in
/// doubt, so this error is at most 1.6e-5 of `u`. A decision is close only if `|x| < 11.1` or if `exp(x)` is small
/// beside 1; there, rounding `x` and its product by `log2(e)` has an error of at most 3e-6, and the polynomial of 1e-6.
#[inline(always)]
pub(super) unsafe fn decide<V: Lanes>(x: V::Floats, random: *const u32) -> (u32, u32) {
    type F<V> = <V as Lanes>::Floats;
    // SAFETY: the caller's random numbers; the CPU has the instruction set.
    unsafe {
        let splat = |x: f32| F::<V>::splat(x);
        let y = x.max(splat(-60.0)).min(splat(60.0)).mul(splat(core::f32::consts::LOG2_E));
        let n = y.integral();
        let t = y.sub(n).mul(splat(core::f32::consts::LN_2));
        let mut series = splat(TAYLOR[0]);
        for &term in &TAYLOR[1..] {
            series = series.mul(t).add(splat(term));
        }
        let weight = series.scale(n);
        let r = V::load(random);
        let u = F::<V>::from_integers(r.shr::<1>()).add(splat(0.5)).mul(splat(f32::from_bits((127 - 31) << 23)));
        let q = u.mul(weight.add(splat(1.0)));
        let up = bits::<V>(q.less(splat(1.0 - DOUBT)));
        let close = bits::<V>(q.less(splat(1.0 + DOUBT))) & !up;
        let small = bits::<V>(r.shr::<16>().equals(V::splat(0)));
        (up, close | small)
    }
}

/// Exports the other kernels of an instruction set, given its vectors and the number of them with 16 boundaries.
macro_rules! export_worldline_kernels {
    ($isa:ident $ints:ident $doubles:ident $vectors:literal) => {
        $isa! {
            pub(super) unsafe extern "C" fn worldline_breaks(
                random: *const u32,
                n: usize,
                scale: f64,
                start: u32,
                to: *mut u32,
            ) {
                // SAFETY: the caller's contract.
                unsafe { $crate::ising::worldline::lanes::breaks::<$doubles>(random, n, scale, start, to) }
            }

            pub(super) unsafe extern "C" fn worldline_overlaps(
                lines: *const $crate::ising::worldline::Worldline,
                kinks: *const i32,
                stride: usize,
                row: usize,
                others: *const u32,
                n: usize,
                to: *mut i32,
            ) {
                // SAFETY: the caller's contract.
                unsafe {
                    $crate::ising::worldline::update::overlaps::<$ints, $vectors>(
                        lines, kinks, stride, row, others, n, to,
                    )
                }
            }
        }
    };
}
pub(super) use export_worldline_kernels;
