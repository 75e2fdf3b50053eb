#![no_main]

use hotloops::random::Mt19937;
use hotloops_fuzz::alike;

// Requests of arbitrary lengths for words and floats. Some requests save the state and continue
// from the saved copy. The seed's low bits select the lanes.
libfuzzer_sys::fuzz_target!(|input: (u32, Vec<(u16, u8)>)| {
    let (seed, requests) = input;
    let lanes = [4, 8, 16][seed as usize % 3];
    alike(|| {
        let mut generator = Mt19937::seeded(lanes, seed).unwrap();
        let mut numbers = Vec::new();
        for &(n, kind) in requests.iter().take(8) {
            let n = usize::from(n) % 20_000;
            match kind % 3 {
                0 => {
                    let mut drawn = vec![0; n];
                    generator.fill_u32(&mut drawn);
                    numbers.extend(drawn);
                }
                1 => {
                    let mut drawn = vec![0.0; n];
                    generator.fill_f32(&mut drawn);
                    numbers.extend(drawn.iter().map(|x| x.to_bits()));
                }
                _ => {
                    let mut state = vec![0; generator.state_len()];
                    generator.state_bytes(&mut state).unwrap();
                    generator = Mt19937::from_state_bytes(&state).unwrap();
                }
            }
        }
        numbers
    });
});
