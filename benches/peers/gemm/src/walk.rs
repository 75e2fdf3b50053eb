//! Cliffs: sizes at which a planned product is slower than at sizes a little smaller and larger.

use std::fmt;
use std::time::Duration;

use hotloops::isa::{self, Isa};

use crate::arguments::{Arguments, Axis, Word};
use crate::cells::Cell;
use crate::clock::{Cores, cycles};
use crate::operands::{Operands, Scalar};
use crate::ours;

struct Walk {
    axis: Axis,
    /// m, n and k; the walk replaces the size of its axis.
    held: [usize; 3],
    /// Whether A and B are transposed.
    kind: &'static str,
    /// Elements between the rows of B, if not contiguous.
    stride: Option<usize>,
}

const LARGEST: usize = 2100;

/// A ratio to the sizes nearby below this one is a cliff.
const CLIFF: f64 = 0.9;

/// Distance of the sizes nearby.
fn distance(size: usize) -> usize {
    (size / 2).min(24)
}

/// Every size to 40, then round ones, and multiples of vectors and tiles with the sizes beside them.
fn sizes() -> Vec<usize> {
    const WHOLE: [usize; 24] = [
        48, 56, 64, 72, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 640, 768, 896, 1024, 1280, 1536,
        1792, 2048,
    ];
    const ROUND: [usize; 11] = [50, 100, 200, 300, 500, 700, 1000, 1400, 1700, 2000, LARGEST];
    let beside = WHOLE.iter().flat_map(|size| [size - 1, *size, size + 1]);
    let mut sizes: Vec<usize> = (2..=40).chain(beside).chain(ROUND).collect();
    sizes.sort_unstable();
    sizes
}

fn walks() -> Vec<Walk> {
    use Axis::{K, M, N};
    const STRIDE: usize = 4096;
    let plain = |axis, held: &[[usize; 3]], kind| {
        held.iter().map(move |&held| Walk { axis, held, kind, stride: None }).collect::<Vec<_>>()
    };
    // One row of C and a B whose rows are far apart: a vector times B, and B times a vector.
    let padded = |axis, kind| Walk { axis, held: [1, 1024, 1024], kind, stride: Some(STRIDE) };
    let mut walks = Vec::new();
    for axis in [M, N, K] {
        for kind in ["NN", "NT", "TN"] {
            walks.extend(plain(axis, &[[64; 3]], kind));
        }
        walks.extend(plain(axis, &[[512; 3]], "NN"));
    }
    walks.extend(plain(M, &[[0, 1, 1024], [0, 4, 1024], [0, 512, 1]], "NN"));
    walks.extend(plain(N, &[[1, 0, 1024], [4, 0, 1024], [16, 0, 1024], [512, 0, 1]], "NN"));
    walks.extend(plain(K, &[[1024, 1, 0], [1, 1024, 0], [4, 1024, 0], [16, 1024, 0]], "NN"));
    for axis in [N, K] {
        walks.extend(["NN", "NT"].map(|kind| padded(axis, kind)));
    }
    walks
}

impl Walk {
    fn cell(&self, size: usize) -> Cell {
        let mut sizes = self.held;
        sizes[self.axis as usize] = size;
        let cell = Cell::new(sizes, self.kind);
        Cell { pad: self.stride.map_or(0, |stride| stride - cell.b().1), ..cell }
    }

    /// Rows, columns or depth that the kernels process at a time. For a matrix times a vector, rows
    /// lie in lanes, and whole lines of them are read.
    fn unit<T>(&self) -> usize {
        const LINE: usize = 64;
        let (rows, vector) = match isa::active() {
            Isa::avx512 | Isa::avx512icl => (14, 64),
            Isa::avx2 | Isa::avx2gfni => (6, 32),
            Isa::neon => (8, 16),
            _ => (6, 16),
        };
        let times_vector = self.held[1] == 1 || self.kind == "NT" && self.held[0] == 1;
        match self.axis {
            Axis::M if !times_vector => rows,
            Axis::K if !times_vector => 1,
            Axis::K => LINE / size_of::<T>(),
            _ => vector / size_of::<T>(),
        }
    }

