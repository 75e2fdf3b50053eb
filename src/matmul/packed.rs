//! B packed once for many products.

use super::blocking::{MAX_DEPTH, part};
use super::element::Element;
use super::execute::DEEP;
use super::options::Options;
use super::pack::{self, Source};
use super::plan::Plan;
use super::view::{MatMut, MatRef, Strides};
use crate::frame::error::{Error, at_least, exactly};
use crate::frame::isa::Isa;
use crate::frame::pieces::{Ended, Pieces, unless_ended, whole};

/// Steps of an element of a transposed B, which is read from another line of the caches.
const STEPS: usize = 4;

/// Maximum bytes of the A and C of [`PackedB::is_near`].
const NEAR_BYTES: usize = 128 << 10;

/// B packed for the kernels, in the caller's memory. Use it for many products with one B, such as
/// the weights of a layer, and for threads that share B.
///
/// It is packed for the instruction set in force. It stays valid under another one, and gives the
/// results of [`gemm`](super::gemm) there.
///
/// ```
/// use hotloops::matmul::{MatMut, MatRef, Options, PackedB, gemm_packed};
/// let b = MatRef::row_major(&[5.0, 6.0, 7.0, 8.0], 2, 2, 2)?;
/// let mut memory = vec![0.0; PackedB::<f64>::len(2, 2)?];
/// let b = PackedB::new(b, &mut memory, &Options::default())?;
/// let (a, mut c) = ([1.0, 2.0, 3.0, 4.0], [0.0; 4]);
/// let (a, c_view) = (MatRef::row_major(&a, 2, 2, 2)?, MatMut::row_major(&mut c, 2, 2, 2)?);
/// gemm_packed(1.0, a, &b, 0.0, c_view, &Options::default(), None)?;
/// assert_eq!(c, [19.0, 22.0, 43.0, 50.0]);
/// # Ok::<(), hotloops::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PackedB<'a, T> {
    pub(super) values: &'a [T],
    pub(super) k: usize,
    pub(super) n: usize,
    pub(super) kc: usize,
    pub(super) nr: usize,
}

impl<'a, T: Element> PackedB<'a, T> {
    /// Length of the memory for a B of `k` rows and `n` columns, in elements.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if that exceeds the address space.
    pub fn len(k: usize, n: usize) -> Result<usize, Error> {
        let fits =
            |elements: usize| elements.checked_mul(size_of::<T>()).is_some_and(|bytes| bytes <= isize::MAX as usize);
        k.checked_mul(n).filter(|&elements| fits(elements)).ok_or(Error::TooLarge { argument: "b" })
    }

    /// Packs `b` into the first elements of `memory`.
    ///
    /// # Errors
    /// [`Error::Length`] if `memory` is shorter than [`PackedB::len`]; nothing is written then.
    pub fn new(b: MatRef<T>, memory: &'a mut [T], options: &Options) -> Result<Self, Error> {
        whole(|pieces| PackedB::in_pieces(b, memory, options, pieces))
    }

    /// [`PackedB::new`], which asks `go_on` between pieces of some microseconds whether to go on. `None` if it said no.
    ///
    /// # Errors
    /// As for [`PackedB::new`].
    pub fn new_while(
        b: MatRef<T>,
        memory: &'a mut [T],
        options: &Options,
        mut go_on: impl FnMut() -> bool,
    ) -> Result<Option<Self>, Error> {
        unless_ended(PackedB::in_pieces(b, memory, options, &mut Pieces::new(&mut go_on)))
    }

    /// [`PackedB::new`], asking the caller between pieces.
    pub(crate) fn in_pieces(
        b: MatRef<T>,
        memory: &'a mut [T],
        options: &Options,
        pieces: &mut Pieces,
    ) -> Result<Self, Ended> {
        let (k, n) = (b.rows, b.columns);
        let length = Self::len(k, n)?;
        at_least("memory", length, memory.len())?;
        let [kc, nr] = Plan::<T>::slivers(options);
        let memory = &mut memory[..length];
        // Rows without elements take no time.
        let rows = if n == 0 { 0 } else { k };
        for (p, depth) in super::blocking::parts(rows, kc, 1) {
            for s in (0..n).step_by(nr) {
                let width = nr.min(n - s);
                pieces.before(STEPS * depth * width)?;
                let from = Source { at: b.at.wrapping_offset(b.strides.offset(p, s)), strides: b.strides };
                // SAFETY: a block of B, and memory for as many elements.
                unsafe { pack::gather(from, depth, width, memory.as_mut_ptr().add(p * n + s * depth), width) }
            }
        }
        Ok(PackedB { values: memory, k, n, kc, nr })
    }

