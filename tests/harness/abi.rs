//! The call checker. Calls go through a trampoline with the function's own signature. It writes
//! patterns to the callee-saved registers, sets all bits that carry no argument to ones, and
//! switches to its own stack with canaries above and below the frame. After the call it checks
//! everything that the ABI preserves. Four consecutive calls use the four phases of the stack
//! pointer: 0, 16, 32 and 48 modulo 64.

use std::mem::transmute_copy;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

#[cfg(all(target_os = "linux", not(miri)))]
#[path = "pages.rs"]
mod pages;

#[cfg(all(unix, not(miri), target_arch = "x86_64"))]
#[path = "abi_x86_64.rs"]
mod machine;

#[cfg(all(unix, not(miri), target_arch = "aarch64"))]
#[path = "abi_aarch64.rs"]
mod machine;

/// On other targets the calls are made without checks.
#[cfg(not(all(unix, not(miri), any(target_arch = "x86_64", target_arch = "aarch64"))))]
mod machine {
    pub const INTEGER_ARGUMENTS: usize = 8;
    pub const BELOW: usize = 0;
    pub const TRAMPOLINES: [Option<unsafe extern "C" fn()>; super::SLOTS] = [None; super::SLOTS];
    pub const KEPT: [(&str, u64); 0] = [];
    pub const EXPECTED: [u64; 0] = [];

    pub fn passes() -> Vec<(&'static str, u64)> {
        Vec::new()
    }
}

/// Number of checks that can run at a time, each with a trampoline, a state and a stack.
pub const SLOTS: usize = 4;
const STACK_WORDS: usize = 9;
/// Apple's arguments on the stack take as many bytes as they have.
const UNDEFINED_ON_STACK: bool = cfg!(target_os = "linux");
const CANARY: u64 = 0xc3a5_963c_5a69_0ff1;
/// Number of checked words above the stack pointer of a call. Stack arguments come first.
const FRAME: usize = 16;
/// Number of checked words below the deepest word that a function may write.
const WATCHED: usize = 1024;
/// Largest stack of a variant, in bytes. Compiled code may use all of it. Without optimisation, each vector of an
/// intrinsic lives in memory.
pub const LARGEST_STACK: usize = if IS_OPTIMISED { 48 << 10 } else { 1 << 20 };
const IS_OPTIMISED: bool = env!("HOTLOOPS_OPT_LEVEL").as_bytes()[0] != b'0';

/// An assembly function. The compiler does not enforce these limits.
#[derive(Clone, Copy)]
pub struct ByHand {
    /// Bytes that it may write below its caller's stack pointer, excluding the return address.
    pub stack: usize,
}

const PAGE: usize = 4096;

/// The stack of the checked calls, from the deepest checked word to the last word of the frame in
/// any phase. Whole pages, so that those below the stack pointer can be closed.
#[repr(C, align(4096))]
struct Stack([u64; TOP + PAGE / 8]);

static mut STACKS: [Stack; SLOTS] = [const { Stack([CANARY; TOP + PAGE / 8]) }; SLOTS];
/// Index of the word at the stack pointer of a call in phase 0: the first word of a page, so that a
/// frame reaches as many pages as it can.
const TOP: usize = (WATCHED + (LARGEST_STACK + PAGE) / 8).next_multiple_of(PAGE / 8);

/// A change to one argument on its way to the function: the kept bits, and those that become 1.
#[derive(Clone, Copy)]
pub struct Change {
    pub argument: usize,
    pub keep: u64,
    pub set: u64,
}

