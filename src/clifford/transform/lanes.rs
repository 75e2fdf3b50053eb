//! The kernels, generic over vectors, and the macro that exports them for an instruction set.
//!
//! A block is as many channels of a row as a vector has lanes. Some blocks are transposed on the way from or to
//! a buffer, in which each blade of a block is a vector; the list is decoded once for all of them.

use core::mem::MaybeUninit;

use super::super::multiply::lanes::{TOGETHER, Transpose, load, store, store_two};
use super::super::signature::MAX_BLADES;
use super::lists::{List, Sum, Term};
use super::scalar::{self, Matrices, Shape};
use super::tiles::{BLOCKS, FEW_BLOCKS, Tile, Tiles};
use crate::float::Float;
use crate::vector::MAX_LANES;

/// The vectors of each blade, block by block.
type Buffer<V, const G: usize> = [[MaybeUninit<V>; G]; MAX_BLADES];

/// Blades of multivectors, `channel` numbers apart, as vectors: those of blade p go to `to + p * G`.
///
/// # Safety
/// The multivectors are readable, there are vectors for all blades; as for [`Transpose`].
#[inline(always)]
unsafe fn read<V: Transpose, const G: usize>(blades: usize, from: *const V::Element, channel: usize, to: *mut V) {
    // SAFETY: the caller's contract.
    unsafe {
        if blades >= TOGETHER {
            for first in (0..blades).step_by(TOGETHER) {
                let rows = load::<V>(from.add(first), channel);
                for (i, row) in rows.into_iter().enumerate() {
                    to.add((first + i) * G).write(row);
                }
            }
            return;
        }
        if blades == 2 && channel == 2 {
            let (a, b) = (V::load_parts(from, 2), V::load_parts(from.add(V::IN_PART), 2));
            let (low, high) = (a.low(b), a.high(b));
            let [first, second] = if V::IN_PART == 2 { [low, high] } else { [low.low(high), low.high(high)] };
            to.write(first);
            to.add(G).write(second);
            return;
        }
        for blade in 0..blades {
            let mut numbers = [V::Element::ZERO; MAX_LANES];
            for (i, number) in numbers.iter_mut().enumerate().take(V::LANES) {
                *number = from.add(i * channel + blade).read_unaligned();
            }
            to.add(blade * G).write(V::load(numbers.as_ptr()));
        }
    }
}

/// The vectors of [`TOGETHER`] blades of a block.
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
unsafe fn write<V: Transpose, const G: usize>(blades: usize, from: *const V, to: *mut V::Element, channel: usize) {
    // SAFETY: the caller's contract.
    unsafe {
        if blades >= TOGETHER {
            if blades == TOGETHER {
                store(some::<V, G>(from), to, channel);
            }
            for first in (0..blades - TOGETHER).step_by(2 * TOGETHER) {
                let both = [some::<V, G>(from.add(first * G)), some::<V, G>(from.add((first + TOGETHER) * G))];
                store_two(both, to.add(first), channel);
            }
            return;
        }
        if blades == 2 && channel == 2 {
            let (first, second) = (from.read(), from.add(G).read());
            return first.low(second).store_pairs(first.high(second), to, 2);
        }
        for blade in 0..blades {
            let mut numbers = [V::Element::ZERO; MAX_LANES];
            from.add(blade * G).read().store(numbers.as_mut_ptr());
            for (i, number) in numbers.iter().enumerate().take(V::LANES) {
                to.add(i * channel + blade).write_unaligned(*number);
            }
        }
    }
}

/// The numbers from the first block of a tile to each of its blocks, for `row` numbers from row to row.
#[inline(always)]
fn offsets<const G: usize>(tile: Tile, row: usize) -> [usize; G] {
    core::array::from_fn(|g| g * tile.step(row, 1))
}

/// A sum of `N` terms in `G` blocks.
///
/// # Safety
/// As for [`forms_of()`].
#[inline(always)]
unsafe fn sum<V: Transpose, const G: usize, const N: usize>(
    terms: *const Term,
    buffer: *const V,
    to: *mut V::Element,
    offsets: &[usize; G],
    signs: &[V; 2],
) {
    // SAFETY: the caller's contract.
    unsafe {
        let zero = V::splat(V::Element::ZERO);
        let (mut blades, mut factors) = ([buffer; N], [zero; N]);
        for t in 0..N {
            let Term { at, sign, .. } = *terms.add(t);
            (blades[t], factors[t]) = (buffer.add(at * G), *signs.get_unchecked(sign as usize));
        }
        for (g, offset) in offsets.iter().enumerate() {
            let mut sum = zero;
            for t in 0..N {
                // Products with these factors are exact.
                sum = sum.plus_product(blades[t].add(g).read(), factors[t]);
            }
            sum.store(to.add(*offset));
        }
    }
}

