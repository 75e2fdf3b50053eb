//! Problems in the formats of their fields, and the objective that each format counts in.
//!
//! Every format becomes couplings and fields. Results are reported in the problem's own units: the
//! energy, the weight of a cut, or the value of a QUBO.

use std::collections::HashMap;
use std::path::Path;

use hotloops::ising::binary_fields;

use super::lines::{Entries, count, data, site, size, split};
use super::qplib;
use crate::coo::{self, Couplings, Vartype, real};
use crate::failure::{Failure, say};
use crate::{input, memory};

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
    fn of_name(path: &Path) -> Option<Self> {
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
    fn of(path: &Path, text: &str) -> Self {
        if let Some(format) = Format::of_name(path) {
            return format;
        }
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let words: Vec<_> = first.split_whitespace().collect();
        match words[..] {
            _ if first.to_lowercase().starts_with(MTX_BANNER) => Format::Mtx,
            _ if qplib::is_likely(text) => Format::Qplib,
            ["p" | "c", ..] => Format::Qubo,
            [n, m] if [n, m].iter().all(|word| word.parse::<u64>().is_ok()) => Format::Gset,
            _ => Format::Coo,
        }
    }
}

const MTX_BANNER: &str = "%%matrixmarket";

/// The objective that is optimised.
#[derive(Debug, PartialEq)]
pub enum Objective {
    /// The energy, which includes the offset; the minimum is sought.
    Energy { offset: f64 },
    /// The total weight of the edges between spins of opposite sign, in a graph of this total
    /// weight; the maximum is sought.
    Cut { total: f64 },
    /// The sum of `Q_ij x_i x_j` for x = (1 + s) / 2 plus a constant; the minimum is sought. The energy is the
    /// value minus the offset. With `is_max` the values are the negative ones, and the maximum is sought.
    Qubo { diagonal: Vec<f64>, constant: f64, offset: f64, is_max: bool },
}

impl Objective {
    pub fn name(&self) -> &'static str {
        match self {
            Objective::Energy { .. } => "energy",
            Objective::Cut { .. } => "cut",
            Objective::Qubo { .. } => "objective",
        }
    }

    /// The word for the best value.
    pub fn extreme(&self) -> &'static str {
        match self {
            Objective::Cut { .. } | Objective::Qubo { is_max: true, .. } => "highest",
            Objective::Energy { .. } | Objective::Qubo { .. } => "lowest",
        }
    }

    /// The objective is the first number times the energy plus the second.
    pub fn of_energy(&self) -> (f64, f64) {
        match self {
            Objective::Energy { offset } => (1.0, *offset),
            Objective::Cut { total } => (-0.5, total / 2.0),
            Objective::Qubo { offset, is_max: false, .. } => (1.0, *offset),
            Objective::Qubo { offset, is_max: true, .. } => (-1.0, 0.0 - *offset),
        }
    }

    /// The energy of an objective.
    pub fn energy_of(&self, value: f64) -> f64 {
        let (scale, offset) = self.of_energy();
        (value - offset) / scale
    }

    /// The objective of a configuration, summed from the numbers of the file.
    pub fn value(&self, model: &Couplings, spins: &[i8]) -> f64 {
        let pairs = model.couplings.iter().map(|&(i, j, coupling)| (spins[i as usize], spins[j as usize], coupling));
        match self {
            Objective::Energy { offset } => {
                let couplings = pairs.map(|(a, b, coupling)| coupling * f64::from(a * b));
                let fields = model.fields.iter().zip(spins).map(|(field, &spin)| field * f64::from(spin));
                offset - couplings.chain(fields).sum::<f64>()
            }
            Objective::Cut { .. } => {
                0.0 - pairs.filter(|(a, b, _)| a != b).map(|(_, _, coupling)| coupling).sum::<f64>()
            }
            Objective::Qubo { diagonal, constant, is_max, .. } => {
                let pairs: f64 = pairs.filter(|&(a, b, _)| a + b == 2).map(|(_, _, coupling)| -4.0 * coupling).sum();
                let own: f64 = diagonal.iter().zip(spins).filter(|&(_, &spin)| spin > 0).map(|(value, _)| value).sum();
                let value = constant + own + pairs;
                if *is_max { 0.0 - value } else { value }
            }
        }
    }

    /// A spin as the number of the format: 0 or 1 in a QUBO.
    pub fn number(&self, spin: i8) -> i8 {
        match self {
            Objective::Qubo { .. } => (1 + spin) / 2,
            _ => spin,
        }
    }

    pub fn symbol(&self, spin: i8) -> char {
        match (self, spin > 0) {
            (Objective::Qubo { .. }, true) => '1',
            (Objective::Qubo { .. }, false) => '0',
            (_, true) => '+',
            (_, false) => '-',
        }
    }
}

