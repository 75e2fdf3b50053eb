//! The search for hard-to-round cases against a test of every argument.

use crate::harness::rng::Rng;
use hotloops::hardround::{self, Algorithm, Block, Scan, Series, Test};

impl Rng {
    fn wide(&mut self) -> u128 {
        u128::from(self.word()) << 64 | u128::from(self.word())
    }
}

/// All arguments whose value is near an integer, by differences of 128 bits.
fn every(c: [u128; 4], length: u64, within: u64) -> Vec<u64> {
    let [mut y, c1, c2, c3] = c;
    let third = c3.wrapping_mul(6);
    let mut first = c1.wrapping_add(c2).wrapping_add(c3);
    let mut second = c2.wrapping_mul(2).wrapping_add(third);
    let mut found = Vec::new();
    for x in 0..length {
        if (y as i128).unsigned_abs() < u128::from(within) << 64 {
            found.push(x);
        }
        y = y.wrapping_add(first);
        first = first.wrapping_add(second);
        second = second.wrapping_add(third);
    }
    found
}

fn scanned(scan: Scan, c: [u128; 4], length: u64) -> Vec<u64> {
    let (mut scan, mut found) = (scan, Vec::new());
    scan.block(&Block::new(c), length, |x| found.push(x)).unwrap();
    found
}

/// A fraction of 2^-128.
fn fraction(x: f64) -> u128 {
    ((x * 2f64.powi(100)) as i128 as u128) << 28
}

/// Compares the search by arcs, and by domains of several sizes, with the enumeration. Returns the number of cases.
fn hold(name: &str, c: [u128; 4], length: u64, within: u64) -> usize {
    let expected = every(c, length, within);
    for domain in [None, Some(40), Some(333), Some(2600), Some(1 << 20)] {
        let scan = Scan::new(within).unwrap();
        let by_domains = |n| scan.clone().algorithm(Algorithm::Farey).domain(n);
        let found = scanned(domain.map_or(scan.clone(), by_domains), c, length);
        if found != expected {
            let missing: Vec<_> = expected.iter().filter(|x| !found.contains(x)).take(5).collect();
            let wrong: Vec<_> = found.iter().filter(|x| !expected.contains(x)).take(5).collect();
            panic!(
                "{name}, domains of {domain:?}: {} for {} cases, without {missing:?}, with {wrong:?}",
                found.len(),
                expected.len()
            );
        }
    }
    expected.len()
}

#[test]
fn smooth_polynomials() {
    let mut rng = Rng(1);
    let mut cases = 0;
    for round in 0..60 {
        // Second-order coefficients from 2^-30 to 2^-60, which include exp's on [1, 2).
        let bend = 2f64.powi(-30 - round % 31) * if round % 2 == 0 { 1.0 } else { -1.0 };
        let third = bend * 2f64.powi(-30 - round % 17) * [1.0, -1.0, 0.0][round as usize % 3];
        let c = [rng.wide(), rng.wide(), fraction(bend), fraction(third)];
        let within = 1 << (36 + round % 16);
        cases += hold(&format!("bend {bend:e}"), c, 1 << 20, within);
    }
    assert!(cases > 1000, "{cases} cases");
}

/// Parts that are long enough for arcs, from nearly straight ones to ones whose c2 changes by an
/// eighth.
#[test]
fn long_parts() {
    let mut rng = Rng(10);
    let mut cases = 0;
    for round in 0..16 {
        let sign = if round % 2 == 0 { 1.0 } else { -1.0 };
        let bend = sign * 2f64.powi(-30 - round % 5);
        let third = bend * 2f64.powi(-25 - round) * [1.0, -1.0, 0.0][round as usize % 3];
        let slope = if round % 4 == 3 { u128::MAX / (1 + rng.wide() % 7) } else { rng.wide() };
        cases +=
            hold(&format!("bend {bend:e}"), [rng.wide(), slope, fraction(bend), fraction(third)], 1 << 21, 1 << 46);
    }
    assert!(cases > 100, "{cases} cases");
}

