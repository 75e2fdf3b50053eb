//! Matrices of the caller, and the check that they do not overlap.

use crate::frame::error::Error;
use crate::matmul::element::Element;
use crate::matmul::view::{MatMut, MatRef, Strides};

/// A matrix of the caller: the pointer to its element (0, 0), rows, columns, strides.
#[derive(Clone, Copy)]
pub(super) struct Matrix<P> {
    pub at: P,
    pub rows: usize,
    pub columns: usize,
    pub strides: Strides,
    pub argument: &'static str,
}

impl<P> Matrix<P> {
    pub fn new(at: P, [rows, columns]: [usize; 2], [row, column]: [isize; 2], argument: &'static str) -> Self {
        Matrix { at, rows, columns, strides: Strides { row, column }, argument }
    }

    /// The memory of the matrix.
    pub fn area<T>(&self, at: *const T) -> Result<Area, Error> {
        let (extent, first) = self.strides.extent::<T>(self.rows, self.columns, self.argument)?;
        if extent > 0 && at.is_null() {
            return Err(Error::Null { argument: self.argument });
        }
        let [row, column] = [self.strides.row, self.strides.column].map(isize::unsigned_abs);
        let lines = match () {
            _ if column == 1 || self.columns <= 1 => Some((self.rows, self.columns, row)),
            _ if row == 1 || self.rows <= 1 => Some((self.columns, self.rows, column)),
            _ => None,
        };
        Ok(Area { lines, ..Area::new(at, (extent, first), self.argument) })
    }
}

/// Memory of a matrix.
pub(super) struct Area {
    start: usize,
    /// Elements from the lowest to the highest one.
    extent: usize,
    size: usize,
    /// Lines of contiguous elements: their number, their length, and their distance.
    lines: Option<(usize, usize, usize)>,
    argument: &'static str,
}

impl Area {
    /// The memory of `extent` elements, of which the one at `at` has number `first`.
    fn new<T>(at: *const T, (extent, first): (usize, usize), argument: &'static str) -> Self {
        let start = at.addr().wrapping_sub(first * size_of::<T>());
        Area { start, extent, size: size_of::<T>(), lines: None, argument }
    }

    /// The memory of the matrices of a batch, `length` elements in all, each of which has `extent`
    /// elements and begins `step` elements after the one before.
    pub fn of_batch<T>(
        at: *const T,
        (extent, first): (usize, usize),
        (length, step): (usize, usize),
        argument: &'static str,
    ) -> Result<Self, Error> {
        if length > 0 && at.is_null() {
            return Err(Error::Null { argument });
        }
        let lines = (length - extent).checked_div(step).map_or((1, extent, extent), |last| (last + 1, extent, step));
        Ok(Area { lines: Some(lines), ..Area::new(at, (length, first), argument) })
    }

    /// [`Error::Overlap`] if this matrix and C may share an element. Interleaved blocks of one
    /// larger matrix are recognised as disjoint. Any other matrices whose address ranges overlap
    /// are rejected.
    pub fn apart_from(self, c: &Area) -> Result<(), Error> {
        let end = |area: &Area| area.start.saturating_add(area.extent * area.size);
        let touch = self.extent > 0 && c.extent > 0 && self.start < end(c) && c.start < end(&self);
        if touch && !self.between(c) { Err(Error::Overlap { argument: self.argument }) } else { Ok(()) }
    }

    /// Whether the lines of one matrix lie between the lines of the other.
    fn between(&self, c: &Area) -> bool {
        let (Some((lines, length, step)), Some((c_lines, c_length, c_step))) = (self.lines, c.lines) else {
            return false;
        };
        let step = match (lines, c_lines) {
            (1, 1) => return false,
            (1, _) => c_step as isize,
            (_, 1) => step as isize,
            _ if step == c_step => step as isize,
            _ => return false,
        };
        let bytes = self.start.wrapping_sub(c.start) as isize;
        let distance = bytes / self.size as isize;
        // A line longer than the distance would touch more than two lines of the other.
        let is_long = length.max(c_length) > step.unsigned_abs();
        if bytes % self.size as isize != 0 || is_long || step == 0 {
            return false;
        }
        // The first line starts `down` lines of C later, and `right` elements further.
        let (down, right) = (distance.div_euclid(step), distance.rem_euclid(step));
        let meet = |down: isize| down < c_lines as isize && down + lines as isize > 0;
        let first = right < c_length as isize && meet(down);
        let wrapped = right + length as isize > step && meet(down + 1);
        !first && !wrapped
    }
}

impl<T: Element> Matrix<*const T> {
    /// # Safety
    /// The matrix is readable for `'a`; C is `c`.
    pub unsafe fn view<'a>(self, c: &Area) -> Result<MatRef<'a, T>, Error> {
        self.area(self.at)?.apart_from(c)?;
        // SAFETY: the caller's contract.
        Ok(unsafe { MatRef::from_raw(self.at, self.rows, self.columns, self.strides) })
    }
}

impl<T: Element> Matrix<*mut T> {
    /// # Safety
    /// The matrix is the caller's alone for `'a`.
    pub unsafe fn view_mut<'a>(self) -> Result<(MatMut<'a, T>, Area), Error> {
        self.strides.distinct(self.rows, self.columns, self.argument)?;
        let area = self.area(self.at.cast_const())?;
        // SAFETY: the caller's contract.
        Ok((unsafe { MatMut::from_raw(self.at, self.rows, self.columns, self.strides) }, area))
    }
}
