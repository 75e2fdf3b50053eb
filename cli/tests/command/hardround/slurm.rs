//! The job script of Slurm: an array of parts, and a job that is submitted again.

use std::fs;
use std::path::Path;

use super::checkpoints::records;
use super::{PIECE, printed, success, written};
use crate::support::{folder, stderr, words};

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
