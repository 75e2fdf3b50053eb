//! Counts pairs tile by tile.

use core::ops::Range;

use super::super::frame::{Near, Span, Which};
use super::super::points::Points;
use super::{Sets, Tally};

impl Tally<'_, '_> {
    /// Adds the pairs that belong to a range of cells, tile by tile. No image of a pair needs to be chosen.
    pub fn by_tiles(&mut self, (points, cells): (&Points, Range<usize>), others: &Points, r_max: f64, once: bool) {
        let frame = &points.frame;
        // A tile belongs to its first cell.
        let begin = points.tiles.partition_point(|tile| (tile.cells[0] as usize) < cells.start);
        let end = points.tiles.partition_point(|tile| (tile.cells[0] as usize) < cells.end);
        let which = if once { Which::Following } else { Which::All };
        for (number, tile) in (begin..end).zip(&points.tiles[begin..end]) {
            if !self.goes_on(1) {
                return;
            }
            let [first, last] = tile.cells.map(|cell| points.cells.places[cell as usize]);
            let block = frame.axes[0].block_of(first[0]);
            let is_here = |cell: usize| {
                let [column, row] = others.cells.places[cell];
                row == first[1] && frame.axes[0].block_of(column) == block
            };
            if once {
                // The tiles ahead in the same row and block, up to the first that is too far.
                let reach = points.tile_sides[1][number] + (r_max * (1.0 + 1e-5)) as f32;
                let sides = &points.tile_sides[0][number + 1..];
                let ahead = sides.iter().zip(&points.tiles[number + 1..]);
                let ahead = ahead.take_while(|&(&side, tile)| side <= reach && is_here(tile.cells[0] as usize)).count();
                self.add_tile((points, number), (points, number + 1..number + 1 + ahead), [0.0; 2]);
            }
            let span = Span { row: first[1], first: first[0], last: last[0] };
            frame.near(span, r_max, which, &others.cells, |Near { cells, laps, shift, .. }| {
                if !(once && laps == [0.0; 2] && is_here(cells.start)) {
                    self.add_tile((points, number), (others, others.tiles_of(cells)), shift);
                }
            });
            if once {
                let own = points.tile_sides.each_ref().map(|side| f64::from(side[number]));
                let [width, height] = [own[1] - own[0], own[3] - own[2]];
                let range = [0.0, (width * width + height * height) * (1.0 + 1e-6)];
                self.add_own(points.tile_set(tile), range, tile.total.map(i64::from));
            }
        }
    }

    /// Adds the pairs of a tile with others, which are moved by `shift`.
    fn add_tile(
        &mut self,
        (points, number): (&Points, usize),
        (others, with): (&Points, Range<usize>),
        shift: [f32; 2],
    ) {
        /// Tiles whose distances are computed at once.
        const BATCH: usize = 32;
        let tile = &points.tiles[number];
        let a = points.tile_set(tile);
        let own = points.tile_sides.each_ref().map(|side| side[number]);
        let farthest = f64::from(self.squares[self.squares.len() - 1]);
        for first in with.clone().step_by(BATCH) {
            if !self.goes_on(BATCH) {
                return;
            }
            let end = with.end.min(first + BATCH);
            let mut squares = [[0.0f32; 2]; BATCH];
            for axis in 0..2 {
                let [least, most, shift] = [own[2 * axis], own[2 * axis + 1], shift[axis]];
                let sides =
                    others.tile_sides[2 * axis][first..end].iter().zip(&others.tile_sides[2 * axis + 1][first..end]);
                for (square, (&other_least, &other_most)) in squares.iter_mut().zip(sides) {
                    let (min, max) = ((other_least - most) + shift, (other_most - least) + shift);
                    // For the rounding of two operations here, and two in the kernels.
                    let slack = 1e-6 * ((other_most - least).abs() + (other_least - most).abs() + shift.abs());
                    let nearest = (min.max(-max) - slack).max(0.0);
                    let farthest = max.max(-min) + slack;
                    *square = [square[0] + nearest * nearest, square[1] + farthest * farthest];
                }
            }
            for (other, square) in others.tiles[first..end].iter().zip(squares) {
                // The factors allow for the rounding of the squares.
                let range = [f64::from(square[0]) * (1.0 - 1e-6), f64::from(square[1]) * (1.0 + 1e-6)];
                if range[0] < farthest {
                    let totals = [tile.total, other.total].map(|total| total.map(i64::from));
                    self.add(&Sets { a, b: others.tile_set(other), shift, range, totals });
                }
            }
        }
    }
}
