//! The kernels, generic over vectors, and the macro that exports them for an instruction set.
//!
//! Each coefficient of some multivectors becomes a vector, with a multivector in each lane. Loops over
//! blades and terms are unrolled by macros.

mod operations;

use core::mem::MaybeUninit;
use core::num::NonZero;

use super::super::multiply::lanes::Transpose;
use super::super::signature::MAX_BLADES;
use super::table::{MAX_PATHS, TABLES};
use crate::frame::cache::prefetch;
use crate::math::float::Float;
use crate::math::vector::MAX_LANES;
use operations::{GeometricProduct, Operation, Sandwich, Weighted};

/// Repeats the body with each constant `$i` below the constant `$n`, at most 16.
///
/// A condition in a `const` block leaves nothing of the other branch to compile; the bodies should decide so too.
macro_rules! repeat {
    ($i:ident below $n:ident $body:block) => {
        repeat! { @ 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; $i $n $body }
    };
    (@ $($number:literal)+; $i:ident $n:ident $body:block) => {$(
        if const { $number < $n } {
            const $i: usize = $number;
            $body
        }
    )+};
}
pub(in super::super) use repeat;

/// As many multivectors as a vector has lanes.
///
/// # Safety
/// They are readable, those of `z` writable; as for [`Vector`].
#[inline(always)]
unsafe fn block<V: Transpose, O: Operation<V>, const A: usize, const N: usize>(
    operation: &O,
    x: *const V::Element,
    y: *const V::Element,
    z: *mut V::Element,
) {
    // SAFETY: the caller's contract.
    unsafe { V::store_rows(operation.apply::<A, N>(&V::load_rows(x), &V::load_rows(y)), z) }
}

/// Bytes of a line of the caches.
const LINE: usize = 64;

/// Bytes between a block and what is prefetched while it is computed: memory is slow to follow three arrays.
const AHEAD: usize = 2048;

/// Requests as many multivectors of each array as a vector has lanes, from place `at` and [`AHEAD`] on.
#[inline(always)]
fn prefetch_blocks<V: Transpose, const N: usize>(
    x: *const V::Element,
    y: *const V::Element,
    z: *const V::Element,
    at: usize,
) {
    let mut line = 0;
    while line < V::LANES * N * size_of::<V::Element>() {
        let ahead = at * size_of::<V::Element>() + AHEAD + line;
        prefetch(x.cast::<u8>().wrapping_add(ahead));
        prefetch(y.cast::<u8>().wrapping_add(ahead));
        prefetch(z.cast::<u8>().wrapping_add(ahead));
        line += LINE;
    }
}

/// Copies of fewer multivectors than a vector has lanes, and room for their products.
pub(in super::super) struct Copies<V, const N: usize>(pub [[V; N]; 3]);

impl<V: Transpose, const N: usize> Copies<V, N> {
    /// # Safety
    /// `x` and `y` have `bytes` readable bytes; as for [`Vector`].
    #[inline(always)]
    pub unsafe fn of(x: *const V::Element, y: *const V::Element, bytes: usize) -> Self {
        // SAFETY: the caller's contract.
        unsafe {
            let mut copies = [[V::splat(V::Element::ZERO); N]; 3];
            copies[0].as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(x.cast(), bytes);
            copies[1].as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(y.cast(), bytes);
            Copies(copies)
        }
    }
}

