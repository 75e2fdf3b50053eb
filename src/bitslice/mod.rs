//! Bit planes of integer arrays: slicing, unslicing, and gathering single elements. Plane j holds
//! bit j of every element.
//!
//! | functions | planes |
//! |---|---|
//! | [`slice()`], [`unslice`] | rows of any length, at a given stride |
//! | [`slice_blocks`], [`unslice_blocks`] | per block of 2048 elements or tile of 64 ([`Layout`]), for long arrays |
//! | [`slice_in_place`], [`unslice_in_place`] | replace the block itself |
//! | [`gather_planes`], [`gather_blocks`] | from which single elements are gathered |
//! | [`count_ones`] | only counted (positional population count) |
//! | [`classify`], [`reduce`], [`restore`] | dropped where other planes determine them |
//! | [`dna`] | three, encoding letters |
//!
//! # Source
//! The task and the block of 2048 32-bit integers as 32 rows of 256 bytes come from Kuznetsov,
//! Tolstoy, ["SSE2 vs CUDA in parallel bit stream transposition /
//! similarity"](http://bitmagic.io/bmcudasse2.html) (2009). Rows have the format of bitshuffle and
//! Blosc at block size 2048, tiles at block size 64.
//!
//! # Method
//! Each bit has an address: its element e10..e0 and its position b1 b0 k2 k1 k0 (byte, then bit
//! within the byte). Memory order is `e b k`; plane order is `b k e`, with e2 e1 e0 as the bit
//! within the byte. Some address bits select a position within a vector register, others select the
//! register. Interleaving two registers swaps one address bit of each kind. Three levels of masks
//! and shifts, or one matrix product over GF(2), swap k2 k1 k0 with e2 e1 e0. Every variant is a
//! sequence of such swaps.
//!
//! # Speed
//! Cycles for 8 KiB in the L1 cache, in rows: `slice` / `unslice`, on one core of an Intel Xeon
//! (Granite Rapids) that other programs shared.
//!
//! | | `u8` | `u16` | `u32` | `u64` |
//! |---|---|---|---|---|
//! | `sse2` | 2440 / 2250 | 2280 / 2450 | 2270 / 2480 | 2480 / 2620 |
//! | `avx2` | 1370 / 1300 | 1470 / 1510 | 1450 / 1470 | 1390 / 1440 |
//! | `avx2gfni` | 670 / 550 | 740 / 670 | 790 / 780 | 910 / 910 |
//! | `avx512` | 910 / 790 | 960 / 840 | 980 / 940 | 1040 / 1000 |
//! | `avx512icl` | 520 / 520 | 730 / 670 | 780 / 850 | 800 / 940 |
//!
//! The kernels of `avx2` execute 14 vector operations for each 32 bytes. Intel CPUs have three ports for
//! them: 1195 cycles at least. Four ports, as on Zen, would allow 896.
//!
//! In memory, 128 MiB of `u32` take 28.8 ms in rows and 26.8 ms in tiles with `avx2`, 25.5 and 24.3 ms
//! with `avx512icl`, and `memcpy` takes 20.7 ms: 0.72, 0.77, 0.84 and 0.88 of its speed (CPU time of one
//! thread, medians of 10 rounds, while other programs used both cores). The difference is about the
//! time of the same work in the L1 cache. Results that go through the caches ([`Store::Cached`]) take
//! 43 and 33 ms, and 35 and 24 ms.
//!
//! Elements past the last whole chunk of 512 are converted in tiles of 64. Cycles of `slice` for n
//! elements, with their call:
//!
//! | n | `u8` | `u16` | `u32` | `u64` |
//! |---|---|---|---|---|
//! | 8, `avx2` | 111 | 111 | 135 | 214 |
//! | 64, `avx2` | 57 | 60 | 96 | 187 |
//! | 256, `avx2` | 147 | 169 | 309 | 640 |
//! | 8, `avx512icl` | 83 | 89 | 117 | 129 |
//! | 64, `avx512icl` | 47 | 53 | 76 | 106 |
//! | 256, `avx512icl` | 122 | 155 | 226 | 373 |
//!
//! # Layout
//! ```text
//! elements   bit 7 6 5 4 3 2 1 0          planes        byte 0           byte 1
//!    e0        . . . . . . b a              0      bits . . . . . e c a    . . .
//!    e1        . . . . . . d c     <->      1      bits . . . . . f d b    . . .
//!    e2        . . . . . . f e              2           ...
//! ```
//!
//! Bit i of byte o of a plane belongs to element 8 o + i, on every machine. Elements have 8, 16, 32
//! or 64 bits. Unused bits of a plane's last byte are 0. Strides are in bytes.
//!
//! # Example
//! ```
//! use hotloops::bitslice::{slice, unslice};
//!
//! // 1000 samples of 12 bits, stored in 16: the last four planes, of 125 bytes each, are zero.
//! let samples: Vec<u16> = (0..1000).map(|i| i * 37 % 4096).collect();
//! let mut planes = vec![0; 16 * 125];
//! slice(&samples, &mut planes, 125)?;
//! assert!(planes[12 * 125..].iter().all(|&byte| byte == 0));
//! assert_eq!(planes[0], 0b10101010); // bit 0 of the first 8 samples
//!
//! let mut back = vec![0; 1000];
//! unslice(&planes, 125, &mut back)?;
//! assert_eq!(back, samples);
//! # Ok::<(), hotloops::Error>(())
//! ```
//!
//! # Exactness
//! Bits are only moved and counted. The bytes of planes, blocks and counts are the same on every
//! machine.
//!
//! # Errors
//! [`Error::Stride`](crate::Error::Stride) and [`Error::Length`](crate::Error::Length) if planes or
//! results do not fit, [`Error::Index`](crate::Error::Index) for an index out of range. [`dna`] and
//! the classes have further errors, for invalid letters and codes.

#[cfg(avx2)]
pub(crate) mod avx2;
#[cfg(avx512)]
pub(crate) mod avx512;
#[cfg(neon)]
pub(crate) mod neon;
pub(crate) mod scalar;
#[cfg(sse2)]
pub(crate) mod sse2;

mod blocks;
mod classes;
pub mod dna;
mod element;
#[cfg(feature = "c-api")]
mod ffi;
mod kernels;
mod planes;
mod single;
mod slicing;

pub use blocks::{Layout, Store, blocks_len, slice_blocks, slice_in_place, unslice_blocks, unslice_in_place};
pub use classes::{Class, classify, reduce, reduced_len, restore};
pub use element::Element;
pub use kernels::*;
pub use planes::{slice, unslice};
pub use single::{count_ones, gather_blocks, gather_planes};
pub use slicing::*;

/// Elements per chunk, the unit of the kernels: 64 bytes of each plane.
pub const CHUNK: usize = 512;
/// Elements per block: 256 bytes of each plane.
pub const BLOCK: usize = 4 * CHUNK;

/// Size in bytes of an element gathered from `planes` planes: a power of two.
pub(crate) fn gathered_bytes(planes: usize) -> usize {
    planes.div_ceil(8).next_power_of_two()
}
