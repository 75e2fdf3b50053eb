//! Chores of the repository, as `cargo xtask COMMAND`.

mod abi;
#[path = "../../tests/assembly/mod.rs"]
mod assembly;
#[path = "../../tests/assembly/code.rs"]
mod code;
mod compare;
#[path = "../../src/frame/facts.rs"]
mod facts;
mod flow;
mod mca;
mod new_kernel;
mod record;
mod rows;
mod step;
mod tools;
mod tree;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use tree::Tree;

/// Chores of the hotloops repository
#[derive(Parser)]
#[command(
    name = "cargo xtask",
    bin_name = "cargo xtask",
    after_help = "Exit status: 0, 1 if a check found a fault, 2 if it could not be made.\n\n\
        Example:\n  cargo xtask new-kernel reduce/norm_f32"
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,

    /// Work on the tree in DIR instead of this one
    #[arg(long, global = true, hide = true, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/.."))]
    root: PathBuf,
}

#[derive(Subcommand)]
enum Command {
    NewKernel(new_kernel::Arguments),
    Mca(mca::Arguments),
    Step(step::Arguments),
    Abi(abi::Arguments),
    Compare(compare::Arguments),
    Rows(rows::Arguments),
}

/// Whether all is well, or why it is not known.
type Outcome = Result<bool, String>;

fn main() -> ExitCode {
    let Arguments { command, root } = Arguments::parse();
    let tree = Tree { root };
    let outcome = match command {
        Command::NewKernel(arguments) => new_kernel::run(&tree, &arguments),
        Command::Mca(arguments) => mca::run(&tree, &arguments),
        Command::Step(arguments) => step::run(&tree, &arguments),
        Command::Abi(arguments) => abi::run(&tree, &arguments),
        Command::Compare(arguments) => compare::run(&tree, &arguments),
        Command::Rows(arguments) => rows::run(&tree, &arguments),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(text) => {
            eprintln!("cargo xtask: {text}");
            ExitCode::from(2)
        }
    }
}