/// A kernel without weights, for one algebra.
///
/// # Safety
/// The contract of the kernel; as for [`Vector`].
#[inline(always)]
unsafe fn multiply<V: Transpose, O: Operation<V>, const A: usize, const N: usize>(
    operation: &O,
    mut x: *const V::Element,
    mut y: *const V::Element,
    count: usize,
    z: *mut V::Element,
) {
    // SAFETY: the caller's contract.
    unsafe {
        let (mut copies, mut to, mut last) = (MaybeUninit::<Copies<V, N>>::uninit(), z, count.wrapping_sub(V::LANES));
        let bytes = if count < V::LANES { count * N * size_of::<V::Element>() } else { 0 };
        if bytes > 0 {
            let Copies([some_x, some_y, some_z]) = copies.write(Copies::of(x, y, bytes));
            (x, y, to) = (some_x.as_ptr().cast(), some_y.as_ptr().cast(), some_z.as_mut_ptr().cast());
            last = 0;
        }
        // The last block begins early enough to be whole.
        let mut first = 0;
        while first < count {
            let at = first.min(last) * N;
            prefetch_blocks::<V, N>(x, y, to, at);
            block::<V, O, A, N>(operation, x.add(at), y.add(at), to.add(at));
            first += V::LANES;
        }
        if bytes > 0 {
            z.cast::<u8>().copy_from_nonoverlapping(to.cast(), bytes);
        }
    }
}

/// The kernel of products.
///
/// # Safety
/// The contract of the kernel; the CPU has the instruction set.
#[inline(always)]
pub(super) unsafe fn products<V: Transpose>(
    algebra: usize,
    x: *const V::Element,
    y: *const V::Element,
    count: usize,
    z: *mut V::Element,
) {
    // SAFETY: the caller's contract.
    unsafe {
        match algebra {
            0 => multiply::<V, _, 0, 4>(&GeometricProduct, x, y, count, z),
            1 => multiply::<V, _, 1, 8>(&GeometricProduct, x, y, count, z),
            _ => multiply::<V, _, 2, 16>(&GeometricProduct, x, y, count, z),
        }
    }
}

/// The kernel of sandwich products.
///
/// # Safety
/// As for [`products()`].
#[inline(always)]
pub(super) unsafe fn sandwiches<V: Transpose>(
    algebra: usize,
    r: *const V::Element,
    x: *const V::Element,
    count: usize,
    z: *mut V::Element,
) {
    // SAFETY: the caller's contract.
    unsafe {
        match algebra {
            0 => multiply::<V, _, 0, 4>(&Sandwich, r, x, count, z),
            1 => multiply::<V, _, 1, 8>(&Sandwich, r, x, count, z),
            _ => multiply::<V, _, 2, 16>(&Sandwich, r, x, count, z),
        }
    }
}

/// A kernel with weights, for one algebra.
///
/// # Safety
/// The contract of the kernel; as for [`Vector`].
#[inline(always)]
unsafe fn multiply_weighted<V: Transpose, const A: usize, const N: usize>(
    channels: usize,
    weights: *const V::Element,
    mut x: *const V::Element,
    mut y: *const V::Element,
    mut count: usize,
    z: *mut V::Element,
) {
    // SAFETY: the caller's contract.
    unsafe {
        let (mut copies, mut to) = (MaybeUninit::<Copies<V, N>>::uninit(), z);
        let bytes = if count < V::LANES { count * N * size_of::<V::Element>() } else { 0 };
        if bytes > 0 {
            let Copies([some_x, some_y, some_z]) = copies.write(Copies::of(x, y, bytes));
            (x, y, to) = (some_x.as_ptr().cast(), some_y.as_ptr().cast(), some_z.as_mut_ptr().cast());
            count = V::LANES;
        }
        let modulus = NonZero::new_unchecked(channels);
        let mut rows = [MaybeUninit::uninit(); MAX_PATHS];
        // Blocks at this distance have the same channels.
        let distance = (channels >> channels.trailing_zeros().min(V::LANES.ilog2())) * V::LANES;
        let mut begin = 0;
        while begin + V::LANES <= count {
            columns::<V, A, N>(modulus, weights, begin, &mut rows);
            let mut first = begin;
            while first + V::LANES <= count {
                let at = first * N;
                if distance == V::LANES {
                    prefetch_blocks::<V, N>(x, y, to, at);
                }
                block::<V, _, A, N>(&Weighted(&rows), x.add(at), y.add(at), to.add(at));
                first += distance;
            }
            let next = begin + V::LANES;
            begin = match () {
                () if !begin.is_multiple_of(V::LANES) => count,
                () if next < distance && next + V::LANES <= count => next,
                // The last block begins early enough to be whole.
                () if !count.is_multiple_of(V::LANES) => count - V::LANES,
                () => count,
            };
        }
        if bytes > 0 {
            z.cast::<u8>().copy_from_nonoverlapping(to.cast(), bytes);
        }
    }
}

