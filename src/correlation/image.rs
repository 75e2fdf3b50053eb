//! Points with integer coordinates.

mod pairs;
mod table;

use alloc::vec::Vec;
use core::ops::Range;

use super::Psi;
use crate::frame::error::Error;
use crate::frame::error::exactly;
use crate::frame::memory;
use crate::frame::pieces::{Ended, Pieces, unless_ended, whole};

/// The maximum difference of two points in x, and in y.
pub const MAX_EXTENT: u32 = 1 << 20;

/// Points of an image, with integer coordinates, sorted into rows.
///
/// Pairs are counted row against row: each difference of y has a table with a word for each
/// difference of x. The differences of y, from 0 to [`Image::height`], are the units of work that
/// threads can share. An image takes 8 bytes per point (24 during construction) and 48 per row;
/// counting takes another 32 bytes per pixel of the width.
///
/// ```
/// use hotloops::correlation::{Accumulator, Bins, Image, Psi};
/// let (x, y): (Vec<i32>, Vec<i32>) = (0..100).map(|i| (i * i % 83, i * 7 % 64)).unzip();
/// let image = Image::new(&x, &y, &[Psi::ONE; 100])?;
/// let empty = Accumulator::new(Bins::uniform(0.0, 50.0, 0.5)?)?;
/// let (mut whole, mut even, mut odd) = (empty.clone(), empty.clone(), empty);
/// whole.add_image(&image)?;
/// for dy in 0..=image.height() {
///     let part = if dy % 2 == 0 { &mut even } else { &mut odd };
///     part.add_image_rows(&image, dy..dy + 1)?;
/// }
/// even.merge(&odd)?;
/// assert_eq!(even, whole);
/// # Ok::<(), hotloops::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Image {
    x: Vec<i32>,
    psi: Vec<Psi>,
    /// Rows that have points, then a sentinel whose `first` is the number of points.
    rows: Vec<RowStart>,
    lowest: [i32; 2],
    extent: [u32; 2],
}

#[derive(Clone, Copy, Debug)]
struct RowStart {
    y: i32,
    first: usize,
    /// The maximum number of points at one position.
    multiplicity: usize,
}

impl Image {
    /// Sorts points: point i is at (`x[i]`, `y[i]`) and has the orientation `psi[i]`. Points may
    /// coincide.
    ///
    /// # Errors
    /// [`Error::Length`] if the slices differ in length; [`Error::TooLarge`] if points are more
    /// than [`MAX_EXTENT`] apart in x or in y; [`Error::NoMemory`].
    pub fn new(x: &[i32], y: &[i32], psi: &[Psi]) -> Result<Self, Error> {
        whole(|pieces| Self::sorted(x, y, Some(psi), pieces))
    }

    /// Sorts points without orientations: all products and sums are 0, and counting is faster.
    ///
    /// # Errors
    /// Same as for [`Image::new`].
    pub fn of_positions(x: &[i32], y: &[i32]) -> Result<Self, Error> {
        whole(|pieces| Self::sorted(x, y, None, pieces))
    }

    /// Coordinates as integers, if all are integers and at most [`MAX_EXTENT`] apart.
    ///
    /// # Errors
    /// [`Error::NoMemory`].
    pub fn integers(values: &[f64]) -> Result<Option<Vec<i32>>, Error> {
        let mut bounds = [i32::MAX, i32::MIN];
        let is_integer = |&value: &f64| {
            let integer = value as i32;
            bounds = [bounds[0].min(integer), bounds[1].max(integer)];
            f64::from(integer) == value && bounds[1].abs_diff(bounds[0]) <= MAX_EXTENT
        };
        match values.iter().all(is_integer) {
            true => memory::collected(values.iter().map(|&value| value as i32)).map(Some),
            false => Ok(None),
        }
    }

    /// Like [`Image::new`], or [`Image::of_positions`] if `psi` is `None`. Returns `None` soon after `go_on`, called
    /// some times in a millisecond, has returned false.
    ///
    /// # Errors
    /// Same as for [`Image::new`].
    pub fn new_while(
        x: &[i32],
        y: &[i32],
        psi: Option<&[Psi]>,
        mut go_on: impl FnMut() -> bool,
    ) -> Result<Option<Self>, Error> {
        unless_ended(Self::sorted(x, y, psi, &Pieces::new(&mut go_on)))
    }

