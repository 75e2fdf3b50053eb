//! `hotloops.correlation`.

use std::num::NonZero;

use hotloops::Error;
use hotloops::correlation::{Accumulator, Bins, Bonds, Boundary, Image, Neighbours, PairPlan, Points, Psi};
use numpy::{Complex64, PyArray1};
use pyo3::prelude::*;

use crate::arguments::{count, name, optional_count, optional_real, optional_small, periods, small};
use crate::arrays::{
    complained, contiguous, elements, fresh, integers, numbers_of, reals, refuse_masked, reserved, shape, wrong,
};
use crate::raised;
use crate::threads::{Stop, Watch, in_parts, on_raising};

/// The largest number of cells that a thread takes at once.
const CELLS: usize = 256;

/// Pairs that a thread takes at once, about.
const PAIRS: f64 = (1u64 << 25) as f64;

/// Bytes that the transforms of an image may take.
const MEMORY: usize = 1 << 30;

/// Work of a bond, in elements.
const WORK_OF_BOND: usize = 16;

/// Pairs of a point that count for whether threads share the work.
const PAIRS_OF_POINT: usize = 1 << 10;

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
            let mut all = [reserved(rows.len())?, reserved(rows.len())?];
            in_parts(points.py(), (rows.len(), 1), 4 * rows.len(), |part| {
                all.iter_mut()
                    .enumerate()
                    .for_each(|(axis, all)| all.extend(rows[part.clone()].iter().map(|row| row[axis])));
                Ok(())
            })?;
            Ok(all)
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
    let array = crate::arrays::numpy(py, "asarray")?.call1((value,));
    let array = array.map_err(|error| complained(py, "orientations", error))?;
    let all = if crate::arrays::numpy(py, "iscomplexobj")?.call1((&array,))?.is_truthy()? {
        let array = contiguous(&numbers_of::<Complex64>("orientations", array.cast()?)?)?;
        each_orientation(py, elements(&array), |z| Psi::new(z.re, z.im))?
    } else {
        let array = contiguous(&numbers_of::<f64>("orientations", array.cast()?)?)?;
        each_orientation(py, elements(&array), |&theta| Psi::from_angle(theta, fold))?
    };
    if all.len() != n {
        return Err(wrong(
            "orientations",
            format_args!("expected {n}, one for each of the points, found {}", all.len()),
        ));
    }
    Ok(all)
}

fn each_orientation<T: Sync>(
    py: Python<'_>,
    values: &[T],
    psi: impl Fn(&T) -> Result<Psi, Error> + Sync,
) -> PyResult<Vec<Psi>> {
    let mut all = reserved(values.len())?;
    let mut wrong_at = None;
    in_parts(py, (values.len(), 1), 16 * values.len(), |part| {
        for index in part {
            match psi(&values[index]) {
                Ok(psi) => all.push(psi),
                Err(error) => {
                    wrong_at = Some(index);
                    return Err(error);
                }
            }
        }
        Ok(())
    })
    .map_err(|error| match wrong_at {
        Some(index) => wrong("orientations", format_args!("value {index} is not an orientation")),
        None => error,
    })?;
    Ok(all)
}

/// Bins of one width from a tuple of a lower end, an upper end and a width, as the command has them, or those between
/// given edges.
fn bins_of(value: &Bound<'_, PyAny>) -> PyResult<Bins> {
    if let Ok((lo, hi, width)) = value.extract::<(f64, f64, f64)>() {
        return Bins::uniform(lo, hi, width).map_err(|error| match error {
            Error::Bins { .. } => wrong("bins", format_args!("no bins of width {width} between {lo} and {hi}")),
            error => raised(error),
        });
    }
    let edges = contiguous(&reals("bins", value)?)?;
    let [_] = shape("bins", &edges)?;
    Bins::from_edges(elements(&edges)).map_err(|error| match error {
        Error::Bins { index } => {
            wrong("bins", format_args!("edge {index} is not above the one before, or there are fewer than two"))
        }
        error => raised(error),
    })
}

/// Edges, pair counts, sums of products, and the number of points.
type Pairs<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<f64>>, usize);

