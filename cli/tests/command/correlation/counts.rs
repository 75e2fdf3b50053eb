//! Counts of pairs: by hand, by brute force, of integers and real numbers, of types and within a mask.

use std::fs;

use super::{POLYCRYSTAL, columns, lattice, printed, write};
use crate::support::{folder, refused, run, stderr, unreadable};

#[test]
fn six_points_by_hand() {
    let points = write(
        &folder("g6_six").join("six.csv"),
        "theta, x,y,note\n0,0,0,a\n0.5235987755982988,3,4,b\n0.17453292519943295,3,0,c\n0.3490658503988659,0,4,d\n\
         0,6,8,e\n1.0471975511965976,0,1,f\n",
    );
    let text = printed(&["correlation", &points, "--bins", "0:6:1"]);
    assert_eq!(text, printed(&["g6", &points, "--bins", "0:6:1"]));
    assert_eq!(
        text,
        "r_lo,r_hi,count,sum,g\n0,1,0,0,\n1,2,1,268435456,1\n2,3,0,0,\n3,4,4,268435456,0.25\n\
         4,5,3,-536870912,-0.6666666666666666\n5,6,3,-402652055,-0.49999859804908436\n"
    );
    // In a periodic plane, (0, 1) and (6, 8) are 6 and 3 apart across the edge.
    let text = printed(&["correlation", &points, "--bins", "0:5:1", "--box", "10,10"]);
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
    let expected = printed(&["correlation", POLYCRYSTAL, "--bins", "0:100:1"]);
    assert_eq!(columns(&expected).iter().map(|line| line.0).collect::<Vec<u64>>(), counts);
    let of_rdf = printed(&["correlation", POLYCRYSTAL, "--bins", "0:100:1", "--rdf"]);
    assert_eq!(columns(&of_rdf).iter().map(|line| line.0).collect::<Vec<u64>>(), counts);

    let mut lines: Vec<&str> = text.lines().collect();
    lines[1..].reverse();
    let reversed = write(&folder.join("reversed.csv"), &(lines.join("\r\n") + "\r\n"));
    for (file, threads) in [(POLYCRYSTAL, "1"), (POLYCRYSTAL, "3"), (reversed.as_str(), "2")] {
        let csv = folder.join("out.csv");
        let svg = folder.join("out.svg");
        let (to, picture) = (csv.to_str().unwrap(), svg.to_str().unwrap());
        let words = ["correlation", file, "--bins", "0:100:1", "--threads", threads, "--out", to, "--svg", picture];
        assert_eq!(printed(&words), "");
        assert_eq!(fs::read_to_string(&csv).unwrap(), expected, "{file}, {threads} threads");
        assert!(fs::read_to_string(&svg).unwrap().contains("|g6(r)|"));
    }
    // Real coordinates, open and periodic.
    for extra in [&[][..], &["--box", "320,240"]] {
        let half = text.replacen("\n", "\n0.25,0.5,0\n", 1);
        let shifted = write(&folder.join("real.csv"), &half);
        let words =
            |threads| [&["correlation", shifted.as_str(), "--bins", "0:100:5", "--threads", threads], extra].concat();
        assert_eq!(printed(&words("1")), printed(&words("4")));
    }
}

#[test]
fn transforms_count_the_same_pairs_and_say_their_memory() {
    let folder = folder("g6_transforms");
    // Every pixel of a square but some.
    let pixels = (0..80 * 80).filter(|i| i * i % 7 != 3).map(|i| format!("{},{},{}\n", i % 80, i / 80, i));
    let film = write(&folder.join("film.csv"), &("x,y,theta\n".to_owned() + &pixels.collect::<String>()));
    let words = ["correlation", film.as_str(), "--bins", "0:120:0.5", "--threads", "1"];
    let by_transforms = run(&words);
    assert!(stderr(&by_transforms).contains("counting by transforms, on one thread, with 1 MiB"), "{by_transforms:?}");
    let otherwise = run(&[&words[..], &["--memory", "0"]].concat());
    assert!(!stderr(&otherwise).contains("transforms"), "{otherwise:?}");
    assert!(otherwise.status.success() && otherwise.stdout == by_transforms.stdout);
}

