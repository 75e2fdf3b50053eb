//! Convolutions whose points are transformed once, into an image with its padding.

mod pack;

use alloc::vec::Vec;

use super::combine::{bytes, interleave, transpose_rows};
use super::linear::{Direction, Step, planes};
use super::signature::Signature;
use super::transform::Transform;
use crate::error::Error;
use crate::matmul::{Activation, Bias, Element, Epilogue, MatMut, MatRef, Options, PackedB};
use crate::matmul::{Strides, gemm_in, gemm_packed, gemm_packed_with_epilogue, workspace_bytes};

/// Numbers of a block's products and results, which stay in the level 2 cache.
const BLOCK: usize = 1 << 15;

/// Points of a block, at least.
const MIN_POINTS: usize = 24;

/// Numbers of the factors and of the results of a product, for the points of a block: these stay in the level 1
/// cache from tap to tap. If few points have so many, a block has as many points as make calls worth while.
const NEAR: usize = 6 << 10;
const NEAR_POINTS: usize = 128;

/// Numbers of a line of the caches.
const LINE: usize = 16;

/// Multiply-adds that take as long as a call of a kernel.
const CALL: usize = 1 << 10;

/// Numbers of a strip of the padded image, which stay in the level 2 cache.
const STRIP: usize = 1 << 17;

/// Dimensions of an image. One of fewer has one point, and kernels one tap, in each of those in front.
pub(super) const D: usize = 3;

/// How the points of the results depend on those of the source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Geometry {
    /// The first dimension that the image has.
    pub first: usize,
    pub source: [usize; D],
    pub target: [usize; D],
    /// Points of padding before the source; if negative, points of the source that are left out.
    pub start: [isize; D],
    pub kernel: [usize; D],
    pub stride: [usize; D],
    pub dilation: [usize; D],
}

impl Geometry {
    /// Points of the padded source in each dimension, as far as it is read.
    fn padded(&self) -> [usize; D] {
        core::array::from_fn(|d| {
            (self.target[d].max(1) - 1) * self.stride[d] + (self.kernel[d] - 1) * self.dilation[d] + 1
        })
    }

    /// Taps of the last dimension that are adjacent in memory, if points are.
    fn taps_together(&self) -> usize {
        if self.dilation[D - 1] == 1 { self.kernel[D - 1] } else { 1 }
    }

    /// Products of a point, if points are adjacent: groups of adjacent taps.
    fn groups(&self) -> usize {
        self.taps() / self.taps_together()
    }

    fn taps(&self) -> usize {
        self.kernel.iter().product()
    }

    /// A plane of a padded image.
    fn plane(&self) -> Plane {
        let mut extents = self.padded();
        let phases = self.stride[D - 1];
        extents[D - 1] = extents[D - 1].div_ceil(phases);
        let all: usize = extents.iter().product();
        // The same points of different planes begin at different places of the cache.
        let next = (all * phases).div_ceil(LINE) | 1;
        Plane { extents, phases, all, next: next * LINE }
    }
}

/// A number for each point of a padded image: first the points of the last dimension whose places are multiples
/// of its stride, then those behind each of them, and so on, so that the points of adjacent results are adjacent.
struct Plane {
    /// Points of a phase in each dimension.
    extents: [usize; D],
    phases: usize,
    /// Points of a phase.
    all: usize,
    /// Numbers from a plane to the next.
    next: usize,
}

impl Plane {
    /// The place of a point of the padded image.
    fn place(&self, mut at: [usize; D]) -> usize {
        let phase = at[D - 1] % self.phases;
        at[D - 1] /= self.phases;
        phase * self.all + index(at, self.extents)
    }
}

/// Strips of the results along the first dimension, all of the same size: the last ones overlap.
struct Strips {
    /// The points of a strip; its start is that of the first one.
    geometry: Geometry,
    count: usize,
    all: usize,
}

impl Strips {
    /// Strips whose padded source has about [`STRIP`] numbers, if a point has `numbers`, but not so many
    /// that the points that adjacent strips share count.
    fn new(geometry: &Geometry, numbers: usize) -> Self {
        let d = geometry.first;
        let (padded, all) = (geometry.padded(), geometry.target[d]);
        let line = padded[d + 1..].iter().product::<usize>().saturating_mul(numbers * geometry.stride[d]);
        let shared = (geometry.kernel[d] - 1) * geometry.dilation[d];
        let most = (STRIP / line.max(1)).max(8 * shared).max(1);
        let count = all.div_ceil(most).max(1);
        let mut geometry = *geometry;
        geometry.target[d] = all.div_ceil(count);
        Strips { geometry, count, all }
    }

    /// The first point of a strip.
    fn first(&self, number: usize) -> usize {
        let points = self.geometry.target[self.geometry.first];
        (number * points).min(self.all - points)
    }
}

