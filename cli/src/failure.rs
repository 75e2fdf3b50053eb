//! Errors of the command and their exit statuses.

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

use crate::cluster::rank;

/// Writes a line to standard error, unless another rank writes it. A line that cannot be written is lost.
pub fn say(line: fmt::Arguments) {
    if rank::speaks() {
        let _ = writeln!(io::stderr(), "{line}");
    }
}

/// Exit status of an interrupted job.
pub const INTERRUPTED: u8 = 130;

pub enum Failure {
    /// An argument is wrong.
    Usage(String),
    /// An input file is missing, cannot be read or is wrong.
    Input(String),
    /// The job itself failed.
    Job(String),
    /// A signal has ended the job, whose state is saved.
    Interrupted(String),
    /// The reader of the output has closed it.
    Unread,
}

impl Failure {
    /// Prints the message on standard error.
    pub fn report(self) -> ExitCode {
        let (text, status) = match self {
            Failure::Usage(text) => (text, 2),
            Failure::Input(text) => (text, 3),
            Failure::Job(text) => (text, 1),
            Failure::Interrupted(text) => (text, INTERRUPTED),
            Failure::Unread => return ExitCode::SUCCESS,
        };
        say(format_args!("hotloops: {text}"));
        ExitCode::from(status)
    }
}

impl Failure {
    /// The same with another message.
    pub fn map(self, message: impl FnOnce(String) -> String) -> Self {
        match self {
            Failure::Usage(why) => Failure::Usage(message(why)),
            Failure::Input(why) => Failure::Input(message(why)),
            Failure::Job(why) => Failure::Job(message(why)),
            Failure::Interrupted(why) => Failure::Interrupted(message(why)),
            Failure::Unread => Failure::Unread,
        }
    }

    /// The message.
    pub fn why(&self) -> &str {
        match self {
            Failure::Usage(why) | Failure::Input(why) | Failure::Job(why) | Failure::Interrupted(why) => why,
            Failure::Unread => "the reader of the output has closed it",
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::Unread,
            // The work failed while its result was being written.
            io::ErrorKind::Other => Failure::Job(error.to_string()),
            io::ErrorKind::InvalidData => Failure::Input(error.to_string()),
            _ => Failure::Job(format!("cannot write: {error}")),
        }
    }
}

impl From<hotloops::Error> for Failure {
    fn from(error: hotloops::Error) -> Self {
        Failure::Job(error.to_string())
    }
}