/// A problem as a file states it.
#[derive(Debug, PartialEq)]
pub struct Problem {
    pub model: Couplings,
    pub objective: Objective,
    /// The number of the first spin in the file.
    pub first: usize,
}

impl Problem {
    /// Reads a file. The failure names the file and the wrong line.
    pub fn read(path: &Path, format: Option<Format>, is_maxcut: bool) -> Result<Self, Failure> {
        let wrong = |why: String| Failure::Input(format!("{}: {why}", path.display()));
        let read = || {
            let text = input::text(path)?;
            let found = format.unwrap_or_else(|| Format::of(path, &text));
            let problem = parse(&text, found, is_maxcut)?;
            // The header `n m` alone tells neither a graph from a QUBO nor a maximum from a minimum.
            let is_guess = format.is_none() && found == Format::Gset && !is_maxcut && Format::of_name(path).is_none();
            if is_guess {
                let others = "a QUBO needs --format bqp (maximum) or bqp-min (minimum)";
                say(format_args!(
                    "hotloops: {}: read as a graph for Max-Cut (--format gset); {others}",
                    path.display()
                ));
            }
            Ok(problem)
        };
        memory::needed_for(&"the model", read).map_err(wrong)
    }

    /// Sites and couplings, in the words of the objective.
    pub fn size(&self) -> String {
        let (sites, pairs) = (self.model.fields.len(), self.model.couplings.len());
        match self.objective {
            Objective::Energy { .. } => format!("{sites} spins, {pairs} couplings"),
            Objective::Cut { total } => format!("Max-Cut, {sites} vertices, {pairs} edges of total weight {total}"),
            Objective::Qubo { .. } => format!("QUBO, {sites} variables, {pairs} products"),
        }
    }
}

/// The error names the line.
fn parse(text: &str, format: Format, is_maxcut: bool) -> Result<Problem, String> {
    match format {
        Format::Coo => of_coo(coo::parse(text)?, is_maxcut),
        Format::Gset => gset(text),
        Format::Qubo if is_maxcut => Err("--maxcut: the file is a QUBO, not a graph; leave out --maxcut".to_owned()),
        Format::Qubo => qubo(text),
        Format::Bqp | Format::BqpMin | Format::Qplib if is_maxcut => {
            Err("--maxcut: the file is a QUBO, not a graph; leave out --maxcut".to_owned())
        }
        Format::Qplib => of_qplib(qplib::parse(text)?),
        Format::Bqp => bqp(text, -1.0),
        Format::BqpMin => bqp(text, 1.0),
        Format::Mtx => mtx(text, is_maxcut),
    }
}

fn of_coo(file: coo::File, is_maxcut: bool) -> Result<Problem, String> {
    let offset = file.offset;
    if file.vartype == Some(Vartype::Binary) {
        return match is_maxcut {
            true => Err("--maxcut: the file is a QUBO (vartype=BINARY), not a graph; leave out --maxcut".to_owned()),
            false => binary(file.numbers.fields, &file.numbers.couplings, 0, offset),
        };
    }
    let model = file.spins();
    match (is_maxcut, model.fields.iter().position(|&field| field != 0.0)) {
        (false, _) => Ok(Problem { model, objective: Objective::Energy { offset }, first: 0 }),
        (true, Some(spin)) => {
            Err(format!("--maxcut: spin {spin} has a field, which no cut has; leave out --maxcut, or the line"))
        }
        (true, None) if offset != 0.0 => Err(format!(
            "--maxcut: the file has an offset, {offset}, which no cut has; leave out --maxcut, or the offset"
        )),
        (true, None) => Ok(cut(model, 0)),
    }
}

