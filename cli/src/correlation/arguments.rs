//! The arguments of the job.

use std::path::PathBuf;

use hotloops::correlation::{Bins, Boundary, MAX_BINS};

use super::frames::{Chosen, Frames};
use super::names::Chosen as Columns;
use super::points::{Reading, Source, Table, in_frame};
use super::records::FileBox;
use crate::failure::Failure;
use crate::whole::whole;

/// Orientational and pair correlation functions g6(r) and g(r) of points in a file, on all cores
///
/// The first line of POINTS names the columns, in any order and in upper or lower case. They are
/// separated by commas, semicolons, tabs or blanks; lines that begin with `#` or `%` are comments. POINTS may
/// also be a LAMMPS dump or an XYZ file, may be compressed by gzip or be UTF-16, and `-` is standard input. The
/// columns are `x` and `y` (or `xm` and `ym`), also with a unit as in `x [nm]`, and the orientation as an angle
/// `theta` in radians, or as `psi_re` and `psi_im` of a complex number of magnitude at most 1; --columns names
/// others. --neighbours, --radius and --voronoi compute the orientations from the positions instead. Numbers may
/// have exponents as in `1.5D+03`, and decimal commas where commas do not separate fields.
///
/// Prints one CSV line per bin: `r_lo,r_hi,count,sum,g`. `count` is the number of pairs with
/// distance r_lo <= r < r_hi; `sum` is the exact sum of their products Re(psi_i* psi_j) in units of
/// 2^-28; `g` is the mean of the products, empty if the bin has no pairs. With several --fold, each
/// has its own columns, as in `sum_4,g_4`.
///
/// A column `frame`, `slice`, `timestep`, `position_t`, `t` or `time`, the first of these names that
/// there is, or --frame-column, numbers the images of a film, and the lines may be in any order. Each
/// record of a LAMMPS dump is a frame, numbered by its timestep; those of XYZ files are numbered from 0.
/// Points of different frames form no pairs. A file of several frames needs --frame, --frames or
/// --average. A column `z` is ignored.
///
/// Rectangular periodic boxes of LAMMPS dumps (`BOX BOUNDS pp pp`) and of extended XYZ (`Lattice`, unless
/// `pbc` says no) are used unless --box or --mask is given. Scaled positions (`xs`, `ys`) are multiplied by
/// the box, and unwrapped ones (`xu`, `yu`) are taken as they are. `Properties` of extended
/// XYZ names the columns; without it they are `species x y z`.
///
/// Distances are exact where all coordinates are integers at most 2^20 apart and there is no periodic plane;
/// otherwise they are computed to within 2^-18 of the last r_hi. A film is read frame by frame and may be
/// larger than the memory; input from a pipe is then copied to a temporary file (TMPDIR). A frame's numbers are read
/// when it is counted, so a wrong one in a late frame is reported after the earlier frames are counted. Threads and,
/// under mpirun (a command built with the feature `mpi`), ranks read and count different frames, or count
/// parts of the same frame. The result does not depend on the order of the points, the number of ranks or
/// threads or the instruction set.
#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  hotloops correlation points.csv --bins 0:50:0.25 --box 128,128 --neighbours 6 --svg g.svg"
)]
pub struct Arguments {
    /// File of the points, or - for standard input
    pub(super) points: PathBuf,

    /// Distance bins: from LO to HI in steps of WIDTH [default: from 0 to a quarter of the shorter side
    /// of the box, in steps of about 1/20 of the mean spacing; reported on standard error]
    #[arg(long, value_name = "LO:HI:WIDTH", allow_hyphen_values = true, value_parser = bins)]
    pub(super) bins: Option<Bins>,

    /// Periodic plane: its lengths in x and y, at least twice the end of the last bin. Pairs have
    /// the distance of their nearest images. `open` is a plane without periods, also if the file has a box
    #[arg(long = "box", value_name = "X,Y", allow_hyphen_values = true, value_parser = plane)]
    pub(super) plane: Option<Plane>,

    /// Count pairs only, without orientations. The columns are r_lo,r_hi,count,g; g is the count
    /// divided by the count expected for as many points spread uniformly over --box, or else over
    /// their bounding rectangle, whose edges are taken into account. Each side of the rectangle of n points is
    /// multiplied by (n + 1) / (n - 1), by which its mean is the side of the region in which they were spread
    #[arg(long)]
    pub(super) rdf: bool,

