//! The symbols and sections of the objects. The C library exports exactly the functions of its
//! headers. Each assembly function has a row; each assembly file has its notes and unwinding data.
#![cfg(unix)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{
    assembly::{self, Function, Source},
    c,
};

/// All symbols of libc, the compiler's start-up code and its stack protector that the library may
/// use.
const IMPORTS: &[&str] = &[
    "abort",
    "calloc", // what malloc and memset become
    "free",
    "getauxval",
    "getenv",
    "malloc",
    "posix_memalign",
    "write", // calls
    "bcmp",
    "memcmp",
    "memcpy",
    "memmove",
    "memset",
    "strlen", // what compilers make of loops
    "__stack_chk_fail",
    "__stack_chk_guard",
];
const LARGEST_ARCHIVES: [(&str, u64); 2] = [("libhotloops.a", 6_750_000), ("libhotloops_blas.a", 3_750_000)];

/// The first column of `nm -P` lines that print a symbol.
fn symbols(file: &Path, options: &[&str]) -> BTreeSet<String> {
    let listing = c::succeed(Command::new(c::tool("nm")).args(["-P"]).args(options).arg(file));
    // A line ending in a colon names an archive member.
    let symbols = listing.lines().filter(|line| !line.ends_with(':')).map(|line| line.split(' ').next().unwrap());
    symbols.map(|symbol| symbol.split('@').next().unwrap().to_owned()).collect()
}

#[test]
fn the_library_shows_its_headers_and_nothing_else() {
    let Some(library) = c::library() else { return };
    let names = |header| c::prototypes(header).iter().map(|text| c::declared_name(text).to_owned()).collect();
    let (stable, kernels): (BTreeSet<_>, BTreeSet<_>) = (names(c::HEADER), names(c::KERNELS));
    let archive = library.prefix.join("lib/libhotloops.a");
    let shared = library.prefix.join("lib/libhotloops.so");
    assert_eq!(symbols(&shared, &["-D", "--defined-only"]), stable);
    assert_eq!(symbols(&archive, &["--defined-only", "--extern-only"]), &stable | &kernels);

    let imports = symbols(&archive, &["--undefined-only"]);
    let foreign: Vec<_> = imports.iter().filter(|name| !IMPORTS.contains(&name.as_str())).collect();
    assert!(foreign.is_empty(), "the archive needs {foreign:?}");

    let dynamic = c::succeed(Command::new(c::tool("readelf")).args(["-d", "-W"]).arg(&shared));
    assert!(dynamic.contains("Library soname: [libhotloops.so.0.1]"), "{dynamic}");
    assert!(!dynamic.contains("TEXTREL"), "{dynamic}");

    for (name, largest) in LARGEST_ARCHIVES {
        let size = fs::metadata(library.prefix.join("lib").join(name)).unwrap().len();
        assert!(size < largest, "{name} has {size} bytes");
    }
}

/// The shared library is read-only after relocation, and both it and the archives carry the note
/// for a shadow stack. None claims IBT: Rust code has no landing pads.
#[test]
fn the_library_is_hardened() {
    let Some(library) = c::library() else { return };
    let lib = library.prefix.join("lib");
    let show = |options: &str, file: &str| {
        c::succeed(Command::new(c::tool("readelf")).args([options, "-W"]).arg(lib.join(file)))
    };
    let dynamic = show("-d", "libhotloops.so");
    assert!(dynamic.contains("BIND_NOW") && dynamic.contains("Flags: NOW"), "{dynamic}");
    let segments = show("-l", "libhotloops.so");
    assert!(segments.contains("GNU_RELRO"), "{segments}");
    let stack = segments.lines().find(|line| line.contains("GNU_STACK")).expect("a header for the stack");
    assert!(!stack.contains("RWE"), "{stack}");
    let help = c::succeed(Command::new(c::tool("ld")).arg("--help"));
    if cfg!(target_arch = "x86_64") && help.contains("shstk") {
        for file in ["libhotloops.so", "libhotloops_blas.so", "libhotloops.a", "libhotloops_blas.a"] {
            let notes = show("-n", file);
            assert!(notes.contains("SHSTK") && !notes.contains("IBT"), "{file}: {notes}");
        }
    }
}

