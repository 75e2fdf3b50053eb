//! A function by its differential equation: hard cases of the Bessel function J0 next to 2.
//!
//! `cargo run --release -p hotloops-hardround --example bessel`

use hotloops_hardround::{Algorithm, Ball, Dyadic, Error, Format, Formula, Jet, Modes, Problem, SearchPlan};

/// The Bessel function J0 for arguments from 1/2 to 32.
pub struct BesselJ0;

impl BesselJ0 {
    /// J0(x) = sum of (-x^2/4)^k / (k!)^2, or J0'(x) = -x/2 times the sum of (-x^2/4)^k / (k! (k + 1)!).
    /// Both have derivatives between -1 and 1: an interval's values are those of its centre, plus or
    /// minus its radius.
    fn sum<const N: usize>(x: Ball<N>, order: u64) -> Ball<N> {
        let (centre, radius) = x.centre();
        let square = centre.mul(centre).shifted(-2).negated();
        let first = if order == 0 { Ball::dyadic(1, 0) } else { centre.shifted(-1).negated() };
        let sum = Ball::series(
            first,
            |k, term| term.mul(square).over((k + 1) * (k + 1 + order)),
            |k| -2.0 * square.to_f64() <= (k * k) as f64,
        );
        sum.widened(radius)
    }
}

impl Formula for BesselJ0 {
    fn name(&self) -> &str {
        "j0"
    }

    fn domain(&self) -> (f64, f64) {
        (0.5, 32.0)
    }

    /// x y'' + y' + x y = 0. At c, with x = c + s and y = a_0 + a_1 s + a_2 s^2 + .., the coefficient of
    /// s^(k - 2) is c k (k - 1) a_k + (k - 1)^2 a_(k - 1) + c a_(k - 2) + a_(k - 3) = 0.
    fn jet<const N: usize>(&self, x: &Jet<N>) -> Jet<N> {
        let c = x.value();
        x.solution([Self::sum(c, 0), Self::sum(c, 1)], |k, a| {
            let n = k as i64;
            let rest = a[k - 1].times((n - 1) * (n - 1)).add(c.mul(a[k - 2]));
            let rest = if k > 2 { rest.add(a[k - 3]) } else { rest };
            rest.div(c.times(n * (n - 1))).negated()
        })
    }

    /// J0(x) is transcendental for every algebraic x but 0 (Siegel).
    fn exact(&self, _: Dyadic) -> Option<Dyadic> {
        None
    }
}

pub fn cases(from: f64, to: f64, within: f64) -> Result<Vec<hotloops_hardround::Judged>, Error> {
    let (format, modes) = (Format::BINARY64, Modes::All);
    let problem = Problem { function: &BesselJ0, format, from, to, grid: None, modes, within };
    let plan = SearchPlan::new(&problem)?;
    let mut cases = Vec::new();
    for unit in 0..plan.units() {
        for index in plan.search(unit, Algorithm::Dual)?.cases {
            cases.push(plan.try_judge(index)?);
        }
    }
    Ok(cases)
}

#[allow(dead_code, reason = "a test includes this file for `cases`")]
fn main() -> Result<(), Error> {
    for case in cases(2.0, 2.0 + f64::exp2(-14.0), f64::exp2(-37.0))? {
        println!("{}\t{:.3}", case.x, case.bits_after_round);
    }
    Ok(())
}