/// The place of index `at` in an array of these extents.
fn coordinates(mut at: usize, extents: [usize; D]) -> [usize; D] {
    let mut all = [0; D];
    for d in (0..D).rev() {
        (all[d], at) = (at % extents[d], at / extents[d]);
    }
    all
}

fn index(at: [usize; D], extents: [usize; D]) -> usize {
    at.into_iter().zip(extents).fold(0, |index, (at, extent)| index * extent + at)
}

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
    /// Numbers of shape (blades, channels), or none.
    pub bias: &'a [T],
}

/// The parts of a workspace, in numbers, and the blocks.
struct Room {
    padded: usize,
    products: usize,
    workspace: usize,
    /// Lines of a block, and points of a line.
    lines: usize,
    points: usize,
}

impl Room {
    fn len(&self) -> usize {
        self.padded + self.products + self.workspace
    }
}

impl Layer<'_> {
    /// Numbers of a point in the padded image and in the products: planes and channels.
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
        Ok(Room { padded: image, products: counts[0] * columns, workspace, lines, points })
    }

    /// Numbers of the workspace for an image.
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
    ) -> Result<(), Error> {
        let strips = self.strips(geometry);
        let room = self.room(&strips.geometry, &weights.products)?;
        let (padded, rest) = workspace.split_at_mut(room.padded);
        padded.fill(T::ZERO);
        let [from, to] = [source, &*target].map(|all| all.len() / images.max(1));
        let plane = geometry.target.iter().product::<usize>();
        for (image, strip) in (0..images * strips.count).map(|i| (i / strips.count, i % strips.count)) {
            let first = strips.first(strip);
            let mut geometry = strips.geometry;
            geometry.start[geometry.first] -= (first * geometry.stride[geometry.first]) as isize;
            if geometry.first == D - 1 {
                // The padding is elsewhere in each strip.
                padded.fill(T::ZERO);
            }
            self.transform(&geometry, &source[image * from..][..from], padded);
            let begin = first * (plane / strips.all.max(1)) * self.signature.blades();
            let target = (&mut target[image * to..][..to][begin..], plane);
            match self.transform {
                Some(transform) => {
                    self.multiply_factors(&geometry, &room, (weights, transform), padded, target, rest)?
                }
                None => self.multiply(&geometry, &room, weights, padded, target, rest)?,
            }
        }
        Ok(())
    }

    /// The points of an image: a [`Plane`] for each form of the first factors and each channel. For
    /// [`Mode::Exact`](super::Mode::Exact) an image of (point, channel, blade).
    fn transform<T: Element>(&self, geometry: &Geometry, source: &[T], padded: &mut [T]) {
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
            let source = if inside { &source[index(place, geometry.source) * blades..] } else { &[] };
            let first = number * width + begin;
            match self.transform {
                Some(transform) => {
                    for (to, p, count) in phases(at) {
                        if inside {
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
        geometry: &Geometry,
        room: &Room,
        weights: &Weights<T>,
        padded: &[T],
        (target, plane): (&mut [T], usize),
        rest: &mut [T],
    ) -> Result<(), Error> {
        let ([from, to], blades, last) = (self.channels, self.signature.blades(), D - 1);
        let (extents, row, options) = (geometry.padded(), to * blades, Options::default());
        let (width, stride, k) = (geometry.target[last], geometry.stride[last], from * blades);
        let (results, rest) = rest.split_at_mut(room.products);
        let mut taps = geometry.kernel;
        taps[last] /= geometry.taps_together();
        for [line, some, point, points] in self.blocks(geometry, room) {
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
        geometry: &Geometry,
        room: &Room,
        (weights, transform): (&Weights<T>, &Transform),
        padded: &[T],
        (target, plane_of_target): (&mut [T], usize),
        rest: &mut [T],
    ) -> Result<(), Error> {
        let ([from, to], blades, last) = (self.channels, self.signature.blades(), D - 1);
        let (plane, width, options) = (geometry.plane(), geometry.target[last], Options::default());
        let line_of_products = plane.extents[last];
        let (units, rest) = rest.split_at_mut(room.products);
        for [line, some, point, points] in self.blocks(geometry, room) {
            let count = (some - 1) * line_of_products + points;
            let first = Self::origin(geometry, line, point);
            let (mut image, mut products, mut factors) = (padded, &mut *units, weights.factors);
            for Step { pass, .. } in self.passes {
                let [depth, columns] = planes(pass, self.direction);
                let [k, n] = [depth * from, columns * to];
                for _ in 0..pass.size {
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
                    image = &image[k * plane.next..];
                    products = other_products;
                }
                factors = &factors[geometry.taps() * k * n..];
            }
            for number in 0..some {
                let place = ((line + number) * width + point) * blades;
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
