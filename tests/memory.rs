//! Only constructors (of models, generators, exchanges, sets of points) and functions that can
//! return `NoMemory` allocate memory, and they allocate little.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use hotloops::ising::{Beta, Kind, LANES, LayeredIsing, ReplicaExchange, Update};
use hotloops::matmul::{MatMut, MatRef, Options, PackedB, Plan, Strides, gemm, gemm_in, gemm_packed};
use hotloops::random::Mt19937;
use hotloops::reduce::{self, Repro};

/// Counts this thread's allocator calls and the bytes that it holds.
struct Counting;

thread_local! {
    static CALLS: Cell<usize> = const { Cell::new(0) };
    static HELD: Cell<isize> = const { Cell::new(0) };
    static MAX_HELD: Cell<isize> = const { Cell::new(0) };
}

/// Adds `bytes` to the held bytes unless `pointer` is null.
fn count(pointer: *mut u8, bytes: isize) -> *mut u8 {
    CALLS.set(CALLS.get() + 1);
    HELD.set(HELD.get() + if pointer.is_null() { 0 } else { bytes });
    MAX_HELD.set(MAX_HELD.get().max(HELD.get()));
    pointer
}

// SAFETY: the system's allocator with counters beside it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's contract is the same.
        count(unsafe { System.alloc(layout) }, layout.size() as isize)
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(pointer, -(layout.size() as isize));
        // SAFETY: the caller's contract is the same.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's contract is the same.
        count(unsafe { System.realloc(pointer, layout, size) }, size as isize - layout.size() as isize)
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The allocator calls of `body`.
fn calls<T>(body: impl FnOnce() -> T) -> usize {
    let before = CALLS.get();
    body();
    CALLS.get() - before
}

/// The result of `make`, and the bytes that it holds.
fn held<T>(make: impl FnOnce() -> T) -> (T, usize) {
    let before = HELD.get();
    let made = make();
    (made, (HELD.get() - before) as usize)
}

/// The result of `make`, and the peak of the bytes held while it ran.
fn most_held<T>(make: impl FnOnce() -> T) -> (T, usize) {
    let before = HELD.get();
    MAX_HELD.set(before);
    let made = make();
    (made, (MAX_HELD.get() - before) as usize)
}

/// The storage forms of a model: kind, update, and a factor of the couplings.
type Form = (Kind, Update, f64);

const FORMS: [Form; 8] = [
    (Kind::F32Poly, Update::Gather, 0.25),
    (Kind::F32Poly, Update::Scatter, 0.25),
    (Kind::I8Exact, Update::Gather, 0.25),
    (Kind::Single, Update::Gather, 0.25),
    (Kind::I16Exact, Update::Gather, 0.25),
    (Kind::Bits, Update::Gather, 1.0),
    (Kind::Dense, Update::Gather, 0.25),
    // Real couplings.
    (Kind::Dense, Update::Gather, 0.0),
];

/// Without coupling between layers where the kind has none.
fn beta((kind, ..): Form, space: f32, tau: f32) -> Beta {
    Beta { space, tau: if matches!(kind, Kind::Single | Kind::Bits | Kind::Dense) { 0.0 } else { tau } }
}

/// 256 layers of 96 spins with 260 couplings, as in 4 x 3 full Chimera cells; for bits, of equal
/// strength and without coupling between layers.
fn paper_sized((kind, update, unit): Form) -> LayeredIsing {
    let strength = |k: usize| match kind {
        Kind::Bits => unit,
        _ if unit == 0.0 => 1.0 / (k + 1) as f64,
        _ => unit * (k % 5 + 1) as f64,
    };
    let couplings = (0..260).map(|k| (k % 96, (k + 1 + k / 96) % 96, strength(k)));
    let tau_coupling = if kind == Kind::Bits { 0.0 } else { 1.0 };
    LayeredIsing::builder(256, 96).couplings(couplings).tau_coupling(tau_coupling).update(update).build(kind).unwrap()
}

fn generator() -> Mt19937 {
    Mt19937::seeded(LANES, 5489).unwrap()
}

