//! The functions of this crate.
//!
//! Exactness rests on three theorems. Lindemann: exp(x) is transcendental for every algebraic x but
//! 0, and so are the trigonometric and hyperbolic functions and their inverses, except where their
//! formulas give 0. Gelfond and Schneider: b^x is transcendental for algebraic b other than 0 and
//! 1, and irrational algebraic x; so a logarithm of a rational number to a rational base is
//! rational or transcendental. Niven: the only rational values of sin(pi x) for rational x are 0,
//! 1/2 and 1 in magnitude, those of tan(pi x) 0 and 1. Siegel: erf(x) is transcendental for every
//! algebraic x but 0.

use crate::dyadic::Dyadic;
use crate::function::{Formula, Function};
use crate::jet::Jet;

/// The functions.
macro_rules! functions {
    ($($(#[$doc:meta])+ $name:ident $word:literal, $domain:expr, $rational:expr,
       |$x:ident| $jet:expr, |$at:ident| $exact:expr;)+) => {
        $(
            $(#[$doc])+
            #[derive(Clone, Copy, Debug)]
            pub struct $name;

            impl Formula for $name {
                fn name(&self) -> &str {
                    $word
                }
                fn domain(&self) -> (f64, f64) {
                    $domain
                }
                fn jet<const N: usize>(&self, $x: &Jet<N>) -> Jet<N> {
                    let $x = *$x;
                    $jet
                }
                fn exact(&self, $at: Dyadic) -> Option<Dyadic> {
                    $exact
                }
                fn rational_at(&self) -> Option<f64> {
                    $rational
                }
            }
        )+

        /// All functions of this module.
        pub static ALL: &[&dyn Function] = &[$(&$name),+];
    };
}

/// The function of this module with this name.
pub fn by_name(name: &str) -> Option<&'static dyn Function> {
    ALL.iter().copied().find(|function| function.name() == name)
}

const fn whole(m: i128) -> Dyadic {
    Dyadic { m, e: 0 }
}

/// 0 at 0 only.
fn zero(x: Dyadic) -> Option<Dyadic> {
    (x.m == 0).then_some(whole(0))
}

fn is(x: Dyadic, value: i64) -> bool {
    x.integer() == Some(value as i32)
}

/// n if x + `offset` is 10^n. 10^27 has 63 significant bits, 10^28 has 66.
fn power_of_10(x: Dyadic, offset: i128) -> Option<Dyadic> {
    let Dyadic { m, e } = x.odd();
    let x = if (0..=60).contains(&e) && x.m > 0 && m < 1 << 65 { m << e } else { return None };
    let n = (0..=27).find(|&n| 10_i128.pow(n) == x + offset)?;
    Some(whole(n.into()))
}

/// The `k`-th root of a power, if it is an integer. Roots of 64 bits have at most 32.
fn root(m: i128, k: u32) -> Option<i128> {
    let guess = (m as f64).powf(1.0 / f64::from(k)).round() as i128;
    (guess - 1..=guess + 1).find(|&root| root.checked_pow(k) == Some(m))
}

/// f(x) = x^(p / k) for odd k or x > 0: x is the k-th power of a dyadic number.
fn power(x: Dyadic, p: u32, k: u32) -> Option<Dyadic> {
    let Dyadic { m, e } = x.odd();
    if m == 0 {
        return Some(whole(0));
    }
    let root = root(m.abs(), k).filter(|_| e % k as i32 == 0)?.checked_pow(p)?;
    // Longer results are not breakpoints.
    (root < 1 << 65).then_some(Dyadic { m: root * m.signum(), e: e / k as i32 * p as i32 })
}

/// sin(pi x / 2) for an integer x.
fn quarter(x: Dyadic, turn: i128) -> Option<Dyadic> {
    let doubled = Dyadic { e: x.e + 1, ..x };
    let Dyadic { m, e } = doubled.odd();
    let n = match e {
        0.. if m == 0 || e >= 2 => 0,
        0 | 1 => m << e,
        _ => return None,
    };
    Some(whole([0, 1, 0, -1][(n + turn).rem_euclid(4) as usize]))
}

/// An odd function by its formula for positive arguments.
fn odd<const N: usize>(x: Jet<N>, formula: impl Fn(Jet<N>) -> Jet<N>) -> Jet<N> {
    let (x, negative) = x.split_sign();
    formula(x).with_sign(negative)
}

/// Values of sin, cos and tan of every binary64 number.
const EVERYWHERE: (f64, f64) = (-f64::MAX, f64::MAX);
/// Positive numbers, subnormal ones included.
const POSITIVE: (f64, f64) = (f64::from_bits(1), f64::MAX);
/// Beyond 2^30, sin(pi x) has few arguments other than multiples of 1/2^22.
const TURNS: (f64, f64) = (-1_073_741_824.0, 1_073_741_824.0);

functions! {
    /// e^x. Results are at least 2^-1076, below half of the smallest number. Exact: 0.
    Exp "exp", (-745.8, 709.782712893384), Some(0.0), |x| x.exp(),
    |x| (x.m == 0).then_some(whole(1));

    /// 2^x. Exact: integers. If 2^(p / 2^j) with odd p is dyadic, so is the 2^j-th root of 2^p, hence
    /// j = 0.
    Exp2 "exp2", (-1076.0, 1024_f64.next_down()), None, |x| (x * x.ln_2()).exp(),
    |x| x.integer().map(|n| Dyadic { m: 1, e: n });

    /// 10^x. Exact: 0 to 27. The number of factors 5 in 10^p is p, which is odd in the argument for
    /// exp2; 10^n is not dyadic for n < 0; 5^27 has 63 bits, 5^28 has 66.
    Exp10 "exp10", (-323.9, 308.2547155599167), None, |x| (x * x.ln_10()).exp(),
    |x| x.integer().filter(|n| (0..=27).contains(n)).map(|n| Dyadic { m: 5_i128.pow(n as u32), e: n });

    /// e^x - 1. Exact: 0. Below -40 results are closer to -1 than 2^-4 ulp.
    Expm1 "expm1", (-40.0, 709.782712893384), Some(0.0), |x| x.exp() - x.integer(1), |x| zero(x);

    /// 2^x - 1. Exact: integers n of magnitude at most 65; otherwise 2^n - 1 has more bits.
    Exp2m1 "exp2m1", (-58.0, 800.0), None, |x| (x * x.ln_2()).exp() - x.integer(1),
    |x| x.integer().filter(|n| n.unsigned_abs() <= 65).map(|n| match n {
        0.. => whole((1 << n) - 1),
        _ => Dyadic { m: 1 - (1 << -n), e: n },
    });

    /// 10^x - 1. Exact: 0 to 19; 10^19 - 1 has 64 bits, 10^20 - 1 has 67 and is odd.
    Exp10m1 "exp10m1", (-17.5, 308.2547155599167), None, |x| (x * x.ln_10()).exp() - x.integer(1),
    |x| x.integer().filter(|n| (0..=19).contains(n)).map(|n| whole(10_i128.pow(n as u32) - 1));

    /// ln x. Exact: 1.
    Log "log", POSITIVE, Some(1.0), |x| x.ln(), |x| is(x, 1).then_some(whole(0));

    /// log2(x). Exact: powers of 2. If 2^y = x with dyadic y and x, y is an integer as for exp2.
    Log2 "log2", POSITIVE, None, |x| x.ln() / x.ln_2(),
    |x| x.is_power_of_2().then(|| whole(x.exponent().into()));

    /// log10(x). Exact: powers of 10 up to 10^27.
    Log10 "log10", POSITIVE, None, |x| x.ln() / x.ln_10(), |x| power_of_10(x, 0);

    /// ln(1 + x). Exact: 0.
    Log1p "log1p", ((-1_f64).next_up(), f64::MAX), Some(0.0), |x| (x.integer(1) + x).ln(), |x| zero(x);

    /// log2(1 + x). Exact: 1 + x is a power of 2.
    Log2p1 "log2p1", ((-1_f64).next_up(), f64::MAX), None, |x| (x.integer(1) + x).ln() / x.ln_2(),
    |x| log2p1(x);

    /// log10(1 + x). Exact: 10^n - 1, n from 0 to 19.
    Log10p1 "log10p1", ((-1_f64).next_up(), f64::MAX), None, |x| (x.integer(1) + x).ln() / x.ln_10(),
    |x| zero(x).or_else(|| power_of_10(x, 1));

    /// The cube root. Exact: cubes of dyadic numbers. A midpoint of p bits after the first has a cube of over 3 p.
    Cbrt "cbrt", EVERYWHERE, None, |x| odd(x, |x| (x.ln() / x.integer(3)).exp()), |x| power(x, 1, 3);

    /// 1 / sqrt(x). Exact: powers of 4: x = 1 / y^2 is dyadic for no other dyadic y.
    Rsqrt "rsqrt", POSITIVE, None, |x| x.integer(1) / x.sqrt(),
    |x| (x.is_power_of_2() && x.odd().e % 2 == 0).then(|| Dyadic { m: 1, e: -x.odd().e / 2 });

    /// x^(3/2). Exact: squares of dyadic numbers.
    Pow3Over2 "pow3o2", (1e-200, 1e205), None, |x| x * x.sqrt(), |x| power(x, 3, 2);

    /// x^(1/4). Exact: fourth powers of dyadic numbers.
    FourthRoot "root4", POSITIVE, None, |x| x.sqrt().sqrt(), |x| power(x, 1, 4);

    /// x^(1/5). Exact: fifth powers of dyadic numbers.
    FifthRoot "root5", EVERYWHERE, None, |x| odd(x, |x| (x.ln() / x.integer(5)).exp()), |x| power(x, 1, 5);

    /// The sine. Exact: 0.
    Sin "sin", EVERYWHERE, Some(0.0), |x| x.sin_cos().0, |x| zero(x);

    /// The cosine. Exact: 0.
    Cos "cos", EVERYWHERE, Some(0.0), |x| x.sin_cos().1, |x| (x.m == 0).then_some(whole(1));

    /// The tangent. Exact: 0.
    Tan "tan", EVERYWHERE, Some(0.0), |x| { let (sin, cos) = x.sin_cos(); sin / cos }, |x| zero(x);

    /// The arc sine. Exact: 0.
    Asin "asin", (-1.0, 1.0), Some(0.0),
    |x| (x / (x.integer(1) + ((x.integer(1) - x) * (x.integer(1) + x)).sqrt())).atan().shifted(1), |x| zero(x);

    /// The arc cosine. Exact: 1.
    Acos "acos", ((-1_f64).next_up(), 1.0), Some(0.0),
    |x| ((x.integer(1) - x) / (x.integer(1) + x)).sqrt().atan().shifted(1), |x| is(x, 1).then_some(whole(0));

    /// The arc tangent. Exact: 0.
    Atan "atan", EVERYWHERE, Some(0.0), |x| x.atan(), |x| zero(x);

    /// The hyperbolic sine. Exact: 0.
    Sinh "sinh", (-710.4758600739439, 710.4758600739439), Some(0.0),
    |x| (x.exp() - (-x).exp()).shifted(-1), |x| zero(x);

    /// The hyperbolic cosine. Exact: 0.
    Cosh "cosh", (-710.4758600739439, 710.4758600739439), Some(0.0), |x| (x.exp() + (-x).exp()).shifted(-1),
    |x| (x.m == 0).then_some(whole(1));

    /// The hyperbolic tangent. Exact: 0. Beyond 20 results are closer to 1 than 2^-3 ulp.
    Tanh "tanh", (-20.0, 20.0), Some(0.0),
    |x| { let y = x.shifted(1).exp(); (y - x.integer(1)) / (y + x.integer(1)) }, |x| zero(x);

    /// The inverse hyperbolic sine. Exact: 0.
    Asinh "asinh", EVERYWHERE, Some(0.0),
    |x| odd(x, |x| (x + (x * x + x.integer(1)).sqrt()).ln()), |x| zero(x);

    /// The inverse hyperbolic cosine. Exact: 1.
    Acosh "acosh", (1.0, f64::MAX), Some(1.0),
    |x| (x + ((x - x.integer(1)) * (x + x.integer(1))).sqrt()).ln(), |x| is(x, 1).then_some(whole(0));

    /// The inverse hyperbolic tangent. Exact: 0.
    Atanh "atanh", ((-1_f64).next_up(), 1_f64.next_down()), Some(0.0),
    |x| ((x.integer(1) + x) / (x.integer(1) - x)).ln().shifted(-1), |x| zero(x);

    /// The error function. Exact: 0. Beyond 6 results are closer to 1 than 2^-2 ulp.
    Erf "erf", (-6.0, 6.0), Some(0.0), |x| x.erf(), |x| zero(x);

    /// 1 - erf(x). Exact: 0. Below -6 results are closer to 2 than 2^-2 ulp.
    Erfc "erfc", (-6.0, 27.25), Some(0.0), |x| x.erfc(), |x| (x.m == 0).then_some(whole(1));

    /// sin(pi x). Exact: multiples of 1/2.
    Sinpi "sinpi", TURNS, None, |x| (x.modulo_2() * x.pi()).sin_cos().0, |x| quarter(x, 0);

    /// cos(pi x). Exact: multiples of 1/2.
    Cospi "cospi", TURNS, None, |x| (x.modulo_2() * x.pi()).sin_cos().1, |x| quarter(x, 1);

    /// tan(pi x) between its poles. Exact: 0, 1/4, -1/4.
    Tanpi "tanpi", ((-0.5_f64).next_up(), 0.5_f64.next_down()), None,
    |x| { let (sin, cos) = (x.modulo_2() * x.pi()).sin_cos(); sin / cos },
    |x| quarter(Dyadic { e: x.e + 1, ..x }, 0);

    /// asin(x) / pi. Exact: 0, 1, -1.
    Asinpi "asinpi", (-1.0, 1.0), None,
    |x| (x / (x.integer(1) + ((x.integer(1) - x) * (x.integer(1) + x)).sqrt())).atan().shifted(1) / x.pi(),
    |x| x.integer().filter(|n| n.unsigned_abs() <= 1).map(|n| Dyadic { m: n.into(), e: -1 });

    /// acos(x) / pi. Exact: 0 and 1.
    Acospi "acospi", ((-1_f64).next_up(), 1.0), None,
    |x| ((x.integer(1) - x) / (x.integer(1) + x)).sqrt().atan().shifted(1) / x.pi(),
    |x| x.integer().filter(|n| (0..=1).contains(n)).map(|n| Dyadic { m: 1 - i128::from(n), e: -1 });

    /// atan(x) / pi. Exact: 0, 1, -1.
    Atanpi "atanpi", (-1e100, 1e100), None, |x| x.atan() / x.pi(),
    |x| x.integer().filter(|n| n.unsigned_abs() <= 1).map(|n| Dyadic { m: n.into(), e: -2 });
}

/// For even x, 1 + x is odd; for x = m 2^e with e < 0 and odd m, 1 + x has an odd numerator: it is a
/// power of 2 only if that is 1.
fn log2p1(x: Dyadic) -> Option<Dyadic> {
    let Dyadic { m, e } = x.odd();
    match e {
        _ if m == 0 => Some(whole(0)),
        0 => (m > 0 && m.count_ones() == m.trailing_ones()).then(|| whole(m.trailing_ones().into())),
        -64..0 => (m == 1 - (1 << -e)).then(|| whole(e.into())),
        _ => None,
    }
}
