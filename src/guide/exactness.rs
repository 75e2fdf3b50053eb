//! What "the same bits" means.
//!
//! Every kernel has a scalar Rust reference in `src/<family>/scalar.rs`. Every variant writes the
//! same bits as the reference: for all inputs (NaN and infinities included), all lengths and all
//! alignments. So results do not depend on the CPU, on `HOTLOOPS_ISA`, on whether an assembler was
//! available, or on where arrays lie in memory. `tests/contract/variants.rs` compares each variant with its reference;
//! `tests/reference` and `tests/switched` compare the references with outside truth: published outputs, exact sums,
//! exact physics.
//!
//! | family | order and rounding | NaN |
//! |---|---|---|
//! | [`random`](crate::random) | integers; floats are exact multiples of 2^-24 | none |
//! | [`exp`](crate::exp) | each step rounded to `f32`, not fused | all bits set, or quieted (`poly`) |
//! | [`bitslice`](crate::bitslice) | bits are only moved and counted | |
//! | [`hamming`](crate::hamming) | integers; one rounded quotient (cosine: in `f64`, then rounded) | none |
//! | [`fingerprints`](crate::fingerprints) | integers; one rounded quotient (cosine, Tversky: by `f64`) | none |
//! | [`reduce`](crate::reduce) | fixed lanes, a fixed tree (1) | the quiet NaN without payload |
//! | [`matmul`](crate::matmul) | one chain of fused multiply-adds per element, k ascending | a NaN with any payload |
//! | [`clifford`](crate::clifford) | layers: fused chains; else: each operation rounded | a NaN with any payload |
//! | [`correlation`](crate::correlation) | inputs rounded; distances in `f32`, not fused; then integers | rejected |
//! | [`hardround`](crate::hardround) | fractions as integers; floating point only preselects, integers decide | none |
//! | [`ising`](crate::ising) | `f32` in the order of the links, not fused; or integers (2) | rejected |
//!
//! (1) `dot2` fuses, to get the errors of products. `sum_repro` adds integers, in any order.
//! (2) With probabilities accurate to 2^-48.
//!
//! # Order
//! A floating-point sum depends on its order, and each vector length suggests a different one.
//! Where order matters, the contract fixes one that suits all vector lengths: for example 64 lanes
//! and a tree for [`sum`](crate::reduce::sum) of `f32`. So the sums of two halves need not add up
//! to exactly the sum of the whole. Use [`Repro`](crate::reduce::Repro) where parts must combine
//! exactly. In [`matmul`](crate::matmul) the elements of the product are independent, so a product
//! may be split by rows and columns.
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
//! A fused multiply-add rounds once; a product and a sum round twice and give other bits. SSE2 has
//! no fused multiply-add, so the contracts avoid it, with two exceptions. `dot2` needs the exact
//! error of a product; its SSE2 variant computes the same error by splitting. The products of
//! [`matmul`](crate::matmul), and the layers of [`clifford`](crate::clifford) that are such products, would run at
//! half speed without fusing on all other CPUs. Under `sse2` they emulate it by exact products and sums, and take
//! about six times as long (`f32`) or twelve times (`f64`) as products that are rounded twice.
//!
//! # What is not promised
//! - The bits of another library or of libm. Each function states its error bound.
//! - Products under [`Order::Fast`](crate::matmul::Order::Fast): the order of k depends on the
//!   shape and may depend on the instruction set.
//! - The payload of a NaN in [`matmul`](crate::matmul) and [`clifford`](crate::clifford).
//! - Other floating-point environments. Like all Rust code, the library assumes rounding to nearest, masked
//!   exceptions, and denormal numbers that are neither flushed to zero (FTZ) nor read as zero (DAZ): bits 13,
//!   14, 15 and 6 of MXCSR, and RMode, FZ and FZ16 of FPCR on AArch64. No function reads or sets these registers.
//! - The bytes of [`PackedRows`](crate::hamming::PackedRows) and
//!   [`PackedB`](crate::matmul::PackedB) on another machine. Saved states are portable: their bytes
//!   are the same everywhere.
//! - Speed.
