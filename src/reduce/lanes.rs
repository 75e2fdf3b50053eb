//! The intrinsics of the family, written once for the vectors of all instruction sets.
//!
//! A row is one element for every lane. A group is `N` vectors of lanes whose state stays in
//! registers. If one group holds all lanes, it processes the rows from the first to the last.
//! Otherwise the groups take turns, a few rows at a time; each group reads different cache lines.
//! The elements after the last whole row fill vectors, the last one in part.

use core::mem::MaybeUninit;

use super::scalar::canonical;
use super::steps::{Step, one, two_sum};
use crate::math::float::Float;
use crate::math::vector::{Exact, MAX_LANES, Vector};

/// Processes `rows` rows of `lanes` elements from `row` on for the `N` vectors of lanes from lane
/// `first` on.
///
/// # Safety
/// As for [`Step`]; the rows and the lanes exist.
#[inline(always)]
unsafe fn group<V: Vector, const S: usize, const N: usize>(
    step: impl Step<V, S>,
    state: &mut [[V; S]; N],
    lanes: usize,
    first: usize,
    row: usize,
    rows: usize,
) {
    for row in row..row + rows {
        for (k, state) in state.iter_mut().enumerate() {
            // SAFETY: the caller's contract.
            *state = unsafe { step.add(*state, step.load(row * lanes + first + k * V::LANES), k % 2 == 1) };
        }
    }
}

/// Runs a statement for half of the lanes of a vector, a quarter of them and so on down to 1.
macro_rules! for_each_half {
    ($vector:ident, $half:ident => $step:expr) => {
        for_each_half! { @ $vector, $half => $step, 8 4 2 1 }
    };
    (@ $vector:ident, $half:ident => $step:expr, $($lanes:literal)+) => {$(
        if $vector::LANES > $lanes {
            let $half = $lanes;
            $step;
        }
    )+};
}
pub(super) use for_each_half;

/// The lanes after all `n` elements, one group of `N` vectors. Lanes without an element are
/// `empty`.
///
/// # Safety
/// As for [`Step`].
#[inline(always)]
unsafe fn in_registers<V: Vector, const S: usize, const N: usize>(
    step: impl Step<V, S>,
    empty: [V; S],
    n: usize,
) -> [[V; S]; N] {
    let lanes = const { N * V::LANES };
    let mut state = [empty; N];
    // SAFETY: the rows and the elements after them are within the n elements.
    unsafe {
        if n < lanes {
            for (k, state) in state.iter_mut().enumerate() {
                let Some(left) = n.checked_sub(k * V::LANES).filter(|&left| left > 0) else { break };
                *state = step.start_rest(empty, k * V::LANES, left);
            }
            return state;
        }
        for (k, state) in state.iter_mut().enumerate() {
            *state = step.start(step.load(k * V::LANES));
        }
        group(step, &mut state, lanes, 0, 1, n / lanes - 1);
        for (k, state) in state.iter_mut().enumerate() {
            let Some(left) = (n % lanes).checked_sub(k * V::LANES).filter(|&left| left > 0) else { break };
            *state = step.add_rest(*state, n / lanes * lanes + k * V::LANES, left, k % 2 == 1);
        }
    }
    state
}

/// Reduces with one number per lane, all of them in registers.
///
/// # Safety
/// As for [`Step`].
#[inline(always)]
pub(super) unsafe fn plain<V: Vector, const N: usize, const L: usize>(step: impl Step<V, 1>, n: usize) -> V::Element {
    const { assert!(N * V::LANES == L) };
    if n == 0 {
        return V::Element::ZERO;
    }
    // SAFETY: the caller's contract.
    unsafe {
        let mut sum = one_vector::<V, N>(step, n);
        for_each_half! { V, half => sum = sum.add(sum.upper(half)) }
        canonical(first(sum))
    }
}

/// The first vector of lanes of the tree, before it is halved itself.
///
/// # Safety
/// As for [`Step`].
#[inline(always)]
unsafe fn one_vector<V: Vector, const N: usize>(step: impl Step<V, 1>, n: usize) -> V {
    // SAFETY: the caller's contract.
    unsafe {
        let mut state = in_registers::<V, 1, N>(step, [V::splat(-V::Element::ZERO)], n);
        let (used, mut half) = (n.div_ceil(V::LANES), N / 2);
        while half > 0 {
            if used > half {
                for k in 0..half {
                    state[k] = [state[k][0].add(state[k + half][0])];
                }
            }
            half /= 2;
        }
        let [sum] = state[0];
        sum
    }
}

