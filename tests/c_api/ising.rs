//! The results of consumer.c for models, computed by the crate.

use hotloops::ising::{Beta, Builder, Kind, LayeredIsing, Order, ReplicaExchange, Transverse, Update, Worldlines};

use crate::digest::{digest, generator};

/// The ring of six of consumer.c.
fn ring() -> Builder {
    ring_of(32)
}

fn ring_of(layers: usize) -> Builder {
    LayeredIsing::builder(layers, 6)
        .couplings([(0, 5, 0.5), (0, 1, 1.0), (1, 2, -0.25), (2, 3, 1.0), (3, 4, 0.125), (4, 5, 1.0)])
        .fields(&[0.125, 0.0, -0.25, 0.0, 0.0, 0.375])
}

/// 20 sweeps, one spin flipped, 5 sweeps.
pub fn model_results(acceptance: Kind, order: Order, update: Update) -> [String; 5] {
    let mut model = ring().tau_coupling(0.75).order(order).update(update).build(acceptance).unwrap();
    let mut rng = generator(16);
    let beta = Beta { space: 0.4, tau: 0.3 };
    let mut spins = [0; 32 * 6];
    let before = model.sweep(&mut rng, beta, 20).unwrap();
    model.spins(&mut spins).unwrap();
    spins[0] = -spins[0];
    model.set_spins(&spins).unwrap();
    let after = model.sweep(&mut rng, beta, 5).unwrap();
    let mut sums = [0; 33];
    model.overlaps(&spins, &mut sums[1..]).unwrap();
    sums[0] = model.magnetisation();
    model.spins(&mut spins).unwrap();
    let energy = model.energy();
    [
        digest("order", model.order().iter().map(|site| site.to_ne_bytes())),
        digest("flips", [before, after].map(u64::to_ne_bytes)),
        digest("spins", spins.map(i8::to_ne_bytes)),
        digest("energy", [energy.space, energy.tau].map(f64::to_ne_bytes)),
        digest("sums", sums.map(i64::to_ne_bytes)),
    ]
}

/// A torus and a grid of 10 x 8 sites, and a ring of four sites with reversed couplings.
pub fn lattice_results() -> Vec<String> {
    let value = |site: usize, dimension: usize| if (2 * site + dimension).is_multiple_of(5) { -1.0 } else { 1.0 };
    let ring = LayeredIsing::builder(3, 4).couplings((0..4).map(|i| (i, (i + 1) % 4, 1.0)));
    let builders = [
        LayeredIsing::torus(3, &[10, 8], value),
        LayeredIsing::grid(3, &[10, 8], value),
        ring.reversed(1, 0, &[false, true, false]).reversed(3, 0, &[true, false, true]),
    ];
    let results = |builder: Builder| {
        let mut model = builder.build(Kind::Bits).unwrap();
        let flips = model.sweep(&mut generator(16), Beta { space: 0.4, tau: 0.0 }, 20).unwrap();
        let mut spins = vec![0; 3 * model.sites()];
        model.spins(&mut spins).unwrap();
        [
            digest("flips", [flips.to_ne_bytes()]),
            digest("spins", spins.into_iter().map(i8::to_ne_bytes)),
            digest("energy", [model.energy().space.to_ne_bytes()]),
        ]
    };
    builders.into_iter().flat_map(results).collect()
}

/// 100 rounds of four rings.
pub fn exchange_results() -> [String; 5] {
    let ladder = [(0.25, 0.5), (0.3125, 0.4375), (0.375, 0.375), (0.4375, 0.3125)];
    let mut exchange = ReplicaExchange::new(&ladder.map(|(space, tau)| Beta { space, tau }), 7).unwrap();
    let mut models = ladder.map(|_| ring().build(Kind::Auto).unwrap());
    let mut rng = generator(16);
    for _ in 0..100 {
        for (replica, model) in models.iter_mut().enumerate() {
            model.sweep(&mut rng, exchange.beta(replica).unwrap(), 1).unwrap();
        }
        exchange.step(&models).unwrap();
    }
    let mut bytes = vec![0; exchange.state_len()];
    exchange.state_bytes(&mut bytes).unwrap();
    let trips = [0, 1, 2, 3].map(|replica| exchange.round_trips_of(replica).unwrap());
    assert!(exchange.round_trips() > 0);
    [
        digest("exchange", bytes.into_iter().map(u8::to_ne_bytes)),
        digest("places", [0, 1, 2, 3].map(|replica| exchange.temperature_of(replica).unwrap().to_ne_bytes())),
        digest("attempts", [0, 1, 2].map(|pair| exchange.attempts(pair).unwrap().to_ne_bytes())),
        digest("swaps", [0, 1, 2].map(|pair| exchange.swaps(pair).unwrap().to_ne_bytes())),
        digest("trips", [exchange.round_trips()].into_iter().chain(trips).map(u64::to_ne_bytes)),
    ]
}

/// An anneal and a run of worldlines, and an exchange of two.
pub fn worldline_results() -> [String; 9] {
    let schedule = [4.0, 2.0, 1.5].map(|gamma| Transverse { beta: 2.0, gamma });
    let at = schedule[2];
    let build = || ring_of(1 << 16).build_worldlines().unwrap();
    let (mut lines, mut rng) = (build(), generator(16));
    let segments = [lines.anneal(&mut rng, &schedule, 20).unwrap(), lines.sweep(&mut rng, at, 10).unwrap()];
    let means = [lines.energy(at).unwrap(), lines.transverse_magnetisation(at).unwrap()];
    let sums = lines.sums();
    let mut spins = [0; 6];
    lines.spins((1 << 16) / 3, &mut spins).unwrap();
    let magnetisation = lines.magnetisation();
    let mut copy = build();
    for site in 0..6 {
        let (spin, kinks) = lines.line(site).unwrap();
        copy.set_line(site, spin, kinks).unwrap();
    }
    let ladder = [schedule[1], at].map(|at| at.weights(1 << 16).unwrap());
    let mut exchange = ReplicaExchange::new(&ladder, 5).unwrap();
    let mut replicas = [lines, copy];
    for _ in 0..40 {
        for (replica, lines) in replicas.iter_mut().enumerate() {
            let rung = exchange.temperature_of(replica).unwrap();
            lines.sweep(&mut rng, schedule[1 + rung], 1).unwrap();
        }
        exchange.exchange(&replicas.each_ref().map(Worldlines::sums)).unwrap();
    }
    let swaps = exchange.swaps(0).unwrap();
    let clusters = replicas[0].sweep_clusters(&mut rng, at, 10).unwrap();
    let mut correlation = [0.0; 3];
    replicas[0].correlation(&[1 << 13, 1 << 14, 1 << 15], &mut correlation).unwrap();
    [
        digest("segments", segments.map(u64::to_ne_bytes)),
        digest("means", means.map(f64::to_ne_bytes)),
        digest("sums", [sums.space, sums.tau].map(f64::to_ne_bytes)),
        digest("magnetisation", [magnetisation.to_ne_bytes()]),
        digest("spins", spins.map(i8::to_ne_bytes)),
        digest("weights", ladder.iter().flat_map(|beta| [beta.space, beta.tau]).map(f32::to_ne_bytes)),
        digest("swaps", [swaps.to_ne_bytes()]),
        digest("clusters", [clusters.to_ne_bytes()]),
        digest("correlation", correlation.map(f64::to_ne_bytes)),
    ]
}