/// State that a trampoline reads and writes.
#[repr(C)]
#[derive(Clone, Copy)]
struct State {
    function: *const (),
    calls: usize,
    stack_words: usize,
    mode: u64,
    /// One word per `machine::KEPT`, before the call and after it.
    expected: [u64; machine::KEPT.len()],
    found: [u64; machine::KEPT.len()],
    /// Bits of the argument registers that no argument defines; the trampoline sets them.
    integer: [u64; 8],
    vector: [u128; 16],
    /// Bits of the argument registers that reach the function; of the stack arguments, also those
    /// that are set.
    keep: [u64; 8],
    stack_keep: [u64; STACK_WORDS],
    stack_set: [u64; STACK_WORDS],
    /// The stack pointer of the next call, and the caller's stack pointer.
    top: usize,
    caller: usize,
    by_hand: Option<ByHand>,
    slot: usize,
}

static mut STATES: [State; SLOTS] = [const { State::new(std::ptr::null(), 0) }; SLOTS];
/// The first call of a slot that broke the ABI.
static REPORTS: [Mutex<String>; SLOTS] = [const { Mutex::new(String::new()) }; SLOTS];

/// A slot that no other thread uses, while its guard is held.
fn free_slot() -> (usize, MutexGuard<'static, ()>) {
    static IN_USE: [Mutex<()>; SLOTS] = [const { Mutex::new(()) }; SLOTS];
    let free = IN_USE.iter().enumerate().find_map(|(slot, lock)| match lock.try_lock() {
        Ok(guard) => Some((slot, guard)),
        Err(TryLockError::Poisoned(error)) => Some((slot, error.into_inner())),
        Err(TryLockError::WouldBlock) => None,
    });
    free.unwrap_or_else(|| (0, IN_USE[0].lock().unwrap_or_else(PoisonError::into_inner)))
}

impl State {
    const fn new(function: *const (), slot: usize) -> Self {
        Self {
            function,
            calls: 0,
            stack_words: 0,
            mode: 0,
            expected: machine::EXPECTED,
            found: machine::EXPECTED,
            integer: [u64::MAX; 8],
            vector: [u128::MAX; 16],
            keep: [u64::MAX; 8],
            stack_keep: [u64::MAX; STACK_WORDS],
            stack_set: [0; STACK_WORDS],
            top: 0,
            caller: 0,
            by_hand: None,
            slot,
        }
    }

    /// Places the arguments of `signature` in registers and on the stack, as the C ABI does.
    fn place(&mut self, signature: &str, change: Option<Change>) {
        let (mut integers, mut floats) = (0, 0);
        for (index, (_, kind)) in arguments(signature).enumerate() {
            let (float, bits) = class(kind);
            let (keep, set) = match change {
                Some(change) if change.argument == index => (change.keep, change.set),
                _ => (u64::MAX, 0),
            };
            let (used, registers) = match float {
                true => (&mut floats, 8),
                false => (&mut integers, machine::INTEGER_ARGUMENTS),
            };
            match *used {
                n if n >= registers => {
                    self.stack_keep[self.stack_words] = keep;
                    // Nothing defines the upper half of a word with 32 bits.
                    let undefined = if UNDEFINED_ON_STACK { u64::MAX.checked_shl(bits).unwrap_or(0) } else { 0 };
                    self.stack_set[self.stack_words] = set | undefined;
                    self.stack_words += 1;
                }
                n if float => self.vector[n] <<= bits,
                n => {
                    self.keep[n] = keep;
                    self.integer[n] = set | u64::MAX.checked_shl(bits).unwrap_or(0);
                }
            }
            *used += 1;
        }
        assert!(self.stack_words <= STACK_WORDS, "{signature}: too many arguments on the stack");
    }

    /// How many words the stack pointer of the next call is above `TOP`. Each block of four calls
    /// starts at a different phase, so a case that alternates between two kinds of calls runs both
    /// in every phase. In every other block the words that a function pushes at its start stay in
    /// the page of `TOP`, so that they don't touch the page below for it.
    fn phase(&self) -> usize {
        let block = self.calls / 4;
        (self.calls + block) % 4 * 2 + block % 2 * 8
    }

