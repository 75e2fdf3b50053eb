//! Counts and sums stay exact where a word of the tally could overflow.

use hotloops::correlation::{Accumulator, Bins, Boundary, Image, Method, Points, Psi};

use crate::correlation::points::real_bin;
use crate::correlation::{by, found, of_image, pairs, product, tally};
use crate::harness::rng::Rng;

#[test]
fn words_are_read_before_they_overflow() {
    let (n, one) = (3000, Psi::ONE);
    let bins = Bins::from_edges(&[0.0, 1.0, 1e7]).unwrap();
    let all = |n: u64| n * (n - 1) / 2;
    let sums = |count: u64, sign: i128| (count, (sign * i128::from(count)) << 28);
    // All points at one pixel; in a row, adjacent or at both ends; a full image; a column.
    let zero = vec![0; n];
    let ascending: Vec<i32> = (0..n as i32).collect();
    assert_eq!(
        found(&of_image(&Image::new(&zero, &zero, &vec![one; n]).unwrap(), &bins)),
        [sums(all(3000), 1), (0, 0)]
    );
    for (x, y) in [(&ascending, &zero), (&zero, &ascending)] {
        assert_eq!(found(&of_image(&Image::new(x, y, &vec![one; n]).unwrap(), &bins)), [(0, 0), sums(all(3000), 1)]);
    }
    let (ends, opposite): (Vec<i32>, Vec<Psi>) =
        (0..n).map(|i| (i as i32 % 2 * 1000, if i % 2 == 0 { one } else { Psi::new(-1.0, 0.0).unwrap() })).unzip();
    let image = Image::new(&ends, &zero, &opposite).unwrap();
    assert_eq!(found(&of_image(&image, &bins)), [sums(2 * all(1500), 1), sums(1500 * 1500, -1)]);
    let (x, y): (Vec<i32>, Vec<i32>) = (0..80 * 60).map(|i| (i % 80, i / 80)).unzip();
    let full = of_image(&Image::new(&x, &y, &vec![one; 4800]).unwrap(), &bins);
    assert_eq!(found(&full), [(0, 0), sums(all(4800), 1)]);
}

/// Many pairs of rows, each of which adds few pairs to a word: 400 rows of 20 points at one pixel.
#[test]
fn words_are_read_after_many_rows() {
    let (rows, each) = (400u64, 20);
    let place = |i: u64| (i / each) as i32;
    let y: Vec<i32> = (0..rows * each).map(place).collect();
    let psi: Vec<Psi> = y.iter().map(|y| Psi::new(if y % 2 == 0 { 1.0 } else { -1.0 }, 0.0).unwrap()).collect();
    let x = vec![5; y.len()];
    let bins = Bins::uniform(0.0, 12.0, 1.0).unwrap();
    let pairs = by(Method::Rows, &Image::new(&x, &y, &psi).unwrap(), &bins).unwrap();
    for (dy, found) in (0..12).zip(found(&pairs)) {
        let count = if dy == 0 { rows * each * (each - 1) / 2 } else { (rows - dy) * each * each };
        let sign = if dy % 2 == 0 { 1 } else { -1 };
        assert_eq!(found, (count, sign * (i128::from(count) << 28)), "{dy}");
    }
}

#[test]
fn points_at_one_place_fill_no_word() {
    let n = 2000;
    for bins in [Bins::uniform(0.0, 10.0, 0.01).unwrap(), Bins::from_edges(&[0.0, 1.0, 2.0]).unwrap()] {
        for (psi, sign) in [([1.0, 0.0], 1i128), ([0.0, -1.0], 1)] {
            let psi = vec![Psi::new(psi[0], psi[1]).unwrap(); n];
            let points = Points::new(&vec![1.5f32; n], &vec![-2.0; n], &psi, Boundary::Open, bins.r_max()).unwrap();
            let mut accumulator = Accumulator::new(bins.clone()).unwrap();
            accumulator.add_points(&points).unwrap();
            let count = (n * (n - 1) / 2) as u64;
            assert_eq!(found(&accumulator)[0], (count, (sign * i128::from(count)) << 28));
            assert!(found(&accumulator)[1..].iter().all(|bin| *bin == (0, 0)));
        }
    }
}

