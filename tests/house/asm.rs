//! Macros of assembly files: those that a function reaches, and how deep.

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
