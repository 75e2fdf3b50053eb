//! A product resolved: which kernels, in which blocks.

pub(super) mod path;

use self::path::{Path, Product, WIDE_ROWS, few_rows};
use super::blocking::{Blocking, MOST_DEPTH, SPLAT, crowded, row_of, tile};
use super::element::{Block, Element};
use super::options::Options;
use super::view::Strides;
use crate::error::Error;
use crate::isa::Isa;

/// Where kernels read rows of A.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum RowsOfA {
    InPlace,
    Copied,
    /// Each element 4 (`f32`) or 2 (`f64`) times, in panels of a tile's rows.
    Splatted,
}

/// The shape and the layout of a product, resolved once for many calls: [`Plan::run`] computes `C =
/// alpha A B + beta C`.
///
/// It holds for the instruction set in force when it was made.
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
    pub(super) block: Block<T>,
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
    /// Whether slivers of B are packed.
    pub(super) packs: bool,
    /// C^T = B^T A^T is computed, so that rows of C are contiguous.
    pub(super) swapped: bool,
}

/// Largest C, in bytes, that is written in one pass without splitting into row panels.
pub(super) const C_BYTES: usize = 128 << 10;

/// Bytes of the rows of C that stay in the caches while few rows go down whole rows of B.
const C_OF_FEW_ROWS: usize = 64 << 10;

/// Elements of the rows of B that few rows go down at a time: at least 8 rows, which memory delivers
/// side by side, in full pages.
const B_OF_FEW_ROWS: usize = 32 << 10;

/// Rows and largest number of columns of a block of [`Path::Scattered`].
pub(super) const SCATTER: (usize, usize) = (64, 128);

pub(super) const ALIGN: usize = 64;

impl<T: Element> Plan<T> {
    /// A product of `shape` [m, n, k]: C has m rows and n columns, A m rows and k columns, B k rows
    /// and n columns.
    ///
    /// # Errors
    /// [`Error::Stride`] if two elements of C may be the same, [`Error::TooLarge`] if a matrix is
    /// larger than memory.
    pub fn new(shape: [usize; 3], a: Strides, b: Strides, c: Strides, options: &Options) -> Result<Self, Error> {
        let [m, n, k] = shape;
        // Where C is empty, A and B are not read.
        let k_read = if m == 0 || n == 0 { 0 } else { k };
        let extents = [a.extent::<T>(m, k_read, "a")?, b.extent::<T>(k_read, n, "b")?, c.extent::<T>(m, n, "c")?];
        c.distinct(m, n, "c")?;
        let mut plan = Self::unchecked(shape, a, b, c, options);
        plan.extents = extents;
        Ok(plan)
    }

    /// [`Plan::new`] without its checks and without extents.
    #[inline]
    pub(super) fn unchecked(shape: [usize; 3], a: Strides, b: Strides, c: Strides, options: &Options) -> Self {
        let [m, n, k] = shape;
        if shape.contains(&0) {
            // Nothing is multiplied: every path but the direct one returns before it looks at A and B.
            return Plan { path: Path::Small, ..Self::direct(shape, a, b, c) };
        }
        // Rows of C are to be contiguous, and those of B are wanted so.
        let (rows_fit, columns_fit) = (c.column == 1 || n <= 1, c.row == 1 || m <= 1);
        let swapped = columns_fit && (!rows_fit || (b.column != 1 && n > 1 && (a.row == 1 || m <= 1)));
        let plan = match swapped {
            true => Self::direct([n, m, k], b.transposed(), a.transposed(), c.transposed()),
            false => Self::direct(shape, a, b, c),
        };
        let Plan { shape, a, b, isa, .. } = plan;
        let path = Product { shape, a, b, isa, size: size_of::<T>() }.path(options, rows_fit || columns_fit);
        let mut plan = Plan { path, swapped, ..plan };
        match path {
            Path::Direct if m.saturating_mul(n) > C_BYTES / size_of::<T>() => plan.cut_panels(options),
            Path::Blocked | Path::Scattered => plan.cut_blocks(options),
            _ => {}
        }
        plan
    }

