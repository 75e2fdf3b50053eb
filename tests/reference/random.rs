//! The generators against independent sources: outputs published by the authors and the C++
//! standard, and a textbook MT19937.

use hotloops::Error;
use hotloops::random::{Mt19937, philox4x32};
use hotloops_bench_support::mersenne::Textbook;

/// The interlaced output of textbook generators with these seeds.
fn textbook(seeds: &[u32], n: usize) -> Vec<u32> {
    let mut lanes: Vec<_> = seeds.iter().map(|&seed| Textbook::new(seed)).collect();
    (0..n).map(|t| lanes[t % seeds.len()].next_u32()).collect()
}

fn seeds(lanes: usize) -> Vec<u32> {
    (0..lanes as u32).map(|lane| 5489 + lane * lane * 1_000_003).collect()
}

fn draw(generator: &mut Mt19937, n: usize) -> Vec<u32> {
    let mut numbers = vec![0; n];
    generator.fill_u32(&mut numbers);
    numbers
}

/// A xorshift, for sizes.
fn random(state: &mut u32) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    *state as usize
}

#[test]
fn published_outputs_by_seed() {
    for lanes in [4, 8, 16] {
        let mut generator = Mt19937::new(&vec![5489; lanes]).unwrap();
        let numbers = draw(&mut generator, 10_000 * lanes);
        for lane in 0..lanes {
            let output = |n: usize| numbers[(n - 1) * lanes + lane];
            assert_eq!([output(1), output(2), output(10_000)], [3499211612, 581869302, 4123659995]);
        }
    }
}

/// The vectors of Random123 (`kat_vectors`).
#[test]
fn published_outputs_of_philox() {
    let outputs = [
        ([0; 4], [0; 2], [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]),
        ([u32::MAX; 4], [u32::MAX; 2], [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd]),
        (
            [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344],
            [0xa4093822, 0x299f31d0],
            [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1],
        ),
    ];
    for (counter, key, expected) in outputs {
        assert_eq!(philox4x32(counter, key), expected);
    }
}

#[test]
fn published_outputs_by_key() {
    let key: &[u32] = &[0x123, 0x234, 0x345, 0x456];
    let mut generator = Mt19937::from_arrays(&[key; 8]).unwrap();
    let numbers = draw(&mut generator, 5 * 8);
    let published = [1067595299, 955945823, 477289528, 4107218783, 4228976476];
    for (numbers, published) in numbers.chunks(8).zip(published) {
        assert_eq!(numbers, [published; 8]);
    }
}

#[test]
fn long_keys_differ_in_their_last_word() {
    let keys: Vec<Vec<u32>> = (0..4).map(|last| (0..1000).chain([last]).collect()).collect();
    let keys: Vec<&[u32]> = keys.iter().map(Vec::as_slice).collect();
    let numbers = draw(&mut Mt19937::from_arrays(&keys).unwrap(), 4);
    assert!((1..4).all(|lane| numbers[lane] != numbers[0]));
}

#[test]
fn requests_of_all_sizes_give_the_textbook_streams() {
    const SIZES: [usize; 16] = [0, 1, 2, 3, 15, 17, 63, 226, 227, 228, 396, 397, 623, 624, 625, 2500];
    for lanes in [4, 8, 16] {
        let expected = textbook(&seeds(lanes), 3_000 * lanes);
        let mut generator = Mt19937::new(&seeds(lanes)).unwrap();
        let mut state = lanes as u32;
        let mut rest = expected.as_slice();
        while !rest.is_empty() {
            let scale = [1, lanes][random(&mut state) % 2];
            let n = (SIZES[random(&mut state) % SIZES.len()] * scale).min(rest.len());
            assert_eq!(draw(&mut generator, n), rest[..n], "{lanes} lanes, {} before the end", rest.len());
            rest = &rest[n..];
        }
    }
}

#[test]
fn floats_are_the_upper_24_bits() {
    let mut generator = Mt19937::new(&seeds(16)).unwrap();
    let mut floats = vec![0.0; 20_001];
    generator.fill_f32(&mut floats);
    for (float, number) in floats.iter().zip(textbook(&seeds(16), floats.len())) {
        assert_eq!(f64::from(*float), f64::from(number >> 8) / f64::from(1 << 24));
    }
    // Both formats draw from one stream.
    assert_eq!(draw(&mut generator, 7), textbook(&seeds(16), 20_008)[20_001..]);
}

#[test]
fn lanes_of_a_seed_count_up() {
    let seeds = [u32::MAX, 0, 1, 2, 3, 4, 5, 6];
    assert_eq!(draw(&mut Mt19937::seeded(8, u32::MAX).unwrap(), 800), textbook(&seeds, 800));
}

fn saved(generator: &Mt19937) -> Vec<u8> {
    let mut bytes = vec![0; generator.state_len()];
    generator.state_bytes(&mut bytes).unwrap();
    bytes
}

