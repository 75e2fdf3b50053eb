//! Programs B.1 and B.2 of Dickson, Karimi, Hamze: Metropolis sweeps in f32, for comparison with other programs.
//!
//! A model has `layers` equal layers in a ring; each spin is coupled by 1 to its copies in the layers before and after.
//! A model is a group of 128 items, and a layer belongs to one of them: item k has the layers
//! `k * groups .. (k + 1) * groups`, with `groups = layers / 128`. Its generator is 128 interlaced lanes of MT19937.
//! [`Reference`] defines the trajectory: it is [`Kind::F32Fast`](hotloops::ising::Kind::F32Fast) with
//! [`Update::Scatter`](hotloops::ising::Update::Scatter), program A.4, on 128 lanes in place of 16.
//!
//! | program | an item's words of the generator, spins and local fields in global memory |
//! |---|---|
//! | [`Program::B1`] | are contiguous |
//! | [`Program::B2`] | are interlaced with those of the other items: accesses are coalesced |
//!
//! [`Batch`](super::Batch) has the fast sweeps.

mod reference;

use hotloops::ising::Beta;
use hotloops::random::Mt19937;

use super::state::{HEAD, bytes_of};
use crate::error::Error;
use crate::pace::Pace;
use crate::queue::{Buffer, Kernel, Queue, arguments};
pub use reference::Reference;

pub(crate) const SOURCE: &str = include_str!("../../kernels/paper.cl");

/// Items of a group, and lanes of a generator.
pub const ITEMS: usize = 128;
/// Words of a lane.
const ROWS: usize = 624;
const EXACT_PRODUCTS: &str = "f32 with the CPU's sums and products (rounding to nearest, subnormal numbers)";
/// Sweeps of a launch, at most.
const MOST: usize = 1 << 20;

/// One of the paper's two programs for GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    B1,
    B2,
}

impl Program {
    /// The paper's name.
    pub fn name(self) -> &'static str {
        match self {
            Program::B1 => "B.1",
            Program::B2 => "B.2",
        }
    }

    fn kernel(self) -> &'static str {
        match self {
            Program::B1 => "sweep_b1",
            Program::B2 => "sweep_b2",
        }
    }

    /// The index of a spin in memory, given its item, group and site, of `groups` and `sites`.
    fn cell(self, [item, group, site]: [usize; 3], [groups, sites]: [usize; 2]) -> usize {
        match self {
            Program::B1 => (item * groups + group) * sites + site,
            Program::B2 => (group * sites + site) * ITEMS + item,
        }
    }

    /// The index of a word of the generator.
    fn word(self, item: usize, row: usize) -> usize {
        match self {
            Program::B1 => item * ROWS + row,
            Program::B2 => row * ITEMS + item,
        }
    }
}

/// Layers with the same couplings and fields.
#[derive(Clone, Copy, Debug)]
pub struct Layers<'a> {
    /// Number of layers: a multiple of 128, 256 at least.
    pub count: usize,
    /// Each pair of coupled sites, `(i, j, J)`.
    pub couplings: &'a [(u32, u32, f32)],
    /// The field of each site.
    pub fields: &'a [f32],
}

