//! `hotloops.fingerprints.Index`.

use std::sync::{Arc, Mutex, PoisonError};

use hotloops::Error;
use hotloops::fingerprints::{Condition, Index, Match, Measure, PairMatch, Searcher};
use hotloops::hamming::BitRows;
use hotloops_gpu::Choice;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arguments::{byte_string, choice, name, optional_count, optional_single, optional_unit, real};
use crate::arrays::{Bytes, collected, fresh, room, wrong};
use crate::bit_rows::{UNIT, rows};
use crate::devices::{self, Rows};
use crate::raised;
use crate::threads::{self, Stop, Watch, on, run};

/// Queries that a thread takes at once.
const QUERIES: usize = 1024;

fn measure(name: &str, alpha: f64, beta: f64) -> Measure {
    match name {
        "tanimoto" => Measure::Tanimoto,
        "dice" => Measure::Dice,
        "cosine" => Measure::Cosine,
        "hamming" => Measure::Hamming,
        "tversky" => Measure::Tversky { alpha, beta },
        _ => Measure::Containment,
    }
}

/// An index for exact similarity search.
///
/// `fingerprints` is an array of uint8 with shape (n, bytes), a row for each fingerprint, bit k in
/// bit k % 8 of byte k // 8 (`hotloops.fingerprints.rows` makes one from RDKit's). `bits` is the
/// number of bits of a row, by default all. The index takes about n (bits / 8 + 4) bytes;
/// `bytes(index)` saves it for this kind of machine, with a checksum, and `Index.load(bytes)` reads it back. It can be
/// pickled.
///
/// Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt.
///
/// >>> import numpy as np
/// >>> from hotloops import fingerprints
/// >>> index = fingerprints.Index(np.array([[0xff], [0x1f], [0xf0], [0x0f]], dtype=np.uint8))
/// >>> rows, scores = index.search(np.array([0x0f], dtype=np.uint8), threshold=0.7)
/// >>> rows.tolist(), [round(float(score), 3) for score in scores]
/// ([3, 1], [1.0, 0.8])
#[pyclass(name = "Index", module = "hotloops.fingerprints", frozen)]
pub struct PyIndex {
    image: Vec<u8>,
    /// The rows on the devices of the last search on any, and the process whose devices these are: a fork has none.
    on_devices: Mutex<Option<(u32, Choice, Arc<Rows>)>>,
}

/// Begins the last bytes of a saved index, before the CRC-32 of its image.
const CHECKSUM: [u8; 4] = *b"crc:";

type Found<'py> = (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<f32>>);

/// Rows that are put together from planes between two looks for an interruption.
const COPIED: usize = 1 << 16;

impl PyIndex {
    fn of(image: Vec<u8>) -> Self {
        PyIndex { image, on_devices: Mutex::new(None) }
    }

    fn index(&self) -> PyResult<Index<'_>> {
        Index::new(&self.image).map_err(raised)
    }

    /// The rows on the devices of a choice. None for the CPU.
    fn on_devices(&self, py: Python<'_>, choice: Choice) -> PyResult<Option<Arc<Rows>>> {
        if choice == Choice::Cpu {
            return Ok(None);
        }
        // Locked for moments, with the interpreter lock.
        let held = || self.on_devices.lock().unwrap_or_else(PoisonError::into_inner);
        let process = std::process::id();
        let last = held().take();
        let stale = match last {
            Some((of, same, rows)) if (of, same) == (process, choice) => {
                *held() = Some((of, same, Arc::clone(&rows)));
                return Ok(Some(rows));
            }
            stale => stale,
        };
        match stale {
            // The parent's devices must not be touched here.
            Some((of, ..)) if of != process => std::mem::forget(stale),
            stale => py.detach(|| drop(stale)),
        }
        let queues = devices::open(py, choice)?;
        if queues.is_empty() {
            return Ok(None);
        }
        let index = self.index()?;
        let (n, bits, width) = (index.len(), index.bits(), index.bits().div_ceil(8));
        let bytes = on(py, Some(1), self.image.len(), |watch| rows_of(&index, watch))?;
        let rows = py.detach(|| Rows::new(queues, &bytes, (n, bits, width))).map_err(crate::failed)?;
        let rows = Arc::new(rows);
        *held() = Some((process, choice, Arc::clone(&rows)));
        Ok(Some(rows))
    }
}

