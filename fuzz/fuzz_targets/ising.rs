#![no_main]

use arbitrary::Arbitrary;
use hotloops::ising::{Acceptance, Beta, Kind, LANES, LayeredIsing, Update};
use hotloops::random::Mt19937;
use hotloops_fuzz::alike;

#[derive(Arbitrary, Debug)]
struct Input {
    layers: u8,
    sites: u8,
    edges: Vec<(u8, u8, i8)>,
    fields: Vec<i8>,
    tau: i8,
    beta: [u8; 2],
    sweeps: u8,
    seed: u32,
    scatter: bool,
    acceptance: u8,
}

// Any model that can be built makes the same sweeps on every instruction set.
libfuzzer_sys::fuzz_target!(|input: Input| {
    let sites = 1 + usize::from(input.sites % 16);
    let parts = |value: i8| f64::from(value) / 64.0;
    let site = |i: u8| usize::from(i) % sites;
    let beta = Beta { space: f32::from(input.beta[0]) / 64.0, tau: f32::from(input.beta[1]) / 64.0 };
    for kind in [Kind::F32Fast, Kind::F32Poly, Kind::I8Exact] {
        _ = alike(|| {
            let mut fields = vec![0.0; sites];
            fields.iter_mut().zip(&input.fields).for_each(|(field, &value)| *field = parts(value));
            let builder = LayeredIsing::builder(input.layers.into(), sites)
                .couplings(input.edges.iter().map(|&(i, j, value)| (site(i), site(j), parts(value))))
                .fields(&fields)
                .tau_coupling(parts(input.tau));
            let update = if input.scatter { Update::Scatter } else { Update::Gather };
            let rules = [Acceptance::Auto, Acceptance::Metropolis, Acceptance::HeatBath];
            let acceptance = rules[usize::from(input.acceptance % 3)];
            let mut model = builder.update(update).acceptance(acceptance).build(kind)?;
            let mut rng = Mt19937::seeded(LANES, input.seed)?;
            let flips = model.sweep(&mut rng, beta, (input.sweeps % 8).into())?;
            let mut spins = vec![0; model.layers() * model.sites()];
            model.spins(&mut spins)?;
            let energy = model.energy();
            Ok::<_, hotloops::Error>((flips, spins, energy.space.to_bits(), energy.tau.to_bits()))
        });
    }
});
