//! Checkpoints: runs that are killed or interrupted continue, damaged and foreign files are refused.

use std::fs;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::{command, folder, shipped, stderr, unreadable};

use super::*;

/// Runs to the end, killed a little later each time until it finishes. Returns the number of kills.
fn run_and_kill(words: &[&str]) -> (Vec<u8>, usize) {
    for kills in 0.. {
        let mut child = command(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let end = Instant::now() + Duration::from_micros(20_000 + 7_300 * kills as u64);
        while Instant::now() < end && child.try_wait().unwrap().is_none() {
            sleep(Duration::from_millis(1));
        }
        if child.try_wait().unwrap().is_some() {
            return (finished(child.wait_with_output().unwrap(), words), kills);
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
        let expected = succeeds(&[&words[..], &["--series", &path("whole.csv"), "--svg", &path("whole.svg")]].concat());
        let checkpoint = path("run.checkpoint");
        let saving = ["--series", &path("run.csv"), "--svg", &path("run.svg"), "--checkpoint", &checkpoint];
        let words = [&words[..], &saving, &["--checkpoint-seconds", "0"]].concat();
        let (found, kills) = run_and_kill(&words);
        assert!(kills > 0, "too quick to be killed: {words:?}");
        assert!(found == expected, "{words:?} after {kills} kills");
        for end in ["csv", "svg"] {
            assert!(fs::read(path(&format!("run.{end}"))).unwrap() == fs::read(path(&format!("whole.{end}"))).unwrap());
        }
        // The last checkpoint is written at the end.
        assert!(succeeds(&words) == expected);
        fs::remove_file(&checkpoint).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn a_signal_ends_a_run_with_a_checkpoint() {
    let folder = folder("signal");
    let checkpoint = folder.join("run.checkpoint");
    let words = ["ising", small(), "--runs", "2", "--copies", "4", "--sweeps", "5000", "--format", "json"];
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
        let resumed = succeeds(&saving);
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
        let files = ["--svg", &picture, "--spins", &spins, "--checkpoint", file];
        let before = fs::read(file).ok();
        let count = fs::read_dir(&folder).unwrap().count();
        unreadable(&[words, &files].concat(), &format!("--checkpoint {file}: {message}"));
        assert!(fs::read(file).ok() == before && fs::read_dir(&folder).unwrap().count() == count, "{message}");
    };
    for length in [1, 7, 8, 12, 15, 16, 17, bytes.len() / 2, bytes.len() - 33, bytes.len() - 1] {
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
        resumed(&words, &bad, "is not a checkpoint of `hotloops ising`; choose another file");
    }
    // An empty file has no run to continue.
    fs::write(&bad, "").unwrap();
    assert!(succeeds(&[&words[..], &["--checkpoint", &bad]].concat()) == succeeds(&words));
    assert!(fs::read(&bad).unwrap() == bytes);

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
    unreadable(&[&other_words[..], &["--checkpoint", &good]].concat(), foreign);
    // The same for a field, the last line.
    let (rest, last) = text.trim_end().rsplit_once('\n').unwrap();
    let (pair, value) = last.rsplit_once(' ').unwrap();
    assert!(pair == "11 11" && value != "0", "{last}");
    fs::write(&other, format!("{rest}\n{pair} {}\n", -value.parse::<f64>().unwrap())).unwrap();
    unreadable(&[&other_words[..], &["--checkpoint", &good]].concat(), foreign);
    // The name and the comments of the problem may change.
    fs::write(&other, format!("# moved\n{text}")).unwrap();
    succeeds(&[&other_words[..], &["--checkpoint", &good]].concat());
}

#[test]
fn an_exchange_continues_with_more_sweeps() {
    let folder = folder("more");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let [anneal, _, exchange, quantum] = shapes();
    for words in [exchange.clone(), quantum] {
        let [short, long] = ["200", "605"].map(|sweeps| changed(&words, "205", sweeps));
        let [checkpoint, whole, parts] = [path("x.checkpoint"), path("whole.csv"), path("parts.csv")];
        let _ = fs::remove_file(&checkpoint);
        succeeds(&[&short[..], &["--checkpoint", &checkpoint]].concat());
        let saved = fs::read(&checkpoint).unwrap();
        // The warm-up is a fifth of the first run.
        let expected = succeeds(&[&long[..], &["--warm-up", "40", "--series", &whole]].concat());
        // The same command continues the longer run too.
        for _ in 0..2 {
            assert!(succeeds(&[&long[..], &["--checkpoint", &checkpoint, "--series", &parts]].concat()) == expected);
            assert!(fs::read(&whole).unwrap() == fs::read(&parts).unwrap());
        }
        fs::write(&checkpoint, saved).unwrap();
        let given = [&long[..], &["--checkpoint", &checkpoint, "--warm-up", "50"]].concat();
        unreadable(&given, "was written with warm-up 40, not with warm-up 50");
        let fewer = [&changed(&words, "205", "195")[..], &["--checkpoint", &checkpoint]].concat();
        unreadable(&fewer, "was written with sweeps 200; it continues with more, not with fewer");
        let seed = [&changed(&long, "7", "8")[..], &["--checkpoint", &checkpoint]].concat();
        unreadable(&seed, "was written with seed 7, not with seed 8");
    }
    // A run whose drift shows with more sweeps, of few and of many copies.
    for copies in ["4", "128"] {
        let words = ["ising", shipped(), "--method", "exchange", "--replicas", "4", "--spacing", "geometric"];
        let words = [&words[..], &["--warm-up", "40", "--copies", copies, "--format", "json", "--sweeps"]].concat();
        let checkpoint = path(&format!("drift{copies}.checkpoint"));
        succeeds(&[&words[..], &["200", "--checkpoint", &checkpoint]].concat());
        let whole = succeeds(&[&words[..], &["600"]].concat());
        assert!(succeeds(&[&words[..], &["600", "--checkpoint", &checkpoint]].concat()) == whole);
    }
    let checkpoint = path("odd.checkpoint");
    succeeds(&[&exchange[..], &["--checkpoint", &checkpoint]].concat());
    let longer = [&changed(&exchange, "205", "300")[..], &["--checkpoint", &checkpoint]].concat();
    unreadable(&longer, "ended after sweep 205, between two measurements of --every 10, so it cannot continue");
    let checkpoint = path("anneal.checkpoint");
    succeeds(&[&anneal[..], &["--checkpoint", &checkpoint]].concat());
    let longer = [&changed(&anneal, "205", "300")[..], &["--checkpoint", &checkpoint]].concat();
    unreadable(&longer, "the temperatures of an anneal depend on --sweeps, so choose another file");
}
