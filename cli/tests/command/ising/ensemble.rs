//! Correct physics: ground states, mean energies and their errors.

use std::collections::HashSet;
use std::fs;

use crate::support::{folder, run, shipped, stderr};
use serde_json::Value;

use super::*;

#[test]
fn ground_states_are_found_by_every_method() {
    let folder = folder("ground_states");
    for unit in [0.25, 0.123456789, 20.0 * std::f64::consts::PI] {
        let problem = Problem::random(unit);
        check_ground_state(&problem, &problem.write(&folder.join("small.coo")), "I8Exact", unit);
    }
    check_ground_state(&Problem::rough(), rough(), "F32Poly", 0.25);
}

fn check_ground_state(problem: &Problem, path: &str, kind: &str, unit: f64) {
    let ground = problem.ground_energy();
    let (beta, low, high) = ((4.0 / unit).to_string(), (0.1 * unit).to_string(), (10.0 * unit).to_string());
    let ladder = [3.0, 2.0, 1.0, 0.5, 0.2].map(|gamma| (gamma * unit).to_string()).join(",");
    for options in [
        &["--runs", "2"][..],
        &["--method", "exchange", "--replicas", "6"],
        &["--slices", "16", "--beta", &beta, "--gamma", &low, "--gamma-max", &high],
        &["--method", "exchange", "--slices", "16", "--beta", &beta, "--ladder", &ladder],
    ] {
        let words = [&["ising", path, "--sweeps", "300"], options].concat();
        let document = json(&words);
        let best = &document["best"];
        let spins: Vec<f64> = best["spins"].as_array().unwrap().iter().map(|spin| spin.as_f64().unwrap()).collect();
        assert!(spins.len() == 12 && spins.iter().all(|spin| spin.abs() == 1.0), "{words:?}");
        let (energy, rounding) = (best["energy"].as_f64().unwrap(), 1e-6 * ground.abs());
        assert!((energy - ground).abs() < rounding, "{words:?}: {energy}, not {ground}");
        assert!((problem.energy(|i| spins[i]) - ground).abs() < rounding, "{words:?}");
        assert_eq!(document["kind"], kind, "{words:?}");
        assert!(best["found"].as_u64().unwrap() >= 1 && best["found"].as_u64() <= best["systems"].as_u64());
    }
}

/// Asserts that an energy of the ladder is within 4.5 errors of the exact one, and the error small.
fn check_mean(mean: &Value, expected: f64, largest_error: f64) {
    let (found, error) = (mean["mean"].as_f64().unwrap(), mean["error"].as_f64().unwrap());
    assert!(error > 0.0 && error < largest_error, "{mean}");
    assert!((found - expected).abs() < 4.5 * error, "{mean}, not {expected}");
    assert!(mean["autocorrelation"].as_f64().unwrap() > 0.0);
}

/// Where local fields can be 0 at every site, certain flips go round in circles.
#[test]
fn rings_are_sampled_whole() {
    let folder = folder("rings");
    let mut flagged = 0;
    for sites in [3usize, 5, 8, 40] {
        let couplings = (0..sites).map(|i| (i.min((i + 1) % sites), i.max((i + 1) % sites), 1.0)).collect();
        let ring = Problem { couplings, fields: vec![0.0; sites] };
        let path = ring.write(&folder.join(format!("{sites}.coo")));
        for kind in ["auto", "i8-exact", "i16-exact", "single", "dense", "fixed", "bits"] {
            let words = ["ising", &path, "--method", "exchange", "--ladder", "0.3,0.65,1.2", "--kind", kind];
            let document = json(&[&words[..], &["--sweeps", "2000"]].concat());
            for (rung, beta) in document["ladder"].as_array().unwrap().iter().zip([0.3f64, 0.65, 1.2]) {
                let (t, n) = (beta.tanh(), sites as i32);
                let exact = -f64::from(n) * t * (1.0 + t.powi(n - 2)) / (1.0 + t.powi(n));
                // A few of the 72 series are flagged.
                match rung["energy"]["error"].is_null() {
                    true => flagged += 1,
                    false => check_mean(&rung["energy"], exact, 0.1 * f64::from(n)),
                }
            }
            let warned =
                run(&[&words[..5], &["0.65", "--sweeps", "20", "--kind", kind, "--acceptance", "metropolis"]].concat());
            let is_warned = stderr(&warned).contains("--acceptance metropolis may go round");
            let never = kind == "bits" || kind == "fixed" || document["kind"] == "Bits";
            assert_eq!(is_warned, !never, "{sites} {kind}");
        }
    }
    assert!(flagged <= 6, "{flagged}");
}

