//! Distances and similarities against independent sources: the published matrix of distances,
//! direct counts, exact quotients.

use crate::harness::guard::{Guarded, Side};
use crate::harness::rng::Rng;
use hotloops::hamming::{self, BitRows, Hit, Near, Neighbour, PackedRows, Part, Similarity};

impl Rng {
    /// Bytes of which about one bit in `sparse` is set.
    fn bytes(&mut self, n: usize, sparse: u64) -> Vec<u8> {
        let mut bit = |_| self.word() >> 13 & (sparse - 1) == 0;
        (0..n).map(|_| (0..8).fold(0, |byte, i| byte | u8::from(bit(i)) << i)).collect()
    }
}

/// Bit k of row i.
fn bit(bytes: &[u8], stride: usize, i: usize, k: usize) -> bool {
    bytes[i * stride + k / 8] >> (k % 8) & 1 == 1
}

/// Ones of row i of `a`, of row j of `b`, and in common, bit by bit.
fn counted(a: (&[u8], usize, usize), b: (&[u8], usize, usize), bits: usize) -> (u32, u32, u32) {
    (0..bits).fold((0, 0, 0), |(x, y, z), k| {
        let (p, q) = (bit(a.0, a.1, a.2, k), bit(b.0, b.1, b.2, k));
        (x + u32::from(p), y + u32::from(q), z + u32::from(p && q))
    })
}

/// Element n is n: half of the elements differ in any two of the lower eleven bits.
#[test]
fn distances_of_the_counting_block() {
    let block: Vec<u32> = (0..2048).collect();
    let mut distances = [7; 1024];
    hamming::slices_distance(&block, &mut distances).unwrap();
    for i in 0..32 {
        for j in 0..32 {
            let expected = if j < i { 7 } else { 1024 * u32::from(i <= 10) };
            assert_eq!(distances[32 * i + j], expected, "planes {i} and {j}");
        }
    }
}