    /// Lowest word that the function may write.
    fn deepest(&self) -> usize {
        let stack = self.by_hand.map_or(LARGEST_STACK, |hand| hand.stack);
        TOP + self.phase() - (stack + machine::BELOW).div_ceil(8)
    }

    /// The words of the slot's stack. Nothing else may use them meanwhile.
    fn stack(&self) -> *mut [u64; size_of::<Stack>() / 8] {
        // SAFETY: the slot exists.
        unsafe { &raw mut STACKS[self.slot].0 }
    }

    /// Puts the stack pointer in the phase of the next call, with canaries around its frame.
    fn next_call(&mut self) {
        // SAFETY: nothing else uses the stack between two calls.
        let stack = unsafe { &mut *self.stack() };
        let top = TOP + self.phase();
        stack[top..top + FRAME].fill(CANARY);
        self.top = (&raw const stack[top]).addr();
        // The previous call, in another phase, may have written slightly deeper.
        let deepest = self.deepest();
        stack[deepest - 16..deepest].fill(CANARY);
        #[cfg(all(target_os = "linux", not(miri)))]
        if self.by_hand.is_some_and(|hand| hand.stack + machine::BELOW > PAGE) {
            pages::close(self.slot, self.stack().cast(), TOP * 8 / PAGE);
        }
    }

    fn violations(&self) -> Vec<String> {
        let mut list = Vec::new();
        #[cfg(all(target_os = "linux", not(miri)))]
        if let Some(bytes) = pages::open(self.slot) {
            list.push(format!("the page {bytes} bytes below the stack pointer touched before the one above it"));
        }
        for (i, (name, mask)) in machine::KEPT.iter().enumerate() {
            let (expected, found) = (self.expected[i] & mask, self.found[i] & mask);
            // Compilers for Linux may use x18.
            if expected != found && (*name != "x18" || self.by_hand.is_some()) {
                list.push(format!("{name} changed from {expected:#x} to {found:#x}"));
            }
        }
        // SAFETY: the call is over.
        let stack = unsafe { &mut *self.stack() };
        let top = TOP + self.phase();
        for (i, &word) in stack[top..top + FRAME].iter().enumerate().skip(self.stack_words) {
            if word != CANARY {
                list.push(format!("stack word {i} of the caller overwritten with {word:#x}"));
            }
        }
        let deepest = self.deepest();
        let watched = &mut stack[deepest - WATCHED..deepest];
        // All words are intact if the first one is and each equals its predecessor.
        if watched[0] != CANARY || watched[1..] != watched[..WATCHED - 1] {
            let lowest = deepest - WATCHED + watched.iter().position(|&word| word != CANARY).unwrap();
            list.push(format!("stack written {} bytes below the stack pointer", 8 * (top - lowest) - machine::BELOW));
            watched.fill(CANARY);
        }
        list
    }
}

/// Offset in `STATES` of a field of the slot's state.
const fn of_slot(slot: usize, field: usize) -> usize {
    slot * size_of::<State>() + field
}

/// Runs after each call of a slot. It must not panic, because the trampoline cannot be unwound.
extern "C" fn note<const SLOT: usize>() {
    // SAFETY: the slot's trampoline runs under the slot's lock and no longer uses the state.
    let state = unsafe { &mut STATES[SLOT] };
    let list = state.violations();
    state.calls += 1;
    state.next_call();
    let mut report = REPORTS[SLOT].lock().unwrap_or_else(PoisonError::into_inner);
    if !list.is_empty() && report.is_empty() {
        *report = format!("call {}: {}", state.calls, list.join("; "));
    }
}

/// Names and types of the arguments of a signature such as `unsafe fn name(x: *const f32, n: usize) -> f32`.
pub fn arguments(signature: &str) -> impl Iterator<Item = (&str, &str)> {
    let arguments = signature.split_once('(').map_or("", |(_, rest)| rest);
    let mut depth = 0;
    let end = arguments.find(|c| {
        depth += (c == '(') as i32 - (c == ')') as i32;
        depth < 0
    });
    let mut depth = 0;
    arguments[..end.unwrap_or(arguments.len())]
        .split(move |c| {
            depth += matches!(c, '(' | '[' | '<') as i32 - matches!(c, ')' | ']' | '>') as i32;
            c == ',' && depth == 0
        })
        .filter_map(|argument| argument.split_once(':'))
        .map(|(name, kind)| (name.trim(), kind.trim()))
}

