//! Bond-orientational order against brute force over all distances and angles, and in lattices.

use crate::harness::rng::Rng;
use hotloops::Error;
use hotloops::correlation::{Bonds, Boundary, Neighbours, Psi};

/// The rule that chooses neighbours among the other points, which are sorted by squared distance.
#[derive(Clone, Copy, Debug)]
enum Chosen {
    Nearest(usize),
    Within(f64),
}

/// A bond and its displacement.
type Bond = ([usize; 2], [f64; 2]);

/// Brute force from angles, with the bonds in the order in which they are added. The sum of rounded
/// parts may differ by one unit in the last place.
fn reference(x: &[f64], y: &[f64], boundary: Boundary, chosen: Chosen, fold: u32) -> Vec<([f64; 2], Vec<Bond>)> {
    let periods = match boundary {
        Boundary::Open => [f64::INFINITY; 2],
        Boundary::Periodic(periods) => periods,
    };
    let difference = |a: f64, b: f64, period: f64| {
        if period.is_infinite() {
            return b - a;
        }
        // Remainders are exact. Of two images half a period away, the one inside the period that
        // starts at 0 counts.
        let (from, to) = (a % period, b % period);
        let within = |x: f64| if x < 0.0 { x + period } else { x };
        let d = to - from;
        let nearest = [d - period, d, d + period].into_iter().min_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap();
        if nearest.abs() == 0.5 * period { nearest.abs().copysign(within(to) - within(from)) } else { nearest }
    };
    // The order of points at equal distance.
    let folded = |a: f64, period: f64| {
        let rest = a % period;
        if period.is_infinite() {
            a
        } else if rest >= 0.5 * period {
            rest - period
        } else if rest < -0.5 * period {
            rest + period
        } else {
            rest
        }
    };
    let of_point = |i: usize| {
        let mut others: Vec<(f64, [f64; 2], usize, [f64; 2])> = (0..x.len())
            .filter(|&j| j != i)
            .map(|j| {
                let (dx, dy) = (difference(x[i], x[j], periods[0]), difference(y[i], y[j], periods[1]));
                (dx * dx + dy * dy, [folded(y[j], periods[1]), folded(x[j], periods[0])], j, [dx, dy])
            })
            .collect();
        others.sort_by(|a, b| a.partial_cmp(b).unwrap());
        others.truncate(match chosen {
            Chosen::Nearest(k) => k,
            Chosen::Within(radius) => others.partition_point(|other| other.0 <= radius * radius),
        });
        let mut sum = [0.0; 2];
        for &(_, _, _, [dx, dy]) in others.iter().filter(|other| other.0 > 0.0) {
            let (sine, cosine) = (f64::from(fold) * dy.atan2(dx)).sin_cos();
            sum = [sum[0] + cosine, sum[1] + sine];
        }
        let mean = sum.map(|part| part / others.len().max(1) as f64 * 16384.0);
        (mean, others.iter().map(|other| ([i, other.2], other.3)).collect())
    };
    (0..x.len()).map(of_point).collect()
}

fn compare(x: &[f64], y: &[f64], boundary: Boundary, chosen: Chosen, fold: u32) {
    let found = match chosen {
        Chosen::Nearest(k) => Psi::of_neighbours(x, y, boundary, k, fold),
        Chosen::Within(radius) => Psi::of_neighbours_within(x, y, boundary, radius, fold),
    };
    let found = found.unwrap();
    let (expected, bonds): (Vec<_>, Vec<_>) = reference(x, y, boundary, chosen, fold).into_iter().unzip();
    assert_eq!(found.len(), expected.len());
    let (bonds, apart): (Vec<_>, Vec<_>) = bonds.concat().into_iter().unzip();
    let of_bonds = Psi::of_bonds(x, y, boundary, &bonds, fold).unwrap();
    assert_eq!(found, of_bonds, "the same bonds in the same order");
    let to_images = Psi::of_bonds_to_images(x, y, boundary, &bonds, &apart, None, fold).unwrap();
    assert_eq!(found, to_images, "the nearest images");
    for (i, (psi, expected)) in found.iter().zip(expected).enumerate() {
        for (part, expected) in psi.parts().into_iter().zip(expected) {
            let off = (f64::from(part) - expected).abs();
            assert!(off < 0.500_001, "point {i} of {}, {boundary:?}, {chosen:?}, fold {fold}: {off}", x.len());
        }
    }
}

