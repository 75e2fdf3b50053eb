//! Pair correlations against freud and TreeCorr on the same points.
//! `tests/data/make_correlation.py` made the cases.

use hotloops::correlation::{Accumulator, Bins, Boundary, Image, Points, Psi};

const PERIODS: [i32; 2] = [100, 81];
const WIDTH: f64 = 37.0 / 32.0;
const BINS: usize = 31;

/// The number of points in the first set of a cross-correlation.
const FIRST: usize = 100;

/// Error bound of a product of orientations rounded to multiples of 2^-14: each orientation has an
/// error of at most sqrt(2) 2^-15, and its partner a magnitude of at most 1 plus that error.
const OF_ORIENTATIONS: f64 = std::f64::consts::SQRT_2 / 32768.0 * (2.0 + std::f64::consts::SQRT_2 / 32768.0);

const OF_PRODUCTS: f64 = 1.0 / 2_097_152.0;

/// TreeCorr stores orientations in `f32`.
const OF_THEIRS: f64 = 1.0 / 4_194_304.0;

struct Case {
    x: Vec<i32>,
    y: Vec<i32>,
    psi: Vec<Psi>,
}

fn case(exact: bool) -> Case {
    let numbers = 1000..1300u64;
    let place = |k: u64| (k * k * k % 8009) as i32;
    let part = |number: u64, middle: i32| f64::from(number as i32 - middle) / 128.0;
    let psi = |k: u64| match exact {
        true => Psi::new(part(k * k % 181, 90), part(k * k * k % 179, 89)),
        false => Psi::from_angle((k * k % 628) as f64 / 100.0, 6),
    };
    Case {
        x: numbers.clone().map(|k| place(k) % 100).collect(),
        y: numbers.clone().map(|k| place(k) / 100).collect(),
        psi: numbers.map(|k| psi(k).unwrap()).collect(),
    }
}

fn of_points(case: &Case, boundary: Boundary, cross: bool, pairs: &mut Accumulator) {
    let [x, y] = [&case.x, &case.y].map(|values| values.iter().copied().map(f64::from).collect::<Vec<f64>>());
    let r_max = BINS as f64 * WIDTH;
    if cross {
        let points = Points::new(&x[..FIRST], &y[..FIRST], &case.psi[..FIRST], boundary, r_max).unwrap();
        let others = points.others(&x[FIRST..], &y[FIRST..], &case.psi[FIRST..]).unwrap();
        pairs.add_points_cross(&points, &others).unwrap();
    } else {
        pairs.add_points(&Points::new(&x, &y, &case.psi, boundary, r_max).unwrap()).unwrap();
    }
}

fn of_image(case: &Case, cross: bool, pairs: &mut Accumulator) {
    let image = |range: std::ops::Range<usize>| {
        Image::new(&case.x[range.clone()], &case.y[range.clone()], &case.psi[range]).unwrap()
    };
    if cross {
        pairs.add_image_cross(&image(0..FIRST), &image(FIRST..case.x.len())).unwrap();
    } else {
        pairs.add_image(&image(0..case.x.len())).unwrap();
    }
}

#[test]
fn pairs_and_sums_are_those_of_freud_and_treecorr() {
    let text = include_str!("../data/correlation.txt");
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(lines.len(), 2 * 2 * 2 * BINS);
    for lines in lines.chunks(BINS) {
        let kind: Vec<&str> = lines[0].split(' ').take(3).collect();
        let (exact, periodic, cross) = (kind[0] == "exact", kind[1] == "periodic", kind[2] == "cross");
        let case = case(exact);
        let boundary = if periodic { Boundary::Periodic(PERIODS.map(f64::from)) } else { Boundary::Open };
        // Uniform bins are found from the distance, other bins by comparing with the edges.
        let uniform = Bins::uniform(0.0, BINS as f64 * WIDTH, WIDTH).unwrap();
        let edges = Bins::from_edges(uniform.edges()).unwrap();
        let mut found = Vec::new();
        for bins in [uniform, edges] {
            let empty = Accumulator::new(bins).unwrap();
            let mut pairs = empty.clone();
            of_points(&case, boundary, cross, &mut pairs);
            found.push((pairs, OF_PRODUCTS));
            if !periodic {
                let mut pairs = empty;
                of_image(&case, cross, &mut pairs);
                found.push((pairs, 0.0));
            }
        }
        for (pairs, of_products) in found {
            assert_eq!(pairs.bins().len(), lines.len());
            for (bin, line) in pairs.bins().zip(lines) {
                let numbers: Vec<f64> = line.split(' ').skip(3).map(|word| word.parse().unwrap()).collect();
                let [_, count, freud, treecorr] = numbers[..] else { panic!("{line}") };
                assert_eq!(bin.count as f64, count, "{line}");
                for theirs in [freud, treecorr] {
                    if exact {
                        // Products are multiples of 2^-14.
                        assert_eq!(bin.sum, ((theirs * 16384.0).round() as i128) << 14, "{line}");
                    } else {
                        let (sum, tolerance) =
                            (bin.sum as f64 / 268_435_456.0, OF_ORIENTATIONS + of_products + OF_THEIRS);
                        assert!((sum - theirs).abs() <= tolerance * count, "{sum}, {line}");
                    }
                }
            }
        }
    }
}