#[test]
fn only_making_allocates() {
    let mut spins = vec![1; 256 * 96];
    let mut overlaps = vec![0; 256];
    for form in FORMS {
        let (mut model, mut rng) = (paper_sized(form), generator());
        let used = calls(|| {
            model.sweep(&mut rng, beta(form, 0.3, 0.3), 3).unwrap();
            // A new temperature, and enough sweeps for ties in exact models.
            model.sweep(&mut rng, beta(form, -0.4, 0.4), 30).unwrap();
            model.spins(&mut spins).unwrap();
            model.set_spins(&spins).unwrap();
            let _ = model.energy();
            let _ = model.magnetisation();
            model.overlaps(&spins, &mut overlaps).unwrap();
            assert!(
                model.set_spins(&[]).is_err() && model.sweep(&mut rng, Beta { space: f32::NAN, tau: 0.0 }, 1).is_err()
            );
        });
        assert_eq!(used, 0, "{form:?}");
    }
    // Lattices whose boundaries are cut.
    for extents in [&[20, 20][..], &[6, 6, 6]] {
        let mut model = LayeredIsing::grid(2, extents, |_, _| 1.0).build(Kind::Bits).unwrap();
        assert!(model.blocks().is_some());
        let (mut rng, mut energies, mut sums) = (generator(), [0.0; 2], [0; 2]);
        let used = calls(|| {
            for space in [0.3, 0.4, -0.3] {
                model.sweep(&mut rng, Beta { space, tau: 0.0 }, 2).unwrap();
            }
            model.layer_energies(&mut energies, &mut sums).unwrap();
            let _ = model.energy();
        });
        assert_eq!(used, 0, "{extents:?}");
    }
    let mut rng = generator();
    let (mut bytes, mut numbers) = (vec![0; rng.state_len()], [0; 1000]);
    let used = calls(|| {
        rng.fill_u32(&mut numbers);
        rng.state_bytes(&mut bytes).unwrap();
        rng.set_state(&bytes).unwrap();
    });
    assert_eq!(used, 0);
    let ladder = [0.1, 0.2, 0.3].map(|space| Beta { space, tau: 0.3 });
    let models = [(); 3].map(|()| paper_sized(FORMS[0]));
    let mut exchange = ReplicaExchange::new(&ladder, 1).unwrap();
    let mut bytes = vec![0; exchange.state_len()];
    let used = calls(|| {
        assert_eq!(exchange.step(&models), Ok(1));
        let energies = models.each_ref().map(LayeredIsing::energy);
        assert_eq!(exchange.exchange(&energies), Ok(1));
        assert!(exchange.exchange(&energies[..2]).is_err() && exchange.beta(3).is_err());
        exchange.state_bytes(&mut bytes).unwrap();
        exchange.set_state(&bytes).unwrap();
    });
    assert_eq!(used, 0);
    assert!(FORMS.iter().all(|&form| calls(|| paper_sized(form)) > 0), "the counter counts");
}

