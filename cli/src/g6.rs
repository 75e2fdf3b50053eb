//! `hotloops g6`: pair correlations of a file of points.

mod arguments;
mod count;
mod film;
mod fit;
mod frames;
mod jackknife;
mod mask;
mod points;
mod records;
mod report;
mod voronoi;

use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use hotloops::correlation::{Accumulator, Bins};
use rayon::ThreadPool;
use serde::{Deserialize, Serialize};

use crate::cluster::Cluster;
use crate::cluster::units::Order;
use crate::cluster::wire::{decoded, encoded};
use crate::failure::{Failure, say};
use crate::memory;
use crate::output::{NewFile, Scratch, progress};
pub use arguments::Arguments;
use arguments::Oddities;
use count::{Team, count, count_touching};
use film::Film;
use frames::{Frame, Frames};
use jackknife::{Jackknife, Units};
use mask::Mask;
use points::{Table, in_frame};
use report::{Region, Report, Spread, Uniform};

/// Threads read and count different frames if each has at least so many, of a few points, or else parts of the same one.
const ROUNDS: usize = 4;

pub fn run(a: &Arguments, cluster: &Cluster) -> Result<(), Failure> {
    cluster.check_input("POINTS", &a.points)?;
    let last = a.bins.as_ref().map_or(0.0, Bins::r_max);
    if let Some(period) =
        a.given_periods().iter().flatten().copied().reduce(f64::min).filter(|&period| 2.0 * last > period)
    {
        let half = period / 2.0;
        return Err(Failure::Usage(format!(
            "--bins: the last bin ends at {last}, beyond half of --box, {half}; end --bins there, or enlarge --box"
        )));
    }
    let pool = cluster.pool(a.threads)?;
    let mask = a.mask.as_deref().map(Mask::read).transpose().map_err(Failure::Input)?;
    let options = [
        ("--csv", &a.csv),
        ("--svg", &a.svg),
        ("--psi", &a.psi),
        ("--psi-svg", &a.psi_svg),
        ("--covariance", &a.covariance),
    ];
    // Without --csv, the table is on standard output.
    let table = a.csv.as_deref().unwrap_or(Path::new("-"));
    let [csv, svg, psi, psi_svg, covariance] = options.map(|(option, path)| {
        let path = if option == "--csv" { Some(table) } else { path.as_deref() };
        path.filter(|_| cluster.leads()).map(|path| NewFile::create(option, path)).transpose()
    });
    let (csv, svg, psi, psi_svg, covariance) = (csv?, svg?, psi?, psi_svg?, covariance?);
    let written =
        [("--csv", &csv), ("--svg", &svg), ("--psi", &psi), ("--psi-svg", &psi_svg), ("--covariance", &covariance)];
    for (option, file) in written {
        let Some(file) = file else { continue };
        let mask = a.mask.as_deref().map(|path| ("--mask", path));
        file.check_inputs(option, [("POINTS", a.points.as_path())].into_iter().chain(mask))?;
    }

    let reading = a.reading()?;
    let open = || Film::open(cluster, &a.points, reading);
    let mut film = memory::needed_for(&"the points", open)?;
    let bins = match &a.bins {
        Some(bins) => bins.clone(),
        None => default_bins(a, cluster, &mut film, mask.as_ref())?,
    };
    let begin = Instant::now();
    // One bar: over frames, or else over the parts of the only one.
    let bar = (film.len() > 1).then(|| progress(film.len() as u64).with_message("frames"));
    let mut total = vec![Accumulator::new(bins.clone())?; a.fold.len()];
    let mut spread = Spread::new(bins.len(), a.fold.len());
    let (mut uniform, mut points, mut has_types) = (Vec::new(), 0, [a.types.is_none(); 2]);
    let (mut lines, mut particles) = (Scratch::beside(csv.as_ref()), Scratch::beside(psi.as_ref()));
    let mut map = None;
    let film_length = film.len();
    let units = if a.fit.is_some() || a.covariance.is_some() { Units::of(film_length) } else { Units::None };
    let (mut jackknife, mut left_out, mut oddities) = (Jackknife::default(), Vec::new(), [0; 3]);
    let context = Context { a, is_film: reading.frames == Frames::All, mask: mask.as_ref(), bins: &bins, units };
    let count = |team: Team, index: usize, table: Table| count_frame(context, team, table, index == 0);
    let all = Team { cluster, pool: &pool, quiet: bar.is_some(), teams: 1 };
    let mut add = |index: usize, counted: Counted| {
        let own = Uniform::new(counted.possible, counted.region(mask.as_ref()));
        if a.average && a.rdf && own.area() == 0.0 && own.pairs > 0.0 {
            let why = "the points lie on a line parallel to an axis, which has no area; give --box";
            let why = in_frame(counted.frame, why.to_owned());
            return Err(Failure::Input(format!("{}: {why}", a.points.display())));
        }
        let of_bytes = |all: &[Vec<u8>]| -> Result<Vec<Accumulator>, Failure> {
            let mut pairs = vec![Accumulator::new(bins.clone())?; a.fold.len()];
            pairs.iter_mut().zip(all).try_for_each(|(pairs, bytes)| count::add_bytes(pairs, bytes))?;
            Ok(pairs)
        };
        let pairs = of_bytes(&counted.pairs)?;
        match units {
            Units::None => {}
            Units::Groups(groups) => jackknife.add(index * groups / film_length, &pairs)?,
            Units::Parts => {
                for part in &counted.parts {
                    jackknife.push(of_bytes(part)?);
                }
            }
        }
        left_out.extend(counted.left_out.then_some(counted.frame));
        oddities = [0, 1, 2].map(|k| oddities[k] + counted.oddities[k]);
        let frame = a.frames.as_ref().and(counted.frame);
        let (folds, rdf) = (&a.fold[..], a.rdf);
        let report = Report { pairs: &pairs, folds, points: counted.points, uniform: &[own], rdf, frame, spread: None };
        if frame.is_some() {
            lines.add(&report.lines(index == 0)?)?;
        }
        if a.average {
            spread.add(&report);
        }
        for (total, pairs) in total.iter_mut().zip(&pairs) {
            total.merge(pairs)?;
        }
        particles.add(&counted.particles)?;
        map = counted.map;
        uniform.push(own);
        points += counted.points;
        has_types = [0, 1].map(|side| has_types[side] || counted.has_types[side]);
        if let Some(bar) = &bar {
            bar.inc(1);
        }
        Ok(())
    };
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
                None => own.insert(memory::pool(Some(1))?),
            };
            let team = Team { cluster: &alone, pool: own, teams: threads, ..all };
            Ok(encoded(&count(team, index, table)?))
        };
        let take = &mut |frame: u64, result: Vec<u8>| add(frame as usize, decoded(&result));
        let one = memory::pool(Some(1))?;
        let shared_by = if apart { &pool } else { &one };
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
    if let Some(bar) = &bar {
        bar.finish_and_clear();
    }
    if !cluster.leads() {
        return Ok(());
    }
    if mask.is_some() && points == 0 {
        return Err(outside_mask(a));
    }
    if let (Some(types), Some(side)) = (&a.types, has_types.iter().position(|&has| !has)) {
        let why = format!(
            "{}: --types: no point has the type {}; choose types of the column",
            a.points.display(),
            types[side]
        );
        return Err(Failure::Input(why));
    }
    say_oddities(a, &left_out, film_length, oddities)?;
    let seconds = begin.elapsed().as_secs_f64();
    let pairs = total;
    let spread = a.average.then_some(&spread);
    let result = Report { pairs: &pairs, folds: &a.fold, points, uniform: &uniform, rdf: a.rdf, frame: None, spread };
    if a.frames.is_none() {
        lines.add(&result.lines(true)?)?;
    }
    let mut decays = Vec::new();
    let mut covariances = Vec::new();
    for (symmetry, (pairs, &fold)) in pairs.iter().zip(&a.fold).enumerate().filter(|_| units != Units::None) {
        let replicates = jackknife.replicates(pairs, symmetry);
        let decay = a.fit.map(|range| fit::decay(pairs, fold, range, &replicates));
        decays.extend(decay.transpose().map_err(Failure::Usage)?);
        if covariance.is_some() {
            let named = (a.fold.len() > 1).then_some(fold);
            covariances.extend(jackknife::lines(pairs, &replicates, named, symmetry == 0)?);
        }
    }
    if let Some(covariance) = covariance {
        covariance.write(&covariances)?;
    }
    if let Some(psi) = psi {
        particles.finish(&psi)?;
    }
    if let (Some(psi_svg), Some(map)) = (psi_svg, map) {
        psi_svg.write(map.as_bytes())?;
    }
    if let Some(svg) = svg {
        svg.write(result.picture(&a.points)?.as_bytes())?;
    }
    lines.finish(&csv.expect("rank 0 has it"))?;
    for decay in decays {
        say(format_args!("hotloops: {decay}"));
    }
    if io::stderr().is_terminal() {
        let counted: u64 = pairs.iter().flat_map(Accumulator::bins).map(|bin| bin.count).sum();
        let rate = counted as f64 / seconds;
        say(format_args!("{} points, {counted} pairs in {seconds:.2} s, {rate:.2e} pairs/s", points));
    }
    Ok(())
}

