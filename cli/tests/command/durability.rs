//! Files survive a power failure: checks the order in which the command writes, synchronises and
//! renames them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{command, folder, shipped, stderr};

/// The shim that records calls, compiled.
fn shim(folder: &Path) -> PathBuf {
    let shim = folder.join("trace.so");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/command/trace.c");
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&shim).arg(source).arg("-ldl");
    assert!(compiler.status().unwrap().success());
    // LD_PRELOAD separates names at spaces, so use a relative path, which has none.
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    shim.strip_prefix(workspace).map(|inside| Path::new("..").join(inside)).unwrap_or(shim)
}

/// The calls of a command, in order, on files of the folder `out`, which must be empty.
fn trace(folder: &Path, shim: &Path, words: &[&str]) -> Vec<Vec<String>> {
    let trace = folder.join("trace");
    let _ = fs::remove_file(&trace);
    let mut command = command(words);
    let output = command.env("LD_PRELOAD", shim).env("TRACE", &trace).env("TRACE_FOLDER", folder.join("out")).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let text = fs::read_to_string(&trace).unwrap();
    text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

/// Checks that everything a trace writes survives a power failure after it, and that at any time
/// each file is old or new. The first record appended to a file in `appended` must wait until the
/// header, or the removal of a truncated record, and the file's name are safe; other records are
/// synchronised in groups.
fn is_durable(trace: &[Vec<String>], appended: &[&str]) -> Result<(), String> {
    let folder = |path: &str| Path::new(path).parent().unwrap().to_str().unwrap().to_owned();
    // Files whose content may be lost, and files whose names may be lost.
    let (mut contents, mut names) = (BTreeSet::new(), BTreeSet::new());
    let (mut writes, mut renamed) = (BTreeMap::new(), None);
    for call in trace {
        let path = call[1].clone();
        if let Some(name) = renamed.take()
            && (call[0] != "sync" || folder(name) != path)
        {
            return Err(format!("{name}: is renamed, and its folder not synchronised at once"));
        }
        match call[0].as_str() {
            "create" => drop(names.insert(path)),
            "write" => {
                let is_lost = !contents.insert(path.clone()) || names.contains(&path);
                let count: &mut usize = writes.entry(path.clone()).or_default();
                *count += 1;
                if appended.contains(&path.as_str()) && *count == 2 && is_lost {
                    return Err(format!("{path}: a record is written before the header or the file's name is safe"));
                }
            }
            "sync" => {
                contents.remove(&path);
                names.retain(|name| folder(name) != path);
            }
            "unlink" => {
                contents.remove(&path);
                names.remove(&path);
            }
            "rename" if contents.contains(&path) => {
                return Err(format!("{path}: is renamed before it is synchronised"));
            }
            "rename" => {
                names.remove(&path);
                names.insert(call[2].clone());
                renamed = Some(&call[2]);
            }
            other => return Err(format!("{other}: is no call")),
        }
    }
    match contents.into_iter().next().map(|path| path + ": is not synchronised") {
        Some(content) => Err(content),
        None => names.into_iter().next().map_or(Ok(()), |name| Err(name + ": its folder is not synchronised")),
    }
}

#[test]
fn files_are_synchronised_before_they_are_renamed_and_folders_after() {
    let folder = folder("durability");
    let shim = shim(&folder);
    let out = folder.join("out");
    fs::create_dir(&out).unwrap();
    let path = |name: &str| out.join(name).to_str().unwrap().to_owned();
    let (checkpoint, table, state) = (path("checkpoint"), path("cases.tsv"), path("run.checkpoint"));
    let check = |words: &[&str], syncs: usize, renames: usize| {
        let trace = trace(&folder, &shim, words);
        let count = |event: &str| trace.iter().filter(|call| call[0] == event).count();
        assert!(count("sync") >= syncs && count("rename") >= renames, "{words:?}: {trace:?}");
        assert_eq!(is_durable(&trace, &[&checkpoint]), Ok(()), "{words:?}: {trace:?}");
        // Omitting any one of these calls must be detected, except between the checkpoint's first
        // and last: they depend on the clock.
        let of_checkpoint = |call: &Vec<String>| call[0] == "sync" && call[1] == checkpoint;
        let first = trace.iter().position(of_checkpoint);
        let last = trace.iter().rposition(of_checkpoint);
        let by_clock = |at: usize| of_checkpoint(&trace[at]) && Some(at) != first && Some(at) != last;
        for at in (0..trace.len()).filter(|&at| trace[at][0] == "sync" && !by_clock(at)) {
            let mut without = trace.clone();
            without.remove(at);
            assert!(is_durable(&without, &[&checkpoint]).is_err(), "{words:?}, without call {at}: {trace:?}");
        }
    };
    let search = "hardround search --func exp --from 0x1p0 --to 0x1.0001p0 --bits 32 --threads 1";
    let search: Vec<&str> = search.split(' ').chain(["--checkpoint", &checkpoint, "--out", &table]).collect();
    // The header and its folder, the units, the table and its folder.
    check(&search, 5, 1);
    check(&search, 2, 1);
    let bytes = fs::read(&checkpoint).unwrap();
    fs::write(&checkpoint, &bytes[..bytes.len() - 1]).unwrap();
    check(&search, 4, 1);
    let merged = path("merged.tsv");
    check(&["hardround", "merge", &table, "--out", &merged], 2, 1);
    let run = ["ising", shipped(), "--sweeps", "20", "--checkpoint", &state, "--checkpoint-seconds", "0"];
    check(&run, 4, 2);
    assert_eq!(fs::read_dir(&out).unwrap().count(), 4);
}
