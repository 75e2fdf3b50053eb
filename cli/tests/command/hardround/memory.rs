//! Searches with little memory.

use std::path::Path;
use std::process::Output;

use super::{printed, success, written};
use crate::support::{folder, stderr, words};

/// Runs the command with a limit of memory in KiB.
fn run_within(memory: u32, line: &str) -> Output {
    let script = format!("ulimit -v {memory}; exec \"$0\" \"$@\"");
    let mut command = std::process::Command::new("bash");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_hotloops")]).args(words(line)).output().unwrap()
}

/// Under any limit of memory, each job ends with its result, or with status 1 and "out of memory".
#[test]
fn out_of_memory_is_an_error() {
    let folder = folder("hardround_memory");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let search = "hardround search --func exp --from 0x1p-38 --to 0x1.0002p-38 --bits 24 --threads 1";
    let (table, list, long, checkpoint) = (path("cases.tsv"), path("cases.wc"), path("long.wc"), path("checkpoint"));
    printed(&format!("{search} --out {table} --checkpoint {checkpoint}"));
    printed(&format!("{search} --format wc --out {list}"));
    written(Path::new(&long), "0x1.8p+3 is outside of the search\n".repeat(1 << 20));
    let jobs = [
        format!("{search} --out {}", path("out.tsv")),
        format!("{search} --checkpoint {checkpoint} --out {}", path("out.tsv")),
        format!("hardround merge {table} --out {}", path("out.tsv")),
        format!("hardround verify {table}"),
        format!("hardround compare {table} {list}"),
        format!("hardround compare {table} {long}"),
    ];
    // The smallest limit, in MiB, in which the command starts.
    let start = (4..200).find(|memory| run_within(memory << 10, "--version").status.success()).unwrap();
    for job in &jobs {
        let [mut short, mut enough] = [0, 0];
        for memory in [1, 2, 3, 4, 6, 70].map(|more| start + more) {
            let output = run_within(memory << 10, job);
            let said = stderr(&output);
            match output.status.code() {
                Some(0) => enough += 1,
                Some(1) if said.contains("out of memory") || said.contains("Resource temporarily") => short += 1,
                Some(1) if said.contains("differ") => enough += 1,
                _ => panic!("{job} in {memory} MiB: {:?} {said}", output.status),
            }
        }
        assert!(enough > 0, "{job}");
        println!("{job}: {short} of {} short of memory", short + enough);
    }
}

/// If many or nearly all arguments are cases, a search stays within 64 MiB.
#[test]
fn no_search_takes_more_than_64_mib() {
    let begins = |line: &str| success(&run_within(64 << 10, &format!("hardround search {line} --threads 1")));
    let text = begins("--func cos --from 0x1p-20 --to 0x1.000002p-20 --bits 24");
    assert!(text.contains("\n# chance\tno estimate: results are not random here\n"), "{}", &text[..1000]);
    for function in ["sin", "cos"] {
        let text = begins(&format!("--func {function} --from 0x1.08p-38 --to 0x1.1p-38 --bits 20"));
        assert!(text.contains("\n# all\t0x1.08p-38\t0x1.0ffffffffffffp-38\t140737488355328\t"), "{text}");
    }
}