/// Functions of one family, and the largest size in bytes of the code and data that a program which
/// uses one of them links from the archive.
const LARGEST_PROGRAMS: &[(&str, u64)] = &[
    ("hl_exp_poly_f32", 90_000),
    ("hl_reduce_sum_f32", 90_000),
    ("hl_reduce_sum_repro_f64", 90_000),
    ("hl_hamming_tanimoto_cross", 100_000),
    ("hl_fingerprints_search", 210_000),
    ("hl_random_mt19937_fill_u32", 90_000),
    ("hl_bitslice_slice_u32", 90_000),
    ("hl_clifford_multiply_f32", 90_000),
    ("hl_bitslice_slice_blocks", 150_000),
    ("hl_correlation_pairs_add_points", 150_000),
    ("hl_hardround_scan", 120_000),
    // All sizes and kinds of a product or a model are reachable.
    ("hl_matmul_gemm_f32", 480_000),
    ("hl_ising_sweep", 400_000),
];

#[test]
fn a_program_links_only_its_family() {
    if !cfg!(feature = "assembly") {
        return println!("not run: the limits are those of assembly");
    }
    let Some(library) = c::library() else { return };
    let [source, program] = ["one.c", "one"].map(|name| library.prefix.join(name));
    let size = |body: &str| {
        fs::write(&source, format!("#include <hotloops_kernels.h>\nint main(void)\n{{\n    return {body};\n}}\n"))
            .unwrap();
        let mut link = Command::new(c::CC.unwrap());
        link.arg(format!("-I{}", library.prefix.join("include").display())).arg("-o").arg(&program).arg(&source);
        c::succeed(link.arg(library.prefix.join("lib/libhotloops.a")).arg("-Wl,--gc-sections"));
        let listing = c::succeed(Command::new(c::tool("size")).arg(&program));
        let numbers: Vec<u64> =
            listing.lines().nth(1).unwrap().split_whitespace().map_while(|n| n.parse().ok()).collect();
        numbers[0] + numbers[1]
    };
    let empty = size("0");
    for (function, largest) in LARGEST_PROGRAMS {
        let found = size(&format!("(int)(size_t){function}")) - empty;
        println!("{function}: {found} bytes");
        assert!(found <= *largest, "{function} needs {found} bytes; the maximum is {largest}");
    }
    if cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/benchmarks.md")).unwrap();
        let rows =
            page.lines().skip_while(|line| !line.contains("links_only")).take_while(|line| !line.contains("AArch64"));
        let mut checked = 0;
        for row in rows {
            let functions: Vec<&str> =
                row.split('`').skip(1).step_by(2).filter(|word| word.starts_with("hl_")).collect();
            let sizes = row.split('|').nth(2).unwrap().trim().strip_suffix(" KB").expect("KB").split(", ");
            for (function, size_kb) in functions.iter().zip(sizes) {
                let (found, stated) =
                    (size(&format!("(int)(size_t){function}")) - empty, 1000 * size_kb.parse::<u64>().unwrap());
                println!("{function}: {found} bytes; docs/benchmarks.md: {stated}");
                assert!(
                    found.abs_diff(stated) <= 2000 + stated / 8,
                    "{function}: {found} bytes, docs/benchmarks.md says {stated}"
                );
                checked += 1;
            }
        }
        assert_eq!(checked, 10, "sizes in docs/benchmarks.md");
    }
}

/// The program of README.md, linked by its own line: README says 12 KB, besides the program's own start-up code.
#[test]
fn the_readme_links_little() {
    if !cfg!(feature = "assembly") || std::env::consts::OS != "linux" {
        return println!("not run: the limit is that of assembly on Linux");
    }
    let Some(library) = c::library() else { return };
    let readme = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let body = readme.split("```c\n").nth(1).unwrap().split("```").next().unwrap();
    let line = readme.lines().find(|line| line.starts_with("cc ") && line.contains("libhotloops.a")).unwrap();
    assert!(line.contains(" -Wl,--gc-sections "), "{line}");
    let folder = library.prefix.join("readme");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("program.c"), body).unwrap();
    fs::write(folder.join("empty.c"), "#include <stdio.h>\nint main(void) { printf(\"%d\\n\", 1); }\n").unwrap();
    let line = line.replace("$HOME/.local", "\"$PREFIX\"").replacen("cc ", "$CC ", 1);
    let run = |line: &str| {
        let mut shell = Command::new("sh");
        shell.current_dir(&folder).env("PREFIX", &library.prefix).env("CC", c::CC.unwrap());
        c::succeed(shell.args(["-ec", line]))
    };
    run(&line);
    run("$CC empty.c -Wl,--gc-sections -o empty");
    let size = |program: &str| {
        let listing = c::succeed(Command::new(c::tool("size")).arg(folder.join(program)));
        listing.lines().nth(1).unwrap().split_whitespace().take(2).map(|n| n.parse::<u64>().unwrap()).sum::<u64>()
    };
    let found = size("program") - size("empty");
    println!("README's program: {found} bytes");
    assert!(found < 20_000, "README's program takes {found} bytes from the archive");
}

