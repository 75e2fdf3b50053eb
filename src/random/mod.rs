//! Interlaced MT19937: 4, 8 or 16 independent Mersenne twisters, advanced together.
//!
//! [`Mt19937`] draws 32-bit integers or floats in [0, 1). Its state can be saved as bytes and
//! restored.
//!
//! # Source
//! Matsumoto, Nishimura, "Mersenne Twister" (ACM TOMACS 8, 1998): each lane is bit for bit their
//! generator. The interlacing comes from Dickson, Karimi, Hamze, "Importance of explicit
//! vectorization for CPU and GPU software performance" (J. Comput. Phys. 230, 2011).
//!
//! # Method
//! A lane holds 624 words and updates one of them per number:
//!
//! ```text
//! y    = upper bit of x[i], lower 31 bits of x[i + 1]              indices modulo 624
//! x[i] = x[i + 397] ^ y >> 1 ^ (y odd ? 0x9908b0df : 0)            the twist
//!
//! y ^= y >> 11;  y ^= y << 7 & 0x9d2c5680;  y ^= y << 15 & 0xefc60000;  y ^= y >> 18      the number
//! ```
//!
//! # Layout
//! The lanes are interlaced, both in the state and in the output, so that adjacent words are
//! independent of each other and fill a vector of any width:
//!
//! ```text
//!          lane 0   lane 1  ..  lane W-1
//! row   0  x[0]     x[0]        x[0]          number t comes from lane t % W; it is the number t / W of that lane
//! row   1  x[1]     x[1]        x[1]
//!  ..
//! row 623  x[623]   x[623]      x[623]        flat word p is in row p / W and lane p % W
//! ```
//!
//! In the flat state, the twist reads W and 397 W words ahead. A word is updated only when its
//! number is drawn. So the state is 624 W words and a position, without a buffer of numbers, and
//! the stream does not depend on the sizes of the requests.
//!
//! # Example
//! ```
//! use hotloops::random::Mt19937;
//!
//! let mut generator = Mt19937::new(&[5489, 1, 2, 3])?;
//! let mut numbers = [0; 8];
//! generator.fill_u32(&mut numbers);
//! assert_eq!((numbers[0], numbers[4]), (3499211612, 581869302)); // the stream of the lane with seed 5489
//! # Ok::<(), hotloops::Error>(())
//! ```
//!
//! # Exactness
//! All arithmetic is in integers; a float is the upper 24 bits of a number times 2^-24, exactly.
//! The stream depends only on the seeds and the number of lanes.
//!
//! # Errors
//! The constructors fail for a number of lanes other than 4, 8 or 16, for an empty key, and if
//! memory runs out. Restoring fails for bytes that are not a state of this version. Drawing cannot
//! fail.

#[cfg(avx2)]
pub(crate) mod avx2;
#[cfg(avx512)]
pub(crate) mod avx512;
#[cfg(neon)]
pub(crate) mod neon;
pub(crate) mod scalar;
#[cfg(sse2)]
pub(crate) mod sse2;

#[cfg(feature = "c-api")]
mod ffi;
mod generator;
mod kernels;
#[cfg(any(sse2, neon))]
mod lanes;
mod philox;
mod run;
mod splitmix;

pub use generator::Mt19937;
pub use kernels::*;
pub use philox::philox4x32;
pub(crate) use philox::{PHILOX_FACTORS, PHILOX_ROUNDS, philox_keys};
pub(crate) use splitmix::SplitMix64;

/// Words per lane, and the distance to the word that the twist mixes in.
const ROWS: usize = 624;
const AHEAD: usize = 397;
