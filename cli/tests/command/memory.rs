//! Under any limit of memory, a command ends with its complete result, or with a message and status
//! 1.
//!
//! `ulimit -v` sets the limit. The walk begins at the smallest limit under which `hotloops
//! --version` runs: below it, the loader and the start of the standard library fail before the
//! command begins. It ends at the first limit under which the command succeeds, and bisects
//! wherever two neighbouring limits end in different messages, so that many allocations fail in
//! turn.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::Instant;

use flate2::{Compression, write::GzEncoder};

use crate::support::{folder, shipped, stderr};

/// Resolution of limits in KiB.
const STEP: u64 = 16;
/// Maximum number of runs of a command.
const RUNS: usize = 28;

fn limited(kilobytes: u64, words: &[String]) -> Output {
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -v $0; exec \"$@\"", &kilobytes.to_string(), env!("CARGO_BIN_EXE_hotloops")]);
    command.args(words).stdin(Stdio::null()).output().unwrap()
}

/// The smallest limit under which the command always starts. The system places the stack at random,
/// so that the address space of a start varies by some pages.
fn start() -> u64 {
    static START: OnceLock<u64> = OnceLock::new();
    *START.get_or_init(|| smallest(&["--version".to_owned()]))
}

/// The smallest limit under which a command always succeeds.
fn smallest(words: &[String]) -> u64 {
    let (mut low, mut high) = (1 << 10, 1 << 20);
    while high - low > STEP {
        let middle = low.midpoint(high);
        match limited(middle, words).status.success() {
            true => high = middle,
            false => low = middle,
        }
    }
    high + 4 * STEP
}

struct Walk<'a> {
    words: Vec<String>,
    /// The folder of all output files.
    out: &'a Path,
    /// Whether the same bytes are printed each time.
    is_exact: bool,
    /// Whether a successful run of the command takes long.
    is_slow: bool,
}

type Files = BTreeMap<PathBuf, Vec<u8>>;

fn files(folder: &Path) -> Files {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths.map(|path| (path.clone(), fs::read(&path).unwrap())).collect()
}

fn empty(folder: &Path) {
    files(folder).keys().for_each(|path| fs::remove_file(path).unwrap());
}

impl Walk<'_> {
    /// The message under a limit, `None` on success. Asserts that written files are complete.
    fn run(&self, kilobytes: u64, whole: Option<&(Vec<u8>, Files)>) -> Option<String> {
        empty(self.out);
        let output = limited(kilobytes, &self.words);
        let (words, text) = (&self.words, stderr(&output));
        let found = files(self.out);
        let code = output.status.code();
        assert!(matches!(code, Some(0 | 1)), "{words:?} under {kilobytes} KiB: {:?}: {text}", output.status);
        if let Some((printed, expected)) = whole {
            for (path, content) in &found {
                let same = expected.get(path).is_some_and(|whole| whole == content || !self.is_exact);
                assert!(same, "{words:?} under {kilobytes} KiB: {} is not whole", path.display());
            }
            let is_whole = output.stdout == *printed || !self.is_exact;
            assert!(is_whole || code == Some(1) && output.stdout.is_empty(), "{words:?} under {kilobytes} KiB: output");
        }
        if code == Some(0) {
            assert_eq!(found.len(), whole.map_or(found.len(), |(_, files)| files.len()), "{words:?}");
            return None;
        }
        // The C library may add a line.
        let message = text.lines().find(|line| line.starts_with("hotloops: ") && line.contains("out of memory"));
        assert!(message.is_some() && !text.contains("panicked"), "{words:?}: {text}");
        message.map(str::to_owned)
    }

    /// The messages of all allocations that have failed, at least one.
    fn walk(&self) -> BTreeSet<String> {
        let begin = Instant::now();
        empty(self.out);
        let output = limited(1 << 30, &self.words);
        assert!(output.status.success(), "{:?}: {}", self.words, stderr(&output));
        let whole = (output.stdout, files(self.out));

        let mut limits = vec![(start(), self.run(start(), Some(&whole)))];
        while let Some((limit, Some(_))) = limits.last() {
            let next = limit + limit / 6;
            limits.push((next, self.run(next, Some(&whole))));
        }
        // The widest gap between different messages first.
        while limits.len() < RUNS {
            let is_open = |pair: &&[(u64, Option<String>)]| {
                pair[0].1 != pair[1].1 && pair[1].0 - pair[0].0 > STEP && !(self.is_slow && pair[1].1.is_none())
            };
            let gap = limits.windows(2).filter(is_open).max_by_key(|pair| pair[1].0 - pair[0].0);
            let Some(middle) = gap.map(|pair| pair[0].0.midpoint(pair[1].0)) else { break };
            let place = limits.partition_point(|&(limit, _)| limit < middle);
            limits.insert(place, (middle, self.run(middle, Some(&whole))));
        }
        empty(self.out);
        let messages: BTreeSet<_> = limits.iter().filter_map(|(_, message)| message.clone()).collect();
        println!("{:?}: {} limits, {:?}", self.words, limits.len(), begin.elapsed());
        messages.iter().for_each(|message| println!("    {message}"));
        assert!(!messages.is_empty(), "{:?}", self.words);
        messages
    }
}

