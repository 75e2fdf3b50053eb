//! The dense kernels, generic over the vectors of all instruction sets.

use core::array::from_fn;

use super::scalar::{
    EDGE, HALF, LARGEST, LARGEST_LEVEL, LN_2, RELATIVE, SERIES, SHIFT, SMALLEST, SMALLEST_LEVEL, spin,
};
use crate::math::vector::{Fractional, Int, Mask};

/// As the scalar function: the exponent, and the logarithm of the rest.
#[inline(always)]
unsafe fn logarithm<V: Fractional>(x: V) -> (V, V) {
    // SAFETY: the CPU has the instruction set, here and below.
    unsafe {
        let bits = x.bits().add(V::Bits::splat(SHIFT));
        let inner = bits.and(V::Bits::splat(0x7f_ffff)).add(V::Bits::splat(HALF));
        let t = V::from_bits(inner).sub(V::splat(1.0));
        let mut sum = V::splat(SERIES[6]);
        for &term in SERIES[..6].iter().rev() {
            sum = sum.mul(t).add(V::splat(term));
        }
        (V::from_integers(bits.shr::<23>()), sum.mul(t))
    }
}

/// As the scalar function, for the numbers at `random`.
#[inline(always)]
unsafe fn odds<V: Fractional, const HEAT: bool>(random: *const u32) -> (V, V) {
    // SAFETY: the caller's numbers.
    unsafe {
        let numbers = V::Bits::load(random).shr::<1>().or(V::Bits::splat(1));
        let x = V::from_integers(numbers);
        if HEAT {
            let y = V::from_integers(V::Bits::splat(1 << 31).sub(numbers));
            let (exponent, rest) = logarithm(y.div(x));
            (exponent.sub(V::splat(64.0)).mul(V::splat(LN_2)).add(rest), x.min(y))
        } else {
            let (exponent, rest) = logarithm(x);
            (V::splat(95.0).sub(exponent).mul(V::splat(LN_2)).sub(rest), x)
        }
    }
}

/// # Safety
/// `random` points to 64 numbers, `bounds` to 64 values.
#[inline(always)]
pub(super) unsafe fn bounds<V: Fractional, const HEAT: bool>(
    random: *const u32,
    scale: f32,
    margin: f32,
    bounds: *mut i16,
) -> u64 {
    let (mut wide, mut doubt) = ([0u32; 64], 0);
    // SAFETY: the caller's numbers.
    unsafe {
        for i in (0..64).step_by(V::LANES) {
            let (log, inner) = odds::<V, HEAT>(random.add(i));
            let value = log.mul(V::splat(scale)).min(V::splat(LARGEST)).max(V::splat(SMALLEST[usize::from(HEAT)]));
            let integer = value.round();
            let nearest = V::from_integers(integer);
            let limit = value.magnitude().mul(V::splat(RELATIVE)).add(V::splat(margin));
            let distance = value.sub(nearest).magnitude();
            let (is_far, is_edge) = (limit.less(distance), inner.less(V::splat(EDGE)));
            round_down(value, integer).store(wide.as_mut_ptr().add(i));
            doubt |= u64::from(!is_far.bits() & lanes::<V>() | is_edge.bits()) << i;
        }
    }
    for (i, value) in wide.into_iter().enumerate() {
        // SAFETY: the caller's bounds.
        unsafe { bounds.add(i).write_unaligned(value as i16) }
    }
    doubt
}

/// `value` rounded down, given the nearest integer.
#[inline(always)]
unsafe fn round_down<V: Fractional>(value: V, nearest: V::Bits) -> V::Bits {
    // SAFETY: the CPU has the instruction set.
    unsafe { V::Bits::select(value.less(V::from_integers(nearest)), nearest.sub(V::Bits::splat(1)), nearest) }
}

/// # Safety
/// As for `dense_levels`.
#[inline(always)]
pub(super) unsafe fn levels<V: Fractional, const HEAT: bool>(random: *const u32, scales: *const f32, levels: *mut i32) {
    // SAFETY: the caller's 64 numbers, scales and levels.
    unsafe {
        for i in (0..64).step_by(V::LANES) {
            let (log, _) = odds::<V, HEAT>(random.add(i));
            let value = log.mul(V::load(scales.add(i))).min(V::splat(LARGEST_LEVEL));
            let value = value.max(V::splat(SMALLEST_LEVEL[usize::from(HEAT)]));
            round_down(value, value.round()).store(levels.add(i).cast());
        }
    }
}

/// A bit for each lane.
fn lanes<V: Fractional>() -> u32 {
    u32::MAX >> (32 - V::LANES)
}

