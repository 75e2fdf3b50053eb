//! Exact similarity search in bit rows, by an index.
//!
//! | functions | find |
//! |---|---|
//! | [`Searcher::search`] | the rows whose score with a query meets a threshold |
//! | [`Searcher::top`] | the best rows for a query |
//! | [`Searcher::batch`] | the rows for each of many queries |
//! | [`Searcher::pairs`] | the pairs of rows of one set |
//!
//! [`Index::build`] makes the index of N rows in the caller's memory; [`Index::new`] takes one that was
//! built before, from a file for example. Scores are distances and similarities ([`Measure`]). The rows
//! are those of [`hamming`](crate::hamming) ([`BitRows`](crate::hamming::BitRows)), which compares them
//! without an index.
//!
//! # Source
//! Swamidass, Baldi, "Bounds and Algorithms for Fast Exact Searches of Chemical Fingerprints in Linear
//! and Sublinear Time" (J. Chem. Inf. Model. 47, 2007) bound a score by the counts of ones of both rows.
//! Counting misses on bit planes, with a budget for each row, is this library's.
//!
//! # Method
//! An index holds the rows, sorted by their number of ones, as bit planes: a bitmap of rows for each bit.
//! A search counts the *misses* of 512 rows at once, with carry-save adders
//! ([`misses()`](crate::hamming::misses())): the ones of the query that a row lacks, rarest first (or, for
//! a query with ones in more than half of its bits, the ones of the row that the query lacks). The counts
//! of ones of query and row and the threshold give a budget of misses. A row with more is dead, and a group
//! of 512 rows is left as soon as all of its rows are. Rows whose count of ones no score allows are never
//! looked at. The search is exact: survivors are tested again with the score itself, computed from the
//! counters; it returns what a comparison of all rows returns.
//!
//! Why a budget is exact: with the counts of ones fixed, no score becomes worse with more ones in
//! common, so there is a minimum number of common ones that reaches the threshold. It is found with the
//! scores as they are reported, rounding included, and rounding keeps the order ([`Condition`]).
//!
//! Milliseconds of CPU time on one core of an Intel Xeon (Granite Rapids, AVX-512) with other load, by
//! `cargo bench --bench fingerprints`, for generated rows and queries from among them. The columns are the
//! building of the index; one query at three thresholds of Tanimoto similarity; its 10 best rows; one of
//! 100 queries at 0.7; and all pairs of 20,000 rows at 0.7.
//!
//! | rows | build | 0.4 | 0.7 | 0.85 | best 10 | one of 100 | pairs |
//! |---|---|---|---|---|---|---|---|
//! | 1,000,000 x 2048, sparse (48 ones) | 365 | 0.38 | 0.06 | 0.02 | 0.43 | 0.09 | 34 |
//! | 1,000,000 x 166 (45 ones) | 69 | 0.26 | 0.08 | 0.02 | 0.17 | 0.05 | 16 |
//! | 200,000 x 2048, dense (690 ones) | 64 | 2.7 | 0.66 | 0.13 | 1.4 | 0.21 | 253 |
//! | 300,000 x 1024, clusters (512 ones) | 50 | 2.1 | 0.68 | 0.38 | 1.5 | 0.25 | 254 |
//! | 300,000 x 1024, uniform (512 ones) | 55 | 3.8 | 1.4 | 0.27 | 3.5 | 0.24 | 233 |
//!
//! A comparison of every row with one query ([`hamming::search`](crate::hamming::search())) took 52 ms for
//! the first of these sets, 11 for the third and 9 for the last.
//!
//! # Example
//! ```
//! use hotloops::fingerprints::{Condition, Index, Match, Measure, Searcher};
//! use hotloops::hamming::BitRows;
//!
//! let rows = BitRows::new(&[0xff, 0x1f, 0xf0, 0x0f], 4, 8, 1)?;
//! let mut memory = vec![0; Index::image_len(4, 8)?];
//! let index = Index::build(rows, &mut memory)?;
//!
//! let condition = Condition { measure: Measure::Tanimoto, threshold: 0.6, empty: 0.0 };
//! let mut best = [Match::default(); 3];
//! let found = Searcher::new().top(&[index], &[0x0f], &condition, &mut best)?;
//! let best: Vec<_> = best[..found].iter().map(|hit| (hit.row, hit.score)).collect();
//! assert_eq!(best, [(3, 1.0), (1, 0.8)]);
//! # Ok::<(), hotloops::Error>(())
//! ```
//!
//! # Exactness
//! A search returns what a comparison of all rows returns. Counts are integers, and scores are rounded
//! as in [`hamming`](crate::hamming#exactness); Tversky's measure is computed in `f64` and rounded to
//! `f32`. The image of an index is in the machine's byte order: [`Index::new`] refuses one from a machine
//! of the other order.
//!
//! # Errors
//! [`Error::NoBits`](crate::Error::NoBits), [`Error::TooLarge`](crate::Error::TooLarge) and
//! [`Error::Length`](crate::Error::Length) if rows, memory or a query do not fit,
//! [`Error::Packed`](crate::Error::Packed) if memory holds no index,
//! [`Error::Threshold`](crate::Error::Threshold) and [`Error::Weight`](crate::Error::Weight) for
//! conditions, and [`Error::NoMemory`](crate::Error::NoMemory).

mod batch;
mod build;
mod engine;
#[cfg(feature = "c-api")]
mod ffi;
mod image;
mod measure;
mod plan;
mod rows;
mod search;
mod tile;

pub use batch::{PairMatch, PairTiles};
pub use image::Index;
pub use measure::{Condition, Measure};
pub use search::{Match, Searcher};
