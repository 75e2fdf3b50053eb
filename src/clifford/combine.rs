//! Transpositions.

use crate::matmul::Element;

/// Transposes each of the matrices of `m` rows and `n` columns that `x` holds.
pub(super) fn transpose<T: Element>(m: usize, n: usize, x: &[T], y: &mut [T]) {
    for (x, y) in x.chunks_exact((m * n).max(1)).zip(y.chunks_exact_mut((m * n).max(1))) {
        // SAFETY: matrices of m x n and n x m; `y` is borrowed exclusively.
        unsafe { T::TRANSPOSE(m, n, x.as_ptr(), n as isize, y.as_mut_ptr(), m as isize) }
    }
}

/// Transposes a matrix of `m` rows and `n` columns; rows are `x_row` and `y_row` numbers apart.
pub(super) fn transpose_rows<T: Element>([m, n]: [usize; 2], (x, x_row): (&[T], usize), (y, y_row): (&mut [T], usize)) {
    let fits = |rows: usize, row: usize, columns: usize, length: usize| {
        rows == 0 || columns == 0 || (rows - 1) * row + columns <= length
    };
    assert!(fits(m, x_row, n, x.len()) && fits(n, y_row, m, y.len()), "rows outside an array");
    // SAFETY: the rows are inside the arrays; `y` is borrowed exclusively.
    unsafe { T::TRANSPOSE(m, n, x.as_ptr(), x_row as isize, y.as_mut_ptr(), y_row as isize) }
}

/// Writes multivectors of some channels, `plane` numbers apart, point by point.
pub(super) fn interleave<T: Element>(blades: usize, channels: usize, x: &[T], plane: usize, y: &mut [T]) {
    match blades {
        1 => interleave_of::<T, 1>(channels, x, plane, y),
        2 => interleave_of::<T, 2>(channels, x, plane, y),
        4 => interleave_of::<T, 4>(channels, x, plane, y),
        8 => interleave_of::<T, 8>(channels, x, plane, y),
        _ => interleave_of::<T, 16>(channels, x, plane, y),
    }
}

fn interleave_of<T: Element, const BLADES: usize>(channels: usize, x: &[T], plane: usize, y: &mut [T]) {
    let (y, _) = y.as_chunks_mut::<BLADES>();
    for channel in 0..channels {
        let (x, _) = x[channel * plane..].as_chunks::<BLADES>();
        y[channel..].iter_mut().step_by(channels).zip(x).for_each(|(y, x)| *y = *x);
    }
}

/// The bytes of numbers.
pub(super) fn bytes<T: Element>(numbers: &mut [T]) -> &mut [u8] {
    // SAFETY: any bytes are valid numbers, and bytes have no alignment.
    unsafe { core::slice::from_raw_parts_mut(numbers.as_mut_ptr().cast(), size_of_val(numbers)) }
}
