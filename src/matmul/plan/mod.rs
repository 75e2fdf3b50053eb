//! The plan of a product: its kernels and its blocks.

mod few;
pub(super) mod path;
pub(super) mod tall;

use self::few::FewRows;
use self::path::{Path, ProductFacts, wide};
use super::blocking::{Blocking, crowded, part, row_of, tile};
use super::element::{BlockFn, Element, TinyFn};
use super::layout::Layout;
use super::options::Options;
use super::view::Strides;
use crate::frame::error::Error;
use crate::frame::isa::Isa;

/// Where the kernels read rows of A.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum RowsOfA {
    InPlace,
    Copied,
    /// Copied, in panels of a tile's rows, whose columns are contiguous.
    Panels,
}

/// A plan for products of one shape and layout, made once for many calls: [`Plan::run`] computes
/// `C = alpha A B + beta C`.
///
/// It uses the instruction set that was in force when it was made.
///
/// ```
/// use hotloops::matmul::{Options, Plan, Strides};
/// let rows = Strides::row_major(2);
/// let plan = Plan::<f64>::new([2, 2, 2], rows, rows, rows, &Options::default())?;
/// let (a, b, mut c) = ([1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [0.0; 4]);
/// let mut workspace = vec![0; plan.workspace_bytes()];
/// plan.run(1.0, &a, &b, 0.0, &mut c, &mut workspace)?;
/// assert_eq!(c, [19.0, 22.0, 43.0, 50.0]);
/// # Ok::<(), hotloops::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Plan<T> {
    pub(super) block: BlockFn<T>,
    pub(super) tiny: TinyFn<T>,
    /// The shape and the strides, as `tiny` reads them.
    pub(super) layout: Layout,
    pub(super) shape: [usize; 3],
    pub(super) a: Strides,
    pub(super) b: Strides,
    pub(super) c: Strides,
    pub(super) blocking: Blocking,
    pub(super) workspace: usize,
    /// Extent and first element of the caller's A, B and C.
    pub(super) extents: [(usize, usize); 3],
    pub(super) isa: Isa,
    pub(super) path: Path,
    pub(super) rows: RowsOfA,
    /// Whether one call of `tiny` with the caller's pointers computes `A B + beta C` for a beta of 0 or
    /// 1.
    pub(super) is_one_call: bool,
    /// Whether slivers of B are packed.
    pub(super) packs: bool,
    /// Whether all slivers of a panel of B are packed before the first is used, rather than each as
    /// the first rows of A use it.
    pub(super) packs_ahead: bool,
    /// Whether one call takes all slivers of a block of B, and packs them if they are packed.
    pub(super) once: bool,
    /// Whether C^T = B^T A^T is computed instead, so that rows of C are contiguous.
    pub(super) swapped: bool,
}

/// Largest C, in bytes, that is written in one pass without splitting into row panels.
pub(super) const C_BYTES: usize = 128 << 10;

/// Maximum bytes of the columns of a panel of B that is packed for few rows of A.
const SHALLOW_BYTES: usize = 1 << 10;

/// Maximum number of rows and of columns of a block of [`Path::Scattered`].
pub(super) const SCATTER: (usize, usize) = (64, 128);

pub(super) const ALIGN: usize = 64;

impl<T: Element> Plan<T> {
    /// A product of `shape` [m, n, k]: C has m rows and n columns, A m rows and k columns, B k rows
    /// and n columns.
    ///
    /// # Errors
    /// [`Error::Stride`] if two elements of C may coincide, [`Error::TooLarge`] if a matrix exceeds
    /// the address space.
    pub fn new(shape: [usize; 3], a: Strides, b: Strides, c: Strides, options: &Options) -> Result<Self, Error> {
        let [m, n, k] = shape;
        // If C is empty, A and B are not read.
        let k_read = if m == 0 || n == 0 { 0 } else { k };
        let extents = [a.extent::<T>(m, k_read, "a")?, b.extent::<T>(k_read, n, "b")?, c.extent::<T>(m, n, "c")?];
        c.distinct(m, n, "c")?;
        let mut plan = Self::unchecked(shape, a, b, c, options);
        plan.extents = extents;
        plan.is_one_call = plan.path == Path::Tiny && !plan.swapped && extents.iter().all(|&(_, first)| first == 0);
        Ok(plan)
    }

