//! The text in which spin-glass problems are exchanged: one line per coupling.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::num::IntErrorKind;
use std::path::Path;

use crate::failure::Failure;
use crate::{input, memory};

/// Largest number of spins in a layer.
pub const MAX_SPINS: u32 = 1 << 20;

/// Couplings and fields of a problem, spins counted from 0.
#[derive(Debug, PartialEq)]
pub struct Couplings {
    /// Each pair once, `(i, j, J)`.
    pub couplings: Vec<(u32, u32, f64)>,
    /// One for each spin, 0 where none is given.
    pub fields: Vec<f64>,
}

/// Reads a file. The failure names the option, the file and the wrong line.
pub fn read(option: &str, path: &Path) -> Result<Couplings, Failure> {
    let wrong = |why: String| Failure::Input(format!("{option}{}: {why}", path.display()));
    memory::needed_for(&"the model", || parse(&input::text(path)?)).map_err(wrong)
}

/// Reads lines `i j J` (a coupling) or `i i h` (a field); `#` begins a comment. The error names the
/// line.
pub fn parse(text: &str) -> Result<Couplings, String> {
    let mut couplings = Vec::new();
    let mut fields: Vec<f64> = Vec::new();
    let mut lines: HashMap<(u32, u32), usize> = HashMap::new();
    for (number, line) in (1..).zip(text.lines()) {
        let data = line.split('#').next().unwrap_or_default();
        let words: Vec<&str> = data.split_whitespace().collect();
        let at = |why: String| format!("line {number}: {why}");
        let (i, j, value) = match words[..] {
            [] => continue,
            [i, j, value] => (spin(i).map_err(at)?, spin(j).map_err(at)?, real(value).map_err(at)?),
            _ => return Err(at(format!("expected `i j J` or `i i h`, found {} words", words.len()))),
        };
        match lines.entry((i.min(j), i.max(j))) {
            Entry::Occupied(first) if i == j => {
                return Err(at(format!("the field of spin {i} is already given on line {}", first.get())));
            }
            Entry::Occupied(first) => {
                return Err(at(format!("the coupling of spins {i} and {j} is already given on line {}", first.get())));
            }
            Entry::Vacant(place) => place.insert(number),
        };
        fields.resize(fields.len().max(i.max(j) as usize + 1), 0.0);
        match i == j {
            true => fields[i as usize] = value,
            false => couplings.push((i, j, value)),
        }
    }
    match fields.is_empty() {
        true => Err("contains no coupling and no field; expected lines `i j J` or `i i h`".to_owned()),
        false => Ok(Couplings { couplings, fields }),
    }
}

fn spin(word: &str) -> Result<u32, String> {
    match word.parse::<u32>() {
        Ok(spin) if spin < MAX_SPINS => Ok(spin),
        Err(error) if *error.kind() != IntErrorKind::PosOverflow => {
            Err(format!("`{word}` is not a spin number (0, 1, 2, ..)"))
        }
        _ => Err(format!("spin {word} exceeds the maximum spin number, {}", MAX_SPINS - 1)),
    }
}

/// A finite number within the range of f32.
pub fn real(word: &str) -> Result<f64, String> {
    match word.parse::<f64>() {
        Ok(value) if value.is_finite() && (value as f32).is_infinite() => {
            Err(format!("`{word}` is too large for single precision, in which spins are updated"))
        }
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err(format!("`{word}` is not a finite number")),
    }
}

#[cfg(test)]
mod tests {
    use hotloops_bench_support::workload::Problem;

    use super::*;

    #[test]
    fn reads_couplings_fields_and_comments() {
        let text = "# a triangle\n\n0 1 0.5\n 2\t1  -1e-1 # frustrated\n2 2 0.25\r\n";
        let fields = vec![0.0, 0.0, 0.25];
        assert_eq!(parse(text), Ok(Couplings { couplings: vec![(0, 1, 0.5), (2, 1, -0.1)], fields }));
    }

    #[test]
    fn the_shipped_problem_is_the_built_in_one() {
        let text = include_str!("../../examples/data/chimera_4x3.coo");
        let Problem { couplings, fields, .. } = Problem::paper(1);
        let found = parse(text).unwrap();
        let rounded = found.couplings.into_iter().map(|(i, j, value)| (i, j, value as f32));
        assert!(rounded.eq(couplings) && found.fields.into_iter().map(|field| field as f32).eq(fields));
    }

    #[test]
    fn names_the_line_and_what_is_wrong_with_it() {
        for (text, message) in [
            ("0 1 1\n0 1\n", "line 2: expected `i j J` or `i i h`, found 2 words"),
            ("# x\n0 1 1 1\n", "line 2: expected `i j J` or `i i h`, found 4 words"),
            ("0 -1 1", "line 1: `-1` is not a spin number (0, 1, 2, ..)"),
            ("0 1.0 1", "line 1: `1.0` is not a spin number (0, 1, 2, ..)"),
            ("0 1048576 1", "line 1: spin 1048576 exceeds the maximum spin number, 1048575"),
            ("0 99999999999999999999 1", "line 1: spin 99999999999999999999 exceeds the maximum spin number, 1048575"),
            ("0 1 one", "line 1: `one` is not a finite number"),
            ("0 1 NaN", "line 1: `NaN` is not a finite number"),
            ("0 1 1e309", "line 1: `1e309` is not a finite number"),
            ("0 1 -1e39", "line 1: `-1e39` is too large for single precision, in which spins are updated"),
            ("0 1 1\n\n1 0 2", "line 3: the coupling of spins 1 and 0 is already given on line 1"),
            ("3 3 1\n3 3 1", "line 2: the field of spin 3 is already given on line 1"),
            ("# nothing\n", "contains no coupling and no field; expected lines `i j J` or `i i h`"),
        ] {
            assert_eq!(parse(text), Err(message.to_owned()), "{text:?}");
        }
    }
}
