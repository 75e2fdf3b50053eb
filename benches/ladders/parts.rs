//! Parts of a ladder as plain text.

use hotloops_bench_support::ladder::{Curves, Part, Row, Table};

pub fn print(source: &str, parts: &[Part]) {
    for part in parts {
        match part {
            Part::Table(table) => print_table(source, table),
            Part::Curves(curves) => print_curves(source, curves),
        }
    }
}

/// Columns: the value, its spread, the ratio to the base, the source's figure.
fn print_table(source: &str, table: &Table) {
    println!("{source}/{}: {} ({})", table.name, table.title, table.unit);
    for row in &table.rows {
        assert!(row.is_verified, "{}: {} {}", table.name, row.name, row.isa);
        let Row { name, isa, value, spread, .. } = row;
        let ratio = table.ratio(row).map_or("void".to_owned(), |ratio| format!("{ratio:.2}"));
        let printed = row.printed.map_or(String::new(), |(figure, why)| format!("   source {figure}: {why}"));
        println!("{name:46}{isa:8}{value:10.3}{:7.1} %{ratio:>9}{printed}", 100.0 * spread);
    }
    table.notes.iter().for_each(|note| println!("{note}"));
    println!();
}

fn print_curves(source: &str, curves: &Curves) {
    let [x, y] = curves.axes;
    println!("{source}/{}: {} ({y} by {x})", curves.name, curves.title);
    for line in &curves.lines {
        assert!(line.is_verified, "{}: {}", curves.name, line.name);
        println!("{}", line.name);
        line.points.iter().for_each(|(x, y)| println!("{x:14}{y:10.3}"));
    }
    curves.notes.iter().for_each(|note| println!("{note}"));
    println!();
}
