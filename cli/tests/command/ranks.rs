//! Jobs under mpirun: the bytes of one process for any number of ranks and threads, also if a rank is killed
//! and the job continues from its checkpoint.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::hardround::{PIECE, WHOLE, printed, success};
use crate::hardround_long::{records, with_checkpoint};
use crate::support::{command, folder, run, shipped, stderr, words};

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

/// Kills a rank of a job once its checkpoint has so many bytes. The message of mpirun names the rank.
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

#[test]
fn ranks_find_hard_cases() {
    let folder = folder("ranks_hardround");
    let (path, out) = (folder.join("checkpoint"), folder.join("out.tsv"));
    let expected = printed(PIECE);
    for (ranks, more) in [(1, ""), (2, ""), (3, ""), (4, ""), (2, " --threads 2"), (3, " --modes nearest")] {
        let search = with_checkpoint(&format!("{PIECE}{more} --out {}", out.display()), &path);
        let Some(mut command) = mpirun(ranks, &search) else { return };
        let _ = fs::remove_file(&path);
        for _ in 0..2 {
            assert_eq!(success(&command.output().unwrap()), "");
            let text = fs::read_to_string(&out).unwrap();
            match more.contains("modes") {
                true => assert_eq!(text, printed(&format!("{PIECE}{more}"))),
                false => assert_eq!(text, expected, "{ranks} ranks{more}"),
            }
            fs::remove_file(&out).unwrap();
        }
        assert_eq!(records(&fs::read(&path).unwrap()).len(), 1 + 1 + 8);
    }
    let wrong = with_checkpoint(&format!("{PIECE} --out {}", out.display()), Path::new("/nowhere/checkpoint"));
    let output = mpirun(3, &wrong).unwrap().output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(stderr(&output).matches("hotloops: --checkpoint /nowhere/checkpoint").count(), 1, "{}", stderr(&output));
    assert!(!out.exists());
}

