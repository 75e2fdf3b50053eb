//! Sums over the bonds: energies of copies and of strips.

use core::array::from_fn;

use super::{BitEngine, OWN_SIGNS};
use crate::ising::bits::row::{RowLine, Run};
use crate::ising::bits::scalar::{Header, Row};
use crate::ising::measure::LayerSums;

impl BitEngine {
    /// For each row, in visiting order, the rows of its neighbours and of the couplings' signs; not of a
    /// model in strips.
    pub(super) fn neighbours(&self) -> impl Iterator<Item = impl Iterator<Item = (usize, usize)>> + Clone {
        let sites = self.shape.sites;
        self.visits().map(move |(.., bonds)| {
            let mut last = None;
            // Bonds of one coupling are adjacent; those of a field have a row beyond the sites.
            bonds.filter(move |&(row, _)| row < sites && last.replace(row) != Some(row))
        })
    }

    /// The rows in visiting order, each with its run and the rows of the other spins of its bonds and of
    /// their signs.
    fn visits(&self) -> impl Iterator<Item = (usize, &Run, impl Iterator<Item = (usize, usize)>)> + Clone {
        self.runs.iter().flat_map(|run| {
            let (mut rest, mut header, mut site) = (&self.links[run.link..], Header(0), 0);
            (run.first..run.first + run.sites).map_while(move |row| {
                if site == header.count() {
                    let (&first, tail) = rest.split_first()?;
                    (rest, header, site) = (tail, Header(first), 0);
                }
                let (links, tail) = rest.split_at_checked(2 * header.degree())?;
                (rest, site) = (tail, site + 1);
                Some((row, run, links.as_chunks::<2>().0.iter().map(|&[row, sign]| (row as usize, sign as usize))))
            })
        })
    }

    /// The energy of a model in strips.
    pub(super) fn strips_energy(&self) -> Option<f64> {
        let coupling = self.halo.as_ref()?.strips.coupling;
        let mut sum = 0;
        for (group, live) in self.live.iter().enumerate() {
            let spins = &self.spins[group * self.rows..];
            for (row, run, bonds) in self.visits() {
                let visited: Row = from_fn(|i| live.0[i] & run.mask[i]);
                let count = |words: &dyn Fn(usize) -> u64| (0..8).map(|i| words(i).count_ones()).sum::<u32>();
                let lanes = i64::from(count(&|i| visited[i]));
                // In quarters: a bond counts at both of its ends.
                let unit = if run.is_halved { 1 } else { 2 };
                for (other, sign) in bonds {
                    let [own, other, sign] = [&spins[row].0, &spins[other].0, &self.signs[sign].0];
                    let odd = count(&|i| (own[i] ^ other[i] ^ sign[i]) & visited[i]);
                    sum += unit * (lanes - 2 * i64::from(odd));
                }
            }
        }
        Some(coupling * (if self.is_negative { -sum } else { sum } / 4) as f64)
    }

    /// Energies and magnetisations of the lanes of `G` words of copies of one row, from word `first` on.
    pub(super) fn measure_groups<const G: usize>(&self, first: usize) -> [LayerSums; G] {
        let (group, word) = (first / 8, first % 8);
        let row = |lines: &[RowLine], rows: usize, row: usize| {
            let words = &lines[group * rows + row].0[word..];
            from_fn(|nth| words[nth])
        };
        let opposite = if self.is_negative { u64::MAX } else { 0 };
        let spins = |at: usize| row(&self.spins, self.rows, at);
        let (sites, has_ghosts) = (self.shape.sites, self.halo.is_some());
        let all_lanes_have_bonds = self.runs.iter().all(|run| !run.is_halved && run.mask == [u64::MAX; 8]);
        let bonds = self.visits().flat_map(|(own, run, bonds)| {
            let mask = from_fn(|nth| run.mask[word + nth]);
            bonds.filter_map(move |(other, sign)| {
                let (a, b, sign) = (spins(own), spins(other), row(&self.signs, self.sign_rows, sign));
                // In quarters. Both sites list their bond, but only the first one counts it if both are in the
                // same lane and every lane has it.
                let strength = match all_lanes_have_bonds && (other < sites || !has_ghosts) {
                    true if other > own => 4,
                    true => return None,
                    false if run.is_halved => 1,
                    false => 2,
                };
                Some((from_fn(|k| a[k] ^ b[k] ^ sign[k] ^ opposite), mask, strength))
            })
        });
        LayerSums::of_bonds((0..sites).map(spins), bonds, 0.25 * self.quantum)
    }

    /// Bit `k` is set if copy `k` of the 64 of a word has the opposite sign, for a coupling with a
    /// row of signs.
    pub(super) fn reversed(&self, word: usize, sign: usize) -> u64 {
        if sign < OWN_SIGNS as usize {
            return 0;
        }
        let bits = self.signs[word / 8 * self.sign_rows + sign].0[word % 8];
        if self.is_negative { !bits } else { bits }
    }
}
