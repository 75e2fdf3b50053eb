//! Circles of imports: files that reach each other by `use`.
//!
//! A path leads to the file that defines its first segment that is no module. Re-exports are not followed. A child may
//! use the items of the modules around it.

use std::collections::{BTreeMap, BTreeSet};

use crate::rust::{blank, defines, imports, modules};
use crate::tree::{entries, read};

struct File {
    text: String,
    module: Vec<String>,
}

type Crate = BTreeMap<Vec<String>, String>;

/// The circles of all crates, each as its files in one line.
pub fn circles() -> BTreeSet<String> {
    let all = entries();
    let is_root = |path: &&String| {
        (path.ends_with("/lib.rs") || path.ends_with("/main.rs"))
            && !path.split('/').any(|part| ["tests", "fuzz", "examples"].contains(&part))
    };
    let mut found = BTreeSet::new();
    for root in all.iter().filter(is_root) {
        let (files, paths) = open(root, &all);
        let arrows: BTreeMap<&str, BTreeSet<&str>> =
            files.iter().map(|(path, file)| (path.as_str(), targets(path, file, &files, &paths))).collect();
        let reached: BTreeMap<&str, BTreeSet<&str>> = arrows.keys().map(|path| (*path, reach(path, &arrows))).collect();
        for (path, reached_from) in &reached {
            let members = reached_from.iter().filter(|other| reached[*other].contains(path));
            let members: BTreeSet<&str> = members.copied().chain([*path]).collect();
            if members.len() > 1 {
                found.insert(members.into_iter().collect::<Vec<_>>().join(" "));
            }
        }
    }
    found
}

/// The files of a crate by path, and their paths by module.
fn open(root: &str, all: &BTreeSet<String>) -> (BTreeMap<String, File>, Crate) {
    let (mut files, mut paths) = (BTreeMap::new(), Crate::new());
    let mut waiting = vec![(root.to_owned(), Vec::new())];
    while let Some((path, module)) = waiting.pop() {
        let text = blank(&read(&path));
        let (folder, name) = path.rsplit_once('/').unwrap();
        let is_folder = ["lib.rs", "main.rs", "mod.rs"].contains(&name);
        let here = if is_folder { folder.to_owned() } else { path.trim_end_matches(".rs").to_owned() };
        for child in modules(&text) {
            let files = [format!("{here}/{child}.rs"), format!("{here}/{child}/mod.rs")];
            if let Some(file) = files.into_iter().find(|file| all.contains(file)) {
                waiting.push((file, [module.clone(), vec![child]].concat()));
            }
        }
        paths.insert(module.clone(), path.clone());
        files.insert(path, File { text, module });
    }
    (files, paths)
}

fn targets<'a>(path: &str, file: &File, files: &BTreeMap<String, File>, paths: &'a Crate) -> BTreeSet<&'a str> {
    let text = file.text.split("#[cfg(test)]\nmod ").next().unwrap();
    let mut found = BTreeSet::new();
    for import in imports(text) {
        let Some((mut at, mut rest)) = begin(&import, file, paths) else { continue };
        while let Some((next, after)) = rest.split_first() {
            let longer = [at.clone(), vec![next.clone()]].concat();
            if !paths.contains_key(&longer) {
                break;
            }
            (at, rest) = (longer, after);
        }
        let Some(target) = paths.get(&at) else { continue };
        let is_named = rest.first().is_none_or(|name| name == "*" || defines(&files[target].text, name));
        if target != path && !file.module.starts_with(&at) && is_named {
            found.insert(target.as_str());
        }
    }
    found
}

/// The module at which a path begins, and the segments after it. None: another crate's.
fn begin<'a>(import: &'a [String], file: &File, paths: &Crate) -> Option<(Vec<String>, &'a [String])> {
    let module = file.module.clone();
    match import.first()?.as_str() {
        "crate" => Some((Vec::new(), &import[1..])),
        "self" => Some((module, &import[1..])),
        "super" => {
            let count = import.iter().take_while(|segment| *segment == "super").count();
            Some((module[..module.len().saturating_sub(count)].to_vec(), &import[count..]))
        }
        first => paths.contains_key(&[module.clone(), vec![first.to_owned()]].concat()).then_some((module, import)),
    }
}

fn reach<'a>(from: &str, arrows: &BTreeMap<&'a str, BTreeSet<&'a str>>) -> BTreeSet<&'a str> {
    let (mut found, mut waiting) = (BTreeSet::new(), vec![from]);
    while let Some(path) = waiting.pop() {
        for next in &arrows[path] {
            if found.insert(*next) {
                waiting.push(next);
            }
        }
    }
    found
}
