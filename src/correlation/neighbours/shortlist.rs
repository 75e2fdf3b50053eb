//! The nearest neighbours of all points of a leaf at once, from a list of candidates.
//!
//! The list holds all points within a radius of the leaf. The radius follows the density: it is
//! estimated from the leaves before. Points of the leaf are vector lanes. A key is an approximate
//! squared distance in `f32`, whose low bits are replaced by a place in the list. Each lane keeps its
//! smallest keys in order, by minima and maxima without branches. If two successive keys are too
//! close to tell their order, exact distances decide. If a point has too few neighbours within the
//! radius, it searches the tree.
//!
//! # Errors of a key
//! The radius is 1. Coordinates of a point and of its candidates within the radius are at most 61 in
//! magnitude, with an error of 2^-19 in `f32`. So a difference has an error of 2^-17.9 at most, and
//! the square of a distance up to 1 has an error of 2^-16.3. A place takes 7 of the 24 bits of a key,
//! which adds 2^-16. Two keys that differ by 2^-14.1 are therefore in the order of the exact
//! distances. [`MARGIN`] is greater.

use super::direction::inverse_root;
use super::tree::{LEAF, Nearest, Neighbour, Tree};

/// The maximum number of neighbours.
pub(super) const MAX_K: usize = 20;

/// The maximum number of candidates, a power of two.
const CANDIDATES: usize = 128;

/// The maximum number of leaves that candidates come from.
const LEAVES: usize = 40;

/// Number of points whose keys are computed together.
const LANES: usize = 4;

/// Number of keys that stay in registers.
const REGISTERS: usize = 7;

/// Keys that differ by this are in the order of the exact distances.
const MARGIN: f32 = 1.0 / 8192.0;

/// The maximum distance of a point of the leaf from its centre along an axis, in radii.
const MAX_HALF: f64 = 60.0;

/// Greater than every key.
const FAR: f32 = f32::MAX;

/// A key of each lane.
type Keys = [f32; LANES];

pub(super) struct Shortlist {
    k: usize,
    /// Candidates relative to the centre of the leaf, in radii. The points of the leaf come first.
    /// There is room for a leaf beyond the last.
    x: [f32; CANDIDATES + LEAF],
    y: [f32; CANDIDATES + LEAF],
    slots: [usize; CANDIDATES + LEAF],
    /// The smallest keys, one more than `k`, and all others.
    kept: [Keys; MAX_K + 1],
    rest: [Keys; CANDIDATES],
    exact: [Neighbour; CANDIDATES],
    /// The slots of the neighbours of each point of the leaf.
    neighbours: [[usize; LEAF]; MAX_K],
    /// The scaled squared radius. The search starts with a leaf that searches the tree.
    square: f64,
    /// The squared radius over the mean squared distance of the last neighbours.
    spread: f64,
    /// Number of leaves that search the tree before the next list, and that number after the next
    /// failure.
    pause: u32,
    next_pause: u32,
}

impl Shortlist {
    /// `k` is at most [`MAX_K`]; greater values are replaced by it.
    pub fn new(k: usize) -> Self {
        let k = k.min(MAX_K);
        Shortlist {
            k,
            x: [0.0; CANDIDATES + LEAF],
            y: [0.0; CANDIDATES + LEAF],
            slots: [0; CANDIDATES + LEAF],
            kept: [[FAR; LANES]; MAX_K + 1],
            rest: [[FAR; LANES]; CANDIDATES],
            exact: [Neighbour::NONE; CANDIDATES],
            neighbours: [[0; LEAF]; MAX_K],
            square: 0.0,
            // The mean number of points in the circle is k + 3.4 sqrt(k). In a random set, one point
            // in 100 has less than k.
            spread: 1.0 + 3.4 * inverse_root(k as f64),
            pause: 0,
            next_pause: 1,
        }
    }

