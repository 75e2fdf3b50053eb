//! Ranks count the pairs of points, and read the frames of films.

use std::fs;
use std::path::Path;

use super::{is_the_same_by_ranks, mpirun};
use crate::support::{folder, run, stderr, words};

/// A film whose frames differ in their number of points; some have no pair.
fn film(folder: &Path, frames: u64, points: u64) -> String {
    let path = folder.join(format!("film_{frames}_{points}.csv"));
    let mut text = "frame,x,y,type\n".to_owned();
    for frame in 0..frames {
        for i in 0..points.saturating_sub(frame * frame % 7 * points / 8) {
            let [x, y] = [7919, 104_729].map(|step| (i * i * 31 + i * step + frame * 17) % 6143);
            let kind = if i % 3 == 0 { "A" } else { "B" };
            text += &format!("{frame},{}.{},{}.5,{kind}\n", x / 61, x % 61, y / 61);
        }
    }
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn ranks_count_pairs() {
    let folder = folder("ranks_g6");
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data");
    let (film, frame, large) = (film(&folder, 9, 300), film(&folder, 1, 2000), film(&folder, 1, 13_000));
    let corners = folder.join("corners.csv");
    fs::write(&corners, "x,y\n10,10\n80,15\n60,90\n").unwrap();
    let mask = corners.display();
    for line in [
        format!("{data}/polycrystal.csv --bins 0:100:2 --out OUT"),
        format!("{data}/polycrystal.csv --rdf --svg OUT"),
        format!("{frame} --bins 0:20:0.5 --box 101,102 --neighbours 6 --fold 4,6"),
        format!("{frame} --types A,B --voronoi --psi OUT"),
        // Orientations in several parts.
        format!("{large} --neighbours 6 --fold 4,6 --bins 0:3:0.5 --psi OUT"),
        format!("{large} --radius 1.5 --bins 0:3:0.5"),
        format!("{film} --frames --neighbours 6 --bins 0:20:1"),
        format!("{film} --average --rdf --out OUT"),
        format!("{film} --average --radius 4 --fold 6,4 --bins 0:30:2 --mask {mask}"),
        format!("{film} --frames --rdf --mask {mask}"),
    ] {
        is_the_same_by_ranks(&folder, &format!("correlation {line}"));
    }
}

/// Films in all formats, with lines in any order, and with faults, of which the first one is reported.
#[test]
fn ranks_read_frames() {
    let folder = folder("ranks_frames");
    let sorted = fs::read_to_string(film(&folder, 9, 200)).unwrap().replace(",type", "").replace([',', 'A', 'B'], " ");
    let sorted = sorted.replace(" \n", "\n");
    let mut mixed: Vec<&str> = sorted.lines().skip(1).collect();
    mixed.sort_by_key(|line| line.bytes().rev().collect::<Vec<_>>());
    let frames = |head: &dyn Fn(u32, usize) -> String| -> String {
        (0..9)
            .flat_map(|frame| {
                let own = |line: &&str| line.split(' ').next() == Some(&frame.to_string());
                let points: Vec<&str> = sorted.lines().skip(1).filter(own).collect();
                let lines = points.iter().map(|line| format!("A {}\n", &line[2..]));
                [head(frame, points.len())].into_iter().chain(lines).collect::<Vec<_>>()
            })
            .collect()
    };
    let xyz = frames(&|_, points| format!("{points}\nLattice=\"101 0 0 0 102 0 0 0 1\"\n")).replace(".5\n", ".5 0\n");
    let lammps = frames(&|frame, points| {
        // Two frames have the same timestep.
        let step = if frame == 7 { 300 } else { 1000 - 100 * frame };
        format!("ITEM: TIMESTEP\n{step}\nITEM: NUMBER OF ATOMS\n{points}\nITEM: ATOMS type x y\n")
    });
    let texts = [
        ("film.txt", sorted.clone()),
        ("mixed.txt", format!("frame x y\n{}\n", mixed.join("\n"))),
        ("film.xyz", xyz),
        ("film.lammps", lammps),
    ];
    for (name, text) in &texts {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        let path = path.display();
        is_the_same_by_ranks(&folder, &format!("correlation {path} --frames --rdf --bins 0:20:1"));
        is_the_same_by_ranks(&folder, &format!("correlation {path} --average --neighbours 6 --psi OUT"));
    }
    let fault = folder.join("fault.txt");
    let line = format!("correlation {} --average --rdf --bins 0:5:1", fault.display());
    for (from, to) in [("\n7 ", "\n7 x"), ("\n4 ", "\n4 y"), ("\n3 ", "\nz 3 "), ("\n2 ", "\n2 2 ")] {
        let sorted = texts[0].1.replace("\n8 ", "\n8 w");
        fs::write(&fault, sorted.replacen(from, to, 3)).unwrap();
        let one = run(&words(&line));
        let why = stderr(&one);
        assert!(one.status.code() == Some(3) && why.contains("line "), "{why}");
        for ranks in 2..5 {
            let Some(mut command) = mpirun(ranks, &line) else { return };
            let output = command.output().unwrap();
            assert_eq!(
                (output.status.code(), stderr(&output).matches(why.trim()).count()),
                (Some(3), 1),
                "{ranks}: {why}"
            );
            assert_eq!(stderr(&output).matches("hotloops: ").count(), 1, "{}", stderr(&output));
        }
    }
}
