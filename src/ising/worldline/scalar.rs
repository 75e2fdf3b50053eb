//! The references: one boundary at a time.

use super::contract::{DONE, FAR, NEEDS_BREAKS, NEEDS_RANDOM, NEEDS_ROOM, PAD, gap, is_up, write_breaks};
use super::{Worldline, WorldlineRun};

/// # Safety
/// As for [`super::worldline_sweep_i32()`].
pub(super) unsafe extern "C" fn worldline_sweep_i32(
    run: *mut WorldlineRun,
    fields: *const i32,
    couplings: *const i32,
) -> u32 {
    // SAFETY: the caller's contract.
    unsafe { sweep(run, fields, couplings) }
}

/// # Safety
/// As for [`super::worldline_sweep_f64()`].
pub(super) unsafe extern "C" fn worldline_sweep_f64(
    run: *mut WorldlineRun,
    fields: *const f64,
    couplings: *const f64,
) -> u32 {
    // SAFETY: the caller's contract.
    unsafe { sweep(run, fields, couplings) }
}

/// # Safety
/// As for [`super::worldline_breaks()`].
pub(super) unsafe extern "C" fn worldline_breaks(
    random: *const u32,
    n: usize,
    scale: f64,
    start: u32,
    breaks: *mut u32,
) {
    // SAFETY: the caller's arrays.
    unsafe { breaks_one_by_one(random, n, scale, u64::from(start), breaks) };
}

/// Returns the position after the last break.
///
/// # Safety
/// As for [`super::worldline_breaks()`].
#[inline(always)]
pub(super) unsafe fn breaks_one_by_one(
    random: *const u32,
    n: usize,
    scale: f64,
    mut end: u64,
    breaks: *mut u32,
) -> u64 {
    for k in 0..n {
        // SAFETY: the caller's arrays.
        unsafe {
            let [low, high] = random.add(2 * k).cast::<[u32; 2]>().read_unaligned();
            let gap = gap(u64::from(low) | u64::from(high) << 32, scale);
            end = write_breaks(&[gap], end, breaks.add(k));
        }
    }
    end
}

/// A line and its kinks.
#[derive(Clone, Copy)]
pub(super) struct Path {
    pub line: Worldline,
    pub kinks: *const i32,
}

impl Path {
    /// # Safety
    /// `lines` and `kinks` have row `row`.
    #[inline(always)]
    pub unsafe fn new(lines: *const Worldline, kinks: *const i32, stride: usize, row: usize) -> Self {
        // SAFETY: the caller's row.
        unsafe { Path { line: lines.add(row).read_unaligned(), kinks: kinks.add(stride * row) } }
    }

    /// # Safety
    /// The row has as many kinks.
    unsafe fn kink(&self, k: usize) -> i32 {
        // SAFETY: the caller's row.
        unsafe { self.kinks.add(k).read_unaligned() }
    }

    /// The sum of the spins of slices 0 to `last`.
    ///
    /// # Safety
    /// The row has its kinks.
    pub unsafe fn prefix(&self, last: i32) -> i32 {
        let (mut sum, mut spin, mut begin) = (0, self.line.spin, 0);
        for k in 0..self.line.count as usize {
            // SAFETY: a kink of the row.
            let kink = unsafe { self.kink(k) };
            if kink > last {
                break;
            }
            sum += spin * (kink + 1 - begin);
            (begin, spin) = (kink + 1, -spin);
        }
        sum + spin * (last + 1 - begin)
    }
}

/// Couplings and fields of a kernel.
pub(super) trait Value: Copy {
    fn product(self, prefix: i32) -> Self;
    fn plus(self, b: Self) -> Self;
    fn minus(self, b: Self) -> Self;
    fn double(self) -> f64;
}

impl Value for i32 {
    #[inline(always)]
    fn product(self, prefix: i32) -> i32 {
        self.wrapping_mul(prefix)
    }

    #[inline(always)]
    fn plus(self, b: i32) -> i32 {
        self.wrapping_add(b)
    }

    #[inline(always)]
    fn minus(self, b: i32) -> i32 {
        self.wrapping_sub(b)
    }

    fn double(self) -> f64 {
        f64::from(self)
    }
}

impl Value for f64 {
    #[inline(always)]
    fn product(self, prefix: i32) -> f64 {
        self * f64::from(prefix)
    }

    #[inline(always)]
    fn plus(self, b: f64) -> f64 {
        self + b
    }

    #[inline(always)]
    fn minus(self, b: f64) -> f64 {
        self - b
    }

    fn double(self) -> f64 {
        self
    }
}

/// The field and the couplings of the lines.
#[derive(Clone, Copy)]
pub(super) struct Weights<T> {
    pub fields: *const T,
    pub couplings: *const T,
}

