//! Rows of fingerprints in arrays of bytes.

use hotloops::hamming::BitRows;
use pyo3::prelude::*;

use crate::arrays::{Bytes, wrong};
use crate::raised;

/// Bytes of rows, times those compared with each, of a unit of work.
pub const UNIT: usize = 1 << 30;

/// The rows of an array of bytes, each of `bits` bits.
pub fn rows<'a>(name: &str, bytes: &'a Bytes<'_>, bits: Option<usize>) -> PyResult<BitRows<'a>> {
    let [n, width] = bytes.shape;
    let bits = bits.unwrap_or(8 * width);
    if bits > 8 * width {
        return Err(wrong("bits", format_args!("{bits} bits do not fit into the {width} bytes of a row of {name}")));
    }
    if bits == 0 && n > 0 {
        return Err(wrong(if width == 0 { name } else { "bits" }, "rows need at least one bit"));
    }
    BitRows::new(bytes.elements(), n, bits, width).map_err(raised)
}
