//! Wrong arguments, and outputs that would replace an input.

use std::fs;
use std::path::PathBuf;

use crate::support::{folder, refused, shipped, unreadable};

/// A folder with a model.
struct Setting {
    folder: PathBuf,
    model: String,
}

impl Setting {
    fn new(name: &str) -> Self {
        let folder = folder(name);
        let model = folder.join("model.coo").to_str().unwrap().to_owned();
        fs::copy(shipped(), &model).unwrap();
        Setting { folder, model }
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(name).to_str().unwrap().to_owned()
    }

    /// A run is refused, and writes nothing.
    fn refuses(&self, words: &[&str], message: &str) {
        refused(&[&["ising", &self.model, "--svg", &self.path("never.svg")], words].concat(), message);
        assert_eq!(fs::read_dir(&self.folder).unwrap().count(), 1, "nothing but the model: {words:?}");
    }
}

#[test]
fn wrong_arguments_are_named() {
    let setting = Setting::new("ising_arguments");
    let is_refused = |words: &[&str], message: &str| setting.refuses(words, message);
    refused(&["ising"], "<MODEL>");
    unreadable(&["ising", &setting.path("absent.coo")], "absent.coo: No such file");
    is_refused(&["--method", "heat"], "'heat' for '--method");
    is_refused(&["--acceptance", "heat"], "'heat' for '--acceptance");
    is_refused(&["--copies", "0"], "--copies");
    is_refused(&["--runs", "0"], "--runs");
    is_refused(&["--sweeps", "0"], "--sweeps");
    is_refused(&["--every", "0"], "--every");
    is_refused(&["--sweeps", "many"], "--sweeps");
    is_refused(&["--seed", "-1"], "-1");
    is_refused(&["--beta-min", "-1"], "--beta-min");
    is_refused(&["--beta-min", "NaN"], "expected a positive number");
    is_refused(&["--beta-max", "1e31"], "--beta-max");
    is_refused(&["--beta-min", "3", "--beta-max", "2"], "--beta-min 3 exceeds --beta-max 2");
    is_refused(&["--spacing", "even"], "--spacing");
    is_refused(&["--checkpoint-seconds", "1"], "--checkpoint");
    is_refused(&["extra"], "extra");
    is_refused(
        &["--sweeps", "1000000000", "--every", "1"],
        "--every 1: 1000000000 measurements of 8 models are more than",
    );
    is_refused(&["--copies", "65536", "--runs", "1000"], "--copies 65536: 1000 models of 65536 layers of 96 spins");
}

#[test]
fn wrong_ladders_and_fields_are_named() {
    let setting = Setting::new("ising_ladders");
    let exchange = ["--method", "exchange"];
    let quantum = ["--slices", "8", "--beta", "1", "--gamma", "0.1", "--gamma-max", "2"];
    let is_refused = |words: &[&str], message: &str| setting.refuses(words, message);
    for (option, value) in [("--ladder", "1,2"), ("--replicas", "4"), ("--warm-up", "1")] {
        is_refused(&[option, value], &format!("{option} has no effect"));
    }
    is_refused(&["--gamma-max", "1"], "--gamma-max has no effect");
    is_refused(&["--beta", "1"], "--beta has no effect");
    // A ladder of fields, of a system that nothing makes a quantum system.
    let fields = [&exchange[..], &["--beta", "8", "--ladder", "1"]].concat();
    is_refused(
        &fields,
        "--beta has no effect: the systems are classical; add --kind worldline or --slices, or leave it",
    );
    is_refused(&[&fields[..], &["--gamma", "1"]].concat(), "--gamma has no effect: --ladder gives all values");
    let betas = [&exchange[..], &["--kind", "worldline", "--ladder", "1"]].concat();
    is_refused(&betas, "give --gamma, or --beta for a ladder of fields");
    is_refused(&[&betas[..], &["--gamma-max", "2"]].concat(), "--gamma-max has no effect");
    for words in
        [&["--runs", "4"][..], &["--ladder", "1,2", "--replicas", "2"], &["--ladder", "1,2", "--beta-min", "1"]]
    {
        is_refused(&[&exchange[..], words].concat(), &format!("{} has no effect", words[words.len() - 2]));
    }
    is_refused(&[&exchange[..], &["--ladder", "1,2", "--spacing", "linear"]].concat(), "--spacing has no effect");
    is_refused(
        &[&exchange[..], &["--ladder", "1,2,2"]].concat(),
        "--ladder 1,2,2: must be strictly ascending or descending",
    );
    is_refused(&[&exchange[..], &["--ladder", "1,0"]].concat(), "--ladder");
    is_refused(&[&exchange[..], &["--ladder", ""]].concat(), "--ladder");
    is_refused(&[&exchange[..], &["--replicas", "1"]].concat(), "--replicas");
    is_refused(
        &[&exchange[..], &["--beta-min", "2", "--beta-max", "2"]].concat(),
        "a ladder from 2 to 2 has equal rungs",
    );
    is_refused(&[&exchange[..], &["--warm-up", "1000"]].concat(), "--warm-up 1000: must be less than --sweeps 1000");

    is_refused(&["--slices", "1"], "--slices");
    is_refused(&quantum[..2], "--beta is missing");
    is_refused(&quantum[..4], "--gamma-max is missing");
    is_refused(&[&quantum[..4], &["--gamma-max", "2"]].concat(), "--gamma is missing");
    is_refused(&[&quantum[..], &["--copies", "4"]].concat(), "--copies has no effect");
    is_refused(&[&quantum[..], &["--beta-max", "4"]].concat(), "--beta-max has no effect");
    is_refused(&[&quantum[..4], &["--gamma", "3", "--gamma-max", "2"]].concat(), "--gamma 3 exceeds --gamma-max 2");
    is_refused(&[&exchange[..], &["--slices", "8"]].concat(), "--gamma is missing");
    is_refused(&[&exchange[..], &quantum[..6], &["--ladder", "1,2"]].concat(), "--gamma has no effect");
    is_refused(
        &[&exchange[..], &["--slices", "8", "--gamma", "1", "--gamma-max", "2"]].concat(),
        "--gamma-max has no effect: a ladder of fields needs --beta",
    );
}

#[test]
fn no_output_replaces_an_input() {
    let setting = Setting::new("ising_outputs");
    let (model, path) = (&setting.model, |name: &str| setting.path(name));
    let is_refused = |words: &[&str], message: &str| setting.refuses(words, message);
    is_refused(&["--series", model], "model.coo: is the file of MODEL");
    is_refused(&["--series", &path("never.svg")], "never.svg: is the file of ");
    is_refused(&["--series", &path("../ising_outputs/never.svg")], "never.svg: is the file of ");
    is_refused(&["--series", &path("absent/x.csv")], "--series");
    is_refused(&["--checkpoint", setting.folder.to_str().unwrap()], "is a folder");
    refused(
        &["ising", model, "--series", &path("never.checkpoint"), "--checkpoint", &path("never.checkpoint")],
        "never.checkpoint: is the file of --series",
    );
}
