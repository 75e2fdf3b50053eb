//! Sorting points by a coordinate: first into buckets, then within each.

use alloc::vec::Vec;

use crate::frame::pieces::{Ended, Pieces};

/// The maximum number of points in a bucket that insertion sorts.
const FEW: usize = 8;

#[derive(Clone, Copy)]
pub(super) struct Point {
    pub at: [f64; 2],
    /// Its index, or its place in an order.
    pub rank: usize,
}

/// Intervals of equal length between a minimum and a maximum.
struct Buckets {
    min: f64,
    factor: f64,
    last: f64,
}

impl Buckets {
    /// `count` intervals for some values.
    fn new(values: impl Iterator<Item = f64>, count: usize) -> Self {
        let (mut min, mut max) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values {
            min = if value < min { value } else { min };
            max = if value > max { value } else { max };
        }
        let last = (count - 1) as f64;
        Buckets { min, factor: last / (max - min), last }
    }

    /// The bucket of a value. Greater values have the same or a greater bucket.
    fn of(&self, value: f64) -> usize {
        // The factor may be infinite. The comparison with NaN is false.
        let bucket = (value - self.min) * self.factor;
        if bucket < self.last { bucket as usize } else { self.last as usize }
    }

    /// Adds the number of values in each bucket.
    fn count(&self, values: impl Iterator<Item = f64>, counts: &mut [usize]) {
        for value in values {
            counts[self.of(value)] += 1;
        }
    }
}

/// Turns the number of values in each bucket into its first place. Returns the number of values in the fullest.
fn starts(counts: &mut [usize]) -> usize {
    let (mut sum, mut fullest) = (0, 0);
    for count in counts {
        let start = sum;
        sum += *count;
        fullest = fullest.max(*count);
        *count = start;
    }
    fullest
}

/// `n` points in the order of y, then of x, then of index, which is their rank.
pub(super) fn sorted_by_y(n: usize, at: impl Fn(usize) -> [f64; 2], pieces: &mut Pieces) -> Result<Vec<Point>, Ended> {
    let mut points = pieces.filled(n, Point { at: [0.0; 2], rank: 0 })?;
    if n == 0 {
        return Ok(points);
    }
    let y = pieces.collected(n, |index| at(index)[1])?;
    let buckets = Buckets::new(y.iter().copied(), n);
    let mut places = pieces.filled(n, 0)?;
    pieces.each(n, |piece| buckets.count(y[piece].iter().copied(), &mut places))?;
    starts(&mut places);
    drop(y);
    pieces.each(n, |piece| {
        for index in piece {
            let at = at(index);
            let place = &mut places[buckets.of(at[1])];
            points[*place] = Point { at, rank: index };
            *place += 1;
        }
    })?;
    // Each place is now the end of its bucket.
    let mut start = 0;
    for end in places {
        pieces.before(8 * (end - start))?;
        if end - start > 1 {
            points[start..end].sort_unstable_by(|a, b| {
                let by_x = || a.at[0].total_cmp(&b.at[0]);
                a.at[1].total_cmp(&b.at[1]).then_with(by_x).then(a.rank.cmp(&b.rank))
            });
        }
        start = end;
    }
    Ok(points)
}

/// Sorts points by x, then by rank, into columns of x, y and ranks. `places` has at least one place
/// for each point. The order of `points` changes.
pub(super) fn sort_by_x(
    points: &mut [Point],
    places: &mut [usize],
    (x, y, rank): (&mut [f64], &mut [f64], &mut [usize]),
) {
    let values = || points.iter().map(|point| point.at[0]);
    let places = &mut places[..points.len()];
    let buckets = Buckets::new(values(), points.len());
    places.fill(0);
    buckets.count(values(), places);
    let are_even = starts(places) <= FEW;
    if !are_even {
        points.sort_unstable_by(|a, b| a.at[0].total_cmp(&b.at[0]).then(a.rank.cmp(&b.rank)));
    }
    for (i, point) in points.iter().enumerate() {
        let mut to = i;
        if are_even {
            let place = &mut places[buckets.of(point.at[0])];
            to = *place;
            *place += 1;
        }
        (x[to], y[to], rank[to]) = (point.at[0], point.at[1], point.rank);
    }
    if are_even {
        for end in 1..x.len() {
            let mut i = end;
            while i > 0 && (x[i - 1], rank[i - 1]) > (x[i], rank[i]) {
                x.swap(i - 1, i);
                y.swap(i - 1, i);
                rank.swap(i - 1, i);
                i -= 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_sorted() {
        let mut bits = 1u64;
        let mut random = || {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (bits >> 33) as f64
        };
        for (n, shape) in (1..80).flat_map(|n| (0..5).map(move |shape| (n, shape))) {
            let mut value = || match shape {
                0 => random(),
                1 => random() % 7.0,
                2 => 5.0,
                3 => random() * random() * random(),
                _ => (random() % 2100.0 - 1050.0).exp2().min(1e300),
            };
            let values: Vec<[f64; 2]> = (0..n).map(|_| [value(), value()]).collect();
            let mut points = sorted_by_y(n, |index| values[index], &mut Pieces::new(&mut || true)).unwrap();
            let mut by_y: Vec<(f64, f64, usize)> = values.iter().zip(0..).map(|(at, i)| (at[1], at[0], i)).collect();
            by_y.sort_by(|a, b| a.partial_cmp(b).unwrap());
            let mut by_x: Vec<(f64, usize)> = values.iter().map(|at| at[0]).zip(0..).collect();
            by_x.sort_by(|a, b| a.partial_cmp(b).unwrap());
            assert!(points.iter().map(|point| (point.at[1], point.at[0], point.rank)).eq(by_y), "{n} {shape}");
            let (mut x, mut y, mut index) = (alloc::vec![0.0; n], alloc::vec![0.0; n], alloc::vec![0; n]);
            sort_by_x(&mut points, &mut alloc::vec![0; n], (&mut x, &mut y, &mut index));
            assert!(x.iter().copied().zip(index.iter().copied()).eq(by_x), "{n} {shape}");
            assert!(index.iter().zip(&y).all(|(&index, &y)| values[index][1] == y));
        }
    }
}
