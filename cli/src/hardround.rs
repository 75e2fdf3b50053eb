//! Hard-to-round cases: the mathematics of the search.
//!
//! ```text
//! function, interval, grid  ->  segments      segment.rs   arguments of one step, results of one ulp, no inflection
//! segment, argument         ->  Taylor series segment.rs   for `hotloops::hardround::Series`, with a bound of what is lost
//! segment, argument         ->  judgement     judge.rs     result, breakpoint and distance, whatever precision it takes
//! values and derivatives                      function.rs  on numbers of fixed point, fixed.rs
//! ```

mod fixed;
mod function;
mod judge;
mod segment;
#[cfg(test)]
mod tests;

pub use function::{Dyadic, Function};
pub use judge::{Class, Judged};
pub use segment::{MOST_DEGREE, Modes, Segment, segments};
