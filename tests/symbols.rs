//! What the objects show and say: the C library its header's functions and nothing else, each assembly file its row,
//! its notes and its unwinding data.
#![cfg(unix)]

mod c;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// All of libc (and of the compiler's start-up and stack protector) that the library may call.
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
const LARGEST_ARCHIVES: [(&str, u64); 2] = [("libhotloops.a", 1_500_000), ("libhotloops_cblas.a", 500_000)];

/// The first column where `nm -P` prints a symbol.
fn symbols(file: &Path, options: &[&str]) -> BTreeSet<String> {
    let listing = c::succeed(Command::new(c::tool("nm")).args(["-P"]).args(options).arg(file));
    // A line that ends in a colon names a member of an archive.
    let symbols = listing.lines().filter(|line| !line.ends_with(':')).map(|line| line.split(' ').next().unwrap());
    symbols.map(|symbol| symbol.split('@').next().unwrap().to_owned()).collect()
}

#[test]
fn the_library_shows_its_header_and_nothing_else() {
    let Some(library) = c::library() else { return };
    let header: BTreeSet<_> = c::prototypes().iter().map(|text| c::declared_name(text).to_owned()).collect();
    let archive = library.prefix.join("lib/libhotloops.a");
    let shared = library.prefix.join("lib/libhotloops.so");
    assert_eq!(symbols(&archive, &["--defined-only", "--extern-only"]), header);
    assert_eq!(symbols(&shared, &["-D", "--defined-only"]), header);

    let imports = symbols(&archive, &["--undefined-only"]);
    let foreign: Vec<_> = imports.iter().filter(|name| !IMPORTS.contains(&name.as_str())).collect();
    assert!(foreign.is_empty(), "the archive needs {foreign:?}");

    let dynamic = c::succeed(Command::new(c::tool("readelf")).args(["-d", "-W"]).arg(&shared));
    assert!(dynamic.contains("Library soname: [libhotloops.so.0]"), "{dynamic}");
    assert!(!dynamic.contains("TEXTREL"), "{dynamic}");

    for (name, largest) in LARGEST_ARCHIVES {
        let size = fs::metadata(library.prefix.join("lib").join(name)).unwrap().len();
        assert!(size < largest, "{name} has {size} bytes");
    }
}

/// The shared library is read-only after relocation, and both it and the archives carry the note for a shadow stack. None claims IBT: Rust
/// code has no landing pads.
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
        for file in ["libhotloops.so", "libhotloops.a", "libhotloops_cblas.a"] {
            let notes = show("-n", file);
            assert!(notes.contains("SHSTK") && !notes.contains("IBT"), "{file}: {notes}");
        }
    }
}

/// Follows the relocations of the library, section by section (each function has one of its own), from every kernel.
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

/// An assembly file and the architecture to which build.rs counts its ISA word.
struct Source {
    path: PathBuf,
    symbol: String,
    arch: String,
}

fn sources() -> Vec<Source> {
    let build = fs::read_to_string(format!("{}/build.rs", c::ROOT)).unwrap();
    let table = build.split("const ISA_WORDS").nth(1).unwrap().split(';').nth(1).unwrap();
    // `("arch", &["word", ..])`: the strings are the odd pieces, and an architecture follows a parenthesis.
    let pieces: Vec<_> = table.split('"').collect();
    let mut arch_of = BTreeMap::new();
    let mut arch = "";
    for pair in pieces.chunks_exact(2) {
        match pair[0].ends_with('(') {
            true => arch = pair[1],
            false => drop(arch_of.insert(pair[1], arch)),
        }
    }
    let mut sources = Vec::new();
    for folder in fs::read_dir(format!("{}/asm", c::ROOT)).unwrap().map(|entry| entry.unwrap().path()) {
        if !folder.is_dir() {
            continue;
        }
        for path in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            let family = folder.file_name().unwrap().to_str().unwrap();
            let Some(stem) = path.file_name().unwrap().to_str().unwrap().strip_suffix(".S") else { continue };
            let word = stem.rsplit('_').next().unwrap();
            let arch = arch_of.get(word).unwrap_or_else(|| panic!("{}: no ISA is called {word}", path.display()));
            sources.push(Source { symbol: format!("hl_{family}_{stem}"), arch: (*arch).into(), path });
        }
    }
    assert!(!sources.is_empty());
    sources
}

#[test]
fn every_assembly_file_is_a_row() {
    let mut rows = BTreeSet::new();
    for folder in fs::read_dir(format!("{}/src", c::ROOT)).unwrap().map(|entry| entry.unwrap().path()) {
        let Ok(text) = fs::read_to_string(folder.join("mod.rs")) else { continue };
        let code: Vec<_> = text.lines().map(|line| line.split("//").next().unwrap()).collect();
        for declaration in code.join("\n").split("kernel! {").skip(1) {
            let symbol = declaration.split('"').nth(1).expect("a symbol");
            let table = declaration.split(';').nth(1).expect("rows").split('}').next().unwrap();
            let assembly = table.split(',').filter_map(|row| row.trim().strip_suffix(" assembly"));
            rows.extend(assembly.map(|isa| format!("{symbol}_{isa}")));
        }
    }
    let files: BTreeSet<_> = sources().into_iter().map(|source| source.symbol).collect();
    let unpaired: Vec<_> = files.symmetric_difference(&rows).collect();
    assert!(unpaired.is_empty(), "files without a row, or rows without a file: {unpaired:#?}");
}

