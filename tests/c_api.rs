//! The header says what the crate exports, and C programs that use the whole library get the crate's results.

mod c;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use hotloops::bitslice::{self, Layout, Store};
use hotloops::correlation::{Accumulator, Bins, Boundary, Image, Points, Psi};
use hotloops::hamming::{self, BitRows, PackedRows, Part, Similarity};
use hotloops::hardround::{self, Block, Scan, Series, Test};
use hotloops::isa::{self, Isa};
use hotloops::ising::{self, Beta, Builder, Kind, LayeredIsing, Link, Order, ReplicaExchange, Update};
use hotloops::random::Mt19937;
use hotloops::reduce::{self, Repro, Strided};

/// The types of C that stand for types of the crate.
const TYPES: &[(&str, &str)] = &[
    ("()", "void"),
    ("c_char", "char"),
    ("c_void", "void"),
    ("i8", "int8_t"),
    ("u8", "uint8_t"),
    ("u16", "uint16_t"),
    ("i16", "int16_t"),
    ("i32", "int32_t"),
    ("u32", "uint32_t"),
    ("i64", "int64_t"),
    ("u64", "uint64_t"),
    ("usize", "size_t"),
    ("isize", "ptrdiff_t"),
    ("f32", "float"),
    ("f64", "double"),
    ("Status", "hl_status"),
    ("Function", "hl_function"),
    ("Hit", "hl_fp_hit"),
    ("Mt19937", "hl_mt19937"),
    ("LayeredIsing", "hl_ising_model"),
    ("IsingGraph", "hl_ising_graph"),
    ("IsingOpts", "hl_ising_opts"),
    ("IsingInfo", "hl_ising_info"),
    ("Link", "hl_ising_link"),
    ("Beta", "hl_ising_beta"),
    ("Energy", "hl_ising_energies"),
    ("ReplicaExchange", "hl_replica_exchange"),
    ("Accumulator", "hl_pairs"),
    ("PairsBin", "hl_pairs_bin"),
    ("Image", "hl_image"),
    ("Points", "hl_points"),
    ("Repro", "hl_repro"),
    ("Block", "hl_hardround_block"),
    ("Cell", "hl_hardround_cell"),
    ("MatmulOpts", "hl_matmul_opts"),
    ("MatmulPacked", "hl_matmul_packed"),
    ("MatmulPlan", "hl_matmul_plan"),
];

/// The C spelling of a Rust type.
fn c_type(rust: &str) -> String {
    if let Some(target) = rust.strip_prefix("*mut ") {
        return format!("{} *", c_type(target));
    }
    if let Some(target) = rust.strip_prefix("*const ") {
        // `const` qualifies what stands left of it, or else the word that follows.
        return match target.starts_with('*') {
            true => format!("{} const *", c_type(target)),
            false => format!("const {} *", c_type(target)),
        };
    }
    let known = TYPES.iter().find(|(name, _)| *name == rust);
    known.unwrap_or_else(|| panic!("no C type is known for {rust:?}")).1.into()
}

/// `x: *const f32, n: usize` as `const float *x`, `size_t n`.
fn c_variables(rust: &str) -> Vec<String> {
    let variables = rust.split(',').filter_map(|variable| variable.split_once(':'));
    let c_variable = |(name, rust): (&str, &str)| {
        // `[[u64; 2]; 4]` is declared as `uint64_t name[4][2]`.
        let (mut element, mut extents) = (rust.trim(), String::new());
        while let Some((inner, extent)) = element.strip_prefix('[').and_then(|array| array.rsplit_once(';')) {
            extents += &format!("[{}]", extent.trim_matches([' ', ']']));
            element = inner;
        }
        format!("{} {}{extents}", c_type(element), name.trim())
    };
    variables.map(c_variable).collect()
}

/// `name` with the Rust signature `(x: *const f32, n: usize) -> u64` as a C prototype.
fn c_prototype(name: &str, signature: &str) -> String {
    let signature = signature.split_whitespace().collect::<Vec<_>>().join(" ");
    let (arguments, result) = signature.split_once(" -> ").unwrap_or((&signature, "()"));
    let arguments = c_variables(arguments.trim_matches(['(', ')', ' ']));
    let arguments = if arguments.is_empty() { "void".into() } else { arguments.join(", ") };
    c::words(&format!("{} {name}({arguments})", c_type(result)))
}

/// The source files of a crate's folder and of the folders in it, without comments.
fn sources(folder: &Path) -> Vec<(String, String)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let code = |text: String| text.lines().map(|line| line.split("//").next().unwrap().to_owned() + "\n").collect();
    let file = |path: &std::path::PathBuf| {
        (path.file_name().unwrap().to_string_lossy().into_owned(), code(fs::read_to_string(path).unwrap()))
    };
    files.iter().map(file).chain(folders.iter().flat_map(|folder| sources(folder))).collect()
}

fn assert_same(header: BTreeSet<String>, crate_: BTreeSet<String>) {
    let only = |a: &BTreeSet<String>, b: &BTreeSet<String>| a.difference(b).cloned().collect::<Vec<_>>().join("\n  ");
    let (left, right) = (only(&header, &crate_), only(&crate_, &header));
    assert!(header == crate_, "only in the header:\n  {left}\nonly in the crate:\n  {right}");
}

