//! The layered model against textbook programs and brute force.

mod bits;
mod dense;
#[path = "../ising/mod.rs"]
mod ising;
mod models;
mod plain_bits;
mod textbook;
mod tori;
mod trajectories;
