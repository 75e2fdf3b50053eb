//! The lattice.

use super::contract::words as words_of_row;
use super::rule::LatticeRule;
use super::sites::Sites;
use super::split::Split;
use crate::frame::error::{Error, exactly};
use crate::ising::shape::Acceptance;

/// One square lattice with periodic boundaries and equal couplings, a bit for each spin, driven by a
/// counter-based generator.
///
/// A sweep depends on the spins, the seed and its number alone, not on the order in which spins of one
/// colour are visited, nor on how the rows are divided. So threads can [share](SquareLattice::split) one
/// lattice, and another device can compute the same spins.
///
/// ```
/// use hotloops::ising::{Acceptance, SquareLattice};
///
/// let mut lattice = SquareLattice::new(64, 256, 5489)?;
/// lattice.sweep(0.3, Acceptance::Auto, 100)?;
/// let energy = lattice.energy() as f64 / (64.0 * 256.0); // Onsager: 0.7045
/// assert!((energy - 0.7045).abs() < 0.06);
/// # Ok::<(), hotloops::Error>(())
/// ```
///
/// # Sweeps
/// Site `(i, j)` is even if `i + j` is. A sweep visits all even sites (colour 0), then all odd ones (colour
/// 1). Let `u` be the number of a spin's four bonds that are unsatisfied. With the probabilities `P` of a
/// [`LatticeRule`] and a random number `R` of 48 bits for each visit, the spin flips
///
/// ```text
///              u = 0, 1       u = 2           u = 3, 4
/// Metropolis   if R < P[u]    if R < 2^47     always
/// heat bath    if R < P[u]    if R < 2^47     unless R < P[4 - u]
/// ```
///
/// # Random numbers
/// The sites `(i, j)` of a colour in row `i` have indices `m = floor(j / 2)`. A *block* is 8 consecutive
/// rows, the first a multiple of 8, or fewer at the end, of 64 consecutive `m`, the first one a multiple of 64.
/// Blocks are numbered along the rows of blocks: block `w floor(i / 8) + floor(m / 64)` with `w = ceil(columns /
/// 128)`. A *call* of [`philox4x32`](crate::random::philox4x32) has
///
/// ```text
/// counter   block number, 2 call + colour, lower and upper half of the number of the sweep
/// key       lower and upper half of the seed
/// result    o0 o1 o2 o3: bit m % 64 of the words o0 << 32 | o1 and o2 << 32 | o3 belongs to index m
/// ```
///
/// and so gives two bits of random numbers to each `m` of the block, `k` and `k + 1`, the first word bit
/// `k`. Bit 0 is the most significant one.
///
/// | bits | call |
/// |---|---|
/// | `k = 0, 2` | `2 (i % 8) + k / 2` |
/// | `k = 4, 6 .. 46` | `16 + 22 r + (k - 4) / 2` |
///
/// Here `r` counts from 0 the spins of the same block and `m` whose first four bits equal those of
/// `P`, in the order of their rows, without those whose flip does not depend on `P`. Only these spins need
/// more than four bits, and they take the planes of round `r`. A variant may compute as many calls as
/// it likes: seven bits a spin are used on average.
#[derive(Debug)]
pub struct SquareLattice {
    sites: Sites,
    sweeps: u64,
}

/// Sums over rows of a [`SquareLattice`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LatticeSums {
    /// The sum of `s s'` over the four bonds of each even site: of all rows, the
    /// [energy](SquareLattice::energy).
    pub energy: i64,
    /// The sum of the spins of the even sites.
    pub even: i64,
    /// The sum of the spins of the odd sites. `even + odd` is the [magnetisation](SquareLattice::magnetisation), `even
    /// - odd` the staggered one, the order parameter of an antiferromagnet.
    pub odd: i64,
}

