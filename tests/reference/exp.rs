//! The stated errors and rules of the three exponentials, at every one of the 2^32 floats.

use hotloops::{Error, exp};

type Function = fn(&[f32], &mut [f32]) -> Result<(), Error>;
type InPlace = fn(&mut [f32]);

struct Claim<R> {
    function: Function,
    /// The range of the error bounds: its first and its last float.
    range: [f32; 2],
    /// The bounds for |x| < 16 and for the whole range.
    near: [f64; 2],
    error: [f64; 2],
    below: f32,
    above: f32,
    /// The bits that are set in a NaN.
    nan: u32,
    /// An additional rule for `y` at `x` in the range.
    rule: R,
}

#[test]
fn fast_at_all_floats() {
    every_float(&Claim {
        function: exp::fast,
        range: [-87.3, 88.722_83],
        near: [-0.039_096, 0.019_981],
        error: [-0.039_098, 0.019_983],
        below: 1.189_087_9e-38,
        above: 3.269_768_8e38,
        nan: !0,
        rule: |_, _| true,
    });
}

#[test]
fn accurate_at_all_floats() {
    every_float(&Claim {
        function: exp::accurate,
        range: [-21.834_137, 22.180_708],
        near: [-0.009_921, 0.004_959],
        error: [-0.009_921, 0.004_959],
        below: 0.0,
        above: 4.252_352_5e9,
        nan: !0,
        rule: |x, y| y >= 1.0 || x <= 0.0,
    });
}

#[test]
fn poly_at_all_floats() {
    every_float(&Claim {
        function: exp::poly,
        range: [-87.336_55, 88.722_83],
        near: [-1.5e-6, 1.5e-6],
        error: [-4.3e-6, 4.3e-6],
        below: 0.0,
        above: f32::INFINITY,
        nan: 1 << 22,
        rule: |x, y| {
            if x < 0.0 {
                y <= 1.0
            } else if x > 0.0 {
                y >= 1.0
            } else {
                y == 1.0
            }
        },
    });
}

#[test]
fn lengths_must_agree() {
    let mut y = [7.0; 4];
    for function in [exp::fast, exp::accurate, exp::poly] {
        let error = function(&[0.0; 3], &mut y).unwrap_err();
        assert_eq!(error, Error::Length { argument: "y", expected: 3, found: 4 });
        assert_eq!(y, [7.0; 4]);
    }
}

#[test]
fn in_place() {
    let x: Vec<f32> = (0..1000).map(|i| (i - 500) as f32 / 5.0).collect();
    let pairs: [(Function, InPlace); 3] =
        [(exp::fast, exp::fast_in_place), (exp::accurate, exp::accurate_in_place), (exp::poly, exp::poly_in_place)];
    for (function, in_place) in pairs {
        let (mut y, mut z) = (vec![0.0; x.len()], x.clone());
        function(&x, &mut y).unwrap();
        in_place(&mut z);
        assert_eq!(y, z);
    }
}

/// Floats per step, a part of a binade.
const CHUNK: usize = 4096;
const LANES: usize = 8;
/// The exponential of a number below this one is 1 but for 2^-40, far less than any bound.
const TINY: f32 = 1.0 / (1u64 << 40) as f32;

/// The minimum and maximum relative error, per lane.
#[derive(Clone, Copy, Default)]
struct Worst {
    least: [f64; LANES],
    greatest: [f64; LANES],
}

impl Worst {
    fn note(&mut self, lane: usize, error: f64) {
        self.least[lane] = if error < self.least[lane] { error } else { self.least[lane] };
        self.greatest[lane] = if error > self.greatest[lane] { error } else { self.greatest[lane] };
    }

    fn lies_in(&self, [low, high]: [f64; 2]) -> bool {
        let least = self.least.into_iter().fold(0.0, f64::min);
        let greatest = self.greatest.into_iter().fold(0.0, f64::max);
        println!("relative error {least:+.4e} to {greatest:+.4e}, claimed {low:+.4e} to {high:+.4e}");
        low <= least && greatest <= high
    }
}

