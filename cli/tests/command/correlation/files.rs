//! `hotloops correlation` on the files of other programs: what changes the result is honoured or refused by name.

use std::fmt::Write;
use std::fs;

use crate::support::{folder, run, stderr, unreadable};

/// 60 points in a square of side 20.
fn points() -> Vec<[f64; 2]> {
    (0..60u32).map(|i| [f64::from(i * i * 7 % 199) / 10.0, f64::from(i * 31 % 193) / 10.0]).collect()
}

/// The lines of a file with these options, and what is said.
pub(super) fn counted(name: &str, text: &str, extra: &[&str]) -> (String, String) {
    let path = folder(&format!("g6_files_{name}")).join(name);
    fs::write(&path, text).unwrap();
    let output = run(&[&["correlation", path.to_str().unwrap(), "--rdf", "--bins", "0:8:2"], extra].concat());
    assert!(output.status.success(), "{text}: {}", stderr(&output));
    (String::from_utf8(output.stdout.clone()).unwrap(), stderr(&output))
}

pub(super) fn refused(name: &str, text: &str, why: &str) {
    let path = folder(&format!("g6_files_{name}")).join(name);
    fs::write(&path, text).unwrap();
    unreadable(&["correlation", path.to_str().unwrap(), "--rdf", "--bins", "0:8:2"], why);
}

pub(super) fn rows(of: impl Fn(usize, [f64; 2]) -> String) -> String {
    points().into_iter().enumerate().fold(String::new(), |mut text, (i, at)| {
        writeln!(text, "{}", of(i, at)).unwrap();
        text
    })
}

/// The lines of the points in a box, and in an open plane.
pub(super) fn expected(name: &str) -> [String; 2] {
    let text = "x,y\n".to_owned() + &rows(|_, [x, y]| format!("{x},{y}"));
    ["20,20", "open"].map(|plane| counted(name, &text, &["--box", plane]).0)
}

const LATTICE: &str = "Lattice=\"20 0 0 0 20 0 0 0 5\" ";

fn xyz(comment: &str, row: impl Fn(f64, f64) -> String) -> String {
    format!("60\n{comment}\n{}", rows(|_, [x, y]| row(x, y)))
}

#[test]
fn properties_name_the_columns_of_extended_xyz() {
    let [periodic, _] = expected("properties");
    let of = |properties: &str, row: fn(f64, f64) -> String| xyz(&format!("{LATTICE}Properties={properties}"), row);
    for (properties, row) in [
        ("species:S:1:pos:R:3", (|x, y| format!("A {x} {y} 0")) as fn(f64, f64) -> String),
        ("id:I:1:type:I:1:pos:R:3", |x, y| format!("7 1 {x} {y} 0")),
        ("pos:R:3:species:S:1", |x, y| format!("{x} {y} 0 A")),
        ("species:S:1:velo:R:3:pos:R:3", |x, y| format!("A 3 1 2 {x} {y} 0")),
        ("pos:R:2", |x, y| format!("{x} {y}")),
    ] {
        assert_eq!(counted("properties", &of(properties, row), &[]).0, periodic, "{properties}");
    }
    let plain = |x: f64, y: f64| format!("A {x} {y} 0");
    refused(
        "properties",
        &of("species:S:1:position:R:3", plain),
        "line 2: Properties = `species:S:1:position:R:3`: names no pos",
    );
    let two = of("species:S:1:pos:R:3", plain) + &of("pos:R:3:species:S:1", |x, y| format!("{x} {y} 0 A"));
    let path = folder("g6_files_changed").join("changed.xyz");
    fs::write(&path, two).unwrap();
    unreadable(
        &["correlation", path.to_str().unwrap(), "--rdf", "--bins", "0:8:2", "--average"],
        "line 64: Properties is not that of the first frame",
    );
    // Without Properties, a number in the first column is no species.
    refused("properties", &xyz(LATTICE, |x, y| format!("{x}5 {y} 0")), "line 3: begins with a number");
}

