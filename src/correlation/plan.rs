//! The methods that count the pairs of an image, and the choice between them.

use alloc::vec::Vec;
use core::ops::Range;

use super::accumulator::Accumulator;
use super::bins::Bins;
use super::boundary::Boundary;
use super::image::Image;
use super::points::{Points, TILE};
use super::transform::Transform;
use crate::frame::error::Error;
use crate::frame::memory;
use crate::math::libm::sqrt_f32;

/// How the pairs of an [`Image`] are counted. All methods give the same counts and sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Row against row, with a table of all differences of x for each difference of y.
    Rows,
    /// As [`Points`], for a largest distance up to 4096.
    Cells,
    /// Pair by pair, for few points far apart.
    Pairs,
    /// All differences at once, by number-theoretic transforms.
    Transform,
}

/// The pairs of an image in given bins, split into parts that threads can share.
///
/// ```
/// use hotloops::correlation::{Accumulator, Bins, Image, PairPlan, Psi};
/// let (x, y): (Vec<i32>, Vec<i32>) = (0..100).map(|i| (i * i % 83, i * 7 % 64)).unzip();
/// let image = Image::new(&x, &y, &[Psi::ONE; 100])?;
/// let bins = Bins::uniform(0.0, 50.0, 0.5)?;
/// let plan = PairPlan::new(&image, &bins, 1 << 30, 2)?;
/// let empty = Accumulator::new(bins.clone())?;
/// let mut pairs = empty.clone();
/// for part in 0..plan.parts() {
///     let mut some = empty.clone();
///     some.add_part(&plan, part)?;
///     pairs.merge(&some)?;
/// }
/// let mut whole = empty;
/// whole.add_image(&image)?;
/// assert_eq!(pairs, whole);
/// # Ok::<(), hotloops::Error>(())
/// ```
#[derive(Debug)]
pub struct PairPlan<'a> {
    image: &'a Image,
    bins: &'a Bins,
    way: Way,
}

#[derive(Debug)]
#[allow(clippy::large_enum_variant)] // there is one of them
enum Way {
    Rows,
    /// Whether the bins of integers are the same by a formula in f32.
    Cells(Points, bool),
    Pairs,
    Transform(Transform),
}

/// The memory that methods may take if the caller gives no limit.
const MEMORY: usize = 1 << 30;

/// Cells per part; one is too little work for a thread.
const CELLS: usize = 64;

/// Points per part of [`Method::Pairs`].
const FIRSTS: usize = 64;

/// Up to this distance, squares of distances of integers are exact in f32.
const EXACT: f64 = 4096.0;

impl<'a> PairPlan<'a> {
    /// The fastest method for `threads` threads among those whose memory besides the points, for each
    /// thread, is at most `memory` bytes. Only [`Method::Transform`], which is one part, can need more than
    /// about 100 bytes per point and 48 per column of the image; see [`PairPlan::bytes`].
    ///
    /// # Errors
    /// [`Error::NoMemory`].
    pub fn new(image: &'a Image, bins: &'a Bins, memory: usize, threads: usize) -> Result<Self, Error> {
        Ok(PairPlan { image, bins, way: Way::fastest(image, bins, memory, threads)? })
    }

    /// The given method, or `None` if it can't count these pairs exactly.
    ///
    /// # Errors
    /// [`Error::NoMemory`].
    pub fn by(method: Method, image: &'a Image, bins: &'a Bins) -> Result<Option<Self>, Error> {
        let way = Way::new(method, image, bins)?;
        Ok(way.map(|way| PairPlan { image, bins, way }))
    }

    /// The method.
    #[must_use]
    pub fn method(&self) -> Method {
        match self.way {
            Way::Rows => Method::Rows,
            Way::Cells(..) => Method::Cells,
            Way::Pairs => Method::Pairs,
            Way::Transform(_) => Method::Transform,
        }
    }

    /// About how many bytes [`Accumulator::add_part`] allocates.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match &self.way {
            Way::Rows => 48 * (self.image.width() as usize + 1),
            Way::Cells(..) => 100 * self.bins.len(),
            Way::Pairs => 0,
            Way::Transform(transform) => transform.bytes(self.image),
        }
    }

    /// The number of parts.
    #[must_use]
    pub fn parts(&self) -> usize {
        self.way.parts(self.image, self.bins)
    }
}

