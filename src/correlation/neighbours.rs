//! Bond-orientational order: orientations from the directions of neighbours.

mod axis;
mod buckets;
mod direction;
mod shortlist;
mod tree;

use alloc::vec::Vec;

use self::axis::Axis;
use self::direction::direction;
use self::shortlist::{MAX_K, Shortlist};
use self::tree::{LEAF, Nearest, Tree};
use super::Psi;
use super::boundary::Boundary;
use crate::error::Error;
use crate::error::exactly;
use crate::float::Float;
use crate::memory;

impl Psi {
    /// The bond-orientational order of each point: the mean of exp(i `fold` theta) over the
    /// directions theta from the point to its `k` nearest neighbours. This is psi_6 if `k` and
    /// `fold` are 6.
    ///
    /// Points at equal distance are ordered by index. In a periodic plane every other point counts
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
        exactly("y", x.len(), y.len())?;
        let n = x.len();
        if k == 0 || (n > 0 && k >= n) {
            return Err(Error::Neighbours { k, others: n.saturating_sub(1) });
        }
        let tree = Tree::new(x, y, Axis::both(x, y, boundary)?)?;
        let mut all = memory::filled(n, Psi::default())?;
        let mut nearest = Nearest::new(k)?;
        let mut shortlist = Shortlist::new(k);
        for leaf in 0..n.div_ceil(LEAF) {
            if k <= MAX_K {
                tree.order_leaf(leaf, shortlist.find(&tree, leaf, &mut nearest), fold, &mut all);
                continue;
            }
            tree.find(leaf, u32::MAX, &mut nearest);
            for (slot, found) in tree.slots(leaf).zip(nearest.found.chunks_exact(k)) {
                all[tree.index[slot]] = tree.order(slot, found, fold);
            }
        }
        Ok(all)
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
        exactly("y", x.len(), y.len())?;
        if !(radius > 0.0 && radius.is_finite()) {
            return Err(Error::Coordinate { argument: "radius", index: 0 });
        }
        let axes = Axis::both(x, y, boundary)?;
        for (axis, argument) in axes.iter().zip(["x", "y"]) {
            if axis.periodic && 2.0 * radius > axis.length {
                return Err(Error::Periodic { argument });
            }
        }
        let tree = Tree::new(x, y, axes)?;
        let limit = (radius * tree.scale) * (radius * tree.scale);
        let mut all = memory::filled(x.len(), Psi::default())?;
        let mut found = [const { Vec::new() }; LEAF];
        for leaf in 0..x.len().div_ceil(LEAF) {
            tree.find_within(leaf, limit, &mut found)?;
            for (slot, found) in tree.slots(leaf).zip(&found) {
                all[tree.index[slot]] = tree.order(slot, found, fold);
            }
        }
        Ok(all)
    }

    /// The bond-orientational order of each point from given bonds, such as those of a Delaunay
    /// triangulation: each pair [i, j] is a neighbour j of point i. The mean is over all neighbours of
    /// a point, added in the given order, and 0 for a point that has none. In a periodic plane a bond
    /// leads to the nearest image. The rest is as for [`Psi::of_neighbours`].
    ///
    /// ```
    /// use hotloops::correlation::{Boundary, Psi};
    /// // A corner of a square, and the ends of its sides.
    /// let (x, y) = ([0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
    /// let psi = Psi::of_bonds(&x, &y, Boundary::Open, &[[0, 1], [0, 2], [1, 0], [2, 0]], 4)?;
    /// assert_eq!(psi, [Psi::ONE; 3]);
    /// # Ok::<(), hotloops::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Length`] if `x` and `y` differ in length; [`Error::Index`] if a bond names no point;
    /// [`Error::Coordinate`], [`Error::Periodic`] and [`Error::NoMemory`] as for
    /// [`Psi::of_neighbours`].
    pub fn of_bonds<T: Float>(
        x: &[T],
        y: &[T],
        boundary: Boundary,
        bonds: &[[usize; 2]],
        fold: u32,
    ) -> Result<Vec<Psi>, Error> {
        exactly("y", x.len(), y.len())?;
        let (n, axes) = (x.len(), Axis::both(x, y, boundary)?);
        let at = |axis: usize, index: usize| axes[axis].local([x, y][axis][index].to_f64());
        let mut sums = memory::filled(n, ([0.0; 2], 0u64))?;
        for &[i, j] in bonds {
            if i.max(j) >= n {
                return Err(Error::Index { argument: "bonds", index: i.max(j), count: n });
            }
            let apart = [0, 1].map(|axis| axes[axis].difference(at(axis, i), at(axis, j)));
            let ([re, im], (sum, count)) = (direction(apart, fold), &mut sums[i]);
            *sum = [sum[0] + re, sum[1] + im];
            *count += 1;
        }
        memory::collected(sums.into_iter().map(|([re, im], count)| {
            let count = count.max(1) as f64;
            Psi::rounded(re / count, im / count)
        }))
    }
}
