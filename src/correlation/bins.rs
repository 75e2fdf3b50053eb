//! Distance bins, for integer and for real coordinates.

use alloc::vec::Vec;

use crate::frame::error::Error;
use crate::frame::memory;
use crate::math::fused;
use crate::math::libm::sqrt_f32;

/// The maximum number of bins.
pub const MAX_BINS: usize = 65536;

/// Distance bins. Each bin includes its lower edge and excludes its upper edge.
///
/// For integer coordinates an edge e is exact: a pair is beyond it if dx^2 + dy^2 >= e^2. For real
/// coordinates the squared distance in `f32` is compared with e^2. In uniform bins, the number of a
/// pair's bin is instead the integer part of distance times 1 / width minus `lo` / width, each
/// rounded to `f32`. Real distances have a tolerance (see [`Points`](super::Points)): a pair closer to an edge
/// than that may be counted on either side of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Bins {
    edges: Vec<f64>,
    /// The smallest integer squared distance that is beyond each edge.
    squares: Vec<u64>,
    uniform: Option<Uniform<f64>>,
}

/// Uniform bins, numbered from 0. If they begin above 0, number 0 is for the distances below them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Uniform<T> {
    pub inverse_width: T,
    /// The lower end of number 0 in widths.
    pub start: T,
    /// The number of the first bin, 0 or 1.
    pub first: usize,
}

impl Uniform<f32> {
    /// The number of the bin at a squared distance, before it is cut off to an integer. Kernel
    /// `scatter` computes the same.
    pub fn number(self, square: f32) -> f32 {
        (sqrt_f32(square) * self.inverse_width).max(self.start) - self.start
    }
}

impl Bins {
    /// Bins of one width from `lo` to `hi`: edge k is `lo + k width`. The last bin ends at or below
    /// `hi`; an edge that exceeds `hi` only by rounding becomes `hi`.
    ///
    /// ```
    /// use hotloops::correlation::Bins;
    /// assert_eq!(Bins::uniform(0.0, 2.5, 0.5)?.edges(), [0.0, 0.5, 1.0, 1.5, 2.0, 2.5]);
    /// # Ok::<(), hotloops::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Bins`] if `lo` is negative, `width` is not positive, no bin fits between `lo` and
    /// `hi`, or one of them is not finite; [`Error::TooLarge`] for more than [`MAX_BINS`];
    /// [`Error::NoMemory`].
    pub fn uniform(lo: f64, hi: f64, width: f64) -> Result<Self, Error> {
        let bins = (hi - lo) / width;
        if !(lo >= 0.0 && width > 0.0 && bins.is_finite() && hi.is_finite() && width.is_finite()) {
            return Err(Error::Bins { index: 0 });
        }
        // Keeps a whole number of bins whole despite the rounding of the quotient.
        let bins = bins + bins * 1e-12;
        if bins > MAX_BINS as f64 + 0.5 {
            return Err(Error::TooLarge { argument: "bins" });
        }
        let edges = (0..bins as usize + 1).map(|k| (lo + k as f64 * width).min(hi));
        let mut bins = Self::new(memory::collected(edges)?)?;
        let first = usize::from(lo > 0.0);
        bins.uniform = Some(Uniform { inverse_width: 1.0 / width, start: lo / width - first as f64, first });
        Ok(bins)
    }

    /// Bins between given edges.
    ///
    /// ```
    /// use hotloops::{Error, correlation::Bins};
    /// assert_eq!(Bins::from_edges(&[0.0, 1.0, 2.5, 10.0])?.len(), 3);
    /// assert_eq!(Bins::from_edges(&[0.0, 2.0, 1.0]), Err(Error::Bins { index: 2 }));
    /// # Ok::<(), hotloops::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Bins`] with the index of the first edge that is negative, not finite, or not above
    /// the edge before it; if there are fewer than two edges, with their number.
    /// [`Error::TooLarge`] for more than [`MAX_BINS`]; [`Error::NoMemory`].
    pub fn from_edges(edges: &[f64]) -> Result<Self, Error> {
        Self::new(memory::collected(edges.iter().copied())?)
    }

