//! Metropolis and heat-bath sweeps of Ising models: layered ones, as of quantum Monte Carlo in the
//! Suzuki-Trotter form, and independent copies of a system.
//!
//! | type | |
//! |---|---|
//! | [`LayeredIsing`] | a model and its spins, made by a [`Builder`] |
//! | [`Kind`] | the arithmetic of a model |
//! | [`Acceptance`] | the acceptance probability of a spin flip |
//! | [`ReplicaExchange`] | parallel tempering: assigns temperatures to equal models |
//! | [`SquareLattice`] | one large square lattice, which threads can share; a type of its own |
//! | [`Worldlines`] | the transverse-field Ising model at a cost that does not depend on the number of slices |
//!
//! | kind | layers | couplings and fields | ns a visit | kernels |
//! |---|---|---|---|---|
//! | [`Kind::I8Exact`] | a ring | up to 127 quanta in sum at a site | 0.33 | `sweep_*i8` |
//! | [`Kind::I16Exact`] | a ring | up to 32,766 quanta in sum | 0.51 | `sweep_*i16` |
//! | [`Kind::F32Poly`] | a ring | any | 0.71 | `sweep_*poly_f32`, `scatter_*poly_f32` |
//! | [`Kind::F32Fast`] | a ring | any; biased, as in the source | | `sweep_*fast_f32`, `scatter_*fast_f32` |
//! | [`Kind::Bits`] | independent copies, best 512; a torus or grid | up to 8 quanta in sum | 0.11 | `sweep_*bits` |
//! | [`Kind::Single`] | independent, one is enough | any | 0.3 to 1.8 | `sweep_*blocks_i8`, `sweep_*blocks_f32` |
//! | [`Kind::Fixed`] | the same | any, of very different magnitudes | | `sweep_*blocks_i64` |
//! | [`Kind::Dense`] | the same | nearly all pairs, best up to 127 quanta | 4 to 6; real: 8 to 12 | `dense_*` |
//!
//! The star stands for nothing, or for `heat_` (heat bath).
//!
//! Costs are those of AVX2 on a Xeon (Granite Rapids), of a cubic lattice for all kinds but `Dense`, which has 1000
//! sites, or 500 with real couplings. Except for `Dense` and `Single` they are per spin of at least 128 layers.
//!
//! A model is a ring of `L` equal layers of `n` spins (+1 or -1). Within a layer, any graph couples
//! the spins; between layers, every spin is coupled to its copies in the layers below and above. A
//! configuration has weight `exp(beta_space * Es + beta_tau * Et)` with
//!
//! ```text
//! Es = sum over layers of (sum over edges J_ij s_i s_j  +  sum over sites h_i s_i)
//! Et = J_tau * sum over sites and layers of s_i(layer) s_i(layer + 1),   layer L = layer 0
//! ```
//!
//! # Source
//! Dickson, Karimi, Hamze, "Importance of explicit vectorization for CPU and GPU software
//! performance" (J. Comput. Phys. 230, 2011): the interlacing (section 3) and, as
//! [`Update::Scatter`], its program A.4. Heat bath: Glauber, "Time-dependent statistics of the
//! Ising model" (J. Math. Phys. 4, 1963); Creutz, "Monte Carlo study of quantized SU(2) gauge
//! theory" (Phys. Rev. D 21, 1980).
//!
//! # Method
//! ```text
//! for each site in visiting order, in each layer:
//!     v = -2 s_i (beta_space * (h_i + sum J_ij s_j) + beta_tau * J_tau * (s_below + s_above))
//!     flip s_i with a probability p(v), where p(v) / p(-v) = exp(v)
//! ```
//! [`Kind`] selects the arithmetic and the approximation of `exp`; [`Update`] selects how the sum
//! over neighbours is computed in f32. The visiting order is fixed.
//!
//! ## Acceptance
//! A flip multiplies the weight of a configuration by `exp(v)`. [`Acceptance`] selects `p`:
//!
//! | acceptance | p(v) | |
//! |---|---|---|
//! | `Metropolis` | `min(1, exp(v))`, in f32 times 15/16 | the most flips, the fastest kernels |
//! | `HeatBath` | `1 / (1 + exp(-v))` | `p(v) + p(-v) = 1`: the new spin does not depend on the old one |
//! | `Auto` | one of the two | selected by model and temperature, see [`LayeredIsing::acceptance`] |
//!
//! All sample the same distribution; they differ in their autocorrelation times. Where `|v|` is small, Metropolis flips
//! a spin in nearly every sweep: its autocorrelation alternates in sign and decays as slowly as `exp(-|v| n)`. If `v`
//! is always 0, certain flips are not even ergodic. So Metropolis flips of a free spin are never certain:
//!
//! - In f32, with [`Kind::Single`] too if there is no [`quantum`](LayeredIsing::quantum),
//!   `p(v) = 15/16 min(1, exp(v))`. The factor is common to both directions, so the
//!   distribution is unchanged; the autocorrelation of a free spin is `(-7/8)^n`.
//! - In integers, a flip with `v = 0` has probability 1/2 at sites without field and couplings, and
//!   if `beta_space` is 0; with [`Kind::Bits`], at all sites. A model with weak but finite fields
//!   needs `HeatBath`, which `Auto` selects below `|beta_space| sqrt(M) = 0.01`, with the mean square
//!   `M` of [`LayeredIsing::acceptance`].
//! - Else a flip with `v = 0` is certain in integers, and with [`Kind::Dense`] for real couplings, too.
//!   On a ring of three equal couplings, the sweeps `+-+`, `-+-` then repeat for ever. `Auto` is
//!   `HeatBath` for such models ([`LayeredIsing::may_trap`]) without coupling between layers.
//!
//! The heat bath in integers is exact to 2^-48. In f32 it compares odds: the random number
//! `x` is an odd multiple of 2^-24, and the spin flips if `x < (1 - x) exp(v)`. `F32Poly` computes
//! `exp(v)` within 4.3e-6. `F32Fast` computes `e(v/2) / e(-v/2)` with the fast exponential `e`. Its
//! constant cancels and the odds of `v` and `-v` are reciprocal, so `p(v) + p(-v) = 1` to the
//! rounding of f32, `p(0) = 1/2`, and the logarithm of the odds is within 0.01044 of `v` (the
//! extreme of `ln((2 + 2 f) / (2 - f)) - 2 f ln 2` over 0 <= f <= 1). This is the bias of the
//! distribution: its local exponents have an error of at most 0.01044, probabilities of at most
//! 0.0027.
//!
//! Metropolis with `F32Fast` replaces `2^x` by `l(x + d) / l(d)` for `x = v log2(e) < 0`, where `l`
//! interpolates linearly between the powers of two and `d = 0.824`. With `r(x) = l(x) / 2^x`, which
//! is between 1 and 1.0615, `p(v) / p(-v)` is `exp(v)` times `r(x + d) / r(d)`: an error of -2.94 %
//! to 3.03 %, because `r(d) = 1.0303` is nearly the geometric mean of 1 and 1.0615.
//!
//! Random numbers have 24 bits in f32. So a Metropolis flip has probability at least 2^-24 (with
//! `F32Fast`, if `v > -88`), and a heat-bath flip with probability below 2^-24 never happens.
//!
//! ## Exact acceptance
//! In integers, a flip has probability `P / 2^48`, where `P = floor(2^48 p(v))` is at most
//! `2^48 - 1`, which counts as certain. For the heat bath with `v > 0`, `P` is 2^48 minus the `P`
//! of `-v`. `exp` is computed in f64, `v` from the field in quanta.
//!
//! Each random number has 16 bits at first. With `I16Exact` those of lane `k` are half `k` of the 16
//! words of a row, lower halves first. With `I8Exact`, of the 128 random bytes of a row, byte `k` holds
//! the upper 8 bits of lane `k` and byte `64 + k` the lower 8. If they are less than `floor(P / 2^32)`,
//! the spin flips; if they are greater, it stays. If they are equal, which happens in one of 65,536
//! attempts, 32 more bits decide: the upper half of the next output of SplitMix64 (Steele, Lea and
//! Flood 2014). Tied live lanes draw in ascending order. Each sweep seeds this generator anew: it
//! draws 16 numbers before all others, and the first two are the lower and the upper half of the
//! seed.
//!
//! # Layout
//! Layers are interlaced: each of `K` lanes of a vector has `G` consecutive layers, so that layers
//! `G` apart are updated together. There are as few as possible of these `G` *groups*, then as few
//! lanes: with at most `W` lanes, 16 in f32, 64 with `I8Exact` and 32 with `I16Exact`, `G` is `L`
//! over the lesser of `W` and `L / 2`, rounded up, and `K` is `L / G`, rounded up. If `L` is not
//! `K G`, the last `K G - L` lanes have `G - 1` layers and are idle in the last group. So no two
//! lanes of a vector are neighbours, and `K` depends on the model alone: every CPU follows the same
//! trajectory. A *row* holds one site in the layers of one group. In f32 it is 16 floats, one cache
//! line, of which `K` are live; with `I8Exact` one word with a bit for each spin, 1 for -1; with
//! `I16Exact` 32 halves of words, -1 for -1 and 0 for 1.
//!
//! ```text
//!             lane 0      lane 1      lane 2    ..   lane K-1
//! group 0     layer 0     layer G     layer 2G       layer (K-1)G       n rows, in visiting order
//! group 1     layer 1     layer G+1   layer 2G+1     layer (K-1)G+1     n rows
//! ..
//! group G-1   layer G-1   layer 2G-1  layer 3G-1     layer KG-1         n rows
//! ```
//!
//! The layers below and above a group are the groups beside it, lane by lane; above the end of a lane
//! lies group 0 in the next lane, which closes the ring. Sites are visited colour
//! by colour of the graph, and by degree within a colour, so that a row is not read right after it
//! was written. In integers, the sites of a colour whose field and couplings add up to an even
//! number come before the odd ones. [`LayeredIsing::order`] returns the order.
//!
//! [`Kind::Bits`] has independent layers and another layout. A row holds one site in 512 layers, one
//! after the other, a bit for each. Up to 8 sites of a colour with the same number of bonds are
//! visited as a block, and random numbers are compared bit by bit ([`sweep_bits()`]). If the graph is
//! a torus or grid of up to four dimensions, all couplings have the same magnitude and there are no
//! fields, few layers are cut into equal blocks, each in a lane of its own ([`LayeredIsing::blocks`]);
//! [`LayeredIsing::order`] then lists the sites that are visited at the same time one after the other.
//!
//! The graph is one stream. Each site has a header with its degree and field, followed by the row
//! and the coupling of each neighbour in ascending order. The stream consists of [`Link`]s in f32,
//! of words with `I8Exact` ([`sweep_i8()`]) and of [`WideLink`]s with `I16Exact`. Random numbers are
//! the output of a 16-lane [`Mt19937`] in memory order: 32 for each row with `I8Exact`, 16 with the
//! other kinds.
//!
//! ## Single systems
//! In [`Kind::Single`] the lanes hold 64 sites of one layer, a *block*, instead of layers. Sites are
//! coloured greedily and sorted by colour, with free sites last; a colour begins with a new block.
//! Of by-index and breadth-first order, the cheaper one is used, for colours and within them. Layers
//! are swept one after the other. A block draws 64 random numbers in f32, lane by lane, and 32 in
//! integers, whose bytes are as above, each with its highest bit inverted. With the heat bath and
//! `v > 0`, the complement of the random number is compared with the probability of `-v`, and the
//! spin flips if it is not less. A colour of `n` sites has `n` rounded up to a multiple of 64 lanes;
//! idle lanes draw numbers, too.
//!
//! # Example
//! ```
//! use hotloops::ising::{Beta, Kind, LayeredIsing};
//! use hotloops::random::Mt19937;
//!
//! // 128 layers of a ring of 8 spins.
//! let mut model = LayeredIsing::builder(128, 8)
//!     .couplings((0..8).map(|i| (i, (i + 1) % 8, 1.0)))
//!     .build(Kind::Auto)?;
//! assert_eq!(model.kind(), Kind::I8Exact);
//! let mut rng = Mt19937::seeded(16, 5489)?;
//! let flips = model.sweep(&mut rng, Beta { space: 0.3, tau: 0.3 }, 1000)?;
//! assert!((0.4..0.6).contains(&(flips as f64 / (1000.0 * 128.0 * 8.0))));
//!
//! let mut spins = [0; 128 * 8];
//! model.spins(&mut spins)?;
//! assert!(spins.iter().all(|&spin| spin == 1 || spin == -1));
//! println!("{:?}", model.energy());
//! # Ok::<(), hotloops::Error>(())
//! ```
//!
//! # Exactness
//! Each kind follows its own trajectory, the same on every CPU. In f32, sums are added in the order
//! of the graph's links and nothing is fused; the exponentials are `fast` and `poly` of
//! [`exp`](crate::exp). In integers everything is exact except the probabilities, which are
//! accurate to 2^-48.
//!
//! A sum in f32 loses terms that are much smaller than its largest one, such as the costs beside the
//! penalties of a QUBO: with couplings near 2e7 and fields near 1, means at `beta_space` 1 would be wrong.
//! [`Kind::Auto`] never chooses such a sum; [`LayeredIsing::rounding`] returns the error of any model.
//!
//! # Errors
//! [`Builder::build`] returns the first error of the description. A sweep fails before it visits
//! any spin if the generator does not have 16 lanes ([`Error::Lanes`](crate::Error::Lanes)) or a
//! temperature is not finite ([`Error::Beta`](crate::Error::Beta)).
//!
//! [`Mt19937`]: crate::random::Mt19937

