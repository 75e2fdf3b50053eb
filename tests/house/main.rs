//! Rules of the house that a program can check. `tests/house/*.txt` list today's exceptions, each with its measure. A
//! list may only shrink: a new exception fails, and so does one that is no longer needed.

mod asm;
mod circles;
mod rust;
mod tree;

use std::collections::BTreeMap;
use std::path::Path;

use tree::{entries, read};

/// Maximum lines of a file and of a function, and columns of a line.
const FILE: usize = 450;
const FUNCTION: usize = 80;
const WIDTH: usize = 120;
/// Maximum macros that an assembly function reaches, and their depth.
const MACROS: usize = 15;
const DEPTH: usize = 4;

/// Compares what exceeds a rule with the list of exceptions: lines "NAME MEASURE". `#` begins a comment.
fn compare(list: &str, rule: &str, found: &BTreeMap<String, usize>) {
    let path = format!("tests/house/{list}.txt");
    let text = read(&path);
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let listed: BTreeMap<String, usize> = lines
        .map(|line| line.rsplit_once(' ').unwrap_or_else(|| panic!("{path}: {line}")))
        .map(|(name, measure)| (name.to_owned(), measure.parse().unwrap_or_else(|_| panic!("{path}: {name}"))))
        .collect();
    let mut wrong = Vec::new();
    for (name, measure) in found {
        match listed.get(name) {
            None => wrong.push(format!("{name} {measure}: new")),
            Some(limit) if measure > limit => wrong.push(format!("{name} {measure}: {limit} before")),
            Some(limit) if measure < limit => wrong.push(format!("{name} {measure}: less than {limit}, write it")),
            Some(_) => {}
        }
    }
    wrong.extend(listed.keys().filter(|name| !found.contains_key(*name)).map(|name| format!("{name}: remove it")));
    assert!(wrong.is_empty(), "{rule}; {path} may only shrink:\n{}", wrong.join("\n"));
}

/// The files with one of these endings, with their text.
fn files(endings: &[&str]) -> Vec<(String, String)> {
    let all = entries().into_iter().filter(|path| endings.iter().any(|ending| path.ends_with(ending)));
    let all = all.filter(|path| Path::new(tree::ROOT).join(path).is_file());
    all.map(|path| (path.clone(), read(&path))).collect()
}

const CODE: [&str; 7] = [".rs", ".S", ".h", ".py", ".c", ".cpp", ".sh"];

#[test]
fn no_circles_of_imports() {
    let found = circles::circles().into_iter().map(|circle| (circle.matches(' ').count() + 1, circle));
    compare("circles", "imports in a circle", &found.map(|(count, circle)| (circle, count)).collect());
}

#[test]
fn files_are_short() {
    let lines = files(&CODE).into_iter().map(|(path, text)| (path, text.lines().count()));
    let long = lines.filter(|(_, lines)| *lines > FILE).collect();
    compare("long_files", "a file has at most 450 lines", &long);
}

#[test]
fn functions_are_short() {
    let mut long = BTreeMap::new();
    for (path, text) in files(&[".rs"]) {
        for (name, lines) in rust::functions(&rust::blank(&text)) {
            if lines > FUNCTION {
                long.insert(format!("{path} {name}"), lines);
            }
        }
    }
    compare("long_functions", "a function has at most 80 lines", &long);
}

#[test]
fn lines_are_narrow() {
    let mut wide = BTreeMap::new();
    for (path, text) in files(&[&CODE[..], &[".md", ".toml", ".yml"]].concat()) {
        // A row of a table and a link cannot be divided.
        let lines = text.lines().filter(|line| !line.starts_with('|') && !line.contains("](http"));
        let count = lines.filter(|line| line.chars().count() > WIDTH).count();
        if count > 0 {
            wide.insert(path, count);
        }
    }
    compare("wide_lines", "a line has at most 120 columns", &wide);
}

#[test]
fn assembly_is_written_out() {
    let mut found = BTreeMap::new();
    for (path, _) in files(&[".S"]) {
        for (name, macros, depth) in asm::functions(&path) {
            if macros > MACROS || depth > DEPTH {
                found.insert(format!("{name} depth {depth} macros"), macros);
            }
        }
    }
    compare("macros", "a function reaches at most 15 macros, 4 deep", &found);
}

/// A header of assembly says for which instruction sets it is.
#[test]
fn headers_of_assembly_name_their_instruction_sets() {
    let sources = files(&[".S"]);
    let including = asm::including_sets(sources.iter().map(|(path, _)| path.as_str()));
    assert!(including.len() > 40, "{including:?}");
    let mut wrong = Vec::new();
    for (header, sets) in including {
        let named = asm::named_sets(&header);
        if named != sets {
            wrong.push(format!("{header}: names {named:?}, included by {sets:?}"));
        }
    }
    assert!(wrong.is_empty(), "name and title of a header name those that include it:\n{}", wrong.join("\n"));
}

/// Turns of speech that readers of this project stumbled over.
const AVOIDED: [&str; 12] = [
    "so many",
    "whether so",
    "numbers of",
    "first ones",
    "next ones",
    "other ones",
    "the least",
    "what follows",
    "of nothing",
    "takes no thought",
    "is had",
    "is told",
];

#[test]
fn comments_use_plain_words() {
    let mut found = BTreeMap::new();
    for (path, text) in files(&[".rs", ".S", ".h", ".md"]) {
        if path.starts_with("tests/house") {
            continue;
        }
        let is_prose = |line: &&str| path.ends_with(".md") || line.contains("//");
        let prose = text.lines().filter(is_prose).collect::<Vec<_>>().join("\n").to_lowercase();
        let count: usize = AVOIDED.iter().map(|words| prose.matches(words).count()).sum();
        if count > 0 {
            found.insert(path, count);
        }
    }
    compare("words", "comments avoid the words of AVOIDED", &found);
}
