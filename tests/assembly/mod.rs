//! The assembly files: the functions that each defines, and their banners.
#![allow(dead_code)] // each test binary uses a part of it

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

pub const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// A file, and the architecture that has its ISA word.
pub struct Source {
    pub path: PathBuf,
    pub arch: String,
    pub functions: Vec<Function>,
}

pub struct Function {
    pub symbol: String,
    /// The lines of its banner, without the slashes; none if no comment has its prototype.
    pub banner: Vec<String>,
}

impl Source {
    /// The path below `asm`, written as one word.
    pub fn name(&self) -> String {
        let family = self.path.parent().and_then(Path::file_name).unwrap().display().to_string();
        format!("{family}_{}", self.path.file_stem().unwrap().display())
    }
}

/// All files. Empty if the sources are missing, as in some emulators.
pub fn sources() -> Vec<Source> {
    sources_of(Path::new(ROOT))
}

/// The files of the tree at `root`.
pub fn sources_of(root: &Path) -> Vec<Source> {
    let entries = |folder: &Path| -> Vec<PathBuf> {
        let paths = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
        paths.collect()
    };
    let families = entries(&root.join("asm"));
    let mut files: Vec<_> = families.iter().flat_map(|family| entries(family)).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "S"));
    files.sort();
    let arch_of = architectures(root);
    let source = |path: PathBuf| {
        let word = path.file_stem().unwrap().to_str().unwrap().rsplit('_').next().unwrap();
        let arch = arch_of.get(word).unwrap_or_else(|| panic!("{}: {word} is not an ISA word", path.display())).clone();
        Source { functions: functions(&fs::read_to_string(&path).unwrap()), arch, path }
    };
    files.into_iter().map(source).collect()
}

/// The text of every `kernels.rs` below `src`, where kernels are declared.
pub fn declarations() -> Vec<String> {
    fn collect(folder: &Path, texts: &mut Vec<String>) {
        texts.extend(fs::read_to_string(folder.join("kernels.rs")));
        let paths = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
        paths.filter(|path| path.is_dir()).for_each(|path| collect(&path, texts));
    }
    let mut texts = Vec::new();
    collect(&Path::new(ROOT).join("src"), &mut texts);
    texts
}

/// Symbol and rows of each kernel, as [`rows_and_facts`] returns them.
pub fn kernels() -> BTreeMap<String, Vec<(String, Option<String>)>> {
    let mut kernels = BTreeMap::new();
    for text in declarations() {
        let code: Vec<_> = text.lines().map(|line| line.split("//").next().unwrap()).collect();
        for declaration in code.join("\n").split("kernel! {").skip(1) {
            let symbol = declaration.split('"').nth(1).expect("a symbol").to_owned();
            let (_, rest) = declaration.split_once(';').expect("a signature");
            kernels.insert(symbol, rows_and_facts(rest.split('}').next().unwrap()));
        }
    }
    kernels
}

/// The rows that stand behind the signature of a declaration, `avx2 assembly`, best first; each with the fact of a CPU
/// for which a call skips it.
pub fn rows_and_facts(text: &str) -> Vec<(String, Option<String>)> {
    const ISAS: [&str; 6] = ["avx512icl", "avx512", "avx2gfni", "avx2", "sse2", "neon"];
    let mut rows = Vec::new();
    for (key, isas) in text.split(';').filter_map(|list| list.split_once(':')) {
        let forms: &[&str] = match key.trim() {
            "rows" => &["assembly", "intrinsics"],
            "assembly" => &["assembly"],
            "intrinsics" => &["intrinsics"],
            "header" => &[],
            key => panic!("`{key}` is not a list of rows"),
        };
        let isas = match isas.trim() {
            "all" => "avx512, avx2, sse2, neon",
            isas => isas,
        };
        for row in isas.split(',').map(str::trim) {
            let (isa, fact) = match row.split_once(" unless ") {
                Some((isa, fact)) => (isa, Some(fact.to_owned())),
                None => (row, None),
            };
            rows.extend(forms.iter().map(|form| (format!("{isa} {form}"), fact.clone())));
        }
    }
    rows.sort_by_key(|(row, _)| (ISAS.iter().position(|isa| row.starts_with(&format!("{isa} "))), row.clone()));
    rows.push(("scalar reference".to_owned(), None));
    rows
}

