//! The results as text, as JSON, as CSV, and the files.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Duration;

use serde::Serialize;

use super::arguments::Form;
use super::plan::Plan;
use super::point::Point;
use super::results::Row;
use crate::ising::mean::{Mean, explanations};
use crate::output::{self, npy};

#[derive(Serialize)]
struct Document<'a> {
    rows: usize,
    columns: usize,
    /// J.
    coupling: i64,
    options: BTreeMap<String, String>,
    /// Measurements after the warm-up.
    measurements: u64,
    temperatures: &'a [Row],
}

/// The options, with the lengths of the run.
fn options(plan: &Plan) -> Vec<(String, String)> {
    let lengths = [("sweeps", plan.sweeps), ("warm-up", plan.warm_up)];
    let lengths = lengths.map(|(name, value)| (name.to_owned(), value.to_string()));
    plan.options().into_iter().chain(lengths).collect()
}

pub fn document(form: Form, plan: &Plan, rows: &[Row], updates: f64, time: Duration) -> Vec<u8> {
    match form {
        Form::Text => text(plan, rows, updates, time).into_bytes(),
        Form::Csv => csv(rows),
        Form::Json => {
            let document = Document {
                rows: plan.size.rows,
                columns: plan.size.columns,
                coupling: plan.coupling,
                options: options(plan).into_iter().collect(),
                measurements: plan.steps() - plan.first_counted(),
                temperatures: rows,
            };
            (serde_json::to_string_pretty(&document).expect("plain data") + "\n").into_bytes()
        }
    }
}

fn text(plan: &Plan, rows: &[Row], updates: f64, time: Duration) -> String {
    let options: Vec<_> = options(plan).into_iter().map(|(name, value)| format!("{name} {value}")).collect();
    let mut text = options.join(", ") + "\n";
    if updates > 0.0 {
        let seconds = time.as_secs_f64();
        text += &format!("{updates:.3e} updates in {seconds:.2} s, {:.4} ns each\n", seconds / updates * 1e9);
    }
    let kind = if plan.coupling < 0 { "staggered magnetisation" } else { "magnetisation" };
    text += &format!(
        "\nMeans per spin after sweep {}, in brackets the error of the last digits; m: {kind}\ntau: integrated \
         autocorrelation times of E and of |m|, in sweeps\n",
        plan.warm_up
    );
    let mut table = output::table(&["beta", "acceptance", "E", "tau", "|m|", "tau", "C", "chi", "U_m"]);
    for row in rows {
        let time = |mean: &Mean| mean.autocorrelation.map_or(String::new(), |time| format!("{time:.1}"));
        let [energy, magnetisation, rest @ ..] = row.means();
        let mut cells = vec![row.beta.to_string(), row.acceptance.to_owned(), energy.cell(), time(energy)];
        cells.extend([magnetisation.cell(), time(magnetisation)]);
        cells.extend(rest.map(Mean::cell));
        table.add_row(cells);
    }
    text + &output::lines(table, 0) + &explanations(|| rows.iter().flat_map(Row::means))
}

/// One line per temperature, with an empty field for each error that is missing; the last field has the reasons.
fn csv(rows: &[Row]) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let means = Row::NAMES.into_iter().flat_map(|name| [name.to_owned(), format!("{name}_error")]);
    let fixed = ["autocorrelation", "magnetisation_autocorrelation", "not_converged"].map(str::to_owned);
    let header: Vec<_> = ["beta", "acceptance"].map(str::to_owned).into_iter().chain(means).chain(fixed).collect();
    writer.write_record(header).expect("writing to memory");
    for row in rows {
        let means: Vec<_> =
            row.means().iter().map(|mean| (mean.mean.is_finite().then_some(mean.mean), mean.error)).collect();
        let (energy, magnetisation) = (&row.energy_per_spin, &row.absolute_magnetisation);
        let fixed = (energy.autocorrelation, magnetisation.autocorrelation, doubts(row));
        writer.serialize((row.beta, row.acceptance, means, fixed)).expect("writing to memory");
    }
    writer.into_inner().expect("writing to memory")
}

/// The means without an error, each with the reason in the word of the JSON.
fn doubts(row: &Row) -> String {
    let doubts = Row::NAMES.into_iter().zip(row.means()).filter_map(|(name, mean)| {
        let doubt = serde_json::to_value(mean.not_converged?).expect("plain data");
        Some(format!("{name} {}", doubt.as_str()?))
    });
    doubts.collect::<Vec<_>>().join("; ")
}

/// One line per measurement of each temperature.
pub fn series(plan: &Plan, points: &[Point]) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(["sweep", "beta", "energy", "magnetisation"]).expect("writing to memory");
    let sites = plan.sites() as f64;
    for step in 0..plan.steps() {
        for point in points {
            let [bonds, magnetisation] = point.series[step as usize];
            let [energy, magnetisation] = [-plan.coupling * bonds, magnetisation].map(|sum| sum as f64 / sites);
            let line = (plan.sweeps_after(step + 1), point.beta, energy, magnetisation);
            writer.serialize(line).expect("writing to memory");
        }
    }
    writer.into_inner().expect("writing to memory")
}

/// All spins as an array of numpy: temperatures x rows x columns.
pub fn spins(file: &mut dyn Write, plan: &Plan, points: &[Point]) -> io::Result<()> {
    let shape = format!("({}, {}, {})", points.len(), plan.size.rows, plan.size.columns);
    file.write_all(&npy::header("'|i1'", &shape))?;
    for point in points {
        let mut spins = vec![0i8; plan.sites() as usize];
        point.lattice.spins(&mut spins).map_err(io::Error::other)?;
        for spins in spins.chunks(1 << 16) {
            file.write_all(&spins.iter().map(|&spin| spin as u8).collect::<Vec<_>>())?;
        }
    }
    Ok(())
}
