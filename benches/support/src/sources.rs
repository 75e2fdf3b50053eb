//! The experiments of the five sources, each as [`Part`]s of a ladder.

pub mod bits;
pub mod clifford;
pub mod correlation;
pub mod hardround;
pub mod ising;
pub mod matmul;
mod programs;
pub mod reduce;
mod stateful;

use crate::ladder::{Effort, Part};

/// Runs the experiments of a source. The function hears what is measured next.
pub type Run = fn(&Effort, &mut dyn FnMut(&str)) -> Vec<Part>;

/// A source whose experiments a ladder repeats.
pub struct Source {
    /// Its name on the command line.
    pub word: &'static str,
    pub title: &'static str,
    pub citation: &'static str,
    /// A description: the task of the system, and the names in its tables.
    pub about: &'static str,
    /// True if it has curves beside its tables.
    pub has_curves: bool,
    pub run: Run,
}

/// All sources, in the order of the mission.
pub const SOURCES: &[Source] = &[
    Source {
        word: "ising",
        title: "Metropolis sweeps of layered Ising models",
        citation: "Dickson, Karimi, Hamze: Importance of explicit vectorization for CPU and GPU software performance. \
                   J. Comput. Phys. 230 (2011)",
        about: "The model has equal layers in a ring. Each spin is coupled to spins of its layer and to its copies in \
                the layers before and after. A.1 is the paper's original program, A.2 has simpler data and a fast \
                exponential, A.3 draws random numbers and flips spins in vectors, A.4 does everything in vectors, \
                whose lanes are layers; a and b are builds without and with optimisation. Ours are gather, which sums \
                the local field of a spin when it is visited, gather poly, the same with an exponential of higher \
                accuracy, and int8 exact, the same in integers with exact acceptance.",
        has_curves: true,
        run: ising::run,
    },
    Source {
        word: "correlation",
        title: "Orientational correlation of all pairs of particles",
        citation: "Pancratov, Kurzer, Shaw, Trawick: Why computer architecture matters (2008), a series of articles",
        about: "Each particle of an image has the angle of the bonds around it. The program adds up cos 6 (a - b) over \
                the pairs of each distance, where a and b are their angles: the decay of the mean with the distance \
                tells a crystal from a liquid in two dimensions. Positions are whole pixels. The rungs are the \
                programs of the series in its order; accum[..] is the index of the array of sums.",
        has_curves: true,
        run: correlation::run,
    },
    Source {
        word: "reduce",
        title: "Sums and instruction-level parallelism",
        citation: "Huang: Optimizing single-core CPU software (2025)",
        about: "A sum with one accumulator waits for the latency of each addition. Several accumulators, and the lanes \
                of vectors, are chains that overlap. Beside sums there are our other reductions, the latency and the \
                throughput of the instructions behind them, and operations in place of slower ones (strength \
                reduction). Figures per cycle are rates: more is better.",
        has_curves: true,
        run: reduce::run,
    },
    Source {
        word: "matmul",
        title: "Products of matrices: loops, blocks, packing, vectors",
        citation: "Huang: Optimizing single-core CPU software (2025)",
        about: "Orders of the three loops, blocks that stay in a cache, and packed tiles whose sums stay in registers, \
                beside our product, gemm. The limits of the core are the rate of multiply-adds in registers and the \
                bandwidth of loads. Figures per cycle are rates, in floating-point operations (flops): more is \
                better.",
        has_curves: true,
        run: matmul::run,
    },
    Source {
        word: "clifford",
        title: "Layers of Clifford neural networks",
        citation: "Huang, Ciranni, Spadaccini, Lopez Zurita: Single-Core Superscalar Optimization of Clifford Neural \
                   Layers. arXiv 2510.03290 (2025)",
        about: "A channel of a layer is a multivector: 2^n numbers, its blades, in the algebra Cl(n,0) of n generators \
                of square 1. The source builds the matrix of a layer (its kernel) at each call and multiplies by it. \
                Ours multiplies the multivectors as they are (Exact) or in an algebra of matrices, which takes fewer \
                operations (Fast).",
        has_curves: false,
        run: clifford::run,
    },
    Source {
        word: "hardround",
        title: "Hard-to-round cases of exp",
        citation: "Avenel, Fortin, Gouicem, Zaidi: Solving the Table Maker's Dilemma on current SIMD architectures \
                   (2016)",
        about: "An argument is a hard case if its exponential is closer to a breakpoint of the rounding than a bound; \
                a correctly rounded exp needs all of them. I_0 to I_1023 are intervals of 2^40 arguments each. The \
                source searches in three phases: it tests domains of 2^15 arguments on lines, by Lefevre's test or by \
                the regular one, then parts of those that pass, then argument by argument. Ours has the same phases \
                in f64, and two searches of its own: Farey cells and dual rows.",
        has_curves: true,
        run: hardround::run,
    },
    Source {
        word: "bits",
        title: "Bit planes of integers, and their distances",
        citation: "Kuznetsov, Tolstoy: SSE2 vs CUDA in parallel bit stream transposition / similarity (2009)",
        about: "A block of 2048 integers of 32 bits becomes 32 planes of 2048 bits, one for each bit of the integers. \
                Then the ones of each plane are counted, and the bits in which each two planes differ: 496 Hamming \
                distances. Planes are stored as whole rows, or in tiles of 64 integers.",
        has_curves: false,
        run: bits::run,
    },
];
