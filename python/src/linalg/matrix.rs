//! Matrices, and stacks of them, in arrays.

use std::ops::Range;

use hotloops::matmul::{MatMut, MatRef, Strides};
use numpy::{Element, PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::arrays::{contiguous, numpy, wrong};

/// A matrix in memory that the caller of a function keeps alive. Its strides are in elements.
pub struct Raw<T> {
    pub at: *mut T,
    /// Rows and columns.
    pub shape: [usize; 2],
    pub strides: Strides,
}

impl<T> Clone for Raw<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Raw<T> {}

// SAFETY: only a pointer. Functions that use it are unsafe.
unsafe impl<T: Send> Send for Raw<T> {}
// SAFETY: only a pointer.
unsafe impl<T: Sync> Sync for Raw<T> {}

impl<T> Raw<T> {
    /// The matrix `offset` elements further.
    #[inline]
    pub fn shifted(self, offset: isize) -> Self {
        Raw { at: self.at.wrapping_offset(offset), ..self }
    }

    pub fn at(&self, row: usize, column: usize) -> *mut T {
        let offset = self.strides.row.wrapping_mul(row as isize);
        self.at.wrapping_offset(offset.wrapping_add(self.strides.column.wrapping_mul(column as isize)))
    }

    pub fn rows(self, rows: Range<usize>) -> Self {
        Raw { at: self.at(rows.start, 0), shape: [rows.len(), self.shape[1]], ..self }
    }

    pub fn transposed(self) -> Self {
        let ([m, n], Strides { row, column }) = (self.shape, self.strides);
        Raw { at: self.at, shape: [n, m], strides: Strides { row: column, column: row } }
    }

    /// # Safety
    /// The elements are readable, and nothing writes to them for `'a`.
    #[inline]
    pub unsafe fn to_read<'a>(self) -> MatRef<'a, T> {
        // SAFETY: the caller's contract.
        unsafe { MatRef::from_raw(self.at, self.shape[0], self.shape[1], self.strides) }
    }

    /// # Safety
    /// The elements are distinct and writable, and nothing else uses them for `'a`.
    #[inline]
    pub unsafe fn to_write<'a>(self) -> MatMut<'a, T> {
        // SAFETY: the caller's contract.
        unsafe { MatMut::from_raw(self.at, self.shape[0], self.shape[1], self.strides) }
    }
}

/// The axes of an array that are those of a matrix. A stack has more axes, before them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Axes {
    Both,
    /// The columns: the array is one row.
    Columns,
    Rows,
    None,
}

impl Axes {
    /// The axes of an argument.
    pub fn of(count: usize, of_vector: Axes) -> Axes {
        if count == 1 { of_vector } else { Axes::Both }
    }
}

/// The first matrix of an array, and the sizes and strides, in elements, of the axes before its own.
pub struct Stack<T> {
    pub first: Raw<T>,
    pub leading: Vec<(usize, isize)>,
}

impl<T: Element> Stack<T> {
    /// `None` if an element is not aligned or a stride no multiple of the element size.
    #[inline]
    pub fn of(array: &Bound<'_, PyArrayDyn<T>>, axes: Axes) -> Option<Self> {
        let size = size_of::<T>() as isize;
        let (shape, strides) = (array.shape(), array.strides());
        if !array.is_aligned() || strides.iter().any(|stride| stride % size != 0) {
            return None;
        }
        let own = match axes {
            Axes::Both => 2,
            Axes::Columns | Axes::Rows => 1,
            Axes::None => 0,
        };
        let split = shape.len() - own;
        let axis = |index: usize| (shape[split + index], strides[split + index] / size);
        let [(m, row), (n, column)] = match axes {
            Axes::Both => [axis(0), axis(1)],
            Axes::Columns => [(1, 1), axis(0)],
            Axes::Rows => [axis(0), (1, 1)],
            Axes::None => [(1, 1), (1, 1)],
        };
        let leading = shape[..split].iter().zip(strides).map(|(&size_of_axis, stride)| (size_of_axis, stride / size));
        let first = Raw { at: array.data(), shape: [m, n], strides: Strides { row, column } };
        Some(Stack { first, leading: leading.collect() })
    }

