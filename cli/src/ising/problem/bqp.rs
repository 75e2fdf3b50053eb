//! Binary quadratic files of OR-Library and Biq Mac: a line `n m`, then lines `i j q`.

use super::Problem;
use super::lines::{Entries, count, data, site, size, split};
use super::spins::reversible;
use crate::coo::real;

/// The sum over all i and j of `q_ij x_i x_j` times `sign`, with `q_ij = q_ji` listed once. The error names the line.
pub fn parse(text: &str, sign: f64) -> Result<Problem, String> {
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
