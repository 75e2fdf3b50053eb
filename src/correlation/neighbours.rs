//! Bond-orientational order: orientations from the directions of neighbours.

mod axis;
mod bonds;
mod buckets;
mod direction;
mod shortlist;
mod tree;

pub use bonds::Bonds;

use alloc::vec::Vec;
use core::ops::Range;

use self::axis::Axis;
use self::shortlist::{MAX_K, Shortlist};
use self::tree::{LEAF, Nearest, Tree};
use super::Psi;
use super::boundary::Boundary;
use crate::frame::error::Error;
use crate::frame::error::exactly;
use crate::frame::memory;
use crate::frame::pieces::{Ended, Pieces, unless_ended, whole};
use crate::math::float::Float;

/// Number of leaves in a part: some 4096 points.
const PART: usize = 256;

/// The rule that chooses the neighbours of a point.
enum Chosen {
    /// This number of nearest points.
    Nearest(usize),
    /// All points within a radius, scaled and squared.
    Within(f64),
}

/// The neighbours of points, for threads or processes that compute orientations in parts. All parts
/// together have the bits of [`Psi::of_neighbours`] or [`Psi::of_neighbours_within`].
///
/// ```
/// use hotloops::correlation::{Boundary, Neighbours, Psi};
/// // A square lattice in a periodic plane.
/// let (x, y): (Vec<f64>, Vec<f64>) = (0..36).map(|i| (f64::from(i % 6), f64::from(i / 6))).unzip();
/// let neighbours = Neighbours::nearest(&x, &y, Boundary::Periodic([6.0, 6.0]), 4)?;
/// let mut psi = [Psi::default(); 36];
/// for part in 0..neighbours.parts() {
///     for (point, order) in neighbours.orientations(part, 4)? {
///         psi[point] = order;
///     }
/// }
/// assert_eq!(psi, [Psi::ONE; 36]);
/// # Ok::<(), hotloops::Error>(())
/// ```
pub struct Neighbours {
    tree: Tree,
    chosen: Chosen,
}

impl Neighbours {
    /// The `k` nearest neighbours of each point, for [`Psi::of_neighbours`] in parts.
    ///
    /// # Errors
    /// As for [`Psi::of_neighbours`].
    pub fn nearest<T: Float>(x: &[T], y: &[T], boundary: Boundary, k: usize) -> Result<Self, Error> {
        whole(|pieces| Neighbours::of_nearest((x, y), boundary, k, pieces))
    }

    /// Like [`Neighbours::nearest`]. Returns `None` as soon as `go_on`, called some times in a millisecond, returns
    /// false.
    ///
    /// ```
    /// use hotloops::correlation::{Boundary, Neighbours};
    /// let nearest = |go_on: bool| Neighbours::nearest_while(&[0.0, 1.0], &[0.0, 0.0], Boundary::Open, 1, || go_on);
    /// assert!(nearest(false)?.is_none());
    /// assert!(nearest(true)?.is_some());
    /// # Ok::<(), hotloops::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Neighbours::nearest`].
    pub fn nearest_while<T: Float>(
        x: &[T],
        y: &[T],
        boundary: Boundary,
        k: usize,
        mut go_on: impl FnMut() -> bool,
    ) -> Result<Option<Self>, Error> {
        unless_ended(Neighbours::of_nearest((x, y), boundary, k, &mut Pieces::new(&mut go_on)))
    }

    fn of_nearest<T: Float>(
        (x, y): (&[T], &[T]),
        boundary: Boundary,
        k: usize,
        pieces: &mut Pieces,
    ) -> Result<Self, Ended> {
        exactly("y", x.len(), y.len())?;
        let n = x.len();
        if k == 0 || (n > 0 && k >= n) {
            return Err(Error::Neighbours { k, others: n.saturating_sub(1) }.into());
        }
        let tree = Tree::new(x, y, Axis::both(x, y, boundary)?, pieces)?;
        Ok(Neighbours { tree, chosen: Chosen::Nearest(k) })
    }

    /// All neighbours at a distance of at most `radius`, for [`Psi::of_neighbours_within`] in parts.
    ///
    /// # Errors
    /// As for [`Psi::of_neighbours_within`].
    pub fn within<T: Float>(x: &[T], y: &[T], boundary: Boundary, radius: f64) -> Result<Self, Error> {
        whole(|pieces| Neighbours::of_radius((x, y), boundary, radius, pieces))
    }