    /// Restores the result of [`PackedB::new`] from its `values` and its sizes.
    ///
    /// # Errors
    /// [`Error::Length`] if `values` has another length; [`Error::Packed`] if the size of a sliver
    /// is out of range.
    pub(super) fn from_parts(values: &'a [T], [k, n, kc, nr]: [usize; 4]) -> Result<Self, Error> {
        exactly("packed", Self::len(k, n)?, values.len())?;
        if kc == 0 || kc > MAX_DEPTH || nr == 0 || nr > 128 {
            Err(Error::Packed)
        } else {
            Ok(PackedB { values, k, n, kc, nr })
        }
    }

    /// Bytes of workspace that [`gemm_packed`](super::gemm_packed) needs for an A of `rows` rows and a C,
    /// both row-major with these strides.
    #[must_use]
    pub fn workspace_bytes(&self, rows: usize, a_stride: usize, c_stride: usize, options: &Options) -> usize {
        let [a, c] = [a_stride, c_stride].map(Strides::row_major);
        Plan::<T>::prepacked([rows, self.n, self.k], a, c, [self.nr, self.kc], options).workspace_bytes()
    }

    /// Whether the product of `rows` contiguous rows needs neither a plan nor a workspace: A and C stay in
    /// L2, rows of A do not evict each other, and the CPU has vectors of fused multiply-adds.
    pub(crate) fn is_near(&self, rows: usize) -> bool {
        let elements = rows.saturating_mul(self.k + self.n);
        self.k < DEEP.min(self.kc + 1)
            && elements <= NEAR_BYTES / size_of::<T>()
            && T::BLOCK.variant().isa != Isa::scalar
    }

    /// [`PackedB::is_near`], with rows of A that are adjacent or overlap, and contiguous ones of C.
    pub(super) fn is_near_to(&self, a: &MatRef<T>, c: &MatMut<T>) -> bool {
        let are_adjacent = a.strides.column == 1 && (0..=self.k as isize).contains(&a.strides.row);
        self.k > 0 && c.strides.column == 1 && are_adjacent && self.is_near(a.rows)
    }

    /// Parts of B with their first rows, of at most `elements` elements or one block of rows. Their products, added in
    /// this order, have the bits of the whole product.
    pub(crate) fn parts(&self, elements: usize) -> impl Iterator<Item = (usize, PackedB<'a, T>)> {
        let PackedB { values, k, n, kc, .. } = *self;
        let block = part(k, kc, 1);
        let rows = (elements / n.max(1) / block).max(1) * block;
        let (whole, mut next) = (*self, Some(0));
        core::iter::from_fn(move || {
            let first = next?;
            let mut count = rows.min(k - first);
            if count > block && part(count, kc, 1) != block {
                // The last block is so short that the blocks of the rest would have another size.
                count = (count - 1) / block * block;
            }
            next = Some(first + count).filter(|&end| end < k);
            Some((first, PackedB { values: &values[first * n..][..count * n], k: count, ..whole }))
        })
    }

    /// Number of rows of B.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.k
    }

    /// Number of columns of B.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.n
    }
}

#[cfg(test)]
mod tests {
    use std::vec;
    use std::vec::Vec;

    use super::super::blocking::parts;
    use super::{MatRef, Options, PackedB};

    #[test]
    fn rows_without_elements_are_packed_at_once() {
        let b = MatRef::row_major(&[], 1 << 62, 0, 0).unwrap();
        let packed = PackedB::<f32>::new(b, &mut [], &Options::default()).unwrap();
        assert_eq!([packed.rows(), packed.columns()], [1 << 62, 0]);
    }

    #[test]
    fn the_caller_ends_packing() {
        let (values, mut memory) = ([1.0f32; 6], [0.0; 6]);
        let b = MatRef::row_major(&values, 2, 3, 3).unwrap();
        let options = Options::default();
        assert!(PackedB::new_while(b, &mut memory, &options, || false).unwrap().is_none());
        assert_eq!(memory, [0.0; 6]);
        assert!(PackedB::new_while(b, &mut memory, &options, || true).unwrap().is_some());
        assert_eq!(memory, [1.0; 6]);
        assert!(PackedB::new_while(b, &mut memory[..5], &options, || true).is_err());
    }

    #[test]
    fn parts_have_the_blocks_of_the_whole() {
        for (k, n, kc) in
            (0..130).flat_map(|k| [1, 3].map(|n| (k, n))).flat_map(|(k, n)| (1..40).map(move |kc| (k, n, kc)))
        {
            let values = vec![0.0f32; k * n];
            let whole = PackedB { values: &values, k, n, kc, nr: 16 };
            let blocks: Vec<_> = parts(k, kc, 1).collect();
            for elements in [0, 7, 50, 150, 1000] {
                let mut found = Vec::new();
                for (first, part) in whole.parts(elements) {
                    assert_eq!(part.values.len(), part.k * n);
                    found.extend(parts(part.k, kc, 1).map(|(at, count)| (first + at, count)));
                }
                assert_eq!(found, blocks, "{k} rows, blocks of {kc}, {elements} elements");
            }
        }
    }
}