/// Two sums: of the terms with even indices and of those with odd ones, each in the order of
/// [`plain`]. `N` vectors have the lanes of both in turn.
///
/// # Safety
/// As for [`Step`].
#[inline(always)]
pub(super) unsafe fn alternating<V: Vector, const N: usize, const L: usize>(
    step: impl Step<V, 1>,
    n: usize,
) -> [V::Element; 2] {
    const { assert!(N * V::LANES == 2 * L) };
    let mut all = [V::Element::ZERO; MAX_LANES];
    if n > 0 {
        // SAFETY: the caller's contract; no vector is longer.
        unsafe {
            let mut sum = one_vector::<V, N>(step, n);
            for_each_half! { V, half => if half > 1 { sum = sum.add(sum.upper(half)) } }
            sum.store(all.as_mut_ptr());
        }
    }
    [canonical(all[0]), if n < 2 { V::Element::ZERO } else { canonical(all[1]) }]
}

/// The first element of a vector.
///
/// # Safety
/// As for [`Vector`].
#[inline(always)]
pub(super) unsafe fn first<V: Vector>(vector: V) -> V::Element {
    let mut all = [V::Element::ZERO; MAX_LANES];
    // SAFETY: the caller's contract; no vector is longer.
    unsafe { vector.store(all.as_mut_ptr()) };
    all[0]
}

/// Lanes aligned to cache lines, so that no vector of lanes crosses one.
#[repr(align(64))]
struct AlignedLanes<T, const L: usize>(MaybeUninit<[[T; L]; 2]>);

/// The sums of the lanes from `l` on, and their compensation terms, which begin at lane `L`.
///
/// # Safety
/// The lanes are written, and the CPU has the instruction set.
#[inline(always)]
unsafe fn load<V: Vector, const L: usize>(lanes: *const V::Element, l: usize) -> [V; 2] {
    // SAFETY: the caller's contract.
    unsafe { [V::load(lanes.add(l)), V::load(lanes.add(L + l))] }
}

/// Writes what [`load`] reads.
///
/// # Safety
/// The lanes exist, and the CPU has the instruction set.
#[inline(always)]
unsafe fn store<V: Vector, const L: usize>(lanes: *mut V::Element, l: usize, [sums, lost]: [V; 2]) {
    // SAFETY: the caller's contract.
    unsafe {
        sums.store(lanes.add(l));
        lost.store(lanes.add(L + l));
    }
}

/// Adds two vectors of lanes. The reference's order of additions is kept.
///
/// # Safety
/// As for [`Vector`].
#[inline(always)]
unsafe fn add_pairs<V: Exact>([sum, lost]: [V; 2], [x, more]: [V; 2], one: V) -> [V; 2] {
    // SAFETY: the caller's contract.
    unsafe {
        let (sum, error) = two_sum(sum, x, one);
        [sum, lost.add(error.add(more))]
    }
}

/// Vectors of lanes that [`paired`] keeps in registers, if they hold all elements.
const SHORT: usize = 8;

/// Reduces with a sum and its compensation term per lane; a group takes `ROWS` rows at a time. The
/// tree has the order of the reference.
///
/// Vectors of lanes without an element stay out of the tree. Their pairs of zeros would change no
/// finite pair, because sums and compensation terms are never -0, and leave the compensation term of
/// a pair NaN if its sum is not finite. So does the tree within a vector.
///
/// # Safety
/// As for [`Step`].
#[inline(always)]
pub(super) unsafe fn paired<V: Exact, const N: usize, const L: usize, const ROWS: usize>(
    step: impl Step<V, 2>,
    n: usize,
) -> V::Element {
    // SAFETY: the caller's contract.
    unsafe {
        let one = one();
        let mut pair = if N * V::LANES == L {
            one_group::<V, N>(step, n, one)
        } else if SHORT * V::LANES <= L && n <= SHORT * V::LANES {
            one_group::<V, SHORT>(step, n, one)
        } else {
            in_memory::<V, N, L, ROWS>(step, n, one)
        };
        for_each_half! { V, half => pair = add_pairs(pair, [pair[0].upper(half), pair[1].upper(half)], one) }
        first(pair[0]) + first(pair[1])
    }
}

/// Reduces to one vector of lanes in registers: any number of elements if `N` vectors hold all
/// lanes, else at most one for each lane of the `N` vectors.
///
/// # Safety
/// As for [`Step`].
#[inline(always)]
unsafe fn one_group<V: Exact, const N: usize>(step: impl Step<V, 2>, n: usize, one: V) -> [V; 2] {
    // SAFETY: the caller's contract.
    unsafe {
        let mut state = in_registers::<V, 2, N>(step, [V::splat(V::Element::ZERO); 2], n);
        let (used, mut half) = (n.div_ceil(V::LANES), N / 2);
        while half > 0 {
            if used > half {
                for k in 0..half {
                    state[k] = add_pairs(state[k], state[k + half], one);
                }
            }
            half /= 2;
        }
        state[0]
    }
}

