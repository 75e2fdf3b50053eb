//! Formats of numbers other than binary64.

use super::{body, head, printed, written};
use crate::support::{folder, refused, run, words};

#[test]
fn small_formats_need_no_interval() {
    let text = printed("hardround search --func exp --precision bfloat16 --bits 8");
    assert_eq!((head(&text, "format"), head(&text, "exact")), (vec!["bfloat16"], vec!["0x0p+0"]));
    assert_eq!(head(&text, "self-check").len(), 1);
    let folder = folder("hardround_formats");
    let file = written(&folder.join("exp.tsv"), &text);
    let cases: usize = head(&text, "cases")[0].parse().unwrap();
    assert!(cases > 0 && body(&text).lines().count() == cases);
    assert!(printed(&format!("hardround verify {file}")).starts_with(&format!("{cases} cases verified")));
    let known: String = body(&text).lines().map(|line| line.split('\t').next().unwrap().to_owned() + "\n").collect();
    let list = written(&folder.join("exp.wc"), format!("{known}0x1.01p0\n0x1.8p7\n-0x1.8p9\n-0x1.8p6\n"));
    assert_eq!(
        printed(&format!("hardround compare {file} {list}")),
        format!(
            "{cases} cases in both, 0 missing in the file, 0 new in the file; of the list, 4 are outside the search \
             (1 not in the format, 1 outside the function's range here, 1 with overflow, 1 with underflow), \
             0 outside its bound and 0 not finite\n"
        )
    );
    // Shards, threads and checkpoints as for binary64.
    let search = "hardround search --func sin --precision binary16 --bits 10";
    let whole = printed(search);
    let parts: Vec<String> = (1..=3)
        .map(|part| {
            let file = folder.join(format!("{part}.tsv")).to_str().unwrap().to_owned();
            let checkpoint = folder.join(format!("{part}.checkpoint"));
            let line = format!("{search} --shard {part}/3 --out {file} --checkpoint {}", checkpoint.display());
            printed(&line);
            printed(&line);
            file
        })
        .collect();
    assert_eq!(printed(&format!("hardround merge {}", parts.join(" "))), whole);
}

/// The list of CORE-MATH has this argument, of 64 bits.
#[test]
fn x87_has_arguments_of_64_bits() {
    let line = "hardround search --func exp --precision x87 --from 0x1.00975abb9p-1 --to 0x1.00975abbap-1 --bits 30";
    let text = printed(line);
    let hard = "0x1.00975abb9470213p-1";
    let fields: Vec<&str> =
        body(&text).leak().lines().find(|line| line.starts_with(hard)).unwrap().split('\t').collect();
    assert_eq!(fields[2], "54.467");
    let folder = folder("hardround_x87");
    let file = written(&folder.join("exp.tsv"), &text);
    let list = written(&folder.join("exp.wc"), format!("{hard}\n"));
    let compared = run(&words(&format!("hardround compare {file} {list}")));
    assert!(String::from_utf8_lossy(&compared.stdout).contains("1 cases in both, 0 missing in the file, "));
    refused(
        &words("hardround search --func exp --precision x87 --from 1 --to 2 --bits 59"),
        "a whole number from 3 to 58",
    );
}
