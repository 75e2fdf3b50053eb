//! The errors of `f32` stay within the budget of a cell.

use alloc::vec::Vec;

use super::super::block::{Block, Quartic, Series, moved};
use super::super::scalar::{Rows, fraction};
use super::Algorithm;
use super::Scan;
use super::basis::Basis;
use super::cell::cell;
use super::dual::{Dual, Method};
use super::lines::{Lines, TURN};
use super::part::{DOMAIN, Part, number};
use crate::random::SplitMix64;

/// Compares the `f32` numbers with exact integers and f64, for each point in the strips of a
/// search's domains. Returns the smallest part of the slack for errors that is left, below and
/// above, and the number of points.
fn margins(c: [u128; 4], n: u64, within: u64, domains: u64) -> ([f64; 2], usize) {
    let part = Part::new(c, domains * n, number(c[2]).abs(), within, Some(n)).unwrap();
    let lines = Lines::new(&c, part.n);
    let (mut basis, mut i, mut smallest, mut points) = (Basis::around(0, part.order), 0, [f64::INFINITY; 2], 0);
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
                // Only points of the strip without its slack count.
                let bare = 2.0 * part.within + part.bend;
                let kept = (strip - bare) / 2.0;
                if !(kept..=strip - kept).contains(&from_edge) {
                    continue;
                }
                points += 1;
                let z = x as f64 * gap + from_edge * run.short as f64;
                let row = usize::from((z - f64::from(rows.z[0])).abs() > 0.5);
                assert!(
                    (z - f64::from(rows.z[row])).abs() < 2e-6 && rows.z[row] <= rows.limit,
                    "row {z} of {}",
                    rows.limit
                );
                assert!(rows.is_hit(), "domain {domain} of {cell:?}, point {x}");
                // If the strip is wider than the gap, every domain passes.
                let width = f64::from(rows.width);
                if gap <= 0.0 || width >= 1.0 {
                    continue;
                }
                let found = f64::from(fraction(rows.s[row]));
                let allowed = (kept - part.error) / gap + 0.5 * f64::from(cell.slack);
                // On both sides, the distance to where the point would no longer pass.
                smallest[0] = smallest[0].min((found - (from_edge - kept) / gap) / allowed);
                smallest[1] = smallest[1].min((width - found - (strip - kept - from_edge) / gap) / allowed);
            }
        }
        i += u64::from(cell.count);
    }
    (smallest, points)
}

#[test]
fn errors_of_rows_stay_within_their_budget() {
    let mut random = SplitMix64(1);
    let mut smallest = [f64::INFINITY; 2];
    let mut points = 0;
    for round in 0..60_u64 {
        let n = [50, 300, 1000, 3000][round as usize % 4];
        let bend = 0.5 * (DOMAIN / n as f64).powi(3);
        let mut wide = || u128::from(random.next()) << 64 | u128::from(random.next());
        // Random slopes, and slopes that begin at simple fractions.
        let slope = if round % 3 == 0 { u128::MAX / (1 + wide() % 9) } else { wide() };
        let c = [wide(), slope, (bend * 2f64.powi(100)) as u128 * (1 << 28), 0];
        let within = (TURN / (60.0 * n as f64)) as u64;
        let (margin, found) = margins(c, n, within, 400);
        smallest = [smallest[0].min(margin[0]), smallest[1].min(margin[1])];
        points += found;
    }
    std::println!("{points} points, smallest part of the slack left: {smallest:?}");
    assert!(points > 500 && smallest.iter().all(|&part| part > 0.1), "{points} points, {smallest:?}");
}

