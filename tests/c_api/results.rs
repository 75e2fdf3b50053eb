//! The results of consumer.c, computed by the crate.

use hotloops::bitslice::{self, Layout, Store};
use hotloops::clifford::{self, Signature};
use hotloops::correlation::{Accumulator, Bins, Boundary, Image, Points, Psi};
use hotloops::hamming::{self, BitRows, PackedRows, Part, Similarity};
use hotloops::hardround::{self, Block, Scan, Series, Test};
use hotloops::ising::{Kind, Order, Update};
use hotloops::reduce::{self, Repro, Strided};

use crate::clifford::layer_results;
use crate::digest::{all, digest, generator};
use crate::ising::{exchange_results, lattice_results, model_results, worldline_results};

pub fn results() -> Vec<String> {
    let mut lines = Vec::new();
    for lanes in [4, 8, 16] {
        let mut rng = generator(lanes);
        let (mut words, mut floats) = ([0; 1999], [0.0; 2000]);
        rng.fill_u32(&mut words);
        rng.fill_f32(&mut floats);
        lines.push(digest("mt19937_u32", words.map(u32::to_ne_bytes)));
        lines.push(digest("mt19937_f32", floats.map(f32::to_ne_bytes)));
    }

    let mut rng = generator(8);
    rng.fill_u32(&mut [0; 99]);
    let mut bytes = vec![0; rng.state_len()];
    rng.state_bytes(&mut bytes).unwrap();
    lines.push(digest("state", bytes.into_iter().map(u8::to_ne_bytes)));

    let x: [f32; 1001] = std::array::from_fn(|i| (i as f32 - 500.0) / 16.0);
    let kernels: [(&str, hotloops::exp::fast_f32::Function); 3] = [
        ("fast_f32", hotloops::exp::fast_f32),
        ("accurate_f32", hotloops::exp::accurate_f32),
        ("poly_f32", hotloops::exp::poly_f32),
    ];
    for (name, kernel) in kernels {
        let mut y = [0.0; 1001];
        // SAFETY: both arrays hold 1001 floats.
        unsafe { kernel(x.as_ptr(), y.as_mut_ptr(), x.len()) };
        lines.push(digest(name, y.map(f32::to_ne_bytes)));
    }

    lines.extend(bits_results());
    lines.extend(reduce_results());
    lines.extend(matmul_results());
    lines.extend(clifford_results());
    lines.extend(layer_results::<f32, 4>(f32::to_ne_bytes));
    lines.extend(layer_results::<f64, 8>(f64::to_ne_bytes));
    lines.extend(correlation_results());
    lines.extend(hardround_results());
    for acceptance in [Kind::F32Fast, Kind::F32Poly, Kind::I8Exact, Kind::Auto, Kind::I16Exact] {
        for order in [Order::Coloured, Order::Natural] {
            for update in [Update::Gather, Update::Scatter] {
                lines.extend(model_results(acceptance, order, update));
            }
        }
    }
    lines.extend(lattice_results());
    lines.extend(exchange_results());
    lines.extend(worldline_results());
    lines
}

fn clifford_results() -> Vec<String> {
    macro_rules! lines {
        ($type:ident) => {{
            let plane = Signature::new(&[1, -1]).unwrap();
            let x: [$type; 8] = std::array::from_fn(|i| (i as $type - 3.0) / 8.0);
            let y: [$type; 8] = std::array::from_fn(|i| (5.0 - 2.0 * i as $type) / 16.0);
            let weights: [$type; 20] = std::array::from_fn(|i| (i as $type - 9.0) / 4.0);
            let mut z = [0.0; 8];
            let mut lines = Vec::new();
            clifford::geometric_product(plane, &x, &y, &mut z).unwrap();
            lines.push(all("clifford_product", &z, $type::to_ne_bytes));
            clifford::sandwich(plane, &x, &y, &mut z).unwrap();
            lines.push(all("clifford_sandwich", &z, $type::to_ne_bytes));
            clifford::weighted_product(plane, &weights, &x, &y, &mut z).unwrap();
            lines.push(all("clifford_weighted", &z, $type::to_ne_bytes));
            clifford::grade_norms(plane, &x, &mut z[..6]).unwrap();
            lines.push(all("clifford_norms", &z[..6], $type::to_ne_bytes));
            clifford::blades_first(plane, &x, &mut z).unwrap();
            lines.push(all("clifford_blades_first", &z, $type::to_ne_bytes));
            clifford::blades_last(plane, &x, &mut z).unwrap();
            lines.push(all("clifford_blades_last", &z, $type::to_ne_bytes));
            lines
        }};
    }
    [lines!(f32), lines!(f64)].concat()
}