    /// Like [`Neighbours::within`]. Returns `None` as soon as `go_on`, called some times in a millisecond, returns
    /// false.
    ///
    /// # Errors
    /// As for [`Neighbours::within`].
    pub fn within_while<T: Float>(
        x: &[T],
        y: &[T],
        boundary: Boundary,
        radius: f64,
        mut go_on: impl FnMut() -> bool,
    ) -> Result<Option<Self>, Error> {
        unless_ended(Neighbours::of_radius((x, y), boundary, radius, &mut Pieces::new(&mut go_on)))
    }

    fn of_radius<T: Float>(
        (x, y): (&[T], &[T]),
        boundary: Boundary,
        radius: f64,
        pieces: &mut Pieces,
    ) -> Result<Self, Ended> {
        exactly("y", x.len(), y.len())?;
        if !(radius > 0.0 && radius.is_finite()) {
            return Err(Error::Coordinate { argument: "radius", index: 0 }.into());
        }
        let axes = Axis::both(x, y, boundary)?;
        for (axis, argument) in axes.iter().zip(["x", "y"]) {
            if axis.periodic && 2.0 * radius > axis.length {
                return Err(Error::Periodic { argument }.into());
            }
        }
        let tree = Tree::new(x, y, axes, pieces)?;
        let limit = (radius * tree.scale) * (radius * tree.scale);
        Ok(Neighbours { tree, chosen: Chosen::Within(limit) })
    }

    fn leaves(&self) -> usize {
        self.tree.len().div_ceil(LEAF)
    }

    /// Number of parts. They have almost the same number of points, some thousands.
    #[must_use]
    pub fn parts(&self) -> usize {
        self.leaves().div_ceil(PART)
    }

    /// The points of a part, by their indices, with their bond-orientational orders: the means of
    /// exp(i `fold` theta) over the directions theta to their neighbours. Each point is in one part.
    ///
    /// # Errors
    /// [`Error::Index`] if there is no such `part`; [`Error::NoMemory`].
    pub fn orientations(&self, part: usize, fold: u32) -> Result<Vec<(usize, Psi)>, Error> {
        whole(|pieces| self.of_part(part, fold, pieces))
    }

    /// Like [`Neighbours::orientations`]. Returns `None` as soon as `go_on`, called some times in a millisecond,
    /// returns false.
    ///
    /// # Errors
    /// As for [`Neighbours::orientations`].
    pub fn orientations_while(
        &self,
        part: usize,
        fold: u32,
        mut go_on: impl FnMut() -> bool,
    ) -> Result<Option<Vec<(usize, Psi)>>, Error> {
        unless_ended(self.of_part(part, fold, &mut Pieces::new(&mut go_on)))
    }

    fn of_part(&self, part: usize, fold: u32, pieces: &mut Pieces) -> Result<Vec<(usize, Psi)>, Ended> {
        if part >= self.parts() {
            return Err(Error::Index { argument: "part", index: part, count: self.parts() }.into());
        }
        let leaves = part * PART..self.leaves().min((part + 1) * PART);
        let points = self.tree.len().min(leaves.end * LEAF) - leaves.start * LEAF;
        let mut all = memory::filled(points, (0, Psi::default()))?;
        let mut places = all.iter_mut();
        let put = |point, order| {
            if let Some(place) = places.next() {
                *place = (point, order);
            }
        };
        self.visit(leaves, fold, put, pieces)?;
        Ok(all)
    }

    /// The orders of all points.
    fn all(&self, fold: u32) -> Result<Vec<Psi>, Error> {
        let mut all = memory::filled(self.tree.len(), Psi::default())?;
        whole(|pieces| self.visit(0..self.leaves(), fold, |point, order| all[point] = order, pieces))?;
        Ok(all)
    }

