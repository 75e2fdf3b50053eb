use hotloops::Float;
use hotloops::clifford::signed_sums_f32::Function as Sums32;
use hotloops::clifford::signed_sums_f64::Function as Sums64;

use super::matmul::{bits, numbers};
use crate::harness::guard::{Guarded, Side};
use crate::harness::once;
use crate::harness::rng::Rng;

/// The arguments of a kernel, in its order.
type Call<'a, T, F> = &'a dyn Fn(F, usize, usize, *const T, usize, *mut T, usize, *const u32, *const u32, usize, u32);

fn sums<T: Float, F: Copy>(reference: F, subject: F, call: Call<T, F>) {
    let mut rng = Rng(18);
    for number in 0..600 {
        let (rows, n) = (number % 4, number / 4 % 75);
        let (vectors, count) = (1 + number % 5, number / 3 % 7);
        let mut terms = Vec::new();
        let ends: Vec<u32> = (0..count)
            .map(|f| {
                terms.extend((0..(f + number) % 4).map(|_| rng.word() as u32 % (2 * vectors as u32)));
                terms.len() as u32
            })
            .collect();
        let pad = [0, 1, 9][number / 5 % 3];
        let (x_row, y_row) = (vectors * n + pad, count * n + pad);
        let length = |row: usize, last: usize| if rows == 0 { 0 } else { (rows - 1) * row + last };
        let x = numbers::<T>(&mut rng, length(x_row, vectors * n), true);
        let y = numbers::<T>(&mut rng, length(y_row, count * n), true);
        let accumulate = number as u32 / 2 % 2;
        let expected = once(|| {
            let mut expected = y.clone();
            let (terms, ends) = (terms.as_ptr(), ends.as_ptr());
            call(reference, rows, n, x.as_ptr(), x_row, expected.as_mut_ptr(), y_row, terms, ends, count, accumulate);
            bits(&expected)
        });
        for side in [Side::Start, Side::End] {
            let slack = [0, 1, size_of::<T>()][number % 3];
            let (input, mut output) = (Guarded::new(&x, side, slack), Guarded::new(&y, side, slack));
            let (guarded_terms, guarded_ends) = (Guarded::new(&terms, side, slack), Guarded::new(&ends, side, slack));
            let (terms, ends, into) = (guarded_terms.as_ptr(), guarded_ends.as_ptr(), output.as_mut_ptr());
            call(subject, rows, n, input.as_ptr(), x_row, into, y_row, terms, ends, count, accumulate);
            assert_eq!(bits(&output.to_vec()), *expected, "{rows} rows of {count} sums of {n} numbers");
        }
    }
}

pub fn signed_sums_f32(reference: Sums32, subject: Sums32) {
    // SAFETY: buffers of the sizes that the kernel wants.
    sums::<f32, _>(reference, subject, &|kernel, rows, n, x, x_row, y, y_row, terms, ends, count, accumulate| unsafe {
        kernel(rows, n, x, x_row, y, y_row, terms, ends, count, accumulate)
    });
}

pub fn signed_sums_f64(reference: Sums64, subject: Sums64) {
    // SAFETY: buffers of the sizes that the kernel wants.
    sums::<f64, _>(reference, subject, &|kernel, rows, n, x, x_row, y, y_row, terms, ends, count, accumulate| unsafe {
        kernel(rows, n, x, x_row, y, y_row, terms, ends, count, accumulate)
    });
}
