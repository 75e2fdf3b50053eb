//! Products on two threads.

use crate::arguments::Arguments;
use crate::cells;
use crate::clock::Cores;
use crate::libraries::Libraries;
use crate::operands::Scalar;
use crate::peers;
use crate::products::{heading, row, shares};

const THREADS: usize = 2;

/// Runs on a thread of a pool of two, so that every library has two in all. `peak` is that of one core.
pub fn run<T: Scalar>(arguments: &Arguments, libraries: &Libraries, peak: f64) {
    let peak = THREADS as f64 * peak;
    let title = format!("{} on two threads, % of {peak:.2} flops per cycle; the strongest; hotloops to it", T::NAME);
    let blas: Vec<_> = libraries.blas.iter().filter(|library| library.set_threads(THREADS)).collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(THREADS).build().expect("two threads");
    pool.install(|| {
        let peers = peers::threaded::<T>(&blas, THREADS);
        heading(&title, &peers);
        for cell in &cells::threaded() {
            row(cell, &peers, &shares(&peers, cell, peak, arguments.budget(3.0), Cores::Several), 1);
        }
    });
    blas.iter().for_each(|library| _ = library.set_threads(1));
}