#[test]
fn bit_planes_and_rows_allocate_nothing() {
    use hotloops::bitslice::{self, Layout, Store, dna};
    use hotloops::hamming::{self, BitRows, Hit, Near, Neighbour, PackedRows, Part, Similarity};

    let (mut block, mut distances) = (vec![5u32; 2048], [0; 1024]);
    let (src, mut back) = (vec![3u64; 3000], vec![0u64; 3000]);
    let mut planes = vec![0; bitslice::blocks_len::<u64>(3000, Layout::Rows2048).unwrap()];
    let (mut codes, mut reduced) = ([0; 32], [0; 8192]);
    let (mut counts, mut letters) = ([0; 64], [b'G'; 2000]);
    let bytes = vec![0x5a; 300 * 21];
    let rows = BitRows::new(&bytes, 300, 166, 21).unwrap();
    let mut packed = vec![0; hamming::packed_len(300, 166).unwrap()];
    let (mut out, mut scores) = (vec![0; 300 * 300], vec![0.0; 300 * 300]);
    let (mut hits, mut cursor) = ([Hit::default(); 100], 0);
    let (mut near, mut nearest) = ([Near::default(); 100], vec![Neighbour::default(); 3000]);
    let query = BitRows::new(&bytes, 1, 166, 21).unwrap();
    let used = calls(|| {
        bitslice::slice(&src, &mut planes, 375).unwrap();
        bitslice::unslice(&planes, 375, &mut back).unwrap();
        bitslice::slice_in_place(&mut block).unwrap();
        bitslice::gather_planes(&planes, 375, 64, &[1, 2], &mut back[..2]).unwrap();
        bitslice::count_ones(&src, &mut counts).unwrap();
        for store in [Store::Stream, Store::Cached] {
            bitslice::slice_blocks(&src, &mut planes, Layout::Rows2048, store).unwrap();
            bitslice::unslice_blocks(&planes, &mut back, Layout::Rows2048, store).unwrap();
        }
        dna::encode(&letters, &mut planes, 250).unwrap();
        dna::decode(&planes, 250, &mut letters).unwrap();
        hamming::slices_distance(&block, &mut distances).unwrap();
        hamming::planes_distance(&planes[..8192], &mut distances).unwrap();
        bitslice::classify(&distances, 2048, &mut codes).unwrap();
        let kept = bitslice::reduced_len(2048, &codes).unwrap();
        bitslice::reduce(&planes, 256, 2048, &codes, &mut reduced[..kept]).unwrap();
        bitslice::restore(&reduced[..kept], &codes, 2048, &mut planes, 256).unwrap();
        hamming::within(rows, 0..300, &mut out, 300, Part::Full).unwrap();
        hamming::pack(rows, &mut packed).unwrap();
        let packed = PackedRows::new(&packed).unwrap();
        hamming::cross(&packed, rows, &mut out, 300).unwrap();
        hamming::similarities(Similarity::Cosine, &packed, rows, 1.0, &mut scores, 300).unwrap();
        hamming::search(Similarity::Tanimoto, &packed, rows, 0.5, 1.0, &mut cursor, &mut hits).unwrap();
        hamming::search_near(&packed, rows, 9, &mut 0, &mut near).unwrap();
        hamming::distances_to(query, rows, &mut out[..300]).unwrap();
        hamming::similarities_to(Similarity::Dice, query, rows, 1.0, &mut scores[..300]).unwrap();
        hamming::nearest(rows, rows, 10, &mut nearest).unwrap();
        assert!(bitslice::slice(&src, &mut planes, 1).is_err());
    });
    assert_eq!(used, 0);
    assert_eq!(back, src);
}

#[test]
fn searches_of_an_index_allocate_little_and_once() {
    use hotloops::hamming::{BitRows, Condition, Index, Match, Measure, PairMatch, Searcher};

    let mut bytes = vec![0; 3000 * 21];
    let mut words = vec![0; bytes.len()];
    generator().fill_u32(&mut words);
    bytes.iter_mut().zip(&words).for_each(|(byte, word)| *byte = (word & word >> 8) as u8);
    let rows = BitRows::new(&bytes, 3000, 166, 21).unwrap();
    let mut memory = vec![0; Index::image_len(3000, 166).unwrap()];
    // Counts and orders of rows and bits, and a tile of columns.
    let (index, most) = most_held(|| Index::build(rows, &mut memory).unwrap());
    assert!(most <= 8 * 3000 + 16 * 167 + (36 << 10), "{most} bytes to build");

    let mut searcher = Searcher::new();
    let (mut hits, mut pairs) = (vec![Match::default(); 100], vec![PairMatch::default(); 100]);
    let mut searches = |query: usize| {
        for threshold in [0.3, 0.7] {
            let condition = Condition { measure: Measure::Tanimoto, threshold, empty: 1.0 };
            let query = &bytes[21 * query..][..21];
            let (mut one, mut batch, mut self_pairs) = (0, 0, 0);
            searcher.search(&[index], query, &condition, &mut one, &mut hits).unwrap();
            searcher.top(&[index], query, &condition, &mut hits).unwrap();
            searcher.batch(&[index], rows, &condition, &mut batch, &mut pairs).unwrap();
            searcher.pairs(&[index], rows, 0..3000, &condition, &mut self_pairs, &mut pairs).unwrap();
        }
    };
    let (_, most) = most_held(|| searches(0));
    assert!(most > 0 && most <= 1 << 20, "{most} bytes to search");
    assert_eq!(calls(|| (0..10).for_each(|_| searches(0))), 0);
}

