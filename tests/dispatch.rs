//! Row selection: calls respect the cap, an invalid cap is rejected, and every table is in a legal
//! order.

mod assembly;

use std::collections::{BTreeMap, BTreeSet};

use hotloops::Error;
use hotloops::isa::{self, Fact, Isa};
use hotloops::kernel::{Form, Variant};

#[test]
fn rows_are_in_a_legal_order() {
    for kernel in hotloops::kernels() {
        let rows: Vec<_> = kernel.variants.iter().map(|row| (row.isa, row.form)).collect();
        let name = kernel.symbol;
        assert_eq!(rows.last(), Some(&(Isa::scalar, Form::Reference)), "{name} ends in its reference");
        for (index, row) in rows.iter().enumerate() {
            assert!(!rows[..index].contains(row), "{name}: {row:?} stands twice");
        }
        let levels: Vec<_> = rows.iter().map(|(isa, _)| *isa as i32).collect();
        assert!(levels.is_sorted_by(|a, b| a >= b), "{name}: a wider row stands below a narrower one");
        // Assembly exists only where it is faster, so it comes first.
        for pair in rows.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            assert_eq!(pair[0].1, Form::Assembly, "{name}: {:?} assembly stands below intrinsics", pair[0].0);
        }
        let (family, kernel_name) = kernel.name();
        assert_eq!(name, format!("hl_{family}_{kernel_name}"));
    }
}

/// A row, `avx2 assembly`, and the fact of a CPU for which a call skips it.
type Declared = (String, Option<String>);

/// The rows of each kernel as the sources declare them, `None` without sources.
fn declared() -> Option<BTreeMap<String, Vec<Declared>>> {
    let kernels = assembly::kernels();
    if kernels.is_empty() {
        println!("not run: there are no sources here");
        return None;
    }
    Some(kernels)
}

/// Tests and [`isa::set`] miss a kernel that is not in `for_each_kernel!`.
#[test]
fn every_declaration_is_listed() {
    let Some(declared) = declared() else { return };
    let listed: BTreeSet<_> = hotloops::kernels().map(|kernel| kernel.symbol).collect();
    let unlisted: Vec<_> = declared.keys().filter(|symbol| !listed.contains(&***symbol)).collect();
    assert!(unlisted.is_empty(), "declared with kernel!, but not in for_each_kernel!: {unlisted:?}");
    assert_eq!(declared.len(), listed.len(), "declarations that this test does not find");
}

/// Whether a build for this target has the row, if it holds all variants.
fn is_built((row, _): &Declared) -> bool {
    let words: &[&str] = match std::env::consts::ARCH {
        _ if cfg!(target_endian = "big") => &[],
        "x86_64" => &["sse2", "avx2", "avx2gfni", "avx512", "avx512icl"],
        "aarch64" => &["neon"],
        _ => &[],
    };
    let has_compiler = option_env!("HOTLOOPS_CC").is_some_and(|compiler| !compiler.is_empty());
    let has_assembly = cfg!(feature = "assembly") && has_compiler && !cfg!(target_env = "msvc");
    let (word, form) = row.split_once(' ').unwrap();
    word == "scalar" || words.contains(&word) && (form != "assembly" || has_assembly)
}

/// Without the rows of an instruction set, or without assembly, other tests would pass.
#[test]
fn every_declared_row_is_built() {
    let Some(declared) = declared().filter(|_| cfg!(feature = "all-variants")) else { return };
    for kernel in hotloops::kernels() {
        let rows = declared[kernel.symbol].iter().filter(|row| is_built(row));
        let built = kernel.variants.iter().map(|row| {
            let name = format!("{} {}", row.isa.word(), row.form.word());
            (name, row.unless.map(|fact| fact.word().to_owned()))
        });
        assert!(rows.cloned().eq(built), "{}: {:?}", kernel.symbol, declared[kernel.symbol]);
    }
}

