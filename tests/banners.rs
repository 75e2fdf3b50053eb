//! Checks the banners of the assembly functions. Title and prototype must match the kernel's
//! declaration and the header. The registers of `Uses` and the bytes of `Stack` must match the
//! disassembly.
#![cfg(target_os = "linux")]

mod assembly;
mod c;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use assembly::{Function, Source};

/// A function's effect on registers and stack.
#[derive(Default)]
struct Seen {
    written: BTreeSet<String>,
    stack: usize,
}

/// Every function, if the tools of its architecture are installed.
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
    for folder in fs::read_dir(format!("{}/src", c::ROOT)).unwrap().map(|entry| entry.unwrap().path()) {
        let Ok(text) = fs::read_to_string(folder.join("mod.rs")) else { continue };
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
fn prototypes_are_those_of_the_header() {
    let header: BTreeMap<_, _> =
        c::prototypes().into_iter().map(|text| (c::declared_name(&text).to_owned(), text)).collect();
    let sources = assembly::sources();
    let functions = sources.iter().flat_map(|source| &source.functions);
    let wrong: Vec<_> = functions
        .filter(|function| {
            let prototype = function.prototype().replace(&function.symbol, kernel(function));
            header.get(kernel(function)) != Some(&c::words(prototype.trim_end_matches(';')))
        })
        .map(|function| format!("{}: the prototype is {:?}", function.symbol, header.get(kernel(function))))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The symbol of this variant's kernel.
fn kernel(function: &Function) -> &str {
    function.symbol.rsplit_once('_').unwrap().0
}

/// The first sentence of a Rust doc comment in the form of an assembly comment: links become plain
/// words.
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
    let syntax = if source.arch == "x86_64" { &["-M", "intel"][..] } else { &[] };
    let options = ["-d", "-w", "--no-show-raw-insn"];
    let listing = c::succeed(Command::new(objdump).args(options).args(syntax).arg(&object));
    let mut functions: BTreeMap<String, Vec<(u64, String)>> = BTreeMap::new();
    let mut name = String::new();
    for line in listing.lines() {
        if let Some((_, symbol)) = line.strip_suffix(">:").and_then(|line| line.split_once(" <")) {
            name = symbol.to_owned();
        } else if let Some((address, text)) = line.split_once(":\t") {
            let address = u64::from_str_radix(address.trim(), 16).unwrap();
            functions.entry(name.clone()).or_default().push((address, text.trim().to_owned()));
        }
    }
    let by_arch = |code: &Vec<(u64, String)>| -> Seen {
        let written = code.iter().flat_map(|(_, text)| match source.arch.as_str() {
            "x86_64" => x86_64::written(text),
            _ => aarch64::written(text),
        });
        Seen { written: written.collect(), stack: depth(&source.arch, code) }
    };
    functions.iter().map(|(name, code)| (name.clone(), by_arch(code))).collect()
}

/// The maximum depth in bytes below the caller's stack pointer. A jump passes its depth to its
/// target. Code reached only by computed jumps gets the greatest depth.
fn depth(arch: &str, code: &[(u64, String)]) -> usize {
    let (mut depth, mut most) = (0_usize, 0);
    let mut at_target = BTreeMap::new();
    for (address, text) in code {
        depth = at_target.get(address).copied().unwrap_or(depth);
        let (mnemonic, operands) = parts(text);
        depth = depth.saturating_add_signed(match arch {
            "x86_64" => x86_64::grows(&mnemonic, &operands, depth),
            _ => aarch64::grows(&mnemonic, &operands),
        });
        most = most.max(depth);
        if let Some(target) =
            operands.last().and_then(|operand| u64::from_str_radix(operand.split(' ').next()?, 16).ok())
            && mnemonic.starts_with(['j', 'b', 'c', 't'])
        {
            at_target.entry(target).or_insert(depth);
        }
        if ["ret", "jmp", "b", "br"].contains(&mnemonic.as_str()) {
            depth = most;
        }
    }
    most
}

/// The mnemonic, without its prefixes, and the operands of an instruction.
fn parts(text: &str) -> (String, Vec<String>) {
    let text = text.split(" # ").next().unwrap();
    let text = text.split("//").next().unwrap();
    let mut rest = text.trim();
    let mut mnemonic = "";
    while !rest.is_empty() {
        let (word, after) = rest.split_once([' ', '\t']).unwrap_or((rest, ""));
        (mnemonic, rest) = (word, after.trim());
        if !["notrack", "data16", "cs", "rep", "repz", "lock", "bnd"].contains(&word) {
            break;
        }
    }
    let mut operands = vec![String::new()];
    let mut depth = 0;
    for character in rest.chars() {
        depth += i32::from("[{(".contains(character)) - i32::from("]})".contains(character));
        match character == ',' && depth == 0 {
            true => operands.push(String::new()),
            false => operands.last_mut().unwrap().push(character),
        }
    }
    operands.iter_mut().for_each(|operand| *operand = operand.trim().to_owned());
    (mnemonic.to_owned(), operands)
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

/// The inverse, for messages: `mm` replaces the width.
fn list(registers: &BTreeSet<String>) -> String {
    registers.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}

mod x86_64 {
    use super::parts;

    const NAMES: [&str; 8] = ["ax", "cx", "dx", "bx", "si", "di", "bp", "sp"];

    /// A register of any width under one name: `rax`, `r8`, `mm3`, `k1`.
    fn register(name: &str) -> Option<String> {
        let name = name.split('{').next().unwrap().trim();
        if name.contains(['[', ' ']) {
            return None;
        }
        for (low, class) in [("xmm", "mm"), ("ymm", "mm"), ("zmm", "mm")] {
            if let Some(number) = name.strip_prefix(low) {
                return Some(format!("{class}{number}"));
            }
        }
        if let Some(number) = name.strip_prefix('k').filter(|rest| rest.len() == 1) {
            return Some(format!("k{number}"));
        }
        let core = name.trim_start_matches(['r', 'e']);
        if name.starts_with('r') && core.starts_with(|c: char| c.is_ascii_digit()) {
            return Some(format!("r{}", core.trim_end_matches(['d', 'w', 'b'])));
        }
        let byte = [("al", "ax"), ("ah", "ax"), ("cl", "cx"), ("ch", "cx"), ("dl", "dx"), ("dh", "dx"), ("bl", "bx")];
        let more = [("bh", "bx"), ("sil", "si"), ("dil", "di"), ("bpl", "bp"), ("spl", "sp")];
        let word = byte.iter().chain(&more).find(|(short, _)| *short == name).map_or(core, |(_, word)| word);
        NAMES.contains(&word).then(|| format!("r{word}"))
    }

    pub fn written(text: &str) -> Vec<String> {
        let (mnemonic, operands) = parts(text);
        let mnemonic = mnemonic.as_str();
        let reads =
            ["cmp", "test", "push", "bt", "ret", "call", "nop", "nopw", "endbr64", "vzeroupper", "ud2", "xchg ax"];
        let compares =
            ["ucomi", "comi", "vucomi", "vcomi", "ptest", "vptest", "vtestp", "ktest", "kortest", "prefetch"];
        let none = reads.contains(&mnemonic)
            || mnemonic.starts_with('j')
            || compares.iter().any(|start| mnemonic.starts_with(start))
                && !mnemonic.starts_with("vptestn")
                && !mnemonic.starts_with("vptestm");
        let named: Vec<String> = match (mnemonic, operands.len()) {
            _ if none => Vec::new(),
            ("mul" | "div" | "idiv" | "imul", 1) => vec!["rax".into(), "rdx".into()],
            ("cqo" | "cdq", _) => vec!["rdx".into()],
            ("xchg" | "mulx", _) => operands[..2].iter().filter_map(|operand| register(operand)).collect(),
            _ => register(&operands[0]).into_iter().collect(),
        };
        // A gather clears its mask: an operand of its own, or the one in braces.
        let mut named = named;
        if mnemonic.contains("gather") {
            let mask = operands.get(2).map(String::as_str);
            let braced = operands[0].split(['{', '}']).nth(1);
            named.extend(mask.or(braced).and_then(register));
        }
        named.retain(|name| name != "rsp");
        named
    }

    /// The maximum by which an instruction lowers the stack pointer. The stack pointer is `depth`
    /// bytes below a position that is 8 modulo 16.
    pub fn grows(mnemonic: &str, operands: &[String], depth: usize) -> isize {
        let number = |text: &str| i64::from_str_radix(text.trim_start_matches("0x"), 16).ok();
        match (mnemonic, operands) {
            ("push" | "call", _) => 8,
            ("pop", _) => -8,
            ("sub", [to, by]) if to == "rsp" => number(by).map_or(0, |by| by as isize),
            ("add", [to, by]) if to == "rsp" => number(by).map_or(0, |by| -by as isize),
            ("and", [to, mask]) if to == "rsp" => {
                let mask = u64::from_str_radix(mask.trim_start_matches("0x"), 16).unwrap();
                mask.wrapping_neg() as isize - 16 + (8 - depth as isize).rem_euclid(16)
            }
            ("lea", [to, from]) if to == "rsp" => {
                let by = |sign: &str| from.strip_suffix(']')?.split_once(sign).and_then(|(_, by)| number(by));
                by("-").map_or_else(|| -by("+").unwrap_or(0) as isize, |by| by as isize)
            }
            _ => 0,
        }
    }
}

mod aarch64 {
    use super::parts;

    fn register(name: &str) -> Option<String> {
        let name = name.split(['.', '[']).next().unwrap().trim();
        let (class, number) = name.split_at_checked(1)?;
        number.parse::<u32>().ok()?;
        match class {
            "x" | "w" => Some(format!("x{number}")),
            "v" | "q" | "d" | "s" | "h" | "b" => Some(format!("v{number}")),
            _ => None,
        }
    }

    pub fn written(text: &str) -> Vec<String> {
        let (mnemonic, operands) = parts(text);
        let mnemonic = mnemonic.as_str();
        let reads =
            ["cmp", "cmn", "tst", "ccmp", "fcmp", "fcmpe", "cbz", "cbnz", "tbz", "tbnz", "br", "b", "bl", "ret"];
        let none = reads.contains(&mnemonic)
            || ["b.", "hint", "bti", "nop", "prfm"].iter().any(|start| mnemonic.starts_with(start));
        let mut named = Vec::new();
        if !none && !mnemonic.starts_with("st") {
            let pair = matches!(mnemonic, "ldp" | "ldnp" | "ldpsw");
            for operand in &operands[..if pair { 2 } else { 1 }] {
                match operand.strip_prefix('{') {
                    None => named.extend(register(operand)),
                    // {v0.16b-v3.16b} or {v0.16b, v1.16b}
                    Some(vectors) => {
                        let vectors = vectors.split('}').next().unwrap();
                        let ends: Vec<_> = vectors.split(['-', ',']).filter_map(register).collect();
                        let number = |name: &String| name[1..].parse::<u32>().unwrap();
                        match vectors.contains('-') {
                            true => {
                                named.extend((number(&ends[0])..=number(&ends[1])).map(|number| format!("v{number}")))
                            }
                            false => named.extend(ends),
                        }
                    }
                }
            }
        }
        // The base register, if the instruction updates it.
        if let Some(at) = operands.iter().position(|operand| operand.starts_with('['))
            && (operands[at].ends_with('!') || operands.len() > at + 1 && !mnemonic.starts_with("prf"))
        {
            named.extend(register(operands[at].trim_start_matches('[').split([',', ']']).next().unwrap()));
        }
        named
    }

    pub fn grows(mnemonic: &str, operands: &[String]) -> isize {
        let number = |text: &str| -> Option<isize> {
            let text = text.trim().strip_prefix('#')?;
            let (sign, text) = text.strip_prefix('-').map_or((1, text), |text| (-1, text));
            let value = match text.strip_prefix("0x") {
                Some(digits) => isize::from_str_radix(digits, 16).ok()?,
                None => text.parse().ok()?,
            };
            Some(sign * value)
        };
        match (mnemonic, operands) {
            ("sub", [to, from, by]) if to == "sp" && from == "sp" => number(by).unwrap_or(0),
            ("add", [to, from, by]) if to == "sp" && from == "sp" => -number(by).unwrap_or(0),
            _ => {
                let stack = operands.iter().position(|operand| operand.starts_with("[sp"));
                let Some(at) = stack else { return 0 };
                let by = match operands[at].strip_suffix("]!") {
                    Some(address) => address.split(',').nth(1).and_then(number),
                    None => operands.get(at + 1).and_then(|by| number(by)),
                };
                -by.unwrap_or(0)
            }
        }
    }
}
