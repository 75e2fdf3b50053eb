//! `hotloops fingerprints`.

mod faults;
mod header;
mod index;
mod pairs;
mod search;