    /// The slots of the `k` nearest neighbours of each point of a leaf, nearest first.
    pub fn find(&mut self, tree: &Tree, leaf: usize, nearest: &mut Nearest) -> &[[usize; LEAF]] {
        // Keys neither overflow nor underflow.
        let is_normal = self.square > 1e-270 && self.square < 1e10;
        if self.pause > 0 || !is_normal {
            self.pause = self.pause.saturating_sub(1);
            self.search(tree, leaf, nearest);
        } else if self.choose(tree, leaf, nearest) {
            self.next_pause = (self.next_pause / 2).max(1);
        } else {
            self.pause = self.next_pause;
            self.next_pause = (2 * self.next_pause).min(64);
            self.search(tree, leaf, nearest);
        }
        &self.neighbours[..self.k]
    }

    /// Searches the tree for all points of a leaf, and sets the radius.
    fn search(&mut self, tree: &Tree, leaf: usize, nearest: &mut Nearest) {
        let points = tree.slots(leaf).len();
        let all = u32::MAX >> (u32::BITS as usize - points);
        tree.find(leaf, all, nearest);
        self.copy(all, nearest);
        let sum: f64 = (0..points).map(|i| f64::from_bits(nearest.last(i).square)).sum();
        self.square = sum / points as f64 * self.spread;
    }

    /// Copies the neighbours of the points of the leaf whose bits are set.
    fn copy(&mut self, mut points: u32, nearest: &Nearest) {
        while points != 0 {
            let i = points.trailing_zeros() as usize;
            points &= points - 1;
            for (neighbours, found) in self.neighbours.iter_mut().zip(&nearest.found[i * self.k..][..self.k]) {
                neighbours[i] = found.slot;
            }
        }
    }

    /// Chooses neighbours from a list. Returns false if the list would be too long, or if the radius
    /// is too small for many points.
    fn choose(&mut self, tree: &Tree, leaf: usize, nearest: &mut Nearest) -> bool {
        let Some(count) = self.gather(tree, leaf) else {
            return false;
        };
        if count <= self.k {
            return false;
        }
        let points = tree.slots(leaf).len();
        let (mut missing, mut sum) = (0u32, 0.0);
        for first in (0..points).step_by(LANES) {
            let narrowest = self.choose_keys(count, first);
            for (neighbours, keys) in self.neighbours.iter_mut().zip(&self.kept[..self.k]) {
                for (neighbour, key) in neighbours[first..].iter_mut().zip(keys) {
                    *neighbour = self.slots[key.to_bits() as usize % CANDIDATES];
                }
            }
            let last = self.kept[self.k - 1];
            for lane in 0..LANES.min(points - first) {
                sum += last[lane].min(1.5);
                if last[lane] > 1.0 - MARGIN {
                    missing |= 1 << (first + lane);
                } else if narrowest[lane] < MARGIN {
                    self.choose_exactly(tree, leaf * LEAF, first + lane, count, last[lane] + MARGIN);
                }
            }
            if missing.count_ones() > LEAF as u32 / 4 {
                return false;
            }
        }
        if missing != 0 {
            tree.find(leaf, missing, nearest);
            self.copy(missing, nearest);
        }
        // A mean over the last leaves.
        self.square *= 0.7 + 0.3 * self.spread * f64::from(sum) / points as f64;
        true
    }

