//! Observables of an exchange against exact enumeration, and the automatic ladder.

use std::collections::HashMap;

use crate::support::{keys, refused, shipped, unreadable};

use super::*;

const NAMES: [&str; 8] = [
    "heat_capacity",
    "absolute_magnetisation",
    "susceptibility",
    "binder_cumulant",
    "absolute_overlap",
    "overlap_susceptibility",
    "overlap_binder_cumulant",
    "link_overlap",
];

/// The observables by summation over all configurations and all pairs of them, and the probability
/// of each number of equal spins.
fn exact(problem: &Problem, beta: f64) -> (HashMap<&'static str, f64>, Vec<f64>) {
    let sites = problem.fields.len();
    let n = sites as f64;
    let states = 0..1u32 << sites;
    let energies: Vec<f64> = states.clone().map(|bits| problem.energy(|i| spin_of(bits, i))).collect();
    let weights: Vec<f64> = energies.iter().map(|energy| (-beta * energy).exp()).collect();
    let norm: f64 = weights.iter().sum();
    let mean = |of: &dyn Fn(u32) -> f64| states.clone().map(|s| weights[s as usize] * of(s)).sum::<f64>() / norm;
    let m = |bits: u32| 1.0 - 2.0 * f64::from(bits.count_ones()) / n;
    let energy = mean(&|s| energies[s as usize]);
    let absolute = mean(&|s| m(s).abs());
    let square = mean(&|s| m(s).powi(2));
    // The distribution of s xor s', by a Walsh-Hadamard transform.
    let mut transform = weights.clone();
    let hadamard = |values: &mut Vec<f64>| {
        for site in 0..sites {
            for s in (0..values.len()).filter(|s| s >> site & 1 == 0) {
                let (a, b) = (values[s], values[s | 1 << site]);
                (values[s], values[s | 1 << site]) = (a + b, a - b);
            }
        }
    };
    hadamard(&mut transform);
    let mut pairs: Vec<f64> = transform.iter().map(|value| value * value).collect();
    hadamard(&mut pairs);
    let mut equal = vec![0.0; sites + 1];
    let mut link = 0.0;
    for s in states.clone() {
        let probability = pairs[s as usize] / (norm * norm * 2f64.powi(sites as i32));
        equal[sites - s.count_ones() as usize] += probability;
        let bonds = problem.couplings.iter().map(|&(i, j, _)| spin_of(s, i) * spin_of(s, j));
        link += probability * bonds.sum::<f64>() / problem.couplings.len() as f64;
    }
    let q = |of: &dyn Fn(f64) -> f64| {
        let terms = equal.iter().enumerate().map(|(count, probability)| probability * of(2.0 * count as f64 / n - 1.0));
        terms.sum::<f64>()
    };
    let (q2, q4) = (q(&|q| q.powi(2)), q(&|q| q.powi(4)));
    let values = [
        beta * beta * mean(&|s| (energies[s as usize] - energy).powi(2)) / n,
        absolute,
        beta * n * (square - absolute * absolute),
        1.0 - mean(&|s| m(s).powi(4)) / (3.0 * square * square),
        q(&f64::abs),
        n * q2,
        (3.0 - q4 / (q2 * q2)) / 2.0,
        link,
    ];
    (NAMES.into_iter().zip(values).collect(), equal)
}

#[test]
fn observables_are_those_of_an_exact_enumeration() {
    let problem = Problem::random(0.25);
    let mut squares = Vec::new();
    // Blocks of copies, blocks of time, and an odd number of copies.
    for (copies, sweeps) in [("128", "3000"), ("8", "20000"), ("33", "4000")] {
        for seed in ["1", "2", "3"] {
            let words = ["--copies", copies, "--sweeps", sweeps, "--seed", seed, "--every", "5", "--observables"];
            let ladder = ["--method", "exchange", "--ladder", "0.1,0.4,0.8,1.3"];
            let document = json(&[&["ising", small()], &words[..], &ladder].concat());
            assert_eq!(document["options"]["observables"], "on");
            for rung in document["ladder"].as_array().unwrap() {
                let (expected, equal) = exact(&problem, rung["beta"].as_f64().unwrap());
                let found = &rung["observables"];
                assert_eq!(keys(found), NAMES.into_iter().collect());
                for (name, value) in expected {
                    let mean = found[name]["mean"].as_f64().unwrap();
                    let Some(error) = found[name]["error"].as_f64() else {
                        assert!(found[name]["not_converged"].is_string());
                        continue;
                    };
                    let z = (mean - value) / error;
                    assert!(z.abs() < 4.5, "{copies} copies, {name}: {mean} +- {error}, not {value}");
                    squares.push(z * z);
                }
                let bins = rung["overlaps"].as_array().unwrap();
                assert_eq!(bins.len(), 13);
                for (count, (bin, probability)) in bins.iter().zip(equal).enumerate() {
                    assert!((bin["overlap"].as_f64().unwrap() - (count as f64 / 6.0 - 1.0)).abs() < 1e-12);
                    let density = bin["density"].as_f64().unwrap();
                    // A bin is 1/6 wide. A bin that is hit a few times has a poor error, or none in a series.
                    let bound = match bin["error"].as_f64() {
                        Some(error) => 5.0 * error + 1e-3,
                        None => {
                            assert!(copies == "8" && probability < 0.02, "{copies}: {bin} has no error");
                            0.01
                        }
                    };
                    assert!((density / 6.0 - probability).abs() < bound, "{copies}: {bin}, not {probability}");
                }
            }
        }
    }
    let deviation = (squares.iter().sum::<f64>() / squares.len() as f64).sqrt();
    assert!(squares.len() > 250 && (0.85..1.2).contains(&deviation), "{deviation} of {}", squares.len());
}

