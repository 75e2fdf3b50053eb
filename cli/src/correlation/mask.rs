//! A polygon that selects points.

use std::f64::consts::PI;
use std::path::Path;

use super::points::{self, Table};
use crate::failure::Failure;

/// Number of directions, of lines per direction and of distances for the mean overlap.
const DIRECTIONS: usize = 60;
const LINES: usize = 400;
const DISTANCES: usize = 400;

pub struct Mask {
    corners: Vec<[f64; 2]>,
    pub area: f64,
    /// The area in which the polygon overlaps itself moved by `k * step`, averaged over directions.
    overlaps: Vec<f64>,
    step: f64,
}

impl Mask {
    /// Reads the corners, in order around the polygon.
    ///
    /// # Errors
    /// A sentence that names the file.
    pub fn read(path: &Path) -> Result<Self, String> {
        let at = |why: String| format!("--mask: {}: {why}", path.display());
        let table = points::corners(path).map_err(at)?;
        let corners: Vec<[f64; 2]> = table.x.into_iter().zip(table.y).map(|(x, y)| [x, y]).collect();
        if corners.len() < 3 {
            return Err(at(format!("has {} corners, but a polygon needs 3", corners.len())));
        }
        let mask = Mask::new(corners);
        let longest = mask.step * (DISTANCES - 1) as f64;
        // Corners on a line leave a rest of rounding.
        if mask.area > 1e-9 * longest * longest { Ok(mask) } else { Err(at("the polygon has no area".to_owned())) }
    }

    fn new(corners: Vec<[f64; 2]>) -> Self {
        let far = |a: &[f64; 2], b: &[f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]);
        let longest = corners.iter().flat_map(|a| corners.iter().map(move |b| far(a, b))).fold(0.0, f64::max);
        let step = longest / (DISTANCES - 1) as f64;
        let mut overlaps = vec![0.0; DISTANCES];
        for direction in 0..DIRECTIONS {
            let (sine, cosine) = (PI * (direction as f64 + 0.5) / DIRECTIONS as f64).sin_cos();
            let turned: Vec<[f64; 2]> =
                corners.iter().map(|[x, y]| [x * cosine + y * sine, y * cosine - x * sine]).collect();
            let heights = turned.iter().map(|corner| corner[1]);
            let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), y| (a.min(y), b.max(y)));
            let between = (high - low) / LINES as f64;
            for line in 0..LINES {
                let inside = crossings(&turned, low + (line as f64 + 0.5) * between);
                for (k, overlap) in overlaps.iter_mut().enumerate() {
                    let moved = k as f64 * step;
                    for a in inside.chunks_exact(2) {
                        for b in inside.chunks_exact(2) {
                            *overlap += (a[1].min(b[1] + moved) - a[0].max(b[0] + moved)).max(0.0) * between;
                        }
                    }
                }
            }
        }
        overlaps.iter_mut().for_each(|overlap| *overlap /= DIRECTIONS as f64);
        Mask { corners, area: overlaps[0], overlaps, step }
    }

    /// Whether the polygon holds a point: a line from it to one side crosses the sides an odd number
    /// of times.
    pub fn holds(&self, x: f64, y: f64) -> bool {
        crossings(&self.corners, y).into_iter().filter(|&crossing| crossing > x).count() % 2 == 1
    }

    /// The area in which the polygon overlaps itself moved by `r`, averaged over all directions.
    pub fn overlap(&self, r: f64) -> f64 {
        let at = r / self.step;
        let k = at as usize;
        match (self.overlaps.get(k), self.overlaps.get(k + 1)) {
            (Some(a), Some(b)) => a + (b - a) * (at - k as f64),
            _ => 0.0,
        }
    }
}

/// The points within a mask, which has no periodic plane.
pub fn within(table: &Table, mask: &Mask) -> Table {
    let mut table = table.only(|i| mask.holds(table.x[i], table.y[i]));
    table.periods = None;
    table
}

/// The failure of a film without points within the mask.
pub fn outside_mask(points: &Path) -> Failure {
    Failure::Input(format!("{}: no point lies within --mask", points.display()))
}

/// The places, in ascending order, at which the sides cross the line of this y.
fn crossings(corners: &[[f64; 2]], y: f64) -> Vec<f64> {
    let mut crossings = Vec::new();
    let mut before = corners[corners.len() - 1];
    for &corner in corners {
        let ([x0, y0], [x1, y1]) = (before, corner);
        // A side holds its lower end only, so that a corner counts once.
        if (y0 <= y) != (y1 <= y) {
            crossings.push(x0 + (y - y0) / (y1 - y0) * (x1 - x0));
        }
        before = corner;
    }
    crossings.sort_unstable_by(f64::total_cmp);
    crossings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_with_known_overlaps() {
        // A circle of radius 1 as a polygon: 2 acos(r / 2) - r / 2 sqrt(4 - r^2).
        let corner = |i: usize| {
            let (sine, cosine) = (2.0 * PI * i as f64 / 720.0).sin_cos();
            [3.0 + cosine, -2.0 + sine]
        };
        let circle = Mask::new((0..720).map(corner).collect());
        for r in [0.0, 0.3, 1.0, 1.7, 1.99] {
            let exact = 2.0 * (r / 2.0f64).acos() - r / 2.0 * (4.0 - r * r).sqrt();
            assert!((circle.overlap(r) - exact).abs() < 3e-3, "{r}: {} {exact}", circle.overlap(r));
        }
        assert_eq!(circle.overlap(2.5), 0.0);
        // An L of three squares.
        let l = Mask::new(vec![[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]]);
        assert!((l.area - 3.0).abs() < 1e-2, "{}", l.area);
        assert!(l.holds(0.5, 1.5) && l.holds(1.5, 0.5) && !l.holds(1.5, 1.5) && !l.holds(-0.5, 0.5));
    }
}