#[test]
fn points_agree_with_all_distances_one_by_one() {
    let mut rng = Rng(1);
    for (n, width, height) in [
        (0, 1.0, 1.0),
        (2, 1.0, 1.0),
        (9, 5.0, 4.0),
        (60, 1e6, 1.0),
        (60, 0.0, 7.0),
        (300, 12.0, 10.0),
        (700, 1e-9, 3e-9),
    ] {
        // A third of them in a corner, where most cells are empty.
        let mut coordinates = |bound: f64| -> Vec<f64> {
            (0..n).map(|i| rng.real(bound) * if i % 3 == 0 { 0.02 } else { 1.0 }).collect()
        };
        let (x, y) = (coordinates(width), coordinates(height));
        let far: Vec<f64> = x.iter().map(|x| x - 5.0 * width).collect();
        for k in [1, 4, 6, 30, 299].into_iter().filter(|&k| k < n || n == 0) {
            let periodic = Boundary::Periodic([width.max(1.0), height.max(1e-3)]);
            compare(&x, &y, Boundary::Open, Chosen::Nearest(k), 6);
            compare(&x, &y, periodic, Chosen::Nearest(k), 6);
            compare(&far, &y, periodic, Chosen::Nearest(k), 5);
            for part in [1e-3, 0.1, 0.49, 3.0] {
                let radius = part * width.max(height);
                compare(&x, &y, Boundary::Open, Chosen::Within(radius), 6);
                let periods = [2.0 * radius, 2.5 * radius].map(|period| period.max(width.max(height)));
                compare(&x, &y, Boundary::Periodic(periods), Chosen::Within(radius), 5);
            }
            if n < 100 {
                [0, 1, 2, 3, 4, 7, 12].into_iter().for_each(|fold| compare(&x, &y, periodic, Chosen::Nearest(k), fold));
            }
        }
    }
}

#[test]
fn parts_make_the_whole() {
    let mut rng = Rng(7);
    for n in [0usize, 17, 4096, 9000] {
        let [x, y] = [90.0, 100.0].map(|bound| (0..n).map(|_| rng.real(bound)).collect::<Vec<f64>>());
        for boundary in [Boundary::Open, Boundary::Periodic([90.0, 100.0])] {
            for (neighbours, expected) in [
                (Neighbours::nearest(&x, &y, boundary, 6), Psi::of_neighbours(&x, &y, boundary, 6, 6)),
                (Neighbours::nearest(&x, &y, boundary, 16), Psi::of_neighbours(&x, &y, boundary, 16, 6)),
                (Neighbours::within(&x, &y, boundary, 2.5), Psi::of_neighbours_within(&x, &y, boundary, 2.5, 6)),
            ] {
                let neighbours = neighbours.unwrap();
                let parts = neighbours.parts();
                assert_eq!(parts, n.div_ceil(4096));
                let mut psi = vec![None; n];
                // The last ones first.
                for (point, order) in (0..parts).rev().flat_map(|part| neighbours.orientations(part, 6).unwrap()) {
                    assert_eq!(psi[point].replace(order), None, "each point is in one part");
                    assert_eq!(Psi::from_parts(order.parts()), Ok(order));
                }
                assert_eq!(psi, expected.unwrap().into_iter().map(Some).collect::<Vec<_>>());
                let none = Error::Index { argument: "part", index: parts, count: parts };
                assert_eq!(neighbours.orientations(parts, 6), Err(none));
            }
        }
    }
    assert_eq!(Psi::from_parts([16385, 0]), Err(Error::Orientation { index: 0 }));
    assert_eq!(Psi::from_parts([0, i16::MIN]), Err(Error::Orientation { index: 0 }));
    assert!(Psi::from_parts([-16384, 16384]).is_ok());
}

