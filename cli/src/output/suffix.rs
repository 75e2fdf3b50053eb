//! Names of output files: a suffix of a format that an option does not write misleads every reader.

use std::path::Path;

use crate::failure::Failure;

/// Suffixes of compressed files. No output is compressed.
const COMPRESSED: [&str; 10] = ["br", "bz2", "gz", "lz4", "svgz", "tgz", "xz", "z", "zip", "zst"];

/// Suffixes of pictures and arrays. The command writes SVG and, of spins, NPY only.
const OTHERS: [&str; 17] = [
    "bmp", "eps", "gif", "h5", "hdf5", "jpeg", "jpg", "npy", "npz", "parquet", "pdf", "pickle", "pkl", "png", "ps",
    "webp", "xlsx",
];

/// Rejects a name whose suffix is that of a format which the option does not write.
pub fn check(option: &str, path: &Path) -> Result<(), Failure> {
    let Some(suffix) = path.extension().map(|suffix| suffix.to_string_lossy().to_ascii_lowercase()) else {
        return Ok(());
    };
    let wrong = |why: &str| {
        Err(Failure::Usage(format!("{option} {}: {why}; choose a name that does not end in .{suffix}", path.display())))
    };
    let is_of = |list: &[&str]| list.contains(&&*suffix);
    match (option, &*suffix) {
        ("--samples" | "--final", "npy") => Ok(()),
        _ if is_of(&COMPRESSED) => wrong("outputs are not compressed"),
        _ if is_of(&OTHERS) => wrong("this option does not write that format"),
        _ => Ok(()),
    }
}