/// Says which points have no orientation of their own, and which frames were left out.
fn say_oddities(
    a: &Arguments,
    left_out: &[Option<Frame>],
    frames: usize,
    [twins, alone, unbounded]: [usize; 3],
) -> Result<(), Failure> {
    let file = a.points.display();
    if let (Some(k), Some(Some(first))) = (a.neighbours, left_out.first()) {
        let why = format!("at most {k} points, but --neighbours {k} needs more");
        if left_out.len() == frames {
            return Err(Failure::Input(format!("{file}: every frame has {why}")));
        }
        let count = left_out.len();
        say(format_args!("hotloops: {file}: {count} frames have {why}; they are left empty (the first is {first})"));
    }
    for (count, what) in [
        (twins, "points lie at the place of another; they have its orientation"),
        (alone, "points have no neighbour; their orientation is 0"),
        (unbounded, "points have a cell that is not bounded; their orientation is 0"),
    ] {
        if count > 0 {
            say(format_args!("hotloops: {file}: --voronoi: {count} {what}"));
        }
    }
    Ok(())
}

/// The results of a frame, which ranks send to rank 0.
#[derive(Serialize, Deserialize)]
struct Counted {
    frame: Option<Frame>,
    /// Whether it has too few points for --neighbours.
    left_out: bool,
    /// Points without an orientation of their own.
    oddities: [usize; 3],
    /// Number of points within the mask.
    points: usize,
    /// Whether there are points of the chosen types.
    has_types: [bool; 2],
    /// Lengths of the periodic plane, or else of the bounding rectangle.
    lengths: [f64; 2],
    is_periodic: bool,
    /// Number of pairs at all distances.
    possible: f64,
    /// Counts and sums of each symmetry.
    pairs: Vec<Vec<u8>>,
    /// The same of the pairs that have a point in each part of the plane.
    parts: Vec<Vec<Vec<u8>>>,
    /// Lines of --psi.
    particles: Vec<u8>,
    /// The picture of --psi-svg.
    map: Option<String>,
}

