//! What holds for any input at all, on inputs that quickcheck makes up.

use hotloops::Error;
use hotloops::bitslice::{self, dna};
use hotloops::exp;
use hotloops::hamming::{self, BitRows, PackedRows, Part, Similarity};
use hotloops::ising::{Beta, Kind, LANES, LayeredIsing};
use hotloops::random::Mt19937;
use quickcheck::{TestResult, quickcheck};

fn same(x: &[f32], y: &[f32]) -> bool {
    x.iter().map(|x| x.to_bits()).eq(y.iter().map(|y| y.to_bits()))
}

type Edges = Vec<(u8, u8, i8)>;

const KINDS: [Kind; 3] = [Kind::F32Fast, Kind::F32Poly, Kind::I8Exact];

/// Edges among 8 sites, each pair once, no site with itself. At a site they add up to 98 times 1 /
/// 32 at most.
fn legal(edges: Edges) -> Vec<(usize, usize, f64)> {
    let mut list: Vec<_> = edges
        .into_iter()
        .map(|(i, j, value)| (usize::from(i % 8), usize::from(j % 8), f64::from(value % 8) / 16.0))
        .filter(|(i, j, _)| i != j)
        .map(|(i, j, value)| (i.min(j), i.max(j), value))
        .collect();
    list.sort_by_key(|&(i, j, _)| (i, j));
    list.dedup_by_key(|&mut (i, j, _)| (i, j));
    list
}

fn generator(seed: u32) -> Mt19937 {
    Mt19937::seeded(LANES, seed).unwrap()
}

fn state(seed: u32) -> Vec<u8> {
    let rng = Mt19937::seeded(4, seed).unwrap();
    let mut bytes = vec![0; rng.state_len()];
    rng.state_bytes(&mut bytes).unwrap();
    bytes
}