#[test]
fn points_may_lie_anywhere() {
    let mut rng = Rng(5);
    let n = 400;
    let mut cloud = || -> (Vec<f64>, Vec<f64>) { (0..n).map(|_| (rng.real(20.0), rng.real(20.0))).unzip() };
    let (x, y) = cloud();
    // A stray point, or several, at any place of the list.
    for (far, strays) in [(2000.0, 1), (-1e9, 1), (1e12, 3), (-3e7, 40)] {
        let (mut x, mut y) = (x.clone(), y.clone());
        for stray in 0..strays {
            x.insert(9 * stray, far + stray as f64);
            y.insert(9 * stray, if stray % 2 == 0 { far } else { 7.0 });
        }
        for k in [1, 6, 20] {
            compare(&x, &y, Boundary::Open, Chosen::Nearest(k), 6);
        }
        compare(&x, &y, Boundary::Periodic([1e13, 4e12]), Chosen::Nearest(6), 6);
        for radius in [0.5, 3.0, 1e4] {
            compare(&x, &y, Boundary::Open, Chosen::Within(radius), 6);
            compare(&x, &y, Boundary::Periodic([1e13, 4e12]), Chosen::Within(radius), 6);
        }
    }
    // Clusters in an empty plane, in both kinds of plane; a cloud at an edge of a large period.
    let centres: Vec<(f64, f64)> = (0..7).map(|i| (f64::from(i * i) * 1e4, f64::from(i % 3) * 3e5)).collect();
    let clusters: (Vec<f64>, Vec<f64>) = (0..n).map(|i| (centres[i % 7].0 + x[i], centres[i % 7].1 + y[i])).unzip();
    let edge: Vec<f64> = x.iter().map(|x| x - 10.0).collect();
    for k in [3, 6, 70] {
        compare(&clusters.0, &clusters.1, Boundary::Open, Chosen::Nearest(k), 6);
        compare(&clusters.0, &clusters.1, Boundary::Periodic([1e6, 9e5]), Chosen::Nearest(k), 6);
        compare(&edge, &y, Boundary::Periodic([1e6, 20.0]), Chosen::Nearest(k), 6);
    }
    // Lines, copies of a few points, and sizes near the ends of the range.
    let zeros = vec![0.0; n];
    let copies: Vec<f64> = x.iter().map(|x| (x / 7.0).floor()).collect();
    for (x, y) in [(&x, &zeros), (&zeros, &x), (&x, &x), (&copies, &zeros), (&copies, &copies)] {
        compare(x, y, Boundary::Open, Chosen::Nearest(6), 6);
        compare(x, y, Boundary::Periodic([25.0, 25.0]), Chosen::Nearest(6), 6);
    }
    for unit in [1e-30, 1e30] {
        let scaled = |values: &[f64]| values.iter().map(|value| value * unit).collect::<Vec<f64>>();
        compare(&scaled(&x), &scaled(&y), Boundary::Open, Chosen::Nearest(6), 6);
    }
}

