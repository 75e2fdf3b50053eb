//! Clifford layers after Huang and others (arXiv 2510.03290): from plain loops in C to ours.

mod activations;
mod layers;
mod vectors;

use std::time::Duration;

use hotloops::clifford::Mode;
use hotloops::isa::Isa;

use super::programs::{Build, compiled, levels};
use crate::ladder::{Compared, Effort, Origin, Part, Row, Rung, Scale, Table, measure};
use activations::{Kind, activation};
use layers::{Layer, Packing, Program};
use vectors::Vectors;

/// Sizes of the layers of a run.
struct Sizes {
    /// Rows and channels of linear layers.
    linear: [usize; 2],
    /// Channels and points of an edge, for 1, 2 and 3 dimensions.
    convolutions: [[usize; 2]; 3],
    multivectors: usize,
}

impl Sizes {
    fn new(effort: &Effort) -> Self {
        match effort.is_quick {
            true => Sizes { linear: [64, 32], convolutions: [[16, 256], [8, 16], [4, 6]], multivectors: 2048 },
            false => Sizes { linear: [256, 32], convolutions: [[16, 1024], [8, 64], [8, 8]], multivectors: 8192 },
        }
    }
}

/// Runs the experiments of the paper.
pub fn run(effort: &Effort, step: &mut dyn FnMut(&str)) -> Vec<Part> {
    parts(&Sizes::new(effort), effort.budget, step)
}

fn parts(sizes: &Sizes, budget: Duration, step: &mut dyn FnMut(&str)) -> Vec<Part> {
    let mut parts = Vec::new();
    for (name, squares) in [("linear_2", &[1, 1][..]), ("linear_3", &[1, 1, 1])] {
        step(&format!("a linear layer of Cl({},0)", squares.len()));
        parts.push(Part::Table(linear(name, squares, sizes.linear, budget.mul_f64(0.25))));
    }
    step("speed-ups of the paper's functions");
    parts.push(Part::Table(functions(sizes, budget.mul_f64(0.5))));
    parts
}

/// From the plain triple loop to the library.
fn linear(name: &'static str, squares: &[i8], [batch, channels]: [usize; 2], budget: Duration) -> Table {
    let layer = Layer::linear(squares, batch, channels);
    let mut rungs = Vec::new();
    for kind in [Program::WithKernel, Program::WithoutKernel, Program::Unrolled, Program::Reordered] {
        rungs.extend(Build::usable().map(|build| layer.program(kind, build)));
    }
    for (mode, packing) in [(Mode::Exact, Packing::Once), (Mode::Fast, Packing::EachCall), (Mode::Fast, Packing::Once)]
    {
        rungs.extend(levels().map(|isa| layer.ours_linear(mode, packing).under(isa)));
    }
    let title = format!("Linear layer of Cl({},0), batch {batch}, {channels} channels", squares.len());
    let scale = (Scale::PerCycle, "flops of the triple loop a cycle");
    let mut table = measure(name, title, scale, Compared::Ratio, rungs, budget);
    table.notes.push(compiled());
    table.notes.push(
        "The first program builds the matrix of the layer at each call. Mode Fast multiplies in a matrix algebra and \
         needs fewer flops than the triple loop."
            .to_owned(),
    );
    table
}

/// A function of the paper: its program in C, then ours per instruction set.
type Function = (String, Vec<Rung>);

fn all_functions(sizes: &Sizes) -> Vec<Function> {
    let mut functions: Vec<Function> = Vec::new();
    for squares in [&[1][..], &[1, 1], &[1, 1, 1]] {
        let [batch, channels] = sizes.linear;
        let layer = Layer::linear(squares, batch, channels);
        let mut rungs = vec![layer.program(Program::WithKernel, Build::Plain)];
        rungs.extend(levels().map(|isa| layer.ours_linear(Mode::Auto, Packing::EachCall).under(isa)));
        functions.push((format!("linear layer of Cl({},0)", squares.len()), rungs));
    }
    let [one, two, three] = sizes.convolutions;
    functions.push(convolution::<1>(&[1], one));
    functions.push(convolution::<2>(&[1, 1], two));
    functions.push(convolution::<3>(&[1, 1, 1], three));
    for (name, is_transposed) in [("convolution of vectors", false), ("transposed convolution of vectors", true)] {
        let [channels, points] = two;
        let layer = Vectors::new(is_transposed, channels, [points; 2]);
        let mut rungs = vec![layer.program()];
        rungs.extend(levels().map(|isa| layer.ours().under(isa)));
        functions.push((format!("{name} of Cl(3,0), 3 x 3 taps"), rungs));
    }
    for kind in [Kind::Linear, Kind::Sum, Kind::Mean] {
        let mut rungs = vec![activation(kind, sizes.multivectors, false)];
        rungs.extend(levels().map(|isa| activation(kind, sizes.multivectors, true).under(isa)));
        functions.push((format!("activation, {}", kind.name()), rungs));
    }
    functions
}

