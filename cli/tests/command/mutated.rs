//! Damaged inputs: no panic, no signal, no hang, no silent loss, and an error that names the file
//! and the line.
//!
//! The example inputs of every subcommand are mutated at random, and the command runs on them. If
//! it accepts a file, an independent check counts the file's content. If it rejects one at line k,
//! the first k lines must be rejected at k, and the first k - 1 not at any line. `HOTLOOPS_SEED`
//! repeats a run.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::support::{self, folder, shipped};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// A command that runs longer than this hangs.
const PATIENCE: Duration = Duration::from_secs(60);

struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        // splitmix64
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((word ^ word >> 31) % end.max(1) as u64) as usize
    }

    fn of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }
}

const WORDS: [&str; 31] = [
    "99999999999999999999",
    "1e999",
    "-1e999",
    "1e308",
    "-1e308",
    "1e39",
    "1e-320",
    "1e-46",
    "NaN",
    "inf",
    "-inf",
    "-0",
    "0x10",
    "1_000",
    "",
    "+5",
    "-1",
    "4294967296",
    "1048575",
    "1048576",
    "18446744073709551616",
    "0.1",
    "3.5e5",
    "-77.25",
    "#",
    "\"",
    "null",
    "{}",
    "[]",
    "true",
    "2147483648",
];

/// A random line: its beginning, and its end after the line feed.
fn line(bytes: &[u8], random: &mut Random) -> (usize, usize) {
    let at = random.below(bytes.len());
    let start = bytes[..at].iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let end = bytes[at..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |end| at + end + 1);
    (start, end)
}

fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(bytes.len());
    let insert = |bytes: &mut Vec<u8>, at: usize, new: &[u8]| drop(bytes.splice(at..at, new.iter().copied()));
    match random.below(18) {
        _ if bytes.is_empty() => bytes.push(b'\n'),
        0 | 1 => bytes[at] ^= 1 << random.below(8),
        2 => bytes[at] = random.below(256) as u8,
        3 => {
            let end = bytes.len().min(at + 1 + random.below(40));
            bytes.drain(at..end);
        }
        4 => bytes.truncate(at),
        5 | 6 => {
            let (start, end) = line(bytes, random);
            let copy = bytes[start..end].to_vec();
            let (to, _) = line(bytes, random);
            insert(bytes, to, &copy);
        }
        7 => {
            let (start, end) = line(bytes, random);
            bytes.drain(start..end);
        }
        8 | 9 => {
            // Replace a number by another word.
            let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
            let start = bytes[..at].iter().rposition(|byte| !is_part(byte)).map_or(0, |end| end + 1);
            let end = bytes[at..].iter().position(|byte| !is_part(byte)).map_or(bytes.len(), |end| at + end);
            bytes.splice(start..end, random.of(&WORDS).bytes());
        }
        10 => {
            let (start, _) = line(bytes, random);
            insert(bytes, start, random.of(&["\n", "\r\n", "\n\n\n", " \n", "\t\n"]).as_bytes());
        }
        11 => *bytes = String::from_utf8_lossy(bytes).replace('\n', "\r\n").into_bytes(),
        12 => insert(
            bytes,
            at,
            random.of(&["\r", "\r\n", "\0", "\u{feff}", "\u{a0}", "\u{2028}", "\u{85}", "\"", "#", ","]).as_bytes(),
        ),
        13 => insert(
            bytes,
            at,
            random.of::<&[u8]>(&[b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\x80"]),
        ),
        14 => {
            let length = 1 << random.below(18);
            insert(bytes, at, &vec![random.of(b"0a9 \t,.-\"#\n"); length]);
        }
        15 => {
            let (start, end) = line(bytes, random);
            bytes[start..end].sort_unstable();
        }
        16 => bytes.extend_from_within(..at),
        _ => insert(
            bytes,
            0,
            random.of(&["\u{feff}", "#", "\n", "#FPS1\n", "#num_bits=166\n", "x,y,theta\n"]).as_bytes(),
        ),
    }
}

/// The end of a command: its status and output.
struct End {
    code: Option<i32>,
    stdout: Vec<u8>,
    stderr: String,
}

fn run(words: &[String], folder: &Path) -> End {
    let paths = ["stdout", "stderr"].map(|name| folder.join(name));
    let [stdout, stderr] = paths.each_ref().map(|path| File::create(path).unwrap());
    let mut command = Command::new(env!("CARGO_BIN_EXE_hotloops"));
    let mut child = command.args(words).stdin(Stdio::null()).stdout(stdout).stderr(stderr).spawn().unwrap();
    let begin = Instant::now();
    let code = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status.code(),
            None if begin.elapsed() > PATIENCE => {
                child.kill().unwrap();
                child.wait().unwrap();
                panic!("{words:?} hangs");
            }
            None => thread::sleep(Duration::from_micros(500)),
        }
    };
    let [stdout, stderr] = paths.map(|path| fs::read(path).unwrap());
    End { code, stdout, stderr: String::from_utf8_lossy(&stderr).into_owned() }
}

