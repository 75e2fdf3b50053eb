//! Bond-orientational order: orientations from the directions of neighbours.

use alloc::vec::Vec;
use core::ops::Range;

use super::Psi;
use super::boundary::{self, Boundary, FARTHEST, PERIODS};
use super::frame::scale_of;
use crate::error::Error;
use crate::error::exactly;
use crate::float::Float;
use crate::libm::sqrt_f64;
use crate::memory;

impl Psi {
    /// The bond-orientational order of each point: the mean of exp(i `fold` theta) over the
    /// directions theta from the point to its `k` nearest neighbours. This is psi_6 if `k` and
    /// `fold` are 6.
    ///
    /// Points at equal distance are ordered by index. In a periodic plane every other point counts
    /// once, at its nearest image; a point is never its own neighbour. A neighbour at the same
    /// position has no direction: it counts as one of the `k` and adds 0. Coordinates are folded
    /// into the period exactly. Distances and directions are computed in `f64`, and directions are
    /// added in the order of the distances, so that the bits are the same on every CPU.
    ///
    /// For small `k` and points spread evenly, in clusters or with a few far away, the time is about
    /// proportional to the number of points times `k`. It grows faster for points along crossing
    /// lines and for distributions with heavy tails, and as the square of `k` for large `k`. The
    /// memory is at most 64 bytes per point, and 384 bytes times `k`.
    ///
    /// ```
    /// use hotloops::correlation::{Boundary, Psi};
    /// // A square lattice in a periodic plane.
    /// let (x, y): (Vec<f64>, Vec<f64>) = (0..36).map(|i| (f64::from(i % 6), f64::from(i / 6))).unzip();
    /// let psi = Psi::of_neighbours(&x, &y, Boundary::Periodic([6.0, 6.0]), 4, 4)?;
    /// assert_eq!(psi, [Psi::ONE; 36]);
    /// # Ok::<(), hotloops::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Length`] if the slices differ in length; [`Error::Neighbours`] if `k` is 0, or if a
    /// point has fewer than `k` others; [`Error::Coordinate`] for a coordinate that is not finite,
    /// or, in an open plane, above 10^300 in magnitude; [`Error::Periodic`] for a period that is
    /// not between 10^-290 and 10^290; [`Error::NoMemory`].
    pub fn of_neighbours<T: Float>(
        x: &[T],
        y: &[T],
        boundary: Boundary,
        k: usize,
        fold: u32,
    ) -> Result<Vec<Psi>, Error> {
        exactly("y", x.len(), y.len())?;
        let n = x.len();
        if k == 0 || (n > 0 && k >= n) {
            return Err(Error::Neighbours { k, others: n.saturating_sub(1) });
        }
        let tree = Tree::new(x, y, Axis::both(x, y, boundary)?)?;
        let mut all = memory::filled(n, Psi::default())?;
        let mut nearest = Nearest::new(k)?;
        for leaf in 0..n.div_ceil(LEAF) {
            tree.find(leaf, &mut nearest);
            for (slot, found) in tree.slots(leaf).zip(nearest.found.chunks_exact(k)) {
                all[tree.index[slot]] = tree.order(slot, found, fold);
            }
        }
        Ok(all)
    }

