//! Sums along an axis of a matrix.

use super::element::Element;
use super::scalar::{LANES_F32, LANES_F64, canonical, fold_any};
use crate::error::{Error, at_least, exactly};

/// Sums that are computed side by side.
const WIDTH: usize = 64;

/// The sum of each row of a matrix, with the bits of [`sum`](super::sum()) of its elements.
///
/// The matrix has `shape[0]` rows and `shape[1]` columns; `strides` are the distances between rows
/// and between columns, in elements. `values` begins with the element that has the lowest address.
/// For the sum of each column, exchange the two numbers of the shape and of the strides. Rows or
/// columns that are contiguous are read as fast as memory allows.
///
/// ```
/// let x = [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]; // 2 rows of 3
/// let (mut rows, mut columns) = ([0.0; 2], [0.0; 3]);
/// hotloops::reduce::row_sums(&x, [2, 3], [3, 1], &mut rows)?;
/// hotloops::reduce::row_sums(&x, [3, 2], [1, 3], &mut columns)?;
/// assert_eq!((rows, columns), ([6.0, 15.0], [5.0, 7.0, 9.0]));
/// # Ok::<(), hotloops::Error>(())
/// ```
///
/// # Errors
/// [`Error::Length`] if `values` ends before the last element, or if there is not one of `sums` for
/// each row; [`Error::TooLarge`] if an index overflows. Nothing is written then.
pub fn row_sums<T: Element>(values: &[T], shape: [usize; 2], strides: [isize; 2], sums: &mut [T]) -> Result<(), Error> {
    let ([m, n], [row, column]) = (shape, strides);
    let (length, first) = extent(shape, strides)?;
    at_least("values", length, values.len())?;
    exactly("sums", m, sums.len())?;
    if n == 0 {
        sums.fill(T::ZERO);
        return Ok(());
    }
    let start = values.as_ptr().wrapping_add(first);
    match strides {
        [_, 1] => {
            for (i, sum) in sums.iter_mut().enumerate() {
                // SAFETY: the elements of row i.
                *sum = unsafe { T::SUM(start.offset(i as isize * row), n) };
            }
        }
        [1, _] => {
            for (block, sums) in sums.chunks_mut(WIDTH).enumerate() {
                // SAFETY: elements of these rows.
                side_by_side(sums, n, |j, width| unsafe {
                    let from = start.add(block * WIDTH).offset(j as isize * column);
                    core::slice::from_raw_parts(from, width)
                });
            }
        }
        _ => {
            for (i, sum) in sums.iter_mut().enumerate() {
                // SAFETY: an element of row i.
                *sum = fold_any(n, |j| unsafe { *start.offset(i as isize * row + j as isize * column) });
            }
        }
    }
    Ok(())
}

/// At most [`WIDTH`] sums. `column(j, width)` gives element j of each.
fn side_by_side<'a, T: Element>(sums: &mut [T], n: usize, column: impl Fn(usize, usize) -> &'a [T]) {
    fn add<T: Element>(to: &mut [T], from: &[T]) {
        to.iter_mut().zip(from).for_each(|(to, from)| *to = *to + *from);
    }
    let (width, count) = (sums.len(), if size_of::<T>() == 4 { LANES_F32 } else { LANES_F64 });
    let mut lanes = [-T::ZERO; LANES_F32 * WIDTH];
    for j in 0..n {
        add(&mut lanes[j % count * WIDTH..][..width], column(j, width));
    }
    let mut half = count / 2;
    while half > 0 {
        let (lower, upper) = lanes.split_at_mut(half * WIDTH);
        lower.chunks_mut(WIDTH).zip(upper.chunks(WIDTH)).for_each(|(lower, upper)| add(lower, upper));
        half /= 2;
    }
    sums.iter_mut().zip(&lanes).for_each(|(sum, lane)| *sum = canonical(*lane));
}

/// The number of elements from the lowest address to the highest, and the index of (0, 0).
pub(super) fn extent([m, n]: [usize; 2], [row, column]: [isize; 2]) -> Result<(usize, usize), Error> {
    if m == 0 || n == 0 {
        return Ok((0, 0));
    }
    let reach = || {
        let (down, right) = ((m - 1).checked_mul(row.unsigned_abs())?, (n - 1).checked_mul(column.unsigned_abs())?);
        let length = down.checked_add(right)?.checked_add(1).filter(|&length| length <= isize::MAX as usize)?;
        Some((length, if row < 0 { down } else { 0 } + if column < 0 { right } else { 0 }))
    };
    reach().ok_or(Error::TooLarge { argument: "strides" })
}
