//! `hotloops.correlation`.

use hotloops::Error;
use hotloops::correlation::{Accumulator, Bins, Boundary, Neighbours, Points, Psi};
use numpy::{Complex64, PyArray1};
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::arguments::{count, name, optional_count, optional_real, optional_small, periods, small};
use crate::arrays::{
    collected, contiguous, elements, fresh, integers, numbers_of, reals, refuse_masked, room, shape, wrong,
};
use crate::raised;
use crate::threads::{Stop, on_raising};

/// The largest number of cells that a thread takes at once.
const CELLS: usize = 256;

/// Pairs that a thread takes at once, about.
const PAIRS: f64 = (1u64 << 25) as f64;

/// The area of a box, or of the smallest one that holds all points.
fn area(x: &[f64], y: &[f64], r#box: Option<[f64; 2]>) -> f64 {
    let extent = |values: &[f64]| {
        let bounds = values.iter().fold([f64::MAX, f64::MIN], |[min, max], &value| [min.min(value), max.max(value)]);
        bounds[1] - bounds[0]
    };
    let [width, height] = r#box.unwrap_or_else(|| [extent(x), extent(y)]);
    width * height
}

/// Cells that a thread takes at once, with points whose neighbours within `r_max` make [`PAIRS`].
fn cells_of_unit(points: &Points, r_max: f64, area: f64) -> usize {
    let n = points.len() as f64;
    let neighbours = n * (std::f64::consts::PI * r_max * r_max / area).min(1.0);
    let pairs_of_cell = n * neighbours / points.cells().max(1) as f64;
    ((PAIRS / pairs_of_cell) as usize).clamp(1, CELLS)
}

/// The coordinates of points: x, then y.
fn coordinates(points: &Bound<'_, PyAny>) -> PyResult<[Vec<f64>; 2]> {
    let points = contiguous(&reals("points", points)?)?;
    match shape("points", &points)? {
        [_, 2] => {
            let (rows, _) = elements(&points).as_chunks::<2>();
            let [x, y] = [0, 1].map(|axis| collected(rows.iter().map(|row| row[axis])));
            Ok([x.map_err(raised)?, y.map_err(raised)?])
        }
        [_, columns] => Err(wrong("points", format_args!("expected shape (n, 2), found {columns} columns"))),
    }
}

/// An error of points that are compared up to a distance, which the argument `distance` gives.
fn of_points(error: Error, distance: &str) -> PyErr {
    match error {
        Error::Periodic { .. } => {
            wrong(&format!("box, {distance}"), "the periods must be at least twice the largest distance")
        }
        Error::Coordinate { argument: "radius", .. } => wrong("radius", "expected a positive number"),
        Error::Coordinate { index, .. } => {
            wrong("points", format_args!("number {index} is not finite, or outside the supported range"))
        }
        error => raised(error),
    }
}

fn boundary(r#box: Option<[f64; 2]>) -> Boundary {
    r#box.map_or(Boundary::Open, Boundary::Periodic)
}

/// A complex number for each point: from an array of complex numbers, or of angles.
fn orientations(value: &Bound<'_, PyAny>, n: usize, fold: u32) -> PyResult<Vec<Psi>> {
    let py = value.py();
    refuse_masked("orientations", value)?;
    let array = crate::arrays::numpy(py, "asarray")?.call1((value,))?;
    let at = |(index, psi): (usize, Result<Psi, Error>)| {
        psi.map_err(|_| wrong("orientations", format_args!("value {index} is not an orientation")))
    };
    let all: Vec<Psi> = if crate::arrays::numpy(py, "iscomplexobj")?.call1((&array,))?.is_truthy()? {
        let array = contiguous(&numbers_of::<Complex64>("orientations", array.cast()?)?)?;
        let parts = elements(&array).iter().map(|z| Psi::new(z.re, z.im));
        parts.enumerate().map(at).collect::<PyResult<_>>()?
    } else {
        let array = contiguous(&numbers_of::<f64>("orientations", array.cast()?)?)?;
        let parts = elements(&array).iter().map(|&theta| Psi::from_angle(theta, fold));
        parts.enumerate().map(at).collect::<PyResult<_>>()?
    };
    if all.len() != n {
        return Err(wrong(
            "orientations",
            format_args!("expected {n}, one for each of the points, found {}", all.len()),
        ));
    }
    Ok(all)
}

