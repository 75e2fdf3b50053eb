//! Stacks whose pages below the stack pointer are closed. The first access to the page next below
//! the lowest open one opens it, as a guard page of Windows does; an access to any other page is a
//! fault of the function: it skipped a page.

use std::mem::{MaybeUninit, zeroed};
use std::ptr::null_mut;
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::{PAGE, SLOTS};

/// The closed pages of a slot's stack.
struct Pages {
    /// The first byte of the stack, or 0 while all pages are open.
    start: AtomicUsize,
    /// The lowest open page at the call, and now, as addresses.
    top: AtomicUsize,
    lowest: AtomicUsize,
    /// The first address of a skipped page, or 0.
    skipped: AtomicUsize,
}

static PAGES: [Pages; SLOTS] = [const {
    Pages {
        start: AtomicUsize::new(0),
        top: AtomicUsize::new(0),
        lowest: AtomicUsize::new(0),
        skipped: AtomicUsize::new(0),
    }
}; SLOTS];

/// What was done with SIGSEGV before.
static mut BEFORE: MaybeUninit<libc::sigaction> = MaybeUninit::uninit();

fn protect(start: usize, end: usize, access: libc::c_int) -> bool {
    // SAFETY: callers give pages of a stack of their slot.
    start == end || unsafe { libc::mprotect(start as *mut _, end - start, access) } == 0
}

const OPEN: libc::c_int = libc::PROT_READ | libc::PROT_WRITE;

/// Closes the first `count` pages of the slot's stack.
pub fn close(slot: usize, stack: *mut u8, count: usize) {
    static HANDLER: Once = Once::new();
    HANDLER.call_once(|| {
        // SAFETY: the handler only opens pages and stores integers.
        unsafe {
            let mut action: libc::sigaction = zeroed();
            action.sa_sigaction = on_fault as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            assert_eq!(libc::sigaction(libc::SIGSEGV, &action, (&raw mut BEFORE).cast()), 0);
        }
    });
    // SAFETY: asks for the stack of this thread's signal handlers; Rust's threads have one.
    unsafe {
        let mut other: libc::stack_t = zeroed();
        assert_eq!(libc::sigaltstack(null_mut(), &mut other), 0);
        assert_eq!(other.ss_flags & libc::SS_DISABLE, 0, "this thread has no stack for signals");
    }
    let (pages, start) = (&PAGES[slot], stack.addr());
    // SAFETY: no preconditions.
    if unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize != PAGE {
        return;
    }
    let top = start + count * PAGE;
    pages.lowest.store(top, Relaxed);
    pages.top.store(top, Relaxed);
    pages.skipped.store(0, Relaxed);
    pages.start.store(start, Relaxed);
    assert!(protect(start, top, libc::PROT_NONE));
}

/// Opens all pages; returns how far below the first closed byte the first skipped page was touched.
pub fn open(slot: usize) -> Option<usize> {
    let pages = &PAGES[slot];
    let start = pages.start.swap(0, Relaxed);
    if start == 0 {
        return None;
    }
    assert!(protect(start, pages.lowest.load(Relaxed).max(start), OPEN));
    let skipped = pages.skipped.load(Relaxed);
    (skipped != 0).then(|| pages.top.load(Relaxed) - skipped)
}

unsafe extern "C" fn on_fault(signal: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the kernel gives it.
    let address = unsafe { (*info).si_addr() }.addr();
    for pages in &PAGES {
        let (start, lowest) = (pages.start.load(Relaxed), pages.lowest.load(Relaxed));
        if start == 0 || !(start..lowest).contains(&address) {
            continue;
        }
        let mut first = lowest - PAGE;
        if address < first {
            pages.skipped.store(address, Relaxed);
            first = start;
        }
        if protect(first, lowest, OPEN) {
            pages.lowest.store(first, Relaxed);
            return;
        }
    }
    // Anything else happens again, to whoever handled it before.
    // SAFETY: stored before the handler was installed.
    unsafe { libc::sigaction(signal, (&raw const BEFORE).cast(), null_mut()) };
}
