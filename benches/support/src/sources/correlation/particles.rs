//! Particles of an image, and sums over their pairs by distance.

use crate::mersenne::Textbook;

/// Particles of a block.
pub const BLOCK: usize = 64;

/// A particle, as the article's program holds it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Particle {
    pub x: i32,
    pub y: i32,
    /// Of six times the orientation's angle.
    pub cos6: f32,
    pub sin6: f32,
}

impl Particle {
    /// The product of two orientations.
    fn product(&self, other: &Particle) -> f64 {
        f64::from(self.cos6) * f64::from(other.cos6) + f64::from(self.sin6) * f64::from(other.sin6)
    }

    /// The orientation's angle, from -pi/6 to pi/6.
    pub fn theta(&self) -> f32 {
        self.sin6.atan2(self.cos6) / 6.0
    }
}

/// The article's sums.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Sum {
    pub g: f32,
    pub count: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Any,
    /// Ascending by y, then by x.
    Rows,
    /// In rows, and y is multiplied by twice the width.
    Premultiplied,
}

/// Whole blocks of particles in a square.
#[derive(Clone)]
pub struct Set {
    particles: Vec<Particle>,
    /// Coordinates are from 0 to less than this.
    width: usize,
    order: Order,
}

impl Set {
    /// At most `n` particles on a triangular lattice of 8 pixels, displaced by less than a pixel, in no order.
    pub fn new(n: usize) -> Self {
        let side = (n as f64).sqrt().ceil() as usize;
        let mut random = Textbook::new(2008);
        let mut below_1 = || f64::from(random.next_u32()) / 4_294_967_296.0;
        let mut particle = |at: usize| {
            let (row, column) = (at / side, at % side);
            let x = (8.0 * column as f64 + 4.0 * (row % 2) as f64 + below_1()) as i32;
            let y = (8.0 * 0.75f64.sqrt() * row as f64 + below_1()) as i32;
            let angle = below_1() * std::f64::consts::TAU;
            Particle { x, y, cos6: angle.cos() as f32, sin6: angle.sin() as f32 }
        };
        let mut particles: Vec<Particle> = (0..n / BLOCK * BLOCK).map(&mut particle).collect();
        let mut random = Textbook::new(3);
        (1..particles.len()).for_each(|i| particles.swap(i, random.next_u32() as usize % (i + 1)));
        Set { particles, width: 8 * side + 8, order: Order::Any }
    }

    pub fn in_rows(&self) -> Self {
        let mut set = self.clone();
        set.particles.sort_unstable_by_key(|particle| (particle.y, particle.x));
        set.order = Order::Rows;
        set
    }

    /// Of a set in rows.
    pub fn premultiplied(&self) -> Self {
        assert_eq!(self.order, Order::Rows);
        let mut set = self.clone();
        set.particles.iter_mut().for_each(|particle| particle.y *= 2 * self.width as i32);
        set.order = Order::Premultiplied;
        set
    }

    pub fn particles(&self) -> &[Particle] {
        &self.particles
    }

    pub fn width(&self) -> usize {
        self.width
    }

    pub fn order(&self) -> Order {
        self.order
    }

    pub fn len(&self) -> usize {
        self.particles.len()
    }

    /// `count` spacings of blocks, spread evenly.
    pub fn spacings(&self, count: usize) -> Vec<usize> {
        (0..count).map(|i| (2 * i + 1) * (self.len() / BLOCK) / (2 * count)).collect()
    }

    /// The pairs of blocks that are one of `spacings` apart, by distance. Pairs of one block count once.
    pub fn of_blocks(&self, spacings: &[usize]) -> Totals {
        let mut totals = Totals::new(self.width);
        let (blocks, _) = self.particles.as_chunks::<BLOCK>();
        for &spacing in spacings {
            for (a, b) in blocks.iter().zip(&blocks[spacing..]) {
                for (i, a) in a.iter().enumerate() {
                    b[if spacing == 0 { i + 1 } else { 0 }..].iter().for_each(|b| totals.add(a, b));
                }
            }
        }
        totals
    }

    /// The pairs of every `every`th particle and a later one.
    pub fn of_some(&self, every: usize) -> Totals {
        let mut totals = Totals::new(self.width);
        for i in (0..self.len()).step_by(every) {
            self.particles[i + 1..].iter().for_each(|other| totals.add(&self.particles[i], other));
        }
        totals
    }

    /// The pairs of a set in rows whose y differ by one of `rows`.
    pub fn of_rows(&self, rows: &[u32]) -> Totals {
        assert_eq!(self.order, Order::Rows);
        let mut totals = Totals::new(self.width);
        let lines: Vec<&[Particle]> = self.particles.chunk_by(|a, b| a.y == b.y).collect();
        for (at, line) in lines.iter().enumerate() {
            for &dy in rows {
                let y = line[0].y + dy as i32;
                let Ok(other) = lines[at..].binary_search_by_key(&y, |line| line[0].y) else { continue };
                for (i, a) in line.iter().enumerate() {
                    lines[at + other][if dy == 0 { i + 1 } else { 0 }..].iter().for_each(|b| totals.add(a, b));
                }
            }
        }
        totals
    }
}

/// Sums of products and counts of pairs, by the distance's integer part.
#[derive(Clone, Debug)]
pub struct Totals(Vec<(f64, u64)>);

impl Totals {
    /// For particles in a square of this width.
    pub fn new(width: usize) -> Self {
        Totals(vec![(0.0, 0); 2 * width])
    }

    fn add(&mut self, a: &Particle, b: &Particle) {
        let (dx, dy) = (f64::from(b.x - a.x), f64::from(b.y - a.y));
        self.put((dx * dx + dy * dy).sqrt() as usize, a.product(b), 1);
    }

    pub fn put(&mut self, distance: usize, g: f64, count: u64) {
        let total = &mut self.0[distance];
        *total = (total.0 + g, total.1 + count);
    }

    pub fn pairs(&self) -> u64 {
        self.0.iter().map(|(_, count)| count).sum()
    }

    /// The counts without their sums.
    pub fn counts(&self) -> Self {
        Totals(self.0.iter().map(|&(_, count)| (0.0, count)).collect())
    }

    /// Whether all counts are equal, and sums to within `error` per pair.
    pub fn agree(&self, other: &Self, error: f64) -> bool {
        let is_near = |(a, b): (&(f64, u64), &(f64, u64))| a.1 == b.1 && (a.0 - b.0).abs() <= error * a.1 as f64 + 1e-3;
        self.0.len() == other.0.len() && self.pairs() > 0 && self.0.iter().zip(&other.0).all(is_near)
    }
}
