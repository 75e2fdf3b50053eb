//! Replica exchange against a textbook loop and against enumeration.

use hotloops::ising::{Beta, Energy, Kind, LANES, LayeredIsing, ReplicaExchange};
use hotloops::random::Mt19937;

/// SplitMix64 as published.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e3779b97f4a7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58476d1ce4e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d049bb133111eb);
        z ^ z >> 31
    }

    /// In [0, 1).
    fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 * 2f64.powi(-53)
    }

    /// Two numbers between -`scale` and `scale`.
    fn pair(&mut self, scale: f64) -> [f64; 2] {
        [(); 2].map(|()| scale * (2.0 * self.uniform() - 1.0))
    }
}

#[test]
fn split_mix_gives_published_outputs() {
    let mut random = SplitMix(1234567);
    let expected = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431];
    assert_eq!([(); 4].map(|()| random.next()), expected);
}

fn exchange_of(ladder: &[Beta], seed: u32) -> ReplicaExchange {
    ReplicaExchange::new(ladder, seed).unwrap()
}

/// The replicas from the first temperature to the last.
fn replicas(exchange: &ReplicaExchange) -> Vec<usize> {
    (0..exchange.len()).map(|temperature| exchange.replica_at(temperature).unwrap()).collect()
}

/// All statistics of an exchange.
fn account(exchange: &ReplicaExchange) -> (Vec<usize>, Vec<[u64; 2]>, Vec<u64>) {
    let pairs = (0..exchange.len() - 1).map(|pair| [exchange.attempts(pair).unwrap(), exchange.swaps(pair).unwrap()]);
    let trips = (0..exchange.len()).map(|replica| exchange.round_trips_of(replica).unwrap());
    (replicas(exchange), pairs.collect(), trips.collect())
}

#[test]
fn every_swap_is_the_textbook_s() {
    let mut dice = SplitMix(1);
    for temperatures in 2..12 {
        let betas: Vec<_> = (0..temperatures).map(|_| dice.pair(1.0).map(|value| value as f32)).collect();
        let ladder: Vec<_> = betas.iter().map(|&[space, tau]| Beta { space, tau }).collect();
        let seed = u32::MAX - temperatures as u32;
        let (mut exchange, mut random) = (exchange_of(&ladder, seed), SplitMix(seed.into()));
        let mut order: Vec<_> = (0..temperatures).collect();
        let mut pairs = vec![[0; 2]; temperatures - 1];
        let mut total = 0;
        for round in 0..300 {
            let energies: Vec<_> = (0..temperatures).map(|_| dice.pair(3.0)).collect();
            let mut swapped = 0;
            for low in (round % 2..temperatures - 1).step_by(2) {
                let log_weight = |temperature: usize, replica: usize| {
                    let ([space, tau], [es, et]) = (betas[temperature].map(f64::from), energies[replica]);
                    space * es + tau * et
                };
                let (a, b) = (order[low], order[low + 1]);
                let now = log_weight(low, a) + log_weight(low + 1, b);
                let then = log_weight(low, b) + log_weight(low + 1, a);
                let accepted = random.uniform() < (then - now).exp().min(1.0);
                if accepted {
                    order.swap(low, low + 1);
                    swapped += 1;
                }
                pairs[low][0] += 1;
                pairs[low][1] += u64::from(accepted);
            }
            let energies: Vec<_> = energies.iter().map(|&[space, tau]| Energy { space, tau }).collect();
            assert_eq!(exchange.exchange(&energies), Ok(swapped), "{temperatures} temperatures, round {round}");
            assert_eq!((account(&exchange).0, account(&exchange).1), (order.clone(), pairs.clone()));
            for (temperature, &replica) in order.iter().enumerate() {
                assert_eq!(exchange.temperature_of(replica), Ok(temperature));
                assert_eq!(exchange.beta(replica), Ok(ladder[temperature]));
            }
            total += swapped;
        }
        let attempts = pairs.iter().map(|pair| pair[0] as usize).sum::<usize>();
        assert!((attempts / 10..attempts * 9 / 10).contains(&total), "{total} swaps of {attempts}");
    }
}

