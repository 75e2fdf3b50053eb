//! Memory is allocated where a model, a generator or an exchange is made, and nowhere else; and it is little.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use hotloops::ising::{Beta, Kind, LANES, LayeredIsing, ReplicaExchange, Update};
use hotloops::random::Mt19937;

/// Counts the calls and the bytes that this thread holds.
struct Counting;

thread_local! {
    static CALLS: Cell<usize> = const { Cell::new(0) };
    static HELD: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    CALLS.set(CALLS.get() + 1);
    HELD.set(HELD.get() + bytes);
}

// SAFETY: the system's allocator with counters beside it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as isize - layout.size() as isize);
        unsafe { System.realloc(pointer, layout, size) }
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

/// What `make` returns, and the bytes that it holds.
fn held<T>(make: impl FnOnce() -> T) -> (T, usize) {
    let before = HELD.get();
    let made = make();
    (made, (HELD.get() - before) as usize)
}

/// 256 layers of 96 spins with as many couplings as 4 x 3 whole Chimera cells have: 260.
fn paper_sized(update: Update) -> LayeredIsing {
    let couplings = (0..260).map(|k| (k % 96, (k + 1 + k / 96) % 96, 0.25 * (k % 5) as f32));
    LayeredIsing::builder(256, 96).couplings(couplings).update(update).build(Kind::F32Poly).unwrap()
}

fn generator() -> Mt19937 {
    Mt19937::seeded(LANES, 5489).unwrap()
}

#[test]
fn only_making_allocates() {
    let mut spins = vec![1; 256 * 96];
    for update in [Update::Gather, Update::Scatter] {
        let (mut model, mut rng) = (paper_sized(update), generator());
        let used = calls(|| {
            model.sweep(&mut rng, Beta { space: 0.3, tau: 0.3 }, 3).unwrap();
            model.spins(&mut spins).unwrap();
            model.set_spins(&spins).unwrap();
            model.energy();
            assert!(
                model.set_spins(&[]).is_err() && model.sweep(&mut rng, Beta { space: f32::NAN, tau: 0.0 }, 1).is_err()
            );
        });
        assert_eq!(used, 0, "{update:?}");
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
    let models = [(); 3].map(|()| paper_sized(Update::Gather));
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
    assert!(calls(|| paper_sized(Update::Gather)) > 0, "the counter counts");
}

#[test]
fn models_generators_and_exchanges_are_small() {
    const KIB: usize = 1024;
    for (update, limit) in [(Update::Gather, 104 * KIB), (Update::Scatter, 200 * KIB)] {
        let (model, bytes) = held(|| paper_sized(update));
        assert_eq!(model.heap_bytes(), bytes);
        assert!(bytes + size_of_val(&model) <= limit, "{update:?}: {bytes} bytes");
    }
    let (rng, bytes) = held(generator);
    assert!(bytes + size_of_val(&rng) <= 40 * KIB, "{bytes} bytes");
    let ladder = [Beta { space: 0.3, tau: 0.3 }; 100];
    let (_exchange, bytes) = held(|| ReplicaExchange::new(&ladder, 1).unwrap());
    assert!(bytes <= 48 * ladder.len(), "{bytes} bytes");
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
}
