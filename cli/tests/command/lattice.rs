//! `hotloops lattice`: exact physics, the library's spins, the same bytes however a run is divided.

use std::f64::consts::PI;
use std::fs;
use std::path::Path;

use hotloops::ising::{Acceptance, SquareLattice};
use serde_json::Value;

use crate::support::{command, ends, folder, refused, run, stderr, unreadable, words};

/// Standard output of a run that succeeds and prints nothing on standard error.
#[track_caller]
fn succeeds(line: &str) -> Vec<u8> {
    let output = run(&words(line));
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "{line}");
    output.stdout
}

#[track_caller]
fn temperatures(line: &str) -> Vec<Value> {
    let document: Value = serde_json::from_slice(&succeeds(&format!("{line} --format json"))).unwrap();
    document["temperatures"].as_array().unwrap().clone()
}

/// Onsager (1944): the energy of a spin of the infinite lattice.
fn onsager(beta: f64) -> f64 {
    let k = 2.0 * (2.0 * beta).sinh() / (2.0 * beta).cosh().powi(2);
    // The complete elliptic integral by the arithmetic-geometric mean.
    let (mut a, mut g) = (1.0f64, (1.0 - k * k).sqrt());
    for _ in 0..40 {
        (a, g) = ((a + g) / 2.0, (a * g).sqrt());
    }
    let integral = PI / (2.0 * a);
    -(1.0 + 2.0 / PI * (2.0 * (2.0 * beta).tanh().powi(2) - 1.0) * integral) / (2.0 * beta).tanh()
}

/// Yang (1952): the spontaneous magnetisation.
fn yang(beta: f64) -> f64 {
    (1.0 - (2.0 * beta).sinh().powi(-4)).powf(0.125)
}

#[track_caller]
fn is_within(row: &Value, name: &str, exact: f64, max_error: f64) {
    let (mean, error) = (row[name]["mean"].as_f64().unwrap(), row[name]["error"].as_f64().unwrap());
    assert!(error < max_error && (mean - exact).abs() < 4.0 * error, "{name}: {exact}: {row}");
}

/// Correlation lengths are below 7 sites at these temperatures.
#[test]
fn means_are_those_of_onsager_and_yang() {
    assert!((onsager(0.4) + 1.106_079_204).abs() < 1e-9 && (yang(0.5) - 0.911_319).abs() < 1e-6);
    for sign in ["", "--antiferromagnet"] {
        let rows = temperatures(&format!("lattice 256x384 --betas 0.2,0.4,0.5,0.7 --sweeps 6000 --every 4 {sign}"));
        assert_eq!(rows.len(), 4);
        for row in &rows {
            let beta = row["beta"].as_f64().unwrap();
            is_within(row, "energy_per_spin", onsager(beta), 2e-3);
            // C = - beta^2 du/dbeta.
            let slope = (onsager(beta + 1e-4) - onsager(beta - 1e-4)) / 2e-4;
            is_within(row, "heat_capacity", -beta * beta * slope, 0.1);
            if beta > 0.44 {
                is_within(row, "absolute_magnetisation", yang(beta), 1e-3);
            }
        }
        // The series of the susceptibility in tanh(beta). A normal distribution has <|m|>^2 = 2 / pi <m^2>.
        let t = 0.2f64.tanh();
        let series = [4.0, 12.0, 36.0, 100.0, 276.0, 740.0, 1972.0, 5172.0, 13492.0];
        let sum: f64 = (1..).zip(series).map(|(power, count)| count * t.powi(power)).sum();
        let exact = 0.2 * (1.0 + sum) * (1.0 - 2.0 / PI);
        is_within(&rows[0], "susceptibility", exact, 0.05);
        let cumulant = rows[3]["binder_cumulant"]["mean"].as_f64().unwrap();
        assert!((cumulant - 2.0 / 3.0).abs() < 1e-4, "{cumulant}");
    }
}

/// The lines of a file of --series, without its header.
fn lines(path: &Path) -> Vec<(u64, f64, f64, f64)> {
    let mut reader = csv::Reader::from_path(path).unwrap();
    reader.deserialize().map(Result::unwrap).collect()
}

