//! Chooses how a product is computed.
//!
//! The first row that fits decides, for a C with contiguous rows or columns; any other C takes
//! [`Path::Scattered`]:
//!
//! | path | order | A | B | shape |
//! |---|---|---|---|---|
//! | [`Path::Tiny`] | any | any | in rows | m, n and k up to 8 |
//! | [`Path::Outer`] | any | a column | a contiguous row | k = 1, a row of C >= 64 bytes, C >= 32 KiB |
//! | [`Path::Columns`] | strict | in rows | in rows | [`is_narrow`], or a vector with m > 14, k > 63 |
//! | [`Path::Direct`] | strict | in rows, or up to 20 KiB; not *crowded* | in rows and *near* | |
//! | [`Path::Dots`] | fast | any | any | m and n up to 8, C less than 16 vectors, k 512 or more |
//! | [`Path::Dots`] | fast | in rows | a contiguous vector | k 64 or more |
//! | [`Path::Small`] | any | any | in rows and *near* | |
//! | [`Path::TransposedB`] | any | in rows, or up to 20 KiB | up to 20 KiB | |
//! | [`Path::Blocked`] | any | any | any | |
//!
//! B is *near* if it has up to 20 KiB, if a single tile of rows reads it and k is at most 512, or
//! if it fits L2 and its columns spread over the sets of L1 ([`ProductFacts::fits_caches`]). A is *crowded* if
//! n is above a tile's columns and rows of A evict each other from L1.
//!
//! [`Path::Blocked`] packs slivers of B. Two kinds of products read B in place, in blocks that suit
//! them: those of few rows ([`few_rows`](super::few::few_rows)), and tall ones of an A in columns
//! ([`tall`](super::tall)). A product of one row and a B in columns is computed as its transpose, by
//! [`Path::Columns`].

use crate::frame::isa::Isa;
use crate::matmul::blocking::{LINE, crowded, rows_in_place, spread, tile};
use crate::matmul::layout::Layout;
use crate::matmul::options::{Options, Order};
use crate::matmul::view::Strides;

/// How a product is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(in crate::matmul) enum Path {
    /// The kernel for tiny products reads A and B in place.
    Tiny,
    /// The block kernel reads A and B in place, in one call, or in one call for each tile's rows of
    /// a large C.
    Direct,
    /// A is copied to the stack; B is read in place.
    Small,
    /// Like [`Path::Direct`], for a small B in columns, which is copied to the stack in rows.
    TransposedB,
    /// The kernels for few columns and for a vector.
    Columns,
    /// The kernel for outer products: whole rows of C.
    Outer,
    /// Blocks that fit the caches, packed in a workspace.
    Blocked,
    /// Like [`Path::Blocked`], for a C with neither stride 1: blocks of C are computed in a buffer
    /// and then copied into C.
    Scattered,
    /// One dot product per element, in any order, for a small C and a large k.
    Dots,
}

/// Maximum size in bytes of a B that is read in place for any row stride, of an A in columns that
/// is read in place, and of a B that [`Path::TransposedB`] copies.
pub(in crate::matmul) const DIRECT_BYTES: usize = 20 << 10;

/// Maximum number of rows of a B of any size that a single tile of rows reads in place.
const DIRECT_DEPTH: usize = 512;

/// Whether [`Path::Columns`] takes a C of this shape: rows have at most 32 bytes, because with AVX2 the block
/// kernel is as fast for longer ones, and there are more than the block kernel computes at a time, or, of up to 4
/// columns, enough for a vector.
#[inline]
pub(in crate::matmul) fn is_narrow(m: usize, n: usize, isa: Isa, size: usize) -> bool {
    const MANY_ROWS: usize = 15;
    let has_some = m >= 8 && n <= 4 && matches!(isa, Isa::avx2 | Isa::avx512);
    n <= 32 / size && (m > MANY_ROWS || has_some)
}

/// Whether rows of B exceed the columns of any tile.
pub(super) fn wide(n: usize, size: usize) -> bool {
    n > 256 / size
}

/// Whether few rows of A read rows of B side by side.
pub(super) fn reads_rows(n: usize, b: Strides, size: usize) -> bool {
    wide(n, size) && b.column == 1
}

/// Minimum size in bytes of the C of an outer product that [`Path::Outer`] takes.
pub(in crate::matmul) const OUTER_BYTES: usize = 32 << 10;

/// Minimum number of rows with which [`Path::Columns`] takes a long vector: more than any tile has.
const ROWS_OF_VECTOR: usize = 15;

/// Length of rows of A from which a product with a vector takes [`Path::Dots`], or [`Path::Columns`]
/// with few rows.
const SHORT_DOT: usize = 64;

/// The properties that decide the path, besides the options and the layout of C.
pub(super) struct ProductFacts {
    pub shape: [usize; 3],
    pub a: Strides,
    pub b: Strides,
    pub isa: Isa,
    /// Bytes of an element.
    pub size: usize,
}

