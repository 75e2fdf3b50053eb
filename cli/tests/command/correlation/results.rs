//! `hotloops correlation`: results that are known, errors against scatter, and independence of the order of the lines.

use std::collections::BTreeMap;
use std::f64::consts::PI;
use std::fs;

use crate::support::{folder, run, stderr};

/// Uniform random numbers in 0..1.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * (1.0 - self.next()).ln()).sqrt() * (2.0 * PI * self.next()).cos()
    }
}

/// Standard output and standard error of `correlation` on points.
fn printed(name: &str, text: &str, words: &[&str]) -> (String, String) {
    let path = folder(&format!("g6_results_{name}")).join("points.csv");
    fs::write(&path, text).unwrap();
    let output = run(&[&["correlation", path.to_str().unwrap()], words].concat());
    assert!(output.status.success(), "{words:?}: {}", stderr(&output));
    (String::from_utf8(output.stdout.clone()).unwrap(), stderr(&output))
}

/// The lines of --psi, by their beginning x,y.
fn psi(name: &str, rows: &[String], words: &[&str]) -> BTreeMap<String, String> {
    let out = folder(&format!("g6_results_{name}_psi")).join("psi.csv");
    let text = "x,y\n".to_owned() + &rows.concat();
    printed(name, &text, &[words, &["--psi", out.to_str().unwrap()]].concat());
    let text = fs::read_to_string(&out).unwrap();
    text.lines()
        .skip(1)
        .map(|line| line.match_indices(',').nth(1).map(|(at, _)| line.split_at(at)).unwrap())
        .map(|(a, b)| (a.to_owned(), b.to_owned()))
        .collect()
}

#[test]
fn lattices_have_their_order_by_voronoi_cells() {
    let root = 3f64.sqrt();
    let kagome = [[0.0, 0.0], [1.0, 0.0], [0.5, root / 2.0], [1.0, root], [0.0, root], [1.5, 1.5 * root]];
    let honeycomb = [[0.0, 0.0], [0.0, 1.0], [root / 2.0, 1.5], [root / 2.0, 2.5]];
    for (fold, basis, [width, height]) in
        [("4", &[[0.0, 0.0]][..], [1.0, 1.0]), ("3", &honeycomb, [root, 3.0]), ("6", &kagome, [2.0, 2.0 * root])]
    {
        let cells = (0..10).flat_map(|i| (0..8).map(move |j| (f64::from(i) * width, f64::from(j) * height)));
        let rows: Vec<String> =
            cells.flat_map(|(x, y)| basis.iter().map(move |at| format!("{},{}\n", at[0] + x, at[1] + y))).collect();
        let lengths = format!("{},{}", 10.0 * width, 8.0 * height);
        let words = ["--voronoi", "--fold", fold, "--bins", "0:2:1", "--box", &lengths];
        for extra in [&[][..], &["--weighted"]] {
            for (at, psi) in psi("lattices", &rows, &[&words, extra].concat()) {
                let size: f64 = psi.rsplit(',').next().unwrap().parse().unwrap();
                assert!((size - 1.0).abs() < 1e-3, "--fold {fold} {extra:?} at {at}: {psi}");
            }
        }
    }
}

#[test]
fn the_order_of_the_lines_changes_no_point() {
    let mut random = Random(3);
    let mut at: Vec<(u32, u32)> =
        (0..2000).map(|_| ((200.0 * random.next()) as u32, (200.0 * random.next()) as u32)).collect();
    at.sort_unstable();
    at.dedup();
    let mut rows: Vec<String> = at.iter().map(|(x, y)| format!("{x},{y}\n")).collect();
    // A place with two points.
    rows.push(rows[5].clone());
    for words in [
        &["--neighbours", "6"][..],
        &["--radius", "8"],
        &["--voronoi"],
        &["--voronoi", "--weighted"],
        &["--voronoi", "--box", "200,200"],
    ] {
        let words = [words, &["--bins", "0:20:5", "--fold", "6"]].concat();
        let expected = psi("order", &rows, &words);
        for _ in 0..3 {
            for i in (1..rows.len()).rev() {
                rows.swap(i, (random.next() * (i + 1) as f64) as usize);
            }
            assert!(psi("order", &rows, &words) == expected, "{words:?}");
        }
    }
}