#[test]
fn boxes_of_extended_xyz_in_every_spelling() {
    let [periodic, open] = expected("boxes");
    assert_ne!(periodic, open);
    let plain = |x: f64, y: f64| format!("A {x} {y} 0");
    for (comment, expected) in [
        (LATTICE.to_owned(), &periodic),
        (LATTICE.to_lowercase(), &periodic),
        ("Lattice={20 0 0 0 20 0 0 0 5}".to_owned(), &periodic),
        ("Lattice=[[20, 0, 0], [0, 20, 0], [0, 0, 5]] pbc=[T, T, F]".to_owned(), &periodic),
        (format!("{LATTICE}pbc=\"f f f\""), &open),
        (format!("{LATTICE}pbc=\"false false false\""), &open),
        (format!("{LATTICE}pbc=\"0 0 0\""), &open),
        (format!("{LATTICE}pbc=[F, F, F]"), &open),
        ("a plain comment".to_owned(), &open),
    ] {
        assert_eq!(&counted("boxes", &xyz(&comment, plain), &[]).0, expected, "{comment}");
    }
    refused(
        "boxes",
        &xyz(&format!("{LATTICE}pbc=\"yes yes no\""), plain),
        "line 2: pbc: `yes` is neither T nor F; give --box",
    );
    refused("boxes", &xyz("pbc=\"T T T\"", plain), "there is no Lattice; give --box X,Y");
    for one in ["T F T", "F T F"] {
        let why = "the box is periodic along one axis only, which is not supported; give --box";
        refused("boxes", &xyz(&format!("{LATTICE}pbc=\"{one}\""), plain), why);
    }
    let tilted = xyz("Lattice=\"20 3 0 0 20 0 0 0 5\"", plain);
    refused(
        "boxes",
        &tilted,
        "no rectangular box; only these are supported; give --box X,Y for a periodic plane, or --box open",
    );
    assert_eq!(counted("boxes", &tilted, &["--box", "open"]).0, open);
    let (found, said) = counted("boxes", &xyz("cell=\"20 20 5\"", plain), &[]);
    assert!(found == open && said.contains("the key cell of the comment in line 2 is ignored"), "{said}");
}

fn dump(step: i64, bounds: &str, columns: &str, row: impl Fn(f64, f64) -> String) -> String {
    format!(
        "ITEM: TIMESTEP\n{step}\nITEM: NUMBER OF ATOMS\n60\nITEM: BOX BOUNDS{bounds}\nITEM: ATOMS id {columns}\n{}",
        rows(|i, [x, y]| format!("{i} {}", row(x, y)))
    )
}

const SQUARE: &str = " pp pp pp\n0 20\n0 20\n0 1";

