//! Bad input of bit planes, in C.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use crate::is;

unsafe extern "C" {
    fn hl_bitslice_slice(src: *const c_void, n: usize, elem_bytes: u32, planes: *mut u8, stride: usize) -> i32;
    fn hl_bitslice_unslice(planes: *const u8, n: usize, elem_bytes: u32, stride: usize, dst: *mut c_void) -> i32;
    fn hl_bitslice_blocks_size(n: usize, elem_bytes: u32, layout: u32, bytes: *mut usize) -> i32;
    fn hl_bitslice_slice_blocks(src: *const c_void, n: usize, width: u32, layout: u32, flags: u32, dst: *mut u8)
    -> i32;
    fn hl_bitslice_unslice_blocks(
        src: *const u8,
        n: usize,
        width: u32,
        layout: u32,
        flags: u32,
        dst: *mut c_void,
    ) -> i32;
    fn hl_bitslice_slice_inplace_u32x2048(block: *mut u32, n_blocks: usize) -> i32;
    fn hl_bitslice_unslice_inplace_u32x2048(block: *mut u32, n_blocks: usize) -> i32;
    fn hl_bitslice_gather(
        planes: *const u8,
        count: u32,
        stride: usize,
        idx: *const usize,
        n: usize,
        out: *mut c_void,
    ) -> i32;
    fn hl_bitslice_gather_blocks(
        blocks: *const u8,
        n_elems: usize,
        elem_bytes: u32,
        idx: *const usize,
        n: usize,
        layout: u32,
        out: *mut c_void,
    ) -> i32;
    fn hl_bitslice_positional_popcount(src: *const c_void, n: usize, elem_bytes: u32, out: *mut u64) -> i32;
    fn hl_bitslice_classify_planes(d: *const u32, n: usize, code: *mut u16) -> i32;
    fn hl_bitslice_reduced_size(n: usize, n_planes: u32, code: *const u16, bytes: *mut usize) -> i32;
    fn hl_bitslice_encode_dna(letters: *const u8, n: usize, planes: *mut u8, stride: usize) -> i32;
    fn hl_bitslice_decode_dna(planes: *const u8, n: usize, stride: usize, letters: *mut u8) -> i32;
}

const EACH: [u32; 4] = [1, 2, 4, 8];

#[test]
fn element_sizes() {
    let mut memory = [7u8; 4096];
    let start = memory.as_mut_ptr();
    let (src, dst) = (start.cast::<c_void>(), start.wrapping_add(2048));
    // SAFETY: the arguments name parts of the memory, or are wrong.
    unsafe {
        for width in [0, 3, 5, 16, u32::MAX] {
            is(hl_bitslice_slice(src, 10, width, dst, 2), "HL_ERR_ELEMENT_SIZE");
            is(hl_bitslice_unslice(start, 10, width, 2, dst.cast()), "HL_ERR_ELEMENT_SIZE");
            is(hl_bitslice_blocks_size(10, width, 0, &mut 0), "HL_ERR_ELEMENT_SIZE");
            is(hl_bitslice_slice_blocks(src, 10, width, 0, 0, dst), "HL_ERR_ELEMENT_SIZE");
            is(hl_bitslice_unslice_blocks(start, 10, width, 0, 0, dst.cast()), "HL_ERR_ELEMENT_SIZE");
            is(hl_bitslice_gather_blocks(start, 10, width, &0, 1, 0, dst.cast()), "HL_ERR_ELEMENT_SIZE");
            is(hl_bitslice_positional_popcount(src, 10, width, dst.cast()), "HL_ERR_ELEMENT_SIZE");
        }
    }
    assert!(memory.iter().all(|&byte| byte == 7));
}

