//! Linear layers and convolutions on small integers, whose sums are exact in any order and in any algebra.

use std::hint::black_box;
use std::rc::Rc;

use hotloops::clifford::{Conv, Linear, LinearWeights, Mode, Signature, Window};

use crate::ladder::{Origin, Rung};
use crate::sources::programs::{Build, checked};

/// The arguments of the programs in `clifford.c`.
#[repr(C)]
struct Arguments {
    blades: usize,
    factor: *const u8,
    sign: *const f32,
    batch: usize,
    inputs: usize,
    outputs: usize,
    size: [usize; 3],
    taps: [usize; 3],
    x: *const f32,
    w: *const f32,
    y: *mut f32,
}

unsafe extern "C" {
    fn hotloops_bench_layer_plain(rung: usize, of: *const Arguments);
    fn hotloops_bench_layer_vectorised(rung: usize, of: *const Arguments);
}

/// The programs of `clifford.c` in its order.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Program {
    WithKernel,
    WithoutKernel,
    Unrolled,
    Reordered,
    Convolution,
}

impl Program {
    fn name(self) -> &'static str {
        match self {
            Program::WithKernel => "triple loop, kernel built at each call",
            Program::WithoutKernel => "without the kernel",
            Program::Unrolled => "blades unrolled",
            Program::Reordered => "output channels innermost",
            Program::Convolution => "loops, kernel built at each call",
        }
    }
}

/// When the weights of our layers are packed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    Once,
    EachCall,
}

/// A layer with its data and its result.
#[derive(Clone)]
pub struct Layer {
    signature: Signature,
    batch: usize,
    channels: usize,
    size: [usize; 3],
    taps: [usize; 3],
    /// Shape (batch, channels, points, blades).
    x: Rc<[f32]>,
    /// Shape (blades, outputs, inputs, taps).
    w: Rc<[f32]>,
    y: Rc<[f32]>,
}

impl Layer {
    pub fn linear(squares: &[i8], batch: usize, channels: usize) -> Self {
        Layer::new(squares, batch, channels, [1; 3], [1; 3])
    }

    /// Of one input, with 3 taps in each dimension and a padding of 1.
    pub fn convolution<const D: usize>(squares: &[i8], channels: usize, size: [usize; D]) -> Self {
        let (mut all, mut taps) = ([1; 3], [1; 3]);
        // The last dimensions: the innermost loop of the programs in C goes over several taps.
        all[3 - D..].copy_from_slice(&size);
        taps[3 - D..].fill(3);
        Layer::new(squares, 1, channels, all, taps)
    }

    fn new(squares: &[i8], batch: usize, channels: usize, size: [usize; 3], taps: [usize; 3]) -> Self {
        let signature = Signature::new(squares).unwrap();
        let (points, all_taps) = (size.iter().product::<usize>(), taps.iter().product::<usize>());
        let blades = signature.blades();
        let numbers = |n: usize, modulus: usize| (0..n).map(|i| (i % modulus) as f32 - 3.0).collect();
        let mut layer = Layer {
            signature,
            batch,
            channels,
            size,
            taps,
            x: numbers(batch * channels * points * blades, 7),
            w: numbers(blades * channels * channels * all_taps, 5),
            y: Rc::new([]),
        };
        layer.y = layer.reference();
        layer
    }

    /// The pairs of points of the output and of the input under each tap.
    fn pairs(&self) -> Vec<Vec<(usize, usize)>> {
        let (size, taps) = (self.size, self.taps);
        let parts = |index: usize, of: [usize; 3]| [index / (of[1] * of[2]), index / of[2] % of[1], index % of[2]];
        let under = |tap: usize| {
            let tap = parts(tap, taps);
            let pair = |point: usize| {
                let at = parts(point, size);
                let mut from = 0;
                for d in 0..3 {
                    let place = (at[d] + tap[d]).checked_sub(taps[d] / 2).filter(|&place| place < size[d])?;
                    from = from * size[d] + place;
                }
                Some((point, from))
            };
            (0..size.iter().product()).filter_map(pair).collect()
        };
        (0..taps.iter().product()).map(under).collect()
    }

    /// The definition, product by product.
    fn reference(&self) -> Rc<[f32]> {
        let (blades, channels) = (self.signature.blades(), self.channels);
        let all_pairs = self.pairs();
        let points = self.size.iter().product::<usize>();
        let mut y = vec![0.0_f32; self.x.len()];
        for p in 0..blades {
            for q in 0..blades {
                let (j, sign) = self.signature.product(p, q);
                for (b, o, i) in (0..self.batch * channels * channels)
                    .map(|index| (index / (channels * channels), index / channels % channels, index % channels))
                {
                    for (tap, pairs) in all_pairs.iter().enumerate() {
                        let w = f32::from(sign) * self.w[((q * channels + o) * channels + i) * all_pairs.len() + tap];
                        for (to, from) in pairs {
                            let x = self.x[((b * channels + i) * points + from) * blades + p];
                            y[((b * channels + o) * points + to) * blades + j] += w * x;
                        }
                    }
                }
            }
        }
        y.into()
    }

