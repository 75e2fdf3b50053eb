//! Products against chains of the standard library's fused multiply-add, bit for bit, and against
//! exact integers.

mod chains;
mod composed;
mod dots;
#[path = "../exact/mod.rs"]
mod exact;
mod matrix;
mod parts;
#[path = "../harness/rng.rs"]
mod rng;
mod rounding;
mod vectors;
