//! The sweeps: random numbers, breaks and calls of the kernels.

use alloc::vec::Vec;

use super::contract::{DONE, END, NEEDS_BREAKS, NEEDS_ROOM, PAD};
use super::rates::Rates;
use super::state::Lines;
use super::{WorldlineRun, worldline_breaks, worldline_sweep_f64, worldline_sweep_i32};
use crate::frame::error::Error;
use crate::frame::memory;
use crate::random::{Mt19937, SplitMix64};

/// Length of a block of random numbers for decisions.
const RANDOM_BLOCK: usize = 256;
/// Maximum number of breaks of a block, and the unit of their number.
const MAX_BREAKS: usize = 256;
const BREAK_UNIT: usize = 16;

/// Couplings and fields in visiting order. Those of line `i` have indices `starts[i]..starts[i + 1]`, by ascending
/// lines at their other ends.
#[derive(Debug)]
pub(super) struct Links {
    pub starts: Vec<u32>,
    pub neighbours: Vec<u32>,
    pub values: Values,
}

#[derive(Debug)]
pub(super) enum Values {
    /// In quanta.
    Integers {
        quantum: f64,
        fields: Vec<i32>,
        couplings: Vec<i32>,
    },
    Reals {
        fields: Vec<f64>,
        couplings: Vec<f64>,
    },
}

impl Links {
    /// The indices of the links of a line.
    pub fn of(&self, row: usize) -> core::ops::Range<usize> {
        self.starts[row] as usize..self.starts[row + 1] as usize
    }
}

impl Values {
    /// The energy of a value of 1.
    pub fn unit(&self) -> f64 {
        if let Values::Integers { quantum, .. } = self { *quantum } else { 1.0 }
    }

    pub fn field(&self, row: usize) -> f64 {
        match self {
            Values::Integers { fields, .. } => f64::from(fields[row]),
            Values::Reals { fields, .. } => fields[row],
        }
    }

    pub fn coupling(&self, link: usize) -> f64 {
        match self {
            Values::Integers { couplings, .. } => f64::from(couplings[link]),
            Values::Reals { couplings, .. } => couplings[link],
        }
    }
}

/// Memory of a sweep.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    boundaries: Vec<i32>,
    sums: Vec<f64>,
    random: Vec<u32>,
    breaks: Vec<u32>,
}

impl Scratch {
    /// Makes room for lines of as many boundaries.
    pub fn reserve(&mut self, room: usize) -> Result<(), Error> {
        memory::resize(&mut self.boundaries, room + 2 * PAD, 0)?;
        memory::resize(&mut self.sums, room + 2 * PAD, 0.0)?;
        memory::resize(&mut self.random, room + RANDOM_BLOCK + PAD, 0)?;
        let breaks = self.breaks.len().max(MAX_BREAKS + PAD);
        memory::resize(&mut self.breaks, breaks, END)
    }

    pub fn heap_bytes(&self) -> usize {
        self.boundaries.capacity() * size_of::<i32>()
            + self.sums.capacity() * size_of::<f64>()
            + (self.random.capacity() + self.breaks.capacity()) * size_of::<u32>()
    }
}

/// A sweep under way.
pub(super) struct Sweep<'a> {
    pub lines: &'a mut Lines,
    pub links: &'a Links,
    pub scratch: &'a mut Scratch,
    pub rng: &'a mut Mt19937,
    pub rates: Rates,
}

