//! Clifford convolutions against their definition and against examples in exact integers.

use hotloops::clifford::{Conv, Mode, Signature, Window};
use hotloops::{Error, matmul::Element};

/// A convolution of `D` dimensions, with integers that every mode computes exactly.
struct Problem<const D: usize> {
    signature: Signature,
    window: Window<D>,
    batch: usize,
    size: [usize; D],
    inputs: usize,
    outputs: usize,
    x: Vec<f64>,
    w: Vec<f64>,
    bias: Vec<f64>,
    gy: Vec<f64>,
}

/// y, gx, gw and gbias.
#[derive(Clone, Debug, PartialEq)]
struct Results {
    y: Vec<f64>,
    gx: Vec<f64>,
    gw: Vec<f64>,
    gbias: Vec<f64>,
}

impl<const D: usize> Problem<D> {
    fn new(squares: &[i8], window: Window<D>, batch: usize, size: [usize; D], channels: [usize; 2]) -> Self {
        let signature = Signature::new(squares).unwrap();
        let (blades, [inputs, outputs]) = (signature.blades(), channels);
        let taps: usize = window.kernel.iter().product();
        let series = |len: usize, by: usize, modulus: usize, shift: f64| {
            (0..len).map(|i| (i * by % modulus) as f64 - shift).collect::<Vec<_>>()
        };
        let points = |size: [usize; D]| size.iter().product::<usize>();
        let output = window.output_size(size).unwrap();
        Problem {
            signature,
            window,
            batch,
            size,
            inputs,
            outputs,
            x: series(batch * inputs * points(size) * blades, 7, 11, 5.0),
            w: series(blades * inputs * outputs * taps, 5, 7, 3.0),
            bias: series(blades * outputs, 3, 5, 2.0),
            gy: series(batch * outputs * points(output) * blades, 4, 9, 4.0),
        }
    }

    fn conv(&self, mode: Mode) -> Conv<D> {
        Conv::new(self.signature, self.inputs, self.outputs, self.window, mode).unwrap()
    }

    fn forward<T: Element>(&self, mode: Mode, x: &[f64], w: &[f64]) -> Vec<f64> {
        let narrow = |values: &[f64]| values.iter().map(|&value| T::from_f64(value)).collect::<Vec<T>>();
        let conv = self.conv(mode);
        let mut memory = vec![T::ZERO; conv.packed_len().unwrap()];
        let weights = conv.pack(&narrow(w), Some(&narrow(&self.bias)), &mut memory).unwrap();
        let mut y = vec![T::NAN; self.gy.len()];
        let mut workspace = vec![T::NAN; weights.workspace_len(self.batch, self.size).unwrap()];
        weights.forward(self.batch, self.size, &narrow(x), &mut y, &mut workspace).unwrap();
        y.into_iter().map(T::to_f64).collect()
    }

    fn results(&self, mode: Mode) -> Results {
        let conv = self.conv(mode);
        let y = self.forward::<f64>(mode, &self.x, &self.w);
        let mut memory = vec![0.0; conv.packed_len().unwrap()];
        let weights = conv.pack_backward(&self.w, &mut memory).unwrap();
        let mut workspace = vec![f64::NAN; weights.workspace_len(self.batch, self.size).unwrap()];
        let mut gx = vec![f64::NAN; self.x.len()];
        weights.backward(self.batch, self.size, &self.gy, &mut gx, &mut workspace).unwrap();
        let mut workspace = vec![f64::NAN; conv.backward_weights_len::<f64>(self.batch, self.size).unwrap()];
        // Gradients are added to what is there.
        let (mut gw, mut gbias) = (vec![1.0; self.w.len()], vec![2.0; self.bias.len()]);
        let (data, gradients) = ((&self.x[..], &self.gy[..]), (&mut gw[..], Some(&mut gbias[..])));
        conv.backward_weights(self.batch, self.size, data, gradients, &mut workspace).unwrap();
        gw.iter_mut().for_each(|number| *number -= 1.0);
        gbias.iter_mut().for_each(|number| *number -= 2.0);
        Results { y, gx, gw, gbias }
    }

