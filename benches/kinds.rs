//! The choice of a kind for Ising models: `cargo bench --bench kinds -- [WORD] [--skip WORD]`, where words are parts
//! of a problem such as `torus 32^2 +-J 128`.
//!
//! For problems of many shapes, prints the nanoseconds of a visit of a spin with each kind, the kind that
//! [`Kind::Auto`] chooses, and its regret: how much longer it takes than the fastest. `-` is a kind that does
//! not accept the problem, or would take much longer.

use std::time::Instant;

use hotloops::ising::{Beta, Builder, Kind, LayeredIsing};
use hotloops::random::Mt19937;
use hotloops_bench_support::random::Random;

/// The accurate kinds.
const KINDS: [Kind; 7] =
    [Kind::I8Exact, Kind::I16Exact, Kind::F32Poly, Kind::Bits, Kind::Single, Kind::Fixed, Kind::Dense];

/// A kind whose estimated time is this many times the minimum is left out.
const PATIENCE: f64 = 6.0;

const VALUES: &[&str] = &["+-J", "8 bits", "digits", "real"];
const TWO: &[&str] = &["+-J", "real"];

struct Graph {
    name: &'static str,
    sites: usize,
    edges: Vec<(usize, usize)>,
    /// The inverse temperature for couplings of magnitude 1.
    beta: f32,
}

fn torus(name: &'static str, side: usize, dimensions: u32) -> Graph {
    let sites = side.pow(dimensions);
    let next = |i: usize, stride: usize| i / stride % side + 1 < side;
    let edge = |i: usize, stride: usize| (i, if next(i, stride) { i + stride } else { i + stride - stride * side });
    let edges = (0..sites).flat_map(|i| (0..dimensions).map(move |k| edge(i, side.pow(k)))).collect();
    Graph { name, sites, edges, beta: 1.0 }
}

fn random(name: &'static str, sites: usize, degree: usize) -> Graph {
    let mut random = Random(1);
    let mut edges: Vec<_> = (0..sites * degree / 2)
        .map(|_| (random.below(sites), random.below(sites)))
        .filter(|(i, j)| i != j)
        .map(|(i, j)| (i.min(j), i.max(j)))
        .collect();
    edges.sort_unstable();
    edges.dedup();
    Graph { name, sites, edges, beta: 1.0 / (degree as f32).sqrt() }
}

fn chimera(name: &'static str, side: usize) -> Graph {
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
    Graph { name, sites: 8 * side * side, edges, beta: 1.0 }
}

fn complete(name: &'static str, sites: usize) -> Graph {
    let edges = (0..sites).flat_map(|i| (0..i).map(move |j| (i, j))).collect();
    Graph { name, sites, edges, beta: 1.0 / (sites as f32).sqrt() }
}

fn ring(name: &'static str, sites: usize) -> Graph {
    Graph { name, sites, edges: (0..sites).map(|i| (i, (i + 1) % sites)).collect(), beta: 1.0 }
}

/// Barabasi and Albert's graph: each site is linked to `links` earlier ones, with a probability in proportion to their
/// degrees.
fn preferential(name: &'static str, sites: usize, links: usize) -> Graph {
    let (mut random, mut edges, mut ends) = (Random(1), Vec::new(), (0..links).collect::<Vec<_>>());
    for site in links..sites {
        let mut chosen = Vec::new();
        while chosen.len() < links {
            let end = ends[random.below(ends.len())];
            if !chosen.contains(&end) {
                chosen.push(end);
            }
        }
        edges.extend(chosen.iter().map(|&end| (end, site)));
        ends.extend(chosen.iter().flat_map(|&end| [end, site]));
    }
    Graph { name, sites, edges, beta: 1.0 / (2.0 * links as f32).sqrt() }
}

fn builder(graph: &Graph, values: &str, layers: usize) -> Builder {
    let mut random = Random(7);
    let mut value = |_: &(usize, usize)| match values {
        "+-J" => 1.0 - 2.0 * random.below(2) as f64,
        "8 bits" => (random.below(15) as f64 - 7.0) / 4.0,
        "digits" => (random.below(2001) as f64 - 1000.0) / 500.0,
        _ => random.number() + random.number() - 1.0 + 1e-9,
    };
    let couplings: Vec<_> = graph.edges.iter().map(|edge| (edge.0, edge.1, value(edge))).collect();
    LayeredIsing::builder(layers, graph.sites).couplings(couplings).tau_coupling(0.0)
}