    /// The bond-orientational order of each point: the mean of exp(i `fold` theta) over the
    /// directions theta from the point to all others at a distance of at most `radius`, and 0 for a
    /// point that has none. The rest is as for [`Psi::of_neighbours`].
    ///
    /// ```
    /// use hotloops::correlation::{Boundary, Psi};
    /// let (x, y) = ([0.0, 1.0, 5.0], [0.0, 1.0, 0.0]);
    /// let psi = Psi::of_neighbours_within(&x, &y, Boundary::Open, 1.5, 8)?;
    /// assert_eq!(psi, [Psi::ONE, Psi::ONE, Psi::new(0.0, 0.0)?]);
    /// # Ok::<(), hotloops::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Length`] if the slices differ in length; [`Error::Coordinate`] also for a `radius` that
    /// is not a positive number; [`Error::Periodic`] also for a period less than twice the
    /// `radius`; [`Error::NoMemory`].
    pub fn of_neighbours_within<T: Float>(
        x: &[T],
        y: &[T],
        boundary: Boundary,
        radius: f64,
        fold: u32,
    ) -> Result<Vec<Psi>, Error> {
        exactly("y", x.len(), y.len())?;
        if !(radius > 0.0 && radius.is_finite()) {
            return Err(Error::Coordinate { argument: "radius", index: 0 });
        }
        let axes = Axis::both(x, y, boundary)?;
        for (axis, argument) in axes.iter().zip(["x", "y"]) {
            if axis.periodic && 2.0 * radius > axis.length {
                return Err(Error::Periodic { argument });
            }
        }
        let tree = Tree::new(x, y, axes)?;
        let limit = (radius * tree.scale) * (radius * tree.scale);
        let mut all = memory::filled(x.len(), Psi::default())?;
        let mut found = [const { Vec::new() }; LEAF];
        for leaf in 0..x.len().div_ceil(LEAF) {
            tree.find_within(leaf, limit, &mut found)?;
            for (slot, found) in tree.slots(leaf).zip(&found) {
                all[tree.index[slot]] = tree.order(slot, found, fold);
            }
        }
        Ok(all)
    }

    /// The bond-orientational order of each point from given bonds, such as those of a Delaunay
    /// triangulation: each pair [i, j] is a neighbour j of point i. The mean is over all neighbours of
    /// a point, added in the given order, and 0 for a point that has none. In a periodic plane a bond
    /// leads to the nearest image. The rest is as for [`Psi::of_neighbours`].
    ///
    /// ```
    /// use hotloops::correlation::{Boundary, Psi};
    /// // A corner of a square, and the ends of its sides.
    /// let (x, y) = ([0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
    /// let psi = Psi::of_bonds(&x, &y, Boundary::Open, &[[0, 1], [0, 2], [1, 0], [2, 0]], 4)?;
    /// assert_eq!(psi, [Psi::ONE; 3]);
    /// # Ok::<(), hotloops::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Length`] if `x` and `y` differ in length; [`Error::Index`] if a bond names no point;
    /// [`Error::Coordinate`], [`Error::Periodic`] and [`Error::NoMemory`] as for
    /// [`Psi::of_neighbours`].
    pub fn of_bonds<T: Float>(
        x: &[T],
        y: &[T],
        boundary: Boundary,
        bonds: &[[usize; 2]],
        fold: u32,
    ) -> Result<Vec<Psi>, Error> {
        exactly("y", x.len(), y.len())?;
        let (n, axes) = (x.len(), Axis::both(x, y, boundary)?);
        let at = |axis: usize, index: usize| axes[axis].local([x, y][axis][index].to_f64());
        let mut sums = memory::filled(n, ([0.0; 2], 0u64))?;
        for &[i, j] in bonds {
            if i.max(j) >= n {
                return Err(Error::Index { argument: "bonds", index: i.max(j), count: n });
            }
            let apart = [0, 1].map(|axis| axes[axis].difference(at(axis, i), at(axis, j)));
            let ([re, im], (sum, count)) = (direction(apart, fold), &mut sums[i]);
            *sum = [sum[0] + re, sum[1] + im];
            *count += 1;
        }
        memory::collected(sums.into_iter().map(|([re, im], count)| {
            let count = count.max(1) as f64;
            Psi::rounded(re / count, im / count)
        }))
    }
}

/// (z / |z|)^`fold`; 0 if z is 0.
fn direction(z: [f64; 2], fold: u32) -> [f64; 2] {
    let scale = z[0].abs().max(z[1].abs());
    if scale == 0.0 {
        return [0.0; 2];
    }
    let [x, y] = z.map(|part| part / scale);
    let square = x * x + y * y;
    let times = |a: [f64; 2], b: [f64; 2]| [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]];
    // z^2 / |z|^2 needs no root.
    let mut twice = [(x - y) * (x + y) / square, 2.0 * x * y / square];
    let mut power = match fold % 2 {
        0 => [1.0, 0.0],
        _ => [x, y].map(|part| part / sqrt_f64(square)),
    };
    let mut rest = fold / 2;
    while rest > 0 {
        if rest % 2 == 1 {
            power = times(power, twice);
        }
        twice = times(twice, twice);
        rest /= 2;
    }
    power
}