    /// The same, term by term.
    fn by_definition(&self) -> Results {
        let (blades, output) = (self.signature.blades(), self.window.output_size(self.size).unwrap());
        let points = |size: [usize; D]| size.iter().product::<usize>();
        let digits = |mut index: usize, size: [usize; D]| {
            let mut all = [0; D];
            for d in (0..D).rev() {
                (all[d], index) = (index % size[d], index / size[d]);
            }
            all
        };
        let (mut y, mut gx) = (vec![0.0; self.gy.len()], vec![0.0; self.x.len()]);
        let (mut gw, mut gbias) = (vec![0.0; self.w.len()], vec![0.0; self.bias.len()]);
        let taps = points(self.window.kernel);
        for (at, y) in y.iter_mut().enumerate() {
            let (j, point) = (at % blades, digits(at / blades % points(output), output));
            let channel = at / blades / points(output);
            let (b, o) = (channel / self.outputs, channel % self.outputs);
            *y = self.bias[j * self.outputs + o];
            gbias[j * self.outputs + o] += self.gy[at];
            for (i, tap) in (0..self.inputs * taps).map(|k| (k / taps, k % taps)) {
                let mut from = 0;
                let offsets = digits(tap, self.window.kernel);
                let inside = (0..D).all(|d| {
                    let Window { stride, padding, dilation, .. } = self.window;
                    let place = (point[d] * stride[d] + offsets[d] * dilation[d]) as isize - padding[d] as isize;
                    from = from * self.size[d] + place.max(0) as usize;
                    place >= 0 && (place as usize) < self.size[d]
                });
                for p in (0..blades).filter(|_| inside) {
                    let q = self.signature.index(self.signature.bitmap(p) ^ self.signature.bitmap(j));
                    let sign = f64::from(self.signature.product(p, q).1);
                    let x = ((b * self.inputs + i) * points(self.size) + from) * blades + p;
                    let w = ((q * self.outputs + o) * self.inputs + i) * taps + tap;
                    *y += sign * self.x[x] * self.w[w];
                    gx[x] += sign * self.gy[at] * self.w[w];
                    gw[w] += sign * self.gy[at] * self.x[x];
                }
            }
        }
        Results { y, gx, gw, gbias }
    }

    fn check(&self) {
        let expected = self.by_definition();
        for mode in [Mode::Exact, Mode::Fast] {
            let name = format!("{:?} {:?} {mode:?}", self.signature, self.window);
            assert_eq!(self.results(mode), expected, "{name}");
            assert_eq!(self.forward::<f32>(mode, &self.x, &self.w), expected.y, "{name}");
            self.check_differences(mode, &expected);
        }
    }

    /// The loss gy . y is linear in x and in w, so that its differences are its gradients.
    fn check_differences(&self, mode: Mode, expected: &Results) {
        let loss = |x: &[f64], w: &[f64]| -> f64 {
            let y = self.forward::<f64>(mode, x, w);
            y.iter().zip(&self.gy).map(|(y, gy)| y * gy).sum()
        };
        let begin = loss(&self.x, &self.w);
        for at in [0, self.x.len() / 3, self.x.len() - 1] {
            let mut x = self.x.clone();
            x[at] += 1.0;
            assert_eq!(loss(&x, &self.w) - begin, expected.gx[at]);
        }
        for at in [0, self.w.len() / 3, self.w.len() - 1] {
            let mut w = self.w.clone();
            w[at] += 1.0;
            assert_eq!(loss(&self.x, &w) - begin, expected.gw[at]);
        }
    }
}

const SIGNATURES: [&[i8]; 7] = [&[-1], &[1, 1], &[-1, -1], &[0, 1], &[1, 1, -1], &[1, 1, 1], &[0, 1, 1, 1]];

