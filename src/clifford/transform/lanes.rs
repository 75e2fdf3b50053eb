//! The kernels, generic over vectors, and the macro that exports them for an instruction set.
//!
//! A block is as many channels of a row as a vector has lanes. Some blocks are transposed on the way from or to
//! a buffer, in which each blade of a block is a vector; the terms of a sum are decoded once for all of them.

use core::mem::MaybeUninit;

use super::super::multiply::lanes::{TOGETHER, Transpose, load, store};
use super::super::signature::MAX_BLADES;
use super::scalar::{self, Matrices, Shape, take};
use crate::float::Float;
use crate::vector::MAX_LANES;

/// Blocks whose sums are computed side by side.
const BLOCKS: usize = 8;

/// The vectors of a block for each blade.
type Buffer<V, const G: usize> = [[MaybeUninit<V>; MAX_BLADES]; G];

/// Blades of multivectors, `channel` numbers apart, as vectors.
///
/// # Safety
/// The multivectors are readable; as for [`Transpose`].
#[inline(always)]
unsafe fn read<V: Transpose>(blades: usize, from: *const V::Element, channel: usize, to: &mut [MaybeUninit<V>]) {
    // SAFETY: the caller's contract; there are vectors for all blades.
    unsafe {
        let to = to.as_mut_ptr();
        if blades >= TOGETHER {
            for first in (0..blades).step_by(TOGETHER) {
                let rows = load::<V>(from.add(first), channel);
                for (i, row) in rows.into_iter().enumerate() {
                    to.add(first + i).cast::<V>().write(row);
                }
            }
            return;
        }
        for blade in 0..blades {
            let mut numbers = [V::Element::ZERO; MAX_LANES];
            for (i, number) in numbers.iter_mut().enumerate().take(V::LANES) {
                *number = from.add(i * channel + blade).read_unaligned();
            }
            to.add(blade).cast::<V>().write(V::load(numbers.as_ptr()));
        }
    }
}

/// The inverse of [`read()`].
///
/// # Safety
/// As for [`read()`]; the vectors of the blades were written.
#[inline(always)]
unsafe fn write<V: Transpose>(blades: usize, from: &[MaybeUninit<V>], to: *mut V::Element, channel: usize) {
    // SAFETY: the caller's contract.
    unsafe {
        let from = from.as_ptr().cast::<V>();
        if blades >= TOGETHER {
            for first in (0..blades).step_by(TOGETHER) {
                store(from.add(first).cast::<[V; TOGETHER]>().read(), to.add(first), channel);
            }
            return;
        }
        for blade in 0..blades {
            let mut numbers = [V::Element::ZERO; MAX_LANES];
            from.add(blade).read().store(numbers.as_mut_ptr());
            for (i, number) in numbers.iter().enumerate().take(V::LANES) {
                to.add(i * channel + blade).write_unaligned(*number);
            }
        }
    }
}

/// The row and the first channel of a block; the last block of a row begins early enough to be whole.
#[derive(Clone, Copy)]
struct Place {
    row: usize,
    channel: usize,
}

impl Place {
    #[inline(always)]
    fn next<V: Transpose>(self, n: usize) -> Self {
        let channel = self.channel + V::LANES;
        if channel >= n {
            return Place { row: self.row + 1, channel: 0 };
        }
        Place { row: self.row, channel: channel.min(n - V::LANES) }
    }
}

/// The numbers of blocks behind those of the first point of a matrix that has `of_row` vectors for each.
#[inline(always)]
fn offsets_of<const G: usize>(places: &[Place; G], of_row: usize, first: usize, n: usize, offsets: &mut [usize; G]) {
    for (offset, place) in offsets.iter_mut().zip(places) {
        *offset = of_row * (first + place.row) * n + place.channel;
    }
}

/// A sum of `N` terms in `G` blocks.
///
/// # Safety
/// As for [`forms_of()`].
#[inline(always)]
unsafe fn sum<V: Transpose, const G: usize, const N: usize>(
    terms: *const u32,
    buffer: &Buffer<V, G>,
    to: [*mut V::Element; G],
) {
    // SAFETY: the caller's contract.
    unsafe {
        let signs = [V::Element::ONE, -V::Element::ONE];
        let (mut blades, mut factors) = ([0; N], [V::splat(V::Element::ZERO); N]);
        for t in 0..N {
            let term = terms.add(t).read_unaligned() as usize;
            blades[t] = term >> 1;
            factors[t] = V::splat(*signs.get_unchecked(term & 1));
        }
        for g in 0..G {
            let mut sum = V::splat(V::Element::ZERO);
            for t in 0..N {
                // Products with these factors are exact.
                sum = sum.plus_product(buffer[g].get_unchecked(blades[t]).assume_init(), factors[t]);
            }
            sum.store(to[g]);
        }
    }
}

