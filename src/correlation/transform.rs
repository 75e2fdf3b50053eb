//! All differences of the points of an image at once, by number-theoretic transforms.
//!
//! The sums over all pairs at one difference d are the autocorrelation R(d) = sum of f(x) f(x + d) of a
//! field on the pixels: the number of points of a pixel, and both parts of the sum of their
//! orientations. The transform of R is F(k) F(-k), where F is that of f.
//!
//! Everything is computed modulo primes, so nothing is rounded. A count is less than half of one prime,
//! and a sum of products less than half of the product of two; [`Transform::new`] checks both bounds.

mod axis;
mod length;

use alloc::vec::Vec;
use core::ops::Range;

use super::accumulator::Accumulator;
use super::image::Image;
use super::modular::{PRIMES, Prime, signed};
use super::{ROW, ntt_multiply};
use crate::frame::error::Error;
use crate::frame::memory;
use crate::frame::pieces::{Ended, Pieces};
use crate::matmul::transpose_f32;
use axis::Axis;
use length::Length;

/// A square of numbers.
type Square = [[u32; ROW]; ROW];

/// Writes the columns of a square to rows at `to`, `stride` numbers apart.
fn transpose(square: &Square, to: &mut [u32], stride: usize) {
    assert!(to.len() >= (ROW - 1) * stride + ROW);
    let from = square.as_flattened().as_ptr().cast();
    // SAFETY: the square has 16 rows and columns, and there is room for as many; the kernel moves bits.
    unsafe { transpose_f32(ROW, ROW, from, ROW as isize, to.as_mut_ptr().cast(), stride as isize) }
}

/// Rows of a buffer.
fn row(buffer: &[u32], row: usize) -> &[u32; ROW] {
    &buffer.as_chunks::<ROW>().0[row]
}

fn row_mut(buffer: &mut [u32], row: usize) -> &mut [u32; ROW] {
    &mut buffer.as_chunks_mut::<ROW>().0[row]
}

/// The numbers on the pixels of an image whose autocorrelation is computed.
#[derive(Clone, Copy, PartialEq)]
enum Field {
    Points,
    Orientations,
}

/// How the pairs of an image are counted by transforms.
#[derive(Debug)]
pub(super) struct Transform {
    lengths: [Length; 2],
    /// The largest differences of x and y that count.
    lags: [usize; 2],
    /// Columns and rows of the image.
    sizes: [usize; 2],
}

impl Transform {
    /// For differences of x and y that are less than `reach`; `None` if a count or a sum may exceed its
    /// bound, or if there are no roots of unity for the length.
    pub fn new(image: &Image, reach: u64) -> Option<Transform> {
        let (most, energy) = image.self_correlation();
        // A difference and its mirror image add up.
        let fits = 2 * most < u64::from(PRIMES[1].p) && 4 * energy < Prime::product().into();
        let sizes = [image.width(), image.height()].map(|extent| extent as usize + 1);
        let lags = sizes.map(|size| (size - 1).min(usize::try_from(reach).unwrap_or(usize::MAX).saturating_sub(1)));
        let lengths = [0, 1].map(|axis| Length::of(sizes[axis] + lags[axis]));
        let has_roots =
            |length: &Length| PRIMES.iter().all(|prime| (prime.p as usize - 1).is_multiple_of(length.points()));
        (fits && lengths.iter().all(has_roots)).then_some(Transform { lengths, lags, sizes })
    }

    /// The number of blocks of 16 lines of the image.
    fn blocks(&self) -> usize {
        self.sizes[1].div_ceil(ROW)
    }

    /// The bytes that [`Accumulator::add_transform`] allocates, about.
    pub fn bytes(&self, image: &Image) -> usize {
        let plane = self.blocks() * ROW * self.lengths[0].points();
        let columns = 6 * ROW * self.lengths[1].points();
        let factors = (0..2).map(|axis| {
            let (length, size) = (self.lengths[axis], self.sizes[axis]);
            // Factors, roots, and two blocks.
            length.points() * (size.div_ceil(length.power) + length.parts(self.lags[axis]).count() + 2 + 2 * ROW)
        });
        let kept = (self.lags[0] + 1) * (self.lags[1] + 1);
        let fields = if image.has_orientations() { 2 } else { 1 };
        size_of::<u32>() * (fields * plane + columns + factors.sum::<usize>() + (fields - 1) * kept)
    }

