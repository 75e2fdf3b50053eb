//! The common algebras and the terms of their products.

use super::super::signature::{MAX_BLADES, MAX_GENERATORS, Signature};

/// The squares of the generators.
pub(super) const ALGEBRAS: [&[i8]; 3] = [&[1, 1], &[1, 1, 1], &[0, 1, 1, 1]];

/// A term of a coefficient: plus or minus the product of two coefficients.
#[derive(Clone, Copy)]
pub(super) struct Term {
    pub first: u8,
    pub second: u8,
    /// +1, -1, or 0 for no term.
    pub sign: i8,
    /// The path of a weighted product that the term is part of.
    pub path: u8,
    /// Whether it is the first of the coefficient's terms of the path, and the last.
    pub begins: bool,
    pub ends: bool,
}

const NONE: Term = Term { first: 0, second: 0, sign: 0, path: 0, begins: false, ends: false };

/// How a kernel adds the term with a first factor to a coefficient.
#[derive(Clone, Copy)]
pub(super) struct Step {
    pub second: usize,
    /// Whether there is such a term.
    pub is_term: bool,
    pub is_negative: bool,
    /// Whether it is the first term of the coefficient.
    pub begins: bool,
}

const NO_STEP: Step = Step { second: 0, is_term: false, is_negative: false, begins: false };

/// The terms of a product: all of them.
pub(super) const ALL: usize = 0;
/// The second factor is reversed.
pub(super) const REVERSE: usize = 1;
/// The odd coefficients of the first factor are left out.
pub(super) const EVEN: usize = 2;
/// The second factor is reversed, and its odd coefficients are left out.
pub(super) const EVEN_REVERSE: usize = 3;

/// The products of blades of an algebra.
pub(super) struct Table {
    pub blades: usize,
    pub paths: usize,
    /// The terms of each coefficient, by their first factors.
    pub terms: [[Term; MAX_BLADES]; MAX_BLADES],
    /// The same terms in the order of their paths, then in ascending order of first factors.
    pub by_path: [[Term; MAX_BLADES]; MAX_BLADES],
    /// The signs of the reverses of blades.
    pub reverse: [i8; MAX_BLADES],
    /// Whether blades have an odd number of generators.
    pub odd: [bool; MAX_BLADES],
    /// The generators of square 0 of each blade. Coefficients with the same ones are sums over the same
    /// first factors.
    pub zeros: [usize; MAX_BLADES],
}

// The kernels read it at compile time, thousands of times. Each use of a constant would copy it.
pub(super) static TABLES: [Table; ALGEBRAS.len()] = [table(ALGEBRAS[0]), table(ALGEBRAS[1]), table(ALGEBRAS[2])];

type Steps = [[[Step; MAX_BLADES]; MAX_BLADES]; 4];

/// The steps of [`ALL`], [`REVERSE`], [`EVEN`] and [`EVEN_REVERSE`], each by coefficient and first factor.
/// Only read at compile time, so it is in no program.
pub(super) static STEPS: [Steps; ALGEBRAS.len()] = [steps(&TABLES[0]), steps(&TABLES[1]), steps(&TABLES[2])];

/// Maximum number of paths.
pub(super) const MAX_PATHS: usize = {
    let (mut most, mut i) = (0, 0);
    while i < TABLES.len() {
        if most < TABLES[i].paths {
            most = TABLES[i].paths;
        }
        i += 1;
    }
    most
};

const fn table(squares: &[i8]) -> Table {
    let Ok(signature) = Signature::new(squares) else { panic!("no signature") };
    let blades = signature.blades();
    let none = [[NONE; MAX_BLADES]; MAX_BLADES];
    let mut table =
        Table { blades, paths: 0, terms: none, by_path: none, reverse: [0; _], odd: [false; _], zeros: [0; _] };
    let (mut bitmaps, mut indices) = ([0; MAX_BLADES], [0; MAX_BLADES]);
    let mut p = 0;
    while p < blades {
        bitmaps[p] = signature.bitmap(p);
        indices[bitmaps[p]] = p;
        p += 1;
    }
    let (mut zeros, mut i) = (0, 0);
    while i < squares.len() {
        zeros |= ((squares[i] == 0) as usize) << i;
        i += 1;
    }
    let mut j = 0;
    while j < blades {
        table.reverse[j] = signature.reverse(j);
        table.odd[j] = !bitmaps[j].count_ones().is_multiple_of(2);
        table.zeros[j] = bitmaps[j] & zeros;
        let mut p = 0;
        while p < blades {
            let q = indices[bitmaps[p] ^ bitmaps[j]];
            table.terms[j][p] =
                Term { first: p as u8, second: q as u8, sign: signature.sign(bitmaps[p], bitmaps[q]), ..NONE };
            p += 1;
        }
        j += 1;
    }
    let mut lengths = [0; MAX_BLADES];
    const GRADES: usize = MAX_GENERATORS + 1;
    let mut path = 0;
    while path < GRADES * GRADES * GRADES {
        let (mut occurs, mut j) = (false, 0);
        while j < blades {
            let (begin, grade) = (lengths[j], bitmaps[j].count_ones() as usize);
            let mut p = 0;
            while p < blades {
                let term = table.terms[j][p];
                let [first, second] = [bitmaps[p].count_ones(), bitmaps[term.second as usize].count_ones()];
                let of_term = (first as usize * GRADES + grade) * GRADES + second as usize;
                if term.sign != 0 && of_term == path {
                    table.by_path[j][lengths[j]] =
                        Term { path: table.paths as u8, begins: lengths[j] == begin, ..term };
                    lengths[j] += 1;
                }
                p += 1;
            }
            if lengths[j] > begin {
                table.by_path[j][lengths[j] - 1].ends = true;
                occurs = true;
            }
            j += 1;
        }
        table.paths += occurs as usize;
        path += 1;
    }
    table
}

const fn steps(table: &Table) -> Steps {
    let mut steps = [[[NO_STEP; MAX_BLADES]; MAX_BLADES]; 4];
    let mut kind = ALL;
    while kind <= EVEN_REVERSE {
        let mut j = 0;
        while j < table.blades {
            let (mut begins, mut p) = (true, 0);
            while p < table.blades {
                let Term { second, sign, .. } = table.terms[j][p];
                let second = second as usize;
                let (sign, is_left_out) = match kind {
                    ALL => (sign, false),
                    REVERSE => (sign * table.reverse[second], false),
                    EVEN => (sign, table.odd[p]),
                    _ => (sign * table.reverse[second], table.odd[second]),
                };
                if sign != 0 && !is_left_out {
                    steps[kind][j][p] = Step { second, is_term: true, is_negative: sign < 0, begins };
                    begins = false;
                }
                p += 1;
            }
            j += 1;
        }
        kind += 1;
    }
    steps
}