    /// An argument that is read, and the array that holds it: a copy if its strides are not multiples of the element
    /// size.
    #[inline]
    pub fn input<'py>(
        name: &str,
        array: &Bound<'py, PyArrayDyn<T>>,
        of_vector: Axes,
    ) -> PyResult<(Bound<'py, PyArrayDyn<T>>, Self)> {
        if array.ndim() == 0 {
            return Err(wrong(name, "expected at least 1 axis, found 0"));
        }
        let axes = Axes::of(array.ndim(), of_vector);
        if let Some(stack) = Stack::of(array, axes) {
            return Ok((array.clone(), stack));
        }
        let copy = contiguous(array)?;
        let stack = Stack::of(&copy, axes).ok_or_else(|| wrong(name, "is not aligned"))?;
        Ok((copy, stack))
    }

    /// All matrices below each other as one, if that has strides.
    pub fn merged(&self) -> Option<Raw<T>> {
        let Raw { at, shape: [m, n], strides } = self.first;
        let mut below: Option<(usize, isize)> = None;
        for &(size, stride) in [(m, strides.row)].iter().chain(self.leading.iter().rev()) {
            below = match below {
                _ if size == 1 => below,
                None => Some((size, stride)),
                Some((rows, row)) if row.checked_mul(rows as isize)? == stride => Some((rows.checked_mul(size)?, row)),
                Some(_) => return None,
            };
        }
        let (rows, row) = below.unwrap_or((1, 1));
        Some(Raw { at, shape: [rows, n], strides: Strides { row, column: strides.column } })
    }
}

/// The matrices of three stacks that belong together: sizes of the leading axes, and the strides of each stack.
pub struct Items(pub Vec<(usize, [isize; 3])>);

impl Items {
    pub fn count(&self) -> usize {
        self.0.iter().map(|(size, _)| size).product()
    }

    /// Where the matrices of an item are, in elements from the first of each stack.
    #[inline]
    pub fn offsets(&self, mut item: usize) -> [isize; 3] {
        let mut offsets = [0isize; 3];
        for &(size, strides) in self.0.iter().rev() {
            let index = (item % size) as isize;
            item /= size;
            for (offset, stride) in offsets.iter_mut().zip(strides) {
                *offset = offset.wrapping_add(index.wrapping_mul(stride));
            }
        }
        offsets
    }
}

/// The leading axes of the product of two stacks, as numpy broadcasts them. `None` if they do not fit.
pub fn broadcast(a: &[(usize, isize)], b: &[(usize, isize)]) -> Option<Vec<(usize, [isize; 2])>> {
    let count = a.len().max(b.len());
    let axis = |of: &[(usize, isize)], index: usize| {
        let axis = (index + of.len()).checked_sub(count).map_or((1, 0), |index| of[index]);
        if axis.0 == 1 { (1, 0) } else { axis }
    };
    let pairs = (0..count).map(|index| match (axis(a, index), axis(b, index)) {
        ((1, _), (size, of_b)) => Some((size, [0, of_b])),
        ((size, of_a), (1, _)) => Some((size, [of_a, 0])),
        ((size, of_a), (other, of_b)) => (size == other).then_some((size, [of_a, of_b])),
    });
    pairs.collect()
}

/// The addresses from the first byte of an array to its last.
fn bytes<T: Element>(array: &Bound<'_, PyArrayDyn<T>>) -> Range<usize> {
    let (mut start, mut end) = (array.data() as usize, array.data() as usize + size_of::<T>());
    for (&count, &stride) in array.shape().iter().zip(array.strides()) {
        let reach = (count.max(1) - 1) * stride.unsigned_abs();
        if stride < 0 { start -= reach } else { end += reach }
    }
    if array.is_empty() { start..start } else { start..end }
}

/// Whether two arrays share an element. Where their addresses are interleaved, numpy decides; if
/// that takes long, they count as sharing one.
pub fn overlap<T: Element>(written: &Bound<'_, PyArrayDyn<T>>, read: &Bound<'_, PyArrayDyn<T>>) -> PyResult<bool> {
    let (of_written, of_read) = (bytes(written), bytes(read));
    if of_written.start >= of_read.end || of_read.start >= of_written.end {
        return Ok(false);
    }
    let shared = numpy(written.py(), "shares_memory")?.call1((written, read, 1000));
    shared.map_or(Ok(true), |shared| shared.is_truthy())
}

/// Whether the elements of an array are distinct. Slices and transposes have axes that nest: a step along one exceeds
/// the reach of those with shorter steps.
pub fn is_distinct<T: Element>(array: &Bound<'_, PyArrayDyn<T>>) -> bool {
    let axes = array.shape().iter().zip(array.strides());
    let mut axes: Vec<_> =
        axes.filter(|axis| *axis.0 > 1).map(|(&size, stride)| (stride.unsigned_abs(), size)).collect();
    axes.sort_unstable();
    let mut reach = size_of::<T>() - 1;
    array.is_empty()
        || axes.into_iter().all(|(step, size)| {
            let is_apart = step > reach;
            reach = reach.saturating_add(step.saturating_mul(size - 1));
            is_apart
        })
}
