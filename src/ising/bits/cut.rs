//! Rows, links and ghosts of a model in strips.

use alloc::vec::Vec;

use super::lattice::is_next;
use super::row::{NEGATIVE, POSITIVE, RowLine, Run};
use super::scalar::{BLOCK, Header, Row};
use super::strips::{Ghost, Strips};
use crate::frame::error::Error;
use crate::frame::memory;
use crate::frame::pieces::{Ended, Pieces};
use crate::ising::graph::Lists;

/// The rows, links, ghosts and signs of a lattice in strips.
pub(super) struct Cut {
    /// For each row, the sites in the lanes of a copy.
    pub sites: Vec<u32>,
    pub links: Vec<u32>,
    pub runs: Vec<Run>,
    /// In the order of their sources.
    pub ghosts: Vec<Ghost>,
    pub signs: Vec<RowLine>,
}

/// A bond of the sites at a place.
#[derive(Clone, Copy)]
struct Bond {
    /// It exists in some lanes only.
    is_mixed: bool,
    /// Row of the other ends: sites or a ghost.
    row: u32,
    /// The rows of signs of its halves, which are equal where the bond exists.
    signs: [u32; 2],
}

/// Rows of a colour with equal keys are visited together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    /// Number of bonds, which all lanes have.
    Uniform(u32),
    /// Number of bonds, each visited as two halves.
    Halved(u32),
    /// The bonds, and those that some lanes lack.
    Masked { bonds: u32, mixed: u32 },
}

impl Cut {
    /// The couplings of `lists` are those of the lattice of `strips`.
    pub fn new(lists: &Lists, strips: Strips) -> Result<Self, Ended> {
        let (rows, degree) = (strips.rows(), strips.degree());
        let mut signs = memory::filled(2, RowLine([0; 8]))?;
        signs[NEGATIVE as usize] = RowLine([u64::MAX; 8]);
        let mut bonds = bonds(lists, strips, &mut signs)?;

        let order = by_class(
            rows,
            |place| (strips.colour(place), Key::of(&bonds[place * degree..][..degree], strips)),
            lists.pieces,
        )?;
        let mut sites = memory::with_capacity(rows * strips.lanes)?;
        let mut row_of = memory::filled(rows, 0)?;
        for (row, &(.., place)) in (0..).zip(&order) {
            lists.pieces.before(strips.lanes * degree)?;
            row_of[place] = row;
            sites.extend((0..strips.lanes).map(|lane| strips.site(place, lane) as u32));
        }
        let ghosts = ghosts(&order, &row_of, strips, &mut bonds)?;

        let mut visits = Visits { bonds: &bonds, degree, first: 0, links: Vec::new(), runs: Vec::new() };
        for same in order.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            lists.next()?;
            visits.add_class(same, lists, strips)?;
            let (colour, first) = (same[0].0, visits.first);
            let is_last = order.get(first).is_none_or(|next| next.0 != colour);
            if is_last && let Some(run) = visits.runs.last_mut() {
                let up_to = |row: usize| ghosts.partition_point(|ghost: &Ghost| ghost.source < row);
                let begin = order.partition_point(|other| other.0 < colour);
                run.ghosts = (up_to(begin), up_to(first));
            }
        }
        let Visits { links, runs, .. } = visits;
        Ok(Cut { sites, links, runs, ghosts, signs })
    }
}

impl Key {
    /// The key of a place with these bonds.
    fn of(bonds: &[Option<Bond>], strips: Strips) -> Self {
        let set = |is_in: &dyn Fn(&Bond) -> bool| {
            (0..).zip(bonds).fold(0, |set, (j, bond)| set | u32::from(bond.as_ref().is_some_and(is_in)) << j)
        };
        match (set(&|_| true), set(&|bond| bond.is_mixed)) {
            (bonds, 0) => Key::Uniform(bonds.count_ones()),
            (bonds, _) if strips.is_halved(bonds.count_ones() as usize) => Key::Halved(bonds.count_ones()),
            (bonds, mixed) => Key::Masked { bonds, mixed },
        }
    }
}

/// The runs, and the links of their bonds.
struct Visits<'a> {
    bonds: &'a [Option<Bond>],
    degree: usize,
    /// The first row of the next class.
    first: usize,
    links: Vec<u32>,
    runs: Vec<Run>,
}

