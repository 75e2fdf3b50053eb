//! What "the same bits" means.
//!
//! Every kernel has a reference in scalar Rust, `src/<family>/scalar.rs`. Every variant of it writes the bits that the
//! reference writes: for all inputs, NaN and infinities included, all lengths, and all alignments. So results do not depend on
//! the CPU, on `HOTLOOPS_ISA`, on whether there was an assembler, nor on where arrays lie in memory, with the one exception
//! [below](#fused-or-not). `tests/variants.rs` holds each variant to it, and `tests/reference_*.rs` the references to the
//! outside: published outputs, exact sums, exact physics.
//!
//! | family | order and rounding | NaN |
//! |---|---|---|
//! | [`random`](crate::random) | integers; floats are exact multiples of 2^-24 | none |
//! | [`exp`](crate::exp) | each step rounded to `f32`, none fused | all bits set (`fast`, `accurate`), itself made quiet (`poly`) |
//! | [`bitslice`](crate::bitslice) | bits are moved and counted | |
//! | [`hamming`](crate::hamming) | integers; one quotient, rounded; a cosine in `f64`, then rounded | none |
//! | [`reduce`](crate::reduce) | fixed lanes and a fixed tree; products rounded, but fused in `dot2` to get their errors; `sum_repro`: integers, so any order | the quiet NaN without payload |
//! | [`matmul`](crate::matmul) | one chain of fused multiply-adds for each element, ascending | a NaN, any |
//! | [`correlation`](crate::correlation) | inputs rounded once, distances in `f32`, none fused; then integers, so any order | refused |
//! | [`hardround`](crate::hardround) | fractions as integers; floats only select what is then tried in integers | none |
//! | [`ising`](crate::ising) | f32 in the order of the links, none fused; or integers, with probabilities right to 2^-48 | refused |
//!
//! # Order
//! A floating-point sum is a sum *in an order*, and vectors of different lengths suggest different ones. Where the order
//! matters the reference has one that suits all of them, and it is part of the contract: 64 lanes and a tree for
//! [`sum`](crate::reduce::sum) of `f32`. So a sum of two halves, added, is not the sum of the whole;
//! [`Repro`](crate::reduce::Repro) is there for that, and [`matmul`](crate::matmul), whose elements can be computed together or
//! apart.
//!
//! ```
//! use hotloops::reduce;
//!
//! let x: Vec<f32> = (1..=1000).map(|i| 1.0 / i as f32).collect();
//! let (low, high) = x.split_at(500);
//! assert_ne!(reduce::sum(low) + reduce::sum(high), reduce::sum(&x));
//!
//! let mut repro = reduce::Repro::new();
//! repro.extend(high);
//! repro.extend(low);
//! assert_eq!(repro.sum() as f32, reduce::sum_repro(&x));
//! # Ok::<(), hotloops::Error>(())
//! ```
//!
//! # Fused or not
//! A fused multiply-add rounds once, a product and a sum twice: other bits. SSE2 cannot fuse, so what all CPUs shall compute
//! alike does not. Two kernels do: `dot2`, whose variants for CPUs without it get the exact error of a product in another way;
//! and the blocks of [`matmul`](crate::matmul), which would be half as fast without. For the latter, SSE2 has kernels of its
//! own, `block_unfused_*`: **a product under `sse2` has other bits than one under `avx2`**, `neon`, or `scalar`, which fuses by
//! integers. That is the only place where the instruction set shows.
//!
//! # What is not promised
//! - The bits of another library or of libm. How near results are to what they stand for is said at each function.
//! - Products under [`Order::Fast`](crate::matmul::Order::Fast): the order of k follows the shape, and may follow the
//!   instruction set.
//! - The payload of a NaN in [`matmul`](crate::matmul).
//! - Another floating-point environment: rounding to nearest, with denormal numbers, is what Rust demands of all code.
//! - The bytes of [`PackedRows`](crate::hamming::PackedRows) and [`PackedB`](crate::matmul::PackedB) on another machine. Saved
//!   states, which are made to be kept, are the same everywhere.
//! - Speed.
