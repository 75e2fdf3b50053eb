//! hotloops' matrix products, sums and dot products against the strongest of other libraries: the
//! same work, one core, one interleaved run.
//!
//! ```text
//! apt-get install libopenblas0-pthread libblis4-pthread libxsmm-dev
//! gcc -shared -o /tmp/libxsmm.so -Wl,--whole-archive /usr/lib/libxsmm.a -Wl,--no-whole-archive /usr/lib/libxsmmnoblas.a -lpthread -ldl -lm
//! cargo run --release -- --xsmm /tmp/libxsmm.so
//! ```
//!
//! `cargo run --release -- f32 squares` runs a part; `--help` has the words. `--features avx512`
//! enables the crates' AVX-512 kernels, for CPUs with AVX-512. `--blas LIBRARY` (repeatable) names
//! other libraries with the C interface of BLAS, such as
//! `scipy_openblas32/lib/libscipy_openblas.so` of the package `scipy-openblas32`, a newer OpenBLAS.
//!
//! C = A B, row-major, beta 0. Each row is a cell and each column a library. Figures are
//! percentages of the CPU's peak in flops per cycle, which is measured at the start with
//! independent fused multiply-adds in registers. The clock rate is measured before and after each
//! cell with a chain of dependent additions. If the two differ by more than 1 %, the cell is run
//! again, at most four times, and then marked `~`. Every result is checked first. One-time set-up
//! per shape is not timed: dispatch in libxsmm, plans in nano-gemm and in hotloops' plan column.
//! Times are minima of interleaved rounds.
//!
//! Sums and dot products are in bytes read per cycle.

mod cells;
mod clock;
mod foreign;
mod memory;
mod operands;
mod ours;
mod peers;
mod sums;

use std::time::Duration;

use clap::builder::PossibleValue;
use clap::{Parser, ValueEnum};

use cells::{Cell, Group};
use foreign::{Blas, Xsmm};
use operands::{Operands, Scalar};

/// Times hotloops against other libraries.
#[derive(Parser)]
struct Arguments {
    /// Parts to run: types, groups of cells; without a type both, without a group all
    words: Vec<Word>,
    /// Only cells whose name has this in it, such as `512x512x512 NT`
    #[arg(long)]
    cell: Option<String>,
    /// A library with the C interface of BLAS
    #[arg(long, default_values = ["libopenblas.so.0", "libblis.so.4"])]
    blas: Vec<String>,
    /// libxsmm as a shared library
    #[arg(long, default_value = "libxsmm.so")]
    xsmm: String,
    /// For a cell
    #[arg(long, default_value_t = 0.5)]
    seconds: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    F32,
    F64,
    Sums,
    Cells(Group),
}

impl ValueEnum for Word {
    fn value_variants<'a>() -> &'a [Self] {
        use Word::*;
        &[
            F32,
            F64,
            Cells(Group::Squares),
            Cells(Group::Odd),
            Cells(Group::Transposed),
            Cells(Group::Strides),
            Cells(Group::Thin),
            Cells(Group::Real),
            Sums,
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Word::F32 => Some(PossibleValue::new("f32")),
            Word::F64 => Some(PossibleValue::new("f64")),
            Word::Sums => Some(PossibleValue::new("sums").help("Sums and dot products")),
            Word::Cells(group) => group.to_possible_value(),
        }
    }
}

impl Arguments {
    fn wants(&self, word: Word) -> bool {
        let is_type = |word: &Word| matches!(word, Word::F32 | Word::F64);
        let mut alike = self.words.iter().filter(|other| is_type(other) == is_type(&word)).peekable();
        alike.peek().is_none() || alike.any(|other| *other == word)
    }

    fn wants_cell(&self, cell: &Cell) -> bool {
        self.wants(Word::Cells(cell.group)) && self.cell.as_ref().is_none_or(|part| cell.to_string().contains(part))
    }
}

struct Libraries {
    blas: Vec<Blas>,
    xsmm: Option<Xsmm>,
}

