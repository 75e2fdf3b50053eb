//! The lines and the header, which depend neither on threads nor on instructions, and the log.

use hotloops::isa::{self, Isa};

use super::{PIECE, body, hash, head, printed, success, written};
use crate::support::{command, folder, run, stderr, words};

#[test]
fn formats() {
    let text = printed(PIECE);
    let lines = body(&text);
    let arguments: String = lines.lines().map(|line| line.split('\t').next().unwrap().to_owned() + "\n").collect();
    assert_eq!(printed(&format!("{PIECE} --format wc")), arguments);
    let to_index = |x: &str| u64::from_str_radix(&format!("{:0<13}", &x[4..x.len() - 3]), 16).unwrap();
    let indices: String = arguments.lines().map(|x| format!("{}\n", to_index(x))).collect();
    assert_eq!(printed(&format!("{PIECE} --format index")), indices);
    assert_eq!(head(&text, "arguments"), [(1_u64 << 37).to_string()]);
    assert_eq!(head(&text, "units"), ["0..8 of 8"]);
    assert_eq!(head(&text, "cases"), [lines.lines().count().to_string()]);
    assert_eq!(head(&text, "sha256"), [hash(&lines)]);
    assert_eq!(head(&text, "exact"), [""; 0]);
}

#[test]
fn the_same_file_however_many_threads_and_whatever_instructions() {
    let expected = printed(PIECE);
    for threads in ["1", "2", "5"] {
        assert_eq!(printed(&format!("{PIECE} --threads {threads}")), expected, "{threads} threads");
    }
    for isa in Isa::ALL.iter().copied().filter(|&isa| isa::detected(isa)) {
        let output = command(&words(PIECE)).env("HOTLOOPS_ISA", isa.word()).output().unwrap();
        let said = stderr(&output);
        assert!(said.contains(&format!("\ninstruction set: {}\n", isa.word())), "{said}");
        assert_eq!(success(&output), expected, "{}", isa.word());
    }
}

/// Standard error is a pipe here.
#[test]
fn logs_show_progress_and_a_summary() {
    let output = run(&words(&format!("{PIECE} --threads 1 --progress 0")));
    let (text, said) = (success(&output), stderr(&output));
    let cases = body(&text).lines().count();
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 8 + 4, "{said}");
    for (unit, line) in lines[..8].iter().enumerate() {
        let percent = format!("hotloops: {:.2} % searched, ", 12.5 * (unit + 1) as f64);
        assert!(line.starts_with(&percent) && line.ends_with(" left"), "{line}");
    }
    assert!(lines[7].contains(&format!(" {cases} cases, ")), "{said}");
    assert!(lines[8].starts_with(&format!("{cases} cases among {} arguments in ", 1_u64 << 37)), "{said}");
    assert_eq!(lines[9], "self-check: 1 of 8 units, 0 differences");
    assert!(lines[10].starts_with("instruction set: "), "{said}");
    assert_eq!(lines[11], format!("sha256 of the lines: {}", head(&text, "sha256")[0]));
    let output = run(&words(&format!("{PIECE} --progress 1000000")));
    assert_eq!(stderr(&output).lines().count(), 4, "{}", stderr(&output));
}

#[test]
fn exact_cases_are_in_the_head() {
    // Arguments too far apart for any polynomial.
    let text = printed("hardround search --func exp2 --from 1 --to 8 --grid 2^0 --bits 40");
    assert_eq!(head(&text, "exact"), (1..8).map(|x| hexadecimal(x.into())).collect::<Vec<_>>());
    assert_eq!((head(&text, "cases"), body(&text).as_str()), (vec!["0"], ""));
    for function in ["log", "log2"] {
        let line = format!("hardround search --func {function} --from 0.9999999999 --to 1.0000000001 --bits 24");
        let text = printed(&line);
        assert_eq!(head(&text, "exact"), ["0x1p+0"]);
        assert!(!body(&text).contains("0x1p+0\t"), "{text}");
        let path = written(&folder(&format!("hardround_exact_{function}")).join("exact.tsv"), &text);
        assert!(
            printed(&format!("hardround verify {path}")).starts_with(&format!("{} cases", head(&text, "cases")[0]))
        );
    }
}

/// An integer from 1 to 7.
fn hexadecimal(x: f64) -> String {
    let exponent = x.log2().floor();
    let mantissa = (x / exponent.exp2() - 1.0) * 16.0;
    let digits = if mantissa == 0.0 { String::new() } else { format!(".{:x}", mantissa as u32) };
    format!("0x1{digits}p+{exponent}")
}

/// Where every argument is a case, a line of the header stands for all of them.
#[test]
fn runs_are_one_line_of_the_header() {
    let line = "hardround search --func sin --from 0x1.08p-38 --to 0x1.1p-38 --bits 20";
    let text = printed(line);
    let all: Vec<&str> = head(&text, "all")[0].split('\t').collect();
    assert_eq!(all[..3], ["0x1.08p-38", "0x1.0ffffffffffffp-38", "140737488355328"]);
    assert_eq!((head(&text, "cases"), body(&text).as_str()), (vec!["140737488355328"], ""));
    let folder = folder("hardround_runs");
    let parts: Vec<String> = (1..=3)
        .map(|part| {
            let file = folder.join(format!("{part}.tsv")).to_str().unwrap().to_owned();
            printed(&format!("{line} --shard {part}/3 --out {file} --checkpoint {file}.checkpoint"));
            file
        })
        .collect();
    assert_eq!(printed(&format!("hardround merge {}", parts.join(" "))), text);
    assert!(printed(&format!("hardround verify {}", parts[1])).contains("1 streams verified at 1001 arguments"));
    let few = "hardround search --func sin --from 0x1.08p-38 --to 0x1.08000000186a1p-38 --bits 20";
    assert_eq!(body(&printed(few)), "");
    let lines = body(&printed(&format!("{few} --every-line")));
    assert_eq!(lines.lines().count(), 100_001);
    let list = written(&folder.join("list"), "0x1.080000001p-38\n");
    let compared = printed(&format!("hardround compare {} {list}", written(&folder.join("few.tsv"), printed(few))));
    assert!(
        compared.contains("0 missing in the file, 0 new in the file, 100001 in streams of the file;"),
        "{compared}"
    );
}
