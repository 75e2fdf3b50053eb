//! Every format: its objective, and the errors of its files.

use super::*;

fn value(problem: &Problem, bits: u32) -> f64 {
    let spins: Vec<i8> = (0..problem.model.fields.len()).map(|i| if bits >> i & 1 == 1 { 1 } else { -1 }).collect();
    let value = problem.objective.value(&problem.model, &spins);
    let energy = Objective::Energy { offset: 0.0 }.value(&problem.model, &spins);
    let (factor, offset) = problem.objective.of_energy();
    assert!((factor * energy + offset - value).abs() < 1e-12, "{energy}, {value}");
    value
}

#[test]
fn every_format_has_its_objective() {
    let q = [[1.0, -2.0, 0.0], [-2.0, 0.5, 3.0], [0.0, 3.0, -4.0]];
    let qubo = "c Q\np qubo 0 3 3 2\n0 0 1\n1 1 0.5\n2 2 -4\nc pairs\n0 1 -4\n2 1 6\n";
    let symmetric =
        "%%MatrixMarket matrix coordinate real symmetric\n% Q\n3 3 5\n1 1 1\n2 1 -2\n2 2 .5\n3 2 3\n3 3 -4\n";
    let general =
        "%%matrixmarket matrix coordinate real general\n3 3 6\n1 1 1\n2 1 -3\n1 2 -1\n2 2 .5\n3 3 -4\n2 3 6\n";
    for text in [qubo, symmetric, general] {
        let problem = parse(text, Format::of(Path::new("x"), text), false).unwrap();
        for bits in 0..8u32 {
            let x = |i: u32| f64::from(bits >> i & 1);
            let pairs = (0..9).map(|k| (k / 3, k % 3));
            let expected: f64 = pairs.map(|(i, j)| q[i as usize][j as usize] * x(i) * x(j)).sum();
            assert_eq!(value(&problem, bits), expected, "{text}, {bits:b}");
        }
    }
    let edges = [(0, 1, 1.0), (1, 2, -2.0), (0, 3, 0.25)];
    let gset = "4 3\n1 2\n3 2 -2\n1 4 0.25\n";
    let coo = "0 1 -1\n2 1 2\n0 3 -0.25\n";
    let symmetric = "%%MatrixMarket matrix coordinate real symmetric\n4 4 3\n2 1 1\n3 2 -2\n4 1 .25\n";
    let general =
        "%%MatrixMarket matrix coordinate real general\n4 4 6\n2 1 1\n3 2 -2\n4 1 .25\n1 4 .25\n1 2 1\n2 3 -2\n";
    for (text, first) in [(gset, 1), (coo, 0), (symmetric, 1), (general, 1)] {
        let problem = parse(text, Format::of(Path::new("x"), text), true).unwrap();
        assert_eq!(problem.first, first);
        for bits in 0..16u32 {
            let cuts = edges.iter().filter(|(i, j, _)| bits >> i & 1 != bits >> j & 1);
            assert_eq!(value(&problem, bits), cuts.map(|edge| edge.2).sum::<f64>(), "{text}, {bits:b}");
        }
    }
    let pattern = "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n";
    assert_eq!(parse(pattern, Format::Mtx, true).unwrap().objective, Objective::Cut { total: 2.0 });
}

#[test]
fn a_qplib_file_has_its_sense_and_its_constant() {
    for (sense, sign) in [("minimize", 1.0), ("maximize", -1.0)] {
        let text = format!("x\nQBN\n{sense}\n2\n2\n1 1 3\n2 1 -5\n0.5\n1\n2 2\n7\n");
        let problem = parse(&text, Format::Qplib, false).unwrap();
        assert_eq!(problem.first, 1);
        for (bits, expected) in [7.0, 9.0, 9.0, 6.0].into_iter().enumerate() {
            let spins = [0, 1].map(|i| if bits >> i & 1 == 1 { 1 } else { -1 });
            assert_eq!(problem.objective.value(&problem.model, &spins), expected, "{sense} {bits:b}");
            let (factor, offset) = problem.objective.of_energy();
            let energy = Objective::Energy { offset: 0.0 }.value(&problem.model, &spins);
            assert_eq!((factor, factor * energy + offset), (sign, expected));
        }
    }
}

