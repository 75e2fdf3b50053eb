//! Convolutions of fields of vectors of Cl(3,0), plain and transposed: a weight rotates a vector and scales it.
//!
//! The library has no layer of this kind. Ours builds the matrices of the rotations, as the source does, and calls a
//! convolution of real numbers, or its gradient with respect to the input for the transposed one.

use std::array;
use std::hint::black_box;
use std::rc::Rc;

use hotloops::clifford::{Conv, Mode, Signature, Window};

use crate::ladder::{Origin, Rung};
use crate::sources::programs::checked;

unsafe extern "C" {
    fn hotloops_bench_vectors_plain(
        is_transposed: usize,
        channels: usize,
        size: *const usize,
        w: *const f32,
        x: *const f32,
        y: *mut f32,
    );
}

const AXES: usize = 3;
/// A quaternion and a scale.
const PARTS: usize = 5;
/// Of a window of 3 x 3 points.
const TAPS: usize = 9;
/// Added to the square of a quaternion before it is normalised.
const EPSILON: f32 = 1e-4;

/// A layer of as many inputs as outputs, with its data and its result.
pub struct Vectors {
    is_transposed: bool,
    channels: usize,
    size: [usize; 2],
    /// Shape (channels, points, axes).
    x: Rc<[f32]>,
    /// Shape (parts, outputs, inputs, taps); inputs come before outputs if the layer is transposed.
    w: Rc<[f32]>,
    /// Values of the output, each with the sum of the magnitudes of its terms.
    truth: Rc<[[f64; 2]]>,
}

impl Vectors {
    pub fn new(is_transposed: bool, channels: usize, size: [usize; 2]) -> Self {
        let numbers =
            |n: usize, modulus: usize| -> Rc<[f32]> { (0..n).map(|i| (i % modulus) as f32 / 4.0 - 1.0).collect() };
        let (x, w) = (numbers(channels * size[0] * size[1] * AXES, 7), numbers(PARTS * channels * channels * TAPS, 11));
        let truth = Rc::new([]);
        let mut layer = Vectors { is_transposed, channels, size, x, w, truth };
        layer.truth = layer.reference();
        layer
    }

    /// The definition in f64.
    fn reference(&self) -> Rc<[[f64; 2]]> {
        let (channels, [height, width]) = (self.channels, self.size);
        let plane = channels * channels * TAPS;
        let mut y = vec![[0.0; 2]; self.x.len()];
        for k in 0..plane {
            let part = |part: usize| f64::from(self.w[part * plane + k]);
            let (rows, columns, tap) = (k / TAPS / channels, k / TAPS % channels, k % TAPS);
            let (output, input) = if self.is_transposed { (columns, rows) } else { (rows, columns) };
            for point in 0..height * width {
                // The point of the other array under the tap.
                let at = [(point / width + tap / 3, height), (point % width + tap % 3, width)];
                let [Some(i), Some(j)] = at.map(|(at, size)| at.checked_sub(1).filter(|&at| at < size)) else {
                    continue;
                };
                let other = i * width + j;
                let (to, from) = if self.is_transposed { (other, point) } else { (point, other) };
                let from = (input * height * width + from) * AXES;
                let x = array::from_fn(|axis| f64::from(self.x[from + axis]));
                let turn = if self.is_transposed { -1.0 } else { 1.0 };
                let turned = turned([1, 2, 3].map(|axis| turn * part(axis)), part(0), x);
                let size = part(4).abs() * x.map(|x| x * x).iter().sum::<f64>().sqrt();
                let to = (output * height * width + to) * AXES;
                for (y, turned) in y[to..to + AXES].iter_mut().zip(turned) {
                    *y = [y[0] + part(4) * turned, y[1] + size];
                }
            }
        }
        y.into()
    }

    fn rung(&self, name: &str, origin: Origin, work: impl FnMut(&mut [f32]) + 'static) -> Rung {
        let truth = Rc::clone(&self.truth);
        // Single precision: sums of some hundreds of terms.
        let is_near = |(&y, &[truth, size]): (&f32, &[f64; 2])| (f64::from(y) - truth).abs() <= 1e-5 * size;
        let units = (self.size[0] * self.size[1]) as f64;
        checked(name, origin, units, vec![9.0; self.x.len()], work, move |y| y.iter().zip(&*truth).all(is_near))
    }

