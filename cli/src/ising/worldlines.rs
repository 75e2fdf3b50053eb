//! Moves of whole worldlines of a quantum system: one site in all slices.
//!
//! Visits of single spins move a kink, a pair of adjacent slices with different spins, by a random walk, which
//! crosses `L` slices in about `L^2` sweeps. Where kinks are rare, a run has seen few of their walks, and its errors
//! do not show it. So each worldline is cut at its kinks and, between equal spins, with the probability by which the
//! clusters of Swendsen and Wang (Phys. Rev. Lett. 58, 1987) leave a bond open. Its pieces are drawn from the heat
//! bath of the other worldlines (H. Rieger and N. Kawashima, Eur. Phys. J. B 9, 1999).
//!
//! Visits also carry a worldline from one classical valley to another only by a kink at a time. A flip of a whole
//! worldline leaves the bonds between slices as they are. So the signs `o_i`
//! of the worldlines are a classical Ising model with the couplings `space J_ij sum s_i s_j` and the fields
//! `space h_i sum s_i`, summed over the slices. They are updated by one pass of the heat bath and by the clusters
//! of Swendsen and Wang, in which fields are couplings to a spin that stays.

use std::ops::Range;

use hotloops::Error;
use hotloops::ising::{Beta, LayeredIsing};
use hotloops::random::Mt19937;

use crate::coo::Couplings;

/// The bonds of a problem, and memory for updates.
pub struct Worldlines {
    neighbours: Neighbours,
    spins: Vec<i8>,
    columns: Columns,
    /// Couplings and fields times the weight of a slice.
    weights: Vec<Bond>,
    fields: Vec<f64>,
    /// The couplings and the fields of the signs.
    bonds: Vec<Bond>,
    sums: Vec<f64>,
    signs: Vec<f64>,
}

/// Two sites and their coupling.
type Bond = (usize, usize, f64);

impl Worldlines {
    pub fn new(problem: &Couplings, layers: usize) -> Self {
        let sites = problem.fields.len();
        let ends = problem.couplings.iter().map(|&(i, j, _)| [i as usize, j as usize]);
        Worldlines {
            neighbours: Neighbours::new(sites, ends),
            spins: vec![1; layers * sites],
            columns: Columns::new(layers, sites),
            weights: Vec::new(),
            fields: Vec::new(),
            bonds: Vec::new(),
            sums: Vec::new(),
            signs: vec![1.0; sites],
        }
    }

    /// Updates the worldlines at the weights of a slice.
    pub fn update(
        &mut self,
        ising: &mut LayeredIsing,
        random: &mut Mt19937,
        problem: &Couplings,
        Beta { space, tau }: Beta,
    ) -> Result<(), Error> {
        let Worldlines { neighbours, spins, columns, weights, fields, bonds, sums, signs } = self;
        let sites = ising.sites();
        ising.spins(spins)?;
        columns.set(spins, sites);
        let space = f64::from(space);
        let mut uniform = Uniform { random, words: [0; 256], used: 256 };
        let weight = |&(i, j, coupling): &(u32, u32, f64)| (i as usize, j as usize, space * coupling);
        refill(weights, problem.couplings.iter().map(weight));
        refill(fields, problem.fields.iter().map(|field| space * field));
        columns.redraw(fields, weights, neighbours, (-2.0 * f64::from(tau)).exp(), &mut uniform);
        refill(bonds, weights.iter().map(|&(i, j, weight)| (i, j, weight * columns.product(i, j))));
        refill(sums, fields.iter().enumerate().map(|(site, field)| field * columns.sum(site)));
        signs.fill(1.0);
        heat_bath(signs, sums, bonds, neighbours, &mut uniform);
        clusters(signs, sums, bonds, &mut uniform);
        for (layer, spins) in spins.chunks_mut(sites).enumerate() {
            for (site, (spin, &sign)) in spins.iter_mut().zip(signs.iter()).enumerate() {
                *spin = columns.spin(site, layer) * sign as i8;
            }
        }
        ising.set_spins(spins)
    }
}

/// Replaces the values of a vector, whose memory stays.
fn refill<T>(values: &mut Vec<T>, new: impl Iterator<Item = T>) {
    values.clear();
    values.extend(new);
}

/// For each site its bonds, in the order of the problem.
struct Neighbours {
    /// The end of each site's part of `ends`.
    limits: Vec<usize>,
    /// The other site and the number of the bond.
    ends: Vec<(u32, u32)>,
}

impl Neighbours {
    fn new(sites: usize, bonds: impl Iterator<Item = [usize; 2]> + Clone) -> Self {
        let mut next = vec![0; sites + 1];
        bonds.clone().flatten().for_each(|site| next[site + 1] += 1);
        (0..sites).for_each(|site| next[site + 1] += next[site]);
        let mut ends = vec![(0, 0); next[sites]];
        for (bond, [i, j]) in bonds.enumerate() {
            for (site, other) in [(i, j), (j, i)] {
                ends[next[site]] = (other as u32, bond as u32);
                next[site] += 1;
            }
        }
        Neighbours { limits: next, ends }
    }

