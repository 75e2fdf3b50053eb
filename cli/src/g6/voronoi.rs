//! Neighbours whose Voronoi cells share an edge: the bonds of a Delaunay triangulation.

use delaunator::{EMPTY, Point, next_halfedge, triangulate};

/// The directed bonds [i, j] of all points, in ascending order. Each bond is there in both directions.
/// Points at the same place as another, or all on one line, may have none.
///
/// # Errors
/// A sentence that says why a periodic plane is too small.
pub fn bonds(x: &[f64], y: &[f64], periods: Option<[f64; 2]>) -> Result<Vec<[usize; 2]>, String> {
    let mut bonds = match periods {
        None => {
            let points: Vec<[f64; 2]> = x.iter().zip(y).map(|(&x, &y)| [x, y]).collect();
            Triangles::of(&points).bonds(points.len())
        }
        Some(periods) => in_box(x, y, periods)?,
    };
    bonds.sort_unstable();
    Ok(bonds)
}

/// Maximum number of points with their images, and of images per point: boxes that are long and narrow
/// would need many.
const MAX_IMAGES: f64 = 5e5;
const IMAGES: f64 = 20.0;

/// Triangulates the points with their images in a margin around the box. It is wide enough if the
/// circle through the corners of each triangle with a point of the box, which holds no other point,
/// stays within it. Such a circle is no wider than the diagonal of the box, because a wider one holds
/// an image of every point.
fn in_box(x: &[f64], y: &[f64], [width, height]: [f64; 2]) -> Result<Vec<[usize; 2]>, String> {
    let n = x.len();
    let folded = |x: &[f64], period: f64| -> Vec<f64> { x.iter().map(|x| x.rem_euclid(period)).collect() };
    let (x, y) = (folded(x, width), folded(y, height));
    // About six spacings are enough unless there are gaps.
    let near = (6.0 * (width / n.max(1) as f64).sqrt() * height.sqrt()).min(width.hypot(height));
    for margin in [near, 1.001 * width.hypot(height)] {
        let [columns, rows] = [width, height].map(|period| (margin / period).ceil());
        let images = (1.0 + 2.0 * margin / width) * (1.0 + 2.0 * margin / height);
        if images * n as f64 > MAX_IMAGES && images > IMAGES {
            return Err("--voronoi: the periodic box is too narrow for so large a gap between the points".to_owned());
        }
        let mut points: Vec<[f64; 2]> = x.iter().zip(&y).map(|(&x, &y)| [x, y]).collect();
        let mut owner: Vec<usize> = (0..n).collect();
        let (columns, rows) = (columns as i32, rows as i32);
        for (right, up) in (-columns..=columns).flat_map(|right| (-rows..=rows).map(move |up| (right, up))) {
            for i in (0..n).filter(|_| (right, up) != (0, 0)) {
                let image = [x[i] + f64::from(right) * width, y[i] + f64::from(up) * height];
                let is_near = |axis: usize, period: f64| (-margin..=period + margin).contains(&image[axis]);
                if is_near(0, width) && is_near(1, height) {
                    points.push(image);
                    owner.push(i);
                }
            }
        }
        let triangles = Triangles::of(&points);
        if margin == near
            && !triangles.circles_stay_within(&points, n, [[-margin, width + margin], [-margin, height + margin]])
        {
            continue;
        }
        let mut bonds: Vec<_> = triangles.bonds(n).into_iter().map(|[i, j]| [i, owner[j]]).collect();
        bonds.sort_unstable();
        if bonds.windows(2).any(|pair| pair[0] == pair[1]) || bonds.iter().any(|[i, j]| i == j) {
            break;
        }
        return Ok(bonds);
    }
    Err(format!(
        "--voronoi: a point is its own neighbour, or that of two images of another, in so small a periodic box ({n} points)"
    ))
}

struct Triangles(delaunator::Triangulation);

impl Triangles {
    /// Scaled to a square of about 1, because the triangulation takes points within 2^-51 of each
    /// other as one.
    fn of(points: &[[f64; 2]]) -> Self {
        let range = |axis: usize| {
            let values = points.iter().map(|point| point[axis]);
            let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
            (low, (high - low).max(f64::MIN_POSITIVE))
        };
        let ((left, width), (bottom, height)) = (range(0), range(1));
        let scale = width.max(height);
        let scaled = |point: &[f64; 2]| Point { x: (point[0] - left) / scale, y: (point[1] - bottom) / scale };
        Triangles(triangulate(&points.iter().map(scaled).collect::<Vec<_>>()))
    }

    /// The bonds from the first `n` points.
    fn bonds(&self, n: usize) -> Vec<[usize; 2]> {
        let corners = &self.0.triangles;
        let mut bonds = Vec::with_capacity(6 * n);
        for (edge, &twin) in self.0.halfedges.iter().enumerate() {
            let (from, to) = (corners[edge], corners[next_halfedge(edge)]);
            if from < n {
                bonds.push([from, to]);
            }
            // Only one triangle has an edge of the hull.
            if twin == EMPTY && to < n {
                bonds.push([to, from]);
            }
        }
        bonds
    }