/// A kind of input, and the command that reads it.
struct Reader {
    name: &'static str,
    example: Vec<u8>,
    /// The command; FILE stands for the file.
    words: Vec<String>,
    /// Panics if the answer to an accepted file contradicts an independent check.
    check: fn(&[u8], &End),
    /// Whether faults have line numbers.
    has_lines: bool,
    /// Lines that a file needs before it can be accepted.
    head: usize,
}

impl Reader {
    fn run(&self, bytes: &[u8], folder: &Path) -> End {
        let path = folder.join("input");
        fs::write(&path, bytes).unwrap();
        let file = path.to_str().unwrap();
        run(&self.words.iter().map(|word| word.replace("FILE", file)).collect::<Vec<_>>(), folder)
    }

    /// The line of the fault, or 0 for a fault of the whole file. `None` if the file is accepted.
    fn refusal(&self, end: &End, path: &Path) -> Option<usize> {
        let End { code, stderr, .. } = end;
        if *code == Some(0) || stderr.contains("/absent/x.svg: ") {
            return None;
        }
        assert!(matches!(code, Some(1 | 3)) && !stderr.contains("panicked"), "{code:?}: {stderr}");
        assert!(stderr.starts_with("hotloops: "), "{stderr}");
        assert!(stderr.contains(path.join("input").to_str().unwrap()), "the message does not name the file: {stderr}");
        assert!(end.stdout.is_empty(), "output beside an error");
        let (_, rest) = stderr.split_once("line").unwrap_or_default();
        let digits = rest.trim_start_matches([':', ' ']).split(|digit: char| !digit.is_ascii_digit()).next();
        Some(digits.and_then(|digits| digits.parse().ok()).unwrap_or(0))
    }

    /// Runs the command on this input. Returns whether it is accepted.
    fn look(&self, bytes: &[u8], folder: &Path) -> bool {
        let end = self.run(bytes, folder);
        let Some(line) = self.refusal(&end, folder) else {
            (self.check)(bytes, &end);
            return true;
        };
        let is_whole = end.stderr.contains("UTF-8") || end.stderr.contains("utf-8");
        if !self.has_lines || line == 0 || is_whole {
            return false;
        }
        let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(index, _)| index + 1);
        let ends: Vec<usize> = [0].into_iter().chain(ends).collect();
        let first = |lines: usize| &bytes[..ends.get(lines).copied().unwrap_or(bytes.len())];
        assert!(line <= ends.len(), "line {line} of {}: {}", ends.len(), end.stderr);
        let again = self.refusal(&self.run(first(line), folder), folder);
        assert_eq!(again, Some(line), "the lines up to the fault: {}", end.stderr);
        if line > self.head {
            let part = self.run(first(line - 1), folder);
            let before = self.refusal(&part, folder);
            // Distances are checked after every line has been read.
            let is_late = part.stderr.contains("too far from the origin");
            let is_first = is_late || matches!(before, None | Some(0));
            assert!(is_first, "the lines before the fault: {before:?}, {}", end.stderr);
        }
        false
    }
}

fn json(end: &End) -> Value {
    serde_json::from_slice(&end.stdout).unwrap()
}

/// Data lines of a model: lines with a word before the comment.
fn model_counts(bytes: &[u8]) -> [u64; 2] {
    let text = std::str::from_utf8(bytes).unwrap();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = text.split('\n').map(|line| line.split('#').next().unwrap().split_whitespace().collect::<Vec<_>>());
    let pairs =
        lines.filter(|words| !words.is_empty()).map(|words| [0, 1].map(|at: usize| words[at].parse::<u64>().unwrap()));
    let pairs: Vec<[u64; 2]> = pairs.collect();
    let couplings = pairs.iter().filter(|[i, j]| i != j).count() as u64;
    [pairs.iter().flatten().max().unwrap() + 1, couplings]
}

