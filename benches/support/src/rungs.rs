//! The lower rungs of the paper's ladder, in natural spin order, and their reference, a textbook loop.

use std::sync::Arc;

use hotloops::ising::Beta;

use crate::mersenne::{Interlaced, Textbook};
use crate::workload::Problem;

/// A model that a rung sweeps.
pub trait Rung: Send {
    /// Visits every spin `sweeps` times. Returns the number of flips.
    fn sweep(&mut self, beta: Beta, sweeps: usize) -> u64;
    /// Spins of all layers, layer-major.
    fn spins(&self) -> Vec<i8>;
}

pub(crate) fn to_f32(spins: &[i8]) -> Vec<f32> {
    spins.iter().map(|&spin| f32::from(spin)).collect()
}

pub(crate) fn to_i8(spins: &[f32]) -> Vec<i8> {
    spins.iter().map(|&spin| spin as i8).collect()
}

/// Fields of all spins from the space and from the tau couplings, computed from scratch.
pub(crate) fn fields(problem: &Problem, spins: &[f32]) -> (Vec<f32>, Vec<f32>) {
    let sites = problem.sites();
    let neighbours = problem.neighbours();
    (0..problem.spins()).map(|i| field(problem.layers, sites, &neighbours, &problem.fields, spins, i)).unzip()
}

fn field(
    layers: usize,
    sites: usize,
    neighbours: &[Vec<(u32, f32)>],
    fields: &[f32],
    spins: &[f32],
    i: usize,
) -> (f32, f32) {
    let (layer, site) = (i / sites, i % sites);
    let base = layer * sites;
    let space = neighbours[site].iter().fold(fields[site], |sum, &(j, c)| sum + c * spins[base + j as usize]);
    let below = (layer + layers - 1) % layers * sites + site;
    let above = (layer + 1) % layers * sites + site;
    (space, spins[below] + spins[above])
}

/// 24 bits of a random number as a number in [0, 2^24).
#[inline(always)]
fn mantissa(random: u32) -> f32 {
    (random >> 8) as f32
}

const SCALE: f32 = (1 << 24) as f32;
/// 2^23 / ln 2: the bits of a float per unit of the exponent.
pub(crate) const SLOPE: f32 = 12_102_203.0;
/// 2 (ln 2)^2, which centres the relative error.
const CENTRE: f32 = 0.960_906;

/// Flips with probability e^v, using the system's `exp`.
#[inline(always)]
pub fn accept_libm(v: f32, random: u32) -> bool {
    mantissa(random) < v.exp() * SCALE
}

/// Flips with the paper's fast approximation of e^v: v, scaled, is read as the bits of a number.
#[inline(always)]
pub fn accept_fast(v: f32, random: u32) -> bool {
    let v = if v > -87.0 { v } else { -87.0 };
    let v = if v < 88.0 { v } else { 88.0 };
    // SAFETY: |v| <= 88, so that the product fits i32.
    let bits = unsafe { (v * SLOPE).to_int_unchecked::<i32>() } + 0x3f80_0000;
    mantissa(random) < f32::from_bits(bits as u32) * (CENTRE * SCALE)
}

/// The loop of the textbook: the field of each visited spin is summed from its neighbours.
pub struct Reference {
    problem: Arc<Problem>,
    neighbours: Vec<Vec<(u32, f32)>>,
    spins: Vec<f32>,
    /// Generators that take turns.
    random: Vec<Textbook>,
    visits: usize,
    accept: fn(f32, u32) -> bool,
}

impl Reference {
    /// With one generator for [`A1`], with four for [`A2`]; `accept` is [`accept_libm`] or [`accept_fast`].
    pub fn new(problem: &Arc<Problem>, spins: &[i8], seed: u32, generators: u32, accept: fn(f32, u32) -> bool) -> Self {
        Reference {
            problem: problem.clone(),
            neighbours: problem.neighbours(),
            spins: to_f32(spins),
            random: (0..generators).map(|k| Textbook::new(seed.wrapping_add(k))).collect(),
            visits: 0,
            accept,
        }
    }
}

