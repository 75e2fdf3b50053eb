//! The documents that speak of the repository's files.

use crate::tree::{entries, read};

/// The pages that describe this version, with their text. CHANGELOG describes others too.
pub fn documents() -> Vec<(String, String)> {
    let own =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "asm/README.md", "tests/faults/README.md"];
    let pages = entries().into_iter().filter(|path| path.starts_with("docs/") && path.ends_with(".md"));
    own.map(str::to_owned).into_iter().chain(pages).map(|path| (read(&path), path)).map(|(a, b)| (b, a)).collect()
}

/// The code spans of a page: what stands between single backticks.
pub fn spans(text: &str) -> Vec<&str> {
    let outside = text.split("```").step_by(2);
    outside.flat_map(|part| part.split('`').skip(1).step_by(2)).collect()
}

/// The words of a page's code spans and code blocks.
pub fn code(text: &str) -> Vec<&str> {
    let blocks = text.split("```").skip(1).step_by(2);
    spans(text).into_iter().chain(blocks.flat_map(str::lines)).collect()
}

/// The text before the first `end` after `begin`.
pub fn between<'a>(text: &'a str, begin: &str, end: &str) -> &'a str {
    let (_, after) = text.split_once(begin).unwrap_or_else(|| panic!("no {begin:?}"));
    after.split(end).next().unwrap()
}

/// The cells of the rows of a table, without its head.
pub fn rows(table: &str) -> Vec<Vec<&str>> {
    let lines = table.lines().skip_while(|line| !line.starts_with("|-") && !line.starts_with("| -")).skip(1);
    let rows = lines.take_while(|line| line.starts_with('|'));
    rows.map(|line| line.trim_matches('|').split('|').map(str::trim).collect()).collect()
}
