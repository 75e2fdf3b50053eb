//! Formats of problems: each has the optimum of an exhaustive search, in its own units.

use std::io::Write;
use std::process::Stdio;

use crate::support::{command, refused, unreadable};

use super::*;

/// Edges of a graph with 8 vertices, numbered from 1.
const EDGES: [(usize, usize, f64); 12] = [
    (1, 2, 1.0),
    (2, 3, 2.0),
    (3, 4, -1.0),
    (4, 5, 3.0),
    (5, 6, 1.0),
    (6, 7, 2.0),
    (7, 8, -2.0),
    (8, 1, 1.0),
    (1, 5, 4.0),
    (2, 6, -3.0),
    (3, 7, 1.0),
    (4, 8, 2.0),
];

const VERTICES: usize = 8;

fn gset() -> String {
    let lines = EDGES.iter().map(|(i, j, weight)| format!("{i} {j} {weight}\n"));
    format!("{VERTICES} {}\n{}", EDGES.len(), lines.collect::<String>())
}

/// The same numbers as a QUBO, and a diagonal.
fn qubo() -> String {
    let diagonal = (0..VERTICES).map(|i| format!("{i} {i} {}\n", diagonal(i)));
    let pairs = EDGES.iter().map(|(i, j, weight)| format!("{} {} {weight}\n", i - 1, j - 1));
    let head = format!("c a comment\np qubo 0 {VERTICES} {VERTICES} {}\n", EDGES.len());
    [head].into_iter().chain(diagonal).chain(pairs).collect()
}

fn mtx() -> String {
    let diagonal = (0..VERTICES).map(|i| format!("{} {} {}\n", i + 1, i + 1, diagonal(i)));
    let pairs = EDGES.iter().map(|(i, j, weight)| format!("{} {} {}\n", i.max(j), i.min(j), weight / 2.0));
    let count = VERTICES + EDGES.len();
    let head = format!("%%MatrixMarket matrix coordinate real symmetric\n{VERTICES} {VERTICES} {count}\n");
    [head].into_iter().chain(diagonal).chain(pairs).collect()
}

fn diagonal(i: usize) -> f64 {
    i as f64 / 2.0 - 3.0
}

fn cut(bits: u32) -> f64 {
    let is_cut = |i: usize, j: usize| (bits >> (i - 1) ^ bits >> (j - 1)) & 1 == 1;
    EDGES.iter().filter(|&&(i, j, _)| is_cut(i, j)).map(|edge| edge.2).sum()
}

fn objective(bits: u32) -> f64 {
    let x = |i: usize| f64::from(bits >> i & 1);
    let pairs: f64 = EDGES.iter().map(|&(i, j, weight)| weight * x(i - 1) * x(j - 1)).sum();
    (0..VERTICES).map(|i| diagonal(i) * x(i)).sum::<f64>() + pairs
}

fn bits(numbers: &Value) -> u32 {
    let numbers = numbers.as_array().unwrap().iter().enumerate();
    numbers.fold(0, |bits, (site, number)| bits | u32::from(number == 1) << site)
}

/// Writes a file, compressed for names that end in gz.
fn write(path: &Path, text: &str) -> String {
    match path.extension().is_some_and(|extension| extension == "gz") {
        true => {
            let mut file = flate2::write::GzEncoder::new(fs::File::create(path).unwrap(), Default::default());
            file.write_all(text.as_bytes()).unwrap();
            file.finish().unwrap();
        }
        false => fs::write(path, text).unwrap(),
    }
    path.to_str().unwrap().to_owned()
}

