//! The digests of consumer.c.

use hotloops::random::Mt19937;

pub fn digest<const SIZE: usize>(name: &str, bytes: impl IntoIterator<Item = [u8; SIZE]>) -> String {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100000001b3);
    let hash = bytes.into_iter().flatten().fold(0xcbf29ce484222325, step);
    format!("digest {name} {hash:016x}")
}

pub fn generator(lanes: u32) -> Mt19937 {
    let seeds: Vec<_> = (0..lanes).map(|lane| 5489 + lane).collect();
    Mt19937::new(&seeds).unwrap()
}

/// Bytes of a whole array as one digest.
pub fn all<T: Copy, const SIZE: usize>(name: &str, values: &[T], bytes: fn(T) -> [u8; SIZE]) -> String {
    digest(name, values.iter().map(|&value| bytes(value)))
}
