//! The layered model against textbook programs and brute force.

mod bits;
mod dense;
#[path = "../ising/mod.rs"]
mod ising;
mod measures;
mod models;
mod plain_bits;
mod quanta;
mod textbook;
mod tori;
mod trajectories;