/// The range of a coordinate.
#[derive(Clone, Copy)]
struct Axis {
    length: f64,
    periodic: bool,
}

impl Axis {
    fn both<T: Float>(x: &[T], y: &[T], boundary: Boundary) -> Result<[Self; 2], Error> {
        Ok([Axis::new("x", x, boundary, 0)?, Axis::new("y", y, boundary, 1)?])
    }

    fn new<T: Float>(argument: &'static str, values: &[T], boundary: Boundary, axis: usize) -> Result<Self, Error> {
        let (length, periodic, farthest) = match boundary {
            Boundary::Periodic(periods) => {
                let period = periods[axis];
                if !(PERIODS[0]..=PERIODS[1]).contains(&period) {
                    return Err(Error::Periodic { argument });
                }
                (period, true, f64::MAX)
            }
            Boundary::Open => {
                let [first, last] = boundary::range(values);
                (last - first, false, FARTHEST)
            }
        };
        boundary::check(argument, values, farthest)?;
        Ok(Axis { length, periodic })
    }

    /// The coordinate, folded into the period if there is one.
    fn local(&self, x: f64) -> f64 {
        if self.periodic { boundary::folded(x, self.length) } else { x }
    }

    /// The difference from one point to the nearest image of another. If two images are exactly
    /// half a period away, it is the difference of the coordinates folded into 0 to `length`.
    fn difference(&self, from: f64, to: f64) -> f64 {
        let (d, rest) = boundary::difference(from, to);
        match self.periodic {
            true if d >= 0.5 * self.length => (d - self.length) + rest,
            true if d <= -0.5 * self.length => (d + self.length) + rest,
            _ => d,
        }
    }

    /// A lower bound of the magnitudes of differences between points of two intervals, as
    /// [`difference`](Axis::difference) rounds them: rounding is monotonic.
    #[inline]
    fn gap(&self, [a_min, a_max]: [f64; 2], [b_min, b_max]: [f64; 2]) -> f64 {
        let (right, left) = (b_min - a_max, a_min - b_max);
        let gap = right.max(left).max(0.0);
        if !self.periodic || gap == 0.0 {
            return gap;
        }
        // The images on either side. The allowance is for the rounding of three operations.
        let (right, left) =
            ((right + self.length).max(left - self.length), (left + self.length).max(right - self.length));
        (gap.min(right.max(0.0)).min(left.max(0.0)) - 1e-15 * self.length).max(0.0)
    }

    /// Whether points of two intervals are less than half a period apart without other images.
    fn is_plain(&self, [a_min, a_max]: [f64; 2], [b_min, b_max]: [f64; 2]) -> bool {
        !self.periodic || (b_max - a_min).max(a_max - b_min) < 0.5 * self.length
    }
}

/// The maximum number of points in a leaf. Leaves are searched for as wholes.
const LEAF: usize = 16;

/// Number of points in the sample whose quartiles tell the shape of the cloud.
const SAMPLE: usize = 256;

/// A rectangle that holds points, and the smallest of their indices.
#[derive(Clone, Copy)]
struct Node {
    /// Minimum and maximum of each coordinate.
    sides: [[f64; 2]; 2],
    smallest: usize,
}

impl Node {
    /// Holds no point. It is infinitely far from all others.
    const EMPTY: Node = Node { sides: [[f64::INFINITY, f64::NEG_INFINITY]; 2], smallest: usize::MAX };

    fn join(self, other: Node) -> Node {
        let side = |axis: usize| {
            let ([a, b], [c, d]) = (self.sides[axis], other.sides[axis]);
            [a.min(c), b.max(d)]
        };
        Node { sides: [side(0), side(1)], smallest: self.smallest.min(other.smallest) }
    }
}

struct Point {
    at: [f64; 2],
    index: usize,
}

/// A neighbour. The order is that of distance, then of index.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Neighbour {
    /// The bits of the scaled squared distance, which is not negative.
    square: u64,
    index: usize,
    slot: usize,
}

