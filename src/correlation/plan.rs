//! The methods that count the pairs of an image, and the choice between them.

mod cost;

use alloc::vec::Vec;
use core::ops::Range;

use super::accumulator::Accumulator;
use super::add_points::EXACT;
use super::bins::Bins;
use super::boundary::Boundary;
use super::image::Image;
use super::points::Points;
use super::transform::Transform;
use crate::frame::error::Error;
use crate::frame::memory;
use crate::frame::pieces::{Ended, Pieces, unless_ended, whole};
use cost::Shape;

/// How the pairs of an [`Image`] are counted. All methods give the same counts and sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Row against row, with a table of all differences of x for each difference of y.
    Rows,
    /// As [`Points`], for a largest distance below 2^21.
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

/// Below this distance, differences of integers of which [`Points`] are made are exact in f32.
const WIDEST: f64 = (1 << 21) as f64;

/// Points per part of [`Method::Pairs`].
const FIRSTS: usize = 64;

impl<'a> PairPlan<'a> {
    /// The fastest method for `threads` threads among those whose memory besides the points, for each
    /// thread, is at most `memory` bytes. Only [`Method::Transform`], which is one part, can need more than
    /// about 100 bytes per point and 48 per column of the image; see [`PairPlan::bytes`].
    ///
    /// # Errors
    /// [`Error::NoMemory`].
    pub fn new(image: &'a Image, bins: &'a Bins, memory: usize, threads: usize) -> Result<Self, Error> {
        whole(|pieces| Way::fastest(image, bins, (memory, threads), pieces)).map(|way| PairPlan { image, bins, way })
    }

    /// Like [`PairPlan::new`]. Returns `None` soon after `go_on`, called some times in a millisecond, has returned
    /// false.
    ///
    /// # Errors
    /// [`Error::NoMemory`].
    pub fn new_while(
        image: &'a Image,
        bins: &'a Bins,
        memory: usize,
        threads: usize,
        mut go_on: impl FnMut() -> bool,
    ) -> Result<Option<Self>, Error> {
        let way = Way::fastest(image, bins, (memory, threads), &mut Pieces::new(&mut go_on));
        Ok(unless_ended(way)?.map(|way| PairPlan { image, bins, way }))
    }

    /// The given method, or `None` if it can't count these pairs exactly.
    ///
    /// # Errors
    /// [`Error::NoMemory`].
    pub fn by(method: Method, image: &'a Image, bins: &'a Bins) -> Result<Option<Self>, Error> {
        let way = whole(|pieces| Way::new(method, image, bins, pieces))?;
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
    fn fastest(
        image: &Image,
        bins: &Bins,
        (memory, threads): (usize, usize),
        pieces: &mut Pieces,
    ) -> Result<Way, Ended> {
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
        if bins.r_max() < WIDEST && cells(true) < best.1 && cells(is_exact_for_floats(bins)) < best.1 {
            best.0 = Method::Cells;
        }
        Ok(Way::new(best.0, image, bins, pieces)?.unwrap_or(Way::Rows))
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

    fn new(method: Method, image: &Image, bins: &Bins, pieces: &mut Pieces) -> Result<Option<Way>, Ended> {
        Ok(match method {
            Method::Rows => Some(Way::Rows),
            Method::Pairs => Some(Way::Pairs),
            Method::Transform => Transform::new(image, reach(bins)).map(Way::Transform),
            Method::Cells if bins.r_max() >= WIDEST => None,
            Method::Cells => {
                let [x, y] = image.reals()?;
                let psi = image.has_orientations().then(|| image.orientations());
                let points = Points::sorted((&x, &y, psi), Boundary::Open, bins.r_max(), pieces)?;
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
    if bins.r_max() > EXACT {
        return false;
    }
    let same = |edge: usize| {
        let square = f64::from(bins.of_floats(edge, 1.0));
        let least = square as u64 + u64::from(square > (square as u64) as f64);
        least == bins.of_integers()[edge]
    };
    (0..=bins.len()).all(same)
}

impl Accumulator {
    /// Adds the pairs of one part of a plan. All [parts](PairPlan::parts) together have all pairs of the image,
    /// each once.
    ///
    /// # Errors
    /// [`Error::Bins`] with the index of the first edge that differs from those of the plan;
    /// [`Error::NoMemory`].
    pub fn add_part(&mut self, plan: &PairPlan, part: usize) -> Result<(), Error> {
        self.add_part_while(plan, part, || true).map(|_| ())
    }

    /// Like [`Accumulator::add_part`]. Returns false soon after `go_on`, called some times in a millisecond, has
    /// returned false; only some of the pairs have then been added.
    ///
    /// # Errors
    /// Same as for [`Accumulator::add_part`].
    pub fn add_part_while(
        &mut self,
        plan: &PairPlan,
        part: usize,
        mut go_on: impl FnMut() -> bool,
    ) -> Result<bool, Error> {
        self.check_bins(plan.bins)?;
        if part >= plan.parts() {
            return Ok(true);
        }
        let added = self.add_by(plan.image, &plan.way, part, &mut Pieces::new(&mut go_on));
        unless_ended(added).map(|added| added.is_some())
    }

    fn add_by(&mut self, image: &Image, way: &Way, part: usize, pieces: &mut Pieces) -> Result<(), Ended> {
        match way {
            Way::Rows => self.add_rows(image, part as u32..part as u32 + 1, pieces),
            Way::Cells(points, as_reals) => {
                self.add_integers_of_cells(points, part * CELLS..(part + 1) * CELLS, *as_reals, pieces)
            }
            Way::Pairs => {
                for first in part * FIRSTS..image.len().min((part + 1) * FIRSTS) {
                    pieces.before(image.len() - first)?;
                    self.add_one_by_one(image, first..first + 1);
                }
                Ok(())
            }
            Way::Transform(transform) => self.add_transform(image, transform, pieces),
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
        let bins = self.bins.clone();
        whole(|pieces| {
            let way = Way::fastest(image, &bins, (memory, 1), pieces)?;
            (0..way.parts(image, &bins)).try_for_each(|part| self.add_by(image, &way, part, pieces))
        })
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
        let way = whole(|pieces| Way::fastest(&joined, &self.bins, (memory, 1), pieces))?;
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
        let parts = way.parts(&joined, &self.bins);
        whole(|pieces| (0..parts).try_for_each(|part| pairs.add_by(&joined, &way, part, pieces)))?;
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
