//! Disassembled code: what instructions write, how deep the stack gets, what lies below it.
#![allow(dead_code)] // each program uses a part of it

use std::collections::BTreeMap;

/// The instructions of a function in objdump's words, each with its address.
pub type Code = Vec<(u64, String)>;

/// What objdump is called with.
pub fn options(arch: &str) -> &'static [&'static str] {
    match arch {
        "x86_64" => &["-d", "-w", "--no-show-raw-insn", "-M", "intel"],
        _ => &["-d", "-w", "--no-show-raw-insn"],
    }
}

/// The functions of a listing by their symbols.
pub fn functions(listing: &str) -> BTreeMap<String, Code> {
    let mut functions: BTreeMap<String, Code> = BTreeMap::new();
    let mut name = String::new();
    for line in listing.lines() {
        if let Some((_, symbol)) = line.strip_suffix(">:").and_then(|line| line.split_once(" <")) {
            name = symbol.to_owned();
        } else if let Some((address, text)) = line.split_once(":\t")
            && let Ok(address) = u64::from_str_radix(address.trim(), 16)
        {
            functions.entry(name.clone()).or_default().push((address, text.trim().to_owned()));
        }
    }
    functions
}

/// The registers that an instruction writes; a vector register of any width is one, `mm3` or `v3`.
pub fn written(arch: &str, text: &str) -> Vec<String> {
    match arch {
        "x86_64" => x86_64::written(text),
        _ => aarch64::written(text),
    }
}

/// The most bytes below the stack pointer of the caller. The depth at a jump is that at its target;
/// what only a computed jump reaches runs at the greatest depth.
pub fn depth(arch: &str, code: &[(u64, String)]) -> usize {
    let (mut depth, mut most) = (0_usize, 0);
    let mut at_target = BTreeMap::new();
    for (address, text) in code {
        depth = at_target.get(address).copied().unwrap_or(depth);
        let (mnemonic, operands) = parts(text);
        depth = depth.saturating_add_signed(match arch {
            "x86_64" => x86_64::grows(&mnemonic, &operands, depth),
            _ => aarch64::grows(&mnemonic, &operands),
        });
        most = most.max(depth);
        if let Some(target) =
            operands.last().and_then(|operand| u64::from_str_radix(operand.split(' ').next()?, 16).ok())
            && mnemonic.starts_with(['j', 'b', 'c', 't'])
        {
            at_target.entry(target).or_insert(depth);
        }
        if ["ret", "jmp", "b", "br"].contains(&mnemonic.as_str()) {
            depth = most;
        }
    }
    most
}

/// The mnemonic, without its prefixes, and the operands of an instruction.
pub fn parts(text: &str) -> (String, Vec<String>) {
    let text = text.split(" # ").next().unwrap();
    let text = text.split("//").next().unwrap();
    let mut rest = text.trim();
    let mut mnemonic = "";
    while !rest.is_empty() {
        let (word, after) = rest.split_once([' ', '\t']).unwrap_or((rest, ""));
        (mnemonic, rest) = (word, after.trim());
        if !["notrack", "data16", "cs", "rep", "repz", "lock", "bnd"].contains(&word) {
            break;
        }
    }
    let mut operands = vec![String::new()];
    let mut depth = 0;
    for character in rest.chars() {
        depth += i32::from("[{(".contains(character)) - i32::from("]})".contains(character));
        match character == ',' && depth == 0 {
            true => operands.push(String::new()),
            false => operands.last_mut().unwrap().push(character),
        }
    }
    operands.iter_mut().for_each(|operand| *operand = operand.trim().to_owned());
    (mnemonic.to_owned(), operands)
}