/// Element n is n * 2654435761 modulo 2^32: published values and checksum.
#[test]
fn distances_of_the_multiplied_block() {
    let block: Vec<u32> = (0..2048u32).map(|n| n.wrapping_mul(2_654_435_761)).collect();
    let mut distances = [0; 1024];
    hamming::slices_distance(&block, &mut distances).unwrap();
    let diagonal: Vec<u32> = (0..32).map(|i| distances[33 * i]).collect();
    assert_eq!(diagonal[..11], [1024; 11]);
    let rest = [
        1028, 1022, 1024, 1025, 1024, 1025, 1028, 1028, 1022, 1021, 1021, 1023, 1024, 1023, 1025, 1028, 1031, 1027,
        1023, 1022, 1023,
    ];
    assert_eq!(diagonal[11..], rest);
    assert_eq!(distances[1..11], [1024; 10]);
    let rest = [
        1020, 1030, 1018, 1019, 1032, 1023, 1024, 1022, 1042, 1023, 1023, 1023, 1022, 1021, 1023, 1024, 1023, 1029,
        1027, 1024, 1019,
    ];
    assert_eq!(distances[11..32], rest);
    assert_eq!(distances[30 * 32 + 31], 1023);
    let upper = (0..32).flat_map(|i| (i..32).map(move |j| 32 * i + j)).flat_map(|at| distances[at].to_le_bytes());
    let fnv = upper.fold(0x811c_9dc5, |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    assert_eq!(fnv, 0x5b11_08d5);

    let (mut planes, mut from_planes) = ([0; 8192], [0; 1024]);
    hotloops::bitslice::slice(&block, &mut planes, 256).unwrap();
    hamming::planes_distance(&planes, &mut from_planes).unwrap();
    assert_eq!(from_planes, distances);
    let rows = BitRows::new(&planes, 32, 2048, 256).unwrap();
    let mut counts = [0; 32];
    hamming::count_ones(rows, &mut counts).unwrap();
    assert_eq!(counts[..], diagonal);
}

#[test]
fn within_a_set_of_rows() {
    let mut rng = Rng(1);
    for (n, bits) in [
        (0usize, 8usize),
        (1, 1),
        (7, 3),
        (9, 64),
        (33, 166),
        (40, 65),
        (17, 512),
        (12, 8192),
        (9, 20_001),
        (150, 65),
        (75, 8200),
        (75, 16_400),
    ] {
        let stride = bits.div_ceil(8) + n % 3;
        let extent = if n == 0 { 0 } else { (n - 1) * stride + bits.div_ceil(8) };
        let bytes = rng.bytes(extent, 2);
        let guarded = Guarded::new(&bytes, Side::End, 0);
        let rows = BitRows::new(guarded.as_slice(), n, bits, stride).unwrap();
        let expected = |i: usize, j: usize| {
            let (a, b, c) = counted((&bytes, stride, i), (&bytes, stride, j), bits);
            a + b - 2 * c
        };
        let table: Vec<u32> = (0..n * n).map(|at| expected(at / n, at % n)).collect();
        for range in [0..n, 0..n / 2, n / 3..n, n / 2..n / 2] {
            for part in [Part::Upper, Part::Full] {
                let out_stride = n + 2;
                let length = if range.is_empty() { 0 } else { (range.len() - 1) * out_stride + n };
                let mut out = Guarded::new(&vec![77u32; length], Side::End, 0);
                hamming::within(rows, range.clone(), part, out.as_mut_slice(), out_stride).unwrap();
                for (at, &found) in out.as_slice().iter().enumerate() {
                    let (i, j) = (range.start + at / out_stride, at % out_stride);
                    let written = j < n && (part == Part::Full || j >= i);
                    let expected = if written { table[i * n + j] } else { 77 };
                    assert_eq!(found, expected, "{bits} bits, rows {i} and {j} of {n}, {range:?}, {part:?}");
                }
            }
        }
    }
}

/// Rows and packed rows of the same bits.
struct Sets {
    bits: usize,
    stride: usize,
    rows: Vec<u8>,
    n: usize,
    others: Vec<u8>,
    packed: Vec<u8>,
    m: usize,
}

impl Sets {
    fn new(rng: &mut Rng, n: usize, m: usize, bits: usize, gap: usize) -> Self {
        let stride = bits.div_ceil(8) + gap;
        let extent = |n| if n == 0 { 0 } else { (n - 1) * stride + bits.div_ceil(8) };
        let (mut rows, mut others) = (rng.bytes(extent(n), 4), rng.bytes(extent(m), 2));
        // Rows that are empty, except for padding bits.
        for bytes in [&mut rows, &mut others] {
            for row in bytes.chunks_mut(stride).skip(1).step_by(5) {
                row.fill(0);
                if !bits.is_multiple_of(8) {
                    row[bits / 8] = 0xff << (bits % 8);
                }
            }
        }
        let mut packed = vec![1; hamming::packed_len(m, bits).unwrap()];
        hamming::pack(BitRows::new(&others, m, bits, stride).unwrap(), &mut packed).unwrap();
        Sets { bits, stride, rows, n, others, packed, m }
    }

    fn each(rng: &mut Rng, mut check: impl FnMut(&Sets)) {
        for bits in [1, 7, 8, 63, 64, 65, 166, 512, 881, 1024, 2047, 2048, 4097] {
            for (n, m) in [(0, 3), (3, 0), (1, 5), (5, 8), (34, 9), (3, 22), (65, 31), (2, 300), (33, 7), (70, 1)] {
                check(&Sets::new(rng, n, m, bits, n % 3));
            }
        }
    }

    fn rows(&self) -> BitRows<'_> {
        BitRows::new(&self.rows, self.n, self.bits, self.stride).unwrap()
    }

    fn packed(&self) -> PackedRows<'_> {
        PackedRows::new(&self.packed).unwrap()
    }

    fn counted(&self, i: usize, j: usize) -> (u32, u32, u32) {
        counted((&self.rows, self.stride, i), (&self.others, self.stride, j), self.bits)
    }
}

/// The f32 nearest to `p / q`, found by exact comparison with the adjacent floats.
fn nearest(p: u64, q: u64) -> f32 {
    let guess = (p as f64 / q as f64) as f32;
    let error = |x: f32| {
        // x = m 2^-e exactly: compare |p 2^e - q m| among candidates with one e.
        let scale = 2f64.powi(60);
        ((p as u128) << 60).abs_diff((f64::from(x) * scale) as u128 * u128::from(q))
    };
    [guess.next_down(), guess, guess.next_up()].into_iter().min_by_key(|&x| error(x.max(0.0))).unwrap().max(0.0)
}