    /// The operations, about.
    pub fn work(&self, image: &Image) -> f64 {
        let [x, y] = self.lengths;
        let [inputs_x, inputs_y] = [0, 1].map(|axis| self.sizes[axis].div_ceil(self.lengths[axis].power));
        let [outputs_x, outputs_y] = [0, 1].map(|axis| self.lengths[axis].parts(self.lags[axis]).count());
        let forward = x.work(inputs_x, x.m) * self.sizes[1] as f64 + y.work(inputs_y, y.m) * x.points() as f64;
        let inverse = y.work(y.m, outputs_y) * (x.points() / 2) as f64 + x.work(x.m, outputs_x) * self.lags[1] as f64;
        let pixels = (self.lags[0] * self.lags[1]) as f64;
        if image.has_orientations() { 5.0 * forward + 3.0 * inverse + 6.0 * pixels } else { forward + inverse }
    }

    fn axes(&self, prime: Prime) -> Result<[Axis; 2], Error> {
        let axis =
            |axis: usize, factor: u32| Axis::new(self.lengths[axis], prime, self.sizes[axis], self.lags[axis], factor);
        // The kernel of products divides by 2^32.
        Ok([axis(0, 1)?, axis(1, prime.remainder(1 << 32))?])
    }

    /// Transforms the rows of an image along x. Each block of 16 rows becomes as many rows as the
    /// transform is long, one lane for each row of the image.
    fn rows(
        &self,
        image: &Image,
        x: &Axis,
        plane: &mut [u32],
        field: impl Fn(usize) -> u32,
        pieces: &Pieces,
    ) -> Result<(), Ended> {
        let long = ROW * x.length.points();
        let mut block = memory::filled(ROW * x.input_rows(), 0)?;
        for (number, to) in plane.chunks_exact_mut(long).enumerate() {
            pieces.before(long)?;
            block.fill(0);
            let mut any = false;
            image.for_each_point(number * ROW..(number + 1) * ROW, |point, column, row| {
                let slot = &mut block[column * ROW + row];
                *slot = x.prime.sum(*slot, field(point));
                any = true;
            });
            if any {
                x.forward(&block, to);
            } else {
                to.fill(0);
            }
        }
        Ok(())
    }

    /// Replaces the first of the planes of [`rows`](Self::rows) by the transforms along x of the sums of
    /// their autocorrelations, for differences of y from 0 on.
    fn columns(&self, planes: &mut [Vec<u32>], along: Length, y: &Axis, pieces: &Pieces) -> Result<(), Ended> {
        let (length, long) = (y.length, ROW * along.points());
        let stride = ROW * length.points();
        let mut input = memory::filled(ROW * y.input_rows().max(ROW * self.blocks()), 0)?;
        let [mut a, mut b] = [memory::filled(planes.len() * stride, 0)?, memory::filled(planes.len() * stride, 0)?];
        let mut output = memory::filled(ROW * y.output_rows(), 0)?;
        let [mut square, mut turned] = [[[0; ROW]; ROW]; 2];
        for base in (0..along.points()).step_by(ROW) {
            let places: [usize; ROW] = core::array::from_fn(|lane| base + lane);
            let opposites = places.map(|place| along.opposite(place));
            // The columns at opposite places have the same products.
            if opposites[0].min(opposites[ROW - 1]) < base {
                continue;
            }
            pieces.before(2 * planes.len() * stride)?;
            for (columns, to) in [(&places, &mut a), (&opposites, &mut b)] {
                for (plane, to) in planes.iter().zip(to.chunks_exact_mut(stride)) {
                    for (block, rows) in plane.chunks_exact(long).zip(input.chunks_exact_mut(ROW * ROW)) {
                        for (row_of_square, &column) in square.iter_mut().zip(columns) {
                            *row_of_square = *row(block, column);
                        }
                        transpose(&square, rows, ROW);
                    }
                    y.forward(&input, to);
                }
            }
            self.multiply(&mut a, &b, planes.len(), y);
            y.inverse(&mut a, &mut output);
            for (number, block) in planes[0].chunks_exact_mut(long).enumerate().take(self.lags[1] / ROW + 1) {
                // Below, then above: both may have the same places.
                for (columns, above) in [(&opposites, false), (&places, true)] {
                    for (lane, row_of_square) in square.iter_mut().enumerate() {
                        let difference = (number * ROW + lane).min(self.lags[1]);
                        let dy = if above || difference == 0 { difference } else { length.points() - difference };
                        *row_of_square = *row(&output, y.output_row(dy));
                    }
                    transpose(&square, turned.as_flattened_mut(), ROW);
                    for (column, &row_of_square) in columns.iter().zip(&turned) {
                        *row_mut(block, *column) = row_of_square;
                    }
                }
            }
        }
        Ok(())
    }

