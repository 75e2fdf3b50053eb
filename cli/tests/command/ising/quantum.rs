//! Worldlines: means against free fermions, results of the library, schedules, and what is refused.

use std::fs;

use hotloops::ising::{LayeredIsing, Transverse};
use hotloops::random::Mt19937;

use super::free_fermions::ln_partition;
use super::*;
use crate::support::{refused, unreadable};

/// A ring of unit couplings.
fn ring(folder: &str, sites: usize) -> String {
    let couplings = (0..sites).map(|i| (i, (i + 1) % sites, 1.0)).collect();
    Problem { couplings, fields: vec![0.0; sites] }
        .write(&crate::support::folder(folder).join(format!("ring{sites}.coo")))
}

/// The total energy, the transverse magnetisation and the heat capacity of a spin.
fn exact(sites: usize, beta: f64, gamma: f64) -> [f64; 3] {
    let step = 1e-4;
    let of = |beta, gamma| ln_partition(sites, beta, gamma);
    let [hot, middle, cold] = [-step, 0.0, step].map(|change| of(beta + change, gamma));
    let field = of(beta, gamma + step) - of(beta, gamma - step);
    let (spins, square) = (sites as f64, step * step);
    let heat = beta * beta * (hot + cold - 2.0 * middle) / square / spins;
    [(hot - cold) / (2.0 * step), field / (2.0 * step) / beta / spins, heat]
}

/// Errors of 120 runs: 40 seeds of three rings, away from the transition and at it.
#[test]
fn errors_of_worldlines_cover_free_fermions() {
    let mut scores = [const { Vec::new() }; 3];
    for (sites, beta, gamma) in [(8, 4.0, 1.0), (6, 2.0, 1.6), (10, 3.0, 0.7)] {
        let (path, exact) = (ring("free_fermions", sites), exact(sites, beta, gamma));
        let [beta, gamma] = [beta, gamma].map(|value: f64| value.to_string());
        for seed in (1..=40).map(|seed: u32| seed.to_string()) {
            let words = ["ising", &path, "--method", "exchange", "--beta", &beta, "--ladder", &gamma, "--kind"];
            let others = ["worldline", "--sweeps", "6000", "--every", "2", "--threads", "1", "--seed", &seed];
            let rung = &json(&[&words[..], &others, &["--observables"]].concat())["ladder"][0];
            let heat = &rung["observables"]["heat_capacity"];
            let means = [&rung["total_energy"], &rung["transverse_magnetisation"], heat];
            for ((scores, mean), exact) in scores.iter_mut().zip(means).zip(exact) {
                if let Some(error) = mean["error"].as_f64() {
                    scores.push((mean["mean"].as_f64().unwrap() - exact) / error);
                }
            }
        }
    }
    // The jackknife of a variance is wide for some rare values, and gives no error where it doubts.
    let limits = [("total energy", 110, 0.85), ("transverse magnetisation", 110, 0.85), ("heat capacity", 90, 0.75)];
    for ((name, count, least), scores) in limits.into_iter().zip(&scores) {
        let mean = scores.iter().sum::<f64>() / scores.len() as f64;
        let spread = (scores.iter().map(|z| z * z).sum::<f64>() / scores.len() as f64).sqrt();
        println!("{name}: {} scores, mean {mean:.3}, spread {spread:.3}", scores.len());
        assert!(scores.len() >= count && (least..1.15).contains(&spread) && mean.abs() < 0.35, "{name}: {scores:?}");
    }
}

