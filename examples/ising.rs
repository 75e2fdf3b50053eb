//! Ground states of the two-dimensional spin glass with couplings +1 and -1, by annealing.
//! Uncoupled layers are replicas: 128 of them cool down at once. Prints energies per spin. As L
//! grows, the lowest approaches -1.40.
//!
//! `cargo run --release --example ising [SWEEPS]`

use hotloops::ising::{Beta, Kind, LayeredIsing};
use hotloops::random::Mt19937;

const L: usize = 16;
const REPLICAS: usize = 128;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sweeps: u32 = std::env::args().nth(1).map_or(Ok(20_000), |word| word.parse())?;
    let mut rng = Mt19937::seeded(16, 2010)?;

    // The couplings of each site to its neighbours on the right and below.
    let mut signs = vec![0; 2 * L * L];
    rng.fill_u32(&mut signs);
    let coupling = |site: usize, dimension: usize| if signs[2 * site + dimension] >> 31 == 0 { 1.0 } else { -1.0 };
    let mut model = LayeredIsing::torus(REPLICAS, &[L, L], coupling).tau_coupling(0.0).build(Kind::Auto)?;
    for sweep in 0..sweeps {
        let space = 3.0 * (sweep + 1) as f32 / sweeps as f32;
        model.sweep(&mut rng, Beta { space, tau: 0.0 }, 1)?;
    }

    let (mut energies, mut magnetisations) = (vec![0.0; REPLICAS], vec![0; REPLICAS]);
    model.layer_energies(&mut energies, &mut magnetisations)?;
    energies.iter_mut().for_each(|energy| *energy /= -((L * L) as f64));
    let lowest = energies.iter().copied().fold(f64::INFINITY, f64::min);
    let mean = energies.iter().sum::<f64>() / REPLICAS as f64;
    let found = energies.iter().filter(|&&energy| energy == lowest).count();
    println!("lowest {lowest:.4}, in {found} of {REPLICAS} replicas; mean {mean:.4}");
    Ok(())
}
