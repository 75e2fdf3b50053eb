//! The kernel, generic over vectors, and the macro that exports it for an instruction set.
//!
//! Gates are computed for as many multivectors as a vector has lanes: each coefficient of these becomes a
//! vector. Gates of all blades are then moved to the blades of their multivectors in the order of memory, so
//! that x need not be transposed back.

use core::mem::MaybeUninit;
use core::num::NonZero;

use super::super::common::lanes::{Copies, repeat};
use super::super::logistic::{LARGEST, LN_2_HIGH, LN_2_LOW, POLYNOMIAL, ROUND, SMALLEST};
use super::super::multiply::lanes::Transpose;
use super::{CUBIC, FACTOR, GELU, GRADES, LINEAR, MEAN, SILU, SUM, grades};
use crate::frame::cache::prefetch;
use crate::math::vector::{Fractional, Int, MAX_LANES};

/// Blocks of multivectors for which the parameters of channels are loaded once.
const BLOCKS: usize = 16;

/// Bytes of a line of the caches, and between a block and what is prefetched while it is computed.
const LINE: usize = 64;
const AHEAD: usize = 2048;

/// Vectors whose lanes are repeated.
///
/// # Safety
/// As for [`Fractional`].
pub(super) trait Spread: Transpose + Fractional {
    /// Vector number `VECTOR` of as many multivectors of `N` numbers as there are lanes, with the lane of each
    /// multivector in place of its numbers. Multivectors have the lanes of [`Transpose::load_rows`].
    unsafe fn spread<const N: usize, const VECTOR: usize>(self) -> Self;
}

/// The parameters of the channels in lanes: for each blade or for each grade.
struct Columns<V, const N: usize> {
    weights: [V; N],
    bias: [V; N],
}

/// The logistic function by the formula of `logistic.rs`.
///
/// From the bound of the argument on, the result is 1. An exponent is added to the bits, because the power of 2
/// times a number near 1 is neither denormal nor infinite.
///
/// # Safety
/// As for [`Fractional`].
#[inline(always)]
unsafe fn logistic<V: Fractional>(a: V) -> V {
    // SAFETY: the caller's contract.
    unsafe {
        let (one, round) = (V::splat(1.0), V::splat(ROUND));
        let x = V::splat(0.0).sub(a.min_or_nan(V::splat(-SMALLEST)));
        let rounded = x.mul(V::splat(core::f32::consts::LOG2_E)).add(round);
        let n = rounded.sub(round);
        let r = x.sub(n.mul(V::splat(LN_2_HIGH))).sub(n.mul(V::splat(LN_2_LOW)));
        let mut series = V::splat(POLYNOMIAL[0]);
        for term in &POLYNOMIAL[1..] {
            series = series.mul(r).add(V::splat(*term));
        }
        let power = series.mul(r.mul(r)).add(r).add(one);
        let value = V::from_bits(power.bits().add(rounded.bits().shl::<23>()));
        // Infinity or NaN.
        let large = x.mul(V::splat(f32::INFINITY));
        let exp = V::select(x.not_less(V::splat(LARGEST.next_up())), large, value);
        one.div(one.add(exp))
    }
}

