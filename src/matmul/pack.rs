//! Copies blocks into the layouts that kernels read fast, and scales C.

use super::element::Element;
use super::view::Strides;
use crate::cache::prefetch;

/// A block of a matrix: its element (0, 0), at any alignment, and its strides.
#[derive(Clone, Copy)]
pub(super) struct Source<T> {
    pub at: *const T,
    pub strides: Strides,
}

/// Copies a block to contiguous rows, `row` elements apart.
///
/// # Safety
/// The block can be read, `to` has room for `rows` rows of `columns`, and they do not overlap.
pub(super) unsafe fn gather<T: Element>(from: Source<T>, rows: usize, columns: usize, to: *mut T, row: usize) {
    let Strides { row: from_row, column: from_column } = from.strides;
    // SAFETY: elements of the block and of its copy, throughout.
    unsafe {
        if from_column == 1 || columns <= 1 {
            for i in 0..rows {
                let (from, to) = (from.at.wrapping_offset(i as isize * from_row), to.add(i * row));
                from.cast::<u8>().copy_to_nonoverlapping(to.cast(), columns * size_of::<T>());
            }
        } else if from_row == 1 {
            T::TRANSPOSE(columns, rows, from.at, from_column, to, row as isize);
        } else {
            for i in 0..rows {
                for j in 0..columns {
                    let x = from.at.wrapping_offset(from.strides.offset(i, j)).read_unaligned();
                    to.add(i * row + j).write_unaligned(x);
                }
            }
        }
    }
}

/// [`gather`], then multiplies each element by `alpha` if `scales` is set.
///
/// # Safety
/// As for [`gather`].
pub(super) unsafe fn gather_scaled<T: Element>(
    from: Source<T>,
    [rows, columns]: [usize; 2],
    (to, row): (*mut T, usize),
    alpha: T,
    scales: bool,
) {
    // SAFETY: the caller's contract; `to` is aligned memory of this library.
    unsafe {
        gather(from, rows, columns, to, row);
        for i in 0..if scales { rows } else { 0 } {
            let row = core::slice::from_raw_parts_mut(to.add(i * row), columns);
            row.iter_mut().for_each(|x| *x = alpha * *x);
        }
    }
}

/// Copies a block to slivers of `nr` columns. Rows of a sliver are contiguous, and so are slivers.
/// Reads a few rows side by side over their whole length: memory delivers long rows fastest.
///
/// # Safety
/// The columns of the block are contiguous and can be read; `to` has room for all slivers, and they
/// do not overlap.
pub(super) unsafe fn slivers<T: Element>(from: Source<T>, [rows, columns]: [usize; 2], nr: usize, to: *mut T) {
    /// Rows that are read side by side, and the prefetch distance in rows.
    const TOGETHER: usize = 4;
    let row = |p: usize| from.at.wrapping_offset(p as isize * from.strides.row);
    for p in (0..rows).step_by(TOGETHER) {
        for j in (0..columns).step_by(nr) {
            let width = nr.min(columns - j);
            for p in p..rows.min(p + TOGETHER) {
                // SAFETY: a row of the block, and of a sliver.
                unsafe {
                    prefetch(row(p + TOGETHER).wrapping_add(j));
                    copy(row(p).wrapping_add(j), to.add(j * rows + p * width), width);
                }
            }
        }
    }
}

/// Copies `n` elements. The rows of a sliver are copied without a call.
///
/// # Safety
/// They can be read, or written, and do not overlap.
#[inline(always)]
unsafe fn copy<T: Element>(from: *const T, to: *mut T, n: usize) {
    // SAFETY: the caller's contract.
    unsafe {
        match n * size_of::<T>() {
            32 => to.cast::<[u8; 32]>().write_unaligned(from.cast::<[u8; 32]>().read_unaligned()),
            48 => to.cast::<[u8; 48]>().write_unaligned(from.cast::<[u8; 48]>().read_unaligned()),
            64 => to.cast::<[u8; 64]>().write_unaligned(from.cast::<[u8; 64]>().read_unaligned()),
            128 => to.cast::<[u8; 128]>().write_unaligned(from.cast::<[u8; 128]>().read_unaligned()),
            bytes => from.cast::<u8>().copy_to_nonoverlapping(to.cast(), bytes),
        }
    }
}

/// Copies a block column by column. Each element is multiplied by `alpha` and stored `copies`
/// times: element (i, p) at `to + copies (rows p + i)`.
///
/// # Safety
/// The block can be read, `to` has room for all copies, and they do not overlap.
pub(super) unsafe fn splat<T: Element>(
    from: Source<T>,
    [rows, columns]: [usize; 2],
    to: *mut T,
    copies: usize,
    alpha: T,
) {
    for i in 0..rows {
        for p in 0..columns {
            // SAFETY: an element of the block, and its copies.
            unsafe {
                let x = alpha * from.at.wrapping_offset(from.strides.offset(i, p)).read_unaligned();
                let to = to.add(copies * (rows * p + i));
                match copies {
                    4 => to.cast::<[T; 4]>().write_unaligned([x; 4]),
                    _ => to.cast::<[T; 2]>().write_unaligned([x; 2]),
                }
            }
        }
    }
}

/// The reverse of [`gather`], from rows without gaps between them.
///
/// # Safety
/// As for [`gather`].
pub(super) unsafe fn scatter<T: Element>(from: *const T, rows: usize, columns: usize, to: *mut T, strides: Strides) {
    for i in 0..rows {
        for j in 0..columns {
            // SAFETY: elements of the copy and of the block.
            unsafe {
                let x = from.add(i * columns + j).read_unaligned();
                to.wrapping_offset(strides.offset(i, j)).write_unaligned(x);
            }
        }
    }
}

/// `C = beta C`. If `beta` is 0, C is not read.
///
/// # Safety
/// The elements of C can be read and written.
pub(super) unsafe fn scale<T: Element>(m: usize, n: usize, c: *mut T, strides: Strides, beta: T) {
    if beta == T::ONE {
        return;
    }
    for i in 0..m {
        for j in 0..n {
            let c = c.wrapping_offset(strides.offset(i, j));
            // SAFETY: an element of C.
            unsafe { c.write_unaligned(if beta == T::ZERO { T::ZERO } else { beta * c.read_unaligned() }) }
        }
    }
}
