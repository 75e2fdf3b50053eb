//! Clusters and correlations of worldlines, and copies of a single quantum rung.

use std::fs;
use std::path::Path;

use super::*;
use crate::support::{folder, refused};

/// The bonds of a periodic square lattice of unit couplings.
fn square(name: &str, side: usize) -> String {
    let site = |x: usize, y: usize| x % side + side * (y % side);
    let bonds = (0..side * side).flat_map(|i| {
        let (x, y) = (i % side, i / side);
        [(i, site(x + 1, y), 1.0), (i, site(x, y + 1), 1.0)]
    });
    let problem = Problem { couplings: bonds.collect(), fields: vec![0.0; side * side] };
    problem.write(&folder(name).join("square.coo"))
}

/// A ring of unit couplings.
fn ring(name: &str, sites: usize) -> String {
    let couplings = (0..sites).map(|i| (i, (i + 1) % sites, 1.0)).collect();
    Problem { couplings, fields: vec![0.0; sites] }.write(&folder(name).join("ring.coo"))
}

#[test]
fn clusters_shorten_the_autocorrelation_at_the_transition() {
    let path = square("critical", 6);
    let words = ["ising", &path, "--method", "exchange", "--beta", "4", "--ladder", "3", "--kind", "worldline"];
    let others = ["--sweeps", "3000", "--every", "1", "--observables"];
    let run = |clusters: &str| json(&[&words[..], &others, &["--clusters", clusters]].concat());
    let (plain, fast) = (run("0"), run("2"));
    let of = |document: &serde_json::Value, name: &str| {
        let mean = &document["ladder"][0]["observables"]["squared_magnetisation"];
        mean[name].as_f64().unwrap_or_else(|| panic!("{mean}"))
    };
    // The same mean, with an error as of twice as many sweeps or more.
    let (a, b) = (of(&plain, "error"), of(&fast, "error"));
    assert!((of(&plain, "mean") - of(&fast, "mean")).abs() < 4.5 * a.hypot(b) && b < 0.7 * a, "{a} {b}");
    assert_eq!(fast["options"]["clusters"], "2");

    let checkpoint = format!("{path}.checkpoint");
    let words = [&words[..], &["--clusters", "1", "--every", "10", "--warm-up", "20"]].concat();
    let whole = json(&[&words[..], &["--sweeps", "200"]].concat());
    json(&[&words[..], &["--sweeps", "100", "--threads", "1", "--checkpoint", &checkpoint]].concat());
    let parts = json(&[&words[..], &["--sweeps", "200", "--checkpoint", &checkpoint]].concat());
    assert_eq!(whole["ladder"], parts["ladder"]);
}

#[test]
fn clusters_that_cannot_work_are_refused() {
    let triangle = Problem { couplings: vec![(0, 1, 1.0), (1, 2, 1.0), (0, 2, -1.0)], fields: vec![0.0; 3] };
    let path = triangle.write(&folder("lines_triangle").join("triangle.coo"));
    let words = ["ising", &path, "--clusters", "1"];
    let quantum = ["--beta", "1", "--gamma-max", "2", "--gamma", "1"];
    refused(&[&words[..], &quantum].concat(), "--clusters 1: the couplings are frustrated");
    refused(&[&words[..], &quantum].concat(), "leave it out, and give --method exchange a ladder of fields");
    refused(
        &words,
        "--clusters has no effect: the systems are classical; add --kind worldline or --slices, or leave it out",
    );
    let layers = [&words[..], &quantum, &["--slices", "8"]].concat();
    refused(&layers, "--clusters has no effect: layers have no clusters; use --kind worldline, or leave it out");
    let many = [&words[..2], &quantum, &["--clusters", "1001"]].concat();
    refused(&many, "1001");
    // Two slices, no quanta, and the largest inverse temperature.
    let chain = Problem { couplings: vec![(0, 1, 0.3), (1, 2, -0.7)], fields: vec![0.1, 0.0, -0.2] };
    let path = chain.write(&folder("lines_chain").join("chain.coo"));
    let words = ["ising", &path, "--method", "exchange", "--kind", "worldline", "--clusters", "3", "--sweeps", "20"];
    for (beta, gamma, slices) in [("1e30", "1e-30", "continuous"), ("2", "1", "2"), ("1e-30", "1e-30", "continuous")] {
        json(&[&words[..], &["--beta", beta, "--ladder", gamma, "--slices", slices]].concat());
    }
}

