//! The C functions of activations.

use super::{call_all, numbers, signature};
use crate::clifford::act::Gate;
use crate::clifford::signature::Signature;
use crate::frame::error::Error;
use crate::frame::ffi::{Status, status};
use crate::math::float::Float;

/// Elements of the weights and of the bias of a gate.
fn parameters(signature: &Signature, gate: i32, channels: usize) -> Result<[usize; 2], Error> {
    let grades = signature.squares().len() + 1;
    let [weights, bias] = match gate {
        0 => [signature.blades(), 1],
        1..=3 => return Ok([0; 2]),
        4 => [grades; 2],
        value => return Err(Error::Option { argument: "gate", value }),
    };
    let product = |each: usize| channels.checked_mul(each).ok_or(Error::TooLarge { argument: "channels" });
    Ok([product(weights)?, product(bias)?])
}

/// The gate of a number that [`parameters`] accepted.
fn gate_of<'a, T: Float>(gate: i32, weights: &'a [T], bias: &'a [T]) -> Gate<'a, T> {
    match gate {
        0 => Gate::Linear { weights, bias },
        1 => Gate::Sum,
        2 => Gate::Mean,
        3 => Gate::Gelu,
        _ => Gate::Silu { weights, bias },
    }
}

macro_rules! export_for_type {
    ($type:ident $apply:ident $backward:ident) => {
        /// z = x times its gate: [`Gate::apply`].
        ///
        /// # Safety
        /// `squares` is null or points to `generators` readable values; the others are null or point to the
        /// gate's parameters and to `batch` times `channels` multivectors, those of `z` writable.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $apply(
            squares: *const i8,
            generators: usize,
            gate: i32,
            batch: usize,
            channels: usize,
            weights: *const $type,
            bias: *const $type,
            x: *const $type,
            z: *mut $type,
        ) -> Status {
            let apply = || {
                // SAFETY: the caller's contract.
                let of = unsafe { signature(squares, generators) }?;
                let [weights_len, bias_len] = parameters(&of, gate, channels)?;
                let count = batch.checked_mul(channels).ok_or(Error::TooLarge { argument: "batch" })?;
                let n = numbers(&of, count, "batch")?;
                let inputs = [(weights, weights_len, "weights"), (bias, bias_len, "bias"), (x, n, "x")];
                // SAFETY: the caller's contract.
                unsafe {
                    call_all(inputs, [(z, n, "z")], |[weights, bias, x], [z]| {
                        gate_of(gate, weights, bias).apply(of, x, z)
                    })
                }
            };
            status(apply())
        }

        /// The gradients of an activation: [`Gate::backward`].
        ///
        /// # Safety
        /// As for the activation; `gx`, `gw` and `gbias` are writable.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $backward(
            squares: *const i8,
            generators: usize,
            gate: i32,
            batch: usize,
            channels: usize,
            weights: *const $type,
            bias: *const $type,
            x: *const $type,
            gz: *const $type,
            gx: *mut $type,
            gw: *mut $type,
            gbias: *mut $type,
        ) -> Status {
            let apply = || {
                // SAFETY: the caller's contract.
                let of = unsafe { signature(squares, generators) }?;
                let [weights_len, bias_len] = parameters(&of, gate, channels)?;
                let count = batch.checked_mul(channels).ok_or(Error::TooLarge { argument: "batch" })?;
                let n = numbers(&of, count, "batch")?;
                let inputs = [(weights, weights_len, "weights"), (bias, bias_len, "bias"), (x, n, "x"), (gz, n, "gz")];
                let outputs = [(gx, n, "gx"), (gw, weights_len, "gw"), (gbias, bias_len, "gbias")];
                // SAFETY: the caller's contract.
                unsafe {
                    call_all(inputs, outputs, |[weights, bias, x, gz], [gx, gw, gbias]| {
                        gate_of(gate, weights, bias).backward(of, (x, gz), gx, (gw, gbias))
                    })
                }
            };
            status(apply())
        }
    };
}
export_for_type! { f32 hl_clifford_act_f32 hl_clifford_act_backward_f32 }
export_for_type! { f64 hl_clifford_act_f64 hl_clifford_act_backward_f64 }
