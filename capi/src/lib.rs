//! What the library crate needs to be linked into a C program: an allocator and the end of every
//! panic. The functions of the C API are those that the crate exports; those of CBLAS, an archive
//! of their own, are in `cblas`. It is made with the profile `capi`; in the others, which unwind
//! and so need `std`, it merely compiles.
#![cfg_attr(panic = "abort", no_std)]

use core::alloc::{GlobalAlloc, Layout};

mod cblas;

/// The C allocator.
struct Libc;

#[global_allocator]
static ALLOCATOR: Libc = Libc;

/// What `malloc` aligns to on every supported target.
#[cfg(not(windows))]
const MALLOC_ALIGN: usize = 2 * size_of::<usize>();

// SAFETY: `malloc` and `posix_memalign` return null or a block of the size and alignment asked for,
// and `free` takes the blocks of both. None of them unwinds.
#[cfg(not(windows))]
unsafe impl GlobalAlloc for Libc {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.align() <= MALLOC_ALIGN {
            // SAFETY: no precondition.
            return unsafe { libc::malloc(layout.size()) }.cast();
        }
        let mut block = core::ptr::null_mut();
        // SAFETY: `block` is writable; the alignment is a power of two and a multiple of the pointer size.
        match unsafe { libc::posix_memalign(&mut block, layout.align(), layout.size()) } {
            0 => block.cast(),
            _ => core::ptr::null_mut(),
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, _: Layout) {
        // SAFETY: the caller passes a block of this allocator.
        unsafe { libc::free(block.cast()) }
    }
}

// SAFETY: `aligned_malloc` returns null or a block of the size and alignment asked for, and
// `aligned_free` takes it.
#[cfg(windows)]
unsafe impl GlobalAlloc for Libc {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the alignment is a power of two.
        unsafe { libc::aligned_malloc(layout.size(), layout.align()) }.cast()
    }

    unsafe fn dealloc(&self, block: *mut u8, _: Layout) {
        // SAFETY: the caller passes a block of this allocator.
        unsafe { libc::aligned_free(block.cast()) }
    }
}

/// A panic is a defect of the library; it ends the process rather than cross into C.
#[cfg(panic = "abort")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    // SAFETY: no precondition.
    unsafe { libc::abort() }
}

/// Named by the precompiled `core` and `alloc`; never called, since nothing unwinds.
#[cfg(panic = "abort")]
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}
