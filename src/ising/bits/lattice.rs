//! Recognises tori and grids by the differences of coupled sites.

use super::scalar::MAX_DEGREE;
use crate::frame::pieces::Ended;
use crate::ising::graph::{Half, Lists};

/// Maximum number of dimensions.
pub(super) const DIMENSIONS: usize = MAX_DEGREE / 2;

/// A box of sites, each coupled to the next one in each dimension: site `x + X (y + Y (z + ..))` has
/// the coordinates `x, y, z, ..`. Unused dimensions have extent 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lattice {
    pub dimensions: usize,
    pub extents: [usize; DIMENSIONS],
    /// Whether the last site of a dimension is coupled to the first one.
    pub is_periodic: [bool; DIMENSIONS],
    /// Whether couplings are absent elsewhere than at open boundaries.
    pub is_diluted: bool,
}

/// The couplings other than 0, each from its lower site.
fn bonds<'a>(lists: &'a Lists<'a, '_>, sites: usize) -> impl Iterator<Item = &'a Half> {
    let halves = (0..sites as u32).flat_map(|site| lists.neighbours(site));
    halves.filter(|half| half.site < half.neighbour && half.coupling != 0.0)
}

fn difference(half: &Half) -> usize {
    (half.neighbour - half.site) as usize
}

impl Lattice {
    pub fn find(lists: &Lists, sites: usize) -> Result<Option<Self>, Ended> {
        let (mut differences, mut count) = ([usize::MAX; MAX_DEGREE], 0);
        for difference in bonds(lists, sites).map(difference) {
            lists.pieces.before(2)?;
            if !differences[..count].contains(&difference) {
                let Some(place) = differences.get_mut(count) else { return Ok(None) };
                *place = difference;
                count += 1;
            }
        }
        differences.sort_unstable();
        let none =
            Lattice { dimensions: 0, extents: [1; DIMENSIONS], is_periodic: [false; DIMENSIONS], is_diluted: false };
        none.with_differences(1, &differences[..count], lists, sites)
    }

    /// Recursively matches the remaining ascending `differences` (link offsets) against dimensions from `stride` on:
    /// a dimension's stride and, for a periodic one, its wrap-around offset, the next stride minus this one.
    fn with_differences(
        self,
        stride: usize,
        differences: &[usize],
        lists: &Lists,
        sites: usize,
    ) -> Result<Option<Self>, Ended> {
        let Some((&first, rest)) = differences.split_first() else {
            return if stride == sites { self.checked(lists, sites) } else { Ok(None) };
        };
        if first != stride || self.dimensions == DIMENSIONS {
            return Ok(None);
        }
        for is_periodic in [true, false] {
            let (next, rest) = match (is_periodic, rest) {
                (true, [last, rest @ ..]) => (last + stride, rest),
                (true, []) => continue,
                (false, _) => (rest.first().map_or(sites, |&next| next), rest),
            };
            let is_box = next.is_multiple_of(stride) && sites.is_multiple_of(next) && next > stride;
            let lattice = self.with_dimension(next / stride, is_periodic);
            if is_box && let Some(found) = lattice.with_differences(next, rest, lists, sites)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    fn with_dimension(mut self, extent: usize, is_periodic: bool) -> Self {
        self.extents[self.dimensions] = extent;
        self.is_periodic[self.dimensions] = is_periodic;
        self.dimensions += 1;
        self
    }

    /// The lattice, if all couplings are between neighbours.
    fn checked(mut self, lists: &Lists, sites: usize) -> Result<Option<Self>, Ended> {
        let mut count = 0;
        for half in bonds(lists, sites) {
            let (site, other) = (half.site as usize, half.neighbour as usize);
            lists.pieces.before(16)?;
            if !(0..2 * self.dimensions).any(|j| self.neighbour(site, j) == Some(other)) {
                return Ok(None);
            }
            count += 1;
        }
        let of_dimension = |k: usize| if self.is_periodic[k] { sites } else { sites - sites / self.extents[k] };
        self.is_diluted = count != (0..self.dimensions).map(of_dimension).sum::<usize>();
        Ok(Some(self))
    }

    pub fn sites(self) -> usize {
        self.extents.iter().product()
    }

    /// Neighbour `j` of a site: the next one in dimension `j / 2` if `j` is even, else the last one.
    pub fn neighbour(self, site: usize, j: usize) -> Option<usize> {
        let (k, extent) = (j / 2, self.extents[j / 2]);
        let (x, stride) = coordinate(site, |k| self.extents[k], k);
        let is_inside = self.is_periodic[k] || if is_next(j) { x + 1 < extent } else { x > 0 };
        is_inside.then(|| site - x * stride + (x + if is_next(j) { 1 } else { extent - 1 }) % extent * stride)
    }
}

/// Whether neighbour `j` is the next one in its dimension, not the last one.
pub(super) fn is_next(j: usize) -> bool {
    j.is_multiple_of(2)
}

/// Coordinate `k` of an index in a box, and its stride.
pub(super) fn coordinate(index: usize, extents: impl Fn(usize) -> usize, k: usize) -> (usize, usize) {
    let stride = (0..k).map(&extents).product::<usize>();
    (index / stride % extents(k), stride)
}