fn similarity(measure: Similarity, (a, b, c): (u32, u32, u32), empty: f32) -> f32 {
    if a == 0 && b == 0 {
        return empty;
    }
    match measure {
        Similarity::Tanimoto => nearest(c.into(), (a + b - c).into()),
        Similarity::Dice => nearest(2 * u64::from(c), (a + b).into()),
        Similarity::Cosine if a == 0 || b == 0 => 0.0,
        Similarity::Cosine => (f64::from(c) / (f64::from(a) * f64::from(b)).sqrt()) as f32,
    }
}

const MEASURES: [Similarity; 3] = [Similarity::Tanimoto, Similarity::Dice, Similarity::Cosine];

#[test]
fn all_pairs_with_packed_rows() {
    Sets::each(&mut Rng(2), |sets| {
        let out_stride = sets.m + sets.n % 2;
        let length = if sets.n == 0 { 0 } else { (sets.n - 1) * out_stride + sets.m };
        let counts: Vec<_> = (0..sets.n * sets.m).map(|at| sets.counted(at / sets.m, at % sets.m)).collect();
        let text = |at: usize| format!("{} bits, pair {at} of {} x {}", sets.bits, sets.n, sets.m);

        let mut out = Guarded::new(&vec![77u32; length], Side::End, 0);
        hamming::cross(&sets.packed(), sets.rows(), out.as_mut_slice(), out_stride).unwrap();
        for (at, &(a, b, c)) in counts.iter().enumerate() {
            let found = out.as_slice()[at / sets.m * out_stride + at % sets.m];
            assert_eq!(found, a + b - 2 * c, "{}", text(at));
        }
        let gaps = out.as_slice().iter().enumerate().filter(|(at, _)| at % out_stride >= sets.m);
        assert!(gaps.into_iter().all(|(_, &value)| value == 77));

        for measure in MEASURES {
            let mut out = Guarded::new(&vec![7f32; length], Side::End, 0);
            hamming::similarities(&sets.packed(), sets.rows(), measure, 0.5, out.as_mut_slice(), out_stride).unwrap();
            for (at, &counts) in counts.iter().enumerate() {
                let found = out.as_slice()[at / sets.m * out_stride + at % sets.m];
                assert_eq!(found, similarity(measure, counts, 0.5), "{}, {measure:?}, {counts:?}", text(at));
            }
        }
    });
}

/// A search finds the same hits in the same order, whatever the capacity for hits.
#[test]
fn searches_can_be_cut_anywhere() {
    Sets::each(&mut Rng(3), |sets| {
        for (measure, threshold, empty) in
            [(Similarity::Tanimoto, 0.25, 1.0), (Similarity::Dice, 0.4, 0.0), (Similarity::Cosine, 0.0, 0.0)]
        {
            let mut expected = Vec::new();
            for (row, packed_row) in (0..sets.n).flat_map(|i| (0..sets.m).map(move |j| (i, j))) {
                let similarity = similarity(measure, sets.counted(row, packed_row), empty);
                if similarity >= threshold {
                    expected.push(Hit { row: row as u64, packed_row: packed_row as u32, similarity });
                }
            }
            for room in [1, 2, 7, 1000, 100_000] {
                if room < 7 && expected.len() > 400 {
                    continue;
                }
                let (mut cursor, mut found) = (0, Vec::new());
                let mut hits = vec![Hit::default(); room];
                while cursor < (sets.n * sets.m) as u64 {
                    let before = cursor;
                    let n =
                        hamming::search(&sets.packed(), sets.rows(), measure, threshold, empty, &mut cursor, &mut hits);
                    found.extend_from_slice(&hits[..n.unwrap()]);
                    assert!(cursor > before);
                }
                assert!(found == expected, "{} bits, {} x {}, room for {room}", sets.bits, sets.n, sets.m);
            }
        }
    });
}