    /// The other ends of a site's bonds, and their couplings.
    fn of<'a>(&'a self, site: usize, bonds: &'a [Bond]) -> impl Iterator<Item = (usize, f64)> {
        let first = if site == 0 { 0 } else { self.limits[site - 1] };
        self.ends[first..self.limits[site]].iter().map(|&(other, bond)| (other as usize, bonds[bond as usize].2))
    }
}

/// Uniform numbers between 0 and 1, without both.
struct Uniform<'a> {
    random: &'a mut Mt19937,
    words: [u32; 256],
    used: usize,
}

impl Iterator for Uniform<'_> {
    type Item = f64;

    fn next(&mut self) -> Option<f64> {
        if self.used == self.words.len() {
            self.random.fill_u32(&mut self.words);
            self.used = 0;
        }
        self.used += 1;
        Some((f64::from(self.words[self.used - 1]) + 0.5) / 2f64.powi(32))
    }
}

/// A bit for each slice of each site, 1 for -1.
struct Columns {
    layers: usize,
    width: usize,
    words: Vec<u64>,
}

impl Columns {
    fn new(layers: usize, sites: usize) -> Self {
        let width = layers.div_ceil(64);
        Columns { layers, width, words: vec![0; sites * width] }
    }

    /// Takes spins, layer by layer.
    fn set(&mut self, spins: &[i8], sites: usize) {
        self.words.fill(0);
        for (layer, spins) in spins.chunks(sites).enumerate() {
            for (site, &spin) in spins.iter().enumerate() {
                self.words[site * self.width + layer / 64] |= u64::from(spin < 0) << (layer % 64);
            }
        }
    }

    fn column(&self, site: usize) -> &[u64] {
        &self.words[site * self.width..][..self.width]
    }

    fn spin(&self, site: usize, layer: usize) -> i8 {
        1 - 2 * (self.column(site)[layer / 64] >> (layer % 64) & 1) as i8
    }

    /// The sum of a site's spins in some layers.
    fn sum_of(&self, site: usize, layers: &Range<usize>) -> f64 {
        let column = self.column(site);
        let down = masks(layers.clone()).map(|(word, mask)| (column[word] & mask).count_ones());
        layers.len() as f64 - 2.0 * f64::from(down.sum::<u32>())
    }

    /// Draws the pieces of each worldline anew, given the others. `open` is the probability of a cut between equal
    /// spins.
    fn redraw(
        &mut self,
        fields: &[f64],
        bonds: &[Bond],
        neighbours: &Neighbours,
        open: f64,
        uniform: &mut impl Iterator<Item = f64>,
    ) {
        let mut starts = Vec::new();
        for (site, field) in fields.iter().enumerate() {
            self.cut(site, open, uniform, &mut starts);
            // The piece across the last layer consists of the layers before the first cut and after the last one.
            let first = starts.first().copied().unwrap_or(self.layers);
            let last = starts.last().copied().unwrap_or(self.layers);
            let inner = starts.windows(2).map(|pair| [pair[0]..pair[1], 0..0]);
            for piece in inner.chain([[last..self.layers, 0..first]]) {
                let local = |layers: &Range<usize>| {
                    let others = neighbours.of(site, bonds).map(|(other, bond)| bond * self.sum_of(other, layers));
                    field * layers.len() as f64 + others.sum::<f64>()
                };
                let is_up = is_up(piece.iter().map(local).sum(), uniform);
                for (word, mask) in piece.into_iter().flat_map(masks) {
                    let word = &mut self.words[site * self.width + word];
                    *word = if is_up { *word & !mask } else { *word | mask };
                }
            }
        }
    }

    /// The layers at which the pieces of a worldline start: at each kink, and elsewhere with probability `open`.
    fn cut(&self, site: usize, open: f64, uniform: &mut impl Iterator<Item = f64>, starts: &mut Vec<usize>) {
        starts.clear();
        // The distance to the next cut has a geometric distribution. Beyond the last layer, none follows.
        let mut next = |from: usize| {
            let skipped = uniform.next().map_or(0.0, |x| (x.ln() / (-open).ln_1p()).floor());
            from + skipped.min(self.layers as f64) as usize
        };
        let mut drawn = next(0);
        let mut before = self.spin(site, self.layers - 1);
        for layer in 0..self.layers {
            let spin = self.spin(site, layer);
            let is_drawn = layer == drawn;
            if is_drawn {
                drawn = next(layer + 1);
            }
            if is_drawn || spin != before {
                starts.push(layer);
            }
            before = spin;
        }
    }

    /// The sum of a site's spins, if `down` of them are -1.
    fn total(&self, down: u32) -> f64 {
        self.layers as f64 - 2.0 * f64::from(down)
    }

    fn sum(&self, site: usize) -> f64 {
        self.total(self.column(site).iter().map(|word| word.count_ones()).sum())
    }

