//! Beyond the article: real coordinates, pairs up to a distance.

use std::hint::black_box;
use std::rc::Rc;
use std::sync::Arc;

use hotloops::correlation::{Accumulator, Bins, Boundary, Points};

use super::particles::{Particle, Set};
use super::{Plan, ours};
use crate::ladder::{Compared, Origin, Rung, Scale, Table, measure};
use crate::sources::programs::compilers;
use crate::sources::stateful::{rung, usable};

/// Cells of a unit of work of a thread.
const CELLS: usize = 64;

/// Uniform bins up to the largest distance.
pub fn table(plan: &Plan, name: &'static str, bins: usize) -> Table {
    let (n, r_max) = plan.sizes.points;
    let set = Set::new(n).in_rows();
    let width = r_max / bins as f64;
    let particles: Rc<[Particle]> = set.particles().into();
    let points = Arc::new(points_of(&particles, r_max));
    let mut right = vec![(0, 0); bins + 1];
    by_cells(&particles, r_max as f32, (1.0 / width) as f32, &mut right);
    let right: Rc<[(i64, u64)]> = right.into();
    let pairs = right.iter().map(|(_, count)| count).sum::<u64>() as f64;
    let empty = Accumulator::new(Bins::uniform(0.0, r_max, width).unwrap()).unwrap();

    let scalar = move |sums: &mut Vec<(i64, u64)>| {
        sums.fill((0, 0));
        by_cells(black_box(&particles), r_max as f32, (1.0 / width) as f32, sums);
    };
    let mut library = empty.clone();
    library.add_points(&points).unwrap();
    let is_right = move |sums: &Vec<(i64, u64)>| agree(&library, sums);
    let mut rungs =
        vec![rung("the same cells in scalar Rust", Origin::Step, pairs, vec![(0, 0); bins + 1], scalar, is_right)];
    for isa in usable() {
        let (points, right) = (Arc::clone(&points), Rc::clone(&right));
        let add = move |pairs: &mut Accumulator| pairs.add_points(black_box(&points)).unwrap();
        let is_right = move |pairs: &Accumulator| agree(pairs, &right);
        rungs.push(rung("points", Origin::Ours, pairs, empty.clone(), add, is_right).under(isa));
    }
    let best = usable().last().expect("the scalar one");
    for &threads in plan.effort.threads.iter().filter(|&&threads| threads > 1) {
        let (points, right, empty) = (Arc::clone(&points), Rc::clone(&right), empty.clone());
        let add = move |all: &mut Accumulator| {
            *all = ours::in_threads(threads, points.cells().div_ceil(CELLS), &empty, |pairs, part| {
                pairs.add_points_of_cells(&points, part * CELLS..(part + 1) * CELLS).unwrap();
            });
        };
        let is_right = move |pairs: &Accumulator| agree(pairs, &right);
        let state = Accumulator::new(Bins::uniform(0.0, r_max, width).unwrap()).unwrap();
        let rung: Rung = rung("points", Origin::Ours, pairs, state, add, is_right);
        rungs.push(rung.under(best).on(threads));
    }
    let title = format!("Pairs up to {r_max} pixels of {} points with real coordinates, in {bins} bins", set.len());
    let scale = (Scale::Nanoseconds, "ns a pair");
    let mut table = measure(name, title, scale, Compared::Value, rungs, plan.budget);
    table.notes.push(compilers());
    table
}

/// Whether counts are equal, and sums to within the rounding of products to multiples of 2^8 units.
fn agree(pairs: &Accumulator, right: &[(i64, u64)]) -> bool {
    pairs
        .bins()
        .zip(right)
        .all(|(bin, &(sum, count))| bin.count == count && (bin.sum - i128::from(sum)).abs() <= 128 * i128::from(count))
}

fn points_of(particles: &[Particle], r_max: f64) -> Points {
    let [x, y]: [Vec<f32>; 2] = [0, 1].map(|axis| particles.iter().map(|p| [p.x, p.y][axis] as f32).collect());
    Points::new(&x, &y, &ours::orientations(particles), Boundary::Open, r_max).unwrap()
}

/// A particle of a cell: its position and its orientation in units of 2^-14.
type Placed = (f32, f32, [i16; 2]);

/// Adds sums of products and pairs up to the distance `r_max` to their bins, by cells of 30 pixels.
fn by_cells(particles: &[Particle], r_max: f32, inverse_width: f32, sums: &mut [(i64, u64)]) {
    const SIDE: usize = 30;
    let largest = particles.iter().map(|particle| particle.x.max(particle.y)).max().unwrap_or(0) as usize;
    let columns = largest / SIDE + 1;
    let mut cells: Vec<Vec<Placed>> = vec![Vec::new(); columns * columns];
    for &Particle { x, y, cos6, sin6 } in particles {
        let psi = [cos6, sin6].map(|part| (part * 16384.0).round_ties_even() as i16);
        cells[y as usize / SIDE * columns + x as usize / SIDE].push((x as f32, y as f32, psi));
    }
    let reach = (r_max / SIDE as f32) as i64 + 1;
    let mut add = |a: &Placed, b: &Placed| {
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let r2 = dx * dx + dy * dy;
        if r2 < r_max * r_max {
            let product = i64::from(a.2[0]) * i64::from(b.2[0]) + i64::from(a.2[1]) * i64::from(b.2[1]);
            let sum = &mut sums[(r2.sqrt() * inverse_width) as usize];
            *sum = (sum.0 + product, sum.1 + 1);
        }
    };
    for (at, cell) in cells.iter().enumerate() {
        let (column, row) = ((at % columns) as i64, (at / columns) as i64);
        for (i, a) in cell.iter().enumerate() {
            cell[..i].iter().for_each(|b| add(a, b));
        }
        for up in 0..=reach {
            let above = ((up - 1).max(0) * SIDE as i64) as f32;
            let wide = ((r_max * r_max - above * above).max(0.0).sqrt() / SIDE as f32) as i64 + 1;
            for other in (if up == 0 { column + 1 } else { column - wide })..=column + wide {
                if (0..columns as i64).contains(&other) && row + up < columns as i64 {
                    let others = &cells[(row + up) as usize * columns + other as usize];
                    cell.iter().for_each(|a| others.iter().for_each(|b| add(a, b)));
                }
            }
        }
    }
}