/// The weights of the multivectors from number `first` on, a vector for each path.
///
/// # Safety
/// As for [`multiply_weighted()`].
#[inline(always)]
unsafe fn columns<V: Transpose, const A: usize, const N: usize>(
    channels: NonZero<usize>,
    weights: *const V::Element,
    first: usize,
    rows: &mut [MaybeUninit<V>; MAX_PATHS],
) {
    // SAFETY: there are at least as many rows as paths, and the weights are of channels.
    unsafe {
        let begin = first % channels;
        for path in 0..const { TABLES[A].paths } {
            let (from, to) = (weights.add(path * channels.get()), rows.get_unchecked_mut(path));
            if begin + V::LANES <= channels.get() {
                to.write(V::load(from.add(begin)).by_multivector::<N>());
            } else {
                let mut numbers = [V::Element::ZERO; MAX_LANES];
                let mut column = begin;
                for number in numbers.iter_mut().take(V::LANES) {
                    *number = from.add(column).read_unaligned();
                    column = if column + 1 == channels.get() { 0 } else { column + 1 };
                }
                to.write(V::load(numbers.as_ptr()).by_multivector::<N>());
            }
        }
    }
}

/// The kernel of weighted products.
///
/// # Safety
/// As for [`products()`].
#[inline(always)]
pub(super) unsafe fn weighted_products<V: Transpose>(
    algebra: usize,
    channels: usize,
    weights: *const V::Element,
    x: *const V::Element,
    y: *const V::Element,
    count: usize,
    z: *mut V::Element,
) {
    // SAFETY: the caller's contract.
    unsafe {
        match algebra {
            0 => multiply_weighted::<V, 0, 4>(channels, weights, x, y, count, z),
            1 => multiply_weighted::<V, 1, 8>(channels, weights, x, y, count, z),
            _ => multiply_weighted::<V, 2, 16>(channels, weights, x, y, count, z),
        }
    }
}

const _: () = assert!(MAX_BLADES == 16, "the kernels repeat code as often");

/// Exports the kernels of an instruction set for its vectors of floats and of doubles.
macro_rules! export_common {
    ($isa:ident $floats:ident $doubles:ident) => {
        $crate::clifford::common::lanes::export_common! {
            $isa $floats f32 [common_product_f32] [common_sandwich_f32] [common_weighted_f32]
        }
        $crate::clifford::common::lanes::export_common! {
            $isa $doubles f64 [common_product_f64] [common_sandwich_f64] [common_weighted_f64]
        }
    };
    ($isa:ident $vector:ident $type:ident [$($product:ident)?] [$($sandwich:ident)?] [$($weighted:ident)?]) => {
        $crate::frame::isa::$isa! {
            $(pub(super) unsafe extern "C" fn $product(
                algebra: usize, x: *const $type, y: *const $type, count: usize, z: *mut $type,
            ) {
                // SAFETY: the caller's contract.
                unsafe { lanes::products::<$vector>(algebra, x, y, count, z) }
            })?
            $(pub(super) unsafe extern "C" fn $sandwich(
                algebra: usize, r: *const $type, x: *const $type, count: usize, z: *mut $type,
            ) {
                // SAFETY: the caller's contract.
                unsafe { lanes::sandwiches::<$vector>(algebra, r, x, count, z) }
            })?
            $(pub(super) unsafe extern "C" fn $weighted(
                algebra: usize, channels: usize, weights: *const $type,
                x: *const $type, y: *const $type, count: usize, z: *mut $type,
            ) {
                // SAFETY: the caller's contract.
                unsafe { lanes::weighted_products::<$vector>(algebra, channels, weights, x, y, count, z) }
            })?
        }
    };
}
pub(super) use export_common;
