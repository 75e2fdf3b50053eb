//! `hotloops list`.

use hotloops::isa;
use serde::Serialize;

use crate::failure::Failure;
use crate::output;

/// List every kernel and its variants, best first; mark those that this CPU can run and the one
/// that a call runs
#[derive(clap::Args)]
#[command(after_help = "Example:\n  hotloops list --json")]
pub struct Arguments {
    /// Print an array of {"kernel", "isa", "form", "usable", "chosen"}
    #[arg(long)]
    json: bool,
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
    if arguments.json {
        return output::print(&format!("{}\n", serde_json::to_string_pretty(&rows).expect("plain data")));
    }
    let mut table = output::table(&["kernel", "isa", "form", "usable", "chosen"]);
    for row in rows {
        let mark = |set, mark: &'static str| if set { mark } else { "" };
        table.add_row([&row.kernel, row.isa, row.form, mark(row.usable, "yes"), mark(row.chosen, "*")]);
    }
    output::print(&format!("{table}\n"))
}
