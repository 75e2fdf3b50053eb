//! Each kernel on each device beside the rows of this CPU: vectors by a compiler of OpenCL (on a CPU) beside vectors
//! written by hand, the comparison of section 5 of Avenel, Fortin, Gouicem, Zaidi (2016).
//!
//! Times of devices are those of the kernels by the device's own clock, without transfers: minima of several calls, in
//! turn with the CPU's rows. Results are compared bit for bit.

use std::time::Instant;

use hotloops::fingerprints::{Condition, Measure};
use hotloops::hamming::{self, BitRows, Hit, PackedRows, Similarity};
use hotloops::hardround::{self, Cell, Test};
use hotloops::isa::{self, Isa};
use hotloops::ising::{Acceptance, Beta, Kind, LayeredIsing, Update};
use hotloops::random::Mt19937;
use hotloops::{bitslice, bitslice::BLOCK};
use hotloops_gpu::bitslice::Slicer;
use hotloops_gpu::fingerprints::Searcher;
use hotloops_gpu::hardround::{RowTester, Tester};
use hotloops_gpu::ising::Batch;
use hotloops_gpu::ising::paper::{Layers, Models, Program};
use hotloops_gpu::{Device, Error, Queue};

use crate::ladder::{Part, Sheet, alone};
use crate::sources;
use crate::workload::Problem;

/// Rounds of a measurement, and of a test run.
const ROUNDS: [usize; 2] = [1, 7];

/// A kernel on a device and on the CPU.
struct Case<'a> {
    name: &'static str,
    /// The unit of work for which times are given.
    unit: &'static str,
    units: f64,
    /// Runs the kernel on the device; returns its seconds.
    device: Box<dyn FnMut() -> Result<f64, Error> + 'a>,
    /// Runs the same on the CPU.
    cpu: Box<dyn FnMut() -> Result<(), Error> + 'a>,
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}

/// Measures a case: nanoseconds a unit of the device, then of each instruction set.
fn measure(case: &mut Case, isas: &[Isa], rounds: usize) -> Result<Vec<f64>, Error> {
    let mut least = vec![f64::INFINITY; 1 + isas.len()];
    for _ in 0..rounds {
        least[0] = least[0].min((case.device)()?);
        for (i, &isa) in isas.iter().enumerate() {
            isa::set(isa)?;
            let begin = Instant::now();
            (case.cpu)()?;
            least[1 + i] = least[1 + i].min(begin.elapsed().as_secs_f64());
        }
    }
    Ok(least.into_iter().map(|seconds| seconds * 1e9 / case.units).collect())
}

fn bits<'a>(queue: &'a Queue, values: &'a [u32]) -> Result<Vec<Case<'a>>, Error> {
    let stride = values.len() / 8;
    let slicer = std::rc::Rc::new(Slicer::new(queue)?);
    let (again, third) = (slicer.clone(), slicer.clone());
    let mut planes = vec![0; 32 * stride];
    bitslice::slice(values, &mut planes, stride)?;
    let sliced = planes.clone();
    let (mut found, mut ours) = (vec![0; planes.len()], planes.clone());
    let (mut back, mut our_back) = (vec![0_u32; values.len()], vec![0_u32; values.len()]);
    let (mut distances, mut our_distances) = (vec![0; values.len() / 2], vec![0; values.len() / 2]);
    let bytes = 4.0 * values.len() as f64;
    let expected = planes.clone();
    Ok(vec![
        Case {
            name: "slice u32",
            unit: "byte",
            units: bytes,
            device: Box::new(move || {
                slicer.slice(values, &mut found, stride)?;
                assert!(found == expected, "planes");
                queue.kernel_seconds()
            }),
            cpu: Box::new(move || Ok(bitslice::slice(values, &mut ours, stride)?)),
        },
        Case {
            name: "unslice u32",
            unit: "byte",
            units: bytes,
            device: Box::new(move || {
                again.unslice(&planes, stride, &mut back)?;
                assert!(back == values, "elements");
                queue.kernel_seconds()
            }),
            cpu: Box::new(move || Ok(bitslice::unslice(&sliced, stride, &mut our_back)?)),
        },
        Case {
            name: "32 x 32 distances",
            unit: "block",
            units: (values.len() / BLOCK) as f64,
            device: Box::new(move || {
                third.distances(values, &mut distances)?;
                queue.kernel_seconds()
            }),
            cpu: Box::new(move || {
                let blocks = values.chunks(BLOCK).zip(our_distances.chunks_mut(1024));
                blocks.into_iter().try_for_each(|(block, out)| Ok(hamming::slices_distance(block, out)?))
            }),
        },
    ])
}

