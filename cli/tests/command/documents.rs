//! The options of the command that the documents name.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::run;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
/// Options of cargo, of tests and of other programs of this repository.
const OTHERS: &str = "--features --release --locked --example --bench --test --help --ignored --config --faults \
    --sample --mpi --budgets --seeds --jobs --gset";

/// The help of a job, by its words; that of the whole command for none.
struct Helps(BTreeMap<Vec<String>, String>);

impl Helps {
    fn of(&mut self, job: &[&str]) -> &str {
        let key = job.iter().map(|word| (*word).to_owned()).collect();
        self.0.entry(key).or_insert_with(|| {
            let output = run(&[job, &["--help"]].concat());
            assert!(output.status.success(), "hotloops {} --help", job.join(" "));
            String::from_utf8(output.stdout).unwrap()
        })
    }
}

/// Whether a help names an option.
fn has(help: &str, option: &str) -> bool {
    let is_end = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '-');
    help.match_indices(option).any(|(at, _)| is_end(&help[at + option.len()..]))
}

/// The name of an option at the beginning of a word.
fn option(word: &str) -> Option<&str> {
    let name = word.strip_prefix("--")?;
    let end = name.find(|c: char| !c.is_ascii_lowercase() && !c.is_ascii_digit() && c != '-').unwrap_or(name.len());
    (end > 1).then(|| &word[..end + 2])
}

fn pages() -> Vec<PathBuf> {
    let root = Path::new(ROOT);
    let named = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(|name| root.join(name));
    let others = fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    named.into_iter().chain(others.filter(|path| path.extension().is_some_and(|end| end == "md"))).collect()
}

#[test]
fn options_that_documents_name_exist() {
    const JOBS: [(&str, &[&str]); 9] = [
        ("ising", &[]),
        ("lattice", &[]),
        ("correlation", &[]),
        ("list", &[]),
        ("bench", &[]),
        ("ladder", &[]),
        ("completions", &[]),
        ("fingerprints", &["search", "index", "verify", "matrix", "cluster", "pick"]),
        ("hardround", &["search", "merge", "verify", "compare"]),
    ];
    let mut helps = Helps(BTreeMap::new());
    let mut all = String::new();
    for (job, parts) in JOBS {
        all += helps.of(&[job]);
        parts.iter().for_each(|part| all += helps.of(&[job, part]));
    }
    let mut checked = [0; 2];
    for path in pages() {
        let text = fs::read_to_string(&path).unwrap();
        let parts: Vec<&str> = text.split("```").collect();
        let lines = parts.iter().skip(1).step_by(2).flat_map(|block| block.lines());
        let spans = parts.iter().step_by(2).flat_map(|prose| prose.split('`').skip(1).step_by(2));
        for line in lines.chain(spans) {
            let line = line.split("  #").next().unwrap();
            let words: Vec<&str> = line.split_whitespace().collect();
            let job = JOBS.iter().find(|(job, _)| words.first() == Some(&"hotloops") && words.get(1) == Some(job));
            let mut help = all.clone();
            if let Some((job, parts)) = job {
                let part = words.get(2).filter(|word| parts.contains(word));
                let words: Vec<&str> = [*job].into_iter().chain(part.copied()).collect();
                help = helps.of(&words).to_owned();
            } else if words.len() > 2 || !words.first().is_some_and(|word| word.starts_with("--")) {
                continue;
            }
            for option in words.iter().filter_map(|word| option(word)).filter(|option| !has(OTHERS, option)) {
                assert!(has(&help, option), "{}: `{line}`: there is no {option}", path.display());
                checked[usize::from(job.is_some())] += 1;
            }
        }
    }
    assert!(checked.iter().all(|&count| count > 20), "{checked:?}");
}
