//! The calls of hotloops' matrix product: all that knows its interface.

use crate::clock::{Job, job};
use crate::peers::{Operands, Scalar};

/// Until the product is there: plain loops, for small cells.
pub fn by_hotloops<T: Scalar>(o: Operands<T>) -> Option<Job<'static>> {
    let cell = o.cell;
    let ((a_row, a_column), (b_row, b_column)) = (o.a_strides(), o.b_strides());
    (cell.m * cell.n * cell.k <= 1 << 21).then_some(job(move || {
        for i in 0..cell.m {
            // SAFETY: elements of the operands.
            unsafe {
                let c = o.c.offset(i as isize * o.c_stride());
                (0..cell.n).for_each(|j| *c.add(j) = T::default());
                for p in 0..cell.k as isize {
                    let x = *o.a.offset(i as isize * a_row + p * a_column);
                    let b = o.b.offset(p * b_row);
                    for j in 0..cell.n {
                        *c.add(j) = *c.add(j) + x * *b.offset(j as isize * b_column);
                    }
                }
            }
        }
    }))
}
