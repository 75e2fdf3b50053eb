//! The article's programs: in C at two levels of optimisation, and the last one in Rust.

use super::particles::{BLOCK, Order, Particle, Set, Sum, Totals};

type Blocks = unsafe extern "C" fn(*const Particle, usize, *const usize, usize, *mut Sum);
type Offsets = unsafe extern "C" fn(*const Particle, usize, *const usize, usize, i32, *mut Sum);
type Trigonometry = unsafe extern "C" fn(*const i32, *const i32, *const f32, usize, usize, *mut f32, *mut i32);
type Precalculated =
    unsafe extern "C" fn(*const i32, *const i32, *const f32, *const f32, usize, usize, *mut f32, *mut i32);
type Merged = unsafe extern "C" fn(*const Particle, usize, usize, *mut Sum);

/// The programs in C at one level of optimisation.
pub struct Programs {
    /// `C -O2`.
    pub level: &'static str,
    trigonometry: Trigonometry,
    precalculated: Precalculated,
    merged: Merged,
    blocks: Blocks,
    squares: Blocks,
    offsets: Offsets,
    signs: Offsets,
    addresses: Offsets,
}

macro_rules! programs {
    ($name:ident: $level:literal, $trigonometry:ident, $precalculated:ident, $merged:ident, $blocks:ident,
        $squares:ident, $offsets:ident, $signs:ident, $addresses:ident) => {
        unsafe extern "C" {
            fn $trigonometry(
                x: *const i32,
                y: *const i32,
                theta: *const f32,
                n: usize,
                every: usize,
                g: *mut f32,
                count: *mut i32,
            );
            fn $precalculated(
                x: *const i32,
                y: *const i32,
                cos6: *const f32,
                sin6: *const f32,
                n: usize,
                every: usize,
                g: *mut f32,
                count: *mut i32,
            );
            fn $merged(p: *const Particle, n: usize, every: usize, sums: *mut Sum);
            fn $blocks(p: *const Particle, n: usize, spacings: *const usize, count: usize, sums: *mut Sum);
            fn $squares(p: *const Particle, n: usize, spacings: *const usize, count: usize, sums: *mut Sum);
            fn $offsets(p: *const Particle, n: usize, spacings: *const usize, count: usize, width: i32, sums: *mut Sum);
            fn $signs(p: *const Particle, n: usize, spacings: *const usize, count: usize, width: i32, sums: *mut Sum);
            fn $addresses(
                p: *const Particle,
                n: usize,
                spacings: *const usize,
                count: usize,
                width: i32,
                sums: *mut Sum,
            );
        }

        pub static $name: Programs = Programs {
            level: $level,
            trigonometry: $trigonometry,
            precalculated: $precalculated,
            merged: $merged,
            blocks: $blocks,
            squares: $squares,
            offsets: $offsets,
            signs: $signs,
            addresses: $addresses,
        };
    };
}

programs!(O2: "C -O2", hotloops_bench_trigonometry_o2, hotloops_bench_precalculated_o2, hotloops_bench_merged_o2,
    hotloops_bench_blocks_o2, hotloops_bench_squares_o2, hotloops_bench_offsets_o2, hotloops_bench_signs_o2,
    hotloops_bench_addresses_o2);
programs!(O3: "C -O3", hotloops_bench_trigonometry_o3, hotloops_bench_precalculated_o3, hotloops_bench_merged_o3,
    hotloops_bench_blocks_o3, hotloops_bench_squares_o3, hotloops_bench_offsets_o3, hotloops_bench_signs_o3,
    hotloops_bench_addresses_o3);

/// Arrays of their own, as the first programs hold a set.
pub struct Arrays {
    x: Vec<i32>,
    y: Vec<i32>,
    theta: Vec<f32>,
    cos6: Vec<f32>,
    sin6: Vec<f32>,
    g: Vec<f32>,
    count: Vec<i32>,
}

impl Arrays {
    pub fn new(set: &Set) -> Self {
        assert_ne!(set.order(), Order::Premultiplied);
        let reals = |of: fn(&Particle) -> f32| set.particles().iter().map(of).collect();
        let integers = |of: fn(&Particle) -> i32| set.particles().iter().map(of).collect();
        Arrays {
            x: integers(|particle| particle.x),
            y: integers(|particle| particle.y),
            theta: reals(Particle::theta),
            cos6: reals(|particle| particle.cos6),
            sin6: reals(|particle| particle.sin6),
            g: vec![0.0; 2 * set.width()],
            count: vec![0; 2 * set.width()],
        }
    }

    pub fn totals(&self) -> Totals {
        let mut totals = Totals::new(self.g.len() / 2);
        self.g.iter().zip(&self.count).enumerate().for_each(|(r, (&g, &count))| totals.put(r, g.into(), count as u64));
        totals
    }
}