fn words(line: &str, paths: &[(&str, &Path)]) -> Vec<String> {
    let word = |word: &str| {
        let named = paths.iter().fold(word.to_owned(), |word, (name, path)| word.replace(name, path.to_str().unwrap()));
        named.replace("MODEL", shipped())
    };
    line.split_whitespace().map(word).collect()
}

/// The commands, one per line. IN and OUT stand for two folders, MODEL for the shipped model. Asserts that at
/// least `different` different allocations have failed, over all lines: the limits at which two allocations of one
/// line fail may be closer than [`STEP`].
fn walk(name: &str, prepare: impl FnOnce(&Path), lines: &[&str], different: usize, is_exact: bool, is_slow: bool) {
    let (input, out) = (folder(&format!("memory_{name}_in")), folder(&format!("memory_{name}_out")));
    prepare(&input);
    let messages =
        |line| Walk { words: words(line, &[("IN", &input), ("OUT", &out)]), out: &out, is_exact, is_slow }.walk();
    let messages: BTreeSet<_> = lines.iter().flat_map(|line| messages(line)).collect();
    assert!(messages.len() >= different, "{messages:?}");
}

fn data(name: &str) -> PathBuf {
    Path::new(shipped()).with_file_name(name)
}

#[test]
fn list_and_bench() {
    let record = Path::new(env!("CARGO_MANIFEST_DIR")).join("../benches/record/xeon_granite_rapids.csv");
    let lines = [
        "list",
        "list --format json",
        "bench --load IN/record.csv",
        "bench --load IN/record.csv --format json",
        "bench --load IN/record.csv --format csv --svg-dir OUT",
    ];
    walk("bench", |input| _ = fs::copy(record, input.join("record.csv")).unwrap(), &lines, 3, true, false);
}

#[test]
fn measurements() {
    walk(
        "measure",
        |_| (),
        &["bench correlation --quick", "ladder --quick --budget 1 --layers 16 --svg OUT/x.svg"],
        4,
        false,
        true,
    );
}

#[test]
fn ising() {
    // A chain whose text is longer than a megabyte.
    let chain = |input: &Path| {
        let lines = (0..60_000).map(|i| format!("{i} {} {}\n", i + 1, if i % 3 == 0 { "0.5" } else { "-0.25" }));
        fs::write(input.join("chain.coo"), lines.collect::<String>()).unwrap();
        let save = words("ising MODEL --sweeps 20 --checkpoint IN/run.checkpoint", &[("IN", input)]);
        assert!(limited(1 << 30, &save).status.success());
    };
    let lines = [
        "ising MODEL --sweeps 20 --format json --spins OUT/s --series OUT/c --svg OUT/v --checkpoint OUT/k",
        "ising MODEL --sweeps 20 --format json --checkpoint IN/run.checkpoint",
        "ising MODEL --sweeps 30 --format json --method exchange --replicas 4 --series OUT/c",
        "ising MODEL --sweeps 20 --format json --slices 64 --gamma 0.5 --gamma-max 2 --beta 1",
        "ising IN/chain.coo --sweeps 2 --every 1 --copies 64 --runs 2 --format json --series OUT/c --checkpoint OUT/k",
    ];
    walk("ising", chain, &lines, 8, true, false);
}