#[test]
fn positions_and_boxes_of_lammps() {
    let [periodic, open] = expected("lammps");
    let plain = |x: f64, y: f64| format!("{x} {y}");
    for (bounds, columns, row, expected) in [
        (SQUARE, "x y", plain as fn(f64, f64) -> String, &periodic),
        (SQUARE, "xu yu zu", |x, y| format!("{} {y} 0", x + 40.0), &periodic),
        (SQUARE, "xs ys", |x, y| format!("{} {}", x / 20.0, y / 20.0), &periodic),
        (
            " pp pp pp\n-10 10\n5 25\n0 1",
            "xs ys zs",
            |x, y| format!("{} {} 0", (x + 10.0) / 20.0, (y - 5.0) / 20.0),
            &periodic,
        ),
        (SQUARE, "xs ys x y", |x, y| format!("9 9 {x} {y}"), &periodic),
        (" xy xz yz pp pp pp\n0 20 0\n0 20 0.0\n0 1 0", "x y", plain, &periodic),
        (" ff ss fm\n0 20\n0 20\n0 1", "x y", plain, &open),
        (" ff ff pp\n0 20\n0 20\n0 1", "xs ys", |x, y| format!("{} {}", x / 20.0, y / 20.0), &open),
    ] {
        assert_eq!(&counted("lammps", &dump(0, bounds, columns, row), &[]).0, expected, "{bounds}, {columns}");
    }
    for (bounds, columns, why) in [
        (
            "\n0 20\n0 20\n0 1",
            "x y",
            "does not say whether the box is periodic, as `pp pp pp` and `ff ff ff` do; give --box",
        ),
        (" pp qq pp\n0 20\n0 20\n0 1", "x y", "the box is given by `pp qq pp`"),
        (" abc origin\n1 0 0 0\n0 1 0 0\n0 0 1 0", "x y", "the box is given by `abc origin`"),
        (" xy xz yz pp pp pp\n0 20 1\n0 20 0\n0 1 0", "x y", "line 5: the box is tilted"),
        (" pp pp pp\n3 3\n0 20\n0 1", "x y", "the periodic box has no area"),
    ] {
        refused("lammps", &dump(0, bounds, columns, plain), why);
        assert_eq!(counted("lammps", &dump(0, bounds, columns, plain), &["--box", "open"]).0, open, "{bounds}");
    }
    let path = folder("g6_files_scaled").join("scaled");
    fs::write(&path, dump(0, " xy xz yz pp pp pp\n0 20 1\n0 20 0\n0 1 0", "xs ys", plain)).unwrap();
    let words = ["correlation", path.to_str().unwrap(), "--rdf", "--bins", "0:8:2", "--box", "20,20"];
    unreadable(&words, "the positions are scaled, which needs a rectangular box");
}

/// Every line of the head of a frame is checked, and a wrong one is named with the remedy.
#[test]
fn heads_of_lammps_frames_are_checked() {
    let plain = |x: f64, y: f64| format!("{x} {y}");
    let good = dump(0, SQUARE, "x y", plain);
    let [periodic, open] = expected("heads");
    // UNITS and TIME, which some versions of LAMMPS write, change nothing.
    let more = format!("ITEM: UNITS\nlj\nITEM: TIME\n0.5\n{good}");
    assert_eq!(counted("heads", &more, &[]).0, periodic);
    assert_eq!(counted("heads", &good.replacen(&format!("ITEM: BOX BOUNDS{SQUARE}\n"), "", 1), &[]).0, open);
    let to_replace = "; give --box X,Y for a periodic plane, or --box open";
    for (line, bounds) in
        [(6, "0 inf"), (6, "nan 20"), (6, "20 0"), (6, "-1e308 1e308"), (7, "0 1e999"), (7, "-inf 20"), (8, "1 0")]
    {
        let lines = good.lines().enumerate();
        let text: String = lines.map(|(i, text)| format!("{}\n", if i + 1 == line { bounds } else { text })).collect();
        let axis = ["x", "y", "z"][line - 6];
        let why = format!("line {line}: the bounds of {axis}, `{bounds}`, are no two finite numbers that ascend");
        refused("heads", &text, &(why + to_replace));
        assert_eq!(counted("heads", &text, &["--box", "open"]).0, open, "{bounds}");
    }
    let small = good.replacen("\n0 20\n", "\n0 11\n", 1);
    let length = "frame 0: the box above line 10 has the length 11.0 along x, which must be finite and at least twice \
                  the end of --bins";
    refused("heads", &small, length);
    let known = "is not supported; known are TIMESTEP, NUMBER OF ATOMS, BOX BOUNDS, UNITS, TIME and ATOMS; write atoms \
                 by `dump custom`";
    let count = "ITEM: NUMBER OF ATOMS\n60\n";
    for (from, to, why) in [
        ("ITEM: NUMBER", "ITEM: FOO\n1\nITEM: NUMBER", &*format!("line 3: ITEM: FOO {known}")),
        (count, "ITEM: NUMBER OF ENTRIES\n60\n", &format!("line 3: ITEM: NUMBER OF ENTRIES {known}")),
        ("BOX BOUNDS", "BOX BOUNDSX", &format!("line 5: ITEM: BOX BOUNDSX pp pp pp {known}")),
        ("ITEM: ATOMS", "ITEM: ATOMSX", &format!("line 9: ITEM: ATOMSX id x y {known}")),
        (count, "", "line 7: the frame has no ITEM: NUMBER OF ATOMS"),
        ("ITEM: TIMESTEP\n0\n", "ITEM: UNITS\nlj\n", "line 9: the frame has no ITEM: TIMESTEP"),
        (
            "ITEM: NUMBER",
            "ITEM: TIMESTEP\n1\nITEM: NUMBER",
            "line 3: ITEM: TIMESTEP stands twice in a frame; is the frame before cut off?",
        ),
        ("\n60\n", "\n61\n", "ends 1 points too early, in the frame that begins in line 1"),
    ] {
        assert!(good.contains(from), "{from}");
        refused("heads", &good.replacen(from, to, 1), why);
    }
}