/// One row against rows that are not packed.
#[test]
fn one_row_with_many() {
    Sets::each(&mut Rng(4), |sets| {
        for i in 0..sets.n.min(6) {
            let query = BitRows::new(&sets.rows[i * sets.stride..], 1, sets.bits, sets.stride).unwrap();
            let others = Guarded::new(&sets.others, Side::End, 0);
            let others = BitRows::new(others.as_slice(), sets.m, sets.bits, sets.stride).unwrap();
            let counts: Vec<_> = (0..sets.m).map(|j| sets.counted(i, j)).collect();
            let text = format!("{} bits, {} rows", sets.bits, sets.m);
            let mut out = Guarded::new(&vec![77u32; sets.m], Side::End, 0);
            hamming::distances_to(query, others, out.as_mut_slice()).unwrap();
            let expected: Vec<_> = counts.iter().map(|&(a, b, c)| a + b - 2 * c).collect();
            assert_eq!(out.as_slice(), expected, "{text}");
            for measure in MEASURES {
                let mut out = Guarded::new(&vec![7f32; sets.m], Side::End, 0);
                hamming::similarities_to(query, others, measure, 0.5, out.as_mut_slice()).unwrap();
                let expected: Vec<_> = counts.iter().map(|&counts| similarity(measure, counts, 0.5)).collect();
                assert_eq!(out.as_slice(), expected, "{text}, {measure:?}");
            }
        }
    });
}

#[test]
fn searches_within_a_distance() {
    Sets::each(&mut Rng(5), |sets| {
        for max in [0, sets.bits as u32 / 3, u32::MAX] {
            let distance = |(a, b, c): (u32, u32, u32)| a + b - 2 * c;
            let pairs = (0..sets.n).flat_map(|row| (0..sets.m).map(move |packed_row| (row, packed_row)));
            let expected: Vec<_> = pairs
                .map(|(i, j)| Near { row: i as u64, packed_row: j as u32, distance: distance(sets.counted(i, j)) })
                .filter(|near| near.distance <= max)
                .collect();
            for room in [97, 100_000] {
                let (mut cursor, mut found, mut hits) = (0, Vec::new(), vec![Near::default(); room]);
                while cursor < (sets.n * sets.m) as u64 {
                    let n = hamming::search_near(&sets.packed(), sets.rows(), max, &mut cursor, &mut hits).unwrap();
                    found.extend_from_slice(&hits[..n]);
                }
                assert!(found == expected, "{} bits, {} x {}, {max}", sets.bits, sets.n, sets.m);
            }
        }
    });
}

/// The first of all rows sorted by distance, then by row.
#[test]
fn nearest_rows() {
    let mut rng = Rng(6);
    let nothing = Neighbour { row: 99, distance: 99 };
    for (n, bits, gap) in [
        (0, 64, 0),
        (1, 1, 0),
        (7, 63, 1),
        (8, 64, 0),
        (9, 65, 3),
        (40, 3, 0),
        (600, 10, 0),
        (2000, 166, 0),
        (1100, 256, 0),
        (1000, 256, 5),
        (530, 512, 0),
        (1030, 1024, 0),
        (130, 2047, 1),
        (60, 4096, 0),
    ] {
        let stride = bits / 8 + usize::from(bits % 8 > 0) + gap;
        let extent = |n: usize| if n == 0 { 0 } else { (n - 1) * stride + bits.div_ceil(8) };
        let bytes = rng.bytes(extent(n), 2);
        let query_bytes = rng.bytes(extent(3), 2);
        let others = Guarded::new(&bytes, Side::End, 0);
        let rows = BitRows::new(others.as_slice(), n, bits, stride).unwrap();
        for (m, k) in [(0, 3), (1, 0), (1, 1), (3, 1), (3, 10), (2, 100), (1, n), (2, n + 3), (1, 3000)] {
            let found = k.min(n);
            let mut out = Guarded::new(&vec![nothing; m * k], Side::End, 0);
            let queries = BitRows::new(&query_bytes, m, bits, stride).unwrap();
            assert_eq!(hamming::nearest(queries, rows, k, out.as_mut_slice()), Ok(found));
            for (query, list) in out.as_slice().chunks(k.max(1)).enumerate() {
                let mut all: Vec<_> = (0..n)
                    .map(|row| {
                        let (a, b, c) = counted((&query_bytes, stride, query), (&bytes, stride, row), bits);
                        (a + b - 2 * c, row as u64)
                    })
                    .collect();
                all.sort_unstable();
                let expected: Vec<_> = all.iter().map(|&(distance, row)| Neighbour { row, distance }).collect();
                assert_eq!(list[..found], expected[..found], "{n} rows of {bits} bits, {k} nearest to {query}");
                assert!(list[found..].iter().all(|&near| near == nothing));
            }
        }
    }
    // Rows in descending order of distance: each enters the list.
    let rows: Vec<u8> = (0..64 * 8).map(|at| if at % 8 < 8 - at / 64 { 0xff } else { 0 }).collect();
    let (rows, query) = (BitRows::new(&rows, 64, 64, 8).unwrap(), BitRows::new(&[0; 8], 1, 64, 8).unwrap());
    let mut out = [nothing; 9];
    hamming::nearest(query, rows, 9, &mut out).unwrap();
    let expected = |i: usize| if i < 8 { (56 + i as u64, 8) } else { (48, 16) };
    assert_eq!(out.map(|near| (near.row, near.distance)), std::array::from_fn(expected));
}

