//! Models, generators and exchanges allocate when they are made, and in proportion to their sites.

use hotloops::Error::{NoMemory, TooLarge};
use hotloops::ising::{Beta, Kind, LayeredIsing, ReplicaExchange, Update};

use crate::counting::{calls, held};
use crate::generator;

/// The storage forms of a model: kind, update, and a factor of the couplings.
type Form = (Kind, Update, f64);

const FORMS: [Form; 9] = [
    (Kind::F32Poly, Update::Gather, 0.25),
    (Kind::F32Poly, Update::Scatter, 0.25),
    (Kind::I8Exact, Update::Gather, 0.25),
    (Kind::Single, Update::Gather, 0.25),
    (Kind::I16Exact, Update::Gather, 0.25),
    (Kind::Bits, Update::Gather, 1.0),
    (Kind::Fixed, Update::Gather, 0.25),
    (Kind::Dense, Update::Gather, 0.25),
    // Real couplings.
    (Kind::Dense, Update::Gather, 0.0),
];

/// Without coupling between layers where the kind has none.
fn beta((kind, ..): Form, space: f32, tau: f32) -> Beta {
    Beta { space, tau: if matches!(kind, Kind::Single | Kind::Fixed | Kind::Bits | Kind::Dense) { 0.0 } else { tau } }
}

/// 256 layers of 96 spins with 260 couplings, as in 4 x 3 full Chimera cells; for bits, of equal
/// strength and without coupling between layers.
fn paper_sized((kind, update, unit): Form) -> LayeredIsing {
    let strength = |k: usize| match kind {
        Kind::Bits => unit,
        _ if unit == 0.0 => 1.0 / (k + 1) as f64,
        _ => unit * (k % 5 + 1) as f64,
    };
    let couplings = (0..260).map(|k| (k % 96, (k + 1 + k / 96) % 96, strength(k)));
    let tau_coupling = if kind == Kind::Bits { 0.0 } else { 1.0 };
    LayeredIsing::builder(256, 96).couplings(couplings).tau_coupling(tau_coupling).update(update).build(kind).unwrap()
}

#[test]
fn only_making_allocates() {
    let mut spins = vec![1; 256 * 96];
    let mut overlaps = vec![0; 256];
    for form in FORMS {
        let (mut model, mut rng) = (paper_sized(form), generator());
        let used = calls(|| {
            model.sweep(&mut rng, beta(form, 0.3, 0.3), 3).unwrap();
            // A new temperature, and enough sweeps for ties in exact models.
            model.sweep(&mut rng, beta(form, -0.4, 0.4), 30).unwrap();
            model.spins(&mut spins).unwrap();
            model.set_spins(&spins).unwrap();
            let _ = model.energy();
            let _ = model.magnetisation();
            model.overlaps(&spins, &mut overlaps).unwrap();
            assert!(
                model.set_spins(&[]).is_err() && model.sweep(&mut rng, Beta { space: f32::NAN, tau: 0.0 }, 1).is_err()
            );
        });
        assert_eq!(used, 0, "{form:?}");
    }
    // Lattices whose boundaries are cut.
    for extents in [&[20, 20][..], &[6, 6, 6]] {
        let mut model = LayeredIsing::grid(2, extents, |_, _| 1.0).build(Kind::Bits).unwrap();
        assert!(model.blocks().is_some());
        let (mut rng, mut energies, mut sums) = (generator(), [0.0; 2], [0; 2]);
        let used = calls(|| {
            for space in [0.3, 0.4, -0.3] {
                model.sweep(&mut rng, Beta { space, tau: 0.0 }, 2).unwrap();
            }
            model.layer_energies(&mut energies, &mut sums).unwrap();
            let _ = model.energy();
        });
        assert_eq!(used, 0, "{extents:?}");
    }
    let mut rng = generator();
    let (mut bytes, mut numbers) = (vec![0; rng.state_len()], [0; 1000]);
    let used = calls(|| {
        rng.fill_u32(&mut numbers);
        rng.state_bytes(&mut bytes).unwrap();
        rng.set_state(&bytes).unwrap();
    });
    assert_eq!(used, 0);
    let ladder = [0.1, 0.2, 0.3].map(|space| Beta { space, tau: 0.3 });
    let models = [(); 3].map(|()| paper_sized(FORMS[0]));
    let mut exchange = ReplicaExchange::new(&ladder, 1).unwrap();
    let mut bytes = vec![0; exchange.state_len()];
    let used = calls(|| {
        assert_eq!(exchange.step(&models), Ok(1));
        let energies = models.each_ref().map(LayeredIsing::energy);
        assert_eq!(exchange.exchange(&energies), Ok(1));
        assert!(exchange.exchange(&energies[..2]).is_err() && exchange.beta(3).is_err());
        exchange.state_bytes(&mut bytes).unwrap();
        exchange.set_state(&bytes).unwrap();
    });
    assert_eq!(used, 0);
    assert!(FORMS.iter().all(|&form| calls(|| paper_sized(form)) > 0), "the counter counts");
}

#[test]
fn models_generators_and_exchanges_are_small() {
    const KIB: usize = 1024;
    let limits: [usize; FORMS.len()] = [106, 202, 18, 90, 60, 48, 540, 244, 244].map(|limit| limit * KIB);
    for (form, limit) in FORMS.into_iter().zip(limits) {
        let (mut model, bytes) = held(|| paper_sized(form));
        assert_eq!(model.heap_bytes(), bytes);
        assert!(bytes + size_of_val(&model) <= limit, "{form:?}: {bytes} bytes");
        model.sweep(&mut generator(), beta(form, 0.3, 0.3), 1).unwrap();
        assert_eq!(model.heap_bytes(), bytes);
    }
    // Couplings of 0 are not stored.
    let (model, bytes) = held(|| LayeredIsing::builder(7, 3).coupling(0, 2, 0.0).build(Kind::I8Exact).unwrap());
    assert_eq!((model.kind(), model.heap_bytes()), (Kind::I8Exact, bytes));
    let (rng, bytes) = held(generator);
    assert!(bytes + size_of_val(&rng) <= 40 * KIB, "{bytes} bytes");
    let ladder = [Beta { space: 0.3, tau: 0.3 }; 100];
    let (_exchange, bytes) = held(|| ReplicaExchange::new(&ladder, 1).unwrap());
    assert!(bytes <= 48 * ladder.len(), "{bytes} bytes");
}

#[test]
fn sizes_beyond_memory_are_errors() {
    let build = |layers, sites| LayeredIsing::builder(layers, sites).build(Kind::F32Fast).unwrap_err();
    assert_eq!(build(usize::MAX, 2), TooLarge { argument: "layers" });
    assert_eq!(build(2, usize::MAX), TooLarge { argument: "sites" });
    assert_eq!(build(2, (1 << 26) + 1), TooLarge { argument: "sites" });
    assert_eq!(build(usize::MAX, 1), NoMemory);
    assert_eq!(build(usize::MAX / 128, 1), NoMemory);

    // Rows of exact models are numbered by 24 bits.
    let build = |layers, sites| LayeredIsing::builder(layers, sites).build(Kind::I8Exact).unwrap_err();
    assert_eq!(build(usize::MAX, 2), TooLarge { argument: "layers" });
    assert_eq!(build(2, (1 << 24) + 1), TooLarge { argument: "sites" });
    assert_eq!(build(usize::MAX - 1, 1), NoMemory);
}
