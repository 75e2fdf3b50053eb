//! Prints the experiments of a source.

use hotloops_bench_support::ladder::{Curves, Part, Row, Table};

/// Prints all parts, with `void` for a time that other load decided and `wrong` for a rung that fails its check.
pub fn print(source: &str, parts: &[Part]) {
    for part in parts {
        match part {
            Part::Table(table) => print_table(source, table),
            Part::Curves(curves) => print_curves(source, curves),
        }
    }
}

fn print_table(source: &str, table: &Table) {
    println!("{source}/{}: {}, {}", table.name, table.title, table.unit);
    println!("{:58}{:>9}{:>9}{:>9}{:>9}", "", "median", "spread", "ratio", "printed");
    for row in &table.rows {
        let number = |value: Option<f64>| value.map_or("void".to_owned(), |value| format!("{value:.3}"));
        let (value, ratio) = (number(row.valid()), number(table.ratio(row)));
        let printed = row.printed.map_or(String::new(), |(figure, _)| figure.to_string());
        println!("{:58}{value:>9}{:>7.1} %{ratio:>9}{printed:>9}", label(row), 100.0 * row.spread);
    }
    table.notes.iter().for_each(|note| println!("{note}"));
    println!();
}

fn label(row: &Row) -> String {
    let threads = if row.threads > 1 { format!(", {} threads", row.threads) } else { String::new() };
    let isa = if row.isa.is_empty() { String::new() } else { format!(", {}", row.isa) };
    format!("{}{isa}{threads}{}", row.name, if row.is_verified { "" } else { ": wrong" })
}

fn print_curves(source: &str, curves: &Curves) {
    println!("{source}/{}: {}, {} against {}", curves.name, curves.title, curves.axes[1], curves.axes[0]);
    for line in &curves.lines {
        let points: Vec<String> = line.points.iter().map(|(x, y)| format!("{x}: {y:.3e}")).collect();
        println!("{:46}{}{}", line.name, points.join("  "), if line.is_verified { "" } else { "  wrong" });
    }
    curves.notes.iter().for_each(|note| println!("{note}"));
    println!();
}
