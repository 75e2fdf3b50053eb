//! Products of matrices after Huang, "Optimizing single-core CPU software" (2025): accumulators, orders of loops,
//! blocks, packing, vectors, and the roofline.

mod rungs;
mod sizes;

use std::time::Duration;

use hotloops::isa::Isa;

use super::programs::{Build, compiled, levels};
use crate::ladder::{Compared, Curves, Effort, Origin, Part, Rung, Scale, Table, curve, measure};
use crate::peak;
use rungs::{Operands, Program, first_rows, ours, program, rows};

/// Edge of the cubes of the blocked programs.
const BLOCK: usize = 32;

/// Sizes of the matrices of a run.
struct Sizes {
    /// The order of the matrices in the table of rungs.
    table: usize,
    /// In the table of orders of loops.
    orders: usize,
    /// In the curve over blocks, with the edges of blocks.
    blocks: (usize, Vec<usize>),
    curve: Vec<usize>,
    /// With operands in memory.
    cold: Vec<usize>,
    /// Bytes of these operands.
    pool: usize,
    double: Vec<usize>,
    /// Floats of the arrays whose loads are timed, by the name of the level that holds them.
    arrays: Vec<(&'static str, usize)>,
}

impl Sizes {
    fn new(effort: &Effort) -> Self {
        // Around the article's sizes, and around powers of 2.
        let curve: &[usize] = if effort.is_quick {
            &[8, 16, 32, 64, 109, 128, 256, 512, 559, 1024, 1100]
        } else {
            &[
                8, 12, 16, 24, 32, 40, 48, 56, 64, 80, 96, 109, 120, 128, 136, 160, 192, 224, 248, 256, 264, 320, 384,
                448, 504, 512, 520, 559, 600, 640, 704, 768, 832, 896, 960, 1016, 1024, 1032, 1100,
            ]
        };
        let blocks = if effort.is_quick { &[8, 16, 32, 64, 128, 256][..] } else { &BLOCKS };
        let mib = if effort.is_quick { 64 } else { 256 };
        Sizes {
            table: 256,
            orders: if effort.is_quick { 128 } else { 256 },
            blocks: (560, blocks.to_vec()),
            curve: curve.to_vec(),
            cold: if effort.is_quick { vec![32, 128] } else { vec![16, 32, 64, 96, 128, 192, 256, 384, 512] },
            pool: mib << 20,
            double: if effort.is_quick { vec![64, 256] } else { vec![8, 16, 32, 64, 128, 256, 512, 1000, 1024] },
            arrays: vec![("first cache", 16 << 8), ("second cache", 256 << 8), ("memory", mib << 18)],
        }
    }
}

/// Maximum number of rows in the curve over blocks. Each cube of B is used for all of them.
const BLOCK_ROWS: usize = 64;
const BLOCKS: [usize; 13] = [8, 12, 16, 24, 32, 40, 48, 64, 96, 128, 160, 192, 256];

/// Runs the experiments of the article's second half.
pub fn run(effort: &Effort, step: &mut dyn FnMut(&str)) -> Vec<Part> {
    parts(&Sizes::new(effort), effort.budget, step)
}

fn parts(sizes: &Sizes, budget: Duration, step: &mut dyn FnMut(&str)) -> Vec<Part> {
    let share = |part| budget.mul_f64(part);
    step("limits of this core");
    let limits = [peaks(share(0.03)), loads(&sizes.arrays, share(0.05))];
    step("rungs of the product");
    let mut parts = vec![Part::Table(rungs(sizes.table, share(0.15)))];
    step("orders of loops");
    parts.push(Part::Table(orders(sizes.orders, share(0.1))));
    step("sizes of blocks");
    parts.push(Part::Curves(blocks(&sizes.blocks, share(0.15))));
    step("products by size");
    let tables = sizes::tables(&sizes.curve, share(0.3));
    parts.push(Part::Curves(sizes::curves(&tables)));
    step("operands in memory");
    parts.push(Part::Curves(sizes::cold(&sizes.cold, sizes.pool, share(0.12))));
    step("products of f64");
    parts.push(Part::Curves(sizes::double(&sizes.double, share(0.1))));
    parts.push(Part::Curves(sizes::roofline(&tables, &limits)));
    parts.extend(limits.map(Part::Table));
    parts
}

const FLOPS: (Scale, &str) = (Scale::PerCycle, "flops a cycle");

/// The flops of a product, of which the first rows are computed.
fn flops(n: usize, rows: usize) -> f64 {
    2.0 * (rows * n * n) as f64
}

/// Multiply-adds in registers under an instruction set.
fn peak_rung(isa: Isa) -> Rung {
    const STEPS: u64 = 2000;
    let flops = peak::multiply_adds(isa, STEPS);
    let call = move || {
        peak::multiply_adds(isa, STEPS);
    };
    let verify = move || peak::multiply_adds(isa, 1) * STEPS as f64 == flops;
    Rung::new("multiply-adds in registers", Origin::Step, flops, call, verify).under(isa)
}

fn peaks(budget: Duration) -> Table {
    let mut table = measure(
        "peak",
        "Multiply-adds of f32 in registers",
        FLOPS,
        Compared::Value,
        levels().map(peak_rung).collect(),
        budget,
    );
    table.notes.push("SSE2 has no fused multiply-add: a product and a sum.".to_owned());
    table
}

/// Floats that a call loads at most.
const PIECE: usize = 1 << 18;

fn loads(arrays: &[(&'static str, usize)], budget: Duration) -> Table {
    let mut rungs = Vec::new();
    for &(level, n) in arrays {
        let x: std::rc::Rc<[f32]> = (0..n).map(|i| i as f32).collect();
        for isa in levels() {
            let (same, last) = (x.clone(), x[n - 1]);
            let x = x.clone();
            // Pieces in turn: short calls are interrupted less.
            let (piece, mut turn) = (n.min(PIECE), 0);
            let call = move || {
                peak::loads(isa, std::hint::black_box(&x[turn..turn + piece]));
                turn = if turn + 2 * piece <= n { turn + piece } else { 0 };
            };
            let verify = move || peak::loads(isa, &same) == last;
            rungs.push(Rung::new(level, Origin::Step, 4.0 * piece as f64, call, verify).under(isa));
        }
    }
    let title = "Loads of vectors from arrays";
    let mut table = measure("loads", title, (Scale::PerCycle, "bytes a cycle"), Compared::Value, rungs, budget);
    let sizes = arrays.iter().map(|(level, n)| format!("{level} {} KiB", n >> 8)).collect::<Vec<_>>();
    table.notes.push(format!("Sizes of the arrays: {}.", sizes.join(", ")));
    table
}

fn rungs(n: usize, budget: Duration) -> Table {
    let operands = Operands::new(n);
    let mut rungs = Vec::new();
    for kind in [
        Program::Ijk,
        Program::Unrolled,
        Program::Accumulators,
        Program::Ikj,
        Program::Blocked,
        Program::BlockedOuter,
        Program::Packed,
    ] {
        rungs.extend(Build::usable().map(|build| program(&operands, kind, build, rows(kind, n), BLOCK)));
    }
    rungs.extend(levels().map(|isa| ours(&operands, isa)));
    rungs.extend(levels().map(peak_rung));
    let title = format!("Product of {n} x {n} matrices of f32");
    let mut table = measure("rungs", title, FLOPS, Compared::Value, rungs, budget);
    table.notes.push(compiled());
    table.notes.push(first_rows());
    table.notes.push(format!("Blocks are cubes of {BLOCK}; packed tiles of 4 x 8 are in registers."));
    table
}

fn orders(n: usize, budget: Duration) -> Table {
    use Program::{Ijk, Ikj, Jik, Jki, Kij, Kji};
    let operands = Operands::new(n);
    let kinds = [Ijk, Jik, Ikj, Kij, Jki, Kji];
    let rungs = kinds.into_iter().flat_map(|kind| Build::usable().map(move |build| (kind, build)));
    let rungs = rungs.map(|(kind, build)| program(&operands, kind, build, rows(kind, n), BLOCK)).collect();
    let title = format!("Orders of the three loops, outermost first, {n} x {n} matrices of f32");
    let mut table = measure("orders", title, FLOPS, Compared::Value, rungs, budget);
    table.notes.push(compiled());
    table.notes.push(
        "C[i][j] += A[i][k] B[k][j]: with j innermost the strides are 1, with k innermost that of B is a row, with i \
         innermost those of A and C are."
            .to_owned(),
    );
    table
}

fn blocks((n, blocks): &(usize, Vec<usize>), budget: Duration) -> Curves {
    let operands = Operands::new(*n);
    let each = budget.div_f64(blocks.len() as f64);
    let table = |block: usize| {
        let rungs = [Program::Blocked, Program::BlockedOuter]
            .into_iter()
            .flat_map(|kind| Build::usable().map(move |build| (kind, build)))
            .map(|(kind, build)| program(&operands, kind, build, block.min(*n).min(BLOCK_ROWS), block));
        measure("blocks", String::new(), FLOPS, Compared::Value, rungs.collect(), each)
    };
    let tables: Vec<(f64, Table)> = blocks.iter().map(|&block| (block as f64, table(block))).collect();
    Curves {
        name: "blocks",
        title: format!("Size of blocks, {n} x {n} matrices of f32"),
        axes: ["edge of the cubes", "flops a cycle"],
        logarithmic: [true, true],
        lines: curve(&tables),
        notes: vec![compiled(), format!("The first rows are computed, {BLOCK_ROWS} at most.")],
    }
}

#[cfg(test)]
mod tests {
    use super::rungs::PROGRAMS;
    use super::*;
    use crate::sources::programs::unverified;

    #[test]
    fn every_rung_has_the_product_of_the_reference() {
        let sizes = Sizes {
            table: 37,
            orders: 13,
            blocks: (21, vec![8, 16, 32]),
            curve: vec![1, 7, 34, 65],
            cold: vec![5, 12],
            pool: 4096,
            double: vec![9],
            arrays: vec![("first cache", 256), ("memory", 512)],
        };
        let parts = parts(&sizes, Duration::ZERO, &mut |_| ());
        assert_eq!(parts.len(), 9);
        assert_eq!(unverified(&parts), Vec::<String>::new());
    }

    #[test]
    fn programs_have_the_numbers_of_the_c_file() {
        assert!(PROGRAMS.iter().enumerate().all(|(number, (kind, _))| *kind as usize == number));
    }
}