/// The rows of an index by their numbers.
fn rows_of(index: &Index<'_>, watch: &Watch) -> Result<Vec<u8>, Stop> {
    let (n, width) = (index.len(), index.bits().div_ceil(8));
    let (mut rows, mut some) = (room(n * width, 0)?, room(COPIED.min(n) * width, 0)?);
    for first in (0..n).step_by(COPIED) {
        watch.check()?;
        let positions = first..n.min(first + COPIED);
        let some = &mut some[..positions.len() * width];
        index.copy_rows(positions.clone(), some)?;
        for (position, bytes) in positions.zip(some.chunks_exact(width)) {
            // Of a damaged image, rows may be missing.
            let row = index.row(position).unwrap_or_default().min(n - 1);
            rows[row * width..][..width].copy_from_slice(bytes);
        }
    }
    Ok(rows)
}

fn arrays<'py>(py: Python<'py>, matches: &[Match]) -> PyResult<Found<'py>> {
    let (rows, row) = fresh::<u64>(py, matches.len())?;
    let (scores, score) = fresh::<f32>(py, matches.len())?;
    for ((row, score), found) in row.iter_mut().zip(score).zip(matches) {
        (*row, *score) = (found.row, found.score);
    }
    Ok((rows, scores))
}

#[pymethods]
impl PyIndex {
    #[new]
    #[pyo3(signature = (fingerprints, bits = None))]
    fn new(
        fingerprints: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = optional_count::<name::Bits>)] bits: Option<usize>,
    ) -> PyResult<Self> {
        let py = fingerprints.py();
        let bytes = Bytes::rows("fingerprints", fingerprints)?;
        let rows = rows("fingerprints", &bytes, bits)?;
        let len = Index::image_len(rows.len(), rows.bits()).map_err(raised)?;
        let memory = on(py, Some(1), bytes.elements().len(), |watch| {
            let mut memory = room(len, 0)?;
            Index::build_while(rows, &mut memory, || watch.goes_on())?;
            watch.check()?;
            Ok(memory)
        })?;
        Ok(PyIndex::of(memory))
    }

    /// The index that `image`, the result of `bytes(index)`, holds.
    ///
    /// Raises: ValueError or TypeError with the name of a wrong argument; MemoryError.
    #[staticmethod]
    fn load(image: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (py, bytes) = (image.py(), byte_string("image", image)?);
        let bytes = bytes.as_bytes();
        let index = Index::new(bytes).map_err(|error| wrong("image", error))?;
        let image = index.as_bytes();
        let is_whole = match bytes[image.len()..].split_first_chunk() {
            // Saved by versions before the checksum, or by C.
            None => bytes.len() == image.len(),
            Some((name, found)) => *name == CHECKSUM && *found == run(py, image.len(), || crc(image)),
        };
        if !is_whole {
            return Err(wrong("image", "is damaged: its checksum differs; save the index again"));
        }
        let mut copy = room(image.len(), 0).map_err(raised)?;
        copy.copy_from_slice(image);
        Ok(PyIndex::of(copy))
    }

    fn __bytes__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let crc = run(py, self.image.len(), || crc(&self.image));
        PyBytes::new_with(py, self.image.len() + CHECKSUM.len() + crc.len(), |bytes| {
            let (image, end) = bytes.split_at_mut(self.image.len());
            image.copy_from_slice(&self.image);
            end[..CHECKSUM.len()].copy_from_slice(&CHECKSUM);
            end[CHECKSUM.len()..].copy_from_slice(&crc);
            Ok(())
        })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((slf.get_type().getattr("load")?, (slf.get().__bytes__(slf.py())?,)))
    }

    fn __len__(&self) -> PyResult<usize> {
        Ok(self.index()?.len())
    }

    /// Number of bits of a fingerprint.
    #[getter]
    fn bits(&self) -> PyResult<usize> {
        Ok(self.index()?.bits())
    }

    /// The fingerprints similar to a query: arrays of their row numbers (uint64) and scores
    /// (float32), best first, equal scores by row.
    ///
    /// `query` is a row of uint8, or an array of queries with shape (m, bytes); then a list of m
    /// such pairs is returned. `threshold` is the smallest similarity, by default 0.7, or the largest
    /// distance for "hamming", by default all bits.
    /// `top` limits the number of results. `measure` is "tanimoto", "dice", "cosine",
    /// "hamming", "tversky" (with weights `alpha` of the ones that only the query has and `beta` of
    /// those that only the row has) or "containment" (the part of the query's ones that the row
    /// has). `empty` is the similarity of two fingerprints without ones, by default 0; for "containment" it is the
    /// score of a query without ones, by default 1. Several queries are shared
    /// by `threads` threads, by default one for each core.
    /// `device` is "cpu", or where OpenCL devices search instead, with the same result: the number of a device, "all",
    /// or "auto" for all GPUs, or the CPU with a warning if there is none. They hold the rows as long as the index
    /// exists or until a search on others.
    ///
    /// `threshold` and `empty` are from 0 to 1 (distances: at least 0), `alpha` and `beta` finite and at least 0,
    /// `top` is at least 0, or None for all; `threads` is 1 to 4096.
    /// Raises: ValueError or TypeError with the name of a wrong argument; RuntimeError if a device fails; MemoryError;
    /// KeyboardInterrupt.
    #[pyo3(signature = (query, threshold = None, top = None, *, measure = "tanimoto", alpha = 1.0, beta = 1.0,
                        empty = None, threads = None, device = Choice::Cpu),
           text_signature = "($self, query, threshold=None, top=None, *, measure='tanimoto', alpha=1.0, beta=1.0, \
                             empty=None, threads=None, device='cpu')")]
    #[allow(clippy::too_many_arguments, reason = "the options of a call by keyword")]
    fn search<'py>(
        &self,
        query: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = optional_single::<name::Threshold>)] threshold: Option<f32>,
        #[pyo3(from_py_with = optional_count::<name::Top>)] top: Option<usize>,
        #[pyo3(from_py_with = choice::<name::Measure>)] measure: &'static str,
        #[pyo3(from_py_with = real::<name::Alpha>)] alpha: f64,
        #[pyo3(from_py_with = real::<name::Beta>)] beta: f64,
        #[pyo3(from_py_with = optional_unit::<name::Empty>)] empty: Option<f32>,
        #[pyo3(from_py_with = optional_count::<name::Threads>)] threads: Option<usize>,
        #[pyo3(from_py_with = devices::choice)] device: Choice,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = query.py();
        let index = [self.index()?];
        let measure = self::measure(measure, alpha, beta);
        let empty = empty.unwrap_or(if measure == Measure::Containment { 1.0 } else { 0.0 });
        let default = if measure == Measure::Hamming { index[0].bits() as f32 } else { 0.7 };
        let condition = Condition { measure, threshold: threshold.unwrap_or(default), empty };
        let bytes = Bytes::row_or_rows("query", query)?;
        let [count, width] = bytes.shape;
        if width != index[0].bits().div_ceil(8) {
            let [bits, bytes] = [index[0].bits(), index[0].bits().div_ceil(8)];
            return Err(wrong("query", format_args!("has {width} bytes, the index has {bits} bits in {bytes} bytes")));
        }
        let one = |searcher: &mut Searcher, query: &[u8]| match top {
            Some(top) => {
                let mut hits = room(top.min(index[0].len()), Match::default())?;
                let found = searcher.top(&index, query, &condition, &mut hits)?;
                hits.truncate(found);
                Ok(hits)
            }
            None => searcher.all(&index, query, &condition),
        };
        let elements = bytes.elements();
        if let Some(rows) = self.on_devices(py, device)? {
            threads::check(threads)?;
            let all = rows.search(py, (elements, count, width), index[0].bits(), &condition, top)?;
            let mut lists = all.iter().map(|matches| arrays(py, matches)).collect::<PyResult<Vec<_>>>()?;
            return match lists.pop() {
                Some(one) if bytes.is_row => Ok(one.into_pyobject(py)?.into_any()),
                last => {
                    lists.extend(last);
                    Ok(lists.into_pyobject(py)?.into_any())
                }
            };
        }
        if bytes.is_row {
            let matches = py.detach(|| one(&mut Searcher::new(), elements)).map_err(raised)?;
            return Ok(arrays(py, &matches)?.into_pyobject(py)?.into_any());
        }
        let queries = collected((0..count).map(|q| &elements[q * width..][..width])).map_err(raised)?;
        let of_unit = (UNIT / (index[0].len() * width).max(1)).clamp(QUERIES / 64, QUERIES);
        let work = elements.len().saturating_mul(index[0].len());
        let all: Vec<Vec<Vec<Match>>> = on(py, threads, work, |watch| match top {
            Some(_) => watch.each(queries.chunks(QUERIES / 16), |_, queries| {
                let mut searcher = Searcher::new();
                let query = |query: &&[u8]| watch.check().and_then(|()| Ok(one(&mut searcher, query)?));
                queries.iter().map(query).collect()
            }),
            None => watch.each(queries.chunks(of_unit), |_, queries| batch(&index, queries, width, &condition, watch)),
        })?;
        let lists: PyResult<Vec<Found>> = all.iter().flatten().map(|matches| arrays(py, matches)).collect();
        Ok(lists?.into_pyobject(py)?.into_any())
    }
}

