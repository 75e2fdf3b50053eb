//! Where the lanes of interlaced layers end: what lies below the first group and above the last ones.

use core::array::from_fn;

/// The layers of one site in the lanes of a group.
pub(super) trait Row: Copy {
    /// Lane `k` gets lane `k + 1`, the last of `lanes` gets lane 0. What idle lanes get has no meaning, here and below.
    fn up(self, lanes: usize) -> Self;

    /// Lane `k` gets lane `k - 1`, lane 0 gets the last of `lanes`.
    fn down(self, lanes: usize) -> Self;

    /// The first `count` lanes, then those of `rest`.
    fn then(self, count: usize, rest: Self) -> Self;
}

impl Row for u64 {
    fn up(self, lanes: usize) -> Self {
        self >> 1 & !(1 << (lanes - 1)) | (self & 1) << (lanes - 1)
    }

    fn down(self, lanes: usize) -> Self {
        self << 1 | self >> (lanes - 1) & 1
    }

    fn then(self, count: usize, rest: Self) -> Self {
        let first = u64::MAX >> (64 - count);
        self & first | rest & !first
    }
}

impl<T: Copy, const N: usize> Row for [T; N] {
    #[inline]
    fn up(mut self, lanes: usize) -> Self {
        let first = self[0];
        self.copy_within(1.., 0);
        self[lanes - 1] = first;
        self
    }

    #[inline]
    fn down(mut self, lanes: usize) -> Self {
        let last = self[lanes - 1];
        self.copy_within(..N - 1, 1);
        self[0] = last;
        self
    }

    #[inline]
    fn then(self, count: usize, rest: Self) -> Self {
        from_fn(|lane| if lane < count { self[lane] } else { rest[lane] })
    }
}

/// All lanes have a layer in each group below the last one. There, only the first `long` lanes have one. At least two
/// groups have all lanes, so that adjacent layers are in different groups.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    /// Rows of a group.
    pub sites: usize,
    pub lanes: usize,
    pub long: usize,
    pub last: usize,
}

impl Ends {
    /// Whether a lane ends in a group: not all layers above are those of the next group.
    pub fn is_top(self, group: usize) -> bool {
        group == self.last || self.has_short() && group + 1 == self.last
    }

    /// Whether lanes are idle in a group.
    pub fn is_idle(self, group: usize) -> bool {
        group == self.last && self.has_short()
    }

    /// Whether lanes end below the last group.
    pub fn has_short(self) -> bool {
        self.long < self.lanes
    }

    /// The layers beside a group of each site from `first` on that are no rows of adjacent groups: below group 0 in
    /// `floor`, above the end of a lane in `ceiling`. `rows` are those of all groups.
    pub fn beside<R: Row>(self, group: usize, rows: &[R], first: usize, floor: &mut [R], ceiling: &mut [R]) {
        let row = |site: usize| move |group: usize| rows[group * self.sites + site];
        if group == 0 {
            (first..).zip(floor).for_each(|(site, floor)| *floor = self.below(0, row(site)));
        }
        if self.is_top(group) {
            (first..).zip(ceiling).for_each(|(site, ceiling)| *ceiling = self.above(group, row(site)));
        }
    }

    /// The layers above a group, by the rows of one site in all groups.
    pub fn above<R: Row>(self, group: usize, row: impl Fn(usize) -> R) -> R {
        match group {
            _ if group == self.last => row(0).up(self.lanes),
            _ if self.is_top(group) => row(self.last).then(self.long, row(0).up(self.lanes)),
            _ => row(group + 1),
        }
    }

    /// The layers below a group.
    pub fn below<R: Row>(self, group: usize, row: impl Fn(usize) -> R) -> R {
        match group.checked_sub(1) {
            Some(below) => row(below),
            None if self.has_short() => row(self.last).then(self.long, row(self.last - 1)).down(self.lanes),
            None => row(self.last).down(self.lanes),
        }
    }
}
