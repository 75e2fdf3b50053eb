//! `hotloops g6`: pair correlations of a file of points.

mod count;
mod film;
mod fit;
mod mask;
mod points;
mod records;
mod report;
mod voronoi;

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use hotloops::correlation::{Accumulator, Bins, Boundary, MAX_BINS, Neighbours, Psi};
use rayon::ThreadPool;
use serde::{Deserialize, Serialize};

use crate::cluster::{Cluster, Order, decoded, encoded};
use crate::failure::{Failure, say};
use crate::memory;
use crate::output::{NewFile, Scratch, progress};
use count::{Team, count};
use film::Film;
use mask::Mask;
use points::{Frames, Source, Table, in_frame};
use report::{Region, Report, Spread, Uniform};

/// Orientational and pair correlation functions g6(r) and g(r) of points in a file, on all cores
///
/// The first line of POINTS names the columns, in any order and in upper or lower case. They are
/// separated by commas, semicolons, tabs or blanks; lines that begin with `#` are comments. POINTS may
/// also be a LAMMPS dump or an XYZ file, may be compressed by gzip, and `-` is standard input. The
/// columns are `x` and `y`, and the orientation as an angle `theta` in radians, or as `psi_re` and
/// `psi_im` of a complex number of magnitude at most 1. --neighbours, --radius and --voronoi compute the
/// orientations from the positions instead.
///
/// Prints one CSV line per bin: `r_lo,r_hi,count,sum,g`. `count` is the number of pairs with
/// distance r_lo <= r < r_hi; `sum` is the exact sum of their products Re(psi_i* psi_j) in units of
/// 2^-28; `g` is the mean of the products, empty if the bin has no pairs. With several --fold, each
/// has its own columns, as in `sum_4,g_4`.
///
/// A column `frame` numbers the images of a film; LAMMPS dumps are numbered by their timesteps, XYZ
/// files from 0. Periodic boxes of these formats are used unless --box is given. Points of different
/// frames form no pairs, and the lines may be in any order. A file of several frames needs --frame,
/// --frames or --average. A column `z` is ignored.
///
/// Distances are exact where all coordinates are integers and there is no --box; otherwise they are
/// computed to within 2^-18 of the last r_hi. A film is read frame by frame and may be larger than the memory;
/// input from a pipe is then copied to a temporary file (TMPDIR). Numbers of a frame are read when it is
/// counted, so a wrong one in a late frame is reported after the earlier frames are counted. Threads and,
/// under mpirun (a command built with the feature `mpi`), ranks read and count different frames, or count
/// parts of the same frame. The result does not depend on the order of the points, the number of ranks or
/// threads or the instruction set.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  hotloops g6 points.csv --bins 0:50:0.25 --box 128,128 --neighbours 6 --svg g6.svg")]
pub struct Arguments {
    /// File of the points, or - for standard input
    points: PathBuf,

    /// Distance bins: from LO to HI in steps of WIDTH [default: from 0 to a quarter of the shorter side
    /// of the box, in steps of about 1/20 of the mean spacing; reported on standard error]
    #[arg(long, value_name = "LO:HI:WIDTH", allow_hyphen_values = true, value_parser = bins)]
    bins: Option<Bins>,

    /// Periodic plane: its lengths in x and y, at least twice the end of the last bin. Pairs have
    /// the distance of their nearest images
    #[arg(long = "box", value_name = "X,Y", allow_hyphen_values = true, value_parser = lengths)]
    periods: Option<[f64; 2]>,

    /// Count pairs only, without orientations. The columns are r_lo,r_hi,count,g; g is the count
    /// divided by the count expected for as many points spread uniformly over --box, or else over
    /// their bounding rectangle, whose edges are taken into account
    #[arg(long)]
    rdf: bool,

    /// Compute orientations from the positions: the bond-orientational order of each particle, the
    /// mean of exp(i N theta) over the directions theta to its K nearest neighbours, with the N of
    /// --fold
    #[arg(long, value_name = "K", conflicts_with = "rdf", value_parser = clap::value_parser!(u16).range(1..=1000))]
    neighbours: Option<u16>,

    /// The same with all neighbours at a distance of at most R; the orientation is 0 where there is none
    #[arg(long, value_name = "R", conflicts_with_all = ["rdf", "neighbours"], value_parser = radius)]
    radius: Option<f64>,

    /// The same with the neighbours whose Voronoi cells share an edge (Delaunay triangulation). Of four
    /// points on a circle, either two opposite ones are neighbours
    #[arg(long, conflicts_with_all = ["rdf", "neighbours", "radius"])]
    voronoi: bool,

    /// Count only pairs of a point whose column `type` (`species` in XYZ) is A with a point of type B.
    /// Orientations are still those among all points
    #[arg(long, value_name = "A,B", value_parser = pair_of_types)]
    types: Option<[String; 2]>,