/// Whether an instruction names memory below the stack pointer, which a signal handler, and on
/// Windows anything, may overwrite. Moving the stack pointer itself is legal.
pub fn is_below_the_stack(arch: &str, text: &str) -> bool {
    let (mnemonic, operands) = parts(text);
    match arch {
        "x86_64" => {
            let below = |operand: &String| {
                let address = operand.split_once('[').map_or("", |(_, address)| address);
                address.starts_with("rsp") && address.contains('-')
            };
            operands.iter().any(below) && !(mnemonic == "lea" && operands[0] == "rsp")
        }
        _ => {
            let copies = mnemonic == "sub" && operands.len() > 1 && operands[1] == "sp" && operands[0] != "sp";
            copies || operands.iter().any(|operand| operand.starts_with("[sp, #-") && !operand.ends_with('!'))
        }
    }
}

mod x86_64 {
    use super::parts;

    const NAMES: [&str; 8] = ["ax", "cx", "dx", "bx", "si", "di", "bp", "sp"];

    /// A register of any width under one name: `rax`, `r8`, `mm3`, `k1`.
    fn register(name: &str) -> Option<String> {
        let name = name.split('{').next().unwrap().trim();
        if name.contains(['[', ' ']) {
            return None;
        }
        for (low, class) in [("xmm", "mm"), ("ymm", "mm"), ("zmm", "mm")] {
            if let Some(number) = name.strip_prefix(low) {
                return Some(format!("{class}{number}"));
            }
        }
        if let Some(number) = name.strip_prefix('k').filter(|rest| rest.len() == 1) {
            return Some(format!("k{number}"));
        }
        let core = name.trim_start_matches(['r', 'e']);
        if name.starts_with('r') && core.starts_with(|c: char| c.is_ascii_digit()) {
            return Some(format!("r{}", core.trim_end_matches(['d', 'w', 'b'])));
        }
        let byte = [("al", "ax"), ("ah", "ax"), ("cl", "cx"), ("ch", "cx"), ("dl", "dx"), ("dh", "dx"), ("bl", "bx")];
        let more = [("bh", "bx"), ("sil", "si"), ("dil", "di"), ("bpl", "bp"), ("spl", "sp")];
        let word = byte.iter().chain(&more).find(|(short, _)| *short == name).map_or(core, |(_, word)| word);
        NAMES.contains(&word).then(|| format!("r{word}"))
    }

    pub fn written(text: &str) -> Vec<String> {
        let (mnemonic, operands) = parts(text);
        let mnemonic = mnemonic.as_str();
        let reads =
            ["cmp", "test", "push", "bt", "ret", "call", "nop", "nopw", "endbr64", "vzeroupper", "ud2", "xchg ax"];
        let compares =
            ["ucomi", "comi", "vucomi", "vcomi", "ptest", "vptest", "vtestp", "ktest", "kortest", "prefetch"];
        let none = reads.contains(&mnemonic)
            || mnemonic.starts_with('j')
            || compares.iter().any(|start| mnemonic.starts_with(start))
                && !mnemonic.starts_with("vptestn")
                && !mnemonic.starts_with("vptestm");
        let named: Vec<String> = match (mnemonic, operands.len()) {
            _ if none => Vec::new(),
            ("mul" | "div" | "idiv" | "imul", 1) => vec!["rax".into(), "rdx".into()],
            ("cqo" | "cdq", _) => vec!["rdx".into()],
            ("xchg" | "mulx", _) => operands[..2].iter().filter_map(|operand| register(operand)).collect(),
            _ => register(&operands[0]).into_iter().collect(),
        };
        // A gather clears its mask: an operand of its own, or the one in braces.
        let mut named = named;
        if mnemonic.contains("gather") {
            let mask = operands.get(2).map(String::as_str);
            let braced = operands[0].split(['{', '}']).nth(1);
            named.extend(mask.or(braced).and_then(register));
        }
        named.retain(|name| name != "rsp");
        named
    }