/// Follows the library's relocations from every kernel, section by section. Each function has its
/// own section.
#[test]
fn no_kernel_holds_a_panic() {
    let Some(library) = c::library() else { return };
    let bare = |name: &str| {
        let name = name.strip_prefix(".text").unwrap_or(name);
        name.trim_start_matches(".unlikely").trim_start_matches('.').to_owned()
    };
    let mut references = BTreeMap::<String, BTreeSet<String>>::new();
    let mut place = String::new();
    for line in c::succeed(Command::new(c::tool("readelf")).args(["-r", "-W"]).arg(&library.members)).lines() {
        if let Some(name) = line.strip_prefix("Relocation section '.rela") {
            place = bare(name.split('\'').next().unwrap());
        } else if let [_, _, _, _, target, ..] = line.split_whitespace().collect::<Vec<_>>()[..] {
            references.entry(place.clone()).or_default().insert(bare(target));
        }
    }
    for kernel in hotloops::kernels() {
        assert!(references.contains_key(kernel.symbol), "{} is not in the library", kernel.symbol);
        let mut seen = BTreeSet::new();
        let mut open = vec![vec![kernel.symbol]];
        while let Some(path) = open.pop() {
            let last = path[path.len() - 1];
            assert!(!last.contains("panic"), "{path:#?}");
            let next = references.get(last).into_iter().flatten();
            open.extend(
                next.filter(|name| seen.insert(name.as_str())).map(|name| [&path[..], &[name.as_str()]].concat()),
            );
        }
    }
}

#[test]
fn every_assembly_function_is_a_row() {
    let kernels = assembly::kernels();
    let rows = kernels.iter().flat_map(|(symbol, rows)| {
        let assembly = rows.iter().filter_map(|(row, _)| row.strip_suffix(" assembly"));
        assembly.map(move |isa| format!("{symbol}_{isa}"))
    });
    let rows: BTreeSet<_> = rows.collect();
    let mut functions = BTreeSet::new();
    for source in assembly::sources() {
        let file = source.path.display();
        let isa = source.path.file_stem().unwrap().to_str().unwrap().rsplit('_').next().unwrap().to_owned();
        assert!(!source.functions.is_empty(), "{file} defines nothing");
        for Function { symbol, .. } in source.functions {
            assert!(symbol.ends_with(&format!("_{isa}")), "{file}: {symbol} is not of {isa}");
            assert!(functions.insert(symbol.clone()), "{symbol} stands twice");
        }
    }
    let unpaired: Vec<_> = functions.symmetric_difference(&rows).collect();
    assert!(unpaired.is_empty(), "functions without a row, or rows without a function: {unpaired:#?}");
}

/// The standard output of `compiler` for `source` and `target` (the compiler's default if empty).
fn compile(compiler: &str, target: &str, source: &Source, options: &[&str]) -> String {
    let mut command = Command::new(compiler);
    if !target.is_empty() {
        command.arg(format!("--target={target}"));
    }
    c::succeed(command.arg(format!("-I{}/asm", c::ROOT)).args(options).arg(&source.path))
}

fn assemble(compiler: &str, target: &str, source: &Source) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("objects").join(target);
    fs::create_dir_all(&folder).unwrap();
    let object = folder.join(source.name()).with_extension("o");
    compile(compiler, target, source, &["-c", "-o", object.to_str().unwrap()]);
    object
}

/// The clang in PATH, or the newest one with a versioned name.
fn clang() -> Option<String> {
    let names = ["clang".to_owned()].into_iter().chain((14..40).rev().map(|version| format!("clang-{version}")));
    names
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success()))
}