fn check_ising(bytes: &[u8], end: &End) {
    let result = json(end);
    assert_eq!(["sites", "couplings"].map(|key| result[key].as_u64().unwrap()), model_counts(bytes));
}

fn check_ladder(bytes: &[u8], _: &End) {
    // The file was read; the missing folder is reported after that.
    model_counts(bytes);
}

fn check_fingerprints(bytes: &[u8], end: &End) {
    let text = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let lines = text.split_inclusive(|&byte| byte == b'\n').filter(|line| line[0] != b'#');
    let count = lines.inspect(|line| assert!(line.ends_with(b"\n"))).count();
    // As queries or as targets.
    let said = [" queries", " targets"].map(|what| format!("{count}{what}"));
    let words = ["4 queries", "128 targets"];
    let is_said = said
        .iter()
        .zip(words.iter().rev())
        .any(|(said, other)| end.stderr.contains(said) && end.stderr.contains(other));
    assert!(is_said, "{count} fingerprints: {}", end.stderr);
}

fn check_points(bytes: &[u8], end: &End) {
    let text = std::str::from_utf8(bytes).unwrap().trim_start_matches('\u{feff}');
    let mut lines = text.split('\n').filter(|line| !line.trim().is_empty() && !line.starts_with('#')).peekable();
    let names = |line: &'_ str| -> Vec<String> {
        line.split(',').map(|name| name.trim().trim_matches('"').to_ascii_lowercase()).collect()
    };
    // Numbers without names take those of the comment above them.
    let first = lines.peek().copied().unwrap_or("");
    let header = match names(first).iter().all(|word| word.parse::<f64>().is_ok()) {
        true => names(text.split('\n').take_while(|line| *line != first).last().unwrap().trim_start_matches('#')),
        false => names(lines.next().unwrap()),
    };
    let [x, y] = ["x", "y"].map(|name| header.iter().position(|column| *column == name).unwrap());
    let number = |word: &str| word.trim().trim_matches('"').parse::<f64>().unwrap();
    let points: Vec<[f64; 2]> = lines
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            assert_eq!(fields.len(), header.len(), "{line}");
            [x, y].map(|column| number(fields[column]))
        })
        .collect();
    let printed = String::from_utf8(end.stdout.clone()).unwrap();
    let counted =
        printed.lines().skip(1).map(|line| line.split(',').nth(2).unwrap().parse::<u64>().unwrap()).sum::<u64>();
    if points.iter().flatten().any(|value| value.abs() > 1e4) {
        return;
    }
    // All pairs closer than the end of the last bin, 50, up to rounding.
    let (mut near, mut about) = (0, 0);
    for (index, a) in points.iter().enumerate() {
        for b in &points[..index] {
            let distance = (a[0] - b[0]).hypot(a[1] - b[1]);
            near += u64::from(distance < 49.99);
            about += u64::from(distance < 50.01);
        }
    }
    assert!((near..=about).contains(&counted), "{counted} pairs, not {near} to {about}");
}

/// The fields of a record, numbers in one spelling.
fn record(bytes: &[u8]) -> Vec<Vec<String>> {
    let field = |field: &str| field.parse::<f64>().map_or(field.to_owned(), |number| number.to_string());
    let lines = csv::Reader::from_reader(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)).into_records();
    lines.map(|line| line.unwrap().iter().map(field).collect()).collect()
}

fn check_bench(bytes: &[u8], end: &End) {
    assert_eq!(record(bytes), record(&end.stdout));
}

fn check_shown(bytes: &[u8], end: &End) {
    let lines = String::from_utf8(end.stdout.clone()).unwrap();
    for row in record(bytes) {
        assert!(lines.contains(row[0].rsplit('/').next().unwrap()), "{} is not shown", row[0]);
    }
}

fn check_checkpoint(bytes: &[u8], end: &End) {
    assert!(json(end)["best"]["energy"].is_number(), "{} bytes", bytes.len());
}

