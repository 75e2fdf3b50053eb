//! Each method of counting the pairs of an image.

use hotloops::correlation::{Accumulator, Bins, Image, Method, PairPlan, Psi};

use crate::correlation::{by, found, of_image, one_by_one};
use crate::harness::rng::Rng;

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
        // Edges at distances of pairs, and just above them.
        (
            400,
            20_000,
            30_000,
            Bins::from_edges(&[4096.0, 5000.0, 65_000_001f64.sqrt(), 65_000_002f64.sqrt(), 13_000.0]),
        ),
        (300, 1 << 20, 1 << 20, Bins::uniform(0.0, 1_500_000.0, 23.0)),
        (300, 1 << 20, 1 << 20, Bins::uniform(1000.0, 2_000_000.0, 100_000.0)),
        (300, 5000, 1 << 20, Bins::from_edges(&[1.0, 3e6])),
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
            let is_wide = width > 4_000;
            for method in &methods[usize::from(is_wide)..if is_wide { 3 } else { 4 }] {
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
    assert_eq!(refused, 2, "cells refuse distances from 2^21 on");
    // Pairs at 40 and 30, 50 and 0 times 1000: at an edge, and next to it.
    let (x, y) = (vec![0, 40_000, 50_000, 50_001, 49_999], vec![0, 30_000, 0, 0, 0]);
    let image = Image::of_positions(&x, &y).unwrap();
    let bins = Bins::from_edges(&[30_000.0, 50_000.0, 50_000.5, 50_001.0]).unwrap();
    let counts = found(&by(Method::Cells, &image, &bins).unwrap());
    assert_eq!(counts, one_by_one(&x, &y, &[Psi::default(); 5], &bins));
    assert_eq!((counts[1].0, counts[2].0), (2, 0));
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
    assert!(PairPlan::by(Method::Transform, &many, &bins).unwrap().is_none(), "more pairs in a pixel than residues");
    assert_eq!(found(&of_image(&many, &bins))[0], (35_000 * 69_999, (35_000 * 69_999) << 28));
}

#[test]
fn counting_by_any_method_ends_when_its_caller_wants() {
    let mut rng = Rng(10);
    let (x, y, psi) = (rng.integers(3000, 400), rng.integers(3000, 300), rng.psi(3000));
    let bins = Bins::uniform(0.0, 150.0, 1.0).unwrap();
    let image = Image::new_while(&x, &y, Some(&psi), || true).unwrap().unwrap();
    assert!(Image::new_while(&x, &y, None, || false).unwrap().is_none());
    assert!(PairPlan::new_while(&image, &bins, 1 << 30, 1, || true).unwrap().is_some());
    let expected = found(&of_image(&image, &bins));
    for method in [Method::Rows, Method::Pairs, Method::Cells, Method::Transform] {
        let plan = PairPlan::by(method, &image, &bins).unwrap().unwrap();
        let empty = Accumulator::new(bins.clone()).unwrap();
        assert!(!empty.clone().add_part_while(&plan, 0, || false).unwrap(), "{method:?}");
        // Ended later, a transform adds nothing.
        let mut asked = 0;
        let mut pairs = empty.clone();
        let go_on = || {
            asked += 1;
            asked < 5
        };
        if method == Method::Transform {
            assert!(!pairs.add_part_while(&plan, 0, go_on).unwrap());
            assert_eq!(found(&pairs), found(&empty));
        }
        let mut pairs = empty;
        assert!((0..plan.parts()).all(|part| pairs.add_part_while(&plan, part, || true).unwrap()));
        assert_eq!(found(&pairs), expected, "{method:?}");
    }
    // As many points as columns, or fewer: both ways of sorting.
    for n in [50, 1000] {
        let (x, y) = (rng.integers(n, 400), rng.integers(n, 300));
        let image = Image::of_positions(&x, &y).unwrap();
        assert_eq!(found(&of_image(&image, &bins)), one_by_one(&x, &y, &vec![Psi::default(); n], &bins));
    }
    assert_eq!(Image::integers(&[1.0, -2.0, 3e9]), Ok(None));
    assert_eq!(Image::integers(&[1.0, f64::NAN]), Ok(None));
    assert_eq!(Image::integers(&[1.0, 0.5]), Ok(None));
    assert_eq!(Image::integers(&[0.0, 1048577.0]), Ok(None));
    assert_eq!(Image::integers(&[-0.0, 1048576.0]), Ok(Some(vec![0, 1 << 20])));
}
