//! Sweeps of lattices, by threads or by devices.

use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use hotloops::ising::{Acceptance, LatticeSums, SquareLattice};
use hotloops_gpu::ising::Lattice;
use hotloops_gpu::{Error, Queue};
use rayon::ThreadPool;
use rayon::prelude::*;

use super::plan::Plan;
use super::point::{Point, Record};
use crate::failure::Failure;
use crate::interrupt;
use crate::job::threads;

/// Spins of a lattice for each thread, at least: threads meet twice in a sweep, which takes them some 10 us.
const TOGETHER: u64 = 1 << 18;
/// Time between two looks for a signal, unless one sweep takes longer.
const PIECE: Duration = Duration::from_millis(20);

/// Works on one lattice at a time.
pub struct Lane {
    /// Unless it is one thread.
    pool: Option<ThreadPool>,
    device: Option<OnDevice>,
    /// Sweeps at a time.
    piece: u64,
}

/// The lattice that a device holds, and the index of its temperature.
struct OnDevice {
    lattice: Lattice,
    index: usize,
}

impl Lane {
    /// A lane for each device, or for each share of the threads. There are no more lanes than temperatures.
    pub fn all(queues: Vec<Queue>, threads: Option<u16>, points: &[Point]) -> Result<Vec<Lane>, Failure> {
        let threads = threads.map_or_else(|| thread::available_parallelism().map_or(1, usize::from), usize::from);
        let sites = points.first().map_or(0, |point| (point.lattice.rows() * point.lattice.columns()) as u64);
        let together = threads.min((sites / TOGETHER).max(1) as usize);
        let wanted = if queues.is_empty() { threads / together } else { queues.len() };
        let count = wanted.min(points.len());
        let each = (threads / count).max(1).min((sites / TOGETHER).max(1) as usize);
        let mut queues = queues.into_iter();
        let lane = |index: usize| {
            let pool = (each > 1).then(|| threads::pool(Some(each as u16))).transpose()?;
            let on_device =
                |queue| Ok::<_, Error>(OnDevice { lattice: Lattice::new(queue, &points[index].lattice)?, index });
            Ok(Lane { pool, device: queues.next().map(on_device).transpose()?, piece: 1 })
        };
        (0..count).map(lane).collect()
    }

    /// Sweeps a lattice and measures it until the time, to the end, or until a signal comes.
    fn advance(&mut self, plan: &Plan, point: &mut Point, deadline: Instant) -> Result<(), Error> {
        if let Some(device) = self.device.as_mut().filter(|device| device.index != point.index) {
            device.lattice.load(&point.lattice)?;
            device.index = point.index;
        }
        let mut done = point.sweeps();
        loop {
            let end = plan.sweeps_after(point.series.len() as u64 + 1);
            let (begin, count) = (Instant::now(), self.piece.min(end - done));
            self.sweep(&mut point.lattice, plan.exponent(point.beta), plan.rule(), count)?;
            done += count;
            let time = begin.elapsed();
            match count == self.piece {
                true if time < PIECE / 2 => self.piece *= 2,
                _ if time > PIECE => self.piece = (self.piece / 2).max(1),
                _ => {}
            }
            let pauses = Instant::now() >= deadline || interrupt::is_requested();
            if let Some(device) = self.device.as_ref().filter(|_| pauses || done == end) {
                device.lattice.store(&mut point.lattice)?;
            }
            if done == end {
                point.series.push(self.measured(plan, &point.lattice)?);
            }
            if pauses || point.is_done(plan) {
                return Ok(());
            }
        }
    }

    fn sweep(&mut self, lattice: &mut SquareLattice, beta: f64, rule: Acceptance, sweeps: u64) -> Result<(), Error> {
        match (&mut self.device, &self.pool) {
            (Some(device), _) => _ = device.lattice.sweep(beta, rule, sweeps as usize)?,
            (None, None) => _ = lattice.sweep(beta, rule, sweeps)?,
            (None, Some(pool)) => {
                let mut split = lattice.split(beta, rule, sweeps, pool.current_num_threads())?;
                let parts: Vec<_> = split.parts().map(Mutex::new).collect();
                // Parts wait for each other, so each has a thread of its own.
                pool.broadcast(|worker| {
                    if let Some(part) = parts.get(worker.index()) {
                        part.lock().expect("one thread").run(thread::yield_now);
                    }
                });
                drop(parts);
                split.finish();
            }
        }
        Ok(())
    }

    fn measured(&self, plan: &Plan, lattice: &SquareLattice) -> Result<Record, Error> {
        let sums = match &self.pool {
            None => lattice.sums(0, lattice.rows())?,
            Some(pool) => {
                let (rows, parts) = (lattice.rows(), pool.current_num_threads());
                let part = |part: usize| {
                    let [first, end] = [part, part + 1].map(|part| rows * part / parts);
                    lattice.sums(first, end - first)
                };
                let add = |a: LatticeSums, b: LatticeSums| {
                    Ok(LatticeSums { energy: a.energy + b.energy, even: a.even + b.even, odd: a.odd + b.odd })
                };
                pool.install(|| (0..parts).into_par_iter().map(part).try_reduce(LatticeSums::default, add))?
            }
        };
        Ok([sums.energy, sums.even + plan.coupling * sums.odd])
    }
}

/// Advances a lattice on each lane.
pub fn advance(plan: &Plan, lanes: &mut [Lane], points: Vec<&mut Point>, deadline: Instant) -> Result<(), Error> {
    let mut pairs: Vec<_> = lanes.iter_mut().zip(points).collect();
    if let [(lane, point)] = &mut pairs[..] {
        return lane.advance(plan, point, deadline);
    }
    thread::scope(|scope| {
        let pairs = pairs.into_iter();
        let threads: Vec<_> =
            pairs.map(|(lane, point)| scope.spawn(move || lane.advance(plan, point, deadline))).collect();
        threads.into_iter().try_for_each(|thread| thread.join().expect("no panic in a sweep"))
    })
}