#[test]
fn a_record_of_lammps_is_a_frame() {
    let [periodic, _] = expected("records");
    let plain = |x: f64, y: f64| format!("{x} {y}");
    let shifted = |x: f64, y: f64| format!("{} {y}", x / 2.0);
    let one = |row: fn(f64, f64) -> String, step: i64| dump(step, SQUARE, "x y", row);
    let chained = one(plain, 0) + &one(plain, 100) + &one(shifted, 100) + &one(plain, 200);
    let (lines, said) = counted("records", &chained, &["--frames"]);
    assert_eq!(lines.lines().count(), 1 + 4 * 4, "{lines}");
    assert!(said.contains("several frames have the number 100; they are kept apart"), "{said}");
    let own = |index: usize| -> String {
        lines
            .lines()
            .skip(1 + 4 * index)
            .take(4)
            .map(|line| line.split_once(',').unwrap().1.to_owned() + "\n")
            .collect()
    };
    assert_eq!("r_lo,r_hi,count,g\n".to_owned() + &own(0), periodic);
    assert!(own(1) == own(0) && own(2) != own(0) && own(3) == own(0), "{lines}");
    let second = counted("records", &chained, &["--frame", "100:2"]).0;
    assert_eq!(second, "r_lo,r_hi,count,g\n".to_owned() + &own(2));
    let path = folder("g6_files_repeated").join("repeated");
    fs::write(&path, &chained).unwrap();
    let words = ["correlation", path.to_str().unwrap(), "--rdf", "--bins", "0:8:2"];
    unreadable(&[&words[..], &["--frame", "100"]].concat(), "2 frames have this number; choose --frame 100:1");
    unreadable(&[&words[..], &["--frame", "100:3"]].concat(), "the file has 2 frames of this number");
    fs::write(&path, one(plain, 7) + &one(plain, 7)).unwrap();
    unreadable(&words, "line 79: frame = 7, and begins again here; choose --frame 7, --frames or --average");
}

