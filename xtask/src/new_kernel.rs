//! `cargo xtask new-kernel`.

use std::fs;
use std::path::Path;

use crate::Outcome;
use crate::tree::Tree;

/// Write the skeleton of a kernel, which builds and passes its tests
///
/// The skeleton computes magnitudes of floats: each of its pieces works, and is to be replaced by
/// that of the new kernel. It has the declaration, the reference, intrinsics and assembly for each
/// instruction set, the case of tests/contract/variants.rs, that of the benchmarks and the line of the C
/// header.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  cargo xtask new-kernel reduce/norm_f32")]
pub struct Arguments {
    /// The new kernel, in a family that exists, or in a folder of it as clifford/gate/norm_f32
    #[arg(value_name = "FAMILY/NAME")]
    kernel: String,
}

/// The instruction sets that the skeleton has, and their vectors of floats.
const ISAS: [(&str, &str, &str); 4] = [
    ("sse2", "x86_64", "__m128"),
    ("avx2", "x86_64", "__m256"),
    ("avx512", "x86_64", "__m512"),
    ("neon", "aarch64", "float32x4_t"),
];

const ASSEMBLY: [&str; 4] = [
    include_str!("../templates/sse2.S"),
    include_str!("../templates/avx2.S"),
    include_str!("../templates/avx512.S"),
    include_str!("../templates/neon.S"),
];

/// The header of kernels that may change. A kernel that users shall call moves to hotloops.h.
const HEADER: &str = "include/hotloops_kernels.h";

/// Words that no function can be called by.
const KEYWORDS: &str = "abstract as async await become box break const continue crate do dyn else enum extern false \
    final fn for gen if impl in let loop macro match mod move mut override priv pub ref return self static struct \
    super trait true try type typeof union unsafe unsized use virtual where while yield";

pub fn run(tree: &Tree, arguments: &Arguments) -> Outcome {
    let text = &arguments.kernel;
    let parts: Vec<_> = text.split('/').collect();
    let (family, folder, name) = match parts[..] {
        [family, name] => Some((family, None, name)),
        [family, folder, name] => Some((family, Some(folder), name)),
        _ => None,
    }
    .filter(|_| !parts.contains(&""))
    .ok_or_else(|| format!("`{text}` is not FAMILY/NAME, as reduce/norm_f32"))?;
    let kernels = tree.family(family)?;
    check_name(name)?;
    check_folder(tree, family, folder)?;
    if kernels.iter().any(|kernel| kernel == name) {
        return Err(format!("{family}/{name} exists"));
    }
    let files = skeleton(tree, family, folder, name)?;
    write(tree, &files)?;
    for file in &files {
        let verb = if file.old.is_some() { "extended" } else { "new" };
        println!("{verb:9} {}", file.path);
    }
    println!(
        "
The skeleton computes magnitudes of floats; tests/contract/variants.rs passes:
  cargo test --test contract -- variants::{family}::{name}
  cargo test --test dispatch --test c_api
Now replace each piece, in the order of src/guide/adding_a_kernel.rs. Two of its steps are left: the
safe function, and the test of the reference against the outside in tests/reference_{family}*, for
which tests/reference/kernels.rs fails until it is named there. If C programs shall call the kernel,
move its prototype to include/hotloops.h and delete `header: kernels;`."
    );
    Ok(true)
}

fn check_name(name: &str) -> Result<(), String> {
    let is_word = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        && !name.contains("__")
        && !name.ends_with('_');
    if !is_word {
        return Err(format!("`{name}` is no name: lower-case words of letters and digits, with `_` between them"));
    }
    if KEYWORDS.split(' ').any(|word| word == name) {
        return Err(format!("`{name}` is a word of Rust"));
    }
    let end = name.rsplit('_').next().unwrap_or_default();
    match ["scalar", "sse2", "avx2", "avx2gfni", "avx512", "avx512icl", "neon"].contains(&end) {
        true => Err(format!("`{name}` ends in an instruction set, as the symbols of variants do")),
        false => Ok(()),
    }
}

