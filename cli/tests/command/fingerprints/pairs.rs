//! `hotloops fingerprints matrix`, `cluster` and `pick`: the results of their definitions, the same
//! bytes for any number of threads and every instruction set.

use std::cmp::Reverse;
use std::fs;
use std::path::Path;

use crate::support::{command, folder, refused, run, stderr, unreadable};

/// Families of similar rows of 64 bits, some of them equal, some empty.
fn rows(count: u64) -> Vec<u64> {
    let row = |i: u64| {
        let core = (i * i % 11).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let change = |row, k: u64| row ^ 1 << ((i * 13 + k * k * 29) % 64);
        if i % 50 == 9 { 0 } else { (0..i % 7).fold(core, change) }
    };
    (0..count).map(row).collect()
}

fn write(path: &Path, rows: &[u64]) -> String {
    let line = |(i, row): (usize, &u64)| format!("{:016x}\trow {i}\n", row.swap_bytes());
    fs::write(path, rows.iter().enumerate().map(line).collect::<String>()).unwrap();
    path.to_str().unwrap().to_owned()
}

fn tanimoto(a: u64, b: u64) -> f32 {
    match (a | b).count_ones() {
        0 => 0.0,
        all => (a & b).count_ones() as f32 / all as f32,
    }
}

/// Standard output of a job that succeeds and prints nothing on standard error.
fn printed(words: &[&str]) -> String {
    let output = run(&[&["fingerprints"], words].concat());
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "{words:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The output of a job, which is the same for 1 and 3 threads, every instruction set, and an index
/// file.
fn same(folder: &Path, job: &str, db: &str, options: &[&str]) -> String {
    let words = [&[job, db], options].concat();
    let text = printed(&[&words[..], &["--threads", "1"]].concat());
    assert!(printed(&[&words[..], &["--threads", "3"]].concat()) == text, "{words:?}");
    let index = folder.join("db.hlfp").to_str().unwrap().to_owned();
    printed(&["index", db, "--out", &index]);
    assert!(printed(&[&[job, &index], options].concat()) == text, "{words:?}: an index file");
    for isa in ["scalar", "avx2"] {
        let output = command(&[&["fingerprints"], &words[..]].concat()).env("HOTLOOPS_ISA", isa).output().unwrap();
        // Not every CPU has both.
        assert!(!output.status.success() || output.stdout == text.as_bytes(), "{words:?}: {isa}");
    }
    text
}

#[test]
fn a_matrix_has_each_pair_once() {
    let folder = folder("matrix");
    let rows = rows(1100);
    let db = write(&folder.join("db.fps"), &rows);
    for (options, score, is_pair) in [
        (&["--tanimoto", "0.6"][..], tanimoto as fn(u64, u64) -> f32, (|score| score >= 0.6) as fn(f32) -> bool),
        (&["--tanimoto", "0"], tanimoto, |_| true),
        (&["--hamming", "3"], |a, b| (a ^ b).count_ones() as f32, |score| score <= 3.0),
    ] {
        let mut expected = Vec::new();
        for (i, &row) in rows.iter().enumerate() {
            let others = rows[i + 1..].iter().zip(i + 1..).map(|(&other, j)| (j, score(row, other)));
            expected.extend(others.filter(|pair| is_pair(pair.1)).map(|(j, score)| format!("{i}\t{j}\t{score}")));
        }
        let numbers = same(&folder, "matrix", &db, &[options, &["--numbers"]].concat());
        let mut lines: Vec<_> = numbers.lines().map(str::to_owned).collect();
        assert_eq!(lines.remove(0), "row\tcolumn\tscore");
        lines.sort_unstable();
        expected.sort_unstable();
        assert!(lines == expected && expected.len() > 100, "{options:?}: {} {}", lines.len(), expected.len());

        let ids = printed(&[&["matrix", &db], options].concat());
        let named = |line: &str| {
            let [row, column, score]: [&str; 3] = line.split('\t').collect::<Vec<_>>().try_into().unwrap();
            format!("row {row}\trow {column}\t{score}\n")
        };
        let named: String = numbers.lines().skip(1).map(named).collect();
        assert!(ids == format!("row\tcolumn\tscore\n{named}"));
    }
}

/// A checkpoint that was cut off anywhere continues to the same matrix.
#[test]
fn a_matrix_continues_from_its_checkpoint() {
    let folder = folder("matrix_checkpoint");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let rows = rows(1500);
    let db = write(&folder.join("db.fps"), &rows);
    let (work, out) = (path("work"), path("out.tsv"));
    // Low enough that units have more lines than are kept in memory.
    let options = ["--tanimoto", "0.01"];
    let expected = printed(&[&["matrix", &db], &options[..]].concat());
    assert!(expected.len() > 6 << 20, "{}", expected.len());
    let job = [&["matrix", &db], &options[..], &["--checkpoint", &work, "--out", &out]].concat();
    assert_eq!(printed(&job), "");
    assert!(fs::read_to_string(&out).unwrap() == expected);
    let whole = fs::read(&work).unwrap();
    let continued = || {
        let output = run(&[&["fingerprints"], &job[..]].concat());
        assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0), "{}", stderr(&output));
        stderr(&output)
    };
    for end in [0, 8, 9, 40, whole.len() / 9, whole.len() / 2, whole.len() - 1, whole.len()] {
        fs::write(&work, &whole[..end]).unwrap();
        fs::remove_file(&out).unwrap();
        let said = continued();
        let is_torn = end > 40 && end < whole.len();
        assert_eq!(said.contains("work: the last record is truncated; dropped "), is_torn, "{end}: {said}");
        assert!(fs::read_to_string(&out).unwrap() == expected, "{end} of {} bytes", whole.len());
        assert!(fs::read(&work).unwrap() == whole, "{end} of {} bytes", whole.len());
    }
    // A changed record is refused, and so is the job's own one; nothing is written.
    for at in [3, 8, 13, 20, whole.len() / 3, whole.len() - 2] {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        fs::write(&work, &changed).unwrap();
        fs::write(&out, "older").unwrap();
        unreadable(&[&["fingerprints"], &job[..]].concat(), "work: is ");
        assert!(fs::read(&work).unwrap() == changed && fs::read(&out).unwrap() == b"older");
    }
    fs::write(&work, &whole).unwrap();

    for (options, db) in [(["--tanimoto", "0.02"], &db), (options, &write(&folder.join("other.fps"), &rows[1..]))] {
        let words = [&["fingerprints", "matrix", db], &options[..], &["--checkpoint", &work, "--out", &out]].concat();
        unreadable(&words, "work: is a checkpoint of another matrix: ");
    }
    let words = ["fingerprints", "matrix", &db, "--checkpoint", &db, "--out", &out];
    unreadable(&words, "db.fps: is not a checkpoint of `hotloops fingerprints matrix`");
    assert!(fs::read(&work).unwrap() == whole);
}

