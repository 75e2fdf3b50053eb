//! Philox4x32-10, a counter-based generator.

/// Rounds of the generator.
pub(crate) const PHILOX_ROUNDS: usize = 10;

/// The factors of words 0 and 2 of the counter.
pub(crate) const PHILOX_FACTORS: [u32; 2] = [0xd251_1f53, 0xcd9e_8d57];

/// The keys of the rounds.
pub(crate) fn philox_keys(key: [u32; 2]) -> [[u32; 2]; PHILOX_ROUNDS] {
    let round = |round: usize| round as u32;
    core::array::from_fn(|i| {
        [
            key[0].wrapping_add(0x9e37_79b9u32.wrapping_mul(round(i))),
            key[1].wrapping_add(0xbb67_ae85u32.wrapping_mul(round(i))),
        ]
    })
}

/// Four random numbers: a function of a counter and a key (Philox4x32-10; Salmon, Moraes, Dror and
/// Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011).
///
/// The numbers for different counters or keys are independent, so any thread or device can compute
/// each of them. A counter must not be used twice with a key.
///
/// ```
/// use hotloops::random::philox4x32;
///
/// assert_eq!(philox4x32([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
/// ```
#[must_use]
pub fn philox4x32(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let product = |factor: u32, word: u32| {
        let product = u64::from(factor) * u64::from(word);
        ((product >> 32) as u32, product as u32)
    };
    philox_keys(key).iter().fold(counter, |[a, b, c, d], keys| {
        let (first, second) = (product(PHILOX_FACTORS[0], a), product(PHILOX_FACTORS[1], c));
        [second.0 ^ b ^ keys[0], second.1, first.0 ^ d ^ keys[1], first.1]
    })
}