impl Way {
    fn fastest(image: &Image, bins: &Bins, memory: usize, threads: usize) -> Result<Way, Error> {
        let shape = Shape::new(image, bins);
        let share = 1.0 / threads.max(1) as f64;
        let transform = Transform::new(image, reach(bins)).filter(|transform| transform.bytes(image) <= memory);
        let mut best = (Method::Rows, shape.rows() * share);
        let mut offer = |method: Method, cost: f64| {
            if cost < best.1 {
                best = (method, cost);
            }
        };
        offer(Method::Pairs, shape.pairs() * share);
        if let Some(transform) = &transform {
            offer(Method::Transform, Shape::transform(image, transform));
        }
        // Whether edges are exact takes time to find out.
        let cells = |exact: bool| shape.cells(bins, exact) * share;
        if bins.r_max() <= EXACT && cells(true) < best.1 && cells(is_exact_for_floats(bins)) < best.1 {
            best.0 = Method::Cells;
        }
        Ok(Way::new(best.0, image, bins)?.unwrap_or(Way::Rows))
    }

    fn parts(&self, image: &Image, bins: &Bins) -> usize {
        match self {
            // Rows farther apart than the largest distance have no pairs.
            Way::Rows => u64::from(image.height()).min(reach(bins) - 1) as usize + 1,
            Way::Cells(points, _) => points.cells().div_ceil(CELLS),
            Way::Pairs => image.len().div_ceil(FIRSTS),
            Way::Transform(_) => 1,
        }
    }

    fn new(method: Method, image: &Image, bins: &Bins) -> Result<Option<Way>, Error> {
        Ok(match method {
            Method::Rows => Some(Way::Rows),
            Method::Pairs => Some(Way::Pairs),
            Method::Transform => Transform::new(image, reach(bins)).map(Way::Transform),
            Method::Cells if bins.r_max() > EXACT => None,
            Method::Cells => {
                let [x, y] = image.reals()?;
                let r_max = bins.r_max();
                let points = match image.has_orientations() {
                    true => Points::new(&x, &y, image.orientations(), Boundary::Open, r_max)?,
                    false => Points::of_positions(&x, &y, Boundary::Open, r_max)?,
                };
                Some(Way::Cells(points, is_exact_for_floats(bins)))
            }
        })
    }
}

/// Exclusive upper bound of |dx| and |dy| for pairs that fall into a bin.
fn reach(bins: &Bins) -> u64 {
    // Extents are below 2^21.
    bins.r_max().min(4e6) as u64 + 1
}

/// Whether the bins of integers are the same if their squared distances are in f32.
fn is_exact_for_floats(bins: &Bins) -> bool {
    let same = |edge: usize| {
        let square = f64::from(bins.of_floats(edge, 1.0));
        let least = square as u64 + u64::from(square > (square as u64) as f64);
        least == bins.of_integers()[edge]
    };
    (0..=bins.len()).all(same)
}

/// The maximum number of squares along each axis of a coarse map of the points.
const MAP: usize = 16;

/// Numbers about an image and bins, by which the costs of the methods are estimated.
struct Shape {
    n: f64,
    /// Pairs within the largest distance, and pairs within it in y only, about.
    near: f64,
    beside: f64,
    /// The columns of an image that have pairs, and the differences of y.
    columns: f64,
    differences: f64,
    /// Pairs of rows at each difference of y, about.
    rows: f64,
    /// Parts of rows that are compared at once.
    strips: f64,
    has_orientations: bool,
    /// The area of the parts of the map that have points.
    area: f64,
}

/// Costs are in nanoseconds of one core of a Xeon with AVX-512 at 3.6 GHz. Their ratios are about the same on
/// other CPUs.
impl Shape {
    /// The cost of the factors of short transforms.
    const FACTORS: f64 = 30_000.0;

    /// The cost of a unit of [`Transform::work`].
    const WORK: f64 = 0.275;

