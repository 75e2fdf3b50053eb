//! The cells that have points, in order, and the search for those in part of a row.

use alloc::vec::Vec;
use core::ops::Range;

use crate::frame::error::Error;
use crate::frame::memory;
use crate::frame::pieces::{Ended, Pieces};

/// The cells that have points, by row and then column.
#[derive(Clone, Debug)]
pub(super) struct Cells {
    /// Column and row of each cell.
    pub places: Vec<[i64; 2]>,
    /// Index of the first point of each cell, then the number of points.
    pub first: Vec<usize>,
    /// Each row that has points, with the index of its first cell; then a row beyond all, with the
    /// number of cells.
    rows: Vec<(i64, usize)>,
    table: Option<Table>,
}

/// The number of cells before each cell of the rectangle that holds all, empty ones included.
#[derive(Clone, Debug)]
struct Table {
    origin: [i64; 2],
    columns: usize,
    before: Vec<u32>,
}

/// A rectangle has a table if it has at most this many cells per point, or [`FEW`].
const PER_POINT: usize = 1;
const FEW: usize = 256;

impl Cells {
    /// Sorts points by their columns and rows. Also gives the place of each point in this order, in which
    /// points of one cell keep theirs.
    pub fn sorted(places: &[[i64; 2]], pieces: &mut Pieces) -> Result<(Self, Vec<usize>), Ended> {
        let n = places.len();
        let mut cells = Cells {
            places: Vec::new(),
            first: memory::with_capacity(1)?,
            rows: memory::with_capacity(1)?,
            table: None,
        };
        let ranks = match Table::of(places)? {
            Some(mut table) => {
                // A counting sort. `before` counts points at first.
                pieces.each(n, |piece| {
                    for &place in &places[piece] {
                        let number = table.number(place);
                        table.before[number + 1] += 1;
                    }
                })?;
                let occupied = table.before.iter().filter(|&&count| count > 0).count();
                cells.reserve(occupied)?;
                let mut ranks = pieces.filled(n, 0)?;
                for number in 1..table.before.len() {
                    table.before[number] += table.before[number - 1];
                }
                pieces.each(n, |piece| {
                    // From the last point to the first.
                    for i in (n - piece.end..n - piece.start).rev() {
                        let number = table.number(places[i]);
                        let end = &mut table.before[number + 1];
                        *end -= 1;
                        ranks[i] = *end as usize;
                    }
                })?;
                // `before` of a cell's successor is now where the points of the cell begin.
                let mut occupied = 0;
                for number in 0..table.before.len() - 1 {
                    let begin = table.before[number + 1] as usize;
                    let end = table.before.get(number + 2).map_or(n, |&end| end as usize);
                    table.before[number] = occupied;
                    if begin < end {
                        occupied += 1;
                        cells.push(table.place(number), begin);
                    }
                }
                if let Some(last) = table.before.last_mut() {
                    *last = occupied;
                }
                cells.table = Some(table);
                ranks
            }
            None => {
                let mut order = memory::collected(0..n)?;
                pieces.before(n)?;
                let key = |i: usize| (places[i][1], places[i][0], i);
                order.sort_unstable_by_key(|&i| key(i));
                let begins = |at: usize| at == 0 || places[order[at]] != places[order[at - 1]];
                cells.reserve((0..n).filter(|&at| begins(at)).count())?;
                (0..n).filter(|&at| begins(at)).for_each(|at| cells.push(places[order[at]], at));
                let mut ranks = memory::filled(n, 0)?;
                order.iter().enumerate().for_each(|(rank, &i)| ranks[i] = rank);
                ranks
            }
        };
        cells.first.push(n);
        cells.rows.push((i64::MAX, cells.places.len()));
        Ok((cells, ranks))
    }

    fn reserve(&mut self, cells: usize) -> Result<(), Error> {
        self.places = memory::with_capacity(cells)?;
        self.first = memory::with_capacity(cells + 1)?;
        self.rows = memory::with_capacity(cells + 1)?;
        Ok(())
    }

    fn push(&mut self, place: [i64; 2], first: usize) {
        if self.rows.last().is_none_or(|last| last.0 != place[1]) {
            self.rows.push((place[1], self.places.len()));
        }
        self.places.push(place);
        self.first.push(first);
    }

    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// The points of a range of cells.
    pub fn points(&self, cells: Range<usize>) -> Range<usize> {
        self.first[cells.start]..self.first[cells.end]
    }

