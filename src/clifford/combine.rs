//! Signed sums of blades: between multivectors and the factors of products of matrices.

use alloc::vec::Vec;

use super::algebra::Form;
use super::{signed_sums_f32, signed_sums_f64};
use crate::error::Error;
use crate::matmul::Element;
use crate::memory::push;

/// Signed sums, each of some of the same vectors, as the kernels take them.
#[derive(Clone, Debug, Default)]
pub(super) struct Sums {
    /// For each term twice the place of its vector, plus 1 if it is subtracted.
    terms: Vec<u32>,
    /// For each sum, the end of its terms.
    ends: Vec<u32>,
}

impl Sums {
    /// Appends a sum.
    pub fn add(&mut self, signs: impl Iterator<Item = i8>) -> Result<(), Error> {
        for (place, sign) in (0..).zip(signs) {
            if sign != 0 {
                push(&mut self.terms, 2 * place + u32::from(sign < 0))?;
            }
        }
        push(&mut self.ends, self.terms.len() as u32)
    }

    /// The sums of blades by forms.
    pub fn of(forms: &[Form]) -> Result<Self, Error> {
        let mut sums = Sums::default();
        forms.iter().try_for_each(|form| sums.add(form.iter().copied()))?;
        Ok(sums)
    }

    /// The sums of numbers that count for each of the blades by their forms.
    pub fn transposed(forms: &[Form], blades: usize) -> Result<Self, Error> {
        let mut sums = Sums::default();
        (0..blades).try_for_each(|blade| sums.add(forms.iter().map(|form| form[blade])))?;
        Ok(sums)
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The terms of sum number `f`.
    pub fn count(&self, f: usize) -> usize {
        (self.ends[f] - if f == 0 { 0 } else { self.ends[f - 1] }) as usize
    }

    /// Sums of the vectors of `n` numbers in the rows of `x`, for the rows of `y`, or added to them.
    pub fn apply<T: Element>(&self, n: usize, (x, x_row): (&[T], usize), y: &mut [T], accumulate: bool) {
        let y_row = self.len() * n;
        let rows = y.len() / y_row;
        let places = self.terms.iter().map(|term| term / 2 + 1).max().unwrap_or(0) as usize;
        assert!(rows == 0 || x.len() >= (rows - 1) * x_row + places * n, "vectors outside x");
        let (terms, ends) = (self.terms.as_ptr(), self.ends.as_ptr());
        // SAFETY: the rows of `y` hold the sums, those of `x` the vectors, and `y` is borrowed
        // exclusively. `T` is the type of the kernel that is called.
        unsafe {
            if size_of::<T>() == 4 {
                let (x, y) = (x.as_ptr().cast(), y.as_mut_ptr().cast());
                signed_sums_f32(rows, n, x, x_row, y, y_row, terms, ends, self.len(), accumulate.into());
            } else {
                let (x, y) = (x.as_ptr().cast(), y.as_mut_ptr().cast());
                signed_sums_f64(rows, n, x, x_row, y, y_row, terms, ends, self.len(), accumulate.into());
            }
        }
    }
}

/// Transposes each of the matrices of `m` rows and `n` columns that `x` holds.
pub(super) fn transpose<T: Element>(m: usize, n: usize, x: &[T], y: &mut [T]) {
    for (x, y) in x.chunks_exact((m * n).max(1)).zip(y.chunks_exact_mut((m * n).max(1))) {
        // SAFETY: matrices of m x n and n x m; `y` is borrowed exclusively.
        unsafe { T::TRANSPOSE(m, n, x.as_ptr(), n as isize, y.as_mut_ptr(), m as isize) }
    }
}

/// Transposes a matrix of `m` rows and `n` columns; rows are `x_row` and `y_row` numbers apart.
pub(super) fn transpose_rows<T: Element>([m, n]: [usize; 2], (x, x_row): (&[T], usize), (y, y_row): (&mut [T], usize)) {
    let fits = |rows: usize, row: usize, columns: usize, length: usize| {
        rows == 0 || columns == 0 || (rows - 1) * row + columns <= length
    };
    assert!(fits(m, x_row, n, x.len()) && fits(n, y_row, m, y.len()), "rows outside an array");
    // SAFETY: the rows are inside the arrays; `y` is borrowed exclusively.
    unsafe { T::TRANSPOSE(m, n, x.as_ptr(), x_row as isize, y.as_mut_ptr(), y_row as isize) }
}

/// Writes multivectors of some channels, `plane` numbers apart, point by point.
pub(super) fn interleave<T: Element>(blades: usize, channels: usize, x: &[T], plane: usize, y: &mut [T]) {
    match blades {
        1 => interleave_of::<T, 1>(channels, x, plane, y),
        2 => interleave_of::<T, 2>(channels, x, plane, y),
        4 => interleave_of::<T, 4>(channels, x, plane, y),
        8 => interleave_of::<T, 8>(channels, x, plane, y),
        _ => interleave_of::<T, 16>(channels, x, plane, y),
    }
}

fn interleave_of<T: Element, const BLADES: usize>(channels: usize, x: &[T], plane: usize, y: &mut [T]) {
    let (y, _) = y.as_chunks_mut::<BLADES>();
    for channel in 0..channels {
        let (x, _) = x[channel * plane..].as_chunks::<BLADES>();
        y[channel..].iter_mut().step_by(channels).zip(x).for_each(|(y, x)| *y = *x);
    }
}

/// The bytes of numbers.
pub(super) fn bytes<T: Element>(numbers: &mut [T]) -> &mut [u8] {
    // SAFETY: any bytes are valid numbers, and bytes have no alignment.
    unsafe { core::slice::from_raw_parts_mut(numbers.as_mut_ptr().cast(), size_of_val(numbers)) }
}
