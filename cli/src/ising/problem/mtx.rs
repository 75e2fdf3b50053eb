//! Files of Matrix Market: a QUBO by its matrix, or a graph.

use std::collections::HashMap;

use super::Problem;
use super::lines::{Entries, count, data, site, size};
use super::spins::{binary, graph};
use crate::coo::real;

/// The first word of a file, in small letters.
pub const BANNER: &str = "%%matrixmarket";

/// A square matrix. If it is symmetric, its entries are those of one triangle.
struct Matrix {
    sites: u32,
    is_symmetric: bool,
    entries: Entries,
}

/// The error names the line.
pub fn parse(text: &str, is_maxcut: bool) -> Result<Problem, String> {
    let Matrix { sites, is_symmetric, entries } = read(text, is_maxcut)?;
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

fn read(text: &str, is_maxcut: bool) -> Result<Matrix, String> {
    let banner = text.lines().next().unwrap_or_default().to_lowercase();
    let words: Vec<_> = banner.split_whitespace().collect();
    let [BANNER, "matrix", layout, values, symmetry] = words[..] else {
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
    Ok(Matrix { sites, is_symmetric, entries })
}
