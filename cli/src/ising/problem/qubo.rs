//! Files of qbsolv: a line `p qubo 0 maxNodes nNodes nCouplers`, then lines `i i Q` and `i j Q`.

use super::Problem;
use super::lines::{Entries, count, data, site, size, split};
use super::spins::binary;
use crate::coo::real;

/// The error names the line.
pub fn parse(text: &str) -> Result<Problem, String> {
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
