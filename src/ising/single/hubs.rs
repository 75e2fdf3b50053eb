//! Hubs: the few sites whose sums exceed a byte, visited one by one after all blocks.

use alloc::vec::Vec;

use super::layout::Layout;
use super::scalar::{BLOCK, random_bits};
use crate::frame::memory;
use crate::frame::pieces::{Ended, Pieces};
use crate::ising::graph::Graph;
use crate::ising::room::Numbers;
use crate::ising::shape::Rule;
use crate::ising::thresholds::{CERTAIN, Exponents};
use crate::random::{Mt19937, SplitMix64};

/// Maximum sum of the magnitudes of field and couplings of a hub: f32 holds it exactly.
pub(in crate::ising) const MAX_HUB_QUANTA: u32 = 1 << 24;

#[derive(Clone, Copy, Debug)]
struct HubLink {
    position: u32,
    coupling: i32,
}

#[derive(Clone, Copy, Debug)]
struct Hub {
    /// In quanta.
    field: i32,
    /// The sum of field and couplings.
    sum: i32,
    /// The end of its links.
    end: usize,
}

/// The hubs of a graph: the last blocks, 64 hubs in each.
#[derive(Debug, Default)]
pub(super) struct Hubs {
    first_position: usize,
    hubs: Vec<Hub>,
    links: Vec<HubLink>,
}

impl Hubs {
    /// `graph` was built with a quantum in the order of `layout`.
    pub fn new(graph: &Graph, layout: &Layout, pieces: &Pieces) -> Result<Self, Ended> {
        let Some(last) = layout.colours.last().filter(|_| layout.hubs > 0) else { return Ok(Hubs::default()) };
        let positions = layout.positions()?;
        let mut hubs = memory::with_capacity(layout.hubs)?;
        let mut links = Vec::new();
        for (field, neighbours) in graph.rows().skip(last.first_row) {
            pieces.before(1 + neighbours.len())?;
            let mut sum = field as i32;
            for link in neighbours.iter().filter(|link| link.value != 0.0) {
                let coupling = link.value as i32;
                sum += coupling;
                memory::push(&mut links, HubLink { position: positions[graph.row(link)], coupling })?;
            }
            hubs.push(Hub { field: field as i32, sum, end: links.len() });
        }
        Ok(Hubs { first_position: BLOCK * last.first_block, hubs, links })
    }

    pub fn blocks(&self) -> usize {
        self.hubs.len().div_ceil(BLOCK)
    }

    pub fn heap_bytes(&self) -> usize {
        self.hubs.capacity() * size_of::<Hub>() + self.links.capacity() * size_of::<HubLink>()
    }

    /// The local field of a hub, given its links; `spin` is 255 where a spin is -1.
    fn local_field(hub: &Hub, links: &[HubLink], spin: impl Fn(usize) -> u8) -> i32 {
        let minus = |link: &HubLink| link.coupling & i32::from(spin(link.position as usize) as i8);
        hub.sum - 2 * links.iter().map(minus).sum::<i32>()
    }

    /// Each hub with its position and its links.
    fn iter(&self) -> impl Iterator<Item = (usize, &Hub, &[HubLink])> {
        let starts = [0].into_iter().chain(self.hubs.iter().map(|hub| hub.end));
        let places = (self.first_position..).zip(&self.hubs).zip(starts);
        places.map(|((position, hub), start)| (position, hub, &self.links[start..hub.end]))
    }

    /// Visits the hubs of one system with its `spins`, couplings times `sign`. Returns the number of flips.
    ///
    /// A block of hubs draws 32 numbers; a spin is decided as in [`sweep_blocks_i8()`](super::sweep_blocks_i8()).
    pub fn sweep(
        &self,
        spins: &mut [u8],
        sign: i32,
        rng: &mut Mt19937,
        exponents: Exponents,
        ties: &mut SplitMix64,
    ) -> u64 {
        let is_heat = exponents.rule == Rule::HeatBath;
        let (mut flips, mut random) = (0, [Numbers([0; 32])]);
        for (nth, (position, hub, links)) in self.iter().enumerate() {
            if nth % BLOCK == 0 {
                rng.fill_u32(Numbers::flat(&mut random));
            }
            let field = sign * Self::local_field(hub, links, |position| spins[position]);
            let m = if spins[position] == 0 { field } else { -field };
            let (m, complement) = if is_heat { (m.abs(), m < 0) } else { (m.max(0), false) };
            let probability = exponents.probability(m, 1);
            let bits = random_bits(&random[0].0, nth % BLOCK) ^ if complement { u16::MAX } else { 0 };
            let is_tied = u64::from(bits) == probability >> 32 && probability != CERTAIN;
            let rest = if is_tied { ties.next() >> 32 } else { 0 };
            let accepts = ((u64::from(bits) << 32 | rest) < probability || probability == CERTAIN) != complement;
            if accepts {
                spins[position] = !spins[position];
                flips += 1;
            }
        }
        flips
    }

    /// The sums over the hubs of the products of the spin with its local field, and with its field.
    pub fn measure(&self, spins: &[u8]) -> (i64, i64) {
        self.iter().fold((0, 0), |(local, own), (position, hub, links)| {
            let sign = if spins[position] == 0 { 1 } else { -1 };
            let field = Self::local_field(hub, links, |position| spins[position]);
            (local + sign * i64::from(field), own + sign * i64::from(hub.field))
        })
    }
}
