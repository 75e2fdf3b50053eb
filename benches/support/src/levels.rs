//! The levels of the ladder of layered Ising models: the paper's and the library's, each with its
//! reference.

use std::sync::Arc;

use hotloops::isa::{self, Isa};
use hotloops::ising::{self, Acceptance, Beta, Kind, LayeredIsing, Order, Update};
use hotloops::kernel::{Code, Kernel};
use hotloops::random::Mt19937;

use crate::ladder::Origin;
use crate::original::{Build, InC};
use crate::rungs::{self, A2, Reference, Rung, accept_fast, accept_libm};
use crate::workload::Problem;

/// Makes a model from its spins and the seed of its generators.
pub type Make = Box<dyn Fn(&[i8], u32) -> Box<dyn Rung>>;

/// A level of the ladder.
pub struct Level {
    /// The paper's or the library's name for the level.
    pub name: &'static str,
    pub origin: Origin,
    /// The instruction sets that it can run under here, weakest first, and the form of the code there.
    pub rows: Vec<(Isa, &'static str)>,
    /// Makes a model that is swept by this level.
    pub model: Make,
    /// Makes a model that, swept under [`Isa::scalar`], must end in the same spins.
    pub reference: Make,
}

/// All levels that can run the problem, the original first. Couplings and fields must add up
/// exactly ([`Problem::round_to_exact_sums`]), else the levels that keep fields up to date drift
/// from their references.
pub fn levels(problem: &Arc<Problem>) -> Vec<Level> {
    use Kind::{F32Fast, F32Poly, I8Exact};
    use Update::{Gather, Scatter};
    let library = |order, update, kind| -> Make {
        let problem = problem.clone();
        Box::new(move |spins, seed| {
            let model = Library::build(&problem, order, update, kind);
            Box::new(Library::new(model, spins, seed))
        })
    };
    let of_library = |name, origin, kernel, update, kind| Level {
        name,
        origin,
        rows: rows(kernel),
        model: library(Order::Coloured, update, kind),
        reference: library(Order::Coloured, update, kind),
    };
    let mut levels = vec![
        a1_in_c(problem, "A.1a", Build::Unoptimised),
        a1_in_c(problem, "A.1b", Build::Optimised),
        a1(problem),
        a2_in_c(problem, "A.2a", Build::Unoptimised),
        a2_in_c(problem, "A.2b", Build::Optimised),
        a2(problem),
        #[cfg(target_arch = "x86_64")]
        Level {
            name: "A.3",
            origin: Origin::Step,
            rows: [(Isa::sse2, "intrinsics")].into_iter().filter(|row| isa::usable(row.0)).collect(),
            model: {
                let problem = problem.clone();
                let lanes = Library::build(&problem, Order::Natural, Gather, F32Fast).lanes();
                Box::new(move |spins, seed| Box::new(crate::a3::A3::new(&problem, lanes, spins, seed)))
            },
            reference: library(Order::Natural, Gather, F32Fast),
        },
        of_library("A.4", Origin::Step, ising::scatter_fast_f32::KERNEL.untyped(), Scatter, F32Fast),
        of_library("gather", Origin::Ours, ising::sweep_fast_f32::KERNEL.untyped(), Gather, F32Fast),
        of_library("gather poly", Origin::Ours, ising::sweep_poly_f32::KERNEL.untyped(), Gather, F32Poly),
    ];
    // Not every problem consists of multiples of one quantum.
    if Library::build(problem, Order::Coloured, Gather, Kind::Auto).kind() == I8Exact {
        levels.push(of_library("int8 exact", Origin::Ours, ising::sweep_i8::KERNEL.untyped(), Gather, I8Exact));
    }
    levels.retain(|level| !level.rows.is_empty());
    levels
}

/// A level of one program in natural order, without vectors of its own, and its reference.
pub(crate) fn scalar(
    problem: &Arc<Problem>,
    name: &'static str,
    (origin, form): (Origin, &'static str),
    (generators, accept): (u32, fn(f32, u32) -> bool),
    model: Make,
) -> Level {
    let problem = problem.clone();
    let reference: Make =
        Box::new(move |spins, seed| Box::new(Reference::new(&problem, spins, seed, generators, accept)));
    Level { name, origin, rows: vec![(Isa::scalar, form)], model, reference }
}

/// A.1 in Rust.
pub(crate) fn a1(problem: &Arc<Problem>) -> Level {
    let (make, of) = (rungs::a1(problem), problem.clone());
    let model: Make = Box::new(move |spins, seed| Box::new(make(&of, spins, seed)));
    scalar(problem, "A.1", (Origin::Step, "Rust"), (1, accept_libm), model)
}

fn a1_in_c(problem: &Arc<Problem>, name: &'static str, build: Build) -> Level {
    let (make, of) = (rungs::a1(problem), problem.clone());
    let model: Make = Box::new(move |spins, seed| Box::new(InC { model: make(&of, spins, seed), build }));
    scalar(problem, name, (Origin::Source, "C"), (1, accept_libm), model)
}

/// A.2 in Rust.
pub(crate) fn a2(problem: &Arc<Problem>) -> Level {
    let of = problem.clone();
    let model: Make = Box::new(move |spins, seed| Box::new(A2::new(&of, spins, seed)));
    scalar(problem, "A.2", (Origin::Step, "Rust"), (4, accept_fast), model)
}

fn a2_in_c(problem: &Arc<Problem>, name: &'static str, build: Build) -> Level {
    let of = problem.clone();
    let model: Make = Box::new(move |spins, seed| Box::new(InC { model: A2::new(&of, spins, seed), build }));
    scalar(problem, name, (Origin::Source, "C"), (4, accept_fast), model)
}

/// The first row of each instruction set in force.
fn rows(kernel: &Kernel<Code>) -> Vec<(Isa, &'static str)> {
    let best = |&isa: &Isa| kernel.variants.iter().find(|row| row.isa == isa).map(|row| (isa, row.form.word()));
    Isa::ALL.iter().filter(|&&isa| isa::usable(isa)).filter_map(best).collect()
}

/// A model of the library with its generator.
struct Library {
    model: LayeredIsing,
    random: Mt19937,
}

impl Library {
    fn build(problem: &Problem, order: Order, update: Update, kind: Kind) -> LayeredIsing {
        LayeredIsing::builder(problem.layers, problem.sites())
            .couplings(problem.couplings.iter().map(|&(i, j, coupling)| (i as usize, j as usize, coupling.into())))
            .fields(&problem.fields.iter().map(|&field| field.into()).collect::<Vec<_>>())
            .order(order)
            .update(update)
            .acceptance(Acceptance::Metropolis)
            .build(kind)
            .expect("a valid problem")
    }

    fn new(mut model: LayeredIsing, spins: &[i8], seed: u32) -> Self {
        model.set_spins(spins).expect("spins of the problem");
        Library { model, random: Mt19937::seeded(16, seed).expect("16 lanes") }
    }
}

impl Rung for Library {
    fn sweep(&mut self, beta: Beta, sweeps: usize) -> u64 {
        self.model.sweep(&mut self.random, beta, sweeps as u64).expect("finite inverse temperatures")
    }

    fn spins(&self) -> Vec<i8> {
        let mut spins = vec![0; self.model.layers() * self.model.sites()];
        self.model.spins(&mut spins).expect("room for all spins");
        spins
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Includes models with fewer than 16 interlaced layers, spins with the same neighbour
    /// above and below, and lanes of unequal length.
    #[test]
    fn every_level_ends_in_the_spins_of_its_reference() {
        let _alone = crate::ladder::alone();
        let in_force = isa::active();
        for layers in [2, 3, 4, 5, 12, 20, 32, 49, 256] {
            let problem = Arc::new(Problem { layers, ..Problem::paper(layers as u32) });
            let spins = problem.random_spins(5);
            let run = |make: &Make, isa| {
                isa::set(isa).unwrap();
                let mut model = make(&spins, 9);
                let flips = model.sweep(Beta { space: 0.375, tau: 0.5 }, 60);
                (flips, model.spins())
            };
            isa::set(in_force).unwrap();
            for level in levels(&problem) {
                let expected = run(&level.reference, Isa::scalar);
                assert!(expected.0 > 0 && expected.1 != spins);
                for &(isa, form) in &level.rows {
                    let found = run(&level.model, isa);
                    assert!(found == expected, "{layers} layers: {} {isa:?} {form}", level.name);
                }
            }
            isa::set(in_force).unwrap();
        }
    }

    #[test]
    fn rounding_keeps_dyadic_problems_and_makes_others_exact() {
        let paper = Problem::paper(1);
        let mut problem = paper.clone();
        assert_eq!(problem.round_to_exact_sums(), 0.0);
        assert!(problem == paper);
        problem.couplings.iter_mut().for_each(|edge| edge.2 *= 0.1);
        let change = problem.round_to_exact_sums();
        assert!(change > 0.0 && change < 1e-6, "{change}");
        assert_eq!(problem.round_to_exact_sums(), 0.0);
    }

    #[test]
    fn the_papers_problem_has_its_shape() {
        let problem = Problem::paper(1);
        assert_eq!((problem.layers, problem.sites(), problem.couplings.len()), (256, 96, 250));
        let degrees: Vec<usize> = problem.neighbours().iter().map(Vec::len).collect();
        assert!(degrees.iter().all(|degree| (3..=6).contains(degree)), "{degrees:?}");
        assert!(problem.couplings.iter().all(|edge| edge.2 != 0.0 && edge.2.abs() <= 0.875));
    }
}
