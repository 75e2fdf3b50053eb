//! `cargo xtask mca`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Outcome;
use crate::assembly::{self, Function, Source};
use crate::tools;
use crate::tree::Tree;

/// Time the inner loops of an assembly file with llvm-mca, and compare with their Bound lines
///
/// Each function's loop is modelled on the CPU that its Bound line names. The loop is the innermost
/// one whose label begins with .Lloop, or else the longest innermost one; a Bound line that counts
/// the elements of several turns is compared by hand. Loads hit the first cache in the model, and
/// branches are predicted.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  cargo xtask mca asm/reduce/sums_avx2.S")]
pub struct Arguments {
    /// A .S file
    file: PathBuf,

    /// Model this CPU of `llvm-mca -mcpu=help` instead of those of the Bound lines
    #[arg(long)]
    cpu: Option<String>,

    /// Model the loop at LABEL, without the suffix of a template's instance
    #[arg(long = "loop", value_name = "LABEL")]
    label: Option<String>,
}

/// CPUs of Bound lines, and the names by which llvm-mca may know them, best first.
const CPUS: [(&str, &[&str]); 2] =
    [("Zen 3", &["znver3"]), ("Granite Rapids", &["graniterapids", "sapphirerapids", "icelake-server"])];

pub fn run(tree: &Tree, arguments: &Arguments) -> Outcome {
    let Arguments { file, cpu, label } = arguments;
    let path = fs::canonicalize(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let is_it = |source: &Source| fs::canonicalize(&source.path).is_ok_and(|known| known == path);
    let source = assembly::sources_of(&tree.root).into_iter().find(is_it);
    let source = source.ok_or_else(|| format!("{}: not an assembly file of asm/", file.display()))?;
    if !tools::is_installed("llvm-mca") {
        return Err("llvm-mca is not installed (it comes with LLVM)".to_owned());
    }
    let loops = loops(tree, &source)?;
    for function in &source.functions {
        let symbol = &function.symbol;
        let stated = function.field("Bound").and_then(|bound| Bound::parse(&bound));
        let Some(cpu) = cpu.clone().map_or_else(|| known_cpu(&source.arch, stated.as_ref()), |cpu| Ok(Some(cpu)))?
        else {
            println!("{symbol}: no Bound line names a CPU; --cpu does");
            continue;
        };
        let of_function: Vec<_> = loops.iter().filter(|turn| turn.symbol == *symbol).collect();
        let Some(turn) = chosen(&of_function, label.as_deref()) else {
            println!("{symbol}: no such loop; {}", names(&of_function));
            continue;
        };
        let cycles = cycles(&source.arch, &cpu, turn)?;
        let count = turn.instructions.len();
        print!("{symbol}: {}, {count} instructions: {cycles:.2} cycles a turn on {cpu}", turn.label);
        match stated {
            Some(Bound { cycles: bound, text }) => println!("; {text}: {:+.0} %", 100.0 * (cycles / bound - 1.0)),
            None => println!("; no Bound line"),
        }
    }
    Ok(true)
}

/// `4 cycles for 64 elements on Zen 3`.
struct Bound {
    cycles: f64,
    text: String,
}

impl Bound {
    fn parse(text: &str) -> Option<Self> {
        let cycles = text.split_once(" cycles for ")?.0.parse().ok()?;
        Some(Bound { cycles, text: text.to_owned() })
    }
}

/// What llvm-mca calls the CPU of a Bound line.
fn known_cpu(arch: &str, bound: Option<&Bound>) -> Result<Option<String>, String> {
    let Some(bound) = bound else { return Ok(None) };
    let (_, cpu) = bound.text.split_once(" on ").ok_or_else(|| format!("`{}` names no CPU", bound.text))?;
    let names = CPUS.iter().find(|(name, _)| *name == cpu);
    let (_, names) = names.ok_or_else(|| format!("no name of llvm-mca is known here for `{cpu}`; --cpu gives one"))?;
    let help = Command::new("llvm-mca").args([&format!("-mtriple={arch}"), "-mcpu=help"]).output();
    let help = help.map_err(|error| format!("llvm-mca: {error}"))?;
    let help = String::from_utf8_lossy(&help.stderr).into_owned() + &String::from_utf8_lossy(&help.stdout);
    let models: BTreeSet<_> = help.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let known = names.iter().find(|name| models.contains(*name));
    known.map(|name| Some((*name).to_owned())).ok_or_else(|| format!("this llvm-mca has no model of {cpu}"))
}

/// An innermost loop.
struct Turn {
    symbol: String,
    label: String,
    instructions: Vec<String>,
}

fn names(loops: &[&Turn]) -> String {
    let labels: Vec<_> = loops.iter().map(|turn| turn.label.as_str()).collect();
    format!("its innermost loops are at {}", labels.join(" "))
}

fn chosen<'a>(loops: &[&'a Turn], label: Option<&str>) -> Option<&'a Turn> {
    let longest = |prefix: &str| {
        let named = loops.iter().filter(|turn| turn.label.starts_with(prefix));
        named.max_by_key(|turn| turn.instructions.len()).copied()
    };
    match label {
        Some(label) => longest(label),
        None => longest(".Lloop").or_else(|| longest("")),
    }
}

