//! Products of many matrices. Each has the bits that it has alone.

use core::ffi::c_char;

use super::super::export::prelude::*;
use super::super::flags::{NO_TRANS, min_stride, operand, strides};
use super::super::report::{Illegal, check};
use super::super::simd::Simd;
use super::tiny::{Places, Tiny};

routines! { all:
    gemm_batch[layout](
        transa: Transpositions, transb: Transpositions, m: *const Int, n: *const Int, k: *const Int, alpha: *const T,
        a: *const *const T, lda: *const Int, b: *const *const T, ldb: *const Int, beta: *const T, c: *const *mut T,
        ldc: *const Int, group_count: Int, group_size: *const Int
    );
    gemm_batch_strided[layout](
        transa: Trans, transb: Trans, m: Int, n: Int, k: Int, alpha: T, a: *const T, lda: Int, stridea: Int,
        b: *const T, ldb: Int, strideb: Int, beta: T, c: *mut T, ldc: Int, stridec: Int, batch_size: Int
    );
}

/// An array of transpositions: CBLAS's numbers, or Fortran's letters.
#[derive(Clone, Copy)]
enum Transpositions {
    Numbers(*const Trans),
    Letters(*const c_char),
}

impl Argument for Transpositions {
    type InC = *const Trans;
    type InFortran = *const c_char;

    unsafe fn from_c(numbers: *const Trans) -> Self {
        Transpositions::Numbers(numbers)
    }

    unsafe fn from_fortran(letters: *const c_char) -> Self {
        Transpositions::Letters(letters)
    }
}

impl Transpositions {
    /// # Safety
    /// The array has more than `i` elements.
    unsafe fn get(self, i: usize) -> Trans {
        // SAFETY: the caller's contract.
        unsafe {
            match self {
                Transpositions::Numbers(numbers) => *numbers.add(i),
                Transpositions::Letters(letters) => Trans::from_letter(*letters.add(i).cast()),
            }
        }
    }
}

/// The sizes of a product and the strides of its matrices.
struct Sizes {
    transa: Trans,
    transb: Trans,
    m: Int,
    n: Int,
    k: Int,
    lda: Int,
    ldb: Int,
    ldc: Int,
}

