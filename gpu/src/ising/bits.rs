//! Independent copies: `sweep_bits`.

use hotloops::ising::{Beta, LayeredIsing};

use super::SOURCE;
use super::state::Generators;
use crate::error::Error;
use crate::queue::{Buffer, Kernel, Queue, arguments};

/// Items of a group, and words of a row.
const LANES: usize = 16;
/// Copies of a row.
const COPIES: usize = 512;

/// Spins of models in rows of 512 copies, and how to sweep them.
pub(super) struct Bits {
    kernel: Kernel,
    spins: Buffer<u32>,
    models: usize,
    sites: usize,
    /// Rows of a group: the sites, then one of +1 if there are fields.
    rows: usize,
    groups: usize,
    copies: usize,
    /// A row for each group: the copies that exist.
    live: Buffer<u32>,
}

/// Links, signs and probabilities of a temperature for each model.
pub(super) struct Prepared {
    links: Buffer<u32>,
    signs: Buffer<u32>,
    codes: Buffer<u8>,
    blocks: u32,
    sign_rows: u32,
    /// 1 for models that accept by the heat bath.
    heat: Buffer<u8>,
}

/// Any temperature: the number of rows does not depend on it.
const COLD: Beta = Beta { space: 1.0, tau: 0.0 };

impl Bits {
    pub fn new(queue: &Queue, models: &[&LayeredIsing]) -> Result<Self, Error> {
        let first = models[0];
        let (sites, copies) = (first.sites(), first.layers());
        let rows = first.bits_outline(COLD).map_or(sites, |outline| outline.rows);
        let groups = copies.div_ceil(COPIES);
        let left = |word: usize| copies.saturating_sub(32 * word).min(32) as u32;
        let live: Vec<u32> =
            (0..groups * LANES).map(|word| u32::MAX.checked_shr(32 - left(word)).unwrap_or(0)).collect();
        let program = queue.program(SOURCE, "")?;
        let kernel = queue.kernel(&program, "sweep_bits")?;
        let (spins, live) = (queue.buffer(models.len() * groups * rows * LANES)?, queue.upload(&live)?);
        let mut bits = Bits { kernel, spins, models: models.len(), sites, rows, groups, copies, live };
        bits.load(queue, models)?;
        Ok(bits)
    }

    pub fn load(&mut self, queue: &Queue, models: &[&LayeredIsing]) -> Result<(), Error> {
        let each = self.groups * self.rows * LANES;
        let (mut spins, mut words) = (vec![0; models.len() * each], vec![0; models[0].words()]);
        for (model, spins) in models.iter().zip(spins.chunks_mut(each)) {
            model.copy_words(&mut words)?;
            for (index, word) in words.iter().enumerate() {
                let at = place(index, self.sites, self.rows);
                spins[at] = *word as u32;
                spins[at + 1] = (*word >> 32) as u32;
            }
        }
        queue.write(&mut self.spins, 0, &spins)
    }

    pub fn prepare(&self, queue: &Queue, models: &[&LayeredIsing], betas: &[Beta]) -> Result<Prepared, Error> {
        let outlines: Option<Vec<_>> =
            models.iter().zip(betas).map(|(model, &beta)| model.bits_outline(beta)).collect();
        let outlines = outlines.ok_or_else(|| Error::argument("models", "they are not of the batch's kind"))?;
        if let Some(i) = betas.iter().position(|beta| beta.tau != 0.0) {
            let why = format!("tau of model {i} is {}; copies are not coupled", betas[i].tau);
            return Err(Error::argument("betas", why));
        }
        let first = &outlines[0];
        for (i, outline) in outlines.iter().enumerate() {
            if outline.links != first.links || outline.signs != first.signs {
                let why = format!("model {i} has other couplings than model 0, or a temperature of another sign");
                return Err(Error::argument("models", why));
            }
        }
        let halves = |word: &u64| [*word as u32, (*word >> 32) as u32];
        let signs: Vec<u32> = first.signs.iter().flatten().flat_map(halves).collect();
        let heat: Vec<u8> = outlines.iter().map(|outline| outline.is_heat_bath.into()).collect();
        let codes: Vec<u8> = outlines.iter().flat_map(|outline| outline.codes.iter().copied()).collect();
        Ok(Prepared {
            links: queue.upload(&first.links)?,
            signs: queue.upload(&signs)?,
            codes: queue.upload(&codes)?,
            blocks: first.blocks as u32,
            sign_rows: (first.signs.len() / self.groups.max(1)) as u32,
            heat: queue.upload(&heat)?,
        })
    }

    pub fn launch(
        &self,
        queue: &Queue,
        prepared: &Prepared,
        generators: &Generators,
        flips: &Buffer<u64>,
        sweeps: u32,
    ) -> Result<(), Error> {
        let Prepared { links, signs, codes, blocks, sign_rows, heat } = prepared;
        let [rows, groups] = [self.rows, self.groups].map(|size| size as u32);
        let given = [
            &arguments![
                &generators.states,
                &generators.positions,
                &self.spins,
                links,
                signs,
                codes,
                heat,
                &self.live,
                flips
            ][..],
            &arguments![rows, groups, *sign_rows, *blocks, sweeps],
        ];
        // SAFETY: every model has its spins, generator, probabilities and flips; links refer to rows of spins and of
        // signs of a group.
        unsafe { queue.launch(&self.kernel, &[generators.len()], &[LANES], &given.concat()) }
    }

    /// The spins as the library has them, all models one after the other.
    pub fn words(&self, queue: &Queue) -> Result<Vec<u64>, Error> {
        let spins = queue.download(&self.spins)?;
        let each = self.copies.div_ceil(64) * self.sites;
        let mut words = Vec::with_capacity(self.models * each);
        for spins in spins.chunks(self.groups * self.rows * LANES) {
            words.extend((0..each).map(|index| {
                let at = place(index, self.sites, self.rows);
                u64::from(spins[at]) | u64::from(spins[at + 1]) << 32
            }));
        }
        Ok(words)
    }
}

/// Where the library's word `index`, of 64 copies of a site, begins in the rows of a model.
fn place(index: usize, sites: usize, rows: usize) -> usize {
    let (word, site) = (index / sites, index % sites);
    LANES * (word / 8 * rows + site) + 2 * (word % 8)
}