/// Rows of 1024 bits, a quarter of them ones, with a threshold that few pairs meet.
fn search<'a>(queue: Queue, rows: BitRows<'a>, queries: BitRows<'a>) -> Result<Case<'a>, Error> {
    let condition = Condition { measure: Measure::Tanimoto, threshold: 0.3, empty: 0.0 };
    let mut searcher = Searcher::new(queue, rows)?;
    let mut memory = vec![0; hamming::packed_len(rows.len(), rows.bits())?];
    hamming::pack(rows, &mut memory)?;
    let pairs = (rows.len() * queries.len()) as u64;
    let (mut hits, mut expected) = (vec![Hit::default(); 4096], 0);
    let mut cursor = 0;
    while cursor < pairs {
        let packed = PackedRows::new(&memory)?;
        expected += hamming::search(&packed, queries, Similarity::Tanimoto, 0.3, 0.0, &mut cursor, &mut hits)?;
    }
    Ok(Case {
        name: "search of 1024 bits",
        unit: "pair",
        units: pairs as f64,
        device: Box::new(move || {
            let mut found = 0;
            searcher.search(queries, &condition, |_, _| {
                found += 1;
                true
            })?;
            assert_eq!(found, expected, "hits");
            searcher.queue().kernel_seconds()
        }),
        cpu: Box::new(move || {
            let packed = PackedRows::new(&memory)?;
            let mut cursor = 0;
            while cursor < pairs {
                hamming::search(&packed, queries, Similarity::Tanimoto, 0.3, 0.0, &mut cursor, &mut hits)?;
            }
            Ok(())
        }),
    })
}

/// Domains as a search of 2^-33 ulp meets them.
fn domains<'a>(queue: Queue, name: &'static str, test: Test, [a, b]: [&'a [u64]; 2]) -> Result<Case<'a>, Error> {
    let (n, w) = (1 << 16, 1 << 42);
    let mut tester = Tester::new(queue, test)?;
    let mut expected = vec![0; a.len().div_ceil(8)];
    hardround::exists(a, b, n, w, test, &mut expected)?;
    let (mut found, mut ours) = (expected.clone(), expected.clone());
    Ok(Case {
        name,
        unit: "domain",
        units: a.len() as f64,
        device: Box::new(move || {
            tester.exists(a, b, n, w, &mut found)?;
            assert!(found == expected, "domains");
            tester.queue().kernel_seconds()
        }),
        cpu: Box::new(move || Ok(hardround::exists(a, b, n, w, test, &mut ours)?)),
    })
}

fn rows(queue: Queue, cells: &[Cell]) -> Result<Case<'_>, Error> {
    let mut tester = RowTester::new(queue)?;
    let (mut found, mut ours) = (vec![0; 2 * cells.len()], vec![0; 2 * cells.len()]);
    let run = |hits: &mut Vec<u64>| {
        // SAFETY: cells that meet the kernel's contract, and two words each.
        unsafe { hardround::rows(cells.as_ptr(), cells.len(), hits.as_mut_ptr()) };
    };
    let mut expected = ours.clone();
    run(&mut expected);
    Ok(Case {
        name: "rows",
        unit: "domain",
        units: 128.0 * cells.len() as f64,
        device: Box::new(move || {
            tester.rows(cells, &mut found)?;
            assert!(found == expected, "rows");
            tester.queue().kernel_seconds()
        }),
        cpu: Box::new(move || {
            run(&mut ours);
            Ok(())
        }),
    })
}