/// Far from the transition one excitation has nearly all the weight.
#[test]
fn the_gap_is_that_of_free_fermions() {
    let path = ring("gap", 8);
    let words = ["ising", &path, "--method", "exchange", "--beta", "2", "--ladder", "3", "--observables"];
    let document = json(&[&words[..], &["--sweeps", "40000", "--every", "5", "--slices", "65536"]].concat());
    let rung = &document["ladder"][0];
    let gap = &rung["observables"]["gap"];
    let [mean, error] = ["mean", "error"].map(|name| gap[name].as_f64().unwrap());
    // 2 (gamma - 1); higher excitations add some percent.
    assert!(mean > 4.0 - 4.0 * error && mean < 4.3 + 4.0 * error && error < 0.2, "{gap}");
    assert_eq!(document["kind"], "Worldline");
    let kinks = rung["observables"]["kinks"]["mean"].as_f64().unwrap();
    let transverse = rung["transverse_magnetisation"]["mean"].as_f64().unwrap();
    assert!((kinks / 6.0 / transverse - 1.0).abs() < 1e-3, "{kinks} {transverse}");
}

/// The results of the library for the same seed, of slices 0 and 700. `test_worldlines.py` expects those of slice 0.
#[test]
fn an_anneal_has_the_spins_of_the_library() {
    let folder = crate::support::folder("worldline_anneal");
    let values = [1.0, -0.5, 0.75, -1.25, 1.0, 0.3];
    let mut couplings: Vec<_> = (0..6).map(|i| (i, (i + 1) % 6, values[i])).collect();
    couplings.push((1, 4, -0.6));
    let problem = Problem { couplings, fields: vec![0.1, 0.0, -0.2, 0.0, 0.3, 0.0] };
    let (path, samples) = (problem.write(&folder.join("model.coo")), folder.join("samples.txt"));
    let words = ["ising", &path, "--kind", "worldline", "--slices", "1000", "--beta", "2", "--gamma-max", "3"];
    let others = ["--gamma", "0.5", "--spacing", "linear", "--runs", "8", "--sweeps", "30", "--seed", "7"];
    let files = ["--read-out", "0,700", "--samples", samples.to_str().unwrap()];
    succeeds(&[&words[..], &others, &files].concat());
    let found = fs::read_to_string(&samples).unwrap();
    let found: Vec<&str> = found.lines().map(|line| line.split_once(' ').unwrap().1).collect();

    let mut expected = Vec::new();
    for run in 0..8 {
        let keys: [[u32; 3]; 16] = std::array::from_fn(|lane| [7, run, lane as u32]);
        let mut rng = Mt19937::from_arrays(&keys.each_ref().map(|key| &key[..])).unwrap();
        let builder = LayeredIsing::builder(1000, 6).couplings(problem.couplings.iter().copied());
        let mut lines = builder.fields(&problem.fields).build_worldlines().unwrap();
        let mut words = [0; 6];
        rng.fill_u32(&mut words);
        lines.set_spins(&words.map(|word| if word >> 31 == 0 { 1 } else { -1 })).unwrap();
        let schedule = [3.0, 1.75, 0.5].map(|gamma| Transverse { beta: 2.0, gamma });
        lines.anneal(&mut rng, &schedule, 10).unwrap();
        for slice in [0, 700] {
            let mut spins = [0; 6];
            lines.spins(slice, &mut spins).unwrap();
            expected.push(spins.map(|spin| if spin > 0 { '+' } else { '-' }).iter().collect::<String>());
        }
    }
    println!("{:?}", expected.iter().step_by(2).collect::<Vec<_>>());
    assert_eq!(found, expected);
}

/// Threads, interruptions and slices that are continuous for all purposes.
#[test]
fn a_resumed_exchange_of_worldlines_is_a_whole_one() {
    let path = Problem::rough().write(&crate::support::folder("worldline_parts").join("rough.coo"));
    let checkpoint = format!("{path}.checkpoint");
    let words = ["ising", &path, "--method", "exchange", "--slices", "continuous", "--beta", "3", "--gamma-max", "1.4"];
    let others = ["--gamma", "0.5", "--replicas", "5", "--spacing", "auto", "--observables", "--warm-up", "100"];
    let words = [&words[..], &others].concat();
    let whole = json(&[&words[..], &["--sweeps", "1500"]].concat());
    json(&[&words[..], &["--sweeps", "800", "--checkpoint", &checkpoint, "--threads", "1"]].concat());
    let parts = json(&[&words[..], &["--sweeps", "1500", "--checkpoint", &checkpoint]].concat());
    for name in ["ladder", "best", "kind", "round_trips"] {
        assert_eq!(whole[name], parts[name], "{name}");
    }
    assert!(whole["ladder"][0]["swaps"].as_u64().unwrap() > 5, "{}", whole["ladder"][0]);
    assert!((whole["best"]["energy"].as_f64().unwrap() - Problem::rough().ground_energy()).abs() < 1e-9);
}

