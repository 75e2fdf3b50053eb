//! Jobs under mpirun: the bytes of one process for any number of ranks and threads, also if a rank is killed
//! and the job continues from its checkpoint.

mod correlation;
mod faults;
mod fingerprints;
mod hardround;
mod ising;
mod launch;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::hardround::success;
use crate::support::{folder, run, stderr, words};

/// The job by `ranks` processes, if Open MPI is installed.
fn mpirun(ranks: usize, line: &str) -> Option<Command> {
    let open_mpi = |version: Output| String::from_utf8_lossy(&version.stdout).contains("Open MPI");
    if !Command::new("mpirun").arg("--version").output().is_ok_and(open_mpi) {
        println!("not run: no mpirun of Open MPI");
        return None;
    }
    let mut command = Command::new("mpirun");
    command.args(["--oversubscribe", "--allow-run-as-root", "-n", &ranks.to_string(), env!("CARGO_BIN_EXE_hotloops")]);
    // One that begins while another makes or removes the folder of both may fail.
    static JOBS: AtomicUsize = AtomicUsize::new(0);
    command.env("OMPI_MCA_orte_tmpdir_base", folder(&format!("mpirun_{}", JOBS.fetch_add(1, Ordering::Relaxed))));
    command.args(words(line));
    Some(command)
}

/// The process of a rank of the job whose command line has the word `path`.
fn process_of_rank(rank: u32, path: &Path) -> Option<String> {
    let has = |file: PathBuf, word: &str| {
        fs::read(file).is_ok_and(|bytes| bytes.split(|&byte| byte == 0).any(|part| part == word.as_bytes()))
    };
    let rank = format!("OMPI_COMM_WORLD_RANK={rank}");
    let is =
        |process: &PathBuf| has(process.join("environ"), &rank) && has(process.join("cmdline"), path.to_str().unwrap());
    let mut processes = fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().path());
    Some(processes.find(is)?.file_name()?.to_str()?.to_owned())
}

/// Kills a rank of a job once its checkpoint has this number of bytes. The message of mpirun names the rank.
fn kill_rank(command: &mut Command, rank: u32, checkpoint: &Path, bytes: u64) {
    let mut job = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while fs::metadata(checkpoint).map_or(0, |file| file.len()) < bytes && job.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    if let Some(process) = process_of_rank(rank, checkpoint) {
        Command::new("kill").args(["-9", &process]).status().unwrap();
    }
    let output = job.wait_with_output().unwrap();
    let named = stderr(&output).contains(&format!("rank {rank}"));
    assert!(output.status.success() || named, "{}", stderr(&output));
}

/// Asserts that a job prints and writes the same for 1 to 4 ranks, with 1 and 2 threads, as one process
/// does. `OUT` in its line is a file.
fn is_the_same_by_ranks(folder: &Path, line: &str) {
    let (one, two) = (" --threads 1", " --threads 2");
    is_the_same_by(folder, line, one, &[(1, two), (2, one), (3, one), (4, one), (2, two)]);
}

/// Asserts that a job with the `options` of one process prints and writes the same by several ranks with
/// those of each.
fn is_the_same_by(folder: &Path, line: &str, options: &str, by_ranks: &[(usize, &str)]) {
    let out = folder.join("ranks.out");
    let line = line.replace("OUT", out.to_str().unwrap());
    let result = |output: Output| {
        // A target is reported with the time until it was reached.
        let has_time = |line: &&str| line.contains("\"seconds\"");
        let printed: Vec<_> = success(&output).lines().filter(|line| !has_time(line)).map(str::to_owned).collect();
        (printed, fs::read(&out).ok().inspect(|_| fs::remove_file(&out).unwrap()))
    };
    let expected = result(run(&words(&format!("{line}{options}"))));
    for (ranks, options) in by_ranks {
        let Some(mut command) = mpirun(*ranks, &format!("{line}{options}")) else { return };
        let found = result(command.output().unwrap());
        assert!(found == expected, "{ranks} ranks: {line}{options}");
    }
}

/// An index file with a segment for each of these row counts.
fn index(folder: &Path, segments: &[u64]) -> String {
    let (rows, index) = (folder.join("rows.fps"), folder.join("db.hlfp"));
    let mut number = 0_u64;
    for (segment, &count) in segments.iter().enumerate() {
        let line = |i: u64| {
            let row = (i * i % 11).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 1 << (i * 13 % 64) ^ 1 << (i * 29 % 61);
            format!("{row:016x}\trow {i}\n")
        };
        fs::write(&rows, (number..number + count).map(line).collect::<String>()).unwrap();
        number += count;
        let append = if segment > 0 { " --append" } else { "" };
        let line = format!("fingerprints index {} --out {}{append}", rows.display(), index.display());
        success(&run(&words(&line)));
    }
    index.to_str().unwrap().to_owned()
}
