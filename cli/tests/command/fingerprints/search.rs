//! `hotloops fingerprints search`: the hits of a brute-force search, the same bytes for any number
//! of threads, and errors that name the fault.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::Stdio;

use crate::support::{command, folder, keys, run, shipped, stderr};
use serde_json::Value;

/// Fingerprints of `bits` bits as sets of the bits that are 1, and their ids.
struct Set {
    bits: usize,
    rows: Vec<(Vec<bool>, String)>,
}

impl Set {
    /// Families of similar rows, some of them equal, some empty.
    fn random(name: &str, count: usize, bits: usize, seed: u64) -> Self {
        let (mut core, mut row_bits) = (Random(1), Random(seed));
        let cores: Vec<Vec<bool>> = (0..7).map(|_| (0..bits).map(|_| core.below(3) == 0).collect()).collect();
        let rows = (0..count).map(|index| {
            let mut row = cores[row_bits.below(7)].clone();
            (0..row_bits.below(12) * bits / 64).for_each(|_| row[row_bits.below(bits)] ^= true);
            if row_bits.below(50) == 0 {
                row.fill(false);
            }
            (row, format!("{name} {index}"))
        });
        Set { bits, rows: rows.collect() }
    }

    fn hexadecimal(&self, row: usize) -> String {
        let bytes = self.rows[row].0.chunks(8);
        bytes.map(|byte| format!("{:02x}", byte.iter().rev().fold(0, |bits, &bit| 2 * bits + u8::from(bit)))).collect()
    }

    fn text(&self) -> String {
        let lines = (0..self.rows.len()).map(|row| format!("{}\t{}\n", self.hexadecimal(row), self.rows[row].1));
        format!("#FPS1\n#num_bits={}\n#type=random\n{}", self.bits, lines.collect::<String>())
    }

    fn write(&self, path: &Path) -> String {
        write(path, &self.text())
    }
}

fn write(path: &Path, text: &str) -> String {
    fs::write(path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % end
    }
}

/// The bits of a row, 64 in a word.
fn words(row: &[bool]) -> Vec<u64> {
    row.chunks(64).map(|bits| bits.iter().fold(0, |word, &bit| 2 * word + u64::from(bit))).collect()
}

fn similarity(measure: &str, a: &[u64], b: &[u64], empty: f32) -> f32 {
    let count = |words: &mut dyn Iterator<Item = u64>| words.map(|word| word.count_ones() as usize).sum::<usize>();
    let common = count(&mut a.iter().zip(b).map(|(&a, &b)| a & b));
    let (a, b) = (count(&mut a.iter().copied()), count(&mut b.iter().copied()));
    match measure {
        _ if a + b == 0 => empty,
        "--tanimoto" => common as f32 / (a + b - common) as f32,
        "--dice" => (2 * common) as f32 / (a + b) as f32,
        _ if a == 0 || b == 0 => 0.0,
        _ => (common as f64 / ((a * b) as f64).sqrt()) as f32,
    }
}

/// The expected output of the command.
fn brute_force(queries: &Set, targets: &Set, measure: &str, threshold: f32, top: usize, empty: f32) -> String {
    let mut lines = String::from("query\ttarget\tscore\n");
    let targets: Vec<_> = targets.rows.iter().map(|(target, id)| (words(target), id)).collect();
    for (query, name) in &queries.rows {
        let query = words(query);
        let scores = targets.iter().map(|(target, id)| (similarity(measure, &query, target, empty), *id));
        let mut hits: Vec<_> = scores.filter(|&(score, _)| score >= threshold).collect();
        hits.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        lines.extend(hits.into_iter().take(top).map(|(score, id)| format!("{name}\t{id}\t{score}\n")));
    }
    lines
}

/// Standard output of a search that succeeds and prints nothing on standard error.
fn found(words: &[&str]) -> String {
    let output = run(&[&["fingerprints", "search"], words].concat());
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "{words:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn hits_are_those_of_a_brute_force_for_any_number_of_threads() {
    let folder = folder("brute_force");
    for (bits, count, target_count) in [(166, 140, 4500), (64, 1030, 100), (1024, 3, 300), (1, 1, 1), (9, 129, 2049)] {
        let [queries, targets] =
            [("q", count, 3), ("t", target_count, 5)].map(|(name, count, seed)| Set::random(name, count, bits, seed));
        let [query, db] = [(&queries, "q.fps"), (&targets, "t.fps")].map(|(set, name)| set.write(&folder.join(name)));
        for (measure, threshold, top, empty) in [
            ("--tanimoto", "0.7", "10", "1"),
            ("--tanimoto", "1", "all", "1"),
            ("--dice", "0.75", "1", "0"),
            ("--cosine", "0.8", "all", "0"),
            ("--cosine", "0", "3", "1"),
        ] {
            let words = [&query, &db, measure, threshold, "--empty", empty];
            let top_words: &[&str] = if top == "all" { &["--all"] } else { &["--top", top] };
            let top_count = top.parse().unwrap_or(usize::MAX);
            let expected =
                brute_force(&queries, &targets, measure, threshold.parse().unwrap(), top_count, empty.parse().unwrap());
            for threads in ["1", "3"] {
                let words = [&words[..], top_words, &["--threads", threads]].concat();
                assert!(found(&words) == expected, "{words:?}: {bits} bits, {count} queries");
            }
        }
    }
}