#[test]
fn runs_are_those_of_the_library() {
    let folder = folder("lattice_library");
    let (series, spins) = (folder.join("series.csv"), folder.join("spins.npy"));
    let files = format!("--series {} --final {}", series.display(), spins.display());
    let (rows, columns, sweeps, every) = (30, 130, 23, 5);
    for (options, coupling, is_random) in [
        ("", 1, false),
        ("--antiferromagnet", -1, false),
        ("--antiferromagnet --start random", -1, true),
        ("--start random --acceptance heat-bath", 1, true),
    ] {
        let line = format!("lattice {rows}x{columns} --betas 0.3,0.5 --sweeps {sweeps} --every {every} --seed 9");
        succeeds(&format!("{line} {options} {files}"));
        let rule = if options.contains("heat") { Acceptance::HeatBath } else { Acceptance::Auto };
        let (mut expected, mut all) = (Vec::new(), Vec::new());
        for (index, beta) in [(0, 0.3), (1, 0.5)] {
            let mut lattice = SquareLattice::new(rows, columns, index << 32 | 9).unwrap();
            if is_random {
                lattice.sweep(0.0, Acceptance::HeatBath, 1).unwrap();
            } else if coupling < 0 {
                let site = |index: usize| 1 - 2 * ((index / columns + index % columns) % 2) as i8;
                lattice.set_spins(&(0..rows * columns).map(site).collect::<Vec<_>>()).unwrap();
            }
            for end in [5, 10, 15, 20, 23] {
                lattice.sweep(f64::from(coupling) * beta, rule, if end == 23 { 3 } else { 5 }).unwrap();
                let mut spins = vec![0; rows * columns];
                lattice.spins(&mut spins).unwrap();
                let sign = |index: usize| if coupling < 0 && (index / columns + index) % 2 == 1 { -1 } else { 1 };
                let magnetisation: i64 = spins.iter().enumerate().map(|(i, &spin)| i64::from(spin) * sign(i)).sum();
                let sites = (rows * columns) as f64;
                let energy = (-i64::from(coupling) * lattice.energy()) as f64 / sites;
                expected.push((end, beta, energy, magnetisation as f64 / sites));
                if end == 23 {
                    all.extend(spins.into_iter().map(|spin| spin as u8));
                }
            }
        }
        expected.sort_by_key(|line| line.0);
        assert_eq!(lines(&series), expected, "{options}");
        let array = fs::read(&spins).unwrap();
        let header = String::from_utf8_lossy(&array[..128]);
        assert!(header.contains(&format!("'shape': (2, {rows}, {columns}), ")), "{header}");
        assert!(array[128..] == all, "{options}");
    }
}

/// Large lattices are cut for threads, several small ones are swept at the same time.
#[test]
fn threads_and_instruction_sets_change_no_byte() {
    let folder = folder("lattice_same");
    for (index, job) in [
        "1024x1026 --betas 0.43 --sweeps 12 --every 5",
        "1024x1026 --betas 0.43,0.3,0.5 --sweeps 7 --antiferromagnet --start random",
        "66x10 --betas 0.2,0.3,0.4,0.5,0.6 --sweeps 300 --every 1",
    ]
    .into_iter()
    .enumerate()
    {
        let mut first = None;
        for (threads, isa) in [(1, None), (2, None), (5, None), (16, None), (3, Some("scalar"))] {
            let files = ["csv", "npy"].map(|end| folder.join(format!("{index}.{threads}.{end}")));
            let mut line = format!("lattice {job} --threads {threads} --format json");
            line += &format!(" --series {} --final {}", files[0].display(), files[1].display());
            let mut command = command(&words(&line));
            isa.into_iter().for_each(|isa| _ = command.env("HOTLOOPS_ISA", isa));
            let output = command.output().unwrap();
            assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "{line}");
            let found = (output.stdout, files.map(|file| fs::read(file).unwrap()));
            assert!(*first.get_or_insert_with(|| found.clone()) == found, "{line}, {isa:?}");
        }
    }
    assert!(
        succeeds("lattice 8 --betas 1 --seed 1 --format csv") != succeeds("lattice 8 --betas 1 --seed 2 --format csv")
    );
}

