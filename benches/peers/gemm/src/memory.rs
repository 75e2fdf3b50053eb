//! Operands with random numbers in -1..1, in huge pages if available.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::marker::PhantomData;

const PAGE: usize = 2 << 20;
const LINE: usize = 64;
/// Minimum size of an allocation in huge pages. In small ones the rate of a larger product depends
/// on where it happens to lie.
const LARGE: usize = 64 << 10;

/// Arrays in one allocation, each aligned to a cache line.
pub struct Memory<T> {
    base: *mut u8,
    layout: Layout,
    starts: Vec<usize>,
    lengths: Vec<usize>,
    element: PhantomData<T>,
}

impl<T: Copy + From<f32>> Memory<T> {
    pub fn new(lengths: &[usize]) -> Self {
        let mut end = 0;
        let mut starts = Vec::new();
        for length in lengths {
            starts.push(end);
            // Three lines of padding; otherwise arrays of whole pages would share cache sets.
            end = (end + length * size_of::<T>()).next_multiple_of(LINE) + 3 * LINE;
        }
        let align = if end < LARGE { 4096 } else { PAGE };
        let layout = Layout::from_size_align(end.next_multiple_of(align), align).expect("sizes of a cell");
        // SAFETY: not empty; the advice is for memory just got.
        let base = unsafe {
            let base = alloc_zeroed(layout);
            assert!(!base.is_null(), "memory for {end} bytes");
            #[cfg(target_os = "linux")]
            libc::madvise(base.cast(), layout.size(), libc::MADV_HUGEPAGE);
            base
        };
        let memory = Self { base, layout, starts, lengths: lengths.to_vec(), element: PhantomData };
        let mut state = 1_u32;
        for (i, &length) in lengths.iter().enumerate() {
            for j in 0..length {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                // SAFETY: an element of the array.
                unsafe { memory.at(i).add(j).write(T::from((state >> 8) as f32 / (1 << 23) as f32 - 1.0)) };
            }
        }
        memory
    }

    pub fn at(&self, array: usize) -> *mut T {
        self.base.wrapping_add(self.starts[array]).cast()
    }

    /// The array. It must not be written while the slice exists.
    pub fn slice(&self, array: usize) -> &[T] {
        // SAFETY: filled by `new`.
        unsafe { std::slice::from_raw_parts(self.at(array), self.lengths[array]) }
    }
}

impl<T> Drop for Memory<T> {
    fn drop(&mut self) {
        // SAFETY: got with this layout.
        unsafe { dealloc(self.base, self.layout) }
    }
}
