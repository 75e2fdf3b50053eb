//! `hotloops list`.

use std::path::PathBuf;

use hotloops::isa;
use serde::Serialize;

use crate::failure::Failure;
use crate::form::Form;
use crate::output::{self, NewFile};

/// List every kernel and its variants, best first; mark those that this CPU can run and the one
/// that a call runs
#[derive(clap::Args)]
#[command(after_help = "Example:\n  hotloops list --format json")]
pub struct Arguments {
    /// Form of the output. JSON is an array of {"kernel", "isa", "form", "usable", "chosen"}
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
                chosen: index == kernel.chosen(),
            })
        })
        .collect();
    if arguments.format == Form::Json {
        return out.write((serde_json::to_string_pretty(&rows).expect("plain data") + "\n").as_bytes());
    }
    let mut table = output::table(&["kernel", "isa", "form", "usable", "chosen"]);
    for row in rows {
        let mark = |set, mark: &'static str| if set { mark } else { "" };
        table.add_row([&row.kernel, row.isa, row.form, mark(row.usable, "yes"), mark(row.chosen, "*")]);
    }
    out.write(format!("{table}\n").as_bytes())
}
