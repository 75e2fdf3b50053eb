//! The formats of problem files, told by the name of a file or by its first line.

use std::path::Path;

use super::{mtx, qplib};

#[derive(Clone, Copy, Debug, PartialEq, clap::ValueEnum)]
pub enum Format {
    /// Lines `i j J` and `i i h`, spins from 0
    Coo,
    /// G-set, rudy: a line `vertices edges`, then lines `i j w`, vertices from 1
    Gset,
    /// qbsolv: a line `p qubo 0 maxNodes nNodes nCouplers`, then lines `i i Q` and `i j Q`
    Qubo,
    /// Matrix Market, coordinate: a QUBO, or with --maxcut a graph
    Mtx,
    /// OR-Library, binary quadratic: a line `n m`, then lines `i j q`, variables from 1; the maximum of the sum of
    /// q_ij x_i x_j over all i and j, with q_ij = q_ji listed once
    Bqp,
    /// Biq Mac: as bqp, the minimum
    BqpMin,
    /// QPLIB: unconstrained problems of binary variables (QBN, QBB), minimum or maximum
    Qplib,
}

impl Format {
    /// The format that the name, or its extension (before `.gz`) tells.
    pub fn of_name(path: &Path) -> Option<Self> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        match name.rsplit_once('.').map(|(_, extension)| extension) {
            Some("coo") => Some(Format::Coo),
            Some("gset" | "rud" | "rudy" | "mc") => Some(Format::Gset),
            Some("qubo") => Some(Format::Qubo),
            Some("mtx") => Some(Format::Mtx),
            Some("qplib") => Some(Format::Qplib),
            // The graphs of the G-set are G1, G2, ..
            None if name.strip_prefix('g').is_some_and(|number| number.parse::<u32>().is_ok()) => Some(Format::Gset),
            _ => None,
        }
    }

    /// The format by the name, else by the first line.
    pub fn of(path: &Path, text: &str) -> Self {
        if let Some(format) = Format::of_name(path) {
            return format;
        }
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let words: Vec<_> = first.split_whitespace().collect();
        match words[..] {
            _ if first.to_lowercase().starts_with(mtx::BANNER) => Format::Mtx,
            _ if qplib::is_likely(text) => Format::Qplib,
            ["p" | "c", ..] => Format::Qubo,
            [n, m] if [n, m].iter().all(|word| word.parse::<u64>().is_ok()) => Format::Gset,
            _ => Format::Coo,
        }
    }
}
