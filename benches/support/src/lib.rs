//! Benchmark support: the clock, a case for every kernel, the paper's workload, the rungs of its ladder that the
//! library lacks, and the kernels on OpenCL devices.

#[cfg(target_arch = "x86_64")]
pub mod a3;
mod cases;
pub mod clock;
pub mod devices;
pub mod ladder;
pub mod levels;
pub mod machine;
pub mod mersenne;
mod original;
pub mod peak;
pub mod random;
pub mod rungs;
pub mod sources;
pub mod variants;
pub mod workload;
