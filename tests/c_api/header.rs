//! Compares the headers, token by token, with the sources of the crate.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use hotloops::hardround::{MAX_ARCS, PIECES};

use crate::c;
use crate::compilers::{WARNINGS, compiler};

/// C types and the crate's types that they represent.
const TYPES: &[(&str, &str)] = &[
    ("()", "void"),
    ("c_char", "char"),
    ("c_int", "int"),
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
    ("Hit", "hl_hamming_hit"),
    ("Near", "hl_hamming_near"),
    ("Neighbour", "hl_hamming_neighbour"),
    ("Match", "hl_fingerprints_match"),
    ("PairMatch", "hl_fingerprints_pair_match"),
    ("IndexCondition", "hl_fingerprints_condition"),
    ("IndexImage", "hl_fingerprints_image"),
    ("Mt19937", "hl_random_mt19937"),
    ("LayeredIsing", "hl_ising_model"),
    ("SquareLattice", "hl_ising_square"),
    ("Worldlines", "hl_ising_worldlines"),
    ("Transverse", "hl_ising_transverse"),
    ("IsingGraph", "hl_ising_graph"),
    ("IsingReversals", "hl_ising_reversals"),
    ("IsingLattice", "hl_ising_lattice"),
    ("IsingOpts", "hl_ising_opts"),
    ("IsingInfo", "hl_ising_info"),
    ("CliffordPlan", "hl_clifford_plan"),
    ("CliffordPacked", "hl_clifford_packed"),
    ("CliffordWindow", "hl_clifford_window"),
    ("Layout", "hl_matmul_layout"),
    ("Link", "hl_ising_link"),
    ("WideLink", "hl_ising_wide_link"),
    ("Worldline", "hl_ising_worldline"),
    ("WorldlineRun", "hl_ising_worldline_run"),
    ("Beta", "hl_ising_beta"),
    ("Energy", "hl_ising_energies"),
    ("ReplicaExchange", "hl_ising_replica_exchange"),
    ("Accumulator", "hl_correlation_pairs"),
    ("PairsBin", "hl_correlation_pairs_bin"),
    ("Image", "hl_correlation_image"),
    ("Points", "hl_correlation_points"),
    ("Repro", "hl_reduce_repro"),
    ("Block", "hl_hardround_block"),
    ("Cell", "hl_hardround_cell"),
    ("Curve", "hl_hardround_curve"),
    ("Arcs", "hl_hardround_arcs_of_curve"),
    ("Bundle", "hl_hardround_bundle"),
    ("Suspects", "hl_hardround_suspects"),
    ("Places", "hl_hardround_places"),
    ("MatmulOpts", "hl_matmul_opts"),
    ("MatmulPacked", "hl_matmul_packed"),
    ("MatmulPlan", "hl_matmul_plan"),
];

const HEADERS: [&str; 2] = [c::HEADER, c::KERNELS];

/// Constants of the crate that are array lengths.
const EXTENTS: &[(&str, usize)] = &[("MAX_ARCS", MAX_ARCS), ("PIECES", PIECES)];

