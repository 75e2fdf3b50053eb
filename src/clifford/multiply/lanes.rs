//! The kernels, generic over vectors, and the macro that exports them for an instruction set.
//!
//! Each coefficient of some multivectors becomes a vector, with a multivector in each lane. Further
//! vectors hold the negatives of y, so that the sign of a term costs nothing.

use core::mem::MaybeUninit;

use super::super::signature::MAX_BLADES;
use super::SCALE;
use crate::math::float::Float;
use crate::math::vector::Vector;

/// Coefficients that are transposed together.
pub(in super::super) const TOGETHER: usize = 4;

/// Vectors to which multivectors are transposed.
///
/// # Safety
/// As for [`Vector`].
pub(in super::super) trait Transpose: Vector {
    /// Lanes of 128 bits.
    const IN_PART: usize = 16 / size_of::<Self::Element>();
    /// Whether the instruction sets that have no longer vectors than these fuse.
    const FUSES: bool = true;

    /// The 128 bits at `from`, then those [`IN_PART`](Self::IN_PART) multivectors later, and so on.
    unsafe fn load_parts(from: *const Self::Element, blades: usize) -> Self;
    /// The inverse of [`load_parts()`](Self::load_parts).
    unsafe fn store_parts(self, to: *mut Self::Element, blades: usize);
    /// [`store_parts()`](Self::store_parts), with each 128 bits of `b` behind those of `self`.
    #[inline(always)]
    unsafe fn store_pairs(self, b: Self, to: *mut Self::Element, blades: usize) {
        // SAFETY: the contract of the trait; the caller's contract.
        unsafe {
            self.store_parts(to, blades);
            b.store_parts(to.add(Self::IN_PART), blades);
        }
    }
    /// The lower lanes of each 128 bits of `self` and `b`, alternating.
    unsafe fn low(self, b: Self) -> Self;
    /// The upper lanes.
    unsafe fn high(self, b: Self) -> Self;
    /// The lower 64 of each 128 bits of `self` and `b`.
    unsafe fn low_half(self, b: Self) -> Self;
    /// The upper 64 bits.
    unsafe fn high_half(self, b: Self) -> Self;

    /// For each [`IN_PART`](Self::IN_PART) coefficients, as many vectors of 128-bit parts: each part has
    /// these coefficients of a multivector. [`by_multivector()`](Self::by_multivector) has the order
    /// of the multivectors in the lanes of the transposed vectors.
    #[inline(always)]
    unsafe fn load_all<const N: usize>(from: *const Self::Element) -> [Self; N] {
        // SAFETY: the contract of the trait; the caller's contract.
        unsafe {
            let mut all = [Self::splat(Self::Element::ZERO); N];
            for (v, vector) in all.iter_mut().enumerate() {
                let (part, i) = (v / Self::IN_PART, v % Self::IN_PART);
                *vector = Self::load_parts(from.add(i * N + part * Self::IN_PART), N);
            }
            all
        }
    }
    /// The inverse of [`load_all()`](Self::load_all).
    #[inline(always)]
    unsafe fn store_all<const N: usize>(all: [Self; N], to: *mut Self::Element) {
        // SAFETY: the contract of the trait; the caller's contract.
        unsafe {
            for (v, vector) in all.into_iter().enumerate() {
                let (part, i) = (v / Self::IN_PART, v % Self::IN_PART);
                vector.store_parts(to.add(i * N + part * Self::IN_PART), N);
            }
        }
    }
    /// `self + a * b`. The product must be exact, because it may be fused or not.
    #[inline(always)]
    unsafe fn plus_product(self, a: Self, b: Self) -> Self {
        // SAFETY: the contract of the trait.
        unsafe { self.add(a.mul(b)) }
    }
    /// Whether all lanes are 0, and whether none is.
    unsafe fn zeros(self) -> [bool; 2];
    /// `a` in the lanes that are 0, `b` in the others.
    unsafe fn where_zero(self, a: Self, b: Self) -> Self;

    /// Moves lane i to the lane of multivector i of those with `N` coefficients.
    #[inline(always)]
    unsafe fn by_multivector<const N: usize>(self) -> Self {
        self
    }

    /// The `N` coefficients of as many multivectors as a vector has lanes: a vector for each coefficient.
    #[inline(always)]
    unsafe fn load_rows<const N: usize>(from: *const Self::Element) -> [Self; N] {
        // SAFETY: the contract of the trait; the caller's contract.
        unsafe { transposed_all(Self::load_all::<N>(from)) }
    }
    /// The inverse of [`load_rows()`](Self::load_rows).
    #[inline(always)]
    unsafe fn store_rows<const N: usize>(rows: [Self; N], to: *mut Self::Element) {
        // SAFETY: the contract of the trait; the caller's contract.
        unsafe { Self::store_all::<N>(transposed_all(rows), to) }
    }
}