    /// Multiplies each row of `a` by the opposite row of `b`, and adds up the products of all fields.
    fn multiply(&self, a: &mut [u32], b: &[u32], fields: usize, y: &Axis) {
        let (Length { m, power }, Prime { p, inverse, .. }) = (y.length, y.prime);
        let mut run = |rows: Range<usize>| {
            let (n, opposite) = (rows.len(), y.length.opposite(rows.start));
            assert!(rows.end <= m * power && opposite + 1 >= n && opposite < m * power);
            let stride = ROW * m * power;
            assert!(a.len() >= fields * stride && b.len() >= fields * stride);
            // SAFETY: all rows and their opposites are within each field; all numbers are below 4 p.
            unsafe {
                let (a, b) = (a.as_mut_ptr().add(ROW * rows.start), b.as_ptr().add(ROW * opposite));
                ntt_multiply(a, b, n, fields, stride, p, inverse);
            }
        };
        run(0..1);
        (0..power.ilog2()).for_each(|bit| run(1 << bit..2 << bit));
        (1..m).for_each(|r| run(r * power..(r + 1) * power));
    }

    /// Calls `each` for all differences of y with a row of residues: for each difference dx of x from 0
    /// on the sum over the pairs with dx or, if neither difference is 0, -dx.
    fn differences(
        &self,
        plane: &mut [u32],
        x: &Axis,
        mut each: impl FnMut(usize, &mut [u32]) -> Result<(), Error>,
        pieces: &Pieces,
    ) -> Result<(), Ended> {
        let (points, wide) = (x.length.points(), self.lags[0] + 1);
        let mut output = memory::filled(ROW * x.output_rows(), 0)?;
        let stride = wide.next_multiple_of(ROW);
        let mut rows = memory::filled(ROW * stride, 0)?;
        let (p, mut square) = (x.prime.p, [[0; ROW]; ROW]);
        for (number, block) in plane.chunks_exact_mut(ROW * points).enumerate().take(self.lags[1] / ROW + 1) {
            pieces.before(ROW * points)?;
            x.inverse(block, &mut output);
            for first in (0..wide).step_by(ROW) {
                for (lane, sums) in square.iter_mut().enumerate() {
                    let dx = (first + lane).min(self.lags[0]);
                    let [right, left] = [dx, points - dx].map(|dx| row(&output, x.output_row(dx % points)));
                    *sums = *right;
                    if dx > 0 {
                        for (sum, left) in sums.iter_mut().zip(left).skip(usize::from(number == 0)) {
                            *sum += left;
                        }
                    }
                    // From below 4 p.
                    for sum in sums {
                        *sum = (*sum).min(sum.wrapping_sub(2 * p));
                        *sum = (*sum).min(sum.wrapping_sub(p));
                    }
                }
                transpose(&square, &mut rows[first..], stride);
            }
            for (lane, row) in rows.chunks_exact_mut(stride).enumerate() {
                if number * ROW + lane <= self.lags[1] {
                    each(number * ROW + lane, &mut row[..wide])?;
                }
            }
        }
        Ok(())
    }

