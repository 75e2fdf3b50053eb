//! Hard-to-round cases of elementary functions: arguments whose results are very close to a
//! rounding breakpoint.
//!
//! ```text
//! segment.rs      interval  ->  segments of constant step and ulp, without inflection
//! plan.rs         segments  ->  numbered units of work, for threads, shards and checkpoints
//! plan/search.rs  unit      ->  cases: Taylor series, blocks, their search, judgement
//! slow.rs         unit      ->  cases, where nearly all arguments have the same fraction
//! three_phase.rs  block     ->  arguments, by the three-phase algorithm
//! pointwise.rs    unit      ->  cases, by the value of each argument
//! self_check.rs   unit      ->  agreement of two algorithms on a block
//! chance.rs       units     ->  expected number of cases
//! format.rs       formats of arguments and results
//! report.rs       the whole search in one call
//! judge.rs        argument  ->  result, breakpoint and distance, at sufficient precision
//! mpfr.rs         the same by MPFR, as an independent judge (feature `mpfr`)
//! functions.rs    the formulas of functions, by the traits of function.rs
//! jet.rs          argument  ->  Taylor coefficients of a formula, for a point or an interval
//! ball.rs         values with proved errors, on the fixed-point arithmetic of fixed.rs
//! ```
//!
//! ```
//! use hotloops_hardround::{Algorithm, Format, Modes, SearchPlan, Problem, functions};
//! let problem = Problem {
//!     function: &functions::Exp,
//!     format: Format::BINARY64,
//!     from: 1.0,
//!     to: 1.0 + (-24_f64).exp2(),
//!     grid: None,
//!     modes: Modes::All,
//!     within: (-24_f64).exp2(),
//! };
//! let plan = SearchPlan::new(&problem)?;
//! let found = plan.search(0, Algorithm::Farey)?;
//! assert_eq!(plan.judge(found.cases[0]).x.to_string(), "0x1.0000000e70e17p+0");
//! # Ok::<(), hotloops_hardround::Error>(())
//! ```

mod ball;
mod chance;
mod cut;
mod dyadic;
mod error;
mod fixed;
mod format;
mod found;
mod function;
pub mod functions;
mod jet;
mod judge;
#[cfg(feature = "mpfr")]
pub mod mpfr;
mod plan;
mod pointwise;
mod report;
mod run;
mod segment;
mod self_check;
mod slow;
#[cfg(test)]
mod tests;
pub mod three_phase;

pub use ball::Ball;
pub use dyadic::Dyadic;
pub use error::{Error, MAX_CASES};
pub use format::Format;
pub use found::{Found, MAX_EXACT, MAX_RUN};
pub use function::{Formula, Function};
pub use jet::Jet;
pub use judge::{Class, Judged};
pub use plan::{Algorithm, Outside, Problem, SearchPlan, UNIT};
pub use report::{Report, search};
pub use segment::{Modes, Segment};
