//! Convolutions whose points are transformed once, into an image with its padding.

mod pack;

use super::algebra::Pass;
use super::combine::{bytes, interleave, transpose_rows};
use super::linear::Direction;
use super::signature::Signature;
use super::transform::Transform;
use crate::error::Error;
use crate::matmul::{Activation, Bias, Element, Epilogue, MatMut, MatRef, Options, PackedB};
use crate::matmul::{gemm_packed, gemm_packed_with_epilogue};

/// Numbers of a block's products and results, which stay in the level 2 cache.
const BLOCK: usize = 1 << 16;

/// Points of a block, at least and at most.
const MIN_POINTS: usize = 24;
const MAX_POINTS: usize = 1024;

/// Numbers of a strip of the padded image, which stay in the level 2 cache.
const STRIP: usize = 1 << 17;

/// Columns of the first factor and of the product of a pass.
fn columns(pass: &Pass, direction: Direction) -> [usize; 2] {
    let [x, units] = [&pass.x, &pass.units].map(|forms| forms.len() / pass.size);
    if direction == Direction::Forward { [x, units] } else { [units, x] }
}

/// How the points of the results depend on those of the source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Geometry<const D: usize> {
    pub source: [usize; D],
    pub target: [usize; D],
    /// Points of padding before the source; if negative, points of the source that are left out.
    pub start: [isize; D],
    pub kernel: [usize; D],
    pub stride: [usize; D],
    pub dilation: [usize; D],
}

impl<const D: usize> Geometry<D> {
    /// Points of the padded source in each dimension, as far as it is read.
    fn padded(&self) -> [usize; D] {
        core::array::from_fn(|d| {
            (self.target[d].max(1) - 1) * self.stride[d] + (self.kernel[d] - 1) * self.dilation[d] + 1
        })
    }

    /// Adjacent taps of the last dimension that are adjacent in memory.
    fn taps_together(&self) -> usize {
        if self.dilation[D - 1] == 1 { self.kernel[D - 1] } else { 1 }
    }

    /// Products of a point: groups of adjacent taps.
    fn groups(&self) -> usize {
        self.kernel.iter().product::<usize>() / self.taps_together()
    }
}

/// Strips of the results along the first dimension, all of the same size: the last ones overlap.
struct Strips<const D: usize> {
    /// The points of a strip; its start is that of the first one.
    geometry: Geometry<D>,
    count: usize,
    all: usize,
}

impl<const D: usize> Strips<D> {
    /// Strips whose padded source has about [`STRIP`] numbers, if a point has `numbers`, but not so many
    /// that the points that adjacent strips share count.
    fn new(geometry: &Geometry<D>, numbers: usize) -> Self {
        let (padded, all) = (geometry.padded(), geometry.target[0]);
        let line = padded[1..].iter().product::<usize>().saturating_mul(numbers * geometry.stride[0]);
        let shared = (geometry.kernel[0] - 1) * geometry.dilation[0];
        let most = (STRIP / line.max(1)).max(8 * shared).max(1);
        let count = all.div_ceil(most).max(1);
        let mut geometry = *geometry;
        geometry.target[0] = all.div_ceil(count);
        Strips { geometry, count, all }
    }

    /// The first point of a strip.
    fn first(&self, number: usize) -> usize {
        (number * self.geometry.target[0]).min(self.all - self.geometry.target[0])
    }
}

/// The place of index `at` in an array of these extents.
fn coordinates<const D: usize>(mut at: usize, extents: [usize; D]) -> [usize; D] {
    let mut all = [0; D];
    for d in (0..D).rev() {
        (all[d], at) = (at % extents[d], at / extents[d]);
    }
    all
}

fn index<const D: usize>(at: [usize; D], extents: [usize; D]) -> usize {
    at.into_iter().zip(extents).fold(0, |index, (at, extent)| index * extent + at)
}