#[test]
fn planes() {
    let mut memory = [7u8; 4096];
    let start = memory.as_mut_ptr();
    let (src, dst) = (start.cast::<c_void>(), start.wrapping_add(2048));
    // SAFETY: the arguments name parts of the memory, or are wrong.
    unsafe {
        for width in EACH {
            is(hl_bitslice_slice(null(), 10, width, dst, 2), "HL_ERR_NULL");
            is(hl_bitslice_slice(src, 10, width, null_mut(), 2), "HL_ERR_NULL");
            is(hl_bitslice_slice(src, 10, width, dst, 1), "HL_ERR_STRIDE");
            is(hl_bitslice_slice(src, usize::MAX / 2, width, dst, usize::MAX / 2), "HL_ERR_TOO_LARGE");
            is(hl_bitslice_slice(null(), 0, width, null_mut(), 0), "HL_OK");
            is(hl_bitslice_unslice(null(), 10, width, 2, dst.cast()), "HL_ERR_NULL");
            is(hl_bitslice_unslice(start, 10, width, 2, null_mut()), "HL_ERR_NULL");
            is(hl_bitslice_unslice(start, 10, width, 1, dst.cast()), "HL_ERR_STRIDE");
            // From the same address up to one byte before the end of each.
            let (elements, planes) = (10 * width as usize, (8 * width as usize - 1) * 2 + 2);
            for apart in [0, 1, elements - 1] {
                is(hl_bitslice_slice(src, 10, width, start.wrapping_add(apart), 2), "HL_ERR_OVERLAP");
            }
            for apart in [0, 1, planes - 1] {
                is(hl_bitslice_slice(start.wrapping_add(apart).cast(), 10, width, start, 2), "HL_ERR_OVERLAP");
                is(hl_bitslice_unslice(start, 10, width, 2, start.wrapping_add(apart).cast()), "HL_ERR_OVERLAP");
            }
        }
        is(hl_bitslice_slice_inplace_u32x2048(null_mut(), 1), "HL_ERR_NULL");
        is(hl_bitslice_unslice_inplace_u32x2048(null_mut(), 1), "HL_ERR_NULL");
        is(hl_bitslice_slice_inplace_u32x2048(null_mut(), usize::MAX), "HL_ERR_TOO_LARGE");
        is(hl_bitslice_slice_inplace_u32x2048(null_mut(), 0), "HL_OK");
    }
    assert!(memory.iter().all(|&byte| byte == 7));
}

#[test]
fn blocks() {
    let mut memory = [7u8; 4096];
    let start = memory.as_mut_ptr();
    let (src, dst) = (start.cast::<c_void>(), start.wrapping_add(2048));
    // SAFETY: the arguments name parts of the memory, or are wrong.
    unsafe {
        for width in EACH {
            is(hl_bitslice_blocks_size(10, width, 2, &mut 0), "HL_ERR_OPTION");
            is(hl_bitslice_blocks_size(10, width, 1, null_mut()), "HL_ERR_NULL");
            is(hl_bitslice_blocks_size(usize::MAX, width, 1, &mut 0), "HL_ERR_TOO_LARGE");
            is(hl_bitslice_slice_blocks(src, 10, width, 2, 0, dst), "HL_ERR_OPTION");
            is(hl_bitslice_slice_blocks(src, 10, width, 1, 3, dst), "HL_ERR_OPTION");
            is(hl_bitslice_slice_blocks(src, 10, width, 1, 0, start.wrapping_add(1)), "HL_ERR_OVERLAP");
            is(hl_bitslice_slice_blocks(null(), 10, width, 1, 0, dst), "HL_ERR_NULL");
            is(hl_bitslice_unslice_blocks(start, 10, width, 2, 0, dst.cast()), "HL_ERR_OPTION");
            is(hl_bitslice_unslice_blocks(start, 10, width, 1, 3, dst.cast()), "HL_ERR_OPTION");
            is(hl_bitslice_unslice_blocks(start, 10, width, 1, 0, src), "HL_ERR_OVERLAP");
            is(hl_bitslice_unslice_blocks(start, 10, width, 1, 0, null_mut()), "HL_ERR_NULL");
            is(hl_bitslice_positional_popcount(src, 10, width, null_mut()), "HL_ERR_NULL");
            is(hl_bitslice_positional_popcount(null(), 10, width, dst.cast()), "HL_ERR_NULL");
            is(hl_bitslice_positional_popcount(src, 10, width, start.cast()), "HL_ERR_OVERLAP");
        }
    }
    assert!(memory.iter().all(|&byte| byte == 7));
}

