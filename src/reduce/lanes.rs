//! The intrinsics of the family, written once for the vectors of all instruction sets.
//!
//! A row is one element for every lane. A group is `N` vectors of lanes whose state stays in
//! registers. If one group holds all lanes, it processes the rows from the first to the last.
//! Otherwise the groups take turns, a few rows at a time; each group reads different cache lines.
//! Functions of the reference process the elements after the last whole row and the end of the
//! tree.

use super::scalar::{Pair, kahan_step, pair_tree, tree};
use crate::float::Float;
use crate::vector::{Exact, Vector};

/// One step of a reduction: adds an element to every lane. The state of a lane is `S` numbers.
pub(super) trait Step<V: Vector, const S: usize>: Copy {
    /// Adds the elements from `i` on. `odd` vectors may use multiply-adds instead of some
    /// additions, to balance the load of the ports.
    ///
    /// # Safety
    /// The elements are readable, and the CPU has the instruction set.
    unsafe fn vector(self, lanes: [V; S], i: usize, odd: bool) -> [V; S];

    /// Adds element `i` to one lane.
    ///
    /// # Safety
    /// The element is readable, and the CPU has the instruction set.
    unsafe fn single(self, lane: [V::Element; S], i: usize) -> [V::Element; S];
}

/// Processes `rows` rows from `row` on for the `N` vectors of lanes from lane `first` on.
///
/// # Safety
/// As for [`Step`]; the rows and the lanes exist.
#[inline(always)]
unsafe fn group<V: Vector, const S: usize, const N: usize, const L: usize>(
    step: impl Step<V, S>,
    lanes: &mut [[V::Element; L]; S],
    first: usize,
    row: usize,
    rows: usize,
) {
    // SAFETY: the caller's contract, throughout.
    unsafe {
        let mut state = [[V::splat(V::Element::ZERO); S]; N];
        for (k, state) in state.iter_mut().enumerate() {
            for (vector, lanes) in state.iter_mut().zip(&*lanes) {
                *vector = V::load(lanes.as_ptr().add(first + k * V::LANES));
            }
        }
        for row in row..row + rows {
            for (k, state) in state.iter_mut().enumerate() {
                *state = step.vector(*state, row * L + first + k * V::LANES, k % 2 == 1);
            }
        }
        for (k, state) in state.iter().enumerate() {
            for (vector, lanes) in state.iter().zip(&mut *lanes) {
                vector.store(lanes.as_mut_ptr().add(first + k * V::LANES));
            }
        }
    }
}

/// Processes all `n` elements; a group takes `ROWS` rows at a time.
///
/// # Safety
/// As for [`Step`].
#[inline(always)]
unsafe fn all<V: Vector, const S: usize, const N: usize, const L: usize, const ROWS: usize>(
    step: impl Step<V, S>,
    lanes: &mut [[V::Element; L]; S],
    n: usize,
) {
    let (rows, width) = (n / L, N * V::LANES);
    // SAFETY: the rows and the tail are within the n elements.
    unsafe {
        if width == L {
            group::<V, S, N, L>(step, lanes, 0, 0, rows);
        } else {
            let whole = rows / ROWS * ROWS;
            for row in (0..whole).step_by(ROWS) {
                for first in (0..L).step_by(width) {
                    group::<V, S, N, L>(step, lanes, first, row, ROWS);
                }
            }
            if whole < rows {
                for first in (0..L).step_by(width) {
                    group::<V, S, N, L>(step, lanes, first, whole, rows - whole);
                }
            }
        }
        for l in 0..n % L {
            let lane = step.single(lanes.each_ref().map(|lanes| lanes[l]), rows * L + l);
            for (lanes, number) in lanes.iter_mut().zip(lane) {
                lanes[l] = number;
            }
        }
    }
}

/// Lanes aligned to cache lines, so that no vector of lanes crosses one.
#[repr(align(64))]
struct AlignedLanes<T, const L: usize, const S: usize>([[T; L]; S]);

/// Reduces with one number per lane.
///
/// # Safety
/// As for [`Step`].
#[inline(always)]
pub(super) unsafe fn plain<V: Vector, const N: usize, const L: usize, const ROWS: usize>(
    step: impl Step<V, 1>,
    n: usize,
) -> V::Element {
    let mut lanes = AlignedLanes([[-V::Element::ZERO; L]]);
    // SAFETY: the caller's contract.
    unsafe { all::<V, 1, N, L, ROWS>(step, &mut lanes.0, n) };
    if n == 0 { V::Element::ZERO } else { tree(&mut lanes.0[0]) }
}