    /// Count only points within a polygon, whose corners are the lines of FILE, with columns x and y.
    /// Orientations are still those among all points. The g of --rdf takes the edges of the polygon into
    /// account
    #[arg(long, value_name = "FILE", conflicts_with = "periods")]
    mask: Option<PathBuf>,

    /// Fit the decay of |g6| from LO to HI, by r^-eta6 and by exp(-r/xi6), at its local maxima. The results
    /// are reported on standard error
    #[arg(long, value_name = "LO:HI", conflicts_with_all = ["rdf", "frames"], allow_hyphen_values = true, value_parser = range)]
    fit: Option<[f64; 2]>,

    /// Rotational symmetry: a particle at angle theta has orientation exp(i N theta). Several symmetries,
    /// as in 4,6,12, need orientations from the positions; each has columns of its own
    #[arg(long, value_name = "N", default_value = "6", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=1000))]
    fold: Vec<u32>,

    /// Take only the points whose column `frame` is N
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = frame_number, conflicts_with_all = ["frames", "average"])]
    frame: Option<i64>,

    /// Print the lines of every frame, by ascending number, with a first column `frame`
    #[arg(long, value_name = "all", value_parser = ["all"], conflicts_with_all = ["average", "svg"])]
    frames: Option<String>,

    /// Add up the counts and sums of all frames. `g` is that of all pairs together. A last column
    /// `g_standard_error` has the standard deviation of g over the frames, divided by the square
    /// root of their number; it is empty where fewer than two frames have a g. It underestimates
    /// the error if successive frames are correlated
    #[arg(long)]
    average: bool,

    /// Number of threads [default: one per core; under mpirun, one per rank]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Most memory besides the points, in MiB, for counting pairs of integer coordinates by transforms. They
    /// are the fastest for long distances, and say how much they need; without enough, others are used
    #[arg(long, value_name = "MIB", default_value = "1024", value_parser = clap::value_parser!(u16))]
    memory: u16,

    /// Write to FILE instead of standard output
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,

    /// Write the orientation of each particle to FILE, as CSV lines `x,y,psi_re,psi_im,psi_abs`, after
    /// a column `frame` if the points have one. The parts are multiples of 2^-14
    #[arg(long, value_name = "FILE", conflicts_with = "rdf")]
    psi: Option<PathBuf>,

    /// Draw the particles of the only frame, coloured by the magnitude of their orientation with the
    /// first --fold
    #[arg(long, value_name = "FILE", conflicts_with_all = ["rdf", "frames", "average"])]
    psi_svg: Option<PathBuf>,

    /// Plot |g6| on logarithmic axes, with r^-1/4 for comparison, and g(r)
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

impl Arguments {
    /// The periods of a frame: those of --box, or else of the file.
    fn periods(&self, table: &Table) -> Option<[f64; 2]> {
        self.periods.or(table.periods)
    }

    fn boundary(&self, table: &Table) -> Boundary {
        self.periods(table).map_or(Boundary::Open, Boundary::Periodic)
    }

    fn has_own_orientations(&self) -> bool {
        self.neighbours.is_some() || self.radius.is_some() || self.voronoi
    }

    /// Computes the orientations of a frame from the positions, if they are wanted.
    fn orient(&self, team: Team, table: &mut Table) -> Result<(), Failure> {
        if !self.has_own_orientations() {
            return Ok(());
        }
        let (x, y, boundary) = (&table.x, &table.y, self.boundary(table));
        let fault = |why| Failure::Input(format!("{}: {}", self.points.display(), in_frame(table.frame, why)));
        let wrong = |error| self.fault(table, error);
        let mut all = if self.voronoi {
            let bonds = voronoi::bonds(x, y, self.periods(table)).map_err(fault)?;
            let of = |&fold: &u32| Psi::of_bonds(x, y, boundary, &bonds, fold).map_err(wrong);
            self.fold.iter().map(of).collect::<Result<Vec<_>, _>>()?
        } else {
            let neighbours = match self.radius {
                Some(radius) => Neighbours::within(x, y, boundary, radius),
                None => Neighbours::nearest(x, y, boundary, self.neighbours.map_or(0, usize::from)),
            };
            team.orientations(&neighbours.map_err(wrong)?, x.len(), &self.fold)?
        };
        table.psi = all.remove(0);
        table.more = all;
        Ok(())
    }

