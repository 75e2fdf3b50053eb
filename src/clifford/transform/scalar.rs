//! The scalar reference.

use crate::float::Float;

/// The next number of a list.
///
/// # Safety
/// There is one.
#[inline(always)]
pub(super) unsafe fn take(list: &mut *const u32) -> usize {
    // SAFETY: the caller's contract.
    unsafe {
        let value = list.read_unaligned();
        *list = list.add(1);
        value as usize
    }
}

/// Rows and the multivectors of each.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub rows: usize,
    pub n: usize,
    pub blades: usize,
}

/// Matrices of vectors: their rows, and the first one that is meant.
#[derive(Clone, Copy)]
pub(super) struct Matrices {
    pub rows: usize,
    pub first: usize,
}

/// # Safety
/// The contract of the kernel.
pub(super) unsafe fn forms<T: Float>(
    Shape { rows, n, .. }: Shape,
    (x, x_row, x_channel): (*const T, usize, usize),
    (y, all): (*mut T, Matrices),
    mut list: *const u32,
) {
    // SAFETY: the caller's contract.
    unsafe {
        for _ in 0..take(&mut list) {
            let terms = take(&mut list);
            let [before, of_row, place] = [take(&mut list), take(&mut list), take(&mut list)];
            for (r, i) in (0..rows).flat_map(|r| (0..n).map(move |i| (r, i))) {
                let from = x.add(r * x_row + i * x_channel);
                let mut sum = T::ZERO;
                for t in 0..terms {
                    let term = list.add(t).read_unaligned() as usize;
                    let number = from.add(term / 2).read_unaligned();
                    sum = if term.is_multiple_of(2) { sum + number } else { sum - number };
                }
                let at = before * all.rows + of_row * (all.first + r) + place;
                y.add(at * n + i).write_unaligned(sum);
            }
            list = list.add(terms);
        }
    }
}

/// # Safety
/// The contract of the kernel.
pub(super) unsafe fn blades<T: Float>(
    Shape { rows, n, blades }: Shape,
    (x, all): (*const T, Matrices),
    start: *const T,
    (y, y_row, y_channel): (*mut T, usize, usize),
    mut list: *const u32,
) {
    // SAFETY: the caller's contract.
    unsafe {
        for j in 0..blades {
            let terms = take(&mut list);
            for (r, i) in (0..rows).flat_map(|r| (0..n).map(move |i| (r, i))) {
                let mut sum = if start.is_null() { T::ZERO } else { start.add(j * n + i).read_unaligned() };
                let mut next = list;
                for _ in 0..terms {
                    let [before, of_row, place] = [take(&mut next), take(&mut next), take(&mut next)];
                    let at = before * all.rows + of_row * (all.first + r) + place / 2;
                    let number = x.add(at * n + i).read_unaligned();
                    sum = if place.is_multiple_of(2) { sum + number } else { sum - number };
                }
                y.add(r * y_row + i * y_channel + j).write_unaligned(sum);
            }
            list = list.add(3 * terms);
        }
    }
}

macro_rules! references {
    ($($forms:ident $blades:ident $type:ident)+) => {$(
        pub(super) unsafe extern "C" fn $forms(
            rows: usize, n: usize, blades: usize, x: *const $type, x_row: usize, x_channel: usize,
            y: *mut $type, y_rows: usize, y_first: usize, list: *const u32
        ) {
            let all = Matrices { rows: y_rows, first: y_first };
            // SAFETY: the caller's contract.
            unsafe { forms(Shape { rows, n, blades }, (x, x_row, x_channel), (y, all), list) }
        }
        pub(super) unsafe extern "C" fn $blades(
            rows: usize, n: usize, blades: usize, x: *const $type, x_rows: usize, x_first: usize,
            start: *const $type, y: *mut $type, y_row: usize, y_channel: usize, list: *const u32
        ) {
            let all = Matrices { rows: x_rows, first: x_first };
            // SAFETY: the caller's contract.
            unsafe { self::blades(Shape { rows, n, blades }, (x, all), start, (y, y_row, y_channel), list) }
        }
    )+};
}
references! { forms_f32 blades_f32 f32 forms_f64 blades_f64 f64 }
