//! Header lines of FPS text: widths that are given or not, and types that differ.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::support::{folder, refused, run, stderr, unreadable};

/// Files of a folder.
struct Files<'a>(&'a Path);

impl Files<'_> {
    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    /// A file of FPS text.
    fn text(&self, name: &str, text: &str) -> String {
        fs::write(self.path(name), text).unwrap();
        self.path(name)
    }

    /// An index file of FPS text.
    fn index(&self, name: &str, text: &str) -> String {
        let (db, index) = (self.text("text of an index", text), self.path(name));
        assert_eq!(job(&["index", &db, "--out", &index]), (String::new(), String::new()));
        index
    }
}

/// Output and standard error of a job that succeeds.
fn job(words: &[&str]) -> (String, String) {
    let output: Output = run(&[&["fingerprints"], words].concat());
    assert!(output.status.success(), "{words:?}: {}", stderr(&output));
    (String::from_utf8(output.stdout.clone()).unwrap(), stderr(&output))
}

const HITS: &str = "query\ttarget\tscore\n";

/// The same 12 bits with and without `num_bits`, as text and as index, each against each.
#[test]
fn widths_that_are_not_given_are_compared_by_bytes() {
    let folder = folder("header_widths");
    let files = Files(&folder);
    let rows = "ff0f\ta\n0f00\tb\n";
    let heads = ["#FPS1\n#num_bits=12\n", "#num_bytes=2\n", "", "#num_bits=12\n#num_bytes=2\n"];
    let expected = format!("{HITS}a\ta\t1\na\tb\t0.33333334\nb\tb\t1\nb\ta\t0.33333334\n");
    for (number, head) in heads.iter().enumerate() {
        let query = files.text("q.fps", &format!("{head}{rows}"));
        for other in heads {
            let text = format!("{other}{rows}");
            for db in [files.text("db.fps", &text), files.index("db.hlfp", &text)] {
                let found = job(&["search", &query, &db, "--tanimoto", "0.1"]);
                assert_eq!(found, (expected.clone(), String::new()), "{head:?} {other:?} {db}");
            }
            let index = files.index("more.hlfp", &text);
            assert_eq!(job(&["index", &query, "--append", "--out", &index]), Default::default(), "{number}");
            let twice = job(&["search", &query, &index, "--tanimoto", "0.9"]).0;
            assert_eq!(twice, format!("{HITS}a\ta\t1\na\ta\t1\nb\tb\t1\nb\tb\t1\n"));
        }
    }
}

#[test]
fn widths_that_contradict_are_refused() {
    let folder = folder("header_contradictions");
    let files = Files(&folder);
    let given = files.text("given.fps", "#num_bits=12\nff0f\ta\n");
    let more = files.text("more.fps", "#num_bits=16\nff0f\ta\n");
    let wide = files.text("wide.fps", "0000\tz\nff10\ta\n");
    let long = files.text("long.fps", "ff0f00\ta\n");
    for (query, db, why) in [
        (&given, &more, "given.fps: the fingerprints have 12 bits, but "),
        (&more, &given, "more.fps: the fingerprints have 16 bits, but "),
        (&long, &given, "long.fps: the fingerprints have 24 bits, but "),
        (&given, &long, "given.fps: the fingerprints have 12 bits, but "),
        (&wide, &given, "wide.fps: the fingerprints of 'a' and others set bit 12, but "),
    ] {
        unreadable(&["fingerprints", "search", query, db], why);
        let index = files.path("db.hlfp");
        job(&["index", db, "--out", &index]);
        unreadable(&["fingerprints", "search", query, &index], why);
        let before = fs::read(&index).unwrap();
        unreadable(&["fingerprints", "index", query, "--append", "--out", &index], why);
        assert!(fs::read(&index).unwrap() == before);
    }
    // 12 bits are among 16.
    assert_eq!(job(&["search", &given, &wide, "--tanimoto", "0.5"]).0, format!("{HITS}a\ta\t0.61538464\n"));
}

