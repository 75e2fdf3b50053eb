//! Sweeps of one lattice by several threads. Each part has a counter of the half sweeps that it has made. A
//! part begins half sweep `h` when the parts beside it have made `h`: then the spins that it reads
//! are there, and these parts cannot overwrite them before it has made `h + 1`.

use alloc::vec::Vec;

use super::contract::BLOCK_ROWS;
use super::rule::LatticeRule;
use super::sites::Sites;
use crate::frame::error::Error;
use crate::frame::memory;
use crate::math::atomic::{AtomicU32, Ordering};

/// Rows of a part.
#[derive(Clone, Copy, Debug)]
struct Range {
    first: usize,
    count: usize,
}

/// What the threads share.
#[derive(Debug)]
struct Shared<'a> {
    sites: &'a Sites,
    rule: LatticeRule,
    /// The number of the first sweep.
    begin: u64,
    sweeps: u64,
    ranges: Vec<Range>,
    /// Half sweeps of each part, modulo 2^32. Those of adjacent parts differ by at most 1.
    made: Vec<AtomicU32>,
}

impl Shared<'_> {
    /// Whether a part may make its next half sweep.
    fn is_ready(&self, part: usize) -> bool {
        let parts = self.made.len();
        let own = self.made[part].load(Ordering::Relaxed);
        [(part + 1) % parts, (part + parts - 1) % parts]
            .iter()
            .all(|&other| self.made[other].load(Ordering::Acquire).wrapping_sub(own) as i32 >= 0)
    }
}

/// What belongs to one part.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    colour: usize,
    sweep: u64,
    flips: u64,
}

/// Sweeps in progress, see [`SquareLattice::split`](super::SquareLattice::split). When it is dropped, the parts
/// that did not run to their end are completed.
#[derive(Debug)]
pub struct Split<'a> {
    /// The number of the next sweep.
    number: &'a mut u64,
    shared: Shared<'a>,
    states: Vec<State>,
}

impl<'a> Split<'a> {
    /// `number` is that of the next sweep. Nothing else uses the spins as long as the split exists.
    pub(super) fn new(
        sites: &'a Sites,
        number: &'a mut u64,
        rule: LatticeRule,
        sweeps: u64,
        parts: usize,
    ) -> Result<Self, Error> {
        let groups = sites.rows.div_ceil(BLOCK_ROWS);
        let parts = parts.clamp(1, groups);
        let begin = |part: usize| (groups as u128 * part as u128 / parts as u128) as usize * BLOCK_ROWS;
        let range = |part: usize| Range { first: begin(part), count: begin(part + 1).min(sites.rows) - begin(part) };
        let ranges = memory::collected((0..parts).map(range))?;
        let made = memory::collected((0..parts).map(|_| AtomicU32::new(0)))?;
        let states = memory::filled(parts, State::default())?;
        let shared = Shared { sites, rule, begin: *number, sweeps, ranges, made };
        Ok(Split { number, shared, states })
    }

    /// The parts, each for a thread of its own.
    pub fn parts(&mut self) -> impl ExactSizeIterator<Item = Part<'_>> {
        let shared = &self.shared;
        self.states.iter_mut().enumerate().map(move |(index, state)| Part { shared, index, state })
    }

    /// Completes the sweeps and returns the number of flips of all parts.
    #[allow(clippy::must_use_candidate)]
    pub fn finish(mut self) -> u64 {
        self.complete();
        self.states.iter().map(|state| state.flips).sum()
    }

    fn complete(&mut self) {
        while self.states.iter().any(|state| state.sweep < self.shared.sweeps) {
            // The part that is furthest behind can always go on.
            for mut part in self.parts() {
                part.visit();
            }
        }
        *self.number = self.shared.begin.wrapping_add(self.shared.sweeps);
    }
}

impl Drop for Split<'_> {
    fn drop(&mut self) {
        self.complete();
    }
}

/// A range of rows in a [`Split`].
#[derive(Debug)]
pub struct Part<'a> {
    shared: &'a Shared<'a>,
    index: usize,
    state: &'a mut State,
}

impl Part<'_> {
    /// Visits the rows until all sweeps are made. Calls `wait` when a part beside it has to go on
    /// first, for example [`std::hint::spin_loop`](core::hint::spin_loop) or `std::thread::yield_now`. So the other
    /// parts must run at the same time.
    pub fn run(&mut self, mut wait: impl FnMut()) {
        while !self.is_done() {
            if !self.visit() {
                wait();
            }
        }
    }

    /// Whether all sweeps are made.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.state.sweep == self.shared.sweeps
    }

    /// Visits one colour of the rows, unless a part beside them has to go on first, or all sweeps are made.
    /// Returns whether it did.
    pub fn visit(&mut self) -> bool {
        let Shared { sites, rule, begin, ranges, made, .. } = self.shared;
        if self.is_done() || !self.shared.is_ready(self.index) {
            return false;
        }
        let Range { first, count } = ranges[self.index];
        let State { colour, sweep, .. } = *self.state;
        // SAFETY: no other part has these rows, and the spins of the other colour in adjacent rows belong to
        // parts that cannot begin their next half sweep before this one is counted.
        self.state.flips += unsafe { sites.visit(*rule, colour, first, count, begin.wrapping_add(sweep)) };
        made[self.index].fetch_add(1, Ordering::Release);
        *self.state = State { colour: 1 - colour, sweep: sweep + colour as u64, ..*self.state };
        true
    }
}
