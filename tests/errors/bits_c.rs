//! Bad input of bit planes and fingerprints, in C.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use hotloops::hamming::{Hit, Near, Neighbour};

use crate::is;

unsafe extern "C" {
    fn hl_bitslice_slice(src: *const c_void, n: usize, elem_bytes: u32, planes: *mut u8, stride: usize) -> i32;
    fn hl_bitslice_unslice(planes: *const u8, stride: usize, n: usize, elem_bytes: u32, dst: *mut c_void) -> i32;
    fn hl_bitslice_blocks_size(n: usize, elem_bytes: u32, layout: u32, bytes: *mut usize) -> i32;
    fn hl_bitslice_slice_blocks(src: *const c_void, n: usize, width: u32, dst: *mut u8, layout: u32, flags: u32)
    -> i32;
    fn hl_bitslice_unslice_blocks(
        src: *const u8,
        n: usize,
        width: u32,
        dst: *mut c_void,
        layout: u32,
        flags: u32,
    ) -> i32;
    fn hl_bitslice_slice_inplace_u32x2048(block: *mut u32, n_blocks: usize) -> i32;
    fn hl_bitslice_unslice_inplace_u32x2048(block: *mut u32, n_blocks: usize) -> i32;
    fn hl_bitslice_gather(
        planes: *const u8,
        stride: usize,
        count: u32,
        idx: *const usize,
        n: usize,
        out: *mut c_void,
    ) -> i32;
    fn hl_bitslice_gather_blocks(
        blocks: *const u8,
        n_elems: usize,
        elem_bytes: u32,
        layout: u32,
        idx: *const usize,
        n: usize,
        out: *mut c_void,
    ) -> i32;
    fn hl_bitslice_positional_popcount(src: *const c_void, n: usize, elem_bytes: u32, out: *mut u64) -> i32;
    fn hl_bitslice_classify_planes(d: *const u32, n: usize, code: *mut u16) -> i32;
    fn hl_bitslice_reduced_size(n: usize, n_planes: u32, code: *const u16, bytes: *mut usize) -> i32;
    fn hl_bitslice_encode_dna(letters: *const u8, n: usize, planes: *mut u8, stride: usize) -> i32;
    fn hl_bitslice_decode_dna(planes: *const u8, stride: usize, n: usize, letters: *mut u8) -> i32;
    fn hl_hamming_popcount_rows(rows: *const u8, n: usize, bits: usize, stride: usize, out: *mut u32) -> i32;
    fn hl_hamming_slices_distance_u32x2048(block: *const u32, d: *mut u32) -> i32;
    fn hl_hamming_planes_distance_u32x2048(planes: *const u8, d: *mut u32) -> i32;
    fn hl_hamming_self(
        rows: *const u8,
        n: usize,
        bits: usize,
        stride: usize,
        out: *mut u32,
        out_stride: usize,
        row_begin: usize,
        row_count: usize,
        flags: u32,
    ) -> i32;
    fn hl_hamming_packed_bytes(n_rows: usize, bits: usize) -> usize;
    fn hl_hamming_pack(rows: *const u8, n: usize, bits: usize, stride: usize, packed: *mut c_void) -> i32;
    fn hl_hamming_cross(
        packed: *const c_void,
        rows: *const u8,
        n: usize,
        stride: usize,
        out: *mut u32,
        out_stride: usize,
    ) -> i32;
    fn hl_hamming_tanimoto_cross(
        packed: *const c_void,
        rows: *const u8,
        n: usize,
        stride: usize,
        empty: f32,
        out: *mut f32,
        out_stride: usize,
    ) -> i32;
    fn hl_hamming_tanimoto_threshold(
        packed: *const c_void,
        rows: *const u8,
        n: usize,
        stride: usize,
        threshold: f32,
        empty: f32,
        cursor: *mut u64,
        hits: *mut Hit,
        capacity: usize,
        found: *mut usize,
    ) -> i32;
    fn hl_hamming_distance_threshold(
        packed: *const c_void,
        rows: *const u8,
        n: usize,
        stride: usize,
        max_distance: u32,
        cursor: *mut u64,
        hits: *mut Near,
        capacity: usize,
        found: *mut usize,
    ) -> i32;
    fn hl_hamming_distances_to(
        query: *const u8,
        rows: *const u8,
        n: usize,
        bits: usize,
        stride: usize,
        out: *mut u32,
    ) -> i32;
    fn hl_hamming_dice_to(
        query: *const u8,
        rows: *const u8,
        n: usize,
        bits: usize,
        stride: usize,
        empty: f32,
        out: *mut f32,
    ) -> i32;
    fn hl_hamming_nearest(
        queries: *const u8,
        n_queries: usize,
        query_stride: usize,
        rows: *const u8,
        n: usize,
        stride: usize,
        bits: usize,
        k: usize,
        out: *mut Neighbour,
        found: *mut usize,
    ) -> i32;
}