#[test]
fn models_generators_and_exchanges_are_small() {
    const KIB: usize = 1024;
    let limits = [106, 202, 18, 90, 60, 48, 100, 244].map(|limit| limit * KIB);
    for (form, limit) in FORMS.into_iter().zip(limits) {
        let (mut model, bytes) = held(|| paper_sized(form));
        assert_eq!(model.heap_bytes(), bytes);
        assert!(bytes + size_of_val(&model) <= limit, "{form:?}: {bytes} bytes");
        model.sweep(&mut generator(), beta(form, 0.3, 0.3), 1).unwrap();
        assert_eq!(model.heap_bytes(), bytes);
    }
    // Couplings of 0 are not stored.
    let (model, bytes) = held(|| LayeredIsing::builder(7, 3).coupling(0, 2, 0.0).build(Kind::I8Exact).unwrap());
    assert_eq!((model.kind(), model.heap_bytes()), (Kind::I8Exact, bytes));
    let (rng, bytes) = held(generator);
    assert!(bytes + size_of_val(&rng) <= 40 * KIB, "{bytes} bytes");
    let ladder = [Beta { space: 0.3, tau: 0.3 }; 100];
    let (_exchange, bytes) = held(|| ReplicaExchange::new(&ladder, 1).unwrap());
    assert!(bytes <= 48 * ladder.len(), "{bytes} bytes");
}

#[test]
fn pair_correlations_hold_points_width_and_bins() {
    use hotloops::correlation::{Accumulator, Bins, Boundary, Image, Points, Psi};

    // Beyond a constant, memory is proportional to the points, the width or the bins.
    const FEW: usize = 4096;
    let (width, height) = (3000, 700);
    for n in [100, 20_000] {
        let (x, y): (Vec<i32>, Vec<i32>) = (0..n).map(|i| (i * 7919 % width, i * 104_729 % height)).unzip();
        let real = |values: &[i32]| values.iter().map(|&value| f64::from(value)).collect::<Vec<f64>>();
        let (n, width, psi) = (x.len(), width as usize, vec![Psi::ONE; x.len()]);
        let (real_x, real_y) = (real(&x), real(&y));

        let (image, making) = most_held(|| Image::new(&x, &y, &psi).unwrap());
        let rows = height as usize + 1;
        assert!(making <= 16 * n + 48 * rows + FEW, "{n} points: {making} bytes");
        let (_again, bytes) = held(|| Image::new(&x, &y, &psi).unwrap());
        assert!(bytes <= 8 * n + 48 * rows + FEW, "{n} points: {bytes} bytes");
        let k = 6;
        let (_order, making) = most_held(|| Psi::of_neighbours(&real_x, &real_y, Boundary::Open, k, 6).unwrap());
        assert!(making <= 64 * n + 384 * k + FEW, "{n} points: {making} bytes");

        for bins in [10, 1000] {
            let uniform = Bins::uniform(0.0, 300.0, 300.0 / f64::from(bins)).unwrap();
            let (mut pairs, bytes) = held(|| Accumulator::new(uniform.clone()).unwrap());
            let bins = uniform.len();
            assert!(bytes <= 64 * bins + FEW, "{bins} bins: {bytes} bytes");
            let ((), adding) = most_held(|| pairs.add_image_rows(&image, 0..20).unwrap());
            assert!(adding <= 32 * width + FEW, "{bins} bins: {adding} bytes");

            let boundary = Boundary::Periodic([width as f64, f64::from(height)]);
            let (points, making) = most_held(|| Points::new(&real_x, &real_y, &psi, boundary, 300.0).unwrap());
            assert!(making <= 64 * n + FEW, "{n} points: {making} bytes");
            let (_again, bytes) = held(|| points.clone());
            assert!(bytes <= 36 * n + FEW, "{n} points: {bytes} bytes");
            let apart = |values: &[f64]| values.iter().map(|x| 1e4 * x).collect::<Vec<_>>();
            let (apart_x, apart_y) = (apart(&real_x), apart(&real_y));
            let (_apart, making) = most_held(|| Points::new(&apart_x, &apart_y, &psi, Boundary::Open, 300.0).unwrap());
            assert!(making <= 100 * n + FEW, "{n} points, each in a cell of its own: {making} bytes");
            let ((), adding) = most_held(|| pairs.add_points_of_cells(&points, 0..2).unwrap());
            assert!(adding <= 100 * bins + FEW, "{bins} bins: {adding} bytes");
        }
    }
}