/// `C(tau)` of two spins with a coupling of 1, by exact diagonalisation.
fn exact(beta: f64, gamma: f64, tau: f64) -> f64 {
    // The levels are -r and r of even states, -1 and 1 of odd ones.
    let r = (1.0 + 4.0 * gamma * gamma).sqrt();
    let total = 2.0 * (beta * r).cosh() + 2.0 * beta.cosh();
    // The weight of the odd state of level -1 in what a spin makes of the ground state.
    let near = (1.0 + 1.0 / r) / 2.0;
    let pair = |from: f64, to: f64| (-(beta - tau) * from - tau * to).exp();
    let both = |from: f64, to: f64| pair(from, to) + pair(to, from);
    (near * (both(-r, -1.0) + both(r, 1.0)) + (1.0 - near) * (both(-r, 1.0) + both(r, -1.0))) / total
}

/// Errors of 40 runs of two coupled spins.
#[test]
fn errors_of_correlations_cover_the_exact_ones() {
    let pair = Problem { couplings: vec![(0, 1, 1.0)], fields: vec![0.0; 2] };
    let path = pair.write(&folder("lines_pair").join("pair.coo"));
    let (beta, gamma) = (4.0, 0.8);
    let file = Path::new(&path).with_file_name("correlation.csv");
    let (mut scores, mut gaps) = (Vec::new(), Vec::new());
    for seed in (1..=40).map(|seed: u32| seed.to_string()) {
        let words = ["ising", &path, "--method", "exchange", "--beta", "4", "--ladder", "0.8", "--kind", "worldline"];
        let others = ["--sweeps", "6000", "--every", "4", "--threads", "1", "--seed", &seed];
        let document = json(&[&words[..], &others, &["--correlation", file.to_str().unwrap()]].concat());
        let curve = &document["ladder"][0]["correlation"];
        for lag in curve["values"].as_array().unwrap() {
            let [tau, mean] = ["tau", "mean"].map(|name| lag[name].as_f64().unwrap());
            match lag["error"].as_f64() {
                Some(error) => scores.push((mean - exact(beta, gamma, tau)) / error),
                None => assert!(tau == 0.0 && mean == 1.0, "{lag}"),
            }
        }
        let [first, mean] = [&curve["gap_tau"], &curve["gap"]["mean"]].map(|value| value.as_f64().unwrap());
        if let Some(error) = curve["gap"]["error"].as_f64() {
            let taus = [first, 2.0 * first, 4.0 * first];
            let values = taus.map(|tau| exact(beta, gamma, tau));
            let expected = hotloops::ising::correlation_gap(beta, taus, values).unwrap().unwrap();
            gaps.push((mean - expected) / error);
        }
    }
    let rows = fs::read_to_string(&file).unwrap();
    assert!(
        rows.starts_with("beta,gamma,tau,correlation,correlation_error,not_converged\n4.0,0.8,0.0,1.0,,constant\n")
    );
    assert_eq!(rows.lines().count(), 18);
    for (name, scores, least) in [("C(tau)", &scores, 600), ("gap", &gaps, 36)] {
        let spread = (scores.iter().map(|z| z * z).sum::<f64>() / scores.len() as f64).sqrt();
        println!("{name}: {} scores, spread {spread:.3}", scores.len());
        assert!(scores.len() >= least && (0.7..1.3).contains(&spread), "{name}: {spread} {scores:?}");
    }
}