const EACH: [u32; 4] = [1, 2, 4, 8];

#[test]
fn planes() {
    let mut memory = [7u8; 4096];
    let start = memory.as_mut_ptr();
    let (src, dst) = (start.cast::<c_void>(), start.wrapping_add(2048));
    // SAFETY: the arguments name parts of the memory, or are wrong.
    unsafe {
        for width in [0, 3, 5, 16, u32::MAX] {
            is(hl_bitslice_slice(src, 10, width, dst, 2), "HL_ERR_ELEMENT_SIZE");
            is(hl_bitslice_unslice(start, 2, 10, width, dst.cast()), "HL_ERR_ELEMENT_SIZE");
            is(hl_bitslice_blocks_size(10, width, 0, &mut 0), "HL_ERR_ELEMENT_SIZE");
            is(hl_bitslice_slice_blocks(src, 10, width, dst, 0, 0), "HL_ERR_ELEMENT_SIZE");
            is(hl_bitslice_unslice_blocks(start, 10, width, dst.cast(), 0, 0), "HL_ERR_ELEMENT_SIZE");
            is(hl_bitslice_gather_blocks(start, 10, width, 0, &0, 1, dst.cast()), "HL_ERR_ELEMENT_SIZE");
            is(hl_bitslice_positional_popcount(src, 10, width, dst.cast()), "HL_ERR_ELEMENT_SIZE");
        }
        for width in EACH {
            is(hl_bitslice_slice(null(), 10, width, dst, 2), "HL_ERR_NULL");
            is(hl_bitslice_slice(src, 10, width, null_mut(), 2), "HL_ERR_NULL");
            is(hl_bitslice_slice(src, 10, width, dst, 1), "HL_ERR_STRIDE");
            is(hl_bitslice_slice(src, usize::MAX / 2, width, dst, usize::MAX / 2), "HL_ERR_TOO_LARGE");
            is(hl_bitslice_slice(null(), 0, width, null_mut(), 0), "HL_OK");
            is(hl_bitslice_unslice(null(), 2, 10, width, dst.cast()), "HL_ERR_NULL");
            is(hl_bitslice_unslice(start, 2, 10, width, null_mut()), "HL_ERR_NULL");
            is(hl_bitslice_unslice(start, 1, 10, width, dst.cast()), "HL_ERR_STRIDE");
            // From the same address up to one byte before the end of each.
            let (elements, planes) = (10 * width as usize, (8 * width as usize - 1) * 2 + 2);
            for apart in [0, 1, elements - 1] {
                is(hl_bitslice_slice(src, 10, width, start.wrapping_add(apart), 2), "HL_ERR_OVERLAP");
            }
            for apart in [0, 1, planes - 1] {
                is(hl_bitslice_slice(start.wrapping_add(apart).cast(), 10, width, start, 2), "HL_ERR_OVERLAP");
                is(hl_bitslice_unslice(start, 2, 10, width, start.wrapping_add(apart).cast()), "HL_ERR_OVERLAP");
            }
            is(hl_bitslice_blocks_size(10, width, 2, &mut 0), "HL_ERR_OPTION");
            is(hl_bitslice_blocks_size(10, width, 1, null_mut()), "HL_ERR_NULL");
            is(hl_bitslice_blocks_size(usize::MAX, width, 1, &mut 0), "HL_ERR_TOO_LARGE");
            is(hl_bitslice_slice_blocks(src, 10, width, dst, 2, 0), "HL_ERR_OPTION");
            is(hl_bitslice_slice_blocks(src, 10, width, dst, 1, 3), "HL_ERR_OPTION");
            is(hl_bitslice_slice_blocks(src, 10, width, start.wrapping_add(1), 1, 0), "HL_ERR_OVERLAP");
            is(hl_bitslice_slice_blocks(null(), 10, width, dst, 1, 0), "HL_ERR_NULL");
            is(hl_bitslice_unslice_blocks(start, 10, width, dst.cast(), 2, 0), "HL_ERR_OPTION");
            is(hl_bitslice_unslice_blocks(start, 10, width, dst.cast(), 1, 3), "HL_ERR_OPTION");
            is(hl_bitslice_unslice_blocks(start, 10, width, src, 1, 0), "HL_ERR_OVERLAP");
            is(hl_bitslice_unslice_blocks(start, 10, width, null_mut(), 1, 0), "HL_ERR_NULL");
            is(hl_bitslice_positional_popcount(src, 10, width, null_mut()), "HL_ERR_NULL");
            is(hl_bitslice_positional_popcount(null(), 10, width, dst.cast()), "HL_ERR_NULL");
            is(hl_bitslice_positional_popcount(src, 10, width, start.cast()), "HL_ERR_OVERLAP");
        }
        is(hl_bitslice_slice_inplace_u32x2048(null_mut(), 1), "HL_ERR_NULL");
        is(hl_bitslice_unslice_inplace_u32x2048(null_mut(), 1), "HL_ERR_NULL");
        is(hl_bitslice_slice_inplace_u32x2048(null_mut(), usize::MAX), "HL_ERR_TOO_LARGE");
        is(hl_bitslice_slice_inplace_u32x2048(null_mut(), 0), "HL_OK");

        for count in [0, 65] {
            is(hl_bitslice_gather(start, 4, count, &0, 1, dst.cast()), "HL_ERR_PLANES");
        }
        is(hl_bitslice_gather(start, 4, 32, &32, 1, dst.cast()), "HL_ERR_INDEX");
        is(hl_bitslice_gather(start, 4, 32, null(), 1, dst.cast()), "HL_ERR_NULL");
        is(hl_bitslice_gather(null(), 4, 32, &0, 1, dst.cast()), "HL_ERR_NULL");
        is(hl_bitslice_gather(start, 4, 32, &0, 1, null_mut()), "HL_ERR_NULL");
        is(hl_bitslice_gather(start, 4, 32, &0, 1, start.wrapping_add(5).cast()), "HL_ERR_OVERLAP");
        is(hl_bitslice_gather_blocks(start, 10, 4, 1, &10, 1, dst.cast()), "HL_ERR_INDEX");
        is(hl_bitslice_gather_blocks(start, 10, 4, 7, &0, 1, dst.cast()), "HL_ERR_OPTION");
        is(hl_bitslice_gather_blocks(start, 10, 4, 1, &0, 1, start.cast()), "HL_ERR_OVERLAP");

        let letters = b"ACGR".as_ptr();
        is(hl_bitslice_encode_dna(letters, 4, dst, 1), "HL_ERR_LETTER");
        is(hl_bitslice_encode_dna(letters, 4, dst, 0), "HL_ERR_STRIDE");
        is(hl_bitslice_encode_dna(null(), 4, dst, 1), "HL_ERR_NULL");
        is(hl_bitslice_encode_dna(letters, 4, null_mut(), 1), "HL_ERR_NULL");
        is(hl_bitslice_encode_dna(dst, 4, dst, 1), "HL_ERR_OVERLAP");
        is(hl_bitslice_decode_dna([0, 0, 1].as_ptr(), 1, 4, dst), "HL_ERR_LETTER_CODE");
        is(hl_bitslice_decode_dna(dst, 1, 4, dst), "HL_ERR_OVERLAP");
        is(hl_bitslice_decode_dna(dst, 1, 4, null_mut()), "HL_ERR_NULL");

        is(hl_bitslice_classify_planes(null(), 2048, [0; 32].as_mut_ptr()), "HL_ERR_NULL");
        is(hl_bitslice_classify_planes([0; 1024].as_ptr(), 2048, null_mut()), "HL_ERR_NULL");
        is(hl_bitslice_reduced_size(8, 1, &6, &mut 0), "HL_ERR_PLANE_CODE");
        is(hl_bitslice_reduced_size(8, 0, &0, &mut 0), "HL_ERR_PLANES");
        is(hl_bitslice_reduced_size(8, 1, null(), &mut 0), "HL_ERR_NULL");
        is(hl_bitslice_reduced_size(8, 1, &0, null_mut()), "HL_ERR_NULL");
    }
    assert!(memory.iter().all(|&byte| byte == 7));
}

