//! The forms of output: documents, tables, pictures, spins and samples.

use std::collections::HashSet;
use std::fs;

use crate::support::{folder, keys};
use serde_json::Value;

use super::*;

#[test]
fn output_has_its_shapes() {
    let folder = folder("shapes");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    for words in shapes() {
        let files = ["--series", &path("x.csv"), "--svg", &path("x.svg"), "--spins", &path("x.spins")];
        let words = [&words[..], &files].concat();
        let document: Value = serde_json::from_slice(&succeeds(&words)).unwrap();
        let top = ["sites", "couplings", "kind", "options", "best", "ladder", "round_trips", "round_trip_sweeps"];
        assert_eq!(keys(&document), HashSet::from(top));
        assert!(document["sites"] == 12 && document["couplings"] == 22);
        assert!(
            ["I8Exact", "I16Exact", "Single", "F32Poly"].contains(&document["kind"].as_str().unwrap()),
            "{}",
            document["kind"]
        );
        assert_eq!(keys(&document["best"]), HashSet::from(["energy", "sweep", "systems", "found", "spins"]));
        let exchanges = words.contains(&"exchange");
        assert!(document["ladder"].is_array() == exchanges && document["round_trips"].is_u64() == exchanges);

        let models = match words.contains(&"--replicas") {
            true => 5,
            false if exchanges => 4,
            false => 3,
        };
        let table = fs::read_to_string(path("x.csv")).unwrap();
        let mut lines = table.lines();
        assert_eq!(lines.next(), Some("sweep,model,beta,gamma,energy,lowest,magnetisation,transverse"));
        let rows: Vec<Vec<f64>> =
            lines.map(|line| line.split(',').map(|value| value.parse().unwrap()).collect()).collect();
        assert_eq!(rows.len(), 21 * models);
        for (index, row) in rows.iter().enumerate() {
            assert_eq!(row[..2], [(10 * (index / models + 1)).min(205) as f64, (index % models) as f64]);
            assert!(row.len() == 8 && row[2] > 0.0 && row[5] <= row[4] && row[6].abs() <= 12.0);
            assert_eq!((row[3] > 0.0, row[7] > 0.0), (words.contains(&"--slices"), words.contains(&"--slices")));
        }
        let lowest = rows.iter().map(|row| row[5]).fold(f64::INFINITY, f64::min);
        assert_eq!(document["best"]["energy"], lowest);

        let svg = fs::read_to_string(path("x.svg")).unwrap();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        assert!(svg.matches("<polyline").count() >= if exchanges { models } else { 2 });
        let spins = fs::read_to_string(path("x.spins")).unwrap();
        let expected = document["best"]["spins"].as_array().unwrap().iter().enumerate();
        assert_eq!(spins, expected.map(|(site, spin)| format!("{site} {spin}\n")).collect::<String>());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 3, "no draft is left");

        let text: Vec<&str> = words.iter().copied().filter(|word| !["--format", "json"].contains(word)).collect();
        let text = String::from_utf8(succeeds(&text)).unwrap();
        let line = text.lines().find(|line| line.starts_with("best energy ")).unwrap();
        assert!(line.starts_with(&format!("best energy {lowest}, first after sweep {}", document["best"]["sweep"])));
        let signs = text.lines().next_back().unwrap();
        assert!(signs.len() == 12 && signs.chars().all(|sign| "+-".contains(sign)));
        assert_eq!(text.contains("round trips: "), exchanges);
    }
}

/// The values and spins of a file of samples, from either format.
pub(super) fn samples(path: &str) -> Vec<(f64, Vec<i8>)> {
    let bytes = fs::read(path).unwrap();
    let Some(rest) = bytes.strip_prefix(b"\x93NUMPY\x01\0") else {
        let line = |line: &str| {
            let (value, spins) = line.split_once(' ').unwrap();
            let number = |sign| match sign {
                '+' | '1' => 1,
                '-' => -1,
                sign => i8::from(sign != '0'),
            };
            (value.parse().unwrap(), spins.chars().map(number).collect())
        };
        return String::from_utf8(bytes).unwrap().lines().map(line).collect();
    };
    let length = usize::from(u16::from_le_bytes(rest[..2].try_into().unwrap()));
    let (header, rows) = rest[2..].split_at(length);
    assert!((10 + length).is_multiple_of(64) && header.ends_with(b"\n"));
    let header = str::from_utf8(header).unwrap();
    let sites: usize = header.split("'|i1', (").nth(1).unwrap().split(',').next().unwrap().parse().unwrap();
    let rows: Vec<_> = rows.chunks(8 + sites).map(|row| row.split_at(8)).collect();
    assert!(header.contains(&format!("'fortran_order': False, 'shape': ({},), }}", rows.len())), "{header}");
    let row = |(value, spins): &(&[u8], &[u8])| {
        (f64::from_le_bytes((*value).try_into().unwrap()), spins.iter().map(|&spin| spin as i8).collect())
    };
    rows.iter().map(row).collect()
}

#[test]
fn samples_are_the_final_spins_of_all_systems() {
    let folder = folder("samples");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let problem = Problem::random(0.25);
    for (words, count) in shapes().into_iter().zip([30, 24, 80, 32]) {
        let [text, npy, table] = [path("x.txt"), path("x.npy"), path("x.csv")];
        succeeds(&[&words[..], &["--samples", &text, "--series", &table]].concat());
        succeeds(&[&words[..], &["--samples", &npy]].concat());
        let found = samples(&text);
        assert!(found == samples(&npy), "{words:?}");
        assert_eq!(found.len(), count, "{words:?}");
        for (energy, spins) in &found {
            assert!(spins.iter().all(|spin| spin.abs() == 1), "{spins:?}");
            assert_eq!(*energy, problem.energy(|i| spins[i].into()));
        }
        // The spins of the last measurement.
        if !words.contains(&"exchange") {
            let table = fs::read_to_string(table).unwrap();
            let last = table.lines().rev().take(3).map(|line| line.split(',').nth(4).unwrap().parse::<f64>().unwrap());
            for (samples, mean) in found.chunks(count / 3).rev().zip(last) {
                let sum: f64 = samples.iter().map(|(energy, _)| energy).sum();
                assert!((sum / samples.len() as f64 - mean).abs() < 1e-9, "{words:?}");
            }
        }
    }
    let qubo = path("x.qubo");
    fs::write(&qubo, "p qubo 0 3 2 1\n0 0 -1\n2 2 -2.5\n0 2 2\n").unwrap();
    for end in ["txt", "npy"] {
        let file = path(&format!("q.{end}"));
        succeeds(&["ising", &qubo, "--sweeps", "50", "--runs", "1", "--copies", "4", "--samples", &file]);
        let found = samples(&file);
        assert!(found.len() == 4 && found.iter().all(|(_, x)| x.iter().all(|x| [0, 1].contains(x))));
        let value = |x: &[i8]| -f64::from(x[0]) - 2.5 * f64::from(x[2]) + 2.0 * f64::from(x[0] * x[2]);
        assert!(found.iter().all(|(objective, x)| *objective == value(x)), "{found:?}");
        if end == "npy" {
            assert!(fs::read(&file).unwrap().starts_with(
                b"\x93NUMPY\x01\0\x76\0{'descr': [('objective', '<f8'), ('spins', '|i1', (3,))], \
                  'fortran_order': False, "
            ));
        }
    }
}
