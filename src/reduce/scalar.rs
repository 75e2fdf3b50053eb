//! The references. Every variant gives their results bit for bit.
//!
//! The fixed lanes and the fixed tree are written out once, for both types; variants may finish
//! with these functions.

use super::contract::{
    BINNED_MAX, KAHAN_F32, KAHAN_F64, LANES_F32, LANES_F64, LEVELS, PAIRS_F32, PAIRS_F64, PRODUCTS_MAX, SPAN, STEP, TOP,
};
use crate::math::float::Float;
use crate::math::fused::magnitude;

/// Replaces any NaN by [`Float::NAN`], so that the result does not depend on payloads.
pub(super) fn canonical<T: Float>(x: T) -> T {
    if x.partial_cmp(&x).is_none() { T::NAN } else { x }
}

/// Adds lane l + half to lane l for half of the lanes, and repeats that until one lane is left. A
/// lane of -0 changes no sum.
pub(super) fn tree<T: Float>(lanes: &mut [T]) -> T {
    let mut half = lanes.len() / 2;
    while half > 0 {
        for l in 0..half {
            lanes[l] = lanes[l] + lanes[l + half];
        }
        half /= 2;
    }
    canonical(lanes[0])
}

/// Adds element i to lane i mod `L`; lanes start at -0. The sum of no elements is +0.
fn fold<T: Float, const L: usize>(n: usize, element: impl Fn(usize) -> T) -> T {
    let mut lanes = [-T::ZERO; L];
    for row in (0..n).step_by(L) {
        for (l, lane) in lanes.iter_mut().enumerate().take(n - row) {
            *lane = *lane + element(row + l);
        }
    }
    if n == 0 { T::ZERO } else { tree(&mut lanes) }
}

/// [`fold`] with the number of lanes of the type.
pub(super) fn fold_any<T: Float>(n: usize, element: impl Fn(usize) -> T) -> T {
    match size_of::<T>() {
        4 => fold::<_, LANES_F32>(n, element),
        _ => fold::<_, LANES_F64>(n, element),
    }
}

/// A sum and its compensation term: the rounding errors of its additions.
#[derive(Clone, Copy)]
pub(super) struct Pair<T> {
    pub sum: T,
    pub lost: T,
}

impl<T: Float> Pair<T> {
    pub(super) const ZERO: Self = Pair { sum: T::ZERO, lost: T::ZERO };

    /// Adds `x` by Knuth's two-sum. The rounding error and `lost` are added to the compensation
    /// term.
    pub(super) fn add(self, x: T, lost: T) -> Self {
        let sum = self.sum + x;
        let part = sum - self.sum;
        let error = (self.sum - (sum - part)) + (x - part);
        Pair { sum, lost: self.lost + (error + lost) }
    }
}

/// [`tree`] for pairs.
pub(super) fn pair_tree<T: Float>(lanes: &mut [Pair<T>]) -> T {
    let mut half = lanes.len() / 2;
    while half > 0 {
        for l in 0..half {
            lanes[l] = lanes[l].add(lanes[l + half].sum, lanes[l + half].lost);
        }
        half /= 2;
    }
    lanes[0].sum + lanes[0].lost
}

/// Adds element i and its rounding error to lane i mod `L`.
fn pairs<T: Float, const L: usize>(n: usize, element: impl Fn(usize) -> (T, T)) -> T {
    let mut lanes = [Pair::ZERO; L];
    for i in 0..n {
        let (x, lost) = element(i);
        lanes[i % L] = lanes[i % L].add(x, lost);
    }
    pair_tree(&mut lanes)
}

/// Overflow and elements that are not finite make the compensated result NaN. The plain result
/// replaces it then.
pub(super) fn or_plain<T: Float>(compensated: T, plain: impl FnOnce() -> T) -> T {
    if compensated.partial_cmp(&compensated).is_none() { plain() } else { compensated }
}

/// One step of Kahan's sum. `lost` is the excess of the rounded sum, which is the compensation term
/// with the opposite sign.
fn kahan_step<T: Float>(lane: Pair<T>, x: T) -> Pair<T> {
    let y = x - lane.lost;
    let sum = lane.sum + y;
    Pair { sum, lost: (sum - lane.sum) - y }
}

/// Negates the compensation terms of Kahan's lanes, then adds the lanes like other pairs.
pub(super) fn kahan_tree<T: Float>(lanes: &mut [Pair<T>]) -> T {
    for lane in &mut *lanes {
        lane.lost = T::ZERO - lane.lost;
    }
    pair_tree(lanes)
}