#[test]
fn points_without_a_cell_or_enough_others_are_reported() {
    let square: String = (0..36).map(|i| format!("{},{}\n", i % 6, i / 6)).collect();
    let words = ["--voronoi", "--fold", "4", "--bins", "0:2:1"];
    let (_, said) = printed("twins", &format!("x,y\n{square}2,3\n"), &words);
    assert!(said.contains("--voronoi: 1 points lie at the place of another; they have its orientation"), "{said}");
    let (_, said) = printed("twins", "x,y\n0,0\n1,0\n2,0\n", &words);
    assert!(said.contains("3 points have no neighbour; their orientation is 0"), "{said}");
    let (_, said) = printed("twins", &format!("x,y\n{square}"), &[&words[..], &["--weighted"]].concat());
    assert!(said.contains("20 points have a cell that is not bounded"), "{said}");

    // Orientations of the file, computed again.
    let theta = square.replace('\n', ",0.1\n");
    let text = format!("x,y,theta\n{theta}");
    let path = folder("g6_results_theta").join("points.csv");
    fs::write(&path, &text).unwrap();
    let refused = run(&[&["correlation", path.to_str().unwrap()], &words[..]].concat());
    assert!(stderr(&refused).contains("names theta, but --neighbours, --radius and --voronoi compute"), "{refused:?}");
    assert!(stderr(&refused).contains("--ignore-theta"), "{refused:?}");
    let again = printed("theta", &text, &[&words[..], &["--ignore-theta"]].concat()).0;
    assert_eq!(again, printed("theta", &format!("x,y\n{square}"), &words).0);

    // Frames with too few points are left empty.
    let film = "frame,x,y\n".to_owned()
        + &(0..3)
            .flat_map(|frame| (0..[9, 4, 9][frame]).map(move |i| format!("{frame},{},{}\n", i % 3, i / 3)))
            .collect::<String>();
    let words = ["--bins", "0:2:1", "--frames", "--neighbours"];
    let (lines, said) = printed("few", &film, &[&words[..], &["6"]].concat());
    assert!(
        said.contains(
            "1 frames have at most 6 points, but --neighbours 6 needs more; they are left empty (the first is 1)"
        ),
        "{said}"
    );
    let lines: Vec<&str> = lines.lines().collect();
    assert!(
        lines[4] == "1,1,2,0,0," && lines[2].starts_with("0,1,2,20,") && lines[6].starts_with("2,1,2,20,"),
        "{lines:?}"
    );
    let path = folder("g6_results_few").join("points.csv");
    fs::write(&path, film).unwrap();
    let none = run(&[&["correlation", path.to_str().unwrap()], &words[..], &["9"]].concat());
    assert!(stderr(&none).contains("every frame has at most 9 points, but --neighbours 9 needs more"), "{none:?}");
}

/// Cells are closed polygons: the normals of their edges, weighted by length, add up to 0, also for points that
/// are 1e-10 of the box apart.
#[test]
fn cells_are_closed_around_close_points() {
    let mut random = Random(21);
    let mut at: Vec<[f64; 2]> = (0..1500).map(|_| [10.0 * random.next(), 10.0 * random.next()]).collect();
    for i in 0..300 {
        let size = 10f64.powi(-1 - i % 9);
        at.push([0, 1].map(|axis| (at[i as usize][axis] + size * random.next()) % 10.0));
    }
    let rows: Vec<String> = at.iter().map(|[x, y]| format!("{x:?},{y:?}\n")).collect();
    let words = ["--voronoi", "--weighted", "--fold", "1", "--bins", "0:1:1", "--box", "10,10"];
    let open: Vec<String> = psi("closed", &rows, &words).into_values().collect();
    assert_eq!(open.len(), rows.len());
    open.iter().for_each(|psi| assert!(psi.rsplit(',').next().unwrap().parse::<f64>().unwrap() < 1e-3, "{psi}"));
}