fn cut(model: Couplings, first: usize) -> Problem {
    let total = 0.0 - model.couplings.iter().map(|(_, _, coupling)| coupling).sum::<f64>();
    Problem { model, objective: Objective::Cut { total }, first }
}

/// A graph from its edges `(i, j, w)`.
fn graph(sites: usize, edges: impl Iterator<Item = (u32, u32, f64)>) -> Problem {
    let couplings = edges.map(|(i, j, weight)| (i, j, -weight)).collect();
    cut(Couplings { couplings, fields: vec![0.0; sites] }, 1)
}

/// The minimum of `sum Q_ij x_i x_j` as that of an energy: x = (1 + s) / 2. `pairs` holds the sum
/// of both elements of a pair, `constant` is added.
fn binary(diagonal: Vec<f64>, pairs: &[(u32, u32, f64)], first: usize, constant: f64) -> Result<Problem, String> {
    let halves: f64 = diagonal.iter().map(|value| value / 2.0).sum();
    let offset = pairs.iter().fold(constant + halves, |sum, (.., value)| sum + value / 4.0);
    let fields = binary_fields(&diagonal, pairs.iter().map(|&(i, j, value)| (i as usize, j as usize, value)));
    let fields: Vec<f64> = fields.map_err(|error| error.to_string())?.into_iter().map(|field| 0.0 - field).collect();
    if let Some(site) = fields.iter().position(|&field| (field as f32).is_infinite()) {
        return Err(format!("the coefficients of variable {} are too large for single precision", site + first));
    }
    let couplings = pairs.iter().map(|&(i, j, value)| (i, j, -value / 4.0)).collect();
    let objective = Objective::Qubo { diagonal, constant, offset, is_max: false };
    Ok(Problem { model: Couplings { couplings, fields }, objective, first })
}

fn gset(text: &str) -> Result<Problem, String> {
    let mut data = data(text, |line| line.starts_with('#'));
    let (header, words) = data.next("the header `vertices edges`")?;
    let at = |why: String| format!("line {header}: {why}");
    let [sites, edges] = words[..] else {
        return Err(at(format!("expected the header `vertices edges`, found {} words", words.len())));
    };
    let (sites, edges) = (size(sites).map_err(at)?, count::<usize>(edges).map_err(at)?);
    let mut entries = Entries::default();
    for index in 0..edges {
        let (line, words) = data.next(&format!("edge {} of {edges}", index + 1))?;
        let at = |why: String| format!("line {line}: {why}");
        let (i, j, weight) = match words[..] {
            [i, j] => (i, j, "1"),
            [i, j, weight] => (i, j, weight),
            _ => return Err(at(format!("expected `i j w`, found {} words", words.len()))),
        };
        let (i, j) = (site(i, 1, sites).map_err(at)?, site(j, 1, sites).map_err(at)?);
        if i == j {
            let remedy = "for a QUBO `i j q`, give --format bqp (maximum) or bqp-min (minimum)";
            return Err(at(format!("connects vertex {} with itself; {remedy}", i + 1)));
        }
        entries.add(line, (i.min(j), i.max(j), real(weight).map_err(at)?), 1)?;
    }
    data.end(edges, header)?;
    Ok(graph(sites as usize, entries.list.into_iter()))
}

fn qubo(text: &str) -> Result<Problem, String> {
    let mut data = data(text, |line| line.starts_with('c'));
    let (header, words) = data.next("the line `p qubo 0 maxNodes nNodes nCouplers`")?;
    let at = |why: String| format!("line {header}: {why}");
    let ["p", "qubo", topology, sites, nodes, pairs] = words[..] else {
        return Err(at("expected `p qubo 0 maxNodes nNodes nCouplers`".to_owned()));
    };
    if !["0", "unconstrained"].contains(&topology) {
        return Err(at(format!("the topology `{topology}` is not supported, only 0 and unconstrained")));
    }
    let sites = size(sites).map_err(at)?;
    let (nodes, pairs) = (count::<usize>(nodes).map_err(at)?, count::<usize>(pairs).map_err(at)?);
    let mut entries = Entries::default();
    for index in 0..nodes.saturating_add(pairs) {
        let what = if index < nodes {
            format!("node {} of {nodes}", index + 1)
        } else {
            format!("coupler {} of {pairs}", index + 1 - nodes)
        };
        let (line, words) = data.next(&what)?;
        let at = |why: String| format!("line {line}: {why}");
        let [i, j, value] = words[..] else {
            return Err(at(format!("expected `i j Q`, found {} words", words.len())));
        };
        let (i, j) = (site(i, 0, sites).map_err(at)?, site(j, 0, sites).map_err(at)?);
        if (i == j) != (index < nodes) {
            return Err(at(format!(
                "expected {what}: line {header} announces {nodes} nodes `i i Q`, then {pairs} couplers `i j Q`"
            )));
        }
        entries.add(line, (i.min(j), i.max(j), real(value).map_err(at)?), 0)?;
    }
    data.end(nodes.saturating_add(pairs), header)?;
    let (diagonal, others) = split(entries.list, sites);
    binary(diagonal, &others, 0, 0.0)
}