#[test]
fn an_anneal_follows_a_schedule() {
    let folder = crate::support::folder("schedules");
    let (model, path) = (ring("schedules", 12), folder.join("schedule.csv"));
    let file = path.to_str().unwrap();
    fs::write(&path, "s,A(s) (GHz),B(s) (GHz)\n0,12,0.02\n0.5,2,4\n1,0,14\n").unwrap();
    let words = ["ising", &model, "--schedule", file, "--beta", "1", "--sweeps", "400", "--runs", "4"];
    let series = folder.join("series.csv");
    let document = json(&[&words[..], &["--series", series.to_str().unwrap()]].concat());
    assert_eq!((document["best"]["energy"].as_f64(), document["kind"].as_str()), (Some(-12.0), Some("Worldline")));
    let text = fs::read_to_string(&series).unwrap();
    let rows: Vec<Vec<f64>> =
        text.lines().skip(1).map(|line| line.split(',').map(|word| word.parse().unwrap()).collect()).collect();
    let (first, last) = (&rows[0], &rows[rows.len() - 1]);
    assert!((first[2] - 0.01).abs() < 1e-12 && (first[3] - 600.0).abs() < 1e-9, "{first:?}");
    assert!(last[2] == 7.0 && last[3] <= 1e-30, "{last:?}");
    // From the start of no order to the ground state.
    assert!(first[4] > -9.0 && last[4] == -12.0, "{first:?} {last:?}");

    fs::write(&path, "beta gamma\n0.5 3\n2 0.2\n").unwrap();
    let words = ["ising", &model, "--schedule", file];
    json(&[&words[..], &["--sweeps", "100"]].concat());
    for (others, text) in [
        (&["--beta", "1"][..], "--beta has no effect: --schedule has inverse temperatures"),
        (&["--gamma", "1"], "--gamma has no effect: --schedule has the fields"),
        (&["--method", "exchange"], "--schedule has no effect: it is that of an anneal"),
        (&["--time", "1s"], "--schedule has no effect: it needs --sweeps"),
    ] {
        refused(&[&words[..], others].concat(), text);
    }
    fs::write(&path, "beta gamma\n0.5 3\n2 x\n").unwrap();
    unreadable(&words, "schedule.csv: line 3: \"x\" is not a finite number");
}

