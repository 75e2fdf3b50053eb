//! The files that the job writes, on rank 0.

use std::path::PathBuf;

use super::arguments::Arguments;
use super::problem::Problem;
use super::sampler::Sampler;
use super::samples::{self, Form};
use super::{report, rungs};
use crate::cluster::Cluster;
use crate::failure::Failure;
use crate::output::{self, NewFile};
use crate::plot::curves;

/// The output files by their options; `None` on other ranks.
pub struct Outputs {
    spins: Option<NewFile>,
    samples: Option<NewFile>,
    /// Of --series.
    series: Option<NewFile>,
    /// Of --svg.
    picture: Option<NewFile>,
    rungs: Option<NewFile>,
    rungs_picture: Option<NewFile>,
    overlaps: Option<NewFile>,
    correlation: Option<NewFile>,
    pub checkpoint: Option<NewFile>,
}

impl Outputs {
    /// Creates the files, so that unusable paths are reported before the work.
    pub fn create(a: &Arguments, cluster: &Cluster) -> Result<Self, Failure> {
        let create = |option: &str, path: &Option<PathBuf>| {
            let path = path.as_deref().filter(|_| cluster.leads());
            path.map(|path| NewFile::create(option, path)).transpose()
        };
        let spins = create("--spins", &a.spins)?;
        let samples = create("--samples", &a.samples)?;
        let series = create("--series", &a.series)?;
        let picture = create("--svg", &a.svg)?;
        let rungs = create("--rungs", &a.rungs)?;
        let rungs_picture = create("--rungs-svg", &a.rungs_svg)?;
        let overlaps = create("--overlaps", &a.overlaps)?;
        let correlation = create("--correlation", &a.correlation)?;
        if let Some(path) = &a.checkpoint {
            output::check_file("--checkpoint", path)?;
        }
        let checkpoint = create("--checkpoint", &a.checkpoint)?;
        for (option, file) in [
            ("--spins", &spins),
            ("--samples", &samples),
            ("--series", &series),
            ("--svg", &picture),
            ("--rungs", &rungs),
            ("--rungs-svg", &rungs_picture),
            ("--overlaps", &overlaps),
            ("--correlation", &correlation),
            ("--checkpoint", &checkpoint),
        ] {
            if let Some(file) = file {
                file.check_inputs(option, a.inputs())?;
            }
        }
        Ok(Outputs { spins, samples, series, picture, rungs, rungs_picture, overlaps, correlation, checkpoint })
    }

    /// Writes the results; `sample` has written the checkpoint.
    pub fn write(self, sampler: &Sampler, problem: &Problem, title: &str) -> Result<(), Failure> {
        let Outputs { spins, samples, series, picture, rungs, rungs_picture, overlaps, correlation, .. } = self;
        let objective = &problem.objective;
        if let Some(file) = spins {
            file.write(report::spins(&sampler.best_spins(), problem).as_bytes())?;
        }
        if let Some(file) = samples {
            let is_npy = file.target().extension().is_some_and(|extension| extension == "npy");
            let form = if is_npy { Form::Npy } else { Form::Text };
            file.write_with(|file| samples::write(file, form, sampler, problem))?;
        }
        if let Some(file) = series {
            file.write(&report::csv(sampler, objective))?;
        }
        if let Some(file) = picture {
            let name = objective.name();
            let heading = format!("{}{} against sweep", name[..1].to_uppercase(), &name[1..]);
            let curves = report::curves(sampler, objective);
            file.write(curves::svg(&curves, &heading, title, ["sweep", name])?.as_bytes())?;
        }
        let is_wanted = [&rungs, &rungs_picture, &overlaps, &correlation].into_iter().any(|file| file.is_some());
        let ladder = if is_wanted && sampler.has_means() { rungs::ladder(sampler, problem) } else { Vec::new() };
        if let Some(file) = rungs {
            file.write(&rungs::csv(&ladder, sampler.plan.is_quantum(), objective))?;
        }
        if let Some(file) = rungs_picture {
            file.write(rungs::picture(&ladder, objective, title)?.as_bytes())?;
        }
        if let Some(file) = overlaps {
            file.write(&rungs::overlaps(&ladder))?;
        }
        if let Some(file) = correlation {
            file.write(&rungs::correlations(&ladder))?;
        }
        Ok(())
    }
}
