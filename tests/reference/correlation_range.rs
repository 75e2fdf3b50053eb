//! Pairs of points with coordinates of any magnitude, compared with all distances in arithmetic
//! that is exact or far more precise than the stated tolerance.

use crate::harness::rng::Rng;
use hotloops::Error;
use hotloops::correlation::{Accumulator, Bins, Boundary, Image, Points, Psi};

/// The documented tolerance of a distance, relative to `r_max`.
const TOLERANCE: f64 = 1.0 / (1 << 18) as f64;

impl Rng {
    /// 10 to a random real exponent between the two.
    fn power(&mut self, from: i32, to: i32) -> f64 {
        10f64.powf(f64::from(from) + self.real(1.0) * f64::from(to - from))
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }
}

/// `b - a` in two parts: the nearest f64 and the remainder.
fn difference(a: f64, b: f64) -> (f64, f64) {
    let d = b - a;
    let z = d - b;
    (d, (b - (d - z)) - (a + z))
}

/// The distance between two coordinates (of nearest images if there is a period), with a single
/// rounding.
fn separation(a: f64, b: f64, period: Option<f64>) -> f64 {
    let Some(period) = period else { return difference(a, b).0.abs() };
    // A remainder is exact.
    let (d, rest) = difference(a % period, b % period);
    [-2.0, -1.0, 0.0, 1.0, 2.0]
        .map(|laps: f64| ((d + laps * period) + rest).abs())
        .into_iter()
        .fold(f64::INFINITY, f64::min)
}

fn distance(a: [f64; 2], b: [f64; 2], periods: [Option<f64>; 2]) -> f64 {
    separation(a[0], b[0], periods[0]).hypot(separation(a[1], b[1], periods[1]))
}

fn periods(boundary: Boundary) -> [Option<f64>; 2] {
    match boundary {
        Boundary::Open => [None; 2],
        Boundary::Periodic(periods) => periods.map(Some),
    }
}

fn counted(x: &[f64], y: &[f64], boundary: Boundary, bins: &Bins) -> Result<Vec<u64>, Error> {
    let psi = vec![Psi::ONE; x.len()];
    let points = Points::new(x, y, &psi, boundary, bins.r_max())?;
    let mut pairs = Accumulator::new(bins.clone())?;
    pairs.add_points(&points)?;
    for bin in pairs.bins() {
        assert_eq!(bin.sum, i128::from(bin.count) << 28);
    }
    // The pairs of three sets in the same frame, plus the pairs between them, are all pairs.
    let third = x.len() / 3;
    let part = |i: std::ops::Range<usize>| points.others(&x[i.clone()], &y[i.clone()], &psi[i]).unwrap();
    let [a, b, c] = [part(0..third), part(third..2 * third), part(2 * third..x.len())];
    let mut parts = Accumulator::new(bins.clone())?;
    [&a, &b, &c].into_iter().for_each(|set| parts.add_points(set).unwrap());
    [(&a, &b), (&c, &a), (&b, &c)].into_iter().for_each(|(a, b)| parts.add_points_cross(a, b).unwrap());
    assert_eq!(parts, pairs);
    Ok(pairs.bins().map(|bin| bin.count).collect())
}

/// Each bin contains all pairs that are certainly in it, plus only pairs within the tolerance of
/// its edges.
fn check(found: &[u64], bins: &Bins, distances: &[f64], slack: f64, what: &str) {
    for (k, &found) in found.iter().enumerate() {
        let (lo, hi) = (bins.edges()[k], bins.edges()[k + 1]);
        let within = |lo: f64, hi: f64| distances.iter().filter(|&&d| d >= lo && d < hi).count() as u64;
        let below = if lo == 0.0 { 0.0 } else { lo + slack };
        let (sure, possible) = (within(below, hi - slack), within(lo - slack, hi + slack));
        assert!(
            (sure..=possible).contains(&found),
            "bin {k} from {lo} to {hi}: {sure} <= {found} <= {possible}; {what}"
        );
    }
}

fn all_distances(x: &[f64], y: &[f64], boundary: Boundary) -> Vec<f64> {
    let at = |i: usize| [x[i], y[i]];
    (0..x.len()).flat_map(|i| (0..i).map(move |j| distance(at(i), at(j), periods(boundary)))).collect()
}

