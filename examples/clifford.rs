//! Rotates a field of vectors of the plane by a rotor, and compares it with a rotation matrix.
//!
//! `cargo run --release --example clifford`

use hotloops::clifford::{Signature, sandwich};

fn main() -> Result<(), hotloops::Error> {
    // A vector at each point of a ring: (x, y) is x e1 + y e2 among 1, e1, e2, e12.
    let plane = Signature::new(&[1, 1])?;
    let (n, turn) = (1000, 0.25_f64);
    let field: Vec<f64> =
        (0..n).flat_map(|i| [0.0, (f64::from(i) / 50.0).cos(), (f64::from(i) / 70.0).sin(), 0.0]).collect();
    let rotor = [(turn / 2.0).cos(), 0.0, 0.0, -(turn / 2.0).sin()];
    let rotors: Vec<f64> = (0..n).flat_map(|_| rotor).collect();
    let mut turned = vec![0.0; field.len()];
    sandwich(plane, &rotors, &field, &mut turned)?;

    let worst = field.chunks(4).zip(turned.chunks(4)).map(|(before, after)| {
        let expected =
            [before[1] * turn.cos() - before[2] * turn.sin(), before[1] * turn.sin() + before[2] * turn.cos()];
        (after[1] - expected[0]).abs().max((after[2] - expected[1]).abs())
    });
    println!(
        "{n} vectors turned by {turn}: differences from the rotation matrix at most {:.1e}",
        worst.fold(0.0, f64::max)
    );
    Ok(())
}
