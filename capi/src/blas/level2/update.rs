//! Adds products of vectors to lines: `a[i, j] = fma(alpha x[i], y[j], a[i, j])` with `alpha x[i]`
//! rounded, and of complex numbers as a complex product with one term.

use hotloops::matmul::Strides;

use super::super::export::prelude::*;
use super::super::simd::{Lanes, Simd, Task};
use super::super::vector::Vector;
use super::super::view::View;
use super::lines::Lines;
use super::sums::Sums;
use super::vectors::Contiguous;

/// The product `alpha x y^T`.
#[derive(Clone, Copy)]
pub(super) struct Term<T> {
    pub alpha: T,
    pub x: Vector<T>,
    pub y: Vector<T>,
}

/// The vectors of a term: the one whose elements are along a line, and the one with an element for each
/// line. Those of real numbers are contiguous, x times alpha; of complex ones y may be conjugated.
struct Vectors<T> {
    alpha: T,
    along: Contiguous<T>,
    across: Contiguous<T>,
    /// Whether x is along the lines.
    is_x_along: bool,
    conjugates: bool,
}

impl<T: Number> Vectors<T> {
    /// # Safety
    /// The vectors are readable.
    unsafe fn new(term: Term<T>, is_x_along: bool, conjugates: bool) -> Self {
        let factor = if T::IS_COMPLEX { T::one() } else { term.alpha };
        // SAFETY: the caller's contract.
        let (x, y) = unsafe { (Contiguous::new(term.x, factor), Contiguous::new(term.y, T::one())) };
        let (along, across) = if is_x_along { (x, y) } else { (y, x) };
        Vectors { alpha: term.alpha, along, across, is_x_along, conjugates }
    }

    /// Adds the complex product of element `l` across and those along from `begin` on to a line.
    ///
    /// # Safety
    /// The elements of the line are readable and writable and overlap nothing else.
    unsafe fn add_complex(&self, l: usize, begin: usize, line: *mut T, n: usize) {
        let (alpha, zero) = (self.alpha, T::Real::zero());
        // SAFETY: the caller's contract; the vectors have these elements.
        unsafe {
            let across = *self.across.at.wrapping_add(l);
            for i in 0..n {
                let (along, to) = (*self.along.at.wrapping_add(begin + i), line.wrapping_add(i));
                let (x, y) = if self.is_x_along { (along, across) } else { (across, along) };
                let y = if self.conjugates { y.conj() } else { y };
                // A chain of one term begins at +0.
                let term = |a: T::Real, b: T::Real| a * b + zero;
                let s = [term(x.re(), y.re()) - term(x.im(), y.im()), term(x.re(), y.im()) + term(x.im(), y.re())];
                // A complex number is two reals in memory.
                let s = *s.as_ptr().cast::<T>();
                *to = if alpha == T::one() { s } else { alpha * s } + *to;
            }
        }
    }
}

/// Adds terms to the stored elements of each line, in order.
///
/// The contract of running it is that of [`update`].
struct Update<'a, T: Number, const N: usize> {
    lines: &'a Lines<T>,
    terms: [Vectors<T>; N],
}

impl<T: Number, const N: usize> Task<T::Real> for Update<'_, T, N> {
    #[inline(always)]
    unsafe fn run<V: Lanes<T::Real>>(&self) {
        let (parts, step) = (Sums::<T>::PARTS, V::LANES / Sums::<T>::PARTS);
        for l in 0..self.lines.count {
            let run = self.lines.run(l);
            let line = self.lines.pointer(l, 0);
            let mut first = run.start;
            // SAFETY: the caller's contract, throughout.
            unsafe {
                while first + step <= run.end {
                    let to = line.wrapping_add(first).cast();
                    let mut sum = V::load(to);
                    for term in &self.terms {
                        let along = V::load(term.along.at.wrapping_add(first).cast());
                        sum = term.added(l, along, sum);
                    }
                    sum.store(to);
                    first += step;
                }
                if first < run.end {
                    let mask = V::mask(0, parts * (run.end - first));
                    let to = line.wrapping_add(first).cast();
                    let mut sum = V::load_masked(to, mask);
                    for term in &self.terms {
                        let along = V::load_masked(term.along.at.wrapping_add(first).cast(), mask);
                        sum = term.added(l, along, sum);
                    }
                    sum.store_masked(to, mask);
                }
            }
        }
    }
}

