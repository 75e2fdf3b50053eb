//! The intrinsics, written once for the vectors of all instruction sets.

use crate::math::float::Float;
use crate::math::vector::Vector;
use crate::reduce::steps::Step;

/// A vector with comparisons, whose elements may be pairs.
///
/// # Safety
/// As for [`Vector`].
pub(super) trait Lanes: Vector {
    /// A set of lanes.
    type Mask: Copy;

    /// Exchanges elements 2 i and 2 i + 1.
    unsafe fn swap_pairs(self) -> Self;
    unsafe fn less(self, b: Self) -> Self::Mask;
    unsafe fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// Whether all lanes are in the set.
    unsafe fn is_full(mask: Self::Mask) -> bool;
    /// The next number above `x`; infinity for infinity.
    fn next_above(x: Self::Element) -> Self::Element;
}

/// An operation on an element of each of `K` vectors.
pub(super) trait Operation<V: Vector, const K: usize>: Copy {
    /// So many of the vectors are written, the first ones.
    const WRITTEN: usize;

    fn pointers(self) -> [*mut V::Element; K];

    /// The new elements.
    ///
    /// # Safety
    /// The CPU has the instruction set.
    unsafe fn values(self, old: [V; K]) -> [V; K];
}

/// The elements from `i` on.
///
/// # Safety
/// As for [`update`]; there are as many.
#[inline(always)]
unsafe fn load<V: Vector, const K: usize>(from: [*mut V::Element; K], i: usize) -> [V; K] {
    // SAFETY: the caller's contract.
    unsafe {
        let mut values = [V::splat(V::Element::ZERO); K];
        for (value, from) in values.iter_mut().zip(from) {
            *value = V::load(from.add(i));
        }
        values
    }
}

/// Writes the elements from `i` on.
///
/// # Safety
/// As for [`load`].
#[inline(always)]
unsafe fn store<V: Vector, const K: usize>(to: [*mut V::Element; K], i: usize, values: [V; K], written: usize) {
    for (value, to) in values.into_iter().zip(to).take(written) {
        // SAFETY: the caller's contract.
        unsafe { value.store(to.add(i)) }
    }
}

/// Replaces `n` elements, `N` vectors at a time. The last vector overlaps the one before it and is
/// computed first, from the old elements.
///
/// # Safety
/// The pointers have `n` elements, and the CPU has the instruction set.
#[inline(always)]
pub(super) unsafe fn update<V: Vector, const K: usize, const N: usize>(operation: impl Operation<V, K>, n: usize) {
    let at = operation.pointers();
    let written = written(operation);
    // SAFETY: the caller's contract.
    unsafe {
        let Some(last) = n.checked_sub(V::LANES) else {
            if n > 0 {
                few(operation, n);
            }
            return;
        };
        let end = operation.values(load(at, last));
        let mut i = 0;
        while i + N * V::LANES <= n {
            let mut values = [[V::splat(V::Element::ZERO); K]; N];
            for (v, values) in values.iter_mut().enumerate() {
                *values = operation.values(load(at, i + v * V::LANES));
            }
            for (v, values) in values.into_iter().enumerate() {
                store(at, i + v * V::LANES, values, written);
            }
            i += N * V::LANES;
        }
        while i <= last {
            store(at, i, operation.values(load(at, i)), written);
            i += V::LANES;
        }
        store(at, last, end, written);
    }
}

fn written<V: Vector, const K: usize, O: Operation<V, K>>(_: O) -> usize {
    O::WRITTEN
}

/// [`update`] of less than a vector.
///
/// # Safety
/// As for [`update`].
#[inline(always)]
unsafe fn few<V: Vector, const K: usize>(operation: impl Operation<V, K>, n: usize) {
    let at = operation.pointers();
    // SAFETY: the caller's contract.
    unsafe {
        let mut values = [V::splat(V::Element::ZERO); K];
        for (value, from) in values.iter_mut().zip(at) {
            *value = V::load_first(from, n);
        }
        for (value, to) in operation.values(values).into_iter().zip(at).take(written(operation)) {
            value.store_first(to, n);
        }
    }
}

