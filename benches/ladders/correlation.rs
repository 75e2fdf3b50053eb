//! Pairs of points.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hotloops::correlation::{Accumulator, Bins, Boundary, Image, Points, Psi};
use hotloops_bench_support::mersenne::Textbook;
use hotloops_bench_support::pairs::{self, Particle};

use crate::rows::{Row, cap, keep, levels, under};

fn orientations(particles: &[Particle]) -> Vec<Psi> {
    particles.iter().map(|p| Psi::new(p.cos6.into(), p.sin6.into()).unwrap()).collect()
}

/// Turns sums by offset into sums by distance. `dx` gives the offset of a column.
fn by_distance(sums: &[pairs::Sum], columns: usize, dx: impl Fn(usize) -> i64) -> Vec<pairs::Sum> {
    let mut all = vec![pairs::Sum::default(); 4 * columns];
    for (at, sum) in sums.iter().enumerate().filter(|(_, sum)| sum.count > 0) {
        let (dx, dy) = (dx(at % columns), (at / columns) as i64);
        let total = &mut all[((dx * dx + dy * dy) as f64).sqrt() as usize];
        (total.g, total.count) = (total.g + sum.g, total.count + sum.count);
    }
    all
}

/// Asserts equal pair counts, and sums that differ only by `f32` rounding: at most 10^-5 per pair.
fn agree(a: &[pairs::Sum], b: &[pairs::Sum]) {
    let none = pairs::Sum::default();
    for r in 0..a.len().max(b.len()) {
        let [a, b] = [a, b].map(|sums| sums.get(r).unwrap_or(&none));
        assert_eq!(a.count, b.count, "pairs at {r}");
        assert!((a.g - b.g).abs() <= 1e-5 * a.count as f32 + 1e-3, "sums at {r}: {} and {}", a.g, b.g);
    }
}

/// All distances of an image, at every 50th spacing of blocks or rows: the original's rungs, then
/// `Image`.
pub fn image_rows<const N: usize>() -> Vec<Row> {
    const EVERY: usize = 50;
    let (in_rows, width) = pairs::image(N);
    let mut shuffled = in_rows.clone();
    let mut random = Textbook::new(3);
    (1..N.min(shuffled.len())).for_each(|i| shuffled.swap(i, random.next_u32() as usize % (i + 1)));
    let spacings: Vec<usize> = (1..in_rows.len() / pairs::BLOCK).step_by(EVERY).collect();
    let counted = pairs::count(&in_rows, &spacings);

    // The rungs of the same particles agree.
    let none = pairs::Sum::default();
    for points in [&shuffled, &in_rows] {
        let (mut distances, mut offsets) = (vec![none; 2 * width], vec![none; width * width]);
        pairs::by_distance(points, &spacings, &mut distances);
        pairs::by_offset(points, &spacings, width, &mut offsets);
        agree(&distances, &by_distance(&offsets, width, |column| column as i64));
    }
    let (mut distances, mut offsets) = (vec![none; 2 * width], vec![none; 2 * width * width]);
    pairs::by_distance(&in_rows, &spacings, &mut distances);
    pairs::by_signed_offset(&in_rows, &spacings, width, &mut offsets);
    agree(&distances, &by_distance(&offsets, 2 * width, |column| column as i64 - width as i64));

    let mut rows: Vec<Row> = Vec::new();
    let (points, at, mut sums) = (shuffled.clone(), spacings.clone(), vec![none; 2 * width]);
    let by_distance = move || pairs::by_distance(black_box(&points), &at, &mut sums);
    rows.push(("distances".to_owned(), counted, Box::new(by_distance)));
    for (name, points) in [("offsets", shuffled), ("offsets, in rows", in_rows.clone())] {
        let (at, mut sums) = (spacings.clone(), vec![none; width * width]);
        let by_offset = move || pairs::by_offset(black_box(&points), &at, width, &mut sums);
        rows.push((name.to_owned(), counted, Box::new(by_offset)));
    }
    let (points, at, mut sums) = (in_rows.clone(), spacings, vec![none; 2 * width * width]);
    let by_signed_offset = move || pairs::by_signed_offset(black_box(&points), &at, width, &mut sums);
    rows.push(("signed offsets, in rows".to_owned(), counted, Box::new(by_signed_offset)));

    let (x, y): (Vec<i32>, Vec<i32>) = in_rows.iter().map(|particle| (particle.x, particle.y)).unzip();
    let images = [
        ("image", Image::new(&x, &y, &orientations(&in_rows)).unwrap()),
        ("image, pairs alone", Image::of_positions(&x, &y).unwrap()),
    ];
    let empty = Accumulator::new(Bins::uniform(0.0, 2.0 * width as f64, 1.0).unwrap()).unwrap();
    let mut counts = None;
    for (name, image) in images {
        let image = Arc::new(image);
        let some = |image: &Image, pairs: &mut Accumulator| {
            (1..=image.height()).step_by(EVERY).for_each(|dy| pairs.add_image_rows(image, dy..dy + 1).unwrap());
        };
        let mut truth = None;
        for isa in levels() {
            cap(isa);
            let mut pairs = empty.clone();
            some(&image, &mut pairs);
            let found: Vec<u64> = pairs.bins().map(|bin| bin.count).collect();
            let counted = found.iter().sum::<u64>() as usize;
            assert_eq!(&found, counts.get_or_insert_with(|| found.clone()), "{name}");
            assert_eq!(&pairs, truth.get_or_insert_with(|| pairs.clone()), "{name} {}", isa.word());
            let image = Arc::clone(&image);
            let call = under(isa, move || some(black_box(&image), &mut pairs));
            rows.push((format!("{name} {}", isa.word()), counted, call));
        }
    }
    rows
}

