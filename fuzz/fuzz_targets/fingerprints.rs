#![no_main]

use arbitrary::Arbitrary;
use hotloops::fingerprints::{Condition, Index, Match, Measure, PairMatch, Searcher};
use hotloops::hamming::BitRows;
use hotloops_fuzz::alike;

#[derive(Arbitrary, Debug)]
struct Input {
    bytes: Vec<u8>,
    copies: u8,
    bits: u16,
    query: u8,
    measure: u8,
    threshold: u8,
    empty: bool,
    room: u8,
    cut: u16,
    damage: Vec<(u16, u8)>,
}

fn score(measure: Measure, empty: f32, b: u32, a: u32, c: u32) -> f32 {
    match measure {
        Measure::Hamming => (a + b - 2 * c) as f32,
        _ if a + b == 0 => empty,
        Measure::Tanimoto => c as f32 / (a + b - c) as f32,
        Measure::Dice => (2 * c) as f32 / (a + b) as f32,
        Measure::Cosine if a == 0 || b == 0 => 0.0,
        Measure::Cosine => (f64::from(c) / (f64::from(a) * f64::from(b)).sqrt()) as f32,
        Measure::Tversky { .. } if c == 0 => 0.0,
        Measure::Tversky { alpha, beta } => {
            let x = alpha * f64::from(b - c) + beta * f64::from(a - c);
            (1.0 / (1.0 + x / f64::from(c))) as f32
        }
        Measure::Containment if b == 0 => empty,
        Measure::Containment => c as f32 / b as f32,
    }
}

fn image(rows: BitRows) -> Vec<u8> {
    let mut memory = vec![0xa5; Index::image_len(rows.len(), rows.bits()).unwrap()];
    Index::build(rows, &mut memory).unwrap();
    memory
}

fn search(indexes: &[Index], query: &[u8], condition: &Condition, room: usize) -> Vec<Match> {
    let total = indexes.iter().map(Index::len).sum::<usize>() as u64;
    let (mut searcher, mut cursor, mut all) = (Searcher::new(), 0, Vec::new());
    let mut hits = vec![Match::default(); room];
    while cursor < total {
        let before = cursor;
        let found = searcher.search(indexes, query, condition, &mut cursor, &mut hits).unwrap();
        assert!(cursor > before || found > 0);
        all.extend_from_slice(&hits[..found]);
    }
    all
}

fn batch(indexes: &[Index], queries: BitRows, condition: &Condition, room: usize) -> Vec<PairMatch> {
    let total = (indexes.iter().map(Index::len).sum::<usize>() * queries.len()) as u64;
    let (mut searcher, mut cursor, mut all) = (Searcher::new(), 0, Vec::new());
    let mut hits = vec![PairMatch::default(); room];
    while cursor < total {
        let before = cursor;
        let found = searcher.batch(indexes, queries, condition, &mut cursor, &mut hits).unwrap();
        assert!(cursor > before || found > 0);
        all.extend_from_slice(&hits[..found]);
    }
    all
}

fn top(indexes: &[Index], query: &[u8], condition: &Condition, room: usize) -> Vec<Match> {
    let mut hits = vec![Match::default(); room];
    let found = Searcher::new().top(indexes, query, condition, &mut hits).unwrap();
    hits.truncate(found);
    hits
}

