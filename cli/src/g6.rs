//! `hotloops g6`: pair correlations of a file of points.

mod count;
mod fit;
mod mask;
mod points;
mod records;
mod report;
mod voronoi;

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::Instant;

use hotloops::correlation::{Accumulator, Bins, Boundary, MAX_BINS, Psi};

use crate::cluster::{Cluster, Order};
use crate::failure::{Failure, say};
use crate::memory;
use crate::output::{NewFile, print, progress};
use count::{Team, count};
use mask::Mask;
use points::{Frames, Source, Table};
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
/// computed to within 2^-18 of the last r_hi. Under mpirun (a command built with the feature `mpi`), every
/// rank reads the points; ranks count the pairs of different frames, or of parts of the same frame. The result does not depend on the order of the
/// points, the number of ranks or threads or the instruction set.
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
    fn orient(&self, table: &mut Table) -> Result<(), Failure> {
        if !self.has_own_orientations() {
            return Ok(());
        }
        let (x, y, boundary) = (&table.x, &table.y, self.boundary(table));
        let frame = table.frame.map_or(String::new(), |frame| format!("frame {frame}: "));
        let fault = |why| Failure::Input(format!("{}: {frame}{why}", self.points.display()));
        let bonds = self.voronoi.then(|| voronoi::bonds(x, y, self.periods(table)).map_err(fault)).transpose()?;
        let of = |fold: u32| match (self.neighbours, self.radius, &bonds) {
            (_, _, Some(bonds)) => Psi::of_bonds(x, y, boundary, bonds, fold),
            (_, Some(radius), _) => Psi::of_neighbours_within(x, y, boundary, radius, fold),
            (k, ..) => Psi::of_neighbours(x, y, boundary, k.map_or(0, usize::from), fold),
        };
        let mut all = Vec::new();
        for &fold in &self.fold {
            all.push(of(fold).map_err(|error| self.fault(table, error))?);
        }
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
                format!(
                    "{file}: line {}: {argument} = {value:?} is too far from the origin; \
                     shift or rescale the coordinates",
                    table.lines[index]
                )
            }
            error => match table.frame {
                Some(frame) => format!("{file}: frame {frame}: {error}"),
                None => format!("{file}: {error}"),
            },
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

