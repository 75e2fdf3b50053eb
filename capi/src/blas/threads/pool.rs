//! Workers that sleep between jobs.

use core::cell::UnsafeCell;
use core::ffi::c_void;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Turns in which a worker looks for a job, some 50 us, before it sleeps.
const SPINS: usize = 1 << 10;

/// Parts of a product, by their number.
type Job = *const (dyn Fn(usize) + 'static);

/// The state that the mutex guards.
struct Shared {
    job: Option<Job>,
    /// Workers within the job.
    active: usize,
    workers: usize,
}

struct Pool {
    mutex: UnsafeCell<libc::pthread_mutex_t>,
    begin: UnsafeCell<libc::pthread_cond_t>,
    end: UnsafeCell<libc::pthread_cond_t>,
    shared: UnsafeCell<Shared>,
    /// Whether a product has the workers.
    busy: AtomicBool,
    /// Counts jobs. A worker takes part in each at most once.
    generation: AtomicUsize,
    parts: AtomicUsize,
    next: AtomicUsize,
}

// SAFETY: the mutex guards `shared`; a job is `Sync`, and `run` ends after its last use.
unsafe impl Sync for Pool {}

static POOL: Pool = Pool {
    mutex: UnsafeCell::new(libc::PTHREAD_MUTEX_INITIALIZER),
    begin: UnsafeCell::new(libc::PTHREAD_COND_INITIALIZER),
    end: UnsafeCell::new(libc::PTHREAD_COND_INITIALIZER),
    shared: UnsafeCell::new(Shared { job: None, active: 0, workers: 0 }),
    busy: AtomicBool::new(false),
    generation: AtomicUsize::new(0),
    parts: AtomicUsize::new(0),
    next: AtomicUsize::new(0),
};

/// Calls `job` for each part, on this thread and on workers. Returns false, without a call, if
/// another product has the workers.
pub(super) fn run(parts: usize, job: &(dyn Fn(usize) + Sync)) -> bool {
    if POOL.busy.swap(true, Ordering::Acquire) {
        return false;
    }
    let short: *const (dyn Fn(usize) + Sync) = job;
    // SAFETY: only the lifetime and a marker change; the job is not called after this function ends.
    let job_pointer: Job = unsafe { core::mem::transmute(short) };
    // SAFETY: the mutex is unlocked by the thread that locked it, and guards `shared`.
    unsafe {
        libc::pthread_mutex_lock(POOL.mutex.get());
        let shared = POOL.shared.get();
        while (*shared).workers < parts - 1 && start_worker((*shared).workers == 0) {
            (*shared).workers += 1;
        }
        POOL.parts.store(parts, Ordering::Relaxed);
        POOL.next.store(0, Ordering::Relaxed);
        (*shared).job = Some(job_pointer);
        POOL.generation.fetch_add(1, Ordering::Release);
        libc::pthread_cond_broadcast(POOL.begin.get());
        libc::pthread_mutex_unlock(POOL.mutex.get());
        take_parts(job);
        libc::pthread_mutex_lock(POOL.mutex.get());
        (*shared).job = None;
        while (&raw const (*shared).active).read() > 0 {
            libc::pthread_cond_wait(POOL.end.get(), POOL.mutex.get());
        }
        libc::pthread_mutex_unlock(POOL.mutex.get());
    }
    POOL.busy.store(false, Ordering::Release);
    true
}

fn take_parts(job: &dyn Fn(usize)) {
    loop {
        let part = POOL.next.fetch_add(1, Ordering::Relaxed);
        if part >= POOL.parts.load(Ordering::Relaxed) {
            return;
        }
        job(part);
    }
}

/// Starts a thread that blocks all signals, which are for the program's own threads.
fn start_worker(is_first: bool) -> bool {
    // SAFETY: the arguments are initialised and writable.
    unsafe {
        if is_first {
            // A child has the thread that forked alone.
            libc::pthread_atfork(None, None, Some(reset));
        }
        let (mut all, mut before): (libc::sigset_t, libc::sigset_t) = (core::mem::zeroed(), core::mem::zeroed());
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before);
        let mut thread = core::mem::zeroed();
        let started = libc::pthread_create(&mut thread, core::ptr::null(), work, core::ptr::null_mut()) == 0;
        libc::pthread_sigmask(libc::SIG_SETMASK, &before, core::ptr::null_mut());
        if started {
            libc::pthread_detach(thread);
        }
        started
    }
}

extern "C" fn work(_: *mut c_void) -> *mut c_void {
    let mut seen = 0;
    loop {
        for _ in 0..SPINS {
            if POOL.generation.load(Ordering::Acquire) != seen {
                break;
            }
            core::hint::spin_loop();
        }
        // SAFETY: as in `run`; a job that is counted as active is not gone.
        unsafe {
            let shared = POOL.shared.get();
            libc::pthread_mutex_lock(POOL.mutex.get());
            while POOL.generation.load(Ordering::Relaxed) == seen {
                libc::pthread_cond_wait(POOL.begin.get(), POOL.mutex.get());
            }
            seen = POOL.generation.load(Ordering::Relaxed);
            let job = (*shared).job;
            (*shared).active += usize::from(job.is_some());
            libc::pthread_mutex_unlock(POOL.mutex.get());
            if let Some(job) = job {
                take_parts(&*job);
                libc::pthread_mutex_lock(POOL.mutex.get());
                (*shared).active -= 1;
                if (*shared).active == 0 {
                    libc::pthread_cond_signal(POOL.end.get());
                }
                libc::pthread_mutex_unlock(POOL.mutex.get());
            }
        }
    }
}

/// The pool of a child, which has no workers, whatever the parent's threads were doing.
extern "C" fn reset() {
    // SAFETY: the child has one thread.
    unsafe {
        *POOL.mutex.get() = libc::PTHREAD_MUTEX_INITIALIZER;
        *POOL.begin.get() = libc::PTHREAD_COND_INITIALIZER;
        *POOL.end.get() = libc::PTHREAD_COND_INITIALIZER;
        *POOL.shared.get() = Shared { job: None, active: 0, workers: 0 };
    }
    POOL.busy.store(false, Ordering::Relaxed);
}
