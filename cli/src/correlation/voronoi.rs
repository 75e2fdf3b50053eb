//! Neighbours whose Voronoi cells share an edge: the bonds of a Delaunay triangulation.

use std::cmp::Ordering;

use delaunator::{EMPTY, Point, next_halfedge, triangulate};

/// A directed bond.
struct Bond {
    ends: [usize; 2],
    /// From the first end to the image of the second whose cell is adjacent.
    displacement: [f64; 2],
    /// The length of the edge between the cells, in a unit that all bonds share. It is infinite at the edge of an
    /// open plane.
    length: f64,
}

/// Edges shorter than this many distances of their points have no length but rounding errors: the circles of
/// the two triangles are one, and the points, such as opposite corners of a square, are no neighbours.
const SHORTEST: f64 = 1e-6;

/// The cells of a set of points, each place once.
pub struct Cells {
    /// A point at each place. The places do not depend on the order of the points.
    pub first: Vec<usize>,
    /// The place of each point.
    pub place: Vec<usize>,
    /// The bonds of places, in ascending order. Each bond is there in both directions. In a small periodic plane
    /// several may lead to images of one place, or to images of the place itself.
    pub bonds: Vec<[usize; 2]>,
    /// The displacement of each bond, to the image whose cell is adjacent.
    pub displacements: Vec<[f64; 2]>,
    /// The length of the edge of each bond; 0 for all edges of a cell that is not bounded.
    pub lengths: Vec<f64>,
    /// The number of places whose cell is not bounded, and of those without neighbours.
    pub unbounded: usize,
    pub alone: usize,
}

impl Cells {
    /// # Errors
    /// A sentence that says why a periodic plane is too small.
    pub fn of(x: &[f64], y: &[f64], periods: Option<[f64; 2]>) -> Result<Self, String> {
        let [u, v] = [0, 1].map(|axis| folded([x, y][axis], periods.map(|periods| periods[axis])));
        let mut order: Vec<usize> = (0..x.len()).collect();
        let key = |&i: &usize| [v[i] + 0.0, u[i] + 0.0, y[i], x[i]];
        order.sort_by(|i, j| {
            let mut parts = key(i).into_iter().zip(key(j)).map(|(a, b)| a.total_cmp(&b));
            parts.find(|part| part.is_ne()).unwrap_or(i.cmp(j))
        });
        let (mut first, mut place) = (Vec::<usize>::new(), vec![0; x.len()]);
        for i in order {
            if first.last().is_none_or(|&last| (u[last], v[last]) != (u[i], v[i])) {
                first.push(i);
            }
            place[i] = first.len() - 1;
        }
        let at: Vec<[f64; 2]> = first.iter().map(|&i| [u[i], v[i]]).collect();
        let mut bonds = match periods {
            None => Triangles::of(&at).bonds(&at, at.len()),
            Some(periods) => in_box(&at, periods)?,
        };
        bonds.sort_unstable_by(|a, b| {
            let displacements = a.displacement.into_iter().zip(b.displacement);
            let mut order = displacements.map(|(a, b)| a.total_cmp(&b));
            a.ends.cmp(&b.ends).then_with(|| order.find(|order| order.is_ne()).unwrap_or(Ordering::Equal))
        });
        let (mut is_alone, mut is_unbounded) = (vec![true; at.len()], vec![false; at.len()]);
        for bond in &bonds {
            is_alone[bond.ends[0]] = false;
            is_unbounded[bond.ends[0]] |= !bond.length.is_finite();
        }
        let count = |is: &[bool]| is.iter().filter(|&&is| is).count();
        let (unbounded, alone) = (count(&is_unbounded), count(&is_alone));
        let length = |bond: &Bond| if is_unbounded[bond.ends[0]] { 0.0 } else { bond.length };
        let lengths = bonds.iter().map(length).collect();
        let displacements = bonds.iter().map(|bond| bond.displacement).collect();
        let bonds = bonds.into_iter().map(|bond| bond.ends).collect();
        Ok(Cells { first, place, bonds, displacements, lengths, unbounded, alone })
    }
}

/// Coordinates in the period that begins at 0.
fn folded(x: &[f64], period: Option<f64>) -> Vec<f64> {
    let Some(period) = period else { return x.to_vec() };
    // A small negative number is rounded to the period itself.
    x.iter().map(|x| x.rem_euclid(period)).map(|x| if x < period { x } else { 0.0 }).collect()
}

/// Maximum number of points with their images, and of images per point: boxes that are long and narrow
/// would need many.
const MAX_IMAGES: f64 = 5e5;
const IMAGES: f64 = 20.0;