impl Sizes {
    /// `last` is the check of an argument after these; `ldb_at` and `ldc_at` are the positions of the strides.
    fn check(
        &self,
        layout: Int,
        (ldb_at, ldc_at): (Int, Int),
        last: (Int, bool, &'static core::ffi::CStr),
    ) -> Result<(), Illegal> {
        let &Sizes { transa, transb, m, n, k, lda, ldb, ldc } = self;
        check(
            layout,
            [
                (2, 2, !transa.is_legal(), c"transa"),
                (3, 3, !transb.is_legal(), c"transb"),
                (4, 4, m < 0, c"m"),
                (5, 5, n < 0, c"n"),
                (6, 6, k < 0, c"k"),
                (9, 9, lda < min_stride(layout, transa, m, k), c"lda"),
                (ldb_at, ldb_at, ldb < min_stride(layout, transb, k, n), c"ldb"),
                (ldc_at, ldc_at, ldc < min_stride(layout, Trans(NO_TRANS), m, n), c"ldc"),
                (last.0, last.0, last.1, last.2),
            ],
        )
    }

    /// Computes `count` products of matrices at these places.
    ///
    /// # Safety
    /// The contract of gemm for each; the sizes were checked.
    unsafe fn multiply_all<T: Number>(
        &self,
        layout: Int,
        count: usize,
        alpha: T,
        [a, b]: [Places<T>; 2],
        beta: T,
        c: Places<T>,
    ) {
        // SAFETY: the caller's contract, throughout.
        unsafe {
            if !T::IS_COMPLEX {
                let strides_of = |trans: Trans, stride: Int| strides(layout, trans, stride);
                let tiny = Tiny::<T::Real> {
                    count,
                    sizes: [self.m, self.n, self.k].map(|size| size as usize),
                    alpha: alpha.re(),
                    a: (a.cast(), strides_of(self.transa, self.lda)),
                    b: (b.cast(), strides_of(self.transb, self.ldb)),
                    beta: beta.re(),
                    c: (c.cast(), strides_of(Trans(NO_TRANS), self.ldc)),
                };
                if tiny.is_tiny() && T::Real::run(&tiny) {
                    return;
                }
            }
            for i in 0..count {
                self.multiply(layout, alpha, a.get(i), b.get(i), beta, c.get(i));
            }
        }
    }

    /// # Safety
    /// The contract of gemm; the sizes were checked.
    unsafe fn multiply<T: Number>(&self, layout: Int, alpha: T, a: *const T, b: *const T, beta: T, c: *mut T) {
        let &Sizes { transa, transb, lda, ldb, ldc, .. } = self;
        let [m, n, k] = [self.m, self.n, self.k].map(|size| size as usize);
        // SAFETY: the caller's contract.
        unsafe {
            T::product(
                alpha,
                operand(layout, transa, a, m, k, lda),
                operand(layout, transb, b, k, n, ldb),
                beta,
                operand(layout, Trans(NO_TRANS), c, m, n, ldc),
            );
        }
    }
}

/// All groups are checked before anything is written.
///
/// # Safety
/// The arrays of a group's arguments have `group_count` elements, those of matrices as many as the
/// groups have products. Each product has the contract of gemm, and no C overlaps another operand.
unsafe fn gemm_batch<T: Number>(
    layout: Int,
    transa: Transpositions,
    transb: Transpositions,
    m: *const Int,
    n: *const Int,
    k: *const Int,
    alpha: *const T,
    a: *const *const T,
    lda: *const Int,
    b: *const *const T,
    ldb: *const Int,
    beta: *const T,
    c: *const *mut T,
    ldc: *const Int,
    group_count: Int,
    group_size: *const Int,
) -> Result<(), Illegal> {
    check(layout, [(15, 15, group_count < 0, c"group_count")])?;
    // SAFETY: the caller's contract, throughout.
    let sizes = |i: usize| unsafe {
        let [m, n, k, lda, ldb, ldc] = [m, n, k, lda, ldb, ldc].map(|array| *array.add(i));
        Sizes { transa: transa.get(i), transb: transb.get(i), m, n, k, lda, ldb, ldc }
    };
    for i in 0..group_count as usize {
        // SAFETY: the caller's contract.
        let size = unsafe { *group_size.add(i) };
        sizes(i).check(layout, (11, 14), (16, size < 0, c"group_size"))?;
    }
    let mut first = 0;
    for i in 0..group_count as usize {
        // SAFETY: the caller's contract.
        unsafe {
            let size = *group_size.add(i) as usize;
            let operands = [a, b].map(|list| Places::Listed(list.wrapping_add(first).cast()));
            let c = Places::Listed(c.wrapping_add(first));
            sizes(i).multiply_all(layout, size, *alpha.add(i), operands, *beta.add(i), c);
            first += size;
        }
    }
    Ok(())
}

/// # Safety
/// The matrices begin at multiples of their strides; each product has the contract of gemm, and no C
/// overlaps another operand.
unsafe fn gemm_batch_strided<T: Number>(
    layout: Int,
    transa: Trans,
    transb: Trans,
    m: Int,
    n: Int,
    k: Int,
    alpha: T,
    a: *const T,
    lda: Int,
    stridea: Int,
    b: *const T,
    ldb: Int,
    strideb: Int,
    beta: T,
    c: *mut T,
    ldc: Int,
    stridec: Int,
    batch_size: Int,
) -> Result<(), Illegal> {
    let sizes = Sizes { transa, transb, m, n, k, lda, ldb, ldc };
    sizes.check(layout, (12, 16), (18, batch_size < 0, c"batch_size"))?;
    let operands = [(a, stridea), (b, strideb)].map(|(at, stride)| Places::Strided(at.cast_mut(), stride as isize));
    let c = Places::Strided(c, stridec as isize);
    // SAFETY: the caller's contract.
    unsafe { sizes.multiply_all(layout, batch_size as usize, alpha, operands, beta, c) }
    Ok(())
}