#[test]
fn fingerprints() {
    let prepare = |input: &Path| {
        for name in ["queries.fps", "targets.fps"] {
            fs::copy(data(name), input.join(name)).unwrap();
        }
        let line = |i: u64| {
            let bits = i.wrapping_mul(0x9e3779b97f4a7c15);
            format!("{bits:016x}{:016x}\tan identifier {i}\n", bits.rotate_left(23) ^ bits)
        };
        fs::write(input.join("large.fps"), (0..80_000).map(line).collect::<String>()).unwrap();
        fs::write(input.join("few.fps"), (0..20).map(line).collect::<String>()).unwrap();
        let index = words("fingerprints index IN/large.fps --out IN/large.hlfp", &[("IN", input)]);
        assert!(limited(1 << 30, &index).status.success());
    };
    let lines = [
        "fingerprints search IN/queries.fps IN/targets.fps --threads 2 --out OUT/hits",
        "fingerprints search IN/queries.fps IN/targets.fps --threads 1 --format json --out OUT/hits",
        "fingerprints search IN/few.fps IN/large.fps --all --tanimoto 0.3 --threads 2 --out OUT/hits",
        "fingerprints search IN/few.fps IN/large.hlfp --threads 2 --out OUT/hits",
        "fingerprints index IN/large.fps --threads 2 --out OUT/index",
        "fingerprints matrix IN/queries.fps --tanimoto 0 --threads 2 --out OUT/matrix",
        "fingerprints cluster IN/large.hlfp --tanimoto 0.9 --threads 2 --out OUT/clusters",
        "fingerprints pick IN/large.hlfp --count 3 --threads 2 --out OUT/picks",
    ];
    walk("fingerprints", prepare, &lines, 10, true, false);
}

#[test]
fn correlation() {
    let prepare = |input: &Path| {
        fs::copy(data("polycrystal.csv"), input.join("p.csv")).unwrap();
        let line = |i: u32| format!("{}.25,{},0.{i}\n", i * 7919 % 1000, i * 104_729 % 1009);
        let lines: String = (0..30_000).map(line).collect();
        fs::write(input.join("large.csv"), format!("x,y,theta\n{lines}")).unwrap();
    };
    let lines = [
        "correlation IN/p.csv --bins 0:50:1 --threads 2 --out OUT/c --svg OUT/v",
        "correlation IN/large.csv --bins 0:20:1 --threads 2 --out OUT/c",
        "correlation IN/large.csv --bins 0:20:0.001 --rdf --threads 2 --out OUT/c",
    ];
    walk("correlation", prepare, &lines, 5, true, false);
}

/// A film needs no more memory than a few of its frames, in every format.
#[test]
fn g6_film() {
    const POINTS: u32 = 6000;
    let folder = folder("memory_film");
    let point = |i: u32| (i * 7919 % 1009, i * 104_729 % 997);
    let points =
        |line: &dyn Fn(u32, u32) -> String| -> String { (0..POINTS).map(point).map(|(x, y)| line(x, y)).collect() };
    let csv = |frame| points(&|x, y| format!("{frame},{x}.25,{y}.5\n"));
    let xyz = |_| format!("{POINTS}\n\n") + &points(&|x, y| format!("A {x}.25 {y}.5 0\n"));
    let lammps = |frame| {
        format!("ITEM: TIMESTEP\n{frame}\nITEM: NUMBER OF ATOMS\n{POINTS}\nITEM: ATOMS x y\n")
            + &points(&|x, y| format!("{x}.25 {y}.5\n"))
    };
    type Frame<'a> = &'a dyn Fn(u32) -> String;
    let formats = [("csv", "frame,x,y\n", &csv as Frame), ("xyz", "", &xyz), ("lammps", "", &lammps)];
    for ((name, header, frame), packed) in formats.into_iter().flat_map(|format| [(format, false), (format, true)]) {
        let film = |frames: u32| {
            let path = folder.join(format!("{name}_{frames}"));
            let text: String = [header.to_owned()].into_iter().chain((0..frames).map(frame)).collect();
            match packed {
                false => fs::write(&path, text).unwrap(),
                true => {
                    let mut writer = GzEncoder::new(fs::File::create(&path).unwrap(), Compression::fast());
                    writer.write_all(text.as_bytes()).unwrap();
                    writer.finish().unwrap();
                }
            }
            words("correlation IN --average --neighbours 6 --bins 0:4:1 --threads 1", &[("IN", &path)])
        };
        // 100 frames as tables are more than 10 MiB.
        let limit = smallest(&film(4)) + (1 << 10);
        let output = limited(limit, &film(100));
        assert!(output.status.success(), "{name}, {limit} KiB: {}", stderr(&output));
    }
}

#[test]
fn hardround() {
    let search = "hardround search --func exp --from 1 --to 0x1.000001p+0 --threads 2";
    let prepare = |input: &Path| {
        // Enough cases that their list needs more memory than the start.
        let save = words(&format!("{search} --bits 14 --out IN/cases"), &[("IN", input)]);
        let output = limited(1 << 30, &save);
        assert!(output.status.success(), "{}", stderr(&output));
    };
    let to_file = format!("{search} --bits 20 --out OUT/cases");
    let lines = [
        to_file.as_str(),
        "hardround merge IN/cases --out OUT/merged",
        "hardround verify IN/cases",
        "hardround compare IN/cases IN/cases",
    ];
    walk("hardround", prepare, &lines, 4, true, false);
}
