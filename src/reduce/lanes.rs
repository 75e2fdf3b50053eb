//! The intrinsics of the family, written once for the vectors of all instruction sets.
//!
//! A row is one element for every lane. A group is `N` vectors of lanes whose state stays in
//! registers. If one group holds all lanes, it processes the rows from the first to the last.
//! Otherwise the groups take turns, a few rows at a time; each group reads different cache lines.
//! The elements after the last whole row fill vectors, the last one in part.

use core::mem::MaybeUninit;

use super::scalar::canonical;
use crate::float::Float;
use crate::vector::{Exact, MAX_LANES, Vector};

/// One step of a reduction: adds an element to every lane. The state of a lane is `S` numbers.
pub(super) trait Step<V: Vector, const S: usize>: Copy {
    /// The elements of one step: a vector of each operand.
    type Elements;

    /// Reads the elements from `i` on.
    ///
    /// # Safety
    /// The elements are readable, and the CPU has the instruction set.
    unsafe fn load(self, i: usize) -> Self::Elements;

    /// Reads `n` elements from `i` on, less than a vector; the others are 0.
    ///
    /// # Safety
    /// The elements are readable, and the CPU has the instruction set.
    unsafe fn load_first(self, i: usize, n: usize) -> Self::Elements;

    /// Adds the elements. `odd` vectors may use multiply-adds instead of some additions, to balance
    /// the load of the ports.
    ///
    /// # Safety
    /// The CPU has the instruction set.
    unsafe fn add(self, lanes: [V; S], elements: Self::Elements, odd: bool) -> [V; S];

    /// Adds up to a vector of the `left` elements from `i` on. The other lanes stay as they are.
    ///
    /// # Safety
    /// The elements are readable, and the CPU has the instruction set.
    #[inline(always)]
    unsafe fn add_rest(self, lanes: [V; S], i: usize, left: usize, odd: bool) -> [V; S] {
        // SAFETY: the caller's contract.
        unsafe {
            if left >= V::LANES {
                return self.add(lanes, self.load(i), odd);
            }
            let mut next = self.add(lanes, self.load_first(i, left), odd);
            for (next, lane) in next.iter_mut().zip(lanes) {
                *next = next.first_then(lane, left);
            }
            next
        }
    }
}

/// Processes `rows` rows from `row` on for the `N` vectors of lanes from lane `first` on.
///
/// # Safety
/// As for [`Step`]; the rows and the lanes exist.
#[inline(always)]
unsafe fn group<V: Vector, const S: usize, const N: usize, const L: usize>(
    step: impl Step<V, S>,
    state: &mut [[V; S]; N],
    first: usize,
    row: usize,
    rows: usize,
) {
    for row in row..row + rows {
        for (k, state) in state.iter_mut().enumerate() {
            // SAFETY: the caller's contract.
            *state = unsafe { step.add(*state, step.load(row * L + first + k * V::LANES), k % 2 == 1) };
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
    // SAFETY: the rows and the elements after them are within the n elements.
    unsafe {
        let mut state = [[V::splat(-V::Element::ZERO)]; N];
        group::<V, 1, N, L>(step, &mut state, 0, 0, n / L);
        for (k, state) in state.iter_mut().enumerate() {
            let Some(left) = (n % L).checked_sub(k * V::LANES).filter(|&left| left > 0) else { break };
            *state = step.add_rest(*state, n / L * L + k * V::LANES, left, k % 2 == 1);
        }
        let mut half = N / 2;
        while half > 0 {
            for k in 0..half {
                state[k] = [state[k][0].add(state[k + half][0])];
            }
            half /= 2;
        }
        let [mut sum] = state[0];
        for_each_half! { V, half => sum = sum.add(sum.upper(half)) }
        canonical(first(sum))
    }
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
/// With fewer elements than lanes, the lanes stop at a power of two. The others would be pairs of
/// zeros: these change no finite pair, because sums and compensation terms are never -0, and leave
/// the compensation term of a pair NaN if its sum is not finite.
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
        let mut pair = match SHORT * V::LANES {
            short if short <= L && n <= short => in_registers(step, n, one),
            _ => in_memory::<V, N, L, ROWS>(step, n, one),
        };
        for_each_half! { V, half => pair = add_pairs(pair, [pair[0].upper(half), pair[1].upper(half)], one) }
        first(pair[0]) + first(pair[1])
    }
}

/// Reduces at most `SHORT` vectors of elements to one vector of lanes.
///
/// # Safety
/// As for [`Step`].
#[inline(always)]
unsafe fn in_registers<V: Exact>(step: impl Step<V, 2>, n: usize, one: V) -> [V; 2] {
    // SAFETY: the caller's contract.
    unsafe {
        let mut state = [[V::splat(V::Element::ZERO); 2]; SHORT];
        for (k, state) in state.iter_mut().enumerate() {
            // Elements 0 beyond the last one leave pairs of zeros as they are.
            let (at, odd) = (k * V::LANES, k % 2 == 1);
            if at + V::LANES <= n {
                *state = step.add(*state, step.load(at), odd);
            } else if at < n {
                *state = step.add(*state, step.load_first(at, n - at), odd);
            }
        }
        let [a, b, c, d, e, f, g, h] = state;
        let (a, b) = (add_pairs(a, e, one), add_pairs(b, f, one));
        let (c, d) = (add_pairs(c, g, one), add_pairs(d, h, one));
        add_pairs(add_pairs(a, c, one), add_pairs(b, d, one), one)
    }
}

/// Reduces any number of elements to one vector of lanes.
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
    let (rows, width) = (n / L, N * V::LANES);
    // SAFETY: the rows and the elements after them are within the n elements. Vectors of lanes are
    // within those used, which are written first.
    unsafe {
        for l in (0..used).step_by(V::LANES) {
            store::<V, L>(lanes, l, [V::splat(V::Element::ZERO); 2]);
        }
        if width == L {
            turn::<V, N, L>(step, lanes, 0, rows);
        } else {
            for row in (0..rows / ROWS * ROWS).step_by(ROWS) {
                turn::<V, N, L>(step, lanes, row, ROWS);
            }
            if !rows.is_multiple_of(ROWS) {
                turn::<V, N, L>(step, lanes, rows / ROWS * ROWS, rows % ROWS);
            }
        }
        for l in (0..n % L).step_by(V::LANES) {
            store::<V, L>(lanes, l, step.add_rest(load::<V, L>(lanes, l), rows * L + l, n % L - l, false));
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
            group::<V, 2, N, L>(step, &mut state, first, row, rows);
            for (k, state) in state.into_iter().enumerate() {
                store::<V, L>(lanes, first + k * V::LANES, state);
            }
        }
    }
}