impl Libraries {
    fn load(arguments: &Arguments) -> Self {
        let missing = |name: &str, error: &libloading::Error| eprintln!("without {name}: {error}");
        let blas = arguments.blas.iter().filter_map(|path| Blas::load(path).inspect_err(|e| missing(path, e)).ok());
        let xsmm = Xsmm::load(&arguments.xsmm).inspect_err(|e| missing(&arguments.xsmm, e)).ok();
        Libraries { blas: blas.collect(), xsmm }
    }

    fn print(&self) {
        for library in &self.blas {
            println!("{}: {}", library.name, library.build);
        }
        if let Some(library) = &self.xsmm {
            println!("libxsmm: kernels for {}", library.target);
        }
        for name in ["gemm", "matrixmultiply", "faer", "nano-gemm", "numkong"] {
            println!("{name}: {}", version(name));
        }
        let masks = numkong::available();
        println!("numkong: capabilities {masks:#x}");
    }
}

/// The version of a crate, from the lock file.
fn version(name: &str) -> &'static str {
    let lock = include_str!("../Cargo.lock");
    let entry = format!("name = \"{name}\"\nversion = \"");
    lock.split_once(&entry).and_then(|(_, rest)| rest.split('"').next()).unwrap_or("unknown")
}

fn products<T: Scalar>(arguments: &Arguments, libraries: &Libraries, peak: f64) {
    let cells: Vec<Cell> = cells::all().into_iter().filter(|cell| arguments.wants_cell(cell)).collect();
    if cells.is_empty() {
        return;
    }
    let flops = 2.0 * peak / size_of::<T>() as f64;
    let peers = peers::all::<T>(&libraries.blas, libraries.xsmm.as_ref());
    println!(
        "\n{}, % of {flops:.2} flops per cycle; the strongest of the others; hotloops to it, called and planned",
        T::NAME
    );
    print!("{:22}", "");
    peers.iter().for_each(|peer| print!("  {:>8}", peer.name));
    println!();
    for cell in cells {
        let memory = Operands::<T>::memory(&cell);
        let operands = Operands::new(&cell, &memory);
        let (columns, jobs): (Vec<_>, Vec<_>) =
            peers.iter().enumerate().filter_map(|(i, peer)| Some((i, peer.job(&operands)?))).unzip();
        let (cycles, steady) = clock::cycles(&jobs, Duration::from_secs_f64(arguments.seconds));
        let mut shares = vec![None; peers.len()];
        for (column, cycles) in columns.into_iter().zip(cycles) {
            shares[column] = Some(100.0 * cell.flops() / cycles / flops);
        }
        print!("{cell:22}");
        for (peer, share) in peers.iter().zip(&shares) {
            let share = share.map_or("-".into(), |share| format!("{share:.1}"));
            print!("  {share:>width$}", width = peer.name.len().max(8));
        }
        let strongest =
            (peers::OURS..peers.len()).filter_map(|i| Some((i, shares[i]?))).max_by(|x, y| x.1.total_cmp(&y.1));
        if let Some((i, share)) = strongest {
            print!("   {} {share:.1} ", peers[i].name);
            shares[..peers::OURS].iter().flatten().for_each(|ours| print!(" {:.2}", ours / share));
        }
        println!("{}", if steady { "" } else { "  ~" });
    }
}

fn run<T: Scalar>(arguments: &Arguments, libraries: &Libraries, peak: f64) {
    products::<T>(arguments, libraries, peak);
    if arguments.wants(Word::Sums) && arguments.cell.is_none() {
        sums::run::<T>(&libraries.blas, Duration::from_secs_f64(arguments.seconds));
    }
}

fn main() {
    let arguments = Arguments::parse();
    for name in ["OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"] {
        // SAFETY: the only thread yet.
        unsafe { std::env::set_var(name, "1") };
    }
    let libraries = Libraries::load(&arguments);
    libraries.print();
    let peak = clock::peak();
    println!("peak: {:.2} f32 or {:.2} f64 flops per cycle", peak / 2.0, peak / 4.0);
    if arguments.wants(Word::F32) {
        run::<f32>(&arguments, &libraries, peak);
    }
    if arguments.wants(Word::F64) {
        run::<f64>(&arguments, &libraries, peak);
    }
}