#[test]
fn the_gap_is_that_of_free_fermions_from_above() {
    let path = ring("gap_of_correlation", 8);
    let file = Path::new(&path).with_file_name("gap.csv");
    let words = ["ising", &path, "--method", "exchange", "--beta", "16", "--ladder", "1.6,1.5", "--kind", "worldline"];
    let others = ["--sweeps", "20000", "--every", "10", "--clusters", "1", "--correlation", file.to_str().unwrap()];
    let document = json(&[&words[..], &others].concat());
    for (rung, gamma) in [(0, 1.6), (1, 1.5)] {
        let gap = &document["ladder"][rung]["correlation"]["gap"];
        let [mean, error] = ["mean", "error"].map(|name| gap[name].as_f64().unwrap_or_else(|| panic!("{gap}")));
        // 2 (gamma - 1) of a long ring; a spin's correlation has the other momenta, too, up to 2 (gamma + 1).
        let exact = 2.0 * (gamma - 1.0);
        assert!(error < 0.1 * exact && mean > exact - 4.0 * error && mean < 2.0 * exact + 4.0 * error, "{gap}");
    }
    assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 1 + 2 * 17);
    let text = succeeds(&[&words[..], &["--sweeps", "400", "--correlation", file.to_str().unwrap()]].concat());
    assert!(String::from_utf8(text).unwrap().contains("Gap of the decay of C(tau)"));
}

/// Two valleys of opposite spins, which the fields tell apart.
#[test]
fn copies_in_different_valleys_have_no_error() {
    let couplings: Vec<_> = (0..8).flat_map(|i| (0..i).map(move |j| (i, j, 1.0))).collect();
    let problem = Problem { couplings, fields: vec![0.01; 8] };
    let path = problem.write(&folder("lines_valleys").join("valleys.coo"));
    let words = ["ising", &path, "--method", "exchange", "--kind", "worldline", "--sweeps", "2000"];
    let cold = [&words[..], &["--beta", "2", "--ladder", "0.3", "--copies", "12"]].concat();
    let document = json(&cold);
    let rung = &document["ladder"][0];
    for name in ["energy", "total_energy", "magnetisation"] {
        assert_eq!(rung[name]["not_converged"], "valleys", "{name}: {rung}");
    }
    let valleys = rung["valleys"].as_array().unwrap();
    assert_eq!(valleys.iter().map(|valley| valley["copies"].as_u64().unwrap()).sum::<u64>(), 12);
    let energies: Vec<f64> = valleys.iter().map(|valley| valley["energy"].as_f64().unwrap()).collect();
    assert!(valleys.len() >= 2 && energies.is_sorted(), "{energies:?}");
    // Less some 0.05 by the transverse field.
    assert!((energies[0] + 28.03).abs() < 0.04 && (energies[valleys.len() - 1] + 27.87).abs() < 0.04, "{energies:?}");
    let text = String::from_utf8(succeeds(&cold)).unwrap();
    assert!(text.contains("valleys at beta 2.00000, gamma 0.30000: energy -28.") && text.contains("copies)"), "{text}");

    // Copies that agree: the error of their common mean, half of that of a single one.
    let warm = |copies: &str| {
        let words = [&words[..], &["--beta", "1", "--ladder", "6", "--observables", "--copies", copies]].concat();
        let rung = json(&words)["ladder"][0].take();
        assert!(rung["valleys"].is_null(), "{rung}");
        ["energy", "total_energy"].map(|name| rung[name]["error"].as_f64().unwrap_or_else(|| panic!("{rung}")))
    };
    let (one, four, many) = (warm("1"), warm("4"), warm("40"));
    for ((one, four), many) in one.into_iter().zip(four).zip(many) {
        assert!((0.3..0.8).contains(&(four / one)) && many < 0.4 * one, "{one} {four} {many}");
    }
    // Threads and interruptions.
    let checkpoint = format!("{path}.checkpoint");
    let part = [&cold[..], &["--threads", "1", "--checkpoint", &checkpoint]].concat();
    json(&part);
    assert_eq!(json(&part)["ladder"], document["ladder"]);
    for (others, text) in [
        (
            &["--beta", "1", "--ladder", "1,2", "--copies", "4"][..],
            "--copies has no effect: copies are those of a single",
        ),
        (&["--beta", "1", "--gamma-max", "2", "--gamma", "1", "--copies", "4"], "--copies has no effect: copies are"),
    ] {
        refused(&[&words[..], others].concat(), text);
    }
    refused(
        &["ising", &path, "--kind", "worldline", "--beta", "1", "--gamma", "1", "--gamma-max", "2", "--copies", "4"],
        "--copies has no effect: --runs sets the number of quantum anneals; leave it out",
    );
}
