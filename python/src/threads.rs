//! Work on one thread or several, without the interpreter lock, which Ctrl-C ends.
//!
//! Only the main thread of Python learns of signals. A call on one thread looks for them between two units of
//! work. On a pool, the thread of the call waits, looks for signals meanwhile, and tells the workers to stop.
//! A unit takes at most some 50 ms.

use std::num::NonZero;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hotloops::Error;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::arrays::wrong;
use crate::{failed, raised};

/// Between two looks for signals.
const INTERVAL: Duration = Duration::from_millis(20);

/// The largest pool.
const THREADS: usize = 4096;

/// Work below this, in elements, bytes or multiply-adds, does not release the lock.
const SMALL: usize = 1 << 14;

/// Work of the first part of a long call: about a millisecond.
pub const FIRST: usize = 1 << 22;

/// Work below this is done on the thread of the call unless it names a number of threads: workers take some 20 us
/// to wake up.
const ALONE: usize = 1 << 20;

/// Why work ended early.
pub enum Stop {
    Interrupted,
    Failed(Error),
    Device(hotloops_gpu::Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Stop::Failed(error)
    }
}

impl From<hotloops_gpu::Error> for Stop {
    fn from(error: hotloops_gpu::Error) -> Self {
        Stop::Device(error)
    }
}

impl Stop {
    pub fn raised(self) -> PyErr {
        match self {
            Stop::Failed(error) => raised(error),
            Stop::Device(error) => failed(error),
            Stop::Interrupted => PyRuntimeError::new_err("the work ended early"),
        }
    }
}

/// Whether a call has been interrupted, and the threads that work for it.
pub struct Watch {
    is_stopped: AtomicBool,
    /// The signals of a call on one thread, and the exception that a handler has raised.
    alone: Option<Mutex<(Signals, Option<PyErr>)>>,
}

impl Watch {
    fn new(is_alone: bool) -> Self {
        let alone = is_alone.then(|| Mutex::new((Signals::new(), None)));
        Watch { is_stopped: AtomicBool::new(false), alone }
    }

    /// To be called before each unit of work.
    pub fn check(&self) -> Result<(), Stop> {
        if self.goes_on() { Ok(()) } else { Err(Stop::Interrupted) }
    }

    /// Whether to begin another unit of work.
    pub fn goes_on(&self) -> bool {
        if let Some(alone) = &self.alone
            && let Ok(mut alone) = alone.lock()
            && let Err(error) = alone.0.poll()
        {
            alone.1 = Some(error);
            self.is_stopped.store(true, Ordering::Relaxed);
        }
        !self.is_stopped.load(Ordering::Relaxed)
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        if self.alone.is_some() { 1 } else { rayon::current_num_threads() }
    }

    /// Calls `f` with each item and its number. Returns the results in the order of the items.
    pub fn each<T: Send, R: Send>(
        &self,
        items: impl IntoIterator<Item = T>,
        f: impl Fn(usize, T) -> Result<R, Stop> + Sync,
    ) -> Result<Vec<R>, Stop> {
        let checked = |(index, item)| self.check().and_then(|()| f(index, item));
        if self.alone.is_some() {
            return items.into_iter().enumerate().map(checked).collect();
        }
        let items: Vec<T> = items.into_iter().collect();
        items.into_par_iter().enumerate().map(checked).collect()
    }

