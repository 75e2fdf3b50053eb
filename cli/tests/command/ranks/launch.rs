//! How ranks start: what they check, what they report once, and jobs that they do not share.

use std::collections::BTreeSet;
use std::fs;

use super::{index, is_the_same_by, mpirun};
use crate::hardround::{PIECE, printed, success};
use crate::support::{command, folder, shipped, stderr, words};

/// A failure that all ranks meet is reported once, by rank 0.
#[test]
fn a_wrong_argument_is_reported_once() {
    let Some(mut command) = mpirun(3, "fingerprints search - /nowhere/db.fps") else { return };
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert_eq!(stderr(&output).matches("cannot share standard input").count(), 1, "{}", stderr(&output));
    for (line, status, why) in [
        ("fingerprints pick /nowhere/db.fps --count 2", 3, "hotloops: /nowhere/db.fps: "),
        ("fingerprints verify /nowhere/db.hlfp", 3, "hotloops: /nowhere/db.hlfp: "),
        ("correlation --nothing", 2, "error: unexpected argument"),
        ("hardround nothing", 2, "\ncommands: search merge"),
        ("", 2, "Usage: hotloops <COMMAND>"),
    ] {
        let output = mpirun(2, line).unwrap().output().unwrap();
        assert_eq!(output.status.code(), Some(status), "{line}: {}", stderr(&output));
        assert_eq!(stderr(&output).matches(why).count(), 1, "{line}: {}", stderr(&output));
    }
    let output = mpirun(2, "list").unwrap().env("HOTLOOPS_ISA", "nothing").output().unwrap();
    assert_eq!(stderr(&output).matches("HOTLOOPS_ISA=nothing: ").count(), 1, "{}", stderr(&output));
}

/// Rank 0 alone does a job that ranks do not share.
#[test]
fn rank_0_does_what_is_not_shared() {
    let folder = folder("ranks_alone");
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data");
    let db = index(&folder, &[40, 3]);
    let part = folder.join("part.tsv");
    fs::write(&part, printed(PIECE)).unwrap();
    let (part, manual) = (part.display(), folder.join("manual"));
    let index = format!("fingerprints index {data}/targets.fps");
    for line in [
        "--version",
        "list",
        "list --format json",
        "completions bash",
        &format!("{index} --out OUT"),
        &format!("fingerprints verify {db}"),
        &format!("fingerprints pick {db} --count 5 --out OUT"),
        &format!("hardround merge {part} --out OUT"),
        &format!("hardround verify {part}"),
    ] {
        is_the_same_by(&folder, line, "", &[(1, ""), (2, ""), (3, "")]);
    }
    // Standard output is a terminal of mpirun, whose width may be another one.
    for line in ["--help", "correlation --help", "help ising"] {
        let Some(mut command) = mpirun(2, line) else { return };
        assert_eq!(success(&command.output().unwrap()).matches("Usage:").count(), 1, "{line}");
    }
    // Two ranks would append twice.
    let (one, two) = (folder.join("one.hlfp"), folder.join("two.hlfp"));
    for (path, ranks) in [(&one, 1), (&two, 2)] {
        for append in ["", " --append"] {
            let line = format!("{index} --out {}{append}", path.display());
            let Some(mut command) = mpirun(ranks, &line) else { return };
            assert_eq!(success(&command.output().unwrap()), "");
        }
    }
    assert!(fs::read(one).unwrap() == fs::read(two).unwrap());
    let Some(mut command) = mpirun(2, &format!("man {}", manual.display())) else { return };
    assert_eq!(success(&command.output().unwrap()), "");
    assert!(manual.join("hotloops-correlation.1").exists());
}

/// Processes that another MPI or Slurm without MPI has started would all do the same job.
#[test]
fn processes_without_connection_are_refused() {
    for (name, size, status) in
        [("PMI_SIZE", "3", 1), ("SLURM_STEP_NUM_TASKS", "3", 1), ("SLURM_STEP_NUM_TASKS", "1", 0)]
    {
        let output = command(&["list"]).env(name, size).output().unwrap();
        assert_eq!(output.status.code(), Some(status), "{name}: {}", stderr(&output));
        assert_eq!(stderr(&output).contains("3 processes were started, but MPI does not connect them"), status == 1);
        assert_eq!(output.stdout.is_empty(), status == 1);
    }
    // One process of mpirun among several tasks, which start mpirun on several machines.
    let Some(mut one) = mpirun(1, "list") else { return };
    success(&one.env("SLURM_STEP_NUM_TASKS", "3").output().unwrap());
}

/// Ranks of another version, and with other arguments, are named.
#[test]
fn unequal_ranks_are_named() {
    let folder = folder("ranks_versions");
    let other = folder.join("other");
    let mut program = fs::read(env!("CARGO_BIN_EXE_hotloops")).unwrap();
    let (version, changed) = (concat!("version ", env!("CARGO_PKG_VERSION"), " of hotloops"), "version 9");
    let found: Vec<usize> =
        (0..program.len() - version.len()).filter(|&at| program[at..].starts_with(version.as_bytes())).collect();
    assert!(!found.is_empty());
    found.iter().for_each(|&at| program[at..at + changed.len()].copy_from_slice(changed.as_bytes()));
    fs::write(&other, program).unwrap();
    fs::set_permissions(&other, fs::metadata(env!("CARGO_BIN_EXE_hotloops")).unwrap().permissions()).unwrap();
    let line = format!("ising {} --sweeps 10", shipped());
    let rest = &version["version 0".len()..];
    for (path, more, status, why) in [
        (other.to_str().unwrap(), "", 1, format!("rank 2 runs version 9{rest}, but rank 0 runs {version}")),
        (env!("CARGO_BIN_EXE_hotloops"), " --copies 3", 2, "rank 2 has other arguments than rank 0".to_owned()),
        (env!("CARGO_BIN_EXE_hotloops"), " --threads 2", 0, String::new()),
    ] {
        let Some(mut command) = mpirun(2, &format!("{line} --threads 1")) else { return };
        command.args([":", "-n", "1", path]).args(words(&format!("{line}{more}")));
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(status), "{}", stderr(&output));
        assert!(stderr(&output).contains(&why), "{why}: {}", stderr(&output));
    }
}

/// On one machine Open MPI opens one transport, without networks, unless the user has chosen others.
#[test]
fn ranks_of_one_machine_look_for_no_network() {
    for (chosen, expected) in [(None, "ob1"), (Some("ob1,cm"), "cm ob1")] {
        let Some(mut command) = mpirun(2, PIECE) else { return };
        command.env_remove("OMPI_MCA_pml").env("OMPI_MCA_pml_base_verbose", "10");
        command.envs(chosen.map(|transports| ("OMPI_MCA_pml", transports)));
        let output = command.output().unwrap();
        let opened = |line: &str| Some(line.split_once("components_open: found loaded component ")?.1.to_owned());
        let transports: BTreeSet<String> = stderr(&output).lines().filter_map(opened).collect();
        assert_eq!(transports.into_iter().collect::<Vec<_>>().join(" "), expected);
    }
}