    /// [`Plan::new`] without its checks and without extents.
    #[inline]
    pub(super) fn unchecked(shape: [usize; 3], a: Strides, b: Strides, c: Strides, options: &Options) -> Self {
        let [m, n, k] = shape;
        if shape.contains(&0) {
            // There are no products. Every path except the direct one returns before it reads A or
            // B.
            return Plan { path: Path::Small, ..Self::direct(shape, a, b, c) };
        }
        // Rows of C must be contiguous. For a vector both orders are possible: its matrix should have contiguous rows
        // as B, or as A of a single column.
        let (rows_fit, columns_fit) = (c.column == 1 || n <= 1, c.row == 1 || m <= 1);
        let fits_transposed = match n {
            1 => m > 1 && k > 1 && a.row == 1 && a.column != 1,
            _ => b.column != 1 && (a.row == 1 || m == 1),
        };
        let swapped = columns_fit && (!rows_fit || fits_transposed);
        let plan = match swapped {
            true => Self::direct([n, m, k], b.transposed(), a.transposed(), c.transposed()),
            false => Self::direct(shape, a, b, c),
        };
        let Plan { shape, a, b, isa, .. } = plan;
        let product = ProductFacts { shape, a, b, isa, size: size_of::<T>() };
        let path = product.path(options, rows_fit || columns_fit);
        let mut plan = Plan { path, swapped, ..plan };
        match path {
            Path::Direct => match product.rows_in_place() {
                Some(rows) => plan.blocking.mc = rows,
                None if m.saturating_mul(n) > C_BYTES / size_of::<T>() => plan.cut_panels(options),
                None => {}
            },
            Path::Columns => plan.blocking.mc = product.rows_of_vector(options),
            Path::Blocked | Path::Scattered => plan.cut_blocks(options, false),
            _ => {}
        }
        plan
    }

    /// The plan of a product that reads A and B in place, in one call.
    #[inline]
    fn direct(shape: [usize; 3], a: Strides, b: Strides, c: Strides) -> Self {
        let [m, n, k] = shape;
        let (a, b, c) = (a.normalized(m, k), b.normalized(k, n), c.normalized(m, n));
        let block = T::BLOCK.variant();
        Plan {
            block: block.function,
            tiny: T::TINY.function(),
            layout: Layout::new::<T>(shape, a, b, c),
            shape,
            a,
            b,
            c,
            // All rows in one call; nothing else is split.
            blocking: Blocking { mr: 0, nr: 0, mc: shape[0], nc: 0, kc: 0, group: 1 },
            workspace: 0,
            extents: [(0, 0); 3],
            isa: block.isa,
            path: Path::Direct,
            rows: RowsOfA::InPlace,
            is_one_call: false,
            packs: false,
            packs_ahead: false,
            once: false,
            swapped: false,
        }
    }

    /// Splits a C that exceeds half of L2 into panels of a tile's rows. Without that, each sliver
    /// of columns would pass over all rows of C, and their lines and pages would be evicted before
    /// the next sliver.
    #[inline(never)]
    fn cut_panels(&mut self, options: &Options) {
        let [m, n, _] = self.shape;
        let size = size_of::<T>();
        if m.saturating_mul(n).saturating_mul(size) > options.caches.unwrap_or_default().l2 / 2 {
            self.blocking.mc = tile(self.isa, size).0;
        }
    }