/// A convolution with its channels and its passes; none for [`Mode::Exact`](super::Mode::Exact).
#[derive(Clone, Copy, Debug)]
pub(super) struct Layer<'a> {
    pub signature: Signature,
    /// Channels of the source and of the results.
    pub channels: [usize; 2],
    pub passes: &'a [Pass],
    /// None for [`Mode::Exact`](super::Mode::Exact).
    pub transform: Option<&'a Transform>,
    pub direction: Direction,
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
    /// Calls `product` for each product of matrices: the rows and the columns of its weights for a
    /// tap, and the number of rows of the first factor for a point.
    fn each_product(&self, mut product: impl FnMut([usize; 2], usize)) {
        let [from, to] = self.channels;
        if self.passes.is_empty() {
            let blades = self.signature.blades();
            product([from * blades, to * blades], 1);
        }
        for pass in self.passes {
            let [k, n] = columns(pass, self.direction);
            product([k * from, n * to], pass.size);
        }
    }

    fn room<T: Element, const D: usize>(&self, geometry: &Geometry<D>, products: &[PackedB<T>]) -> Result<Room, Error> {
        let (padded, target) = (geometry.padded(), geometry.target);
        let (mut factors, mut columns) = (0, 0);
        self.each_product(|[k, n], size| {
            factors += k * size;
            columns += n * size;
        });
        let image = padded.iter().try_fold(factors, |all, &points| all.checked_mul(points));
        let too_large = Error::TooLarge { argument: "size" };
        let image = image.filter(|&all| all <= isize::MAX as usize / 16).ok_or(too_large)?;
        let (width, all) = (target[D - 1], columns.max(1));
        let most = (BLOCK / all).clamp(MIN_POINTS, MAX_POINTS);
        let points = width.min(most);
        let merges = D >= 2 && points == width && geometry.stride[D - 2..] == [1, 1];
        let mut lines = 1;
        let mut counts = [points, width.checked_rem(points).unwrap_or(0)];
        if merges {
            let height = target[D - 2];
            lines = ((most - width) / padded[D - 1] + 1).min(height.max(1));
            let count = |lines: usize| if lines == 0 { 0 } else { (lines - 1) * padded[D - 1] + width };
            counts = [count(lines), count(height % lines)];
        }
        let mut workspace = 0;
        let mut place = 0;
        let together = geometry.taps_together();
        self.each_product(|[k, n], size| {
            for packed in &products[place..place + geometry.groups()] {
                for count in counts {
                    let a_stride = k * geometry.stride[D - 1];
                    let bytes = packed.workspace_bytes(count, a_stride, n * size, &Options::default());
                    workspace = workspace.max(bytes.div_ceil(size_of::<T>()));
                }
                debug_assert_eq!(packed.rows(), together * k);
            }
            place += geometry.groups();
        });
        Ok(Room { padded: image, products: counts[0] * columns, workspace, lines, points })
    }

    /// Numbers of the workspace for an image.
    pub fn workspace_len<T: Element, const D: usize>(
        &self,
        geometry: &Geometry<D>,
        products: &[PackedB<T>],
    ) -> Result<usize, Error> {
        Ok(self.room(&self.strips(geometry).geometry, products)?.len())
    }

    fn strips<const D: usize>(&self, geometry: &Geometry<D>) -> Strips<D> {
        let mut numbers = 0;
        self.each_product(|[k, _], size| numbers += k * size);
        Strips::new(geometry, numbers)
    }

    /// The convolution of `images` images. `bias` has shape (blades, channels) or is empty.
    pub fn run<T: Element, const D: usize>(
        &self,
        geometry: &Geometry<D>,
        (products, bias): (&[PackedB<T>], &[T]),
        (images, source, target): (usize, &[T], &mut [T]),
        workspace: &mut [T],
    ) -> Result<(), Error> {
        let strips = self.strips(geometry);
        let room = self.room(&strips.geometry, products)?;
        let (padded, rest) = workspace.split_at_mut(room.padded);
        padded.fill(T::ZERO);
        let [from, to] = [source, &*target].map(|all| all.len() / images.max(1));
        let plane = geometry.target.iter().product::<usize>();
        for (image, strip) in (0..images * strips.count).map(|i| (i / strips.count, i % strips.count)) {
            let first = strips.first(strip);
            let mut geometry = strips.geometry;
            geometry.start[0] -= (first * geometry.stride[0]) as isize;
            if D == 1 {
                // The padding is elsewhere in each strip.
                padded.fill(T::ZERO);
            }
            self.transform(&geometry, &source[image * from..][..from], padded);
            let begin = first * (plane / strips.all.max(1)) * self.signature.blades();
            let target = (&mut target[image * to..][..to][begin..], plane);
            self.multiply(&geometry, &room, (products, bias), padded, target, rest)?;
        }
        Ok(())
    }

    /// The points of an image in the forms of the first factors: for each pass and row of the factor an
    /// image of (point, column, channel). For [`Mode::Exact`](super::Mode::Exact) an image of (point,
    /// channel, blade).
    fn transform<T: Element, const D: usize>(&self, geometry: &Geometry<D>, source: &[T], padded: &mut [T]) {
        let ([from, _], blades, last) = (self.channels, self.signature.blades(), D - 1);
        let (extents, points) = (geometry.padded(), geometry.source.iter().product::<usize>());
        let width = extents[last];
        // The points of a line that are inside the source, and the first one's place there.
        let begin = geometry.start[last].max(0) as usize;
        let skipped = (begin as isize - geometry.start[last]) as usize;
        let count = width.saturating_sub(begin).min(geometry.source[last].saturating_sub(skipped));
        let lines = extents[..last].iter().product::<usize>();
        for number in (0..lines).filter(|_| count > 0) {
            let mut all = extents;
            all[last] = 1;
            let at = coordinates(number, all);
            let mut place = [0; D];
            let inside = (0..last).all(|d| {
                place[d] = (at[d] as isize - geometry.start[d]) as usize;
                place[d] < geometry.source[d]
            });
            let first = number * width + begin;
            if !inside {
                let mut plane = 0;
                self.each_product(|[k, _], size| {
                    for _ in 0..size {
                        padded[plane + first * k..][..count * k].fill(T::ZERO);
                        plane += lines * width * k;
                    }
                });
                continue;
            }
            place[last] = skipped;
            let source = &source[index(place, geometry.source) * blades..];
            match self.transform {
                Some(transform) => transform.forms.apply(
                    [count, from, blades],
                    (source, blades, points * blades),
                    (padded, lines * width, first),
                ),
                None => {
                    let to = &mut padded[first * from * blades..][..count * from * blades];
                    interleave(blades, from, source, points * blades, to);
                }
            }
        }
    }

    /// The products of an image's points, block by block, and their results.
    fn multiply<T: Element, const D: usize>(
        &self,
        geometry: &Geometry<D>,
        room: &Room,
        (products, bias): (&[PackedB<T>], &[T]),
        padded: &[T],
        (target, plane): (&mut [T], usize),
        rest: &mut [T],
    ) -> Result<(), Error> {
        let ([from, to], blades, last) = (self.channels, self.signature.blades(), D - 1);
        let (extents, row, options) = (geometry.padded(), to * blades, Options::default());
        let width = geometry.target[last];
        let (all_points, lines) =
            (extents.iter().product::<usize>(), geometry.target[..last].iter().product::<usize>());
        let height = if D >= 2 { geometry.target[D - 2] } else { 1 };
        let (units, rest) = rest.split_at_mut(room.products);
        let groups = || {
            let mut taps = geometry.kernel;
            taps[last] /= geometry.taps_together();
            (0..geometry.groups()).map(move |group| {
                let tap = coordinates(group, taps);
                index(core::array::from_fn(|d| tap[d] * geometry.dilation[d]), extents)
            })
        };
        let mut line = 0;
        while line < lines {
            let some = room.lines.min(height - line % height);
            for point in (0..width).step_by(room.points.max(1)) {
                let points = room.points.min(width - point);
                let count = (some - 1) * extents[last] + points;
                let mut all = geometry.target;
                all[last] = 1;
                let mut at: [usize; D] = coordinates(line, all);
                at[last] = point;
                let first = index(core::array::from_fn(|d| at[d] * geometry.stride[d]), extents);
                let stride = geometry.stride[last];
                let place = |number: usize| ((line + number) * width + point) * blades;
                let Some(transform) = self.transform else {
                    let results = &mut units[..count * row];
                    let k = from * blades;
                    for (group, (packed, offset)) in products.iter().zip(groups()).enumerate() {
                        let a = MatRef::row_major(&padded[(first + offset) * k..], count, packed.rows(), stride * k)?;
                        let c = MatMut::row_major(results, count, row, row)?;
                        if group == 0 && !bias.is_empty() {
                            let epilogue = Epilogue { bias: Bias::Columns(bias), activation: Activation::Identity };
                            let rest = Some(bytes(rest));
                            gemm_packed_with_epilogue(T::ONE, a, packed, &epilogue, c, &options, rest)?;
                        } else {
                            let beta = if group == 0 { T::ZERO } else { T::ONE };
                            gemm_packed(T::ONE, a, packed, beta, c, &options, Some(bytes(rest)))?;
                        }
                    }
                    for number in 0..some {
                        let from = &results[number * extents[last] * row..][..points * row];
                        transpose_rows(
                            [points * blades, to],
                            (from, to),
                            (&mut target[place(number)..], plane * blades),
                        );
                    }
                    continue;
                };
                let (mut image, mut end, mut products) = (padded, 0, products);
                for pass in self.passes {
                    let [k, n] = columns(pass, self.direction);
                    let ([k, n], size) = ([k * from, n * to], pass.size);
                    let units = &mut units[end..][..count * size * n];
                    for r in 0..size {
                        for (group, (packed, offset)) in products.iter().zip(groups()).enumerate() {
                            let a =
                                MatRef::row_major(&image[(first + offset) * k..], count, packed.rows(), stride * k)?;
                            let c = MatMut::row_major(&mut units[r * n..], count, n, size * n)?;
                            let beta = if group == 0 { T::ZERO } else { T::ONE };
                            gemm_packed(T::ONE, a, packed, beta, c, &options, Some(bytes(rest)))?;
                        }
                        image = &image[all_points * k..];
                    }
                    products = &products[geometry.groups()..];
                    end += count * size * n;
                }
                for number in 0..some {
                    transform.blades.apply(
                        [points, to, blades],
                        (units, count, number * extents[last]),
                        bias,
                        (&mut target[place(number)..], blades, plane * blades),
                    );
                }
            }
            line += some;
        }
        Ok(())
    }
}
