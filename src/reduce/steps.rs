//! The steps of the reductions: what an element adds to its lane.

use crate::math::float::Float;
use crate::math::vector::{Exact, Vector};

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

    /// The lanes after their first element: [`add`](Self::add) to lanes of -0, or to pairs of zeros.
    /// The compensation term of a pair is then 0 where `add` could make it NaN: an element that is not
    /// finite. [`or_plain`](super::scalar::or_plain) sees that NaN anyway, from the sums of the tree.
    ///
    /// # Safety
    /// The CPU has the instruction set.
    unsafe fn start(self, elements: Self::Elements) -> [V; S];

    /// [`start`](Self::start) with up to a vector of the `left` elements from `i` on. The other lanes
    /// stay `empty`.
    ///
    /// # Safety
    /// The elements are readable, and the CPU has the instruction set.
    #[inline(always)]
    unsafe fn start_rest(self, empty: [V; S], i: usize, left: usize) -> [V; S] {
        // SAFETY: the caller's contract.
        unsafe {
            if left >= V::LANES {
                return self.start(self.load(i));
            }
            let mut next = self.start(self.load_first(i, left));
            // A pair started with 0 is empty already.
            if S == 1 {
                next[0] = next[0].first_then(empty[0], left);
            }
            next
        }
    }

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

/// Knuth's two-sum: the rounded sum, and its exact error. Half of its additions may be
/// multiply-adds.
///
/// # Safety
/// As for [`Vector`].
#[inline(always)]
pub(super) unsafe fn two_sum<V: Exact>(sum: V, x: V, one: V) -> (V, V) {
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
pub(super) unsafe fn one<V: Vector>() -> V {
    let one = V::Element::ONE;
    // SAFETY: a local variable.
    unsafe { V::splat((&raw const one).read_volatile()) }
}

/// A pair after its first element. The addition turns -0 into 0.
///
/// # Safety
/// As for [`Vector`].
#[inline(always)]
unsafe fn start_pair<V: Vector>(x: V) -> [V; 2] {
    // SAFETY: the caller's contract.
    unsafe {
        let zero = V::splat(V::Element::ZERO);
        [x.add(zero), zero]
    }
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
    unsafe fn start(self, x: V) -> [V; 1] {
        [x]
    }

    #[inline(always)]
    unsafe fn add(self, [sum]: [V; 1], x: V, _: bool) -> [V; 1] {
        // SAFETY: the contract of the trait.
        unsafe { [sum.add(x)] }
    }
}

impl<V: Vector> Step<V, 1> for Asum<V::Element> {
    loads_one! { 0 }

    #[inline(always)]
    unsafe fn start(self, x: V) -> [V; 1] {
        // SAFETY: the contract of the trait.
        unsafe { [x.magnitude()] }
    }

    #[inline(always)]
    unsafe fn add(self, [sum]: [V; 1], x: V, _: bool) -> [V; 1] {
        // SAFETY: the contract of the trait.
        unsafe { [sum.add(x.magnitude())] }
    }
}

impl<V: Vector> Step<V, 1> for Dot<V::Element> {
    loads_two! { 0 1 }

    #[inline(always)]
    unsafe fn start(self, [x, y]: [V; 2]) -> [V; 1] {
        // SAFETY: the contract of the trait.
        unsafe { [x.mul(y)] }
    }

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

    #[inline(always)]
    unsafe fn start(self, x: V) -> [V; 2] {
        // SAFETY: the contract of the trait.
        unsafe { start_pair(x) }
    }

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

    #[inline(always)]
    unsafe fn start(self, [x, y]: [V; 2]) -> [V; 2] {
        // SAFETY: the contract of the trait.
        unsafe {
            let (x, excess) = x.two_product(y);
            let [sum, zero] = start_pair(x);
            [sum, zero.sub(excess)]
        }
    }

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
    unsafe fn start(self, x: V) -> [V; 2] {
        // SAFETY: the contract of the trait.
        unsafe { start_pair(x) }
    }

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
