//! Records of `hotloops bench --format csv`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;

pub struct Record {
    pub cpu: String,
    /// By `family/kernel/isa_form`.
    pub rows: BTreeMap<String, Row>,
}

/// The columns that are used here.
#[derive(Deserialize)]
pub struct Row {
    pub kernel: String,
    pub isa: String,
    pub form: String,
    pub cycles: f64,
    pub spread: f64,
    cpu: String,
}

impl Record {
    pub fn parse(text: &str, of: &str) -> Result<Self, String> {
        let wrong = |error: String| format!("{of}: not what `hotloops bench --format csv` prints: {error}");
        let rows = csv::Reader::from_reader(text.as_bytes()).into_deserialize().collect::<Result<Vec<Row>, _>>();
        let rows = rows.map_err(|error| wrong(error.to_string()))?;
        let cpu = rows.first().ok_or_else(|| wrong("it has no rows".to_owned()))?.cpu.clone();
        let rows = rows.into_iter().map(|row| (format!("{}/{}_{}", row.kernel, row.isa, row.form), row)).collect();
        Ok(Record { cpu, rows })
    }

    pub fn read(path: &Path) -> Result<Self, String> {
        let name = path.display().to_string();
        Self::parse(&fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?, &name)
    }
}
