//! The kernels that change the basis between the blades of multivectors and matrix entries, and their lists.

#[cfg(avx2)]
mod avx2;
mod kernels;
#[cfg(any(sse2, neon))]
mod lanes;
#[cfg(neon)]
mod neon;
#[cfg(any(sse2, neon))]
mod network;
mod scalar;
#[cfg(sse2)]
mod sse2;

pub use kernels::*;

use alloc::vec::Vec;

use super::algebra::{Form, Pass, Passes, passes};
use super::layout::Direction;
use super::signature::Signature;
use crate::frame::error::Error;
use crate::frame::memory::push;
use crate::matmul::Element;

/// Squares of the generators of the algebras with straight-line code in the kernels, from index 1 on.
const ALGEBRAS: [&[i8]; 7] = [&[1, 1], &[1, -1], &[1, 1, 1], &[1, 1, -1], &[0, 1, 1, 1], &[1, -1, -1, -1], &[-1]];

/// The index of an algebra in the kernels; 0 if they have no straight-line code for it.
fn number(signature: &Signature) -> usize {
    ALGEBRAS.iter().position(|squares| *squares == signature.squares()).map_or(0, |place| place + 1)
}

/// Whether the kernels have code for the forward transforms of an algebra.
pub(super) fn is_common(signature: &Signature) -> bool {
    number(signature) != 0
}

/// Terms and ends of sums, and the number of sums that are kept.
type Lists = (Vec<u32>, Vec<u32>, usize);

/// The kernels' lists for an algebra: its index as in `number`, the sums of forms, and those of blades.
#[doc(hidden)]
pub fn transform_lists(signature: Signature) -> Result<Option<(usize, [Lists; 2])>, Error> {
    let Some(Passes { parts, all }) = passes(&signature)? else { return Ok(None) };
    let Transform { forms, blades, .. } = Transform::new(&parts, all.iter(), Direction::Forward, &signature)?;
    Ok(Some((forms.algebra, [forms, blades].map(|sums| (sums.terms, sums.ends, sums.kept)))))
}

/// Changes of basis: from blades to the planes of all first factors, and from the planes of all products to blades.
#[derive(Clone, Debug)]
pub(super) struct Transform {
    pub forms: Sums,
    pub blades: Sums,
    /// Planes of the factors and of the products.
    pub planes: [usize; 2],
}

impl Transform {
    /// Planes are in the order of the passes, row-major within a pass. Forward, a pass whose rows are beginnings of
    /// those of another pass uses the planes of that pass. The kept sums are the parts.
    pub fn new<'a>(
        parts: &[Form],
        passes: impl Iterator<Item = &'a Pass> + Clone,
        direction: Direction,
        signature: &Signature,
    ) -> Result<Self, Error> {
        let algebra = if direction == Direction::Forward { number(signature) } else { 0 };
        let sides = |pass: &'a Pass| match parts.is_empty() {
            true => direction.of([&pass.x, &pass.units]),
            false => direction.of([&pass.x_parts, &pass.unit_parts]),
        };
        let kept = parts.len();
        let [mut forms, mut blades] = [(); 2].map(|()| Sums { algebra, kept, ..Sums::default() });
        parts.iter().try_for_each(|part| forms.add(kept, part.iter().copied()))?;
        let own = passes.clone().filter(|pass| direction == Direction::Backward || !pass.places.is_beginning);
        own.flat_map(|pass| sides(pass)[0]).try_for_each(|form| forms.add(0, form.iter().copied()))?;
        let units = || passes.clone().flat_map(|pass| sides(pass)[1]);
        (0..kept).try_for_each(|part| blades.add(kept, units().map(|form| form[part])))?;
        (0..signature.blades()).try_for_each(|blade| match kept {
            0 => blades.add(0, units().map(|form| form[blade])),
            _ => blades.add(0, parts.iter().map(|form| form[blade])),
        })?;
        let planes = [forms.len(), units().count()];
        Ok(Transform { forms, blades, planes })
    }
}

/// Signed sums of the same operands, as the kernels read them.
#[derive(Clone, Debug, Default)]
pub(super) struct Sums {
    /// For each term twice the index of its operand, plus 1 if it is subtracted. The kept sums are the first operands.
    terms: Vec<u32>,
    /// For each sum, the end of its terms.
    ends: Vec<u32>,
    /// Sums that are terms of others only.
    kept: usize,
    /// Operands besides the kept sums, up to the last that a term reads.
    numbers: usize,
    /// The kernels' index of the algebra whose lists these are, or 0.
    algebra: usize,
}

