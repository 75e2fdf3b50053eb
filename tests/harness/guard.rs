//! Buffers between two inaccessible pages. Canaries fill the rest of their own pages.
#![allow(dead_code)] // each test program uses a part of it

use std::ops::Range;

const CANARY: u8 = 0xa5;

/// The end of the buffer that adjoins an inaccessible page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Side {
    /// Reading before the buffer faults.
    Start,
    /// Reading past the buffer faults.
    End,
}

pub struct Guarded<T: Copy> {
    base: *mut u8,
    size: usize,
    /// Ranges, relative to `base`, of the accessible bytes and of the data.
    open: Range<usize>,
    data: Range<usize>,
    of: std::marker::PhantomData<T>,
}

impl<T: Copy> Guarded<T> {
    /// A copy of `values`, `slack` bytes away from the inaccessible page on `side`. The slack
    /// allows any misalignment.
    pub fn new(values: &[T], side: Side, slack: usize) -> Self {
        let (page, bytes) = (memory::page(), size_of_val(values));
        let inner = (bytes + slack).max(1).next_multiple_of(page);
        let size = inner + 2 * page;
        let (base, open) = memory::map(size, page..page + inner);
        let start = page + if side == Side::Start { slack } else { inner - slack - bytes };
        let mut guarded = Self { base, size, open, data: start..start + bytes, of: std::marker::PhantomData };
        for range in guarded.canaries() {
            guarded.bytes(range).fill(CANARY);
        }
        guarded.set(values);
        guarded
    }

    /// Overwrites the contents.
    pub fn set(&mut self, values: &[T]) {
        assert_eq!(size_of_val(values), self.data.len());
        // SAFETY: the data range is this buffer's own and as long as `values`.
        unsafe { values.as_ptr().cast::<u8>().copy_to_nonoverlapping(self.as_mut_ptr().cast(), self.data.len()) }
    }

    pub fn len(&self) -> usize {
        self.data.len() / size_of::<T>()
    }

    pub fn as_ptr(&self) -> *const T {
        self.base.wrapping_add(self.data.start).cast()
    }

    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.base.wrapping_add(self.data.start).cast()
    }

    /// The contents; the slack must leave them aligned.
    pub fn as_slice(&self) -> &[T] {
        assert!(self.as_ptr().is_aligned());
        // SAFETY: the data range holds `len` values, and is aligned.
        unsafe { std::slice::from_raw_parts(self.as_ptr(), self.len()) }
    }

    pub fn as_mut_slice(&mut self) -> &mut [T] {
        assert!(self.as_ptr().is_aligned());
        // SAFETY: as above, and borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.as_mut_ptr(), self.len()) }
    }

    /// The contents at any alignment.
    pub fn to_vec(&self) -> Vec<T> {
        let mut values = Vec::<T>::with_capacity(self.len());
        // SAFETY: the data range holds `len` values, and there is room for them.
        unsafe {
            self.as_ptr().cast::<u8>().copy_to_nonoverlapping(values.as_mut_ptr().cast(), self.data.len());
            values.set_len(self.len());
        }
        values
    }

    /// Panics if a byte around the data was written.
    pub fn check(&mut self) {
        for range in self.canaries() {
            let bytes = self.bytes(range.clone());
            // All bytes are intact if the first one is and each equals its predecessor.
            if !bytes.is_empty() && (bytes[0] != CANARY || bytes[1..] != bytes[..bytes.len() - 1]) {
                let first = range.start + bytes.iter().position(|&b| b != CANARY).unwrap();
                let offset = first as isize - self.data.start as isize;
                panic!("byte {offset} of a buffer of {} bytes was written", self.data.len());
            }
        }
    }

    fn canaries(&self) -> [Range<usize>; 2] {
        [self.open.start..self.data.start, self.data.end..self.open.end]
    }

    fn bytes(&mut self, range: Range<usize>) -> &mut [u8] {
        // SAFETY: callers give parts of the open range.
        unsafe { std::slice::from_raw_parts_mut(self.base.add(range.start), range.len()) }
    }
}

impl<T: Copy> Drop for Guarded<T> {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.check();
        }
        memory::unmap(self.base, self.size);
    }
}

#[cfg(all(unix, not(miri)))]
#[allow(unused_imports)] // the self-test does not use it
pub use memory::release;

#[cfg(all(unix, not(miri)))]
mod memory {
    use super::Range;
    use std::ptr::{null_mut, with_exposed_provenance_mut};
    use std::sync::Mutex;

    /// Sizes and addresses of mappings to reuse. A new mapping costs twenty times as much. Nobody
    /// waits for the lock: a child process inherits it locked if another thread holds it during
    /// the fork.
    static SPARE: Mutex<Vec<(usize, usize)>> = Mutex::new(Vec::new());
    const LARGEST_SPARE: usize = 1 << 24;

    pub fn page() -> usize {
        // SAFETY: no preconditions.
        unsafe { libc::sysconf(libc::_SC_PAGESIZE) as usize }
    }

    /// Maps `size` inaccessible bytes and opens `open` among them. `open` must depend only on the
    /// size.
    pub fn map(size: usize, open: Range<usize>) -> (*mut u8, Range<usize>) {
        if let Ok(mut spare) = SPARE.try_lock()
            && let Some(i) = spare.iter().rposition(|entry| entry.0 == size)
        {
            return (with_exposed_provenance_mut(spare.swap_remove(i).1), open);
        }
        // SAFETY: a fresh private mapping, and a range inside it.
        unsafe {
            let base = libc::mmap(null_mut(), size, libc::PROT_NONE, libc::MAP_PRIVATE | libc::MAP_ANON, -1, 0);
            assert_ne!(base, libc::MAP_FAILED);
            let access = libc::PROT_READ | libc::PROT_WRITE;
            assert_eq!(libc::mprotect(base.byte_add(open.start), open.len(), access), 0);
            (base.cast(), open)
        }
    }

    /// Unmaps the spare mappings: a fork copies the tables of all of them.
    pub fn release() {
        let spare = SPARE.try_lock().map(|mut spare| std::mem::take(&mut *spare)).unwrap_or_default();
        for (size, base) in spare {
            // SAFETY: made by `map`, used no more.
            unsafe { _ = libc::munmap(with_exposed_provenance_mut(base), size) };
        }
    }

    pub fn unmap(base: *mut u8, size: usize) {
        match SPARE.try_lock() {
            Ok(mut spare) if size <= LARGEST_SPARE => spare.push((size, base.expose_provenance())),
            // SAFETY: made by `map`, used no more.
            _ => unsafe { _ = libc::munmap(base.cast(), size) },
        }
    }
}

/// Without page protection all bytes are accessible, and the canaries detect writes only.
#[cfg(not(all(unix, not(miri))))]
mod memory {
    use super::Range;
    use std::alloc::{Layout, alloc_zeroed, dealloc};

    pub fn page() -> usize {
        4096
    }

    pub fn map(size: usize, _: Range<usize>) -> (*mut u8, Range<usize>) {
        // SAFETY: the size is not zero.
        (unsafe { alloc_zeroed(Layout::from_size_align(size, page()).unwrap()) }, 0..size)
    }

    pub fn unmap(base: *mut u8, size: usize) {
        // SAFETY: made by `map` with this layout, used no more.
        unsafe { dealloc(base, Layout::from_size_align(size, page()).unwrap()) };
    }
}