#[test]
fn optima_are_those_of_an_exhaustive_search() {
    let folder = folder("formats");
    let table = folder.join("x.csv");
    let spins = folder.join("x.spins");
    let coo: String = EDGES.iter().map(|(i, j, weight)| format!("{} {} {}\n", i - 1, j - 1, -weight)).collect();
    let graph =
        format!("{}{}", "%%MatrixMarket matrix coordinate integer symmetric\n", gset().replace("8 12", "8 8 12"));
    let (largest, smallest) =
        (0..1 << VERTICES).fold((0.0, 0.0), |(a, b), bits| (f64::max(a, cut(bits)), f64::min(b, objective(bits))));
    for (name, text, words, first) in [
        ("G0", gset(), &[][..], 1),
        ("g.gset", gset(), &["--maxcut"], 1),
        ("g.txt.gz", gset(), &["--model-format", "gset"], 1),
        ("g.coo", coo.clone(), &["--maxcut"], 0),
        ("g.dat", coo, &["--maxcut", "--model-format", "coo"], 0),
        ("g.mtx", graph, &["--maxcut"], 1),
        ("q.qubo", qubo(), &[], 0),
        ("q", qubo(), &[], 0),
        ("q.txt", qubo(), &["--model-format", "qubo"], 0),
        ("q.mtx", mtx(), &[], 1),
        ("q.mtx.gz", mtx(), &[], 1),
    ] {
        let path = write(&folder.join(name), &text);
        let files = ["--series", table.to_str().unwrap(), "--spins", spins.to_str().unwrap()];
        let words = [&["ising", &path, "--sweeps", "200", "--runs", "2"], words, &files].concat();
        let document = json(&words);
        let is_cut = name.starts_with(['g', 'G']);
        let (key, column, best) = if is_cut { ("cut", "highest", largest) } else { ("objective", "lowest", smallest) };
        let found = &document["best"];
        assert_eq!(found[key], best, "{words:?}");
        assert!(found["energy"].is_null());
        let value = if is_cut { cut(bits(&found["spins"])) } else { objective(bits(&found["spins"])) };
        assert_eq!(value, best, "{words:?}");

        let rows = fs::read_to_string(&table).unwrap();
        let (header, rows) = rows.split_once('\n').unwrap();
        assert_eq!(header, format!("sweep,model,beta,gamma,{key},{column},magnetisation,transverse"));
        let extremes = rows.lines().map(|row| row.split(',').nth(5).unwrap().parse::<f64>().unwrap());
        assert_eq!(extremes.fold(f64::NAN, if is_cut { f64::max } else { f64::min }), best);
        let lines = found["spins"].as_array().unwrap().iter().enumerate();
        let lines = lines.map(|(site, number)| format!("{} {number}\n", site + first));
        assert_eq!(fs::read_to_string(&spins).unwrap(), lines.collect::<String>());

        let text = String::from_utf8(succeeds(&words)).unwrap();
        assert!(text.contains(&format!("\nbest {key} {best}, first after sweep ")), "{text}");
        let signs = text.lines().next_back().unwrap();
        assert!(signs.chars().all(|sign| if is_cut { "+-" } else { "01" }.contains(sign)), "{signs}");
    }
}

#[test]
fn means_are_in_the_units_of_the_problem() {
    let folder = folder("units");
    for (name, text, key, of) in
        [("g.gset", gset(), "cut", cut as fn(u32) -> f64), ("q.qubo", qubo(), "objective", objective)]
    {
        let path = write(&folder.join(name), &text);
        let document = json(&["ising", &path, "--method", "exchange", "--sweeps", "4000", "--ladder", "0.1,0.3"]);
        for rung in document["ladder"].as_array().unwrap() {
            // The energy is -2 times the cut, or the objective, plus a constant.
            let beta = rung["beta"].as_f64().unwrap() * if key == "cut" { -2.0 } else { 1.0 };
            let weights = (0..1 << VERTICES).map(|bits| ((-beta * of(bits)).exp(), of(bits)));
            let (sum, norm) =
                weights.fold((0.0, 0.0), |(sum, norm), (weight, value)| (sum + weight * value, norm + weight));
            let (mean, error) = (rung[key]["mean"].as_f64().unwrap(), rung[key]["error"].as_f64().unwrap());
            assert!(
                error > 0.0 && error < 0.05 && (mean - sum / norm).abs() < 4.5 * error,
                "{rung}, not {}",
                sum / norm
            );
        }
    }
}

