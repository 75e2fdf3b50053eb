//! Figure 17: relative errors of the exponentials.

use hotloops::exp;
use hotloops::isa::{self, Isa};

use crate::ladder::{Curves, Line, Origin};

type Exponential = fn(&[f32], &mut [f32]) -> Result<(), hotloops::Error>;

/// Name, function and bounds of the relative error in per cent (`hotloops::exp`).
const EXPONENTIALS: [(&str, Origin, Exponential, [f64; 2]); 3] = [
    ("fast", Origin::Step, exp::fast, [-3.91, 2.0]),
    ("accurate", Origin::Step, exp::accurate, [-0.993, 0.496]),
    ("ours: poly", Origin::Ours, exp::poly, [-0.000_43, 0.000_43]),
];

/// Errors against exp of f64, from -4 to 4.
pub fn curves(is_quick: bool) -> Curves {
    let steps: i16 = if is_quick { 64 } else { 256 };
    let x: Vec<f32> = (-steps..=steps).map(|k| f32::from(k) * 4.0 / f32::from(steps)).collect();
    let in_force = isa::active();
    let usable: Vec<Isa> = Isa::ALL.iter().copied().filter(|&isa| isa::usable(isa)).collect();
    let mut notes = Vec::new();
    let mut line = |(name, origin, function, [min, max]): (&str, Origin, Exponential, [f64; 2])| {
        let values = |isa| {
            isa::set(isa).expect("an instruction set of this CPU");
            let mut y = vec![0.0; x.len()];
            function(&x, &mut y).expect("as long as x");
            y
        };
        let reference = values(Isa::scalar);
        let bits = |y: &[f32]| y.iter().map(|y| y.to_bits()).collect::<Vec<_>>();
        let is_same = usable.iter().all(|&isa| bits(&values(isa)) == bits(&reference));
        let error = |(&x, &y): (&f32, &f32)| (f64::from(x), 100.0 * (f64::from(y) / f64::from(x).exp() - 1.0));
        let points: Vec<(f64, f64)> = x.iter().zip(&reference).map(error).collect();
        let [low, high] = points
            .iter()
            .fold([f64::INFINITY, -f64::INFINITY], |[low, high], &(_, error)| [low.min(error), high.max(error)]);
        notes.push(format!("{name}: {low:.5} to {high:.5} %."));
        Line { name: name.to_owned(), origin, points, is_verified: is_same && min <= low && high <= max }
    };
    let lines = EXPONENTIALS.into_iter().map(&mut line).collect();
    isa::set(in_force).expect("it was in force before");
    Curves {
        name: "exponentials",
        title: "Figure 17: relative error of the paper's exponentials".to_owned(),
        axes: ["x", "relative error of exp(x), %"],
        logarithmic: [false, false],
        lines,
        notes,
    }
}