/// Transposes the lanes of each 128 bits of as many vectors as such lanes, again and again.
///
/// # Safety
/// As for [`Vector`].
#[inline(always)]
unsafe fn transposed_all<V: Transpose, const N: usize>(mut all: [V; N]) -> [V; N] {
    // SAFETY: the caller's contract.
    unsafe {
        let mut i = 0;
        while i < N {
            if V::IN_PART == 2 {
                [all[i], all[i + 1]] = [all[i].low(all[i + 1]), all[i].high(all[i + 1])];
            } else {
                [all[i], all[i + 1], all[i + 2], all[i + 3]] = transposed([all[i], all[i + 1], all[i + 2], all[i + 3]]);
            }
            i += V::IN_PART;
        }
        all
    }
}

/// Coefficients from `from` on of as many multivectors as a vector has lanes, `blades` numbers apart: a vector
/// for each.
///
/// # Safety
/// The coefficients are readable; as for [`Vector`].
#[inline(always)]
pub(in super::super) unsafe fn load<V: Transpose>(from: *const V::Element, blades: usize) -> [V; TOGETHER] {
    // SAFETY: the caller's contract.
    unsafe {
        if V::IN_PART == 2 {
            let [a, b] = [V::load_parts(from, blades), V::load_parts(from.add(blades), blades)];
            let [c, d] = [V::load_parts(from.add(2), blades), V::load_parts(from.add(blades + 2), blades)];
            [a.low(b), a.high(b), c.low(d), c.high(d)]
        } else {
            let mut parts = [V::splat(V::Element::ZERO); TOGETHER];
            for (i, part) in parts.iter_mut().enumerate() {
                *part = V::load_parts(from.add(i * blades), blades);
            }
            transposed(parts)
        }
    }
}

/// The inverse of [`load()`].
///
/// # Safety
/// As for [`load()`].
#[inline(always)]
pub(in super::super) unsafe fn store<V: Transpose>(rows: [V; TOGETHER], to: *mut V::Element, blades: usize) {
    // SAFETY: the caller's contract.
    unsafe {
        if V::IN_PART == 2 {
            let [a, b, c, d] = rows;
            a.low(b).store_pairs(c.low(d), to, blades);
            a.high(b).store_pairs(c.high(d), to.add(blades), blades);
        } else if blades == TOGETHER {
            let [a, b, c, d] = transposed(rows);
            a.store_pairs(b, to, blades);
            c.store_pairs(d, to.add(2 * blades), blades);
        } else {
            for (i, part) in transposed(rows).into_iter().enumerate() {
                part.store_parts(to.add(i * blades), blades);
            }
        }
    }
}

/// [`store()`] of twice as many coefficients.
///
/// # Safety
/// As for [`load()`].
#[inline(always)]
pub(in super::super) unsafe fn store_two<V: Transpose>(
    [first, second]: [[V; TOGETHER]; 2],
    to: *mut V::Element,
    blades: usize,
) {
    // SAFETY: the caller's contract.
    unsafe {
        if V::IN_PART == 2 {
            store(first, to, blades);
            store(second, to.add(TOGETHER), blades);
        } else {
            let (first, second) = (transposed(first), transposed(second));
            for i in 0..TOGETHER {
                first[i].store_pairs(second[i], to.add(i * blades), blades);
            }
        }
    }
}

/// Transposes 4 x 4 lanes of each 128 bits.
///
/// # Safety
/// As for [`Vector`].
#[inline(always)]
unsafe fn transposed<V: Transpose>([a, b, c, d]: [V; TOGETHER]) -> [V; TOGETHER] {
    // SAFETY: the caller's contract.
    unsafe {
        let (first, second) = (a.low(b), c.low(d));
        let (third, fourth) = (a.high(b), c.high(d));
        [first.low_half(second), first.high_half(second), third.low_half(fourth), third.high_half(fourth)]
    }
}

/// The next of the terms.
///
/// # Safety
/// There is one.
#[inline(always)]
unsafe fn take(terms: &mut *const u16) -> usize {
    // SAFETY: the caller's contract.
    unsafe {
        let value = terms.read_unaligned();
        *terms = terms.add(1);
        usize::from(value)
    }
}

