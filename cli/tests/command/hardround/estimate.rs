//! `--estimate`: expected cases and core-hours.

use std::time::Instant;

use super::{WHOLE, printed};
use crate::support::{refused, words};

#[test]
fn an_estimate_has_a_row_for_each_binade() {
    let rows = |arguments: &str| -> Vec<Vec<String>> {
        let text = printed(&format!("hardround search {arguments} --estimate"));
        text.lines().map(|line| line.split_whitespace().map(str::to_owned).collect()).collect()
    };
    let text = rows("--func exp --from 0x1p-1 --to 0x1p2 --bits 44");
    assert_eq!(text[0], ["from", "to", "arguments", "cases", "core-hours"]);
    let number = |word: &String| word.parse::<f64>().unwrap();
    let binade = (52_f64).exp2();
    // 2^-45 ulp on both sides of two breakpoints per ulp.
    let cases = format!("{:.1}", binade * 4.0 * (-45_f64).exp2());
    for (row, ends) in text[1..4].iter().zip([["0x1p-1", "0x1p+0"], ["0x1p+0", "0x1p+1"], ["0x1p+1", "0x1p+2"]]) {
        assert_eq!(row[..2], ends);
        assert_eq!((number(&row[2]), &row[3]), (binade, &cases));
        assert!(number(&row[4]) > 0.0);
    }
    assert_eq!((text.len(), text[4][0].as_str(), number(&text[4][1])), (5, "total", 3.0 * binade));
    let hours: f64 = text[1..4].iter().map(|row| number(&row[4])).sum();
    assert!((number(&text[4][3]) / hours - 1.0).abs() < 0.02, "{text:?}");
    // Negative arguments, and a part of the units.
    let text = rows("--func exp --from=-0x1.8p0 --to=-0x1p-1 --bits 44");
    let first = ["-0x1.8p+0", "-0x1.fffffffffffffp-1"].map(str::to_owned);
    assert_eq!((text.len(), &text[1][..2]), (4, &first[..]), "{text:?}");
    let text = rows("--func exp --from 0x1p0 --to 0x1.001p0 --bits 44 --shard 2/4");
    assert_eq!((text.len(), &text[1][..2]), (3, &["0x1.0004p+0", "0x1.0008p+0"].map(str::to_owned)[..]));
    assert_eq!(number(&text[2][1]), (38_f64).exp2());
    refused(&words(&format!("{WHOLE} --bits 40 --estimate --out out.tsv")), "cannot be used with");
    refused(&words(&format!("{WHOLE} --bits 4 --estimate")), "cases, most of them from");
}

/// Near a singular end, each argument takes so long that a unit takes minutes; its estimate does not.
#[test]
fn an_estimate_near_a_singular_end_is_quick() {
    let searches = [
        "--func acosh --from 1 --to 0x1.00001p0 --bits 44",
        "--func acos --from 0x1.fffffp-1 --to 1 --bits 44",
        "--func tan --from 0x1.92p0 --to 0x1.922p0 --bits 44",
        "--func log --from 0x1.fffffp-1 --to 0x1.00001p0 --bits 44",
    ];
    let mut taken = Vec::new();
    for search in searches {
        let begun = Instant::now();
        let text = printed(&format!("hardround search {search} --estimate"));
        taken.push(begun.elapsed().as_secs_f64());
        let hours: f64 = text.lines().last().unwrap().split_whitespace().last().unwrap().parse().unwrap();
        assert!(hours > 0.0, "{text}");
    }
    println!("{taken:?}");
    // 2 s on a core of its own; the tests share the cores.
    assert!(taken.iter().all(|&seconds| seconds < 20.0), "{taken:?}");
}
