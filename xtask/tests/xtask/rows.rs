use std::fs;
use std::path::Path;

use crate::support::{ROOT, scratch, tree_with, xtask};

/// A record with the cycles of the assembly and of the reference of `family/kernel`.
fn record(folder: &Path, name: &str, cpu: &str, assembly: f64, reference: f64) -> String {
    let path = folder.join(name);
    let head = "kernel,isa,form,cycles,spread,cpu";
    let row = |row: &str, cycles: f64| format!("family/kernel,{row},{cycles},0.01,{cpu}\n");
    let text = format!("{head}\n{}{}", row("scalar,reference", reference), row("avx2,assembly", assembly));
    fs::write(&path, text).unwrap();
    path.display().to_string()
}

/// The kernel has the rows avx2_assembly and scalar_reference.
#[test]
fn a_row_that_never_wins_is_named() {
    let tree = tree_with("rows_tree", "avx2", "", "        ret");
    let level = "\n    scalar []\n    avx2 [scalar sse2] [\"avx2\"]\n";
    fs::write(tree.join("src/level.rs"), level).unwrap();
    let folder = scratch("rows");
    let [slow, equal, fast] = [
        record(&folder, "slow.csv", "A", 2.0, 1.0),
        record(&folder, "equal.csv", "B", 1.0, 1.04),
        record(&folder, "fast.csv", "C", 1.0, 1.06),
    ];
    let judged = |records: &[&str]| xtask([&["rows", "--root", tree.to_str().unwrap()], records].concat());
    let outcome = judged(&[&slow, &equal]);
    let expected = "family/kernel/avx2: 1.04 times a weaker instruction set at best\n\
         family/kernel: a call runs avx2_assembly; scalar_reference is 2.00 times as fast on A\n\
         A: 1 of 1 kernels have a faster row\n\
         B: 0 of 1 kernels have a faster row\n\
         2 rows and choices lose; 0 comparisons have no record\n";
    assert_eq!((outcome.stdout.as_str(), outcome.status), (expected, 1), "{}", outcome.stderr);
    let outcome = judged(&[&equal, &fast]);
    assert!(
        outcome.stdout.ends_with("\n0 rows and choices lose; 0 comparisons have no record\n"),
        "{}",
        outcome.stdout
    );
    assert_eq!(outcome.status, 0);
}

#[test]
fn the_records_are_read() {
    let records = fs::read_dir(format!("{ROOT}/benches/record")).unwrap().map(|entry| entry.unwrap().path());
    let records = records.filter(|path| path.extension().is_some_and(|end| end == "csv"));
    let mut words = vec!["rows".to_owned()];
    words.extend(records.map(|path| path.display().to_string()));
    assert!(words.len() > 3, "{words:?}");
    let outcome = xtask(words);
    assert!(outcome.status < 2 && outcome.stdout.contains(" rows and choices lose; "), "{}", outcome.stderr);
}
