//! Exact similarity search on bit-sliced columns.

mod batch;
mod build;
mod engine;
#[cfg(feature = "c-api")]
mod ffi;
mod image;
#[cfg(any(sse2, neon))]
pub(super) mod lanes;
mod measure;
mod plan;
mod search;
mod tile;

pub use batch::PairMatch;
pub use image::Index;
pub use measure::{Condition, Measure};
pub use search::{Match, Searcher};
