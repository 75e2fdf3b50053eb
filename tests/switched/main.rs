//! Spin models and indexes against outside truth, while some tests switch the instruction set of this process: results
//! cannot depend on it.

mod enumeration;
mod exchange;
mod fingerprints;
#[path = "../harness"]
mod harness {
    pub mod rng;
}
mod ising;
mod layers;
mod models;
mod physics;
mod worldlines;
