//! Products by size: in caches, from memory, and against the limits of the core.

use std::hint::black_box;
use std::rc::Rc;
use std::time::Duration;

use super::rungs::{Operands, Program, call_program, first_rows, multiply, name, ours, program, rows, sliver};
use super::{BLOCK, FLOPS, flops};
use crate::ladder::{Compared, Curves, Line, Origin, Row, Rung, Table, curve, measure};
use crate::sources::programs::{Build, checked, compiled, levels};

/// The tables of all sizes.
pub fn tables(sizes: &[usize], budget: Duration) -> Vec<(f64, Table)> {
    let each = budget.div_f64(sizes.len() as f64);
    let table = |n: usize| {
        let operands = Operands::new(n);
        let mut rungs = vec![
            program(&operands, Program::Ijk, Build::Plain, rows(Program::Ijk, n), BLOCK),
            program(&operands, Program::Blocked, Build::Plain, rows(Program::Blocked, n), BLOCK),
        ];
        let packed = rows(Program::Packed, n);
        rungs.extend(Build::usable().map(|build| program(&operands, Program::Packed, build, packed, BLOCK)));
        rungs.extend(levels().map(|isa| ours(&operands, isa)));
        measure("sizes", String::new(), FLOPS, Compared::Value, rungs, each)
    };
    sizes.iter().map(|&n| (n as f64, table(n))).collect()
}

/// Flops a cycle against n.
pub fn curves(tables: &[(f64, Table)]) -> Curves {
    let notes = vec![
        compiled(),
        "The article's caches of 48 kB and 1.25 MB hold a matrix of f32 up to n = 109 and 559. Rows a power of 2 apart \
         share few sets of a cache, and each is on a page of its own from n = 1024 on."
            .to_owned(),
        first_rows(),
    ];
    Curves {
        name: "sizes",
        title: "Product of n x n matrices of f32".to_owned(),
        axes: ["n", "flops a cycle"],
        logarithmic: [true, true],
        lines: curve(tables),
        notes,
    }
}

/// Our products of f64.
pub fn double(sizes: &[usize], budget: Duration) -> Curves {
    let each = budget.div_f64(sizes.len() as f64);
    let table = |n: usize| {
        let operands = Operands::<f64>::new(n);
        let rungs = levels().map(|isa| ours(&operands, isa)).collect();
        measure("double", String::new(), FLOPS, Compared::Value, rungs, each)
    };
    let tables: Vec<(f64, Table)> = sizes.iter().map(|&n| (n as f64, table(n))).collect();
    Curves {
        name: "double",
        title: "Product of n x n matrices of f64".to_owned(),
        axes: ["n", "flops a cycle"],
        logarithmic: [true, true],
        lines: curve(&tables),
        notes: Vec::new(),
    }
}

/// A pool of copies of operands and results, used in turn: each call finds its own in memory, not in a cache.
fn from_memory(
    name: String,
    origin: Origin,
    of: &Rc<Pool>,
    mut product: impl FnMut([&[f32]; 2], &mut [f32]) + 'static,
) -> Rung {
    let (pool, product_of_all, mut turn) = (of.clone(), of.product.clone(), 0);
    let size = pool.n * pool.n;
    let work = move |c: &mut [f32]| {
        let operands = &pool.operands[turn * 2 * size..][..2 * size];
        let (a, b) = black_box(operands).split_at(size);
        product([a, b], &mut c[turn * size..][..size]);
        turn = (turn + 1) % pool.count;
    };
    let check = move |c: &[f32]| c[..size] == *product_of_all;
    checked(name, origin, flops(of.n, of.n), vec![0.0; of.count * size], work, check)
}

struct Pool {
    n: usize,
    count: usize,
    /// Each A is followed by its B.
    operands: Vec<f32>,
    product: Rc<[f32]>,
}

/// Products whose operands come from memory; `bytes` of them are used in turn.
pub fn cold(sizes: &[usize], bytes: usize, budget: Duration) -> Curves {
    let each = budget.div_f64(sizes.len() as f64);
    let table = |n: usize| {
        let operands = Operands::new(n);
        let count = (bytes / (12 * n * n)).max(2);
        let one = [&operands.a[..], &operands.b[..]].concat();
        let pool = Rc::new(Pool { n, count, operands: one.repeat(count), product: operands.product.clone() });
        let mut rungs = Vec::new();
        for build in Build::usable() {
            let mut sliver = sliver(n);
            let packed = move |operands: [&[f32]; 2], c: &mut [f32]| {
                call_program(Program::Packed, build, BLOCK, operands, c, &mut sliver);
            };
            rungs.push(from_memory(name(Program::Packed, build), build.origin(), &pool, packed));
        }
        rungs.extend(levels().map(|isa| {
            let product = move |operands: [&[f32]; 2], c: &mut [f32]| multiply(n, operands, c);
            from_memory("hotloops gemm".to_owned(), Origin::Ours, &pool, product).under(isa)
        }));
        measure("cold", String::new(), FLOPS, Compared::Value, rungs, each)
    };
    let tables: Vec<(f64, Table)> = sizes.iter().map(|&n| (n as f64, table(n))).collect();
    Curves {
        name: "cold",
        title: "Product of n x n matrices of f32 that are in memory".to_owned(),
        axes: ["n", "flops a cycle"],
        logarithmic: [true, true],
        lines: curve(&tables),
        notes: vec![compiled(), format!("Operands and results of {} MiB are used in turn.", bytes >> 20)],
    }
}

/// Flops a byte of memory traffic if each element is read or written once: 2 n^3 flops, 3 n^2 floats.
fn intensity(n: f64) -> f64 {
    n / 6.0
}

/// The rates of programs under the limits that peak and loads set.
pub fn roofline(tables: &[(f64, Table)], [peaks, loads]: &[Table; 2]) -> Curves {
    // The best vectors of this CPU.
    let best = |rows: &mut dyn Iterator<Item = &Row>| rows.filter_map(Row::valid).fold(f64::NAN, f64::max);
    let peak = best(&mut peaks.rows.iter());
    let mut lines = Vec::new();
    for (first, row) in loads.rows.iter().enumerate() {
        if loads.rows[..first].iter().any(|other| other.name == row.name) {
            continue;
        }
        let bytes = best(&mut loads.rows.iter().filter(|other| other.name == row.name));
        let points = (-3..9).map(|power| f64::from(power).exp2());
        let points = points.map(|x| (x, peak.min(x * bytes))).filter(|_| peak.is_finite() && bytes.is_finite());
        let name = format!("limit, {}", row.name);
        lines.push(Line { name, origin: Origin::Step, points: points.collect(), is_verified: true });
    }
    let by_intensity =
        |line: Line| Line { points: line.points.into_iter().map(|(n, rate)| (intensity(n), rate)).collect(), ..line };
    lines.extend(curve(tables).into_iter().map(by_intensity));
    Curves {
        name: "roofline",
        title: "Products of f32 under the limits of this core".to_owned(),
        axes: ["flops a byte", "flops a cycle"],
        logarithmic: [true, true],
        lines,
        notes: vec![
            compiled(),
            "Limits are the measured peak and the measured bandwidth of loads. A product of n x n matrices has n / 6 \
             flops for each byte of its matrices."
                .to_owned(),
        ],
    }
}