impl WorldlineRun {
    /// # Safety
    /// As for [`super::worldline_sweep_i32()`]; the row exists.
    #[inline(always)]
    pub(super) unsafe fn path(&self, row: usize) -> Path {
        // SAFETY: the caller's row.
        unsafe { Path::new(self.lines, self.kinks, self.stride, row) }
    }

    /// The links of a row.
    ///
    /// # Safety
    /// As for [`path`](Self::path).
    #[inline(always)]
    pub(super) unsafe fn links(&self, row: usize) -> core::ops::Range<usize> {
        // SAFETY: the caller's arrays.
        unsafe {
            let [begin, end] = self.starts.add(row).cast::<[u32; 2]>().read_unaligned();
            begin as usize..end as usize
        }
    }

    /// The row at the other end of a link.
    ///
    /// # Safety
    /// As for [`path`](Self::path).
    #[inline(always)]
    pub(super) unsafe fn neighbour(&self, link: usize) -> usize {
        // SAFETY: the caller's arrays.
        unsafe { self.neighbours.add(link).read_unaligned() as usize }
    }

    /// The field and the interaction summed over the slices from 0 to `last` of line `row`.
    ///
    /// # Safety
    /// As for [`path`](Self::path).
    unsafe fn sum<T: Value>(&self, weights: Weights<T>, row: usize, last: i32) -> T {
        // SAFETY: the caller's row, its links and the lines at their ends.
        unsafe {
            let own = weights.fields.add(row).read_unaligned().product(last.wrapping_add(1));
            self.links(row).fold(own, |sum, link| {
                let prefix = self.path(self.neighbour(link)).prefix(last);
                sum.plus(weights.couplings.add(link).read_unaligned().product(prefix))
            })
        }
    }

    /// The exponent of segment `k`, of `m`, which begins after its boundary.
    ///
    /// # Safety
    /// As for [`path`](Self::path); there are `m` boundaries.
    pub(super) unsafe fn exponent<T: Value>(
        &self,
        weights: Weights<T>,
        row: usize,
        boundaries: *const i32,
        m: usize,
        k: usize,
    ) -> f64 {
        // SAFETY: the caller's boundaries, and the row.
        unsafe {
            let sum = |k: usize| self.sum(weights, row, boundaries.add(k).read_unaligned());
            let next = match k + 1 == m {
                true => sum(0).plus(self.sum(weights, row, self.slices as i32 - 1)),
                false => sum(k + 1),
            };
            next.minus(sum(k)).double() * self.scale
        }
    }

    /// The exact decision for segment `k`.
    ///
    /// # Safety
    /// As for [`exponent`](Self::exponent).
    #[cold]
    #[inline(never)]
    pub(super) unsafe fn decide<T: Value>(
        &self,
        weights: Weights<T>,
        row: usize,
        boundaries: *const i32,
        m: usize,
        k: usize,
    ) -> bool {
        // SAFETY: the caller's arrays.
        unsafe {
            let exponent = self.exponent(weights, row, boundaries, m, k);
            let random = self.random.add(self.random_at + k).read_unaligned();
            is_up(exponent, random, self.ties, self.decided.wrapping_add(k as u64))
        }
    }

    /// Merges the kinks of a line and its `breaks` into `boundaries`; without any, the last slice is one. Returns the
    /// number of boundaries, after which [`PAD`] words are [`FAR`].
    ///
    /// # Safety
    /// As for [`path`](Self::path); there is room.
    #[inline(always)]
    pub(super) unsafe fn merge(&self, path: Path, breaks: usize) -> usize {
        // SAFETY: the caller's arrays; a word of `FAR` follows the kinks.
        unsafe {
            let m = path.line.count as usize + breaks;
            let mut at = 0;
            for k in 0..m {
                let kink = path.kinks.add(at).read_unaligned();
                let next = self.breaks.add(self.break_at + k - at).read_unaligned().wrapping_sub(self.base) as i32;
                // The words after the kinks, and the break behind the line, exceed every boundary.
                self.boundaries.add(k).write_unaligned(kink.min(next));
                at += usize::from(kink <= next);
            }
            if m == 0 {
                self.boundaries.write_unaligned(self.slices as i32 - 1);
            }
            let m = m.max(1);
            (0..PAD).for_each(|k| self.boundaries.add(m + k).write_unaligned(FAR));
            m
        }
    }

