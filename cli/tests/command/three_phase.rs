//! The three-phase search finds the same cases as the default search.

use crate::support::{run, stderr};

/// The indices of the cases, as text.
fn found(words: &str, algorithm: &str) -> String {
    let options = ["--format", "index", "--algorithm", algorithm];
    let words: Vec<&str> = ["hardround", "search"].into_iter().chain(words.split(' ')).chain(options).collect();
    let output = run(&words);
    assert_eq!(output.status.code(), Some(0), "{words:?}: {}", stderr(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// Asserts that all algorithms find the same cases. Returns their number.
fn same(words: &str, algorithms: &[&str]) -> usize {
    let farey = found(words, "farey");
    for algorithm in algorithms {
        assert_eq!(found(words, algorithm), farey, "{words} {algorithm}");
    }
    farey.lines().count()
}

#[test]
fn exponentials_of_2_to_the_38_doubles() {
    assert_eq!(same("--func exp --from 1 --to 0x1.0004p+0 --within 0x1p-30", &["three-phase"]), 989);
}

/// The problem of Fortin, Gouicem, Graillat: 2^40 arguments, directed roundings.
#[test]
fn the_243_cases() {
    let words = "--func exp --from 1 --to 0x1.0008p+0 --grid 2^-53 --modes directed --within 0x1p-33";
    assert_eq!(same(words, &["three-phase"]), 243);
}

/// Convex and concave curves, an extremum, and bounds for which domains are useless.
#[test]
fn other_functions_and_bounds() {
    for words in [
        "--func log --from 1.7 --to 0x1.b3335p+0 --within 0x1p-27",
        "--func log2 --from 0x1.ffffp+900 --to 0x1.00008p+901 --within 0x1p-26 --modes directed",
        "--func sin --from 0.5 --to 0x1.00002p-1 --within 0x1p-27",
        "--func sin --from 1.5707963 --to 1.57079633 --within 0x1p-24",
        "--func sin --from 6.283 --to 6.2830000001 --within 0x1p-12",
        "--func cos --from -0x1.000001p+4 --to -0x1p+4 --within 0x1p-24 --modes nearest",
        "--func exp2 --from 0x1.fffffffp-1 --to 0x1.000001p+0 --within 0x1p-24",
        "--func exp10 --from 20 --to 20.00000000001 --within 0x1p-6",
        "--func exp --from 1 --to 0x1.00000000001p+0 --within 0x1p-5",
    ] {
        assert!(same(words, &["three-phase", "three-phase-lefevre"]) > 0, "{words}");
    }
}

/// Intervals on which Lefevre's test needs a step for every few arguments.
#[test]
fn slopes_near_to_integers_and_quarters() {
    for words in [
        "--func exp --from 0x1.193ea7aad030ap+0 --to 0x1.193f47bad030ap+0 --within 0x1p-28",
        "--func log --from 1.6 --to 0x1.999bp+0 --within 0x1p-27",
    ] {
        assert!(same(words, &["three-phase"]) > 0, "{words}");
    }
}

#[test]
fn an_algorithm_must_be_one() {
    crate::support::refused(
        &["hardround", "search", "--func", "exp", "--from", "1", "--to", "2", "--bits", "44", "--algorithm", "fast"],
        "farey",
    );
}
