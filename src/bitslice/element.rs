//! Slicing of elements of 1, 2, 4 and 8 bytes, in rows and in tiles. The kernels take elements of 1
//! and 4 bytes; elements of 2 and 8 bytes are split into halves.

use core::mem::MaybeUninit;

use super::{CHUNK, Layout};
use super::{slice_u8, slice_u32, tile_u8, tile_u32, unslice_u8, unslice_u32, untile_u8, untile_u32};
use crate::error::Error;

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

    /// Bytes from a plane to the plane `planes` further on.
    fn plane_step(self, planes: usize) -> usize {
        match self.layout {
            Layout::Rows2048 => planes * self.stride,
            Layout::Tiles64 => 8 * planes,
        }
    }
}

/// Elements that are split at once, so few that the halves stay in L1.
const BATCH: usize = 4 * CHUNK;

/// Cuts whole chunks into planes.
///
/// # Safety
/// Same as for the kernels: the elements are readable, their planes at `place` are writable, and
/// they do not overlap.
pub(super) unsafe fn slice_chunks(width: Width, src: *const u8, chunks: usize, planes: *mut u8, place: Place) {
    let (bytes, words) = match place.layout {
        Layout::Rows2048 => (slice_u8 as super::slice_u8::Function, slice_u32 as super::slice_u32::Function),
        Layout::Tiles64 => (tile_u8 as super::slice_u8::Function, tile_u32 as super::slice_u32::Function),
    };
    // SAFETY: the caller's contract; the batches below are parts of the source, and their planes
    // parts of the planes.
    unsafe {
        match width {
            Width::One => bytes(src, chunks, planes, place.stride),
            Width::Four => words(src.cast(), chunks, planes, place.stride),
            Width::Two => batches(chunks, |first, count| {
                let (src, planes) = (src.cast::<u16>().add(first * CHUNK), planes.add(first * place.chunk_step()));
                let (mut low, mut high) = (Half::uninit(), Half::uninit());
                cut(src, count * CHUNK, &mut low, &mut high, |x| [x as u8, (x >> 8) as u8]);
                bytes(low.as_ptr().cast(), count, planes, place.stride);
                bytes(high.as_ptr().cast(), count, planes.add(place.plane_step(8)), place.stride);
            }),
            Width::Eight => batches(chunks, |first, count| {
                let (src, planes) = (src.cast::<u64>().add(first * CHUNK), planes.add(first * place.chunk_step()));
                let (mut low, mut high) = (Half::uninit(), Half::uninit());
                cut(src, count * CHUNK, &mut low, &mut high, |x| [x as u32, (x >> 32) as u32]);
                words(low.as_ptr().cast(), count, planes, place.stride);
                words(high.as_ptr().cast(), count, planes.add(place.plane_step(32)), place.stride);
            }),
        }
    }
}

/// Puts whole chunks together from planes.
///
/// # Safety
/// Same as for the kernels: the planes at `place` are readable, the elements are writable, and they
/// do not overlap.
pub(super) unsafe fn unslice_chunks(width: Width, planes: *const u8, place: Place, chunks: usize, dst: *mut u8) {
    let (bytes, words) = match place.layout {
        Layout::Rows2048 => (unslice_u8 as super::unslice_u8::Function, unslice_u32 as super::unslice_u32::Function),
        Layout::Tiles64 => (untile_u8 as super::unslice_u8::Function, untile_u32 as super::unslice_u32::Function),
    };
    // SAFETY: the caller's contract; the batches below are parts of the destination, and their
    // planes parts of the planes.
    unsafe {
        match width {
            Width::One => bytes(planes, place.stride, chunks, dst),
            Width::Four => words(planes, place.stride, chunks, dst.cast()),
            Width::Two => batches(chunks, |first, count| {
                let planes = planes.add(first * place.chunk_step());
                let (mut low, mut high) = (Half::uninit(), Half::uninit());
                bytes(planes, place.stride, count, low.as_mut_ptr().cast());
                bytes(planes.add(place.plane_step(8)), place.stride, count, high.as_mut_ptr().cast());
                let dst = dst.cast::<u16>().add(first * CHUNK);
                paste(&low, &high, count * CHUNK, dst, |low: u8, high| u16::from(low) | u16::from(high) << 8);
            }),
            Width::Eight => batches(chunks, |first, count| {
                let planes = planes.add(first * place.chunk_step());
                let (mut low, mut high) = (Half::uninit(), Half::uninit());
                words(planes, place.stride, count, low.as_mut_ptr().cast());
                words(planes.add(place.plane_step(32)), place.stride, count, high.as_mut_ptr().cast());
                let dst = dst.cast::<u64>().add(first * CHUNK);
                paste(&low, &high, count * CHUNK, dst, |low: u32, high| u64::from(low) | u64::from(high) << 32);
            }),
        }
    }
}

/// Calls `work(first, count)` for batches of chunks, until all `chunks` are done.
fn batches(chunks: usize, mut work: impl FnMut(usize, usize)) {
    const STEP: usize = BATCH / CHUNK;
    (0..chunks).step_by(STEP).for_each(|first| work(first, STEP.min(chunks - first)));
}

/// Room for one half of each element of a batch.
type Half<H> = MaybeUninit<[H; BATCH]>;

/// Splits `n` elements (at most a batch) into halves.
///
/// # Safety
/// The elements are readable, at any alignment.
unsafe fn cut<T, H>(src: *const T, n: usize, low: &mut Half<H>, high: &mut Half<H>, halves: impl Fn(T) -> [H; 2]) {
    let (low, high) = (low.as_mut_ptr().cast::<H>(), high.as_mut_ptr().cast::<H>());
    for i in 0..n {
        // SAFETY: the caller's contract.
        unsafe {
            let [first, second] = halves(src.add(i).read_unaligned());
            low.add(i).write(first);
            high.add(i).write(second);
        }
    }
}

/// Joins the halves of `n` elements (at most a batch).
///
/// # Safety
/// `n` halves are initialised on both sides; the elements are writable, at any alignment.
unsafe fn paste<T, H: Copy>(low: &Half<H>, high: &Half<H>, n: usize, dst: *mut T, join: impl Fn(H, H) -> T) {
    let (low, high) = (low.as_ptr().cast::<H>(), high.as_ptr().cast::<H>());
    for i in 0..n {
        // SAFETY: the caller's contract.
        unsafe { dst.add(i).write_unaligned(join(low.add(i).read(), high.add(i).read())) }
    }
}
