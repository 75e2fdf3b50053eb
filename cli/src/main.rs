//! The command `hotloops`: jobs on top of the library.

mod bench;
mod coo;
mod durable;
mod failure;
mod fingerprints;
mod g6;
mod hardround;
mod ising;
mod ladder;
mod list;
mod machine;
mod output;
mod plot;

use std::process::ExitCode;

use clap::Parser;
use failure::Failure;
use hotloops::isa::{self, Isa};

/// Hand-written kernels with run-time dispatch: the same bits on every CPU, at the speed of each one.
#[derive(Parser)]
#[command(name = "hotloops", version, after_help = "HOTLOOPS_ISA=<word> caps the instruction set of every kernel.")]
enum Command {
    Bench(bench::Arguments),
    Fingerprints(fingerprints::Arguments),
    G6(g6::Arguments),
    Hardround(hardround::Arguments),
    Ising(Box<ising::Arguments>),
    Ladder(ladder::Arguments),
    List(list::Arguments),
}

fn main() -> ExitCode {
    let command = Command::parse();
    let done = check_cap().and_then(|()| match command {
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Fingerprints(arguments) => fingerprints::run(&arguments),
        Command::G6(arguments) => g6::run(&arguments),
        Command::Hardround(arguments) => hardround::run(&arguments),
        Command::Ising(arguments) => ising::run(&arguments),
        Command::Ladder(arguments) => ladder::run(arguments),
        Command::List(arguments) => list::run(arguments),
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

/// Refuses a wrong HOTLOOPS_ISA, at which the library would abort.
fn check_cap() -> Result<(), Failure> {
    let Some(word) = std::env::var_os("HOTLOOPS_ISA") else { return Ok(()) };
    Isa::from_word(word.as_encoded_bytes()).and_then(isa::set).map_err(|error| {
        let valid: Vec<_> = Isa::ALL.iter().filter(|&&isa| isa::detected(isa)).map(|isa| isa.word()).collect();
        Failure::Usage(format!("HOTLOOPS_ISA={}: {error}; valid here: {}", word.display(), valid.join(" ")))
    })
}