fn crc(image: &[u8]) -> [u8; 4] {
    crc32fast::hash(image).to_le_bytes()
}

/// The matches of each query.
fn batch(
    index: &[Index; 1],
    queries: &[&[u8]],
    width: usize,
    condition: &Condition,
    watch: &Watch,
) -> Result<Vec<Vec<Match>>, Stop> {
    let total = queries.len() as u64 * index[0].len() as u64;
    let mut all = vec![Vec::new(); queries.len()];
    let Some(first) = queries.first() else { return Ok(all) };
    // SAFETY: the queries are adjacent rows of one array.
    let bytes = unsafe { std::slice::from_raw_parts(first.as_ptr(), queries.len() * width) };
    let rows = BitRows::new(bytes, queries.len(), index[0].bits(), width)?;
    let (mut searcher, mut cursor, mut hits) = (Searcher::new(), 0, vec![PairMatch::default(); 1 << 14]);
    while cursor < total {
        watch.check()?;
        let found = searcher.batch(index, rows, condition, &mut cursor, &mut hits)?;
        for hit in &hits[..found] {
            let found = Match { row: hit.row, score: hit.score, ..Match::default() };
            let of_query: &mut Vec<Match> = &mut all[hit.query as usize];
            of_query.try_reserve(1).map_err(|_| Error::NoMemory)?;
            of_query.push(found);
        }
    }
    let is_distance = condition.measure == Measure::Hamming;
    for matches in &mut all {
        matches.sort_unstable_by(|a, b| {
            let by_score = if is_distance { a.score.total_cmp(&b.score) } else { b.score.total_cmp(&a.score) };
            by_score.then(a.row.cmp(&b.row))
        });
    }
    Ok(all)
}
