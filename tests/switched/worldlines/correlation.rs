//! The correlation in imaginary time against its definition and against products of transfer matrices.

use std::f64::consts::PI;

use hotloops::Error;
use hotloops::ising::{LayeredIsing, Transverse, correlation_gap};

use super::exact::Problem;
use super::runs::{self, generator};
use crate::models::Rng;

#[test]
fn correlations_are_means_of_products() {
    let mut random = Rng(17);
    for nth in 0..12 {
        let slices = [2, 3, 40][nth % 3];
        let problem = Problem { slices, ..Problem::random(&mut random, nth) };
        let mut lines = super::build(&problem);
        let at = Transverse { gamma: 4.0, ..problem.at };
        lines.sweep(&mut generator(nth as u32), at, 20).unwrap();
        let lags: Vec<usize> = (0..slices).collect();
        let sites = lines.sites();
        let mut spins = vec![vec![0i8; sites]; slices];
        spins.iter_mut().enumerate().for_each(|(slice, spins)| lines.spins(slice, spins).unwrap());
        let expected = runs::under_each_isa(|| {
            let mut found = vec![0.0; slices];
            lines.correlation(&lags, &mut found).unwrap();
            found
        });
        for (lag, found) in expected.into_iter().enumerate() {
            let product = |t: usize, i: usize| i64::from(spins[t][i] * spins[(t + lag) % slices][i]);
            let sum: i64 = (0..slices).map(|t| (0..sites).map(|i| product(t, i)).sum::<i64>()).sum();
            assert_eq!(found, sum as f64 / (slices * sites) as f64, "{lag}: {problem:?}");
        }
    }
}

type Matrix = Vec<Vec<f64>>;

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    let entry = |row: &Vec<f64>, j: usize| row.iter().zip(b).map(|(x, other)| x * other[j]).sum();
    a.iter().map(|row| (0..b.len()).map(|j| entry(row, j)).collect()).collect()
}

/// `C` of a ring of four unit couplings, at multiples of an eighth of `beta`.
fn exact(at: Transverse, slices: usize) -> [f64; 5] {
    let step = at.beta / slices as f64;
    let spin = |state: usize, i: usize| 1.0 - 2.0 * (state >> (i % 4) & 1) as f64;
    let energy = |state: usize| (0..4).map(|i| spin(state, i) * spin(state, i + 1)).sum::<f64>();
    let weight = |a: usize, b: usize| {
        let kinks = f64::from((a ^ b).count_ones());
        (step * energy(b)).exp() * (step * at.gamma).cosh().powi(4) * (step * at.gamma).tanh().powf(kinks)
    };
    let mut eighth: Matrix = (0..16).map(|a| (0..16).map(|b| weight(a, b)).collect()).collect();
    for _ in 0..slices.ilog2() - 3 {
        eighth = product(&eighth, &eighth);
    }
    let mut powers: Vec<Matrix> = vec![(0..16).map(|a| (0..16).map(|b| f64::from(a == b)).collect()).collect()];
    (0..8).for_each(|power| powers.push(product(&powers[power], &eighth)));
    let total: f64 = (0..16).map(|a| powers[8][a][a]).sum();
    std::array::from_fn(|lag| {
        let pairs = (0..16).flat_map(|a| (0..16).map(move |b| (a, b)));
        let of = |(a, b): (usize, usize)| {
            let spins = (0..4).map(|i| spin(a, i) * spin(b, i)).sum::<f64>() / 4.0;
            spins * powers[lag][a][b] * powers[8 - lag][b][a]
        };
        pairs.map(of).sum::<f64>() / total
    })
}

/// The lowest excitation of a ring of unit couplings in a field above 1 (Pfeuty 1970).
fn gap_of_ring(sites: usize, gamma: f64) -> f64 {
    let energy = |m: f64| {
        let k = 2.0 * PI * m / sites as f64;
        2.0 * (1.0 + gamma * gamma - 2.0 * gamma * k.cos()).sqrt()
    };
    let odd: f64 = (1..sites).map(|m| energy(m as f64)).sum();
    let even: f64 = (0..sites).map(|m| energy(m as f64 + 0.5)).sum();
    gamma - 1.0 - odd / 2.0 + even / 2.0
}