/// Distances up to 300 pixels between points with real coordinates, in uniform bins.
pub fn point_rows<const N: usize, const BINS: usize>() -> Vec<Row> {
    const R_MAX: f64 = 300.0;
    let (particles, _) = pairs::image(N);
    let width = R_MAX / BINS as f64;
    let points = Arc::new(points_of(&particles, R_MAX));
    let mut sums = vec![(0, 0); BINS + 1];
    let counted = pairs::by_cells(&particles, R_MAX as f32, (1.0 / width) as f32, &mut sums);
    let empty = Accumulator::new(Bins::uniform(0.0, R_MAX, width).unwrap()).unwrap();
    let mut rows: Vec<Row> = Vec::new();
    for isa in levels() {
        cap(isa);
        let mut pairs = empty.clone();
        pairs.add_points(&points).unwrap();
        // The products are rounded to multiples of 2^8 units.
        for (bin, &(sum, count)) in pairs.bins().zip(&sums) {
            assert_eq!(bin.count, count, "{}: pairs from {}", isa.word(), bin.lo);
            assert!((bin.sum - i128::from(sum)).abs() <= 128 * i128::from(count), "{}: {}", isa.word(), bin.lo);
        }
        let points = Arc::clone(&points);
        let call = under(isa, move || pairs.add_points(black_box(&points)).unwrap());
        rows.push((format!("points {}", isa.word()), counted, call));
    }
    let mut by_cells = move || pairs::by_cells(black_box(&particles), R_MAX as f32, (1.0 / width) as f32, &mut sums);
    rows.insert(0, ("cells".to_owned(), counted, Box::new(move || keep(by_cells()))));
    rows
}

fn points_of(particles: &[Particle], r_max: f64) -> Points {
    let [x, y]: [Vec<f32>; 2] = [0, 1].map(|axis| particles.iter().map(|p| [p.x, p.y][axis] as f32).collect());
    Points::new(&x, &y, &orientations(particles), Boundary::Open, r_max).unwrap()
}

/// Runs two threads, which take units of work in turn, and merges their accumulators.
pub fn in_threads(
    threads: usize,
    units: usize,
    empty: &Accumulator,
    add: impl Fn(&mut Accumulator, usize) + Sync,
) -> Accumulator {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut pairs = empty.clone();
        loop {
            let unit = next.fetch_add(1, Ordering::Relaxed);
            if unit >= units {
                return pairs;
            }
            add(&mut pairs, unit);
        }
    };
    let mut all = empty.clone();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().for_each(|worker| all.merge(&worker.join().unwrap()).unwrap());
    });
    all
}

/// One thread and two threads, with the same result.
pub fn thread_rows(
    units: usize,
    empty: Accumulator,
    add: impl Fn(&mut Accumulator, usize) + Sync + 'static,
) -> Vec<Row> {
    cap(levels().last().expect("the scalar one"));
    let add = Arc::new(add);
    let alone = in_threads(1, units, &empty, &*add);
    assert_eq!(in_threads(2, units, &empty, &*add), alone);
    let counted = alone.bins().map(|bin| bin.count).sum::<u64>() as usize;
    let row = |(name, threads): (&str, usize)| -> Row {
        let (add, empty) = (Arc::clone(&add), empty.clone());
        let call = move || drop(black_box(in_threads(threads, units, &empty, &*add)));
        (name.to_owned(), counted, Box::new(call))
    };
    [("1 thread", 1), ("2 threads", 2)].map(row).into()
}

/// All pairs of an image; the unit of work is one difference in y.
pub fn image_threads<const N: usize>() -> Vec<Row> {
    let (particles, width) = pairs::image(N);
    let (x, y): (Vec<i32>, Vec<i32>) = particles.iter().map(|particle| (particle.x, particle.y)).unzip();
    let image = Image::new(&x, &y, &orientations(&particles)).unwrap();
    let empty = Accumulator::new(Bins::uniform(0.0, 2.0 * width as f64, 1.0).unwrap()).unwrap();
    let rows = image.height() as usize + 1;
    thread_rows(rows, empty, move |pairs, dy| pairs.add_image_rows(&image, dy as u32..dy as u32 + 1).unwrap())
}

/// Distances up to 300 pixels; the unit of work is 64 cells.
pub fn point_threads<const N: usize>() -> Vec<Row> {
    const CELLS: usize = 64;
    let points = points_of(&pairs::image(N).0, 300.0);
    let empty = Accumulator::new(Bins::uniform(0.0, 300.0, 1.0).unwrap()).unwrap();
    thread_rows(points.cells().div_ceil(CELLS), empty, move |pairs, part| {
        pairs.add_points_of_cells(&points, part * CELLS..(part + 1) * CELLS).unwrap();
    })
}
