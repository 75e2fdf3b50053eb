//! The kernels, generic over vectors, and the macro that exports them for an instruction set.
//!
//! A tile is a few vectors along the inner dimension, side by side: a term of a sum is decoded once for all of
//! them. In a buffer, each blade of a tile is as many vectors.

use core::mem::MaybeUninit;
use core::ptr::null;

use super::super::multiply::lanes::{TOGETHER, Transpose, load, store, store_two};
use super::super::signature::MAX_BLADES;
use super::network::{Sum, TRANSFORMS};
use super::scalar::{self, Multivectors, Planes, Shape, Sums};
use crate::float::Float;
use crate::vector::MAX_LANES;

/// Vectors of a wide tile, and of a narrow one.
const WIDE: usize = 4;
const NARROW: usize = 2;

/// The vectors of each blade of a tile, and of each kept sum.
type Buffer<V, const G: usize> = [[MaybeUninit<V>; G]; 2 * MAX_BLADES];

/// Multivectors of 2 blades: each blade as a vector.
///
/// # Safety
/// As for [`read()`].
#[inline(always)]
unsafe fn read_pairs<V: Transpose>(from: *const V::Element, inner: usize) -> [V; 2] {
    // SAFETY: the caller's contract.
    unsafe {
        if V::IN_PART == 2 {
            let (a, b) = (V::load_parts(from, inner), V::load_parts(from.add(inner), inner));
            return [a.low(b), a.high(b)];
        }
        let mut pairs = [V::Element::ZERO; 2 * MAX_LANES];
        let mut adjacent = from;
        if inner != 2 {
            for i in 0..V::LANES {
                let pair = from.add(i * inner).cast::<[V::Element; 2]>().read_unaligned();
                pairs.as_mut_ptr().add(2 * i).cast::<[V::Element; 2]>().write_unaligned(pair);
            }
            adjacent = pairs.as_ptr();
        }
        let (a, b) = (V::load_parts(adjacent, 2), V::load_parts(adjacent.add(V::IN_PART), 2));
        let (low, high) = (a.low(b), a.high(b));
        [low.low(high), low.high(high)]
    }
}

/// The inverse of [`read_pairs()`].
///
/// # Safety
/// As for [`read()`].
#[inline(always)]
unsafe fn write_pairs<V: Transpose>([first, second]: [V; 2], to: *mut V::Element, inner: usize) {
    // SAFETY: the caller's contract.
    unsafe {
        let (low, high) = (first.low(second), first.high(second));
        if V::IN_PART == 2 {
            low.store_parts(to, inner);
            high.store_parts(to.add(inner), inner);
        } else if inner == 2 {
            low.store_pairs(high, to, 2);
        } else {
            let mut pairs = [V::Element::ZERO; 2 * MAX_LANES];
            low.store_pairs(high, pairs.as_mut_ptr(), 2);
            for i in 0..V::LANES {
                let pair = pairs.as_ptr().add(2 * i).cast::<[V::Element; 2]>().read_unaligned();
                to.add(i * inner).cast::<[V::Element; 2]>().write_unaligned(pair);
            }
        }
    }
}

/// Blades of multivectors, `inner` numbers apart, as vectors: those of blade p go to `to + p * G`.
///
/// # Safety
/// The multivectors are readable, there are vectors for all blades; as for [`Transpose`].
#[inline(always)]
unsafe fn read<V: Transpose, const G: usize>(blades: usize, from: *const V::Element, inner: usize, to: *mut V) {
    // SAFETY: the caller's contract.
    unsafe {
        if blades >= TOGETHER {
            for first in (0..blades).step_by(TOGETHER) {
                let rows = load::<V>(from.add(first), inner);
                for (i, row) in rows.into_iter().enumerate() {
                    to.add((first + i) * G).write(row);
                }
            }
        } else if blades == 2 {
            let [first, second] = read_pairs::<V>(from, inner);
            to.write(first);
            to.add(G).write(second);
        } else {
            let mut numbers = [V::Element::ZERO; MAX_LANES];
            for (i, number) in numbers.iter_mut().enumerate().take(V::LANES) {
                *number = from.add(i * inner).read_unaligned();
            }
            to.write(V::load(numbers.as_ptr()));
        }
    }
}

