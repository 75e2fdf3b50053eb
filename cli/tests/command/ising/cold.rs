//! Ladders without a hot rung: energies are right, or the command says why not.

use crate::support::folder;

use super::*;

/// Graphs of six spins whose couplings differ by factors of up to a million. At beta 0.03, the large ones never break.
fn graphs() -> [Problem; 4] {
    let graph = |couplings: &[(usize, usize, f64)], fields: &[f64; 6]| Problem {
        couplings: couplings.to_vec(),
        fields: fields.to_vec(),
    };
    [
        graph(
            &[
                (0, 1, -3.523),
                (0, 4, -256.2),
                (1, 2, -0.001361),
                (1, 5, -431.4),
                (2, 3, 13.15),
                (2, 5, 22.65),
                (3, 5, -38.21),
                (4, 5, 2.076),
            ],
            &[-36.79, 0.0, 0.0, -0.01304, 0.0, 0.0],
        ),
        graph(
            &[
                (0, 4, 0.001311),
                (1, 2, 0.1426),
                (1, 4, -0.01713),
                (1, 5, -3.426),
                (2, 3, -5.32),
                (2, 4, 2.473),
                (3, 4, 647.7),
                (3, 5, 9.187),
            ],
            &[-76.85, 3.497, -0.01236, 10.97, 0.0, 0.0],
        ),
        graph(
            &[
                (0, 1, 15.11),
                (0, 2, -0.01144),
                (0, 4, 4.724),
                (0, 5, 0.006145),
                (1, 3, -405.0),
                (1, 4, 6.284),
                (1, 5, 0.002964),
                (2, 4, 22.59),
                (2, 5, 207.4),
                (3, 4, -0.1617),
                (3, 5, -0.3766),
                (4, 5, 0.1745),
            ],
            &[0.0; 6],
        ),
        // All barriers are low.
        graph(&[(0, 1, 5.0), (1, 2, -8.0), (2, 3, 0.01), (3, 4, 11.0), (4, 5, -2.0), (5, 0, 7.0)], &[0.3; 6]),
    ]
}

#[test]
fn copies_that_never_leave_their_first_valley_have_no_error() {
    let folder = folder("cold_ladders");
    for (index, problem) in graphs().iter().enumerate() {
        let path = problem.write(&folder.join("graph.coo"));
        let mut flags = 0;
        for seed in ["1", "2", "3"] {
            let words = ["ising", &path, "--method", "exchange", "--ladder", "0.028,0.03,0.032", "--copies", "128"];
            let run = json(&[&words[..], &["--sweeps", "2000", "--every", "2", "--seed", seed]].concat());
            for rung in run["ladder"].as_array().unwrap() {
                let expected = problem.mean_energy(rung["beta"].as_f64().unwrap());
                let energy = &rung["energy"];
                let Some(error) = energy["error"].as_f64() else {
                    flags += 1;
                    continue;
                };
                let z = (energy["mean"].as_f64().unwrap() - expected) / error;
                assert!(z.abs() < 4.5, "graph {index}, seed {seed}: off by {z} errors");
            }
        }
        assert_eq!(flags, if index == 3 { 0 } else { 9 }, "graph {index}");
    }
}