/// Reduces with a sum and its compensation term per lane. The tree has the order of the reference
/// and uses vectors as long as a half fills at least one.
///
/// # Safety
/// As for [`Step`].
#[inline(always)]
pub(super) unsafe fn paired<V: Exact, const N: usize, const L: usize, const ROWS: usize>(
    step: impl Step<V, 2>,
    n: usize,
) -> V::Element {
    let mut lanes = AlignedLanes([[V::Element::ZERO; L]; 2]);
    let mut pairs = [Pair::ZERO; L];
    // SAFETY: the caller's contract; vectors of lanes are within them.
    unsafe {
        all::<V, 2, N, L, ROWS>(step, &mut lanes.0, n);
        let [sums, lost] = lanes.0.each_mut().map(|lanes| lanes.as_mut_ptr());
        let mut half = L / 2;
        while half >= V::LANES {
            for l in (0..half).step_by(V::LANES) {
                let (sum, error) =
                    two_sum(V::load(sums.add(l)), V::load(sums.add(l + half)), V::splat(V::Element::ONE));
                sum.store(sums.add(l));
                V::load(lost.add(l)).add(error.add(V::load(lost.add(l + half)))).store(lost.add(l));
            }
            half /= 2;
        }
    }
    for (pair, (sum, lost)) in pairs.iter_mut().zip(lanes.0[0].into_iter().zip(lanes.0[1])) {
        *pair = Pair { sum, lost };
    }
    pair_tree(&mut pairs[..V::LANES])
}