/// Knuth's two-sum: the rounded sum, and its exact error. Half of its additions may be
/// multiply-adds.
///
/// # Safety
/// As for [`Vector`].
#[inline(always)]
unsafe fn two_sum<V: Exact>(sum: V, x: V, one: V) -> (V, V) {
    // SAFETY: the caller's contract.
    unsafe {
        let next = sum.add(x);
        let part = next.sub(sum);
        (next, sum.minus(next.sub(part), one).plus(x.minus(part, one), one))
    }
}

/// 1, hidden from the compiler. It cannot remove multiplications by this value, so they run on the
/// multiplier ports.
///
/// # Safety
/// As for [`Vector`].
#[inline(always)]
unsafe fn one<V: Vector>() -> V {
    let one = V::Element::ONE;
    // SAFETY: a local variable.
    unsafe { V::splat((&raw const one).read_volatile()) }
}

#[derive(Clone, Copy)]
pub(super) struct Sum<T>(pub *const T);

#[derive(Clone, Copy)]
pub(super) struct Asum<T>(pub *const T);

#[derive(Clone, Copy)]
pub(super) struct Dot<T>(pub *const T, pub *const T);

/// Implements the loads of a [`Step`] with one operand.
macro_rules! loads_one {
    ($x:tt) => {
        type Elements = V;

        #[inline(always)]
        unsafe fn load(self, i: usize) -> V {
            // SAFETY: the contract of the trait.
            unsafe { V::load(self.$x.add(i)) }
        }

        #[inline(always)]
        unsafe fn load_first(self, i: usize, n: usize) -> V {
            // SAFETY: the contract of the trait.
            unsafe { V::load_first(self.$x.add(i), n) }
        }
    };
}

/// Implements the loads of a [`Step`] with two operands.
macro_rules! loads_two {
    ($x:tt $y:tt) => {
        type Elements = [V; 2];

        #[inline(always)]
        unsafe fn load(self, i: usize) -> [V; 2] {
            // SAFETY: the contract of the trait.
            unsafe { [V::load(self.$x.add(i)), V::load(self.$y.add(i))] }
        }

        #[inline(always)]
        unsafe fn load_first(self, i: usize, n: usize) -> [V; 2] {
            // SAFETY: the contract of the trait.
            unsafe { [V::load_first(self.$x.add(i), n), V::load_first(self.$y.add(i), n)] }
        }
    };
}

impl<V: Vector> Step<V, 1> for Sum<V::Element> {
    loads_one! { 0 }

