//! `hotloops fingerprints index`: the same hits as with FPS text; faults of a file are named.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use crate::support::{command, folder, refused, run, shipped, stderr, unreadable};

/// Families of similar rows of 166 bits: `count` lines of FPS text, the first one with number
/// `first`. Ids have spaces and letters of other alphabets; some rows are equal, some empty.
fn lines(first: u64, count: u64) -> String {
    let line = |i: u64| {
        let mut row = [0u8; 21];
        let mut state = i % 9;
        for byte in &mut row {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            *byte = (state >> 40) as u8 & (state >> 50) as u8;
        }
        (0..i % 5).for_each(|change| row[((i * 7 + change * 11) % 20) as usize] ^= 1 << (i % 8));
        row[20] &= 0x3f;
        if i % 40 == 3 {
            row.fill(0);
        }
        let row: String = row.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{row}\tμολ {i}\n")
    };
    (first..first + count).map(line).collect()
}

fn text(first: u64, count: u64) -> String {
    format!("#FPS1\n#num_bits=166\n{}", lines(first, count))
}

/// Standard output of a job that succeeds and prints nothing on standard error.
fn printed(words: &[&str]) -> String {
    let output = run(&[&["fingerprints"], words].concat());
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "{words:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Paths of files in a folder.
fn paths<const N: usize>(folder: &Path, names: [&str; N]) -> [String; N] {
    names.map(|name| folder.join(name).to_str().unwrap().to_owned())
}

/// Length of the header of an index file with one segment.
const HEAD: usize = 64 + 5 * 32;

const MEASURES: [&[&str]; 8] = [
    &["--tanimoto", "0.6"],
    &["--dice", "0.7", "--empty", "1"],
    &["--cosine", "0"],
    &["--hamming", "9"],
    &["--hamming", "0"],
    &["--tversky", "0.8", "--tversky-alpha", "0.9", "--tversky-beta", "0.1"],
    &["--tversky", "0.5", "--tversky-alpha", "0", "--tversky-beta", "2"],
    &["--contains"],
];

#[test]
fn hits_are_those_of_text_for_every_measure_thread_count_and_instruction_set() {
    let folder = folder("index_hits");
    let [query, db, index] = paths(&folder, ["q.fps", "db.fps", "db.hlfp"]);
    fs::write(&query, text(30, 45)).unwrap();
    fs::write(&db, text(0, 1500)).unwrap();
    assert_eq!(printed(&["index", &db, "--out", &index]), "");
    for measure in MEASURES {
        for top in [&["--all"][..], &["--top", "1"], &["--top", "7"], &["--top", "9999"]] {
            let search = |db: &str, more: &[&str]| printed(&[&["search", &query, db], measure, top, more].concat());
            let expected = search(&db, &["--threads", "1"]);
            assert!(expected.lines().count() > 10, "{measure:?}");
            assert_eq!(search(&index, &["--threads", "2", "--verify"]), expected, "{measure:?} {top:?}");
            for isa in ["scalar", "avx2"] {
                let words = [&["fingerprints", "search", &query, &index], measure, top].concat();
                let output = command(&words).env("HOTLOOPS_ISA", isa).output().unwrap();
                // Not every CPU has both.
                if output.status.success() {
                    assert!(output.stdout == expected.as_bytes(), "{isa} {measure:?} {top:?}");
                }
            }
        }
    }
}

/// The measures that the index brings, computed from the definition.
#[test]
fn distances_tversky_and_screens_are_those_of_the_definition() {
    let folder = folder("index_definition");
    let [query, db] = paths(&folder, ["q.fps", "db.fps"]);
    let rows = |text: &str| -> Vec<(Vec<u8>, String)> {
        let row = |line: &str| {
            let (digits, id) = line.split_once('\t').unwrap();
            let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
            ((0..digits.len()).step_by(2).map(byte).collect(), id.to_owned())
        };
        text.lines().map(row).collect()
    };
    let (queries, targets) = (lines(3, 50), lines(0, 700));
    fs::write(&query, format!("#num_bits=166\n{queries}")).unwrap();
    fs::write(&db, format!("#num_bits=166\n{targets}")).unwrap();
    let count = |row: &mut dyn Iterator<Item = u8>| row.map(|byte| byte.count_ones()).sum::<u32>();
    let tversky = |a: f64, b: f64, c: f64| match (a + b, c) {
        (0.0, _) => 0.0,
        (_, 0.0) => 0.0,
        _ => (1.0 / (1.0 + (0.9 * (b - c) + 0.1 * (a - c)) / c)) as f32,
    };
    for measure in [MEASURES[3], MEASURES[5], MEASURES[7]] {
        let mut expected = "query\ttarget\tscore\n".to_owned();
        for (query, name) in rows(&queries) {
            let mut hits = Vec::new();
            for (target, id) in rows(&targets) {
                let c = count(&mut query.iter().zip(&target).map(|(a, b)| a & b));
                let [a, b] = [&target, &query].map(|row| count(&mut row.iter().copied()));
                let (score, is_hit) = match measure[0] {
                    "--hamming" => ((a + b - 2 * c) as f32, a + b - 2 * c <= 9),
                    "--contains" => (1.0, c == b),
                    _ => {
                        let score = tversky(a.into(), b.into(), c.into());
                        (score, score >= 0.8)
                    }
                };
                if is_hit {
                    hits.push((score, id));
                }
            }
            hits.sort_by(|(x, _), (y, _)| if measure[0] == "--hamming" { x.total_cmp(y) } else { y.total_cmp(x) });
            hits.iter().for_each(|(score, id)| expected += &format!("{name}\t{id}\t{score}\n"));
        }
        let found = printed(&[&["search", &query, &db, "--all"], measure].concat());
        assert!(found == expected, "{measure:?}");
    }
}

#[test]
fn appended_rows_are_found_and_small_segments_are_merged() {
    let folder = folder("index_append");
    let [db, part, index, query] = paths(&folder, ["db.fps", "part.fps", "db.hlfp", "q.fps"]);
    fs::write(&query, text(5, 20)).unwrap();
    fs::write(&part, text(0, 900)).unwrap();
    printed(&["index", &part, "--out", &index]);
    let mut count = 900;
    // 100 rows are a segment of their own, until as many more come.
    for (more, segments) in [(100, 2), (1, 3), (1, 3), (200, 2), (700, 1), (3000, 1)] {
        fs::write(&part, text(count, more)).unwrap();
        assert_eq!(printed(&["index", &part, "--append", "--out", &index]), "");
        count += more;
        let expected = format!("no fault: {count} fingerprints of 166 bits; segments: {segments}\n#num_bits=166\n");
        assert_eq!(printed(&["verify", &index]), expected);
        fs::write(&db, text(0, count)).unwrap();
        for measure in MEASURES {
            let search =
                |db: &str| printed(&[&["search", &query, db, "--top", "30", "--threads", "3"], measure].concat());
            assert!(search(&index) == search(&db), "{count} rows, {measure:?}");
        }
    }
    let [other] = paths(&folder, ["other.fps"]);
    fs::write(&other, "ff\tx\n").unwrap();
    unreadable(&["fingerprints", "index", &other, "--append", "--out", &index], "have 8 bits, but");
    unreadable(&["fingerprints", "index", &part, "--append", "--out", &db], "db.fps: is not an index");
    unreadable(&["fingerprints", "index", &part, "--append", "--out", &format!("{other}.new")], "No such file");
    refused(&["fingerprints", "index", &part, "--out", &part], "is the file of DB");
}

#[test]
fn one_row_and_equal_rows() {
    let folder = folder("index_small");
    let [db, index] = paths(&folder, ["db.fps", "db.hlfp"]);
    for (rows, expected) in [
        ("01\tonly one\n", "only one\tonly one\t1\n"),
        ("03\ta\n03\tb\n03\ta\n", "a\ta\t1\na\tb\t1\na\ta\t1\nb\ta\t1\nb\tb\t1\nb\ta\t1\na\ta\t1\na\tb\t1\na\ta\t1\n"),
    ] {
        fs::write(&db, rows).unwrap();
        printed(&["index", &db, "--out", &index]);
        assert_eq!(printed(&["search", &db, &index]), format!("query\ttarget\tscore\n{expected}"));
    }
    fs::write(&db, "#num_bits=8\n").unwrap();
    let before = fs::read(&index).unwrap();
    unreadable(&["fingerprints", "index", &db, "--out", &index], "db.fps: contains no fingerprint");
    assert!(fs::read(&index).unwrap() == before);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2, "no draft is left");
}

