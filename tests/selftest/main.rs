//! Tests of the harness itself: seeded faults must be found, and clean code must pass.
#![cfg(all(unix, not(miri), any(target_arch = "x86_64", target_arch = "aarch64")))]

#[allow(dead_code)] // it does not change arguments
#[path = "../harness/abi.rs"]
mod abi;
#[path = "../harness/child.rs"]
mod child;
#[path = "../harness/guard.rs"]
mod guard;

use guard::{Guarded, Side};
use std::panic::catch_unwind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Clean functions return `a + b + c`. Faulty ones may return anything.
type Function = unsafe extern "C" fn(a: u32, b: u32, c: f32) -> u64;
/// Copies `n` bytes. Faulty copiers access more.
type Copier = unsafe extern "C" fn(src: *const u8, dst: *mut u8, n: usize);
type Functions<F = Function> = Vec<(&'static str, F)>;
const SIGNATURE: &str = "unsafe fn(a: u32, b: u32, c: f32) -> u64";

/// The result of each pass, starting with the pass that fills upper halves with ones.
fn call(function: Function) -> Vec<u64> {
    let mut results = Vec::new();
    // SAFETY: the functions follow the ABI, except for faults that the checker survives.
    abi::checked(function, SIGNATURE, None, |f| results.push(unsafe { f(1, 2, 3.0) }));
    results
}

/// Held by tests that panic and by forks: a child inherits the locks of a panic, but not the thread
/// that would release them.
static PANICS: Mutex<()> = Mutex::new(());

fn panic_message(action: impl FnOnce() + std::panic::UnwindSafe) -> String {
    let _alone = PANICS.lock();
    *catch_unwind(action).expect_err("not caught").downcast::<String>().unwrap()
}

/// Named functions with these bodies.
macro_rules! functions {
    ($($name:expr => $($line:expr),+;)*) => {
        vec![$(($name, {
            #[unsafe(naked)]
            unsafe extern "C" fn code(_: u32, _: u32, _: f32) -> u64 {
                std::arch::naked_asm!($($line),+, "ret")
            }
            code as Function
        })),*]
    };
}

/// Named copiers with this vector load, and these lines before the remaining bytes.
macro_rules! copiers {
    ($($name:expr => $load:expr, $tail:expr;)*) => {
        vec![$(($name, {
            #[unsafe(naked)]
            unsafe extern "C" fn code(_: *const u8, _: *mut u8, _: usize) {
                std::arch::naked_asm!(copier!($load, $tail))
            }
            code as Copier
        })),*]
    };
}

/// Functions whose bodies differ in one operand, which is also the function's name.
macro_rules! each {
    ($before:literal $after:literal: $($name:literal)+) => {
        functions! { $($name => concat!($before, $name, $after);)+ }
    };
}

#[cfg(target_arch = "x86_64")]
#[path = "x86_64.rs"]
mod machine;

#[cfg(target_arch = "aarch64")]
#[path = "aarch64.rs"]
mod machine;

unsafe extern "C" fn add(a: u32, b: u32, c: f32) -> u64 {
    u64::from(a) + u64::from(b) + c as u64
}

#[test]
fn clean_functions_pass() {
    for (name, function) in machine::clean().into_iter().chain([("Rust", add as Function)]) {
        assert!(call(function).iter().all(|&sum| sum == 6), "{name}");
    }
}

#[test]
fn arguments_arrive() {
    type Mixed =
        unsafe extern "C" fn(*const u8, f64, u32, f32, u64, u8, i64, usize, bool, u64, u32, f64, i32, i8, u16) -> f64;
    #[rustfmt::skip]
    unsafe extern "C" fn mixed(
        a: *const u8, x: f64, b: u32, y: f32, c: u64, d: u8, e: i64, f: usize, g: bool, h: u64,
        i: u32, z: f64, j: i32, k: i8, l: u16,
    ) -> f64 {
        let digits = [
            a as u64 as f64, b.into(), c as f64, d.into(), e as f64, f as f64, g.into(), h as f64,
            i.into(), j.into(), k.into(), l.into(),
        ];
        digits.iter().fold(x + f64::from(y) + z, |sum, n| 10.0 * sum + n)
    }
    let signature = "unsafe fn mixed(a : * const [(u8, u8) ; 2], x : f64, b : u32, y : f32, \
        c : u64, d : u8, e : i64, f : usize, g : bool, h : u64, i : u32, z : f64, j : i32, \
        k : i8, l : u16) -> f64";
    let pointer = std::ptr::without_provenance(3);
    // SAFETY: the pointer is not dereferenced.
    let result = abi::checked(mixed as Mixed, signature, None, |f| unsafe {
        f(pointer, 0.25, 1, -0.5, 2, 4, 5, 6, true, 8, 9, 0.25, 7, 3, 1)
    });
    assert_eq!(result, 312_456_189_731.0);
}

#[test]
fn results_in_two_registers_return() {
    #[repr(C)]
    #[derive(Debug, PartialEq)]
    struct Pair<T>(T, T);
    unsafe extern "C" fn swap<T>(a: T, b: T) -> Pair<T> {
        Pair(b, a)
    }
    type Swap<T> = unsafe extern "C" fn(T, T) -> Pair<T>;
    // SAFETY: `swap` has no preconditions.
    unsafe {
        let integers = abi::checked(swap as Swap<u64>, "fn(a: u64, b: u64)", None, |f| f(1, 2));
        let floats = abi::checked(swap as Swap<f64>, "fn(a: f64, b: f64)", None, |f| f(1.0, 2.0));
        assert_eq!((integers, floats), (Pair(2, 1), Pair(2.0, 1.0)));
    }
}

#[test]
fn corrupters_are_caught() {
    for (name, function) in machine::corrupters() {
        let by_hand = Some(abi::ByHand { stack: 128 });
        let message = panic_message(move || {
            // SAFETY: as in `call`.
            abi::checked(function, SIGNATURE, by_hand, |f| _ = unsafe { f(1, 2, 3.0) });
        });
        assert!(message.contains(&format!("call 1: {name} ")), "{name}: {message}");
        assert!(!message.contains(';'), "{name}: {message}");
    }
}

/// Calls the function as assembly that declares `stack` bytes of stack.
fn call_by_hand(function: Function, stack: usize) {
    // SAFETY: as in `call`.
    abi::checked(function, SIGNATURE, Some(abi::ByHand { stack }), |f| {
        // SAFETY: as in `call`.
        (0..8).for_each(|_| _ = unsafe { f(1, 2, 3.0) })
    });
}

#[test]
fn writes_below_the_stack_pointer_are_caught() {
    for (bytes, function) in machine::diggers() {
        call_by_hand(function, bytes);
        let words = bytes.div_ceil(8);
        for declared in [0, 8 * (words - 1)] {
            let message = panic_message(move || call_by_hand(function, declared));
            let found = format!("call 1: stack written {} bytes below the stack pointer", 8 * words);
            assert!(message.contains(&found), "{bytes}, {declared} declared: {message}");
        }
        call(function);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn skipped_pages_of_a_frame_are_caught() {
    // SAFETY: no preconditions.
    if unsafe { libc::sysconf(libc::_SC_PAGESIZE) } != 4096 {
        return println!("not run: pages have other sizes here");
    }
    for (bytes, function) in machine::skippers() {
        let message = panic_message(move || call_by_hand(function, bytes));
        assert!(message.contains(" touched before the one above it"), "{bytes}: {message}");
    }
    // The faults of others keep their handler.
    call_by_hand(machine::diggers().pop().unwrap().1, 8192);
    // SAFETY: the fault ends the child that `faults` forks.
    let reads = || _ = unsafe { std::ptr::without_provenance::<u8>(4096).read_volatile() };
    assert!(faults(reads));
}

#[test]
fn the_stack_pointer_has_every_phase() {
    let mut phases = Vec::new();
    let (_, phase) = machine::phase()[0];
    // SAFETY: as in `call`.
    abi::checked(phase, SIGNATURE, None, |f| phases.extend((0..8).map(|_| unsafe { f(1, 2, 3.0) })));
    for four in phases.chunks_exact(4) {
        assert!([0, 16, 32, 48].iter().all(|phase| four.contains(phase)), "{phases:?}");
    }
    // A case that alternates between two kinds of calls runs both in every phase.
    assert!((0..4).all(|i| phases[i] != phases[i + 4]), "{phases:?}");
    assert!(status(|| call_by_hand(machine::wants_an_aligned_stack()[0].1, 0)) != 0);
}

#[test]
fn the_first_bad_call_is_named() {
    let (_, function) = machine::breaks_with_a()[0];
    let message = panic_message(move || {
        // SAFETY: as in `call`.
        abi::checked(function, SIGNATURE, None, |f| [0, 1, 0, 2].map(|a| unsafe { f(a, 2, 3.0) }));
    });
    assert!(message.contains("call 2: "), "{message}");
}

#[test]
fn dirty_upper_halves_are_caught() {
    let passes = call(add).len();
    for (name, function) in machine::leavers_of_dirty_upper_halves() {
        if passes > 1 {
            let message = panic_message(move || drop(call(function)));
            assert!(message.contains("call 1: upper halves"), "{name}: {message}");
        }
    }
}

#[test]
fn registers_never_set_change_the_result() {
    for (name, function) in machine::readers() {
        assert_eq!(call(function)[0], u64::MAX, "{name}");
    }
}

#[test]
fn calls_past_the_pointer_are_refused() {
    let message = panic_message(|| abi::checked(add as Function, SIGNATURE, None, |_| ()));
    assert!(message.contains("never called"), "{message}");
}

#[test]
fn structures_by_value_are_refused() {
    let message = panic_message(|| abi::checked(add as Function, "fn f(x: [u8; 16])", None, |_| ()));
    assert!(message.contains("does not know the type [u8; 16]"), "{message}");
}

/// The wait status of a child process that runs `action`; 0 on success.
fn status(action: impl FnOnce()) -> libc::c_int {
    let _alone = PANICS.lock();
    child::status(action)
}

/// Whether `action` kills a child process with an access fault.
fn faults(action: impl FnOnce()) -> bool {
    child::is_fault(status(action))
}

/// Whether the copier copies exactly, without other accesses, for every length and every distance
/// from an inaccessible page.
fn survives(copier: Copier) -> bool {
    let data: Vec<u8> = (1..=67).collect();
    let mut buffers = Vec::new();
    for (side, slack) in (0..64).flat_map(|slack| [(Side::Start, slack), (Side::End, slack)]) {
        for n in [slack, 67 - slack] {
            let output = Guarded::new(&vec![0; n], side, 7 * slack % 64);
            buffers.push((Guarded::new(&data[..n], side, slack), output));
        }
    }
    let copy = |(mut input, mut output): (Guarded<u8>, Guarded<u8>)| {
        let expected = input.to_vec();
        // SAFETY: `n` bytes on both sides. A faulty access happens in the child.
        unsafe { copier(input.as_ptr(), output.as_mut_ptr(), expected.len()) };
        assert!(input.to_vec() == expected && output.to_vec() == expected);
        input.check();
        output.check();
    };
    status(|| buffers.into_iter().for_each(copy)) == 0
}

#[test]
fn trespassers_are_caught() {
    for (name, copier) in machine::copies() {
        assert!(survives(copier), "{name}");
    }
    for (fault, copier) in machine::trespassers() {
        assert!(!survives(copier), "{fault}");
    }
}

#[test]
fn alignment_that_nobody_promised_is_caught() {
    let faulty = machine::wants_alignment();
    // Far from any page boundary, so that only misalignment can fault.
    let data = [0; 65];
    let odd = data[..].as_ptr().wrapping_add(usize::from(data.as_ptr().addr().is_multiple_of(2)));
    let mut copy = [0; 65];
    // SAFETY: 64 bytes on both sides.
    if !faulty.iter().any(|(_, copier)| faults(|| unsafe { copier(odd, copy.as_mut_ptr(), 64) })) {
        return println!("not run: this machine does not enforce alignment (an emulator?)");
    }
    for (fault, copier) in faulty {
        assert!(!survives(copier), "{fault}");
    }
}

fn guards_hold<T: Copy>(values: &[T]) {
    // SAFETY: the access may fault, but in a child.
    let reads = |address: *const T| faults(|| _ = unsafe { address.read_volatile() });
    // SAFETY: as above.
    let writes = |address: *mut T| faults(|| unsafe { address.write_volatile(values[0]) });
    let mut buffer = Guarded::new(values, Side::End, 0);
    let first = buffer.as_mut_ptr();
    let end = first.wrapping_add(values.len());
    assert!(!reads(first) && !reads(end.wrapping_sub(1)) && !writes(end.wrapping_sub(1)));
    assert!(reads(end) && writes(end));
    let mut buffer = Guarded::new(values, Side::Start, 0);
    let first = buffer.as_mut_ptr();
    assert!(!reads(first) && !writes(first));
    assert!(reads(first.wrapping_sub(1)) && writes(first.wrapping_sub(1)));
    assert!(reads(Guarded::new(&values[..0], Side::End, 0).as_ptr()));
}

#[test]
fn children_wait_for_no_lock_of_their_parents() {
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Relaxed) {
                drop(Guarded::new(&[1], Side::End, 0));
            }
        });
        let children = (0..500).filter(|_| status(|| drop(Guarded::new(&[1], Side::End, 0))) != 0).count();
        done.store(true, Relaxed);
        assert_eq!(children, 0);
    });
}

