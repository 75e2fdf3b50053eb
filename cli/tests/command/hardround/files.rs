//! Files of searches: merged, verified and compared.

use std::fs;
use std::path::Path;

use super::{PIECE, body, forged, forged_head, head, printed, success, written};
use crate::support::{folder, refused, run, stderr, unreadable};

#[test]
fn shards_join_to_the_whole() {
    let folder = folder("hardround_shards");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let whole = printed(PIECE);
    // Also more shards than units: some are empty.
    for parts in [1, 3, 8, 11] {
        let mut files: Vec<String> = (1..=parts)
            .map(|part| {
                let file = path(&format!("{part}_of_{parts}.tsv"));
                assert_eq!(printed(&format!("{PIECE} --shard {part}/{parts} --out {file}")), "");
                file
            })
            .collect();
        files.reverse();
        assert_eq!(printed(&format!("hardround merge {}", files.join(" "))), whole, "{parts} parts");
    }
    let out = path("out.tsv");
    let [first, second, third] = [1, 2, 3].map(|part| path(&format!("{part}_of_3.tsv")));
    let merge = ["hardround", "merge", "--out", &out];
    let fails = |files: &[&str], names: &str| {
        unreadable(&[&merge[..], files].concat(), names);
        assert!(!Path::new(&out).exists());
    };
    fails(&[&first, &third], "units 2 to 5 of the search are in none of the files");
    fails(&[&second, &third], "units 0 to 2 of the search are in none of the files");
    fails(&[&second, &first], "units 5 to 8 of the search are in none of the files");
    fails(&[&first, &second, &third, &second], "both contain unit 2 of the search");
    fails(&[&first, &path("2_of_8.tsv"), &second, &third], "both contain unit 1 of the search");
    let before = fs::read(&third).unwrap();
    let same = ["hardround", "merge", &first, &second, &third, "--out", &third];
    refused(&same, "3_of_3.tsv: is the file of ");
    assert!(fs::read(&third).unwrap() == before, "an input stays");
    let of = |line: &str, name: &str| written(&folder.join(name), printed(line));
    let others = [
        (of(&PIECE.replace("2p0", "3p0"), "to.tsv"), "different searches: to differs"),
        (of(&PIECE.replace("-30", "-29"), "within.tsv"), "different searches: within differs"),
        (of(&format!("{PIECE} --modes nearest"), "modes.tsv"), "different searches: modes differs"),
        (of(&PIECE.replace("exp", "exp2"), "func.tsv"), "different searches: func differs"),
    ];
    for (other, names) in &others {
        fails(&[&first, other], names);
    }
    let text = fs::read_to_string(&second).unwrap();
    let damaged = |change: &dyn Fn(&str) -> String, names: &str| {
        let file = written(&folder.join("damaged.tsv"), change(&text));
        fails(&[&first, &file, &third], names);
        fails(&[&first, &file, &third], "damaged.tsv");
    };
    damaged(&|text| text.replacen("mid\t+", "mid\t-", 1), "the hash of its lines is wrong");
    damaged(&|text| text[..text.trim_end().rfind('\n').unwrap() + 1].to_owned(), "the hash of its lines is wrong");
    damaged(&|text| text.replace("within\t0x1p-30", "within\t0x1p-31"), "the hash of its header is wrong");
    damaged(&|text| text.replace("# check\t", "# hash\t"), "has no line for check");
    let changed = |from: &str, to: &str, names: &str| damaged(&|text| forged_head(&text.replace(from, to)), names);
    changed("# cases\t", "# cases\t1", "fewer or more than stated");
    changed("of 8", "of 9", "its units do not match the search");
    changed("units\t2..5", "units\t2..4", "is outside the units of this file");
    changed("# func\texp", "# func\tlgamma", "func lgamma: unknown value");
    changed("# modes\tall\n", "", "has no line for modes");
    damaged(&|_| "x,y\n1,2\n".to_owned(), "is not a file of `hotloops hardround");
    let swapped = |body: &str| {
        let mut lines: Vec<&str> = body.lines().collect();
        lines.swap(3, 4);
        lines.join("\n") + "\n"
    };
    damaged(&|text| forged(text, swapped), "not in order");
    fails(&["/nowhere.tsv"], "/nowhere.tsv");
    assert_eq!(success(&run(&[&merge[..], &[&first, &second, &third]].concat())), "");
    assert_eq!(fs::read_to_string(&out).unwrap(), whole);
}