#[test]
fn clusters_are_those_of_the_definition() {
    let folder = folder("cluster");
    for (count, threshold) in [(900, 0.5f32), (900, 1.0), (900, 0.0), (1, 0.7), (2, 0.3)] {
        let rows = rows(count);
        let db = write(&folder.join("db.fps"), &rows);
        let neighbours: Vec<Vec<usize>> = rows
            .iter()
            .enumerate()
            .map(|(at, &row)| (at, move |other: u64| tanimoto(row, other) >= threshold))
            .map(|(at, is_near)| (0..rows.len()).filter(|&other| other == at || is_near(rows[other])).collect())
            .collect();
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_by_key(|&row| (Reverse(neighbours[row].len()), row));
        let (mut seen, mut expected, mut cluster) = (vec![false; rows.len()], "cluster\tid\trole\n".to_owned(), 0);
        for centre in order {
            if seen[centre] {
                continue;
            }
            seen[centre] = true;
            cluster += 1;
            expected += &format!("{cluster}\trow {centre}\tcentre\n");
            for &row in &neighbours[centre] {
                if !std::mem::replace(&mut seen[row], true) {
                    expected += &format!("{cluster}\trow {row}\tmember\n");
                }
            }
        }
        let found = same(&folder, "cluster", &db, &["--tanimoto", &threshold.to_string()]);
        assert!(found == expected, "{count} rows, {threshold}");
    }
}

#[test]
fn picks_are_those_of_the_definition() {
    let folder = folder("pick");
    let rows = rows(5000);
    let db = write(&folder.join("db.fps"), &rows);
    let lines = |picks: &[usize]| {
        let lines = picks.iter().map(|pick| format!("{pick}\trow {pick}\n"));
        format!("row\tid\n{}", lines.collect::<String>())
    };
    for threshold in [0.3f32, 0.5, 1.0, 0.0] {
        let mut picks: Vec<usize> = Vec::new();
        for (row, &bits) in rows.iter().enumerate() {
            if picks.iter().all(|&pick| tanimoto(rows[pick], bits) < threshold) {
                picks.push(row);
            }
        }
        let options = ["--tanimoto", &threshold.to_string()];
        assert!(same(&folder, "pick", &db, &options) == lines(&picks), "{threshold}");
        let some = printed(&["pick", &db, "--tanimoto", options[1], "--count", "20"]);
        assert_eq!(some, lines(&picks[..picks.len().min(20)]));
    }
    let mut firsts = Vec::new();
    for seed in ["1", "2"] {
        let found = same(&folder, "pick", &db, &["--count", "60", "--seed", seed]);
        let first: usize = found.lines().nth(1).unwrap().split_once('\t').unwrap().0.parse().unwrap();
        let mut picks = vec![first];
        while picks.len() < 60 {
            let nearest = |row: usize| picks.iter().map(|&pick| tanimoto(rows[pick], rows[row])).fold(0.0, f32::max);
            let free = (0..rows.len()).filter(|row| !picks.contains(row)).map(|row| (row, nearest(row)));
            picks.push(free.fold((0, 9.0), |best, next| if next.1 < best.1 { next } else { best }).0);
        }
        assert_eq!(found, lines(&picks));
        firsts.push(first);
    }
    assert_ne!(firsts[0], firsts[1]);
    let all = printed(&["pick", &write(&folder.join("few.fps"), &rows[..30]), "--count", "31"]);
    assert_eq!(all.lines().count(), 31, "every row once");
    refused(&["fingerprints", "pick", &db], "--count");
    refused(&["fingerprints", "pick", &db, "--count", "0"], "'--count <N>'");
    refused(&["fingerprints", "pick", &db, "--tanimoto", "2"], "expected a number from 0 to 1");
    refused(&["fingerprints", "pick", &db, "--tanimoto", "0.2", "--seed", "3"], "cannot be used with");
}