/// A decision is the one that the round itself makes when the rounds before it are made, swaps or not: it has the
/// same random number.
#[test]
fn decisions_have_the_numbers_of_their_rounds() {
    let (mut dice, mut swapped) = (SplitMix(5), 0);
    for temperatures in 2..8 {
        let ladder: Vec<_> = (0..temperatures).map(|t| Beta { space: t as f32, tau: 0.0 }).collect();
        let mut exchange = exchange_of(&ladder, 11);
        for _ in 0..40 {
            for ahead in 0..6 {
                let mut later = exchange.clone();
                (0..ahead).for_each(|_| _ = later.apply(|_| false));
                for pair in 0..temperatures - 1 {
                    // Accepted with a probability of about one half.
                    let energies = [0.4, 1.0].map(|space| Energy { space: space + 0.2 * dice.pair(1.0)[0], tau: 0.0 });
                    let decision = exchange.decide(ahead, pair, energies).unwrap();
                    assert_eq!(decision, later.decide(0, pair, energies).unwrap(), "{temperatures} {ahead} {pair}");
                    swapped += u32::from(decision);
                }
            }
            exchange.apply(|_| false);
        }
    }
    assert!(swapped > 500, "{swapped}");
}

/// Rounds decided pair by pair, some of them long before they are made, are those of an exchange.
#[test]
fn rounds_are_decided_ahead() {
    let mut dice = SplitMix(2);
    for temperatures in 2..8 {
        let ladder: Vec<_> =
            (0..temperatures).map(|_| dice.pair(1.0)).map(|[a, b]| Beta { space: a as f32, tau: b as f32 }).collect();
        let (mut exchange, mut apart) = (exchange_of(&ladder, 3), exchange_of(&ladder, 3));
        for ahead in [1, 2, 3, 7] {
            let mut rounds = Vec::new();
            for round in 0..ahead {
                let energies: Vec<_> =
                    (0..temperatures).map(|_| dice.pair(3.0)).map(|[space, tau]| Energy { space, tau }).collect();
                // By temperature before the round, since models swap and not temperatures.
                let pairs = energies.windows(2).enumerate();
                let decided: Result<Vec<_>, _> =
                    pairs.map(|(pair, of)| apart.decide(round, pair, [of[0], of[1]])).collect();
                let mut of_replicas = energies.clone();
                for (temperature, &energy) in energies.iter().enumerate() {
                    of_replicas[exchange.replica_at(temperature).unwrap()] = energy;
                }
                let swaps = exchange.exchange(&of_replicas).unwrap();
                let decided = decided.unwrap();
                assert_eq!(decided.iter().filter(|&&is_swapped| is_swapped).count(), swaps);
                rounds.push((decided, swaps));
            }
            for (decided, swaps) in rounds {
                let mut asked = Vec::new();
                let made = apart.apply(|pair| {
                    asked.push(pair);
                    decided[pair]
                });
                assert!(made == swaps && asked.windows(2).all(|pairs| pairs[0] + 2 == pairs[1]), "{asked:?}");
            }
            assert_eq!(apart, exchange);
        }
    }
}

fn ladder(temperatures: usize) -> Vec<Beta> {
    (0..temperatures).map(|temperature| Beta { space: temperature as f32, tau: 0.0 }).collect()
}

/// One round on [`ladder`], in which every swap has probability `exp(x)`.
fn round(exchange: &mut ReplicaExchange, x: f64) -> usize {
    let temperatures = 0..exchange.len();
    let energies = temperatures.map(|r| Energy { space: -x * exchange.temperature_of(r).unwrap() as f64, tau: 0.0 });
    let energies: Vec<_> = energies.collect();
    exchange.exchange(&energies).unwrap()
}