    /// Lists all points within the radius of a leaf, and some others. Returns their number, or
    /// `None` if there are too many, if the leaf is large, or if two images of a point may be within
    /// the radius.
    fn gather(&mut self, tree: &Tree, leaf: usize) -> Option<usize> {
        let leaves = tree.nodes.len() / 2;
        let sides = tree.nodes[leaves + leaf].sides;
        let centre = sides.map(|[min, max]| min + 0.5 * (max - min));
        let unit = tree.scale * inverse_root(self.square);
        let radius = 1.001 / unit;
        let mut limits = [0.0; 2];
        // Whether an image of a point may be within the radius, where the point itself is not.
        let mut wraps = false;
        for axis in 0..2 {
            let ([min, max], plane) = (sides[axis], tree.axes[axis]);
            // In a small leaf far from 0, the rounded centre is not in the middle.
            let half = (max - centre[axis]).max(centre[axis] - min) * unit;
            let is_single = !plane.periodic || half + 1.01 < 0.49 * plane.length * unit;
            // Comparisons with NaN are false.
            if !(half < MAX_HALF && is_single) {
                return None;
            }
            limits[axis] = (half + 1.001) as f32;
            let edge = 0.499_999 * plane.length;
            wraps |= plane.periodic && !(max + radius < edge && radius - min < edge);
        }
        let is_near = |other: &[[f64; 2]; 2]| {
            if wraps {
                return tree.gap(&sides, other) <= self.square;
            }
            let ([a, b], [c, d]) = (sides, *other);
            (c[0] - a[1] <= radius) & (a[0] - c[1] <= radius) & (d[0] - b[1] <= radius) & (b[0] - d[1] <= radius)
        };
        let mut near = [leaf; LEAVES];
        let mut near_count = 1;
        let mut stack = [1; usize::BITS as usize + 1];
        let mut height = 1;
        while height > 0 {
            height -= 1;
            let node = stack[height];
            if !is_near(&tree.nodes[node].sides) || node == leaves + leaf {
                continue;
            }
            if node < leaves {
                stack[height..height + 2].copy_from_slice(&[2 * node + 1, 2 * node]);
                height += 2;
                continue;
            }
            *near.get_mut(near_count)? = node - leaves;
            near_count += 1;
        }
        let mut count = 0;
        for &other in &near[..near_count] {
            let other_sides = &tree.nodes[leaves + other].sides;
            let is_plain = !wraps || (0..2).all(|axis| tree.axes[axis].is_plain(sides[axis], other_sides[axis]));
            let slots = tree.slots(other);
            let mut at = [[0f32; LEAF]; 2];
            for (axis, values) in [&tree.x, &tree.y].into_iter().enumerate() {
                let (at, plane, centre) = (&mut at[axis], &tree.axes[axis], centre[axis]);
                for (at, x) in at.iter_mut().zip(&values[slots.clone()]) {
                    let difference = if is_plain { x - centre } else { plane.difference(centre, *x) };
                    *at = (difference * unit) as f32;
                }
            }
            for ((slot, x), y) in slots.zip(at[0]).zip(at[1]) {
                (self.x[count], self.y[count], self.slots[count]) = (x, y, slot);
                count += usize::from((x.abs() <= limits[0]) & (y.abs() <= limits[1]));
            }
            if count > CANDIDATES {
                return None;
            }
        }
        Some(count)
    }

    /// Stores the `k` + 1 smallest keys of each of some points. Returns the smallest difference of
    /// two successive keys of each.
    #[inline(never)]
    fn choose_keys(&mut self, count: usize, first: usize) -> Keys {
        let (x, y, rest) = (&self.x[..count], &self.y[..count], &mut self.rest[..count]);
        let kept = &mut self.kept[..=self.k];
        let (head, tail) = kept.split_at_mut(REGISTERS.min(self.k + 1));
        match head.len() {
            2 => keys_of::<2>(x, y, first, head, rest),
            3 => keys_of::<3>(x, y, first, head, rest),
            4 => keys_of::<4>(x, y, first, head, rest),
            5 => keys_of::<5>(x, y, first, head, rest),
            6 => keys_of::<6>(x, y, first, head, rest),
            _ => keys_of::<REGISTERS>(x, y, first, head, rest),
        }
        for part in tail.chunks_mut(REGISTERS) {
            match part.len() {
                1 => smallest::<1>(part, rest),
                2 => smallest::<2>(part, rest),
                3 => smallest::<3>(part, rest),
                4 => smallest::<4>(part, rest),
                5 => smallest::<5>(part, rest),
                6 => smallest::<6>(part, rest),
                _ => smallest::<REGISTERS>(part, rest),
            }
        }
        let mut narrowest = [FAR; LANES];
        for pair in kept.windows(2) {
            for lane in 0..LANES {
                let step = pair[1][lane] - pair[0][lane];
                narrowest[lane] = if step < narrowest[lane] { step } else { narrowest[lane] };
            }
        }
        narrowest
    }