#[test]
fn slopes_through_simple_fractions() {
    let mut rng = Rng(2);
    let mut cases = 0;
    for v in 1..=7_u128 {
        for r in 0..v {
            for (bend, offset) in [(2f64.powi(-44), 0.0), (-2f64.powi(-40), 2f64.powi(-30)), (2f64.powi(-50), 1e-8)] {
                // The slope in the middle is r / v. The value there is near an integer, or
                // arbitrary.
                let length = 1_u64 << 19;
                let slope = (u128::MAX / v).wrapping_mul(r).wrapping_sub(fraction(bend * length as f64));
                let height =
                    if v % 2 == 0 { rng.wide() } else { fraction(bend * 0.25 * (length as f64).powi(2) + offset) };
                cases += hold(&format!("slope {r}/{v}"), [height, slope, fraction(bend), 0], length, 1 << 40);
            }
        }
    }
    assert!(cases > 1000, "{cases} cases");
}

#[test]
fn straight_and_inflected_polynomials() {
    let mut rng = Rng(3);
    for round in 0..12 {
        let line = [rng.wide(), rng.wide(), 0, 0];
        hold("a line", line, 1 << 18, 1 << 44);
        let simple = [rng.wide() >> 60, u128::MAX / 3 + rng.wide() % 1000, 0, 0];
        hold("a line with a simple slope", simple, 1 << 16, 1 << 40);
        // c2 + 3 c3 x passes zero inside, and at the ends.
        let third = 2f64.powi(-62 - round % 8) * if round % 2 == 0 { 1.0 } else { -1.0 };
        let at = [0.0, 1.0, 54321.0, 200_000.5, 262_143.0, 262_144.0][round as usize % 6];
        let inflected = [rng.wide(), rng.wide(), fraction(-3.0 * third * at), fraction(third)];
        hold("an inflection", inflected, 1 << 18, 1 << 45);
    }
    for slope in [0, 1, u128::MAX, 1 << 127] {
        hold("a point", [0, slope, 0, 0], 5000, 1 << 30);
        hold("a point", [1 << 126, slope, 1, 0], 5000, 1 << 30);
    }
}

#[test]
fn any_polynomial_and_any_bound() {
    let mut rng = Rng(4);
    for round in 0..30 {
        let c = [rng.wide(), rng.wide(), rng.wide(), rng.wide()];
        hold("any polynomial", c, 3000 + round, 1 << 50);
        let bend = fraction(2f64.powi(-20 - round as i32));
        for within in [0, 1, 1 << 20, 1 << 56, 1 << 61] {
            hold("any bound", [c[0], c[1], bend, 0], 20_000 + round, within);
        }
    }
    for length in [0, 1, 2, 31, 32, 33, 1000] {
        hold("short", [rng.wide(), rng.wide(), fraction(1e-12), 0], length, 1 << 58);
    }
}

#[test]
fn blocks_in_a_row_continue_each_other() {
    let mut rng = Rng(5);
    for _ in 0..10 {
        let (c, length, within) = ([rng.wide(), rng.wide(), fraction(2f64.powi(-46)), 0], 1 << 17, 1 << 46);
        let (mut scan, mut found) = (Scan::new(within).unwrap(), Vec::new());
        let mut begin = 0;
        while begin < length {
            let part = (1000 + rng.word() % 30_000).min(length - begin);
            let x = u128::from(begin);
            let slope = c[1].wrapping_add(c[2].wrapping_mul(2 * x));
            let moved = [Block::new(c).at(begin), slope, c[2], 0];
            scan.block(&Block::new(moved), part, |x| found.push(begin + x)).unwrap();
            begin += part;
        }
        assert_eq!(found, every(c, length, within));
    }
}

