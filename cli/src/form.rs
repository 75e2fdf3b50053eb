//! Forms of the output of jobs that print a report.

use clap::ValueEnum;

#[derive(Clone, Copy, Default, PartialEq, ValueEnum)]
pub enum Form {
    /// Tables to read
    #[default]
    Text,
    /// All figures as JSON
    Json,
}
