//! `hotloops list`.

use std::path::PathBuf;

use hotloops::isa::{self, Fact, Isa};
use serde::Serialize;

use crate::failure::Failure;
use crate::form::Form;
use crate::output::{self, NewFile};

/// List every kernel and its variants, best first; mark those that this CPU can run and the one
/// that a call runs
///
/// A call runs the first usable variant that is not skipped. A variant is skipped where the fact of
/// the CPU that it names holds, because another one is faster there. The last line has the facts of
/// this CPU and the cap on the instruction set (HOTLOOPS_ISA).
///
/// narrow_256: 256-bit operations run as two halves (Zen 1 and Zen+, and Hygon's).
///
/// narrow_512: 512-bit operations run as two halves (Zen 4).
///
/// gfni: variants of avx2gfni can run; some are faster than those of AVX-512 without GFNI.
///
/// `chosen` marks the variant that a call of the kernel would run, whether or not the library calls
/// it.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  hotloops list --format json")]
pub struct Arguments {
    /// Form of the output. JSON is an array of {"kernel", "isa", "form", "usable", "unless", "skipped", "chosen"}
    #[arg(long, value_enum, default_value_t)]
    format: Form,

    /// Write to FILE [default: standard output, `-`]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Serialize)]
struct Row {
    kernel: String,
    isa: &'static str,
    form: &'static str,
    usable: bool,
    /// The fact that skips it.
    unless: Option<&'static str>,
    skipped: bool,
    chosen: bool,
}

pub fn run(arguments: Arguments) -> Result<(), Failure> {
    let out = NewFile::or_standard_output("--out", arguments.out.as_deref())?;
    let rows: Vec<Row> = hotloops::kernels()
        .flat_map(|kernel| {
            let (family, name) = kernel.name();
            kernel.variants.iter().enumerate().map(move |(index, row)| Row {
                kernel: format!("{family}/{name}"),
                isa: row.isa.word(),
                form: row.form.word(),
                usable: isa::usable(row.isa),
                unless: row.unless.map(Fact::word),
                skipped: row.unless.is_some_and(isa::holds),
                chosen: index == kernel.chosen(),
            })
        })
        .collect();
    if arguments.format == Form::Json {
        return out.write((serde_json::to_string_pretty(&rows).expect("plain data") + "\n").as_bytes());
    }
    let mut table = output::table(&["kernel", "isa", "form", "usable", "skipped", "chosen"]);
    for row in rows {
        let mark = |set, mark: &'static str| if set { mark } else { "" };
        let skipped = mark(row.skipped, row.unless.unwrap_or_default());
        table.add_row([&row.kernel, row.isa, row.form, mark(row.usable, "yes"), skipped, mark(row.chosen, "*")]);
    }
    let facts: Vec<_> = Fact::ALL.iter().filter(|&&fact| isa::holds(fact)).map(|fact| fact.word()).collect();
    let facts = if facts.is_empty() { "none".to_owned() } else { facts.join(" ") };
    let best = Isa::ALL.iter().copied().rfind(|&isa| isa::detected(isa));
    let cap = if best == Some(isa::active()) { "none" } else { isa::active().word() };
    out.write(format!("{table}\nfacts of this CPU: {facts}; cap: {cap}\n").as_bytes())
}