#[test]
fn mean_energies_are_those_of_the_canonical_ensemble() {
    let folder = folder("means");
    let pair = Problem { couplings: vec![(0, 1, 1.0)], fields: vec![0.0, 0.25] };
    let pair_path = pair.write(&folder.join("pair.coo"));
    let words = ["ising", &pair_path, "--method", "exchange", "--sweeps", "20000", "--copies", "64"];
    for ladder in ["0.7", "0.2,0.7,1.5"] {
        let document = json(&[&words[..], &["--ladder", ladder]].concat());
        let rungs = document["ladder"].as_array().unwrap();
        for (rung, beta) in rungs.iter().zip(ladder.split(',')) {
            let beta = beta.parse().unwrap();
            assert_eq!(rung["beta"], beta);
            check_mean(&rung["energy"], pair.mean_energy(beta), 0.01);
        }
    }
    let problem = Problem::random(0.25);
    let path = problem.write(&folder.join("small.coo"));
    let words =
        ["ising", &path, "--method", "exchange", "--sweeps", "4000", "--every", "4", "--ladder", "0.4,0.8,1.2,1.8"];
    for rung in json(&words)["ladder"].as_array().unwrap() {
        check_mean(&rung["energy"], problem.mean_energy(rung["beta"].as_f64().unwrap()), 0.05);
        assert!(rung["swaps"].is_null() || rung["swaps"].as_u64() < rung["attempts"].as_u64());
    }
}

/// For 100 seeds: the spread of the means divided by the mean of their errors, for energy and
/// magnetisation at the hottest and the coldest rung, and the number of seeds with an error.
fn spreads(words: &[&str], exact: impl Fn(f64) -> [f64; 2]) -> Vec<(f64, usize)> {
    let mut deviations = vec![Vec::new(); 4];
    for seed in 1..=100 {
        let document = json(&[words, &["--method", "exchange", "--seed", &seed.to_string()]].concat());
        let rungs = document["ladder"].as_array().unwrap();
        for (end, rung) in [&rungs[0], &rungs[rungs.len() - 1]].into_iter().enumerate() {
            let exact = exact(rung["beta"].as_f64().unwrap());
            for (quantity, exact) in ["energy", "magnetisation"].into_iter().zip(exact) {
                let mean = &rung[quantity];
                assert_eq!(mean["error"].is_null(), mean["not_converged"].is_string(), "{mean}");
                if let Some(error) = mean["error"].as_f64() {
                    let index = 2 * end + usize::from(quantity == "magnetisation");
                    deviations[index].push((mean["mean"].as_f64().unwrap() - exact, error));
                }
            }
        }
    }
    let ratio = |all: &Vec<(f64, f64)>| {
        let square = all.iter().map(|(deviation, _)| deviation * deviation).sum::<f64>() / all.len() as f64;
        (square.sqrt() / (all.iter().map(|(_, error)| error).sum::<f64>() / all.len() as f64), all.len())
    };
    deviations.iter().map(ratio).collect()
}

#[test]
fn errors_cover_the_distance_from_the_exact_means() {
    let problem = Problem::random(0.25);
    let exact = |beta| problem.means(beta);
    for (options, min_given) in [
        (&["--sweeps", "300", "--ladder", "0.00001,0.3,0.8,1.5,2.5"][..], 90),
        (&["--sweeps", "300", "--every", "1", "--ladder", "0.1,0.3,0.8,1.5,2.5"], 90),
        (&["--sweeps", "300", "--every", "1", "--ladder", "0.05,0.3,0.8", "--acceptance", "metropolis"], 90),
        (&["--sweeps", "2000", "--copies", "8", "--ladder", "0.00001,0.2,0.8"], 60),
    ] {
        let found = spreads(&[&["ising", small()], options].concat(), exact);
        let is_right = |&(ratio, given): &(f64, usize)| (1.0 / 1.3..1.3).contains(&ratio) && given >= min_given;
        assert!(found.iter().all(is_right), "{options:?}: {found:?}");
    }
}