#[test]
fn verified_line_by_line() {
    let folder = folder("hardround_verify");
    let text = printed(&format!("{PIECE} --modes nearest"));
    let verify = |text: &str| {
        let path = written(&folder.join("cases.tsv"), text);
        run(&["hardround", "verify", &path])
    };
    let cases = head(&text, "cases")[0];
    assert!(success(&verify(&text)).starts_with(&format!("{cases} cases verified")));
    let fails = |text: &str, status: i32, names: &str| {
        let output = verify(text);
        assert_eq!(output.status.code(), Some(status), "{names}");
        assert!(stderr(&output).contains(names) && stderr(&output).contains("cases.tsv"), "{}", stderr(&output));
    };
    let first = body(&text).lines().next().unwrap().to_owned();
    fails(&text.replace(&(first.clone() + "\n"), ""), 3, "the hash of its lines is wrong");
    fails(&text.replacen("e-1", "e-2", 1), 3, "the hash of its lines is wrong");
    // With matching hashes, a wrong value in any column is still detected.
    let fields: Vec<&str> = first.split('\t').collect();
    for (column, field) in fields.iter().enumerate().skip(1) {
        let other = match column {
            1 => field.replace("p+1", "p+2"),
            3 => "rep".to_owned(),
            4 => if *field == "+" { "-" } else { "+" }.to_owned(),
            _ => field.replacen('.', ".9", 1),
        };
        let mut changed = fields.clone();
        changed[column] = &other;
        fails(&forged(&text, |body| body.replacen(&first, &changed.join("\t"), 1)), 1, &format!("should be {first}"));
    }
    let easy = "0x1.0000000000001p+0\t0x1.5bf0a8b145769p+1\t1.000\tmid\t+\t+1.0e-1\n";
    fails(&forged(&text, |body| easy.to_owned() + body), 1, "should be 0x1.0000000000001p+0\t");
    fails(&forged(&text, |body| body.to_owned() + "0x1.8p+0\n"), 3, "0x1.8p+0: is not an argument of the search");
}

#[test]
fn compared_with_a_list() {
    let folder = folder("hardround_compare");
    let text = printed(PIECE);
    let file = written(&folder.join("cases.tsv"), &text);
    let known = printed(&format!("{PIECE} --format wc"));
    let compare = |list: &str| run(&["hardround", "compare", &file, &written(&folder.join("list.wc"), list)]);
    let cases = known.lines().count();
    // Arguments outside the search or its bound do not count, nor do infinities, NaN and comments.
    let same = format!("# exp\n+snan\n-inf\nNaN\n{known}\n0x1.8p+0, 1\n-0x3,ERANGE\n0x1.0000000000001p+0\n");
    let all = format!(
        "{cases} cases in both, 0 missing in the file, 0 new in the file; \
         of the list, 2 are outside the search (2 outside the interval), 1 outside its bound and 3 not finite\n"
    );
    assert_eq!(success(&compare(&same)), all);
    let (first, rest) = known.split_once('\n').unwrap();
    let output = compare(rest);
    assert_eq!(output.status.code(), Some(1));
    let lines = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(lines.starts_with(&format!("new\t{first}\t")), "{lines}");
    assert!(lines.contains("0 missing in the file, 1 new in the file;"), "{lines}");
    written(&folder.join("cases.tsv"), forged(&text, |body| body.split_once('\n').unwrap().1.to_owned()));
    let output = compare(&known);
    assert_eq!(output.status.code(), Some(1));
    let lines = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(lines.starts_with(&format!("missing\t{first}\t")), "{lines}");
    assert!(lines.contains("1 missing in the file, 0 new in the file;"), "{lines}");
    let words = ["hardround", "compare", &file, &written(&folder.join("list.wc"), "0x1p0\nhard\n")];
    unreadable(&words, "list.wc: line 2: hard is not a hexadecimal number");
}
