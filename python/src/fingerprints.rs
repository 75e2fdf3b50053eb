//! `hotloops.fingerprints`.

use hotloops::Error;
use hotloops::fingerprints::{Condition, Measure};
use hotloops::hamming::{self, BitRows, Neighbour, PackedRows, Similarity};
use hotloops_gpu::Choice;
use numpy::PyArrayDyn;
use pyo3::prelude::*;

use crate::arguments::{choice, count, name, optional_count, unit};
use crate::arrays::{Bytes, room, wrong, zeros};
use crate::bit_rows::{UNIT, rows};
use crate::devices::{self, Rows};
use crate::index::PyIndex;
use crate::threads::{self, Stop, on};

/// Rows that a thread takes at once.
const ROWS: usize = 64;

/// Queries of `nearest` that a thread takes at once.
const BATCH: usize = 128;

/// Neighbours of a query beyond which a thread takes fewer queries at once.
const K: usize = 1000;

/// Two sets of rows of equally many bits.
fn both<'a>(a: &'a Bytes<'_>, b: &'a Bytes<'_>, bits: Option<usize>) -> PyResult<[BitRows<'a>; 2]> {
    let (a, b) = (rows("a", a, bits)?, rows("b", b, bits)?);
    if a.bits() != b.bits() {
        return Err(wrong("b", format_args!("has {} bits, a has {}", b.bits(), a.bits())));
    }
    Ok([a, b])
}

/// The similarity of each row of `a` and each row of `b` (by default `a`), as float32 of shape
/// (len(a), len(b)). `measure` is "tanimoto", "dice" or "cosine".
///
/// `a` and `b` are rows of uint8, as of `Index`. `bits` is the number of bits of a row, by default all; `empty`,
/// from 0 to 1, is the similarity of two rows without ones. `threads` is 1 to 4096, or None for one for each core.
/// Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt.
///
/// >>> import numpy as np
/// >>> from hotloops import fingerprints
/// >>> rows = np.array([[0b0011], [0b0111]], dtype=np.uint8)
/// >>> fingerprints.similarity_matrix(rows).round(3).tolist()
/// [[1.0, 0.6669999957084656], [0.6669999957084656, 1.0]]
#[pyfunction]
#[pyo3(signature = (a, b = None, *, measure = "tanimoto", bits = None, empty = 0.0, threads = None))]
fn similarity_matrix<'py>(
    a: &Bound<'py, PyAny>,
    b: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = choice::<name::Similarity>)] measure: &'static str,
    #[pyo3(from_py_with = optional_count::<name::Bits>)] bits: Option<usize>,
    #[pyo3(from_py_with = unit::<name::Empty>)] empty: f32,
    #[pyo3(from_py_with = optional_count::<name::Threads>)] threads: Option<usize>,
) -> PyResult<Bound<'py, PyArrayDyn<f32>>> {
    let similarity = match measure {
        "tanimoto" => Similarity::Tanimoto,
        "dice" => Similarity::Dice,
        _ => Similarity::Cosine,
    };
    matrix(a, b, bits, threads, move |packed, rows, out, stride| {
        hamming::similarities(packed, rows, similarity, empty, out, stride)
    })
}

/// The Hamming distance of each row of `a` and each row of `b` (by default `a`), as uint32 of shape
/// (len(a), len(b)).
///
/// `a` and `b` are rows of uint8, as of `Index`. `bits` is the number of bits of a row, by default all. `threads`
/// is 1 to 4096, or None for one for each core.
/// Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt.
///
/// >>> import numpy as np
/// >>> from hotloops import fingerprints
/// >>> fingerprints.hamming_matrix(np.array([[0b0011], [0b0111]], dtype=np.uint8)).tolist()
/// [[0, 1], [1, 0]]
#[pyfunction]
#[pyo3(signature = (a, b = None, *, bits = None, threads = None))]
fn hamming_matrix<'py>(
    a: &Bound<'py, PyAny>,
    b: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = optional_count::<name::Bits>)] bits: Option<usize>,
    #[pyo3(from_py_with = optional_count::<name::Threads>)] threads: Option<usize>,
) -> PyResult<Bound<'py, PyArrayDyn<u32>>> {
    matrix(a, b, bits, threads, hamming::cross)
}