#[test]
fn sizes_beyond_memory_are_errors() {
    use hotloops::Error::{NoMemory, TooLarge};
    let build = |layers, sites| LayeredIsing::builder(layers, sites).build(Kind::F32Fast).unwrap_err();
    assert_eq!(build(usize::MAX, 2), TooLarge { argument: "layers" });
    assert_eq!(build(2, usize::MAX), TooLarge { argument: "sites" });
    assert_eq!(build(2, (1 << 26) + 1), TooLarge { argument: "sites" });
    assert_eq!(build(usize::MAX, 1), NoMemory);
    assert_eq!(build(usize::MAX / 128, 1), NoMemory);

    // Rows of exact models are numbered by 24 bits.
    let build = |layers, sites| LayeredIsing::builder(layers, sites).build(Kind::I8Exact).unwrap_err();
    assert_eq!(build(usize::MAX, 2), TooLarge { argument: "layers" });
    assert_eq!(build(2, (1 << 24) + 1), TooLarge { argument: "sites" });
    assert_eq!(build(usize::MAX - 1, 1), NoMemory);
}

#[test]
fn sums_allocate_nothing() {
    let x = vec![1.0f64; 100_000];
    let mut sum = Repro::new();
    let reductions = calls(|| {
        let plain = [reduce::sum(&x), reduce::asum(&x), reduce::dot(&x, &x).unwrap()];
        sum.extend(&x);
        let sums = [plain, [reduce::sum2(&x), reduce::kahan(&x), reduce::sum_repro(&x)]];
        assert_eq!(sums, [[1e5; 3]; 2]);
        assert_eq!(reduce::dot2(&x, &x), Ok(1e5));
    });
    assert_eq!(reductions, 0);
}

#[test]
fn products_allocate_nothing_in_a_workspace() {
    for (n, own) in [(4, 0), (40, 0), (160, 2)] {
        for strides in [Strides::row_major(n), Strides::column_major(n), Strides { row: 2, column: 2 * n as isize }] {
            let a = vec![1.0f32; 2 * n * n];
            let mut c = vec![0.0f32; 2 * n * n];
            let (alpha, options) = (0.5, Options::default());
            let plan = Plan::new([n; 3], strides, strides, strides, &options).unwrap();
            let mut workspace = vec![0; plan.workspace_bytes()];
            let view = MatRef::strided(&a, n, n, strides).unwrap();
            let mut target = MatMut::strided(&mut c, n, n, strides).unwrap();
            let in_workspace = calls(|| {
                gemm_in(alpha, view, view, 1.0, target.reborrow(), &options, Some(&mut workspace)).unwrap();
            });
            assert_eq!(in_workspace, 0, "{n}, {strides:?}");
            // `gemm` allocates and frees its own workspace.
            assert!(calls(|| gemm(alpha, view, view, 1.0, target.reborrow()).unwrap()) <= own, "{n}, {strides:?}");
            let mut memory = vec![0.0; PackedB::<f32>::len(n, n).unwrap()];
            let mut large = vec![0; 4 << 20];
            let packed = calls(|| {
                let b = PackedB::new(view, &mut memory, &options).unwrap();
                gemm_packed(alpha, view, &b, 1.0, target.reborrow(), &options, Some(&mut large)).unwrap();
            });
            assert_eq!(packed, 0, "{n}, {strides:?}");
            assert_eq!(calls(|| plan.run(alpha, &a, &a, 1.0, &mut c, &mut workspace).unwrap()), 0, "{n}, {strides:?}");
        }
    }
}

