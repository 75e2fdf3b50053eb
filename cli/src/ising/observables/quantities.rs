//! The quantities that moments give: of classical copies, and of worldlines.

use std::f64::consts::TAU;

/// Moments that are measured for each copy, then those for each pair of copies.
pub const ENERGY: usize = 0;
pub const ENERGY_2: usize = 1;
pub const MAGNETISATION: usize = 2;
pub const MAGNETISATION_2: usize = 3;
pub const MAGNETISATION_4: usize = 4;
pub const OVERLAP: usize = 5;
pub const OVERLAP_2: usize = 6;
pub const OVERLAP_4: usize = 7;
pub const LINK: usize = 8;
pub const MOMENTS: usize = 10;

/// Moments of worldlines in place of those of overlaps: the mean of the magnetisation over all slices, its magnitude
/// and its square, the square of its first wave along imaginary time, and kinks.
pub const SIGNED: usize = 5;
pub const OF_ALL: usize = 6;
pub const OF_ALL_2: usize = 7;
pub const WAVE: usize = 8;
pub const KINKS: usize = 9;

/// A point and the size of a system; `slices` is 1 for classical systems.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub beta: f64,
    pub gamma: f64,
    pub sites: f64,
    pub slices: f64,
}

/// A quantity that the moments give.
pub struct Quantity {
    pub name: &'static str,
    pub symbol: &'static str,
    pub formula: &'static str,
    /// From the means of the moments.
    pub of: fn(&[f64; MOMENTS], &Place) -> f64,
}

fn binder(m: &[f64; MOMENTS], _: &Place) -> f64 {
    1.0 - m[MAGNETISATION_4] / (3.0 * m[MAGNETISATION_2] * m[MAGNETISATION_2])
}

fn variance(m: &[f64; MOMENTS]) -> f64 {
    m[ENERGY_2] - m[ENERGY] * m[ENERGY]
}

/// The quantities of classical copies, in the order of the columns.
const CLASSICAL: [Quantity; 8] = [
    Quantity {
        name: "heat_capacity",
        symbol: "C",
        formula: "beta^2 (<E^2> - <E>^2) / N",
        of: |m, at| at.beta * at.beta * variance(m) / at.sites,
    },
    Quantity {
        name: "absolute_magnetisation",
        symbol: "|m|",
        formula: "<|m|>, with m = sum s / N",
        of: |m, _| m[MAGNETISATION],
    },
    Quantity {
        name: "susceptibility",
        symbol: "chi",
        formula: "beta N (<m^2> - <|m|>^2)",
        of: |m, at| at.beta * at.sites * (m[MAGNETISATION_2] - m[MAGNETISATION] * m[MAGNETISATION]),
    },
    Quantity { name: "binder_cumulant", symbol: "U_m", formula: "1 - <m^4> / (3 <m^2>^2)", of: binder },
    Quantity {
        name: "absolute_overlap",
        symbol: "|q|",
        formula: "<|q|>, with q = sum s s' / N of two independent copies s, s'",
        of: |m, _| m[OVERLAP],
    },
    Quantity {
        name: "overlap_susceptibility",
        symbol: "chi_q",
        formula: "N <q^2>",
        of: |m, at| at.sites * m[OVERLAP_2],
    },
    Quantity {
        name: "overlap_binder_cumulant",
        symbol: "U_q",
        formula: "(3 - <q^4> / <q^2>^2) / 2",
        of: |m, _| (3.0 - m[OVERLAP_4] / (m[OVERLAP_2] * m[OVERLAP_2])) / 2.0,
    },
    Quantity {
        name: "link_overlap",
        symbol: "q_l",
        formula: "<mean of s_i s_j s'_i s'_j over the couplings>",
        of: |m, _| m[LINK],
    },
];

