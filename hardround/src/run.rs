//! Consecutive arguments, and enclosures of a function over them.

use crate::ball::Ball;
use crate::function::{Function, Series};
use crate::jet::Jet;

/// Arguments m 2^e for start <= m < end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub start: i128,
    pub end: i128,
    pub e: i32,
}

impl Run {
    pub fn len(&self) -> i128 {
        self.end - self.start
    }

    /// The series at m, as the variable the number of arguments from there; the coefficients hold for
    /// all arguments within `reach`.
    pub fn jet<const N: usize>(self, function: &dyn Function, m: i128, reach: u64, terms: usize) -> Jet<N>
    where
        Jet<N>: Series,
    {
        let step = Ball::dyadic(1, self.e);
        let x = Ball::dyadic(m, self.e);
        let x = if reach == 0 { x } else { x.add(Ball::symmetric().mul(step).times(reach as i64)) };
        Jet::variable(x, step, terms).of(function)
    }

    /// f and its derivative over a cell, by the second derivative.
    pub fn enclosure<const N: usize>(self, function: &dyn Function) -> (Ball<N>, Ball<N>)
    where
        Jet<N>: Series,
    {
        let Run { start, end, .. } = self;
        let middle = start + (end - 1 - start) / 2;
        let reach = end.abs_diff(middle).max(1) as u64;
        let centre = self.jet::<N>(function, middle, 0, 2);
        let wide = self.jet::<N>(function, middle, reach, 3);
        let [value, slope] = [centre.coefficients()[0], centre.coefficients()[1]];
        let far = Ball::symmetric().times(reach as i64);
        let bend = wide.coefficients()[2];
        let offset = slope.add(bend.mul(far)).mul(far);
        (value.add(offset), slope.add(bend.mul(far).shifted(1)))
    }
}
