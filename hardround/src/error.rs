//! Errors of a search.

use std::fmt;

use crate::dyadic::Dyadic;

/// Maximum number of cases of a search: 16 MiB of numbers.
pub const MAX_CASES: usize = 1 << 21;

/// The reason why a search cannot be planned or finished.
#[derive(Clone, Debug, PartialEq)]
pub enum Error {
    /// Fields of a [`Problem`](crate::Problem) are wrong.
    Argument { names: &'static [&'static str], why: String },
    /// A search would find more than [`MAX_CASES`] cases.
    ExpectedCases {
        /// Estimated number of cases.
        expected: f64,
        /// The first and the last argument of the segment with most cases.
        among: [Dyadic; 2],
        /// The number of parts, equal in units, that keep the number below the maximum. `None` if
        /// single units exceed it.
        parts: Option<u64>,
    },
    /// Some arguments, the first and the last of which are given, have more than [`MAX_CASES`]
    /// cases.
    TooManyCases { among: [Dyadic; 2] },
    /// 1000 bits do not tell f(x) from a breakpoint: probably `exact` lacks this argument.
    Undecided { function: String, x: Dyadic },
    /// `exact` returns a value for this argument that the formula contradicts.
    NotExact { function: String, x: Dyadic, value: Dyadic },
    /// The self-check found a case that the search has not found, or the opposite.
    SelfCheck { unit: u64, x: Dyadic },
    /// The caller ended the search.
    Ended,
    /// A device failed.
    Device(String),
    /// A kernel's function failed.
    Kernel(hotloops::Error),
}

impl Error {
    pub(crate) fn argument(names: &'static [&'static str], why: String) -> Self {
        Error::Argument { names, why }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Argument { names, why } => write!(f, "{}: {why}", names.join(" and ")),
            Error::ExpectedCases { expected, among: [first, last], .. } => write!(
                f,
                "within: about {expected:.1e} cases, most of them from {first} to {last}; the maximum is {MAX_CASES}"
            ),
            Error::TooManyCases { among: [first, last] } => {
                write!(f, "within: more than {MAX_CASES} cases among the arguments from {first} to {last}")
            }
            Error::Undecided { function, x } => {
                write!(f, "{function}({x}): 1000 bits do not tell the result from a breakpoint; is it an exact case?")
            }
            Error::NotExact { function, x, value } => {
                write!(f, "{function}({x}) is not {value}, which the function's list of exact cases returns")
            }
            Error::Ended => f.write_str("the search was ended"),
            Error::SelfCheck { unit, x } => write!(
                f,
                "self-check of unit {unit}: another algorithm disagrees about {x}; the result cannot be trusted: a \
                 fault of this program or of the machine"
            ),
            Error::Device(why) => f.write_str(why),
            Error::Kernel(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {}

impl From<hotloops::Error> for Error {
    fn from(error: hotloops::Error) -> Self {
        Error::Kernel(error)
    }
}

/// Makes room for `more` values.
pub fn reserve<T>(values: &mut Vec<T>, more: usize) -> Result<(), Error> {
    Ok(values.try_reserve(more).map_err(|_| hotloops::Error::NoMemory)?)
}

/// Asks whether to go on.
pub(crate) fn ask(go_on: &dyn Fn() -> bool) -> Result<(), Error> {
    if go_on() { Ok(()) } else { Err(Error::Ended) }
}
