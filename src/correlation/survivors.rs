//! The kernel `scatter_below` for vectors of any length; all instruction sets share it.

use super::lanes::{PairVector, Points};
use super::{ONE_PAIR, TABLES};

/// Number of pairs whose bins are computed at once.
const BATCH: usize = 64;

/// Maximum number of lanes.
const MAX_LANES: usize = 16;

/// Pairs below the limit that are not added to their words yet. A batch of them waits with its bins until the
/// next batch is full: additions right after the square roots that they depend on would stall the pairs that
/// follow.
#[repr(C, align(64))]
struct Survivors {
    squares: [f32; BATCH + MAX_LANES],
    products: [i32; BATCH + MAX_LANES],
    count: usize,
    batch: Batch,
}

#[repr(C, align(64))]
struct Batch {
    bins: [u32; BATCH],
    products: [i32; BATCH],
    count: usize,
}

/// The tables, and the bin of a distance.
#[derive(Clone, Copy)]
struct Target<V> {
    tables: [*mut i64; TABLES],
    inverse_width: V,
    start: V,
    last: V,
}

impl Survivors {
    /// Adds the pairs of a point and a vector of others that are below the limit.
    ///
    /// # Safety
    /// Same as for [`PairVector`]; `other` holds a vector; `target` is valid for
    /// [`scatter_below`](super::scatter_below()).
    #[inline(always)]
    unsafe fn add<V: PairVector>(
        &mut self,
        (x, y, psi): (V, V, V::Integers),
        other: Points,
        shift: [V; 2],
        limit: V,
        target: Target<V>,
    ) {
        // SAFETY: less than BATCH pairs wait, so there is room for a vector; the caller's contract.
        unsafe {
            let dx = V::load(other.x).sub(x).add(shift[0]);
            let dy = V::load(other.y).sub(y).add(shift[1]);
            let r2 = dx.mul(dx).add(dy.mul(dy));
            let product = V::product(V::load(other.psi.cast()).bits(), psi);
            let (squares, products) = (self.squares.as_mut_ptr(), self.products.as_mut_ptr());
            self.count += V::compress(r2, product, limit, squares.add(self.count), products.add(self.count));
            if self.count >= BATCH {
                if self.batch.count > 0 {
                    self.batch.add(BATCH, target.tables);
                }
                self.fill_batch(BATCH, target);
                V::load(squares.add(BATCH)).store(squares);
                V::load(products.add(BATCH).cast()).store(products.cast());
                self.count -= BATCH;
            }
        }
    }

    /// Computes the bins of the first `count` pairs, at most [`BATCH`], in place of the batch.
    ///
    /// # Safety
    /// Same as for [`add`](Survivors::add).
    #[inline(always)]
    unsafe fn fill_batch<V: PairVector>(&mut self, count: usize, target: Target<V>) {
        for at in (0..count).step_by(V::LANES) {
            // SAFETY: V::LANES divides BATCH; the caller's contract.
            unsafe {
                let distances = V::load(self.squares.as_ptr().add(at)).root();
                let bins = distances.mul(target.inverse_width).whole(target.start, target.last);
                self.batch.bins.as_mut_ptr().add(at).cast::<V::Integers>().write_unaligned(bins);
                let products = V::load(self.products.as_ptr().add(at).cast());
                products.store(self.batch.products.as_mut_ptr().add(at).cast());
            }
        }
        self.batch.count = count;
    }

    /// Adds all pairs to their words.
    ///
    /// # Safety
    /// Same as for [`add`](Survivors::add).
    #[inline(always)]
    unsafe fn finish<V: PairVector>(&mut self, target: Target<V>) {
        // SAFETY: the caller's contract.
        unsafe {
            self.batch.add(self.batch.count, target.tables);
            self.fill_batch(self.count, target);
            self.batch.add(self.count, target.tables);
        }
    }
}

