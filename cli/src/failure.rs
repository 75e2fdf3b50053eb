//! Why a command ends early, and its exit status.

use std::io;
use std::process::ExitCode;

pub enum Failure {
    /// An argument, or a file that it names, is wrong.
    Usage(String),
    /// The job itself failed.
    Job(String),
    /// Nobody reads the output any more.
    Unread,
}

impl Failure {
    /// Says what is wrong on standard error.
    pub fn report(self) -> ExitCode {
        let (text, status) = match self {
            Failure::Usage(text) => (text, 2),
            Failure::Job(text) => (text, 1),
            Failure::Unread => return ExitCode::SUCCESS,
        };
        eprintln!("hotloops: {text}");
        ExitCode::from(status)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::Unread,
            _ => Failure::Job(format!("cannot write: {error}")),
        }
    }
}

impl From<hotloops::Error> for Failure {
    fn from(error: hotloops::Error) -> Self {
        Failure::Job(error.to_string())
    }
}
