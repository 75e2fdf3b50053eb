//! The threads of a job. If one cannot start, the job ends with the remedy.

use std::error::Error;

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

use crate::failure::Failure;

/// A pool of `threads` threads, or of one per core.
pub fn pool(threads: Option<u16>) -> Result<ThreadPool, Failure> {
    ThreadPoolBuilder::new().num_threads(threads.map_or(0, usize::from)).build().map_err(unstarted)
}

/// Starts the global pool of `threads` threads, or of one per core, for jobs that use it. Without
/// this call, a failure to start would panic.
pub fn start(threads: Option<u16>) -> Result<(), Failure> {
    ThreadPoolBuilder::new().num_threads(threads.map_or(0, usize::from)).build_global().map_err(unstarted)
}

fn unstarted(error: ThreadPoolBuildError) -> Failure {
    no_thread(error.source().unwrap_or(&error))
}

/// The failure to start a thread.
pub fn no_thread(cause: &dyn Error) -> Failure {
    Failure::Job(format!("cannot start threads: out of memory, or too many are running: {cause}; reduce --threads"))
}
