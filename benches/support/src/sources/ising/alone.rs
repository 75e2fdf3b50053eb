//! The basic optimisations of A.2, each alone on top of A.1.

use std::ops::Range;
use std::sync::Arc;

use hotloops::ising::Beta;

use crate::ladder::Origin;
use crate::levels::{self, Level, Make};
use crate::mersenne::{Interlaced, Textbook};
use crate::rungs::{Graph, Rung, accept_fast, accept_libm, fields, offsets, to_f32, to_i8, visit};
use crate::workload::Problem;

/// What differs from A.1.
#[derive(Clone, Copy)]
enum Change {
    /// A spin's edges in space come before its two in tau, and the far end is the exclusive or of both ends and the
    /// spin: no branches.
    Branches,
    /// A list for each spin, with far end, coupling and kind in place.
    Lists,
    /// Lists for one layer only; the neighbours in tau follow from the position.
    LayerLists,
    /// Twice each coupling and -2 beta are computed in advance.
    Caching,
    /// The paper's fast exponential.
    Exponential,
    /// Four interlaced generators, renewed in vectors if the compiler finds them.
    Generators,
}

const CHANGES: [(Change, &str); 6] = [
    (Change::Branches, "no branches"),
    (Change::Lists, "lists of neighbours"),
    (Change::LayerLists, "one layer's lists"),
    (Change::Caching, "caching"),
    (Change::Exponential, "fast exponential"),
    (Change::Generators, "four generators"),
];

/// A.1, A.1 with each change, A.2 with all.
pub fn levels(problem: &Arc<Problem>) -> Vec<Level> {
    let shared = Arc::new(Shared::new(problem));
    let level = |(change, name): (Change, &'static str)| {
        let (shared, of) = (shared.clone(), problem.clone());
        let model: Make = Box::new(move |spins, seed| Box::new(Alone::new(change, &shared, &of, spins, seed)));
        let (generators, accept): (_, fn(f32, u32) -> bool) = match change {
            Change::Exponential => (1, accept_fast),
            Change::Generators => (4, accept_libm),
            _ => (1, accept_libm),
        };
        levels::scalar(problem, name, (Origin::Step, "Rust"), (generators, accept), model)
    };
    let changed = CHANGES.into_iter().map(level);
    [levels::a1(problem)].into_iter().chain(changed).chain([levels::a2(problem)]).collect()
}

#[derive(Clone, Copy)]
struct Neighbour {
    far: u32,
    coupling: f32,
    is_tau: bool,
}

/// What the models share.
struct Shared {
    graph: Graph,
    /// The edges of each spin, those in space first.
    sorted: Vec<u32>,
    /// Twice the coupling of each edge.
    twice: Vec<f32>,
    /// In the order of `graph.incident`.
    lists: Vec<Neighbour>,
    /// The neighbours of site i in its layer are `layer[first[i]..first[i + 1]]`.
    first: Vec<u32>,
    layer: Vec<(u32, f32)>,
}

impl Shared {
    fn new(problem: &Problem) -> Self {
        let graph = Graph::new(problem);
        let (mut sorted, mut lists) = (Vec::new(), Vec::new());
        for i in 0..problem.spins() {
            // SAFETY: the model has spin i.
            let edges = unsafe { graph.edges(i) };
            let (in_tau, in_space): (Vec<u32>, _) = edges.iter().partition(|&&edge| graph.is_tau[edge as usize]);
            sorted.extend(in_space.into_iter().chain(in_tau));
            lists.extend(edges.iter().map(|&edge| {
                let edge = edge as usize;
                let [a, b] = graph.ends[edge];
                let far = if a as usize == i { b } else { a };
                Neighbour { far, coupling: graph.couplings[edge], is_tau: graph.is_tau[edge] }
            }));
        }
        let neighbours = problem.neighbours();
        Shared {
            sorted,
            twice: graph.couplings.iter().map(|coupling| 2.0 * coupling).collect(),
            lists,
            first: offsets(&neighbours),
            layer: neighbours.concat(),
            graph,
        }
    }

    /// The places of a spin's edges.
    ///
    /// # Safety
    /// The model has spin i.
    #[inline(always)]
    unsafe fn range(&self, i: usize) -> Range<usize> {
        // SAFETY: `first` has an entry for each spin and one more.
        unsafe { *self.graph.first.get_unchecked(i) as usize..*self.graph.first.get_unchecked(i + 1) as usize }
    }

    #[inline(always)]
    fn without_branches(&self, i: usize, spin: f32, space: &mut [f32], tau: &mut [f32]) {
        // SAFETY: edges are indices of the arrays of edges, and their ends are spins of the model; a spin has two edges
        // in tau.
        unsafe {
            let edges = self.sorted.get_unchecked(self.range(i));
            let (in_space, in_tau) = edges.split_at_unchecked(edges.len() - 2);
            let update = |edge: u32, fields: &mut [f32]| {
                let [a, b] = *self.graph.ends.get_unchecked(edge as usize);
                let far = (a ^ b) as usize ^ i;
                *fields.get_unchecked_mut(far) -= 2.0 * spin * self.graph.couplings.get_unchecked(edge as usize);
            };
            in_space.iter().for_each(|&edge| update(edge, space));
            in_tau.iter().for_each(|&edge| update(edge, tau));
        }
    }

