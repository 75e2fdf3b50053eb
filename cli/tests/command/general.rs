//! The interface of the command: exit status, standard output and error, files.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::Stdio;

use crate::support::{command, folder, keys, refused, run, shipped, stderr, unreadable};
use serde_json::Value;

#[test]
fn wrong_arguments_are_named() {
    refused(&[], "Usage");
    refused(&["climb"], "climb");
    refused(&["list", "--jsno"], "--jsno");
    refused(&["ladder", "--layers", "1"], "--layers");
    refused(&["ladder", "--layers", "many"], "--layers");
    refused(&["ladder", "--layers", "65536"], "--layers 65536: 65536 layers of 96 spins are more than 4194304 spins");
    refused(&["ladder", "--seed", "-1"], "-1");
    refused(&["ladder", "--seed", "4294967296"], "--seed");
    refused(&["ladder", "extra"], "extra");
    refused(&["ladder", "--model"], "--model");
    refused(&["ladder", "bits", "--layers", "16"], "--layers has no effect: bits is not ising");
    refused(&["ladder", "all", "--model", "absent.coo"], "--model has no effect: all is not ising");
    refused(&["ladder", "--threads", "0"], "--threads");
    refused(&["ladder", "--threads", "1,2"], "expected a whole number from 1 to 1024");
    refused(&["ladder", "bits", "--svg-dir", "curves"], "--svg-dir has no effect: bits has no curves; leave it out");
}

/// Each process of mpirun would do the whole job.
#[cfg(not(feature = "mpi"))]
#[test]
fn several_processes_need_mpi() {
    for (size, status) in [("2", 1), ("1", 0)] {
        let output = command(&["list"]).env("OMPI_COMM_WORLD_SIZE", size).output().unwrap();
        assert_eq!(output.status.code(), Some(status), "{}", stderr(&output));
        assert_eq!(stderr(&output).contains("built without the feature `mpi`"), status == 1);
        assert_eq!(output.stdout.is_empty(), status == 1);
    }
}

