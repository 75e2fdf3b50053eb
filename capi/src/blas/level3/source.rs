//! Operands that are packed into slivers.

use core::ops::Range;

use super::super::number::{Number, Real};
use super::super::view::View;
use hotloops::reduce::Element;

/// A factor of a product, of any storage: the left one, or the transpose of the right one.
pub(in super::super) trait Source<T: Number>: Copy + Sync {
    fn columns(self) -> usize;
    /// Whether the factor is the conjugate of what is packed.
    fn is_conjugated(self) -> bool;
    /// Element (0, 0) and the distance of rows, if rows are contiguous.
    fn in_rows(self) -> Option<(*const T, isize)>;
    /// Packs a block into slivers of `widths[0]` rows, of which the last has up to `widths[1]`: of each one
    /// column after another. Slivers are adjacent.
    ///
    /// # Safety
    /// The elements are readable, as many are writable at `to`.
    unsafe fn pack(self, rows: Range<usize>, columns: Range<usize>, widths: [usize; 2], to: *mut T);
}

/// First rows and widths of slivers of `widths[0]` of `n` rows, of which the last has up to `widths[1]`.
pub(super) fn slivers(n: usize, widths: [usize; 2]) -> impl Iterator<Item = (usize, usize)> {
    let [width, last] = widths;
    let mut next = 0;
    core::iter::from_fn(move || {
        let (first, rest) = (next, n - next);
        let some = if rest <= last { rest } else { width };
        next += some;
        (some > 0).then_some((first, some))
    })
}

impl<T: Number> Source<T> for View<T> {
    fn columns(self) -> usize {
        self.columns
    }

    fn is_conjugated(self) -> bool {
        self.conjugated
    }

    fn in_rows(self) -> Option<(*const T, isize)> {
        (self.strides.column == 1).then_some((self.at.cast_const(), self.strides.row))
    }

    unsafe fn pack(self, rows: Range<usize>, columns: Range<usize>, widths: [usize; 2], to: *mut T) {
        // SAFETY: the caller's contract; the widths of tiles are copied without a call.
        unsafe {
            match widths[0] * size_of::<T>() {
                48 => copy::<T, 48>(self.block(rows, columns), widths, to),
                64 => copy::<T, 64>(self.block(rows, columns), widths, to),
                112 => copy::<T, 112>(self.block(rows, columns), widths, to),
                128 => copy::<T, 128>(self.block(rows, columns), widths, to),
                _ => copy::<T, 0>(self.block(rows, columns), widths, to),
            }
        }
    }
}

/// Columns of one factor, then those of another one with as many rows.
#[derive(Clone, Copy)]
pub(super) struct Joined<T>(pub View<T>, pub View<T>);

impl<T: Number> Source<T> for Joined<T> {
    fn columns(self) -> usize {
        self.0.columns + self.1.columns
    }

    fn is_conjugated(self) -> bool {
        self.0.conjugated
    }

    fn in_rows(self) -> Option<(*const T, isize)> {
        None
    }

    unsafe fn pack(self, rows: Range<usize>, columns: Range<usize>, widths: [usize; 2], to: *mut T) {
        let middle = self.0.columns;
        let [first, second] = [
            columns.start.min(middle)..columns.end.min(middle),
            columns.start.max(middle) - middle..columns.end.max(middle) - middle,
        ];
        for (begin, width) in slivers(rows.len(), widths) {
            let sliver = rows.start + begin..rows.start + begin + width;
            let to = to.wrapping_add(begin * columns.len());
            // SAFETY: the caller's contract.
            unsafe {
                self.0.pack(sliver.clone(), first.clone(), [width; 2], to);
                self.1.pack(sliver, second.clone(), [width; 2], to.wrapping_add(first.len() * width));
            }
        }
    }
}

/// Packed slivers of a slab, or rows in place.
#[derive(Clone, Copy)]
pub(super) struct Packed<T> {
    pub at: *const T,
    /// Rows of all slivers.
    pub n: usize,
    /// The distance of rows in place.
    pub in_place: Option<isize>,
}

