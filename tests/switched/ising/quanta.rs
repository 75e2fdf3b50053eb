//! The quantum of couplings and fields, and energies in quanta.

use crate::layers::{Layer, Rng, generator, spins_of};
use hotloops::Error;
use hotloops::ising::{Beta, Kind, LayeredIsing};

/// The quantum of a chain of couplings with a field at its first site.
fn quantum(values: &[f64], field: f64) -> Result<f64, Error> {
    let couplings = values.iter().enumerate().map(|(k, &value)| (k, k + 1, value));
    let builder = || LayeredIsing::builder(128, values.len() + 1).couplings(couplings.clone()).field(0, field);
    let auto = builder().build(Kind::Auto);
    match builder().build(Kind::I8Exact) {
        Ok(model) => {
            let auto = auto.unwrap();
            assert_eq!((model.kind(), auto.kind()), (Kind::I8Exact, Kind::I8Exact));
            assert_eq!((model.is_exact(), auto.quantum()), (true, model.quantum()));
            Ok(model.quantum())
        }
        Err(error) => {
            let found = auto.map(|auto| (auto.kind(), auto.quantum()));
            match builder().build(Kind::I16Exact) {
                Ok(wide) => assert_eq!(found, Ok((Kind::I16Exact, wide.quantum()))),
                // A local field of 1 is lost beside these terms in f32.
                Err(_) if values == [16777216.0, 16777217.0] => assert_eq!(found, Err(Error::Unequal { site: 1 })),
                Err(_) => assert_eq!(found, Ok((Kind::F32Poly, 0.0))),
            }
            Err(error)
        }
    }
}

#[test]
fn couplings_in_quanta_are_seen() {
    let is = |values: &[f64], field: f64, expected: f64| {
        let found = quantum(values, field).unwrap();
        assert!((found / expected - 1.0).abs() <= 2.0 * f64::EPSILON, "{values:?}, {field}: {found:e}");
    };
    let fails = |values: &[f64], field: f64, site| assert_eq!(quantum(values, field), Err(Error::Quantum { site }));

    // Models without anything to measure.
    assert_eq!(quantum(&[], 0.0), Ok(1.0));
    assert_eq!(quantum(&[0.0, -0.0], -0.0), Ok(1.0));

    // The largest quantum that fits; exact for powers of two.
    assert_eq!(quantum(&[0.25, 0.0, -0.5], 0.0), Ok(0.25));
    assert_eq!(quantum(&[0.375, -0.625], 0.25), Ok(0.125));
    assert_eq!(quantum(&[3.0], 0.0), Ok(3.0));
    for k in 1..=127u8 {
        let k = f64::from(k);
        is(&[0.1 * k], 0.0, 0.1 * k);
        is(&[0.1], 0.1 * (k - 1.0), 0.1);
        is(&[(k - 1.0) / 7.0, 1.0 / 7.0, 2.0 / 7.0], 0.0, 1.0 / 7.0);
        is(&[-1.0 / k, (k - 1.0) / k], 0.0, 1.0 / k);
    }
    is(&[0.3, -0.7], 0.2, 0.1);
    is(&[0.3, 0.5], -0.9, 0.1);
    is(&[3.0 / 7.0, 5.0 / 7.0], 0.0, 1.0 / 7.0);
    is(&[1.0 / 3.0], 0.25, 1.0 / 12.0);
    is(&[1.0 / 10.0], -1.0 / 11.0, 1.0 / 110.0);

    // 127 and 128 quanta.
    assert_eq!(quantum(&[126.0, 1.0], 1.0), Ok(1.0));
    assert_eq!(quantum(&[1.0, -126.0], 0.0), Ok(1.0));
    assert_eq!(quantum(&[126.0, 0.0, -127.0], 0.0), Ok(1.0));
    fails(&[127.0, 1.0], 0.0, 1);
    fails(&[1.0, 1.0, 127.0], 0.0, 2);
    fails(&[1.0, -64.0, 64.0, 1.0], 0.0, 2);
    fails(&[127.0], -1.0, 0);
    fails(&[1.0, 0.0, 1e6, 0.0], 0.0, 2);
    fails(&[0.0, 1.0, 0.0, 1e9], 0.0, 3);
    // Multiples of half the smallest value: 130 quanta.
    assert!(quantum(&[1.0, 1.5, 63.5], 0.0).is_err());

    // No common quantum, or none that is large enough.
    assert!(quantum(&[1.0, std::f64::consts::SQRT_2], 0.0).is_err());
    assert!(quantum(&[1.0, 0.318_234], 0.0).is_err());
    assert!(quantum(&[1.0 / 89.0], 1.0 / 97.0).is_err());
    // Numbers that are equal as f32 are not equal.
    assert!(quantum(&[1.0, 2.0 + 2f64.powi(-40)], 0.0).is_err());
    assert!(quantum(&[16777216.0, 16777217.0], 0.0).is_err());
    is(&[16777217.0, 16777217.0], 0.0, 16777217.0);
    is(&[1.0, 2.0 + 2.0 * f64::EPSILON], 0.0, 1.0);
    assert!(quantum(&[0.1f32.into(), 0.3f32.into()], 0.0).is_err());

    // The extremes of the number range.
    let most = f64::from(f32::MAX);
    assert_eq!(quantum(&[most, most / 2.0, most], most), Ok(most / 2.0));
    is(&[1e38, 3e38], 2e38, 1e38);
    is(&[1e-30, 7e-30], 0.0, 1e-30);
    assert_eq!(quantum(&[2f64.powi(-1074), 126.0 * 2f64.powi(-1074)], 0.0), Ok(2f64.powi(-1074)));
    assert!(quantum(&[1e-45, most], 0.0).is_err());
}