#[test]
fn functions_are_those_of_the_crate() {
    let mut exported: BTreeSet<_> =
        hotloops::kernels().map(|kernel| c_prototype(kernel.symbol, kernel.signature)).collect();
    for (file, text) in sources(&Path::new(c::ROOT).join("src")) {
        let functions: Vec<_> = text.split("#[unsafe(no_mangle)]").skip(1).collect();
        assert_eq!(functions.len(), text.matches("extern \"C\" fn hl_").count(), "{file}: one attribute each");
        for function in functions {
            let head = function.split("extern \"C\" fn ").nth(1).unwrap().split('{').next().unwrap();
            let (name, signature) = head.split_at(head.find('(').unwrap());
            exported.insert(c_prototype(name, signature));
        }
    }
    assert_same(c::prototypes().into_iter().collect(), exported);
}

#[test]
fn structures_are_those_of_the_crate() {
    let in_header = |text: &String| text.starts_with("typedef struct") && text.contains('{');
    let mut structures = BTreeSet::new();
    for (_, text) in sources(&Path::new(c::ROOT).join("src")) {
        for structure in text.split("#[repr(C)]").skip(1) {
            let (head, fields) = structure.split_once('{').unwrap();
            if head.contains('<') {
                continue; // C knows no parameters of types
            }
            let name = c_type(head.split_whitespace().last().unwrap());
            let fields = fields.split('}').next().unwrap().replace("pub ", "");
            let fields: String = c_variables(&fields).iter().map(|field| format!("{field};")).collect();
            structures.insert(c::words(&format!("typedef struct {name} {{ {fields} }} {name}")));
        }
    }
    assert_same(c::declarations().into_iter().filter(in_header).collect(), structures);
}

#[test]
fn statuses_are_those_of_the_crate() {
    let header = fs::read_to_string(c::HEADER).unwrap();
    let lines = header.lines().map(str::trim).filter(|line| line.starts_with("HL_ERR_"));
    let declared = lines.map(|line| line.replace(',', " ").split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    let statuses = hotloops::STATUSES.iter().map(|(name, value, text)| {
        let sentence = text.to_str().unwrap().replace(',', " ");
        format!("{name} = {value} // {sentence}").split_whitespace().collect::<Vec<_>>().join(" ")
    });
    assert_same(declared, statuses.collect());
    assert!(header.contains(&format!("#define HL_VERSION \"{}\"\n", env!("CARGO_PKG_VERSION"))));
}

const WARNINGS: [&str; 4] = ["-Wall", "-Wextra", "-pedantic", "-Werror"];

#[test]
fn every_function_is_documented() {
    let header = fs::read_to_string(c::HEADER).unwrap();
    let declares = |paragraph: &&str| paragraph.lines().any(|line| !line.starts_with("//") && line.contains("hl_"));
    let bare: Vec<_> = header.split("\n\n").filter(declares).filter(|text| !text.starts_with("//")).collect();
    assert!(bare.is_empty(), "without a comment: {bare:#?}");
}

/// A compiler run for a standard, or `None` where the compiler does not know it.
fn compiler(name: &str, language: &str, standard: &str) -> Option<Command> {
    let command = || {
        let mut command = Command::new(name);
        command.args(["-x", language, &format!("-std={standard}")]);
        command
    };
    let known = command().args(["-fsyntax-only", "/dev/null"]).output().is_ok_and(|output| output.status.success());
    if !known {
        println!("not run: {name} knows no {standard}");
    }
    known.then(command)
}

/// The C++ compiler that belongs to the C compiler: it links the C++ library, too.
fn cxx() -> Option<String> {
    let cc = c::CC?;
    let (folder, name) = cc.split_at(cc.rfind('/').map_or(0, |slash| slash + 1));
    let name = match name.contains("clang") {
        true => name.replace("clang", "clang++"),
        false => name.replace("gcc", "g++").replace("cc", "c++"),
    };
    let path = format!("{folder}{name}");
    let found = Command::new(&path).arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        println!("not run: there is no {path}");
    }
    found.then_some(path)
}

#[test]
fn the_header_is_clean_in_every_standard() {
    let Some(cc) = c::CC else { return println!("not run: the crate was built without a C compiler") };
    let standards = [
        ("c", &["c99", "c11", "c17", "c2x", "c23"][..]),
        ("c++", &["c++11", "c++14", "c++17", "c++20", "c++2b", "c++23"]),
    ];
    for name in [cc, "clang"] {
        for (language, standard) in
            standards.iter().flat_map(|(language, all)| all.iter().map(move |one| (language, one)))
        {
            if let Some(mut compiler) = compiler(name, language, standard) {
                c::succeed(compiler.args(WARNINGS).args(["-Wconversion", "-fsyntax-only"]).arg(c::HEADER));
            }
        }
    }
}

/// Compiles and links a program of tests/c.
fn compile(mut compiler: Command, library: &c::Library, shared: bool, source: &str, program: &Path) {
    let lib = library.prefix.join("lib");
    compiler.args(WARNINGS).arg("-I").arg(library.prefix.join("include")).arg("-o").arg(program);
    compiler.arg(format!("{}/tests/c/{source}", c::ROOT)).args(["-x", "none"]);
    match shared {
        true => compiler.arg(format!("-Wl,-rpath,{}", lib.display())).arg("-L").arg(lib).arg("-lhotloops"),
        false => compiler.arg(lib.join("libhotloops.a")),
    };
    c::succeed(compiler.arg("-lm"));
}

