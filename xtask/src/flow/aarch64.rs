//! What instructions of AArch64 do to registers and stack.

use super::{Machine, State, Value, word};

impl Machine {
    pub(super) fn execute_aarch64(&self, state: &mut State, mnemonic: &str, operands: &[String], written: &[String]) {
        let number = |text: &str| -> Option<i64> {
            let text = text.trim().trim_matches(['[', ']', '!']).strip_prefix('#')?;
            let (sign, text) = text.strip_prefix('-').map_or((1, text), |text| (-1, text));
            let value = match text.strip_prefix("0x") {
                Some(digits) => i64::from_str_radix(digits, 16).ok()?,
                None => text.parse().ok()?,
            };
            Some(sign * value)
        };
        // The stack word that `[sp, #16]`, `[sp, #-16]!` or `[sp], #16` names, and where sp goes.
        let memory = operands.iter().position(|operand| operand.starts_with('['));
        if let Some(at) = memory {
            let text = operands[at].as_str();
            let mut parts = text.trim_matches(['[', ']', '!']).split(',');
            let base = parts.next().unwrap_or_default().trim().to_owned();
            let offset = parts.next().map_or(Some(0), number);
            let after = operands.get(at + 1).and_then(|by| number(by)).filter(|_| !text.ends_with('!'));
            let start = match state.values.get(&base) {
                Some(&Value::Stack(frame, depth)) => Some((frame, depth)),
                _ => None,
            };
            let place = start.zip(offset).map(|((frame, depth), by)| (frame, depth - by));
            let size = |name: &str| if name.starts_with('q') { 16 } else { 8 };
            for (index, operand) in operands[..at].iter().enumerate() {
                let name = self.register(operand);
                let step = index as i64 * size(operand);
                let slot = place.map(|(frame, depth)| word(frame, depth - step));
                if mnemonic.starts_with("st") {
                    let stored = name.and_then(|name| state.values.get(&name).cloned());
                    if slot.is_some() {
                        state.set(slot, stored);
                    }
                } else if mnemonic.starts_with("ld") {
                    let loaded = slot.and_then(|slot| state.values.get(&slot).cloned());
                    state.set(name, loaded);
                }
            }
            let moved = match (text.ends_with('!'), after) {
                (true, _) => place,
                (false, Some(by)) => start.map(|(frame, depth)| (frame, depth - by)),
                (false, None) => start,
            };
            if text.ends_with('!') || operands.len() > at + 1 {
                state.set(Some(base), moved.map(|(frame, depth)| Value::Stack(frame, depth)));
            }
            return;
        }
        let stack = |name: &str| match state.values.get(name) {
            Some(&Value::Stack(frame, depth)) => Some((frame, depth)),
            _ => None,
        };
        match (mnemonic, operands) {
            ("sub" | "add", [to, from, by]) if to == "sp" || stack(from).is_some() => {
                let by = number(by).map(|by| if mnemonic == "sub" { by } else { -by });
                let moved = stack(from).zip(by).map(|((frame, depth), by)| Value::Stack(frame, depth + by));
                let name = self.register(to);
                state.set(name, moved);
            }
            ("mov", [to, from]) => {
                let moved = self.register(from).and_then(|name| state.values.get(&name).cloned());
                let name = self.register(to);
                state.set(name, moved.filter(|_| !to.starts_with('w')));
            }
            _ => written.iter().for_each(|name| drop(state.values.remove(name))),
        }
    }
}