#[test]
fn columns_that_number_frames() {
    let table = |name: &str, unit: f64| {
        format!("x,y,{name}\n{}", rows(|i, [x, y]| format!("{x},{y},{}", (i % 3) as f64 * unit)))
    };
    let of = |name: &str, unit: f64| counted("columns", &table(name, unit), &["--frames"]).0;
    let expected = of("frame", 1.0);
    assert_eq!(expected.lines().count(), 1 + 3 * 4);
    for name in ["Slice", "t", "time", "timestep", "POSITION_T", "FRAME", "Time [s]", "t (ms)"] {
        assert_eq!(of(name, 1.0), expected, "{name}");
        let path = folder("g6_files_single").join("single.csv");
        fs::write(&path, table(name, 1.0)).unwrap();
        let words = ["correlation", path.to_str().unwrap(), "--rdf", "--bins", "0:8:2"];
        unreadable(&words, &format!("line 3: {name} = 1, but the points before have {name} = 0; choose --frame 0"));
    }
    let halves = of("time", 0.5);
    assert_eq!(halves.replace("\n0.5,", "\n1,").replace("\n1,6,8,", "\n2,6,8,").lines().count(), 13);
    assert!(halves.contains("\n0.5,0,2,") && halves.contains("\n1,0,2,"), "{halves}");
    assert_eq!(counted("columns", &table("time", 0.5), &["--frame", "0.5"]).0.lines().count(), 5);
    // A column that looks like one is named, and may be chosen.
    let (all, said) = counted("columns", &table("image", 1.0), &[]);
    assert!(said.contains("the column image is ignored; if it numbers frames, give --frame-column"), "{said}");
    assert_eq!(counted("columns", &table("image", 1.0), &["--frame-column", "Image", "--frames"]).0, expected);
    assert_eq!(counted("columns", &table("t", 1.0), &["--frame-column", "none"]).0, all);
    let both = table("Slice,Frame", 1.0).replace(".0\n", ",0\n");
    let both: String = both
        .lines()
        .map(|line| if line.starts_with('x') { line.to_owned() + "\n" } else { line.to_owned() + ",5\n" })
        .collect();
    let (_, said) = counted("columns", &both, &[]);
    assert!(said.contains("the column Slice is ignored"), "{said}");
}

/// A table of tracks with names, short names and units below its header, which read as points would be three more.
#[test]
fn more_lines_of_names_are_no_points() {
    let table = |more: &str| format!("LABEL,X,Y,FRAME\n{more}{}", rows(|i, [x, y]| format!("ID{i},{x},{y},0")));
    let more = "Label,X,Y,Frame\nLabel,X,Y,Frame\n,(micron),(micron),\n";
    for (lines, why) in [
        (more.to_owned(), "line 2: FRAME = `Frame` is not an integer"),
        (more.replace("Frame", "0"), "X = `X` is not a finite number"),
        ("Label,X,Y,0\n".to_owned(), "X = `X` is not a finite number"),
        (",(micron),(micron),0\n".to_owned(), "X = `(micron)` is not a finite number"),
    ] {
        refused("names", &table(&lines), why);
    }
    assert_eq!(counted("names", &table(""), &["--box", "20,20"]).0, expected("names")[0]);
    let positions = table("").replace("X,Y", "POSITION_X,POSITION_Y");
    assert_eq!(counted("names", &positions, &["--box", "20,20"]).0, expected("names")[0]);
}

/// The four lines of names that TrackMate writes, some of them without the others.
#[test]
fn tables_of_trackmate_are_read() {
    let [_, open] = expected("trackmate");
    let names = [
        "LABEL,ID,TRACK_ID,QUALITY,POSITION_X,POSITION_Y,POSITION_Z,POSITION_T,FRAME,RADIUS",
        "Label,Spot ID,Track ID,Quality,X,Y,Z,T,Frame,Radius",
        "Label,Spot ID,Track ID,Quality,X,Y,Z,T,Frame,R",
        ",,,(quality),(micron),(micron),(micron),(sec),,(micron)",
    ];
    let spots = rows(|i, [x, y]| format!("ID{i},{i},,3.5,{x},{y},0,1.5,7,2"));
    for kept in [&names[..1], &names[..2], &names[..]] {
        let (found, said) = counted("trackmate", &format!("{}\n{spots}", kept.join("\n")), &[]);
        assert_eq!(found, open, "{kept:?}");
        assert!(said.contains("the column z is ignored"), "{said}");
    }
    let (found, _) = counted("trackmate", &format!("{}\n{spots}", names.join("\n")), &["--frame", "7"]);
    assert_eq!(found, open);
    refused(
        "trackmate",
        &format!("{}\nLabel,,,,X,Y,,,7,\n{spots}", names.join("\n")),
        "x = `X` is not a finite number",
    );
}