/// Integers are counted exactly, by rows and by cells.
#[test]
fn integers_with_and_without_orientations() {
    let rows: String = (0..3000u64).map(|i| format!("{},{},0\n", i * i * 7919 % 2801, i * 104_729 % 2903)).collect();
    let points = write(&folder("g6_integers").join("sparse.csv"), &format!("x,y,theta\n{rows}"));
    for bins in ["0:300:1", "0:2896:4", "64:128:2", "0:2897:1", "0:300:3", "1:300:2"] {
        let [oriented, counted] =
            [&[][..], &["--rdf"]].map(|extra| printed(&[&["correlation", &points, "--bins", bins], extra].concat()));
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
    let text = printed(&["correlation", &points, "--bins", "0:60:5", "--rdf"]);
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
    let words = ["correlation", &points, "--neighbours", "4", "--fold", "4", "--psi", particles.to_str().unwrap()];
    let output = run(&[&words[..], &["--box", "200,400"]].concat());
    assert!(stderr(&output).contains("--bins 0:50:0.5, chosen for 800 points"), "{}", stderr(&output));
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 101);
    let text = fs::read_to_string(&particles).unwrap();
    assert_eq!(text.lines().next(), Some("x,y,psi_re,psi_im,psi_abs"));
    assert_eq!(text.lines().nth(22), Some("10,10,1,0,1"));
    assert_eq!(text.lines().count(), 801);
    let one = write(&folder.join("one.csv"), "x,y\n1,1\n");
    refused(&["correlation", &one, "--rdf"], "--bins: none fit these points");
    // A refusal leaves no file.
    let none = folder.join("none.csv");
    let turned = write(&folder.join("turned.csv"), "x,y,theta\n1,1,0\n");
    refused(&["correlation", &turned, "--psi", none.to_str().unwrap()], "--bins: none fit these points");
    assert!(!none.exists());
    refused(&[&words[..], &["--out", particles.to_str().unwrap()]].concat(), "psi.csv: is the file of --out");
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
            let all = [&["correlation", points.as_str()], common, words].concat();
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
    unreadable(&["correlation", &reals, "--rdf", "--bins", "0:1:1", "--types", "Na,K"], "no point has the type K");
    let without = write(&folder.join("without.csv"), "x,y\n1,1\n2,3\n");
    unreadable(&["correlation", &without, "--rdf", "--bins", "0:1:1", "--types", "a,a"], "names no column type");
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
    let masked = [&["correlation", points.as_str()], &bins[..], &["--mask", &mask]].concat();
    assert_eq!(counts(&masked), counts(&[&["correlation", chosen.as_str()], &bins[..]].concat()));
    // A lattice is even over several spacings.
    let g: Vec<f64> = columns(&printed(&masked)).iter().map(|line| line.1.parse().unwrap()).collect();
    let mean = g[4..9].iter().sum::<f64>() / 5.0;
    assert!((mean - 1.0).abs() < 0.05, "{g:?}");
    for (corners, why) in
        [("x,y\n1,1\n2,2\n", "needs 3"), ("x,y\n1,1\n2,2\n3,3\n", "no area"), ("a,b\n", "no column x")]
    {
        let bad = write(&folder.join("bad.csv"), corners);
        unreadable(&[&["correlation", points.as_str()], &bins[..], &["--mask", &bad]].concat(), why);
    }
    let away = write(&folder.join("away.csv"), "x,y\n100,100\n101,100\n100,101\n");
    unreadable(
        &[&["correlation", points.as_str()], &bins[..], &["--mask", &away]].concat(),
        "no point lies within --mask",
    );
}
