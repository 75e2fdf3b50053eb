//! The results of consumer.c for models, computed by the crate.

use hotloops::ising::{self, Beta, Builder, Kind, LayeredIsing, Link, Order, ReplicaExchange, Update};

use crate::digest::{digest, generator};

/// The ring of six of consumer.c.
fn ring() -> Builder {
    LayeredIsing::builder(32, 6)
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

pub fn kernel_results() -> [String; 4] {
    let links = [(1, 0.25), (64, 0.5), (1, 0.0), (0, 0.5)].map(|(word, value)| Link { word, value });
    let sign = |period: usize| std::array::from_fn::<f32, 32, _>(|i| if i % period == 0 { -1.0 } else { 1.0 });
    let mut random = [0; 32];
    generator(16).fill_u32(&mut random);
    let sweep = |name, kernel: ising::sweep_fast_f32::Function| {
        let (mut spins, below, above, mut flips) = (sign(3), sign(5), sign(7), [0; 16]);
        // SAFETY: two rows everywhere, and links for two sites that stay inside them.
        unsafe {
            let (below, above, links) = (below.as_ptr(), above.as_ptr(), links.as_ptr());
            kernel(spins.as_mut_ptr(), 0, 2, below, above, links, 0.5, 0.25, random.as_ptr(), flips.as_mut_ptr());
        }
        digest(name, spins.map(f32::to_ne_bytes))
    };
    [
        sweep("sweep_fast_f32", ising::sweep_fast_f32),
        sweep("sweep_poly_f32", ising::sweep_poly_f32),
        sweep("sweep_heat_fast_f32", ising::sweep_heat_fast_f32),
        sweep("sweep_heat_poly_f32", ising::sweep_heat_poly_f32),
    ]
}

pub fn exact_kernel_results() -> [String; 6] {
    let results = |names: [&str; 2], kernel: ising::sweep_i8::Function, thresholds: [u16; ising::THRESHOLDS]| {
        let links = [1 | 1 << 8 | 1 << 16, 2 | 1 << 8, 1 | 1 << 8, 2];
        let (below, above) = ([0x0123456789abcdef, 0], [0xff, !0]);
        let (mut spins, mut flips) = ([0x5555555555555555, 0xffff0000], 0);
        let (mut random, mut bytes) = ([0; 64], [0; 128]);
        generator(16).fill_u32(&mut random);
        // SAFETY: two sites everywhere, and links that stay inside them.
        let sites = unsafe {
            kernel(
                spins.as_mut_ptr(),
                bytes.as_mut_ptr(),
                2,
                0,
                2,
                below.as_ptr(),
                above.as_ptr(),
                links.as_ptr(),
                thresholds.as_ptr(),
                random.as_ptr(),
                !0,
                &mut flips,
            )
        };
        assert_eq!(sites, 2);
        [
            digest(names[0], thresholds.map(u16::to_ne_bytes)),
            digest(names[1], spins.map(u64::to_ne_bytes)),
            digest("flips", [flips.to_ne_bytes()]),
        ]
    };
    let [a, b, c] = results(["thresholds", "sweep_i8"], ising::sweep_i8, ising::thresholds(0.5, 0.25));
    let heat = ising::heat_thresholds(0.5, 0.25);
    let [d, e, f] = results(["heat_thresholds", "sweep_heat_i8"], ising::sweep_heat_i8, heat);
    [a, b, c, d, e, f]
}

pub fn wide_kernel_results() -> [String; 6] {
    let results = |names: [&str; 2], kernel: ising::sweep_i16::Function, factors: [u16; ising::FACTORS]| {
        let link = |word, value: u32| ising::WideLink { word, pair: value << 16 | value };
        let links = [link(1, 3), link(64, 4), link(1, 2), link(0, 4)];
        let rows = |pattern: u32| (0..32).map(move |lane| -((pattern >> lane & 1) as i16));
        let both = |a, b| rows(a).chain(rows(b)).collect::<Vec<_>>();
        let (below, above) = (both(0x0123_4567, 0), both(0xff, !0));
        let (mut spins, mut flips, mut doubt) = (both(0x5555_5555, 0xffff_0000), 0, 7);
        let mut random = [0; 32];
        generator(16).fill_u32(&mut random);
        // SAFETY: two sites everywhere, and links that stay inside them.
        let sites = unsafe {
            kernel(
                spins.as_mut_ptr(),
                0,
                2,
                below.as_ptr(),
                above.as_ptr(),
                links.as_ptr(),
                factors.as_ptr(),
                random.as_ptr(),
                !0,
                &mut flips,
                &mut doubt,
            )
        };
        assert_eq!((sites, doubt), (2, 0));
        [
            digest(names[0], factors.map(u16::to_ne_bytes)),
            digest(names[1], spins.into_iter().map(i16::to_ne_bytes)),
            digest("flips", [flips.to_ne_bytes()]),
        ]
    };
    let [a, b, c] = results(["factors", "sweep_i16"], ising::sweep_i16, ising::factors(0.5, 0.25));
    let heat = ising::heat_factors(0.5, 0.25);
    let [d, e, f] = results(["heat_factors", "sweep_heat_i16"], ising::sweep_heat_i16, heat);
    [a, b, c, d, e, f]
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