/// The vectors of [`TOGETHER`] blades.
///
/// # Safety
/// They were written; as for [`Transpose`].
#[inline(always)]
unsafe fn some<V: Transpose, const G: usize>(from: *const V) -> [V; TOGETHER] {
    // SAFETY: the caller's contract.
    unsafe { [from.read(), from.add(G).read(), from.add(2 * G).read(), from.add(3 * G).read()] }
}

/// The inverse of [`read()`].
///
/// # Safety
/// As for [`read()`]; the vectors of the blades were written.
#[inline(always)]
unsafe fn write<V: Transpose, const G: usize>(blades: usize, from: *const V, to: *mut V::Element, inner: usize) {
    // SAFETY: the caller's contract.
    unsafe {
        if blades == TOGETHER {
            store(some::<V, G>(from), to, inner);
        } else if blades > TOGETHER {
            for first in (0..blades).step_by(2 * TOGETHER) {
                let both = [some::<V, G>(from.add(first * G)), some::<V, G>(from.add((first + TOGETHER) * G))];
                store_two(both, to.add(first), inner);
            }
        } else if blades == 2 {
            write_pairs([from.read(), from.add(G).read()], to, inner);
        } else {
            let mut numbers = [V::Element::ZERO; MAX_LANES];
            from.read().store(numbers.as_mut_ptr());
            for (i, number) in numbers.iter().enumerate().take(V::LANES) {
                to.add(i * inner).write_unaligned(*number);
            }
        }
    }
}

/// `G` sums side by side of the terms from `begin` to `end`, begun at `start` if there is one. The vectors of the
/// first `count` numbers are in `kept`; the first ones of the others are `plane` numbers apart.
///
/// # Safety
/// The terms and their vectors are readable; as for [`Transpose`].
#[inline(always)]
unsafe fn summed<V: Transpose, const G: usize>(
    start: Option<[V; G]>,
    terms: *const u32,
    (begin, end): (usize, usize),
    (kept, count): (*const V, usize),
    (from, plane): (*const V::Element, usize),
    signs: &[V; 2],
) -> [V; G] {
    // SAFETY: the caller's contract.
    unsafe {
        let term = |t: usize| {
            let term = terms.add(t).read_unaligned() as usize;
            let place = term >> 1;
            let from = if place < count { kept.add(place * G).cast() } else { from.add((place - count) * plane) };
            (from, *signs.get_unchecked(term & 1))
        };
        let (mut sums, mut t) = (start.unwrap_or([V::splat(V::Element::ZERO); G]), begin);
        if start.is_none() && begin < end {
            let (from, sign) = term(begin);
            for (g, sum) in sums.iter_mut().enumerate() {
                *sum = V::load(from.add(g * V::LANES)).mul(sign);
            }
            t += 1;
        }
        while t < end {
            let (from, sign) = term(t);
            for (g, sum) in sums.iter_mut().enumerate() {
                // Products with these factors are exact.
                *sum = sum.plus_product(V::load(from.add(g * V::LANES)), sign);
            }
            t += 1;
        }
        sums
    }
}

/// The sums of a tile of some channels.
///
/// # Safety
/// The contract of the kernel; as for [`Transpose`].
#[inline(always)]
unsafe fn forms_of<V: Transpose, const G: usize>(
    [blades, channels]: [usize; 2],
    (x, inner): (*const V::Element, usize),
    y: Planes<*mut V::Element>,
    Sums { terms, ends, kept, count }: Sums,
    signs: &[V; 2],
) {
    // SAFETY: the caller's contract.
    unsafe {
        let mut buffer: Buffer<V, G> = [[MaybeUninit::uninit(); G]; 2 * MAX_BLADES];
        let buffer = buffer.as_mut_ptr().cast::<V>();
        for g in 0..G {
            let (from, to) = (x.add(g * V::LANES * inner), buffer.add(kept * G + g));
            // Constant numbers of blades unroll the loops.
            match blades * channels {
                4 => read::<V, G>(4, from, inner, to),
                8 => read::<V, G>(8, from, inner, to),
                all => read::<V, G>(all, from, inner, to),
            }
        }
        for channel in 0..channels {
            let (first, to) = (buffer.add(kept * G + channel * blades * G), y.at.add(channel * y.outer));
            let mut begin = 0;
            for f in 0..kept + count {
                let end = ends.add(f).read_unaligned() as usize;
                let from = (first.cast_const().cast(), G * V::LANES);
                let sums = summed::<V, G>(None, terms, (begin, end), (buffer, kept), from, signs);
                let to = if f < kept { buffer.add(f * G).cast() } else { to.add((f - kept) * y.plane) };
                for (g, sum) in sums.into_iter().enumerate() {
                    sum.store(to.add(g * V::LANES));
                }
                begin = end;
            }
        }
    }
}