impl Layers<'_> {
    /// Spins of all layers.
    pub fn spins(&self) -> usize {
        self.count * self.fields.len()
    }

    /// The reason why the programs cannot sweep `count` layers, if there is one.
    pub fn unfit(count: usize) -> Option<String> {
        let is_fit = count.is_multiple_of(ITEMS) && count >= 2 * ITEMS;
        let why = || format!("{count} layers; programs B.1 and B.2 need 256, 384 or another multiple of {ITEMS}");
        (!is_fit).then(why)
    }

    fn check(&self) -> Result<(), Error> {
        match Layers::unfit(self.count) {
            Some(why) => Err(Error::argument("layers", why)),
            None => self.check_values(),
        }
    }

    /// Checks all but the number of layers.
    fn check_values(&self) -> Result<(), Error> {
        let sites = self.fields.len();
        if sites == 0 || self.count.saturating_mul(sites) > u32::MAX as usize {
            let why = format!("{} layers of {sites} spins; 1 to 2^32 - 1 spins are allowed", self.count);
            return Err(Error::argument("fields", why));
        }
        if let Some(i) = self.fields.iter().position(|field| !field.is_finite()) {
            return Err(Error::argument("fields", format!("field {i} is not finite")));
        }
        let is_wrong =
            |&(i, j, coupling): &(u32, u32, f32)| i == j || i.max(j) as usize >= sites || !coupling.is_finite();
        if let Some(edge) = self.couplings.iter().position(is_wrong) {
            let why =
                format!("coupling {edge} is {:?}; ends are two of {sites} sites, J is finite", self.couplings[edge]);
            return Err(Error::argument("couplings", why));
        }
        Ok(())
    }

    /// For each site its neighbours and couplings, in the order of the couplings.
    fn neighbours(&self) -> Vec<Vec<(u32, f32)>> {
        let mut lists = vec![Vec::new(); self.fields.len()];
        for &(i, j, coupling) in self.couplings {
            lists[i as usize].push((j, coupling));
            lists[j as usize].push((i, coupling));
        }
        lists
    }

    /// The local field of each spin within its layer, and the sum of its copies in the adjacent layers.
    fn local_fields(&self, spins: &[i8]) -> (Vec<f32>, Vec<f32>) {
        let (sites, neighbours) = (self.fields.len(), self.neighbours());
        let field = |i: usize| {
            let (layer, site) = (i / sites, i % sites);
            let layer_of = |layer: usize| layer % self.count * sites;
            let of = |layer: usize, site: usize| f32::from(spins[layer_of(layer) + site]);
            let add = |sum: f32, &(j, coupling): &(u32, f32)| sum + coupling * of(layer, j as usize);
            let space = neighbours[site].iter().fold(self.fields[site], add);
            (space, of(layer + self.count - 1, site) + of(layer + 1, site))
        };
        (0..self.spins()).map(field).unzip()
    }

    /// Refuses spins other than -1 and 1, and too many or too few.
    fn check_spins(&self, spins: &[i8]) -> Result<(), Error> {
        if spins.len() != self.spins() {
            return Err(Error::argument("spins", format!("{} for {} of a model", spins.len(), self.spins())));
        }
        match spins.iter().position(|spin| spin.abs() != 1) {
            Some(i) => Err(Error::argument("spins", format!("spin {i} is {}; 1 or -1 is allowed", spins[i]))),
            None => Ok(()),
        }
    }
}

/// Models of one problem on a device.
pub struct Models {
    queue: Queue,
    program: Program,
    kernel: Kernel,
    /// The generators and the next row of each.
    states: Buffer<u32>,
    rows: Buffer<u32>,
    /// Spins, local fields within the layers, sums of the adjacent layers.
    cells: [Buffer<f32>; 3],
    first: Buffer<u32>,
    far: Buffer<u32>,
    couplings: Buffer<f32>,
    models: usize,
    /// Groups and sites.
    shape: [usize; 2],
    pace: Pace,
}

impl Models {
    /// The queue of their device.
    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// Copies models to the device, and compiles the program. `spins` are those of each model, layer-major, each 1 or
    /// -1. Lane k of the generator of model m has the seed `seeds[m] + k` modulo 2^32.
    ///
    /// # Errors
    /// Fails with the name of an argument that is wrong, if the device's f32 differs from the CPU's or it lacks the
    /// memory, and if the driver fails.
    pub fn new(queue: Queue, program: Program, layers: &Layers, spins: &[&[i8]], seeds: &[u32]) -> Result<Self, Error> {
        layers.check()?;
        if spins.is_empty() || spins.len() != seeds.len() {
            let why = format!(
                "{} seeds for {} models; there is one for each, and one model at least",
                seeds.len(),
                spins.len()
            );
            return Err(Error::argument("seeds", why));
        }
        spins.iter().try_for_each(|spins| layers.check_spins(spins))?;
        if !queue.device().has_exact_products {
            return Err(Error::Lacks { device: queue.device().name.clone(), what: EXACT_PRODUCTS });
        }
        let built = queue.program(SOURCE, "")?;
        let kernel = queue.kernel(&built, program.kernel())?;
        let (models, shape) = (spins.len(), [layers.count / ITEMS, layers.fields.len()]);
        let mut words = vec![0; models * ITEMS * ROWS];
        for (words, &seed) in words.chunks_mut(ITEMS * ROWS).zip(seeds) {
            seeded(program, seed, words)?;
        }
        let mut cells = [(); 3].map(|()| vec![0.0; models * layers.spins()]);
        for (model, spins) in spins.iter().enumerate() {
            let (fields, taus) = layers.local_fields(spins);
            for (i, &spin) in spins.iter().enumerate() {
                let at = model * spins.len() + program.cell(place(i, shape), shape);
                cells[0][at] = f32::from(spin);
                cells[1][at] = fields[i];
                cells[2][at] = taus[i];
            }
        }
        let lists = layers.neighbours();
        let ends = lists.iter().scan(0, |end, list| {
            *end += list.len() as u32;
            Some(*end)
        });
        let first: Vec<u32> = std::iter::once(0).chain(ends).collect();
        let (far, couplings): (Vec<u32>, Vec<f32>) = lists.concat().into_iter().unzip();
        let [a, b, c] = cells;
        Ok(Models {
            states: queue.upload(&words)?,
            rows: queue.zeros(models)?,
            cells: [queue.upload(&a)?, queue.upload(&b)?, queue.upload(&c)?],
            first: queue.upload(&first)?,
            far: queue.upload(&far)?,
            couplings: queue.upload(&couplings)?,
            queue,
            program,
            kernel,
            models,
            shape,
            pace: Pace::new(1, MOST),
        })
    }