    /// The rows from `rows.start` up to and with `rows.end` that have points.
    pub fn rows(&self, rows: Range<i64>) -> impl Iterator<Item = i64> {
        let first = self.rows.partition_point(|row| row.0 < rows.start);
        self.rows[first..self.rows.len() - 1].iter().map(|row| row.0).take_while(move |&row| row <= rows.end)
    }

    /// The cells of a row within a range of columns.
    pub fn within(&self, row: i64, columns: Range<i64>) -> Range<usize> {
        if let Some(table) = &self.table {
            return table.within(row, columns);
        }
        let found = self.rows[..self.rows.len() - 1].binary_search_by_key(&row, |row| row.0);
        let Ok(found) = found else { return 0..0 };
        let (first, end) = (self.rows[found].1, self.rows[found + 1].1);
        let before = |column: i64| first + self.places[first..end].partition_point(|place| place[0] < column);
        before(columns.start)..before(columns.end)
    }
}

impl Table {
    /// An empty table for these places, if it is small enough.
    fn of(places: &[[i64; 2]]) -> Result<Option<Table>, Error> {
        let mut ranges = [[i64::MAX, i64::MIN]; 2];
        for place in places {
            for axis in 0..2 {
                ranges[axis] = [ranges[axis][0].min(place[axis]), ranges[axis][1].max(place[axis])];
            }
        }
        let [columns, rows] = ranges.map(|[min, max]| max.saturating_sub(min).saturating_add(1).max(0) as usize);
        let most = (PER_POINT * places.len()).max(FEW);
        let cells = columns.saturating_mul(rows);
        if cells > most || places.len() >= u32::MAX as usize {
            return Ok(None);
        }
        let before = memory::filled(cells + 1, 0)?;
        Ok(Some(Table { origin: ranges.map(|range| range[0]), columns, before }))
    }

    fn number(&self, place: [i64; 2]) -> usize {
        let [column, row] = [0, 1].map(|axis| (place[axis] - self.origin[axis]) as usize);
        row * self.columns + column
    }

    fn place(&self, number: usize) -> [i64; 2] {
        [self.origin[0] + (number % self.columns) as i64, self.origin[1] + (number / self.columns) as i64]
    }

    fn within(&self, row: i64, columns: Range<i64>) -> Range<usize> {
        // Without points there are no columns.
        let rows = (self.before.len() - 1).checked_div(self.columns).unwrap_or(0) as i64;
        let row = row.saturating_sub(self.origin[1]);
        if !(0..rows).contains(&row) {
            return 0..0;
        }
        let at = |column: i64| {
            let column = (column - self.origin[0]).clamp(0, self.columns as i64) as usize;
            self.before[row as usize * self.columns + column] as usize
        };
        at(columns.start)..at(columns.end.max(columns.start))
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;

    #[test]
    fn table_and_search_find_the_same_cells() {
        let mut bits = 1u64;
        let mut number = |below: i64| {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (bits >> 33) as i64 % below
        };
        for (n, extent, has_table) in
            [(0, 1, true), (1, 1, true), (300, 12, true), (300, 400, false), (40, 1 << 50, false)]
        {
            let places: Vec<_> = (0..n).map(|_| [number(extent) - extent / 2, number(extent) - extent / 2]).collect();
            let (cells, ranks) = Cells::sorted(&places, &mut Pieces::new(&mut || true)).unwrap();
            assert_eq!(cells.table.is_some(), has_table, "{n} points in {extent}");
            let mut expected: Vec<_> = (0..places.len()).collect();
            expected.sort_by_key(|&i| (places[i][1], places[i][0], i));
            assert!((0..places.len()).all(|rank| ranks[expected[rank]] == rank), "{n} points in {extent}");
            for cell in 0..cells.len() {
                assert!(expected[cells.points(cell..cell + 1)].iter().all(|&i| places[i] == cells.places[cell]));
                assert!(cell == 0 || cells.places[cell - 1] != cells.places[cell]);
            }
            for _ in 0..200 {
                let (row, columns) = (number(extent + 4) - extent / 2 - 2, number(extent + 4) - extent / 2 - 2);
                let columns = columns..columns + number(extent + 2);
                let found = cells.within(row, columns.clone());
                let is_within = |place: &[i64; 2]| place[1] == row && columns.contains(&place[0]);
                assert_eq!(found.len(), cells.places.iter().filter(|place| is_within(place)).count());
                assert!(cells.places[found].iter().all(is_within));
                let rows: Vec<_> = cells.rows(row..row + 3).collect();
                let mut expected: Vec<_> = cells.places.iter().map(|place| place[1]).collect();
                expected.dedup();
                expected.retain(|other| (row..=row + 3).contains(other));
                assert_eq!(rows, expected);
            }
        }
    }
}