    /// Computes the orders of the points of some leaves.
    fn visit(
        &self,
        leaves: Range<usize>,
        fold: u32,
        mut put: impl FnMut(usize, Psi),
        pieces: &mut Pieces,
    ) -> Result<(), Ended> {
        let tree = &self.tree;
        if leaves.is_empty() {
            // Without points k may be any number, of which memory would be needed.
            return Ok(());
        }
        match self.chosen {
            Chosen::Nearest(k) => {
                let mut nearest = Nearest::new(k)?;
                let mut shortlist = Shortlist::new(k);
                for leaf in leaves {
                    pieces.before(k.saturating_mul(4 * LEAF))?;
                    if k <= MAX_K {
                        tree.order_leaf(leaf, shortlist.find(tree, leaf, &mut nearest), fold, &mut put);
                        continue;
                    }
                    tree.find(leaf, u32::MAX, &mut nearest);
                    for (slot, found) in tree.slots(leaf).zip(nearest.found.chunks_exact(k)) {
                        put(tree.index(slot), tree.order(slot, found, fold));
                    }
                }
            }
            Chosen::Within(limit) => {
                let mut found = [const { Vec::new() }; LEAF];
                for leaf in leaves {
                    pieces.before(LEAF * LEAF)?;
                    tree.find_within(leaf, limit, &mut found)?;
                    for (slot, found) in tree.slots(leaf).zip(&found) {
                        pieces.before(4 * found.len())?;
                        put(tree.index(slot), tree.order(slot, found, fold));
                    }
                }
            }
        }
        Ok(())
    }
}

impl Psi {
    /// The bond-orientational order of each point: the mean of exp(i `fold` theta) over the
    /// directions theta from the point to its `k` nearest neighbours. This is psi_6 if `k` and
    /// `fold` are 6.
    ///
    /// Points at equal distance are ordered by y, then by x, so the result of a point does not depend on
    /// the order of the input. In a periodic plane every other point counts
    /// once, at its nearest image; a point is never its own neighbour. A neighbour at the same
    /// position has no direction: it counts as one of the `k` and adds 0. Coordinates are folded
    /// into the period exactly. Distances and directions are computed in `f64`, and directions are
    /// added in the order of the distances, so that the bits are the same on every CPU.
    ///
    /// For small `k` and points spread evenly, in clusters or with a few far away, the time is about
    /// proportional to the number of points times `k`. It grows faster for points along crossing
    /// lines and for distributions with heavy tails. It grows severalfold where `k` exceeds 20, which
    /// needs another method, and then as the square of `k`. The memory is at most 64 bytes per point,
    /// and 384 bytes times `k`.
    ///
    /// ```
    /// use hotloops::correlation::{Boundary, Psi};
    /// // A square lattice in a periodic plane.
    /// let (x, y): (Vec<f64>, Vec<f64>) = (0..36).map(|i| (f64::from(i % 6), f64::from(i / 6))).unzip();
    /// let psi = Psi::of_neighbours(&x, &y, Boundary::Periodic([6.0, 6.0]), 4, 4)?;
    /// assert_eq!(psi, [Psi::ONE; 36]);
    /// # Ok::<(), hotloops::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Length`] if the slices differ in length; [`Error::Neighbours`] if `k` is 0, or if a
    /// point has fewer than `k` others; [`Error::Coordinate`] for a coordinate that is not finite,
    /// or, in an open plane, above 10^300 in magnitude; [`Error::Periodic`] for a period that is
    /// not between 10^-290 and 10^290; [`Error::NoMemory`].
    pub fn of_neighbours<T: Float>(
        x: &[T],
        y: &[T],
        boundary: Boundary,
        k: usize,
        fold: u32,
    ) -> Result<Vec<Psi>, Error> {
        Neighbours::nearest(x, y, boundary, k)?.all(fold)
    }

    /// The bond-orientational order of each point: the mean of exp(i `fold` theta) over the
    /// directions theta from the point to all others at a distance of at most `radius`, and 0 for a
    /// point that has none. The rest is as for [`Psi::of_neighbours`].
    ///
    /// ```
    /// use hotloops::correlation::{Boundary, Psi};
    /// let (x, y) = ([0.0, 1.0, 5.0], [0.0, 1.0, 0.0]);
    /// let psi = Psi::of_neighbours_within(&x, &y, Boundary::Open, 1.5, 8)?;
    /// assert_eq!(psi, [Psi::ONE, Psi::ONE, Psi::new(0.0, 0.0)?]);
    /// # Ok::<(), hotloops::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Length`] if the slices differ in length; [`Error::Coordinate`] also for a `radius` that
    /// is not a positive number; [`Error::Periodic`] also for a period less than twice the
    /// `radius`; [`Error::NoMemory`].
    pub fn of_neighbours_within<T: Float>(
        x: &[T],
        y: &[T],
        boundary: Boundary,
        radius: f64,
        fold: u32,
    ) -> Result<Vec<Psi>, Error> {
        Neighbours::within(x, y, boundary, radius)?.all(fold)
    }
}