impl Rung for Reference {
    fn sweep(&mut self, beta: Beta, sweeps: usize) -> u64 {
        let Problem { layers, ref fields, .. } = *self.problem;
        let generators = self.random.len();
        let mut flips = 0;
        let spins = self.spins.len();
        for i in (0..sweeps).flat_map(|_| 0..spins) {
            let (space, tau) = field(layers, fields.len(), &self.neighbours, fields, &self.spins, i);
            let v = -2.0 * self.spins[i] * (beta.space * space + beta.tau * tau);
            let random = self.random[self.visits % generators].next_u32();
            self.visits += 1;
            if (self.accept)(v, random) {
                self.spins[i] = -self.spins[i];
                flips += 1;
            }
        }
        flips
    }

    fn spins(&self) -> Vec<i8> {
        to_i8(&self.spins)
    }
}

/// The graph of A.1 over all spins of the model. As in the paper's Figure 4, ends, couplings and kinds of the edges
/// are arrays apart.
pub(crate) struct Graph {
    pub ends: Vec<[u32; 2]>,
    pub couplings: Vec<f32>,
    pub is_tau: Vec<bool>,
    /// The edges of spin i are `incident[first[i]..first[i + 1]]`.
    pub first: Vec<u32>,
    pub incident: Vec<u32>,
}

impl Graph {
    pub fn new(problem: &Problem) -> Self {
        let (layers, sites) = (problem.layers as u32, problem.sites() as u32);
        let (mut ends, mut couplings, mut is_tau) = (Vec::new(), Vec::new(), Vec::new());
        for layer in 0..layers {
            let [base, above] = [layer, (layer + 1) % layers].map(|layer| layer * sites);
            ends.extend(problem.couplings.iter().map(|&(i, j, _)| [base + i, base + j]));
            couplings.extend(problem.couplings.iter().map(|edge| edge.2));
            is_tau.resize(ends.len(), false);
            ends.extend((0..sites).map(|i| [base + i, above + i]));
            couplings.resize(ends.len(), 1.0);
            is_tau.resize(ends.len(), true);
        }
        let mut lists = vec![Vec::new(); problem.spins()];
        for (number, ends) in ends.iter().enumerate() {
            ends.iter().for_each(|&end| lists[end as usize].push(number as u32));
        }
        Graph { ends, couplings, is_tau, first: offsets(&lists), incident: lists.concat() }
    }

    /// The edges of a spin.
    ///
    /// # Safety
    /// The model has spin i.
    #[inline(always)]
    pub unsafe fn edges(&self, i: usize) -> &[u32] {
        // SAFETY: `first` has an entry for each spin and one more, all of them places in `incident` or its end.
        unsafe {
            let [from, to] = [*self.first.get_unchecked(i), *self.first.get_unchecked(i + 1)];
            self.incident.get_unchecked(from as usize..to as usize)
        }
    }

    /// Tells the neighbours of spin i, which was `spin` until now: for each edge a branch for its far end and one for
    /// its kind. The strength of an edge comes from `strengths`, times `factor`.
    ///
    /// # Safety
    /// The model has spin i, and the arrays belong to it.
    #[inline(always)]
    pub unsafe fn update(&self, i: usize, factor: f32, strengths: &[f32], space: &mut [f32], tau: &mut [f32]) {
        // SAFETY: edges are indices of the arrays of edges, and their ends are spins of the model.
        unsafe {
            for &edge in self.edges(i) {
                let edge = edge as usize;
                let &[a, b] = self.ends.get_unchecked(edge);
                let far = if a as usize == i { b } else { a } as usize;
                let change = factor * strengths.get_unchecked(edge);
                if *self.is_tau.get_unchecked(edge) {
                    *tau.get_unchecked_mut(far) -= change;
                } else {
                    *space.get_unchecked_mut(far) -= change;
                }
            }
        }
    }
}

/// The start of each list in their concatenation, and the end of the last one.
pub(crate) fn offsets<T>(lists: &[Vec<T>]) -> Vec<u32> {
    let mut end = 0;
    let ends = lists.iter().map(|list| {
        end += list.len() as u32;
        end
    });
    std::iter::once(0).chain(ends).collect()
}

/// A.1, the original: one scalar MT19937, the exponential of the system, and for each flip a walk
/// over the spin's edges with two branches, one for the far end and one for the kind of the edge.
pub struct A1 {
    pub(crate) graph: Arc<Graph>,
    pub(crate) spins: Vec<f32>,
    pub(crate) space: Vec<f32>,
    pub(crate) tau: Vec<f32>,
    pub(crate) random: Textbook,
}

