//! Follows a function's instructions along all paths, with what is known of each register and of
//! the stack.

mod aarch64;
mod x86_64;

use std::collections::{BTreeMap, BTreeSet};

use crate::code::{self, Code};

/// What a register or a word of the stack holds.
#[derive(Clone, PartialEq)]
enum Value {
    /// What this register held at the call.
    Original(String),
    /// An address this many bytes below the stack pointer of the call, or below where it was last
    /// aligned.
    Stack(Frame, i64),
    /// Addresses after calls of inner subroutines.
    Return(BTreeSet<u64>),
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Frame {
    Caller,
    /// Aligned to this many bytes.
    Aligned(i64),
}

#[derive(Clone, PartialEq)]
struct State {
    /// By register or by stack word; what is not here is unknown.
    values: BTreeMap<String, Value>,
    upper: Upper,
}

/// The upper halves of the vector registers.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Upper {
    Clean,
    /// As this or that computed jump left them.
    Undecided,
    /// In use on one path at least.
    Used,
}

/// What is found: each fault at an address.
#[derive(Default)]
pub struct Findings {
    pub faults: BTreeSet<String>,
    /// What depends on where computed jumps go.
    pub undecided: BTreeSet<String>,
    /// What is called or jumped to outside the function.
    pub calls: BTreeSet<String>,
}

pub struct Machine {
    arch: &'static str,
    stack: &'static str,
    kept: Vec<String>,
}

impl Machine {
    pub fn new(arch: &str) -> Self {
        match arch {
            "x86_64" => Machine {
                arch: "x86_64",
                stack: "rsp",
                kept: ["rbx", "rbp", "r12", "r13", "r14", "r15"].map(str::to_owned).to_vec(),
            },
            _ => Machine {
                arch: "aarch64",
                stack: "sp",
                kept: (19..30).map(|i| format!("x{i}")).chain((8..16).map(|i| format!("v{i}"))).collect(),
            },
        }
    }

    /// Registers that a call may not change.
    pub fn kept(&self) -> &[String] {
        &self.kept
    }

    /// One name for a register of any width.
    fn register(&self, name: &str) -> Option<String> {
        // As the destination of a move that nothing else does.
        let text = match self.arch {
            "x86_64" => format!("mov {name},1"),
            _ => format!("ldr {name}, [x0]"),
        };
        if name == self.stack {
            return Some(name.to_owned());
        }
        code::written(self.arch, &text).pop()
    }

    /// The faults of a function, given what the linker puts into its calls and jumps.
    pub fn check(&self, function: &Code, relocations: &BTreeMap<u64, String>) -> Findings {
        let mut start = State { values: BTreeMap::new(), upper: Upper::Clean };
        for name in self.kept.iter().map(String::as_str).chain(["x30"]) {
            start.values.insert(name.to_owned(), Value::Original(name.to_owned()));
        }
        start.values.insert(self.stack.to_owned(), Value::Stack(Frame::Caller, 0));
        let index = function.iter().enumerate().map(|(at, (address, _))| (*address, at)).collect();
        let open = vec![(0, start)];
        let mut walk =
            Walk { machine: self, function, relocations, index, open, computed: None, findings: Findings::default() };
        let mut states: Vec<Option<State>> = vec![None; function.len()];
        loop {
            while let Some((at, state)) = walk.open.pop() {
                let Some(place) = states.get_mut(at) else {
                    walk.findings.faults.insert("the end of the function is run over".to_owned());
                    continue;
                };
                let joined = place.as_ref().map_or_else(|| state.clone(), |old| old.join(&state));
                if place.as_ref() != Some(&joined) {
                    *place = Some(joined.clone());
                    walk.step(at, joined);
                }
            }
            let unreached = states.iter().position(Option::is_none);
            match (unreached, &walk.computed) {
                (Some(at), Some(state)) if !is_padding(&function[at].1) => walk.open.push((at, state.clone())),
                (Some(at), _) => states[at] = Some(State { values: BTreeMap::new(), upper: Upper::Clean }),
                (None, _) => return walk.findings,
            }
        }
    }