/// The architecture of each ISA word, from build.rs.
fn architectures(root: &Path) -> BTreeMap<String, String> {
    let Ok(build) = fs::read_to_string(root.join("build.rs")) else { return BTreeMap::new() };
    let table = build.split("const ISA_WORDS").nth(1).unwrap().split(';').nth(1).unwrap();
    // `("arch", &["word", ..])`: the strings are the odd pieces, and an architecture follows a parenthesis.
    let pieces: Vec<_> = table.split('"').collect();
    let mut arch_of = BTreeMap::new();
    let mut arch = "";
    for pair in pieces.chunks_exact(2) {
        match pair[0].ends_with('(') {
            true => arch = pair[1],
            false => drop(arch_of.insert(pair[1].to_owned(), arch.to_owned())),
        }
    }
    arch_of
}

fn functions(text: &str) -> Vec<Function> {
    let mut blocks = vec![Vec::new()];
    for line in text.lines() {
        match line.strip_prefix("//") {
            Some(comment) => blocks.last_mut().unwrap().push(comment.to_owned()),
            None => blocks.push(Vec::new()),
        }
    }
    let symbols = text.lines().filter_map(|line| line.strip_prefix("FUNC(")?.strip_suffix(')'));
    let banner = |symbol: &str| {
        let prototype = format!(" {symbol}(");
        blocks.iter().find(|block| block.iter().any(|line| line.contains(&prototype))).cloned().unwrap_or_default()
    };
    symbols.map(|symbol| Function { banner: banner(symbol), symbol: symbol.to_owned() }).collect()
}

impl Function {
    /// The text of `field`, up to the next field. A field starts a line or follows two spaces.
    pub fn field(&self, field: &str) -> Option<String> {
        const FIELDS: [&str; 8] = ["In", "Out", "Uses", "Stack", "Loop", "Bound", "Tail", "Prototype"];
        let mut found: Option<String> = None;
        let mut current = "";
        for line in &self.banner {
            // Continued lines are indented by ten.
            for piece in line.trim_start().split("  ").map(str::trim).filter(|piece| !piece.is_empty()) {
                let word = piece.split(' ').next().unwrap();
                let (name, rest) = match FIELDS.iter().find(|name| **name == word) {
                    Some(name) => (*name, piece[word.len()..].trim()),
                    None => (current, piece),
                };
                current = name;
                if name == field {
                    let text = found.get_or_insert_default();
                    *text = format!("{text} {rest}").trim().to_owned();
                }
            }
        }
        found
    }

    /// The bytes of stack that the banner declares.
    pub fn stack(&self) -> usize {
        let stack = self.field("Stack").unwrap_or_else(|| panic!("{}: the banner has no Stack", self.symbol));
        match stack.split_whitespace().find_map(|word| word.parse().ok()) {
            Some(bytes) => bytes,
            None if stack.starts_with("none") => 0,
            None => panic!("{}: a stack of {stack:?}", self.symbol),
        }
    }

    /// The sentence that a banner begins with.
    pub fn title(&self) -> String {
        let lines = self.banner.iter().map(|line| line.trim()).take_while(|line| !line.is_empty());
        lines.collect::<Vec<_>>().join(" ")
    }

    /// The C prototype.
    pub fn prototype(&self) -> String {
        let lines = self.banner.iter().skip_while(|line| !line.trim().is_empty()).map(|line| line.trim());
        let lines = lines.skip_while(|line| line.is_empty()).take_while(|line| !line.is_empty());
        lines.collect::<Vec<_>>().join(" ")
    }
}

/// Runs `work` on each item, using all cores.
pub fn in_parallel<T: Sync>(items: &[T], work: impl Fn(&T) + Sync) {
    let next = std::sync::atomic::AtomicUsize::new(0);
    let workers = std::thread::available_parallelism().map_or(1, |count| count.get());
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                    work(item);
                }
            });
        }
    });
}
