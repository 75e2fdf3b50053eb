//! Worldlines against exact Trotter sums, free fermions, and themselves under every instruction set.

mod clusters;
mod correlation;
mod exact;
mod free_fermions;
mod runs;

use exact::{Problem, energy_of_ring};
use hotloops::Error;
use hotloops::ising::{LayeredIsing, Transverse, Worldlines};
use runs::{Step, generator, sampled};

use crate::models::{Rng, seed};

fn build(problem: &Problem) -> Worldlines {
    let builder = LayeredIsing::builder(problem.slices, problem.fields.len());
    builder.couplings(problem.couplings.iter().copied()).fields(&problem.fields).build_worldlines().unwrap()
}

/// The root of the mean square of standard scores.
fn spread(scores: &[f64]) -> f64 {
    (scores.iter().map(|score| score * score).sum::<f64>() / scores.len() as f64).sqrt()
}

#[test]
fn means_of_random_models_are_those_of_the_trotter_sum() {
    assert_means(60, runs::sweep, 30_000);
}

/// Clusters alone, of models with and without frustration.
#[test]
fn means_of_clusters_are_those_of_the_trotter_sum() {
    assert_means(60, runs::sweep_clusters, 30_000);
}

fn assert_means(models: usize, step: Step, steps: usize) {
    let mut rng = Rng(seed());
    let (mut scores, mut wrong) = (Vec::new(), Vec::new());
    for nth in 0..models {
        let problem = Problem::random(&mut rng, nth);
        let mut lines = build(&problem);
        assert_eq!(lines.quantum() > 0.0, problem.is_integer, "{problem:?}");
        let found = sampled(&mut lines, problem.at, step, steps, nth as u32);
        // A field that is 4 % stronger.
        let other = Problem { at: Transverse { gamma: 1.04 * problem.at.gamma, ..problem.at }, ..problem.clone() };
        for ((found, exact), other) in found.into_iter().zip(problem.means()).zip(other.means()) {
            // A spin that never flipped tells nothing.
            if found.sigma > 1e-9 {
                scores.push(found.above(exact));
                wrong.push(found.above(other));
            }
        }
    }
    assert!(scores.len() >= 200, "{}", scores.len());
    let largest = scores.iter().fold(0.0f64, |largest, score| largest.max(score.abs()));
    println!(
        "{} scores: {:.3}, at most {largest:.2}; wrong field {:.3}",
        scores.len(),
        spread(&scores),
        spread(&wrong)
    );
    assert!((0.85..1.2).contains(&spread(&scores)) && largest < 4.5, "{} {largest}", spread(&scores));
    assert!(spread(&wrong) > 1.5, "the bound would not find an error of 4 %: {}", spread(&wrong));
}

#[test]
fn long_rings_are_free_fermions() {
    for (sites, at) in [(16, Transverse { beta: 8.0, gamma: 1.0 }), (9, Transverse { beta: 3.0, gamma: 0.6 })] {
        let exact = energy_of_ring(sites, at);
        assert!(sites != 16 || (exact + 20.371_81).abs() < 1e-4, "{exact}");
        for slices in [1 << 20, 1 << 13] {
            let ring = (0..sites).map(|i| (i, (i + 1) % sites, 1.0));
            let mut lines = LayeredIsing::builder(slices, sites).couplings(ring).build_worldlines().unwrap();
            let mut rng = generator(slices as u32);
            lines.sweep(&mut rng, at, 1000).unwrap();
            let energy = runs::mean(40, 1000, || {
                lines.sweep(&mut rng, at, 1).unwrap();
                lines.energy(at).unwrap()
            });
            println!("{sites} {slices}: {energy:?}, exact {exact}");
            assert!(energy.sigma < 0.02 && energy.above(exact).abs() < 4.0, "{sites} {slices}: {energy:?}, {exact}");
        }
    }
}

#[test]
fn lines_are_equal_under_every_instruction_set() {
    let mut rng = Rng(7);
    for nth in 0..24 {
        let problem = Problem::random(&mut rng, nth);
        runs::under_each_isa(|| {
            let mut lines = build(&problem);
            let mut rng = generator(nth as u32);
            let segments = lines.sweep(&mut rng, problem.at, 300).unwrap();
            let clusters = lines.sweep_clusters(&mut rng, problem.at, 30).unwrap();
            lines.sweep(&mut rng, problem.at, 1).unwrap();
            (segments, clusters, lines.diagonal_energy().to_bits(), runs::state(&lines))
        });
    }
}