#[test]
fn one_dimension() {
    for squares in SIGNATURES {
        let window = Window { kernel: [3], stride: [2], padding: [2], dilation: [2] };
        Problem::new(squares, window, 3, [9], [2, 3]).check();
        Problem::new(squares, Window::new([1]), 1, [1], [1, 1]).check();
        Problem::new(squares, Window::new([4]), 2, [70], [3, 1]).check();
    }
}

#[test]
fn two_dimensions() {
    for squares in SIGNATURES {
        let window = Window { kernel: [3, 2], stride: [2, 1], padding: [1, 0], dilation: [1, 3] };
        Problem::new(squares, window, 2, [6, 7], [2, 3]).check();
        // Taps that lie in the padding for every point.
        let window = Window { kernel: [3, 3], stride: [1, 3], padding: [2, 3], dilation: [2, 1] };
        Problem::new(squares, window, 1, [1, 2], [3, 2]).check();
    }
}

/// Lines longer than a block, several lines in a block, lines computed one by one, short lines in several strips, more
/// padding than the kernel reaches, a kernel of one tap, points of the input that no output reads.
#[test]
fn blocks_and_padding() {
    for squares in [&[1, 1][..], &[1, 1, 1], &[0, 1]] {
        Problem::new(squares, Window { padding: [7], ..Window::new([2]) }, 2, [2500], [1, 2]).check();
        Problem::new(squares, Window { padding: [1], stride: [3], ..Window::new([2]) }, 1, [7000], [1, 1]).check();
        Problem::new(squares, Window { padding: [1, 1], ..Window::new([3, 3]) }, 2, [75, 31], [2, 1]).check();
        Problem::new(squares, Window { padding: [1, 1], ..Window::new([3, 3]) }, 1, [4, 16], [17, 16]).check();
        Problem::new(squares, Window { padding: [1, 2], ..Window::new([3, 2]) }, 2, [2500, 5], [1, 2]).check();
        let window = Window { padding: [2, 0], stride: [2, 1], ..Window::new([3, 1]) };
        Problem::new(squares, window, 1, [5000, 3], [2, 1]).check();
        Problem::new(squares, Window { padding: [3, 0], ..Window::new([1, 1]) }, 1, [9, 4], [2, 2]).check();
        Problem::new(squares, Window { stride: [5, 4], ..Window::new([2, 2]) }, 1, [13, 11], [1, 2]).check();
        Problem::new(squares, Window { padding: [0, 2, 1], ..Window::new([2, 2, 3]) }, 1, [3, 9, 20], [1, 1]).check();
    }
}

#[test]
fn three_dimensions() {
    for squares in SIGNATURES {
        let window = Window { kernel: [2, 1, 3], stride: [1, 2, 1], padding: [1, 0, 1], dilation: [2, 1, 1] };
        Problem::new(squares, window, 2, [3, 4, 5], [1, 2]).check();
    }
}