/// Makes models that share one graph.
pub fn a1(problem: &Problem) -> impl Fn(&Problem, &[i8], u32) -> A1 + use<> {
    let graph = Arc::new(Graph::new(problem));
    move |problem, spins, seed| {
        let spins = to_f32(spins);
        let (space, tau) = fields(problem, &spins);
        A1 { graph: graph.clone(), spins, space, tau, random: Textbook::new(seed) }
    }
}

/// The loop of A.1 and of its variants. `exponent` has a spin and its two fields; `accept` has the exponent; `update`
/// tells the neighbours of spin i, which was `spin` until now.
#[inline(always)]
pub(crate) fn visit(
    [spins, space, tau]: [&mut [f32]; 3],
    sweeps: usize,
    exponent: impl Fn(f32, f32, f32) -> f32,
    mut accept: impl FnMut(f32) -> bool,
    update: impl Fn(usize, f32, &mut [f32], &mut [f32]),
) -> u64 {
    let mut flips = 0;
    for _ in 0..sweeps {
        for i in 0..spins.len() {
            let spin = spins[i];
            if !accept(exponent(spin, space[i], tau[i])) {
                continue;
            }
            spins[i] = -spin;
            flips += 1;
            update(i, spin, space, tau);
        }
    }
    flips
}

impl Rung for A1 {
    fn sweep(&mut self, beta: Beta, sweeps: usize) -> u64 {
        let A1 { graph, spins, space, tau, random } = self;
        visit(
            [spins, space, tau],
            sweeps,
            |spin, space, tau| -2.0 * spin * (beta.space * space + beta.tau * tau),
            |v| accept_libm(v, random.next_u32()),
            // SAFETY: the arrays belong to the graph's model.
            |i, spin, space, tau| unsafe { graph.update(i, 2.0 * spin, &graph.couplings, space, tau) },
        )
    }

    fn spins(&self) -> Vec<i8> {
        to_i8(&self.spins)
    }
}

/// A neighbour in the same layer, and twice the coupling.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Link {
    far: u32,
    twice: f32,
}

/// A.2: one layer's neighbour lists with the far end and twice the coupling in place, the tau
/// neighbours by position, the constants of the exponent folded, the fast exponential, four
/// interlaced generators.
pub struct A2 {
    pub(crate) first: Vec<u32>,
    pub(crate) links: Vec<Link>,
    pub(crate) spins: Vec<f32>,
    pub(crate) space: Vec<f32>,
    pub(crate) tau: Vec<f32>,
    pub(crate) random: Interlaced,
    /// Random numbers for one layer.
    numbers: Vec<u32>,
}

impl A2 {
    pub fn new(problem: &Problem, spins: &[i8], seed: u32) -> Self {
        let lists = problem.neighbours();
        let links = lists.concat().into_iter().map(|(far, coupling)| Link { far, twice: 2.0 * coupling }).collect();
        let spins = to_f32(spins);
        let (space, tau) = fields(problem, &spins);
        A2 {
            first: offsets(&lists),
            links,
            spins,
            space,
            tau,
            random: Interlaced::new(seed),
            numbers: vec![0; problem.sites()],
        }
    }
}

impl Rung for A2 {
    fn sweep(&mut self, beta: Beta, sweeps: usize) -> u64 {
        let A2 { first, links, spins, space, tau, random, numbers } = self;
        let sites = first.len() - 1;
        let layers = spins.len() / sites;
        let (by_space, by_tau) = (-2.0 * beta.space, -2.0 * beta.tau);
        let mut flips = 0;
        for layer in (0..sweeps).flat_map(|_| 0..layers) {
            let base = layer * sites;
            let below = (layer + layers - 1) % layers * sites;
            let above = (layer + 1) % layers * sites;
            let spins = &mut spins[base..base + sites];
            let space = &mut space[base..base + sites];
            random.fill(numbers);
            for site in 0..sites {
                let spin = spins[site];
                let v = spin * (by_space * space[site] + by_tau * tau[base + site]);
                if !accept_fast(v, numbers[site]) {
                    continue;
                }
                spins[site] = -spin;
                flips += 1;
                for &Link { far, twice } in &links[first[site] as usize..first[site + 1] as usize] {
                    space[far as usize] -= spin * twice;
                }
                tau[below + site] -= 2.0 * spin;
                tau[above + site] -= 2.0 * spin;
            }
        }
        flips
    }

    fn spins(&self) -> Vec<i8> {
        to_i8(&self.spins)
    }
}
