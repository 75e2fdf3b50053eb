//! Matrices as lines: the columns of a column-major matrix, the rows of a row-major one.
//!
//! Elements of a line are contiguous in every storage of level 2, so the routines differ only in
//! where a line begins and which of its elements are stored.

use core::ops::Range;

/// Where element `p` of line `l` is.
#[derive(Clone, Copy)]
enum Storage {
    /// At `l * stride + p`. Lines of a band are one less apart than its columns in memory, because each
    /// begins one row further down.
    Strided(isize),
    /// Lines of 1, 2, .. elements follow each other.
    PackedUpper,
    /// Lines of n, n - 1, .. elements follow each other.
    PackedLower,
}

/// `count` lines of `length` elements. A line holds the elements from `before` places before its
/// diagonal one to `after` behind it.
///
/// A triangle is upper if its lines end at the diagonal: the upper one in columns, the lower one in rows.
#[derive(Clone, Copy)]
pub(super) struct Lines<T> {
    at: *mut T,
    storage: Storage,
    pub count: usize,
    pub length: usize,
    before: usize,
    after: usize,
    /// Whether the diagonal is taken as ones, and not read.
    pub unit: bool,
}

impl<T> Lines<T> {
    pub(super) fn dense(at: *const T, count: usize, length: usize, stride: usize) -> Self {
        let storage = Storage::Strided(stride as isize);
        Lines { at: at.cast_mut(), storage, count, length, before: count, after: length, unit: false }
    }

    /// The diagonal element of each line is `before` places behind its start in memory.
    pub(super) fn band(at: *const T, [count, length]: [usize; 2], stride: usize, before: usize, after: usize) -> Self {
        let at = at.wrapping_add(before).cast_mut();
        Lines { at, storage: Storage::Strided(stride as isize - 1), count, length, before, after, unit: false }
    }

    pub(super) fn triangle(at: *const T, n: usize, stride: usize, is_upper: bool) -> Self {
        let (before, after) = if is_upper { (n, 0) } else { (0, n) };
        Lines { before, after, ..Self::dense(at, n, n, stride) }
    }

    pub(super) fn packed(at: *const T, n: usize, is_upper: bool) -> Self {
        let storage = if is_upper { Storage::PackedUpper } else { Storage::PackedLower };
        Lines { storage, ..Self::triangle(at, n, 0, is_upper) }
    }

    pub(super) fn with_unit_diagonal(self, unit: bool) -> Self {
        Lines { unit, ..self }
    }

    /// Copies of the lines of `block` with element (l, p) at `at + p * stride + l - block.start`: the
    /// transpose of their square at the diagonal.
    pub(super) fn transposed_square(self, block: Range<usize>, at: *mut T, stride: usize) -> Self {
        let (storage, n) = (Storage::Strided(stride as isize), block.len());
        Lines { at, storage, count: n, length: n, before: self.after, after: self.before, ..self }
    }

    pub(super) fn is_upper(&self) -> bool {
        self.after == 0
    }

    /// Whether all elements are stored.
    pub(super) fn is_full(&self) -> bool {
        self.before >= self.count && self.after >= self.length
    }

    /// Whether lines do not end at the ends of the matrix alone.
    pub(super) fn is_band(&self) -> bool {
        self.before < self.count && self.after < self.length
    }

    /// Elements of a line that are read before its diagonal one, and behind it. A diagonal of ones is not read.
    #[inline(always)]
    pub(super) fn reach(&self) -> (isize, isize) {
        let (before, after) = (self.before as isize, self.after as isize);
        match (self.unit, self.is_upper()) {
            (true, true) => (before, -1),
            (true, false) => (-1, after),
            (false, _) => (before, after),
        }
    }

    /// The lines of a block that have an element of `rows`, and among these the ones that have all. If there are none
    /// with all of them, that range is empty at the end of the first one.
    #[inline(always)]
    pub(super) fn having(&self, rows: Range<usize>, block: &Range<usize>) -> [Range<usize>; 2] {
        let (before, after) = self.reach();
        let (first, last) = (rows.start as isize, rows.end as isize - 1);
        let within = |l: isize| l.clamp(block.start as isize, block.end as isize) as usize;
        let (begin, end) = (within(first - after), within(last + before + 1));
        let (full_begin, full_end) = (within(last - after), within(first + before + 1));
        let end = end.max(begin);
        if full_begin < full_end { [begin..end, full_begin..full_end] } else { [begin..end, end..end] }
    }

