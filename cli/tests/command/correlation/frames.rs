//! Films: frames apart and averaged, by several threads, and from standard input.

use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::process::Stdio;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::{POLYCRYSTAL, columns, printed, write};
use crate::support::{command, folder, refused, run, stderr, unreadable};

#[test]
fn frames_apart_and_averaged() {
    let folder = folder("g6_frames");
    // Frame 2 has pairs at 1, 1 and sqrt 2; frame -1 has two at 1; their lines are mixed.
    let points = write(
        &folder.join("film.csv"),
        "frame,x,y,z,psi_re,psi_im\n2,0,0,7,1,0\n-1,0,0,7,1,0\n2.0,1,0,7,1,0\n-1,1,0,7,0,1\n2,0,1,7,1,0\n\
         -1,2,0,7,1,0\n",
    );
    let words = ["correlation", points.as_str(), "--bins", "0:3:1"];
    let with = |extra: &[&str]| printed(&[&words[..], extra].concat());
    unreadable(&words, "line 3: frame = -1, but the points before have frame = 2; choose --frame 2, --frames or");
    let one = "r_lo,r_hi,count,sum,g\n0,1,0,0,\n1,2,3,805306368,1\n2,3,0,0,\n";
    assert_eq!(with(&["--frame", "2"]), one);
    let other = "r_lo,r_hi,count,sum,g\n0,1,0,0,\n1,2,2,0,0\n2,3,1,268435456,1\n";
    assert_eq!(with(&["--frame", "-1"]), other);
    let numbered =
        |frame: &str, text: &str| -> String { text.lines().skip(1).map(|line| format!("{frame},{line}\n")).collect() };
    let all = format!("frame,r_lo,r_hi,count,sum,g\n{}{}", numbered("-1", other), numbered("2", one));
    assert_eq!(with(&["--frames"]), all);
    assert_eq!(with(&["--frames", "--threads", "1"]), all);
    // g is 0 and 1 in two frames: a standard deviation of sqrt 1/2, a standard error of 1/2.
    assert_eq!(
        with(&["--average"]),
        "r_lo,r_hi,count,sum,g,g_standard_error\n0,1,0,0,,\n1,2,5,805306368,0.6,0.5\n2,3,1,268435456,1,\n"
    );
    // In a box of area 36, three pairs are 3 pi 3 / 36 expected ones between 1 and 2.
    let g: Vec<f64> = with(&["--average", "--rdf", "--box", "6,6"])
        .lines()
        .nth(2)
        .unwrap()
        .split(',')
        .map(|word| word.parse().unwrap())
        .collect();
    let expected = std::f64::consts::PI / 4.0;
    assert_eq!(g[2], 5.0);
    assert!((g[3] - 2.5 / expected).abs() < 1e-12 && (g[4] - 0.5 / expected).abs() < 1e-12, "{g:?}");
    assert!(with(&["--average", "--svg", folder.join("a.svg").to_str().unwrap()]).contains("g_standard_error"));
    let said = stderr(&run(&[&words[..], &["--average"]].concat()));
    assert_eq!(said.matches("column z is ignored").count(), 1, "{said}");

    unreadable(
        &[&words[..], &["--frame", "5"]].concat(),
        "--frame 5: no point has this frame; the frames are from -1 to 2",
    );
    refused(&[&words[..], &["--frame", "x"]].concat(), "'x' for '--frame <N>'");
    refused(&[&words[..], &["--frames", "some"]].concat(), "unexpected argument 'some'");
    refused(&[&words[..], &["--frames", "--average"]].concat(), "--average");
    refused(&[&words[..], &["--frames", "--svg", "a.svg"]].concat(), "--svg");
    unreadable(&["correlation", POLYCRYSTAL, "--bins", "0:3:1", "--average"], "names no column frame");
    // Names of columns in upper case.
    let capital = write(&folder.join("capital.csv"), "Frame,X,Y\n0,1,2\n1,1,3\n");
    unreadable(
        &["correlation", &capital, "--bins", "0:3:1", "--rdf"],
        "line 3: Frame = 1, but the points before have Frame = 0",
    );
    // A frame of one point changes nothing.
    let corner = "frame,x,y\n0,0,0\n0,1,0\n0,0,1\n";
    let [without, with_one] = ["", "1,5,5\n"].map(|last| {
        let film = write(&folder.join("corner.csv"), &format!("{corner}{last}"));
        printed(&["correlation", &film, "--bins", "0:2:1", "--rdf", "--average"])
    });
    // Three points 1 apart come from a square of side 2. Points of a unit square are nearer than r, up to 1,
    // with the probability pi r^2 - 8/3 r^3 + r^4 / 2.
    let nearer = |r: f64| std::f64::consts::PI * r * r - 8.0 / 3.0 * r.powi(3) + 0.5 * r.powi(4);
    let expected = 1.0 / (nearer(1.0) - nearer(0.5));
    let g: f64 = columns(&without)[1].1.split(',').next().unwrap().parse().unwrap();
    assert!(with_one == without && (g - expected).abs() < 1e-2, "{with_one}{expected}");
    let half = write(&folder.join("half.csv"), "frame,x,y\n0.5,1,2\n");
    unreadable(&["correlation", &half, "--bins", "0:3:1", "--rdf"], "line 2: frame = `0.5` is not an integer");
    let none = write(&folder.join("none.csv"), "frame,x,y\n");
    unreadable(&["correlation", &none, "--bins", "0:3:1", "--rdf", "--average"], "has no points, and so no frames");
    let few = write(&folder.join("few.csv"), "frame,x,y\n0,1,2\n0,2,2\n1,1,2\n");
    let few = run(&["correlation", &few, "--bins", "0:3:1", "--neighbours", "1", "--average"]);
    let said = stderr(&few);
    assert!(
        few.status.success() && said.contains("few.csv: 1 frames have at most 1 points, but --neighbours 1"),
        "{said}"
    );
}

