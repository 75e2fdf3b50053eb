//! `hotloops hardround`: published counts, merged and verified files, and errors that name the
//! fault.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Instant;

use crate::support::{command, folder, refused, run, stderr, unreadable, words};
use hotloops::isa::{self, Isa};
use sha2::{Digest, Sha256};

/// 2^40 binary64 numbers, in 64 units.
pub const WHOLE: &str = "hardround search --func exp --from 0x1p0 --to 0x1.001p0";
/// 2^37 binary64 numbers, in 8 units.
pub const PIECE: &str = "hardround search --func exp --from 0x1p0 --to 0x1.0002p0 --within 0x1p-30";

pub fn success(output: &Output) -> String {
    assert!(output.status.success(), "{}", stderr(output));
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub fn printed(line: &str) -> String {
    success(&run(&words(line)))
}

pub fn written(path: &Path, content: impl AsRef<[u8]>) -> String {
    fs::write(path, content).unwrap();
    path.to_str().unwrap().to_owned()
}

fn hash(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The lines after the header.
pub fn body(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with('#')).map(|line| line.to_owned() + "\n").collect()
}

/// The values of a name in the header.
pub fn head<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
    let value = |line: &'a str| line.strip_prefix("# ")?.strip_prefix(name)?.strip_prefix('\t');
    text.lines().filter_map(value).collect()
}

/// The file with other lines and a header that matches them.
pub fn forged(text: &str, change: impl Fn(&str) -> String) -> String {
    let (before, lines) = (body(text), change(&body(text)));
    let text = text.replace(&before, &lines).replace(&hash(&before), &hash(&lines));
    let count = |lines: &str| format!("# cases\t{}\n", lines.lines().count());
    forged_head(&text.replace(&count(&before), &count(&lines)))
}

/// The file with a hash that matches its header.
fn forged_head(text: &str) -> String {
    let (head, _) = text.split_once("# check\t").unwrap();
    format!("{head}# check\t{}\n{}", hash(head), body(text))
}

/// Published counts and lists, and others on which independent searches agree.
fn as_many_as_published(algorithm: &str) {
    let list = |arguments: &str, count: usize, sha256: Option<&str>| {
        let text = printed(&format!("{arguments} --lines index --algorithm {algorithm}"));
        assert_eq!(text.lines().count(), count, "{arguments}");
        if let Some(sha256) = sha256 {
            assert_eq!(hash(&text), sha256, "{arguments}");
        }
    };
    let steps =
        "hardround search --func exp --from 0x1p0 --to 0x1.0008p0 --grid 2^-53 --modes directed --within 0x1p-33";
    list(steps, 243, Some("e993ab6cf544009c5ff1c33a4b2d8c4a24c5ca9c55990ec5fb59dbf960864c83"));
    let directed = "bcf36fdf22a9da2cac9e85dfd9a3ea67ff659befac2a8b8817c42c1e6f567c6f";
    list(&format!("{WHOLE} --within 0x1p-33 --modes directed"), 242, Some(directed));
    list(&format!("{WHOLE} --within 0x1p-33 --modes nearest"), 239, None);
    list(&format!("{WHOLE} --bits 32"), 481, None);
    let all = "0563a308d641570bc706397e79748eebdfe8166c218f30757f2ce1f5ba0aa876";
    list(&format!("{WHOLE} --within 0x1p-32"), 986, Some(all));
    list(&format!("{WHOLE} --within 0x1p-30"), 4068, None);
    let exp = |end: &str| format!("hardround search --func exp --from 0x1p0 --to {end}");
    list(&format!("{} --within 0x1p-37", exp("0x1.02p0")), 1016, None);
    list(&format!("{} --grid 2^-46 --within 0x1p-28", exp("0x1.004p0")), 1073, None);
    list(&format!("{} --grid 2^-40 --within 0x1p-25", exp("0x1.02p0")), 1020, None);
    list(&format!("{} --grid 2^-34 --within 0x1p-21", exp("0x1.04p0")), 543, None);
    // A second derivative below 0, with a third one above.
    list("hardround search --func log1p --from 0x1p0 --to 0x1.001p0 --within 0x1p-32", 1095, None);
}