impl<T> Packed<T> {
    /// Element (first, p) of the slivers, and the distances of rows and columns, for the sliver from row `first` on of
    /// `width` rows and the block from column `p` on of `depth` columns.
    pub(super) fn sliver(self, [first, width]: [usize; 2], [p, depth]: [usize; 2]) -> (*const T, isize, isize) {
        match self.in_place {
            Some(row) => (self.at.wrapping_offset(first as isize * row).wrapping_add(p), row, 1),
            None => (self.at.wrapping_add(p * self.n + first * depth), 1, width as isize),
        }
    }
}

/// Packs a slab in blocks of `depth` columns, scaled by `alpha` if its operand `is_scaled` and real.
///
/// # Safety
/// The elements are readable; as many are writable at `to`.
pub(super) unsafe fn pack<T: Number>(
    from: impl Source<T>,
    rows: Range<usize>,
    columns: Range<usize>,
    depth: usize,
    (to, is_scaled, width, last): (*mut T, bool, usize, usize),
    alpha: T,
) -> Packed<T> {
    let n = rows.len();
    // SAFETY: the caller's contract.
    unsafe {
        for p in columns.clone().step_by(depth) {
            let to = to.add((p - columns.start) * n);
            from.pack(rows.clone(), p..columns.end.min(p + depth), [width, last], to);
        }
        if is_scaled && !T::IS_COMPLEX && alpha != T::one() {
            (<T::Real as Element>::VECTORS.scal)(alpha.re(), to.cast(), n * columns.len());
        }
    }
    Packed { at: to, n, in_place: None }
}

/// [`Source::pack`] of a view, with slivers whose columns have `BYTES`, or any number if it is 0.
///
/// # Safety
/// As for [`Source::pack`].
unsafe fn copy<T: Number, const BYTES: usize>(from: View<T>, widths: [usize; 2], to: *mut T) {
    /// Columns that are read side by side: memory delivers long ones fastest.
    const TOGETHER: usize = 4;
    let (n, k) = (from.rows, from.columns);
    // SAFETY: the caller's contract, throughout.
    unsafe {
        if from.strides.row == 1 {
            for p in (0..k).step_by(TOGETHER) {
                for (first, width) in slivers(n, widths) {
                    for p in p..k.min(p + TOGETHER) {
                        let (from, to) = (from.pointer(first, p), to.add(first * k + p * width));
                        if BYTES > 0 && width == widths[0] {
                            to.cast::<[u8; BYTES]>().write_unaligned(from.cast::<[u8; BYTES]>().read_unaligned());
                        } else {
                            (0..width).for_each(|i| *to.add(i) = *from.add(i));
                        }
                    }
                }
            }
        } else {
            for (first, width) in slivers(n, widths) {
                transpose(from.block(first..first + width, 0..k), to.add(first * k));
            }
        }
    }
}

/// Writes one column after another.
///
/// # Safety
/// The elements are readable, as many are writable at `to`.
unsafe fn transpose<T: Number>(from: View<T>, to: *mut T) {
    let (size, line) = ([from.rows, from.columns], from.rows as isize);
    // Columns that go down in memory are written from the last one on.
    let last = from.columns.max(1) - 1;
    let (last, to_last) = (from.pointer(0, last), to.wrapping_add(last * from.rows));
    // SAFETY: the caller's contract. Bits of 4 or 8 bytes are moved as those of a real number.
    unsafe {
        match (from.strides.column, size_of::<T>()) {
            (1, 4) => f32::transpose(size, (from.at.cast(), from.strides.row), (to.cast(), line)),
            (1, 8) => f64::transpose(size, (from.at.cast(), from.strides.row), (to.cast(), line)),
            (-1, 4) => f32::transpose(size, (last.cast(), from.strides.row), (to_last.cast(), -line)),
            (-1, 8) => f64::transpose(size, (last.cast(), from.strides.row), (to_last.cast(), -line)),
            _ => {
                for i in 0..from.rows {
                    let line = from.pointer(i, 0);
                    for p in 0..from.columns {
                        *to.add(p * from.rows + i) = *line.wrapping_offset(p as isize * from.strides.column);
                    }
                }
            }
        }
    }
}