fn bits_results() -> Vec<String> {
    let block: Vec<u32> = (0..2048u32).map(|n| n.wrapping_mul(2_654_435_761)).collect();
    let memory: Vec<u8> = block.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let longs: Vec<u64> = memory.chunks_exact(8).map(|word| u64::from_ne_bytes(word.try_into().unwrap())).collect();
    let byte = |byte: u8| [byte];

    let (mut planes, mut counts) = (vec![0; 8192], [0; 32]);
    bitslice::slice(&block, &mut planes, 256).unwrap();
    bitslice::count_ones(&block, &mut counts).unwrap();
    let mut lines = vec![all("planes", &planes, byte), all("positions", &counts, u64::to_ne_bytes)];
    for layout in [Layout::Rows2048, Layout::Tiles64] {
        let mut blocks = vec![0; bitslice::blocks_len::<u64>(1000, layout).unwrap()];
        bitslice::slice_blocks(&longs[..1000], layout, Store::Cached, &mut blocks).unwrap();
        lines.push(all("blocks", &blocks, byte));
    }
    let (mut d, mut codes) = (vec![0; 1024], [0; 32]);
    hamming::slices_distance(&block, &mut d).unwrap();
    bitslice::classify(&d, 2048, &mut codes).unwrap();
    lines.extend([all("slices", &d, u32::to_ne_bytes), all("codes", &codes, u16::to_ne_bytes)]);
    planes[3 * 256..4 * 256].fill(0);
    let mut dna = [0; 6];
    bitslice::dna::encode(b"GATTACATN", &mut dna, 2).unwrap();
    lines.extend([all("restored", &planes, byte), all("dna", &dna, byte)]);

    let rows = BitRows::new(&memory, 100, 500, 64).unwrap();
    let (mut ones, mut distances, mut scores) = (vec![0; 100], vec![0; 10_000], vec![0.0; 10_000]);
    hamming::count_ones(rows, &mut ones).unwrap();
    hamming::within(rows, 0..100, Part::Full, &mut distances, 100).unwrap();
    lines.extend([all("ones", &ones, u32::to_ne_bytes), all("self", &distances, u32::to_ne_bytes)]);
    let mut packed = vec![0; hamming::packed_len(100, 500).unwrap()];
    hamming::pack(rows, &mut packed).unwrap();
    let packed = PackedRows::new(&packed).unwrap();
    for (name, measure) in
        [("tanimoto", Similarity::Tanimoto), ("dice", Similarity::Dice), ("cosine", Similarity::Cosine)]
    {
        hamming::similarities(&packed, rows, measure, 1.0, &mut scores, 100).unwrap();
        lines.push(all(name, &scores, f32::to_ne_bytes));
        if measure == Similarity::Tanimoto {
            let hit = |(at, &score): (usize, &f32)| {
                let [row, column] = [at / 100, at % 100];
                let head = (row as u64).to_ne_bytes().into_iter().chain((column as u32).to_ne_bytes());
                let bytes: Vec<u8> = head.chain(score.to_ne_bytes()).collect();
                <[u8; 16]>::try_from(bytes).unwrap()
            };
            lines.push(digest("hits", scores.iter().enumerate().filter(|(_, score)| **score >= 0.5).map(hit)));
        }
    }

    hamming::similarities(&packed, rows, Similarity::Tanimoto, 1.0, &mut scores, 100).unwrap();
    lines.extend(index_results(&ones, &distances, &scores));

    let ones_of = |row: &[u8]| row.iter().map(|byte| byte.count_ones()).sum::<u32>();
    let ones: Vec<u32> = memory.chunks_exact(128).map(|row| ones_of(&row[..125])).collect();
    lines.push(all("counts", &ones, u32::to_ne_bytes));
    // Bits 0 to 1000 of row 1 with those of all rows.
    for (name, combine) in [("shared", (|a, b| a & b) as fn(u8, u8) -> u8), ("differing", |a, b| a ^ b)] {
        let with = |row: &[u8]| row[..125].iter().zip(&memory[128..]).map(|(&a, &b)| combine(a, b)).collect::<Vec<_>>();
        lines.push(digest(name, memory.chunks_exact(128).map(|row| ones_of(&with(row)).to_ne_bytes())));
    }
    let finished = |name, value: fn(u32) -> f32| digest(name, ones.iter().map(|&c| value(c).to_ne_bytes()));
    lines.push(digest("distances", ones.iter().map(|&c| (1000 - c).to_ne_bytes())));
    lines.push(finished("tanimoto", |c| c as f32 / 1000.0));
    lines.push(finished("dice", |c| (2 * c) as f32 / (1000 + c) as f32));
    lines.push(finished("cosine", |c| (f64::from(c) / (1000.0 * f64::from(c)).sqrt()) as f32));
    lines
}

