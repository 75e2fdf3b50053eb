//! Points with real coordinates, sorted into cells.

use alloc::vec::Vec;

use super::Psi;
use super::boundary::Boundary;
use super::cells::Cells;
use super::frame::{Frame, MAX_SIDE};
use crate::error::Error;
use crate::error::exactly;
use crate::float::Float;
use crate::memory;

/// Points with real coordinates, sorted into square cells.
///
/// Coordinates and periods are `f64`; `f32` is converted exactly. The error of a distance is at
/// most 2^-18 `r_max` (or 2^-18 of the last edge of the bins, if that is larger), independent of
/// the positions of the points and of other points. Differences are exact for coordinates that are
/// multiples of one power of two, at least 2^-20 `r_max`; so integers are exact for an `r_max` up
/// to 2^20. Counts and sums are those of an [`Image`](super::Image) then.
///
/// Only cells that have points exist. So stray points, separate clusters and empty space cost
/// nothing, and a stray point changes no bit of the pairs of the others (in an open plane whose
/// extent without it exceeds `r_max`).
///
/// A point takes about 32 bytes, and 64 during sorting; 100 at most, if each has a cell of its own.
/// Counting takes 64 bytes per bin. The cells are the units of work that threads can share:
///
/// ```
/// use hotloops::correlation::{Accumulator, Bins, Boundary, Points, Psi};
/// let (x, y): (Vec<f64>, Vec<f64>) = (0..100).map(|i| (0.7 * f64::from(i * i % 83), f64::from(i * 7 % 64))).unzip();
/// let bins = Bins::uniform(0.0, 20.0, 0.5)?;
/// let points = Points::new(&x, &y, &[Psi::ONE; 100], Boundary::Periodic([70.0, 64.0]), bins.r_max())?;
/// let empty = Accumulator::new(bins)?;
/// let (mut whole, mut even, mut odd) = (empty.clone(), empty.clone(), empty);
/// whole.add_points(&points)?;
/// for cell in 0..points.cells() {
///     let part = if cell % 2 == 0 { &mut even } else { &mut odd };
///     part.add_points_of_cells(&points, cell..cell + 1)?;
/// }
/// even.merge(&odd)?;
/// assert_eq!(even, whole);
/// # Ok::<(), hotloops::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Points {
    /// Scaled positions.
    pub(super) at: Vec<[f64; 2]>,
    /// Positions relative to the references of the cells.
    pub(super) x: Vec<f32>,
    pub(super) y: Vec<f32>,
    /// Empty if pairs are only counted.
    pub(super) psi: Vec<Psi>,
    pub(super) cells: Cells,
    /// The smallest and the largest x and y of the points of each cell, relative to its reference.
    pub(super) boxes: Vec<[[f32; 2]; 2]>,
    pub(super) frame: Frame,
    /// Cells whose points are compared one by one, in f64, because f32 would lose digits: some lie
    /// far outside. Ascending.
    pub(super) far: Vec<usize>,
    /// The largest scaled difference of a coordinate from the origin of the frame.
    pub(super) farthest: f64,
}

impl Points {
    /// Sorts points: point i is at (`x[i]`, `y[i]`) and has the orientation `psi[i]`; pairs up to
    /// the distance `r_max` can be counted.
    ///
    /// # Errors
    /// [`Error::Length`] if the slices differ in length; [`Error::Coordinate`] for a coordinate
    /// that is not finite, or, in an open plane, above 10^300 in magnitude or above 10^300 `r_max`;
    /// [`Error::Periodic`] for a period that is not between 10^-290 and 10^290, or less than twice
    /// `r_max`; [`Error::Bins`] if `r_max` is not positive and finite; [`Error::NoMemory`].
    pub fn new<T: Float>(x: &[T], y: &[T], psi: &[Psi], boundary: Boundary, r_max: f64) -> Result<Self, Error> {
        exactly("psi", x.len(), psi.len())?;
        Self::sorted(x, y, Some(psi), boundary, r_max)
    }

