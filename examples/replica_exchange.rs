//! The two-dimensional spin glass with couplings +1 and -1 in a transverse field, H = -sum J_ij s_i
//! s_j - gamma sum x_i, at one low temperature and many gammas at once. At small gamma a
//! configuration rarely leaves its energy valley. Replica exchange takes it to the largest gamma,
//! where there are no valleys, and back to another valley. Prints the energy and <x> per spin for
//! every gamma, the acceptance rates of the swaps, and the lowest classical energy found (the
//! energy of the glass without field).
//!
//! `cargo run --release --example replica_exchange [ROUNDS]`

use hotloops::ising::{Beta, Kind, LayeredIsing, ReplicaExchange};
use hotloops::random::Mt19937;

const L: usize = 6;
const SITES: usize = L * L;
const LAYERS: usize = 64;
const BETA: f64 = 4.0;
/// The length of a layer in imaginary time.
const STEP: f64 = BETA / LAYERS as f64;
const GAMMAS: usize = 20;

/// From 3 to 0.3.
fn gamma(temperature: usize) -> f64 {
    3.0 - 2.7 * temperature as f64 / (GAMMAS - 1) as f64
}

fn beta(gamma: f64) -> Beta {
    Beta { space: STEP as f32, tau: (-0.5 * (STEP * gamma).tanh().ln()) as f32 }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rounds: usize = std::env::args().nth(1).map_or(Ok(1000), |word| word.parse())?;
    let mut rng = Mt19937::seeded(16, 2010)?;

    // The square lattice on a torus: every site and its neighbours to the right and below.
    let site = |x: usize, y: usize| y % L * L + x % L;
    let mut signs = vec![0; 2 * SITES];
    rng.fill_u32(&mut signs);
    let sign = |bond: usize| if signs[bond] >> 31 == 0 { 1.0 } else { -1.0 };
    let bonds = (0..2 * SITES).map(|bond| {
        let (x, y) = (bond / 2 % L, bond / 2 / L);
        (site(x, y), if bond % 2 == 0 { site(x + 1, y) } else { site(x, y + 1) }, sign(bond))
    });
    let bonds: Vec<_> = bonds.collect();

    let model = || LayeredIsing::builder(LAYERS, SITES).couplings(bonds.iter().copied()).build(Kind::Auto);
    let mut models = (0..GAMMAS).map(|_| model()).collect::<Result<Vec<_>, _>>()?;
    let ladder: Vec<_> = (0..GAMMAS).map(|temperature| beta(gamma(temperature))).collect();
    let mut exchange = ReplicaExchange::new(&ladder, 1)?;

    let mut sums = [[0.0; 2]; GAMMAS];
    let mut spins = vec![0; SITES * LAYERS];
    let mut lowest = f64::INFINITY;
    for round in 0..2 * rounds {
        for (replica, model) in models.iter_mut().enumerate() {
            model.sweep(&mut rng, exchange.beta(replica)?, 5)?;
        }
        exchange.step(&models)?;
        // The first half thermalises the models.
        for (temperature, sums) in sums.iter_mut().enumerate().filter(|_| round >= rounds) {
            let energy = models[exchange.replica_at(temperature)?].energy();
            *sums = [sums[0] + energy.space, sums[1] + energy.tau];
        }
        models[exchange.replica_at(GAMMAS - 1)?].spins(&mut spins)?;
        for layer in spins.chunks(SITES) {
            let sum: f64 = bonds.iter().map(|&(i, j, coupling)| coupling * f64::from(layer[i] * layer[j])).sum();
            lowest = lowest.min(-sum);
        }
    }

    println!("gamma   energy  <x>     swaps with the next gamma");
    for (temperature, sums) in sums.iter().enumerate() {
        let [space, tau] = sums.map(|sum| sum / (rounds * LAYERS * SITES) as f64);
        let gamma = gamma(temperature);
        // A spin and its copy in the next layer measure x: tanh where they are equal, coth where they differ.
        let x = 0.5 * (1.0 + tau) * (STEP * gamma).tanh() + 0.5 * (1.0 - tau) / (STEP * gamma).tanh();
        print!("{gamma:.3}  {:7.4}  {x:.4}", -space - gamma * x);
        match (exchange.swaps(temperature), exchange.attempts(temperature)) {
            (Ok(swaps), Ok(attempts)) => println!("  {:3.0} %", 100.0 * swaps as f64 / attempts as f64),
            _ => println!(),
        }
    }
    println!("{} round trips; lowest energy {lowest} of {SITES} spins", exchange.round_trips());
    Ok(())
}
