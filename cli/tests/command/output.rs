//! Destinations of output: regular files, links, devices, pipes, descriptors, also full ones.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::{FileTypeExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::{command, folder, refused, run, shipped, stderr};

fn search() -> [String; 4] {
    let [queries, targets] = ["queries.fps", "targets.fps"].map(|name| Path::new(shipped()).with_file_name(name));
    ["fingerprints".into(), "search".into(), queries.to_str().unwrap().into(), targets.to_str().unwrap().into()]
}

/// Runs a shell script in this folder. In it, `search` is a search that prints `expected()`.
fn shell(folder: &Path, script: &str) -> std::process::Output {
    let search = search().map(|word| format!("'{word}'")).join(" ");
    let define = format!("search() {{ '{}' {search} \"$@\"; }}\n", env!("CARGO_BIN_EXE_hotloops"));
    Command::new("sh").args(["-c", &(define + script)]).current_dir(folder).output().unwrap()
}

fn expected() -> Vec<u8> {
    run(&search().each_ref().map(String::as_str)).stdout
}

fn with_out(path: &Path) -> std::process::Output {
    let search = search();
    run(&[&search.each_ref().map(String::as_str)[..], &["--out", path.to_str().unwrap()]].concat())
}

fn is_written(path: &Path) {
    let output = with_out(path);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    assert!(output.stdout.is_empty());
}

#[test]
fn a_device_is_written_to_and_stays() {
    is_written(Path::new("/dev/null"));
    assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    let checkpoint = run(&["ising", shipped(), "--sweeps", "20", "--checkpoint", "/dev/null"]);
    assert!(checkpoint.status.success(), "{}", stderr(&checkpoint));
}

#[test]
fn a_named_pipe_is_written_to() {
    let pipe = folder("named_pipe").join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = {
        let pipe = pipe.clone();
        std::thread::spawn(move || fs::read(pipe).unwrap())
    };
    is_written(&pipe);
    assert!(reader.join().unwrap() == expected());
    assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());

    // A closed pipe is not a failure.
    let reader = {
        let pipe = pipe.clone();
        std::thread::spawn(move || fs::File::open(pipe).unwrap().read(&mut [0; 8]).unwrap())
    };
    is_written(&pipe);
    assert!(reader.join().unwrap() > 0);
}

#[test]
fn descriptors_keep_their_position_and_mode() {
    let folder = folder("descriptors");
    let expected = expected();
    let around = [b"before\n", &expected[..], b"after\n"].concat();
    for (script, content) in [
        ("search --out /dev/stdout > out", &expected),
        ("search --out /dev/fd/7 7> out", &expected),
        ("search --out /proc/self/fd/1 | cat > out", &expected),
        ("{ echo before; search --out /dev/stdout; echo after; } > out", &around),
        ("echo before > out; search --out /dev/stdout >> out; echo after >> out", &around),
    ] {
        let output = shell(&folder, script);
        assert!(output.status.success(), "{script}: {}", stderr(&output));
        assert!(fs::read(folder.join("out")).unwrap() == *content, "{script}");
    }
    let output = shell(&folder, "search --out /dev/fd/77");
    assert_eq!(
        stderr(&output),
        "hotloops: --out /dev/fd/77: No such file or directory (os error 2); choose another file\n"
    );
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn links_stay_and_the_files_behind_them_are_replaced() {
    let folder = folder("links");
    let (link, middle, file) = (folder.join("link"), folder.join("middle"), folder.join("file"));
    symlink("middle", &link).unwrap();
    symlink(&file, &middle).unwrap();
    // At first the last link is dangling, then it leads to a file.
    for _ in 0..2 {
        is_written(&link);
        assert!([&link, &middle].iter().all(|path| path.is_symlink()) && !file.is_symlink());
        assert!(fs::read(&file).unwrap() == expected());
        fs::write(&file, "older").unwrap();
    }
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 3, "no draft is left");
    let to = |name: &str, target: &str| -> PathBuf {
        symlink(target, folder.join(name)).unwrap();
        folder.join(name)
    };
    is_written(&to("device", "/dev/null"));
    for (path, message) in [
        (to("loop", "loop"), "is a loop of links"),
        (to("astray", "absent/file"), "No such file"),
        (folder.clone(), "is a folder"),
        (folder.join(".."), "is a folder"),
        (PathBuf::from("/"), "is a folder"),
    ] {
        let search = search();
        let words = [&search.each_ref().map(String::as_str)[..], &["--out", path.to_str().unwrap()]].concat();
        refused(&words, message);
    }
}

#[test]
fn a_full_disk_is_a_failure() {
    let output = with_out(Path::new("/dev/full"));
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(stderr(&output), "hotloops: /dev/full: No space left on device (os error 28)\n");
    let folder = folder("full");
    let record = concat!(env!("CARGO_MANIFEST_DIR"), "/../benches/record/xeon_granite_rapids.csv");
    let points = Path::new(shipped()).with_file_name("polycrystal.csv");
    let binary = concat!("'", env!("CARGO_BIN_EXE_hotloops"), "'");
    for words in [
        "search".to_owned(),
        "search --format json".to_owned(),
        format!("{binary} --help"),
        format!("{binary} ising --help"),
        format!("{binary} --version"),
        format!("{binary} list"),
        format!("{binary} bench --load '{record}'"),
        format!("{binary} correlation '{}' --bins 0:5:1", points.display()),
        format!("{binary} ising '{}' --sweeps 10", shipped()),
        format!("{binary} hardround search --func exp --from 1 --to 0x1.000001p+0 --bits 20"),
    ] {
        let output = shell(&folder, &format!("{words} > /dev/full"));
        let message = "hotloops: cannot write: No space left on device (os error 28)\n";
        assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(1), message), "{words}");
        let output = shell(&folder, &format!("{words} | :"));
        assert_eq!(stderr(&output), "", "{words}");
    }
    // A message that cannot be written does not change the status.
    for (words, status) in [("list --jsno", 2), ("ising absent.coo", 3), ("list", 0)] {
        let output = shell(&folder, &format!("{binary} {words} 2> /dev/full"));
        assert_eq!(output.status.code(), Some(status), "{words}");
    }
}

#[test]
fn a_closed_pipe_ends_every_command_quietly() {
    let record = concat!(env!("CARGO_MANIFEST_DIR"), "/../benches/record/xeon_granite_rapids.csv");
    for words in [
        &["--help"][..],
        &["list"],
        &["list", "--format", "json"],
        &["bench", "--load", record],
        &["ising", shipped(), "--sweeps", "10"],
    ] {
        let mut child =
            command(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let _ = child.stdin.take().unwrap().flush();
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "{words:?}");
    }
}