    /// The blocks of [`Path::Blocked`] and [`Path::Scattered`]. `is_packed` says that the caller has
    /// packed B.
    #[inline(never)]
    fn cut_blocks(&mut self, options: &Options, is_packed: bool) {
        let [m, n, k] = self.shape;
        let size = size_of::<T>();
        let caches = options.caches.unwrap_or_default();
        let mut whole = Blocking::new(self.isa, size, caches);
        let Blocking { mr, nr, .. } = whole;
        self.blocking = whole;
        if let (false, Some((blocking, packs))) = (is_packed, tall::cut(self)) {
            self.blocking = blocking.fitted(self.shape);
            (self.packs, self.once) = (packs, true);
            self.workspace = self.bytes(true);
            return;
        }
        let in_place = ProductFacts { shape: self.shape, a: self.a, b: self.b, isa: self.isa, size }.rows_in_place();
        let near_columns = tall::has_near_columns::<T>(self.isa, m, self.a);
        self.rows = match () {
            () if near_columns => RowsOfA::InPlace,
            () if self.a.row == 1 && k > 1 => RowsOfA::Panels,
            () if self.a.column != 1 && k > 1 => RowsOfA::Copied,
            // Rows of A must not evict each other if several slivers read them.
            () if n > 2 * nr && in_place.is_some_and(|rows| rows < mr) => RowsOfA::Copied,
            () if n > 2 * nr && crowded(mr.min(m), self.a.row.unsigned_abs().wrapping_mul(size), caches.l1) => {
                RowsOfA::Copied
            }
            () => RowsOfA::InPlace,
        };
        let few = match self.path {
            Path::Blocked if !is_packed && !near_columns => few::few_rows(self, caches),
            _ => None,
        };
        let in_rows = matches!(few, Some(FewRows::InPlace(_)));
        self.packs = !in_rows && (m > 2 * mr || wide(n, size) || self.b.column != 1 && n > 1);
        // B comes from L3 and from memory fastest in long rows.
        let is_far = k.saturating_mul(n).saturating_mul(size) > caches.l2;
        self.packs_ahead = self.packs && self.b.column == 1 && is_far && few.is_none();
        match few {
            Some(FewRows::InPlace(kc)) => {
                // A block of C stays in L2 while all rows of B are added to it.
                let nc = (caches.l2 / 8 / (m * size)).max(1).next_multiple_of(nr);
                whole = Blocking { mr, nr, mc: m, nc, kc, group: 1 };
            }
            Some(FewRows::Shallow) => {
                let kc = whole.kc.min(SHALLOW_BYTES / size);
                whole = Blocking { kc, nc: whole.nc * whole.kc / kc / nr * nr, ..whole };
            }
            None => {}
        }
        if let (RowsOfA::InPlace, Some(rows)) = (self.rows, in_place) {
            let rows = part(m, rows.min(mr), 1);
            (whole.mr, whole.mc) = (rows, rows);
        }
        self.blocking = whole.fitted(match self.path {
            Path::Scattered => [m.min(SCATTER.0), n.min(SCATTER.1), k],
            _ => self.shape,
        });
        self.workspace = self.bytes(true);
    }

    /// Bytes of workspace; `scales` says whether alpha may differ from 1.
    pub(super) fn bytes(&self, scales: bool) -> usize {
        let [m, ..] = self.shape;
        let (m, scattered) = match self.path {
            Path::Blocked => (m, 0),
            Path::Scattered => (m.min(SCATTER.0), SCATTER.0 * SCATTER.1 * size_of::<T>()),
            _ => return 0,
        };
        let (scales_a, scales_b) = (scales && !self.swapped, scales && self.swapped);
        let (rows, slivers) = self.buffers(m, self.rows != RowsOfA::InPlace || scales_a, self.packs || scales_b);
        scattered + rows + slivers + ALIGN
    }

    /// Bytes of the buffers for rows of A and for slivers of B.
    pub(super) fn buffers(&self, m: usize, rows: bool, slivers: bool) -> (usize, usize) {
        let (size, Blocking { nr, mc, nc, kc, .. }) = (size_of::<T>(), self.blocking);
        let rows = if rows { mc * row_of(kc, size) * size } else { 0 };
        // Slivers are kept if they are packed ahead, or if more rows of C follow.
        let columns = if m > mc || self.packs_ahead || self.once { nc } else { nr };
        (rows.next_multiple_of(ALIGN), if slivers { columns * kc * size } else { 0 })
    }

    /// Bytes of workspace that [`Plan::run`] needs, at most 4 MiB; 0 for small products.
    #[must_use]
    pub fn workspace_bytes(&self) -> usize {
        self.workspace
    }

    /// The caller's [m, n, k].
    pub(super) fn caller_shape(&self) -> [usize; 3] {
        let [m, n, k] = self.shape;
        if self.swapped { [n, m, k] } else { [m, n, k] }
    }

    /// The strides of the caller's A, B and C.
    pub(super) fn caller_strides(&self) -> [Strides; 3] {
        match self.swapped {
            true => [self.b.transposed(), self.a.transposed(), self.c.transposed()],
            false => [self.a, self.b, self.c],
        }
    }

    /// The instruction set in force.
    pub(super) fn isa() -> Isa {
        let none = Strides::row_major(0);
        Self::direct([0; 3], none, none, none).isa
    }