#[test]
fn series_give_the_polynomials_of_their_blocks() {
    let mut rng = Rng(6);
    for degree in 0..8_usize {
        // Integers in units of 2^-128 are exact.
        let taylor: Vec<u128> = (0..=degree).map(|_| rng.wide()).collect();
        let words: Vec<[u64; 4]> = taylor.iter().map(|&c| [0, 0, c as u64, (c >> 64) as u64]).collect();
        let series = Series::new(&words, 20).unwrap();
        for j in [0, 1, 2, 77, -1, -1000] {
            let origin = (j << 20) as u128;
            // Coefficients of the polynomial shifted to the origin, by Horner's scheme.
            let mut moved = taylor.clone();
            for low in 0..degree {
                for at in (low..degree).rev() {
                    moved[at] = moved[at].wrapping_add(moved[at + 1].wrapping_mul(origin));
                }
            }
            moved.resize(4.max(moved.len()), 0);
            let expected = Block::new([moved[0], moved[1], moved[2], moved[3]]);
            assert_eq!(series.block(j as i64), expected, "degree {degree}, block {j}");
        }
    }
    // A coefficient below 2^-128 matters when multiplied by the length and the number of the block.
    let tiny = Series::new(&[[0; 4], [0; 4], [1 << 63, 5, 0, 0]], 32).unwrap();
    assert_eq!([1, -1, 3].map(|j| tiny.block(j).at(0)), [6, 6, 50]);
}

/// The top 128 of 256 bits of a polynomial's value: words from the lowest, Horner's scheme modulo 2^256.
fn value(taylor: &[[u64; 4]], x: i64) -> u128 {
    let mut value = [0_u64; 4];
    for coefficient in taylor.iter().rev() {
        let mut carry = 0_i128;
        for (at, word) in value.iter_mut().enumerate() {
            // The multiplication by a negative x borrows from the words above.
            let sum = i128::from(*word) * i128::from(x) + i128::from(coefficient[at]) + carry;
            *word = sum as u64;
            carry = sum >> 64;
        }
    }
    u128::from(value[3]) << 64 | u128::from(value[2])
}

#[test]
fn what_series_lose_is_bounded() {
    let mut rng = Rng(9);
    for round in 0..40 {
        let (degree, log2_length) = (round % 9, 10 + round as u32 % 16);
        // Each coefficient is smaller than the previous one by a factor of 2^40, with either sign.
        let shrink = |words: [u64; 4], bits: usize| {
            let word = |at: usize| words.get(at).copied().unwrap_or(0);
            let part = |at: usize| match bits % 64 {
                0 => word(at + bits / 64),
                part => word(at + bits / 64) >> part | word(at + bits / 64 + 1) << (64 - part),
            };
            [part(0), part(1), part(2), part(3)]
        };
        let taylor: Vec<[u64; 4]> = (0..=degree)
            .map(|k| {
                let c = shrink([0; 4].map(|_| rng.word()), 40 * k.min(6));
                if rng.word() >> 63 == 0 { c } else { c.map(|word| !word) }
            })
            .collect();
        let series = Series::new(&taylor, log2_length).unwrap();
        let bound = series.error(9) + 2f64.powi(-120);
        for _ in 0..50 {
            let (j, x) = ((rng.word() % 17) as i64 - 8, rng.word() % (1 << log2_length));
            let exact = value(&taylor, (j << log2_length) + x as i64);
            let off = series.block(j).at(x).wrapping_sub(exact) as i128;
            assert!(
                off.unsigned_abs() as f64 <= bound * 2f64.powi(128),
                "degree {degree}, 2^{log2_length}: {off} for {bound:e}"
            );
        }
        // For one block without truncation, the bound is small.
        assert!(degree > 3 || series.error(1) < 16.0 * 2f64.powi(3 * log2_length as i32 - 129));
    }
}

/// Whether b - a x mod 1 < w for some x < n.
fn comes_near(a: u64, b: u64, n: u64, w: u64) -> bool {
    (0..n).any(|x| b.wrapping_sub(a.wrapping_mul(x)) < w)
}

fn tested(test: Test, a: &[u64], b: &[u64], n: u64, w: u64) -> Vec<bool> {
    let mut bits = vec![0; a.len().div_ceil(8)];
    hardround::exists(a, b, n, w, test, &mut bits).unwrap();
    (0..a.len()).map(|i| bits[i / 8] >> (i % 8) & 1 == 1).collect()
}

