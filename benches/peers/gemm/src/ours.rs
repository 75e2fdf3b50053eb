//! Calls of hotloops' matrix product; no other file uses its interface.

use std::cell::UnsafeCell;

use hotloops::matmul::{MatMut, MatRef, Options, Plan, Strides, gemm};

use crate::clock::{Job, job};
use crate::operands::{Operands, Scalar};

type Arrays<T> = (&'static [T], &'static [T], &'static mut [T]);

/// # Safety The operands' memory is valid, and nothing else uses C.
unsafe fn arrays<T>(o: &Operands<T>) -> Arrays<T> {
    let [a, b, c] = [o.cell.a(), o.cell.b(), o.cell.c()].map(|(rows, _, stride)| rows * stride);
    // SAFETY: that many elements were allocated.
    unsafe {
        (std::slice::from_raw_parts(o.a, a), std::slice::from_raw_parts(o.b, b), std::slice::from_raw_parts_mut(o.c, c))
    }
}

/// The plain call. Its time includes views and allocation.
pub fn by_call<T: Scalar>(o: Operands<T>) -> Option<Job<'static>> {
    let (one, zero) = (T::from(1.0), T::default());
    Some(job(move || {
        // SAFETY: the operands of the cell.
        let (a, b, c) = unsafe { arrays(&o) };
        let view = |values, (rows, columns, stride), transposed| {
            let view = MatRef::row_major(values, rows, columns, stride)?;
            Ok(if transposed { view.transposed() } else { view })
        };
        let (rows, columns, stride) = o.cell.c();
        let a = view(a, o.cell.a(), o.cell.a_transposed)?;
        let b = view(b, o.cell.b(), o.cell.b_transposed)?;
        gemm(one, a, b, zero, MatMut::row_major(c, rows, columns, stride)?)
    }))
}

/// A call with a plan and a workspace created beforehand.
pub fn by_plan<T: Scalar>(o: Operands<T>) -> Option<Job<'static>> {
    let strides = |(row, column)| Strides { row, column };
    let (a, b, c) = (strides(o.a_strides()), strides(o.b_strides()), strides((o.c_stride(), 1)));
    let plan = Plan::<T>::new([o.cell.m, o.cell.n, o.cell.k], a, b, c, &Options::default()).ok()?;
    let workspace = UnsafeCell::new(vec![0_u8; plan.workspace_bytes()]);
    let (one, zero) = (T::from(1.0), T::default());
    // SAFETY: the operands of the cell.
    let (a, b, c) = unsafe { arrays(&o) };
    let c: *mut [T] = c;
    Some(job(move || {
        // SAFETY: C and the workspace are used here alone.
        let (c, workspace) = unsafe { (&mut *c, &mut *workspace.get()) };
        // The loop would copy a whole `Result` through memory.
        plan.run(one, a, b, zero, c, workspace).is_ok()
    }))
}