    /// The residues of all differences, as for [`differences`](Self::differences), of the correlation of
    /// a field.
    fn residues(
        &self,
        image: &Image,
        planes: &mut [Vec<u32>],
        (field, prime): (Field, Prime),
        each: impl FnMut(usize, &mut [u32]) -> Result<(), Error>,
        pieces: &Pieces,
    ) -> Result<(), Ended> {
        let [x, y] = self.axes(prime)?;
        let planes = match field {
            Field::Points => &mut planes[..1],
            Field::Orientations => planes,
        };
        for (part, plane) in planes.iter_mut().enumerate() {
            match field {
                Field::Points => self.rows(image, &x, plane, |_| 1, pieces)?,
                Field::Orientations => {
                    self.rows(image, &x, plane, |point| prime.signed(image.psi_part(point, part)), pieces)?;
                }
            }
        }
        self.columns(planes, x.length, &y, pieces)?;
        self.differences(&mut planes[0], &x, each, pieces)
    }
}

impl Accumulator {
    /// Adds the pairs of an image, each once. If memory runs out or the caller ends it, nothing is added.
    pub(super) fn add_transform(&mut self, image: &Image, transform: &Transform, pieces: &Pieces) -> Result<(), Ended> {
        let mut all = Accumulator::new(self.bins.clone())?;
        all.add_correlations(image, transform, pieces)?;
        Ok(self.merge(&all)?)
    }

    fn add_correlations(&mut self, image: &Image, transform: &Transform, pieces: &Pieces) -> Result<(), Ended> {
        let wide = transform.lags[0] + 1;
        let mut bins = Vec::new();
        let mut planes = [Vec::new(), Vec::new()];
        for plane in &mut planes[..if image.has_orientations() { 2 } else { 1 }] {
            *plane = pieces.filled(transform.blocks() * ROW * transform.lengths[0].points(), 0)?;
        }
        let add_counts = |dy: usize, counts: &mut [u32]| {
            self.bins.of_row(dy as u64, transform.lags[0] as u64, &mut bins)?;
            if dy == 0 {
                counts[0] = image.without_self(counts[0].into(), 0).0 as u32;
            }
            let mut counts = &counts[..];
            for run in bins.chunk_by(|a, b| a == b) {
                let (here, rest) = counts.split_at(run.len());
                counts = rest;
                if let Some(bin) = run[0] {
                    self.add(bin as usize, here.iter().map(|&count| u64::from(count)).sum(), 0);
                }
            }
            Ok(())
        };
        transform.residues(image, &mut planes, (Field::Points, PRIMES[0]), add_counts, pieces)?;
        if !image.has_orientations() {
            return Ok(());
        }
        let mut first = memory::filled(wide * (transform.lags[1] + 1), 0)?;
        let keep = |dy: usize, sums: &mut [u32]| {
            first[wide * dy..][..wide].copy_from_slice(sums);
            Ok(())
        };
        transform.residues(image, &mut planes, (Field::Orientations, PRIMES[0]), keep, pieces)?;
        let add_sums = |dy: usize, sums: &mut [u32]| {
            self.bins.of_row(dy as u64, transform.lags[0] as u64, &mut bins)?;
            let mut pairs = first[wide * dy..].iter().zip(&*sums).map(|(&a, &b)| signed(a, b)).enumerate();
            for run in bins.chunk_by(|a, b| a == b) {
                let sums = pairs.by_ref().take(run.len());
                let sums = sums.map(|(dx, sum)| match dy + dx {
                    0 => image.without_self(image.len() as u64, sum.into()).1,
                    _ => i128::from(sum),
                });
                let sum = sums.sum();
                if let Some(bin) = run[0] {
                    self.add(bin as usize, 0, sum);
                }
            }
            Ok(())
        };
        transform.residues(image, &mut planes, (Field::Orientations, PRIMES[1]), add_sums, pieces)
    }
}