/// What `compiler` makes of `source` for `target` (its own where that is empty); its standard output.
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
    let object = folder.join(&source.symbol).with_extension("o");
    compile(compiler, target, source, &["-c", "-o", object.to_str().unwrap()]);
    object
}

/// The clang in the path, or the newest with its version in its name.
fn clang() -> Option<String> {
    let names = ["clang".to_owned()].into_iter().chain((14..40).rev().map(|version| format!("clang-{version}")));
    names
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success()))
}

/// The native compiler, and clang for the three object formats of every architecture.
#[test]
fn assembly_objects_carry_what_linkers_and_debuggers_need() {
    let Some(cc) = c::CC else { return println!("not run: the crate was built without a C compiler") };
    let clang = clang();
    let readelf = c::tool("readelf");
    for source in sources() {
        let arch = &source.arch;
        if cfg!(target_os = "linux") && source.arch == std::env::consts::ARCH {
            check_text(&source, &compile(cc, "", &source, &["-E"]));
            check_elf(&source, &assemble(cc, "", &source), &readelf);
        }
        if let Some(clang) = &clang {
            check_elf(&source, &assemble(clang, &format!("{arch}-linux-gnu"), &source), &readelf);
            for (system, prefix) in [("apple-darwin", "_"), ("pc-windows-msvc", "")] {
                let bytes = fs::read(assemble(clang, &format!("{arch}-{system}"), &source)).unwrap();
                let symbol = format!("{prefix}{}\0", source.symbol);
                assert!(bytes.windows(symbol.len()).any(|bytes| bytes == symbol.as_bytes()), "{system}: no {symbol:?}");
            }
        }
    }
    if clang.is_none() {
        println!("there is no clang: only {cc} was tried");
    }
}

/// `text` comes from the preprocessor.
fn check_text(source: &Source, text: &str) {
    let is_code = |line: &&str| !line.is_empty() && !line.starts_with('#');
    let lines: Vec<_> = text.lines().map(str::trim).filter(is_code).collect();
    // On some targets it begins a comment, which would take the rest of the line with it.
    assert!(lines.iter().all(|line| !line.contains(';')), "{}: a semicolon", source.symbol);
    // Below the stack pointer Windows keeps nothing.
    let below = lines.iter().find(|line| {
        line.contains("[rsp - ") && !line.starts_with("lea") || line.contains("[sp, #-") && !line.ends_with('!')
    });
    assert_eq!(below, None, "{}", source.symbol);
    // The unwinder learns at once where the stack pointer went.
    for pair in lines.windows(2) {
        let words: Vec<_> = pair[0].split_whitespace().collect();
        let moves = matches!(words[..], ["push", ..] | ["sub", "rsp," | "sp,", ..]) || pair[0].contains("[sp, #-");
        assert!(!moves || pair[1].starts_with(".cfi_"), "{}: {:?} without CFI", source.symbol, pair[0]);
    }
}

fn check_elf(source: &Source, object: &Path, readelf: &Path) {
    let symbol = &source.symbol;
    let code = format!(".text.{symbol}");
    let options = ["-s", "-S", "-n", "-W", "--debug-dump=frames", "-x", &code];
    let listing = c::succeed(Command::new(readelf).args(options).arg(object));
    let says = |needle: &str| listing.contains(needle);

    // One global symbol, named as the file: a hidden function that knows its size and calls nothing.
    let globals: Vec<_> = listing.lines().filter(|line| line.contains(" GLOBAL ")).collect();
    let words: Vec<_> = globals.iter().flat_map(|line| line.split_whitespace()).collect();
    let [_, _, size, "FUNC", _, "HIDDEN", _, name] = words[..] else { panic!("{symbol}: {globals:#?}") };
    assert_eq!(name, symbol);
    let size: u64 = size.parse().unwrap();

    // The stack is not executable; indirect branches land on a pad, and the object says so.
    let stack = listing.lines().find(|line| line.contains(".note.GNU-stack")).expect("a note on the stack");
    assert!(!stack.split_whitespace().any(|flags| flags == "X"), "{symbol}: {stack}");
    let (feature, pad) = match source.arch.as_str() {
        "x86_64" => ("x86 feature: IBT, SHSTK", "f30f1efa"),
        _ => ("AArch64 feature: BTI", "5f2403d5"),
    };
    assert!(says(feature), "{symbol} does not say {feature:?}");
    assert!(says(&format!("0x00000000 {pad}")), "{symbol} does not begin with a landing pad");

    // Unwinding data for the whole function.
    assert!(says(&format!("pc=0000000000000000..{size:016x}")), "{symbol} has {size} bytes but: {listing}");
}
