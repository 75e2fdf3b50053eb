//! Points with integer coordinates.

use alloc::vec::Vec;
use core::ops::Range;

use super::accumulator::{Accumulator, unpack};
use super::{MAX_PAIRS, Psi, offsets};
use crate::error::Error;
use crate::error::exactly;
use crate::memory;

/// The maximum difference of two points in x, and in y.
pub const MAX_EXTENT: u32 = 1 << 20;

/// Points of an image, with integer coordinates, sorted into rows.
///
/// Pairs are counted row against row: each difference of y has a table with a word for each
/// difference of x. The differences of y, from 0 to [`Image::height`], are the units of work that
/// threads can share. An image takes 8 bytes per point (16 during construction) and 48 per row;
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

/// Consecutive points of one row.
#[derive(Clone, Copy)]
struct PointRun<'a> {
    x: &'a [i32],
    /// Empty if pairs are only counted.
    psi: &'a [Psi],
    multiplicity: usize,
}

impl PointRun<'_> {
    fn part(self, range: Range<usize>) -> Self {
        PointRun { x: &self.x[range.clone()], psi: self.psi.get(range).unwrap_or(&[]), ..self }
    }

    /// The points within `reach` of the positions from `first` to `last`.
    fn near(self, first: i32, last: i32, reach: u32) -> Self {
        let begin = self.x.partition_point(|&x| x < first && x.abs_diff(first) > reach);
        let end = self.x.partition_point(|&x| x < last || x.abs_diff(last) <= reach);
        self.part(begin..end.max(begin))
    }

    /// Parts of at most `max` points.
    fn chunks(self, max: usize) -> impl Iterator<Item = Self> {
        (0..self.x.len()).step_by(max).map(move |at| self.part(at..self.x.len().min(at + max)))
    }

    /// The maximum number of pairs that one point of another run adds to a word.
    fn max_pairs_per_word(self) -> usize {
        self.multiplicity.min(self.x.len())
    }
}

/// The words for one difference of y, one word for each difference of x. They are emptied before
/// any of them can overflow.
struct Table<F> {
    words: Vec<i64>,
    /// Index of the word for difference 0.
    middle: usize,
    /// The largest difference of x that counts.
    reach: u32,
    /// Whether no difference of x is larger than `reach`.
    whole: bool,
    /// Upper bound of the number of pairs in any word.
    pending: usize,
    /// Called with the difference of x, the number of pairs and their sum.
    each: F,
}

/// Maximum number of points in a strip: the part of a row that is compared at once with the points
/// of another row within reach.
const STRIP: usize = 64;

impl<F: FnMut(i32, u64, i64)> Table<F> {
    /// For two images and a difference of x of at most `reach`.
    fn new(a: &Image, b: &Image, reach: u32, each: F) -> Result<Self, Error> {
        let max_dx = a.difference(b, 0).map(i64::unsigned_abs).into_iter().max().unwrap_or(0);
        // A strip is at most `reach` wide, so no difference exceeds twice that.
        let middle = max_dx.min(2 * u64::from(reach)) as usize;
        let words = memory::filled(2 * middle + 1, 0)?;
        Ok(Table { words, middle, reach, whole: max_dx <= u64::from(reach), pending: 0, each })
    }

    fn add_rows(&mut self, a: PointRun, b: PointRun) {
        if self.whole {
            return self.add(a, b);
        }
        let mut rest = a;
        while let Some(&first) = rest.x.first() {
            let strip = rest.x.iter().take(STRIP).take_while(|x| x.abs_diff(first) <= self.reach).count();
            self.add(rest.part(0..strip), b.near(first, rest.x[strip - 1], self.reach));
            rest = rest.part(strip..rest.x.len());
        }
    }