/// A vector of eight 16-bit integers. Arithmetic wraps.
///
/// # Safety
/// As for [`Vector`](crate::math::vector::Vector).
pub(super) trait Words: Copy {
    unsafe fn splat(x: i16) -> Self;
    unsafe fn load(from: *const i16) -> Self;
    unsafe fn store(self, to: *mut i16);
    /// Eight bytes, extended.
    unsafe fn widen(from: *const i8) -> Self;
    unsafe fn add(self, b: Self) -> Self;
    unsafe fn sub(self, b: Self) -> Self;
    unsafe fn mul(self, b: Self) -> Self;
    /// -1 where `self` is greater than `b`, else 0.
    unsafe fn exceeds(self, b: Self) -> Self;
    unsafe fn and(self, b: Self) -> Self;
    /// `self & !b`
    unsafe fn and_not(self, b: Self) -> Self;
    /// Element `I` in all lanes.
    unsafe fn repeat<const I: i32>(self) -> Self;
    /// A bit for each negative element.
    unsafe fn signs(self) -> u64;
}

/// Decides eight sites at a time. For these, the products of spin and field are in a vector; a row
/// of couplings is subtracted from it where its site flips, without a branch. The flips are then
/// applied to the fields of the later sites.
///
/// # Safety
/// As for `dense_flips`.
#[inline(always)]
pub(super) unsafe fn flips<V: Words>(
    spins: u64,
    fields: *const i16,
    bounds: *const i16,
    couplings: *const i8,
    stride: usize,
) -> u64 {
    // SAFETY: the caller's 64 fields, bounds and rows of 64 couplings.
    unsafe {
        let mut sums = fields.cast::<[i16; 64]>().read_unaligned();
        let mut flips = 0;
        for first in (0..64).step_by(8) {
            let signs: [i16; 8] = from_fn(|i| spin(spins, first + i));
            let (s, bound) = (V::load(signs.as_ptr()), V::load(bounds.add(first)));
            let products = V::load(sums.as_ptr().add(first)).mul(s);
            if products.exceeds(bound).signs() == 0xff {
                continue;
            }
            let group = Group { couplings: couplings.add(first * stride + first), stride, s, bound };
            let products = group.decide::<7>(group.decide::<6>(group.decide::<5>(
                group.decide::<4>(group.decide::<3>(group.decide::<2>(group.decide::<1>(group.decide::<0>(products))))),
            )));
            let accepted = !products.exceeds(bound).signs() & 0xff;
            flips |= accepted << first;
            let mut rest = accepted;
            while rest != 0 {
                let i = first + rest.trailing_zeros() as usize;
                let twice = V::splat(2 * spin(spins, i));
                for column in (first + 8..64).step_by(8) {
                    let sum = sums.as_mut_ptr().add(column);
                    V::load(sum).sub(V::widen(couplings.add(i * stride + column)).mul(twice)).store(sum);
                }
                rest &= rest - 1;
            }
        }
        flips
    }
}

/// Eight sites that are decided together.
struct Group<V> {
    couplings: *const i8,
    stride: usize,
    s: V,
    bound: V,
}

/// Element `i` of row `site`: -1 if `i` is after `site`, else 0.
static LATER: [[i16; 8]; 8] = {
    let (mut rows, mut place) = ([[0; 8]; 8], 0);
    while place < 64 {
        rows[place / 8][place % 8] = if place % 8 > place / 8 { -1 } else { 0 };
        place += 1;
    }
    rows
};

impl<V: Words> Group<V> {
    /// The products after the decision of site `I`. Its own and those of earlier sites stay.
    #[inline(always)]
    unsafe fn decide<const I: i32>(&self, products: V) -> V {
        // SAFETY: 8 rows of 8 couplings.
        unsafe {
            let row = V::widen(self.couplings.add(I as usize * self.stride));
            let change = row.add(row).mul(self.s).mul(self.s.repeat::<I>());
            let change = change.and(V::load(LATER[I as usize].as_ptr()));
            let stays = products.repeat::<I>().exceeds(self.bound.repeat::<I>());
            products.sub(change.and_not(stays))
        }
    }
}

/// A vector of 8-bit integers. Arithmetic wraps.
///
/// # Safety
/// As for [`Vector`](crate::math::vector::Vector).
pub(super) trait Bytes: Copy {
    const LANES: usize;

    unsafe fn zero() -> Self;
    unsafe fn load(from: *const i8) -> Self;
    unsafe fn add(self, b: Self) -> Self;
    unsafe fn sub(self, b: Self) -> Self;
    /// Adds twice the elements to as many 16-bit integers.
    unsafe fn add_twice(self, to: *mut i16);
}