/// Small boxes, in which an adjacent image need not be the nearest one, and a point has several images of another,
/// or of itself, as neighbours. `tests/data/make_voronoi.py` made the expected values with SciPy.
#[test]
fn directions_lead_to_the_adjacent_images_in_a_small_box() {
    let text = include_str!("../../../../tests/data/voronoi.txt");
    for (index, block) in text.split("box ").skip(1).enumerate() {
        let mut lines = block.lines().map(|line| line.split(' ').collect::<Vec<_>>());
        let head = lines.next().unwrap();
        let points: Vec<Vec<&str>> = lines.collect();
        let lengths = head[..2].join(",");
        // Points and some of their images far outside the box.
        for laps in [0.0, 3.0] {
            let [width, height] = [0, 1].map(|axis| laps * head[axis].parse::<f64>().unwrap());
            let at = |point: &[&str], i: usize| {
                let [x, y] = [0, 1].map(|axis| point[axis].parse::<f64>().unwrap());
                format!("{:?},{:?}", x + width * (i % 2) as f64, y - height * (i % 3) as f64)
            };
            let rows: Vec<String> = points.iter().enumerate().map(|(i, point)| at(point, i) + "\n").collect();
            for (extra, columns) in [(&[][..], 2..4), (&["--weighted"][..], 4..6)] {
                let words = [&["--voronoi", "--bins", "0:0.5:0.5", "--box", &lengths][..], extra].concat();
                let found = psi(&format!("small_box_{index}"), &rows, &words);
                for (i, point) in points.iter().enumerate() {
                    let at = at(point, i);
                    let line = found.iter().find(|(key, _)| parts(key) == parts(&at)).unwrap().1;
                    for (found, expected) in parts(&line[1..]).iter().zip(&point[columns.clone()]) {
                        let off = (found - expected.parse::<f64>().unwrap()).abs();
                        assert!(off < 5e-5, "box {lengths} {extra:?} at {at}: {line}, not {point:?}");
                    }
                }
            }
        }
    }
}

/// Numbers between commas.
fn parts(line: &str) -> Vec<f64> {
    line.split(',').map(|word| word.parse().unwrap()).collect()
}

/// Points outside the box are their images, and cells are those of the points moved into it.
#[test]
fn cells_of_points_outside_the_box() {
    let mut random = Random(5);
    let at: Vec<[f64; 2]> = (0..800).map(|_| [0, 1].map(|_| (random.next() * 10240.0).floor() / 1024.0)).collect();
    let text = |laps: f64| {
        let line = |(i, [x, y]): (usize, &[f64; 2])| {
            format!("{},{}\n", x + laps * 10.0 * (i % 3) as f64, y - laps * 10.0 * (i % 2) as f64)
        };
        "x,y\n".to_owned() + &at.iter().enumerate().map(line).collect::<String>()
    };
    for weighted in [&[][..], &["--weighted"]] {
        let words = [&["--voronoi", "--bins", "0:4:1", "--box", "10,10"], weighted].concat();
        let within = printed("outside", &text(0.0), &words).0;
        assert_eq!(printed("outside", &text(1.0), &words).0, within, "{weighted:?}");
        assert_eq!(printed("outside", &text(-7.0), &words).0, within, "{weighted:?}");
    }
}

/// The g of a few points counts pairs, n (n - 1) / 2 of them and not n^2 / 2, and of two types the product of
/// their numbers.
#[test]
fn g_of_a_few_points_by_its_definition() {
    let mut random = Random(8);
    let rows: String = (0..20)
        .map(|i| format!("{},{},{}\n", 30.0 * random.next(), 20.0 * random.next(), if i < 5 { "a" } else { "b" }))
        .collect();
    for (types, pairs) in [("", 190.0), ("a,a", 10.0), ("a,b", 75.0), ("b,a", 75.0), ("b,b", 105.0)] {
        let words = ["--rdf", "--bins", "0:10:2", "--box", "30,20"];
        let of_types = [["--types", types]].concat();
        let words = [&words[..], if types.is_empty() { &[] } else { &of_types }].concat();
        for line in printed("few_g", &format!("x,y,type\n{rows}"), &words).0.lines().skip(1) {
            let field: Vec<f64> = line.split(',').map(|word| word.parse().unwrap()).collect();
            let uniform = pairs * PI * (field[1] * field[1] - field[0] * field[0]) / 600.0;
            assert!((field[3] - field[2] / uniform).abs() < 1e-12, "{types}: {line}");
        }
    }
}

fn root_mean_square(z: &[f64]) -> f64 {
    (z.iter().map(|z| z * z).sum::<f64>() / z.len() as f64).sqrt()
}

/// The g of an ideal gas is 1 within its standard error, for few points in an open plane too.
#[test]
fn an_ideal_gas_has_no_correlation() {
    let mut random = Random(9);
    let mut z = Vec::new();
    for (n, frames) in [(20, 400), (50, 200), (200, 60)] {
        let mut text = "frame,x,y\n".to_owned();
        for i in 0..n * frames {
            text += &format!("{},{},{}\n", i / n, 30.0 * random.next(), 20.0 * random.next());
        }
        let (lines, _) = printed("gas", &text, &["--rdf", "--average", "--bins", "0:10:1"]);
        for line in lines.lines().skip(1) {
            let field = |index: usize| line.split(',').nth(index).unwrap().parse::<f64>().unwrap();
            z.push((field(3) - 1.0) / field(4));
        }
    }
    let (mean, size) = (z.iter().sum::<f64>() / z.len() as f64, root_mean_square(&z));
    assert!(mean.abs() < 0.6 && (0.7..1.4).contains(&size), "mean {mean}, rms {size}: {z:?}");
}