/// The forms of the `G` blocks of a tile.
///
/// # Safety
/// The contract of the kernel; the blocks are some of its rows; the lists are decoded; as for [`Transpose`].
#[inline(always)]
unsafe fn forms_of<V: Transpose, const G: usize>(
    tile: Tile,
    Shape { n, blades, .. }: Shape,
    (x, x_row, x_channel): (*const V::Element, usize, usize),
    y: *mut V::Element,
    (lists, count): (&List, usize),
    signs: &[V; 2],
) {
    // SAFETY: the caller's contract.
    unsafe {
        let mut buffer: Buffer<V, G> = [[MaybeUninit::uninit(); G]; MAX_BLADES];
        let buffer = buffer.as_mut_ptr().cast::<V>();
        let (from, step) = (x.add(tile.begin(x_row, x_channel)), tile.step(x_row, x_channel));
        for g in 0..G {
            let (from, to) = (from.add(g * step), buffer.add(g));
            // Constant numbers of blades unroll the loops.
            match blades {
                4 => read::<V, G>(4, from, x_channel, to),
                8 => read::<V, G>(8, from, x_channel, to),
                _ => read::<V, G>(blades, from, x_channel, to),
            }
        }
        let (y, (sums, mut terms)) = (y.add(tile.channel), lists.begin());
        let (mut last, mut row, mut offsets) = (0, 0, offsets::<G>(tile, 0));
        for f in 0..count {
            let Sum { at, of_row, terms: n_terms } = *sums.add(f);
            if of_row != last {
                (last, row) = (of_row, of_row as usize * n);
                offsets = self::offsets::<G>(tile, row);
            }
            let n_terms = n_terms as usize;
            let to = y.add(at + row * tile.row);
            match n_terms {
                1 => sum::<V, G, 1>(terms, buffer, to, &offsets, signs),
                2 => sum::<V, G, 2>(terms, buffer, to, &offsets, signs),
                4 => sum::<V, G, 4>(terms, buffer, to, &offsets, signs),
                _ => {
                    for (g, offset) in offsets.into_iter().enumerate() {
                        let mut sum = V::splat(V::Element::ZERO);
                        for t in 0..n_terms {
                            let Term { at, sign, .. } = *terms.add(t);
                            sum = sum.plus_product(buffer.add(at * G + g).read(), *signs.get_unchecked(sign as usize));
                        }
                        sum.store(to.add(offset));
                    }
                }
            }
            terms = terms.add(n_terms);
        }
    }
}

/// The blades of the `G` blocks of a tile.
///
/// # Safety
/// As for [`forms_of()`].
#[inline(always)]
unsafe fn blades_of<V: Transpose, const G: usize>(
    tile: Tile,
    Shape { n, blades, .. }: Shape,
    x: *const V::Element,
    start: *const V::Element,
    (y, y_row, y_channel): (*mut V::Element, usize, usize),
    lists: &List,
    signs: &[V; 2],
) {
    // SAFETY: the caller's contract.
    unsafe {
        let mut buffer: Buffer<V, G> = [[MaybeUninit::uninit(); G]; MAX_BLADES];
        let buffer = buffer.as_mut_ptr().cast::<V>();
        let (x, (all, mut terms)) = (x.add(tile.channel), lists.begin());
        let (mut last, mut row, mut offsets) = (0, 0, offsets::<G>(tile, 0));
        for j in 0..blades {
            let Sum { at, terms: n_terms, .. } = *all.add(j);
            let mut sums = [V::splat(V::Element::ZERO); G];
            if !start.is_null() {
                let start = start.add(at + tile.channel);
                for (g, sum) in sums.iter_mut().enumerate() {
                    *sum = V::load(start.add(g * tile.channels));
                }
            }
            let end = terms.add(n_terms as usize);
            while terms < end {
                let Term { at, of_row, sign } = *terms;
                if of_row != last {
                    (last, row) = (of_row, of_row as usize * n);
                    offsets = self::offsets::<G>(tile, row);
                }
                let (from, factor) = (x.add(at + row * tile.row), *signs.get_unchecked(sign as usize));
                for g in 0..G {
                    // Products with these factors are exact.
                    sums[g] = sums[g].plus_product(V::load(from.add(offsets[g])), factor);
                }
                terms = terms.add(1);
            }
            for (g, sum) in sums.into_iter().enumerate() {
                buffer.add(j * G + g).write(sum);
            }
        }
        let (to, step) = (y.add(tile.begin(y_row, y_channel)), tile.step(y_row, y_channel));
        for g in 0..G {
            let (from, to) = (buffer.add(g).cast_const(), to.add(g * step));
            match blades {
                4 => write::<V, G>(4, from, to, y_channel),
                8 => write::<V, G>(8, from, to, y_channel),
                _ => write::<V, G>(blades, from, to, y_channel),
            }
        }
    }
}

