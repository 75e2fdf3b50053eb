//! All pairs of similar rows of a database, in units that threads share.

use std::io;

use hotloops::Error;
use hotloops::fingerprints::{Condition, Index, PairMatch, Searcher};
use hotloops::hamming::BitRows;

use super::database::Database;

/// First rows of a unit's pairs: as many as the library searches for at once.
const UNIT: usize = 256;
/// Maximum number of pairs per call of the library.
const ROOM: usize = 4096;

pub struct Pairs<'a> {
    db: &'a Database,
    indexes: &'a [Index<'a>],
    rows: BitRows<'a>,
    condition: Condition,
}

/// The searcher and the buffers of one thread.
pub struct Worker {
    searcher: Searcher,
    room: Vec<PairMatch>,
}

impl Worker {
    pub fn new() -> Self {
        Worker { searcher: Searcher::new(), room: vec![PairMatch::default(); ROOM] }
    }
}

impl<'a> Pairs<'a> {
    pub fn new(db: &'a Database, indexes: &'a [Index<'a>], condition: Condition) -> Result<Self, Error> {
        Ok(Pairs { db, indexes, rows: db.rows(0..db.len())?, condition })
    }

    pub fn units(&self) -> usize {
        self.rows.len().div_ceil(UNIT)
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
        let range = UNIT * unit..self.rows.len().min(UNIT * (unit + 1));
        let end = range.len() as u64 * self.rows.len() as u64;
        let Worker { searcher, room } = worker;
        let found = searcher.pairs(self.indexes, self.rows, range, &self.condition, cursor, room);
        for pair in &room[..found.map_err(io::Error::other)?] {
            each([self.db.found(pair.query)?, self.db.found(pair.row)?], pair.score)?;
        }
        Ok(*cursor < end)
    }
}