    /// The ratio to the sizes nearby if the rest of a tile or of a vector cost as much as a whole one.
    fn bound<T>(&self, size: usize) -> f64 {
        let used = |size: usize| size as f64 / size.next_multiple_of(self.unit::<T>()) as f64;
        ratio([size - distance(size), size, size + distance(size)].map(used))
    }

    /// Flops per cycle at a size and at those nearby.
    fn rates<T: Scalar>(&self, size: usize, budget: Duration) -> ([f64; 3], bool) {
        let cells = [size - distance(size), size, size + distance(size)].map(|size| self.cell(size));
        let memories = cells.map(|cell| Operands::<T>::memory(&cell));
        let jobs: Vec<_> =
            (0..3).map(|i| ours::by_plan(Operands::new(&cells[i], &memories[i])).expect("strides that fit")).collect();
        let (cycles, steady) = cycles(&jobs, budget, Cores::One);
        ([0, 1, 2].map(|i| cells[i].flops() / cycles[i]), steady)
    }
}

impl fmt::Display for Walk {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mut sizes = self.held.map(|size| size.to_string());
        sizes[self.axis as usize] = ["m", "n", "k"][self.axis as usize].into();
        write!(f, "{} {}", sizes.join("x"), self.kind)?;
        self.stride.map_or(Ok(()), |stride| write!(f, ", rows of B {stride} apart"))
    }
}

/// The rate in the middle over the mean of those beside it.
fn ratio([below, here, above]: [f64; 3]) -> f64 {
    2.0 * here / (below + above)
}

pub fn run<T: Scalar>(arguments: &Arguments, peak: f64) {
    println!(
        "\nWalks, {}: sizes below {CLIFF} of the mean of the sizes nearby. % of the peak, ratio, and the ratio if the \
         rest of a vector or tile cost as much as a whole one",
        T::NAME
    );
    let budget = arguments.budget(0.03);
    let (mut seen, mut cliffs) = (0, Vec::new());
    for walk in walks().iter().filter(|walk| arguments.wants(Word::Size(walk.axis))) {
        println!("{walk}");
        for size in sizes() {
            seen += 1;
            let (first, _) = walk.rates::<T>(size, budget);
            if ratio(first) >= CLIFF {
                continue;
            }
            // Seen twice, or it was other load.
            let (rates, steady) = walk.rates::<T>(size, 4 * budget);
            let (found, bound) = (ratio(rates), walk.bound::<T>(size));
            if found < CLIFF {
                let share = 100.0 * rates[1] / peak;
                println!("{size:>8} {share:>6.1} {found:>6.2} {bound:>6.2}{}", if steady { "" } else { "  ~" });
                cliffs.push((found, bound, format!("{size} in {walk}")));
            }
        }
    }
    cliffs.sort_by(|x, y| x.0.total_cmp(&y.0));
    let unexplained = cliffs.iter().filter(|(found, bound, _)| *found < CLIFF * bound.min(1.0)).count();
    println!("{} of {seen} sizes, {unexplained} of them not by the rest of a vector or tile", cliffs.len());
    if let Some((found, _, name)) = cliffs.first() {
        println!("worst: {found:.2}, {name}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_meet_powers_of_two_and_the_sizes_beside_them() {
        let sizes = sizes();
        assert!(sizes.windows(2).all(|pair| pair[0] < pair[1]));
        assert!([2, 40, 47, 48, 49, 127, 128, 129, 2047, 2048, 2049, 2100].iter().all(|size| sizes.contains(size)));
    }

    #[test]
    fn rows_are_as_far_apart_as_asked() {
        for walk in walks().iter().filter(|walk| walk.stride.is_some()) {
            let Cell { m, .. } = walk.cell(1000);
            assert_eq!((m, walk.cell(1000).b().2), (1, 4096), "{walk}");
        }
    }

    #[test]
    fn a_ratio_is_to_the_mean() {
        assert_eq!(ratio([1.0, 1.0, 3.0]), 0.5);
    }
}
