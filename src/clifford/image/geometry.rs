//! How the points of an image's convolution lie in memory.

/// Elements of a cache line.
pub const LINE: usize = 16;

/// Elements of a strip of the padded image, which stay in the level 2 cache.
const STRIP: usize = 1 << 17;

/// Dimensions of an image. An image of fewer has one point, and its kernel one tap, in each leading dimension.
pub const D: usize = 3;

/// How the points of the results depend on those of the source.
#[derive(Clone, Copy, Debug)]
pub struct Geometry {
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
    pub fn padded(&self) -> [usize; D] {
        core::array::from_fn(|d| {
            (self.target[d].max(1) - 1) * self.stride[d] + (self.kernel[d] - 1) * self.dilation[d] + 1
        })
    }

    /// Taps of the last dimension that are adjacent in memory, if points are.
    pub fn taps_together(&self) -> usize {
        if self.dilation[D - 1] == 1 { self.kernel[D - 1] } else { 1 }
    }

    /// Products of a point, if points are adjacent: groups of adjacent taps.
    pub fn groups(&self) -> usize {
        self.taps() / self.taps_together()
    }

    pub fn taps(&self) -> usize {
        self.kernel.iter().product()
    }

    /// The points of the source that are read, which are adjacent: the first one and their number.
    pub fn source_points(&self) -> (usize, usize) {
        let (d, all) = (self.first, self.source[self.first] as isize);
        let begin = (-self.start[d]).clamp(0, all);
        let end = (self.padded()[d] as isize - self.start[d]).clamp(begin, all);
        let each = self.source[d + 1..].iter().product::<usize>();
        (begin as usize * each, (end - begin) as usize * each)
    }

    /// Their number at most, wherever the source starts.
    pub fn most_source_points(&self) -> usize {
        let d = self.first;
        self.source[d].min(self.padded()[d]) * self.source[d + 1..].iter().product::<usize>()
    }

    /// A plane of a padded image.
    pub fn plane(&self) -> Plane {
        let mut extents = self.padded();
        let phases = self.stride[D - 1];
        extents[D - 1] = extents[D - 1].div_ceil(phases);
        let all: usize = extents.iter().product();
        // The same points of different planes begin at different places of the cache.
        let next = (all * phases).div_ceil(LINE) | 1;
        Plane { extents, phases, all, next: next * LINE }
    }
}

/// Whether the lines of an image are several, and too short for vectors: then they are transformed together, and
/// copied one by one.
pub fn are_short(size: [usize; D]) -> bool {
    size[D - 1] < LINE && size[..D - 1].iter().any(|&lines| lines > 1)
}

/// A number for each point of a padded image: first the points of the last dimension whose places are multiples
/// of its stride, then those behind each of them, and so on, so that the points of adjacent results are adjacent.
pub struct Plane {
    /// Points of a phase in each dimension.
    pub extents: [usize; D],
    pub phases: usize,
    /// Points of a phase.
    all: usize,
    /// Elements from a plane to the next.
    pub next: usize,
}

impl Plane {
    /// The place of a point of the padded image.
    pub fn place(&self, mut at: [usize; D]) -> usize {
        let phase = at[D - 1] % self.phases;
        at[D - 1] /= self.phases;
        phase * self.all + index(at, self.extents)
    }
}

/// Strips of the results along the first dimension, all of the same size: the last ones overlap.
pub struct Strips {
    /// The points of a strip; its start is that of the first one.
    pub geometry: Geometry,
    pub count: usize,
    pub all: usize,
}

impl Strips {
    /// Strips whose padded source has about [`STRIP`] elements, if a point has `numbers`. Fewer, longer strips where
    /// the points that adjacent strips share would cost much.
    pub fn new(geometry: &Geometry, numbers: usize) -> Self {
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
    pub fn first(&self, number: usize) -> usize {
        let points = self.geometry.target[self.geometry.first];
        (number * points).min(self.all - points)
    }
}

/// The place of index `at` in an array of these extents.
pub fn coordinates(mut at: usize, extents: [usize; D]) -> [usize; D] {
    let mut all = [0; D];
    for d in (0..D).rev() {
        (all[d], at) = (at % extents[d], at / extents[d]);
    }
    all
}

pub fn index(at: [usize; D], extents: [usize; D]) -> usize {
    at.into_iter().zip(extents).fold(0, |index, (at, extent)| index * extent + at)
}
