//! A function of one's own: hard cases of x ln x next to 1.5.
//!
//! `cargo run --release -p hotloops-hardround --example entropy`

use hotloops_hardround::{Algorithm, Dyadic, Format, Formula, Jet, Modes, Problem, SearchPlan};

/// x ln x. Exact: 1; ln x is transcendental for every other positive rational x (Lindemann).
struct Entropy;

impl Formula for Entropy {
    fn name(&self) -> &str {
        "entropy"
    }
    fn domain(&self) -> (f64, f64) {
        (f64::MIN_POSITIVE, 1e300)
    }
    fn jet<const N: usize>(&self, x: &Jet<N>) -> Jet<N> {
        *x * x.ln()
    }
    fn exact(&self, x: Dyadic) -> Option<Dyadic> {
        (x.to_f64() == 1.0).then_some(Dyadic { m: 0, e: 0 })
    }
    fn rational_at(&self) -> Option<f64> {
        Some(1.0)
    }
}

fn main() -> Result<(), hotloops_hardround::Error> {
    let problem = Problem {
        function: &Entropy,
        format: Format::BINARY64,
        from: 1.5,
        to: 1.5 + (-12_f64).exp2(),
        grid: None,
        modes: Modes::All,
        within: (-37_f64).exp2(),
    };
    let plan = SearchPlan::new(&problem)?;
    for unit in 0..plan.units() {
        for index in plan.search(unit, Algorithm::Farey)?.cases {
            let case = plan.judge(index);
            println!("{}\t{:.3}", case.x, case.bits_after_round);
        }
    }
    Ok(())
}