#[test]
fn the_forms_have_the_same_figures() {
    let line = "lattice 64x128 --betas 0.3,0.5 --sweeps 2000 --every 5";
    let rows = temperatures(line);
    let table = String::from_utf8(succeeds(&format!("{line} --format csv"))).unwrap();
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let header = reader.headers().unwrap().clone();
    let records: Vec<_> = reader.records().map(Result::unwrap).collect();
    assert_eq!(records.len(), 2);
    for (record, row) in records.iter().zip(&rows) {
        let mut means = 0;
        for (name, cell) in header.iter().zip(record) {
            let (mean, key) = name.strip_suffix("_error").map_or((name, "mean"), |name| (name, "error"));
            if row[mean].is_object() {
                // serde_json may read the last digit wrong.
                let (found, expected) = (cell.parse::<f64>().ok(), row[mean][key].as_f64());
                let is_same = found.zip(expected).is_none_or(|(a, b)| (a - b).abs() <= 1e-14 * b.abs());
                assert!(found.is_some() == expected.is_some() && is_same, "{name}: {cell}, {row}");
                means += 1;
            }
        }
        let doubts = record.iter().next_back().unwrap();
        for (name, mean) in row.as_object().unwrap().iter().filter(|(_, mean)| mean["not_converged"].is_string()) {
            let doubt = format!("{name} {}", mean["not_converged"].as_str().unwrap());
            assert!(doubts.split("; ").any(|found| found == doubt), "{doubt}: {doubts}");
        }
        assert_eq!(means, 10);
        assert_eq!(row["acceptance"], "metropolis");
    }
    let text = String::from_utf8(succeeds(line)).unwrap();
    let energy = rows[0]["energy_per_spin"]["mean"].as_f64().unwrap();
    assert!(text.contains(&format!(" {energy:.4}")[..7]), "{text}");
    assert!(text.contains("updates in") && text.contains("Means per spin after sweep 400"), "{text}");
    // One measurement has no error, and the text says why.
    let text = String::from_utf8(succeeds("lattice 8 --betas 0.4 --sweeps 1 --warm-up 0")).unwrap();
    assert!(text.contains("not converged (1): the series is too short"), "{text}");
    let csv = String::from_utf8(succeeds("lattice 8 --betas 0.4 --sweeps 1 --warm-up 0 --format csv")).unwrap();
    assert!(csv.contains("energy_per_spin short; absolute_magnetisation short"), "{csv}");
}

#[test]
fn longer_runs_continue_shorter_ones() {
    let folder = folder("lattice_longer");
    let (file, series) = (folder.join("run.checkpoint"), folder.join("series.csv"));
    for start in ["ordered", "random"] {
        let line = format!("lattice 64x130 --betas 0.3,0.44 --start {start} --every 5 --format json --seed 4");
        let long = format!("{line} --sweeps 200 --warm-up 20 --series {}", series.display());
        let expected = (succeeds(&long), fs::read(&series).unwrap());
        let saved = format!("--checkpoint {}", file.display());
        let _ = fs::remove_file(&file);
        succeeds(&format!("{line} --sweeps 100 {saved}"));
        let continued = format!("{line} --sweeps 200 --series {} {saved}", series.display());
        assert!((succeeds(&continued), fs::read(&series).unwrap()) == expected, "{start}");
        // A finished run has nothing left to do.
        assert!((succeeds(&continued), fs::read(&series).unwrap()) == expected, "{start}");
        unreadable(&words(&format!("{line} --sweeps 100 {saved}")), "with sweeps 200; it continues with more");
        let other = format!("{continued} --acceptance heat-bath");
        unreadable(&words(&other), "with acceptance auto, not with acceptance heat-bath; give the same option");
        unreadable(&words(&continued.replace("64x130", "64x128")), "with size 64x130, not with size 64x128");
        unreadable(&words(&continued.replace("0.3,", "0.2,")), "with betas 0.3,0.44, not with betas 0.2,0.44");
    }
    let line = format!("lattice 8 --betas 0.3 --every 5 --checkpoint {}", file.display());
    fs::remove_file(&file).unwrap();
    succeeds(&format!("{line} --sweeps 13"));
    unreadable(&words(&format!("{line} --sweeps 20")), "ended after sweep 13, between two measurements of --every 5");
    fs::write(&file, "hlising5 and so on").unwrap();
    unreadable(&words(&format!("{line} --sweeps 20")), "is not a checkpoint of `hotloops lattice`");
}