libfuzzer_sys::fuzz_target!(|input: Input| {
    let bits = 1 + usize::from(input.bits % 700);
    let row = bits.div_ceil(8);
    let copies = 1 + usize::from(input.copies % 32);
    let bytes: Vec<u8> = input.bytes.iter().copied().cycle().take(copies * input.bytes.len()).collect();
    let n = (bytes.len() / row).min(1200);
    if n == 0 {
        // Bytes that nobody built.
        if let Ok(index) = Index::new(&input.bytes) {
            assert_eq!(index.as_bytes(), &input.bytes[..index.as_bytes().len()]);
        }
        return;
    }
    let query = &bytes[usize::from(input.query) % n * row..][..row];
    let queries = BitRows::new(&bytes, n.min(3), bits, row).unwrap();
    let room = 1 + usize::from(input.room);
    let part = f32::from(input.threshold) / 255.0;
    let (measure, threshold) = match input.measure % 7 {
        0 => (Measure::Hamming, part * bits as f32),
        1 => (Measure::Tanimoto, part),
        2 => (Measure::Dice, part),
        3 => (Measure::Cosine, part),
        4 => (Measure::Tversky { alpha: 0.9, beta: 0.1 }, part),
        5 => (Measure::Tversky { alpha: 0.0, beta: 1.0 }, part),
        _ => (Measure::Containment, part),
    };
    let condition = Condition { measure, threshold, empty: f32::from(u8::from(input.empty)) };
    let meets = |score| if measure == Measure::Hamming { score <= threshold } else { score >= threshold };

    // The comparison of every row; bits past the last one don't count.
    let mask = |i: usize| if i + 1 < row { 0xff } else { 0xff >> (8 * row - bits) };
    let ones = |x: &[u8]| x.iter().enumerate().map(|(i, x)| (x & mask(i)).count_ones()).sum::<u32>();
    let all = |query: &[u8]| -> Vec<Match> {
        let hit = |(number, x): (usize, &[u8])| {
            let both: Vec<u8> = x.iter().zip(query).map(|(x, y)| x & y).collect();
            let (common, ones_of) = (ones(&both), ones(x));
            let score = score(measure, condition.empty, ones(query), ones_of, common);
            Match { row: number as u64, common, ones: ones_of, score }
        };
        bytes.chunks_exact(row).take(n).enumerate().map(hit).filter(|hit| meets(hit.score)).collect()
    };
    let expected = all(query);
    let mut best = expected.clone();
    best.sort_by(|x, y| {
        let order = if measure == Measure::Hamming { x.score.total_cmp(&y.score) } else { y.score.total_cmp(&x.score) };
        order.then(x.row.cmp(&y.row))
    });
    best.truncate(room);

    let cut = usize::from(input.cut) % (n + 1);
    let parts = [BitRows::new(&bytes, cut, bits, row), BitRows::new(&bytes[cut * row..], n - cut, bits, row)];
    let mut images = parts.map(|part| image(part.unwrap()));
    alike(|| {
        let indexes = [Index::new(&images[0]).unwrap(), Index::new(&images[1]).unwrap()];
        let mut found = search(&indexes, query, &condition, room);
        found.sort_by_key(|hit| hit.row);
        assert_eq!(found, expected);
        assert_eq!(top(&indexes, query, &condition, room), best);
        let mut found: Vec<_> = batch(&indexes, queries, &condition, room)
            .into_iter()
            .map(|hit| (hit.query, hit.row, hit.common, hit.ones, hit.score.to_bits()))
            .collect();
        found.sort_unstable();
        let each = (0..).zip(bytes.chunks_exact(row).take(queries.len()));
        let rows = each.flat_map(|(number, query)| all(query).into_iter().map(move |hit| (number, hit)));
        let rows = rows.map(|(number, hit)| (number, hit.row, hit.common, hit.ones, hit.score.to_bits()));
        assert_eq!(found, rows.collect::<Vec<_>>());
    });

    // Searches of a damaged image return wrong rows, but they end and stay in memory.
    for &(at, value) in &input.damage {
        for image in &mut images {
            let length = image.len();
            image[usize::from(at) % length] = value;
        }
    }
    if let (Ok(x), Ok(y)) = (Index::new(&images[0]), Index::new(&images[1]))
        && x.bits() == y.bits()
        && x.bits() <= 8 * row
    {
        let indexes = [x, y];
        search(&indexes, query, &condition, room);
        top(&indexes, query, &condition, room);
        if x.bits() == bits {
            batch(&indexes, queries, &condition, room);
        }
    }
});
