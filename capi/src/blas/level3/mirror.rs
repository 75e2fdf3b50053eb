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
                    let (at, before) = (at(p), p - sliver.start);
                    let line = |of: View<T>, i: usize| of.pointer(sliver.start + i, p);
                    (0..before).for_each(|i| *at.add(i) = *line(mirrored, i));
                    (before..width).for_each(|i| *at.add(i) = *line(self.lower, i));
                    if self.hermitian {
                        (0..before).for_each(|i| *at.add(i) = (*at.add(i)).conj());
                        let real = T::from_real((*at.add(before)).re());
                        *at.add(before) = if self.lower.conjugated { real.conj() } else { real };
                    }
                }
            }
        }
    }
}