/// The first QUBO of the other test, and its headers.
#[test]
fn a_coo_file_has_the_sign_and_the_offset_of_its_headers() {
    let lines = "0 0 -1\n0 1 2\n1 1 -1\n";
    let all = |text: &str| {
        let problem = parse(text, Format::Coo, false).unwrap();
        (0..4).map(|bits| value(&problem, bits)).collect::<Vec<_>>()
    };
    // States (0, 0), (1, 0), (0, 1), (1, 1); for spins 0 is -1.
    assert_eq!(all(lines), [-4.0, 2.0, 2.0, 0.0]);
    assert_eq!(all(&format!("# offset=0.5\n{lines}")), [-3.5, 2.5, 2.5, 0.5]);
    assert_eq!(all(&format!("# vartype=SPIN\n{lines}")), [4.0, -2.0, -2.0, 0.0]);
    assert_eq!(all(&format!("# vartype=SPIN offset=3\n{lines}")), [7.0, 1.0, 1.0, 3.0]);
    assert_eq!(all(&format!("# vartype=BINARY\n{lines}")), [0.0, -1.0, -1.0, 0.0]);
    assert_eq!(all(&format!("# vartype=BINARY\n{lines}# offset=3\n")), [3.0, 2.0, 2.0, 3.0]);
    let graph = parse("# vartype=SPIN\n0 1 2\n", Format::Coo, true).unwrap();
    assert_eq!((value(&graph, 0), value(&graph, 1)), (0.0, 2.0));
}

/// Files and energies by dimod's own writer.
#[test]
fn files_of_dimod_have_its_energies() {
    let text = include_str!("../../../../tests/data/dimod.txt");
    let mut count = 0;
    for case in text.split("model\n").skip(1) {
        let (file, energies) = case.split_once("energies ").unwrap();
        let problem = parse(file, Format::of(Path::new("x"), file), false).unwrap();
        let energies: Vec<f64> = energies.split_whitespace().map(|word| word.parse().unwrap()).collect();
        assert_eq!(energies.len(), 1 << problem.model.fields.len(), "{file}");
        for (bits, &energy) in (0..).zip(&energies) {
            assert_eq!(value(&problem, bits), energy, "{file}, {bits:b}");
            count += 1;
        }
    }
    assert_eq!(count, 2 * (4 + 8 + 32));
}

/// x'Qx with Q = [[1, -2], [-2, 5]], of which OR-Library seeks the maximum.
#[test]
fn a_binary_quadratic_file_counts_both_triangles() {
    for (format, sign) in [(Format::Bqp, 1.0), (Format::BqpMin, 1.0)] {
        for text in ["2 3\n1 1 1\n1 2 -2\n2 2 5\n", "1\n2 3\n1 1 1\n2 1 -2\n2 2 5\n"] {
            let problem = parse(text, format, false).unwrap();
            let values: Vec<_> = (0..4).map(|bits| value(&problem, bits)).collect();
            assert_eq!(values, [0.0, sign, 5.0, 2.0], "{text}");
            let best = if format == Format::Bqp { "highest" } else { "lowest" };
            assert_eq!(problem.objective.extreme(), best);
            // The lowest energy is the best value.
            let (scale, _) = problem.objective.of_energy();
            assert_eq!(scale, if format == Format::Bqp { -1.0 } else { 1.0 });
        }
    }
    let several = parse("10\n2 1\n1 1 1\n", Format::Bqp, false).unwrap_err();
    assert_eq!(several, "line 1: the file has 10 problems; write one of them to a file");
}

#[test]
fn the_extension_goes_before_the_first_line() {
    let gset = "2 1\n1 2 1\n";
    for (name, text, format) in [
        ("G1", gset, Format::Gset),
        ("g.txt.gz", gset, Format::Gset),
        ("g.coo", gset, Format::Coo),
        ("g.QUBO.gz", gset, Format::Qubo),
        ("g.mtx", gset, Format::Mtx),
        ("Q.QPLIB.gz", gset, Format::Qplib),
        ("m", "name\nQBN # type\nmaximize\n", Format::Qplib),
        ("m.rud", "", Format::Gset),
        ("m", "\nc a comment\np qubo 0 1 1 0\n", Format::Qubo),
        ("m", "%%MatrixMarket matrix coordinate real general\n", Format::Mtx),
        ("m", "0 1 1\n", Format::Coo),
        ("m", "0 one\n", Format::Coo),
        ("m", "", Format::Coo),
    ] {
        assert_eq!(Format::of(Path::new(name), text), format, "{name} {text:?}");
    }
}