impl Neighbour {
    /// Beyond all points.
    const NONE: Neighbour = Neighbour { square: u64::MAX, index: usize::MAX, slot: usize::MAX };

    /// Whether it ranks before a point of this index at this squared distance.
    fn is_before(&self, square: f64, index: usize) -> bool {
        (self.square, self.index) < (square.to_bits(), index)
    }
}

/// The `k` nearest points found for each point of a leaf, nearest first.
struct Nearest {
    k: usize,
    found: Vec<Neighbour>,
}

impl Nearest {
    fn new(k: usize) -> Result<Self, Error> {
        let length = k.checked_mul(LEAF).ok_or(Error::NoMemory)?;
        Ok(Nearest { k, found: memory::filled(length, Neighbour::NONE)? })
    }

    /// The last neighbour of point `i` of the leaf.
    fn last(&self, i: usize) -> &Neighbour {
        &self.found[i * self.k + self.k - 1]
    }

    /// Inserts a point that is nearer to point `i` than its last neighbour.
    fn insert(&mut self, i: usize, new: Neighbour) {
        let found = &mut self.found[i * self.k..][..self.k];
        let mut at = self.k - 1;
        if at > 2 * LEAF {
            // Empty places at the end need not move.
            at = at.min(found.partition_point(|other| *other != Neighbour::NONE));
            let place = found[..at].partition_point(|other| *other < new);
            found.copy_within(place..at, place + 1);
            at = place;
        }
        while at > 0 && found[at - 1] > new {
            found[at] = found[at - 1];
            at -= 1;
        }
        found[at] = new;
    }
}

/// Points in leaves, under a binary tree of bounding rectangles.
///
/// Points are sorted into strips of y with equal numbers of points, and by x within a strip, so
/// that the leaves follow the density. A leaf with one point far from the others is wide, and is
/// visited often. Many such leaves, as for crossing lines, cost time.
struct Tree {
    axes: [Axis; 2],
    /// A power of two by which lengths are multiplied before they are squared.
    scale: f64,
    x: Vec<f64>,
    y: Vec<f64>,
    index: Vec<usize>,
    /// Node t has the children 2 t and 2 t + 1; node 1 is the root. The second half is the leaves,
    /// some of them empty.
    nodes: Vec<Node>,
}

impl Tree {
    fn new<T: Float>(x: &[T], y: &[T], axes: [Axis; 2]) -> Result<Self, Error> {
        let longest = axes.iter().fold(0.0, |longest: f64, axis| longest.max(axis.length));
        let scale = scale_of(longest.clamp(PERIODS[0], PERIODS[1]));
        let n = x.len();
        let at = |index: usize| [axes[0].local(x[index].to_f64()), axes[1].local(y[index].to_f64())];
        let mut points = memory::collected((0..n).map(|index| Point { at: at(index), index }))?;
        points.sort_unstable_by(|a, b| a.at[1].total_cmp(&b.at[1]).then(a.index.cmp(&b.index)));
        let strip = strip(&points).max(1) * LEAF;
        for strip in points.chunks_mut(strip) {
            strip.sort_unstable_by(|a, b| a.at[0].total_cmp(&b.at[0]).then(a.index.cmp(&b.index)));
        }
        let leaves = n.div_ceil(LEAF).next_power_of_two();
        let mut nodes = memory::filled(2 * leaves, Node::EMPTY)?;
        for (node, leaf) in nodes[leaves..].iter_mut().zip(points.chunks(LEAF)) {
            let one = |point: &Point| Node { sides: point.at.map(|x| [x, x]), smallest: point.index };
            *node = leaf.iter().map(one).fold(Node::EMPTY, Node::join);
        }
        for t in (1..leaves).rev() {
            nodes[t] = nodes[2 * t].join(nodes[2 * t + 1]);
        }
        let column = |axis: usize| memory::collected(points.iter().map(|point| point.at[axis]));
        let (x, y) = (column(0)?, column(1)?);
        let index = memory::collected(points.iter().map(|point| point.index))?;
        Ok(Tree { axes, scale, x, y, index, nodes })
    }