    /// Visits every spin of every model `sweeps` times. Returns the flips of each model.
    ///
    /// # Errors
    /// Fails unless there is a temperature for each model, if one is not finite, and if the device fails.
    pub fn sweep(&mut self, betas: &[Beta], sweeps: usize) -> Result<Vec<u64>, Error> {
        if betas.len() != self.models {
            let why = format!("{} temperatures for {} models", betas.len(), self.models);
            return Err(Error::argument("betas", why));
        }
        let exponents = betas.iter().map(|&beta| exponents(beta)).collect::<Result<Vec<_>, _>>()?;
        let betas = self.queue.upload(&exponents.concat())?;
        let flips = self.queue.zeros::<u64>(self.models)?;
        let ([groups, sites], models) = (self.shape.map(|size| size as u32), self.models);
        let Models { queue, kernel, states, rows, cells: [spins, fields, taus], first, far, couplings, pace, .. } =
            self;
        pace.run(sweeps, |_, count| {
            let given = [
                &arguments![&*states, &*rows, &*spins, &*fields, &*taus][..],
                &arguments![&*first, &*far, &*couplings, &betas, &flips],
                &arguments![sites, groups, count as u32],
            ];
            // SAFETY: every model has its generator, spins, fields, temperature and flips; neighbours are sites.
            unsafe { queue.launch(kernel, &[models], &[ITEMS], &given.concat())? };
            queue.finish()
        })?;
        self.queue.download(&flips)
    }

    /// The spins of each model, layer-major.
    ///
    /// # Errors
    /// Fails if the device does.
    pub fn spins(&self) -> Result<Vec<Vec<i8>>, Error> {
        let spins = self.queue.download(&self.cells[0])?;
        let of = |cells: &[f32]| {
            let at = |i: usize| self.program.cell(place(i, self.shape), self.shape);
            (0..cells.len()).map(|i| cells[at(i)] as i8).collect()
        };
        Ok(spins.chunks(spins.len() / self.models).map(of).collect())
    }
}

/// Item, group and site of a spin, which is layer-major number i.
fn place(i: usize, [groups, sites]: [usize; 2]) -> [usize; 3] {
    let (layer, site) = (i / sites, i % sites);
    [layer / groups, layer % groups, site]
}

/// Writes a generator's words: library generators of 16 lanes side by side.
fn seeded(program: Program, seed: u32, words: &mut [u32]) -> Result<(), Error> {
    for first in (0..ITEMS).step_by(16) {
        let bytes = bytes_of(&Mt19937::seeded(16, seed.wrapping_add(first as u32))?)?;
        let flat = bytes[HEAD..][..4 * 16 * ROWS].as_chunks::<4>().0;
        for (i, word) in flat.iter().enumerate() {
            words[program.word(first + i % 16, i / 16)] = u32::from_le_bytes(*word);
        }
    }
    Ok(())
}

/// Temperatures in units of the exponent, as the library has them for `F32Fast`: 2^-23 ln 2, and -2 for a flip.
fn exponents(beta: Beta) -> Result<[f32; 2], Error> {
    const FACTOR: f32 = -2.0 * 12_102_203.0;
    const LARGEST: f32 = (1_u128 << 126) as f32;
    if !(beta.space.is_finite() && beta.tau.is_finite()) {
        return Err(Error::argument("betas", format!("{beta:?} is not finite")));
    }
    Ok([beta.space * FACTOR, (beta.tau * FACTOR).clamp(-LARGEST, LARGEST)])
}

/// Compares short sweeps of both programs with the reference's.
pub(crate) fn self_test(queue: &Queue) -> Result<bool, Error> {
    let couplings: Vec<(u32, u32, f32)> =
        (0..9).map(|i| (i, (i + 1) % 9, if i % 3 == 0 { -0.75 } else { 0.3 })).collect();
    let layers = Layers { count: 256, couplings: &couplings, fields: &[0.25, 0.0, 0.0, -0.1, 0.0, 0.0, 0.0, 0.0, 0.0] };
    let spins: Vec<i8> = (0..layers.spins()).map(|i| 1 - (i * i / 7 % 2 * 2) as i8).collect();
    let beta = Beta { space: 0.7, tau: 0.4 };
    let mut reference = Reference::new(&layers, &spins, 5, ITEMS)?;
    let expected = reference.sweep(beta, 2)?;
    for program in [Program::B1, Program::B2] {
        let mut models = Models::new(Queue::open(queue.device())?, program, &layers, &[&spins], &[5])?;
        if models.sweep(&[beta], 2)? != [expected] || models.spins()? != [reference.spins()] {
            return Ok(false);
        }
    }
    Ok(true)
}