/// The pairs of points in each bin of distances. `hotloops.correlation.g6` and `rdf` are made of it.
#[pyfunction]
#[pyo3(signature = (points, bins, orientations = None, r#box = None, fold = 6, threads = None))]
fn pairs<'py>(
    points: &Bound<'py, PyAny>,
    bins: &Bound<'py, PyAny>,
    orientations: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = periods::<name::Box>)] r#box: Option<[f64; 2]>,
    #[pyo3(from_py_with = small::<name::Fold>)] fold: u32,
    #[pyo3(from_py_with = optional_count::<name::Threads>)] threads: Option<usize>,
) -> PyResult<Pairs<'py>> {
    let py = points.py();
    let [x, y] = coordinates(points)?;
    let bins = bins_of(bins)?;
    let psi = orientations.map(|psi| self::orientations(psi, x.len(), fold)).transpose()?;
    let r_max = bins.r_max();
    let integers = match r#box {
        Some(_) => None,
        None => Image::integers(&x).map_err(raised)?.zip(Image::integers(&y).map_err(raised)?),
    };
    let of_image = |watch: &Watch, x: &[i32], y: &[i32], threads: usize| {
        let image = Image::new_while(x, y, psi.as_deref(), || watch.goes_on())?.ok_or(Stop::Interrupted)?;
        let plan = PairPlan::new_while(&image, &bins, MEMORY, threads, || watch.goes_on())?;
        let plan = plan.ok_or(Stop::Interrupted)?;
        watch.sum(
            plan.parts(),
            || Accumulator::new(bins.clone()),
            |all, part| match all.add_part_while(&plan, part, || watch.goes_on())? {
                true => Ok(()),
                false => Err(Stop::Interrupted),
            },
            |a, b| a.merge(&b),
        )
    };
    let of_points = |watch: &Watch| {
        let boundary = boundary(r#box);
        let points = Points::new_while(&x, &y, psi.as_deref(), boundary, r_max, || watch.goes_on())?;
        let points = points.ok_or(Stop::Interrupted)?;
        let cells = cells_of_unit(&points, r_max, area(&x, &y, r#box));
        watch.sum(
            points.cells().div_ceil(cells),
            || Accumulator::new(bins.clone()),
            |all, unit| {
                let part = unit * cells..((unit + 1) * cells).min(points.cells());
                let is_done = all.add_points_of_cells_while(&points, part, || watch.goes_on())?;
                if is_done { Ok(()) } else { Err(Stop::Interrupted) }
            },
            |a, b| a.merge(&b),
        )
    };
    // Pairs of a few points are counted in no time.
    let work = x.len().saturating_mul(x.len().min(PAIRS_OF_POINT));
    let cores = threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, NonZero::get));
    let counted = on_raising(
        py,
        threads,
        work,
        |error| self::of_points(error, "bins"),
        |watch| match &integers {
            Some((x, y)) => of_image(watch, x, y, cores),
            None => of_points(watch),
        },
    )?;
    let (counts, count) = fresh::<u64>(py, bins.len())?;
    let (means, mean) = fresh::<f64>(py, bins.len())?;
    for ((count, mean), bin) in count.iter_mut().zip(mean).zip(counted.bins()) {
        (*count, *mean) = (bin.count, bin.g().unwrap_or(f64::NAN));
    }
    Ok((PyArray1::from_slice(py, bins.edges()), counts, means, x.len()))
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
    let (array, values) = fresh::<Complex64>(py, x.len())?;
    on_raising(py, Some(1), 64 * x.len(), raise, |watch| {
        let go_on = || watch.goes_on();
        let neighbours = match radius {
            Some(radius) => Neighbours::within_while(&x, &y, boundary, radius, go_on)?,
            None => Neighbours::nearest_while(&x, &y, boundary, k, go_on)?,
        };
        let neighbours = neighbours.ok_or(Stop::Interrupted)?;
        let of_k = if radius.is_some() { 6 } else { u32::try_from(k).unwrap_or(u32::MAX) };
        for part in 0..neighbours.parts() {
            let all = neighbours.orientations_while(part, fold.unwrap_or(of_k), go_on)?;
            for (point, psi) in all.ok_or(Stop::Interrupted)? {
                let [re, im] = psi.parts().map(|part| f64::from(part) / 16384.0);
                values[point] = Complex64::new(re, im);
            }
        }
        Ok(())
    })?;
    Ok(array)
}