    /// The mean of the directions to the neighbours of a point, added in their order.
    #[inline]
    fn order(&self, slot: usize, neighbours: &[Neighbour], fold: u32) -> Psi {
        let sum = neighbours.iter().fold([0.0; 2], |sum, neighbour| {
            let [re, im] = direction(self.difference(slot, neighbour.slot), fold);
            [sum[0] + re, sum[1] + im]
        });
        let [re, im] = sum.map(|part| part / neighbours.len().max(1) as f64);
        Psi::rounded(re, im)
    }

    /// The slots of the points of a leaf.
    fn slots(&self, leaf: usize) -> Range<usize> {
        leaf * LEAF..self.x.len().min((leaf + 1) * LEAF)
    }

    /// The scaled difference between two points.
    fn difference(&self, from: usize, to: usize) -> [f64; 2] {
        [
            self.axes[0].difference(self.x[from], self.x[to]) * self.scale,
            self.axes[1].difference(self.y[from], self.y[to]) * self.scale,
        ]
    }

    /// A lower bound of the scaled squared distances between points of two rectangles.
    #[inline]
    fn gap(&self, a: &[[f64; 2]; 2], b: &[[f64; 2]; 2]) -> f64 {
        let dx = self.axes[0].gap(a[0], b[0]) * self.scale;
        let dy = self.axes[1].gap(a[1], b[1]) * self.scale;
        dx * dx + dy * dy
    }

    /// Finds the points nearest to each point of a leaf.
    fn find(&self, leaf: usize, nearest: &mut Nearest) {
        let leaves = self.nodes.len() / 2;
        let own = &self.nodes[leaves + leaf];
        nearest.found.fill(Neighbour::NONE);
        self.scan(leaf, leaf, nearest);
        let mut farthest = self.farthest(leaf, nearest);
        // Nodes to visit, with their distances, the nearest on top.
        let mut stack = [(0, 0.0); usize::BITS as usize + 1];
        stack[0] = (1, 0.0);
        let mut height = 1;
        while height > 0 {
            height -= 1;
            let (node, gap) = stack[height];
            if farthest.is_before(gap, self.nodes[node].smallest) || gap == f64::INFINITY {
                continue;
            }
            if node >= leaves {
                if node != leaves + leaf {
                    self.scan(leaf, node - leaves, nearest);
                    farthest = self.farthest(leaf, nearest);
                }
                continue;
            }
            let mut children =
                [2 * node, 2 * node + 1].map(|child| (child, self.gap(&own.sides, &self.nodes[child].sides)));
            let rank = |(child, gap): (usize, f64)| (gap, self.nodes[child].smallest);
            if rank(children[0]) < rank(children[1]) {
                children.swap(0, 1);
            }
            stack[height] = children[0];
            stack[height + 1] = children[1];
            height += 2;
        }
    }

    /// The farthest of the last neighbours of the points of a leaf.
    fn farthest(&self, leaf: usize, nearest: &Nearest) -> Neighbour {
        let last = (0..self.slots(leaf).len()).map(|i| *nearest.last(i));
        last.max().unwrap_or(Neighbour::NONE)
    }

    /// Finds the other points within a scaled squared distance of each point of a leaf, nearest first.
    fn find_within(&self, leaf: usize, limit: f64, found: &mut [Vec<Neighbour>; LEAF]) -> Result<(), Error> {
        let leaves = self.nodes.len() / 2;
        let own = &self.nodes[leaves + leaf].sides;
        found.iter_mut().for_each(Vec::clear);
        let mut stack = [0; usize::BITS as usize + 1];
        stack[0] = 1;
        let mut height = 1;
        while height > 0 {
            height -= 1;
            let node = stack[height];
            // Nodes without points are infinitely far.
            let gap = self.gap(own, &self.nodes[node].sides);
            if gap > limit || gap == f64::INFINITY {
                continue;
            }
            if node < leaves {
                stack[height..height + 2].copy_from_slice(&[2 * node + 1, 2 * node]);
                height += 2;
                continue;
            }
            let from = self.slots(node - leaves);
            let is_plain = (0..2).all(|axis| self.axes[axis].is_plain(own[axis], self.nodes[node].sides[axis]));
            for (slot, found) in self.slots(leaf).zip(found.iter_mut()) {
                let squares = self.squares(slot, from.clone(), is_plain);
                for (square, other) in squares.iter().zip(from.clone()) {
                    if *square <= limit && other != slot {
                        let new = Neighbour { square: square.to_bits(), index: self.index[other], slot: other };
                        memory::push(found, new)?;
                    }
                }
            }
        }
        found.iter_mut().for_each(|found| found.sort_unstable());
        Ok(())
    }