fn readers(input: &Path) -> Vec<Reader> {
    let data = |name: &str| Path::new(shipped()).with_file_name(name);
    let record = Path::new(env!("CARGO_MANIFEST_DIR")).join("../benches/record/xeon_granite_rapids.csv");
    let record = fs::read_to_string(record).unwrap();
    let lines = record.lines().filter(|line| line.starts_with("kernel,") || line.starts_with("exp/"));
    let record: String = lines.flat_map(|line| [line, "\n"]).collect();
    let checkpoint = input.join("run.checkpoint");
    let run_options = "--sweeps 4 --every 2 --runs 2 --copies 2 --json";
    let saved = words(&format!("ising {} {run_options} --checkpoint {}", shipped(), checkpoint.display()));
    assert_eq!(run(&saved, input).code, Some(0));
    let [queries, targets] = ["queries.fps", "targets.fps"].map(data);
    let reader = |name, example: Vec<u8>, line: &str, check, has_lines, head| Reader {
        name,
        example,
        words: words(line),
        check,
        has_lines,
        head,
    };
    let read = |path: &Path| fs::read(path).unwrap();
    let model = || read(Path::new(shipped()));
    let search = |query: &str, db: &str| format!("fingerprints search {query} {db} -v --threads 1 --tanimoto 0");
    let record = || record.clone().into_bytes();
    vec![
        reader(
            "ising",
            model(),
            "ising FILE --sweeps 1 --runs 1 --copies 2 --json",
            check_ising as fn(&[u8], &End),
            true,
            0,
        ),
        reader("ladder", model(), "ladder --model FILE --layers 2 --svg /absent/x.svg", check_ladder, true, 0),
        reader("queries", read(&queries), &search("FILE", targets.to_str().unwrap()), check_fingerprints, true, 0),
        reader("targets", read(&targets), &search(queries.to_str().unwrap(), "FILE"), check_fingerprints, true, 0),
        reader("points", read(&data("polycrystal.csv")), "g6 FILE --bins 0:50:1 --threads 1", check_points, true, 1),
        reader("record", record(), "bench --from FILE --csv", check_bench, true, 1),
        reader("table", record(), "bench --from FILE", check_shown, true, 1),
        reader(
            "picture",
            record(),
            &format!("bench --from FILE --markdown --svg {}/svg", input.display()),
            check_shown,
            true,
            1,
        ),
        reader(
            "checkpoint",
            read(&checkpoint),
            &format!("ising {} {run_options} --resume FILE", shipped()),
            check_checkpoint,
            false,
            0,
        ),
    ]
}

fn words(line: &str) -> Vec<String> {
    support::words(line).into_iter().map(str::to_owned).collect()
}

/// A checkpoint with a corrected hash, as an attacker could make it.
fn rehash(bytes: &mut [u8]) {
    if let Some(end) = bytes.len().checked_sub(32).filter(|&end| end > 16) {
        let length = (end - 16) as u64;
        bytes[8..16].copy_from_slice(&length.to_le_bytes());
        let hash = Sha256::digest(&bytes[..end]);
        bytes[end..].copy_from_slice(&hash);
    }
}

fn hunt(name: &str, inputs: usize) {
    let folder = folder(name);
    let clock = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64;
    let seed = std::env::var("HOTLOOPS_SEED").map_or_else(|_| clock(), |seed| seed.parse().expect("a number"));
    println!("HOTLOOPS_SEED={seed}");
    let readers = readers(&folder);
    let mut counts: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    let mut faults = Vec::new();
    for index in 0..inputs {
        let reader = &readers[index % readers.len()];
        let mut random = Random(seed ^ (index as u64) << 32);
        let mut bytes = reader.example.clone();
        (0..random.of(&[1, 1, 1, 2, 3])).for_each(|_| mutate(&mut bytes, &mut random));
        if reader.name == "checkpoint" && random.below(2) == 0 {
            rehash(&mut bytes);
        }
        let look = || reader.look(&bytes, &folder);
        match std::panic::catch_unwind(std::panic::AssertUnwindSafe(look)) {
            Ok(is_accepted) => counts.entry(reader.name).or_default()[usize::from(is_accepted)] += 1,
            Err(fault) => {
                let kept: PathBuf = folder.join(format!("{}_{index}", reader.name));
                fs::write(&kept, &bytes).unwrap();
                let text =
                    fault.downcast_ref::<String>().cloned().or(fault.downcast_ref::<&str>().map(ToString::to_string));
                faults.push(format!("{}: {}", kept.display(), text.unwrap_or_default()));
            }
        }
    }
    for (reader, [refused, accepted]) in &counts {
        println!("{reader}: {refused} refused, {accepted} accepted");
    }
    assert!(faults.is_empty(), "{} faults of {inputs} with HOTLOOPS_SEED={seed}:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn damaged_inputs_are_refused_or_read_whole() {
    hunt("mutated", 500);
}

#[test]
#[ignore = "twenty thousand inputs: some ten minutes"]
fn twenty_thousand_damaged_inputs() {
    hunt("mutated_long", 20_000);
}
