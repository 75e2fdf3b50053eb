//! How a packed product is split.

use core::ops::Range;

use super::super::number::Number;
use super::super::simd::Vectors;

/// The elements of C that are computed.
#[derive(Clone, Copy, PartialEq)]
pub(in super::super) enum Part {
    Whole,
    Lower,
    Upper,
}

impl Part {
    pub(super) fn transposed(self) -> Self {
        match self {
            Part::Whole => Part::Whole,
            Part::Lower => Part::Upper,
            Part::Upper => Part::Lower,
        }
    }

    /// The columns of row i, of `n`.
    pub(super) fn columns(self, i: usize, n: usize) -> Range<usize> {
        self.columns_at(i as isize, n)
    }

    /// The columns, of `n`, of a row whose element on the diagonal is in this column.
    #[inline(always)]
    pub(super) fn columns_at(self, diagonal: isize, n: usize) -> Range<usize> {
        match self {
            Part::Whole => 0..n,
            Part::Lower => 0..n.min((diagonal + 1).max(0) as usize),
            Part::Upper => n.min(diagonal.max(0) as usize)..n,
        }
    }
}

/// Bytes of a row of the left operand in a tile, which stays in L1.
const DEPTH: usize = 3 << 10;
/// Bytes of a row of the left operand that are packed at once.
const SLAB: usize = 16 << 10;
/// Bytes of packed operands: a block of the left one and a group of slivers of the right one stay in L2.
const LEFT: usize = 768 << 10;
const RIGHT: usize = 8 << 20;
const GROUP: usize = 512 << 10;
/// Maximum length of a row of sums of a group.
const SUMS: usize = 256;
/// Maximum rows and columns of reals of a tile.
fn tile<R>(vectors: Option<Vectors>) -> [usize; 2] {
    let (rows, bytes) = match vectors {
        #[cfg(target_arch = "x86_64")]
        Some(Vectors::Avx512) => (14, 128),
        #[cfg(target_arch = "x86_64")]
        Some(Vectors::Avx2) => (6, 64),
        #[cfg(target_arch = "aarch64")]
        Some(Vectors::Neon) => (8, 48),
        _ => (6, 64),
    };
    [rows, bytes / size_of::<R>()]
}

/// How a task is split, in elements.
pub(super) struct Sizes {
    /// Rows and columns of a tile.
    pub tile: [usize; 2],
    /// Rows and columns of a block of C.
    pub rows: usize,
    pub columns: usize,
    /// Terms whose operands are packed, and those of a call of the kernel.
    pub slab: usize,
    pub depth: usize,
    /// Columns of a group of slivers.
    pub group: usize,
}

impl Sizes {
    pub(super) fn new<T: Number>([m, n, k]: [usize; 3], vectors: Option<Vectors>) -> Self {
        let (reals, size) = (size_of::<T>() / size_of::<T::Real>(), size_of::<T>());
        let tile = tile::<T::Real>(vectors).map(|side| side / reals);
        let [mr, nr] = tile;
        let depth = DEPTH / size_of::<T::Real>();
        let slab = k.min(SLAB / size_of::<T::Real>());
        let fitting = |bytes: usize, unit: usize| (bytes / size / slab.max(1) / unit).max(1) * unit;
        let group = fitting(GROUP, nr).min((SUMS / reals / nr).max(1) * nr);
        let (rows, columns) = (m.min(fitting(LEFT, mr)), n.min(fitting(RIGHT, group)));
        Sizes { tile, rows, columns, slab, depth, group }
    }
}