    fn new(edges: Vec<f64>) -> Result<Self, Error> {
        let above = |index: usize| index == 0 || edges[index] > edges[index - 1];
        let wrong = (0..edges.len()).find(|&index| !(edges[index] >= 0.0 && edges[index].is_finite() && above(index)));
        if let Some(index) = wrong.or((edges.len() < 2).then_some(edges.len())) {
            return Err(Error::Bins { index });
        }
        if edges.len() > MAX_BINS + 1 {
            return Err(Error::TooLarge { argument: "bins" });
        }
        let squares = memory::collected(edges.iter().map(|&edge| least_integer_square(edge)))?;
        Ok(Bins { edges, squares, uniform: None })
    }

    /// The number of bins.
    #[must_use]
    #[allow(clippy::len_without_is_empty)] // there is always one
    pub fn len(&self) -> usize {
        self.edges.len() - 1
    }

    /// The edges; there is one more than bins.
    #[must_use]
    pub fn edges(&self) -> &[f64] {
        &self.edges
    }

    /// The last edge. Pairs at this distance or beyond are not counted.
    #[must_use]
    pub fn r_max(&self) -> f64 {
        self.edges[self.len()]
    }

    /// The uniform bins, if they are uniform, for distances multiplied by `scale`, a power of two.
    pub(super) fn as_uniform(&self, scale: f64) -> Option<Uniform<f32>> {
        let Uniform { inverse_width, start, first } = self.uniform?;
        let uniform = Uniform { inverse_width: (inverse_width / scale) as f32, start: start as f32, first };
        // Coinciding points are below any positive edge.
        let separate = first == 0 || uniform.number(0.0) < 1.0;
        (uniform.inverse_width.is_normal() && uniform.start.is_finite() && separate).then_some(uniform)
    }

    /// The smallest integer squared distance that is beyond each edge.
    pub(super) fn of_integers(&self) -> &[u64] {
        &self.squares
    }

    /// The bins of the differences (0, `dy`), (1, `dy`) and so on of integers, up to (`max_dx`, `dy`) or the
    /// last one that has a bin.
    pub(super) fn of_row(&self, dy: u64, max_dx: u64, bins: &mut Vec<Option<u32>>) -> Result<(), Error> {
        bins.clear();
        let (y2, end) = (dy * dy, self.squares[self.len()]);
        let mut bin = self.squares.partition_point(|&edge| edge <= y2);
        for r2 in (0..=max_dx).map(|dx| dx * dx + y2).take_while(|&r2| r2 < end) {
            while self.squares[bin] <= r2 {
                bin += 1;
            }
            memory::push(bins, bin.checked_sub(1).map(|bin| bin as u32))?;
        }
        Ok(())
    }

    /// The smallest squared distance in `f32` that is not less than the square of an edge; infinity if there
    /// is none. Distances and edges are multiplied by `scale`, a power of two.
    pub(super) fn of_exact_floats(&self, edge: usize, scale: f64) -> f32 {
        let square = least_float_square(self.edges[edge] * scale);
        // Coinciding points are below any positive edge.
        if self.edges[edge] > 0.0 { square.max(f32::from_bits(1)) } else { square }
    }

    /// The smallest squared distance in `f32` that is beyond an edge; infinity if there is none.
    /// Distances and edges are multiplied by `scale`, a power of two.
    pub(super) fn of_floats(&self, edge: usize, scale: f64) -> f32 {
        let Some(uniform) = self.as_uniform(scale) else {
            return self.of_exact_floats(edge, scale);
        };
        // Bisect the bits: positive floats have the order of their bits, and the bin never
        // decreases.
        let number = (uniform.first + edge) as f32;
        let beyond = |bits: u32| uniform.number(f32::from_bits(bits)) >= number;
        let (mut below, mut above) = (0, f32::INFINITY.to_bits());
        if beyond(below) {
            return 0.0;
        }
        while above - below > 1 {
            let middle = below + (above - below) / 2;
            *(if beyond(middle) { &mut above } else { &mut below }) = middle;
        }
        f32::from_bits(above)
    }
}

