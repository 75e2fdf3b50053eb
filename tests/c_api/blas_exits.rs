//! The error exits of the BLAS routines: each illegal argument is reported with the position that netlib's CBLAS and
//! BLAS report, nothing is written then, and of several illegal arguments the first one counts.
//!
//! The expected positions are those of netlib's interface: a row-major call of CBLAS is the column-major call of
//! Fortran with the operands exchanged, and its position is Fortran's plus one for the layout.
#![cfg(all(target_os = "linux", feature = "libc"))]

#[path = "../../capi/src/blas/mod.rs"]
#[allow(dead_code, unexpected_cfgs)]
mod blas;

use std::ffi::{CStr, c_char, c_int};
use std::sync::Mutex;

/// The last report: routine, position.
static REPORT: Mutex<Option<(String, c_int)>> = Mutex::new(None);

/// The hook of C. Its format and the name of the argument are not used.
#[unsafe(no_mangle)]
extern "C" fn cblas_xerbla(position: c_int, routine: *const c_char) {
    // SAFETY: a C string.
    let routine = unsafe { CStr::from_ptr(routine) }.to_str().unwrap().to_owned();
    *REPORT.lock().unwrap() = Some((routine, position));
}

/// The hook of Fortran.
#[unsafe(no_mangle)]
extern "C" fn xerbla_(routine: *const u8, position: *const c_int, length: usize) {
    // SAFETY: a name of this length, and an integer.
    let (name, position) = unsafe { (std::slice::from_raw_parts(routine, length), *position) };
    *REPORT.lock().unwrap() = Some((String::from_utf8(name.to_vec()).unwrap(), position));
}

unsafe extern "C" {
    fn cblas_sgemm(
        layout: c_int,
        ta: c_int,
        tb: c_int,
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
    );
    fn cblas_dsyrk(
        layout: c_int,
        uplo: c_int,
        trans: c_int,
        n: c_int,
        k: c_int,
        alpha: f64,
        a: *const f64,
        lda: c_int,
        beta: f64,
        c: *mut f64,
        ldc: c_int,
    );
    fn cblas_sgemv(
        layout: c_int,
        trans: c_int,
        m: c_int,
        n: c_int,
        alpha: f32,
        a: *const f32,
        lda: c_int,
        x: *const f32,
        incx: c_int,
        beta: f32,
        y: *mut f32,
        incy: c_int,
    );
    fn cblas_dger(
        layout: c_int,
        m: c_int,
        n: c_int,
        alpha: f64,
        x: *const f64,
        incx: c_int,
        y: *const f64,
        incy: c_int,
        a: *mut f64,
        lda: c_int,
    );
    fn dgemm_(
        ta: *const u8,
        tb: *const u8,
        m: *const c_int,
        n: *const c_int,
        k: *const c_int,
        alpha: *const f64,
        a: *const f64,
        lda: *const c_int,
        b: *const f64,
        ldb: *const c_int,
        beta: *const f64,
        c: *mut f64,
        ldc: *const c_int,
    );
    fn xerbla_array_(routine: *const u8, length: *const c_int, position: *const c_int);
    fn sgemv_(
        trans: *const u8,
        m: *const c_int,
        n: *const c_int,
        alpha: *const f32,
        a: *const f32,
        lda: *const c_int,
        x: *const f32,
        incx: *const c_int,
        beta: *const f32,
        y: *mut f32,
        incy: *const c_int,
    );
}

const ROW: c_int = 101;
const COLUMN: c_int = 102;
const NO: c_int = 111;
const TRANS: c_int = 112;
const UPPER: c_int = 121;

/// A call by its integer arguments, and its report. Operands hold 99, and whatever the call writes is an error.
type Call = fn(&[c_int], &mut [f64; 64]);

fn reported(call: Call, arguments: &[c_int]) -> Option<(String, c_int)> {
    *REPORT.lock().unwrap() = None;
    let mut out = [99.0; 64];
    call(arguments, &mut out);
    let report = REPORT.lock().unwrap().take();
    assert!(report.is_none() || out == [99.0; 64], "{arguments:?} was reported, and written");
    report
}

