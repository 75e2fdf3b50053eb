//! Each refused argument is named, and the message says what to do.

use std::fs;
use std::path::Path;

use crate::support::{ends, folder, run, shipped, stderr};

/// The subcommands that do work, as their words.
fn jobs() -> Vec<Vec<String>> {
    let mut open = vec![Vec::new()];
    let mut jobs = Vec::new();
    while let Some(words) = open.pop() {
        let help = help(&words);
        let Some(commands) = help.split("\nCommands:\n").nth(1).and_then(|text| text.split("\n\n").next()) else {
            jobs.push(words);
            continue;
        };
        for line in commands.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   ")) {
            let name = line.split_whitespace().next().unwrap();
            if name != "help" {
                open.push([&words[..], &[name.to_owned()]].concat());
            }
        }
    }
    jobs
}

fn help(words: &[String]) -> String {
    let words: Vec<&str> = words.iter().map(String::as_str).chain(["-h"]).collect();
    String::from_utf8(run(&words).stdout).unwrap()
}

/// The options of a job that take a value, and the value's name.
fn options(job: &[String]) -> Vec<(String, String)> {
    let of_line = |line: &str| {
        let option = line.trim_start().trim_start_matches(|letter| letter != '-');
        let option = option.split_once(", --").map_or(option, |(_, long)| long).trim_start_matches('-');
        let (name, rest) = option.split_once([' ', '='])?;
        let value = rest.strip_prefix('<')?.split('>').next()?;
        Some((format!("--{name}"), value.to_owned()))
    };
    let text = help(job);
    let sections = text.split("\nOptions:\n").nth(1).unwrap_or_default();
    sections.lines().filter(|line| line.trim_start().starts_with('-')).filter_map(of_line).collect()
}

/// Says the valid values or their range.
fn has_remedy(message: &str) -> bool {
    ["expected", "possible values"].iter().any(|word| message.contains(word))
}

#[test]
fn a_wrong_value_is_answered_with_the_right_ones() {
    let (mut values, mut negative) = (0, 0);
    for job in jobs() {
        for (option, value) in options(&job) {
            // Any text may name a file or a column.
            if ["FILE", "DIR"].contains(&value.as_str()) || option == "--frame-column" || option == "--types" {
                continue;
            }
            let refused = |word: &str| {
                let words: Vec<&str> = job.iter().map(String::as_str).chain([option.as_str(), word]).collect();
                let output = run(&words);
                assert_eq!(output.status.code(), Some(2), "{words:?}");
                (format!("{words:?}: {}", stderr(&output)), stderr(&output).contains(&format!("'{option}")))
            };
            for word in ["?", "1?", "nan", "1e999", "99999999999999999999999"] {
                let (message, is_named) = refused(word);
                // A large number may be one of a valid range.
                assert!(is_named && has_remedy(&message) || word.starts_with("999"), "{message}");
                values += 1;
            }
            // A negative number is a wrong value too, and no unknown option.
            let (message, is_named) = refused("-7");
            if refused("?").0.contains("expected") {
                assert!(!message.contains("unexpected argument"), "{message}");
                assert!(!is_named || has_remedy(&message), "{message}");
                negative += 1;
            }
        }
    }
    assert!(values > 250 && negative > 50, "{values}, {negative}");
}