/// The innermost loops of a file, assembled and taken apart again.
fn loops(tree: &Tree, source: &Source) -> Result<Vec<Turn>, String> {
    let (cc, objdump) = tools::compiler(&source.arch)?;
    let object = tools::scratch(tree)?.join(source.name()).with_extension("o");
    let include = format!("-I{}", Path::new(&tree.root).join("asm").display());
    // The assembler keeps the labels.
    let mut assemble = Command::new(cc);
    tools::output(assemble.args([&include, "-Wa,-L", "-c", "-o"]).arg(&object).arg(&source.path))?;
    let listing = tools::output(Command::new(objdump).args(["-d", "-w", "--no-show-raw-insn"]).arg(&object))?;
    let mut loops = Vec::new();
    for section in listing.split("Disassembly of section ").skip(1) {
        loops.extend(innermost(section, &source.functions));
    }
    Ok(loops)
}

fn innermost(section: &str, functions: &[Function]) -> Vec<Turn> {
    let mut code: Vec<(u64, &str)> = Vec::new();
    let mut labels: Vec<(usize, &str)> = Vec::new();
    for line in section.lines() {
        if let Some((_, label)) = line.strip_suffix(">:").and_then(|line| line.split_once(" <")) {
            labels.push((code.len(), label));
        } else if let Some((address, text)) = line.split_once(":\t") {
            let Ok(address) = u64::from_str_radix(address.trim(), 16) else { continue };
            code.push((address, text.split(['#', ';']).next().unwrap_or_default().trim()));
        }
    }
    let Some(function) = functions.iter().find(|function| labels.iter().any(|(_, label)| *label == function.symbol))
    else {
        return Vec::new();
    };
    let backward = |(end, (address, text)): (usize, &(u64, &str))| {
        let (mnemonic, operands) = text.split_once([' ', '\t'])?;
        let jumps = mnemonic.starts_with('j') || ["b", "cbz", "cbnz", "tbz", "tbnz"].contains(&mnemonic);
        let target = operands.split(" <").next()?.rsplit([' ', ',', '\t']).next()?;
        let target = u64::from_str_radix(target, 16).ok().filter(|target| target <= address)?;
        let start = code.iter().position(|(address, _)| *address == target)?;
        (jumps || mnemonic.starts_with("b.")).then_some((start, end))
    };
    let spans: Vec<_> = code.iter().enumerate().filter_map(backward).collect();
    let is_innermost = |&&(start, end): &&(usize, usize)| {
        !spans.iter().any(|&(from, to)| (from, to) != (start, end) && start <= from && to <= end)
    };
    let turn = |&(start, end): &(usize, usize)| {
        let label = labels.iter().rfind(|(at, _)| *at <= start).map_or("", |(_, label)| label);
        let is_code = |text: &&str| !text.contains("nop");
        let instructions = code[start..=end].iter().map(|(_, text)| *text).filter(is_code).map(without_target);
        Turn { symbol: function.symbol.clone(), label: label.to_owned(), instructions: instructions.collect() }
    };
    spans.iter().filter(is_innermost).map(turn).collect()
}

/// A jump has its target in angle brackets; all go to the head of the loop here.
fn without_target(text: &str) -> String {
    match text.split_once(" <") {
        Some((before, _)) => {
            let cut = before.rfind([' ', ',', '\t']).map_or(0, |at| at + 1);
            format!("{}.Lturn", &before[..cut])
        }
        None => text.to_owned(),
    }
}

/// Cycles of a turn when many follow each other.
fn cycles(arch: &str, cpu: &str, turn: &Turn) -> Result<f64, String> {
    const TURNS: u32 = 500;
    let file = std::env::temp_dir().join(format!("hotloops-mca-{}.s", std::process::id()));
    let text = format!(".Lturn:\n{}\n", turn.instructions.join("\n"));
    fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))?;
    let mut mca = Command::new("llvm-mca");
    mca.args([format!("-mtriple={arch}"), format!("-mcpu={cpu}"), format!("-iterations={TURNS}")]).arg(&file);
    let report = tools::output(&mut mca);
    let _ = fs::remove_file(&file);
    let report = report?;
    let total = report.lines().find_map(|line| line.strip_prefix("Total Cycles:")?.trim().parse::<f64>().ok());
    total.map(|total| total / f64::from(TURNS)).ok_or_else(|| "llvm-mca tells no Total Cycles".to_owned())
}
