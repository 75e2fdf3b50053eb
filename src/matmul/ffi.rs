//! The C functions of the family: pointers to the safe API, its errors to a status.

use core::ffi::c_void;

use super::element::Element;
use super::gemm::gemm_in;
use super::options::{Options, Order};
use super::packed::{PackedB, gemm_packed};
use super::plan::Plan;
use super::view::{MatMut, MatRef, Strides};
use crate::cache::Caches;
use crate::error::Error;
use crate::ffi::{Status, destroy, non_null, non_null_mut, slice, slice_mut, status};

/// `hl_matmul_opts`.
#[repr(C)]
pub struct MatmulOpts {
    /// 0: strict, 1: fast.
    order: i32,
    /// Bytes of the caches, or 0 for those of this CPU.
    l1: usize,
    l2: usize,
    l3: usize,
}

/// `hl_matmul_packed`: B as packed in the caller's memory.
#[repr(C)]
pub struct MatmulPacked {
    values: *const c_void,
    k: usize,
    n: usize,
    kc: usize,
    nr: usize,
    /// Of an element.
    bytes: usize,
}

/// A plan for one of the types.
pub enum MatmulPlan {
    /// For `f32`.
    F32(Plan<f32>),
    /// For `f64`.
    F64(Plan<f64>),
}

/// # Safety
/// `opts` is null, for the default, or readable.
unsafe fn options(opts: *const MatmulOpts) -> Result<Options, Error> {
    // SAFETY: the caller's contract.
    let Some(opts) = (unsafe { opts.as_ref() }) else { return Ok(Options::default()) };
    let order = match opts.order {
        0 => Order::Strict,
        1 => Order::Fast,
        value => return Err(Error::Option { argument: "order", value }),
    };
    let caches = match [opts.l1, opts.l2, opts.l3] {
        [0, 0, 0] => None,
        sizes => {
            let own = Caches::default();
            let [l1, l2, l3] =
                core::array::from_fn(|i| if sizes[i] > 0 { sizes[i] } else { [own.l1, own.l2, own.l3][i] });
            Some(Caches { l1, l2, l3 })
        }
    };
    Ok(Options { order, caches })
}

/// A matrix of the caller's: the pointer to its element (0, 0), rows, columns, strides.
#[derive(Clone, Copy)]
struct Matrix<P> {
    at: P,
    rows: usize,
    columns: usize,
    strides: Strides,
    argument: &'static str,
}

impl<P> Matrix<P> {
    fn new(at: P, [rows, columns]: [usize; 2], [row, column]: [isize; 2], argument: &'static str) -> Self {
        Matrix { at, rows, columns, strides: Strides { row, column }, argument }
    }

    /// Its memory.
    fn area<T>(&self, at: *const T) -> Result<Area, Error> {
        let (extent, first) = self.strides.extent::<T>(self.rows, self.columns, self.argument)?;
        if extent > 0 && at.is_null() {
            return Err(Error::Null { argument: self.argument });
        }
        let start = at.addr().wrapping_sub(first * size_of::<T>());
        let [row, column] = [self.strides.row, self.strides.column].map(isize::unsigned_abs);
        let lines = match () {
            _ if column == 1 || self.columns <= 1 => Some((self.rows, self.columns, row)),
            _ if row == 1 || self.rows <= 1 => Some((self.columns, self.rows, column)),
            _ => None,
        };
        Ok(Area { start, extent, size: size_of::<T>(), lines, argument: self.argument })
    }
}

/// Memory of a matrix.
struct Area {
    start: usize,
    /// Elements from the lowest to the highest one.
    extent: usize,
    size: usize,
    /// Lines of contiguous elements: their number, their length, and their distance.
    lines: Option<(usize, usize, usize)>,
    argument: &'static str,
}

