//! Actions that may kill their process run in a child.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// The wait status of a child process that runs `action`; 0 if it returned without a panic.
pub fn status(action: impl FnOnce()) -> libc::c_int {
    // SAFETY: the child only accesses memory and exits.
    unsafe {
        let child = libc::fork();
        if child == 0 {
            // A child that hangs fails its test.
            libc::alarm(60);
            // Death by a signal would make QEMU write two lines for each fault.
            let mut handler: libc::sigaction = std::mem::zeroed();
            handler.sa_sigaction = on_fault as *const () as usize;
            handler.sa_flags = libc::SA_ONSTACK;
            for signal in FAULTS {
                assert_eq!(libc::sigaction(signal, &handler, std::ptr::null_mut()), 0);
            }
            libc::setrlimit(libc::RLIMIT_CORE, &libc::rlimit { rlim_cur: 0, rlim_max: 0 });
            let panicked = catch_unwind(AssertUnwindSafe(action)).is_err();
            libc::_exit(panicked.into());
        }
        let mut status = 0;
        assert_eq!(libc::waitpid(child, &mut status, 0), child);
        status
    }
}

/// Whether a wait status is that of an access fault.
pub fn is_fault(status: libc::c_int) -> bool {
    let ends = |signal| libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == FIRST_FAULT + signal;
    FAULTS.into_iter().any(ends)
}

const FAULTS: [libc::c_int; 2] = [libc::SIGSEGV, libc::SIGBUS];
/// Added to the number of the signal, as shells do.
const FIRST_FAULT: libc::c_int = 128;

extern "C" fn on_fault(signal: libc::c_int) {
    // SAFETY: ends the process.
    unsafe { libc::_exit(FIRST_FAULT + signal) }
}
