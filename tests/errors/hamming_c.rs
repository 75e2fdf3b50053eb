//! Bad input of fingerprints, in C.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use hotloops::hamming::{Hit, Near, Neighbour};

use crate::is;

unsafe extern "C" {
    fn hl_hamming_popcount_rows(rows: *const u8, n: usize, bits: usize, stride: usize, out: *mut u32) -> i32;
    fn hl_hamming_slices_distance_u32x2048(block: *const u32, d: *mut u32) -> i32;
    fn hl_hamming_planes_distance_u32x2048(planes: *const u8, d: *mut u32) -> i32;
    fn hl_hamming_self(
        rows: *const u8,
        n: usize,
        bits: usize,
        stride: usize,
        row_begin: usize,
        row_count: usize,
        flags: u32,
        out: *mut u32,
        out_stride: usize,
    ) -> i32;
    safe fn hl_hamming_packed_bytes(n_rows: usize, bits: usize) -> usize;
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
        bits: usize,
        stride: usize,
        k: usize,
        out: *mut Neighbour,
        found: *mut usize,
    ) -> i32;
}

/// Nine rows of 40 bits, packed.
fn nine_packed(rows: *const u8) -> Vec<u8> {
    let mut packed = vec![0; hl_hamming_packed_bytes(9, 40)];
    // SAFETY: the memory has the size that it needs.
    is(unsafe { hl_hamming_pack(rows, 9, 40, 5, packed.as_mut_ptr().cast()) }, "HL_OK");
    packed
}

#[test]
fn rows() {
    let (bytes, mut out) = ([0xffu8; 100], [7u32; 100]);
    let (rows, to) = (bytes.as_ptr(), out.as_mut_ptr());
    let mut distances = vec![7u32; 4096];
    let d = distances.as_mut_ptr();
    // SAFETY: the arguments name whole arrays, or are wrong.
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
            |out_stride, begin, count, flags| hl_hamming_self(rows, 4, 40, 5, begin, count, flags, to, out_stride);
        is(within(3, 0, 4, 0), "HL_ERR_STRIDE");
        is(within(4, 0, 5, 0), "HL_ERR_INDEX");
        is(within(4, 4, 1, 0), "HL_ERR_INDEX");
        is(within(4, 1, usize::MAX, 0), "HL_ERR_INDEX");
        is(within(4, 0, 4, 2), "HL_ERR_OPTION");
        is(within(usize::MAX / 2, 0, 4, 0), "HL_ERR_TOO_LARGE");
        is(hl_hamming_self(to.cast(), 4, 40, 5, 0, 4, 0, to, 4), "HL_ERR_OVERLAP");
        is(hl_hamming_self(rows, 4, 40, 5, 0, 4, 0, null_mut(), 4), "HL_ERR_NULL");
    }
    assert_eq!(out, [7; 100]);
    assert!(distances.iter().all(|&value| value == 7));
}

#[test]
fn packed_rows() {
    let (bytes, mut out) = ([0xffu8; 100], [7u32; 100]);
    let (rows, to) = (bytes.as_ptr(), out.as_mut_ptr());
    let mut packed = vec![0u8; 1000];
    // SAFETY: the arguments name whole arrays, or are wrong.
    unsafe {
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
    }
    assert_eq!(out, [7; 100]);
}

#[test]
fn comparisons_with_packed_rows() {
    let (bytes, mut out, mut floats) = ([0xffu8; 100], [7u32; 100], [7f32; 100]);
    let (rows, to) = (bytes.as_ptr(), out.as_mut_ptr());
    let mut packed = nine_packed(rows);
    let memory = packed.as_mut_ptr().cast::<c_void>();
    // SAFETY: the arguments name whole arrays, or are wrong.
    unsafe {
        is(hl_hamming_cross(null(), rows, 2, 5, to, 9), "HL_ERR_NULL");
        is(hl_hamming_cross(memory, null(), 2, 5, to, 9), "HL_ERR_NULL");
        is(hl_hamming_cross(memory, rows, 2, 5, null_mut(), 9), "HL_ERR_NULL");
        is(hl_hamming_cross(memory, rows, 2, 4, to, 9), "HL_ERR_STRIDE");
        is(hl_hamming_cross(memory, rows, 2, 5, to, 8), "HL_ERR_STRIDE");
        is(hl_hamming_cross(memory, rows, 2, 5, memory.cast(), 9), "HL_ERR_OVERLAP");
        is(hl_hamming_tanimoto_cross(memory, rows, 2, 5, 1.0, floats.as_mut_ptr(), 8), "HL_ERR_STRIDE");
        is(hl_hamming_tanimoto_cross(memory, rows, 2, 5, 1.0, null_mut(), 9), "HL_ERR_NULL");
    }
    assert_eq!((out, floats), ([7; 100], [7.0; 100]));
}

#[test]
fn searches() {
    let bytes = [0xffu8; 100];
    let rows = bytes.as_ptr();
    let packed = nine_packed(rows);
    let memory = packed.as_ptr().cast::<c_void>();
    let (mut cursor, mut hits, mut found) = (0, [Hit::default(); 2], 7);
    // SAFETY: the arguments name whole arrays, or are wrong.
    unsafe {
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

        is(search(1.5, &mut cursor, 2, &mut found), "HL_ERR_THRESHOLD");
        is(search(0.5, null_mut(), 2, &mut found), "HL_ERR_NULL");
        is(search(0.5, &mut cursor, 2, null_mut()), "HL_ERR_NULL");
        is(search(0.5, &mut cursor, 0, &mut found), "HL_ERR_LENGTH");
        is(search(0.5, &mut 19, 2, &mut found), "HL_ERR_INDEX");
        assert_eq!((cursor, found), (0, 7));
        is(search(0.5, &mut cursor, 2, &mut found), "HL_OK");
        assert_eq!((cursor, found), (2, 2));
    }
    assert_eq!(hits[1], Hit { row: 0, packed_row: 1, similarity: 1.0 });
}

#[test]
fn comparisons_with_one_row() {
    let (bytes, mut out, mut floats) = ([0xffu8; 100], [7u32; 100], [7f32; 100]);
    let (rows, to) = (bytes.as_ptr(), out.as_mut_ptr());
    let mut found = 7;
    // SAFETY: the arguments name whole arrays, or are wrong.
    unsafe {
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
            hl_hamming_nearest(rows, 2, 5, rows, 3, bits, 5, k, out, found)
        };
        is(nearest(0, 2, at, &mut found), "HL_ERR_NO_BITS");
        is(nearest(41, 2, at, &mut found), "HL_ERR_STRIDE");
        is(nearest(40, usize::MAX, at, &mut found), "HL_ERR_TOO_LARGE");
        is(nearest(40, 2, null_mut(), &mut found), "HL_ERR_NULL");
        is(nearest(40, 2, at, null_mut()), "HL_ERR_NULL");
        is(nearest(40, 2, rows.cast_mut().cast(), &mut found), "HL_ERR_OVERLAP");
        assert_eq!((list, found), ([nothing; 4], 7));
    }
    assert_eq!((out, floats), ([7; 100], [7.0; 100]));
}