#[test]
fn distances_may_differ_by_any_amount() {
    let mut rng = Rng(6);
    let n = 600;
    // Lattices whose distances are equal, or nearly so. Coordinates and periods are multiples of one
    // power of two, so that differences are exact. The spacing may be the ulp of the coordinates.
    for (noise, spacing, origin) in [
        (0.0, 1.0, 0.0),
        (2f64.powi(-42), 1.0, 0.0),
        (2f64.powi(-22), 1.0, 3e5),
        (2f64.powi(-14), 1.0, 0.0),
        (2f64.powi(-10), 1.0, -7.0),
        (0.0, f64::EPSILON, 1.0),
        (0.0, 1.0 / 64.0, 1e14),
    ] {
        let mut at = |i: usize| origin + (i as f64 + noise * rng.real(16.0).floor()) * spacing;
        let (x, y): (Vec<f64>, Vec<f64>) = (0..n).map(|i| (at(7 * i % 25), at(7 * i / 25 % 24))).unzip();
        for k in [1, 2, 5, 6, 7, 12, 20, 21] {
            compare(&x, &y, Boundary::Open, Chosen::Nearest(k), 6);
            if spacing == 1.0 {
                compare(&x, &y, Boundary::Periodic([25.0, 24.0]), Chosen::Nearest(k), 5);
            }
        }
    }
    // The density grows slowly, or in steps, or without bounds.
    let mut cloud = |density: fn(f64) -> f64| -> (Vec<f64>, Vec<f64>) {
        (0..n).map(|_| (density(rng.real(1.0)), rng.real(1.0))).unzip()
    };
    for (x, y) in [cloud(|x| x * x), cloud(|x| if x < 0.9 { 0.01 * x } else { x }), cloud(|x| (-40.0 * x).exp())] {
        for k in [1, 6, 13, 20] {
            compare(&x, &y, Boundary::Open, Chosen::Nearest(k), 6);
            compare(&x, &y, Boundary::Periodic([1.0, 1.0]), Chosen::Nearest(k), 6);
            compare(&y, &x, Boundary::Periodic([1.0, 2.0]), Chosen::Nearest(k), 3);
        }
    }
}

#[test]
fn ties_go_to_the_smaller_y_then_x_and_coincident_points_add_nothing() {
    let mut rng = Rng(2);
    for n in [10, 100, 250] {
        let (x, y): (Vec<f64>, Vec<f64>) = (0..n).map(|_| (rng.real(9.0).floor(), rng.real(8.0).floor())).unzip();
        for k in 1..9 {
            for boundary in [Boundary::Open, Boundary::Periodic([9.0, 8.0]), Boundary::Periodic([16.0, 4.0])] {
                compare(&x, &y, boundary, Chosen::Nearest(k), 6);
            }
        }
    }
    assert_eq!(Psi::of_neighbours(&[3.0; 5], &[1.0; 5], Boundary::Open, 4, 6), Ok(vec![Psi::default(); 5]));
    let one = Psi::of_neighbours(&[0.0, 0.0, 2.0], &[0.0; 3], Boundary::Open, 2, 6).unwrap();
    assert_eq!(one.iter().map(|psi| psi.parts()).collect::<Vec<_>>(), [[8192, 0], [8192, 0], [16384, 0]]);
}

/// Pixels have many neighbours at equal distances.
#[test]
fn the_order_of_the_input_changes_no_point() {
    let mut rng = Rng(5);
    let at: Vec<[f64; 2]> = (0..2000).map(|_| [rng.real(200.0).floor(), rng.real(200.0).floor()]).collect();
    for boundary in [Boundary::Open, Boundary::Periodic([200.0; 2])] {
        for (k, radius) in [(6, 4.0), (1, 9.0), (25, 13.0)] {
            let of = |order: &[usize]| {
                let [x, y] = [0, 1].map(|axis| order.iter().map(|&i| at[i][axis]).collect::<Vec<f64>>());
                let nearest = Psi::of_neighbours(&x, &y, boundary, k, 6).unwrap();
                let within = Psi::of_neighbours_within(&x, &y, boundary, radius, 6).unwrap();
                let mut all = vec![(Psi::default(), Psi::default()); order.len()];
                order.iter().zip(nearest.into_iter().zip(within)).for_each(|(&i, psi)| all[i] = psi);
                all
            };
            let mut order: Vec<usize> = (0..at.len()).collect();
            let expected = of(&order);
            for _ in 0..6 {
                for i in (1..order.len()).rev() {
                    order.swap(i, rng.real((i + 1) as f64) as usize);
                }
                assert!(of(&order) == expected, "{boundary:?}, k = {k}");
            }
        }
    }
}

