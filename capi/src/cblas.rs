//! Six functions of CBLAS for programs written against `<cblas.h>`, in a separate archive,
//! `libhotloops_cblas.a`. Results are hotloops' own: the same bits on every CPU.
//!
//! As in netlib's reference, an illegal argument is reported to `cblas_xerbla` and nothing is
//! written. The default handler prints a line and returns; a program may define its own.

use core::ffi::{CStr, c_char, c_int};

use hotloops::matmul::{self, MatMut, MatRef, Strides, gemm};
use hotloops::reduce::{self, Strided};

const ROW_MAJOR: c_int = 101;
const COLUMN_MAJOR: c_int = 102;
const NO_TRANS: c_int = 111;
const TRANS: c_int = 112;
/// The conjugate transpose; for real numbers the same as `TRANS`.
const CONJ_TRANS: c_int = 113;

/// The signature of `cblas_xerbla`.
type Report = unsafe extern "C" fn(c_int, *const c_char, *const c_char, ...);

/// Prints `format`, which names the argument.
///
/// The Makefile makes this symbol weak, so that a program's own takes its place. Stable Rust cannot
/// define a variadic function; no argument follows the format, and the calling conventions of all
/// targets pass the first three of a variadic function as they do here.
#[unsafe(no_mangle)]
extern "C" fn cblas_xerbla(_position: c_int, routine: *const c_char, format: *const c_char) {
    let say = |text: &[u8]| {
        // SAFETY: the pointer and the length are those of one slice. There is nothing to do if writing fails.
        let _ = unsafe { libc::write(2, text.as_ptr().cast(), text.len() as _) };
    };
    // SAFETY: `report` passes C strings.
    let (routine, format) = unsafe { (CStr::from_ptr(routine), CStr::from_ptr(format)) };
    say(routine.to_bytes());
    say(b": ");
    say(format.to_bytes());
}

/// Calls the linked `cblas_xerbla`. The volatile read hides from the compiler which one it is.
fn report(position: c_int, routine: &CStr, format: &CStr) {
    mod linked {
        use core::ffi::{c_char, c_int};
        unsafe extern "C" {
            pub fn cblas_xerbla(position: c_int, routine: *const c_char, format: *const c_char, ...);
        }
    }
    static HANDLER: Report = linked::cblas_xerbla;
    // SAFETY: HANDLER is initialised and nothing writes it.
    let handler = unsafe { (&raw const HANDLER).read_volatile() };
    // SAFETY: the handler takes two C strings, and the format asks for no further argument.
    unsafe { handler(position, routine.as_ptr(), format.as_ptr()) }
}

/// A stored matrix of `rows` by `columns` of the layout, or transposed.
fn strides(layout: c_int, transposed: bool, stride: usize) -> Strides {
    match (layout == ROW_MAJOR) != transposed {
        true => Strides::row_major(stride),
        false => Strides::column_major(stride),
    }
}

/// # Safety
/// As for [`cblas_sgemm`].
#[allow(clippy::too_many_arguments)] // the arguments of BLAS
unsafe fn multiply<T: matmul::Element>(
    routine: &CStr,
    layout: c_int,
    transpose_a: c_int,
    transpose_b: c_int,
    [m, n, k]: [c_int; 3],
    alpha: T,
    (a, a_stride): (*const T, c_int),
    (b, b_stride): (*const T, c_int),
    beta: T,
    (c, c_stride): (*mut T, c_int),
) {
    let transposed = |trans| trans != NO_TRANS;
    let is_trans = |trans| [NO_TRANS, TRANS, CONJ_TRANS].contains(&trans);
    let row_major = layout == ROW_MAJOR;
    // Rows and columns as stored. In row-major order the stride is at least the number of columns.
    let least = |trans, rows: c_int, columns: c_int| {
        if row_major != transposed(trans) { columns.max(1) } else { rows.max(1) }
    };
    // Each check carries the argument's position in Fortran's gemm, plus 1 for the layout. A
    // row-major product is the column-major one with A and B exchanged, so the positions of their
    // sizes and strides are exchanged too, as netlib's handlers expect. The lowest failing position
    // is reported.
    let arguments = [
        (1, !row_major && layout != COLUMN_MAJOR, c"the value of layout is illegal\n"),
        (2, !is_trans(transpose_a), c"the value of transa is illegal\n"),
        (if row_major { 2 } else { 3 }, !is_trans(transpose_b), c"the value of transb is illegal\n"),
        (if row_major { 5 } else { 4 }, m < 0, c"the value of m is illegal\n"),
        (if row_major { 4 } else { 5 }, n < 0, c"the value of n is illegal\n"),
        (6, k < 0, c"the value of k is illegal\n"),
        (if row_major { 11 } else { 9 }, a_stride < least(transpose_a, m, k), c"the value of lda is illegal\n"),
        (if row_major { 9 } else { 11 }, b_stride < least(transpose_b, k, n), c"the value of ldb is illegal\n"),
        (14, c_stride < least(NO_TRANS, m, n), c"the value of ldc is illegal\n"),
    ];
    let illegal = arguments.into_iter().filter(|(_, illegal, _)| *illegal);
    if let Some((position, _, format)) = illegal.min_by_key(|(position, ..)| *position) {
        return report(position, routine, format);
    }
    let [m, n, k] = [m, n, k].map(|size| size as usize);
    let a_strides = strides(layout, transposed(transpose_a), a_stride as usize);
    let b_strides = strides(layout, transposed(transpose_b), b_stride as usize);
    let c_strides = strides(layout, false, c_stride as usize);
    // SAFETY: the caller's contract; BLAS leaves undefined what overlaps.
    let done = unsafe {
        gemm(
            alpha,
            MatRef::from_raw(a, m, k, a_strides),
            MatRef::from_raw(b, k, n, b_strides),
            beta,
            MatMut::from_raw(c, m, n, c_strides),
        )
    };
    // No memory for the packed blocks: BLAS has no error code for it.
    if done.is_err() {
        // SAFETY: no precondition.
        unsafe { libc::abort() }
    }
}

