//! Pair correlations against integer sums over all pairs, and against worked examples.

#[path = "harness/rng.rs"]
mod rng;

use std::f64::consts::TAU;

use hotloops::correlation::{Accumulator, Bin, Bins, Boundary, Image, Method, Plan, Points, Psi};
use rng::Rng;

impl Rng {
    fn integers(&mut self, n: usize, bound: u64) -> Vec<i32> {
        (0..n).map(|_| self.below(bound) as i32 - 7).collect()
    }

    fn psi(&mut self, n: usize) -> Vec<Psi> {
        (0..n).map(|_| Psi::from_angle(self.real(TAU), 6).unwrap()).collect()
    }
}

fn product(a: Psi, b: Psi) -> i128 {
    a.parts().iter().zip(b.parts()).map(|(&a, b)| i128::from(a) * i128::from(b)).sum()
}

fn pairs(n: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n).flat_map(move |i| (i + 1..n).map(move |j| (i, j)))
}

/// Pairs and sums of each bin, from the bin and product of each pair.
fn tally(bins: &Bins, of_pairs: impl Iterator<Item = (Option<usize>, i128)>) -> Vec<(u64, i128)> {
    let mut all = vec![(0, 0); bins.len()];
    for (bin, product) in of_pairs {
        if let Some(bin) = bin {
            all[bin].0 += 1;
            all[bin].1 += product;
        }
    }
    all
}

fn found(accumulator: &Accumulator) -> Vec<(u64, i128)> {
    accumulator.bins().map(|bin| (bin.count, bin.sum)).collect()
}

/// The bin of an integer squared distance, by edges that are multiples of 1/8.
fn integer_bin(bins: &Bins, r2: i128) -> Option<usize> {
    let beyond = |edge: f64| 64 * r2 >= (edge * 8.0) as i128 * (edge * 8.0) as i128;
    (0..bins.len()).find(|&bin| beyond(bins.edges()[bin]) && !beyond(bins.edges()[bin + 1]))
}

fn of_image(image: &Image, bins: &Bins) -> Accumulator {
    let mut accumulator = Accumulator::new(bins.clone()).unwrap();
    accumulator.add_image(image).unwrap();
    accumulator
}

fn eighths() -> Vec<Bins> {
    let uniform = |lo, hi, width| Bins::uniform(lo, hi, width).unwrap();
    let custom = |edges: &[f64]| Bins::from_edges(edges).unwrap();
    vec![
        uniform(0.0, 400.0, 1.0),
        uniform(0.0, 12.0, 0.125),
        uniform(5.0, 40.0, 2.5),
        custom(&[0.0, 1e6]),
        custom(&[0.0, 0.125, 1.0, 3.0, 3.25, 17.0]),
        custom(&[2.0, 5.0]),
    ]
}

#[test]
fn images_agree_with_all_pairs_one_by_one() {
    let mut rng = Rng(1);
    for (round, (n, width, height)) in
        [(0, 9, 9), (1, 9, 9), (2, 3, 1), (60, 300, 1), (60, 1, 300), (200, 15, 12), (300, 200, 150), (150, 2000, 20)]
            .into_iter()
            .enumerate()
    {
        let (x, y, psi) = (rng.integers(n, width), rng.integers(n, height), rng.psi(n));
        let (image, positions) = (Image::new(&x, &y, &psi).unwrap(), Image::of_positions(&x, &y).unwrap());
        for bins in eighths() {
            let expected = tally(
                &bins,
                pairs(n).map(|(i, j)| {
                    let (dx, dy) = (i128::from(x[i]) - i128::from(x[j]), i128::from(y[i]) - i128::from(y[j]));
                    (integer_bin(&bins, dx * dx + dy * dy), product(psi[i], psi[j]))
                }),
            );
            assert_eq!(found(&of_image(&image, &bins)), expected, "round {round}, {bins:?}");
            let counts: Vec<_> = expected.iter().map(|&(count, _)| (count, 0)).collect();
            assert_eq!(found(&of_image(&positions, &bins)), counts, "round {round}, counts, {bins:?}");
        }
    }
}