#[test]
fn defaults_are_tanimoto_at_0_7_ten_hits_and_0_for_empty_ones() {
    let folder = folder("defaults");
    let targets = Set::random("t", 600, 96, 8);
    let db = targets.write(&folder.join("t.fps"));
    let expected = brute_force(&targets, &targets, "--tanimoto", 0.7, 10, 0.0);
    assert_eq!(found(&[&db, &db]), expected);
    assert_eq!(found(&[&db, &db, "--tanimoto", "0.7", "--top", "10", "--empty", "0"]), expected);
    let hits = expected.lines().filter(|line| line.starts_with("t 0\t")).count();
    assert_eq!(hits, 10, "there are more");
}

/// With more hits than are kept in memory at once, the queries are searched for in smaller groups,
/// with the same result.
#[test]
#[cfg(target_os = "linux")]
fn all_hits_are_written_as_they_are_found() {
    let folder = folder("streamed");
    let line = |i: usize| format!("{:08x}\t{i}\n", (i as u32).wrapping_mul(0x9e37_79b9));
    let lines = |range: std::ops::Range<usize>| range.map(line).collect::<String>();
    let db = write(&folder.join("db.fps"), &lines(0..5000));
    let search = |name: &str, queries: &str, kilobytes: &str| {
        let (query, out) = (write(&folder.join("q.fps"), queries), folder.join(name));
        let words = ["fingerprints", "search", &query, &db, "--all", "--tanimoto", "0", "--threads", "2"];
        let output = std::process::Command::new("sh")
            .args(["-c", "ulimit -v $0; exec \"$@\"", kilobytes, env!("CARGO_BIN_EXE_hotloops")])
            .args(words)
            .args(["--out", out.to_str().unwrap()])
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        fs::read_to_string(out).unwrap()
    };
    // 10 million hits, which would take 160 MB.
    let all = search("all", &lines(0..2000), "220000");
    let ends: Vec<_> = all.match_indices('\n').map(|(end, _)| end + 1).collect();
    assert_eq!(ends.len(), 1 + 2000 * 5000);
    for first in [0, 950, 1900] {
        let part = search("part", &lines(first..first + 100), "unlimited");
        let (head, hits) = part.split_once('\n').unwrap();
        assert_eq!(head, "query\ttarget\tscore");
        assert!(all[ends[first * 5000]..ends[(first + 100) * 5000]] == *hits, "queries from {first} on");
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn equal_scores_are_in_the_order_of_the_file() {
    let folder = folder("ties");
    let rows = (0..5000).map(|i| format!("{}\t{i}\n", ["0f", "1f", "f0"][i % 3]));
    let db = write(&folder.join("db.fps"), &rows.collect::<String>());
    let query = write(&folder.join("q.fps"), "0f\tq\n");
    let lines = |ids: &mut dyn Iterator<Item = usize>, score: &str| {
        ids.map(|id| format!("q\t{id}\t{score}\n")).collect::<String>()
    };
    let head = "query\ttarget\tscore\n";
    let equal = lines(&mut (0..5000).step_by(3), "1");
    let similar = lines(&mut (1..5000).step_by(3), "0.8");
    assert_eq!(found(&[&query, &db, "--all", "--threads", "4"]), format!("{head}{equal}{similar}"));
    for top in [1, 7, 1666, 1667, 1668, 3000, 9999] {
        let text = found(&[&query, &db, "--top", &top.to_string(), "--threads", "4"]);
        let expected = format!("{head}{equal}{similar}");
        let expected: String = expected.split_inclusive('\n').take(1 + top).collect();
        assert_eq!(text, expected, "--top {top}");
    }
}

#[test]
fn every_way_to_write_the_same_fingerprints_is_read() {
    let folder = folder("spellings");
    let set = Set::random("m", 40, 48, 2);
    let (text, path) = (set.text(), folder.join("m.fps"));
    let query = set.write(&folder.join("q.fps"));
    let expected = found(&[&query, &query]);
    let (head, rows) = text.split_at(text.find("#type").unwrap());
    let rows = &rows[rows.find('\n').unwrap() + 1..];
    let upper: String = rows
        .lines()
        .map(|line| line.split_once('\t').unwrap())
        .fold(String::new(), |all, (row, id)| all + &format!("{}\t{id}\tanother field\t\n", row.to_uppercase()));
    for text in [
        text.replace('\n', "\r\n"),
        rows.to_owned(),
        format!("{head}{upper}"),
        format!("#num_bits = 48 \n#source=a=b\n#x-note\n#unknown=\n{rows}"),
        format!("\u{feff}#FPS1\n# NUM_BITS=48\n#num_bytes=6\n#source=a\n#source=b\n#date=2026-11-28T16:00:00\n{rows}"),
    ] {
        assert_eq!(found(&[&query, &write(&path, &text)]), expected, "{text}");
    }
    #[cfg(unix)]
    {
        let mut command = command(&["fingerprints", "search", &query, "/dev/stdin"]);
        let output = command.stdin(fs::File::open(&path).unwrap()).output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    }
}

#[test]
fn files_json_and_figures_are_complete() {
    let folder = folder("files");
    let [queries, targets] =
        [("q", 30, 11), ("t", 900, 12)].map(|(name, count, seed)| Set::random(name, count, 166, seed));
    let [query, db] = [(&queries, "q.fps"), (&targets, "t.fps")].map(|(set, name)| set.write(&folder.join(name)));
    let words = [&query, &db, "--dice", "0.9", "--top", "4"];
    let lines = found(&words);

    let out = folder.join("hits.tsv");
    let to_file = [&words[..], &["--out", out.to_str().unwrap()]].concat();
    for _ in 0..2 {
        assert_eq!(found(&to_file), "", "a file that is there is replaced");
        assert_eq!(fs::read_to_string(&out).unwrap(), lines);
    }
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 3, "no draft is left");

    let text = found(&[&words[..], &["--format", "json"]].concat());
    assert_eq!(found(&[&to_file[..], &["--format", "json"]].concat()), "");
    assert_eq!(fs::read_to_string(&out).unwrap(), text);
    let document: Value = serde_json::from_str(&text).unwrap();
    let options = ["queries", "targets", "bits", "measure", "threshold", "empty", "top"];
    assert_eq!(keys(&document), HashSet::from_iter(options.into_iter().chain(["results"])));
    assert_eq!(options.map(|key| document[key].to_string()), ["30", "900", "166", "\"dice\"", "0.9", "0.0", "4"]);
    let results = document["results"].as_array().unwrap();
    assert_eq!(results.len(), 30, "those without a hit too");
    let mut again = String::from("query\ttarget\tscore\n");
    for result in results {
        assert_eq!(keys(result), HashSet::from(["query", "hits"]));
        for hit in result["hits"].as_array().unwrap() {
            let [query, target] = [&result["query"], &hit["target"]].map(|id| id.as_str().unwrap());
            again += &format!("{query}\t{target}\t{}\n", hit["score"].as_f64().unwrap() as f32);
        }
    }
    assert_eq!(again, lines);
    let all: Value = serde_json::from_str(&found(&[&query, &db, "--all", "--format", "json"])).unwrap();
    assert!(all["top"].is_null() && all["measure"] == "tanimoto");

    let output = run(&[&["fingerprints", "search"], &words[..], &["-v"]].concat());
    assert_eq!(String::from_utf8(output.stdout.clone()).unwrap(), lines);
    let figures = format!("30 queries, 900 targets, 166 bits: {} hits; 2.700e4 pairs in ", lines.lines().count() - 1);
    assert!(stderr(&output).starts_with(&figures) && stderr(&output).ends_with(" pairs/s\n"), "{output:?}");
}

/// The files in examples/data: families of random fingerprints with the length of MACCS keys.
#[test]
fn the_shipped_files_are_those_of_this_generator() {
    const BITS: usize = 166;
    let mut random = Random(2009);
    let member = |core: &[usize], changes: usize, random: &mut Random| {
        let mut row = vec![false; BITS];
        core.iter().for_each(|&bit| row[bit] = true);
        (0..changes).for_each(|_| row[random.below(BITS)] ^= true);
        row
    };
    let [mut queries, mut targets] = [(); 2].map(|()| Set { bits: BITS, rows: Vec::new() });
    for family in 0..8 {
        let core: Vec<usize> = (0..40).map(|_| random.below(BITS)).collect();
        targets.rows.extend((0..16).map(|i| (member(&core, i % 8, &mut random), format!("family{family}-{i}"))));
        if family % 2 == 0 {
            queries.rows.push((member(&core, 3, &mut random), format!("query{family}")));
        }
    }
    let path = |name: &str| Path::new(shipped()).with_file_name(name).to_str().unwrap().to_owned();
    let (query, db) = (path("queries.fps"), path("targets.fps"));
    for (set, path) in [(&queries, &query), (&targets, &db)] {
        let text = set.text().replace("#type=random\n", "#type=made up: families of random bits\n");
        assert_eq!(fs::read_to_string(path).unwrap(), text, "{path}");
    }
    let first = found(&[&query, &db, "--top", "1"]);
    for (line, family) in first.lines().skip(1).zip([0, 2, 4, 6]) {
        assert!(line.starts_with(&format!("query{family}\tfamily{family}-")), "{line}");
    }
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let folder = folder("closed_pipe");
    let text: String = (0..20_000).map(|i| format!("ff\tidentifier {i}\n")).collect();
    let db = write(&folder.join("db.fps"), &text);
    let query = write(&folder.join("q.fps"), "ff\tq\nff\tr\n");
    for format in [&[][..], &["--format", "json"]] {
        let words = [&["fingerprints", "search", &query, &db, "--all"], format].concat();
        let mut child = command(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    }
}