impl Counted {
    fn region<'a>(&self, mask: Option<&'a Mask>) -> Region<'a> {
        match mask {
            Some(mask) => Region::Polygon(mask),
            None if self.is_periodic => Region::Periodic(self.lengths),
            None => Region::Rectangle(self.lengths),
        }
    }
}

/// Properties that all frames share.
#[derive(Clone, Copy)]
struct Context<'a> {
    a: &'a Arguments,
    is_film: bool,
    mask: Option<&'a Mask>,
    bins: &'a Bins,
    units: Units,
}

/// Counts the pairs of a frame. Ranks other than the first of the team return their part of the counts only.
fn count_frame(context: Context, team: Team, mut table: Table, is_first: bool) -> Result<Counted, Failure> {
    let Context { a, is_film, mask, bins, units } = context;
    let left_out = is_film && a.neighbours.is_some_and(|k| table.x.len() <= usize::from(k));
    if left_out {
        table = table.only(|_| false);
    }
    let oddities = if left_out { Oddities::default() } else { a.orient(team, &mut table)? };
    let has_types = [0, 1].map(|side| table.types.iter().any(|types| types[side]));
    let leads = team.cluster.leads();
    let particles = (a.psi.is_some() && leads).then(|| report::lines_of_particles(&table, &a.fold, is_first));
    let map = (a.psi_svg.is_some() && leads).then(|| report::map(&table, a.fold[0], &a.points));
    let (particles, map) = (particles.transpose()?.unwrap_or_default(), map.transpose()?);
    if let Some(mask) = mask {
        table = within(&table, mask);
    }
    let periods = a.periods(&table);
    let (mut pairs, mut possible) = (Vec::new(), 0.0);
    for symmetry in 0..a.fold.len() {
        let (counted, all) = memory::needed_for(&"the pairs", || count(team, &table, symmetry, a, bins))?;
        pairs.push(count::bytes(&counted));
        possible = all;
    }
    let mut parts = Vec::new();
    for inside in (units == Units::Parts).then(|| jackknife::parts(&table, periods)).into_iter().flatten() {
        let team = Team { quiet: true, ..team };
        let touching = |symmetry: usize| count_touching(team, &table, &inside, symmetry, a, bins);
        let all = (0..a.fold.len()).map(|symmetry| Ok(count::bytes(&touching(symmetry)?)));
        parts.push(all.collect::<Result<_, Failure>>()?);
    }
    Ok(Counted {
        frame: table.frame,
        left_out,
        oddities: [oddities.twins, oddities.alone, oddities.unbounded],
        points: table.x.len(),
        has_types,
        lengths: periods.unwrap_or_else(|| report::region_of(table.extent(), table.x.len())),
        is_periodic: periods.is_some(),
        possible,
        pairs,
        parts,
        particles,
        map,
    })
}