/// At the transition of the square lattice, sweeps move the magnetisation slowly.
#[test]
fn clusters_move_a_critical_lattice() {
    let site = |x: usize, y: usize| x % 12 + 12 * (y % 12);
    let bonds = (0..144).flat_map(|i| [(i, site(i + 1, i / 12), 1.0), (i, site(i, i / 12 + 1), 1.0)]);
    let (at, steps) = (Transverse { beta: 6.0, gamma: 3.044 }, 4000);
    // The mean of products of successive m over the mean of squares.
    let correlation = |step: Step| {
        let mut lines = LayeredIsing::builder(1 << 16, 144).couplings(bonds.clone()).build_worldlines().unwrap();
        let mut rng = generator(12);
        (0..steps / 10).for_each(|_| step(&mut lines, &mut rng, at));
        let squares: Vec<f64> = (0..steps)
            .map(|_| {
                step(&mut lines, &mut rng, at);
                (lines.magnetisation() as f64).powi(2)
            })
            .collect();
        let mean = squares.iter().sum::<f64>() / squares.len() as f64;
        let products = |lag: usize| {
            let pairs = squares.iter().zip(&squares[lag..]);
            pairs.map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>() / (squares.len() - lag) as f64
        };
        (mean, products(8) / products(0))
    };
    let (slow, fast) = (correlation(runs::sweep), correlation(runs::sweep_clusters));
    println!("m^2 and its correlation over 8 steps: sweeps {slow:?}, clusters {fast:?}");
    assert!(slow.1 > 0.5 && fast.1 < 0.3, "{slow:?} {fast:?}");
}

/// Lines of hundreds and thousands of boundaries, with integers and with real couplings.
#[test]
fn long_lines_are_equal_under_every_instruction_set() {
    for (coupling, at) in [(1.0, 40.0), (0.1234567, 40.0), (1.0, 900.0), (1.0 / 3.0, 5000.0)] {
        let at = Transverse { beta: 2.0, gamma: at / 2.0 };
        runs::under_each_isa(|| {
            let couplings = (0..6).map(|i| (i, (i + 1) % 6, coupling * [1.0, -1.5, 2.0][i % 3]));
            let builder = LayeredIsing::builder(20_000, 6).couplings(couplings).field(2, 0.1);
            let mut lines = builder.build_worldlines().unwrap();
            let mut rng = generator(3);
            let segments = lines.sweep(&mut rng, at, 6).unwrap();
            assert!(segments as f64 > 6.0 * 6.0 * at.beta * at.gamma * 0.7, "{segments}");
            (segments, lines.diagonal_energy().to_bits(), runs::state(&lines))
        });
    }
}

#[test]
fn energies_are_sums_over_the_slices() {
    let mut rng = Rng(11);
    for nth in 0..20 {
        let problem = Problem { slices: 40, ..Problem::random(&mut rng, nth) };
        let mut lines = build(&problem);
        lines.sweep(&mut generator(5), problem.at, 20).unwrap();
        let mut spins = vec![0i8; lines.sites()];
        let (mut energy, mut sum) = (0.0, 0i64);
        let mut sums = vec![0i64; lines.sites()];
        let mut kinks = 0;
        let mut before = vec![0i8; lines.sites()];
        lines.spins(39, &mut before).unwrap();
        for slice in 0..40 {
            lines.spins(slice, &mut spins).unwrap();
            energy -= problem.energy(&spins);
            sum += spins.iter().map(|&spin| i64::from(spin)).sum::<i64>();
            sums.iter_mut().zip(&spins).for_each(|(sum, &spin)| *sum += i64::from(spin));
            kinks += spins.iter().zip(&before).filter(|(a, b)| a != b).count() as u64;
            before.clone_from(&spins);
        }
        assert!((lines.diagonal_energy() - energy / 40.0).abs() < 1e-9, "{problem:?}");
        assert_eq!((lines.magnetisation(), lines.kinks()), (sum, kinks));
        let mut found = vec![0; lines.sites()];
        lines.magnetisations(&mut found).unwrap();
        assert_eq!(found, sums);
    }
}

