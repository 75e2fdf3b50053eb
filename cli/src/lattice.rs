//! `hotloops lattice`: samples one large square lattice at some temperatures.

mod arguments;
mod checkpoint;
mod lane;
mod plan;
mod point;
mod report;
mod results;

use std::time::{Duration, Instant};

use crate::cluster::Cluster;
use crate::failure::Failure;
use crate::interrupt;
use crate::job::progress;
use crate::output::{self, NewFile};
pub use arguments::Arguments;
use lane::Lane;
use plan::Plan;
use point::Point;

/// Time after which progress is shown and checkpoints are due.
const ROUND: Duration = Duration::from_millis(100);

pub fn run(a: &Arguments, cluster: &Cluster) -> Result<(), Failure> {
    let mut plan = Plan::new(a)?;
    let out = NewFile::or_standard_output("--out", a.out.as_deref())?;
    let series = a.series.as_deref().map(|path| NewFile::create("--series", path)).transpose()?;
    let spins = a.spins.as_deref().map(|path| NewFile::create("--final", path)).transpose()?;
    if let Some(path) = &a.checkpoint {
        output::check_file("--checkpoint", path)?;
    }
    let file = a.checkpoint.as_deref().map(|path| NewFile::create("--checkpoint", path)).transpose()?;
    let saved = a.checkpoint.as_deref().map(checkpoint::read).transpose()?.flatten();
    if let Some(saved) = &saved {
        saved.extend(&mut plan, a.warm_up.is_some())?;
    }
    let mut points = (0..plan.betas.len()).map(|index| Point::new(&plan, index)).collect::<Result<Vec<_>, _>>()?;
    if let Some(saved) = saved {
        saved.resume(&plan, &mut points)?;
    }
    let queues = a.device.open(cluster)?;
    let mut lanes = Lane::all(queues, a.threads, &points)?;
    file.is_some().then(interrupt::end_by_request).transpose()?;
    let (begin, first) = (Instant::now(), done(&points));
    let seconds = Duration::from_secs(a.checkpoint_seconds.unwrap_or(60).into());
    sample(&plan, &mut lanes, &mut points, file.as_ref(), seconds)?;
    let updates = (done(&points) - first) as f64 * plan.sites() as f64;

    if let Some(file) = series {
        file.write(&report::series(&plan, &points))?;
    }
    if let Some(file) = spins {
        file.write_with(|file| report::spins(file, &plan, &points))?;
    }
    let rows = results::rows(&plan, &points);
    out.write(&report::document(a.format, &plan, &rows, updates, begin.elapsed()))
}

/// Sweeps of all temperatures so far.
fn done(points: &[Point]) -> u64 {
    points.iter().map(|point| point.sweeps()).sum()
}

/// Runs to the end. With a checkpoint, a signal ends the run after the current sweeps.
fn sample(
    plan: &Plan,
    lanes: &mut [Lane],
    points: &mut [Point],
    file: Option<&NewFile>,
    seconds: Duration,
) -> Result<(), Failure> {
    let bar = progress::bar(plan.sweeps.saturating_mul(points.len() as u64));
    let mut written = Instant::now();
    loop {
        let open: Vec<_> = points.iter_mut().filter(|point| !point.is_done(plan)).take(lanes.len()).collect();
        let is_done = open.is_empty();
        if let Some(point) = open.first() {
            bar.set_message(format!("beta {}", point.beta));
        }
        lane::advance(plan, lanes, open, Instant::now() + ROUND)?;
        bar.set_position(done(points));
        let is_stopped = interrupt::is_requested();
        if let Some(file) = file {
            if written.elapsed() >= seconds || is_stopped || is_done {
                file.write(&checkpoint::save(plan, points))?;
                written = Instant::now();
            }
            if is_stopped && !is_done {
                bar.finish_and_clear();
                let (done, all) = (done(points), plan.sweeps * points.len() as u64);
                let path = file.target().display();
                return Err(Failure::Interrupted(format!(
                    "interrupted after {done} of {all} sweeps; the same command continues from {path}"
                )));
            }
        }
        if is_done {
            bar.finish_and_clear();
            return Ok(());
        }
    }
}