    /// Compute orientations from the positions: the bond-orientational order of each particle, the
    /// mean of exp(i N theta) over the directions theta to its K nearest neighbours, with the N of
    /// --fold
    #[arg(long, value_name = "K", conflicts_with = "rdf",
        value_parser = whole::<u16>(1..=1000), allow_negative_numbers = true)]
    pub(super) neighbours: Option<u16>,

    /// The same with all neighbours at a distance of at most R; the orientation is 0 where there is none
    #[arg(long, value_name = "R", conflicts_with_all = ["rdf", "neighbours"], value_parser = radius,
        allow_negative_numbers = true)]
    pub(super) radius: Option<f64>,

    /// The same with the neighbours whose Voronoi cells share an edge (Delaunay triangulation). Opposite corners
    /// of a square, whose cells share a corner only, are no neighbours. Of several points at one place, each has
    /// the orientation of the place, and others have it as a neighbour once. In a periodic plane each edge of a cell
    /// counts once, with the direction to the image beyond it: in a small box a point may have several images of
    /// another, and images of itself, as neighbours
    #[arg(long, conflicts_with_all = ["rdf", "neighbours", "radius"])]
    pub(super) voronoi: bool,

    /// With --voronoi, weight each neighbour by the length of the shared edge, by which the orientation is
    /// continuous in the positions (Mickel et al., J. Chem. Phys. 138, 044501). It is 0 for cells that are not bounded
    #[arg(long, requires = "voronoi", conflicts_with_all = ["rdf", "neighbours", "radius"])]
    pub(super) weighted: bool,

    /// With --neighbours, --radius or --voronoi, ignore the columns theta, psi_re and psi_im of the file
    #[arg(long, conflicts_with = "rdf")]
    pub(super) ignore_theta: bool,

    /// Count only pairs of a point whose column `type` (`species` in XYZ) is A with a point of type B.
    /// Orientations are still those among all points
    #[arg(long, value_name = "A,B", value_parser = pair_of_types)]
    pub(super) types: Option<[String; 2]>,

    /// Count only points within a polygon, whose corners are the lines of FILE, with columns x and y.
    /// Orientations are still those among all points. The g of --rdf takes the edges of the polygon into
    /// account
    #[arg(long, value_name = "FILE", conflicts_with = "plane")]
    pub(super) mask: Option<PathBuf>,

    /// Fit the decay of |g6| from LO to HI, by r^-eta6 and by exp(-r/xi6), at its local maxima. The results
    /// are reported on standard error. Their standard errors are those of a jackknife: over 10 to 50 groups of
    /// successive frames, or over 25 parts of the plane for fewer than 10 frames
    #[arg(long, value_name = "LO:HI", conflicts_with_all = ["rdf", "frames"], allow_hyphen_values = true,
        value_parser = range)]
    pub(super) fit: Option<[f64; 2]>,

    /// Write the covariances of the g of all bins to FILE, by the jackknife of --fit, as CSV lines
    /// `r_lo,r_hi,c_1,c_2 ..`: c_k is the covariance of the line's bin with bin k, empty where one has no g.
    /// With several --fold, their lines follow each other, after a column `fold`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["rdf", "frames"])]
    pub(super) covariance: Option<PathBuf>,

    /// Rotational symmetry: a particle at angle theta has orientation exp(i N theta). Several symmetries,
    /// as in 4,6,12, need orientations from the positions; each has columns of its own
    #[arg(long, value_name = "N", default_value = "6", value_delimiter = ',', conflicts_with = "rdf",
        value_parser = whole::<u32>(1..=1000), allow_negative_numbers = true)]
    pub(super) fold: Vec<u32>,

    /// Take only the frame N, or of several frames of this number the K-th, as in N:K
    #[arg(long, value_name = "N", allow_hyphen_values = true, conflicts_with_all = ["frames", "average"])]
    pub(super) frame: Option<Chosen>,

    /// The columns to use, by name or by number from 1: x, y, theta or psi_re and psi_im, frame, type. Others are
    /// found by their names. A file without names needs it, unless it has two columns
    #[arg(long, value_name = "x=NAME,y=NAME ..", allow_hyphen_values = true)]
    pub(super) columns: Option<Columns>,

    /// Refuse a line in which a number is missing (empty, NaN or NA) [default: leave it out, and say so]
    #[arg(long)]
    pub(super) strict: bool,

    /// The column that numbers the frames; `none` takes all points together [default: see above]
    #[arg(long, value_name = "NAME")]
    pub(super) frame_column: Option<String>,

    /// Print the lines of every frame, by ascending number, with a first column `frame`
    #[arg(long, conflicts_with_all = ["average", "svg"])]
    pub(super) frames: bool,

    /// Add up the counts and sums of all frames. `g` is that of all pairs together. A last column
    /// `g_standard_error` has the standard deviation of g over the frames, divided by the square
    /// root of their number; it is empty where fewer than two frames have a g. It underestimates
    /// the error if successive frames are correlated
    #[arg(long)]
    pub(super) average: bool,

    /// Number of threads [default: one per core; under mpirun, one per rank]
    #[arg(long, value_name = "N", value_parser = whole::<u16>(1..=1024), allow_negative_numbers = true)]
    pub(super) threads: Option<u16>,

    /// Memory limit in MiB for counting pairs of integer coordinates by transforms, besides the points. They are
    /// the fastest at long range; if they do not fit, another method is used
    #[arg(long, value_name = "MIB", default_value = "1024",
        value_parser = whole::<u16>(0..=u16::MAX), allow_negative_numbers = true)]
    pub(super) memory: u16,

    /// Write to FILE [default: standard output, `-`]
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,

    /// Write the orientation of each particle to FILE, as CSV lines `x,y,psi_re,psi_im,psi_abs`, after
    /// a column `frame` if the points have one. The parts are multiples of 2^-14
    #[arg(long, value_name = "FILE", conflicts_with = "rdf")]
    pub(super) psi: Option<PathBuf>,

    /// Draw the particles of the only frame, coloured by the magnitude of their orientation with the
    /// first --fold
    #[arg(long, value_name = "FILE", conflicts_with_all = ["rdf", "frames", "average"])]
    pub(super) psi_svg: Option<PathBuf>,

    /// Plot to FILE, as SVG. |g6| has logarithmic axes, with r^-1/4 for comparison; g(r) is below it
    #[arg(long, value_name = "FILE")]
    pub(super) svg: Option<PathBuf>,
}

