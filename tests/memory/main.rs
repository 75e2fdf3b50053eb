//! Only constructors (of models, generators, exchanges, sets of points) and functions that can
//! return `NoMemory` allocate memory, and they allocate little.

mod bits;
mod clifford;
mod correlation;
mod counting;
mod fingerprints;
mod ising;
mod matmul;
mod reduce;

use hotloops::ising::LANES;
use hotloops::random::Mt19937;

fn generator() -> Mt19937 {
    Mt19937::seeded(LANES, 5489).unwrap()
}
