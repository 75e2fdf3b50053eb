//! Leaves of points under a tree of bounding rectangles, and the search for neighbours in it.

use alloc::vec::Vec;
use core::ops::Range;

use super::super::Psi;
use super::super::boundary::PERIODS;
use super::super::frame::scale_of;
use super::axis::Axis;
use super::buckets::{Point, sort_by_x, sorted_by_y};
use super::direction::directions;
use crate::frame::error::Error;
use crate::frame::memory;
use crate::frame::pieces::{Ended, Pieces};
use crate::math::float::Float;
use crate::math::libm::sqrt_f64;

/// The maximum number of points in a leaf. Leaves are searched for as wholes.
pub(super) const LEAF: usize = 16;

/// Number of points in the sample whose quartiles tell the shape of the cloud.
const SAMPLE: usize = 256;

/// A rectangle that holds points, and the smallest of their ranks.
#[derive(Clone, Copy)]
pub(super) struct Node {
    /// Minimum and maximum of each coordinate.
    pub sides: [[f64; 2]; 2],
    pub smallest: usize,
}

impl Node {
    /// Holds no point. It is infinitely far from all others.
    const EMPTY: Node = Node { sides: [[f64::INFINITY, f64::NEG_INFINITY]; 2], smallest: usize::MAX };

    #[inline]
    fn of(at: [f64; 2], rank: usize) -> Node {
        Node { sides: at.map(|x| [x, x]), smallest: rank }
    }

    #[inline]
    fn join(self, other: Node) -> Node {
        let side = |axis: usize| {
            let ([a, b], [c, d]) = (self.sides[axis], other.sides[axis]);
            [a.min(c), b.max(d)]
        };
        Node { sides: [side(0), side(1)], smallest: self.smallest.min(other.smallest) }
    }
}

/// A neighbour. The order is that of distance, then of position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Neighbour {
    /// The bits of the scaled squared distance, which is not negative.
    pub square: u64,
    pub rank: usize,
    pub slot: usize,
}

impl Neighbour {
    /// Beyond all points.
    pub const NONE: Neighbour = Neighbour { square: u64::MAX, rank: usize::MAX, slot: usize::MAX };

    /// Whether it comes before a point of this rank at this squared distance.
    fn is_before(&self, square: f64, rank: usize) -> bool {
        (self.square, self.rank) < (square.to_bits(), rank)
    }
}

/// The `k` nearest points found for each point of a leaf, nearest first.
pub(super) struct Nearest {
    k: usize,
    pub found: Vec<Neighbour>,
}

impl Nearest {
    pub fn new(k: usize) -> Result<Self, Error> {
        let length = k.checked_mul(LEAF).ok_or(Error::NoMemory)?;
        Ok(Nearest { k, found: memory::filled(length, Neighbour::NONE)? })
    }

    /// Forgets the neighbours of some points of the leaf.
    fn restart(&mut self, points: u32) {
        for (i, found) in self.found.chunks_exact_mut(self.k).enumerate() {
            if points >> i & 1 == 1 {
                found.fill(Neighbour::NONE);
            }
        }
    }