#[test]
fn the_kind_is_chosen_by_the_number_of_slices() {
    let path = ring("kind_of_slices", 6);
    let explained = |words: &[&str]| json(&[&["ising", &path, "--explain"], words].concat());
    let at = ["--method", "exchange", "--beta", "2", "--ladder", "1.5,1"];
    for (slices, kind) in [("24", "i8-exact"), ("25", "worldline"), ("continuous", "worldline")] {
        let document = explained(&[&at[..], &["--slices", slices]].concat());
        assert_eq!(document["chosen"], kind, "{slices}");
        let kinds = document["kinds"].as_array().unwrap();
        assert_eq!(kinds.last().unwrap()["kind"], "worldline");
    }
    let usual = explained(&[&at[..], &["--kind", "worldline"]].concat());
    assert_eq!((usual["layers"].as_u64(), usual["acceptance"].as_str()), (Some(65536), Some("heat-bath")));
    assert_eq!(explained(&[&at[..], &["--slices", "64", "--acceptance", "metropolis"]].concat())["chosen"], "i8-exact");
    let words = ["ising", &path, "--method", "exchange", "--beta", "2", "--ladder", "1"];
    for (others, text) in [
        (&["--kind", "i8-exact", "--slices", "70000"][..], "--slices 70000: there are at most 65536 layers"),
        (&["--kind", "worldline", "--acceptance", "metropolis"], "--acceptance has no effect: worldlines have a heat"),
        (&["--slices", "8", "--observables"], "--observables has no effect: observables of a quantum system are those"),
        (&["--slices", "1000", "--read-out", "3"], "--read-out has no effect: --samples writes these slices"),
        (&["--slices", "1000", "--read-out", "1000", "--samples", "x"], "--read-out 1000: slices have numbers from 0"),
        (&["--slices", "0.5"], "from 2 to 1073741824, or continuous"),
        (&["--slices", "64", "--overlaps", "x"], "--overlaps has no effect: overlaps are those of classical copies"),
        (&["--kind", "fixed", "--slices", "16"], "--kind fixed: systems of this kind are classical; use worldline,"),
        (&["--kind", "bits", "--slices", "16"], "--kind bits: systems of this kind are classical; use worldline,"),
        (&["--slices", "1000", "--read-out", "1073741824", "--samples", "x"], "0 to 1073741823"),
        (&[], "--beta has no effect: the systems are classical; add --kind worldline or --slices, or leave it out"),
    ] {
        refused(&[&words[..], others].concat(), text);
    }
    let words = ["ising", &path, "--method", "exchange", "--beta", "2", "--gamma", "1"];
    refused(&words, "or a single field by --ladder GAMMA in place of --gamma");
}

#[test]
fn the_total_energy_has_the_constant_of_the_problem() {
    let path = crate::support::folder("offsets").join("offset.coo");
    let options = ["--method", "exchange", "--beta", "2", "--ladder", "1", "--slices", "64", "--kind", "worldline"];
    let means = |header: &str, pairs: &str| {
        fs::write(&path, format!("{header}\n{pairs}")).unwrap();
        let words = [&["ising", path.to_str().unwrap()][..], &options, &["--sweeps", "100"]].concat();
        let rung = &json(&words)["ladder"][0];
        ["energy", "total_energy"].map(|name| rung[name]["mean"].as_f64().unwrap_or_else(|| panic!("{name}: {rung}")))
    };
    let [energy, total] = means("# vartype=SPIN", "0 1 1\n");
    assert!(total < energy);
    let [other, other_total] = means("# vartype=SPIN offset=7", "0 1 1\n");
    assert!((other - energy - 7.0).abs() < 1e-9 && (other_total - total - 7.0).abs() < 1e-9, "{other_total} {total}");
}

/// Couplings of 10^6 and 1: the fall of the field at the start ends, and counts no kinks
/// without bound.
#[test]
fn couplings_of_any_magnitude_begin_soon() {
    let path = crate::support::folder("magnitudes").join("large.coo");
    fs::write(&path, "0 1 1e6\n1 2 1\n").unwrap();
    let words = ["ising", path.to_str().unwrap(), "--method", "exchange", "--beta", "2", "--ladder", "1"];
    let words = [&words[..], &["--kind", "worldline", "--slices", "continuous", "--sweeps", "20"]].concat();
    let energy = json(&words)["ladder"][0]["energy"]["mean"].as_f64().unwrap();
    assert!((energy + 1e6).abs() < 3e4, "{energy}");
}

#[test]
fn long_slices_are_said() {
    let path = ring("long_slices", 6);
    let said = |words: &[&str]| {
        let words = [&["ising", &path, "--method", "exchange", "--ladder", "1", "--sweeps", "20"], words].concat();
        let end = crate::support::run(&words);
        assert!(end.status.success(), "{end:?}");
        String::from_utf8(end.stderr).unwrap()
    };
    let text = said(&["--beta", "1e4", "--kind", "worldline"]);
    assert!(text.contains("the exponents of one of 65536 slices are up to 3.1e-1"), "{text}");
    assert_eq!(said(&["--beta", "1e4", "--slices", "65536"]), "");
    assert_eq!(said(&["--beta", "1e2", "--kind", "worldline"]), "");
}
