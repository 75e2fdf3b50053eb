//! Ctrl-C and the signals SIGTERM and SIGHUP: a job saves its state and ends with status 130.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use crate::failure::{Failure, INTERRUPTED, say};
use crate::job::threads;
use crate::unfinished;

/// A signal has come.
static REQUESTED: AtomicBool = AtomicBool::new(false);
/// The job ends by itself after the first signal.
static ENDS_ITSELF: AtomicBool = AtomicBool::new(false);

/// The job has a checkpoint.
static HAS_CHECKPOINT: AtomicBool = AtomicBool::new(false);

type Save = Box<dyn Fn() + Send>;

/// Saves the state of the job.
static SAVE: Mutex<Option<Save>> = Mutex::new(None);

fn save() -> MutexGuard<'static, Option<Save>> {
    SAVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Watches for signals from now on. Those that the parent of the process ignores, as `nohup` does with SIGHUP,
/// stay ignored.
pub fn watch() -> Result<(), Failure> {
    static ONCE: Once = Once::new();
    let mut result = Ok(());
    ONCE.call_once(|| {
        let ignored = ignored();
        result = ctrlc::set_handler(handle).map_err(|error| match error {
            ctrlc::Error::System(cause) => threads::no_thread(&cause),
            error => Failure::Job(format!("signals: {error}")),
        });
        ignore(&ignored);
    });
    result
}

/// Calls `job`, which writes to the --checkpoint, when a signal comes; the process ends after that. Until
/// [`forget_save`].
pub fn save_by(job: impl Fn() + Send + 'static) -> Result<(), Failure> {
    *save() = Some(Box::new(job));
    HAS_CHECKPOINT.store(true, Ordering::Relaxed);
    watch()
}

/// To be called when the job has saved its state.
pub fn forget_save() {
    // The next owner of the lock is not the one that drops what the closure holds.
    let job = save().take();
    drop(job);
}

/// The job will ask [`is_requested`], save its state and end. A second signal ends it at once.
pub fn end_by_request() -> Result<(), Failure> {
    ENDS_ITSELF.store(true, Ordering::Relaxed);
    watch()
}

pub fn is_requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}

fn handle() {
    if !REQUESTED.swap(true, Ordering::Relaxed) && ENDS_ITSELF.load(Ordering::Relaxed) {
        return;
    }
    let job = save();
    if let Some(job) = &*job {
        job();
    }
    unfinished::remove_all();
    let remedy =
        if HAS_CHECKPOINT.load(Ordering::Relaxed) { "; the same command continues from its --checkpoint" } else { "" };
    say(format_args!("hotloops: interrupted{remedy}"));
    end()
}

/// Ends the process without destructors, beside threads that still run.
fn end() -> ! {
    #[cfg(unix)]
    // SAFETY: takes any status.
    unsafe {
        libc::_exit(INTERRUPTED.into())
    }
    #[cfg(not(unix))]
    std::process::exit(INTERRUPTED.into())
}

#[cfg(unix)]
fn ignored() -> Vec<libc::c_int> {
    let is_ignored = |signal: &libc::c_int| {
        // SAFETY: all fields are plain data.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        // SAFETY: reads the action of a signal into a structure of its type.
        let is_known = unsafe { libc::sigaction(*signal, std::ptr::null(), &mut action) } == 0;
        is_known && action.sa_sigaction == libc::SIG_IGN
    };
    [libc::SIGINT, libc::SIGTERM, libc::SIGHUP].into_iter().filter(is_ignored).collect()
}

#[cfg(unix)]
fn ignore(signals: &[libc::c_int]) {
    for &signal in signals {
        // SAFETY: ignoring a signal has no precondition.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
}

#[cfg(not(unix))]
fn ignored() {}

#[cfg(not(unix))]
fn ignore(_: &()) {}
