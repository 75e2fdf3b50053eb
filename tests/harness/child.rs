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
            libc::signal(libc::SIGSEGV, libc::SIG_DFL);
            libc::signal(libc::SIGBUS, libc::SIG_DFL);
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
    libc::WIFSIGNALED(status) && [libc::SIGSEGV, libc::SIGBUS].contains(&libc::WTERMSIG(status))
}
