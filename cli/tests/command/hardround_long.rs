//! Searches that are interrupted and continued: by a checkpoint and as an array of
//! Slurm. Also searches that need too much memory.

use std::fs::{self, File};
use std::path::Path;
use std::process::Output;
use std::time::Duration;

use crate::hardround::{PIECE, WHOLE, body, printed, success, written};
use crate::support::{command, ends, folder, refused, run, stderr, unreadable, words};

/// The ends of the records of a checkpoint.
pub fn records(bytes: &[u8]) -> Vec<usize> {
    let mut ends = vec![8];
    while let Some(&end) = ends.last().filter(|&&end| end < bytes.len()) {
        let length = u32::from_le_bytes(bytes[end..end + 4].try_into().unwrap());
        ends.push(end + 12 + length as usize);
    }
    ends
}

pub fn with_checkpoint(search: &str, path: &Path) -> String {
    format!("{search} --checkpoint {}", path.display())
}

#[test]
fn goes_on_from_whatever_byte() {
    let path = folder("hardround_bytes").join("checkpoint");
    let search = with_checkpoint(PIECE, &path);
    let expected = printed(&search);
    let bytes = fs::read(&path).unwrap();
    let ends = records(&bytes);
    assert_eq!(ends.len(), 1 + 1 + 8);
    for cut in ends.iter().flat_map(|end| [end - 1, *end, end + 1, end + 9]).chain([0, 1]) {
        fs::write(&path, &bytes[..cut.min(bytes.len())]).unwrap();
        assert_eq!(printed(&search), expected, "{cut} bytes");
        assert_eq!(fs::read(&path).unwrap().len(), bytes.len(), "{cut} bytes");
    }
    fs::write(&path, &bytes[..ends[8]]).unwrap();
    let output = run(&words(&search));
    assert!(stderr(&output).contains(" 7 of 8 units are done in the checkpoint; left: "), "{}", stderr(&output));
    fs::write(&path, &bytes[..ends[9] - 1]).unwrap();
    let output = run(&words(&search));
    let dropped = format!("checkpoint: the last record is truncated; dropped {} bytes", ends[9] - 1 - ends[8]);
    assert!(stderr(&output).contains(&dropped), "{}", stderr(&output));
    // Some file systems leave a last record of zeros after a power failure; the user truncates it.
    let mut zeros = bytes.clone();
    zeros[ends[8]..].fill(0);
    fs::write(&path, &zeros).unwrap();
    let remedy = format!(
        "is damaged at byte {0}: the checksum of a length is wrong; nothing was written; \
         a copy truncated to {0} bytes keeps the work before it",
        ends[8]
    );
    unreadable(&words(&search), &remedy);
    assert_eq!(fs::read(&path).unwrap(), zeros);
    fs::write(&path, &zeros[..ends[8]]).unwrap();
    assert_eq!(printed(&search), expected);
}

/// Damage is found before anything else is checked, so neither this search nor another one
/// overwrites the file.
#[test]
fn damaged_checkpoints_are_refused_and_kept() {
    let path = folder("hardround_damage").join("checkpoint");
    let search = with_checkpoint(PIECE, &path);
    printed(&search);
    let bytes = fs::read(&path).unwrap();
    let ends = records(&bytes);
    let others = [search.clone(), search.replace("-30", "-31"), search.replace("exp", "sin")];
    let fails = |bytes: &[u8]| {
        for search in &others {
            fs::write(&path, bytes).unwrap();
            let output = run(&words(search));
            assert_eq!((output.status.code(), output.stdout.len()), (Some(3), 0), "{}", stderr(&output));
            assert!(stderr(&output).contains("checkpoint: is "), "{}", stderr(&output));
            assert_eq!(fs::read(&path).unwrap(), bytes);
        }
    };
    for at in [0, 7, 8, 11, 12, 15, 16, ends[1] - 1, ends[1], ends[1] + 3, ends[1] + 4, ends[4] + 9, ends[9] - 1] {
        let mut flipped = bytes.clone();
        flipped[at] ^= 0x40;
        fails(&flipped);
    }
    fails(&[&bytes[..], b"more"].concat()[..]);
    fails(&[&bytes[..], &bytes[ends[8]..]].concat());
    fails(&[&bytes[..ends[3]], &bytes[ends[4]..]].concat());
}

#[test]
fn goes_on_after_a_kill() {
    let folder = folder("hardround_kill");
    let (path, out) = (folder.join("checkpoint"), folder.join("out.tsv"));
    let line = format!("{WHOLE} --within 0x1p-30 --threads 1 --out {}", out.display());
    let search = with_checkpoint(&line, &path);
    let mut killed = command(&words(&search)).spawn().unwrap();
    while fs::metadata(&path).map_or(0, |file| file.len()) < 3000 && killed.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert!(records(&fs::read(&path).unwrap()).len() > 4);
    assert_eq!(printed(&search), "");
    assert_eq!(body(&fs::read_to_string(&out).unwrap()), body(&printed(&format!("{WHOLE} --within 0x1p-30"))));
}

