//! The errors of `f32` against the budget that a cell has for them.

use super::super::scalar::{Rows, fraction};
use super::basis::Basis;
use super::cell::cell;
use super::lines::{Lines, TURN};
use super::part::{DOMAIN, Part, number};
use crate::random::SplitMix64;

/// Holds the numbers of f32 to the same in exact integers and f64, for each point in the strips of
/// a search's domains: gives the least part of the slack for errors that is left, below and above,
/// and the number of points.
fn margins(c: [u128; 4], n: u64, within: u64, domains: u64) -> ([f64; 2], usize) {
    let part = Part::new(c, domains * n, number(c[2]).abs(), within, Some(n)).unwrap();
    let lines = Lines::new(&c, part.n);
    let (mut basis, mut i, mut least, mut points) = (Basis::around(0, part.order), 0, [f64::INFINITY; 2], 0);
    while i < domains {
        let (cell, run) = cell(&lines, &part, &mut basis, i, domains - i);
        let slope = lines.slope(i)[0];
        let step = lines.slope(i + 1)[0].wrapping_sub(slope);
        let down = run.gap_step < 0;
        for domain in 0..u64::from(cell.count) {
            let a = slope.wrapping_add(domain.wrapping_mul(step));
            let pairs = domain * domain.wrapping_sub(1) / 2;
            let edge = run.edge[0]
                .wrapping_add(domain.wrapping_mul(run.edge[1]))
                .wrapping_add(pairs.wrapping_mul(run.edge[2]));
            let rows = Rows::of(&cell, domain as u32);
            let gap = run.gap.wrapping_add(domain.wrapping_mul(run.gap_step as u64)) as f64 / TURN;
            for x in 0..part.n {
                let along = a.wrapping_mul(x);
                let from_edge = if down { edge.wrapping_add(along) } else { edge.wrapping_sub(along) } as f64 / TURN;
                let strip = run.width / run.short as f64;
                // What is a point of the strip without its slack.
                let bare = 2.0 * part.within + part.bend;
                let kept = (strip - bare) / 2.0;
                if !(kept..=strip - kept).contains(&from_edge) {
                    continue;
                }
                points += 1;
                let z = x as f64 * gap + from_edge * run.short as f64;
                let row = usize::from((z - f64::from(rows.z[0])).abs() > 0.5);
                assert!(
                    (z - f64::from(rows.z[row])).abs() < 2e-6 && rows.z[row] <= rows.most,
                    "row {z} of {}",
                    rows.most
                );
                assert!(rows.is_hit(), "domain {domain} of {cell:?}, point {x}");
                // Where the strip is wider than the gap all is let through.
                let width = f64::from(rows.width);
                if gap <= 0.0 || width >= 1.0 {
                    continue;
                }
                let found = f64::from(fraction(rows.s[row]));
                let allowed = (kept - part.error) / gap + 0.5 * f64::from(cell.slack);
                // Both sides, from where it would be let through no more.
                least[0] = least[0].min((found - (from_edge - kept) / gap) / allowed);
                least[1] = least[1].min((width - found - (strip - kept - from_edge) / gap) / allowed);
            }
        }
        i += u64::from(cell.count);
    }
    (least, points)
}

#[test]
fn errors_of_rows_stay_within_their_budget() {
    let mut random = SplitMix64(1);
    let mut least = [f64::INFINITY; 2];
    let mut points = 0;
    for round in 0..60_u64 {
        let n = [50, 300, 1000, 3000][round as usize % 4];
        let bend = 0.5 * (DOMAIN / n as f64).powi(3);
        let mut wide = || u128::from(random.next()) << 64 | u128::from(random.next());
        // Slopes anywhere, and from simple fractions on.
        let slope = if round % 3 == 0 { u128::MAX / (1 + wide() % 9) } else { wide() };
        let c = [wide(), slope, (bend * 2f64.powi(100)) as u128 * (1 << 28), 0];
        let within = (TURN / (60.0 * n as f64)) as u64;
        let (margin, found) = margins(c, n, within, 400);
        least = [least[0].min(margin[0]), least[1].min(margin[1])];
        points += found;
    }
    std::println!("{points} points, the least part of the slack left: {least:?}");
    assert!(points > 500 && least.iter().all(|&part| part > 0.1), "{points} points, {least:?}");
}
