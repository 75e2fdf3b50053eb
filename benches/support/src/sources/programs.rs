//! What the sources' experiments share: the two builds of their programs in C, and rungs that check their results.

use std::cell::RefCell;
use std::rc::Rc;

use hotloops::isa::{self, Isa};

use crate::ladder::{Origin, Rung};

/// A build of the programs in C.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Build {
    /// As the sources compiled: without auto-vectorisation.
    Plain,
    Vectorised,
}

impl Build {
    /// The builds that this CPU can execute.
    pub fn usable() -> impl Iterator<Item = Build> {
        let is_wide = cfg!(not(target_arch = "x86_64")) || isa::detected(Isa::avx2);
        [Build::Plain].into_iter().chain(is_wide.then_some(Build::Vectorised))
    }

    pub fn origin(self) -> Origin {
        match self {
            Build::Plain => Origin::Source,
            Build::Vectorised => Origin::Step,
        }
    }

    /// The name of a rung in this build.
    pub fn name(self, rung: &str) -> String {
        match self {
            Build::Plain => rung.to_owned(),
            Build::Vectorised => format!("{rung}, auto-vectorised"),
        }
    }
}

/// The note about the programs in C.
pub fn compiled() -> String {
    format!(
        "Programs of the source: C after its text, {}, {}; auto-vectorised: {}.",
        env!("C_COMPILER"),
        env!("SOURCES_PLAIN"),
        env!("SOURCES_VECTORISED"),
    )
}

/// The instruction sets of this CPU, weakest first, that differ for floats: not the references, and not the sets that
/// add instructions on integers alone.
pub fn levels() -> impl Iterator<Item = Isa> {
    let differs = |isa| !matches!(isa, Isa::scalar | Isa::avx2gfni | Isa::avx512icl);
    Isa::ALL.iter().copied().filter(move |&isa| differs(isa) && isa::detected(isa))
}

/// A rung that writes to `result`, which is checked after one call.
pub fn checked<T: 'static>(
    name: impl Into<String>,
    origin: Origin,
    units: f64,
    result: Vec<T>,
    work: impl FnMut(&mut [T]) + 'static,
    is_right: impl FnOnce(&[T]) -> bool + 'static,
) -> Rung {
    let shared = Rc::new(RefCell::new((work, result)));
    let call = move |shared: &RefCell<(_, Vec<T>)>| {
        let (work, result) = &mut *shared.borrow_mut();
        let work: &mut dyn FnMut(&mut [T]) = work;
        work(result);
    };
    let same = shared.clone();
    Rung::new(
        name,
        origin,
        units,
        move || call(&shared),
        move || {
            call(&same);
            is_right(&same.borrow().1)
        },
    )
}

/// The rungs whose results differ from the reference.
#[cfg(test)]
pub fn unverified(parts: &[crate::ladder::Part]) -> Vec<String> {
    use crate::ladder::Part;
    let mut names = Vec::new();
    for part in parts {
        match part {
            Part::Table(table) => {
                let wrong = table.rows.iter().filter(|row| !row.is_verified);
                names.extend(wrong.map(|row| format!("{}: {} {}", table.name, row.name, row.isa)));
            }
            Part::Curves(curves) => {
                let wrong = curves.lines.iter().filter(|line| !line.is_verified);
                names.extend(wrong.map(|line| format!("{}: {}", curves.name, line.name)));
            }
        }
    }
    names
}
