//! `--device`: the output of jobs is that of the CPU. Without an OpenCL device, only the errors are tested.

use std::fs;
use std::process::Output;

use serde_json::Value;

use crate::support::{command, ends, folder, refused, run, shipped, stderr, words};

/// A job on devices: two of PoCL, or those of the machine.
pub fn on_devices(line: &str) -> Output {
    command(&words(line)).env("POCL_DEVICES", "basic pthread").output().unwrap()
}

/// The number of devices. Without one, tests are skipped, or fail if HOTLOOPS_TEST_DEVICE is set.
pub fn devices() -> usize {
    let output = on_devices("devices --format json");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let rows: Value = serde_json::from_slice(&output.stdout).unwrap();
    let count = rows.as_array().unwrap().len();
    let is_pocl = rows.as_array().unwrap().iter().any(|row| row["platform"] == "Portable Computing Language");
    assert!(!is_pocl || count >= 2, "{rows}");
    assert!(count > 0 || std::env::var_os("HOTLOOPS_TEST_DEVICE").is_none(), "no OpenCL device");
    count
}

/// Asserts that a job prints the same on the first device, on all, and on the CPU.
#[track_caller]
fn same(line: &str) {
    if devices() == 0 {
        eprintln!("skipped: no OpenCL device");
        return;
    }
    let cpu = run(&words(line));
    assert_eq!(cpu.status.code(), Some(0), "{line}: {}", stderr(&cpu));
    for device in ["0", "all"] {
        let found = on_devices(&format!("{line} --device {device}"));
        assert_eq!(found.status.code(), Some(0), "{line}: {}", stderr(&found));
        assert!(found.stdout == cpu.stdout, "{line} --device {device}: {}", String::from_utf8_lossy(&found.stdout));
    }
}

#[test]
fn searches_of_hard_cases_find_the_same() {
    for algorithm in ["", "--algorithm three-phase", "--algorithm three-phase-lefevre"] {
        same(&format!("hardround search --func exp --from 1 --to 0x1.00004p+0 --within 0x1p-30 {algorithm}"));
    }
    same("hardround search --func log --from 1.7 --to 0x1.b3334p+0 --within 0x1p-27 --modes directed");
}

#[test]
fn searches_of_fingerprints_find_the_same() {
    let path = folder("devices_fingerprints").join("some.fps");
    let line = |i: u64| {
        let bits = i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        format!("{:016x}{:016x}\tid{i}\n", bits & bits << 7, bits ^ bits >> 9)
    };
    fs::write(&path, (0..3000).map(line).collect::<String>()).unwrap();
    let path = path.to_str().unwrap();
    for options in ["--tanimoto 0.5", "--tanimoto 0 --top 3", "--dice 0.6 --all", "--hamming 40 --all --format json"] {
        same(&format!("fingerprints search {path} {path} {options}"));
    }
}

/// Rows with few ones and with many, some of them similar, in segments of an index.
fn index(name: &str, segments: &[u64]) -> String {
    let folder = folder(name);
    let (rows, index) = (folder.join("rows.fps"), folder.join("db.hlfp"));
    let line = |i: u64| {
        let word = |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31).wrapping_mul(0xd6e8_feb8_6659_fd93);
        let centre = word(i % 40) & if i.is_multiple_of(3) { word(i % 7) } else { u64::MAX };
        format!("{:016x}{:016x}\tid{i}\n", centre ^ 1 << (i % 61), centre.rotate_left(9) & !(1 << (i * i % 64)))
    };
    let mut number = 0;
    for (segment, &count) in segments.iter().enumerate() {
        fs::write(&rows, (number..number + count).map(line).collect::<String>()).unwrap();
        number += count;
        let append = if segment > 0 { " --append" } else { "" };
        let output = run(&words(&format!("fingerprints index {} --out {}{append}", rows.display(), index.display())));
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    }
    index.to_str().unwrap().to_owned()
}

#[test]
fn matrices_of_fingerprints_are_the_same() {
    let db = index("devices_matrix", &[1500, 700, 40]);
    let measures = ["--tanimoto 0.6", "--dice 0.8 --numbers", "--cosine 0.9 --empty 1", "--hamming 20 --threads 2"];
    // The last one has more pairs than a part of a unit.
    for options in measures.into_iter().chain(["--tanimoto 0.01"]) {
        same(&format!("fingerprints matrix {db} {options}"));
    }
}