/// The native compiler, and clang for three object formats per architecture.
#[test]
fn assembly_objects_carry_what_linkers_and_debuggers_need() {
    let Some(cc) = c::CC else { return println!("not run: the crate was built without a C compiler") };
    let clang = clang();
    let readelf = c::tool("readelf");
    assembly::in_parallel(&assembly::sources(), |source| {
        let arch = &source.arch;
        if cfg!(target_os = "linux") && source.arch == std::env::consts::ARCH {
            check_text(source, &compile(cc, "", source, &["-E"]));
            check_elf(source, &assemble(cc, "", source), &readelf);
        }
        if let Some(clang) = &clang {
            check_elf(source, &assemble(clang, &format!("{arch}-linux-gnu"), source), &readelf);
            for (system, prefix) in [("apple-darwin", "_"), ("pc-windows-msvc", "")] {
                let bytes = fs::read(assemble(clang, &format!("{arch}-{system}"), source)).unwrap();
                for Function { symbol, .. } in &source.functions {
                    let symbol = format!("{prefix}{symbol}\0");
                    let found = bytes.windows(symbol.len()).any(|bytes| bytes == symbol.as_bytes());
                    assert!(found, "{system}: no {symbol:?}");
                }
            }
        }
    });
    if clang.is_none() {
        println!("there is no clang: only {cc} was tried");
    }
}

/// `text` is preprocessor output.
fn check_text(source: &Source, text: &str) {
    let is_code = |line: &&str| !line.is_empty() && !line.starts_with('#');
    let lines: Vec<_> = text.lines().map(str::trim).filter(is_code).collect();
    // On some targets `;` starts a comment, which would swallow the rest of the line.
    assert!(lines.iter().all(|line| !line.contains(';')), "{}: a semicolon", source.name());
    // Windows may overwrite memory below the stack pointer.
    let below = lines.iter().find(|line| {
        line.contains("[rsp - ") && !line.starts_with("lea") || line.contains("[sp, #-") && !line.ends_with('!')
    });
    assert_eq!(below, None, "{}", source.name());
    // CFI follows every change of the stack pointer immediately.
    for pair in lines.windows(2) {
        let words: Vec<_> = pair[0].split_whitespace().collect();
        let moves = matches!(words[..], ["push", ..] | ["sub", "rsp," | "sp,", ..]) || pair[0].contains("[sp, #-");
        assert!(!moves || pair[1].starts_with(".cfi_"), "{}: {:?} without CFI", source.name(), pair[0]);
    }
}

fn check_elf(source: &Source, object: &Path, readelf: &Path) {
    let file = source.name();
    let sections: Vec<_> = source.functions.iter().map(|function| format!("-x.text.{}", function.symbol)).collect();
    let options = ["-s", "-S", "-n", "-W", "--debug-dump=frames"];
    let listing = c::succeed(Command::new(readelf).args(options).args(&sections).arg(object));
    let says = |needle: &str| listing.contains(needle);

    // The stack is not executable. Functions start with a landing pad, and the object is marked so.
    let stack = listing.lines().find(|line| line.contains(".note.GNU-stack")).expect("a note on the stack");
    assert!(!stack.split_whitespace().any(|flags| flags == "X"), "{file}: {stack}");
    let (feature, pad) = match source.arch.as_str() {
        "x86_64" => ("x86 feature: IBT, SHSTK", "f30f1efa"),
        _ => ("AArch64 feature: BTI", "5f2403d5"),
    };
    assert!(says(feature), "{file} does not say {feature:?}");

    // The global symbols are exactly the file's functions: each hidden, sized, in its own section. A function may
    // jump to those of other files.
    let globals = listing.lines().filter(|line| line.contains(" GLOBAL ") && !line.contains(" UND hl_"));
    let mut sizes = BTreeMap::new();
    for line in globals {
        let words: Vec<_> = line.split_whitespace().collect();
        let [_, "0000000000000000", size, "FUNC", _, "HIDDEN", _, name] = words[..] else { panic!("{file}: {line}") };
        sizes.insert(name, size.parse::<u64>().unwrap());
    }
    let names: BTreeSet<_> = source.functions.iter().map(|function| function.symbol.as_str()).collect();
    assert_eq!(sizes.keys().copied().collect::<BTreeSet<_>>(), names, "{file}");
    for (symbol, size) in sizes {
        let start = listing.split(&format!("Hex dump of section '.text.{symbol}'")).nth(1).unwrap_or_default();
        let first = start.lines().find(|line| line.contains("0x00000000 ")).unwrap_or_default();
        assert!(first.contains(pad), "{symbol} does not begin with a landing pad");

        // Unwinding data for the whole function.
        assert!(says(&format!("pc=0000000000000000..{size:016x}")), "{symbol} has {size} bytes but: {listing}");
    }
}