/// The pairs by one method, part by part.
fn by(method: Method, image: &Image, bins: &Bins) -> Option<Accumulator> {
    let plan = Plan::by(method, image, bins).unwrap()?;
    assert_eq!(plan.method(), method);
    let mut pairs = Accumulator::new(bins.clone()).unwrap();
    (0..plan.parts()).for_each(|part| pairs.add_part(&plan, part).unwrap());
    Some(pairs)
}

/// All pairs, by arithmetic that shares nothing with the library.
fn one_by_one(x: &[i32], y: &[i32], psi: &[Psi], bins: &Bins) -> Vec<(u64, i128)> {
    let each = pairs(x.len()).map(|(i, j)| {
        let (dx, dy) = (i128::from(x[i]) - i128::from(x[j]), i128::from(y[i]) - i128::from(y[j]));
        (integer_bin(bins, dx * dx + dy * dy), product(psi[i], psi[j]))
    });
    tally(bins, each)
}

#[test]
fn transforms_agree_with_all_pairs_one_by_one() {
    let mut rng = Rng(8);
    let aligned = [vec![Psi::ONE; 300], vec![Psi::new(-1.0, 0.0).unwrap(); 300]];
    // All lengths of transforms up to a few hundred, a single point, rows, columns and coinciding points.
    let shapes = (0..40).map(|k| (100 + 5 * k, 3 + 13 * k as u64, 2 + 17 * (k as u64 * 7 % 40)));
    let others = [(0, 9, 9), (1, 9, 9), (2, 3, 1), (60, 900, 1), (60, 1, 900), (300, 2, 2), (200, 1500, 40)];
    for (round, (n, width, height)) in shapes.chain(others).enumerate() {
        let (x, y) = (rng.integers(n, width), rng.integers(n, height));
        let psi = if round % 4 == 0 { aligned[round / 4 % 2][..n].to_vec() } else { rng.psi(n) };
        let image = Image::new(&x, &y, &psi).unwrap();
        let positions = Image::of_positions(&x, &y).unwrap();
        for bins in
            [Bins::uniform(0.0, 2000.0, 10.0), Bins::uniform(3.0, 60.0, 1.5), Bins::from_edges(&[0.0, 7.0, 8.5])]
        {
            let bins = bins.unwrap();
            let expected = one_by_one(&x, &y, &psi, &bins);
            let found_by = |image: &Image| found(&by(Method::Transform, image, &bins).unwrap());
            assert_eq!(found_by(&image), expected, "{n} points in {width} x {height}, {bins:?}");
            let counts: Vec<_> = expected.iter().map(|&(count, _)| (count, 0)).collect();
            assert_eq!(found_by(&positions), counts, "counts, {n} points in {width} x {height}");
        }
    }
}