    /// An instruction that goes on to the next one, and what is wrong with it.
    fn execute(&self, state: &mut State, mnemonic: &str, operands: &[String], text: &str) -> Option<&'static str> {
        match mnemonic {
            "vzeroupper" | "vzeroall" => state.upper = Upper::Clean,
            _ if operands[0].starts_with("ymm") || operands[0].starts_with("zmm") => state.upper = Upper::Used,
            _ => {}
        }
        let written = code::written(self.arch, text);
        let was_known = state.values.contains_key(self.stack);
        match self.arch {
            "x86_64" => self.execute_x86_64(state, mnemonic, operands, &written),
            _ => self.execute_aarch64(state, mnemonic, operands, &written),
        }
        let modes = ["ldmxcsr", "vldmxcsr", "fldcw", "std", "emms", "fninit"];
        match () {
            _ if modes.contains(&mnemonic) || mnemonic == "msr" && operands[0] == "fpcr" => {
                Some("changes a mode that belongs to the caller")
            }
            _ if was_known && !state.values.contains_key(self.stack) => Some("the stack pointer is lost"),
            _ => None,
        }
    }

    /// Where a return inside the function goes to, if it is not the end of it.
    fn inner_return(&self, state: &State) -> Option<BTreeSet<u64>> {
        let place = if self.arch == "x86_64" { self.top(state)? } else { "x30".to_owned() };
        match state.values.get(&place) {
            Some(Value::Return(places)) => Some(places.clone()),
            _ => None,
        }
    }

    /// Whether the stack is aligned as a call wants it; x86-64 begins with a return address.
    fn is_aligned(&self, state: &State) -> bool {
        match (self.arch, state.values.get(self.stack)) {
            ("x86_64", Some(Value::Stack(Frame::Caller, depth))) => (depth + 8) % 16 == 0,
            (_, Some(Value::Stack(_, depth))) => depth % 16 == 0,
            _ => false,
        }
    }

    /// The stack grows by `bytes`.
    fn move_stack(&self, state: &mut State, bytes: i64) {
        if let Some(Value::Stack(_, depth)) = state.values.get_mut(self.stack) {
            *depth += bytes;
        }
    }

    /// The word at the stack pointer.
    fn top(&self, state: &State) -> Option<String> {
        match state.values.get(self.stack) {
            Some(&Value::Stack(frame, depth)) => Some(word(frame, depth)),
            _ => None,
        }
    }
}

/// All paths of a function.
struct Walk<'a> {
    machine: &'a Machine,
    function: &'a Code,
    relocations: &'a BTreeMap<u64, String>,
    index: BTreeMap<u64, usize>,
    /// Places still to be visited.
    open: Vec<(usize, State)>,
    /// The state at computed jumps, which may go to what nothing else reaches.
    computed: Option<State>,
    findings: Findings,
}

