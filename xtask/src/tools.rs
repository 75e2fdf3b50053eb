//! Programs that are called.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::tree::{Tree, Variant};

/// Whether a program of this name is installed.
pub fn is_installed(name: &str) -> bool {
    Command::new(name).arg("--version").output().is_ok()
}

/// Runs `command`, which must succeed; its standard output.
pub fn output(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => format!("{name} is not installed"),
        _ => format!("{name}: {error}"),
    })?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!("{name}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr).trim_end())),
    }
}

/// The cargo that runs this program.
pub fn cargo(tree: &Tree) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(&tree.root);
    cargo
}

/// The compiler and objdump for an architecture.
pub fn compiler(arch: &str) -> Result<(String, String), String> {
    if arch == std::env::consts::ARCH {
        return Ok((std::env::var("CC").unwrap_or_else(|_| "cc".to_owned()), "objdump".to_owned()));
    }
    let [cc, objdump] = ["gcc", "objdump"].map(|tool| format!("{arch}-linux-gnu-{tool}"));
    match is_installed(&cc) && is_installed(&objdump) {
        true => Ok((cc, objdump)),
        false => Err(format!("{cc} is not installed, and this machine is no {arch}")),
    }
}

/// A folder for what is built here.
pub fn scratch(tree: &Tree) -> Result<PathBuf, String> {
    let folder = tree.root.join("target/xtask");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(folder)
}

/// Builds the test program that runs every variant.
pub fn variants_program(tree: &Tree) -> Result<PathBuf, String> {
    let mut cargo = cargo(tree);
    cargo.args(["test", "--quiet", "--no-run", "--test", "contract", "--message-format=json"]);
    let messages = output(&mut cargo)?;
    let program = messages.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let program = program.filter(|message| message["target"]["name"] == "contract");
    let program = program.filter_map(|message| message["executable"].as_str().map(PathBuf::from)).next_back();
    program.ok_or_else(|| "cargo names no program for the test `contract`".to_owned())
}

/// The symbol of a variant in a program. Functions with the same code may be one, whose first name
/// in the alphabet is the one that objdump shows.
pub fn symbol(program: &Path, variant: &Variant) -> Result<String, String> {
    let listing = output(Command::new("nm").arg(program))?;
    let wanted = variant.symbol();
    let symbols: Vec<_> = listing.lines().filter_map(|line| line.split_once(' ')).collect();
    let name = |line: &str| line.rsplit(' ').next().unwrap_or_default().to_owned();
    // Closures of a function have longer names.
    let found = symbols.iter().filter(|(_, line)| match variant.is_assembly() {
        true => name(line) == wanted,
        false => name(line).contains(&wanted),
    });
    let (address, _) = found
        .min_by_key(|(_, line)| line.len())
        .ok_or_else(|| format!("{variant} is not in this build, which is for {}", std::env::consts::ARCH))?;
    let names = symbols.iter().filter(|(place, _)| place == address).map(|(_, line)| name(line));
    Ok(names.min().unwrap_or(wanted))
}