#[test]
fn foreign_checkpoints_are_refused() {
    let folder = folder("hardround_checkpoints");
    let (path, out) = (folder.join("checkpoint"), folder.join("out.tsv"));
    let search = with_checkpoint(&format!("{PIECE} --out {}", out.display()), &path);
    let shard = format!("{search} --shard 1/2");
    printed(&shard);
    fs::remove_file(&out).unwrap();
    let bytes = fs::read(&path).unwrap();
    let fails = |bytes: &[u8], search: &str, names: &str| {
        fs::write(&path, bytes).unwrap();
        unreadable(&words(search), names);
        assert_eq!(fs::read(&path).unwrap(), bytes, "{names}");
        assert!(!out.exists(), "{names}");
    };
    for &start in &records(&bytes)[1..3] {
        let mut damaged = bytes.clone();
        damaged[start + 9] ^= 4;
        fails(&damaged, &search, &format!("checkpoint: is damaged at byte {start}"));
    }
    fails(b"hlhardr1 and so on", &search, "is a checkpoint of another version of this command");
    fails(b"x,y\n", &search, "is not a checkpoint of `hotloops hardround search`");
    let other = "is a checkpoint of another search: within 0x1p-30, not within 0x1p-31";
    fails(&bytes, &search.replace("-30", "-31"), other);
    fails(&bytes, &search.replace("exp", "sin"), "is a checkpoint of another search: func exp, not func sin");
    fails(&bytes, &search.replace("--to", "--modes directed --to"), "is a checkpoint of another search: modes all");
    fails(&bytes, &search.replace("--to", "--grid 2^-52 --to"), "is a checkpoint of another search: grid none");
    let twice = format!("{PIECE} --out {0} --checkpoint {0}", path.display());
    refused(&words(&twice), "checkpoint: is the file of --out; choose another");
    let file = File::open(&path).unwrap();
    file.lock().unwrap();
    fs::write(&path, &bytes).unwrap();
    ends(1, &words(&search), "another job writes to it");
    drop(file);
    refused(&words(&with_checkpoint(PIECE, Path::new("/nowhere/checkpoint"))), "--checkpoint /nowhere/checkpoint");
    // The other shard appends to it.
    printed(&format!("{search} --shard 2/2"));
    assert_eq!(records(&fs::read(&path).unwrap()).len(), 1 + 1 + 8);
}