/// A checkpoint that the CPU began continues on a device, and the other way round.
#[test]
fn checkpoints_of_matrices_change_devices() {
    if devices() == 0 {
        eprintln!("skipped: no OpenCL device");
        return;
    }
    let db = index("devices_matrix_checkpoint", &[900, 500]);
    let line = format!("fingerprints matrix {db} --tanimoto 0.3");
    let expected = run(&words(&line)).stdout;
    let work = folder("devices_matrix_work").join("work");
    for [before, after] in [["cpu", "all"], ["0", "cpu"], ["all", "0"]] {
        let job = |device| format!("{line} --checkpoint {} --device {device}", work.display());
        let begun = on_devices(&job(before));
        assert!(begun.stdout == expected, "{before}: {}", stderr(&begun));
        let whole = fs::read(&work).unwrap();
        fs::write(&work, &whole[..whole.len() / 2]).unwrap();
        let continued = on_devices(&job(after));
        assert!(stderr(&continued).contains("the last record is truncated"), "{}", stderr(&continued));
        assert!(continued.stdout == expected, "{before} to {after}: {}", stderr(&continued));
        fs::remove_file(&work).unwrap();
    }
}

#[test]
fn samples_of_spins_are_the_same() {
    let path = folder("devices_spins").join("circulant.coo");
    let bond = |(i, step): (usize, usize)| format!("{i} {} {}\n", (i + step) % 50, 1 - 2 * (i * step / 3 % 2) as i32);
    fs::write(&path, (0..50).flat_map(|i| [(i, 1), (i, 11)]).map(bond).collect::<String>()).unwrap();
    let small = path.to_str().unwrap();
    for (model, options) in [
        (shipped(), "--kind i8-exact"),
        (shipped(), "--kind i8-exact --slices 70 --beta 2 --gamma-max 3 --gamma 0.7"),
        (small, "--kind bits --copies 600"),
        // The random spins end within a row of the generator.
        (small, "--kind bits --copies 33"),
    ] {
        same(&format!("ising {model} --sweeps 40 --runs 3 --seed 5 --format json {options}"));
    }
    let exchange = "--method exchange --kind i8-exact --beta-min 0.1 --beta-max 2 --sweeps 300 --format json";
    same(&format!("ising {} {exchange}", shipped()));
}

/// Programs B.1 and B.2 stand beside the CPU's levels, and the paper's two figures beside ours.
#[test]
fn ladders_have_the_programs_for_gpus() {
    refused(&words("ladder reduce --device 0"), "--device 0: reduce has no programs for devices; ising has");
    let few = "--device 0: 20 layers; programs B.1 and B.2 need 256, 384 or another multiple of 128";
    refused(&words("ladder --layers 20 --device 0"), few);
    if devices() == 0 {
        eprintln!("skipped: no OpenCL device");
        return;
    }
    let output = run(&words("ladder --quick --budget 1 --threads 1 --device 0 --format json"));
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let parts = document["sources"][0]["parts"].as_array().unwrap();
    let rows = |table: &str| {
        let part = parts.iter().find(|part| part["table"] == table).unwrap();
        part["rows"].as_array().unwrap().clone()
    };
    let levels = rows("levels");
    for name in ["A.4", "B.1", "B.2"] {
        let row = levels.iter().find(|row| row["name"] == name).unwrap();
        assert_eq!(row["verified"], true, "{name}");
    }
    let printed: Vec<_> = rows("devices").iter().map(|row| row["printed"].as_f64()).collect();
    assert_eq!(printed, [Some(6.78), Some(2.0)]);
}

/// Each device has a lattice of its own.
#[test]
fn lattices_are_the_same() {
    for job in ["66x130 --betas 0.3 --every 7", "20x4 --betas 0.3,0.44,0.6 --antiferromagnet --start random --every 1"]
    {
        for form in ["json", "csv"] {
            same(&format!("lattice {job} --sweeps 40 --seed 3 --format {form}"));
        }
    }
}

#[test]
fn wrong_devices_are_refused() {
    let search = "hardround search --func exp --from 1 --to 0x1.00004p+0 --within 0x1p-30";
    refused(&words(&format!("{search} --device banana")), "expected cpu, auto, all, or a number");
    refused(&words(&format!("{search} --device -1")), "--device");
    let count = devices();
    let (status, message) = if count == 0 { (1, "no OpenCL") } else { (2, "no device 99") };
    ends(status, &words(&format!("{search} --device 99")), message);
    refused(&words(&format!("{search} --device 0 --algorithm dual")), "devices run three-phase");
    let sampled = format!("ising {} --sweeps 10", shipped());
    refused(&words(&format!("{sampled} --device 0 --kind f32-poly")), "devices sweep the kinds i8-exact and bits");
}

/// The CPU does what no GPU can, with a note and the same output. Tests have no GPU.
#[test]
fn auto_falls_back_to_the_cpu() {
    let line = "hardround search --func exp --from 1 --to 0x1.00001p+0 --within 0x1p-30";
    let output = |mut command: std::process::Command| -> Output { command.output().unwrap() };
    let mut lonely = command(&words(&format!("{line} --device auto")));
    lonely.env("OCL_ICD_VENDORS", "/nonexistent");
    let (cpu, auto) = (run(&words(line)), output(lonely));
    assert_eq!(auto.status.code(), Some(0), "{}", stderr(&auto));
    assert_eq!(auto.stdout, cpu.stdout);
    assert!(stderr(&auto).contains("--device auto: ") && stderr(&auto).contains("the CPU runs the kernels"));
}
