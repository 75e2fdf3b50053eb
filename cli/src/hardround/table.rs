//! Cases as lines, and back.

use std::fmt::Write;
use std::ops::Range;

use hotloops::isa;

use super::function::Dyadic;
use super::judge::{Class, Judged};
use super::plan::{Plan, Problem};
use super::{dyadic, hash};

/// The cases of some units of a search.
pub struct Table {
    pub plan: Plan,
    pub units: Range<u64>,
    /// Numbers of arguments, ascending.
    pub cases: Vec<u64>,
    /// Those whose results are breakpoints.
    pub exact: Vec<u64>,
}

/// What a case's line says: the argument, the result rounded to nearest, identical bits after the rounding bit, the breakpoint's kind, whether
/// the result is above it, and by how many ulps.
pub fn line(case: &Judged) -> String {
    let class = match case.class {
        Class::Midpoint => "mid",
        Class::Representable => "rep",
    };
    let (sign, result) = (if case.above { '+' } else { '-' }, Dyadic::of(case.nearest));
    format!("{}\t{result}\t{:.3}\t{class}\t{sign}\t{:+.6e}", case.x, case.bits_after_round, case.distance_ulp)
}

/// The argument that a line begins with.
pub fn argument(line: &str) -> Option<Dyadic> {
    dyadic(line.split_whitespace().next()?)
}

impl Table {
    pub fn new(plan: Plan, units: Range<u64>, found: Vec<u64>) -> Self {
        let (exact, cases) = found.into_iter().partition(|&index| plan.judge(index).exact);
        Table { plan, units, cases, exact }
    }

    fn arguments(&self) -> u64 {
        let range = self.plan.range(&self.units);
        range.end - range.start
    }

    /// How far the number of cases is from that of chance, in its standard deviations.
    pub fn z(&self) -> f64 {
        let expected = self.plan.expected(self.arguments());
        (self.cases.len() as f64 - expected) / expected.sqrt().max(1.0)
    }

    /// The number expected by chance, and how far it is off.
    pub fn chance(&self) -> String {
        format!("{:.1} expected by chance, {:+.2} standard deviations", self.plan.expected(self.arguments()), self.z())
    }

    /// The name of a line of the head that is not the same.
    pub fn differs(&self, other: &Table) -> Option<&'static str> {
        let (ours, theirs) = (self.plan.problem.lines(), other.plan.problem.lines());
        ours.iter().zip(theirs).find(|(ours, theirs)| *ours != theirs).map(|(ours, _)| ours.0)
    }

    pub fn body(&self) -> String {
        self.cases.iter().fold(String::new(), |mut body, &index| {
            let _ = writeln!(body, "{}", line(&self.plan.judge(index)));
            body
        })
    }

    /// The whole file.
    pub fn text(&self) -> String {
        let body = self.body();
        let mut text = format!("# hotloops hardround {}\n", env!("CARGO_PKG_VERSION"));
        let mut put = |name: &str, value: String| {
            let _ = writeln!(text, "# {name}\t{value}");
        };
        self.plan.problem.lines().into_iter().for_each(|(name, value)| put(name, value));
        put("isa", isa::active().word().to_owned());
        put("units", format!("{}..{} of {}", self.units.start, self.units.end, self.plan.units()));
        put("arguments", self.arguments().to_string());
        put("cases", self.cases.len().to_string());
        put("chance", self.chance());
        self.exact.iter().for_each(|&index| put("exact", self.plan.judge(index).x.to_string()));
        put("sha256", hash(&body));
        put("columns", "x, f(x) to nearest, identical bits, breakpoint, side, distance in ulps".to_owned());
        text + &body
    }

    /// Reads what [`Table::text`] wrote.
    pub fn parse(text: &str) -> Result<Self, String> {
        if !text.starts_with("# hotloops hardround ") {
            return Err("is no file of hotloops hardround search".to_owned());
        }
        let (head, lines): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with('#'));
        let values = |name: &str| {
            let value =
                |line: &&str| line.strip_prefix("# ")?.strip_prefix(name)?.strip_prefix('\t').map(str::to_owned);
            head.iter().filter_map(value).collect::<Vec<String>>()
        };
        let value = |name: &str| values(name).into_iter().next();
        let problem = Problem::parse(value)?;
        let plan = Plan::new(&problem).map_err(|failure| failure.text().to_owned())?;
        let units = value("units").and_then(|units| {
            let (range, all) = units.split_once(" of ")?;
            let (start, end) = range.split_once("..")?;
            let [start, end, all] = [start, end, all].map(|number| number.parse::<u64>().ok());
            (all? == plan.units() && start? <= end? && end? <= all?).then(|| start.unwrap()..end.unwrap())
        });
        let units = units.ok_or("its units are not those of the search".to_owned())?;
        let body: String = lines.iter().flat_map(|line| [*line, "\n"]).collect();
        if value("sha256") != Some(hash(&body)) {
            return Err("is damaged: the hash of its lines is another".to_owned());
        }
        let index = |word: &str| {
            argument(word).and_then(|x| plan.index(x)).ok_or(format!("{word}: is no argument of the search"))
        };
        let cases = lines.iter().map(|line| index(line)).collect::<Result<Vec<u64>, String>>()?;
        let exact = values("exact").iter().map(|word| index(word)).collect::<Result<Vec<u64>, String>>()?;
        if value("cases") != Some(cases.len().to_string()) || !cases.is_sorted() {
            return Err("is damaged: its lines are not as many as it says, or not in order".to_owned());
        }
        Ok(Table { plan, units, cases, exact })
    }
}
