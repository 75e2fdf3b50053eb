//! The scripts of examples/slurm and examples/pbs: each makes the result of one process, also if it is submitted
//! again. `srun` and `mpirun` start one process here.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use crate::hardround::{PIECE, WHOLE, printed, success};
use crate::support::{folder, run, shipped, stderr, words};

/// A folder for scripts, with stand-ins for the launchers.
pub fn prepared(name: &str) -> PathBuf {
    let folder = folder(name);
    for launcher in ["srun", "mpirun"] {
        let path = folder.join(launcher);
        // Without the options of the launcher.
        fs::write(&path, "#!/bin/sh\nwhile [ \"${1#-}\" != \"$1\" ]; do shift; done\nexec \"$@\"\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    folder
}

/// Runs a script for a task of an array of three, with the name `job` and these options of the command.
fn submit(folder: &Path, script: &str, task: u32, options: &str) -> Output {
    submission(folder, script, task, options).output().unwrap()
}

/// [`submit`] before it runs.
fn submission(folder: &Path, script: &str, task: u32, options: &str) -> Command {
    let path = format!("{}/../examples/{script}", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(path).unwrap();
    let own = folder.join("script.sh");
    fs::write(&own, text.replace("\nparts=64\n", "\nparts=3\n")).unwrap();
    let bin = Path::new(env!("CARGO_BIN_EXE_hotloops")).parent().unwrap();
    let path = format!("{}:{}:{}", folder.display(), bin.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("bash");
    command.arg(own).env("PATH", path);
    match script.starts_with("slurm") {
        true => {
            command.env("SLURM_ARRAY_TASK_ID", task.to_string()).env("SLURM_CPUS_PER_TASK", "2").current_dir(folder);
            // This script has two steps; the second one has no options.
            let step = if options.is_empty() { "merge" } else { "part" };
            command.args((script == "slurm/hardround.sh").then_some(step)).arg("job").args(words(options))
        }
        // PBS begins in the home folder.
        false => {
            command.env("PBS_ARRAY_INDEX", task.to_string()).env("NCPUS", "2").current_dir("/");
            command.env("PBS_O_WORKDIR", folder).env("name", "job").env("options", options)
        }
    };
    command
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
        ("ising", sampling.clone(), "job.2.json", format!("ising {sampling} --seed 2 --format json")),
        ("ising_mpi", exchange.clone(), "job.json", format!("ising {exchange} --format json")),
        (
            "fingerprints_mpi",
            format!("{data}/targets.fps --tanimoto 0.5"),
            "job.tsv",
            format!("fingerprints matrix {data}/targets.fps --tanimoto 0.5"),
        ),
        ("correlation_mpi", film.clone(), "job.csv", format!("correlation {film}")),
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
            success(&submit(&folder, &format!("{system}/correlation.sh"), task, &film));
            assert_eq!(
                file(&format!("job.{task}.csv")),
                success(&run(&words(&format!("correlation {film} --frame {task}")))),
                "{system}"
            );
        }
        let parts = [1, 2, 3].map(|task| file(&format!("job.{task}.tsv")));
        let rest = |part: &String| part.split_once('\n').unwrap().1.to_owned();
        let whole = parts[0].clone() + &rest(&parts[1]) + &rest(&parts[2]);
        assert_eq!(whole, success(&run(&words(&format!("fingerprints search {data}/queries.fps {targets}")))));
    }
    let search = words(PIECE)[2..].join(" ");
    for system in ["slurm", "pbs"] {
        let folder = prepared(&format!("scripts_{system}_hardround"));
        for task in 1..=3 {
            success(&submit(&folder, &format!("{system}/hardround.sh"), task, &search));
        }
        let parts: Vec<_> = (1..=3).map(|task| folder.join(format!("job.{task}.tsv")).display().to_string()).collect();
        assert_eq!(success(&run(&words(&format!("hardround merge {}", parts.join(" "))))), printed(PIECE));
        if system == "slurm" {
            success(&submit(&folder, "slurm/hardround.sh", 1, ""));
            assert_eq!(fs::read_to_string(folder.join("job.tsv")).unwrap(), printed(PIECE));
        }
    }
}

/// When a script is killed.
enum Moment<'a> {
    /// Once this file has grown by this number of bytes, or has been replaced.
    Written(&'a str, u64),
    /// While it waits for the second half of this input.
    Reading(&'a Path),
}

/// Kills a script with all its processes.
fn kill(folder: &Path, script: &str, options: &str, moment: &Moment) {
    let is_due: Box<dyn Fn() -> bool> = match *moment {
        Moment::Written(file, bytes) => {
            let path = folder.join(file);
            let state = move || fs::metadata(&path).map_or((0, 0), |file| (file.ino(), file.len()));
            let (ino, len) = state();
            Box::new(move || {
                let now = state();
                now.1 >= len + bytes || (ino > 0 && now.0 != ino)
            })
        }
        Moment::Reading(input) => {
            let (text, path) = (fs::read(input).unwrap(), input.to_owned());
            fs::remove_file(input).unwrap();
            assert!(Command::new("mkfifo").arg(input).status().unwrap().success());
            let feeder = thread::spawn(move || {
                let mut pipe = OpenOptions::new().write(true).open(&path).unwrap();
                pipe.write_all(&text[..text.len() / 2]).unwrap();
                fs::remove_file(&path).unwrap();
                fs::write(&path, text).unwrap();
                // The reader waits for more as long as the pipe is open.
                pipe
            });
            Box::new(move || feeder.is_finished())
        }
    };
    let mut command = submission(folder, script, 2, options);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).process_group(0).spawn().unwrap();
    while !is_due() && child.try_wait().unwrap().is_none() {
        thread::sleep(Duration::from_millis(1));
    }
    let is_alive = child.try_wait().unwrap().is_none();
    assert!(is_alive || matches!(moment, Moment::Written(..)), "{script} has ended");
    if is_alive {
        Command::new("kill").args(["-9", "--", &format!("-{}", child.id())]).status().unwrap();
    }
    child.wait().unwrap();
}

/// A script that is killed twice and submitted again makes the file of one that was not.
#[test]
fn killed_scripts_continue() {
    let inputs = folder("scripts_killed");
    let film = inputs.join("film.csv");
    // More than a pipe holds.
    let point = |i: u64| format!("{},{},{}\n", 1 + i / 10_000, i * i % 9973, i * 31 % 7919);
    fs::write(&film, "frame,x,y\n".to_owned() + &(0..30_000).map(point).collect::<String>()).unwrap();
    let rows = inputs.join("rows.fps");
    let row = |i: u64| format!("{:016x}\trow {i}\n", (i * i % 11).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 1 << (i % 64));
    fs::write(&rows, (0..4000).map(row).collect::<String>()).unwrap();
    let rows = rows.display();
    let search = words(WHOLE)[2..].join(" ") + " --within 0x1p-30";
    let sampling = format!("{} --sweeps 3000 --checkpoint-seconds 0", shipped());
    let counting = format!("{} --rdf --bins 0:20:1", film.display());
    for (script, options, made, moment) in [
        ("hardround", search.clone(), "job.2.tsv", Moment::Written("job.2.checkpoint", 500)),
        ("hardround_mpi", search, "job.tsv", Moment::Written("job.checkpoint", 500)),
        ("ising", sampling.clone(), "job.2.json", Moment::Written("job.2.checkpoint", 1)),
        ("ising_mpi", sampling + " --method exchange", "job.json", Moment::Written("job.checkpoint", 1)),
        ("fingerprints", format!("{rows} {rows} --tanimoto 0"), "job.2.tsv", Moment::Written("job.2.fps", 1)),
        ("fingerprints_mpi", format!("{rows} --tanimoto 0.6"), "job.tsv", Moment::Written("job.checkpoint", 1 << 20)),
        ("correlation", counting.clone(), "job.2.csv", Moment::Reading(&film)),
        ("correlation_mpi", counting + " --average", "job.csv", Moment::Reading(&film)),
    ] {
        let mut expected = None;
        for system in ["slurm", "pbs"] {
            let path = format!("{system}/{script}.sh");
            let result = |folder: &Path| {
                success(&submit(folder, &path, 2, &options));
                fs::read(folder.join(made)).unwrap()
            };
            let expected = expected.get_or_insert_with(|| result(&prepared("scripts_not_killed")));
            let folder = prepared(&format!("scripts_killed_{system}_{script}"));
            for _ in 0..2 {
                kill(&folder, &path, &options, &moment);
            }
            for _ in 0..2 {
                assert!(result(&folder) == *expected, "{path}");
            }
        }
    }
}

#[test]
fn a_script_without_options_prints_its_use() {
    for script in
        ["ising", "ising_mpi", "fingerprints", "fingerprints_mpi", "correlation", "correlation_mpi", "hardround_mpi"]
    {
        let output = submit(&prepared("scripts_use"), &format!("slurm/{script}.sh"), 1, "");
        assert_eq!(output.status.code(), Some(2), "{script}");
        assert!(stderr(&output).contains(&format!("sbatch {script}.sh ")), "{script}: {}", stderr(&output));
    }
}
