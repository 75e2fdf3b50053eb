//! Reproducible results, robust checkpoints, formats of output.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::{command, folder, keys, refused, shipped, stderr, unreadable};
use serde_json::Value;

use super::*;

/// A short run of each kind.
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

/// The words with one replaced.
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
            let words = [&words[..], &["--threads", threads]].concat();
            (succeeds(&words), fs::read(table).unwrap(), fs::read(picture).unwrap())
        };
        let one = run("1", "7");
        assert!(one == run("3", "7"), "{words:?}");
        assert!(one.1 != run("3", "8").1, "{words:?}");
    }
}

/// Runs to the end, killed a little later each time until it finishes. Returns the number of kills.
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
        // The last checkpoint is written at the end.
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
        assert_eq!(output.status.code(), Some(130), "{output:?}");
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
        unreadable(&[words, &files].concat(), &format!("--resume {file}: {message}"));
        assert!(fs::read(file).ok() == before && fs::read_dir(&folder).unwrap().count() == count, "{message}");
    };
    for length in [0, 1, 7, 8, 12, 15, 16, 17, bytes.len() / 2, bytes.len() - 33, bytes.len() - 1] {
        fs::write(&bad, &bytes[..length]).unwrap();
        resumed(&words, &bad, &format!("ends after {length} of "));
    }
    fs::write(&bad, [&bytes[..], b"\0"].concat()).unwrap();
    resumed(&words, &bad, "continues after its ");
    let body = [16, 17, 40, 200, bytes.len() / 3, bytes.len() / 2, bytes.len() - 33, bytes.len() - 32, bytes.len() - 1];
    let header =
        [(0, "is not a checkpoint"), (7, "is not a checkpoint"), (8, ""), (11, "ends after "), (15, "ends after ")];
    for (place, message) in header.into_iter().chain(body.map(|place| (place, "is damaged"))) {
        let mut bytes = bytes.clone();
        bytes[place] ^= 1 << (place % 8);
        fs::write(&bad, bytes).unwrap();
        resumed(&words, &bad, message);
    }
    for format in ["1", "2", "3", "4"] {
        fs::write(&bad, [format!("hlising{format}").as_bytes(), &bytes[8..]].concat()).unwrap();
        resumed(&words, &bad, &format!("has format {format}, from an older version of this command"));
    }
    for foreign in [&fs::read(small()).unwrap()[..], b"{\"step\": 1}", &[0; 1000]] {
        fs::write(&bad, foreign).unwrap();
        resumed(&words, &bad, "is not a checkpoint of this command");
    }
    resumed(&words, &path("absent.checkpoint"), "No such file");
    unreadable(&[&words[..], &["--resume", folder.to_str().unwrap()]].concat(), "damaged: ");

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
    // Changes the sign of a coupling, which does not change the default temperatures.
    let (first, rest) = text.split_once('\n').unwrap();
    let (pair, value) = first.rsplit_once(' ').unwrap();
    fs::write(&other, format!("{pair} {}\n{rest}", -value.parse::<f64>().unwrap())).unwrap();
    let other_words = changed(&words, small(), &other);
    let foreign = "good.checkpoint: was written for another problem";
    unreadable(&[&other_words[..], &["--resume", &good]].concat(), foreign);
    // The same for a field, the last line.
    let (rest, last) = text.trim_end().rsplit_once('\n').unwrap();
    let (pair, value) = last.rsplit_once(' ').unwrap();
    assert!(pair == "11 11" && value != "0", "{last}");
    fs::write(&other, format!("{rest}\n{pair} {}\n", -value.parse::<f64>().unwrap())).unwrap();
    unreadable(&[&other_words[..], &["--resume", &good]].concat(), foreign);
    // The name and the comments of the problem may change.
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
        let top = ["sites", "couplings", "kind", "options", "best", "ladder", "round_trips", "round_trip_sweeps"];
        assert_eq!(keys(&document), HashSet::from(top));
        assert!(document["sites"] == 12 && document["couplings"] == 22);
        assert!(
            ["I8Exact", "I16Exact", "Single"].contains(&document["kind"].as_str().unwrap()),
            "{}",
            document["kind"]
        );
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
    unreadable(&["ising", &path("absent.coo")], "absent.coo: No such file");
    is_refused(&["--method", "heat"], "'heat' for '--method");
    is_refused(&["--acceptance", "heat"], "'heat' for '--acceptance");
    is_refused(&["--copies", "0"], "--copies");
    is_refused(&["--runs", "0"], "--runs");
    is_refused(&["--sweeps", "0"], "--sweeps");
    is_refused(&["--every", "0"], "--every");
    is_refused(&["--sweeps", "many"], "--sweeps");
    is_refused(&["--seed", "-1"], "-1");
    is_refused(&["--beta-min", "-1"], "--beta-min");
    is_refused(&["--beta-min", "NaN"], "expected a positive number");
    is_refused(&["--beta-max", "1e31"], "--beta-max");
    is_refused(&["--beta-min", "3", "--beta-max", "2"], "--beta-min 3 exceeds --beta-max 2");
    is_refused(&["--spacing", "even"], "--spacing");
    is_refused(&["--checkpoint-seconds", "1"], "--checkpoint");
    is_refused(&["extra"], "extra");
    is_refused(
        &["--sweeps", "1000000000", "--every", "1"],
        "--every 1: 1000000000 measurements of 8 models are more than",
    );
    is_refused(&["--copies", "65536", "--runs", "1000"], "--copies 65536: 1000 models of 65536 layers of 96 spins");

    for (option, value) in [("--ladder", "1,2"), ("--replicas", "4"), ("--warm-up", "1"), ("--gamma", "1")] {
        is_refused(&[option, value], &format!("{option} has no effect"));
    }
    is_refused(&["--gamma-max", "1"], "--gamma-max has no effect");
    is_refused(&["--beta", "1"], "--beta has no effect");
    for words in
        [&["--runs", "4"][..], &["--ladder", "1,2", "--replicas", "2"], &["--ladder", "1,2", "--beta-min", "1"]]
    {
        is_refused(&[&exchange[..], words].concat(), &format!("{} has no effect", words[words.len() - 2]));
    }
    is_refused(&[&exchange[..], &["--ladder", "1,2", "--spacing", "linear"]].concat(), "--spacing has no effect");
    is_refused(
        &[&exchange[..], &["--ladder", "1,2,2"]].concat(),
        "--ladder 1,2,2: must be strictly ascending or descending",
    );
    is_refused(&[&exchange[..], &["--ladder", "1,0"]].concat(), "--ladder");
    is_refused(&[&exchange[..], &["--ladder", ""]].concat(), "--ladder");
    is_refused(&[&exchange[..], &["--replicas", "1"]].concat(), "--replicas");
    is_refused(
        &[&exchange[..], &["--beta-min", "2", "--beta-max", "2"]].concat(),
        "a ladder from 2 to 2 has equal rungs",
    );
    is_refused(&[&exchange[..], &["--warm-up", "1000"]].concat(), "--warm-up 1000: must be less than --sweeps 1000");

    is_refused(&["--slices", "1"], "--slices");
    is_refused(&quantum[..2], "--beta is missing");
    is_refused(&quantum[..4], "--gamma-max is missing");
    is_refused(&[&quantum[..4], &["--gamma-max", "2"]].concat(), "--gamma is missing");
    is_refused(&[&quantum[..], &["--copies", "4"]].concat(), "--copies has no effect");
    is_refused(&[&quantum[..], &["--beta-max", "4"]].concat(), "--beta-max has no effect");
    is_refused(&[&quantum[..4], &["--gamma", "3", "--gamma-max", "2"]].concat(), "--gamma 3 exceeds --gamma-max 2");
    is_refused(&[&exchange[..], &["--slices", "8"]].concat(), "--gamma is missing");
    is_refused(&[&exchange[..], &quantum[..6], &["--ladder", "1,2"]].concat(), "--gamma has no effect");
    is_refused(
        &[&exchange[..], &["--slices", "8", "--gamma", "1", "--gamma-max", "2"]].concat(),
        "--gamma-max has no effect: a ladder of fields needs --beta",
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

/// The values and spins of a file of samples, from either format.
fn samples(path: &str) -> Vec<(f64, Vec<i8>)> {
    let bytes = fs::read(path).unwrap();
    let Some(rest) = bytes.strip_prefix(b"\x93NUMPY\x01\0") else {
        let line = |line: &str| {
            let (value, spins) = line.split_once(' ').unwrap();
            let number = |sign| match sign {
                '+' | '1' => 1,
                '-' => -1,
                sign => i8::from(sign != '0'),
            };
            (value.parse().unwrap(), spins.chars().map(number).collect())
        };
        return String::from_utf8(bytes).unwrap().lines().map(line).collect();
    };
    let length = usize::from(u16::from_le_bytes(rest[..2].try_into().unwrap()));
    let (header, rows) = rest[2..].split_at(length);
    assert!((10 + length).is_multiple_of(64) && header.ends_with(b"\n"));
    let header = str::from_utf8(header).unwrap();
    let sites: usize = header.split("'|i1', (").nth(1).unwrap().split(',').next().unwrap().parse().unwrap();
    let rows: Vec<_> = rows.chunks(8 + sites).map(|row| row.split_at(8)).collect();
    assert!(header.contains(&format!("'fortran_order': False, 'shape': ({},), }}", rows.len())), "{header}");
    let row = |(value, spins): &(&[u8], &[u8])| {
        (f64::from_le_bytes((*value).try_into().unwrap()), spins.iter().map(|&spin| spin as i8).collect())
    };
    rows.iter().map(row).collect()
}

#[test]
fn samples_are_the_final_spins_of_all_systems() {
    let folder = folder("samples");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let problem = Problem::random(0.25);
    for (words, count) in shapes().into_iter().zip([30, 24, 80, 32]) {
        let [text, npy, table] = [path("x.txt"), path("x.npy"), path("x.csv")];
        succeeds(&[&words[..], &["--samples", &text, "--csv", &table]].concat());
        succeeds(&[&words[..], &["--samples", &npy]].concat());
        let found = samples(&text);
        assert!(found == samples(&npy), "{words:?}");
        assert_eq!(found.len(), count, "{words:?}");
        for (energy, spins) in &found {
            assert!(spins.iter().all(|spin| spin.abs() == 1), "{spins:?}");
            assert_eq!(*energy, problem.energy(|i| spins[i].into()));
        }
        // The spins of the last measurement.
        if !words.contains(&"exchange") {
            let table = fs::read_to_string(table).unwrap();
            let last = table.lines().rev().take(3).map(|line| line.split(',').nth(4).unwrap().parse::<f64>().unwrap());
            for (samples, mean) in found.chunks(count / 3).rev().zip(last) {
                let sum: f64 = samples.iter().map(|(energy, _)| energy).sum();
                assert!((sum / samples.len() as f64 - mean).abs() < 1e-9, "{words:?}");
            }
        }
    }
    let qubo = path("x.qubo");
    fs::write(&qubo, "p qubo 0 3 2 1\n0 0 -1\n2 2 -2.5\n0 2 2\n").unwrap();
    for end in ["txt", "npy"] {
        let file = path(&format!("q.{end}"));
        succeeds(&["ising", &qubo, "--sweeps", "50", "--runs", "1", "--copies", "4", "--samples", &file]);
        let found = samples(&file);
        assert!(found.len() == 4 && found.iter().all(|(_, x)| x.iter().all(|x| [0, 1].contains(x))));
        let value = |x: &[i8]| -f64::from(x[0]) - 2.5 * f64::from(x[2]) + 2.0 * f64::from(x[0] * x[2]);
        assert!(found.iter().all(|(objective, x)| *objective == value(x)), "{found:?}");
        if end == "npy" {
            assert!(fs::read(&file).unwrap().starts_with(
                b"\x93NUMPY\x01\0\x76\0{'descr': [('objective', '<f8'), ('spins', '|i1', (3,))], 'fortran_order': False, "
            ));
        }
    }
}

#[test]
fn an_exchange_continues_with_more_sweeps() {
    let folder = folder("more");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let [anneal, _, exchange, quantum] = shapes();
    for words in [exchange.clone(), quantum] {
        let [short, long] = ["200", "605"].map(|sweeps| changed(&words, "205", sweeps));
        let [checkpoint, whole, parts] = [path("x.checkpoint"), path("whole.csv"), path("parts.csv")];
        succeeds(&[&short[..], &["--checkpoint", &checkpoint]].concat());
        // The warm-up is a fifth of the first run.
        let expected = succeeds(&[&long[..], &["--warm-up", "40", "--csv", &whole]].concat());
        assert!(succeeds(&[&long[..], &["--resume", &checkpoint, "--csv", &parts]].concat()) == expected);
        assert!(fs::read(&whole).unwrap() == fs::read(&parts).unwrap());
        let given = [&long[..], &["--resume", &checkpoint, "--warm-up", "50"]].concat();
        unreadable(&given, "was written with warm-up 40, not with warm-up 50");
        let fewer = [&changed(&words, "205", "195")[..], &["--resume", &checkpoint]].concat();
        unreadable(&fewer, "was written with sweeps 200; it continues with more, not with fewer");
        let seed = [&changed(&long, "7", "8")[..], &["--resume", &checkpoint]].concat();
        unreadable(&seed, "was written with seed 7, not with seed 8");
    }
    // A run whose drift shows with more sweeps, of few and of many copies.
    for copies in ["4", "128"] {
        let words = ["ising", shipped(), "--method", "exchange", "--replicas", "4", "--spacing", "geometric"];
        let words = [&words[..], &["--warm-up", "40", "--copies", copies, "--json", "--sweeps"]].concat();
        let checkpoint = path("drift.checkpoint");
        succeeds(&[&words[..], &["200", "--checkpoint", &checkpoint]].concat());
        let whole = succeeds(&[&words[..], &["600"]].concat());
        assert!(succeeds(&[&words[..], &["600", "--resume", &checkpoint]].concat()) == whole);
    }
    let checkpoint = path("odd.checkpoint");
    succeeds(&[&exchange[..], &["--checkpoint", &checkpoint]].concat());
    let longer = [&changed(&exchange, "205", "300")[..], &["--resume", &checkpoint]].concat();
    unreadable(&longer, "ended after sweep 205, between two measurements of --every 10, so it cannot continue");
    succeeds(&[&anneal[..], &["--checkpoint", &checkpoint]].concat());
    let longer = [&changed(&anneal, "205", "300")[..], &["--resume", &checkpoint]].concat();
    unreadable(&longer, "the temperatures of an anneal depend on --sweeps, so start it again");
}

#[test]
fn anneals_repeat_until_the_time_is_over() {
    let folder = folder("time");
    let [table, file] = ["x.csv", "x.samples"].map(|name| folder.join(name).to_str().unwrap().to_owned());
    let words =
        ["ising", small(), "--runs", "2", "--copies", "4", "--sweeps", "95", "--csv", &table, "--samples", &file];
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
    let document = json(&["ising", small(), "--time", "0.4s", "--threads", "2", "--csv", &table]);
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

/// A grid of 12 x 10 sites that is periodic in its second dimension.
#[test]
fn the_cut_of_a_lattice_is_explained() {
    let path = folder("lattice").join("grid");
    let bonds = (0..120).flat_map(|i| [(i % 12 < 11).then_some((i, i + 1)), Some((i, (i + 12) % 120))]);
    let lines: String = bonds.flatten().map(|(i, j)| format!("{i} {j} 1\n")).collect();
    fs::write(&path, lines).unwrap();
    let words = ["ising", path.to_str().unwrap(), "--kind", "bits", "--copies", "2", "--explain"];
    let lattice = &json(&words)["lattice"];
    assert_eq!((&lattice["extents"], &lattice["is_periodic"]), (&vec![12, 10].into(), &vec![false, true].into()));
    let text = String::from_utf8(succeeds(&words)).unwrap();
    assert!(text.contains("12 open x 10 periodic, cut into "), "{text}");
    assert!(json(&["ising", small(), "--explain"])["lattice"].is_null());
}

#[test]
fn every_kind_can_be_forced_and_explained() {
    let help = String::from_utf8(succeeds(&["ising", "--help"])).unwrap();
    let names = help.split("--kind <KIND>").nth(1).unwrap().split("[possible values: ").nth(1).unwrap();
    let names: Vec<_> = names.split(']').next().unwrap().split(", ").collect();
    // The kinds of the C interface, in its order.
    let header = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../include/hotloops.h")).unwrap();
    let (_, list) = header.split_once("    HL_ISING_F32_FAST = 0").unwrap();
    let lines = list.split('}').next().unwrap().lines().skip(1);
    let others =
        lines.filter_map(|line| line.trim().strip_prefix("HL_ISING_")?.split_once(" = ")).map(|(name, _)| name);
    let expected: Vec<_> = ["F32_FAST"].into_iter().chain(others).collect();
    let upper: Vec<_> = names.iter().map(|name| name.to_uppercase().replace('-', "_")).collect();
    assert_eq!(upper, expected);

    let ground = Problem::random(0.25).ground_energy();
    // At most 8 quanta at a site.
    refused(&["ising", small(), "--kind", "bits"], "--kind bits: ");
    let forced = |name: &&str| !matches!(*name, "auto" | "bits");
    for name in names.iter().copied().filter(forced) {
        let explained = json(&["ising", small(), "--kind", name, "--explain"]);
        assert_eq!(explained["chosen"], *name);
        let document = json(&["ising", small(), "--kind", name, "--sweeps", "300"]);
        let kind = document["kind"].as_str().unwrap().to_lowercase();
        assert_eq!(kind, name.replace('-', ""));
        assert!((document["best"]["energy"].as_f64().unwrap() - ground).abs() < 1e-6, "{name}");
    }
    let auto = json(&["ising", small(), "--explain"]);
    assert_eq!((&auto["chosen"], &auto["sites"], &auto["layers"]), (&"i8-exact".into(), &12.into(), &128.into()));
    assert_eq!(auto["quantum"], 0.125);
    let real = json(&["ising", rough(), "--explain"]);
    let refused_by = |name: &str| {
        real["kinds"].as_array().unwrap().iter().find(|kind| kind["kind"] == name).unwrap()["refused"].clone()
    };
    assert!(real["chosen"] == "f32-poly" && refused_by("i8-exact").is_string() && refused_by("f32-fast").is_null());
    let text = String::from_utf8(succeeds(&["ising", rough(), "--explain"])).unwrap();
    assert!(text.contains("i8-exact") && text.contains("not possible: "), "{text}");
    refused(&["ising", rough(), "--kind", "i8-exact"], "--kind i8-exact: ");
    refused(&["ising", small(), "--kind", "i8-exact", "--copies", "1"], "--kind i8-exact: ");
    let quantum = ["--slices", "8", "--beta", "2", "--gamma", "0.1", "--gamma-max", "3"];
    refused(&[&["ising", small(), "--kind", "single"], &quantum[..]].concat(), "--kind single: ");
    for words in [&["--runs", "32"][..], &["--method", "exchange", "--replicas", "4"]] {
        let words = [&["ising", small(), "--kind", "single", "--copies", "1", "--sweeps", "1000"], words].concat();
        assert!((json(&words)["best"]["energy"].as_f64().unwrap() - ground).abs() < 1e-6, "{words:?}");
    }
    let words = ["ising", small(), "--kind", "single", "--copies", "1", "--method", "exchange", "--observables"];
    refused(&words, "--observables has no effect: an overlap needs two copies");
    refused(&["ising", small(), "--kind", "i4"], "[possible values: f32-fast, ");
}