/// The smallest integer that is not less than the square of `edge`; at most `u64::MAX`.
fn least_integer_square(edge: f64) -> u64 {
    let (mantissa, exponent) = fused::magnitude(edge);
    let square = u128::from(mantissa) * u128::from(mantissa);
    match 2 * exponent {
        shift @ 0.. if square.leading_zeros() < shift as u32 + 64 => u64::MAX,
        shift @ 0.. => (square << shift) as u64,
        shift @ -127.. => {
            let whole = square >> -shift;
            let rest = u128::from(whole << -shift != square);
            u64::try_from(whole + rest).unwrap_or(u64::MAX)
        }
        _ => u64::from(square != 0),
    }
}

/// The smallest float that is not less than the square of `edge`.
fn least_float_square(edge: f64) -> f32 {
    let nearest = (edge * edge) as f32;
    // The square is rounded to f64 and then to f32, so `nearest` may be on either side of it. The
    // exact test decides between `nearest` and the adjacent floats.
    let bits = nearest.to_bits();
    let reaches =
        |bits: &u32| f32::from_bits(*bits).is_infinite() || !is_below_square(f64::from(f32::from_bits(*bits)), edge);
    (bits.saturating_sub(1)..=(bits + 1).min(f32::INFINITY.to_bits()))
        .find(reaches)
        .map_or(f32::INFINITY, f32::from_bits)
}

/// Whether `x`, which has 24 bits, is less than the square of `edge`.
fn is_below_square(x: f64, edge: f64) -> bool {
    // x - edge^2 by a fused operation has the sign of the exact difference.
    fused::fma_f64(-edge, edge, x) < 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_of_integers_are_exact() {
        for (edge, expected) in
            [(0.0, 0), (1.0, 1), (1.5, 3), (2.0, 4), (0.1, 1), (5e-324, 1), (3e9, 9_000_000_000_000_000_000)]
        {
            assert_eq!(least_integer_square(edge), expected, "{edge}");
        }
        assert_eq!(least_integer_square(1e300), u64::MAX);
        assert_eq!(least_integer_square(4_294_967_295.5), u64::MAX - (1 << 32) + 2);
        let root = 50f64.sqrt();
        assert_eq!(least_integer_square(root), 51, "the root is rounded up");
        assert_eq!(least_integer_square(f64::from_bits(root.to_bits() - 1)), 50);
    }

    #[test]
    fn edges_of_floats_separate_bins() {
        for (lo, hi, width) in [
            (0.0, 300.0, 1.0),
            (0.0, 10.0, 0.3),
            (0.0, 1e-3, 1e-6),
            (0.0, 1e30, 1e28),
            (0.25, 300.0, 0.1),
            (200.0, 210.0, 0.01),
            (0.5, 300.5, 1.0),
        ] {
            let bins = Bins::uniform(lo, hi, width).unwrap();
            let uniform = bins.as_uniform(1.0).unwrap();
            for edge in usize::from(lo == 0.0)..=bins.len() {
                let square = bins.of_floats(edge, 1.0);
                let bin = |square: f32| uniform.number(square) as usize;
                let number = uniform.first + edge;
                assert!(bin(square) >= number && bin(f32::from_bits(square.to_bits() - 1)) < number, "{width} {edge}");
                let distance = f64::from(square).sqrt();
                let error = (distance - bins.edges()[edge]).abs();
                assert!(error <= hi * 2f64.powi(-21) || square.is_infinite(), "{width} {edge}: {distance}");
            }
        }
        let bins = Bins::uniform(1e-12, 10.0, 1.0).unwrap();
        assert!(bins.of_floats(0, 1.0) > 0.0, "coinciding points are below a positive edge");
        let bins = Bins::from_edges(&[0.0, 0.1, 1.0, 7.3, 1e20]).unwrap();
        assert_eq!([0, 2, 4].map(|edge| bins.of_floats(edge, 1.0)), [0.0, 1.0, f32::INFINITY]);
        let square = bins.of_floats(1, 1.0);
        assert!(f64::from(square) >= 0.1 * 0.1 && f64::from(f32::from_bits(square.to_bits() - 1)) < 0.1 * 0.1);
    }
}
