//! Spins, sweeps and layers of a model.

use hotloops::Error;
use hotloops::ising::{Beta, Kind, LayeredIsing, Update};
use hotloops::random::Mt19937;

use super::{KINDS, WARM, assert_error, generator};

#[test]
fn spins_and_sweeps() {
    for (kind, update) in KINDS.into_iter().map(|kind| (kind, Update::Gather)).chain([(Kind::F32Poly, Update::Scatter)])
    {
        // Dense layers are independent copies.
        let tau_coupling = if matches!(kind, Kind::Dense | Kind::Fixed) { 0.0 } else { 1.0 };
        let mut model = LayeredIsing::builder(4, 3)
            .coupling(0, 1, 1.0)
            .tau_coupling(tau_coupling)
            .update(update)
            .build(kind)
            .unwrap();
        let mut rng = generator();
        model.sweep(&mut rng, WARM, 5).unwrap();
        let mut before = [0; 12];
        model.spins(&mut before).unwrap();

        wrong_configurations(&mut model, before);
        wrong_layers(&mut model, kind);
        let untouched = rng.try_clone().unwrap();
        for value in [f32::NAN, f32::INFINITY, -f32::INFINITY] {
            assert_error(
                model.sweep(&mut rng, Beta { space: value, ..WARM }, 1),
                Error::Beta { argument: "space", value },
            );
            assert_error(model.sweep(&mut rng, Beta { tau: value, ..WARM }, 1), Error::Beta { argument: "tau", value });
        }
        for lanes in [4, 8] {
            assert_error(model.sweep(&mut Mt19937::seeded(lanes, 1).unwrap(), WARM, 1), Error::Lanes { lanes });
        }
        assert_eq!(rng, untouched);
        let mut after = [0; 12];
        model.spins(&mut after).unwrap();
        assert_eq!(before, after);

        let mut strong = LayeredIsing::builder(4, 3).tau_coupling(1e30).build(kind).unwrap();
        let infinite = Error::Beta { argument: "tau", value: f32::INFINITY };
        assert_error(strong.sweep(&mut generator(), Beta { space: 0.0, tau: 1e30 }, 1), infinite);
    }
}

/// Spins of all layers, and what is measured. `before` are the spins of the model.
fn wrong_configurations(model: &mut LayeredIsing, before: [i8; 12]) {
    for value in [0, 2, -2, i8::MIN, i8::MAX] {
        let mut spins = before.map(|spin| -spin);
        spins[11] = value;
        let wrong = Error::Spin { layer: 3, site: 2, value };
        assert_error(model.set_spins(&spins), wrong);
        let mut out = [7; 4];
        assert_error(model.overlaps(&spins, &mut out), wrong);
        assert_eq!(out, [7; 4]);
    }
    for found in [0, 11, 13] {
        let wrong = Error::Length { argument: "spins", expected: 12, found };
        assert_error(model.set_spins(&vec![1; found]), wrong);
        let mut out = vec![7; found];
        assert_error(model.spins(&mut out), wrong);
        assert!(out.iter().all(|&spin| spin == 7));
        assert_error(model.overlaps(&vec![1; found], &mut [0; 4]), wrong);
    }
    for found in [0, 3, 5] {
        let mut out = vec![7; found];
        let wrong = Error::Length { argument: "overlaps", expected: 4, found };
        assert_error(model.overlaps(&before, &mut out), wrong);
        assert!(out.iter().all(|&overlap| overlap == 7));
    }
    for found in [0, 3, 5] {
        let (mut energies, mut sums) = (vec![7.0; found], vec![7; found]);
        let wrong = |argument| Error::Length { argument, expected: 4, found };
        assert_error(model.layer_energies(&mut energies, &mut [0; 4]), wrong("energies"));
        assert_error(model.layer_energies(&mut [0.0; 4], &mut sums), wrong("magnetisations"));
        assert!(energies.iter().all(|&energy| energy == 7.0) && sums.iter().all(|&sum| sum == 7));
    }
}

/// Single layers, of four with three sites.
fn wrong_layers(model: &mut LayeredIsing, kind: Kind) {
    for layer in [4, usize::MAX] {
        let wrong = Error::Index { argument: "layer", index: layer, count: 4 };
        assert_error(model.copy_layer(layer, &mut [7; 3]), wrong);
        assert_error(model.set_layer(layer, &[-1; 3]), wrong);
    }
    for found in [0, 2, 4] {
        let wrong = Error::Length { argument: "spins", expected: 3, found };
        assert_error(model.copy_layer(1, &mut vec![7; found]), wrong);
        assert_error(model.set_layer(1, &vec![-1; found]), wrong);
    }
    assert_error(model.set_layer(2, &[-1, -1, 0]), Error::Spin { layer: 2, site: 2, value: 0 });
    for (layers, sites, argument, expected, found) in [(5, 3, "layers", 4, 5), (4, 2, "sites", 3, 2)] {
        let mut other = LayeredIsing::builder(layers, sites).build(kind).unwrap();
        assert_error(model.swap_layers(&mut other, 0..1), Error::Length { argument, expected, found });
    }
    let mut other = LayeredIsing::builder(4, 3).build(kind).unwrap();
    other.set_spins(&[-1; 12]).unwrap();
    assert_error(model.swap_layers(&mut other, 2..5), Error::Index { argument: "layers", index: 4, count: 4 });
    for found in [0, model.words() - 1, model.words() + 1] {
        let wrong = Error::Length { argument: "words", expected: model.words(), found };
        assert_error(model.copy_words(&mut vec![7; found]), wrong);
        assert_error(model.set_words([1], &vec![7; found]), wrong);
    }
    let words = vec![7; model.words()];
    assert_error(model.set_words([1, 4], &words), Error::Index { argument: "layers", index: 4, count: 4 });
}
