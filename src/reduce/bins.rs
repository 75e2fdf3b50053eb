//! The binned sum, written once for the vectors of doubles of all instruction sets.

use super::contract::{BINNED_MAX, LEVELS, PRODUCTS_MAX, TOP};
use super::scalar::{self, power, put_binned, quanta};
use crate::math::float::Float;
use crate::math::vector::{BELOW_ONE, Exact, MAX_LANES, Wide, Words};

/// An element type; its elements are added as `f64`.
pub(super) trait Input: Float + Into<f64> {
    /// Whether products round in `f64`.
    const PRODUCTS_ROUND: bool;

    /// # Safety
    /// As for [`Vector`](crate::math::vector::Vector).
    unsafe fn load<V: Wide>(from: *const Self) -> V;
}

impl Input for f32 {
    const PRODUCTS_ROUND: bool = false;

    #[inline(always)]
    unsafe fn load<V: Wide>(from: *const f32) -> V {
        // SAFETY: the caller's contract.
        unsafe { V::widen(from) }
    }
}

impl Input for f64 {
    const PRODUCTS_ROUND: bool = true;

    #[inline(always)]
    unsafe fn load<V: Wide>(from: *const f64) -> V {
        // SAFETY: the caller's contract: a vector is readable.
        unsafe { V::load(from) }
    }
}

/// The lanes of a binned sum, `N` vectors for each quantum.
///
/// A number is added to a double so large that its last place is the quantum. The double then
/// changes by the nearest multiple of the quantum, and its bits change by the integer. The exponent
/// of the double stays the same: a lane adds at most 2^11 integers of magnitude at most 2^39, and
/// it has room for 2^51 in either direction.
struct Bins<V, const N: usize> {
    levels: [[V; N]; LEVELS],
    /// The upper 16 bits of the largest magnitudes.
    highest: V,
}

impl<V: Wide, const N: usize> Bins<V, N> {
    /// Lanes that have no numbers, with the values from which `integers` counts.
    ///
    /// # Safety
    /// As for [`Vector`](crate::math::vector::Vector).
    #[inline(always)]
    unsafe fn new(first: [f64; LEVELS]) -> Self {
        // SAFETY: the caller's contract.
        unsafe {
            // Closures in arguments would be calls without the instruction set.
            let mut levels = [[V::splat(0.0); N]; LEVELS];
            for (level, first) in levels.iter_mut().zip(first) {
                *level = [V::splat(first); N];
            }
            Bins { levels, highest: V::splat(0.0) }
        }
    }

    /// Adds a number to each lane.
    ///
    /// # Safety
    /// As for [`Vector`](crate::math::vector::Vector); `x` points to `N` vectors of numbers.
    #[inline(always)]
    unsafe fn add<T: Input>(&mut self, x: *const T) {
        const { assert!(N.is_multiple_of(2)) };
        // SAFETY: the caller's contract.
        unsafe {
            let below = V::splat(BELOW_ONE);
            for k in (0..N).step_by(2) {
                let x = x.add(k * V::LANES);
                let x: [V; 2] = [T::load(x), T::load(x.add(V::LANES))];
                for (j, x) in x.into_iter().enumerate() {
                    self.deposit(k + j, x, below);
                }
                self.highest = x[0].highest(x[1], self.highest);
            }
        }
    }

    /// Adds a product to each lane.
    ///
    /// # Safety
    /// As for [`add`](Self::add), of `x` and of `y`.
    #[inline(always)]
    unsafe fn add_products<T: Input>(&mut self, x: *const T, y: *const T)
    where
        V: Exact,
    {
        // SAFETY: the caller's contract.
        unsafe {
            let (below, above) = (V::splat(BELOW_ONE), V::splat(-BELOW_ONE));
            for k in (0..N).step_by(2) {
                let mut products = [V::splat(0.0); 2];
                for (j, product) in products.iter_mut().enumerate() {
                    let at = (k + j) * V::LANES;
                    let (x, y): (V, V) = (T::load(x.add(at)), T::load(y.add(at)));
                    if !T::PRODUCTS_ROUND {
                        *product = x.mul(y);
                        self.deposit(k + j, *product, below);
                        continue;
                    }
                    let mut excess;
                    (*product, excess) = x.two_product(y);
                    self.deposit(k + j, *product, below);
                    // The excess is below half of the coarsest quantum. It is subtracted.
                    for level in &mut self.levels[1..] {
                        let lane = &mut level[k + j];
                        let next = excess.nearest(*lane, above);
                        excess = excess.add(next.sub(*lane));
                        *lane = next;
                    }
                }
                self.highest = products[0].highest(products[1], self.highest);
            }
        }
    }

    /// Adds a vector of numbers to the lanes of vector `k`.
    ///
    /// # Safety
    /// As for [`Vector`](crate::math::vector::Vector).
    #[inline(always)]
    unsafe fn deposit(&mut self, k: usize, mut x: V, below: V) {
        for level in &mut self.levels {
            // SAFETY: the caller's contract.
            unsafe {
                let next = x.nearest(level[k], below);
                x = x.sub(next.sub(level[k]));
                level[k] = next;
            }
        }
    }

