//! What the sources' experiments share: the two builds of their programs in C, and rungs that check their results.

use hotloops::isa::Isa;

use super::stateful::rung;
use crate::ladder::{Origin, Rung, allowed};
use crate::machine::C_COMPILER;

/// A build of the programs in C.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Build {
    /// As the sources compiled: without auto-vectorisation.
    Plain,
    Vectorised,
}

impl Build {
    /// The builds whose instructions are [`allowed`].
    pub fn usable() -> impl Iterator<Item = Build> {
        let is_wide = cfg!(not(target_arch = "x86_64")) || allowed().contains(&Isa::avx2);
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
        "Programs of the source: C after its text, {C_COMPILER}, {}; auto-vectorised: {}.",
        env!("SOURCES_PLAIN"),
        env!("SOURCES_VECTORISED"),
    )
}

/// The note about programs whose rungs name the language and the level of optimisation.
pub fn compilers() -> String {
    let rustc = env!("RUSTC_VERSION");
    format!("The programs in C are compiled by {C_COMPILER}, without -march; those in Rust by {rustc}.")
}

/// The [`allowed`] instruction sets, weakest first, that differ for floats: not the references, and not the sets that
/// add instructions on integers alone.
pub fn levels() -> impl Iterator<Item = Isa> {
    allowed().iter().copied().filter(|isa| !matches!(isa, Isa::scalar | Isa::avx2gfni | Isa::avx512icl))
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
    let call = |(work, result): &mut (_, Vec<T>)| {
        let work: &mut dyn FnMut(&mut [T]) = work;
        work(result);
    };
    rung(name, origin, units, (work, result), call, |(_, result)| is_right(result))
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
