//! Copies that remember their first configuration.
//!
//! Each copy begins with random spins. If it falls into a valley that it leaves at none of the rungs, its mean is that
//! of its valley, and valleys have the weights of the first fall, not those of equilibrium. The spread of the copies'
//! means is then an error of the wrong mean.

use super::statistics::MIN_COPIES;
use super::tally::Tally;

/// Ratio of the variance between the means of copies to the variance of these means by their blocks of time, of runs of
/// about 20 autocorrelation times.
const SLOW: f64 = 1.5;
/// Maximum excess over this ratio, in standard errors of a variance.
const MAX_EXCESS: f64 = 4.0;

/// Maximum energy of spins that may be random, in standard errors.
const MAX_ENERGY: f64 = 4.0;

/// Maximum difference of the energies of two copies in one valley, in standard errors.
const MAX_DISTANCE: f64 = 3.0;

/// Whether the copies of every rung differ by more than the blocks of time within each copy explain, in quantity 0 or 1
/// of the tallies, energy and magnetisation. One rung on which copies forget is enough, as exchanges lead it to the
/// others. So is one whose energy is that of random spins: the first configurations are in equilibrium there.
pub fn are_kept<'a>(mut rungs: impl Iterator<Item = &'a [[Tally; 2]]>, quantity: usize) -> bool {
    rungs.all(|tallies| tallies.len() >= MIN_COPIES && !is_random(tallies) && differ(tallies, quantity))
}

/// The mean and the variance of the copies' means.
fn spread(tallies: &[[Tally; 2]], quantity: usize) -> (f64, f64) {
    let count = tallies.len() as f64;
    let means = || tallies.iter().map(|tallies| tallies[quantity].mean());
    let mean = means().sum::<f64>() / count;
    (mean, means().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0))
}

/// The valleys of copies by their mean energies, from the lowest: each with its mean and its number of copies. Copies
/// are in one valley if their means agree within the errors by blocks of time.
pub fn of_copies(energies: &[Tally]) -> Vec<(f64, usize)> {
    let mut means: Vec<(f64, f64)> =
        energies.iter().map(|tally| (tally.mean(), tally.variance_of_mean().unwrap_or(tally.variance()))).collect();
    means.sort_by(|a, b| a.0.total_cmp(&b.0));
    let is_near = |a: &(f64, f64), b: &(f64, f64)| b.0 - a.0 <= MAX_DISTANCE * (a.1 + b.1).sqrt();
    let valley =
        |valley: &[(f64, f64)]| (valley.iter().map(|mean| mean.0).sum::<f64>() / valley.len() as f64, valley.len());
    means.chunk_by(is_near).map(valley).collect()
}

fn is_random(tallies: &[[Tally; 2]]) -> bool {
    let (energy, between) = spread(tallies, 0);
    energy.abs() <= MAX_ENERGY * (between / tallies.len() as f64).sqrt()
}

/// Not for too few blocks of time.
fn differ(tallies: &[[Tally; 2]], quantity: usize) -> bool {
    let (count, (_, between)) = (tallies.len() as f64, spread(tallies, quantity));
    let within = tallies.iter().map(|tallies| tallies[quantity].variance_of_mean()).sum::<Option<f64>>();
    let limit = SLOW + MAX_EXCESS * (2.0 / (count - 1.0)).sqrt();
    within.is_some_and(|within| between > limit * within / count)
}

#[cfg(test)]
mod tests {
    use hotloops::random::Mt19937;

    use super::*;

    /// Tallies of `copies` autoregressive series, each around one of two valleys at distance `gap`.
    fn tallies(random: &mut Mt19937, copies: usize, memory: f64, gap: f64) -> Vec<[Tally; 2]> {
        let mut words = vec![0f32; 12 * 1000];
        let series = |copy: usize| {
            random.fill_f32(&mut words);
            let mut tally = Tally::default();
            let mut value = 0.0;
            for (index, x) in words.chunks(12).enumerate() {
                value = memory * value + x.iter().map(|&x| f64::from(x)).sum::<f64>() - 6.0;
                if index >= 200 {
                    tally.add(value + gap * (copy % 2) as f64 - 5.0);
                }
            }
            [tally; 2]
        };
        (0..copies).map(series).collect()
    }

    #[test]
    fn copies_that_stay_in_their_valley_are_found_and_others_are_not() {
        let mut random = Mt19937::seeded(16, 3).unwrap();
        for copies in [32, 128] {
            for (memory, gap, expected) in
                [(0.0, 0.0, 0..=0), (0.9, 0.0, 0..=0), (-0.9, 0.0, 0..=0), (0.0, 0.3, 40..=40), (0.9, 3.0, 40..=40)]
            {
                let mut found = 0;
                for _ in 0..40 {
                    found += usize::from(differ(&tallies(&mut random, copies, memory, gap), 0));
                }
                assert!(expected.contains(&found), "{copies}, {memory}, {gap}: {found}");
            }
        }
        let [still, moving] = [0.3, 0.0].map(|gap| tallies(&mut random, 64, 0.0, gap));
        let kept = |rungs: &[&[[Tally; 2]]]| are_kept(rungs.iter().copied(), 1);
        assert!(kept(&[&still, &still]));
        assert!(!kept(&[&moving, &still]));
        assert!(!kept(&[&still[..31]]));
        // Around energy 0.
        let random_spins: Vec<_> = tallies(&mut random, 64, 0.0, 10.0);
        assert!(!kept(&[&random_spins]));
    }

    #[test]
    fn copies_are_grouped_by_their_energies() {
        let mut random = Mt19937::seeded(16, 4).unwrap();
        let energies = |tallies: Vec<[Tally; 2]>| tallies.into_iter().map(|tallies| tallies[0]).collect::<Vec<_>>();
        let found = of_copies(&energies(tallies(&mut random, 8, 0.5, 3.0)));
        assert_eq!(found.iter().map(|valley| valley.1).collect::<Vec<_>>(), [4, 4]);
        assert!((found[0].0 + 5.0).abs() < 0.2 && (found[1].0 + 2.0).abs() < 0.2, "{found:?}");
        assert_eq!(of_copies(&energies(tallies(&mut random, 8, 0.5, 0.0))).len(), 1);
    }
}
