//! The costs of the methods that count the pairs of an image.

use super::super::add_points::EXACT;
use super::super::bins::Bins;
use super::super::image::Image;
use super::super::points::TILE;
use super::super::transform::Transform;
use super::reach;
use crate::math::libm::sqrt_f32;

/// The maximum number of squares along each axis of a coarse map of the points.
const MAP: usize = 16;

/// Numbers about an image and bins, by which the costs of the methods are estimated.
pub(super) struct Shape {
    /// The number of points.
    pub n: f64,
    /// Pairs within the largest distance, and pairs within it in y only, about.
    near: f64,
    beside: f64,
    /// The columns of an image that have pairs, and the differences of y.
    columns: f64,
    differences: f64,
    /// Pairs of rows at each difference of y, about.
    rows: f64,
    /// Parts of rows that are compared at once.
    strips: f64,
    has_orientations: bool,
    /// The area of the parts of the map that have points.
    area: f64,
}

/// Costs are in nanoseconds of one core of a Xeon with AVX-512 at 3.6 GHz. Their ratios are about the same on
/// other CPUs.
impl Shape {
    /// The cost of the factors of short transforms.
    const FACTORS: f64 = 30_000.0;

    /// The cost of a unit of [`Transform::work`].
    const WORK: f64 = 0.275;

    /// The cost of a pair whose square is exact in f64 only.
    const WIDE: f64 = 3.0;

    pub fn new(image: &Image, bins: &Bins) -> Shape {
        let n = image.len() as f64;
        let r = reach(bins) as f64;
        let [width, height] = [image.width(), image.height()].map(|extent| f64::from(extent) + 1.0);
        let squares = if image.len() < 4096 { MAP / 2 } else { MAP };
        let sides = [width, height].map(|length| length / squares as f64);
        let mut map = [[0.0; MAP]; MAP];
        let place = |number: usize, side: f64| ((number as f64 + 0.5) / side) as usize % squares;
        image.for_each_point(0..image.height() as usize + 1, |_, column, row| {
            map[place(row, sides[1])][place(column, sides[0])] += 1.0;
        });
        // The share of the pairs of two squares `apart` squares apart that is within reach.
        let wide = |apart: usize, side: f64| ((r - apart as f64 * side) / side + 0.5).clamp(0.0, 1.0);
        let mut parts = [[0.0; MAP]; MAP];
        // Points of one square are closer than its side.
        let most = (core::f64::consts::PI * r * r / (sides[0] * sides[1])).min(1.0);
        for (up, parts) in parts.iter_mut().enumerate().take(squares) {
            for (right, part) in parts.iter_mut().enumerate().take(squares) {
                let [dx, dy] = [right as f64 * sides[0], up as f64 * sides[1]];
                let distance = f64::from(sqrt_f32((dx * dx + dy * dy) as f32));
                // Not `clamp`: its panic would link the formatting of numbers.
                *part = ((r - distance) / sides[0].max(sides[1]) + 0.5).max(0.0).min(most);
            }
        }
        let (mut near, mut beside) = (0.0, 0.0);
        for (up, row) in map.iter().enumerate().take(squares) {
            let mass: f64 = row.iter().sum();
            for (other_up, other) in map.iter().enumerate().take(squares) {
                let apart = up.abs_diff(other_up);
                beside += mass * other.iter().sum::<f64>() * wide(apart, sides[1]).min(2.0 * r / sides[1]);
                for (at, &mass) in row.iter().enumerate().filter(|(_, mass)| **mass > 0.0) {
                    for (other_at, &other_mass) in other.iter().enumerate() {
                        near += mass * other_mass * parts[apart][at.abs_diff(other_at)];
                    }
                }
            }
        }
        let occupied = map.iter().flatten().filter(|mass| **mass > 0.0).count();
        let rows = image.occupied_rows() as f64;
        let differences = r.min(height);
        Shape {
            n,
            near: 0.5 * near,
            beside: 0.5 * beside,
            columns: r.min(width),
            differences,
            rows: rows * rows / height * differences,
            strips: (width / r).min(n / rows).max(1.0),
            has_orientations: image.has_orientations(),
            area: occupied as f64 * sides[0] * sides[1],
        }
    }

    pub fn transform(image: &Image, transform: &Transform) -> f64 {
        Shape::FACTORS + transform.work(image) * Shape::WORK
    }

    pub fn rows(&self) -> f64 {
        self.rows_of_part(1.0)
    }

    /// The cost of a part of the pairs.
    pub fn rows_of_part(&self, part: f64) -> f64 {
        let pair = if self.has_orientations { 0.27 } else { 0.2 };
        // The points of a strip are compared with those within reach of any of them.
        let wide = if self.strips > 1.0 { 1.5 } else { 1.0 };
        part * pair * wide * self.near
            + 3.0 * self.differences * self.columns
            + part * self.rows * (20.0 + 40.0 * (self.strips - 1.0))
            + 20.0 * self.n
            + 20_000.0
    }

    pub fn cells(&self, bins: &Bins, exact: bool) -> f64 {
        // Pairs of tiles in one bin cost no more than one pair.
        let side = sqrt_f32((TILE as f64 * self.area / self.n.max(1.0)) as f32);
        let edges = 2.2 * f64::from(side) / (bins.r_max() / bins.len() as f64);
        let most = if exact { 0.7 } else { 3.0 };
        let pair = if bins.r_max() > EXACT { Shape::WIDE } else { (0.1 + 0.13 * edges).min(most) };
        pair * self.near + 200.0 * self.n + 300.0 * bins.len() as f64
    }

    pub fn pairs(&self) -> f64 {
        8.0 * self.beside + 50.0 * self.n
    }
}
