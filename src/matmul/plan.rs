//! A product resolved: which kernels, in which blocks.

use super::blocking::{Blocking, SPLAT, crowded, parts, row_of, spread, tile};
use super::pack::{self, Source};
use super::{Block, MatMut, MatRef, Options, Order, Strides};
use crate::isa::Isa;
use crate::{Error, Float};

/// How a product is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Path {
    /// The block kernel reads A and B where they are, in one call, or one for each tile's rows of a large C.
    Direct,
    /// Copies of A on the stack, B where it is.
    Small,
    /// As [`Path::Direct`], with B, which is small and in columns, copied to the stack in rows.
    Turned,
    /// One call of the kernel for few columns.
    Columns,
    /// Blocks of the caches, packed in a workspace.
    Blocked,
    /// As that, into blocks of C that are then copied to their places, none of whose strides is 1.
    Scattered,
    /// One dot product per element: few elements of many products, in any order.
    Dots,
}

/// Where kernels read A.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Rows {
    InPlace,
    Copied,
    /// Each element 4 (`f32`) or 2 (`f64`) times, in panels of a tile's rows.
    Splatted,
}

/// The shape and the layout of a product, resolved once for many calls: [`Plan::run`] computes `C = alpha A B + beta C`.
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
    block: Block<T>,
    pub(super) shape: [usize; 3],
    pub(super) a: Strides,
    pub(super) b: Strides,
    pub(super) c: Strides,
    blocking: Blocking,
    workspace: usize,
    /// Extent and first element of A, B and C as the caller knows them.
    pub(super) extents: [(usize, usize); 3],
    isa: Isa,
    path: Path,
    rows: Rows,
    /// Whether slivers of B are packed.
    packs: bool,
    /// C^T = B^T A^T is computed, so that rows of C are contiguous.
    pub(super) swapped: bool,
}

/// The most bytes of B, and of A in columns, that are read where they are, however they lie.
const DIRECT_BYTES: usize = 20 << 10;

/// The most bytes of C that take no thought.
const C_BYTES: usize = 128 << 10;

/// The most rows of B that are read where they are, however long, by a single tile of rows.
const DIRECT_DEPTH: usize = 512;

/// Products for the kernel for few columns: rows of C of so many bytes, 7 `f32` or 3 `f64`, and more rows than this. With AVX2 the
/// block kernel is as fast from there on.
const FEW_BYTES: usize = 28;
const MANY_ROWS: usize = 16;

/// Rows of B that the kernel for few columns is given at a time, so that they stay in the first cache.
const COLUMNS_DEPTH: usize = 1024;

/// Bytes on the stack of [`Path::Small`] and others: a panel of rows, and a sliver.
const STACK: usize = 48 << 10;

/// Rows and most columns of a block of [`Path::Scattered`].
const SCATTER: (usize, usize) = (64, 128);

const ALIGN: usize = 64;

/// B that was packed before, in the plan's slivers.
#[derive(Clone, Copy)]
pub(super) struct Prepacked<T> {
    pub at: *const T,
    /// Columns of all of it.
    pub n: usize,
    /// Where the product's columns begin.
    pub first: usize,
}

fn aligned(workspace: *mut u8) -> *mut u8 {
    workspace.wrapping_add(workspace.align_offset(ALIGN))
}

/// The numbers of a call.
#[derive(Clone, Copy)]
struct Call<T> {
    alpha: T,
    a: *const T,
    b: *const T,
    beta: T,
    c: *mut T,
    c_row: isize,
    prepacked: Option<Prepacked<T>>,
}

impl<T: Float> Plan<T> {
    /// A product of `shape` [m, n, k]: C has m rows and n columns, A m rows and k columns, B k rows and n columns.
    ///
    /// # Errors
    /// [`Error::Stride`] if two elements of C may be the same, [`Error::TooLarge`] if a matrix is larger than memory.
    pub fn new(shape: [usize; 3], a: Strides, b: Strides, c: Strides, options: &Options) -> Result<Self, Error> {
        let [m, n, k] = shape;
        // Where C is empty, A and B are not read.
        let k_read = if m == 0 || n == 0 { 0 } else { k };
        let extents = [a.extent::<T>(m, k_read, "a")?, b.extent::<T>(k_read, n, "b")?, c.extent::<T>(m, n, "c")?];
        c.distinct(m, n, "c")?;
        let mut plan = Self::shaped(shape, a, b, c, options);
        plan.extents = extents;
        Ok(plan)
    }