/// The CPU sweeps one of the models.
fn sweeps(queue: Queue, kind: Kind, name: &'static str, count: usize) -> Result<Case<'static>, Error> {
    let (layers, sites) = if kind == Kind::Bits { (512, 1000) } else { (256, 96) };
    let mut random = Random(5);
    let bonds: Vec<_> =
        (0..sites).flat_map(|i| [1, 7, 31].map(|step| (i, (i + step) % sites, 1.0 - (i % 2 * 2) as f64))).collect();
    let mut model = || {
        let mut model = LayeredIsing::builder(layers, sites).couplings(bonds.iter().copied()).build(kind)?;
        let spins: Vec<i8> = (0..layers * sites).map(|_| 1 - (random.next() & 2) as i8).collect();
        model.set_spins(&spins).map(|()| model)
    };
    let models: Vec<LayeredIsing> = (0..count).map(|_| model()).collect::<Result<_, _>>()?;
    let rngs: Vec<Mt19937> = (0..count as u32).map(|seed| Mt19937::seeded(16, seed)).collect::<Result<_, _>>()?;
    let beta = Beta { space: 0.4, tau: if kind == Kind::Bits { 0.0 } else { 0.3 } };
    let mut batch = Batch::new(queue, &models.iter().collect::<Vec<_>>(), &rngs.iter().collect::<Vec<_>>())?;
    let (mut own, mut rng) = (model()?, Mt19937::seeded(16, 0)?);
    // As many visits on both sides: the CPU's model sweeps `count` times as often.
    let visits = (layers * sites * count) as f64;
    Ok(Case {
        name,
        unit: "visit",
        units: 4.0 * visits,
        device: Box::new(move || {
            batch.sweep(&models.iter().collect::<Vec<_>>(), &vec![beta; count], 4)?;
            batch.queue().kernel_seconds()
        }),
        cpu: Box::new(move || Ok(own.sweep(&mut rng, beta, 4 * count as u64).map(|_| ())?)),
    })
}

/// The paper's programs for GPUs; the CPU sweeps as many spins by program A.4.
fn programs(queue: Queue, program: Program, name: &'static str, count: usize) -> Result<Case<'static>, Error> {
    let problem = Problem::paper(1);
    let layers = Layers { count: problem.layers, couplings: &problem.couplings, fields: &problem.fields };
    let spins = problem.random_spins(1);
    let mut models = Models::new(queue, program, &layers, &vec![&spins[..]; count], &vec![1; count])?;
    let couplings = problem.couplings.iter().map(|&(i, j, value)| (i as usize, j as usize, value.into()));
    let fields: Vec<f64> = problem.fields.iter().map(|&field| field.into()).collect();
    let builder = LayeredIsing::builder(problem.layers, problem.sites()).couplings(couplings).fields(&fields);
    let builder = builder.update(Update::Scatter).acceptance(Acceptance::Metropolis);
    let (mut own, mut rng) = (builder.build(Kind::F32Fast)?, Mt19937::seeded(16, 1)?);
    own.set_spins(&spins)?;
    let beta = Beta { space: 0.4, tau: 0.4 };
    Ok(Case {
        name,
        unit: "visit",
        units: (4 * problem.spins() * count) as f64,
        device: Box::new(move || {
            models.sweep(&vec![beta; count], 4)?;
            models.queue().kernel_seconds()
        }),
        cpu: Box::new(move || Ok(own.sweep(&mut rng, beta, 4 * count as u64).map(drop)?)),
    })
}

fn run(device: &Device, is_measured: bool, as_json: bool) -> Result<(), Error> {
    let rounds = ROUNDS[usize::from(is_measured)];
    let scale = |large: usize| if is_measured { large } else { large / 64 };
    let isas: Vec<Isa> = Isa::ALL.iter().copied().filter(|&isa| isa::usable(isa)).collect();
    let mut random = Random(3);
    let values: Vec<u32> = (0..scale(1 << 22)).map(|_| random.next() as u32).collect();
    let mut data = |n: usize| -> Vec<u8> {
        (0..128 * n / 8).flat_map(|_| (random.next() & random.next()).to_le_bytes()).collect()
    };
    let (targets, asked) = (data(scale(20_000)), data(200));
    let [a, b] = [(); 2].map(|()| (0..scale(1 << 18)).map(|_| random.next()).collect::<Vec<u64>>());
    let cells = cells(scale(4096), &mut random);
    let queue = Queue::timed(device)?;
    let again = || Queue::timed(device);
    let rows_of = |bytes, n| BitRows::new(bytes, n, 1024, 128);
    let mut cases = bits(&queue, &values)?;
    cases.push(search(again()?, rows_of(&targets, targets.len() / 128)?, rows_of(&asked, 200)?)?);
    cases.push(domains(again()?, "regular", Test::Regular, [&a, &b])?);
    cases.push(domains(again()?, "lefevre", Test::Lefevre, [&a, &b])?);
    if device.has_exact_f32 {
        cases.push(rows(again()?, &cells)?);
    }
    let models = if device.form == hotloops_gpu::Form::Gpu { 4096 } else { 16 };
    cases.push(sweeps(again()?, Kind::I8Exact, "sweep i8", if is_measured { models } else { 1 })?);
    cases.push(sweeps(again()?, Kind::Bits, "sweep bits", if is_measured { models } else { 1 })?);
    if device.has_exact_products {
        for (program, name) in [(Program::B1, "sweep b1"), (Program::B2, "sweep b2")] {
            cases.push(programs(again()?, program, name, if is_measured { models } else { 1 })?);
        }
    }
    let words: Vec<_> = isas.iter().map(|isa| isa.word()).collect();
    if !as_json {
        println!("{} (driver {}), {} units\n", device.name, device.driver, device.units);
        let heads: Vec<_> = words.iter().map(|word| format!("{word:>10}")).collect();
        println!("{:20} {:>8} {:>10}{}", "ns", "per", "device", heads.concat());
    }
    for case in &mut cases {
        let times = measure(case, &isas, rounds)?;
        if as_json {
            let cpu: Vec<_> =
                words.iter().zip(&times[1..]).map(|(word, time)| format!("\"{word}\": {time:.5}")).collect();
            println!(
                "{{\"device\": {:?}, \"driver\": {:?}, \"kernel\": \"{}\", \"unit\": \"{}\", \"ns\": {:.5}, \
                 \"cpu\": {{{}}}}}",
                device.name,
                device.driver,
                case.name,
                case.unit,
                times[0],
                cpu.join(", ")
            );
        } else {
            let times: Vec<_> = times.iter().map(|time| format!("{time:>10.3}")).collect();
            println!("{:20} {:>8} {}", case.name, case.unit, times.concat());
        }
    }
    Ok(())
}

fn cells(count: usize, random: &mut Random) -> Vec<Cell> {
    let float = |random: &mut Random, most: f32| most * (random.next() >> 40) as f32 / (1 << 24) as f32;
    let cell = |_| Cell {
        z: [(); 3].map(|()| random.next() as u32),
        h: [(); 3].map(|()| random.next() as u32),
        y: [random.next() as i32 >> 2, random.next() as i32 >> 10],
        per: 1e8 + float(random, 9e8),
        ratio: float(random, 1.0),
        min_y: 1000.0,
        row_slope: float(random, 1e-9),
        row_offset: float(random, 1.5),
        width: float(random, 0.1),
        slack: float(random, 0.05),
        count: 128,
    };
    (0..count).map(cell).collect()
}

/// Measures all kernels on all devices and prints tables, then how far the tests of domains diverge; or an object of
/// JSON a line. Without a device, says so.
///
/// # Errors
/// Fails if a device does.
pub fn print(is_measured: bool, as_json: bool) -> Result<(), Error> {
    let devices = match Device::all() {
        Ok(devices) => devices,
        Err(error) if error.is_absence() => {
            eprintln!("skipped: {error}");
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    let alone = alone();
    let in_force = isa::active();
    let printed = devices.iter().try_for_each(|device| run(device, is_measured, as_json));
    isa::set(in_force)?;
    drop(alone);
    printed?;
    if !as_json {
        let table = sources::hardround::divergence(if is_measured { 1024 } else { 2 });
        println!("\n{}", Sheet::new(&Part::Table(table)));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_have_the_results_of_the_cpu() -> Result<(), Error> {
        print(false, false)
    }
}
