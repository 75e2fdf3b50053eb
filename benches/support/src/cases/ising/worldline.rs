//! Worldlines of a ring of 64 spins at `beta` 8 and `gamma` 1 in 512 slices, with 8 breaks a line.

use super::*;
use hotloops::ising::{Worldline, WorldlineRun, worldline_breaks as draw};

const LINES: usize = 64;
const SLICES: u32 = 512;
const STRIDE: usize = 112;
const ROOM: usize = STRIDE - PAD;
const PAD: usize = 16;
const FAR: i32 = 0x7f7f_ffff;
const SCALE: f64 = -64.0;
/// Breaks of a sweep, with some more, and the number of sweeps before they repeat.
const BREAKS: usize = 640;
const SWEEPS: usize = 7;

pub fn worldline_breaks(function: hotloops::ising::worldline_breaks::Function) -> Work {
    let (random, mut breaks) = (words(2 * 256), vec![0; 256]);
    // SAFETY: two words for each break.
    work("break", 256, move || unsafe { function(random.as_ptr(), 256, SCALE, 0, breaks.as_mut_ptr()) })
}

struct Ring {
    lines: Vec<Worldline>,
    kinks: Vec<i32>,
    starts: Vec<u32>,
    neighbours: Vec<u32>,
    breaks: Vec<Vec<u32>>,
    random: Vec<u32>,
    boundaries: Vec<i32>,
    sums: Vec<f64>,
    sweep: usize,
}

impl Ring {
    fn new() -> Self {
        let words = words(SWEEPS * 2 * BREAKS);
        let breaks = words.chunks(2 * BREAKS).map(|words| {
            let mut breaks = vec![u32::MAX >> 1; BREAKS + PAD];
            // SAFETY: two words for each break.
            unsafe { draw(words.as_ptr(), BREAKS, SCALE, 0, breaks.as_mut_ptr()) };
            breaks
        });
        // Even lines, then odd ones.
        let neighbours = (0..LINES).flat_map(|row| {
            let (half, other) = (LINES / 2, if row < LINES / 2 { LINES / 2 } else { 0 });
            let step = if row < half { half - 1 } else { 1 };
            [other + row % half, other + (row + step) % half]
        });
        Ring {
            lines: vec![Worldline { count: 0, spin: 1, magnetisation: SLICES as i32, even: 0 }; LINES],
            kinks: vec![FAR; LINES * STRIDE],
            starts: (0..=LINES as u32).map(|row| 2 * row).collect(),
            neighbours: neighbours.map(|row| row as u32).collect(),
            breaks: breaks.collect(),
            random: super::words(LINES * 40),
            boundaries: vec![0; ROOM + 2 * PAD],
            sums: vec![0.0; ROOM + 2 * PAD],
            sweep: 0,
        }
    }

    /// The next sweep over all lines.
    fn run(&mut self) -> WorldlineRun {
        self.sweep += 1;
        WorldlineRun {
            lines: self.lines.as_mut_ptr(),
            kinks: self.kinks.as_mut_ptr(),
            stride: STRIDE,
            room: ROOM,
            starts: self.starts.as_ptr(),
            neighbours: self.neighbours.as_ptr(),
            first: 0,
            count: LINES,
            base: 0,
            slices: SLICES,
            scale: -2.0 * 8.0 / f64::from(SLICES),
            breaks: self.breaks[self.sweep % SWEEPS].as_ptr(),
            break_count: BREAKS,
            break_at: 0,
            random: self.random.as_ptr(),
            random_count: self.random.len() - PAD,
            random_at: self.sweep % 61,
            ties: 1,
            decided: 0,
            boundaries: self.boundaries.as_mut_ptr(),
            sums: self.sums.as_mut_ptr(),
        }
    }
}

pub fn worldline_sweep_i32(function: hotloops::ising::worldline_sweep_i32::Function) -> Work {
    let (mut ring, fields, couplings) = (Ring::new(), [0; LINES], [1; 2 * LINES]);
    // SAFETY: the arrays of a ring.
    work("line", LINES, move || unsafe {
        let mut run = ring.run();
        assert_eq!(function(&mut run, fields.as_ptr(), couplings.as_ptr()), 0);
    })
}

pub fn worldline_sweep_f64(function: hotloops::ising::worldline_sweep_f64::Function) -> Work {
    let (mut ring, fields, couplings) = (Ring::new(), [0.0; LINES], [1.0; 2 * LINES]);
    // SAFETY: the arrays of a ring.
    work("line", LINES, move || unsafe {
        let mut run = ring.run();
        assert_eq!(function(&mut run, fields.as_ptr(), couplings.as_ptr()), 0);
    })
}

/// Each line with the next one, after some sweeps.
pub fn worldline_overlaps(function: hotloops::ising::worldline_overlaps::Function) -> Work {
    let (mut ring, fields, couplings) = (Ring::new(), [0; LINES], [1; 2 * LINES]);
    for _ in 0..20 {
        let mut run = ring.run();
        // SAFETY: the arrays of a ring.
        unsafe { hotloops::ising::worldline_sweep_i32(&mut run, fields.as_ptr(), couplings.as_ptr()) };
    }
    // SAFETY: the lines of the ring.
    work("overlap", LINES, move || unsafe {
        for row in 0..LINES {
            let mut overlap = 0;
            let other = ((row + 1) % LINES) as u32;
            function(ring.lines.as_ptr(), ring.kinks.as_ptr(), STRIDE, row, &raw const other, 1, &raw mut overlap);
        }
    })
}
