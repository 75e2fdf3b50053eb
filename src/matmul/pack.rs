//! Copies blocks into the layouts that kernels read fast, and scales C.

use super::element::Element;
use super::view::Strides;
use crate::frame::cache::prefetch;

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
        } else if from_column == -1 {
            for i in 0..rows {
                let (last, to) =
                    (from.at.wrapping_offset(i as isize * from_row - (columns as isize - 1)), to.add(i * row));
                for j in 0..columns {
                    to.add(j).write_unaligned(last.add(columns - 1 - j).read_unaligned());
                }
            }
        } else if from_row == -1 && rows > 0 {
            let (last, to) = (from.at.wrapping_sub(rows - 1), to.add((rows - 1) * row));
            T::TRANSPOSE(columns, rows, last, from_column, to, -(row as isize));
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
            (T::VECTORS.scal)(alpha, to.add(i * row), columns);
        }
    }
}

/// Copies a block to slivers of `nr` columns, of which the last may have up to `last`. Rows of a
/// sliver are contiguous, and so are slivers.
///
/// # Safety
/// The columns of the block are contiguous and can be read; `to` has room for all slivers, and they
/// do not overlap.
pub(super) unsafe fn slivers<T: Element>(from: Source<T>, shape: [usize; 2], widths: [usize; 2], to: *mut T) {
    // The rows of the tiles' slivers are copied without a call.
    // SAFETY: the same contract.
    unsafe {
        match widths[0] * size_of::<T>() {
            24 => slivers_of::<T, 24>(from, shape, widths, to),
            32 => slivers_of::<T, 32>(from, shape, widths, to),
            48 => slivers_of::<T, 48>(from, shape, widths, to),
            56 => slivers_of::<T, 56>(from, shape, widths, to),
            64 => slivers_of::<T, 64>(from, shape, widths, to),
            112 => slivers_of::<T, 112>(from, shape, widths, to),
            128 => slivers_of::<T, 128>(from, shape, widths, to),
            _ => slivers_of::<T, 0>(from, shape, widths, to),
        }
    }
}

/// [`slivers`] whose rows have `BYTES`, or any number of bytes if `BYTES` is 0. Reads a few rows side
/// by side over their whole length: memory delivers long rows fastest.
///
/// # Safety
/// As for [`slivers`].
unsafe fn slivers_of<T: Element, const BYTES: usize>(
    from: Source<T>,
    [rows, columns]: [usize; 2],
    [nr, last]: [usize; 2],
    to: *mut T,
) {
    /// Rows that are read side by side, and the prefetch distance in rows.
    const TOGETHER: usize = 4;
    let row = |p: usize| from.at.wrapping_offset(p as isize * from.strides.row);
    for p in (0..rows).step_by(TOGETHER) {
        let some = p..rows.min(p + TOGETHER);
        let mut j = 0;
        while columns - j > last {
            for p in some.clone() {
                let (from, to) = (row(p).wrapping_add(j), to.wrapping_add(j * rows + p * nr));
                prefetch(row(p + TOGETHER).wrapping_add(j));
                // SAFETY: a row of the block, and of a sliver.
                unsafe {
                    match BYTES {
                        0 => from.cast::<u8>().copy_to_nonoverlapping(to.cast(), nr * size_of::<T>()),
                        _ => to.cast::<[u8; BYTES]>().write_unaligned(from.cast::<[u8; BYTES]>().read_unaligned()),
                    }
                }
            }
            j += nr;
        }
        let width = columns - j;
        for p in some {
            let (from, to) = (row(p).wrapping_add(j).cast::<u8>(), to.wrapping_add(j * rows + p * width));
            prefetch(row(p + TOGETHER).wrapping_add(j));
            // SAFETY: the rest of the row, and a row of the last sliver.
            unsafe { from.copy_to_nonoverlapping(to.cast(), width * size_of::<T>()) }
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
    if beta == T::ONE || n == 0 {
        return;
    }
    // Along contiguous lines.
    let (lines, length, Strides { row, column }) =
        if strides.row == 1 && strides.column != 1 { (n, m, strides.transposed()) } else { (m, n, strides) };
    for i in 0..lines {
        let line = c.wrapping_offset((i as isize).wrapping_mul(row));
        // SAFETY: elements of C.
        unsafe {
            if beta != T::ZERO && column == 1 {
                (T::VECTORS.scal)(beta, line, length);
                continue;
            }
            for j in 0..length {
                let c = line.wrapping_offset((j as isize).wrapping_mul(column));
                c.write_unaligned(if beta == T::ZERO { T::ZERO } else { beta * c.read_unaligned() });
            }
        }
    }
}