    /// [`Plan::new`] of what was checked.
    #[inline]
    pub(super) fn shaped(shape: [usize; 3], a: Strides, b: Strides, c: Strides, options: &Options) -> Self {
        let [m, n, _] = shape;
        if shape.contains(&0) {
            // Nothing is multiplied: every path but the direct one returns before it looks at A and B.
            return Plan { path: Path::Small, ..Self::direct_plan(shape, a, b, c) };
        }
        // Rows of C are to be contiguous, and those of B are wanted so.
        let (rows_fit, columns_fit) = (c.column == 1 || n <= 1, c.row == 1 || m <= 1);
        let swapped = columns_fit && (!rows_fit || (b.column != 1 && n > 1 && a.row == 1));
        let mut plan = match swapped {
            true => Self::direct_plan([n, m, shape[2]], b.transposed(), a.transposed(), c.transposed()),
            false => Self::direct_plan(shape, a, b, c),
        };
        plan.swapped = swapped;
        if !(rows_fit || columns_fit) || !plan.is_direct(options) {
            plan.resolve(options, rows_fit || columns_fit);
        } else if m.saturating_mul(n) > C_BYTES / size_of::<T>() {
            plan.in_panels(options);
        }
        plan
    }

    /// `C = A B + beta C`, where that is one call of the block kernel that needs no thought; whether it was. A plan takes longer
    /// to make than the smallest products.
    ///
    /// # Safety
    /// The shapes fit, and C overlaps neither A nor B.
    #[inline]
    pub(super) unsafe fn at_once(
        alpha: T,
        a: MatRef<T>,
        b: MatRef<T>,
        beta: T,
        c: &MatMut<T>,
        options: &Options,
    ) -> bool {
        let kernel = T::BLOCK.variant();
        let [m, n, k] = [c.rows, c.columns, a.columns];
        let small = |rows: usize, columns: usize| rows.saturating_mul(columns) <= DIRECT_BYTES / size_of::<T>();
        let is_direct = ![m, n, k].contains(&0)
            && alpha == T::ONE
            && (beta == T::ZERO || beta == T::ONE)
            && (b.strides.column == 1 && c.strides.column == 1)
            && (small(m, k) && small(k, n))
            && m.saturating_mul(n) <= C_BYTES / size_of::<T>()
            && (n > FEW_BYTES / size_of::<T>() || m <= MANY_ROWS)
            && kernel.isa != Isa::scalar
            && options.order == Order::Strict;
        if is_direct {
            let (accumulate, null) = (u32::from(beta != T::ZERO), core::ptr::null_mut());
            let (a_strides, b_row, c_row) = (a.strides, b.strides.row, c.strides.row);
            // SAFETY: the caller's contract.
            unsafe {
                (kernel.function)(
                    m,
                    n,
                    k,
                    a.at,
                    a_strides.row,
                    a_strides.column,
                    b.at,
                    b_row,
                    null,
                    c.at,
                    c_row,
                    accumulate,
                )
            }
        }
        is_direct
    }

