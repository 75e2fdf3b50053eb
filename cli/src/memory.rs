//! Running out of memory ends the command with a message and status 1.
//!
//! [`Allocator`] serves the command, the library and all crates, so no caller has to handle a
//! failed allocation. It ends the process with `_exit`: no destructor and no exit handler runs,
//! since those may allocate. Three kinds of allocation bypass it. For stacks of threads, the functions
//! of [`threads`](crate::job::threads) and [`on_own_stack`] return an error. If a mapping fails, the
//! standard library panics; if an allocation inside the C library fails, it aborts. [`watch_panics`]
//! and [`watch_aborts`] turn both into the message.

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::io::{self, Write};
use std::panic;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::thread;
use std::time::Duration;

use crate::failure::Failure;
use crate::unfinished;

/// The system's allocator. It ends the process if memory runs out.
pub struct Allocator;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

fn checked(memory: *mut u8, bytes: usize) -> *mut u8 {
    if memory.is_null() {
        end(format_args!("{bytes} bytes"));
    }
    memory
}

// SAFETY: every call is passed on unchanged to the system's allocator; if that fails, the process
// ends without unwinding.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's contract is the same.
        checked(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's contract is the same.
        checked(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's contract is the same.
        checked(unsafe { System.realloc(memory, layout, size) }, size)
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's contract is the same.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// The work in progress, for the message.
static WORK: AtomicPtr<&'static str> = AtomicPtr::new(ptr::from_ref(&START).cast_mut());
static START: &str = "the arguments";

/// Does `work`. If memory runs out meanwhile, the message names `name` as the purpose.
pub fn needed_for<T>(name: &'static &'static str, work: impl FnOnce() -> T) -> T {
    let outer = WORK.swap(ptr::from_ref(name).cast_mut(), Ordering::Relaxed);
    let result = work();
    WORK.store(outer, Ordering::Relaxed);
    result
}

/// Whether a thread is ending the process.
static ENDS: AtomicBool = AtomicBool::new(false);

/// Prints that memory has run out and ends the process. Nothing here allocates.
fn end(lacking: std::fmt::Arguments) -> ! {
    if ENDS.swap(true, Ordering::Relaxed) {
        // Another thread is about to end the process.
        loop {
            thread::sleep(Duration::from_secs(1));
        }
    }
    // SAFETY: the pointer is that of a static string.
    let work = unsafe { *WORK.load(Ordering::Relaxed) };
    say(lacking, work);
    unfinished::remove_all();
    // SAFETY: takes any status.
    unsafe { libc::_exit(1) }
}

fn say(lacking: std::fmt::Arguments, work: &str) {
    let mut line = [0; 400];
    let mut rest = &mut line[..];
    // A longer line is truncated.
    let _ = writeln!(rest, "hotloops: out of memory: {lacking} for {work}");
    let length = 400 - rest.len();
    let _ = io::stderr().write_all(&line[..length]);
}

/// Makes all threads share one arena of the C library if the address space of the process is
/// limited. The C library reserves 64 MiB or 128 MiB for each arena; if it cannot, it maps a page
/// for every allocation.
pub fn save_address_space() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the limit is written to a structure of its type.
        let is_known = unsafe { libc::getrlimit(libc::RLIMIT_AS, &mut limit) } == 0;
        if is_known && limit.rlim_cur != libc::RLIM_INFINITY {
            // SAFETY: no other thread runs yet.
            unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
        }
    }
}

/// Reports a panic as "out of memory" if its message names that cause, or if memory has run out.
pub fn watch_panics() {
    let report = panic::take_hook();
    let cause = io::Error::from_raw_os_error(libc::ENOMEM).to_string();
    panic::set_hook(Box::new(move |panic| {
        let payload = panic.payload();
        let text = payload.downcast_ref::<String>().map(String::as_str).or(payload.downcast_ref::<&str>().copied());
        // The standard library's panic without a stack for a thread has EAGAIN.
        let is_cause = text.is_some_and(|text| text.contains(&cause) || text.starts_with("failed to spawn thread"));
        if is_cause || !has(Layout::new::<[u8; 1 << 20]>()) {
            end(format_args!("a thread or a crate has no memory"));
        }
        report(panic);
    }));
}

/// Reports an abort of the C library as "out of memory" if memory has run out. The C library has no
/// other way to report that.
pub fn watch_aborts() {
    #[cfg(unix)]
    {
        extern "C" fn aborted(_: libc::c_int) {
            // SAFETY: this maps new pages and unmaps them; both calls are allowed in a handler.
            let has_memory = unsafe {
                let access = libc::PROT_READ | libc::PROT_WRITE;
                let pages = libc::mmap(ptr::null_mut(), 1 << 20, access, libc::MAP_PRIVATE | libc::MAP_ANON, -1, 0);
                pages != libc::MAP_FAILED && libc::munmap(pages, 1 << 20) == 0
            };
            // Any other abort continues after this returns.
            if ENDS.load(Ordering::Relaxed) || !has_memory {
                end(format_args!("the C library has no memory"));
            }
        }
        let handler: extern "C" fn(libc::c_int) = aborted;
        // SAFETY: a thread that aborts holds none of the locks that the handler takes, except the
        // reentrant lock of standard error.
        unsafe { libc::signal(libc::SIGABRT, handler as libc::sighandler_t) };
    }
}

/// Whether this much memory can be allocated.
fn has(layout: Layout) -> bool {
    // SAFETY: the size is not 0. `black_box` keeps the compiler from removing the allocation.
    let memory = black_box(unsafe { System.alloc(layout) });
    if !memory.is_null() {
        // SAFETY: it was allocated like this.
        unsafe { System.dealloc(memory, layout) };
    }
    !memory.is_null()
}

/// Bytes of the command's stack. It is mapped as a whole when the thread starts; the stack of the
/// process grows on demand, and a failure to grow ends the process with a signal.
const STACK: usize = 4 << 20;

/// Runs the command on a stack that is fully mapped in advance.
pub fn on_own_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Failure> {
    let thread = thread::Builder::new().name("main".to_owned()).stack_size(STACK).spawn(work);
    let thread = thread.map_err(|error| Failure::Job(format!("out of memory: no stack of {STACK} bytes: {error}")))?;
    Ok(thread.join().unwrap_or_else(|panic| panic::resume_unwind(panic)))
}