#[test]
fn sixteen_bits_hold_couplings_of_four_digits() {
    let quantum = |values: &[f64]| {
        let couplings = values.iter().enumerate().map(|(k, &value)| (k, k + 1, value));
        let builder = LayeredIsing::builder(2, values.len() + 1).couplings(couplings);
        builder.build(Kind::I16Exact).map(|model| model.quantum())
    };
    let is = |values: &[f64], expected: f64| {
        let found = quantum(values).unwrap();
        assert!((found / expected - 1.0).abs() <= 2.0 * f64::EPSILON, "{values:?}: {found:e}");
    };
    is(&[0.1234, -0.9876, 1.5, 0.0001], 0.0001);
    is(&[0.1234, -0.9876, 1.5], 0.0002);
    is(&[1.0 / 181.0, 1.0 / 179.0], 1.0 / (181.0 * 179.0));
    is(&[1.0, 32_765.0], 1.0);
    assert_eq!(quantum(&[1.0, 32_766.0]), Err(Error::Quantum { site: 1 }));
    assert!(quantum(&[0.12345, 2.0]).is_err());
    assert!(quantum(&[1.0, std::f64::consts::SQRT_2]).is_err());
}

/// The quantum is no power of two, so that a sum of couplings would be rounded many times.
#[test]
fn energies_are_quanta_rounded_once() {
    let mut draws = Rng(21);
    for (kind, most) in
        [(Kind::I8Exact, 3), (Kind::I16Exact, 500), (Kind::Single, 3), (Kind::Bits, 1), (Kind::Dense, 3)]
    {
        let (sites, layers) = (300, 64);
        let mut value = || (1 + draws.below(most)) as f64 * if draws.below(2) == 0 { 1.0 } else { -1.0 };
        let couplings = (0..2 * sites).map(|k| (k % sites, (k + 1 + k / sites) % sites, value())).collect();
        let layer = Layer { couplings, ..Layer::free(&vec![0.0; sites]) };
        let spins = draws.spins(layers * sites);
        let mut model = layer.clone().times(0.37).builder(layers).build(kind).unwrap();
        model.set_spins(&spins).unwrap();
        let (mut energies, mut sums) = (vec![f64::NAN; layers], vec![0; layers]);
        model.layer_energies(&mut energies, &mut sums).unwrap();
        for (energy, spins) in energies.into_iter().zip(spins.chunks(sites)) {
            let quanta = layer.energies(spins)[0] * (0.37 / model.quantum()).round();
            assert_eq!(energy, quanta * model.quantum(), "{kind:?}");
        }
    }
}

#[test]
fn energies_of_exact_models_are_of_whole_quanta() {
    for unit in [0.1, 1.0 / 7.0, 1e-30, 3e36] {
        // Eighths, so that a coupling has up to 7 quanta.
        let whole = Layer::random(12, 60, &mut Rng(6)).times(8.0);
        let mut model = whole.clone().times(unit).builder(128).build(Kind::I8Exact).unwrap();
        assert!((model.quantum() / unit - 1.0).abs() <= 2.0 * f64::EPSILON);
        let mut rng = generator(2);
        for _ in 0..10 {
            model.sweep(&mut rng, Beta { space: 0.05 / unit as f32, tau: 0.1 }, 1).unwrap();
            let [space, tau] = whole.energies(&spins_of(&model));
            let found = model.energy();
            assert!((found.space - space * unit).abs() <= 1e-15 * space.abs().max(1e4) * unit, "{found:?}");
            assert_eq!(found.tau, tau);
        }
    }
}