/// A file of a fresh folder.
fn file(name: &str, text: &str) -> String {
    let path = folder(&format!("remedies_{name}")).join(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// The rows of a table: a status, a command line, the name of the argument, and what to do.
fn check(rows: &[(i32, &str, &str, &str)], files: &[(&str, &str)]) {
    for &(status, line, name, remedy) in rows {
        let word = |word: &'static str| {
            let known = files.iter().find(|(name, _)| *name == word);
            known.map_or(word.to_owned(), |(_, path)| (*path).to_owned())
        };
        let words: Vec<String> = line.to_owned().leak().split(' ').map(word).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        ends(status, &words, name);
        ends(status, &words, remedy);
    }
}

#[test]
fn options_of_correlation_that_exclude_or_need_each_other_name_both() {
    let points = file("points.csv", "x,y\n1,2\n3,4\n4,4\n");
    check(
        &[
            (2, "correlation POINTS --rdf --neighbours 6", "'--rdf'", "'--neighbours <K>'"),
            (2, "correlation POINTS --radius 1 --neighbours 6", "'--radius <R>'", "'--neighbours <K>'"),
            (2, "correlation POINTS --voronoi --radius 1", "'--voronoi'", "'--radius <R>'"),
            (2, "correlation POINTS --weighted", "required arguments were not provided", "--voronoi"),
            (2, "correlation POINTS --neighbours 2 --weighted", "'--weighted'", "'--neighbours <K>'"),
            (2, "correlation POINTS --rdf --mask POINTS --box 9,9", "'--mask <FILE>'", "'--box <X,Y>'"),
            (2, "correlation POINTS --rdf --fit 1:2", "'--fit <LO:HI>'", "'--rdf'"),
            (2, "correlation POINTS --rdf --frames --average", "'--frames'", "'--average'"),
            (2, "correlation POINTS --frame 1 --average", "'--frame <N>'", "'--average'"),
            (
                2,
                "correlation POINTS --fold 4,6",
                "--fold: several symmetries need",
                "--neighbours, --radius or --voronoi",
            ),
            (
                2,
                "correlation POINTS --rdf --bins 0:9:1 --box 10,10",
                "--bins",
                "beyond half of --box, 5; end --bins there",
            ),
            (2, "correlation POINTS --rdf --out x --svg x", "--svg x: is the file of --out", "choose another"),
            (2, "correlation POINTS --rdf --out POINTS", "--out", "is the file of POINTS; choose another"),
            (
                2,
                "correlation POINTS --rdf --bins 0:1:0",
                "'--bins <LO:HI:WIDTH>': WIDTH = 0",
                "expected LO:HI:WIDTH with 0 <= LO",
            ),
            (2, "correlation POINTS --rdf --bins 3:1:1", "LO = 3 is not less than HI = 1", "as in 0:600:1"),
            (2, "correlation POINTS --rdf --bins 0:1:2", "no bin of width 2", "decrease WIDTH or increase HI"),
            (2, "correlation POINTS --rdf --bins 0:1:1e-17", "more than", "increase WIDTH"),
            (
                2,
                "correlation POINTS --rdf --bins 0:1",
                "'--bins <LO:HI:WIDTH>'",
                "expected three numbers; expected LO:HI:WIDTH",
            ),
        ],
        &[("POINTS", points.as_str())],
    );
}

#[test]
fn options_that_exclude_or_need_each_other_name_both() {
    let db = Path::new(shipped()).with_file_name("queries.fps").to_str().unwrap().to_owned();
    check(
        &[
            (2, "ising MODEL --time 1s --checkpoint-seconds 5", "'--checkpoint-seconds <SECONDS>'", "'--time <TIME>'"),
            (2, "ising MODEL --method exchange --runs 4", "--runs has no effect", "leave it out"),
            (2, "ising MODEL --ladder 1,2", "--ladder has no effect: it requires --method exchange", "leave it out"),
            (
                2,
                "ising MODEL --gamma-max 1",
                "--gamma-max has no effect: the systems are classical",
                "add --kind worldline",
            ),
            (2, "ising MODEL --beta-min 2 --beta-max 1", "--beta-min 2 exceeds --beta-max 1", "exchange the two"),
            (2, "ising MODEL --slices 4 --beta 1 --gamma 1", "--gamma-max is missing", "give it"),
            (2, "ising MODEL --method exchange --ladder 2,1,3", "--ladder 2,1,3", "sort it, without repeats"),
            (
                2,
                "ising MODEL --method exchange --sweeps 5 --warm-up 5",
                "--warm-up 5",
                "reduce it, or increase --sweeps",
            ),
            (2, "ising MODEL --checkpoint-seconds 5", "required arguments were not provided", "--checkpoint <FILE>"),
            (2, "ising MODEL --time 1s --checkpoint c", "'--time <TIME>'", "'--checkpoint <FILE>'"),
            (2, "fingerprints search DB DB --all --top 3", "'--top <N>'", "'--all'"),
            (2, "fingerprints search DB DB --tversky-alpha 1", "required arguments were not provided", "--tversky <T>"),
            (2, "fingerprints search DB DB --tversky 1 --tversky-alpha 1", "not provided", "--tversky-beta <B>"),
            (2, "fingerprints search DB DB --tanimoto 1 --dice 1", "'--tanimoto <T>'", "'--dice <T>'"),
            (2, "fingerprints search - -", "QUERY and DB cannot both be standard input", "give a file for one of them"),
            (2, "fingerprints index DB --strict-type --out x", "not provided", "--append"),
            (2, "fingerprints index DB", "not provided", "--out <FILE>"),
            (2, "fingerprints pick DB", "not provided", "--count <N>"),
            (2, "fingerprints pick DB --tanimoto 0.5 --seed 3", "'--seed <N>'", "'--tanimoto <T>'"),
            (2, "hardround search --func exp --from 1 --to 2", "not provided", "--within <ULPS>"),
            (2, "hardround search --func exp --from 1 --to 2 --bits 9 --within 1", "'--bits <M>'", "'--within <ULPS>'"),
            (2, "hardround search --func exp --from 2 --to 1 --bits 40", "--from and --to", "not below its end"),
            (2, "hardround search --func exp --bits 40", "--from <X> is required", "too many numbers for one search"),
            (2, "hardround search --func exp --from 1 --to 2 --bits 3", "--bits 3", "must be from 4 to 58"),
            (
                2,
                "hardround search --func exp --from 1 --to 2 --bits 40 --shard 1/2 --format wc",
                "--shard",
                "use --format tsv",
            ),
            (2, "bench exp --format json --format csv", "'--format <FORMAT>'", "cannot be used multiple times"),
            (2, "bench nothing", "nothing: no family is called `nothing`", "there are "),
        ],
        &[("MODEL", shipped()), ("DB", &db)],
    );
}

#[test]
fn outputs_that_cannot_be_written_say_what_to_choose() {
    let points = file("outputs.csv", "x,y\n1,2\n3,4\n4,4\n");
    let db = Path::new(shipped()).with_file_name("queries.fps").to_str().unwrap().to_owned();
    let own = folder("remedies_outputs");
    let (place, absent) = (own.to_str().unwrap(), own.join("absent/file"));
    let files = [
        ("POINTS", points.as_str()),
        ("MODEL", shipped()),
        ("DB", &db),
        ("DIR", place),
        ("X", absent.to_str().unwrap()),
    ];
    for line in [
        "correlation POINTS --rdf --out",
        "correlation POINTS --rdf --svg",
        "correlation POINTS --neighbours 2 --psi",
        "correlation POINTS --neighbours 2 --psi-svg",
        "correlation POINTS --neighbours 2 --covariance",
        "ising MODEL --sweeps 1 --spins",
        "ising MODEL --sweeps 1 --samples",
        "ising MODEL --sweeps 1 --series",
        "ising MODEL --sweeps 1 --svg",
        "ising MODEL --sweeps 1 --checkpoint",
        "ising MODEL --method exchange --rungs",
        "ising MODEL --method exchange --rungs-svg",
        "ising MODEL --method exchange --overlaps",
        "lattice 8 --betas 1 --out",
        "lattice 8 --betas 1 --series",
        "lattice 8 --betas 1 --final",
        "lattice 8 --betas 1 --checkpoint",
        "ladder --budget 1 --svg",
        "fingerprints search DB DB --out",
        "fingerprints index DB --out",
        "fingerprints matrix DB --out",
        "fingerprints cluster DB --out",
        "fingerprints pick DB --count 2 --out",
        "hardround search --func exp --from 1 --to 0x1.00001p0 --bits 40 --out",
    ] {
        let option = line.rsplit(' ').next().unwrap();
        let (of_folder, of_nothing) = (format!("{line} DIR"), format!("{line} X"));
        check(
            &[
                (2, &of_folder, &format!("{option} "), "is a folder; choose another file"),
                (2, &of_nothing, &format!("{option} "), "create its folder first, or choose another file"),
            ],
            &files,
        );
    }
}

#[test]
fn files_without_a_column_or_of_another_kind_say_what_is_needed() {
    let table = |name: &str, header: &str| file(name, &format!("{header}\n1,2,3\n4,5,6\n"));
    let (plain, typed) = (table("plain.csv", "x,y,q"), table("typed.csv", "x,y,type"));
    let (no_y, twice) = (table("no_y.csv", "x,z,q"), table("twice.csv", "x,y,X"));
    let both = file("both.csv", "x,y,theta,psi_re,psi_im\n1,2,0,1,0\n");
    let half = table("half.csv", "x,y,psi_re");
    let repeated = file("repeated.csv", "x,y,frame\n1,2,1\n3,4,1\n1,2,2\n");
    let db = Path::new(shipped()).with_file_name("queries.fps").to_str().unwrap().to_owned();
    let files = [
        ("PLAIN", plain.as_str()),
        ("TYPED", &typed),
        ("NO_Y", &no_y),
        ("TWICE", &twice),
        ("BOTH", &both),
        ("HALF", &half),
        ("FILM", &repeated),
        ("MODEL", shipped()),
        ("DB", &db),
    ];
    check(
        &[
            (3, "correlation NO_Y --rdf", "names no column y; it is: x,z,q", "call the columns x and y"),
            (3, "correlation TWICE --rdf", "names two columns x", "rename one of them"),
            (3, "correlation BOTH --bins 0:1:1", "names both theta and psi_re", "leave one of them out"),
            (3, "correlation HALF --bins 0:1:1", "names no column psi_im", "call the column psi_im"),
            (3, "correlation PLAIN --bins 0:1:1", "names neither theta nor psi_re", "--rdf needs none"),
            (
                3,
                "correlation PLAIN --rdf --types A,B",
                "names no column type",
                "rename the column of the types to type",
            ),
            (
                3,
                "correlation TYPED --rdf --bins 0:1:1 --types 3,9",
                "--types: no point has the type 9",
                "choose types of the column",
            ),
            (3, "correlation PLAIN --rdf --frames", "names no column frame", "or --frame-column NAME"),
            (
                3,
                "correlation PLAIN --rdf --frame-column t",
                "names no column t, which --frame-column names",
                "it is: x,y,q",
            ),
            (3, "correlation FILM --rdf --bins 0:1:1", "frame = 2", "choose --frame 1, --frames or --average"),
            (3, "correlation FILM --rdf --bins 0:1:1 --frame 7", "--frame 7: no point", "the frames are from 1 to 2"),
            (
                3,
                "correlation FILM --frame 1 --bins 0:1:1 --neighbours 6",
                "--neighbours 6: each point has 1 others",
                "give at most 1",
            ),
            (3, "correlation MODEL --rdf", "names no column x", "call the columns x and y"),
            (3, "ising PLAIN", "plain.csv: line 1", "expected `i j J` or `i i h`"),
            (
                3,
                "ising MODEL --checkpoint DB",
                "--checkpoint",
                "is not a checkpoint of `hotloops ising`; choose another file",
            ),
            (3, "ising MODEL --maxcut", "--maxcut", "leave out --maxcut"),
            (
                3,
                "fingerprints index PLAIN --out x",
                "plain.csv: line 1",
                "a line has the digits of a fingerprint, a tab and an id",
            ),
            (3, "fingerprints verify DB", "is not an index", "make one by `hotloops fingerprints index`"),
            (3, "hardround merge PLAIN", "plain.csv", "is not a file of `hotloops hardround search`"),
            (3, "bench --load PLAIN", "plain.csv: line 1", "must be what `hotloops bench --format csv` prints"),
        ],
        &files,
    );
}