#[test]
fn dual_rows_find_the_cases_of_domains() {
    let mut random = SplitMix64(2);
    let (mut cases, mut by_rows) = (0, 0);
    for round in 0..240_u32 {
        let (log2_inverse, log2_length) = [(36, 24), (40, 25), (44, 27), (48, 28)][round as usize % 4];
        let mut wide = || u128::from(random.next()) << 64 | u128::from(random.next());
        // Random slopes, and slopes that begin at simple fractions.
        let slope = if round % 3 == 0 { u128::MAX / (1 + wide() % 9) } else { wide() };
        let bend = (1_u128 << (128 - log2_inverse)) + (wide() >> log2_inverse);
        // From nearly straight to a c2 that changes by an eighth, of either sign.
        let cube = ((bend >> log2_length) / 24) >> (wide() % 20);
        let cube = if round % 8 < 4 { cube } else { cube.wrapping_neg() };
        let c = [wide(), slope, bend, cube];
        let c = if round % 16 < 8 { c } else { c.map(u128::wrapping_neg) };
        let (block, length) = (Block::new(c), (1_u64 << log2_length) - (wide() % 1000) as u64);
        let within = 1 << (44 - (log2_inverse - 36) / 2 - [0, 1, 3, 6, 20][round as usize % 5]);
        let [mut wanted, mut found] = [const { Vec::new() }; 2];
        let mut scan = Scan::new(within).unwrap().algorithm(Algorithm::Farey);
        scan.block(&block, length, |x| wanted.push(x)).unwrap();
        Scan::new(within).unwrap().block(&block, length, |x| found.push(x)).unwrap();
        assert_eq!(found, wanted, "round {round}: {block:?} within {within}");
        cases += wanted.len();
        let half = length / 2;
        let [c0, c1, c2, c3] = moved(c, half);
        let polynomial = Quartic { c: [c0, c1, c2], c3: number(c3), c4: 0.0, error: 0.0 };
        let mut dual = Dual::new(within).unwrap();
        by_rows += usize::from(matches!(dual.part(&polynomial, half as i64, 0..length as i64), Ok(Method::Rows(_))));
    }
    std::println!("{cases} cases, {by_rows} parts by rows");
    assert!(cases > 500 && by_rows > 80, "{cases} cases, {by_rows} parts by rows");
}

#[test]
fn long_parts_find_the_cases_of_blocks() {
    let mut random = SplitMix64(3);
    let (mut cases, mut longer) = (0, 0);
    for round in 0..90_u32 {
        let (log2_inverse, log2_length) = [(36, 18), (40, 20), (44, 22)][round as usize % 3];
        let log2_reach = log2_length + 4 + round % 3;
        let mut wide = || u128::from(random.next()) << 64 | u128::from(random.next());
        let bend = (1_u128 << (128 - log2_inverse)) + (wide() >> log2_inverse);
        // The ratio of neighbouring coefficients: c2 changes by an eighth to nearly nothing.
        let turn = log2_reach + 6 + 5 * (round % 5);
        // Coefficients in units of 2^-256, of either sign.
        let mut coefficient = |k: u32| {
            let shift = turn * (k - 2);
            let upper = bend.checked_shr(shift).unwrap_or(0);
            let lower = match shift {
                0 => 0,
                1..128 => bend << (128 - shift),
                _ => bend.checked_shr(shift - 128).unwrap_or(0),
            };
            let words = [lower as u64, (lower >> 64) as u64, upper as u64, (upper >> 64) as u64];
            if wide() % 2 == 0 { words } else { words.map(|word| !word) }
        };
        let mut taylor: Vec<[u64; 4]> = (2..7).map(&mut coefficient).collect();
        let ends = [[0; 4]; 2].map(|words| words.map(|_: u64| random.next()));
        taylor.splice(0..0, ends);
        let series = Series::new(&taylor, log2_length).unwrap();
        let within = 1 << (45 - (log2_inverse - 36) / 2 - [0, 1, 3][round as usize / 3 % 3]);
        let reach = (1 << log2_reach) - i64::from(round) * 1000;
        let arguments = (if round % 2 == 0 { -reach } else { reach / 3 })..reach;
        let [mut wanted, mut found] = [const { Vec::new() }; 2];
        let mut domains = Scan::new(within).unwrap().algorithm(Algorithm::Farey);
        domains.series(&series, arguments.clone(), |x| wanted.push(x)).unwrap();
        let mut scan = Scan::new(within).unwrap();
        scan.series(&series, arguments, |x| found.push(x)).unwrap();
        assert_eq!(found, wanted, "round {round}");
        cases += wanted.len();
        longer += u32::from(scan.longer(&series, 1 << (log2_reach - log2_length)).0 > log2_length + 1);
    }
    std::println!("{cases} cases, {longer} series of longer parts");
    assert!(cases > 500 && longer > 20, "{cases} cases, {longer} series of longer parts");
}
