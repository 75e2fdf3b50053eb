//! Ranks search hard cases.

use std::fs;
use std::path::Path;

use super::{kill_rank, mpirun};
use crate::hardround::checkpoints::{records, with_checkpoint};
use crate::hardround::{PIECE, WHOLE, printed, success};
use crate::support::{folder, stderr};

#[test]
fn ranks_find_hard_cases() {
    let folder = folder("ranks_hardround");
    let (path, out) = (folder.join("checkpoint"), folder.join("out.tsv"));
    let expected = printed(PIECE);
    for (ranks, more) in [(1, ""), (2, ""), (3, ""), (4, ""), (2, " --threads 2"), (3, " --modes nearest")] {
        let search = with_checkpoint(&format!("{PIECE}{more} --out {}", out.display()), &path);
        let Some(mut command) = mpirun(ranks, &search) else { return };
        let _ = fs::remove_file(&path);
        for _ in 0..2 {
            assert_eq!(success(&command.output().unwrap()), "");
            let text = fs::read_to_string(&out).unwrap();
            match more.contains("modes") {
                true => assert_eq!(text, printed(&format!("{PIECE}{more}"))),
                false => assert_eq!(text, expected, "{ranks} ranks{more}"),
            }
            fs::remove_file(&out).unwrap();
        }
        assert_eq!(records(&fs::read(&path).unwrap()).len(), 1 + 1 + 8);
    }
    let wrong = with_checkpoint(&format!("{PIECE} --out {}", out.display()), Path::new("/nowhere/checkpoint"));
    let output = mpirun(3, &wrong).unwrap().output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(stderr(&output).matches("hotloops: --checkpoint /nowhere/checkpoint").count(), 1, "{}", stderr(&output));
    assert!(!out.exists());
}

#[test]
fn a_search_for_hard_cases_survives_its_ranks() {
    let folder = folder("ranks_hardround_kill");
    let (path, out) = (folder.join("checkpoint"), folder.join("out.tsv"));
    let search = with_checkpoint(&format!("{WHOLE} --within 0x1p-30 --out {}", out.display()), &path);
    let Some(mut command) = mpirun(3, &search) else { return };
    for rank in [2, 0] {
        let before = fs::metadata(&path).map_or(0, |file| file.len());
        kill_rank(&mut command, rank, &path, before + 3000);
        assert!(records(&fs::read(&path).unwrap()).len() > 4);
    }
    assert_eq!(success(&command.output().unwrap()), "");
    assert_eq!(fs::read_to_string(&out).unwrap(), printed(&format!("{WHOLE} --within 0x1p-30")));
}