    /// Scaled squared distances from a point to those of a leaf. `is_plain` says that none of them has
    /// a nearer image.
    #[inline(always)]
    fn squares(&self, slot: usize, slots: Range<usize>, is_plain: bool) -> [f64; LEAF] {
        let mut squares = [f64::INFINITY; LEAF];
        if is_plain {
            let at = [self.x[slot], self.y[slot]];
            for ((square, x), y) in squares.iter_mut().zip(&self.x[slots.clone()]).zip(&self.y[slots]) {
                let [dx, dy] = [(x - at[0]) * self.scale, (y - at[1]) * self.scale];
                *square = dx * dx + dy * dy;
            }
        } else {
            for (square, other) in squares.iter_mut().zip(slots) {
                let [dx, dy] = self.difference(slot, other);
                *square = dx * dx + dy * dy;
            }
        }
        squares
    }

    /// Offers the points of a leaf to each point of another, or of the same.
    fn scan(&self, to: usize, from: usize, nearest: &mut Nearest) {
        let leaves = self.nodes.len() / 2;
        let (to_sides, node) = (&self.nodes[leaves + to].sides, &self.nodes[leaves + from]);
        let slots = self.slots(from);
        let is_plain = (0..2).all(|axis| self.axes[axis].is_plain(to_sides[axis], node.sides[axis]));
        for (i, slot) in self.slots(to).enumerate() {
            let last = *nearest.last(i);
            let at = [self.x[slot], self.y[slot]];
            if to != from && last.is_before(self.gap(&[[at[0]; 2], [at[1]; 2]], &node.sides), node.smallest) {
                continue;
            }
            let squares = self.squares(slot, slots.clone(), is_plain);
            // One bit for each point that may be near, since few are.
            let bit = |square: &f64| u32::from(square.to_bits() <= last.square);
            let mut near = squares.iter().rev().fold(0, |near, square| near << 1 | bit(square));
            near &= (1 << slots.len()) - 1;
            if to == from {
                near &= !(1 << i);
            }
            while near != 0 {
                let j = near.trailing_zeros() as usize;
                near &= near - 1;
                let slot = slots.start + j;
                let new = Neighbour { square: squares[j].to_bits(), index: self.index[slot], slot };
                if new < *nearest.last(i) {
                    nearest.insert(i, new);
                }
            }
        }
    }
}

/// The number of leaves in a strip of points that are sorted by y, for leaves of about equal width
/// and height. Quartiles do not depend on a few points far away.
fn strip(points: &[Point]) -> usize {
    let leaves = points.len().div_ceil(LEAF) as f64;
    let quartiles = |values: &mut [f64]| {
        values.sort_unstable_by(f64::total_cmp);
        values[values.len() - 1 - values.len() / 4] - values[values.len() / 4]
    };
    let mut sample = [[0.0; SAMPLE]; 2];
    let size = points.len().min(SAMPLE);
    if size == 0 {
        return 1;
    }
    for i in 0..size {
        // len i / size, without overflow.
        let point = &points[(points.len() / size) * i + (points.len() % size) * i / size];
        (sample[0][i], sample[1][i]) = (point.at[0], point.at[1]);
    }
    let [width, height] = sample.each_mut().map(|sample| quartiles(&mut sample[..size]));
    let ratio = if width > 0.0 || height > 0.0 { width / height } else { 1.0 };
    // Infinite for a horizontal line, which is one strip.
    sqrt_f64(leaves * ratio).clamp(1.0, leaves) as usize
}
