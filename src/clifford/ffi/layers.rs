//! The C functions that run layers.

use super::call_all;
use super::plan::{CliffordPacked, CliffordPlan, PackedOf, Weights, on};
use crate::frame::error::Error;
use crate::frame::ffi::{Status, non_null, non_null_mut, status};
use crate::matmul::Element;

/// A connected product has functions of its own, and other plans do not run by them.
const OTHER_PACKED: Error = Error::Option { argument: "packed", value: 0 };
const OTHER_PLAN: Error = Error::Option { argument: "plan", value: 0 };

/// The error with the name that packed weights have in C.
fn named(error: Error) -> Error {
    match error {
        Error::Option { argument: "weights", value } => Error::Option { argument: "packed", value },
        error => error,
    }
}

/// # Safety
/// The contract of [`hl_clifford_forward_f32`].
unsafe fn run<T: Element>(
    packed: &PackedOf<T>,
    batch: usize,
    size: *const usize,
    (from, from_name): (*const T, &'static str),
    (to, to_name): (*mut T, &'static str),
    workspace: (*mut T, usize),
    is_backward: bool,
) -> Result<(), Error> {
    // SAFETY: the caller's contract.
    unsafe {
        let size = packed.plan.size(size)?;
        let [x, y] = packed.plan.lengths(batch, size)?;
        let [from_length, to_length] = if is_backward { [y, x] } else { [x, y] };
        let outputs = [(to, to_length, to_name), (workspace.0, workspace.1, "workspace")];
        call_all([(from, from_length, from_name)], outputs, |[from], [to, workspace]| match is_backward {
            true => on!(Weights, &packed.weights, size,
                weights => weights.backward(batch, from, to, workspace),
                conv points => conv.backward(batch, points, from, to, workspace),
                _product => Err(OTHER_PACKED)),
            false => on!(Weights, &packed.weights, size,
                weights => weights.forward(batch, from, to, workspace),
                conv points => conv.forward(batch, points, from, to, workspace),
                _product => Err(OTHER_PACKED)),
        })
        .map_err(named)
    }
}

/// # Safety
/// The contract of [`hl_clifford_backward_weights_f32`].
unsafe fn add_gradients<T: Element>(
    plan: *const CliffordPlan,
    batch: usize,
    size: *const usize,
    (x, gy): (*const T, *const T),
    (gw, gbias): (*mut T, *mut T),
    workspace: (*mut T, usize),
) -> Result<(), Error> {
    // SAFETY: the caller's contract.
    unsafe {
        let plan = non_null(plan, "plan")?;
        let size = plan.size(size)?;
        let ([x_length, y_length], [weights, bias]) = (plan.lengths(batch, size)?, plan.parameters());
        let bias = if gbias.is_null() { 0 } else { bias };
        let outputs = [(gw, weights, "gw"), (gbias, bias, "gbias"), (workspace.0, workspace.1, "workspace")];
        call_all([(x, x_length, "x"), (gy, y_length, "gy")], outputs, |[x, gy], [gw, bias, workspace]| {
            let bias = (!gbias.is_null()).then_some(bias);
            on!(CliffordPlan, plan, size,
                layer => layer.backward_weights(batch, x, gy, gw, bias, workspace),
                conv points => conv.backward_weights(batch, points, (x, gy), (gw, bias), workspace),
                _product => Err(OTHER_PLAN))
        })
    }
}

/// # Safety
/// `plan` is null or valid; `size` is null or points to a number for each dimension; `length` is null or
/// writable.
unsafe fn gradients_workspace<T: Element>(
    plan: *const CliffordPlan,
    batch: usize,
    size: *const usize,
    length: *mut usize,
) -> Result<(), Error> {
    // SAFETY: the caller's contract.
    unsafe {
        let (plan, length) = (non_null(plan, "plan")?, non_null_mut(length, "length")?);
        *length = on!(CliffordPlan, plan, plan.size(size)?,
            layer => layer.backward_weights_len::<T>(batch),
            conv points => conv.backward_weights_len::<T>(batch, points),
            product => product.backward_weights_len::<T>(batch))?;
    }
    Ok(())
}

macro_rules! export_for_type {
    ($type:ident $of:ident $forward:ident $backward:ident $backward_weights:ident $workspace:ident
        $connected_forward:ident $connected_backward:ident $connected_backward_weights:ident) => {
        /// The output of a layer.
        ///
        /// # Safety
        /// `packed` is null or valid; `size` is null or points to a number for each dimension; the others
        /// are null or point to as many elements as the plan and the workspace need.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $forward(
            packed: *const CliffordPacked,
            batch: usize,
            size: *const usize,
            x: *const $type,
            y: *mut $type,
            workspace: *mut $type,
            length: usize,
        ) -> Status {
            // SAFETY: the caller's contract.
            status(unsafe {
                $of(packed).and_then(|of| run(of, batch, size, (x, "x"), (y, "y"), (workspace, length), false))
            })
        }

        /// The gradient with respect to the input.
        ///
        /// # Safety
        /// As for the output.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $backward(
            packed: *const CliffordPacked,
            batch: usize,
            size: *const usize,
            gy: *const $type,
            gx: *mut $type,
            workspace: *mut $type,
            length: usize,
        ) -> Status {
            // SAFETY: the caller's contract.
            status(unsafe {
                $of(packed).and_then(|of| run(of, batch, size, (gy, "gy"), (gx, "gx"), (workspace, length), true))
            })
        }

        /// Adds the gradients with respect to the weights and the bias.
        ///
        /// # Safety
        /// As for the output, with a plan.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $backward_weights(
            plan: *const CliffordPlan,
            batch: usize,
            size: *const usize,
            x: *const $type,
            gy: *const $type,
            gw: *mut $type,
            gbias: *mut $type,
            workspace: *mut $type,
            length: usize,
        ) -> Status {
            // SAFETY: the caller's contract.
            status(unsafe { add_gradients(plan, batch, size, (x, gy), (gw, gbias), (workspace, length)) })
        }

        /// Elements of the workspace of the gradients with respect to the weights.
        ///
        /// # Safety
        /// `plan` is null or valid; `size` is null or points to a number for each dimension; `length` is
        /// null or writable.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $workspace(
            plan: *const CliffordPlan,
            batch: usize,
            size: *const usize,
            length: *mut usize,
        ) -> Status {
            // SAFETY: the caller's contract.
            status(unsafe { gradients_workspace::<$type>(plan, batch, size, length) })
        }

        /// The connected product of x and y.
        ///
        /// # Safety
        /// As for the output of a layer.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $connected_forward(
            packed: *const CliffordPacked,
            batch: usize,
            x: *const $type,
            y: *const $type,
            z: *mut $type,
            workspace: *mut $type,
            length: usize,
        ) -> Status {
            let multiply = || {
                // SAFETY: the caller's contract.
                let of = unsafe { $of(packed) }?;
                let Weights::Connected(weights) = &of.weights else { return Err(OTHER_PACKED) };
                let [n, n_z] = of.plan.lengths(batch, &[])?;
                let outputs = [(z, n_z, "z"), (workspace, length, "workspace")];
                // SAFETY: the caller's contract.
                unsafe {
                    call_all([(x, n, "x"), (y, n, "y")], outputs, |[x, y], [z, workspace]| {
                        weights.forward(batch, x, y, z, workspace).map_err(named)
                    })
                }
            };
            status(multiply())
        }

        /// The gradients with respect to x and y.
        ///
        /// # Safety
        /// As for the output of a layer.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $connected_backward(
            packed: *const CliffordPacked,
            batch: usize,
            x: *const $type,
            y: *const $type,
            gz: *const $type,
            gx: *mut $type,
            gy: *mut $type,
            workspace: *mut $type,
            length: usize,
        ) -> Status {
            let multiply = || {
                // SAFETY: the caller's contract.
                let of = unsafe { $of(packed) }?;
                let Weights::Connected(weights) = &of.weights else { return Err(OTHER_PACKED) };
                let [n, n_z] = of.plan.lengths(batch, &[])?;
                let inputs = [(x, n, "x"), (y, n, "y"), (gz, n_z, "gz")];
                let outputs = [(gx, n, "gx"), (gy, n, "gy"), (workspace, length, "workspace")];
                // SAFETY: the caller's contract.
                unsafe {
                    call_all(inputs, outputs, |[x, y, gz], [gx, gy, workspace]| {
                        weights.backward(batch, (x, y), gz, (gx, gy), workspace).map_err(named)
                    })
                }
            };
            status(multiply())
        }

        /// Adds the gradient of a connected product with respect to the weights.
        ///
        /// # Safety
        /// As for the output of a layer, with a plan.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $connected_backward_weights(
            plan: *const CliffordPlan,
            batch: usize,
            x: *const $type,
            y: *const $type,
            gz: *const $type,
            gw: *mut $type,
            workspace: *mut $type,
            length: usize,
        ) -> Status {
            let multiply = || {
                // SAFETY: the caller's contract.
                let plan = unsafe { non_null(plan, "plan") }?;
                let CliffordPlan::Connected(product) = plan else { return Err(OTHER_PLAN) };
                let [n, n_z] = product.lengths(batch)?;
                let outputs = [(gw, product.weights_len(), "gw"), (workspace, length, "workspace")];
                // SAFETY: the caller's contract.
                unsafe {
                    call_all([(x, n, "x"), (y, n, "y"), (gz, n_z, "gz")], outputs, |[x, y, gz], [gw, workspace]| {
                        product.backward_weights(batch, (x, y), gz, gw, workspace)
                    })
                }
            };
            status(multiply())
        }
    };
}
export_for_type! { f32 of_f32 hl_clifford_forward_f32 hl_clifford_backward_f32 hl_clifford_backward_weights_f32
hl_clifford_backward_weights_workspace_f32 hl_clifford_connected_forward_f32 hl_clifford_connected_backward_f32
hl_clifford_connected_backward_weights_f32 }
export_for_type! { f64 of_f64 hl_clifford_forward_f64 hl_clifford_backward_f64 hl_clifford_backward_weights_f64
hl_clifford_backward_weights_workspace_f64 hl_clifford_connected_forward_f64 hl_clifford_connected_backward_f64
hl_clifford_connected_backward_weights_f64 }

/// # Safety
/// `packed` is null or valid.
unsafe fn of_f32<'a>(packed: *const CliffordPacked) -> Result<&'a PackedOf<f32>, Error> {
    // SAFETY: the caller's contract.
    match unsafe { non_null(packed, "packed") }? {
        CliffordPacked::F32(packed) => Ok(packed),
        CliffordPacked::F64(_) => Err(Error::Type { argument: "packed" }),
    }
}

/// # Safety
/// `packed` is null or valid.
unsafe fn of_f64<'a>(packed: *const CliffordPacked) -> Result<&'a PackedOf<f64>, Error> {
    // SAFETY: the caller's contract.
    match unsafe { non_null(packed, "packed") }? {
        CliffordPacked::F64(packed) => Ok(packed),
        CliffordPacked::F32(_) => Err(Error::Type { argument: "packed" }),
    }
}