/// Reduces any number of elements to one vector of lanes, groups in turn.
///
/// # Safety
/// As for [`Step`].
#[inline(always)]
unsafe fn in_memory<V: Exact, const N: usize, const L: usize, const ROWS: usize>(
    step: impl Step<V, 2>,
    n: usize,
    one: V,
) -> [V; 2] {
    let mut lanes = AlignedLanes::<V::Element, L>(MaybeUninit::uninit());
    let lanes = lanes.0.as_mut_ptr().cast::<V::Element>();
    let used = if n < L { n.next_power_of_two().max(V::LANES) } else { L };
    // SAFETY: the rows and the elements after them are within the n elements. Vectors of lanes are
    // within those used, which are written first.
    unsafe {
        for l in (0..used).step_by(V::LANES) {
            let empty = [V::splat(V::Element::ZERO); 2];
            store::<V, L>(lanes, l, if l < n { step.start_rest(empty, l, n - l) } else { empty });
        }
        if n > L {
            let rows = n / L;
            let whole = 1 + (rows - 1) / ROWS * ROWS;
            for row in (1..whole).step_by(ROWS) {
                turn::<V, N, L>(step, lanes, row, ROWS);
            }
            if whole < rows {
                turn::<V, N, L>(step, lanes, whole, rows - whole);
            }
            for l in (0..n % L).step_by(V::LANES) {
                store::<V, L>(lanes, l, step.add_rest(load::<V, L>(lanes, l), rows * L + l, n % L - l, false));
            }
        }
        let mut half = used / 2;
        while half >= V::LANES {
            for l in (0..half).step_by(V::LANES) {
                store::<V, L>(lanes, l, add_pairs(load::<V, L>(lanes, l), load::<V, L>(lanes, l + half), one));
            }
            half /= 2;
        }
        load::<V, L>(lanes, 0)
    }
}

/// Processes `rows` rows from `row` on, group by group.
///
/// # Safety
/// As for [`group`].
#[inline(always)]
unsafe fn turn<V: Exact, const N: usize, const L: usize>(
    step: impl Step<V, 2>,
    lanes: *mut V::Element,
    row: usize,
    rows: usize,
) {
    for first in (0..L).step_by(N * V::LANES) {
        // SAFETY: the caller's contract.
        unsafe {
            let mut state = [[V::splat(V::Element::ZERO); 2]; N];
            for (k, state) in state.iter_mut().enumerate() {
                *state = load::<V, L>(lanes, first + k * V::LANES);
            }
            group(step, &mut state, L, first, row, rows);
            for (k, state) in state.into_iter().enumerate() {
                store::<V, L>(lanes, first + k * V::LANES, state);
            }
        }
    }
}