/// Threads that read and count different frames write what one thread does, and report the first of several faults.
#[test]
fn threads_count_different_frames() {
    let folder = folder("g6_threads");
    let (film, psi) = (folder.join("film.csv"), folder.join("psi.csv"));
    let point = |i: u32| format!("{},{}.5,{}\n", i / 50, (i * i * 7 + i * 13) % 41, (i * 5 + i * i % 7) % 43);
    let text = "frame,x,y\n".to_owned() + &(0..40 * 50).map(point).collect::<String>();
    let film = film.to_str().unwrap();
    for text in [&text, &text.replace(".5", "")] {
        fs::write(film, text).unwrap();
        let by = |threads| {
            let words = ["correlation", film, "--bins", "0:20:1", "--neighbours", "6", "--frames", "--psi"];
            let printed = printed(&[&words[..], &[psi.to_str().unwrap(), "--threads", threads]].concat());
            (printed, fs::read(&psi).unwrap())
        };
        let expected = by("1");
        assert_eq!(expected.0.lines().count(), 1 + 40 * 20);
        for threads in ["2", "3"] {
            assert!(by(threads) == expected, "{threads} threads");
        }
    }
    fs::write(film, text.replace("\n29,", "\n29,y").replace("\n28,", "\n28,x")).unwrap();
    for threads in ["1", "2", "3"] {
        let words = ["correlation", film, "--rdf", "--bins", "0:20:1", "--frames", "--threads", threads];
        unreadable(&words, &format!("line {}: frame 28: x = `x", 2 + 28 * 50));
    }
}

/// Standard input that is a file is read twice where it is, from its place on; input from a pipe is copied to
/// TMPDIR.
#[test]
fn a_film_from_standard_input() {
    let folder = folder("g6_standard_input");
    let film = "frame,x,y\n2,0,0\n-1,0,0\n2,1,0\n-1,1,0\n2,0,1\n-1,2,0\n";
    let table = write(&folder.join("film.csv"), film);
    let before = "frame,x,y\n7,0,0\n";
    let later = write(&folder.join("later.csv"), &format!("{before}{film}"));
    let compressed = folder.join("film.csv.gz");
    // Behind bytes that are not compressed.
    fs::write(&compressed, before).unwrap();
    let mut writer =
        GzEncoder::new(fs::OpenOptions::new().append(true).open(&compressed).unwrap(), Compression::default());
    writer.write_all(film.as_bytes()).unwrap();
    writer.finish().unwrap();
    let words = ["--bins", "0:3:1", "--rdf", "--frames"];
    let expected = printed(&[&["correlation", &table], &words[..]].concat());
    let from = |input: Stdio| {
        let mut command = command(&[&["correlation", "-"], &words[..]].concat());
        command.stdin(input).env("TMPDIR", folder.join("missing")).output().unwrap()
    };
    for (path, place) in [(table.as_str(), 0), (&later, before.len()), (compressed.to_str().unwrap(), before.len())] {
        let mut input = fs::File::open(path).unwrap();
        input.seek(SeekFrom::Start(place as u64)).unwrap();
        let output = from(input.into());
        assert!(output.status.success(), "{path}: {}", stderr(&output));
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected, "{path}");
    }
    let (reader, mut writer) = std::io::pipe().unwrap();
    writer.write_all(film.as_bytes()).unwrap();
    drop(writer);
    let output = from(reader.into());
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
}