/// What is `printed` by consumer.c must be what the crate says.
fn assert_transcript(name: &str, printed: &str) {
    static EXPECTED: OnceLock<String> = OnceLock::new();
    let expected = EXPECTED.get_or_init(transcript);
    for (line, (printed, expected)) in printed.lines().zip(expected.lines()).enumerate() {
        assert_eq!(printed, expected, "{name}: line {line}, printed on the left");
    }
    assert_eq!(printed.lines().count(), expected.lines().count());
}

#[test]
fn a_consumer_gets_the_results_of_the_crate() {
    let Some(library) = c::library() else { return };
    for (language, standard) in [("c", "c99"), ("c++", "c++17")] {
        for shared in [false, true] {
            let Some(compiler) = compiler(c::CC.unwrap(), language, standard) else { continue };
            let name = format!("consumer-{standard}-{}", if shared { "so" } else { "a" });
            let program = library.prefix.join(&name);
            compile(compiler, library, shared, "consumer.c", &program);
            assert_transcript(&name, &c::succeed(&mut c::run(&program)));

            let refused = c::run(&program).env("HOTLOOPS_ISA", "avx1024").output().unwrap();
            let text = String::from_utf8_lossy(&refused.stderr);
            assert!(!refused.status.success() && text.contains("HOTLOOPS_ISA=avx1024 is not the name"), "{text}");
        }
    }
}

/// Whether a compiler is there, is for the same machine as ours, and links with these options.
fn links(name: &str, options: &[&str], library: &c::Library) -> bool {
    let machine = |name: &str| {
        let output = Command::new(name).arg("-dumpmachine").output().ok()?;
        Some(String::from_utf8(output.stdout).ok()?.split('-').next()?.to_owned())
    };
    let (source, program) = (library.prefix.join("empty.c"), library.prefix.join("empty"));
    fs::write(&source, "int main(void) { return 0; }\n").unwrap();
    let mut command = Command::new(name);
    command.args(options).arg(source).arg("-o").arg(program);
    let known = machine(name).is_some_and(|found| machine(c::CC.unwrap()) == Some(found))
        && command.output().is_ok_and(|output| output.status.success());
    if !known {
        println!("not run: {name} {options:?}");
    }
    known
}

#[test]
fn the_archive_links_in_every_way() {
    let Some(library) = c::library() else { return };
    let cc = c::CC.unwrap();
    let ways: [(&str, &[&str]); 9] = [
        (cc, &["-static"]),
        (cc, &["-static-pie", "-fPIE"]),
        (cc, &["-pie", "-fPIE"]),
        (cc, &["-no-pie", "-fno-pie"]),
        (cc, &["-flto"]),
        (cc, &["-Wl,--gc-sections"]),
        (cc, &["-fuse-ld=lld"]),
        ("clang", &[]),
        ("musl-gcc", &["-static"]),
    ];
    for (name, options) in ways.into_iter().filter(|(name, options)| links(name, options, library)) {
        let Some(mut compiler) = compiler(name, "c", "c99") else { continue };
        compiler.args(options);
        let program = library.prefix.join("consumer-linked");
        compile(compiler, library, false, "consumer.c", &program);
        assert_transcript(&format!("{name} {options:?}"), &c::succeed(&mut c::run(&program)));
    }
}

#[test]
fn the_first_call_may_come_from_anywhere() {
    let Some(library) = c::library() else { return };
    let Some(cxx) = cxx() else { return };
    let build = |options: &[&str], shared, source: &str, name: &str| {
        let mut compiler = Command::new(&cxx);
        compiler.args(["-x", "c++", "-std=c++11", "-pthread"]).args(options);
        let program = library.prefix.join(name);
        compile(compiler, library, shared, source, &program);
        program
    };
    let before_main = build(&[], false, "first_call.cpp", "before-main");
    assert_transcript("before main", &c::succeed(&mut c::run(&before_main)));

    let plugin = build(&["-shared", "-fPIC"], false, "first_call.cpp", "plugin.so");
    let load = build(&["-Wl,--no-as-needed", "-ldl"], false, "load.cpp", "load");
    let mut load = c::run(&load);
    assert_transcript("in dlopen", &c::succeed(load.arg(plugin).arg(library.prefix.join("lib/libhotloops.so"))));
}

/// The programs of examples/c and examples/cpp, with their language and its oldest standard.
fn examples() -> Vec<(PathBuf, &'static str, &'static str)> {
    let folders = [("c", "c99"), ("c++", "c++11")];
    let of = |(language, standard): (&'static str, &'static str)| {
        let name = language.replace('+', "p");
        let files = fs::read_dir(format!("{}/examples/{name}", c::ROOT)).unwrap().map(|entry| entry.unwrap().path());
        let sources = files.filter(move |file| file.extension().is_some_and(|extension| *extension == *name));
        sources.map(move |source| (source, language, standard))
    };
    folders.into_iter().flat_map(of).collect()
}

#[test]
fn every_family_has_an_example() {
    for family in hotloops::kernels().map(|kernel| kernel.name().0) {
        let name = format!("{family}.cpp");
        assert!(examples().iter().any(|(source, ..)| *source.file_name().unwrap() == *name), "there is no {name}");
    }
}

