//! Additions that let a C program link the library crate: an allocator and a panic handler. The
//! crate itself exports the functions of the C API; `blas` has routines of BLAS, a separate library.
//! Build it with the profile `capi`. Other profiles unwind and therefore need `std`; with them it
//! only compiles.
#![cfg_attr(panic = "abort", no_std)]

use core::alloc::{GlobalAlloc, Layout};

mod blas;

/// The C allocator.
struct Libc;

#[global_allocator]
static ALLOCATOR: Libc = Libc;

/// The alignment that `malloc` guarantees on every supported target.
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

/// A panic is a bug in the library. It ends the process, because it must not unwind into C.
#[cfg(panic = "abort")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    // SAFETY: no precondition.
    unsafe { libc::abort() }
}

/// Referenced by the precompiled `core` and `alloc`. Never called, because nothing unwinds.
#[cfg(panic = "abort")]
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}
