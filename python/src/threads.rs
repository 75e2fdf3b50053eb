//! Work on one thread or several, without the interpreter lock, which Ctrl-C ends.
//!
//! Only the main thread of Python learns of signals. On a pool, the thread of the call waits, looks for
//! signals meanwhile, and tells the workers to stop between two units of work. A unit takes at most some
//! 50 ms.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hotloops::Error;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::arrays::wrong;
use crate::raised;

/// Between two looks for signals.
const INTERVAL: Duration = Duration::from_millis(20);

/// The largest pool.
const THREADS: usize = 4096;

/// Work below this, in elements, bytes or multiply-adds, does not release the lock.
const SMALL: usize = 1 << 14;

/// Work of the first part of a long call: about a millisecond.
pub const FIRST: usize = 1 << 22;

/// Why work ended early.
pub enum Stop {
    Interrupted,
    Failed(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Stop::Failed(error)
    }
}

impl Stop {
    pub fn raised(self) -> PyErr {
        match self {
            Stop::Failed(error) => raised(error),
            Stop::Interrupted => PyRuntimeError::new_err("the work ended early"),
        }
    }
}

/// Whether a call has been interrupted. Workers check it before each unit of work.
#[derive(Default)]
pub struct Watch(AtomicBool);

impl Watch {
    pub fn check(&self) -> Result<(), Stop> {
        if self.0.load(Ordering::Relaxed) { Err(Stop::Interrupted) } else { Ok(()) }
    }
}

/// Looks for signals every [`INTERVAL`].
pub struct Signals {
    last: Instant,
    is_main: Option<bool>,
}

impl Signals {
    pub fn new() -> Self {
        Signals { last: Instant::now(), is_main: None }
    }

    /// Runs the handlers of signals that have arrived. Other threads than the main one do not take the
    /// interpreter lock after the first time.
    fn poll(&mut self) -> PyResult<()> {
        if self.is_main == Some(false) || self.last.elapsed() < INTERVAL {
            return Ok(());
        }
        let result = Python::attach(|py| {
            if self.is_main.is_none() {
                self.is_main = Some(is_main(py)?);
            }
            py.check_signals()
        });
        self.last = Instant::now();
        result
    }

    /// Calls `f` for consecutive ranges as [`in_parts`] does, without the interpreter lock. A part takes some
    /// milliseconds.
    pub fn in_parts(
        &mut self,
        (len, grain): (usize, usize),
        work: usize,
        mut f: impl FnMut(Range<usize>) -> Result<(), Error>,
    ) -> PyResult<()> {
        let (mut start, mut step) = (0, (len / (work / FIRST).max(1)).max(1).next_multiple_of(grain));
        while start < len {
            let (end, began) = (start.saturating_add(step).min(len), Instant::now());
            f(start..end).map_err(raised)?;
            start = end;
            match began.elapsed() {
                time if time < INTERVAL / 4 => step = step.saturating_mul(2),
                time if time > INTERVAL => step = (step / 2).max(1).next_multiple_of(grain),
                _ => {}
            }
            self.poll()?;
        }
        Ok(())
    }
}

/// Whether this is the thread that handles signals.
fn is_main(py: Python<'_>) -> PyResult<bool> {
    let threading = py.import("threading")?;
    threading.call_method0("main_thread")?.getattr("ident")?.eq(threading.call_method0("get_ident")?)
}

/// Runs `f` on this thread, without the interpreter lock unless `work`, in elements, bytes or
/// multiply-adds, is small.
#[inline]
pub fn run<T: Send>(py: Python<'_>, work: usize, f: impl FnOnce() -> T + Send) -> T {
    if work < SMALL { f() } else { py.detach(f) }
}

/// Calls `f` on this thread for consecutive ranges that cover `0..len`. All but the last begin at multiples of
/// `grain`. `work` is that of all, in elements, bytes or multiply-adds.
#[inline]
pub fn in_parts(
    py: Python<'_>,
    (len, grain): (usize, usize),
    work: usize,
    mut f: impl FnMut(Range<usize>) -> Result<(), Error> + Send,
) -> PyResult<()> {
    if work < FIRST {
        return run(py, work, || f(0..len)).map_err(raised);
    }
    py.detach(|| Signals::new().in_parts((len, grain), work, f))
}

