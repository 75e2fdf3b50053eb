//! Symmetric and Hermitian matrices times a vector, in vectors.

use core::mem::MaybeUninit;
use core::ops::Range;

use super::super::number::Number;
use super::super::simd::{Lanes, Task};
use super::collect::Collect;
use super::lines::{Lines, Order};
use super::spread::Spread;
use super::sums::Sums;

/// Lines that are multiplied together.
const BLOCK: usize = 64;

/// Elements of lines that are read, and read again from a cache. Lines with fewer are in one piece.
const PIECE: usize = 256;

/// Adds A x to the sums.
///
/// The terms of an element ascend. Where lines end at the diagonal, those of line l are its own
/// elements, then element l of each later line. Otherwise they are element l of each earlier line, then
/// its own elements. The imaginary part of the diagonal is 0.
///
/// The contract of running it is that of [`Spread`].
pub(super) struct Mirrored<'a, T: Number> {
    pub sums: Sums<T>,
    /// A triangle.
    pub lines: &'a Lines<T>,
    pub x: *const T,
}

impl<T: Number> Task<T::Real> for Mirrored<'_, T> {
    #[inline(always)]
    unsafe fn run<V: Lanes<T::Real>>(&self) {
        let strict = self.lines.with_unit_diagonal(true);
        let is_upper = self.lines.is_upper();
        for block in Order::Ascending.blocks(0..self.lines.count, BLOCK) {
            let all = self.lines.run(block.start).start..self.lines.run(block.end - 1).end;
            // Long lines are in pieces beside the square at the diagonal.
            let square = if all.len() <= PIECE { all.clone() } else { block.clone() };
            let beside = if is_upper { all.start..square.start } else { square.end..all.end };
            let pieces = beside.len().div_ceil(PIECE);
            for piece in 0..pieces + 1 {
                let is_square = piece == if is_upper { pieces } else { 0 };
                let begin = beside.start + PIECE * if is_upper { piece } else { piece.saturating_sub(1) };
                let clip = if is_square { square.clone() } else { begin..beside.end.min(begin + PIECE) };
                // SAFETY: the caller's contract.
                unsafe { self.piece::<V>(&strict, &block, clip, is_square) }
            }
        }
    }
}

impl<T: Number> Mirrored<'_, T> {
    /// Adds the elements within `clip` of a block, and its diagonal if `is_square`.
    ///
    /// # Safety
    /// The contract of the task; the CPU has the instructions of `V`.
    #[inline(always)]
    unsafe fn piece<V: Lanes<T::Real>>(
        &self,
        lines: &Lines<T>,
        block: &Range<usize>,
        clip: Range<usize>,
        is_square: bool,
    ) {
        let Mirrored { sums, x, .. } = *self;
        // Each step is in one place, so that its code is there once.
        for step in 0..3 {
            let (block, clip) = (block.clone(), clip.clone());
            // SAFETY: the caller's contract.
            unsafe {
                if step == 1 {
                    if is_square {
                        self.diagonal::<V>(&block);
                    }
                } else if (step == 0) == lines.is_upper() {
                    Collect::<T> { sums, lines, block, clip, conjugates: T::IS_COMPLEX, x }.run::<V>();
                } else {
                    let order = Order::Ascending;
                    Spread::<T> { sums, lines, block, clip, order, conjugates: false, x }.run::<V>();
                }
            }
        }
    }

    /// Adds the diagonal of a block.
    ///
    /// # Safety
    /// As for [`piece`](Self::piece).
    #[inline(always)]
    unsafe fn diagonal<V: Lanes<T::Real>>(&self, block: &Range<usize>) {
        let (parts, step) = (Sums::<T>::PARTS, V::LANES / Sums::<T>::PARTS);
        let mut elements = [const { MaybeUninit::<T>::uninit() }; BLOCK];
        // SAFETY: the caller's contract, throughout.
        unsafe {
            for (l, to) in block.clone().zip(&mut elements) {
                to.write(T::from_real((*self.lines.pointer(l, l)).re()));
            }
            for i in (0..block.len()).step_by(step) {
                let mask = V::mask(0, parts * step.min(block.len() - i));
                let a = V::load_masked(elements.as_ptr().wrapping_add(i).cast(), mask);
                let x = V::load_masked(self.x.wrapping_add(block.start + i).cast(), mask);
                let at = self.sums.at.wrapping_add(parts * (block.start + i));
                let exchanged = if T::IS_COMPLEX { x.swapped() } else { x };
                // Both lanes of a pair have the real part, or the imaginary one.
                let (re, im) = (x.with_odd(exchanged), exchanged.with_odd(x));
                let (re, im) = if T::IS_COMPLEX { (re, im) } else { (x, x) };
                a.fma(re, V::load_masked(at, mask)).store_masked(at, mask);
                if T::IS_COMPLEX {
                    let at = at.wrapping_add(2 * self.sums.n);
                    a.fma(im, V::load_masked(at, mask)).store_masked(at, mask);
                }
            }
        }
    }
}