#[test]
fn a_search_for_hard_cases_survives_its_ranks() {
    let folder = folder("ranks_hardround_kill");
    let (path, out) = (folder.join("checkpoint"), folder.join("out.tsv"));
    let search = with_checkpoint(&format!("{WHOLE} --within 0x1p-30 --out {}", out.display()), &path);
    let Some(mut command) = mpirun(3, &search) else { return };
    for rank in [2, 0] {
        let before = fs::metadata(&path).map_or(0, |file| file.len());
        kill_rank(&mut command, rank, &path, before + 3000);
        assert!(records(&fs::read(&path).unwrap()).len() > 4);
    }
    assert_eq!(success(&command.output().unwrap()), "");
    assert_eq!(fs::read_to_string(&out).unwrap(), printed(&format!("{WHOLE} --within 0x1p-30")));
}

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
        ("g6 --nothing", 2, "error: unexpected argument"),
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
        "list --json",
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
    for line in ["--help", "g6 --help", "help ising"] {
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
    assert!(manual.join("hotloops-g6.1").exists());
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

/// An index file of several segments with these numbers of rows.
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

#[test]
fn ranks_find_similar_fingerprints() {
    let folder = folder("ranks_fingerprints");
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data");
    let db = index(&folder, &[900, 300, 40, 3]);
    // A file of queries with an odd number of rows.
    let queries = folder.join("rows.fps");
    // Fewer targets than ranks.
    let few = folder.join("few.fps");
    fs::write(&few, "00000000000000ff\tone\n00000000000001ff\ttwo\n").unwrap();
    for line in [
        format!("search {data}/queries.fps {data}/targets.fps --tanimoto 0.7 --top 3"),
        format!("search {data}/targets.fps {data}/targets.fps --tanimoto 0.3 --all --out OUT"),
        format!("search {} {db} --tanimoto 0.5 --top 20", queries.display()),
        format!("search {} {} --tanimoto 0 --all --verify", queries.display(), few.display()),
        format!("search {} {db} --hamming 12 --all --json", queries.display()),
        format!("matrix {db} --tanimoto 0.6 --out OUT"),
        format!("matrix {db} --tanimoto 0.9 --numbers"),
        format!("cluster {db} --tanimoto 0.7"),
        format!("cluster {data}/queries.fps --tanimoto 0.7 --out OUT"),
    ] {
        is_the_same_by_ranks(&folder, &format!("fingerprints {line}"));
    }
}

#[test]
fn a_matrix_survives_its_ranks() {
    let folder = folder("ranks_matrix");
    let db = index(&folder, &[12_000, 3000]);
    let (path, out) = (folder.join("checkpoint"), folder.join("out.tsv"));
    let job = format!("fingerprints matrix {db} --tanimoto 0.6 --out {}", out.display());
    success(&run(&words(&job)));
    let expected = fs::read(&out).unwrap();
    fs::remove_file(&out).unwrap();
    let Some(mut command) = mpirun(3, &format!("{job} --checkpoint {}", path.display())) else { return };
    for rank in [2, 0] {
        let before = fs::metadata(&path).map_or(0, |file| file.len());
        kill_rank(&mut command, rank, &path, before + (2 << 20));
    }
    success(&command.output().unwrap());
    assert!(fs::read(&out).unwrap() == expected);
}

/// A film of frames with different numbers of points, some of them without any pair.
fn film(folder: &Path, frames: u64, points: u64) -> String {
    let path = folder.join(format!("film_{frames}_{points}.csv"));
    let mut text = "frame,x,y,type\n".to_owned();
    for frame in 0..frames {
        for i in 0..points.saturating_sub(frame * frame % 7 * points / 8) {
            let [x, y] = [7919, 104_729].map(|step| (i * i * 31 + i * step + frame * 17) % 6143);
            let kind = if i % 3 == 0 { "A" } else { "B" };
            text += &format!("{frame},{}.{},{}.5,{kind}\n", x / 61, x % 61, y / 61);
        }
    }
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn ranks_count_pairs() {
    let folder = folder("ranks_g6");
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data");
    let (film, frame, large) = (film(&folder, 9, 300), film(&folder, 1, 2000), film(&folder, 1, 13_000));
    let corners = folder.join("corners.csv");
    fs::write(&corners, "x,y\n10,10\n80,15\n60,90\n").unwrap();
    let mask = corners.display();
    for line in [
        format!("{data}/polycrystal.csv --bins 0:100:2 --csv OUT"),
        format!("{data}/polycrystal.csv --rdf --svg OUT"),
        format!("{frame} --bins 0:20:0.5 --box 101,102 --neighbours 6 --fold 4,6"),
        format!("{frame} --types A,B --voronoi --psi OUT"),
        // Orientations in several parts.
        format!("{large} --neighbours 6 --fold 4,6 --bins 0:3:0.5 --psi OUT"),
        format!("{large} --radius 1.5 --bins 0:3:0.5"),
        format!("{film} --frames all --neighbours 6 --bins 0:20:1"),
        format!("{film} --average --rdf --csv OUT"),
        format!("{film} --average --radius 4 --fold 6,4 --bins 0:30:2 --mask {mask}"),
        format!("{film} --frames all --rdf --mask {mask}"),
    ] {
        is_the_same_by_ranks(&folder, &format!("g6 {line}"));
    }
}

/// Films in all formats, with lines in any order, and with faults, of which the first one is reported.
#[test]
fn ranks_read_frames() {
    let folder = folder("ranks_frames");
    let sorted = fs::read_to_string(film(&folder, 9, 200)).unwrap().replace(",type", "").replace([',', 'A', 'B'], " ");
    let sorted = sorted.replace(" \n", "\n");
    let mut mixed: Vec<&str> = sorted.lines().skip(1).collect();
    mixed.sort_by_key(|line| line.bytes().rev().collect::<Vec<_>>());
    let frames = |head: &dyn Fn(u32, usize) -> String| -> String {
        (0..9)
            .flat_map(|frame| {
                let own = |line: &&str| line.split(' ').next() == Some(&frame.to_string());
                let points: Vec<&str> = sorted.lines().skip(1).filter(own).collect();
                let lines = points.iter().map(|line| format!("A {}\n", &line[2..]));
                [head(frame, points.len())].into_iter().chain(lines).collect::<Vec<_>>()
            })
            .collect()
    };
    let xyz = frames(&|_, points| format!("{points}\nLattice=\"101 0 0 0 102 0 0 0 1\"\n")).replace(".5\n", ".5 0\n");
    let lammps = frames(&|frame, points| {
        // Two frames have the same timestep.
        let step = if frame == 7 { 300 } else { 1000 - 100 * frame };
        format!("ITEM: TIMESTEP\n{step}\nITEM: NUMBER OF ATOMS\n{points}\nITEM: ATOMS type x y\n")
    });
    let texts = [
        ("film.txt", sorted.clone()),
        ("mixed.txt", format!("frame x y\n{}\n", mixed.join("\n"))),
        ("film.xyz", xyz),
        ("film.lammps", lammps),
    ];
    for (name, text) in &texts {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        let path = path.display();
        is_the_same_by_ranks(&folder, &format!("g6 {path} --frames all --rdf --bins 0:20:1"));
        is_the_same_by_ranks(&folder, &format!("g6 {path} --average --neighbours 6 --psi OUT"));
    }
    let fault = folder.join("fault.txt");
    let line = format!("g6 {} --average --rdf --bins 0:5:1", fault.display());
    for (from, to) in [("\n7 ", "\n7 x"), ("\n4 ", "\n4 y"), ("\n3 ", "\nz 3 "), ("\n2 ", "\n2 2 ")] {
        let sorted = texts[0].1.replace("\n8 ", "\n8 w");
        fs::write(&fault, sorted.replacen(from, to, 3)).unwrap();
        let one = run(&words(&line));
        let why = stderr(&one);
        assert!(one.status.code() == Some(3) && why.contains("line "), "{why}");
        for ranks in 2..5 {
            let Some(mut command) = mpirun(ranks, &line) else { return };
            let output = command.output().unwrap();
            assert_eq!(
                (output.status.code(), stderr(&output).matches(why.trim()).count()),
                (Some(3), 1),
                "{ranks}: {why}"
            );
            assert_eq!(stderr(&output).matches("hotloops: ").count(), 1, "{}", stderr(&output));
        }
    }
}

/// A fault late in an input: ranks and threads end with the message and the status of one process, and leave
/// an older output file as it was.
#[test]
fn a_late_fault_ends_all_ranks() {
    let folder = folder("ranks_late_fault");
    let (input, out) = (folder.join("input"), folder.join("out"));
    let film = |frames: u64, late: &str| -> String {
        let line = |frame: u64, i: u64| format!("{frame},{}.5,{}\n", (i * 7 + frame) % 50, (i * 13 + frame) % 47);
        let points = (0..frames * 40).map(|i| match i % 40 == 7 && i / 40 == frames - 2 {
            true => late.to_owned(),
            false => line(i / 40, i % 40),
        });
        "frame,x,y\n".to_owned() + &points.collect::<String>()
    };
    let rows = |late: &str| "00000000000000ff\tone\n".repeat(3000) + late;
    let couplings = |late: &str| (0..3000).map(|i| format!("{i} {} 1\n", i + 1)).collect::<String>() + late;
    let g6 = "g6 INPUT --bins 0:20:1";
    for (text, lines, why) in [
        (
            film(40, "38,4x,5\n"),
            vec![format!("{g6} --rdf --frames all --csv OUT"), format!("{g6} --average --neighbours 6 --psi OUT")],
            "line 1529: frame 38: x = `4x` is not a finite number",
        ),
        (film(3, "1,4,y\n"), vec![format!("{g6} --rdf --average --csv OUT")], "line 49: frame 1: y = `y`"),
        (
            film(40, "38,1e301,5\n"),
            vec![format!("{g6} --frames all --neighbours 6 --csv OUT")],
            "line 1529: frame 38: x = 1e301 is too far",
        ),
        (film(40, "0.5,4,5\n"), vec![format!("{g6} --rdf --frames all --csv OUT")], "line 1529: frame = `0.5`"),
        (
            rows("000000000000zz\ttwo\n"),
            ["search INPUT INPUT", "matrix INPUT", "cluster INPUT"]
                .map(|job| format!("fingerprints {job} --tanimoto 0.5 --out OUT"))
                .to_vec(),
            "line 3001: ",
        ),
        (couplings("7 8 1x\n"), vec!["ising INPUT --sweeps 10 --samples OUT".to_owned()], "line 3001: "),
    ] {
        fs::write(&input, text).unwrap();
        for line in lines {
            fs::write(&out, "old").unwrap();
            let line = line.replace("INPUT", input.to_str().unwrap()).replace("OUT", out.to_str().unwrap());
            let check = |output: Output, ranks: usize| -> String {
                let said: Vec<String> =
                    stderr(&output).lines().filter(|line| line.starts_with("hotloops: ")).map(str::to_owned).collect();
                assert_eq!((output.status.code(), said.len()), (Some(3), 1), "{ranks} ranks, {line}: {said:?}");
                assert!(said[0].contains(why), "{ranks} ranks, {line}: {said:?}");
                assert!(output.stdout.is_empty(), "{ranks} ranks, {line}");
                let names: BTreeSet<_> = fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name()).collect();
                assert_eq!(names, BTreeSet::from(["input", "out"].map(Into::into)), "{ranks} ranks, {line}");
                assert_eq!(fs::read_to_string(&out).unwrap(), "old");
                said[0].clone()
            };
            let expected = check(run(&words(&format!("{line} --threads 1"))), 1);
            assert_eq!(check(run(&words(&format!("{line} --threads 3"))), 1), expected);
            for ranks in 2..5 {
                let Some(mut command) = mpirun(ranks, &line) else { return };
                assert_eq!(check(command.output().unwrap(), ranks), expected);
            }
        }
    }
}

#[test]
fn ranks_sample_ising_problems() {
    let folder = folder("ranks_ising");
    let model = shipped();
    for line in [
        "--sweeps 300 --json --samples OUT",
        "--sweeps 100 --runs 3 --copies 1 --kind single --every 7 --csv OUT --json",
        "--sweeps 60 --slices 8 --beta 4 --gamma-max 3 --gamma 0.1 --runs 5 --json",
        "--sweeps 2000 --target -94 --every 3 --json --samples OUT",
        "--method exchange --sweeps 160 --every 2 --json --samples OUT",
        "--method exchange --sweeps 60 --replicas 5 --copies 40 --observables --json --rungs OUT",
        "--method exchange --sweeps 60 --replicas 7 --copies 3 --spacing geometric --json --csv OUT",
        "--method exchange --sweeps 40 --slices 8 --beta 4 --ladder 0.2,0.5,1,2 --json --samples OUT",
        "--method exchange --sweeps 40 --ladder 1 --json --spins OUT",
    ] {
        is_the_same_by_ranks(&folder, &format!("ising {model} {line}"));
    }
    let output = mpirun(2, &format!("ising {model} --time 1s"));
    let Some(mut command) = output else { return };
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert_eq!(stderr(&output).matches("--time: the ranks of mpirun").count(), 1, "{}", stderr(&output));
}

/// Open MPI counts the messages. An anneal sends rank 0 the arguments, the records and the state of the models.
#[test]
fn ranks_of_an_anneal_meet_at_its_end() {
    for sweeps in [10, 5000] {
        let Some(mut command) = mpirun(2, &format!("ising {} --sweeps {sweeps}", shipped())) else { return };
        command.env("OMPI_MCA_pml", "ob1,monitoring");
        command.env("OMPI_MCA_pml_monitoring_enable", "1").env("OMPI_MCA_pml_monitoring_enable_output", "2");
        let output = command.output().unwrap();
        let counted = stderr(&output);
        let to_leader = counted.lines().find_map(|line| line.strip_prefix("E\t1\t0\t"));
        assert!(to_leader.is_some_and(|count| count.contains("\t3 msgs sent")), "{sweeps}: {counted}");
    }
}

/// A target that another rank has reached before.
#[test]
fn a_reached_target_stays_reached() {
    let folder = folder("ranks_ising_target");
    let path = folder.join("checkpoint");
    let job = format!(
        "ising {} --sweeps 2000 --every 3 --runs 4 --copies 8 --target -94.5 --seed 4 --json --checkpoint {}",
        shipped(),
        path.display()
    );
    let lines = |output: Output| -> Vec<String> {
        success(&output).lines().filter(|line| !line.contains("\"seconds\"")).map(str::to_owned).collect()
    };
    let expected = lines(run(&words(&job)));
    let Some(mut command) = mpirun(4, &format!("{job} --resume {}", path.display())) else { return };
    assert_eq!(lines(command.output().unwrap()), expected);
}

#[test]
fn samples_survive_their_ranks() {
    let folder = folder("ranks_ising_kill");
    for (method, sweeps) in [("anneal", 6000), ("exchange", 2000)] {
        let (path, out) = (folder.join(format!("{method}.checkpoint")), folder.join("samples"));
        let job = format!("ising {} --method {method} --sweeps {sweeps} --json --samples {}", shipped(), out.display());
        let expected = (success(&run(&words(&job))), fs::read(&out).unwrap());
        let saving = format!("{job} --checkpoint {} --checkpoint-seconds 0", path.display());
        for rank in [2, 0] {
            let resume = if path.exists() { format!(" --resume {}", path.display()) } else { String::new() };
            let Some(mut command) = mpirun(3, &format!("{saving}{resume}")) else { return };
            kill_rank(&mut command, rank, &path, 1);
        }
        // Any number of ranks continues.
        let resumed = format!("{saving} --resume {}", path.display());
        let found = success(&mpirun(2, &resumed).unwrap().output().unwrap());
        assert!((found, fs::read(&out).unwrap()) == expected, "{method}");
    }
}