/// Ranges of `step` that cover `0..len`.
pub fn steps(len: usize, step: usize) -> impl Iterator<Item = Range<usize>> {
    (0..len).step_by(step).map(move |start| start..len.min(start.saturating_add(step)))
}

/// Checks the argument `threads`.
pub fn check(threads: Option<usize>) -> PyResult<()> {
    match threads {
        Some(threads) if !(1..=THREADS).contains(&threads) => {
            Err(wrong("threads", format_args!("is {threads}; expected 1 to {THREADS}, or None for one for each core")))
        }
        _ => Ok(()),
    }
}

/// A pool of `threads` threads, by default one for each core.
fn pool(threads: Option<usize>) -> PyResult<Arc<ThreadPool>> {
    let build = |builder: ThreadPoolBuilder| {
        let pool = builder.build();
        pool.map(Arc::new).map_err(|error| PyRuntimeError::new_err(format!("threads: {error}")))
    };
    check(threads)?;
    match threads {
        Some(threads) => build(ThreadPoolBuilder::new().num_threads(threads)),
        None => shared(|| build(ThreadPoolBuilder::new())),
    }
}

/// The number of threads that [`on`] uses.
pub fn count(threads: Option<usize>) -> PyResult<usize> {
    threads.map_or_else(|| Ok(pool(None)?.current_num_threads()), Ok)
}

/// The pool that calls share. A process that was forked has none of its parent's threads and makes its own pool.
fn shared(build: impl FnOnce() -> PyResult<Arc<ThreadPool>>) -> PyResult<Arc<ThreadPool>> {
    // Locked only with the interpreter lock, which `os.fork` holds: never locked in a new child.
    static SHARED: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);
    let process = std::process::id();
    let mut shared = SHARED.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some((owner, pool)) = &*shared
        && *owner == process
    {
        return Ok(Arc::clone(pool));
    }
    let pool = build()?;
    // The parent's pool must not be dropped here: that would wait for its threads.
    std::mem::forget(shared.replace((process, Arc::clone(&pool))));
    Ok(pool)
}

/// Runs `f` on a pool of `threads` threads, by default one for each core.
pub fn on<T: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    f: impl FnOnce(&Watch) -> Result<T, Stop> + Send,
) -> PyResult<T> {
    on_raising(py, threads, raised, f)
}

/// Like [`on`], with the exception for an error of the library.
pub fn on_raising<T: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    raise: impl FnOnce(Error) -> PyErr + Send,
    f: impl FnOnce(&Watch) -> Result<T, Stop> + Send,
) -> PyResult<T> {
    let (pool, watch) = (pool(threads)?, Watch::default());
    py.detach(|| {
        let (done, result) = mpsc::sync_channel(1);
        let (mut signals, mut interrupted, watch) = (Signals::new(), None, &watch);
        let result = pool.in_place_scope(|scope| {
            scope.spawn(move |_| {
                // The receiver lives until this is sent.
                let _ = done.send(f(watch));
            });
            loop {
                match result.recv_timeout(INTERVAL) {
                    Ok(result) => return Some(result),
                    // `f` has panicked, and so will the scope when it ends.
                    Err(RecvTimeoutError::Disconnected) => return None,
                    Err(RecvTimeoutError::Timeout) if interrupted.is_none() => {
                        interrupted = signals.poll().err();
                        watch.0.store(interrupted.is_some(), Ordering::Relaxed);
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                }
            }
        });
        match (interrupted, result) {
            (Some(error), _) => Err(error),
            (None, Some(Ok(result))) => Ok(result),
            (None, Some(Err(Stop::Failed(error)))) => Err(raise(error)),
            (None, Some(Err(stop))) => Err(stop.raised()),
            (None, None) => Err(Stop::Interrupted.raised()),
        }
    })
}