    /// Number of elements of the longest lines of a triangle.
    pub(super) fn width(&self) -> usize {
        self.before.saturating_add(self.after).saturating_add(1)
    }

    /// The distance of an element from that of the next line, if it is always the same.
    #[inline(always)]
    pub(super) fn stride(&self) -> Option<isize> {
        match self.storage {
            Storage::Strided(stride) => Some(stride),
            _ => None,
        }
    }

    /// The distance from an element of line `l` to the same one of the line that follows in this order, and how
    /// much the next such distance is longer.
    #[inline(always)]
    pub(super) fn apart(&self, l: usize, order: Order) -> (isize, isize) {
        let (to_next, longer) = match self.storage {
            Storage::Strided(stride) => (stride, 0),
            Storage::PackedUpper => (l as isize + 1, 1),
            Storage::PackedLower => (self.length as isize - l as isize - 1, -1),
        };
        if order == Order::Ascending { (to_next, longer) } else { (longer - to_next, longer) }
    }

    #[inline(always)]
    pub(super) fn pointer(&self, l: usize, p: usize) -> *mut T {
        self.pointer_at(l, p as isize)
    }

    /// [`pointer`](Self::pointer) to an element that need not be there.
    #[inline(always)]
    pub(super) fn pointer_at(&self, l: usize, p: isize) -> *mut T {
        let begin = match self.storage {
            Storage::Strided(stride) => l as isize * stride,
            Storage::PackedUpper => (l * (l + 1) / 2) as isize,
            Storage::PackedLower => (l * (2 * self.length - l - 1) / 2) as isize,
        };
        self.at.wrapping_offset(begin + p)
    }

    /// The elements of line `l` that are stored, and read.
    #[inline(always)]
    pub(super) fn run(&self, l: usize) -> Range<usize> {
        let (mut begin, mut end) = (l.saturating_sub(self.before), (l + self.after + 1).min(self.length));
        match (self.unit, self.is_upper()) {
            (true, true) => end = l,
            (true, false) => begin = l + 1,
            (false, _) => (),
        }
        begin.min(end)..end
    }

    /// Elements within `clip` that every line of `block` has; empty at 0 if there are none.
    #[inline(always)]
    pub(super) fn common(&self, block: &Range<usize>, clip: &Range<usize>) -> Range<usize> {
        let begin = self.run(block.end - 1).start.max(clip.start);
        let end = self.run(block.start).end.min(clip.end);
        if begin < end { begin..end } else { 0..0 }
    }
}

/// The intersection of two ranges, empty if they do not meet.
#[inline(always)]
pub(super) fn both(a: &Range<usize>, b: &Range<usize>) -> Range<usize> {
    let begin = a.start.max(b.start);
    begin..a.end.min(b.end).max(begin)
}

/// The direction in which a chain goes over its terms.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Ascending,
    Descending,
}

impl Order {
    #[inline(always)]
    pub(super) fn step(self) -> isize {
        if self == Order::Ascending { 1 } else { -1 }
    }

    /// The first index of a range that is not empty.
    #[inline(always)]
    pub(super) fn first(self, range: &Range<usize>) -> usize {
        if self == Order::Ascending { range.start } else { range.end - 1 }
    }

    /// The indices of a range.
    #[inline(always)]
    pub(super) fn range(self, range: &Range<usize>) -> impl Iterator<Item = usize> {
        let Range { start, end } = *range;
        (0..range.len()).map(move |i| if self == Order::Ascending { start + i } else { end - 1 - i })
    }

    /// Parts of `0..n` that begin at multiples of `size`.
    pub(super) fn aligned(self, n: usize, size: usize) -> impl Iterator<Item = Range<usize>> {
        let parts = n.div_ceil(size);
        (0..parts).map(move |i| {
            let begin = size * if self == Order::Ascending { i } else { parts - 1 - i };
            begin..n.min(begin + size)
        })
    }

    /// Parts of a range of `size` each, but for the last one, counted from where the chain begins.
    pub(super) fn blocks(self, range: Range<usize>, size: usize) -> impl Iterator<Item = Range<usize>> {
        let (begin, end) = (range.start, range.end);
        (0..range.len()).step_by(size.max(1)).map(move |done| match self {
            Order::Ascending => begin + done..end.min(begin + done + size),
            Order::Descending => begin.max((end - done).saturating_sub(size))..end - done,
        })
    }
}
