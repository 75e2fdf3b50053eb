//! Faults that the system reports by a signal: they end the command with a message and status 1.

#[cfg(unix)]
use std::io::{self, Write};
#[cfg(unix)]
use std::ptr;
#[cfg(unix)]
use std::sync::atomic::{AtomicPtr, Ordering};

#[cfg(unix)]
use crate::unfinished;

/// Writing beyond the limit of file sizes is an error of the call instead of a signal.
pub fn fail_instead() {
    #[cfg(unix)]
    // SAFETY: ignoring a signal has no precondition.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

/// A mapped file. Files stay listed to the end of the process; their number is that of its arguments.
#[cfg(unix)]
struct Mapped {
    pages: *const [u8],
    name: String,
    next: *const Mapped,
}

#[cfg(unix)]
static MAPPED: AtomicPtr<Mapped> = AtomicPtr::new(ptr::null_mut());

/// Reports with this name that a mapped file has lost pages or cannot be read. Reading such a page raises SIGBUS.
pub fn name_mapped(pages: &[u8], name: String) {
    #[cfg(unix)]
    {
        // One thread opens files.
        let file = Box::new(Mapped { pages, name, next: MAPPED.load(Ordering::Acquire) });
        MAPPED.store(Box::leak(file), Ordering::Release);
        // SAFETY: all fields are plain data; zeros are valid.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) = lost;
        action.sa_sigaction = handler as libc::sighandler_t;
        // On the stack for signals, if the thread has one.
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        // SAFETY: the handler has the type that SA_SIGINFO requires.
        unsafe { libc::sigaction(libc::SIGBUS, &action, ptr::null_mut()) };
    }
    #[cfg(not(unix))]
    let _ = (pages, name);
}

#[cfg(unix)]
extern "C" fn lost(_: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the system passes the information of SIGBUS, which has an address.
    let address = unsafe { (*info).si_addr() } as usize;
    let mut next = MAPPED.load(Ordering::Acquire).cast_const();
    // SAFETY: files are leaked, so all pointers are valid; the list does not change under a pointer once read.
    while let Some(file) = unsafe { next.as_ref() } {
        let start = file.pages.cast::<u8>() as usize;
        // The last page is mapped as a whole.
        if (start..start + file.pages.len().next_multiple_of(1 << 16)).contains(&address) {
            let mut line = [0; 1000];
            let mut rest = &mut line[..];
            // A longer line is truncated.
            let why = "was truncated by another program or cannot be read any more; make it again, or copy it back";
            let _ = writeln!(rest, "hotloops: {}: {why}", file.name);
            let length = 1000 - rest.len();
            let _ = io::stderr().write_all(&line[..length]);
            unfinished::remove_all();
            // SAFETY: takes any status.
            unsafe { libc::_exit(1) }
        }
        next = file.next;
    }
    // Any other fault ends the process with this signal.
    // SAFETY: the default action has no precondition; the instruction faults again.
    unsafe { libc::signal(libc::SIGBUS, libc::SIG_DFL) };
}

/// Whether the process has more rights than the user who set its environment (setuid, setgid, file capabilities).
pub fn is_privileged() -> bool {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    // SAFETY: no precondition.
    let privileged = unsafe { libc::getauxval(libc::AT_SECURE) != 0 };
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    let privileged = false;
    privileged
}