/// `G` blocks; `place` moves behind them.
///
/// # Safety
/// The contract of the kernel; the blocks are some of its rows; as for [`Transpose`].
#[inline(always)]
unsafe fn forms_of<V: Transpose, const G: usize>(
    place: &mut Place,
    Shape { n, blades, .. }: Shape,
    (x, x_row, x_channel): (*const V::Element, usize, usize),
    (y, all): (*mut V::Element, Matrices),
    mut list: *const u32,
) {
    // SAFETY: the caller's contract.
    unsafe {
        let mut buffer: Buffer<V, G> = [[MaybeUninit::uninit(); MAX_BLADES]; G];
        let (mut places, mut offsets, mut last_of_row) = ([*place; G], [0; G], usize::MAX);
        for g in 0..G {
            let Place { row, channel } = *place;
            places[g] = *place;
            let from = x.add(row * x_row + channel * x_channel);
            // Constant numbers of blades unroll the loops.
            match blades {
                4 => read(4, from, x_channel, &mut buffer[g]),
                8 => read(8, from, x_channel, &mut buffer[g]),
                _ => read(blades, from, x_channel, &mut buffer[g]),
            }
            *place = place.next::<V>(n);
        }
        for _ in 0..take(&mut list) {
            let terms = take(&mut list);
            let [before, of_row, at] = [take(&mut list), take(&mut list), take(&mut list)];
            if of_row != last_of_row {
                offsets_of(&places, of_row, all.first, n, &mut offsets);
                last_of_row = of_row;
            }
            let mut to = [y.add((before * all.rows + at) * n); G];
            for g in 0..G {
                to[g] = to[g].add(offsets[g]);
            }
            match terms {
                1 => sum::<V, G, 1>(list, &buffer, to),
                2 => sum::<V, G, 2>(list, &buffer, to),
                4 => sum::<V, G, 4>(list, &buffer, to),
                _ => {
                    let signs = [V::Element::ONE, -V::Element::ONE];
                    for g in 0..G {
                        let mut sum = V::splat(V::Element::ZERO);
                        for t in 0..terms {
                            let term = list.add(t).read_unaligned() as usize;
                            let factor = V::splat(*signs.get_unchecked(term & 1));
                            sum = sum.plus_product(buffer[g].get_unchecked(term >> 1).assume_init(), factor);
                        }
                        sum.store(to[g]);
                    }
                }
            }
            list = list.add(terms);
        }
    }
}

/// `G` blocks; `place` moves behind them.
///
/// # Safety
/// As for [`forms_of()`].
#[inline(always)]
unsafe fn blades_of<V: Transpose, const G: usize>(
    place: &mut Place,
    Shape { n, blades, .. }: Shape,
    (x, all): (*const V::Element, Matrices),
    start: *const V::Element,
    (y, y_row, y_channel): (*mut V::Element, usize, usize),
    mut list: *const u32,
) {
    // SAFETY: the caller's contract.
    unsafe {
        let signs = [V::Element::ONE, -V::Element::ONE];
        let mut buffer: Buffer<V, G> = [[MaybeUninit::uninit(); MAX_BLADES]; G];
        let (mut places, mut offsets, mut last_of_row) = ([*place; G], [0; G], usize::MAX);
        for to in &mut places {
            *to = *place;
            *place = place.next::<V>(n);
        }
        for j in 0..blades {
            let mut sums = [V::splat(V::Element::ZERO); G];
            if !start.is_null() {
                for g in 0..G {
                    sums[g] = V::load(start.add(j * n + places[g].channel));
                }
            }
            for _ in 0..take(&mut list) {
                let [before, of_row, at] = [take(&mut list), take(&mut list), take(&mut list)];
                let from = x.add((before * all.rows + (at >> 1)) * n);
                let factor = V::splat(*signs.get_unchecked(at & 1));
                if of_row != last_of_row {
                    offsets_of(&places, of_row, all.first, n, &mut offsets);
                    last_of_row = of_row;
                }
                for g in 0..G {
                    // Products with these factors are exact.
                    sums[g] = sums[g].plus_product(V::load(from.add(offsets[g])), factor);
                }
            }
            for g in 0..G {
                buffer[g].get_unchecked_mut(j).write(sums[g]);
            }
        }
        for g in 0..G {
            let Place { row, channel } = places[g];
            let to = y.add(row * y_row + channel * y_channel);
            match blades {
                4 => write(4, &buffer[g], to, y_channel),
                8 => write(8, &buffer[g], to, y_channel),
                _ => write(blades, &buffer[g], to, y_channel),
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
        let (blocks, mut block) = (shape.rows * shape.n.div_ceil(V::LANES), 0);
        let mut place = Place { row: 0, channel: 0 };
        while block + BLOCKS <= blocks {
            forms_of::<V, BLOCKS>(&mut place, shape, x, y, list);
            block += BLOCKS;
        }
        while block < blocks {
            forms_of::<V, 1>(&mut place, shape, x, y, list);
            block += 1;
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
        let (blocks, mut block) = (shape.rows * shape.n.div_ceil(V::LANES), 0);
        let mut place = Place { row: 0, channel: 0 };
        while block + BLOCKS <= blocks {
            blades_of::<V, BLOCKS>(&mut place, shape, x, start, y, list);
            block += BLOCKS;
        }
        while block < blocks {
            blades_of::<V, 1>(&mut place, shape, x, start, y, list);
            block += 1;
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
