//! `cargo xtask abi`.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use crate::Outcome;
use crate::assembly;
use crate::code;
use crate::flow::Machine;
use crate::tools;
use crate::tree::{Tree, Variant};

/// Check a variant's duties under the ABI in its disassembly, along all paths
///
/// Callee-saved registers and the stack pointer come back; calls find the stack aligned; no upper
/// halves of vector registers stay in use (vzeroupper); MXCSR, FPCR and the direction flag are not
/// written; assembly leaves alone x18 and what is below the stack pointer. Lists what it calls.
/// Assembly of another architecture is checked with that one's compiler and objdump.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  cargo xtask abi reduce/sum_f32/avx2_assembly")]
pub struct Arguments {
    /// FAMILY/KERNEL/ISA_FORM, as `hotloops list` shows them
    variant: String,
}

pub fn run(tree: &Tree, arguments: &Arguments) -> Outcome {
    let variant = tree.variant(&arguments.variant)?;
    let (arch, symbol, listing) = disassembled(tree, &variant)?;
    let functions = code::functions(&listing);
    let function = functions.get(&symbol).ok_or_else(|| format!("objdump does not show {symbol}"))?;
    let machine = Machine::new(&arch);
    let findings = machine.check(function, &relocations(&listing, &symbol));
    let mut faults = findings.faults;
    let written: BTreeSet<String> = function.iter().flat_map(|(_, text)| code::written(&arch, text)).collect();
    if variant.is_assembly() {
        let below = function.iter().filter(|(_, text)| code::is_below_the_stack(&arch, text));
        faults.extend(below.map(|(address, text)| format!("{address:#x}: {text}: below the stack pointer")));
        // Compilers for Linux use x18.
        if arch == "aarch64" && written.contains("x18") {
            faults.insert("x18 is written".to_owned());
        }
    }
    let list = |names: Vec<&str>| if names.is_empty() { "none".to_owned() } else { names.join(" ") };
    let saved = machine.kept().iter().filter(|name| written.contains(*name)).map(String::as_str).collect();
    println!("{variant}: {} instructions, {} bytes of stack", function.len(), code::depth(&arch, function));
    println!("callee-saved registers used: {}", list(saved));
    println!("calls: {}", list(findings.calls.iter().map(String::as_str).collect()));
    for fault in &faults {
        println!("fault: {fault}");
    }
    for text in &findings.undecided {
        println!("undecided: {text}; tests/contract/variants.rs watches it");
    }
    if faults.is_empty() {
        println!("no fault");
    }
    Ok(faults.is_empty())
}

/// The architecture and the symbol of a variant, and a listing that has it.
fn disassembled(tree: &Tree, variant: &Variant) -> Result<(String, String, String), String> {
    let mut symbol = variant.symbol();
    let file = assembly::sources_of(&tree.root).into_iter();
    let file =
        file.filter(|_| variant.is_assembly()).find(|source| source.functions.iter().any(|f| f.symbol == symbol));
    let (arch, objdump, program) = match file {
        Some(source) => {
            let (cc, objdump) = tools::compiler(&source.arch)?;
            let object = tools::scratch(tree)?.join(source.name()).with_extension("o");
            let include = format!("-I{}", tree.root.join("asm").display());
            tools::output(Command::new(cc).args([&include, "-c", "-o"]).arg(&object).arg(&source.path))?;
            (source.arch, objdump, object)
        }
        None if variant.is_assembly() => return Err(format!("no file defines {symbol}")),
        None => {
            let program = tools::variants_program(tree)?;
            symbol = tools::symbol(&program, variant)?;
            (std::env::consts::ARCH.to_owned(), "objdump".to_owned(), program)
        }
    };
    let mut objdump = Command::new(objdump);
    objdump.args(code::options(&arch)).arg("-r").arg(format!("--disassemble={symbol}")).arg(program);
    Ok((arch, symbol, tools::output(&mut objdump)?))
}

/// What the linker puts into a function's calls and jumps, by the address of the instruction:
/// objdump prints `5 <f+0x5>\t1: R_X86_64_PLT32\tmemcpy-0x4` behind the mnemonic.
fn relocations(listing: &str, symbol: &str) -> BTreeMap<u64, String> {
    let mut names = BTreeMap::new();
    let mut inside = false;
    for line in listing.lines() {
        if let Some((_, name)) = line.strip_suffix(">:").and_then(|line| line.split_once(" <")) {
            inside = name == symbol;
        } else if let Some((address, text)) = line.split_once(":\t").filter(|_| inside)
            && let Some((_, relocation)) = text.split_once(": R_")
            && let Ok(address) = u64::from_str_radix(address.trim(), 16)
            && text.starts_with(['c', 'j', 'b'])
        {
            let name = relocation.split_whitespace().nth(1).unwrap_or_default();
            names.insert(address, name.split(['+', '-']).next().unwrap_or_default().to_owned());
        }
    }
    names
}