impl Visits<'_> {
    /// Adds the runs of the places of one class, each place with its colour and key.
    fn add_class(&mut self, same: &[(usize, Key, usize)], lists: &Lists, strips: Strips) -> Result<(), Ended> {
        let (_, key, place) = same[0];
        match key {
            Key::Uniform(_) => self.add_run(same, [u64::MAX; 8], &|_| true, &[0], lists.pieces)?,
            Key::Halved(_) => self.add_run(same, [u64::MAX; 8], &|_| true, &[0, 1], lists.pieces)?,
            Key::Masked { mixed, .. } => {
                // All sets of the mixed bonds, in descending order.
                for set in (0..=mixed).rev().filter(|set| set & !mixed == 0) {
                    let mut mask = strips.all_lanes();
                    for j in (0..self.degree).filter(|j| mixed >> j & 1 == 1) {
                        let [exists, _] = strips.bond(lists, place, j);
                        let is_in = 0u64.wrapping_sub(u64::from(set >> j & 1));
                        mask.iter_mut().zip(exists).for_each(|(mask, exists)| *mask &= !(exists ^ is_in));
                    }
                    if mask != [0; 8] {
                        self.add_run(same, mask, &|j| (set | !mixed) >> j & 1 == 1, &[0], lists.pieces)?;
                    }
                }
            }
        }
        self.first += same.len();
        Ok(())
    }

    /// Adds a run in the lanes of `mask`. `signs` lists the halves of each bond that are visited.
    fn add_run(
        &mut self,
        same: &[(usize, Key, usize)],
        mask: Row,
        is_visited: &dyn Fn(usize) -> bool,
        signs: &[usize],
        pieces: &Pieces,
    ) -> Result<(), Ended> {
        let Visits { bonds, degree, first, ref mut links, ref mut runs } = *self;
        let run = Run {
            first,
            sites: same.len(),
            blocks: same.len().div_ceil(BLOCK),
            link: links.len(),
            ghosts: (0, 0),
            mask,
            is_halved: signs.len() == 2,
        };
        memory::push(runs, run)?;
        for block in same.chunks(BLOCK) {
            let header = links.len();
            pieces.before(block.len() * degree * 2)?;
            memory::push(links, 0)?;
            for &(.., place) in block {
                let visited = (0..degree).filter(|&j| is_visited(j));
                for bond in visited.filter_map(|j| bonds[place * degree..][..degree][j]) {
                    for &half in signs {
                        memory::push(links, bond.row)?;
                        memory::push(links, bond.signs[half])?;
                    }
                }
            }
            let degree = (links.len() - header - 1) / (2 * block.len());
            links[header] = Header::new(block.len(), degree).0;
        }
        Ok(())
    }
}

/// The places by class, those of one class in ascending order. There are few classes.
fn by_class<C: Copy + Ord>(
    rows: usize,
    class: impl Fn(usize) -> (usize, C),
    pieces: &Pieces,
) -> Result<Vec<(usize, C, usize)>, Ended> {
    let (mut classes, mut places) = (Vec::new(), memory::with_capacity(rows)?);
    for place in 0..rows {
        pieces.before(8)?;
        let (colour, key) = class(place);
        if let Err(index) = classes.binary_search(&(colour, key)) {
            memory::push(&mut classes, (colour, key))?;
            classes[index..].rotate_right(1);
        }
        places.push((colour, key, place));
    }
    pieces.sorted(&places, classes.len(), |&(colour, key, _)| classes.binary_search(&(colour, key)).unwrap_or(0))
}

/// The ghosts, and the rows of all bonds.
fn ghosts<C>(
    order: &[(usize, C, usize)],
    row_of: &[u32],
    strips: Strips,
    bonds: &mut [Option<Bond>],
) -> Result<Vec<Ghost>, Error> {
    let (mut ghosts, degree) = (Vec::new(), strips.degree());
    for (source, &(.., place)) in order.iter().enumerate() {
        for j in 0..degree {
            // The place of which this one is neighbour `j`.
            let Some((user, is_across)) = strips.neighbour_in_block(place, j ^ 1) else { continue };
            let Some(bond) = &mut bonds[user * degree + j] else { continue };
            bond.row = row_of[place];
            if is_across {
                bond.row = (order.len() + ghosts.len()) as u32;
                memory::push(&mut ghosts, Ghost { source, rotation: j })?;
            }
        }
    }
    Ok(ghosts)
}

/// The bonds of all places, without their rows.
fn bonds(lists: &Lists, strips: Strips, signs: &mut Vec<RowLine>) -> Result<Vec<Option<Bond>>, Ended> {
    let degree = strips.degree();
    let all = strips.all_lanes();
    let mut bonds = lists.pieces.filled(strips.rows() * degree, None)?;
    // A bond inside a block has the same rows of signs at both of its ends.
    for is_shared in [false, true] {
        for index in 0..bonds.len() {
            lists.pieces.before(4 * strips.lanes)?;
            let (place, j) = (index / degree, index % degree);
            let Some((other, is_across)) = strips.neighbour_in_block(place, j) else { continue };
            if is_shared == (is_next(j) || is_across) {
                continue;
            }
            if is_shared {
                bonds[index] = bonds[other * degree + (j ^ 1)];
                continue;
            }
            let [exists, negative] = strips.bond(lists, place, j);
            let mut sign_row = |row: Row| match row {
                row if row == [0; 8] => Ok(POSITIVE),
                row if row == all => Ok(NEGATIVE),
                row => memory::push(signs, RowLine(row)).map(|()| signs.len() as u32 - 1),
            };
            if exists != [0; 8] {
                let is_mixed = exists != all;
                let sign = sign_row(negative)?;
                let other_half: Row = core::array::from_fn(|i| negative[i] | all[i] & !exists[i]);
                let signs = [sign, if is_mixed { sign_row(other_half)? } else { sign }];
                bonds[index] = Some(Bond { is_mixed, row: 0, signs });
            }
        }
    }
    Ok(bonds)
}