#[test]
fn the_examples_run() {
    let Some(library) = c::library() else { return };
    let cc = c::CC.unwrap();
    let lib = library.prefix.join("lib");
    let archive = vec![lib.join("libhotloops.a").display().to_string()];
    let ways: Vec<_> = [Some(archive), pkg_config(library, "--libs")].into_iter().flatten().collect();
    let plain = format!("-I{}", library.prefix.join("include").display());
    let cflags = pkg_config(library, "--cflags").unwrap_or(vec![plain]);
    for (source, language, standard) in examples() {
        let linker = if language == "c" { Some(cc.to_owned()) } else { cxx() };
        let (Some(mut compiler), Some(linker)) = (compiler(cc, language, standard), linker) else { continue };
        let program = library.prefix.join(source.file_name().unwrap());
        let object = library.prefix.join("example.o");
        c::succeed(compiler.args(WARNINGS).args(&cflags).args(["-pthread", "-c", "-o"]).arg(&object).arg(&source));
        for libraries in &ways {
            let mut link = Command::new(&linker);
            link.args(["-pthread", "-o"]).arg(&program).arg(&object).args(libraries).arg("-lm");
            c::succeed(link.arg(format!("-Wl,-rpath,{}", lib.display())));
            println!("{}", c::succeed(c::run(&program).arg("10")));
        }
    }
}

#[test]
fn cmake_finds_the_library() {
    let Some(library) = c::library() else { return };
    if Command::new("cmake").arg("--version").output().is_err() {
        return println!("not run: there is no cmake");
    }
    let Some(cxx) = cxx() else { return };
    let build = library.prefix.join("build");
    let mut configure = Command::new("cmake");
    configure.arg("-S").arg(format!("{}/tests/c", c::ROOT)).arg("-B").arg(&build);
    configure.arg(format!("-DCMAKE_PREFIX_PATH={}", library.prefix.display()));
    configure.arg(format!("-DCMAKE_C_COMPILER={}", c::CC.unwrap())).arg(format!("-DCMAKE_CXX_COMPILER={cxx}"));
    c::succeed(&mut configure);
    c::succeed(Command::new("cmake").arg("--build").arg(&build).args(["--parallel", "2"]));
    assert_transcript("hotloops::static", &c::succeed(&mut c::run(&build.join("consumer"))));
    assert_eq!(c::succeed(&mut c::run(&build.join("blas"))), "done\n");
    for (source, ..) in examples() {
        let program = source.file_name().unwrap().to_str().unwrap().replace('.', "_");
        println!("{}", c::succeed(c::run(&build.join("examples").join(program)).arg("10")));
    }
}

/// What pkg-config says of the library, in words, or `None` after a line that says why not.
fn pkg_config(library: &c::Library, option: &str) -> Option<Vec<String>> {
    let mut command = Command::new("pkg-config");
    command.env("PKG_CONFIG_PATH", library.prefix.join("lib/pkgconfig")).args(["--static", option, "hotloops"]);
    if command.output().is_err() {
        println!("not run: there is no pkg-config");
        return None;
    }
    Some(c::succeed(&mut command).split_whitespace().map(str::to_owned).collect())
}

#[test]
fn pkg_config_finds_the_library() {
    let Some(library) = c::library() else { return };
    let ask = |option| pkg_config(library, option);
    let (Some(version), Some(cflags), Some(libs)) = (ask("--modversion"), ask("--cflags"), ask("--libs")) else {
        return;
    };
    assert_eq!(version, [env!("CARGO_PKG_VERSION")]);
    let same = |path: &str, folder: &str| {
        assert_eq!(fs::canonicalize(path).unwrap(), fs::canonicalize(library.prefix.join(folder)).unwrap());
    };
    let ([include], [lib, name]) = (&cflags[..], &libs[..]) else { panic!("{cflags:?} {libs:?}") };
    same(include.strip_prefix("-I").unwrap(), "include");
    same(lib.strip_prefix("-L").unwrap(), "lib");
    assert_eq!(name, "-lhotloops");
}

/// What consumer.c prints, by the crate itself.
fn transcript() -> String {
    let mut lines = vec![format!("version {}", env!("CARGO_PKG_VERSION")), format!("active {}", isa::active().word())];
    let results = results();
    lines.extend(results.clone());
    for &isa in Isa::ALL {
        let status = if isa::detected(isa) { 0 } else { hotloops::Error::IsaUnavailable { isa }.status() };
        lines.push(format!("isa {} {status}", isa.word()));
        if isa::detected(isa) {
            lines.extend(results.clone());
        }
    }
    for kernel in hotloops::kernels() {
        let (family, name) = kernel.name();
        // Of those for one instruction set, the C library has the best.
        let mut rows = kernel.variants.to_vec();
        rows.dedup_by_key(|row| row.isa);
        lines.extend(rows.iter().map(|row| {
            let found = if isa::detected(row.isa) { "found" } else { "missing" };
            format!("variant {family}/{name}/{row} {found}")
        }));
    }
    lines.extend(
        hotloops::STATUSES.iter().map(|(_, value, text)| format!("refused {value} {}", text.to_str().unwrap())),
    );
    lines.join("\n")
}

fn digest<const SIZE: usize>(name: &str, bytes: impl IntoIterator<Item = [u8; SIZE]>) -> String {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100000001b3);
    let hash = bytes.into_iter().flatten().fold(0xcbf29ce484222325, step);
    format!("digest {name} {hash:016x}")
}

fn generator(lanes: u32) -> Mt19937 {
    let seeds: Vec<_> = (0..lanes).map(|lane| 5489 + lane).collect();
    Mt19937::new(&seeds).unwrap()
}

