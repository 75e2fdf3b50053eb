//! `hotloops.random`.

use std::ffi::{CStr, c_void};

use hotloops::random::Mt19937;
use numpy::PyArray1;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arguments::{count, name};
use crate::arrays::{fresh, wrong};
use crate::jump;
use crate::raised;
use crate::threads::{FIRST, Signals, in_parts};

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

/// Numbers drawn at once: of each of at least 4 lanes, fewer than the 624 words of its state, which
/// `jump` reads them from.
const DRAWN: usize = 2048;

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
    // SAFETY: the state of an `Interface`, whose `BitGenerator` and source live; numpy holds its lock.
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

/// 4, 8 or 16 interlaced MT19937 generators, drawn in turn. Every call holds the lock of the
/// `hotloops.random.BitGenerator` that owns this object, as numpy does when it draws.
#[pyclass(module = "hotloops.random")]
struct Interlaced {
    /// At a fixed place: numpy's interface points to it.
    source: Box<Source>,
}

impl Interlaced {
    fn of(generator: Mt19937) -> Self {
        Interlaced { source: Box::new(Source { generator, numbers: [0; DRAWN], used: DRAWN }) }
    }
}

#[pymethods]
impl Interlaced {
    #[new]
    fn new(seeds: Vec<u32>) -> PyResult<Self> {
        Mt19937::new(&seeds).map(Interlaced::of).map_err(raised)
    }

    /// Makes numpy draw from this object, which must outlive the `BitGenerator` of the capsule.
    fn connect(&mut self, capsule: &Bound<'_, PyAny>) -> PyResult<()> {
        // SAFETY: the function checks the object and the name.
        let at = unsafe { ffi::PyCapsule_GetPointer(capsule.as_ptr(), NAME.as_ptr()) };
        if at.is_null() {
            return Err(PyErr::fetch(capsule.py()));
        }
        let state = (&raw mut *self.source).cast();
        // SAFETY: a capsule of this name points to the interface of a `BitGenerator`.
        unsafe { at.cast::<Interface>().write(Interface { state, next_uint64, next_uint32, next_double, next_raw }) };
        Ok(())
    }

    /// `n` integers of 32 bits (uint32). An interrupted call leaves the generator as it was.
    fn random_uint32<'py>(
        &mut self,
        py: Python<'py>,
        #[pyo3(from_py_with = count::<name::N>)] n: usize,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let (array, target) = fresh::<u32>(py, n)?;
        let source = &mut self.source;
        let left = (DRAWN - source.used).min(n);
        target[..left].copy_from_slice(&source.numbers[source.used..][..left]);
        let target = &mut target[left..];
        let is_long = target.len() >= FIRST;
        let before = is_long.then(|| source.generator.try_clone()).transpose().map_err(raised)?;
        let filled = in_parts(py, (target.len(), 1), target.len(), |part| {
            source.generator.fill_u32(&mut target[part]);
            Ok(())
        });
        match (&filled, before) {
            (Ok(()), _) => source.used += left,
            (Err(_), Some(before)) => source.generator = before,
            // A short call is not interrupted.
            (Err(_), None) => {}
        }
        filled.map(|()| array)
    }

    /// The state as bytes, the same on every machine: that of the generator, the numbers that it made in advance,
    /// and the FNV-1a hash of both.
    fn state_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let source = &self.source;
        let mut bytes = vec![0; source.generator.state_len()];
        source.generator.state_bytes(&mut bytes).map_err(raised)?;
        source.numbers[source.used..].iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        bytes.extend(fnv_1a(&bytes).to_le_bytes());
        Ok(PyBytes::new(py, &bytes))
    }

    /// Restores a state of `state_bytes`, or changes nothing.
    fn set_state_bytes(&mut self, bytes: &[u8]) -> PyResult<()> {
        let corrupt = || wrong("state", "is damaged, or not of a generator with as many lanes");
        let (bytes, hash) = bytes.split_last_chunk::<8>().ok_or_else(corrupt)?;
        let (state, left) = bytes.split_at_checked(self.source.generator.state_len()).ok_or_else(corrupt)?;
        let (left, rest) = left.as_chunks::<4>();
        let generator = Mt19937::from_state_bytes(state).map_err(|error| wrong("state", error))?;
        let is_whole = rest.is_empty() && left.len() <= DRAWN && generator.lanes() == self.source.generator.lanes();
        if !is_whole || fnv_1a(bytes) != u64::from_le_bytes(*hash) {
            return Err(corrupt());
        }
        let used = DRAWN - left.len();
        let numbers = left.iter().map(|&bytes| u32::from_le_bytes(bytes));
        self.source.numbers[used..].iter_mut().zip(numbers).for_each(|(place, number)| *place = number);
        (self.source.generator, self.source.used) = (generator, used);
        Ok(())
    }

    /// A generator that is 2^`exponent` draws per lane further on, `times` times.
    fn jumped(&self, py: Python<'_>, exponent: u32, times: usize) -> PyResult<Self> {
        let source = &self.source;
        let mut bytes = vec![0; source.generator.state_len()];
        source.generator.state_bytes(&mut bytes).map_err(raised)?;
        let lanes = source.generator.lanes();
        let left = DRAWN - source.used;
        let numbers = py.detach(|| {
            let body = bytes.len() - size_of::<u64>();
            let numbers = jump::state(&mut bytes[..body], lanes, (exponent, times), left, &mut Signals::new())?;
            let hash = fnv_1a(&bytes[..body]);
            bytes[body..].copy_from_slice(&hash.to_le_bytes());
            Ok::<_, PyErr>(numbers)
        })?;
        let mut jumped = Interlaced::of(Mt19937::from_state_bytes(&bytes).map_err(raised)?);
        jumped.source.used = DRAWN - numbers.len();
        jumped.source.numbers[DRAWN - numbers.len()..].copy_from_slice(&numbers);
        Ok(jumped)
    }
}

fn fnv_1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

pub fn register(parent: &Bound<'_, PyModule>) -> PyResult<()> {
    let module = crate::submodule(parent, "random")?;
    module.add_class::<Interlaced>()?;
    Ok(())
}