/// Triangulates the points with their images in a margin around the box. It is wide enough if the
/// circle through the corners of each triangle with a point of the box, which holds no other point,
/// stays within it. Such a circle is no wider than the diagonal of the box, because a wider one holds
/// an image of every point.
fn in_box(at: &[[f64; 2]], [width, height]: [f64; 2]) -> Result<Vec<Bond>, String> {
    let n = at.len();
    // About six spacings are enough unless there are gaps.
    let near = (6.0 * (width / n.max(1) as f64).sqrt() * height.sqrt()).min(width.hypot(height));
    let mut margin = near;
    loop {
        let (points, owner) = with_images(at, [width, height], margin)?;
        let triangles = Triangles::of(&points);
        if margin == near
            && !triangles.circles_stay_within(&points, n, [[-margin, width + margin], [-margin, height + margin]])
        {
            margin = 1.001 * width.hypot(height);
            continue;
        }
        let mut bonds = triangles.bonds(&points, n);
        bonds.iter_mut().for_each(|bond| bond.ends[1] = owner[bond.ends[1]]);
        return Ok(bonds);
    }
}

/// The points, then their images within a margin around the box; and the point of each.
fn with_images(at: &[[f64; 2]], [width, height]: [f64; 2], margin: f64) -> Result<(Vec<[f64; 2]>, Vec<usize>), String> {
    let n = at.len();
    let [columns, rows] = [width, height].map(|period| (margin / period).ceil());
    let images = (1.0 + 2.0 * margin / width) * (1.0 + 2.0 * margin / height);
    if images * n as f64 > MAX_IMAGES && images > IMAGES {
        return Err("--voronoi: the periodic box is too narrow for so large a gap between the points".to_owned());
    }
    let mut points = at.to_vec();
    let mut owner: Vec<usize> = (0..n).collect();
    let (columns, rows) = (columns as i32, rows as i32);
    for (right, up) in (-columns..=columns).flat_map(|right| (-rows..=rows).map(move |up| (right, up))) {
        for i in (0..n).filter(|_| (right, up) != (0, 0)) {
            let image = [at[i][0] + f64::from(right) * width, at[i][1] + f64::from(up) * height];
            let is_near = |axis: usize, period: f64| (-margin..=period + margin).contains(&image[axis]);
            if is_near(0, width) && is_near(1, height) {
                points.push(image);
                owner.push(i);
            }
        }
    }
    Ok((points, owner))
}

struct Triangles {
    all: delaunator::Triangulation,
    /// The points, scaled.
    at: Vec<[f64; 2]>,
}

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
        let at: Vec<[f64; 2]> =
            points.iter().map(|point| [(point[0] - left) / scale, (point[1] - bottom) / scale]).collect();
        Triangles { all: triangulate(&at.iter().map(|&[x, y]| Point { x, y }).collect::<Vec<_>>()), at }
    }

    /// The centre of the circle through the corners of a triangle.
    fn centre(&self, triangle: usize) -> [f64; 2] {
        let [a, b, c] = [0, 1, 2].map(|corner| self.at[self.all.triangles[3 * triangle + corner]]);
        let [x, y] = centre([a, b, c]);
        [a[0] + x, a[1] + y]
    }

    /// The bonds from the first `n` of the points.
    fn bonds(&self, points: &[[f64; 2]], n: usize) -> Vec<Bond> {
        let corners = &self.all.triangles;
        let far = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]);
        let bond = |from: usize, to: usize, length: f64| {
            let displacement = [0, 1].map(|axis| points[to][axis] - points[from][axis]);
            Bond { ends: [from, to], displacement, length }
        };
        let mut bonds = Vec::with_capacity(6 * n);
        for (edge, &twin) in self.all.halfedges.iter().enumerate() {
            let (from, to) = (corners[edge], corners[next_halfedge(edge)]);
            if from >= n && to >= n {
                continue;
            }
            let length = match twin {
                EMPTY => f64::INFINITY,
                _ => far(self.centre(edge / 3), self.centre(twin / 3)),
            };
            if length <= SHORTEST * far(self.at[from], self.at[to]) {
                continue;
            }
            // Triangles without area have no centre.
            let length = if length.is_nan() { f64::INFINITY } else { length };
            if from < n {
                bonds.push(bond(from, to, length));
            }
            // Only one triangle has an edge of the hull.
            if twin == EMPTY && to < n {
                bonds.push(bond(to, from, length));
            }
        }
        bonds
    }

    fn circles_stay_within(&self, points: &[[f64; 2]], n: usize, bounds: [[f64; 2]; 2]) -> bool {
        let mut has_triangle = vec![false; n];
        let stay = self.all.triangles.chunks_exact(3).all(|corners| {
            for &corner in corners.iter().filter(|&&corner| corner < n) {
                has_triangle[corner] = true;
            }
            let [a, b, c] = [0, 1, 2].map(|corner| points[corners[corner]]);
            let [x, y] = centre([a, b, c]);
            let radius = x.hypot(y);
            let within =
                |axis: usize, centre: f64| centre - radius >= bounds[axis][0] && centre + radius <= bounds[axis][1];
            corners.iter().all(|&corner| corner >= n) || within(0, a[0] + x) && within(1, a[1] + y)
        });
        stay && (has_triangle.iter().any(|&has| has) || n == 0)
    }
}