    fn new(image: &Image, bins: &Bins) -> Shape {
        let n = image.len() as f64;
        let r = reach(bins) as f64;
        let [width, height] = [image.width(), image.height()].map(|extent| f64::from(extent) + 1.0);
        let squares = if image.len() < 4096 { MAP / 2 } else { MAP };
        let sides = [width, height].map(|length| length / squares as f64);
        let mut map = [[0.0; MAP]; MAP];
        let place = |number: usize, side: f64| ((number as f64 + 0.5) / side) as usize % squares;
        image.for_each_point(0..image.height() as usize + 1, |_, column, row| {
            map[place(row, sides[1])][place(column, sides[0])] += 1.0;
        });
        // The share of the pairs of two squares `apart` squares apart that is within reach.
        let wide = |apart: usize, side: f64| ((r - apart as f64 * side) / side + 0.5).clamp(0.0, 1.0);
        let mut parts = [[0.0; MAP]; MAP];
        // Points of one square are closer than its side.
        let most = (core::f64::consts::PI * r * r / (sides[0] * sides[1])).min(1.0);
        for (up, parts) in parts.iter_mut().enumerate().take(squares) {
            for (right, part) in parts.iter_mut().enumerate().take(squares) {
                let [dx, dy] = [right as f64 * sides[0], up as f64 * sides[1]];
                let distance = f64::from(sqrt_f32((dx * dx + dy * dy) as f32));
                // Not `clamp`: its panic would link the formatting of numbers.
                *part = ((r - distance) / sides[0].max(sides[1]) + 0.5).max(0.0).min(most);
            }
        }
        let (mut near, mut beside) = (0.0, 0.0);
        for (up, row) in map.iter().enumerate().take(squares) {
            let mass: f64 = row.iter().sum();
            for (other_up, other) in map.iter().enumerate().take(squares) {
                let apart = up.abs_diff(other_up);
                beside += mass * other.iter().sum::<f64>() * wide(apart, sides[1]).min(2.0 * r / sides[1]);
                for (at, &mass) in row.iter().enumerate().filter(|(_, mass)| **mass > 0.0) {
                    for (other_at, &other_mass) in other.iter().enumerate() {
                        near += mass * other_mass * parts[apart][at.abs_diff(other_at)];
                    }
                }
            }
        }
        let occupied = map.iter().flatten().filter(|mass| **mass > 0.0).count();
        let rows = image.occupied_rows() as f64;
        let differences = r.min(height);
        Shape {
            n,
            near: 0.5 * near,
            beside: 0.5 * beside,
            columns: r.min(width),
            differences,
            rows: rows * rows / height * differences,
            strips: (width / r).min(n / rows).max(1.0),
            has_orientations: image.has_orientations(),
            area: occupied as f64 * sides[0] * sides[1],
        }
    }

    fn transform(image: &Image, transform: &Transform) -> f64 {
        Shape::FACTORS + transform.work(image) * Shape::WORK
    }

    fn rows(&self) -> f64 {
        self.rows_of_part(1.0)
    }

    /// The cost of a part of the pairs.
    fn rows_of_part(&self, part: f64) -> f64 {
        let pair = if self.has_orientations { 0.27 } else { 0.2 };
        // The points of a strip are compared with those within reach of any of them.
        let wide = if self.strips > 1.0 { 1.5 } else { 1.0 };
        part * pair * wide * self.near
            + 3.0 * self.differences * self.columns
            + part * self.rows * (20.0 + 40.0 * (self.strips - 1.0))
            + 20.0 * self.n
            + 20_000.0
    }

    fn cells(&self, bins: &Bins, exact: bool) -> f64 {
        // Pairs of tiles in one bin cost no more than one pair.
        let side = sqrt_f32((TILE as f64 * self.area / self.n.max(1.0)) as f32);
        let edges = 2.2 * f64::from(side) / (bins.r_max() / bins.len() as f64);
        let most = if exact { 0.7 } else { 3.0 };
        let pair = (0.1 + 0.13 * edges).min(most);
        pair * self.near + 200.0 * self.n + 300.0 * bins.len() as f64
    }

    fn pairs(&self) -> f64 {
        8.0 * self.beside + 50.0 * self.n
    }
}

impl Accumulator {
    /// Adds the pairs of one part of a plan. All [parts](PairPlan::parts) together have all pairs of the image,
    /// each once.
    ///
    /// # Errors
    /// [`Error::Bins`] with the index of the first edge that differs from those of the plan;
    /// [`Error::NoMemory`].
    pub fn add_part(&mut self, plan: &PairPlan, part: usize) -> Result<(), Error> {
        self.check_bins(plan.bins)?;
        if part < plan.parts() { self.add_by(plan.image, &plan.way, part) } else { Ok(()) }
    }

    fn add_by(&mut self, image: &Image, way: &Way, part: usize) -> Result<(), Error> {
        match way {
            Way::Rows => self.add_image_rows(image, part as u32..part as u32 + 1),
            Way::Cells(points, true) => self.add_points_of_cells(points, part * CELLS..(part + 1) * CELLS),
            Way::Cells(points, false) => self.add_integers_of_cells(points, part * CELLS..(part + 1) * CELLS),
            Way::Pairs => {
                self.add_one_by_one(image, part * FIRSTS..(part + 1) * FIRSTS);
                Ok(())
            }
            Way::Transform(transform) => self.add_transform(image, transform),
        }
    }

