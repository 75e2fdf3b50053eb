//! Products against chains of the standard library's fused multiply-add, bit for bit, and against
//! exact integers.

mod chains;
mod composed;
mod dots;
mod matrix;
mod parts;
mod rounding;
mod vectors;
