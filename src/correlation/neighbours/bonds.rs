//! Bond-orientational order from given bonds.

use alloc::vec::Vec;

use super::axis::Axis;
use super::direction::direction;
use crate::correlation::Psi;
use crate::correlation::boundary::Boundary;
use crate::frame::error::{Error, exactly};
use crate::frame::pieces::{Ended, Pieces, unless_ended, whole};
use crate::math::float::Float;

/// Steps of a bond.
const STEPS: usize = 16;

/// Bonds for [`Psi::of_bonds_while`].
#[derive(Clone, Copy, Debug)]
pub struct Bonds<'a> {
    /// Each pair [i, j] is a neighbour j of point i.
    pub pairs: &'a [[usize; 2]],
    /// From each point to the image that is meant; `None`: the nearest one.
    pub displacements: Option<&'a [[f64; 2]]>,
    /// `None`: 1 for each bond.
    pub weights: Option<&'a [f64]>,
}

impl Psi {
    /// The bond-orientational order of each point from given bonds, such as those of a Delaunay
    /// triangulation: each pair [i, j] is a neighbour j of point i. The mean is over all neighbours of
    /// a point, added in the given order, and 0 for a point that has none. In a periodic plane a bond
    /// leads to the nearest image, which need not be the neighbouring image in a small box
    /// ([`Psi::of_bonds_to_images`]). The rest is as for [`Psi::of_neighbours`].
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
        whole(|pieces| {
            of_bonds((x, y), boundary, Bonds { pairs: bonds, displacements: None, weights: None }, fold, pieces)
        })
    }

    /// [`Psi::of_bonds`] with a weight for each bond: the mean is weighted by them, such as by the
    /// lengths of shared edges of Voronoi cells (Mickel et al., J. Chem. Phys. 138, 044501), by which
    /// it is continuous in the positions. It is 0 where the weights of a point add up to 0.
    ///
    /// ```
    /// use hotloops::correlation::{Boundary, Psi};
    /// let (x, y, bonds) = ([0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [[0, 1], [0, 2]]);
    /// let psi = Psi::of_weighted_bonds(&x, &y, Boundary::Open, &bonds, &[3.0, 1.0], 2)?;
    /// assert_eq!(psi[0].parts(), [8192, 0]);
    /// # Ok::<(), hotloops::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Psi::of_bonds`]; [`Error::Length`] also if there is not one weight for each bond;
    /// [`Error::Coordinate`] also for a weight that is negative or not finite.
    pub fn of_weighted_bonds<T: Float>(
        x: &[T],
        y: &[T],
        boundary: Boundary,
        bonds: &[[usize; 2]],
        weights: &[f64],
        fold: u32,
    ) -> Result<Vec<Psi>, Error> {
        let bonds = Bonds { pairs: bonds, displacements: None, weights: Some(weights) };
        whole(|pieces| of_bonds((x, y), boundary, bonds, fold, pieces))
    }

    /// [`Psi::of_bonds`], or [`Psi::of_weighted_bonds`], to given images of the neighbours. In a periodic plane
    /// bond b leads to the image whose difference from the point is closest to `displacements[b]`, which may be
    /// off by less than half a period. Several bonds of a pair may lead to different images, and a bond of a
    /// point to an image of itself. Each counts once. Where the image is the nearest one, the bits are those
    /// of [`Psi::of_bonds`]. In an open plane the displacements have no effect.
    ///
    /// ```
    /// use hotloops::correlation::{Boundary, Psi};
    /// // One point in a periodic square has four neighbours, its own images.
    /// let (bonds, sides) = ([[0, 0]; 4], [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]);
    /// let plane = Boundary::Periodic([1.0, 1.0]);
    /// let psi = Psi::of_bonds_to_images(&[0.25], &[0.5], plane, &bonds, &sides, None, 4)?;
    /// assert_eq!(psi, [Psi::ONE]);
    /// # Ok::<(), hotloops::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Psi::of_weighted_bonds`]; [`Error::Length`] also if there is not one displacement for each bond;
    /// [`Error::Coordinate`] also for a displacement that is not finite.
    pub fn of_bonds_to_images<T: Float>(
        x: &[T],
        y: &[T],
        boundary: Boundary,
        bonds: &[[usize; 2]],
        displacements: &[[f64; 2]],
        weights: Option<&[f64]>,
        fold: u32,
    ) -> Result<Vec<Psi>, Error> {
        let bonds = Bonds { pairs: bonds, displacements: Some(displacements), weights };
        whole(|pieces| of_bonds((x, y), boundary, bonds, fold, pieces))
    }

    /// The orders of all three functions: [`Psi::of_bonds`], with displacements [`Psi::of_bonds_to_images`], with
    /// weights [`Psi::of_weighted_bonds`]. Returns `None` as soon as `go_on`, called some times in a millisecond,
    /// returns false.
    ///
    /// ```
    /// use hotloops::correlation::{Bonds, Boundary, Psi};
    /// let points = (&[0.0, 1.0][..], &[0.0, 0.0][..]);
    /// let bonds = Bonds { pairs: &[[0, 1], [1, 0]], displacements: None, weights: None };
    /// let psi = |go_on: bool| Psi::of_bonds_while(points, Boundary::Open, bonds, 6, || go_on);
    /// assert!(psi(false)?.is_none());
    /// assert_eq!(psi(true)?, Some(vec![Psi::ONE; 2]));
    /// # Ok::<(), hotloops::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Psi::of_bonds_to_images`].
    pub fn of_bonds_while<T: Float>(
        points: (&[T], &[T]),
        boundary: Boundary,
        bonds: Bonds,
        fold: u32,
        mut go_on: impl FnMut() -> bool,
    ) -> Result<Option<Vec<Psi>>, Error> {
        unless_ended(of_bonds(points, boundary, bonds, fold, &mut Pieces::new(&mut go_on)))
    }
}