fn matrix<'py, T: numpy::Element + Copy + Send + 'py>(
    a: &Bound<'py, PyAny>,
    b: Option<&Bound<'py, PyAny>>,
    bits: Option<usize>,
    threads: Option<usize>,
    fill: impl Fn(&PackedRows, BitRows, &mut [T], usize) -> Result<(), Error> + Sync + Send,
) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    let py = a.py();
    let (a, b) = (Bytes::rows("a", a)?, Bytes::rows("b", b.unwrap_or(a))?);
    let ([m, width], [n, _]) = (a.shape, b.shape);
    let [all, _] = both(&a, &b, bits)?;
    let (bits, of_a, of_b) = (all.bits(), a.elements(), b.elements());
    let (array, out) = zeros::<T>(py, &[m, n])?;
    if !out.is_empty() {
        // Rows of b that are packed together: a unit of work compares them with `ROWS` of a.
        let block = (UNIT / ROWS / width.max(1)).clamp(1, n).next_multiple_of(64);
        on(py, threads, (m * width).saturating_mul(n), |watch| {
            let blocks = watch.each((0..n).step_by(block), |_, first| {
                let rows = BitRows::new(&of_b[first * width..], block.min(n - first), bits, width)?;
                let mut packed = room(hamming::packed_len(rows.len(), bits)?, 0)?;
                hamming::pack(rows, &mut packed)?;
                Ok(packed)
            })?;
            watch.each(out.chunks_mut(ROWS * n), |part, out| {
                let rows = out.len() / n;
                let rows = BitRows::new(&of_a[part * ROWS * width..][..rows * width], rows, bits, width)?;
                blocks.iter().enumerate().try_for_each(|(number, packed)| {
                    watch.check()?;
                    Ok(fill(&PackedRows::new(packed)?, rows, &mut out[number * block..], n)?)
                })
            })
        })?;
    }
    Ok(array)
}

/// Row numbers and their distances.
type Nearest<'py> = (Bound<'py, PyArrayDyn<u64>>, Bound<'py, PyArrayDyn<u32>>);

/// The `k` rows nearest to each query by Hamming distance: arrays of their numbers (uint64) and
/// distances (uint32), of shape (len(queries), min(k, len(rows))), ordered by distance, then by row.
///
/// `queries` and `rows` are rows of uint8, as of `Index`; `k` is at least 0. `bits` is the number of bits of a row,
/// by default all. `threads` is 1 to 4096, or None for one for each core. `device` is that of `Index.search`.
/// Raises: ValueError or TypeError with the name of a wrong argument; RuntimeError if a device fails; MemoryError;
/// KeyboardInterrupt.
///
/// >>> import numpy as np
/// >>> from hotloops import fingerprints
/// >>> rows = np.array([[0b0000], [0b1111], [0b0111]], dtype=np.uint8)
/// >>> numbers, distances = fingerprints.nearest(rows[:1], rows, k=2)
/// >>> numbers.tolist(), distances.tolist()
/// ([[0, 2]], [[0, 3]])
#[pyfunction]
#[pyo3(signature = (queries, rows, k = 1, *, bits = None, threads = None, device = Choice::Cpu),
       text_signature = "(queries, rows, k=1, *, bits=None, threads=None, device='cpu')")]
