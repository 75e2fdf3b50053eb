//! Activations: multivectors times the logistic function of a sum of their blades.

use std::hint::black_box;
use std::rc::Rc;

use hotloops::clifford::{Gate, Signature};

use crate::ladder::{Origin, Rung};
use crate::sources::programs::checked;

unsafe extern "C" {
    fn hotloops_bench_activation_plain(
        kind: usize,
        blades: usize,
        channels: usize,
        w: *const f32,
        bias: *const f32,
        count: usize,
        x: *const f32,
        y: *mut f32,
    );
}

/// The sum, in the order of `clifford.c`.
#[derive(Clone, Copy)]
pub enum Kind {
    Linear,
    Sum,
    Mean,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Linear => "weighted sum",
            Kind::Sum => "sum",
            Kind::Mean => "mean",
        }
    }
}

const BLADES: usize = 8;
const CHANNELS: usize = 8;

/// The function in f64.
fn reference(kind: Kind, w: &[f32], bias: &[f32], x: &[f32]) -> Vec<f64> {
    let mut y = Vec::with_capacity(x.len());
    for (i, x) in x.chunks(BLADES).enumerate() {
        let channel = i % CHANNELS;
        let blades = || x.iter().map(|&x| f64::from(x));
        let weights = w[channel * BLADES..][..BLADES].iter().map(|&w| f64::from(w));
        let sum = match kind {
            Kind::Linear => f64::from(bias[channel]) + blades().zip(weights).map(|(x, w)| x * w).sum::<f64>(),
            Kind::Sum => blades().sum(),
            Kind::Mean => blades().sum::<f64>() / BLADES as f64,
        };
        y.extend(blades().map(|x| x / (1.0 + (-sum).exp())));
    }
    y
}

/// An activation of `count` multivectors of Cl(3,0), a multiple of 8: plain C, or ours.
pub fn activation(kind: Kind, count: usize, is_ours: bool) -> Rung {
    let numbers =
        |n: usize, modulus: usize| -> Rc<[f32]> { (0..n).map(|i| (i % modulus) as f32 / 4.0 - 1.5).collect() };
    let (x, w, bias) = (numbers(count * BLADES, 13), numbers(CHANNELS * BLADES, 11), numbers(CHANNELS, 7));
    let truth = reference(kind, &w, &bias, &x);
    // Single precision, with the error of either exponential.
    let is_near = |(&y, truth): (&f32, f64)| (f64::from(y) - truth).abs() <= 1e-6 * truth.abs();
    let check = move |y: &[f32]| y.iter().zip(truth).all(is_near);
    let y = vec![9.0; x.len()];
    let signature = Signature::new(&[1, 1, 1]).unwrap();
    if is_ours {
        let work = move |y: &mut [f32]| {
            let gate = match kind {
                Kind::Linear => Gate::Linear { weights: &w, bias: &bias },
                Kind::Sum => Gate::Sum,
                Kind::Mean => Gate::Mean,
            };
            gate.apply(signature, black_box(&x), y).unwrap();
        };
        return checked("hotloops", Origin::Ours, count as f64, y, work, check);
    }
    let work = move |y: &mut [f32]| {
        let (x, w, bias, y) = (black_box(&x).as_ptr(), w.as_ptr(), bias.as_ptr(), y.as_mut_ptr());
        // SAFETY: arrays of `count` multivectors and the parameters of the channels.
        unsafe { hotloops_bench_activation_plain(kind as usize, BLADES, CHANNELS, w, bias, count, x, y) };
    };
    checked("loops", Origin::Source, count as f64, y, work, check)
}
