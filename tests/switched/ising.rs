//! The layered model against textbook programs and brute force.

mod bits;
mod dense;
mod lattice;
mod measures;
mod models;
mod plain_bits;
mod quanta;
mod single;
mod textbook;
mod tori;
mod trajectories;
