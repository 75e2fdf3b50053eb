//! The library's rows of an image, and accumulators shared by threads.

use std::hint::black_box;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hotloops::correlation::{Accumulator, Bins, Image, Psi};

use super::particles::{Particle, Set, Totals};
use crate::ladder::{Origin, Rung};
use crate::sources::stateful::{rung, usable};

/// Error of a sum per pair: orientations are rounded to multiples of 2^-14.
pub const ERROR: f64 = 1e-4;

pub fn orientations(particles: &[Particle]) -> Vec<Psi> {
    particles.iter().map(|p| Psi::new(p.cos6.into(), p.sin6.into()).unwrap()).collect()
}

/// Bins of a pixel for a square of this width.
pub fn bins(width: usize) -> Bins {
    Bins::uniform(0.0, 2.0 * width as f64, 1.0).unwrap()
}

pub fn totals(pairs: &Accumulator) -> Totals {
    let mut totals = Totals::new(pairs.bins().len() / 2);
    pairs.bins().enumerate().for_each(|(r, bin)| totals.put(r, bin.sum as f64 / f64::from(1 << 28), bin.count));
    totals
}

/// The pairs of `count` differences of y, spread evenly, under every instruction set; with orientations, or counts
/// alone.
pub fn rows(set: &Rc<Set>, count: usize, has_orientations: bool) -> Vec<Rung> {
    let (x, y): (Vec<i32>, Vec<i32>) = set.particles().iter().map(|particle| (particle.x, particle.y)).unzip();
    let image = Rc::new(if has_orientations {
        Image::new(&x, &y, &orientations(set.particles())).unwrap()
    } else {
        Image::of_positions(&x, &y).unwrap()
    });
    let count = count as u32;
    let rows: Rc<[u32]> = (0..count).map(|i| (2 * i + 1) * image.height() / (2 * count)).collect();
    let right = Rc::new(set.of_rows(&rows));
    let name = if has_orientations { "rows of an image" } else { "rows of an image, counts alone" };
    let new = |isa| {
        let (image, rows, right) = (Rc::clone(&image), Rc::clone(&rows), Rc::clone(&right));
        let pairs = right.pairs() as f64;
        let add = move |pairs: &mut Accumulator| {
            rows.iter().for_each(|&dy| pairs.add_image_rows(black_box(&image), dy..dy + 1).unwrap());
        };
        let is_right = move |pairs: &Accumulator| match has_orientations {
            true => totals(pairs).agree(&right, ERROR),
            false => totals(pairs).agree(&right.counts(), 0.0),
        };
        let empty = Accumulator::new(bins(set.width())).unwrap();
        rung(name, Origin::Ours, pairs, empty, add, is_right).under(isa)
    };
    usable().map(new).collect()
}

/// Lets threads take units of work in turn, and merges their accumulators.
pub fn in_threads(
    threads: usize,
    units: usize,
    empty: &Accumulator,
    add: impl Fn(&mut Accumulator, usize) + Sync,
) -> Accumulator {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut pairs = empty.clone();
        loop {
            let unit = next.fetch_add(1, Ordering::Relaxed);
            if unit >= units {
                return pairs;
            }
            add(&mut pairs, unit);
        }
    };
    if threads == 1 {
        return work();
    }
    let mut all = empty.clone();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().for_each(|worker| all.merge(&worker.join().unwrap()).unwrap());
    });
    all
}