#[test]
fn torn_damaged_and_foreign_files_are_refused() {
    let folder = folder("index_faults");
    let [db, index, bad] = paths(&folder, ["db.fps", "db.hlfp", "bad.hlfp"]);
    fs::write(&db, text(0, 600)).unwrap();
    printed(&["index", &db, "--out", &index]);
    let whole = fs::read(&index).unwrap();
    let is_refused = |bytes: &[u8], why: &str| {
        fs::write(&bad, bytes).unwrap();
        let message = format!("hotloops: {bad}: {why}");
        unreadable(&["fingerprints", "search", &db, &bad], &message);
        unreadable(&["fingerprints", "verify", &bad], &message);
        unreadable(&["fingerprints", "index", &db, "--append", "--out", &bad], &message);
        assert!(fs::read(&bad).unwrap() == bytes);
    };
    let sections: Vec<[usize; 2]> = whole[64..HEAD]
        .chunks(32)
        .map(|section| [0, 8].map(|at| u64::from_le_bytes(section[at..at + 8].try_into().unwrap()) as usize))
        .collect();
    assert_eq!(sections[4][0] + sections[4][1], whole.len());
    for [offset, length] in &sections {
        assert_eq!(offset % 4096, 0);
        for end in [*offset, offset + 1, offset + length / 2, offset + length - 1] {
            is_refused(&whole[..end], &format!("is torn: it has {end} bytes instead of {}", whole.len()));
        }
    }
    for end in [8, 63, 64, HEAD - 1] {
        is_refused(&whole[..end], "is torn: it ends within the header");
    }
    is_refused(&[&whole[..], &[0]].concat(), "is torn: it has ");
    let with = |at: usize, value: u8| {
        let mut bytes = whole.clone();
        assert_ne!(bytes[at], value);
        bytes[at] = value;
        bytes
    };
    is_refused(&with(8, 3), "has version 3 of the format; this command reads versions 1 to 2: make it again");
    is_refused(&with(8, 0), "has version 0 of the format; this command reads versions 1 to 2: make it again");
    is_refused(&with(12, 4), "was written by a machine of another byte order: make it again");
    for at in [16, 24, 32, 40, 60, 64, 72, 80, 88, 180] {
        let bytes = with(at, whole[at] ^ 16);
        is_refused(&bytes, "is damaged: the header has another checksum; make it again");
    }
    // A count of sections beyond the end of the file.
    is_refused(&with(23, 0xff), "is torn: it ends within the header");

    // A search compares content on demand; jobs that read all of it always do. A search never panics.
    let names = ["segment 1 of 1", "the rows", "the ends of the ids", "the ids", "the header of the text"];
    for ([offset, length], name) in sections.iter().zip(names) {
        for place in [offset + length / 3, offset + length - 1] {
            fs::write(&bad, with(place, whole[place] ^ 0x80)).unwrap();
            let message = format!("hotloops: {bad}: is damaged: wrong checksum of {name}\n");
            unreadable(&["fingerprints", "verify", &bad], &message);
            unreadable(&["fingerprints", "search", &db, &bad, "--verify"], &message);
            for job in [&["matrix"][..], &["cluster"], &["pick", "--count", "3"]] {
                unreadable(&[&["fingerprints"], job, &[&bad]].concat(), &message);
            }
            let output = run(&["fingerprints", "search", &db, &bad, "--all"]);
            let said = stderr(&output);
            let is_named = output.status.code() == Some(3) && said.contains("is no text");
            assert!(output.status.success() || is_named, "{name}: {said}");
        }
    }
    unreadable(&["fingerprints", "search", &index, &db], "db.hlfp: is an index file; expected FPS text");
    unreadable(&["fingerprints", "verify", &db], "db.fps: is not an index");
}