    #[inline]
    fn direct_plan(shape: [usize; 3], a: Strides, b: Strides, c: Strides) -> Self {
        // What is not fused is for CPUs that cannot.
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
            rows: Rows::InPlace,
            packs: false,
            swapped: false,
        }
    }

    /// Whether B is small enough, or read so few times, that it is read where it is.
    #[inline]
    fn b_fits(&self, options: &Options) -> bool {
        let [m, n, k] = self.shape;
        let few = m <= tile(self.isa, size_of::<T>()).0 && k <= DIRECT_DEPTH;
        let bytes = k.saturating_mul(n).saturating_mul(size_of::<T>());
        (self.b.column == 1 || n <= 1) && (few || bytes <= DIRECT_BYTES || self.spreads(bytes, options))
    }

    /// Whether B has its place in the second cache, the columns of a tile in the first, and rows of A do not push each other out.
    #[inline(never)]
    fn spreads(&self, bytes: usize, options: &Options) -> bool {
        let [m, _, k] = self.shape;
        let caches = options.caches.unwrap_or_default();
        let [a, b] = [self.a.row, self.b.row].map(|row| row.unsigned_abs().wrapping_mul(size_of::<T>()));
        bytes <= caches.l2 * 3 / 8
            && spread(k, b, caches.l1)
            && !crowded(m.min(tile(self.isa, size_of::<T>()).0), a, caches.l1)
    }

    /// Whether A is in rows, or so small that it is read in columns.
    #[inline]
    fn a_fits(&self) -> bool {
        let [m, _, k] = self.shape;
        self.a.column == 1 || k.saturating_mul(m).saturating_mul(size_of::<T>()) <= DIRECT_BYTES
    }

    #[inline]
    fn is_direct(&self, options: &Options) -> bool {
        options.order == Order::Strict
            && self.isa != Isa::sse2
            && self.a_fits()
            && !self.is_columns()
            && self.b_fits(options)
    }

    /// Slivers of columns, one after the other, go down all rows of C: where these have no place in the second cache, lines and pages
    /// are far away again before the next sliver comes. Then a tile's rows are done first.
    #[inline(never)]
    fn in_panels(&mut self, options: &Options) {
        let [m, n, _] = self.shape;
        let size = size_of::<T>();
        if m.saturating_mul(n).saturating_mul(size) > options.caches.unwrap_or_default().l2 / 2 {
            self.blocking.mc = tile(self.isa, size).0;
        }
    }

    #[inline]
    fn is_columns(&self) -> bool {
        let [m, n, _] = self.shape;
        n <= FEW_BYTES / size_of::<T>() && self.a.column == 1 && (self.b.column == 1 || n <= 1) && m > MANY_ROWS
    }

    /// The paths that are not direct.
    #[inline(never)]
    fn resolve(&mut self, options: &Options, rows_of_c: bool) {
        let [m, n, k] = self.shape;
        let size = size_of::<T>();
        if rows_of_c && self.isa != Isa::sse2 && self.is_columns() && options.order == Order::Strict {
            self.path = Path::Columns;
        } else if rows_of_c
            && options.order == Order::Fast
            && m <= 8
            && n <= 8
            && m * n.div_ceil(16 / size) < 16
            && k >= 512
        {
            self.path = Path::Dots;
        } else if rows_of_c && self.b_fits(options) {
            self.path = Path::Small;
        } else if rows_of_c && self.a_fits() && k.saturating_mul(n) <= DIRECT_BYTES / size && self.isa != Isa::sse2 {
            self.path = Path::Turned;
        } else {
            self.in_blocks(options, rows_of_c);
        }
    }

    /// The paths in blocks.
    fn in_blocks(&mut self, options: &Options, rows_of_c: bool) {
        let [m, n, k] = self.shape;
        let size = size_of::<T>();
        let caches = options.caches.unwrap_or_default();
        let whole = Blocking::new(self.isa, size, caches);
        let Blocking { mr, nr, .. } = whole;
        self.rows = match self.isa {
            Isa::sse2 => Rows::Splatted,
            _ if self.a.column != 1 && k > 1 => Rows::Copied,
            // Each sliver reads the rows again.
            _ if n > 2 * nr && crowded(mr.min(m), self.a.row.unsigned_abs().wrapping_mul(size), caches.l1) => {
                Rows::Copied
            }
            _ => Rows::InPlace,
        };
        self.packs = m > 2 * mr || self.b.column != 1 && n > 1;
        let (path, shape) = match rows_of_c {
            true => (Path::Blocked, self.shape),
            false => (Path::Scattered, [m.min(SCATTER.0), n.min(SCATTER.1), k]),
        };
        (self.path, self.blocking) = (path, whole.fitted(shape));
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
        let (rows, slivers) = self.buffers(m, self.rows != Rows::InPlace || scales_a, self.packs || scales_b);
        scattered + rows + slivers + ALIGN
    }

    /// [m, n, k] as the caller knows them.
    pub(super) fn caller_shape(&self) -> [usize; 3] {
        let [m, n, k] = self.shape;
        if self.swapped { [n, m, k] } else { [m, n, k] }
    }

    /// The strides of A, B and C as the caller knows them.
    pub(super) fn caller_strides(&self) -> [Strides; 3] {
        match self.swapped {
            true => [self.b.transposed(), self.a.transposed(), self.c.transposed()],
            false => [self.a, self.b, self.c],
        }
    }

    /// Bytes for rows of A and for slivers of B.
    fn buffers(&self, m: usize, rows: bool, slivers: bool) -> (usize, usize) {
        let (size, Blocking { mr, nr, mc, nc, kc }) = (size_of::<T>(), self.blocking);
        let rows = match (rows, self.rows) {
            (false, _) => 0,
            (true, Rows::Splatted) => mr * kc * SPLAT,
            (true, _) => mc * row_of(kc, size) * size,
        };
        // Slivers are kept only if there are more rows to come.
        let columns = if m > mc { nc } else { nr };
        (rows.next_multiple_of(ALIGN), if slivers { columns * kc * size } else { 0 })
    }

    /// Bytes of workspace that [`Plan::run`] needs, at most 4 MiB; 0 for small products.
    #[must_use]
    pub fn workspace_bytes(&self) -> usize {
        self.workspace
    }

    /// `C = alpha A B + beta C`; each slice holds its matrix from the lowest element that the strides lead to. Where `beta` is 0, C
    /// is not read, and where `alpha` is 0, A and B are not.
    ///
    /// # Errors
    /// [`Error::Length`] if a slice or the workspace is too short; nothing is written then.
    #[inline]
    pub fn run(&self, alpha: T, a: &[T], b: &[T], beta: T, c: &mut [T], workspace: &mut [u8]) -> Result<(), Error> {
        let [(a_length, a_first), (b_length, b_first), (c_length, c_first)] = self.extents;
        if a.len() < a_length || b.len() < b_length || c.len() < c_length || workspace.len() < self.workspace {
            return Err(self.short([a.len(), b.len(), c.len(), workspace.len()]));
        }
        // SAFETY: the slices hold the matrices, and C is borrowed alone.
        unsafe {
            let (a, b) = (a.as_ptr().add(a_first), b.as_ptr().add(b_first));
            self.execute(alpha, a, b, beta, c.as_mut_ptr().add(c_first), workspace.as_mut_ptr());
        }
        Ok(())
    }

    #[cold]
    fn short(&self, found: [usize; 4]) -> Error {
        let [a, b, c] = self.extents.map(|extent| extent.0);
        let expected = [("a", a), ("b", b), ("c", c), ("workspace", self.workspace)];
        let short = expected.into_iter().zip(found).find(|((_, expected), found)| found < expected);
        short.map_or(Error::NoMemory, |((argument, expected), found)| Error::Length { argument, expected, found })
    }

    /// # Safety
    /// The pointers lead to matrices of the plan's shape and strides; C overlaps neither of the others; `workspace` points to as
    /// many bytes as the plan wants.
    #[inline]
    pub(super) unsafe fn execute(&self, alpha: T, a: *const T, b: *const T, beta: T, c: *mut T, workspace: *mut u8) {
        let (a, b) = if self.swapped { (b, a) } else { (a, b) };
        if self.path == Path::Direct && alpha == T::ONE && (beta == T::ZERO || beta == T::ONE) {
            // SAFETY: the caller's contract.
            unsafe { self.direct(a, b, beta, c) }
        } else {
            let call = Call { alpha, a, b, beta, c, c_row: self.c.row, prepacked: None };
            // SAFETY: the caller's contract.
            unsafe { self.dispatch(call, workspace) }
        }
    }

    /// `C = A B + beta C` for a beta of 0 or 1.
    ///
    /// # Safety
    /// The contract of `execute`.
    #[inline(always)]
    unsafe fn direct(&self, a: *const T, b: *const T, beta: T, c: *mut T) {
        let ([m, n, k], rows) = (self.shape, self.blocking.mc);
        let (accumulate, null) = (u32::from(beta != T::ZERO), core::ptr::null_mut());
        let mut i = 0;
        while i < m {
            let (a, c) = (a.wrapping_offset(self.a.offset(i, 0)), c.wrapping_offset(self.c.offset(i, 0)));
            let (m, a_row, a_column) = (rows.min(m - i), self.a.row, self.a.column);
            // SAFETY: the caller's contract; rows of C.
            unsafe { (self.block)(m, n, k, a, a_row, a_column, b, self.b.row, null, c, self.c.row, accumulate) }
            i += rows;
        }
    }

    /// # Safety
    /// The contract of `execute`; A and B are swapped.
    #[inline(never)]
    unsafe fn dispatch(&self, mut call: Call<T>, workspace: *mut u8) {
        let [m, n, k] = self.shape;
        if m == 0 || n == 0 {
            return;
        }
        // SAFETY: the caller's contract, throughout.
        unsafe {
            if call.alpha == T::ZERO || k == 0 {
                return pack::scale(m, n, call.c, self.c, call.beta);
            }
            match self.path {
                Path::Direct | Path::Turned | Path::Columns if call.alpha == T::ONE => {
                    if call.beta != T::ZERO && call.beta != T::ONE {
                        pack::scale(m, n, call.c, self.c, call.beta);
                        call.beta = T::ONE;
                    }
                    match self.path {
                        Path::Direct => return self.direct(call.a, call.b, call.beta, call.c),
                        Path::Turned => return self.turned(call),
                        _ => {}
                    }
                    for (p, depth) in parts(k, COLUMNS_DEPTH, 1) {
                        let (a, b) = (self.a.offset(0, p), self.b.offset(p, 0));
                        let (a, b) = (call.a.wrapping_offset(a), call.b.wrapping_offset(b));
                        let accumulate = u32::from(p > 0 || call.beta != T::ZERO);
                        T::COLUMNS(m, n, depth, a, self.a.row, b, self.b.row, call.c, self.c.row, accumulate);
                    }
                }
                Path::Direct | Path::Turned | Path::Columns | Path::Small => self.on_stack(call),
                Path::Blocked => self.blocked(self.shape, call, aligned(workspace)),
                Path::Scattered => self.scattered(call, aligned(workspace)),
                Path::Dots => self.dots(call),
            }
        }
    }

    /// `C = A B + beta C` for a beta of 0 or 1.
    ///
    /// # Safety
    /// As for `dispatch`; B has at most `DIRECT_BYTES`.
    unsafe fn turned(&self, call: Call<T>) {
        let mut buffer = core::mem::MaybeUninit::<[u8; DIRECT_BYTES + ALIGN]>::uninit();
        let rows = aligned(buffer.as_mut_ptr().cast()).cast::<T>();
        let [_, n, k] = self.shape;
        let plan = Plan { b: Strides::row_major(n), ..*self };
        // SAFETY: the caller's contract, and a buffer that has room for B.
        unsafe {
            pack::gather(Source { at: call.b, strides: self.b }, k, n, rows, n);
            plan.direct(call.a, rows, call.beta, call.c);
        }
    }

    /// [`Plan::blocked`] with blocks that fit the stack.
    ///
    /// # Safety
    /// As for `dispatch`.
    unsafe fn on_stack(&self, call: Call<T>) {
        let mut buffer = core::mem::MaybeUninit::<[u8; STACK + ALIGN]>::uninit();
        let (mr, nr) = tile(self.isa, size_of::<T>());
        let (rows, mc, kc) = match self.isa {
            Isa::sse2 => (Rows::Splatted, mr, 256),
            _ => (Rows::Copied, STACK / 2 / (row_of(128, size_of::<T>()) * size_of::<T>()) / mr * mr, 128),
        };
        let packs = self.path == Path::Turned;
        // Slivers, where there are any, one at a time.
        let nc = if packs || self.swapped && call.alpha != T::ONE { nr } else { self.shape[1] };
        let plan = Plan { blocking: Blocking { mr, nr, mc, nc, kc }.fitted(self.shape), rows, packs, ..*self };
        // SAFETY: the caller's contract; either buffer fits half of the stack's.
        unsafe { plan.blocked(self.shape, call, aligned(buffer.as_mut_ptr().cast())) }
    }

    /// Blocks of k, of columns and of rows.
    ///
    /// # Safety
    /// As for `dispatch`; `buffer` has room for the blocks, and is aligned.
    unsafe fn blocked(&self, [m, n, k]: [usize; 3], call: Call<T>, buffer: *mut u8) {
        let Call { alpha, a, b, beta, c, c_row, prepacked } = call;
        let Blocking { mr, nr, mc, nc, kc } = self.blocking;
        let (scales_a, scales_b) = (alpha != T::ONE && !self.swapped, alpha != T::ONE && self.swapped);
        let rows = if scales_a && self.rows == Rows::InPlace { Rows::Copied } else { self.rows };
        let packs = prepacked.is_none() && (self.packs || scales_b);
        let (rows_bytes, _) = self.buffers(m, rows != Rows::InPlace, packs);
        let (rows_at, slivers_at) = (buffer.cast::<T>(), buffer.wrapping_add(rows_bytes).cast::<T>());
        let from_b = Source { at: b, strides: self.b };
        let kept = m > mc;
        // SAFETY: every block is within the matrices, and the buffers have room for it.
        unsafe {
            if beta != T::ZERO && beta != T::ONE {
                pack::scale(m, n, c, Strides { row: c_row, column: 1 }, beta);
            }
            for (j, columns) in parts(n, nc, nr) {
                for (p, depth) in parts(k, kc, 1) {
                    let accumulate = u32::from(p > 0 || beta != T::ZERO);
                    for (i, height) in parts(m, mc, mr) {
                        let from_a = Source { at: a.wrapping_offset(self.a.offset(i, p)), strides: self.a };
                        let (a, a_row, a_column) = match rows {
                            Rows::InPlace => (from_a.at, self.a.row, self.a.column),
                            Rows::Copied => {
                                let row = row_of(depth, size_of::<T>());
                                pack::gather_scaled(from_a, [height, depth], (rows_at, row), alpha, scales_a);
                                (rows_at.cast_const(), row as isize, 1)
                            }
                            Rows::Splatted => {
                                let copies = SPLAT / size_of::<T>();
                                pack::splat(
                                    from_a,
                                    [height, depth],
                                    rows_at,
                                    copies,
                                    if scales_a { alpha } else { T::ONE },
                                );
                                (rows_at.cast_const(), copies as isize, (copies * height) as isize)
                            }
                        };
                        let whole = !packs && prepacked.is_none();
                        let step = if whole { columns } else { nr };
                        for s in (j..j + columns).step_by(step) {
                            let width = step.min(j + columns - s);
                            let c = c.wrapping_offset(i as isize * c_row).wrapping_add(s);
                            let mut packed = core::ptr::null_mut();
                            let (b, b_row) = match prepacked {
                                Some(Prepacked { at, n, first }) => {
                                    (at.wrapping_add(p * n + (first + s) * depth), width as isize)
                                }
                                None => {
                                    let sliver = slivers_at.wrapping_add(if kept { (s - j) * depth } else { 0 });
                                    let from = Source { at: from_b.at.wrapping_offset(self.b.offset(p, s)), ..from_b };
                                    if !packs {
                                        (from.at, self.b.row)
                                    } else if i > 0 {
                                        (sliver.cast_const(), width as isize)
                                    } else if scales_b || (self.b.column != 1 && width > 1) {
                                        pack::gather_scaled(from, [depth, width], (sliver, width), alpha, scales_b);
                                        (sliver.cast_const(), width as isize)
                                    } else {
                                        packed = sliver;
                                        (from.at, self.b.row)
                                    }
                                }
                            };
                            (self.block)(
                                height, width, depth, a, a_row, a_column, b, b_row, packed, c, c_row, accumulate,
                            );
                        }
                    }
                }
            }
        }
    }

    /// # Safety
    /// As for `dispatch`; `buffer` is aligned.
    unsafe fn scattered(&self, call: Call<T>, buffer: *mut u8) {
        let [m, n, k] = self.shape;
        let nr = self.blocking.nr;
        let most = SCATTER.1 / nr * nr;
        let block = buffer.cast::<T>();
        let rest = buffer.wrapping_add(SCATTER.0 * SCATTER.1 * size_of::<T>());
        for (i, rows) in parts(m, SCATTER.0, 1) {
            for j in (0..n).step_by(most) {
                let columns = most.min(n - j);
                let c = call.c.wrapping_offset(self.c.offset(i, j));
                // SAFETY: blocks of the matrices, and a block that the buffer has room for.
                unsafe {
                    if call.beta != T::ZERO {
                        pack::gather(Source { at: c, strides: self.c }, rows, columns, block, columns);
                    }
                    let part = Call {
                        a: call.a.wrapping_offset(self.a.offset(i, 0)),
                        b: call.b.wrapping_offset(self.b.offset(0, j)),
                        c: block,
                        c_row: columns as isize,
                        prepacked: call.prepacked.map(|b| Prepacked { first: b.first + j, ..b }),
                        ..call
                    };
                    self.blocked([rows, columns, k], part, rest);
                    pack::scatter(block, rows, columns, c, self.c);
                }
            }
        }
    }

    /// # Safety
    /// As for `dispatch`; at most 8 rows and columns.
    unsafe fn dots(&self, call: Call<T>) {
        const DEPTH: usize = 256;
        let [m, n, k] = self.shape;
        let mut sums = [[T::ZERO; 8]; 8];
        // SAFETY: blocks within the matrices; copies of 8 rows of `DEPTH`.
        unsafe {
            if self.a.column == 1 && self.b.row == 1 {
                for (i, sums) in sums[..m].iter_mut().enumerate() {
                    for (j, sum) in sums[..n].iter_mut().enumerate() {
                        let (a, b) = (self.a.offset(i, 0), self.b.offset(0, j));
                        *sum = T::DOT(call.a.wrapping_offset(a), call.b.wrapping_offset(b), k);
                    }
                }
            } else {
                let mut copies = [[[T::ZERO; DEPTH]; 8]; 2];
                for p in (0..k).step_by(DEPTH) {
                    let depth = DEPTH.min(k - p);
                    let a = Source { at: call.a.wrapping_offset(self.a.offset(0, p)), strides: self.a };
                    let b = Source { at: call.b.wrapping_offset(self.b.offset(p, 0)), strides: self.b.transposed() };
                    pack::gather(a, m, depth, copies[0].as_mut_ptr().cast(), DEPTH);
                    pack::gather(b, n, depth, copies[1].as_mut_ptr().cast(), DEPTH);
                    for (a, sums) in copies[0][..m].iter().zip(&mut sums) {
                        for (b, sum) in copies[1][..n].iter().zip(sums) {
                            *sum = *sum + T::DOT(a.as_ptr(), b.as_ptr(), depth);
                        }
                    }
                }
            }
            pack::scale(m, n, call.c, self.c, call.beta);
            for (i, sums) in sums[..m].iter().enumerate() {
                for (j, &sum) in sums[..n].iter().enumerate() {
                    let c = call.c.wrapping_offset(self.c.offset(i, j));
                    c.write_unaligned(call.alpha * sum + c.read_unaligned());
                }
            }
        }
    }

    /// `C = alpha A B + beta C` with B packed before.
    ///
    /// # Safety
    /// As for `execute`; the plan was made by [`Plan::prepacked`].
    pub(super) unsafe fn execute_packed(
        &self,
        alpha: T,
        a: *const T,
        b: Prepacked<T>,
        beta: T,
        c: *mut T,
        workspace: *mut u8,
    ) {
        let [m, n, k] = self.shape;
        if m == 0 || n == 0 {
            return;
        }
        let call = Call { alpha, a, b: b.at, beta, c, c_row: self.c.row, prepacked: Some(b) };
        // SAFETY: the caller's contract.
        unsafe {
            match self.path {
                _ if alpha == T::ZERO || k == 0 => pack::scale(m, n, c, self.c, beta),
                Path::Scattered => self.scattered(call, aligned(workspace)),
                _ => self.blocked(self.shape, call, aligned(workspace)),
            }
        }
    }

    /// Rows and columns of slivers for this CPU.
    pub(super) fn slivers(options: &Options) -> [usize; 2] {
        let none = Strides::row_major(0);
        let isa = Self::direct_plan([0; 3], none, none, none).isa;
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
        let mut plan = Self::direct_plan(shape, a, Strides::row_major(n), c);
        plan.in_blocks(options, c.column == 1 || n <= 1);
        plan.blocking = Blocking { nr, kc, nc: plan.blocking.nc.next_multiple_of(nr), ..plan.blocking };
        plan.packs = false;
        plan.workspace = plan.bytes(true);
        plan
    }
}