/// The sum over all i and j of `q_ij x_i x_j` times `sign`, with `q_ij = q_ji` listed once.
fn bqp(text: &str, sign: f64) -> Result<Problem, String> {
    let mut data = data(text, |line| line.starts_with('#'));
    let (mut header, mut words) = data.next("the header `n m`")?;
    if let [problems] = words[..] {
        let problems = count::<usize>(problems).map_err(|why| format!("line {header}: {why}"))?;
        if problems != 1 {
            return Err(format!("line {header}: the file has {problems} problems; write one of them to a file"));
        }
        (header, words) = data.next("the header `n m`")?;
    }
    let at = |why: String| format!("line {header}: {why}");
    let [sites, entries] = words[..] else {
        return Err(at(format!("expected the header `n m`, found {} words", words.len())));
    };
    let (sites, total) = (size(sites).map_err(at)?, count::<usize>(entries).map_err(at)?);
    let mut entries = Entries::default();
    for index in 0..total {
        let (line, words) = data.next(&format!("entry {} of {total}", index + 1))?;
        let at = |why: String| format!("line {line}: {why}");
        let [i, j, value] = words[..] else {
            return Err(at(format!("expected `i j q`, found {} words", words.len())));
        };
        let (i, j) = (site(i, 1, sites).map_err(at)?, site(j, 1, sites).map_err(at)?);
        entries.add(line, (i.min(j), i.max(j), sign * real(value).map_err(at)?), 1)?;
    }
    data.end(total, header)?;
    let (diagonal, others) = split(entries.list, sites);
    let others: Vec<_> = others.into_iter().map(|(i, j, value)| (i, j, 2.0 * value)).collect();
    reversible(sign < 0.0, diagonal, &others, 0.0)
}

fn of_qplib(mut file: qplib::File) -> Result<Problem, String> {
    if file.is_max {
        file.diagonal.iter_mut().for_each(|value| *value = 0.0 - *value);
        file.products.iter_mut().for_each(|(.., value)| *value = 0.0 - *value);
        file.constant = 0.0 - file.constant;
    }
    reversible(file.is_max, file.diagonal, &file.products, file.constant)
}

/// [`binary`] with variables from 1; if `is_maximum`, of the negative objective.
fn reversible(
    is_maximum: bool,
    diagonal: Vec<f64>,
    pairs: &[(u32, u32, f64)],
    constant: f64,
) -> Result<Problem, String> {
    let mut problem = binary(diagonal, pairs, 1, constant)?;
    if let Objective::Qubo { is_max, .. } = &mut problem.objective {
        *is_max = is_maximum;
    }
    Ok(problem)
}