/// The quantities of worldlines, in the order of the columns.
const QUANTUM: [Quantity; 7] = [
    Quantity {
        name: "heat_capacity",
        symbol: "C",
        formula: "-beta^2 d<H>/dbeta / N: beta^2 (<E^2> - <E>^2) and terms of <kinks>",
        of: heat_capacity,
    },
    Quantity { name: "kinks", symbol: "kinks", formula: "<kinks> / N of all slices", of: |m, at| m[KINKS] / at.sites },
    Quantity {
        name: "absolute_magnetisation",
        symbol: "|m|",
        formula: "<|m|>, with m = sum s / N of a slice",
        of: |m, _| m[MAGNETISATION],
    },
    Quantity { name: "squared_magnetisation", symbol: "m^2", formula: "<m^2>", of: |m, _| m[MAGNETISATION_2] },
    Quantity { name: "binder_cumulant", symbol: "U_m", formula: "1 - <m^4> / (3 <m^2>^2)", of: binder },
    Quantity {
        name: "susceptibility",
        symbol: "chi",
        formula: "beta N (<M^2> - <|M|>^2), with M the mean of m over imaginary time",
        of: |m, at| at.beta * at.sites * (m[OF_ALL_2] - m[OF_ALL] * m[OF_ALL]),
    },
    Quantity {
        name: "gap",
        symbol: "gap",
        formula: "w / sqrt((<M^2> - <M>^2) / <|M_w|^2> - 1), with w = 2 pi / beta and M_w the mean of m exp(i w tau): \
                  of the lowest excitation that m sees, from above, for beta gap >> 1",
        of: gap,
    },
];

/// The estimate of the energy depends on `beta` at fixed worldlines, too.
fn heat_capacity(m: &[f64; MOMENTS], at: &Place) -> f64 {
    let step = at.beta * at.gamma / at.slices;
    let (single, double) = (step.cosh(), (2.0 * step).sinh());
    let of_equal = at.sites * at.slices * (step / single).powi(2);
    let of_kink = (2.0 * step / double).powi(2) * (2.0 * step).cosh();
    (at.beta * at.beta * variance(m) + of_equal - m[KINKS] * of_kink) / at.sites
}

/// With one excitation, `<|M_w|^2>` is proportional to `1 / (gap^2 + w^2)`.
fn gap(m: &[f64; MOMENTS], at: &Place) -> f64 {
    let ratio = (m[OF_ALL_2] - m[SIGNED] * m[SIGNED]) / m[WAVE] - 1.0;
    if ratio > 0.0 { TAU / at.beta / ratio.sqrt() } else { f64::NAN }
}

/// The quantities of a run.
pub fn quantities(has_lines: bool) -> &'static [Quantity] {
    if has_lines { &QUANTUM } else { &CLASSICAL }
}

/// The definitions, for the help.
pub fn definitions(has_lines: bool) -> String {
    let lines = quantities(has_lines).iter().map(|q| format!("  {:6} {} = {}\n", q.symbol, q.name, q.formula));
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One spin without couplings: E = -gamma tanh(beta gamma) and a gap of 2 gamma, in the limit of many slices.
    #[test]
    fn a_free_spin_has_its_heat_capacity() {
        let (beta, gamma) = (1.3, 0.8);
        let at = Place { beta, gamma, sites: 1.0, slices: 1e6 };
        let x: f64 = beta * gamma;
        // Kinks come in pairs: their number n has the weight x^n / n!.
        let (mean, square) = (x * x.tanh(), x * x + x * x.tanh());
        // E = -kinks / beta.
        let mut m = [0.0; MOMENTS];
        (m[ENERGY], m[ENERGY_2], m[KINKS]) = (-mean / beta, square / beta / beta, mean);
        let expected = (x / x.cosh()).powi(2);
        assert!((heat_capacity(&m, &at) - expected).abs() < 1e-5, "{} {expected}", heat_capacity(&m, &at));
        (m[OF_ALL_2], m[SIGNED]) = (0.3, 0.0);
        let wave = TAU / beta;
        m[WAVE] = 0.3 * 1.6 * 1.6 / (1.6 * 1.6 + wave * wave);
        assert!((gap(&m, &at) - 1.6).abs() < 1e-12);
        m[WAVE] = 0.4;
        assert!(gap(&m, &at).is_nan());
    }
}