impl SquareLattice {
    /// A lattice of `rows` by `columns` spins of +1, before sweep 0. With two rows or columns, each pair
    /// has two bonds.
    ///
    /// # Errors
    /// [`Error::Even`] if `rows` or `columns` is odd or 0, [`Error::TooLarge`] beyond 2^32 blocks
    /// of 8 rows and 128 columns, [`Error::NoMemory`].
    pub fn new(rows: usize, columns: usize, seed: u64) -> Result<Self, Error> {
        Ok(SquareLattice { sites: Sites::new(rows, columns, seed)?, sweeps: 0 })
    }

    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.sites.rows
    }

    /// Number of columns.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.sites.columns
    }

    /// The key of the generator.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.sites.seed
    }

    /// The number of the next sweep. It is the number of sweeps so far, unless it was set.
    #[must_use]
    pub fn sweeps(&self) -> u64 {
        self.sweeps
    }

    /// Sets the number of the next sweep. A lattice with the same rows, columns, seed, spins and
    /// number continues like the one that they were taken from.
    pub fn set_sweeps(&mut self, sweeps: u64) {
        self.sweeps = sweeps;
    }

    /// Visits every spin `sweeps` times and returns the number of flips: in each sweep all sites `(i,
    /// j)` with even `i + j`, then the odd ones. `beta` is the inverse temperature times the coupling, negative for an
    /// antiferromagnet: a configuration has the weight `exp(beta E)` with the [`energy`](Self::energy) `E`.
    ///
    /// # Errors
    /// [`Error::Beta`] if `beta` is not finite.
    pub fn sweep(&mut self, beta: f64, acceptance: Acceptance, sweeps: u64) -> Result<u64, Error> {
        let rule = LatticeRule::new(beta, acceptance)?;
        let mut flips = 0;
        for _ in 0..sweeps {
            for colour in 0..2 {
                // SAFETY: `self` is borrowed exclusively.
                flips += unsafe { self.sites.visit(rule, colour, 0, self.rows(), self.sweeps) };
            }
            self.sweeps = self.sweeps.wrapping_add(1);
        }
        Ok(flips)
    }

    /// Splits `sweeps` sweeps into `parts` ranges of rows, for threads that run at the same time. There is at
    /// least one part, and at most one for each 8 rows. Spins and flips are those of [`sweep`](Self::sweep).
    ///
    /// ```
    /// # use hotloops::ising::{Acceptance, SquareLattice};
    /// let mut lattice = SquareLattice::new(64, 64, 1)?;
    /// let mut split = lattice.split(0.44, Acceptance::Metropolis, 10, 2)?;
    /// std::thread::scope(|scope| {
    ///     for mut part in split.parts() {
    ///         scope.spawn(move || part.run(std::thread::yield_now));
    ///     }
    /// });
    /// let flips = split.finish();
    /// # let mut alone = SquareLattice::new(64, 64, 1)?;
    /// # assert_eq!(alone.sweep(0.44, Acceptance::Metropolis, 10)?, flips);
    /// # assert_eq!(alone.energy(), lattice.energy());
    /// # Ok::<(), hotloops::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Beta`] if `beta` is not finite, [`Error::NoMemory`].
    pub fn split(&mut self, beta: f64, acceptance: Acceptance, sweeps: u64, parts: usize) -> Result<Split<'_>, Error> {
        let rule = LatticeRule::new(beta, acceptance)?;
        Split::new(&self.sites, &mut self.sweeps, rule, sweeps, parts)
    }

    /// Visits the spins of one colour in some rows, as the next sweep does.
    ///
    /// # Safety
    /// As for [`Sites::visit`].
    pub(in crate::ising) unsafe fn visit(&self, rule: LatticeRule, colour: usize, first: usize, count: usize) -> u64 {
        // SAFETY: the caller's contract.
        unsafe { self.sites.visit(rule, colour, first, count, self.sweeps) }
    }

    /// The length of [`words`](Self::words).
    #[must_use]
    pub fn words_len(&self) -> usize {
        2 * self.rows() * words_of_row(self.columns())
    }

    /// Writes all spins as bits, 1 for -1: the rows of the even colour, then those of the odd one. A row has
    /// `w = ceil(columns / 128)` words; bit `b` of word `k` is column `2 (64 k + b)`, or the next one if that
    /// has the other colour. Other bits are 0.
    ///
    /// # Errors
    /// [`Error::Length`] unless there are [`words_len`](Self::words_len) words.
    pub fn words(&self, words: &mut [u64]) -> Result<(), Error> {
        exactly("words", self.words_len(), words.len())?;
        let len = words_of_row(self.columns());
        for (index, (slot, word)) in words.iter_mut().zip(self.sites.live_words()).enumerate() {
            *slot = word.get() & self.sites.mask(index % len);
        }
        Ok(())
    }

    /// Sets all spins as [`words`](Self::words) writes them. Other bits are ignored.
    ///
    /// # Errors
    /// [`Error::Length`] unless there are [`words_len`](Self::words_len) words.
    pub fn set_words(&mut self, words: &[u64]) -> Result<(), Error> {
        exactly("words", self.words_len(), words.len())?;
        let len = words_of_row(self.columns());
        for (index, (&word, slot)) in words.iter().zip(self.sites.live_words()).enumerate() {
            slot.set(word & self.sites.mask(index % len));
        }
        self.sites.write_ghosts();
        Ok(())
    }

    /// Writes all spins, +1 or -1, row by row.
    ///
    /// # Errors
    /// [`Error::Length`] unless there are `rows * columns` values.
    pub fn spins(&self, spins: &mut [i8]) -> Result<(), Error> {
        exactly("spins", self.rows() * self.columns(), spins.len())?;
        for (index, spin) in spins.iter_mut().enumerate() {
            let (word, bit) = self.sites.place(index);
            *spin = 1 - 2 * (word.get() >> bit & 1) as i8;
        }
        Ok(())
    }

    /// Sets all spins, row by row.
    ///
    /// # Errors
    /// [`Error::Length`] unless there are `rows * columns` values, [`Error::Spin`] for a value other than +1
    /// and -1 (`layer` is its row, `site` its column).
    pub fn set_spins(&mut self, spins: &[i8]) -> Result<(), Error> {
        exactly("spins", self.rows() * self.columns(), spins.len())?;
        if let Some(index) = spins.iter().position(|&spin| spin != 1 && spin != -1) {
            let (layer, site) = (index / self.columns(), index % self.columns());
            return Err(Error::Spin { layer, site, value: spins[index] });
        }
        for (index, &spin) in spins.iter().enumerate() {
            let (word, bit) = self.sites.place(index);
            word.set(word.get() & !(1 << bit) | u64::from(spin < 0) << bit);
        }
        self.sites.write_ghosts();
        Ok(())
    }

    /// The sum of `s s'` over the `2 rows columns` bonds, exactly. The physical energy is its product with
    /// minus the coupling.
    #[must_use]
    pub fn energy(&self) -> i64 {
        self.sums_of(0, self.rows()).energy
    }

    /// The sum of all spins, exactly.
    #[must_use]
    pub fn magnetisation(&self) -> i64 {
        let LatticeSums { even, odd, .. } = self.sums_of(0, self.rows());
        even + odd
    }

    /// The sums over `count` rows from `first` on. Threads can compute those of different rows at the same time.
    ///
    /// ```
    /// # use hotloops::ising::SquareLattice;
    /// let lattice = SquareLattice::new(64, 256, 1)?;
    /// let [upper, lower] = [lattice.sums(0, 40)?, lattice.sums(40, 24)?];
    /// assert_eq!(upper.energy + lower.energy, lattice.energy());
    /// # Ok::<(), hotloops::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooLarge`] if the lattice has fewer rows.
    pub fn sums(&self, first: usize, count: usize) -> Result<LatticeSums, Error> {
        match first.checked_add(count) {
            Some(end) if end <= self.rows() => Ok(self.sums_of(first, count)),
            _ => Err(Error::TooLarge { argument: "count" }),
        }
    }

    fn sums_of(&self, first: usize, count: usize) -> LatticeSums {
        let visit = self.sites.arguments(0);
        let (mut unsatisfied, mut down) = (0u64, [0u64; 2]);
        for row in first..first + count {
            let [even, odd] = [0, 1].map(|colour| self.sites.row(colour, row));
            for (place, (even, odd)) in even.iter().zip(odd).enumerate() {
                let mask = self.sites.mask(place);
                // SAFETY: all rows exist, and nothing writes them.
                let neighbours = unsafe { visit.neighbours(row, place) };
                // Each bond joins an even site to an odd one. Two half adders count those of a site.
                let [a, b, c, d] = neighbours.map(|neighbour| (neighbour ^ even.get()) & mask);
                let (s0, c0, s1, c1) = (a ^ b, a & b, c ^ d, c & d);
                let ones = [s0 ^ s1, s0 & s1, c0, c1].map(|word| u64::from(word.count_ones()));
                unsatisfied += ones[0] + 2 * (ones[1] + ones[2] + ones[3]);
                down[0] += u64::from((even.get() & mask).count_ones());
                down[1] += u64::from((odd.get() & mask).count_ones());
            }
        }
        let sites = (count * self.columns()) as i64;
        let [even, odd] = down.map(|down| sites / 2 - 2 * down as i64);
        LatticeSums { energy: 2 * sites - 2 * unsatisfied as i64, even, odd }
    }
}