    /// Flops of the dense layer.
    fn flops(&self) -> f64 {
        let taps = self.taps.iter().product::<usize>();
        2.0 * (self.y.len() * self.channels * self.signature.blades() * taps) as f64
    }

    fn rung(&self, name: String, origin: Origin, work: impl FnMut(&mut [f32]) + 'static) -> Rung {
        let y = self.y.clone();
        checked(name, origin, self.flops(), vec![9.0; y.len()], work, move |result| *result == *y)
    }

    /// A program in C, one of the source if it is its baseline.
    pub fn program(&self, kind: Program, build: Build) -> Rung {
        let blades = self.signature.blades();
        let (mut factor, mut sign) = (vec![0; blades * blades], vec![0.0; blades * blades]);
        for (p, q) in (0..blades * blades).map(|index| (index / blades, index % blades)) {
            let (j, s) = self.signature.product(p, q);
            (factor[j * blades + p], sign[j * blades + p]) = (q as u8, f32::from(s));
        }
        let layer = self.clone();
        let is_baseline = matches!(kind, Program::WithKernel | Program::Convolution);
        let origin = if is_baseline { build.origin() } else { Origin::Step };
        self.rung(build.name(kind.name()), origin, move |y| {
            let (x, w) = (black_box(&layer.x), black_box(&layer.w));
            let of = Arguments {
                blades,
                factor: factor.as_ptr(),
                sign: sign.as_ptr(),
                batch: layer.batch,
                inputs: layer.channels,
                outputs: layer.channels,
                size: layer.size,
                taps: layer.taps,
                x: x.as_ptr(),
                w: w.as_ptr(),
                y: y.as_mut_ptr(),
            };
            // SAFETY: arrays of the shapes of the layer, and tables of its algebra.
            unsafe {
                match build {
                    Build::Plain => hotloops_bench_layer_plain(kind as usize, &of),
                    Build::Vectorised => hotloops_bench_layer_vectorised(kind as usize, &of),
                }
            }
        })
    }

    /// Our layer, made and packed at the first call: lengths of memory depend on the instruction set.
    pub fn ours_linear(&self, mode: Mode, packing: Packing) -> Rung {
        let (signature, batch, channels) = (self.signature, self.batch, self.channels);
        let (x, w) = (self.x.clone(), self.w.clone());
        let layer = move || Linear::new(signature, channels, channels, mode).unwrap();
        let memory = |layer: &Linear| vec![0.0_f32; layer.packed_len().unwrap()];
        if packing == Packing::EachCall {
            let (mut made, mut workspace) = (None, Vec::new());
            return self.rung(format!("hotloops, {mode:?}, packed at each call"), Origin::Ours, move |y| {
                let (layer, memory) = made.get_or_insert_with(|| {
                    let layer = layer();
                    let memory = memory(&layer);
                    (layer, memory)
                });
                let weights = layer.pack(black_box(&w), None, memory).unwrap();
                workspace.resize(weights.workspace_len(batch).unwrap(), 0.0);
                weights.forward(batch, black_box(&x), y, &mut workspace).unwrap();
            });
        }
        let mut made = None;
        self.rung(format!("hotloops, {mode:?}"), Origin::Ours, move |y| {
            let (weights, workspace): &mut (LinearWeights<f32>, Vec<f32>) = made.get_or_insert_with(|| {
                // The packed weights borrow the layer and their memory, as long as the program runs.
                let layer: &'static Linear = Box::leak(Box::new(layer()));
                let weights = layer.pack(&w, None, memory(layer).leak()).unwrap();
                let workspace = vec![0.0; weights.workspace_len(batch).unwrap()];
                (weights, workspace)
            });
            weights.forward(batch, black_box(&x), y, workspace).unwrap();
        })
    }

    /// Our convolution of an input of this size, packed at each call.
    pub fn ours_convolution<const D: usize>(&self, size: [usize; D]) -> Rung {
        let window = Window { padding: [1; D], ..Window::new([3; D]) };
        let (signature, channels) = (self.signature, self.channels);
        let (x, w) = (self.x.clone(), self.w.clone());
        let (mut made, mut workspace) = (None, Vec::new());
        self.rung("hotloops".to_owned(), Origin::Ours, move |y| {
            let (layer, memory) = made.get_or_insert_with(|| {
                let layer = Conv::new(signature, channels, channels, window, Mode::Auto).unwrap();
                let memory = vec![0.0_f32; layer.packed_len().unwrap()];
                (layer, memory)
            });
            let weights = layer.pack(black_box(&w), None, memory).unwrap();
            workspace.resize(weights.workspace_len(1, size).unwrap(), 0.0);
            weights.forward(1, size, black_box(&x), y, &mut workspace).unwrap();
        })
    }
}
