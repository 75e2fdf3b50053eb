//! The inverse temperatures and the fields of a run: those that the arguments give, or those that suit the problem.

use hotloops::ising::LayeredIsing;

use super::ramp::Ramp;
use super::schedule;
use crate::coo::Couplings;
use crate::failure::Failure;
use crate::ising::arguments::Arguments;
use crate::ising::choices::{Method, Spacing};

/// The inverse temperatures and the fields of a run of `count` points: the steps of an anneal, or the rungs of an
/// exchange. `fills_time` for anneals whose sweeps follow from the time.
pub fn ramps(a: &Arguments, problem: &Couplings, count: usize, fills_time: bool) -> Result<(Ramp, Ramp), Failure> {
    let exchanges = a.method == Method::Exchange;
    let run = Run { a, problem, count, fills_time, exchanges };
    if let Some(path) = &a.schedule {
        return schedule::read(path, count, a.beta);
    }
    Ok(match (a.is_quantum(), exchanges, a.beta) {
        (false, ..) => (run.listed_or(Run::betas)?, Ramp::Fixed(0.0)),
        (true, true, None) => {
            let missing = "--gamma is missing: without --beta a ladder is of inverse temperatures at one field; give \
                           --gamma, or --beta for a ladder of fields";
            let gamma = a.gamma.ok_or_else(|| Failure::Usage(missing.to_owned()))?;
            (run.listed_or(Run::betas)?, Ramp::Fixed(gamma))
        }
        (true, ..) => (Ramp::Fixed(needed("--beta", a.beta)?), run.listed_or(Run::gammas)?),
    })
}

struct Run<'a> {
    a: &'a Arguments,
    problem: &'a Couplings,
    count: usize,
    fills_time: bool,
    exchanges: bool,
}

impl Run<'_> {
    /// The values of --ladder, else those of `ramp`.
    fn listed_or(&self, ramp: fn(&Self) -> Result<Ramp, Failure>) -> Result<Ramp, Failure> {
        match &self.a.ladder {
            None => ramp(self),
            Some(list) if list.is_sorted_by(|a, b| a < b) || list.is_sorted_by(|a, b| a > b) => {
                Ok(Ramp::List(list.clone()))
            }
            Some(list) => Err(Failure::Usage(format!(
                "--ladder {}: must be strictly ascending or descending; sort it, without repeats",
                Ramp::List(list.clone()).text()
            ))),
        }
    }

    fn betas(&self) -> Result<Ramp, Failure> {
        let [hot, cold] = match self.exchanges || self.fills_time {
            true => [unit(self.problem) / 10.0, 10.0 * unit(self.problem)],
            false => range(self.problem)?,
        };
        let (from, to) = (self.a.beta_min.unwrap_or(hot), self.a.beta_max.unwrap_or(cold));
        match from <= to {
            true => self.between(from, to),
            false => Err(Failure::Usage(format!("--beta-min {from} exceeds --beta-max {to}; exchange the two"))),
        }
    }

    fn gammas(&self) -> Result<Ramp, Failure> {
        let (from, to) = match (self.a.gamma_max, self.exchanges) {
            (None, true) => {
                let text = "--gamma-max is missing: a ladder of fields has no default; give it, or a single field by \
                            --ladder GAMMA in place of --gamma";
                return Err(Failure::Usage(text.to_owned()));
            }
            (from, _) => (needed("--gamma-max", from)?, needed("--gamma", self.a.gamma)?),
        };
        match from >= to {
            true => self.between(from, to),
            false => Err(Failure::Usage(format!("--gamma {to} exceeds --gamma-max {from}; exchange the two"))),
        }
    }

    fn between(&self, from: f64, to: f64) -> Result<Ramp, Failure> {
        if self.exchanges && from == to {
            return Err(Failure::Usage(format!(
                "a ladder from {from} to {to} has equal rungs; use --ladder {to} for a single one"
            )));
        }
        let usual = match (self.exchanges, self.a.is_quantum()) {
            (true, false) => Spacing::Auto,
            (false, false) if self.fills_time => Spacing::Linear,
            _ => Spacing::Geometric,
        };
        Ok(Ramp::Between { from, to, count: self.count, spacing: self.a.spacing.unwrap_or(usual) })
    }
}

fn needed(option: &str, value: Option<f64>) -> Result<f64, Failure> {
    value.ok_or_else(|| {
        Failure::Usage(format!("{option} is missing: it has no default for this quantum system; give it"))
    })
}

/// The library's default temperatures of an anneal, rounded to three digits.
fn range(problem: &Couplings) -> Result<[f64; 2], Failure> {
    let couplings = problem.couplings.iter().map(|&(i, j, coupling)| (i as usize, j as usize, coupling));
    let builder = LayeredIsing::builder(2, problem.fields.len()).couplings(couplings).fields(&problem.fields);
    Ok(builder.beta_range()?.map(|beta| format!("{beta:.2e}").parse().expect("a number")))
}

/// The inverse of the root mean square of the local fields for random spins, rounded to two digits;
/// 1 if all couplings and fields are 0.
pub fn unit(problem: &Couplings) -> f64 {
    let couplings: f64 = problem.couplings.iter().map(|(_, _, coupling)| 2.0 * coupling * coupling).sum();
    let fields: f64 = problem.fields.iter().map(|field| field * field).sum();
    let unit = ((couplings + fields) / problem.fields.len() as f64).sqrt().recip();
    // Outside this range, temperatures would overflow or underflow in f32.
    let unit = if (1e-30..1e30).contains(&unit) { unit } else { 1.0 };
    format!("{unit:.1e}").parse().expect("a number")
}