fn results() -> Vec<String> {
    let mut lines = Vec::new();
    for lanes in [4, 8, 16] {
        let mut rng = generator(lanes);
        let (mut words, mut floats) = ([0; 1999], [0.0; 2000]);
        rng.fill_u32(&mut words);
        rng.fill_f32(&mut floats);
        lines.push(digest("mt19937_u32", words.map(u32::to_ne_bytes)));
        lines.push(digest("mt19937_f32", floats.map(f32::to_ne_bytes)));
    }

    let mut rng = generator(8);
    rng.fill_u32(&mut [0; 99]);
    let mut bytes = vec![0; rng.state_len()];
    rng.state_bytes(&mut bytes).unwrap();
    lines.push(digest("state", bytes.into_iter().map(u8::to_ne_bytes)));

    let x: [f32; 1001] = std::array::from_fn(|i| (i as f32 - 500.0) / 16.0);
    let kernels: [(&str, hotloops::exp::fast_f32::Function); 3] = [
        ("fast_f32", hotloops::exp::fast_f32),
        ("accurate_f32", hotloops::exp::accurate_f32),
        ("poly_f32", hotloops::exp::poly_f32),
    ];
    for (name, kernel) in kernels {
        let mut y = [0.0; 1001];
        // SAFETY: both arrays hold 1001 floats.
        unsafe { kernel(x.as_ptr(), y.as_mut_ptr(), x.len()) };
        lines.push(digest(name, y.map(f32::to_ne_bytes)));
    }

    lines.extend(bits_results());
    lines.extend(reduce_results());
    lines.extend(matmul_results());
    lines.extend(correlation_results());
    lines.extend(hardround_results());
    for acceptance in [Kind::F32Fast, Kind::F32Poly, Kind::I8Exact, Kind::Auto] {
        for order in [Order::Coloured, Order::Natural] {
            for update in [Update::Gather, Update::Scatter] {
                lines.extend(model_results(acceptance, order, update));
            }
        }
    }
    lines.extend(kernel_results());
    lines.extend(exact_kernel_results());
    lines.extend(exchange_results());
    lines
}

/// Bytes of a whole array as one digest.
fn all<T: Copy, const SIZE: usize>(name: &str, values: &[T], bytes: fn(T) -> [u8; SIZE]) -> String {
    digest(name, values.iter().map(|&value| bytes(value)))
}

fn bits_results() -> Vec<String> {
    let block: Vec<u32> = (0..2048u32).map(|n| n.wrapping_mul(2_654_435_761)).collect();
    let memory: Vec<u8> = block.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let longs: Vec<u64> = memory.chunks_exact(8).map(|word| u64::from_ne_bytes(word.try_into().unwrap())).collect();
    let byte = |byte: u8| [byte];

    let (mut planes, mut counts) = (vec![0; 8192], [0; 32]);
    bitslice::slice(&block, &mut planes, 256).unwrap();
    bitslice::count_ones(&block, &mut counts).unwrap();
    let mut lines = vec![all("planes", &planes, byte), all("positions", &counts, u64::to_ne_bytes)];
    for layout in [Layout::Rows2048, Layout::Tiles64] {
        let mut blocks = vec![0; bitslice::blocks_len::<u64>(1000, layout).unwrap()];
        bitslice::slice_blocks(&longs[..1000], &mut blocks, layout, Store::Cached).unwrap();
        lines.push(all("blocks", &blocks, byte));
    }
    let (mut d, mut codes) = (vec![0; 1024], [0; 32]);
    hamming::slices_distance(&block, &mut d).unwrap();
    bitslice::classify(&d, 2048, &mut codes).unwrap();
    lines.extend([all("slices", &d, u32::to_ne_bytes), all("codes", &codes, u16::to_ne_bytes)]);
    planes[3 * 256..4 * 256].fill(0);
    let mut dna = [0; 6];
    bitslice::dna::encode(b"GATTACATN", &mut dna, 2).unwrap();
    lines.extend([all("restored", &planes, byte), all("dna", &dna, byte)]);

    let rows = BitRows::new(&memory, 100, 500, 64).unwrap();
    let (mut ones, mut distances, mut scores) = (vec![0; 100], vec![0; 10_000], vec![0.0; 10_000]);
    hamming::count_ones(rows, &mut ones).unwrap();
    hamming::within(rows, 0..100, &mut distances, 100, Part::Full).unwrap();
    lines.extend([all("ones", &ones, u32::to_ne_bytes), all("self", &distances, u32::to_ne_bytes)]);
    let mut packed = vec![0; hamming::packed_len(100, 500).unwrap()];
    hamming::pack(rows, &mut packed).unwrap();
    let packed = PackedRows::new(&packed).unwrap();
    for (name, measure) in
        [("tanimoto", Similarity::Tanimoto), ("dice", Similarity::Dice), ("cosine", Similarity::Cosine)]
    {
        hamming::similarities(measure, &packed, rows, 1.0, &mut scores, 100).unwrap();
        lines.push(all(name, &scores, f32::to_ne_bytes));
        if measure == Similarity::Tanimoto {
            let hit = |(at, &score): (usize, &f32)| {
                let [row, column] = [at / 100, at % 100];
                let head = (row as u64).to_ne_bytes().into_iter().chain((column as u32).to_ne_bytes());
                let bytes: Vec<u8> = head.chain(score.to_ne_bytes()).collect();
                <[u8; 16]>::try_from(bytes).unwrap()
            };
            lines.push(digest("hits", scores.iter().enumerate().filter(|(_, score)| **score >= 0.5).map(hit)));
        }
    }

    let ones_of = |row: &[u8]| row.iter().map(|byte| byte.count_ones()).sum::<u32>();
    let ones: Vec<u32> = memory.chunks_exact(128).map(|row| ones_of(&row[..125])).collect();
    // 64 packed rows of 16 words against the first two rows of the same memory.
    let common = (0..128usize).map(|at| {
        let (row, group, lane) = (at / 64, at % 64 / 8, at % 8);
        (0..16).map(|word| (longs[16 * row + word] & longs[(16 * group + word) * 8 + lane]).count_ones()).sum::<u32>()
    });
    lines.push(all("counts", &ones, u32::to_ne_bytes));
    lines.push(digest("intersections", common.map(u32::to_ne_bytes)));
    let finished = |name, value: fn(u32) -> f32| digest(name, ones.iter().map(|&c| value(c).to_ne_bytes()));
    lines.push(digest("distances", ones.iter().map(|&c| (1000 - c).to_ne_bytes())));
    lines.push(finished("tanimoto", |c| c as f32 / 1000.0));
    lines.push(finished("dice", |c| (2 * c) as f32 / (1000 + c) as f32));
    lines.push(finished("cosine", |c| (f64::from(c) / (1000.0 * f64::from(c)).sqrt()) as f32));
    lines
}

