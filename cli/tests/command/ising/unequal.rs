//! Terms of very different magnitude: means are right, or the command says why not. Default temperatures.

use crate::support::{folder, unreadable};

use super::*;

/// Two large fields hold spins 1 and 2 apart, so that two large couplings cancel at spin 0, whose field is 1.
fn penalty(size: f64) -> Problem {
    let couplings = vec![(0, 1, size + 0.5), (0, 2, size + 0.5)];
    Problem { couplings, fields: vec![1.0, 10.0 * size, -10.0 * size] }
}

#[test]
fn penalties_never_swallow_the_rest_in_silence() {
    let folder = folder("penalties");
    // A third of the mean of spin 0; the others add up to 0.
    let expected = 1f64.tanh() / 3.0;
    let sizes = (1..=58).map(|power| 2f64.powi(power)).chain([2e3, 2e5, 2e7, 1e15, 4e17]);
    for (index, size) in sizes.enumerate() {
        let path = penalty(size).write(&folder.join("penalty.coo"));
        for kind in ["auto", "single", "dense", "f32-poly", "f32-fast"] {
            if kind != "auto" && index % 8 != 0 {
                continue;
            }
            let words =
                ["ising", &path, "--method", "exchange", "--ladder", "1", "--sweeps", "1000", "--format", "json"];
            let output = run(&[&words[..], &["--kind", kind]].concat());
            let error = stderr(&output);
            if output.status.code() != Some(0) {
                assert!(output.status.code() == Some(3) && kind == "auto", "{size}, {kind}: {error}");
                assert!(error.contains("penalty.coo: magnitudes at the site differ too much"), "{size}: {error}");
                assert!(size > 2e7, "{size} fits");
                continue;
            }
            let document: Value = serde_json::from_slice(&output.stdout).unwrap();
            let mean = &document["ladder"][0]["magnetisation"];
            let error_of = mean["error"].as_f64().unwrap_or(0.0);
            // The fast exponential has a bias of its own.
            let bias = if kind == "f32-fast" { 0.01 } else { 0.0 };
            let is_right = (mean["mean"].as_f64().unwrap() - expected).abs() < 4.5 * error_of + bias;
            let is_told = error.contains("warning: --kind ") && error.contains("rounds local fields");
            assert!(is_right || is_told, "{size}, {kind}: {mean}, {error}");
            assert!(!is_told || size > 1e4, "{size}, {kind}: {error}");
            assert!(is_told || error.is_empty(), "{error}");
        }
    }
}

#[test]
fn sums_that_are_too_coarse_are_explained_and_refused_for_slices() {
    let path = penalty(2e7).write(&folder("coarse").join("penalty.coo"));
    let explained =
        |kind| json(&["ising", &path, "--method", "exchange", "--ladder", "1", "--explain", "--kind", kind]);
    let auto = explained("auto");
    assert_eq!(
        (auto["chosen"].as_str(), auto["warning"].as_str(), auto["rounding"].as_f64()),
        (Some("dense"), None, Some(0.0))
    );
    let single = explained("single");
    assert!(single["warning"].as_str().unwrap().contains("means are unreliable; use --kind dense"), "{single}");
    assert!(single["rounding"].as_f64().unwrap() > 1.0);
    let quantum = ["--slices", "8", "--method", "exchange", "--ladder", "1", "--gamma", "1"];
    unreadable(&[&["ising", &path], &quantum[..]].concat(), "penalty.coo: magnitudes at the site differ too much");
    // An anneal that is cold enough to tell small energies apart.
    let output = run(&["ising", &path, "--kind", "single", "--sweeps", "20"]);
    assert!(stderr(&output).contains("not told apart"), "{}", stderr(&output));
}

/// Independent spins, whatever the size of their fields: one excitation in a hundred reads of the whole system.
#[test]
fn an_anneal_ends_cold_enough_for_the_whole_system() {
    let folder = folder("independent");
    for (spins, field, betas) in [
        (100, 0.5, "0.693 to 9.21"),
        (100, 0.001, "347 to 4610"),
        (1, 1.0, "0.347 to 2.3"),
        (1000, 2.0, "0.173 to 2.88"),
    ] {
        let fields = (0..spins).map(|i| if i % 3 == 0 { field } else { -field }).collect();
        let path = Problem { couplings: Vec::new(), fields }.write(&folder.join("fields.coo"));
        let samples = folder.join("samples.txt");
        let words = ["ising", &path, "--runs", "1", "--copies", "100", "--samples", samples.to_str().unwrap()];
        let document = json(&words);
        assert_eq!(document["options"]["beta"], format!("{betas} in 100 geometric steps"));
        let text = fs::read_to_string(&samples).unwrap();
        let energies: Vec<f64> = text.lines().map(|line| line.split_once(' ').unwrap().0.parse().unwrap()).collect();
        // Of 100 systems, about one has an excitation, which costs twice the field.
        let excitations = energies.iter().map(|energy| (energy / field + f64::from(spins)) / 2.0).sum::<f64>();
        assert!(energies.len() == 100 && (-0.01..6.0).contains(&excitations), "{spins}, {field}: {excitations}");
    }
}
