//! Which way a product is computed.
//!
//! The first row that fits, for C as rows or columns of contiguous elements ([`Path::Scattered`]
//! for any other C); "fuses" is every instruction set but `sse2`:
//!
//! | path | order | CPU | A | B | shape |
//! |---|---|---|---|---|---|
//! | [`Path::Columns`] | strict | fuses | in rows | in rows | a row of C up to 28 bytes, m > 16 |
//! | [`Path::Direct`] | strict | fuses | in rows, or up to 20 KiB | in rows and *near* | |
//! | [`Path::Dots`] | fast | any | any | any | m and n up to 8, C less than 16 vectors, k 512 or more |
//! | [`Path::Small`] | any | any | any | in rows and *near* | |
//! | [`Path::TransposedB`] | any | fuses | in rows, or up to 20 KiB | up to 20 KiB | |
//! | [`Path::Blocked`] | any | any | any | any | |
//!
//! B is *near* where it has up to 20 KiB, where a single tile of rows reads it and k is 512 or
//! less, or where it has its place in the second cache and its columns spread over the first
//! ([`Product::fits_caches`]).
//!
//! [`Path::Blocked`] packs slivers of B in advance, except for few rows, which go down whole rows of
//! B ([`few_rows`]). A product of one row by a B in columns is computed as its transpose, by
//! [`Path::Columns`].

use crate::isa::Isa;
use crate::matmul::blocking::{crowded, spread, tile};
use crate::matmul::options::{Options, Order};
use crate::matmul::view::Strides;

/// How a product is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(in crate::matmul) enum Path {
    /// The block kernel reads A and B where they are, in one call, or one for each tile's rows of a large C.
    Direct,
    /// Copies of A on the stack, B where it is.
    Small,
    /// As [`Path::Direct`], with a copy of B, which is small and in columns, in rows on the stack.
    TransposedB,
    /// The kernel for few columns.
    Columns,
    /// Blocks of the caches, packed in a workspace.
    Blocked,
    /// As [`Path::Blocked`], into blocks of C that are then copied to their places: neither stride of C is 1.
    Scattered,
    /// One dot product per element: few elements of many products, in any order.
    Dots,
}

/// Bytes of B, and of A in columns, up to which they are read where they are, however they lie.
pub(in crate::matmul) const DIRECT_BYTES: usize = 20 << 10;

/// Rows of B up to which a single tile of rows reads it where it is, however long they are.
const DIRECT_DEPTH: usize = 512;

/// Products for the kernel for few columns: rows of C of up to so many bytes, 7 `f32` or 3 `f64`,
/// and more rows than this. With AVX2 the block kernel is as fast for longer rows.
pub(in crate::matmul) const FEW_BYTES: usize = 28;
pub(in crate::matmul) const MANY_ROWS: usize = 16;

/// Rows of A, if they are one tile's, up to which each row of B is read once, whole, instead of in
/// slivers.
const FEW_ROWS: usize = 8;
/// Columns from which that pays.
pub(super) const WIDE_ROWS: usize = 256;

/// Whether a product of `shape` that does not fit the caches is computed by whole rows of B.
pub(super) fn few_rows(isa: Isa, [m, n, _]: [usize; 3], b: Strides) -> bool {
    isa != Isa::sse2 && m <= FEW_ROWS.min(tile(isa, 1).0) && n >= WIDE_ROWS && b.column == 1
}

/// What the choice depends on, beside the options and C.
pub(super) struct Product {
    pub shape: [usize; 3],
    pub a: Strides,
    pub b: Strides,
    pub isa: Isa,
    /// Bytes of an element.
    pub size: usize,
}

impl Product {
    /// The path according to the table above; `contiguous`: rows of C are contiguous.
    #[inline]
    pub fn path(&self, options: &Options, contiguous: bool) -> Path {
        let (strict, fuses) = (options.order == Order::Strict, self.isa != Isa::sse2);
        match () {
            () if !contiguous => Path::Scattered,
            () if strict && fuses && self.has_few_columns() => Path::Columns,
            () if strict && fuses && self.a_fits() && self.b_fits(options) => Path::Direct,
            () if !strict && self.has_few_elements() => Path::Dots,
            () if self.b_fits(options) => Path::Small,
            () if fuses && self.a_fits() && self.is_direct_size(1, 2) => Path::TransposedB,
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
    fn has_few_columns(&self) -> bool {
        let [m, n, _] = self.shape;
        n <= FEW_BYTES / self.size && self.a.column == 1 && (self.b.column == 1 || n <= 1) && m > MANY_ROWS
    }

    fn has_few_elements(&self) -> bool {
        let [m, n, k] = self.shape;
        m <= 8 && n <= 8 && m * n.div_ceil(16 / self.size) < 16 && k >= 512
    }

    /// Whether A is in rows, or so small that it is read in columns.
    #[inline]
    fn a_fits(&self) -> bool {
        self.a.column == 1 || self.is_direct_size(0, 2)
    }

    /// Whether B is small enough, or read so few times, that it is read where it is.
    #[inline]
    fn b_fits(&self, options: &Options) -> bool {
        let [m, n, k] = self.shape;
        let is_one_tile =
            m <= tile(self.isa, self.size).0 && k <= DIRECT_DEPTH && !few_rows(self.isa, self.shape, self.b);
        (self.b.column == 1 || n <= 1) && (is_one_tile || self.is_direct_size(1, 2) || self.fits_caches(options))
    }

    /// Whether B has its place in the second cache, the columns of a tile in the first, and rows of
    /// A do not push each other out.
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