#[test]
fn no_test_misses_a_case() {
    const UNIT: u64 = 1 << 55;
    let (a, b): (Vec<u64>, Vec<u64>) = (0..512 * 512).map(|i| (i / 512 * UNIT, i % 512 * UNIT)).unzip();
    for n in [3, 4, 5, 7, 16, 33, 64, 100] {
        for w in [1, UNIT, 3 * UNIT] {
            let near: Vec<bool> = a.iter().zip(&b).map(|(&a, &b)| comes_near(a, b, n, w)).collect();
            for test in [Test::Regular, Test::Lefevre] {
                let maybe = tested(test, &a, &b, n, w);
                let missed = (0..a.len()).find(|&i| near[i] && !maybe[i]);
                assert_eq!(missed.map(|i| (a[i], b[i])), None, "{test:?}, n = {n}, w = {w:#x}");
            }
        }
    }
}

#[test]
fn tests_let_little_through() {
    let mut rng = Rng(7);
    let (a, b): (Vec<u64>, Vec<u64>) = (0..40_000).map(|_| (rng.word(), rng.word())).unzip();
    // A strip of 0.0026 / 4096.
    let (n, w) = (4096, (0.0026 / 4096.0 * 2f64.powi(64)) as u64);
    let near: Vec<bool> = a.iter().zip(&b).map(|(&a, &b)| comes_near(a, b, n, w)).collect();
    let count = near.iter().filter(|near| **near).count();
    assert!((70..140).contains(&count), "{count} of 40 000");
    for (test, most) in [(Test::Regular, 2 * count), (Test::Lefevre, 4 * count)] {
        let maybe = tested(test, &a, &b, n, w);
        assert!(near.iter().zip(&maybe).all(|(near, maybe)| !near || *maybe), "{test:?}");
        let through = maybe.iter().filter(|maybe| **maybe).count();
        assert!(through <= most, "{test:?}: {through} for {count}");
    }
}

#[test]
fn degenerate_domains() {
    for test in [Test::Regular, Test::Lefevre] {
        for n in [0, 1, 2, 3] {
            // The three points are those of three arguments. The width grows by two units of 2^-52.
            let found = tested(test, &[0, 0, 1 << 60, 1 << 60, u64::MAX], &[0, 1 << 14, 2 << 60, 3 << 60, 5], n, 0);
            assert_eq!(found, [true, false, true, false, true], "{test:?}, n = {n}");
        }
        assert_eq!(tested(test, &[0, 1, 1 << 63, u64::MAX], &[u64::MAX - 1, 1 << 63, 7, 9], 5, u64::MAX), [true; 4]);
        assert_eq!(tested(test, &[], &[], 5, 1), []);
    }
}

#[test]
fn exhaustive_search_goes_on_behind_a_case() {
    let mut rng = Rng(8);
    for _ in 0..50 {
        let d = [rng.word(), rng.word(), rng.word(), rng.word()];
        let (n, w) = (3000, 1 << 55);
        let (mut from, mut at, mut found) = (d, 0, Vec::new());
        while let Some(x) = hardround::exhaust_first(&from, n - at, w) {
            found.push(at + x);
            from = hardround::exhaust_from(&from, x + 1);
            at += x + 1;
        }
        let value = |x: u64| {
            let (x, d) = (u128::from(x), d.map(u128::from));
            let pairs = x * x.saturating_sub(1) / 2;
            let triples = pairs * x.saturating_sub(2) / 3;
            d[0].wrapping_add(d[1] * x).wrapping_add(d[2] * pairs).wrapping_add(d[3].wrapping_mul(triples)) as u64
        };
        assert_eq!(found, (0..n).filter(|&x| value(x) < w).collect::<Vec<_>>());
        assert_eq!(hardround::exhaust_from(&d, 2999)[0], value(2999));
    }
}
