//! `hotloops ising`: right physics, the same result however it is had, and checkpoints that survive anything.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::{Output, Stdio};
use std::sync::LazyLock;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::{command, folder, keys, refused, run, shipped, stderr};
use serde_json::Value;

/// Standard output of a run that succeeds and says nothing on standard error.
fn succeeds(words: &[&str]) -> Vec<u8> {
    finished(run(words), words)
}

fn finished(output: Output, words: &[&str]) -> Vec<u8> {
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "{words:?}");
    output.stdout
}

fn json(words: &[&str]) -> Value {
    serde_json::from_slice(&succeeds(&[words, &["--json"]].concat())).unwrap()
}

struct Problem {
    couplings: Vec<(usize, usize, f64)>,
    fields: Vec<f64>,
}

impl Problem {
    /// Every third pair of 12 spins and every spin, in multiples of `unit`.
    fn random(unit: f64) -> Self {
        let mut state = 12345u64;
        let mut value = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((state >> 33) % 13) as f64 - 6.0
        };
        let pairs = (0..12).flat_map(|i| (i + 1..12).map(move |j| (i, j))).step_by(3);
        let couplings = pairs.map(|(i, j)| (i, j, unit * value())).collect();
        Problem { couplings, fields: (0..12).map(|_| unit * value() / 2.0).collect() }
    }

    /// Its strengths are no small integers.
    fn rough() -> Self {
        let mut problem = Problem::random(0.25);
        problem.couplings.iter_mut().enumerate().for_each(|(k, (.., value))| *value *= 1.0 + 1e-4 * k as f64);
        problem
    }

    fn write(&self, path: &Path) -> String {
        let couplings = self.couplings.iter().map(|(i, j, value)| format!("{i} {j} {value}\n"));
        let fields = self.fields.iter().enumerate().map(|(i, value)| format!("{i} {i} {value}\n"));
        fs::write(path, couplings.chain(fields).collect::<String>()).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn energy(&self, spin: impl Fn(usize) -> f64) -> f64 {
        let couplings = self.couplings.iter().map(|&(i, j, value)| value * spin(i) * spin(j)).sum::<f64>();
        -couplings - self.fields.iter().enumerate().map(|(i, value)| value * spin(i)).sum::<f64>()
    }

    /// Over all configurations.
    fn ground_energy(&self) -> f64 {
        let energies = (0..1u32 << self.fields.len()).map(|bits| self.energy(|i| spin_of(bits, i)));
        energies.fold(f64::INFINITY, f64::min)
    }

    fn mean_energy(&self, beta: f64) -> f64 {
        self.means(beta)[0]
    }

    /// Energy and magnetisation per spin.
    fn means(&self, beta: f64) -> [f64; 2] {
        let sites = self.fields.len();
        let (mut sums, mut weights) = ([0.0; 2], 0.0);
        for bits in 0..1u32 << sites {
            let energy = self.energy(|i| spin_of(bits, i));
            let magnetisation = (0..sites).map(|i| spin_of(bits, i)).sum::<f64>() / sites as f64;
            let weight = (-beta * energy).exp();
            weights += weight;
            sums = [sums[0] + weight * energy, sums[1] + weight * magnetisation];
        }
        sums.map(|sum| sum / weights)
    }
}

/// The file of a small problem.
fn small() -> &'static str {
    static PATH: LazyLock<String> = LazyLock::new(|| Problem::random(0.25).write(&folder("small").join("small.coo")));
    &PATH
}

fn rough() -> &'static str {
    static PATH: LazyLock<String> = LazyLock::new(|| Problem::rough().write(&folder("rough").join("rough.coo")));
    &PATH
}

fn spin_of(bits: u32, site: usize) -> f64 {
    if bits >> site & 1 == 0 { 1.0 } else { -1.0 }
}

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

/// That an energy of the ladder is right: within 4.5 errors, which are small.
fn check_mean(mean: &Value, expected: f64, largest_error: f64) {
    let (found, error) = (mean["mean"].as_f64().unwrap(), mean["error"].as_f64().unwrap());
    assert!(error > 0.0 && error < largest_error, "{mean}");
    assert!((found - expected).abs() < 4.5 * error, "{mean}, not {expected}");
    assert!(mean["autocorrelation"].as_f64().unwrap() > 0.0);
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

/// 100 seeds: the spread of the means over the mean of their errors, for energy and magnetisation at the hottest and at the
/// coldest rung; and how many seeds gave an error.
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

/// Metropolis flips nearly every spin in every sweep here. Then no error, or one that covers.
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
    let mean = &json(&[&words[..], &["--ladder", "1"]].concat())["ladder"][0]["magnetisation"];
    assert!(mean["error"].is_null() && mean["not_converged"] == "short", "{mean}");
    let text = String::from_utf8(succeeds(&[&words[..], &["--ladder", "1"]].concat())).unwrap();
    assert!(text.contains("\nnot converged (1): the series is too short"), "{text}");
}