fn convolution<const D: usize>(squares: &[i8], [channels, points]: [usize; 2]) -> Function {
    let layer = Layer::convolution(squares, channels, [points; D]);
    let mut rungs = vec![layer.program(Program::Convolution, Build::Plain)];
    rungs.extend(levels().map(|isa| layer.ours_convolution([points; D]).under(isa)));
    (format!("convolution of Cl({D},0), 3 taps an axis"), rungs)
}

/// Our speed-up over plain C for each function, and the mean per instruction set.
fn functions(sizes: &Sizes, budget: Duration) -> Table {
    let functions = all_functions(sizes);
    let each = budget.div_f64(functions.len() as f64);
    let mut rows = vec![Row {
        name: "plain C".to_owned(),
        isa: "",
        origin: Origin::Source,
        threads: 1,
        value: 1.0,
        spread: 0.0,
        printed: None,
        is_verified: true,
    }];
    for (name, rungs) in functions {
        let table = measure("function", "", (Scale::Nanoseconds, ""), Compared::Ratio, rungs, each);
        let (plain, ours) = table.rows.split_first().expect("the program in C");
        rows.extend(ours.iter().map(|row| Row {
            name: name.clone(),
            value: plain.value / row.value,
            spread: plain.spread.max(row.spread),
            is_verified: plain.is_verified && row.is_verified,
            ..row.clone()
        }));
    }
    rows.extend(levels().map(|isa| mean(&rows, isa)).collect::<Vec<_>>());
    Table {
        name: "functions",
        title: "Speed-up over plain C".to_owned(),
        unit: "times as fast",
        is_rate: true,
        base: 0,
        compared: Compared::Value,
        rows,
        notes: vec![
            compiled(),
            "The programs in C build the matrix of a layer at each call; ours pack the weights at each call, mode Auto."
                .to_owned(),
            "Vectors (the G3 layers of cliffordlayers) have no layer of their own in this library: ours builds the \
             matrices of the rotations too, and calls a convolution of real numbers or its gradient."
                .to_owned(),
        ],
    }
}

/// The mean of the functions under an instruction set; void if one of them is.
fn mean(rows: &[Row], isa: Isa) -> Row {
    let rows: Vec<&Row> = rows.iter().filter(|row| row.isa == isa.word()).collect();
    let mean = rows.iter().map(|row| row.value).sum::<f64>() / rows.len() as f64;
    let spread = rows.iter().map(|row| row.spread).fold(0.0, |a, b| if b.is_nan() { b } else { b.max(a) });
    Row {
        name: "mean of all functions".to_owned(),
        isa: isa.word(),
        origin: Origin::Ours,
        threads: 1,
        value: mean,
        spread,
        printed: (isa == Isa::avx2)
            .then_some((21.35, "theirs is the mean of eleven functions at their sizes, on their CPU")),
        is_verified: rows.iter().all(|row| row.is_verified),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::programs::unverified;

    #[test]
    fn every_rung_has_the_layer_of_the_reference() {
        let sizes = Sizes { linear: [5, 3], convolutions: [[3, 9], [2, 5], [2, 4]], multivectors: 40 };
        let parts = parts(&sizes, Duration::ZERO, &mut |_| ());
        assert_eq!(parts.len(), 3);
        let Some(Part::Table(functions)) = parts.last() else { panic!("a table") };
        let mut names: Vec<_> = functions.rows.iter().map(|row| row.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 1 + 11 + usize::from(levels().count() > 0), "plain C, eleven functions, a mean");
        assert_eq!(unverified(&parts), Vec::<String>::new());
    }
}
