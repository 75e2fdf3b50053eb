//! The kernels of the family for any vector with fused multiply-add: one algorithm each, which the instruction sets share.
//!
//! Everything here is inlined into the kernels of an instruction set, which [`kernels!`] makes from the shapes of their tiles.

use crate::float::Float;
use crate::vector::Fused;

/// A vector of parts of 128 bits, `U` elements each.
///
/// It takes `U` columns of a matrix from its rows, of which each part holds one: no shuffle crosses parts.
///
/// # Safety
/// As for [`Vector`](crate::vector::Vector).
pub(super) trait Columns<const U: usize>: Fused {
    /// Column `u` of as many rows as there are lanes, from `from` on, in vector `u`.
    unsafe fn columns(from: *const Self::Element, row: isize) -> [Self; U];
}

/// [`Columns`] of half as many rows, each element twice.
///
/// # Safety
/// As for [`Vector`](crate::vector::Vector).
pub(super) trait Doubles<const U: usize>: Columns<U> {
    unsafe fn doubles(from: *const Self::Element, row: isize) -> [Self; U];
    /// Two elements, over and over.
    unsafe fn pair(from: *const Self::Element) -> Self;
}

/// The arguments of a block.
#[derive(Clone, Copy)]
pub(super) struct Product<T> {
    pub(super) m: usize,
    pub(super) n: usize,
    pub(super) k: usize,
    pub(super) a: *const T,
    pub(super) a_row: isize,
    pub(super) a_column: isize,
    pub(super) b: *const T,
    pub(super) b_row: isize,
    pub(super) c: *mut T,
    pub(super) c_row: isize,
    pub(super) accumulate: u32,
}

impl<T: Float> Product<T> {
    /// Copies B to `packed`, unless that is null, and goes on with the copy.
    ///
    /// # Safety
    /// The contract of the block kernels.
    #[inline(always)]
    pub(super) unsafe fn pack<V: Fused<Element = T>>(&mut self, packed: *mut T) {
        if packed.is_null() {
            return;
        }
        let &mut Product { n, k, .. } = self;
        let rest = n % V::LANES;
        for p in 0..k {
            // SAFETY: p < k, and vectors end at n.
            unsafe {
                let (from, to) = (self.b.offset(p as isize * self.b_row), packed.add(p * n));
                for j in (0..n - rest).step_by(V::LANES) {
                    V::load(from.add(j)).store(to.add(j));
                }
                if rest > 0 {
                    V::load_first(from.add(n - rest), rest).store_first(to.add(n - rest), rest);
                }
            }
        }
        (self.b, self.b_row) = (packed, n as isize);
    }

    /// `R` rows of C from `i` and `C` vectors of columns from `j`, the last of them up to the last column if it is `PARTIAL`.
    ///
    /// # Safety
    /// The contract of the block kernels; rows and columns lie in C.
    #[inline(always)]
    pub(super) unsafe fn tile<V: Fused<Element = T>, const R: usize, const C: usize, const PARTIAL: bool>(
        &self,
        i: usize,
        j: usize,
    ) {
        let rest = self.n.wrapping_sub(j + (C - 1) * V::LANES);
        // SAFETY: the caller's contract; `rest` elements are left of a partial vector.
        unsafe {
            let (mut a, mut b) = (self.a.offset(i as isize * self.a_row), self.b.add(j));
            let c = self.c.offset(i as isize * self.c_row).add(j);
            let mut sums = [[V::splat(T::ZERO); C]; R];
            if self.accumulate != 0 {
                for (r, sums) in sums.iter_mut().enumerate() {
                    *sums = load::<V, C, PARTIAL>(c.offset(r as isize * self.c_row), rest);
                }
            }
            for _ in 0..self.k {
                let row = load::<V, C, PARTIAL>(b, rest);
                for (r, sums) in sums.iter_mut().enumerate() {
                    let x = V::splat(a.offset(r as isize * self.a_row).read_unaligned());
                    for (sum, y) in sums.iter_mut().zip(row) {
                        *sum = x.fma(y, *sum);
                    }
                }
                (a, b) = (a.wrapping_offset(self.a_column), b.wrapping_offset(self.b_row));
            }
            for (r, sums) in sums.into_iter().enumerate() {
                let c = c.offset(r as isize * self.c_row);
                for (v, sum) in sums.into_iter().enumerate() {
                    let to = c.add(v * V::LANES);
                    if PARTIAL && v + 1 == C { sum.store_first(to, rest) } else { sum.store(to) }
                }
            }
        }
    }
}

/// `C` vectors, the last of `rest` elements if it is `PARTIAL`.
///
/// # Safety
/// They are readable.
#[inline(always)]
unsafe fn load<V: Fused, const C: usize, const PARTIAL: bool>(from: *const V::Element, rest: usize) -> [V; C] {
    // SAFETY: the caller's contract.
    unsafe {
        let mut vectors = [V::splat(V::Element::ZERO); C];
        for (v, vector) in vectors.iter_mut().enumerate() {
            let from = from.add(v * V::LANES);
            *vector = if PARTIAL && v + 1 == C { V::load_first(from, rest) } else { V::load(from) };
        }
        vectors
    }
}

/// Makes the kernels of one type for an instruction set.
///
/// Tiles of C are given as `[vectors: rows, most first, down to 1]`, the widest first, the last of one vector.
macro_rules! kernels {
    (#[$features:meta] $type:ident $vector:ident $block:ident $wide:tt $single:tt) => {
        #[allow(clippy::too_many_arguments)]
        #[$features]
        pub(super) unsafe extern "C" fn $block(
            m: usize,
            n: usize,
            k: usize,
            a: *const $type,
            a_row: isize,
            a_column: isize,
            b: *const $type,
            b_row: isize,
            packed: *mut $type,
            c: *mut $type,
            c_row: isize,
            accumulate: u32,
        ) {
            const LANES: usize = <$vector as $crate::vector::Vector>::LANES;
            let mut product = Product { m, n, k, a, a_row, a_column, b, b_row, c, c_row, accumulate };
            // SAFETY: the contract of the kernel; all tiles lie in C.
            unsafe {
                product.pack::<$vector>(packed);
                let mut j = 0;
                $crate::matmul::tiles::kernels! { @panel $vector product j false $wide }
                $crate::matmul::tiles::kernels! { @panel $vector product j false $single }
                if j < n {
                    $crate::matmul::tiles::kernels! { @rows $vector product j true $single }
                }
            }
        }
    };
    (@panel $vector:ident $product:ident $j:ident $partial:literal [$vectors:literal: $($rows:literal)+]) => {
        while $product.n - $j >= $vectors * LANES {
            $crate::matmul::tiles::kernels! { @rows $vector $product $j $partial [$vectors: $($rows)+] }
            $j += $vectors * LANES;
        }
    };
    (@rows $vector:ident $product:ident $j:ident $partial:literal [$vectors:literal: $($rows:literal)+]) => {
        let mut i = 0;
        $(while $product.m - i >= $rows {
            $product.tile::<$vector, $rows, $vectors, $partial>(i, $j);
            i += $rows;
        })+
    };
}
pub(super) use kernels;
