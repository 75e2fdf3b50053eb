//! All pairs of similar rows of a database, in units that threads share.

use std::io;

use hotloops::Error;
use hotloops::fingerprints::{Condition, Index, PairMatch, Searcher};
use hotloops_gpu::fingerprints::{self as devices, Set};
use hotloops_gpu::{Queue, Shared};

use super::database::Database;
use crate::failure::Failure;

/// First rows of a unit's pairs: as many as the library searches for at once.
const UNIT: usize = 256;
/// Maximum number of pairs per call of the library.
const ROOM: usize = 4096;

pub struct Pairs<'a> {
    db: &'a Database,
    set: Set<'a>,
    /// Search in place of the CPU.
    devices: Option<Shared<devices::Searcher>>,
}

/// The searchers and the buffers of one thread.
pub struct Worker {
    searcher: Searcher,
    room: Vec<PairMatch>,
    on_devices: devices::Pairs,
}

impl Worker {
    pub fn new() -> Self {
        let room = vec![PairMatch::default(); ROOM];
        Worker { searcher: Searcher::new(), room, on_devices: devices::Pairs::new() }
    }
}

impl<'a> Pairs<'a> {
    pub fn new(db: &'a Database, indexes: &'a [Index<'a>], condition: Condition) -> Result<Self, Error> {
        let set = Set { indexes, rows: db.rows(0..db.len())?, condition };
        Ok(Pairs { db, set, devices: None })
    }

    /// Searches on devices from now on, if there are any, with the same result. Each gets all rows.
    pub fn on(self, queues: Vec<Queue>) -> Result<Self, Failure> {
        let searchers: Result<Vec<_>, _> = queues.into_iter().map(|queue| self.set.searcher(queue)).collect();
        Ok(Pairs { devices: Shared::new(searchers?), ..self })
    }

    pub fn units(&self) -> usize {
        self.set.rows.len().div_ceil(UNIT)
    }

    /// Calls `each` with the two rows and the score of some pairs of a unit, from `cursor` on, which is
    /// 0 at first, and advances it. Returns false after the last pairs.
    pub fn advance(
        &self,
        worker: &mut Worker,
        unit: usize,
        cursor: &mut u64,
        mut each: impl FnMut([usize; 2], f32) -> io::Result<()>,
    ) -> io::Result<bool> {
        let Set { indexes, rows, condition } = self.set;
        let range = UNIT * unit..rows.len().min(UNIT * (unit + 1));
        let end = range.len() as u64 * rows.len() as u64;
        let found = match &self.devices {
            None => {
                let Worker { searcher, room, .. } = worker;
                let found = searcher.pairs(indexes, rows, range, &condition, cursor, room).map_err(io::Error::other)?;
                &room[..found]
            }
            Some(devices) => {
                let found = worker.on_devices.advance(devices, &self.set, range, cursor);
                worker.room = found.map_err(|error| io::Error::other(format!("--device: {error}")))?;
                &worker.room
            }
        };
        for pair in found {
            each([self.db.found(pair.query)?, self.db.found(pair.row)?], pair.score)?;
        }
        Ok(*cursor < end)
    }
}