#[test]
fn a_mistyped_value_is_answered_with_the_valid_ones() {
    let search = ["hardround", "search", "--func", "exp", "--from", "1", "--to", "2", "--bits", "20"];
    let with = |words: &[&'static str]| [&search[..], words].concat();
    let files = Path::new(shipped()).with_file_name("queries.fps");
    let file = files.to_str().unwrap();
    let families: Vec<&str> = hotloops::kernels().map(|kernel| kernel.name().0).collect();
    let exp: Vec<&str> =
        hotloops::kernels().map(|kernel| kernel.name()).filter(|name| name.0 == "exp").map(|name| name.1).collect();
    for (words, valid) in [
        (vec!["climb"], &["bench", "correlation", "fingerprints", "hardround", "ising", "ladder", "list"][..]),
        (vec!["hardround", "serch"], &["search", "merge", "verify", "compare"]),
        (vec!["fingerprints", "serch"], &["search", "index", "verify", "matrix", "cluster", "pick"]),
        (vec!["bench", "exq"], &families),
        (vec!["bench", "exp/fast"], &exp),
        (vec!["ising", shipped(), "--method", "cool"], &["anneal", "exchange"]),
        (vec!["ising", shipped(), "--spacing", "even"], &["geometric", "linear"]),
        (vec!["fingerprints", "search", file, file, "--empty", "2"], &["0", "1"]),
        (vec!["hardround", "search", "--func", "tangent"], &["exp", "exp2", "log", "sin", "cos", "tan", "erf"]),
        (with(&["--modes", "up"]), &["all", "nearest", "directed"]),
        (with(&["--format", "csv"]), &["tsv", "wc", "index"]),
    ] {
        valid.iter().for_each(|word| refused(&words, word));
    }
}

#[test]
fn wrong_files_are_named() {
    let folder = folder("wrong_files");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    unreadable(&["ladder", "--model", &path("absent.coo")], "absent.coo: No such file");
    unreadable(&["ladder", "--model", folder.to_str().unwrap()], "wrong_files: ");
    refused(&["ladder", "--svg", &path("absent/ladder.svg")], "absent/ladder.svg: No such file");
    refused(&["ladder", "--svg", folder.to_str().unwrap()], "is a folder");
    refused(&["ladder", "--svg-dir", shipped()], "; choose another folder");
    #[cfg(target_os = "linux")]
    refused(&["ladder", "--svg-dir", "/proc"], "--svg-dir /proc/curves.svg: ");

    for (text, message) in [
        ("0 1 0.5\n# note\n1 2\n", "line 3: expected `i j J` or `i i h`, found 2 words"),
        ("0 1 0.5\n1 2 high\n", "line 2: `high` is not a finite number"),
        ("0 1 0.5\n1 -2 1\n", "line 2: `-2` is not a spin number"),
        ("0 1 0.5\n\n1 0 0.5\n", "line 3: the coupling of spins 1 and 0 is already given on line 1"),
        ("0 0 0.5\n0 0 0.5\n", "line 2: the field of spin 0 is already given on line 1"),
        ("0 1 inf\n", "line 1: `inf` is not a finite number"),
        ("# empty\n", "contains no coupling and no field; expected lines `i j J` or `i i h`"),
    ] {
        let (model, picture) = (path("wrong.coo"), path("ladder.svg"));
        fs::write(&model, text).unwrap();
        unreadable(&["ladder", "--model", &model, "--svg", &picture], message);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing but the model is left");
    }
    fs::write(path("binary.coo"), [0xfe, 0xfd]).unwrap();
    unreadable(&["ladder", "--model", &path("binary.coo")], "binary.coo: line 1: is not UTF-8");
}

/// Every job that reads a file: a missing one and one of another kind end with status 3, a wrong
/// option beside a good file with 2.
#[test]
fn wrong_input_and_wrong_arguments_have_their_own_status() {
    let folder = folder("statuses");
    let absent = folder.join("absent").to_str().unwrap().to_owned();
    let noise = folder.join("noise").to_str().unwrap().to_owned();
    fs::write(&noise, "these are\nno numbers, but words\n").unwrap();
    let fps = Path::new(shipped()).with_file_name("queries.fps").to_str().unwrap().to_owned();
    for job in [
        &["ising", "FILE"][..],
        &["ladder", "--model", "FILE"],
        &["correlation", "FILE", "--bins", "0:5:1"],
        &["bench", "--load", "FILE"],
        &["fingerprints", "search", "FILE", &fps],
        &["fingerprints", "search", &fps, "FILE"],
        &["fingerprints", "index", "FILE", "--out", &absent],
        &["fingerprints", "verify", "FILE"],
        &["fingerprints", "matrix", "FILE"],
        &["fingerprints", "cluster", "FILE"],
        &["fingerprints", "pick", "FILE", "--count", "2"],
        &["hardround", "merge", "FILE"],
        &["hardround", "verify", "FILE"],
        &["hardround", "compare", "FILE", "FILE"],
    ] {
        for file in [&absent, &noise] {
            let words: Vec<&str> = job.iter().map(|&word| if word == "FILE" { file.as_str() } else { word }).collect();
            unreadable(&words, Path::new(file).file_name().unwrap().to_str().unwrap());
            refused(&[&words[..], &["--no-such-option"]].concat(), "--no-such-option");
        }
    }
    let help = String::from_utf8(run(&["--help"]).stdout).unwrap();
    let statuses = help.split("Exit status:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let numbers: Vec<&str> = statuses.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
    assert_eq!(numbers, ["0", "1", "2", "3", "130"]);
}

#[test]
fn list_shows_every_row_and_one_choice_for_each_kernel() {
    let output = run(&["list", "--format", "json"]);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    let rows: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let expected: usize = hotloops::kernels().map(|kernel| kernel.variants.len()).sum();
    assert_eq!(rows.len(), expected);
    for row in &rows {
        assert_eq!(keys(row), HashSet::from(["kernel", "isa", "form", "usable", "unless", "skipped", "chosen"]));
        assert!(row["usable"].is_boolean());
        assert!(row["usable"] == true && row["skipped"] == false || row["chosen"] == false);
        assert!(row["unless"].is_string() || row["skipped"] == false);
    }
    for kernel in hotloops::kernels() {
        let (family, name) = kernel.name();
        let rows = rows.iter().filter(|row| row["kernel"] == format!("{family}/{name}"));
        assert_eq!(rows.filter(|row| row["chosen"] == true).count(), 1, "{family}/{name}");
    }

    let table = String::from_utf8(run(&["list"]).stdout).unwrap();
    assert_eq!(table.lines().count(), expected + 2);
    let last = table.lines().last().unwrap().strip_prefix("facts of this CPU: ").unwrap();
    let (facts, _) = last.split_once("; cap: ").unwrap();
    for row in rows.iter().filter(|row| row["unless"].is_string()) {
        let holds = facts.split(' ').any(|fact| row["unless"] == fact);
        assert_eq!(row["skipped"], holds, "{row}");
    }

    let capped = command(&["list", "--format", "json"]).env("HOTLOOPS_ISA", "scalar").output().unwrap();
    let rows: Vec<Value> = serde_json::from_slice(&capped.stdout).unwrap();
    assert!(rows.iter().all(|row| (row["isa"] == "scalar") == (row["chosen"] == true)));
    let capped = command(&["list"]).env("HOTLOOPS_ISA", "scalar").output().unwrap();
    let has_more = rows.iter().any(|row| row["isa"] != "scalar");
    assert!(!has_more || capped.stdout.ends_with(b"; cap: scalar\n"));
    let help = String::from_utf8(run(&["list", "--help"]).stdout).unwrap();
    for fact in hotloops::isa::Fact::ALL {
        assert!(help.contains(&format!("{}: ", fact.word())), "{}", fact.word());
    }

    let refused = command(&["list"]).env("HOTLOOPS_ISA", "avx1024").output().unwrap();
    let text = "hotloops: HOTLOOPS_ISA=avx1024: unknown instruction set; valid here: scalar ";
    assert!(refused.status.code() == Some(2) && stderr(&refused).starts_with(text), "{refused:?}");
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let mut child = command(&["list"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
}

/// Minutes of measuring are not lost to a reader that closes its end.
#[test]
fn a_closed_pipe_leaves_the_picture() {
    let picture = folder("ladder_unread").join("bits.svg");
    let words = ["ladder", "bits", "--quick", "--budget", "1", "--svg", picture.to_str().unwrap()];
    let mut child = command(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    assert!(fs::read_to_string(picture).unwrap().contains("slices_distance"));
}

/// Rungs stay below the cap of the environment, though each sets its own.
#[test]
fn ladders_obey_the_cap() {
    for source in ["reduce", "clifford", "hardround", "bits"] {
        let words = ["ladder", source, "--quick", "--budget", "0", "--format", "json"];
        let output = command(&words).env("HOTLOOPS_ISA", "scalar").output().unwrap();
        assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "{source}");
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(document["isas"], serde_json::json!(["scalar"]));
        let parts = document["sources"][0]["parts"].as_array().unwrap();
        for row in parts.iter().filter_map(|part| part["rows"].as_array()).flatten() {
            assert!(["", "scalar"].contains(&row["isa"].as_str().unwrap()), "{source}: {row}");
        }
    }
}

/// The rows of a table of a source, whose JSON has these keys and no others.
fn ladder_rows(json: &[u8], source: &str, table: &str) -> Vec<Value> {
    let document: Value = serde_json::from_slice(json).unwrap();
    assert_eq!(keys(&document), HashSet::from(["cpu", "compiled_for", "libm", "isas", "sources"]));
    assert!(!document["cpu"].as_str().unwrap().is_empty());
    let sources = document["sources"].as_array().unwrap();
    let found = sources.iter().find(|one| one["source"] == source).unwrap();
    let parts = found["parts"].as_array().unwrap();
    let found = parts.iter().find(|part| part["table"] == table).unwrap();
    let rows = found["rows"].as_array().unwrap();
    for row in rows {
        let words =
            ["name", "isa", "whose", "threads", "value", "spread", "ratio", "printed", "here", "why", "verified"];
        assert_eq!(keys(row), HashSet::from(words));
    }
    rows.clone()
}

/// Real couplings are not multiples of one quantum, so the ladder omits the integer level.
#[test]
fn ladder_runs_problems_of_any_couplings() {
    let folder = folder("ladder_real");
    let model = folder.join("real.coo");
    fs::write(&model, "0 1 0.7123\n1 2 0.3377\n2 2 -0.5119\n2 3 0.77777\n").unwrap();
    let output = run(&[
        "ladder",
        "--quick",
        "--budget",
        "1",
        "--format",
        "json",
        "--layers",
        "4",
        "--model",
        model.to_str().unwrap(),
    ]);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    let rows = ladder_rows(&output.stdout, "ising", "levels");
    assert!(rows.iter().all(|row| row["verified"] == true && row["name"] != "int8 exact"));
    assert!(rows.iter().any(|row| row["name"] == "gather poly"));

    // Outside the temperatures that the ladder searches.
    for value in ["1e-20", "3e38"] {
        fs::write(&model, format!("0 1 {value}\n1 2 -{value}\n")).unwrap();
        let message = format!(
            "real.coo: the largest coupling or field is {value}; scale the model so that it is from 1e-5 to 1e6\n"
        );
        unreadable(&["ladder", "--quick", "--model", model.to_str().unwrap()], &message);
    }
}

#[test]
fn ladder_measures_and_verifies_every_level() {
    let folder = folder("ladder");
    let picture = folder.join("ladder.svg");
    let words = ["ladder", "--quick", "--budget", "1", "--format", "json", "--svg", picture.to_str().unwrap()];
    let output = run(&words);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "no progress but to a terminal");

    let rows = ladder_rows(&output.stdout, "ising", "levels");
    for row in &rows {
        // A large spread makes a time void, and a void time its ratios.
        let is_void = row["spread"].as_f64().unwrap() > 0.3;
        assert_eq!(row["value"].is_null(), is_void, "{row}");
        assert!(["value", "ratio"].iter().all(|&key| row[key].is_null() || row[key].as_f64().unwrap() > 0.0), "{row}");
        assert!(row["ratio"].is_null() || !is_void, "{row}");
        assert!(row["threads"].as_u64().unwrap() >= 1);
        assert_eq!(row["verified"], true, "{row}");
    }
    let one = |level: &str| rows.iter().any(|row| row["name"] == level && row["threads"] == 1);
    assert!(["A.1a", "A.1b", "A.1", "A.2a", "A.2b", "A.4", "gather", "gather poly"].into_iter().all(one));
    for row in rows.iter().filter(|row| row["name"] == "A.1b" && row["threads"] == 1) {
        assert!(row["ratio"] == 1.0 || row["ratio"].is_null(), "{row}");
    }
    let printed = |level: &str| rows.iter().find(|row| row["name"] == level && !row["printed"].is_null());
    assert!(printed("A.2b").unwrap()["printed"] == 3.75 && printed("A.4").unwrap()["printed"] == 11.9);

    let svg = fs::read_to_string(&picture).unwrap();
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>") && svg.contains("gather"));
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "no draft is left");
}

/// Asserts that the help of a command, and of all its subcommands, ends with an example.
fn help_has_examples(command: &[&str]) {
    let output = run(&[command, &["--help"]].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && text.contains("Example:\n  hotloops"), "{command:?}: {text}");
    let subcommands = text.split("Commands:\n").nth(1).map_or("", |rest| rest.split("\n\n").next().unwrap());
    let names = subcommands.lines().filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").for_each(|name| help_has_examples(&[command, &[name]].concat()));
}

#[test]
fn every_help_has_an_example() {
    help_has_examples(&[]);
}

/// Completion scripts and manual pages know every job.
#[test]
fn shells_and_man_know_every_job() {
    let jobs = ["bench", "correlation", "fingerprints", "hardround", "ising", "ladder", "lattice", "list"];
    for shell in ["bash", "zsh", "fish"] {
        let script = String::from_utf8(run(&["completions", shell]).stdout).unwrap();
        jobs.iter().for_each(|job| assert!(script.contains(job), "{shell}: {job}"));
    }
    refused(&["completions", "tcsh"], "possible values: bash, elvish, fish, powershell, zsh");

    let pages = folder("manual").join("man1");
    assert!(run(&["man", pages.to_str().unwrap()]).status.success());
    for job in jobs {
        let page = fs::read_to_string(pages.join(format!("hotloops-{job}.1"))).unwrap();
        assert!(page.contains(".SH OPTIONS"), "{job}");
    }
    assert!(pages.join("hotloops.1").is_file() && pages.join("hotloops-fingerprints-search.1").is_file());
    refused(&["man", shipped()], "chimera_4x3.coo: ");
}