/// Each rung keeps to its own valley here: the errors of 100 seeds were up to 15 times too small.
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
            // 16 slices are wrong by some 10^-4.
            check_mean(&rung["total_energy"], -gap * (beta * gap).tanh(), 0.03);
            check_mean(&rung["magnetisation"], 0.75 / gap * (beta * gap).tanh(), 0.03);
            check_mean(&rung["transverse_magnetisation"], gamma / gap * (beta * gap).tanh(), 0.03);
        }
    }
}

/// A short run of each shape.
fn shapes() -> [Vec<&'static str>; 4] {
    let common = ["ising", small(), "--sweeps", "205", "--seed", "7", "--json"];
    [
        &["--copies", "10", "--runs", "3"][..],
        &["--slices", "8", "--runs", "3", "--beta", "2", "--gamma", "0.1", "--gamma-max", "3"],
        &["--method", "exchange", "--copies", "16", "--replicas", "5", "--beta-min", "0.3", "--beta-max", "1"],
        &["--method", "exchange", "--slices", "8", "--beta", "2", "--ladder", "2,1.5,1,0.5"],
    ]
    .map(|words| [&common, words].concat())
}

/// With one word in the place of another.
fn changed<'a>(words: &[&'a str], from: &str, to: &'a str) -> Vec<&'a str> {
    assert!(words.contains(&from));
    words.iter().map(|&word| if word == from { to } else { word }).collect()
}

#[test]
fn the_number_of_threads_does_not_matter_but_the_seed_does() {
    let folder = folder("threads");
    for (index, words) in shapes().iter().enumerate() {
        let run = |threads: &str, seed: &'static str| {
            let [table, picture] = ["csv", "svg"].map(|end| folder.join(format!("{index}.{threads}.{seed}.{end}")));
            let files = ["--csv", table.to_str().unwrap(), "--svg", picture.to_str().unwrap()];
            let words = [changed(words, "7", seed), files.into()].concat();
            let output = command(&words).env("RAYON_NUM_THREADS", threads).output().unwrap();
            (finished(output, &words), fs::read(table).unwrap(), fs::read(picture).unwrap())
        };
        let one = run("1", "7");
        assert!(one == run("3", "7"), "{words:?}");
        assert!(one.1 != run("3", "8").1, "{words:?}");
    }
}

