//! The conversions that all C functions share: adjacent arrays, members of later option structures, room for texts,
//! and outputs that an error leaves untouched.

use std::ffi::{c_char, c_void};
use std::ptr::null_mut;

use crate::is;

/// `hl_matmul_opts` with members that later versions may append.
#[repr(C)]
struct Later {
    size: usize,
    order: i32,
    caches: [usize; 3],
    more: [u8; 24],
}

unsafe extern "C" {
    safe fn hl_variant_count() -> usize;
    fn hl_variant_name(index: usize, name: *mut c_char, size: usize) -> i32;
    safe fn hl_variant_is_chosen(index: usize) -> i32;
    fn hl_isa_holds(word: *const c_char) -> i32;
    fn hl_hamming_popcount_rows(rows: *const u8, n_rows: usize, bits: usize, stride: usize, counts: *mut u32) -> i32;
    fn hl_matmul_plan_create_f64(
        m: usize,
        n: usize,
        k: usize,
        a_row: isize,
        a_column: isize,
        b_row: isize,
        b_column: isize,
        c_row: isize,
        c_column: isize,
        opts: *const c_void,
        plan: *mut *mut c_void,
    ) -> i32;
    fn hl_matmul_plan_destroy(plan: *mut c_void);
    fn hl_correlation_psi(re: *const f64, im: *const f64, n: usize, psi: *mut i16) -> i32;
    fn hl_correlation_image_create(
        x: *const i32,
        y: *const i32,
        psi: *const i16,
        n: usize,
        image: *mut *mut c_void,
    ) -> i32;
    fn hl_correlation_image_destroy(image: *mut c_void);
}

#[test]
fn adjacent_arrays_do_not_overlap() {
    let mut memory = [u32::MAX; 6];
    let at = memory.as_mut_ptr();
    // SAFETY: two rows of 4 bytes and two counts, all of them in the memory.
    unsafe {
        is(hl_hamming_popcount_rows(at.cast(), 2, 32, 4, at.add(2)), "HL_OK");
        is(hl_hamming_popcount_rows(at.add(4).cast(), 2, 32, 4, at.add(2)), "HL_OK");
        is(hl_hamming_popcount_rows(at.cast(), 2, 32, 4, at.add(1)), "HL_ERR_OVERLAP");
        is(hl_hamming_popcount_rows(at.add(1).cast(), 2, 32, 4, at), "HL_ERR_OVERLAP");
    }
    assert_eq!(memory, [u32::MAX, u32::MAX, 32, 32, u32::MAX, u32::MAX]);
}

#[test]
fn members_of_later_versions_must_be_0() {
    let create = |more: [u8; 24]| {
        let options = Later { size: size_of::<Later>(), order: 0, caches: [0; 3], more };
        let mut plan = null_mut();
        // SAFETY: options of the size that they say, and a pointer to write.
        unsafe {
            let status = hl_matmul_plan_create_f64(2, 2, 2, 2, 1, 2, 1, 2, 1, (&raw const options).cast(), &mut plan);
            hl_matmul_plan_destroy(plan);
            status
        }
    };
    is(create([0; 24]), "HL_OK");
    for at in 0..24 {
        let mut more = [0; 24];
        more[at] = 1;
        is(create(more), "HL_ERR_TOO_LARGE");
    }
}

#[test]
fn names_of_variants_need_room_for_their_end() {
    for index in 0..hl_variant_count() {
        let mut name = [b'?'; 100];
        let at = name.as_mut_ptr().cast();
        // SAFETY: 100 bytes.
        is(unsafe { hl_variant_name(index, at, 100) }, "HL_OK");
        let length = name.iter().position(|&byte| byte == 0).unwrap();
        assert!(name[length + 1..].iter().all(|&byte| byte == b'?'), "written behind the end");
        let mut short = [b'?'; 100];
        let at = short.as_mut_ptr().cast();
        // SAFETY: fewer than 100 bytes.
        unsafe {
            is(hl_variant_name(index, at, length), "HL_ERR_LENGTH");
            assert_eq!(short, [b'?'; 100]);
            is(hl_variant_name(index, at, length + 1), "HL_OK");
        }
        assert_eq!(short, name);
    }
}

#[test]
fn chosen_variants_and_facts_are_those_of_rust() {
    let chosen = hotloops::kernels().flat_map(|kernel| {
        let chosen = kernel.chosen();
        (0..kernel.variants.len()).map(move |row| i32::from(row == chosen))
    });
    let found: Vec<_> = (0..hl_variant_count()).map(|index| hl_variant_is_chosen(index)).collect();
    assert_eq!(found, chosen.collect::<Vec<_>>());
    assert_eq!([hl_variant_count(), usize::MAX].map(|index| hl_variant_is_chosen(index)), [0; 2]);
    for fact in hotloops::isa::Fact::ALL {
        let word = std::ffi::CString::new(fact.word()).unwrap();
        // SAFETY: a C string.
        assert_eq!(unsafe { hl_isa_holds(word.as_ptr()) }, i32::from(hotloops::isa::holds(*fact)), "{word:?}");
    }
    // SAFETY: a C string, and null.
    assert_eq!(unsafe { [hl_isa_holds(c"wide".as_ptr()), hl_isa_holds(std::ptr::null())] }, [0; 2]);
}

#[test]
fn orientations_are_checked_before_one_is_written() {
    for wrong in 0..5 {
        let mut re = [0.5; 5];
        re[wrong] = f64::NAN;
        let mut psi = [7i16; 10];
        // SAFETY: 5 numbers and 5 orientations.
        is(unsafe { hl_correlation_psi(re.as_ptr(), [0.0; 5].as_ptr(), 5, psi.as_mut_ptr()) }, "HL_ERR_ORIENTATION");
        assert_eq!(psi, [7; 10], "{wrong}");
    }
    // 1 is 2^14.
    for (part, status) in [(16384i16, "HL_OK"), (-16384, "HL_OK"), (16385, "HL_ERR_ORIENTATION")] {
        for at in 0..4 {
            let (mut psi, mut image) = ([0i16; 4], null_mut());
            psi[at] = part;
            // SAFETY: two points, and a pointer to write.
            unsafe {
                is(hl_correlation_image_create([0, 1].as_ptr(), [0, 1].as_ptr(), psi.as_ptr(), 2, &mut image), status);
                hl_correlation_image_destroy(image);
            }
        }
    }
}
