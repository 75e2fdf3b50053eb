//! Ferromagnetic tori against exact values, by all kinds with an accurate acceptance.

use crate::ising::textbook::ACCEPTANCES;
use crate::layers::{Layer, generator};
use hotloops::ising::{Acceptance, Beta, Kind};

/// A torus of any dimension without fields.
pub fn torus(extents: &[usize], mut value: impl FnMut() -> f64) -> Layer {
    let sites = extents.iter().product();
    let mut couplings = Vec::new();
    for i in 0..sites {
        let mut stride = 1;
        for extent in extents {
            let x = i / stride % extent;
            couplings.push((i, i - x * stride + (x + 1) % extent * stride, value()));
            stride *= extent;
        }
    }
    Layer { couplings, ..Layer::free(&vec![0.0; sites]) }
}

/// A kind and a number of independent copies.
#[derive(Clone, Copy, Debug)]
struct Form {
    kind: Kind,
    copies: usize,
    /// One of the couplings is 1 + 1e-6, so that they have no quantum: `Single` computes in f32. The
    /// means change by less than 1e-5.
    has_quantum: bool,
}

const fn form(kind: Kind, copies: usize) -> Form {
    Form { kind, copies, has_quantum: true }
}

/// `Single` in f32.
const fn single_f32(copies: usize) -> Form {
    Form { kind: Kind::Single, copies, has_quantum: false }
}

/// Energy and magnitude of the magnetisation for each spin, after `sweeps[0]` sweeps and then after
/// every fifth of `sweeps[1]`: the means, and their standard errors from the spread of the copies.
fn sampled(extents: &[usize], form: Form, acceptance: Acceptance, beta: f32, sweeps: [u64; 2]) -> [[f64; 2]; 2] {
    let mut layer = torus(extents, || 1.0);
    if !form.has_quantum {
        layer.couplings[0].2 += 1e-6;
    }
    let mut model = layer.builder(form.copies).acceptance(acceptance).build(form.kind).unwrap();
    if form.kind == Kind::Single {
        assert_eq!(model.quantum() != 0.0, form.has_quantum);
    }
    let (mut rng, beta) = (generator(3), Beta { space: beta, tau: 0.0 });
    model.sweep(&mut rng, beta, sweeps[0]).unwrap();
    let (mut energies, mut magnetisations) = (vec![0.0; form.copies], vec![0; form.copies]);
    let mut sums = vec![[0.0; 2]; form.copies];
    let measurements = sweeps[1] / 5;
    let scale = 1.0 / (measurements as f64 * layer.sites() as f64);
    for _ in 0..measurements {
        model.sweep(&mut rng, beta, 5).unwrap();
        model.layer_energies(&mut energies, &mut magnetisations).unwrap();
        for ((sums, energy), magnetisation) in sums.iter_mut().zip(&energies).zip(&magnetisations) {
            sums[0] -= energy * scale;
            sums[1] += magnetisation.unsigned_abs() as f64 * scale;
        }
    }
    let copies = form.copies as f64;
    [0, 1].map(|k| {
        let mean = sums.iter().map(|sums| sums[k]).sum::<f64>() / copies;
        let variance = sums.iter().map(|sums| (sums[k] - mean).powi(2)).sum::<f64>() / (copies * (copies - 1.0));
        [mean, variance.sqrt()]
    })
}

fn is_right([mean, error]: [f64; 2], exact: f64) -> bool {
    (mean - exact).abs() < 4.0 * error
}

/// A torus of 4 x 4 sites: energy and magnetisation by enumeration.
#[test]
fn a_small_torus_has_its_exact_means() {
    let forms = [
        form(Kind::I8Exact, 256),
        form(Kind::I16Exact, 256),
        form(Kind::F32Poly, 256),
        form(Kind::Bits, 512),
        form(Kind::Bits, 100),
        form(Kind::Dense, 200),
        form(Kind::Single, 200),
        single_f32(200),
    ];
    for (beta, exact) in [
        (0.2, [-0.456_135_370, 0.342_765_628]),
        (0.4, [-1.379_116_482, 0.764_712_393]),
        (0.6, [-1.908_069_528, 0.972_867_450]),
    ] {
        for (form, acceptance) in forms.into_iter().flat_map(|form| ACCEPTANCES.map(|acceptance| (form, acceptance))) {
            let found = sampled(&[4, 4], form, acceptance, beta, [100, 1000]);
            let name = (beta, form, acceptance);
            assert!(found.iter().all(|[_, error]| *error < 5e-3), "{name:?}: {found:?}");
            assert!((0..2).all(|k| is_right(found[k], exact[k])), "{name:?}: {found:?}, not {exact:?}");
        }
    }
}

/// Onsager's energy of the infinite lattice. The correlation length is below 7 sites, so that a torus
/// of 64 x 64 sites has the same energy within 1e-5.
#[test]
fn a_large_torus_has_onsager_s_energy() {
    let forms = [
        form(Kind::I8Exact, 64),
        form(Kind::I16Exact, 64),
        form(Kind::F32Poly, 64),
        form(Kind::Bits, 64),
        form(Kind::Single, 64),
        single_f32(64),
    ];
    for (beta, exact) in [(0.3, -0.704_499_071), (0.4, -1.106_079_204), (0.6, -1.909_086_178)] {
        for (form, acceptance) in forms.into_iter().flat_map(|form| ACCEPTANCES.map(|acceptance| (form, acceptance))) {
            let [found, _] = sampled(&[64, 64], form, acceptance, beta, [200, 400]);
            assert!(found[1] < 1e-3 && is_right(found, exact), "{beta}, {form:?}, {acceptance:?}: {found:?}");
        }
    }
}
