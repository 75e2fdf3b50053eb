//! The judges of cases: the arithmetic of the search, and MPFR.

use clap::ValueEnum;
use hotloops_hardround::Judged;

use super::io::NamedPlan;
use super::table::{self, Table};
use crate::failure::Failure;

#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
pub enum Judge {
    /// The arithmetic of the search, at a precision that decides each case
    Own,
    /// MPFR, which shares no code with the search. Needs a command built with the feature mpfr
    Mpfr,
}

impl Judge {
    /// Fails if this command has no such judge.
    pub fn check(self) -> Result<(), Failure> {
        match self {
            Judge::Mpfr if cfg!(not(feature = "mpfr")) => Err(Failure::Usage(
                "--judge mpfr: this command was built without MPFR; with a C compiler, make and m4, build it by \
                 `cargo build --release -p hotloops-cli --features mpfr`"
                    .to_owned(),
            )),
            _ => Ok(()),
        }
    }

    pub fn judge(self, plan: &NamedPlan, index: u64) -> Result<Judged, Failure> {
        let own = plan.try_judge(index)?;
        match self {
            Judge::Own => Ok(own),
            #[cfg(feature = "mpfr")]
            Judge::Mpfr => Ok(hotloops_hardround::mpfr::judge(&plan.problem, own.x)?),
            #[cfg(not(feature = "mpfr"))]
            Judge::Mpfr => self.check().map(|()| own),
        }
    }

    /// Judges all that a table claims, and returns the verdict for its header. `None` for the judge that
    /// the search has already used. `every` includes the arguments of streams; otherwise samples
    /// of them are judged.
    pub fn verdict(self, table: &Table, every: bool) -> Result<Option<String>, Failure> {
        if self == Judge::Own {
            return Ok(None);
        }
        let (plan, mut lines, mut exact) = (&table.plan, 0, 0);
        for index in table.indices(every) {
            let [own, other] = [plan.try_judge(index)?, self.judge(plan, index)?].map(|case| table::line(&case));
            if own != other {
                return Err(Failure::Job(format!("{self}'s line differs: {other} in place of {own}")));
            }
            lines += 1;
        }
        let sampled = if every { 0 } else { self.sample(table)? };
        for &index in &table.found.exact {
            let judged = self.judge(plan, index)?;
            if !judged.exact {
                return Err(Failure::Job(format!("{}: is not exact to {self}", judged.x)));
            }
            exact += 1;
        }
        let of = |count: u64, what: &str| if count == 0 { String::new() } else { format!(", {count} {what}") };
        let (streams, exact) = (of(sampled, "arguments of streams"), of(exact, "exact cases"));
        Ok(Some(format!("{self}: {lines} cases{streams}{exact}, 0 differences")))
    }

    /// Judges some arguments of each stream and returns their number.
    pub fn sample(self, table: &Table) -> Result<u64, Failure> {
        let mut sampled = 0;
        for stream in &table.found.streams {
            let last = stream.end - 1 - stream.start;
            for i in 0..=SAMPLES {
                let index = stream.start + (u128::from(last) * u128::from(i) / u128::from(SAMPLES)) as u64;
                let judged = self.judge(&table.plan, index)?;
                if judged.exact || judged.distance_ulp.abs() >= table.plan.problem.within {
                    return Err(Failure::Job(format!("{}: is not a case within the bound", judged.x)));
                }
                sampled += 1;
            }
        }
        Ok(sampled)
    }
}

/// Arguments of a stream that are judged.
const SAMPLES: u64 = 1000;

impl std::fmt::Display for Judge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Judge::Own => f.write_str("this program"),
            #[cfg(feature = "mpfr")]
            Judge::Mpfr => write!(f, "MPFR {}", hotloops_hardround::mpfr::version()),
            #[cfg(not(feature = "mpfr"))]
            Judge::Mpfr => f.write_str("MPFR"),
        }
    }
}
