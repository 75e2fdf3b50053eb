//! The C functions of plans.

use core::ffi::c_void;

use super::matrix::{Area, Matrix};
use super::{MatmulOpts, apart, options};
use crate::frame::error::{Error, at_least};
use crate::frame::ffi::{Status, create, destroy, non_null, non_null_mut, status};
use crate::matmul::element::Element;
use crate::matmul::execute;
use crate::matmul::plan::Plan;
use crate::matmul::view::Strides;

/// A plan for one of the types.
pub enum MatmulPlan {
    /// For `f32`.
    F32(Plan<f32>),
    /// For `f64`.
    F64(Plan<f64>),
}

/// # Safety
/// `opts` is null or readable; `plan` is null or writable.
unsafe fn plan<T: Element>(
    shape: [usize; 3],
    strides: [[isize; 2]; 3],
    opts: *const MatmulOpts,
    plan: *mut *mut MatmulPlan,
    of: fn(Plan<T>) -> MatmulPlan,
) -> Status {
    let [a, b, c] = strides.map(|[row, column]| Strides { row, column });
    // SAFETY: the caller's contract.
    unsafe { create(plan, "plan", || Ok(of(Plan::new(shape, a, b, c, &options(opts)?)?))) }
}

/// `accumulate` of the one call of a kernel that computes the product, if all matrices are there, and
/// A and B plainly do not overlap C.
#[inline(always)]
fn one_call<T: Element>(plan: &Plan<T>, alpha: T, [a, b, c]: [*const T; 3], beta: T) -> Option<u32> {
    let area = |at: *const T, (length, _): (usize, usize)| (at.addr(), length * size_of::<T>());
    let [a_extent, b_extent, c_extent] = plan.extents;
    if a.is_null() || b.is_null() || c.is_null() || !apart([area(a, a_extent), area(b, b_extent), area(c, c_extent)]) {
        return None;
    }
    plan.one_call(alpha, beta)
}

/// Whether all matrices are there, A and B plainly do not overlap C, and no workspace is needed.
#[inline(always)]
fn runs_at_once<T: Element>(plan: &Plan<T>, [a, b, c]: [*const T; 3]) -> bool {
    let area = |at: *const T, (length, first): (usize, usize)| {
        (at.addr().wrapping_sub(first * size_of::<T>()), length * size_of::<T>())
    };
    let [a_extent, b_extent, c_extent] = plan.extents;
    !(a.is_null() | b.is_null() | c.is_null())
        & (plan.workspace_bytes() == 0)
        & apart([area(a, a_extent), area(b, b_extent), area(c, c_extent)])
}

/// # Safety
/// The contract of [`hl_matmul_plan_run_f32`].
#[inline(never)]
unsafe fn run<T: Element>(
    plan: &Plan<T>,
    alpha: T,
    [a, b]: [*const T; 2],
    beta: T,
    c: *mut T,
    memory: (*mut c_void, usize),
) -> Status {
    // SAFETY: the caller's contract.
    unsafe {
        if runs_at_once(plan, [a, b, c]) {
            plan.execute(alpha, a, b, beta, c, memory.0.cast());
            0
        } else {
            status(run_checked(plan, alpha, [a, b], beta, c, memory))
        }
    }
}

/// # Safety
/// The contract of [`hl_matmul_plan_run_f32`].
#[inline(never)]
unsafe fn run_checked<T: Element>(
    plan: &Plan<T>,
    alpha: T,
    [a, b]: [*const T; 2],
    beta: T,
    c: *mut T,
    memory: (*mut c_void, usize),
) -> Result<(), Error> {
    let [m, n, k] = plan.caller_shape();
    let [a_strides, b_strides, c_strides] = plan.caller_strides();
    let matrix = |at, rows, columns, strides, argument| Matrix { at, rows, columns, strides, argument };
    let area = matrix(c.cast_const(), m, n, c_strides, "c").area(c.cast_const())?;
    let k = if m == 0 || n == 0 || alpha == T::ZERO { 0 } else { k };
    let a = matrix(a, m, k, a_strides, "a");
    let b = matrix(b, k, n, b_strides, "b");
    a.area(a.at)?.apart_from(&area)?;
    b.area(b.at)?.apart_from(&area)?;
    check_workspace(plan, memory)?;
    // SAFETY: the caller's contract.
    unsafe { plan.execute(alpha, a.at, b.at, beta, c, memory.0.cast()) };
    Ok(())
}

/// The error of a plan that is null or for the other type.
#[cold]
#[inline(never)]
fn no_plan(plan: *const MatmulPlan) -> Status {
    status(Err(match plan.is_null() {
        true => Error::Null { argument: "plan" },
        false => Error::Type { argument: "plan" },
    }))
}