/// Adds up to `depth` rows in bytes, then adds the sum to the fields.
///
/// # Safety
/// As for `dense_update`; `N` vectors are 64 bytes.
#[inline(always)]
pub(super) unsafe fn update<V: Bytes, const N: usize>(
    fields: *mut i16,
    columns: usize,
    couplings: *const i8,
    stride: usize,
    spins: u64,
    flips: u64,
    depth: usize,
) {
    // SAFETY: the caller's fields and rows of couplings, whole blocks of 64.
    unsafe {
        for column in (0..columns).step_by(64) {
            let (couplings, fields) = (couplings.add(column), fields.add(column));
            let (mut sums, mut count) = ([V::zero(); N], 0);
            // The rows of spins that become +1 are added, then the others subtracted.
            for (mut rest, is_up) in [(flips & spins, true), (flips & !spins, false)] {
                while rest != 0 {
                    let row = couplings.add(rest.trailing_zeros() as usize * stride);
                    for (n, sum) in sums.iter_mut().enumerate() {
                        let values = V::load(row.add(n * V::LANES));
                        *sum = if is_up { sum.add(values) } else { sum.sub(values) };
                    }
                    rest &= rest - 1;
                    count += 1;
                    if count == depth {
                        flush(&mut sums, fields);
                        count = 0;
                    }
                }
            }
            flush(&mut sums, fields);
        }
    }
}

/// Adds twice the sums to the fields and clears them.
///
/// # Safety
/// `fields` points to as many values.
#[inline(always)]
unsafe fn flush<V: Bytes, const N: usize>(sums: &mut [V; N], fields: *mut i16) {
    for (n, sum) in sums.iter_mut().enumerate() {
        // SAFETY: the caller's values.
        unsafe {
            sum.add_twice(fields.add(n * V::LANES));
            *sum = V::zero();
        }
    }
}

/// Defines the kernels of the decisions for an instruction set, those of 32 bits if it has quads.
macro_rules! decisions {
    ($isa:ident $words:ty $(, $quads:ty)?) => {
        $crate::frame::isa::$isa! {
            pub(super) unsafe extern "C" fn dense_flips(
                spins: u64, fields: *const i16, bounds: *const i16, couplings: *const i8, stride: usize,
            ) -> u64 {
                // SAFETY: the caller's contract.
                unsafe { lanes::flips::<$words>(spins, fields, bounds, couplings, stride) }
            }

            $(pub(super) unsafe extern "C" fn dense_flips_i32(
                spins: u64, fields: *const i32, levels: *const i32, couplings: *const i32,
            ) -> u64 {
                // SAFETY: the caller's contract.
                unsafe { quads::flips::<$quads>(spins, fields, levels, couplings) }
            })?
        }
    };
}
pub(super) use decisions;

/// Defines the other kernels. The last number is that of the vectors which [`quads::update`](super::quads::update)
/// keeps in registers, if the instruction set has this kernel.
macro_rules! kernels {
    ($isa:ident $floats:ty, [$bytes:ty, $n:literal] $(, $lines:literal)?) => {
        $crate::frame::isa::$isa! {
            pub(super) unsafe extern "C" fn dense_bounds(
                random: *const u32, scale: f32, margin: f32, bounds: *mut i16,
            ) -> u64 {
                // SAFETY: the caller's contract, here and below.
                unsafe { lanes::bounds::<$floats, false>(random, scale, margin, bounds) }
            }

            pub(super) unsafe extern "C" fn dense_heat_bounds(
                random: *const u32, scale: f32, margin: f32, bounds: *mut i16,
            ) -> u64 {
                // SAFETY: as above.
                unsafe { lanes::bounds::<$floats, true>(random, scale, margin, bounds) }
            }

            pub(super) unsafe extern "C" fn dense_update(
                fields: *mut i16, columns: usize, couplings: *const i8, stride: usize, spins: u64, flips: u64,
                depth: usize,
            ) {
                // SAFETY: as above.
                unsafe { lanes::update::<$bytes, $n>(fields, columns, couplings, stride, spins, flips, depth) }
            }

            pub(super) unsafe extern "C" fn dense_levels(random: *const u32, scales: *const f32, levels: *mut i32) {
                // SAFETY: as above.
                unsafe { lanes::levels::<$floats, false>(random, scales, levels) }
            }

            pub(super) unsafe extern "C" fn dense_heat_levels(
                random: *const u32, scales: *const f32, levels: *mut i32,
            ) {
                // SAFETY: as above.
                unsafe { lanes::levels::<$floats, true>(random, scales, levels) }
            }

            $(pub(super) unsafe extern "C" fn dense_update_i32(
                fields: *mut i32, couplings: *const i32, up: *const u32, ups: usize, down: *const u32, downs: usize,
            ) {
                type Bits = <$floats as $crate::math::vector::Single>::Bits;
                // SAFETY: as above.
                unsafe { quads::update::<Bits, $lines>(fields, couplings, up, ups, down, downs) }
            })?
        }
    };
}
pub(super) use kernels;