/// Layers allocate when they are planned and packed, and nothing in a call.
#[test]
fn clifford_layers_allocate_nothing_in_a_call() {
    use hotloops::clifford::{ConnectedProduct, Conv, Gate, GradeLinear, GradeMaps, Linear, Mode, Signature, Window};
    for squares in [&[1, 1][..], &[1, 1, 1], &[0, 1, 1, 1]] {
        let signature = Signature::new(squares).unwrap();
        let (batch, inputs, outputs, size) = (70, 5, 6, [4, 5]);
        // Enough for every array.
        let many = 1 << 20;
        let (x, other, numbers) = (vec![1.0f32; many], vec![2.0; many], signature.blades() * batch);
        let (mut z, mut gw, mut gbias) = (vec![0.0; many], vec![0.0; many], vec![0.0; many]);
        let (mut memory, mut workspace) = (vec![0.0; many], vec![0.0; 2 * many]);
        let (x, gy) = (&x[..numbers * inputs], &other[..numbers * outputs]);
        let mut y = vec![0.0; gy.len()];
        let (mut gx, mut gy_of_factor) = (vec![0.0; x.len()], vec![0.0; x.len()]);
        let weights = &other[..];
        let blades = signature.blades();
        for mode in [Mode::Exact, Mode::Fast] {
            let layer = Linear::new(signature, inputs, outputs, mode).unwrap();
            let n = blades * inputs * outputs;
            let packed = layer.pack(&weights[..n], None, &mut memory).unwrap();
            assert_eq!(calls(|| packed.forward(batch, x, &mut y, &mut workspace).unwrap()), 0);
            let packed = layer.pack_backward(&weights[..n], &mut memory).unwrap();
            assert_eq!(calls(|| packed.backward(batch, gy, &mut gx, &mut workspace).unwrap()), 0);
            let gradients = (&mut gw[..n], &mut gbias[..blades * outputs]);
            let used = calls(|| {
                layer.backward_weights(batch, x, gy, gradients.0, Some(gradients.1), &mut workspace).unwrap();
            });
            assert_eq!(used, 0);
            for stride in [1, 2] {
                let window = Window { stride: [stride; 2], padding: [1, 1], ..Window::new([3, 3]) };
                let conv = Conv::new(signature, inputs, outputs, window, mode).unwrap();
                let images = batch / 20;
                let points: usize = window.output_size(size).unwrap().iter().product();
                let x = &x[..images * 20 * inputs * blades];
                let gy = &gy[..images * points * outputs * blades];
                let (y, gx) = (&mut y[..gy.len()], &mut gx[..x.len()]);
                let n = 9 * blades * inputs * outputs;
                let packed = conv.pack(&weights[..n], None, &mut memory).unwrap();
                assert_eq!(calls(|| packed.forward(images, size, x, y, &mut workspace).unwrap()), 0);
                let packed = conv.pack_backward(&weights[..n], &mut memory).unwrap();
                assert_eq!(calls(|| packed.backward(images, size, gy, gx, &mut workspace).unwrap()), 0);
                let gradients = (&mut gw[..n], Some(&mut gbias[..blades * outputs]));
                let used = calls(|| conv.backward_weights(images, size, (x, gy), gradients, &mut workspace).unwrap());
                assert_eq!(used, 0);
            }
        }
        let layer = GradeLinear::new(signature, inputs, outputs, GradeMaps::WithNull).unwrap();
        let n = layer.maps() * inputs * outputs;
        let packed = layer.pack(&weights[..n], Some(&weights[..outputs]), &mut memory).unwrap();
        assert_eq!(calls(|| packed.forward(batch, x, &mut y, &mut workspace).unwrap()), 0);
        let packed = layer.pack_backward(&weights[..n], &mut memory).unwrap();
        assert_eq!(calls(|| packed.backward(batch, gy, &mut gx, &mut workspace).unwrap()), 0);
        let used = calls(|| layer.backward_weights(batch, x, gy, &mut gw[..n], None, &mut workspace).unwrap());
        assert_eq!(used, 0);

        let product = ConnectedProduct::new(signature, inputs, outputs).unwrap();
        let n = product.packed_len().unwrap();
        let packed = product.pack(&weights[..n], &mut memory).unwrap();
        assert_eq!(calls(|| packed.forward(batch, x, x, &mut y, &mut workspace).unwrap()), 0);
        let packed = product.pack_backward(&weights[..n], &mut memory).unwrap();
        let gradients = (&mut gx[..], &mut gy_of_factor[..]);
        assert_eq!(calls(|| packed.backward(batch, (x, x), gy, gradients, &mut workspace).unwrap()), 0);
        let used = calls(|| product.backward_weights(batch, (x, x), gy, &mut gw[..n], &mut workspace).unwrap());
        assert_eq!(used, 0);

        let gate = Gate::Linear { weights: &weights[..inputs * blades], bias: &weights[..inputs] };
        assert_eq!(calls(|| gate.apply(signature, x, &mut z[..x.len()]).unwrap()), 0);
    }
}

#[test]
fn no_workspace_is_larger_than_four_mebibytes() {
    for n in [1, 100, 1000, 10_000, 100_000] {
        for m in [1, 20, 5000, 1 << 20] {
            for k in [1, 300, 3000, 1 << 20] {
                for c in [Strides::row_major(n), Strides::column_major(m), Strides { row: 3 * n as isize, column: 3 }] {
                    let [a, b] = [Strides::column_major(m), Strides::column_major(k)];
                    let plan = Plan::<f64>::new([m, n, k], a, b, c, &Options::default()).unwrap();
                    assert!(plan.workspace_bytes() <= 4 << 20, "{m} x {n} x {k}: {}", plan.workspace_bytes());
                }
            }
        }
    }
}