    /// Adds the pairs of an image, each once, by the fastest method that needs at most 1 GiB besides the
    /// points.
    ///
    /// # Errors
    /// [`Error::NoMemory`].
    pub fn add_image(&mut self, image: &Image) -> Result<(), Error> {
        self.add_image_within(image, MEMORY)
    }

    /// Adds the pairs of an image, each once, by the fastest method that needs at most `memory` bytes besides
    /// the points (see [`PairPlan`]).
    ///
    /// # Errors
    /// [`Error::NoMemory`].
    pub fn add_image_within(&mut self, image: &Image, memory: usize) -> Result<(), Error> {
        let way = Way::fastest(image, &self.bins, memory, 1)?;
        (0..way.parts(image, &self.bins)).try_for_each(|part| self.add_by(image, &way, part))
    }

    /// Adds the pairs of one point of `image` and one of `other`, by the fastest method that needs at most 1 GiB
    /// besides the points. Both use the same coordinates.
    ///
    /// # Errors
    /// [`Error::NoMemory`].
    pub fn add_image_cross(&mut self, image: &Image, other: &Image) -> Result<(), Error> {
        self.add_image_cross_within(image, other, MEMORY)
    }

    /// Adds the pairs of one point of `image` and one of `other`, by the fastest method that needs at most
    /// `memory` bytes besides the points.
    ///
    /// # Errors
    /// [`Error::NoMemory`].
    pub fn add_image_cross_within(&mut self, image: &Image, other: &Image, memory: usize) -> Result<(), Error> {
        // Without orientations of both, all sums are 0.
        let orientations = image.has_orientations() && other.has_orientations();
        let joined = match Image::joined(&[image, other], orientations) {
            // Too far apart for one image.
            Err(Error::TooLarge { .. }) => return self.add_rows_cross(image, other),
            joined => joined?,
        };
        let shape = Shape::new(&joined, &self.bins);
        let way = Way::fastest(&joined, &self.bins, memory, 1)?;
        let all = match way {
            Way::Rows => f64::INFINITY,
            Way::Cells(_, exact) => shape.cells(&self.bins, exact),
            Way::Pairs => shape.pairs(),
            Way::Transform(ref transform) => Shape::transform(&joined, transform),
        };
        let part = 2.0 * image.len() as f64 * other.len() as f64 / (shape.n * shape.n).max(1.0);
        if shape.rows_of_part(part) <= 2.0 * all {
            return self.add_rows_cross(image, other);
        }
        // The pairs of all points less those of each image, in the end: memory may run out before.
        let mut pairs = Accumulator::new(self.bins.clone())?;
        let mut own = Accumulator::new(self.bins.clone())?;
        for image in [image, other] {
            if image.has_orientations() == orientations {
                own.add_image_within(image, memory)?;
            } else {
                own.add_image_within(&Image::joined(&[image], orientations)?, memory)?;
            }
        }
        for part in 0..way.parts(&joined, &self.bins) {
            pairs.add_by(&joined, &way, part)?;
        }
        pairs.counts.iter_mut().zip(&own.counts).for_each(|(count, own)| *count -= own);
        pairs.sums.iter_mut().zip(&own.sums).for_each(|(sum, own)| *sum -= own);
        self.merge(&pairs)
    }

    /// Adds the pairs of a range of points with all that follow in the order of rows.
    fn add_one_by_one(&mut self, image: &Image, firsts: Range<usize>) {
        let squares = self.bins.of_integers();
        image.for_each_pair(firsts, reach(&self.bins) as u32, |r2, sum| {
            let beyond = squares.partition_point(|&edge| edge <= r2);
            if beyond > 0 && beyond < squares.len() {
                self.counts[beyond - 1] += 1;
                self.sums[beyond - 1] += i128::from(sum);
            }
        });
    }
}

impl Image {
    /// The coordinates in the order of rows, from 0 on.
    fn reals(&self) -> Result<[Vec<f64>; 2], Error> {
        let n = self.len();
        let (mut x, mut y) = (memory::with_capacity(n)?, memory::with_capacity(n)?);
        self.for_each_point(0..self.height() as usize + 1, |_, column, row| {
            x.push(column as f64);
            y.push(row as f64);
        });
        Ok([x, y])
    }
}