impl Area {
    /// [`Error::Overlap`] if C, the other, has an element of this. Blocks of one larger matrix that lie between each other are
    /// apart; of other matrices that do, it is not asked whether they are.
    fn apart_from(self, c: &Area) -> Result<(), Error> {
        let end = |area: &Area| area.start.saturating_add(area.extent * area.size);
        let touch = self.extent > 0 && c.extent > 0 && self.start < end(c) && c.start < end(&self);
        if touch && !self.between(c) { Err(Error::Overlap { argument: self.argument }) } else { Ok(()) }
    }

    /// Whether the lines of one are between those of the other.
    fn between(&self, c: &Area) -> bool {
        let (Some((lines, length, step)), Some((c_lines, c_length, c_step))) = (self.lines, c.lines) else {
            return false;
        };
        let step = match (lines, c_lines) {
            (1, 1) => return false,
            (1, _) => c_step as isize,
            (_, 1) => step as isize,
            _ if step == c_step => step as isize,
            _ => return false,
        };
        let bytes = self.start.wrapping_sub(c.start) as isize;
        let distance = bytes / self.size as isize;
        if bytes % self.size as isize != 0 || step == 0 {
            return false;
        }
        // The first line begins so many lines of C later, and so many elements to the right.
        let (down, right) = (distance.div_euclid(step), distance.rem_euclid(step));
        let meet = |down: isize| down < c_lines as isize && down + lines as isize > 0;
        let first = right < c_length as isize && meet(down);
        let wrapped = right + length as isize > step && meet(down + 1);
        !first && !wrapped
    }
}

impl<T: Element> Matrix<*const T> {
    /// # Safety
    /// The matrix is readable for `'a`; C is `c`.
    unsafe fn view<'a>(self, c: &Area) -> Result<MatRef<'a, T>, Error> {
        self.area(self.at)?.apart_from(c)?;
        // SAFETY: the caller's contract.
        Ok(unsafe { MatRef::from_raw(self.at, self.rows, self.columns, self.strides) })
    }
}

impl<T: Element> Matrix<*mut T> {
    /// # Safety
    /// The matrix is the caller's alone for `'a`.
    unsafe fn view_mut<'a>(self) -> Result<(MatMut<'a, T>, Area), Error> {
        self.strides.distinct(self.rows, self.columns, self.argument)?;
        let area = self.area(self.at.cast_const())?;
        // SAFETY: the caller's contract.
        Ok((unsafe { MatMut::from_raw(self.at, self.rows, self.columns, self.strides) }, area))
    }
}

/// The caller's workspace, or none.
///
/// # Safety
/// `workspace` is null or points to `bytes` bytes that nothing else uses for `'a`.
unsafe fn workspace<'a>(workspace: *mut c_void, bytes: usize) -> Result<Option<&'a mut [u8]>, Error> {
    match workspace.is_null() {
        true => Ok(None),
        // SAFETY: the caller's contract.
        false => unsafe { slice_mut(workspace.cast(), bytes, "workspace") }.map(Some),
    }
}

/// Whether a product reads A and B, as in BLAS.
fn is_read<T: Element>(c: &Matrix<*mut T>, alpha: T) -> bool {
    c.rows > 0 && c.columns > 0 && alpha != T::ZERO
}

/// # Safety
/// The contract of [`hl_matmul_gemm_f32`].
unsafe fn gemm<T: Element>(
    alpha: T,
    a: Matrix<*const T>,
    b: Matrix<*const T>,
    beta: T,
    c: Matrix<*mut T>,
    opts: *const MatmulOpts,
    memory: (*mut c_void, usize),
) -> Status {
    let multiply = || {
        let k = if is_read(&c, alpha) { a.columns } else { 0 };
        let (a, b) = (Matrix { columns: k, ..a }, Matrix { rows: k, ..b });
        // SAFETY: the caller's contract.
        unsafe {
            let (c, area) = c.view_mut()?;
            let (a, b) = (a.view(&area)?, b.view(&area)?);
            let workspace = workspace(memory.0, memory.1)?;
            gemm_in(alpha, a, b, beta, c, &options(opts)?, workspace)
        }
    };
    status(multiply())
}