/// The bond-orientational order of each point from given bonds, such as those of a triangulation: the mean of
/// exp(i fold theta) over the directions from point `bonds[b][0]` to point `bonds[b][1]`, and 0 for a point without
/// bonds. `weights` has a number for each bond (1 by default), such as the length of the edge that two Voronoi cells
/// share. `box` gives the periods of the plane in x and y; a bond leads to the nearest image, which need not be the
/// adjacent image in a small box. With `displacements`, bond b leads to the image whose difference from its point is
/// closest to `displacements[b]`, which may be off by less than half a period. Returns complex numbers, multiples of
/// 2^-14.
///
/// `points` has shape (n, 2), `bonds` shape (m, 2) with integers from 0 to n - 1, `weights` shape (m,) with numbers
/// that are not negative, and `displacements` shape (m, 2).
/// Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt.
///
/// >>> from hotloops import correlation
/// >>> corner = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
/// >>> correlation.psi_of_bonds(corner, [[0, 1], [0, 2]], weights=[3.0, 1.0], fold=2).real.tolist()
/// [0.5, 0.0, 0.0]
/// >>> sides = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]     # from a point to its own images
/// >>> correlation.psi_of_bonds([[0.2, 0.7]], [[0, 0]] * 4, (1.0, 1.0), displacements=sides, fold=4).real.tolist()
/// [1.0]
#[pyfunction]
#[pyo3(signature = (points, bonds, r#box = None, *, weights = None, displacements = None, fold = 6))]
fn psi_of_bonds<'py>(
    points: &Bound<'py, PyAny>,
    bonds: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = periods::<name::Box>)] r#box: Option<[f64; 2]>,
    weights: Option<&Bound<'py, PyAny>>,
    displacements: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = small::<name::Fold>)] fold: u32,
) -> PyResult<Bound<'py, PyArray1<Complex64>>> {
    let py = points.py();
    let [x, y] = coordinates(points)?;
    let bonds = contiguous(&integers("bonds", bonds)?)?;
    let [count, 2] = shape("bonds", &bonds)? else { return Err(wrong("bonds", "expected two columns")) };
    let pairs = pairs_of_points(py, elements(&bonds), x.len())?;
    let weights = weights.map(|weights| contiguous(&reals("weights", weights)?)).transpose()?;
    if let Some(weights) = &weights {
        let [_] = shape("weights", weights)?;
    }
    let displacements = displacements.map(|all| contiguous(&reals("displacements", all)?)).transpose()?;
    if let Some(displacements) = &displacements {
        let [_, 2] = shape("displacements", displacements)? else {
            return Err(wrong("displacements", "expected two columns"));
        };
    }
    let weights = weights.as_ref().map(elements);
    let displacements = displacements.as_ref().map(|all| elements(all).as_chunks::<2>().0);
    let raise = |error| match error {
        Error::Coordinate { argument: "weights", index } => {
            wrong("weights", format_args!("number {index} is negative or not finite"))
        }
        Error::Coordinate { argument: "displacements", index } => {
            wrong("displacements", format_args!("row {index} is not finite"))
        }
        Error::Length { argument, .. } => wrong(argument, format_args!("expected {count}, one for each of the bonds")),
        Error::Periodic { .. } => wrong("box", "expected periods from 1e-290 to 1e290"),
        error => of_points(error, "bonds"),
    };
    let all = on_raising(py, Some(1), WORK_OF_BOND * (count + x.len()), raise, |watch| {
        let bonds = Bonds { pairs: &pairs, displacements, weights };
        let all = Psi::of_bonds_while((&x, &y), boundary(r#box), bonds, fold, || watch.goes_on())?;
        all.ok_or(Stop::Interrupted)
    })?;
    let (array, values) = fresh::<Complex64>(py, all.len())?;
    in_parts(py, (all.len(), 1), 4 * all.len(), |part| {
        for (value, psi) in values[part.clone()].iter_mut().zip(&all[part]) {
            let [re, im] = psi.parts().map(|part| f64::from(part) / 16384.0);
            *value = Complex64::new(re, im);
        }
        Ok(())
    })?;
    Ok(array)
}

/// Bonds as pairs of points, of which there are `n`.
fn pairs_of_points(py: Python<'_>, bonds: &[i64], n: usize) -> PyResult<Vec<[usize; 2]>> {
    let (bonds, _) = bonds.as_chunks::<2>();
    let (mut pairs, mut missing) = (reserved(bonds.len())?, None);
    in_parts(py, (bonds.len(), 1), 4 * bonds.len(), |part| {
        let is_point = |point: &i64| (0..n as i64).contains(point);
        for bond in &bonds[part] {
            missing = missing.or_else(|| bond.iter().copied().find(|point| !is_point(point)));
            pairs.push(bond.map(|point| point as usize));
        }
        Ok(())
    })?;
    match missing {
        Some(point) => Err(wrong("bonds", format_args!("there is no point {point} among the {n} points"))),
        None => Ok(pairs),
    }
}

pub fn register(parent: &Bound<'_, PyModule>) -> PyResult<()> {
    let module = crate::submodule(parent, "correlation")?;
    module.add_function(wrap_pyfunction!(pairs, &module)?)?;
    module.add_function(wrap_pyfunction!(psi, &module)?)?;
    module.add_function(wrap_pyfunction!(psi_of_bonds, &module)?)?;
    Ok(())
}
