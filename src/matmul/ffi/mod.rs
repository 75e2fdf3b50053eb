//! The C functions of the family. They convert pointers for the safe API and its errors to a
//! status.

mod epilogue;
mod matrix;
mod plan;

use core::ffi::c_void;

use self::matrix::{Area, Matrix};
use super::element::Element;
use super::execute;
use super::gemm::gemm_in;
use super::gemm_packed;
use super::layout::Layout;
use super::options::{Options, Order};
use super::packed::PackedB;
use super::syrk::{Triangle, syrk_in};
use super::view::{MatMut, MatRef};
use crate::frame::cache::Caches;
use crate::frame::error::Error;
use crate::frame::ffi::{self, Status, non_null, non_null_mut, slice, slice_mut, status};

/// `hl_matmul_opts`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MatmulOpts {
    size: usize,
    /// 0: strict, 1: fast.
    order: i32,
    /// Sizes of the caches in bytes; 0 selects the size on this CPU.
    l1: usize,
    l2: usize,
    l3: usize,
}

/// `hl_matmul_packed`: a packed B in the caller's memory.
#[repr(C)]
pub struct MatmulPacked {
    values: *const c_void,
    k: usize,
    n: usize,
    kc: usize,
    nr: usize,
    /// Size of an element in bytes.
    bytes: usize,
}

/// # Safety
/// Same as for [`ffi::options`].
unsafe fn options(opts: *const MatmulOpts) -> Result<Options, Error> {
    // SAFETY: the caller's contract.
    let Some(opts) = unsafe { ffi::options(opts) }? else { return Ok(Options::default()) };
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

/// Whether the memory of the first two matrices, each a start and a length in bytes, is apart from
/// that of the third.
#[inline(always)]
fn apart([a, b, c]: [(usize, usize); 3]) -> bool {
    // Apart if the distance of the starts is at most -bytes or at least c.1. One comparison decides
    // both; it may say no for an empty matrix.
    let apart = |(start, bytes): (usize, usize)| {
        start.wrapping_sub(c.0).wrapping_add(bytes).wrapping_sub(1) >= (bytes + c.1).wrapping_sub(1)
    };
    apart(a) & apart(b)
}

/// Whether a product is not empty, its operands plainly do not overlap, its strides are not negative
/// and it has no options, if columns of B and C are contiguous. The checks of other products take
/// longer than this one.
#[inline(always)]
fn is_plain<T: Element>(a: Matrix<*const T>, b: Matrix<*const T>, c: Matrix<*mut T>, opts: *const MatmulOpts) -> bool {
    let [m, n, k] = [c.rows, c.columns, a.columns];
    let [a_row, a_column, b_row, c_row] =
        [a.strides.row, a.strides.column, b.strides.row, c.strides.row].map(|stride| stride as usize);
    // Bounded numbers, so that nothing below overflows; a negative stride is a large one.
    let fits = (m | n | k | a_row | a_column | b_row | c_row) < 1 << 24;
    let known = !(a.at.is_null() | b.at.is_null() | c.at.is_null()) & opts.is_null() & fits;
    if !known || m == 0 || n == 0 || k == 0 || c_row < n {
        return false;
    }
    let area = |at: usize, last: usize| (at, (last + 1) * size_of::<T>());
    let areas = [
        area(a.at.addr(), (m - 1) * a_row + (k - 1) * a_column),
        area(b.at.addr(), (k - 1) * b_row + n - 1),
        area(c.at.addr(), (m - 1) * c_row + n - 1),
    ];
    apart(areas)
}

/// Computes a plain product if it is tiny, and returns whether it did.
///
/// # Safety
/// The contract of [`hl_matmul_gemm_f32`].
#[inline(always)]
unsafe fn tiny_at_once<T: Element>(
    alpha: T,
    a: Matrix<*const T>,
    b: Matrix<*const T>,
    beta: T,
    c: Matrix<*mut T>,
    opts: *const MatmulOpts,
) -> bool {
    let shape = [c.rows, c.columns, a.columns];
    let strides = [a.strides, b.strides, c.strides];
    // SAFETY: the caller's contract. The callee refuses other columns of B and C than contiguous ones.
    Layout::fits(shape)
        && is_plain(a, b, c, opts)
        && unsafe { execute::tiny_at_once(shape, strides, alpha, [a.at, b.at], beta, c.at) }
}

/// Computes a plain product if it is small, and returns whether it did.
///
/// # Safety
/// The contract of [`hl_matmul_gemm_f32`].
unsafe fn at_once<T: Element>(
    alpha: T,
    a: Matrix<*const T>,
    b: Matrix<*const T>,
    beta: T,
    c: Matrix<*mut T>,
    opts: *const MatmulOpts,
) -> bool {
    // SAFETY: the caller's contract. `at_once` refuses other columns of B and C than contiguous ones.
    is_plain(a, b, c, opts)
        && unsafe {
            let [m, n, k] = [c.rows, c.columns, a.columns];
            let (a, b) = (MatRef::from_raw(a.at, m, k, a.strides), MatRef::from_raw(b.at, k, n, b.strides));
            execute::at_once(alpha, a, b, beta, &MatMut::from_raw(c.at, m, n, c.strides), &Options::default())
        }
}

/// Calls `rest` with its captures, which the caller stores only then.
#[inline(never)]
fn out_of_line(rest: impl FnOnce() -> Status) -> Status {
    rest()
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
    // SAFETY: the caller's contract.
    if unsafe { at_once(alpha, a, b, beta, c, opts) } {
        return 0;
    }
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

/// The operands of a product with a packed B, and the memory of C. B has no rows if it is not read.
struct PackedOperands<'a, T> {
    a: MatRef<'a, T>,
    b: PackedB<'a, T>,
    c: MatMut<'a, T>,
    area: Area,
}

/// # Safety
/// The contract of [`hl_matmul_gemm_packed_f32`].
unsafe fn packed_operands<'a, T: Element>(
    (m, alpha): (usize, T),
    (a, a_strides): (*const T, [isize; 2]),
    packed: *const MatmulPacked,
    (c, c_strides): (*mut T, [isize; 2]),
) -> Result<PackedOperands<'a, T>, Error> {
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
        let b = PackedB::from_parts(slice(values, length, "packed")?, [k, n, kc, nr])?;
        let b = if reads { b } else { PackedB { k: 0, ..b } };
        let a = Matrix::new(a, [m, b.k], a_strides, "a").view(&area)?;
        Ok(PackedOperands { a, b, c, area })
    }
}