/// A glass whose valleys change rarely: blocks of time are far from independent.
#[test]
fn errors_of_a_slow_glass_cover_or_are_refused() {
    let strengths = [
        0.6955, -0.9795, -1.5735, -2.925, -0.3532, 1.2476, 0.0331, 0.5118, 1.0232, -0.8821, 2.6523, -0.8769, 0.3736,
        2.7396, -0.1143,
    ];
    let pairs = (0..6).flat_map(|i| (i + 1..6).map(move |j| (i, j)));
    let couplings = pairs.zip(strengths).map(|((i, j), value)| (i, j, value)).collect();
    let problem = Problem { couplings, fields: vec![0.0571, -0.2559, 0.1673, -1.0633, -0.3234, 0.847] };
    let path = problem.write(&folder("slow_glass").join("glass.coo"));
    let (mut squares, expected) = (Vec::new(), exact(&problem, 2.0).0);
    for seed in 1..=16 {
        let words = ["--method", "exchange", "--ladder", "0.2,2", "--copies", "31", "--sweeps", "3000"];
        let document = json(
            &[&["ising", &path, "--every", "3", "--observables", "--seed", &seed.to_string()], &words[..]].concat(),
        );
        for (name, value) in &expected {
            let found = &document["ladder"][1]["observables"][name];
            let Some(error) = found["error"].as_f64() else { continue };
            let z = (found["mean"].as_f64().unwrap() - value) / error;
            assert!(z.abs() < 5.0, "seed {seed}, {name}: {found}, not {value}");
            squares.push(z * z);
        }
    }
    assert!(!squares.is_empty());
}

#[test]
fn files_of_rungs_hold_the_printed_values() {
    let folder = folder("rungs");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let words = ["ising", small(), "--method", "exchange", "--sweeps", "500", "--ladder", "0.2,0.6,1"];
    let plain = json(&words);
    let (rungs, picture, overlaps) = (path("r.csv"), path("r.svg"), path("q.csv"));
    let words = [&words[..], &["--rungs", &rungs, "--rungs-svg", &picture, "--overlaps", &overlaps]].concat();
    let document = json(&words);
    // Measuring more does not change the run.
    assert_eq!(document["best"], plain["best"]);
    let ladder = document["ladder"].as_array().unwrap();
    assert_eq!(ladder[1]["energy"], plain["ladder"][1]["energy"]);
    assert!(plain["ladder"][1]["observables"].is_null());

    let mut reader = csv::Reader::from_path(&rungs).unwrap();
    let rows: Vec<HashMap<String, String>> = reader.deserialize().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 3);
    for (row, rung) in rows.iter().zip(ladder) {
        let same = |column: &str, value: &Value| match value.as_f64() {
            // The reader of JSON rounds the last digit.
            Some(value) => {
                let found: f64 = row[column].parse().unwrap();
                assert!((found - value).abs() <= 1e-15 * value.abs(), "{column}: {found}, not {value}");
            }
            None => assert_eq!(row[column], "", "{column}"),
        };
        same("beta", &rung["beta"]);
        same("autocorrelation", &rung["energy"]["autocorrelation"]);
        let fixed = ["energy", "magnetisation"].map(|name| (name, &rung[name]));
        for (name, mean) in fixed.into_iter().chain(NAMES.map(|name| (name, &rung["observables"][name]))) {
            same(name, &mean["mean"]);
            same(&format!("{name}_error"), &mean["error"]);
        }
    }
    let mut reader = csv::Reader::from_path(&overlaps).unwrap();
    let rows: Vec<[f64; 4]> = reader.deserialize().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 3 * 13);
    for bins in rows.chunks(13) {
        let total: f64 = bins.iter().map(|[_, _, density, _]| density / 6.0).sum();
        assert!((total - 1.0).abs() < 1e-12, "{total}");
    }
    let svg = fs::read_to_string(&picture).unwrap();
    assert!(svg.starts_with("<svg") && svg.matches("<circle").count() == 9 * 3);

    let text = String::from_utf8(succeeds(&[&words[..4], &["--sweeps", "500", "--observables"]].concat())).unwrap();
    assert!(text.contains("\nObservables, defined in --help"), "{text}");
    let help = String::from_utf8(succeeds(&["ising", "--help"])).unwrap();
    for name in NAMES {
        assert!(help.contains(&format!("{name} = ")), "{name}");
    }

    for option in ["--observables", "--rungs=x", "--rungs-svg=x", "--overlaps=x"] {
        let name = option.split('=').next().unwrap();
        refused(&["ising", small(), option], &format!("{name} has no effect: it requires --method exchange"));
        let quantum = ["--method", "exchange", "--slices", "4", "--gamma", "1"];
        refused(&[&["ising", small(), option], &quantum[..]].concat(), &format!("{name} has no effect"));
    }
    refused(&[&words[..], &["--series", &rungs]].concat(), "r.csv: is the file of --series");
}