    #[inline(always)]
    unsafe fn add(self, [sum]: [V; 1], x: V, _: bool) -> [V; 1] {
        // SAFETY: the contract of the trait.
        unsafe { [sum.add(x)] }
    }
}

impl<V: Vector> Step<V, 1> for Asum<V::Element> {
    loads_one! { 0 }

    #[inline(always)]
    unsafe fn add(self, [sum]: [V; 1], x: V, _: bool) -> [V; 1] {
        // SAFETY: the contract of the trait.
        unsafe { [sum.add(x.magnitude())] }
    }
}

impl<V: Vector> Step<V, 1> for Dot<V::Element> {
    loads_two! { 0 1 }

    #[inline(always)]
    unsafe fn add(self, [sum]: [V; 1], [x, y]: [V; 2], _: bool) -> [V; 1] {
        // SAFETY: the contract of the trait.
        unsafe { [sum.add(x.mul(y))] }
    }
}

/// Sum2: a lane holds a sum and its compensation term.
#[derive(Clone, Copy)]
pub(super) struct Sum2<V: Vector> {
    x: *const V::Element,
    one: V,
}

impl<V: Exact> Sum2<V> {
    /// # Safety
    /// As for [`Vector`].
    #[inline(always)]
    pub(super) unsafe fn new(x: *const V::Element) -> Self {
        // SAFETY: the caller's contract.
        unsafe { Sum2 { x, one: one() } }
    }
}

impl<V: Exact> Step<V, 2> for Sum2<V> {
    loads_one! { x }

    /// 7 additions, 3 or 4 of them as multiply-adds. The reference also adds 0 to the error. That
    /// could only change the sign of a zero, and the compensation term is never -0.
    #[inline(always)]
    unsafe fn add(self, [sum, lost]: [V; 2], x: V, odd: bool) -> [V; 2] {
        // SAFETY: the contract of the trait.
        unsafe {
            let (next, error) = two_sum(sum, x, self.one);
            [next, if odd { lost.plus(error, self.one) } else { lost.add(error) }]
        }
    }
}

/// Dot2: a lane holds a sum and its compensation term.
#[derive(Clone, Copy)]
pub(super) struct Dot2<V: Vector> {
    x: *const V::Element,
    y: *const V::Element,
    one: V,
}

impl<V: Exact> Dot2<V> {
    /// # Safety
    /// As for [`Vector`].
    #[inline(always)]
    pub(super) unsafe fn new(x: *const V::Element, y: *const V::Element) -> Self {
        // SAFETY: the caller's contract.
        unsafe { Dot2 { x, y, one: one() } }
    }
}

impl<V: Exact> Step<V, 2> for Dot2<V> {
    loads_two! { x y }

    /// A product, its error and 8 additions, 3 of them as multiply-adds.
    #[inline(always)]
    unsafe fn add(self, [sum, lost]: [V; 2], [x, y]: [V; 2], _: bool) -> [V; 2] {
        // SAFETY: the contract of the trait.
        unsafe {
            let (x, excess) = x.two_product(y);
            let (next, error) = two_sum(sum, x, self.one);
            [next, lost.add(error.sub(excess))]
        }
    }
}

/// Kahan's sum: a lane holds a sum and its compensation term. The term is the negated `lost` of the
/// reference and is never -0. So an element is added to it, with a memory operand, and the tree
/// uses it unchanged.
#[derive(Clone, Copy)]
pub(super) struct Kahan<V: Vector> {
    x: *const V::Element,
    one: V,
}

impl<V: Exact> Kahan<V> {
    /// # Safety
    /// As for [`Vector`].
    #[inline(always)]
    pub(super) unsafe fn new(x: *const V::Element) -> Self {
        // SAFETY: the caller's contract.
        unsafe { Kahan { x, one: one() } }
    }
}

impl<V: Exact> Step<V, 2> for Kahan<V> {
    loads_one! { x }

    #[inline(always)]
    unsafe fn add(self, [sum, lack]: [V; 2], x: V, _: bool) -> [V; 2] {
        // SAFETY: the contract of the trait.
        unsafe {
            let y = lack.plus(x, self.one);
            let next = sum.add(y);
            [next, y.minus(next.sub(sum), self.one)]
        }
    }
}