/// # Safety
/// The contract of [`hl_matmul_gemm_packed_f32`].
unsafe fn multiply_packed<T: Element>(
    (m, alpha): (usize, T),
    a: (*const T, [isize; 2]),
    packed: *const MatmulPacked,
    beta: T,
    c: (*mut T, [isize; 2]),
    opts: *const MatmulOpts,
    memory: (*mut c_void, usize),
) -> Status {
    let multiply = || {
        // SAFETY: the caller's contract.
        unsafe {
            let PackedOperands { a, b, c, .. } = packed_operands((m, alpha), a, packed, c)?;
            gemm_packed(alpha, a, &b, beta, c, &options(opts)?, workspace(memory.0, memory.1)?)
        }
    };
    status(multiply())
}

/// # Safety
/// The contract of [`hl_matmul_syrk_f32`].
unsafe fn multiply_by_transpose<T: Element>(
    alpha: T,
    a: Matrix<*const T>,
    beta: T,
    c: Matrix<*mut T>,
    value: i32,
    opts: *const MatmulOpts,
    memory: (*mut c_void, usize),
) -> Status {
    let multiply = || {
        let triangle = [Triangle::Upper, Triangle::Lower].into_iter().find(|known| *known as i32 == value);
        let triangle = triangle.ok_or(Error::Option { argument: "triangle", value })?;
        let a = Matrix { columns: if is_read(&c, alpha) { a.columns } else { 0 }, ..a };
        // SAFETY: the caller's contract.
        unsafe {
            let (c, area) = c.view_mut()?;
            let workspace = workspace(memory.0, memory.1)?;
            syrk_in(alpha, a.view(&area)?, beta, c, triangle, &options(opts)?, workspace)
        }
    };
    status(multiply())
}

