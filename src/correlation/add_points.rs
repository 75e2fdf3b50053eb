//! Adds the pairs of points with real coordinates to an accumulator.

use core::ops::Range;

use super::accumulator::Accumulator;
use super::points::Points;
use super::tally::{Edges, Finder, Tally};
use crate::frame::error::Error;
use crate::frame::pieces::{Ended, Pieces, unless_ended, whole};

/// Up to this distance, squares of distances of integers are exact in f32.
pub(super) const EXACT: f64 = 4096.0;

/// The largest scaled distance: its square is finite in f32.
const MAX_DISTANCE: f64 = 1e18;

impl Accumulator {
    /// Adds the pairs of a set of points, each once.
    ///
    /// # Errors
    /// [`Error::Periodic`] if a period is less than twice the largest distance of the bins;
    /// [`Error::Bins`] if that distance and the extent of the points both exceed 10^18 times the
    /// `r_max` of the points; [`Error::NoMemory`].
    pub fn add_points(&mut self, points: &Points) -> Result<(), Error> {
        self.add_points_of_cells(points, 0..points.cells())
    }

    /// Adds the pairs that belong to a range of cells. All [cells](Points::cells) together have all
    /// pairs, each once.
    ///
    /// # Errors
    /// Same as for [`Accumulator::add_points`].
    pub fn add_points_of_cells(&mut self, points: &Points, cells: Range<usize>) -> Result<(), Error> {
        whole(|pieces| self.add_cells([points, points], cells, true, None, pieces))
    }

    /// Like [`Accumulator::add_points_of_cells`]. Returns false soon after `go_on`, called some times in a millisecond,
    /// has returned false; only some of the pairs have then been added.
    ///
    /// ```
    /// use hotloops::correlation::{Accumulator, Bins, Boundary, Points};
    /// let points = Points::of_positions(&[0.0, 3.5], &[0.0, 0.0], Boundary::Open, 5.0)?;
    /// let mut pairs = Accumulator::new(Bins::uniform(0.0, 5.0, 1.0)?)?;
    /// assert!(!pairs.add_points_of_cells_while(&points, 0..points.cells(), || false)?);
    /// # Ok::<(), hotloops::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as for [`Accumulator::add_points`].
    pub fn add_points_of_cells_while(
        &mut self,
        points: &Points,
        cells: Range<usize>,
        mut go_on: impl FnMut() -> bool,
    ) -> Result<bool, Error> {
        let pieces = &mut Pieces::new(&mut go_on);
        unless_ended(self.add_cells([points, points], cells, true, None, pieces)).map(|done| done.is_some())
    }

    /// [`Accumulator::add_points_of_cells`] with the bins of integers, unless `as_reals`.
    pub(super) fn add_integers_of_cells(
        &mut self,
        points: &Points,
        cells: Range<usize>,
        as_reals: bool,
        pieces: &mut Pieces,
    ) -> Result<(), Ended> {
        let is_wide = self.bins.r_max() > EXACT;
        let exact = if is_wide { Edges::Wide } else { Edges::Exact };
        self.add_cells([points, points], cells, true, (!as_reals).then_some(exact), pieces)
    }

    /// Adds the pairs of one point of `points` and one of `others`, which [`Points::others`] made
    /// from `points`.
    ///
    /// # Errors
    /// [`Error::Frame`] if the sets use different grids; the errors of [`Accumulator::add_points`].
    pub fn add_points_cross(&mut self, points: &Points, others: &Points) -> Result<(), Error> {
        if points.frame != others.frame {
            return Err(Error::Frame);
        }
        whole(|pieces| self.add_cells([points, others], 0..points.cells(), false, None, pieces))
    }

    /// Adds the pairs that belong to a range of cells. If `once`, both sets are the same and each
    /// pair counts once. `exact` says which squares of all distances and edges are exact, if any are.
    fn add_cells(
        &mut self,
        [points, others]: [&Points; 2],
        cells: Range<usize>,
        once: bool,
        exact: Option<Edges>,
        pieces: &mut Pieces,
    ) -> Result<(), Ended> {
        let frame = &points.frame;
        frame.check_distance(self.bins.r_max())?;
        let r_max = self.bins.r_max() * frame.scale;
        if r_max.min(points.farthest.max(others.farthest)) > MAX_DISTANCE {
            return Err(Error::Bins { index: self.bins.len() }.into());
        }
        let any_far = !points.far.is_empty() || !others.far.is_empty();
        let counting = points.psi.is_empty() || others.psi.is_empty();
        let edges = exact.unwrap_or(Edges::AsDefined { any_far });
        let mut tally = Tally::new((self, pieces), frame, counting, edges)?;
        let have_tiles = !points.tiles.is_empty() && !others.tiles.is_empty();
        if tally.finder == Finder::Edges && have_tiles && !any_far && !frame.near_half(r_max) {
            tally.by_tiles((points, cells), others, r_max, once);
        } else {
            tally.by_cells((points, cells), others, r_max, once);
        }
        if !tally.goes_on(1) {
            return Err(Ended::ByCaller);
        }
        tally.finish();
        Ok(())
    }
}