fn compare(x: &[f64], y: &[f64], boundary: Boundary, bins: &Bins, what: &str) {
    let found = counted(x, y, boundary, bins).unwrap_or_else(|error| panic!("{error}: {what}"));
    check(&found, bins, &all_distances(x, y, boundary), TOLERANCE * bins.r_max(), what);
}

fn square(n: usize, side: f64, rng: &mut Rng) -> [Vec<f64>; 2] {
    [(); 2].map(|()| (0..n).map(|_| rng.real(1.0) * side).collect())
}

#[test]
fn a_stray_point_moves_no_pair() {
    let mut rng = Rng(1);
    let [mut x, mut y] = square(1000, 1000.0, &mut rng);
    for r_max in [3.0, 40.0, 300.0] {
        let bins = Bins::uniform(0.0, r_max, r_max / 100.0).unwrap();
        for stray in [-1e6, -1e9, -1e15, 1e18, 1e30] {
            x.push(stray);
            y.push(-0.1 * stray);
            compare(&x, &y, Boundary::Open, &bins, &format!("stray {stray}, r_max {r_max}"));
            x.pop();
            y.pop();
        }
    }
}

#[test]
fn folding_takes_the_period_as_it_is_given() {
    let mut rng = Rng(2);
    for period in [100.1, 0.1, 1.0 / 3.0, 1e-7, 12_345.678, 100.0] {
        let [mut x, y] = square(300, period, &mut rng);
        for laps in [0.0, -1.0, 3.0, 1000.0, -1000.0, 1e6] {
            x.iter_mut().enumerate().for_each(|(i, x)| *x += laps * period * (i % 3) as f64);
            let bins = Bins::uniform(0.0, 0.3 * period, 0.003 * period).unwrap();
            compare(&x, &y, Boundary::Periodic([period; 2]), &bins, &format!("period {period}, {laps} laps"));
        }
    }
    // Copies of a point at whole periods coincide with it. L = 100.1 is not an f32.
    let (x, y) = ([50.0, 50.0 + 100.1 * 1024.0, 50.0 - 100.1 * 4096.0, 0.0], [1.0, 1.0, 1.0 + 100.1 * 4.0, 60.0]);
    let bins = Bins::from_edges(&[0.0, 1e-3, 40.0]).unwrap();
    assert_eq!(counted(&x, &y, Boundary::Periodic([100.1; 2]), &bins), Ok(vec![3, 0]));
}

#[test]
fn r_max_may_be_half_of_any_period() {
    let mut rng = Rng(3);
    for (n, periods) in [(2, 8), (40, 8), (300, 3), (1500, 1)] {
        for period in [100.1, 0.7, 33.333, 100.0, 1.0 / 3.0, 1e-20, 1e20, 7.0].into_iter().take(periods) {
            let r_max = 0.5 * period;
            let boundary = Boundary::Periodic([period, period * rng.one_of(&[1.0, 1.3, 7.0])]);
            let [mut x, mut y] = square(n, period, &mut rng);
            // Many pairs about half a period apart.
            for i in 1..n {
                if i % 3 == 0 {
                    x[i] = x[i - 1] + r_max + rng.one_of(&[0.0, 0.0, 1e-6, -1e-6, -1e-8]) * period;
                    y[i] = y[i - 1] + rng.one_of(&[0.0, 0.0, 1e-4]) * period;
                } else if i % 3 == 1 {
                    y[i] = y[i - 1] - r_max;
                    x[i] = x[i - 1];
                }
            }
            let uniform = Bins::uniform(0.0, r_max, r_max / 64.0).unwrap();
            for bins in [uniform, Bins::from_edges(&[0.0, 0.3 * r_max, r_max]).unwrap()] {
                compare(&x, &y, boundary, &bins, &format!("{n} points, period {period}"));
            }
        }
    }
    // A pair exactly half a period apart is beyond the last bin, in either order.
    let bins = Bins::from_edges(&[0.0, 50.0]).unwrap();
    assert_eq!(counted(&[1.0, 51.0], &[0.0; 2], Boundary::Periodic([100.0; 2]), &bins), Ok(vec![0]));
}

