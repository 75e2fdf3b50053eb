//! Products with a matrix of which one triangle is stored.

use core::ops::Range;

use super::super::number::Number;
use super::super::view::View;
use super::source::{Source, slivers};

/// A symmetric or Hermitian matrix, by its lower triangle.
#[derive(Clone, Copy)]
pub(in super::super) struct Mirrored<T> {
    lower: View<T>,
    hermitian: bool,
}

impl<T: Number> Mirrored<T> {
    /// The matrix whose upper, or lower, triangle is that of `view`.
    pub(super) fn new(view: View<T>, is_lower: bool, hermitian: bool) -> Self {
        let lower = match (is_lower, hermitian) {
            (true, _) => view,
            (_, false) => view.transposed(),
            (_, true) => view.transposed().conjugated(),
        };
        Mirrored { lower, hermitian }
    }

    /// The transposed matrix.
    pub(super) fn transposed(self) -> Self {
        if self.hermitian { Mirrored { lower: self.lower.conjugated(), ..self } } else { self }
    }

    /// # Safety
    /// The elements of the triangle are readable.
    unsafe fn get(self, i: usize, j: usize) -> T {
        // SAFETY: the caller's contract.
        let element = unsafe { self.lower.get(i.max(j), i.min(j)) };
        match self.hermitian {
            true if i == j => T::from_real(element.re()),
            true if i < j => element.conj(),
            _ => element,
        }
    }
}

impl<T: Number> Source<T> for Mirrored<T> {
    fn columns(self) -> usize {
        self.lower.columns
    }

    /// The stored triangle decides; packing conjugates the other triangle of a Hermitian matrix.
    fn is_conjugated(self) -> bool {
        self.lower.conjugated
    }

    fn in_rows(self) -> Option<(*const T, isize)> {
        None
    }

    unsafe fn pack(self, rows: Range<usize>, columns: Range<usize>, widths: [usize; 2], to: *mut T) {
        for (first, width) in slivers(rows.len(), widths) {
            let (sliver, to) = (rows.start + first..rows.start + first + width, to.wrapping_add(first * columns.len()));
            let [begin, end] = [sliver.start, sliver.end].map(|p| p.clamp(columns.start, columns.end));
            let at = |p: usize| to.wrapping_add((p - columns.start) * width);
            // SAFETY: the caller's contract, throughout.
            unsafe {
                self.lower.pack(sliver.clone(), columns.start..begin, [width; 2], at(columns.start));
                let mirrored = self.lower.transposed();
                mirrored.pack(sliver.clone(), end..columns.end, [width; 2], at(end));
                if self.hermitian {
                    let mirrored = core::slice::from_raw_parts_mut(at(end), (columns.end - end) * width);
                    mirrored.iter_mut().for_each(|x| *x = x.conj());
                }
                for p in begin..end {
                    for (i, row) in sliver.clone().enumerate() {
                        let element = self.get(row, p);
                        *at(p).add(i) = if self.lower.conjugated { element.conj() } else { element };
                    }
                }
            }
        }
    }
}