/// The first element of a vector.
///
/// # Safety
/// As for [`Vector`].
#[inline(always)]
unsafe fn first<V: Vector>(vector: V) -> V::Element {
    const MAX_LANES: usize = 16;
    const { assert!(V::LANES <= MAX_LANES) };
    let mut all = [V::Element::ZERO; MAX_LANES];
    // SAFETY: the caller's contract; no vector is longer.
    unsafe { vector.store(all.as_mut_ptr()) };
    all[0]
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

impl<V: Vector> Step<V, 1> for Sum<V::Element> {
    #[inline(always)]
    unsafe fn vector(self, [sum]: [V; 1], i: usize, _: bool) -> [V; 1] {
        // SAFETY: the contract of the trait.
        unsafe { [sum.add(V::load(self.0.add(i)))] }
    }

    #[inline(always)]
    unsafe fn single(self, [sum]: [V::Element; 1], i: usize) -> [V::Element; 1] {
        // SAFETY: i is below n, and `x` has n elements.
        unsafe { [sum + self.0.add(i).read_unaligned()] }
    }
}

impl<V: Vector> Step<V, 1> for Asum<V::Element> {
    #[inline(always)]
    unsafe fn vector(self, [sum]: [V; 1], i: usize, _: bool) -> [V; 1] {
        // SAFETY: a vector from i on ends by n.
        unsafe { [sum.add(V::load(self.0.add(i)).magnitude())] }
    }

    #[inline(always)]
    unsafe fn single(self, [sum]: [V::Element; 1], i: usize) -> [V::Element; 1] {
        // SAFETY: i is below n, and `x` has n elements.
        unsafe { [sum + self.0.add(i).read_unaligned().magnitude()] }
    }
}

impl<V: Vector> Step<V, 1> for Dot<V::Element> {
    #[inline(always)]
    unsafe fn vector(self, [sum]: [V; 1], i: usize, _: bool) -> [V; 1] {
        // SAFETY: a vector from i on ends by n in both.
        unsafe { [sum.add(V::load(self.0.add(i)).mul(V::load(self.1.add(i))))] }
    }

    #[inline(always)]
    unsafe fn single(self, [sum]: [V::Element; 1], i: usize) -> [V::Element; 1] {
        // SAFETY: i is below n, the length of both.
        unsafe { [sum + self.0.add(i).read_unaligned() * self.1.add(i).read_unaligned()] }
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
    /// 7 additions, 3 or 4 of them as multiply-adds. The reference also adds 0 to the error. That
    /// could only change the sign of a zero, and the compensation term is never -0.
    #[inline(always)]
    unsafe fn vector(self, [sum, lost]: [V; 2], i: usize, odd: bool) -> [V; 2] {
        // SAFETY: the contract of the trait.
        unsafe {
            let (next, error) = two_sum(sum, V::load(self.x.add(i)), self.one);
            [next, if odd { lost.plus(error, self.one) } else { lost.add(error) }]
        }
    }

    #[inline(always)]
    unsafe fn single(self, [sum, lost]: [V::Element; 2], i: usize) -> [V::Element; 2] {
        // SAFETY: the contract of the trait.
        let x = unsafe { self.x.add(i).read_unaligned() };
        let pair = Pair { sum, lost }.add(x, V::Element::ZERO);
        [pair.sum, pair.lost]
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
    /// A product, its error and 8 additions, 3 of them as multiply-adds.
    #[inline(always)]
    unsafe fn vector(self, [sum, lost]: [V; 2], i: usize, _: bool) -> [V; 2] {
        // SAFETY: the contract of the trait.
        unsafe {
            let (x, excess) = V::load(self.x.add(i)).two_product(V::load(self.y.add(i)));
            let (next, error) = two_sum(sum, x, self.one);
            [next, lost.add(error.sub(excess))]
        }
    }

    #[inline(always)]
    unsafe fn single(self, [sum, lost]: [V::Element; 2], i: usize) -> [V::Element; 2] {
        // `core` has no multiply-add for single numbers, so this uses vectors. SAFETY: the contract
        // of the trait.
        let (x, excess) = unsafe {
            let [x, y] = [self.x, self.y].map(|at| V::splat(at.add(i).read_unaligned()));
            let (x, excess) = x.two_product(y);
            (first(x), first(excess))
        };
        let pair = Pair { sum, lost }.add(x, -excess);
        [pair.sum, pair.lost]
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
    #[inline(always)]
    unsafe fn vector(self, [sum, lack]: [V; 2], i: usize, _: bool) -> [V; 2] {
        // SAFETY: the contract of the trait.
        unsafe {
            let y = lack.plus(V::load(self.x.add(i)), self.one);
            let next = sum.add(y);
            [next, y.minus(next.sub(sum), self.one)]
        }
    }

    #[inline(always)]
    unsafe fn single(self, [sum, lack]: [V::Element; 2], i: usize) -> [V::Element; 2] {
        // SAFETY: the contract of the trait.
        let x = unsafe { self.x.add(i).read_unaligned() };
        let pair = kahan_step(Pair { sum, lost: V::Element::ZERO - lack }, x);
        [pair.sum, V::Element::ZERO - pair.lost]
    }
}

/// Defines the kernels of an instruction set for its vectors of floats and of doubles.
/// `[vectors rows]` is the size of a group and the rows that it takes at a time, for plain sums,
/// Sum2, Dot2 and Kahan's sum in this order. The last bracket holds the number of lanes of the
/// binned sum.
macro_rules! export_reductions {
    ($isa:ident $floats:ident $doubles:ident
     [$n:literal $rows:literal] [$n2:literal $rows2:literal] [$nd:literal $rowsd:literal] [$nk:literal $rowsk:literal]
     [$bins:literal]) => {
        lanes::export_reductions! {
            $isa f32 $floats $doubles sum_f32 asum_f32 dot_f32 [$n $rows; LANES_F32] sum2_f32 [$n2 $rows2]
            dot2_f32 [$nd $rowsd; PAIRS_F32] kahan_f32 [$nk $rowsk; KAHAN_F32] binned_f32 [$bins]
        }
        lanes::export_reductions! {
            $isa f64 $doubles $doubles sum_f64 asum_f64 dot_f64 [$n $rows; LANES_F64] sum2_f64 [$n2 $rows2]
            dot2_f64 [$nd $rowsd; PAIRS_F64] kahan_f64 [$nk $rowsk; KAHAN_F64] binned_f64 [$bins]
        }
    };
    ($isa:ident $type:ident $vector:ident $doubles:ident
     $sum:ident $asum:ident $dot:ident [$n:literal $rows:literal; $lanes:ident]
     $sum2:ident [$n2:literal $rows2:literal] $dot2:ident [$nd:literal $rowsd:literal; $pairs:ident]
     $kahan_sum:ident [$nk:literal $rowsk:literal; $kahan:ident] $binned:ident [$bins:literal]) => {
        crate::isa::$isa! {
            pub(super) unsafe extern "C" fn $sum(x: *const $type, n: usize) -> $type {
                // SAFETY: the contract of the kernel: `x` has n elements.
                unsafe { lanes::plain::<$vector, $n, {scalar::$lanes}, $rows>(lanes::Sum(x), n) }
            }

            pub(super) unsafe extern "C" fn $asum(x: *const $type, n: usize) -> $type {
                // SAFETY: the contract of the kernel: `x` has n elements.
                unsafe { lanes::plain::<$vector, $n, {scalar::$lanes}, $rows>(lanes::Asum(x), n) }
            }

            pub(super) unsafe extern "C" fn $dot(x: *const $type, y: *const $type, n: usize) -> $type {
                // SAFETY: the contract of the kernel: `x` and `y` have n elements.
                unsafe { lanes::plain::<$vector, $n, {scalar::$lanes}, $rows>(lanes::Dot(x, y), n) }
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
        }
    };
}
pub(super) use export_reductions;
