//! What jobs share: checkpoints, progress and threads.

pub mod checkpoint;
pub mod journal;
pub mod progress;
pub mod snapshot;
pub mod threads;
