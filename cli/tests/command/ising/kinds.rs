//! The kinds of models: chosen, forced and explained.

use std::fs;

use crate::support::{folder, refused};

use super::*;

/// A grid of 12 x 10 sites that is periodic in its second dimension.
#[test]
fn the_cut_of_a_lattice_is_explained() {
    let path = folder("lattice").join("grid");
    let bonds = (0..120).flat_map(|i| [(i % 12 < 11).then_some((i, i + 1)), Some((i, (i + 12) % 120))]);
    let lines: String = bonds.flatten().map(|(i, j)| format!("{i} {j} 1\n")).collect();
    fs::write(&path, lines).unwrap();
    let words = ["ising", path.to_str().unwrap(), "--kind", "bits", "--copies", "2", "--explain"];
    let lattice = &json(&words)["lattice"];
    assert_eq!((&lattice["extents"], &lattice["is_periodic"]), (&vec![12, 10].into(), &vec![false, true].into()));
    let text = String::from_utf8(succeeds(&words)).unwrap();
    assert!(text.contains("12 open x 10 periodic, cut into "), "{text}");
    assert!(json(&["ising", small(), "--explain"])["lattice"].is_null());
}

#[test]
fn every_kind_can_be_forced_and_explained() {
    let help = String::from_utf8(succeeds(&["ising", "--help"])).unwrap();
    let names = help.split("--kind <KIND>").nth(1).unwrap().split("[possible values: ").nth(1).unwrap();
    // Worldlines are another class of the library.
    let names: Vec<_> = names.split(']').next().unwrap().split(", ").filter(|&name| name != "worldline").collect();
    // The kinds of the C interface, in its order.
    let header = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../include/hotloops.h")).unwrap();
    let (_, list) = header.split_once("    HL_ISING_F32_FAST = 0").unwrap();
    let lines = list.split('}').next().unwrap().lines().skip(1);
    let others =
        lines.filter_map(|line| line.trim().strip_prefix("HL_ISING_")?.split_once(" = ")).map(|(name, _)| name);
    let expected: Vec<_> = ["F32_FAST"].into_iter().chain(others).collect();
    let upper: Vec<_> = names.iter().map(|name| name.to_uppercase().replace('-', "_")).collect();
    assert_eq!(upper, expected);

    let ground = Problem::random(0.25).ground_energy();
    // At most 8 quanta at a site.
    refused(&["ising", small(), "--kind", "bits"], "--kind bits: ");
    let forced = |name: &&str| !matches!(*name, "auto" | "bits");
    for name in names.iter().copied().filter(forced) {
        let explained = json(&["ising", small(), "--kind", name, "--explain"]);
        assert_eq!(explained["chosen"], *name);
        let document = json(&["ising", small(), "--kind", name, "--sweeps", "300"]);
        let kind = document["kind"].as_str().unwrap().to_lowercase();
        assert_eq!(kind, name.replace('-', ""));
        assert!((document["best"]["energy"].as_f64().unwrap() - ground).abs() < 1e-6, "{name}");
    }
    let auto = json(&["ising", small(), "--explain"]);
    assert_eq!((&auto["chosen"], &auto["sites"], &auto["layers"]), (&"i8-exact".into(), &12.into(), &128.into()));
    assert_eq!(auto["quantum"], 0.125);
    let real = json(&["ising", rough(), "--explain"]);
    let refused_by = |name: &str| {
        real["kinds"].as_array().unwrap().iter().find(|kind| kind["kind"] == name).unwrap()["refused"].clone()
    };
    assert!(real["chosen"] == "f32-poly" && refused_by("i8-exact").is_string() && refused_by("f32-fast").is_null());
    let text = String::from_utf8(succeeds(&["ising", rough(), "--explain"])).unwrap();
    assert!(text.contains("i8-exact") && text.contains("not possible: "), "{text}");
    refused(&["ising", rough(), "--kind", "i8-exact"], "--kind i8-exact: ");
    refused(&["ising", small(), "--kind", "i8-exact", "--copies", "1"], "--kind i8-exact: ");
    let quantum = ["--slices", "8", "--beta", "2", "--gamma", "0.1", "--gamma-max", "3"];
    refused(&[&["ising", small(), "--kind", "single"], &quantum[..]].concat(), "--kind single: ");
    for words in [&["--runs", "32"][..], &["--method", "exchange", "--replicas", "4"]] {
        let words = [&["ising", small(), "--kind", "single", "--copies", "1", "--sweeps", "1000"], words].concat();
        assert!((json(&words)["best"]["energy"].as_f64().unwrap() - ground).abs() < 1e-6, "{words:?}");
    }
    let words = ["ising", small(), "--kind", "single", "--copies", "1", "--method", "exchange", "--observables"];
    refused(&words, "--observables has no effect: an overlap needs two copies");
    refused(&["ising", small(), "--kind", "i4"], "[possible values: f32-fast, ");
}
