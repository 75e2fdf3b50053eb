//! What README, ARCHITECTURE, CONTRIBUTING and the pages of `docs/` say, as far as a program can check it. Their
//! programs and commands are run by the step `readme`; options of the command are checked by its own tests, sizes
//! of C programs by `symbols`.

use std::collections::BTreeSet;

use crate::pages::{between, code, documents, rows, spans};
use crate::tree::{entries, read};

fn kernel_name((family, kernel): (&str, &str)) -> String {
    format!("{family}/{kernel}")
}

fn ends_with_any(path: &str, endings: &[&str]) -> bool {
    endings.iter().any(|ending| path.ends_with(ending))
}

#[test]
fn the_oldest_rust_is_that_of_the_manifest() {
    let manifest = read("Cargo.toml");
    let oldest = between(&manifest, "rust-version = \"", "\"");
    assert_eq!(manifest.matches(&format!("rust-version = \"{oldest}\"")).count(), 2, "package and workspace");
    assert!(read("debian/control").contains(&format!("rustc (>= {oldest})")));
    let mut named = 0;
    for (path, text) in documents() {
        for after in text.split("Rust 1.").skip(1) {
            let minor: String = after.chars().take_while(char::is_ascii_digit).collect();
            assert_eq!(format!("1.{minor}"), oldest, "{path}");
            named += 1;
        }
    }
    assert!(named >= 2, "README and CONTRIBUTING name it");
    for workflow in [".github/workflows/ci.yml", ".github/workflows/wheels.yml"] {
        for retired in ["macos-11", "macos-12", "macos-13", "ubuntu-20.04", "windows-2019"] {
            assert!(!read(workflow).contains(retired), "{workflow}: {retired} is retired");
        }
    }
}

/// The anchor of a heading, as forges make it.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c)).collect::<String>();
    kept.replace(' ', "-")
}

#[test]
fn links_lead_somewhere() {
    let all = entries();
    for (path, text) in documents() {
        for link in text.split("](").skip(1).map(|rest| rest.split(')').next().unwrap()) {
            if link.contains("://") {
                continue;
            }
            let (file, place) = link.split_once('#').unwrap_or((link, ""));
            let mut target: Vec<&str> = path.split('/').collect();
            target.pop();
            for part in file.split('/').filter(|part| !part.is_empty()) {
                if part == ".." { _ = target.pop() } else { target.push(part) }
            }
            let target = if file.is_empty() { path.clone() } else { target.join("/") };
            assert!(all.contains(&target), "{path}: there is no {target}");
            if !place.is_empty() {
                let page = read(&target);
                let mut headings = page.lines().filter(|line| line.starts_with('#'));
                let is_there = headings.any(|line| anchor(line.trim_start_matches('#').trim()) == place);
                assert!(is_there, "{path}: {target} has no heading #{place}");
            }
        }
    }
}

/// `{a,b}` written out.
fn spellings(word: &str) -> Vec<String> {
    let Some((before, rest)) = word.split_once('{') else { return vec![word.to_owned()] };
    let Some((choices, after)) = rest.split_once('}') else { return vec![word.to_owned()] };
    choices.split(',').flat_map(|choice| spellings(&format!("{before}{choice}{after}"))).collect()
}