/// # Safety
/// The contract of [`hl_matmul_pack_b_f32`].
unsafe fn pack_b<T: Element>(
    b: Matrix<*const T>,
    opts: *const MatmulOpts,
    values: *mut T,
    packed: *mut MatmulPacked,
) -> Status {
    let pack = || {
        // SAFETY: the caller's contract.
        unsafe {
            let packed = non_null_mut(packed, "packed")?;
            let length = PackedB::<T>::len(b.rows, b.columns)?;
            let b = b.view(&Matrix::new(values, [1, length], [0, 1], "values").area(values.cast_const())?)?;
            let done = PackedB::new(b, slice_mut(values, length, "values")?, &options(opts)?)?;
            let PackedB { k, n, kc, nr, .. } = done;
            *packed = MatmulPacked { values: values.cast(), k, n, kc, nr, bytes: size_of::<T>() };
            Ok(())
        }
    };
    status(pack())
}

/// # Safety
/// The contract of [`hl_matmul_gemm_packed_f32`].
unsafe fn multiply_packed<T: Element>(
    (m, alpha): (usize, T),
    (a, a_strides): (*const T, [isize; 2]),
    packed: *const MatmulPacked,
    beta: T,
    (c, c_strides): (*mut T, [isize; 2]),
    opts: *const MatmulOpts,
    memory: (*mut c_void, usize),
) -> Status {
    let multiply = || {
        // SAFETY: the caller's contract.
        unsafe {
            let &MatmulPacked { values, k, n, kc, nr, bytes } = non_null(packed, "packed")?;
            if bytes != size_of::<T>() {
                return Err(Error::Type { argument: "packed" });
            }
            let length = PackedB::<T>::len(k, n).map_err(|_| Error::TooLarge { argument: "packed" })?;
            let c = Matrix::new(c, [m, n], c_strides, "c");
            let reads = is_read(&c, alpha);
            let (c, area) = c.view_mut()?;
            let values = values.cast::<T>();
            Matrix::new(values, [1, length], [0, 1], "packed").area(values)?.apart_from(&area)?;
            let packed = PackedB::from_parts(slice(values, length, "packed")?, [k, n, kc, nr])?;
            let a = Matrix::new(a, [m, if reads { k } else { 0 }], a_strides, "a").view(&area)?;
            let (opts, workspace) = (options(opts)?, workspace(memory.0, memory.1)?);
            if reads {
                return gemm_packed(alpha, a, &packed, beta, c, &opts, workspace);
            }
            let b = MatRef::from_raw(values, 0, n, Strides::row_major(n));
            gemm_in(alpha, a, b, beta, c, &opts, workspace)
        }
    };
    status(multiply())
}

/// # Safety
/// `plan` and `opts` are null or fit.
unsafe fn create<T: Element>(
    shape: [usize; 3],
    strides: [[isize; 2]; 3],
    opts: *const MatmulOpts,
    plan: *mut *mut MatmulPlan,
    of: fn(Plan<T>) -> MatmulPlan,
) -> Status {
    let [a, b, c] = strides.map(|[row, column]| Strides { row, column });
    // SAFETY: the caller's contract.
    unsafe { crate::ffi::create(plan, "plan", || Ok(of(Plan::new(shape, a, b, c, &options(opts)?)?))) }
}

/// # Safety
/// The contract of [`hl_matmul_plan_run_f32`].
unsafe fn run<T: Element>(
    plan: &Plan<T>,
    alpha: T,
    [a, b]: [*const T; 2],
    beta: T,
    c: *mut T,
    (memory, bytes): (*mut c_void, usize),
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
    let needed = plan.workspace_bytes();
    if needed > 0 && memory.is_null() {
        return Err(Error::Null { argument: "workspace" });
    }
    crate::error::at_least("workspace", needed, bytes)?;
    // SAFETY: the caller's contract.
    unsafe { plan.execute(alpha, a.at, b.at, beta, c, memory.cast()) };
    Ok(())
}

