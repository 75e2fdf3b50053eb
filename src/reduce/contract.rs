//! Constants that fix the results: lanes, quanta and ranges.

/// Sums of [`binned_f64()`](super::binned_f64()). The quantum of each is `2^STEP` quanta of the next.
pub(super) const LEVELS: usize = 3;
pub(super) const STEP: i32 = 40;

/// Magnitudes of [`binned_f64()`](super::binned_f64()) are below `2^TOP` quanta of the last sum.
pub(super) const TOP: i32 = LEVELS as i32 * STEP - 1;

/// Largest number of elements in a call of [`binned_f64()`](super::binned_f64()).
pub(super) const BINNED_MAX: usize = 8192;

/// Largest number of pairs in a call of [`products_f64()`](super::products_f64()), which adds two
/// numbers for each.
pub(super) const PRODUCTS_MAX: usize = BINNED_MAX / 2;

/// Lanes of `sum`, `asum` and `dot`.
pub(super) const LANES_F32: usize = 64;
pub(super) const LANES_F64: usize = 32;

/// Lanes of `sum2` and `dot2`.
pub(super) const PAIRS_F32: usize = 32;
pub(super) const PAIRS_F64: usize = 16;

/// Lanes of `kahan`.
pub(super) const KAHAN_F32: usize = 128;
pub(super) const KAHAN_F64: usize = 64;

/// Largest difference between the exponents of the elements of an exact sum.
///
/// With E the exponent of the smallest element (other than 0), all elements are multiples of
/// 2^(E - 23) and less than 2^(E + 17). So a sum of 2^13 elements is at most 2^53 such multiples, and
/// additions in any order are exact.
pub(super) const SPAN: u32 = 16;