#[test]
fn as_many_as_published_by_dual_rows() {
    as_many_as_published("dual");
}

#[test]
fn as_many_as_published_by_domains() {
    as_many_as_published("farey");
}

#[test]
fn the_hardest() {
    let text = printed(&format!("{WHOLE} --bits 36"));
    let bits = |line: &str| line.split('\t').nth(2).unwrap().parse::<f64>().unwrap();
    let mut lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    lines.sort_by(|a, b| bits(b).total_cmp(&bits(a)));
    let fields: Vec<&str> = lines[0].split('\t').collect();
    // 2.91241e-13 half ulps.
    assert_eq!(fields[..1], ["0x1.00089b832fd81p+0"]);
    assert_eq!(fields[2..], ["41.643", "mid", "+", "+1.456207e-13"]);
    assert!(lines[1].contains("\t39.352\tmid\t") && lines[2].contains("\t38.763\trep\t"), "{lines:?}");
}

#[test]
fn formats() {
    let text = printed(PIECE);
    let lines = body(&text);
    let arguments: String = lines.lines().map(|line| line.split('\t').next().unwrap().to_owned() + "\n").collect();
    assert_eq!(printed(&format!("{PIECE} --lines wc")), arguments);
    let to_index = |x: &str| u64::from_str_radix(&format!("{:0<13}", &x[4..x.len() - 3]), 16).unwrap();
    let indices: String = arguments.lines().map(|x| format!("{}\n", to_index(x))).collect();
    assert_eq!(printed(&format!("{PIECE} --lines index")), indices);
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
    let known = printed(&format!("{PIECE} --lines wc"));
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

#[test]
fn wrong_arguments_say_what_is_right() {
    let out: PathBuf = folder("hardround_arguments").join("out.tsv");
    let fails = |arguments: &str, names: &str| {
        refused(&words(&format!("hardround search {arguments} --out {}", out.display())), names);
        assert!(!out.exists(), "{arguments}");
    };
    fails("--func lgamma --from 1 --to 2 --bits 40", "exp, exp2, exp10, expm1, ");
    fails("--func exp --from 2 --to 1 --bits 40", "begins at 0x1p+1, not below its end 0x1p+0");
    fails("--func exp --from 1 --to 1 --bits 40", "not below its end");
    fails("--func exp --from NaN --to 2 --bits 40", "is not finite; expected a number such as 0x1.8p+0");
    fails("--func exp --from 1 --to inf --bits 40", "is not finite; expected");
    fails("--func exp --from one --to 2 --bits 40", "expected a number such as 0x1.8p+0 or 1.5");
    fails("--func exp --from 0x1.8 --to 0xp0 --bits 40", "expected a number such as 0x1.8p+0 or 1.5");
    fails("--func log --from 0 --to 1 --bits 40", "from 0x1p-1074 = 5e-324 to 0x1.fffffffffffffp+1023");
    fails("--func log2 --from -2 --to -1 --bits 40", "this function can be searched from 0x1p-1074");
    fails("--func exp --from 1 --to 710 --bits 40", "from -0x1.74e6666666666p+9 = -7.458e2 to 0x1.62e42fefa39efp+9 = ");
    fails("--func exp2 --from -1077 --to 1 --bits 40", "from -0x1.0dp+10 = -1.076e3 to");
    fails("--func sin --from 1e15 --to 2e15 --bits 40", "the result changes its binade too often");
    fails(
        "--func sin --from -1 --to 1 --bits 40",
        "arguments closer to zero than 0x1p-96 cannot be searched; this function can be searched from \
         -0x1.fffffffffffffp+1023 to -0x1p-96 and from 0x1p-96 to 0x1.fffffffffffffp+1023",
    );
    for within in ["0", "-0x1p-33", "0x1p-60", "0.5", "1e300"] {
        let arguments = format!("--func exp --from 1 --to 2 --within {within}");
        fails(&arguments.replace("--within ", "--within="), "the bound must be from 0x1p-59 to 0x1p-5 ulp");
    }
    fails("--func exp --from 1 --to 2 --modes nearest --within 1", "the bound must be from 0x1p-58 to 0x1p-4 ulp");
    for (modes, min, max) in [("all", 4, 58), ("nearest", 3, 57), ("directed", 3, 57)] {
        let range = format!("with --modes {modes}, the number of bits must be from {min} to {max}");
        for bits in [0, min - 1, max + 1, 65535] {
            let arguments = format!("--func exp --from 1 --to 2 --modes {modes} --bits {bits}");
            let of_all = "--bits <M>': expected a whole number from 3 to 58".to_owned();
            fails(&arguments, &if (3..=58).contains(&bits) { format!("--bits {bits}: {range}") } else { of_all });
        }
        for bits in [min, max] {
            printed(&format!(
                "hardround search --func exp --from 1 --to 0x1.0000000001p0 --modes {modes} --bits {bits}"
            ));
        }
    }
    fails("--func exp --from 1 --to 2 --bits 65536", "--bits");
    fails("--func exp --from 1 --to 2 --bits few", "--bits");
    fails("--func exp --from 1 --to 2 --bits 40 --within 0x1p-41", "cannot be used with");
    fails("--func exp --from 1 --to 2", "--within <ULPS>");
    fails("--func exp --from 1 --bits 40", "--to <X> is required: binary64 has too many numbers");
    fails("--func exp --format binary128 --bits 40", "binary16, bfloat16, binary32, binary64, x87");
    fails("--func exp --format binary32 --from 1 --to 0x1.0000001p0 --bits 8 --shard 2/1", "expected I/N");
    for shard in ["0/4", "5/4", "4", "1/0", "a/b", "1/4/2", "-1/4", "/"] {
        let arguments = format!("--func exp --from 1 --to 2 --bits 40 --shard={shard}");
        fails(&arguments, "expected I/N with I from 1 to N, such as 3/64");
    }
    fails("--func exp --from 1 --to 2 --bits 40 --shard 1/4 --lines wc", "--shard: use --lines tsv");
    for grid in ["3", "2^1", "2^-1075", "2^x", "2"] {
        fails(&format!("--func exp --from 1 --to 2 --bits 40 --grid {grid}"), "expected a power of 2 such as 2^-53");
    }
    fails("--func exp --from 1 --to 2 --bits 40 --grid 2^-70", "--grid: 2^-70 is below 2^-256, or too fine");
    fails("--func exp --from 1.1 --to 1.2 --bits 40 --grid 2^0", "no multiple of it is between");
    fails("--func exp --from 1 --to 2 --bits 40 --modes up", "all, nearest, directed");
    fails("--func exp --from 1 --to 2 --bits 40 --lines csv", "tsv, wc, index");
    fails("--func exp --from 1 --to 2 --bits 40 --threads 0", "expected a whole number from 1 to 1024");
    refused(&words(&format!("{PIECE} --out /nowhere/out.tsv")), "--out /nowhere/out.tsv");
    refused(&["hardround", "merge"], "<FILES>...");
    unreadable(&["hardround", "verify", "/nowhere.tsv"], "/nowhere.tsv");
    refused(&["hardround"], "Usage");
}

#[test]
fn small_formats_need_no_interval() {
    let text = printed("hardround search --func exp --format bfloat16 --bits 8");
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
    let search = "hardround search --func sin --format binary16 --bits 10";
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
    let line = "hardround search --func exp --format x87 --from 0x1.00975abb9p-1 --to 0x1.00975abbap-1 --bits 30";
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
        &words("hardround search --func exp --format x87 --from 1 --to 2 --bits 59"),
        "a whole number from 3 to 58",
    );
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
