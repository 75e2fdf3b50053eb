//! The vectors of the kernels, the stream of breaks, and the decisions of segments.

use core::f64::consts::{LN_2, SQRT_2};

use super::contract::{ATANH, END};
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
    /// `min(max(self, begin), end)`. All are at most [`FAR`](super::contract::FAR).
    #[inline(always)]
    unsafe fn clamp(self, begin: Self, end: Self) -> Self {
        // SAFETY: the CPU has the instruction set.
        unsafe { self.max(begin).min(end) }
    }
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
    /// The first lane in all lanes.
    unsafe fn first(self) -> Self;
    /// `a * b + c`, fused or not.
    unsafe fn plus_product(a: Self::Floats, b: Self::Floats, c: Self::Floats) -> Self::Floats;
    /// `2^y` with a relative error of at most 3e-6, or a number at least as far from 1 if it is not within 2^-126 and
    /// 2^126.
    unsafe fn power_of_2(y: Self::Floats) -> Self::Floats;
    /// 2^32 in the units of [`units`](Self::units).
    const RANGE: f32;
    /// Unsigned integers as floats, with an error of at most one before the rounding.
    unsafe fn units(self) -> Self::Floats;
    /// Doubles from 0 to 2^31 - 1, rounded down.
    unsafe fn truncate(doubles: [Self::Doubles; 2]) -> Self;
    /// For each lane, the minimum with 2^31 - 1, as unsigned integers.
    unsafe fn capped(self) -> Self;
    /// For each lane, the minimum of 2^31 - 1 and the sum of the lanes up to it; these are at most 2^31 - 1.
    unsafe fn running_sums(self) -> Self;
    /// The last lane in all lanes.
    unsafe fn last(self) -> Self;
    /// Writes the lanes of the lower bits one after the other, and at most `LANES` words.
    unsafe fn compress(self, bits: u32, to: *mut u32);
}

/// Carries from the fraction of a double into its exponent if the fraction is above that of the square root of 2.
pub(super) const CARRY: u64 = (1 << 52) - ((SQRT_2.to_bits() + 1) % (1 << 52));

/// A vector of doubles with the operations of a logarithm.
///
/// # Safety
/// As for [`Vector`].
pub(super) trait Logarithm: Integral {
    /// The upper 52 bits of each of `LANES` words, in units of 2^-52, plus 1.
    unsafe fn upper_52_above_1(words: *const u64) -> Self;
    /// The exponent of each positive normal number, as a double, and its mantissa: at most the square root of 2, and
    /// more than half of it.
    unsafe fn split(self) -> (Self, Self);
    /// The lanes of `self` but the first, then the first lane of `following`.
    unsafe fn next(self, following: Self) -> Self;
    /// The first lane in all lanes.
    unsafe fn first(self) -> Self;
    /// The lanes of the lower bits.
    unsafe fn lanes_of(bits: u32) -> Self::Mask;
    /// `end` in the lanes of the lower bits.
    #[inline(always)]
    unsafe fn with_end(self, bits: u32, end: Self) -> Self {
        // SAFETY: the CPU has the instruction set.
        unsafe { Self::select(Self::lanes_of(bits), end, self) }
    }
}

/// One bit for each lane of a mask.
#[inline(always)]
pub(super) unsafe fn bits<V: Lanes>(mask: V::Mask) -> u32 {
    // SAFETY: the CPU has the instruction set.
    unsafe { Mask::bits(mask) }
}

/// Coefficients of `2 atanh(s) / s^2 - 2 / s = z / 4 (c[0] + c[1] z / 4 + ..)`, where `z = 4 s^2`. Factors of powers of
/// two leave the roundings as they are.
const SCALED: [f64; 7] = {
    let (mut terms, mut k, mut factor) = (ATANH, 0, 0.25);
    while k < 7 {
        terms[k] *= factor;
        factor *= 0.25;
        k += 1;
    }
    terms
};

/// [`super::contract::ln_of_random`] of `LANES` words in each of `N` vectors, whose chains of operations overlap.
#[inline(always)]
unsafe fn ln_of_random<D: Logarithm, const N: usize>(words: *const u64) -> [D; N] {
    // SAFETY: the caller's words; the CPU has the instruction set.
    unsafe {
        let half = D::splat(0.5);
        let mut result = [half; N];
        let (mut s, mut q, mut series) = (result, result, [D::splat(SCALED[6]); N]);
        for k in 0..N {
            // 1 + w / 2^52, less 1 - 2^-53: exact.
            let u = D::upper_52_above_1(words.add(k * D::LANES)).sub(D::splat(1.0 - f64::EPSILON / 2.0));
            let (exponent, mantissa) = u.split();
            result[k] = exponent.mul(D::splat(LN_2));
            // Twice the s of the contract: the quotient of f and (f + 2) / 2.
            s[k] = mantissa.sub(D::splat(1.0)).div(half.plus_product(mantissa, half));
            q[k] = s[k].mul(s[k]);
        }
        for &term in SCALED[..6].iter().rev() {
            for k in 0..N {
                series[k] = series[k].mul(q[k]).add(D::splat(term));
            }
        }
        for k in 0..N {
            result[k] = result[k].add(series[k].mul(q[k]).mul(s[k]).add(s[k]));
        }
        result
    }
}