/// `C = alpha A B + beta C`; A has `m` rows and `k` columns, B `k` and `n`, C `m` and `n`, each with a stride of rows and one of
/// columns, in elements.
///
/// # Safety
/// `a`, `b` and `c` are null or point to the elements (0, 0) of such matrices, `c` to one that nothing else uses; `opts` is null or
/// readable; `workspace` is null or points to `workspace_bytes` bytes that nothing else uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_matmul_gemm_f32(
    m: usize,
    n: usize,
    k: usize,
    alpha: f32,
    a: *const f32,
    a_row: isize,
    a_column: isize,
    b: *const f32,
    b_row: isize,
    b_column: isize,
    beta: f32,
    c: *mut f32,
    c_row: isize,
    c_column: isize,
    opts: *const MatmulOpts,
    workspace: *mut c_void,
    workspace_bytes: usize,
) -> Status {
    let a = Matrix::new(a, [m, k], [a_row, a_column], "a");
    let b = Matrix::new(b, [k, n], [b_row, b_column], "b");
    let c = Matrix::new(c, [m, n], [c_row, c_column], "c");
    // SAFETY: the caller's contract.
    unsafe { gemm(alpha, a, b, beta, c, opts, (workspace, workspace_bytes)) }
}

/// Packs B for many products, into `values[0..k * n]`, and writes `packed`, which points there.
///
/// # Safety
/// `b` is null or points to the element (0, 0) of a matrix, `opts` is null or readable, `values` is null or points to `k * n`
/// writable elements, `packed` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_matmul_pack_b_f32(
    k: usize,
    n: usize,
    b: *const f32,
    b_row: isize,
    b_column: isize,
    opts: *const MatmulOpts,
    values: *mut f32,
    packed: *mut MatmulPacked,
) -> Status {
    let b = Matrix::new(b, [k, n], [b_row, b_column], "b");
    // SAFETY: the caller's contract.
    unsafe { pack_b(b, opts, values, packed) }
}

/// [`hl_matmul_gemm_f32`] with B packed before.
///
/// # Safety
/// As for [`hl_matmul_gemm_f32`]; `packed` is null or as [`hl_matmul_pack_b_f32`] wrote it, its values still there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_matmul_gemm_packed_f32(
    m: usize,
    alpha: f32,
    a: *const f32,
    a_row: isize,
    a_column: isize,
    packed: *const MatmulPacked,
    beta: f32,
    c: *mut f32,
    c_row: isize,
    c_column: isize,
    opts: *const MatmulOpts,
    workspace: *mut c_void,
    workspace_bytes: usize,
) -> Status {
    let (a, c) = ((a, [a_row, a_column]), (c, [c_row, c_column]));
    // SAFETY: the caller's contract.
    unsafe { multiply_packed((m, alpha), a, packed, beta, c, opts, (workspace, workspace_bytes)) }
}

/// Makes a plan of products of one shape and layout; to be destroyed.
///
/// # Safety
/// `opts` is null or readable, `plan` null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_matmul_plan_create_f32(
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
    unsafe { create([m, n, k], strides, opts, plan, MatmulPlan::F32) }
}

/// `C = alpha A B + beta C` by a plan.
///
/// # Safety
/// As for [`hl_matmul_gemm_f32`]; `plan` is null or a plan, which other threads may be using.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_matmul_plan_run_f32(
    plan: *const MatmulPlan,
    alpha: f32,
    a: *const f32,
    b: *const f32,
    beta: f32,
    c: *mut f32,
    workspace: *mut c_void,
    workspace_bytes: usize,
) -> Status {
    let run = || {
        // SAFETY: the caller's contract.
        unsafe {
            let MatmulPlan::F32(plan) = non_null(plan, "plan")? else { return Err(Error::Type { argument: "plan" }) };
            run(plan, alpha, [a, b], beta, c, (workspace, workspace_bytes))
        }
    };
    status(run())
}