#[test]
fn the_random_numbers_do_not_depend_on_the_energies() {
    for temperatures in [2, 3, 8, 9] {
        let decisions = |seed, first: f64| {
            let mut exchange = exchange_of(&ladder(temperatures), seed);
            for _ in 0..7 {
                round(&mut exchange, first);
            }
            (0..200).map(|_| round(&mut exchange, -0.7)).collect::<Vec<_>>()
        };
        let expected = decisions(5, -0.7);
        assert_eq!(decisions(5, 1e300), expected);
        assert_eq!(decisions(5, -1e300), expected);
        assert_eq!(decisions(5, 0.0), expected);
        assert_ne!(decisions(6, -0.7), expected);
    }
}

#[test]
fn what_cannot_be_or_must_be_is_certain() {
    for x in [-800.0, -1e300] {
        let mut exchange = exchange_of(&ladder(4), 1);
        assert_eq!((0..2000).map(|_| round(&mut exchange, x)).sum::<usize>(), 0, "{x}");
    }
    for x in [0.0, 1e-300, 1e-16, 1e-9, 1.0, 800.0, 1e300] {
        let mut exchange = exchange_of(&ladder(4), 1);
        let swaps: Vec<_> = (0..2000).map(|_| round(&mut exchange, x)).collect();
        assert!(swaps.chunks(2).all(|pair| pair == [2, 1]), "{x}");
    }
}

/// If every swap is accepted, the replicas of three temperatures circulate.
#[test]
fn round_trips_are_counted_where_they_end() {
    let mut exchange = exchange_of(&ladder(3), 1);
    let steps: [([usize; 3], [u64; 3]); 12] = [
        ([1, 0, 2], [0, 0, 0]),
        ([1, 2, 0], [0, 0, 0]),
        // Replica 2 started at the last temperature without visiting the first one before: no trip.
        ([2, 1, 0], [0, 0, 0]),
        ([2, 0, 1], [0, 0, 0]),
        ([0, 2, 1], [1, 0, 0]),
        ([0, 1, 2], [1, 0, 0]),
        ([1, 0, 2], [1, 1, 0]),
        ([1, 2, 0], [1, 1, 0]),
        ([2, 1, 0], [1, 1, 1]),
        ([2, 0, 1], [1, 1, 1]),
        ([0, 2, 1], [2, 1, 1]),
        ([0, 1, 2], [2, 1, 1]),
    ];
    for (order, trips) in steps {
        assert_eq!(round(&mut exchange, 1.0), 1);
        assert_eq!((replicas(&exchange), account(&exchange).2), (order.to_vec(), trips.to_vec()));
        assert_eq!(exchange.round_trips(), trips.iter().sum());
    }
    // To and fro without reaching the last temperature.
    for _ in 0..10 {
        assert_eq!((round(&mut exchange, 1.0), round(&mut exchange, -1e9)), (1, 0));
    }
    assert_eq!((replicas(&exchange), exchange.round_trips()), (vec![0, 1, 2], 5));
    // With two temperatures, each is an end.
    let mut exchange = exchange_of(&ladder(2), 1);
    let trips = [(); 9].map(|()| {
        round(&mut exchange, 1.0);
        account(&exchange).2
    });
    assert_eq!(trips.map(|trips| [trips[0], trips[1]])[..6], [[0, 0], [0, 0], [1, 0], [1, 0], [1, 1], [1, 1]]);
}

/// Four layers of three spins in a frustrated triangle, with fields.
const LAYERS: usize = 4;
const SITES: usize = 3;
const COUPLINGS: [(usize, usize, f64); 3] = [(0, 1, 1.0), (1, 2, 0.5), (2, 0, -0.75)];
const FIELDS: [f64; SITES] = [0.25, 0.0, -0.125];
const TAU_COUPLING: f64 = 0.75;

fn model() -> LayeredIsing {
    let builder = LayeredIsing::builder(LAYERS, SITES).couplings(COUPLINGS).fields(&FIELDS);
    builder.tau_coupling(TAU_COUPLING).build(Kind::F32Poly).unwrap()
}