#[test]
fn every_method_gives_the_same_counts_and_sums() {
    let mut rng = Rng(9);
    let mut refused = 0;
    for (n, width, height, bins) in [
        (300, 60, 40, Bins::uniform(0.0, 30.0, 1.0)),
        (300, 60, 40, Bins::uniform(0.0, 80.0, 20.0)),
        (1000, 2000, 3000, Bins::uniform(0.5, 300.5, 1.0)),
        (150, 2000, 3000, Bins::uniform(0.0, 4000.0, 0.25)),
        (500, 1_000_000, 900_000, Bins::uniform(0.0, 100_000.0, 1000.0)),
        (700, 500, 500, Bins::from_edges(&[0.0, 1.0, 2.5, 30.0, 31.0, 600.0])),
        (700, 500, 2, Bins::uniform(0.0, 0.75, 0.125)),
    ] {
        let bins = bins.unwrap();
        let (x, y, psi) = (rng.integers(n, width), rng.integers(n, height), rng.psi(n));
        let expected = one_by_one(&x, &y, &psi, &bins);
        for (image, orientations) in [(Image::new(&x, &y, &psi), true), (Image::of_positions(&x, &y), false)] {
            let image = image.unwrap();
            let expected: Vec<_> =
                expected.iter().map(|&(count, sum)| (count, if orientations { sum } else { 0 })).collect();
            // Transforms of a million pixels in each direction take too much memory.
            let methods = [Method::Rows, Method::Pairs, Method::Cells, Method::Transform];
            for method in &methods[usize::from(width > 100_000)..if width > 100_000 { 3 } else { 4 }] {
                match by(*method, &image, &bins) {
                    Some(pairs) => {
                        assert_eq!(found(&pairs), expected, "{method:?}, {n} in {width} x {height}, {bins:?}")
                    }
                    None => refused += 1,
                }
            }
            let mut pairs = Accumulator::new(bins.clone()).unwrap();
            pairs.add_image_within(&image, 0).unwrap();
            assert_eq!(found(&pairs), expected, "the fastest without memory");
        }
    }
    assert_eq!(refused, 2, "cells refuse distances of more than 4096");
    for (width, has_roots) in [(30_000, true), (600_000, false)] {
        let (x, y) = (rng.integers(200, width), rng.integers(200, 3));
        let (psi, bins) = (rng.psi(200), Bins::uniform(0.0, 250_000.0, 1000.0).unwrap());
        let image = Image::new(&x, &y, &psi).unwrap();
        let pairs = by(Method::Transform, &image, &bins);
        assert_eq!(pairs.is_some(), has_roots, "{width}");
        assert!(pairs.is_none_or(|pairs| found(&pairs) == one_by_one(&x, &y, &psi, &bins)));
    }
    let many = Image::new(&[5; 70_000], &[6; 70_000], &[Psi::ONE; 70_000]).unwrap();
    let bins = Bins::uniform(0.0, 2.0, 1.0).unwrap();
    assert!(Plan::by(Method::Transform, &many, &bins).unwrap().is_none(), "more pairs in a pixel than residues");
    assert_eq!(found(&of_image(&many, &bins))[0], (35_000 * 69_999, (35_000 * 69_999) << 28));
}

#[test]
fn two_images_agree_with_all_pairs_one_by_one() {
    let mut rng = Rng(2);
    for bins in eighths() {
        let (n, m) = (70, 90);
        let (x, y, psi) = (rng.integers(n, 60), rng.integers(n, 40), rng.psi(n));
        let (other_x, other_y, other_psi) = (rng.integers(m, 90), rng.integers(m, 25), rng.psi(m));
        let (a, b) = (Image::new(&x, &y, &psi).unwrap(), Image::new(&other_x, &other_y, &other_psi).unwrap());
        let all = (0..n).flat_map(|i| (0..m).map(move |j| (i, j)));
        let expected = tally(
            &bins,
            all.map(|(i, j)| {
                let (dx, dy) = (i128::from(x[i] - other_x[j]), i128::from(y[i] - other_y[j]));
                (integer_bin(&bins, dx * dx + dy * dy), product(psi[i], other_psi[j]))
            }),
        );
        let mut cross = Accumulator::new(bins.clone()).unwrap();
        cross.add_image_cross(&a, &b).unwrap();
        assert_eq!(found(&cross), expected, "{bins:?}");
        // The pairs of a union are the pairs of each set plus the pairs between them.
        let join = |a: &[i32], b: &[i32]| [a, b].concat();
        let union = Image::new(&join(&x, &other_x), &join(&y, &other_y), &[psi, other_psi].concat()).unwrap();
        cross.merge(&of_image(&a, &bins)).unwrap();
        cross.merge(&of_image(&b, &bins)).unwrap();
        assert_eq!(cross, of_image(&union, &bins));
    }
}

