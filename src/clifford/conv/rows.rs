//! Rows with the taps of each point, and rows of outputs.

use super::Window;
use super::inner::{Inner, Points};
use crate::clifford::image::D;
use crate::matmul::Element;

impl Inner {
    /// Calls `each` for the runs of taps along the last dimension, of `points` rows from `first` on: the
    /// row, the place of the run's first tap among the inputs of the row, and for each tap the place of
    /// its point in x, in multivectors; `None` in the padding.
    fn each_run(
        &self,
        points: &Points,
        first: usize,
        rows: usize,
        mut each: impl FnMut(usize, usize, &mut dyn Iterator<Item = Option<usize>>),
    ) {
        let Window { kernel, stride, padding, dilation } = self.window;
        let last = D - 1;
        let runs: usize = kernel[..last].iter().product();
        let width = points.size[last];
        for row in 0..rows {
            let (image, mut rest) = ((first + row) / points.counts[1], (first + row) % points.counts[1]);
            // The point of the first tap, before the padding is taken off.
            let mut origin = [0; D];
            for d in (0..D).rev() {
                origin[d] = rest % points.output[d] * stride[d];
                rest /= points.output[d];
            }
            for run in 0..runs {
                // The taps of the run differ in the last dimension only.
                let (mut tap, mut line, mut size, mut inside) = (run, 0, 1, true);
                for d in (0..last).rev() {
                    let at = (origin[d] + tap % kernel[d] * dilation[d]).wrapping_sub(padding[d]);
                    tap /= kernel[d];
                    inside &= at < points.size[d];
                    line += if at < points.size[d] { at * size } else { 0 };
                    size *= points.size[d];
                }
                for channel in 0..self.inputs {
                    let plane = (image * self.inputs + channel) * points.counts[0];
                    let start = plane + line * width;
                    let mut taps = (0..kernel[last]).map(|tap| {
                        let at = (origin[last] + tap * dilation[last]).wrapping_sub(padding[last]);
                        (inside && at < width).then(|| start + at)
                    });
                    each(row, (channel * runs + run) * kernel[last], &mut taps);
                }
            }
        }
    }

    /// The inputs of the points from `first` on, row by row.
    pub(super) fn gather<T: Element>(&self, points: &Points, first: usize, x: &[T], rows: &mut [T]) {
        let (blades, row) = (self.linear.signature().blades(), self.rows()[0]);
        let count = rows.len() / row;
        self.each_run(points, first, count, |r, place, taps| {
            for (to, tap) in rows[r * row + place * blades..].chunks_exact_mut(blades).zip(taps) {
                match tap {
                    Some(at) => to.copy_from_slice(&x[at * blades..][..blades]),
                    None => to.fill(T::ZERO),
                }
            }
        });
    }

    /// The other direction: adds the rows to their points.
    pub(super) fn scatter<T: Element>(&self, points: &Points, first: usize, rows: &[T], gx: &mut [T]) {
        let (blades, row) = (self.linear.signature().blades(), self.rows()[0]);
        self.each_run(points, first, rows.len() / row, |r, place, taps| {
            for (from, tap) in rows[r * row + place * blades..].chunks_exact(blades).zip(taps) {
                if let Some(at) = tap {
                    let to = gx[at * blades..][..blades].iter_mut();
                    to.zip(from).for_each(|(sum, &term)| *sum = *sum + term);
                }
            }
        });
    }

    /// Calls `each` for the multivectors of rows of outputs from `first` on, with their places in y.
    fn each_output(&self, points: &Points, first: usize, rows: usize, mut each: impl FnMut(usize, usize)) {
        for row in 0..rows {
            let (image, point) = ((first + row) / points.counts[1], (first + row) % points.counts[1]);
            for channel in 0..self.outputs {
                each(row * self.outputs + channel, (image * self.outputs + channel) * points.counts[1] + point);
            }
        }
    }

    pub(super) fn rows_of_output<T: Element>(&self, points: &Points, first: usize, y: &[T], rows: &mut [T]) {
        let (blades, count) = (self.linear.signature().blades(), rows.len() / self.rows()[1]);
        self.each_output(points, first, count, |place, at| {
            rows[place * blades..][..blades].copy_from_slice(&y[at * blades..][..blades]);
        });
    }
}