    /// The failure that names the line of a point, or only the file.
    fn fault(&self, table: &Table, error: hotloops::Error) -> Failure {
        let file = self.points.display();
        Failure::Input(match error {
            hotloops::Error::Coordinate { argument, index } => {
                let value = if argument == "x" { table.x[index] } else { table.y[index] };
                let why =
                    format!("{argument} = {value:?} is too far from the origin; shift or rescale the coordinates");
                format!("{file}: line {}: {}", table.lines[index], in_frame(table.frame, why))
            }
            error => format!("{file}: {}", in_frame(table.frame, error.to_string())),
        })
    }
}

fn numbers<const N: usize>(word: &str, separator: char) -> Option<[f64; N]> {
    let numbers: Result<Vec<f64>, _> = word.split(separator).map(str::parse).collect();
    numbers.ok()?.try_into().ok()
}

fn bins(word: &str) -> Result<Bins, String> {
    let [lo, hi, width] = numbers(word, ':').ok_or("expected three numbers, as in 0:600:1")?;
    for (name, value) in [("LO", lo), ("HI", hi), ("WIDTH", width)] {
        if !value.is_finite() {
            return Err(format!("{name} = {value} is not a finite number"));
        }
    }
    if lo < 0.0 {
        return Err(format!("LO = {lo} is negative"));
    }
    if width <= 0.0 {
        return Err(format!("WIDTH = {width} is not positive"));
    }
    if lo >= hi {
        return Err(format!("LO = {lo} is not less than HI = {hi}"));
    }
    Bins::uniform(lo, hi, width).map_err(|error| match error {
        hotloops::Error::TooLarge { .. } => format!("more than {MAX_BINS} bins; increase WIDTH"),
        hotloops::Error::Bins { .. } if hi - lo < width => {
            format!("no bin of width {width} fits between {lo} and {hi}")
        }
        hotloops::Error::Bins { .. } => format!("WIDTH = {width} is too small for HI = {hi}: bin edges coincide"),
        error => error.to_string(),
    })
}

fn radius(word: &str) -> Result<f64, String> {
    let radius = word.parse().ok().filter(|radius: &f64| *radius > 0.0 && radius.is_finite());
    radius.ok_or_else(|| "expected a positive number".to_owned())
}

fn range(word: &str) -> Result<[f64; 2], String> {
    let range = numbers(word, ':').filter(|[lo, hi]: &[f64; 2]| 0.0 <= *lo && lo < hi && hi.is_finite());
    range.ok_or_else(|| "expected two numbers, 0 <= LO < HI, as in 2:50".to_owned())
}

fn pair_of_types(word: &str) -> Result<[String; 2], String> {
    let types: Vec<String> = word.split(',').map(str::to_owned).collect();
    types.try_into().map_err(|_| "expected two types, as in A,B; for pairs of one type, A,A".to_owned())
}

fn frame_number(word: &str) -> Result<i64, String> {
    word.parse().map_err(|_| match word {
        "all" => "expected a number; --frames all takes all frames".to_owned(),
        _ => "expected an integer".to_owned(),
    })
}

fn lengths(word: &str) -> Result<[f64; 2], String> {
    match numbers(word, ',') {
        Some(lengths) if lengths.iter().all(|length| (1e-290..=1e290).contains(length)) => Ok(lengths),
        _ => Err("expected two positive numbers from 1e-290 to 1e290, as in 1024,768".to_owned()),
    }
}

/// Threads read and count different frames if each has at least so many, of a few points, or else parts of the same one.
const ROUNDS: usize = 4;