/// The mean energies, from all configurations.
fn exact(beta: Beta) -> [f64; 2] {
    let (mut sums, mut norm) = ([0.0; 2], 0.0);
    for state in 0..1 << (LAYERS * SITES) {
        let spin = |layer: usize, site: usize| 1.0 - 2.0 * f64::from(state >> (layer % LAYERS * SITES + site) & 1);
        let (mut space, mut tau) = (0.0, 0.0);
        for layer in 0..LAYERS {
            space += COUPLINGS.map(|(i, j, value)| value * spin(layer, i) * spin(layer, j)).iter().sum::<f64>();
            for (site, &field) in FIELDS.iter().enumerate() {
                space += field * spin(layer, site);
                tau += TAU_COUPLING * spin(layer, site) * spin(layer + 1, site);
            }
        }
        let weight = (f64::from(beta.space) * space + f64::from(beta.tau) * tau).exp();
        sums = [sums[0] + weight * space, sums[1] + weight * tau];
        norm += weight;
    }
    sums.map(|sum| sum / norm)
}

/// The maximum deviation, in standard errors, of the mean energies at the temperatures of a ladder.
/// Sweeps and exchanges alternate. The exchange receives `told(energy)` for each energy.
fn deviation(ladder: &[Beta], told: impl Fn(Energy) -> Energy) -> f64 {
    const BLOCKS: usize = 64;
    const ROUNDS: usize = 600;
    let mut models: Vec<_> = ladder.iter().map(|_| model()).collect();
    let mut exchange = exchange_of(ladder, 3);
    let mut rng = Mt19937::seeded(LANES, 77).unwrap();
    let mut blocks = vec![[[0.0; 2]; BLOCKS]; ladder.len()];
    for block in 0..=BLOCKS {
        for _ in 0..ROUNDS {
            for (replica, model) in models.iter_mut().enumerate() {
                model.sweep(&mut rng, exchange.beta(replica).unwrap(), 1).unwrap();
            }
            let energies: Vec<_> = models.iter().map(LayeredIsing::energy).collect();
            exchange.exchange(&energies.iter().map(|&energy| told(energy)).collect::<Vec<_>>()).unwrap();
            for (temperature, blocks) in blocks.iter_mut().enumerate() {
                // The block before the first brings the models into equilibrium.
                if let Some(block) = block.checked_sub(1) {
                    let Energy { space, tau } = energies[exchange.replica_at(temperature).unwrap()];
                    blocks[block][0] += space / ROUNDS as f64;
                    blocks[block][1] += tau / ROUNDS as f64;
                }
            }
        }
    }
    let off = ladder.iter().zip(blocks).flat_map(|(&beta, blocks)| {
        [0, 1].map(|which| {
            let values = blocks.map(|block| block[which]);
            let mean = values.iter().sum::<f64>() / BLOCKS as f64;
            let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (BLOCKS - 1) as f64;
            (mean - exact(beta)[which]).abs() / (variance / BLOCKS as f64).sqrt()
        })
    });
    off.fold(0.0, f64::max)
}

/// The test detects wrong acceptance probabilities: each wrong energy makes the acceptance wrong.
#[test]
fn exchange_keeps_the_energies_of_every_temperature() {
    type Told = fn(Energy) -> Energy;
    fn scaled(Energy { space, tau }: Energy, divisor: usize) -> Energy {
        Energy { space: space / divisor as f64, tau: tau / divisor as f64 }
    }
    let ladder = [(0.2, 0.9), (0.5, 0.5), (0.8, 0.2)].map(|(space, tau)| Beta { space, tau });
    for ladder in [&ladder[..2], &ladder] {
        let right = deviation(ladder, |energy| energy);
        assert!(right < 4.0, "off by {right} standard errors");
        let mistakes: [(&str, Told); 6] = [
            ("the sign", |energy| Energy { space: -energy.space, tau: -energy.tau }),
            ("the sign in tau", |energy| Energy { tau: -energy.tau, ..energy }),
            ("no tau", |energy| Energy { tau: 0.0, ..energy }),
            ("no space", |energy| Energy { space: 0.0, ..energy }),
            ("energies per layer", |energy| scaled(energy, LAYERS)),
            ("energies per spin", |energy| scaled(energy, LAYERS * SITES)),
        ];
        println!("{} temperatures: off by {right:.1} standard errors", ladder.len());
        for (mistake, told) in mistakes {
            let wrong = deviation(ladder, told);
            println!("  {mistake}: {wrong:.1}");
            assert!(wrong > 20.0, "{mistake}: off by {wrong} standard errors only");
        }
    }
}

