//! Models in which certain flips are not ergodic.

use alloc::vec::Vec;

use super::graph::Lists;
use crate::frame::memory;
use crate::frame::pieces::Ended;

/// Larger components with more than two couplings at a site are hardly ever in a trap: it needs local fields of 0 at
/// all sites.
const SMALL: usize = 16;

/// Sites with more different sums than this are hardly ever without a local field.
const SUMS: usize = 1024;

impl Lists<'_, '_> {
    /// Whether Metropolis with certain flips at a local field of 0 may go round in circles: there is a component, a
    /// ring or a small one, in which couplings and field can cancel at every site. On a ring of three such spins the
    /// sweep `+-+`, `-+-` repeats for ever, at any temperature.
    pub fn may_trap(&self, fields: &[f64]) -> Result<bool, Ended> {
        let mut is_seen = memory::filled(fields.len(), false)?;
        let mut component: Vec<u32> = memory::with_capacity(fields.len())?;
        let mut sums = memory::with_capacity(2 * SUMS)?;
        for root in 0..fields.len() as u32 {
            if is_seen[root as usize] {
                continue;
            }
            self.visit(root, &mut is_seen, &mut component)?;
            let couplings = |&site: &u32| self.couplings(site).count();
            let is_ring = component.iter().all(|site| couplings(site) == 2);
            let may_cancel = |&site: &u32| self.may_cancel(fields, site, &mut sums);
            if component.len() > 1 && (is_ring || component.len() <= SMALL) && component.iter().all(may_cancel) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn couplings(&self, site: u32) -> impl Iterator<Item = (u32, f64)> {
        let halves = self.neighbours(site).iter().filter(|half| half.coupling != 0.0);
        halves.map(|half| (half.neighbour, half.coupling))
    }

    /// Writes the sites that couplings connect with `root`; `component` has the capacity for all.
    fn visit(&self, root: u32, is_seen: &mut [bool], component: &mut Vec<u32>) -> Result<(), Ended> {
        component.clear();
        is_seen[root as usize] = true;
        component.push(root);
        let mut next = 0;
        while let Some(&site) = component.get(next) {
            next += 1;
            self.pieces.before(2 * (1 + self.neighbours(site).len()))?;
            for (neighbour, _) in self.couplings(site) {
                if !core::mem::replace(&mut is_seen[neighbour as usize], true) {
                    component.push(neighbour);
                }
            }
        }
        Ok(())
    }

    /// Whether signs of the couplings exist with which they and the field add up to 0. `sums` has a capacity of
    /// `2 * SUMS`.
    fn may_cancel(&self, fields: &[f64], site: u32, sums: &mut Vec<f64>) -> bool {
        let field = fields[site as usize];
        let magnitude = field.abs() + self.couplings(site).map(|(_, coupling)| coupling.abs()).sum::<f64>();
        // Sums that cancel may differ from 0 by the rounding of the values given.
        let tolerance = magnitude * f64::from(f32::EPSILON);
        sums.clear();
        sums.push(field);
        for (_, coupling) in self.couplings(site) {
            for index in 0..sums.len() {
                sums.push(sums[index] + coupling);
                sums[index] -= coupling;
            }
            sums.sort_unstable_by(f64::total_cmp);
            sums.dedup_by(|next, last| *next - *last <= tolerance);
            if sums.len() > SUMS {
                return false;
            }
        }
        sums.iter().any(|sum| sum.abs() <= tolerance)
    }
}

#[cfg(test)]
mod tests {
    use super::super::graph::Half;
    use super::*;
    use crate::frame::pieces::whole;

    fn may_trap(sites: usize, edges: &[(u32, u32, f64)], fields: &[(usize, f64)]) -> bool {
        let half = |site, neighbour, coupling| Half { site, neighbour, coupling };
        let mut halves: Vec<_> = edges.iter().flat_map(|&(i, j, w)| [half(i, j, w), half(j, i, w)]).collect();
        let mut values = alloc::vec![0.0; sites];
        fields.iter().for_each(|&(site, field)| values[site] = field);
        whole(|pieces| Lists::new(sites, &mut halves, pieces)?.may_trap(&values)).unwrap()
    }

    fn ring(sites: u32, coupling: f64) -> Vec<(u32, u32, f64)> {
        (0..sites).map(|i| (i, (i + 1) % sites, coupling)).collect()
    }

    fn complete(sites: u32, coupling: impl Fn(u32, u32) -> f64 + Copy) -> Vec<(u32, u32, f64)> {
        (0..sites).flat_map(|i| (0..i).map(move |j| (i, j, coupling(i, j)))).collect()
    }

    #[test]
    fn rings_and_small_components_whose_fields_cancel_are_traps() {
        for (sites, edges, fields) in [
            (3, ring(3, 1.0), &[][..]),
            (3, ring(3, -core::f64::consts::PI), &[]),
            (100_000, ring(100_000, 0.1), &[]),
            (5, complete(5, |_, _| 1.0), &[]),
            (4, complete(4, |i, _| if i == 3 { 2.0 } else { 1.0 }), &[(0, 2.0), (1, 2.0), (2, 4.0), (3, 2.0)]),
            // A pair whose fields cancel its coupling, beside a chain.
            (5, [(0, 1, 2.0), (2, 3, 1.0), (3, 4, 1.0)].to_vec(), &[(0, 2.0), (1, -2.0)]),
            // A coupling of 0 connects nothing.
            (4, [ring(3, 1.0), [(2, 3, 0.0)].to_vec()].concat(), &[(3, 1.0)]),
        ] {
            assert!(may_trap(sites, &edges, fields), "{edges:?}");
        }
    }

    #[test]
    fn others_are_none() {
        let real = |i: u32, j: u32| f64::from(i * i + 31 * j).sin();
        let torus = || (0..100).flat_map(|i| [(i, (i + 1) % 100, 1.0), (i, (i + 10) % 100, 1.0)]);
        for (sites, edges, fields) in [
            (3, Vec::new(), &[][..]),
            (2, [(0, 1, 1.0)].to_vec(), &[]),
            (3, ring(3, 1.0), &[(1, 0.5)]),
            (3, [(0, 1, 1.0), (1, 2, 1.0), (0, 2, 1.001)].to_vec(), &[]),
            (4, complete(4, |_, _| 1.0), &[]),
            (16, complete(16, real), &[]),
            (100, torus().collect(), &[]),
        ] {
            assert!(!may_trap(sites, &edges, fields), "{edges:?}");
        }
    }
}