impl Programs {
    /// Adds the pairs of every `every`th particle, with trigonometry for each pair.
    pub fn trigonometry(&self, arrays: &mut Arrays, every: usize) {
        let (x, y, theta) = (arrays.x.as_ptr(), arrays.y.as_ptr(), arrays.theta.as_ptr());
        let (g, count) = (arrays.g.as_mut_ptr(), arrays.count.as_mut_ptr());
        // SAFETY: arrays of a set, and a sum for every distance in its square.
        unsafe { (self.trigonometry)(x, y, theta, arrays.x.len(), every, g, count) }
    }

    /// The same with cosines and sines from arrays.
    pub fn precalculated(&self, arrays: &mut Arrays, every: usize) {
        let (x, y, cos6, sin6) = (arrays.x.as_ptr(), arrays.y.as_ptr(), arrays.cos6.as_ptr(), arrays.sin6.as_ptr());
        let (g, count) = (arrays.g.as_mut_ptr(), arrays.count.as_mut_ptr());
        // SAFETY: as above.
        unsafe { (self.precalculated)(x, y, cos6, sin6, arrays.x.len(), every, g, count) }
    }

    /// The same with merged arrays.
    pub fn merged(&self, set: &Set, every: usize, sums: &mut [Sum]) {
        assert!(set.order() != Order::Premultiplied && sums.len() >= Way::Blocks.sums(set.width()));
        // SAFETY: as above.
        unsafe { (self.merged)(set.particles().as_ptr(), set.len(), every, sums.as_mut_ptr()) }
    }

    /// Adds the pairs of blocks that are one of `spacings` apart.
    pub fn blocks(&self, way: Way, set: &Set, spacings: &[usize], sums: &mut [Sum]) {
        let width = set.width();
        assert!(sums.len() >= way.sums(width) && way.takes(set.order()));
        let (p, n, at, count) = (set.particles().as_ptr(), set.len(), spacings.as_ptr(), spacings.len());
        let (sums, width) = (sums.as_mut_ptr(), width as i32);
        // SAFETY: coordinates are below the width, and the order is the one that fixes the signs of differences, so
        // that there is a sum for every pair.
        unsafe {
            match way {
                Way::Blocks => (self.blocks)(p, n, at, count, sums),
                Way::Squares => (self.squares)(p, n, at, count, sums),
                Way::Offsets => (self.offsets)(p, n, at, count, width, sums),
                Way::Signs => (self.signs)(p, n, at, count, 2 * width, sums),
                Way::Addresses => (self.addresses)(p, n, at, count, 2 * width, sums),
            }
        }
    }
}

/// How a pair of blocks finds the sum of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// By the distance, a square root.
    Blocks,
    /// By the square of the distance.
    Squares,
    /// By |dx| and |dy|.
    Offsets,
    /// By dx and dy, which sorting keeps from being negative.
    Signs,
    /// The same, with premultiplied y, and what depends on one particle computed once.
    Addresses,
}

impl Way {
    /// Sums for a square of this width.
    pub fn sums(self, width: usize) -> usize {
        match self {
            Way::Blocks => 2 * width,
            Way::Offsets => width * width,
            Way::Squares | Way::Signs | Way::Addresses => 2 * width * width,
        }
    }

    fn takes(self, order: Order) -> bool {
        match self {
            Way::Blocks | Way::Squares | Way::Offsets => order != Order::Premultiplied,
            Way::Signs => order == Order::Rows,
            Way::Addresses => order == Order::Premultiplied,
        }
    }

    /// The sums by distance.
    pub fn totals(self, sums: &[Sum], width: usize) -> Totals {
        let mut totals = Totals::new(width);
        for (at, sum) in sums[..self.sums(width)].iter().enumerate().filter(|(_, sum)| sum.count > 0) {
            let squares = |dx: usize, dy: usize| (dx * dx + dy * dy) as f64;
            let distance = match self {
                Way::Blocks => at as f64,
                Way::Squares => (at as f64).sqrt(),
                Way::Offsets => squares(at % width, at / width).sqrt(),
                Way::Signs | Way::Addresses => squares((at % (2 * width)).abs_diff(width), at / (2 * width)).sqrt(),
            };
            totals.put(distance as usize, sum.g.into(), sum.count as u64);
        }
        totals
    }
}

/// The last program in Rust.
pub fn addresses(set: &Set, spacings: &[usize], sums: &mut [Sum]) {
    assert_eq!(set.order(), Order::Premultiplied);
    let (blocks, _) = set.particles().as_chunks::<BLOCK>();
    for &spacing in spacings {
        for (a, b) in blocks.iter().zip(&blocks[spacing..]) {
            for (i, a) in a.iter().enumerate() {
                let d = a.y + a.x - set.width() as i32;
                for b in &b[if spacing == 0 { i + 1 } else { 0 }..] {
                    let sum = &mut sums[(b.y + b.x - d) as usize];
                    sum.g += a.cos6 * b.cos6 + a.sin6 * b.sin6;
                    sum.count += 1;
                }
            }
        }
    }
}