/// Computed with integers by another program: the sum, the sum of squares, the weighted sum and the
/// first multivector.
#[test]
fn convolutions_reproduce_the_examples() {
    let examples: [(&[i8], [i64; 3], &[f64]); 4] = [
        (&[1, 1], [-171, 1_357_615, -39_518], &[76.0, 39.0, 14.0, 36.0]),
        (&[1, -1], [27, 1_379_115, -3_728], &[]),
        (&[-1, -1], [145, 1_885_539, 30_402], &[]),
        (&[0, 1], [-160, 1_088_080, -11_083], &[]),
    ];
    for (squares, sums, first) in examples {
        let window = Window { padding: [1, 1], ..Window::new([3, 3]) };
        let mut problem = Problem::new(squares, window, 1, [5, 6], [2, 3]);
        let fill = |numbers: &mut [f64], [n1, n2, n3]: [usize; 3], by: [usize; 4], modulus: usize, shift: f64| {
            for (at, number) in numbers.iter_mut().enumerate() {
                let index = [at / n3 / n2 / n1, at / n3 / n2 % n1, at / n3 % n2, at % n3];
                let sum: usize = index.iter().zip(by).map(|(index, by)| index * by).sum();
                *number = (sum % modulus) as f64 - shift;
            }
        };
        fill(&mut problem.x, [5, 6, 4], [7, 5, 3, 2], 11, 5.0);
        // Input channels and rows of the kernel differ in their factors, so the kernel is filled by row.
        for (row, weights) in problem.w.chunks_exact_mut(3).enumerate() {
            let (kh, c, o, q) = (row % 3, row / 3 % 2, row / 6 % 3, row / 18);
            for (kw, weight) in weights.iter_mut().enumerate() {
                *weight = ((3 * q + 2 * o + 5 * c + 4 * kh + kw) % 7) as f64 - 3.0;
            }
        }
        problem.bias.fill(0.0);
        for mode in [Mode::Exact, Mode::Fast] {
            let y = problem.forward::<f64>(mode, &problem.x, &problem.w);
            let weighted = (0..).zip(&y).map(|(k, &v)| (v as i64) * (k % 97 + 1)).sum::<i64>();
            let squared = y.iter().map(|&v| v as i64 * v as i64).sum::<i64>();
            assert_eq!([y.iter().map(|&v| v as i64).sum::<i64>(), squared, weighted], sums, "{squares:?} {mode:?}");
            assert_eq!(y[..first.len()], *first);
            if !first.is_empty() {
                assert_eq!(y[(2 * 30 + 4 * 6 + 5) * 4..], [-49.0, -24.0, -19.0, -34.0]);
            }
        }
    }
}

/// With numbers that are not exact, f32.
#[test]
fn parts_of_the_batch_have_the_bits_of_the_whole() {
    for mode in [Mode::Exact, Mode::Fast] {
        let window = Window { padding: [1, 1], ..Window::new([3, 3]) };
        let conv = Conv::new(Signature::new(&[1, 1, 1]).unwrap(), 3, 5, window, mode).unwrap();
        let numbers = |len: usize| (0..len).map(|i| (i as f32 * 0.7).sin()).collect::<Vec<_>>();
        let (size, x, w) = ([7, 5], numbers(4 * 3 * 35 * 8), numbers(8 * 15 * 9));
        let mut memory = vec![0.0; conv.packed_len().unwrap()];
        let weights = conv.pack(&w, None, &mut memory).unwrap();
        let mut workspace = vec![0.0; weights.workspace_len(4, size).unwrap()];
        let (mut whole, mut parts) = (vec![0.0; 4 * 5 * 35 * 8], vec![0.0; 4 * 5 * 35 * 8]);
        weights.forward(4, size, &x, &mut whole, &mut workspace).unwrap();
        for (x, y) in x.chunks(x.len() / 4).zip(parts.chunks_mut(5 * 35 * 8)) {
            weights.forward(1, size, x, y, &mut workspace).unwrap();
        }
        assert_eq!(whole, parts, "{mode:?}");
    }
}

#[test]
fn the_automatic_mode_depends_on_the_channels() {
    let mode = |squares: &[i8], channels: usize| {
        let signature = Signature::new(squares).unwrap();
        Conv::new(signature, channels, channels, Window::new([3, 3]), Mode::Auto).unwrap().linear().mode()
    };
    assert_eq!([4, 32].map(|channels| mode(&[-1], channels)), [Mode::Exact, Mode::Fast]);
    assert_eq!([2, 8].map(|channels| mode(&[-1, -1], channels)), [Mode::Exact, Mode::Fast]);
    // Its transforms are straight code.
    assert_eq!(mode(&[1, 1], 1), Mode::Fast);
    // No matrices for this one.
    assert_eq!(mode(&[1, 1, 1, 1], 50), Mode::Exact);
}

