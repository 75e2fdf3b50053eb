//! Views of triangular matrices.

use core::ops::Range;

use super::super::number::Number;
use super::super::view::View;

/// The diagonal of a triangular matrix.
#[derive(Clone, Copy, PartialEq)]
pub(in super::super) enum Diagonal {
    Stored,
    Ones,
    /// No terms: the imaginary parts of ones.
    Zeros,
}

#[derive(Clone, Copy)]
pub(in super::super) struct Triangular<T> {
    pub view: View<T>,
    pub lower: bool,
    pub diagonal: Diagonal,
}

impl<T: Number> Triangular<T> {
    pub(super) fn transposed(self) -> Self {
        Triangular { view: self.view.transposed(), lower: !self.lower, ..self }
    }

    /// The triangle of these rows and columns.
    pub(super) fn block(self, range: Range<usize>) -> Self {
        Triangular { view: self.view.block(range.clone(), range), ..self }
    }
}