/// The edges of bins of one width, as the command has them: an edge that exceeds `hi` by rounding is `hi`.
#[pyfunction]
fn uniform_edges(py: Python<'_>, lo: f64, hi: f64, width: f64) -> PyResult<Bound<'_, PyArray1<f64>>> {
    let bins = Bins::uniform(lo, hi, width).map_err(|error| match error {
        Error::Bins { .. } => wrong("bins", format_args!("no bins of width {width} between {lo} and {hi}")),
        error => raised(error),
    })?;
    Ok(PyArray1::from_slice(py, bins.edges()))
}

/// Edges, numbers of pairs, sums of products, and the number of points.
type Pairs<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<f64>>, usize);

/// The pairs of points in each bin of distances. `hotloops.correlation.g6` and `rdf` are made of it.
#[pyfunction]
#[pyo3(signature = (points, edges, orientations = None, r#box = None, fold = 6, threads = None))]
fn pairs<'py>(
    points: &Bound<'py, PyAny>,
    edges: &Bound<'py, PyAny>,
    orientations: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = periods::<name::Box>)] r#box: Option<[f64; 2]>,
    #[pyo3(from_py_with = small::<name::Fold>)] fold: u32,
    #[pyo3(from_py_with = optional_count::<name::Threads>)] threads: Option<usize>,
) -> PyResult<Pairs<'py>> {
    let py = points.py();
    let [x, y] = coordinates(points)?;
    let edges = contiguous(&reals("bins", edges)?)?;
    let [_] = shape("bins", &edges)?;
    let bins = Bins::from_edges(elements(&edges)).map_err(|error| match error {
        Error::Bins { index } => {
            wrong("bins", format_args!("edge {index} is not above the one before, or there are fewer than two"))
        }
        error => raised(error),
    })?;
    let psi = orientations.map(|psi| self::orientations(psi, x.len(), fold)).transpose()?;
    let r_max = bins.r_max();
    let counted = on_raising(
        py,
        threads,
        |error| of_points(error, "bins"),
        |watch| {
            let boundary = boundary(r#box);
            let points = match &psi {
                Some(psi) => Points::new(&x, &y, psi, boundary, r_max)?,
                None => Points::of_positions(&x, &y, boundary, r_max)?,
            };
            let cells = cells_of_unit(&points, r_max, area(&x, &y, r#box));
            let starts: Vec<usize> = (0..points.cells()).step_by(cells).collect();
            let whole = || Accumulator::new(bins.clone());
            starts
                .par_iter()
                .try_fold(whole, |mut all, &start| {
                    watch.check()?;
                    let part = start..(start + cells).min(points.cells());
                    all.as_mut().map_err(|error| *error)?.add_points_of_cells(&points, part)?;
                    Ok::<_, Stop>(all)
                })
                .try_reduce(whole, |a, b| {
                    let (mut a, b) = (a?, b?);
                    a.merge(&b)?;
                    Ok(Ok(a))
                })?
                .map_err(Stop::from)
        },
    )?;
    let bins: Vec<_> = counted.bins().collect();
    let (counts, count) = fresh::<u64>(py, bins.len())?;
    let (means, mean) = fresh::<f64>(py, bins.len())?;
    for ((count, mean), bin) in count.iter_mut().zip(mean).zip(&bins) {
        (*count, *mean) = (bin.count, bin.g().unwrap_or(f64::NAN));
    }
    Ok((PyArray1::from_slice(py, elements(&edges)), counts, means, x.len()))
}

/// The bond-orientational order of each point: the mean of exp(i fold theta) over the directions to
/// its `k` nearest neighbours, or to all within `radius`. `fold` is `k` by default, and 6 with a
/// radius. `box` gives the periods of the plane in x and y. Returns complex numbers, multiples of
/// 2^-14.
///
/// `points` has shape (n, 2). `k` is from 1 to n - 1 and ignored with a `radius`, which is positive, in the unit of
/// the points, as `box` is.
/// Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt.
///
/// >>> import numpy as np
/// >>> from hotloops import correlation
/// >>> square = np.stack(np.meshgrid(np.arange(6.0), np.arange(6.0)), -1).reshape(-1, 2)
/// >>> bool((correlation.psi(square, 4, box=(6.0, 6.0)) == 1).all())
/// True
#[pyfunction]
#[pyo3(signature = (points, k = 6, r#box = None, *, radius = None, fold = None))]
fn psi<'py>(
    points: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = count::<name::K>)] k: usize,
    #[pyo3(from_py_with = periods::<name::Box>)] r#box: Option<[f64; 2]>,
    #[pyo3(from_py_with = optional_real::<name::Radius>)] radius: Option<f64>,
    #[pyo3(from_py_with = optional_small::<name::Fold>)] fold: Option<u32>,
) -> PyResult<Bound<'py, PyArray1<Complex64>>> {
    let py = points.py();
    let [x, y] = coordinates(points)?;
    let boundary = boundary(r#box);
    let raise = |error| of_points(error, if radius.is_some() { "radius" } else { "k" });
    let all = on_raising(py, Some(1), raise, |watch| {
        let (neighbours, fold) = match radius {
            Some(radius) => (Neighbours::within(&x, &y, boundary, radius)?, fold.unwrap_or(6)),
            None => (Neighbours::nearest(&x, &y, boundary, k)?, fold.unwrap_or(u32::try_from(k).unwrap_or(u32::MAX))),
        };
        let mut all = room(x.len(), Psi::default())?;
        for part in 0..neighbours.parts() {
            watch.check()?;
            for (point, psi) in neighbours.orientations(part, fold)? {
                all[point] = psi;
            }
        }
        Ok(all)
    })?;
    complex(py, &all)
}