#[test]
fn gathers() {
    let mut memory = [7u8; 4096];
    let start = memory.as_mut_ptr();
    let dst = start.wrapping_add(2048);
    // SAFETY: the arguments name parts of the memory, or are wrong.
    unsafe {
        for count in [0, 65] {
            is(hl_bitslice_gather(start, count, 4, &0, 1, dst.cast()), "HL_ERR_PLANES");
        }
        is(hl_bitslice_gather(start, 32, 4, &32, 1, dst.cast()), "HL_ERR_INDEX");
        is(hl_bitslice_gather(start, 32, 4, null(), 1, dst.cast()), "HL_ERR_NULL");
        is(hl_bitslice_gather(null(), 32, 4, &0, 1, dst.cast()), "HL_ERR_NULL");
        is(hl_bitslice_gather(start, 32, 4, &0, 1, null_mut()), "HL_ERR_NULL");
        is(hl_bitslice_gather(start, 32, 4, &0, 1, start.wrapping_add(5).cast()), "HL_ERR_OVERLAP");
        is(hl_bitslice_gather_blocks(start, 10, 4, &10, 1, 1, dst.cast()), "HL_ERR_INDEX");
        is(hl_bitslice_gather_blocks(start, 10, 4, &0, 1, 7, dst.cast()), "HL_ERR_OPTION");
        is(hl_bitslice_gather_blocks(start, 10, 4, &0, 1, 1, start.cast()), "HL_ERR_OVERLAP");
    }
    assert!(memory.iter().all(|&byte| byte == 7));
}

#[test]
fn letters() {
    let mut memory = [7u8; 4096];
    let dst = memory.as_mut_ptr().wrapping_add(2048);
    // SAFETY: the arguments name parts of the memory, or are wrong.
    unsafe {
        let letters = b"ACGR".as_ptr();
        is(hl_bitslice_encode_dna(letters, 4, dst, 1), "HL_ERR_LETTER");
        is(hl_bitslice_encode_dna(letters, 4, dst, 0), "HL_ERR_STRIDE");
        is(hl_bitslice_encode_dna(null(), 4, dst, 1), "HL_ERR_NULL");
        is(hl_bitslice_encode_dna(letters, 4, null_mut(), 1), "HL_ERR_NULL");
        is(hl_bitslice_encode_dna(dst, 4, dst, 1), "HL_ERR_OVERLAP");
        is(hl_bitslice_decode_dna([0, 0, 1].as_ptr(), 4, 1, dst), "HL_ERR_LETTER_CODE");
        is(hl_bitslice_decode_dna(dst, 4, 1, dst), "HL_ERR_OVERLAP");
        is(hl_bitslice_decode_dna(dst, 4, 1, null_mut()), "HL_ERR_NULL");
    }
    assert!(memory.iter().all(|&byte| byte == 7));
}

#[test]
fn classes() {
    // SAFETY: null, or arrays of these lengths.
    unsafe {
        is(hl_bitslice_classify_planes(null(), 2048, [0; 32].as_mut_ptr()), "HL_ERR_NULL");
        is(hl_bitslice_classify_planes([0; 1024].as_ptr(), 2048, null_mut()), "HL_ERR_NULL");
        is(hl_bitslice_reduced_size(8, 1, &6, &mut 0), "HL_ERR_PLANE_CODE");
        is(hl_bitslice_reduced_size(8, 0, &0, &mut 0), "HL_ERR_PLANES");
        is(hl_bitslice_reduced_size(8, 1, null(), &mut 0), "HL_ERR_NULL");
        is(hl_bitslice_reduced_size(8, 1, &0, null_mut()), "HL_ERR_NULL");
    }
}
