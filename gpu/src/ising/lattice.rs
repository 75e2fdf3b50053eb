//! One large square lattice.

use hotloops::ising::{Acceptance, LatticeRule, SquareLattice};

use crate::error::Error;
use crate::pace::Pace;
use crate::queue::{Buffer, Kernel, Queue, arguments};

pub(crate) const SOURCE: &str = include_str!("../../kernels/lattice.cl");

/// Items of a group.
const GROUP: usize = 64;
/// Rows of a block, and columns of a word.
const BLOCK: [usize; 2] = [8, 128];
/// Sweeps between two readings of the flips of a block, which are at most 1024 a sweep.
const SWEEPS: usize = 1 << 21;

/// A [`SquareLattice`] on a device, with its spins and flips: no random number depends on the order of the visits.
///
/// ```no_run
/// use hotloops::ising::{Acceptance, SquareLattice};
/// use hotloops_gpu::{Device, ising::Lattice, selftest};
///
/// let mut lattice = SquareLattice::new(4096, 4096, 1)?;
/// let mut device = Lattice::new(selftest::open(&Device::numbered(0)?)?, &lattice)?;
/// device.sweep(0.44, Acceptance::Metropolis, 1000)?;
/// device.store(&mut lattice)?;
/// println!("{}", lattice.magnetisation());
/// # Ok::<(), hotloops_gpu::Error>(())
/// ```
pub struct Lattice {
    queue: Queue,
    kernel: Kernel,
    colours: [Buffer<u64>; 2],
    flips: Buffer<u32>,
    rows: usize,
    columns: usize,
    seed: u64,
    sweeps: u64,
    pace: Pace,
}

impl Lattice {
    /// Copies a lattice to the device, and compiles the kernel.
    ///
    /// # Errors
    /// Fails if the device lacks the memory, and if the driver fails.
    pub fn new(queue: Queue, lattice: &SquareLattice) -> Result<Self, Error> {
        // Oclgrind 21.10 lacks functions that the optimiser makes of shifts.
        let is_simulated = queue.device().platform == "Oclgrind";
        let program = queue.program(SOURCE, if is_simulated { "-cl-opt-disable" } else { "" })?;
        let kernel = queue.kernel(&program, "sweep_lattice")?;
        let (rows, columns) = (lattice.rows(), lattice.columns());
        let mut words = vec![0; lattice.words_len()];
        lattice.words(&mut words)?;
        let (even, odd) = words.split_at(words.len() / 2);
        let colours = [queue.upload(even)?, queue.upload(odd)?];
        let flips = queue.zeros(rows.div_ceil(BLOCK[0]) * columns.div_ceil(BLOCK[1]))?;
        let (seed, sweeps, pace) = (lattice.seed(), lattice.sweeps(), Pace::new(1, SWEEPS));
        Ok(Lattice { queue, kernel, colours, flips, rows, columns, seed, sweeps, pace })
    }

    /// Replaces the lattice by another one of the same size, as [`new`](Self::new) has it.
    ///
    /// # Errors
    /// Fails unless `lattice` has as many rows and columns, and if the device fails.
    pub fn load(&mut self, lattice: &SquareLattice) -> Result<(), Error> {
        let found = (lattice.rows(), lattice.columns());
        if found != (self.rows, self.columns) {
            let why = format!("{} x {}; the device has {} x {}", found.0, found.1, self.rows, self.columns);
            return Err(Error::argument("lattice", why));
        }
        let mut words = vec![0; lattice.words_len()];
        lattice.words(&mut words)?;
        let half = words.len() / 2;
        for (colour, words) in self.colours.iter_mut().zip(words.chunks(half)) {
            self.queue.write(colour, 0, words)?;
        }
        (self.seed, self.sweeps) = (lattice.seed(), lattice.sweeps());
        Ok(())
    }

    /// The queue of its device.
    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// Visits every spin `sweeps` times and returns the number of flips, as [`SquareLattice::sweep`] does.
    ///
    /// # Errors
    /// Fails if `beta` is not finite, and if the device does.
    pub fn sweep(&mut self, beta: f64, acceptance: Acceptance, sweeps: usize) -> Result<u64, Error> {
        let rule = LatticeRule::new(beta, acceptance)?;
        let Lattice { queue, kernel, colours, flips, rows, columns, seed, sweeps: number, pace } = self;
        let words = columns.div_ceil(BLOCK[1]);
        // The spins of the last word of a row.
        let last = *columns / 2 - 64 * (words - 1);
        let sizes = [*rows, words, last, flips.len()].map(|size| size as u32);
        let common = (2 * u32::from(rule.is_negative)) | (4 * u32::from(rule.is_heat_bath));
        let mut total = 0;
        pace.run(sweeps, |_, count| {
            for _ in 0..count {
                for colour in [0, 1] {
                    let given = [
                        &arguments![&colours[colour], &colours[1 - colour], &*flips][..],
                        &sizes.map(Into::into),
                        &arguments![
                            common | colour as u32,
                            rule.probabilities[0],
                            rule.probabilities[1],
                            *seed,
                            *number
                        ],
                    ];
                    // SAFETY: both colours have the rows and words that the kernel is given, and each block a count.
                    unsafe { queue.launch(kernel, &[flips.len().div_ceil(GROUP)], &[GROUP], &given.concat())? };
                }
                *number = number.wrapping_add(1);
            }
            total += queue.download(flips)?.into_iter().map(u64::from).sum::<u64>();
            queue.write(flips, 0, &vec![0; flips.len()])
        })?;
        Ok(total)
    }

    /// Copies the spins and the number of the next sweep back.
    ///
    /// # Errors
    /// Fails unless `lattice` has as many rows and columns and the same seed, and if the device fails.
    pub fn store(&self, lattice: &mut SquareLattice) -> Result<(), Error> {
        let found = (lattice.rows(), lattice.columns(), lattice.seed());
        if found != (self.rows, self.columns, self.seed) {
            let why = format!("{} x {}, seed {}; the device has another one", found.0, found.1, found.2);
            return Err(Error::argument("lattice", why));
        }
        let mut words = self.queue.download(&self.colours[0])?;
        words.extend(self.queue.download(&self.colours[1])?);
        lattice.set_words(&words)?;
        lattice.set_sweeps(self.sweeps);
        Ok(())
    }
}

/// Compares some sweeps with the library's.
pub(crate) fn self_test(queue: &Queue) -> Result<bool, Error> {
    let mut ours = SquareLattice::new(20, 260, 7)?;
    let mut device = Lattice::new(Queue::open(queue.device())?, &ours)?;
    let flips = device.sweep(0.4, Acceptance::Metropolis, 10)?;
    let mut theirs = SquareLattice::new(20, 260, 7)?;
    device.store(&mut theirs)?;
    let expected = ours.sweep(0.4, Acceptance::Metropolis, 10)?;
    let (mut a, mut b) = (vec![0; ours.words_len()], vec![0; ours.words_len()]);
    ours.words(&mut a)?;
    theirs.words(&mut b)?;
    Ok(flips == expected && a == b)
}
