use std::fs;
use std::path::PathBuf;

use crate::support::{ROOT, scratch, xtask};

/// A record of one CPU with the cycles of three variants, and one spread.
fn record(folder: &str, name: &str, cpu: &str, cycles: [f64; 3]) -> PathBuf {
    let row = |(isa, cycles): (&str, f64)| format!("reduce/sum_f32,{isa},assembly,{cycles},0.05,{cpu}\n");
    let rows: String = ["sse2", "avx2", "avx512"].into_iter().zip(cycles).map(row).collect();
    let text = format!("kernel,isa,form,cycles,spread,cpu\n{rows}");
    let path = PathBuf::from(folder).join(name);
    fs::write(&path, text).unwrap();
    path
}

#[test]
fn what_is_slower_by_more_than_its_spread_is_named() {
    let folder = scratch("compare");
    let folder = folder.to_str().unwrap();
    let [old, same, slow] = [
        record(folder, "old.csv", "A", [1.0, 2.0, 4.0]),
        record(folder, "same.csv", "A", [1.04, 2.09, 3.0]),
        record(folder, "slow.csv", "A", [1.04, 2.12, 4.0]),
    ]
    .map(|path| path.display().to_string());
    let outcome = xtask(["compare", &old, "--with", &same]);
    assert_eq!(
        outcome.stdout,
        "0 of 3 variants are slower than the record; not in both: 0 of the record, 0 of the run\n"
    );
    assert_eq!(outcome.status, 0);
    let outcome = xtask(["compare", &old, "--with", &slow]);
    let line = "reduce/sum_f32/avx2_assembly: 2.12 cycles, 2 in the record: 6.0 % slower, spread 5.0 %\n";
    assert_eq!(
        outcome.stdout,
        format!("{line}1 of 3 variants are slower than the record; not in both: 0 of the record, 0 of the run\n")
    );
    assert_eq!(outcome.status, 1);
}

#[test]
fn a_record_of_another_cpu_is_refused() {
    let folder = scratch("cpus");
    let folder = folder.to_str().unwrap();
    let [a, b] = ["A", "B"].map(|cpu| record(folder, cpu, cpu, [1.0; 3]).display().to_string());
    xtask(["compare", &a, "--with", &b])
        .refuses("the record is of A, this run of B; --any-cpu compares them all the same");
    assert_eq!(xtask(["compare", &a, "--with", &b, "--any-cpu"]).status, 0);
}

#[test]
fn what_is_no_record_is_refused() {
    let outcome = xtask(["compare", "benches/record/none.csv"]);
    assert!(outcome.status == 2 && outcome.stderr.contains("benches/record/none.csv: "), "{}", outcome.stderr);
    let outcome = xtask(["compare", "Cargo.toml", "--with", "Cargo.toml"]);
    let why = "Cargo.toml: not what `hotloops bench --format csv` prints: ";
    assert!(outcome.stderr.contains(why), "{}", outcome.stderr);
}

/// Records of the repository are read; one compared with itself has nothing slower.
#[test]
fn the_records_are_read() {
    for path in fs::read_dir(format!("{ROOT}/benches/record")).unwrap().map(|entry| entry.unwrap().path()) {
        if path.extension().is_some_and(|end| end == "csv") {
            let path = path.display().to_string();
            let outcome = xtask(["compare", &path, "--with", &path]);
            assert!(outcome.stdout.starts_with("0 of ") && outcome.status == 0, "{}", outcome.stdout);
        }
    }
}