#[test]
fn two_images_agree_by_every_method() {
    let mut rng = Rng(10);
    // Dense, far apart, and few with many: by transforms, pair by pair or in cells, and in rows.
    for (n, m, side, r) in
        [(900, 700, 40, 50.0), (200, 250, 900_000, 90_000.0), (400, 500, 30_000, 900.0), (3, 900, 60, 30.0)]
    {
        let bins = Bins::uniform(0.0, r, r / 40.0).unwrap();
        let [(x, y, psi), (other_x, other_y, other_psi)] =
            [n, m].map(|n| (rng.integers(n, side), rng.integers(n, side), rng.psi(n)));
        let (a, b) = (Image::new(&x, &y, &psi).unwrap(), Image::new(&other_x, &other_y, &other_psi).unwrap());
        let each = (0..n).flat_map(|i| (0..m).map(move |j| (i, j))).map(|(i, j)| {
            let (dx, dy) = (i128::from(x[i] - other_x[j]), i128::from(y[i] - other_y[j]));
            (integer_bin(&bins, dx * dx + dy * dy), product(psi[i], other_psi[j]))
        });
        let expected = tally(&bins, each);
        let mut cross = Accumulator::new(bins.clone()).unwrap();
        cross.add_image_cross(&a, &b).unwrap();
        assert_eq!(found(&cross), expected, "{n} with {m} in {side}");
        let positions = Image::of_positions(&other_x, &other_y).unwrap();
        let mut counted = Accumulator::new(bins.clone()).unwrap();
        counted.add_image_cross(&a, &positions).unwrap();
        let counts: Vec<_> = expected.iter().map(|&(count, _)| (count, 0)).collect();
        assert_eq!(found(&counted), counts, "counts, {n} with {m} in {side}");
    }
}

#[test]
fn six_points_by_hand() {
    let (x, y) = ([0, 3, 3, 0, 6, 0], [0, 4, 0, 4, 8, 1]);
    let psi = [0, 30, 10, 20, 0, 60].map(|degrees| Psi::from_angle(f64::from(degrees).to_radians(), 6).unwrap());
    let accumulator = of_image(&Image::new(&x, &y, &psi).unwrap(), &Bins::uniform(0.0, 11.0, 1.0).unwrap());
    let expected = [
        (0, 0),
        (1, 268_435_456),
        (0, 0),
        (4, 268_435_456),
        (3, -536_870_912),
        (3, -402_652_055),
        (0, 0),
        (1, -134_217_728),
        (1, 134_217_728),
        (1, 268_435_456),
        (1, 268_435_456),
    ];
    assert_eq!(found(&accumulator), expected);
    let bins: Vec<Bin> = accumulator.bins().collect();
    assert_eq!((bins[3].g(), bins[0].g()), (Some(0.25), None));
    assert!((bins[5].g().unwrap() + 0.499_998_598).abs() < 1e-9);
}

/// A triangular lattice of 8 pixels in an image of 400 x 400.
fn lattice() -> (Vec<i32>, Vec<i32>) {
    let row = |row: i32| (f64::from(row) * 8.0 * 0.75f64.sqrt()) as i32;
    (0..58).flat_map(|y| (0..50).map(move |x| (8 * x + y % 2 * 4, row(y)))).unzip()
}

