//! Runs that end after a time, or at a target.

use std::fs;
use std::time::Instant;

use crate::support::{folder, refused};
use serde_json::Value;

use super::files::samples;
use super::*;

#[test]
fn anneals_repeat_until_the_time_is_over() {
    let folder = folder("time");
    let [table, file] = ["x.csv", "x.samples"].map(|name| folder.join(name).to_str().unwrap().to_owned());
    let words =
        ["ising", small(), "--runs", "2", "--copies", "4", "--sweeps", "95", "--series", &table, "--samples", &file];
    let begin = Instant::now();
    let document = json(&[&words[..], &["--time", "0.4s"]].concat());
    let seconds = begin.elapsed().as_secs_f64();
    assert!((0.4..10.0).contains(&seconds), "{seconds}");
    assert_eq!(document["options"]["time"], "0.4 s");
    let (anneals, best) = (document["anneals"].as_u64().unwrap(), &document["best"]);
    assert!(anneals > 3 && (1..=anneals + 1).contains(&best["anneal"].as_u64().unwrap()), "{document}");
    let systems = best["systems"].as_u64().unwrap();
    assert!((8 * anneals..=8 * anneals + 8).contains(&systems) && best["found"].as_u64() <= Some(systems));
    assert!((best["energy"].as_f64().unwrap() - Problem::random(0.25).ground_energy()).abs() < 1e-9);
    // Files hold the last complete anneal.
    assert_eq!(fs::read_to_string(&table).unwrap().lines().count(), 1 + 2 * 10);
    assert_eq!(samples(&file).len(), 8);

    let text = String::from_utf8(succeeds(&[&words[..], &["--time", "50ms"]].concat())).unwrap();
    assert!(text.contains(" complete anneals; results depend on the time\n"), "{text}");
    let long = changed(&words, "95", "1000000000");
    let document = json(&[&long[..], &["--every", "10000", "--time", "0.3"]].concat());
    assert!(document["anneals"] == 0 && document["best"]["systems"] == 8, "{document}");

    for time in ["10x", "0", "1e9d", "s", ""] {
        refused(&["ising", small(), "--time", time], "--time");
    }
    refused(&["ising", small(), "--time", "1s", "--method", "exchange"], "--time has no effect: it repeats anneals");
    refused(&["ising", small(), "--time", "1s", "--checkpoint", &file], "cannot be used with");
}

/// A torus of 40 x 40 spins with couplings of both signs.
fn torus(name: &str) -> String {
    let path = folder(name).join("torus.coo");
    let mut state = 1u64;
    let mut sign = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        if state >> 63 == 0 { 1 } else { -1 }
    };
    let sites = (0..40).flat_map(|y| (0..40).map(move |x| (x, y)));
    let bonds = sites.flat_map(|(x, y)| [(x, y, (x + 1) % 40, y), (x, y, x, (y + 1) % 40)]);
    let text: String = bonds.map(|(x, y, u, v)| format!("{} {} {}\n", 40 * y + x, 40 * v + u, sign())).collect();
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn without_sweeps_anneals_fill_the_time() {
    let folder = folder("fill");
    let table = folder.join("x.csv").to_str().unwrap().to_owned();
    let begin = Instant::now();
    let document = json(&["ising", small(), "--time", "0.4s", "--threads", "2", "--series", &table]);
    assert!(begin.elapsed().as_secs_f64() > 0.3);
    assert_eq!((&document["options"]["sweeps"], &document["options"]["every"]), (&"by time".into(), &"by time".into()));
    assert_eq!((&document["options"]["copies"], &document["options"]["runs"]), (&"512".into(), &"2".into()));
    assert!((document["best"]["energy"].as_f64().unwrap() - Problem::random(0.25).ground_energy()).abs() < 1e-9);
    let rows = fs::read_to_string(&table).unwrap();
    let sweeps: Vec<u64> = rows.lines().skip(1).map(|row| row.split(',').next().unwrap().parse().unwrap()).collect();
    // Each of two models has a row for every step, of one sweep or more.
    assert!(sweeps.len().is_multiple_of(2) && sweeps.is_sorted() && *sweeps.last().unwrap() >= sweeps.len() as u64 / 2);

    // A few more spins than fit the time many times over: one copy for a short time, more for a long one.
    let torus = torus("torus");
    let copies = |time: &str| {
        let copies = &json(&["ising", &torus, "--time", time, "--threads", "1", "--explain"])["layers"];
        copies.as_u64().unwrap()
    };
    assert!((copies("10ms"), copies("1h")) == (1, 512), "{} {}", copies("10ms"), copies("1h"));
    let words = ["ising", small(), "--time", "1s", "--every", "5"];
    refused(&words, "--every has no effect: without --sweeps, --time sets the sweeps of a step");
    let quantum = ["--slices", "8", "--beta", "2", "--gamma", "0.1", "--gamma-max", "3"];
    json(&[&["ising", small(), "--time", "0.2s"], &quantum[..]].concat());
}

#[test]
fn a_target_ends_a_run() {
    let problem = Problem::random(0.25);
    let ground = problem.ground_energy().to_string();
    let parsed = |words: &[&str]| serde_json::from_slice::<Value>(&succeeds(words)).unwrap();
    for words in shapes() {
        let long = changed(&words, "205", "1000000");
        let reached = [&long[..], &["--every", "10", "--target", &ground]].concat();
        let document = parsed(&reached);
        let target = &document["target"];
        assert!(target["is_reached"] == true && target["value"] == problem.ground_energy(), "{target}");
        assert!(target["seconds"].as_f64().unwrap() < 60.0);
        assert!((document["best"]["energy"].as_f64().unwrap() - problem.ground_energy()).abs() < 1e-9);
        let document = parsed(&[&words[..], &["--target", "-1e6"]].concat());
        assert_eq!(document["target"]["is_reached"], false);
        // Without a target the rest is the same.
        let mut whole = parsed(&words);
        whole["target"] = document["target"].clone();
        assert_eq!(whole, document);
    }
    let words = ["ising", small(), "--sweeps", "100", "--time", "60s", "--target", &ground];
    let text = String::from_utf8(succeeds(&words)).unwrap();
    assert!(text.contains(&format!("\ntarget {ground} reached after ")), "{text}");
    refused(&["ising", small(), "--target", "low"], "expected a finite number");

    let gset = folder("target").join("triangle.gset");
    fs::write(&gset, "3 3\n1 2 1\n2 3 1\n3 1 1\n").unwrap();
    for (cut, is_reached) in [("2", true), ("2.5", false)] {
        let document = json(&["ising", gset.to_str().unwrap(), "--sweeps", "100", "--target", cut]);
        assert_eq!(document["target"]["is_reached"], is_reached, "{cut}");
    }
}
