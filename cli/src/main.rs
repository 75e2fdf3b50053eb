//! The command `hotloops`: jobs on top of the library.

mod bench;
mod cluster;
mod coo;
mod durable;
mod failure;
mod fingerprints;
mod g6;
mod hardround;
mod input;
mod ising;
mod ladder;
mod list;
mod machine;
mod memory;
mod output;
mod plot;
mod shell;

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use failure::{Failure, say};
use hotloops::isa::{self, Isa};

/// Programs built on the hotloops kernels: the same bits on every CPU, at the speed of each one
#[derive(Parser)]
#[command(
    name = "hotloops",
    version,
    after_help = "Environment:\n  HOTLOOPS_ISA=<word>  caps the instruction set of every kernel (`hotloops list` shows the words)\n\n\
Exit status:\n  0  done; also if the reader of the output has closed it\n  1  the job failed: a full disk, memory that ran out, \
a mismatch found by `verify` or `compare`\n  2  an argument is wrong\n  3  an input file is missing, cannot be read or is \
wrong\n\nExample:\n  hotloops bench reduce"
)]
enum Command {
    Bench(bench::Arguments),
    Fingerprints(fingerprints::Arguments),
    G6(Box<g6::Arguments>),
    Hardround(hardround::Arguments),
    Ising(Box<ising::Arguments>),
    Ladder(ladder::Arguments),
    List(list::Arguments),
    Completions(shell::Completions),
    Man(shell::Man),
}

fn main() -> ExitCode {
    memory::save_address_space();
    memory::watch_panics();
    memory::watch_aborts();
    memory::on_own_stack(command).unwrap_or_else(Failure::report)
}

fn command() -> ExitCode {
    let command = match Command::try_parse() {
        Ok(command) => command,
        // Help and version are output too, which can fail on a full disk.
        Err(error) => match error.print() {
            Err(failure) if !error.use_stderr() => return Failure::from(failure).report(),
            _ => {
                if error.kind() == ErrorKind::InvalidSubcommand {
                    say(format_args!("\ncommands: {}", subcommands().join(" ")));
                }
                return ExitCode::from(error.exit_code() as u8);
            }
        },
    };
    let done = check_cap().and_then(|()| match command {
        Command::Bench(arguments) => memory::needed_for(&"hotloops bench", || bench::run(&arguments)),
        Command::Fingerprints(arguments) => {
            memory::needed_for(&"hotloops fingerprints", || fingerprints::run(&arguments))
        }
        Command::G6(arguments) => memory::needed_for(&"hotloops g6", || g6::run(&arguments)),
        Command::Hardround(arguments) => memory::needed_for(&"hotloops hardround", || hardround::run(&arguments)),
        Command::Ising(arguments) => memory::needed_for(&"hotloops ising", || ising::run(&arguments)),
        Command::Ladder(arguments) => memory::needed_for(&"hotloops ladder", || ladder::run(arguments)),
        Command::List(arguments) => memory::needed_for(&"hotloops list", || list::run(arguments)),
        Command::Completions(arguments) => shell::complete(&arguments, Command::command()),
        Command::Man(arguments) => shell::man(&arguments, Command::command()),
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => cluster::own(failure).report(),
    }
}

/// The valid subcommands after the last valid command.
fn subcommands() -> Vec<String> {
    let mut command = Command::command();
    for word in std::env::args().skip(1) {
        let Some(next) = command.find_subcommand(&word) else { break };
        command = next.clone();
    }
    command.get_subcommands().map(|command| command.get_name().to_owned()).collect()
}

/// Rejects an invalid HOTLOOPS_ISA, for which the library would abort.
fn check_cap() -> Result<(), Failure> {
    let Some(word) = std::env::var_os("HOTLOOPS_ISA") else { return Ok(()) };
    Isa::from_word(word.as_encoded_bytes()).and_then(isa::set).map_err(|error| {
        let valid: Vec<_> = Isa::ALL.iter().filter(|&&isa| isa::detected(isa)).map(|isa| isa.word()).collect();
        Failure::Usage(format!("HOTLOOPS_ISA={}: {error}; valid here: {}", word.display(), valid.join(" ")))
    })
}
