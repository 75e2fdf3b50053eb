//! Limits and rights that the system sets: modes of files, sizes of files, raised privileges.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{command, folder, run, shipped, stderr, words};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn a_replaced_file_keeps_its_mode() {
    let folder = folder("modes");
    let place = folder.display();
    let queries = Path::new(shipped()).with_file_name("queries.fps");
    let queries = queries.display();
    for (line, name) in [
        (format!("ising {} --sweeps 10 --series {place}/csv", shipped()), "csv"),
        (format!("ising {} --sweeps 10 --checkpoint {place}/work", shipped()), "work"),
        (format!("fingerprints index {queries} --out {place}/db.hlfp"), "db.hlfp"),
        (format!("fingerprints index {queries} --append --out {place}/db.hlfp"), "db.hlfp"),
        (format!("hardround search --func exp --from 1 --to 0x1.000001p+0 --bits 20 --out {place}/tsv"), "tsv"),
    ] {
        let path = folder.join(name);
        let new = !path.exists();
        assert!(run(&words(&line)).status.success(), "{line}");
        if new {
            assert_eq!(mode(&path), mode(&written(&folder.join("usual"))), "{line}");
        }
        for expected in [0o600, 0o664, 0o444] {
            fs::set_permissions(&path, fs::Permissions::from_mode(expected)).unwrap();
            assert!(run(&words(&line)).status.success(), "{line}");
            assert_eq!(mode(&path), expected, "{line}");
        }
    }
}

fn written(path: &Path) -> std::path::PathBuf {
    File::create(path).unwrap().write_all(b"x").unwrap();
    path.to_owned()
}

/// Files that become too large are a failure with a message; the checkpoint keeps its whole records.
#[test]
fn the_limit_of_file_sizes_is_a_failure() {
    let folder = folder("file_sizes");
    let place = folder.display();
    let points = Path::new(shipped()).with_file_name("polycrystal.csv");
    let targets = Path::new(shipped()).with_file_name("targets.fps");
    let matrix = format!("fingerprints matrix {} --tanimoto 0", targets.display());
    for line in [
        format!("{matrix} --out {place}/x"),
        format!("{matrix} --out {place}/x --checkpoint {place}/work"),
        format!("{matrix} --numbers > {place}/x"),
        format!("fingerprints index {} --out {place}/x", targets.display()),
        format!("correlation {} --bins 0:50:0.001 --out {place}/x", points.display()),
        format!("ising {} --sweeps 2000 --every 1 --series {place}/x", shipped()),
        format!("ising {} --sweeps 2000 --every 1 --checkpoint {place}/x", shipped()),
        format!("hardround search --func exp --from 1 --to 0x1.00001p+0 --bits 16 --checkpoint {place}/x"),
    ] {
        let script = format!("ulimit -f 4; exec '{}' {line}", env!("CARGO_BIN_EXE_hotloops"));
        let output = Command::new("bash").args(["-c", &script]).stdout(Stdio::null()).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{line}: {output:?}");
        assert!(stderr(&output).contains("File too large"), "{line}: {}", stderr(&output));
        let _ = fs::remove_file(folder.join("x"));
        let left: Vec<_> = fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name()).collect();
        assert!(left.iter().all(|name| name == "work"), "{line}: {left:?}");
    }
    let continued = run(&words(&format!("{matrix} --checkpoint {place}/work")));
    assert!(continued.status.success() && continued.stdout == run(&words(&matrix)).stdout);
}

/// A mapped index that another program truncates ends a search with a message.
#[test]
fn a_truncated_index_is_a_failure() {
    let folder = folder("truncated_index");
    let index = folder.join("db.hlfp");
    let line = |i: u64| format!("{:016x}\trow {i}\n", i.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let text: String = (0..60_000).map(line).collect();
    fs::write(folder.join("db.fps"), &text).unwrap();
    let [db, at] = [folder.join("db.fps"), index.clone()].map(|path| path.to_str().unwrap().to_owned());
    assert!(run(&["fingerprints", "index", &db, "--out", &at]).status.success());
    let out = folder.join("out");
    let out = out.to_str().unwrap();
    for threads in ["1", "3"] {
        let bytes = fs::read(&index).unwrap();
        let words = ["fingerprints", "pick", "--count", "50000", &at, "--out", out, "--threads", threads];
        let job = command(&words).stderr(Stdio::piped()).spawn().unwrap();
        // The job maps its index before long, and picks for seconds.
        let maps = format!("/proc/{}/maps", job.id());
        let is_mapped = || {
            let mut text = String::new();
            File::open(&maps).and_then(|mut file| file.read_to_string(&mut text)).is_ok() && text.contains("db.hlfp")
        };
        while !is_mapped() {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        File::options().write(true).open(&index).unwrap().set_len(4096).unwrap();
        let output = job.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let said = stderr(&output);
        assert!(said.contains("db.hlfp: was truncated by another program"), "{said}");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2, "no draft is left");
        fs::write(&index, bytes).unwrap();
    }
}

/// A command with raised privileges ignores HOTLOOPS_ISA, also a wrong value.
#[test]
fn a_setuid_command_ignores_the_environment() {
    let program = folder("setuid").join("hotloops");
    fs::copy(env!("CARGO_BIN_EXE_hotloops"), &program).unwrap();
    if chown(&program, Some(65534), None).is_err() {
        return println!("not tested: changing the owner of a program needs root");
    }
    fs::set_permissions(&program, fs::Permissions::from_mode(0o4755)).unwrap();
    let says = |word: Option<&str>| {
        let mut command = Command::new(&program);
        command.arg("list").env_remove("HOTLOOPS_ISA");
        word.map(|word| command.env("HOTLOOPS_ISA", word));
        command.output().unwrap()
    };
    let usual = command(&["list"]).env("HOTLOOPS_ISA", "avx1024").output().unwrap();
    assert_eq!(usual.status.code(), Some(2));
    let chosen = says(None);
    if says(Some("avx1024")).status.code() == Some(2) && !is_obeyed(&program) {
        return println!("not tested: this machine ignores the setuid bit");
    }
    for word in ["scalar", "avx1024", ""] {
        let output = says(Some(word));
        assert!(output.status.success() && output.stdout == chosen.stdout, "{word}: {}", stderr(&output));
    }
}

/// Whether a program of another user runs with the rights of that user.
fn is_obeyed(program: &Path) -> bool {
    let id = program.with_file_name("id");
    fs::copy("/usr/bin/id", &id).unwrap();
    chown(&id, Some(65534), None).unwrap();
    fs::set_permissions(&id, fs::Permissions::from_mode(0o4755)).unwrap();
    let output = Command::new(&id).arg("-u").output().unwrap();
    output.stdout == b"65534\n"
}
