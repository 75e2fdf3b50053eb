//! The scalar reference.

use super::super::signature::MAX_BLADES;
use crate::math::float::Float;

/// Multivectors of two dimensions, the outer one first.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub m: usize,
    pub n: usize,
    pub blades: usize,
}

/// Multivectors, with the numbers from each to the next of a dimension.
#[derive(Clone, Copy)]
pub(super) struct Multivectors<P> {
    pub at: P,
    pub outer: usize,
    pub inner: usize,
}

/// Planes of numbers, one behind the other in the inner dimension.
#[derive(Clone, Copy)]
pub(super) struct Planes<P> {
    pub at: P,
    pub outer: usize,
    pub plane: usize,
}

/// Sums of terms.
#[derive(Clone, Copy)]
pub(super) struct Sums {
    pub terms: *const u32,
    pub ends: *const u32,
    /// Intermediate sums, which are operands of the others.
    pub kept: usize,
    /// Sums that are results.
    pub count: usize,
}

impl Sums {
    /// Calls `each` with the number and the value of each result. `start` gives the number at which it begins, if
    /// there is one, `number` the numbers behind the kept sums.
    ///
    /// # Safety
    /// The terms and ends are readable; at most [`MAX_BLADES`] sums are kept.
    #[inline(always)]
    unsafe fn each<T: Float>(
        &self,
        start: impl Fn(usize) -> Option<T>,
        number: impl Fn(usize) -> T,
        mut each: impl FnMut(usize, T),
    ) {
        let mut kept = [T::ZERO; MAX_BLADES];
        let kept = kept.as_mut_ptr();
        let mut begin = 0;
        for f in 0..self.kept + self.count {
            // SAFETY: the caller's contract.
            unsafe {
                let end = self.ends.add(f).read_unaligned();
                let mut sum = if f < self.kept { None } else { start(f - self.kept) };
                for t in begin..end {
                    let term = self.terms.add(t as usize).read_unaligned() as usize;
                    let place = term / 2;
                    let number = if place < self.kept { kept.add(place).read() } else { number(place - self.kept) };
                    let number = if term.is_multiple_of(2) { number } else { -number };
                    sum = Some(sum.map_or(number, |sum| sum + number));
                }
                let sum = sum.unwrap_or(T::ZERO);
                if f < self.kept {
                    kept.add(f).write(sum)
                } else {
                    each(f - self.kept, sum)
                }
                begin = end;
            }
        }
    }
}

/// # Safety
/// The contract of the kernel.
pub(super) unsafe fn forms<T: Float>(
    Shape { m, n, .. }: Shape,
    x: Multivectors<*const T>,
    y: Planes<*mut T>,
    sums: Sums,
) {
    for (i, l) in (0..m).flat_map(|i| (0..n).map(move |l| (i, l))) {
        // SAFETY: the caller's contract.
        unsafe {
            let (from, to) = (x.at.add(i * x.outer + l * x.inner), y.at.add(i * y.outer + l));
            let number = |blade: usize| from.add(blade).read_unaligned();
            sums.each(|_| None, number, |f, sum| to.add(f * y.plane).write_unaligned(sum));
        }
    }
}

/// # Safety
/// The contract of the kernel.
pub(super) unsafe fn blades<T: Float>(
    Shape { m, n, .. }: Shape,
    x: Planes<*const T>,
    (start, is_inner): (*const T, bool),
    y: Multivectors<*mut T>,
    sums: Sums,
) {
    for (i, l) in (0..m).flat_map(|i| (0..n).map(move |l| (i, l))) {
        // SAFETY: the caller's contract.
        unsafe {
            let (from, to) = (x.at.add(i * x.outer + l), y.at.add(i * y.outer + l * y.inner));
            let place = |j: usize| if is_inner { j * n + l } else { j * m + i };
            let start = |j: usize| (!start.is_null()).then(|| start.add(place(j)).read_unaligned());
            let number = |plane: usize| from.add(plane * x.plane).read_unaligned();
            sums.each(start, number, |j, sum| to.add(j).write_unaligned(sum));
        }
    }
}

macro_rules! references {
    ($($forms:ident $blades:ident $type:ident)+) => {$(
        pub(super) unsafe extern "C" fn $forms(
            _: usize, m: usize, n: usize, blades: usize, x: *const $type, x_outer: usize, x_inner: usize,
            y: *mut $type, y_outer: usize, y_plane: usize, terms: *const u32, ends: *const u32, kept: usize, sums: usize
        ) {
            let x = Multivectors { at: x, outer: x_outer, inner: x_inner };
            let y = Planes { at: y, outer: y_outer, plane: y_plane };
            // SAFETY: the caller's contract.
            unsafe { forms(Shape { m, n, blades }, x, y, Sums { terms, ends, kept, count: sums }) }
        }
        pub(super) unsafe extern "C" fn $blades(
            _: usize, m: usize, n: usize, blades: usize, x: *const $type, x_outer: usize, x_plane: usize,
            start: *const $type, inner: u32, y: *mut $type, y_outer: usize, y_inner: usize,
            terms: *const u32, ends: *const u32, kept: usize
        ) {
            let x = Planes { at: x, outer: x_outer, plane: x_plane };
            let y = Multivectors { at: y, outer: y_outer, inner: y_inner };
            let sums = Sums { terms, ends, kept, count: blades };
            // SAFETY: the caller's contract.
            unsafe { self::blades(Shape { m, n, blades }, x, (start, inner != 0), y, sums) }
        }
    )+};
}
references! { forms_f32 blades_f32 f32 forms_f64 blades_f64 f64 }