/// Orientations as complex numbers.
fn complex<'py>(py: Python<'py>, all: &[Psi]) -> PyResult<Bound<'py, PyArray1<Complex64>>> {
    let parts = all.iter().map(|psi| psi.parts().map(|part| f64::from(part) / 16384.0));
    let (array, values) = fresh::<Complex64>(py, all.len())?;
    values.iter_mut().zip(parts).for_each(|(value, [re, im])| *value = Complex64::new(re, im));
    Ok(array)
}

/// The bond-orientational order of each point from given bonds, such as those of a triangulation: the mean of
/// exp(i fold theta) over the directions from point `bonds[b][0]` to point `bonds[b][1]`, and 0 for a point without
/// bonds. `weights` has a number for each bond (1 by default), such as the length of the edge that two Voronoi cells
/// share. `box` gives the periods of the plane in x and y; a bond leads to the nearest image. Returns complex
/// numbers, multiples of 2^-14.
///
/// `points` has shape (n, 2), `bonds` shape (m, 2) with integers from 0 to n - 1, and `weights` m numbers of at least 0.
/// Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt.
///
/// >>> from hotloops import correlation
/// >>> corner = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
/// >>> correlation.psi_of_bonds(corner, [[0, 1], [0, 2]], weights=[3.0, 1.0], fold=2).real.tolist()
/// [0.5, 0.0, 0.0]
#[pyfunction]
#[pyo3(signature = (points, bonds, r#box = None, *, weights = None, fold = 6))]
fn psi_of_bonds<'py>(
    points: &Bound<'py, PyAny>,
    bonds: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = periods::<name::Box>)] r#box: Option<[f64; 2]>,
    weights: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = small::<name::Fold>)] fold: u32,
) -> PyResult<Bound<'py, PyArray1<Complex64>>> {
    let [x, y] = coordinates(points)?;
    let bonds = contiguous(&integers("bonds", bonds)?)?;
    let [count, 2] = shape("bonds", &bonds)? else { return Err(wrong("bonds", "expected two columns")) };
    let (pairs, _) = elements(&bonds).as_chunks::<2>();
    if let Some(point) = elements(&bonds).iter().find(|&&point| !(0..x.len() as i64).contains(&point)) {
        return Err(wrong("bonds", format_args!("there is no point {point} among {}", x.len())));
    }
    let pairs = collected(pairs.iter().map(|pair| pair.map(|point| point as usize))).map_err(raised)?;
    let all = match weights {
        None => Psi::of_bonds(&x, &y, boundary(r#box), &pairs, fold),
        Some(weights) => {
            let weights = contiguous(&reals("weights", weights)?)?;
            let [_] = shape("weights", &weights)?;
            Psi::of_weighted_bonds(&x, &y, boundary(r#box), &pairs, elements(&weights), fold)
        }
    };
    let raise = |error| match error {
        Error::Coordinate { argument: "weights", index } => {
            wrong("weights", format_args!("number {index} is negative or not finite"))
        }
        Error::Length { .. } => wrong("weights", format_args!("expected {count}, one for each of the bonds")),
        Error::Periodic { .. } => wrong("box", "expected periods from 1e-290 to 1e290"),
        error => of_points(error, "bonds"),
    };
    complex(points.py(), &all.map_err(raise)?)
}

pub fn register(parent: &Bound<'_, PyModule>) -> PyResult<()> {
    let module = PyModule::new(parent.py(), "correlation")?;
    module.add_function(wrap_pyfunction!(pairs, &module)?)?;
    module.add_function(wrap_pyfunction!(uniform_edges, &module)?)?;
    module.add_function(wrap_pyfunction!(psi, &module)?)?;
    module.add_function(wrap_pyfunction!(psi_of_bonds, &module)?)?;
    parent.add_submodule(&module)
}