    /// Rows and columns of slivers for this CPU.
    pub(super) fn slivers(options: &Options) -> [usize; 2] {
        let isa = Self::isa();
        let Blocking { kc, nr, .. } = Blocking::new(isa, size_of::<T>(), options.caches.unwrap_or_default());
        [kc, nr]
    }

    /// The plan of a product with B packed in slivers of `nr` columns and blocks of `kc` rows.
    pub(super) fn prepacked(
        shape: [usize; 3],
        a: Strides,
        c: Strides,
        [nr, kc]: [usize; 2],
        options: &Options,
    ) -> Self {
        let n = shape[1];
        let path = if c.column == 1 || n <= 1 { Path::Blocked } else { Path::Scattered };
        let mut plan = Plan { path, ..Self::direct(shape, a, Strides::row_major(n), c) };
        plan.cut_blocks(options, true);
        plan.blocking = Blocking { nr, kc, nc: plan.blocking.nc.next_multiple_of(nr), ..plan.blocking };
        plan.packs = false;
        plan.workspace = plan.bytes(true);
        plan
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matmul::blocking::rows_in_place;
    use crate::matmul::options::Order;

    /// What a plan does, for a product and its transpose.
    fn steps<T: Element>(
        shape: [usize; 3],
        [a, b, c]: [Strides; 3],
        order: Order,
    ) -> impl PartialEq + core::fmt::Debug {
        let plan = Plan::<T>::unchecked(shape, a, b, c, &Options { order, ..Options::default() });
        let Plan { shape, a, b, c, blocking, path, rows, packs, packs_ahead, once, .. } = plan;
        ((shape, a, b, c), blocking, path, rows, (packs, packs_ahead, once))
    }

    fn vectors_have_one_plan<T: Element>(order: Order) {
        for (n, k) in [(2, 2), (9, 5), (16, 64), (50, 4000), (256, 256), (1000, 1000), (1023, 1025), (4096, 4096)] {
            let layouts = [
                Strides::row_major(n),
                Strides::row_major(n + 3),
                Strides::column_major(k),
                Strides { row: 2, column: 2 * k as isize },
            ];
            for matrix in layouts {
                let plan = |unused: isize| {
                    let vector = [Strides { row: unused, column: 1 }, Strides { row: unused, column: 1 }];
                    steps::<T>([1, n, k], [vector[0], matrix, vector[1]], order)
                };
                let transposed = |unused: isize| {
                    let vector = Strides { row: 1, column: unused };
                    steps::<T>([n, 1, k], [matrix.transposed(), vector, vector], order)
                };
                let expected = plan(1);
                for unused in [0, 1, 7, n as isize, k as isize] {
                    assert!(plan(unused) == expected && transposed(unused) == expected, "{n} {k} {matrix:?} {unused}");
                }
            }
        }
    }

    /// Rows 4096 bytes apart share a set of L1. A copy of them would take as long as the product with few columns.
    #[test]
    fn rows_that_evict_each_other_are_copied_for_many_columns_alone() {
        let plan = |[m, n]: [usize; 2], k: usize| {
            let [a, b] = [k, n].map(Strides::row_major);
            Plan::<f64>::unchecked([m, n, k], a, b, b, &Options::default())
        };
        let (mr, nr) = tile(Plan::<f64>::isa(), size_of::<f64>());
        for (m, n) in [(24, 8), (32, 16), (64, 8)].into_iter().filter(|&(_, n)| n <= nr) {
            let Plan { path, rows, blocking, .. } = plan([m, n], 1024);
            let limit = rows_in_place(mr, 8192, 8192).filter(|_| path == Path::Blocked);
            assert!(rows == RowsOfA::InPlace && limit.is_none_or(|limit| blocking.mc <= limit), "{m} {n}");
        }
        let copies = |k| plan([64, 8 * nr], k).rows == RowsOfA::Copied;
        assert!(!copies(1000) && (mr <= 8 || copies(1024)), "{mr}");
    }

    #[test]
    fn a_vector_on_either_side_of_a_matrix_has_one_plan() {
        for order in [Order::Strict, Order::Fast] {
            vectors_have_one_plan::<f32>(order);
            vectors_have_one_plan::<f64>(order);
        }
    }
}
