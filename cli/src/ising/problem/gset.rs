//! Files of graphs: a line `vertices edges`, then lines `i j w`.

use super::Problem;
use super::lines::{Entries, count, data, site, size};
use super::spins::graph;
use crate::coo::real;

/// The error names the line.
pub fn parse(text: &str) -> Result<Problem, String> {
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
            let remedy = "for a QUBO `i j q`, give --model-format bqp (maximum) or bqp-min (minimum)";
            return Err(at(format!("connects vertex {} with itself; {remedy}", i + 1)));
        }
        entries.add(line, (i.min(j), i.max(j), real(weight).map_err(at)?), 1)?;
    }
    data.end(edges, header)?;
    Ok(graph(sites as usize, entries.list.into_iter()))
}
