//! Row selection: calls respect the cap, an invalid cap is rejected, and every table is in a legal
//! order.

mod assembly;

use std::collections::{BTreeMap, BTreeSet};

use hotloops::Error;
use hotloops::isa::{self, Isa};
use hotloops::kernel::Form;

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

/// The rows of each kernel as the sources declare them, `None` without sources.
fn declared() -> Option<BTreeMap<String, Vec<String>>> {
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

/// Without the rows of an instruction set, or without assembly, other tests would pass.
#[test]
fn every_declared_row_is_built() {
    let Some(declared) = declared().filter(|_| cfg!(feature = "all-variants")) else { return };
    let words: &[&str] = match std::env::consts::ARCH {
        _ if cfg!(target_endian = "big") => &[],
        "x86_64" => &["sse2", "avx2", "avx2gfni", "avx512", "avx512icl"],
        "aarch64" => &["neon"],
        _ => &[],
    };
    let has_compiler = option_env!("HOTLOOPS_CC").is_some_and(|compiler| !compiler.is_empty());
    let has_assembly = cfg!(feature = "assembly") && has_compiler && !cfg!(target_env = "msvc");
    for kernel in hotloops::kernels() {
        let rows = declared[kernel.symbol].iter().filter(|row| {
            let (word, form) = row.split_once(' ').unwrap();
            word == "scalar" || words.contains(&word) && (form != "assembly" || has_assembly)
        });
        let built = kernel.variants.iter().map(|row| format!("{} {}", row.isa.word(), row.form.word()));
        assert!(rows.cloned().eq(built), "{}: {:?}", kernel.symbol, declared[kernel.symbol]);
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
            assert!(isa::usable(rows[chosen].isa), "{} under {cap:?}", kernel.symbol);
            assert!(rows[..chosen].iter().all(|row| !isa::usable(row.isa)), "{} under {cap:?}", kernel.symbol);
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
