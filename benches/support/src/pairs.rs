//! Baselines for pair correlations: the rungs of Pancratov et al. (2008), with each pair counted
//! once, and with sums over all offsets of a distance.

/// Points of a block; pairs are those of whole blocks.
pub const BLOCK: usize = 64;

/// A particle of an image.
#[derive(Clone, Copy, Debug)]
pub struct Particle {
    /// Pixels.
    pub x: i32,
    /// Pixels.
    pub y: i32,
    /// The orientation.
    pub cos6: f32,
    /// Its imaginary part.
    pub sin6: f32,
}

/// The sums of the original.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sum {
    /// Products.
    pub g: f32,
    /// Pairs.
    pub count: i32,
}

impl Sum {
    fn add(&mut self, a: &Particle, b: &Particle) {
        self.g += a.cos6 * b.cos6 + a.sin6 * b.sin6;
        self.count += 1;
    }
}

/// At most `n` particles on a lattice of 8 pixels, displaced by up to half a pixel, in rows. The
/// second value is the side of their square.
pub fn image(n: usize) -> (Vec<Particle>, usize) {
    let side = (n as f64).sqrt() as usize;
    let mut random = crate::mersenne::Textbook::new(2008);
    let mut particle = |row: usize, column: usize| {
        let mut moved = |at: f64| (at + f64::from(random.next_u32()) / 4_294_967_296.0) as i32;
        let (x, y) = (moved(8.0 * column as f64 + 4.0 * (row % 2) as f64), moved(8.0 * 0.75f64.sqrt() * row as f64));
        let angle = f64::from(random.next_u32()) / 4_294_967_296.0 * std::f64::consts::TAU;
        Particle { x, y, cos6: angle.cos() as f32, sin6: angle.sin() as f32 }
    };
    let rows = 0..side / BLOCK * BLOCK;
    let mut all: Vec<Particle> = rows
        .flat_map(|row| (0..side).map(move |column| (row, column)))
        .map(|(row, column)| particle(row, column))
        .collect();
    all.sort_by_key(|particle| (particle.y, particle.x));
    (all, 8 * side + 8)
}

/// Visits the pairs of blocks whose distance in blocks is one of `spacings`.
fn of_blocks(particles: &[Particle], spacings: &[usize], mut each: impl FnMut(&Particle, &Particle)) {
    let blocks: Vec<&[Particle]> = particles.chunks_exact(BLOCK).collect();
    for &spacing in spacings {
        for (a, b) in blocks.iter().zip(blocks.get(spacing..).unwrap_or_default()) {
            for b in *b {
                for a in *a {
                    each(a, b);
                }
            }
        }
    }
}

/// The number of pairs that the rungs count.
pub fn count(particles: &[Particle], spacings: &[usize]) -> usize {
    let blocks = particles.len() / BLOCK;
    spacings.iter().map(|spacing| (blocks - spacing) * BLOCK * BLOCK).sum()
}

/// First rung: one sum per distance, computed with a square root.
pub fn by_distance(particles: &[Particle], spacings: &[usize], sums: &mut [Sum]) {
    of_blocks(particles, spacings, |a, b| {
        let (dx, dy) = (f64::from(b.x - a.x), f64::from(b.y - a.y));
        sums[(dx * dx + dy * dy).sqrt() as usize].add(a, b);
    });
}

/// Second and third rung: one sum per |dx| below `width` and |dy|. In the third, particles are
/// sorted in rows.
pub fn by_offset(particles: &[Particle], spacings: &[usize], width: usize, sums: &mut [Sum]) {
    of_blocks(particles, spacings, |a, b| {
        sums[(b.y - a.y).unsigned_abs() as usize * width + (b.x - a.x).unsigned_abs() as usize].add(a, b);
    });
}

/// Last rung: one sum per dx and dy. Sorting in rows fixes the signs.
pub fn by_signed_offset(particles: &[Particle], spacings: &[usize], width: usize, sums: &mut [Sum]) {
    of_blocks(particles, spacings, |a, b| {
        sums[(b.y - a.y) as usize * 2 * width + (b.x - a.x + width as i32) as usize].add(a, b);
    });
}

/// Bins pairs up to the distance `r_max`, by cells of 30 pixels. Returns the number of pairs.
pub fn by_cells(particles: &[Particle], r_max: f32, inverse_width: f32, sums: &mut [(i64, u64)]) -> usize {
    const SIDE: usize = 30;
    let most = particles.iter().map(|particle| particle.x.max(particle.y)).max().unwrap_or(0) as usize;
    let columns = most / SIDE + 1;
    let mut cells: Vec<Vec<(f32, f32, [i16; 2])>> = vec![Vec::new(); columns * columns];
    for &Particle { x, y, cos6, sin6 } in particles {
        let psi = [cos6, sin6].map(|part| (part * 16384.0).round_ties_even() as i16);
        cells[y as usize / SIDE * columns + x as usize / SIDE].push((x as f32, y as f32, psi));
    }
    let reach = (r_max / SIDE as f32) as i64 + 1;
    let mut counted = 0;
    let mut add = |a: &(f32, f32, [i16; 2]), b: &(f32, f32, [i16; 2])| {
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let r2 = dx * dx + dy * dy;
        if r2 < r_max * r_max {
            let product = i64::from(a.2[0]) * i64::from(b.2[0]) + i64::from(a.2[1]) * i64::from(b.2[1]);
            let sum = &mut sums[(r2.sqrt() * inverse_width) as usize];
            *sum = (sum.0 + product, sum.1 + 1);
            counted += 1;
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
    counted
}
