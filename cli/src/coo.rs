//! The text in which spin-glass problems are exchanged: one line per coupling.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::num::IntErrorKind;
use std::path::Path;

use crate::failure::Failure;
use crate::{input, memory};

/// Largest number of spins in a layer.
pub const MAX_SPINS: u32 = 1 << 27;

/// Couplings and fields of a problem, spins counted from 0.
#[derive(Debug, PartialEq)]
pub struct Couplings {
    /// Each pair once, `(i, j, J)`.
    pub couplings: Vec<(u32, u32, f64)>,
    /// One for each spin, 0 where none is given.
    pub fields: Vec<f64>,
}

/// How the values of a file are meant: dimod's `vartype`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Vartype {
    /// The energy is `sum h s + sum J s s + offset`: J > 0 favours opposite spins.
    Spin,
    /// The energy is `sum Q x x + offset` with x of 0 and 1.
    Binary,
}

/// A file: its numbers as they stand, and its headers.
#[derive(Debug, PartialEq)]
pub struct File {
    /// Without a header the energy is `offset - sum J s s - sum h s`.
    pub vartype: Option<Vartype>,
    pub offset: f64,
    pub numbers: Couplings,
}

impl File {
    /// The couplings in the convention of the command, J > 0 favours equal spins. Not for `Binary`.
    pub fn spins(mut self) -> Couplings {
        if self.vartype == Some(Vartype::Spin) {
            self.numbers.couplings.iter_mut().for_each(|(.., coupling)| *coupling = 0.0 - *coupling);
            self.numbers.fields.iter_mut().for_each(|field| *field = 0.0 - *field);
        }
        self.numbers
    }
}

/// Reads a file of spins. The failure names the option, the file and the wrong line.
pub fn read(option: &str, path: &Path) -> Result<Couplings, Failure> {
    let wrong = |why: String| Failure::Input(format!("{option}{}: {why}", path.display()));
    let read = || match parse(&input::text(path)?)? {
        File { vartype: Some(Vartype::Binary), .. } => {
            Err("vartype=BINARY: the file is a QUBO; convert it to spins".to_owned())
        }
        file => Ok(file.spins()),
    };
    memory::needed_for(&"the model", read).map_err(wrong)
}

/// The headers of a file.
#[derive(Default)]
struct Headers {
    vartype: Option<Vartype>,
    offset: Option<f64>,
}

impl Headers {
    /// Reads a line that begins with `#`. `vartype=` and `offset=` count wherever they stand in it, also with `:`,
    /// as in dimod, in any case and with spaces around them; in a line of their own also without a sign. A comment that
    /// is only `key=value` with another key is refused; other comments are ordinary.
    fn read(&mut self, comment: &str) -> Result<(), String> {
        match comment.split_whitespace().collect::<Vec<_>>()[..] {
            [key, "=", value] if is_key(key) => return self.read(&format!("{key}={value}")),
            [key, value] if is_key(key) && value.starts_with('=') => return self.read(&format!("{key}{value}")),
            [key, value] if is_known(key) && !value.starts_with(':') => return self.read(&format!("{key}={value}")),
            _ => {}
        }
        let mut unknown = None;
        let mut is_prose = false;
        let mut words = comment.split_whitespace().peekable();
        while let Some(word) = words.next() {
            let (key, value, is_given) = match word.split_once(['=', ':']) {
                Some((key, value)) => (key, value, true),
                None => match words.next_if(|next| is_known(word) && next.starts_with(['=', ':'])) {
                    Some(next) => (word, &next[1..], true),
                    None => (word, "", false),
                },
            };
            let mut value = || {
                let value = if is_given && value.is_empty() { words.next().unwrap_or_default() } else { value };
                value.trim_end_matches([',', ';']).to_owned()
            };
            match key.to_ascii_lowercase().as_str() {
                "vartype" if is_given => self.set_vartype(&value())?,
                "offset" if is_given => self.set_offset(&value())?,
                _ if is_key(key) && word[key.len()..].starts_with('=') && !value().starts_with('=') => {
                    unknown = unknown.or(Some(key));
                }
                _ => is_prose = true,
            }
        }
        match unknown.filter(|_| !is_prose) {
            Some(key) => Err(format!(
                "unknown header `{key}=`; known are vartype=SPIN, vartype=BINARY and offset=NUMBER \
                 (a comment needs other words)"
            )),
            None => Ok(()),
        }
    }

    fn set_vartype(&mut self, word: &str) -> Result<(), String> {
        let found = match word {
            "SPIN" => Vartype::Spin,
            "BINARY" => Vartype::Binary,
            _ => return Err(format!("vartype={word}: expected SPIN or BINARY")),
        };
        match self.vartype.replace(found) {
            Some(earlier) if earlier != found => Err(format!("vartype={word}: another vartype is given before")),
            _ => Ok(()),
        }
    }

    fn set_offset(&mut self, word: &str) -> Result<(), String> {
        let found = word.parse().ok().filter(|value: &f64| value.is_finite());
        let found = found.ok_or_else(|| format!("offset={word}: expected a finite number"))?;
        match self.offset.replace(found) {
            Some(_) => Err(format!("offset={word}: an offset is given before")),
            None => Ok(()),
        }
    }
}

