//! The scalar reference.

use crate::float::Float;

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
    pub count: usize,
}

impl Sums {
    /// Sum number `f`, begun at `start` if there is one; `number` reads the number at a place.
    ///
    /// # Safety
    /// The terms and ends are readable.
    #[inline(always)]
    unsafe fn sum<T: Float>(&self, f: usize, start: Option<T>, number: impl Fn(usize) -> T) -> T {
        // SAFETY: the caller's contract.
        unsafe {
            let begin = if f == 0 { 0 } else { self.ends.add(f - 1).read_unaligned() };
            let mut sum = start;
            for t in begin..self.ends.add(f).read_unaligned() {
                let term = self.terms.add(t as usize).read_unaligned() as usize;
                let (number, is_negative) = (number(term / 2), !term.is_multiple_of(2));
                let number = if is_negative { -number } else { number };
                sum = Some(sum.map_or(number, |sum| sum + number));
            }
            sum.unwrap_or(T::ZERO)
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
            let from = x.at.add(i * x.outer + l * x.inner);
            for f in 0..sums.count {
                let sum = sums.sum(f, None, |blade| from.add(blade).read_unaligned());
                y.at.add(i * y.outer + f * y.plane + l).write_unaligned(sum);
            }
        }
    }
}

/// # Safety
/// The contract of the kernel.
pub(super) unsafe fn blades<T: Float>(
    Shape { m, n, blades }: Shape,
    x: Planes<*const T>,
    (start, is_inner): (*const T, bool),
    y: Multivectors<*mut T>,
    sums: Sums,
) {
    for (i, l) in (0..m).flat_map(|i| (0..n).map(move |l| (i, l))) {
        // SAFETY: the caller's contract.
        unsafe {
            let from = x.at.add(i * x.outer + l);
            for j in 0..blades {
                let place = if is_inner { j * n + l } else { j * m + i };
                let start = (!start.is_null()).then(|| start.add(place).read_unaligned());
                let sum = sums.sum(j, start, |plane| from.add(plane * x.plane).read_unaligned());
                y.at.add(i * y.outer + l * y.inner + j).write_unaligned(sum);
            }
        }
    }
}

macro_rules! references {
    ($($forms:ident $blades:ident $type:ident)+) => {$(
        pub(super) unsafe extern "C" fn $forms(
            _: usize, m: usize, n: usize, blades: usize, x: *const $type, x_outer: usize, x_inner: usize,
            y: *mut $type, y_outer: usize, y_plane: usize, terms: *const u32, ends: *const u32, sums: usize
        ) {
            let x = Multivectors { at: x, outer: x_outer, inner: x_inner };
            let y = Planes { at: y, outer: y_outer, plane: y_plane };
            // SAFETY: the caller's contract.
            unsafe { forms(Shape { m, n, blades }, x, y, Sums { terms, ends, count: sums }) }
        }
        pub(super) unsafe extern "C" fn $blades(
            _: usize, m: usize, n: usize, blades: usize, x: *const $type, x_outer: usize, x_plane: usize,
            start: *const $type, inner: u32, y: *mut $type, y_outer: usize, y_inner: usize,
            terms: *const u32, ends: *const u32
        ) {
            let x = Planes { at: x, outer: x_outer, plane: x_plane };
            let y = Multivectors { at: y, outer: y_outer, inner: y_inner };
            let sums = Sums { terms, ends, count: blades };
            // SAFETY: the caller's contract.
            unsafe { self::blades(Shape { m, n, blades }, x, (start, inner != 0), y, sums) }
        }
    )+};
}
references! { forms_f32 blades_f32 f32 forms_f64 blades_f64 f64 }