/// Runs until the end, through as many kills as it takes, a little later each time; the number of kills.
fn run_and_kill(words: &[&str], checkpoint: &Path) -> (Vec<u8>, usize) {
    for kills in 0.. {
        let resume: &[&str] = if checkpoint.exists() { &["--resume", checkpoint.to_str().unwrap()] } else { &[] };
        let words = [words, resume].concat();
        let mut child = command(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let end = Instant::now() + Duration::from_micros(20_000 + 7_300 * kills as u64);
        while Instant::now() < end && child.try_wait().unwrap().is_none() {
            sleep(Duration::from_millis(1));
        }
        if child.try_wait().unwrap().is_some() {
            return (finished(child.wait_with_output().unwrap(), &words), kills);
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    unreachable!()
}

#[test]
fn a_killed_run_goes_on_as_if_nothing_had_happened() {
    let folder = folder("killed");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let in_floats = shapes().map(|words| changed(&words, small(), rough())).into_iter().step_by(2);
    for words in shapes().into_iter().chain(in_floats) {
        let words = changed(&words, "205", "1005");
        let expected = succeeds(&[&words[..], &["--csv", &path("whole.csv"), "--svg", &path("whole.svg")]].concat());
        let checkpoint = path("run.checkpoint");
        let saving = ["--csv", &path("run.csv"), "--svg", &path("run.svg"), "--checkpoint", &checkpoint];
        let words = [&words[..], &saving, &["--checkpoint-seconds", "0"]].concat();
        let (found, kills) = run_and_kill(&words, Path::new(&checkpoint));
        assert!(kills > 0, "too quick to be killed: {words:?}");
        assert!(found == expected, "{words:?} after {kills} kills");
        for end in ["csv", "svg"] {
            assert!(fs::read(path(&format!("run.{end}"))).unwrap() == fs::read(path(&format!("whole.{end}"))).unwrap());
        }
        // The last checkpoint is that of the end.
        assert!(succeeds(&[&words[..], &["--resume", &checkpoint]].concat()) == expected);
        fs::remove_file(&checkpoint).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn a_signal_ends_a_run_with_a_checkpoint() {
    let folder = folder("signal");
    let checkpoint = folder.join("run.checkpoint");
    let words = ["ising", small(), "--runs", "2", "--copies", "4", "--sweeps", "5000", "--json"];
    let expected = succeeds(&words);
    let saving = [&words[..], &["--checkpoint", checkpoint.to_str().unwrap(), "--checkpoint-seconds", "0"]].concat();
    for signal in ["-INT", "-TERM"] {
        let mut child = command(&saving).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        while !checkpoint.exists() {
            sleep(Duration::from_millis(1));
        }
        let sent = std::process::Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        assert!(sent.success() && child.wait().is_ok());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let text = stderr(&output);
        assert!(text.contains("interrupted after sweep ") && text.contains("run.checkpoint"), "{text}");
        let resumed = succeeds(&[&words[..], &["--resume", checkpoint.to_str().unwrap()]].concat());
        assert!(resumed == expected);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "no draft is left");
        fs::remove_file(&checkpoint).unwrap();
    }
}

#[test]
fn damaged_and_foreign_checkpoints_are_refused_by_name() {
    let folder = folder("damaged");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (good, bad) = (path("good.checkpoint"), path("bad.checkpoint"));
    let [words, _, exchange, _] = shapes();
    succeeds(&[&words[..], &["--checkpoint", &good]].concat());
    let bytes = fs::read(&good).unwrap();
    let (picture, spins) = (path("x.svg"), path("x.spins"));
    let resumed = |words: &[&'static str], file: &str, message: &str| {
        let files = ["--svg", &picture, "--spins", &spins, "--checkpoint", file, "--resume", file];
        let before = fs::read(file).ok();
        let count = fs::read_dir(&folder).unwrap().count();
        refused(&[words, &files].concat(), &format!("--resume {file}: {message}"));
        assert!(fs::read(file).ok() == before && fs::read_dir(&folder).unwrap().count() == count, "{message}");
    };
    for length in [0, 1, 7, 8, 12, 15, 16, 17, bytes.len() / 2, bytes.len() - 33, bytes.len() - 1] {
        fs::write(&bad, &bytes[..length]).unwrap();
        resumed(&words, &bad, &format!("ends after {length} of "));
    }
    fs::write(&bad, [&bytes[..], b"\0"].concat()).unwrap();
    resumed(&words, &bad, "goes on after its ");
    let body = [16, 17, 40, 200, bytes.len() / 3, bytes.len() / 2, bytes.len() - 33, bytes.len() - 32, bytes.len() - 1];
    let header = [(0, "is no checkpoint"), (7, "is no checkpoint"), (8, ""), (11, "ends after "), (15, "ends after ")];
    for (place, message) in header.into_iter().chain(body.map(|place| (place, "is damaged"))) {
        let mut bytes = bytes.clone();
        bytes[place] ^= 1 << (place % 8);
        fs::write(&bad, bytes).unwrap();
        resumed(&words, &bad, message);
    }
    fs::write(&bad, [b"hlising1", &bytes[8..]].concat()).unwrap();
    resumed(&words, &bad, "is of format 1, of an older version of this command");
    for foreign in [&fs::read(small()).unwrap()[..], b"{\"step\": 1}", &[0; 1000]] {
        fs::write(&bad, foreign).unwrap();
        resumed(&words, &bad, "is no checkpoint of this command");
    }
    resumed(&words, &path("absent.checkpoint"), "No such file");
    refused(&[&words[..], &["--resume", folder.to_str().unwrap()]].concat(), "damaged: ");

    for (from, to, name) in [("205", "300", "sweeps"), ("7", "8", "seed"), ("10", "12", "copies"), ("3", "4", "runs")] {
        let message = format!("was written with {name} {from}, not with {name} {to}");
        resumed(&changed(&words, from, to), &good, &message);
    }
    resumed(&[&words[..], &["--every", "9"]].concat(), &good, "was written with every 10, not with every 9");
    resumed(&[&words[..], &["--beta-max", "2"]].concat(), &good, "was written with beta ");
    resumed(&[&words[..], &["--spacing", "linear"]].concat(), &good, "was written with beta ");
    resumed(
        &[&words[..], &["--acceptance", "heat-bath"]].concat(),
        &good,
        "was written with acceptance auto, not with acceptance heat-bath",
    );
    resumed(&exchange, &good, "was written with method anneal, not with method exchange");

    let text = fs::read_to_string(small()).unwrap();
    let other = path("other.coo");
    // The sign of a coupling; the default temperatures stay as they are.
    let (first, rest) = text.split_once('\n').unwrap();
    let (pair, value) = first.rsplit_once(' ').unwrap();
    fs::write(&other, format!("{pair} {}\n{rest}", -value.parse::<f64>().unwrap())).unwrap();
    let other_words = changed(&words, small(), &other);
    refused(&[&other_words[..], &["--resume", &good]].concat(), "good.checkpoint: was written for another problem");
    // The name of the problem and its comments may change.
    fs::write(&other, format!("# moved\n{text}")).unwrap();
    succeeds(&[&other_words[..], &["--resume", &good]].concat());
}

#[test]
fn output_has_its_shapes() {
    let folder = folder("shapes");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    for words in shapes() {
        let files = ["--csv", &path("x.csv"), "--svg", &path("x.svg"), "--spins", &path("x.spins")];
        let words = [&words[..], &files].concat();
        let document: Value = serde_json::from_slice(&succeeds(&words)).unwrap();
        let top = ["sites", "couplings", "kind", "options", "best", "ladder", "round_trips"];
        assert_eq!(keys(&document), HashSet::from(top));
        assert!(document["sites"] == 12 && document["couplings"] == 22 && document["kind"] == "I8Exact");
        assert_eq!(keys(&document["best"]), HashSet::from(["energy", "sweep", "systems", "found", "spins"]));
        let exchanges = words.contains(&"exchange");
        assert!(document["ladder"].is_array() == exchanges && document["round_trips"].is_u64() == exchanges);

        let models = match words.contains(&"--replicas") {
            true => 5,
            false if exchanges => 4,
            false => 3,
        };
        let table = fs::read_to_string(path("x.csv")).unwrap();
        let mut lines = table.lines();
        assert_eq!(lines.next(), Some("sweep,model,beta,gamma,energy,lowest,magnetisation,transverse"));
        let rows: Vec<Vec<f64>> =
            lines.map(|line| line.split(',').map(|value| value.parse().unwrap()).collect()).collect();
        assert_eq!(rows.len(), 21 * models);
        for (index, row) in rows.iter().enumerate() {
            assert_eq!(row[..2], [(10 * (index / models + 1)).min(205) as f64, (index % models) as f64]);
            assert!(row.len() == 8 && row[2] > 0.0 && row[5] <= row[4] && row[6].abs() <= 12.0);
            assert_eq!((row[3] > 0.0, row[7] > 0.0), (words.contains(&"--slices"), words.contains(&"--slices")));
        }
        let lowest = rows.iter().map(|row| row[5]).fold(f64::INFINITY, f64::min);
        assert_eq!(document["best"]["energy"], lowest);

        let svg = fs::read_to_string(path("x.svg")).unwrap();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        assert!(svg.matches("<polyline").count() >= if exchanges { models } else { 2 });
        let spins = fs::read_to_string(path("x.spins")).unwrap();
        let expected = document["best"]["spins"].as_array().unwrap().iter().enumerate();
        assert_eq!(spins, expected.map(|(site, spin)| format!("{site} {spin}\n")).collect::<String>());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 3, "no draft is left");

        let text: Vec<&str> = words.iter().copied().filter(|word| *word != "--json").collect();
        let text = String::from_utf8(succeeds(&text)).unwrap();
        let line = text.lines().find(|line| line.starts_with("best energy ")).unwrap();
        assert!(line.starts_with(&format!("best energy {lowest}, first after sweep {}", document["best"]["sweep"])));
        let signs = text.lines().next_back().unwrap();
        assert!(signs.len() == 12 && signs.chars().all(|sign| "+-".contains(sign)));
        assert_eq!(text.contains("round trips: "), exchanges);
    }
}

#[test]
fn wrong_arguments_are_named() {
    let folder = folder("ising_arguments");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let model = path("model.coo");
    fs::copy(shipped(), &model).unwrap();
    let exchange = ["--method", "exchange"];
    let quantum = ["--slices", "8", "--beta", "1", "--gamma", "0.1", "--gamma-max", "2"];
    let is_refused = |words: &[&str], message: &str| {
        refused(&[&["ising", &model, "--svg", &path("never.svg")], words].concat(), message);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing but the model: {words:?}");
    };
    refused(&["ising"], "<MODEL>");
    refused(&["ising", &path("absent.coo")], "absent.coo: No such file");
    is_refused(&["--method", "heat"], "'heat' for '--method");
    is_refused(&["--acceptance", "heat"], "'heat' for '--acceptance");
    is_refused(&["--copies", "1"], "--copies");
    is_refused(&["--runs", "0"], "--runs");
    is_refused(&["--sweeps", "0"], "--sweeps");
    is_refused(&["--every", "0"], "--every");
    is_refused(&["--sweeps", "many"], "--sweeps");
    is_refused(&["--seed", "-1"], "-1");
    is_refused(&["--beta-min", "-1"], "--beta-min");
    is_refused(&["--beta-min", "NaN"], "not a positive number");
    is_refused(&["--beta-max", "1e31"], "--beta-max");
    is_refused(&["--beta-min", "3", "--beta-max", "2"], "--beta-min 3 is more than --beta-max 2");
    is_refused(&["--spacing", "even"], "--spacing");
    is_refused(&["--checkpoint-seconds", "1"], "--checkpoint");
    is_refused(&["extra"], "extra");
    is_refused(
        &["--sweeps", "1000000000", "--every", "1"],
        "--every 1: 1000000000 measurements of 8 models are more than",
    );
    is_refused(&["--copies", "65536", "--runs", "1000"], "--copies 65536: 1000 models of 65536 layers of 96 spins");

    for (option, value) in [("--ladder", "1,2"), ("--replicas", "4"), ("--warm-up", "1"), ("--gamma", "1")] {
        is_refused(&[option, value], &format!("{option} is of no use"));
    }
    is_refused(&["--gamma-max", "1"], "--gamma-max is of no use");
    is_refused(&["--beta", "1"], "--beta is of no use");
    for words in
        [&["--runs", "4"][..], &["--ladder", "1,2", "--replicas", "2"], &["--ladder", "1,2", "--beta-min", "1"]]
    {
        is_refused(&[&exchange[..], words].concat(), &format!("{} is of no use", words[words.len() - 2]));
    }
    is_refused(&[&exchange[..], &["--ladder", "1,2", "--spacing", "linear"]].concat(), "--spacing is of no use");
    is_refused(&[&exchange[..], &["--ladder", "1,2,2"]].concat(), "--ladder 1,2,2: neither rises nor falls");
    is_refused(&[&exchange[..], &["--ladder", "1,0"]].concat(), "--ladder");
    is_refused(&[&exchange[..], &["--ladder", ""]].concat(), "--ladder");
    is_refused(&[&exchange[..], &["--replicas", "1"]].concat(), "--replicas");
    is_refused(&[&exchange[..], &["--beta-min", "2", "--beta-max", "2"]].concat(), "a ladder from 2 to 2 has no rungs");
    is_refused(&[&exchange[..], &["--warm-up", "1000"]].concat(), "--warm-up 1000: there are 1000 sweeps");

    is_refused(&["--slices", "1"], "--slices");
    is_refused(&quantum[..2], "--beta is missing");
    is_refused(&quantum[..4], "--gamma-max is missing");
    is_refused(&[&quantum[..4], &["--gamma-max", "2"]].concat(), "--gamma is missing");
    is_refused(&[&quantum[..], &["--copies", "4"]].concat(), "--copies is of no use");
    is_refused(&[&quantum[..], &["--beta-max", "4"]].concat(), "--beta-max is of no use");
    is_refused(
        &[&quantum[..4], &["--gamma", "3", "--gamma-max", "2"]].concat(),
        "--gamma 3 is more than --gamma-max 2",
    );
    is_refused(&[&exchange[..], &["--slices", "8"]].concat(), "--gamma is missing");
    is_refused(&[&exchange[..], &quantum[..6], &["--ladder", "1,2"]].concat(), "--gamma is of no use");
    is_refused(
        &[&exchange[..], &["--slices", "8", "--gamma", "1", "--gamma-max", "2"]].concat(),
        "--gamma-max is of no use: a ladder of fields needs --beta",
    );

    is_refused(&["--csv", &model], "model.coo: is the file of MODEL");
    is_refused(&["--csv", &path("never.svg")], "never.svg: is the file of ");
    is_refused(&["--csv", &path("../ising_arguments/never.svg")], "never.svg: is the file of ");
    is_refused(&["--csv", &path("absent/x.csv")], "--csv");
    is_refused(&["--checkpoint", folder.to_str().unwrap()], "is a folder");
    fs::write(path("never.checkpoint"), "").unwrap();
    refused(
        &["ising", &model, "--csv", &path("never.checkpoint"), "--resume", &path("never.checkpoint")],
        "never.checkpoint: is the file of --resume",
    );
}
