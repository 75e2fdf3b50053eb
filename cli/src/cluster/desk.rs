//! The desk of a rank: the units that its threads have in stock, and the results that they have finished. The threads
//! meet the thread that communicates here.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::failure::Failure;

/// Bytes of results that a rank hands in at once.
const RESULTS: usize = 1 << 20;

/// The units that this rank's threads have in stock, and what they have done.
pub(super) struct Desk {
    stock: Mutex<Stock>,
    /// There are units, or there will be none.
    filled: Condvar,
    /// [`Stock::is_due`] may have become true.
    news: Condvar,
}

/// A unit and its result.
pub(super) type Done = (u64, Outcome);
pub(super) type Outcome = Result<Vec<u8>, Failure>;

struct Stock {
    units: VecDeque<u64>,
    done: Vec<Done>,
    /// Bytes of the results in `done`.
    bytes: usize,
    threads: usize,
    /// Threads that work on a unit.
    busy: usize,
    /// Time that the units of a thread may take.
    time: Duration,
    /// Mean seconds of the last units; 0 at first.
    mean: f64,
    /// Units in stock for each thread.
    size: u64,
    /// More units have been asked for.
    is_asked: bool,
    /// Rank 0 has units, but cannot hand them out before some results are taken.
    is_blocked: bool,
    /// No units will follow.
    is_closed: bool,
}

impl Stock {
    fn note(&mut self, time: Duration) {
        const WEIGHT: f64 = 0.1;
        let weight = if self.mean == 0.0 { 1.0 } else { WEIGHT };
        self.mean += weight * (time.as_secs_f64() - self.mean);
        let fitting = self.time.as_secs_f64() / self.mean.max(1e-9);
        self.size = (fitting as u64).min(2 * self.size.max(1));
    }

    /// The number of units that fill the stock, once half of it is used, or that keep all threads busy.
    fn wanted(&self) -> u64 {
        let (stock, idle) = (self.units.len() as u64, (self.threads - self.busy) as u64);
        let full = self.size * self.threads as u64;
        if self.is_closed || self.is_asked || (stock >= idle && (2 * stock > full || full == 0)) {
            return 0;
        }
        full.max(idle).saturating_sub(stock)
    }

    /// Whether the thread that communicates has to do something.
    fn is_due(&self) -> bool {
        let hurries = self.is_closed || self.is_blocked;
        self.bytes >= RESULTS || (hurries && !self.done.is_empty()) || (!self.is_blocked && self.wanted() > 0)
    }

    /// Whether everything is done and handed in.
    fn is_finished(&self) -> bool {
        self.is_closed && self.busy == 0 && self.units.is_empty()
    }

    fn collect(&mut self) -> Vec<Done> {
        self.bytes = 0;
        std::mem::take(&mut self.done)
    }
}

