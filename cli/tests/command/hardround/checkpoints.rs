//! Searches that are interrupted and continue from a checkpoint.

use std::fs::{self, File};
use std::path::Path;
use std::time::Duration;

use super::{PIECE, WHOLE, body, printed};
use crate::support::{command, ends, folder, refused, run, stderr, unreadable, words};

/// The ends of the records of a checkpoint.
pub fn records(bytes: &[u8]) -> Vec<usize> {
    let mut ends = vec![8];
    while let Some(&end) = ends.last().filter(|&&end| end < bytes.len()) {
        let length = u32::from_le_bytes(bytes[end..end + 4].try_into().unwrap());
        ends.push(end + 12 + length as usize);
    }
    ends
}

pub fn with_checkpoint(search: &str, path: &Path) -> String {
    format!("{search} --checkpoint {}", path.display())
}

#[test]
fn goes_on_from_whatever_byte() {
    let path = folder("hardround_bytes").join("checkpoint");
    let search = with_checkpoint(PIECE, &path);
    let expected = printed(&search);
    let bytes = fs::read(&path).unwrap();
    let ends = records(&bytes);
    assert_eq!(ends.len(), 1 + 1 + 8);
    for cut in ends.iter().flat_map(|end| [end - 1, *end, end + 1, end + 9]).chain([0, 1]) {
        fs::write(&path, &bytes[..cut.min(bytes.len())]).unwrap();
        assert_eq!(printed(&search), expected, "{cut} bytes");
        assert_eq!(fs::read(&path).unwrap().len(), bytes.len(), "{cut} bytes");
    }
    fs::write(&path, &bytes[..ends[8]]).unwrap();
    let output = run(&words(&search));
    assert!(stderr(&output).contains(" 7 of 8 units are done in the checkpoint; left: "), "{}", stderr(&output));
    fs::write(&path, &bytes[..ends[9] - 1]).unwrap();
    let output = run(&words(&search));
    let dropped = format!("checkpoint: the last record is truncated; dropped {} bytes", ends[9] - 1 - ends[8]);
    assert!(stderr(&output).contains(&dropped), "{}", stderr(&output));
    // Some file systems leave a last record of zeros after a power failure; the user truncates it.
    let mut zeros = bytes.clone();
    zeros[ends[8]..].fill(0);
    fs::write(&path, &zeros).unwrap();
    let remedy = format!(
        "is damaged at byte {0}: the checksum of a length is wrong; nothing was written; \
         a copy truncated to {0} bytes keeps the work before it",
        ends[8]
    );
    unreadable(&words(&search), &remedy);
    assert_eq!(fs::read(&path).unwrap(), zeros);
    fs::write(&path, &zeros[..ends[8]]).unwrap();
    assert_eq!(printed(&search), expected);
}

/// Damage is found before anything else is checked, so neither this search nor another one
/// overwrites the file.
#[test]
fn damaged_checkpoints_are_refused_and_kept() {
    let path = folder("hardround_damage").join("checkpoint");
    let search = with_checkpoint(PIECE, &path);
    printed(&search);
    let bytes = fs::read(&path).unwrap();
    let ends = records(&bytes);
    let others = [search.clone(), search.replace("-30", "-31"), search.replace("exp", "sin")];
    let fails = |bytes: &[u8]| {
        for search in &others {
            fs::write(&path, bytes).unwrap();
            let output = run(&words(search));
            assert_eq!((output.status.code(), output.stdout.len()), (Some(3), 0), "{}", stderr(&output));
            assert!(stderr(&output).contains("checkpoint: is "), "{}", stderr(&output));
            assert_eq!(fs::read(&path).unwrap(), bytes);
        }
    };
    for at in [0, 7, 8, 11, 12, 15, 16, ends[1] - 1, ends[1], ends[1] + 3, ends[1] + 4, ends[4] + 9, ends[9] - 1] {
        let mut flipped = bytes.clone();
        flipped[at] ^= 0x40;
        fails(&flipped);
    }
    fails(&[&bytes[..], b"more"].concat()[..]);
    fails(&[&bytes[..], &bytes[ends[8]..]].concat());
    fails(&[&bytes[..ends[3]], &bytes[ends[4]..]].concat());
}

#[test]
fn goes_on_after_a_kill() {
    let folder = folder("hardround_kill");
    let (path, out) = (folder.join("checkpoint"), folder.join("out.tsv"));
    let line = format!("{WHOLE} --within 0x1p-30 --threads 1 --out {}", out.display());
    let search = with_checkpoint(&line, &path);
    let mut killed = command(&words(&search)).spawn().unwrap();
    while fs::metadata(&path).map_or(0, |file| file.len()) < 3000 && killed.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert!(records(&fs::read(&path).unwrap()).len() > 4);
    assert_eq!(printed(&search), "");
    assert_eq!(body(&fs::read_to_string(&out).unwrap()), body(&printed(&format!("{WHOLE} --within 0x1p-30"))));
}

#[test]
fn foreign_checkpoints_are_refused() {
    let folder = folder("hardround_checkpoints");
    let (path, out) = (folder.join("checkpoint"), folder.join("out.tsv"));
    let search = with_checkpoint(&format!("{PIECE} --out {}", out.display()), &path);
    let shard = format!("{search} --shard 1/2");
    printed(&shard);
    fs::remove_file(&out).unwrap();
    let bytes = fs::read(&path).unwrap();
    let fails = |bytes: &[u8], search: &str, names: &str| {
        fs::write(&path, bytes).unwrap();
        unreadable(&words(search), names);
        assert_eq!(fs::read(&path).unwrap(), bytes, "{names}");
        assert!(!out.exists(), "{names}");
    };
    for &start in &records(&bytes)[1..3] {
        let mut damaged = bytes.clone();
        damaged[start + 9] ^= 4;
        fails(&damaged, &search, &format!("checkpoint: is damaged at byte {start}"));
    }
    fails(b"hlhardr1 and so on", &search, "is a checkpoint of another version of this command");
    fails(b"x,y\n", &search, "is not a checkpoint of `hotloops hardround search`");
    let other = "is a checkpoint of another search: within 0x1p-30, not within 0x1p-31";
    fails(&bytes, &search.replace("-30", "-31"), other);
    fails(&bytes, &search.replace("exp", "sin"), "is a checkpoint of another search: func exp, not func sin");
    fails(&bytes, &search.replace("--to", "--modes directed --to"), "is a checkpoint of another search: modes all");
    fails(&bytes, &search.replace("--to", "--grid 2^-52 --to"), "is a checkpoint of another search: grid none");
    let twice = format!("{PIECE} --out {0} --checkpoint {0}", path.display());
    refused(&words(&twice), "checkpoint: is the file of --out; choose another");
    let file = File::open(&path).unwrap();
    file.lock().unwrap();
    fs::write(&path, &bytes).unwrap();
    ends(1, &words(&search), "another job writes to it");
    drop(file);
    refused(&words(&with_checkpoint(PIECE, Path::new("/nowhere/checkpoint"))), "--checkpoint /nowhere/checkpoint");
    // The other shard appends to it.
    printed(&format!("{search} --shard 2/2"));
    assert_eq!(records(&fs::read(&path).unwrap()).len(), 1 + 1 + 8);
}
