//! Overlapping operands of products, in C.

use std::ffi::c_void;
use std::ptr::null_mut;

use crate::is;

/// `hl_matmul_packed`
#[repr(C)]
struct Packed([usize; 6]);

unsafe extern "C" {
    fn hl_matmul_pack_b_f64(
        k: usize,
        n: usize,
        b: *const f64,
        b_row: isize,
        b_column: isize,
        opts: *const c_void,
        values: *mut f64,
        packed: *mut Packed,
    ) -> i32;
    fn hl_matmul_gemm_packed_f64(
        m: usize,
        alpha: f64,
        a: *const f64,
        a_row: isize,
        a_column: isize,
        packed: *const Packed,
        beta: f64,
        c: *mut f64,
        c_row: isize,
        c_column: isize,
        opts: *const c_void,
        workspace: *mut c_void,
        bytes: usize,
    ) -> i32;
    fn hl_matmul_plan_create_f64(
        m: usize,
        n: usize,
        k: usize,
        a_row: isize,
        a_column: isize,
        b_row: isize,
        b_column: isize,
        c_row: isize,
        c_column: isize,
        opts: *const c_void,
        plan: *mut *mut c_void,
    ) -> i32;
    fn hl_matmul_plan_run_batch_f64(
        plan: *const c_void,
        count: usize,
        alpha: f64,
        a: *const f64,
        a_step: usize,
        b: *const f64,
        b_step: usize,
        beta: f64,
        c: *mut f64,
        c_step: usize,
        workspace: *mut c_void,
        bytes: usize,
    ) -> i32;
    fn hl_matmul_plan_destroy(plan: *mut c_void);
}

/// C of 3 x 4 begins in the packed values, which are longer than its rows are apart.
#[test]
fn a_packed_b_that_reaches_into_c() {
    let mut memory = [1.0f64; 100];
    let (b, a) = ([1.0; 20], [1.0; 15]);
    let (start, mut packed) = (memory.as_mut_ptr(), Packed([0; 6]));
    // SAFETY: all matrices are in their arrays.
    unsafe {
        is(hl_matmul_pack_b_f64(5, 4, b.as_ptr(), 4, 1, null_mut(), start, &mut packed), "HL_OK");
        for (first, expected) in [(0, "HL_ERR_OVERLAP"), (4, "HL_ERR_OVERLAP"), (19, "HL_ERR_OVERLAP"), (20, "HL_OK")] {
            let (c, none) = (start.add(first), null_mut::<c_void>());
            let status = hl_matmul_gemm_packed_f64(3, 1.0, a.as_ptr(), 5, 1, &packed, 0.0, c, 4, 1, none, none, 0);
            is(status, expected);
        }
    }
}

/// Matrices side by side in one array of records are apart; a C that reaches into an A is not.
#[test]
fn batches_in_one_array() {
    let mut plan = null_mut();
    let mut records: Vec<f64> = (0..120).map(f64::from).collect();
    let start = records.as_mut_ptr();
    // SAFETY: all matrices of 2 x 2 are in the array.
    unsafe {
        is(hl_matmul_plan_create_f64(2, 2, 2, 2, 1, 2, 1, 2, 1, null_mut(), &mut plan), "HL_OK");
        let run = |count, [a, b, c]: [usize; 3], [a_step, b_step, c_step]: [usize; 3]| {
            let (a, b, c) = (start.add(a), start.add(b), start.add(c));
            hl_matmul_plan_run_batch_f64(plan, count, 1.0, a, a_step, b, b_step, 0.0, c, c_step, null_mut(), 0)
        };
        is(run(10, [0, 0, 8], [12; 3]), "HL_OK");
        is(run(10, [0, 4, 8], [0, 0, 12]), "HL_OK");
        is(run(0, [0; 3], [0; 3]), "HL_OK");
        is(run(10, [0, 4, 7], [12; 3]), "HL_ERR_OVERLAP");
        is(run(10, [13, 0, 4], [12; 3]), "HL_ERR_OVERLAP");
        is(run(5, [12, 0, 8], [0, 24, 24]), "HL_OK");
        is(run(5, [33, 0, 8], [0, 24, 24]), "HL_ERR_OVERLAP");
        is(run(9, [0, 4, 8], [11, 12, 12]), "HL_ERR_OVERLAP");
        is(run(2, [0, 4, 8], [12, 12, 3]), "HL_ERR_STRIDE");
        is(run(2, [0, 4, 8], [usize::MAX, 12, 12]), "HL_ERR_TOO_LARGE");
        is(run(10, [0, 4, 8], [12; 3]), "HL_OK");
        hl_matmul_plan_destroy(plan);
    }
    let expected = |i: usize| {
        let x = |j: usize| (12 * i + j) as f64;
        [x(0) * x(4) + x(1) * x(6), x(0) * x(5) + x(1) * x(7)]
    };
    assert_eq!(records[12 * 7 + 8..12 * 7 + 10], expected(7));
}
