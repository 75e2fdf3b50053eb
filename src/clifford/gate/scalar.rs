//! The scalar reference, also for doubles and for algebras of one generator or none.

use super::{CUBIC, FACTOR, GELU, GRADES, LINEAR, MEAN, SILU, SUM, grades};
use crate::clifford::logistic::logistic_of_each;
use crate::clifford::signature::MAX_BLADES;
use crate::math::float::Float;

/// Multivectors whose gates are computed together.
const TOGETHER: usize = 64;

/// A gate and its parameters.
pub(in super::super) struct Parameters<T> {
    pub kind: usize,
    pub channels: usize,
    pub weights: *const T,
    pub bias: *const T,
    pub signs: *const T,
}

pub(super) unsafe extern "C" fn gate_f32(
    kind: usize,
    blades: usize,
    channels: usize,
    weights: *const f32,
    bias: *const f32,
    signs: *const f32,
    x: *const f32,
    count: usize,
    z: *mut f32,
) {
    // SAFETY: the caller's contract.
    unsafe { apply(&Parameters { kind, channels, weights, bias, signs }, blades, x, count, z) }
}

/// z = x times its gate, for any number of blades.
///
/// # Safety
/// The contract of the kernel.
pub(in super::super) unsafe fn apply<T: Float>(
    gate: &Parameters<T>,
    blades: usize,
    x: *const T,
    count: usize,
    z: *mut T,
) {
    // SAFETY: the caller's contract.
    unsafe {
        match blades {
            1 => apply_to_all::<T, 1>(gate, x, count, z),
            2 => apply_to_all::<T, 2>(gate, x, count, z),
            4 => apply_to_all::<T, 4>(gate, x, count, z),
            8 => apply_to_all::<T, 8>(gate, x, count, z),
            _ => apply_to_all::<T, MAX_BLADES>(gate, x, count, z),
        }
    }
}

/// # Safety
/// The contract of the kernel.
unsafe fn apply_to_all<T: Float, const BLADES: usize>(gate: &Parameters<T>, x: *const T, count: usize, z: *mut T) {
    let (x, z) = (x.cast::<[T; BLADES]>(), z.cast::<[T; BLADES]>());
    let grade = const { grades::<BLADES>() };
    let kinds = if gate.kind == SILU { BLADES.ilog2() as usize + 1 } else { 1 };
    let mut channel = 0;
    for first in (0..count).step_by(TOGETHER) {
        let some = TOGETHER.min(count - first);
        let mut gates = [[T::ZERO; TOGETHER]; GRADES];
        for at in 0..some {
            // SAFETY: multivectors and channels that there are.
            let arguments = unsafe { arguments(gate, channel, &x.add(first + at).read_unaligned()) };
            gates.iter_mut().zip(arguments).take(kinds).for_each(|(gates, argument)| gates[at] = argument);
            channel = if channel + 1 == gate.channels { 0 } else { channel + 1 };
        }
        gates[..kinds].iter_mut().for_each(|gates| logistic_of_each(gates));
        if gate.kind == GELU {
            for (at, gate) in gates[0].iter_mut().enumerate().take(some) {
                // SAFETY: the first number of a multivector.
                let u = unsafe { x.add(first + at).cast::<T>().read_unaligned() };
                *gate = if *gate == T::ZERO { T::ZERO } else { u * *gate };
            }
        }
        for at in 0..some {
            // SAFETY: a multivector that there is.
            unsafe {
                let gate = |kind: usize| gates.get_unchecked(kind)[at];
                let mut numbers = x.add(first + at).read_unaligned();
                for (number, grade) in numbers.iter_mut().zip(grade) {
                    *number = *number * gate(if kinds == 1 { 0 } else { grade });
                }
                z.add(first + at).write_unaligned(numbers);
            }
        }
    }
}

/// The arguments of S for the gates of a multivector: one, or one for each grade.
///
/// # Safety
/// The contract of the kernel, for a channel.
#[inline]
unsafe fn arguments<T: Float, const BLADES: usize>(
    gate: &Parameters<T>,
    channel: usize,
    x: &[T; BLADES],
) -> [T; GRADES] {
    let (grade, grades) = (const { grades::<BLADES>() }, BLADES.ilog2() as usize + 1);
    // SAFETY: the caller's contract.
    let number = |from: *const T, at: usize| unsafe { from.add(at).read_unaligned() };
    let mut arguments = [T::ZERO; GRADES];
    match gate.kind {
        LINEAR => {
            let weights = (0..BLADES).map(|p| number(gate.weights, channel * BLADES + p));
            arguments[0] = x.iter().zip(weights).fold(number(gate.bias, channel), |sum, (&x, weight)| sum + weight * x);
        }
        SUM | MEAN => {
            let sum = x.iter().fold(T::ZERO, |sum, &x| sum + x);
            arguments[0] = if gate.kind == MEAN { sum * T::from_f64(1.0 / BLADES as f64) } else { sum };
        }
        GELU => {
            let cube = x[0] * x[0] * x[0];
            arguments[0] = T::from_f64(FACTOR) * (x[0] + T::from_f64(CUBIC) * cube);
        }
        _ => {
            arguments[0] = x[0];
            for p in 1..BLADES {
                arguments[grade[p]] = arguments[grade[p]] + number(gate.signs, p) * (x[p] * x[p]);
            }
            for (g, argument) in arguments.iter_mut().enumerate().take(grades) {
                let at = channel * grades + g;
                *argument = number(gate.weights, at) * *argument + number(gate.bias, at);
            }
        }
    }
    arguments
}