fn reduce_results() -> [String; 4] {
    let word = |i: usize| (i as u32).wrapping_mul(2_654_435_761);
    let floats: [f32; 1001] = std::array::from_fn(|i| ((word(i) >> 8) as f32 - 8_388_608.0) / (1 + i % 4) as f32);
    let doubles: [f64; 1001] = std::array::from_fn(|i| (f64::from(word(i)) - 2_147_483_648.0) / (1 + i % 3) as f64);
    let f = [
        reduce::sum(&floats),
        reduce::asum(&floats),
        reduce::dot(&floats[..1000], &floats[1..]).unwrap(),
        reduce::sum2(&floats),
        reduce::dot2(&floats[..1000], &floats[1..]).unwrap(),
        reduce::kahan(&floats),
        reduce::sum_repro(&floats),
        reduce::sum(Strided::new(&floats, 300, -3).unwrap()),
    ];
    let across = (Strided::new(&doubles, 300, 2).unwrap(), Strided::new(&doubles[1..], 300, -3).unwrap());
    let d = [
        reduce::sum(&doubles),
        reduce::asum(&doubles),
        reduce::dot(&doubles[..1000], &doubles[1..]).unwrap(),
        reduce::sum2(&doubles),
        reduce::dot2(&doubles[..1000], &doubles[1..]).unwrap(),
        reduce::kahan(&doubles),
        reduce::sum_repro(&doubles),
        reduce::dot(across.0, across.1).unwrap(),
    ];
    let mut repro = Repro::new();
    repro.extend(&doubles[..400]);
    repro.extend(&floats);
    let mut bytes = [0; Repro::STATE_LEN];
    repro.state_bytes(&mut bytes).unwrap();
    let mut sums = [0; 2];
    // SAFETY: the numbers of two arrays, two sums.
    let fits = unsafe {
        reduce::binned_f64(doubles.as_ptr(), 1001, -34, sums.as_mut_ptr())
            & reduce::binned_f32(floats.as_ptr(), 1001, -34, sums.as_mut_ptr())
    };
    assert_eq!(fits, 1);
    [
        digest("reduce_f32", f.map(f32::to_ne_bytes)),
        digest("reduce_f64", d.map(f64::to_ne_bytes)),
        digest("repro", bytes.map(u8::to_ne_bytes)),
        digest("binned", sums.map(i64::to_ne_bytes)),
    ]
}

/// Small integers, whose products and sums are exact: by the textbook.
fn matmul_results() -> [String; 2] {
    let (m, n, k) = (23usize, 37usize, 29usize);
    let a = |i: usize, p: usize| ((i * k + p) % 7) as f32 - 3.0;
    let b = |p: usize, j: usize| ((p * n + j) % 5) as f32 - 2.0;
    let c = (0..m * n).map(|at| {
        let (i, j) = (at / n, at % n);
        2.0 * (0..k).map(|p| a(i, p) * b(p, j)).sum::<f32>() + 3.0 * (at % 3) as f32
    });
    // The doubles are columns, of all three matrices.
    let a = |i: usize, p: usize| ((i + m * p) % 11) as f64 - 5.0;
    let b = |p: usize, j: usize| ((p + k * j) % 13) as f64 - 6.0;
    let d = (0..m * n).map(|at| {
        let (i, j) = (at % m, at / m);
        2.0 * (0..k).map(|p| a(i, p) * b(p, j)).sum::<f64>() + 3.0 * (at % 3) as f64
    });
    [digest("gemm_f32", c.map(f32::to_ne_bytes)), digest("gemm_f64", d.map(f64::to_ne_bytes))]
}