#[test]
fn a_resumed_exchange_has_the_observables_of_a_whole_one() {
    let folder = folder("observed");
    for copies in ["6", "40"] {
        let checkpoint = folder.join(format!("{copies}x.checkpoint"));
        let checkpoint = checkpoint.to_str().unwrap();
        let words =
            ["ising", small(), "--method", "exchange", "--ladder", "0.3,1", "--observables", "--copies", copies];
        let first = ["--sweeps", "1000", "--warm-up", "100"];
        succeeds(&[&words[..], &first, &["--checkpoint", checkpoint]].concat());
        let longer = ["--sweeps", "5000", "--warm-up", "100"];
        let whole = json(&[&words[..], &longer].concat());
        let parts = json(&[&words[..], &longer, &["--checkpoint", checkpoint]].concat());
        for rung in 0..2 {
            let [whole, parts] = [&whole, &parts].map(|document| &document["ladder"][rung]);
            assert_eq!(whole["observables"], parts["observables"]);
            assert_eq!(whole["overlaps"], parts["overlaps"]);
        }
        let without: Vec<_> = words.iter().copied().filter(|word| *word != "--observables").collect();
        unreadable(&[&without[..], &longer, &["--checkpoint", checkpoint]].concat(), "x.checkpoint: was written with ");
    }
}

fn swap_rates(document: &Value) -> Vec<f64> {
    let rungs = document["ladder"].as_array().unwrap();
    let rate = |rung: &Value| Some(rung["swaps"].as_f64()? / rung["attempts"].as_f64()?);
    rungs.iter().filter_map(rate).collect()
}

#[test]
fn the_automatic_ladder_has_equal_swap_rates() {
    let words = ["ising", shipped(), "--method", "exchange", "--sweeps", "2000"];
    let spread = |rates: &[f64]| {
        let [min, max] = [f64::min, f64::max].map(|of| rates.iter().copied().reduce(of).unwrap());
        max - min
    };
    let document = json(&words);
    let rates = swap_rates(&document);
    assert!(rates.len() == 15 && spread(&rates) < 0.1, "{rates:?}");
    let geometric = swap_rates(&json(&[&words[..], &["--spacing", "geometric"]].concat()));
    assert!(spread(&geometric) > 0.5, "{geometric:?}");

    // The same values as an explicit ladder give the same run.
    let betas: Vec<_> = document["ladder"].as_array().unwrap().iter().map(|rung| rung["beta"].to_string()).collect();
    assert!(betas[0] == "0.076" && betas[15] == "7.6", "{betas:?}");
    let explicit = json(&[&words[..], &["--ladder", &betas.join(",")]].concat());
    assert_eq!(explicit["ladder"], document["ladder"]);

    // Also for fields, where it must be asked for.
    let quantum = ["ising", shipped(), "--method", "exchange", "--slices", "16", "--beta", "1", "--sweeps", "12000"];
    let ends = ["--gamma-max", "2", "--gamma", "0.3", "--replicas", "14"];
    let geometric = swap_rates(&json(&[&quantum[..], &ends].concat()));
    let auto = swap_rates(&json(&[&quantum[..], &ends, &["--spacing", "auto"]].concat()));
    assert!(spread(&auto) < 0.5 * spread(&geometric), "{auto:?}, {geometric:?}");
    refused(&["ising", small(), "--spacing", "auto"], "--spacing auto has no effect: an anneal has no swaps");
}
