//! Convolutions whose points are transformed once, into an image with its padding.

mod geometry;
mod pack;

use alloc::vec::Vec;

pub(super) use self::geometry::{D, Geometry};
use self::geometry::{LINE, Strips, are_short, coordinates, index};
use super::combine::{bytes, interleave, transpose_rows};
use super::layout::Direction;
use super::linear::{Step, planes};
use super::signature::Signature;
use super::transform::Transform;
use crate::frame::error::Error;
use crate::frame::pieces::{Ended, Pieces};
use crate::matmul::{Activation, Bias, Element, Epilogue, MatMut, MatRef, Options, PackedB};
use crate::matmul::{Strides, gemm_in, gemm_packed, gemm_packed_with_epilogue, workspace_bytes};

/// Elements of a block's products and results, which stay in the level 2 cache.
const BLOCK: usize = 1 << 15;

/// Minimum points of a block.
const MIN_POINTS: usize = 24;

/// Maximum elements of the factors and results of one product for the points of a block, so that they stay in the level
/// 1 cache from tap to tap. Never fewer points than `NEAR_POINTS`, which amortise a kernel call.
const NEAR: usize = 6 << 10;
const NEAR_POINTS: usize = 128;

/// Cost model: a kernel call costs as much as `CALL` multiply-adds.
const CALL: usize = 1 << 10;

/// A convolution with its channels and its passes; none for [`Mode::Exact`](super::Mode::Exact).
#[derive(Clone, Copy, Debug)]
pub(super) struct Layer<'a> {
    pub signature: Signature,
    /// Channels of the source and of the results.
    pub channels: [usize; 2],
    pub passes: &'a [Step],
    /// None for [`Mode::Exact`](super::Mode::Exact).
    pub transform: Option<&'a Transform>,
    pub direction: Direction,
}

/// The weights of a layer, in the caller's memory.
#[derive(Clone, Debug)]
pub(super) struct Weights<'a, T> {
    /// For [`Mode::Exact`](super::Mode::Exact), one for each group of taps; else none.
    pub products: Vec<PackedB<'a, T>>,
    /// The second factors of all passes, for each of all taps, in rows.
    pub factors: &'a [T],
    /// Shape (blades, channels), or empty.
    pub bias: &'a [T],
}

/// The parts of a workspace, in elements, and the blocks.
struct Room {
    padded: usize,
    /// For the transforms of short lines.
    lines_together: usize,
    products: usize,
    workspace: usize,
    /// Lines of a block, and points of a line.
    lines: usize,
    points: usize,
}

impl Room {
    fn len(&self) -> usize {
        self.padded + self.lines_together + self.products + self.workspace
    }
}