    /// The sum of the products of two sites' spins.
    fn product(&self, i: usize, j: usize) -> f64 {
        let words = self.column(i).iter().zip(self.column(j));
        self.total(words.map(|(a, b)| (a ^ b).count_ones()).sum())
    }
}

/// The words of a column that hold some layers, with the bits of these layers.
fn masks(layers: Range<usize>) -> impl Iterator<Item = (usize, u64)> {
    (layers.start / 64..layers.end.div_ceil(64)).map(move |word| {
        let first = layers.start.saturating_sub(64 * word);
        let count = layers.end.min(64 * word + 64) - 64 * word - first;
        (word, if count == 0 { 0 } else { u64::MAX >> (64 - count) << first })
    })
}

/// Draws a spin in a field, in units of the temperature.
fn is_up(field: f64, uniform: &mut impl Iterator<Item = f64>) -> bool {
    let up = 1.0 / (1.0 + (-2.0 * field).exp());
    uniform.next().is_some_and(|x| x < up)
}

/// Draws each sign anew, given the others.
fn heat_bath(
    signs: &mut [f64],
    fields: &[f64],
    bonds: &[Bond],
    neighbours: &Neighbours,
    uniform: &mut impl Iterator<Item = f64>,
) {
    for (site, &field) in fields.iter().enumerate() {
        let field = neighbours.of(site, bonds).fold(field, |sum, (other, bond)| sum + bond * signs[other]);
        signs[site] = if is_up(field, uniform) { 1.0 } else { -1.0 };
    }
}

/// Flips each cluster with probability 1/2. The cluster of the last root, to which fields bind, stays.
fn clusters(signs: &mut [f64], fields: &[f64], bonds: &[Bond], uniform: &mut impl Iterator<Item = f64>) {
    let sites = signs.len();
    let mut parents: Vec<usize> = (0..=sites).collect();
    let mut bind = |i: usize, j: usize, weight: f64, x: f64| {
        if weight > 0.0 && x < -(-2.0 * weight).exp_m1() {
            let (i, j) = (root(&mut parents, i), root(&mut parents, j));
            parents[i] = j;
        }
    };
    for (&(i, j, bond), x) in bonds.iter().zip(uniform.by_ref()) {
        bind(i, j, bond * signs[i] * signs[j], x);
    }
    for (site, x) in (0..sites).zip(uniform.by_ref()) {
        bind(site, sites, fields[site] * signs[site], x);
    }
    let fixed = root(&mut parents, sites);
    let flips: Vec<bool> = uniform.take(sites).map(|x| x < 0.5).collect();
    for (site, sign) in signs.iter_mut().enumerate() {
        let root = root(&mut parents, site);
        if root != fixed && flips[root] {
            *sign = -*sign;
        }
    }
}

/// The root of a site's cluster. Halves the path to it.
fn root(parents: &mut [usize], mut site: usize) -> usize {
    while parents[site] != site {
        parents[site] = parents[parents[site]];
        site = parents[site];
    }
    site
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both moves sample the Boltzmann distribution of three signs with a frustrated triangle and fields.
    #[test]
    fn both_moves_keep_the_distribution() {
        let (fields, bonds) = ([0.3, -0.2, 0.0], [(0, 1, 0.5), (1, 2, -0.4), (2, 0, 0.7)]);
        let weight = |state: usize| {
            let sign = |site: usize| 1.0 - 2.0 * (state >> site & 1) as f64;
            let couplings: f64 = bonds.iter().map(|&(i, j, bond)| bond * sign(i) * sign(j)).sum();
            (couplings + (0..3).map(|site| fields[site] * sign(site)).sum::<f64>()).exp()
        };
        let total: f64 = (0..8).map(weight).sum();
        let neighbours = Neighbours::new(3, bonds.iter().map(|&(i, j, _)| [i, j]));
        let mut random = Mt19937::seeded(16, 7).unwrap();
        for moves in [1, 2, 3] {
            let mut counts = [0; 8];
            let mut signs = [1.0; 3];
            const COUNT: usize = 100_000;
            let mut words = vec![0; 12 * COUNT];
            random.fill_u32(&mut words);
            for words in words.chunks(12) {
                let mut uniform = words.iter().map(|&word| (f64::from(word) + 0.5) / 2f64.powi(32));
                if moves & 1 == 1 {
                    heat_bath(&mut signs, &fields, &bonds, &neighbours, &mut uniform);
                }
                if moves & 2 == 2 {
                    clusters(&mut signs, &fields, &bonds, &mut uniform);
                }
                counts[(0..3).map(|site| usize::from(signs[site] < 0.0) << site).sum::<usize>()] += 1;
            }
            for (state, &count) in counts.iter().enumerate() {
                let expected = weight(state) / total;
                // Successive states are correlated over a few moves.
                let error = 3.0 * (expected / COUNT as f64).sqrt();
                let found = f64::from(count) / COUNT as f64;
                assert!((found - expected).abs() < 4.0 * error, "{moves}, {state}: {found}, not {expected}");
            }
        }
    }
}