#[test]
fn points_on_the_boundary_are_there_once() {
    for period in [100.1, 8.0, 0.3] {
        let half = 0.5 * period;
        let at = [0.0, -0.0, period, -period, half, -half, 1.5 * period, -1e-30, 5e-324, -5e-324, 1024.0 * period];
        for shift in [0.0, half] {
            let x: Vec<f64> = at.iter().map(|at| at + shift).collect();
            let y: Vec<f64> = at.iter().rev().map(|at| at - shift).collect();
            let bins = Bins::from_edges(&[0.0, 0.01 * period, 0.4 * period, 0.499 * period]).unwrap();
            compare(&x, &y, Boundary::Periodic([period; 2]), &bins, &format!("period {period}"));
        }
    }
}

#[test]
fn extents_of_any_size() {
    let mut rng = Rng(4);
    for exponent in [-280, -100, -40, -30, -20, -10, 10, 20, 30, 40, 100, 280] {
        let size = 10f64.powi(exponent);
        let [x, y] = square(200, size, &mut rng);
        for r_max in [0.3 * size, 0.02 * size, 5.0 * size] {
            for boundary in [Boundary::Open, Boundary::Periodic([size, 1.5 * size])] {
                if matches!(boundary, Boundary::Periodic(_)) && r_max > 0.5 * size {
                    continue;
                }
                for bins in [Bins::uniform(0.0, r_max, r_max / 50.0), Bins::from_edges(&[0.0, 0.1 * r_max, r_max])] {
                    compare(&x, &y, boundary, &bins.unwrap(), &format!("extent {size:e}, {boundary:?}"));
                }
            }
        }
    }
}

#[test]
fn integers_as_reals_are_exact() {
    let mut rng = Rng(5);
    for round in 0..60 {
        let n = 2 + rng.below(400) as usize;
        let side = rng.one_of(&[5u64, 60, 1000, 1 << 20, 1 << 23]);
        // Multiples of a power of two, at an offset that leaves them exact.
        let step = rng.one_of(&[1.0, 0.25, 1024.0, 2f64.powi(-100), 2f64.powi(90)]);
        let offset = rng.one_of(&[0i128, -1_000_000_000, 1 << 40]);
        let integers = |rng: &mut Rng| (0..n).map(|_| i128::from(rng.below(side)) + offset).collect::<Vec<_>>();
        let (mut x, y) = (integers(&mut rng), integers(&mut rng));
        if round % 5 == 0 {
            x.fill(offset + 3);
        }
        let top = (2 + rng.below(side.min(300))) as i128;
        let period = (round % 2 == 0).then_some(2 * top + i128::from(rng.below(40)));
        let edges = [0, top / 3, top];
        let edges = &edges[usize::from(top / 3 == 0)..];
        let mut expected = vec![0; edges.len() - 1];
        let apart = |a: i128, b: i128| {
            let d = (a - b).abs();
            period.map_or(d, |period| (d % period).min(period - d % period))
        };
        for i in 0..n {
            for j in 0..i {
                let (dx, dy) = (apart(x[i], x[j]), apart(y[i], y[j]));
                let bin = edges.iter().filter(|&edge| dx * dx + dy * dy >= edge * edge).count();
                if bin > 0 && bin < edges.len() {
                    expected[bin - 1] += 1;
                }
            }
        }
        let real = |values: &[i128]| values.iter().map(|&v| v as f64 * step).collect::<Vec<f64>>();
        let bins = Bins::from_edges(&real(edges)).unwrap();
        let boundary = period.map_or(Boundary::Open, |period| Boundary::Periodic([period as f64 * step; 2]));
        assert_eq!(
            counted(&real(&x), &real(&y), boundary, &bins),
            Ok(expected),
            "round {round}: {n} points in {side}, step {step}, edges {edges:?}, {boundary:?}"
        );
    }
}