/// The first numbers of the sums of a blade, if there are any.
///
/// # Safety
/// The contract of the kernel; as for [`Transpose`].
#[inline(always)]
unsafe fn started<V: Transpose, const G: usize>(start: *const V::Element, is_inner: bool) -> Option<[V; G]> {
    // SAFETY: the caller's contract.
    unsafe {
        if start.is_null() {
            return None;
        }
        let mut sums = [V::splat(V::Element::ZERO); G];
        for (g, sum) in sums.iter_mut().enumerate() {
            *sum = if is_inner { V::load(start.add(g * V::LANES)) } else { V::splat(start.read_unaligned()) };
        }
        Some(sums)
    }
}

/// The blades of a tile of some channels.
///
/// # Safety
/// The contract of the kernel; as for [`Transpose`].
#[inline(always)]
unsafe fn blades_of<V: Transpose, const G: usize>(
    [blades, channels]: [usize; 2],
    x: Planes<*const V::Element>,
    (start, start_plane, is_inner): (*const V::Element, usize, bool),
    (y, inner): (*mut V::Element, usize),
    Sums { terms, ends, kept, .. }: Sums,
    signs: &[V; 2],
) {
    // SAFETY: the caller's contract.
    unsafe {
        let mut buffer: Buffer<V, G> = [[MaybeUninit::uninit(); G]; 2 * MAX_BLADES];
        let buffer = buffer.as_mut_ptr().cast::<V>();
        for channel in 0..channels {
            let from = (x.at.add(channel * x.outer), x.plane);
            let of_channel = if is_inner { 0 } else { channel };
            let mut begin = 0;
            for f in 0..kept + blades {
                let end = ends.add(f).read_unaligned() as usize;
                let has_start = f >= kept && !start.is_null();
                let start = if has_start { start.add((f - kept) * start_plane + of_channel) } else { null() };
                let start = started::<V, G>(start, is_inner);
                let sums = summed(start, terms, (begin, end), (buffer, kept), from, signs);
                let place = if f < kept { f } else { channel * blades + f };
                for (g, sum) in sums.into_iter().enumerate() {
                    buffer.add(place * G + g).write(sum);
                }
                begin = end;
            }
        }
        for g in 0..G {
            let (from, to) = (buffer.add(kept * G + g).cast_const(), y.add(g * V::LANES * inner));
            match blades * channels {
                4 => write::<V, G>(4, from, to, inner),
                8 => write::<V, G>(8, from, to, inner),
                all => write::<V, G>(all, from, to, inner),
            }
        }
    }
}

/// The first place of the next tile of the inner dimension from place `at` on, and its vectors, at most `most`; the
/// last one begins early enough to be whole.
#[inline(always)]
fn tile(at: usize, n: usize, lanes: usize, most: usize) -> (usize, usize) {
    match n - at {
        rest if most >= WIDE && rest >= WIDE * lanes => (at, WIDE),
        rest if most >= NARROW && rest >= NARROW * lanes => (at, NARROW),
        rest if rest >= lanes => (at, 1),
        _ => (n - lanes, 1),
    }
}