    /// Whether the line `first`, with as many breaks, can be visited: if not, what it needs. Otherwise, the number of
    /// its boundaries.
    #[inline(always)]
    pub(super) fn needs(&self, kinks: usize, breaks: usize) -> Result<usize, u32> {
        let m = (kinks + breaks).max(1);
        if self.break_at + breaks >= self.break_count {
            Err(NEEDS_BREAKS)
        } else if m > self.room {
            Err(NEEDS_ROOM)
        } else if m > self.random_count - self.random_at {
            Err(NEEDS_RANDOM)
        } else {
            Ok(m)
        }
    }

    /// Counts the line `first` as visited.
    #[inline(always)]
    pub(super) fn advance(&mut self, breaks: usize, m: usize) {
        self.break_at += breaks;
        self.random_at += m;
        self.decided = self.decided.wrapping_add(m as u64);
        self.base = self.base.wrapping_add(self.slices);
        self.first += 1;
        self.count -= 1;
    }
}

/// # Safety
/// As for [`super::worldline_sweep_i32()`].
unsafe fn sweep<T: Value>(run: *mut WorldlineRun, fields: *const T, couplings: *const T) -> u32 {
    let weights = Weights { fields, couplings };
    // SAFETY: the caller's contract; the copy is used in place of the original.
    let mut copy = unsafe { run.read_unaligned() };
    let stop = visit_all(&mut copy, weights);
    // SAFETY: the caller's contract.
    unsafe { run.write_unaligned(copy) };
    stop
}

fn visit_all<T: Value>(run: &mut WorldlineRun, weights: Weights<T>) -> u32 {
    while run.count > 0 {
        // SAFETY: the caller's arrays, of which `needs` checks the lengths.
        unsafe {
            let path = run.path(run.first);
            let is_inside = |&at: &usize| run.breaks.add(at).read_unaligned().wrapping_sub(run.base) < run.slices;
            let breaks = (run.break_at..run.break_count).take_while(is_inside).count();
            let m = match run.needs(path.line.count as usize, breaks) {
                Ok(m) => m,
                Err(stop) => return stop,
            };
            run.merge(path, breaks);
            redraw(run, weights, m, size_of::<T>() == size_of::<f64>());
            run.advance(breaks, m);
        }
    }
    DONE
}

/// Redraws the segments of a line.
///
/// # Safety
/// As for [`WorldlineRun::decide`]; the boundaries are those of line `first`.
unsafe fn redraw<T: Value>(run: &WorldlineRun, weights: Weights<T>, m: usize, has_even: bool) {
    // SAFETY: the caller's arrays.
    unsafe {
        let row = run.first;
        let boundary = |k: usize| run.boundaries.add(k).read_unaligned();
        let kinks = run.kinks.add(run.stride * row);
        let mut is_up = run.decide(weights, row, run.boundaries, m, m - 1);
        let mut line = run.lines.add(row).read_unaligned();
        (line.count, line.spin) = (0, if is_up { 1 } else { -1 });
        let (mut sum, mut even) = (0, 0u32);
        for k in 0..m {
            let was_up = is_up;
            // An empty segment copies its predecessor.
            if k == m - 1 {
                is_up = line.spin > 0;
            } else if boundary(k) != boundary(k + 1) {
                is_up = run.decide(weights, row, run.boundaries, m, k);
            }
            let length =
                if k == m - 1 { run.slices as i32 - boundary(k) + boundary(0) } else { boundary(k + 1) - boundary(k) };
            sum += if is_up { length } else { -length };
            if is_up != was_up {
                kinks.add(line.count as usize).write_unaligned(boundary(k));
                even = even.wrapping_add(if line.count.is_multiple_of(2) { boundary(k) as u32 } else { 0 });
                line.count += 1;
            }
        }
        line.magnetisation = sum;
        if has_even {
            line.even = even;
        }
        (0..PAD).for_each(|k| kinks.add(line.count as usize + k).write_unaligned(FAR));
        run.lines.add(row).write_unaligned(line);
    }
}

/// # Safety
/// As for [`super::worldline_overlaps()`].
pub(super) unsafe extern "C" fn worldline_overlaps(
    lines: *const Worldline,
    kinks: *const i32,
    stride: usize,
    row: usize,
    others: *const u32,
    n: usize,
    overlaps: *mut i32,
) {
    // SAFETY: the caller's lines.
    unsafe {
        let own = Path::new(lines, kinks, stride, row);
        for at in 0..n {
            let other = Path::new(lines, kinks, stride, others.add(at).read_unaligned() as usize);
            let (mut sum, mut spin, mut before) = (0, own.line.spin, 0);
            for k in 0..own.line.count as usize {
                let prefix = other.prefix(own.kink(k));
                sum += spin * (prefix - before);
                (before, spin) = (prefix, -spin);
            }
            overlaps.add(at).write_unaligned(sum + spin * (other.line.magnetisation - before));
        }
    }
}