/// `y + alpha x`, with vectors `y` and `x`.
#[derive(Clone, Copy)]
pub(super) struct Axpy<V: Vector> {
    pub alpha: V,
    pub at: [*mut V::Element; 2],
}

impl<V: Vector> Operation<V, 2> for Axpy<V> {
    const WRITTEN: usize = 1;

    #[inline(always)]
    fn pointers(self) -> [*mut V::Element; 2] {
        self.at
    }

    #[inline(always)]
    unsafe fn values(self, [y, x]: [V; 2]) -> [V; 2] {
        // SAFETY: the caller's contract.
        unsafe { [y.add(self.alpha.mul(x)), x] }
    }
}

#[derive(Clone, Copy)]
pub(super) struct Scal<V: Vector> {
    pub alpha: V,
    pub at: *mut V::Element,
}

impl<V: Vector> Operation<V, 1> for Scal<V> {
    const WRITTEN: usize = 1;

    #[inline(always)]
    fn pointers(self) -> [*mut V::Element; 1] {
        [self.at]
    }

    #[inline(always)]
    unsafe fn values(self, [x]: [V; 1]) -> [V; 1] {
        // SAFETY: the caller's contract.
        unsafe { [self.alpha.mul(x)] }
    }
}

/// A complex factor: its real part, and its imaginary part, negative in even lanes.
#[derive(Clone, Copy)]
pub(super) struct Factor<V>([V; 2]);

impl<V: Lanes> Factor<V> {
    /// # Safety
    /// As for [`Vector`].
    #[inline(always)]
    pub(super) unsafe fn new(re: V::Element, im: V::Element) -> Self {
        const { assert!(V::LANES <= crate::math::vector::MAX_LANES) };
        let mut signed = [im; crate::math::vector::MAX_LANES];
        for even in signed.iter_mut().step_by(2) {
            *even = -im;
        }
        // SAFETY: the caller's contract; no vector is longer.
        unsafe { Factor([V::splat(re), V::load(signed.as_ptr())]) }
    }

    /// The products. The difference of two products is the sum with the negative one.
    ///
    /// # Safety
    /// As for [`Vector`].
    #[inline(always)]
    unsafe fn times(self, x: V) -> V {
        let [re, im] = self.0;
        // SAFETY: the caller's contract.
        unsafe { re.mul(x).add(im.mul(x.swap_pairs())) }
    }
}

#[derive(Clone, Copy)]
pub(super) struct AxpyComplex<V: Vector> {
    pub alpha: Factor<V>,
    pub at: [*mut V::Element; 2],
}

impl<V: Lanes> Operation<V, 2> for AxpyComplex<V> {
    const WRITTEN: usize = 1;

    #[inline(always)]
    fn pointers(self) -> [*mut V::Element; 2] {
        self.at
    }

    #[inline(always)]
    unsafe fn values(self, [y, x]: [V; 2]) -> [V; 2] {
        // SAFETY: the caller's contract.
        unsafe { [y.add(self.alpha.times(x)), x] }
    }
}

#[derive(Clone, Copy)]
pub(super) struct ScalComplex<V: Vector> {
    pub alpha: Factor<V>,
    pub at: *mut V::Element,
}

impl<V: Lanes> Operation<V, 1> for ScalComplex<V> {
    const WRITTEN: usize = 1;

    #[inline(always)]
    fn pointers(self) -> [*mut V::Element; 1] {
        [self.at]
    }

    #[inline(always)]
    unsafe fn values(self, [x]: [V; 1]) -> [V; 1] {
        // SAFETY: the caller's contract.
        unsafe { [self.alpha.times(x)] }
    }
}

#[derive(Clone, Copy)]
pub(super) struct Swap<V: Vector> {
    pub at: [*mut V::Element; 2],
}

