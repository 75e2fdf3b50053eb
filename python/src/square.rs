//! `hotloops.ising.SquareLattice`.

use hotloops::ising::{Acceptance, SquareLattice};
use numpy::{PyArray1, PyArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::arguments::{choice, count, long, name, optional_count, real};
use crate::arrays::{contiguous, elements, fresh, of_type, wrong, zeros};
use crate::raised;
use crate::threads::{Stop, Watch, on, run};

/// Visits between two looks for an interruption: tens of milliseconds on one thread.
const VISITS: usize = 1 << 25;

/// Lattices with fewer spins are swept on the thread of the call unless it names a number of threads: the threads meet
/// twice in a sweep, which takes them some 10 us.
const TOGETHER: usize = 1 << 19;

/// One square lattice of `rows` x `columns` spins, both even, with periodic boundaries and equal couplings.
///
/// All spins are +1 at first. Random numbers come from the counter-based generator Philox4x32-10 with the key `seed`
/// (64 bits): spins depend on `seed` and the number of sweeps alone, and not on the number of threads or the CPU.
/// A configuration has the weight exp(beta energy()). It can be pickled and copied. While one thread changes the
/// lattice, calls of others raise RuntimeError; so does a change while another thread reads it.
///
/// Raises: ValueError or TypeError with the name of a wrong argument; MemoryError.
///
/// >>> from hotloops.ising import SquareLattice
/// >>> lattice = SquareLattice(64, 256, seed=1)
/// >>> flips = lattice.sweep(0.3, 100)
/// >>> abs(lattice.energy() / lattice.spins.size - 0.7045) < 0.06  # Onsager
/// True
#[pyclass(name = "SquareLattice", module = "hotloops.ising")]
pub struct PyLattice(SquareLattice);

/// The type, its arguments, and the state.
type Reduced<'py> = (Bound<'py, PyType>, (usize, usize, u64), (u64, Bound<'py, PyArray1<u64>>));

impl PyLattice {
    fn sites(&self) -> usize {
        self.0.rows() * self.0.columns()
    }
}

/// A few sweeps, on the threads of a call. Returns the flips.
fn swept(
    lattice: &mut SquareLattice,
    beta: f64,
    acceptance: Acceptance,
    sweeps: u64,
    watch: &Watch,
) -> Result<u64, Stop> {
    if watch.threads() == 1 {
        return Ok(lattice.sweep(beta, acceptance, sweeps)?);
    }
    let mut split = lattice.split(beta, acceptance, sweeps, watch.threads())?;
    // Parts that wait for each other could be on one worker. So all parts make half a sweep, then the next.
    for _ in 0..2 * sweeps {
        watch.each(split.parts(), |_, mut part| {
            part.visit();
            Ok(())
        })?;
    }
    Ok(split.finish())
}

#[pymethods]
impl PyLattice {
    #[new]
    #[pyo3(signature = (rows, columns, seed = 0))]
    fn new(
        #[pyo3(from_py_with = count::<name::Rows>)] rows: usize,
        #[pyo3(from_py_with = count::<name::Columns>)] columns: usize,
        #[pyo3(from_py_with = long::<name::Seed>)] seed: u64,
    ) -> PyResult<Self> {
        SquareLattice::new(rows, columns, seed).map(PyLattice).map_err(raised)
    }

    /// Visits every spin `sweeps` times and returns the number of flips.
    ///
    /// `beta` is the inverse temperature times the coupling, negative for an antiferromagnet. `acceptance` is
    /// "metropolis", "heat_bath", or "auto": the heat bath at high temperatures. `threads` is the number of
    /// threads, by default one for each core if the lattice is large enough. An interrupted call leaves the lattice
    /// after one of its sweeps; `lattice.sweeps` tells which.
    ///
    /// Raises: ValueError or TypeError with the name of a wrong argument; MemoryError; KeyboardInterrupt.
    #[pyo3(signature = (beta, sweeps = 1, *, acceptance = "auto", threads = None))]
    fn sweep(
        &mut self,
        py: Python<'_>,
        #[pyo3(from_py_with = real::<name::Beta>)] beta: f64,
        #[pyo3(from_py_with = long::<name::Sweeps>)] sweeps: u64,
        #[pyo3(from_py_with = choice::<name::Acceptance>)] acceptance: &'static str,
        #[pyo3(from_py_with = optional_count::<name::Threads>)] threads: Option<usize>,
    ) -> PyResult<u64> {
        let acceptance = match acceptance {
            "metropolis" => Acceptance::Metropolis,
            "heat_bath" => Acceptance::HeatBath,
            _ => Acceptance::Auto,
        };
        let sites = self.sites();
        let together = (VISITS / sites).max(1) as u64;
        let threads = threads.or((sites < TOGETHER).then_some(1));
        let lattice = &mut self.0;
        on(py, threads, sites.saturating_mul(usize::try_from(sweeps).unwrap_or(usize::MAX)), |watch| {
            let (mut flips, mut left) = (0, sweeps);
            while left > 0 {
                watch.check()?;
                let now = left.min(together);
                flips += swept(lattice, beta, acceptance, now, watch)?;
                left -= now;
            }
            Ok(flips)
        })
    }

    /// The sum of s s' over the 2 `rows` `columns` pairs of adjacent spins: from -2 to 2 for each spin.
    fn energy(&self, py: Python<'_>) -> i64 {
        run(py, self.sites(), || self.0.energy())
    }

    /// The sum of all spins.
    fn magnetisation(&self, py: Python<'_>) -> i64 {
        run(py, self.sites(), || self.0.magnetisation())
    }

    /// The number of rows.
    #[getter]
    fn rows(&self) -> usize {
        self.0.rows()
    }

    /// The number of columns.
    #[getter]
    fn columns(&self) -> usize {
        self.0.columns()
    }

    /// The spins, +1 or -1 (int8): a copy, of `rows` rows and `columns` columns. Can be set.
    #[getter]
    fn spins<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<i8>>> {
        let (array, spins) = zeros::<i8>(py, &[self.0.rows(), self.0.columns()])?;
        run(py, self.sites(), || self.0.spins(spins)).map_err(raised)?;
        Ok(array)
    }

    #[setter]
    fn set_spins(&mut self, spins: &Bound<'_, PyAny>) -> PyResult<()> {
        let spins = contiguous(&of_type::<i8>("spins", spins)?)?;
        if spins.shape() != [self.0.rows(), self.0.columns()] {
            let expected = format_args!("expected {} x {}, found {:?}", self.0.rows(), self.0.columns(), spins.shape());
            return Err(wrong("spins", expected));
        }
        let (sites, elements, lattice) = (self.sites(), elements(&spins), &mut self.0);
        run(spins.py(), sites, || lattice.set_spins(elements)).map_err(raised)
    }

    /// The number of the next sweep: of sweeps so far, unless it was set. A lattice with the same size, seed, spins
    /// and number continues like the one that they were taken from.
    #[getter]
    fn sweeps(&self) -> u64 {
        self.0.sweeps()
    }

    #[setter]
    fn set_sweeps(&mut self, #[pyo3(from_py_with = long::<name::Sweeps>)] sweeps: u64) {
        self.0.set_sweeps(sweeps);
    }

    /// The key of the generator.
    #[getter]
    fn seed(&self) -> u64 {
        self.0.seed()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let lattice = &slf.borrow().0;
        let (array, words) = fresh::<u64>(slf.py(), lattice.words_len())?;
        lattice.words(words).map_err(raised)?;
        let arguments = (lattice.rows(), lattice.columns(), lattice.seed());
        Ok((slf.get_type(), arguments, (lattice.sweeps(), array)))
    }

    fn __setstate__(&mut self, state: (u64, Bound<'_, PyAny>)) -> PyResult<()> {
        let words = contiguous(&of_type::<u64>("state", &state.1)?)?;
        self.0.set_words(elements(&words)).map_err(raised)?;
        self.0.set_sweeps(state.0);
        Ok(())
    }
}