    #[inline(always)]
    fn by_lists(&self, i: usize, spin: f32, space: &mut [f32], tau: &mut [f32]) {
        // SAFETY: the far ends are spins of the model.
        unsafe {
            for &Neighbour { far, coupling, is_tau } in self.lists.get_unchecked(self.range(i)) {
                if is_tau {
                    *tau.get_unchecked_mut(far as usize) -= 2.0 * spin * coupling;
                } else {
                    *space.get_unchecked_mut(far as usize) -= 2.0 * spin * coupling;
                }
            }
        }
    }

    /// [`visit`] layer by layer, with the layer's own lists.
    #[inline(always)]
    fn visit_layers(
        &self,
        [spins, space, tau]: [&mut [f32]; 3],
        sweeps: usize,
        exponent: impl Fn(f32, f32, f32) -> f32,
        mut accept: impl FnMut(f32) -> bool,
    ) -> u64 {
        let sites = self.first.len() - 1;
        let layers = spins.len() / sites;
        let mut flips = 0;
        for layer in (0..sweeps).flat_map(|_| 0..layers) {
            let base = layer * sites;
            let below = (layer + layers - 1) % layers * sites;
            let above = (layer + 1) % layers * sites;
            for site in 0..sites {
                let spin = spins[base + site];
                if !accept(exponent(spin, space[base + site], tau[base + site])) {
                    continue;
                }
                spins[base + site] = -spin;
                flips += 1;
                // SAFETY: the far ends are sites of the layer.
                unsafe {
                    let edges = self.first[site] as usize..self.first[site + 1] as usize;
                    for &(far, coupling) in self.layer.get_unchecked(edges) {
                        *space.get_unchecked_mut(base + far as usize) -= 2.0 * spin * coupling;
                    }
                }
                tau[below + site] -= 2.0 * spin;
                tau[above + site] -= 2.0 * spin;
            }
        }
        flips
    }
}

struct Alone {
    change: Change,
    shared: Arc<Shared>,
    spins: Vec<f32>,
    space: Vec<f32>,
    tau: Vec<f32>,
    random: Textbook,
    /// Only for [`Change::Generators`].
    four: Option<Interlaced>,
}

impl Alone {
    fn new(change: Change, shared: &Arc<Shared>, problem: &Problem, spins: &[i8], seed: u32) -> Self {
        let spins = to_f32(spins);
        let (space, tau) = fields(problem, &spins);
        let four = matches!(change, Change::Generators).then(|| Interlaced::new(seed));
        Alone { change, shared: shared.clone(), spins, space, tau, random: Textbook::new(seed), four }
    }
}

impl Rung for Alone {
    fn sweep(&mut self, beta: Beta, sweeps: usize) -> u64 {
        let Alone { shared, spins, space, tau, random, four, .. } = self;
        let (shared, graph) = (&**shared, &shared.graph);
        let arrays = [&mut spins[..], &mut space[..], &mut tau[..]];
        let plain = |spin, space, tau| -2.0 * spin * (beta.space * space + beta.tau * tau);
        let original = |i, spin: f32, space: &mut [f32], tau: &mut [f32]| {
            // SAFETY: the arrays belong to the graph's model.
            unsafe { graph.update(i, 2.0 * spin, &graph.couplings, space, tau) }
        };
        let libm = |v| accept_libm(v, random.next_u32());
        match self.change {
            Change::Branches => {
                visit(arrays, sweeps, plain, libm, |i, spin, space, tau| shared.without_branches(i, spin, space, tau))
            }
            Change::Lists => {
                visit(arrays, sweeps, plain, libm, |i, spin, space, tau| shared.by_lists(i, spin, space, tau))
            }
            Change::LayerLists => shared.visit_layers(arrays, sweeps, plain, libm),
            Change::Caching => {
                let (by_space, by_tau) = (-2.0 * beta.space, -2.0 * beta.tau);
                let folded = |spin, space, tau| spin * (by_space * space + by_tau * tau);
                // SAFETY: as above.
                let update = |i, spin, space: &mut [f32], tau: &mut [f32]| unsafe {
                    graph.update(i, spin, &shared.twice, space, tau);
                };
                visit(arrays, sweeps, folded, libm, update)
            }
            Change::Exponential => visit(arrays, sweeps, plain, |v| accept_fast(v, random.next_u32()), original),
            Change::Generators => {
                let four = four.as_mut().expect("made for this change");
                visit(arrays, sweeps, plain, |v| accept_libm(v, four.next_u32()), original)
            }
        }
    }

    fn spins(&self) -> Vec<i8> {
        to_i8(&self.spins)
    }
}
