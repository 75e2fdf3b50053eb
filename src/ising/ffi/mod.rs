//! The C functions of the family: they convert pointers for the safe API and its errors to a
//! status.

mod create;
mod exchange;
mod kernels;
mod model;
mod square;
mod worldlines;
