//! `hotloops correlation`: worked examples, brute force, the same bytes for any number of threads, and
//! errors that name the fault.

mod counts;
mod faults;
mod files;
mod formats;
mod frames;
mod orientations;
mod planes;
mod results;
mod tables;

use std::fs;
use std::path::Path;

use crate::support::{run, stderr};

const POLYCRYSTAL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/polycrystal.csv");

fn write(path: &Path, text: &str) -> String {
    fs::write(path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

fn printed(words: &[&str]) -> String {
    let output = run(words);
    assert!(output.status.success(), "{words:?}: {}", stderr(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// The count of each line, and the columns after it.
fn columns(text: &str) -> Vec<(u64, String)> {
    let fields = |line: &str| -> Vec<String> { line.split(',').map(str::to_owned).collect() };
    text.lines().skip(1).map(|line| (fields(line)[2].parse().unwrap(), fields(line)[3..].join(","))).collect()
}

/// A triangular lattice in a periodic box, a little displaced, with alternating types.
fn lattice(path: &Path) -> (String, String) {
    let height = 0.75f64.sqrt();
    let wobble = |i: usize, k: usize| 0.05 * (((i * 7919 + k * 104_729) % 1000) as f64 / 1000.0 - 0.5);
    let mut text = "x,y,type\n".to_owned();
    for i in 0..20 * 24 {
        let (column, row) = (i % 20, i / 20);
        let x = column as f64 + 0.5 * (row % 2) as f64 + wobble(i, 1);
        let y = row as f64 * height + wobble(i, 2);
        text += &format!("{x},{y},{}\n", if column % 2 == 0 { "Na" } else { "Cl" });
    }
    (write(path, &text), format!("20,{}", 24.0 * height))
}
