//! Pi by throwing darts, in two halves: the generator's state is saved after the first. The second
//! half continues from it and gives the darts of one long run.
//!
//! `cargo run --release --example random [DARTS]`

use hotloops::random::Mt19937;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let darts: usize = std::env::args().nth(1).map_or(Ok(100_000_000), |word| word.parse())?;
    let mut rng = Mt19937::seeded(16, 5489)?;
    let whole = hits(&mut rng.try_clone()?, darts);

    let first = hits(&mut rng, darts / 2);
    let mut state = vec![0; rng.state_len()];
    rng.state_bytes(&mut state)?;
    let second = hits(&mut Mt19937::from_state_bytes(&state)?, darts - darts / 2);

    assert_eq!(whole, first + second);
    println!("pi is about {:.5}", 4.0 * whole as f64 / darts as f64);
    Ok(())
}

/// The number of darts that hit the quarter circle.
fn hits(rng: &mut Mt19937, darts: usize) -> usize {
    let mut numbers = [0.0; 4096];
    let (mut left, mut hits) = (darts, 0);
    while left > 0 {
        let now = left.min(numbers.len() / 2);
        rng.fill_f32(&mut numbers[..2 * now]);
        hits += numbers[..2 * now].chunks(2).filter(|dart| dart[0] * dart[0] + dart[1] * dart[1] < 1.0).count();
        left -= now;
    }
    hits
}
