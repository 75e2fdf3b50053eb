//! Constants and types of the kernels' contracts.

#[cfg(doc)]
use super::{lefevre, regular, rows};

/// Maximum number of domains of a [`Cell`]: the bits of the two words that [`rows()`] writes for
/// it.
pub const MAX_DOMAINS: u32 = 128;

/// Maximum number of iterations of Lefevre's test, which then answers "maybe".
pub(crate) const TURNS: u32 = 1024;

/// Bits of the fractions of [`lefevre()`] and [`regular()`]. Binary64 holds these and the
/// remainders of their products exactly.
pub(crate) const TEST_BITS: u32 = 52;

/// The whole circle: 1 in units of 2^-52.
pub(crate) const UNIT: f64 = (1_u64 << TEST_BITS) as f64;

/// Consecutive domains whose slopes lie between the same neighbours in a Farey sequence, for
/// [`rows()`].
///
/// Fractions are integers in units of 2^-32. A quantity is stored with its first and second
/// difference: its value in domain i is `q + i dq + i (i - 1) / 2 ddq`, modulo 2^32.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cell {
    /// The row coordinate of the strip, in units of 2^-32, with its differences.
    pub z: [u32; 3],
    /// The position on row 0, in units of 2^-32, with its differences.
    pub h: [u32; 3],
    /// The gap of the shorter vector times its length, in a unit that the cell chooses, with its
    /// difference.
    pub y: [i32; 2],
    /// The inverse of the unit of `y`: `per / y` is the inverse of gap times length.
    pub per: f32,
    /// The slope of a row is `per / y - ratio`.
    pub ratio: f32,
    /// The smallest `y`; smaller values count as this.
    pub min_y: f32,
    /// The largest row coordinate is `row_slope y + row_offset`.
    pub row_slope: f32,
    /// See `row_slope`.
    pub row_offset: f32,
    /// The strip's width on a row is `width per / y + slack`.
    pub width: f32,
    /// See `width`.
    pub slack: f32,
    /// The number of domains, at most [`MAX_DOMAINS`].
    pub count: u32,
}