/// Content that is not compared with its checksum, and headers with a corrected checksum, as an
/// attacker could make them: a job may return wrong rows, but it never panics.
#[test]
fn no_damage_makes_a_job_panic() {
    let folder = folder("index_damage");
    let [db, query, index, bad] = paths(&folder, ["db.fps", "q.fps", "db.hlfp", "bad.hlfp"]);
    fs::write(&db, text(0, 600)).unwrap();
    fs::write(&query, text(0, 5)).unwrap();
    printed(&["index", &db, "--out", &index]);
    let whole = fs::read(&index).unwrap();
    let ends = |bytes: &[u8], what: &str| {
        fs::write(&bad, bytes).unwrap();
        for words in [
            &["search", &query, &bad, "--all", "--tanimoto", "0.1"][..],
            &["search", &query, &bad, "--contains"],
            &["matrix", &bad],
            &["cluster", &bad, "--dice", "0.3"],
            &["pick", &bad, "--tanimoto", "0.5"],
            &["pick", &bad, "--count", "3"],
            &["verify", &bad],
        ] {
            let output = run(&[&["fingerprints"], words].concat());
            let said = stderr(&output);
            let is_named = matches!(output.status.code(), Some(1 | 3)) && said.contains("is damaged");
            let is_torn = output.status.code() == Some(3) && said.contains("bad.hlfp: ");
            assert!(output.status.success() || is_named || is_torn, "{what}: {words:?}: {said}");
        }
    };
    let mut random = 1u64;
    for mutant in 0..40 {
        let mut bytes = whole.clone();
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let place = 4096 + (random >> 33) as usize % (whole.len() - 4096);
        let length = [1, 2, 8, 300][mutant % 4].min(whole.len() - place);
        bytes[place..place + length].fill([0, 0xff, 0x7f][mutant % 3]);
        ends(&bytes, &format!("{length} bytes from {place} on"));
    }
    for place in (32..HEAD).step_by(8) {
        for value in [0, 1, 4097, u64::MAX, 1 << 63] {
            let mut bytes = whole.clone();
            bytes[place..place + 8].copy_from_slice(&value.to_le_bytes());
            bytes[16..20].fill(0);
            let crc = crc32fast::hash(&bytes[..HEAD]);
            bytes[16..20].copy_from_slice(&crc.to_le_bytes());
            ends(&bytes, &format!("{value} at {place}"));
        }
    }
}

