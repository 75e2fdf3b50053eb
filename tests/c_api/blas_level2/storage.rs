//! Matrices and vectors in memory. What no routine may read is NaN.

use std::ffi::c_int;

use super::types::Number;

#[derive(Clone, Copy, Debug)]
pub enum Storage {
    Dense,
    Triangle { is_upper: bool },
    Packed { is_upper: bool },
    Band { kl: usize, ku: usize },
}

pub struct Matrix<T> {
    size: [usize; 2],
    by_columns: bool,
    storage: Storage,
    /// The distance of columns, or of rows.
    pub lda: c_int,
    memory: Vec<T>,
}

impl<T: Number> Matrix<T> {
    /// A matrix whose columns (or rows) are `pad` longer than needed.
    pub fn new(
        size: [usize; 2],
        by_columns: bool,
        storage: Storage,
        pad: usize,
        mut element: impl FnMut(usize, usize) -> T,
    ) -> Self {
        let [m, n] = size;
        let (lines, length) = if by_columns { (n, m) } else { (m, n) };
        let lda = match storage {
            Storage::Band { kl, ku } => kl + ku + 1,
            _ => length.max(1),
        } + pad;
        let memory = vec![T::new(f64::NAN, f64::NAN); if m == 0 || n == 0 { 1 } else { lda * lines }];
        let mut matrix = Matrix { size, by_columns, storage, lda: lda as c_int, memory };
        for i in 0..m {
            for j in 0..n {
                if let Some(index) = matrix.index(i, j) {
                    matrix.memory[index] = element(i, j);
                }
            }
        }
        matrix
    }

    /// Where an element is stored.
    fn index(&self, i: usize, j: usize) -> Option<usize> {
        let (n, lda) = (self.size[1], self.lda as usize);
        let dense = if self.by_columns { i + j * lda } else { i * lda + j };
        let is_in = |is_upper| if is_upper { i <= j } else { i >= j };
        match self.storage {
            Storage::Dense => Some(dense),
            Storage::Triangle { is_upper } => is_in(is_upper).then_some(dense),
            Storage::Packed { is_upper } => is_in(is_upper).then(|| {
                // The columns of one triangle are stored as the rows of the other one.
                let (line, place) = if self.by_columns { (j, i) } else { (i, j) };
                let is_growing = is_upper == self.by_columns;
                // Lines that shrink begin at the diagonal.
                let length = |line: usize| if is_growing { line + 1 } else { n - line };
                let begin: usize = (0..line).map(length).sum();
                let place = if is_growing { place } else { place - line };
                begin + place
            }),
            Storage::Band { kl, ku } => (j <= i + ku && i <= j + kl).then(|| match self.by_columns {
                true => ku + i - j + j * lda,
                false => kl + j - i + i * lda,
            }),
        }
    }

    pub fn get(&self, i: usize, j: usize) -> Option<T> {
        self.index(i, j).map(|index| self.memory[index])
    }

    pub fn pointer(&self) -> *const T {
        self.memory.as_ptr()
    }

    pub fn pointer_mut(&mut self) -> *mut T {
        self.memory.as_mut_ptr()
    }

    /// The memory with other stored elements.
    pub fn map(&self, element: impl Fn(usize, usize, T) -> T) -> Vec<T> {
        let mut memory = self.memory.clone();
        for i in 0..self.size[0] {
            for j in 0..self.size[1] {
                if let Some(index) = self.index(i, j) {
                    memory[index] = element(i, j, memory[index]);
                }
            }
        }
        memory
    }

    pub fn compare(&self, expected: &[T], case: &str) {
        compare(&self.memory, expected, case);
    }
}

/// A vector whose elements are `step` apart, in reverse order of memory if that is negative.
#[derive(Clone)]
pub struct Strided<T> {
    pub values: Vec<T>,
    pub step: c_int,
    memory: Vec<T>,
}

impl<T: Number> Strided<T> {
    pub fn new(values: Vec<T>, step: c_int) -> Self {
        let memory = Self::scattered(&values, step);
        Strided { values, step, memory }
    }

    fn scattered(values: &[T], step: c_int) -> Vec<T> {
        let (n, apart) = (values.len(), step.unsigned_abs() as usize);
        let mut memory = vec![T::new(f64::NAN, f64::NAN); n * apart + 1];
        for (i, &value) in values.iter().enumerate() {
            memory[if step < 0 { n - 1 - i } else { i } * apart] = value;
        }
        memory
    }

    /// The lowest address.
    pub fn values_at(&self) -> *const T {
        self.memory.as_ptr()
    }

    pub fn pointer(&mut self) -> *mut T {
        self.memory.as_mut_ptr()
    }

    pub fn compare(&self, expected: &[T], case: &str) {
        compare(&self.memory, &Self::scattered(expected, self.step), case);
    }
}

/// Bits are equal.
fn compare<T: Number>(found: &[T], expected: &[T], case: &str) {
    let type_name = std::any::type_name::<T>();
    assert_eq!(found.len(), expected.len(), "{type_name} {case}");
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert_eq!(found.bits(), expected.bits(), "{type_name} {case}: {found:?}, not {expected:?}, at {i}");
    }
}
