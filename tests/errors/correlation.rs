//! Pair correlations: bad input returns an error that names it, and nothing is counted.

use hotloops::Error;
use hotloops::correlation::{Accumulator, Bins, Boundary, Image, MAX_BINS, MAX_EXTENT, Points, Psi};

use crate::length;

#[test]
fn orientations() {
    let wrong = Err(Error::Orientation { index: 0 });
    for (re, im) in [(f64::NAN, 0.0), (0.0, f64::NAN), (1.1, 0.0), (0.8, -0.8), (f64::INFINITY, 0.0)] {
        assert_eq!(Psi::new(re, im), wrong);
    }
    assert_eq!(Psi::new(1.000_000_5, 0.0), Ok(Psi::ONE), "rounding is no error");
    for theta in [f64::NAN, f64::INFINITY, 1e9] {
        assert_eq!(Psi::from_angle(theta, 6), wrong);
    }
    assert_eq!(Psi::from_angle(1e300, 0), wrong.or(Psi::from_angle(0.0, 0)));
}

#[test]
fn neighbours() {
    let x = [0.0, 1.0, 2.0];
    let of = |x: &[f64], y: &[f64], boundary, k| Psi::of_neighbours(x, y, boundary, k, 6).map(|_| ());
    assert_eq!(of(&x, &x[1..], Boundary::Open, 1), length("y", 3, 2));
    assert_eq!(of(&x, &x, Boundary::Open, 2), Ok(()));
    assert_eq!(of(&[], &[], Boundary::Open, 6), Ok(()));
    for (n, k, others) in [(3, 0, 2), (3, 3, 2), (1, 1, 0), (0, 0, 0), (2, usize::MAX, 1)] {
        assert_eq!(of(&x[..n], &x[..n], Boundary::Open, k), Err(Error::Neighbours { k, others }));
    }
    for (bad, index) in [([0.0, f64::NAN, 2.0], 1), ([0.0, 1.0, f64::INFINITY], 2), ([-1e301, 0.0, 0.0], 0)] {
        let wrong = |argument| Err(Error::Coordinate { argument, index });
        assert_eq!(of(&bad, &x, Boundary::Open, 1), wrong("x"));
        assert_eq!(of(&x, &bad, Boundary::Open, 1), wrong("y"));
    }
    assert_eq!(of(&[0.0, 1e300], &x[..2], Boundary::Periodic([10.0, 10.0]), 1), Ok(()));
    for period in [0.0, -5.0, f64::NAN, f64::INFINITY, 1e-291, 1e291] {
        let wrong = |argument| Err(Error::Periodic { argument });
        assert_eq!(of(&x, &x, Boundary::Periodic([period, 9.0]), 1), wrong("x"), "{period}");
        assert_eq!(of(&x, &x, Boundary::Periodic([9.0, period]), 1), wrong("y"), "{period}");
    }
}

#[test]
fn bins() {
    let wrong = |index| Err(Error::Bins { index });
    let inf = f64::INFINITY;
    for (lo, hi, width) in
        [(0.0, 1.0, 0.0), (0.0, 1.0, -1.0), (0.0, 1.0, f64::NAN), (-1.0, 1.0, 1.0), (0.0, inf, 1.0), (0.0, 1.0, inf)]
    {
        assert_eq!(Bins::uniform(lo, hi, width), wrong(0), "{lo} {hi} {width}");
    }
    assert_eq!(Bins::uniform(5.0, 5.5, 1.0), wrong(1), "no bin fits");
    assert_eq!(Bins::uniform(0.0, 1.0, 1e-6), Err(Error::TooLarge { argument: "bins" }));
    assert_eq!(Bins::uniform(0.0, 1.0, 0.1).map(|bins| bins.len()), Ok(10));
    assert_eq!(Bins::from_edges(&[]), wrong(0));
    assert_eq!(Bins::from_edges(&[1.0]), wrong(1));
    assert_eq!(Bins::from_edges(&[0.0, 1.0, 1.0]), wrong(2));
    assert_eq!(Bins::from_edges(&[0.0, f64::NAN, 1.0]), wrong(1));
    assert_eq!(Bins::from_edges(&[-1.0, 1.0]), wrong(0));
    let many: Vec<f64> = (0..=MAX_BINS as u32 + 1).map(f64::from).collect();
    assert_eq!(Bins::from_edges(&many), Err(Error::TooLarge { argument: "bins" }));
    assert_eq!(Bins::from_edges(&many[1..]).map(|bins| bins.len()), Ok(MAX_BINS));

    let of = |edges: &[f64]| Accumulator::new(Bins::from_edges(edges).unwrap()).unwrap();
    assert_eq!(of(&[0.0, 1.0, 2.0]).merge(&of(&[0.0, 1.0, 3.0])), Err(Error::Bins { index: 2 }));
    assert_eq!(of(&[0.0, 1.0, 2.0]).merge(&of(&[0.0, 1.0])), Err(Error::Bins { index: 2 }));
}

