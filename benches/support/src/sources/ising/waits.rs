//! Figure 14: the flip rate of each model, and how often a vector has a flip and so waits for the update of neighbours.

use super::setup::Setup;
use crate::ladder::{Compared, Curves, Line, Origin, Row, Table};
use crate::levels::Level;

/// Lanes of a vector, and the paper's share of vectors with a flip in per cent: one spin, SSE, a warp of a GPU.
const LANES: [(usize, f64); 3] = [(1, 28.6), (4, 56.8), (32, 82.8)];

const WHY: &str = "our temperatures have the paper's mean flip rate, but are a geometric ladder";

/// Counts the flips of `sweeps` sweeps, of the paper's models or others. Each sweep visits a spin once, so a flip is a
/// change from one sweep to the next.
pub fn waits(setup: &Setup, level: &Level, sweeps: usize, is_papers: bool) -> (Table, Curves) {
    let (layers, sites) = (setup.problem.layers, setup.problem.sites());
    let lanes: Vec<_> = LANES.into_iter().filter(|&(lanes, _)| lanes <= layers).collect();
    // Per cent of the vectors of each model, for each number of lanes.
    let mut shares = vec![Vec::new(); lanes.len()];
    let mut is_verified = true;
    for mut model in setup.make(&level.model) {
        let mut counts = vec![0; lanes.len()];
        let (mut before, mut flips) = (model.spins(), 0);
        for _ in 0..sweeps {
            flips += model.sweep(1);
            let after = model.spins();
            let flipped: Vec<bool> = before.iter().zip(&after).map(|(before, after)| before != after).collect();
            lanes.iter().zip(&mut counts).for_each(|(&(lanes, _), count)| *count += waiting(&flipped, sites, lanes));
            before = after;
        }
        is_verified &= counts[0] == flips;
        for ((shares, count), (lanes, _)) in shares.iter_mut().zip(counts).zip(&lanes) {
            shares.push(100.0 * count as f64 / (sweeps * (layers / lanes) * sites) as f64);
        }
    }
    let name = |lanes: usize| format!("{lanes} lane{}", if lanes == 1 { "" } else { "s" });
    let row = |(&(lanes, printed), shares): (&(usize, f64), &Vec<f64>)| Row {
        name: name(lanes),
        isa: "",
        origin: Origin::Step,
        threads: 1,
        value: shares.iter().sum::<f64>() / shares.len() as f64,
        spread: 0.0,
        printed: is_papers.then_some((printed, WHY)),
        is_verified,
    };
    let line = |(&(lanes, _), shares): (&(usize, f64), &Vec<f64>)| Line {
        name: name(lanes),
        origin: Origin::Step,
        points: (1..).zip(shares).map(|(model, &share)| (f64::from(model), share)).collect(),
        is_verified,
    };
    let table = Table {
        name: "waits",
        title: "Vectors with a flip, mean over all models".to_owned(),
        unit: "% of the vectors",
        is_rate: false,
        base: 0,
        compared: Compared::Value,
        rows: lanes.iter().zip(&shares).map(row).collect(),
        notes: vec![format!("Counted in {sweeps} sweeps of A.2; a lane is a layer, and lanes are equally far apart.")],
    };
    let curves = Curves {
        name: "flips",
        title: "Figure 14: vectors with a flip, by model; of one lane, the flip rate".to_owned(),
        axes: ["model, hottest first", "% of the vectors"],
        logarithmic: [false, false],
        lines: lanes.iter().zip(&shares).map(line).collect(),
        notes: Vec::new(),
    };
    (table, curves)
}

/// Vectors with a flip. Lane k of group g is layer k * groups + g; a remainder of the layers is left out.
fn waiting(flipped: &[bool], sites: usize, lanes: usize) -> u64 {
    let groups = flipped.len() / sites / lanes;
    let rows = groups * sites;
    (0..rows).filter(|row| (0..lanes).any(|lane| flipped[lane * rows + row])).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_take_a_layer_of_each_part() {
        // Six layers of two sites; spin 1 of layer 0 and of layer 3 flip, and spin 0 of layer 5.
        let flipped: Vec<bool> = (0..12).map(|i| [1, 7, 10].contains(&i)).collect();
        assert_eq!([1, 2, 3, 4, 6].map(|lanes| waiting(&flipped, 2, lanes)), [3, 2, 3, 1, 2]);
    }
}