/// Batches, for which rows are cut into planes, with no, all, few and many bits set.
#[test]
fn nearest_rows_to_batches() {
    let mut rng = Rng(7);
    let nothing = Neighbour { row: 99, distance: 99 };
    let large = |n: usize| if cfg!(miri) { 0 } else { n };
    for (n, bits, gap, queries, k) in [
        (1028, 1, 0, 8, 2),
        (1100, 8, 2, 8, 10),
        (1700, 63, 0, 9, 10),
        (1537, 64, 0, 8, 3),
        (2600, 65, 1, 8, 700),
        (large(2100), 166, 0, 130, 10),
        (large(2047), 256, 0, 9, 1),
        (large(1536), 1000, 3, 8, 10),
        (large(1600), 2048, 0, 8, 20),
        (large(1100), 1 << 14, 0, 8, 5),
        (large(1100), (1 << 14) + 1, 0, 8, 5),
    ] {
        let width = usize::div_ceil(bits, 8);
        let stride = width + gap;
        let mut set = |n: usize| {
            let mut bytes = rng.bytes(n * stride, 2);
            for (i, row) in bytes.chunks_exact_mut(stride).enumerate() {
                let other = rng.bytes(stride, 2);
                match i % 5 {
                    0 => row.iter_mut().zip(other).for_each(|(byte, other)| *byte &= other),
                    1 => row.iter_mut().zip(other).for_each(|(byte, other)| *byte |= other),
                    2 if i % 7 == 0 => row.fill(0),
                    3 if i % 7 == 0 => row.fill(0xff),
                    _ => {}
                }
            }
            bytes.truncate((n * stride).saturating_sub(gap));
            bytes
        };
        let (bytes, query_bytes) = (set(n), set(queries));
        let (held, held_queries) = (Guarded::new(&bytes, Side::End, 0), Guarded::new(&query_bytes, Side::End, 0));
        let rows = BitRows::new(held.as_slice(), n, bits, stride).unwrap();
        let some = BitRows::new(held_queries.as_slice(), queries, bits, stride).unwrap();
        let mut out = vec![nothing; queries * k];
        let found = hamming::nearest(some, rows, k, &mut out).unwrap();
        assert_eq!(found, k.min(n));
        let mask = |at: usize| if at + 1 == width && bits % 8 > 0 { (1 << (bits % 8)) - 1 } else { 0xff };
        for (query, list) in query_bytes.chunks(stride).zip(out.chunks(k)) {
            let mut all: Vec<_> = bytes
                .chunks(stride)
                .zip(0..)
                .map(|(row, index)| {
                    let pairs = row[..width].iter().zip(query).enumerate();
                    let distance = pairs.map(|(at, (a, b))| ((a ^ b) & mask(at)).count_ones()).sum();
                    Neighbour { row: index, distance }
                })
                .collect();
            all.sort_by_key(|near| near.distance);
            assert_eq!(list[..found], all[..found], "{n} rows of {bits} bits");
            assert!(list[found..].iter().all(|&near| near == nothing));
        }
    }
    // Rows in descending order of distance: each enters the lists.
    let rows: Vec<u8> = (0..2048 * 256).map(|at| if at % 256 < 256 - at / 2048 { 0xff } else { 0 }).collect();
    let (rows, queries) =
        (BitRows::new(&rows, 2048, 2048, 256).unwrap(), BitRows::new(&[0; 2048], 8, 2048, 256).unwrap());
    let mut out = [nothing; 8 * 9];
    hamming::nearest(queries, rows, 9, &mut out).unwrap();
    let expected = |i: usize| if i % 9 < 8 { (2040 + i as u64 % 9, 8) } else { (2032, 16) };
    assert_eq!(out.map(|near| (near.row, near.distance)), std::array::from_fn(expected));
}