/// Kernels are where their references are: in the family's folder, or in folders of it.
fn check_folder(tree: &Tree, family: &str, folder: Option<&str>) -> Result<(), String> {
    let has_kernels = |path: &Path| path.join("scalar.rs").is_file();
    let place = folder.map_or(family.to_owned(), |folder| format!("{family}/{folder}"));
    if has_kernels(&tree.root.join("src").join(&place)) {
        return Ok(());
    }
    let source = tree.root.join("src").join(family);
    let entries = fs::read_dir(&source).map_err(|error| format!("src/{family}: {error}"))?.flatten();
    let entries = entries.filter(|entry| has_kernels(&entry.path()));
    let mut places: Vec<_> = entries.map(|entry| format!("{family}/{}", entry.file_name().display())).collect();
    places.sort();
    if has_kernels(&source) {
        places.insert(0, family.to_owned());
    }
    Err(format!("src/{place} has no kernels; they are in {}", places.join(" ")))
}

/// A file and what it is to hold.
struct Edit {
    path: String,
    old: Option<String>,
    new: String,
}

/// All files, in memory.
fn skeleton(tree: &Tree, family: &str, folder: Option<&str>, name: &str) -> Result<Vec<Edit>, String> {
    let fill = |template: &str| template.replace("FAMILY", family).replace("NAME", name);
    let mut files = Vec::new();
    let mut edit = |path: String, new: &dyn Fn(&str) -> Option<String>| -> Result<(), String> {
        let old = tree.read(&path)?;
        let new = new(&old).ok_or_else(|| format!("{path}: the place for the kernel is not found"))?;
        files.push(Edit { path, old: Some(old), new });
        Ok(())
    };
    let folder_path = folder.map_or(String::new(), |folder| format!("/{folder}"));
    let source = |file: &str| format!("src/{family}{folder_path}/{file}.rs");
    let appended = |template: &'static str| move |old: &str| Some(format!("{old}{}", fill(template)));

    let mut created: Vec<(String, String)> = Vec::new();
    // Files of the folder that the kernel needs and that no kernel needed before, and their modules.
    let is_missing = |file: &str| !tree.root.join(source(file)).is_file();
    let has_lanes = !is_missing("lanes");
    edit(source("mod"), &|old| {
        let old = if has_lanes { old.to_owned() } else { with_module(old, "lanes", "any(sse2, neon)")? };
        let mut missing = ISAS.iter().filter(|(isa, ..)| is_missing(isa));
        missing.try_fold(old, |text, (isa, ..)| with_module(&text, isa, isa))
    })?;
    edit(source("kernels"), &appended(include_str!("../templates/declaration.rs")))?;
    if let Some(folder) = folder {
        edit(format!("src/{family}/mod.rs"), &|old| with_line(old, "pub use ", &format!("pub use {folder}::{name};")))?;
    }
    edit("src/lib.rs".to_owned(), &|old| {
        let start = old.find(&format!("\n            {family} {{"))?;
        let end = start + old[start..].find('}')?;
        let list = old[..end].trim_end();
        Some(format!("{list}, {name}{}", &old[list.len()..]))
    })?;
    edit(source("scalar"), &appended(include_str!("../templates/reference.rs")))?;
    if has_lanes {
        edit(source("lanes"), &appended(include_str!("../templates/lanes.rs")))?;
    }
    for (isa, arch, vector) in ISAS {
        let template = include_str!("../templates/isa.rs").replace("ISA", isa).replace("ARCH", arch);
        let stamp = fill(&template.replace("VECTOR", vector));
        match is_missing(isa) {
            true => created.push((source(isa), format!("//! Kernels in intrinsics of {isa}.\n{stamp}"))),
            false => edit(source(isa), &|old| Some(format!("{old}{stamp}")))?,
        }
    }
    let cases = format!("tests/harness/cases/{family}");
    let folder = tree.root.join(&cases).is_dir();
    let cases = if folder { format!("{cases}/mod.rs") } else { format!("{cases}.rs") };
    edit(cases, &appended(include_str!("../templates/case.rs")))?;
    edit(format!("tests/harness/cases/sizes/{family}.rs"), &appended(include_str!("../templates/sizes.rs")))?;
    edit(format!("benches/support/src/cases/{family}.rs"), &appended(include_str!("../templates/bench.rs")))?;
    edit(HEADER.to_owned(), &|old| with_declaration(old, family, &fill(include_str!("../templates/header.h"))))?;
    let mut taken = files.iter().filter(|file| file.path != HEADER && file.path != "src/lib.rs");
    if let Some(file) = taken.find(|file| file.old.as_deref().is_some_and(|old| has_word(old, name))) {
        return Err(format!("{} uses the name `{name}`", file.path));
    }
    files.retain(|file| file.old.as_ref() != Some(&file.new));

    if !has_lanes {
        let title = "//! Kernels for any vector, which the instruction sets share.\n";
        created.push((source("lanes"), format!("{title}{}", fill(include_str!("../templates/lanes.rs")))));
    }
    for ((isa, ..), template) in ISAS.iter().zip(ASSEMBLY) {
        created.push((format!("asm/{family}/{name}_{isa}.S"), fill(template)));
    }
    for (path, new) in created {
        if tree.root.join(&path).exists() {
            return Err(format!("{path} exists"));
        }
        files.push(Edit { path, old: None, new });
    }
    Ok(files)
}

