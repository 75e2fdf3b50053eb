//! Records of `hotloops bench --format csv`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;

use crate::facts::{Cpu, Fact, facts_of};

pub struct Record {
    pub cpu: String,
    /// The words of its instruction sets.
    isas: String,
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
    #[serde(default)]
    isas: String,
}

impl Record {
    pub fn parse(text: &str, of: &str) -> Result<Self, String> {
        let wrong = |error: String| format!("{of}: not what `hotloops bench --format csv` prints: {error}");
        let rows = csv::Reader::from_reader(text.as_bytes()).into_deserialize().collect::<Result<Vec<Row>, _>>();
        let rows = rows.map_err(|error| wrong(error.to_string()))?;
        let first = rows.first().ok_or_else(|| wrong("it has no rows".to_owned()))?;
        let (cpu, isas) = (first.cpu.clone(), first.isas.clone());
        let rows = rows.into_iter().map(|row| (format!("{}/{}_{}", row.kernel, row.isa, row.form), row)).collect();
        Ok(Record { cpu, isas, rows })
    }

    pub fn read(path: &Path) -> Result<Self, String> {
        let name = path.display().to_string();
        Self::parse(&fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?, &name)
    }

    /// Whether a fact holds for the CPU of the record, by its name, as in `AMD EPYC, family 25, model 17`.
    pub fn holds(&self, word: &str) -> bool {
        let number = |field: &str| self.cpu.split(field).nth(1)?.split(',').next()?.parse().ok();
        let vendor = match &self.cpu {
            cpu if cpu.starts_with("AMD") => "AuthenticAMD",
            cpu if cpu.starts_with("Hygon") => "HygonGenuine",
            _ => "",
        };
        let [family, model] = [", family ", ", model "].map(|field| number(field).unwrap_or_default());
        let has_gfni = self.isas.split(' ').any(|word| word == "avx2gfni");
        let set = facts_of(Cpu { vendor: vendor.as_bytes(), family, model, has_gfni });
        Fact::ALL.iter().any(|fact| fact.word() == word && set & fact.bit() != 0)
    }
}
