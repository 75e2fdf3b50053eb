//! Files that survive a power failure.
//!
//! A file's content is safe once the file is synchronised, and its name once its folder is.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Writes `file`, newly created at `draft`, and renames it to `target` in the same folder. After a
/// crash at any time, `target` is the complete old file or the complete new one.
pub fn replace(
    draft: &Path,
    file: File,
    target: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut file = BufWriter::new(file);
    write(&mut file)?;
    file.into_inner()?.sync_all()?;
    fs::rename(draft, target)?;
    sync_folder(target)
}

/// Makes the name of a file that was created or renamed durable.
pub fn sync_folder(file: &Path) -> io::Result<()> {
    // Only Unix opens a folder as a file.
    if cfg!(unix) {
        let folder = file.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}