/// The plane of `--box`.
#[derive(Clone, Copy)]
pub(super) enum Plane {
    Open,
    Periodic([f64; 2]),
}

impl Arguments {
    /// The periods of --box.
    pub(super) fn given_periods(&self) -> Option<[f64; 2]> {
        if let Some(Plane::Periodic(periods)) = self.plane { Some(periods) } else { None }
    }

    /// The periods of a frame: those of --box, or else of the file.
    pub(super) fn periods(&self, table: &Table) -> Option<[f64; 2]> {
        self.given_periods().or(table.periods)
    }

    pub(super) fn boundary(&self, table: &Table) -> Boundary {
        self.periods(table).map_or(Boundary::Open, Boundary::Periodic)
    }

    pub(super) fn has_own_orientations(&self) -> bool {
        self.neighbours.is_some() || self.radius.is_some() || self.voronoi
    }

    /// How POINTS is read.
    pub(super) fn reading(&self) -> Result<Reading<'_>, Failure> {
        if self.fold.len() > 1 && !self.has_own_orientations() {
            let why = "--fold: several symmetries need orientations from --neighbours, --radius or --voronoi";
            return Err(Failure::Usage(why.to_owned()));
        }
        if let Some(twice) = (1..self.fold.len()).find(|&index| self.fold[..index].contains(&self.fold[index])) {
            return Err(Failure::Usage(format!("--fold: {} stands twice; leave one out", self.fold[twice])));
        }
        if self.ignore_theta && !self.has_own_orientations() {
            let why = "--ignore-theta has no effect without --neighbours, --radius or --voronoi; give one of these";
            return Err(Failure::Usage(why.to_owned()));
        }
        let source = match self.rdf {
            true => Source::Nowhere,
            false if self.has_own_orientations() => Source::Positions { ignores_columns: self.ignore_theta },
            false => Source::Columns(self.fold[0]),
        };
        let frames = match self.frame {
            Some(chosen) => Frames::Number(chosen),
            None if self.average || self.frames => Frames::All,
            None => Frames::Single,
        };
        let replaced = self.plane.is_some() || self.mask.is_some();
        let file_box = if replaced { FileBox::Replaced } else { FileBox::Used };
        let (types, frame_column) = (self.types.as_ref(), self.frame_column.as_deref());
        let columns = self.columns.as_ref();
        if frame_column.is_some() && columns.is_some_and(|columns| columns.named("frame").is_some()) {
            let why = "--columns frame= and --frame-column name the same; leave one of them out";
            return Err(Failure::Usage(why.to_owned()));
        }
        Ok(Reading { source, frames, types, file_box, frame_column, columns, is_strict: self.strict })
    }

    /// The failure that names the line of a point, or only the file.
    pub(super) fn fault(&self, table: &Table, error: hotloops::Error) -> Failure {
        let file = self.points.display();
        Failure::Input(match error {
            hotloops::Error::Coordinate { argument, index } => {
                let value = if argument == "x" { table.x[index] } else { table.y[index] };
                let why =
                    format!("{argument} = {value:?} is too far from the origin; shift or rescale the coordinates");
                format!("{file}: line {}: {}", table.lines[index], in_frame(table.frame, why))
            }
            hotloops::Error::Neighbours { k, others } => {
                let why = format!("--neighbours {k}: each point has {others} others; give at most {others}");
                format!("{file}: {}", in_frame(table.frame, why))
            }
            hotloops::Error::Periodic { argument } if table.periods.is_some() && self.given_periods().is_none() => {
                let length = table.periods.map_or(0.0, |periods| periods[usize::from(argument == "y")]);
                let line = table.lines.first().map_or(0, |&line| line);
                let why = format!(
                    "the box above line {line} has the length {length:?} along {argument}, which must be finite and at \
                     least twice the end of --bins and --radius; decrease these, or give --box X,Y or --box open"
                );
                format!("{file}: {}", in_frame(table.frame, why))
            }
            error => format!("{file}: {}", in_frame(table.frame, error.to_string())),
        })
    }
}