fn single(call: impl FnOnce(*const f32, *mut f32), out: &mut [f64; 64]) {
    let (input, mut values) = ([1.0; 64], out.map(|x| x as f32));
    call(input.as_ptr(), values.as_mut_ptr());
    *out = values.map(f64::from);
}

/// Layout, flags, sizes, strides.
fn gemm(a: &[c_int], out: &mut [f64; 64]) {
    // SAFETY: operands of 64 elements, more than these sizes and strides need.
    single(|x, y| unsafe { cblas_sgemm(a[0], a[1], a[2], a[3], a[4], a[5], 1.0, x, a[6], x, a[7], 1.0, y, a[8]) }, out);
}

fn syrk(a: &[c_int], out: &mut [f64; 64]) {
    let x = [1.0; 64];
    // SAFETY: as for `gemm`.
    unsafe { cblas_dsyrk(a[0], a[1], a[2], a[3], a[4], 1.0, x.as_ptr(), a[5], 1.0, out.as_mut_ptr(), a[6]) }
}

fn gemv(a: &[c_int], out: &mut [f64; 64]) {
    // SAFETY: as for `gemm`.
    single(|x, y| unsafe { cblas_sgemv(a[0], a[1], a[2], a[3], 1.0, x, a[4], x, a[5], 1.0, y, a[6]) }, out);
}

fn ger(a: &[c_int], out: &mut [f64; 64]) {
    let x = [1.0; 64];
    // SAFETY: as for `gemm`.
    unsafe { cblas_dger(a[0], a[1], a[2], 1.0, x.as_ptr(), a[3], x.as_ptr(), a[4], out.as_mut_ptr(), a[5]) }
}

/// The letters of flags come as numbers.
fn fortran_gemm(a: &[c_int], out: &mut [f64; 64]) {
    let (x, one, flags) = ([1.0; 64], 1.0, [a[0] as u8, a[1] as u8]);
    // SAFETY: as for `gemm`.
    unsafe {
        dgemm_(
            &flags[0],
            &flags[1],
            &a[2],
            &a[3],
            &a[4],
            &one,
            x.as_ptr(),
            &a[5],
            x.as_ptr(),
            &a[6],
            &one,
            out.as_mut_ptr(),
            &a[7],
        );
    }
}

fn fortran_gemv(a: &[c_int], out: &mut [f64; 64]) {
    let flag = a[0] as u8;
    // SAFETY: as for `gemm`.
    single(|x, y| unsafe { sgemv_(&flag, &a[1], &a[2], &1.0, x, &a[3], x, &a[4], &1.0, y, &a[5]) }, out);
}

/// Each illegal value alone, and each pair of them: the lower position is reported. `illegal` has the place of the
/// argument, an illegal value and the position.
fn check(name: &str, call: Call, legal: &[c_int], illegal: &[(usize, c_int, c_int)]) {
    assert_eq!(reported(call, legal), None, "{name} {legal:?}");
    for (i, &(at, value, position)) in illegal.iter().enumerate() {
        let mut arguments = legal.to_vec();
        arguments[at] = value;
        assert_eq!(reported(call, &arguments), Some((name.to_owned(), position)), "{arguments:?}");
        // With a smaller matrix, its strides would be long enough.
        for &(other, value, second) in illegal[i + 1..].iter().filter(|other| other.1 <= 0 || other.0 != at) {
            if other != at {
                let mut both = arguments.clone();
                both[other] = value;
                let (_, found) = reported(call, &both).unwrap();
                // A negative size makes short strides legal.
                let is_size = |value: c_int| value < 0;
                let expected = position.min(second);
                assert!(found == expected || is_size(arguments[at]) && found == position, "{both:?}: {found}");
            }
        }
    }
}