fn nearest<'py>(
    queries: &Bound<'py, PyAny>,
    rows: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = count::<name::K>)] k: usize,
    #[pyo3(from_py_with = optional_count::<name::Bits>)] bits: Option<usize>,
    #[pyo3(from_py_with = optional_count::<name::Threads>)] threads: Option<usize>,
    #[pyo3(from_py_with = devices::choice)] device: Choice,
) -> PyResult<Nearest<'py>> {
    let py = queries.py();
    let (queries, bytes) = (Bytes::rows("queries", queries)?, Bytes::rows("rows", rows)?);
    let (all, rows) = (self::rows("queries", &queries, bits)?, self::rows("rows", &bytes, bits)?);
    if all.bits() != rows.bits() {
        return Err(wrong("queries", format_args!("have {} bits, rows {}", all.bits(), rows.bits())));
    }
    let ([count, width], [_, of_width], k) = (queries.shape, bytes.shape, k.min(rows.len()));
    let (numbers, number) = zeros::<u64>(py, &[count, k])?;
    let (distances, distance) = zeros::<u32>(py, &[count, k])?;
    let (queries, of_rows) = (queries.elements(), bytes.elements());
    threads::check(threads)?;
    let queues = devices::open(py, device)?;
    if !queues.is_empty() && !number.is_empty() {
        let shape = (rows.len(), rows.bits(), of_width);
        let rows = py.detach(|| Rows::new(queues, of_rows, shape)).map_err(crate::failed)?;
        let condition = Condition { measure: Measure::Hamming, threshold: (shape.1 as f32).next_up(), empty: 0.0 };
        let best = rows.search(py, (queries, count, width), shape.1, &condition, Some(k))?;
        for ((number, distance), near) in number.iter_mut().zip(distance).zip(best.iter().flatten()) {
            (*number, *distance) = (near.row, near.score as u32);
        }
    } else if !number.is_empty() {
        // The time of a query grows with `k`.
        let batch = (BATCH * K / k).clamp(1, BATCH);
        // A unit of work compares `batch` queries with `block` rows.
        let block = (UNIT / BATCH / width.max(1)).max(64 * k);
        on(py, threads, queries.len().saturating_mul(rows.len()), |watch| {
            let parts = number.chunks_mut(batch * k).zip(distance.chunks_mut(batch * k));
            watch.each(parts, |part, (number, distance)| {
                let queries = &queries[part * batch * width..][..number.len() / k * width];
                let queries = BitRows::new(queries, number.len() / k, rows.bits(), width)?;
                let mut best: Vec<Neighbour> = Vec::new();
                for first in (0..rows.len()).step_by(block) {
                    watch.check()?;
                    let some = block.min(rows.len() - first);
                    let rows = BitRows::new(&of_rows[first * of_width..], some, rows.bits(), of_width)?;
                    add_nearest(queries, rows, first, k, &mut best)?;
                }
                for ((number, distance), near) in number.iter_mut().zip(distance).zip(&best) {
                    (*number, *distance) = (near.row, near.distance);
                }
                Ok::<(), Stop>(())
            })
        })?;
    }
    Ok((numbers, distances))
}

/// The `k` nearest of all rows so far: `best` holds those of the rows before row `first`.
fn add_nearest(
    queries: BitRows,
    rows: BitRows,
    first: usize,
    k: usize,
    best: &mut Vec<Neighbour>,
) -> Result<(), Error> {
    let mut found = room(queries.len() * k, Neighbour::default())?;
    let count = hamming::nearest(queries, rows, k, &mut found)?;
    found.iter_mut().for_each(|near| near.row += first as u64);
    if best.is_empty() {
        // The first block has at least `k` rows.
        *best = found;
        return Ok(());
    }
    let mut both = room(k + count, Neighbour::default())?;
    for (best, found) in best.chunks_exact_mut(k).zip(found.chunks_exact(k)) {
        both[..k].copy_from_slice(best);
        both[k..].copy_from_slice(&found[..count]);
        both.sort_unstable_by_key(|near| (near.distance, near.row));
        best.copy_from_slice(&both[..k]);
    }
    Ok(())
}

pub fn register(parent: &Bound<'_, PyModule>) -> PyResult<()> {
    let module = crate::submodule(parent, "fingerprints")?;
    module.add_class::<PyIndex>()?;
    module.add_function(wrap_pyfunction!(similarity_matrix, &module)?)?;
    module.add_function(wrap_pyfunction!(hamming_matrix, &module)?)?;
    module.add_function(wrap_pyfunction!(nearest, &module)?)?;
    Ok(())
}