impl Sums {
    /// The sums of blades by forms.
    pub fn of(forms: &[Form]) -> Result<Self, Error> {
        let mut sums = Sums::default();
        forms.iter().try_for_each(|form| sums.add(0, form.iter().copied()))?;
        Ok(sums)
    }

    /// Appends a sum of the operands from index `first` on.
    fn add(&mut self, first: usize, signs: impl Iterator<Item = i8>) -> Result<(), Error> {
        for (place, sign) in (first..).zip(signs) {
            if sign != 0 {
                push(&mut self.terms, 2 * place as u32 + u32::from(sign < 0))?;
                self.numbers = self.numbers.max((place + 1).saturating_sub(self.kept));
            }
        }
        push(&mut self.ends, self.terms.len() as u32)
    }

    /// Sums that are results.
    fn len(&self) -> usize {
        self.ends.len() - self.kept
    }

    /// The sums of `m` x `n` multivectors, which are `x_outer` and `x_inner` elements apart.
    pub fn forms<T: Element>(
        &self,
        [m, n, blades]: [usize; 3],
        (x, x_outer, x_inner): (&[T], usize, usize),
        (y, y_outer, y_plane): (&mut [T], usize, usize),
    ) {
        if m == 0 || n == 0 {
            return;
        }
        let read = (m - 1) * x_outer + (n - 1) * x_inner + blades;
        let end = (m - 1) * y_outer + self.len().saturating_sub(1) * y_plane + n;
        assert!(x.len() >= read && y.len() >= end && self.numbers <= blades, "numbers outside an array");
        let (terms, ends, kept, sums) = (self.terms.as_ptr(), self.ends.as_ptr(), self.kept, self.len());
        // SAFETY: the multivectors are in `x` and the sums in `y`, which is borrowed exclusively. `T` is the type
        // of the kernel that is called.
        unsafe {
            if size_of::<T>() == 4 {
                let (x, y) = (x.as_ptr().cast(), y.as_mut_ptr().cast());
                forms_f32(
                    self.algebra,
                    m,
                    n,
                    blades,
                    x,
                    x_outer,
                    x_inner,
                    y,
                    y_outer,
                    y_plane,
                    terms,
                    ends,
                    kept,
                    sums,
                );
            } else {
                let (x, y) = (x.as_ptr().cast(), y.as_mut_ptr().cast());
                forms_f64(
                    self.algebra,
                    m,
                    n,
                    blades,
                    x,
                    x_outer,
                    x_inner,
                    y,
                    y_outer,
                    y_plane,
                    terms,
                    ends,
                    kept,
                    sums,
                );
            }
        }
    }

    /// The blades of `m` x `n` multivectors, which are `y_outer` and `y_inner` elements apart. `start` has `n`
    /// elements for each blade if `is_inner`, else `m`, or is empty.
    pub fn blades<T: Element>(
        &self,
        [m, n]: [usize; 2],
        (x, x_outer, x_plane): (&[T], usize, usize),
        (start, is_inner): (&[T], bool),
        (y, y_outer, y_inner): (&mut [T], usize, usize),
    ) {
        if m == 0 || n == 0 {
            return;
        }
        let blades = self.len();
        let read = (m - 1) * x_outer + self.numbers.saturating_sub(1) * x_plane + n;
        let end = (m - 1) * y_outer + (n - 1) * y_inner + blades;
        let is_start = start.is_empty() || start.len() == blades * if is_inner { n } else { m };
        assert!(x.len() >= read && y.len() >= end && is_start, "numbers outside an array");
        let (terms, ends, inner) = (self.terms.as_ptr(), self.ends.as_ptr(), is_inner.into());
        let start = if start.is_empty() { core::ptr::null() } else { start.as_ptr() };
        // SAFETY: the terms are in `x` and the blades in `y`, which is borrowed exclusively. `T` is the type of
        // the kernel that is called.
        unsafe {
            if size_of::<T>() == 4 {
                let (x, y) = (x.as_ptr().cast(), y.as_mut_ptr().cast());
                blades_f32(
                    self.algebra,
                    m,
                    n,
                    blades,
                    x,
                    x_outer,
                    x_plane,
                    start.cast(),
                    inner,
                    y,
                    y_outer,
                    y_inner,
                    terms,
                    ends,
                    self.kept,
                );
            } else {
                let (x, y) = (x.as_ptr().cast(), y.as_mut_ptr().cast());
                blades_f64(
                    self.algebra,
                    m,
                    n,
                    blades,
                    x,
                    x_outer,
                    x_plane,
                    start.cast(),
                    inner,
                    y,
                    y_outer,
                    y_inner,
                    terms,
                    ends,
                    self.kept,
                );
            }
        }
    }
}