#[test]
fn means_and_their_gap_are_those_of_a_small_ring() {
    for (beta, gamma) in [(8.0, 1.5), (4.0, 0.8)] {
        let (at, slices) = (Transverse { beta, gamma }, 512);
        let exact = exact(at, slices);
        let ring = (0..4).map(|i| (i, (i + 1) % 4, 1.0));
        let mut lines = LayeredIsing::builder(slices, 4).couplings(ring).build_worldlines().unwrap();
        let mut rng = generator(4);
        let lags: [usize; 5] = std::array::from_fn(|k| k * slices / 8);
        let mut found = [0.0; 5];
        lines.sweep(&mut rng, at, 200).unwrap();
        const BLOCKS: usize = 40;
        let mut blocks = [[0.0; BLOCKS]; 5];
        for block in 0..BLOCKS {
            for _ in 0..1000 {
                lines.sweep(&mut rng, at, 1).unwrap();
                lines.sweep_clusters(&mut rng, at, 1).unwrap();
                lines.correlation(&lags, &mut found).unwrap();
                blocks.iter_mut().zip(found).for_each(|(blocks, value)| blocks[block] += value / 1000.0);
            }
        }
        assert_eq!(found[0], 1.0);
        for (blocks, exact) in blocks.iter().zip(exact).skip(1) {
            let mean = runs::Sampled::of(blocks);
            println!("{beta} {gamma}: {mean:?}, exact {exact}");
            assert!(mean.sigma < 0.01 && mean.above(exact).abs() < 4.0, "{mean:?} {exact}");
        }
        // Jackknife of the gap at times beta / 8, beta / 4, beta / 2.
        let gap = |without: Option<usize>| {
            let kept = (0..BLOCKS).filter(|block| Some(*block) != without);
            let count = kept.clone().count() as f64;
            let values = [1, 2, 4].map(|lag: usize| kept.clone().map(|block| blocks[lag][block]).sum::<f64>() / count);
            correlation_gap(beta, [1.0, 2.0, 4.0].map(|eighth| eighth * beta / 8.0), values).unwrap().unwrap()
        };
        let mean = gap(None);
        let squares = (0..BLOCKS).map(|block| (gap(Some(block)) - mean).powi(2)).sum::<f64>();
        let sigma = (squares * (BLOCKS as f64 - 1.0) / BLOCKS as f64).sqrt();
        let of_exact =
            correlation_gap(beta, [1.0, 2.0, 4.0].map(|eighth| eighth * beta / 8.0), [1, 2, 4].map(|lag| exact[lag]));
        let expected = of_exact.unwrap().unwrap();
        println!("gap {mean} +- {sigma}, exact {expected}");
        assert!((mean - expected).abs() < 4.0 * sigma && sigma < 0.05 * expected, "{mean} {sigma} {expected}");
    }
    // At late times one excitation is left.
    let late = exact(Transverse { beta: 32.0, gamma: 1.5 }, 1 << 16);
    let found = correlation_gap(32.0, [4.0, 8.0, 16.0], [1, 2, 4].map(|lag| late[lag])).unwrap().unwrap();
    assert!((found / gap_of_ring(4, 1.5) - 1.0).abs() < 0.01, "{found} {}", gap_of_ring(4, 1.5));
}

#[test]
fn gaps_solve_their_equation_and_noise_has_none() {
    for (beta, gap) in [(0.1, 3.0), (8.0, 1.7), (50.0, 0.01), (1e6, 0.3), (1e21, 1.7), (1e300, 0.2), (1e-20, 5e20)] {
        let taus = [0.1 * beta, 0.2 * beta, 0.5 * beta]
            .map(|tau: f64| if gap * tau > 50.0 { tau / (gap * beta) } else { tau });
        // In units of the largest value.
        let values = taus.map(|tau| (-gap * tau).exp() + (-gap * (beta - tau)).exp() - 0.2);
        let found = correlation_gap(beta, taus, values).unwrap().unwrap();
        assert!((found / gap - 1.0).abs() < 1e-5, "{beta} {gap}: {found}");
    }
    for values in [[0.5; 3], [0.5, 0.6, 0.4], [0.5, 0.4, 0.45], [0.5, 0.45, 0.3]] {
        assert_eq!(correlation_gap(4.0, [0.5, 1.0, 2.0], values), Ok(None), "{values:?}");
    }
    let range = |argument, value| Err(Error::Range { argument, value });
    let values = [3.0, 2.0, 1.0];
    assert_eq!(correlation_gap(0.0, [0.5, 1.0, 2.0], values), range("beta", 0.0));
    assert_eq!(correlation_gap(4.0, [0.5, 0.5, 2.0], values), range("taus", 0.5));
    assert_eq!(correlation_gap(4.0, [0.5, 1.0, 2.5], values), range("taus", 2.5));
    assert_eq!(correlation_gap(4.0, [0.5, 1.0, 2.0], [f64::INFINITY, 1.0, 0.0]), range("values", f64::INFINITY));
    let lines = LayeredIsing::builder(8, 3).build_worldlines().unwrap();
    assert_eq!(lines.correlation(&[0, 8], &mut [0.0; 2]), Err(Error::Index { argument: "lags", index: 1, count: 8 }));
    let length = Error::Length { argument: "correlation", expected: 2, found: 1 };
    assert_eq!(lines.correlation(&[0, 1], &mut [0.0]), Err(length));
    assert_eq!(lines.correlation(&[], &mut []), Ok(()));
}
