//! The scripts of examples/slurm and examples/pbs: each makes the result of one process, also if it is submitted
//! again. `srun` and `mpirun` start one process here.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::hardround::{PIECE, printed, success};
use crate::support::{folder, run, shipped, stderr, words};

/// A folder for scripts, with stand-ins for the launchers.
fn prepared(name: &str) -> PathBuf {
    let folder = folder(name);
    for launcher in ["srun", "mpirun"] {
        let path = folder.join(launcher);
        fs::write(&path, "#!/bin/sh\nexec \"$@\"\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    folder
}

/// Runs a script for a task of an array of three, with the name `job` and these options of the command.
fn submit(folder: &Path, script: &str, task: u32, options: &str) -> Output {
    let path = format!("{}/../examples/{script}", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(path).unwrap();
    let own = folder.join("script.sh");
    fs::write(&own, text.replace("\nparts=64\n", "\nparts=3\n")).unwrap();
    let bin = Path::new(env!("CARGO_BIN_EXE_hotloops")).parent().unwrap();
    let path = format!("{}:{}:{}", folder.display(), bin.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("bash");
    command.arg(own).current_dir(folder).env("PATH", path);
    match script.starts_with("slurm") {
        true => command.env("SLURM_ARRAY_TASK_ID", task.to_string()).arg("job").args(words(options)),
        false => command.env("PBS_ARRAY_INDEX", task.to_string()).env("name", "job").env("options", options),
    };
    command.output().unwrap()
}

/// The job of each script: the options, the file that it makes, and the command of one process.
fn jobs() -> Vec<(&'static str, String, &'static str, String)> {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data");
    let search = words(PIECE)[2..].join(" ");
    let sampling = format!("{} --sweeps 50", shipped());
    let exchange = format!("{sampling} --method exchange");
    let film = format!("{data}/polycrystal.csv --bins 0:50:5");
    vec![
        ("hardround_mpi", search.clone(), "job.tsv", PIECE.to_owned()),
        ("ising", sampling.clone(), "job.2.json", format!("ising {sampling} --seed 2 --json")),
        ("ising_mpi", exchange.clone(), "job.json", format!("ising {exchange} --json")),
        (
            "fingerprints_mpi",
            format!("{data}/targets.fps --tanimoto 0.5"),
            "job.tsv",
            format!("fingerprints matrix {data}/targets.fps --tanimoto 0.5"),
        ),
        ("g6_mpi", film.clone(), "job.csv", format!("g6 {film}")),
    ]
}

#[test]
fn scripts_make_what_one_process_makes() {
    for system in ["slurm", "pbs"] {
        for (script, options, file, line) in jobs() {
            let folder = prepared(&format!("scripts_{system}_{script}"));
            let expected = success(&run(&words(&line)));
            for time in 0..2 {
                success(&submit(&folder, &format!("{system}/{script}.sh"), 2, &options));
                let found = fs::read_to_string(folder.join(file)).unwrap();
                assert!(found == expected, "{system} {script}, time {time}");
            }
            // The state of a job that was stopped before it wrote its result.
            fs::remove_file(folder.join(file)).unwrap();
            success(&submit(&folder, &format!("{system}/{script}.sh"), 2, &options));
            assert!(fs::read_to_string(folder.join(file)).unwrap() == expected, "{system} {script}");
        }
    }
}

#[test]
fn parts_of_an_array_make_the_whole() {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data");
    for system in ["slurm", "pbs"] {
        let folder = prepared(&format!("scripts_{system}_parts"));
        let file = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
        // More parts than the lines of some of them.
        let targets = format!("{data}/targets.fps --tanimoto 0.5");
        let film = folder.join("film.csv");
        fs::write(&film, "frame,x,y\n1,0,0\n1,3,4\n2,1,1\n3,5,5\n3,5,6\n3,6,6\n").unwrap();
        let film = format!("{} --bins 0:8:1 --rdf --box 20,20", film.display());
        for task in 1..=3 {
            let queries = format!("{data}/queries.fps {targets}");
            success(&submit(&folder, &format!("{system}/fingerprints.sh"), task, &queries));
            success(&submit(&folder, &format!("{system}/g6.sh"), task, &film));
            assert_eq!(
                file(&format!("job.{task}.csv")),
                success(&run(&words(&format!("g6 {film} --frame {task}")))),
                "{system}"
            );
        }
        let parts = [1, 2, 3].map(|task| file(&format!("job.{task}.tsv")));
        let rest = |part: &String| part.split_once('\n').unwrap().1.to_owned();
        let whole = parts[0].clone() + &rest(&parts[1]) + &rest(&parts[2]);
        assert_eq!(whole, success(&run(&words(&format!("fingerprints search {data}/queries.fps {targets}")))));
    }
    let folder = prepared("scripts_pbs_hardround");
    let search = words(PIECE)[2..].join(" ");
    for task in 1..=3 {
        success(&submit(&folder, "pbs/hardround.sh", task, &search));
    }
    let parts: Vec<_> = (1..=3).map(|task| folder.join(format!("job.{task}.tsv")).display().to_string()).collect();
    assert_eq!(success(&run(&words(&format!("hardround merge {}", parts.join(" "))))), printed(PIECE));
}

#[test]
fn a_script_without_options_prints_its_use() {
    for script in ["ising", "ising_mpi", "fingerprints", "fingerprints_mpi", "g6", "g6_mpi", "hardround_mpi"] {
        let output = submit(&prepared("scripts_use"), &format!("slurm/{script}.sh"), 1, "");
        assert_eq!(output.status.code(), Some(2), "{script}");
        assert!(stderr(&output).contains(&format!("sbatch {script}.sh ")), "{script}: {}", stderr(&output));
    }
}
