//! Points with real coordinates, sorted into cells.

use alloc::vec::Vec;
use core::ops::Range;

use super::boundary::Boundary;
use super::cells::Cells;
use super::frame::{Frame, MAX_SIDE};
use super::{MAX_PAIRS, Psi};
use crate::frame::error::Error;
use crate::frame::error::exactly;
use crate::frame::memory;
use crate::frame::pieces::{Ended, Pieces, unless_ended, whole};
use crate::math::float::Float;

/// Points with real coordinates, sorted into square cells.
///
/// Coordinates and periods are `f64`; `f32` is converted exactly. The error of a distance is at
/// most 2^-18 `r_max` (or 2^-18 of the last edge of the bins, if that is larger), independent of
/// the positions of the points and of other points. Differences are exact for coordinates that are
/// multiples of one power of two, at least 2^-20 `r_max`. Integers have the counts and sums of an
/// [`Image`](super::Image) up to an `r_max` of 4096, where squared distances are exact in `f32`: with
/// any list of edges, and in uniform bins whose `lo` is an integer and whose width is 1, 2, 4 or a
/// higher power of two. With other uniform bins and beyond 4096, a pair within the error of an edge
/// may be counted on its other side.
///
/// Only cells that have points exist. So stray points, separate clusters and empty space cost
/// nothing, and a stray point changes no bit of the pairs of the others (in an open plane whose
/// extent without it exceeds `r_max`).
///
/// A point takes about 36 bytes, and 64 during sorting; 100 at most, if each has a cell of its own.
/// Counting takes 100 bytes per bin. The cells are the units of work that threads can share:
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
    /// The points of a row and a block, from left to right, 16 at a time. Empty if most tiles would have few.
    pub(super) tiles: Vec<Tile>,
    /// The smallest x, the largest x, and the same of y, of each tile.
    pub(super) tile_sides: [Vec<f32>; 4],
    /// The tile that holds the first point of each cell.
    pub(super) tile_of_cell: Vec<u32>,
    pub(super) frame: Frame,
    /// Cells whose points are compared one by one, in f64, because f32 would lose digits: some lie
    /// far outside. Ascending.
    pub(super) far: Vec<usize>,
    /// The largest scaled difference of a coordinate from the origin of the frame.
    pub(super) farthest: f64,
}

/// Points in the form that kernels take.
#[derive(Clone, Copy)]
pub(super) struct Set<'a> {
    pub x: &'a [f32],
    pub y: &'a [f32],
    /// Empty if pairs are only counted.
    pub psi: &'a [Psi],
}

/// Points per chunk. All pairs of two chunks fit into a word.
pub(super) const CHUNK: usize = 256;
const _: () = assert!(CHUNK * CHUNK <= MAX_PAIRS);

/// Orientations that add nothing to a sum.
static NONE: [Psi; CHUNK] = [Psi::ZERO; CHUNK];

impl<'a> Set<'a> {
    pub fn part(self, range: Range<usize>) -> Self {
        Set { x: &self.x[range.clone()], y: &self.y[range.clone()], psi: self.psi.get(range).unwrap_or(&[]) }
    }

    /// Parts of at most [`CHUNK`] points.
    pub fn chunks(self) -> impl Iterator<Item = Set<'a>> {
        (0..self.x.len()).step_by(CHUNK).map(move |at| self.part(at..self.x.len().min(at + CHUNK)))
    }

    /// Orientations of a chunk.
    pub fn psi(&self) -> *const i16 {
        if self.psi.is_empty() { NONE.as_ptr().cast() } else { self.psi.as_ptr().cast() }
    }
}

/// Points that are compared with those of another tile at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tile {
    pub first: u32,
    pub n: u32,
    /// The first and the last cell.
    pub cells: [u32; 2],
    /// The sum of the orientations.
    pub total: [i32; 2],
}

/// There are tiles if they have at least this many points on average.
const FEW: usize = 4;