#[test]
fn extreme_models_have_their_limits() {
    // No field: lines stay straight, and each is a heat bath of one spin.
    let mut rng = generator(1);
    let mut free = LayeredIsing::builder(1 << 20, 300).build_worldlines().unwrap();
    free.sweep(&mut rng, Transverse { beta: 1.0, gamma: 0.0 }, 3).unwrap();
    assert_eq!(free.kinks(), 0);
    let up = free.magnetisation() >> 20;
    assert!(up.abs() < 100 && up % 2 == 0, "{up}");
    // A break at every link: each spin of a slice is free, and half of the links are kinks.
    let at = Transverse { beta: 1e30, gamma: 1e30 };
    for slices in [2, 1000] {
        let mut hot = LayeredIsing::builder(slices, 50).build_worldlines().unwrap();
        // Segments between a kink and a break at the same link are empty.
        let segments = 50 * slices as u64;
        assert_eq!(hot.sweep(&mut rng, at, 1), Ok(segments));
        assert!((segments..=2 * segments).contains(&hot.sweep(&mut rng, at, 1).unwrap()));
        let share = hot.kinks() as f64 / (50.0 * slices as f64);
        assert!((share - 0.5).abs() < 0.2, "{share}");
        assert_eq!(hot.kinks() % 2, 0);
    }
    // A strong field and no couplings: the exact magnetisation is h / r tanh(beta r), r^2 = h^2 + gamma^2.
    let at = Transverse { beta: 1.5, gamma: 0.8 };
    let mut fields = LayeredIsing::builder(1 << 30, 100).fields(&[0.6; 100]).build_worldlines().unwrap();
    fields.sweep(&mut rng, at, 20).unwrap();
    let mean = runs::mean(40, 25, || {
        fields.sweep(&mut rng, at, 1).unwrap();
        fields.magnetisation() as f64 / (100.0 * f64::from(1 << 30))
    });
    assert!(mean.sigma < 0.01 && mean.above(0.6 * 1.5f64.tanh()).abs() < 4.0, "{mean:?}");
    // sx likewise.
    let mean = runs::mean(40, 25, || {
        fields.sweep(&mut rng, at, 1).unwrap();
        fields.transverse_magnetisation(at).unwrap()
    });
    assert!(mean.sigma < 0.02 && mean.above(0.8 * 1.5f64.tanh()).abs() < 4.0, "{mean:?}");
}

/// Breaks so rare that gaps exceed the positions of a window.
#[test]
fn rare_breaks_have_their_rate() {
    let mut lines = LayeredIsing::builder(1 << 28, 70).build_worldlines().unwrap();
    let at = Transverse { beta: 0.3, gamma: 1.0 };
    let mut rng = generator(9);
    lines.sweep(&mut rng, at, 10).unwrap();
    // Free spins: <sx> = tanh(beta gamma).
    let mean = runs::mean(40, 20, || {
        lines.sweep(&mut rng, at, 1).unwrap();
        lines.transverse_magnetisation(at).unwrap()
    });
    assert!(mean.sigma < 0.02 && mean.above(0.3f64.tanh()).abs() < 4.0, "{mean:?}");
    let at = Transverse { beta: 1e-3, gamma: 1.0 };
    assert_eq!(lines.sweep(&mut rng, at, 1).map(|segments| segments >= 70), Ok(true));
}

#[test]
fn a_saved_state_continues() {
    let mut rng = Rng(5);
    let problem = Problem::random(&mut rng, 3);
    let mut first = build(&problem);
    let mut rng = generator(2);
    first.sweep(&mut rng, problem.at, 50).unwrap();
    let mut second = build(&problem);
    for site in 0..first.sites() {
        let (spin, kinks) = first.line(site).unwrap();
        second.set_line(site, spin, kinks).unwrap();
    }
    let mut again = rng.try_clone().unwrap();
    let counted = second.sweep_while(&mut again, problem.at, 30, || true);
    assert_eq!(counted, Ok(30));
    first.sweep(&mut rng, problem.at, 30).unwrap();
    assert_eq!(runs::state(&first), runs::state(&second));
    let mut asked = 0;
    let ended = second.sweep_while(&mut again, problem.at, 30, || {
        asked += 1;
        asked <= 4
    });
    assert_eq!(ended, Ok(4));
}