impl Desk {
    pub(super) fn new(threads: usize, time: Duration) -> Self {
        let stock = Stock {
            units: VecDeque::new(),
            done: Vec::new(),
            bytes: 0,
            threads,
            busy: 0,
            time,
            mean: 0.0,
            size: 0,
            is_asked: false,
            is_blocked: false,
            is_closed: false,
        };
        Desk { stock: Mutex::new(stock), filled: Condvar::new(), news: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Stock> {
        self.stock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Works on units in stock until no more will follow.
    pub(super) fn serve<S>(&self, state: &impl Fn() -> S, work: &impl Fn(&mut S, u64) -> Result<Vec<u8>, Failure>) {
        let mut own = state();
        let mut stock = self.lock();
        loop {
            let Some(unit) = stock.units.pop_front() else {
                if stock.is_closed {
                    return;
                }
                stock = self.filled.wait(stock).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            stock.busy += 1;
            self.tell(&stock);
            drop(stock);
            let mut finish = Finish { desk: self, unit, begun: Instant::now(), result: None };
            finish.result = Some(work(&mut own, unit));
            drop(finish);
            stock = self.lock();
        }
    }

    fn tell(&self, stock: &Stock) {
        if stock.is_due() {
            self.news.notify_one();
        }
    }

    /// The results that threads have finished, and the number of units that they want next.
    pub(super) fn collect(&self) -> (Vec<Done>, u64) {
        let mut stock = self.lock();
        (stock.collect(), stock.wanted())
    }

    /// The results and the number of units of `collect` if something is due, and whether it is the
    /// last time. From then on these units count as asked for.
    pub(super) fn collect_due(&self) -> Option<(Vec<Done>, u64, bool)> {
        let mut stock = self.lock();
        let is_last = stock.is_finished();
        (is_last || stock.is_due()).then(|| {
            let wanted = stock.wanted();
            stock.is_asked |= wanted > 0;
            (stock.collect(), wanted, is_last)
        })
    }

    pub(super) fn is_asked(&self) -> bool {
        self.lock().is_asked
    }

    /// Whether a thread has nothing to do.
    pub(super) fn has_idle(&self) -> bool {
        let stock = self.lock();
        stock.units.len() + stock.busy < stock.threads
    }

    /// Adds units to the stock.
    pub(super) fn put(&self, units: &[Range<u64>]) {
        let mut stock = self.lock();
        stock.is_asked = false;
        stock.units.extend(units.iter().cloned().flatten());
        stock.is_blocked = stock.wanted() > 0 && units.is_empty();
        if !units.is_empty() {
            self.filled.notify_all();
        }
    }

    /// No units will follow.
    pub(super) fn close(&self) {
        let mut stock = self.lock();
        (stock.is_closed, stock.is_asked) = (true, false);
        self.filled.notify_all();
    }

    /// Waits until something is due, or for a time.
    pub(super) fn wait(&self, time: Option<Duration>) {
        let stock = self.lock();
        if stock.is_due() || stock.is_finished() && time.is_none() {
            return;
        }
        match time {
            Some(time) => drop(self.news.wait_timeout(stock, time)),
            None => drop(self.news.wait(stock)),
        }
    }
}

/// Hands in the result of a unit, also that of a thread that panicked.
struct Finish<'a> {
    desk: &'a Desk,
    unit: u64,
    begun: Instant,
    result: Option<Result<Vec<u8>, Failure>>,
}

impl Drop for Finish<'_> {
    fn drop(&mut self) {
        let result = self.result.take().unwrap_or_else(|| Err(Failure::Job("a thread failed".to_owned())));
        let mut stock = self.desk.lock();
        stock.busy -= 1;
        stock.note(self.begun.elapsed());
        stock.bytes += result.as_ref().map_or(RESULTS, Vec::len);
        stock.done.push((self.unit, result));
        self.desk.tell(&stock);
    }
}

/// Ends the threads of a job, also of one that fails.
pub(super) struct Close<'a>(pub(super) &'a Desk);

impl Drop for Close<'_> {
    fn drop(&mut self) {
        self.0.lock().units.clear();
        self.0.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stock_grows_to_its_time() {
        let desk = Desk::new(2, Duration::from_millis(100));
        let mut stock = desk.lock();
        // A unit for each thread, which shows how long units take.
        assert_eq!(stock.wanted(), 2);
        let mut sizes = Vec::new();
        for _ in 0..6 {
            stock.note(Duration::from_millis(10));
            sizes.push(stock.size);
        }
        assert_eq!(sizes, [2, 4, 8, 10, 10, 10]);
        stock.busy = 2;
        assert_eq!(stock.wanted(), 20);
        stock.units.extend(0..11);
        assert_eq!(stock.wanted(), 0);
        stock.units.pop_front();
        assert_eq!(stock.wanted(), 10);
        // Units that take longer are asked for when a thread has none.
        stock.mean = 0.0;
        stock.note(Duration::from_secs(1));
        stock.units.clear();
        assert_eq!((stock.size, stock.wanted()), (0, 0));
        stock.busy = 1;
        assert_eq!(stock.wanted(), 1);
    }
}