#[test]
fn a_lattice_of_one_orientation() {
    let (x, y) = lattice();
    for (degrees, least, most) in [(0.0, 1.0, 1.0), (10.0, 1.000_004_1, 1.000_004_3), (7.3, 0.999_965_5, 0.999_965_7)] {
        let psi = vec![Psi::from_angle(f64::to_radians(degrees), 6).unwrap(); x.len()];
        let accumulator = of_image(&Image::new(&x, &y, &psi).unwrap(), &Bins::uniform(0.0, 559.0, 1.0).unwrap());
        let bins: Vec<Bin> = accumulator.bins().collect();
        assert_eq!(bins.iter().map(|bin| bin.count).sum::<u64>(), 4_203_550);
        assert_eq!(bins.iter().filter(|bin| bin.count > 0).count(), 517);
        assert_eq!([7, 8, 13, 14, 15, 16].map(|k: usize| bins[k].count), [495, 7990, 5979, 2350, 882, 7390]);
        for g in bins.iter().filter_map(Bin::g) {
            assert!((least..=most).contains(&g), "{degrees}: {g}");
        }
    }
}

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
fn images_depend_on_neither_order_nor_place() {
    let mut rng = Rng(3);
    let n = 400;
    let (x, y, psi) = (rng.integers(n, 150), rng.integers(n, 90), rng.psi(n));
    let bins = Bins::uniform(0.0, 100.0, 0.7).unwrap();
    let expected = of_image(&Image::new(&x, &y, &psi).unwrap(), &bins);
    let order: Vec<usize> = (0..n).map(|i| i * 7 % n).collect();
    let shuffled = |values: &[i32]| order.iter().map(|&i| values[i]).collect::<Vec<i32>>();
    let psi_shuffled: Vec<Psi> = order.iter().map(|&i| psi[i]).collect();
    let moved = |values: &[i32], by: i32, sign: i32| values.iter().map(|v| sign * v + by).collect::<Vec<i32>>();
    let images = [
        Image::new(&shuffled(&x), &shuffled(&y), &psi_shuffled),
        Image::new(&moved(&x, i32::MAX - 200, 1), &moved(&y, i32::MIN + 10, 1), &psi),
        Image::new(&moved(&x, 3, -1), &y, &psi),
        Image::new(&y, &x, &psi),
    ];
    for image in images {
        assert_eq!(of_image(&image.unwrap(), &bins), expected);
    }
}

#[test]
fn turning_all_orientations_changes_nothing_but_their_roundings() {
    let mut rng = Rng(7);
    let (x, y) = lattice();
    let angles: Vec<f64> = x.iter().map(|_| rng.real(6.3)).collect();
    let turned = |by: f64| {
        let psi: Vec<Psi> = angles.iter().map(|angle| Psi::from_angle(angle + by, 6).unwrap()).collect();
        of_image(&Image::new(&x, &y, &psi).unwrap(), &Bins::uniform(0.0, 100.0, 1.0).unwrap())
    };
    let (before, after) = (turned(0.0), turned(0.4321));
    for (before, after) in before.bins().zip(after.bins()) {
        assert_eq!(before.count, after.count);
        assert!((before.g().unwrap_or(0.0) - after.g().unwrap_or(0.0)).abs() < 1e-4, "{before:?} {after:?}");
    }
}

#[test]
fn pairs_of_two_parts_and_between_them_are_all_pairs() {
    let mut rng = Rng(8);
    let n = 500;
    let (x, y, psi) = (rng.integers(n, 120), rng.integers(n, 110), rng.psi(n));
    let bins = Bins::uniform(0.0, 170.0, 1.5).unwrap();
    let image = |range: std::ops::Range<usize>| Image::new(&x[range.clone()], &y[range.clone()], &psi[range]).unwrap();
    let (first, second) = (image(0..200), image(200..n));
    let mut parts = of_image(&first, &bins);
    parts.merge(&of_image(&second, &bins)).unwrap();
    parts.add_image_cross(&first, &second).unwrap();
    assert_eq!(parts, of_image(&image(0..n), &bins));
}

#[test]
fn a_map_is_what_differences_occur() {
    let (x, y) = ([0, 3, 3, 5, 3], [0, 4, 0, 4, 0]);
    let psi = [Psi::ONE; 5];
    let image = Image::new(&x, &y, &psi).unwrap();
    for reach in [0, 2, 5, 9] {
        for dy in 0..6 {
            let mut map = vec![(9, 9); 2 * reach + 1];
            image.map_row(dy, &mut map).unwrap();
            let mut expected = vec![(0, 0i128); 2 * reach + 1];
            for (i, j) in pairs(5) {
                let (i, j) = if (y[j], x[j]) < (y[i], x[i]) { (j, i) } else { (i, j) };
                let slot = reach as i32 + x[j] - x[i];
                if y[j] - y[i] == dy as i32 && (0..=2 * reach as i32).contains(&slot) {
                    expected[slot as usize].0 += 1;
                    expected[slot as usize].1 += 1 << 28;
                }
            }
            assert_eq!(map, expected, "reach {reach}, dy {dy}");
        }
    }
}