/// The centre of the circle through three points, relative to the first.
fn centre([a, b, c]: [[f64; 2]; 3]) -> [f64; 2] {
    let ([bx, by], [cx, cy]) = ([b[0] - a[0], b[1] - a[1]], [c[0] - a[0], c[1] - a[1]]);
    let (b2, c2, area) = (bx * bx + by * by, cx * cx + cy * cy, 2.0 * (bx * cy - by * cx));
    [(cy * b2 - by * c2) / area, (bx * c2 - cx * b2) / area]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bonds of points, by their indices.
    fn bonds(x: &[f64], y: &[f64], periods: Option<[f64; 2]>) -> Result<Vec<[usize; 2]>, String> {
        let cells = Cells::of(x, y, periods)?;
        let mut bonds: Vec<_> = cells.bonds.into_iter().map(|bond| bond.map(|place| cells.first[place])).collect();
        bonds.sort_unstable();
        Ok(bonds)
    }

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
        // Each of four points has six neighbours, two images of each other one. A single point has its own images.
        let (x, y, periods) = lattice(2, 2);
        assert_eq!(bonds(&x, &y, Some(periods)).unwrap().len(), 24);
        let alone = Cells::of(&[0.5], &[0.25], Some([1.0, 2.0])).unwrap();
        assert_eq!(alone.bonds, [[0, 0]; 4]);
        assert_eq!(alone.displacements, [[-1.0, 0.0], [0.0, -2.0], [0.0, 2.0], [1.0, 0.0]]);
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

    /// Square, honeycomb and kagome lattices, whose polygons of four and six points lie on circles.
    #[test]
    fn opposite_corners_of_a_polygon_are_no_neighbours() {
        let root = 3f64.sqrt();
        type LatticeCell<'a> = (&'a [[f64; 2]], [f64; 2], usize);
        let cells: [LatticeCell; 3] = [
            (&[[0.0, 0.0]], [0.3, 0.3], 4),
            (&[[0.0, 0.0], [0.0, 1.0], [root / 2.0, 1.5], [root / 2.0, 2.5]], [root, 3.0], 3),
            (
                &[[0.0, 0.0], [1.0, 0.0], [0.5, root / 2.0], [1.0, root], [0.0, root], [1.5, 1.5 * root]],
                [2.0, 2.0 * root],
                4,
            ),
        ];
        for (basis, [width, height], neighbours) in cells {
            for (shift, open) in [(0.0, false), (0.1234, false), (0.1, true)] {
                let (mut x, mut y) = (Vec::new(), Vec::new());
                for (i, j) in (0..8).flat_map(|i| (0..8).map(move |j| (f64::from(i), f64::from(j)))) {
                    x.extend(basis.iter().map(|at| at[0] + i * width + shift));
                    y.extend(basis.iter().map(|at| at[1] + j * height + shift));
                }
                let periods = (!open).then_some([8.0 * width, 8.0 * height]);
                let bonds = bonds(&x, &y, periods).unwrap();
                let inside = |&i: &usize| {
                    let near = |at: f64, period: f64| (2.0..6.0).contains(&(at / period));
                    !open || near(x[i], width) && near(y[i], height)
                };
                for i in (0..x.len()).filter(inside) {
                    assert_eq!(bonds.iter().filter(|bond| bond[0] == i).count(), neighbours, "{basis:?} {shift} {i}");
                }
            }
        }
    }

    #[test]
    fn places_with_two_points_and_open_cells() {
        let (x, y) = ([1.0, 0.0, 1.0, 1.0, 2.0, 1.0], [1.0, 1.0, 0.0, 1.0, 1.0, 2.0]);
        let cells = Cells::of(&x, &y, None).unwrap();
        assert_eq!((cells.first.len(), cells.unbounded, cells.alone), (5, 4, 0));
        assert_eq!(cells.place[0], cells.place[3]);
        let own: Vec<f64> = cells
            .bonds
            .iter()
            .zip(&cells.lengths)
            .filter(|(bond, _)| bond[0] == cells.place[0])
            .map(|x| *x.1)
            .collect();
        assert!(own.len() == 4 && own.iter().all(|length| (length - own[0]).abs() < 1e-12 && *length > 0.0));
        assert_eq!(Cells::of(&[0.0, 1.0, 2.0], &[0.0; 3], None).unwrap().alone, 3);
    }
}
