//! The command `hotloops`: jobs on top of the library.

mod bench;
mod cluster;
mod coo;
mod correlation;
#[cfg(test)]
mod damage;
mod device;
mod devices;
mod durable;
mod failure;
mod fingerprints;
mod form;
mod hardround;
mod input;
mod interrupt;
mod ising;
mod job;
mod ladder;
mod lattice;
mod list;
mod memory;
#[cfg(test)]
mod options;
mod output;
mod plot;
mod shell;
mod signals;
mod unfinished;
mod whole;

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use cluster::Cluster;
use failure::{Failure, say};
use hotloops::isa::{self, Isa};

/// Programs built on the hotloops kernels: the same bits on every CPU, at the speed of each one
#[derive(Parser)]
#[command(
    name = "hotloops",
    version,
    after_help = "Environment:\n  \
        HOTLOOPS_ISA=<word>  caps the instruction set of every kernel (`hotloops list` shows the words)\n\n\
        Exit status:\n  \
        0  done; also if the reader of the output has closed it\n  \
        1  the job failed: a full disk, memory that ran out, a mismatch found by `verify` or `compare`\n  \
        2  an argument is wrong\n  \
        3  an input file is missing, cannot be read or is wrong\n  \
        130  interrupted by Ctrl-C, SIGTERM or SIGHUP; finished work is in the --checkpoint\n\n\
        Example:\n  \
        hotloops bench reduce"
)]
enum Command {
    Bench(bench::Arguments),
    #[command(visible_alias = "g6")]
    Correlation(Box<correlation::Arguments>),
    Devices(devices::Arguments),
    Fingerprints(fingerprints::Arguments),
    Hardround(hardround::Arguments),
    Ising(Box<ising::Arguments>),
    Ladder(ladder::Arguments),
    Lattice(Box<lattice::Arguments>),
    List(list::Arguments),
    Completions(shell::Completions),
    Man(shell::Man),
}

fn main() -> ExitCode {
    memory::save_address_space();
    signals::fail_instead();
    memory::watch_panics();
    memory::watch_aborts();
    memory::on_own_stack(command).unwrap_or_else(Failure::report)
}

fn command() -> ExitCode {
    let joined = Cluster::join().and_then(|cluster| {
        let status = run(&cluster)?;
        cluster.leave();
        Ok(status)
    });
    joined.unwrap_or_else(|failure| cluster::own(failure).report())
}

/// Runs the job, on rank 0 alone if ranks do not share it. Rank 0 alone prints help and errors of the arguments too.
fn run(cluster: &Cluster) -> Result<ExitCode, Failure> {
    let command = match Command::try_parse() {
        Ok(command) => command,
        Err(error) => {
            if cluster.leads() {
                report(&error)?;
            }
            return Ok(ExitCode::from(error.exit_code() as u8));
        }
    };
    check_cap()?;
    if command.takes_long() && cluster.leads() {
        interrupt::watch()?;
    }
    if command.is_shared() || cluster.leads() {
        command.run(cluster)?;
    }
    Ok(ExitCode::SUCCESS)
}

impl Command {
    /// Whether to say that a signal has ended the job.
    fn takes_long(&self) -> bool {
        !matches!(self, Command::List(_) | Command::Completions(_) | Command::Man(_))
    }

    /// Whether ranks share the job.
    fn is_shared(&self) -> bool {
        match self {
            Command::Correlation(_) | Command::Ising(_) => true,
            Command::Fingerprints(arguments) => arguments.are_shared(),
            Command::Hardround(arguments) => arguments.are_shared(),
            _ => false,
        }
    }

    fn run(self, cluster: &Cluster) -> Result<(), Failure> {
        match self {
            Command::Bench(arguments) => memory::needed_for(&"hotloops bench", || bench::run(&arguments)),
            Command::Devices(arguments) => memory::needed_for(&"hotloops devices", || devices::run(&arguments)),
            Command::Fingerprints(arguments) => {
                memory::needed_for(&"hotloops fingerprints", || fingerprints::run(&arguments, cluster))
            }
            Command::Correlation(arguments) => {
                memory::needed_for(&"hotloops correlation", || correlation::run(&arguments, cluster))
            }
            Command::Hardround(arguments) => {
                memory::needed_for(&"hotloops hardround", || hardround::run(&arguments, cluster))
            }
            Command::Ising(arguments) => memory::needed_for(&"hotloops ising", || ising::run(&arguments, cluster)),
            Command::Ladder(arguments) => memory::needed_for(&"hotloops ladder", || ladder::run(arguments)),
            Command::Lattice(arguments) => {
                memory::needed_for(&"hotloops lattice", || lattice::run(&arguments, cluster))
            }
            Command::List(arguments) => memory::needed_for(&"hotloops list", || list::run(arguments)),
            Command::Completions(arguments) => shell::complete(&arguments, Command::command()),
            Command::Man(arguments) => shell::man(&arguments, Command::command()),
        }
    }
}

/// Prints an error of the arguments, or help or the version, which are output that can fail on a full disk.
fn report(error: &clap::Error) -> Result<(), Failure> {
    match error.print() {
        Err(failure) if !error.use_stderr() => return Err(failure.into()),
        _ if error.kind() == ErrorKind::InvalidSubcommand => {
            say(format_args!("\ncommands: {}", subcommands().join(" ")));
        }
        _ => {}
    }
    Ok(())
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

/// Rejects an invalid HOTLOOPS_ISA, for which the library would abort. A program with raised privileges ignores
/// the variable, as the library does.
fn check_cap() -> Result<(), Failure> {
    if signals::is_privileged() {
        return Ok(());
    }
    let Some(word) = std::env::var_os("HOTLOOPS_ISA") else { return Ok(()) };
    Isa::from_word(word.as_encoded_bytes()).and_then(isa::set).map_err(|error| {
        let valid: Vec<_> = Isa::ALL.iter().filter(|&&isa| isa::detected(isa)).map(|isa| isa.word()).collect();
        Failure::Usage(format!("HOTLOOPS_ISA={}: {error}; valid here: {}", word.display(), valid.join(" ")))
    })
}