pub fn run(a: &Arguments, cluster: &Cluster) -> Result<(), Failure> {
    cluster.check_input("POINTS", &a.points)?;
    let last = a.bins.as_ref().map_or(0.0, Bins::r_max);
    if let Some(period) = a.periods.iter().flatten().copied().reduce(f64::min).filter(|&period| 2.0 * last > period) {
        let half = period / 2.0;
        return Err(Failure::Usage(format!("--bins: the last bin ends at {last}, beyond half of --box, {half}")));
    }
    let pool = cluster.pool(a.threads)?;
    let mask = a.mask.as_deref().map(Mask::read).transpose().map_err(Failure::Input)?;
    let options = [("--csv", &a.csv), ("--svg", &a.svg), ("--psi", &a.psi), ("--psi-svg", &a.psi_svg)];
    let [csv, svg, psi, psi_svg] = options.map(|(option, path)| {
        path.as_deref().filter(|_| cluster.leads()).map(|path| NewFile::create(option, path)).transpose()
    });
    let (csv, svg, psi, psi_svg) = (csv?, svg?, psi?, psi_svg?);
    let written = [("--csv", &csv), ("--svg", &svg), ("--psi", &psi), ("--psi-svg", &psi_svg)];
    for (index, (option, file)) in written.into_iter().enumerate() {
        let Some(file) = file else { continue };
        let same = |path: &PathBuf| std::fs::canonicalize(path).ok();
        if same(&a.points).as_deref() == Some(file.target()) {
            return Err(Failure::Usage(format!(
                "{option}: {} is the file of POINTS; choose another file",
                a.points.display()
            )));
        }
        let twice = |other: &NewFile| other.target() == file.target();
        if let Some((other, _)) = written[..index].iter().find(|(_, other)| other.as_ref().is_some_and(twice)) {
            return Err(Failure::Usage(format!("{other} and {option} name the same file")));
        }
    }

    if a.fold.len() > 1 && !a.has_own_orientations() {
        let why = "--fold: several symmetries need orientations from --neighbours, --radius or --voronoi";
        return Err(Failure::Usage(why.to_owned()));
    }
    let source = match a.rdf {
        true => Source::Nowhere,
        false if a.has_own_orientations() => Source::Positions,
        false => Source::Columns(a.fold[0]),
    };
    let frames = match a.frame {
        Some(number) => Frames::Number(number),
        None if a.average || a.frames.is_some() => Frames::All,
        None => Frames::Single,
    };
    let open = || Film::open(cluster, &a.points, source, frames, a.types.as_ref());
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
    let count = |team: Team, index: usize, table: Table| count_frame(a, team, table, index == 0, mask.as_ref(), &bins);
    let all = Team { cluster, pool: &pool, quiet: bar.is_some(), teams: 1 };
    let mut add = |index: usize, counted: Counted| {
        let own = Uniform::new(counted.possible, counted.region(mask.as_ref()));
        if a.average && a.rdf && own.area() == 0.0 && own.pairs > 0.0 {
            let why = "the points lie on a line parallel to an axis, which has no area; give --box";
            let why = in_frame(counted.frame, why.to_owned());
            return Err(Failure::Input(format!("{}: {why}", a.points.display())));
        }
        let mut pairs = vec![Accumulator::new(bins.clone())?; a.fold.len()];
        for (pairs, bytes) in pairs.iter_mut().zip(&counted.pairs) {
            count::add_bytes(pairs, bytes)?;
        }
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
        let why = format!("{}: --types: no point has the type {}", a.points.display(), types[side]);
        return Err(Failure::Input(why));
    }
    let seconds = begin.elapsed().as_secs_f64();
    let pairs = total;
    let spread = a.average.then_some(&spread);
    let result = Report { pairs: &pairs, folds: &a.fold, points, uniform: &uniform, rdf: a.rdf, frame: None, spread };
    if a.frames.is_none() {
        lines.add(&result.lines(true)?)?;
    }
    let mut decays = Vec::new();
    for (pairs, &fold) in pairs.iter().zip(&a.fold).filter(|_| a.fit.is_some()) {
        decays.extend(a.fit.map(|range| fit::decay(pairs, fold, range)).transpose().map_err(Failure::Usage)?);
    }
    if psi.is_some() {
        particles.finish(psi.as_ref())?;
    }
    if let (Some(psi_svg), Some(map)) = (psi_svg, map) {
        psi_svg.write(map.as_bytes())?;
    }
    if let Some(svg) = svg {
        svg.write(result.picture(&a.points)?.as_bytes())?;
    }
    lines.finish(csv.as_ref())?;
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

/// The results of a frame, which ranks send to rank 0.
#[derive(Serialize, Deserialize)]
struct Counted {
    frame: Option<i64>,
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

/// Counts the pairs of a frame. Ranks other than the first of the team return their part of the counts only.
fn count_frame(
    a: &Arguments,
    team: Team,
    mut table: Table,
    is_first: bool,
    mask: Option<&Mask>,
    bins: &Bins,
) -> Result<Counted, Failure> {
    a.orient(team, &mut table)?;
    let has_types = [0, 1].map(|side| table.types.iter().any(|types| types[side]));
    let leads = team.cluster.leads();
    let particles = (a.psi.is_some() && leads).then(|| report::lines_of_particles(&table, &a.fold, is_first));
    let map = (a.psi_svg.is_some() && leads).then(|| report::map(&table, a.fold[0], &a.points));
    let (particles, map) = (particles.transpose()?.unwrap_or_default(), map.transpose()?);
    if let Some(mask) = mask {
        table = within(&table, mask);
    }
    let (mut pairs, mut possible) = (Vec::new(), 0.0);
    for symmetry in 0..a.fold.len() {
        let (counted, all) = memory::needed_for(&"the pairs", || count(team, &table, symmetry, a, bins))?;
        pairs.push(count::bytes(&counted));
        possible = all;
    }
    let periods = a.periods(&table);
    Ok(Counted {
        frame: table.frame,
        points: table.x.len(),
        has_types,
        lengths: periods.unwrap_or_else(|| table.extent()),
        is_periodic: periods.is_some(),
        possible,
        pairs,
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
