//! Functions: a formula each, its domain, and the arguments with exact results.

use std::fmt;

use crate::ball::Ball;
use crate::dyadic::Dyadic;
use crate::error::Error;
use crate::jet::Jet;

/// A function given by a formula.
///
/// The formula is the only mathematics that a function needs. The search runs it on points, for
/// Taylor coefficients with proved errors, and on intervals, for bounds of the remainder; both
/// follow from the arithmetic of [`Jet`].
///
/// ```
/// use hotloops_hardround::{Dyadic, Formula, Jet};
/// /// x ln x.
/// struct Entropy;
///
/// impl Formula for Entropy {
///     fn name(&self) -> &str {
///         "entropy"
///     }
///     fn domain(&self) -> (f64, f64) {
///         (f64::MIN_POSITIVE, 1e300)
///     }
///     fn jet<const N: usize>(&self, x: &Jet<N>) -> Jet<N> {
///         *x * x.ln()
///     }
///     /// ln x is transcendental for every other rational x (Lindemann).
///     fn exact(&self, x: Dyadic) -> Option<Dyadic> {
///         (x.to_f64() == 1.0).then_some(Dyadic { m: 0, e: 0 })
///     }
/// }
/// ```
pub trait Formula: Sync {
    fn name(&self) -> &str;

    /// The smallest and the largest argument. f is finite and analytic on every open interval
    /// between binary64 numbers in the domain, with the possible exception of 0.
    fn domain(&self) -> (f64, f64);

    /// The series of f(x(t)), for the series of x(t).
    fn jet<const N: usize>(&self, x: &Jet<N>) -> Jet<N>;

    /// f(x) if it is 0, a number of the format or halfway between two: for x87, a number of at most
    /// 65 bits. Longer exact results do no harm. The list must be complete: at all other arguments
    /// the search increases its precision until the result is not a breakpoint, and fails with
    /// [`Error::Undecided`](crate::Error::Undecided) at 1000 bits. A wrong value that the formula
    /// contradicts is [`Error::NotExact`](crate::Error::NotExact).
    fn exact(&self, x: Dyadic) -> Option<Dyadic>;

    /// A number around which the Taylor coefficients are rational, if any. There, results do not
    /// behave like random numbers, and the number of cases is not compared with its expectation.
    fn rational_at(&self) -> Option<f64> {
        Some(0.0)
    }
}

/// A [`Formula`] behind a pointer.
pub trait Function: Sync {
    fn name(&self) -> &str;
    fn domain(&self) -> (f64, f64);
    fn exact(&self, x: Dyadic) -> Option<Dyadic>;
    fn rational_at(&self) -> Option<f64>;
    fn jet2(&self, x: &Jet<2>) -> Jet<2>;
    fn jet3(&self, x: &Jet<3>) -> Jet<3>;
    fn jet5(&self, x: &Jet<5>) -> Jet<5>;
    fn jet9(&self, x: &Jet<9>) -> Jet<9>;
    fn jet17(&self, x: &Jet<17>) -> Jet<17>;
}

impl<F: Formula> Function for F {
    fn name(&self) -> &str {
        Formula::name(self)
    }
    fn domain(&self) -> (f64, f64) {
        Formula::domain(self)
    }
    fn exact(&self, x: Dyadic) -> Option<Dyadic> {
        Formula::exact(self, x)
    }
    fn rational_at(&self) -> Option<f64> {
        Formula::rational_at(self)
    }
    fn jet2(&self, x: &Jet<2>) -> Jet<2> {
        self.jet(x)
    }
    fn jet3(&self, x: &Jet<3>) -> Jet<3> {
        self.jet(x)
    }
    fn jet5(&self, x: &Jet<5>) -> Jet<5> {
        self.jet(x)
    }
    fn jet9(&self, x: &Jet<9>) -> Jet<9> {
        self.jet(x)
    }
    fn jet17(&self, x: &Jet<17>) -> Jet<17> {
        self.jet(x)
    }
}

/// A series of an argument, of the precisions that functions support.
pub trait Series {
    /// The series of the function.
    fn of(&self, function: &dyn Function) -> Self;
}

macro_rules! series {
    ($($words:literal $jet:ident,)+) => {
        $(impl Series for Jet<$words> {
            fn of(&self, function: &dyn Function) -> Self {
                function.$jet(self)
            }
        })+
    };
}

series! { 3 jet3, 9 jet9, 17 jet17, }

/// By the name.
impl PartialEq for dyn Function + '_ {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl fmt::Debug for dyn Function + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The series of a point.
pub(crate) fn point<const N: usize>(x: Dyadic) -> Jet<N> {
    Jet::variable(Ball::dyadic(x.m, x.e), Ball::ZERO, 1)
}

/// The first answer, in order of ascending precision, to a question about f(x).
///
/// Exact cases are handled before. At all other arguments, no function of this crate comes within
/// 2^-800 of a value that it is compared with.
pub(crate) fn decided<T>(
    function: &dyn Function,
    x: Dyadic,
    few: impl Fn(Ball<5>) -> Option<T>,
    more: impl Fn(Ball<9>) -> Option<T>,
    most: impl Fn(Ball<17>) -> Option<T>,
) -> Result<T, Error> {
    few(function.jet5(&point(x)).value())
        .or_else(|| more(function.jet9(&point(x)).value()))
        .or_else(|| most(function.jet17(&point(x)).value()))
        .ok_or_else(|| Error::Undecided { function: function.name().to_owned(), x })
}

/// The exponent of the largest power of 2 at most |f(x)|, `None` for f(x) = 0.
pub(crate) fn exponent(function: &dyn Function, x: Dyadic) -> Result<Option<i32>, Error> {
    match function.exact(x) {
        Some(Dyadic { m: 0, .. }) => Ok(None),
        Some(exact) => Ok(Some(exact.exponent())),
        None => decided(function, x, |f| f.exponent(), |f| f.exponent(), |f| f.exponent()).map(Some),
    }
}