    /// The plan of a product that reads A and B where they are, in one call.
    #[inline]
    fn direct(shape: [usize; 3], a: Strides, b: Strides, c: Strides) -> Self {
        // The kernels that do not fuse are for CPUs that cannot.
        let fused = T::BLOCK.variant();
        let (block, isa) = match fused.isa {
            Isa::scalar if T::BLOCK_UNFUSED.variant().isa != Isa::scalar => {
                (T::BLOCK_UNFUSED.function(), T::BLOCK_UNFUSED.variant().isa)
            }
            isa => (fused.function, isa),
        };
        Plan {
            block,
            shape,
            a,
            b,
            c,
            // All rows in one call; nothing else is cut.
            blocking: Blocking { mr: 0, nr: 0, mc: shape[0], nc: 0, kc: 0 },
            workspace: 0,
            extents: [(0, 0); 3],
            isa,
            path: Path::Direct,
            rows: RowsOfA::InPlace,
            packs: false,
            swapped: false,
        }
    }

    /// Slivers of columns, one after the other, go down all rows of C: where these have no place in
    /// the second cache, lines and pages are far away again before the next sliver comes. Then a
    /// tile's rows are done first.
    #[inline(never)]
    fn cut_panels(&mut self, options: &Options) {
        let [m, n, _] = self.shape;
        let size = size_of::<T>();
        if m.saturating_mul(n).saturating_mul(size) > options.caches.unwrap_or_default().l2 / 2 {
            self.blocking.mc = tile(self.isa, size).0;
        }
    }

    /// The blocks of [`Path::Blocked`] and [`Path::Scattered`].
    #[inline(never)]
    fn cut_blocks(&mut self, options: &Options) {
        let [m, n, k] = self.shape;
        let size = size_of::<T>();
        let caches = options.caches.unwrap_or_default();
        let mut whole = Blocking::new(self.isa, size, caches);
        let Blocking { mr, nr, .. } = whole;
        self.rows = match self.isa {
            Isa::sse2 => RowsOfA::Splatted,
            _ if self.a.column != 1 && k > 1 => RowsOfA::Copied,
            // Each sliver reads the rows again.
            _ if n > 2 * nr && crowded(mr.min(m), self.a.row.unsigned_abs().wrapping_mul(size), caches.l1) => {
                RowsOfA::Copied
            }
            _ => RowsOfA::InPlace,
        };
        let few_rows = self.path == Path::Blocked && few_rows(self.isa, self.shape, self.b);
        self.packs = !few_rows && (m > mr || n >= WIDE_ROWS || self.b.column != 1 && n > 1);
        if few_rows {
            let nc = (C_OF_FEW_ROWS / (m * size)).next_multiple_of(nr);
            let kc = (B_OF_FEW_ROWS / n).clamp(8, MOST_DEPTH);
            whole = Blocking { mr, nr, mc: m, nc, kc };
        }
        self.blocking = whole.fitted(match self.path {
            Path::Scattered => [m.min(SCATTER.0), n.min(SCATTER.1), k],
            _ => self.shape,
        });
        self.workspace = self.bytes(true);
    }

    /// Bytes of workspace, where alpha `scales` or is 1.
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

    /// Whether slivers of B, if they are packed, are packed side by side, before any is used.
    pub(super) fn packs_ahead(&self) -> bool {
        self.b.column == 1
    }

    /// Bytes for rows of A and for slivers of B.
    pub(super) fn buffers(&self, m: usize, rows: bool, slivers: bool) -> (usize, usize) {
        let (size, Blocking { mr, nr, mc, nc, kc }) = (size_of::<T>(), self.blocking);
        let rows = match (rows, self.rows) {
            (false, _) => 0,
            (true, RowsOfA::Splatted) => mr * kc * SPLAT,
            (true, _) => mc * row_of(kc, size) * size,
        };
        // Slivers are kept if they are packed ahead, or if there are more rows to come.
        let columns = if m > mc || self.packs_ahead() { nc } else { nr };
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

    /// Rows and columns of slivers for this CPU.
    pub(super) fn slivers(options: &Options) -> [usize; 2] {
        let none = Strides::row_major(0);
        let isa = Self::direct([0; 3], none, none, none).isa;
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
        plan.cut_blocks(options);
        plan.blocking = Blocking { nr, kc, nc: plan.blocking.nc.next_multiple_of(nr), ..plan.blocking };
        plan.packs = false;
        plan.workspace = plan.bytes(true);
        plan
    }
}
