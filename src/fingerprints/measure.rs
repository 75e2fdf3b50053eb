//! Measures of two rows, and the condition that a search tests.

use super::Match;
use crate::frame::error::Error;
use crate::math::libm::sqrt_f64;

/// A measure of a query with b ones and a row with a ones, c of them in common. A similarity is
/// between 0 and 1; where neither has a one, it is [`Condition::empty`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Measure {
    /// The Hamming distance a + b - 2 c. The smallest distance is the best score.
    Hamming,
    /// c / (a + b - c), as [`Similarity::Tanimoto`](crate::hamming::Similarity::Tanimoto).
    Tanimoto,
    /// 2 c / (a + b), as [`Similarity::Dice`](crate::hamming::Similarity::Dice).
    Dice,
    /// c / sqrt(a b), as [`Similarity::Cosine`](crate::hamming::Similarity::Cosine).
    Cosine,
    /// c / (c + alpha (b - c) + beta (a - c)), and 0 for c = 0. The weights are finite and at least
    /// 0.
    ///
    /// Computed in f64 as 1 / (1 + x / c), where x = alpha (b - c) + beta (a - c), each operation
    /// rounded, and the result rounded to f32.
    Tversky {
        /// Weight of the ones that only the query has.
        alpha: f64,
        /// Weight of the ones that only the row has.
        beta: f64,
    },
    /// c / b: the part of the query's ones that the row has too. It is 1 if the row has all of them
    /// (a substructure screen), and [`Condition::empty`] for a query without ones.
    Containment,
}

/// The measure and the threshold that a match must meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Condition {
    /// The measure.
    pub measure: Measure,
    /// The smallest similarity that is returned, between 0 and 1; for [`Measure::Hamming`] the
    /// largest distance, at least 0.
    pub threshold: f32,
    /// The similarity of two rows without ones; unused by [`Measure::Hamming`]. The
    /// command and the Python package use 0 by default, as chemfp does; RDKit uses 1.
    pub empty: f32,
}

impl Measure {
    /// The number of the measure in C.
    pub(super) fn number(self) -> i32 {
        match self {
            Measure::Hamming => 0,
            Measure::Tanimoto => 1,
            Measure::Dice => 2,
            Measure::Cosine => 3,
            Measure::Tversky { .. } => 4,
            Measure::Containment => 5,
        }
    }
}

impl Condition {
    /// Checks the threshold and the weights.
    ///
    /// # Errors
    /// [`Error::Threshold`] unless the threshold is a similarity from 0 to 1, or a distance of at least 0;
    /// [`Error::Weight`] for a weight that is negative or not finite.
    pub fn check(&self) -> Result<(), Error> {
        let largest = if self.measure == Measure::Hamming { f32::INFINITY } else { 1.0 };
        if !(0.0..=largest).contains(&self.threshold) {
            return Err(Error::Threshold { value: self.threshold });
        }
        match self.measure {
            Measure::Tversky { alpha, beta } => weight("alpha", alpha).and(weight("beta", beta)),
            _ => Ok(()),
        }
    }

    /// The score of a row with `a` ones and a query with `b`, `c` in common.
    ///
    /// With a and b fixed, it doesn't become worse as c grows. With b and c fixed, it doesn't become
    /// better as a grows, unless a = b = 0. Every operation below is monotone in c and a, and stays
    /// monotone when it is rounded.
    #[must_use]
    pub fn score(&self, b: u32, a: u32, c: u32) -> f32 {
        let quotient = |x: u32, y: u32| x as i32 as f32 / y as i32 as f32;
        match self.measure {
            Measure::Hamming => a.wrapping_add(b).wrapping_sub(2 * c) as i32 as f32,
            _ if a | b == 0 => self.empty,
            Measure::Tanimoto => quotient(c, a.wrapping_add(b).wrapping_sub(c)),
            Measure::Dice => quotient(2 * c, a.wrapping_add(b)),
            Measure::Cosine if a == 0 || b == 0 => 0.0,
            Measure::Cosine => (f64::from(c) / sqrt_f64(f64::from(a) * f64::from(b))) as f32,
            Measure::Tversky { .. } if c == 0 => 0.0,
            Measure::Tversky { alpha, beta } => {
                let x = alpha * f64::from(b.saturating_sub(c)) + beta * f64::from(a.saturating_sub(c));
                (1.0 / (1.0 + x / f64::from(c))) as f32
            }
            Measure::Containment if b == 0 => self.empty,
            Measure::Containment => quotient(c, b),
        }
    }

    /// The best score that a row of `a` ones may have. It doesn't improve as a goes up from b, nor as
    /// it goes down from there.
    pub(super) fn best(&self, b: u32, a: u32) -> f32 {
        match a.max(b) {
            // A row of one bit may be better than two empty rows, if these have a low similarity.
            0 if self.measure != Measure::Hamming && self.measure != Measure::Containment => self.empty.max(0.0),
            _ => self.score(b, a, a.min(b)),
        }
    }

