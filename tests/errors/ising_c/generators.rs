//! Random generators and their states.

use std::ptr::{null, null_mut};

use super::*;
use crate::is;

#[test]
fn generators() {
    let untouched = 16 as *mut Rng;
    let (mut rng, mut size) = (untouched, 7);
    // SAFETY: all pointers are null or to live objects of the right size.
    unsafe {
        for lanes in [0, 3, 17] {
            is(hl_random_mt19937_create([1; 17].as_ptr(), lanes, &mut rng), "HL_ERR_LANES");
        }
        is(hl_random_mt19937_create(null(), 4, &mut rng), "HL_ERR_NULL");
        is(hl_random_mt19937_create([1; 4].as_ptr(), 4, null_mut()), "HL_ERR_NULL");
        is(hl_random_mt19937_create_from_state(null(), 100, &mut rng), "HL_ERR_NULL");
        is(hl_random_mt19937_create_from_state([0; 100].as_ptr(), 100, &mut rng), "HL_ERR_STATE_FOREIGN");
        is(hl_random_mt19937_state_size(null(), &mut size), "HL_ERR_NULL");
        assert_eq!((rng, size), (untouched, 7));
        hl_random_mt19937_destroy(null_mut());

        is(hl_random_mt19937_create([1; 4].as_ptr(), 4, &mut rng), "HL_OK");
        is(hl_random_mt19937_state_size(rng, null_mut()), "HL_ERR_NULL");
        is(hl_random_mt19937_fill_u32(null_mut(), [0; 3].as_mut_ptr(), 3), "HL_ERR_NULL");
        is(hl_random_mt19937_fill_u32(rng, null_mut(), 3), "HL_ERR_NULL");
        is(hl_random_mt19937_fill_f32(rng, null_mut(), 3), "HL_ERR_NULL");
        is(hl_random_mt19937_fill_u32(rng, null_mut(), 0), "HL_OK");

        is(hl_random_mt19937_state_size(rng, &mut size), "HL_OK");
        let mut bytes = vec![7; size];
        is(hl_random_mt19937_get_state(rng, null_mut(), size), "HL_ERR_NULL");
        is(hl_random_mt19937_get_state(null(), bytes.as_mut_ptr(), size), "HL_ERR_NULL");
        is(hl_random_mt19937_get_state(rng, bytes.as_mut_ptr(), size - 1), "HL_ERR_LENGTH");
        assert!(bytes.iter().all(|&byte| byte == 7));
        is(hl_random_mt19937_get_state(rng, bytes.as_mut_ptr(), size), "HL_OK");
        is(hl_random_mt19937_set_state(rng, null(), size), "HL_ERR_NULL");
        is(hl_random_mt19937_set_state(null_mut(), bytes.as_ptr(), size), "HL_ERR_NULL");
        is(hl_random_mt19937_set_state(rng, bytes.as_ptr(), size - 1), "HL_ERR_STATE_TRUNCATED");
        is(hl_random_mt19937_set_state(rng, bytes.as_ptr(), size), "HL_OK");
        bytes[100] ^= 1;
        is(hl_random_mt19937_set_state(rng, bytes.as_ptr(), size), "HL_ERR_STATE_CORRUPT");
        hl_random_mt19937_destroy(rng);
    }
}
