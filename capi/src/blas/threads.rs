//! Threads inside the library, as users of BLAS expect: `HOTLOOPS_NUM_THREADS` of them, or
//! `OPENBLAS_NUM_THREADS`, or `OMP_NUM_THREADS`; by default one, in `libblas.so.3` one for each CPU
//! that the process may use. They divide elements of results, never a sum, so that the bits do not
//! depend on their number.
//!
//! Workers begin with the first large product and sleep between products. One product at a time has
//! them; another one that begins meanwhile, or within a part, runs alone.

use core::cell::UnsafeCell;
use core::ffi::{CStr, c_int, c_void};
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::number::Number;
use super::view::View;

/// Multiply-adds of real numbers that are worth another thread.
const MIN_WORK: usize = 1 << 20;

/// Columns or rows of a part are a multiple of this, so that threads share no vector of C.
const GRAIN: usize = 16;

/// Turns in which a thread looks for work, some 50 us, before it sleeps.
const SPINS: usize = 1 << 10;

const MAX_THREADS: usize = 1024;

/// Products by as many threads as they are worth.
pub(super) trait Product: Number {
    /// `C = alpha A B + beta C`.
    ///
    /// # Safety
    /// As for [`Number::product_alone`].
    #[inline(always)]
    unsafe fn product(alpha: Self, a: View<Self>, b: View<Self>, beta: Self, c: View<Self>) {
        let factor = if Self::IS_COMPLEX { 4 } else { 1 };
        let work = c.rows.saturating_mul(c.columns).saturating_mul(a.columns).saturating_mul(factor);
        // SAFETY: the caller's contract.
        if work < 2 * MIN_WORK || !unsafe { divided(work, alpha, a, b, beta, c) } {
            // SAFETY: the caller's contract.
            unsafe { Self::product_alone(alpha, a, b, beta, c) }
        }
    }
}

impl<T: Number> Product for T {}

/// Computes the product in parts, or returns false if there is one thread.
///
/// # Safety
/// As for [`Number::product_alone`].
#[cold]
unsafe fn divided<T: Number>(work: usize, alpha: T, a: View<T>, b: View<T>, beta: T, c: View<T>) -> bool {
    let by_rows = c.rows >= c.columns;
    let length = if by_rows { c.rows } else { c.columns };
    let parts = number().min(work / MIN_WORK).min(length / GRAIN);
    if parts < 2 {
        return false;
    }
    let step = length.div_ceil(parts).next_multiple_of(GRAIN);
    run(length.div_ceil(step), &|part| {
        // Whole views, which threads may share.
        let (a, b, c) = (a, b, c);
        let range = part * step..length.min((part + 1) * step);
        let (rows, columns) = if by_rows { (range, 0..c.columns) } else { (0..c.rows, range) };
        let (a, b) = (a.block(rows.clone(), 0..a.columns), b.block(0..b.rows, columns.clone()));
        // SAFETY: the caller's contract; the parts of C are disjoint.
        unsafe { T::product_alone(alpha, a, b, beta, c.block(rows, columns)) }
    })
}

/// The number of threads, 0 before it is known.
static NUMBER: AtomicUsize = AtomicUsize::new(0);

fn number() -> usize {
    match NUMBER.load(Ordering::Relaxed) {
        0 => {
            let number = [c"HOTLOOPS_NUM_THREADS", c"OPENBLAS_NUM_THREADS", c"OMP_NUM_THREADS"]
                .into_iter()
                .find_map(variable)
                .unwrap_or_else(|| if all_cores() { cores() } else { 1 });
            NUMBER.store(number, Ordering::Relaxed);
            number
        }
        number => number,
    }
}

/// A positive integer in the environment. Others are ignored, as by other libraries.
fn variable(name: &CStr) -> Option<usize> {
    // SAFETY: a C string, and one that `getenv` returns.
    let value = unsafe {
        let value = libc::getenv(name.as_ptr());
        if value.is_null() {
            return None;
        }
        CStr::from_ptr(value)
    };
    // A list names the threads of each level of OpenMP.
    let first = value.to_str().ok()?.split(',').next()?.trim();
    first.parse().ok().filter(|&number| number > 0).map(|number: usize| number.min(MAX_THREADS))
}

#[cfg(not(test))]
core::arch::global_asm!(".weak hl_blas_all_cores");

/// Whether this is the library that the makefile links with `hl_blas_all_cores`.
fn all_cores() -> bool {
    #[cfg(not(test))]
    {
        unsafe extern "C" {
            static hl_blas_all_cores: u8;
        }
        static ADDRESS: Address = Address(&raw const hl_blas_all_cores);
        struct Address(*const u8);
        // SAFETY: an address.
        unsafe impl Sync for Address {}
        // SAFETY: a static is readable. The volatile read hides from the compiler that it is not null.
        !unsafe { (&raw const ADDRESS.0).read_volatile() }.is_null()
    }
    #[cfg(test)]
    false
}

/// The CPUs that the process may use.
fn cores() -> usize {
    #[cfg(target_os = "linux")]
    // SAFETY: the set is writable.
    unsafe {
        let mut set: libc::cpu_set_t = core::mem::zeroed();
        if libc::sched_getaffinity(0, size_of_val(&set), &mut set) == 0 {
            return (libc::CPU_COUNT(&set).max(1) as usize).min(MAX_THREADS);
        }
    }
    // SAFETY: no precondition.
    (unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) }.max(1) as usize).min(MAX_THREADS)
}

/// Sets the number of threads from the next call on; 0 and less mean 1.
#[unsafe(no_mangle)]
extern "C" fn hl_blas_set_num_threads(threads: c_int) {
    NUMBER.store((threads.max(1) as usize).min(MAX_THREADS), Ordering::Relaxed);
}

/// The number of threads that a large product uses.
#[unsafe(no_mangle)]
extern "C" fn hl_blas_get_num_threads() -> c_int {
    number() as c_int
}

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
fn run(parts: usize, job: &(dyn Fn(usize) + Sync)) -> bool {
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