    /// Sorts points without orientations: all products and sums are 0, and counting is faster.
    ///
    /// ```
    /// use hotloops::correlation::{Accumulator, Bins, Boundary, Points};
    /// let points = Points::of_positions(&[0.0, 3.5, 3.5], &[0.0, 0.0, 1.0], Boundary::Open, 5.0)?;
    /// let mut pairs = Accumulator::new(Bins::from_edges(&[0.0, 1.0, 3.6, 5.0])?)?;
    /// pairs.add_points(&points)?;
    /// assert_eq!(pairs.bins().map(|bin| bin.count).collect::<Vec<_>>(), [0, 2, 1]);
    /// # Ok::<(), hotloops::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as for [`Points::new`].
    pub fn of_positions<T: Float>(x: &[T], y: &[T], boundary: Boundary, r_max: f64) -> Result<Self, Error> {
        Self::sorted(x, y, None, boundary, r_max)
    }

    fn sorted<T: Float>(x: &[T], y: &[T], psi: Option<&[Psi]>, boundary: Boundary, r_max: f64) -> Result<Self, Error> {
        exactly("y", x.len(), y.len())?;
        Self::in_frame(x, y, psi, Frame::new(x, y, boundary, r_max)?)
    }

    /// Sorts other points into the cells of `self`, so that pairs of one point of each set can be
    /// counted.
    ///
    /// # Errors
    /// Same as for [`Points::new`].
    pub fn others<T: Float>(&self, x: &[T], y: &[T], psi: &[Psi]) -> Result<Self, Error> {
        exactly("psi", x.len(), psi.len())?;
        Self::in_frame(x, y, Some(psi), self.frame)
    }

    /// Sorts other points without orientations into the cells of `self`. All sums of pairs with
    /// them are 0.
    ///
    /// # Errors
    /// Same as for [`Points::new`].
    pub fn others_of_positions<T: Float>(&self, x: &[T], y: &[T]) -> Result<Self, Error> {
        Self::in_frame(x, y, None, self.frame)
    }

    fn in_frame<T: Float>(x: &[T], y: &[T], psi: Option<&[Psi]>, frame: Frame) -> Result<Self, Error> {
        exactly("y", x.len(), y.len())?;
        frame.check(0, x)?;
        frame.check(1, y)?;
        let at = |i: usize| [frame.position(0, x[i].to_f64()), frame.position(1, y[i].to_f64())];
        let n = x.len();
        let places = memory::collected((0..n).map(|i| frame.place(at(i))))?;
        let (cells, order) = Cells::sorted(&places)?;
        drop(places);
        let mut points = Points {
            at: memory::with_capacity(n)?,
            x: memory::with_capacity(n)?,
            y: memory::with_capacity(n)?,
            psi: memory::with_capacity(psi.map_or(0, <[Psi]>::len))?,
            boxes: memory::filled(cells.len(), [[f32::INFINITY, f32::NEG_INFINITY]; 2])?,
            far: Vec::new(),
            farthest: 0.0,
            cells,
            frame,
        };
        for cell in 0..points.cells.len() {
            let place = points.cells.places[cell];
            let reference = [0, 1].map(|axis| frame.axes[axis].reference(place[axis]));
            let mut is_far = false;
            for &i in &order[points.cells.points(cell..cell + 1)] {
                let at = at(i);
                let mut local = [0.0; 2];
                for axis in 0..2 {
                    let x = at[axis] - reference[axis];
                    is_far |= x.abs() > MAX_SIDE;
                    points.farthest = points.farthest.max((at[axis] - frame.origin[axis]).abs());
                    local[axis] = x as f32;
                    let side = &mut points.boxes[cell][axis];
                    *side = [side[0].min(local[axis]), side[1].max(local[axis])];
                }
                points.at.push(at);
                points.x.push(local[0]);
                points.y.push(local[1]);
                if let Some(psi) = psi {
                    points.psi.push(psi[i]);
                }
            }
            if is_far {
                points.far.try_reserve(1).map_err(|_| Error::NoMemory)?;
                points.far.push(cell);
            }
        }
        Ok(points)
    }

    /// The number of points.
    #[must_use]
    pub fn len(&self) -> usize {
        self.x.len()
    }

    /// Whether there is no point.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.x.is_empty()
    }

    /// The number of cells that have points, the units of work of
    /// [`Accumulator::add_points_of_cells`](super::Accumulator::add_points_of_cells).
    #[must_use]
    pub fn cells(&self) -> usize {
        self.cells.len()
    }
}
