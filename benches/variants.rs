//! Every variant that this CPU can execute, as `family/kernel/isa_form`, with its throughput in elements.
//!
//! At the end the rows of each kernel are timed again, interleaved. This prints cycles per element,
//! the share of the banner's bound, and a warning if a row is faster than one above it, which
//! dispatch prefers.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use criterion::{Criterion, Throughput};
use hotloops_bench_support::variants::{self, CASES, Row};

/// The system's allocator, counted.
struct Counted;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static ALLOCATOR: Counted = Counted;

// SAFETY: the system's allocator does the work.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Relaxed);
        // SAFETY: the caller's contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's contract.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// The rows of a kernel in turn, for half a second.
fn in_turn(name: &str, rows: &mut [Row]) {
    let cells = variants::measure(rows.iter_mut().map(|row| &mut row.work), Duration::from_millis(500));
    for (row, cell) in rows.iter().zip(&cells) {
        let share = row.bound.map(|bound| format!(", {:.0} % of the bound", 100.0 * bound.cycles / cell.least));
        let row = format!("{name}/{}", row.name());
        println!("{row:50}{:10.3} cycles per {}{}", cell.least, rows[0].work.unit, share.unwrap_or_default());
    }
    for (late, lower) in cells.iter().enumerate() {
        for (early, upper) in cells[..late].iter().enumerate() {
            let gain = upper.median / lower.median - 1.0;
            if gain > 0.03 {
                let [early, late] = [early, late].map(|row| rows[row].name());
                println!("warning: {name}: {late} is {:.0} % faster than {early}, which stands above it", 100.0 * gain);
            }
        }
    }
}

fn main() {
    let measured = std::env::args().any(|word| word == "--bench") && !std::env::args().any(|word| word == "--test");
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .configure_from_args();
    let mut ran_whole: Vec<(String, Vec<Row>)> = Vec::new();
    for case in CASES {
        let (name, mut rows) = (case.name(), case.rows());
        let mut group = criterion.benchmark_group(&name);
        let all_ran = Cell::new(true);
        for row in &mut rows {
            let variant = row.name();
            let before = ALLOCATIONS.load(Relaxed);
            (row.work.call)();
            assert_eq!(ALLOCATIONS.load(Relaxed), before, "{name}/{variant} allocates");
            let ran = Cell::new(false);
            group.throughput(Throughput::Elements(row.work.elements as u64));
            group.bench_function(variant, |bencher| {
                ran.set(true);
                bencher.iter(&mut row.work.call);
            });
            all_ran.set(all_ran.get() && ran.get());
        }
        group.finish();
        if measured && all_ran.get() {
            ran_whole.push((name, rows));
        }
    }
    criterion.final_summary();
    for (name, mut rows) in ran_whole {
        in_turn(&name, &mut rows);
    }
}
