//! Moves that flip whole worldlines of a quantum system: one site in all slices.
//!
//! Visits of single spins carry a worldline from one classical valley to another only by a kink at a time.
//! Without other moves a run may stay in one valley, or in one of two symmetric states, and its errors do
//! not show it. A flip of a whole worldline leaves the bonds between slices as they are. So the signs `o_i`
//! of the worldlines are a classical Ising model with the couplings `space J_ij sum s_i s_j` and the fields
//! `space h_i sum s_i`, summed over the slices. They are updated by one pass of the heat bath and by the clusters
//! of Swendsen and Wang (Phys. Rev. Lett. 58, 1987), in which fields are couplings to a spin that stays.

use hotloops::Error;
use hotloops::ising::LayeredIsing;
use hotloops::random::Mt19937;

use crate::coo::Couplings;

/// Updates the worldlines at the inverse temperature `space` of a slice.
pub fn flip(ising: &mut LayeredIsing, random: &mut Mt19937, problem: &Couplings, space: f32) -> Result<(), Error> {
    let (layers, sites) = (ising.layers(), ising.sites());
    let mut spins = vec![1; layers * sites];
    ising.spins(&mut spins)?;
    let columns = Columns::new(&spins, sites);
    let space = f64::from(space);
    let fields: Vec<f64> =
        problem.fields.iter().enumerate().map(|(site, field)| space * field * columns.sum(site)).collect();
    let bond = |&(i, j, coupling): &(u32, u32, f64)| {
        let (i, j) = (i as usize, j as usize);
        (i, j, space * coupling * columns.product(i, j))
    };
    let bonds: Vec<_> = problem.couplings.iter().map(bond).collect();
    let mut words = vec![0; 3 * sites + bonds.len()];
    random.fill_u32(&mut words);
    let mut uniform = words.into_iter().map(|word| (f64::from(word) + 0.5) / 2f64.powi(32));
    let mut signs = vec![1.0; sites];
    heat_bath(&mut signs, &fields, &bonds, &mut uniform);
    clusters(&mut signs, &fields, &bonds, &mut uniform);
    if signs.iter().all(|&sign| sign > 0.0) {
        return Ok(());
    }
    for layer in spins.chunks_mut(sites) {
        layer.iter_mut().zip(&signs).for_each(|(spin, &sign)| *spin *= sign as i8);
    }
    ising.set_spins(&spins)
}

/// A bit for each slice of each site, 1 for -1.
struct Columns {
    layers: usize,
    width: usize,
    words: Vec<u64>,
}

impl Columns {
    fn new(spins: &[i8], sites: usize) -> Self {
        let layers = spins.len() / sites;
        let width = layers.div_ceil(64);
        let mut words = vec![0; sites * width];
        for (layer, spins) in spins.chunks(sites).enumerate() {
            for (site, &spin) in spins.iter().enumerate() {
                words[site * width + layer / 64] |= u64::from(spin < 0) << (layer % 64);
            }
        }
        Columns { layers, width, words }
    }

    fn column(&self, site: usize) -> &[u64] {
        &self.words[site * self.width..][..self.width]
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

/// Draws each sign anew, given the others.
fn heat_bath(
    signs: &mut [f64],
    fields: &[f64],
    bonds: &[(usize, usize, f64)],
    uniform: &mut impl Iterator<Item = f64>,
) {
    let mut neighbours = vec![Vec::new(); signs.len()];
    for &(i, j, bond) in bonds {
        neighbours[i].push((j, bond));
        neighbours[j].push((i, bond));
    }
    for (site, neighbours) in neighbours.iter().enumerate() {
        let field = neighbours.iter().fold(fields[site], |sum, &(other, bond)| sum + bond * signs[other]);
        let up = 1.0 / (1.0 + (-2.0 * field).exp());
        signs[site] = if uniform.next().is_some_and(|x| x < up) { 1.0 } else { -1.0 };
    }
}

/// Flips each cluster with probability 1/2. The cluster of the last root, to which fields bind, stays.
fn clusters(signs: &mut [f64], fields: &[f64], bonds: &[(usize, usize, f64)], uniform: &mut impl Iterator<Item = f64>) {
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
                    heat_bath(&mut signs, &fields, &bonds, &mut uniform);
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
