//! Calls of hotloops' matrix product; no other file uses its interface.

use std::cell::UnsafeCell;

use hotloops::matmul::{
    Activation, Bias, Epilogue, MatMut, MatRef, Options, Plan, Strides, Triangle, gemm, gemm_in, gemm_with_epilogue,
    syrk_in,
};

use crate::clock::{Job, job};
use crate::operands::{Operands, Scalar};

type Arrays<T> = (&'static [T], &'static [T], &'static mut [T]);
type Views<T> = (MatRef<'static, T>, MatRef<'static, T>, MatMut<'static, T>);

/// Bytes that suffice for any product.
const WORKSPACE: usize = 4 << 20;

/// # Safety The operands' memory is valid, and nothing else uses C.
unsafe fn arrays<T>(o: &Operands<T>) -> Arrays<T> {
    let [a, b, c] = [o.cell.a(), o.cell.b(), o.cell.c()].map(|(rows, _, stride)| rows * stride);
    // SAFETY: that many elements were allocated.
    unsafe {
        (std::slice::from_raw_parts(o.a, a), std::slice::from_raw_parts(o.b, b), std::slice::from_raw_parts_mut(o.c, c))
    }
}

/// Inlined, because the time of small products includes it.
///
/// # Safety As for [`arrays`].
#[inline(always)]
unsafe fn views<T: Scalar>(o: &Operands<T>) -> Result<Views<T>, hotloops::Error> {
    // SAFETY: the caller's contract.
    let (a, b, c) = unsafe { arrays(o) };
    let view = |values, (rows, columns, stride), transposed| {
        let view = MatRef::row_major(values, rows, columns, stride)?;
        Ok(if transposed { view.transposed() } else { view })
    };
    let (rows, columns, stride) = o.cell.c();
    let a = view(a, o.cell.a(), o.cell.a_transposed)?;
    let b = view(b, o.cell.b(), o.cell.b_transposed)?;
    Ok((a, b, MatMut::row_major(c, rows, columns, stride)?))
}

/// Calls with the views of the operands and a workspace.
fn by_views<T: Scalar>(
    o: Operands<T>,
    call: impl Fn(Views<T>, &mut [u8]) -> Result<(), hotloops::Error> + 'static,
) -> Job<'static> {
    let workspace = UnsafeCell::new(vec![0_u8; WORKSPACE]);
    job(move || {
        // SAFETY: the operands of the cell; the workspace is used here alone.
        let (views, workspace) = unsafe { (views(&o)?, &mut *workspace.get()) };
        call(views, workspace)
    })
}

/// The plain call. Its time includes views and allocation.
pub fn by_call<T: Scalar>(o: Operands<T>) -> Option<Job<'static>> {
    let (one, zero) = (T::from(1.0), T::default());
    Some(job(move || {
        // SAFETY: the operands of the cell.
        let (a, b, c) = unsafe { views(&o) }?;
        gemm(one, a, b, zero, c)
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

/// The left and the right half of C on two threads.
pub fn by_halves<T: Scalar>(o: Operands<T>) -> Option<Job<'static>> {
    let (one, zero, options) = (T::from(1.0), T::default(), Options::default());
    let other = UnsafeCell::new(vec![0_u8; WORKSPACE]);
    let middle = o.cell.n / 2;
    Some(by_views(o, move |(a, b, c), workspace| {
        // SAFETY: the workspace is used here alone.
        let other = unsafe { &mut *other.get() };
        let (left, right) = c.split_columns(middle)?;
        let (rows, columns) = (b.rows(), b.columns());
        let (b_left, b_right) = (b.block(0..rows, 0..middle)?, b.block(0..rows, middle..columns)?);
        let (left, right) = rayon::join(
            || gemm_in(one, a, b_left, zero, left, &options, Some(workspace)),
            || gemm_in(one, a, b_right, zero, right, &options, Some(other)),
        );
        left.and(right)
    }))
}

/// The upper triangle of A A^T, for the A of the cell.
pub fn by_syrk<T: Scalar>(o: Operands<T>) -> Option<Job<'static>> {
    let (one, zero, options) = (T::from(1.0), T::default(), Options::default());
    Some(by_views(o, move |(a, _, c), workspace| syrk_in(one, a, zero, c, Triangle::Upper, &options, Some(workspace))))
}

/// A bias for each column, and ReLU.
pub fn with_epilogue<T: Scalar>(o: Operands<T>, bias: Vec<T>) -> Job<'static> {
    let (one, options) = (T::from(1.0), Options::default());
    by_views(o, move |(a, b, c), workspace| {
        let epilogue = Epilogue { bias: Bias::Columns(&bias), activation: Activation::Relu };
        gemm_with_epilogue(one, a, b, &epilogue, c, &options, Some(workspace))
    })
}

/// The product, and then `pass` over C.
pub fn with_pass<T: Scalar>(o: Operands<T>, pass: impl Fn(&mut [T]) + 'static) -> Job<'static> {
    let (one, zero, options) = (T::from(1.0), T::default(), Options::default());
    by_views(o, move |(a, b, c), workspace| {
        gemm_in(one, a, b, zero, c, &options, Some(workspace))?;
        // SAFETY: the operands of the cell; the view of C is no longer used.
        pass(unsafe { arrays(&o) }.2);
        Ok(())
    })
}