/// The points within a mask, which has no periodic plane.
fn within(table: &Table, mask: &Mask) -> Table {
    let mut table = table.only(|i| mask.holds(table.x[i], table.y[i]));
    table.periods = None;
    table
}

fn outside_mask(a: &Arguments) -> Failure {
    Failure::Input(format!("{}: no point lies within --mask", a.points.display()))
}

/// Bins for the frame with the most points, in round numbers. Rank 0 chooses them.
fn default_bins(a: &Arguments, cluster: &Cluster, film: &mut Film, mask: Option<&Mask>) -> Result<Bins, Failure> {
    let choose = |film: &mut Film| {
        let (points, lengths) = match mask {
            None => {
                let table = film.peek(film.largest())?;
                (table.x.len(), a.periods(table).unwrap_or_else(|| table.extent()))
            }
            Some(mask) => {
                let mut most = (0, [0.0; 2]);
                for index in 0..film.len() {
                    let table = within(film.peek(index)?, mask);
                    if table.x.len() >= most.0 {
                        most = (table.x.len(), a.periods(&table).unwrap_or_else(|| table.extent()));
                    }
                }
                if most.0 == 0 {
                    return Err(outside_mask(a));
                }
                most
            }
        };
        let fitting = || {
            let spacing = (lengths[0] * lengths[1] / points as f64).sqrt();
            let width = round_below(spacing / 20.0)?;
            let steps = (0.25 * lengths[0].min(lengths[1]) / width).floor();
            // 7 steps of 0.1 are 0.7 and a little; as text, they are 0.7.
            let hi: f64 = format!("{:.6e}", steps * width).parse().ok()?;
            Bins::uniform(0.0, hi, width).ok()?;
            say(format_args!("hotloops: --bins 0:{hi}:{width}, chosen for {points} points"));
            Some((hi, width))
        };
        fitting().ok_or_else(|| Failure::Usage("--bins: none fit these points; give LO:HI:WIDTH".to_owned()))
    };
    let chosen = if cluster.leads() { choose(film)? } else { (0.0, 0.0) };
    let (hi, width) = cluster.broadcast_value(chosen);
    Ok(Bins::uniform(0.0, hi, width)?)
}

/// The largest of 1, 2, 5, 10, 20 .. and their decimal fractions up to `x`.
fn round_below(x: f64) -> Option<f64> {
    let (digit, exponent) =
        (x.is_normal() && x > 0.0).then(|| format!("{x:e}"))?.split_once('e').and_then(|(digits, exponent)| {
            let digit = match digits.parse::<f64>().ok()? {
                digits if digits >= 5.0 => 5,
                digits if digits >= 2.0 => 2,
                _ => 1,
            };
            Some((digit, exponent.parse::<i32>().ok()?))
        })?;
    format!("{digit}e{exponent}").parse().ok()
}