#[test]
fn standard_input_is_read() {
    for text in [mtx(), qubo(), "0 1 1\n".to_owned()] {
        let words = ["ising", "-", "--sweeps", "20", "--runs", "1", "--format", "json"];
        let mut child =
            command(&words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        finished(child.wait_with_output().unwrap(), &words);
    }
}

/// A header of two numbers tells neither a graph from a QUBO nor a maximum from a minimum.
#[test]
fn a_guess_is_told() {
    let folder = folder("guesses");
    let path = write(&folder.join("problem.txt"), "3 2\n1 2 1\n2 3 1\n");
    let output = run(&["ising", &path, "--sweeps", "20"]);
    let told = "read as a graph for Max-Cut (--model-format gset); a QUBO needs --model-format bqp (maximum) or \
                bqp-min (minimum)";
    assert!(output.status.success() && stderr(&output).contains(told), "{}", stderr(&output));
    for (format, best, words) in [("bqp", 8.0, ["--sweeps", "50"]), ("bqp-min", -1.0, ["--sweeps", "50"])] {
        // x'Qx with Q = [[-1, 2], [2, 5]].
        let path = write(&folder.join("q"), "2 3\n1 1 -1\n1 2 2\n2 2 5\n");
        unreadable(
            &["ising", &path],
            "line 2: connects vertex 1 with itself; for a QUBO `i j q`, give --model-format bqp",
        );
        let document = json(&[&["ising", &path, "--model-format", format], &words[..]].concat());
        assert_eq!(document["best"]["objective"], best);
    }
}

/// A file of QPLIB is known by its name or its head; constraints and other variables are refused.
#[test]
fn qplib_problems_are_read() {
    let folder = folder("qplib");
    // 7 + 2 x1 + 2 x2 - 5 x1 x2, by the symmetric matrix of which the file has one triangle.
    let text =
        "x\nQBN # type\nminimize # sense\n2\n2\n1 1 3\n2 1 -5\n0.5\n1\n2 2\n7 # constant\n1e30\n0\n0\n0\n0\n0\n0\n";
    for (name, sense, best) in [("a.qplib", "minimize", 6.0), ("b", "maximize", 9.0)] {
        let path = write(&folder.join(name), &text.replace("minimize", sense));
        let document = json(&["ising", &path, "--sweeps", "50"]);
        assert_eq!(document["best"]["objective"], best, "{name}");
    }
    for (kind, told) in [("QBL", "the problem has constraints"), ("QGN", "not all variables are binary")] {
        let path = write(&folder.join("other.qplib"), &text.replace("QBN", kind));
        unreadable(&["ising", &path], &format!("line 2: type {kind}: {told}; only unconstrained problems"));
    }
}

/// Weights of one decimal cancel in the fields of Max-Cut as a QUBO, but for their rounding.
#[test]
fn rounding_of_a_qubo_is_no_field() {
    let folder = folder("decimals");
    let (mut diagonal, mut lines) = ([0.0; 24], String::new());
    for (i, j) in (0..24).flat_map(|i| (0..i).map(move |j| (i, j))).filter(|(i, j)| (7 * i + 3 * j) % 5 == 0) {
        let weight = f64::from((i * 5 + j * 3) % 9 + 1) / 10.0;
        (diagonal[i as usize], diagonal[j as usize]) = (diagonal[i as usize] - weight, diagonal[j as usize] - weight);
        lines += &format!("{j} {i} {}\n", 2.0 * weight);
    }
    (0..).zip(diagonal).for_each(|(i, value)| lines += &format!("{i} {i} {value}\n"));
    let path = write(&folder.join("cut.coo"), &format!("# vartype=BINARY\n{lines}"));
    let document = json(&["ising", &path, "--sweeps", "50", "--seed", "1"]);
    assert!(document["best"]["objective"].as_f64().unwrap() < -10.0);
    // The last of "a to b in n steps".
    let range = document["options"]["beta"].as_str().unwrap();
    assert!(range.split_whitespace().nth(2).unwrap().parse::<f64>().unwrap() < 1000.0, "{range}");
}

/// The energies of dimod (its issues 262 and 767): with vartype=BINARY 0 or 1, with SPIN the opposite sign, and with
/// the offset.
#[test]
fn headers_of_dimod_are_honoured() {
    let folder = folder("headers");
    let lines = "0 0 -1\n0 1 2\n1 1 -1\n";
    for (header, key, best) in [
        ("", "energy", -4.0),
        ("# vartype=BINARY\n", "objective", -1.0),
        ("# vartype=SPIN\n", "energy", -2.0),
        ("# vartype=SPIN\n# offset=10\n", "energy", 8.0),
        ("# vartype=BINARY\n# offset=10\n", "objective", 9.0),
        ("\u{feff}# vartype = BINARY\n# offset = 10\n", "objective", 9.0),
    ] {
        let path = write(&folder.join("x.coo"), &format!("{header}{lines}"));
        let document = json(&["ising", &path, "--sweeps", "50"]);
        assert_eq!(document["best"][key], best, "{header}");
        let document = json(&["ising", &path, "--method", "exchange", "--ladder", "5", "--target", &best.to_string()]);
        assert_eq!(document["target"]["is_reached"], true, "{header}");
        let text = String::from_utf8(succeeds(&["ising", &path, "--sweeps", "50"])).unwrap();
        assert!(text.contains(&format!("best {key} {best}, ")), "{text}");
    }
    let path = write(&folder.join("x.coo"), &format!("# sign=-1\n{lines}"));
    unreadable(&["ising", &path], "line 1: unknown header `sign=`; known are vartype=SPIN");
}

#[test]
fn wrong_files_are_named_with_their_line() {
    let folder = folder("wrong_formats");
    for (name, text, words, message) in [
        ("G1", "3 2\n1 2 1\n1 4 1\n", &[][..], "G1: line 3: `4` is not a number from 1 to 3"),
        ("G2.gz", "3 2\n1 2 1\n", &[], "G2.gz: ends after line 2, where edge 2 of 2 is missing"),
        ("a.qubo", "0 0 1\n", &[], "a.qubo: line 1: expected `p qubo 0 maxNodes nNodes nCouplers`"),
        ("a.mtx", "1 1 1\n", &[], "a.mtx: line 1: expected `%%MatrixMarket"),
        ("a.coo", "0 1 1\n1 1 1\n", &["--maxcut"], "a.coo: --maxcut: spin 1 has a field"),
        ("b.qubo", "p qubo 0 1 1 0\n0 0 1\n", &["--maxcut"], "b.qubo: --maxcut: the file is a QUBO"),
        ("c.qubo", "3 1\n1 2 1\n", &["--model-format", "qubo"], "c.qubo: line 1: expected `p qubo"),
    ] {
        let path = write(&folder.join(name), text);
        unreadable(&[&["ising", &path], words].concat(), message);
    }
    let path = write(&folder.join("d"), "3 1\n1 2 1\n");
    refused(&["ising", &path, "--model-format", "graph"], "invalid value 'graph' for '--model-format");
}
