//! Results do not depend on the number of threads.

use std::fs;

use super::*;
use crate::support::folder;

#[test]
fn the_number_of_threads_does_not_matter_but_the_seed_does() {
    let folder = folder("threads");
    for (index, words) in shapes().iter().enumerate() {
        let run = |threads: &str, seed: &'static str| {
            let [table, picture] = ["csv", "svg"].map(|end| folder.join(format!("{index}.{threads}.{seed}.{end}")));
            let files = ["--series", table.to_str().unwrap(), "--svg", picture.to_str().unwrap()];
            let words = [changed(words, "7", seed), files.into()].concat();
            let words = [&words[..], &["--threads", threads]].concat();
            (succeeds(&words), fs::read(table).unwrap(), fs::read(picture).unwrap())
        };
        let one = run("1", "7");
        assert!(one == run("3", "7"), "{words:?}");
        assert!(one.1 != run("3", "8").1, "{words:?}");
    }
}
