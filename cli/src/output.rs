//! Standard output (which may be closed), tables, output files.

mod claim;
mod file;
pub mod npy;
mod scratch;
mod suffix;

use std::io::{self, Write};
use std::path::Path;

use comfy_table::{CellAlignment, Table, presets};

use crate::failure::Failure;
pub use claim::Claim;
pub use file::NewFile;
pub use scratch::Scratch;

/// Rejects standard output in place of a file that is read again.
pub fn check_file(option: &str, path: &Path) -> Result<(), Failure> {
    match claim::is_standard_output(path) {
        true => Err(Failure::Usage(format!("{option} -: standard output cannot be read again; choose a file"))),
        false => Ok(()),
    }
}

/// Rejects standard output in place of a folder.
pub fn check_folder(option: &str, path: &Path) -> Result<(), Failure> {
    match claim::is_standard_output(path) {
        true => {
            Err(Failure::Usage(format!("{option}-: several files are written, not standard output; choose a folder")))
        }
        false => Ok(()),
    }
}

/// Writes `text` to standard output.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

pub fn table<S: AsRef<str>>(header: &[S]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header(header.iter().map(AsRef::as_ref));
    table
}

/// The table as lines; columns from `first` on are right-aligned.
pub fn lines(mut table: Table, first: usize) -> String {
    table.column_iter_mut().skip(first).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    format!("{table}\n")
}
