//! The partition function of the transverse-field Ising ring by free fermions.

/// `ln Z` of a ring of unit couplings in continuous imaginary time (Pfeuty 1970, with both parities).
pub fn ln_partition(sites: usize, beta: f64, gamma: f64) -> f64 {
    // ln of the four products, and their signs.
    let products = [0.5, 0.0].map(|shift| {
        let energies = (0..sites).map(|m| {
            let k = 2.0 * std::f64::consts::PI * (m as f64 + shift) / sites as f64;
            let energy = 2.0 * (1.0 + gamma * gamma - 2.0 * gamma * k.cos()).max(0.0).sqrt();
            if m == 0 && shift == 0.0 { 2.0 * (gamma - 1.0) } else { energy }
        });
        energies.fold((0.0, 0.0, 1.0), |(cosh, sinh, sign), energy| {
            let x = beta * energy / 2.0;
            (cosh + (2.0 * x.cosh()).ln(), sinh + (2.0 * x.sinh().abs()).ln(), sign * x.signum())
        })
    });
    let [(c, s, sign), (periodic_c, periodic_s, periodic_sign)] = products;
    let terms = [(c, 1.0), (s, sign), (periodic_c, 1.0), (periodic_s, -periodic_sign)];
    c + terms.into_iter().map(|(ln, sign)| sign * (ln - c).exp()).sum::<f64>().ln()
}
