//! The banners of the assembly files say what the functions do: title and prototype are compared
//! with the kernel's declaration and the header, the registers of `Uses` and the bytes of `Stack`
//! with the disassembled object.
#![cfg(target_os = "linux")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use crate::{
    assembly::{self, Function, Source},
    c, code,
};

/// What a function does to registers and stack.
#[derive(Default)]
struct Seen {
    written: BTreeSet<String>,
    stack: usize,
}

/// Every function, by the tools of its architecture where these are installed.
#[test]
fn uses_and_stack_are_those_of_the_code() {
    let wrong = Mutex::new(Vec::new());
    let mut sources = assembly::sources();
    for arch in ["x86_64", "aarch64"] {
        if tools(arch).is_none() {
            println!("{arch}: not run, there is no compiler or objdump for it");
            sources.retain(|source| source.arch != arch);
        }
    }
    assembly::in_parallel(&sources, |source| {
        let seen = seen(source);
        for function in &source.functions {
            let symbol = &function.symbol;
            let Seen { written, stack } = &seen[symbol.as_str()];
            let uses = function.field("Uses").unwrap_or_default();
            let mut faults = Vec::new();
            if listed(&uses) != *written {
                faults.push(format!("{symbol}: Uses is {}", list(written)));
            }
            if function.field("Stack").is_none() || function.stack() != *stack {
                faults.push(format!("{symbol}: Stack is {stack}"));
            }
            wrong.lock().unwrap().append(&mut faults);
        }
    });
    let mut wrong = wrong.into_inner().unwrap();
    wrong.sort();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn titles_are_those_of_the_declarations() {
    let mut titles = BTreeMap::new();
    for text in assembly::declarations() {
        for declaration in text.split("kernel! {").skip(1) {
            let doc = declaration.lines().skip(1).map(str::trim).map_while(|line| line.strip_prefix("///"));
            let paragraph = doc.map(str::trim).take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
            let code = declaration.lines().find(|line| line.trim_start().starts_with('"')).expect("a symbol");
            titles.insert(code.split('"').nth(1).unwrap().to_owned(), sentence(&paragraph));
        }
    }
    let sources = assembly::sources();
    let functions = sources.iter().flat_map(|source| &source.functions);
    let wrong: Vec<_> = functions
        .filter(|function| titles.get(kernel(function)) != Some(&function.title()))
        .map(|function| format!("{}: the title is {:?}", function.symbol, titles.get(kernel(function))))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn prototypes_are_those_of_the_headers() {
    let prototypes = [c::HEADER, c::KERNELS].into_iter().flat_map(c::prototypes);
    let declared: BTreeMap<_, _> = prototypes.map(|text| (c::declared_name(&text).to_owned(), text)).collect();
    let sources = assembly::sources();
    let functions = sources.iter().flat_map(|source| &source.functions);
    let wrong: Vec<_> = functions
        .filter(|function| {
            let prototype = function.prototype().replace(&function.symbol, kernel(function));
            declared.get(kernel(function)) != Some(&c::words(prototype.trim_end_matches(';')))
        })
        .map(|function| format!("{}: the prototype is {:?}", function.symbol, declared.get(kernel(function))))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The symbol of the kernel of which this is a variant.
fn kernel(function: &Function) -> &str {
    function.symbol.rsplit_once('_').unwrap().0
}

/// The first sentence of a paragraph of Rust documentation, as a comment in assembly says it: links
/// are plain words.
fn sentence(paragraph: &str) -> String {
    let plain = paragraph.replace("[`", "").replace("()`]", "").replace("`]", "");
    let ends = plain.match_indices(". ").map(|(at, _)| at + 1);
    let end = ends.into_iter().find(|at| plain[at + 1..].starts_with(char::is_uppercase));
    plain[..end.unwrap_or(plain.len())].to_owned()
}

/// The compiler and objdump for an architecture.
fn tools(arch: &str) -> Option<(PathBuf, PathBuf)> {
    if arch == std::env::consts::ARCH {
        return c::CC.map(|cc| (cc.into(), c::tool("objdump")));
    }
    let [cc, objdump] = ["gcc", "objdump"].map(|tool| PathBuf::from(format!("{arch}-linux-gnu-{tool}")));
    let runs = |tool: &Path| Command::new(tool).arg("--version").output().is_ok_and(|output| output.status.success());
    (runs(&cc) && runs(&objdump)).then_some((cc, objdump))
}

fn seen(source: &Source) -> BTreeMap<String, Seen> {
    let (cc, objdump) = tools(&source.arch).expect("asked before");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("banners");
    fs::create_dir_all(&folder).unwrap();
    let object = folder.join(source.name()).with_extension("o");
    c::succeed(Command::new(cc).arg(format!("-I{}/asm", c::ROOT)).args(["-c", "-o"]).arg(&object).arg(&source.path));
    let listing = c::succeed(Command::new(objdump).args(code::options(&source.arch)).arg(&object));
    let functions = code::functions(&listing);
    let by_arch = |code: &code::Code| -> Seen {
        let written = code.iter().flat_map(|(_, text)| code::written(&source.arch, text));
        Seen { written: written.collect(), stack: code::depth(&source.arch, code) }
    };
    functions.iter().map(|(name, code)| (name.clone(), by_arch(code))).collect()
}

/// Registers as `Uses` writes them, with ranges: vectors of any width are one.
fn listed(text: &str) -> BTreeSet<String> {
    let mut registers = BTreeSet::new();
    for item in text.split([',', ';']).map(str::trim) {
        let (from, to) = item.split_once("..").unwrap_or((item, item));
        let split = |name: &str| {
            let digits = name.find(|c: char| c.is_ascii_digit()).unwrap_or(name.len());
            (name[..digits].to_owned(), name[digits..].parse::<u32>().ok())
        };
        match (split(from), split(to)) {
            ((class, Some(from)), (_, Some(to))) => {
                let class = if class.ends_with("mm") { "mm" } else { &class };
                registers.extend((from..=to).map(|number| format!("{class}{number}")));
            }
            _ => drop(registers.insert(item.to_owned())),
        }
    }
    registers
}

/// The other way round, for messages: `mm` stands for the width.
fn list(registers: &BTreeSet<String>) -> String {
    registers.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}
