//! The sweeps of A.1 and A.2 in C: A.1a and A.2a, compiled without optimisation, and A.1b and A.2b, compiled with -O3.

use hotloops::ising::Beta;

use crate::rungs::{A1, A2, Link, Rung};

macro_rules! builds {
    ($($a1:ident $a2:ident)*) => {
        unsafe extern "C" {
            $(
                fn $a1(
                    sweeps: usize,
                    count: usize,
                    beta_space: f32,
                    beta_tau: f32,
                    first: *const u32,
                    incident: *const u32,
                    ends: *const [u32; 2],
                    couplings: *const f32,
                    is_tau: *const bool,
                    spins: *mut f32,
                    space: *mut f32,
                    tau: *mut f32,
                    state: *mut u32,
                    position: *mut usize,
                ) -> u64;
                fn $a2(
                    sweeps: usize,
                    layers: usize,
                    sites: usize,
                    beta_space: f32,
                    beta_tau: f32,
                    first: *const u32,
                    links: *const Link,
                    spins: *mut f32,
                    space: *mut f32,
                    tau: *mut f32,
                    state: *mut u32,
                    output: *mut u32,
                    position: *mut usize,
                ) -> u64;
            )*
        }
    };
}

builds! {
    hotloops_bench_a1a hotloops_bench_a2a
    hotloops_bench_a1b hotloops_bench_a2b
}

/// How the C was compiled.
#[derive(Clone, Copy)]
pub enum Build {
    /// A.1a, A.2a.
    Unoptimised,
    /// A.1b, A.2b.
    Optimised,
}

/// A model that is swept in C.
pub struct InC<M> {
    pub model: M,
    pub build: Build,
}

impl Rung for InC<A1> {
    fn sweep(&mut self, beta: Beta, sweeps: usize) -> u64 {
        let A1 { graph, spins, space, tau, random } = &mut self.model;
        let sweep = match self.build {
            Build::Unoptimised => hotloops_bench_a1a,
            Build::Optimised => hotloops_bench_a1b,
        };
        // SAFETY: all arrays belong to one model, whose graph holds indices of its own edges and spins.
        unsafe {
            sweep(
                sweeps,
                spins.len(),
                beta.space,
                beta.tau,
                graph.first.as_ptr(),
                graph.incident.as_ptr(),
                graph.ends.as_ptr(),
                graph.couplings.as_ptr(),
                graph.is_tau.as_ptr(),
                spins.as_mut_ptr(),
                space.as_mut_ptr(),
                tau.as_mut_ptr(),
                random.state.as_mut_ptr(),
                &mut random.position,
            )
        }
    }

    fn spins(&self) -> Vec<i8> {
        self.model.spins()
    }
}

impl Rung for InC<A2> {
    fn sweep(&mut self, beta: Beta, sweeps: usize) -> u64 {
        let A2 { first, links, spins, space, tau, random, .. } = &mut self.model;
        let sites = first.len() - 1;
        let sweep = match self.build {
            Build::Unoptimised => hotloops_bench_a2a,
            Build::Optimised => hotloops_bench_a2b,
        };
        // SAFETY: as for A.1; the links hold site indices.
        unsafe {
            sweep(
                sweeps,
                spins.len() / sites,
                sites,
                beta.space,
                beta.tau,
                first.as_ptr(),
                links.as_ptr(),
                spins.as_mut_ptr(),
                space.as_mut_ptr(),
                tau.as_mut_ptr(),
                random.state.as_mut_ptr(),
                random.output.as_mut_ptr(),
                &mut random.position,
            )
        }
    }

    fn spins(&self) -> Vec<i8> {
        self.model.spins()
    }
}
