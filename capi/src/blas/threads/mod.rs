//! Threads inside the library, as users of BLAS expect: `HOTLOOPS_NUM_THREADS` of them, or
//! `OPENBLAS_NUM_THREADS`, or `OMP_NUM_THREADS`; by default one, in `libblas.so.3` one for each CPU
//! that the process may use. They divide elements of results, never a sum, so that the bits do not
//! depend on their number.
//!
//! Workers begin with the first large product and sleep between products. One product at a time has
//! them; another one that begins meanwhile, or within a part, runs alone.

use core::ffi::{CStr, c_int};
use core::ops::Range;
use core::sync::atomic::{AtomicUsize, Ordering};

use super::number::Number;
use super::view::View;

#[cfg(not(windows))]
mod pool;
#[cfg(not(windows))]
use pool::run;

#[cfg(windows)]
fn run(_: usize, _: &(dyn Fn(usize) + Sync)) -> bool {
    false
}

/// Multiply-adds of real numbers that are worth another thread.
const MIN_WORK: usize = 1 << 20;

/// Columns or rows of a part are a multiple of this, so that threads share no vector of C.
const GRAIN: usize = 16;

/// On Windows, all products run alone.
const MAX_THREADS: usize = if cfg!(windows) { 1 } else { 1024 };

/// Products by as many threads as they are worth.
pub(super) trait Product: Number {
    /// `C = alpha A B + beta C`.
    ///
    /// # Safety
    /// As for [`Number::product_alone`].
    #[inline(always)]
    unsafe fn product(alpha: Self, a: View<Self>, b: View<Self>, beta: Self, c: View<Self>) {
        let size = [c.rows, c.columns];
        // SAFETY: the caller's contract; the blocks of C are disjoint.
        let job = |rows: Range<usize>, columns: Range<usize>| unsafe {
            // Whole views, which threads may share.
            let (a, b, c) = (a, b, c);
            let (a, b) = (a.block(rows.clone(), 0..a.columns), b.block(0..b.rows, columns.clone()));
            Self::product_alone(alpha, a, b, beta, c.block(rows, columns));
        };
        if !divided(terms::<Self>(size, a.columns), size, &job) {
            // SAFETY: the caller's contract.
            unsafe { Self::product_alone(alpha, a, b, beta, c) }
        }
    }
}

impl<T: Number> Product for T {}

/// Real multiply-adds of a product with `k` terms.
#[inline(always)]
pub(super) fn terms<T: Number>([rows, columns]: [usize; 2], k: usize) -> usize {
    let factor = if T::IS_COMPLEX { 4 } else { 1 };
    rows.saturating_mul(columns).saturating_mul(k).saturating_mul(factor)
}

/// Calls `job` for the rows and columns of each part, by several threads, or returns false if the work
/// is for one.
#[inline(always)]
pub(super) fn divided(work: usize, size: [usize; 2], job: &(dyn Fn(Range<usize>, Range<usize>) + Sync)) -> bool {
    work >= 2 * MIN_WORK && divide(work, size, job)
}

#[cold]
fn divide(work: usize, [rows, columns]: [usize; 2], job: &(dyn Fn(Range<usize>, Range<usize>) + Sync)) -> bool {
    let by_rows = rows >= columns;
    let length = if by_rows { rows } else { columns };
    let parts = number().min(work / MIN_WORK).min(length / GRAIN);
    if parts < 2 {
        return false;
    }
    let step = length.div_ceil(parts).next_multiple_of(GRAIN);
    run(length.div_ceil(step), &|part| {
        let range = part * step..length.min((part + 1) * step);
        if by_rows { job(range, 0..columns) } else { job(0..rows, range) }
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

#[cfg(not(any(test, windows, target_vendor = "apple")))]
core::arch::global_asm!(".weak hl_blas_all_cores");

/// Whether this is the library that the makefile links with `hl_blas_all_cores`.
fn all_cores() -> bool {
    #[cfg(not(any(test, windows, target_vendor = "apple")))]
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
    #[cfg(any(test, windows, target_vendor = "apple"))]
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
    #[cfg(not(windows))]
    return (unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) }.max(1) as usize).min(MAX_THREADS);
    #[cfg(windows)]
    MAX_THREADS
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
