//! `cargo xtask step`.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::Outcome;
use crate::tools;
use crate::tree::{Tree, Variant};

/// Stop in gdb at the first instruction of a variant, called by its test
///
/// The test program `variants` runs the case of this kernel on this instruction set. Each call stops;
/// `continue` goes on to the next one.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  cargo xtask step reduce/sum_f32/avx2_assembly")]
pub struct Arguments {
    /// FAMILY/KERNEL/ISA_FORM, as `hotloops list` shows them
    variant: String,

    /// Show the first call and leave
    #[arg(long)]
    batch: bool,
}

pub fn run(tree: &Tree, arguments: &Arguments) -> Outcome {
    let variant = tree.variant(&arguments.variant)?;
    if !tools::is_installed("gdb") {
        return Err("gdb is not installed".to_owned());
    }
    let program = tools::variants_program(tree)?;
    let symbol = tools::symbol(&program, &variant)?;
    let script = tools::scratch(tree)?.join("step.gdb");
    fs::write(&script, commands(&variant, &symbol)).map_err(|error| format!("{}: {error}", script.display()))?;
    let mut gdb = gdb(&program, &script);
    if !arguments.batch {
        let status = gdb.status().map_err(|error| format!("gdb: {error}"))?;
        return Ok(status.success());
    }
    let output = tools::output(gdb.arg("--batch"))?;
    match output.split_once("Breakpoint 1, ") {
        Some((_, stop)) => {
            stop.lines().filter(|line| !line.starts_with("Warning: ")).for_each(|line| println!("{line}"))
        }
        None => {
            let lacks = format!("this CPU lacks {}", variant.isa);
            let why = if output.contains("this CPU lacks") { &lacks } else { output.trim_end() };
            return Err(format!("{variant} was not called: {why}"));
        }
    }
    Ok(true)
}

fn gdb(program: &Path, script: &Path) -> Command {
    let mut gdb = Command::new("gdb");
    gdb.args(["-q", "-nx", "-x"]).arg(script).arg(program);
    gdb
}

fn commands(variant: &Variant, symbol: &str) -> String {
    let Variant { family, name, isa, .. } = variant;
    let flavor = if cfg!(target_arch = "x86_64") { "set disassembly-flavor intel\n" } else { "" };
    let shown: String = arguments(variant).iter().map(|line| format!("  {line}\n")).collect();
    format!(
        "set pagination off\nset confirm off\nset debuginfod enabled off\nset language c\n\
         {flavor}set environment HOTLOOPS_TEST_ISA {isa}\n\
         break *{symbol}\n\
         commands\n{shown}  x/4i $pc\nend\n\
         run --exact variants::{family}::{name} --test-threads=1\n"
    )
}

/// gdb's commands that print the arguments.
fn arguments(variant: &Variant) -> Vec<String> {
    let x86 = cfg!(target_arch = "x86_64");
    let integers: &[&str] = match x86 {
        true => &["rdi", "rsi", "rdx", "rcx", "r8", "r9"],
        false => &["x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7"],
    };
    let (mut integer, mut float, mut word) = (0, 0, usize::from(x86));
    let mut lines = Vec::new();
    for (name, kind) in &variant.kernel.arguments {
        let is_float = kind == "f32" || kind == "f64";
        let place = match is_float {
            true if float < 8 => {
                float += 1;
                let lanes = match (x86, kind.as_str()) {
                    (true, "f32") => "v4_float[0]",
                    (true, _) => "v2_double[0]",
                    (false, "f32") => "s.f[0]",
                    (false, _) => "d.f[0]",
                };
                format!("${}{}.{lanes}", if x86 { "xmm" } else { "v" }, float - 1)
            }
            false if integer < integers.len() => {
                integer += 1;
                format!("${}", integers[integer - 1])
            }
            _ => {
                word += 1;
                let stack = if x86 { "rsp" } else { "sp" };
                let c = if kind == "f32" {
                    "float"
                } else if kind == "f64" {
                    "double"
                } else {
                    "long"
                };
                format!("*({c} *)(${stack} + {})", 8 * (word - 1))
            }
        };
        let (format, cast) = match kind.as_str() {
            "f32" | "f64" => ("%g", ""),
            "u32" => ("%u", "(unsigned int)"),
            "i32" => ("%d", "(int)"),
            "isize" | "i64" => ("%ld", "(long)"),
            "usize" | "u64" => ("%lu", "(unsigned long)"),
            _ => ("%#lx", "(unsigned long)"),
        };
        lines.push(format!("printf \"{name}: {kind} = {format}\\n\", {cast}{place}"));
    }
    lines
}
