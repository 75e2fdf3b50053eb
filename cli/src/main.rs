//! The command `hotloops`: jobs on top of the library.

mod coo;
mod failure;
mod ladder;
mod list;
mod machine;
mod output;
mod plot;

use std::process::ExitCode;

use clap::Parser;

/// Hand-written kernels with run-time dispatch: the same bits on every CPU, at the speed of each one.
#[derive(Parser)]
#[command(name = "hotloops", version, after_help = "HOTLOOPS_ISA=<word> caps the instruction set of every kernel.")]
enum Command {
    Ladder(ladder::Arguments),
    List(list::Arguments),
}

fn main() -> ExitCode {
    let done = match Command::parse() {
        Command::Ladder(arguments) => ladder::run(arguments),
        Command::List(arguments) => list::run(arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