quickcheck! {
    fn an_exponential_does_not_see_where_its_array_is_cut(x: Vec<f32>, cut: usize) -> bool {
        let cut = cut % (x.len() + 1);
        [exp::fast_in_place as fn(&mut [f32]), exp::accurate_in_place, exp::poly_in_place].iter().all(|in_place| {
            let (mut whole, mut parts) = (x.clone(), x.clone());
            in_place(&mut whole);
            in_place(&mut parts[..cut]);
            in_place(&mut parts[cut..]);
            same(&whole, &parts)
        })
    }

    fn planes_hold_their_elements(elements: Vec<u32>, gap: u8) -> bool {
        let stride = elements.len().div_ceil(8) + usize::from(gap);
        let (mut planes, mut back) = (vec![0; 32 * stride], vec![0; elements.len()]);
        bitslice::slice(&elements, &mut planes, stride).unwrap();
        bitslice::unslice(&planes, stride, &mut back).unwrap();
        let bit = |e: usize, j: usize| planes[j * stride + e / 8] >> (e % 8) & 1;
        back == elements
            && elements.iter().enumerate().all(|(e, &x)| (0..32).all(|j| u32::from(bit(e, j)) == x >> j & 1))
    }

    fn any_letters_are_refused_or_come_back(letters: Vec<u8>) -> bool {
        let stride = letters.len().div_ceil(8);
        let (mut planes, mut back) = (vec![0; 3 * stride], vec![0; letters.len()]);
        match dna::encode(&letters, &mut planes, stride) {
            Ok(()) => {
                dna::decode(&planes, stride, &mut back).unwrap();
                back.iter().zip(&letters).all(|(a, b)| *a == b.to_ascii_uppercase() || (*a == b'T' && b"Uu".contains(b)))
            }
            Err(error) => {
                matches!(error, Error::Letter { index, letter } if letters[index] == letter)
                    && planes.iter().all(|&byte| byte == 0)
            }
        }
    }

    /// A distance is a metric, and a similarity of 1 means equality.
    fn distances_are_a_metric(bytes: Vec<u8>, bits: u8) -> bool {
        let bits = usize::from(bits) + 1;
        let n = bytes.len() / bits.div_ceil(8);
        let rows = BitRows::new(&bytes, n, bits, bits.div_ceil(8)).unwrap();
        let (mut d, mut s) = (vec![0; n * n], vec![0.0; n * n]);
        hamming::within(rows, 0..n, &mut d, n, Part::Full).unwrap();
        let mut memory = vec![0; hamming::packed_len(n, bits).unwrap()];
        hamming::pack(rows, &mut memory).unwrap();
        let packed = PackedRows::new(&memory).unwrap();
        hamming::similarities(Similarity::Tanimoto, &packed, rows, 1.0, &mut s, n).unwrap();
        (0..n).all(|i| {
            d[i * n + i] == 0
                && (0..n).all(|j| {
                    d[i * n + j] == d[j * n + i]
                        && (d[i * n + j] == 0) == (s[i * n + j] == 1.0)
                        && d[i * n + j] <= d[i * n] + d[j]
                })
        })
    }

    fn a_state_that_ends_in_any_bytes_is_refused(kept: usize, end: Vec<u8>) -> bool {
        let good = state(1);
        let bytes = [&good[..kept % good.len()], &end].concat();
        bytes == good || Mt19937::from_state_bytes(&bytes).is_err()
    }

    fn a_state_with_one_byte_changed_is_refused(seed: u32, place: usize, change: u8) -> TestResult {
        if change == 0 {
            return TestResult::discard();
        }
        let mut bytes = state(seed);
        let place = place % bytes.len();
        bytes[place] ^= change;
        TestResult::from_bool(Mt19937::from_state_bytes(&bytes).is_err())
    }

    /// Rows of any numbers are refused or make a model that sweeps.
    fn any_rows_are_refused_or_make_a_model(layers: u8, pointers: Vec<u8>, links: Vec<(u8, f64)>) -> bool {
        let pointers: Vec<u32> = pointers.into_iter().map(|pointer| u32::from(pointer % 8)).collect();
        let (neighbours, couplings): (Vec<_>, Vec<_>) = links.iter().map(|&(j, value)| (u32::from(j), value)).unzip();
        [Kind::F32Poly, Kind::I8Exact, Kind::Auto].into_iter().all(|kind| {
            match LayeredIsing::from_csr(layers.into(), &pointers, &neighbours, &couplings).build(kind) {
                Err(_) => true,
                Ok(mut model) => {
                    model.sweep(&mut generator(1), Beta { space: 0.5, tau: 0.5 }, 2).unwrap();
                    let mut spins = vec![0; model.layers() * model.sites()];
                    model.spins(&mut spins).unwrap();
                    spins.iter().all(|&spin| spin == 1 || spin == -1)
                }
            }
        })
    }

    /// `I8Exact` where there is a quantum, `F32Poly` elsewhere, and never an error. Values are
    /// whole `parts` of 1, or any.
    fn any_couplings_have_a_kind(edges: Vec<(u8, u8, (i8, f64))>, field: (i8, f64), parts: Option<u8>) -> bool {
        let value = |(whole, any): (i8, f64)| match parts {
            Some(parts) => f64::from(whole % 16) / (f64::from(parts) + 1.0),
            None if (any as f32).is_finite() => any,
            None => 0.0,
        };
        let mut pairs: Vec<(usize, usize, f64)> =
            edges.into_iter().map(|(i, j, number)| ((i % 8).into(), (j % 8).into(), value(number))).collect();
        pairs.retain(|&(i, j, _)| i < j);
        pairs.sort_by_key(|&(i, j, _)| (i, j));
        pairs.dedup_by_key(|&mut (i, j, _)| (i, j));
        let build = |kind| {
            LayeredIsing::builder(2, 8).couplings(pairs.iter().copied()).field(7, value(field)).build(kind)
        };
        let auto = build(Kind::Auto).unwrap().kind();
        let mut sums = [0.0; 8];
        sums[7] = value(field).abs();
        for &(i, j, value) in &pairs {
            sums[i] += value.abs();
            sums[j] += value.abs();
        }
        match build(Kind::I8Exact) {
            Err(error) => {
                // With whole parts of 1, what is in the way is a sum.
                let limit = parts.map_or(0.0, |parts| 127.5 / (f64::from(parts) + 1.0));
                auto == Kind::F32Poly && matches!(error, Error::Quantum { .. }) && sums.iter().any(|&sum| sum > limit)
            }
            Ok(model) => {
                let near = |value: f64| {
                    let quanta = value / model.quantum();
                    (quanta.round() - quanta).abs() <= 4.0 * 127.0 * f64::EPSILON
                };
                auto == Kind::I8Exact
                    && pairs.iter().all(|&(_, _, value)| near(value))
                    && near(value(field))
                    && sums.iter().all(|&sum| sum < 127.5 * model.quantum())
            }
        }
    }

    fn an_edge_has_no_direction_and_edges_have_no_order(layers: u8, edges: Edges, seed: u32) -> bool {
        let (layers, edges) = (usize::from(layers).max(2), legal(edges));
        let turned: Vec<_> = edges.iter().rev().map(|&(i, j, value)| (j, i, value)).collect();
        KINDS.into_iter().all(|kind| {
            let ends = [&edges, &turned].map(|edges| {
                let builder = LayeredIsing::builder(layers, 8).couplings(edges.iter().copied());
                let mut model = builder.build(kind).unwrap();
                let flips = model.sweep(&mut generator(seed), Beta { space: 0.4, tau: 0.4 }, 3).unwrap();
                let mut spins = vec![0; layers * 8];
                model.spins(&mut spins).unwrap();
                (flips, spins, model.energy().space.to_bits(), model.energy().tau.to_bits())
            });
            ends[0] == ends[1]
        })
    }

    /// Where some sites are upside down, with their fields and with one end of their couplings, the
    /// same random numbers bring them to the same end upside down.
    fn nothing_tells_up_from_down(layers: u8, edges: Edges, fields: (i8, i8), up: Vec<bool>, turned: u8) -> bool {
        let (layers, edges) = (usize::from(layers).max(2), legal(edges));
        let spins: Vec<i8> = (0..layers * 8).map(|i| if up.get(i % 61) == Some(&true) { 1 } else { -1 }).collect();
        let run = |kind, turned: u8| {
            let sign = |site: usize| 1 - 2 * (turned >> site & 1) as i8;
            let turn = |spins: &[i8]| spins.iter().enumerate().map(|(i, spin)| spin * sign(i % 8)).collect::<Vec<_>>();
            let field = |site, value: i8| f64::from(value % 29) / 32.0 * f64::from(sign(site));
            let couplings = edges.iter().map(|&(i, j, value)| (i, j, value * f64::from(sign(i) * sign(j))));
            let builder = LayeredIsing::builder(layers, 8).couplings(couplings);
            let mut model = builder.field(2, field(2, fields.0)).field(7, field(7, fields.1)).build(kind).unwrap();
            model.set_spins(&turn(&spins)).unwrap();
            let flips = model.sweep(&mut generator(2), Beta { space: 0.3, tau: 0.2 }, 3).unwrap();
            let mut end = vec![0; layers * 8];
            model.spins(&mut end).unwrap();
            (flips, turn(&end), model.energy())
        };
        KINDS.into_iter().all(|kind| {
            let end = run(kind, 0);
            end == run(kind, u8::MAX) && end == run(kind, turned)
        })
    }

    /// The overlap with the model's own spins is the number of sites, with the opposite ones its negative.
    fn overlaps_and_magnetisation_add_up(layers: u8, up: Vec<bool>) -> bool {
        let layers = usize::from(layers).max(2);
        let spins: Vec<i8> = (0..layers * 3).map(|i| if up.get(i % 101) == Some(&true) { 1 } else { -1 }).collect();
        KINDS.into_iter().all(|kind| {
            let mut model = LayeredIsing::builder(layers, 3).build(kind).unwrap();
            model.set_spins(&spins).unwrap();
            let overlaps = |with: &[i8]| {
                let mut overlaps = vec![0; layers];
                model.overlaps(with, &mut overlaps).unwrap();
                overlaps
            };
            let opposite: Vec<_> = spins.iter().map(|spin| -spin).collect();
            overlaps(&spins).iter().all(|&overlap| overlap == 3)
                && overlaps(&opposite).iter().all(|&overlap| overlap == -3)
                && overlaps(&vec![1; layers * 3]).iter().sum::<i64>() == model.magnetisation()
        })
    }
}
