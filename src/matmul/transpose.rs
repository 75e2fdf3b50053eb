//! Transposition for any vector, which the instruction sets share.

use super::tiles::Spread;

/// Transposes: tiles of `LANES` rows and of the columns of a cache line, `U` at a time. Where rows
/// or columns end, tiles overlap.
///
/// # Safety
/// The contract of the kernel.
#[inline(always)]
pub(super) unsafe fn transpose<V: Spread<1, U>, const U: usize>(
    [m, n]: [usize; 2],
    (a, a_row): (*const V::Element, isize),
    (b, b_row): (*mut V::Element, isize),
) {
    // SAFETY: i and j are within the matrix, and U columns and LANES rows from there if it has them.
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