/// Whether a type is passed in a vector register, and how many register bits it defines.
pub fn class(kind: &str) -> (bool, u32) {
    match kind {
        "f32" => (true, 32),
        "f64" => (true, 64),
        "u64" | "i64" | "usize" | "isize" => (false, 64),
        "bool" | "u8" | "i8" | "u16" | "i16" | "u32" | "i32" => (false, 32),
        _ if kind.starts_with(['*', '&']) => (false, 64),
        _ => panic!("the call checker does not know the type {kind}"),
    }
}

/// Runs `calls` with a pointer that calls `function` through the trampoline, once per pass that
/// applies to this CPU. Panics if a call broke the ABI.
///
/// `F` must be an `extern "C"` function pointer without structures by value, and `signature` must
/// state its argument types. `calls` must use the pointer from one thread only.
pub fn checked<F: Copy, R>(function: F, signature: &str, by_hand: Option<ByHand>, mut calls: impl FnMut(F) -> R) -> R {
    const { assert!(size_of::<F>() == size_of::<*const ()>()) };
    let (slot, _guard) = free_slot();
    if machine::TRAMPOLINES[slot].is_none() {
        return calls(function);
    }
    let mut result = None;
    for (pass, mode) in machine::passes() {
        let _pass = Pass(pass);
        REPORTS[slot].lock().unwrap_or_else(PoisonError::into_inner).clear();
        let mut state = State::new(std::ptr::null(), slot);
        (state.mode, state.by_hand) = (mode, by_hand);
        state.place(signature, None);
        result = Some(through(state, function, &mut calls));
        // SAFETY: the state is the slot's.
        assert_ne!(unsafe { (&raw const STATES[slot].calls).read_volatile() }, 0, "{signature}: never called");
        let report = REPORTS[slot].lock().unwrap_or_else(PoisonError::into_inner).clone();
        assert!(report.is_empty(), "{signature}: {report}");
    }
    result.unwrap()
}

/// Runs `calls` with a pointer that calls `function` with one argument changed, without checks of
/// the ABI; returns `None` where there is no trampoline. `calls` may end in a child process.
pub fn changed<F: Copy, R>(function: F, signature: &str, change: Change, calls: impl FnOnce(F) -> R) -> Option<R> {
    const { assert!(size_of::<F>() == size_of::<*const ()>()) };
    let (slot, _guard) = free_slot();
    machine::TRAMPOLINES[slot]?;
    let mut state = State::new(std::ptr::null(), slot);
    state.place(signature, Some(change));
    Some(through(state, function, calls))
}

/// Runs `calls` with the trampoline of the state's slot.
fn through<F: Copy, R>(mut state: State, function: F, calls: impl FnOnce(F) -> R) -> R {
    let trampoline = machine::TRAMPOLINES[state.slot].expect("asked before");
    // The pages that the last user of the slot closed for a call that never came.
    #[cfg(all(target_os = "linux", not(miri)))]
    pages::open(state.slot);
    // SAFETY: `F` is a function pointer; state and stack are the slot's, for the trampoline too.
    unsafe {
        state.function = transmute_copy(&function);
        state.stack().write([CANARY; size_of::<Stack>() / 8]);
        state.next_call();
        (&raw mut STATES[state.slot]).write_volatile(state);
        calls(transmute_copy(&trampoline))
    }
}

/// Prints the pass in which a test failed.
struct Pass(&'static str);

impl Drop for Pass {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("the call checker's pass: {}", self.0);
        }
    }
}