    /// The program in C.
    pub fn program(&self) -> Rung {
        let (is_transposed, channels, size) = (self.is_transposed, self.channels, self.size);
        let (x, w) = (Rc::clone(&self.x), Rc::clone(&self.w));
        self.rung("loops, kernel built at each call", Origin::Source, move |y| {
            let (x, w) = (black_box(&x).as_ptr(), black_box(&w).as_ptr());
            // SAFETY: arrays of the shapes of the layer.
            unsafe {
                hotloops_bench_vectors_plain(is_transposed.into(), channels, size.as_ptr(), w, x, y.as_mut_ptr());
            }
        })
    }

    /// The library's convolution of real numbers, by a matrix that is built at each call.
    pub fn ours(&self) -> Rung {
        let (is_transposed, channels, size) = (self.is_transposed, self.channels, self.size);
        let (x, w) = (Rc::clone(&self.x), Rc::clone(&self.w));
        let (planes, points) = (AXES * channels, size[0] * size[1]);
        let (mut from, mut to) = (vec![0.0; planes * points], vec![0.0; planes * points]);
        let (mut kernel, mut made, mut workspace) = (vec![0.0; planes * planes * TAPS], None, Vec::new());
        self.rung("hotloops", Origin::Ours, move |y| {
            let (layer, memory) = made.get_or_insert_with(|| {
                let window = Window { padding: [1; 2], ..Window::new([3; 2]) };
                let reals = Signature::new(&[]).unwrap();
                let layer = Conv::new(reals, planes, planes, window, Mode::Auto).unwrap();
                let memory = vec![0.0_f32; layer.packed_len().unwrap()];
                (layer, memory)
            });
            matrix(black_box(&w), channels, &mut kernel);
            for (x, from) in black_box(&x).chunks(AXES * points).zip(from.chunks_mut(AXES * points)) {
                for (axis, from) in from.chunks_mut(points).enumerate() {
                    from.iter_mut().zip(x[axis..].iter().step_by(AXES)).for_each(|(from, &x)| *from = x);
                }
            }
            let packed =
                if is_transposed { layer.pack_backward(&kernel, memory) } else { layer.pack(&kernel, None, memory) };
            let weights = packed.unwrap();
            workspace.resize(weights.workspace_len(1, size).unwrap(), 0.0);
            match is_transposed {
                true => weights.backward(1, size, &from, &mut to, &mut workspace).unwrap(),
                false => weights.forward(1, size, &from, &mut to, &mut workspace).unwrap(),
            }
            for (y, to) in y.chunks_mut(AXES * points).zip(to.chunks(AXES * points)) {
                for (axis, to) in to.chunks(points).enumerate() {
                    y[axis..].iter_mut().step_by(AXES).zip(to).for_each(|(y, &to)| *y = to);
                }
            }
        })
    }
}

/// `x` turned by the quaternion with these real and imaginary parts, which is normalised.
fn turned(imaginary: [f64; AXES], real: f64, x: [f64; AXES]) -> [f64; AXES] {
    let cross = |[a, b, c]: [f64; AXES], [x, y, z]: [f64; AXES]| [b * z - c * y, c * x - a * z, a * y - b * x];
    let square = real * real + imaginary.map(|part| part * part).iter().sum::<f64>() + f64::from(EPSILON);
    let once = cross(imaginary, x);
    let twice = cross(imaginary, once);
    array::from_fn(|axis| x[axis] + 2.0 * (real * once[axis] + twice[axis]) / square)
}

/// The weights of a convolution of real numbers, shape (3 rows, 3 columns, taps), where the layer's weights have the
/// shape (parts, rows, columns, taps).
fn matrix(w: &[f32], channels: usize, kernel: &mut [f32]) {
    let plane = channels * channels * TAPS;
    for k in 0..plane {
        let [a, b, c, d, scale]: [f32; PARTS] = array::from_fn(|part| w[part * plane + k]);
        let length = (a * a + b * b + c * c + d * d + EPSILON).sqrt();
        let [a, b, c, d] = [a, b, c, d].map(|part| part / length);
        let rows = [
            [1.0 - 2.0 * (c * c + d * d), 2.0 * (b * c - a * d), 2.0 * (b * d + a * c)],
            [2.0 * (b * c + a * d), 1.0 - 2.0 * (b * b + d * d), 2.0 * (c * d - a * b)],
            [2.0 * (b * d - a * c), 2.0 * (c * d + a * b), 1.0 - 2.0 * (b * b + c * c)],
        ];
        let (row, column, tap) = (k / TAPS / channels, k / TAPS % channels, k % TAPS);
        for (j, entries) in rows.into_iter().enumerate() {
            for (p, entry) in entries.into_iter().enumerate() {
                kernel[((AXES * row + j) * AXES * channels + AXES * column + p) * TAPS + tap] = scale * entry;
            }
        }
    }
}
