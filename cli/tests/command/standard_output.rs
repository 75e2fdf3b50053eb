//! The path `-` as an output, suffixes of outputs, temporary files, and jobs without an input.

use std::fs;
use std::path::Path;
use std::process::{Output, Stdio};

use super::support::*;

fn points(folder: &Path) -> String {
    let path = folder.join("points.csv");
    fs::write(&path, "x,y\n1,2\n3,4\n4,4\n5,1\n").unwrap();
    path.to_str().unwrap().to_owned()
}

/// Runs words in a folder, which the command must leave as it is.
#[track_caller]
fn run_in(folder: &Path, words: &[&str]) -> Output {
    let names = || fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>();
    let before = names();
    let output = command(words).current_dir(folder).output().unwrap();
    assert_eq!(names(), before, "{words:?}");
    output
}

#[test]
fn a_dash_is_standard_output() {
    let folder = folder("dash");
    let points = &points(&folder);
    let db = Path::new(shipped()).with_file_name("queries.fps").to_str().unwrap().to_owned();
    let g6 = ["correlation", points, "--neighbours", "2", "--bins", "0:4:1"];
    let search = ["hardround", "search", "--func", "exp", "--from", "1", "--to", "0x1.000001p+0", "--bits", "20"];
    let pick = ["fingerprints", "pick", &db, "--count", "2"];
    for (words, option) in [(&g6[..], "--out"), (&search, "--out"), (&pick, "--out")] {
        let expected = run(words).stdout;
        assert!(!expected.is_empty());
        let output = run_in(&folder, &[words, &[option, "-"]].concat());
        assert_eq!((output.status.code(), output.stdout), (Some(0), expected), "{words:?}");
    }
    let table = folder.join("table.csv").to_str().unwrap().to_owned();
    fs::write(&table, "").unwrap();
    for option in ["--psi", "--psi-svg", "--svg"] {
        let output = run_in(&folder, &[&g6[..], &["--out", &table, option, "-"]].concat());
        assert_eq!(output.status.code(), Some(0), "{option}: {}", stderr(&output));
        let first = if option == "--psi" { "x,y" } else { "<svg" };
        assert!(output.stdout.starts_with(first.as_bytes()), "{option}");
    }
    let parts = folder.join("part.tsv").to_str().unwrap().to_owned();
    run(&[&search[..], &["--out", &parts]].concat());
    let merged = run_in(&folder, &["hardround", "merge", &parts, "--out", "-"]);
    assert_eq!(merged.stdout, fs::read(&parts).unwrap());
}

#[test]
fn standard_output_has_one_owner() {
    let folder = folder("dash_twice");
    let points = &points(&folder);
    let db = Path::new(shipped()).with_file_name("queries.fps").to_str().unwrap().to_owned();
    let model = shipped();
    for (line, name) in [
        (format!("correlation {points} --rdf --svg -"), "--svg -: standard output has --out; choose a file"),
        (format!("correlation {points} --rdf --out - --svg -"), "--svg -: standard output has --out; choose a file"),
        (format!("ising {model} --sweeps 1 --series -"), "--series -: standard output has --out; choose a file"),
        (format!("ising {model} --sweeps 1 --format json --svg -"), "--svg -: standard output has --out"),
        (format!("ising {model} --sweeps 1 --spins -"), "--spins -: standard output has --out"),
        (format!("ising {model} --sweeps 1 --samples -"), "--samples -: standard output has --out"),
        (format!("ising {model} --sweeps 1 --checkpoint -"), "--checkpoint -: standard output cannot be read again"),
        (format!("ising {model} --method exchange --rungs -"), "--rungs -: standard output has --out"),
        (format!("ising {model} --method exchange --rungs-svg -"), "--rungs-svg -: standard output has --out"),
        (format!("ising {model} --method exchange --overlaps -"), "--overlaps -: standard output has --out"),
        ("ladder --budget 1 --svg -".to_owned(), "--svg -: standard output has --out"),
        ("ladder --budget 1 --svg-dir -".to_owned(), "--svg-dir -: several files are written"),
        ("bench exp --quick --svg-dir -".to_owned(), "--svg-dir -: several files are written"),
        ("man -".to_owned(), "-: several files are written, not standard output; choose a folder"),
        (format!("fingerprints matrix {db} --checkpoint -"), "--checkpoint -: standard output cannot be read again"),
        (
            "hardround search --func exp --from 1 --to 0x1.000001p0 --bits 20 --checkpoint -".to_owned(),
            "--checkpoint -: standard output cannot be read again; choose a file",
        ),
    ] {
        let output = run_in(&folder, &words(&line));
        assert_eq!(output.status.code(), Some(2), "{line}: {}", stderr(&output));
        assert!(stderr(&output).contains(name), "{line}: {}", stderr(&output));
        assert!(output.stdout.is_empty(), "{line}");
    }
}