impl<V: Vector> Operation<V, 2> for Swap<V> {
    const WRITTEN: usize = 2;

    #[inline(always)]
    fn pointers(self) -> [*mut V::Element; 2] {
        self.at
    }

    #[inline(always)]
    unsafe fn values(self, [x, y]: [V; 2]) -> [V; 2] {
        [y, x]
    }
}

#[derive(Clone, Copy)]
pub(super) struct Rot<V: Vector> {
    pub c: V,
    pub s: V,
    pub at: [*mut V::Element; 2],
}

impl<V: Vector> Operation<V, 2> for Rot<V> {
    const WRITTEN: usize = 2;

    #[inline(always)]
    fn pointers(self) -> [*mut V::Element; 2] {
        self.at
    }

    #[inline(always)]
    unsafe fn values(self, [x, y]: [V; 2]) -> [V; 2] {
        // SAFETY: the caller's contract.
        unsafe { [self.c.mul(x).add(self.s.mul(y)), self.c.mul(y).sub(self.s.mul(x))] }
    }
}

/// Vectors that are compared at a time.
const BLOCK: usize = 4;

/// The index of the first NaN or else of the first maximum of `n` elements of `P` parts. Blocks
/// without a larger magnitude and without a NaN need one comparison for each vector. The last block
/// overlaps the one before it: what it repeats is not larger.
///
/// # Safety
/// `x` has `P n` parts, and the CPU has the instruction set.
#[inline(always)]
pub(super) unsafe fn amax<V: Lanes, const P: usize>(x: *const V::Element, n: usize) -> usize {
    let block = const { BLOCK * V::LANES };
    let mut best = Best { index: 0, size: -V::Element::ONE };
    let len = P * n;
    // SAFETY: the caller's contract.
    unsafe {
        if len < block {
            best.scan::<P>(x, 0, n);
            return best.index;
        }
        let mut above = V::splat(V::Element::ZERO);
        let mut i = 0;
        while i < len {
            i = i.min(len - block);
            let mut sizes = [above; BLOCK];
            let mut all = V::less(sizes_at::<V, P>(x.add(i)), above);
            for (v, size) in sizes.iter_mut().enumerate() {
                *size = sizes_at::<V, P>(x.add(i + v * V::LANES));
                all = V::both(all, size.less(above));
            }
            if !V::is_full(all) {
                for (v, size) in sizes.into_iter().enumerate() {
                    if V::is_full(size.less(above)) {
                        continue;
                    }
                    let first = (i + v * V::LANES) / P;
                    if best.scan::<P>(x, first, first + V::LANES / P) {
                        return best.index;
                    }
                    above = V::splat(V::next_above(best.size));
                }
            }
            i += block;
        }
    }
    best.index
}

/// The magnitudes of a vector; those of pairs are there twice.
///
/// # Safety
/// As for [`amax`].
#[inline(always)]
unsafe fn sizes_at<V: Lanes, const P: usize>(x: *const V::Element) -> V {
    // SAFETY: the caller's contract.
    unsafe {
        let sizes = V::load(x).magnitude();
        if P == 1 { sizes } else { sizes.add(sizes.swap_pairs()) }
    }
}

/// The largest magnitude so far.
struct Best<T> {
    index: usize,
    size: T,
}

impl<T: Float> Best<T> {
    /// Takes elements `begin` to `end` into account. Stops and returns true at a NaN.
    ///
    /// # Safety
    /// The elements are readable.
    #[inline(always)]
    unsafe fn scan<const P: usize>(&mut self, x: *const T, begin: usize, end: usize) -> bool {
        for i in begin..end {
            // SAFETY: the caller's contract.
            let part = |p| unsafe { x.add(P * i + p).read_unaligned() }.magnitude();
            let size = if P == 1 { part(0) } else { part(0) + part(1) };
            if size > self.size {
                *self = Best { index: i, size };
            } else if size.partial_cmp(&size).is_none() {
                self.index = i;
                return true;
            }
        }
        false
    }
}