    /// Adds the numbers below `len` to sums of `new`, one for each thread or more, and merges these.
    pub fn sum<S: Send>(
        &self,
        len: usize,
        new: impl Fn() -> Result<S, Error> + Sync + Send,
        add: impl Fn(&mut S, usize) -> Result<(), Stop> + Sync + Send,
        merge: impl Fn(&mut S, S) -> Result<(), Error> + Sync + Send,
    ) -> Result<S, Stop> {
        let checked = |sum: &mut S, index| self.check().and_then(|()| add(sum, index));
        if self.alone.is_some() {
            let mut sum = new()?;
            return (0..len).try_for_each(|index| checked(&mut sum, index)).map(|()| sum);
        }
        let whole = || new().map_err(Stop::from);
        let sums = (0..len).into_par_iter().try_fold(&new, |sum, index| {
            let mut sum = sum?;
            checked(&mut sum, index)?;
            Ok::<_, Stop>(Ok::<_, Error>(sum))
        });
        let merged = sums.map(|sum| sum.and_then(|sum| Ok(sum?))).try_reduce_with(|mut a, b| {
            merge(&mut a, b)?;
            Ok(a)
        });
        merged.unwrap_or_else(whole)
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
    pub fn poll(&mut self) -> PyResult<()> {
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

/// Threads beyond this number for each core only wait for each other: starting thousands takes half a minute.
const OF_CORE: usize = 4;

/// The number of threads to start for a number that a caller asks for.
fn useful(threads: usize) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    threads.min(OF_CORE * cores)
}

/// The number of threads that [`on`] uses.
pub fn count(threads: Option<usize>) -> PyResult<usize> {
    check(threads)?;
    threads.map_or_else(|| Ok(pool(None)?.current_num_threads()), |threads| Ok(useful(threads)))
}

/// The pools that calls share.
struct Pools {
    process: u32,
    /// One thread for each core.
    default: Option<Arc<ThreadPool>>,
    /// The last pool of another size.
    other: Option<Arc<ThreadPool>>,
}

/// A pool of `threads` threads, or of as many as are useful, by default one for each core. A process that was forked
/// has none of its parent's threads and makes its own pools.
fn pool(threads: Option<usize>) -> PyResult<Arc<ThreadPool>> {
    let threads = threads.map(useful);
    // Locked only with the interpreter lock, which `os.fork` holds: never locked in a new child.
    static SHARED: Mutex<Option<Pools>> = Mutex::new(None);
    let process = std::process::id();
    let mut shared = SHARED.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if shared.as_ref().is_some_and(|pools| pools.process != process) {
        // The parent's pools must not be dropped here: that would take locks of its threads.
        std::mem::forget(shared.take());
    }
    let pools = shared.get_or_insert(Pools { process, default: None, other: None });
    let fits = |pool: &&Arc<ThreadPool>| threads.is_none_or(|threads| threads == pool.current_num_threads());
    if let Some(pool) = pools.default.iter().find(fits).or(pools.other.iter().find(fits).filter(|_| threads.is_some()))
    {
        return Ok(Arc::clone(pool));
    }
    let pool = ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build();
    let pool = Arc::new(pool.map_err(|error| PyRuntimeError::new_err(format!("threads: {error}")))?);
    *(if threads.is_none() { &mut pools.default } else { &mut pools.other }) = Some(Arc::clone(&pool));
    Ok(pool)
}

/// Runs `f` on `threads` threads, by default one for each core if `work`, in elements, bytes or multiply-adds, is
/// worth it.
pub fn on<T: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    work: usize,
    f: impl FnOnce(&Watch) -> Result<T, Stop> + Send,
) -> PyResult<T> {
    on_raising(py, threads, work, raised, f)
}

/// Like [`on`], with the exception for an error of the library.
pub fn on_raising<T: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    work: usize,
    raise: impl FnOnce(Error) -> PyErr + Send,
    f: impl FnOnce(&Watch) -> Result<T, Stop> + Send,
) -> PyResult<T> {
    check(threads)?;
    let is_alone = threads == Some(1) || threads.is_none() && (work < ALONE || count(None)? == 1);
    let (watch, pool) = (Watch::new(is_alone), if is_alone { None } else { Some(pool(threads)?) });
    let (result, interrupted) = match pool {
        None => (Some(run(py, work, || f(&watch))), None),
        Some(pool) => py.detach(|| in_pool(&pool, &watch, f)),
    };
    let interrupted = interrupted.or(watch.alone.and_then(|alone| alone.into_inner().ok()?.1));
    match (interrupted, result) {
        (Some(error), _) => Err(error),
        (None, Some(Ok(result))) => Ok(result),
        (None, Some(Err(Stop::Failed(error)))) => Err(raise(error)),
        (None, Some(Err(stop))) => Err(stop.raised()),
        (None, None) => Err(Stop::Interrupted.raised()),
    }
}

/// Runs `f` on a pool while this thread looks for signals. Returns its result, and the exception of a handler.
fn in_pool<T: Send>(
    pool: &ThreadPool,
    watch: &Watch,
    f: impl FnOnce(&Watch) -> Result<T, Stop> + Send,
) -> (Option<Result<T, Stop>>, Option<PyErr>) {
    let (done, result) = mpsc::sync_channel(1);
    let (mut signals, mut interrupted) = (Signals::new(), None);
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
                    watch.is_stopped.store(interrupted.is_some(), Ordering::Relaxed);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    });
    (result, interrupted)
}
