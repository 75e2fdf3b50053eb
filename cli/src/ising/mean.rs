//! Means for a report, each with its error or the reason why there is none.

use serde::Serialize;

use super::statistics::{Doubt, Estimate};

/// A mean for a report.
#[derive(Serialize)]
pub struct Mean {
    pub mean: f64,
    /// `None` if the mean has not converged.
    pub error: Option<f64>,
    pub not_converged: Option<Doubt>,
    /// Integrated autocorrelation time in sweeps.
    pub autocorrelation: Option<f64>,
}

impl Mean {
    /// The estimate of `scale` times the quantity plus `offset`.
    pub fn new(estimate: Estimate, (scale, offset): (f64, f64), every: u64) -> Self {
        let Estimate { mean, error, time } = estimate;
        Mean {
            mean: mean * scale + offset,
            error: error.ok().map(|error| error * scale.abs()),
            not_converged: error.err(),
            autocorrelation: time.is_finite().then_some(time * every as f64),
        }
    }

    /// Mean and error, to two significant digits of the error.
    pub fn cells(&self) -> [String; 2] {
        let digits = match self.error {
            Some(error) if error > 0.0 => (1.0 - error.log10().floor()).clamp(0.0, 12.0) as usize,
            _ => 6,
        };
        let error = match (self.error, self.not_converged) {
            (Some(error), _) => format!("{error:.digits$}"),
            (None, doubt) => format!("not converged{}", doubt.map_or("", Doubt::mark)),
        };
        [format!("{:.digits$}", self.mean), error]
    }

    /// The mean with the error of its last two digits, or with the mark of the reason why there is
    /// none.
    pub fn cell(&self) -> String {
        match (self.error, self.not_converged) {
            _ if self.mean.is_nan() => "-".to_owned(),
            (Some(error), _) if error > 0.0 => {
                let digits = (1.0 - error.log10().floor()).clamp(0.0, 12.0) as usize;
                let last = (error * 10f64.powi(digits as i32)).round();
                format!("{:.digits$}({last})", self.mean)
            }
            (_, doubt) => format!("{:.6}{}", self.mean, doubt.map_or("", Doubt::mark)),
        }
    }
}

impl Doubt {
    const ALL: [Doubt; 6] = [Doubt::Short, Doubt::Drift, Doubt::Rare, Doubt::Constant, Doubt::Trapped, Doubt::Valleys];

    /// The mark after "not converged" in the table, and before the explanation below it.
    fn mark(self) -> &'static str {
        match self {
            Doubt::Short => " (1)",
            Doubt::Drift => " (2)",
            Doubt::Rare => " (3)",
            Doubt::Constant => " (4)",
            Doubt::Trapped => " (5)",
            Doubt::Valleys => " (6)",
        }
    }

    fn explanation(self) -> &'static str {
        match self {
            Doubt::Short => "the series is too short for its autocorrelation; run more --sweeps",
            Doubt::Drift => "the two halves of the run differ; run more --sweeps with a longer --warm-up",
            Doubt::Rare => "a few rare measurements dominate the variance; run more --sweeps",
            Doubt::Constant => "all measurements are equal",
            Doubt::Trapped => {
                "no replica made a round trip, so a rung may sample one valley only; add --replicas or --sweeps"
            }
            Doubt::Valleys => {
                "copies differ, or the magnetisation without fields is not 0: valleys were not left; \
                 add a ladder or --sweeps"
            }
        }
    }
}

/// A line for each reason that some of the means have.
pub fn explanations<'a, I: Iterator<Item = &'a Mean>>(means: impl Fn() -> I) -> String {
    let is_met = |doubt: &Doubt| means().any(|mean| mean.not_converged == Some(*doubt));
    let line = |doubt: Doubt| format!("not converged{}: {}\n", doubt.mark(), doubt.explanation());
    Doubt::ALL.into_iter().filter(is_met).map(line).collect()
}
