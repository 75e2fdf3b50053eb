//! Dense models: a matrix of couplings, and the local field of each spin. Both are integers: 8 and 16
//! bits if all couplings are multiples of one quantum, else 32-bit fixed point.
//!
//! # Small integers
//! Layers are independent copies, swept one after the other. The sites of a copy are visited in
//! natural order, in blocks of 64:
//!
//! 1. Each random number becomes a *bound* `D`, the largest `m` such that a flip against a local
//!    field of `m` quanta is accepted: spin `s` with the field `h` flips if `s h <= D`
//!    ([`dense_bounds()`], [`dense_heat_bounds()`]). A few bounds are in doubt. They are computed
//!    again in f64, from 48 random bits.
//! 2. The sites of the block are decided one after the other ([`dense_flips()`]).
//! 3. The rows of the flipped spins are added to the fields of the copy ([`dense_update()`]).
//!
//! A flip against `m` quanta has probability `P / 2^48`, where `P` is that of
//! [`Kind::I8Exact`](super::Kind::I8Exact). So `D` is the largest 16-bit integer with `u < P(D)`,
//! where `u` is the random number in its upper 32 bits; the lower 16 bits are the upper bits of
//! output `layer * sites + site` of a SplitMix64. Each sweep seeds it as for `I8Exact`. The integer
//! `D` does not depend on the f32 arithmetic that finds it.
//!
//! A sweep draws 16 numbers, then 64 for each block of each copy; those after the last site are
//! not used.
//!
//! # Real couplings
//! Every site has a unit `w = 2^(k - 30)`, where `2^k` is the largest power of two that does not
//! exceed the sum `S` of the magnitudes of its field and couplings. The coupling to site `i` is stored
//! as `r_i = J_i / w`, rounded, and the local field as a number of `2 w`: if all spins are +1, it is
//! `(h / w + sum r_i) / 2`, rounded; each spin of -1 subtracts `r_i`. So local fields are exact sums of
//! rounded couplings, whatever the order of the additions, and do not drift.
//!
//! Copies and blocks are visited in the same order:
//!
//! 1. Before a block is decided, the rows of all spins that flipped since its last visit are added to
//!    its local fields ([`dense_update_i32()`]). The matrix is stored by blocks of columns, so that
//!    these rows follow each other in memory.
//! 2. Each random number becomes a level, `-ln u / (4 |beta| w)` rounded down, or that of
//!    `ln((1 - u) / u)` for the heat bath ([`dense_levels()`], [`dense_heat_levels()`]). A spin flips if
//!    the product of spin and field is at most its level. At sites without couplings and field, and if
//!    `beta_space` is 0, it flips if the random number is below 2^31.
//! 3. The sites of the block are decided one after the other ([`dense_flips_i32()`]).
//!
//! A sweep draws 64 numbers for each block of each copy.
//!
//! For a flip with the exponent `v`, the acceptance probability (heat bath: the odds) has a relative
//! error of at most `5e-7 |v| + 6e-7` by the logarithm and `|beta| S (n + 2) 2^-30` by the rounding of
//! `n` couplings, which is typically `sqrt(n)` times smaller. Random numbers are odd multiples of
//! 2^-31: probabilities have an error of up to 2^-31, too, and those below 2^-31 count as 0.
//!
//! # Limits and costs
//! | | small integers | real |
//! |---|---|---|
//! | couplings | at most 127 quanta | any |
//! | fields and couplings of a site | at most 32767 quanta in sum | any |
//! | coupling between layers | `tau * J_tau` must be 0 | the same |
//! | sites | at most 65536 | the same |
//! | memory of the model | `n` rows of `n` bytes, rounded up to 64 | `n` rows of `8 n` bytes |
//! | memory of a spin | 2 bytes and 1 bit | 4 bytes and 2 bits |
//! | energies | from the local fields | from the couplings as given, a pass over the matrix |
//!
//! Nanoseconds of CPU time a visit on a Xeon (Granite Rapids) under other load, couplings of +1 and
//! -1, `n = 1024`, by `beta sqrt(n)`:
//!
//! | | 1e-5 | 0.02 | 0.3 | 1 | 2 | 10 | geometric anneal from 0.1 to 10 |
//! |---|---|---|---|---|---|---|---|
//! | Metropolis | 45 | 11.6 | 9.7 | 5.8 | 3.9 | 1.1 | 6.3 |
//! | heat bath | 46 | 8.1 | 7.3 | 5.4 | 3.7 | 1.3 | |
//!
//! At 1e-5 most bounds are in doubt. The anneal takes 4.0 ns for `n = 256`, 4.6 for 512, and 31 for
//! 2048 and 80 for 4096, where the rows come from the third-level cache. With couplings of up to 50
//! quanta it takes 8.8 ns for `n = 1024`.
//!
//! Real couplings, Metropolis, on the same CPU under heavier load:
//!
//! | n | 0.3 | 1 | 2 | 10 | anneal |
//! |---|---|---|---|---|---|
//! | 256 | 10.9 | 7.2 | 4.6 | 1.2 | 7.8 |
//! | 512 | 16 | 9.7 | 5.7 | 1.2 | 10.6 |
//! | 1024 | 140 | 53 | 11 | 1.4 | 72 |
//!
//! From about 700 sites the matrix exceeds the second-level cache (2 MB), and the third-level cache
//! supplies about 24 bytes a nanosecond. Prefetching does not increase this.

#[cfg(avx2)]
pub(crate) mod avx2;
#[cfg(avx512)]
pub(crate) mod avx512;
#[cfg(any(sse2, neon))]
mod lanes;
#[cfg(neon)]
pub(crate) mod neon;
#[cfg(any(sse2, neon))]
mod quads;
pub(crate) mod scalar;
#[cfg(sse2)]
pub(crate) mod sse2;

mod bytes;
mod copies;
mod engine;
mod kernels;
mod words;

pub use kernels::*;

pub(super) use engine::{DenseEngine, MAX_DENSE_SITES};