#[test]
fn names_the_line_and_what_is_wrong_with_it() {
    let banner = "%%MatrixMarket matrix coordinate real";
    let mtx = |kind: &str, rest: &str| (Format::Mtx, format!("{banner} {kind}\n{rest}"));
    let gset = |text: &str| (Format::Gset, text.to_owned());
    let qubo = |text: &str| (Format::Qubo, text.to_owned());
    for ((format, text), message) in [
        (gset(""), "ends after line 0, where the header `vertices edges` is missing"),
        (gset("3\n"), "line 1: expected the header `vertices edges`, found 1 words"),
        (gset("0 0\n"), "line 1: the problem is empty"),
        (gset("134217729 0\n"), "line 1: 134217729 spins are more than 134217728"),
        (gset("3 many\n"), "line 1: `many` is not a number of this kind (0, 1, 2, ..)"),
        (gset("3 2\n1 2 1\n"), "ends after line 2, where edge 2 of 2 is missing"),
        (gset("3 1\n1 2 1\n\n2 3 1\n"), "line 4: follows the 1 entries that line 1 announces"),
        (gset("3 2\n1 2 1\n2 1 1\n"), "line 3: the pair 1 2 is already given on line 2"),
        (gset("3 1\n0 1 1\n"), "line 2: `0` is not a number from 1 to 3"),
        (
            gset("3 1\n2 2 1\n"),
            "line 2: connects vertex 2 with itself; \
             for a QUBO `i j q`, give --model-format bqp (maximum) or bqp-min (minimum)",
        ),
        (gset("3 1\n1 2 x\n"), "line 2: `x` is not a finite number"),
        (gset("3 1\n1 2 1 1\n"), "line 2: expected `i j w`, found 4 words"),
        (qubo("c\n0 0 1\n"), "line 2: expected `p qubo 0 maxNodes nNodes nCouplers`"),
        (
            qubo("p qubo chimera128 3 1 0\n"),
            "line 1: the topology `chimera128` is not supported, only 0 and unconstrained",
        ),
        (qubo("p qubo 0 3 1 0\n3 3 1\n"), "line 2: `3` is not a number from 0 to 2"),
        (
            qubo("p qubo 0 3 2 0\n0 0 1\n0 1 1\n"),
            "line 3: expected node 2 of 2: line 1 announces 2 nodes `i i Q`, then 0 couplers `i j Q`",
        ),
        (qubo("p qubo 0 3 0 2\n0 1 1\n1 0 1\n"), "line 3: the pair 0 1 is already given on line 2"),
        (qubo("p qubo 0 3 1 1\n0 0 1\n"), "ends after line 2, where coupler 1 of 1 is missing"),
        (qubo("p qubo 0 2 1 1\n0 0 3e38\n0 1 3e38\n"), ""),
        (mtx("skew-symmetric", ""), "line 1: `skew-symmetric` is not supported, only symmetric, general"),
        (mtx("general", "2 3 0\n"), "line 2: the matrix has 2 rows and 3 columns; it must be square"),
        (mtx("general", "% a\n2 2 1\n1 2\n"), "line 4: 2 words are not an entry of a real matrix"),
        (mtx("general", "2 2 1\n1 3 1\n"), "line 3: `3` is not a number from 1 to 2"),
        (mtx("general", "2 2 2\n1 2 1\n1 2 1\n"), "line 4: the pair 1 2 is already given on line 3"),
        (mtx("symmetric", "2 2 2\n1 2 1\n2 1 1\n"), "line 4: the pair 1 2 is already given on line 3"),
        ((Format::Mtx, "3 3 1\n".to_owned()), "line 1: expected `%%MatrixMarket matrix coordinate real symmetric`"),
    ] {
        match message {
            "" => assert!(parse(&text, format, false).is_ok(), "{text:?}"),
            _ => assert_eq!(parse(&text, format, false).unwrap_err(), message, "{text:?}"),
        }
    }
    for ((format, text), message) in [
        (
            (Format::Coo, "0 1 1\n1 1 2\n".to_owned()),
            "--maxcut: spin 1 has a field, which no cut has; leave out --maxcut, or the line",
        ),
        (
            (Format::Coo, "# vartype=BINARY\n0 1 1\n".to_owned()),
            "--maxcut: the file is a QUBO (vartype=BINARY), not a graph; leave out --maxcut",
        ),
        (
            (Format::Coo, "# offset=2\n0 1 1\n".to_owned()),
            "--maxcut: the file has an offset, 2, which no cut has; leave out --maxcut, or the offset",
        ),
        ((Format::Bqp, "1 0\n".to_owned()), "--maxcut: the file is a QUBO, not a graph; leave out --maxcut"),
        ((Format::Qplib, String::new()), "--maxcut: the file is a QUBO, not a graph; leave out --maxcut"),
        (qubo("p qubo 0 1 0 0\n"), "--maxcut: the file is a QUBO, not a graph; leave out --maxcut"),
        (mtx("symmetric", "2 2 1\n2 2 1\n"), "line 3: --maxcut: connects vertex 2 with itself"),
        (mtx("general", "2 2 1\n2 1 1\n"), "--maxcut: the matrix is not symmetric: the edge 1 2 has one direction"),
        (mtx("general", "2 2 2\n2 1 1\n1 2 3\n"), "line 4: --maxcut: the edge has weight 3 here and 1 the other way"),
    ] {
        assert_eq!(parse(&text, format, true).unwrap_err(), message, "{text:?}");
    }
}