#[cfg(avx2)]
pub(crate) mod avx2;
#[cfg(avx512)]
pub(crate) mod avx512;
#[cfg(avx512icl)]
pub(crate) mod avx512icl;
#[cfg(neon)]
pub(crate) mod neon;
pub(crate) mod scalar;
#[cfg(sse2)]
pub(crate) mod sse2;

mod binary;
mod bits;
mod build;
mod builder;
mod bytes;
mod cost;
mod dense;
mod ends;
mod engine;
mod engines;
mod exchange;
#[cfg(feature = "c-api")]
mod ffi;
mod float;
mod graph;
mod kernels;
#[cfg(any(sse2, neon))]
mod lanes;
mod lattice;
mod links;
mod measure;
mod model;
mod outline;
mod precision;
mod room;
mod schedule;
mod shape;
mod single;
mod spins;
mod thresholds;
mod trap;
pub(crate) mod wide;
pub mod worldline;

#[doc(hidden)]
pub use binary::binary_fields;
pub use bits::{BitsOutline, Blocks, sweep_bits, sweep_heat_bits};
pub use builder::Builder;
pub use dense::{
    dense_bounds, dense_flips, dense_flips_i32, dense_heat_bounds, dense_heat_levels, dense_levels, dense_update,
    dense_update_i32,
};
pub use exchange::ReplicaExchange;
pub use float::Update;
pub use graph::Order;
pub use kernels::*;
pub use lattice::{LatticeRule, LatticeSums, Part, Split, SquareLattice, sweep_lattice};
pub use links::Link;
pub use model::LayeredIsing;
pub use outline::ExactOutline;
pub use shape::{Acceptance, Beta, Energy, Kind, LANES};
pub use single::{
    sweep_blocks_f32, sweep_blocks_i8, sweep_blocks_i64, sweep_heat_blocks_f32, sweep_heat_blocks_i8,
    sweep_heat_blocks_i64,
};
pub use thresholds::{THRESHOLDS, heat_thresholds, thresholds};
pub use wide::{FACTORS, WideLink, factors, heat_factors, sweep_heat_i16, sweep_i16};
pub use worldline::{
    Transverse, Worldline, WorldlineRun, Worldlines, correlation_gap, worldline_breaks, worldline_overlaps,
    worldline_sweep_f64, worldline_sweep_i32,
};
