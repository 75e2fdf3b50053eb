//! Memory for elements at given indices only, however far apart. What lies between is not mapped.

use std::ops::Range;
use std::ptr::with_exposed_provenance_mut;
use std::sync::atomic::{AtomicU64, Ordering::AcqRel};

use super::lengths;

const PAGE: isize = 1 << 16;
/// The first address that is tried, and the distance of those after it.
const BASE: usize = 1 << 44;
const STEP: usize = (1 << 40) + (1 << 21);
/// The addresses in use, a bit each. QEMU keeps a table for each address that was ever mapped, so few are used, again
/// and again.
static USED: AtomicU64 = AtomicU64::new(0);

/// The largest size of a room in bytes, which keeps the tests quick.
fn limit() -> usize {
    2 * lengths::largest() + (1 << 19)
}

/// Elements at the indices of `pieces`, at an address where nothing else is near.
pub struct Room<T> {
    base: *mut T,
    pieces: Vec<Range<isize>>,
    _place: Place,
}

/// An address in use, and the mappings around it.
struct Place {
    bit: u64,
    maps: Vec<(usize, usize)>,
}

impl<T: Copy> Room<T> {
    /// `None` if that is too much memory for the test at hand. `value` gets an element's index.
    pub fn new(pieces: impl IntoIterator<Item = Range<isize>>, mut value: impl FnMut(isize) -> T) -> Option<Self> {
        let (size, mut total) = (size_of::<T>() as isize, 0);
        let small = |piece: Range<isize>| {
            total += piece.len().checked_mul(size as usize)?;
            (total <= limit()).then_some(piece)
        };
        let pieces: Vec<_> = pieces.into_iter().filter(|piece| !piece.is_empty()).map(small).collect::<Option<_>>()?;
        let mut pages: Vec<_> = pieces
            .iter()
            .map(|piece| (piece.start * size).div_euclid(PAGE)..(piece.end * size + PAGE - 1).div_euclid(PAGE))
            .collect();
        pages.sort_by_key(|range| range.start);
        let mut merged: Vec<Range<isize>> = Vec::new();
        for range in pages {
            match merged.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => merged.push(range),
            }
        }
        let bytes: isize = merged.iter().map(|range| (range.end - range.start) * PAGE).sum();
        if bytes as usize > limit().max(PAGE as usize * merged.len()) {
            return None;
        }
        let (base, _place) = (0..64).find_map(|step| map(&merged, step)).expect("address space");
        let room = Self { base: with_exposed_provenance_mut(base), pieces, _place };
        for index in room.pieces.iter().flat_map(Clone::clone) {
            // SAFETY: mapped above.
            unsafe { room.base.wrapping_offset(index).write(value(index)) }
        }
        Some(room)
    }

    /// The elements `0..n`.
    pub fn of(n: usize, value: impl FnMut(isize) -> T) -> Option<Self> {
        Self::new(std::iter::once(0..n as isize), value)
    }

    /// `count` rows of `width`, `stride` elements apart.
    pub fn rows(count: usize, stride: isize, width: usize, value: impl FnMut(isize) -> T) -> Option<Self> {
        Self::new((0..count as isize).map(|row| row * stride..row * stride + width as isize), value)
    }

    /// The elements of a slice.
    pub fn copy(values: &[T]) -> Option<Self> {
        Self::of(values.len(), |i| values[i as usize])
    }

    /// The address of element 0, which need not be mapped.
    pub fn ptr(&self) -> *mut T {
        self.base
    }

    /// The bytes of all elements.
    pub fn contents(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for piece in &self.pieces {
            let size = piece.len() * size_of::<T>();
            // SAFETY: mapped by `new`, initialised there or by a kernel.
            bytes.extend_from_slice(unsafe {
                std::slice::from_raw_parts(self.base.wrapping_offset(piece.start).cast::<u8>(), size)
            });
        }
        bytes
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        for &(start, size) in &self.maps {
            // SAFETY: made by `map`, used no more.
            assert_eq!(unsafe { libc::munmap(with_exposed_provenance_mut(start), size) }, 0);
        }
        USED.fetch_and(!self.bit, AcqRel);
    }
}

/// Maps these pages around an address, which it returns, unless it is in use.
fn map(pages: &[Range<isize>], step: usize) -> Option<(usize, Place)> {
    let (base, bit) = (BASE + step * STEP, 1 << step);
    if USED.fetch_or(bit, AcqRel) & bit != 0 {
        return None;
    }
    let mut place = Place { bit, maps: Vec::new() };
    for range in pages {
        let (start, size) = (base.wrapping_add_signed(range.start * PAGE), ((range.end - range.start) * PAGE) as usize);
        let (access, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANON);
        // SAFETY: a fresh mapping; the address is a hint only, so no other mapping is replaced.
        let found = unsafe { libc::mmap(with_exposed_provenance_mut(start), size, access, flags, -1, 0) };
        assert_ne!(found, libc::MAP_FAILED, "{}", std::io::Error::last_os_error());
        place.maps.push((found.expose_provenance(), size));
        if found.addr() != start {
            return None;
        }
    }
    Some((base, place))
}
