//! `hotloops g6`: worked examples, brute force, the same bytes for any number of threads, and
//! errors that name the fault.

use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::process::Stdio;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::support::{command, folder, refused, run, stderr, unreadable};

const POLYCRYSTAL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/polycrystal.csv");

fn write(path: &Path, text: &str) -> String {
    fs::write(path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

fn printed(words: &[&str]) -> String {
    let output = run(words);
    assert!(output.status.success(), "{words:?}: {}", stderr(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// The count of each line, and the columns after it.
fn columns(text: &str) -> Vec<(u64, String)> {
    let fields = |line: &str| -> Vec<String> { line.split(',').map(str::to_owned).collect() };
    text.lines().skip(1).map(|line| (fields(line)[2].parse().unwrap(), fields(line)[3..].join(","))).collect()
}

#[test]
fn six_points_by_hand() {
    let points = write(
        &folder("g6_six").join("six.csv"),
        "theta, x,y,note\n0,0,0,a\n0.5235987755982988,3,4,b\n0.17453292519943295,3,0,c\n0.3490658503988659,0,4,d\n0,6,8,e\n\
         1.0471975511965976,0,1,f\n",
    );
    let text = printed(&["g6", &points, "--bins", "0:6:1"]);
    assert_eq!(
        text,
        "r_lo,r_hi,count,sum,g\n0,1,0,0,\n1,2,1,268435456,1\n2,3,0,0,\n3,4,4,268435456,0.25\n\
         4,5,3,-536870912,-0.6666666666666666\n5,6,3,-402652055,-0.49999859804908436\n"
    );
    // In a periodic plane, (0, 1) and (6, 8) are 6 and 3 apart across the edge.
    let text = printed(&["g6", &points, "--bins", "0:5:1", "--box", "10,10"]);
    assert_eq!(columns(&text).iter().map(|line| line.0).collect::<Vec<_>>(), [0, 1, 0, 5, 4]);
}

#[test]
fn a_polycrystal_by_brute_force_and_in_any_order() {
    let folder = folder("g6_order");
    let text = fs::read_to_string(POLYCRYSTAL).unwrap();
    let points: Vec<(i64, i64)> = text
        .lines()
        .skip(1)
        .map(|line| {
            let mut words = line.split(',').map(|word| word.parse::<f64>().unwrap() as i64);
            (words.next().unwrap(), words.next().unwrap())
        })
        .collect();
    let mut counts = vec![0; 100];
    for (i, a) in points.iter().enumerate() {
        for b in &points[..i] {
            let r2 = (a.0 - b.0).pow(2) + (a.1 - b.1).pow(2);
            let bin = (0..=100).find(|&k: &i64| k * k > r2).unwrap_or(101) as usize - 1;
            if let Some(count) = counts.get_mut(bin) {
                *count += 1;
            }
        }
    }
    let expected = printed(&["g6", POLYCRYSTAL, "--bins", "0:100:1"]);
    assert_eq!(columns(&expected).iter().map(|line| line.0).collect::<Vec<u64>>(), counts);
    let of_rdf = printed(&["g6", POLYCRYSTAL, "--bins", "0:100:1", "--rdf"]);
    assert_eq!(columns(&of_rdf).iter().map(|line| line.0).collect::<Vec<u64>>(), counts);

    let mut lines: Vec<&str> = text.lines().collect();
    lines[1..].reverse();
    let reversed = write(&folder.join("reversed.csv"), &(lines.join("\r\n") + "\r\n"));
    for (file, threads) in [(POLYCRYSTAL, "1"), (POLYCRYSTAL, "3"), (reversed.as_str(), "2")] {
        let csv = folder.join("out.csv");
        let svg = folder.join("out.svg");
        let (to, picture) = (csv.to_str().unwrap(), svg.to_str().unwrap());
        let words = ["g6", file, "--bins", "0:100:1", "--threads", threads, "--csv", to, "--svg", picture];
        assert_eq!(printed(&words), "");
        assert_eq!(fs::read_to_string(&csv).unwrap(), expected, "{file}, {threads} threads");
        assert!(fs::read_to_string(&svg).unwrap().contains("|g6(r)|"));
    }
    // Real coordinates, open and periodic.
    for extra in [&[][..], &["--box", "320,240"]] {
        let half = text.replacen("\n", "\n0.25,0.5,0\n", 1);
        let shifted = write(&folder.join("real.csv"), &half);
        let words = |threads| [&["g6", shifted.as_str(), "--bins", "0:100:5", "--threads", threads], extra].concat();
        assert_eq!(printed(&words("1")), printed(&words("4")));
    }
}

#[test]
fn transforms_count_the_same_pairs_and_say_their_memory() {
    let folder = folder("g6_transforms");
    // Every pixel of a square but some.
    let pixels = (0..80 * 80).filter(|i| i * i % 7 != 3).map(|i| format!("{},{},{}\n", i % 80, i / 80, i));
    let film = write(&folder.join("film.csv"), &("x,y,theta\n".to_owned() + &pixels.collect::<String>()));
    let words = ["g6", film.as_str(), "--bins", "0:120:0.5", "--threads", "1"];
    let by_transforms = run(&words);
    assert!(stderr(&by_transforms).contains("counting by transforms, on one thread, with 1 MiB"), "{by_transforms:?}");
    let otherwise = run(&[&words[..], &["--memory", "0"]].concat());
    assert!(!stderr(&otherwise).contains("transforms"), "{otherwise:?}");
    assert!(otherwise.status.success() && otherwise.stdout == by_transforms.stdout);
}

#[test]
fn orientations_of_neighbours() {
    // A square lattice: all particles have the same four-fold order, and no six-fold order.
    let lattice: String = (0..64).map(|i| format!("{},{}\n", i % 8, i / 8)).collect();
    let points = write(&folder("g6_neighbours").join("square.csv"), &format!("x,y\n{lattice}"));
    let words = ["g6", &points, "--bins", "0:4:1", "--box", "8,8", "--neighbours", "4"];
    let text = printed(&[&words[..], &["--fold", "4"]].concat());
    assert_eq!(columns(&text)[1], (256, "68719476736,1".to_owned()));
    assert_eq!(columns(&printed(&words))[1], (256, "0,0".to_owned()));
    // The same bins without a box: particles at the edges lack neighbours.
    let open = printed(&[&words[..4], &["--neighbours", "4", "--fold", "4"]].concat());
    assert_eq!(columns(&open)[1].0, 2 * 7 * 8 + 2 * 7 * 7);
}

#[test]
fn stray_points_periods_and_extents() {
    let folder = folder("g6_range");
    let counts = |text: &str| columns(text).into_iter().map(|line| line.0).collect::<Vec<u64>>();
    // Points at multiples of 1/4, which have exact distances.
    let points: Vec<(f64, f64)> =
        (0..400).map(|i| (f64::from(i * i % 401) / 4.0, f64::from(i * 7 % 399) / 4.0)).collect();
    let lines = |unit: f64, laps: f64| -> String {
        let line = |(i, (x, y)): (usize, &(f64, f64))| {
            format!("{},{}\n", x * unit, y * unit + laps * (i % 3) as f64 * 100.0 * unit)
        };
        points.iter().enumerate().map(line).collect()
    };
    let path = folder.join("points.csv");
    let of = |text: String, bins: &str, extra: &[&str]| {
        let points = write(&path, &format!("x,y\n{text}"));
        counts(&printed(&[&["g6", points.as_str(), "--bins", bins, "--rdf"], extra].concat()))
    };
    for (bins, width) in [("0:30:1", 1.0), ("0:50:5", 5.0)] {
        let mut expected = vec![0; if width == 1.0 { 30 } else { 10 }];
        for (i, a) in points.iter().enumerate() {
            for b in &points[..i] {
                let bin = ((a.0 - b.0).hypot(a.1 - b.1) / width) as usize;
                expected.get_mut(bin).into_iter().for_each(|count| *count += 1);
            }
        }
        assert_eq!(of(lines(1.0, 0.0), bins, &[]), expected);
        for stray in ["-1e6,3", "-1000000000,0.1", "1e30,-1e30"] {
            assert_eq!(of(lines(1.0, 0.0) + stray + "\n", bins, &[]), expected, "stray point {stray}");
        }
    }
    // Bins up to half of the box, in units whose squares overflow f32, and points shifted by whole
    // periods.
    let expected = of(lines(1.0, 0.0), "0:50:0.5", &["--box", "100.5,100"]);
    assert_eq!(of(lines(1.0, 1e6), "0:50:0.5", &["--box", "100.5,100"]), expected);
    let unit = 2f64.powi(-100);
    let (bins, lengths) = (format!("0:{}:{}", 50.0 * unit, 0.5 * unit), format!("{},{}", 100.5 * unit, 100.0 * unit));
    assert_eq!(of(lines(unit, -3.0), &bins, &["--box", &lengths]), expected);
    // The last edge of 1001 bins is 50.05, half of the box.
    assert_eq!(of(lines(1.0, 0.0), "0:50.05:0.05", &["--box", "100.1,100.1"]).len(), 1001);
}

#[test]
fn frames_apart_and_averaged() {
    let folder = folder("g6_frames");
    // Frame 2 has pairs at 1, 1 and sqrt 2; frame -1 has two at 1; their lines are mixed.
    let points = write(
        &folder.join("film.csv"),
        "frame,x,y,z,psi_re,psi_im\n2,0,0,7,1,0\n-1,0,0,7,1,0\n2.0,1,0,7,1,0\n-1,1,0,7,0,1\n2,0,1,7,1,0\n-1,2,0,7,1,0\n",
    );
    let words = ["g6", points.as_str(), "--bins", "0:3:1"];
    let with = |extra: &[&str]| printed(&[&words[..], extra].concat());
    unreadable(&words, "line 3: frame = -1, but the points before have frame = 2; choose --frame 2, --frames all or");
    let one = "r_lo,r_hi,count,sum,g\n0,1,0,0,\n1,2,3,805306368,1\n2,3,0,0,\n";
    assert_eq!(with(&["--frame", "2"]), one);
    let other = "r_lo,r_hi,count,sum,g\n0,1,0,0,\n1,2,2,0,0\n2,3,1,268435456,1\n";
    assert_eq!(with(&["--frame", "-1"]), other);
    let numbered =
        |frame: &str, text: &str| -> String { text.lines().skip(1).map(|line| format!("{frame},{line}\n")).collect() };
    let all = format!("frame,r_lo,r_hi,count,sum,g\n{}{}", numbered("-1", other), numbered("2", one));
    assert_eq!(with(&["--frames", "all"]), all);
    assert_eq!(with(&["--frames", "all", "--threads", "1"]), all);
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
    refused(&[&words[..], &["--frames", "some"]].concat(), "'some' for '--frames <all>'");
    refused(&[&words[..], &["--frames", "all", "--average"]].concat(), "--average");
    refused(&[&words[..], &["--frames", "all", "--svg", "a.svg"]].concat(), "--svg");
    unreadable(&["g6", POLYCRYSTAL, "--bins", "0:3:1", "--average"], "names no column frame");
    // Names of columns in upper case.
    let capital = write(&folder.join("capital.csv"), "Frame,X,Y\n0,1,2\n1,1,3\n");
    unreadable(
        &["g6", &capital, "--bins", "0:3:1", "--rdf"],
        "line 3: Frame = 1, but the points before have Frame = 0",
    );
    // A frame of one point changes nothing.
    let corner = "frame,x,y\n0,0,0\n0,1,0\n0,0,1\n";
    let [without, with_one] = ["", "1,5,5\n"].map(|last| {
        let film = write(&folder.join("corner.csv"), &format!("{corner}{last}"));
        printed(&["g6", &film, "--bins", "0:2:1", "--rdf", "--average"])
    });
    // Three points 1 apart come from a square of side 2. Points of a unit square are nearer than r, up to 1,
    // with the probability pi r^2 - 8/3 r^3 + r^4 / 2.
    let nearer = |r: f64| std::f64::consts::PI * r * r - 8.0 / 3.0 * r.powi(3) + 0.5 * r.powi(4);
    let expected = 1.0 / (nearer(1.0) - nearer(0.5));
    let g: f64 = columns(&without)[1].1.split(',').next().unwrap().parse().unwrap();
    assert!(with_one == without && (g - expected).abs() < 1e-2, "{with_one}{expected}");
    let half = write(&folder.join("half.csv"), "frame,x,y\n0.5,1,2\n");
    unreadable(&["g6", &half, "--bins", "0:3:1", "--rdf"], "line 2: frame = `0.5` is not an integer");
    let none = write(&folder.join("none.csv"), "frame,x,y\n");
    unreadable(&["g6", &none, "--bins", "0:3:1", "--rdf", "--average"], "has no points, and so no frames");
    let few = write(&folder.join("few.csv"), "frame,x,y\n0,1,2\n0,2,2\n1,1,2\n");
    let few = run(&["g6", &few, "--bins", "0:3:1", "--neighbours", "1", "--average"]);
    let said = stderr(&few);
    assert!(
        few.status.success() && said.contains("few.csv: 1 frames have at most 1 points, but --neighbours 1"),
        "{said}"
    );
}

/// The same four points of two frames in every format give the same lines.
#[test]
fn formats_of_laboratories_and_simulators() {
    let folder = folder("g6_formats");
    let all = ["--bins", "0:6:2", "--rdf", "--frames", "all", "--box", "20,20"];
    let counts = |name: &str, text: &str, extra: &[&str]| {
        let points = write(&folder.join(name), text);
        printed(&[&["g6", points.as_str()], extra].concat())
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
    let without_box = &all[..5];
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
        &["g6", &points, "--bins", "0:6:2", "--rdf"],
        "line 21: frame = 1, but the points before have frame = 0",
    );
    unreadable(&["g6", &points, "--bins", "0:12:2", "--rdf", "--frame", "1"], "frame 1:");
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
        unreadable(&["g6", &points, "--bins", "0:4:2", "--rdf"], names);
    }

    // Standard input and gzip.
    let compressed = folder.join("commas.csv.gz");
    let mut writer = GzEncoder::new(fs::File::create(&compressed).unwrap(), Compression::default());
    writer.write_all(&fs::read(folder.join("commas.csv")).unwrap()).unwrap();
    writer.finish().unwrap();
    assert_eq!(printed(&[&["g6", compressed.to_str().unwrap()], &all[..]].concat()), expected);
    let output =
        command(&[&["g6", "-"], &all[..]].concat()).stdin(fs::File::open(&compressed).unwrap()).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    let cut = &fs::read(&compressed).unwrap()[..20];
    fs::write(&compressed, cut).unwrap();
    unreadable(&[&["g6", compressed.to_str().unwrap()], &all[..]].concat(), "commas.csv.gz: ");
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
            let words = ["g6", film, "--bins", "0:20:1", "--neighbours", "6", "--frames", "all", "--psi"];
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
        let words = ["g6", film, "--rdf", "--bins", "0:20:1", "--frames", "all", "--threads", threads];
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
    let words = ["--bins", "0:3:1", "--rdf", "--frames", "all"];
    let expected = printed(&[&["g6", &table], &words[..]].concat());
    let from = |input: Stdio| {
        let mut command = command(&[&["g6", "-"], &words[..]].concat());
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

/// Integers are counted exactly, by rows and by cells.
#[test]
fn integers_with_and_without_orientations() {
    let rows: String = (0..3000u64).map(|i| format!("{},{},0\n", i * i * 7919 % 2801, i * 104_729 % 2903)).collect();
    let points = write(&folder("g6_integers").join("sparse.csv"), &format!("x,y,theta\n{rows}"));
    for bins in ["0:300:1", "0:2896:4", "64:128:2", "0:2897:1", "0:300:3", "1:300:2"] {
        let [oriented, counted] =
            [&[][..], &["--rdf"]].map(|extra| printed(&[&["g6", &points, "--bins", bins], extra].concat()));
        let counts = |text: &str| columns(text).into_iter().map(|line| line.0).collect::<Vec<_>>();
        assert_eq!(counts(&oriented), counts(&counted), "{bins}");
    }
}

/// g(r) of random points is 1 at all distances, in an open rectangle too.
#[test]
fn density_of_random_points() {
    let mut bits = 1u64;
    let mut number = || {
        bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (bits >> 33) as f64 / (1u64 << 31) as f64
    };
    let rows: String = (0..4000).map(|_| format!("{},{}\n", 100.0 * number(), 40.0 * number())).collect();
    let points = write(&folder("g6_random").join("random.csv"), &format!("x,y\n{rows}"));
    let text = printed(&["g6", &points, "--bins", "0:60:5", "--rdf"]);
    for (bin, (count, g)) in columns(&text).into_iter().enumerate() {
        let g: f64 = g.parse().unwrap();
        // Counts deviate by their square root, and with the density near the edges.
        assert!((g - 1.0).abs() < 6.0 / (count as f64).sqrt() + 0.02, "bin {bin}: {count} pairs, g = {g}");
    }
}

#[test]
fn bins_by_default_and_particles() {
    let folder = folder("g6_particles");
    // A square lattice of spacing 10 and 20 x 40 points, turned by nothing.
    let rows: String = (0..800).map(|i| format!("{},{}\n", i % 20 * 10, i / 20 * 10)).collect();
    let points = write(&folder.join("square.csv"), &format!("x,y\n{rows}"));
    let particles = folder.join("psi.csv");
    let words = ["g6", &points, "--neighbours", "4", "--fold", "4", "--psi", particles.to_str().unwrap()];
    let output = run(&[&words[..], &["--box", "200,400"]].concat());
    assert!(stderr(&output).contains("--bins 0:50:0.5, chosen for 800 points"), "{}", stderr(&output));
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 101);
    let text = fs::read_to_string(&particles).unwrap();
    assert_eq!(text.lines().next(), Some("x,y,psi_re,psi_im,psi_abs"));
    assert_eq!(text.lines().nth(22), Some("10,10,1,0,1"));
    assert_eq!(text.lines().count(), 801);
    let one = write(&folder.join("one.csv"), "x,y\n1,1\n");
    refused(&["g6", &one, "--rdf"], "--bins: none fit these points");
    // A refusal leaves no file.
    let none = folder.join("none.csv");
    let turned = write(&folder.join("turned.csv"), "x,y,theta\n1,1,0\n");
    refused(&["g6", &turned, "--psi", none.to_str().unwrap()], "--bins: none fit these points");
    assert!(!none.exists());
    refused(&[&words[..], &["--csv", particles.to_str().unwrap()]].concat(), "psi.csv: is the file of --csv");
}

#[test]
fn faults_are_named_and_leave_no_file() {
    let folder = folder("g6_faults");
    let out = folder.join("out.csv");
    type Check = fn(&[&str], &str);
    let fault = |check: Check, text: &str, bins: &str, extra: &[&str], names: &str| {
        let points = write(&folder.join("points.csv"), text);
        let words = [&["g6", points.as_str(), "--bins", bins, "--csv", out.to_str().unwrap()], extra].concat();
        check(&words, names);
        assert!(!out.exists(), "{text:?}");
    };
    let faulty = |text: &str, bins: &str, extra: &[&str], names: &str| fault(unreadable, text, bins, extra, names);
    let wrong = |text: &str, bins: &str, extra: &[&str], names: &str| fault(refused, text, bins, extra, names);
    let good = "x,y,theta\n1,2,0\n3,4,0\n";
    faulty("x,z,theta\n1,2,0\n", "0:5:1", &[], "no column y");
    faulty("x,y\n1,2\n", "0:5:1", &[], "neither theta nor psi_re");
    faulty("x,y,psi_re\n1,2,0\n", "0:5:1", &[], "no column psi_im");
    faulty("x,y,theta,psi_re,psi_im\n1,2,0,1,0\n", "0:5:1", &[], "both theta and psi_re");
    faulty("x,x,y,theta\n1,1,2,0\n", "0:5:1", &[], "two columns x");
    faulty("x,y,theta\n1,2,0\n3,four,0\n", "0:5:1", &[], "line 3: y = `four`");
    faulty("x,y,theta\n1,NaN,0\n", "0:5:1", &[], "line 2: y = `NaN` is not a finite number");
    faulty("x,y,theta\n1,2,inf\n", "0:5:1", &[], "line 2: theta");
    faulty("x,y,theta\n1,2\n", "0:5:1", &[], "line 2: has 2 fields, but the first line names 3");
    faulty("x,y,psi_re,psi_im\n1,2,0.8,0.8\n", "0:5:1", &[], "line 2: psi = 0.8 + 0.8 i has a magnitude above 1");
    wrong(good, "5:0:1", &[], "LO = 5 is not less than HI = 0");
    wrong(good, "0:5", &[], "three numbers");
    wrong(good, "0:5:-1", &[], "WIDTH = -1 is not positive");
    wrong(good, "0:5:0", &[], "WIDTH = 0 is not positive");
    wrong(good, "-1:5:1", &[], "LO = -1 is negative");
    wrong(good, "0:nan:1", &[], "HI = NaN is not a finite number");
    wrong(good, "0:5:inf", &[], "WIDTH = inf is not a finite number");
    wrong(good, "0:5:10", &[], "no bin of width 10 fits between 0 and 5");
    wrong(good, "0:1e6:1", &[], "more than 65536 bins");
    wrong(good, "1e17:1.0000000000000006e17:1", &[], "edges coincide");
    wrong(good, "0:5:one", &[], "three numbers");
    wrong(good, "0:5:1", &["--box", "ten,20"], "'ten,20' for '--box <X,Y>': expected two positive numbers");
    wrong(good, "0:5:1", &["--box", "-9,20"], "two positive numbers");
    wrong(good, "0:5:1", &["--box", "0,20"], "two positive numbers");
    wrong(good, "0:5:1", &["--box", "20,1e300"], "two positive numbers");
    wrong(good, "0:5:1", &["--bos", "20,20"], "'--bos'");
    wrong(good, "0:5:1", &["--fold", "six"], "'six' for '--fold <N>'");
    wrong(good, "0:5:1", &["--threads", "0"], "--threads");
    faulty("x,y,theta\n1,2,0\n\n3,-1e301,0\n", "0:5:1", &[], "line 4: y = -1e301 is too far");
    faulty("x,y,theta\n\n\n1,2,0\r\n\n\n3,four,0", "0:5:1", &[], "line 7: y = `four`");
    faulty("x,y\n1,2\n3,4\n1e301,0.5\n", "0:5:1", &["--neighbours", "1"], "line 4: x = 1e301 is too far");
    wrong(good, "0:5:1", &["--box", "10"], "two positive numbers");
    wrong(good, "0:5:1", &["--box", "9,20"], "beyond half of --box, 4.5");
    wrong(good, "0:5:1", &["--svg", out.to_str().unwrap()], "is the file of --csv");
    wrong(good, "0:5:1", &["--svg", folder.join("points.csv").to_str().unwrap()], "is the file of POINTS");
    let mask = folder.join("mask.csv");
    fs::write(&mask, "x,y\n0,0\n9,0\n9,9\n").unwrap();
    let mask = mask.to_str().unwrap();
    wrong(good, "0:5:1", &["--mask", mask, "--svg", mask], "is the file of --mask");
    wrong(good, "0:5:1", &["--ignore-theta"], "--ignore-theta has no effect");
    wrong(good, "0:5:1", &["--rdf", "--fold", "4"], "--fold");
    wrong(good, "0:5:1", &["--rdf", "--ignore-theta"], "--ignore-theta");
    wrong(good, "0:5:1", &["--voronoi", "--fold", "4,6,4"], "--fold: 4 stands twice");
    faulty(good, "0:5:1", &["--neighbours", "1"], "names theta, but --neighbours");
    faulty("x,y,psi_re,psi_im\n1,2,1,0\n3,4,1,0\n", "0:5:1", &["--neighbours", "1"], "names psi_re, but --neighbours");
    faulty("x,y\n1,2\n3,4\n", "0:5:1", &["--neighbours", "2"], "--neighbours 2: each point has 1 others");
    wrong("x,y\n1,2\n3,4\n", "0:5:1", &["--neighbours", "0"], "--neighbours");
    wrong("x,y,frame\n1,2,0\n", "0:5:1", &["--rdf", "--frame", "all"], "--frames all takes all frames");
    let lines = "x,y,frame\n1,2,0\n2,3,0\n1,2,1\n1,3,1\n";
    faulty(lines, "0:5:1", &["--rdf", "--average"], "frame 1: the points lie on a line parallel to an axis");
    wrong("x,y\n1,2\n3,4\n", "0:5:1", &["--neighbours", "1", "--rdf"], "--rdf");
    unreadable(&["g6", "/nowhere.csv", "--bins", "0:5:1"], "/nowhere.csv");
    let points = write(&folder.join("empty.csv"), "x,y,theta\n");
    let text = printed(&["g6", &points, "--bins", "0:2:1"]);
    assert_eq!(text, "r_lo,r_hi,count,sum,g\n0,1,0,0,\n1,2,0,0,\n");
}

/// A triangular lattice in a periodic box, a little displaced, with alternating types.
fn lattice(path: &Path) -> (String, String) {
    let height = 0.75f64.sqrt();
    let wobble = |i: usize, k: usize| 0.05 * (((i * 7919 + k * 104_729) % 1000) as f64 / 1000.0 - 0.5);
    let mut text = "x,y,type\n".to_owned();
    for i in 0..20 * 24 {
        let (column, row) = (i % 20, i / 20);
        let x = column as f64 + 0.5 * (row % 2) as f64 + wobble(i, 1);
        let y = row as f64 * height + wobble(i, 2);
        text += &format!("{x},{y},{}\n", if column % 2 == 0 { "Na" } else { "Cl" });
    }
    (write(path, &text), format!("20,{}", 24.0 * height))
}

#[test]
fn three_kinds_of_neighbours_agree_in_a_lattice() {
    let folder = folder("g6_kinds");
    let (points, lengths) = lattice(&folder.join("lattice.csv"));
    let psi = |words: &[&str]| {
        let file = folder.join("psi.csv").to_str().unwrap().to_owned();
        let all = [&["g6", &points, "--bins", "0:5:1", "--box", &lengths, "--psi", &file], words].concat();
        printed(&all);
        fs::read_to_string(file).unwrap()
    };
    let nearest = psi(&["--neighbours", "6"]);
    // The order in which directions are added may differ, and with it the last unit of 2^-14.
    let parts = |text: &str| -> Vec<f64> {
        text.lines()
            .skip(1)
            .flat_map(|line| line.split(',').map(|word| word.parse::<f64>().unwrap()).collect::<Vec<_>>())
            .collect()
    };
    for words in [&["--radius", "1.3"][..], &["--voronoi"]] {
        for (a, b) in parts(&nearest).into_iter().zip(parts(&psi(words))) {
            assert!((a - b).abs() < 1e-4, "{words:?}: {a} {b}");
        }
    }
    unreadable(&["g6", &points, "--bins", "0:5:1", "--box", &lengths, "--radius", "10.5"], "period");
}

#[test]
fn types_add_up_to_all_pairs() {
    let folder = folder("g6_types");
    let (reals, lengths) = lattice(&folder.join("reals.csv"));
    let integers = fs::read_to_string(&reals).unwrap();
    let whole = |word: &str| word.parse::<f64>().map_or(word.to_owned(), |x| (8.0 * x).round().to_string());
    let integers: Vec<String> =
        integers.lines().map(|line| line.split(',').map(whole).collect::<Vec<_>>().join(",")).collect();
    let integers = write(&folder.join("integers.csv"), &integers.join("\n"));
    for (points, common) in [
        (&reals, &["--bins", "0:6:0.5", "--box", &lengths, "--neighbours", "6"][..]),
        (&reals, &["--bins", "0:6:0.5", "--neighbours", "6"]),
        (&integers, &["--bins", "0:60:5", "--neighbours", "6"]),
        (&reals, &["--bins", "0:6:0.5", "--rdf"]),
        (&integers, &["--bins", "0:60:4", "--rdf"]),
    ] {
        let counted = |words: &[&str]| {
            let all = [&["g6", points.as_str()], common, words].concat();
            printed(&all).lines().skip(1).map(sums).collect::<Vec<_>>()
        };
        let all = counted(&[]);
        let parts = ["Na,Na", "Cl,Cl", "Na,Cl"].map(|types| counted(&["--types", types]));
        for (bin, all) in all.iter().enumerate() {
            let sum = |k: usize| parts.iter().map(|part| part[bin][k]).sum::<i64>();
            assert_eq!((sum(0), sum(1)), (all[0], all[1]), "{common:?} bin {bin}");
        }
        assert_eq!(counted(&["--types", "Cl,Na"]), parts[2], "{common:?}");
    }
    unreadable(&["g6", &reals, "--rdf", "--bins", "0:1:1", "--types", "Na,K"], "no point has the type K");
    let without = write(&folder.join("without.csv"), "x,y\n1,1\n2,3\n");
    unreadable(&["g6", &without, "--rdf", "--bins", "0:1:1", "--types", "a,a"], "names no column type");
}

/// The count of a line, and its sum if it has one.
fn sums(line: &str) -> [i64; 2] {
    let fields: Vec<&str> = line.split(',').collect();
    [fields[2].parse().unwrap(), if fields.len() > 4 { fields[3].parse().unwrap() } else { 0 }]
}

#[test]
fn a_mask_counts_points_within_a_polygon() {
    let folder = folder("g6_mask");
    let (points, _) = lattice(&folder.join("lattice.csv"));
    let mask = write(&folder.join("mask.csv"), "x,y\n3.2,2.1\n17.7,2.1\n17.7,15.2\n10.1,8.3\n3.2,15.2\n");
    // The same points, chosen here: above the V of the upper side, none.
    let text = fs::read_to_string(&points).unwrap();
    let inside = |line: &&str| {
        let at: Vec<f64> = line.split(',').take(2).map(|word| word.parse().unwrap()).collect();
        let (x, y) = (at[0], at[1]);
        let edge = if x < 10.1 {
            15.2 + (8.3 - 15.2) * (x - 3.2) / (10.1 - 3.2)
        } else {
            8.3 + (15.2 - 8.3) * (x - 10.1) / (17.7 - 10.1)
        };
        (3.2..17.7).contains(&x) && y > 2.1 && y < edge
    };
    let chosen: Vec<&str> = text.lines().skip(1).filter(inside).collect();
    assert!(chosen.len() > 80);
    let chosen = write(&folder.join("chosen.csv"), &format!("x,y,type\n{}\n", chosen.join("\n")));
    let counts = |words: &[&str]| columns(&printed(words)).into_iter().map(|line| line.0).collect::<Vec<_>>();
    let bins = ["--rdf", "--bins", "0:10:1"];
    let masked = [&["g6", points.as_str()], &bins[..], &["--mask", &mask]].concat();
    assert_eq!(counts(&masked), counts(&[&["g6", chosen.as_str()], &bins[..]].concat()));
    // A lattice is even over several spacings.
    let g: Vec<f64> = columns(&printed(&masked)).iter().map(|line| line.1.parse().unwrap()).collect();
    let mean = g[4..9].iter().sum::<f64>() / 5.0;
    assert!((mean - 1.0).abs() < 0.05, "{g:?}");
    for (corners, why) in
        [("x,y\n1,1\n2,2\n", "needs 3"), ("x,y\n1,1\n2,2\n3,3\n", "no area"), ("a,b\n", "no column x")]
    {
        let bad = write(&folder.join("bad.csv"), corners);
        unreadable(&[&["g6", points.as_str()], &bins[..], &["--mask", &bad]].concat(), why);
    }
    let away = write(&folder.join("away.csv"), "x,y\n100,100\n101,100\n100,101\n");
    unreadable(&[&["g6", points.as_str()], &bins[..], &["--mask", &away]].concat(), "no point lies within --mask");
}

#[test]
fn a_fit_finds_the_decay_of_made_up_orientations() {
    // Pairs far from each other, whose products are made to decay with their distance.
    let folder = folder("g6_fit");
    let make = |g: fn(f64) -> f64| {
        let mut text = "x,y,psi_re,psi_im\n".to_owned();
        for i in 1..=40 {
            let r = f64::from(i) * 0.5 + 0.25;
            let x = f64::from(i) * 1000.0;
            text += &format!("{x},0,1,0\n{},0,{},0\n", x + r, g(r));
        }
        let points = write(&folder.join("points.csv"), &text);
        let output = run(&["g6", &points, "--bins", "0:25:0.5", "--fit", "1:20"]);
        assert!(output.status.success(), "{}", stderr(&output));
        stderr(&output)
    };
    let power = make(|r| 0.9 * r.powf(-0.25));
    assert!(power.contains("bins from r = 1.25 to 19.75: r^-eta6 with eta6 = 0.25 +- "), "{power}");
    let exponential = make(|r| 0.9 * (-r / 8.0).exp());
    assert!(exponential.contains("xi6 = 8 +- ") || exponential.contains("xi6 = 8.00"), "{exponential}");
    let points = folder.join("points.csv");
    refused(&["g6", points.to_str().unwrap(), "--bins", "0:25:0.5", "--fit", "30:40"], "0 bins of this range");
}

#[test]
fn several_symmetries_are_those_of_single_runs() {
    let folder = folder("g6_folds");
    let (points, lengths) = lattice(&folder.join("lattice.csv"));
    let frames = fs::read_to_string(&points).unwrap().replace("type", "frame").replace("Na", "1").replace("Cl", "2");
    let frames = write(&folder.join("frames.csv"), &frames);
    let file = folder.join("psi.csv").to_str().unwrap().to_owned();
    for (points, extra) in [(&points, &[][..]), (&frames, &["--frames", "all"]), (&frames, &["--average"])] {
        let table = |fold: &str| {
            let words = [
                "g6",
                points,
                "--bins",
                "0:5:1",
                "--box",
                &lengths,
                "--neighbours",
                "6",
                "--fold",
                fold,
                "--psi",
                &file,
            ];
            let cells = |text: String| -> Vec<Vec<String>> {
                text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
            };
            (cells(printed(&[&words, extra].concat())), cells(fs::read_to_string(&file).unwrap()))
        };
        let ((both, both_psi), (four, four_psi), (six, six_psi)) = (table("4,6"), table("4"), table("6"));
        let first = four[0].iter().position(|name| name == "sum").unwrap();
        let own = four[0].len() - first;
        assert_eq!(both[0][first..first + 2], ["sum_4", "g_4"]);
        for ((both, four), six) in both.iter().zip(&four).zip(&six).skip(1) {
            assert_eq!(both[..first + own], four[..], "{extra:?}");
            assert_eq!(both[first + own..], six[first..], "{extra:?}");
        }
        let end = both_psi[0].len();
        assert_eq!(both_psi[0][end - 6..], ["psi4_re", "psi4_im", "psi4_abs", "psi6_re", "psi6_im", "psi6_abs"]);
        for ((both, four), six) in both_psi.iter().zip(&four_psi).zip(&six_psi).skip(1) {
            assert_eq!((&both[..end - 3], &both[end - 3..]), (&four[..], &six[six.len() - 3..]), "{extra:?}");
        }
    }
    refused(&["g6", &points, "--bins", "0:5:1", "--fold", "4,6"], "several symmetries need orientations");
    refused(&["g6", &points, "--bins", "0:5:1", "--fold", "4,x", "--voronoi"], "--fold");
}

#[test]
fn particles_are_drawn() {
    let folder = folder("g6_map");
    let (points, lengths) = lattice(&folder.join("lattice.csv"));
    let svg = folder.join("map.svg");
    let words = ["g6", &points, "--bins", "0:5:1", "--box", &lengths, "--voronoi", "--psi-svg", svg.to_str().unwrap()];
    printed(&words);
    let picture = fs::read_to_string(&svg).unwrap();
    assert_eq!(picture.matches("<circle").count(), 480);
    refused(
        &[
            "g6",
            &points,
            "--bins",
            "0:5:1",
            "--voronoi",
            "--psi-svg",
            svg.to_str().unwrap(),
            "--svg",
            svg.to_str().unwrap(),
        ],
        "is the file of --svg",
    );
}
