//! Orientations of the points of a frame, computed from the positions.

use hotloops::correlation::{Neighbours, Psi};

use super::arguments::Arguments;
use super::count::Team;
use super::frames::Frame;
use super::points::{Table, in_frame};
use super::voronoi::Cells;
use crate::cluster::units::Order;
use crate::cluster::wire::{decoded, encoded};
use crate::failure::{Failure, say};

/// Points of a frame that have no orientation of their own, for messages.
#[derive(Default)]
pub struct Oddities {
    /// Points at the place of another, places without neighbours, and cells that are not bounded.
    pub twins: usize,
    pub alone: usize,
    pub unbounded: usize,
}

/// Computes the orientations of a frame from the positions, if they are wanted.
pub fn orient(a: &Arguments, team: Team, table: &mut Table) -> Result<Oddities, Failure> {
    if !a.has_own_orientations() {
        return Ok(Oddities::default());
    }
    let (mut all, oddities) = match a.voronoi {
        true => by_cells(a, table)?,
        false => {
            let (x, y, boundary) = (&table.x, &table.y, a.boundary(table));
            let neighbours = match a.radius {
                Some(radius) => Neighbours::within(x, y, boundary, radius),
                None => Neighbours::nearest(x, y, boundary, a.neighbours.map_or(0, usize::from)),
            };
            let neighbours = neighbours.map_err(|error| a.fault(table, error))?;
            (by_neighbours(team, &neighbours, x.len(), &a.fold)?, Oddities::default())
        }
    };
    table.psi = all.remove(0);
    table.more = all;
    Ok(oddities)
}

/// The orientations by Voronoi cells, with each symmetry.
fn by_cells(a: &Arguments, table: &Table) -> Result<(Vec<Vec<Psi>>, Oddities), Failure> {
    let fault = |why| Failure::Input(format!("{}: {}", a.points.display(), in_frame(table.frame, why)));
    let cells = Cells::of(&table.x, &table.y, a.periods(table)).map_err(fault)?;
    let unique = table.reordered(&cells.first);
    let (x, y, boundary) = (&unique.x, &unique.y, a.boundary(table));
    let of = |&fold: &u32| {
        let weights = a.weighted.then_some(&cells.lengths[..]);
        let psi = Psi::of_bonds_to_images(x, y, boundary, &cells.bonds, &cells.displacements, weights, fold);
        let psi = psi.map_err(|error| a.fault(&unique, error))?;
        Ok(cells.place.iter().map(|&place| psi[place]).collect())
    };
    let all = a.fold.iter().map(of).collect::<Result<Vec<_>, Failure>>()?;
    let twins = table.x.len() - unique.x.len();
    let unbounded = if a.weighted { cells.unbounded } else { 0 };
    Ok((all, Oddities { twins, alone: cells.alone, unbounded }))
}

/// The orientations of all points by their neighbours, with each symmetry, on all ranks.
fn by_neighbours(team: Team, neighbours: &Neighbours, points: usize, folds: &[u32]) -> Result<Vec<Vec<Psi>>, Failure> {
    type Parts = Vec<(usize, [i16; 2])>;
    let work = |&mut (): &mut (), part: u64| {
        let of = |&fold: &u32| neighbours.orientations(part as usize, fold);
        let orders = folds.iter().map(of).collect::<Result<Vec<_>, _>>()?;
        let parts = orders.into_iter().map(|orders| orders.into_iter().map(|(point, psi)| (point, psi.parts())));
        Ok(encoded(&parts.map(Iterator::collect).collect::<Vec<Parts>>()))
    };
    let mut all = vec![vec![[0; 2]; points]; folds.len()];
    let take = &mut |_, result: Vec<u8>| {
        for (all, orders) in all.iter_mut().zip(decoded::<Vec<Parts>>(&result)) {
            orders.into_iter().for_each(|(point, parts)| all[point] = parts);
        }
        Ok(())
    };
    team.cluster.share(team.pool, &mut (0..neighbours.parts() as u64), Order::Any, || (), work, take)?;
    let psi = |parts: Vec<[i16; 2]>| parts.into_iter().map(Psi::from_parts).collect::<Result<Vec<_>, _>>();
    Ok(team.cluster.broadcast_value(all).into_iter().map(psi).collect::<Result<Vec<_>, _>>()?)
}

/// Says which points have no orientation of their own, and which frames were left out.
pub fn say_oddities(
    a: &Arguments,
    left_out: &[Option<Frame>],
    frames: usize,
    [twins, alone, unbounded]: [usize; 3],
) -> Result<(), Failure> {
    let file = a.points.display();
    if let (Some(k), Some(Some(first))) = (a.neighbours, left_out.first()) {
        let why = format!("at most {k} points, but --neighbours {k} needs more");
        if left_out.len() == frames {
            return Err(Failure::Input(format!("{file}: every frame has {why}")));
        }
        let count = left_out.len();
        say(format_args!("hotloops: {file}: {count} frames have {why}; they are left empty (the first is {first})"));
    }
    for (count, what) in [
        (twins, "points lie at the place of another; they have its orientation"),
        (alone, "points have no neighbour; their orientation is 0"),
        (unbounded, "points have a cell that is not bounded; their orientation is 0"),
    ] {
        if count > 0 {
            say(format_args!("hotloops: {file}: --voronoi: {count} {what}"));
        }
    }
    Ok(())
}