/// Multivectors of the outer dimension that are read as one: two of 2 blades that are adjacent.
#[inline(always)]
fn together(m: usize, blades: usize, outer: usize) -> usize {
    if blades == 2 && outer == 2 && m.is_multiple_of(2) { 2 } else { 1 }
}

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
unsafe fn forms_of_algebra<V: Transpose, const A: usize, const B: usize>(
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
unsafe fn blades_of_algebra<V: Transpose, const A: usize, const B: usize>(
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

/// The kernel of forms with vectors of type `V`, or of a shorter type if the inner dimension is short.
///
/// Without fused operations, products of matrices take so long that straight code for transforms would not be
/// noticed.
///
/// # Safety
/// The contract of the kernel; the CPU has the instruction set.
#[inline(always)]
pub(super) unsafe fn forms<V, W, X>(
    algebra: usize,
    shape: Shape,
    x: Multivectors<*const V::Element>,
    y: Planes<*mut V::Element>,
    sums: Sums,
) where
    V: Transpose,
    W: Transpose<Element = V::Element>,
    X: Transpose<Element = V::Element>,
{
    // SAFETY: the caller's contract.
    unsafe {
        match shape.n {
            n if n >= V::LANES => match if V::FUSES { algebra } else { 0 } {
                1 => forms_of_algebra::<V, 0, 4>(shape, x, y),
                2 => forms_of_algebra::<V, 1, 4>(shape, x, y),
                3 => forms_of_algebra::<V, 2, 8>(shape, x, y),
                4 => forms_of_algebra::<V, 3, 8>(shape, x, y),
                5 => forms_of_algebra::<V, 4, 16>(shape, x, y),
                6 => forms_of_algebra::<V, 5, 16>(shape, x, y),
                7 if together(shape.m, 2, x.outer) == 2 => forms_of_algebra::<V, 6, 4>(shape, x, y),
                _ => all_forms::<V, WIDE>(shape, x, y, sums),
            },
            n if n >= W::LANES => all_forms::<W, 1>(shape, x, y, sums),
            n if n >= X::LANES => all_forms::<X, 1>(shape, x, y, sums),
            _ => scalar::forms(shape, x, y, sums),
        }
    }
}

/// # Safety
/// As for [`forms()`]; the inner dimension has a vector, and fewer than two if `MOST` is 1.
#[inline(always)]
unsafe fn all_forms<V: Transpose, const MOST: usize>(
    Shape { m, n, blades }: Shape,
    x: Multivectors<*const V::Element>,
    y: Planes<*mut V::Element>,
    sums: Sums,
) {
    // SAFETY: the caller's contract.
    unsafe {
        let signs = [V::splat(V::Element::ONE), V::splat(-V::Element::ONE)];
        let mut next = 0;
        let channels = together(m, blades, x.outer);
        while next < n {
            let (at, vectors) = tile(next, n, V::LANES, MOST);
            for i in (0..m).step_by(channels) {
                let from = (x.at.add(i * x.outer + at * x.inner), x.inner);
                let to = Planes { at: y.at.add(i * y.outer + at), ..y };
                match vectors {
                    WIDE if MOST >= WIDE => forms_of::<V, WIDE>([blades, channels], from, to, sums, &signs),
                    NARROW if MOST >= NARROW => forms_of::<V, NARROW>([blades, channels], from, to, sums, &signs),
                    _ => forms_of::<V, 1>([blades, channels], from, to, sums, &signs),
                }
            }
            next = at + vectors * V::LANES;
        }
    }
}

/// The kernel of blades, with vectors as for [`forms()`].
///
/// # Safety
/// The contract of the kernel; the CPU has the instruction set.
#[inline(always)]
pub(super) unsafe fn blades<V, W, X>(
    algebra: usize,
    shape: Shape,
    x: Planes<*const V::Element>,
    start: (*const V::Element, bool),
    y: Multivectors<*mut V::Element>,
    sums: Sums,
) where
    V: Transpose,
    W: Transpose<Element = V::Element>,
    X: Transpose<Element = V::Element>,
{
    // SAFETY: the caller's contract.
    unsafe {
        match shape.n {
            n if n >= V::LANES => match if V::FUSES { algebra } else { 0 } {
                1 => blades_of_algebra::<V, 0, 4>(shape, x, start, y),
                2 => blades_of_algebra::<V, 1, 4>(shape, x, start, y),
                3 => blades_of_algebra::<V, 2, 8>(shape, x, start, y),
                4 => blades_of_algebra::<V, 3, 8>(shape, x, start, y),
                5 => blades_of_algebra::<V, 4, 16>(shape, x, start, y),
                6 => blades_of_algebra::<V, 5, 16>(shape, x, start, y),
                7 if together(shape.m, 2, y.outer) == 2 => blades_of_algebra::<V, 6, 4>(shape, x, start, y),
                _ => all_blades::<V, WIDE>(shape, x, start, y, sums),
            },
            n if n >= W::LANES => all_blades::<W, 1>(shape, x, start, y, sums),
            n if n >= X::LANES => all_blades::<X, 1>(shape, x, start, y, sums),
            _ => scalar::blades(shape, x, start, y, sums),
        }
    }
}

/// # Safety
/// As for [`blades()`]; the inner dimension has a vector, and fewer than two if `MOST` is 1.
#[inline(always)]
unsafe fn all_blades<V: Transpose, const MOST: usize>(
    Shape { m, n, blades }: Shape,
    x: Planes<*const V::Element>,
    (start, is_inner): (*const V::Element, bool),
    y: Multivectors<*mut V::Element>,
    sums: Sums,
) {
    // SAFETY: the caller's contract.
    unsafe {
        let signs = [V::splat(V::Element::ONE), V::splat(-V::Element::ONE)];
        let mut next = 0;
        let channels = together(m, blades, y.outer);
        while next < n {
            let (at, vectors) = tile(next, n, V::LANES, MOST);
            for i in (0..m).step_by(channels) {
                let from = Planes { at: x.at.add(i * x.outer + at), ..x };
                let place = if is_inner { at } else { i };
                let first = if start.is_null() { start } else { start.add(place) };
                let start = (first, if is_inner { n } else { m }, is_inner);
                let to = (y.at.add(i * y.outer + at * y.inner), y.inner);
                match vectors {
                    WIDE if MOST >= WIDE => blades_of::<V, WIDE>([blades, channels], from, start, to, sums, &signs),
                    NARROW if MOST >= NARROW => {
                        blades_of::<V, NARROW>([blades, channels], from, start, to, sums, &signs)
                    }
                    _ => blades_of::<V, 1>([blades, channels], from, start, to, sums, &signs),
                }
            }
            next = at + vectors * V::LANES;
        }
    }
}

/// Exports the kernels of an instruction set for its vectors of floats and of doubles.
macro_rules! export_transforms {
    ($isa:ident [$($floats:ident)+] [$($doubles:ident)+]) => {
        $crate::clifford::transform::lanes::export_transforms! { $isa
            forms_f32 blades_f32 f32 [$($floats),+], forms_f64 blades_f64 f64 [$($doubles),+]
        }
    };
    ($isa:ident $($forms:ident $blades:ident $type:ident [$v:ident, $w:ident, $x:ident]),+) => {
        $crate::isa::$isa! {$(
            pub(super) unsafe extern "C" fn $forms(
                algebra: usize, m: usize, n: usize, blades: usize, x: *const $type, x_outer: usize, x_inner: usize,
                y: *mut $type, y_outer: usize, y_plane: usize, terms: *const u32, ends: *const u32, kept: usize, sums: usize
            ) {
                let (x, y) = (Multivectors { at: x, outer: x_outer, inner: x_inner }, Planes { at: y, outer: y_outer, plane: y_plane });
                // SAFETY: the caller's contract.
                unsafe { lanes::forms::<$v, $w, $x>(algebra, Shape { m, n, blades }, x, y, Sums { terms, ends, kept, count: sums }) }
            }
            pub(super) unsafe extern "C" fn $blades(
                algebra: usize, m: usize, n: usize, blades: usize, x: *const $type, x_outer: usize, x_plane: usize, start: *const $type, inner: u32,
                y: *mut $type, y_outer: usize, y_inner: usize, terms: *const u32, ends: *const u32, kept: usize
            ) {
                let (x, y) = (Planes { at: x, outer: x_outer, plane: x_plane }, Multivectors { at: y, outer: y_outer, inner: y_inner });
                let sums = Sums { terms, ends, kept, count: blades };
                // SAFETY: the caller's contract.
                unsafe { lanes::blades::<$v, $w, $x>(algebra, Shape { m, n, blades }, x, (start, inner != 0), y, sums) }
            }
        )+}
    };
}
pub(super) use export_transforms;
