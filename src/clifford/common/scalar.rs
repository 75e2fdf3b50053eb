//! The scalar reference.

use core::num::NonZero;

use super::super::signature::MAX_BLADES;
use super::table::{TABLES, Table, Term};
use crate::math::float::Float;

/// -a if the sign is negative.
fn signed<T: Float>(sign: i8, a: T) -> T {
    if sign < 0 { -a } else { a }
}

/// A multivector, and zeros behind it.
///
/// # Safety
/// It is readable.
unsafe fn read<T: Float>(blades: usize, from: *const T) -> [T; MAX_BLADES] {
    let mut multivector = [T::ZERO; MAX_BLADES];
    for (p, x) in multivector.iter_mut().enumerate().take(blades) {
        // SAFETY: the caller's contract.
        *x = unsafe { from.add(p).read_unaligned() };
    }
    multivector
}

/// The product of two multivectors, with the terms that are `kept`.
fn product<T: Float>(
    table: &Table,
    x: &[T; MAX_BLADES],
    y: &[T; MAX_BLADES],
    kept: impl Fn(&Term) -> bool,
) -> [T; MAX_BLADES] {
    let mut z = [T::ZERO; MAX_BLADES];
    for (z, terms) in z.iter_mut().zip(&table.terms) {
        // -0 + a = a for every a.
        let mut sum = -T::ZERO;
        for term in terms.iter().filter(|term| term.sign != 0 && kept(term)) {
            sum = sum + signed(term.sign, at(x, term.first) * at(y, term.second));
        }
        *z = sum;
    }
    z
}

/// The product of r, x and the reverse of r. If r is even, without the terms of odd coefficients of r.
fn sandwich<T: Float>(table: &Table, r: &[T; MAX_BLADES], x: &[T; MAX_BLADES]) -> [T; MAX_BLADES] {
    let mut reverse = *r;
    reverse.iter_mut().zip(table.reverse).for_each(|(r, sign)| *r = signed(sign, *r));
    let is_even = r.iter().zip(table.odd).all(|(&r, odd)| !odd || r == T::ZERO);
    let kept = |p: u8| !is_even || !at(&table.odd, p);
    let rotated = product(table, r, x, |term| kept(term.first));
    product(table, &rotated, &reverse, |term| kept(term.second))
}

/// The product of two multivectors with the weights of paths.
fn weighted<T: Float>(
    table: &Table,
    weight: impl Fn(usize) -> T,
    x: &[T; MAX_BLADES],
    y: &[T; MAX_BLADES],
) -> [T; MAX_BLADES] {
    let mut z = [T::ZERO; MAX_BLADES];
    for (z, terms) in z.iter_mut().zip(&table.by_path) {
        let (mut total, mut sum) = (-T::ZERO, -T::ZERO);
        for &Term { first, second, sign, path, begins, ends } in terms.iter().filter(|term| term.sign != 0) {
            sum = if begins { -T::ZERO } else { sum } + signed(sign, at(x, first) * at(y, second));
            if ends {
                total = total + weight(path.into()) * sum;
            }
        }
        *z = total;
    }
    z
}

/// A coefficient. All tables have indices below [`MAX_BLADES`].
fn at<T: Copy>(x: &[T; MAX_BLADES], i: u8) -> T {
    x[usize::from(i) % MAX_BLADES]
}

/// Calls `multiply` with each pair of multivectors and its number.
/// Calls `multiply` with each pair of multivectors and its number.
///
/// # Safety
/// The contract of the kernels.
unsafe fn each<T: Float>(
    algebra: usize,
    x: *const T,
    y: *const T,
    count: usize,
    z: *mut T,
    multiply: impl Fn(&Table, usize, &[T; MAX_BLADES], &[T; MAX_BLADES]) -> [T; MAX_BLADES],
) {
    // SAFETY: the caller's contract.
    let table = unsafe { TABLES.get_unchecked(algebra) };
    for i in 0..count {
        // SAFETY: multivectors number i.
        unsafe {
            let at = i * table.blades;
            let product = multiply(table, i, &read(table.blades, x.add(at)), &read(table.blades, y.add(at)));
            for (j, value) in product.into_iter().enumerate().take(table.blades) {
                z.add(at + j).write_unaligned(value);
            }
        }
    }
}

macro_rules! references {
    ($($product:ident $sandwich:ident $weighted:ident $type:ident)+) => {$(
        pub(super) unsafe extern "C" fn $product(
            algebra: usize, x: *const $type, y: *const $type, count: usize, z: *mut $type,
        ) {
            // SAFETY: the caller's contract.
            unsafe { each(algebra, x, y, count, z, |table, _, x, y| product(table, x, y, |_| true)) }
        }
        pub(super) unsafe extern "C" fn $sandwich(
            algebra: usize, r: *const $type, x: *const $type, count: usize, z: *mut $type,
        ) {
            // SAFETY: the caller's contract.
            unsafe { each(algebra, r, x, count, z, |table, _, r, x| sandwich(table, r, x)) }
        }
        pub(super) unsafe extern "C" fn $weighted(
            algebra: usize, channels: usize, weights: *const $type, x: *const $type, y: *const $type, count: usize,
            z: *mut $type
        ) {
            // SAFETY: the caller's contract.
            let modulus = unsafe { NonZero::new_unchecked(channels) };
            let multiply = |table: &Table, i: usize, x: &_, y: &_| {
                // SAFETY: the weights of the path and the channel.
                weighted(table, |path| unsafe { weights.add(path * channels + i % modulus).read_unaligned() }, x, y)
            };
            // SAFETY: the caller's contract.
            unsafe { each(algebra, x, y, count, z, multiply) }
        }
    )+};
}
references! {
    common_product_f32 common_sandwich_f32 common_weighted_f32 f32
    common_product_f64 common_sandwich_f64 common_weighted_f64 f64
}