/// The mean directions of bonds.
fn of_bonds<T: Float>(
    (x, y): (&[T], &[T]),
    boundary: Boundary,
    Bonds { pairs: bonds, displacements, weights }: Bonds,
    fold: u32,
    pieces: &mut Pieces,
) -> Result<Vec<Psi>, Ended> {
    if let Some(displacements) = displacements {
        exactly("displacements", bonds.len(), displacements.len())?;
    }
    if let Some(weights) = weights {
        exactly("weights", bonds.len(), weights.len())?;
    }
    exactly("y", x.len(), y.len())?;
    let (n, axes) = (x.len(), Axis::both(x, y, boundary)?);
    let at = |axis: usize, index: usize| axes[axis].local([x, y][axis][index].to_f64());
    let mut sums = pieces.filled(n, ([0.0; 2], 0.0))?;
    for (index, &[i, j]) in bonds.iter().enumerate() {
        pieces.before(STEPS)?;
        let weight = weights.map_or(1.0, |weights| weights[index]);
        if !(weight >= 0.0 && weight.is_finite()) {
            return Err(Error::Coordinate { argument: "weights", index }.into());
        }
        if i.max(j) >= n {
            return Err(Error::Index { argument: "bonds", index: i.max(j), count: n }.into());
        }
        let displacement = displacements.map(|all| all[index]);
        if displacement.is_some_and(|apart| apart.iter().any(|part| !part.is_finite())) {
            return Err(Error::Coordinate { argument: "displacements", index }.into());
        }
        let apart = [0, 1].map(|axis| {
            let nearest = axes[axis].difference(at(axis, i), at(axis, j));
            displacement.map_or(nearest, |apart| axes[axis].image(nearest, apart[axis]))
        });
        let ([re, im], (sum, all)) = (direction(apart, fold), &mut sums[i]);
        *sum = [sum[0] + weight * re, sum[1] + weight * im];
        *all += weight;
    }
    pieces.collected(n, |point| {
        let ([re, im], all) = sums[point];
        let all = if all > 0.0 { all } else { 1.0 };
        Psi::rounded(re / all, im / all)
    })
}