#[test]
fn wrong_arguments_are_refused() {
    let builder = |slices, sites| LayeredIsing::builder(slices, sites);
    assert_eq!(builder(1, 3).build_worldlines().unwrap_err(), Error::Layers { layers: 1 });
    assert_eq!(builder(1 << 31, 3).build_worldlines().unwrap_err(), Error::TooLarge { argument: "layers" });
    assert_eq!(builder(8, 0).build_worldlines().unwrap_err(), Error::NoSites);
    assert!(builder(8, 3).build_worldlines_while(|| false).unwrap().is_none());
    let mut lines = builder(8, 3).coupling(0, 1, 1.0).build_worldlines().unwrap();
    let mut rng = generator(1);
    for (beta, gamma, argument) in [(-1.0, 1.0, "beta"), (f64::NAN, 1.0, "beta"), (1.0, 1e300, "gamma")] {
        let value = if argument == "beta" { beta } else { gamma };
        match lines.sweep(&mut rng, Transverse { beta, gamma }, 1) {
            Err(Error::Range { argument: found, value: number }) => {
                assert!(found == argument && number.to_bits() == value.to_bits());
            }
            other => panic!("{other:?}"),
        }
    }
    let mut narrow = hotloops::random::Mt19937::seeded(8, 1).unwrap();
    let at = Transverse { beta: 1.0, gamma: 1.0 };
    assert_eq!(lines.sweep_clusters(&mut narrow, at, 1), Err(Error::Lanes { lanes: 8 }));
    let hot = Transverse { beta: -1.0, gamma: 1.0 };
    assert!(lines.sweep_clusters(&mut rng, hot, 1).is_err());
    assert_eq!(lines.sweep(&mut narrow, at, 1), Err(Error::Lanes { lanes: 8 }));
    assert_eq!(lines.set_line(3, 1, &[]), Err(Error::SiteRange { site: 3, sites: 3 }));
    assert_eq!(lines.set_line(1, 0, &[]), Err(Error::Spin { layer: 0, site: 1, value: 0 }));
    assert_eq!(lines.set_line(1, 1, &[4]), Err(Error::Even { argument: "kinks", value: 1 }));
    for kinks in [[4, 4], [5, 4], [4, 8], [-1, 4]] {
        let index = usize::from(kinks[0] >= 0);
        assert_eq!(lines.set_line(1, 1, &kinks), Err(Error::Index { argument: "kinks", index, count: 8 }));
    }
    assert_eq!(lines.set_spins(&[1; 2]), Err(Error::Length { argument: "spins", expected: 3, found: 2 }));
    assert_eq!(lines.spins(8, &mut [0; 3]), Err(Error::Index { argument: "slice", index: 8, count: 8 }));
    assert_eq!(lines.transverse_magnetisation(Transverse { beta: 1.0, gamma: 0.0 }), Ok(0.0));
    let wrong = Transverse { beta: 1.0, gamma: -1.0 };
    let before = lines.line(0).map(|(spin, kinks)| (spin, kinks.to_vec()));
    assert_eq!(lines.anneal(&mut rng, &[at, wrong], 1), Err(Error::Range { argument: "gamma", value: -1.0 }));
    assert_eq!(lines.line(0).map(|(spin, kinks)| (spin, kinks.to_vec())), before);
    let text = Error::Range { argument: "gamma", value: -1.0 }.to_string();
    assert!(text.contains("from 0 to 3.4e38; pass one") && text.contains("gamma"), "{text}");
}

/// An anneal is its sweeps, kinks come in order, and the sums are those of all slices.
#[test]
fn anneals_kinks_and_sums_are_those_of_their_parts() {
    let mut rng = Rng(23);
    let mut seen = 0;
    for nth in 0..8 {
        let problem = Problem { slices: 50, ..Problem::random(&mut rng, nth) };
        let schedule = [6.0, 4.0, 3.0].map(|gamma| Transverse { gamma, ..problem.at });
        let (mut at_once, mut lines) = (build(&problem), build(&problem));
        let (mut once, mut rng) = (generator(9), generator(9));
        let segments = at_once.anneal(&mut once, &schedule, 4).unwrap();
        let parts: u64 = schedule.iter().map(|&at| lines.sweep(&mut rng, at, 4).unwrap()).sum();
        assert_eq!((segments, runs::state(&at_once)), (parts, runs::state(&lines)));

        let mut kinks = vec![(7, 7)];
        lines.kinks_in_order(&mut kinks).unwrap();
        assert!(kinks.is_sorted() && kinks.len() as u64 == lines.kinks());
        seen += kinks.len();
        let mut spins = vec![0; lines.sites()];
        lines.spins(0, &mut spins).unwrap();
        let mut found = vec![0; lines.sites()];
        let (mut next, mut space) = (kinks.iter().peekable(), 0.0);
        for slice in 0..50 {
            lines.spins(slice, &mut found).unwrap();
            assert_eq!(found, spins, "{slice}");
            space += problem.energy(&spins);
            while let Some((_, site)) = next.next_if(|kink| kink.0 as usize == slice) {
                spins[*site as usize] *= -1;
            }
        }
        let sums = lines.sums();
        assert!((sums.space - space).abs() < 1e-9 * space.abs().max(1.0), "{} {space}", sums.space);
        assert_eq!(sums.tau, (50 * lines.sites()) as f64 - 2.0 * lines.kinks() as f64);
    }
    assert!(seen > 50, "{seen}");
}
