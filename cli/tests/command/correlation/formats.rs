//! The same points in every format.

use std::fs;
use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::{printed, write};
use crate::support::{command, folder, unreadable};

/// The same four points of two frames in every format give the same lines.
#[test]
fn formats_of_laboratories_and_simulators() {
    let folder = folder("g6_formats");
    let all = ["--bins", "0:6:2", "--rdf", "--frames", "--box", "20,20"];
    let counts = |name: &str, text: &str, extra: &[&str]| {
        let points = write(&folder.join(name), text);
        printed(&[&["correlation", points.as_str()], extra].concat())
    };
    let expected = counts("commas.csv", "x,y,frame\n1,1,0\n4,5,0\n1,1,1\n1,4,1\n", &all);
    assert!(expected.contains("\n0,4,6,1,") && expected.contains("\n1,2,4,1,"), "{expected}");
    let commented = "# made by hand\n# x\ty\tframe\n1\t1\t0\n4\t5\t0\n# the second\n1\t1\t1\n1\t4\t1\n";
    assert_eq!(counts("tabs.txt", commented, &all), expected);
    assert_eq!(counts("blanks.txt", "frame  x   y\n 0 1 1\n 0 4 5\n 1 1 1\n 1 1 4\n", &all), expected);
    assert_eq!(counts("semicolons.csv", "\"frame\";X;Y\n0;1;1\n0;4;5\n1;1;1\n1;1;4\n", &all), expected);
    let xyz = "2\nany words\nA 1 1 0\nB 4 5 0\n2\n\nA 1 1 0\nA 1 4 9\n";
    assert_eq!(counts("film.xyz", xyz, &all), expected);

    // Their own boxes, and timesteps as frames.
    let without_box = &all[..4];
    let extended = xyz
        .replace("any words", "Lattice=\"20 0 0 0 20 0 0 0 1\" pbc=\"T T F\"")
        .replace("\n\n", "\nLattice=\"20 0 0 0 20 0 0 0 1\"\n");
    assert_eq!(counts("extended.xyz", &extended, without_box), expected);
    let dump = |step: u32, kind: &str, atoms: &str| {
        format!(
            "ITEM: TIMESTEP\n{step}\nITEM: NUMBER OF ATOMS\n2\nITEM: BOX BOUNDS {kind}\n-5 15\n0 2.0e1\n-1 1\n\
             ITEM: ATOMS id x y\n{atoms}"
        )
    };
    let lammps = dump(0, "pp pp ff", "1 1 1\n2 4 5\n") + &dump(1, "pp pp ff", "1 1 1\n2 1 4\n");
    assert_eq!(counts("dump.lammps", &lammps, without_box), expected);
    let points = write(&folder.join("dump.lammps"), &lammps);
    unreadable(
        &["correlation", &points, "--bins", "0:6:2", "--rdf"],
        "line 21: frame = 1, but the points before have frame = 0",
    );
    unreadable(&["correlation", &points, "--bins", "0:12:2", "--rdf", "--frame", "1"], "frame 1:");
    for (text, names) in [
        (
            dump(0, "xy xz yz pp pp pp", "").replace("-5 15\n0 2.0e1\n-1 1", "-5 15 3\n0 20 0\n-1 1 0"),
            "line 5: the box is tilted",
        ),
        (dump(0, "pp ff ff", ""), "periodic along one axis only"),
        (dump(7, "ff ff ff", "1 1 1\n"), "ends 1 points too early"),
        (dump(7, "ff ff ff", "1 1\n2 2\n"), "line 10: has 2 fields, but line 9 names 3"),
        ("2\n\nA 1 1\n".to_owned(), "ends 1 points too early"),
        ("1\nLattice=\"9 0 0 0 9 0 0 0 9\" pbc=\"T F F\"\nA 1 1\n".to_owned(), "line 2: the box is periodic along one"),
        ("1\nLattice=\"9 1 0 0 9 0 0 0 9\"\nA 1 1\n".to_owned(), "line 2: Lattice is no rectangular box"),
    ] {
        let points = write(&folder.join("faulty"), &text);
        unreadable(&["correlation", &points, "--bins", "0:4:2", "--rdf"], names);
    }

    // Standard input and gzip.
    let compressed = folder.join("commas.csv.gz");
    let mut writer = GzEncoder::new(fs::File::create(&compressed).unwrap(), Compression::default());
    writer.write_all(&fs::read(folder.join("commas.csv")).unwrap()).unwrap();
    writer.finish().unwrap();
    assert_eq!(printed(&[&["correlation", compressed.to_str().unwrap()], &all[..]].concat()), expected);
    let output = command(&[&["correlation", "-"], &all[..]].concat())
        .stdin(fs::File::open(&compressed).unwrap())
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    let cut = &fs::read(&compressed).unwrap()[..20];
    fs::write(&compressed, cut).unwrap();
    unreadable(&[&["correlation", compressed.to_str().unwrap()], &all[..]].concat(), "commas.csv.gz: ");
}