/// The gates of a multivector in each lane; those of all grades, or the first one for all blades.
///
/// # Safety
/// `signs` has `N` readable numbers if `KIND` is [`SILU`]; as for [`Fractional`].
#[inline(always)]
unsafe fn gates<V: Spread, const KIND: usize, const N: usize>(
    columns: &Columns<V, N>,
    signs: *const f32,
    x: &[V; N],
) -> [V; GRADES] {
    // SAFETY: the caller's contract.
    unsafe {
        let zero = V::splat(0.0);
        let mut arguments = [zero; GRADES];
        match KIND {
            LINEAR => {
                arguments[0] = columns.bias[0];
                repeat! { P below N { arguments[0] = arguments[0].add(columns.weights[P].mul(x[P])); } }
            }
            SUM | MEAN => {
                repeat! { P below N { arguments[0] = arguments[0].add(x[P]); } }
                if KIND == MEAN {
                    arguments[0] = arguments[0].mul(V::splat(1.0 / N as f32));
                }
            }
            GELU => {
                let cube = x[0].mul(x[0]).mul(x[0]);
                arguments[0] = V::splat(FACTOR as f32).mul(x[0].add(V::splat(CUBIC as f32).mul(cube)));
            }
            _ => {
                arguments[0] = x[0];
                repeat! { P below N {
                    if P != 0 {
                        let grade = const { grades::<N>()[P] };
                        let sign = V::splat(signs.add(P).read_unaligned());
                        arguments[grade] = arguments[grade].add(sign.mul(x[P].mul(x[P])));
                    }
                } }
                let parameters = columns.weights.iter().zip(&columns.bias).take(const { N.ilog2() as usize + 1 });
                for (argument, (weight, bias)) in arguments.iter_mut().zip(parameters) {
                    *argument = logistic(weight.mul(*argument).add(*bias));
                }
                return arguments;
            }
        }
        let s = logistic(arguments[0]);
        arguments[0] = if KIND == GELU { s.where_zero(zero, x[0].mul(s)) } else { s };
        arguments
    }
}

/// As many multivectors as a vector has lanes.
///
/// # Safety
/// They are readable, those of `z` writable; as for [`gates()`].
#[inline(always)]
unsafe fn block<V: Spread, const KIND: usize, const N: usize>(
    columns: &Columns<V, N>,
    signs: *const f32,
    x: *const f32,
    z: *mut f32,
) {
    // SAFETY: the caller's contract.
    unsafe {
        let mut rows = V::load_rows::<N>(x);
        let gates = gates::<V, KIND, N>(columns, signs, &rows);
        if KIND == SILU {
            repeat! { P below N { rows[P] = rows[P].mul(gates[const { grades::<N>()[P] }]); } }
            V::store_rows(rows, z);
        } else {
            repeat! { I below N {
                V::load(x.add(I * V::LANES)).mul(gates[0].spread::<N, I>()).store(z.add(I * V::LANES));
            } }
        }
    }
}

/// The parameters of the channels of the multivectors from number `first` on.
///
/// # Safety
/// The parameters of `channels` channels are readable; as for [`Fractional`].
#[inline(always)]
unsafe fn columns<V: Spread, const KIND: usize, const N: usize>(
    channels: NonZero<usize>,
    weights: *const f32,
    bias: *const f32,
    first: usize,
) -> Columns<V, N> {
    // SAFETY: the caller's contract.
    unsafe {
        let zeros = [V::splat(0.0); N];
        let mut columns = Columns { weights: zeros, bias: zeros };
        let begin = first % channels;
        match KIND {
            LINEAR if begin + V::LANES <= channels.get() => {
                columns.weights = V::load_rows(weights.add(begin * N));
                columns.bias[0] = V::load(bias.add(begin)).by_multivector::<N>();
            }
            LINEAR => {
                for (p, column) in columns.weights.iter_mut().enumerate() {
                    *column = column_of::<V, N>(channels, begin, weights.add(p), N);
                }
                columns.bias[0] = column_of::<V, N>(channels, begin, bias, 1);
            }
            SILU => {
                let grades = N.ilog2() as usize + 1;
                for g in 0..grades {
                    columns.weights[g] = column_of::<V, N>(channels, begin, weights.add(g), grades);
                    columns.bias[g] = column_of::<V, N>(channels, begin, bias.add(g), grades);
                }
            }
            _ => {}
        }
        columns
    }
}

/// A parameter of the channels from `channel` on, which is a multiple of `each` numbers behind `from`.
///
/// # Safety
/// As for [`columns()`].
#[inline(always)]
unsafe fn column_of<V: Spread, const N: usize>(
    channels: NonZero<usize>,
    mut channel: usize,
    from: *const f32,
    each: usize,
) -> V {
    // SAFETY: the caller's contract.
    unsafe {
        let mut numbers = [0.0; MAX_LANES];
        for number in numbers.iter_mut().take(V::LANES) {
            *number = from.add(channel * each).read_unaligned();
            channel = if channel + 1 == channels.get() { 0 } else { channel + 1 };
        }
        V::load(numbers.as_ptr()).by_multivector::<N>()
    }
}