/// Nanoseconds of a visit, the minimum of several runs.
fn nanoseconds(mut model: LayeredIsing, beta: f32) -> f64 {
    let mut rng = Mt19937::seeded(16, 5489).unwrap();
    let beta = Beta { space: beta, tau: 0.0 };
    let visits = model.layers() * model.sites();
    let sweeps = (2_000_000 / visits as u64).clamp(1, 2000);
    let (mut least, mut runs) = (f64::INFINITY, 0);
    let begin = Instant::now();
    while runs < 3 || (runs < 30 && begin.elapsed().as_secs_f64() < 0.1) {
        let begin = Instant::now();
        model.sweep(&mut rng, beta, sweeps).unwrap();
        least = least.min(begin.elapsed().as_secs_f64() * 1e9 / (visits as f64 * sweeps as f64));
        runs += 1;
    }
    least
}

/// Whether the arguments select a problem.
fn is_selected(problem: &str) -> bool {
    let (mut is_wanted, mut has_words, mut arguments) = (false, false, std::env::args().skip(1));
    while let Some(argument) = arguments.next() {
        match &*argument {
            "--bench" => {}
            "--skip" if arguments.next().is_some_and(|word| problem.contains(&word)) => return false,
            "--skip" => {}
            word => (is_wanted, has_words) = (is_wanted || problem.contains(word), true),
        }
    }
    is_wanted || !has_words
}

/// The graphs and the values of their couplings.
fn problems() -> Vec<(Graph, &'static [&'static str])> {
    let graphs: [(Graph, &[&str]); 11] = [
        (torus("torus 10^2", 10, 2), TWO),
        (torus("torus 8^3", 8, 3), TWO),
        (ring("ring of 1000", 1000), TWO),
        (random("random, degree 3, n 10^4", 10_000, 3), &["+-J", "8 bits"]),
        (random("random, degree 40", 2000, 40), TWO),
        (random("G(2000, 0.1)", 2000, 200), &["+-J", "digits", "real"]),
        (preferential("BA 3, n 20000", 20_000, 3), &["+-J", "8 bits", "real"]),
        (preferential("BA 8, n 2000", 2000, 8), &["+-J"]),
        (complete("complete 16", 16), TWO),
        (complete("complete 32", 32), TWO),
        (complete("complete 64", 64), TWO),
    ];
    let all = [
        torus("torus 32^2", 32, 2),
        torus("torus 100^2", 100, 2),
        torus("torus 500^2", 500, 2),
        torus("torus 16^3", 16, 3),
        random("random, degree 3", 2000, 3),
        random("random, degree 6", 10_000, 6),
        random("random, degree 30", 1000, 30),
        chimera("Chimera C8", 8),
        complete("complete 128", 128),
        complete("complete 700", 700),
    ];
    all.into_iter().map(|graph| (graph, VALUES)).chain(graphs).collect()
}

fn main() {
    println!(
        "{:24} {:7} {:>6} {:>7} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}  chosen    regret",
        "graph", "values", "layers", "I8Exact", "I16Exact", "F32Poly", "Bits", "Single", "Fixed", "Dense"
    );
    let mut regrets = Vec::new();
    for (graph, values) in &problems() {
        for values in *values {
            for layers in [1, 8, 128] {
                if !is_selected(&format!("{} {values} {layers}", graph.name)) {
                    continue;
                }
                let mut description = builder(graph, values, layers);
                let costs = KINDS.map(|kind| description.cost(kind).unwrap_or(f64::INFINITY));
                let least = costs.iter().copied().fold(f64::INFINITY, f64::min);
                let chosen = builder(graph, values, layers).build(Kind::Auto).unwrap().kind();
                let times: Vec<_> = KINDS
                    .iter()
                    .zip(costs)
                    .map(|(&kind, cost)| {
                        let is_run = kind == chosen || cost <= PATIENCE * least;
                        let model = builder(graph, values, layers).build(kind).ok().filter(|_| is_run)?;
                        Some(nanoseconds(model, graph.beta))
                    })
                    .collect();
                let best = times.iter().flatten().copied().fold(f64::INFINITY, f64::min);
                let own = KINDS.iter().position(|&kind| kind == chosen).and_then(|at| times[at]).unwrap();
                regrets.push(own / best - 1.0);
                print!("{:24} {values:7} {layers:6}", graph.name);
                times.iter().for_each(|time| match time {
                    Some(time) => print!(" {time:8.3}"),
                    None => print!(" {:>8}", "-"),
                });
                println!("  {:8} {:6.0} %", format!("{chosen:?}"), 100.0 * (own / best - 1.0));
            }
        }
    }
    if regrets.is_empty() {
        return;
    }
    regrets.sort_unstable_by(f64::total_cmp);
    let above = regrets.iter().filter(|regret| **regret > 0.25).count();
    println!(
        "{} problems: mean regret {:.1} %, median {:.0} %, largest {:.0} %, above 25 %: {above}",
        regrets.len(),
        100.0 * regrets.iter().sum::<f64>() / regrets.len() as f64,
        100.0 * regrets[regrets.len() / 2],
        100.0 * regrets[regrets.len() - 1]
    );
}