fn kahan<T: Float, const L: usize>(n: usize, element: impl Fn(usize) -> T) -> T {
    let mut lanes = [Pair::ZERO; L];
    for i in 0..n {
        lanes[i % L] = kahan_step(lanes[i % L], element(i));
    }
    kahan_tree(&mut lanes)
}

/// The integer nearest to `x / 2^exponent`, ties toward 0. `x` is finite and the magnitude of the
/// quotient is below 2^62.
fn nearest(x: f64, exponent: i32) -> i64 {
    let (mantissa, own) = magnitude(x);
    let rounded = match exponent - own {
        shift @ 1..=54 => (mantissa + ((1 << (shift - 1)) - 1)) >> shift,
        shift @ ..=0 => mantissa << -shift,
        _ => 0,
    };
    if x < 0.0 { -(rounded as i64) } else { rounded as i64 }
}

/// `2^exponent` for -1074 <= exponent <= 1023.
#[inline]
pub(super) fn power(exponent: i32) -> f64 {
    match exponent {
        -1022.. => f64::from_bits(((exponent + 1023) as u64) << 52),
        _ => f64::from_bits(1 << (exponent + 1074)),
    }
}

/// # Safety
/// `sums` points to [`LEVELS`] integers.
pub(super) unsafe fn binned(n: usize, exponent: i32, element: impl Fn(usize) -> f64, sums: *mut i64) -> u32 {
    debug_assert!(n <= BINNED_MAX);
    let limit = power(exponent + TOP);
    let mut all = [0i64; LEVELS];
    for i in 0..n {
        let mut x = element(i);
        if x.is_nan() || x.abs() >= limit {
            return 0;
        }
        for (sum, exponent) in all.iter_mut().zip(quanta(exponent)) {
            let part = nearest(x, exponent);
            *sum += part;
            // Exact: `part` has few bits, and the remainder starts below them.
            x -= part as f64 * power(exponent);
        }
    }
    // SAFETY: three integers.
    unsafe { put_binned(all, sums) }
    1
}

/// # Safety
/// `sums` points to [`LEVELS`] integers.
pub(super) unsafe fn products(n: usize, exponent: i32, pair: impl Fn(usize) -> [f64; 2], sums: *mut i64) -> u32 {
    debug_assert!(n <= PRODUCTS_MAX);
    let element = |i: usize| {
        let [x, y] = pair(i / 2);
        let product = x * y;
        match i % 2 {
            0 => product,
            _ => x.fma(y, -product),
        }
    };
    // SAFETY: the caller's contract.
    unsafe { binned(2 * n, exponent, element, sums) }
}

/// The exponents of the quanta of a binned sum, of which `exponent` is the last.
#[inline(always)]
pub(super) fn quanta(exponent: i32) -> [i32; LEVELS] {
    core::array::from_fn(|level| exponent + STEP * (LEVELS - 1 - level) as i32)
}

/// Adds to the sums of a caller.
///
/// # Safety
/// `sums` points to [`LEVELS`] integers.
#[inline(always)]
pub(super) unsafe fn put_binned(all: [i64; LEVELS], sums: *mut i64) {
    for (level, more) in all.into_iter().enumerate() {
        // SAFETY: the caller's contract.
        unsafe { sums.add(level).write_unaligned(sums.add(level).read_unaligned().wrapping_add(more)) }
    }
}

/// The exponent field of a magnitude; 1 for denormal numbers, which have the same last place.
pub(super) fn exponent_of(magnitude: f32) -> u32 {
    (magnitude.to_bits() >> 23).max(1)
}

/// Finishes [`exact_f32()`](super::exact_f32()), given the smallest magnitude other than 0, the largest
/// and the sum of the elements. The sum is not finite if an element is not.
///
/// # Safety
/// `range` points to two floats, `sum` to a double.
#[inline(always)]
pub(super) unsafe fn put_exact(of_elements: [f32; 2], total: f64, range: *mut f32, sum: *mut f64) -> u32 {
    // SAFETY: two floats, a double.
    unsafe {
        let mut all = range.cast::<[f32; 2]>().read_unaligned();
        if of_elements[0] < all[0] {
            all[0] = of_elements[0];
        }
        if of_elements[1] > all[1] {
            all[1] = of_elements[1];
        }
        if !total.is_finite() || exponent_of(all[1]).saturating_sub(exponent_of(all[0])) > SPAN {
            return 0;
        }
        range.cast::<[f32; 2]>().write_unaligned(all);
        sum.write_unaligned(total);
    }
    1
}