/// The plane of consumer.c.
fn correlation_results() -> [String; 7] {
    let n = 300;
    let x: Vec<i32> = (0..n).map(|i| i * 37 % 101).collect();
    let y: Vec<i32> = (0..n).map(|i| i * i % 83).collect();
    let real_x: Vec<f64> = x.iter().zip(0..).map(|(&x, i)| 0.75 * f64::from(x) + 0.001 * f64::from(i)).collect();
    let real_y: Vec<f64> = y.iter().map(|&y| 0.5 * f64::from(y)).collect();
    let psi: Vec<Psi> = (0..n).map(|i| Psi::from_angle(0.01 * f64::from(i), 6).unwrap()).collect();
    let pairs = |bins: Result<Bins, _>| Accumulator::new(bins.unwrap()).unwrap();
    let words = |name, pairs: &Accumulator| {
        let words = pairs.bins().flat_map(|bin| [bin.count, (bin.sum >> 64) as u64, bin.sum as u64]);
        digest(name, words.map(u64::to_ne_bytes))
    };
    let (image, positions) = (Image::new(&x, &y, &psi).unwrap(), Image::of_positions(&x, &y).unwrap());
    let mut of_image = pairs(Bins::uniform(0.0, 64.0, 1.0));
    for _ in 0..2 {
        of_image.add_image(&image).unwrap();
        of_image.add_image_cross(&image, &positions).unwrap();
    }
    let mut map = [(0, 0); 41];
    image.map_row(3, &mut map).unwrap();
    let points = Points::new(&real_x, &real_y, &psi, Boundary::Periodic([80.0, 70.0]), 30.0).unwrap();
    let others = points.others(&real_y, &real_x, &psi).unwrap();
    let mut of_points = pairs(Bins::from_edges(&[0.0, 2.5, 10.0, 30.0]));
    of_points.add_points(&points).unwrap();
    of_points.add_points(&others).unwrap();
    of_points.add_points_cross(&points, &others).unwrap();
    let mut open = pairs(Bins::uniform(0.0, 6.25, 0.125));
    open.add_points(&Points::new(&real_x, &real_y, &psi, Boundary::Open, 6.25).unwrap()).unwrap();
    let order = |boundary, k, fold| Psi::of_neighbours(&real_x, &real_y, boundary, k, fold).unwrap();
    let parts = |name, psi: Vec<Psi>| digest(name, psi.iter().flat_map(|psi| psi.parts()).map(i16::to_ne_bytes));
    [
        words("image", &of_image),
        digest("map_counts", map.map(|(count, _)| count.to_ne_bytes())),
        digest("map_sums", map.map(|(_, sum)| (sum as i64).to_ne_bytes())),
        words("points", &of_points),
        words("open", &open),
        parts("psi6", order(Boundary::Open, 6, 6)),
        parts("psi3", order(Boundary::Periodic([80.0, 70.0]), 5, 3)),
    ]
}

/// The polynomial and the domains of consumer.c.
fn hardround_results() -> [String; 5] {
    let taylor = [
        [0, 0, 0x5555_5555_5555_5555, 0x5555_5555_5555_5555],
        [0, 0, 0x0123_4567_89ab_cdef, 0x9e37_79b9_7f4a_7c15],
        [0, 0, 0, 1 << 23],
        [0, 0, 1 << 38, 0],
    ];
    let series = Series::new(&taylor, 16).unwrap();
    let blocks: Vec<Block> = (-1..3).map(|j| series.block(j)).collect();
    let (mut scan, mut cases) = (Scan::new(1 << 50).unwrap(), Vec::<u64>::new());
    blocks.iter().for_each(|block| scan.block(block, 1 << 16, |x| cases.push(x)).unwrap());
    let multiples = |of: u64, from| (from..from + 500).map(move |i: u64| i.wrapping_mul(of)).collect::<Vec<u64>>();
    let (a, b) = (multiples(0x9e37_79b9_7f4a_7c15, 1), multiples(0xbf58_476d_1ce4_e5b9, 7));
    let [regular, lefevre] = [Test::Regular, Test::Lefevre].map(|test| {
        let mut bits = [0; 63];
        hardround::exists(test, &a, &b, 4096, 1 << 48, &mut bits).unwrap();
        bits
    });
    let first = hardround::exhaust_first(&[a[0], a[1], a[2], a[3]], 100_000, 1 << 50).unwrap();
    [
        digest("hardround_blocks", blocks.iter().flat_map(|block| block.c).flatten().map(u64::to_ne_bytes)),
        digest("hardround_cases", cases.into_iter().map(u64::to_ne_bytes)),
        digest("hardround_regular", regular.map(u8::to_ne_bytes)),
        digest("hardround_lefevre", lefevre.map(u8::to_ne_bytes)),
        format!("hardround_first {first}"),
    ]
}

/// The ring of six of consumer.c.
fn ring() -> Builder {
    LayeredIsing::builder(32, 6)
        .couplings([(0, 5, 0.5), (0, 1, 1.0), (1, 2, -0.25), (2, 3, 1.0), (3, 4, 0.125), (4, 5, 1.0)])
        .fields(&[0.125, 0.0, -0.25, 0.0, 0.0, 0.375])
}

