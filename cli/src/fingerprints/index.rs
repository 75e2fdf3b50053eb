//! `hotloops fingerprints index` and `verify`.

use std::path::{Path, PathBuf};

use super::database::Database;
use super::{file, fit, fps, out_file};
use crate::failure::{Failure, say};
use crate::job::threads;
use crate::memory;
use crate::whole::whole;

/// Index fingerprints for fast searches
///
/// The file is mapped by the other jobs: a search in a million fingerprints starts within
/// milliseconds. It contains bit planes, the fingerprints, their ids and the header lines of the text
/// (`verify` prints these), about twice the size of the fingerprints, in the byte order of the machine, with a
/// checksum for each section. The file appears complete or not at all.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  hotloops fingerprints index db.fps.gz --out db.hlfp
  hotloops fingerprints index new.fps --append --out db.hlfp")]
pub struct Arguments {
    /// The fingerprints, FPS text
    db: PathBuf,

    /// Write to FILE. With --append, FILE is also read
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Add the fingerprints to the end of the index file. Small additions are merged
    #[arg(long)]
    append: bool,

    /// Refuse fingerprints whose #type or #aromaticity differ. Without it there is a warning on standard error
    #[arg(long, requires = "append")]
    strict_type: bool,

    /// Number of threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = whole::<u16>(1..=1024), allow_negative_numbers = true)]
    threads: Option<u16>,

    /// Print counts to standard error
    #[arg(short, long)]
    verbose: bool,
}

/// Compare every section of an index file with its checksum
#[derive(clap::Args)]
#[command(after_help = "Example:\n  hotloops fingerprints verify db.hlfp")]
pub struct VerifyArguments {
    /// The index file
    file: PathBuf,

    /// Number of threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = whole::<u16>(1..=1024), allow_negative_numbers = true)]
    threads: Option<u16>,
}

pub fn run(a: &Arguments) -> Result<(), Failure> {
    let pool = threads::pool(a.threads)?;
    let out = out_file(Some(&a.out), &[("DB", &a.db)])?;
    pool.install(|| {
        let old = match a.append {
            true => Some(index_file(&a.out)?),
            false => None,
        };
        let new = memory::needed_for(&"the fingerprints", || {
            let mut set = fps::read(&a.db)?;
            if let Some(old) = &old {
                fit(&mut set, &a.db, old, &a.out, a.strict_type)?;
                old.verify()?;
            }
            Database::build(&a.db, set, |rows| 0..rows)
        })?;
        let (first, more) = match &old {
            Some(old) => (old, Some(&new)),
            None => (&new, None),
        };
        memory::needed_for(&"the index", || {
            first.write(more, |content| out.write_with(|to| file::write(content, to)))
        })?;
        if a.verbose {
            let rows = first.len() + more.map_or(0, Database::len);
            say(format_args!("{}: {rows} fingerprints, {} bits", a.out.display(), new.bits()));
        }
        Ok(())
    })
}

pub fn verify(a: &VerifyArguments) -> Result<(), Failure> {
    let pool = threads::pool(a.threads)?;
    pool.install(|| {
        let file = index_file(&a.file)?;
        file.verify()?;
        let (rows, bits, segments) = (file.len(), file.bits(), file.segments());
        let header = file.header().text();
        crate::output::print(&format!("no fault: {rows} fingerprints of {bits} bits; segments: {segments}\n{header}"))
    })
}

/// Opens a file that must be an index.
fn index_file(path: &Path) -> Result<Database, Failure> {
    Database::mapped(path)?.ok_or_else(|| {
        Failure::Input(format!("{}: is not an index; make one by `hotloops fingerprints index`", path.display()))
    })
}