    /// Adds all pairs of two runs. Every difference has a word.
    fn add(&mut self, a: PointRun, b: PointRun) {
        if a.psi.len() != a.x.len() || b.psi.len() != b.x.len() {
            return self.count(a, b);
        }
        // One point of `a` adds at most `b.max_pairs_per_word()` pairs to a word, and vice versa.
        // So no two chunks can overflow an empty word.
        for b in b.chunks(MAX_PAIRS) {
            for a in a.chunks(MAX_PAIRS / b.max_pairs_per_word().max(1)) {
                let added = (a.x.len() * b.max_pairs_per_word()).min(b.x.len() * a.max_pairs_per_word());
                if self.pending + added > MAX_PAIRS {
                    self.read();
                }
                self.pending += added;
                let (psi, other_psi) = (a.psi.as_ptr().cast(), b.psi.as_ptr().cast());
                // SAFETY: each position has an orientation, a pair of integers in range; all
                // differences have words.
                unsafe {
                    let words = self.words.as_mut_ptr().add(self.middle);
                    offsets(a.x.as_ptr(), psi, a.x.len(), b.x.as_ptr(), other_psi, b.x.len(), words);
                }
            }
        }
    }

    /// Counts all pairs of two runs without orientations. A word is then a plain number of pairs
    /// and cannot overflow.
    fn count(&mut self, a: PointRun, b: PointRun) {
        let words = self.words.as_mut_ptr().wrapping_add(self.middle);
        let (blocks, rest) = a.x.as_chunks::<8>();
        for block in blocks {
            // SAFETY: all differences have words.
            unsafe { count_block(block.map(|x| words.wrapping_offset(-(x as isize))), b.x) }
        }
        for &x in rest {
            // SAFETY: all differences have words.
            unsafe { count_block([words.wrapping_offset(-(x as isize))], b.x) }
        }
    }

    /// Passes all words to `each`, and clears them.
    fn read(&mut self) {
        let counted = self.pending == 0;
        let reach = self.middle.min(self.reach as usize);
        let first = self.middle - reach;
        for (offset, word) in self.words[first..=self.middle + reach].iter().enumerate().filter(|(_, word)| **word != 0)
        {
            let (count, sum) = if counted { (*word as u64, 0) } else { unpack(*word) };
            (self.each)(offset as i32 - reach as i32, count, sum);
        }
        self.words.fill(0);
        self.pending = 0;
    }
}

/// Adds 1 to word `origin + x` for each origin and each x.
///
/// # Safety
/// All these words can be read and written.
unsafe fn count_block<const N: usize>(origins: [*mut i64; N], x: &[i32]) {
    for &x in x {
        for origin in origins {
            // SAFETY: the caller's contract.
            unsafe { *origin.wrapping_offset(x as isize) += 1 }
        }
    }
}

impl Image {
    /// Sorts points: point i is at (`x[i]`, `y[i]`) and has the orientation `psi[i]`. Points may
    /// coincide.
    ///
    /// # Errors
    /// [`Error::Length`] if the slices differ in length; [`Error::TooLarge`] if points are more
    /// than [`MAX_EXTENT`] apart in x or in y; [`Error::NoMemory`].
    pub fn new(x: &[i32], y: &[i32], psi: &[Psi]) -> Result<Self, Error> {
        exactly("psi", x.len(), psi.len())?;
        Self::sorted(x, y, Some(psi))
    }

    /// Sorts points without orientations: all products and sums are 0, and counting is faster.
    ///
    /// # Errors
    /// Same as for [`Image::new`].
    pub fn of_positions(x: &[i32], y: &[i32]) -> Result<Self, Error> {
        Self::sorted(x, y, None)
    }

    fn sorted(x: &[i32], y: &[i32], psi: Option<&[Psi]>) -> Result<Self, Error> {
        exactly("y", x.len(), y.len())?;
        let n = x.len();
        let mut image = Image { x: Vec::new(), psi: Vec::new(), rows: Vec::new(), lowest: [0; 2], extent: [0; 2] };
        for (axis, (argument, values)) in [("x", x), ("y", y)].into_iter().enumerate() {
            let lowest = values.iter().min().copied().unwrap_or(0);
            let extent = values.iter().max().map_or(0, |max| max.abs_diff(lowest));
            if extent > MAX_EXTENT {
                return Err(Error::TooLarge { argument });
            }
            (image.lowest[axis], image.extent[axis]) = (lowest, extent);
        }
        let mut order = memory::collected(0..n)?;
        order.sort_unstable_by_key(|&i| (y[i], x[i]));
        image.x = memory::collected(order.iter().map(|&i| x[i]))?;
        if let Some(psi) = psi {
            image.psi = memory::collected(order.iter().map(|&i| psi[i]))?;
        }
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

    /// The smallest and the largest difference from a point of `self` to a point of `other`, in x
    /// (axis 0) or y (axis 1).
    fn difference(&self, other: &Image, axis: usize) -> [i64; 2] {
        let [a, b] = [self, other].map(|image| i64::from(image.lowest[axis]));
        [b - a - i64::from(self.extent[axis]), b - a + i64::from(other.extent[axis])]
    }

    fn row(&self, row: usize) -> PointRun<'_> {
        let whole = PointRun { x: &self.x, psi: &self.psi, multiplicity: self.rows[row].multiplicity };
        whole.part(self.rows[row].first..self.rows[row + 1].first)
    }