pub(super) unsafe extern "C" fn exact_f32(x: *const f32, n: usize, range: *mut f32, sum: *mut f64) -> u32 {
    let (mut least, mut largest, mut total) = (f32::INFINITY, 0.0f32, 0.0);
    for i in 0..n {
        // SAFETY: i < n, the elements of `x`.
        let x = unsafe { x.add(i).read_unaligned() };
        if x != 0.0 {
            least = least.min(x.abs());
        }
        largest = largest.max(x.abs());
        total += f64::from(x);
    }
    // SAFETY: the same contract.
    unsafe { put_exact([least, largest], total, range, sum) }
}

macro_rules! references {
    ($type:ident $lanes:ident $pairs:ident $kahan:ident $sum:ident $asum:ident $dot:ident $sum2:ident $dot2:ident
        $kahan_sum:ident $binned:ident $products:ident $column_sums:ident) => {
        pub(super) unsafe extern "C" fn $column_sums(
            m: usize,
            n: usize,
            x: *const $type,
            row: isize,
            sums: *mut $type,
        ) {
            for j in 0..n {
                // SAFETY: i < m and j < n, an element of the matrix and a sum.
                unsafe {
                    let sum = fold::<_, $lanes>(m, |i| x.offset(i as isize * row).add(j).read_unaligned());
                    sums.add(j).write_unaligned(sum);
                }
            }
        }

        pub(super) unsafe extern "C" fn $sum(x: *const $type, n: usize) -> $type {
            // SAFETY: i < n, the elements of `x`.
            fold::<_, $lanes>(n, |i| unsafe { x.add(i).read_unaligned() })
        }

        pub(super) unsafe extern "C" fn $asum(x: *const $type, n: usize) -> $type {
            // SAFETY: i < n, the elements of `x`.
            fold::<_, $lanes>(n, |i| unsafe { x.add(i).read_unaligned() }.abs())
        }

        pub(super) unsafe extern "C" fn $dot(x: *const $type, y: *const $type, n: usize) -> $type {
            // SAFETY: i < n, the elements of `x` and of `y`.
            fold::<_, $lanes>(n, |i| unsafe { x.add(i).read_unaligned() * y.add(i).read_unaligned() })
        }

        pub(super) unsafe extern "C" fn $sum2(x: *const $type, n: usize) -> $type {
            // SAFETY: i < n, the elements of `x`.
            let compensated = pairs::<_, $pairs>(n, |i| (unsafe { x.add(i).read_unaligned() }, 0.0));
            // SAFETY: the same contract.
            or_plain(compensated, || unsafe { $sum(x, n) })
        }

        pub(super) unsafe extern "C" fn $dot2(x: *const $type, y: *const $type, n: usize) -> $type {
            let compensated = pairs::<_, $pairs>(n, |i| {
                // SAFETY: i < n, the elements of `x` and of `y`.
                let (x, y) = unsafe { (x.add(i).read_unaligned(), y.add(i).read_unaligned()) };
                (x * y, x.fma(y, -(x * y)))
            });
            // SAFETY: the same contract.
            or_plain(compensated, || unsafe { $dot(x, y, n) })
        }

        pub(super) unsafe extern "C" fn $kahan_sum(x: *const $type, n: usize) -> $type {
            // SAFETY: i < n, the elements of `x`.
            let compensated = kahan::<_, $kahan>(n, |i| unsafe { x.add(i).read_unaligned() });
            // SAFETY: the same contract.
            or_plain(compensated, || unsafe { $sum(x, n) })
        }

        pub(super) unsafe extern "C" fn $binned(x: *const $type, n: usize, exponent: i32, sums: *mut i64) -> u32 {
            // SAFETY: `binned` passes i < n, the elements of `x`; `sums` has three integers.
            unsafe { binned(n, exponent, |i| x.add(i).read_unaligned().into(), sums) }
        }

        pub(super) unsafe extern "C" fn $products(
            x: *const $type,
            y: *const $type,
            n: usize,
            exponent: i32,
            sums: *mut i64,
        ) -> u32 {
            // SAFETY: i < n, the elements of `x` and of `y`.
            let pair = |i: usize| unsafe { [x.add(i).read_unaligned().into(), y.add(i).read_unaligned().into()] };
            // SAFETY: `sums` has three integers.
            unsafe { products(n, exponent, pair, sums) }
        }
    };
}
references! { f32 LANES_F32 PAIRS_F32 KAHAN_F32 sum_f32 asum_f32 dot_f32 sum2_f32 dot2_f32 kahan_f32 binned_f32
products_f32 column_sums_f32 }
references! { f64 LANES_F64 PAIRS_F64 KAHAN_F64 sum_f64 asum_f64 dot_f64 sum2_f64 dot2_f64 kahan_f64 binned_f64
products_f64 column_sums_f64 }
