//! Products of an A in columns and a B in rows, `X^T Y` for two matrices in rows: covariances and
//! normal equations, whose k is long.
//!
//! A tile of AVX-512 has enough rows to use nearly a line of each column of A, and B is as wide as a
//! few lines. So copies of their blocks would be read as often as the matrices.

use super::Plan;
use super::path::Path;
use crate::frame::isa::Isa;
use crate::matmul::blocking::{Blocking, WORKSPACE, side_by_side};
use crate::matmul::element::Element;
use crate::matmul::view::Strides;

/// Columns of A that begin and end less than this apart share few sets of L1 and few pages: they are
/// read in place.
const NEAR_COLUMNS: usize = 2 << 10;

/// Rows of B that begin and end less than this apart are read once per block of k, as they come. A few
/// tiles of rows of A allow longer ones.
const NEAR_ROWS: usize = 3 << 9;
const NEAR_ROWS_OF_FEW_TILES: usize = 4 << 10;

/// The limit for an A whose columns are far apart: each sliver of B reads their lines again.
const FEW_SLIVERS: usize = 1 << 10;

/// Rows of B of up to this many bytes are never packed.
const NARROW: usize = 512;

/// Rows of B in a block.
const DEPTH: usize = 512;

/// Rows of B in a block, if lines of no more columns of A have room in the sets of L1 that they share.
const CROWDED: usize = 16;

/// Whether `m` rows of an A in columns are read in place.
pub(in crate::matmul) fn has_near_columns<T>(isa: Isa, m: usize, a: Strides) -> bool {
    isa == Isa::avx512 && a.row == 1 && distance::<T>(m, a.column) < NEAR_COLUMNS
}

/// The blocks of a product that reads A and B in place or, if the second result is true, packs B as
/// the first tile of rows reads it.
pub(super) fn cut<T: Element>(plan: &Plan<T>) -> Option<(Blocking, bool)> {
    let [m, n, k] = plan.shape;
    if plan.path != Path::Blocked || plan.isa != Isa::avx512 || plan.a.row != 1 || plan.b.column != 1 || k == 1 {
        return None;
    }
    let width = distance::<T>(n, plan.b.row);
    let is_few_tiles = m <= 4 * plan.blocking.mr;
    let crowded = side_by_side(plan.a.column.unsigned_abs().wrapping_mul(size_of::<T>()));
    let is_crowded = crowded.is_some_and(|columns| columns <= CROWDED);
    let kc = match () {
        () if width >= if is_few_tiles { NEAR_ROWS_OF_FEW_TILES } else { NEAR_ROWS } => return None,
        () if has_near_columns::<T>(plan.isa, m, plan.a) => DEPTH,
        () if is_crowded && width <= NARROW / 2 => CROWDED,
        () if !is_crowded && width < FEW_SLIVERS => DEPTH,
        () => return None,
    };
    // If alpha is not 1, `mc` rows of A are copied.
    let mc = WORKSPACE / 4 / (kc * size_of::<T>());
    let nc = n.next_multiple_of(plan.blocking.nr);
    Some((Blocking { mc, nc, kc, ..plan.blocking }, width > NARROW))
}

/// Bytes from the first element of one of several vectors of `n` elements to the next vector, or to
/// its own end, if that is further.
fn distance<T>(n: usize, stride: isize) -> usize {
    n.max(stride.unsigned_abs()).saturating_mul(size_of::<T>())
}
