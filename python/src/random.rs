//! `hotloops.random`.

use std::ffi::{CStr, c_void};

use hotloops::random::Mt19937;
use numpy::PyArray1;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arrays::fresh;
use crate::raised;

/// The functions of a numpy `BitGenerator`, in numpy's order.
#[repr(C)]
struct Interface {
    state: *mut c_void,
    next_uint64: extern "C" fn(*mut c_void) -> u64,
    next_uint32: extern "C" fn(*mut c_void) -> u32,
    next_double: extern "C" fn(*mut c_void) -> f64,
    next_raw: extern "C" fn(*mut c_void) -> u64,
}

const NAME: &CStr = c"BitGenerator";

/// Numbers drawn at once.
const DRAWN: usize = 4096;

struct Source {
    generator: Mt19937,
    numbers: [u32; DRAWN],
    /// Numbers from here on have not been used.
    used: usize,
}

impl Source {
    #[inline]
    fn next(&mut self) -> u32 {
        if self.used == DRAWN {
            self.generator.fill_u32(&mut self.numbers);
            self.used = 0;
        }
        self.used += 1;
        self.numbers[self.used - 1]
    }
}

fn source<'a>(state: *mut c_void) -> &'a mut Source {
    // SAFETY: the state of an `Interface`, whose `BitGenerator` lives; numpy holds its lock.
    unsafe { &mut *state.cast::<Source>() }
}

extern "C" fn next_uint32(state: *mut c_void) -> u32 {
    source(state).next()
}

extern "C" fn next_uint64(state: *mut c_void) -> u64 {
    let source = source(state);
    let upper = source.next();
    u64::from(upper) << 32 | u64::from(source.next())
}

extern "C" fn next_double(state: *mut c_void) -> f64 {
    let source = source(state);
    let upper = source.next() >> 5;
    let lower = source.next() >> 6;
    (f64::from(upper) * 67_108_864.0 + f64::from(lower)) / 9_007_199_254_740_992.0
}

extern "C" fn next_raw(state: *mut c_void) -> u64 {
    u64::from(source(state).next())
}

/// Interlaced(seeds)
/// --
///
/// 4, 8 or 16 interlaced MT19937 generators, drawn in turn: number t of the stream is number
/// t // lanes of the generator seeded with seeds[t % lanes]. `hotloops.random.BitGenerator` makes it
/// numpy's.
#[pyclass(module = "hotloops.random", subclass)]
struct Interlaced {
    /// At a fixed place: the interface points to it.
    source: Box<Source>,
    interface: Box<Interface>,
    lanes: usize,
}

// SAFETY: the interface's pointer is to memory that the same object owns.
unsafe impl Send for Interlaced {}
// SAFETY: numpy and the methods that write take the lock of the generator or `&mut self`.
unsafe impl Sync for Interlaced {}

impl Interlaced {
    fn of(generator: Mt19937, numbers: [u32; DRAWN], used: usize) -> Self {
        let lanes = generator.lanes();
        let mut source = Box::new(Source { generator, numbers, used });
        let state = (&raw mut *source).cast();
        let interface = Box::new(Interface { state, next_uint64, next_uint32, next_double, next_raw });
        Interlaced { source, interface, lanes }
    }
}

#[pymethods]
impl Interlaced {
    #[new]
    fn new(seeds: Vec<u32>) -> PyResult<Self> {
        Mt19937::new(&seeds).map(|generator| Interlaced::of(generator, [0; DRAWN], DRAWN)).map_err(raised)
    }

    /// Number of generators.
    #[getter]
    fn lanes(&self) -> usize {
        self.lanes
    }

    /// The functions of this generator as numpy reads them.
    #[getter]
    fn capsule<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let at = (&raw mut *slf.borrow_mut().interface).cast();
        // SAFETY: a pointer that is not null and outlives the capsule, as this object does; numpy
        // keeps a reference to it.
        unsafe { Bound::from_owned_ptr_or_err(slf.py(), ffi::PyCapsule_New(at, NAME.as_ptr(), None)) }
    }

    /// `n` numbers of 32 bits (uint32).
    fn random_uint32<'py>(&mut self, py: Python<'py>, n: usize) -> Bound<'py, PyArray1<u32>> {
        let (array, target) = fresh::<u32>(py, n);
        let source = &mut self.source;
        py.detach(|| {
            let left = (DRAWN - source.used).min(n);
            target[..left].copy_from_slice(&source.numbers[source.used..][..left]);
            source.used += left;
            source.generator.fill_u32(&mut target[left..]);
        });
        array
    }

    /// The state as bytes, the same on every machine.
    fn state_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let source = &self.source;
        let mut bytes = vec![0; source.generator.state_len()];
        source.generator.state_bytes(&mut bytes).map_err(raised)?;
        source.numbers[source.used..].iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        Ok(PyBytes::new(py, &bytes))
    }

    /// Restores a state of `state_bytes`.
    fn set_state_bytes(&mut self, bytes: &[u8]) -> PyResult<()> {
        let len = self.source.generator.state_len();
        let (state, left) = bytes.split_at(len.min(bytes.len()));
        if left.len() % 4 != 0 || left.len() > 4 * DRAWN {
            return Err(crate::arrays::wrong("bytes", format_args!("{} are not a state", bytes.len())));
        }
        self.source.generator.set_state(state).map_err(raised)?;
        self.source.used = DRAWN - left.len() / 4;
        let used = self.source.used;
        for (number, bytes) in self.source.numbers[used..].iter_mut().zip(left.chunks_exact(4)) {
            *number = bytes.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte));
        }
        Ok(())
    }
}

pub fn register(parent: &Bound<'_, PyModule>) -> PyResult<()> {
    let module = PyModule::new(parent.py(), "random")?;
    module.add_class::<Interlaced>()?;
    parent.add_submodule(&module)
}