#[test]
fn compressed_text_and_standard_input_are_read() {
    let folder = folder("index_compressed");
    let [db, index, packed, out] = paths(&folder, ["db.fps", "db.hlfp", "packed", "out.tsv"]);
    let text = text(0, 3000);
    fs::write(&db, &text).unwrap();
    printed(&["index", &db, "--out", &index]);
    let expected = printed(&["search", &db, &index, "--top", "3"]);
    let half = text.len() / 2;
    let gzip = |text: &str| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let zstd = |text: &str| zstd::encode_all(text.as_bytes(), 1).unwrap();
    // Files of two members, too.
    for bytes in [
        gzip(&text),
        [gzip(&text[..half]), gzip(&text[half..])].concat(),
        zstd(&text),
        [zstd(&text[..half]), zstd(&text[half..])].concat(),
        text.clone().into_bytes(),
    ] {
        fs::write(&packed, &bytes).unwrap();
        assert!(printed(&["search", &packed, &packed, "--top", "3", "--out", "-"]) == expected);
        for words in [["search", "-", &index], ["search", &db, "-"]] {
            let words = [&["fingerprints"], &words[..], &["--top", "3", "--out", &out]].concat();
            let output = command(&words).stdin(fs::File::open(&packed).unwrap()).output().unwrap();
            assert!(output.status.success(), "{}", stderr(&output));
            assert!(fs::read_to_string(&out).unwrap() == expected);
        }
        if bytes != text.as_bytes() {
            fs::write(&packed, &bytes[..bytes.len() - 20]).unwrap();
            unreadable(&["fingerprints", "search", &packed, &index], "packed: ");
        }
    }
    let words = ["fingerprints", "search", "-", "-"];
    refused(&words, "QUERY and DB cannot both be standard input");
    let mut child = command(&["fingerprints", "search", &db, "/dev/stdin"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let _ = child.stdin.take().unwrap().write_all(&fs::read(&index).unwrap());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).contains("/dev/stdin: is an index file"), "{}", stderr(&output));
}

#[test]
fn wrong_arguments_are_named() {
    let queries = Path::new(shipped()).with_file_name("queries.fps");
    let query = queries.to_str().unwrap();
    let search = |words: &[&str], message: &str| {
        refused(&[&["fingerprints", "search", query, query], words].concat(), message);
    };
    search(&["--tversky", "0.5"], "--tversky-alpha");
    search(&["--tversky", "0.5", "--tversky-alpha", "1"], "--tversky-beta");
    search(&["--tversky-alpha", "1"], "--tversky <T>");
    for value in ["-1", "NaN", "inf", "much"] {
        let words = ["--tversky", "0.5", "--tversky-beta", "1", "--tversky-alpha", value];
        search(&words, "'--tversky-alpha <A>': expected a number of at least 0");
    }
    search(&["--hamming", "1.5"], "'--hamming <D>'");
    search(&["--hamming", "1", "--contains"], "cannot be used with");
    search(&["--contains", "--tanimoto", "0.5"], "cannot be used with");
    refused(&["fingerprints", "index", query], "--out");
    refused(&["fingerprints", "verify"], "<FILE>");
}
