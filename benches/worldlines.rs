//! Worldlines: `cargo bench --bench worldlines -- [WORD..]`, where words are parts of a model's name.
//!
//! For each model, with 64, 512 and 2^20 slices, prints the nanoseconds of a visit of a line under each instruction
//! set, the number of its segments, and the nanoseconds of its share of the energy. `layered` is the time in which the
//! layered model visits all slices of a line, spin by spin.

use std::time::Instant;

use hotloops::isa::{self, Isa};
use hotloops::ising::{Beta, Builder, Kind, LayeredIsing, Transverse};
use hotloops::random::Mt19937;
use hotloops_bench_support::random::Random;

struct Model {
    name: &'static str,
    sites: usize,
    couplings: Vec<(usize, usize, f64)>,
    at: Transverse,
}

fn chimera(side: usize) -> Vec<(usize, usize)> {
    let mut edges = Vec::new();
    let at = |x: usize, y: usize, k: usize| 8 * (side * y + x) + k;
    for (x, y) in (0..side * side).map(|cell| (cell % side, cell / side)) {
        edges.extend((0..16).map(|k| (at(x, y, k % 4), at(x, y, 4 + k / 4))));
        if x + 1 < side {
            edges.extend((0..4).map(|k| (at(x, y, k), at(x + 1, y, k))));
        }
        if y + 1 < side {
            edges.extend((4..8).map(|k| (at(x, y, k), at(x, y + 1, k))));
        }
    }
    edges
}

fn models() -> Vec<Model> {
    let at = |beta, gamma| Transverse { beta, gamma };
    let ring = |sites: usize| (0..sites).map(|i| (i, (i + 1) % sites, 1.0)).collect();
    let square = |side: usize| {
        let site = |x: usize, y: usize| x % side + y % side * side;
        let ends = |x, y| [(site(x, y), site(x + 1, y), 1.0), (site(x, y), site(x, y + 1), 1.0)];
        (0..side * side).flat_map(|i| ends(i % side, i / side)).collect()
    };
    let mut random = Random(1);
    let integers = chimera(4).into_iter().map(|(i, j)| (i, j, random.sign())).collect();
    let reals = chimera(4).into_iter().map(|(i, j)| (i, j, random.normal())).collect();
    vec![
        Model { name: "ring 16", sites: 16, couplings: ring(16), at: at(8.0, 1.0) },
        Model { name: "ring 1024", sites: 1024, couplings: ring(1024), at: at(8.0, 1.0) },
        Model { name: "square 16^2", sites: 256, couplings: square(16), at: at(8.0, 3.044) },
        Model { name: "square 16^2 cold", sites: 256, couplings: square(16), at: at(100.0, 3.044) },
        Model { name: "chimera +-1", sites: 128, couplings: integers, at: at(10.0, 0.5) },
        Model { name: "chimera reals", sites: 128, couplings: reals, at: at(10.0, 0.5) },
    ]
}

impl Model {
    fn builder(&self, slices: usize) -> Builder {
        LayeredIsing::builder(slices, self.sites).couplings(self.couplings.iter().copied())
    }

    /// A sweep over all slices of a line with the fastest kind, in nanoseconds.
    fn layered(&self, slices: usize) -> f64 {
        let step = self.at.beta / slices as f64;
        let beta = Beta { space: step as f32, tau: (-0.5 * (step * self.at.gamma).tanh().ln()) as f32 };
        let mut model = self.builder(slices).build(Kind::Auto).unwrap();
        let mut rng = Mt19937::seeded(16, 1).unwrap();
        let lines = self.sites as f64;
        least(lines, || {
            model.sweep(&mut rng, beta, 1).unwrap();
        })
    }
}

/// The minimum time of a call, over `parts`, in nanoseconds.
fn least(parts: f64, mut call: impl FnMut()) -> f64 {
    let (mut least, begin) = (f64::INFINITY, Instant::now());
    while begin.elapsed().as_secs_f64() < 0.4 {
        let begin = Instant::now();
        call();
        least = least.min(begin.elapsed().as_secs_f64());
    }
    least * 1e9 / parts
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    println!(
        "{:18} {:>8}  {:8} {:>8} {:>9} {:>8} {:>8}",
        "model", "slices", "isa", "ns/line", "segments", "energy", "layered"
    );
    for model in models().iter().filter(|model| words.is_empty() || words.iter().any(|word| model.name.contains(word)))
    {
        for slices in [64, 512, 1 << 20] {
            let layered = if slices <= 512 { format!("{:.0}", model.layered(slices)) } else { String::from("-") };
            for &isa in Isa::ALL.iter().filter(|&&isa| isa::detected(isa)) {
                if !["avx512", "avx2", "sse2"].contains(&isa.word()) {
                    continue;
                }
                isa::set(isa).unwrap();
                let mut lines = model.builder(slices).build_worldlines().unwrap();
                let mut rng = Mt19937::seeded(16, 1).unwrap();
                lines.sweep(&mut rng, model.at, 300).unwrap();
                let sites = model.sites as f64;
                let segments = lines.sweep(&mut rng, model.at, 100).unwrap() as f64 / (100.0 * sites);
                // Some sweeps, so that the clock does not count.
                let sweeps = (2000 / model.sites).max(1) as u64;
                let time = least(sites * sweeps as f64, || {
                    lines.sweep(&mut rng, model.at, sweeps).unwrap();
                });
                let energy = least(sites * sweeps as f64, || {
                    (0..sweeps).for_each(|_| {
                        std::hint::black_box(lines.diagonal_energy());
                    });
                });
                let (name, isa) = (model.name, isa.word());
                println!("{name:18} {slices:>8}  {isa:8} {time:8.1} {segments:9.2} {energy:8.1} {layered:>8}");
            }
            isa::reset();
        }
    }
}
