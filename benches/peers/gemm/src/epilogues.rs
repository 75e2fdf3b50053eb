//! The price of a bias for each column and ReLU: in the product, and by a pass over C after it.

use crate::arguments::Arguments;
use crate::cells::Cell;
use crate::clock::{Cores, cycles};
use crate::operands::{Operands, Scalar};
use crate::ours;

const SIZES: [[usize; 3]; 4] = [[64; 3], [128, 512, 512], [64, 3136, 576], [1024; 3]];

pub fn run<T: Scalar>(arguments: &Arguments, peak: f64) {
    println!(
        "\nEpilogues, {}: % of {peak:.2} flops per cycle without; times with bias and ReLU over those without, as \
         epilogue and as a pass over C",
        T::NAME
    );
    for cell in SIZES.map(|sizes| Cell::new(sizes, "NN")) {
        let memory = Operands::<T>::memory(&cell);
        let operands = Operands::new(&cell, &memory);
        let bias: Vec<T> = (0..cell.n).map(|j| T::from(j as f32 / cell.n as f32 - 0.5)).collect();
        let jobs = [
            ours::with_pass(operands, |_| ()),
            ours::with_epilogue(operands, bias.clone()),
            ours::with_pass(operands, move |c| add_and_clamp(c, &bias)),
        ];
        let (cycles, steady) = cycles(&jobs, arguments.budget(0.5), Cores::One);
        let [plain, epilogue, pass] = [0, 1, 2].map(|i| cycles[i]);
        let share = 100.0 * cell.flops() / plain / peak;
        let mark = if steady { "" } else { "  ~" };
        println!("{cell:22}  {share:>6.1}  {:>5.2}  {:>5.2}{mark}", epilogue / plain, pass / plain);
    }
}

/// The pass as a program would write it, compiled for any CPU of the architecture.
fn add_and_clamp<T: Scalar>(c: &mut [T], bias: &[T]) {
    let zero = T::default();
    for row in c.chunks_exact_mut(bias.len()) {
        for (element, bias) in row.iter_mut().zip(bias) {
            let sum = *element + *bias;
            *element = if sum < zero { zero } else { sum };
        }
    }
}
