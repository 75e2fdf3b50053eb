//! Faults of an input that only one rank sees.

use std::collections::BTreeSet;
use std::fs;
use std::process::Output;

use super::mpirun;
use crate::support::{folder, run, stderr, words};

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
    let g6 = "correlation INPUT --bins 0:20:1";
    for (text, lines, why) in [
        (
            film(40, "38,4x,5\n"),
            vec![format!("{g6} --rdf --frames --out OUT"), format!("{g6} --average --neighbours 6 --psi OUT")],
            "line 1529: frame 38: x = `4x` is not a finite number",
        ),
        (film(3, "1,4,y\n"), vec![format!("{g6} --rdf --average --out OUT")], "line 49: frame 1: y = `y`"),
        (
            film(40, "38,1e301,5\n"),
            vec![format!("{g6} --frames --neighbours 6 --out OUT")],
            "line 1529: frame 38: x = 1e301 is too far",
        ),
        (film(40, "0.5,4,5\n"), vec![format!("{g6} --rdf --frames --out OUT")], "line 1529: frame = `0.5`"),
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