    /// The last neighbour of point `i` of the leaf.
    pub fn last(&self, i: usize) -> &Neighbour {
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
/// Points are sorted into strips of y that hold equally many points, and by x within a strip, so
/// that the leaves follow the density. A leaf with one point far from the others is wide, and is
/// visited often. Many such leaves, as for crossing lines, cost time.
pub(super) struct Tree {
    pub axes: [Axis; 2],
    /// A power of two by which lengths are multiplied before they are squared.
    pub scale: f64,
    pub x: Vec<f64>,
    pub y: Vec<f64>,
    /// The place of each slot's point in the order of y, then of x. The order of the input decides only among
    /// points at one position, whose directions from any other are equal.
    pub rank: Vec<usize>,
    /// The index of the point of each rank.
    index: Vec<usize>,
    /// Node t has the children 2 t and 2 t + 1; node 1 is the root. The second half is the leaves,
    /// some of them empty.
    pub nodes: Vec<Node>,
}

impl Tree {
    pub fn new<T: Float>(x: &[T], y: &[T], axes: [Axis; 2], pieces: &mut Pieces) -> Result<Self, Ended> {
        let longest = axes.iter().fold(0.0, |longest: f64, axis| longest.max(axis.length));
        let scale = scale_of(longest.clamp(PERIODS[0], PERIODS[1]));
        let n = x.len();
        let at = |index: usize| [axes[0].local(x[index].to_f64()), axes[1].local(y[index].to_f64())];
        let mut points = sorted_by_y(n, at, pieces)?;
        let mut index = pieces.filled(n, 0)?;
        pieces.each(n, |piece| {
            for rank in piece {
                index[rank] = core::mem::replace(&mut points[rank].rank, rank);
            }
        })?;
        let strip = strip(&points).max(1) * LEAF;
        let (mut x, mut y) = (pieces.filled(n, 0.0)?, pieces.filled(n, 0.0)?);
        let (mut rank, mut places) = (pieces.filled(n, 0)?, memory::filled(n.min(strip), 0)?);
        for (i, points) in points.chunks_mut(strip).enumerate() {
            pieces.before(8 * points.len())?;
            let slots = i * strip..i * strip + points.len();
            let columns = (&mut x[slots.clone()], &mut y[slots.clone()], &mut rank[slots]);
            sort_by_x(points, &mut places, columns);
        }
        drop((points, places));
        let leaves = n.div_ceil(LEAF).next_power_of_two();
        let mut nodes = pieces.filled(2 * leaves, Node::EMPTY)?;
        for (leaf, node) in nodes[leaves..].iter_mut().enumerate().take(n.div_ceil(LEAF)) {
            pieces.before(LEAF)?;
            let slots = leaf * LEAF..n.min((leaf + 1) * LEAF);
            *node = slots.map(|slot| Node::of([x[slot], y[slot]], rank[slot])).fold(Node::EMPTY, Node::join);
        }
        for t in (1..leaves).rev() {
            pieces.before(1)?;
            nodes[t] = nodes[2 * t].join(nodes[2 * t + 1]);
        }
        Ok(Tree { axes, scale, x, y, rank, index, nodes })
    }

    /// The mean of the directions to the neighbours of a point, added in their order, as in
    /// [`order_leaf`](Tree::order_leaf).
    pub fn order(&self, slot: usize, neighbours: &[Neighbour], fold: u32) -> Psi {
        let mut sum = [0.0; 2];
        for neighbours in neighbours.chunks(4) {
            let mut z = [[0.0; 4]; 2];
            for (lane, neighbour) in neighbours.iter().enumerate() {
                [z[0][lane], z[1][lane]] = self.difference(slot, neighbour.slot);
            }
            let [re, im] = directions(&z, fold);
            for (re, im) in re.into_iter().zip(im).take(neighbours.len()) {
                sum = [sum[0] + re, sum[1] + im];
            }
        }
        let [re, im] = sum.map(|part| part / neighbours.len().max(1) as f64);
        Psi::rounded(re, im)
    }

    /// Passes on the orders of the points of a leaf, by their indices. `neighbours` holds the slots of their
    /// neighbours, in the order in which their directions are added.
    pub fn order_leaf(&self, leaf: usize, neighbours: &[[usize; LEAF]], fold: u32, put: &mut impl FnMut(usize, Psi)) {
        let (mut re, mut im) = ([0.0; LEAF], [0.0; LEAF]);
        let slots = self.slots(leaf);
        for others in neighbours {
            let mut z = [[0.0; LEAF]; 2];
            // Whether no point has a nearer image.
            let mut is_plain = true;
            for (lane, (slot, &other)) in slots.clone().zip(others).enumerate() {
                z[0][lane] = self.x[other] - self.x[slot];
                z[1][lane] = self.y[other] - self.y[slot];
            }
            for (z, axis) in z.iter_mut().zip(&self.axes) {
                let limit = if axis.periodic { 0.5 * axis.length } else { f64::INFINITY };
                is_plain &= z.iter().all(|z| z.abs() < limit);
                z.iter_mut().for_each(|z| *z *= self.scale);
            }
            if !is_plain {
                for (lane, (slot, &other)) in slots.clone().zip(others).enumerate() {
                    [z[0][lane], z[1][lane]] = self.difference(slot, other);
                }
            }
            let parts = directions(&z, fold);
            for lane in 0..LEAF {
                re[lane] += parts[0][lane];
                im[lane] += parts[1][lane];
            }
        }
        let count = neighbours.len() as f64;
        for ((slot, re), im) in slots.zip(re).zip(im) {
            put(self.index(slot), Psi::rounded(re / count, im / count));
        }
    }

    /// Some points of a leaf: their places in it, and their slots.
    fn points(&self, leaf: usize, points: u32) -> impl Iterator<Item = (usize, usize)> {
        let slots = self.slots(leaf);
        let mut points = points & u32::MAX >> (32 - slots.len());
        core::iter::from_fn(move || {
            let i = points.trailing_zeros() as usize;
            (points != 0).then(|| {
                points &= points - 1;
                (i, slots.start + i)
            })
        })
    }

    /// The index of the point in a slot.
    pub fn index(&self, slot: usize) -> usize {
        self.index[self.rank[slot]]
    }

    /// The number of points.
    pub fn len(&self) -> usize {
        self.x.len()
    }

    /// The slots of the points of a leaf.
    pub fn slots(&self, leaf: usize) -> Range<usize> {
        leaf * LEAF..self.x.len().min((leaf + 1) * LEAF)
    }

    /// The scaled difference between two points.
    pub fn difference(&self, from: usize, to: usize) -> [f64; 2] {
        [
            self.axes[0].difference(self.x[from], self.x[to]) * self.scale,
            self.axes[1].difference(self.y[from], self.y[to]) * self.scale,
        ]
    }

    /// A lower bound of the scaled squared distances between points of two rectangles.
    #[inline]
    pub fn gap(&self, a: &[[f64; 2]; 2], b: &[[f64; 2]; 2]) -> f64 {
        let dx = self.axes[0].gap(a[0], b[0]) * self.scale;
        let dy = self.axes[1].gap(a[1], b[1]) * self.scale;
        dx * dx + dy * dy
    }

    /// Finds the points nearest to each of some points of a leaf. `points` has a bit for each place in
    /// the leaf.
    pub fn find(&self, leaf: usize, points: u32, nearest: &mut Nearest) {
        let leaves = self.nodes.len() / 2;
        nearest.restart(points);
        let own = self.points(leaf, points).map(|(_, slot)| Node::of([self.x[slot], self.y[slot]], self.rank[slot]));
        let own = own.fold(Node::EMPTY, Node::join);
        self.scan(leaf, leaf, points, nearest);
        let mut farthest = self.farthest(leaf, points, nearest);
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
                    self.scan(leaf, node - leaves, points, nearest);
                    farthest = self.farthest(leaf, points, nearest);
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

    /// The farthest of the last neighbours of some points of a leaf.
    fn farthest(&self, leaf: usize, points: u32, nearest: &Nearest) -> Neighbour {
        let last = self.points(leaf, points).map(|(i, _)| *nearest.last(i));
        last.max().unwrap_or(Neighbour::NONE)
    }

    /// Finds the other points within a scaled squared distance of each point of a leaf, nearest first.
    pub fn find_within(&self, leaf: usize, limit: f64, found: &mut [Vec<Neighbour>; LEAF]) -> Result<(), Error> {
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
                        let new = Neighbour { square: square.to_bits(), rank: self.rank[other], slot: other };
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

    /// Offers the points of a leaf to some points of another, or of the same.
    fn scan(&self, to: usize, from: usize, points: u32, nearest: &mut Nearest) {
        let leaves = self.nodes.len() / 2;
        let (to_sides, node) = (&self.nodes[leaves + to].sides, &self.nodes[leaves + from]);
        let slots = self.slots(from);
        let is_plain = (0..2).all(|axis| self.axes[axis].is_plain(to_sides[axis], node.sides[axis]));
        for (i, slot) in self.points(to, points) {
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
                let new = Neighbour { square: squares[j].to_bits(), rank: self.rank[slot], slot };
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
    // Infinite for a horizontal line, which is one strip. Not `clamp`: its panic would link the formatting of numbers.
    sqrt_f64(leaves * ratio).max(1.0).min(leaves) as usize
}
