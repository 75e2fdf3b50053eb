//! Bit planes and packed rows allocate nothing.

use hotloops::bitslice::{self, Layout, Store, dna};
use hotloops::hamming::{self, BitRows, Hit, Near, Neighbour, PackedRows, Part, Similarity};

use crate::counting::calls;

#[test]
fn bit_planes_and_rows_allocate_nothing() {
    let (mut block, mut distances) = (vec![5u32; 2048], [0; 1024]);
    let (src, mut back) = (vec![3u64; 3000], vec![0u64; 3000]);
    let mut planes = vec![0; bitslice::blocks_len::<u64>(3000, Layout::Rows2048).unwrap()];
    let (mut codes, mut reduced) = ([0; 32], [0; 8192]);
    let (mut counts, mut letters) = ([0; 64], [b'G'; 2000]);
    let bytes = vec![0x5a; 300 * 21];
    let rows = BitRows::new(&bytes, 300, 166, 21).unwrap();
    let mut packed = vec![0; hamming::packed_len(300, 166).unwrap()];
    let (mut out, mut scores) = (vec![0; 300 * 300], vec![0.0; 300 * 300]);
    let (mut hits, mut cursor) = ([Hit::default(); 100], 0);
    let (mut near, mut nearest) = ([Near::default(); 100], vec![Neighbour::default(); 3000]);
    let query = BitRows::new(&bytes, 1, 166, 21).unwrap();
    let used = calls(|| {
        bitslice::slice(&src, &mut planes, 375).unwrap();
        bitslice::unslice(&planes, 375, &mut back).unwrap();
        bitslice::slice_in_place(&mut block).unwrap();
        bitslice::gather_planes(&planes, 64, 375, &[1, 2], &mut back[..2]).unwrap();
        bitslice::count_ones(&src, &mut counts).unwrap();
        for store in [Store::Stream, Store::Cached] {
            bitslice::slice_blocks(&src, Layout::Rows2048, store, &mut planes).unwrap();
            bitslice::unslice_blocks(&planes, Layout::Rows2048, store, &mut back).unwrap();
        }
        dna::encode(&letters, &mut planes, 250).unwrap();
        dna::decode(&planes, 250, &mut letters).unwrap();
        hamming::slices_distance(&block, &mut distances).unwrap();
        hamming::planes_distance(&planes[..8192], &mut distances).unwrap();
        bitslice::classify(&distances, 2048, &mut codes).unwrap();
        let kept = bitslice::reduced_len(2048, &codes).unwrap();
        bitslice::reduce(&planes, 2048, 256, &codes, &mut reduced[..kept]).unwrap();
        bitslice::restore(&reduced[..kept], 2048, &codes, &mut planes, 256).unwrap();
        hamming::within(rows, 0..300, Part::Full, &mut out, 300).unwrap();
        hamming::pack(rows, &mut packed).unwrap();
        let packed = PackedRows::new(&packed).unwrap();
        hamming::cross(&packed, rows, &mut out, 300).unwrap();
        hamming::similarities(&packed, rows, Similarity::Cosine, 1.0, &mut scores, 300).unwrap();
        hamming::search(&packed, rows, Similarity::Tanimoto, 0.5, 1.0, &mut cursor, &mut hits).unwrap();
        hamming::search_near(&packed, rows, 9, &mut 0, &mut near).unwrap();
        hamming::distances_to(query, rows, &mut out[..300]).unwrap();
        hamming::similarities_to(query, rows, Similarity::Dice, 1.0, &mut scores[..300]).unwrap();
        hamming::nearest(rows, rows, 10, &mut nearest).unwrap();
        assert!(bitslice::slice(&src, &mut planes, 1).is_err());
    });
    assert_eq!(used, 0);
    assert_eq!(back, src);
}
