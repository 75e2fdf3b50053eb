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
        for kind in ["auto", "single", "dense", "fixed", "f32-poly", "f32-fast"] {
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
            assert!(is_right || is_told && !matches!(kind, "auto" | "fixed"), "{size}, {kind}: {mean}, {error}");
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
        (Some("fixed"), None, Some(0.0))
    );
    let single = explained("single");
    assert!(single["warning"].as_str().unwrap().contains("means are unreliable; use --kind fixed"), "{single}");
    assert!(single["rounding"].as_f64().unwrap() > 1.0);
    let quantum = ["--slices", "8", "--method", "exchange", "--ladder", "1", "--gamma", "1"];
    unreadable(&[&["ising", &path], &quantum[..]].concat(), "penalty.coo: magnitudes at the site differ too much");
    // An anneal that is cold enough to tell small energies apart.
    let output = run(&["ising", &path, "--kind", "single", "--sweeps", "20"]);
    assert!(stderr(&output).contains("not told apart"), "{}", stderr(&output));
}

/// Lines of a COO file for the ratio of its largest term to its smallest ones.
type Lines = fn(f64) -> String;

/// Couplings that cancel at spin 0, beside small ones.
fn glass(size: f64) -> String {
    format!("0 1 {size}\n0 2 -{size}\n1 2 {}\n0 3 1\n3 4 1\n4 0 -0.5\n", 3.0 * size)
}

/// A field beside couplings that cancel.
fn field(size: f64) -> String {
    format!("0 1 {size}\n0 2 {size}\n1 1 {0}\n2 2 -{0}\n0 0 1\n", 10.0 * size)
}

/// Decimals, none of which is a binary fraction.
fn decimals(size: f64) -> String {
    format!("0 1 0.7\n0 2 0.7\n1 1 7.1\n2 2 -7.1\n0 0 {}\n", 0.7 / size)
}

/// A QUBO: `ones` of four variables are 1, which a penalty holds, and they cost 1, 2, 3 and 4.
fn chosen(ones: u32, size: f64) -> String {
    let lines = (0..4).flat_map(|i| {
        let own = format!("{i} {i} {}", f64::from(i + 1) - f64::from(2 * ones - 1) * size);
        (0..i).map(move |j| format!("{j} {i} {}", 2.0 * size)).chain([own])
    });
    "# vartype=BINARY\n".to_owned() + &lines.map(|line| line + "\n").collect::<String>()
}

/// `auto` takes no kind that loses the small terms: it is silent and right, or refuses. Once it refuses a ratio, it
/// refuses all larger ones.
#[test]
fn auto_sums_or_refuses_at_every_ratio() {
    let path = folder("ratios").join("ratio.coo");
    let path = path.to_str().unwrap();
    let problems: [(&str, f64, Lines); 5] = [
        ("glass", 1e18, glass),
        ("field", 1e18, field),
        ("decimals", 1e18, decimals),
        // In the file, larger ones have no digits left for the costs.
        ("one of four", 1e15, |size| chosen(1, size)),
        ("two of four", 1e15, |size| chosen(2, size)),
    ];
    for (name, largest, lines) in problems {
        for slices in [&[][..], &["--slices", "8", "--gamma", "1"]] {
            let mut refused = None;
            for size in (3..=18).flat_map(|power| [1.0, 3.0].map(|digit| digit * 10f64.powi(power))) {
                if size > largest {
                    break;
                }
                fs::write(path, lines(size)).unwrap();
                let words = ["ising", path, "--explain", "--method", "exchange", "--ladder", "1", "--format", "json"];
                let output = run(&[&words[..], slices].concat());
                let error = stderr(&output);
                if output.status.success() {
                    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
                    assert!(document["warning"].is_null(), "{name}, {size}: {}", document["warning"]);
                    assert_eq!(refused, None, "{name}: {size} is accepted by {}", document["chosen"]);
                } else {
                    assert_eq!(output.status.code(), Some(3), "{name}, {size}: {error}");
                    assert!(error.contains("scale penalties down or name a kind"), "{name}, {size}: {error}");
                    refused = refused.or(Some(size));
                }
            }
            let is_right = match slices.is_empty() {
                true => refused.is_none_or(|size| size > 1e13),
                false => refused.is_some_and(|size| (1e5..1e9).contains(&size)),
            };
            assert!(is_right, "{name}, {slices:?}: {refused:?}");
        }
    }
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
