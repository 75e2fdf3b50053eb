//! Interlaced MT19937: 4, 8 or 16 independent Mersenne twisters that advance together.
//!
//! [`Mt19937`] draws integers of 32 bits or floats in [0, 1), and gives its state as bytes from
//! which it goes on.
//!
//! # Source
//! Matsumoto, Nishimura, "Mersenne Twister" (ACM TOMACS 8, 1998): each lane is their generator to
//! the bit. That generators are interlaced is from Dickson, Karimi, Hamze, "Importance of explicit
//! vectorization for CPU and GPU software performance" (J. Comput. Phys. 230, 2011).
//!
//! # Method
//! A lane holds 624 words and replaces one of them for each number:
//!
//! ```text
//! y    = upper bit of x[i], lower 31 bits of x[i + 1]              indices modulo 624
//! x[i] = x[i + 397] ^ y >> 1 ^ (y odd ? 0x9908b0df : 0)            the twist
//!
//! y ^= y >> 11;  y ^= y << 7 & 0x9d2c5680;  y ^= y << 15 & 0xefc60000;  y ^= y >> 18      the number
//! ```
//!
//! # Layout
//! The lanes are interlaced, the words in the state and the numbers in the output alike, so that
//! neighbours in memory are independent of each other and fill a vector of any width:
//!
//! ```text
//!          lane 0   lane 1  ..  lane W-1
//! row   0  x[0]     x[0]        x[0]          number t comes from lane t % W; it is the number t / W of that lane
//! row   1  x[1]     x[1]        x[1]
//!  ..
//! row 623  x[623]   x[623]      x[623]        flat word p stands in row p / W and in lane p % W
//! ```
//!
//! In the flat state the twist reads W and 397 W words ahead. A word is renewed when its number is
//! drawn, never before: the state is 624 W words and a position, there is no buffer of numbers, and
//! the size of the requests does not show in the stream.
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
//! All is integers; a float is the upper 24 bits of a number times 2^-24, which is exact. The
//! stream depends on the seeds and the number of lanes alone.
//!
//! # Errors
//! A number of lanes that is not 4, 8 or 16, an empty key, bytes that are no state of this version,
//! no memory. Drawing cannot fail.

#[cfg(avx2)]
pub(crate) mod avx2;
#[cfg(avx512)]
pub(crate) mod avx512;
#[cfg(neon)]
pub(crate) mod neon;
pub(crate) mod scalar;
#[cfg(sse2)]
pub(crate) mod sse2;

mod ffi;
mod generator;
#[cfg(any(sse2, neon))]
mod lanes;
mod run;
mod splitmix;

pub use generator::Mt19937;

use crate::kernel::kernel;
pub(crate) use splitmix::SplitMix64;

/// Words of a lane, and how far ahead the word lies that the twist mixes in.
const ROWS: usize = 624;
const AHEAD: usize = 397;

kernel! {
    /// Draws `n` numbers from the interlaced MT19937 streams.
    ///
    /// # Safety
    /// `state` points to 624 `lanes` words, word `i` of lane `k` at `i * lanes + k`; `lanes` is 4,
    /// 8 or 16; `position` points to the flat index of the next word to renew, below 624 `lanes`;
    /// `dst` points to `n` writable numbers. The words renewed and the position are written back.
    /// The three do not overlap.
    "hl_random_mt19937_u32" unsafe fn mt19937_u32(state: *mut u32, lanes: usize, position: *mut usize, dst: *mut u32, n: usize);
    avx512 assembly,
    avx512 intrinsics,
    avx2 assembly,
    avx2 intrinsics,
    sse2 assembly,
    sse2 intrinsics,
    neon assembly,
    neon intrinsics,
    scalar reference,
}

kernel! {
    /// Draws `n` floats in [0, 1) from the interlaced MT19937 streams: the upper 24 bits of each
    /// number times 2^-24.
    ///
    /// # Safety
    /// As [`mt19937_u32()`].
    "hl_random_mt19937_f32" unsafe fn mt19937_f32(state: *mut u32, lanes: usize, position: *mut usize, dst: *mut f32, n: usize);
    avx512 assembly,
    avx512 intrinsics,
    avx2 assembly,
    avx2 intrinsics,
    sse2 assembly,
    sse2 intrinsics,
    neon assembly,
    neon intrinsics,
    scalar reference,
}