/// The number of points of a tile, except for the last ones of a row and a block.
pub(super) const TILE: usize = 16;

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
        whole(|pieces| Self::sorted((x, y, Some(psi)), boundary, r_max, pieces))
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
        whole(|pieces| Self::sorted((x, y, None), boundary, r_max, pieces))
    }

    /// Like [`Points::new`], or [`Points::of_positions`] if `psi` is `None`. Returns `None` as soon as `go_on`, called
    /// some times in a millisecond, returns false.
    ///
    /// ```
    /// use hotloops::correlation::{Boundary, Points};
    /// let sorted = |go_on: bool| Points::new_while(&[0.0, 1.0], &[0.0, 0.0], None, Boundary::Open, 5.0, || go_on);
    /// assert!(sorted(false)?.is_none());
    /// assert_eq!(sorted(true)?.map(|points| points.len()), Some(2));
    /// # Ok::<(), hotloops::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as for [`Points::new`].
    pub fn new_while<T: Float>(
        x: &[T],
        y: &[T],
        psi: Option<&[Psi]>,
        boundary: Boundary,
        r_max: f64,
        mut go_on: impl FnMut() -> bool,
    ) -> Result<Option<Self>, Error> {
        unless_ended(Self::sorted((x, y, psi), boundary, r_max, &mut Pieces::new(&mut go_on)))
    }

    pub(super) fn sorted<T: Float>(
        (x, y, psi): (&[T], &[T], Option<&[Psi]>),
        boundary: Boundary,
        r_max: f64,
        pieces: &mut Pieces,
    ) -> Result<Self, Ended> {
        psi.map_or(Ok(()), |psi| exactly("psi", x.len(), psi.len()))?;
        exactly("y", x.len(), y.len())?;
        Self::in_frame((x, y, psi), Frame::new(x, y, boundary, r_max)?, pieces)
    }

    /// Sorts other points into the cells of `self`, so that pairs of one point of each set can be
    /// counted.
    ///
    /// # Errors
    /// Same as for [`Points::new`].
    pub fn others<T: Float>(&self, x: &[T], y: &[T], psi: &[Psi]) -> Result<Self, Error> {
        exactly("psi", x.len(), psi.len())?;
        whole(|pieces| Self::in_frame((x, y, Some(psi)), self.frame, pieces))
    }

    /// Sorts other points without orientations into the cells of `self`. All sums of pairs with
    /// them are 0.
    ///
    /// # Errors
    /// Same as for [`Points::new`].
    pub fn others_of_positions<T: Float>(&self, x: &[T], y: &[T]) -> Result<Self, Error> {
        whole(|pieces| Self::in_frame((x, y, None), self.frame, pieces))
    }

    fn in_frame<T: Float>(
        (x, y, psi): (&[T], &[T], Option<&[Psi]>),
        frame: Frame,
        pieces: &mut Pieces,
    ) -> Result<Self, Ended> {
        exactly("y", x.len(), y.len())?;
        frame.check(0, x)?;
        frame.check(1, y)?;
        let at = |i: usize| [frame.position(0, x[i].to_f64()), frame.position(1, y[i].to_f64())];
        let n = x.len();
        let places = pieces.collected(n, |i| frame.place(at(i)))?;
        let (cells, ranks) = Cells::sorted(&places, pieces)?;
        drop(places);
        // Each point goes to its place as a whole, since places far apart in memory take time.
        let mut sorted = pieces.filled(n, ([0.0; 2], Psi::ZERO))?;
        pieces.each(n, |piece| piece.for_each(|i| sorted[ranks[i]] = (at(i), psi.map_or(Psi::ZERO, |psi| psi[i]))))?;
        drop(ranks);
        let mut points = Points {
            at: memory::with_capacity(n)?,
            x: memory::with_capacity(n)?,
            y: memory::with_capacity(n)?,
            psi: memory::with_capacity(psi.map_or(0, <[Psi]>::len))?,
            tiles: Vec::new(),
            tile_sides: [const { Vec::new() }; 4],
            tile_of_cell: Vec::new(),
            far: Vec::new(),
            farthest: 0.0,
            cells,
            frame,
        };
        for cell in 0..points.cells.len() {
            let place = points.cells.places[cell];
            let reference = [0, 1].map(|axis| frame.axes[axis].reference(place[axis]));
            let mut is_far = false;
            let here = &mut sorted[points.cells.points(cell..cell + 1)];
            pieces.before(4 * here.len())?;
            // From left to right; rounding to f32 keeps the order.
            here.sort_unstable_by(|(a, _), (b, _)| a[0].total_cmp(&b[0]));
            for &(at, own_psi) in &*here {
                let mut local = [0.0; 2];
                for axis in 0..2 {
                    let x = at[axis] - reference[axis];
                    is_far |= x.abs() > MAX_SIDE;
                    points.farthest = points.farthest.max((at[axis] - frame.origin[axis]).abs());
                    local[axis] = x as f32;
                }
                points.at.push(at);
                points.x.push(local[0]);
                points.y.push(local[1]);
                if psi.is_some() {
                    points.psi.push(own_psi);
                }
            }
            if is_far {
                memory::push(&mut points.far, cell)?;
            }
        }
        points.tile(pieces)?;
        Ok(points)
    }

    /// Splits the points into tiles.
    fn tile(&mut self, pieces: &mut Pieces) -> Result<(), Ended> {
        let block = |cell: usize| {
            let [column, row] = self.cells.places[cell];
            (row, self.frame.axes[0].block_of(column))
        };
        let runs = (0..self.cells.len()).filter(|&cell| cell == 0 || block(cell) != block(cell - 1)).count();
        let most = self.len() / TILE + runs;
        if most > self.len() / FEW || self.len() >= u32::MAX as usize {
            return Ok(());
        }
        let mut tiles = memory::with_capacity(most)?;
        let mut tile_of_cell = memory::with_capacity(self.cells.len())?;
        for sides in &mut self.tile_sides {
            *sides = memory::with_capacity(most)?;
        }
        for cell in 0..self.cells.len() {
            let begins = cell == 0 || block(cell) != block(cell - 1);
            let points = self.cells.points(cell..cell + 1);
            pieces.before(points.len())?;
            let mut first = true;
            for i in points {
                if begins && first || tiles.last().is_none_or(|tile: &Tile| tile.n as usize == TILE) {
                    tiles.push(Tile { first: i as u32, n: 0, cells: [cell as u32; 2], total: [0; 2] });
                    let at = [self.x[i], self.x[i], self.y[i], self.y[i]];
                    self.tile_sides.iter_mut().zip(at).for_each(|(sides, at)| sides.push(at));
                }
                if first {
                    tile_of_cell.push(tiles.len() as u32 - 1);
                    first = false;
                }
                let tile_count = tiles.len();
                let Some(tile) = tiles.last_mut() else { continue };
                tile.n += 1;
                tile.cells[1] = cell as u32;
                let number = tile_count - 1;
                for (axis, at) in [self.x[i], self.y[i]].into_iter().enumerate() {
                    let [least, most] = [2 * axis, 2 * axis + 1];
                    self.tile_sides[least][number] = self.tile_sides[least][number].min(at);
                    self.tile_sides[most][number] = self.tile_sides[most][number].max(at);
                }
                if let Some(psi) = self.psi.get(i) {
                    tile.total = [0, 1].map(|part| tile.total[part] + i32::from(psi.parts()[part]));
                }
            }
        }
        (self.tiles, self.tile_of_cell) = (tiles, tile_of_cell);
        Ok(())
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

impl Points {
    pub(super) fn set(&self, range: Range<usize>) -> Set<'_> {
        Set { x: &self.x, y: &self.y, psi: &self.psi }.part(range)
    }

    /// The smallest and the largest x and y of the points of a cell, which are in the order of x.
    pub(super) fn sides_of(&self, cell: usize) -> [[f32; 2]; 2] {
        let points = self.cells.points(cell..cell + 1);
        let bounds = |[least, most]: [f32; 2], at: &f32| [least.min(*at), most.max(*at)];
        let y = self.y[points.clone()].iter().fold([f32::INFINITY, f32::NEG_INFINITY], bounds);
        [[self.x[points.start], self.x[points.end - 1]], y]
    }

    pub(super) fn tile_set(&self, tile: &Tile) -> Set<'_> {
        self.set(tile.first as usize..(tile.first + tile.n) as usize)
    }

    /// The tiles that hold points of cells of one row and one block.
    pub(super) fn tiles_of(&self, cells: Range<usize>) -> Range<usize> {
        let first = self.tile_of_cell[cells.start] as usize;
        let last = self.tile_of_cell[cells.end - 1] as usize;
        let end = self.cells.points(cells).end;
        // The last cell may begin in one tile and end in another.
        let more = self.tiles[last..].iter().take_while(|tile| (tile.first as usize) < end).count();
        first..last + more
    }
}