impl Layer<'_> {
    /// Elements of a point in the padded image and in the products: planes times channels.
    fn numbers(&self) -> [usize; 2] {
        match self.transform {
            Some(transform) => core::array::from_fn(|side| transform.planes[side] * self.channels[side]),
            None => self.channels.map(|channels| channels * self.signature.blades()),
        }
    }

    fn room<T: Element>(&self, geometry: &Geometry, products: &[PackedB<T>]) -> Result<Room, Error> {
        let (padded, target, options) = (geometry.padded(), geometry.target, Options::default());
        let [factors, columns] = self.numbers();
        let too_large = Error::TooLarge { argument: "size" };
        let fits = |all: &usize| *all <= isize::MAX as usize / 32;
        let points = padded.iter().try_fold(factors.max(1), |all, &points| all.checked_mul(points));
        points.filter(fits).ok_or(too_large)?;
        let image = match self.transform {
            Some(_) => geometry.plane().next.checked_mul(factors).filter(fits).ok_or(too_large)?,
            None => padded.iter().product::<usize>() * factors,
        };
        let width = target[D - 1];
        let passes = self.passes.iter().map(|step| {
            let [depth, width] = planes(&step.pass, self.direction);
            [depth * self.channels[0], width * self.channels[1]]
        });
        let [k, n] = match self.transform {
            Some(_) => passes.clone().fold([0; 2], |[k, n], of_pass| [k.max(of_pass[0]), n.max(of_pass[1])]),
            None => [geometry.taps_together() * factors, columns],
        };
        let near = (NEAR / (k + n).max(1)).max(NEAR_POINTS);
        let most = (BLOCK / columns.max(1)).max(MIN_POINTS).min(near);
        let points = width.min(most);
        // Lines are computed together, with the points of the padding between them, unless these take longer than
        // calls for each line. Points of factors are columns of a product, so that they fill whole vectors.
        let between = match self.transform {
            Some(_) => padded[D - 1].saturating_sub(width.next_multiple_of(LINE)),
            None => padded[D - 1] - width,
        };
        let merges = points == width
            && geometry.stride[D - 2..] == [1, 1]
            && between.saturating_mul(k).saturating_mul(n) <= CALL;
        let mut lines = 1;
        let mut counts = [points, width.checked_rem(points).unwrap_or(0)];
        if merges {
            let height = target[D - 2];
            lines = ((most - width) / padded[D - 1] + 1).min(height.max(1));
            let count = |lines: usize| if lines == 0 { 0 } else { (lines - 1) * padded[D - 1] + width };
            counts = [count(lines), count(height % lines)];
        }
        let mut workspace = 0;
        for count in counts {
            for packed in products {
                let a_stride = factors * geometry.stride[D - 1];
                workspace = workspace.max(packed.workspace_bytes(count, a_stride, columns, &options));
            }
            for [k, n] in passes.clone() {
                let rows = [geometry.plane().next, count].map(Strides::row_major);
                let second = Strides::column_major(n);
                workspace = workspace.max(workspace_bytes::<T>([n, count, k], second, rows[0], rows[1], &options)?);
            }
        }
        let workspace = workspace.div_ceil(size_of::<T>());
        let [source, target] = [geometry.source, target].map(are_short);
        let lines_together = usize::max(
            if source { factors * geometry.most_source_points() } else { 0 },
            if target { self.channels[1] * self.signature.blades() * counts[0] } else { 0 },
        );
        let lines_together = if self.transform.is_some() { lines_together } else { 0 };
        Ok(Room { padded: image, lines_together, products: counts[0] * columns, workspace, lines, points })
    }

    /// Elements of the workspace for an image.
    pub fn workspace_len<T: Element>(&self, geometry: &Geometry, weights: &Weights<T>) -> Result<usize, Error> {
        Ok(self.room(&self.strips(geometry).geometry, &weights.products)?.len())
    }

    fn strips(&self, geometry: &Geometry) -> Strips {
        Strips::new(geometry, self.numbers()[0])
    }

    /// The convolution of `images` images.
    pub fn run<T: Element>(
        &self,
        geometry: &Geometry,
        weights: &Weights<T>,
        (images, source, target): (usize, &[T], &mut [T]),
        workspace: &mut [T],
        pieces: &mut Pieces,
    ) -> Result<(), Ended> {
        let strips = self.strips(geometry);
        let room = self.room(&strips.geometry, &weights.products)?;
        let (padded, rest) = workspace.split_at_mut(room.padded);
        let (together, rest) = rest.split_at_mut(room.lines_together);
        padded.fill(T::ZERO);
        let [from, to] = [source, &*target].map(|all| all.len() / images.max(1));
        let plane = geometry.target.iter().product::<usize>();
        for (image, strip) in (0..images * strips.count).map(|i| (i / strips.count, i % strips.count)) {
            pieces.next()?;
            let first = strips.first(strip);
            let mut geometry = strips.geometry;
            geometry.start[geometry.first] -= (first * geometry.stride[geometry.first]) as isize;
            if geometry.first == D - 1 {
                // The padding is elsewhere in each strip.
                padded.fill(T::ZERO);
            }
            self.transform(&geometry, &source[image * from..][..from], padded, together);
            let begin = first * (plane / strips.all.max(1)) * self.signature.blades();
            let target = (&mut target[image * to..][..to][begin..], plane);
            match self.transform {
                Some(transform) => {
                    let rest = (&mut *together, &mut *rest);
                    self.multiply_factors((&geometry, &room, pieces), (weights, transform), padded, target, rest)?
                }
                None => self.multiply((&geometry, &room, pieces), weights, padded, target, rest)?,
            }
        }
        Ok(())
    }

    /// The points of an image: a [`Plane`](geometry::Plane) for each form of the first factors and each channel. For
    /// [`Mode::Exact`](super::Mode::Exact) an image of (point, channel, blade).
    fn transform<T: Element>(&self, geometry: &Geometry, source: &[T], padded: &mut [T], together: &mut [T]) {
        let ([from, _], blades, last) = (self.channels, self.signature.blades(), D - 1);
        let (extents, points) = (geometry.padded(), geometry.source.iter().product::<usize>());
        let width = extents[last];
        // The points of a line that are inside the source, and the first one's place there.
        let begin = geometry.start[last].max(0) as usize;
        let skipped = (begin as isize - geometry.start[last]) as usize;
        let count = width.saturating_sub(begin).min(geometry.source[last].saturating_sub(skipped));
        let (lines, plane, row) = (extents[..last].iter().product::<usize>(), geometry.plane(), self.numbers()[0]);
        // The first place of each phase in a plane, its first point of a line, and the number of these.
        let phases = |mut at: [usize; D]| {
            let plane = &plane;
            (0..plane.phases.min(count)).map(move |p| {
                at[last] = begin + p;
                (plane.place(at), p, (count - p).div_ceil(plane.phases))
            })
        };
        let short = self.transform.filter(|_| plane.phases == 1 && are_short(geometry.source));
        let (first_together, n_together) = geometry.source_points();
        if let Some(transform) = short {
            transform.forms.forms(
                [from, n_together, blades],
                (&source[first_together * blades..], points * blades, blades),
                (together, n_together, from * n_together),
            );
        }
        for number in (0..lines).filter(|_| count > 0) {
            let mut all = extents;
            all[last] = 1;
            let at = coordinates(number, all);
            let mut place = [0; D];
            let inside = (0..last).all(|d| {
                place[d] = (at[d] as isize - geometry.start[d]) as usize;
                place[d] < geometry.source[d]
            });
            place[last] = skipped;
            let begin_of_line = if inside { index(place, geometry.source) } else { 0 };
            let source = &source[begin_of_line * blades..];
            let first = number * width + begin;
            match self.transform {
                Some(transform) => {
                    for (to, p, count) in phases(at) {
                        if inside && short.is_some() {
                            for form in 0..row {
                                let from = &together[form * n_together + begin_of_line - first_together..][..count];
                                padded[to + form * plane.next..][..count].copy_from_slice(from);
                            }
                        } else if inside {
                            transform.forms.forms(
                                [from, count, blades],
                                (&source[p * blades..], points * blades, plane.phases * blades),
                                (&mut padded[to..], plane.next, from * plane.next),
                            );
                        } else {
                            (0..row).for_each(|form| padded[to + form * plane.next..][..count].fill(T::ZERO));
                        }
                    }
                }
                None => {
                    let to = &mut padded[first * row..][..count * row];
                    if inside {
                        interleave(blades, from, source, points * blades, to);
                    } else {
                        to.fill(T::ZERO);
                    }
                }
            }
        }
    }

    /// The blocks of the results: the first line of each, its lines, its first point of a line, and its points.
    fn blocks(&self, geometry: &Geometry, room: &Room) -> impl Iterator<Item = [usize; 4]> {
        let (lines, width) = (geometry.target[..D - 1].iter().product::<usize>(), geometry.target[D - 1]);
        let height = geometry.target[D - 2];
        let (most, points) = (room.lines, room.points.max(1));
        let mut line = 0;
        core::iter::from_fn(move || {
            let first = (line < lines).then_some(line)?;
            let some = most.min(height - first % height);
            line += some;
            Some((0..width).step_by(points).map(move |point| [first, some, point, points.min(width - point)]))
        })
        .flatten()
    }

    /// The first point of the padded image that counts for a point of the results.
    fn origin(geometry: &Geometry, line: usize, point: usize) -> [usize; D] {
        let mut all = geometry.target;
        all[D - 1] = 1;
        let mut at = coordinates(line, all);
        at[D - 1] = point;
        core::array::from_fn(|d| at[d] * geometry.stride[d])
    }

    /// The products of an image's points, block by block, and their results, for
    /// [`Mode::Exact`](super::Mode::Exact).
    fn multiply<T: Element>(
        &self,
        (geometry, room, pieces): (&Geometry, &Room, &mut Pieces),
        weights: &Weights<T>,
        padded: &[T],
        (target, plane): (&mut [T], usize),
        rest: &mut [T],
    ) -> Result<(), Ended> {
        let ([from, to], blades, last) = (self.channels, self.signature.blades(), D - 1);
        let (extents, row, options) = (geometry.padded(), to * blades, Options::default());
        let (width, stride, k) = (geometry.target[last], geometry.stride[last], from * blades);
        let (results, rest) = rest.split_at_mut(room.products);
        let mut taps = geometry.kernel;
        taps[last] /= geometry.taps_together();
        for [line, some, point, points] in self.blocks(geometry, room) {
            pieces.next()?;
            let count = (some - 1) * extents[last] + points;
            let first = index(Self::origin(geometry, line, point), extents);
            let results = &mut results[..count * row];
            for (group, packed) in weights.products.iter().enumerate() {
                let tap = coordinates(group, taps);
                let offset = index(core::array::from_fn(|d| tap[d] * geometry.dilation[d]), extents);
                let a = MatRef::row_major(&padded[(first + offset) * k..], count, packed.rows(), stride * k)?;
                let c = MatMut::row_major(results, count, row, row)?;
                if group == 0 && !weights.bias.is_empty() {
                    let epilogue = Epilogue { bias: Bias::Columns(weights.bias), activation: Activation::Identity };
                    gemm_packed_with_epilogue(T::ONE, a, packed, &epilogue, c, &options, Some(bytes(rest)))?;
                } else {
                    let beta = if group == 0 { T::ZERO } else { T::ONE };
                    gemm_packed(T::ONE, a, packed, beta, c, &options, Some(bytes(rest)))?;
                }
            }
            for number in 0..some {
                let from = &results[number * extents[last] * row..][..points * row];
                let place = ((line + number) * width + point) * blades;
                transpose_rows([points * blades, to], (from, to), (&mut target[place..], plane * blades));
            }
        }
        Ok(())
    }

    /// The products of an image's points, block by block and tap by tap, and their results.
    fn multiply_factors<T: Element>(
        &self,
        (geometry, room, pieces): (&Geometry, &Room, &mut Pieces),
        (weights, transform): (&Weights<T>, &Transform),
        padded: &[T],
        (target, plane_of_target): (&mut [T], usize),
        (together, rest): (&mut [T], &mut [T]),
    ) -> Result<(), Ended> {
        let ([from, to], blades, last) = (self.channels, self.signature.blades(), D - 1);
        let (plane, width, options) = (geometry.plane(), geometry.target[last], Options::default());
        let line_of_products = plane.extents[last];
        let (units, rest) = rest.split_at_mut(room.products);
        for [line, some, point, points] in self.blocks(geometry, room) {
            pieces.next()?;
            let count = (some - 1) * line_of_products + points;
            let first = Self::origin(geometry, line, point);
            let (mut products, mut factors) = (&mut *units, weights.factors);
            for step in self.passes {
                let ([depth, columns], [(of_pass, planes), _]) =
                    (planes(&step.pass, self.direction), step.places(self.direction));
                let [k, n] = [depth * from, columns * to];
                for row in 0..step.pass.size {
                    let image = &padded[(of_pass + row * planes) * from * plane.next..];
                    let (product, other_products) = products.split_at_mut(n * count);
                    for tap in 0..geometry.taps() {
                        let at = coordinates(tap, geometry.kernel);
                        let place = plane.place(core::array::from_fn(|d| first[d] + at[d] * geometry.dilation[d]));
                        let a = MatRef::row_major(&factors[tap * k * n..], k, n, n)?.transposed();
                        let b = MatRef::row_major(&image[place..], k, count, plane.next)?;
                        let c = MatMut::row_major(product, n, count, count)?;
                        let beta = if tap == 0 { T::ZERO } else { T::ONE };
                        gemm_in(T::ONE, a, b, beta, c, &options, Some(bytes(rest)))?;
                    }
                    products = other_products;
                }
                factors = &factors[geometry.taps() * k * n..];
            }
            let is_together = some > 1 && are_short(geometry.target);
            if is_together {
                let (units, bias) = ((&units[..], count, to * count), (weights.bias, false));
                transform.blades.blades([to, count], units, bias, (&mut *together, count * blades, blades));
            }
            for number in 0..some {
                let place = ((line + number) * width + point) * blades;
                if is_together {
                    for channel in 0..to {
                        let from =
                            &together[(channel * count + number * line_of_products) * blades..][..points * blades];
                        target[place + channel * plane_of_target * blades..][..points * blades].copy_from_slice(from);
                    }
                    continue;
                }
                transform.blades.blades(
                    [to, points],
                    (&units[number * line_of_products..], count, to * count),
                    (weights.bias, false),
                    (&mut target[place..], plane_of_target * blades, blades),
                );
            }
        }
        Ok(())
    }
}
