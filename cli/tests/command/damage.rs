//! Damaged checkpoints and two writers, through the whole command: each job refuses by name or makes the result of
//! the undamaged file. The unit tests try 10,000 changes of each kind of file.
//!
//! `HOTLOOPS_SEED` repeats a run.

use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::hardround::{PIECE, WHOLE};
use crate::support::{command, folder, run, shipped, stderr, words};

/// The next number below `count` of a sequence.
fn below(state: &mut u64, count: usize) -> usize {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    ((u128::from(*state) * count as u128) >> 64) as usize
}

fn fps(path: &Path, count: u64) {
    let row = |i: u64| (i * i % 11).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 1 << (i * 13 % 64) ^ 1 << (i * 29 % 64);
    let lines: String = (0..count).map(|i| format!("{:016x}\trow {i}\n", row(i))).collect();
    fs::write(path, lines).unwrap();
}

/// The jobs with checkpoints, which write `out` with `work` as the checkpoint.
fn jobs(folder: &Path) -> [String; 4] {
    fps(&folder.join("db.fps"), 1200);
    let place = folder.display();
    let matrix =
        format!("fingerprints matrix {place}/db.fps --tanimoto 0.95 --checkpoint {place}/work --out {place}/out");
    let search = format!("{PIECE} --threads 1 --checkpoint {place}/work --out {place}/out");
    let sampling = format!("ising {} --sweeps 20 --series {place}/out --checkpoint {place}/work", shipped());
    let lattice = format!("lattice 16x24 --betas 0.3,0.5 --series {place}/out --checkpoint {place}/work");
    [matrix, search, sampling, lattice]
}

#[test]
fn damaged_checkpoints_change_no_result() {
    let seed = std::env::var("HOTLOOPS_SEED").ok().and_then(|seed| seed.parse().ok());
    let mut state: u64 = seed.unwrap_or_else(|| RandomState::new().hash_one("damage"));
    println!("HOTLOOPS_SEED={state}");
    let folder = folder("damage");
    let (work, out) = (folder.join("work"), folder.join("out"));
    for job in jobs(&folder) {
        let _ = (fs::remove_file(&work), fs::remove_file(&out));
        let output = run(&words(&job));
        assert!(output.status.success(), "{}", stderr(&output));
        let (bytes, expected) = (fs::read(&work).unwrap(), fs::read(&out).unwrap());
        for turn in 0..60 {
            let mut damaged = bytes.clone();
            let is_cut = turn % 4 == 0;
            match is_cut {
                true => damaged.truncate(below(&mut state, bytes.len() + 1)),
                false => damaged[below(&mut state, bytes.len())] ^= 1 << below(&mut state, 8),
            }
            fs::write(&work, &damaged).unwrap();
            fs::write(&out, "older").unwrap();
            let output = run(&words(&job));
            let said = stderr(&output);
            match output.status.code() {
                Some(0) => assert!(is_cut && fs::read(&out).unwrap() == expected, "{job}: {turn}: {said}"),
                Some(3) => {
                    assert!(said.contains(&format!("{}: ", work.display())), "{said}");
                    assert!(fs::read(&work).unwrap() == damaged && fs::read(&out).unwrap() == b"older", "{job}");
                }
                _ => panic!("{job}: {said}"),
            }
        }
    }
}

/// Starts a job and waits until `work` has `bytes` bytes.
fn started(line: &str, work: &Path, bytes: u64) -> Child {
    let mut job = command(&words(line)).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while fs::metadata(work).map_or(0, |file| file.len()) < bytes {
        assert!(job.try_wait().unwrap().is_none(), "{line}: too quick");
        sleep(Duration::from_millis(1));
    }
    job
}

/// Ends a job by a signal; returns what it said.
fn interrupted(job: Child, signal: &str) -> String {
    assert!(Command::new("kill").args([signal, &job.id().to_string()]).status().unwrap().success());
    let output = job.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    stderr(&output)
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort_unstable();
    names
}

/// The second writer of a checkpoint is refused. A signal ends the first one, which saves what it has done and
/// leaves no other file; the same command continues.
#[test]
fn a_checkpoint_has_one_writer_and_survives_a_signal() {
    let folder = folder("writers");
    let (work, out) = (folder.join("work"), folder.join("out"));
    let place = folder.display();
    fps(&folder.join("db.fps"), 4000);
    let matrix = format!("fingerprints matrix {place}/db.fps --tanimoto 0.1 --threads 1");
    let search = format!("{WHOLE} --within 0x1p-30 --threads 1");
    let sampling = format!("ising {} --sweeps 20000 --checkpoint-seconds 0", shipped());
    for (line, result, signal, bytes) in
        [(&matrix, "--out", "-INT", 1 << 16), (&search, "--out", "-TERM", 3000), (&sampling, "--series", "-INT", 100)]
    {
        let _ = (fs::remove_file(&work), fs::remove_file(&out));
        let line = format!("{line} --checkpoint {place}/work");
        let job = started(&line, &work, bytes);
        let second = run(&words(&format!("{line} {result} {place}/out")));
        assert_eq!((second.status.code(), second.stdout.len()), (Some(1), 0), "{second:?}");
        let said = stderr(&second);
        assert!(said.contains("work: another ") && said.contains("choose another file"), "{said}");
        let said = interrupted(job, signal);
        assert!(said.contains("interrupted") && said.contains("continue"), "{said}");
        assert_eq!(names(&folder), ["db.fps", "work"], "{line}");
        let output = run(&words(&format!("{line} {result} {place}/out")));
        assert!(output.status.success(), "{}", stderr(&output));
        let found = fs::read(&out).unwrap();
        let line = line.replace(&format!(" --checkpoint {place}/work"), "").replace(" --checkpoint-seconds 0", "");
        let output = run(&words(&format!("{line} {result} {place}/out")));
        assert!(output.status.success(), "{}", stderr(&output));
        assert!(fs::read(&out).unwrap() == found, "{line}");
        assert_eq!(names(&folder), ["db.fps", "out", "work"], "{line}");
    }
}

fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Whether a process handles SIGINT.
fn handles_signals(job: &Child) -> bool {
    let status = fs::read_to_string(format!("/proc/{}/status", job.id())).unwrap();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
    u64::from_str_radix(caught.trim(), 16).unwrap() & 2 != 0
}

/// Each job says that it was interrupted, and ends with status 130.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_ends_every_job() {
    let folder = folder("signals");
    let input = folder.join("input");
    pipe(&input);
    let input = input.display();
    let index = format!("index --out {}", folder.join("x.hlfp").display());
    let of_rows = ["search --tanimoto 0.9 -", &index, "matrix --tanimoto 0.9", "cluster --tanimoto 0.9"];
    let mut jobs = of_rows.map(|job| format!("fingerprints {job} {input}")).to_vec();
    jobs.extend(["correlation", "ising", "hardround verify"].map(|job| format!("{job} {input}")));
    jobs.extend([format!("{WHOLE} --within 0x1p-30 --threads 1"), "bench".into(), "ladder".into()]);
    for line in jobs {
        let mut starting = command(&words(&line));
        let starting = starting.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut job = starting.spawn().unwrap();
        while !handles_signals(&job) {
            assert!(job.try_wait().unwrap().is_none(), "{line}");
            sleep(Duration::from_millis(1));
        }
        // Held, as a job that reads to the end of standard input may end before it sees the signal.
        let _stdin = job.stdin.take();
        let said = interrupted(job, "-INT");
        assert!(said.ends_with("hotloops: interrupted\n"), "{line}: {said}");
        assert_eq!(names(&folder), ["input"], "{line}");
    }
}

/// Of two appends at once, the second one is refused, and nothing is lost.
#[test]
fn an_output_has_one_writer() {
    let folder = folder("appends");
    let place = folder.display();
    let (first, second, third) = (folder.join("first"), folder.join("second.fps"), folder.join("db.fps"));
    fps(&third, 300);
    fps(&second, 20);
    let index = format!("fingerprints index --out {place}/db.hlfp");
    let succeeds = |line: &str| {
        let output = run(&words(line));
        assert!(output.status.success(), "{line}: {}", stderr(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    succeeds(&format!("{index} {place}/db.fps"));
    pipe(&first);
    let append = |file: &str| format!("{index} --append {place}/{file}");
    let matrix = format!("fingerprints matrix --tanimoto 0.9 {place}/first --out {place}/x.tsv");
    let picture = format!("fingerprints matrix --tanimoto 0.9 {place}/second.fps --out {place}/x.tsv");
    for (slow, quick) in [(append("first"), append("second.fps")), (matrix, picture)] {
        let job = command(&words(&slow)).stderr(Stdio::piped()).spawn().unwrap();
        // The job has opened its output when it opens the pipe.
        let mut feed = File::options().write(true).open(&first).unwrap();
        let refused = run(&words(&quick));
        assert_eq!(refused.status.code(), Some(1), "{refused:?}");
        assert!(stderr(&refused).contains(": another process of this command writes it; wait "), "{refused:?}");
        std::io::copy(&mut File::open(&third).unwrap(), &mut feed).unwrap();
        drop(feed);
        let output = job.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        succeeds(&quick);
    }
    let verified = succeeds(&format!("fingerprints verify {place}/db.hlfp"));
    assert!(verified.starts_with("no fault: 620 fingerprints"), "{verified}");
    assert_eq!(names(&folder), ["db.fps", "db.hlfp", "first", "second.fps", "x.tsv"]);
}

/// A killed command leaves its draft, and the next one removes it.
#[test]
fn drafts_of_a_kill_are_removed() {
    let folder = folder("kill_draft");
    let place = folder.display();
    pipe(&folder.join("first"));
    fps(&folder.join("db.fps"), 100);
    let line = |input: &str| format!("fingerprints index {place}/{input} --out {place}/x.hlfp");
    for signal in ["-KILL", "-TERM"] {
        let mut job = command(&words(&line("first"))).stderr(Stdio::piped()).spawn().unwrap();
        let feed = File::options().write(true).open(folder.join("first")).unwrap();
        assert_eq!(names(&folder).len(), 3);
        fs::write(folder.join(".x.hlfp.hotloops-draft"), "half").unwrap();
        match signal {
            "-KILL" => {
                job.kill().unwrap();
                job.wait().unwrap();
                assert_eq!(names(&folder).len(), 4);
            }
            _ => {
                fs::remove_file(folder.join(".x.hlfp.hotloops-draft")).unwrap();
                assert_eq!(interrupted(job, signal), "hotloops: interrupted\n");
                assert_eq!(names(&folder), ["db.fps", "first"]);
            }
        }
        drop(feed);
        assert!(run(&words(&line("db.fps"))).status.success());
        assert_eq!(names(&folder), ["db.fps", "first", "x.hlfp"]);
        fs::remove_file(folder.join("x.hlfp")).unwrap();
    }
}