/// Points of a Gaussian field theta whose six-fold correlations decay with the exponent 0.244, in a box of side
/// 64.
fn field(random: &mut Random, frames: usize, points: usize) -> String {
    const SIDE: f64 = 64.0;
    let temperature = 2.0 * PI * 0.244 / 36.0;
    let mut text = "frame,x,y,theta\n".to_owned();
    for frame in 0..frames {
        let mut modes = Vec::new();
        for (i, j) in (0..=12).flat_map(|i| (-12..=12).map(move |j| (i, j))).filter(|&(i, j)| i > 0 || j > 0) {
            let k = [f64::from(i), f64::from(j)].map(|k| 2.0 * PI * k / SIDE);
            let size = (2.0 * temperature / (k[0] * k[0] + k[1] * k[1])).sqrt() / SIDE;
            modes.push((k, size * random.normal(), size * random.normal()));
        }
        for _ in 0..points {
            let [x, y] = [SIDE * random.next(), SIDE * random.next()];
            let theta: f64 = modes
                .iter()
                .map(|(k, a, b)| {
                    let (sine, cosine) = (k[0] * x + k[1] * y).sin_cos();
                    a * cosine + b * sine
                })
                .sum();
            text += &format!("{frame},{x},{y},{theta}\n");
        }
    }
    text
}

/// Errors of fits are as large as the scatter of other samples: for parts of one frame, and for frames. The
/// nightly checks take more samples.
#[test]
fn errors_of_fits_are_the_scatter() {
    let mut random = Random(17);
    for (frames, points, samples) in [(1, 1500, 14), (12, 300, 14)] {
        let mut all = Vec::new();
        for _ in 0..samples {
            let words = ["--average", "--bins", "0:10:1", "--box", "64,64", "--fit", "2:10"];
            let said = printed("fit", &field(&mut random, frames, points), &words).1;
            let eta = said.split("eta6 = ").nth(1).unwrap();
            let mut numbers = eta.split_whitespace();
            let eta: f64 = numbers.next().unwrap().parse().unwrap();
            let error: f64 = numbers.nth(1).unwrap().parse().unwrap();
            all.push([eta, error]);
        }
        let mean = [0, 1].map(|k| all.iter().map(|pair| pair[k]).sum::<f64>() / f64::from(samples));
        let scatter = (all.iter().map(|pair| (pair[0] - mean[0]).powi(2)).sum::<f64>() / f64::from(samples - 1)).sqrt();
        let z: Vec<f64> = all.iter().map(|[eta, error]| (eta - mean[0]) / error).collect();
        let ratio = mean[1] / scatter;
        let what = format!("{frames} frames: eta {}, error {}, scatter {scatter}, z {z:?}", mean[0], mean[1]);
        assert!((1.0 / 1.5..1.5).contains(&ratio) && (0.6..1.4).contains(&root_mean_square(&z)), "{what}");
        assert!((mean[0] - 0.244).abs() < 0.08, "{what}");
    }
}

#[test]
fn covariances_are_those_of_the_bins() {
    let text = field(&mut Random(5), 20, 60);
    let out = folder("g6_results_covariance_out").join("covariance.csv");
    let words = ["--average", "--bins", "0:12:4", "--box", "64,64", "--covariance", out.to_str().unwrap()];
    let (lines, _) = printed("covariance", &text, &words);
    let matrix = fs::read_to_string(&out).unwrap();
    let mut rows = matrix.lines();
    assert_eq!(rows.next(), Some("r_lo,r_hi,c_1,c_2,c_3"));
    let matrix: Vec<Vec<f64>> = rows.map(|row| row.split(',').map(|word| word.parse().unwrap()).collect()).collect();
    for (k, line) in lines.lines().skip(1).enumerate() {
        assert_eq!(matrix[k][..2], [4.0 * k as f64, 4.0 * (k + 1) as f64]);
        // By the spread of the frames, whose mean weighs pairs otherwise.
        let error: f64 = line.rsplit(',').next().unwrap().parse().unwrap();
        let ratio = matrix[k][2 + k].sqrt() / error;
        assert!((0.7..1.5).contains(&ratio), "{k}: {ratio}");
        assert!((0..3).all(|j| matrix[k][2 + j] == matrix[j][2 + k]));
    }
    let refused = run(&["correlation", "x.csv", "--rdf", "--covariance", "y.csv"]);
    assert_eq!(refused.status.code(), Some(2));
}