fn is_known(key: &str) -> bool {
    ["vartype", "offset"].iter().any(|known| key.eq_ignore_ascii_case(known))
}

fn is_key(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c))
}

/// Reads lines `i j J` (a coupling) or `i i h` (a field); `#` begins a comment or headers ([`Headers`]). The error
/// names the line.
pub fn parse(text: &str) -> Result<File, String> {
    let mut headers = Headers::default();
    let mut couplings = Vec::new();
    let mut fields: Vec<f64> = Vec::new();
    let mut lines: HashMap<(u32, u32), usize> = HashMap::new();
    for (number, line) in (1..).zip(text.lines()) {
        let at = |why: String| format!("line {number}: {why}");
        if let Some(comment) = line.trim_start().strip_prefix('#') {
            headers.read(comment.trim_start_matches('#')).map_err(at)?;
        }
        let data = line.split('#').next().unwrap_or_default();
        let words: Vec<&str> = data.split_whitespace().collect();
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
        false => Ok(File {
            vartype: headers.vartype,
            offset: headers.offset.unwrap_or(0.0),
            numbers: Couplings { couplings, fields },
        }),
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
        let numbers = Couplings { couplings: vec![(0, 1, 0.5), (2, 1, -0.1)], fields };
        assert_eq!(parse(text), Ok(File { vartype: None, offset: 0.0, numbers }));
    }

    #[test]
    fn headers_are_honoured_and_unknown_ones_refused() {
        let with = |header: &str| parse(&format!("{header}\n0 1 1\n")).map(|file| (file.vartype, file.offset));
        for (header, expected) in [
            ("# vartype=SPIN", (Some(Vartype::Spin), 0.0)),
            ("# vartype=BINARY", (Some(Vartype::Binary), 0.0)),
            ("#vartype: BINARY", (Some(Vartype::Binary), 0.0)),
            ("  # a model, vartype=SPIN", (Some(Vartype::Spin), 0.0)),
            ("# vartype=SPIN, offset=-2.5", (Some(Vartype::Spin), -2.5)),
            ("# vartype = SPIN, offset :42", (Some(Vartype::Spin), 42.0)),
            ("# vartype=SPIN\n# vartype=SPIN\n# offset= 1e3", (Some(Vartype::Spin), 1000.0)),
            ("# Vartype = BINARY", (Some(Vartype::Binary), 0.0)),
            ("# VARTYPE : SPIN, Offset=2", (Some(Vartype::Spin), 2.0)),
            ("# vartype BINARY", (Some(Vartype::Binary), 0.0)),
            ("# couplings J = 1 of a ring", (None, 0.0)),
            ("# offset=4", (None, 4.0)),
            ("# a ring with J=1", (None, 0.0)),
            ("# E = - sum J s s", (None, 0.0)),
            ("# ==== ring: ====", (None, 0.0)),
            ("# the vartype and the offset are missing", (None, 0.0)),
        ] {
            assert_eq!(with(header), Ok(expected), "{header}");
        }
        let other = "known are vartype=SPIN, vartype=BINARY and offset=NUMBER (a comment needs other words)";
        for (header, message) in [
            ("# sign=+1", format!("line 1: unknown header `sign=`; {other}")),
            ("# x\n# vartypes=SPIN n=3", format!("line 2: unknown header `vartypes=`; {other}")),
            ("# scale = 2", format!("line 1: unknown header `scale=`; {other}")),
            ("# Scale =2", format!("line 1: unknown header `Scale=`; {other}")),
            ("# vartype=spin", "line 1: vartype=spin: expected SPIN or BINARY".to_owned()),
            ("# vartype=", "line 1: vartype=: expected SPIN or BINARY".to_owned()),
            ("# vartype == SPIN", "line 1: vartype==: expected SPIN or BINARY".to_owned()),
            ("# vartype=INTEGER", "line 1: vartype=INTEGER: expected SPIN or BINARY".to_owned()),
            ("# vartype=SPIN\n# vartype=BINARY", "line 2: vartype=BINARY: another vartype is given before".to_owned()),
            ("# the offset: none", "line 1: offset=none: expected a finite number".to_owned()),
            ("# offset=nan", "line 1: offset=nan: expected a finite number".to_owned()),
            ("# offset=1\n# offset=1", "line 2: offset=1: an offset is given before".to_owned()),
        ] {
            assert_eq!(with(header), Err(message), "{header}");
        }
        // Behind data, a comment is a comment.
        assert_eq!(parse("0 1 1 # vartype=SPIN").unwrap().vartype, None);
    }

    #[test]
    fn the_shipped_problem_is_the_built_in_one() {
        let text = include_str!("../../examples/data/chimera_4x3.coo");
        let Problem { couplings, fields, .. } = Problem::paper(1);
        let found = parse(text).unwrap().spins();
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
            ("0 134217728 1", "line 1: spin 134217728 exceeds the maximum spin number, 134217727"),
            (
                "0 99999999999999999999 1",
                "line 1: spin 99999999999999999999 exceeds the maximum spin number, 134217727",
            ),
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