/// Draws breaks. All lanes of `end` are the position after the last break, before and after the call.
#[inline(always)]
unsafe fn breaks_of<V: Lanes, const N: usize>(random: *const u32, scale: f64, end: &mut V, breaks: *mut u32) {
    // SAFETY: the caller's arrays; the CPU has the instruction set.
    unsafe {
        let (scale, max, one) = (V::Doubles::splat(scale), V::Doubles::splat(f64::from(END - 1)), V::splat(1));
        let logarithms = ln_of_random::<V::Doubles, N>(random.cast());
        for (k, pair) in logarithms.chunks_exact(2).enumerate() {
            let gaps = V::truncate([pair[0].mul(scale).min(max), pair[1].mul(scale).min(max)]).add(one);
            let ends = gaps.running_sums().add(*end).capped();
            ends.sub(one).store(breaks.add(k * V::LANES));
            *end = ends.last();
        }
    }
}

/// # Safety
/// As for [`super::worldline_breaks()`].
#[inline(always)]
pub(super) unsafe fn breaks<V: Lanes>(random: *const u32, n: usize, scale: f64, start: u32, breaks: *mut u32) {
    // SAFETY: the caller's arrays.
    unsafe {
        let (mut end, mut done) = (V::splat(start), 0);
        while n - done >= 2 * V::LANES {
            breaks_of::<V, 4>(random.add(2 * done), scale, &mut end, breaks.add(done));
            done += 2 * V::LANES;
        }
        if n - done >= V::LANES {
            breaks_of::<V, 2>(random.add(2 * done), scale, &mut end, breaks.add(done));
            done += V::LANES;
        }
        let mut ends = [0; MAX];
        end.store(ends.as_mut_ptr());
        breaks_one_by_one(random.add(2 * done), n - done, scale, u64::from(ends[0]), breaks.add(done));
    }
}

/// Distance of `u (1 + 2^y)` from 1 within which a decision is in doubt. See the errors below.
const DOUBT: f32 = 3e-5;

/// Coefficients of `2^t` for t from 0 to 1, highest first: relative error 2.6e-6.
const POWERS: [f32; 5] = [0.013_534_17, 0.052_011_46, 0.241_442_76, 0.693_003_83, 1.000_002_6];

/// The sum of [`POWERS`].
#[inline(always)]
pub(super) unsafe fn powers<V: Lanes>(t: V::Floats) -> V::Floats {
    // SAFETY: the CPU has the instruction set.
    unsafe {
        let mut sum = V::Floats::splat(POWERS[0]);
        for &term in &POWERS[1..] {
            sum = V::plus_product(sum, t, V::Floats::splat(term));
        }
        sum
    }
}

/// [`Lanes::power_of_2`] by the bits of floats.
#[inline(always)]
pub(super) unsafe fn power_of_2_by_bits<V: Lanes>(y: V::Floats) -> V::Floats {
    // SAFETY: the CPU has the instruction set.
    unsafe {
        let y = y.max(V::Floats::splat(-126.0)).min(V::Floats::splat(126.0));
        let below = y.sub(V::Floats::splat(0.5)).round();
        let sum = powers::<V>(y.sub(V::Floats::from_integers(below)));
        V::Floats::from_bits(sum.bits().add(below.shl::<23>()))
    }
}

/// For each lane, whether it becomes +1 with the exponent `y`, in units of ln 2, and a random number, and whether this
/// is in doubt.
///
/// The random number `r` stands for `u = r / 2^32`, with an error of at most one unit; below 2^16 it is always in
/// doubt, so this error is at most 1.6e-5 of `u`. A decision is close only if `|y| < 16.1` or if `2^y` is small beside
/// 1; there, rounding `y` has an error of at most 2e-6, and `2^y` of 3e-6.
#[inline(always)]
pub(super) unsafe fn decide<V: Lanes>(y: V::Floats, random: *const u32) -> (u32, u32) {
    // SAFETY: the caller's random numbers; the CPU has the instruction set.
    unsafe {
        let r = V::load(random);
        let u = r.units();
        let q = V::plus_product(u, V::power_of_2(y), u);
        let up = bits::<V>(q.less(V::Floats::splat(V::RANGE * (1.0 - DOUBT))));
        let close = bits::<V>(q.less(V::Floats::splat(V::RANGE * (1.0 + DOUBT)))) & !up;
        let small = bits::<V>(r.shr::<16>().equals(V::splat(0)));
        (up, close | small)
    }
}

/// Exports the other kernels of an instruction set, given its vectors and the number of them in a window.
macro_rules! export_worldline_kernels {
    ($isa:ident $ints:ident $vectors:literal) => {
        $isa! {
            pub(super) unsafe extern "C" fn worldline_breaks(
                random: *const u32,
                n: usize,
                scale: f64,
                start: u32,
                to: *mut u32,
            ) {
                // SAFETY: the caller's contract.
                unsafe { $crate::ising::worldline::lanes::breaks::<$ints>(random, n, scale, start, to) }
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
                    $crate::ising::worldline::prefix::overlaps::<$ints, $vectors>(
                        lines, kinks, stride, row, others, n, to,
                    )
                }
            }
        }
    };
}
pub(super) use export_worldline_kernels;
