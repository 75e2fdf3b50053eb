//! The two coordinates of an open or a periodic plane.

use super::super::boundary::{self, Boundary, FARTHEST, PERIODS};
use crate::frame::error::Error;
use crate::math::float::Float;

/// The range of a coordinate.
#[derive(Clone, Copy)]
pub(super) struct Axis {
    pub length: f64,
    pub periodic: bool,
}

impl Axis {
    pub fn both<T: Float>(x: &[T], y: &[T], boundary: Boundary) -> Result<[Self; 2], Error> {
        Ok([Axis::new("x", x, boundary, 0)?, Axis::new("y", y, boundary, 1)?])
    }

    fn new<T: Float>(argument: &'static str, values: &[T], boundary: Boundary, axis: usize) -> Result<Self, Error> {
        let (period, farthest) = match boundary {
            Boundary::Periodic(periods) => {
                let period = periods[axis];
                if !(PERIODS[0]..=PERIODS[1]).contains(&period) {
                    return Err(Error::Periodic { argument });
                }
                (Some(period), f64::MAX)
            }
            Boundary::Open => (None, FARTHEST),
        };
        // Several minima and maxima at once. NaN spoils the sum of its lane.
        const LANES: usize = 8;
        let (mut min, mut max, mut zeros) = ([f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES], [0.0; LANES]);
        let mut add = |lane: usize, x: f64| {
            min[lane] = if x < min[lane] { x } else { min[lane] };
            max[lane] = if x > max[lane] { x } else { max[lane] };
            zeros[lane] += x * 0.0;
        };
        let (chunks, rest) = values.as_chunks::<LANES>();
        for values in chunks {
            for (lane, x) in values.iter().enumerate() {
                add(lane, x.to_f64());
            }
        }
        rest.iter().for_each(|x| add(0, x.to_f64()));
        let min = min.into_iter().fold(f64::INFINITY, f64::min);
        let max = max.into_iter().fold(f64::NEG_INFINITY, f64::max);
        if zeros != [0.0; LANES] || min < -farthest || max > farthest {
            boundary::check(argument, values, farthest)?;
        }
        Ok(Axis { length: period.unwrap_or(max - min), periodic: period.is_some() })
    }

    /// The coordinate, folded into the period if there is one.
    #[inline]
    pub fn local(&self, x: f64) -> f64 {
        if !self.periodic {
            return x;
        }
        if x.abs() >= self.length {
            return boundary::folded(x, self.length);
        }
        // The same without branches.
        let half = 0.5 * self.length;
        x - (if x >= half { self.length } else { 0.0 }) + (if x < -half { self.length } else { 0.0 })
    }

    /// The difference from one point to the nearest image of another. If two images are exactly
    /// half a period away, it is the difference of the coordinates folded into 0 to `length`.
    pub fn difference(&self, from: f64, to: f64) -> f64 {
        let (d, rest) = boundary::difference(from, to);
        match self.periodic {
            true if d >= 0.5 * self.length => (d - self.length) + rest,
            true if d <= -0.5 * self.length => (d + self.length) + rest,
            _ => d,
        }
    }

    /// The difference to the image closest to `displacement`, from that to any image.
    pub fn image(&self, any: f64, displacement: f64) -> f64 {
        let beyond = displacement - any;
        // The subtracted part is exact, so this adds a multiple of the period: 0 for an error of `displacement`.
        if self.periodic { any + (beyond - boundary::folded(beyond, self.length)) } else { any }
    }

    /// A lower bound of the magnitudes of differences between points of two intervals, as
    /// [`difference`](Axis::difference) rounds them: rounding is monotonic.
    #[inline]
    pub fn gap(&self, [a_min, a_max]: [f64; 2], [b_min, b_max]: [f64; 2]) -> f64 {
        let (right, left) = (b_min - a_max, a_min - b_max);
        let gap = right.max(left).max(0.0);
        if !self.periodic || gap == 0.0 {
            return gap;
        }
        // The images on either side. The allowance is for the rounding of three operations.
        let (right, left) =
            ((right + self.length).max(left - self.length), (left + self.length).max(right - self.length));
        (gap.min(right.max(0.0)).min(left.max(0.0)) - 1e-15 * self.length).max(0.0)
    }

    /// Whether points of two intervals are less than half a period apart without other images.
    pub fn is_plain(&self, [a_min, a_max]: [f64; 2], [b_min, b_max]: [f64; 2]) -> bool {
        !self.periodic || (b_max - a_min).max(a_max - b_min) < 0.5 * self.length
    }
}
