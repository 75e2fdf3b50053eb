//! The C functions of the family: pointers to the safe API, its errors to a status.

mod exchange;
mod model;
