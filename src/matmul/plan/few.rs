//! Products of few rows: a tile or some tiles of A meet a B in rows.
//!
//! Packing B would take longer than so few rows gain by it, if lines of B stay in a cache until the
//! last tile has read them.

use super::Plan;
use crate::frame::cache::Caches;
use crate::frame::isa::Isa;
use crate::matmul::blocking::{MAX_DEPTH, crowded, tile};
use crate::matmul::element::Element;
use crate::matmul::plan::path::reads_rows;

/// How a product of few rows reads a B in rows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FewRows {
    /// In place, this number of rows (kc) side by side.
    InPlace(usize),
    /// Packed in wide panels of few rows, because packing takes much of the time.
    Shallow,
}

/// Maximum number of rows of A that are few. A near B whose rows spread over the sets of L2 allows more.
const FEW_ROWS: usize = 32;
const FEW_ROWS_OF_NEAR_B: usize = 56;

/// If rows of B are a multiple of this apart, slivers of a block have few sets of L2.
const UNSTEADY: usize = 512;

/// Maximum number of rows for which two tiles of AVX-512 read any B in place: they compute no longer
/// than B takes to arrive.
const TWO_TILES: usize = 16;

/// Bytes of the columns of a block of B that is near: lines of a tile's columns fit L2 many times,
/// and C is rarely stored.
const DEEP_BYTES: usize = 2 << 10;

/// Elements of a block of B that up to 3 rows of A are multiplied by.
const B_OF_VECTORS: usize = 32 << 10;

/// Rows of B whose lines should spread over the sets of L1; the depth of a block of a near B if they
/// do not.
const CROWD: usize = 32;

/// kc for a B that streams from memory: at most L1's associativity, which is also the number of streams the L2
/// prefetchers track.
const SIDE_BY_SIDE: usize = 8;

/// Rows of B in a block that L3 may hold in part: it is shared, so nothing tells how much.
const PARTLY: usize = 12;

/// How a product of few rows reads B, or none if B is packed as for other products.
pub(super) fn few_rows<T: Element>(plan: &Plan<T>, caches: Caches) -> Option<FewRows> {
    let ([m, n, k], isa, size) = (plan.shape, plan.isa, size_of::<T>());
    let (mr, _) = tile(isa, size);
    let apart = plan.b.row.unsigned_abs().wrapping_mul(size);
    // Whether the lines of these rows fill a set of L1, so that a second tile would read them again.
    let is_crowded = |rows| crowded(rows, apart, caches.l1);
    let bytes = k.saturating_mul(n).saturating_mul(size);
    let (is_near, is_far) = (bytes <= caches.l3 / 4, bytes > caches.l3);
    let is_tile = m <= mr || isa == Isa::avx512 && m <= TWO_TILES;
    let most = if is_near && !apart.is_multiple_of(UNSTEADY) { FEW_ROWS_OF_NEAR_B } else { FEW_ROWS };
    if m > most || !reads_rows(n, plan.b, size) {
        return None;
    }
    Some(FewRows::InPlace(match () {
        // Whole rows, if they are long.
        () if m < 4 || m == 4 && isa == Isa::avx512 => (B_OF_VECTORS / n).clamp(SIDE_BY_SIDE, MAX_DEPTH),
        () if is_near && !is_crowded(CROWD) => DEEP_BYTES / size,
        () if is_near && is_tile => CROWD,
        () if is_near && (isa == Isa::avx512 || !is_crowded(PARTLY)) => return Some(FewRows::Shallow),
        // AVX-512 tiles would be memory-bound here.
        () if !is_tile && (isa == Isa::avx512 || is_near || is_crowded(PARTLY)) => return None,
        // The second tile reads lines from L2, so fewer passes over C are better.
        () if is_far && m > mr && is_crowded(SIDE_BY_SIDE) => 2 * SIDE_BY_SIDE,
        () if is_far => SIDE_BY_SIDE,
        () => PARTLY,
    }))
}