/// Squared distances up to 2^24 are exact in f32.
#[test]
fn integers_up_to_4096_are_those_of_an_image() {
    let mut rng = Rng(11);
    let (x, y): (Vec<i32>, Vec<i32>) = (0..3000).map(|_| (rng.below(5000) as i32, rng.below(4000) as i32)).unzip();
    let [u, v] = [&x, &y].map(|values| values.iter().map(|&value| f64::from(value)).collect::<Vec<f64>>());
    let lists = [3.0, 0.1, 7.5].map(|width| {
        let edges: Vec<f64> = (0..(4096.0 / width) as usize).map(|k| k as f64 * width).collect();
        Bins::from_edges(&edges).unwrap()
    });
    let uniform = [(0.0, 1.0), (1.0, 1.0), (7.0, 2.0), (0.0, 16.0), (100.0, 256.0)];
    for bins in lists.into_iter().chain(uniform.map(|(lo, width)| Bins::uniform(lo, 4096.0, width).unwrap())) {
        let (mut exact, mut found) = (Accumulator::new(bins.clone()).unwrap(), Accumulator::new(bins.clone()).unwrap());
        exact.add_image(&Image::of_positions(&x, &y).unwrap()).unwrap();
        found.add_points(&Points::of_positions(&u, &v, Boundary::Open, bins.r_max()).unwrap()).unwrap();
        assert!(found == exact, "{:?}", &bins.edges()[..2]);
    }
}

/// Cells of a periodic plane follow a sample of the points, which must not depend on their order.
#[test]
fn the_order_of_the_input_changes_no_count() {
    let mut rng = Rng(12);
    let centres: Vec<[f64; 2]> = (0..20).map(|_| [rng.real(100.0), rng.real(100.0)]).collect();
    let mut at: Vec<[f64; 2]> = (0..6000)
        .map(|_| {
            let (centre, width) = (rng.one_of(&centres), rng.real(12.0));
            centre.map(|x| x + (rng.real(1.0) + rng.real(1.0) - 1.0) * width)
        })
        .collect();
    for boundary in [Boundary::Open, Boundary::Periodic([100.0; 2])] {
        let bins = Bins::uniform(0.0, 5.0, 1e-4).unwrap();
        let mut outputs = Vec::new();
        for _ in 0..6 {
            for i in (1..at.len()).rev() {
                at.swap(i, rng.below(i as u64 + 1) as usize);
            }
            let [x, y] = [0, 1].map(|axis| at.iter().map(|at| at[axis]).collect::<Vec<f64>>());
            let mut pairs = Accumulator::new(bins.clone()).unwrap();
            pairs.add_points(&Points::of_positions(&x, &y, boundary, bins.r_max()).unwrap()).unwrap();
            outputs.push(pairs);
        }
        assert!(outputs.windows(2).all(|two| two[0] == two[1]), "{boundary:?}");
    }
}

/// Points of all kinds: uniform, on lines, coincident, in clusters, with outliers, on a grid.
fn cloud(n: usize, size: f64, rng: &mut Rng) -> [Vec<f64>; 2] {
    let [mut x, mut y] = square(n, size, rng);
    match rng.below(8) {
        0 => x.fill(0.3 * size),
        1 => y.fill(0.0),
        2 => x.clone_from(&y),
        3 => [&mut x, &mut y].into_iter().for_each(|values| values.fill(size)),
        4 => (0..n).filter(|i| i % 5 != 0).for_each(|i| (x[i], y[i]) = (x[i] * 1e-3, y[i] * 1e-3)),
        5 => (0..n).step_by(17).for_each(|i| x[i] *= -1e6),
        6 => [&mut x, &mut y]
            .into_iter()
            .flatten()
            .for_each(|value| *value = (*value * 20.0 / size).floor() * size / 20.0),
        _ => {}
    }
    [x, y]
}