impl Walk<'_> {
    fn step(&mut self, at: usize, mut state: State) {
        let machine = self.machine;
        let x86 = machine.arch == "x86_64";
        let (address, text) = &self.function[at];
        let (mnemonic, operands) = code::parts(text);
        let mnemonic = mnemonic.as_str();
        let target = operands.last().and_then(|operand| u64::from_str_radix(operand.split(" <").next()?, 16).ok());
        let relocated = self.relocations.get(address);
        let inside = target.filter(|_| relocated.is_none()).and_then(|target| self.index.get(&target)).copied();
        let leaves = matches!(mnemonic, "jmp" | "b" | "br");
        let branches = mnemonic.starts_with('j') && !leaves
            || mnemonic.starts_with("b.")
            || ["cbz", "cbnz", "tbz", "tbnz"].contains(&mnemonic);
        let is_known = target.is_some() || relocated.is_some() || operands[0].contains("rip");
        match mnemonic {
            "ret" => match machine.inner_return(&state) {
                Some(places) => {
                    machine.move_stack(&mut state, if x86 { -8 } else { 0 });
                    let places = places.iter().filter_map(|place| self.index.get(place));
                    self.open.extend(places.map(|&at| (at, state.clone())));
                }
                None => self.check_return(at, &state),
            },
            "call" | "bl" | "blr" => match inside {
                Some(inside) => {
                    let next = self.function.get(at + 1).map_or(0, |(address, _)| *address);
                    let back = Some(Value::Return([next].into()));
                    machine.move_stack(&mut state, if x86 { 8 } else { 0 });
                    let place = if x86 { machine.top(&state) } else { Some("x30".to_owned()) };
                    state.set(place, back);
                    self.open.push((inside, state));
                }
                None => {
                    self.findings.calls.insert(outside(relocated, text));
                    if !machine.is_aligned(&state) {
                        self.fault(at, "the stack is not aligned to 16 bytes");
                    }
                    let kept =
                        |name: &String| machine.kept.contains(name) || name == machine.stack || name.contains(':');
                    state.values.retain(|name, _| kept(name));
                    // What is called last does not return.
                    if at + 1 < self.function.len() {
                        self.open.push((at + 1, state));
                    }
                }
            },
            _ if leaves && inside.is_none() && !is_known => {
                self.computed = Some(self.computed.as_ref().map_or_else(|| state.clone(), |old| old.either(&state)));
            }
            _ if leaves || branches => {
                match inside {
                    Some(inside) => self.open.push((inside, state.clone())),
                    None => {
                        self.findings.calls.insert(outside(relocated, text));
                        self.check_return(at, &state);
                    }
                }
                if branches {
                    self.open.push((at + 1, state));
                }
            }
            "ud2" | "udf" | "brk" | "int3" => {}
            _ => {
                if let Some(fault) = machine.execute(&mut state, mnemonic, &operands, text) {
                    self.fault(at, fault);
                }
                self.open.push((at + 1, state));
            }
        }
    }

    fn fault(&mut self, at: usize, what: &str) {
        let (address, text) = &self.function[at];
        self.findings.faults.insert(format!("{address:#x}: {text}: {what}"));
    }

    /// Where the function ends, everything is as it was.
    fn check_return(&mut self, at: usize, state: &State) {
        for name in &self.machine.kept {
            if state.values.get(name) != Some(&Value::Original(name.clone())) {
                self.fault(at, &format!("{name} is not what it was at the call"));
            }
        }
        let stack = self.machine.stack;
        if state.values.get(stack) != Some(&Value::Stack(Frame::Caller, 0)) {
            self.fault(at, &format!("{stack} is not where it was at the call"));
        }
        match state.upper {
            Upper::Clean => {}
            Upper::Used => self.fault(at, "upper halves of vector registers are in use: no vzeroupper"),
            Upper::Undecided => {
                let (address, text) = &self.function[at];
                let what = "upper halves of vector registers are in use or not, as computed jumps go";
                self.findings.undecided.insert(format!("{address:#x}: {text}: {what}"));
            }
        }
    }
}

impl State {
    fn set(&mut self, name: Option<String>, value: Option<Value>) {
        match (name, value) {
            (Some(name), Some(value)) => drop(self.values.insert(name, value)),
            (Some(name), None) => drop(self.values.remove(&name)),
            (None, _) => {}
        }
    }

    /// What holds on both paths; upper halves are in use if they are on one.
    fn join(&self, other: &State) -> State {
        let upper = if self.upper > other.upper { self.upper } else { other.upper };
        State { values: self.common(other), upper }
    }

    /// What holds on the one path or the other, nobody knows on which.
    fn either(&self, other: &State) -> State {
        let upper = if self.upper == other.upper { self.upper } else { Upper::Undecided };
        State { values: self.common(other), upper }
    }

    fn common(&self, other: &State) -> BTreeMap<String, Value> {
        let both = self.values.iter().filter_map(|(name, a)| {
            let value = match (a, other.values.get(name)?) {
                (Value::Return(a), Value::Return(b)) => Value::Return(a | b),
                (a, b) if a == b => a.clone(),
                _ => return None,
            };
            Some((name.clone(), value))
        });
        both.collect()
    }
}

fn word(frame: Frame, depth: i64) -> String {
    match frame {
        Frame::Caller => format!("caller:{depth}"),
        Frame::Aligned(to) => format!("aligned {to}:{depth}"),
    }
}

fn is_padding(text: &str) -> bool {
    text.contains("nop") || text.starts_with("int3") || text.starts_with("xchg   ax,ax") || text.starts_with("udf")
}

/// The name of what lies outside: objdump ends in `5 <name>` or in `# 5 <name>`.
fn outside(relocated: Option<&String>, text: &str) -> String {
    let named = text.rsplit_once('<').and_then(|(_, name)| name.strip_suffix('>'));
    relocated.map(String::as_str).or(named).unwrap_or(text).to_owned()
}