fn every_float<R: Fn(f32, f32) -> bool + Sync>(claim: &Claim<R>) {
    let walk = |parity: u32| {
        let (mut x, mut y) = (vec![0.0; CHUNK], vec![0.0; CHUNK]);
        let (mut near, mut far) = (Worst::default(), Worst::default());
        for first in (0..=u32::MAX).step_by(CHUNK).skip(parity as usize).step_by(2) {
            x.iter_mut().zip(0..).for_each(|(x, i)| *x = f32::from_bits(first + i));
            (claim.function)(&x, &mut y).unwrap();
            check(claim, &x, &y, if x[0].abs() < 16.0 { &mut near } else { &mut far });
        }
        assert!(near.lies_in(claim.near) && far.lies_in(claim.error));
    };
    std::thread::scope(|scope| {
        scope.spawn(|| walk(1));
        walk(0);
    });
}

fn check<R: Fn(f32, f32) -> bool>(claim: &Claim<R>, x: &[f32], y: &[f32], worst: &mut Worst) {
    let [low, high] = claim.range;
    // A chunk has one sign and one exponent, so checking its ends suffices.
    let all = |holds: &dyn Fn(f32) -> bool| holds(x[0]) && holds(x[CHUNK - 1]);
    let outside = match () {
        () if all(&f32::is_nan) => Some((!0, claim.nan)),
        () if all(&|x| x < low) => Some((0, claim.below.to_bits())),
        () if all(&|x| x > high) => Some((0, claim.above.to_bits())),
        () => None,
    };
    if let Some((mask, bits)) = outside {
        let right = x.iter().zip(y).fold(true, |all, (x, y)| all & (y.to_bits() == x.to_bits() & mask | bits));
        assert!(right, "a wrong value between {} and {}", x[0], x[CHUNK - 1]);
        return;
    }
    if !all(&|x| low <= x && x <= high) {
        for (&x, &y) in x.iter().zip(y) {
            let expected = match x {
                _ if x.is_nan() => f32::from_bits(x.to_bits() | claim.nan),
                _ if x < low => claim.below,
                _ if x > high => claim.above,
                _ => {
                    worst.note(0, f64::from(y) * (-f64::from(x)).exp() - 1.0);
                    y
                }
            };
            assert_eq!(y.to_bits(), expected.to_bits(), "x = {x}: {y} is not {expected}");
        }
        return;
    }

    let rules = x.iter().zip(y).fold(true, |all, (&x, &y)| all & (claim.rule)(x, y) & (y >= f32::MIN_POSITIVE));
    assert!(rules, "a rule is broken between {} and {}", x[0], x[CHUNK - 1]);
    if all(&|x| x.abs() < TINY) {
        let (mut least, mut greatest) = ([f32::INFINITY; LANES], [0.0; LANES]);
        for y in y.chunks_exact(LANES) {
            for lane in 0..LANES {
                least[lane] = if y[lane] < least[lane] { y[lane] } else { least[lane] };
                greatest[lane] = if y[lane] > greatest[lane] { y[lane] } else { greatest[lane] };
            }
        }
        for lane in 0..LANES {
            worst.note(lane, f64::from(least[lane]) - 1.0);
            worst.note(lane, f64::from(greatest[lane]) - 1.0);
        }
        return;
    }

    // 1 / exp(x) = exp(-x0) exp(x0 - x); the difference is less than 1/32, and five terms give 2e-12.
    let x0 = f64::from(x[0]);
    let scale = (-x0).exp();
    for (x, y) in x.chunks_exact(LANES).zip(y.chunks_exact(LANES)) {
        for lane in 0..LANES {
            let r = x0 - f64::from(x[lane]);
            let inverse = scale * (1.0 + r * (1.0 + r * (1.0 / 2.0 + r * (1.0 / 6.0 + r * (1.0 / 24.0 + r / 120.0)))));
            worst.note(lane, f64::from(y[lane]) * inverse - 1.0);
        }
    }
}