fn numbers<const N: usize>(word: &str, separator: char) -> Option<[f64; N]> {
    let numbers: Result<Vec<f64>, _> = word.split(separator).map(str::parse).collect();
    numbers.ok()?.try_into().ok()
}

/// The form of --bins, the end of its error messages.
const BINS: &str = "; expected LO:HI:WIDTH with 0 <= LO < HI and WIDTH > 0, as in 0:600:1";

fn bins(word: &str) -> Result<Bins, String> {
    let [lo, hi, width] = numbers(word, ':').ok_or(format!("expected three numbers{BINS}"))?;
    for (name, value) in [("LO", lo), ("HI", hi), ("WIDTH", width)] {
        if !value.is_finite() {
            return Err(format!("{name} = {value} is not a finite number{BINS}"));
        }
    }
    if lo < 0.0 {
        return Err(format!("LO = {lo} is negative{BINS}"));
    }
    if width <= 0.0 {
        return Err(format!("WIDTH = {width} is not positive{BINS}"));
    }
    if lo >= hi {
        return Err(format!("LO = {lo} is not less than HI = {hi}{BINS}"));
    }
    Bins::uniform(lo, hi, width).map_err(|error| match error {
        hotloops::Error::TooLarge { .. } => format!("more than {MAX_BINS} bins; increase WIDTH"),
        hotloops::Error::Bins { .. } if hi - lo < width => {
            format!("no bin of width {width} fits between {lo} and {hi}; decrease WIDTH or increase HI")
        }
        hotloops::Error::Bins { .. } => {
            format!("WIDTH = {width} is too small for HI = {hi}: bin edges coincide; increase WIDTH")
        }
        error => error.to_string(),
    })
}

fn radius(word: &str) -> Result<f64, String> {
    let radius = word.parse().ok().filter(|radius: &f64| *radius > 0.0 && radius.is_finite());
    radius.ok_or_else(|| "expected a positive number, such as 1.5".to_owned())
}

fn range(word: &str) -> Result<[f64; 2], String> {
    let range = numbers(word, ':').filter(|[lo, hi]: &[f64; 2]| 0.0 <= *lo && lo < hi && hi.is_finite());
    range.ok_or_else(|| "expected two numbers, 0 <= LO < HI, as in 2:50".to_owned())
}

fn pair_of_types(word: &str) -> Result<[String; 2], String> {
    let types: Vec<String> = word.split(',').map(str::to_owned).collect();
    types.try_into().map_err(|_| "expected two types, as in A,B; for pairs of one type, A,A".to_owned())
}

fn plane(word: &str) -> Result<Plane, String> {
    match numbers(word, ',') {
        _ if word == "open" => Ok(Plane::Open),
        Some(lengths) if lengths.iter().all(|length| (1e-290..=1e290).contains(length)) => Ok(Plane::Periodic(lengths)),
        _ => Err("expected two positive numbers from 1e-290 to 1e290, as in 1024,768, or `open`".to_owned()),
    }
}