    /// Adds the integers to the sums of the caller. Returns 0, without a change, if a magnitude is
    /// not below the limit.
    ///
    /// # Safety
    /// As for [`Vector`](crate::math::vector::Vector); `sums` points to [`LEVELS`] integers.
    #[inline(always)]
    unsafe fn finish(self, first: [f64; LEVELS], exponent: i32, sums: *mut i64) -> u32 {
        let mut highest = [0.0; MAX_LANES];
        // SAFETY: the caller's contract; no vector is longer.
        unsafe {
            self.highest.store(highest.as_mut_ptr());
            // The limit is a power of two and normal, so comparing the upper bits suffices.
            let limit = power(exponent + TOP).to_bits() >> 48;
            let outside = |x: &f64| x.to_bits() >> 48 >= limit || x.to_bits() >> 16 & 0xffff >= limit;
            if highest[..V::LANES].iter().any(outside) {
                return 0;
            }
            let mut all = [0; LEVELS];
            for level in 0..LEVELS {
                all[level] = integers(self.levels[level], first[level]);
            }
            put_binned(all, sums);
        }
        1
    }
}

/// The sum of the integers of lanes that started at `first`.
///
/// # Safety
/// As for [`Vector`](crate::math::vector::Vector).
#[inline(always)]
unsafe fn integers<V: Wide, const N: usize>(lanes: [V; N], first: f64) -> i64 {
    let mut sums = [0; MAX_LANES];
    // SAFETY: the caller's contract; no vector is longer.
    unsafe {
        let mut all = lanes[0].bits();
        for lane in &lanes[1..] {
            all = all.add(lane.bits());
        }
        all.store(sums.as_mut_ptr());
    }
    let all = sums[..V::LANES].iter().fold(0u64, |all, &sum| all.wrapping_add(sum));
    all.wrapping_sub(first.to_bits().wrapping_mul((N * V::LANES) as u64)) as i64
}

/// The kernel with `L` lanes in `N` vectors.
///
/// # Safety
/// The contract of the kernel; the CPU has the instruction set.
#[inline(always)]
pub(super) unsafe fn binned<V: Wide, T: Input, const N: usize, const L: usize>(
    x: *const T,
    n: usize,
    exponent: i32,
    sums: *mut i64,
) -> u32 {
    const { assert!(L == N * V::LANES && BINNED_MAX / L < 1 << 11) };
    if V::MIN_LAST_PLACE > -1074 && exponent < V::MIN_LAST_PLACE {
        // SAFETY: i < n, and the caller's contract.
        return unsafe { scalar::binned(n, exponent, |i| x.add(i).read_unaligned().into(), sums) };
    }
    let first = first_of(exponent);
    // SAFETY: whole rows are within the n numbers, and the tail is copied from them; three sums.
    unsafe {
        let mut bins = Bins::<V, N>::new(first);
        for row in 0..n / L {
            bins.add(x.add(row * L));
        }
        if !n.is_multiple_of(L) {
            let mut last = [T::ZERO; L];
            for (i, last) in (n / L * L..n).zip(&mut last) {
                *last = x.add(i).read_unaligned();
            }
            bins.add(last.as_ptr());
        }
        bins.finish(first, exponent, sums)
    }
}

/// The values at which lanes start.
#[inline(always)]
fn first_of(exponent: i32) -> [f64; LEVELS] {
    quanta(exponent).map(|exponent| 1.5 * power(exponent + 52))
}

/// The kernel of products, as [`binned`].
///
/// # Safety
/// The contract of the kernel; the CPU has the instruction set.
#[inline(always)]
pub(super) unsafe fn products<V: Wide + Exact, T: Input, const N: usize, const L: usize>(
    x: *const T,
    y: *const T,
    n: usize,
    exponent: i32,
    sums: *mut i64,
) -> u32 {
    const { assert!(L == N * V::LANES && 2 * PRODUCTS_MAX / L <= BINNED_MAX / L) };
    if V::MIN_LAST_PLACE > -1074 && exponent < V::MIN_LAST_PLACE {
        let pair = |i: usize| {
            // SAFETY: i < n, and the caller's contract.
            unsafe { [x.add(i).read_unaligned().into(), y.add(i).read_unaligned().into()] }
        };
        // SAFETY: the caller's contract.
        return unsafe { scalar::products(n, exponent, pair, sums) };
    }
    let first = first_of(exponent);
    // SAFETY: whole rows are within the n pairs, and the tail is copied from them; three sums.
    unsafe {
        let mut bins = Bins::<V, N>::new(first);
        for row in 0..n / L {
            bins.add_products(x.add(row * L), y.add(row * L));
        }
        if !n.is_multiple_of(L) {
            let [mut x_last, mut y_last] = [[T::ZERO; L]; 2];
            for (k, i) in (n / L * L..n).enumerate() {
                (x_last[k], y_last[k]) = (x.add(i).read_unaligned(), y.add(i).read_unaligned());
            }
            bins.add_products(x_last.as_ptr(), y_last.as_ptr());
        }
        bins.finish(first, exponent, sums)
    }
}