/// Matches of 100 rows in two indexes of 60 and 40 rows, and their pairs.
fn index_results(ones: &[u32], distances: &[u32], scores: &[f32]) -> [String; 2] {
    let pair = |query: usize, row: usize| {
        let common = (ones[query] + ones[row] - distances[100 * query + row]) / 2;
        let head = [query, row].into_iter().flat_map(|number| (number as u64).to_ne_bytes());
        let counts = [common, ones[query], ones[row]].into_iter().flat_map(u32::to_ne_bytes);
        let bytes: Vec<u8> = head.chain(counts).chain(scores[100 * query + row].to_ne_bytes()).collect();
        <[u8; 32]>::try_from(bytes).unwrap()
    };
    let sorted = [0..60, 60..100].map(|rows| {
        let mut rows: Vec<usize> = rows.collect();
        rows.sort_by_key(|&row| (ones[row], row));
        rows
    });
    let all = sorted.concat();
    let place = |row: usize| all.iter().position(|&other| other == row).unwrap();
    let (mut batch, mut pairs) = (Vec::new(), Vec::new());
    for rows in &sorted {
        let found = |query: usize| rows.iter().copied().filter(move |&row| scores[100 * query + row] >= 0.5);
        batch.extend((0..100).flat_map(|query| found(query).map(move |row| (query, row))));
        let later = |query: usize| found(query).filter(move |&row| place(row) > place(query));
        pairs.extend(all.iter().flat_map(|&query| later(query).map(move |row| (query.min(row), query.max(row)))));
    }
    [("batch", batch), ("pairs", pairs)]
        .map(|(name, found)| digest(name, found.into_iter().map(|(query, row)| pair(query, row))))
}

/// The numbers that consumer.c adds.
pub fn numbers() -> ([f32; 1001], [f64; 1001]) {
    let word = |i: usize| (i as u32).wrapping_mul(2_654_435_761);
    let floats = std::array::from_fn(|i| ((word(i) >> 8) as f32 - 8_388_608.0) / (1 + i % 4) as f32);
    (floats, std::array::from_fn(|i| (f64::from(word(i)) - 2_147_483_648.0) / (1 + i % 3) as f64))
}

fn reduce_results() -> [String; 3] {
    let (floats, doubles) = numbers();
    let f = [
        reduce::sum(&floats),
        reduce::asum(&floats),
        reduce::dot(&floats[..1000], &floats[1..]).unwrap(),
        reduce::sum2(&floats),
        reduce::dot2(&floats[..1000], &floats[1..]).unwrap(),
        reduce::kahan(&floats),
        reduce::sum_repro(&floats),
        reduce::sum(Strided::new(&floats, 300, -3).unwrap()),
    ];
    let across = (Strided::new(&doubles, 300, 2).unwrap(), Strided::new(&doubles[1..], 300, -3).unwrap());
    let d = [
        reduce::sum(&doubles),
        reduce::asum(&doubles),
        reduce::dot(&doubles[..1000], &doubles[1..]).unwrap(),
        reduce::sum2(&doubles),
        reduce::dot2(&doubles[..1000], &doubles[1..]).unwrap(),
        reduce::kahan(&doubles),
        reduce::sum_repro(&doubles),
        reduce::dot(across.0, across.1).unwrap(),
    ];
    let mut repro = Repro::new();
    repro.extend(&doubles[..400]);
    repro.extend(&floats);
    let mut bytes = [0; Repro::STATE_LEN];
    repro.state_bytes(&mut bytes).unwrap();
    [
        digest("reduce_f32", f.map(f32::to_ne_bytes)),
        digest("reduce_f64", d.map(f64::to_ne_bytes)),
        digest("repro", bytes.map(u8::to_ne_bytes)),
    ]
}

