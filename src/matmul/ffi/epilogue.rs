//! The C functions of products with a bias and an activation.

use core::ffi::c_void;

use super::matrix::{Area, Matrix};
use super::{MatmulOpts, MatmulPacked, PackedOperands, is_read, options, packed_operands, workspace};
use crate::frame::error::Error;
use crate::frame::ffi::{Status, slice, status};
use crate::matmul::element::Element;
use crate::matmul::epilogue::{Activation, Bias, Epilogue, gemm_packed_with_epilogue, gemm_with_epilogue};

/// A bias of the caller, its kind (0: none, 1: rows, 2: columns), and an activation (0: identity,
/// 1: ReLU).
#[derive(Clone, Copy)]
struct Ends<T> {
    bias: *const T,
    kind: i32,
    activation: i32,
}

impl<T: Element> Ends<T> {
    /// # Safety
    /// A bias that is neither null nor absent has a number for each row, or column, of C; the memory
    /// of C is `area`.
    unsafe fn epilogue<'a>(&self, [m, n]: [usize; 2], area: &Area) -> Result<Epilogue<'a, T>, Error> {
        let bias = |length: usize| {
            Matrix::new(self.bias, [1, length], [0, 1], "bias").area(self.bias)?.apart_from(area)?;
            // SAFETY: the caller's contract.
            unsafe { slice(self.bias, length, "bias") }
        };
        Ok(Epilogue {
            bias: match self.kind {
                0 => Bias::None,
                1 | 2 if m == 0 || n == 0 => Bias::None,
                1 => Bias::Rows(bias(m)?),
                2 => Bias::Columns(bias(n)?),
                value => return Err(Error::Option { argument: "bias_kind", value }),
            },
            activation: match self.activation {
                0 => Activation::Identity,
                1 => Activation::Relu,
                value => return Err(Error::Option { argument: "activation", value }),
            },
        })
    }
}

/// # Safety
/// The contract of [`hl_matmul_gemm_with_epilogue_f32`].
unsafe fn multiply<T: Element>(
    alpha: T,
    a: Matrix<*const T>,
    b: Matrix<*const T>,
    ends: Ends<T>,
    c: Matrix<*mut T>,
    opts: *const MatmulOpts,
    memory: (*mut c_void, usize),
) -> Status {
    let multiply = || {
        let k = if is_read(&c, alpha) { a.columns } else { 0 };
        let (a, b) = (Matrix { columns: k, ..a }, Matrix { rows: k, ..b });
        let shape = [c.rows, c.columns];
        // SAFETY: the caller's contract.
        unsafe {
            let (c, area) = c.view_mut()?;
            let (a, b) = (a.view(&area)?, b.view(&area)?);
            let (epilogue, workspace) = (ends.epilogue(shape, &area)?, workspace(memory.0, memory.1)?);
            gemm_with_epilogue(alpha, a, b, &epilogue, c, &options(opts)?, workspace)
        }
    };
    status(multiply())
}

/// # Safety
/// The contract of [`hl_matmul_gemm_packed_with_epilogue_f32`].
unsafe fn multiply_packed<T: Element>(
    (m, alpha): (usize, T),
    a: (*const T, [isize; 2]),
    packed: *const MatmulPacked,
    ends: Ends<T>,
    c: (*mut T, [isize; 2]),
    opts: *const MatmulOpts,
    memory: (*mut c_void, usize),
) -> Status {
    let multiply = || {
        // SAFETY: the caller's contract.
        unsafe {
            let PackedOperands { a, b, c, area } = packed_operands((m, alpha), a, packed, c)?;
            let shape = [c.rows(), c.columns()];
            let (epilogue, workspace) = (ends.epilogue(shape, &area)?, workspace(memory.0, memory.1)?);
            gemm_packed_with_epilogue(alpha, a, &b, &epilogue, c, &options(opts)?, workspace)
        }
    };
    status(multiply())
}

macro_rules! export_for_type {
    ($type:ident $gemm:ident $gemm_packed:ident) => {
        /// `C = activation(bias + alpha A B)`. A is `m` x `k`, B is `k` x `n`, and C is `m` x `n`.
        ///
        /// # Safety
        /// Same as for `hl_matmul_gemm_f32`. `bias` is ignored (kind 0), or it is null or points to
        /// a number for each row (kind 1) or column (kind 2) of C.
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
            bias: *const $type,
            bias_kind: i32,
            activation: i32,
            c: *mut $type,
            c_row: isize,
            c_column: isize,
            opts: *const MatmulOpts,
            workspace: *mut c_void,
            workspace_bytes: usize,
        ) -> Status {
            let a = Matrix::new(a, [m, k], [a_row, a_column], "a");
            let b = Matrix::new(b, [k, n], [b_row, b_column], "b");
            let c = Matrix::new(c, [m, n], [c_row, c_column], "c");
            let ends = Ends { bias, kind: bias_kind, activation };
            // SAFETY: the caller's contract.
            unsafe { multiply(alpha, a, b, ends, c, opts, (workspace, workspace_bytes)) }
        }

        /// [`hl_matmul_gemm_with_epilogue_f32`] with a packed B.
        ///
        /// # Safety
        /// Same as for [`hl_matmul_gemm_with_epilogue_f32`] and `hl_matmul_gemm_packed_f32`.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $gemm_packed(
            m: usize,
            alpha: $type,
            a: *const $type,
            a_row: isize,
            a_column: isize,
            packed: *const MatmulPacked,
            bias: *const $type,
            bias_kind: i32,
            activation: i32,
            c: *mut $type,
            c_row: isize,
            c_column: isize,
            opts: *const MatmulOpts,
            workspace: *mut c_void,
            workspace_bytes: usize,
        ) -> Status {
            let (a, c) = ((a, [a_row, a_column]), (c, [c_row, c_column]));
            let ends = Ends { bias, kind: bias_kind, activation };
            // SAFETY: the caller's contract.
            unsafe { multiply_packed((m, alpha), a, packed, ends, c, opts, (workspace, workspace_bytes)) }
        }
    };
}
export_for_type! { f32 hl_matmul_gemm_with_epilogue_f32 hl_matmul_gemm_packed_with_epilogue_f32 }
export_for_type! { f64 hl_matmul_gemm_with_epilogue_f64 hl_matmul_gemm_packed_with_epilogue_f64 }