/// The C spelling of a Rust type.
fn c_type(rust: &str) -> String {
    if let Some(target) = rust.strip_prefix("*mut ") {
        return format!("{} *", c_type(target));
    }
    if let Some(target) = rust.strip_prefix("*const ") {
        // `const` qualifies the type on its left, or else the next token.
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
            let extent = extent.trim_matches([' ', ']']);
            let known = EXTENTS.iter().find(|(name, _)| *name == extent);
            extents += &known.map_or(format!("[{extent}]"), |(_, value)| format!("[{value}]"));
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
    let file = |path: &PathBuf| (path.display().to_string(), code(fs::read_to_string(path).unwrap()));
    files.iter().map(file).chain(folders.iter().flat_map(|folder| sources(folder))).collect()
}

fn assert_same(header: BTreeSet<String>, crate_: BTreeSet<String>) {
    let only = |a: &BTreeSet<String>, b: &BTreeSet<String>| a.difference(b).cloned().collect::<Vec<_>>().join("\n  ");
    let (left, right) = (only(&header, &crate_), only(&crate_, &header));
    assert!(header == crate_, "only in the headers:\n  {left}\nonly in the crate:\n  {right}");
}

/// The text with `export_for_type!` expanded: each call gives one word per name of the macro.
fn expanded(text: &str) -> String {
    let Some((before, rest)) = text.split_once("macro_rules! export_for_type {") else { return text.to_owned() };
    let (names, rest) = rest.split_once(") => {\n").unwrap();
    let (body, rest) = rest.split_once("\n    };\n").unwrap();
    let names: Vec<_> = names.split('$').skip(1).map(|name| name.split(':').next().unwrap()).collect();
    let of_call = |call: &str| {
        let words = call.split('}').next().unwrap().split_whitespace();
        // Longest first, because a name may be a prefix of another.
        let mut pairs: Vec<_> = names.iter().zip(words).collect();
        pairs.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        pairs.into_iter().fold(body.to_owned(), |body, (name, word)| body.replace(&format!("${name}"), word))
    };
    let calls: String = rest.split("export_for_type! {").skip(1).map(of_call).collect();
    format!("{before}{calls}{rest}")
}

/// A C function of the crate.
struct Exported {
    /// None for functions that belong to none, such as `hl_version`.
    family: Option<String>,
    header: String,
    name: String,
    signature: String,
}

/// Kernels name their header; files called `ffi/kernels.rs` have functions for kernels.
fn exported() -> Vec<Exported> {
    let mut exported: Vec<_> = hotloops::kernels()
        .map(|kernel| Exported {
            family: Some(kernel.name().0.to_owned()),
            header: kernel.header.to_owned(),
            name: kernel.symbol.to_owned(),
            signature: kernel.signature.to_owned(),
        })
        .collect();
    let folder = Path::new(c::ROOT).join("src");
    for (file, text) in sources(&folder) {
        let text = expanded(&text);
        let functions: Vec<_> = text.split("#[unsafe(no_mangle)]").skip(1).collect();
        assert_eq!(functions.len(), text.matches("extern \"C\" fn hl_").count(), "{file}: one attribute each");
        let inside = Path::new(&file).strip_prefix(&folder).unwrap();
        let family = inside.parent().and_then(|parent| parent.iter().next()).filter(|folder| *folder != "frame");
        let header = if inside.ends_with("ffi/kernels.rs") { "hotloops_kernels.h" } else { "hotloops.h" };
        for function in functions {
            let head = function.split("extern \"C\" fn ").nth(1).unwrap().split('{').next().unwrap();
            let (name, signature) = head.split_at(head.find('(').unwrap());
            exported.push(Exported {
                family: family.map(|family| family.to_string_lossy().into_owned()),
                header: header.to_owned(),
                name: name.to_owned(),
                signature: signature.to_owned(),
            });
        }
    }
    exported
}

#[test]
fn functions_are_those_of_the_crate() {
    let of = |header: &str| {
        let file = Path::new(header).file_name().unwrap().to_string_lossy().into_owned();
        c::prototypes(header).into_iter().map(move |prototype| format!("{file}: {prototype}"))
    };
    let line = |function: &Exported| {
        let Exported { header, name, signature, .. } = function;
        format!("{header}: {}", c_prototype(name, signature))
    };
    assert_same(HEADERS.into_iter().flat_map(of).collect(), exported().iter().map(line).collect());
}

#[test]
fn names_begin_with_the_family() {
    let functions = exported();
    let families: BTreeSet<_> = functions.iter().filter_map(|function| function.family.as_ref()).collect();
    for Exported { family, name, .. } in &functions {
        let begins = |family: &str| name.starts_with(&format!("hl_{family}_"));
        match family {
            Some(family) => assert!(begins(family), "{name} is a function of {family}"),
            None => assert!(!families.iter().any(|family| begins(family)), "{name} is in src/frame/ffi.rs"),
        }
    }
}

/// Objects, input arrays with their counts and strides, options, outputs with their strides or capacities. Sizes
/// come first in matmul and clifford; kernels have their own order.
#[test]
fn arguments_come_in_one_order() {
    const COUNTS: [&str; 4] = ["n", "count", "bits", "elem_bytes"];
    let kernels: BTreeSet<_> = hotloops::kernels().map(|kernel| kernel.symbol).collect();
    let is_free =
        |name: &str| kernels.contains(name) || name.starts_with("hl_matmul_") || name.starts_with("hl_clifford_");
    let prototypes = c::prototypes(c::HEADER);
    let mut wrong = Vec::new();
    for prototype in prototypes.iter().filter(|text| !is_free(c::declared_name(text))) {
        let list = prototype.split_once('(').unwrap().1.trim_matches([' ', ')']);
        let arguments: Vec<_> = list.split(" , ").collect();
        let is_written = |text: &str| text.contains('*') && !text.contains("const");
        let is_object = |text: &str| is_written(text) && text.starts_with("hl_") && !text.contains("* *");
        let after_objects = arguments.iter().skip_while(|text| is_object(text)).copied();
        let outputs = after_objects.skip_while(|text| !is_written(text));
        wrong.extend(
            outputs
                .filter(|text| !is_written(text) && !text.starts_with("size_t"))
                .map(|text| format!("{}: {text} after an output", c::declared_name(prototype))),
        );
        for pair in arguments.windows(2) {
            let name = pair[1].rsplit(' ').next().unwrap();
            let is_count = !pair[1].contains('*') && (COUNTS.contains(&name) || name.starts_with("n_"));
            if pair[0].ends_with("stride") && is_count {
                wrong.push(format!("{}: {} before {}", c::declared_name(prototype), pair[0], pair[1]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Structures that only kernels take are declared with them.
#[test]
fn each_structure_of_the_abi_is_used_by_it() {
    let declarations = c::declarations(c::HEADER);
    for structure in declarations.iter().filter(|text| text.starts_with("typedef struct") && text.contains('{')) {
        let name = structure.rsplit(' ').next().unwrap();
        let uses = |text: &&String| *text != structure && text.split(' ').any(|word| word == name);
        assert!(declarations.iter().any(|text| uses(&text)), "no declaration of hotloops.h uses {name}");
    }
}

#[test]
fn structures_are_those_of_the_crate() {
    let in_header = |text: &String| text.starts_with("typedef struct") && text.contains('{');
    let mut structures = BTreeSet::new();
    for (_, text) in sources(&Path::new(c::ROOT).join("src")) {
        for structure in text.split("#[repr(C)]").skip(1) {
            let (head, fields) = structure.split_once('{').unwrap();
            if head.contains('<') {
                continue; // C has no generic functions
            }
            let name = c_type(head.split_whitespace().last().unwrap());
            let fields = fields.split('}').next().unwrap().replace("pub ", "");
            let fields: String = c_variables(&fields).iter().map(|field| format!("{field};")).collect();
            structures.insert(c::words(&format!("typedef struct {name} {{ {fields} }} {name}")));
        }
    }
    assert_same(HEADERS.into_iter().flat_map(c::declarations).filter(in_header).collect(), structures);
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

#[test]
fn every_function_is_documented() {
    let headers: String = HEADERS.map(|header| c::parts(header).concat()).concat();
    let declares = |paragraph: &&str| paragraph.lines().any(|line| !line.starts_with("//") && line.contains("hl_"));
    let bare: Vec<_> = headers.split("\n\n").filter(declares).filter(|text| !text.starts_with("//")).collect();
    assert!(bare.is_empty(), "without a comment: {bare:#?}");
}

const CBLAS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/include/hotloops_cblas.h");

#[test]
fn the_headers_are_clean_in_every_standard() {
    let Some(cc) = c::CC else { return println!("not run: the crate was built without a C compiler") };
    let standards = [
        ("c", &["c99", "c11", "c17", "c2x", "c23"][..]),
        ("c++", &["c++98", "c++11", "c++14", "c++17", "c++20", "c++2b", "c++23"]),
    ];
    for name in [cc, "clang"] {
        for (language, standard) in
            standards.iter().flat_map(|(language, all)| all.iter().map(move |one| (language, one)))
        {
            if let Some(mut compiler) = compiler(name, language, standard) {
                compiler.args(WARNINGS).args(["-Wconversion", "-fsyntax-only"]);
                if *language == "c" {
                    compiler.args(["-Wstrict-prototypes", "-Wmissing-prototypes"]);
                }
                c::succeed(compiler.args(HEADERS).arg(CBLAS));
            }
        }
    }
}

#[test]
fn the_headers_of_blas_are_clean_in_c89() {
    let Some(cc) = c::CC else { return println!("not run: the crate was built without a C compiler") };
    for name in [cc, "clang"] {
        if let Some(mut compiler) = compiler(name, "c", "c89") {
            c::succeed(compiler.args(WARNINGS).arg("-fsyntax-only").arg(CBLAS));
        }
    }
}
