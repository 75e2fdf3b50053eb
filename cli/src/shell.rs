//! `hotloops completions` and `hotloops man`: what a shell and `man` read about the command.

use std::fs;
use std::io;
use std::path::PathBuf;

use clap::Command;
use clap_complete::Shell;

use crate::failure::Failure;
use crate::output;

/// Print a script that completes the command's words in a shell
#[derive(clap::Args)]
#[command(after_help = "Example:
  hotloops completions bash >~/.local/share/bash-completion/completions/hotloops
  hotloops completions zsh >/usr/local/share/zsh/site-functions/_hotloops
  hotloops completions fish >~/.config/fish/completions/hotloops.fish")]
pub struct Completions {
    shell: Shell,
}

/// Write the manual pages of the command and of each job into a folder
#[derive(clap::Args)]
#[command(after_help = "Example:\n  hotloops man ~/.local/share/man/man1")]
pub struct Man {
    /// Folder of section 1 of the manual; created if it does not exist
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

pub fn complete(arguments: &Completions, mut command: Command) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "hotloops", &mut script);
    output::print(&String::from_utf8(script).expect("scripts are text"))
}

pub fn man(arguments: &Man, command: Command) -> Result<(), Failure> {
    let folder = &arguments.folder;
    output::check_folder("", folder)?;
    let unusable = |error: io::Error| {
        let why = format!("{}: {error}; choose another folder", folder.display());
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                Failure::Job(why)
            }
            _ => Failure::Usage(why),
        }
    };
    fs::create_dir_all(folder).map_err(unusable)?;
    clap_mangen::generate_to(command.disable_help_subcommand(true), folder).map_err(unusable)
}