/// Two clusters of points of opposite orientations, in bins that are found in every way: more pairs of either sign in
/// one bin than a word holds, within a set and between two.
#[test]
fn clusters_fill_no_word() {
    let n = 1700;
    let squares = |n: u32| (0..=n).map(|k| 10.0 * (f64::from(k) / f64::from(n)).powi(2)).collect::<Vec<_>>();
    let kinds = [
        Bins::uniform(0.0, 10.0, 0.01).unwrap(),
        Bins::uniform(0.0, 10.0, 1.0).unwrap(),
        Bins::uniform(0.0, 10.0, 5.0).unwrap(),
        Bins::from_edges(&squares(120)).unwrap(),
        Bins::from_edges(&squares(3000)).unwrap(),
        Bins::from_edges(&[0.0, 0.5, 3.0, 10.0]).unwrap(),
    ];
    for bins in kinds {
        // The distance, 5.045, is no edge of these bins.
        let [near, far] = [[1.5, -2.0], [4.527, 2.036]];
        let set = |at: [f64; 2]| at.map(|at| vec![at; n]);
        let ([ax, ay], [bx, by]) = (set(near), set(far));
        let orientations = |re: f64| vec![Psi::new(re, 0.0).unwrap(); n];
        let (up, down) = (orientations(1.0), orientations(-1.0));
        let a = Points::new(&ax, &ay, &up, Boundary::Open, bins.r_max()).unwrap();
        let b = a.others(&bx, &by, &down).unwrap();
        let at = |r: f64| bins.edges().iter().filter(|&&edge| edge <= r).count() - 1;
        let (own, between) = ((n * (n - 1) / 2) as u64, (n * n) as u64);
        let [mut within, mut cross] = [(); 2].map(|()| Accumulator::new(bins.clone()).unwrap());
        within.add_points(&a).unwrap();
        within.add_points(&b).unwrap();
        cross.add_points_cross(&a, &b).unwrap();
        let mut expected = vec![(0, 0); bins.len()];
        expected[at(0.0)] = (2 * own, i128::from(2 * own) << 28);
        assert_eq!(found(&within), expected, "{} bins", bins.len());
        expected[at(0.0)] = (0, 0);
        expected[at(5.045)] = (between, -(i128::from(between) << 28));
        assert_eq!(found(&cross), expected, "between, {} bins", bins.len());
    }
}

/// Points on few pixels: a method either refuses counts and sums that its arithmetic can't hold, or is exact.
#[test]
fn crowded_pixels() {
    let bins = Bins::from_edges(&[0.0, 1.0, 50.0, 200.0]).unwrap();
    let half = Psi::new(-1.0, 0.0).unwrap();
    for n in [5_000u64, 8_200, 11_600] {
        let x: Vec<i32> = (0..2 * n).map(|i| if i < n { 0 } else { 90 }).collect();
        let y: Vec<i32> = (0..2 * n).map(|i| if i < n { 0 } else { 70 }).collect();
        let psi: Vec<Psi> = (0..2 * n).map(|i| if i < n { Psi::ONE } else { half }).collect();
        let sums = |count: u64, sign: i128| (count, (sign * i128::from(count)) << 28);
        let counts = |count: u64| (count, 0);
        let expected = [sums(n * (n - 1), 1), (0, 0), sums(n * n, -1)];
        let counted = [counts(n * (n - 1)), (0, 0), counts(n * n)];
        let (image, positions) = (Image::new(&x, &y, &psi).unwrap(), Image::of_positions(&x, &y).unwrap());
        assert_eq!(found(&of_image(&image, &bins)), expected, "{n}");
        assert_eq!(found(&of_image(&positions, &bins)), counted, "{n}");
        for method in [Method::Rows, Method::Transform] {
            for (image, expected) in [(&image, expected), (&positions, counted)] {
                let pairs = by(method, image, &bins);
                assert!(n > 5_000 || pairs.is_some(), "{method:?} counts few points");
                assert!(pairs.is_none_or(|pairs| found(&pairs) == expected), "{method:?}, {n}");
            }
        }
    }
}

/// Words are read between two pairs of tiles, and within one: some of its pairs are then counted
/// beyond an edge, and others not yet.
#[test]
fn words_are_read_in_the_middle_of_two_tiles() {
    const N: usize = 1000;
    let bins = Bins::from_edges(&(0..=20).map(|edge| 0.25 * f64::from(edge)).collect::<Vec<_>>()).unwrap();
    for seed in 0..10 {
        let mut rng = Rng(seed);
        let mut below = |end: u64| (0..N).map(|_| rng.below(end << 12) as f64 / 4096.0).collect::<Vec<f64>>();
        let (x, y) = (below(10), below(12));
        let psi = rng.psi(N);
        let points = Points::new(&x, &y, &psi, Boundary::Open, bins.r_max()).unwrap();
        let mut accumulator = Accumulator::new(bins.clone()).unwrap();
        accumulator.add_points(&points).unwrap();
        let expected = pairs(N).map(|(i, j)| {
            let [dx, dy] = [x[j] - x[i], y[j] - y[i]].map(|d| d as f32);
            (real_bin(&bins, None, dx * dx + dy * dy), product(psi[i], psi[j]))
        });
        assert_eq!(found(&accumulator), tally(&bins, expected), "seed {seed}");
    }
}
