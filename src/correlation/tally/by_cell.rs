//! Counts pairs cell by cell, and those that are far from the origin or near half a period one by one.

use core::ops::Range;

use super::super::Psi;
use super::super::boundary::difference;
use super::super::frame::{Near, Span, Which};
use super::super::points::{Points, Set};
use super::{Finder, Sets, Tally};

impl Tally<'_, '_> {
    /// Adds the pairs that belong to a range of cells, cell by cell.
    pub fn by_cells(&mut self, (points, cells): (&Points, Range<usize>), others: &Points, r_max: f64, once: bool) {
        let frame = &points.frame;
        let any_far = !points.far.is_empty() || !others.far.is_empty();
        let edges = self.finder == Finder::Edges;
        let total = |set: Set| -> [i64; 2] {
            let part = |part: usize| set.psi.iter().map(|psi| i64::from(psi.parts()[part])).sum();
            if edges { [part(0), part(1)] } else { [0; 2] }
        };
        let far = |set: &Points, cells: Range<usize>| {
            let first = set.far.partition_point(|&cell| cell < cells.start);
            set.far.get(first).is_some_and(|&cell| cell < cells.end)
        };
        for cell in cells.start..cells.end.min(points.cells()) {
            let own = points.cells.points(cell..cell + 1);
            let is_far = any_far && far(points, cell..cell + 1);
            let sides = if edges { points.sides_of(cell) } else { [[0.0; 2]; 2] };
            let place = points.cells.places[cell];
            let same = if once { cell..cell + 1 } else { others.cells.within(place[1], place[0]..place[0] + 1) };
            let one_by_one = is_far || any_far && far(others, same.clone()) || frame.doubled([0; 2], r_max);
            for same in same {
                let with = others.cells.points(same..same + 1);
                if one_by_one {
                    own.clone().for_each(|i| {
                        let with = if once { i + 1..own.end } else { with.clone() };
                        self.add_one_by_one((points, i), (others, with), [0.0; 2]);
                    });
                    continue;
                }
                let range = if edges { between(&sides, &others.sides_of(same), [0.0; 2]) } else { [0.0; 2] };
                let (a, b) = (points.set(own.clone()), others.set(with));
                if once {
                    self.add_own(a, range, total(a));
                } else {
                    self.add(&Sets { a, b, shift: [0.0; 2], range, totals: [total(a), total(b)] });
                }
            }
            let span = Span { row: place[1], first: place[0], last: place[0] };
            let which = if once { Which::Following } else { Which::Others };
            frame.near(span, r_max, which, &others.cells, |Near { cells, laps, shift, doubled, reach }| {
                if doubled || is_far || any_far && far(others, cells.clone()) {
                    let with = others.cells.points(cells);
                    return own.clone().for_each(|i| self.add_one_by_one((points, i), (others, with.clone()), laps));
                }
                let a = points.set(own.clone());
                if !edges {
                    // Points are in the order of x, and few of the cells are within reach from end to end.
                    let [first, last] = [points.x[own.start], points.x[own.end - 1]];
                    // The slack is for rounding, here and between neighbouring cells.
                    let reach = reach * (1.0 + 1e-6) + 1e-6 * (1.0 + shift[0].abs());
                    let all = others.cells.points(cells);
                    let x = &others.x[all.clone()];
                    let begin = prefix(x, |x| x + shift[0] < first - reach);
                    let end = prefix(x, |x| x + shift[0] <= last + reach);
                    let b = others.set(all.start + begin..all.start + end.max(begin));
                    return self.add(&Sets { a, b, shift, range: [0.0; 2], totals: [[0; 2]; 2] });
                }
                for other in cells {
                    let b = others.set(others.cells.points(other..other + 1));
                    let range = between(&sides, &others.sides_of(other), shift);
                    self.add(&Sets { a, b, shift, range, totals: [total(a), total(b)] });
                }
            });
        }
    }

    /// Adds the pairs of a point and a range of others that are moved by `laps`, which are whole
    /// periods. Of all images of a pair, only the one within half a period counts.
    fn add_one_by_one(
        &mut self,
        (points, i): (&Points, usize),
        (others, range): (&Points, Range<usize>),
        laps: [f64; 2],
    ) {
        if !self.goes_on(4 * range.len()) {
            return;
        }
        let (from, half) = (points.at[i], points.frame.half_periods());
        let farthest = self.accumulator.bins.r_max() * points.frame.scale * (1.0 + 1e-5);
        for j in range {
            let to = others.at[j];
            let mut d = [0.0; 2];
            let near = (0..2).all(|axis| {
                let (nearest, rest) = difference(from[axis], to[axis]);
                d[axis] = (nearest + laps[axis]) + rest;
                // The exact difference selects the nearest image, the same one from either point.
                let beyond = |nearest: f64, rest: f64| nearest > half[axis] || nearest == half[axis] && rest > 0.0;
                let lap = f64::from(i8::from(beyond(-nearest, -rest)) - i8::from(beyond(nearest, rest)));
                d[axis].abs() <= farthest && (half[axis].is_infinite() || laps[axis] == lap * (2.0 * half[axis]))
            });
            if near {
                let [dx, dy] = d.map(|d| d as f32);
                let r2 = dx * dx + dy * dy;
                let beyond = self.squares.partition_point(|&edge| edge <= r2);
                if beyond > 0 && beyond < self.squares.len() {
                    let psi = |set: &Points, i: usize| set.psi.get(i).copied().unwrap_or(Psi::ZERO);
                    let product = psi(points, i).product(psi(others, j));
                    self.accumulator.add(beyond - 1, 1, product.into());
                }
            }
        }
    }
}

/// The number of values, ascending ones, that come before a place.
fn prefix(values: &[f32], is_before: impl Fn(f32) -> bool) -> usize {
    /// Up to this number, counting without branches is faster than a search.
    const FEW: usize = 128;
    match values.len() <= FEW {
        true => values.iter().filter(|&&value| is_before(value)).count(),
        false => values.partition_point(|&value| is_before(value)),
    }
}

/// Bounds of the squared distances between points of two rectangles, the second one moved by `shift`.
fn between(sides: &[[f32; 2]; 2], others: &[[f32; 2]; 2], shift: [f32; 2]) -> [f64; 2] {
    let mut squares = [0.0; 2];
    for axis in 0..2 {
        let ([a_min, a_max], [b_min, b_max]) = (sides[axis], others[axis]);
        let [a_min, a_max, b_min, b_max, shift] = [a_min, a_max, b_min, b_max, shift[axis]].map(f64::from);
        let (min, max) = (b_min - a_max + shift, b_max - a_min + shift);
        // Allowance for the rounding of a difference; the factors below allow for the square.
        let slack = 2e-7 * ((b_max - a_min).abs().max((b_min - a_max).abs()) + shift.abs());
        let nearest = (min.max(-max) - slack).max(0.0);
        let farthest = max.max(-min) + slack;
        squares[0] += nearest * nearest * (1.0 - 1e-6);
        squares[1] += farthest * farthest * (1.0 + 1e-6);
    }
    squares
}