/// The kernel for a kind and a number of blades.
///
/// # Safety
/// The contract of the kernel; as for [`Fractional`].
#[inline(always)]
unsafe fn apply<V: Spread, const KIND: usize, const N: usize>(
    channels: usize,
    (weights, bias, signs): (*const f32, *const f32, *const f32),
    mut x: *const f32,
    count: usize,
    z: *mut f32,
) {
    // SAFETY: the caller's contract.
    unsafe {
        let (mut copies, mut to, mut all) = (MaybeUninit::<Copies<V, N>>::uninit(), z, count);
        let bytes = if count < V::LANES { count * N * size_of::<f32>() } else { 0 };
        if bytes > 0 {
            let Copies([some_x, _, some_z]) = copies.write(Copies::of(x, x, bytes));
            (x, to, all) = (some_x.as_ptr().cast(), some_z.as_mut_ptr().cast(), V::LANES);
        }
        let modulus = NonZero::new_unchecked(if KIND == LINEAR || KIND == SILU { channels } else { 1 });
        // Blocks at this distance have the same channels.
        let distance = (modulus.get() >> modulus.trailing_zeros().min(V::LANES.ilog2())) * V::LANES;
        let mut begin = 0;
        while begin < all {
            // The last block begins early enough to be whole.
            begin = begin.min(all - V::LANES);
            let end = all.min(begin + distance * BLOCKS);
            let mut of_columns = begin;
            while of_columns < begin + distance && of_columns + V::LANES <= end {
                let columns = columns::<V, KIND, N>(modulus, weights, bias, of_columns);
                let mut first = of_columns;
                while first + V::LANES <= end {
                    let at = first * N;
                    for line in (0..V::LANES * N * size_of::<f32>()).step_by(LINE) {
                        prefetch(x.add(at).cast::<u8>().wrapping_add(AHEAD + line));
                        prefetch(to.add(at).cast::<u8>().wrapping_add(AHEAD + line));
                    }
                    block::<V, KIND, N>(&columns, signs, x.add(at), to.add(at));
                    first += distance;
                }
                of_columns += V::LANES;
            }
            begin += (end - begin) / V::LANES * V::LANES;
        }
        if bytes > 0 {
            z.cast::<u8>().copy_from_nonoverlapping(to.cast(), bytes);
        }
    }
}

/// The kernel for a number of blades.
///
/// # Safety
/// As for [`apply()`].
#[inline(always)]
pub(super) unsafe fn of_kind<V: Spread, const N: usize>(
    kind: usize,
    channels: usize,
    parameters: (*const f32, *const f32, *const f32),
    x: *const f32,
    count: usize,
    z: *mut f32,
) {
    // SAFETY: the caller's contract.
    unsafe {
        match kind {
            LINEAR => apply::<V, LINEAR, N>(channels, parameters, x, count, z),
            SUM => apply::<V, SUM, N>(channels, parameters, x, count, z),
            MEAN => apply::<V, MEAN, N>(channels, parameters, x, count, z),
            GELU => apply::<V, GELU, N>(channels, parameters, x, count, z),
            _ => apply::<V, SILU, N>(channels, parameters, x, count, z),
        }
    }
}

/// Exports the kernel of an instruction set for its vector.
macro_rules! export_gate {
    ($isa:ident $vector:ident) => {
        $crate::frame::isa::$isa! {
            pub(super) unsafe extern "C" fn gate_f32(
                kind: usize, blades: usize, channels: usize, weights: *const f32, bias: *const f32, signs: *const f32,
                x: *const f32, count: usize, z: *mut f32,
            ) {
                // SAFETY: the caller's contract.
                unsafe {
                    match blades {
                        4 => lanes::of_kind::<$vector, 4>(kind, channels, (weights, bias, signs), x, count, z),
                        8 => lanes::of_kind::<$vector, 8>(kind, channels, (weights, bias, signs), x, count, z),
                        _ => lanes::of_kind::<$vector, 16>(kind, channels, (weights, bias, signs), x, count, z),
                    }
                }
            }
        }
    };
}
pub(super) use export_gate;