#[test]
fn illegal_arguments_have_the_positions_of_netlib() {
    // m 3, n 4, k 5. The smallest strides are legal, one less is not.
    for (layout, strides) in [(ROW, [5, 4, 4]), (COLUMN, [3, 5, 3])] {
        let [lda, ldb, ldc] = strides;
        let column = layout == COLUMN;
        let (m, n) = if column { (4, 5) } else { (5, 4) };
        let (a, b) = if column { (9, 11) } else { (11, 9) };
        let illegal = [
            (1, 7, 2),
            (2, 0, if column { 3 } else { 2 }),
            (3, -1, m),
            (4, -1, n),
            (5, -1, 6),
            (6, lda - 1, a),
            (7, ldb - 1, b),
            (8, ldc - 1, 14),
        ];
        check("cblas_sgemm", gemm, &[layout, NO, NO, 3, 4, 5, lda, ldb, ldc], &illegal);
        // op(A) of 3 x 5: A is 5 x 3.
        let lda = if column { 5 } else { 3 };
        let transposed = [layout, TRANS, NO, 3, 4, 5, lda, ldb, ldc];
        check("cblas_sgemm", gemm, &transposed, &[(6, lda - 1, a), (5, -1, 6)]);

        let lda = if column { 3 } else { 5 };
        let illegal =
            [(1, NO, if column { 2 } else { 3 }), (2, 0, 3), (3, -1, 4), (4, -1, 5), (5, lda - 1, 8), (6, 2, 11)];
        check("cblas_dsyrk", syrk, &[layout, UPPER, NO, 3, 5, lda, 3], &illegal);

        for trans in [NO, TRANS] {
            // The stride is that of A, transposed or not.
            let lda = if column { 3 } else { 4 };
            let (m, n) = if column { (3, 4) } else { (4, 3) };
            let illegal = [(1, UPPER, 2), (2, -1, m), (3, -2, n), (4, lda - 1, 7), (5, 0, 9), (6, 0, 12)];
            check("cblas_sgemv", gemv, &[layout, trans, 3, 4, lda, 2, -1], &illegal);
        }

        let lda = if column { 3 } else { 4 };
        let (m, n) = if column { (2, 3) } else { (3, 2) };
        let (x, y) = if column { (6, 8) } else { (8, 6) };
        let illegal = [(1, -1, m), (2, -1, n), (3, 0, x), (4, 0, y), (5, lda - 1, 10)];
        check("cblas_dger", ger, &[layout, 3, 4, -2, 1, lda], &illegal);
    }
    // Any other layout is the first argument, whatever the others are.
    for layout in [0, 100, 103] {
        let report = |routine: &str| Some((routine.to_owned(), 1));
        assert_eq!(reported(gemm, &[layout, NO, NO, 3, 4, 5, 5, 4, 4]), report("cblas_sgemm"));
        assert_eq!(reported(gemm, &[layout, NO, NO, -3, 4, 5, 5, 4, 4]), report("cblas_sgemm"));
        assert_eq!(reported(syrk, &[layout, UPPER, NO, 3, 5, 5, 3]), report("cblas_dsyrk"));
        assert_eq!(reported(gemv, &[layout, NO, 3, 4, 4, 0, 1]), report("cblas_sgemv"));
        assert_eq!(reported(ger, &[layout, 3, 4, 1, 1, 4]), report("cblas_dger"));
    }
    // Fortran counts no layout, and names routines in six letters.
    let [n, t] = [b'n', b'T'].map(c_int::from);
    let illegal = [(0, 0, 1), (1, 120, 2), (2, -1, 3), (3, -1, 4), (4, -1, 5), (5, 2, 8), (6, 4, 10), (7, 2, 13)];
    check("DGEMM ", fortran_gemm, &[n, n, 3, 4, 5, 3, 5, 3], &illegal);
    let illegal = [(0, 0, 1), (1, -1, 2), (2, -1, 3), (3, 2, 6), (4, 0, 8), (5, 0, 11)];
    check("SGEMV ", fortran_gemv, &[t, 3, 4, 3, 1, -3], &illegal);
    // A name from an array gets to the same hook, in 32 letters.
    let name = "A NAME OF MORE THAN THIRTY-TWO LETTERS";
    for length in [0, 6, 38] {
        // SAFETY: a name of this length, and an integer.
        unsafe { xerbla_array_(name.as_ptr(), &(length as c_int), &7) };
        let padded = format!("{:32.32}", &name[..length]);
        assert_eq!(REPORT.lock().unwrap().take(), Some((padded, 7)));
    }
}
