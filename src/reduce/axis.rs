//! Sums along an axis of a matrix.

use super::element::Element;
use super::scalar::fold_any;
use crate::frame::error::{Error, at_least, exactly};

/// The sum of each row of a matrix, with the bits of [`sum`](super::sum()) of its elements.
///
/// The matrix has `shape[0]` rows and `shape[1]` columns; `strides` are the distances between rows
/// and between columns, in elements. `values` begins with the element that has the lowest address.
/// For the sum of each column, exchange the two entries of the shape and of the strides. Rows or
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
            // SAFETY: element j of row i is at `start + i + j * column`; one sum for each row.
            unsafe { T::COLUMN_SUMS(n, m, start, column, sums.as_mut_ptr()) }
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