/// As many outputs as there are places of the dilated kernel in the padded input, one by one.
#[test]
fn output_sizes_are_the_places_of_the_kernel() {
    let range = |end: usize| 1..=end;
    for (size, kernel) in range(13).flat_map(|size| range(4).map(move |kernel| (size, kernel))) {
        for (stride, dilation) in range(4).flat_map(|stride| range(4).map(move |dilation| (stride, dilation))) {
            for padding in 0..4 {
                let last_tap = |start: usize| start + (kernel - 1) * dilation;
                let places = (0..size + 2 * padding).step_by(stride);
                let places = places.filter(|&start| last_tap(start) < size + 2 * padding).count();
                let window =
                    Window { kernel: [kernel, 1], stride: [stride, 2], padding: [padding, 0], dilation: [dilation, 3] };
                let expected = match places {
                    0 => Err(Error::Extent { argument: "size", index: 0, extent: size }),
                    places => Ok([places, 3]),
                };
                assert_eq!(window.output_size([size, 5]), expected, "{size}: {window:?}");
            }
        }
    }
}

#[test]
fn bad_arguments_are_refused() {
    let plane = Signature::new(&[1, 1]).unwrap();
    let new = |window| Conv::new(plane, 2, 3, window, Mode::Fast).map(|_| ());
    let window = Window::new([3, 3]);
    let extent = |argument, index, extent| Err(Error::Extent { argument, index, extent });
    assert_eq!(new(Window { kernel: [3, 0], ..window }), extent("kernel", 1, 0));
    assert_eq!(new(Window { stride: [0, 1], ..window }), extent("stride", 0, 0));
    assert_eq!(new(Window { dilation: [1, 0], ..window }), extent("dilation", 1, 0));
    assert_eq!(new(Window { kernel: [usize::MAX, 1], ..window }), Err(Error::TooLarge { argument: "kernel" }));
    let none = Conv::new(plane, 0, 3, window, Mode::Exact).map(|_| ());
    assert_eq!(none, Err(Error::Channels { argument: "inputs" }));
    assert_eq!(window.output_size([3, 2]).map(|_| ()), extent("size", 1, 2));
    assert_eq!(window.output_size([3, usize::MAX]), Err(Error::TooLarge { argument: "size" }));

    let conv = Conv::new(plane, 1, 1, window, Mode::Exact).unwrap();
    let mut memory = vec![0.0f32; conv.packed_len().unwrap()];
    let length = |argument, expected, found| Err(Error::Length { argument, expected, found });
    assert_eq!(conv.pack(&[0.0; 35], None, &mut memory).map(|_| ()), length("weights", 36, 35));
    let weights = conv.pack(&[0.0; 36], None, &mut memory).unwrap();
    let needed = weights.workspace_len(1, [3, 3]).unwrap();
    let (x, mut y, mut workspace) = ([1.0; 36], [7.0; 4], vec![0.0; needed]);
    assert_eq!(weights.forward(1, [3, 3], &x[1..], &mut y, &mut workspace), length("x", 36, 35));
    assert_eq!(weights.forward(1, [3, 3], &x, &mut y[1..], &mut workspace), length("y", 4, 3));
    let short = weights.forward(1, [3, 3], &x, &mut y, &mut workspace[1..]);
    assert_eq!(short, length("workspace", needed, needed - 1));
    assert_eq!(weights.forward(1, [2, 3], &x, &mut y, &mut workspace), extent("size", 0, 2));
    let backward = weights.backward(1, [3, 3], &y.clone(), &mut [0.0; 36], &mut workspace);
    assert_eq!(backward, Err(Error::Option { argument: "weights", value: 0 }));
    assert_eq!(y, [7.0; 4]);
    // An empty batch.
    assert_eq!(weights.workspace_len(0, [3, 3]), Ok(0));
    assert_eq!(conv.backward_weights_len::<f32>(0, [3, 3]), Ok(0));
    weights.forward(0, [3, 3], &[], &mut [], &mut []).unwrap();
    let gradients = (&mut [0.0; 36][..], None);
    conv.backward_weights(0, [3, 3], (&[][..], &[]), gradients, &mut []).unwrap();
}
