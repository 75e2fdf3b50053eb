//! Worked examples: points by hand, lattices, random orientations.

use hotloops::correlation::{Accumulator, Bin, Bins, Boundary, Image, Points, Psi};

use crate::correlation::{found, of_image};
use crate::harness::rng::Rng;

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
