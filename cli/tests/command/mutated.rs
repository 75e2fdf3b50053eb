//! Damaged inputs: no panic, no signal, no hang, no silent loss, and an error that names the file
//! and the line.
//!
//! The example inputs of every subcommand are mutated at random, and the command runs on them. If
//! it accepts a file, an independent check counts the file's content. If it rejects one at line k,
//! the first k lines must be rejected at k, and the first k - 1 not at any line. `HOTLOOPS_SEED`
//! repeats a run.

mod checks;
mod mutations;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::support::{self, folder, shipped};
use mutations::{Random, mutate, rehash};

/// A command that runs longer than this hangs.
const PATIENCE: Duration = Duration::from_secs(60);

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

fn readers(input: &Path) -> Vec<Reader> {
    let data = |name: &str| Path::new(shipped()).with_file_name(name);
    let record = Path::new(env!("CARGO_MANIFEST_DIR")).join("../benches/record/xeon_granite_rapids.csv");
    let record = fs::read_to_string(record).unwrap();
    let lines = record.lines().filter(|line| line.starts_with("kernel,") || line.starts_with("exp/"));
    let record: String = lines.flat_map(|line| [line, "\n"]).collect();
    let checkpoint = input.join("run.checkpoint");
    let run_options = "--sweeps 4 --every 2 --runs 2 --copies 2 --format json";
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
            "ising FILE --sweeps 1 --runs 1 --copies 2 --format json",
            checks::ising as fn(&[u8], &End),
            true,
            0,
        ),
        reader("ladder", model(), "ladder --model FILE --layers 2 --svg /absent/x.svg", checks::ladder, true, 0),
        reader("queries", read(&queries), &search("FILE", targets.to_str().unwrap()), checks::fingerprints, true, 0),
        reader("targets", read(&targets), &search(queries.to_str().unwrap(), "FILE"), checks::fingerprints, true, 0),
        reader(
            "points",
            read(&data("polycrystal.csv")),
            "correlation FILE --bins 0:50:1 --threads 1",
            checks::points,
            true,
            1,
        ),
        reader("record", record(), "bench --load FILE --format csv", checks::bench, true, 1),
        reader("table", record(), "bench --load FILE", checks::shown, true, 1),
        reader(
            "picture",
            record(),
            &format!("bench --load FILE --format markdown --svg-dir {}/svg", input.display()),
            checks::shown,
            true,
            1,
        ),
        reader(
            "checkpoint",
            read(&checkpoint),
            &format!("ising {} {run_options} --checkpoint FILE", shipped()),
            checks::checkpoint,
            false,
            0,
        ),
    ]
}

fn words(line: &str) -> Vec<String> {
    support::words(line).into_iter().map(str::to_owned).collect()
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
