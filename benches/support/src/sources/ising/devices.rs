//! The paper's programs for GPUs, B.1 and B.2, on OpenCL devices.

use std::time::Instant;

use hotloops::ising::Beta;
use hotloops_gpu::ising::paper::{ITEMS, Layers, Models, Program, Reference};
use hotloops_gpu::{Error, Form, Queue};

use super::setup::Setup;
use crate::clock::Samples;
use crate::ladder::{Compared, Origin, Row, Table};

/// The paper's figures: B.2 over B.1 on its GPU, and its A.4 on its CPU over B.2.
const PRINTED: [f64; 2] = [6.78, 2.0];

/// Why ours differ, on CPUs and on other devices.
const WHY: [[&str; 2]; 2] = [
    [
        "a CPU runs the items of a group one after the other, so that an item's own order in memory suits it",
        "the device is a CPU too, but its compiler makes no vectors of items that meet at barriers",
    ],
    [
        "GPUs have caches now, which bear part of the cost of accesses that are not coalesced",
        "the paper's CPU and GPU are of the same time; those here may not be",
    ],
];

/// A program on a device, with all models at once.
pub struct DeviceRung {
    name: String,
    form: Form,
    models: Models,
    betas: Vec<Beta>,
    spins: usize,
    sweeps: usize,
    times: Samples,
    flips: u64,
    attempts: usize,
    is_verified: bool,
}

/// Both programs on each device, compared with their reference.
pub fn rungs(setup: &Setup, devices: &[Queue]) -> Result<Vec<DeviceRung>, Error> {
    if devices.is_empty() {
        return Ok(Vec::new());
    }
    let problem = &*setup.problem;
    let layers = Layers { count: problem.layers, couplings: &problem.couplings, fields: &problem.fields };
    let checked = setup.checked();
    let mut expected = Vec::new();
    for k in checked {
        let mut reference = Reference::new(&layers, setup.start(k), setup.seed_of(k), ITEMS)?;
        reference.sweep(setup.beta(k), setup.check)?;
        expected.push(reference.spins());
    }
    let mut rungs = Vec::new();
    for queue in devices {
        let device = queue.device();
        for program in [Program::B1, Program::B2] {
            let make = |models: &[usize]| -> Result<_, Error> {
                let starts: Vec<_> = models.iter().map(|&k| setup.start(k)).collect();
                let seeds: Vec<_> = models.iter().map(|&k| setup.seed_of(k)).collect();
                let betas: Vec<_> = models.iter().map(|&k| setup.beta(k)).collect();
                Ok((Models::new(Queue::open(device)?, program, &layers, &starts, &seeds)?, betas))
            };
            let (mut few, betas) = make(&checked)?;
            few.sweep(&betas, setup.check)?;
            let is_verified = few.spins()? == expected;
            let (models, betas) = make(&(0..setup.models()).collect::<Vec<_>>())?;
            let of = if devices.len() == 1 { String::new() } else { format!(", device {}", device.number) };
            rungs.push(DeviceRung {
                name: format!("{}{of}", program.name()),
                form: device.form,
                models,
                betas,
                spins: problem.spins(),
                sweeps: 1,
                times: Samples::default(),
                flips: 0,
                attempts: 0,
                is_verified,
            });
        }
    }
    Ok(rungs)
}

impl DeviceRung {
    /// Sweeps all models and records the time. Returns its nanoseconds.
    pub fn turn(&mut self) -> Result<f64, Error> {
        let begin = Instant::now();
        let flips = self.models.sweep(&self.betas, self.sweeps)?;
        let nanoseconds = begin.elapsed().as_nanos() as f64;
        let attempts = self.betas.len() * self.sweeps * self.spins;
        self.flips += flips.iter().sum::<u64>();
        self.attempts += attempts;
        self.times.push(nanoseconds / attempts as f64);
        Ok(nanoseconds)
    }

    /// Forgets the times so far, of turns that include compilation, and sets the sweeps of a turn.
    pub fn restart(&mut self, sweeps: usize) {
        (self.sweeps, self.times) = (sweeps, Samples::default());
    }

    pub fn row(&self) -> Row {
        Row {
            name: self.name.clone(),
            isa: "",
            origin: Origin::Step,
            threads: 1,
            value: self.times.median(),
            spread: self.times.spread(),
            printed: None,
            is_verified: self.is_verified,
        }
    }

    /// The name and flips per attempted update.
    pub fn flip_rate(&self) -> String {
        format!("{} {:.4}", self.name, self.flips as f64 / self.attempts as f64)
    }
}

/// A sentence for each device.
pub fn notes(devices: &[Queue]) -> impl Iterator<Item = String> {
    devices.iter().map(|queue| {
        let device = queue.device();
        let of = if devices.len() == 1 { String::new() } else { format!(", device {}", device.number) };
        format!(
            "B.1 and B.2{of}: OpenCL on {} (driver {}), {} units, all models at once, {ITEMS} items each.",
            device.name, device.driver, device.units
        )
    })
}

/// The paper's comparisons of its programs for GPUs; `rows` are those of the levels. None without a device.
pub fn comparisons(rungs: &[DeviceRung], rows: &[Row], is_papers: bool) -> Option<Table> {
    let best = rows.iter().rfind(|row| row.name == "A.4")?;
    let mut compared = Vec::new();
    for pair in rungs.chunks_exact(2) {
        let [first, second] = [&pair[0], &pair[1]].map(DeviceRung::row);
        let why = WHY[usize::from(pair[0].form != Form::Cpu)];
        for (which, [slow, fast]) in [[&first, &second], [&second, best]].into_iter().enumerate() {
            let ratio = slow.valid().zip(fast.valid()).map(|(slow, fast)| slow / fast);
            compared.push(Row {
                name: format!("{} over {}", fast.label(), slow.label()),
                value: ratio.unwrap_or(f64::NAN),
                spread: if ratio.is_some() { 0.0 } else { f64::NAN },
                printed: is_papers.then_some((PRINTED[which], why[which])),
                is_verified: slow.is_verified && fast.is_verified,
                ..first.clone()
            });
        }
    }
    (!compared.is_empty()).then(|| Table {
        name: "devices",
        title: "The programs for GPUs, and A.4 beside them".to_owned(),
        unit: "times as fast",
        is_rate: true,
        base: 0,
        compared: Compared::Value,
        rows: compared,
        notes: vec!["The source's A.4 on its CPU is twice as fast as B.2 on its GPU.".to_owned()],
    })
}