/// Textbook products of small integers, which are exact.
fn matmul_results() -> [String; 2] {
    let (m, n, k) = (23usize, 37usize, 29usize);
    let a = |i: usize, p: usize| ((i * k + p) % 7) as f32 - 3.0;
    let b = |p: usize, j: usize| ((p * n + j) % 5) as f32 - 2.0;
    let c = (0..m * n).map(|at| {
        let (i, j) = (at / n, at % n);
        2.0 * (0..k).map(|p| a(i, p) * b(p, j)).sum::<f32>() + 3.0 * (at % 3) as f32
    });
    // In f64, all three matrices are column-major.
    let a = |i: usize, p: usize| ((i + m * p) % 11) as f64 - 5.0;
    let b = |p: usize, j: usize| ((p + k * j) % 13) as f64 - 6.0;
    let d = (0..m * n).map(|at| {
        let (i, j) = (at % m, at / m);
        2.0 * (0..k).map(|p| a(i, p) * b(p, j)).sum::<f64>() + 3.0 * (at % 3) as f64
    });
    [digest("gemm_f32", c.map(f32::to_ne_bytes)), digest("gemm_f64", d.map(f64::to_ne_bytes))]
}

/// The plane of consumer.c.
fn correlation_results() -> [String; 14] {
    let n = 300;
    let x: Vec<i32> = (0..n).map(|i| i * 37 % 101).collect();
    let y: Vec<i32> = (0..n).map(|i| i * i % 83).collect();
    let real_x: Vec<f64> = x.iter().zip(0..).map(|(&x, i)| 0.75 * f64::from(x) + 0.001 * f64::from(i)).collect();
    let real_y: Vec<f64> = y.iter().map(|&y| 0.5 * f64::from(y)).collect();
    let psi: Vec<Psi> = (0..n).map(|i| Psi::from_angle(0.01 * f64::from(i), 6).unwrap()).collect();
    let pairs = |bins: Result<Bins, _>| Accumulator::new(bins.unwrap()).unwrap();
    let words = |name, pairs: &Accumulator| {
        let words = pairs.bins().flat_map(|bin| [bin.count, (bin.sum >> 64) as u64, bin.sum as u64]);
        digest(name, words.map(u64::to_ne_bytes))
    };
    let (image, positions) = (Image::new(&x, &y, &psi).unwrap(), Image::of_positions(&x, &y).unwrap());
    let mut of_image = pairs(Bins::uniform(0.0, 64.0, 1.0));
    for _ in 0..2 {
        of_image.add_image(&image).unwrap();
        of_image.add_image_within(&image, 1 << 20).unwrap();
        of_image.add_image_cross(&image, &positions).unwrap();
        of_image.add_image_cross_within(&image, &image, 0).unwrap();
    }
    let mut map = [(0, 0); 41];
    image.map_row(3, &mut map).unwrap();
    let points = Points::new(&real_x, &real_y, &psi, Boundary::Periodic([80.0, 70.0]), 30.0).unwrap();
    let others = points.others(&real_y, &real_x, &psi).unwrap();
    let mut of_points = pairs(Bins::from_edges(&[0.0, 2.5, 10.0, 30.0]));
    of_points.add_points(&points).unwrap();
    of_points.add_points(&others).unwrap();
    of_points.add_points_cross(&points, &others).unwrap();
    let mut open = pairs(Bins::uniform(0.0, 6.25, 0.125));
    open.add_points(&Points::new(&real_x, &real_y, &psi, Boundary::Open, 6.25).unwrap()).unwrap();
    let mut counted = pairs(Bins::uniform(0.0, 30.0, 3.0));
    let positions = Points::of_positions(&real_x, &real_y, Boundary::Open, 30.0).unwrap();
    counted.add_points(&positions).unwrap();
    counted.add_points_cross(&positions, &positions.others_of_positions(&real_y, &real_x).unwrap()).unwrap();
    let order = |boundary, k, fold| Psi::of_neighbours(&real_x, &real_y, boundary, k, fold).unwrap();
    let (points, box_of) = (real_x.len(), Boundary::Periodic([80.0, 70.0]));
    let to_images = |weights: Option<&[f64]>| {
        let (bonds, apart) = ([[0, 1], [0, 2], [points - 1, 0]], [[-52.0, 1.0], [135.0, -69.0], [0.0, 200.0]]);
        Psi::of_bonds_to_images(&real_x, &real_y, box_of, &bonds, &apart, weights, 6).unwrap()
    };
    let bonds = [[0, 1], [0, 2], [points - 1, 0]];
    let weighted = Psi::of_weighted_bonds(&real_x, &real_y, box_of, &bonds, &[3.0, 1.0, 0.5], 6);
    let parts = |name, psi: Vec<Psi>| digest(name, psi.iter().flat_map(|psi| psi.parts()).map(i16::to_ne_bytes));
    [
        words("image", &of_image),
        digest("map_counts", map.map(|(count, _)| count.to_ne_bytes())),
        digest("map_sums", map.map(|(_, sum)| (sum as i64).to_ne_bytes())),
        words("points", &of_points),
        words("open", &open),
        words("counted", &counted),
        parts("psi6", order(Boundary::Open, 6, 6)),
        parts("psi3", order(box_of, 5, 3)),
        parts("psi6 within", Psi::of_neighbours_within(&real_x, &real_y, box_of, 6.5, 6).unwrap()),
        parts("psi6 of bonds", Psi::of_bonds(&real_x, &real_y, box_of, &bonds, 6).unwrap()),
        parts("psi6 of weighted bonds", weighted.unwrap()),
        parts("psi6 of bonds to images", to_images(None)),
        parts("psi6 of weighted bonds to images", to_images(Some(&[3.0, 1.0, 0.5]))),
        parts("psi4 of a point", vec![Psi::ONE]),
    ]
}

