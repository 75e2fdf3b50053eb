//! What instructions of x86-64 do to registers and stack.

use super::{Frame, Machine, State, Value, word};

impl Machine {
    pub(super) fn execute_x86_64(&self, state: &mut State, mnemonic: &str, operands: &[String], written: &[String]) {
        let number = |text: &str| i64::from_str_radix(text.trim_start_matches("0x"), 16).ok();
        let value = |state: &State, operand: &str| match operand.contains('[') {
            true => self.address(state, operand).and_then(|word| state.values.get(&word).cloned()),
            false => self.register(operand).and_then(|name| state.values.get(&name).cloned()),
        };
        match (mnemonic, operands) {
            ("push", [from]) => {
                let pushed = value(state, from);
                self.move_stack(state, 8);
                let top = self.top(state);
                state.set(top, pushed);
            }
            ("pop", [to]) => {
                let popped = self.top(state).and_then(|top| state.values.get(&top).cloned());
                self.move_stack(state, -8);
                let name = self.register(to);
                state.set(name, popped);
            }
            ("leave", _) => {
                let frame = state.values.get("rbp").cloned();
                state.set(Some("rsp".to_owned()), frame);
                let popped = self.top(state).and_then(|top| state.values.get(&top).cloned());
                state.set(Some("rbp".to_owned()), popped);
                self.move_stack(state, -8);
            }
            ("sub" | "add", [to, by]) if to == "rsp" => match number(by) {
                // An immediate with the upper half set is a negative number.
                Some(by) => {
                    self.move_stack(state, if mnemonic == "sub" { by as i32 as i64 } else { -(by as i32 as i64) })
                }
                None => drop(state.values.remove("rsp")),
            },
            ("and", [to, mask]) if to == "rsp" => match u64::from_str_radix(mask.trim_start_matches("0x"), 16) {
                Ok(mask) => {
                    let aligned = Value::Stack(Frame::Aligned((mask as i64).wrapping_neg()), 0);
                    state.values.insert("rsp".to_owned(), aligned);
                }
                Err(_) => drop(state.values.remove("rsp")),
            },
            ("mov" | "vmovaps" | "vmovups" | "movaps" | "movups", [to, from]) => {
                let moved = value(state, from);
                match to.contains('[') {
                    true => {
                        let word = self.address(state, to);
                        if word.is_some() {
                            state.set(word, moved);
                        }
                    }
                    false => {
                        for name in written {
                            state.values.remove(name);
                        }
                        // Only whole registers hold what was kept.
                        let name = self.register(to).filter(|name| name == to);
                        state.set(name, moved);
                    }
                }
            }
            ("lea", [to, from]) => {
                let place = self.place(state, from);
                let name = self.register(to);
                state.set(name, place.map(|(frame, depth)| Value::Stack(frame, depth)));
            }
            _ => {
                for name in written {
                    state.values.remove(name);
                }
                let writes = !mnemonic.starts_with("cmp") && !mnemonic.starts_with("test");
                if writes && operands[0] == "rsp" {
                    state.values.remove("rsp");
                }
                let word = self.address(state, &operands[0]).filter(|_| writes);
                state.set(word, None);
            }
        }
    }

    /// The stack word of `QWORD PTR [rsp+0x8]`.
    fn address(&self, state: &State, operand: &str) -> Option<String> {
        self.place(state, operand).map(|(frame, depth)| word(frame, depth))
    }

    fn place(&self, state: &State, operand: &str) -> Option<(Frame, i64)> {
        let inner = operand.split_once('[')?.1.strip_suffix(']')?;
        let cut = inner.find(['+', '-']).unwrap_or(inner.len());
        let Some(&Value::Stack(frame, depth)) = state.values.get(&inner[..cut]) else { return None };
        let by = match &inner[cut..] {
            "" => 0,
            text => {
                let digits = i64::from_str_radix(text[1..].trim_start_matches("0x"), 16).ok()?;
                if text.starts_with('-') { -digits } else { digits }
            }
        };
        Some((frame, depth - by))
    }
}