    fn circles_stay_within(&self, points: &[[f64; 2]], n: usize, bounds: [[f64; 2]; 2]) -> bool {
        let mut has_triangle = vec![false; n];
        let stay = self.0.triangles.chunks_exact(3).all(|corners| {
            for &corner in corners.iter().filter(|&&corner| corner < n) {
                has_triangle[corner] = true;
            }
            let [a, b, c] = [0, 1, 2].map(|corner| points[corners[corner]]);
            let ([bx, by], [cx, cy]) = ([b[0] - a[0], b[1] - a[1]], [c[0] - a[0], c[1] - a[1]]);
            let (b2, c2, area) = (bx * bx + by * by, cx * cx + cy * cy, 2.0 * (bx * cy - by * cx));
            let (x, y) = ((cy * b2 - by * c2) / area, (bx * c2 - cx * b2) / area);
            let radius = x.hypot(y);
            let within =
                |axis: usize, centre: f64| centre - radius >= bounds[axis][0] && centre + radius <= bounds[axis][1];
            corners.iter().all(|&corner| corner >= n) || within(0, a[0] + x) && within(1, a[1] + y)
        });
        stay && (has_triangle.iter().any(|&has| has) || n == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points of a triangular lattice, a little displaced so that no four lie on one circle.
    fn lattice(columns: usize, rows: usize) -> (Vec<f64>, Vec<f64>, [f64; 2]) {
        let height = 0.75f64.sqrt();
        let wobble = |i: usize, k: usize| 1e-3 * (((i * 7919 + k * 104_729) % 1000) as f64 / 1000.0 - 0.5);
        let at = |i: usize| {
            let (column, row) = (i % columns, i / columns);
            (column as f64 + 0.5 * (row % 2) as f64 + wobble(i, 1), row as f64 * height + wobble(i, 2))
        };
        let (x, y) = (0..columns * rows).map(at).unzip();
        (x, y, [columns as f64, rows as f64 * height])
    }

    #[test]
    fn a_periodic_lattice_has_six_neighbours() {
        for (columns, rows) in [(4, 4), (12, 10), (40, 6)] {
            let (x, y, periods) = lattice(columns, rows);
            let bonds = bonds(&x, &y, Some(periods)).unwrap();
            for i in 0..x.len() {
                assert_eq!(bonds.iter().filter(|bond| bond[0] == i).count(), 6, "{columns} {rows}: {i}");
            }
            assert!(bonds.iter().all(|&[i, j]| bonds.binary_search(&[j, i]).is_ok()));
        }
        let (x, y, periods) = lattice(2, 2);
        assert!(bonds(&x, &y, Some(periods)).unwrap_err().contains("its own neighbour"));
        assert!(bonds(&[0.5], &[0.5], Some([1.0, 1.0])).is_err());
        // A drop in a large box, whose inner bonds are those in an open plane.
        let (x, y, _) = lattice(12, 10);
        let (drop, open) = (bonds(&x, &y, Some([60.0, 50.0])).unwrap(), bonds(&x, &y, None).unwrap());
        let inner = |bonds: &[[usize; 2]]| -> Vec<[usize; 2]> {
            let inside = |i: usize| (2..10).contains(&(i % 12)) && (2..8).contains(&(i / 12));
            bonds.iter().copied().filter(|bond| inside(bond[0])).collect()
        };
        assert_eq!(inner(&drop), inner(&open));
        let narrow = bonds(&x, &y, Some([1e9, 9.0])).unwrap_err();
        assert!(narrow.contains("too narrow"), "{narrow}");
    }

    #[test]
    fn no_point_lies_in_the_circle_of_a_triangle() {
        // Against all triples of random points, at scales that squares would leave.
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        let (x, y): (Vec<f64>, Vec<f64>) = (0..24).map(|_| (random(), random())).unzip();
        let mut expected = Vec::new();
        let n = x.len();
        for (i, j, k) in (0..n).flat_map(|i| (i + 1..n).flat_map(move |j| (j + 1..n).map(move |k| (i, j, k)))) {
            let [bx, by, cx, cy] = [x[j] - x[i], y[j] - y[i], x[k] - x[i], y[k] - y[i]];
            let (b2, c2, area) = (bx * bx + by * by, cx * cx + cy * cy, 2.0 * (bx * cy - by * cx));
            let (ux, uy) = ((cy * b2 - by * c2) / area, (bx * c2 - cx * b2) / area);
            let inside = |m: usize| (x[m] - x[i] - ux).hypot(y[m] - y[i] - uy) < ux.hypot(uy) * (1.0 - 1e-12);
            if !(0..n).any(|m| m != i && m != j && m != k && inside(m)) {
                for [a, b] in [[i, j], [j, k], [i, k]] {
                    expected.extend([[a, b], [b, a]]);
                }
            }
        }
        expected.sort_unstable();
        expected.dedup();
        for scale in [1.0, 1e-200, 1e150] {
            let scaled = |values: &[f64]| -> Vec<f64> { values.iter().map(|value| value * scale).collect() };
            assert_eq!(bonds(&scaled(&x), &scaled(&y), None).unwrap(), expected, "{scale}");
        }
        assert!(bonds(&[0.0, 1.0, 2.0], &[0.0; 3], None).unwrap().len() <= 4, "points on a line");
        assert_eq!(bonds(&[], &[], None).unwrap(), [[0; 2]; 0]);
    }
}