/// Products of each element and the other one of its pair.
#[derive(Clone, Copy)]
pub(super) struct Crossed<T>(pub *const T, pub *const T);

impl<V: Lanes> Step<V, 1> for Crossed<V::Element> {
    type Elements = [V; 2];

    #[inline(always)]
    unsafe fn load(self, i: usize) -> [V; 2] {
        // SAFETY: the contract of the trait.
        unsafe { [V::load(self.0.add(i)), V::load(self.1.add(i)).swap_pairs()] }
    }

    #[inline(always)]
    unsafe fn load_first(self, i: usize, n: usize) -> [V; 2] {
        // SAFETY: the contract of the trait.
        unsafe { [V::load_first(self.0.add(i), n), V::load_first(self.1.add(i), n).swap_pairs()] }
    }

    #[inline(always)]
    unsafe fn add(self, [sum]: [V; 1], [x, y]: [V; 2], _: bool) -> [V; 1] {
        // SAFETY: the contract of the trait.
        unsafe { [sum.add(x.mul(y))] }
    }

    #[inline(always)]
    unsafe fn start(self, [x, y]: [V; 2]) -> [V; 1] {
        // SAFETY: the contract of the trait.
        unsafe { [x.mul(y)] }
    }
}

/// Defines the kernels of an instruction set for its vectors of floats and of doubles. `[n]` is the
/// number of vectors that hold the lanes of two dot products.
macro_rules! export_vectors {
    ($isa:ident $floats:ident $doubles:ident [$n:literal]) => {
        crate::frame::isa::$isa! {
            pub(super) unsafe extern "C" fn swap_u32(x: *mut u32, y: *mut u32, n: usize) {
                // SAFETY: the contract of the kernel: `x` and `y` have n words.
                unsafe { lanes::update::<$floats, 2, 4>(lanes::Swap { at: [x.cast(), y.cast()] }, n) }
            }
        }
        lanes::export_vectors! {
            $isa f32 $floats axpy_f32 scal_f32 rot_f32 amax_f32 axpy_complex_f32 scal_complex_f32 amax_complex_f32
            dot_pairs_f32 dot_crossed_f32 [$n; LANES_F32]
        }
        lanes::export_vectors! {
            $isa f64 $doubles axpy_f64 scal_f64 rot_f64 amax_f64 axpy_complex_f64 scal_complex_f64 amax_complex_f64
            dot_pairs_f64 dot_crossed_f64 [$n; LANES_F64]
        }
    };
    ($isa:ident $type:ident $vector:ident $axpy:ident $scal:ident $rot:ident $amax:ident
     $axpy_complex:ident $scal_complex:ident $amax_complex:ident $dot_pairs:ident $dot_crossed:ident
     [$n:literal; $lanes:ident]) => {
        crate::frame::isa::$isa! {
            pub(super) unsafe extern "C" fn $axpy(alpha: $type, x: *const $type, y: *mut $type, n: usize) {
                // SAFETY: the contract of the kernel: `x` and `y` have n elements.
                unsafe {
                    let alpha = <$vector as Vector>::splat(alpha);
                    lanes::update::<$vector, 2, 4>(lanes::Axpy { alpha, at: [y, x.cast_mut()] }, n);
                }
            }

            pub(super) unsafe extern "C" fn $scal(alpha: $type, x: *mut $type, n: usize) {
                // SAFETY: the contract of the kernel: `x` has n elements.
                unsafe {
                    let alpha = <$vector as Vector>::splat(alpha);
                    lanes::update::<$vector, 1, 4>(lanes::Scal { alpha, at: x }, n);
                }
            }

            pub(super) unsafe extern "C" fn $rot(c: $type, s: $type, x: *mut $type, y: *mut $type, n: usize) {
                // SAFETY: the contract of the kernel: `x` and `y` have n elements.
                unsafe {
                    let [c, s] = [<$vector as Vector>::splat(c), <$vector as Vector>::splat(s)];
                    lanes::update::<$vector, 2, 4>(lanes::Rot { c, s, at: [x, y] }, n);
                }
            }

            pub(super) unsafe extern "C" fn $amax(x: *const $type, n: usize) -> usize {
                // SAFETY: the contract of the kernel: `x` has n elements.
                unsafe { lanes::amax::<$vector, 1>(x, n) }
            }

            pub(super) unsafe extern "C" fn $axpy_complex(
                re: $type, im: $type, x: *const $type, y: *mut $type, n: usize,
            ) {
                // SAFETY: the contract of the kernel: `x` and `y` have 2 n parts.
                unsafe {
                    let alpha = lanes::Factor::<$vector>::new(re, im);
                    lanes::update::<$vector, 2, 4>(lanes::AxpyComplex { alpha, at: [y, x.cast_mut()] }, 2 * n);
                }
            }

            pub(super) unsafe extern "C" fn $scal_complex(re: $type, im: $type, x: *mut $type, n: usize) {
                // SAFETY: the contract of the kernel: `x` has 2 n parts.
                unsafe {
                    let alpha = lanes::Factor::<$vector>::new(re, im);
                    lanes::update::<$vector, 1, 4>(lanes::ScalComplex { alpha, at: x }, 2 * n);
                }
            }

            pub(super) unsafe extern "C" fn $amax_complex(x: *const $type, n: usize) -> usize {
                // SAFETY: the contract of the kernel: `x` has 2 n parts.
                unsafe { lanes::amax::<$vector, 2>(x, n) }
            }

            pub(super) unsafe extern "C" fn $dot_pairs(x: *const $type, y: *const $type, n: usize, sums: *mut $type) {
                use crate::reduce::{contract::$lanes, lanes::alternating, steps::Dot};
                // SAFETY: the contract of the kernel: `x` and `y` have n elements, `sums` two.
                unsafe { sums.cast::<[$type; 2]>().write_unaligned(alternating::<$vector, $n, $lanes>(Dot(x, y), n)) }
            }

            pub(super) unsafe extern "C" fn $dot_crossed(x: *const $type, y: *const $type, n: usize, sums: *mut $type) {
                use crate::reduce::{contract::$lanes, lanes::alternating};
                // SAFETY: the contract of the kernel: `x` and `y` have 2 n elements, `sums` two.
                unsafe {
                    let step = lanes::Crossed(x, y);
                    sums.cast::<[$type; 2]>().write_unaligned(alternating::<$vector, $n, $lanes>(step, 2 * n));
                }
            }
        }
    };
}
pub(super) use export_vectors;

/// Implements [`Lanes`] with intrinsics: a vector and its mask, the exchange, the comparison, the
/// intersection, and whether a mask is full.
macro_rules! lanes {
    ($($vector:ident $element:ident $mask:ident |$x:ident| $swap:expr, |$a:ident, $b:ident| $less:expr,
       |$m:ident, $o:ident| $both:expr, |$full:ident| $is_full:expr;)+) => {$(
        // SAFETY: the contract of the trait, throughout.
        #[allow(unsafe_op_in_unsafe_fn)]
        impl lanes::Lanes for $vector {
            type Mask = $mask;

            #[inline(always)]
            unsafe fn swap_pairs(self) -> Self {
                let $x = self;
                $swap
            }
            #[inline(always)]
            unsafe fn less(self, $b: Self) -> $mask {
                let $a = self;
                $less
            }
            #[inline(always)]
            unsafe fn both($m: $mask, $o: $mask) -> $mask {
                $both
            }
            #[inline(always)]
            unsafe fn is_full($full: $mask) -> bool {
                $is_full
            }
            #[inline(always)]
            fn next_above(x: $element) -> $element {
                x.next_up()
            }
        }
    )+};
}
pub(super) use lanes;