/// A declaration at the end of the family's section of the header, or in a new section.
fn with_declaration(header: &str, family: &str, declaration: &str) -> Option<String> {
    let close = header.rfind("\n#ifdef __cplusplus\n}")?;
    let Some(start) = header.find(&format!("\n// ---- {family}: ")).map(|start| start + 1) else {
        let section = format!("\n// ---- {family}: ----\n{declaration}");
        return Some(format!("{}{section}{}", &header[..close], &header[close..]));
    };
    let end = header[start..].find("\n// ---- ").map_or(close, |next| start + next);
    Some(format!("{}{declaration}{}", &header[..end], &header[end..]))
}

/// A module under a condition among the modules.
fn with_module(text: &str, name: &str, condition: &str) -> Option<String> {
    let module = format!("mod {name};");
    let text = with_line(text, "mod ", &module)?;
    Some(text.replacen(&format!("\n{module}"), &format!("\n#[cfg({condition})]\n{module}"), 1))
}

/// The line `new` among the items with this start: before the first that follows it, and its attribute.
fn with_line(text: &str, start: &str, new: &str) -> Option<String> {
    let items = || text.lines().filter(|line| line.starts_with(start));
    let place = |line: &str| Some(text.find(&format!("\n{line}\n"))? + 1);
    let at = match items().find(|line| *line > new) {
        Some(line) => {
            let at = place(line)?;
            let before = text[..at].trim_end().rfind('\n')? + 1;
            if text[before..at].starts_with("#[") { before } else { at }
        }
        None => {
            let last = place(items().next_back()?)?;
            last + text[last..].find(";\n")? + 2
        }
    };
    Some(format!("{}{new}\n{}", &text[..at], &text[at..]))
}

/// Whether code, not a comment, has this word.
fn has_word(text: &str, name: &str) -> bool {
    let code = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    code.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_')).any(|word| word == name)
}

/// Writes all files, or leaves all as they were: each is written beside its place, then they move.
fn write(tree: &Tree, files: &[Edit]) -> Result<(), String> {
    let place = |file: &Edit| tree.root.join(&file.path);
    let draft = |file: &Edit| place(file).with_extension("new-kernel");
    let drafted = files.iter().try_for_each(|file| {
        fs::write(draft(file), &file.new).map_err(|error| format!("{}: {error}; nothing is changed", file.path))
    });
    if drafted.is_err() {
        files.iter().for_each(|file| drop(fs::remove_file(draft(file))));
    }
    drafted?;
    files
        .iter()
        .try_for_each(|file| fs::rename(draft(file), place(file)).map_err(|error| format!("{}: {error}", file.path)))
}