    fn sorted(x: &[i32], y: &[i32], psi: Option<&[Psi]>, pieces: &Pieces) -> Result<Self, Ended> {
        psi.map_or(Ok(()), |psi| exactly("psi", x.len(), psi.len()))?;
        exactly("y", x.len(), y.len())?;
        let n = x.len();
        let mut image = Image { x: Vec::new(), psi: Vec::new(), rows: Vec::new(), lowest: [0; 2], extent: [0; 2] };
        for (axis, (argument, values)) in [("x", x), ("y", y)].into_iter().enumerate() {
            let lowest = values.iter().min().copied().unwrap_or(0);
            let extent = values.iter().max().map_or(0, |max| max.abs_diff(lowest));
            if extent > MAX_EXTENT {
                return Err(Error::TooLarge { argument }.into());
            }
            (image.lowest[axis], image.extent[axis]) = (lowest, extent);
        }
        let mut order = pieces.collected(n, |i| i)?;
        if n > image.extent[0].max(image.extent[1]) as usize {
            for (axis, values) in [x, y].into_iter().enumerate() {
                let lowest = image.lowest[axis];
                let key = |i: &usize| values[*i].abs_diff(lowest) as usize;
                order = pieces.sorted(&order, image.extent[axis] as usize + 1, key)?;
            }
        } else {
            // At most 2^20 points.
            order.sort_unstable_by_key(|&i| (y[i], x[i]));
        }
        image.x = pieces.collected(n, |rank| x[order[rank]])?;
        if let Some(psi) = psi {
            image.psi = pieces.collected(n, |rank| psi[order[rank]])?;
        }
        pieces.before(n)?;
        let mut together = 0;
        for (first, &i) in order.iter().enumerate() {
            let begins = image.rows.last().is_none_or(|row| row.y != y[i]);
            together = if !begins && x[i] == image.x[first - 1] { together + 1 } else { 1 };
            if begins {
                memory::push(&mut image.rows, RowStart { y: y[i], first, multiplicity: 1 })?;
            } else if let Some(row) = image.rows.last_mut() {
                row.multiplicity = row.multiplicity.max(together);
            }
        }
        memory::push(&mut image.rows, RowStart { y: 0, first: n, multiplicity: 0 })?;
        Ok(image)
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

    /// The largest difference of y.
    #[must_use]
    pub fn height(&self) -> u32 {
        self.extent[1]
    }

    /// The largest difference of x.
    #[must_use]
    pub fn width(&self) -> u32 {
        self.extent[0]
    }

    /// Whether the points have orientations.
    pub(super) fn has_orientations(&self) -> bool {
        self.psi.len() == self.x.len()
    }

    /// Calls `each` for the points in a range of rows, counted from the lowest: with the number of the
    /// point, its column and its row in the range.
    pub(super) fn for_each_point(&self, rows: Range<usize>, mut each: impl FnMut(usize, usize, usize)) {
        let above = |y: i32| y.abs_diff(self.lowest[1]) as usize;
        let occupied = &self.rows[..self.rows.len() - 1];
        let first = occupied.partition_point(|row| above(row.y) < rows.start);
        for (row, next) in occupied[first..].iter().zip(&self.rows[first + 1..]) {
            if above(row.y) >= rows.end {
                break;
            }
            for point in row.first..next.first {
                each(point, self.x[point].abs_diff(self.lowest[0]) as usize, above(row.y) - rows.start);
            }
        }
    }

    /// The points of several images, with their orientations or without.
    pub(super) fn joined(images: &[&Image], orientations: bool) -> Result<Image, Error> {
        let n = images.iter().map(|image| image.len()).sum();
        let (mut x, mut y, mut psi) = (memory::with_capacity(n)?, memory::with_capacity(n)?, memory::with_capacity(n)?);
        for image in images {
            x.extend_from_slice(&image.x);
            psi.extend_from_slice(&image.psi);
            for row in image.rows.windows(2) {
                y.extend((row[0].first..row[1].first).map(|_| row[0].y));
            }
        }
        whole(|pieces| Self::sorted(&x, &y, orientations.then_some(&psi), pieces))
    }

    /// The number of rows that have points.
    pub(super) fn occupied_rows(&self) -> usize {
        self.rows.len() - 1
    }

    /// The orientations in the order of rows; empty if the points have none.
    pub(super) fn orientations(&self) -> &[Psi] {
        &self.psi
    }

    /// A part of the orientation of a point, in units of 2^-14.
    pub(super) fn psi_part(&self, point: usize, part: usize) -> i32 {
        self.psi[point].parts()[part].into()
    }

    /// The sums over all pixels of the square of the number of their points, and of that of the sum of
    /// their orientations. By the inequality of Cauchy and Schwarz, no count and no sum at any difference
    /// is larger.
    pub(super) fn self_correlation(&self) -> (u64, u128) {
        let (mut most, mut energy) = (0, 0);
        for row in self.rows.windows(2) {
            let mut first = row[0].first;
            for pixel in self.x[first..row[1].first].chunk_by(|a, b| a == b) {
                let psi = self.psi.get(first..first + pixel.len()).unwrap_or(&[]);
                let part = |part: usize| psi.iter().map(|psi| i128::from(psi.parts()[part])).sum::<i128>();
                most += pixel.len() as u64 * pixel.len() as u64;
                energy += (part(0) * part(0) + part(1) * part(1)) as u128;
                first += pixel.len();
            }
        }
        (most, energy)
    }

    /// Corrects the count and the sum of difference (0, 0), which contain each pair twice and each
    /// point paired with itself: each pair counts once.
    pub(super) fn without_self(&self, count: u64, sum: i128) -> (u64, i128) {
        let square = |psi: &Psi| psi.parts().map(|part| i128::from(part) * i128::from(part)).iter().sum::<i128>();
        let own = self.psi.iter().map(square).sum::<i128>();
        ((count - self.x.len() as u64) / 2, (sum - own) / 2)
    }
}
