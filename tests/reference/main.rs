//! References and safe functions against outside truth: exact integers, published outputs, loops that spell out the
//! order, worked examples.

mod bitslice;
mod clifford;
mod clifford_act;
mod clifford_conv;
mod clifford_grades;
mod correlation;
mod correlation_peers;
mod correlation_range;
mod exact;
mod exp;
mod hamming;
mod hardround;
#[path = "../harness"]
mod harness {
    pub mod guard;
    pub mod rng;
}
mod interrupted_layers;
mod kernels;
mod matmul;
mod neighbours;
mod random;
mod reduce;
mod reduce_bounds;
