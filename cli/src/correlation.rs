//! `hotloops correlation`: pair correlations of a file of points.

mod arguments;
mod bins;
mod count;
mod counted;
mod film;
mod fit;
mod frames;
mod jackknife;
mod mask;
mod names;
mod numbers;
mod orientations;
mod outputs;
mod points;
mod records;
mod report;
mod totals;
mod voronoi;

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use rayon::ThreadPool;

use crate::cluster::Cluster;
use crate::cluster::units::Order;
use crate::cluster::wire::{decoded, encoded};
use crate::failure::Failure;
use crate::job::progress;
use crate::job::threads;
use crate::memory;
pub use arguments::Arguments;
use bins::{check_box, default_bins};
use count::Team;
use counted::{Context, Counted, count_frame};
use film::Film;
use frames::Frames;
use jackknife::Units;
use mask::Mask;
use outputs::Outputs;
use points::Table;
use totals::Totals;

/// Minimum number of small frames per thread at which each thread reads and counts frames of its own. With fewer,
/// all threads count parts of the same frame.
const ROUNDS: usize = 4;

pub fn run(a: &Arguments, cluster: &Cluster) -> Result<(), Failure> {
    cluster.check_input("POINTS", &a.points)?;
    check_box(a)?;
    let pool = cluster.pool(a.threads)?;
    let mask = a.mask.as_deref().map(Mask::read).transpose().map_err(Failure::Input)?;
    let outputs = Outputs::create(a, cluster)?;
    let reading = a.reading()?;
    let open = || Film::open(cluster, &a.points, reading);
    let mut film = memory::needed_for(&"the points", open)?;
    let bins = match &a.bins {
        Some(bins) => bins.clone(),
        None => default_bins(a, cluster, &mut film, mask.as_ref())?,
    };
    let begin = Instant::now();
    // One bar: over frames, or else over the parts of the only one.
    let bar = (film.len() > 1).then(|| progress::bar(film.len() as u64).with_message("frames"));
    let units = if a.fit.is_some() || a.covariance.is_some() { Units::of(film.len()) } else { Units::None };
    let context = Context { a, is_film: reading.frames == Frames::All, mask: mask.as_ref(), bins: &bins, units };
    let mut totals = Totals::new(context, film.len(), &outputs)?;
    let all = Team { cluster, pool: &pool, quiet: bar.is_some(), teams: 1 };
    count_film(context, all, film, |index, counted| {
        totals.add(index, counted)?;
        if let Some(bar) = &bar {
            bar.inc(1);
        }
        Ok(())
    })?;
    if let Some(bar) = &bar {
        bar.finish_and_clear();
    }
    if !cluster.leads() {
        return Ok(());
    }
    totals.check()?;
    totals.write(outputs, begin.elapsed().as_secs_f64())
}

/// Counts the pairs of each frame. On rank 0, `add` receives the results in ascending order.
fn count_film(
    context: Context,
    all: Team,
    mut film: Film,
    mut add: impl FnMut(usize, Counted) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let Team { cluster, pool, .. } = all;
    let count = |team: Team, index: usize, table: Table| count_frame(context, team, table, index == 0);
    if film.len() >= cluster.ranks() {
        let (frames, threads) = (film.len() as u64, pool.current_num_threads());
        let apart = film.len() >= ROUNDS * threads * cluster.ranks() && film.has_small_frames(threads);
        let (alone, film) = (Cluster::of_one(), Mutex::new(film));
        let work = |own: &mut Option<ThreadPool>, frame: u64| {
            let index = frame as usize;
            let mut film = film.lock().unwrap_or_else(PoisonError::into_inner);
            let table = memory::needed_for(&"the points", || film.take(index))?;
            if !apart {
                return Ok(encoded(&count(Team { cluster: &alone, ..all }, index, table)?));
            }
            drop(film);
            let own = match own {
                Some(own) => own,
                None => own.insert(threads::pool(Some(1))?),
            };
            let team = Team { cluster: &alone, pool: own, teams: threads, ..all };
            Ok(encoded(&count(team, index, table)?))
        };
        let take = &mut |frame: u64, result: Vec<u8>| add(frame as usize, decoded(&result));
        let one = threads::pool(Some(1))?;
        let shared_by = if apart { pool } else { &one };
        cluster.share(shared_by, &mut (0..frames), Order::Ascending, || None, work, take)?;
    } else {
        for index in 0..film.len() {
            let table = memory::needed_for(&"the points", || film.take(index))?;
            let counted = count(all, index, table)?;
            if cluster.leads() {
                add(index, counted)?;
            }
        }
    }
    Ok(())
}