/// The coefficients of a group.
///
/// # Safety
/// `terms` are those of a group of `WIDTH` coefficients, and the rows those of a block; as for
/// [`Vector`].
#[inline(always)]
unsafe fn group<V: Transpose, const WIDTH: usize>(terms: &mut *const u16, xs: *const V, ys: *const V, zs: *mut V) {
    // SAFETY: the caller's contract.
    unsafe {
        // -0 + a = a for every a.
        let mut sums = [V::splat(-V::Element::ZERO); WIDTH];
        for _ in 0..take(terms) {
            let x = *xs.add(take(terms) / SCALE);
            for sum in &mut sums {
                *sum = sum.add(x.mul(*ys.add(take(terms) / SCALE)));
            }
        }
        for sum in sums {
            *zs.add(take(terms) / SCALE) = sum;
        }
    }
}

/// Products of as many multivectors as a vector has lanes.
///
/// # Safety
/// The contract of the kernel, for as many multivectors; as for [`Vector`].
#[inline(always)]
unsafe fn block<V: Transpose>(
    mut terms: *const u16,
    blades: usize,
    x: *const V::Element,
    y: *const V::Element,
    z: *mut V::Element,
) {
    // SAFETY: the caller's contract; rows are written before they are read.
    unsafe {
        let (mut xs, mut zs) = (MaybeUninit::<[V; MAX_BLADES]>::uninit(), MaybeUninit::<[V; MAX_BLADES]>::uninit());
        let mut ys = MaybeUninit::<[V; 2 * MAX_BLADES]>::uninit();
        let (xs, ys, zs) = (xs.as_mut_ptr().cast::<V>(), ys.as_mut_ptr().cast::<V>(), zs.as_mut_ptr().cast::<V>());
        let minus = V::splat(-V::Element::ZERO);
        for first in (0..blades).step_by(TOGETHER) {
            let (some_x, some_y) = (load::<V>(x.add(first), blades), load::<V>(y.add(first), blades));
            for i in 0..TOGETHER {
                *xs.add(first + i) = some_x[i];
                *ys.add(first + i) = some_y[i];
                *ys.add(first + i + blades) = minus.sub(some_y[i]);
            }
        }
        let (width, mut left) = (take(&mut terms), blades);
        while left > 0 {
            match width {
                8 => group::<V, 8>(&mut terms, xs, ys, zs),
                4 => group::<V, 4>(&mut terms, xs, ys, zs),
                _ => group::<V, 1>(&mut terms, xs, ys, zs),
            }
            left = left.saturating_sub(width);
        }
        for first in (0..blades).step_by(TOGETHER) {
            store(zs.add(first).cast::<[V; TOGETHER]>().read(), z.add(first), blades);
        }
    }
}

/// The kernel.
///
/// # Safety
/// The contract of the kernel; the CPU has the instruction set.
#[inline(always)]
pub(super) unsafe fn multiply<V: Transpose>(
    terms: *const u16,
    blades: usize,
    x: *const V::Element,
    y: *const V::Element,
    count: usize,
    z: *mut V::Element,
) {
    // SAFETY: the caller's contract.
    unsafe {
        if count >= V::LANES {
            // The last block begins early enough to be whole.
            for first in (0..count).step_by(V::LANES) {
                let at = first.min(count - V::LANES) * blades;
                block::<V>(terms, blades, x.add(at), y.add(at), z.add(at));
            }
        } else if count > 0 {
            let bytes = count * blades * size_of::<V::Element>();
            let mut copies = [[V::splat(V::Element::ZERO); MAX_BLADES]; 3];
            let [some_x, some_y, some_z] = &mut copies;
            some_x.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(x.cast(), bytes);
            some_y.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(y.cast(), bytes);
            block::<V>(terms, blades, some_x.as_ptr().cast(), some_y.as_ptr().cast(), some_z.as_mut_ptr().cast());
            z.cast::<u8>().copy_from_nonoverlapping(some_z.as_ptr().cast(), bytes);
        }
    }
}

/// Exports the kernels of an instruction set for its vectors.
macro_rules! export_products {
    ($isa:ident $($name:ident $vector:ident $element:ident)+) => {
        $crate::frame::isa::$isa! {$(
            pub(super) unsafe extern "C" fn $name(
                terms: *const u16, blades: usize, x: *const $element, y: *const $element, count: usize,
                z: *mut $element,
            ) {
                // SAFETY: the caller's contract.
                unsafe { lanes::multiply::<$vector>(terms, blades, x, y, count, z) }
            }
        )+}
    };
}
pub(super) use export_products;