#[cfg(unix)]
#[test]
fn a_slurm_array_makes_the_whole() {
    let folder = folder("hardround_slurm");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/slurm/hardround.sh");
    let script = fs::read_to_string(script).unwrap();
    assert!(script.contains("#SBATCH --array=1-64\n") && script.contains("\nparts=64\n"));
    let script = written(&folder.join("hardround.sh"), script.replace("\nparts=64\n", "\nparts=3\n"));
    let bin = Path::new(env!("CARGO_BIN_EXE_hotloops")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let search: Vec<&str> = words(PIECE)[2..].to_vec();
    let start = |variables: &[(&str, &str)], arguments: &[&str]| {
        let mut command = std::process::Command::new("bash");
        command.arg(&script).args(arguments).current_dir(&folder).env("PATH", &path).envs(variables.iter().copied());
        command.output().unwrap()
    };
    let part = |task: &str, tasks: &str| {
        let variables =
            [("SLURM_ARRAY_TASK_ID", task), ("SLURM_ARRAY_TASK_COUNT", tasks), ("SLURM_CPUS_PER_TASK", "1")];
        start(&variables, &[&["part", "exp"], &search[..]].concat())
    };
    success(&part("1", "3"));
    success(&part("3", "3"));
    let merged = start(&[], &["merge", "exp"]);
    assert_eq!(merged.status.code(), Some(3));
    assert!(stderr(&merged).contains("exp.2.tsv"), "{}", stderr(&merged));
    // Only the task that failed, as an array of one task.
    success(&part("2", "1"));
    // A finished task and one that was stopped while it wrote a record, submitted again.
    let file = |name: &str| folder.join(name);
    let finished = fs::read(file("exp.2.tsv")).unwrap();
    success(&part("2", "1"));
    assert_eq!(fs::read(file("exp.2.tsv")).unwrap(), finished);
    let records = fs::read(file("exp.2.checkpoint")).unwrap();
    fs::write(file("exp.2.checkpoint"), &records[..records.len() - 1]).unwrap();
    fs::remove_file(file("exp.2.tsv")).unwrap();
    let continued = part("2", "1");
    assert!(stderr(&continued).contains("units are done in the checkpoint; left: "), "{}", stderr(&continued));
    assert_eq!(fs::read(file("exp.2.tsv")).unwrap(), finished);
    let beyond = part("4", "1");
    assert_eq!(beyond.status.code(), Some(2));
    assert!(stderr(&beyond).contains("expected I/N with I from 1 to N, such as 3/64"), "{}", stderr(&beyond));
    // A stale part of a larger array does not belong to these.
    fs::write(folder.join("exp.4.tsv"), "").unwrap();
    success(&start(&[], &["merge", "exp"]));
    assert_eq!(fs::read_to_string(folder.join("exp.tsv")).unwrap(), printed(PIECE));
    assert_eq!(start(&[], &["merge"]).status.code(), Some(2));
}

/// `srun` starts one process here.
#[cfg(unix)]
#[test]
fn a_slurm_job_continues_when_it_is_submitted_again() {
    let folder = crate::scripts::prepared("hardround_slurm_mpi");
    let bin = Path::new(env!("CARGO_BIN_EXE_hotloops")).parent().unwrap();
    let path = format!("{}:{}:{}", folder.display(), bin.display(), std::env::var("PATH").unwrap());
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/slurm/hardround_mpi.sh");
    let start = |arguments: &[&str]| {
        let mut command = std::process::Command::new("bash");
        command.arg(script).args(arguments).current_dir(&folder).env("PATH", &path).output().unwrap()
    };
    let search: Vec<&str> = words(PIECE)[2..].to_vec();
    success(&start(&[&["exp"], &search[..]].concat()));
    let whole = fs::read_to_string(folder.join("exp.tsv")).unwrap();
    assert_eq!(whole, printed(PIECE));
    let checkpoint = folder.join("exp.checkpoint");
    let bytes = fs::read(&checkpoint).unwrap();
    fs::write(&checkpoint, &bytes[..records(&bytes)[5] + 3]).unwrap();
    fs::remove_file(folder.join("exp.tsv")).unwrap();
    let continued = start(&[&["exp"], &search[..]].concat());
    assert!(stderr(&continued).contains(" 4 of 8 units are done in the checkpoint"), "{}", stderr(&continued));
    assert_eq!(fs::read_to_string(folder.join("exp.tsv")).unwrap(), whole);
    let usage = start(&["exp"]);
    assert_eq!(usage.status.code(), Some(2));
    assert!(stderr(&usage).contains("sbatch hardround_mpi.sh exp "), "{}", stderr(&usage));
}

/// Runs the command with a limit of memory in KiB.
#[cfg(target_os = "linux")]
fn run_within(memory: u32, line: &str) -> Output {
    let script = format!("ulimit -v {memory}; exec \"$0\" \"$@\"");
    let mut command = std::process::Command::new("bash");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_hotloops")]).args(words(line)).output().unwrap()
}

/// Under any limit of memory, each job ends with its result, or with status 1 and "out of memory".
#[cfg(target_os = "linux")]
#[test]
fn out_of_memory_is_an_error() {
    let folder = folder("hardround_memory");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let search = "hardround search --func exp --from 0x1p-38 --to 0x1.0002p-38 --bits 24 --threads 1";
    let (table, list, long, checkpoint) = (path("cases.tsv"), path("cases.wc"), path("long.wc"), path("checkpoint"));
    printed(&format!("{search} --out {table} --checkpoint {checkpoint}"));
    printed(&format!("{search} --lines wc --out {list}"));
    written(Path::new(&long), "0x1.8p+3 is outside of the search\n".repeat(1 << 20));
    let jobs = [
        format!("{search} --out {}", path("out.tsv")),
        format!("{search} --checkpoint {checkpoint} --out {}", path("out.tsv")),
        format!("hardround merge {table} --out {}", path("out.tsv")),
        format!("hardround verify {table}"),
        format!("hardround compare {table} {list}"),
        format!("hardround compare {table} {long}"),
    ];
    // The smallest limit, in MiB, in which the command starts.
    let start = (4..200).find(|memory| run_within(memory << 10, "--version").status.success()).unwrap();
    for job in &jobs {
        let [mut short, mut enough] = [0, 0];
        for memory in [1, 2, 3, 4, 6, 70].map(|more| start + more) {
            let output = run_within(memory << 10, job);
            let said = stderr(&output);
            match output.status.code() {
                Some(0) => enough += 1,
                Some(1) if said.contains("out of memory") || said.contains("Resource temporarily") => short += 1,
                Some(1) if said.contains("differ") => enough += 1,
                _ => panic!("{job} in {memory} MiB: {:?} {said}", output.status),
            }
        }
        assert!(enough > 0, "{job}");
        println!("{job}: {short} of {} short of memory", short + enough);
    }
}

/// If many or nearly all arguments are cases, a search stays within 64 MiB.
#[cfg(target_os = "linux")]
#[test]
fn no_search_takes_more_than_64_mib() {
    let begins = |line: &str| success(&run_within(64 << 10, &format!("hardround search {line} --threads 1")));
    let text = begins("--func cos --from 0x1p-20 --to 0x1.000002p-20 --bits 24");
    assert!(text.contains("\n# chance\tno estimate: results are not random here\n"), "{}", &text[..1000]);
    for function in ["sin", "cos"] {
        let text = begins(&format!("--func {function} --from 0x1.08p-38 --to 0x1.1p-38 --bits 20"));
        assert!(text.contains("\n# all\t0x1.08p-38\t0x1.0ffffffffffffp-38\t140737488355328\t"), "{text}");
    }
}
