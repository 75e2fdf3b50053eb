//! Slicing of elements of 1, 2, 4 and 8 bytes, in rows and in tiles.

use super::slicing::*;
use super::{CHUNK, Layout};
use crate::frame::error::Error;

/// An unsigned integer that has planes: `u8`, `u16`, `u32`, `u64`.
pub trait Element: Copy + sealed::Sealed + 'static {
    #[doc(hidden)]
    const WIDTH: Width;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! elements {
    ($($type:ty, $width:ident)+) => {
        $(
            impl sealed::Sealed for $type {}
            impl Element for $type {
                const WIDTH: Width = Width::$width;
            }
        )+
    };
}
elements! { u8, One u16, Two u32, Four u64, Eight }

/// Size of an element in bytes.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    One = 1,
    Two = 2,
    Four = 4,
    Eight = 8,
}

impl Width {
    pub(super) fn from_bytes(bytes: usize) -> Result<Self, Error> {
        let all = [Width::One, Width::Two, Width::Four, Width::Eight];
        all.into_iter().find(|width| width.bytes() == bytes).ok_or(Error::ElementSize { bytes })
    }

    pub(super) const fn bytes(self) -> usize {
        self as usize
    }

    pub(super) const fn planes(self) -> usize {
        8 * self as usize
    }
}

/// Where the bits of a chunk are: in rows, `stride` bytes from plane to plane, or in tiles,
/// `stride` bytes from tile to tile.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub layout: Layout,
    pub stride: usize,
}

impl Place {
    /// The place in a contiguous block.
    pub fn of_block(layout: Layout, width: Width) -> Self {
        let stride = match layout {
            Layout::Rows2048 => 256,
            Layout::Tiles64 => 8 * width.planes(),
        };
        Place { layout, stride }
    }

    /// Bytes from a chunk to the next one.
    pub fn chunk_step(self) -> usize {
        match self.layout {
            Layout::Rows2048 => CHUNK / 8,
            Layout::Tiles64 => CHUNK / 64 * self.stride,
        }
    }
}

/// Cuts whole chunks into planes.
///
/// # Safety
/// Same as for the kernels: the elements are readable, their planes at `place` are writable, and
/// they do not overlap.
pub(super) unsafe fn slice_chunks(width: Width, src: *const u8, chunks: usize, planes: *mut u8, place: Place) {
    let stride = place.stride;
    // SAFETY: the caller's contract.
    unsafe {
        match (place.layout, width) {
            (Layout::Rows2048, Width::One) => slice_u8(src, chunks, planes, stride),
            (Layout::Rows2048, Width::Two) => slice_u16(src.cast(), chunks, planes, stride),
            (Layout::Rows2048, Width::Four) => slice_u32(src.cast(), chunks, planes, stride),
            (Layout::Rows2048, Width::Eight) => slice_u64(src.cast(), chunks, planes, stride),
            (Layout::Tiles64, Width::One) => tile_u8(src, chunks, planes, stride),
            (Layout::Tiles64, Width::Two) => tile_u16(src.cast(), chunks, planes, stride),
            (Layout::Tiles64, Width::Four) => tile_u32(src.cast(), chunks, planes, stride),
            (Layout::Tiles64, Width::Eight) => tile_u64(src.cast(), chunks, planes, stride),
        }
    }
}

/// Puts whole chunks together from planes.
///
/// # Safety
/// Same as for the kernels: the planes at `place` are readable, the elements are writable, and they
/// do not overlap.
pub(super) unsafe fn unslice_chunks(width: Width, planes: *const u8, place: Place, chunks: usize, dst: *mut u8) {
    let stride = place.stride;
    // SAFETY: the caller's contract.
    unsafe {
        match (place.layout, width) {
            (Layout::Rows2048, Width::One) => unslice_u8(planes, stride, chunks, dst),
            (Layout::Rows2048, Width::Two) => unslice_u16(planes, stride, chunks, dst.cast()),
            (Layout::Rows2048, Width::Four) => unslice_u32(planes, stride, chunks, dst.cast()),
            (Layout::Rows2048, Width::Eight) => unslice_u64(planes, stride, chunks, dst.cast()),
            (Layout::Tiles64, Width::One) => untile_u8(planes, stride, chunks, dst),
            (Layout::Tiles64, Width::Two) => untile_u16(planes, stride, chunks, dst.cast()),
            (Layout::Tiles64, Width::Four) => untile_u32(planes, stride, chunks, dst.cast()),
            (Layout::Tiles64, Width::Eight) => untile_u64(planes, stride, chunks, dst.cast()),
        }
    }
}