#[test]
fn a_step_is_an_exchange_of_the_models_energies() {
    let ladder = [0.1, 0.3, 0.5, 0.7].map(|space| Beta { space, tau: 0.3 });
    let mut models = [(); 4].map(|()| model());
    let mut rng = Mt19937::seeded(LANES, 1).unwrap();
    let [mut step, mut told] = [(); 2].map(|()| exchange_of(&ladder, 9));
    for _ in 0..100 {
        for (replica, model) in models.iter_mut().enumerate() {
            model.sweep(&mut rng, step.beta(replica).unwrap(), 1).unwrap();
        }
        let swaps = told.exchange(&models.each_ref().map(LayeredIsing::energy));
        assert_eq!(step.step(&models.each_ref()), swaps);
        assert_eq!(step, told);
    }
    assert!(step.round_trips() > 0);
}

fn saved(exchange: &ReplicaExchange) -> Vec<u8> {
    let mut bytes = vec![0; exchange.state_len()];
    exchange.state_bytes(&mut bytes).unwrap();
    bytes
}

#[test]
fn a_saved_exchange_goes_on_where_it_was() {
    for temperatures in [2, 3, 7] {
        let mut exchange = exchange_of(&ladder(temperatures), 4);
        for rounds in [0, 1, 50, 333] {
            for _ in 0..rounds {
                round(&mut exchange, -0.1);
            }
            let bytes = saved(&exchange);
            let mut copies = vec![ReplicaExchange::from_state_bytes(&bytes).unwrap()];
            for other in [temperatures, 5] {
                copies.push(exchange_of(&ladder(other)[..], 99));
                round(copies.last_mut().unwrap(), 1.0);
                copies.last_mut().unwrap().set_state(&bytes).unwrap();
            }
            assert!(copies.iter().all(|copy| *copy == exchange && saved(copy) == bytes));
            copies.push(exchange);
            let all = copies.iter_mut().map(|exchange| {
                let swaps: Vec<_> = (0..100).map(|_| round(exchange, -0.1)).collect();
                (swaps, account(exchange))
            });
            let all: Vec<_> = all.collect();
            assert!(all.iter().all(|one| *one == all[0]));
            exchange = copies.pop().unwrap();
        }
        assert!(exchange.round_trips() > 0);
    }
}

/// The layout is stable: later versions must read saved states.
#[test]
fn a_saved_state_is_what_the_documentation_says() {
    let betas = [(0.25, 1.0), (0.5, -2.0), (-0.75, 3.0)].map(|(space, tau)| Beta { space, tau });
    let mut exchange = exchange_of(&betas, 7);
    // Certain swaps: the pairs 0, 1, 0, 1, 0.
    for _ in 0..5 {
        exchange.exchange(&[Energy { space: 0.0, tau: 0.0 }; 3]).unwrap();
    }
    let mut random = SplitMix(7);
    for _ in 0..5 {
        random.next();
    }
    let bits = |beta: Beta| u64::from(beta.space.to_bits()) | u64::from(beta.tau.to_bits()) << 32;
    let words = [
        [random.0].as_slice(),
        // The order is now 0, 2, 1: replica 0 is back, replica 1 on its way back, replica 2 on its way out.
        &[bits(betas[0]), 0, 3, 1, 1],
        &[bits(betas[1]), 2, 2, 2, 0],
        &[bits(betas[2]), 1, 0, 1, 0],
    ]
    .concat();
    let mut expected = b"hlrepexc\x01\0\0\0\x03\0\0\0\x05\0\0\0\0\0\0\0".to_vec();
    expected.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100000001b3);
    let hash = expected.iter().fold(0xcbf29ce484222325, step);
    expected.extend(hash.to_le_bytes());
    assert_eq!(saved(&exchange), expected);
}

#[test]
fn exchanges_move_between_threads() {
    fn moves<T: Send + Sync>() {}
    moves::<ReplicaExchange>();
}
