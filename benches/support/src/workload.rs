//! The experiment of the paper: Dickson, Karimi, Hamze, *Importance of explicit vectorization for
//! CPU and GPU software performance*, J. Comput. Phys. 230 (2011): 115 layered models of 256 layers
//! x 96 spins at a ladder of temperatures.

use crate::mersenne::Textbook;

/// Models in the experiment of the paper.
pub const MODELS: usize = 115;
/// Layers of each.
pub const LAYERS: usize = 256;
/// Accepted per attempted flips, averaged over the ladder.
pub const FLIP_RATE: f64 = 0.286;

/// One layer of a model; a spin of every layer is coupled to the same spin of the layers below and
/// above by 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// Layers.
    pub layers: usize,
    /// Each pair of coupled spins once, `(i, j, J)`.
    pub couplings: Vec<(u32, u32, f32)>,
    /// The field of each spin of a layer.
    pub fields: Vec<f32>,
}

impl Problem {
    /// The problem of the paper: 4 x 3 Chimera cells with 4 % of the couplers left out, J = k/8
    /// with 1 <= |k| <= 7, h = k/8 with |k| <= 3.
    pub fn paper(seed: u32) -> Self {
        const ROWS: u32 = 4;
        const COLUMNS: u32 = 3;
        // Spins 0..4 of a cell are joined down the column of cells, spins 4..8 along the row.
        let spin = |row: u32, column: u32, k: u32| (row * COLUMNS + column) * 8 + k;
        let mut pairs = Vec::new();
        for (row, column) in (0..ROWS).flat_map(|row| (0..COLUMNS).map(move |column| (row, column))) {
            for k in 0..4 {
                pairs.extend((4..8).map(|other| (spin(row, column, k), spin(row, column, other))));
                if row + 1 < ROWS {
                    pairs.push((spin(row, column, k), spin(row + 1, column, k)));
                }
                if column + 1 < COLUMNS {
                    pairs.push((spin(row, column, 4 + k), spin(row, column + 1, 4 + k)));
                }
            }
        }
        let mut random = Textbook::new(seed);
        let mut below = |n: usize| ((u64::from(random.next_u32()) * n as u64) >> 32) as usize;
        for _ in 0..pairs.len() * 4 / 100 {
            pairs.swap_remove(below(pairs.len()));
        }
        pairs.sort();
        let levels: Vec<f32> = (-7i8..=7).filter(|&k| k != 0).map(|k| f32::from(k) / 8.0).collect();
        let couplings = pairs.iter().map(|&(i, j)| (i, j, levels[below(levels.len())])).collect();
        let fields = (0..ROWS * COLUMNS * 8).map(|_| (below(7) as f32 - 3.0) / 8.0).collect();
        Problem { layers: LAYERS, couplings, fields }
    }

    /// Spins of one layer.
    pub fn sites(&self) -> usize {
        self.fields.len()
    }

    /// Spins of all layers.
    pub fn spins(&self) -> usize {
        self.layers * self.sites()
    }

    /// For each spin of a layer its neighbours there and their couplings.
    pub fn neighbours(&self) -> Vec<Vec<(u32, f32)>> {
        let mut lists = vec![Vec::new(); self.sites()];
        for &(i, j, coupling) in &self.couplings {
            lists[i as usize].push((j, coupling));
            lists[j as usize].push((i, coupling));
        }
        lists
    }

    /// Rounds couplings and fields to multiples of a power of two that is coarse enough for exact
    /// `f32` sums in any order. Returns the largest change. Incrementally updated fields then equal
    /// recomputed ones.
    pub fn round_to_exact_sums(&mut self) -> f32 {
        let mut strength: Vec<f64> = self.fields.iter().map(|h| f64::from(h.abs())).collect();
        for &(i, j, coupling) in &self.couplings {
            strength[i as usize] += f64::from(coupling.abs());
            strength[j as usize] += f64::from(coupling.abs());
        }
        let strongest = strength.into_iter().fold(f64::MIN_POSITIVE, f64::max);
        // At most 2^22 quanta in a sum, so that neither the sums nor the steps by twice a coupling
        // are rounded.
        let quantum = (strongest.log2().ceil() - 22.0).exp2();
        let mut change = 0f64;
        for value in self.couplings.iter_mut().map(|(_, _, coupling)| coupling).chain(&mut self.fields) {
            let exact = (f64::from(*value) / quantum).round() * quantum;
            change = change.max((exact - f64::from(*value)).abs());
            *value = exact as f32;
        }
        change as f32
    }

    /// Spins of all layers, layer-major, each +1 or -1.
    pub fn random_spins(&self, seed: u32) -> Vec<i8> {
        let mut random = Textbook::new(seed);
        (0..self.spins()).map(|_| if random.next_u32() >> 31 == 0 { 1 } else { -1 }).collect()
    }
}