/// `C = alpha op(A) op(B) + beta C`.
///
/// # Safety The pointers must point to matrices of these sizes and strides. C must not overlap A or
/// B.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cblas_sgemm(
    layout: c_int,
    transpose_a: c_int,
    transpose_b: c_int,
    m: c_int,
    n: c_int,
    k: c_int,
    alpha: f32,
    a: *const f32,
    lda: c_int,
    b: *const f32,
    ldb: c_int,
    beta: f32,
    c: *mut f32,
    ldc: c_int,
) {
    let (a, b, c) = ((a, lda), (b, ldb), (c, ldc));
    // SAFETY: the caller's contract.
    unsafe { multiply(c"cblas_sgemm", layout, transpose_a, transpose_b, [m, n, k], alpha, a, b, beta, c) }
}

/// `C = alpha op(A) op(B) + beta C`.
///
/// # Safety
/// As for [`cblas_sgemm`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cblas_dgemm(
    layout: c_int,
    transpose_a: c_int,
    transpose_b: c_int,
    m: c_int,
    n: c_int,
    k: c_int,
    alpha: f64,
    a: *const f64,
    lda: c_int,
    b: *const f64,
    ldb: c_int,
    beta: f64,
    c: *mut f64,
    ldc: c_int,
) {
    let (a, b, c) = ((a, lda), (b, ldb), (c, ldc));
    // SAFETY: the caller's contract.
    unsafe { multiply(c"cblas_dgemm", layout, transpose_a, transpose_b, [m, n, k], alpha, a, b, beta, c) }
}

/// `n` elements, `stride` apart; none if `n` is not positive.
///
/// # Safety `x` must point to the element with the lowest address.
unsafe fn elements<'a, T: reduce::Element>(n: c_int, x: *const T, stride: c_int) -> Option<Strided<'a, T>> {
    let n = usize::try_from(n).ok().filter(|&n| n > 0)?;
    let extent = (n - 1) * stride.unsigned_abs() as usize + 1;
    // SAFETY: the caller's contract.
    Strided::new(unsafe { core::slice::from_raw_parts(x, extent) }, n, stride as isize).ok()
}

/// # Safety
/// As for [`cblas_sdot`].
unsafe fn dot<T: reduce::Element>(n: c_int, (x, x_stride): (*const T, c_int), (y, y_stride): (*const T, c_int)) -> T {
    // SAFETY: the caller's contract.
    let (x, y) = unsafe { (elements(n, x, x_stride), elements(n, y, y_stride)) };
    x.zip(y).and_then(|(x, y)| reduce::dot(x, y).ok()).unwrap_or_default()
}

/// # Safety
/// As for [`cblas_sasum`].
unsafe fn asum<T: reduce::Element>(n: c_int, x: *const T, stride: c_int) -> T {
    if stride <= 0 {
        return T::ZERO;
    }
    // SAFETY: the caller's contract.
    unsafe { elements(n, x, stride) }.map(reduce::asum).unwrap_or_default()
}

/// The dot product; 0 where `n` is not positive.
///
/// # Safety `x` and `y` must each point to the lowest address of `n` elements at their stride.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cblas_sdot(n: c_int, x: *const f32, incx: c_int, y: *const f32, incy: c_int) -> f32 {
    // SAFETY: the caller's contract.
    unsafe { dot(n, (x, incx), (y, incy)) }
}

/// The dot product; 0 where `n` is not positive.
///
/// # Safety
/// As for [`cblas_sdot`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cblas_ddot(n: c_int, x: *const f64, incx: c_int, y: *const f64, incy: c_int) -> f64 {
    // SAFETY: the caller's contract.
    unsafe { dot(n, (x, incx), (y, incy)) }
}

/// The sum of the magnitudes; 0 where `n` or the stride is not positive.
///
/// # Safety `x` must point to `n` elements at this stride.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cblas_sasum(n: c_int, x: *const f32, incx: c_int) -> f32 {
    // SAFETY: the caller's contract.
    unsafe { asum(n, x, incx) }
}

/// The sum of the magnitudes; 0 where `n` or the stride is not positive.
///
/// # Safety
/// As for [`cblas_sasum`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cblas_dasum(n: c_int, x: *const f64, incx: c_int) -> f64 {
    // SAFETY: the caller's contract.
    unsafe { asum(n, x, incx) }
}
