//! Hard-to-round cases of elementary functions: arguments whose results are very close to a
//! rounding breakpoint.
//!
//! ```text
//! segment.rs      interval  ->  segments of constant step and ulp, without inflection
//! plan.rs         segments  ->  numbered units of work, for threads, shards and checkpoints
//!                 unit      ->  cases: Taylor series, blocks, their search, judgement
//! three_phase.rs  block     ->  arguments, by the three-phase algorithm
//! chance.rs       units     ->  expected number of cases
//! judge.rs        argument  ->  result, breakpoint and distance, at sufficient precision
//! function.rs     values and derivatives, in the fixed-point numbers of fixed.rs
//! ```
//!
//! ```
//! use hotloops_hardround::{Algorithm, Function, Modes, Plan, Problem};
//! let problem = Problem {
//!     function: Function::Exp,
//!     from: 1.0,
//!     to: 1.0 + (-24_f64).exp2(),
//!     grid: None,
//!     modes: Modes::All,
//!     within: (-24_f64).exp2(),
//! };
//! let plan = Plan::new(&problem)?;
//! let cases = plan.search(0, Algorithm::Farey)?;
//! assert_eq!(plan.judge(cases[0]).x.to_string(), "0x1.0000000e70e17p+0");
//! # Ok::<(), hotloops_hardround::Error>(())
//! ```

mod chance;
mod error;
mod fixed;
mod function;
mod judge;
mod plan;
mod segment;
#[cfg(test)]
mod tests;
mod three_phase;

pub use error::Error;
pub use function::{Dyadic, Function};
pub use judge::{Class, Judged};
pub use plan::{Algorithm, MAX_CASES, Plan, Problem, UNIT};
pub use segment::{Modes, Segment};
