//! Transforms of the common algebras: straight code, whose terms are known at compile time.

use super::super::super::multiply::lanes::{TOGETHER, Transpose, load};
use super::super::network::{Sum, TRANSFORMS};
use super::super::scalar::{Multivectors, Planes, Shape};
use super::blades::{started, write};
use crate::math::float::Float;

/// Repeats the body with each constant `$i` below the constant `$n`, at most 16 or 36. The compiler evaluates what is
/// constant in the body for all of them.
macro_rules! repeat {
    ($i:ident in 16 below $n:block $body:block) => {
        repeat! { @ 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; $i $n $body }
    };
    ($i:ident in 32 below $n:block $body:block) => {
        repeat! { $i in 16 below $n $body }
        repeat! { @ 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31; $i $n $body }
    };
    (@ $($number:literal)+; $i:ident $n:block $body:block) => {$(
        if const { $number < $n } {
            const $i: usize = $number;
            $body
        }
    )+};
}

/// A sum whose terms are known at compile time, of vectors that `number` gives, begun at `start` if there is one.
///
/// # Safety
/// As for [`Transpose`].
#[inline(always)]
unsafe fn sum_of<V: Transpose>(list: &'static Sum, start: Option<V>, number: impl Fn(usize) -> V) -> V {
    // SAFETY: the caller's contract.
    unsafe {
        let mut sum = start;
        for (&place, &sign) in list.places.iter().zip(&list.signs) {
            if sign != 0 {
                let number = number(place);
                sum = Some(match sum {
                    Some(sum) if sign < 0 => sum.sub(number),
                    Some(sum) => sum.add(number),
                    // -0 - a = -a for every a.
                    None if sign < 0 => V::splat(-V::Element::ZERO).sub(number),
                    None => number,
                });
            }
        }
        sum.unwrap_or(V::splat(V::Element::ZERO))
    }
}

/// Vectors of a line of the caches: a tile of the kernels for common algebras.
const fn of_line<V>() -> usize {
    64 / size_of::<V>()
}

/// The forms of algebra number `A`, of multivectors that have `B` blades together: one, or two adjacent channels.
///
/// # Safety
/// As for [`forms()`]; the inner dimension has a vector.
#[inline(always)]
pub(super) unsafe fn forms_of_algebra<V: Transpose, const A: usize, const B: usize>(
    Shape { m, n, .. }: Shape,
    x: Multivectors<*const V::Element>,
    y: Planes<*mut V::Element>,
) {
    let n_blades = const { TRANSFORMS[A].n_blades };
    let channels = B / n_blades;
    // SAFETY: the caller's contract.
    unsafe {
        for tile in (0..n).step_by(of_line::<V>() * V::LANES) {
            let end = n.min(tile + of_line::<V>() * V::LANES);
            for (i, at) in (0..m / channels).flat_map(|i| (tile..end).step_by(V::LANES).map(move |at| (i, at))) {
                let (i, at) = (i * channels, at.min(n - V::LANES));
                let mut blades = [V::splat(V::Element::ZERO); B];
                let from = x.at.add(i * x.outer + at * x.inner);
                for first in (0..B).step_by(TOGETHER) {
                    let rows = load::<V>(from.add(first), x.inner);
                    blades[first..first + TOGETHER].copy_from_slice(&rows);
                }
                let to = y.at.add(i * y.outer + at);
                store_forms::<V, A, B>(0, &blades, to, y.plane);
                if channels == 2 {
                    store_forms::<V, A, B>(n_blades, &blades, to.add(y.outer), y.plane);
                }
            }
        }
    }
}

/// The forms of a multivector whose blades are those from place `first` on.
///
/// # Safety
/// As for [`forms()`].
#[inline(always)]
unsafe fn store_forms<V: Transpose, const A: usize, const B: usize>(
    first: usize,
    blades: &[V; B],
    to: *mut V::Element,
    plane: usize,
) {
    // SAFETY: the caller's contract.
    unsafe {
        let kept = const { TRANSFORMS[A].kept };
        let mut parts = [V::splat(V::Element::ZERO); B];
        repeat! { P in 16 below { TRANSFORMS[A].kept } {
            parts[P] = sum_of(const { &TRANSFORMS[A].forms.kept[P] }, None, |p| blades[first + p - kept]);
        } }
        let number = |p| if p < kept { parts[p] } else { blades[first + p - kept] };
        repeat! { F in 32 below { TRANSFORMS[A].count } {
            sum_of(const { &TRANSFORMS[A].forms.results[F] }, None, number).store(to.add(F * plane));
        } }
    }
}

/// The blades of algebra number `A`, `B` of them together, as for [`forms_of_algebra()`].
///
/// # Safety
/// As for [`blades()`]; the inner dimension has a vector.
#[inline(always)]
pub(super) unsafe fn blades_of_algebra<V: Transpose, const A: usize, const B: usize>(
    Shape { m, n, .. }: Shape,
    x: Planes<*const V::Element>,
    (start, is_inner): (*const V::Element, bool),
    y: Multivectors<*mut V::Element>,
) {
    let n_blades = const { TRANSFORMS[A].n_blades };
    let channels = B / n_blades;
    // SAFETY: the caller's contract.
    unsafe {
        for tile in (0..n).step_by(of_line::<V>() * V::LANES) {
            let end = n.min(tile + of_line::<V>() * V::LANES);
            for (i, at) in (0..m / channels).flat_map(|i| (tile..end).step_by(V::LANES).map(move |at| (i, at))) {
                let (i, at) = (i * channels, at.min(n - V::LANES));
                let from = x.at.add(i * x.outer + at);
                let (place, plane) = if is_inner { (at, n) } else { (i, m) };
                let mut blades = [V::splat(V::Element::ZERO); B];
                load_blades::<V, A, B>(0, &mut blades, (from, x.plane), (start, place, plane, is_inner));
                if channels == 2 {
                    let (from, place) = (from.add(x.outer), if is_inner { place } else { place + 1 });
                    load_blades::<V, A, B>(n_blades, &mut blades, (from, x.plane), (start, place, plane, is_inner));
                }
                let to = y.at.add(i * y.outer + at * y.inner);
                write::<V, 1>(B, blades.as_ptr(), to, y.inner);
            }
        }
    }
}

/// The blades of a multivector, from place `first` on. `start` has its place and the distance from blade to blade.
///
/// # Safety
/// As for [`blades()`].
#[inline(always)]
unsafe fn load_blades<V: Transpose, const A: usize, const B: usize>(
    first: usize,
    blades: &mut [V; B],
    (from, plane): (*const V::Element, usize),
    (start, place, start_plane, is_inner): (*const V::Element, usize, usize, bool),
) {
    // SAFETY: the caller's contract.
    unsafe {
        let kept = const { TRANSFORMS[A].kept };
        let unit = |u: usize| V::load(from.add((u - kept) * plane));
        let mut parts = [V::splat(V::Element::ZERO); B];
        repeat! { P in 16 below { TRANSFORMS[A].kept } {
            parts[P] = sum_of(const { &TRANSFORMS[A].blades.kept[P] }, None, unit);
        } }
        let number = |p| if p < kept { parts[p] } else { unit(p) };
        repeat! { J in 16 below { TRANSFORMS[A].n_blades } {
            let start = if start.is_null() { start } else { start.add(J * start_plane + place) };
            let start = started::<V, 1>(start, is_inner).map(|[start]| start);
            blades[first + J] = sum_of(const { &TRANSFORMS[A].blades.results[J] }, start, number);
        } }
    }
}