    /// What an instruction takes, at most, from the stack pointer, which is `depth` bytes below
    /// where it is 8 modulo 16.
    pub fn grows(mnemonic: &str, operands: &[String], depth: usize) -> isize {
        let number = |text: &str| i64::from_str_radix(text.trim_start_matches("0x"), 16).ok();
        match (mnemonic, operands) {
            ("push" | "call", _) => 8,
            ("pop", _) => -8,
            ("sub", [to, by]) if to == "rsp" => number(by).map_or(0, |by| by as isize),
            ("add", [to, by]) if to == "rsp" => number(by).map_or(0, |by| -by as isize),
            ("and", [to, mask]) if to == "rsp" => {
                let mask = u64::from_str_radix(mask.trim_start_matches("0x"), 16).unwrap();
                mask.wrapping_neg() as isize - 16 + (8 - depth as isize).rem_euclid(16)
            }
            ("lea", [to, from]) if to == "rsp" => {
                let by = |sign: &str| from.strip_suffix(']')?.split_once(sign).and_then(|(_, by)| number(by));
                by("-").map_or_else(|| -by("+").unwrap_or(0) as isize, |by| by as isize)
            }
            _ => 0,
        }
    }
}

mod aarch64 {
    use super::parts;

    fn register(name: &str) -> Option<String> {
        let name = name.split(['.', '[']).next().unwrap().trim();
        let (class, number) = name.split_at_checked(1)?;
        number.parse::<u32>().ok()?;
        match class {
            "x" | "w" => Some(format!("x{number}")),
            "v" | "q" | "d" | "s" | "h" | "b" => Some(format!("v{number}")),
            _ => None,
        }
    }

    pub fn written(text: &str) -> Vec<String> {
        let (mnemonic, operands) = parts(text);
        let mnemonic = mnemonic.as_str();
        let reads =
            ["cmp", "cmn", "tst", "ccmp", "fcmp", "fcmpe", "cbz", "cbnz", "tbz", "tbnz", "br", "b", "bl", "ret"];
        let none = reads.contains(&mnemonic)
            || ["b.", "hint", "bti", "nop", "prfm"].iter().any(|start| mnemonic.starts_with(start));
        let mut named = Vec::new();
        if !none && !mnemonic.starts_with("st") {
            let pair = matches!(mnemonic, "ldp" | "ldnp" | "ldpsw");
            for operand in &operands[..if pair { 2 } else { 1 }] {
                match operand.strip_prefix('{') {
                    None => named.extend(register(operand)),
                    // {v0.16b-v3.16b} or {v0.16b, v1.16b}
                    Some(vectors) => {
                        let vectors = vectors.split('}').next().unwrap();
                        let ends: Vec<_> = vectors.split(['-', ',']).filter_map(register).collect();
                        let number = |name: &String| name[1..].parse::<u32>().unwrap();
                        match vectors.contains('-') {
                            true => {
                                named.extend((number(&ends[0])..=number(&ends[1])).map(|number| format!("v{number}")))
                            }
                            false => named.extend(ends),
                        }
                    }
                }
            }
        }
        // The base, where it moves.
        if let Some(at) = operands.iter().position(|operand| operand.starts_with('['))
            && (operands[at].ends_with('!') || operands.len() > at + 1 && !mnemonic.starts_with("prf"))
        {
            named.extend(register(operands[at].trim_start_matches('[').split([',', ']']).next().unwrap()));
        }
        named
    }

    pub fn grows(mnemonic: &str, operands: &[String]) -> isize {
        let number = |text: &str| -> Option<isize> {
            let text = text.trim().strip_prefix('#')?;
            let (sign, text) = text.strip_prefix('-').map_or((1, text), |text| (-1, text));
            let value = match text.strip_prefix("0x") {
                Some(digits) => isize::from_str_radix(digits, 16).ok()?,
                None => text.parse().ok()?,
            };
            Some(sign * value)
        };
        match (mnemonic, operands) {
            ("sub", [to, from, by]) if to == "sp" && from == "sp" => number(by).unwrap_or(0),
            ("add", [to, from, by]) if to == "sp" && from == "sp" => -number(by).unwrap_or(0),
            _ => {
                let stack = operands.iter().position(|operand| operand.starts_with("[sp"));
                let Some(at) = stack else { return 0 };
                let by = match operands[at].strip_suffix("]!") {
                    Some(address) => address.split(',').nth(1).and_then(number),
                    None => operands.get(at + 1).and_then(|by| number(by)),
                };
                -by.unwrap_or(0)
            }
        }
    }
}
