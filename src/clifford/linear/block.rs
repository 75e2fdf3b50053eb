//! Blocks of rows in [`Mode::Fast`](super::Mode::Fast), and their products.

use super::LinearWeights;
use super::pack::LINE;
use crate::clifford::combine::bytes;
use crate::frame::error::Error;
use crate::matmul::{Element, MatMut, MatRef, Options, Strides};
use crate::matmul::{gemm_in, gemm_in_place, workspace_bytes};

/// Minimum rows per block for the rows-innermost layout. Smaller blocks are vectorised over channels.
const MANY_ROWS: usize = 8;

/// Bytes of B up to which it is read in place: what stays in the level 2 cache, or for few rows in level 1.
const IN_PLACE: usize = 256 << 10;
const IN_PLACE_BY_ROWS: usize = 20 << 10;

/// L1 geometry (sets, ways). If the planes of one row would exceed the associativity, rows are padded by `GAP` bytes
/// to avoid conflict misses.
const SETS: usize = 64;
const WAYS: usize = 8;
const GAP: usize = 8;

/// Rows of a batch that are transformed together.
///
/// Large blocks are stored channel-major: one vector spans batch rows, and operand matrices are transposed. Small
/// blocks are row-major: one vector spans channels.
pub struct BatchBlock<'a, T> {
    weights: &'a LinearWeights<'a, T>,
    rows: usize,
    pub is_by_channels: bool,
    /// Strides of A and of the product: from a channel, or a row, to the next, and from plane to plane.
    pub distances: [(usize, usize); 2],
}

impl<'a, T: Element> BatchBlock<'a, T> {
    pub fn new(weights: &'a LinearWeights<'a, T>, rows: usize) -> Self {
        let (channels, planes, is_by_channels) = (weights.channels(), weights.transform().planes, rows >= MANY_ROWS);
        let distances = core::array::from_fn(|side| match is_by_channels {
            true => {
                let lines = channels[side] * rows * size_of::<T>() / LINE;
                let is_crowded = planes[side] > WAYS << (SETS.ilog2() - lines.trailing_zeros().min(SETS.ilog2()));
                let outer = if is_crowded { rows + GAP / size_of::<T>() } else { rows };
                (outer, channels[side] * outer)
            }
            false => (planes[side] * channels[side], channels[side]),
        });
        BatchBlock { weights, rows, is_by_channels, distances }
    }

    /// Elements of A and of the product.
    pub fn lengths(&self) -> [usize; 2] {
        let planes = self.weights.transform().planes;
        core::array::from_fn(|side| match self.is_by_channels {
            true => planes[side] * self.distances[side].1,
            false => self.rows * self.distances[side].0,
        })
    }

    /// The products of all passes: one for each row of A, or for all of A where its rows are adjacent.
    pub fn products(&self) -> impl Iterator<Item = BlockProduct> {
        let [(outer, plane), (outer_of_units, plane_of_units)] = self.distances;
        let calls = &self.weights.layer.calls[self.weights.direction as usize];
        calls.iter().filter(|call| self.rows != 1 || call.row == 0).map(move |call| {
            let [k, n, second_row] = call.second;
            let (m, a_row, c_row) = match self.rows {
                1 => (call.size, call.planes[0] * plane, call.planes[1] * plane_of_units),
                rows => (rows, outer, outer_of_units),
            };
            BlockProduct {
                shape: [m, n, k],
                is_by_channels: self.is_by_channels,
                rows: [a_row, second_row, c_row],
                at: [call.at, call.first[0] * plane, call.first[1] * plane_of_units],
            }
        })
    }
}

/// A product of A (m x k) and B (k x n).
pub struct BlockProduct {
    shape: [usize; 3],
    /// Whether A and the product are transposed.
    is_by_channels: bool,
    /// Leading dimensions of A, B and the product.
    rows: [usize; 3],
    /// Offsets of B, A and the product.
    at: [usize; 3],
}

impl BlockProduct {
    /// Whether one call of the kernel computes it.
    fn is_in_place<T: Element>(&self) -> bool {
        let ([_, _, k], [_, row, _]) = (self.shape, self.rows);
        k * row * size_of::<T>() <= if self.is_by_channels { IN_PLACE } else { IN_PLACE_BY_ROWS }
    }

    pub fn workspace_bytes<T: Element>(&self) -> Result<usize, Error> {
        if self.is_in_place::<T>() {
            return Ok(0);
        }
        let ([m, n, k], [a, b, c]) = (self.shape, self.rows.map(Strides::row_major));
        match self.is_by_channels {
            true => workspace_bytes::<T>([n, m, k], Strides::column_major(self.rows[1]), a, c, &Options::default()),
            false => workspace_bytes::<T>([m, n, k], a, b, c, &Options::default()),
        }
    }

    pub fn run<T: Element>(&self, second: &[T], first: &[T], to: &mut [T], workspace: &mut [T]) -> Result<(), Error> {
        let ([m, n, k], [a_row, b_row, c_row], [second_at, first_at, to_at]) = (self.shape, self.rows, self.at);
        let second = MatRef::row_major(&second[second_at..], k, n, b_row)?;
        let (first, to) = (&first[first_at..], &mut to[to_at..]);
        let (a, b, c) = match self.is_by_channels {
            true => (second.transposed(), MatRef::row_major(first, k, m, a_row)?, MatMut::row_major(to, n, m, c_row)?),
            false => (MatRef::row_major(first, m, k, a_row)?, second, MatMut::row_major(to, m, n, c_row)?),
        };
        if self.is_in_place::<T>() {
            return gemm_in_place(a, b, false, c);
        }
        gemm_in(T::ONE, a, b, T::ZERO, c, &Options::default(), Some(bytes(workspace)))
    }
}