/// The polynomial and the domains of consumer.c.
fn hardround_results() -> [String; 4] {
    let taylor = [
        [0, 0, 0x5555_5555_5555_5555, 0x5555_5555_5555_5555],
        [0, 0, 0x0123_4567_89ab_cdef, 0x9e37_79b9_7f4a_7c15],
        [0, 0, 0, 1 << 23],
        [0, 0, 1 << 38, 0],
    ];
    let series = Series::new(&taylor, 16).unwrap();
    let blocks: Vec<Block> = (-1..3).map(|j| series.block(j)).collect();
    let (mut scan, mut cases) = (Scan::new(1 << 50).unwrap(), Vec::<u64>::new());
    blocks.iter().for_each(|block| scan.block(block, 1 << 16, |x| cases.push(x)).unwrap());
    let multiples = |of: u64, from| (from..from + 500).map(move |i: u64| i.wrapping_mul(of)).collect::<Vec<u64>>();
    let (a, b) = (multiples(0x9e37_79b9_7f4a_7c15, 1), multiples(0xbf58_476d_1ce4_e5b9, 7));
    let [regular, lefevre] = [Test::Regular, Test::Lefevre].map(|test| {
        let mut bits = [0; 63];
        hardround::exists(&a, &b, 4096, 1 << 48, test, &mut bits).unwrap();
        bits
    });
    [
        digest("hardround_blocks", blocks.iter().flat_map(|block| block.c).flatten().map(u64::to_ne_bytes)),
        digest("hardround_cases", cases.into_iter().map(u64::to_ne_bytes)),
        digest("hardround_regular", regular.map(u8::to_ne_bytes)),
        digest("hardround_lefevre", lefevre.map(u8::to_ne_bytes)),
    ]
}