macro_rules! export_for_type {
    ($type:ident $gemm:ident $pack_b:ident $gemm_packed:ident $syrk:ident) => {
        /// `C = alpha A B + beta C`. A is `m` x `k`, B is `k` x `n`, and C is `m` x `n`. Each has a
        /// row stride and a column stride, in elements.
        ///
        /// # Safety
        /// `a`, `b` and `c` are null or point to element (0, 0) of such a matrix; nothing else uses
        /// C. `opts` is null or readable. `workspace` is null or points to `workspace_bytes` bytes
        /// that nothing else uses.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $gemm(
            m: usize,
            n: usize,
            k: usize,
            alpha: $type,
            a: *const $type,
            a_row: isize,
            a_column: isize,
            b: *const $type,
            b_row: isize,
            b_column: isize,
            beta: $type,
            c: *mut $type,
            c_row: isize,
            c_column: isize,
            opts: *const MatmulOpts,
            workspace: *mut c_void,
            workspace_bytes: usize,
        ) -> Status {
            let matrices = move || {
                let a = Matrix::new(a, [m, k], [a_row, a_column], "a");
                let b = Matrix::new(b, [k, n], [b_row, b_column], "b");
                (a, b, Matrix::new(c, [m, n], [c_row, c_column], "c"))
            };
            // SAFETY: the caller's contract.
            unsafe {
                let (a, b, c) = matrices();
                if tiny_at_once(alpha, a, b, beta, c, opts) {
                    return 0;
                }
                out_of_line(move || {
                    let (a, b, c) = matrices();
                    gemm(alpha, a, b, beta, c, opts, (workspace, workspace_bytes))
                })
            }
        }

        /// Packs B for many products into `values[0..k * n]`, and writes `packed`, which points
        /// there.
        ///
        /// # Safety
        /// `b` is null or points to element (0, 0) of a matrix, `opts` is null or readable,
        /// `values` is null or points to `k * n` writable elements, `packed` is null or writable.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $pack_b(
            k: usize,
            n: usize,
            b: *const $type,
            b_row: isize,
            b_column: isize,
            opts: *const MatmulOpts,
            values: *mut $type,
            packed: *mut MatmulPacked,
        ) -> Status {
            let b = Matrix::new(b, [k, n], [b_row, b_column], "b");
            // SAFETY: the caller's contract.
            unsafe { pack_b(b, opts, values, packed) }
        }

        /// [`hl_matmul_gemm_f32`] with a packed B.
        ///
        /// # Safety
        /// Same as for [`hl_matmul_gemm_f32`]. `packed` is null or was written by
        /// [`hl_matmul_pack_b_f32`], and its values are unchanged.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $gemm_packed(
            m: usize,
            alpha: $type,
            a: *const $type,
            a_row: isize,
            a_column: isize,
            packed: *const MatmulPacked,
            beta: $type,
            c: *mut $type,
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

        /// One triangle of `C = alpha A A^T + beta C`. A is `n` x `k`, and C is `n` x `n`. The
        /// other triangle is neither read nor written.
        ///
        /// # Safety
        /// Same as for [`hl_matmul_gemm_f32`].
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $syrk(
            n: usize,
            k: usize,
            alpha: $type,
            a: *const $type,
            a_row: isize,
            a_column: isize,
            beta: $type,
            c: *mut $type,
            c_row: isize,
            c_column: isize,
            triangle: i32,
            opts: *const MatmulOpts,
            workspace: *mut c_void,
            workspace_bytes: usize,
        ) -> Status {
            let a = Matrix::new(a, [n, k], [a_row, a_column], "a");
            let c = Matrix::new(c, [n, n], [c_row, c_column], "c");
            // SAFETY: the caller's contract.
            unsafe { multiply_by_transpose(alpha, a, beta, c, triangle, opts, (workspace, workspace_bytes)) }
        }
    };
}
export_for_type! {
    f32 hl_matmul_gemm_f32 hl_matmul_pack_b_f32 hl_matmul_gemm_packed_f32 hl_matmul_syrk_f32
}
export_for_type! {
    f64 hl_matmul_gemm_f64 hl_matmul_pack_b_f64 hl_matmul_gemm_packed_f64 hl_matmul_syrk_f64
}
