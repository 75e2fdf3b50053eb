//! Tables of products: a row for each cell, a column for each library.

use std::fmt::Display;
use std::time::Duration;

use crate::arguments::Arguments;
use crate::cells::Cell;
use crate::clock::{Cores, cycles};
use crate::libraries::Libraries;
use crate::operands::{Operands, Scalar};
use crate::peers::{self, Peer};

/// A library's figure for each column, if it supports the cell, and whether the clock was stable.
pub type Shares = (Vec<Option<f64>>, bool);

/// Percentages of `peak`, in flops per cycle.
pub fn shares<T: Scalar>(peers: &[Peer<T>], cell: &Cell, peak: f64, budget: Duration, cores: Cores) -> Shares {
    let memory = Operands::<T>::memory(cell);
    let operands = Operands::new(cell, &memory);
    let (columns, jobs): (Vec<_>, Vec<_>) =
        peers.iter().enumerate().filter_map(|(i, peer)| Some((i, peer.job(&operands)?))).unzip();
    let (cycles, steady) = cycles(&jobs, budget, cores);
    let mut shares = vec![None; peers.len()];
    for (column, cycles) in columns.into_iter().zip(cycles) {
        shares[column] = Some(100.0 * cell.flops() / cycles / peak);
    }
    (shares, steady)
}

/// The column of the largest figure from `first` on.
pub fn strongest(shares: &[Option<f64>], first: usize) -> Option<(usize, f64)> {
    let known = shares.iter().enumerate().skip(first).filter_map(|(i, share)| Some((i, (*share)?)));
    known.max_by(|x, y| x.1.total_cmp(&y.1))
}

pub fn heading<T>(title: &dyn Display, peers: &[Peer<T>]) {
    println!("\n{title}");
    print!("{:22}", "");
    peers.iter().for_each(|peer| print!("  {:>8}", peer.name));
    println!();
}

/// Prints a row: the figures, the strongest of those from `ours` on, and the ratios of `ours` to it.
pub fn row<T>(cell: &Cell, peers: &[Peer<T>], (shares, steady): &Shares, ours: usize) {
    print!("{cell:22}");
    for (peer, share) in peers.iter().zip(shares) {
        let share = share.map_or("-".into(), |share| format!("{share:.1}"));
        print!("  {share:>width$}", width = peer.name.len().max(8));
    }
    if let Some((i, share)) = strongest(shares, ours) {
        print!("   {} {share:.1} ", peers[i].name);
        shares[..ours].iter().flatten().for_each(|ours| print!(" {:.2}", ours / share));
    }
    println!("{}", if *steady { "" } else { "  ~" });
}

/// All cells on one core.
pub fn run<T: Scalar>(arguments: &Arguments, libraries: &Libraries, peak: f64) {
    let table = |title: &str, cells: Vec<Cell>, peers: Vec<Peer<T>>| {
        if !cells.is_empty() {
            heading(&format!("{}, % of {peak:.2} flops per cycle; {title}", T::NAME), &peers);
        }
        for cell in &cells {
            row(cell, &peers, &shares(&peers, cell, peak, arguments.budget(0.5), Cores::One), peers::OURS);
        }
    };
    table(
        "the strongest of the others; hotloops to it, called and planned",
        arguments.cells(),
        peers::all(&libraries.blas, libraries.xsmm.as_ref()),
    );
    table(
        "the upper triangle of A^T A, by syrk; hotloops to the strongest of the others, by syrk and by gemm",
        arguments.symmetric_cells(),
        peers::symmetric(&libraries.blas),
    );
}
