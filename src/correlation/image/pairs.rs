//! Counts the pairs of images, row against row.

use alloc::vec::Vec;
use core::ops::Range;

use super::super::accumulator::Accumulator;
use super::table::{PointRun, Table};
use super::{Image, MAX_EXTENT};
use crate::frame::error::Error;
use crate::frame::memory;
use crate::frame::pieces::{Ended, Pieces, whole};

impl Image {
    /// The smallest and the largest difference from a point of `self` to a point of `other`, in x
    /// (axis 0) or y (axis 1).
    pub(super) fn difference(&self, other: &Image, axis: usize) -> [i64; 2] {
        let [a, b] = [self, other].map(|image| i64::from(image.lowest[axis]));
        [b - a - i64::from(self.extent[axis]), b - a + i64::from(other.extent[axis])]
    }

    fn row(&self, row: usize) -> PointRun<'_> {
        let whole = PointRun { x: &self.x, psi: &self.psi, multiplicity: self.rows[row].multiplicity };
        whole.part(self.rows[row].first..self.rows[row + 1].first)
    }

    /// Calls `each(dx, pairs, sum)`, possibly several times per dx, for all pairs of a point of
    /// `self` and a point of `other` that is `dy` above it and at most `reach` away in x.
    fn pairs(
        &self,
        other: &Image,
        dy: i64,
        reach: u32,
        pieces: &Pieces,
        each: impl FnMut(i32, u64, i64),
    ) -> Result<(), Ended> {
        let mut table = Table::new(self, other, reach, each)?;
        let [rows, others] = [self, other].map(|image| &image.rows[..image.rows.len() - 1]);
        let mut at = 0;
        for (number, row) in rows.iter().enumerate() {
            let y = i64::from(row.y) + dy;
            at += others[at..].iter().take_while(|other| i64::from(other.y) < y).count();
            if others.get(at).is_some_and(|other| i64::from(other.y) == y) {
                let (row, other) = (self.row(number), other.row(at));
                pieces.before(row.x.len().saturating_mul(other.x.len()))?;
                table.add_rows(row, other);
            }
        }
        table.read();
        Ok(())
    }

    /// Counts pairs of points by their difference. For dx from -reach to reach, `pairs[reach + dx]`
    /// gets the number of pairs whose second point is `dy` above the first and dx to the right of
    /// it, and the sum of their products in units of 2^-28. If `dy` is 0, the second point of a
    /// pair is the one on the right.
    ///
    /// ```
    /// use hotloops::correlation::Image;
    /// let image = Image::of_positions(&[0, 3, 3], &[0, 4, 0])?;
    /// let mut pairs = [(0, 0); 7];
    /// image.map_row(4, &mut pairs)?;
    /// assert_eq!(pairs.map(|(count, _)| count), [0, 0, 0, 1, 0, 0, 1]);
    /// # Ok::<(), hotloops::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Length`] if the length of `pairs` is even; [`Error::TooLarge`] for a reach above
    /// [`MAX_EXTENT`]; [`Error::NoMemory`].
    pub fn map_row(&self, dy: u32, pairs: &mut [(u64, i128)]) -> Result<(), Error> {
        if pairs.len().is_multiple_of(2) {
            return Err(Error::Length { argument: "pairs", expected: pairs.len() + 1, found: pairs.len() });
        }
        let reach = pairs.len() / 2;
        if reach > MAX_EXTENT as usize {
            return Err(Error::TooLarge { argument: "pairs" });
        }
        let mut found = memory::filled(pairs.len(), (0, 0))?;
        let add = |dx: i32, count: u64, sum: i64| {
            let slot: &mut (u64, i128) = &mut found[(reach as isize + dx as isize) as usize];
            *slot = (slot.0 + count, slot.1 + i128::from(sum));
        };
        whole(|pieces| self.pairs(self, i64::from(dy), reach as u32, pieces, add))?;
        if dy == 0 {
            found[..reach].fill((0, 0));
            found[reach] = self.without_self(found[reach].0, found[reach].1);
        }
        pairs.copy_from_slice(&found);
        Ok(())
    }

    /// Calls `each` with the squared distance and the product of each pair of one of the points `firsts`, in
    /// the order of rows, and one that follows it, if it is less than `reach` away in y.
    pub(in super::super) fn for_each_pair(&self, firsts: Range<usize>, reach: u32, mut each: impl FnMut(u64, i64)) {
        for (number, row) in self.rows[..self.rows.len() - 1].iter().enumerate() {
            let here = row.first.max(firsts.start)..self.rows[number + 1].first.min(firsts.end);
            for i in here {
                for (other, next) in self.rows[number..].iter().zip(&self.rows[number + 1..]) {
                    let dy = u64::from(other.y.abs_diff(row.y));
                    if dy >= reach.into() {
                        break;
                    }
                    for j in other.first.max(i + 1)..next.first {
                        let dx = u64::from(self.x[j].abs_diff(self.x[i]));
                        let product = match (self.psi.get(i), self.psi.get(j)) {
                            (Some(a), Some(b)) => a.product(*b).into(),
                            _ => 0,
                        };
                        each(dx * dx + dy * dy, product);
                    }
                }
            }
        }
    }
}

impl Accumulator {
    /// Adds the pairs of an image whose difference of y is in `dy`. Differences from 0 to the
    /// [height](Image::height) cover all pairs.
    ///
    /// # Errors
    /// [`Error::NoMemory`].
    pub fn add_image_rows(&mut self, image: &Image, dy: Range<u32>) -> Result<(), Error> {
        whole(|pieces| self.add_rows(image, dy, pieces))
    }

    pub(in super::super) fn add_rows(&mut self, image: &Image, dy: Range<u32>, pieces: &Pieces) -> Result<(), Ended> {
        self.add_differences([image, image], dy.start.into()..dy.end.min(image.height() + 1).into(), true, pieces)
    }

    /// Adds the pairs of one point of `image` and one of `other`, row by row.
    pub(in super::super) fn add_rows_cross(&mut self, image: &Image, other: &Image) -> Result<(), Error> {
        let [min, max] = image.difference(other, 1);
        whole(|pieces| self.add_differences([image, other], min..max + 1, false, pieces))
    }

    /// Adds the pairs of `a` and `b` whose difference of y is in `dy`. If `once`, `a` and `b` are
    /// the same image and each pair counts once.
    fn add_differences(
        &mut self,
        [a, b]: [&Image; 2],
        dy: Range<i64>,
        once: bool,
        pieces: &Pieces,
    ) -> Result<(), Ended> {
        let max_dx = a.difference(b, 0).map(i64::unsigned_abs).into_iter().max().unwrap_or(0);
        let mut bins = Vec::new();
        for dy in dy {
            self.bins.of_row(dy.unsigned_abs(), max_dx, &mut bins)?;
            if bins.is_empty() {
                continue;
            }
            let mut here = (0, 0);
            a.pairs(b, dy, bins.len() as u32 - 1, pieces, |dx, count, sum| {
                let bin = bins[dx.unsigned_abs() as usize];
                if dx == 0 && dy == 0 && once {
                    here = (here.0 + count, here.1 + i128::from(sum));
                } else if let Some(bin) = bin.filter(|_| dx > 0 || dy != 0 || !once) {
                    self.add(bin as usize, count, sum.into());
                }
            })?;
            if let Some(bin) = bins[0].filter(|_| dy == 0 && once) {
                let (count, sum) = a.without_self(here.0, here.1);
                self.add(bin as usize, count, sum);
            }
        }
        Ok(())
    }
}
