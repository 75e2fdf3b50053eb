//! An allocator that counts this thread's calls and bytes.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Counts this thread's allocator calls and the bytes that it holds.
struct Counting;

thread_local! {
    static CALLS: Cell<usize> = const { Cell::new(0) };
    static HELD: Cell<isize> = const { Cell::new(0) };
    static MAX_HELD: Cell<isize> = const { Cell::new(0) };
}

/// Adds `bytes` to the held bytes unless `pointer` is null.
fn count(pointer: *mut u8, bytes: isize) -> *mut u8 {
    CALLS.set(CALLS.get() + 1);
    HELD.set(HELD.get() + if pointer.is_null() { 0 } else { bytes });
    MAX_HELD.set(MAX_HELD.get().max(HELD.get()));
    pointer
}

// SAFETY: the system's allocator with counters beside it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's contract is the same.
        count(unsafe { System.alloc(layout) }, layout.size() as isize)
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(pointer, -(layout.size() as isize));
        // SAFETY: the caller's contract is the same.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's contract is the same.
        count(unsafe { System.realloc(pointer, layout, size) }, size as isize - layout.size() as isize)
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The allocator calls of `body`.
pub fn calls<T>(body: impl FnOnce() -> T) -> usize {
    let before = CALLS.get();
    body();
    CALLS.get() - before
}

/// The result of `make`, and the bytes that it holds.
pub fn held<T>(make: impl FnOnce() -> T) -> (T, usize) {
    let before = HELD.get();
    let made = make();
    (made, (HELD.get() - before) as usize)
}

/// The result of `make`, and the peak of the bytes held while it ran.
pub fn most_held<T>(make: impl FnOnce() -> T) -> (T, usize) {
    let before = HELD.get();
    MAX_HELD.set(before);
    let made = make();
    (made, (MAX_HELD.get() - before) as usize)
}
