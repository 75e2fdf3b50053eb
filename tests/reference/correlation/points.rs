//! Pairs of real positions, with and without periodic boundaries.

use hotloops::correlation::{Accumulator, Bins, Boundary, Points, Psi};

use crate::correlation::{found, pairs, product, tally};
use crate::harness::rng::Rng;

/// The difference between nearest images.
fn difference(a: f64, b: f64, period: Option<f64>) -> f32 {
    let d = b - a;
    let nearest = period.map_or(d, |period| d - (d / period).round() * period);
    assert_eq!(f64::from(nearest as f32), nearest, "exact");
    nearest as f32
}

/// The bin of a squared distance.
pub fn real_bin(bins: &Bins, width: Option<f64>, r2: f32) -> Option<usize> {
    match width {
        Some(width) => {
            // From one width below the first bin on, if it begins above 0.
            let lo = bins.edges()[0];
            let skipped = f64::from(u8::from(lo > 0.0));
            let start = (lo / width - skipped) as f32;
            let number = (r2.sqrt() * (1.0 / width) as f32 - start).max(0.0) as usize;
            number.checked_sub(skipped as usize).filter(|&bin| bin < bins.len())
        }
        // Each f32 is exact in f64, and so are the squares of these edges.
        None => {
            let beyond = |edge: f64| f64::from(r2) >= edge * edge;
            (0..bins.len()).find(|&bin| beyond(bins.edges()[bin]) && !beyond(bins.edges()[bin + 1]))
        }
    }
}

/// Bins of all kinds, with the width of uniform ones.
fn kinds() -> Vec<(Bins, Option<f64>)> {
    let uniform = |lo, hi, width| (Bins::uniform(lo, hi, width).unwrap(), Some(width));
    let custom = |edges: &[f64]| (Bins::from_edges(edges).unwrap(), None);
    vec![
        uniform(0.0, 20.0, 0.25),
        uniform(0.0, 20.0, 5.0),
        uniform(0.0, 20.0, 10.0),
        uniform(0.0, 19.2, 6.4),
        uniform(0.0, 20.0, 20.0),
        uniform(3.0, 18.0, 0.1),
        uniform(4.0, 5.0, 0.5),
        uniform(0.25, 19.95, 0.1),
        uniform(17.3, 19.9, 0.01),
        uniform(0.3, 20.0, 4.7),
        custom(&[0.0, 0.125, 1.0, 3.0, 3.25, 17.0]),
        custom(&[2.0, 5.0]),
        (Bins::from_edges(&(0..=40).map(|k| 0.5 * f64::from(k)).collect::<Vec<_>>()).unwrap(), None),
    ]
}

#[test]
fn points_agree_with_all_pairs_one_by_one() {
    let mut rng = Rng(4);
    let kinds = kinds();
    for (n, length, height) in
        [(0, 50.0, 50.0), (1, 50.0, 50.0), (90, 41.0, 40.0), (500, 100.0, 70.0), (80, 300.0, 40.0)]
    {
        // Multiples of a power of two, whose differences are exact.
        let unit = if n == 90 { 0.5 } else { 1.0 / 4096.0 };
        let mut coordinates =
            |bound: f64| -> Vec<f64> { (0..n).map(|_| rng.below((bound / unit) as u64) as f64 * unit).collect() };
        let (x, mut y) = (coordinates(length), coordinates(height));
        if n == 80 {
            y.iter_mut().for_each(|y| *y = 5.0);
        }
        let psi = rng.psi(n);
        for (bins, width) in &kinds {
            // Also shifted so far that f32 coordinates would lose their digits.
            for (boundary, far) in [
                (Boundary::Open, 0.0),
                (Boundary::Open, 1_000_000_000.0),
                (Boundary::Periodic([length, height]), 0.0),
                (Boundary::Periodic([64.0, 40.0]), -64_000_000.0),
            ] {
                let period = |axis: usize| match boundary {
                    Boundary::Open => None,
                    Boundary::Periodic(periods) => Some(periods[axis]),
                };
                let moved = |values: &[f64]| values.iter().map(|value| value + far).collect::<Vec<f64>>();
                let (x, y) = (moved(&x), moved(&y));
                let expected = tally(
                    bins,
                    pairs(n).map(|(i, j)| {
                        let dx = difference(x[i], x[j], period(0));
                        let dy = difference(y[i], y[j], period(1));
                        (real_bin(bins, *width, dx * dx + dy * dy), product(psi[i], psi[j]))
                    }),
                );
                let points = Points::new(&x, &y, &psi, boundary, bins.r_max()).unwrap();
                let mut accumulator = Accumulator::new(bins.clone()).unwrap();
                accumulator.add_points(&points).unwrap();
                assert_eq!(found(&accumulator), expected, "{n} points, {boundary:?}, {far}, {bins:?}");
                let counts: Vec<_> = expected.iter().map(|&(count, _)| (count, 0)).collect();
                let positions = Points::of_positions(&x, &y, boundary, bins.r_max()).unwrap();
                let mut counted = Accumulator::new(bins.clone()).unwrap();
                counted.add_points(&positions).unwrap();
                assert_eq!(found(&counted), counts, "counts, {n} points, {boundary:?}, {far}, {bins:?}");
                check_parts((&x, &y, &psi), boundary, bins, &accumulator);
            }
        }
    }
}

/// The pairs between the first third and the rest are the union's pairs minus the pairs of each.
fn check_parts((x, y, psi): (&[f64], &[f64], &[Psi]), boundary: Boundary, bins: &Bins, all: &Accumulator) {
    let third = x.len() / 3;
    let a = Points::new(&x[..third], &y[..third], &psi[..third], boundary, bins.r_max()).unwrap();
    let b = a.others(&x[third..], &y[third..], &psi[third..]).unwrap();
    let bare = a.others_of_positions(&x[third..], &y[third..]).unwrap();
    let [mut cross, mut counted] = [(); 2].map(|()| Accumulator::new(bins.clone()).unwrap());
    cross.add_points_cross(&a, &b).unwrap();
    counted.add_points_cross(&a, &bare).unwrap();
    let counts: Vec<_> = found(&cross).iter().map(|&(count, _)| (count, 0)).collect();
    assert_eq!(found(&counted), counts, "counts between two sets");
    if matches!(boundary, Boundary::Periodic(_)) {
        let mut parts = Accumulator::new(bins.clone()).unwrap();
        parts.add_points_cross(&a, &b).unwrap();
        parts.add_points(&a).unwrap();
        parts.add_points(&b).unwrap();
        assert_eq!(&parts, all);
    }
}