/// Metropolis flips nearly every spin in every sweep here. The result has no error or a reliable
/// one.
#[test]
fn the_mean_energy_at_the_hot_end_is_0() {
    let folder = folder("hot_end");
    let shipped_text = fs::read_to_string(shipped()).unwrap();
    let change = |(index, line): (usize, &str)| match line.rsplit_once(' ') {
        Some((pair, value)) if !line.starts_with('#') => {
            format!("{pair} {}\n", value.parse::<f64>().unwrap() * (1.0 + 1e-4 * index as f64))
        }
        _ => format!("{line}\n"),
    };
    let real = folder.join("real.coo");
    fs::write(&real, shipped_text.lines().enumerate().map(change).collect::<String>()).unwrap();
    for (path, kind) in [(shipped(), "I8Exact"), (real.to_str().unwrap(), "F32Poly")] {
        let words = ["ising", path, "--method", "exchange", "--ladder", "0.00001"];
        for (acceptance, name) in [("auto", "heat-bath"), ("heat-bath", "heat-bath"), ("metropolis", "metropolis")] {
            let document = json(&[&words[..], &["--acceptance", acceptance]].concat());
            let rung = &document["ladder"][0];
            let names = (document["kind"].as_str(), rung["acceptance"].as_str());
            assert_eq!(names, (Some(kind), Some(name)));
            assert_eq!(document["options"]["acceptance"], acceptance);
            check_mean(&rung["energy"], 0.0, if name == "heat-bath" { 0.2 } else { 1.5 });
            check_mean(&rung["magnetisation"], 0.0, if name == "heat-bath" { 0.002 } else { 0.02 });
        }
    }
    let cold = ["ising", shipped(), "--method", "exchange", "--ladder", "1"];
    assert_eq!(json(&cold)["ladder"][0]["acceptance"], "metropolis");
}

/// A single series that flips as a whole in every sweep has no error.
#[test]
fn an_alternating_series_is_not_converged() {
    let path =
        Problem { couplings: vec![(0, 1, 0.001)], fields: vec![0.0; 2] }.write(&folder("flips").join("pair.coo"));
    let words = ["ising", &path, "--method", "exchange", "--copies", "2", "--every", "1", "--acceptance", "metropolis"];
    let words = [&words[..], &["--kind", "i8-exact"]].concat();
    let mean = &json(&[&words[..], &["--ladder", "1"]].concat())["ladder"][0]["magnetisation"];
    assert!(mean["error"].is_null() && mean["not_converged"] == "short", "{mean}");
    let text = String::from_utf8(succeeds(&[&words[..], &["--ladder", "1"]].concat())).unwrap();
    assert!(text.contains("\nnot converged (1): the series is too short"), "{text}");
}

/// Each rung stays in its own valley here, so errors would be up to 15 times too small.
#[test]
fn a_ladder_without_round_trips_has_no_errors() {
    let words = ["--method", "exchange", "--slices", "32", "--gamma", "0.7", "--replicas", "8", "--sweeps", "3000"];
    let document = json(&[&["ising", shipped()], &words[..]].concat());
    assert_eq!(document["round_trips"], 0);
    let mut doubts = HashSet::new();
    for rung in document["ladder"].as_array().unwrap() {
        for name in ["energy", "total_energy", "magnetisation", "transverse_magnetisation"] {
            assert!(rung[name]["error"].is_null(), "{rung}");
            doubts.insert(rung[name]["not_converged"].as_str().unwrap().to_owned());
        }
    }
    assert!(doubts.contains("trapped"), "{doubts:?}");
}

#[test]
fn energies_are_those_of_the_numbers_as_written() {
    let folder = folder("written");
    for (name, text, energy) in [
        ("large", "0 1 16777217\n1 2 16777217\n", -33554434.0),
        ("decimal", "0 1 0.1\n1 2 0.2\n2 3 0.3\n", -0.6),
        ("fields", "0 0 0.1\n0 1 1e-9\n", -0.100000001),
        ("wide", "0 1 1125899906842623\n1 2 1\n", -1125899906842624.0),
    ] {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        let found = json(&["ising", path.to_str().unwrap(), "--sweeps", "200"])["best"]["energy"].as_f64().unwrap();
        assert!((found - energy).abs() <= 2e-16 * energy.abs(), "{name}: {found}, not {energy}");
    }
}

#[test]
fn a_spin_in_a_transverse_field_has_its_known_energy() {
    let folder = folder("transverse");
    let path = Problem { couplings: vec![], fields: vec![0.75] }.write(&folder.join("one.coo"));
    let fixed = ["ising", &path, "--method", "exchange", "--slices", "16", "--sweeps", "30000", "--warm-up", "1000"];
    let ladders = [["--gamma", "0.5", "--ladder", "1,1.5,2"], ["--beta", "1.5", "--ladder", "1.2,0.8,0.5"]];
    for ladder in ladders {
        for rung in json(&[&fixed[..], &ladder].concat())["ladder"].as_array().unwrap() {
            let (beta, gamma) = (rung["beta"].as_f64().unwrap(), rung["gamma"].as_f64().unwrap());
            let gap = (0.75f64.powi(2) + gamma * gamma).sqrt();
            // The error of 16 slices is some 10^-4.
            check_mean(&rung["total_energy"], -gap * (beta * gap).tanh(), 0.03);
            check_mean(&rung["magnetisation"], 0.75 / gap * (beta * gap).tanh(), 0.03);
            check_mean(&rung["transverse_magnetisation"], gamma / gap * (beta * gap).tanh(), 0.03);
        }
    }
}