#[test]
fn lattices_have_order_one() {
    let height = 0.75f64.sqrt();
    let (x, y): (Vec<f64>, Vec<f64>) = (0..30)
        .flat_map(|row| (0..25).map(move |i| (f64::from(i) + f64::from(row % 2) / 2.0, f64::from(row) * height)))
        .unzip();
    let periodic = Boundary::Periodic([25.0, 30.0 * height]);
    assert_eq!(Psi::of_neighbours(&x, &y, periodic, 6, 6), Ok(vec![Psi::ONE; 750]));
    assert_eq!(Psi::of_neighbours(&x, &y, periodic, 6, 12), Ok(vec![Psi::ONE; 750]));
    assert_eq!(Psi::of_neighbours(&x, &y, periodic, 6, 4), Ok(vec![Psi::default(); 750]));
    let floats = |values: &[f64]| values.iter().map(|&value| value as f32).collect::<Vec<f32>>();
    assert_eq!(Psi::of_neighbours(&floats(&x), &floats(&y), periodic, 6, 6), Ok(vec![Psi::ONE; 750]));
    // Rotated by an angle, all are exp(6 i angle).
    let (sine, cosine) = 0.3f64.sin_cos();
    let (u, v): (Vec<f64>, Vec<f64>) =
        x.iter().zip(&y).map(|(x, y)| (cosine * x - sine * y, sine * x + cosine * y)).unzip();
    let turned = Psi::of_neighbours(&u, &v, Boundary::Open, 6, 6).unwrap();
    let inner = (0..750).filter(|i| (1..24).contains(&(i % 25)) && (1..29).contains(&(i / 25)));
    let expected = Psi::from_angle(0.3, 6).unwrap();
    assert!(inner.clone().count() == 23 * 28 && inner.into_iter().all(|i| turned[i] == expected));

    let (x, y): (Vec<f64>, Vec<f64>) = (0..20 * 30).map(|i| (f64::from(i % 20), f64::from(i / 20))).unzip();
    let periodic = Boundary::Periodic([20.0, 30.0]);
    assert_eq!(Psi::of_neighbours(&x, &y, periodic, 4, 4), Ok(vec![Psi::ONE; 600]));
    assert_eq!(Psi::of_neighbours(&x, &y, periodic, 4, 6), Ok(vec![Psi::default(); 600]));
}

#[test]
fn neighbours_do_not_depend_on_the_unit_or_on_whole_periods() {
    let mut rng = Rng(4);
    let (x, y): (Vec<f64>, Vec<f64>) = (0..300).map(|_| (rng.real(100.1), rng.real(70.3))).unzip();
    let of = |unit: f64, laps: f64| {
        let moved = |values: &[f64], period: f64| -> Vec<f64> {
            values.iter().enumerate().map(|(i, value)| (value + laps * (i % 3) as f64 * period) * unit).collect()
        };
        let boundary = Boundary::Periodic([100.1 * unit, 70.3 * unit]);
        let open = Psi::of_neighbours(&moved(&x, 0.0), &moved(&y, 0.0), Boundary::Open, 6, 6).unwrap();
        (open, Psi::of_neighbours(&moved(&x, 100.1), &moved(&y, 70.3), boundary, 6, 6).unwrap())
    };
    let (open, periodic) = of(1.0, 0.0);
    for exponent in [-900, -600, -100, 100, 600, 900] {
        assert_eq!(of(2f64.powi(exponent), 0.0), (open.clone(), periodic.clone()), "2^{exponent}");
    }
    for laps in [1.0, -1.0, 1000.0, -1e6] {
        let parts = |psi: &[Psi]| psi.iter().flat_map(|psi| psi.parts()).collect::<Vec<i16>>();
        let off = parts(&of(1.0, laps).1).into_iter().zip(parts(&periodic)).map(|(a, b)| a.abs_diff(b)).max();
        assert!(off <= Some(1), "{laps} laps: {off:?}");
    }
}

