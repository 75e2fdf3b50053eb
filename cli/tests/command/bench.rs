//! `hotloops bench`: rejected arguments, measurement of every usable variant, and views of the kept
//! record.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use crate::support::{command, folder, refused, run, stderr, unreadable};
use serde_json::Value;

fn families() -> HashSet<&'static str> {
    hotloops::kernels().map(|kernel| kernel.name().0).collect()
}

fn stdout(words: &[&str]) -> String {
    let output = run(words);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "{words:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Kernel, instruction set and form.
fn names(rows: &[Value]) -> Vec<[&str; 3]> {
    rows.iter().map(|row| ["kernel", "isa", "form"].map(|key| row[key].as_str().unwrap())).collect()
}

#[test]
fn wrong_arguments_are_named() {
    let folder = folder("wrong_bench");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    for family in families() {
        refused(&["bench", "exq"], family);
    }
    refused(&["bench", "exp/fast"], "no kernel of `exp` is called `fast`; there are fast_f32 accurate_f32 poly_f32");
    refused(&["bench", "exp/"], "no kernel of `exp` is called ``");
    refused(&["bench", "--format", "wide"], "text, json, csv, markdown");
    fs::write(path("file"), "{}").unwrap();
    refused(&["bench", "--svg-dir", &path("file")], "--svg-dir");
    unreadable(&["bench", "--load", &path("absent")], "absent: No such file");
    unreadable(
        &["bench", "--load", &path("file")],
        "line 1: must be what `hotloops bench --format csv` prints, kernel,isa,",
    );
}

#[test]
fn every_usable_variant_is_measured_and_shown() {
    let folder = folder("bench");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let lines_of_csv = stdout(&["bench", "--quick", "--format", "csv"]);
    fs::write(path("record.csv"), &lines_of_csv).unwrap();
    let show = |more: &[&str]| stdout(&[&["bench", "--load", &path("record.csv")], more].concat());
    assert_eq!(show(&["--format", "csv"]), lines_of_csv);
    let record = show(&["--format", "json"]);
    let document: Value = serde_json::from_str(&record).unwrap();
    let rows = document["rows"].as_array().unwrap();

    let list: Vec<Value> = serde_json::from_str(&stdout(&["list", "--format", "json"])).unwrap();
    let usable: Vec<Value> = list.into_iter().filter(|row| row["usable"] == true).collect();
    let [mut measured, mut expected] = [names(rows), names(&usable)];
    measured.sort();
    expected.sort();
    assert_eq!(measured, expected);
    for row in rows {
        let figures = ["cycles", "median", "ratio"].map(|key| row[key].as_f64().unwrap());
        assert!(figures.iter().all(|&value| value > 0.0) && figures[0] <= figures[1], "{row}");
        assert!(row["form"] != "reference" || row["ratio"] == 1.0, "{row}");
        assert!(row["bound"].is_null() || row["form"] == "assembly", "{row}");
    }
    let machine = document["machine"].as_object().unwrap();
    assert!(["cpu", "isas", "hotloops", "rustc"].iter().all(|&key| !machine[key].as_str().unwrap().is_empty()));
    assert!(machine["gigahertz"].as_f64().unwrap() > 0.0);

    let header = lines_of_csv.lines().next().unwrap();
    let fields: HashSet<&str> = rows[0].as_object().unwrap().keys().chain(machine.keys()).map(String::as_str).collect();
    assert_eq!(header.split(',').collect::<HashSet<_>>(), fields);

    let pictures = path("pictures");
    let text = show(&["--svg-dir", &pictures]);
    let markdown = show(&["--format", "markdown"]);
    for kernel in hotloops::kernels() {
        let (family, name) = kernel.name();
        assert!(text.lines().any(|line| line.split_whitespace().next() == Some(name)), "{family}/{name}");
        assert_eq!(markdown.matches(&format!("| `{family}/{name}` |")).count(), 1);
        let faster = rows.iter().any(|row| row["kernel"] == format!("{family}/{name}") && row["form"] != "reference");
        let picture = fs::read_to_string(format!("{pictures}/{family}.svg")).unwrap();
        assert_eq!(picture.contains(&format!("\n{name}\n")), faster, "{family}/{name}");
    }
    assert_eq!(fs::read_dir(&pictures).unwrap().count(), families().len());

    assert_eq!(show(&["exp/poly_f32", "--format", "markdown"]).lines().count(), 3);
    fs::write(path("exp.csv"), show(&["exp", "--format", "csv"])).unwrap();
    stdout(&["bench", "--load", &path("exp.csv"), "--svg-dir", &path("exp")]);
    assert_eq!(fs::read_dir(path("exp")).unwrap().count(), 1);
}

#[test]
fn a_record_that_no_run_writes_is_refused() {
    let folder = folder("bench_wrong_record");
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../benches/record/epyc_zen3.csv");
    let kept = fs::read_to_string(kept).unwrap();
    let is_refused = |text: String, message: &str| {
        let path = folder.join("record.csv");
        fs::write(&path, text).unwrap();
        unreadable(
            &["bench", "--load", path.to_str().unwrap(), "--svg-dir", folder.join("svg").to_str().unwrap()],
            message,
        );
        assert!(!folder.join("svg").exists(), "{message}");
    };
    // Line 3 with another field.
    let with = |column: &str, value: &str| {
        let mut lines: Vec<&str> = kept.lines().collect();
        let column = lines[0].split(',').position(|name| name == column).unwrap();
        let mut fields: Vec<&str> = lines[2].splitn(12, ',').collect();
        fields[column] = value;
        let line = fields.join(",");
        lines[2] = &line;
        lines.join("\n")
    };
    is_refused(with("cycles", "0"), "line 3: random/mt19937_u32 sse2 intrinsics: cycles = 0e0 is not a possible");
    is_refused(with("cycles", "fast"), "line 3: cycles: invalid float literal");
    is_refused(with("ratio", "-2.0"), "ratio = -2e0 is not a possible measurement");
    is_refused(with("spread", "1e300"), "spread = 1e300 is not a possible measurement");
    is_refused(with("spread", ""), "line 3: spread: ");
    is_refused(with("bound_cpu", "\r"), "line 3: has a control character");
    is_refused(with("kernel", "../../x/y"), "the names are not those of a kernel variant");
    is_refused(with("isa", ""), "the names are not those of a kernel variant");
    is_refused(with("isa", "scalar").replace("intrinsics", "reference"), "appears twice; remove one");
    is_refused(kept.replacen("bound,", "bund,", 1), "line 1: must be what `hotloops bench --format csv` prints");
    let next = kept.lines().count() + 1;
    is_refused(kept.clone() + "a,b\n", &format!("line {next}: has 2 fields, not 16"));
    let other =
        kept.lines().nth(1).unwrap().replace("scalar,reference", "neon,intrinsics").replace("rustc 1", "rustc 2");
    is_refused(kept.clone() + &other, "is of another machine or version than the lines before");
    is_refused(kept.lines().next().unwrap().to_owned() + "\n", "has no rows");
}

#[test]
fn a_reference_alone_is_measured_too() {
    let pictures = folder("bench_scalar");
    let words = ["bench", "random/mt19937_u32", "--quick", "--format", "csv", "--svg-dir", pictures.to_str().unwrap()];
    let output = command(&words).env("HOTLOOPS_ISA", "scalar").output().unwrap();
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 2);
    assert!(pictures.join("random.svg").is_file());
}

/// The table and the pictures in `docs/` are up to date with the record (`benches/record/update`). A kernel newer than
/// the record has an empty row.
#[test]
fn what_is_shown_is_the_record() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let record = root.join("benches/record/epyc_zen4.csv");
    let pictures = folder("bench_shown");
    let [from, to] = [&record, &pictures].map(|path| path.to_str().unwrap());
    let table = stdout(&["bench", "--load", from, "--format", "markdown", "--svg-dir", to]);
    let page = fs::read_to_string(root.join("docs/benchmarks.md")).unwrap();
    let measured: Vec<_> = page.lines().filter(|line| !line.ends_with(" |  |  |  |  |  |  |")).collect();
    assert!((measured.join("\n") + "\n").contains(&table));
    for family in families() {
        let file = format!("{family}.svg");
        let [drawn, kept] =
            [&pictures, &root.join("docs")].map(|folder| fs::read_to_string(folder.join(&file)).unwrap());
        assert!(drawn == kept, "docs/{file}");
    }
}