#[test]
fn images() {
    let (x, psi) = ([0, 1, 2], [Psi::ONE; 3]);
    assert_eq!(Image::new(&x, &x[1..], &psi).map(|_| ()), length("y", 3, 2));
    assert_eq!(Image::new(&x, &x, &psi[1..]).map(|_| ()), length("psi", 3, 2));
    let far = [0, 0, MAX_EXTENT as i32 + 1];
    assert_eq!(Image::new(&far, &x, &psi).map(|_| ()), Err(Error::TooLarge { argument: "x" }));
    assert_eq!(Image::of_positions(&x, &far).map(|_| ()), Err(Error::TooLarge { argument: "y" }));
    let ends = [i32::MIN, i32::MAX, 0];
    assert_eq!(Image::of_positions(&ends, &x).map(|_| ()), Err(Error::TooLarge { argument: "x" }));
    let image = Image::new(&x, &x, &psi).unwrap();
    assert_eq!((image.len(), image.width(), image.height(), image.is_empty()), (3, 2, 2, false));
    let mut map = [(7, 7); 4];
    assert_eq!(image.map_row(0, &mut map), length("pairs", 5, 4));
    assert_eq!(map, [(7, 7); 4]);
    let mut wide = vec![(7, 7); 2 * MAX_EXTENT as usize + 3];
    assert_eq!(image.map_row(0, &mut wide), Err(Error::TooLarge { argument: "pairs" }));
}

#[test]
fn points() {
    let (x, psi) = ([0.0, 1.0, 2.0], [Psi::ONE; 3]);
    let new = |x: &[f64], y: &[f64], boundary, r_max| Points::new(x, y, &psi[..x.len()], boundary, r_max).map(|_| ());
    assert_eq!(new(&x, &x[1..], Boundary::Open, 1.0), length("y", 3, 2));
    assert_eq!(Points::new(&x, &x, &psi[1..], Boundary::Open, 1.0).map(|_| ()), length("psi", 3, 2));
    for (bad, index) in [([0.0, f64::NAN, 2.0], 1), ([0.0, 1.0, f64::INFINITY], 2), ([-1e301, 0.0, 0.0], 0)] {
        let wrong = |argument| Err(Error::Coordinate { argument, index });
        assert_eq!(new(&bad, &x, Boundary::Open, 1.0), wrong("x"));
        assert_eq!(new(&x, &bad, Boundary::Open, 1.0), wrong("y"));
    }
    // The limit of coordinates in an open plane, relative to the largest distance.
    assert_eq!(new(&[1e9; 3], &x, Boundary::Open, 1e-280), Ok(()));
    assert_eq!(
        new(&[0.0, 1e30, 0.0], &[0.0; 3], Boundary::Open, 1e-280),
        Err(Error::Coordinate { argument: "x", index: 1 })
    );
    assert_eq!(new(&[0.0, 1e300], &x[..2], Boundary::Periodic([10.0, 10.0]), 1.0), Ok(()));
    for r_max in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(new(&x, &x, Boundary::Open, r_max), Err(Error::Bins { index: 0 }));
    }
    for period in [0.0, 1.9, -5.0, f64::NAN, f64::INFINITY, 1e291] {
        let wrong = |argument| Err(Error::Periodic { argument });
        assert_eq!(new(&x, &x, Boundary::Periodic([period, 9.0]), 1.0), wrong("x"), "{period}");
        assert_eq!(new(&x, &x, Boundary::Periodic([9.0, period]), 1.0), wrong("y"), "{period}");
    }
    let periodic = Points::new(&x, &x, &psi, Boundary::Periodic([9.0, 9.0]), 1.0).unwrap();
    let open = Points::new(&x, &x, &psi, Boundary::Open, 5.0).unwrap();
    let empty = Accumulator::new(Bins::uniform(0.0, 5.0, 1.0).unwrap()).unwrap();
    let mut pairs = empty.clone();
    assert_eq!(pairs.add_points(&periodic), Err(Error::Periodic { argument: "x" }));
    assert_eq!(pairs.add_points_cross(&open, &periodic), Err(Error::Frame));
    assert_eq!(pairs, empty);
    assert_eq!(
        open.others(&[f64::NAN], &[0.0], &psi[..1]).map(|_| ()),
        Err(Error::Coordinate { argument: "x", index: 0 })
    );
    // Distances of 10^18 r_max and more are rejected only if both bins and points have them.
    let far = open.others(&[0.0; 2], &[1e10, 1e20], &psi[..2]).unwrap();
    let mut all = Accumulator::new(Bins::from_edges(&[0.0, 1.0, 1e30]).unwrap()).unwrap();
    assert_eq!((all.add_points_cross(&open, &far), pairs.add_points(&far)), (Err(Error::Bins { index: 2 }), Ok(())));
    assert_eq!(pairs, empty);
    assert_eq!(all.add_points(&open), Ok(()));
    assert_eq!(all.bins().map(|bin| bin.count).collect::<Vec<u64>>(), [0, 3]);
}
