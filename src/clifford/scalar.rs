//! The definition of signed sums, one number at a time.

use crate::float::Float;

macro_rules! kernels {
    ($($name:ident $type:ident),+) => {$(
        pub(super) unsafe extern "C" fn $name(
            rows: usize, n: usize, x: *const $type, x_row: usize, y: *mut $type, y_row: usize,
            terms: *const u32, ends: *const u32, sums: usize, accumulate: u32,
        ) {
            // SAFETY: the caller's contract.
            unsafe { signed_sums(rows, n, (x, x_row), (y, y_row), (terms, ends, sums), accumulate != 0) }
        }
    )+};
}
kernels! { signed_sums_f32 f32, signed_sums_f64 f64 }

/// # Safety
/// The contract of the kernels.
unsafe fn signed_sums<T: Float>(
    rows: usize,
    n: usize,
    (x, x_row): (*const T, usize),
    (y, y_row): (*mut T, usize),
    (terms, ends, sums): (*const u32, *const u32, usize),
    accumulate: bool,
) {
    for row in 0..rows {
        let mut begin = 0;
        for f in 0..sums {
            // SAFETY: the caller's contract.
            unsafe {
                let end = ends.add(f).read_unaligned() as usize;
                for i in 0..n {
                    let to = y.add(row * y_row + f * n + i);
                    let mut sum = if accumulate { to.read_unaligned() } else { T::ZERO };
                    for t in begin..end {
                        let term = terms.add(t).read_unaligned();
                        let number = x.add(row * x_row + (term >> 1) as usize * n + i).read_unaligned();
                        sum = if term.is_multiple_of(2) { sum + number } else { sum - number };
                    }
                    to.write_unaligned(sum);
                }
                begin = end;
            }
        }
    }
}