/// `C = alpha A B + beta C`; A has `m` rows and `k` columns, B `k` and `n`, C `m` and `n`, each with a stride of rows and one of
/// columns, in elements.
///
/// # Safety
/// `a`, `b` and `c` are null or point to the elements (0, 0) of such matrices, `c` to one that nothing else uses; `opts` is null or
/// readable; `workspace` is null or points to `workspace_bytes` bytes that nothing else uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_matmul_gemm_f64(
    m: usize,
    n: usize,
    k: usize,
    alpha: f64,
    a: *const f64,
    a_row: isize,
    a_column: isize,
    b: *const f64,
    b_row: isize,
    b_column: isize,
    beta: f64,
    c: *mut f64,
    c_row: isize,
    c_column: isize,
    opts: *const MatmulOpts,
    workspace: *mut c_void,
    workspace_bytes: usize,
) -> Status {
    let a = Matrix::new(a, [m, k], [a_row, a_column], "a");
    let b = Matrix::new(b, [k, n], [b_row, b_column], "b");
    let c = Matrix::new(c, [m, n], [c_row, c_column], "c");
    // SAFETY: the caller's contract.
    unsafe { gemm(alpha, a, b, beta, c, opts, (workspace, workspace_bytes)) }
}

/// Packs B for many products, into `values[0..k * n]`, and writes `packed`, which points there.
///
/// # Safety
/// `b` is null or points to the element (0, 0) of a matrix, `opts` is null or readable, `values` is null or points to `k * n`
/// writable elements, `packed` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_matmul_pack_b_f64(
    k: usize,
    n: usize,
    b: *const f64,
    b_row: isize,
    b_column: isize,
    opts: *const MatmulOpts,
    values: *mut f64,
    packed: *mut MatmulPacked,
) -> Status {
    let b = Matrix::new(b, [k, n], [b_row, b_column], "b");
    // SAFETY: the caller's contract.
    unsafe { pack_b(b, opts, values, packed) }
}

/// [`hl_matmul_gemm_f64`] with B packed before.
///
/// # Safety
/// As for [`hl_matmul_gemm_f64`]; `packed` is null or as [`hl_matmul_pack_b_f64`] wrote it, its values still there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_matmul_gemm_packed_f64(
    m: usize,
    alpha: f64,
    a: *const f64,
    a_row: isize,
    a_column: isize,
    packed: *const MatmulPacked,
    beta: f64,
    c: *mut f64,
    c_row: isize,
    c_column: isize,
    opts: *const MatmulOpts,
    workspace: *mut c_void,
    workspace_bytes: usize,
) -> Status {
    let (a, c) = ((a, [a_row, a_column]), (c, [c_row, c_column]));
    // SAFETY: the caller's contract.
    unsafe { multiply_packed((m, alpha), a, packed, beta, c, opts, (workspace, workspace_bytes)) }
}

/// Makes a plan of products of one shape and layout; to be destroyed.
///
/// # Safety
/// `opts` is null or readable, `plan` null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_matmul_plan_create_f64(
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
    unsafe { create([m, n, k], strides, opts, plan, MatmulPlan::F64) }
}

/// `C = alpha A B + beta C` by a plan.
///
/// # Safety
/// As for [`hl_matmul_gemm_f64`]; `plan` is null or a plan, which other threads may be using.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hl_matmul_plan_run_f64(
    plan: *const MatmulPlan,
    alpha: f64,
    a: *const f64,
    b: *const f64,
    beta: f64,
    c: *mut f64,
    workspace: *mut c_void,
    workspace_bytes: usize,
) -> Status {
    let run = || {
        // SAFETY: the caller's contract.
        unsafe {
            let MatmulPlan::F64(plan) = non_null(plan, "plan")? else { return Err(Error::Type { argument: "plan" }) };
            run(plan, alpha, [a, b], beta, c, (workspace, workspace_bytes))
        }
    };
    status(run())
}

/// Writes the bytes of workspace that runs of a plan need.
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
