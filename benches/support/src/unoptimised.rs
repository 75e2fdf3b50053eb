//! A.1a and A.2a: the sweeps of A.1 and A.2 in C, compiled without optimisation.

use hotloops::ising::Beta;

use crate::rungs::{A1, A2, Edge, Link, Rung};

unsafe extern "C" {
    fn hotloops_bench_a1(
        sweeps: usize,
        count: usize,
        beta_space: f32,
        beta_tau: f32,
        first: *const u32,
        incident: *const u32,
        edges: *const Edge,
        spins: *mut f32,
        space: *mut f32,
        tau: *mut f32,
        state: *mut u32,
        position: *mut usize,
    ) -> u64;
    fn hotloops_bench_a2(
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
}

/// A.1a.
pub struct A1a(pub A1);

impl Rung for A1a {
    fn sweep(&mut self, beta: Beta, sweeps: usize) -> u64 {
        let A1 { graph, spins, space, tau, random } = &mut self.0;
        // SAFETY: all arrays belong to one model, whose graph holds indices of its own edges and spins.
        unsafe {
            hotloops_bench_a1(
                sweeps,
                spins.len(),
                beta.space,
                beta.tau,
                graph.first.as_ptr(),
                graph.incident.as_ptr(),
                graph.edges.as_ptr(),
                spins.as_mut_ptr(),
                space.as_mut_ptr(),
                tau.as_mut_ptr(),
                random.state.as_mut_ptr(),
                &mut random.position,
            )
        }
    }

    fn spins(&self) -> Vec<i8> {
        self.0.spins()
    }
}

/// A.2a.
pub struct A2a(pub A2);

impl Rung for A2a {
    fn sweep(&mut self, beta: Beta, sweeps: usize) -> u64 {
        let A2 { first, links, spins, space, tau, random, .. } = &mut self.0;
        let sites = first.len() - 1;
        // SAFETY: as for A.1a; the links hold site indices.
        unsafe {
            hotloops_bench_a2(
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
        self.0.spins()
    }
}