#[test]
fn rows() {
    let (bytes, mut out, mut floats) = ([0xffu8; 100], [7u32; 100], [7f32; 100]);
    let (rows, to) = (bytes.as_ptr(), out.as_mut_ptr());
    let mut distances = vec![7u32; 4096];
    let d = distances.as_mut_ptr();
    let mut packed = vec![0u8; 1000];
    let (mut cursor, mut hits, mut found) = (0, [Hit::default(); 2], 7);
    // SAFETY: as above.
    unsafe {
        is(hl_hamming_popcount_rows(rows, 2, 0, 5, to), "HL_ERR_NO_BITS");
        is(hl_hamming_popcount_rows(rows, 2, 41, 5, to), "HL_ERR_STRIDE");
        is(hl_hamming_popcount_rows(rows, 2, 1 << 32, 1 << 29, to), "HL_ERR_TOO_LARGE");
        is(hl_hamming_popcount_rows(null(), 2, 40, 5, to), "HL_ERR_NULL");
        is(hl_hamming_popcount_rows(rows, 2, 40, 5, null_mut()), "HL_ERR_NULL");
        is(hl_hamming_popcount_rows(to.cast(), 2, 40, 5, to), "HL_ERR_OVERLAP");
        is(hl_hamming_popcount_rows(null(), 0, 0, 0, null_mut()), "HL_OK");
        is(hl_hamming_slices_distance_u32x2048(null(), d), "HL_ERR_NULL");
        is(hl_hamming_slices_distance_u32x2048(d, null_mut()), "HL_ERR_NULL");
        is(hl_hamming_slices_distance_u32x2048(d, d.add(2047)), "HL_ERR_OVERLAP");
        is(hl_hamming_planes_distance_u32x2048(null(), d), "HL_ERR_NULL");
        is(hl_hamming_planes_distance_u32x2048(d.cast(), d.add(1)), "HL_ERR_OVERLAP");

        let within =
            |out_stride, begin, count, flags| hl_hamming_self(rows, 4, 40, 5, to, out_stride, begin, count, flags);
        is(within(3, 0, 4, 0), "HL_ERR_STRIDE");
        is(within(4, 0, 5, 0), "HL_ERR_INDEX");
        is(within(4, 4, 1, 0), "HL_ERR_INDEX");
        is(within(4, 1, usize::MAX, 0), "HL_ERR_INDEX");
        is(within(4, 0, 4, 2), "HL_ERR_OPTION");
        is(within(usize::MAX / 2, 0, 4, 0), "HL_ERR_TOO_LARGE");
        is(hl_hamming_self(to.cast(), 4, 40, 5, to, 4, 0, 4, 0), "HL_ERR_OVERLAP");
        is(hl_hamming_self(rows, 4, 40, 5, null_mut(), 4, 0, 4, 0), "HL_ERR_NULL");

        assert_eq!(hl_hamming_packed_bytes(1, 0), 0);
        assert_eq!(hl_hamming_packed_bytes(usize::MAX, 8), 0);
        let size = hl_hamming_packed_bytes(9, 40);
        assert!(size > 0 && size < packed.len());
        let memory = packed.as_mut_ptr().cast::<c_void>();
        is(hl_hamming_pack(rows, 9, 40, 4, memory), "HL_ERR_STRIDE");
        is(hl_hamming_pack(rows, 9, 0, 4, memory), "HL_ERR_NO_BITS");
        is(hl_hamming_pack(null(), 9, 40, 5, memory), "HL_ERR_NULL");
        is(hl_hamming_pack(rows, 9, 40, 5, null_mut()), "HL_ERR_NULL");
        is(hl_hamming_pack(memory.cast(), 9, 40, 5, memory), "HL_ERR_OVERLAP");
        is(hl_hamming_cross(memory, rows, 2, 5, to, 9), "HL_ERR_PACKED");
        is(hl_hamming_pack(rows, 9, 40, 5, memory), "HL_OK");
        is(hl_hamming_cross(null(), rows, 2, 5, to, 9), "HL_ERR_NULL");
        is(hl_hamming_cross(memory, null(), 2, 5, to, 9), "HL_ERR_NULL");
        is(hl_hamming_cross(memory, rows, 2, 5, null_mut(), 9), "HL_ERR_NULL");
        is(hl_hamming_cross(memory, rows, 2, 4, to, 9), "HL_ERR_STRIDE");
        is(hl_hamming_cross(memory, rows, 2, 5, to, 8), "HL_ERR_STRIDE");
        is(hl_hamming_cross(memory, rows, 2, 5, memory.cast(), 9), "HL_ERR_OVERLAP");
        is(hl_hamming_tanimoto_cross(memory, rows, 2, 5, 1.0, floats.as_mut_ptr(), 8), "HL_ERR_STRIDE");
        is(hl_hamming_tanimoto_cross(memory, rows, 2, 5, 1.0, null_mut(), 9), "HL_ERR_NULL");

        let mut search = |threshold, cursor: *mut u64, capacity, found: *mut usize| {
            let hits = hits.as_mut_ptr();
            hl_hamming_tanimoto_threshold(memory, rows, 2, 5, threshold, 1.0, cursor, hits, capacity, found)
        };
        let mut near = [Near::default()];
        let mut search_near = |n_rows, cursor: *mut u64, capacity, found: *mut usize| {
            hl_hamming_distance_threshold(memory, rows, n_rows, 5, 0, cursor, near.as_mut_ptr(), capacity, found)
        };
        is(search_near(2, null_mut(), 1, &mut found), "HL_ERR_NULL");
        is(search_near(2, &mut cursor, 0, &mut found), "HL_ERR_LENGTH");
        is(search_near(2, &mut 19, 1, &mut found), "HL_ERR_INDEX");
        is(search_near(2, &mut cursor, 1, null_mut()), "HL_ERR_NULL");

        is(hl_hamming_distances_to(rows, rows, 2, 0, 5, to), "HL_ERR_NO_BITS");
        is(hl_hamming_distances_to(rows, rows, 2, 41, 5, to), "HL_ERR_STRIDE");
        is(hl_hamming_distances_to(rows, to.cast(), 2, 40, 5, to), "HL_ERR_OVERLAP");
        is(hl_hamming_distances_to(to.cast(), rows, 2, 40, 5, to), "HL_ERR_OVERLAP");
        is(hl_hamming_distances_to(rows, null(), 0, 40, 0, null_mut()), "HL_OK");
        is(hl_hamming_dice_to(rows, rows, 2, 40, 4, 1.0, floats.as_mut_ptr()), "HL_ERR_STRIDE");

        let nothing = Neighbour { row: 7, distance: 7 };
        let mut list = [nothing; 4];
        let at = list.as_mut_ptr();
        let nearest = |bits, k, out: *mut Neighbour, found: *mut usize| {
            hl_hamming_nearest(rows, 2, 5, rows, 3, 5, bits, k, out, found)
        };
        is(nearest(0, 2, at, &mut found), "HL_ERR_NO_BITS");
        is(nearest(41, 2, at, &mut found), "HL_ERR_STRIDE");
        is(nearest(40, usize::MAX, at, &mut found), "HL_ERR_TOO_LARGE");
        is(nearest(40, 2, null_mut(), &mut found), "HL_ERR_NULL");
        is(nearest(40, 2, at, null_mut()), "HL_ERR_NULL");
        is(nearest(40, 2, rows.cast_mut().cast(), &mut found), "HL_ERR_OVERLAP");
        assert_eq!((list, found), ([nothing; 4], 7));

        is(search(1.5, &mut cursor, 2, &mut found), "HL_ERR_THRESHOLD");
        is(search(0.5, null_mut(), 2, &mut found), "HL_ERR_NULL");
        is(search(0.5, &mut cursor, 2, null_mut()), "HL_ERR_NULL");
        is(search(0.5, &mut cursor, 0, &mut found), "HL_ERR_LENGTH");
        is(search(0.5, &mut 19, 2, &mut found), "HL_ERR_INDEX");
        assert_eq!((cursor, found), (0, 7));
        is(search(0.5, &mut cursor, 2, &mut found), "HL_OK");
        assert_eq!((cursor, found), (2, 2));
    }
    assert_eq!((out, floats), ([7; 100], [7.0; 100]));
    assert!(distances.iter().all(|&value| value == 7));
    assert_eq!(hits[1], Hit { row: 0, packed_row: 1, similarity: 1.0 });
}