impl Sweep<'_> {
    /// Visits all lines. Returns the number of segments.
    pub fn run(&mut self) -> Result<u64, Error> {
        let slices = self.lines.slices;
        let unit = self.links.values.unit();
        let mut run = WorldlineRun {
            lines: self.lines.lines.as_mut_ptr(),
            kinks: self.lines.as_mut_ptr(),
            stride: 0,
            room: 0,
            starts: self.links.starts.as_ptr(),
            neighbours: self.links.neighbours.as_ptr(),
            first: 0,
            count: 0,
            base: 0,
            slices,
            scale: self.rates.exponent * unit,
            breaks: self.scratch.breaks.as_ptr(),
            break_count: 0,
            break_at: 0,
            random: self.scratch.random.as_ptr(),
            random_count: 0,
            random_at: 0,
            ties: SplitMix64::drawn(self.rng).0,
            decided: 0,
            boundaries: self.scratch.boundaries.as_mut_ptr(),
            sums: self.scratch.sums.as_mut_ptr(),
        };
        self.place(&mut run);
        let window = ((END - 1) / slices) as usize;
        while run.first < self.lines.lines.len() {
            run.count = window.min(self.lines.lines.len() - run.first);
            (run.base, run.break_at, run.break_count) = (0, 0, 0);
            let end = run.count as u32 * slices;
            loop {
                match self.call(&mut run) {
                    DONE => break,
                    NEEDS_BREAKS => self.draw_breaks(&mut run, end)?,
                    NEEDS_ROOM => self.grow(&mut run)?,
                    _ => self.draw_random(&mut run),
                }
            }
        }
        Ok(run.decided)
    }

    /// Sets what depends on the room of lines.
    fn place(&mut self, run: &mut WorldlineRun) {
        (run.stride, run.room, run.kinks) = (self.lines.stride(), self.lines.room, self.lines.as_mut_ptr());
        (run.boundaries, run.sums) = (self.scratch.boundaries.as_mut_ptr(), self.scratch.sums.as_mut_ptr());
        (run.breaks, run.random) = (self.scratch.breaks.as_ptr(), self.scratch.random.as_ptr());
    }

    fn call(&self, run: &mut WorldlineRun) -> u32 {
        // SAFETY: `place` set arrays with enough room; lines, links and values are those of the same sites.
        unsafe {
            match &self.links.values {
                Values::Integers { fields, couplings, .. } => {
                    worldline_sweep_i32(run, fields.as_ptr(), couplings.as_ptr())
                }
                Values::Reals { fields, couplings } => worldline_sweep_f64(run, fields.as_ptr(), couplings.as_ptr()),
            }
        }
    }

    /// Appends as many breaks as are expected up to the end of the window, or some more, and at most a block.
    fn draw_breaks(&mut self, run: &mut WorldlineRun, end: u32) -> Result<(), Error> {
        let kept = run.break_count - run.break_at;
        let breaks = &mut self.scratch.breaks;
        breaks.copy_within(run.break_at..run.break_count, 0);
        let start = if kept > 0 { breaks[kept - 1] + 1 } else { run.base };
        let expected = f64::from(end.saturating_sub(start)) * self.rates.break_rate + 8.0;
        let number = ((expected as usize).min(MAX_BREAKS)).next_multiple_of(BREAK_UNIT);
        let count = kept + number;
        let len = breaks.len().max(count + PAD);
        memory::resize(breaks, len, END)?;
        let mut words = [0; 2 * MAX_BREAKS];
        self.rng.fill_u32(&mut words[..2 * number]);
        // SAFETY: two words for each break; there is room for all.
        unsafe {
            worldline_breaks(words.as_ptr(), number, self.rates.break_scale, start, breaks[kept..].as_mut_ptr());
        }
        breaks[count..count + PAD].fill(END);
        (run.breaks, run.break_at, run.break_count) = (breaks.as_ptr(), 0, count);
        Ok(())
    }

    /// Appends a block of random numbers. Fewer than the room are left.
    fn draw_random(&mut self, run: &mut WorldlineRun) {
        let kept = run.random_count - run.random_at;
        self.scratch.random.copy_within(run.random_at..run.random_count, 0);
        self.rng.fill_u32(&mut self.scratch.random[kept..kept + RANDOM_BLOCK]);
        (run.random_at, run.random_count) = (0, kept + RANDOM_BLOCK);
    }

    fn grow(&mut self, run: &mut WorldlineRun) -> Result<(), Error> {
        self.lines.reserve(2 * self.lines.room)?;
        self.scratch.reserve(self.lines.room)?;
        self.place(run);
        Ok(())
    }
}