#[test]
fn a_saved_state_goes_on_where_it_was_saved() {
    for lanes in [4, 8, 16] {
        for drawn in [0, 1, 226 * lanes + 3, 623 * lanes, 624 * lanes - 1, 624 * lanes, 1000 * lanes + 1] {
            let mut generator = Mt19937::new(&seeds(lanes)).unwrap();
            draw(&mut generator, drawn);
            let bytes = saved(&generator);
            let mut copies = [
                generator.try_clone().unwrap(),
                Mt19937::from_state_bytes(&bytes).unwrap(),
                Mt19937::seeded(lanes, 1).unwrap(),
                Mt19937::seeded(if lanes == 4 { 16 } else { 4 }, 1).unwrap(),
            ];
            copies[2].set_state(&bytes).unwrap();
            copies[3].set_state(&bytes).unwrap();
            assert!(copies.iter().all(|copy| *copy == generator), "{lanes} lanes, {drawn} drawn");
            let expected = draw(&mut generator, 5000);
            assert_eq!(expected, textbook(&seeds(lanes), drawn + 5000)[drawn..]);
            for mut copy in copies {
                assert_eq!((copy.lanes(), saved(&copy)), (lanes, bytes.clone()));
                assert_eq!(draw(&mut copy, 5000), expected);
            }
        }
    }
}

/// The layout is stable: later versions must read saved states.
#[test]
fn a_saved_state_is_what_the_documentation_says() {
    let mut generator = Mt19937::seeded(4, 7).unwrap();
    draw(&mut generator, 4 * 624 + 2);
    let bytes = saved(&generator);
    assert_eq!(bytes.len(), 24 + 4 * 4 * 624 + 8);
    assert_eq!(bytes[..24], *b"hlmt1993\x01\0\0\0\x04\0\0\0\x02\0\0\0\0\0\0\0");
    let word = |index: usize| u32::from_le_bytes(bytes[24 + 4 * index..][..4].try_into().unwrap());
    let mut lane = Textbook::new(8);
    for _ in 0..624 {
        lane.next_u32();
    }
    assert_eq!([word(5), word(4 * 623 + 1)], [lane.state[1], lane.state[623]]);
    let hash = bytes[..bytes.len() - 8]
        .iter()
        .fold(0xcbf29ce484222325, |hash: u64, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100000001b3));
    assert_eq!(bytes[bytes.len() - 8..], hash.to_le_bytes());
}

#[test]
fn a_damaged_state_is_refused_and_changes_nothing() {
    let mut generator = Mt19937::new(&seeds(4)).unwrap();
    draw(&mut generator, 999);
    let before = saved(&generator);
    let mut refused = |bytes: &[u8], error: Error| {
        assert_eq!(Mt19937::from_state_bytes(bytes), Err(error));
        assert_eq!(generator.set_state(bytes), Err(error));
        assert_eq!(saved(&generator), before);
    };

    let good = saved(&Mt19937::new(&seeds(8)).unwrap());
    for length in (0..24).chain([24, 25, good.len() - 9, good.len() - 1]) {
        let expected = if length < 24 { 24 } else { good.len() };
        refused(&good[..length], Error::StateTruncated { expected, found: length });
    }
    let (expected, found) = (good.len(), good.len() + 1);
    refused(&[good.as_slice(), &[0]].concat(), Error::Length { argument: "bytes", expected, found });

    let changed = |index: usize, by: u8| {
        let mut bytes = good.clone();
        bytes[index] ^= by;
        bytes
    };
    for index in 0..12 {
        refused(&changed(index, 0x10), Error::StateForeign);
    }
    for index in (12..24).chain([24, 1000, good.len() - 9, good.len() - 1]) {
        refused(&changed(index, 1), Error::StateCorrupt);
    }
    // From 8 lanes to 16 or 4: the state must be longer or shorter.
    refused(&changed(12, 8 ^ 16), Error::StateTruncated { expected: 24 + 16 * 4 * 624 + 8, found: good.len() });
    refused(
        &changed(12, 8 ^ 4),
        Error::Length { argument: "bytes", expected: 24 + 4 * 4 * 624 + 8, found: good.len() },
    );
    // A position behind the last word, and a later one, with the right hash.
    for position in [624 * 8, 624 * 8 + 1, u64::MAX] {
        let mut bytes = good.clone();
        let (body, hash) = bytes.split_at_mut(good.len() - 8);
        body[16..24].copy_from_slice(&position.to_le_bytes());
        let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100000001b3);
        hash.copy_from_slice(&body.iter().fold(0xcbf29ce484222325, step).to_le_bytes());
        refused(&bytes, Error::StateCorrupt);
    }
    refused(b"RIFF\x24\0\0\0WAVEfmt ", Error::StateForeign);
}

#[test]
fn wrong_shapes_are_refused() {
    for lanes in [0, 1, 2, 3, 5, 7, 12, 15, 17, 32] {
        assert_eq!(Mt19937::new(&vec![1; lanes]), Err(Error::Lanes { lanes }));
        assert_eq!(Mt19937::seeded(lanes, 1), Err(Error::Lanes { lanes }));
        assert_eq!(Mt19937::from_arrays(&vec![&[1][..]; lanes]), Err(Error::Lanes { lanes }));
    }
    let no_words = Err(Error::Length { argument: "lane_keys", expected: 1, found: 0 });
    assert_eq!(Mt19937::from_arrays(&[&[1], &[2], &[], &[3]]), no_words);
    let generator = Mt19937::seeded(4, 1).unwrap();
    let (expected, found) = (generator.state_len(), generator.state_len() - 1);
    let wrong = Err(Error::Length { argument: "bytes", expected, found });
    assert_eq!(generator.state_bytes(&mut vec![0; found]), wrong);
}

#[test]
fn generators_can_move_between_threads() {
    fn is_send<T: Send + Sync>() {}
    is_send::<Mt19937>();
}