    /// Chooses the neighbours of point `i` by exact distances, among the candidates whose approximate
    /// squared distance is at most `bound`. `start` is the first slot of the leaf.
    #[inline(never)]
    fn choose_exactly(&mut self, tree: &Tree, start: usize, i: usize, count: usize, bound: f32) {
        let at = [self.x[i], self.y[i]];
        let mut places = [0u8; CANDIDATES];
        let mut chosen = 0;
        for (j, (x, y)) in self.x[..count].iter().zip(&self.y).enumerate() {
            let [dx, dy] = [x - at[0], y - at[1]];
            places[chosen] = j as u8;
            // At most `count` - 1, since the point itself is left out.
            chosen += usize::from((dx * dx + dy * dy <= bound) & (j != i));
        }
        let exact = &mut self.exact[..chosen];
        for (exact, place) in exact.iter_mut().zip(places) {
            let slot = self.slots[usize::from(place)];
            let [dx, dy] = tree.difference(start + i, slot);
            *exact = Neighbour { square: (dx * dx + dy * dy).to_bits(), rank: tree.rank[slot], slot };
        }
        exact.sort_unstable();
        for (neighbours, exact) in self.neighbours.iter_mut().zip(&exact[..self.k]) {
            neighbours[i] = exact.slot;
        }
    }
}

/// Computes the keys of all candidates for the points from `first` on. Stores the `KEPT` smallest keys of
/// each lane in `kept`, in order, and the others in `rest`.
#[inline(never)]
fn keys_of<const KEPT: usize>(x: &[f32], y: &[f32], first: usize, kept: &mut [Keys], rest: &mut [Keys]) {
    let count = x.len().min(y.len()).min(rest.len());
    let (x, y, rest) = (&x[..count], &y[..count], &mut rest[..count]);
    let end = count.min(first + LANES);
    let mut own = [[0.0; LANES]; 2];
    for lane in 0..end - first {
        (own[0][lane], own[1][lane]) = (x[first + lane], y[first + lane]);
    }
    let key = |j: usize| {
        let mut key = [0.0; LANES];
        for lane in 0..LANES {
            let [dx, dy] = [x[j] - own[0][lane], y[j] - own[1][lane]];
            // Floats that are not negative have the order of their bits.
            key[lane] = f32::from_bits((dx * dx + dy * dy).to_bits() & !(CANDIDATES as u32 - 1) | j as u32);
        }
        key
    };
    let mut smallest = [[FAR; LANES]; KEPT];
    for (j, rest) in rest[..first].iter_mut().enumerate() {
        *rest = insert(&mut smallest, key(j));
    }
    for j in first..end {
        // A point is not its own neighbour.
        let mut key = key(j);
        key[j - first] = FAR;
        rest[j] = insert(&mut smallest, key);
    }
    for (j, rest) in rest.iter_mut().enumerate().skip(end) {
        *rest = insert(&mut smallest, key(j));
    }
    kept.copy_from_slice(&smallest);
}

/// Stores the `KEPT` smallest keys of each lane in `kept`, in order, and leaves the others in `rest`.
#[inline(never)]
fn smallest<const KEPT: usize>(kept: &mut [Keys], rest: &mut [Keys]) {
    let mut smallest = [[FAR; LANES]; KEPT];
    for key in rest {
        *key = insert(&mut smallest, *key);
    }
    kept.copy_from_slice(&smallest);
}

/// Inserts a key into each sorted lane, and returns the largest.
#[inline(always)]
fn insert<const KEPT: usize>(sorted: &mut [Keys; KEPT], mut key: Keys) -> Keys {
    for sorted in sorted {
        for lane in 0..LANES {
            let (a, b) = (sorted[lane], key[lane]);
            // One vector instruction each: `f32::min` and `f32::max` would look for NaN, and the
            // compiler would not recognise two selections from one comparison.
            sorted[lane] = if a < b { a } else { b };
            key[lane] = if a > b { a } else { b };
        }
    }
    key
}