#[test]
fn a_suffix_of_a_format_that_is_not_written_is_refused() {
    let folder = folder("suffixes");
    let points = &points(&folder);
    let model = shipped();
    for (line, name) in [
        (format!("ising {model} --sweeps 1 --samples x.npy.gz"), "--samples x.npy.gz: outputs are not compressed"),
        (format!("ising {model} --sweeps 1 --samples x.NPZ"), "that does not end in .npz"),
        (format!("ising {model} --sweeps 1 --spins x.npy"), "--spins x.npy: this option does not write that format"),
        (format!("ising {model} --sweeps 1 --svg x.png"), "--svg x.png: this option does not write that format"),
        (format!("correlation {points} --rdf --out x.csv.zst"), "--out x.csv.zst: outputs are not compressed"),
        (format!("correlation {points} --rdf --svg x.pdf"), "choose a name that does not end in .pdf"),
        (
            "hardround search --func exp --from 1 --to 0x1.000001p0 --bits 20 --out x.gz".to_owned(),
            "--out x.gz: outputs are not compressed",
        ),
    ] {
        let output = run_in(&folder, &words(&line));
        assert_eq!(output.status.code(), Some(2), "{line}: {}", stderr(&output));
        assert!(stderr(&output).contains(name), "{line}: {}", stderr(&output));
    }
    let samples = folder.join("x.npy");
    run(&["ising", model, "--sweeps", "1", "--samples", samples.to_str().unwrap()]);
    assert!(fs::read(samples).unwrap().starts_with(b"\x93NUMPY"));
}

#[test]
fn options_that_explain_estimate_or_text_ignore_are_refused() {
    let db = Path::new(shipped()).with_file_name("queries.fps").to_str().unwrap().to_owned();
    for option in [
        "--spins x",
        "--samples x",
        "--series x",
        "--svg x",
        "--observables",
        "--rungs x",
        "--rungs-svg x",
        "--overlaps x",
        "--checkpoint x",
        "--seed 3",
        "--warm-up 3",
    ] {
        let line = format!("ising {} --method exchange --explain {option}", shipped());
        let name = option.split(' ').next().unwrap();
        refused(&words(&line), "'--explain'");
        refused(&words(&line), &format!("'{name}"));
    }
    for options in ["--target 1", "--target 1 --sweeps 9 --method exchange", "--time 5s --sweeps 9"] {
        let line = format!("ising {} --explain {options}", shipped());
        let name = options.split(' ').next().unwrap();
        refused(&words(&line), &format!("{name} has no effect: --explain runs nothing"));
    }
    let search = "hardround search --func exp --from 1 --to 2 --bits 40 --estimate";
    for option in ["--checkpoint x", "--out x", "--format wc", "--progress 1", "--every-line", "--judge own"] {
        refused(&words(&format!("{search} {option}")), "'--estimate'");
    }
    let why = "--verify: ";
    refused(&["fingerprints", "search", &db, &db, "--verify"], why);
    refused(&["fingerprints", "search", &db, &db, "--verify"], "FPS text, which has no checksums; leave it out");
    for words in [["--hamming", "3", "--empty", "1"], ["--empty", "0", "--hamming", "3"]] {
        refused(&[&["fingerprints", "search", &db, &db][..], &words].concat(), "--empty");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_temporary_folder_that_cannot_be_used_is_named_with_its_remedy() {
    let folder = folder("temporary");
    let mut child = command(&["correlation", "-", "--frames", "--rdf", "--bins", "0:4:1"]);
    child.env("TMPDIR", folder.join("absent")).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = child.spawn().unwrap();
    let output = child.wait_with_output().unwrap();
    let text = stderr(&output);
    assert!(text.contains(folder.join("absent").to_str().unwrap()), "{text}");
    assert!(text.contains("set TMPDIR to another folder"), "{text}");
    assert_eq!(output.status.code(), Some(3));
}

/// A file in the folder that is /dev/full stands for a full disk.
#[cfg(target_os = "linux")]
#[test]
fn manuals_and_completions_on_a_full_disk_are_failures_of_the_job() {
    let folder = folder("full_manuals");
    std::os::unix::fs::symlink("/dev/full", folder.join("hotloops.1")).unwrap();
    ends(1, &["man", folder.to_str().unwrap()], "No space left on device");
    let file = folder.join("file");
    fs::write(&file, "").unwrap();
    refused(&["man", file.to_str().unwrap()], "choose another folder");
    for shell in ["bash", "zsh", "fish"] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = command(&["completions", shell]).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{shell}");
        assert!(stderr(&output).contains("cannot write: No space left on device"), "{shell}");
    }
}
