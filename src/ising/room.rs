//! Stack memory of a sweep.

use core::mem::MaybeUninit;
use core::{ptr, slice};

/// Stack memory that is initialised only as far as it is used.
pub(super) struct Room<T, const N: usize>([MaybeUninit<T>; N]);

impl<T: Copy, const N: usize> Room<T, N> {
    pub fn new() -> Self {
        Room([const { MaybeUninit::uninit() }; N])
    }

    /// The first `len` elements, set to `value`.
    pub fn filled(&mut self, len: usize, value: T) -> &mut [T] {
        let part = &mut self.0[..len];
        part.iter_mut().for_each(|slot| *slot = MaybeUninit::new(value));
        // SAFETY: every element of `part` was just set.
        unsafe { &mut *(ptr::from_mut(part) as *mut [T]) }
    }
}

/// One site's random numbers, in whole cache lines: loads that cross lines cost the exact
/// sweep 2 % with AVX2.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
pub(super) struct Numbers<const N: usize>(pub [u32; N]);

impl<const N: usize> Numbers<N> {
    /// The random numbers for all `sites`, in order.
    pub fn flat(sites: &mut [Self]) -> &mut [u32] {
        const { assert!(size_of::<Self>() == 4 * N) };
        // SAFETY: `Numbers` are N words and nothing else.
        unsafe { slice::from_raw_parts_mut(sites.as_mut_ptr().cast(), N * sites.len()) }
    }
}