/// The choice for each set of facts, and for the levels up to each one, is the first declared row of these levels that
/// names none of the facts. A build without `all-variants` has these rows too.
#[test]
fn a_fact_skips_its_rows() {
    let Some(declared) = declared() else { return };
    let mut deciding = 0;
    for kernel in hotloops::kernels() {
        let rows: Vec<_> = declared[kernel.symbol].iter().filter(|row| is_built(row)).collect();
        for best in 0..Isa::ALL.len() {
            let levels = (2 << best) - 1;
            let chosen = |facts: u32| {
                let row = &kernel.variants[kernel.first(levels, facts)];
                format!("{} {}", row.isa.word(), row.form.word())
            };
            for facts in 0..1 << Fact::ALL.len() {
                let holds =
                    |word: &String| Fact::ALL.iter().any(|&fact| facts >> fact as u32 & 1 == 1 && fact.word() == word);
                let is_capped =
                    |row: &str| Isa::ALL[best + 1..].iter().any(|isa| row.split(' ').next() == Some(isa.word()));
                let expected = rows.iter().find(|(row, fact)| !is_capped(row) && !fact.as_ref().is_some_and(holds));
                assert_eq!(chosen(facts), expected.unwrap().0, "{} up to level {best}, facts {facts:b}", kernel.symbol);
            }
            for fact in Fact::ALL.iter().map(|&fact| 1 << fact as u32).filter(|&fact| chosen(fact) != chosen(0)) {
                deciding |= fact;
            }
        }
    }
    if cfg!(target_arch = "x86_64") {
        assert_eq!(deciding, (1 << Fact::ALL.len()) - 1, "a fact decides nothing");
    }
}

/// Runs code in a forked child, which has made no choice yet and has its own environment.
#[cfg(unix)]
mod child {
    use std::ffi::CString;
    use std::fs::File;
    use std::io::Read;
    use std::os::fd::FromRawFd;

    pub enum End {
        Exit(i32),
        Signal(i32),
    }

    /// Runs `body` in a child under `HOTLOOPS_ISA=word`. Returns its exit status and standard
    /// error.
    pub fn under(word: &str, body: fn() -> bool) -> (End, String) {
        let word = CString::new(word).unwrap();
        let mut pipe = [0; 2];
        // SAFETY: plain system calls on descriptors made here; the child ends in `_exit`.
        unsafe {
            assert_eq!(libc::pipe(pipe.as_mut_ptr()), 0);
            let pid = libc::fork();
            if pid == 0 {
                libc::dup2(pipe[1], 2);
                libc::setenv(c"HOTLOOPS_ISA".as_ptr(), word.as_ptr(), 1);
                libc::_exit(i32::from(!body()));
            }
            assert!(pid > 0);
            libc::close(pipe[1]);
            let mut text = String::new();
            File::from_raw_fd(pipe[0]).read_to_string(&mut text).unwrap();
            let mut status = 0;
            assert_eq!(libc::waitpid(pid, &mut status, 0), pid);
            let end = match libc::WIFEXITED(status) {
                true => End::Exit(libc::WEXITSTATUS(status)),
                false => End::Signal(libc::WTERMSIG(status)),
            };
            (end, text)
        }
    }
}

// A single test, because `set` and the first read of HOTLOOPS_ISA affect the whole process.
#[test]
fn the_cap_holds() {
    #[cfg(unix)]
    environment();
    for &cap in Isa::ALL {
        if !isa::detected(cap) {
            assert_eq!(isa::set(cap), Err(Error::IsaUnavailable { isa: cap }));
            continue;
        }
        isa::set(cap).unwrap();
        assert_eq!(isa::active(), cap);
        for kernel in hotloops::kernels() {
            let rows = kernel.variants;
            let chosen = kernel.chosen();
            let may_run = |row: &Variant<_>| isa::usable(row.isa) && !row.unless.is_some_and(isa::holds);
            assert!(may_run(&rows[chosen]), "{} under {cap:?}", kernel.symbol);
            assert!(!rows[..chosen].iter().any(may_run), "{} under {cap:?}", kernel.symbol);
        }
    }
}

#[cfg(unix)]
fn environment() {
    use child::End;
    for &isa in Isa::ALL {
        let only_up_to = || {
            let active = isa::active();
            hotloops::kernels().all(|kernel| {
                let row = kernel.variant();
                row.isa as i32 <= active as i32 && isa::usable(row.isa)
            }) && std::env::var("HOTLOOPS_ISA").as_deref() == Ok(active.word())
        };
        let (end, text) = child::under(isa.word(), only_up_to);
        match end {
            End::Exit(0) if isa::detected(isa) => assert_eq!(text, ""),
            End::Signal(libc::SIGABRT) if !isa::detected(isa) => {
                assert!(text.contains("is not supported by this CPU; valid here: scalar"), "{text}");
            }
            End::Exit(code) => panic!("{}: exit {code}, {text}", isa.word()),
            End::Signal(signal) => panic!("{}: signal {signal}, {text}", isa.word()),
        }
    }
    for unknown in ["avx1024", "AVX2", "avx2 ", ""] {
        let (end, text) = child::under(unknown, || isa::active() == Isa::scalar);
        assert!(matches!(end, End::Signal(libc::SIGABRT)), "{unknown:?} was accepted");
        assert!(text.contains("is not the name of an instruction set; valid here: scalar"), "{text}");
    }
}
