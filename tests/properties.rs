//! What holds for any input at all, on inputs that quickcheck makes up.

use hotloops::exp;
use hotloops::ising::{Beta, Kind, LANES, LayeredIsing};
use hotloops::random::Mt19937;
use quickcheck::{TestResult, quickcheck};

fn same(x: &[f32], y: &[f32]) -> bool {
    x.iter().map(|x| x.to_bits()).eq(y.iter().map(|y| y.to_bits()))
}

type Edges = Vec<(u8, u8, i8)>;

/// Edges among 8 sites, each pair once, no site with itself.
fn legal(edges: Edges) -> Vec<(usize, usize, f32)> {
    let mut list: Vec<_> = edges
        .into_iter()
        .map(|(i, j, value)| (usize::from(i % 8), usize::from(j % 8), f32::from(value) / 16.0))
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
    fn any_rows_are_refused_or_make_a_model(layers: u8, pointers: Vec<u8>, links: Vec<(u8, f32)>) -> bool {
        let pointers: Vec<u32> = pointers.into_iter().map(|pointer| u32::from(pointer % 8)).collect();
        let (neighbours, couplings): (Vec<_>, Vec<_>) = links.iter().map(|&(j, value)| (u32::from(j), value)).unzip();
        match LayeredIsing::from_csr(layers.into(), &pointers, &neighbours, &couplings).build(Kind::F32Poly) {
            Err(_) => true,
            Ok(mut model) => {
                model.sweep(&mut generator(1), Beta { space: 0.5, tau: 0.5 }, 2).unwrap();
                let mut spins = vec![0; model.layers() * model.sites()];
                model.spins(&mut spins).unwrap();
                spins.iter().all(|&spin| spin == 1 || spin == -1)
            }
        }
    }

    fn an_edge_has_no_direction_and_edges_have_no_order(layers: u8, edges: Edges, seed: u32) -> bool {
        let (layers, edges) = (usize::from(layers).max(2), legal(edges));
        let turned = edges.iter().rev().map(|&(i, j, value)| (j, i, value));
        let mut models = [edges.clone(), turned.collect()]
            .map(|edges| LayeredIsing::builder(layers, 8).couplings(edges).build(Kind::F32Fast).unwrap());
        let ends = models.each_mut().map(|model| {
            let flips = model.sweep(&mut generator(seed), Beta { space: 0.4, tau: 0.4 }, 3).unwrap();
            let mut spins = vec![0; layers * 8];
            model.spins(&mut spins).unwrap();
            (flips, spins, model.energy().space.to_bits(), model.energy().tau.to_bits())
        });
        ends[0] == ends[1]
    }

    /// With all spins and fields turned, the same random numbers turn all spins of the end.
    fn nothing_tells_up_from_down(layers: u8, edges: Edges, fields: (i8, i8), up: Vec<bool>) -> bool {
        let (layers, edges) = (usize::from(layers).max(2), legal(edges));
        let spins: Vec<i8> = (0..layers * 8).map(|i| if up.get(i % 61) == Some(&true) { 1 } else { -1 }).collect();
        let ends = [1i8, -1].map(|sign| {
            let field = |value: i8| f32::from(value) / 32.0 * f32::from(sign);
            let mut model = LayeredIsing::builder(layers, 8)
                .couplings(edges.iter().copied())
                .field(2, field(fields.0))
                .field(7, field(fields.1))
                .build(Kind::F32Poly)
                .unwrap();
            model.set_spins(&spins.iter().map(|spin| spin * sign).collect::<Vec<_>>()).unwrap();
            let flips = model.sweep(&mut generator(2), Beta { space: 0.3, tau: 0.2 }, 3).unwrap();
            let mut end = vec![0; layers * 8];
            model.spins(&mut end).unwrap();
            (flips, end.into_iter().map(|spin| spin * sign).collect::<Vec<_>>())
        });
        ends[0] == ends[1]
    }
}
