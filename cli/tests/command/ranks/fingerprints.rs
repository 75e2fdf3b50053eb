//! Ranks search, compare and cluster fingerprints.

use std::fs;

use super::{index, is_the_same_by_ranks, kill_rank, mpirun};
use crate::hardround::success;
use crate::support::{folder, run, words};

#[test]
fn ranks_find_similar_fingerprints() {
    let folder = folder("ranks_fingerprints");
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data");
    let db = index(&folder, &[900, 300, 40, 3]);
    // A file of queries with an odd number of rows.
    let queries = folder.join("rows.fps");
    // Fewer targets than ranks.
    let few = folder.join("few.fps");
    fs::write(&few, "00000000000000ff\tone\n00000000000001ff\ttwo\n").unwrap();
    for line in [
        format!("search {data}/queries.fps {data}/targets.fps --tanimoto 0.7 --top 3"),
        format!("search {data}/targets.fps {data}/targets.fps --tanimoto 0.3 --all --out OUT"),
        format!("search {} {db} --tanimoto 0.5 --top 20 --verify", queries.display()),
        format!("search {} {} --tanimoto 0 --all", queries.display(), few.display()),
        format!("search {} {db} --hamming 12 --all --format json", queries.display()),
        format!("matrix {db} --tanimoto 0.6 --out OUT"),
        format!("matrix {db} --tanimoto 0.9 --numbers"),
        format!("cluster {db} --tanimoto 0.7"),
        format!("cluster {data}/queries.fps --tanimoto 0.7 --out OUT"),
    ] {
        is_the_same_by_ranks(&folder, &format!("fingerprints {line}"));
    }
}

/// Ranks take one device each, and rank 0 continues the units of others.
#[test]
fn ranks_take_a_device_each() {
    if crate::devices::devices() == 0 {
        println!("skipped: no OpenCL device");
        return;
    }
    let folder = folder("ranks_devices");
    let db = index(&folder, &[900, 300]);
    for line in [
        format!("fingerprints matrix {db} --tanimoto 0.2"),
        format!("fingerprints search {}/rows.fps {db} --tanimoto 0.6", folder.display()),
        "hardround search --func exp --from 1 --to 0x1.00004p+0 --within 0x1p-30".to_owned(),
    ] {
        let expected = success(&run(&words(&line)));
        for ranks in [2, 3] {
            let Some(mut command) = mpirun(ranks, &format!("{line} --device all")) else { return };
            let found = success(&command.env("POCL_DEVICES", "basic pthread").output().unwrap());
            assert!(found == expected, "{ranks} ranks: {line}");
        }
    }
}

#[test]
fn a_matrix_survives_its_ranks() {
    let folder = folder("ranks_matrix");
    let db = index(&folder, &[12_000, 3000]);
    let (path, out) = (folder.join("checkpoint"), folder.join("out.tsv"));
    let job = format!("fingerprints matrix {db} --tanimoto 0.6 --out {}", out.display());
    success(&run(&words(&job)));
    let expected = fs::read(&out).unwrap();
    fs::remove_file(&out).unwrap();
    let Some(mut command) = mpirun(3, &format!("{job} --checkpoint {}", path.display())) else { return };
    for rank in [2, 0] {
        let before = fs::metadata(&path).map_or(0, |file| file.len());
        kill_rank(&mut command, rank, &path, before + (2 << 20));
    }
    success(&command.output().unwrap());
    assert!(fs::read(&out).unwrap() == expected);
}
