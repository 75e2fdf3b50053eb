//! The definition of a search: options of the command, lines of a header.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use hotloops_hardround::{Algorithm, Dyadic, Format, Function, Modes, functions};

use super::io::{Problem, number};
use crate::failure::Failure;
use crate::whole::whole;

/// The options that determine the result.
#[derive(Clone, clap::Args)]
pub struct Definition {
    /// Function to search
    #[arg(long = "func", value_name = "NAME", value_parser = function())]
    function: &'static dyn Function,

    /// Floating-point format of arguments and results. x87 is the 80-bit format; its intervals end at binary64
    /// numbers, and its bound is at most 58 bits
    #[arg(long, value_name = "FORMAT", value_parser = format(), default_value = "binary64")]
    precision: Format,

    /// First argument of the interval, such as 0x1.8p+0 or 1.5 [default, for formats of at most 32
    /// bits: all numbers for which the function is searched]
    #[arg(long, value_name = "X", value_parser = number, allow_hyphen_values = true)]
    from: Option<f64>,

    /// End of the interval (excluded)
    #[arg(long, value_name = "X", value_parser = number, allow_hyphen_values = true)]
    to: Option<f64>,

    /// Search only multiples of this power of 2 instead of all the format's numbers
    #[arg(long, value_name = "2^-M", value_parser = power_of_2, allow_hyphen_values = true)]
    grid: Option<i32>,

    /// Rounding modes whose breakpoints count
    #[arg(long, value_parser = choice(&MODES), default_value = "all")]
    modes: Modes,

    /// Report arguments whose results are closer to a breakpoint than this, in ulps of the result
    #[arg(long, value_name = "ULPS", value_parser = number, allow_hyphen_values = true,
        required_unless_present = "bits", conflicts_with = "bits")]
    within: Option<f64>,

    /// The same bound as a number of identical bits after the rounding bit, from 4 to 58 (from 3 to
    /// 57 unless --modes is all): 2^-(M + 1) ulp
    #[arg(long, value_name = "M", value_parser = whole::<u16>(3..=58), allow_negative_numbers = true)]
    bits: Option<u16>,
}

impl Definition {
    pub fn problem(&self) -> Result<Problem, Failure> {
        let whole = Problem::whole(self.function, self.precision);
        let end = |given: Option<f64>, at: usize, name: &str| {
            given.or(whole.map(|ends| ends[at])).ok_or_else(|| {
                Failure::Usage(format!(
                    "--{name} <X> is required: {} has too many numbers for one search",
                    self.precision
                ))
            })
        };
        let (from, to) = (end(self.from, 0, "from")?, end(self.to, 1, "to")?);
        if let Some(bits) = self.bits
            && let [min, max] = bits_of(self.modes)
            && !(min..=max).contains(&bits)
        {
            let modes = named_by(self.modes);
            return Err(Failure::Usage(format!(
                "--bits {bits}: with --modes {modes}, the number of bits must be from {min} to {max}, such as {max}"
            )));
        }
        Ok(Problem {
            function: self.function,
            format: self.precision,
            from,
            to,
            grid: self.grid,
            modes: self.modes,
            within: self.within.unwrap_or_else(|| (-1.0 - f64::from(self.bits.unwrap_or(0))).exp2()),
        })
    }
}

/// The smallest and the largest number of bits.
fn bits_of(modes: Modes) -> [u16; 2] {
    let [min, max] = Problem::bounds(modes);
    [(-1.0 - max.log2()).ceil() as u16, (-1.0 - min.log2()).floor() as u16]
}

fn power_of_2(word: &str) -> Result<i32, String> {
    let exponent = word.strip_prefix("2^").and_then(|exponent| exponent.parse().ok());
    exponent.filter(|exponent| (-1074..=0).contains(exponent)).ok_or("expected a power of 2 such as 2^-53".to_owned())
}

