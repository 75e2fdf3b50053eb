//! Rungs whose timed call and whose check share memory.

use std::cell::RefCell;
use std::rc::Rc;

use hotloops::isa::Isa;

use crate::ladder::{Origin, Rung, allowed};

/// A rung that changes `state`. `is_right` sees the state after one call.
pub fn rung<S: 'static>(
    name: impl Into<String>,
    origin: Origin,
    units: f64,
    state: S,
    call: impl Fn(&mut S) + 'static,
    is_right: impl FnOnce(&S) -> bool + 'static,
) -> Rung {
    let (state, call) = (Rc::new(RefCell::new(state)), Rc::new(call));
    let (same, first) = (Rc::clone(&state), Rc::clone(&call));
    let verify = move || {
        first(&mut same.borrow_mut());
        is_right(&same.borrow())
    };
    Rung::new(name, origin, units, move || call(&mut state.borrow_mut()), verify)
}

/// The [`allowed`] instruction sets, weakest first.
pub fn usable() -> impl Iterator<Item = Isa> {
    allowed().iter().copied()
}