#[test]
fn every_cpu_gives_the_same_bits() {
    let mut rng = Rng(3);
    let (x, y): (Vec<f64>, Vec<f64>) = (0..1000).map(|_| (rng.real(30.0), rng.real(40.0))).unzip();
    let psi = Psi::of_neighbours(&x, &y, Boundary::Periodic([30.0, 40.0]), 5, 7).unwrap();
    let words = psi.iter().flat_map(|psi| psi.parts());
    let hash = words.fold(0u64, |hash, part| (hash ^ u64::from(part as u16)).wrapping_mul(0x100_0000_01b3));
    assert_eq!(hash, 0xeb62_8bae_1037_d637);
}

#[test]
fn a_radius_includes_its_end() {
    let (x, y): (Vec<f64>, Vec<f64>) = (0..100).map(|i| (f64::from(i % 10), f64::from(i / 10))).unzip();
    let square = Psi::of_neighbours(&x, &y, Boundary::Periodic([10.0; 2]), 4, 4).unwrap();
    assert_eq!(Psi::of_neighbours_within(&x, &y, Boundary::Periodic([10.0; 2]), 1.0, 4).unwrap(), square);
    compare(&x, &y, Boundary::Open, Chosen::Within(1.0), 4);
    let below = Psi::of_neighbours_within(&x, &y, Boundary::Open, 1f64.next_down(), 4).unwrap();
    assert!(below.iter().all(|psi| *psi == Psi::default()), "points without neighbours");
}

/// Bonds to images that are not the nearest, and to those of the point itself, against an open plane in which each
/// image is a point. Displacements may be off by less than half a period.
#[test]
fn bonds_lead_to_given_images() {
    let mut rng = Rng(7);
    let (n, periods) = (5, [4.0, 2.5]);
    // Multiples of 2^-20, so that images are exact.
    let mut at = |bound: f64| (rng.real(bound) * 1048576.0).floor() / 1048576.0;
    let (x, y): (Vec<f64>, Vec<f64>) = (0..n).map(|_| (at(periods[0]), at(periods[1]))).unzip();
    let (mut images_x, mut images_y) = (x.clone(), y.clone());
    let (mut bonds, mut displacements, mut to_points, mut weights) = (vec![], vec![], vec![], vec![]);
    for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
        for (right, up) in [(0.0, 0.0), (1.0, 0.0), (-1.0, 1.0), (3.0, -2.0), (0.0, -1.0)] {
            if (i, right, up) == (j, 0.0, 0.0) {
                continue;
            }
            to_points.push([i, images_x.len()]);
            images_x.push(x[j] + right * periods[0]);
            images_y.push(y[j] + up * periods[1]);
            let [dx, dy] = [images_x[images_x.len() - 1] - x[i], images_y[images_y.len() - 1] - y[i]];
            displacements.push([dx + at(1.9), dy - at(1.2)]);
            bonds.push([i, j]);
            weights.push(at(1.0));
        }
    }
    let (box_of, far) = (Boundary::Periodic(periods), x.iter().map(|x| x - 8.0 * periods[0]).collect::<Vec<_>>());
    for fold in [1, 4, 6] {
        for x in [&x, &far] {
            let plain = Psi::of_bonds(&images_x, &images_y, Boundary::Open, &to_points, fold).unwrap();
            let found = Psi::of_bonds_to_images(x, &y, box_of, &bonds, &displacements, None, fold).unwrap();
            assert_eq!(found, plain[..n], "fold {fold}");
            let of = Psi::of_weighted_bonds(&images_x, &images_y, Boundary::Open, &to_points, &weights, fold).unwrap();
            let found = Psi::of_bonds_to_images(x, &y, box_of, &bonds, &displacements, Some(&weights), fold).unwrap();
            assert_eq!(found, of[..n], "fold {fold}, weighted");
        }
    }
    let refused = |bonds: &[[usize; 2]], displacements: &[[f64; 2]], weights: Option<&[f64]>| {
        Psi::of_bonds_to_images(&x, &y, box_of, bonds, displacements, weights, 6).unwrap_err()
    };
    let error = refused(&[[0, 1]; 2], &[[0.0, 1.0], [0.0, f64::NAN]], None);
    assert_eq!(error, Error::Coordinate { argument: "displacements", index: 1 });
    assert!(matches!(refused(&[[0, 1]], &[], None), Error::Length { argument: "displacements", .. }));
    assert!(matches!(refused(&[[0, 1]], &[[1.0; 2]], Some(&[])), Error::Length { argument: "weights", .. }));
    let error = refused(&[[0, 1]], &[[1.0; 2]], Some(&[-1.0]));
    assert_eq!(error, Error::Coordinate { argument: "weights", index: 0 });
}