fn mtx(text: &str, is_maxcut: bool) -> Result<Problem, String> {
    let banner = text.lines().next().unwrap_or_default().to_lowercase();
    let words: Vec<_> = banner.split_whitespace().collect();
    let [MTX_BANNER, "matrix", layout, values, symmetry] = words[..] else {
        return Err("line 1: expected `%%MatrixMarket matrix coordinate real symmetric`".to_owned());
    };
    for (word, supported) in [
        (layout, &["coordinate"][..]),
        (values, &["real", "integer", "pattern"]),
        (symmetry, &["symmetric", "general"]),
    ] {
        if !supported.contains(&word) {
            return Err(format!("line 1: `{word}` is not supported, only {}", supported.join(", ")));
        }
    }
    let is_symmetric = symmetry == "symmetric";
    let mut data = data(text, |line| line.starts_with('%'));
    let (header, words) = data.next("the line `rows columns entries`")?;
    let at = |why: String| format!("line {header}: {why}");
    let [rows, columns, count_word] = words[..] else {
        return Err(at(format!("expected `rows columns entries`, found {} words", words.len())));
    };
    let (sites, columns) = (size(rows).map_err(at)?, size(columns).map_err(at)?);
    if sites != columns {
        return Err(at(format!("the matrix has {sites} rows and {columns} columns; it must be square")));
    }
    let count = count::<usize>(count_word).map_err(at)?;
    let mut entries = Entries::default();
    for index in 0..count {
        let (line, words) = data.next(&format!("entry {} of {count}", index + 1))?;
        let at = |why: String| format!("line {line}: {why}");
        let (i, j, value) = match words[..] {
            [i, j] if values == "pattern" => (i, j, "1"),
            [i, j, value] if values != "pattern" => (i, j, value),
            _ => return Err(at(format!("{} words are not an entry of a {values} matrix", words.len()))),
        };
        let (i, j) = (site(i, 1, sites).map_err(at)?, site(j, 1, sites).map_err(at)?);
        if i == j && is_maxcut {
            return Err(at(format!("--maxcut: connects vertex {} with itself", i + 1)));
        }
        let (i, j) = if is_symmetric { (i.min(j), i.max(j)) } else { (i, j) };
        entries.add(line, (i, j, real(value).map_err(at)?), 1)?;
    }
    data.end(count, header)?;

    let mut diagonal = vec![0.0; sites as usize];
    let mut pairs = Vec::new();
    let mut places: HashMap<(u32, u32), (usize, f64)> = HashMap::new();
    for (i, j, value) in entries.list {
        let pair = (i.min(j), i.max(j));
        if i == j {
            diagonal[i as usize] = value;
        } else if is_symmetric {
            pairs.push((pair.0, pair.1, if is_maxcut { value } else { 2.0 * value }));
        } else if let Some((place, other)) = places.remove(&pair) {
            if is_maxcut && value != other {
                let line = entries.lines[&(i, j)];
                return Err(format!(
                    "line {line}: --maxcut: the edge has weight {value} here and {other} the other way"
                ));
            }
            pairs[place].2 = if is_maxcut { value } else { value + other };
        } else {
            places.insert(pair, (pairs.len(), value));
            pairs.push((pair.0, pair.1, value));
        }
    }
    if !is_maxcut {
        return binary(diagonal, &pairs, 1, 0.0);
    }
    let single = places.keys().min();
    match single {
        Some((i, j)) => {
            Err(format!("--maxcut: the matrix is not symmetric: the edge {} {} has one direction", i + 1, j + 1))
        }
        None => Ok(graph(sites as usize, pairs.into_iter())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(problem: &Problem, bits: u32) -> f64 {
        let spins: Vec<i8> = (0..problem.model.fields.len()).map(|i| if bits >> i & 1 == 1 { 1 } else { -1 }).collect();
        let value = problem.objective.value(&problem.model, &spins);
        let energy = Objective::Energy { offset: 0.0 }.value(&problem.model, &spins);
        let (factor, offset) = problem.objective.of_energy();
        assert!((factor * energy + offset - value).abs() < 1e-12, "{energy}, {value}");
        value
    }

    #[test]
    fn every_format_has_its_objective() {
        let q = [[1.0, -2.0, 0.0], [-2.0, 0.5, 3.0], [0.0, 3.0, -4.0]];
        let qubo = "c Q\np qubo 0 3 3 2\n0 0 1\n1 1 0.5\n2 2 -4\nc pairs\n0 1 -4\n2 1 6\n";
        let symmetric =
            "%%MatrixMarket matrix coordinate real symmetric\n% Q\n3 3 5\n1 1 1\n2 1 -2\n2 2 .5\n3 2 3\n3 3 -4\n";
        let general =
            "%%matrixmarket matrix coordinate real general\n3 3 6\n1 1 1\n2 1 -3\n1 2 -1\n2 2 .5\n3 3 -4\n2 3 6\n";
        for text in [qubo, symmetric, general] {
            let problem = parse(text, Format::of(Path::new("x"), text), false).unwrap();
            for bits in 0..8u32 {
                let x = |i: u32| f64::from(bits >> i & 1);
                let pairs = (0..9).map(|k| (k / 3, k % 3));
                let expected: f64 = pairs.map(|(i, j)| q[i as usize][j as usize] * x(i) * x(j)).sum();
                assert_eq!(value(&problem, bits), expected, "{text}, {bits:b}");
            }
        }
        let edges = [(0, 1, 1.0), (1, 2, -2.0), (0, 3, 0.25)];
        let gset = "4 3\n1 2\n3 2 -2\n1 4 0.25\n";
        let coo = "0 1 -1\n2 1 2\n0 3 -0.25\n";
        let symmetric = "%%MatrixMarket matrix coordinate real symmetric\n4 4 3\n2 1 1\n3 2 -2\n4 1 .25\n";
        let general =
            "%%MatrixMarket matrix coordinate real general\n4 4 6\n2 1 1\n3 2 -2\n4 1 .25\n1 4 .25\n1 2 1\n2 3 -2\n";
        for (text, first) in [(gset, 1), (coo, 0), (symmetric, 1), (general, 1)] {
            let problem = parse(text, Format::of(Path::new("x"), text), true).unwrap();
            assert_eq!(problem.first, first);
            for bits in 0..16u32 {
                let cuts = edges.iter().filter(|(i, j, _)| bits >> i & 1 != bits >> j & 1);
                assert_eq!(value(&problem, bits), cuts.map(|edge| edge.2).sum::<f64>(), "{text}, {bits:b}");
            }
        }
        let pattern = "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n";
        assert_eq!(parse(pattern, Format::Mtx, true).unwrap().objective, Objective::Cut { total: 2.0 });
    }

    #[test]
    fn a_qplib_file_has_its_sense_and_its_constant() {
        for (sense, sign) in [("minimize", 1.0), ("maximize", -1.0)] {
            let text = format!("x\nQBN\n{sense}\n2\n2\n1 1 3\n2 1 -5\n0.5\n1\n2 2\n7\n");
            let problem = parse(&text, Format::Qplib, false).unwrap();
            assert_eq!(problem.first, 1);
            for (bits, expected) in [7.0, 9.0, 9.0, 6.0].into_iter().enumerate() {
                let spins = [0, 1].map(|i| if bits >> i & 1 == 1 { 1 } else { -1 });
                assert_eq!(problem.objective.value(&problem.model, &spins), expected, "{sense} {bits:b}");
                let (factor, offset) = problem.objective.of_energy();
                let energy = Objective::Energy { offset: 0.0 }.value(&problem.model, &spins);
                assert_eq!((factor, factor * energy + offset), (sign, expected));
            }
        }
    }

    /// The first QUBO of the other test, and its headers.
    #[test]
    fn a_coo_file_has_the_sign_and_the_offset_of_its_headers() {
        let lines = "0 0 -1\n0 1 2\n1 1 -1\n";
        let all = |text: &str| {
            let problem = parse(text, Format::Coo, false).unwrap();
            (0..4).map(|bits| value(&problem, bits)).collect::<Vec<_>>()
        };
        // States (0, 0), (1, 0), (0, 1), (1, 1); for spins 0 is -1.
        assert_eq!(all(lines), [-4.0, 2.0, 2.0, 0.0]);
        assert_eq!(all(&format!("# offset=0.5\n{lines}")), [-3.5, 2.5, 2.5, 0.5]);
        assert_eq!(all(&format!("# vartype=SPIN\n{lines}")), [4.0, -2.0, -2.0, 0.0]);
        assert_eq!(all(&format!("# vartype=SPIN offset=3\n{lines}")), [7.0, 1.0, 1.0, 3.0]);
        assert_eq!(all(&format!("# vartype=BINARY\n{lines}")), [0.0, -1.0, -1.0, 0.0]);
        assert_eq!(all(&format!("# vartype=BINARY\n{lines}# offset=3\n")), [3.0, 2.0, 2.0, 3.0]);
        let graph = parse("# vartype=SPIN\n0 1 2\n", Format::Coo, true).unwrap();
        assert_eq!((value(&graph, 0), value(&graph, 1)), (0.0, 2.0));
    }

    /// Files and energies by dimod's own writer.
    #[test]
    fn files_of_dimod_have_its_energies() {
        let text = include_str!("../../../tests/data/dimod.txt");
        let mut count = 0;
        for case in text.split("model\n").skip(1) {
            let (file, energies) = case.split_once("energies ").unwrap();
            let problem = parse(file, Format::of(Path::new("x"), file), false).unwrap();
            let energies: Vec<f64> = energies.split_whitespace().map(|word| word.parse().unwrap()).collect();
            assert_eq!(energies.len(), 1 << problem.model.fields.len(), "{file}");
            for (bits, &energy) in (0..).zip(&energies) {
                assert_eq!(value(&problem, bits), energy, "{file}, {bits:b}");
                count += 1;
            }
        }
        assert_eq!(count, 2 * (4 + 8 + 32));
    }

    /// x'Qx with Q = [[1, -2], [-2, 5]], of which OR-Library seeks the maximum.
    #[test]
    fn a_binary_quadratic_file_counts_both_triangles() {
        for (format, sign) in [(Format::Bqp, 1.0), (Format::BqpMin, 1.0)] {
            for text in ["2 3\n1 1 1\n1 2 -2\n2 2 5\n", "1\n2 3\n1 1 1\n2 1 -2\n2 2 5\n"] {
                let problem = parse(text, format, false).unwrap();
                let values: Vec<_> = (0..4).map(|bits| value(&problem, bits)).collect();
                assert_eq!(values, [0.0, sign, 5.0, 2.0], "{text}");
                let best = if format == Format::Bqp { "highest" } else { "lowest" };
                assert_eq!(problem.objective.extreme(), best);
                // The lowest energy is the best value.
                let (scale, _) = problem.objective.of_energy();
                assert_eq!(scale, if format == Format::Bqp { -1.0 } else { 1.0 });
            }
        }
        let several = parse("10\n2 1\n1 1 1\n", Format::Bqp, false).unwrap_err();
        assert_eq!(several, "line 1: the file has 10 problems; write one of them to a file");
    }

    #[test]
    fn the_extension_goes_before_the_first_line() {
        let gset = "2 1\n1 2 1\n";
        for (name, text, format) in [
            ("G1", gset, Format::Gset),
            ("g.txt.gz", gset, Format::Gset),
            ("g.coo", gset, Format::Coo),
            ("g.QUBO.gz", gset, Format::Qubo),
            ("g.mtx", gset, Format::Mtx),
            ("Q.QPLIB.gz", gset, Format::Qplib),
            ("m", "name\nQBN # type\nmaximize\n", Format::Qplib),
            ("m.rud", "", Format::Gset),
            ("m", "\nc a comment\np qubo 0 1 1 0\n", Format::Qubo),
            ("m", "%%MatrixMarket matrix coordinate real general\n", Format::Mtx),
            ("m", "0 1 1\n", Format::Coo),
            ("m", "0 one\n", Format::Coo),
            ("m", "", Format::Coo),
        ] {
            assert_eq!(Format::of(Path::new(name), text), format, "{name} {text:?}");
        }
    }

    #[test]
    fn names_the_line_and_what_is_wrong_with_it() {
        let banner = "%%MatrixMarket matrix coordinate real";
        let mtx = |kind: &str, rest: &str| (Format::Mtx, format!("{banner} {kind}\n{rest}"));
        let gset = |text: &str| (Format::Gset, text.to_owned());
        let qubo = |text: &str| (Format::Qubo, text.to_owned());
        for ((format, text), message) in [
            (gset(""), "ends after line 0, where the header `vertices edges` is missing"),
            (gset("3\n"), "line 1: expected the header `vertices edges`, found 1 words"),
            (gset("0 0\n"), "line 1: the problem is empty"),
            (gset("1048577 0\n"), "line 1: 1048577 spins are more than 1048576"),
            (gset("3 many\n"), "line 1: `many` is not a number of this kind (0, 1, 2, ..)"),
            (gset("3 2\n1 2 1\n"), "ends after line 2, where edge 2 of 2 is missing"),
            (gset("3 1\n1 2 1\n\n2 3 1\n"), "line 4: follows the 1 entries that line 1 announces"),
            (gset("3 2\n1 2 1\n2 1 1\n"), "line 3: the pair 1 2 is already given on line 2"),
            (gset("3 1\n0 1 1\n"), "line 2: `0` is not a number from 1 to 3"),
            (
                gset("3 1\n2 2 1\n"),
                "line 2: connects vertex 2 with itself; for a QUBO `i j q`, give --format bqp (maximum) or bqp-min (minimum)",
            ),
            (gset("3 1\n1 2 x\n"), "line 2: `x` is not a finite number"),
            (gset("3 1\n1 2 1 1\n"), "line 2: expected `i j w`, found 4 words"),
            (qubo("c\n0 0 1\n"), "line 2: expected `p qubo 0 maxNodes nNodes nCouplers`"),
            (
                qubo("p qubo chimera128 3 1 0\n"),
                "line 1: the topology `chimera128` is not supported, only 0 and unconstrained",
            ),
            (qubo("p qubo 0 3 1 0\n3 3 1\n"), "line 2: `3` is not a number from 0 to 2"),
            (
                qubo("p qubo 0 3 2 0\n0 0 1\n0 1 1\n"),
                "line 3: expected node 2 of 2: line 1 announces 2 nodes `i i Q`, then 0 couplers `i j Q`",
            ),
            (qubo("p qubo 0 3 0 2\n0 1 1\n1 0 1\n"), "line 3: the pair 0 1 is already given on line 2"),
            (qubo("p qubo 0 3 1 1\n0 0 1\n"), "ends after line 2, where coupler 1 of 1 is missing"),
            (qubo("p qubo 0 2 1 1\n0 0 3e38\n0 1 3e38\n"), ""),
            (mtx("skew-symmetric", ""), "line 1: `skew-symmetric` is not supported, only symmetric, general"),
            (mtx("general", "2 3 0\n"), "line 2: the matrix has 2 rows and 3 columns; it must be square"),
            (mtx("general", "% a\n2 2 1\n1 2\n"), "line 4: 2 words are not an entry of a real matrix"),
            (mtx("general", "2 2 1\n1 3 1\n"), "line 3: `3` is not a number from 1 to 2"),
            (mtx("general", "2 2 2\n1 2 1\n1 2 1\n"), "line 4: the pair 1 2 is already given on line 3"),
            (mtx("symmetric", "2 2 2\n1 2 1\n2 1 1\n"), "line 4: the pair 1 2 is already given on line 3"),
            ((Format::Mtx, "3 3 1\n".to_owned()), "line 1: expected `%%MatrixMarket matrix coordinate real symmetric`"),
        ] {
            match message {
                "" => assert!(parse(&text, format, false).is_ok(), "{text:?}"),
                _ => assert_eq!(parse(&text, format, false).unwrap_err(), message, "{text:?}"),
            }
        }
        for ((format, text), message) in [
            (
                (Format::Coo, "0 1 1\n1 1 2\n".to_owned()),
                "--maxcut: spin 1 has a field, which no cut has; leave out --maxcut, or the line",
            ),
            (
                (Format::Coo, "# vartype=BINARY\n0 1 1\n".to_owned()),
                "--maxcut: the file is a QUBO (vartype=BINARY), not a graph; leave out --maxcut",
            ),
            (
                (Format::Coo, "# offset=2\n0 1 1\n".to_owned()),
                "--maxcut: the file has an offset, 2, which no cut has; leave out --maxcut, or the offset",
            ),
            ((Format::Bqp, "1 0\n".to_owned()), "--maxcut: the file is a QUBO, not a graph; leave out --maxcut"),
            ((Format::Qplib, String::new()), "--maxcut: the file is a QUBO, not a graph; leave out --maxcut"),
            (qubo("p qubo 0 1 0 0\n"), "--maxcut: the file is a QUBO, not a graph; leave out --maxcut"),
            (mtx("symmetric", "2 2 1\n2 2 1\n"), "line 3: --maxcut: connects vertex 2 with itself"),
            (mtx("general", "2 2 1\n2 1 1\n"), "--maxcut: the matrix is not symmetric: the edge 1 2 has one direction"),
            (
                mtx("general", "2 2 2\n2 1 1\n1 2 3\n"),
                "line 4: --maxcut: the edge has weight 3 here and 1 the other way",
            ),
        ] {
            assert_eq!(parse(&text, format, true).unwrap_err(), message, "{text:?}");
        }
    }
}