/// The kernel of forms with vectors of type `V`, or of a shorter type if rows are short.
///
/// # Safety
/// The contract of the kernel; the CPU has the instruction set.
#[inline(always)]
pub(super) unsafe fn forms<V, W, X>(
    shape: Shape,
    x: (*const V::Element, usize, usize),
    y: (*mut V::Element, Matrices),
    list: *const u32,
) where
    V: Transpose,
    W: Transpose<Element = V::Element>,
    X: Transpose<Element = V::Element>,
{
    // SAFETY: the caller's contract.
    unsafe {
        match shape.n {
            n if n >= V::LANES => all_forms::<V>(shape, x, y, list),
            n if n >= W::LANES => all_forms::<W>(shape, x, y, list),
            n if n >= X::LANES => all_forms::<X>(shape, x, y, list),
            _ => scalar::forms(shape, x, y, list),
        }
    }
}

/// # Safety
/// As for [`forms()`]; a row has a block.
#[inline(always)]
unsafe fn all_forms<V: Transpose>(
    shape: Shape,
    x: (*const V::Element, usize, usize),
    y: (*mut V::Element, Matrices),
    list: *const u32,
) {
    // SAFETY: the caller's contract.
    unsafe {
        let (signs, mut lists) = ([V::splat(V::Element::ONE), V::splat(-V::Element::ONE)], List::new());
        let lists = {
            let count = lists.forms(shape.n, y.1, list);
            (&lists, count)
        };
        let mut tiles = Tiles::new::<V>(shape.rows, shape.n);
        while let Some(tile) = tiles.next() {
            match tiles.blocks {
                BLOCKS => forms_of::<V, BLOCKS>(tile, shape, x, y.0, lists, &signs),
                FEW_BLOCKS => forms_of::<V, FEW_BLOCKS>(tile, shape, x, y.0, lists, &signs),
                _ => forms_of::<V, 1>(tile, shape, x, y.0, lists, &signs),
            }
        }
    }
}

/// The kernel of blades, with vectors as for [`forms()`].
///
/// # Safety
/// The contract of the kernel; the CPU has the instruction set.
#[inline(always)]
pub(super) unsafe fn blades<V, W, X>(
    shape: Shape,
    x: (*const V::Element, Matrices),
    start: *const V::Element,
    y: (*mut V::Element, usize, usize),
    list: *const u32,
) where
    V: Transpose,
    W: Transpose<Element = V::Element>,
    X: Transpose<Element = V::Element>,
{
    // SAFETY: the caller's contract.
    unsafe {
        match shape.n {
            n if n >= V::LANES => all_blades::<V>(shape, x, start, y, list),
            n if n >= W::LANES => all_blades::<W>(shape, x, start, y, list),
            n if n >= X::LANES => all_blades::<X>(shape, x, start, y, list),
            _ => scalar::blades(shape, x, start, y, list),
        }
    }
}

/// # Safety
/// As for [`blades()`]; a row has a block.
#[inline(always)]
unsafe fn all_blades<V: Transpose>(
    shape: Shape,
    x: (*const V::Element, Matrices),
    start: *const V::Element,
    y: (*mut V::Element, usize, usize),
    list: *const u32,
) {
    // SAFETY: the caller's contract.
    unsafe {
        let (signs, mut lists) = ([V::splat(V::Element::ONE), V::splat(-V::Element::ONE)], List::new());
        lists.blades(shape.blades, shape.n, x.1, list);
        let mut tiles = Tiles::new::<V>(shape.rows, shape.n);
        while let Some(tile) = tiles.next() {
            match tiles.blocks {
                BLOCKS => blades_of::<V, BLOCKS>(tile, shape, x.0, start, y, &lists, &signs),
                FEW_BLOCKS => blades_of::<V, FEW_BLOCKS>(tile, shape, x.0, start, y, &lists, &signs),
                _ => blades_of::<V, 1>(tile, shape, x.0, start, y, &lists, &signs),
            }
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
    ($isa:ident $($forms:ident $blades:ident $type:ident $vectors:tt),+) => {
        $crate::isa::$isa! {$(
            pub(super) unsafe extern "C" fn $forms(
                rows: usize, n: usize, blades: usize, x: *const $type, x_row: usize, x_channel: usize,
                y: *mut $type, y_rows: usize, y_first: usize, list: *const u32
            ) {
                let all = Matrices { rows: y_rows, first: y_first };
                // SAFETY: the caller's contract.
                unsafe {
                    lanes::export_transforms!(@ forms $vectors (Shape { rows, n, blades }, (x, x_row, x_channel), (y, all), list))
                }
            }
            pub(super) unsafe extern "C" fn $blades(
                rows: usize, n: usize, blades: usize, x: *const $type, x_rows: usize, x_first: usize,
                start: *const $type, y: *mut $type, y_row: usize, y_channel: usize, list: *const u32
            ) {
                let all = Matrices { rows: x_rows, first: x_first };
                // SAFETY: the caller's contract.
                unsafe {
                    lanes::export_transforms!(@ blades $vectors (Shape { rows, n, blades }, (x, all), start, (y, y_row, y_channel), list))
                }
            }
        )+}
    };
    (@ $function:ident [$($vector:ident),+] ($($argument:expr),+)) => {
        lanes::$function::<$($vector),+>($($argument),+)
    };
}
pub(super) use export_transforms;