#[test]
fn guard_pages_fault() {
    guards_hold(&[1u8, 2, 3]);
    guards_hold(&[1.0f32; 5000]);
    guards_hold(&[[1u64; 3]; 7]);
}

#[test]
fn buffers_hold_their_values() {
    let values: Vec<u32> = (0..100).collect();
    for (side, slack) in (0..64).flat_map(|slack| [(Side::Start, slack), (Side::End, slack)]) {
        let mut buffer = Guarded::new(&values, side, slack);
        assert_eq!(buffer.to_vec(), values);
        if slack % 4 == 0 {
            buffer.as_mut_slice()[99] = 7;
            assert_eq!(buffer.as_slice()[98..], [98, 7]);
        }
        buffer.set(&values);
        assert_eq!(buffer.to_vec(), values);
    }
}

#[test]
fn canaries_around_the_data_are_watched() {
    for (side, offset) in [(Side::End, -1), (Side::End, 20), (Side::End, 22), (Side::Start, -1)] {
        let message = panic_message(|| {
            let mut buffer = Guarded::new(&[1u32; 5], side, 3);
            // SAFETY: inside the accessible page.
            unsafe { *buffer.as_mut_ptr().cast::<u8>().offset(offset) ^= 1 };
        });
        assert!(message.contains(&format!("byte {offset} of")), "{message}");
    }
}
