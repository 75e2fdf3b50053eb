//! Macros of assembly files: those that a function reaches, and how deep. Headers, and the files that include them.

use std::collections::{BTreeMap, BTreeSet};

use crate::tree::read;

struct Unit {
    /// Words that begin the statements of each macro.
    macros: BTreeMap<String, BTreeSet<String>>,
    functions: BTreeMap<String, BTreeSet<String>>,
}

/// For each function of an assembly file: its name, the number of macros that it reaches, and the depth.
pub fn functions(path: &str) -> Vec<(String, usize, usize)> {
    let mut unit = Unit { macros: BTreeMap::new(), functions: BTreeMap::new() };
    add(path, &mut unit, &mut BTreeSet::new());
    let depths = unit.functions.iter().map(|(name, calls)| {
        let (mut reached, mut depth, mut level) = (BTreeSet::new(), 0, calls.clone());
        loop {
            let next: BTreeSet<_> = level.iter().flat_map(|word| named(word, &unit.macros)).collect();
            let new: Vec<_> = next.into_iter().filter(|name| reached.insert(*name)).collect();
            if new.is_empty() {
                break;
            }
            depth += 1;
            level = new.iter().flat_map(|name| unit.macros[*name].iter().cloned()).collect();
        }
        (name.clone(), reached.len(), depth)
    });
    depths.collect()
}

/// The macros that a word may call. An argument in it stands for any characters.
fn named<'a>(word: &str, macros: &'a BTreeMap<String, BTreeSet<String>>) -> Vec<&'a str> {
    let Some((head, _)) = word.split_once('\\') else {
        return macros.get_key_value(word).map(|(name, _)| name.as_str()).into_iter().collect();
    };
    if head.is_empty() {
        return Vec::new();
    }
    macros.keys().map(String::as_str).filter(|name| name.starts_with(head)).collect()
}

fn add(path: &str, unit: &mut Unit, seen: &mut BTreeSet<String>) {
    if path.ends_with("/hl.h") || !seen.insert(path.to_owned()) {
        return;
    }
    let (mut open, mut function) = (Vec::<String>::new(), None::<String>);
    for line in read(path).lines() {
        let line = line.split("//").next().unwrap().trim();
        if let Some(file) = line.strip_prefix("#include \"").and_then(|rest| rest.strip_suffix('"')) {
            let folder = path.rsplit_once('/').unwrap().0;
            add(&format!("{folder}/{file}"), unit, seen);
        } else if let Some(name) = line.strip_prefix("FUNC(").and_then(|rest| rest.strip_suffix(')')) {
            function = Some(name.to_owned());
            unit.functions.insert(name.to_owned(), BTreeSet::new());
        } else if line.starts_with("END(") {
            function = None;
        } else if let Some(rest) = line.strip_prefix(".macro ") {
            let name = rest.trim().split([' ', ',', '\t']).next().unwrap().to_owned();
            unit.macros.entry(name.clone()).or_default();
            open.push(name);
        } else if line == ".endm" {
            open.pop();
        } else if let Some(word) = line.split_whitespace().next() {
            let calls = match (open.last(), &function) {
                (Some(name), _) => unit.macros.get_mut(name),
                (None, Some(name)) => unit.functions.get_mut(name),
                (None, None) => None,
            };
            calls.into_iter().for_each(|calls| _ = calls.insert(word.to_owned()));
        }
    }
}

/// How prose names the instruction set of a file.
fn instruction_set(path: &str) -> Option<&'static str> {
    let (stem, _) = path.rsplit_once('.').unwrap();
    match stem.rsplit_once('_')?.1 {
        "sse2" => Some("SSE2"),
        "avx2" | "avx2gfni" => Some("AVX2"),
        "avx512" | "avx512icl" => Some("AVX-512"),
        "neon" => Some("NEON"),
        _ => None,
    }
}

/// The instruction sets that the name of a header and the first paragraph of its first comment name.
pub fn named_sets(path: &str) -> BTreeSet<&'static str> {
    let text = read(path);
    let title = text.lines().take_while(|line| line.len() > "//".len() && line.starts_with("//")).collect::<String>();
    let in_title = ["SSE2", "AVX2", "AVX-512", "NEON"].into_iter().filter(|set| title.contains(set));
    in_title.chain(instruction_set(path)).collect()
}

/// The instruction sets of the `.S` files that include each header, directly or through others.
pub fn including_sets<'a>(paths: impl Iterator<Item = &'a str>) -> BTreeMap<String, BTreeSet<&'static str>> {
    let mut found = BTreeMap::<String, BTreeSet<&'static str>>::new();
    for path in paths {
        let mut included = BTreeSet::new();
        add(path, &mut Unit { macros: BTreeMap::new(), functions: BTreeMap::new() }, &mut included);
        for header in included.into_iter().filter(|file| file.ends_with(".h")) {
            found.entry(header).or_default().extend(instruction_set(path));
        }
    }
    found
}