/// The difference between nearest images.
fn difference(a: f64, b: f64, period: Option<f64>) -> f32 {
    let d = b - a;
    let nearest = period.map_or(d, |period| d - (d / period).round() * period);
    assert_eq!(f64::from(nearest as f32), nearest, "exact");
    nearest as f32
}

/// The bin of a squared distance.
fn real_bin(bins: &Bins, width: Option<f64>, r2: f32) -> Option<usize> {
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

#[test]
fn points_agree_with_all_pairs_one_by_one() {
    let mut rng = Rng(4);
    let uniform = |lo, hi, width| (Bins::uniform(lo, hi, width).unwrap(), Some(width));
    let custom = |edges: &[f64]| (Bins::from_edges(edges).unwrap(), None);
    let kinds = [
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
    ];
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
                // The pairs between the first third and the rest are the union's pairs minus the
                // pairs of each.
                let third = n / 3;
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
                    assert_eq!(parts, accumulator);
                }
            }
        }
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

#[test]
fn a_million_points() {
    const SIDE: i32 = 1000;
    let (x, y): (Vec<i32>, Vec<i32>) = (0..SIDE * SIDE).map(|i| (i % SIDE, i / SIDE)).unzip();
    let real = |values: &[i32]| values.iter().map(|&value| value as f32).collect::<Vec<f32>>();
    let psi = vec![Psi::ONE; x.len()];
    let bins = Bins::uniform(0.0, 1.5, 0.25).unwrap();
    let sums = |count: u64| (count, i128::from(count) << 28);
    // Sides and diagonals of a square lattice, in a periodic plane and in an image, which has fewer
    // at its edges.
    let boundary = Boundary::Periodic([f64::from(SIDE); 2]);
    let (real_x, real_y) = (real(&x), real(&y));
    let points = Points::new(&real_x, &real_y, &psi, boundary, bins.r_max()).unwrap();
    let mut accumulator = Accumulator::new(bins.clone()).unwrap();
    accumulator.add_points(&points).unwrap();
    let all = sums(2_000_000);
    assert_eq!(found(&accumulator), [(0, 0), (0, 0), (0, 0), (0, 0), all, all]);
    let image = of_image(&Image::new(&x, &y, &psi).unwrap(), &bins);
    assert_eq!(found(&image)[4..], [sums(2 * 999 * 1000), sums(2 * 999 * 999)]);
    assert_eq!(Psi::of_neighbours(&real_x, &real_y, boundary, 4, 4), Ok(psi));
}

#[test]
fn random_orientations_are_uncorrelated() {
    let mut rng = Rng(5);
    let (x, y) = lattice();
    let psi = rng.psi(x.len());
    let accumulator = of_image(&Image::new(&x, &y, &psi).unwrap(), &Bins::uniform(0.0, 400.0, 1.0).unwrap());
    // The cosine of a random angle has the variance 1/2.
    let z: Vec<f64> = accumulator
        .bins()
        .filter(|bin| bin.count > 1000)
        .filter_map(|bin| Some(bin.g()? * (2.0 * bin.count as f64).sqrt()))
        .collect();
    let mean = z.iter().sum::<f64>() / z.len() as f64;
    let deviation = (z.iter().map(|z| (z - mean) * (z - mean)).sum::<f64>() / z.len() as f64).sqrt();
    assert!(z.len() > 300 && mean.abs() < 0.2 && (0.9..1.1).contains(&deviation), "{} {mean} {deviation}", z.len());
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