/// Values with their names and descriptions.
type Choice<T> = [(T, &'static str, &'static str)];

const MODES: [(Modes, &str, &str); 3] = [
    (Modes::All, "all", "To nearest and directed: breakpoints are the format's numbers and the midpoints between them"),
    (Modes::Nearest, "nearest", "To nearest: breakpoints are the midpoints"),
    (Modes::Directed, "directed", "Up, down and towards zero: breakpoints are the format's numbers"),
];

fn named_by(modes: Modes) -> &'static str {
    MODES.iter().find(|(its, ..)| *its == modes).expect("all have names").1
}

const ALGORITHMS: [(Algorithm, &str, &str); 4] = [
    (Algorithm::Dual, "dual", "Test rows of arcs on which the slope is near a fraction; domains elsewhere"),
    (Algorithm::Farey, "farey", "Test domains in groups that share the neighbours of a Farey sequence"),
    (
        Algorithm::ThreePhase,
        "three-phase",
        "Test domains by the regular algorithm, subdivide those that pass, then tabulate differences",
    ),
    (Algorithm::ThreePhaseLefevre, "three-phase-lefevre", "The same with Lefevre's algorithm"),
];

fn named<T: Copy>(choice: &Choice<T>, name: &str) -> Option<T> {
    choice.iter().find(|(_, its, _)| *its == name).map(|&(value, ..)| value)
}

fn choice<T: Copy + Send + Sync>(choice: &'static Choice<T>) -> impl TypedValueParser<Value = T> {
    let values = choice.iter().map(|(_, name, about)| PossibleValue::new(name).help(about));
    PossibleValuesParser::new(values).map(|name| named(choice, &name).expect("a possible value"))
}

pub fn algorithm() -> impl TypedValueParser<Value = Algorithm> {
    choice(&ALGORITHMS)
}

fn function() -> impl TypedValueParser<Value = &'static dyn Function> {
    let names = functions::ALL.iter().map(|function| function.name());
    PossibleValuesParser::new(names).map(|name| functions::by_name(&name).expect("a possible value"))
}

fn format() -> impl TypedValueParser<Value = Format> {
    let names = Format::ALL.iter().map(|(name, _)| *name);
    PossibleValuesParser::new(names).map(|name| Format::by_name(&name).expect("a possible value"))
}

/// Names and values, for headers. The bound is in ulps.
pub fn lines(problem: &Problem) -> Vec<(&'static str, String)> {
    let hexadecimal = |x: f64| Dyadic::of(x).to_string();
    vec![
        ("func", problem.function.name().to_owned()),
        ("format", problem.format.to_string()),
        ("from", hexadecimal(problem.from)),
        ("to", hexadecimal(problem.to)),
        ("grid", problem.grid.map_or("none".to_owned(), |grid| format!("2^{grid}"))),
        ("modes", named_by(problem.modes).to_owned()),
        ("within", hexadecimal(problem.within)),
    ]
}

/// Parses the values that [`lines`] wrote.
pub fn parse(value: impl Fn(&'static str) -> Option<String>) -> Result<Problem, String> {
    let line = |name: &'static str| value(name).ok_or(format!("has no line for {name}"));
    let unknown = |name: &str, word: &str| format!("{name} {word}: unknown value");
    let number = |name: &'static str| number(&line(name)?).map_err(|why| format!("{name}: {why}"));
    let (func, format) = (line("func")?, line("format")?);
    let (modes, grid) = (line("modes")?, line("grid")?);
    Ok(Problem {
        function: functions::by_name(&func).ok_or_else(|| unknown("func", &func))?,
        format: Format::by_name(&format).ok_or_else(|| unknown("format", &format))?,
        from: number("from")?,
        to: number("to")?,
        grid: if grid == "none" { None } else { Some(power_of_2(&grid)?) },
        modes: named(&MODES, &modes).ok_or_else(|| unknown("modes", &modes))?,
        within: number("within")?,
    })
}