pub fn run(a: &Arguments) -> Result<(), Failure> {
    let cluster = Cluster::join()?;
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
    let mut tables = memory::needed_for(&"the points", || points::read(&a.points, source, frames, a.types.as_ref()))?;
    // Ranks that count whole frames orient them too, before a mask leaves points out.
    let own_frames = cluster.ranks() > 1
        && tables.len() >= cluster.ranks()
        && (a.psi.as_ref(), a.psi_svg.as_ref()) == (None, None)
        && !(a.mask.is_some() && a.has_own_orientations());
    if !own_frames {
        tables.iter_mut().try_for_each(|table| a.orient(table))?;
    }
    let particles = psi.as_ref().map(|_| report::lines_of_particles(&tables, &a.fold)).transpose()?;
    let map = psi_svg.as_ref().map(|_| report::map(&tables[0], a.fold[0], &a.points)).transpose()?;
    if let Some(mask) = &mask {
        for table in &mut tables {
            *table = table.only(|i| mask.holds(table.x[i], table.y[i]));
            table.periods = None;
        }
        if tables.iter().all(|table| table.x.is_empty()) {
            return Err(Failure::Input(format!("{}: no point lies within --mask", a.points.display())));
        }
    }
    let bins = match &a.bins {
        Some(bins) => bins.clone(),
        None => default_bins(a, &tables)?,
    };
    let begin = Instant::now();
    // One bar: over frames, or else over the parts of the only one.
    let bar = (tables.len() > 1).then(|| progress(tables.len() as u64).with_message("frames"));
    let mut total = vec![Accumulator::new(bins.clone())?; a.fold.len()];
    let mut spread = Spread::new(bins.len(), a.fold.len());
    let mut uniform = Vec::new();
    let mut lines = Vec::new();
    // The pairs of each symmetry, and the number of those at all distances.
    let counted = |cluster: &Cluster, table: &Table| {
        let team = Team { cluster, pool: &pool, quiet: bar.is_some() };
        let mut pairs = Vec::new();
        let mut possible = 0.0;
        for symmetry in 0..a.fold.len() {
            let (counted, all) = memory::needed_for(&"the pairs", || count(team, table, symmetry, a, &bins))?;
            pairs.push(counted);
            possible = all;
        }
        Ok::<_, Failure>((pairs, possible))
    };
    let mut add = |index: usize, pairs: Vec<Accumulator>, possible: f64| {
        let table = &tables[index];
        let own = Uniform::new(possible, region(a, table, mask.as_ref()));
        if a.average && a.rdf && own.area() == 0.0 && own.pairs > 0.0 {
            let number = table.frame.map_or(String::new(), |frame| format!("frame {frame}: "));
            return Err(Failure::Input(format!(
                "{}: {number}the points lie on a line parallel to an axis, which has no area; give --box",
                a.points.display()
            )));
        }
        let frame = a.frames.as_ref().and(table.frame);
        let (points, folds) = (table.x.len(), &a.fold[..]);
        let report = Report { pairs: &pairs, folds, points, uniform: &[own], rdf: a.rdf, frame, spread: None };
        if frame.is_some() {
            lines.extend(report.lines(index == 0)?);
        }
        if a.average {
            spread.add(&report);
        }
        for (total, pairs) in total.iter_mut().zip(&pairs) {
            total.merge(pairs)?;
        }
        uniform.push(own);
        if let Some(bar) = &bar {
            bar.inc(1);
        }
        Ok(())
    };
    if own_frames {
        let alone = Cluster::of_one();
        let work = |(): &mut (), frame: u64| {
            let table = &tables[frame as usize];
            let mut table = table.only(|_| true);
            a.orient(&mut table)?;
            let (pairs, possible) = counted(&alone, &table)?;
            let mut result = possible.to_le_bytes().to_vec();
            pairs.iter().for_each(|pairs| result.extend(count::bytes(pairs)));
            Ok(result)
        };
        let take = &mut |frame: u64, result: Vec<u8>| {
            let (possible, rest) = result.split_first_chunk().expect("a rank sends a number first");
            let mut pairs = vec![Accumulator::new(bins.clone())?; a.fold.len()];
            for (pairs, bytes) in pairs.iter_mut().zip(rest.chunks_exact(rest.len() / a.fold.len())) {
                count::add_bytes(pairs, bytes)?;
            }
            add(frame as usize, pairs, f64::from_le_bytes(*possible))
        };
        // The threads of a rank count the same frame.
        let one = memory::pool(Some(1))?;
        cluster.share(&one, &mut (0..tables.len() as u64), Order::Ascending, || (), work, take)?;
    } else {
        for (index, table) in tables.iter().enumerate() {
            let (pairs, possible) = counted(&cluster, table)?;
            if cluster.leads() {
                add(index, pairs, possible)?;
            }
        }
    }
    if let Some(bar) = &bar {
        bar.finish_and_clear();
    }
    if !cluster.leads() {
        cluster.leave();
        return Ok(());
    }
    let seconds = begin.elapsed().as_secs_f64();
    let (pairs, points) = (total, tables.iter().map(|table| table.x.len()).sum());
    let spread = a.average.then_some(&spread);
    let result = Report { pairs: &pairs, folds: &a.fold, points, uniform: &uniform, rdf: a.rdf, frame: None, spread };
    if a.frames.is_none() {
        lines = result.lines(true)?;
    }
    let mut decays = Vec::new();
    for (pairs, &fold) in pairs.iter().zip(&a.fold).filter(|_| a.fit.is_some()) {
        decays.extend(a.fit.map(|range| fit::decay(pairs, fold, range)).transpose().map_err(Failure::Usage)?);
    }
    if let (Some(psi), Some(lines)) = (psi, particles) {
        psi.write(&lines)?;
    }
    if let (Some(psi_svg), Some(map)) = (psi_svg, map) {
        psi_svg.write(map.as_bytes())?;
    }
    if let Some(svg) = svg {
        svg.write(result.picture(&a.points)?.as_bytes())?;
    }
    match csv {
        Some(file) => file.write(&lines)?,
        None => print(&String::from_utf8_lossy(&lines))?,
    }
    for decay in decays {
        say(format_args!("hotloops: {decay}"));
    }
    if io::stderr().is_terminal() {
        let counted: u64 = pairs.iter().flat_map(Accumulator::bins).map(|bin| bin.count).sum();
        let rate = counted as f64 / seconds;
        say(format_args!("{} points, {counted} pairs in {seconds:.2} s, {rate:.2e} pairs/s", points));
    }
    cluster.leave();
    Ok(())
}

/// Bins for the frame with the most points, in round numbers.
fn default_bins(a: &Arguments, tables: &[Table]) -> Result<Bins, Failure> {
    let chosen = tables.iter().max_by_key(|table| table.x.len()).and_then(|table| {
        let lengths = a.periods(table).unwrap_or_else(|| table.extent());
        let spacing = (lengths[0] * lengths[1] / table.x.len() as f64).sqrt();
        let width = round_below(spacing / 20.0)?;
        let steps = (0.25 * lengths[0].min(lengths[1]) / width).floor();
        // 7 steps of 0.1 are 0.7 and a little; as text, they are 0.7.
        let hi = format!("{:.6e}", steps * width).parse().ok()?;
        let bins = Bins::uniform(0.0, hi, width).ok()?;
        say(format_args!("hotloops: --bins 0:{hi}:{width}, chosen for {} points", table.x.len()));
        Some(bins)
    });
    chosen.ok_or_else(|| Failure::Usage("--bins: none fit these points; give LO:HI:WIDTH".to_owned()))
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

/// Where the points of a frame are.
fn region<'a>(a: &Arguments, table: &Table, mask: Option<&'a Mask>) -> Region<'a> {
    match (mask, a.periods(table)) {
        (Some(mask), _) => Region::Polygon(mask),
        (None, Some(periods)) => Region::Periodic(periods),
        (None, None) => Region::Rectangle(table.extent()),
    }
}