/// A signal ends a run soon, within a long step, and the continued run has the same results.
#[cfg(unix)]
#[test]
fn a_signal_ends_a_run_with_a_checkpoint() {
    use std::process::Stdio;
    use std::thread::sleep;
    use std::time::Duration;

    let folder = folder("lattice_signal");
    let (file, lock) = (folder.join("run.checkpoint"), folder.join(".run.checkpoint.hotloops-lock"));
    for job in ["512x1024 --betas 0.44,0.5 --every 900 --sweeps 1800", "64 --betas 0.44 --every 100 --sweeps 400000"] {
        let line = format!("lattice {job} --threads 1 --format json");
        let expected = succeeds(&line);
        let saving = format!("{line} --checkpoint-seconds 0 --checkpoint {}", file.display());
        let mut kills = 0;
        loop {
            let mut job = command(&words(&saving)).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            while !lock.exists() && job.try_wait().unwrap().is_none() {
                sleep(Duration::from_millis(1));
            }
            sleep(Duration::from_millis(30 + 40 * kills));
            // SAFETY: sends a signal to a child that has not been waited for.
            unsafe { libc::kill(job.id() as i32, libc::SIGINT) };
            let output = job.wait_with_output().unwrap();
            if output.status.code() == Some(0) {
                assert!(output.stdout == expected, "{line}: {kills} signals");
                break;
            }
            assert_eq!(output.status.code(), Some(130), "{output:?}");
            assert!(stderr(&output).contains("interrupted"), "{output:?}");
            kills += 1;
        }
        assert!(kills > 0, "{line}: too quick");
        fs::remove_file(&file).unwrap();
    }
}

#[test]
fn wrong_arguments_are_named() {
    for (line, message) in [
        ("lattice", "<SIZE>"),
        ("lattice 8", "--betas <B1,B2,..>"),
        ("lattice 8 --betas 0.4,0,5", "expected positive numbers from 1e-30"),
        ("lattice 5x8 --betas 1", "5 rows: expected an even number from 2, such as 6"),
        ("lattice 8x0 --betas 1", "0 columns: expected an even number from 2"),
        ("lattice 8,8 --betas 1", "expected ROWSxCOLUMNS"),
        ("lattice 8x-8 --betas 1", "expected ROWSxCOLUMNS"),
        ("lattice 99999999999x8 --betas 1", "99999999999 rows: expected an even number"),
        ("lattice 99999999998x9999999998 --betas 1", "expected at most 2^32 blocks"),
        ("lattice 2097152 --betas 1", "SIZE: 1 lattice of 2097152 x 2097152 spins need 512 GiB, and this machine has"),
        ("lattice 8 --betas 0.4,-1", "expected positive numbers"),
        ("lattice 8 --betas 0.4,", "expected positive numbers"),
        ("lattice 8 --betas 1 --sweeps 0", "expected a whole number from 1"),
        ("lattice 8 --betas 1 --sweeps 9 --warm-up 9", "--warm-up 9: no measurement of 9 sweeps is left; reduce it"),
        ("lattice 8 --betas 1 --start cold", "[possible values: ordered, random]"),
        ("lattice 8 --betas 1 --checkpoint -", "--checkpoint -: standard output cannot be read again"),
        ("lattice 8 --betas 1 --series - --out -", "standard output has --out; choose a file"),
        ("lattice 8 --betas 1 --checkpoint-seconds 3", "--checkpoint <FILE>"),
        ("lattice 8 --betas 1 --field 0.1", "--field"),
    ] {
        refused(&words(line), message);
    }
    ends(2, &words("lattice 8 --betas 1 --out /absent/x"), "create its folder first");
}
