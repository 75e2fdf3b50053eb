//! Input and output of the jobs: numbers, files, and failures that name them.

use std::fmt::Display;
use std::io::{self, Write};

use sha2::{Digest, Sha256};

use hotloops_hardround::{Dyadic, Error, MAX_CASES};

use crate::failure::Failure;
use crate::output::NewFile;

/// Searches of the functions that have names.
pub type NamedPlan = hotloops_hardround::SearchPlan<'static>;
pub type Problem = hotloops_hardround::Problem<'static>;

/// Parses a binary64 number in hexadecimal or decimal.
pub fn number(word: &str) -> Result<f64, String> {
    let lower = word.to_ascii_lowercase();
    let parsed = match lower.contains("0x") {
        true => hexf_parse::parse_hexf64(&lower, false).map_err(|error| error.to_string()),
        false => lower.parse().map_err(|_| "is not a number".to_owned()),
    };
    let finite = parsed.and_then(|x| if f64::is_finite(x) { Ok(x) } else { Err("is not finite".to_owned()) });
    finite.map_err(|why| format!("{why}; expected a number such as 0x1.8p+0 or 1.5"))
}

/// Parses an argument of a function. Hexadecimal numbers may have more than 53 bits.
pub fn dyadic(word: &str) -> Option<Dyadic> {
    hexadecimal_number(&word.to_ascii_lowercase()).or_else(|| number(word).ok().map(Dyadic::of))
}

/// The value of a number such as -0x1.8p+0, of at most 100 bits.
fn hexadecimal_number(word: &str) -> Option<Dyadic> {
    let (negative, word) = match word.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, word.strip_prefix('+').unwrap_or(word)),
    };
    let (digits, exponent) = word.strip_prefix("0x")?.split_once('p')?;
    let exponent: i32 = exponent.parse().ok().filter(|e| (-100_000..=100_000).contains(e))?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.len() + fraction.len() == 0 || digits.len() > 1000 {
        return None;
    }
    let fraction = fraction.trim_end_matches('0');
    let mut m = 0_i128;
    for digit in whole.chars().chain(fraction.chars()) {
        m = m << 4 | i128::from(digit.to_digit(16)?);
        if m >= 1 << 100 {
            return None;
        }
    }
    Some(Dyadic { m: if negative { -m } else { m }, e: exponent - 4 * fraction.len() as i32 })
}

/// Names the options of the command.
impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Argument { names: ["within"], why } => Failure::Usage(format!("--within and --bits: {why}")),
            Error::Argument { names, why } => Failure::Usage(format!("--{}: {why}", names.join(" and --"))),
            Error::ExpectedCases { expected, among: [first, last], parts } => {
                let by_parts =
                    parts.map_or(String::new(), |parts| format!(", or search at least {parts} parts with --shard"));
                Failure::Usage(format!(
                    "--bits and --within: about {expected:.1e} cases, most of them from {first} to {last}; \
                     the maximum is {MAX_CASES}: increase --bits, reduce --within or shorten the interval{by_parts}"
                ))
            }
            Error::TooManyCases { among: [first, last] } => Failure::Job(format!(
                "arguments from {first} to {last}: more than {MAX_CASES} cases; increase --bits, or end the interval \
                 before them or begin it after them"
            )),
            Error::Kernel(error) => error.into(),
            error => Failure::Job(error.to_string()),
        }
    }
}

/// Prefixes a failure with the name of its file. Arguments that a file records are input.
pub fn about(name: &dyn Display, failure: Failure) -> Failure {
    match failure.map(|why| format!("{name}: {why}")) {
        Failure::Usage(why) => Failure::Input(why),
        other => other,
    }
}

/// Makes room for `more` values.
pub fn reserve<T>(values: &mut Vec<T>, more: usize) -> Result<(), Failure> {
    Ok(values.try_reserve(more).map_err(|_| hotloops::Error::NoMemory)?)
}

/// Writes to a file, and returns what `content` does.
pub fn write<T>(out: &NewFile, content: impl FnOnce(&mut dyn Write) -> io::Result<T>) -> Result<T, Failure> {
    let mut result = None;
    out.write_with(|to| {
        result = Some(content(to)?);
        Ok(())
    })?;
    Ok(result.expect("written"))
}

pub fn hexadecimal(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