    /// Calls `each(dx, pairs, sum)`, possibly several times per dx, for all pairs of a point of
    /// `self` and a point of `other` that is `dy` above it and at most `reach` away in x.
    fn pairs(&self, other: &Image, dy: i64, reach: u32, each: impl FnMut(i32, u64, i64)) -> Result<(), Error> {
        let mut table = Table::new(self, other, reach, each)?;
        let [rows, others] = [self, other].map(|image| &image.rows[..image.rows.len() - 1]);
        let mut at = 0;
        for (number, row) in rows.iter().enumerate() {
            let y = i64::from(row.y) + dy;
            at += others[at..].iter().take_while(|other| i64::from(other.y) < y).count();
            if others.get(at).is_some_and(|other| i64::from(other.y) == y) {
                table.add_rows(self.row(number), other.row(at));
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
        self.pairs(self, i64::from(dy), reach as u32, |dx, count, sum| {
            let slot: &mut (u64, i128) = &mut found[(reach as isize + dx as isize) as usize];
            *slot = (slot.0 + count, slot.1 + i128::from(sum));
        })?;
        if dy == 0 {
            found[..reach].fill((0, 0));
            found[reach] = self.without_self(found[reach].0, found[reach].1);
        }
        pairs.copy_from_slice(&found);
        Ok(())
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
        Self::sorted(&x, &y, orientations.then_some(&psi))
    }

    /// The number of rows that have points.
    pub(super) fn occupied_rows(&self) -> usize {
        self.rows.len() - 1
    }

    /// The orientations in the order of rows; empty if the points have none.
    pub(super) fn orientations(&self) -> &[Psi] {
        &self.psi
    }

    /// Calls `each` with the squared distance and the product of each pair of one of the points `firsts`, in
    /// the order of rows, and one that follows it, if it is less than `reach` away in y.
    pub(super) fn for_each_pair(&self, firsts: Range<usize>, reach: u32, mut each: impl FnMut(u64, i64)) {
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

impl Accumulator {
    /// Adds the pairs of an image whose difference of y is in `dy`. Differences from 0 to the
    /// [height](Image::height) cover all pairs.
    ///
    /// # Errors
    /// [`Error::NoMemory`].
    pub fn add_image_rows(&mut self, image: &Image, dy: Range<u32>) -> Result<(), Error> {
        self.add_differences(image, image, dy.start.into()..dy.end.min(image.height() + 1).into(), true)
    }

    /// Adds the pairs of one point of `image` and one of `other`, row by row.
    pub(super) fn add_rows_cross(&mut self, image: &Image, other: &Image) -> Result<(), Error> {
        let [min, max] = image.difference(other, 1);
        self.add_differences(image, other, min..max + 1, false)
    }

    /// Adds the pairs of `a` and `b` whose difference of y is in `dy`. If `once`, `a` and `b` are
    /// the same image and each pair counts once.
    fn add_differences(&mut self, a: &Image, b: &Image, dy: Range<i64>, once: bool) -> Result<(), Error> {
        let max_dx = a.difference(b, 0).map(i64::unsigned_abs).into_iter().max().unwrap_or(0);
        let mut bins = Vec::new();
        for dy in dy {
            self.bins.of_row(dy.unsigned_abs(), max_dx, &mut bins)?;
            if bins.is_empty() {
                continue;
            }
            let mut here = (0, 0);
            a.pairs(b, dy, bins.len() as u32 - 1, |dx, count, sum| {
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
