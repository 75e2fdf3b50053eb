//! Transposition, written once for the vectors of all instruction sets.

use super::strips::Spread;

/// Transposes tiles of `LANES` rows and one cache line of columns, `U` columns at a time. At the
/// ends of rows and columns, tiles overlap.
///
/// # Safety
/// The contract of the kernel.
#[inline(always)]
pub(super) unsafe fn transpose<V: Spread<1, U>, const U: usize>(
    [m, n]: [usize; 2],
    (a, a_row): (*const V::Element, isize),
    (b, b_row): (*mut V::Element, isize),
) {
    // SAFETY: i and j are within the matrix. U columns and LANES rows from there are too, if the
    // matrix is that large.
    unsafe {
        if m < V::LANES || n < U {
            for i in 0..m {
                for j in 0..n {
                    let x = a.offset(i as isize * a_row).add(j).read_unaligned();
                    b.offset(j as isize * b_row).add(i).write_unaligned(x);
                }
            }
            return;
        }
        let line = 64 / size_of::<V::Element>();
        for first in (0..n).step_by(line) {
            for i in (0..m).step_by(V::LANES) {
                let i = i.min(m - V::LANES);
                for j in (first..n.min(first + line)).step_by(U) {
                    let j = j.min(n - U);
                    let columns = V::spread(a.offset(i as isize * a_row).add(j), a_row);
                    for (u, column) in columns.into_iter().enumerate() {
                        column.store(b.offset((j + u) as isize * b_row).add(i));
                    }
                }
            }
        }
    }
}