/// # Safety
/// The contract of [`hl_matmul_plan_run_batch_f32`].
unsafe fn run_batch<T: Element>(
    plan: &Plan<T>,
    count: usize,
    alpha: T,
    [(a, a_step), (b, b_step)]: [(*const T, usize); 2],
    beta: T,
    (c, c_step): (*mut T, usize),
    memory: (*mut c_void, usize),
) -> Result<(), Error> {
    let steps = [a_step, b_step, c_step];
    let [a_length, b_length, c_length] = plan.batch_lengths(count, steps)?;
    if count == 0 {
        return Ok(());
    }
    let [a_extent, b_extent, c_extent] = plan.extents;
    let area = Area::of_batch(c.cast_const(), c_extent, (c_length, c_step), "c")?;
    if alpha != T::ZERO {
        Area::of_batch(a, a_extent, (a_length, a_step), "a")?.apart_from(&area)?;
        Area::of_batch(b, b_extent, (b_length, b_step), "b")?.apart_from(&area)?;
    }
    check_workspace(plan, memory)?;
    // SAFETY: the caller's contract.
    unsafe { plan.execute_batch(count, steps, alpha, [a, b], beta, c, memory.0.cast()) };
    Ok(())
}

fn check_workspace<T: Element>(plan: &Plan<T>, (memory, bytes): (*mut c_void, usize)) -> Result<(), Error> {
    let needed = plan.workspace_bytes();
    if needed > 0 && memory.is_null() {
        return Err(Error::Null { argument: "workspace" });
    }
    at_least("workspace", needed, bytes)
}

macro_rules! export_for_type {
    ($type:ident $Plan:ident $plan_create:ident $plan_run:ident $plan_run_batch:ident) => {
        /// Creates a plan for products of one shape and layout. Destroy it with
        /// [`hl_matmul_plan_destroy`].
        ///
        /// # Safety
        /// `opts` is null or readable; `plan` is null or writable.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $plan_create(
            m: usize,
            n: usize,
            k: usize,
            a_row: isize,
            a_column: isize,
            b_row: isize,
            b_column: isize,
            c_row: isize,
            c_column: isize,
            opts: *const MatmulOpts,
            plan: *mut *mut MatmulPlan,
        ) -> Status {
            let strides = [[a_row, a_column], [b_row, b_column], [c_row, c_column]];
            // SAFETY: the caller's contract.
            unsafe { self::plan([m, n, k], strides, opts, plan, MatmulPlan::$Plan) }
        }

        /// `C = alpha A B + beta C` with a plan.
        ///
        /// # Safety
        /// Same as for [`hl_matmul_gemm_f32`]. `plan` is null or a plan; other threads may use it
        /// meanwhile.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $plan_run(
            plan: *const MatmulPlan,
            alpha: $type,
            a: *const $type,
            b: *const $type,
            beta: $type,
            c: *mut $type,
            workspace: *mut c_void,
            workspace_bytes: usize,
        ) -> Status {
            // SAFETY: the caller's contract.
            unsafe {
                let Some(MatmulPlan::$Plan(plan)) = plan.as_ref() else { return no_plan(plan) };
                match one_call(plan, alpha, [a, b, c], beta) {
                    Some(accumulate) => {
                        execute::tiny(plan, a, b, c, accumulate);
                        0
                    }
                    None => run(plan, alpha, [a, b], beta, c, (workspace, workspace_bytes)),
                }
            }
        }

        /// `count` products with a plan: those of the matrices that begin `a_step`, `b_step` and
        /// `c_step` elements after the ones before.
        ///
        /// # Safety
        /// Same as for [`hl_matmul_plan_run_f32`], for all these matrices.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $plan_run_batch(
            plan: *const MatmulPlan,
            count: usize,
            alpha: $type,
            a: *const $type,
            a_step: usize,
            b: *const $type,
            b_step: usize,
            beta: $type,
            c: *mut $type,
            c_step: usize,
            workspace: *mut c_void,
            workspace_bytes: usize,
        ) -> Status {
            let (factors, memory) = ([(a, a_step), (b, b_step)], (workspace, workspace_bytes));
            // SAFETY: the caller's contract.
            unsafe {
                match plan.as_ref() {
                    Some(MatmulPlan::$Plan(plan)) => {
                        status(run_batch(plan, count, alpha, factors, beta, (c, c_step), memory))
                    }
                    _ => no_plan(plan),
                }
            }
        }
    };
}
export_for_type! {
    f32 F32 hl_matmul_plan_create_f32 hl_matmul_plan_run_f32 hl_matmul_plan_run_batch_f32
}
export_for_type! {
    f64 F64 hl_matmul_plan_create_f64 hl_matmul_plan_run_f64 hl_matmul_plan_run_batch_f64
}

/// Writes the size in bytes of the workspace that a plan needs.
///
/// # Safety
/// `plan` is null or a plan; `bytes` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_matmul_plan_workspace_bytes(plan: *const MatmulPlan, bytes: *mut usize) -> Status {
    let write = || {
        // SAFETY: the caller's contract.
        let (plan, bytes) = unsafe { (non_null(plan, "plan")?, non_null_mut(bytes, "bytes")?) };
        *bytes = match plan {
            MatmulPlan::F32(plan) => plan.workspace_bytes(),
            MatmulPlan::F64(plan) => plan.workspace_bytes(),
        };
        Ok(())
    };
    status(write())
}

/// Frees a plan; null is legal.
///
/// # Safety
/// `plan` is null or a plan that is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_matmul_plan_destroy(plan: *mut MatmulPlan) {
    // SAFETY: the caller's contract.
    unsafe { destroy(plan) }
}