#[test]
fn types_that_differ_are_warned_of_and_refused_on_demand() {
    let folder = folder("header_types");
    let files = Files(&folder);
    let text = |lines: &str| format!("#FPS1\n#num_bits=8\n{lines}ff\ta\n");
    let query = files.text("q.fps", &text("#type=RDKit-Morgan/1 radius=2\n#software=RDKit/2026\n"));
    let hits = format!("{HITS}a\ta\t1\n");
    for (lines, warning) in [
        ("#type=RDKit-Morgan/1 radius=2\n#software=other\n#source=x\n", None),
        ("#type=RDKit-Morgan/1 radius=3\n", Some("#type is 'RDKit-Morgan/1 radius=3' in ")),
    ] {
        for db in [files.text("db.fps", &text(lines)), files.index("db.hlfp", &text(lines))] {
            let (found, said) = job(&["search", &query, &db]);
            assert_eq!(found, hits);
            let strict = ["fingerprints", "search", &query, &db, "--strict-type"];
            match warning {
                None => {
                    assert_eq!(said, "");
                    assert!(run(&strict).status.success());
                }
                Some(warning) => {
                    let is_said = said.starts_with(&format!("hotloops: warning: {warning}{db}, but 'RDKit-Morgan/1"));
                    assert!(is_said && said.lines().count() == 1, "{said}");
                    unreadable(&strict, "(--strict-type)");
                }
            }
        }
    }
    // A file without the line says nothing of its kind.
    let silent = files.text("silent.fps", &text(""));
    assert_eq!(job(&["search", &query, &silent]), (hits.clone(), String::new()));
    unreadable(&["fingerprints", "search", &query, &silent, "--strict-type"], "#type is none in ");
    assert!(run(&["fingerprints", "search", &silent, &silent, "--strict-type"]).status.success());
    let [a, b] = ["openeye", "rdkit"].map(|model| files.text(model, &text(&format!("#aromaticity={model}\n"))));
    assert!(job(&["search", &a, &b]).1.contains("#aromaticity is 'rdkit' in "));
    unreadable(&["fingerprints", "search", &a, &b, "--strict-type"], "#aromaticity is 'rdkit' in ");
    refused(&["fingerprints", "index", &a, "--out", &b, "--strict-type"], "--append");
}

/// An index keeps the header lines, also of appended files, and says what it holds.
#[test]
fn an_index_keeps_the_header() {
    let folder = folder("header_kept");
    let files = Files(&folder);
    let head = "#num_bits=8\n#type=a\n#software=s/1\n#source=one=1.smi\n#date=2026-11-28T16:00:00\n#x-own=μ\n";
    let index = files.index("db.hlfp", &format!("#FPS1\r\n{head}ff\ta\n"));
    let (said, _) = job(&["verify", &index]);
    assert_eq!(said, format!("no fault: 1 fingerprints of 8 bits; segments: 1\n{head}"));
    let more = files.text("more.fps", "#type=a\n#source=two.smi\n0f\tb\n");
    assert_eq!(job(&["index", &more, "--append", "--out", &index]), Default::default());
    let (said, _) = job(&["verify", &index]);
    assert_eq!(said, format!("no fault: 2 fingerprints of 8 bits; segments: 1\n{head}#source=two.smi\n"));
    let other = files.text("other.fps", "#type=b\n01\tc\n");
    let before = fs::read(&index).unwrap();
    unreadable(&["fingerprints", "index", &other, "--append", "--strict-type", "--out", &index], "(--strict-type)");
    assert!(fs::read(&index).unwrap() == before);
    assert!(job(&["index", &other, "--append", "--out", &index]).1.starts_with("hotloops: warning: #type is 'a' in "));
    assert!(job(&["search", &more, &index]).1.contains("#type is 'a' and 'b' in "));
}

/// Index files of version 1, which hold no header, are still read.
#[test]
fn index_files_of_version_1_are_read() {
    let folder = folder("header_version_1");
    let files = Files(&folder);
    let index = files.index("db.hlfp", "#num_bits=12\n#type=a\nff0f\ta\n0f00\tb\n");
    let mut bytes = fs::read(&index).unwrap();
    let header: usize = 64 + 5 * 32;
    let at = u64::from_le_bytes(bytes[header - 32..][..8].try_into().unwrap()) as usize;
    // Without the fifth section.
    let last = u64::from_le_bytes(bytes[header - 64..][..8].try_into().unwrap()) as usize;
    let length = u64::from_le_bytes(bytes[header - 56..][..8].try_into().unwrap()) as usize;
    assert!(last + length <= at);
    bytes.truncate(last + length);
    bytes[header - 32..header].fill(0);
    bytes[8] = 1;
    bytes[20] = 4;
    let all = (bytes.len() as u64).to_le_bytes();
    bytes[24..32].copy_from_slice(&all);
    bytes[16..20].fill(0);
    let crc = crc32fast::hash(&bytes[..header - 32]);
    bytes[16..20].copy_from_slice(&crc.to_le_bytes());
    fs::write(&index, &bytes).unwrap();
    assert_eq!(job(&["verify", &index]).0, "no fault: 2 fingerprints of 12 bits; segments: 1\n");
    let query = files.text("q.fps", "#type=b\nff0f\tq\n");
    let found = job(&["search", &query, &index, "--top", "1"]);
    assert_eq!(found, (format!("{HITS}q\ta\t1\n"), String::new()));
    job(&["index", &query, "--append", "--out", &index]);
    assert_eq!(job(&["verify", &index]).0, "no fault: 3 fingerprints of 12 bits; segments: 2\n#type=b\n");
}