/// 20 sweeps, a spin turned, 5 sweeps.
fn model_results(acceptance: Kind, order: Order, update: Update) -> [String; 5] {
    let mut model = ring().tau_coupling(0.75).order(order).update(update).build(acceptance).unwrap();
    let mut rng = generator(16);
    let beta = Beta { space: 0.4, tau: 0.3 };
    let mut spins = [0; 32 * 6];
    let before = model.sweep(&mut rng, beta, 20).unwrap();
    model.spins(&mut spins).unwrap();
    spins[0] = -spins[0];
    model.set_spins(&spins).unwrap();
    let after = model.sweep(&mut rng, beta, 5).unwrap();
    let mut sums = [0; 33];
    model.overlaps(&spins, &mut sums[1..]).unwrap();
    sums[0] = model.magnetisation();
    model.spins(&mut spins).unwrap();
    let energy = model.energy();
    [
        digest("order", model.order().iter().map(|site| site.to_ne_bytes())),
        digest("flips", [before, after].map(u64::to_ne_bytes)),
        digest("spins", spins.map(i8::to_ne_bytes)),
        digest("energy", [energy.space, energy.tau].map(f64::to_ne_bytes)),
        digest("sums", sums.map(i64::to_ne_bytes)),
    ]
}

fn kernel_results() -> [String; 4] {
    let links = [(1, 0.25), (64, 0.5), (1, 0.0), (0, 0.5)].map(|(word, value)| Link { word, value });
    let sign = |period: usize| std::array::from_fn::<f32, 32, _>(|i| if i % period == 0 { -1.0 } else { 1.0 });
    let mut random = [0; 32];
    generator(16).fill_u32(&mut random);
    let sweep = |name, kernel: ising::sweep_fast_f32::Function| {
        let (mut spins, below, above, mut flips) = (sign(3), sign(5), sign(7), [0; 16]);
        // SAFETY: two rows everywhere, and links for two sites that stay inside them.
        unsafe {
            let (below, above, links) = (below.as_ptr(), above.as_ptr(), links.as_ptr());
            kernel(spins.as_mut_ptr(), 0, 2, below, above, links, 0.5, 0.25, random.as_ptr(), flips.as_mut_ptr());
        }
        digest(name, spins.map(f32::to_ne_bytes))
    };
    [
        sweep("sweep_fast_f32", ising::sweep_fast_f32),
        sweep("sweep_poly_f32", ising::sweep_poly_f32),
        sweep("sweep_heat_fast_f32", ising::sweep_heat_fast_f32),
        sweep("sweep_heat_poly_f32", ising::sweep_heat_poly_f32),
    ]
}

fn exact_kernel_results() -> [String; 6] {
    let results = |names: [&str; 2], kernel: ising::sweep_i8::Function, thresholds: [u16; ising::THRESHOLDS]| {
        let links = [1 | 1 << 8 | 1 << 16, 2 | 1 << 8, 1 | 1 << 8, 2];
        let (below, above) = ([0x0123456789abcdef, 0], [0xff, !0]);
        let (mut spins, mut flips) = ([0x5555555555555555, 0xffff0000], 0);
        let (mut random, mut bytes) = ([0; 64], [0; 128]);
        generator(16).fill_u32(&mut random);
        // SAFETY: two sites everywhere, and links that stay inside them.
        let sites = unsafe {
            kernel(
                spins.as_mut_ptr(),
                bytes.as_mut_ptr(),
                2,
                0,
                2,
                below.as_ptr(),
                above.as_ptr(),
                links.as_ptr(),
                thresholds.as_ptr(),
                random.as_ptr(),
                !0,
                &mut flips,
            )
        };
        assert_eq!(sites, 2);
        [
            digest(names[0], thresholds.map(u16::to_ne_bytes)),
            digest(names[1], spins.map(u64::to_ne_bytes)),
            digest("flips", [flips.to_ne_bytes()]),
        ]
    };
    let [a, b, c] = results(["thresholds", "sweep_i8"], ising::sweep_i8, ising::thresholds(0.5, 0.25));
    let heat = ising::heat_thresholds(0.5, 0.25);
    let [d, e, f] = results(["heat_thresholds", "sweep_heat_i8"], ising::sweep_heat_i8, heat);
    [a, b, c, d, e, f]
}

/// 100 rounds of four rings.
fn exchange_results() -> [String; 5] {
    let ladder = [(0.25, 0.5), (0.3125, 0.4375), (0.375, 0.375), (0.4375, 0.3125)];
    let mut exchange = ReplicaExchange::new(&ladder.map(|(space, tau)| Beta { space, tau }), 7).unwrap();
    let mut models = ladder.map(|_| ring().build(Kind::Auto).unwrap());
    let mut rng = generator(16);
    for _ in 0..100 {
        for (replica, model) in models.iter_mut().enumerate() {
            model.sweep(&mut rng, exchange.beta(replica).unwrap(), 1).unwrap();
        }
        exchange.step(&models).unwrap();
    }
    let mut bytes = vec![0; exchange.state_len()];
    exchange.state_bytes(&mut bytes).unwrap();
    let trips = [0, 1, 2, 3].map(|replica| exchange.round_trips_of(replica).unwrap());
    assert!(exchange.round_trips() > 0);
    [
        digest("exchange", bytes.into_iter().map(u8::to_ne_bytes)),
        digest("places", [0, 1, 2, 3].map(|replica| exchange.temperature_of(replica).unwrap().to_ne_bytes())),
        digest("attempts", [0, 1, 2].map(|pair| exchange.attempts(pair).unwrap().to_ne_bytes())),
        digest("swaps", [0, 1, 2].map(|pair| exchange.swaps(pair).unwrap().to_ne_bytes())),
        digest("trips", [exchange.round_trips()].into_iter().chain(trips).map(u64::to_ne_bytes)),
    ]
}