    /// Whether `score` is at least as good as `bound`.
    #[must_use]
    pub fn meets(&self, score: f32, bound: f32) -> bool {
        if self.measure == Measure::Hamming { score <= bound } else { score >= bound }
    }

    /// Whether match x comes before y: by score, best first, then by row.
    #[must_use]
    pub fn precedes(&self, x: &Match, y: &Match) -> bool {
        x.score != y.score && self.meets(x.score, y.score) || x.score == y.score && x.row < y.row
    }

    /// A score for two rows in exchanged roles is the same.
    pub(super) fn is_symmetric(&self) -> bool {
        match self.measure {
            Measure::Tversky { alpha, beta } => alpha == beta,
            measure => measure != Measure::Containment,
        }
    }

    /// For each a from `first` on, the minimum number of common ones with which the score of a row of
    /// a ones meets `bound`; [`u32::MAX`] if there is no such number. The query has b ones.
    ///
    /// ```
    /// use hotloops::fingerprints::{Condition, Measure};
    /// let condition = Condition { measure: Measure::Tanimoto, threshold: 0.5, empty: 0.0 };
    /// let mut least = [0; 3];
    /// condition.least_common(4, condition.threshold, 1, &mut least); // rows of 1, 2 and 3 ones
    /// assert_eq!(least, [u32::MAX, 2, 3]);
    /// ```
    pub fn least_common(&self, b: u32, bound: f32, first: u32, least: &mut [u32]) {
        let mut c = 0;
        for (a, least) in (first..).zip(least) {
            let most = a.min(b);
            while c <= most && !self.meets(self.score(b, a, c), bound) {
                c += 1;
            }
            *least = if c <= most { c } else { NONE };
            // Two empty rows have a similarity of their own; it says nothing of other rows.
            c = if a | b == 0 { 0 } else { c };
        }
    }
}

/// No number of common ones.
pub(super) const NONE: u32 = u32::MAX;

fn weight(argument: &'static str, value: f64) -> Result<(), Error> {
    if (0.0..f64::INFINITY).contains(&value) { Ok(()) } else { Err(Error::Weight { argument, value }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEASURES: [Measure; 8] = [
        Measure::Hamming,
        Measure::Tanimoto,
        Measure::Dice,
        Measure::Cosine,
        Measure::Tversky { alpha: 0.3, beta: 0.7 },
        Measure::Tversky { alpha: 1e300, beta: 0.0 },
        Measure::Tversky { alpha: 0.0, beta: 1.0 / 3.0 },
        Measure::Containment,
    ];

    /// The facts that budgets rest on, near 0 and near the most bits.
    #[test]
    fn scores_are_monotone() {
        for (measure, empty) in MEASURES.into_iter().flat_map(|measure| [(measure, 0.0), (measure, 1.0)]) {
            let condition = Condition { measure, threshold: 0.0, empty };
            for (base, width) in [(0, 48), (1000, 24), ((1 << 19) - 24, 24)] {
                for b in base..base + width {
                    for a in base..base + width {
                        let (score, least) = (|c| condition.score(b, a, c), a.min(b).saturating_sub(48));
                        for c in least..a.min(b) {
                            assert!(condition.meets(score(c + 1), score(c)), "{measure:?} {b} {a} {c}");
                            let more = condition.score(b, a + 1, c);
                            assert!(a | b == 0 || condition.meets(score(c), more), "{measure:?} {b} {a} {c}");
                        }
                        let farther = if a < b { a.checked_sub(1) } else { Some(a + 1) };
                        if let Some(farther) = farther {
                            let [best, next] = [a, farther].map(|a| condition.best(b, a));
                            assert!(condition.meets(best, next), "{measure:?} {b} {a}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn least_common_is_the_first_that_reaches_the_bound() {
        for (measure, empty) in MEASURES.into_iter().flat_map(|measure| [(measure, 0.0), (measure, 1.0)]) {
            for threshold in [0.0, 1e-30, 0.3, 0.5, 2.0 / 3.0, 0.99, 1.0] {
                let bound = if measure == Measure::Hamming { 20.0 * threshold } else { threshold };
                let condition = Condition { measure, threshold: bound, empty };
                for b in 0..40 {
                    for first in [0, 1, 7] {
                        let mut least = [0; 40];
                        condition.least_common(b, bound, first, &mut least);
                        for (a, least) in (first..).zip(least) {
                            let mut reached =
                                (0..=a.min(b)).filter(|&c| condition.meets(condition.score(b, a, c), bound));
                            assert_eq!(least, reached.next().unwrap_or(NONE), "{condition:?} {b} {a}");
                        }
                    }
                }
            }
        }
    }
}
