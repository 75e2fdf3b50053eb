use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Outcome, ROOT, scratch, tree_with, xtask};

/// A record with the cycles of the assembly and of the reference of `family/kernel`.
fn record(folder: &Path, name: &str, cpu: &str, assembly: f64, reference: f64) -> String {
    let path = folder.join(name);
    let head = "kernel,isa,form,cycles,spread,cpu";
    let row = |row: &str, cycles: f64| format!("family/kernel,{row},{cycles},0.01,\"{cpu}\"\n");
    let text = format!("{head}\n{}{}", row("scalar,reference", reference), row("avx2,assembly", assembly));
    fs::write(&path, text).unwrap();
    path.display().to_string()
}

/// A tree whose only kernel has the rows avx2_assembly, declared as `row`, and scalar_reference; with exceptions.
fn tree(name: &str, row: &str, exceptions: &str) -> PathBuf {
    let tree = tree_with(name, "avx2", "", "        ret");
    let declared = fs::read_to_string(tree.join("src/family/kernels.rs")).unwrap();
    fs::write(tree.join("src/family/kernels.rs"), declared.replace("assembly: avx2;", &format!("assembly: {row};")))
        .unwrap();
    let level = "\n    scalar []\n    avx2 [scalar sse2] [\"avx2\"]\n";
    fs::create_dir_all(tree.join("src/frame")).unwrap();
    fs::write(tree.join("src/frame/level.rs"), level).unwrap();
    fs::create_dir_all(tree.join("tests/house")).unwrap();
    fs::write(tree.join("tests/house/rows.txt"), exceptions).unwrap();
    tree
}

fn judge(tree: &Path, records: &[&str]) -> Outcome {
    xtask([&["rows", "--root", tree.to_str().unwrap()], records].concat())
}

#[test]
fn a_row_that_never_wins_is_named() {
    let (folder, whole) = (scratch("rows"), tree("rows_tree", "avx2", "# None.\n"));
    let [slow, equal, fast] = [
        record(&folder, "slow.csv", "A", 2.0, 1.0),
        record(&folder, "equal.csv", "B", 1.0, 1.04),
        record(&folder, "fast.csv", "C", 1.0, 1.06),
    ];
    let outcome = judge(&whole, &[&slow, &equal]);
    let expected = "family/kernel/avx2: 1.04 times a weaker instruction set at best\n\
         family/kernel: a call runs avx2_assembly; scalar_reference is 2.00 times as fast on A\n\
         A: 1 of 1 kernels have a faster row\n\
         B: 0 of 1 kernels have a faster row\n\
         2 rows and choices lose, 0 are excused; 0 comparisons have no record\n";
    assert_eq!((outcome.stdout.as_str(), outcome.status), (expected, 1), "{}", outcome.stderr);
    let outcome = judge(&whole, &[&equal, &fast]);
    assert!(outcome.stdout.ends_with("\n0 rows and choices lose, 0 are excused; 0 comparisons have no record\n"));
    assert_eq!(outcome.status, 0);

    // Each of the two is excused by its own line.
    let excused = tree("rows_excused", "avx2", "family/kernel/avx2: it is so\nfamily/kernel: it is so\n");
    let outcome = judge(&excused, &[&slow, &equal]);
    assert!(outcome.stdout.ends_with("\n0 rows and choices lose, 2 are excused; 0 comparisons have no record\n"));
    assert_eq!(outcome.status, 0);
    let outcome = judge(&excused, &[&equal]);
    let stale = "tests/house/rows.txt: line 2: family/kernel does not lose; remove the line\n";
    assert!(outcome.status == 1 && outcome.stdout.contains(stale), "{}", outcome.stdout);
    let unreasoned = tree("rows_unreasoned", "avx2", "family/kernel/avx2\n");
    judge(&unreasoned, &[&slow]).refuses("tests/house/rows.txt: line 1: must be `NAME: REASON`");
}

/// Neither the row's loss nor its gain counts on a CPU that skips it.
#[test]
fn a_fact_of_the_cpu_excuses_the_choice() {
    let (folder, skipping) = (scratch("rows_fact"), tree("rows_skipping", "avx2 unless narrow_256", "# None.\n"));
    let zen1 = "AMD EPYC, family 23, model 1";
    let [slow, fast] = [
        record(&folder, "slow.csv", zen1, 2.0, 1.0),
        record(&folder, "fast.csv", "AMD EPYC, family 25, model 1", 1.0, 2.0),
    ];
    assert_eq!(judge(&skipping, &[&slow, &fast]).status, 0);
    let outcome = judge(&tree("rows_plain", "avx2", "# None.\n"), &[&slow, &fast]);
    let expected =
        format!("family/kernel: a call runs avx2_assembly; scalar_reference is 2.00 times as fast on {zen1}\n");
    assert!(outcome.status == 1 && outcome.stdout.starts_with(&expected), "{}", outcome.stdout);
    let gains = record(&folder, "gains.csv", zen1, 1.0, 2.0);
    let outcome = judge(&skipping, &[&gains]);
    let expected =
        format!("family/kernel: a call runs scalar_reference; avx2_assembly is 2.00 times as fast on {zen1}\n");
    assert!(outcome.status == 1 && outcome.stdout.starts_with(&expected), "{}", outcome.stdout);
}

/// Every row wins on a recorded CPU, and calls run the fastest rows there, or `tests/house/rows.txt` says why not.
#[test]
fn rows_win() {
    let records = fs::read_dir(format!("{ROOT}/benches/record")).unwrap().map(|entry| entry.unwrap().path());
    let records = records.filter(|path| path.extension().is_some_and(|end| end == "csv"));
    let mut words = vec!["rows".to_owned()];
    words.extend(records.map(|path| path.display().to_string()));
    assert!(words.len() > 3, "{words:?}");
    let Outcome { status, stdout, stderr } = xtask(words);
    assert!(status == 0 && stdout.contains("\n0 rows and choices lose, "), "{stdout}{stderr}");
}