/// Defines the kernels of an instruction set for its vectors of floats and of doubles. `[vectors]`
/// is the number of vectors that hold all lanes of plain sums; column sums take as many. `[vectors rows]` is the size of a
/// group and the rows that it takes at a time, for Sum2, Dot2 and Kahan's sum in this order. The
/// last bracket holds the number of lanes of the binned sum.
macro_rules! export_reductions {
    ($isa:ident $floats:ident $doubles:ident
     [$n:literal] [$n2:literal $rows2:literal] [$nd:literal $rowsd:literal] [$nk:literal $rowsk:literal]
     [$bins:literal]) => {
        lanes::export_reductions! {
            $isa f32 $floats $doubles sum_f32 asum_f32 dot_f32 [$n; LANES_F32] sum2_f32 [$n2 $rows2]
            dot2_f32 [$nd $rowsd; PAIRS_F32] kahan_f32 [$nk $rowsk; KAHAN_F32] binned_f32 [$bins] column_sums_f32
        }
        lanes::export_reductions! {
            $isa f64 $doubles $doubles sum_f64 asum_f64 dot_f64 [$n; LANES_F64] sum2_f64 [$n2 $rows2]
            dot2_f64 [$nd $rowsd; PAIRS_F64] kahan_f64 [$nk $rowsk; KAHAN_F64] binned_f64 [$bins] column_sums_f64
        }
        crate::isa::$isa! {
            pub(super) unsafe extern "C" fn exact_f32(x: *const f32, n: usize, range: *mut f32, sum: *mut f64) -> u32 {
                // SAFETY: the contract of the kernel: `x` has n elements, `range` two, `sum` one.
                unsafe { crate::reduce::exact::exact::<$floats, $doubles>(x, n, range, sum) }
            }
        }
    };
    ($isa:ident $type:ident $vector:ident $doubles:ident
     $sum:ident $asum:ident $dot:ident [$n:literal; $lanes:ident]
     $sum2:ident [$n2:literal $rows2:literal] $dot2:ident [$nd:literal $rowsd:literal; $pairs:ident]
     $kahan_sum:ident [$nk:literal $rowsk:literal; $kahan:ident] $binned:ident [$bins:literal] $column_sums:ident) => {
        crate::isa::$isa! {
            pub(super) unsafe extern "C" fn $sum(x: *const $type, n: usize) -> $type {
                // SAFETY: the contract of the kernel: `x` has n elements.
                unsafe { lanes::plain::<$vector, $n, {scalar::$lanes}>(lanes::Sum(x), n) }
            }

            pub(super) unsafe extern "C" fn $asum(x: *const $type, n: usize) -> $type {
                // SAFETY: the contract of the kernel: `x` has n elements.
                unsafe { lanes::plain::<$vector, $n, {scalar::$lanes}>(lanes::Asum(x), n) }
            }

            pub(super) unsafe extern "C" fn $dot(x: *const $type, y: *const $type, n: usize) -> $type {
                // SAFETY: the contract of the kernel: `x` and `y` have n elements.
                unsafe { lanes::plain::<$vector, $n, {scalar::$lanes}>(lanes::Dot(x, y), n) }
            }

            pub(super) unsafe extern "C" fn $sum2(x: *const $type, n: usize) -> $type {
                // SAFETY: the contract of the kernel: `x` has n elements.
                unsafe { scalar::or_plain(lanes::paired::<$vector, $n2, {scalar::$pairs}, $rows2>(lanes::Sum2::new(x), n), || $sum(x, n)) }
            }

            pub(super) unsafe extern "C" fn $dot2(x: *const $type, y: *const $type, n: usize) -> $type {
                // SAFETY: the contract of the kernel: `x` and `y` have n elements.
                unsafe { scalar::or_plain(lanes::paired::<$vector, $nd, {scalar::$pairs}, $rowsd>(lanes::Dot2::new(x, y), n), || $dot(x, y, n)) }
            }

            pub(super) unsafe extern "C" fn $kahan_sum(x: *const $type, n: usize) -> $type {
                // SAFETY: the contract of the kernel: `x` has n elements.
                unsafe { scalar::or_plain(lanes::paired::<$vector, $nk, {scalar::$kahan}, $rowsk>(lanes::Kahan::new(x), n), || $sum(x, n)) }
            }

            pub(super) unsafe extern "C" fn $binned(x: *const $type, n: usize, exponent: i32, sums: *mut i64) -> u32 {
                // SAFETY: the contract of the kernel: `x` has n elements, `sums` two.
                unsafe { crate::reduce::bins::binned::<$doubles, _, $bins>(x, n, exponent, sums) }
            }

            pub(super) unsafe extern "C" fn $column_sums(m: usize, n: usize, x: *const $type, row: isize, sums: *mut $type) {
                // SAFETY: the contract of the kernel: `x` has m rows of n elements, `sums` n.
                unsafe { crate::reduce::columns::column_sums::<$vector, {scalar::$lanes}, $n>(m, n, x, row, sums) }
            }
        }
    };
}
pub(super) use export_reductions;