/// Defines the kernels of an instruction set for its vectors of floats and of doubles. `[vectors]`
/// is the number of vectors that hold all lanes of plain sums; column sums take as many.
/// `[vectors rows]` is the size of a group and the rows that it takes at a time, for Sum2, Dot2 and
/// Kahan's sum in this order. `[vectors lanes]` is the
/// number of vectors of a sum of the binned sum and of their lanes. The last bracket
/// holds the vectors of the exact sum, if there is one.
macro_rules! export_reductions {
    ($isa:ident $floats:ident $doubles:ident
     [$n:literal] [$n2:literal $rows2:literal] [$nd:literal $rowsd:literal] [$nk:literal $rowsk:literal]
     [$bins:literal $lanes_b:literal] $([$exact_floats:ident $exact_doubles:ident])?) => {
        lanes::export_reductions! {
            $isa f32 $floats $doubles sum_f32 asum_f32 dot_f32 [$n; LANES_F32] sum2_f32 [$n2 $rows2]
            dot2_f32 [$nd $rowsd; PAIRS_F32] kahan_f32 [$nk $rowsk; KAHAN_F32] binned_f32 products_f32
            [$bins $lanes_b] column_sums_f32
        }
        lanes::export_reductions! {
            $isa f64 $doubles $doubles sum_f64 asum_f64 dot_f64 [$n; LANES_F64] sum2_f64 [$n2 $rows2]
            dot2_f64 [$nd $rowsd; PAIRS_F64] kahan_f64 [$nk $rowsk; KAHAN_F64] binned_f64 products_f64
            [$bins $lanes_b] column_sums_f64
        }
        $(crate::frame::isa::$isa! {
            pub(super) unsafe extern "C" fn exact_f32(x: *const f32, n: usize, range: *mut f32, sum: *mut f64) -> u32 {
                // SAFETY: the contract of the kernel: `x` has n elements, `range` two, `sum` one.
                unsafe { crate::reduce::exact::exact::<$exact_floats, $exact_doubles>(x, n, range, sum) }
            }
        })?
    };
    ($isa:ident $type:ident $vector:ident $doubles:ident
     $sum:ident $asum:ident $dot:ident [$n:literal; $lanes:ident]
     $sum2:ident [$n2:literal $rows2:literal] $dot2:ident [$nd:literal $rowsd:literal; $pairs:ident]
     $kahan_sum:ident [$nk:literal $rowsk:literal; $kahan:ident] $binned:ident $products:ident
     [$bins:literal $lanes_b:literal] $column_sums:ident) => {
        crate::frame::isa::$isa! {
            pub(super) unsafe extern "C" fn $sum(x: *const $type, n: usize) -> $type {
                // SAFETY: the contract of the kernel: `x` has n elements.
                unsafe { lanes::plain::<$vector, $n, {$crate::reduce::contract::$lanes}>(steps::Sum(x), n) }
            }

            pub(super) unsafe extern "C" fn $asum(x: *const $type, n: usize) -> $type {
                // SAFETY: the contract of the kernel: `x` has n elements.
                unsafe { lanes::plain::<$vector, $n, {$crate::reduce::contract::$lanes}>(steps::Asum(x), n) }
            }

            pub(super) unsafe extern "C" fn $dot(x: *const $type, y: *const $type, n: usize) -> $type {
                // SAFETY: the contract of the kernel: `x` and `y` have n elements.
                unsafe { lanes::plain::<$vector, $n, {$crate::reduce::contract::$lanes}>(steps::Dot(x, y), n) }
            }

            pub(super) unsafe extern "C" fn $sum2(x: *const $type, n: usize) -> $type {
                // SAFETY: the contract of the kernel: `x` has n elements.
                unsafe {
                    let steps = steps::Sum2::new(x);
                    let sum = lanes::paired::<$vector, $n2, {$crate::reduce::contract::$pairs}, $rows2>(steps, n);
                    scalar::or_plain(sum, || $sum(x, n))
                }
            }

            pub(super) unsafe extern "C" fn $dot2(x: *const $type, y: *const $type, n: usize) -> $type {
                // SAFETY: the contract of the kernel: `x` and `y` have n elements.
                unsafe {
                    let steps = steps::Dot2::new(x, y);
                    let sum = lanes::paired::<$vector, $nd, {$crate::reduce::contract::$pairs}, $rowsd>(steps, n);
                    scalar::or_plain(sum, || $dot(x, y, n))
                }
            }

            pub(super) unsafe extern "C" fn $kahan_sum(x: *const $type, n: usize) -> $type {
                // SAFETY: the contract of the kernel: `x` has n elements.
                unsafe {
                    let steps = steps::Kahan::new(x);
                    let sum = lanes::paired::<$vector, $nk, {$crate::reduce::contract::$kahan}, $rowsk>(steps, n);
                    scalar::or_plain(sum, || $sum(x, n))
                }
            }

            pub(super) unsafe extern "C" fn $binned(x: *const $type, n: usize, exponent: i32, sums: *mut i64) -> u32 {
                // SAFETY: the contract of the kernel: `x` has n elements, `sums` three.
                unsafe { crate::reduce::bins::binned::<$doubles, _, $bins, $lanes_b>(x, n, exponent, sums) }
            }

            pub(super) unsafe extern "C" fn $products(
                x: *const $type, y: *const $type, n: usize, exponent: i32, sums: *mut i64,
            ) -> u32 {
                // SAFETY: the contract of the kernel: `x` and `y` have n elements, `sums` three.
                unsafe { crate::reduce::bins::products::<$doubles, _, $bins, $lanes_b>(x, y, n, exponent, sums) }
            }

            pub(super) unsafe extern "C" fn $column_sums(
                m: usize, n: usize, x: *const $type, row: isize, sums: *mut $type,
            ) {
                // SAFETY: the contract of the kernel: `x` has m rows of n elements, `sums` n.
                unsafe {
                    crate::reduce::columns::column_sums::<$vector, {$crate::reduce::contract::$lanes}, $n>(
                        m, n, x, row, sums,
                    )
                }
            }
        }
    };
}
pub(super) use export_reductions;
