//! Orientations: by neighbours and cells, of several symmetries, their decay and their picture.

use std::fs;

use super::{columns, lattice, printed, write};
use crate::support::{folder, refused, run, stderr, unreadable};

#[test]
fn orientations_of_neighbours() {
    // A square lattice: all particles have the same four-fold order, and no six-fold order.
    let lattice: String = (0..64).map(|i| format!("{},{}\n", i % 8, i / 8)).collect();
    let points = write(&folder("g6_neighbours").join("square.csv"), &format!("x,y\n{lattice}"));
    let words = ["correlation", &points, "--bins", "0:4:1", "--box", "8,8", "--neighbours", "4"];
    let text = printed(&[&words[..], &["--fold", "4"]].concat());
    assert_eq!(columns(&text)[1], (256, "68719476736,1".to_owned()));
    assert_eq!(columns(&printed(&words))[1], (256, "0,0".to_owned()));
    // The same bins without a box: particles at the edges lack neighbours.
    let open = printed(&[&words[..4], &["--neighbours", "4", "--fold", "4"]].concat());
    assert_eq!(columns(&open)[1].0, 2 * 7 * 8 + 2 * 7 * 7);
}

#[test]
fn three_kinds_of_neighbours_agree_in_a_lattice() {
    let folder = folder("g6_kinds");
    let (points, lengths) = lattice(&folder.join("lattice.csv"));
    let psi = |words: &[&str]| {
        let file = folder.join("psi.csv").to_str().unwrap().to_owned();
        let all = [&["correlation", &points, "--bins", "0:5:1", "--box", &lengths, "--psi", &file], words].concat();
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
    unreadable(&["correlation", &points, "--bins", "0:5:1", "--box", &lengths, "--radius", "10.5"], "period");
}

#[test]
fn several_symmetries_are_those_of_single_runs() {
    let folder = folder("g6_folds");
    let (points, lengths) = lattice(&folder.join("lattice.csv"));
    let frames = fs::read_to_string(&points).unwrap().replace("type", "frame").replace("Na", "1").replace("Cl", "2");
    let frames = write(&folder.join("frames.csv"), &frames);
    let file = folder.join("psi.csv").to_str().unwrap().to_owned();
    for (points, extra) in [(&points, &[][..]), (&frames, &["--frames"]), (&frames, &["--average"])] {
        let table = |fold: &str| {
            let words = [
                "correlation",
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
    refused(&["correlation", &points, "--bins", "0:5:1", "--fold", "4,6"], "several symmetries need orientations");
    refused(&["correlation", &points, "--bins", "0:5:1", "--fold", "4,x", "--voronoi"], "--fold");
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
        let output = run(&["correlation", &points, "--bins", "0:25:0.5", "--fit", "1:20"]);
        assert!(output.status.success(), "{}", stderr(&output));
        stderr(&output)
    };
    let power = make(|r| 0.9 * r.powf(-0.25));
    assert!(power.contains("bins from r = 1.25 to 19.75: r^-eta6 with eta6 = 0.25 +- "), "{power}");
    let exponential = make(|r| 0.9 * (-r / 8.0).exp());
    assert!(exponential.contains("xi6 = 8 +- ") || exponential.contains("xi6 = 8.00"), "{exponential}");
    let points = folder.join("points.csv");
    refused(&["correlation", points.to_str().unwrap(), "--bins", "0:25:0.5", "--fit", "30:40"], "0 bins of this range");
}

#[test]
fn particles_are_drawn() {
    let folder = folder("g6_map");
    let (points, lengths) = lattice(&folder.join("lattice.csv"));
    let svg = folder.join("map.svg");
    let words =
        ["correlation", &points, "--bins", "0:5:1", "--box", &lengths, "--voronoi", "--psi-svg", svg.to_str().unwrap()];
    printed(&words);
    let picture = fs::read_to_string(&svg).unwrap();
    assert_eq!(picture.matches("<circle").count(), 480);
    refused(
        &[
            "correlation",
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