#[test]
fn no_points_need_no_memory_for_neighbours() {
    for k in [1, 1 << 40, usize::MAX] {
        assert_eq!(Psi::of_neighbours::<f64>(&[], &[], Boundary::Open, k, 6).unwrap(), []);
    }
}

#[test]
fn bonds_can_be_interrupted_at_any_piece() {
    let (x, y): (Vec<f64>, Vec<f64>) = (0..50_000).map(|i| (f64::from(i % 83), f64::from(i % 71))).unzip();
    let bonds: Vec<_> = (0..50_000).map(|i| [i, (i * 7 + 1) % 50_000]).collect();
    let (apart, weights, box_of) = (vec![[9.5, -7.0]; 50_000], vec![0.5; 50_000], Boundary::Periodic([83.0, 71.0]));
    let (to_images, weighted) = (Some(&apart[..]), Some(&weights[..]));
    for (apart, weights, whole) in [
        (None, None, Psi::of_bonds(&x, &y, box_of, &bonds, 6)),
        (None, weighted, Psi::of_weighted_bonds(&x, &y, box_of, &bonds, &weights, 6)),
        (to_images, None, Psi::of_bonds_to_images(&x, &y, box_of, &bonds, &apart, None, 6)),
        (to_images, weighted, Psi::of_bonds_to_images(&x, &y, box_of, &bonds, &apart, weighted, 6)),
    ] {
        let run = |limit: usize| {
            let mut pieces = 0;
            let go_on = || (pieces += 1, pieces <= limit).1;
            let bonds = Bonds { pairs: &bonds, displacements: apart, weights };
            (Psi::of_bonds_while((&x, &y), box_of, bonds, 6, go_on).unwrap(), pieces)
        };
        let (found, count) = run(usize::MAX);
        assert_eq!(found, Some(whole.unwrap()));
        assert!(count > 10, "{count} pieces");
        (0..count).for_each(|limit| assert_eq!(run(limit), (None, limit + 1)));
    }
}

#[test]
fn bad_bonds_and_radii_are_refused() {
    let (x, y) = ([0.0, 1.0], [0.0, 0.0]);
    for radius in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = Psi::of_neighbours_within(&x, &y, Boundary::Open, radius, 6).unwrap_err();
        assert_eq!(error, Error::Coordinate { argument: "radius", index: 0 });
    }
    let error = Psi::of_neighbours_within(&x, &y, Boundary::Periodic([4.0, 3.0]), 1.75, 6).unwrap_err();
    assert_eq!(error, Error::Periodic { argument: "y" });
    let error = Psi::of_bonds(&x, &y, Boundary::Open, &[[0, 1], [2, 0]], 6).unwrap_err();
    assert_eq!(error, Error::Index { argument: "bonds", index: 2, count: 2 });
    assert!(Psi::of_bonds(&x, &y, Boundary::Periodic([0.0, 1.0]), &[], 6).is_err());
    assert!(Psi::of_bonds(&x, &y[..1], Boundary::Open, &[], 6).is_err());
}