impl<T: Number> Vectors<T> {
    /// `sum` with the term of element `l` across and those along.
    ///
    /// # Safety
    /// The CPU has the instructions of `V`; element `l` is readable.
    #[inline(always)]
    unsafe fn added<V: Lanes<T::Real>>(&self, l: usize, along: V, sum: V) -> V {
        // SAFETY: the caller's contract, throughout.
        unsafe {
            let mut across = *self.across.at.wrapping_add(l);
            if !T::IS_COMPLEX {
                return V::splat(across.re()).fma(along, sum);
            }
            let mut along = along;
            if self.conjugates && self.is_x_along {
                across = across.conj();
            } else if self.conjugates {
                along = along.conjugated();
            }
            // A chain of one term begins at +0.
            let zero = V::splat(T::Real::zero());
            let straight = along.times(V::splat(across.re())).plus(zero);
            let crossed = along.swapped().times(V::splat(across.im())).plus(zero);
            let mut product = straight.minus(crossed).with_odd(straight.plus(crossed));
            if self.alpha != T::one() {
                product = product.times_complex(V::splat(self.alpha.re()), V::splat(self.alpha.im()));
            }
            product.plus(sum)
        }
    }
}

/// Adds a term to all elements.
///
/// # Safety
/// The lines are readable and writable; the vectors are readable and do not overlap them.
pub(super) unsafe fn update<T: Number>(lines: &Lines<T>, is_x_along: bool, conjugates: bool, term: Term<T>) {
    if lines.count == 0 || lines.length == 0 || term.alpha == T::zero() {
        return;
    }
    // SAFETY: the caller's contract, throughout.
    unsafe {
        let vectors = Vectors::new(term, is_x_along, conjugates);
        if T::IS_COMPLEX {
            let task = Update { lines, terms: [vectors] };
            if !T::Real::run(&task) {
                for l in 0..lines.count {
                    task.terms[0].add_complex(l, 0, lines.pointer(l, 0), lines.length);
                }
            }
            return;
        }
        let (rows, unit) = (lines.stride().unwrap_or(0), Strides { row: 1, column: 1 });
        let across = View::new(vectors.across.at.cast::<T::Real>(), lines.count, 1, unit);
        let along = View::new(vectors.along.at.cast::<T::Real>(), 1, lines.length, unit);
        let strides = Strides { row: rows, column: 1 };
        let a = View::new(lines.pointer(0, 0).cast::<T::Real>(), lines.count, lines.length, strides);
        T::Real::product(T::Real::one(), across, along, T::Real::one(), a);
    }
}

/// Adds terms to the stored elements of a triangle, in order, with y conjugated. The imaginary part of
/// the diagonal becomes 0.
///
/// # Safety
/// As for [`update`].
pub(super) unsafe fn update_triangle<T: Number, const N: usize>(
    lines: &Lines<T>,
    is_x_along: bool,
    terms: [Term<T>; N],
) {
    if lines.count == 0 || terms[0].alpha == T::zero() {
        return;
    }
    // SAFETY: the caller's contract, throughout.
    unsafe {
        let task = Update { lines, terms: terms.map(|term| Vectors::new(term, is_x_along, T::IS_COMPLEX)) };
        let rest = if T::Real::run(&task) { &[][..] } else { &task.terms };
        for vectors in rest {
            for l in 0..lines.count {
                let run = lines.run(l);
                let line = lines.pointer(l, run.start);
                if T::IS_COMPLEX {
                    vectors.add_complex(l, run.start, line, run.len());
                } else {
                    let across = vectors.across.at.wrapping_add(l).cast();
                    let along = vectors.along.at.wrapping_add(run.start).cast();
                    T::Real::fuse([1, run.len(), 1], (across, 0, 0), (along, 0), (line.cast(), 0));
                }
            }
        }
        if T::IS_COMPLEX {
            for l in 0..lines.count {
                let diagonal = lines.pointer(l, l);
                *diagonal = T::from_real((*diagonal).re());
            }
        }
    }
}