/// Whether a name fits a pattern in which `*` and `<word>` stand for any characters.
fn fits(name: &str, pattern: &str) -> bool {
    let mut pattern = pattern.to_owned();
    while let Some(begin) = pattern.find('<') {
        let end = pattern.find('>').expect("a placeholder ends");
        pattern.replace_range(begin..=end, "*");
    }
    let parts: Vec<&str> = pattern.split('*').collect();
    let Some(mut rest) = name.strip_prefix(parts[0]) else { return false };
    for (number, part) in parts.iter().enumerate().skip(1) {
        if number + 1 == parts.len() {
            return rest.ends_with(part);
        }
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.is_empty()
}

#[test]
fn paths_that_documents_name_exist() {
    let all = entries();
    let top: BTreeSet<&str> = all.iter().filter(|path| !path.contains('/')).map(String::as_str).collect();
    let sources = [".rs", ".py", ".S", ".md", ".toml"];
    let kernels: BTreeSet<_> = hotloops::kernels().map(|kernel| kernel_name(kernel.name())).collect();
    let mut checked = 0;
    for (page, text) in documents() {
        for word in spans(&text).into_iter().filter(|word| !kernels.contains(*word)) {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "_./*{},<>-".contains(c);
            let (first, rest) = word.split_once('/').unwrap_or(("", word));
            let is_source = ends_with_any(word, &sources) && !word.starts_with('.');
            if !word.chars().all(is_plain) || !(is_source || (top.contains(first) && !rest.is_empty())) {
                continue;
            }
            for word in spellings(word.trim_end_matches('/')) {
                let tail = format!("/{word}");
                let is_there = all.iter().any(|path| match word.contains(['*', '<']) {
                    true => fits(path, &word),
                    false => *path == word || (is_source && path.ends_with(&tail)),
                });
                assert!(is_there, "{page}: there is no {word}");
                checked += 1;
            }
        }
    }
    assert!(checked > 150, "{checked} paths");
}

#[test]
fn tests_steps_features_and_tools_that_documents_name_exist() {
    let all = entries();
    let manifests = ["Cargo.toml", "cli/Cargo.toml", "capi/Cargo.toml"].map(read).concat();
    let tools = read("xtask/src/main.rs").to_lowercase();
    for (page, text) in documents() {
        for line in code(&text) {
            let words: Vec<&str> = line.split_whitespace().take_while(|word| *word != "#").collect();
            for pair in words.windows(2) {
                match *pair {
                    ["--test", name] => {
                        let files = [
                            format!("tests/{name}.rs"),
                            format!("tests/{name}/main.rs"),
                            format!("cli/tests/{name}/main.rs"),
                        ];
                        let file = files.iter().find(|file| all.contains(*file));
                        let file = file.unwrap_or_else(|| panic!("{page}: there is no test {name}"));
                        let filter = line.split_once(" -- ").and_then(|(_, filter)| filter.split_whitespace().next());
                        if let Some(filter) = filter.filter(|filter| !filter.starts_with('-')) {
                            let folder = file.strip_suffix("main.rs").unwrap_or(file);
                            let mut parts = all.iter().filter(|path| path.starts_with(folder) && path.ends_with(".rs"));
                            let is_there = parts.any(|path| read(path).contains(filter));
                            assert!(is_there, "{page}: no test of {file} is called {filter}");
                        }
                    }
                    ["xtask", tool] => {
                        assert!(tools.contains(&format!("{}(", tool.replace('-', ""))), "{page}: cargo xtask {tool}");
                    }
                    ["--features", feature] if line.starts_with("cargo ") => {
                        assert!(
                            manifests.contains(&format!("\n{feature} = [")),
                            "{page}: there is no feature {feature}"
                        );
                    }
                    [".ci/run", step] if step.chars().all(|c| c.is_ascii_lowercase() || c == '-') => {
                        let is_step = |path: &String| path.starts_with(".ci/") && path.ends_with(&format!("-{step}"));
                        let is_word = ["list", "nightly"].contains(&step);
                        assert!(is_word || all.iter().any(is_step), "{page}: there is no step {step}");
                    }
                    _ => {}
                }
            }
        }
    }
    let architecture = read("ARCHITECTURE.md");
    for row in rows(between(&architecture, "## Last nightly run", "\n## ")) {
        let step = row[0].trim_matches('`');
        assert!(
            all.iter().any(|path| path.starts_with(".ci/nightly/") && path.ends_with(&format!("-{step}"))),
            "{step}"
        );
    }
}

/// The modules of the library: the first column of the table on its page.
fn families() -> Vec<String> {
    let library = read("src/lib.rs").replace("//! ", "");
    let table = between(&library, "# The families\n", "\n//!\n").to_owned();
    rows(&table).iter().map(|row| row[0].trim_matches(['[', '`', ']']).to_owned()).collect()
}

#[test]
fn families_and_instruction_sets_are_all_named() {
    let families = families();
    assert_eq!(families.len(), 11);
    let all = entries();
    for family in &families {
        assert!(all.contains(&format!("src/{family}/mod.rs")), "{family}");
    }
    let readme = read("README.md");
    let named: Vec<_> =
        rows(between(&readme, "## What is in it\n", "\n## ")).iter().map(|row| row[0].to_owned()).collect();
    assert_eq!(named, families.iter().map(|family| format!("`{family}`")).collect::<Vec<_>>(), "README.md");
    let guide = read("src/guide/exactness.rs").replace("//! ", "");
    let table = rows(&guide).iter().map(|row| between(row[0], "`", "`").to_owned()).collect::<Vec<_>>();
    assert_eq!(table, families, "src/guide/exactness.rs");
    let words: Vec<_> = hotloops::isa::Isa::ALL.iter().map(|isa| isa.word()).collect();
    let architecture = read("ARCHITECTURE.md");
    assert!(architecture.contains(&format!("Each of the words `{}`", words.join(" "))), "{words:?}");
    let header = read("include/hotloops.h");
    assert!(header.contains(&format!("HOTLOOPS_ISA ({})", words.join(", "))));
}

#[test]
fn the_table_of_kernels_is_complete() {
    let page = read("docs/benchmarks.md");
    let table = between(&page, "<!-- hotloops bench --format markdown", "<!-- end -->");
    let measured: BTreeSet<_> = rows(table).iter().map(|row| row[0].trim_matches('`').to_owned()).collect();
    let kernels: BTreeSet<_> = hotloops::kernels().map(|kernel| kernel_name(kernel.name())).collect();
    let gone: Vec<_> = measured.difference(&kernels).collect();
    assert!(gone.is_empty(), "docs/benchmarks.md: no such kernels: {gone:?}");
    let missing: Vec<_> = kernels.difference(&measured).collect();
    assert!(missing.is_empty(), "docs/benchmarks.md: no row for {missing:?}; see benches/record/update");
    // The picture says for how many kinds of work it is.
    let peers = rows(between(&page, "## Against other programs", "\n## ")).len();
    assert_eq!(peers, 7, "README.md and docs/benchmarks.md say seven");
}

/// Equal bits are promised for each instruction set, and for an environment that is named.
#[test]
fn equal_bits_are_promised_with_their_conditions() {
    let pages = ["README.md", "ARCHITECTURE.md", "docs/exactness.md", "docs/python.md", "include/hotloops.h"];
    let code = ["src/lib.rs", "src/guide/exactness.rs", "python/hotloops/__init__.py"];
    for path in pages.iter().chain(&code) {
        let text = read(path).to_lowercase();
        for words in ["one exception", "cpu with fused multiply-add", "cpu that fuses", "unfused"] {
            assert!(!text.contains(words), "{path}: {words}");
        }
    }
    for path in ["ARCHITECTURE.md", "docs/exactness.md", "include/hotloops.h", "src/guide/exactness.rs"] {
        for word in ["MXCSR", "FPCR", "FTZ", "DAZ", "to nearest"] {
            assert!(read(path).contains(word), "{path}: {word} is not named");
        }
    }
    for path in ["README.md", "docs/python.md", "docs/exactness.md", "include/hotloops.h", "src/reduce/mod.rs"] {
        assert!(read(path).contains("n 2^-80"), "{path}: the error of sum_repro is not stated");
    }
}

#[test]
fn tables_of_faults_and_mutants_are_of_files_that_exist() {
    let all = entries();
    let survivors = read("tests/mutation/survivors.md");
    for word in spans(&survivors).into_iter().filter(|word| ends_with_any(word, &[".S", ".h"]) && !word.contains(' ')) {
        let tail = format!("/{word}");
        assert!(
            all.iter().any(|path| path.starts_with("asm/") && path.ends_with(&tail)),
            "survivors.md: {word} is gone"
        );
    }
    let promise = read("docs/exactness.md");
    let numbers: Vec<&str> = between(&promise, "`tests/mutation/`: ", ";")
        .split(|c: char| !c.is_ascii_digit())
        .filter(|n| n.len() > 1)
        .collect();
    assert_eq!(numbers.len(), 3, "mutants, files, survivors");
    for number in numbers {
        assert!(survivors.contains(number), "survivors.md does not say {number}");
    }
    let (faults, results) = (read("tests/faults/faults.toml"), read("tests/faults/README.md"));
    let names: Vec<&str> = faults.split("\nname = ").skip(1).map(|rest| between(rest, "\"", "\"")).collect();
    for name in faults.lines().filter_map(|line| line.strip_prefix("file = ")) {
        assert!(all.contains(name.trim_matches('"')), "faults.toml: {name} is gone");
    }
    let without: Vec<_> = names.iter().filter(|name| !results.contains(&format!("| {name} |"))).collect();
    assert!(without.len() <= WITHOUT_RESULT, "{} faults have no row of results: {without:#?}", without.len());
}

/// Faults of the corpus that no run has a result of. It may only shrink.
const WITHOUT_RESULT: usize = 20;

/// Each crate and the Python package carry both licences.
#[test]
fn licences_are_those_of_the_root() {
    for folder in ["hardround", "cli", "benches/support", "python"] {
        for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
            assert_eq!(read(&format!("{folder}/{licence}")), read(licence), "{folder}");
        }
    }
}
