//! Transforms of any algebra, by tables of the terms of sums.
//!
//! A tile is a few vectors along the inner dimension, side by side: a term of a sum is decoded once for all of
//! them. In a buffer, each blade of a tile is as many vectors.

use core::mem::MaybeUninit;
use core::ptr::null;

use super::super::super::multiply::lanes::Transpose;
use super::super::super::signature::MAX_BLADES;
use super::super::scalar::{Multivectors, Planes, Shape, Sums};
use super::blades::{read, started, write};
use crate::math::float::Float;

/// Vectors of a wide tile, and of a narrow one.
pub(super) const WIDE: usize = 4;
const NARROW: usize = 2;

/// The vectors of each blade of a tile, and of each kept sum.
type Buffer<V, const G: usize> = [[MaybeUninit<V>; G]; 2 * MAX_BLADES];

/// Accumulates terms `begin..end` into `G` vectors, starting from `start`. Operands below `count` are read from `kept`,
/// the others from planes `plane` elements apart.
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
            // A constant count of blades unrolls the loops.
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
pub(super) fn together(m: usize, blades: usize, outer: usize) -> usize {
    if blades == 2 && outer == 2 && m.is_multiple_of(2) { 2 } else { 1 }
}

/// # Safety
/// As for [`forms()`]; the inner dimension has a vector, and fewer than two if `MOST` is 1.
#[inline(always)]
pub(super) unsafe fn all_forms<V: Transpose, const MOST: usize>(
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

/// # Safety
/// As for [`blades()`]; the inner dimension has a vector, and fewer than two if `MOST` is 1.
#[inline(always)]
pub(super) unsafe fn all_blades<V: Transpose, const MOST: usize>(
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