impl ProductFacts {
    /// The path according to the table of this module. `contiguous` says that rows or columns of C
    /// are contiguous.
    #[inline]
    pub fn path(&self, options: &Options, contiguous: bool) -> Path {
        let strict = options.order == Order::Strict;
        match () {
            () if !contiguous => Path::Scattered,
            () if self.is_tiny() => Path::Tiny,
            () if self.is_outer() => Path::Outer,
            () if strict && self.has_few_columns() => Path::Columns,
            () if strict && self.a_fits() && !self.copies_a() && self.b_fits(options) => Path::Direct,
            () if !strict && self.has_few_elements() => Path::Dots,
            () if self.b_fits(options) => Path::Small,
            () if self.a_fits() && self.is_direct_size(1, 2) => Path::TransposedB,
            () => Path::Blocked,
        }
    }

    /// Whether the matrix of extents `rows` and `columns`, indices into the shape, has at most
    /// [`DIRECT_BYTES`].
    #[inline]
    fn is_direct_size(&self, rows: usize, columns: usize) -> bool {
        self.shape[rows].saturating_mul(self.shape[columns]) <= DIRECT_BYTES / self.size
    }

    #[inline]
    fn is_tiny(&self) -> bool {
        Layout::fits(self.shape) && (self.b.column == 1 || self.shape[1] == 1)
    }

    /// The block kernel is as fast for a C that stays in L1.
    #[inline]
    fn is_outer(&self) -> bool {
        let [m, n, k] = self.shape;
        k == 1 && self.b.column == 1 && n >= LINE / self.size && m.saturating_mul(n) >= OUTER_BYTES / self.size
    }

    #[inline]
    fn has_few_columns(&self) -> bool {
        let [m, n, k] = self.shape;
        let is_few = is_narrow(m, n, self.isa, self.size) || n == 1 && m >= ROWS_OF_VECTOR && k >= SHORT_DOT;
        is_few && self.a.column == 1 && (self.b.column == 1 || n <= 1)
    }

    /// Number of rows that the kernel for a vector takes at a time. With AVX-512, 16 rows of `f32` take
    /// 16 bytes a cycle at most, and 32 take more; but lines of 32 rows evict each other if rows are about
    /// a power of two apart, and memory delivers 16 rows faster.
    pub fn rows_of_vector(&self, options: &Options) -> usize {
        let ([m, _, k], most) = (self.shape, 2 * LINE / self.size);
        if self.isa != Isa::avx512 {
            return most;
        }
        let caches = options.caches.unwrap_or_default();
        let is_far = m.saturating_mul(k).saturating_mul(self.size) > caches.l3;
        let is_crowded = most > 16 && crowded(most, self.a.row.unsigned_abs().wrapping_mul(self.size), caches.l1);
        if is_far || is_crowded { most / 2 } else { most }
    }

    fn has_few_elements(&self) -> bool {
        let [m, n, k] = self.shape;
        let is_vector = n == 1 && self.a.column == 1 && self.b.row == 1 && k >= SHORT_DOT;
        is_vector || m <= 8 && n <= 8 && m * n.div_ceil(16 / self.size) < 16 && k >= 512
    }

    /// Whether A is in rows, or small enough to be read in columns.
    #[inline]
    fn a_fits(&self) -> bool {
        self.a.column == 1 || self.is_direct_size(0, 2)
    }

    /// The number of rows of A that a tile may read side by side ([`rows_in_place`]).
    #[inline]
    pub fn rows_in_place(&self) -> Option<usize> {
        let ([m, n, k], (mr, nr)) = (self.shape, tile(self.isa, self.size));
        if self.a.column != 1 {
            return None;
        }
        // The kernels of AVX2 use tiles of one vector and twice as many rows for up to half of a tile's columns.
        let most = if self.isa == Isa::avx2 && 2 * n <= nr { 2 * mr } else { mr };
        // Tiles have about as many rows each.
        let rows = m.div_ceil(m.div_ceil(most).max(1));
        rows_in_place(rows, self.a.row.wrapping_mul(self.size as isize), k.saturating_mul(self.size))
    }

    /// Whether to copy A: its rows evict each other, and several slivers read them.
    #[inline]
    fn copies_a(&self) -> bool {
        self.shape[1] > tile(self.isa, self.size).1 && self.rows_in_place().is_some()
    }

    /// Whether B is in rows and *near*, so that it is read in place.
    #[inline]
    fn b_fits(&self, options: &Options) -> bool {
        let [m, n, k] = self.shape;
        let is_one_tile = m <= tile(self.isa, self.size).0 && k <= DIRECT_DEPTH && !reads_rows(n, self.b, self.size);
        (self.b.column == 1 || n <= 1) && (is_one_tile || self.is_direct_size(1, 2) || self.fits_caches(options))
    }

    /// Whether B fits 3/8 of L2, the columns of a tile fit L1, and rows of A do not evict each
    /// other.
    #[inline(never)]
    fn fits_caches(&self, options: &Options) -> bool {
        let [m, n, k] = self.shape;
        let caches = options.caches.unwrap_or_default();
        let [a, b] = [self.a.row, self.b.row].map(|row| row.unsigned_abs().wrapping_mul(self.size));
        k.saturating_mul(n).saturating_mul(self.size) <= caches.l2 * 3 / 8
            && spread(k, b, caches.l1)
            && !crowded(m.min(tile(self.isa, self.size).0), a, caches.l1)
    }
}
