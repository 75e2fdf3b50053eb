//! Cluster sweeps at the limits of their arguments, frustration, and interruptions.

use hotloops::Error;
use hotloops::ising::{LayeredIsing, Transverse, Worldlines};

use super::exact::Problem;
use super::runs::{self, generator};

fn ring(slices: usize, sites: usize, coupling: f64) -> Worldlines {
    let couplings = (0..sites).map(|i| (i, (i + 1) % sites, coupling));
    LayeredIsing::builder(slices, sites).couplings(couplings).build_worldlines().unwrap()
}

#[test]
fn a_model_is_frustrated_if_a_loop_has_a_negative_product() {
    for (couplings, expected) in [
        (&[][..], false),
        (&[(0, 1, -1.0), (1, 2, 0.3)], false),
        (&[(0, 1, -1.0), (1, 2, -1.0), (0, 2, 1.0)], false),
        (&[(0, 1, -1.0), (1, 2, 1.0), (0, 2, 1.0)], true),
        // Without the coupling of 0 no loop is closed.
        (&[(0, 1, -1.0), (1, 2, 1.0), (0, 2, 0.0)], false),
        (&[(0, 1, 0.7), (4, 5, 0.1), (5, 6, -0.2), (4, 6, 0.123_456_7)], true),
        (&[(3, 4, -1.0), (4, 5, -1.0), (5, 6, -1.0), (6, 3, -1.0)], false),
    ] {
        let lines = LayeredIsing::builder(8, 7).couplings(couplings.iter().copied()).fields(&[-0.5; 7]);
        assert_eq!(lines.build_worldlines().unwrap().is_frustrated(), Ok(expected), "{couplings:?}");
    }
}

/// One cluster at any temperature, and without a break for each slice.
#[test]
fn the_coldest_clusters_need_no_memory_for_the_slices() {
    for (beta, gamma, coupling) in [(1e30, 0.0, 1.0), (1e30, 0.0, -0.37), (1e12, 1e-9, 1.0)] {
        let mut lines = ring(1 << 30, 50, coupling);
        let mut rng = generator(1);
        lines
            .set_spins(&std::array::from_fn::<i8, 50, _>(|i| if coupling < 0.0 && i % 2 == 1 { -1 } else { 1 }))
            .unwrap();
        let clusters = lines.sweep_clusters(&mut rng, Transverse { beta, gamma }, 20).unwrap();
        assert!(gamma > 0.0 || clusters == 20, "{clusters}");
        let energy = lines.diagonal_energy();
        assert!((energy + 50.0 * coupling.abs()).abs() < 1e-3, "{energy}");
        // About 1000 kinks and breaks of each line.
        assert!(lines.heap_bytes() < if gamma > 0.0 { 4 << 20 } else { 1 << 17 }, "{}", lines.heap_bytes());
    }
}

/// Without a coupling or at infinite temperature each piece is a cluster.
#[test]
fn hot_clusters_are_the_pieces() {
    let mut rng = generator(2);
    for (mut lines, at) in [
        (ring(2, 40, 0.0), Transverse { beta: 1e30, gamma: 1e30 }),
        (ring(1000, 40, 0.0), Transverse { beta: 1e30, gamma: 1e30 }),
        (ring(1000, 40, 1.0), Transverse { beta: 0.0, gamma: 1.0 }),
    ] {
        let pieces = if at.beta > 0.0 { 40 * lines.slices() as u64 } else { 40 };
        assert_eq!(lines.sweep_clusters(&mut rng, at, 3), Ok(3 * pieces));
    }
    // More pieces than have indices.
    let at = Transverse { beta: 1e30, gamma: 1e30 };
    assert_eq!(ring(1 << 30, 8, 1.0).sweep_clusters(&mut rng, at, 1), Err(Error::TooLarge { argument: "gamma" }));
}

#[test]
fn two_slices_have_their_exact_means() {
    let couplings = vec![(0, 1, 0.6), (1, 2, -0.8), (0, 2, -0.5)];
    let at = Transverse { beta: 1.5, gamma: 0.8 };
    let problem = Problem { slices: 2, couplings, fields: vec![0.2, 0.0, -0.3], at, is_integer: false };
    let found = runs::sampled(&mut super::build(&problem), at, runs::sweep_clusters, 40_000, 6);
    for (found, exact) in found.into_iter().zip(problem.means()) {
        assert!(found.sigma < 0.05 && found.above(exact).abs() < 4.0, "{found:?} {exact}");
    }
}

#[test]
fn an_interrupted_sweep_changes_no_line() {
    let at = Transverse { beta: 40.0, gamma: 1.0 };
    let (mut lines, mut rng) = (ring(1 << 16, 10_000, 1.0), generator(3));
    assert_eq!(lines.sweep_clusters_while(&mut rng, at, 3, || true), Ok(3));
    let before = runs::state(&lines);
    // In the middle of a sweep.
    let mut asked = 0;
    let ended = lines.sweep_clusters_while(&mut rng, at, 3, || {
        asked += 1;
        asked < 5
    });
    assert_eq!((ended, asked), (Ok(0), 5));
    assert!(runs::state(&lines) == before);
    assert_eq!(lines.sweep_clusters_while(&mut rng, at, 1, || true), Ok(1));
    assert!(runs::state(&lines) != before);
}