impl Batch {
    /// Adds the first `count` pairs to their words.
    ///
    /// # Safety
    /// `count` pairs are initialised; every bin index is in range of the tables.
    #[inline(always)]
    unsafe fn add(&self, count: usize, tables: [*mut i64; TABLES]) {
        for at in (0..count / TABLES * TABLES).step_by(TABLES) {
            // SAFETY: `at` and the pairs after it are in the arrays; the caller's contract.
            unsafe {
                // Load two bins at once: loads bound the loop.
                let [first, second] = [0, 2].map(|k| self.bins.as_ptr().add(at + k).cast::<u64>().read_unaligned());
                let bins = [first as u32, (first >> 32) as u32, second as u32, (second >> 32) as u32];
                for k in 0..TABLES {
                    add_pair(tables[k], bins[k], *self.products.as_ptr().add(at + k));
                }
            }
        }
        for k in count / TABLES * TABLES..count {
            // SAFETY: k < count; the caller's contract.
            unsafe { add_pair(tables[k % TABLES], *self.bins.as_ptr().add(k), *self.products.as_ptr().add(k)) }
        }
    }
}

/// # Safety
/// The table has the bin.
#[inline(always)]
unsafe fn add_pair(table: *mut i64, bin: u32, product: i32) {
    // SAFETY: the caller's contract.
    unsafe {
        let word = table.add(bin as usize);
        word.write_unaligned(word.read_unaligned().wrapping_add(ONE_PAIR + i64::from(product)));
    }
}

/// The points after the last whole vector. Padding is infinitely far.
struct Rest<const LANES: usize> {
    x: [f32; LANES],
    y: [f32; LANES],
    psi: [[i16; 2]; LANES],
}

impl<const LANES: usize> Rest<LANES> {
    /// # Safety
    /// There are `n` points.
    unsafe fn new(Points { x, y, psi, n }: Points) -> Self {
        let mut rest = Rest { x: [f32::INFINITY; LANES], y: [0.0; LANES], psi: [[0; 2]; LANES] };
        let first = n - n % LANES;
        for (k, j) in (first..n).enumerate().take(LANES) {
            // SAFETY: j < n.
            unsafe {
                rest.x[k] = x.add(j).read_unaligned();
                rest.y[k] = y.add(j).read_unaligned();
                rest.psi[k] = psi.cast::<[i16; 2]>().add(j).read_unaligned();
            }
        }
        rest
    }

    fn points(&self) -> Points {
        Points { x: self.x.as_ptr(), y: self.y.as_ptr(), psi: self.psi.as_ptr().cast(), n: LANES }
    }
}

/// The kernel.
///
/// # Safety
/// Same as for [`scatter_below`](super::scatter_below()).
#[inline(always)]
pub(super) unsafe fn scatter_below<V: PairVector, const LANES: usize>(
    first: Points,
    other: Points,
    shift: *const f32,
    (limit, inverse_width, start): (f32, f32, f32),
    bins: usize,
    words: *mut i64,
) {
    const { assert!(LANES == V::LANES && BATCH.is_multiple_of(LANES) && LANES <= MAX_LANES) };
    let mut survivors = Survivors {
        squares: [0.0; BATCH + MAX_LANES],
        products: [0; BATCH + MAX_LANES],
        count: 0,
        batch: Batch { bins: [0; BATCH], products: [0; BATCH], count: 0 },
    };
    // SAFETY: there are two shifts; i < first.n; the others are read in whole vectors or from a padded copy;
    // bins are at most `bins`; the caller's contract.
    unsafe {
        let rest = Rest::<LANES>::new(other);
        let shift = [V::splat(shift.read_unaligned()), V::splat(shift.add(1).read_unaligned())];
        let limit = V::splat(limit);
        let target = Target {
            tables: [0, 1, 2, 3].map(|table| words.add(table * (bins + 1))),
            inverse_width: V::splat(inverse_width),
            start: V::splat(start),
            last: V::splat(bins as f32),
        };
        for i in 0..first.n {
            let (x, y) = (V::splat(first.x.add(i).read_unaligned()), V::splat(first.y.add(i).read_unaligned()));
            let psi = V::integers(first.psi.add(2 * i).cast::<i32>().read_unaligned());
            for j in (0..other.n - other.n % LANES).step_by(LANES) {
                survivors.add((x, y, psi), other.from(j), shift, limit, target);
            }
            if !other.n.is_multiple_of(LANES) {
                survivors.add((x, y, psi), rest.points(), shift, limit, target);
            }
        }
        survivors.finish(target);
    }
}