#[test]
fn any_points_are_counted_right_or_refused_by_name() {
    let mut rng = Rng(6);
    for round in 0..rounds(800) {
        let n = rng.one_of(&[0, 1, 2, 3, 17, 60, 200]);
        let size = if rng.below(2) == 0 { rng.power(-30, 30) } else { rng.power(-2, 3) };
        let [mut x, mut y] = cloud(n, size, &mut rng);
        let offset = rng.one_of(&[0.0, 0.0, 1e3, -1e6, 1e9]) * if rng.below(4) == 0 { 1.0 } else { size };
        [&mut x, &mut y].into_iter().flatten().for_each(|value| *value += offset);
        let periodic = rng.below(2) == 0;
        let boundary = match periodic {
            true => Boundary::Periodic([size * (0.1 + 2.0 * rng.real(1.0)), size * (0.1 + 3.0 * rng.real(1.0))]),
            false => Boundary::Open,
        };
        let half = match boundary {
            Boundary::Periodic(periods) => 0.5 * periods[0].min(periods[1]),
            Boundary::Open => size * rng.one_of(&[1.0, 100.0]),
        };
        let r_max = half * rng.one_of(&[1.0, 1.0, 0.7, 0.1, 1e-2, 1e-4]);
        let edges = match rng.below(5) {
            0 => Bins::uniform(0.0, r_max, r_max / 7.0),
            1 => Bins::uniform(0.0, r_max, r_max / 1000.0),
            2 => Bins::uniform(0.5 * r_max, r_max, r_max / 128.0),
            3 => Bins::from_edges(&[0.1 * r_max, 0.11 * r_max, 0.7 * r_max, r_max]),
            _ => Bins::from_edges(&[0.0, r_max]),
        };
        let bins = edges.unwrap();
        let what =
            format!("round {round}: {n} points, size {size:e}, offset {offset:e}, r_max {r_max:e}, {boundary:?}");
        compare(&x, &y, boundary, &bins, &what);
        if n > 0 {
            let (index, bad) =
                (rng.below(n as u64) as usize, rng.one_of(&[f64::NAN, f64::INFINITY, f64::NEG_INFINITY]));
            let (argument, values) = if rng.below(2) == 0 { ("x", &mut x) } else { ("y", &mut y) };
            values[index] = bad;
            let refused = Err(Error::Coordinate { argument, index });
            assert_eq!(counted(&x, &y, boundary, &bins), refused, "{what}");
        }
    }
}

#[test]
fn other_sets_may_lie_anywhere() {
    let mut rng = Rng(7);
    for round in 0..rounds(150) {
        let size = rng.power(-3, 3);
        let [x, y] = cloud(60, size, &mut rng);
        let [mut u, v] = cloud(50, size * rng.one_of(&[0.2, 1.0, 30.0]), &mut rng);
        let away = rng.one_of(&[0.0, 0.5, -2.0, 1e4, 1e7]) * size;
        u.iter_mut().for_each(|u| *u += away);
        // The range of the bins may be shorter or longer than the distance of the frame.
        let made_for = size * rng.one_of(&[0.01, 0.3, 20.0]);
        let r_max = made_for * rng.one_of(&[0.1, 1.0, 8.0]);
        let bins = Bins::uniform(0.0, r_max, r_max / 16.0).unwrap();
        let points = Points::new(&x, &y, &[Psi::ONE; 60], Boundary::Open, made_for).unwrap();
        let others = points.others(&u, &v, &[Psi::ONE; 50]).unwrap();
        let mut pairs = Accumulator::new(bins.clone()).unwrap();
        pairs.add_points_cross(&points, &others).unwrap();
        let found: Vec<u64> = pairs.bins().map(|bin| bin.count).collect();
        let all = (0..60).flat_map(|i| (0..50).map(move |j| (i, j)));
        let distances: Vec<f64> = all.map(|(i, j)| distance([x[i], y[i]], [u[j], v[j]], [None; 2])).collect();
        let what = format!("round {round}: size {size}, away {away}, made for {made_for}, r_max {r_max}");
        let slack = TOLERANCE * r_max.max(made_for);
        check(&found, &bins, &distances, slack, &what);
        let mut own = Accumulator::new(bins.clone()).unwrap();
        own.add_points(&others).unwrap();
        let found: Vec<u64> = own.bins().map(|bin| bin.count).collect();
        check(&found, &bins, &all_distances(&u, &v, Boundary::Open), slack, &what);
    }
}

/// Rounds of a test, fewer under emulation.
fn rounds(all: usize) -> usize {
    if cfg!(target_arch = "x86_64") { all } else { all / 5 }
}
