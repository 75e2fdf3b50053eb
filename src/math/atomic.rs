//! The atomics of `choice.rs`. `tests/model/` has those of a model checker in this place.

pub(crate) use core::sync::atomic::{AtomicU32, Ordering};
