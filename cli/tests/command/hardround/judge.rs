//! `hotloops hardround --judge mpfr`.

use crate::support::folder;

/// 2^34 binary64 numbers.
const SEARCH: &str = "hardround search --func exp --from 0x1p0 --to 0x1.00004p0 --within 0x1p-28";

#[cfg(not(feature = "mpfr"))]
#[test]
fn without_the_feature_the_error_says_how_to_build_it() {
    use crate::support::{refused, words};
    let file = folder("hardround_judge").join("cases.tsv").to_str().unwrap().to_owned();
    crate::hardround::printed(&format!("{SEARCH} --out {file}"));
    for line in [
        format!("{SEARCH} --judge mpfr"),
        format!("hardround verify {file} --judge mpfr"),
        format!("hardround merge {file} --judge mpfr"),
    ] {
        refused(&words(&line), "cargo build --release -p hotloops-cli --features mpfr");
    }
}

#[cfg(feature = "mpfr")]
mod with_mpfr {
    use super::*;
    use crate::hardround::{body, forged, head, printed, written};
    use crate::support::{run, stderr};

    /// Asserts the verdict of the header, such as "MPFR 4.2.2: 12 cases, 0 differences".
    fn has_verdict(text: &str, counts: &str) {
        let verdict = head(text, "judge");
        assert!(verdict.len() == 1 && verdict[0].starts_with("MPFR 4.") && verdict[0].contains(counts), "{verdict:?}");
    }

    #[test]
    fn the_verdict_is_in_the_header() {
        let [own, mpfr] = [SEARCH.to_owned(), format!("{SEARCH} --judge mpfr")].map(|line| printed(&line));
        assert_eq!(body(&own), body(&mpfr));
        assert_eq!(head(&own, "judge"), [""; 0]);
        let cases = body(&own).lines().count();
        assert!(cases > 100, "{cases}");
        has_verdict(&mpfr, &format!(": {cases} cases, 0 differences"));
        // Files with a verdict can be read, and merged files have their own.
        let folder = folder("hardround_judge_header");
        let [file, part] = ["all.tsv", "part.tsv"].map(|name| folder.join(name).to_str().unwrap().to_owned());
        written(file.as_ref(), &mpfr);
        assert!(printed(&format!("hardround verify {file}")).starts_with(&format!("{cases} cases verified by this")));
        let verified = printed(&format!("hardround verify {file} --judge mpfr"));
        assert!(verified.starts_with(&format!("{cases} cases verified by MPFR 4.")), "{verified}");
        written(part.as_ref(), &own);
        assert_eq!(printed(&format!("hardround merge {part}")), own);
        assert_eq!(printed(&format!("hardround merge {part} --judge mpfr")), mpfr);
    }

    #[test]
    fn exact_cases_and_streams() {
        let text = printed("hardround search --func exp2 --from 1 --to 8 --grid 2^0 --bits 40 --judge mpfr");
        has_verdict(&text, ": 0 cases, 7 exact cases, 0 differences");
        let tiny = "hardround search --func sin --from 0x1p-40 --to 0x1.0000001p-40 --bits 20 --judge mpfr";
        let text = printed(tiny);
        let streams = head(&text, "all").len();
        assert!(streams > 0, "{text}");
        has_verdict(&text, &format!("{} arguments of streams, 0 differences", 1001 * streams));
    }

    /// A wrong value in any column is found, and its line named.
    #[test]
    fn a_wrong_line_is_named() {
        let text = printed(SEARCH);
        let file = folder("hardround_judge_wrong").join("cases.tsv").to_str().unwrap().to_owned();
        let before = text.lines().filter(|line| line.starts_with('#')).count();
        let lines: Vec<String> = body(&text).lines().map(str::to_owned).collect();
        let at = lines.len() / 2;
        let fields: Vec<&str> = lines[at].split('\t').collect();
        for column in 1..fields.len() {
            let other = match column {
                1 => fields[1].replace("p+1", "p+2"),
                3 => if fields[3] == "mid" { "rep" } else { "mid" }.to_owned(),
                4 => if fields[4] == "+" { "-" } else { "+" }.to_owned(),
                _ => fields[column].replacen('.', ".9", 1),
            };
            let mut changed = fields.clone();
            changed[column] = &other;
            written(file.as_ref(), forged(&text, |body| body.replacen(&lines[at], &changed.join("\t"), 1)));
            let output = run(&["hardround", "verify", &file, "--judge", "mpfr"]);
            assert_eq!(output.status.code(), Some(1));
            let said = stderr(&output);
            assert!(said.contains(&format!("cases.tsv: line {}: by MPFR 4.", before + at + 1)), "{said}");
            assert!(said.contains(&format!("should be {}", lines[at])), "{said}");
        }
        let easy = "0x1.0000000000001p+0\t0x1.5bf0a8b14576ap+1\t1.000\tmid\t+\t+1.0e-1\n";
        written(file.as_ref(), forged(&text, |body| easy.to_owned() + body));
        let output = run(&["hardround", "verify", &file, "--judge", "mpfr"]);
        assert!(stderr(&output).contains(&format!("line {}: by MPFR", before + 1)), "{}", stderr(&output));
    }
}
